"""A table with any number of keys, streamed key by key in order and never held.

    `sort_rows`   ──▶ packed rows, sorted (`SortedRuns`) ──▶ blocks of whole keys, in the order of the keys
    `split_stream`    rows (key, cell of several values) ──▶ rows (key, value), and the people of each key
    `roll_up_stream`  the same keys, published more coarsely: another stream, never held either

Totals are stored beside the keys: how often each value occurs, how many rows were left out and why.  So the first block
can be compared with them, and blocks are numbered as the keys of a `Table` are.

Invariant   The blocks put together are the table that `tabulate` makes of the same rows by the same roles, and after
            `split_stream` the one that `split_cells` makes.
Symbols     key q = (c_1, …, c_m) by codes; r_j maps the labels of column j to fewer; q' = (r_1(c_1), …, r_m(c_m)).
Roll-up     n_q'(x) = Σ n_q(x) over the keys q that become q'; nobody has two keys, so people add up like counts do.
Order       packed words order rows as codes do, so that the new keys come in the order of the new labels.
Bound       Keys that differ within a run differ in all: a run with more than `most_keys` keys ends the roll-up (None).
Slots       Let h send every new key to one of some slots.  A slot with fewer than k people has only keys with fewer
            than k: all its people are in groups that are too small.  Sums over slots need no sort and no file.
Cost        a division, a look-up and a sum per row and column that changes, and a sort; unchanged neighbours move
            together.  Equal rows are merged run by run, before they are written; if there can be few distinct rows,
            they are counted in an array.

Columns that are *carried along* (a ward, a survey wave, a sampling weight) are published unchanged, beside what was
protected: no limit judges them, and they are not part of the keys.  A table stores them for each key and value; an
attacker who knows them can tell people of a group apart, and the number of people whom they single out
(`count_unique`) is reported wherever the release is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from sidelight.ahead import ahead
from sidelight.arrays import MULTIPLIER, Codes, Integers, add_up, number_rows, run_starts, sum_runs
from sidelight.errors import BadTable, parameter
from sidelight.streams.sorted_runs import Batch, Packing, SortedRuns, Words, concatenate_batches
from sidelight.table.cell_lists import CellLists, intake_of_lists
from sidelight.table.labels import Column, Label, Semantics, as_number, number_equal_rows
from sidelight.table.table import CarriedColumns, Counts, Intake, Table
from sidelight.text import fraction_in

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory
    from sidelight.table.roles import Roles

Summed = TypeVar("Summed")

DENSE_VALUES = 1 << 20
"""The most values, or combinations of them, that are looked up in an array (8 MB)."""

COUNTED_BY_ARRAY = 1 << 22
"""The most possible rows that are counted in an array: several times faster than sorting the actual ones."""

MOST_SLOTS = 1 << 24
"""The most sums that are kept to find groups that are too small before anything is sorted."""

CHANGED = "the rows changed while they were read; read them again when nobody writes to them"

Relabelling: TypeAlias = tuple[tuple[Label, ...], Codes]
"""New labels, and the index of the new one for each old label."""

ReportRows: TypeAlias = Callable[[int, int], None]
"""Called with the number of rows that are read, and of all."""


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
        """Unpack the columns of some keys; for all of them this costs as much as the rest of an audit."""
        return self.stream.columns_of(self.stream.packing.key_codes([word[rows] for word in self.keys]))


@dataclass(frozen=True, eq=False, slots=True)
class KeyStream:
    """A table's totals and roles, and its keys in blocks."""

    roles: Roles
    packing: Packing
    domain: tuple[Label, ...]
    totals: Integers  # how often each value of the domain occurs
    people: int
    intake: Intake
    entries: SortedRuns
    people_per_key: SortedRuns | None  # if people have several rows; else the counts of a key add up to its people
    value_indices: ValueIndices
    typed_roles: Roles  # with the kinds that follow from the types of columns
    texts: frozenset[str]  # the columns that are text by their type
    weight_per_key: SortedRuns | None = None  # in `WEIGHT_UNIT`s, where there are sampling weights
    weight: int = 0  # of all people
    first: int = 1  # number of the first key, after those of other streams

    @property
    def semantics(self) -> Semantics:
        """Return whether people have one value or several."""
        return self.roles.values or "single"

    @property
    def spilled(self) -> int:
        """The bytes in temporary files."""
        return sum(runs.spilled for runs in (self.entries, self.people_per_key, self.weight_per_key) if runs)

    def columns_of(self, codes: list[Any]) -> tuple[Column, ...]:
        """Build columns of the quasi-identifiers from their codes."""
        named = zip(self.roles.quasi, self.packing.labels, codes, strict=False)
        return tuple(Column(name, labels, code, self.roles.kind_of(name)) for name, labels, code in named)

    def blocks(self) -> Iterator[KeyBlock]:
        """Yield all keys in order; may be called repeatedly."""
        first = self.first
        people, weights = (
            None if runs is None else _queue(runs) for runs in (self.people_per_key, self.weight_per_key)
        )
        for words, counts, keys, starts in whole_keys(self.entries, self.packing):
            values = self.value_indices.look_up(self.packing.values(words, keys))
            distinct = [word[starts] for word in keys]
            matrix = _matrix(starts, values, counts, len(self.domain))
            # both streams are sorted by the same packed keys, so the next people belong to exactly these keys
            sizes = matrix.per_row() if people is None else people(distinct)
            yield KeyBlock(self, first, distinct, sizes, matrix, None if weights is None else weights(distinct))
            first += len(starts)

    def sizes(self) -> Iterator[Integers]:
        """Yield the people of all keys, in order, some at a time."""

        def list_sizes(local: KeyStream) -> Iterator[Integers]:
            if local.people_per_key is not None:
                return (people for _, people in local.people_per_key.batches())
            return (sum_runs(counts, starts) for _, counts, _, starts in whole_keys(local.entries, local.packing))

        return self.gather(list_sizes)

    def reduce(
        self,
        summarise: Callable[[KeyBlock], Summed],
        merge: Callable[[Summed, Summed], Summed],
        enough: Callable[[Summed], bool] | None = None,
    ) -> Summed:
        """Summarise each block where it is, and merge the summaries in the order of keys, until they are enough."""

        def ask(local: KeyStream) -> Summed:
            parts = map(summarise, ahead(local.blocks()))
            merged = next(parts)
            for part in () if enough and enough(merged) else parts:
                merged = merge(merged, part)
                if enough and enough(merged):
                    break
            return merged

        return self.spread(ask, merge)

    def spread(self, ask: Callable[[KeyStream], Summed], merge: Callable[[Summed, Summed], Summed]) -> Summed:
        """Ask a question where the keys are, here or in each executor, and merge the answers."""
        return ask(self)

    def gather(self, ask: Callable[[KeyStream], Iterable[Summed]]) -> Iterator[Summed]:
        """Ask a question where the keys are, and yield the parts of its answers."""
        yield from ask(self)

    def strip_keys(self) -> KeyStream:
        """Return the stream without keys, to be sent to where they are."""
        return self

    def brought_here(self, memory: Memory) -> KeyStream:
        """Return a stream whose keys are in this process, or in its temporary files."""
        return self

    @property
    def here(self) -> bool:
        """Return whether keys are in this process."""
        return True

    @property
    def rows_held(self) -> int:
        """Return the number of stored rows, without those of people."""
        return self.entries.rows

    def tabulate(self, words: Words, counts: Integers, people: Integers | None) -> Table:
        """Build the table of distinct rows, in order; its columns have all packed labels."""
        keys = self.packing.keys(words)
        new = run_starts(keys)
        distinct = [word[new] for word in keys]
        value = self.value_indices.look_up(self.packing.values(words, keys))
        # `row`, `value`: (entries,), sorted by key; an entry without a value still makes a row of the matrix
        row = np.cumsum(new) - 1
        if (value < 0).any():
            row, counts, value = (each[value >= 0] for each in (row, counts, value))
        matrix = Counts.from_sorted(row, value, counts, (len(distinct[0]), len(self.domain)))
        sizes = matrix.per_row() if people is None else people
        sizes.flags.writeable = False
        quasi, sensitive = self.columns_of(self.packing.key_codes(distinct)), ", ".join(self.roles.value_columns)
        return Table(quasi, sensitive, self.domain, sizes, matrix, self.semantics, self.intake)

    def hold(self) -> Table:
        """Return all keys as a table, with the labels that occur."""
        people, weights = (
            None if runs is None else concatenate_batches([*runs.batches(runs.rows)])[1]
            for runs in (self.people_per_key, self.weight_per_key)
        )
        table = self.tabulate(*concatenate_batches([*self.entries.batches(self.entries.rows)]), people)
        return replace(table, quasi=tuple(column.compact() for column in table.quasi), weights=weights)

    def count(self) -> int:
        """Count the keys by reading them."""
        return sum(map(len, self.blocks()))

    def first_columns(self) -> tuple[Column, ...]:
        """Return the columns of the first key."""
        return next(self.blocks()).columns(slice(0, 1))


def whole_keys(entries: SortedRuns, packing: Packing) -> Iterator[tuple[Words, Integers, Words, Integers]]:
    """Cut sorted entries at ends of keys; yield words, counts, words without the value, and the starts of keys."""
    rest: Batch | None = None
    for batch in entries.batches():
        # invariant: `rest` holds all entries of the last key, which may go on in this batch
        words, counts = batch if rest is None else concatenate_batches([rest, batch])
        keys = packing.keys(words)
        starts = np.flatnonzero(run_starts(keys))
        # the last key is held back; if it is the only one, nothing is yielded yet
        last = int(starts[-1])
        if last:
            yield [word[:last] for word in words], counts[:last], [key[:last] for key in keys], starts[:-1]
        rest = [word[last:] for word in words], counts[last:]
    if rest is not None:
        yield *rest, packing.keys(rest[0]), np.array([0])


def _matrix(starts: Integers, values: Integers, counts: Integers, width: int) -> Counts:
    """Build the matrix of sorted entries; an entry with the value −1 makes a key with a count of 0."""
    # a quarter full: the share from which `Counts.from_sorted` stores all cells
    none, dense = bool((values < 0).any()), len(values) * 4 >= len(starts) * width
    # `starts` with its end is the row pointer of a sparse matrix: the entries are used as they are, without sorting
    ends = np.append(starts, len(values))
    if not (none or dense):
        return Counts((len(starts), width), starts=ends, where=values.astype(np.int32), data=counts)
    row, kept = np.repeat(np.arange(len(starts)), np.diff(ends)), values >= 0 if none else slice(None)
    return Counts.from_sorted(row[kept], values[kept], counts[kept], (len(starts), width))


@dataclass(frozen=True, eq=False, slots=True)
class ValueIndices:
    """The indices of packed sensitive values in the domain; −1 for no value."""

    values: Integers  # those that occur, rising
    indices: Integers
    table: Integers | None  # index by value, unless there are too many

    @classmethod
    def build(cls, values: Integers, indices: Integers, width: int) -> ValueIndices:
        """Map `values`, which are below `width`, to `indices`."""
        if width > DENSE_VALUES:
            return cls(values, indices, None)
        table = np.full(width, -1, np.int64)
        table[values] = indices
        return cls(values, indices, table)

    def look_up(self, values: Integers) -> Integers:
        """Return the indices of packed values."""
        if self.table is not None:
            return self.table[values]
        at = np.searchsorted(self.values, values)
        occurs = np.take(self.values, at, mode="clip") == values
        return np.where(occurs, np.take(self.indices, at, mode="clip"), -1)


def _queue(runs: SortedRuns) -> Callable[[Words], Integers]:
    """Return a function that takes the amounts of the next keys, a block at a time."""
    batches = runs.batches()
    waiting: Batch = [np.zeros(0, np.int64)] * runs.words, np.zeros(0, np.int64)

    def take(keys: Words) -> Integers:
        nonlocal waiting
        many = len(keys[0])
        while len(waiting[1]) < many:
            waiting = concatenate_batches([waiting, next(batches)])
        words, amounts = waiting
        if not all(np.array_equal(own[:many], key) for own, key in zip(words, keys, strict=True)):
            raise BadTable(CHANGED)
        waiting = [word[many:] for word in words], amounts[many:]
        return amounts[:many]

    return take


def split_stream(stream: KeyStream, roles: Roles, separator: str, memory: Memory) -> KeyStream:
    """Split the cells of a stream with one cell per person, by complete `roles`; its keys come to this process."""
    stream = stream.brought_here(memory)
    old, weights = stream.packing, stream.weight_per_key
    lists = CellLists.split(stream.domain, separator, roles)
    rows = lists.count_valueless(stream.totals, roles, weighed=weights is not None)
    lists = lists.declare(roles)
    dropped = rows if roles.missing == "drop" else 0
    labels, indices = lists.values, np.arange(len(lists.values))
    if rows and not dropped:  # people without a value make keys too, by a value with a count of 0
        # `begin`: (cells,); an empty cell begins where its single new code, after all others, is to be inserted
        begin = np.cumsum(lists.lengths) - lists.lengths
        codes = np.insert(lists.codes, begin[lists.empty], len(lists.values))
        lists, labels = replace(lists, lengths=np.maximum(lists.lengths, 1), codes=codes), (*labels, None)
        indices = np.append(indices, -1)
    new = Packing((*old.labels[:-1], labels))
    words = len(new.layout)
    entries, people = (SortedRuns(words, memory.rows_to_sort(words) // 2 or 1) for _ in range(2))
    for batch, counts in stream.entries.batches():
        keys = old.keys(batch)
        cell, key_codes = stream.value_indices.look_up(old.values(batch, keys)), old.key_codes(keys)
        # entry, value: (values of all cells,); `entry` repeats a row for each value in its cell
        entry, value = lists.split_entries(cell)
        entries.add(new.pack([*(code[entry] for code in key_codes), value]), counts[entry])
        kept = np.flatnonzero(lists.lengths[cell])  # dropped people, whose cell is empty, are not counted
        people.add(new.pack_keys([code[kept] for code in key_codes], len(kept)), counts[kept])
    weighed = None if weights is None else SortedRuns(words, memory.rows_to_sort(words))
    for keys, amount in weights.batches() if weights is not None else ():
        assert weighed is not None
        weighed.add(new.pack_keys(old.key_codes(keys), len(amount)), amount)
    cell, value = lists.split_entries(np.arange(len(stream.domain)))
    return replace(
        stream,
        roles=roles,
        typed_roles=replace(roles, kinds=stream.typed_roles.kinds),
        packing=new,
        domain=lists.values,
        totals=add_up(value, stream.totals[cell], len(labels))[indices >= 0],
        people=stream.people - dropped,
        intake=intake_of_lists(stream.intake, roles, rows),
        entries=entries,
        people_per_key=people,
        value_indices=ValueIndices.build(np.arange(len(labels)), indices, new.width),
        weight_per_key=weighed,
    )


def do_not_report(rows: int, of_rows: int) -> None:
    """Report nothing."""


def roll_up_stream(
    stream: KeyStream,
    columns: Sequence[Relabelling | None],
    memory: Memory,
    *,
    most_keys: int | None = None,
    reading: ReportRows = do_not_report,
) -> KeyStream | None:
    """Recode some columns of a stream (None: unchanged); return None if it has more than `most_keys` keys."""
    step = _Step.build(stream, columns, reading)
    entries = step.roll_up_entries(stream, memory, most_keys)
    if entries is None:
        return None
    people, weights = (
        None if each is None else step.roll_up_amounts(each, memory)
        for each in (stream.people_per_key, stream.weight_per_key)
    )
    recoded = {name for name, new in zip(stream.roles.quasi, columns, strict=True) if new is not None}
    # a declared kind describes the old labels; coarser ones may be of another
    kinds = tuple(each for each in stream.roles.kinds if each[0] not in recoded)
    roles = replace(stream.roles, kinds=kinds)
    return replace(
        stream, roles=roles, packing=step.new, entries=entries, people_per_key=people, weight_per_key=weights
    )


def people_surely_below(
    stream: KeyStream,
    columns: Sequence[Relabelling | None],
    memory: Memory,
    least: int,
    *,
    reading: ReportRows = do_not_report,
) -> int:
    """Return a lower bound, by one pass, of the people in groups of fewer than `least` in a coarser stream."""
    step = _Step.build(stream, columns, reading)
    per_key, bits = stream.people_per_key, min(MOST_SLOTS, memory.to_count // 8).bit_length() - 1
    people = np.zeros(1 << bits, np.int64)
    recoded = step.pack_anew(stream.entries) if per_key is None else step.pack_amounts_anew(per_key)
    for words, amounts in recoded:
        keys = step.new.keys(words) if per_key is None else words
        mixed = np.zeros(len(keys[0]), np.uint64)
        for key in keys:
            mixed = (mixed + key.view(np.uint64)) * np.uint64(MULTIPLIER)  # overflows on purpose: modulo 2**64
        np.add.at(people, (mixed >> np.uint64(64 - bits)).astype(np.int64), 1 if amounts is None else amounts)
    # keys that collide only make a slot larger: every person in a small slot is in a small group, never the reverse
    return int(people[people < least].sum())


@dataclass(frozen=True)
class _Step:
    """The way from one packing to another."""

    old: Packing
    new: Packing
    columns: Sequence[Relabelling | None]
    reading: ReportRows = do_not_report

    @classmethod
    def build(cls, stream: KeyStream, columns: Sequence[Relabelling | None], reading: ReportRows) -> _Step:
        old = stream.packing
        quasi = old.labels[: -old.sensitive]
        labels = (before if new is None else new[0] for before, new in zip(quasi, columns, strict=True))
        return cls(old, Packing((*labels, *old.value_labels), old.sensitive), columns, reading)

    def roll_up_entries(self, stream: KeyStream, memory: Memory, most_keys: int | None) -> SortedRuns | None:
        def are_too_many(words: Words | None) -> bool:
            """Return whether the distinct rows of a run have more keys than allowed."""
            if words is None or most_keys is None:
                return False
            return bool(np.count_nonzero(run_starts(self.new.keys(words))) > most_keys)

        runs = self._runs(stream.entries, memory)
        below = prod(max(len(labels), 1) for labels in self.new.labels)
        # with "no value" a row with a count of 0 still makes a key, which an array of sums could not show
        if below <= COUNTED_BY_ARRAY and stream.roles.missing != "no value":
            total = self._count_by_array(stream.entries, below)
            rows = np.flatnonzero(total)
            runs.add([rows], total[rows])
            return None if are_too_many([rows]) else runs
        recoded = self.pack_anew(stream.entries)
        return None if any(are_too_many(runs.add(*some)) for some in recoded) else runs

    def _count_by_array(self, entries: SortedRuns, below: int) -> Integers:
        """Add up the counts of rows of one word, all below `below`."""
        total = np.zeros(below, np.int64)
        for (word,), counts in self.pack_anew(entries):
            # bincount touches all `below` sums for each batch, which pays only where the batch is about as long
            if below <= 4 * len(word):
                total += np.bincount(word, minlength=below) if counts is None else add_up(word, counts, below)
            else:
                np.add.at(total, word, 1 if counts is None else counts)
        return total

    def pack_anew(self, entries: SortedRuns) -> Iterator[tuple[Words, Integers | None]]:
        """Yield all rows in the new packing, in any order; without counts if each counts once."""
        done, rows = 0, entries.rows
        # rows that count once are sorted faster without their counts
        recoded = (
            (self.repack(words), None if (counts == 1).all() else counts) for words, counts in entries.read_unordered()
        )
        for words, counts in ahead(recoded):
            yield words, counts
            done += len(words[0])
            self.reading(done, rows)

    def pack_amounts_anew(self, per_key: SortedRuns) -> Iterator[Batch]:
        """Yield the amounts of keys, by their new keys."""
        for keys, amounts in per_key.read_unordered():
            words = [*keys[:-1], keys[-1] * self.old.width]  # as if they had the first value
            yield self.new.keys(self.repack(words)), amounts

    def roll_up_amounts(self, per_key: SortedRuns, memory: Memory) -> SortedRuns:
        """Add up the amounts of keys: people, or weights."""
        runs = self._runs(per_key, memory)
        for keys, amounts in self.pack_amounts_anew(per_key):
            runs.add(keys, amounts)
        return runs

    def _runs(self, like: SortedRuns, memory: Memory) -> SortedRuns:
        words = len(self.new.layout)
        return SortedRuns(words, memory.rows_to_sort(words), like.rows_in_all)

    def repack(self, words: Words) -> Words:
        """Pack rows anew, without unpacking columns that stay or have a single label."""
        packed: list[Integers | None] = [None] * len(self.new.layout)
        for word, share_of in self.shares:
            before, added = packed[word], share_of(words)
            packed[word] = added if before is None else before + added
        return [np.zeros(len(words[0]), np.int64) if word is None else word for word in packed]

    @cached_property
    def shares(self) -> list[tuple[int, Callable[[Words], Integers]]]:
        """The share of each run of columns in a new word: unchanged neighbours together, none of a single label."""
        # the word of each column, before and after
        word_of, new_word_of = (
            [word for word, held in enumerate(packing.layout) for _ in held] for packing in (self.old, self.new)
        )
        recodes = [*self.columns, *[None] * self.old.sensitive]

        def is_moved_with(at: int) -> bool:
            """Return whether a column stays, and so did the one before, in the same words."""
            stays = at > 0 and recodes[at - 1] is recodes[at] is None
            return stays and (word_of[at - 1], new_word_of[at - 1]) == (word_of[at], new_word_of[at])

        starts = [at for at in range(len(recodes)) if not is_moved_with(at)]
        runs = [(first, after - 1) for first, after in pairwise((*starts, len(recodes)))]
        return [
            (new_word_of[last], self._adding(first, last, word_of[last], recodes[last]))
            for first, last in runs
            if (recode := recodes[last]) is None or len(recode[0]) != 1
        ]

    def _adding(self, first: int, last: int, word: int, recode: Relabelling | None) -> Callable[[Words], Integers]:
        """Return the share of columns `first` to `last` in a new word: (word // weight) mod radix, looked up."""
        weight, new_weight = self.old.weights()[last], self.new.weights()[last]
        radix = prod(max(len(labels), 1) for labels in self.old.labels[first : last + 1])
        leads = self.old.layout[word][0] == first  # whether no column precedes them in the word
        table = None if recode is None else recode[1].astype(np.int64) * new_weight

        def share_of(words: Words) -> Integers:
            digits = words[word] if weight == 1 else words[word] // weight
            # digits // weight still has the columns before it, unless it leads its word: the radix takes them off
            if not leads:
                digits = digits - digits // radix * radix
            return digits * new_weight if table is None else table[digits]

        return share_of


def carry(finer: Table, columns: int) -> Table:
    """Move the last columns of a table from its keys to its carried columns.

    >>> import pyarrow as pa
    >>> from sidelight.engines.read import read_table
    >>> rows = pa.table({"age": ["30", "30"], "ward": ["A", "B"], "ill": ["Flu", "Flu"]})
    >>> table = carry(read_table(rows, quasi=["age", "ward"], sensitive="ill"), 1)
    >>> len(table.sizes), [table.carried.columns[0].cell(row) for row in (0, 1)]
    (1, ['A', 'B'])
    """
    # not [-columns:], which for 0 columns would be all of them
    kept, quasi = finer.quasi[len(finer.quasi) - columns :], finer.quasi[: len(finer.quasi) - columns]
    key, first = number_equal_rows(quasi, len(finer.sizes))
    # (entries,) each: an entry is a finer key and a value, which is as much as a carried cell can depend on
    row, value, count = finer.counts.entries()
    return replace(
        finer,
        quasi=tuple(column.take(first) for column in quasi),
        sizes=add_up(key, finer.sizes, len(first)),
        counts=finer.counts.roll_up(key, groups=len(first)),
        # `key[row]` maps entries from the finer keys to those that stay
        carried=CarriedColumns(tuple(column.take(row) for column in kept), key[row], value, count),
    )


def count_unique(carried: CarriedColumns, group: Integers, columns: Sequence[str] | None = None) -> int:
    """Count the people who are unique in their group by some of the carried columns (default: all).

    `group` is that of each entry; −1: its cells are not printed.
    """
    there = np.flatnonzero(group >= 0)
    named = [column for column in carried.columns if columns is None or column.name in columns]
    # people are unique where group and cells together occur for a single person
    codes = [group[there], *(column.codes[there].astype(np.int64) for column in named)]
    sizes = [int(group.max(initial=0)) + 1, *(len(column.labels) for column in named)]
    number, first = number_rows(codes, sizes, rows=len(there))
    people = add_up(number, carried.count[there], len(first))
    return int((people == 1).sum())


WEIGHT_UNIT = 10**6
"""Weights are added up in millionths, so that sums do not depend on the order; smaller parts are cut off."""


def refuse_too_heavy(name: str, people: float) -> None:
    """Raise `BadTable` if weights add up to too many people."""
    if people > 10**12:
        raise BadTable(f"the weights in '{name}' add up to more people than ever lived; give how many each stands for")


def weights(column: Column, people: Integers) -> Integers:
    """Return the weight of `people` by each entry's weight, in `WEIGHT_UNIT`s; weights are numbers of at least 0.

    >>> weights(Column.of("weight", ["1.5", "20", "1.5"]), np.array([1, 1, 2])).tolist()
    [1500000, 20000000, 3000000]
    """
    column = column.compact()
    numbers = [as_number(text) for text in column.labels]
    written = [None if text is None else fraction_in(text.strip()) for text in column.labels]
    if any(number is None or number < 0 for number in (*numbers, *written)):
        raise BadTable(
            f"{parameter('weight')} is '{column.name}', where cells are missing, negative or no numbers; "
            "give everybody a number of at least 0"
        )
    with np.errstate(over="ignore"):  # infinitely many are refused, too
        refuse_too_heavy(column.name, float(np.array(numbers, float)[column.codes] @ people))
    # by fractions, not floats: 1.001 · 10⁶ as a float would be cut off to 1,000,999
    units = [int(number * WEIGHT_UNIT) for number in written if number is not None]
    return np.array(units, np.int64)[column.codes] * people
