"""Read a published release, as it stands.

Files come in two layouts: a row per person (or per value of a person), or a row per group and value with the people of
the group and the count of the value.  Both are counted in their engines, as tables are; the roles define what a missing
value and a row of `*` mean, in both layouts alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

import numpy as np

from sidelight.engines.read import stream_keys, tabulate
from sidelight.errors import BadRelease, BadTable, MissingValues, WrongKind, as_names, expect, is_one_of, parameter
from sidelight.release.groups import Groups, keys_as_groups, roll_up, whole_groups
from sidelight.release.release import Members, Release, StreamedRelease, refuse_too_many_people
from sidelight.streams.memory import Memory
from sidelight.table.cell_lists import no_value_hint
from sidelight.table.labels import SUPPRESSED, Column, JointDomain, Label, number_equal_rows
from sidelight.table.roles import ReadingChoices, Roles, Suppressed
from sidelight.table.table import MOST_PEOPLE, Counts, Table
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.arrays import Integers

Rows: TypeAlias = Literal["people", "counts"]
"""What a row of a published file is: a person (or one of a person's values), or how often a group has a value."""


def read_release(
    source: object,
    *,
    group: str | Sequence[str],
    sensitive: str | Sequence[str],
    quasi: str | Sequence[str] = (),
    suppressed: Suppressed = "a group",
    weight: str | None = None,
    rows: Rows = "people",
    people: str = "people",
    count: str = "count",
    keep_people: bool = False,
    **reading: Unpack[ReadingChoices],
) -> Release:
    """Read a published table: rows that print the same in the `group` columns are a group.

    Sources and options are those of `read_table`; `suppressed` says what rows with `*` in every group column
    are: "a group" like any other, or rows to "leave out" (their number is kept in `release.intake`).  A file may
    also have one row per group and value: `rows="counts"`, with the columns that say how many `people` the group has
    and how often the value occurs there, its `count`; no `person` is needed then.  `weight` is a column of sampling
    weights, which are added up by group (`IndividualRisk`).
    With `keep_people=True` the release remembers who is in which group, by the `person` column, so that facts can name
    people; it is then no longer what was published, but what an attacker knows who can tell who is where.

    In a bucketized file `group` is the column that says which bucket a row is in, and `quasi` are columns that
    distinguish the people of a bucket (whose values stand in any order there): the release's `members`.

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
    choices: Mapping[str, Any] = reading
    roles = Roles.of(quasi=group, sensitive=sensitive, suppressed=suppressed, weight=weight, **choices)
    return release_from(
        source, roles, told_apart=as_names(quasi), rows=rows, people=people, count=count, keep_people=keep_people
    )


def release_from(
    source: object,
    roles: Roles,
    *,
    told_apart: tuple[str, ...] = (),
    rows: Rows = "people",
    people: str = "people",
    count: str = "count",
    keep_people: bool = False,
    memory: Memory | None = None,
) -> Release:
    """Read a published table by roles, of which `quasi` are the columns of the group; the rest as in `read_release`.

    With `memory`, what the engine holds is bounded; the groups are held in any case.
    """
    if isinstance(source, Table | Release):
        remedy = "use it as it is" if isinstance(source, Release) else "group it with sl.group(table)"
        raise WrongKind(f"that is a {type(source).__name__}, not a published file; {remedy}")
    roles = replace(roles, quasi=(*roles.quasi, *told_apart), quasi_word="group")
    if not is_one_of(rows, Rows):
        raise BadTable(f'no {parameter("rows", rows)}; choose "people" or "counts"')
    if expect(bool, keep_people, parameter("keep_people")) and roles.person_column is None:
        raise BadTable(f"keep_people=True needs {parameter('person')}, the column that says whose row it is")
    if rows == "counts":
        if roles.weight is not None:
            counts = parameter("rows", "counts")
            raise BadTable(
                f"{counts} has no rows of people, so nobody has a {parameter('weight')}; leave one of them out"
            )
        if told_apart:
            raise BadTable(
                f"{parameter('rows', 'counts')} has no rows of people, so {parameter('quasi')} cannot tell them apart; "
                "leave one of them out"
            )
        return read_counts(source, roles, people=people, count=count)
    table = tabulate(source, roles.complete(), keep_people=keep_people, memory=memory)
    groups = keys_as_groups(table)
    if not told_apart:
        return Release(groups, sensitive=table.sensitive, people=table.names, intake=table.intake)
    printed = table.quasi[: len(table.quasi) - len(told_apart)]
    bucket, _ = number_equal_rows(printed, len(groups))
    members = Members.build(table.quasi[len(printed) :], bucket, table.sizes)
    return Release(roll_up(groups, printed), sensitive=table.sensitive, intake=table.intake, members=members)


def stream_release(
    source: object,
    *,
    group: str | Sequence[str],
    sensitive: str | Sequence[str],
    memory: str | int = "2GB",
    suppressed: Suppressed = "a group",
    weight: str | None = None,
    **reading: Unpack[ReadingChoices],
) -> StreamedRelease:
    """Read a published table of any size in bounded memory, to be judged by a policy or measures.

    As `read_release`, of files, Arrow tables and Spark DataFrames; nothing but totals is held.  `memory` is what this
    process may use in all, such as "2GB"; what does not fit is sorted in temporary files, which nobody else can open
    and which disappear with the process.  Findings and witnesses are those of `read_release`, group numbers included.
    For measures that look at a whole release at once (`MaxEnt`, `Learner`, …) groups are held, where they fit.

    >>> import pyarrow as pa
    >>> import sidelight as sl
    >>> rows = pa.table({"age": ["20-29", "20-29", "30-39"], "disease": ["Flu", "Cold", "Flu"]})
    >>> release = stream_release(rows, group="age", sensitive="disease", memory="1GB")
    >>> release
    <StreamedRelease of 3 people in 2 groups, disease: 2 values (single)>
    >>> sl.Policy(sl.GroupSize() >= 2).judge(release)
    <Verdict: not within policy: group size ≥ 2>
    """
    choices: Mapping[str, Any] = reading
    roles = Roles.of(quasi=group, sensitive=sensitive, suppressed=suppressed, weight=weight, **choices)
    return streamed_from(source, roles, Memory.parse(memory))


def streamed_from(source: object, roles: Roles, memory: Memory) -> StreamedRelease:
    """Read a published table by roles, of which `quasi` are the columns of the group."""
    if isinstance(source, Table | Release):
        raise WrongKind(f"that is a {type(source).__name__}, which is in memory already; use it as it is")
    stream = stream_keys(source, replace(roles, quasi_word="group").complete(), memory)
    return StreamedRelease(stream, memory)


def read_counts(source: object, roles: Roles, *, people: str, count: str) -> Release:
    """Read rows (columns of the group, `people`, value, `count`); a count of 0 says that nobody there has a value.

    The numbers are read as if they were columns of the group, so that any source will do, and taken apart after.
    """
    roles = roles.complete(rows_of_people=False)
    # the columns of people and count are read as part of the key, so each row of the file stays one entry
    plain = replace(roles, quasi=(*roles.quasi, people, count), values="single", missing="a value", domain=None)
    table = tabulate(source, replace(plain, suppressed="a group").complete())
    columns = table.quasi[:-2]
    group, first = number_equal_rows(columns, len(table.sizes))
    sizes, amounts = (_read_amounts(column) for column in table.quasi[-2:])
    # sizes: (rows,); sizes[first][group] repeats the first row's number for all rows of its group
    if (sizes != sizes[first][group]).any():
        raise BadRelease(f"rows of one group differ in '{people}'; give each group one number of people")
    key, value, times = table.counts.entries()
    # one number per (group, value), as values are below the size of the domain
    if (times > 1).any() or len(np.unique(group[key] * len(table.domain) + value)) < len(key):
        raise BadRelease("a value is listed twice for one group; give one row per group and value")
    counts = Counts.from_entries(group[key], value, amounts[key], (len(first), len(table.domain)))
    groups = whole_groups(
        domain=table.domain,
        sizes=sizes[first],
        counts=counts,
        columns=tuple(column.take(first) for column in columns),
        semantics=roles.values or "single",
    )
    return _build_from_counts(groups, table, roles)


def _read_amounts(column: Column) -> Integers:
    digits = [text if text is not None and text.isascii() and text.isdigit() else "" for text in column.labels]
    if "" in digits:
        raise BadRelease(f"column '{column.name}' has cells that are no whole numbers of at least 0; give counts there")
    numbers = [
        int(text.lstrip("0") or 0) if len(text.lstrip("0")) <= len(str(MOST_PEOPLE)) else MOST_PEOPLE for text in digits
    ]
    refuse_too_many_people(max(numbers, default=0))
    return np.array(numbers, np.int64)[column.codes]


def _build_from_counts(groups: Groups, table: Table, roles: Roles) -> Release:
    """Build the release, with missing values and suppressed groups treated as the roles say."""
    kept = np.ones(len(groups), bool)
    if roles.suppressed == "leave out":
        kept = ~np.all([column.matches(SUPPRESSED) for column in groups.columns], axis=0)
    left = groups.take(np.flatnonzero(kept))
    valueless = _valueless(left, roles)
    # with one value each, a missing value is a person who leaves; with several, the person stays
    sizes = left.sizes - (valueless if left.semantics == "single" else 0)
    left = replace(left, sizes=sizes).take(np.flatnonzero(sizes > 0))
    domain, counts = _recode_values(left, roles, without_missing=roles.missing in ("drop", "no value"))
    no_value = roles.missing == "no value"
    intake = replace(
        table.intake,
        rows_suppressed=int(groups.sizes[~kept].sum()),
        rows_without_value=0 if no_value else int(valueless.sum()),
        rows_saying_no_value=int(valueless.sum()) if no_value else 0,
        repeats=0,
    )
    kept_groups = whole_groups(
        domain=domain, sizes=left.sizes, counts=counts, columns=left.columns, semantics=left.semantics
    )
    return Release(kept_groups, sensitive=table.sensitive, intake=intake)


def _valueless(groups: Groups, roles: Roles) -> Integers:
    valueless = np.zeros(len(groups.domain), bool)
    if roles.missing == "a value":
        return np.zeros(len(groups), np.int64)
    totals = groups.counts.totals()
    for column in _value_columns(groups, roles):
        missing = column.matches(None)
        people = int(totals[missing].sum())
        if roles.missing == "an error" and people:
            raise MissingValues(
                f"{counted(people, 'person')} {form('has', people)} no '{column.name}'; "
                f"say {parameter('missing', 'a value')} to count that as a value, {no_value_hint(roles)}"
                f"or {parameter('missing', 'drop')} to drop them"
            )
        valueless |= missing
    return groups.counts.merge_values(valueless.astype(np.int32), width=2).column(1)


def _value_columns(groups: Groups, roles: Roles) -> tuple[Column, ...]:
    if isinstance(groups.domain, JointDomain):
        return groups.domain.columns
    return (Column(roles.value_columns[0], groups.domain, np.arange(len(groups.domain), dtype=np.int32)),)


def _recode_values(groups: Groups, roles: Roles, *, without_missing: bool) -> tuple[tuple[Label, ...], Counts]:
    values = _value_columns(groups, roles)
    kept = groups.counts.totals() > 0
    if without_missing:
        kept &= ~np.any([column.matches(None) for column in values], axis=0)
    columns = [column.take(np.flatnonzero(kept)).declare(roles.domain_of(column.name), BadRelease) for column in values]
    domain: tuple[Label, ...] = columns[0].labels
    new_code: Integers = columns[0].codes.astype(np.int64)
    if len(columns) > 1:
        domain, new_code = JointDomain.numbered(columns)
    row, value, count = groups.counts.entries()
    held = kept[value]
    # cumsum − 1 is the rank of a kept value among those kept, which is its row in `columns`
    code = new_code[np.cumsum(kept)[value[held]] - 1]
    return domain, Counts.from_entries(row[held], code, count[held], (len(groups), len(domain)))
