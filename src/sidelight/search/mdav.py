"""MDAV: clusters of at least k people, one after another from the outside in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sidelight.measures.exact import Floats
from sidelight.search.distances import Space
from sidelight.table.columns import Integers

SQUEEZE_AT = 0.8
"""Cells that are done are squeezed out when fewer than this share of them are left."""


def clusters(
    space: Space, people: Integers, k: int, *, progress: Callable[[int], None] = lambda _done: None
) -> Integers:
    """Give each cell the number of its cluster, from 0; a cell's people stay together.

    Again and again: the cell farthest from the average of the remaining people and its nearest cells, k people of
    them, are a cluster, and so are the cell farthest from that one and its nearest; fewer than 2k people are the last
    cluster.  (Only the last may have fewer than k people, when single cells have more than k.)

    Source: Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, 2005.
    """
    left = Remaining(space, people)
    cluster = np.full(len(people), -1)
    made = 0
    while left.people >= 2 * k:
        progress(len(people) - left.cells)
        far = left.from_cell(left.farthest(left.from_average()))
        cluster[left.take_nearest(far, k)] = made
        made += 1
        if left.people >= 2 * k:
            far = left.from_cell(left.farthest(far))
            cluster[left.take_nearest(far, k)] = made
            made += 1
        left.squeeze()
    cluster[cluster < 0] = made
    return cluster


class Remaining:
    """The cells that are in no cluster yet.  Every question is a few vector operations over them."""

    def __init__(self, space: Space, people: Integers) -> None:
        self.people = int(people.sum())
        self.cells = len(people)
        self._numbers = np.arange(len(people))
        self._weights = people
        self._done = np.zeros(len(people), bool)
        self._apart = [axis.apart for axis in space.axes]
        self._codes = [axis.codes.astype(np.intp) for axis in space.axes]
        self._lines = space.lines
        self._pulls = [axis.apart @ np.bincount(axis.codes, weights=people) for axis in space.axes]
        self._sums = space.lines @ people

    def from_average(self) -> Floats:
        """Give the squared distance of each cell from the average person, less the same amount for all.

        Σ_c (D_c p_c)[codes], with p_c the remaining people's shares of column c's labels.
        """
        average = self._sums / max(self.people, 1)
        return self._added([pull / max(self.people, 1) for pull in self._pulls], average)

    def from_cell(self, at: int) -> Floats:
        """Give the squared distance of each cell from one of them."""
        rows = [apart[codes[at]] for apart, codes in zip(self._apart, self._codes, strict=True)]
        return self._added(rows, self._lines[:, at])

    def farthest(self, apart: Floats) -> int:
        """Give the place of the farthest remaining cell; of several the first."""
        return int(np.where(self._done, -np.inf, apart).argmax())

    def take_nearest(self, apart: Floats, k: int) -> Integers:
        """Take the nearest cells that together have k people, of equally near ones the first; gives their numbers."""
        open_ = np.where(self._done, np.inf, apart)
        near = np.flatnonzero(open_ <= np.partition(open_, k - 1)[k - 1]) if k < len(open_) else np.arange(len(open_))
        near = near[np.argsort(open_[near], kind="stable")]
        taken = near[: int(np.searchsorted(np.cumsum(self._weights[near]), k)) + 1]
        weights = self._weights[taken]
        for axis, (apart_by, codes) in enumerate(zip(self._apart, self._codes, strict=True)):
            self._pulls[axis] = self._pulls[axis] - weights @ apart_by[codes[taken]]
        self._sums = self._sums - self._lines[:, taken] @ weights
        self._done[taken] = True
        self.people -= int(weights.sum())
        self.cells -= len(taken)
        return self._numbers[taken]

    def squeeze(self) -> None:
        """Forget the cells that are done, once they are many."""
        if self.cells > SQUEEZE_AT * len(self._done):
            return
        kept = np.flatnonzero(~self._done)
        self._numbers, self._weights, self._done = self._numbers[kept], self._weights[kept], self._done[kept]
        self._codes = [codes[kept] for codes in self._codes]
        self._lines = self._lines[:, kept]

    def _added(self, rows: list[Floats], at: Floats) -> Floats:
        total = np.zeros(len(self._done))
        for row, codes in zip(rows, self._codes, strict=True):
            total += row[codes]
        for line, here in zip(self._lines, at, strict=True):
            total += (line - here) ** 2
        return total
