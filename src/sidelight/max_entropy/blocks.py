"""Groups as blocks: the people of a group by what is known of them (rows) × the values of the group (columns)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

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
        row, column = paired(self.row_group[rows], self.column_group[columns])
        return rows[row], columns[column]


def _starts(group: Integers, groups: int) -> Integers:
    return np.concatenate(([0], np.cumsum(np.bincount(group, minlength=groups))))


def ranges(start: Integers, stop: Integers) -> tuple[Integers, Integers]:
    """Count from each start to its stop: which of them, and the number.

    >>> [part.tolist() for part in ranges(np.array([5, 7]), np.array([7, 8]))]
    [[0, 0, 1], [5, 6, 7]]
    """
    times = stop - start
    which = np.repeat(np.arange(len(start)), times)
    return which, np.arange(len(which)) + (start - np.cumsum(times) + times)[which]


def runs(part: Integers, group: Integers) -> Integers:
    """Number the different (part, group) of a list that stands by part and then by group.

    >>> runs(np.array([0, 0, 1]), np.array([7, 7, 7])).tolist()
    [0, 0, 1]
    """
    new = np.ones(len(part), bool)
    new[1:] = (part[1:] != part[:-1]) | (group[1:] != group[:-1])
    return np.cumsum(new) - 1


def paired(one: Integers, other: Integers) -> tuple[Integers, Integers]:
    """Pair the places of two lists where they have the same number; the other one is sorted.

    >>> [part.tolist() for part in paired(np.array([1, 0]), np.array([0, 1, 1]))]
    [[0, 0, 1], [1, 2, 0]]
    """
    below = max(one.max(initial=-1), other.max(initial=-1)) + 1
    starts = _starts(other, int(below))
    return ranges(starts[one], starts[one + 1])
