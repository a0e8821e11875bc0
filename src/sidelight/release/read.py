"""Read a release that somebody published, as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from sidelight.errors import BadTable
from sidelight.release.counts_layout import read_counts
from sidelight.release.generalise import cells_as_groups, rolled_up
from sidelight.release.members import Members
from sidelight.release.release import Release
from sidelight.table.columns import rows_alike
from sidelight.table.read import counted
from sidelight.table.roles import Missing, Roles, Suppressed, as_domain, as_marks, as_names
from sidelight.table.table import Semantics

Rows: TypeAlias = Literal["people", "counts"]
"""What a row of a published file is: a person (or one of a person's values), or how often a group has a value."""


def read_release(
    source: object,
    *,
    group: str | Sequence[str],
    sensitive: str,
    quasi: str | Sequence[str] = (),
    person: str | None = None,
    values: Semantics = "single",
    missing: Missing = "an error",
    suppressed: Suppressed = "a group",
    missing_marks: str | Sequence[object] = (),
    domain: Sequence[object] | None = None,
    rows: Rows = "people",
    people: str = "people",
    count: str = "count",
    keep_people: bool = False,
) -> Release:
    """Read a published table: rows that print the same in the `group` columns are a group.

    Sources and options are those of `read_table`; `suppressed` says what rows with `*` in every group column
    are: "a group" like any other, or rows to "leave out" (their number is kept in `release.intake`).  A file may
    also have one row per group and value: `rows="counts"`, with the columns that say how many `people` the group has
    and how often the value occurs there, its `count`; no `person` is needed then.
    With `keep_people=True` the release remembers who is in which group, by the `person` column, so that facts can name
    people; it is then no longer what was published, but what somebody knows who can tell who is where.

    In a bucketized file `group` is the column that says which bucket a row is in, and `quasi` are columns that tell
    the people of a bucket apart (whose values stand in any order there): the release's `members`.

    >>> import pyarrow as pa
    >>> rows = pa.table({"age": ["20-29", "20-29", "*"], "disease": ["Flu", "Cold", "Flu"]})
    >>> read_release(rows, group=["age"], sensitive="disease")
    <Release of 3 people in 2 groups, disease: 2 values (single)>
    >>> read_release(rows, group=["age"], sensitive="disease", suppressed="leave out").intake.rows_suppressed
    1
    >>> rows = pa.table({"age": ["20-29", "20-29"], "people": [3, 3], "disease": ["Flu", "Cold"], "count": [3, 1]})
    >>> read_release(rows, group=["age"], sensitive="disease", rows="counts", values="set")
    <Release of 3 people in 1 group, disease: 2 values (set)>
    """
    told_apart = as_names(quasi)
    roles = Roles(
        quasi=(*as_names(group), *told_apart),
        sensitive=sensitive,
        person=person,
        values="single" if rows == "counts" else values,
        missing=missing,
        suppressed=suppressed,
        missing_marks=as_marks(missing_marks),
        domain=as_domain(domain),
        asked_as="group",
        keep_people=keep_people,
    )
    if rows == "counts":
        if told_apart:
            message = 'rows="counts" has no rows of people, so quasi= cannot tell them apart; leave one of them out'
            raise BadTable(message)
        return read_counts(source, roles, values=values, people=people, count=count)
    table = counted(source, roles)
    groups = cells_as_groups(table)
    if not told_apart:
        return Release(groups, sensitive=table.sensitive, people=table.names, intake=table.intake)
    printed = table.quasi[: len(table.quasi) - len(told_apart)]
    bucket, _ = rows_alike(printed, len(groups))
    members = Members.of(table.quasi[len(printed) :], bucket, table.sizes)
    return Release(rolled_up(groups, printed), sensitive=table.sensitive, intake=table.intake, members=members)
