"""What is the command, and what the Python, that does what a view shows?  Written so that both run as they stand."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence

from sidelight._text import as_names
from sidelight.measures.about import About
from sidelight.measures.measure import Criterion, Measure
from sidelight.policy.limits import measure_maker
from sidelight.table.roles import Roles
from sidelight.web.limits import as_text, typed_sign
from sidelight.web.pages import Sample
from sidelight.web.state import State
from sidelight.web.workspace import ExploredFile

OPTIONS = {
    "person": "--person",
    "values": "--values",
    "missing": "--missing",
    "missing_marks": "--missing-mark",
    "keep": "--keep",
    "weight": "--weight",
    "split": "--split",
    "encoding": "--encoding",
    "sheet": "--sheet",
}
"""What roles are called on the command line, beside the columns that others know and the sensitive ones."""


def role_options(roles: Roles) -> list[str]:
    """Write roles as options."""
    words = [word for name in roles.quasi for word in ("--group", name)]
    words += [word for name in roles.value_columns for word in ("--sensitive", name)]
    for name, value in roles.stated().items():
        if name in OPTIONS:
            words += [word for one in as_names(value) for word in (OPTIONS[name], str(one))]
    return words


def role_keywords(roles: Roles, known: str) -> str:
    """Write roles as keywords of `read_table` (`known` is "quasi") or `read_release` ("group")."""
    words = [f"{known}={list(roles.quasi)!r}", f"sensitive={_one_or_list(roles.value_columns)}"]
    stated = roles.stated()
    words += [f"{name}={_python(stated[name])}" for name in OPTIONS if name in stated]
    return ", ".join(words)


def judged(source: ExploredFile, roles: Roles, state: State, readers: Sequence[Criterion | Measure]) -> Sample:
    """Say how limits are judged, and measures taken, of the file as it stands or as coarse as the state says."""
    limits = [each for each in readers if isinstance(each, Criterion)]
    measures = [each for each in readers if isinstance(each, Measure)]
    words = ["sidelight", "protect" if state.levels else "audit", source.name, *role_options(roles)]
    words += [word for each in limits for word in ("--limit", as_text(each))]
    if state.levels:
        words += ["--hierarchies", source.hierarchy_folder or "hierarchies"]
        words += ["--levels", ",".join(f"{name}={level}" for name, level in state.levels)]
    else:
        words += [word for each in measures for word in ("--measure", as_text(each))]
    lines = [*reading(source, roles, state), ""]
    if limits:
        lines += ["policy = sl.Policy(", *(f"    {in_python(each)}," for each in limits), ")"]
        lines += ["verdict = policy.judge(release)", "print(verdict)"]
        lines += ["for finding in verdict.findings:", "    print(finding.explain())"]
    lines += [f"print({in_python(each)}.measure(release).explain())" for each in measures]
    return Sample("\n".join([*_before(source, state, roles), shell(words)]), with_imports(lines))


def reading(source: ExploredFile, roles: Roles, state: State) -> list[str]:
    """Say in Python how the release is read that is looked at."""
    first = ["import sidelight as sl", ""]
    if not state.levels:
        return [*first, f"release = sl.read_release({source.name!r}, {role_keywords(roles, 'group')})"]
    folder = source.hierarchy_folder or "hierarchies"
    return [
        *first,
        f"table = sl.read_table({source.name!r}, {role_keywords(roles, 'quasi')})",
        f"hierarchies = sl.read_hierarchies({folder!r})",
        f"release = sl.generalise(table, by=hierarchies, to={dict(state.levels)!r})",
    ]


def _before(source: ExploredFile, state: State, roles: Roles) -> list[str]:
    """Name what has to be there first."""
    if source.title:
        return ["sidelight demo  # writes these files"]
    if state.levels and source.hierarchy_folder is None:
        return [shell(["sidelight", "hierarchies", source.name, *role_options(roles), "-o", "hierarchies"])]
    return []


def shell(words: Sequence[str]) -> str:
    """Write a command, broken between options where it is long."""
    lines = [""]
    for word in words:
        begins = word.startswith("-") and len(lines[-1]) > 60
        if begins:
            lines.append("")
        lines[-1] = f"{lines[-1]} {shlex.quote(word)}".lstrip()
    return " \\\n    ".join(lines)


def in_python(reader: Criterion | Measure) -> str:
    """Write a criterion or a measure as Python."""
    if isinstance(reader, Criterion):
        return f"{in_python(reader.measure)} {typed_sign(reader.comparison.sign)} {_python(reader.bound)}"
    if isinstance(reader, About):
        known = f", known={list(reader.known)!r}" if reader.known else ""
        return f"{in_python(reader.question)}.about({reader.of!r}{known})"
    kind = type(reader)
    maker = f"sl.{kind.__name__}" + ("" if measure_maker(kind) is kind else ".from_settings")
    settings = ", ".join(f"{name}={_python(value)}" for name, value in reader.settings().items())
    return f"{maker}({settings})"


def _one_or_list(names: Sequence[str]) -> str:
    return repr(names[0]) if len(names) == 1 else repr(list(names))


def _python(value: object) -> str:
    """Write a value as Python reads it."""
    if isinstance(value, float) and math.isinf(value):
        return "math.inf"
    return repr(dict(value) if isinstance(value, Mapping) else value)


def with_imports(lines: Sequence[str]) -> str:
    """Put the imports first that the lines need."""
    body = "\n".join(lines)
    needed = {"math.": "import math", "Fraction(": "from fractions import Fraction"}
    imports = [line for name, line in needed.items() if name in body]
    return "\n".join([*imports, *([""] if imports else []), body])
