"""The groups of one generation that may still be cut, and what cutting them would give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Flags, Floats, Integers
from sidelight.release.groups import Groups
from sidelight.search.orders import Order
from sidelight.search.policy_check import Limits, loose_groups
from sidelight.table.table import CELLS_AT_ONCE, Counts, Table


@dataclass(frozen=True, eq=False, slots=True)
class Frontier:
    """Groups that may still be cut, and the cells of the table that are in them, sorted by group."""

    table: Table
    cells: Integers
    group: Integers  # per cell of `cells`
    places: Integers  # column × cell of the table
    groups: int

    @classmethod
    def of(cls, table: Table, made: Partition, active: Integers) -> Frontier:
        """Look at some groups of a partition."""
        number = np.full(len(made), -1)
        number[active] = np.arange(len(active))
        cells = np.flatnonzero(number[made.group] >= 0)
        group = number[made.group[cells]]
        by_group = np.argsort(group, kind="stable")
        return cls(table, cells[by_group], group[by_group], made.places, len(active))

    def rounds(self, along: tuple[Order, ...], undecided: Flags, target: Counts | None) -> Iterator[Candidates]:
        """Propose first the most balanced cut of each column, then, for groups still undecided, all the others.

        Columns come in the order of how widely the group spreads along them or, with a target (how often each of its
        labels occurs in each cell of the table), of how much their cut tells about it.
        """
        people = self.table.sizes[self.cells]
        cuts = [
            cuts_along(order, self.group, self.places[column, self.cells], people, self.groups)
            for column, order in enumerate(along)
        ]
        medians = [each.medians(self.groups) for each in cuts]
        wish = np.stack([each.spread for each in cuts])
        balanced = [(each, rows[rows >= 0]) for each, rows in zip(cuts, medians, strict=True)]
        if target is not None:
            wish = self._gains(lined_up(balanced, _ranked(wish)), target)
        rank = _ranked(wish)
        yield lined_up(balanced, rank)
        others = []
        for each, rows in zip(cuts, medians, strict=True):
            rest = undecided[each.group]
            rest[rows[rows >= 0]] = False
            others.append((each, np.flatnonzero(rest)))
        yield lined_up(others, rank)

    def within(self, candidates: Candidates, limits: Limits) -> Flags:
        """Say which cuts leave two halves that each keep the limits on their own."""
        smaller = np.minimum(candidates.left, candidates.people - candidates.left)
        fine: Flags = smaller >= limits.people_needed
        large = np.flatnonzero(fine)
        for rows, halves in self.halves(candidates.take(large)):
            both = limits.alone(halves).reshape(2, -1)
            fine[large[rows]] = both[0] & both[1]
        return fine

    def halves(self, candidates: Candidates) -> Iterator[tuple[Integers, Groups]]:
        """Count what is left and right of each cut, a block at a time: first all left halves, then all right ones."""
        for rows, counts in self._counted(candidates, self.table.counts):
            cuts = candidates.take(rows)
            sizes = np.concatenate((cuts.left, cuts.people - cuts.left))
            yield rows, loose_groups(self.table, sizes, Counts(counts.shape, cells=counts))

    def _gains(self, medians: Candidates, target: Counts) -> Floats:
        """Say how much the cut nearest the median tells about the target, column × group: H − H(halves), in people."""
        gains = np.full((len(self.places), self.groups), -1.0)
        for rows, counts in self._counted(medians, target):
            left, right = np.split(counts, 2)
            told = _uncertainty(left + right) - _uncertainty(left) - _uncertainty(right)
            gains[medians.column[rows], medians.group[rows]] = told
        return gains

    def _counted(self, candidates: Candidates, counts: Counts) -> Iterator[tuple[Integers, Integers]]:
        row, value, count = counts.take(self.cells).entries()
        entries = _Entries(self.group[row], row, value, count)
        for column in range(len(self.places)):
            mine = np.flatnonzero(candidates.column == column)
            mine = mine[np.lexsort((candidates.place[mine], candidates.group[mine]))]
            place = self.places[column, self.cells]
            for rows in _blocks(candidates.group[mine], mine, counts.width):
                yield rows, entries.beside(candidates.take(rows), place, counts.width)


@dataclass(frozen=True, eq=False, slots=True)
class _Entries:
    """Positive counts of the frontier's cells, sorted by group."""

    group: Integers
    cell: Integers
    value: Integers
    count: Integers

    def beside(self, cuts: Candidates, place: Integers, values: int) -> Integers:
        """Count both sides of cuts along one column, which are sorted by group and place: all left, then all right."""
        known, first = np.unique(cuts.group, return_index=True)
        some = slice(*np.searchsorted(self.group, (known[0], known[-1] + 1)).tolist())
        stretch = np.minimum(np.searchsorted(known, self.group[some]), len(known) - 1)
        mine = known[stretch] == self.group[some]
        stretch, value, count = stretch[mine], self.value[some][mine], self.count[some][mine]
        width = int(place.max(initial=0)) + 2
        key = known[stretch] * width + place[self.cell[some][mine]]

        after = np.searchsorted(cuts.group * width + cuts.place, key, side="right")  # the first cut it is left of
        inside = after < np.append(first[1:], len(cuts))[stretch]
        step = np.bincount(after[inside] * values + value[inside], weights=count[inside], minlength=len(cuts) * values)
        run = np.cumsum(step.reshape(len(cuts), values), axis=0)
        which = np.searchsorted(known, cuts.group)
        left = run - np.vstack((np.zeros((1, values)), run))[first][which]
        whole = np.bincount(stretch * values + value, weights=count, minlength=len(known) * values)
        sides: Integers = np.vstack((left, whole.reshape(len(known), values)[which] - left)).astype(np.int64)
        return sides


def lined_up(found: list[tuple[Cuts, Integers]], rank: Integers) -> Candidates:
    """Line up cuts by group, then by the rank of the column there, then by how balanced they are."""
    column = np.concatenate([np.full(len(rows), number) for number, (_, rows) in enumerate(found)])
    parts = [(cuts.group[rows], cuts.place[rows], cuts.left[rows], cuts.people[rows]) for cuts, rows in found]
    group, place, left, people = (np.concatenate(each) for each in zip(*parts, strict=True))
    every = Candidates(group, column, place, left, people)
    return every.take(np.lexsort((np.abs(2 * left - people), rank[column, group], group)))


def _ranked(wish: Floats) -> Integers:
    """Rank the columns of each group, the largest wish first."""
    return np.argsort(np.argsort(-wish, axis=0, kind="stable"), axis=0)


def _uncertainty(counts: Integers) -> Floats:
    """Give n·H of each row."""
    total = counts.sum(axis=1)
    logs = np.log(np.maximum(counts, 1))
    uncertain: Floats = total * np.log(np.maximum(total, 1)) - (counts * logs).sum(axis=1)
    return uncertain


def _blocks(group: Integers, rows: Integers, width: int) -> Iterator[Integers]:
    """Cut candidates sorted by group into blocks that can be spread out, never through a group."""
    most = max(CELLS_AT_ONCE // max(width, 1), 1)
    start = 0
    while start < len(rows):
        stop = min(start + most, len(rows))
        if stop < len(rows):
            edge = int(np.searchsorted(group, group[stop]))
            stop = edge if edge > start else int(np.searchsorted(group, group[stop], side="right"))
        yield rows[start:stop]
        start = stop


# ----------------------------------------------------------------------------------------------------
# The groups a search has made so far, and the cuts that would make more of them.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """Cuts of several groups along several columns, in the order in which each group would try them."""

    group: Integers  # of the generation at hand
    column: Integers
    place: Integers
    left: Integers  # people before the place
    people: Integers  # people of the whole group

    def take(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Candidates:
        """Keep some of them."""
        return Candidates(self.group[rows], self.column[rows], self.place[rows], self.left[rows], self.people[rows])

    def __len__(self) -> int:
        return len(self.group)

    def first_of_each(self) -> Integers:
        """Give the row of each group's first candidate, in the order of the groups."""
        return np.unique(self.group, return_index=True)[1]


@dataclass(eq=False, slots=True)
class Partition:
    """Which group each cell of a table is in, and the stretch of places each group covers in each column."""

    places: Integers  # column × cell
    group: Integers  # per cell
    start: Integers  # group × column
    stop: Integers

    @classmethod
    def of_everybody(cls, table: Table, along: tuple[Order, ...]) -> Partition:
        """Begin with everybody in one group."""
        places = [order.place[column.codes].astype(np.int64) for order, column in zip(along, table.quasi, strict=True)]
        widths = np.array([[len(order.labels) for order in along]])
        return cls(np.stack(places), np.zeros(len(table.sizes), np.int64), np.zeros_like(widths), widths)

    def __len__(self) -> int:
        return len(self.start)

    def split(self, cells: Integers, chosen: Candidates, numbers: Integers) -> Integers:
        """Cut groups in two: the left half keeps its number.  Gives the numbers of the right halves.

        `cells` are those of the generation at hand, `numbers` its groups' numbers here.
        """
        old = numbers[chosen.group]
        new = len(self) + np.arange(len(chosen))
        self.start, self.stop = np.vstack((self.start, self.start[old])), np.vstack((self.stop, self.stop[old]))
        self.stop[old, chosen.column] = chosen.place
        self.start[new, chosen.column] = chosen.place
        inside, right = self.sides(cells, chosen, old)
        self.group[inside] = right
        return new

    def sides(self, cells: Integers, chosen: Candidates, old: Integers) -> tuple[Integers, Integers]:
        """Give the cells that a cut would move to the right half, and the numbers of the halves."""
        which = np.full(len(self), -1)
        which[old] = np.arange(len(chosen))
        mine = which[self.group[cells]]
        inside, mine = cells[mine >= 0], mine[mine >= 0]
        right = self.places[chosen.column[mine], inside] >= chosen.place[mine]
        first_new = len(self) - len(chosen)
        return inside[right], first_new + mine[right]


# ----------------------------------------------------------------------------------------------------
# All the places at which a group could be cut in two, for many groups at once.
# ----------------------------------------------------------------------------------------------------


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
    >>> from sidelight.table.table import Column
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
