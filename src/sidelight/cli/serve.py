"""`sidelight serve`: what does this file reveal, on a page that one's own machine shows to one's own browser?"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sidelight as sl
from sidelight.answers.audit import attach_hierarchies, find_single_file
from sidelight.answers.sources import Question, open_release, open_table, read_question, require_columns
from sidelight.cli.demo import FILES, FOLDER, HIERARCHIES, LEVELS, POLICY
from sidelight.cli.options import ServeOptions
from sidelight.cli.run import Status, bar, name_options
from sidelight.engines.postgres.source import is_address
from sidelight.errors import NotAvailable, SidelightError
from sidelight.files import sidecar_path
from sidelight.intake.roles import suggestions_for
from sidelight.policy.limits import read_limit
from sidelight.policy.policy import Policy
from sidelight.policy.policy_file import read_policy_text
from sidelight.publish.sidecar import read_sidecar
from sidelight.table.hierarchy_io import read_hierarchies
from sidelight.table.roles import Roles

if TYPE_CHECKING:
    from sidelight.release.population import Population
    from sidelight.web.workspace import State, Workspace


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """Which file is explored, and where to begin."""

    file: str | None
    policy: Path | None = None
    limits: tuple[str, ...] = ()
    roles: Roles = field(default_factory=Roles)
    hierarchies: Path | None = None
    output: Path | None = None
    population: str | None = None


def serve(request: ServeRequest, options: ServeOptions) -> Status:
    """Read the file and show the page until it is closed; what was uploaded is removed then."""
    try:
        from sidelight.web.app import serve as show  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise NotAvailable.without(package=error.name or "fastapi", what="the page", extra="web") from None
    if request.output is not None and not request.output.is_dir():
        message = f"no folder '{request.output}' into which releases could be published; make it first, or leave "
        message += "--output out"
        raise SidelightError(message)
    show(
        replace(workspace(request), output=request.output),
        port=options.port,
        open_browser=not options.no_browser,
        say=_show_address,
    )
    return Status.WITHIN_POLICY


def _show_address(address: str) -> None:
    sys.stdout.write(f"{address}\n\nOpen it in a browser on this machine. Ctrl-C closes it.\n")
    sys.stdout.flush()


def workspace(request: ServeRequest) -> Workspace:
    """Make what the page explores: a file, or the bundled census."""
    if request.file is None:
        return _explore_census(request)
    file, by = request.file, read_hierarchies(request.hierarchies) if request.hierarchies else {}
    question = read_question(request.policy, limits=request.limits, roles=request.roles, population=request.population)
    settings: dict[str, Any] = {
        "name": file,
        "hierarchies": by,
        "hierarchy_folder": None if request.hierarchies is None else str(request.hierarchies),
        "policy_file": None if request.policy is None else str(request.policy),
    }
    if sidecar_path(Path(file)).is_file():
        return _explore_release(request, file, question, settings)
    return _explore_table(file, question, settings)


def _explore_table(file: str, question: Question, settings: dict[str, Any]) -> Workspace:
    """Explore a table, or a release as it stands; what nobody said about its columns is suggested.

    Columns of a database are not looked through: it is explored by those that were named.
    """
    from sidelight.web.workspace import ExploredFile, Workspace  # noqa: PLC0415 - an extra

    suggested, by = None, settings["hierarchies"]
    if is_address(file):
        require_columns(file, question.roles)
    else:
        with bar("looking at") as progress:
            suggested = suggestions_for(file, question.roles, progress)
    roles = question.roles if suggested is None else suggested.roles
    source = ExploredFile(
        **settings,
        read_release=lambda roles: attach_hierarchies(open_release(file, roles, weights=roles.weight is not None), by),
        read_table=lambda roles: open_table(file, roles, by),
        columns=suggested,
        roles=roles,
        populations=_populations(question.policy, question.population),
        files=find_single_file(file),
        notes=(*(suggested.notes if suggested else ()), *question.notes),
    )
    return Workspace(source, _first_state(roles, question.policy, question.compared()), wording=name_options)


def _explore_release(request: ServeRequest, file: str, question: Question, settings: dict[str, Any]) -> Workspace:
    """Explore a release that Sidelight published: its sidecar says who is who, and which limits it keeps."""
    from sidelight.web.workspace import ExploredFile, Workspace  # noqa: PLC0415 - an extra

    document, by = read_sidecar(Path(file)), settings["hierarchies"]
    roles = document.reading.to_roles().update(question.roles)
    published_policy = read_policy_text(document.policy, population=request.population).policy
    policy = question.policy or published_policy
    source = ExploredFile(
        **settings,
        read_release=lambda chosen: attach_hierarchies(
            open_release(file, replace(question.roles, quasi=chosen.quasi, sensitive=chosen.sensitive)), by
        ),
        roles=roles,
        populations=_populations(policy, question.population),
        sidecar=document,
        notes=question.notes,
    )
    return Workspace(source, _first_state(roles, policy), wording=name_options)


def _explore_census(request: ServeRequest) -> Workspace:
    """Explore the census, printed as coarsely as in `sidelight demo`, with the limits of its policy."""
    from sidelight.web.workspace import ExploredFile, Workspace  # noqa: PLC0415 - an extra

    demo = read_policy_text(POLICY)
    adult = sl.datasets.adult(people="all", missing="drop")
    file, roles = str(adult.path), demo.roles.update(request.roles)
    question = read_question(request.policy, limits=request.limits) if request.policy or request.limits else None
    suggested = suggestions_for(file, roles)
    source = ExploredFile(
        name=f"{FOLDER}/{FILES[0]}",
        read_release=lambda chosen: open_release(file, chosen),
        read_table=lambda chosen: open_table(file, chosen),
        columns=suggested,
        roles=roles,
        hierarchies=adult.hierarchies,
        hierarchy_folder=f"{FOLDER}/{HIERARCHIES}",
        title="US census of 1994",
        citation=f"{adult.citation}, CC BY 4.0",
    )
    first = _first_state(roles, demo.policy if question is None else question.policy)
    return Workspace(source, first.but(levels=tuple(LEVELS.items())), wording=name_options)


def _first_state(roles: Roles, policy: Policy | None, compared: tuple[sl.Measure, ...] = ()) -> State:
    """Begin with the limits of a policy, or else with a few, and with all that compares with a population."""
    from sidelight.answers.recipe import write_typed  # noqa: PLC0415 - an extra
    from sidelight.web.workspace import State as First  # noqa: PLC0415

    # a classic limit, and one on somebody who knows something
    first = () if policy is not None else ("group size >= 5", "implications(k=1) < 1/2")
    criteria = tuple(map(read_limit, first)) if policy is None else policy.criteria
    beside = compared if policy is None else ()
    limits = (*map(write_typed, criteria), *map(write_typed, beside))
    return First(quasi=roles.quasi, sensitive=roles.value_columns, limits=limits)


def _populations(policy: Policy | None, population: Population | None) -> dict[str, Population]:
    """Name the populations of a page by their place; the one of the option is also for measures that name none ('')."""
    named = {} if policy is None else {str(each.place): each for each in policy.registers}
    return named if population is None else {**named, str(population.place): population, "": population}
