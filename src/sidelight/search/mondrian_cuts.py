"""Mondrian's rules: where may a group be cut in two, in which order does it try its cuts, and what do cuts leave?

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

Where the people stand is no matter of the rules.  One machine (`mondrian.cut_groups`) asks any store for generations of
groups, the rules ask open groups for ranks and people in line, acceptance asks them for both halves of cuts, and the
store for the release that was made so far:

Stores      In memory (`mondrian_frontier`): the keys of open groups, side by side.  Streamed (`mondrian_streamed`):
            histograms of rows that are never all held, and stores in memory for what fits.
Invariant   Whichever store: the same groups with the same numbers in the same order.
Apart       Three things differ for speed.  In memory the release so far is a roll-up of the keys, made only where
            floats are too close to tell: one pass over keys, which are at hand.  A streamed store has no keys of groups
            that are finished, so it notes the counts of both halves of each cut that depends on others, which counts
            them twice.  And right halves are numbered as they are made; streamed, parts of the people are finished one
            after another, and numbered at the end by a tree of all cuts (`RoutingTree`), about 60 bytes per group.
Recorded    The cuts that were made while there were fewer than 2^h groups, h = `EFFORT.cut_levels`.  After h
            generations there are at most 2^h, so these are all cuts of the first h levels, and at most 2^(h + 1)
            whatever the table's size; of the others only how many go along each column.

Source: LeFevre, DeWitt and Ramakrishnan, Mondrian, ICDE 2006.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, run_starts, sum_equal_rows
from sidelight.search.effort import EFFORT, map_on_cores
from sidelight.search.utility import candidate_groups
from sidelight.table.labels import shown
from sidelight.table.table import Counts, Table

if TYPE_CHECKING:
    from sidelight.release.groups import Groups
    from sidelight.search.mondrian import Acceptance
    from sidelight.search.orders import Order
    from sidelight.search.policy_check import PolicyCheck
    from sidelight.streams.streamed_table import AnyTable


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
        """The people of the smaller half."""
        smaller: Integers = np.minimum(self.left, self.people - self.left)
        return smaller

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
        packed = np.multiply(group, width, dtype=kind, casting="unsafe")
        np.add(packed, rank, out=packed, casting="unsafe")
        if (people == 1).all():
            packed.sort()
            return cls.from_sorted(packed, np.arange(len(packed) + 1), groups=groups, width=width)
        (keys,), standing = sum_equal_rows([packed.astype(np.int64)], people.astype(np.int64))
        return cls.from_sorted(keys, np.concatenate(([0], np.cumsum(standing))), groups=groups, width=width)

    @classmethod
    def from_sorted(cls, place: npt.NDArray[np.integer], before: Integers, *, groups: int, width: int) -> Line:
        """Build a line of places that stand in order, as a GROUP BY gives them, and the people before each."""
        edges = np.searchsorted(place, np.arange(groups + 1, dtype=np.int64) * width)
        return cls(place, before, width, edges)

    def _rank(self, row: Integers, group: Integers) -> Integers:
        return self.place[row].astype(np.int64) - group * self.width

    def _row(self, group: Integers, rank: Integers) -> Integers:
        return np.searchsorted(self.place, (group * self.width + rank).astype(self.place.dtype))

    def medians(self, order: Order, column: int, number: Integers) -> Cuts:
        """Return the most balanced cut of each group that has one; `number` has the groups' own numbers."""
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
        rank = self._rank(np.where(use_low, behind_low, behind_high), group)
        return Cuts(number[group], np.full(len(group), column), rank, np.where(use_low, at_low, at_high), people)

    def borders(self, order: Order, column: int, number: Integers) -> Cuts:
        """Return all cuts, sorted by group and rank; `number` has the groups' own numbers."""
        row = np.flatnonzero(run_starts([self.place]))
        group = np.searchsorted(self.edges, row, side="right") - 1
        rank = self._rank(row, group)
        deepest = order.depth(*(self._rank(at, np.arange(len(at))) for at in (self.edges[:-1], self.edges[1:] - 1)))
        # there is a border before each entry of a group but the first; only the deepest of a group are kept
        inner = np.flatnonzero(group[1:] == group[:-1]) + 1
        inner = inner[order.depth(rank[inner - 1], rank[inner]) == deepest[group[inner]]]
        group, left = group[inner], self.before[row[inner]] - self.before[self.edges[group[inner]]]
        people = np.diff(self.before[self.edges])[group]
        return Cuts(number[group], np.full(len(group), column), rank[inner], left, people)


def cuts_along(
    order: Order, group: Integers, rank: Integers, people: Integers, *, groups: int, column: int = 0
) -> Cuts:
    """Find all cuts of groups 0, 1, … along a column, sorted by group and rank; keys are given one by one.

    >>> from sidelight.search.orders import order_of
    >>> from sidelight.table.labels import Column
    >>> order = order_of(Column.of("age", ["1", "2", "4"]))
    >>> cuts = cuts_along(order, np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([5, 2, 2]), groups=1)
    >>> cuts.rank.tolist(), cuts.left.tolist(), cuts.people.tolist()
    ([1, 2], [5, 7], [9, 9])
    """
    line = Line.from_people(group, rank, people, groups=groups, width=len(order))
    return line.borders(order, column, np.arange(groups))


@dataclass(eq=False, slots=True)
class Proposals:
    """The cuts that groups try, in their order: `medians` first, then all `others`.

    `undecided` says which groups still try some; a group that is decided is marked there between two rounds.  With a
    `target`, how often each of its labels occurs in each key, columns come in the order of how much their cut tells.
    """

    groups: OpenGroups
    orders: tuple[Order, ...]
    target: Counts | None = None
    least: int = 1  # people that a half must have
    undecided: Flags = field(default_factory=lambda: np.zeros(0, bool))  # default: all
    _score: Floats = field(init=False)  # column × group: those with the highest come first; −∞ cannot be cut

    def __post_init__(self) -> None:
        if len(self.undecided) != self.groups.groups:
            self.undecided = np.ones(self.groups.groups, bool)
        first, last = self.groups.extents()
        spread = [
            (order.position[high] - order.position[low]) / order.width
            for order, low, high in zip(self.orders, first, last, strict=True)
        ]
        self._score = np.where(first < last, np.stack(spread), -np.inf)
        if self.target is not None:
            self._score = self._gains(self.target)

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
        cuts_by_line = []
        for along, number, line in self.groups.lines(group, column):
            cuts = line.borders(self.orders[along], along, number)
            # 0 stands for none: the right half of a cut begins at rank 1 at least
            median = np.zeros(self.groups.groups, np.int64)
            medians = line.medians(self.orders[along], along, number)
            median[medians.group] = medians.rank
            cuts_by_line.append(self._large(cuts.take(cuts.rank != median[cuts.group])))
        cuts = Cuts.concatenate(cuts_by_line)
        imbalance = np.abs(2 * cuts.left - cuts.people)
        return cuts.take(np.lexsort((cuts.rank, imbalance, rank[cuts.column, cuts.group], cuts.group)))

    def _large(self, cuts: Cuts) -> Cuts:
        return cuts.take(cuts.smaller >= self.least)

    def _medians(self, group: Integers, column: Integers) -> Cuts:
        lines = self.groups.lines(group, column)
        return Cuts.concatenate([line.medians(self.orders[along], along, number) for along, number, line in lines])

    def _gains(self, target: Counts) -> Floats:
        """Return how much the most balanced cut tells about the target, column × group: n·H − Σ n·H of the halves."""
        column, group = np.nonzero(self._score > -np.inf)
        medians = self._medians(group, column)
        gains = np.full(self._score.shape, -np.inf)
        for rows, counts in self.groups.count_sides(medians, target):
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


class OpenGroups(ABC):
    """Groups with cuts to choose from.

    Of those that are not held only cuts are kept, and what is beside them; the rules ask the others for `extents`
    and `lines`.
    """

    table: Table  # whose values and semantics they have
    numbers: Integers  # of the groups, in the store
    totals: Integers  # how often each value occurs in the whole table

    @property
    def groups(self) -> int:
        """The number of groups, which are numbered from 0."""
        return len(self.numbers)

    def propose(self, acceptance: Acceptance, undecided: Flags) -> Iterator[tuple[Cuts, OpenGroups]]:
        """Propose the most balanced cuts, then all others, of groups that are undecided by then; with their groups."""
        proposals = acceptance.proposals(self, undecided)
        yield acceptance.medians(proposals), self
        yield acceptance.others(proposals), self

    def extents(self) -> tuple[Integers, Integers]:
        """Return the first and the last rank that occur: (columns, groups) each."""
        raise NotImplementedError

    def lines(self, group: Integers, column: Integers) -> Iterator[tuple[int, Integers, Line]]:
        """Yield the people of some groups in line, each along its column: the column, the groups, their line."""
        raise NotImplementedError

    @abstractmethod
    def count_sides(self, cuts: Cuts, counts: Counts | None = None) -> Iterator[tuple[Integers, Integers]]:
        """Count values beside cuts, block by block: rows of the cuts; (2 · rows, values), all left sides first.

        With `counts`, what single keys have, groups of keys count that instead.
        """

    def halves(self, cuts: Cuts) -> Iterator[tuple[Integers, Groups]]:
        """Count what is left and right of each cut, a block at a time: first all left halves, then all right ones."""
        for rows, counts in self.count_sides(cuts):
            block = cuts.take(rows)
            sizes = np.concatenate((block.left, block.people - block.left))
            yield rows, candidate_groups(self.table, sizes, Counts(counts.shape, cells=counts), self.totals)

    def may_hold_in_halves(self, cuts: Cuts, policy: PolicyCheck) -> Flags:
        """Return which cuts leave two halves that each keep the policy on their own, or may once in a run of cuts."""
        # people are at hand; values are counted only for cuts that leave enough of them on both sides
        holds: Flags = cuts.smaller >= (policy.least_group_size or 1)
        if not policy.only_group_sizes:
            large = np.flatnonzero(holds)
            holds[large] = self.judge_halves(cuts.take(large), partial(policy.holds_in_each, if_close=True))
        return holds

    def judge_halves(self, cuts: Cuts, judge: Callable[[Groups], Flags]) -> Flags:
        """Return which cuts leave two halves that are each judged to hold."""
        holds = np.zeros(len(cuts), bool)

        def judge_block(block: tuple[Integers, Groups]) -> tuple[Integers, Flags]:
            rows, halves = block
            # (2 · rows,), left halves first → (2, rows)
            left, right = judge(halves).reshape(2, -1)
            return rows, left & right

        for rows, both in map_on_cores(judge_block, self.halves(cuts), keys=len(cuts)):
            holds[rows] = both
        return holds

    def count_both(self, cuts: Cuts, kind: npt.DTypeLike = np.int64) -> npt.NDArray[np.integer]:
        """Count values left of all cuts, and right of them, (2, cuts, values), in numbers of a kind."""
        beside = np.zeros((2, len(cuts), len(self.totals)), kind)
        for rows, counts in self.count_sides(cuts):
            # (2 · rows, values), left sides first → (2, rows, values)
            beside[:, rows] = counts.reshape(2, len(rows), -1)
        return beside


@dataclass(eq=False)
class Store(ABC):
    """The groups that cuts have made: the box of ranks that each covers, and where its people are kept."""

    table: AnyTable
    orders: tuple[Order, ...]
    start: Integers = field(init=False)  # (groups, columns); everybody is one group at first
    stop: Integers = field(init=False)
    first_cuts: list[Cuts] = field(init=False, default_factory=list)  # of the first levels; groups by their numbers
    along: Counter[int] = field(init=False, default_factory=Counter)  # column → cuts

    def __post_init__(self) -> None:
        self.start, self.stop = np.zeros((1, len(self.orders)), np.int64), np.array([[*map(len, self.orders)]])

    def __len__(self) -> int:
        return len(self.start)

    @abstractmethod
    def generations(self, least: int) -> Iterator[OpenGroups]:
        """Yield groups to cut until none can be; each must be cut before the next are drawn.

        Groups with fewer than twice `least` people are never given.
        """

    @abstractmethod
    def split(self, generation: OpenGroups, cuts: Cuts, run: int) -> None:
        """Cut groups in two, each at most once: left halves keep their numbers, right ones get the next."""

    @abstractmethod
    def release(self) -> Groups:
        """Return the groups made so far as one release, in the order of their numbers."""

    def _divide_boxes(self, cuts: Cuts, old: Integers) -> Integers:
        """Divide the boxes of groups with these numbers, and return the numbers of their right halves."""
        new = len(self.start) + np.arange(len(cuts))
        # all cuts of the first levels are made while there are fewer groups than that
        if len(self.start) < 2**EFFORT.cut_levels:
            self.first_cuts.append(replace(cuts, group=old))
        self.along.update(dict(enumerate(np.bincount(cuts.column).tolist())))
        # right halves begin with the box of the whole group; the cut then moves one border of each half
        self.start, self.stop = np.vstack((self.start, self.start[old])), np.vstack((self.stop, self.stop[old]))
        self.stop[old, cuts.column] = cuts.rank
        self.start[new, cuts.column] = cuts.rank
        return new

    def cut_tree(self, people: int) -> CutTree:
        """Return the tree of the cuts that made the groups."""
        along = {order.name: self.along[at] for at, order in enumerate(self.orders) if self.along[at]}
        return CutTree(self.orders, people, self.start, self.stop, Cuts.concatenate(self.first_cuts), along)


@dataclass(frozen=True, slots=True)
class CutNode:
    """A group as it once was: everybody, or one half of a cut; what it holds of the column that was cut last."""

    parent: int | None  # its place among the nodes; None: everybody
    column: str  # that was cut last; empty: none
    holds: str  # of that column, as it would be printed
    people: int
    groups: int  # that are published of these people
    cut: bool  # whether its halves are nodes too


@dataclass(frozen=True, eq=False, slots=True)
class CutTree:
    """The cuts that made a release, the first of them in the order in which they were made."""

    orders: tuple[Order, ...]
    people: int
    start: Integers  # group × column: the boxes of the groups that are published
    stop: Integers
    first: Cuts  # of the first levels
    along: dict[str, int]  # column → cuts; columns that nothing was cut along are not there

    def top(self) -> tuple[CutNode, ...]:
        """Return everybody, and the halves of the first cuts of each group; halves follow what they are halves of."""
        cuts, nodes = self.first, list[CutNode]()

        def add(
            number: int,
            made_by: int,
            box: Integers,
            people: int,
            *,
            column: int | None = None,
            above: int | None = None,
        ) -> None:
            """Add a group, by its number and the cut that made it (−1: none), and then its halves."""
            parent, index, level = above, len(nodes), 0
            while parent is not None:
                parent, level = nodes[parent].parent, level + 1
            # a left half keeps its group's number, so only cuts made after this node are cuts of it
            later = np.flatnonzero((cuts.group == number) & (np.arange(len(cuts)) > made_by))
            is_cut = level < EFFORT.cut_levels and len(later) > 0
            # boxes tile: a published group is below a node exactly when its box is inside the node's
            groups = int(((self.start >= box[0]) & (self.stop <= box[1])).all(axis=1).sum())
            name = holds = ""
            if column is not None:
                order, (start, stop) = self.orders[column], box[:, column].tolist()
                name, holds = order.name, f"{shown(order.labels[start])} … {shown(order.labels[stop - 1])}"
                if order.numeric or stop - start <= EFFORT.tiled_labels:
                    holds = shown(order.label_of(start, stop))
            nodes.append(CutNode(above, name, holds, people, groups, is_cut))
            if is_cut:
                at = int(later[0])
                along, left, low, high = int(cuts.column[at]), int(cuts.left[at]), box.copy(), box.copy()
                low[1, along] = high[0, along] = cuts.rank[at]
                # everybody is group 0, and each cut numbers one more
                add(number, at, low, left, column=along, above=index)
                add(at + 1, at, high, people - left, column=along, above=index)

        add(0, -1, np.array([[0] * len(self.orders), [len(order) for order in self.orders]]), self.people)
        return tuple(nodes)
