"""Options that say which column is what, for each kind of file.  As `options`: read as it is, and quick to import."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from sidelight.cli.options import COLUMNS, option

if TYPE_CHECKING:
    from sidelight.release.locate import SuppressedPeople
    from sidelight.table.roles import Roles

GroupColumns: TypeAlias = Annotated[
    tuple[str, ...],
    option("--group", "-g", metavar="COLUMN", help="A column that outsiders may know; repeat it."),
]
QuasiColumns: TypeAlias = Annotated[
    tuple[str, ...],
    option("--quasi", "--group", "-g", metavar="COLUMN", help="A column that outsiders may know; repeat it."),
]
SensitiveColumns: TypeAlias = Annotated[
    tuple[str, ...],
    option("--sensitive", "-s", metavar="COLUMN", help="A column that should not be found out; repeat it."),
]
PersonColumn: TypeAlias = Annotated[
    str | None,
    option(
        "--person",
        metavar="COLUMN",
        help="The column that says whose row it is, when people have several; 'each row': each is a person.",
    ),
]
ValuesPerPerson: TypeAlias = Annotated[
    Literal["single", "set", "multiset"] | None,
    option("--values", metavar="KIND", help="How many values a person has; single, if nothing is said."),
]
MissingValues: TypeAlias = Annotated[
    Literal["an error", "a value", "drop", "no value"] | None,
    option("--missing", metavar="WHAT", help="What a missing sensitive value is; an error, if nothing is said."),
]
MissingCounted: TypeAlias = Annotated[
    Literal["an error", "a value", "drop", "no value"] | None,
    option(
        "--missing",
        metavar="WHAT",
        help="What a missing sensitive value is; one that was not declared (--outside), if nothing is said.",
    ),
]
MissingAsCounted: TypeAlias = Annotated[
    Literal["an error", "a value", "drop", "no value"] | None,
    option(
        "--missing",
        metavar="WHAT",
        help="What a missing sensitive value is; what it was when they were counted, if nothing is said.",
    ),
]
MissingMarks: TypeAlias = Annotated[
    tuple[str, ...],
    option("--missing-mark", metavar="TEXT", help="A text that means missing, such as '?'; repeat it."),
]
SuppressedRows: TypeAlias = Annotated[
    Literal["a group", "leave out"] | None,
    option("--suppressed", metavar="WHAT", help="What rows are that are * throughout; a group, if nothing is said."),
]
ValueDomain: TypeAlias = Annotated[
    tuple[str, ...],
    option("--domain", metavar="VALUE", help="A sensitive value there could be; repeat it for all, in order."),
]
KeptColumns: TypeAlias = Annotated[
    tuple[str, ...],
    option("--keep", metavar="COLUMN", help="A column that is published as it is, and judged by nothing; repeat it."),
]
WeightColumn: TypeAlias = Annotated[
    str | None,
    option("--weight", "--weights", metavar="COLUMN", help="A column of sampling weights, published as it is."),
]
ReadWeights: TypeAlias = Annotated[
    str | None, option("--weight", "--weights", metavar="COLUMN", help="A column of sampling weights, for estimates.")
]
Split: TypeAlias = Annotated[
    str | None,
    option("--split", metavar="TEXT", help="What stands between the values of a cell that holds several, such as '|'."),
]
Encoding: TypeAlias = Annotated[
    str | None,
    option("--encoding", metavar="NAME", help="How letters are written in a text file; UTF-8, if nothing is said."),
]
Sheet: TypeAlias = Annotated[str | None, option("--sheet", metavar="NAME", help="Which sheet of a spreadsheet.")]
ColumnKinds: TypeAlias = Annotated[
    tuple[str, ...],
    option(
        "--kind",
        metavar="COLUMN=KIND",
        help="What a column is: category, ordered, number or date, as 'region=category', or its labels in order, as "
        "'size=small<large'; repeat it.  If nothing is said, by its type, labels and hierarchy.",
    ),
]
SensitiveLevel: TypeAlias = Annotated[
    int | None,
    option(
        "--sensitive-level",
        metavar="NUMBER",
        at_least=0,
        help="At which level of its hierarchy the sensitive column is published; as it is, if nothing is said.",
    ),
]
DomainFile: TypeAlias = Annotated[
    Path | None,
    option("--domain-file", metavar="FILE", help="A file that lists them: one per line, or the column of a table."),
]
MayHoldPeople: TypeAlias = Annotated[
    Literal["a group", "leave out", "may hold them"] | None,
    option(
        "--suppressed",
        metavar="WHAT",
        help="What rows are that are * throughout: a group, if nothing is said; with 'may hold them', people who fit "
        "nothing else are looked for there.",
    ),
]
MAY_HOLD_THEM: Literal["may hold them"] = "may hold them"
"""What is said of suppressed rows that concerns looking people up, and not reading."""


ROLES = {"group": "quasi", "missing_mark": "missing_marks", "kind": "kinds"}
"""What an option is called in a policy file, where it is called something else."""


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """Options that say which column is what."""

    def suppressed_people(self) -> SuppressedPeople | None:
        """Return whether people are looked for among suppressed rows."""
        return MAY_HOLD_THEM if getattr(self, "suppressed", None) == MAY_HOLD_THEM else None

    def roles(self) -> Roles:
        """Give them as a policy file would; options that were left out say nothing."""
        from sidelight.table.roles import Roles, read_kinds  # noqa: PLC0415 - `--help` is quick

        settings: dict[str, Any] = {ROLES.get(each.name, each.name): getattr(self, each.name) for each in fields(self)}
        file: Path | None = settings.pop("domain_file", None)
        if file is not None:
            from sidelight.engines.read import read_declared  # noqa: PLC0415 - `--help` is quick

            settings["domain"] = read_declared(file, settings["sensitive"], settings["domain"])
        stated = {name: setting for name, setting in settings.items() if setting not in (None, (), MAY_HOLD_THEM)}
        return Roles(**stated | {"kinds": read_kinds(stated.get("kinds", ()))})


@Parameter(name="*", group=COLUMNS)
@dataclass(frozen=True, kw_only=True)
class PublishedColumns(ColumnOptions):
    """The columns of a published file."""

    group: GroupColumns = ()
    sensitive: SensitiveColumns = ()
    person: PersonColumn = None
    values: ValuesPerPerson = None
    missing: MissingValues = None
    missing_mark: MissingMarks = ()
    domain: ValueDomain = ()
    domain_file: DomainFile = None
    split: Split = None
    encoding: Encoding = None
    sheet: Sheet = None


@Parameter(name="*", group=COLUMNS)
@dataclass(frozen=True, kw_only=True)
class ReleaseColumns(PublishedColumns):
    """The columns of a published file that is judged."""

    weight: ReadWeights = None
    suppressed: SuppressedRows = None


@Parameter(name="*", group=COLUMNS)
@dataclass(frozen=True, kw_only=True)
class BelievedColumns(PublishedColumns):
    """The columns of a published file in which people are looked up."""

    kind: ColumnKinds = ()
    suppressed: MayHoldPeople = None


@Parameter(name="*", group=COLUMNS)
@dataclass(frozen=True, kw_only=True)
class TableColumns(ColumnOptions):
    """The columns of a table that is to be published."""

    group: GroupColumns = ()
    sensitive: SensitiveColumns = ()
    person: PersonColumn = None
    values: ValuesPerPerson = None
    missing: MissingValues = None
    missing_mark: MissingMarks = ()
    domain: ValueDomain = ()
    domain_file: DomainFile = None
    sensitive_level: SensitiveLevel = None
    keep: KeptColumns = ()
    weight: WeightColumn = None
    split: Split = None
    kind: ColumnKinds = ()
    encoding: Encoding = None
    sheet: Sheet = None


@Parameter(name="*", group=COLUMNS)
@dataclass(frozen=True, kw_only=True)
class SuggestedColumns(ColumnOptions):
    """The columns of a table of which somebody knows what they are; the others are suggested."""

    quasi: QuasiColumns = ()
    sensitive: SensitiveColumns = ()
    person: PersonColumn = None
    values: ValuesPerPerson = None
    missing: MissingValues = None
    missing_mark: MissingMarks = ()
    keep: KeptColumns = ()
    weight: WeightColumn = None
    split: Split = None
    kind: ColumnKinds = ()
    encoding: Encoding = None
    sheet: Sheet = None


@Parameter(name="*", group=COLUMNS)
@dataclass(frozen=True, kw_only=True)
class CountColumns(ColumnOptions):
    """The columns of a table that is to be counted; those that it is counted by have levels."""

    sensitive: SensitiveColumns = ()
    person: PersonColumn = None
    values: ValuesPerPerson = None
    missing: MissingCounted = None
    missing_mark: MissingMarks = ()
    domain: ValueDomain = ()
    domain_file: DomainFile = None
    split: Split = None
    encoding: Encoding = None
    sheet: Sheet = None


@Parameter(name="*", group=COLUMNS)
@dataclass(frozen=True, kw_only=True)
class JointColumns(ColumnOptions):
    """The columns of several published files about the same people."""

    quasi: QuasiColumns = ()
    sensitive: SensitiveColumns = ()
    values: ValuesPerPerson = None
    missing: MissingValues = None
    missing_mark: MissingMarks = ()
    suppressed: MayHoldPeople = None
    split: Split = None
    kind: ColumnKinds = ()
    encoding: Encoding = None
    sheet: Sheet = None


@Parameter(name="*", group=COLUMNS)
@dataclass(frozen=True, kw_only=True)
class CountedPeopleColumns(ColumnOptions):
    """How the files of people who were counted are read."""

    missing: MissingAsCounted = None
    missing_mark: MissingMarks = ()
    encoding: Encoding = None
    sheet: Sheet = None
