"""`sidelight demo`, the main task on real census data, and `sidelight serve`, a local page about a file."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

import sidelight as sl
from sidelight.answers.audit import ask_audit, ask_report, attach_hierarchies
from sidelight.answers.questions import AuditRequest, ProtectRequest, ReportRequest, ServeRequest
from sidelight.answers.recipe import write_command, write_typed
from sidelight.answers.request import Settings
from sidelight.answers.sources import (
    Question,
    find_single_file,
    open_release,
    open_table,
    read_question,
    require_columns,
)
from sidelight.cli.app import protect
from sidelight.cli.run import Output, Status, bar, name_options
from sidelight.engines.formats.write import WRITERS, random_bytes
from sidelight.engines.source import is_address
from sidelight.errors import NotAvailable, SidelightError
from sidelight.files import sidecar_path, write_whole
from sidelight.intake.roles import suggestions_for
from sidelight.policy.limits import read_limit
from sidelight.policy.policy_file import read_policy_text
from sidelight.publish.publish import sheet_of_people
from sidelight.publish.sidecar import dictionary_path, read_sidecar
from sidelight.report.report import AuditReport
from sidelight.report.terminal import draw_blocks
from sidelight.table.roles import Roles

if TYPE_CHECKING:
    from sidelight.release.population import Population
    from sidelight.web.workspace import State, Workspace

FOLDER = "sidelight-demo"
"""The folder of `sidelight demo`, which commands on the page of the census name."""

LEVELS = {"age": 3, "education": 2}
"""Ages in steps of twenty years, education as school or college: coarse enough for the classic limits."""

FILES = ("census.parquet", "rough.csv", "policy.toml", "release.csv", "report.json", "report.html")
HIERARCHIES = "hierarchies"

POLICY = (Path(__file__).parent / "demo_policy.toml").read_text(encoding="utf-8")
"""The policy of the demo, with a comment on each limit."""


def demo(folder: Path) -> int:
    """Judge a coarse release, publish a better one, judge its file, and list the files."""
    table, rough, policy, release, *_ = (folder / name for name in FILES)
    try:
        (folder / HIERARCHIES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SidelightError(
            f"cannot make the folder '{folder}': {error.strerror}; choose another with --folder"
        ) from None
    adult = sl.datasets.adult()
    write_whole(table, adult.path.read_bytes(), force=True)
    if not policy.exists():
        write_whole(policy, POLICY)
    elif policy.read_bytes() != POLICY.encode():  # users may try other numbers
        _print_line(f"{policy} was changed, and is used as it is; delete it to begin again.\n")
    options = Settings(policy=policy, hierarchies=folder / HIERARCHIES)
    request = ProtectRequest(settings=options, output=release, force=True)
    quasi = request.roles.quasi
    for name in quasi:
        if name in adult.hierarchies:
            sl.write_hierarchy(adult.hierarchies[name], folder / HIERARCHIES / f"{name}.csv")

    _print_line("1. The US census of 1994, published with ages in steps of 20 years and school or college.\n")
    to = {name: LEVELS[name] for name in quasi if name in LEVELS}
    coarse = sl.generalise(
        open_table(str(table), request.roles),
        by=adult.hierarchies,
        to=to,
    )
    write_whole(rough, as_csv(coarse), force=True)
    audit = AuditRequest(files=(str(rough),), settings=Settings(policy=policy))
    report = ask_audit(audit)
    Output().deliver(report, audit)
    _print_line(f"\n{moral(report)}\n")

    _print_line(f"2. {write_command(request.about(str(table)))}\n")
    status = protect(str(table), request=request)
    if status != Status.WITHIN_POLICY:
        return status

    audit = AuditRequest(files=(str(release),), settings=Settings(policy=policy))
    _print_line(f"\n3. {write_command(audit)}\n")
    _judge_published(folder, audit, request.about(str(table)))
    _print_line(f"\nData: {adult.citation}, CC BY 4.0")
    beside = (sidecar_path(release).name, dictionary_path(release).name, HIERARCHIES)
    _print_line(f"Written to {folder}: {', '.join((*FILES, *beside))}")
    _print_line(f"For whoever signs, open in a browser: {folder / FILES[-1]}")
    return Status.WITHIN_POLICY


def _judge_published(folder: Path, audit: AuditRequest, protected: ProtectRequest) -> None:
    """Judge the published file, and write the reports: one for programs, one to sign."""
    table, *_, kept, page = (str(folder / name) for name in FILES)
    write_whole(Path(kept), ask_audit(audit).to_json(), force=True)
    request = ReportRequest(files=audit.files, settings=audit.settings, table=table)
    signed = ask_report(request, (write_command(protected), write_command(request, Output(html=Path(page)))))
    write_whole(Path(page), sl.report_html(signed), force=True)
    console = Console(highlight=False)
    for part in draw_blocks(signed.blocks(), console.width):
        console.print(part)


def _print_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def moral(report: AuditReport) -> str:
    """Summarise which limits a release keeps and which it breaks."""
    kept = ", ".join(answer.measure for answer in report.answer.findings if answer.holds)
    broken = ", ".join(
        f"{answer.measure} ({answer.result.text})" for answer in report.answer.findings if not answer.holds
    )
    if not broken or not kept:
        return f"It keeps {kept or 'nothing'} of the policy; it does not keep {broken or 'nothing'}."
    return f"It keeps {kept}.\nIt still falls to someone who knows a little: {broken}."


def as_csv(release: sl.Release) -> bytes:
    """Return a release as a CSV file with a row per person."""
    text = io.BytesIO()
    WRITERS["csv"].write(sheet_of_people(release, random_bytes()), text)
    return text.getvalue()


# The page


def serve(file: str | None, request: ServeRequest) -> Status:
    """Show the page until it is closed; uploads are removed then."""
    try:
        from sidelight.web.app import serve as show  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise NotAvailable.without(package=error.name or "fastapi", what="the page", extra="web") from None
    output = request.output
    if output is not None and not output.is_dir():
        raise SidelightError(
            f"no folder '{output}' into which releases could be published; make it first, or leave --output out"
        )

    def say(address: str) -> None:
        _print_line(f"{address}\n\nOpen it in a browser on this machine. Ctrl-C closes it.")

    explored = replace(workspace(file, request.settings, request.columns.roles()), output=output)
    show(explored, port=request.port, open_browser=not request.no_browser, say=say)
    return Status.WITHIN_POLICY


def workspace(file: str | None, options: Settings = Settings(), roles: Roles | None = None) -> Workspace:
    """Return the workspace of the page: a file, or the bundled census."""
    roles = roles or Roles()
    if file is None:
        return _explore_census(options, roles)
    question = read_question(options, roles=roles)
    settings: dict[str, Any] = {
        "name": file,
        "hierarchies": sl.read_hierarchies(options.hierarchies) if options.hierarchies else {},
        "hierarchy_folder": None if options.hierarchies is None else str(options.hierarchies),
        "policy_file": None if options.policy is None else str(options.policy),
    }
    if sidecar_path(Path(file)).is_file():
        return _explore_release(file, question, settings, options.population)
    return _explore_table(file, question, settings)


def _explore_table(file: str, question: Question, settings: dict[str, Any]) -> Workspace:
    """Return the workspace of a table, or of a release without a sidecar; missing roles are suggested.

    The columns of a database are not inspected: its roles have to be named.
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


def _explore_release(file: str, question: Question, settings: dict[str, Any], population: str | None) -> Workspace:
    """Return the workspace of a published release, with the roles and limits of its sidecar."""
    from sidelight.web.workspace import ExploredFile, Workspace  # noqa: PLC0415 - an extra

    document, by = read_sidecar(Path(file)), settings["hierarchies"]
    roles = document.reading.to_roles().update(question.roles)
    published_policy = read_policy_text(document.policy, population=population).policy
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


def _explore_census(options: Settings, roles: Roles) -> Workspace:
    """Return the workspace of the census, with the levels and limits of `sidelight demo`."""
    from sidelight.web.workspace import ExploredFile, Workspace  # noqa: PLC0415 - an extra

    demo = read_policy_text(POLICY)
    adult = sl.datasets.adult(people="all", missing="drop")
    file, roles = str(adult.path), demo.roles.update(roles)
    options = Settings(policy=options.policy, limits=options.limits)
    question = read_question(options) if options.policy or options.limits else None
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


def _first_state(roles: Roles, policy: sl.Policy | None, compared: tuple[sl.Measure, ...] = ()) -> State:
    """Return the first state: the limits of the policy, or two examples and comparisons with the population."""
    from sidelight.web.workspace import State as First  # noqa: PLC0415 - an extra

    # a classic limit, and one on an attacker who knows something
    first = () if policy is not None else ("group size >= 5", "implications(k=1) < 1/2")
    criteria = tuple(map(read_limit, first)) if policy is None else policy.criteria
    beside = compared if policy is None else ()
    limits = (*map(write_typed, criteria), *map(write_typed, beside))
    return First(quasi=roles.quasi, sensitive=roles.value_columns, limits=limits)


def _populations(policy: sl.Policy | None, population: Population | None) -> dict[str, Population]:
    """Return populations by path; the one of the option is also that of measures that name none ('')."""
    named = {} if policy is None else {str(each.place): each for each in policy.registers}
    return named if population is None else {**named, str(population.place): population, "": population}
