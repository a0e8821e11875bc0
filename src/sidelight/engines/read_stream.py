"""Read rows into a stream of keys: sorted in bounded memory, and added up while they come in.

What DuckDB offers is `PackedRows`: rows that are packed numbers, counted or not.  Whether it counts them first is
decided by looking at some: where nearly all differ, counting is as much work as the rest together, and sorting does it
in passing (docs/decisions/0022-sorted-keys.md).  A database counts in any case, and its labels are packed as they come.
Where people have several rows, the engine counts in any case.

`distinct_rows`: the different rows of some columns, of which none is sensitive, held or in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sidelight.ahead import ahead
from sidelight.arrays import Integers, add_up, sum_equal_rows
from sidelight.engines.duckdb.source import PackedRows
from sidelight.engines.files import changed_while_read, rows_of
from sidelight.engines.postgres.source import DatabaseRows
from sidelight.engines.read import (
    RowCounts,
    build_intake,
    check_people,
    check_weighed,
    domain_of_values,
    people_levels,
    refuse_valueless,
    suppressed_rows,
    tabulate,
    tally_levels,
    valueless_by_column,
    weight_levels,
    weights_in,
)
from sidelight.engines.source import Rows, arrow_batches, numpy_integers
from sidelight.errors import BadTable, WrongKind, kind_in_words, parameter
from sidelight.streams.key_stream import (
    DENSE_VALUES,
    WEIGHT_UNIT,
    KeyStream,
    ValuePlaces,
    refuse_too_heavy,
    split_stream,
)
from sidelight.streams.sorted_runs import Batch, Packing, SortedRuns, Words, concatenate_batches
from sidelight.table.cell_lists import list_separator, whole_cells
from sidelight.table.labels import Column
from sidelight.table.roles import Roles

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory

# Rows repeat where at most this share of those looked at differ
REPEAT_BELOW = 0.5

_NO_COUNTS = np.zeros(0, np.int64)  # every row counts once


@dataclass
class Totals:
    """Sums over rows that are added up while they come in."""

    rows: int = 0
    suppressed: int = 0
    without_value: int = 0
    repeats: int = 0
    counted: int = 0
    missing: dict[str, int] | None = None  # rows without a value, by sensitive column
    values: dict[int, int] | Integers | None = None

    def add_values(self, values: Integers, counts: Integers | None, width: int) -> None:
        """Count how often each packed value occurs."""
        if width <= DENSE_VALUES:
            added = np.bincount(values, minlength=width) if counts is None else add_up(values, counts, width)
            self.values = added if self.values is None else self.values + added  # type: ignore[operator]
            return
        distinct, number = np.unique(values, return_inverse=True)
        sums = np.bincount(number) if counts is None else add_up(number, counts, len(distinct))
        known: dict[int, int] = self.values if isinstance(self.values, dict) else {}
        for value, many in zip(distinct.tolist(), sums.tolist(), strict=True):
            known[value] = known.get(value, 0) + many
        self.values = known

    def merge(self, other: Totals) -> Totals:
        """Add what others have added up."""
        names = ("rows", "suppressed", "without_value", "repeats", "counted")
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        missing = {name: many + (other.missing or {})[name] for name, many in (self.missing or {}).items()}
        mine, theirs = self.values, other.values
        values: dict[int, int] | Integers | None
        if mine is None or theirs is None:
            values = theirs if mine is None else mine
        elif isinstance(mine, dict) and isinstance(theirs, dict):
            values = {value: mine.get(value, 0) + theirs.get(value, 0) for value in {**mine, **theirs}}
        else:
            values = mine + theirs  # type: ignore[operator]
        return Totals(**sums, missing=missing, values=values)

    def occurring(self) -> tuple[Integers, Integers]:
        """Return the values that occur, rising, and how often each does."""
        if isinstance(self.values, dict):
            values = np.array(sorted(self.values), np.int64)
            return values, np.array([self.values[value] for value in values.tolist()], np.int64)
        assert self.values is not None
        values = np.flatnonzero(self.values)
        return values, self.values[values]


def read_stream(source: object, roles: Roles, memory: Memory) -> KeyStream:
    """Sort the rows of a file or an Arrow table by their keys, in bounded memory; `roles` are complete."""
    if roles.split is not None:
        return split_stream(read_stream(source, whole_cells(roles), memory), roles, roles.split, memory)
    if not (isinstance(source, str | pa.Table | list | tuple) or hasattr(source, "__fspath__")):
        message = (
            f"{kind_in_words(source)} is in memory already, or in an engine of its own; read it without "
            f"{parameter('memory')}, or write it to a Parquet file first"
        )
        raise WrongKind(message)
    with rows_of(source, roles, memory=memory) as rows:
        assert isinstance(rows, PackedRows | DatabaseRows)
        packing = rows.known
        assert packing is not None
        words = len(packing.layout)
        entries, people, weights = (SortedRuns(words, memory.rows_to_sort(words), rows.source.rows) for _ in range(3))
        totals = Totals(missing=dict.fromkeys(roles.value_columns, 0))
        # the engine may be some batches ahead while rows are sorted, and is closed before its connection is
        with closing(ahead(_tallies(rows, packing, roles), 3)) as tallies:
            for tally in tallies:
                add_tally(tally, totals, entries, roles)
        # totals are checked before people are counted, which takes another pass over all rows
        check_totals(totals, rows, roles)
        if roles.person_column is not None:
            check_people(rows, roles)
        single = roles.values == "single"
        for batch in () if single else rows.counted(*people_levels(rows), counting=True):
            people.add(_pack_batch(batch, rows, packing, rows.key), *_copy_integers(batch, ("parts",)))
        stream = stream_of(
            rows,
            roles,
            packing,
            totals,
            entries=entries,
            people_per_key=None if single else people,
            everybody=None if single else sum(int(counts.sum()) for _, counts in people.batches()),
        )
        return stream if roles.weight is None else _add_weights(stream, rows, weights)


def _tallies(rows: Rows, packing: Packing, roles: Roles) -> Iterator[RowCounts]:
    """Return the engine's answer batch by batch: counted, or rows of DuckDB as they are where nearly all differ."""
    if isinstance(rows, PackedRows) and roles.values == "single" and not _rows_repeat(rows):
        for batch in arrow_batches(rows.frame.select(*rows.key_and_value)):
            yield RowCounts(packing, _pack_batch(batch, rows, packing, rows.key_and_value), _NO_COUNTS, _NO_COUNTS)
        return
    counts = "parts" if roles.values == "set" else "rows"
    for batch in rows.counted(*tally_levels(rows, roles)):
        words = _pack_batch(batch, rows, packing, rows.key_and_value)
        yield RowCounts(packing, words, *_copy_integers(batch, (counts, "rows")))


def _pack_batch(batch: pa.RecordBatch, rows: Rows, packing: Packing, columns: tuple[str, ...]) -> Words:
    return rows.words(pa.Table.from_batches([batch]), packing, columns)


def _copy_integers(batch: pa.RecordBatch, names: Sequence[str]) -> Words:
    return [numpy_integers(pa.chunked_array([batch.column(name)])) for name in names]


def _rows_repeat(rows: PackedRows) -> bool:
    """Return whether the first million of rows repeat; where they are few, it does not matter."""
    batches = arrow_batches(rows.frame.select(*rows.key_and_value).head(1 << 20))
    looked_at = [_copy_integers(batch, rows.key_and_value) for batch in batches]
    if not looked_at:
        return False
    words = [np.concatenate(parts) for parts in zip(*looked_at, strict=True)]
    distinct, _ = sum_equal_rows(words, np.ones(len(words[0]), np.int64))
    # grouping in DuckDB costs a hash table over all rows, which pays only where it makes the rows fewer
    return len(distinct[0]) <= REPEAT_BELOW * len(words[0])


def add_tally(tally: RowCounts, totals: Totals, entries: SortedRuns, roles: Roles) -> None:
    """Set aside what the roles say, and add up what is left."""
    packing, once = tally.packing, tally.counts is _NO_COUNTS
    totals.rows += len(tally.words[0]) if once else int(tally.rows.sum())
    star = roles.suppressed == "leave out" and packing.key_of("*") is not None
    gaps = roles.missing != "a value" and any(None in labels for labels in packing.value_labels)
    # rows are about to be filtered, which needs counts of the same length as the words
    if once and (star or gaps):
        ones = np.ones(len(tally.words[0]), np.int64)
        tally, once = replace(tally, counts=ones, rows=ones), False
    if star:
        suppressed = suppressed_rows(tally, roles)
        totals.suppressed += int(tally.rows[suppressed].sum())
        tally = tally.without(suppressed)
    rest = tally
    if gaps:
        without = np.zeros(len(tally.counts), bool)
        assert totals.missing is not None
        for name, missing in valueless_by_column(tally, roles):
            totals.missing[name] += int(tally.rows[missing].sum())
            without |= missing
        totals.without_value += int(tally.rows[without].sum())
        rest = tally.without(without)
    counts = None if once else rest.counts
    totals.add_values(rest.values(), counts, packing.width)
    if not once:
        totals.repeats += int(rest.rows.sum() - rest.counts.sum())
    totals.counted += len(rest.words[0])
    # rows that say that there is no value make a key, and count for nothing
    kept = tally if gaps and roles.missing == "no value" else rest
    entries.add(kept.words, None if once else kept.counts)


def check_totals(totals: Totals, rows: Rows, roles: Roles) -> None:
    """Refuse rows that changed, none at all, and missing values that nobody spoke of."""
    if rows.source.rows not in {None, totals.rows}:  # rows with cells that the first pass did not see would be lost
        raise changed_while_read(rows.source.name)
    if totals.rows == 0:
        message = f"{rows.source.name} has no rows; give at least one person"
        raise BadTable(message)
    if roles.missing == "an error":
        refuse_valueless(totals.missing or {}, totals.rows - totals.suppressed, roles)
    if totals.counted == 0:
        message = "no rows are left after leaving out the suppressed ones and those without a sensitive value"
        raise BadTable(message)


def _add_weights(stream: KeyStream, rows: Rows, runs: SortedRuns) -> KeyStream:
    """Have the engine count the people of each key and weight, and add up what they weigh."""
    weight, people = 0, 0
    for batch in rows.counted(*weight_levels(rows, stream.roles), counting=True):
        keys, amounts, many = weights_in(pa.Table.from_batches([batch]), rows, stream.packing)
        # Python's integers cannot overflow; the sum is checked before int64 sums per key could
        people, weight = people + many, weight + int(amounts.sum())
        refuse_too_heavy(stream.roles.weight or "", weight / WEIGHT_UNIT)
        runs.add(keys, amounts)
    check_weighed(people, stream.people, stream.roles)
    return replace(stream, weight_per_key=runs, weight=weight)


def stream_of(
    rows: Rows,
    roles: Roles,
    packing: Packing,
    totals: Totals,
    *,
    entries: SortedRuns,
    people_per_key: SortedRuns | None,
    everybody: int | None,
) -> KeyStream:
    """Put together what was added up; `everybody` is how many people there are, where values do not say it."""
    values, amounts = totals.occurring()
    domain, places = domain_of_values(packing, values, roles)
    intake = build_intake(
        rows,
        roles,
        totals.rows,
        valueless=totals.without_value,
        rows_suppressed=totals.suppressed,
        repeats=totals.repeats,
        cell_separator=list_separator(packing.labels[-1]),
        missing_marks=roles.missing_marks,
    )
    whole = add_up(places, amounts, len(domain))
    people = int(amounts.sum()) if everybody is None else everybody
    found = ValuePlaces.build(values, places, packing.width)
    texts = rows.source.texts
    return KeyStream(roles, packing, domain, whole, people, intake, entries, people_per_key, found, rows.roles, texts)


def distinct_rows(
    source: object,
    columns: Sequence[str],
    *,
    person: str | None = None,
    several_rows: bool = False,
    missing_marks: str | Sequence[object] = (),
    encoding: str | None = None,
    sheet: str | None = None,
) -> tuple[tuple[Column, ...], Integers]:
    """List the distinct rows of some columns, and how often each occurs: one GROUP BY where the rows are.

    With `person`, the column that names people, everybody must have one row; or, with `several_rows`, rows that are
    the same in these columns, and each person occurs once.

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["2", "1", "2"], "sex": ["f", "f", "f"], "name": ["Ann", "Bea", "Cat"]})
    >>> (zips, sexes), times = distinct_rows(rows, ["zip", "sex"])
    >>> [zips.cell(row) for row in range(len(zips))], times.tolist()
    (['1', '2'], [1, 2])
    """
    choices = {"person": person, "missing_marks": missing_marks, "encoding": encoding, "sheet": sheet}
    # the last column plays the sensitive one: the entries of the counts are then exactly the distinct rows
    table = tabulate(source, distinct_roles(columns, choices | {"several_rows": several_rows}))
    # `row`, `value`, `times`: (distinct rows,); `row` indexes the keys of the table, so `take` repeats their labels
    row, value, times = table.counts.entries()
    lead = tuple(column.take(row) for column in table.quasi[: len(columns) - 1])
    return (*lead, Column(columns[-1], table.domain, value.astype(np.int32))), times


def distinct_roles(columns: Sequence[str], choices: Mapping[str, Any]) -> Roles:
    """Let the last of some columns be counted in the place of a sensitive one, of which there is none."""
    *rest, last = columns
    several_rows = choices.get("several_rows", False)
    return Roles.of(  # one column alone is both, which `complete` would refuse
        quasi=columns if several_rows else rest or last,
        sensitive=last,
        values="set" if several_rows else "single",
        missing="a value",
        suppressed="a group",
        **{name: choice for name, choice in choices.items() if name != "several_rows"},
    )


def distinct_rows_in_parts(
    source: object, columns: Sequence[str], choices: Mapping[str, Any], memory: Memory, at_once: int
) -> Iterator[tuple[tuple[Column, ...], Integers]]:
    """Yield the rows of `distinct_rows`, in the same order, in bounded memory: at least `at_once` rows at a time.

    >>> from sidelight.streams.memory import Memory
    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["2", "1", "2"], "sex": ["f", "f", "f"]})
    >>> from sidelight.streams.memory import Memory
    >>> parts = distinct_rows_in_parts(rows, ["zip", "sex"], {}, Memory.parse("1GB"), at_once=1)
    >>> [([column.cell(row) for column in columns], int(times[row])) for columns, times in parts for row in range(2)]
    [(['1', 'f'], 1), (['2', 'f'], 2)]
    """
    stream = read_stream(source, distinct_roles(columns, choices), memory)
    labels = stream.packing.labels
    for words, times in _merge_batches(stream.entries.batches(), at_once):
        codes = stream.packing.unpack(words)
        lead = zip(columns[:-1], labels, codes, strict=False)
        yield (*(Column(*each) for each in lead), Column(columns[-1], labels[-1], codes[-1])), times


def _merge_batches(batches: Iterable[Batch], at_once: int) -> Iterator[Batch]:
    parts: list[Batch] = []
    for batch in batches:
        parts.append(batch)
        if sum(len(counts) for _, counts in parts) >= at_once:
            yield concatenate_batches(parts)
            parts = []
    if parts:
        yield concatenate_batches(parts)
