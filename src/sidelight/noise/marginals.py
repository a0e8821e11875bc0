"""Marginals: the counts by some columns, each at its published level or a coarser one, as sums of cells.

The cells are an array with an axis per column: n_i labels of column i.  At a coarser level of its hierarchy each of
these labels is under one coarser label, and coarser levels are unions of finer ones.  So a marginal A is one grouping
of the labels of each column: into one group (the column is not counted by), into coarser labels, or not at all; and
M_A adds up the cells of each combination of groups.  M_Aᵀ spreads counts of a marginal over the cells below them.

Columns are axes 0, 1, … and the coarser levels of them are numbered after these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np

from sidelight.arrays import Integers
from sidelight.table.labels import Label

Axes: TypeAlias = tuple[int, ...]
"""What a marginal is by: columns, or coarser levels of them, at most one of each column, in the order of columns."""

Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class CoarserLevel:
    """A coarser level of a column: its labels, and which of them each label of the column is under."""

    column: int
    level: int
    labels: tuple[Label, ...]
    place: Integers

    def is_under(self, finer: Integers) -> bool:
        """Return whether labels that are together by a finer level are together here too."""
        # (2, pairs): a finer group that occurs in two pairs is split by this level
        pairs = np.unique(np.stack([finer, self.place]), axis=1)
        return len(np.unique(pairs[0])) == len(pairs[0])


def coarser_level(column: int, level: int, above: Sequence[Label]) -> CoarserLevel:
    """Number the coarser labels that each label of a column is under, as they occur.

    >>> coarser_level(0, 1, ["20-29", "20-29", "30-39"]).place.tolist()
    [0, 0, 1]
    """
    number = {text: place for place, text in enumerate(dict.fromkeys(above))}
    return CoarserLevel(column, level, tuple(number), np.array([number[text] for text in above], np.int64))


@dataclass(frozen=True, eq=False)
class CellLayout:
    """How cells lie: how many labels each column has, and which coarser levels of columns may be counted by."""

    shape: tuple[int, ...]
    coarser: tuple[CoarserLevel, ...] = ()

    @property
    def every(self) -> Axes:
        """What the cells are by: every column, as published."""
        return tuple(range(len(self.shape)))

    def column(self, axis: int) -> int:
        """Return which column an axis is of."""
        return axis if axis < len(self.shape) else self.coarser[axis - len(self.shape)].column

    def is_by(self, axes: Iterable[int], column: int) -> bool:
        """Return whether a marginal is by this column, at whichever level."""
        return column in map(self.column, axes)

    def coarse(self, axes: Iterable[int]) -> bool:
        """Return whether any of them is coarser than published."""
        return any(axis >= len(self.shape) for axis in axes)

    def labels_of(self, axis: int) -> int:
        """Return how many labels an axis has."""
        return self.shape[axis] if axis < len(self.shape) else len(self.coarser[axis - len(self.shape)].labels)

    def size(self, axes: Iterable[int]) -> int:
        """Return how many counts a marginal has."""
        return math.prod(map(self.labels_of, axes))

    def place(self, axis: int) -> Integers:
        """Return which label of the axis each label of its column is under."""
        if axis < len(self.shape):
            return np.arange(self.shape[axis])
        return self.coarser[axis - len(self.shape)].place

    def places(self, axes: Axes) -> list[Integers]:
        """Return the group of the marginal that each label falls into: an array (labels,) for each column."""
        of_column = {self.column(axis): axis for axis in axes}
        return [
            self.place(of_column[column]) if column in of_column else np.zeros(n, np.int64)
            for column, n in enumerate(self.shape)
        ]

    @cached_property
    def _groups(self) -> dict[int, tuple[Integers, Integers]]:
        """How labels are put beside each other that are added up, and where each group begins, by coarser axis."""
        groups = {}
        for number, each in enumerate(self.coarser, len(self.shape)):
            # reduceat adds up runs, so the labels of one group have to be neighbours
            order = np.argsort(each.place, kind="stable")
            groups[number] = order, np.flatnonzero(np.diff(each.place[order], prepend=-1))
        return groups

    def add_up(self, cells: np.typing.NDArray[Number], axes: Axes) -> np.typing.NDArray[Number]:
        """Add up cells to a marginal, M_A·x.

        >>> tens = CoarserLevel(0, 1, ("20-29", "30-39"), np.array([0, 0, 1]))
        >>> CellLayout((3, 2), (tens,)).add_up(np.arange(6).reshape(3, 2), (2,)).tolist()
        [6, 9]
        """
        columns = {self.column(axis) for axis in axes}
        others = tuple(column for column in range(len(self.shape)) if column not in columns)
        # summed axes keep a length of 1, so that column numbers stay axis numbers
        added: np.typing.NDArray[Number] = cells.sum(axis=others, keepdims=True)
        for axis in axes:
            if axis in self._groups:
                order, begins = self._groups[axis]
                column = self.column(axis)
                added = np.add.reduceat(added.take(order, axis=column), begins, axis=column)
        marginal: np.typing.NDArray[Number] = added.reshape([self.labels_of(axis) for axis in axes])
        return marginal

    def spread(self, marginal: np.typing.NDArray[Number], axes: Axes) -> np.typing.NDArray[Number]:
        """Spread each count over its cells, M_Aᵀ·y; columns that the marginal is not by have length 1.

        >>> tens = CoarserLevel(0, 1, ("20-29", "30-39"), np.array([0, 0, 1]))
        >>> CellLayout((3, 2), (tens,)).spread(np.array([7, 8]), (2,)).tolist()
        [[7], [7], [8]]
        """
        sizes = {self.column(axis): self.labels_of(axis) for axis in axes}
        # one axis per column again; a length of 1 broadcasts over the columns that were added up
        cells = marginal.reshape([sizes.get(column, 1) for column in range(len(self.shape))])
        for axis in axes:
            if axis in self._groups:
                cells = cells.take(self.place(axis), axis=self.column(axis))
        return cells

    def is_nested(self) -> bool:
        """Return whether, of any two coarser levels of one column, one is made of unions of the other's labels."""
        every = [(one, other) for one in self.coarser for other in self.coarser if one.column == other.column]
        return all(one.is_under(other.place) or other.is_under(one.place) for one, other in every)
