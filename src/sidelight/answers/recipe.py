"""How is an answer made again?  The command and the lines of Python, written from the request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sidelight.answers.sources import Question, merge_roles
from sidelight.files import sidecar_path
from sidelight.measures.measure import Measure
from sidelight.table.roles import Roles


def write_call(function: str, *arguments: object, **settings: object) -> str:
    """Write a call in Python; settings that are `None`, `False` or empty are left out, and code is a `Code`.

    >>> write_call("sl.read_release", "a.csv", quasi=["age", "sex"], sensitive="job", missing=None)
    "sl.read_release('a.csv', quasi=['age', 'sex'], sensitive='job')"
    """
    words = [str(each) if isinstance(each, Name) else repr(each) for each in arguments]
    for name, setting in settings.items():
        if setting is None or setting is False or setting in ((), [], {}):
            continue
        plain = list(setting) if isinstance(setting, tuple) else setting
        words.append(f"{name}={plain if isinstance(plain, Name) else repr(plain)}")
    return f"{function}({', '.join(words)})"


class Name(str):
    """A name of something in the lines above, which is written without quotes."""

    __slots__ = ()


def write_release(file: str, roles: Roles, reader: str = "sl.read_release", *, keep_people: bool = False) -> str:
    """Write how a published file is read: by its sidecar, where there is one and people need not be known by name."""
    if sidecar_path(Path(file)).is_file():
        if not keep_people:
            return write_call("sl.read_published", file)
        from sidelight.publish.sidecar import read_sidecar  # noqa: PLC0415 - only files with a sidecar need it

        roles = merge_roles(read_sidecar(Path(file)).reading, roles)
    names = {"quasi": "group"}
    stated = {names.get(name, name): each for name, each in roles.stated().items()}
    return write_call(reader, file, **stated, keep_people=keep_people)


def write_table(file: str, roles: Roles) -> str:
    """Write how a table of people is read."""
    return write_call("sl.read_table", file, **roles.stated())


def write_hierarchies(folder: Path | None, suppress_only: Sequence[str] = ()) -> list[str]:
    """Write how hierarchies are read, and made of the columns that are published as they are or as `*`."""
    read = "{}" if folder is None else write_call("sl.read_hierarchies", str(folder))
    if not suppress_only:
        return [f"hierarchies = {read}"]
    labels = "[text for text in table.column(name).labels if text is not None]"
    made = f"{{name: sl.Hierarchy.suppression(name, {labels}) for name in {list(suppress_only)!r}}}"
    return [f"hierarchies = dict({read}) | {made}"]


def write_policy(question: Question) -> str:
    """Write how the policy is read: from its file, where that says all of it."""
    if question.policy_file is not None:
        return write_call("sl.read_policy", str(question.policy_file))
    limits = () if question.policy is None else map(str, question.policy.criteria)
    return f"sl.Policy(*map(read_limit, {[*limits]!r}))"


def write_measures(measures: Iterable[Measure]) -> str:
    """Write a list of measures, as they are named in policies."""
    return f"[*map(read_measure, {[*map(str, measures)]!r})]"


def write_report(
    file: str,
    question: Question,
    *,
    date: str | None = None,
    table: str | None = None,
    streamed: bool = False,
) -> str:
    """Write how the report for whoever signs is made of a published file."""
    released, lines = repr(file), list[str]()
    if not sidecar_path(Path(file)).is_file():
        reader = "sl.stream_release" if streamed else "sl.read_release"
        lines.append(f"release = {write_release(file, question.roles, reader)}")
        released = "release"
    arguments: list[object] = [Name(released)]
    if question.policy is not None:
        lines.append('policy = sl.read_policy("policy.toml")  # as it stands below')
        arguments.append(Name("policy"))
    if table is not None:
        lines.append(f"table = {write_table(table, question.roles)}")
    call = write_call("sl.release_report", *arguments, table=None if table is None else Name("table"), date=date)
    return write_python(
        *lines,
        f"report = {call}",
        'Path("report.html").write_text(sl.report_html(report), encoding="utf-8")',
        imports=["from pathlib import Path", ""],
    )


def write_python(*lines: str, imports: Sequence[str] = ()) -> str:
    """Join lines below the imports that they need."""
    text = "\n".join(lines)
    fractions = ["from fractions import Fraction"] if "Fraction(" in text else []
    readers = [name for name in ("read_limit", "read_measure") if f"map({name}, " in text]
    reading = [f"from sidelight.policy.limit_text import {', '.join(readers)}"] if readers else []
    return "\n".join([*fractions, *imports, "import sidelight as sl", *reading, "", text])
