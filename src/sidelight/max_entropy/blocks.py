"""Groups as blocks: the people of a group by what is known of them (rows) × the values of the group (columns)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sidelight.table.columns import Integers
from sidelight.table.counts import added


@dataclass(frozen=True, eq=False)
class Blocks:
    """One block per group: how many people each row and each column of it has.

    Rows and columns stand by group.  A *place* is a row and a column of the same block; places are numbered row by
    row, and within a row in the order of the columns.

    Paper symbols: a row is (q, b), a column is (s, b), a place is (q, s, b).
    """

    row_group: Integers
    row_people: Integers
    column_group: Integers
    column_people: Integers
    groups: int

    @cached_property
    def first_row(self) -> Integers:
        """The first row of each group, and their number."""
        return _starts(self.row_group, self.groups)

    @cached_property
    def first_column(self) -> Integers:
        """The first column of each group, and their number."""
        return _starts(self.column_group, self.groups)

    @cached_property
    def first_place(self) -> Integers:
        """The first place of each row, and their number."""
        widths = np.diff(self.first_column)[self.row_group]
        return np.concatenate(([0], np.cumsum(widths)))

    @property
    def places(self) -> int:
        """How many places there are."""
        return int(self.first_place[-1])

    @cached_property
    def people(self) -> Integers:
        """How many people each group has."""
        return added(self.row_group, self.row_people, self.groups)

    def place(self, row: Integers, column: Integers) -> Integers:
        """Number places."""
        return self.first_place[row] + column - self.first_column[self.row_group[row]]

    def row_of_places(self) -> Integers:
        """Give the row of every place."""
        return np.repeat(np.arange(len(self.row_group)), np.diff(self.first_place))

    def column_of_places(self, row: Integers) -> Integers:
        """Give the column of every place, given its row."""
        inside = np.arange(self.places) - self.first_place[row]
        return inside + self.first_column[self.row_group[row]]

    def crossed(self, rows: Integers, columns: Integers) -> tuple[Integers, Integers]:
        """Pair rows and columns of the same group; both stand by group.

        >>> two = Blocks(np.array([0, 0, 1]), np.ones(3, int), np.array([0, 1, 1]), np.ones(3, int), 2)
        >>> [part.tolist() for part in two.crossed(np.array([1, 2]), np.array([0, 1, 2]))]
        [[1, 2, 2], [0, 1, 2]]
        """
        per_group = np.bincount(self.column_group[columns], minlength=self.groups)
        first = np.cumsum(per_group) - per_group
        times = per_group[self.row_group[rows]]
        row = np.repeat(rows, times)
        inside = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
        return row, columns[first[self.row_group[row]] + inside]

    def lumped(self, rows: npt.NDArray[np.bool_], columns: npt.NDArray[np.bool_]) -> Lumped:
        """Lump the rows of each group that are not chosen into one, and likewise its columns."""
        row, some_row = _lumps(self.row_group, rows)
        column, some_column = _lumps(self.column_group, columns)
        blocks = Blocks(
            self.row_group[some_row],
            added(row, self.row_people, len(some_row)),
            self.column_group[some_column],
            added(column, self.column_people, len(some_column)),
            self.groups,
        )
        return Lumped(self, blocks, row, column)


@dataclass(frozen=True, eq=False)
class Lumped:
    """Blocks with fewer rows and columns, and which of them each original one is part of.

    What nobody says anything about is shared out evenly: of what a lump has at a place, a row gets the share of its
    people, and a column of its occurrences.
    """

    original: Blocks
    blocks: Blocks
    row: Integers
    column: Integers

    def share_out(self, amounts: npt.NDArray[np.float64], row: Integers, column: Integers) -> npt.NDArray[np.float64]:
        """Give what original places have, given what the lumped ones have."""
        lump, other = self.row[row], self.column[column]
        people = self.original.row_people[row] / self.blocks.row_people[lump]
        occurrences = self.original.column_people[column] / self.blocks.column_people[other]
        shared: npt.NDArray[np.float64] = amounts[self.blocks.place(lump, other)] * people * occurrences
        return shared


def _starts(group: Integers, groups: int) -> Integers:
    return np.concatenate(([0], np.cumsum(np.bincount(group, minlength=groups))))


def _lumps(group: Integers, alone: npt.NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Number chosen ones by themselves and the rest of each group together; gives one of each number."""
    key = group * (len(group) + 1) + np.where(alone, np.arange(1, len(group) + 1), 0)
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return number, first
