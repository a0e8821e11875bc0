"""Options that say which column is what, for each kind of file.  As `options`: read as it is, and quick to import."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from sidelight.cli.options import COLUMNS, option, options

if TYPE_CHECKING:
    from sidelight.release.locate import SuppressedPeople
    from sidelight.table.roles import Roles

Missing: TypeAlias = Literal["an error", "a value", "drop", "no value"] | None
MissingMarks: TypeAlias = Annotated[
    tuple[str, ...],
    option("--missing-mark", metavar="TEXT", help="A text that means missing, such as '?'; repeat it."),
]
Encoding: TypeAlias = Annotated[
    str | None,
    option("--encoding", metavar="NAME", help="How letters are written in a text file; UTF-8, if nothing is said."),
]
Sheet: TypeAlias = Annotated[str | None, option("--sheet", metavar="NAME", help="Which sheet of a spreadsheet.")]
QuasiColumns: TypeAlias = Annotated[
    tuple[str, ...],
    option("--quasi", "--group", "-g", metavar="COLUMN", help="A column that outsiders may know; repeat it."),
]
ColumnKinds: TypeAlias = Annotated[
    tuple[str, ...],
    option(
        "--kind",
        metavar="COLUMN=KIND",
        help="What a column is: category, ordered, number or date, as 'region=category', or its labels in order, as "
        "'size=small<large'; repeat it.  If nothing is said, by its type, labels and hierarchy.",
    ),
]
KeptColumns: TypeAlias = Annotated[
    tuple[str, ...],
    option("--keep", metavar="COLUMN", help="A column that is published as it is, and judged by nothing; repeat it."),
]
WeightColumn: TypeAlias = Annotated[
    str | None,
    option("--weight", "--weights", metavar="COLUMN", help="A column of sampling weights, published as it is."),
]
PersonColumn: TypeAlias = Annotated[
    str | None,
    option(
        "--person",
        metavar="COLUMN",
        help="The column that says whose row it is, when people have several; 'each row': each is a person.",
    ),
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

ROLE_NAMES = {"group": "quasi", "missing_mark": "missing_marks", "kind": "kinds"}
"""What an option is called in a policy file, where it is called something else."""


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """Options that say which column is what."""

    def suppressed_people(self) -> SuppressedPeople | None:
        """Return whether people are looked for among suppressed rows."""
        return MAY_HOLD_THEM if getattr(self, "suppressed", None) == MAY_HOLD_THEM else None

    def roles(self, policy: Path | None = None) -> Roles:
        """Return who is who: as a policy file has it, unless options say otherwise; those left out say nothing."""
        from sidelight.policy.policy_file import read_policy_file  # noqa: PLC0415 - `--help` is quick
        from sidelight.table.roles import Roles, read_kinds  # noqa: PLC0415

        settings: dict[str, Any] = {
            ROLE_NAMES.get(each.name, each.name): getattr(self, each.name) for each in fields(self)
        }
        file: Path | None = settings.pop("domain_file", None)
        if file is not None:
            from sidelight.engines.read import read_declared  # noqa: PLC0415 - `--help` is quick

            settings["domain"] = read_declared(file, settings["sensitive"], settings["domain"])
        stated = {name: setting for name, setting in settings.items() if setting not in (None, (), MAY_HOLD_THEM)}
        roles = Roles(**stated | {"kinds": read_kinds(stated.get("kinds", ()))})
        return roles if policy is None else read_policy_file(policy).roles.update(roles)


@options(COLUMNS)
class GroupColumns(ColumnOptions):
    """The columns by which people are grouped; the last base of a class stands first on the help page."""

    group: Annotated[tuple[str, ...], option("--group", "-g", metavar="COLUMN")] = ()
    """A column that outsiders may know; repeat it."""


@options(COLUMNS)
class ValueColumns(ColumnOptions):
    """The columns of any file with a sensitive one."""

    sensitive: Annotated[tuple[str, ...], option("--sensitive", "-s", metavar="COLUMN")] = ()
    """A column that should not be found out; repeat it."""
    values: Annotated[Literal["single", "set", "multiset"] | None, option("--values", metavar="KIND")] = None
    """How many values a person has; single, if nothing is said."""
    missing: Annotated[Missing, option("--missing", metavar="WHAT")] = None
    """What a missing sensitive value is; an error, if nothing is said."""
    missing_mark: MissingMarks = ()
    split: Annotated[str | None, option("--split", metavar="TEXT")] = None
    """What stands between the values of a cell that holds several, such as '|'."""
    encoding: Encoding = None
    sheet: Sheet = None


@options(COLUMNS)
class PeopleColumns(ValueColumns):
    """The columns of a file of people, whose values are known beforehand."""

    person: PersonColumn = None
    domain: Annotated[tuple[str, ...], option("--domain", metavar="VALUE")] = ()
    """A sensitive value there could be; repeat it for all, in order."""
    domain_file: Annotated[Path | None, option("--domain-file", metavar="FILE")] = None
    """A file that lists them: one per line, or the column of a table."""


@options(COLUMNS)
class ReleaseColumns(PeopleColumns, GroupColumns):
    """The columns of a published file that is judged."""

    weight: Annotated[str | None, option("--weight", "--weights", metavar="COLUMN")] = None
    """A column of sampling weights, for estimates."""
    suppressed: Annotated[Literal["a group", "leave out"] | None, option("--suppressed", metavar="WHAT")] = None
    """What rows are that are * throughout; a group, if nothing is said."""


@options(COLUMNS)
class BelievedColumns(PeopleColumns, GroupColumns):
    """The columns of a published file in which people are looked up."""

    kind: ColumnKinds = ()
    suppressed: MayHoldPeople = None


@options(COLUMNS)
class TableColumns(PeopleColumns, GroupColumns):
    """The columns of a table that is to be published."""

    sensitive_level: Annotated[int | None, option("--sensitive-level", metavar="NUMBER", at_least=0)] = None
    """At which level of its hierarchy the sensitive column is published; as it is, if nothing is said."""
    keep: KeptColumns = ()
    weight: WeightColumn = None
    kind: ColumnKinds = ()


@options(COLUMNS)
class SuggestedColumns(ValueColumns, GroupColumns):
    """The columns of a table of which somebody knows what they are; the others are suggested."""

    group: QuasiColumns = ()
    person: PersonColumn = None
    keep: KeptColumns = ()
    weight: WeightColumn = None
    kind: ColumnKinds = ()


@options(COLUMNS)
class CountColumns(PeopleColumns):
    """The columns of a table that is to be counted; those that it is counted by have levels."""

    missing: Annotated[Missing, option("--missing", metavar="WHAT")] = None
    """What a missing sensitive value is; one that was not declared (--outside), if nothing is said."""


@options(COLUMNS)
class JointColumns(ValueColumns, GroupColumns):
    """The columns of several published files about the same people."""

    group: QuasiColumns = ()
    suppressed: MayHoldPeople = None
    kind: ColumnKinds = ()


@options(COLUMNS)
class CountedPeopleColumns(ColumnOptions):
    """How the files of people who were counted are read."""

    missing: Annotated[Missing, option("--missing", metavar="WHAT")] = None
    """What a missing sensitive value is; what it was when they were counted, if nothing is said."""
    missing_mark: MissingMarks = ()
    encoding: Encoding = None
    sheet: Sheet = None
