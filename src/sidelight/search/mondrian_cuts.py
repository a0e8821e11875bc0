"""Mondrian's rules: where may a group be cut in two, and in which order does it try its cuts?

Symbols     A *key* q is a distinct combination of quasi-identifier values, n_q its people, r_c(q) its rank in column c
            (`orders`).  A group is a set of keys that fills a box of ranks.  A cut (g, c, p) sends the keys of g with
            r_c(q) < p to the left half and the others to the right one.
Candidates  Between each two neighbouring ranks that occur in a group, but only at its deepest borders (`Order.depth`):
            along a hierarchy a group is cut between the coarsest nodes that it spans.  Nodes are stretches of ranks, so
            the deepest level h of a group is that at which its first and last rank differ, and its candidates are the
            places where the node of level h changes.
Median      With people in line by rank, the most balanced candidate stands before or behind the node of level h in
            which half of them are reached: two lookups for each group, once its people stand in line.
Order       Each group tries the most balanced cut of each column first, columns by how widely the group spreads along
            them (or by information gain), then all other cuts, by column and balance.  Of equally balanced cuts the
            lowest comes first, of equally wide columns the first.  Cuts with a half below `least` people never pass.
Lazy        Columns are put in line as they come: nobody is sorted along a column that no group gets to try.
Seam        The rules ask how people stand, and not where they are kept: whoever counts people by group, column and
            rank can answer (`mondrian_store.OpenGroups`).

Source: LeFevre, DeWitt and Ramakrishnan, Mondrian, ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, run_starts, sum_equal_rows
from sidelight.search.orders import Order
from sidelight.table.counts import Counts

if TYPE_CHECKING:
    from sidelight.search.mondrian_store import OpenGroups


@dataclass(frozen=True, eq=False, slots=True)
class Cuts:
    """Cuts of several groups along several columns, in the order in which each group would try them."""

    group: Integers  # of the generation at hand
    column: Integers
    rank: Integers  # the first rank of the right half
    left: Integers  # people before that rank
    people: Integers  # people of the whole group

    def __len__(self) -> int:
        return len(self.group)

    @classmethod
    def concatenate(cls, parts: Sequence[Cuts]) -> Cuts:
        """Concatenate cuts."""
        if not parts:
            return cls(*(np.zeros(0, np.int64) for _ in range(5)))
        columns = zip(*((each.group, each.column, each.rank, each.left, each.people) for each in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    @property
    def smaller(self) -> Integers:
        """How many people the smaller half has."""
        smaller: Integers = np.minimum(self.left, self.people - self.left)
        return smaller

    @property
    def imbalance(self) -> Integers:
        """How many people more one half has than the other."""
        imbalance: Integers = np.abs(2 * self.left - self.people)
        return imbalance

    def take(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Cuts:
        """Return some of them."""
        return Cuts(self.group[rows], self.column[rows], self.rank[rows], self.left[rows], self.people[rows])

    def sort_by_group(self) -> Cuts:
        """Return them in the order of the groups; those of a group keep theirs."""
        return self.take(np.argsort(self.group, kind="stable"))

    def first_of_each(self) -> Integers:
        """Return the row of each group's first cut, in the order of the groups."""
        return np.unique(self.group, return_index=True)[1]


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """The people of some groups (0, 1, …, none empty), in line by their ranks along one column.

    `place` is group · width + rank, rising; equal places may stand side by side, as one line each or added up.
    """

    place: npt.NDArray[np.integer]
    before: Integers  # people before each place; one more: all of them
    width: int
    edges: Integers  # the row at which each group begins; one more: the end

    @classmethod
    def from_people(
        cls,
        group: npt.NDArray[np.integer],
        rank: npt.NDArray[np.integer],
        people: npt.NDArray[np.integer],
        *,
        groups: int,
        width: int,
    ) -> Line:
        """Build the line of people who are given in any order: one sort.

        >>> line = Line.from_people(np.array([0, 1, 0]), np.array([2, 0, 1]), np.array([1, 1, 1]), groups=2, width=3)
        >>> line.place.tolist(), line.before.tolist(), line.edges.tolist()
        ([1, 2, 3], [0, 1, 2, 3], [0, 2, 3])
        """
        # half as wide is twice as quick to sort
        kind: npt.DTypeLike = np.uint32 if groups * width < 2**32 else np.int64
        place = np.multiply(group, width, dtype=kind, casting="unsafe")
        np.add(place, rank, out=place, casting="unsafe")
        if (people == 1).all():
            place.sort()
            return cls.from_sorted(place, np.arange(len(place) + 1), groups=groups, width=width)
        (places,), standing = sum_equal_rows([place.astype(np.int64)], people.astype(np.int64))
        return cls.from_sorted(places, np.concatenate(([0], np.cumsum(standing))), groups=groups, width=width)

    @classmethod
    def from_sorted(cls, place: npt.NDArray[np.integer], before: Integers, *, groups: int, width: int) -> Line:
        """Build a line of places that stand in order, as a GROUP BY gives them, and the people before each."""
        edges = np.searchsorted(place, np.arange(groups + 1, dtype=np.int64) * width)
        return cls(place, before, width, edges)

    @property
    def people(self) -> Integers:
        """How many people each group has."""
        return np.diff(self.before[self.edges])

    def _rank(self, row: Integers, group: Integers) -> Integers:
        return self.place[row].astype(np.int64) - group * self.width

    def _row(self, group: Integers, rank: Integers) -> Integers:
        return np.searchsorted(self.place, (group * self.width + rank).astype(self.place.dtype))

    def medians(self, order: Order) -> tuple[Integers, Integers, Integers, Integers]:
        """Return the most balanced cut of each group that has one: the group, the rank, the people left and in all."""
        start, stop = self.edges[:-1], self.edges[1:]
        every = np.arange(len(start))
        first, last = self._rank(start, every), self._rank(stop - 1, every)
        group = np.flatnonzero(first < last)
        start, stop, base = start[group], stop[group], self.before[start[group]]
        people = self.before[stop] - base
        # the node in which half of the people are reached, of the level at which the group's ends differ
        middle = np.searchsorted(self.before, base + (people + 1) // 2) - 1
        low, high = order.stretch(order.depth(first[group], last[group]), self._rank(middle, group))
        # everybody in front of `low` is less than half, everybody in front of `high` at least half
        behind_low, behind_high = self._row(group, low), self._row(group, np.minimum(high, self.width - 1))
        behind_high = np.where(high < self.width, behind_high, stop)
        at_low, at_high = self.before[behind_low] - base, self.before[behind_high] - base
        # of the two borders of the median's node the more balanced one; at an end of the group there is none
        use_low = (behind_low > start) & ((behind_high == stop) | (people - 2 * at_low <= 2 * at_high - people))
        row = np.where(use_low, behind_low, behind_high)
        return group, self._rank(row, group), np.where(use_low, at_low, at_high), people

    def borders(self, order: Order) -> tuple[Integers, Integers, Integers, Integers]:
        """Return all cuts, sorted by group and rank: the groups, the ranks, the people left and in all."""
        row = np.flatnonzero(run_starts([self.place]))
        group = np.searchsorted(self.edges, row, side="right") - 1
        rank = self._rank(row, group)
        deepest = order.depth(*(self._rank(at, np.arange(len(at))) for at in (self.edges[:-1], self.edges[1:] - 1)))
        # a border stands before each place of a group but the first; only the deepest of a group are kept
        inner = np.flatnonzero(group[1:] == group[:-1]) + 1
        inner = inner[order.depth(rank[inner - 1], rank[inner]) == deepest[group[inner]]]
        group = group[inner]
        return group, rank[inner], self.before[row[inner]] - self.before[self.edges[group]], self.people[group]


def cuts_along(
    order: Order, group: Integers, rank: Integers, people: Integers, *, groups: int, column: int = 0
) -> Cuts:
    """Find all cuts of groups 0, 1, … along a column, sorted by group and rank; keys are given one by one.

    >>> from sidelight.search.orders import order_of
    >>> from sidelight.table.table import Column
    >>> order = order_of(Column.of("age", ["1", "2", "4"]))
    >>> cuts = cuts_along(order, np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([5, 2, 2]), groups=1)
    >>> cuts.rank.tolist(), cuts.left.tolist(), cuts.people.tolist()
    ([1, 2], [5, 7], [9, 9])
    """
    line = Line.from_people(group, rank, people, groups=groups, width=len(order))
    return _number_cuts(column, np.arange(groups), line.borders(order))


def _number_cuts(column: int, number: Integers, cuts: tuple[Integers, Integers, Integers, Integers]) -> Cuts:
    """Return cuts with the groups' own numbers, for those in the line."""
    group, rank, left, people = cuts
    return Cuts(number[group], np.full(len(group), column), rank, left, people)


@dataclass(eq=False, slots=True)
class Proposals:
    """The cuts that groups try, in their order: `medians` first, then all `others`.

    `undecided` says which groups still try some; whoever decides a group says so there between two rounds.  With a
    `target`, how often each of its labels occurs in each key, columns come in the order of what their cut tells of it.
    """

    standing: OpenGroups
    orders: tuple[Order, ...]
    target: Counts | None = None
    least: int = 1  # people that a half must have
    undecided: Flags = field(default_factory=lambda: np.zeros(0, bool))  # default: all
    _score: Floats = field(init=False)  # column × group: those with the highest come first; −∞ cannot be cut

    def __post_init__(self) -> None:
        if len(self.undecided) != self.standing.groups:
            self.undecided = np.ones(self.standing.groups, bool)
        first, last = self.standing.extents()
        spread = [
            (order.position[high] - order.position[low]) / order.width
            for order, low, high in zip(self.orders, first, last, strict=True)
        ]
        self._score = np.where(first < last, np.stack(spread), -np.inf)
        if self.target is not None:
            self._score = self._gains(self.target)

    def rounds(self) -> Iterator[Cuts]:
        """Yield all cuts, for groups that are decided one by one."""
        yield from self.medians()
        yield self.others()

    def medians(self) -> Iterator[Cuts]:
        """Yield the most balanced cut of the column that each group tries first, then of the next, and so on.

        A round has at most one cut of a group, in the order of the groups.
        """
        left = self._score.copy()
        while True:
            column = np.argmax(left, axis=0)
            group = np.flatnonzero(self.undecided & (left[column, np.arange(len(column))] > -np.inf))
            if not len(group):
                return
            # struck out, so that argmax finds the next column in the next round
            left[column[group], group] = -np.inf
            yield self._large(self._medians(group, column[group])).sort_by_group()

    def others(self) -> Cuts:
        """Return all cuts but the most balanced ones, by group, then by column, then by balance."""
        column, group = np.nonzero(self.undecided & (self._score > -np.inf))
        # sorted twice: the position of each column in the group's order
        rank = np.argsort(np.argsort(-self._score, axis=0, kind="stable"), axis=0)
        parts = []
        for along, number, line in self.standing.lines(group, column):
            cuts = _number_cuts(along, number, line.borders(self.orders[along]))
            # 0 stands for none: the right half of a cut begins at rank 1 at least
            median = np.zeros(self.standing.groups, np.int64)
            medians = _number_cuts(along, number, line.medians(self.orders[along]))
            median[medians.group] = medians.rank
            parts.append(self._large(cuts.take(cuts.rank != median[cuts.group])))
        cuts = Cuts.concatenate(parts)
        return cuts.take(np.lexsort((cuts.rank, cuts.imbalance, rank[cuts.column, cuts.group], cuts.group)))

    def _large(self, cuts: Cuts) -> Cuts:
        return cuts.take(cuts.smaller >= self.least)

    def _medians(self, group: Integers, column: Integers) -> Cuts:
        lines = self.standing.lines(group, column)
        return Cuts.concatenate(
            [_number_cuts(along, number, line.medians(self.orders[along])) for along, number, line in lines]
        )

    def _gains(self, target: Counts) -> Floats:
        """Return how much the most balanced cut tells about the target, column × group: n·H − Σ n·H of the halves."""
        column, group = np.nonzero(self._score > -np.inf)
        medians = self._medians(group, column)
        gains = np.full(self._score.shape, -np.inf)
        for rows, counts in self.standing.count_beside(medians, target):
            left, right = np.split(counts, 2)
            gain = _uncertainty(left + right) - _uncertainty(left) - _uncertainty(right)
            gains[medians.column[rows], medians.group[rows]] = gain
        return gains


def _uncertainty(counts: Integers) -> Floats:
    """Return n·H of each row."""
    # 0 · log 0 = 0
    total = counts.sum(axis=1)
    logs = np.log(np.maximum(counts, 1))
    uncertain: Floats = total * np.log(np.maximum(total, 1)) - (counts * logs).sum(axis=1)
    return uncertain
