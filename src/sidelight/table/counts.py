"""How often each value occurs in each row of a grouping: one matrix, dense or sparse by shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.table.columns import Integers, numbered

DENSE_FROM = 0.25
"""Store all cells when at least this share of them is positive (a sparse entry costs twice a cell)."""

CELLS_AT_ONCE = 1 << 20
"""How many cells a block that is spread out for computing may have (8 MB)."""


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """Whole numbers ≥ 0, one row per group, one column per value.

    Sparse (CSR): row r has `data[starts[r]:starts[r+1]]` at the values `where[...]`, falling in no
    particular order but each value once.  Dense: `cells`.  Exactly one of the two is kept; ask for
    `block`s or single rows and columns, and it does not matter which.

    >>> counts = Counts.from_entries(rows=[0, 0, 1], values=[0, 2, 1], counts=[2, 1, 3], shape=(2, 3))
    >>> counts.row(0).tolist(), counts.column(1).tolist(), counts.totals().tolist()
    ([2, 0, 1], [0, 3], [2, 3, 1])
    >>> counts.rolled_up(np.array([0, 0]), groups=1).row(0).tolist()
    [2, 3, 1]
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

    @classmethod
    def from_cells(cls, cells: npt.ArrayLike) -> Counts:
        """Keep a full matrix, dense or sparse by its share of zeros."""
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
        if shape[0] * shape[1] <= max(len(rows) / DENSE_FROM, 4096):
            return cls.from_cells(added(rows * shape[1] + values, amounts, shape[0] * shape[1]).reshape(shape))
        keys = rows * shape[1] + values
        place, first = numbered(keys, below=shape[0] * shape[1])
        key, summed = keys[first], added(place, amounts, len(first))
        kept = summed > 0
        return cls.from_sorted(key[kept] // shape[1], key[kept] % shape[1], summed[kept], shape)

    @classmethod
    def from_sorted(
        cls, rows: npt.NDArray[np.integer], values: npt.NDArray[np.integer], counts: Integers, shape: tuple[int, int]
    ) -> Counts:
        """Take positive entries sorted by row, each (row, value) once."""
        if len(rows) >= DENSE_FROM * shape[0] * shape[1]:
            full = np.zeros(shape, np.int64)
            full[rows, values] = counts
            return cls(shape, cells=full)
        starts = np.zeros(shape[0] + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=shape[0]), out=starts[1:])
        return cls(shape, starts=starts, where=values.astype(np.int32), data=counts.astype(np.int64))

    @property
    def rows(self) -> int:
        """How many groups."""
        return self.shape[0]

    @property
    def width(self) -> int:
        """How many values."""
        return self.shape[1]

    def entries(self) -> tuple[Integers, Integers, Integers]:
        """Give all positive counts as (row, value, count), sorted by row."""
        if self.cells is not None:
            rows, values = np.nonzero(self.cells)
            return rows, values, self.cells[rows, values]
        assert self.starts is not None
        assert self.where is not None
        assert self.data is not None
        return np.repeat(np.arange(self.rows), np.diff(self.starts)), self.where.astype(np.int64), self.data

    def dense(self) -> Integers:
        """Spread everything out.  For blocks; a whole release may be too large for it."""
        if self.cells is not None:
            return self.cells
        full = np.zeros(self.shape, np.int64)
        rows, values, counts = self.entries()
        full[rows, values] = counts
        return full

    def spread_out(self) -> Counts:
        """Keep all cells, those of a value side by side, which makes sums over the values 3 times as fast."""
        if self.cells is not None:
            return Counts(self.shape, cells=np.asfortranarray(self.cells))
        cells = np.zeros((self.width, self.rows), np.int64).T
        rows, values, counts = self.entries()
        cells[rows, values] = counts
        return Counts(self.shape, cells=cells)

    def blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks small enough to spread out."""
        step = max(CELLS_AT_ONCE // max(self.width, 1), 1)
        for start in range(0, self.rows, step):
            yield slice(start, min(start + step, self.rows))

    def row(self, row: int) -> Integers:
        """Give the counts of one group."""
        counts: Integers = self.take(slice(row, row + 1)).dense()[0]
        return counts

    def column(self, value: int) -> Integers:
        """Give the counts of one value."""
        if self.cells is not None:
            column: Integers = self.cells[:, value]
            return column
        rows, values, counts = self.entries()
        full = np.zeros(self.rows, np.int64)
        full[rows[values == value]] = counts[values == value]
        return full

    def totals(self) -> Integers:
        """Add up each value over all groups."""
        if self.cells is not None:
            totals: Integers = self.cells.sum(axis=0)
            return totals
        assert self.where is not None
        assert self.data is not None
        return added(self.where, self.data, self.width)

    def per_row(self) -> Integers:
        """Add up each group over all values."""
        if self.cells is not None:
            sums: Integers = self.cells.sum(axis=1)
            return sums
        assert self.starts is not None
        assert self.data is not None
        before = np.concatenate(([0], np.cumsum(self.data)))
        return np.diff(before[self.starts])

    def take(self, rows: npt.NDArray[np.integer] | slice) -> Counts:
        """Keep some rows, in the order given; the form (dense or sparse) stays."""
        if self.cells is not None:
            cells = self.cells[rows]
            return Counts(cells.shape, cells=cells)
        assert self.starts is not None
        assert self.where is not None
        assert self.data is not None
        if isinstance(rows, slice) and rows.step in (None, 1):
            start, stop, _ = rows.indices(self.rows)
            stop = max(start, stop)
            first, last = self.starts[start], self.starts[stop]
            return Counts(
                (stop - start, self.width),
                starts=self.starts[start : stop + 1] - first,
                where=self.where[first:last],
                data=self.data[first:last],
            )
        chosen = np.arange(self.rows)[rows]
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        inside = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths) + np.repeat(self.starts[chosen], lengths)
        return Counts((len(chosen), self.width), starts=starts, where=self.where[inside], data=self.data[inside])

    def rolled_up(self, group: npt.NDArray[np.integer], *, groups: int) -> Counts:
        """Add up the rows of each new group: row r goes to `group[r]`."""
        rows, values, counts = self.entries()
        return Counts.from_entries(np.asarray(group)[rows], values, counts, (groups, self.width))


def added(place: npt.NDArray[np.integer], amounts: Integers, length: int) -> Integers:
    """Add amounts by place, exactly: floats carry whole numbers only up to 2**53."""
    if amounts.sum(dtype=np.float64) < 2**53:
        return np.bincount(place, weights=amounts, minlength=length).astype(np.int64)
    total = np.zeros(length, np.int64)
    np.add.at(total, place, amounts)
    return total
