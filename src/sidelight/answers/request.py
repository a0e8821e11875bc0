"""What requests share: their options, the roles of columns, limits, and completion at TAB.

A request is a frozen dataclass whose fields cyclopts reads.  A docstring below a field is its line on the help page, a
group is a section of that page.  Nothing of the library is imported before a request runs, so that `--help` is quick;
choices that the library has as types are repeated, and a test keeps them the same.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias, TypeVar, dataclass_transform

from cyclopts import Group, Parameter, Token
from cyclopts.validators import Number

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

    from sidelight.answers.sources import Question
    from sidelight.release.locate import SuppressedPeople
    from sidelight.table.roles import Roles


READ = Group("What to read", sort_key=0)
QUESTION = Group("What is asked", sort_key=1)
COLUMNS = Group(r"Which column is what (or in \[roles] of the policy)", sort_key=6)
ANSWER = Group("Where the answer goes", sort_key=7)


# Completion.  A completer runs in a process of its own at each TAB, and imports only then; a file that is not there or
# a name that is half typed completes to nothing, and is never an error.


def complete_columns(context: "CompletionContext", names: Iterable[str] = ("file", "files")) -> list[str]:
    """Return the columns of the files that the arguments `names` name, without those already typed."""
    from sidelight.engines.files import sure_columns_of  # noqa: PLC0415 - only at TAB
    from sidelight.table.roles import Roles  # noqa: PLC0415

    arguments = {name: context.get(name) for name in (*names, "--encoding", "--sheet")}
    encoding, sheet = (None if each is None else each.raw for each in map(arguments.get, ("--encoding", "--sheet")))
    taken = {text.partition("=")[0] for text in context[context.argument.name].raw_tokens}
    offered: dict[str, None] = {}
    for file in (file for name in names if (argument := arguments[name]) is not None for file in argument.raw_tokens):
        try:
            offered |= dict.fromkeys(sure_columns_of(file, Roles(encoding=encoding, sheet=sheet)))
        except Exception:  # noqa: BLE001, S112 - what cannot be read has nothing to offer
            continue
    return [name for name in offered if name not in taken]


def complete_columns_of_people(context: "CompletionContext") -> list[str]:
    """Return the columns of the file of people."""
    return complete_columns(context, ("--people",))


def complete_settings(context: "CompletionContext") -> list[str]:
    """Return the columns with an equals sign, such as `age=`."""
    return [f"{name}=" for name in complete_columns(context)]


def complete_measures(context: "CompletionContext") -> list[str]:
    """Return the names of all measures; for limits followed by the comparison, before a number."""
    from sidelight.policy.measure_names import all_measures  # noqa: PLC0415 - only at TAB

    if context.argument.name == "--measure":
        return [kind.name for kind in all_measures()]
    return [f"{kind.name} {'<=' if kind.large_is_bad else '>='} " for kind in all_measures()]


def complete_attackers(context: "CompletionContext") -> list[str]:
    """Return the attackers that searches test, and for `--ask` also all or none of them."""
    from sidelight.policy.measure_names import ASK_CHOICES  # noqa: PLC0415 - only at TAB

    return list(ASK_CHOICES if context.argument.name == "--ask" else ASK_CHOICES[1:-1])


COMPLETERS: dict[str, Callable[["CompletionContext"], Iterable[str]]] = {
    "ATTACKER": complete_attackers,
    "COLUMN": complete_columns,
    **dict.fromkeys(("COLUMN=", "LEVEL", "LEVELS"), complete_settings),
    **dict.fromkeys(("LIMIT", "MEASURE"), complete_measures),
}
"""The completer of an option, by its metavar."""


# Options


def option(
    *names: str,
    metavar: str | None = None,
    at_least: int | None = None,
    at_most: int = 10**9,
    **more: Any,  # noqa: ANN401
) -> Parameter:
    """Describe an option by its names and metavar; with a metavar, its value may begin with a hyphen."""
    validator = () if at_least is None else Number(gte=at_least, lte=at_most)
    if at_least is not None:
        more["converter"] = _read_whole_number
    more.setdefault("completer", COMPLETERS.get(re.sub("=.*", "=", metavar or "")))
    return Parameter(
        name=names,
        metavar=metavar,
        validator=validator,
        allow_leading_hyphen=metavar is not None,
        negative=(),  # no --no-json
        **more,
    )


Options = TypeVar("Options")


@dataclass_transform(kw_only_default=True, frozen_default=True)
def options(group: Group, *, verb: str = "") -> Callable[[type[Options]], type[Options]]:
    """Make a class a dataclass of options in one section of the help page; `verb` is the command of a request."""

    def describe(kind: type[Options]) -> type[Options]:
        if verb:
            kind.verb = verb  # type: ignore[attr-defined]
        return Parameter(name="*", group=group)(dataclass(frozen=True, kw_only=True)(kind))

    return describe


def choose(*names: str) -> Parameter:
    """Select the fields of a class of options that a verb has."""
    return Parameter(parse=re.compile(f"^({'|'.join(('settings', 'columns', 'target', *names))})$"))


def _read_whole_number(hint: object, tokens: Sequence[Token]) -> int:
    """Parse an integer strictly; cyclopts would round 1.5."""
    del hint
    return int(tokens[0].value)


def refuse_options(hint: object, names: str | tuple[str, ...] | None) -> None:
    """Raise `ValueError` for a file name that begins with a hyphen, a misspelt option; `-` is standard input."""
    del hint
    words = (names,) if isinstance(names, str) else names or ()
    misspelt = next((word for word in words if word.startswith("-") and word != "-"), None)
    if misspelt is not None:
        raise ValueError(misspelt)


def files(name: str, text: str) -> Parameter:
    """Describe an argument that is one file or several."""
    return Parameter(name=name, help=text, allow_leading_hyphen=True, validator=refuse_options)


FILE_KINDS = "CSV, TSV or Parquet, also packed or a glob; Excel, Stata, SPSS, SAS; or - for standard input."

ReleaseFile: TypeAlias = Annotated[str, files("RELEASE", f"A published file: {FILE_KINDS}")]
TableFile: TypeAlias = Annotated[str, files("TABLE", f"The table: {FILE_KINDS}")]

Force: TypeAlias = Annotated[bool, option("--force", group=ANSWER, help="Replace files that exist.")]


# The roles of columns


@options(COLUMNS)
class ColumnOptions:
    """The roles of columns, and how cells are read; each verb has some of these options."""

    quasi: Annotated[tuple[str, ...], option("--group", "-g", metavar="COLUMN")] = ()
    """A column that outsiders may know; repeat it."""
    known: Annotated[tuple[str, ...], option("--quasi", "--group", "-g", metavar="COLUMN")] = ()
    """A column that outsiders may know; repeat it."""
    sensitive: Annotated[tuple[str, ...], option("--sensitive", "-s", metavar="COLUMN")] = ()
    """A column that should not be found out; repeat it."""
    values: Annotated[Literal["single", "set", "multiset"] | None, option("--values", metavar="KIND")] = None
    """How many values a person has; single, if nothing is said."""
    missing: Annotated[
        Literal["an error", "a value", "drop", "no value"] | None,
        option(
            "--missing",
            metavar="WHAT",
            help="What a missing sensitive value is; if nothing is said, an error (noise: one that was not declared, "
            "see --outside; attack-noise: what it was when they were counted).",
        ),
    ] = None
    missing_marks: Annotated[tuple[str, ...], option("--missing-mark", metavar="TEXT")] = ()
    """A text that means missing, such as '?'; repeat it."""
    split: Annotated[str | None, option("--split", metavar="TEXT")] = None
    """What stands between the values of a cell that holds several, such as '|'."""
    encoding: Annotated[str | None, option("--encoding", metavar="NAME")] = None
    """How letters are written in a text file; UTF-8, if nothing is said."""
    sheet: Annotated[str | None, option("--sheet", metavar="NAME")] = None
    """Which sheet of a spreadsheet."""
    person: Annotated[str | None, option("--person", metavar="COLUMN")] = None
    """The column that says whose row it is, when people have several; 'each row': each is a person."""
    domain: Annotated[tuple[str, ...], option("--domain", metavar="VALUE")] = ()
    """A sensitive value there could be; repeat it for all, in order."""
    domain_file: Annotated[Path | None, option("--domain-file", metavar="FILE")] = None
    """A file that lists them: one per line, or the column of a table."""
    sensitive_level: Annotated[int | None, option("--sensitive-level", metavar="NUMBER", at_least=0)] = None
    """At which level of its hierarchy the sensitive column is published; as it is, if nothing is said."""
    keep: Annotated[tuple[str, ...], option("--keep", metavar="COLUMN")] = ()
    """A column that is published as it is, and judged by nothing; repeat it."""
    weight: Annotated[str | None, option("--weight", "--weights", metavar="COLUMN")] = None
    """A column of sampling weights, for estimates; published as it is."""
    suppressed: Annotated[Literal["a group", "leave out"] | None, option("--suppressed", metavar="WHAT")] = None
    """What rows are that are * throughout; a group, if nothing is said."""
    suppressed_people: Annotated[
        Literal["a group", "leave out", "may hold them"] | None,
        option(
            "--suppressed",
            metavar="WHAT",
            help="What rows are that are * throughout: a group, if nothing is said; with 'may hold them', people who "
            "fit nothing else are looked for there.",
        ),
    ] = None
    kinds: Annotated[
        tuple[str, ...],
        option(
            "--kind",
            metavar="COLUMN=KIND",
            help="What a column is: category, ordered, number or date, as 'region=category', or its labels in order, "
            "as 'size=small<large'; repeat it.  If nothing is said, by its type, labels and hierarchy.",
        ),
    ] = ()

    @property
    def may_hold_people(self) -> "SuppressedPeople | None":
        """`suppressed_people` if people are looked for in suppressed rows, else None."""
        return self.suppressed_people if self.suppressed_people == "may hold them" else None

    def roles(self, policy: Path | None = None) -> "Roles":
        """Return the roles of the columns; options override those of a policy file."""
        from sidelight.policy.policy_file import read_policy_file  # noqa: PLC0415 - `--help` is quick
        from sidelight.table.roles import Roles, read_kinds  # noqa: PLC0415

        settings: dict[str, Any] = {option.name: getattr(self, option.name) for option in fields(self)}
        settings["quasi"] = settings.pop("known") or self.quasi
        suppressed = settings.pop("suppressed_people")
        settings["suppressed"] = self.suppressed if self.may_hold_people else suppressed or self.suppressed
        file: Path | None = settings.pop("domain_file")
        if file is not None:
            from sidelight.engines.read import read_declared  # noqa: PLC0415 - `--help` is quick

            settings["domain"] = read_declared(file, self.sensitive, self.domain)
        stated = {name: setting for name, setting in settings.items() if setting not in (None, ())}
        roles = Roles(**stated | {"kinds": read_kinds(self.kinds)})
        return roles if policy is None else read_policy_file(policy).roles.update(roles)


CELL_FIELDS = ("sensitive", "values", "missing", "missing_marks", "split", "encoding", "sheet")
PERSON_FIELDS = (*CELL_FIELDS, "person", "domain", "domain_file")
"""The fields of verbs that read a sensitive column, and of those that also read people and a declared domain."""

ReleaseColumns: TypeAlias = Annotated[ColumnOptions, choose("quasi", *PERSON_FIELDS, "weight", "suppressed")]
BelievedColumns: TypeAlias = Annotated[ColumnOptions, choose("quasi", *PERSON_FIELDS, "kinds", "suppressed_people")]
TableColumns: TypeAlias = Annotated[
    ColumnOptions, choose("quasi", *PERSON_FIELDS, "sensitive_level", "keep", "weight", "kinds")
]


# Limits, measures and inputs


@options(QUESTION)
class Settings:
    """The limits and measures to compute, and other inputs than files; each verb has some of these options."""

    engine: Annotated[Literal["duckdb", "spark"], option("--engine", metavar="NAME", group=READ)] = "duckdb"
    """What counts the rows: duckdb, here, or spark (the extra `spark`)."""
    master: Annotated[str | None, option("--master", metavar="URL", group=READ)] = None
    """Where Spark is, such as local[2] or spark://host:7077; if nothing is said, as Spark is set up."""
    memory: Annotated[str | None, option("--memory", metavar="AMOUNT")] = None
    """How much memory may be used, such as 2GB: what does not fit is then streamed, however much there is."""
    policy: Annotated[Path | None, option("--policy", "-p", metavar="POLICY")] = None
    """A policy file: limits, and roles of the columns."""
    roles_file: Annotated[Path | None, option("--policy", "-p", metavar="POLICY")] = None
    """A policy file, for the roles of the columns."""
    limits: Annotated[tuple[str, ...], option("--limit", "-l", metavar="LIMIT")] = ()
    """A limit, such as 'group size >= 5'; repeat it."""
    hierarchies: Annotated[Path | None, option("--hierarchies", metavar="FOLDER")] = None
    """A folder with a hierarchy '<column>.csv' for each column."""
    preset: Annotated[str | None, option("--preset", metavar="NAME")] = None
    """Limits that somebody asks for: 'EMA/Health Canada 0.09', 'k-map(k=5)', ACRO or 'ACRO(sums=false)'."""
    population: Annotated[str | None, option("--population", metavar="FILE")] = None
    """The people among whom somebody is looked up, such as a register, with the columns of --group."""
    measures: Annotated[tuple[str, ...], option("--measure", "-m", metavar="MEASURE")] = ()
    """A measure without a limit, such as 'closeness'; repeat it."""


LIMIT_FIELDS = ("policy", "limits", "hierarchies")
POLICY_FIELDS = (*LIMIT_FIELDS, "preset", "population")
ENGINE_FIELDS = ("memory", "engine", "master")
"""The fields of verbs with limits, of those that compare with a population, and of those that count in several ways."""

RoleOptions: TypeAlias = Annotated[Settings, choose("roles_file")]
LookupOptions: TypeAlias = Annotated[Settings, choose("hierarchies", "roles_file")]
MeasureOptions: TypeAlias = Annotated[Settings, choose(*POLICY_FIELDS, "measures")]


@options(QUESTION)
class Request:
    """A question, with the files that it is about."""

    verb: ClassVar[str] = ""  # the command
    tables: ClassVar[tuple[str, ...]] = ("files",)  # the fields that name tables and published files
    falls_back: ClassVar[bool] = False  # whether a sidecar supplies the policy where nothing else does

    files: Annotated[tuple[str, ...], Parameter(parse=False)] = ()  # positional
    settings: Annotated[Settings, Parameter(parse=False)] = Settings()
    columns: Annotated[ColumnOptions, Parameter(parse=False)] = ColumnOptions()

    def about(self, *files: str) -> Self:
        """Return the same request about other files."""
        return replace(self, files=files)

    @property
    def file(self) -> str:
        """The only file."""
        (file,) = self.files
        return file

    @property
    def hierarchies(self) -> Path | None:
        """The folder of hierarchies to read."""
        return self.settings.hierarchies

    @property
    def ledgers(self) -> tuple[str, ...]:
        """The ledgers to read."""
        return ()

    @cached_property
    def question(self) -> "Question":
        """The roles of the columns, and the limits and measures to compute."""
        from sidelight.answers.sources import read_question, read_sidecar_policy  # noqa: PLC0415 - `--help` is quick

        otherwise = read_sidecar_policy(self.file, self.settings.population) if self.falls_back else None
        return read_question(self.settings, roles=self.columns.roles(self.settings.roles_file), otherwise=otherwise)

    @property
    def roles(self) -> "Roles":
        """The roles of the columns: from the options, else from the policy file."""
        return self.question.roles

    def state(self, *names: str) -> dict[str, Any]:
        """Return those of the fields `names` that differ from their default."""
        defaults = {field.name: field.default for field in fields(self)}
        return {name: getattr(self, name) for name in names if getattr(self, name) != defaults[name]}

    def check(self) -> None:
        """Raise `SidelightError` if options contradict each other, before any file is read."""


SAME_NAMES = """
accounting ask cells chance conditions delta domain encoding engine epsilon evidence false_alarms force
group keep layout ledger levels locate master memory method missing model neighbours nodes outline outside
overlap people people_at_most person population present prior quiet_method repetitions residents resists rho
rows_per_person samples seconds sensitive sensitive_level sheet split states suppress suppressed table truth
up_to utility vagueness values values_per_person weight written_as
"""
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in SAME_NAMES.split()} | {
    "by": "--hierarchies",
    "kinds": "--kind",
    "methods": "--method",
    "missing_marks": "--missing-mark",
    "quasi": "--group",
    "queries": "--query",
    "roster": "--table",
    "same_values": "--same-value",
    "tables": "--others",
}
"""The option of each parameter of the library; most have the same name."""
