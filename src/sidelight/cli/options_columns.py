"""Options that say which column is what, for each kind of file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from sidelight.cli.options import section

if TYPE_CHECKING:
    from sidelight.policy.policy_file import Roles

column = section("Which column is what (or in [roles] of the policy)")

Group: TypeAlias = Annotated[
    list[str] | None, column("--group", "-g", gives="COLUMN", says="A column that outsiders may know; repeat it.")
]
Quasi: TypeAlias = Annotated[
    list[str] | None,
    column("--quasi", "--group", "-g", gives="COLUMN", says="A column that outsiders may know; repeat it."),
]
Sensitive: TypeAlias = Annotated[
    str | None, column("--sensitive", "-s", gives="COLUMN", says="The column that should not be found out.")
]
Person: TypeAlias = Annotated[
    str | None,
    column("--person", gives="COLUMN", says="The column that says whose row it is, when people have several."),
]
Values: TypeAlias = Annotated[
    Literal["single", "set", "multiset"] | None,
    column("--values", gives="KIND", says="How many values a person has: single (default), set or multiset."),
]
Missing: TypeAlias = Annotated[
    Literal["an error", "a value", "drop"] | None,
    column(
        "--missing", gives="WHAT", says="What a missing sensitive value is: 'an error' (default), 'a value' or drop."
    ),
]
MissingMarks: TypeAlias = Annotated[
    list[str] | None,
    column("--missing-mark", gives="TEXT", says="A text that means missing, such as '?'; repeat it."),
]
Suppressed: TypeAlias = Annotated[
    Literal["a group", "leave out"] | None,
    column(
        "--suppressed", gives="WHAT", says="What rows are that are * throughout: 'a group' (default) or 'leave out'."
    ),
]
Domain: TypeAlias = Annotated[
    list[str] | None,
    column("--domain", gives="VALUE", says="A sensitive value there could be; repeat it for all, in order."),
]

ROLES = {"group": "quasi", "missing_mark": "missing_marks"}
"""What an option is called in a policy file, where it is called something else."""


@dataclass(frozen=True)
class _Columns:
    def roles(self) -> Roles:
        """Give them as a policy file would; options that were not given say nothing."""
        from sidelight.policy.policy_file import Roles  # noqa: PLC0415 - `--help` is quick

        said = {ROLES.get(each.name, each.name): getattr(self, each.name) for each in fields(self)}
        given = {name: tuple(what) if isinstance(what, list) else what for name, what in said.items()}
        return Roles.model_validate({name: what for name, what in given.items() if what not in (None, ())})


@dataclass(frozen=True)
class OfRelease(_Columns):
    """The columns of a published file."""

    group: Group = None
    sensitive: Sensitive = None
    person: Person = None
    values: Values = None
    missing: Missing = None
    missing_mark: MissingMarks = None
    suppressed: Suppressed = None
    domain: Domain = None


@dataclass(frozen=True)
class OfTable(_Columns):
    """The columns of a table that is to be published."""

    group: Group = None
    sensitive: Sensitive = None
    person: Person = None
    values: Values = None
    missing: Missing = None
    missing_mark: MissingMarks = None
    domain: Domain = None


@dataclass(frozen=True)
class OfCounts(_Columns):
    """The columns of a table that is to be counted; those that it is counted by have levels."""

    sensitive: Sensitive = None
    person: Person = None
    missing: Missing = None
    missing_mark: MissingMarks = None
    domain: Domain = None


@dataclass(frozen=True)
class OfReleases(_Columns):
    """The columns of several published files."""

    quasi: Quasi = None
    sensitive: Sensitive = None
    missing: Missing = None
    missing_mark: MissingMarks = None
    suppressed: Suppressed = None
