"""A table that is gone through key by key, in order, and never held: how many keys there are does not matter.

    engine ──▶ packed rows, in any order ──▶ `SortedRuns` ──▶ blocks of whole keys, in the order of the keys

While rows come in, all that is known of the whole is added up: how often each value occurs, what was left out and why.
So the first block already knows what it is compared with, and blocks are numbered as the keys of a `Table` are.

What DuckDB offers is `PackedRows`: rows that are packed numbers, counted or not.  Whether it counts them first is
decided by looking at some: where nearly all differ, counting is as much work as the rest together, and sorting does it
in passing (docs/decisions/0035-sorted-keys.md).  A database counts in any case, and its labels are packed as they come.
Where people have several rows, the engine counts in any case.

*Invariant.*  The blocks put together are the table that `tabulate` makes of the same rows by the same roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from sidelight._ahead import ahead
from sidelight._arrays import Flags, Integers, add_up, run_starts, sum_equal_rows, sum_runs
from sidelight.errors import BadTable, WrongKind, kind_in_words, parameter
from sidelight.table.carried import WEIGHT_UNIT, refuse_too_heavy
from sidelight.table.cell_lists import list_separator
from sidelight.table.duckdb_source import PackedRows
from sidelight.table.labels import Label
from sidelight.table.memory import Memory
from sidelight.table.packed_keys import Packing, Words
from sidelight.table.postgres_source import DatabaseRows
from sidelight.table.read import (
    RowCounts,
    check_people,
    check_weighed,
    domain_of_values,
    people_levels,
    refuse_valueless,
    rows_of,
    suppressed_rows,
    tally_levels,
    valueless_by_column,
    weight_levels,
    weights_in,
)
from sidelight.table.roles import Roles
from sidelight.table.sorted_runs import SortedRuns
from sidelight.table.source import Rows, arrow_batches, numpy_integers
from sidelight.table.table import Column, Counts, Intake, Semantics

Summed = TypeVar("Summed")

LOOKED_AT = 1 << 20
"""How many rows are looked at to tell whether they repeat."""

REPEAT_BELOW = 0.5
"""Rows repeat where at most this share of those looked at differ."""

READ_AHEAD = 3
"""How many batches the engine may be ahead while rows are sorted."""

DENSE_VALUES = 1 << 20
"""So many values, or combinations of them, are looked up in an array."""


@dataclass(frozen=True, eq=False, slots=True)
class KeyBlock:
    """Some keys of a table in their order, whole: number of the first (from 1), packed keys, people and counts."""

    stream: KeyStream
    first: int
    keys: Words
    sizes: Integers
    counts: Counts
    weights: Integers | None = None  # Σ of each key's sampling weights, where there are some

    def __len__(self) -> int:
        return len(self.sizes)

    def columns(self, rows: Integers | slice = slice(None)) -> tuple[Column, ...]:
        """Unpack what some of the keys say; all of them cost as much as the rest of an audit."""
        codes = self.stream.packing.key_codes([word[rows] for word in self.keys])
        return self.stream.columns_of(codes)


@dataclass(frozen=True, eq=False, slots=True)
class KeyStream:
    """All that is known of a table but its keys, which are to be had in blocks."""

    roles: Roles
    packing: Packing
    domain: tuple[Label, ...]
    whole: Integers  # how often each value of the domain occurs
    people: int
    intake: Intake
    entries: SortedRuns
    people_per_key: SortedRuns | None  # where people have several rows; else a key's counts add up to them
    value_places: ValuePlaces
    typed_roles: Roles  # with what the types of columns say about their kinds
    texts: frozenset[str]  # the columns that are text by their type
    weight_per_key: SortedRuns | None = None  # in `WEIGHT_UNIT`s, where there are sampling weights
    weight: int = 0  # of everybody
    first: int = 1  # number of the first key, where others come before

    @property
    def semantics(self) -> Semantics:
        """Whether people have one value or several."""
        return self.roles.values or "single"

    @property
    def spilled(self) -> int:
        """Bytes that were written into temporary files of ours."""
        return sum(runs.spilled for runs in (self.entries, self.people_per_key, self.weight_per_key) if runs)

    def columns_of(self, codes: list[Any]) -> tuple[Column, ...]:
        """Give columns of the quasi-identifiers by their codes."""
        named = zip(self.roles.quasi, self.packing.labels, codes, strict=False)
        return tuple(Column(name, labels, code, self.roles.kind_of(name)) for name, labels, code in named)

    def blocks(self) -> Iterator[KeyBlock]:
        """Go through all keys, in order; as often as one likes."""
        first, people = self.first, _Queue(self.people_per_key)
        weights = None if self.weight_per_key is None else _Queue(self.weight_per_key)
        for words, counts in whole_keys(self.entries, self.packing):
            keys = self.packing.keys(words)
            new = run_starts(keys)
            starts = np.flatnonzero(new)
            values = self.value_places.of(self.packing.values(words, keys))
            distinct = [word[starts] for word in keys]
            matrix = _matrix(new, starts, values, counts, len(self.domain))
            sizes = matrix.per_row() if self.people_per_key is None else people.take(distinct)
            yield KeyBlock(self, first, distinct, sizes, matrix, None if weights is None else weights.take(distinct))
            first += len(starts)

    def sizes(self) -> Iterator[Integers]:
        """Give the people of all keys, in order, some at a time: all that a quick first look needs."""
        if self.people_per_key is not None:
            yield from (people for _, people in self.people_per_key.batches())
            return
        for words, counts in whole_keys(self.entries, self.packing):
            starts = np.flatnonzero(run_starts(self.packing.keys(words)))
            yield sum_runs(counts, starts)

    def reduce(
        self,
        summarise: Callable[[KeyBlock], Summed],
        merge: Callable[[Summed, Summed], Summed],
        enough: Callable[[Summed], bool] | None = None,
    ) -> Summed:
        """Summarise each block, and merge what comes of it, in the order of the keys, until it is enough."""
        parts = map(summarise, ahead(self.blocks()))
        merged = next(parts)
        for part in () if enough and enough(merged) else parts:
            merged = merge(merged, part)
            if enough and enough(merged):
                break
        return merged

    def spread(self, of_stream: Callable[[KeyStream], Summed], merge: Callable[[Summed, Summed], Summed]) -> Summed:
        """Ask something of the keys where they are: of all of them here, or of some in each executor, and merge it."""
        del merge
        return of_stream(self)

    def gather(self, of_stream: Callable[[KeyStream], Iterable[Summed]]) -> Iterator[Summed]:
        """Have what is asked of the keys, where they are, brought here bit by bit."""
        yield from of_stream(self)

    def known(self) -> KeyStream:
        """All that is known without the keys, which `spread` and `gather` bring along."""
        return self

    def brought_here(self, memory: Memory) -> KeyStream:
        """Have all keys in this process, or in its temporary files."""
        del memory
        return self

    @property
    def here(self) -> bool:
        """Whether keys are in this process."""
        return True

    @property
    def rows_held(self) -> int:
        """How many rows are stored, people apart."""
        return self.entries.rows

    def count(self) -> int:
        """Count the keys, which goes through them."""
        return sum(map(len, self.blocks()))

    def first_columns(self) -> tuple[Column, ...]:
        """Say what the first key says."""
        return next(self.blocks()).columns(slice(0, 1))


def whole_keys(entries: SortedRuns, packing: Packing) -> Iterator[tuple[Words, Integers]]:
    """Cut sorted entries where keys end."""
    rest: tuple[Words, Integers] | None = None
    for words, counts in entries.batches():
        if rest is not None:
            words = [np.concatenate(pair) for pair in zip(rest[0], words, strict=True)]  # noqa: PLW2901
            counts = np.concatenate((rest[1], counts))  # noqa: PLW2901
        last = int(np.flatnonzero(run_starts(packing.keys(words)))[-1])
        if last:
            yield [word[:last] for word in words], counts[:last]
        rest = [word[last:] for word in words], counts[last:]
    if rest is not None:
        yield rest


def _matrix(new: Flags, starts: Integers, values: Integers, counts: Integers, width: int) -> Counts:
    """Put entries of sorted keys into a matrix; an entry with the value −1 makes a key and counts for nothing."""
    if (values < 0).any():
        row, kept = np.cumsum(new) - 1, values >= 0
        return Counts.from_sorted(row[kept], values[kept], counts[kept], (len(starts), width))
    if len(values) * 4 >= len(starts) * width:  # as `Counts` keeps them: all cells where many are positive
        return Counts.from_sorted(np.cumsum(new) - 1, values, counts, (len(starts), width))
    ends = np.append(starts, len(values))
    return Counts((len(starts), width), starts=ends, where=values.astype(np.int32), data=counts)


@dataclass(frozen=True, eq=False, slots=True)
class ValuePlaces:
    """Where packed sensitive values stand in the domain; −1 for one that says that somebody has none."""

    values: Integers  # those that occur, rising
    places: Integers
    table: Integers | None  # place by value, where there are not too many

    @classmethod
    def among(cls, values: Integers, places: Integers, width: int) -> ValuePlaces:
        """Look up `places` by `values`, which are below `width`."""
        if width > DENSE_VALUES:
            return cls(values, places, None)
        table = np.full(width, -1, np.int64)
        table[values] = places
        return cls(values, places, table)

    def of(self, values: Integers) -> Integers:
        """Look up values that occur."""
        if self.table is not None:
            return self.table[values]
        return self.places[np.searchsorted(self.values, values)]


class _Queue:
    """People per key, in the keys' order, to be taken a block at a time."""

    def __init__(self, runs: SortedRuns | None) -> None:
        self._batches = runs.batches() if runs is not None else iter(())
        self._words: Words | None = None
        self._counts: Integers = np.zeros(0, np.int64)

    def take(self, keys: Words) -> Integers:
        """Take the people of the next keys."""
        while len(self._counts) < len(keys[0]):
            words, counts = next(self._batches)
            old = self._words or [np.zeros(0, np.int64)] * len(words)
            self._words = [np.concatenate(pair) for pair in zip(old, words, strict=True)]
            self._counts = np.concatenate((self._counts, counts))
        many = len(keys[0])
        assert self._words is not None
        same = all(np.array_equal(own[:many], key) for own, key in zip(self._words, keys, strict=True))
        if not same:
            message = "the rows changed while they were read; read them again when nobody writes to them"
            raise BadTable(message)
        taken, self._counts = self._counts[:many], self._counts[many:]
        self._words = [word[many:] for word in self._words]
        return taken


@dataclass
class Totals:
    """What is added up while rows come in."""

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

    def merged(self, other: Totals) -> Totals:
        """Add what others have added up."""
        names = ("rows", "suppressed", "without_value", "repeats", "counted")
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        missing = {name: many + (other.missing or {})[name] for name, many in (self.missing or {}).items()}
        return Totals(**sums, missing=missing, values=_values_together(self.values, other.values))

    def occurring(self) -> tuple[Integers, Integers]:
        """Give the values that occur, rising, and how often each does."""
        if isinstance(self.values, dict):
            values = np.array(sorted(self.values), np.int64)
            return values, np.array([self.values[value] for value in values.tolist()], np.int64)
        assert self.values is not None
        values = np.flatnonzero(self.values)
        return values, self.values[values]


def _values_together(
    one: dict[int, int] | Integers | None, other: dict[int, int] | Integers | None
) -> dict[int, int] | Integers | None:
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict):
        assert isinstance(other, dict)
        return {value: one.get(value, 0) + other.get(value, 0) for value in (*one, *(other.keys() - one.keys()))}
    assert not isinstance(other, dict)
    return one + other


def read_stream(source: object, roles: Roles, memory: Memory) -> KeyStream:
    """Sort the rows of a file or an Arrow table by their keys, in bounded memory; `roles` are complete."""
    _refuse(source, roles)
    with rows_of(source, roles, memory=memory) as rows:
        assert isinstance(rows, PackedRows | DatabaseRows)
        packing = rows.known
        assert packing is not None
        entries = SortedRuns(len(packing.layout), memory.rows_to_sort(len(packing.layout)), rows.source.rows)
        totals = _sorted_into(entries, rows, packing, roles)
        check_totals(totals, rows, roles)
        if roles.person_column is not None:
            check_people(rows, roles)
        people = None if roles.values == "single" else _people(rows, packing, memory)
        everybody = None if people is None else sum(int(counts.sum()) for _, counts in people.batches())
        stream = stream_of(rows, roles, packing, totals, entries=entries, people_per_key=people, everybody=everybody)
        return stream if roles.weight is None else _weighed(stream, rows, memory)


def _refuse(source: object, roles: Roles) -> None:
    if not (isinstance(source, str | pa.Table | list | tuple) or hasattr(source, "__fspath__")):
        message = (
            f"{kind_in_words(source)} is in memory already, or in an engine of its own; read it without "
            f"{parameter('memory')}, or write it to a Parquet file first"
        )
        raise WrongKind(message)
    refuse_split(roles)


def refuse_split(roles: Roles) -> None:
    """Refuse cells that hold several values: they are not taken apart where rows are streamed."""
    if roles.split is not None:
        message = (
            f"{parameter('split', roles.split)} takes whole cells apart, which does not go with {parameter('memory')}; "
            "write a row for each value, or leave one of them out"
        )
        raise BadTable(message)


def _sorted_into(entries: SortedRuns, rows: Rows, packing: Packing, roles: Roles) -> Totals:
    """Have the engine hand over its rows, set aside what the roles say, and add up what is left."""
    totals = Totals(missing=dict.fromkeys(roles.value_columns, 0))
    for tally in ahead(_tallies(rows, packing, roles), READ_AHEAD):
        add_tally(tally, totals, entries, roles)
    return totals


def _tallies(rows: Rows, packing: Packing, roles: Roles) -> Iterator[RowCounts]:
    """Give the engine's answer batch by batch: counted, or rows of DuckDB as they are where nearly all differ."""
    if isinstance(rows, PackedRows) and roles.values == "single" and not _repeat(rows):
        for batch in arrow_batches(rows.frame.select(*rows.key_and_value)):
            yield RowCounts(packing, _words(batch, rows, packing, rows.key_and_value), _NO_COUNTS, _NO_COUNTS)
        return
    counts = "parts" if roles.values == "set" else "rows"
    for batch in rows.counted(*tally_levels(rows, roles)):
        words = _words(batch, rows, packing, rows.key_and_value)
        yield RowCounts(packing, words, *_numbers(batch, (counts, "rows")))


def _words(batch: pa.RecordBatch, rows: Rows, packing: Packing, columns: tuple[str, ...]) -> Words:
    return rows.words(pa.Table.from_batches([batch]), packing, columns)


def _repeat(rows: PackedRows) -> bool:
    """Whether rows that are looked at repeat; where they are few, it does not matter."""
    batches = arrow_batches(rows.frame.select(*rows.key_and_value).head(LOOKED_AT))
    looked_at = [_numbers(batch, rows.key_and_value) for batch in batches]
    if not looked_at:
        return False
    words = [np.concatenate(parts) for parts in zip(*looked_at, strict=True)]
    distinct, _ = sum_equal_rows(words, np.ones(len(words[0]), np.int64))
    return len(distinct[0]) <= REPEAT_BELOW * len(words[0])


def _numbers(batch: pa.RecordBatch, names: Sequence[str]) -> Words:
    return [numpy_integers(pa.chunked_array([batch.column(name)])) for name in names]


_NO_COUNTS = np.zeros(0, np.int64)  # every row counts once


def add_tally(tally: RowCounts, totals: Totals, entries: SortedRuns, roles: Roles) -> None:
    """Set aside what the roles say, and add up what is left."""
    packing, once = tally.packing, tally.counts is _NO_COUNTS
    totals.rows += len(tally.words[0]) if once else int(tally.rows.sum())
    star = roles.suppressed == "leave out" and packing.key_of("*") is not None
    gaps = roles.missing != "a value" and any(None in labels for labels in packing.value_labels)
    if once and (star or gaps):
        ones = np.ones(len(tally.words[0]), np.int64)
        tally, once = replace(tally, counts=ones, rows=ones), False
    if star:
        suppressed = suppressed_rows(tally, roles)
        totals.suppressed += int(tally.rows[suppressed].sum())
        tally = tally.without(suppressed)
    if gaps:
        without = np.zeros(len(tally.counts), bool)
        assert totals.missing is not None
        for name, missing in valueless_by_column(tally, roles):
            totals.missing[name] += int(tally.rows[missing].sum())
            without |= missing
        totals.without_value += int(tally.rows[without].sum())
        rest = tally.without(without)
        if roles.missing == "no value":  # such rows make a key, and count for nothing
            entries.add(tally.words, tally.counts)
    else:
        rest = tally
    counts = None if once else rest.counts
    totals.add_values(rest.values(), counts, packing.width)
    if not once:
        totals.repeats += int(rest.rows.sum() - rest.counts.sum())
    totals.counted += len(rest.words[0])
    if not (gaps and roles.missing == "no value"):
        entries.add(rest.words, counts)


def check_totals(totals: Totals, rows: Rows, roles: Roles) -> None:
    """Refuse rows that changed, none at all, and missing values that nobody spoke of."""
    if rows.source.rows not in {None, totals.rows}:  # rows with cells that the first pass did not see would be lost
        message = f"{rows.source.name} changed while it was read; read it again when nobody writes to it"
        raise BadTable(message)
    if totals.rows == 0:
        message = f"{rows.source.name} has no rows; give at least one person"
        raise BadTable(message)
    if roles.missing == "an error":
        assert totals.missing is not None
        refuse_valueless(totals.missing, totals.rows - totals.suppressed, roles)
    if totals.counted == 0:
        message = "no rows are left after leaving out the suppressed ones and those without a sensitive value"
        raise BadTable(message)


def _people(rows: Rows, packing: Packing, memory: Memory) -> SortedRuns:
    """Have the engine count the people of each key."""
    words = len(packing.layout)
    runs = SortedRuns(words, memory.rows_to_sort(words), rows.source.rows)
    for batch in rows.counted(*people_levels(rows), counting=True):
        runs.add(_words(batch, rows, packing, rows.key), *_numbers(batch, ("parts",)))
    return runs


def _weighed(stream: KeyStream, rows: Rows, memory: Memory) -> KeyStream:
    """Have the engine count the people of each key and weight, and add up what they weigh."""
    words, name = len(stream.packing.layout), stream.roles.weight
    runs, weight, people = SortedRuns(words, memory.rows_to_sort(words), rows.source.rows), 0, 0
    for batch in rows.counted(*weight_levels(rows, stream.roles), counting=True):
        keys, amounts, many = weights_in(pa.Table.from_batches([batch]), rows, stream.packing)
        people, weight = people + many, weight + int(amounts.sum())
        refuse_too_heavy(name or "", weight / WEIGHT_UNIT)
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
    saying_nothing = totals.without_value
    intake = Intake(
        rows=totals.rows,
        columns_dropped=rows.source.dropped,
        rows_suppressed=totals.suppressed,
        rows_without_value=0 if roles.missing == "no value" else saying_nothing,
        rows_saying_no_value=saying_nothing if roles.missing == "no value" else 0,
        repeats=totals.repeats,
        cell_separator=list_separator(packing.labels[-1]),
        files=rows.source.files,
        roles=roles.choices(),
    )
    whole = add_up(places, amounts, len(domain))
    people = int(amounts.sum()) if everybody is None else everybody
    looked_up = ValuePlaces.among(values, places, packing.width)
    return KeyStream(
        roles,
        packing,
        domain,
        whole,
        people,
        intake,
        entries,
        people_per_key,
        looked_up,
        rows.roles,
        rows.source.texts,
    )
