"""All the places at which a group could be cut in two, for many groups at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.search.orders import Order
from sidelight.table.columns import Integers


@dataclass(frozen=True, eq=False, slots=True)
class Cuts:
    """Candidate cuts of groups along one column: who stands before `place` goes left, the others right.

    One row per cut, sorted by group and place.  Only the deepest borders of a group are candidates.
    """

    group: Integers
    place: Integers
    left: Integers  # people to the left
    people: Integers  # people of the whole group
    spread: npt.NDArray[np.float64]  # per group, not per cut: how widely it spreads along the column, 0 to 1

    @property
    def imbalance(self) -> Integers:
        """How far from halves a cut is."""
        apart: Integers = np.abs(2 * self.left - self.people)
        return apart

    def medians(self, groups: int) -> Integers:
        """Give, per group, the row of the cut nearest the median, or −1 where there is none."""
        best = np.full(groups, -1)
        by_balance = np.lexsort((self.imbalance, self.group))[::-1]
        best[self.group[by_balance]] = by_balance  # the last one written is the most balanced
        return best


def cuts_along(order: Order, group: Integers, place: Integers, people: Integers, groups: int) -> Cuts:
    """Find all cuts of `groups` groups along a column; the arrays have one row per cell of the table.

    >>> from sidelight.search.orders import order_of
    >>> from sidelight.table.columns import Column
    >>> order = order_of(Column.of("age", ["1", "2", "4"]))
    >>> cuts = cuts_along(order, np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([5, 2, 2]), groups=1)
    >>> cuts.place.tolist(), cuts.left.tolist(), cuts.medians(1).tolist()
    ([1, 2], [5, 7], [0])
    """
    where, standing = _added_up(group * len(order.labels) + place, people, groups * len(order.labels))
    at, here = where // len(order.labels), where % len(order.labels)
    first = np.flatnonzero(np.diff(at, prepend=-1))
    through = np.cumsum(standing)
    before = np.concatenate(([0], through))[first]
    total = np.diff(np.append(before, through[-1:]))
    last = np.append(first[1:], len(at)) - 1
    whole = order.position[-1] - order.position[0]
    spread = (order.position[here[last]] - order.position[here[first]]) / (whole or 1.0)

    inner = np.setdiff1d(np.arange(len(at)), first, assume_unique=True)
    depth = order.depth(here[inner - 1], here[inner])
    deepest = np.zeros(groups, np.int64)
    np.maximum.at(deepest, at[inner], depth)
    inner = inner[depth == deepest[at[inner]]]
    mine = at[inner]
    return Cuts(mine, here[inner], through[inner - 1] - before[mine], total[mine], spread)


def _added_up(key: Integers, people: Integers, keys: int) -> tuple[Integers, Integers]:
    """Add up people by key; give the keys that occur, in order, and their sums."""
    if keys <= 8 * len(key) + 4096:
        sums = np.bincount(key, weights=people, minlength=keys)
        where = np.flatnonzero(sums)
        return where, sums[where].astype(np.int64)
    where, kind = np.unique(key, return_inverse=True)
    return where, np.bincount(kind, weights=people).astype(np.int64)
