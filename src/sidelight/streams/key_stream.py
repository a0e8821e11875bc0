"""A table that is gone through key by key, in order, and never held: how many keys there are does not matter.

    `read_stream` ──▶ packed rows, sorted (`SortedRuns`) ──▶ blocks of whole keys, in the order of the keys

All that is known of the whole stands beside them: how often each value occurs, what was left out and why.  So the first
block already knows what it is compared with, and blocks are numbered as the keys of a `Table` are.

*Invariant.*  The blocks put together are the table that `tabulate` makes of the same rows by the same roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sidelight.ahead import ahead
from sidelight.arrays import Integers, run_starts, sum_runs
from sidelight.errors import BadTable
from sidelight.streams.memory import Memory
from sidelight.streams.packed_keys import Packing, Words
from sidelight.streams.sorted_runs import SortedRuns
from sidelight.table.labels import Column, Label, Semantics
from sidelight.table.roles import Roles
from sidelight.table.table import Counts, Intake, sensitive_names
from sidelight.text import counted

Summed = TypeVar("Summed")

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
        """Return whether people have one value or several."""
        return self.roles.values or "single"

    @property
    def sensitive(self) -> str:
        """The sensitive column, or several, by name."""
        return ", ".join(self.roles.value_columns)

    @property
    def spilled(self) -> int:
        """Bytes that were written into temporary files of ours."""
        return sum(runs.spilled for runs in (self.entries, self.people_per_key, self.weight_per_key) if runs)

    def columns_of(self, codes: list[Any]) -> tuple[Column, ...]:
        """Return columns of the quasi-identifiers by their codes."""
        named = zip(self.roles.quasi, self.packing.labels, codes, strict=False)
        return tuple(Column(name, labels, code, self.roles.kind_of(name)) for name, labels, code in named)

    def blocks(self) -> Iterator[KeyBlock]:
        """Go through all keys, in order; as often as one likes."""
        first, people = self.first, _Queue(self.people_per_key)
        weights = None if self.weight_per_key is None else _Queue(self.weight_per_key)
        for words, counts, keys, starts in whole_keys(self.entries, self.packing):
            values = self.value_places.look_up(self.packing.values(words, keys))
            distinct = [word[starts] for word in keys]
            matrix = _matrix(starts, values, counts, len(self.domain))
            # both streams are sorted by the same packed keys, so the next people belong to exactly these keys
            sizes = matrix.per_row() if self.people_per_key is None else people.take(distinct)
            yield KeyBlock(self, first, distinct, sizes, matrix, None if weights is None else weights.take(distinct))
            first += len(starts)

    def sizes(self) -> Iterator[Integers]:
        """Return the people of all keys, in order, some at a time: all that a quick first look needs."""
        if self.people_per_key is not None:
            yield from (people for _, people in self.people_per_key.batches())
            return
        for _, counts, _, starts in whole_keys(self.entries, self.packing):
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

    def strip_keys(self) -> KeyStream:
        """All that is known without the keys, which `spread` and `gather` bring along."""
        return self

    def brought_here(self, memory: Memory) -> KeyStream:
        """Have all keys in this process, or in its temporary files."""
        del memory
        return self

    @property
    def here(self) -> bool:
        """Return whether keys are in this process."""
        return True

    @property
    def rows_held(self) -> int:
        """Return how many rows are stored, people apart."""
        return self.entries.rows

    def count(self) -> int:
        """Count the keys, which goes through them."""
        return sum(map(len, self.blocks()))

    def first_columns(self) -> tuple[Column, ...]:
        """Return what the first key says."""
        return next(self.blocks()).columns(slice(0, 1))


@dataclass(frozen=True, eq=False)
class Streamed:
    """A base for what is read key by key in bounded memory; of the whole it knows what its stream knows."""

    stream: KeyStream
    memory: Memory

    @property
    def sensitive(self) -> str:
        """The sensitive column, or several, by name."""
        return self.stream.sensitive

    @property
    def domain(self) -> tuple[Label, ...]:
        """All sensitive values that there are."""
        return self.stream.domain

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""
        return sensitive_names(self.sensitive, self.domain)

    @property
    def semantics(self) -> Semantics:
        """Return whether people have one value or several."""
        return self.stream.semantics

    @property
    def intake(self) -> Intake:
        """Return what reading did to the rows."""
        return self.stream.intake

    @property
    def values_in_words(self) -> str:
        """Return how many values there are."""
        return counted(len(self.domain), "combination" if len(self.sensitive_columns) > 1 else "value")


class KeyRows(NamedTuple):
    """Sorted rows of whole keys."""

    words: Words
    counts: Integers
    keys: Words  # the words without the value
    starts: Integers  # where keys begin


def whole_keys(entries: SortedRuns, packing: Packing) -> Iterator[KeyRows]:
    """Cut sorted entries where keys end."""
    rest: tuple[Words, Integers] | None = None
    for words, counts in entries.batches():
        if rest is not None:
            # invariant: `rest` holds all entries of the last key seen, which may go on in this batch
            words = [np.concatenate(pair) for pair in zip(rest[0], words, strict=True)]  # noqa: PLW2901
            counts = np.concatenate((rest[1], counts))  # noqa: PLW2901
        keys = packing.keys(words)
        starts = np.flatnonzero(run_starts(keys))
        # the last key is held back; if it is the only one, nothing is cut off yet
        last = int(starts[-1])
        if last:
            yield KeyRows([word[:last] for word in words], counts[:last], [key[:last] for key in keys], starts[:-1])
        rest = [word[last:] for word in words], counts[last:]
    if rest is not None:
        yield KeyRows(*rest, packing.keys(rest[0]), np.array([0]))


def _matrix(starts: Integers, values: Integers, counts: Integers, width: int) -> Counts:
    """Put entries of sorted keys into a matrix; an entry with the value −1 makes a key and counts for nothing."""
    # a quarter full: the share from which `Counts.from_sorted` stores all cells
    none, dense = bool((values < 0).any()), len(values) * 4 >= len(starts) * width
    # `starts` with its end is the row pointer of a sparse matrix: the entries are used as they are, without sorting
    ends = np.append(starts, len(values))
    if not (none or dense):
        return Counts((len(starts), width), starts=ends, where=values.astype(np.int32), data=counts)
    row, kept = np.repeat(np.arange(len(starts)), np.diff(ends)), values >= 0 if none else slice(None)
    return Counts.from_sorted(row[kept], values[kept], counts[kept], (len(starts), width))


@dataclass(frozen=True, eq=False, slots=True)
class ValuePlaces:
    """The positions of packed sensitive values in the domain; −1 for the one that means no value."""

    values: Integers  # those that occur, rising
    places: Integers
    table: Integers | None  # place by value, where there are not too many

    @classmethod
    def build(cls, values: Integers, places: Integers, width: int) -> ValuePlaces:
        """Look up `places` by `values`, which are below `width`."""
        # a table of 2^20 places takes 8 MB; beyond that, a search among the values that occur
        if width > DENSE_VALUES:
            return cls(values, places, None)
        table = np.full(width, -1, np.int64)
        table[values] = places
        return cls(values, places, table)

    def look_up(self, values: Integers) -> Integers:
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
