"""The command and the Python that reproduce an answer, written from its request."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from cyclopts import Parameter

import sidelight as sl
from sidelight.answers import questions
from sidelight.answers.request import OPTIONS, Request
from sidelight.errors import as_names
from sidelight.files import sidecar_path
from sidelight.measures.about import About
from sidelight.measures.criterion import Criterion, call_text, limit_text
from sidelight.policy.limits import measure_maker
from sidelight.report.answer import Recipe
from sidelight.table.roles import ReadingChoices, Roles
from sidelight.text import shell

if TYPE_CHECKING:
    from sidelight.answers.sources import Question


def write_call(function: str, *arguments: object, **settings: object) -> str:
    """Write a call in Python, without settings that are `None`, `False` or empty; code is a `Name`.

    >>> write_call("sl.read_release", "a.csv", quasi=["age", "sex"], sensitive="job", missing=None)
    "sl.read_release('a.csv', quasi=['age', 'sex'], sensitive='job')"
    """
    words = [write_value(each) for each in arguments]
    for name, setting in settings.items():
        if setting is None or setting is False or setting in ((), [], {}):
            continue
        words.append(f"{name}={write_value(list(setting) if isinstance(setting, tuple) else setting)}")
    return f"{function}({', '.join(words)})"


def write_value(value: object) -> str:
    """Write a value in Python.

    >>> write_value(math.inf), write_value("a.csv"), write_value(Name("table"))
    ('math.inf', "'a.csv'", 'table')
    """
    if isinstance(value, Name):
        return str(value)
    if isinstance(value, float) and math.isinf(value):
        return "math.inf"
    return repr(dict(value) if isinstance(value, Mapping) else value)


class Name(str):
    """Python code, which `write_value` does not quote."""

    __slots__ = ()


def write_release(
    file: str,
    roles: Roles,
    reader: str = "sl.read_release",
    *,
    by_sidecar: bool | None = None,
    keep_people: bool = False,
) -> str:
    """Write the call that reads a published file: by its sidecar, unless `keep_people` needs their names.

    `by_sidecar`: whether there is a sidecar; by default, whether the file exists.
    """
    if sidecar_path(Path(file)).is_file() if by_sidecar is None else by_sidecar:
        if not keep_people:
            return write_call("sl.read_published", file)
        from sidelight.publish.sidecar import read_sidecar  # noqa: PLC0415 - only files with a sidecar need it

        roles = read_sidecar(Path(file)).reading.update(roles)
    return write_call(reader, file, **_keywords(roles, sl.read_release, quasi="group"), keep_people=keep_people)


def write_table(file: str, roles: Roles) -> str:
    """Write the call that reads a table of people."""
    return write_call("sl.read_table", file, **_keywords(roles, sl.read_table))


def _keywords(roles: Roles, reader: Callable[..., object], **renamed: str) -> dict[str, object]:
    """Return the stated roles as keyword arguments of a reader, without those that it lacks."""
    stated = {renamed.get(name, name): value for name, value in roles.stated().items()}
    stated |= {"kinds": dict(roles.kinds)} if "kinds" in stated else {}
    parameters = {*signature(reader).parameters, *ReadingChoices.__annotations__}  # these may be its `**reading`
    return {name: value for name, value in stated.items() if name in parameters}


def write_measure(measure: Criterion | sl.Measure) -> str:
    """Write a limit or a measure in Python."""
    if isinstance(measure, Criterion):
        return limit_text(write_measure(measure.measure), measure.comparison, write_value(measure.bound), typed=True)
    if isinstance(measure, About):
        known = f", known={list(measure.known)!r}" if measure.known else ""
        return f"{write_measure(measure.question)}.about({measure.of!r}{known})"
    kind = type(measure)
    maker = f"sl.{kind.__name__}" + ("" if measure_maker(kind) is kind else ".from_settings")
    settings = ", ".join(f"{name}={write_value(value)}" for name, value in measure.settings().items())
    return f"{maker}({settings})"


def write_limits(limits: Sequence[Criterion]) -> list[str]:
    """Write the lines that build a policy of limits."""
    return ["policy = sl.Policy(", *(f"    {write_measure(each)}," for each in limits), ")"]


def write_hierarchies(folder: Path | None, suppress_only: Sequence[str] = ()) -> list[str]:
    """Write the lines that read hierarchies, and build those of `suppress_only` columns."""
    read = "{}" if folder is None else write_call("sl.read_hierarchies", str(folder))
    if not suppress_only:
        return [f"hierarchies = {read}"]
    labels = "[text for text in table.column(name).labels if text is not None]"
    built = f"{{name: sl.Hierarchy.suppression(name, {labels}) for name in {list(suppress_only)!r}}}"
    return [f"hierarchies = dict({read}) | {built}"]


def name_hierarchies(request: Request) -> Name | None:
    """Write the call that reads the hierarchies of a request, if it has any."""
    folder = request.hierarchies
    return None if folder is None else Name(write_call("sl.read_hierarchies", str(folder)))


def write_policy(question: Question) -> str:
    """Write the policy: the call that reads its file, if that contains all of it."""
    if question.policy_file is not None:
        return write_call("sl.read_policy", str(question.policy_file))
    limits = () if question.policy is None else map(str, question.policy.criteria)
    return f"sl.Policy(*map(read_limit, {[*limits]!r}))"


def write_protect(method: str, settings: Mapping[str, object]) -> str:
    """Write the call that searches for a release, with the settings that differ from their defaults.

    >>> write_protect("lattice", {"suppress": 0.02, "ask": "nobody"})
    "sl.protect(table, policy, by=hierarchies, method=sl.FullDomain(suppress=0.02), ask='nobody')"
    """
    own = {name: settings[name] for name in ("suppress", "nodes", "suppressed") if name in settings}
    search: object = Name(write_call("sl.FullDomain", **own)) if own else method
    if "average" in settings:
        search = Name(write_call("sl.Microaggregation", labels=settings["average"]))
    others = {name: setting for name, setting in settings.items() if name not in (*own, "average")}
    return write_call("sl.protect", Name("table"), Name("policy"), by=Name("hierarchies"), method=search, **others)


def write_measures(measures: Iterable[sl.Measure]) -> str:
    """Write a list of measures by their names in policies."""
    return f"[*map(read_measure, {[*map(str, measures)]!r})]"


def write_report(lines: Sequence[str], *released: str, outline: str | None = None, **settings: object) -> str:
    """Write the Python that builds the report of a release and saves it, below other lines."""
    call = write_call("sl.release_report", *map(Name, released), **settings)
    page = write_call("sl.report_html", Name("report"), *([outline] if outline else []))
    writing = f'Path("report.html").write_text({page}, encoding="utf-8")'
    return write_python(*lines, f"report = {call}", writing, imports=["from pathlib import Path", ""])


def write_file_report(
    file: str, question: Question, *, date: str | None = None, table: str | None = None, streamed: bool = False
) -> str:
    """Write the Python that builds and saves the report of a published file."""
    released, lines = repr(file), list[str]()
    if not sidecar_path(Path(file)).is_file():
        reader = "sl.stream_release" if streamed else "sl.read_release"
        lines.append(f"release = {write_release(file, question.roles, reader)}")
        released = "release"
    policy = [] if question.policy is None else ["policy"]
    lines += ['policy = sl.read_policy("policy.toml")  # as it stands below'] if policy else []
    lines += [] if table is None else [f"table = {write_table(table, question.roles)}"]
    return write_report(lines, released, *policy, table=None if table is None else Name("table"), date=date)


def write_python(*lines: str, imports: Sequence[str] = ()) -> str:
    """Join lines below the imports that they need and lack.

    >>> print(write_python("release = sl.read_published('a.csv')"))
    import sidelight as sl
    <BLANKLINE>
    release = sl.read_published('a.csv')
    """
    body = "\n".join(lines)
    standard = {"math.": "import math", "Fraction(": "from fractions import Fraction"}
    parsers = [name for name in ("read_limit", "read_measure") if f"map({name}, " in body]
    needed = [*(line for name, line in standard.items() if name in body), *imports, "import sidelight as sl"]
    needed += [f"from sidelight.policy.limits import {', '.join(parsers)}"] if parsers else []
    present = body.splitlines()
    head = "\n".join(line for line in needed if line not in present or line == "").strip()
    return f"{head}\n\n{body}" if head else body


# The command


HIDDEN = ("who",)  # fields with an identifier of a person, which no document repeats


def write_command(request: Request, *others: object) -> str:
    """Write the command of a request; `others` are more options, such as an `Output`.

    >>> from sidelight.answers.questions import Settings, AuditRequest
    >>> write_command(AuditRequest(files=("a.csv",), settings=Settings(limits=("group size >= 5",), memory="2GB")))
    "sidelight audit a.csv --memory 2GB --limit 'group size >= 5'"
    """
    options = list(_list_options(request))
    options += [each for other in others for each in _list_options(other) if each not in options]
    return shlex.join(
        ["sidelight", *request.verb.split(), *request.files, *(word for each in options for word in each)]
    )


def _list_options(request: Any) -> Iterator[tuple[str, ...]]:  # noqa: ANN401 - any class of options
    """Yield the options that differ from their defaults, a tuple of words for each."""
    hints = get_type_hints(type(request), include_extras=True)
    for each in fields(request):
        hint, value = hints[each.name], getattr(request, each.name)
        described = next((note for note in get_args(hint) if isinstance(note, Parameter)), None)
        if is_dataclass(value):
            yield from _list_options(value)
        elif described is not None and described.name and value != each.default:
            (name, *_) = described.name
            several = value if get_origin(get_args(hint)[0]) is tuple else (value,)
            for one in several:
                words = () if one is True else map(str, one if isinstance(one, tuple) else (one,))
                yield _join_option(name, *("…" if each.name in HIDDEN else word for word in words))


def _join_option(name: str, *words: str) -> tuple[str, ...]:
    """Return the words of an option; a value that begins with a hyphen follows an equals sign."""
    return (f"{name}={words[0]}", *words[1:]) if words and words[0].startswith("-") else (name, *words)


REQUESTS = {
    each.verb: each for each in vars(questions).values() if isinstance(each, type) and issubclass(each, Request)
}


def write_role_options(roles: Roles, verb: str = "protect") -> list[str]:
    """Write roles as the options that a verb has; the others do not change its answer."""
    _, chosen = get_args(get_type_hints(REQUESTS[verb], include_extras=True)["columns"])
    words = [word for name in roles.quasi for word in ("--group", name)]
    words += [word for name in roles.value_columns for word in ("--sensitive", name)]
    for name, value in roles.stated().items():
        # only a policy file has settings per column
        if name in ("quasi", "sensitive") or not chosen.parse.search(name) or isinstance(value, Mapping):
            continue
        if name == "kinds":
            texts = [f"{each}={kind if isinstance(kind, str) else '<'.join(map(str, kind))}" for each, kind in value]
        else:
            texts = [*map(str, [value] if isinstance(value, int) else as_names(value))]
        words += [word for text in texts for word in (OPTIONS[name], text)]
    return words


def levels_text(levels: Mapping[str, int]) -> str:
    """Write levels as `--levels` takes them.

    >>> levels_text({"age": 2, "sex": 0})
    'age=2,sex=0'
    """
    return ",".join(f"{name}={int(level)}" for name, level in levels.items())


def write_typed(measure: Criterion | sl.Measure) -> str:
    """Write a limit or a measure as it is typed, at any length, so that it is read back as the same."""
    if isinstance(measure, Criterion):
        return limit_text(write_typed(measure.measure), measure.comparison, measure.bound, typed=True)
    return call_text(measure.name, measure.settings(), longest=1_000_000)


def write_limit_options(questions: Iterable[Criterion | sl.Measure]) -> list[str]:
    """Write limits and measures as options.

    >>> from sidelight import GroupSize
    >>> write_limit_options([GroupSize() >= 3, GroupSize()])
    ['--limit', 'group size >= 3', '--measure', 'group size']
    """
    return [
        word
        for each in questions
        for word in ("--limit" if isinstance(each, Criterion) else "--measure", write_typed(each))
    ]


@dataclass(frozen=True, slots=True)
class FileRecipe:
    """How the page reads a file, unchanged or generalised to `levels`, as commands and Python."""

    file: str
    roles: Roles
    levels: Mapping[str, int] = field(default_factory=dict)
    hierarchies: str | None = None  # the folder; without one they are drafted
    sidecar: bool = False  # whether the file has one
    as_published: bool = True  # whether the roles are those of the sidecar
    bundled: bool = False  # whether `sidelight demo` writes the file

    @property
    def folder(self) -> str:
        """The folder of the hierarchies, or of their drafts."""
        return self.hierarchies or "hierarchies"

    def preparations(self, *, coarser: bool | None = None) -> list[str]:
        """Write the commands that create the files that others read."""
        if self.bundled:
            return ["sidelight demo  # writes these files"]
        if self.hierarchies is not None or not (self.levels if coarser is None else coarser):
            return []
        return [shell([*self.words("hierarchies"), "-o", self.folder])]

    def words(self, verb: str) -> list[str]:
        """Return the words of a command about the file, up to the columns."""
        return ["sidelight", verb, self.file, *write_role_options(self.roles, verb)]

    def write_levels(self) -> list[str]:
        """Return the options that generalise the file to `levels`."""
        return ["--hierarchies", self.folder, "--levels", levels_text(self.levels)]

    def publishing(self, limits: Sequence[Criterion], file: str) -> str:
        """Write the command that publishes the file at `levels`."""
        # protect needs a limit: every release keeps this one
        options = write_limit_options(limits) or ["--limit", "group size >= 1"]
        return shell([*self.words("protect"), *options, *self.write_levels(), "-o", file])

    def published(self) -> str:
        """Write the call that reads the release."""
        return write_release(self.file, self.roles, by_sidecar=self.sidecar)

    def reading(self) -> list[str]:
        """Write the lines that read the release at `levels`."""
        by_sidecar = self.sidecar and self.as_published
        if by_sidecar or not self.levels:
            return [f"release = {write_release(self.file, self.roles, by_sidecar=by_sidecar)}"]
        return [*self.inputs(), f"release = sl.generalise(table, by=hierarchies, to={dict(self.levels)!r})"]

    def inputs(self) -> list[str]:
        """Write the lines that read the table and its hierarchies, and generalise sensitive values."""
        lines = [f"table = {write_table(self.file, self.roles)}", *write_hierarchies(Path(self.folder))]
        level = self.roles.sensitive_level
        if level is not None:
            lines += [f"table = sl.coarser_values(table, by=hierarchies, to={write_value(level)})"]
        return lines

    def judging(self, questions: Sequence[Criterion | sl.Measure]) -> Recipe:
        """Write how limits are judged and measures computed."""
        limits = [each for each in questions if isinstance(each, Criterion)]
        measures = [each for each in questions if isinstance(each, sl.Measure)]
        first = self.preparations()
        if self.levels and limits:
            words = [*self.words("protect"), *write_limit_options(limits), *self.write_levels()]
        else:
            words = [*self.words("audit"), *write_limit_options([*limits, *measures])]
            # without a limit, nothing is published
            first += ["# of the file as it stands; here it is made coarser first"] if self.levels else []
        lines = [*self.reading(), ""]
        if limits:
            lines += [*write_limits(limits), "verdict = policy.judge(release)", "print(verdict)"]
            lines += ["for finding in verdict.findings:", "    print(finding.explain())"]
        lines += [f"print({write_measure(each)}.measure(release).explain())" for each in measures]
        return Recipe(commands=(*first, shell(words)), python=write_python(*lines))
