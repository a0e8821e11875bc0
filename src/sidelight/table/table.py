"""A table about people: keys of quasi-identifiers, and how often each sensitive value occurs.

`Table`       one row per key (distinct combination of quasi-identifier values), with its people and its counts.
`Counts`      how often each value occurs in each row: one matrix of whole numbers, dense or sparse by its shape.
`Profiles`    rows of people with the same values, if people have several.
`Intake`      the record of reading: rows that were dropped, and why.
`TrueCounts`  true values by group: never published.
`Events`      rows about people who may have several, in several groups (visits, purchases), to be counted with noise.

All are frozen, and so are their arrays; a table of a hundred million people is as large as its keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers, add_up, first_of_equal_runs, number_keys, number_rows, ranges
from sidelight.errors import BadTable, expect, in_python, listed, parameter
from sidelight.table.labels import (
    Column,
    JointDomain,
    Label,
    Semantics,
    check_sensitive,
    find_column,
    number_equal_rows,
    word_values,
)
from sidelight.text import counted, form, html_table

# Store all cells when at least this share of them is positive (a sparse entry costs twice a cell)
DENSE_FROM = 0.25

# The most cells of a dense block (8 MB)
CELLS_AT_ONCE = 1 << 20

# The number of values above which sparse rows are not made dense if that can be avoided
WIDE_FROM = 1 << 10

# The largest sum of counts: beyond 2**63, int64 wraps around without an error
MOST_PEOPLE = 2**62


def exact_sum(amounts: Integers) -> int:
    """Add up whole numbers exactly, also beyond int64; a sum in floats shows where int64 would wrap around."""
    # the float may be wrong in its last digits, never by a factor of 2, which is the margin below the limit
    return int(amounts.sum()) if amounts.sum(dtype=np.float64) < MOST_PEOPLE / 2 else sum(amounts.ravel().tolist())


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """Whole numbers ≥ 0, one row per group, one column per value.

    Sparse (CSR): row r has `data[starts[r]:starts[r+1]]` at the values `where[...]`, each value once, in any order.
    Dense: `cells`.  Exactly one of the two is stored; methods hide which.

    >>> counts = Counts.from_entries(rows=[0, 0, 1], values=[0, 2, 1], counts=[2, 1, 3], shape=(2, 3))
    >>> counts.row(0).tolist(), counts.column(1).tolist(), counts.totals().tolist()
    ([2, 0, 1], [0, 3], [2, 3, 1])
    >>> counts.roll_up(np.array([0, 0]), groups=1).row(0).tolist()
    [2, 3, 1]
    >>> counts
    <Counts: 2 rows × 3 values, dense>
    """

    shape: tuple[int, int]
    cells: Integers | None = None
    starts: Integers | None = None
    where: npt.NDArray[np.int32] | None = None
    data: Integers | None = None

    def __post_init__(self) -> None:
        for array in (self.cells, self.starts, self.where, self.data):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        form_kept = "sparse" if self.cells is None else "dense"
        return f"<Counts: {counted(self.rows, 'row')} × {counted(self.width, 'value')}, {form_kept}>"

    @classmethod
    def from_cells(cls, cells: npt.ArrayLike) -> Counts:
        """Store a full matrix, dense or sparse by its share of zeros."""
        full = np.array(cells, dtype=np.int64, ndmin=2)
        if np.count_nonzero(full) >= DENSE_FROM * full.size:
            return cls(full.shape, cells=full)
        rows, values = np.nonzero(full)
        return cls.from_sorted(rows, values, full[rows, values], full.shape)

    @classmethod
    def from_entries(
        cls, rows: npt.ArrayLike, values: npt.ArrayLike, counts: npt.ArrayLike, shape: tuple[int, int]
    ) -> Counts:
        """Add up entries given in any order."""
        rows, values = np.asarray(rows, np.int64), np.asarray(values, np.int64)
        amounts = np.asarray(counts, np.int64)
        # few cells cost about as much as the entries: they are summed in place instead of numbering the entries
        if shape[0] * shape[1] <= max(len(rows) / DENSE_FROM, 4096):
            return cls.from_cells(add_up(rows * shape[1] + values, amounts, shape[0] * shape[1]).reshape(shape))
        keys = rows * shape[1] + values
        number, first = number_keys(keys, below=shape[0] * shape[1])
        key, summed = keys[first], add_up(number, amounts, len(first))
        # invariant: sparse entries are positive, so `starts` counts the values that occur
        kept = summed > 0
        return cls.from_sorted(key[kept] // shape[1], key[kept] % shape[1], summed[kept], shape)

    @classmethod
    def from_sorted(
        cls, rows: npt.NDArray[np.integer], values: npt.NDArray[np.integer], counts: Integers, shape: tuple[int, int]
    ) -> Counts:
        """Store positive entries sorted by row, each (row, value) once."""
        if len(rows) >= DENSE_FROM * shape[0] * shape[1]:
            full = np.zeros(shape, np.int64)
            full[rows, values] = counts
            return cls(shape, cells=full)
        # row r has the entries starts[r] … starts[r + 1] − 1, as in compressed sparse rows
        starts = np.zeros(shape[0] + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=shape[0]), out=starts[1:])
        return cls(shape, starts=starts, where=values.astype(np.int32), data=counts.astype(np.int64))

    @property
    def rows(self) -> int:
        """The number of groups."""
        return self.shape[0]

    @property
    def width(self) -> int:
        """The number of values."""
        return self.shape[1]

    @property
    def positive(self) -> int:
        """The number of positive counts."""
        return int(np.count_nonzero(self.cells)) if self.cells is not None else len(self._sparse()[2])

    @property
    def most_in_a_row(self) -> int:
        """The largest number of distinct values in one row; 0 without rows."""
        return int(self.occurring_per_row().max(initial=0))

    def _sparse(self) -> tuple[Integers, npt.NDArray[np.int32], Integers]:
        """Return the arrays (starts, where, data) of sparse counts."""
        assert self.starts is not None and self.where is not None and self.data is not None  # noqa: PT018
        return self.starts, self.where, self.data

    def sum(self) -> int:
        """Add up all counts.

        >>> Counts.from_cells([[2**61, 2**61 - 1]]).sum() == 2**62 - 1, Counts.from_cells([[2**62] * 4]).sum() == 2**64
        (True, True)
        """
        return exact_sum(self.cells if self.cells is not None else self._sparse()[2])

    def entries(self) -> tuple[Integers, Integers, Integers]:
        """Return all positive counts as (row, value, count), sorted by row."""
        if self.cells is not None:
            rows, values = np.nonzero(self.cells)
            return rows, values, self.cells[rows, values]
        starts, where, data = self._sparse()
        return np.repeat(np.arange(self.rows), np.diff(starts)), where.astype(np.int64), data

    def dense(self) -> Integers:
        """Return all cells.  For blocks; a whole release may be too large for it."""
        return self.cells if self.cells is not None else self._fill(np.zeros(self.shape, np.int64))

    def _fill(self, zeros: Integers) -> Integers:
        rows, values, counts = self.entries()
        zeros[rows, values] = counts
        return zeros

    def spread_out(self) -> Counts:
        """Return dense counts with the cells of a value side by side, which makes sums over values 3 times as fast."""
        if self.cells is not None:
            return Counts(self.shape, cells=np.asfortranarray(self.cells))
        # made transposed: shape (rows, width), with the cells of a value next to each other in memory
        return Counts(self.shape, cells=self._fill(np.zeros((self.width, self.rows), np.int64).T))

    def blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks small enough to be dense."""
        step = max(CELLS_AT_ONCE // max(self.width, 1), 1)
        for start in range(0, self.rows, step):
            yield slice(start, min(start + step, self.rows))

    @property
    def is_wide(self) -> bool:
        """Whether the matrix is sparse with so many values that dense rows would take longest."""
        return self.cells is None and self.width > WIDE_FROM

    def packed(self) -> Integers:
        """Return the positive counts, (rows, most in a row), padded by zeros, without their values."""
        return self.largest(self.most_in_a_row) if self.cells is None else self.cells

    def occurring_per_row(self) -> Integers:
        """Return the number of distinct values of each row."""
        occurring: Integers = np.diff(self._sparse()[0]) if self.cells is None else np.count_nonzero(self.cells, axis=1)
        return occurring

    def packed_blocks(self) -> Iterator[slice | Integers]:
        """Cut the rows into blocks small enough to be packed, of rows with about as many values.

        >>> counts = Counts.from_entries([0, 2, 2, 2], [0, 1, 2, 3], [1] * 4, (3, 9999))
        >>> [rows.tolist() for rows in counts.packed_blocks()]
        [[1], [0], [2]]
        """
        if self.cells is not None:
            yield from self.blocks()
            return
        lengths = self.occurring_per_row()
        order = np.argsort(lengths, kind="stable")
        # lengths of a block differ by less than a factor of 2, so that padding at most doubles what is held
        classes = np.frexp(lengths[order])[1]
        for start, stop in pairwise([0, *(np.flatnonzero(np.diff(classes)) + 1).tolist(), self.rows]):
            step = max(CELLS_AT_ONCE // max(int(lengths[order[stop - 1]]), 1), 1) if stop > start else 1
            for first in range(start, stop, step):
                yield order[first : min(first + step, stop)]

    def row(self, row: int) -> Integers:
        """Return the counts of one group."""
        counts: Integers = self.take(slice(row, row + 1)).dense()[0]
        return counts

    def occurring(self, row: int) -> tuple[Integers, Integers]:
        """Return the values that occur in one group, in rising order, and their counts."""
        _, values, counts = self.take(slice(row, row + 1)).entries()
        order = np.argsort(values)
        return values[order], counts[order]

    def column(self, value: int) -> Integers:
        """Return the counts of one value in all groups."""
        full = np.zeros(self.rows, np.int64) if self.cells is None else self.cells[:, value]
        if self.cells is None:
            rows, values, counts = self.entries()
            full[rows[values == value]] = counts[values == value]
        return full

    def totals(self) -> Integers:
        """Add up each value over all groups."""
        if self.cells is None:
            return add_up(*self._sparse()[1:], self.width)
        totals: Integers = self.cells.sum(axis=0)
        return totals

    def per_row(self) -> Integers:
        """Add up each group over all values."""
        if self.cells is not None:
            sums: Integers = self.cells.sum(axis=1)
            return sums
        starts, _, data = self._sparse()
        # Differences of prefix sums, as `np.add.reduceat` would be wrong for rows without entries.
        return np.diff(np.concatenate(([0], np.cumsum(data)))[starts])

    def largest(self, many: int) -> Integers:
        """Return the `many` largest counts of each row, falling: (rows, many); zeros where a row has fewer values."""
        largest = np.zeros((self.rows, many), np.int64)
        if self.cells is not None:
            opposite = -self.cells  # NumPy partitions and sorts rising only, so signs are turned
            if 4 * many < self.width:  # sorting all of a wide row costs more than a partition first
                opposite = np.partition(opposite, many - 1, axis=1)[:, :many]
            falling = -np.sort(opposite, axis=1)[:, :many]
            largest[:, : falling.shape[1]] = falling
            return largest
        rows, _, amounts = self.entries()
        order = np.lexsort((-amounts, rows))
        rows, amounts = rows[order], amounts[order]
        # sorted by row, then falling: the position less that of the row's first entry is the rank within the row
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = rank < many
        largest[rows[kept], rank[kept]] = amounts[kept]
        return largest

    def highest(self, values: npt.NDArray[np.integer]) -> Integers:
        """Return the largest count of each row among some values: (rows,).

        >>> Counts.from_cells([[1, 3, 2], [0, 0, 4]]).highest(np.array([0, 1])).tolist()
        [3, 0]
        """
        if len(values) == 1:
            return self.column(int(values[0]))
        chosen = self.only_values(values)
        if chosen.cells is not None:
            highest: Integers = chosen.cells.max(axis=1, initial=0)
            return highest
        rows, _, amounts = chosen.entries()
        highest = np.zeros(self.rows, np.int64)
        np.maximum.at(highest, rows, amounts)
        return highest

    def sort_by_frequency(self, row: int) -> list[int]:
        """List the values that occur in a row, the most frequent first; of equally frequent ones the first."""
        values, counts = self.occurring(row)
        falling: list[int] = values[np.argsort(-counts, kind="stable")].tolist()
        return falling

    def take(self, rows: npt.NDArray[np.integer] | slice) -> Counts:
        """Return some rows, in this order; the form (dense or sparse) stays."""
        if self.cells is not None:
            cells = self.cells[rows]
            return Counts(cells.shape, cells=cells)
        starts, where, data = self._sparse()
        inside: npt.NDArray[np.integer] | slice
        if isinstance(rows, slice) and rows.step in (None, 1):
            start, stop, _ = rows.indices(self.rows)
            # entries of neighbouring rows are neighbours: views, not copies, with `starts` counted from 0 again
            starts = starts[start : max(start, stop) + 1]
            inside, starts = slice(starts[0], starts[-1]), starts - starts[0]
        else:
            inside = np.arange(self.rows)[rows]
            if len(data) == self.rows and (np.diff(starts) == 1).all():
                # one value in each row, as if nearly all people differ: rows are entries
                starts = np.arange(len(inside) + 1)
            else:
                first, beyond = starts[inside], starts[inside + 1]
                starts = np.concatenate(([0], np.cumsum(beyond - first)))
                _, inside = ranges(first, beyond)
        return Counts((len(starts) - 1, self.width), starts=starts, where=where[inside], data=data[inside])

    def first_of_each_kind(self) -> Integers:
        """Return the first row of each kind, and perhaps few more: every row equals one of them, no later than itself.

        >>> Counts.from_cells([[2, 0, 1], [0, 3, 4], [2, 0, 1]]).first_of_each_kind().tolist()
        [0, 1]
        """
        if self.cells is None:
            return first_of_equal_runs(*self._sparse())
        rows, values, counts = self.entries()
        return first_of_equal_runs(np.searchsorted(rows, np.arange(self.rows + 1)), values, counts)

    def at_most(self, limits: Integers) -> Counts:
        """Cap the counts of each row by its limit."""
        if self.cells is not None:
            return Counts(self.shape, cells=np.minimum(self.cells, limits[:, np.newaxis]))
        rows, values, counts = self.entries()
        return Counts.from_entries(rows, values, np.minimum(counts, limits[rows]), self.shape)

    def roll_up(self, group: npt.NDArray[np.integer], *, groups: int) -> Counts:
        """Add up the rows of each new group: row r goes to `group[r]`."""
        rows, values, counts = self.entries()
        return Counts.from_entries(np.asarray(group)[rows], values, counts, (groups, self.width))

    def merge_values(self, code: npt.NDArray[np.integer], *, width: int) -> Counts:
        """Merge values: value x becomes `code[x]`, of `width` values.

        >>> Counts.from_cells([[2, 0, 1], [0, 3, 4]]).merge_values(np.array([0, 1, 0]), width=2).dense().tolist()
        [[3, 0], [4, 3]]
        """
        if self.cells is not None:
            merged = np.zeros((self.rows, width), np.int64)
            # a loop, because `merged[:, code] += cells` would add only one of several values that become one
            for value, joined in enumerate(np.asarray(code).tolist()):
                merged[:, joined] += self.cells[:, value]
            return Counts(merged.shape, cells=merged)
        rows, values, counts = self.entries()
        return Counts.from_entries(rows, np.asarray(code)[values], counts, (self.rows, width))

    def only_values(self, kept: npt.NDArray[np.integer]) -> Counts:
        """Return the columns of some values.

        >>> Counts.from_cells([[2, 0, 1], [0, 0, 4]]).only_values(np.array([0, 2])).dense().tolist()
        [[2, 1], [0, 4]]
        """
        if len(kept) == self.width:
            return self
        if self.cells is not None:
            cells = self.cells[:, kept]
            return Counts(cells.shape, cells=cells)
        new = np.full(self.width, -1)
        new[kept] = np.arange(len(kept))
        row, value, count = self.entries()
        # −1 marks values that are left out
        held = new[value] >= 0
        return Counts.from_entries(row[held], new[value[held]], count[held], (self.rows, len(kept)))


@dataclass(frozen=True, eq=False, slots=True)
class Profiles:
    """The values that people have in combination: `people[i]` people of key `key[i]` have those of row i of `counts`.

    Nobody is named, and people with the same key and values are one row.
    """

    key: Integers
    people: Integers
    counts: Counts  # how often one person of each row has each value

    def __len__(self) -> int:
        return len(self.key)

    def count(self, keys: int) -> Counts:
        """Count how often each value occurs among the people of each key, for `keys` keys."""
        row, value, count = self.counts.entries()
        return Counts.from_entries(self.key[row], value, count * self.people[row], (keys, self.counts.width))

    def counts_of_all(self) -> Integers:
        """Return how often each value occurs, over all people."""
        return self.count(int(self.key.max(initial=-1)) + 1).totals()

    def fit(self, table: Table) -> bool:
        """Return whether the counts of these people are those of a table."""
        keys, values = len(table.sizes), len(table.domain)
        if self.counts.width != values or (self.people <= 0).any() or (len(self) and int(self.key.max()) >= keys):
            return False
        # the table's are rebuilt as well, so that equal counts have one form and one order
        counts = Counts.from_entries(*table.counts.entries(), (keys, values))
        return np.array_equal(add_up(self.key, self.people, keys), table.sizes) and all(
            map(np.array_equal, self.count(keys).entries(), counts.entries())
        )


@dataclass(frozen=True, slots=True)
class Intake:
    """The record of reading rows: nothing is dropped without being counted here."""

    rows: int = 0
    columns_dropped: tuple[str, ...] = ()
    rows_without_value: int = 0  # dropped because the sensitive value was missing (missing="drop")
    rows_saying_no_value: int = 0  # their person counts, and has no value by this row (missing="no value")
    rows_without_person: int = 0  # left out because they have no person (`Events` only)
    rows_suppressed: int = 0  # left out because every published column was `*` (suppressed="leave out")
    repeats: int = 0  # repeated (person, value) rows that count once in `set`
    carried: tuple[str, ...] = ()  # columns that were published unchanged, beside what was judged
    singled_out: int = 0  # people who are unique in their group by these
    cell_separator: str | None = None  # a likely separator of several values in a cell, not declared
    missing_marks: tuple[str, ...] = field(default=(), compare=False, repr=False)  # texts that mean a missing cell
    files: tuple[Path, ...] = field(default=(), compare=False, repr=False)  # never to be written over
    source_notes: tuple[str, ...] = field(default=(), compare=False, repr=False)  # about cells of these files
    roles: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)  # person, missing, suppressed

    def notes(self) -> tuple[str, ...]:
        """Return notes about reading, one line each; empty if there are none.

        >>> Intake(rows=10, rows_without_value=2).notes()
        ('2 of 10 rows have no sensitive value and were dropped',)
        """
        return (*self._list_notes(), *self.source_notes)

    def _list_notes(self) -> Iterator[str]:
        from sidelight.table.roles import numbers_people  # noqa: PLC0415 - only notes need it, and all rooms need tables

        if self.columns_dropped:
            yield f"columns not used: {', '.join(self.columns_dropped)}"
        people = next(filter(numbers_people, self.columns_dropped), None)
        if people is not None and not {"person", "split"} & {*self.roles}:
            yield (
                f"each row is taken for a person; if '{people}' says whose rows they are and some people have several, "
                "groups have fewer people than is told here: name it with --person"
            )
        if self.carried:
            people = f"{self.singled_out:,} of {counted(self.rows, 'person')}"
            as_they_are = f"published as they are: {', '.join(self.carried)}"
            yield f"{as_they_are}; whoever knows them finds {people} alone in their group, and no limit judges that"
        yield from self._note_rows(self.rows_without_value, "{has} no sensitive value and {was} dropped")
        yield from self._note_rows(self.rows_without_person, "{has} no person and {was} left out")
        yield from self._note_rows(self.rows_saying_no_value, "{says} that a person has no sensitive value")
        level = self.roles.get("sensitive_level")
        if level:
            levels = level.items() if isinstance(level, Mapping) else [("sensitive values", level)]
            parts = ", ".join(f"{name} at level {number}" for name, number in levels)
            yield f"{parts} of the hierarchy: what is said is about those coarser values"
        yield from self._note_rows(self.rows_suppressed, "{is} fully suppressed (*) and {was} left out")
        yield from self._note_rows(self.repeats, "{repeats} a person's value and {counts} once")
        if self.cell_separator:
            one = f"sensitive cells seem to hold several values, separated by '{self.cell_separator}'"
            yield f"{one}; if so, read them with values 'set' (--values set --split '{self.cell_separator}')"

    def _note_rows(self, rows: int, did: str) -> Iterator[str]:
        if rows:
            verbs = re.sub(r"{(\w+)}", lambda verb: form(verb[1], rows), did)
            yield f"{rows:,} of {counted(self.rows, 'row')} {verbs}"


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """A table about people, reduced to counts per distinct combination of quasi-identifier values (a *key*).

    `quasi[j].cell(i)` is the label of key i in column j, `sizes[i]` its people, `counts` how often each value of
    `domain` occurs among them.  The raw rows stay in the engine that holds them.
    """

    quasi: tuple[Column, ...]
    sensitive: str
    domain: tuple[Label, ...]
    sizes: Integers
    counts: Counts
    semantics: Semantics = "single"
    intake: Intake = field(default_factory=Intake)
    carried: CarriedColumns | None = field(default=None, repr=False)  # columns that are published unchanged
    weights: Integers | None = field(default=None, repr=False)  # Σ of each key's sampling weights, in `WEIGHT_UNIT`s
    names: Mapping[str, int] | None = field(default=None, repr=False)  # name → key, if reading kept them
    read_profiles: Callable[[Table], Profiles] | None = field(default=None, repr=False)  # queries the engine again

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.sizes.sum())

    def profiles(self) -> Profiles:
        """Return which values people have together; if they have several, by a query to the engine of the rows.

        >>> visits = Table((), "disease", ("Cold", "Flu"), np.array([3]), Counts.from_cells([[1, 2]]))
        >>> visits.profiles().people.tolist()
        [1, 2]
        """
        if self.semantics == "single":
            key, value, people = self.counts.entries()
            # with one value each, an entry (key, value, people) is a profile whose single value occurs once
            shape = len(key), self.counts.width
            return Profiles(key, people, Counts.from_sorted(np.arange(len(key)), value, np.ones_like(people), shape))
        if self.read_profiles is None:
            raise BadTable(
                "this table has counts only, and does not say which values a person has together; read its rows"
            )
        profiles = self.read_profiles(self)
        # the rows are read again, and may have changed since the table was counted
        if not profiles.fit(self):
            raise BadTable(
                "the rows are not those that the table was read from; read it again when nobody writes to them"
            )
        return profiles

    def column(self, name: str) -> Column:
        """Find a quasi-identifier by name."""
        return find_column(self.quasi, name)

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""
        return sensitive_names(self.sensitive, self.domain)

    def about(self, column: str) -> Table:
        """Return the table with one of several sensitive columns, as if read with that one alone."""
        check_sensitive(column, self.sensitive_columns)
        if not isinstance(self.domain, JointDomain):
            return self
        values = self.domain.column(column)
        counts = self.counts.merge_values(values.codes, width=len(values.labels))
        return replace(self, sensitive=column, domain=values.labels, counts=counts, carried=None)

    def only(self, names: Sequence[str]) -> Table:
        """Return the table with some of the quasi-identifiers, as if read with these alone.

        >>> table = Table((Column.of("sex", "mmf"), Column.of("age", "123")), "disease", ("Flu",), np.array([1, 1, 2]),
        ...               Counts.from_cells([[1], [1], [2]]))
        >>> table.only(["sex"]).sizes.tolist()
        [2, 2]
        """
        columns = tuple(self.column(name) for name in names)
        key, first = number_equal_rows(columns, len(self.sizes))
        return Table(
            tuple(column.take(first) for column in columns),
            self.sensitive,
            self.domain,
            add_up(key, self.sizes, len(first)),
            self.counts.roll_up(key, groups=len(first)),
            self.semantics,
            self.intake,
            weights=None if self.weights is None else add_up(key, self.weights, len(first)),
        )

    def _repr_html_(self) -> str:
        """Show the columns and their sizes; never their labels, which are about people."""
        rows = [(column.name, "quasi-identifier", len(column.labels)) for column in self.quasi]
        note = f"{counted(len(self.sizes), 'key')} (distinct combinations of quasi-identifier values)"
        title = f"Table of {counted(self.people, 'person')}"
        columns = ["column", "role", "distinct values"]
        values = [(each, "sensitive", len(self.about(each).domain)) for each in self.sensitive_columns]
        return html_table(title, columns, [*rows, *values], note=note)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.quasi)
        return f"<Table of {counted(self.people, 'person')}: {names} → {self.sensitive} ({word_values(self.domain)})>"


def held(table: object) -> Table:
    """Return a table that is in memory; raise if it is streamed."""
    if not isinstance(table, Table):
        memory = parameter("memory")
        raise BadTable(f"a streamed table does not hold its keys, and all of them are needed; read it without {memory}")
    return table


@dataclass(frozen=True, eq=False, slots=True)
class CarriedColumns:
    """The cells of carried columns: entry i is about `count[i]` people of key `key[i]` with value `value[i]`."""

    columns: tuple[Column, ...]  # a row per entry
    key: Integers
    value: Integers
    count: Integers
    weight: str | None = None  # the column of sampling weights

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(column.name for column in self.columns)


def expect_one_sensitive(thing: Any, what: str) -> None:  # noqa: ANN401 - a table, a release or what is like one
    """Raise `BadTable` if a thing has several sensitive columns and a question is about one."""
    columns: tuple[str, ...] = thing.sensitive_columns
    if len(columns) > 1:
        raise BadTable(
            f"{what} is about one sensitive column, and there are {listed(columns)}; pick one, such as "
            f"{parameter('sensitive', columns[0])}{in_python(f', or .about({columns[0]!r})')}"
        )


def sensitive_names(sensitive: str, domain: tuple[Label, ...]) -> tuple[str, ...]:
    """Name the sensitive columns: the one, or each of several."""
    return domain.names if isinstance(domain, JointDomain) else (sensitive,)


@dataclass(frozen=True, eq=False, slots=True)
class TrueCounts:
    """True values: `people[i]` people of key `key[i]` in the group in row `group[i]` have value `value[i]`.

    `columns` have a row per key.  People with several values count once for each of them.
    """

    columns: tuple[Column, ...]
    domain: tuple[Label, ...]
    group: Integers
    key: Integers
    value: Integers
    people: Integers

    @classmethod
    def from_table(cls, table: Table, group: Integers) -> TrueCounts:
        """Build from a table whose keys are in the groups `group`: (keys,); −1: in none."""
        key, value, people = having(expect(Table, table, "the table"))
        there = group[key] >= 0
        return cls(table.quasi, table.domain, group[key[there]], key[there], value[there], people[there])


def having(table: Table) -> tuple[Integers, Integers, Integers]:
    """Count the people of each key who have each value at all, as (key, value, people)."""
    if table.semantics != "multiset":
        return table.counts.entries()
    profiles = table.profiles()
    row, value, _ = profiles.counts.entries()
    width = len(table.domain)
    # in a multiset people count once per value they have at all, however often it occurs
    kind, first = number_rows([profiles.key[row], value], [len(table.sizes), width], rows=len(row))
    return profiles.key[row[first]], value[first], add_up(kind, profiles.people[row], len(first))


@dataclass(frozen=True, eq=False, slots=True)
class Events:
    """Rows about people, any number each, to be counted with noise only (`noisy_counts`).

    Entry i is a row, `times[i]` times, of person `person[i]` with `quasi[j].cell(i)` and `domain[value[i]]`.  People
    are numbered; `people_alike[p]` is the number of people with the same entries as p, if rows are people.
    """

    quasi: tuple[Column, ...]
    sensitive: str
    domain: tuple[Label, ...]  # the values that occur, without declared ones
    person: Integers
    value: Integers
    times: Integers
    people_alike: Integers
    semantics: Semantics = "single"
    intake: Intake = field(default_factory=Intake)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.quasi)
        return f"<Events: {counted(self.intake.rows, 'row')} about people: {names} → {self.sensitive}>"

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.sensitive,)

    def column(self, name: str) -> Column:
        """Find a column of the key by name."""
        return find_column(self.quasi, name, "column", "among those that were read")

    def count_rows(self) -> Integers:
        """Count the rows of each person, in an arbitrary order."""
        # (distinct persons,) → (people,): a row of `people_alike` stands for that many people
        return np.repeat(add_up(self.person, self.times, len(self.people_alike)), self.people_alike)
