"""Read a release that somebody published, as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from sidelight.release.counts_layout import read_counts
from sidelight.release.release import Release, whole_groups
from sidelight.table.reading import counted
from sidelight.table.roles import Missing, Roles, Suppressed, as_domain, as_marks, as_names
from sidelight.table.table import Semantics

Rows: TypeAlias = Literal["people", "counts"]
"""What a row of a published file is: a person (or one of a person's values), or how often a group has a value."""


def read_release(
    source: object,
    *,
    group: str | Sequence[str],
    sensitive: str,
    person: str | None = None,
    values: Semantics = "single",
    missing: Missing = "an error",
    suppressed: Suppressed = "a group",
    missing_marks: str | Sequence[object] = (),
    domain: Sequence[object] | None = None,
    rows: Rows = "people",
    people: str = "people",
    count: str = "count",
) -> Release:
    """Read a published table: rows that print the same in the `group` columns are a group.

    Sources and options are those of `read_table`; `suppressed` says what rows with `*` in every group column
    are: "a group" like any other, or rows to "leave out" (their number is kept in `release.intake`).  A file may
    also have one row per group and value: `rows="counts"`, with the columns that say how many `people` the group has
    and how often the value occurs there, its `count`; no `person` is needed then.

    >>> import pyarrow as pa
    >>> rows = pa.table({"age": ["20-29", "20-29", "*"], "disease": ["Flu", "Cold", "Flu"]})
    >>> read_release(rows, group=["age"], sensitive="disease")
    <Release of 3 people in 2 groups, disease: 2 values (single)>
    >>> read_release(rows, group=["age"], sensitive="disease", suppressed="leave out").intake.rows_suppressed
    1
    >>> rows = pa.table({"age": ["20-29", "20-29"], "people": [3, 3], "disease": ["Flu", "Cold"], "count": [3, 1]})
    >>> read_release(rows, group=["age"], sensitive="disease", rows="counts", values="set")
    <Release of 3 people in 1 groups, disease: 2 values (set)>
    """
    roles = Roles(
        quasi=as_names(group),
        sensitive=sensitive,
        person=person,
        values="single" if rows == "counts" else values,
        missing=missing,
        suppressed=suppressed,
        missing_marks=as_marks(missing_marks),
        domain=as_domain(domain),
        asked_as="group",
    )
    if rows == "counts":
        return read_counts(source, roles, values=values, people=people, count=count)
    table = counted(source, roles)
    groups = whole_groups(
        domain=table.domain,
        sizes=table.sizes,
        counts=table.counts,
        columns=table.quasi,
        semantics=table.semantics,
    )
    return Release(groups, sensitive=table.sensitive, intake=table.intake)
