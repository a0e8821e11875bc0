"""How is it done again what a view shows?  The command, and the Python, written so that both run as they stand.

Single calls and options are written by `answers/recipe`; here they are put together for the file that is explored, as
it stands or as coarse as the state says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sidelight.answers.protect import levels_text
from sidelight.answers.recipe import (
    write_hierarchies,
    write_limits,
    write_measure,
    write_python,
    write_release,
    write_role_options,
    write_table,
    write_value,
)
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Criterion
from sidelight.measures.measure import Measure
from sidelight.report.answer import Recipe
from sidelight.table.roles import Roles
from sidelight.text import shell
from sidelight.web.limits import as_text
from sidelight.web.state import State
from sidelight.web.workspace import ExploredFile


def write_judging(source: ExploredFile, roles: Roles, state: State, asked: Sequence[Criterion | Measure]) -> Recipe:
    """Write how limits are judged, and measures taken, of the file as it stands or as coarse as the state says."""
    limits = [each for each in asked if isinstance(each, Criterion)]
    measures = [each for each in asked if isinstance(each, Measure)]
    verb = "protect" if state.levels and limits else "audit"
    words = ["sidelight", verb, source.name, *write_role_options(roles, verb), *write_limit_options(limits)]
    if verb == "protect":
        words += ["--hierarchies", folder_of(source), "--levels", levels_text(dict(state.levels))]
    else:
        words += [word for each in measures for word in ("--measure", as_text(each))]
    lines = [*write_reading(source, roles, state), ""]
    if limits:
        lines += [*write_limits(limits), "verdict = policy.judge(release)", "print(verdict)"]
        lines += ["for finding in verdict.findings:", "    print(finding.explain())"]
    lines += [f"print({write_measure(each)}.measure(release).explain())" for each in measures]
    first = write_preparations(source, roles, coarser=bool(state.levels))
    if state.levels and not limits:  # nothing is published without a limit
        first += ["# of the file as it stands; here it is made coarser first"]
    return Recipe("\n".join([*first, shell(words)]), write_python(*lines))


def write_preparations(source: ExploredFile, roles: Roles, *, coarser: bool) -> list[str]:
    """Write the commands that make the files that have to be there first."""
    if source.title:
        return ["sidelight demo  # writes these files"]
    if coarser and source.hierarchy_folder is None:
        options = write_role_options(roles, "hierarchies")
        return [shell(["sidelight", "hierarchies", source.name, *options, "-o", folder_of(source)])]
    return []


def write_publishing(source: ExploredFile, roles: Roles, state: State, limits: Sequence[Criterion], file: str) -> str:
    """Write the command that publishes the file as coarse as the state says."""
    words = ["sidelight", "protect", source.name, *write_role_options(roles)]
    words += write_limit_options(limits or [GroupSize() >= 1])  # it needs a limit: one that every release keeps
    return shell([*words, "--hierarchies", folder_of(source), "--levels", levels_text(dict(state.levels)), "-o", file])


def write_limit_options(limits: Sequence[Criterion]) -> list[str]:
    """Write limits as options.

    >>> write_limit_options([GroupSize() >= 3])
    ['--limit', 'group size >= 3']
    """
    return [word for each in limits for word in ("--limit", as_text(each))]


def folder_of(source: ExploredFile) -> str:
    """Return the folder of the hierarchies, which is the one that they are drafted into where none was named."""
    return source.hierarchy_folder or "hierarchies"


def write_reading(source: ExploredFile, roles: Roles, state: State) -> list[str]:
    """Write the lines that read the release that is looked at."""
    as_published = (roles.quasi, roles.value_columns) == (source.roles.quasi, source.roles.value_columns)
    by_sidecar = source.sidecar is not None and as_published  # it says how the file is read
    if by_sidecar or not state.levels:
        return [f"release = {write_release(source.name, roles, by_sidecar=by_sidecar)}"]
    return [
        *write_inputs(source, roles),
        f"release = sl.generalise(table, by=hierarchies, to={dict(state.levels)!r})",
    ]


def write_inputs(source: ExploredFile, roles: Roles) -> list[str]:
    """Write the lines that read the table and its hierarchies; sensitive values are made coarser where they are."""
    lines = [f"table = {write_table(source.name, roles)}", *write_hierarchies(Path(folder_of(source)))]
    if roles.sensitive_level is not None:
        lines += [f"table = sl.coarser_values(table, by=hierarchies, to={write_value(roles.sensitive_level)})"]
    return lines
