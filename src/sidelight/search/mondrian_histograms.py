"""Mondrian's frontier as histograms: how the people of open groups stand along each column, and no keys at all.

Symbols     Group g covers the box [start, stop) of ranks.  Its *cells* are the pairs (column c, rank r) with
            start_gc ≤ r < stop_gc; n_gc(r, v) counts v, a *lane*: a sensitive value, or people.
Summary     Every row of a table adds its amount to one cell of each column: n is a sum over rows, so the histograms of
            blocks of rows, wherever they were counted, merge by addition.  A plain function of arrays does it
            (`Boxes.add`), on one machine or many.
Enough      The rules (`mondrian_cuts`) ask for first and last ranks, people in line by rank, and values beside cuts:
            the first cells with people, the cells in their order, and prefix sums of the lanes.
Lanes       Where sizes alone are limited: people.  Where everybody has one value: the values, which add up to people.
            Else the values, and people after them.
Routing     A row's group is found by its ranks, down the tree of cuts that were made: one step per generation, all rows
            of a block at once.
Cost        One pass over the rows per generation, and cells × lanes numbers: Σ_g Σ_c (stop_gc − start_gc), which is all
            labels of all columns at first and grows by about √2 with each generation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers, ranges
from sidelight.errors import BadPolicy, parameter
from sidelight.search.mondrian_cuts import Cuts, Line
from sidelight.search.mondrian_store import AT_ONCE, OpenGroups
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.counts import CELLS_AT_ONCE, Counts
from sidelight.table.table import Table

Ranks = npt.NDArray[np.int32]
"""Column × row."""


@dataclass(eq=False, slots=True)
class RoutingTree:
    """The cuts that were made: down which of them does a row go, and in which group does it end?

    Node 0 is everybody; a node that was cut has a column, a rank and two nodes below it, one that was not is its own
    below, so that rows stay there.

    >>> tree = RoutingTree()
    >>> tree.cut(np.array([0]), np.array([1]), np.array([30]), np.array([1]))
    >>> tree.groups_of(np.array([[7, 7], [29, 30]], np.int32)).tolist()
    [0, 1]
    """

    column: Integers = field(default_factory=lambda: np.zeros(1, np.int64))
    rank: Integers = field(default_factory=lambda: np.zeros(1, np.int64))
    below: Integers = field(default_factory=lambda: np.zeros(2, np.int64))  # 2 · node: left, 2 · node + 1: right
    depth: Integers = field(default_factory=lambda: np.zeros(1, np.int64))
    leaf: Integers = field(default_factory=lambda: np.zeros(1, np.int64))  # per group
    group: Integers = field(default_factory=lambda: np.zeros(1, np.int64))  # per node, of those that were not cut

    def cut(self, group: Integers, column: Integers, rank: Integers, new: Integers) -> None:
        """Cut groups in two, each at most once: left halves keep their numbers, right ones have `new` ones."""
        node, left = self.leaf[group], len(self.column) + np.arange(len(group))
        right = left + len(group)
        self.column[node], self.rank[node] = column, rank
        self.below[2 * node], self.below[2 * node + 1] = left, right
        halves = np.concatenate((left, right))
        self.column = np.append(self.column, np.zeros(len(halves), np.int64))
        self.rank = np.append(self.rank, np.zeros(len(halves), np.int64))
        self.below = np.append(self.below, np.repeat(halves, 2))
        self.depth = np.append(self.depth, np.tile(self.depth[node] + 1, 2))
        self.group = np.append(self.group, np.concatenate((group, new)))
        self.leaf = np.append(self.leaf, np.zeros(int(new.max(initial=-1)) + 1 - len(self.leaf), np.int64))
        self.leaf[group], self.leaf[new] = left, right

    def groups_of(self, ranks: Ranks) -> Integers:
        """Return the group of each row; `ranks` is (columns, rows)."""
        column, rank, below = (each.astype(np.int32) for each in (self.column, self.rank, self.below))
        deepest, groups = int(self.depth.max()), np.empty(ranks.shape[1], np.int64)
        for first in range(0, len(groups), AT_ONCE.rows):
            block = ranks[:, first : first + AT_ONCE.rows]
            flat, rows = block.ravel(), block.shape[1]
            node, places = np.zeros(rows, np.int32), np.arange(rows, dtype=np.int32)
            # rows whose group is not cut any further stay at its node, which is its own below
            for _ in range(deepest):
                # `flat` is (columns, rows) as one axis: each row is looked up in the column that its node was cut along
                cell = np.take(column, node)
                cell *= rows
                cell += places
                right = np.take(flat, cell) >= np.take(rank, node)
                node *= 2
                node += right
                node = np.take(below, node)
            groups[first : first + rows] = self.group[node]
        return groups


@dataclass(frozen=True, slots=True)
class Lanes:
    """What is counted in each cell: values, one lane each, and then people unless the values add up to them."""

    values: int
    people: bool

    @classmethod
    def from_policy(cls, table: Table, policy: PolicyCheck) -> Lanes:
        """Return the lanes that a policy asks for."""
        if policy.only_group_sizes:
            return cls(0, people=True)
        return cls(len(table.domain), people=table.semantics != "single")

    def __len__(self) -> int:
        return self.values + self.people

    def find_lanes(self, people: Integers, value: Integers, count: Integers) -> tuple[Integers, Integers]:
        """Return each row's lane and amount, 0 where it adds nothing; rows are of people or of values."""
        if self.values == 0:
            return np.zeros(len(people), np.int64), people
        if not self.people:
            return value, count
        return np.where(people > 0, self.values, value), np.where(people > 0, people, np.where(value < 0, 0, count))


@dataclass(frozen=True, eq=False, slots=True)
class Boxes:
    """Where the cells of some groups stand, column by column and group by group, from 1; 0 is before them all."""

    start: Integers  # group × column
    stop: Integers
    lanes: Lanes

    @property
    def edges(self) -> Integers:
        """The first cell of each group, column × (group + 1); the last of a column is the first of the next."""
        # (columns, groups): cells stand column by column, and in a column group by group
        widths = (self.stop - self.start).T
        ends = 1 + np.cumsum(widths.ravel()).reshape(widths.shape)
        return np.hstack((ends[:, :1] - widths[:, :1], ends))

    @property
    def cells(self) -> int:
        """How many there are."""
        return int((self.stop - self.start).sum())

    def add(
        self,
        histogram: npt.NDArray[np.integer],
        group: Integers,
        ranks: Ranks,
        lane: Integers,
        amount: npt.NDArray[np.integer],
    ) -> None:
        """Add rows, each in a group (numbered from 0), to a histogram: (cells + 1) × lanes."""
        flat, amounts = histogram.reshape(-1), amount.astype(histogram.dtype)
        origins = self.edges[:, :-1] - self.start.T  # where rank 0 would stand
        for origin, rank in zip(origins, ranks, strict=True):
            # unlike +=, this adds every row where several fall into one cell
            np.add.at(flat, (origin[group] + rank) * len(self.lanes) + lane, amounts)

    def empty(self, most: int) -> npt.NDArray[np.integer]:
        """Return an empty histogram, (cells + 1, lanes), for amounts that add up to at most `most` in each column."""
        # prefix sums run through all columns, and so reach most · columns
        kind = np.int32 if most * self.start.shape[1] < 2**31 else np.int64
        return np.zeros((self.cells + 1, len(self.lanes)), kind)


@dataclass(eq=False)
class CountedGroups(OpenGroups):
    """Groups that may be cut, numbered from 0, by the histogram of their people."""

    table: Table  # whose values and semantics they have
    numbers: Integers  # of the groups, in the store
    boxes: Boxes
    upto: npt.NDArray[np.integer]  # prefix sums of the histogram: (cells + 1) × lanes, each cell's own included
    widths: tuple[int, ...]  # how many ranks each column has
    totals: Integers  # how often each value occurs in the table

    @classmethod
    def from_histogram(
        cls, table: Table, numbers: Integers, boxes: Boxes, histogram: npt.NDArray[np.integer], widths: Sequence[int]
    ) -> CountedGroups:
        """Build the groups from a histogram, which is used up."""
        np.cumsum(histogram, axis=0, dtype=histogram.dtype, out=histogram)
        return cls(table, numbers, boxes, histogram, tuple(widths), table.counts.totals())

    @cached_property
    def edges(self) -> Integers:
        """The first cell of each group, column × (group + 1)."""
        return self.boxes.edges

    @cached_property
    def people_upto(self) -> Integers:
        """People in each cell and all before it."""
        if self.boxes.lanes.people:
            return self.upto[:, -1].astype(np.int64)
        people: Integers = self.upto.sum(axis=1, dtype=np.int64)
        return people

    @cached_property
    def cells_with_people(self) -> Integers:
        """The cells that somebody is in."""
        return np.flatnonzero(np.diff(self.people_upto)) + 1

    @property
    def people(self) -> Integers:
        """How many people each group has."""
        people: Integers = np.diff(self.people_upto[self.edges[0] - 1])
        return people

    @property
    def counts(self) -> Integers:
        """How often each value occurs in each group."""
        counted = self.upto[self.edges[0] - 1, : self.boxes.lanes.values]
        counts: Integers = np.diff(counted, axis=0).astype(np.int64)
        return counts

    def extents(self) -> tuple[Integers, Integers]:
        """Return the first and the last rank that occur, column × group."""
        start, stop = self.edges[:, :-1], self.edges[:, 1:]
        origin = start - self.boxes.start.T
        first = self.cells_with_people[np.searchsorted(self.cells_with_people, start)]
        last = self.cells_with_people[np.searchsorted(self.cells_with_people, stop) - 1]
        return first - origin, last - origin

    def lines(self, group: Integers, column: Integers) -> Iterator[tuple[int, Integers, Line]]:
        """Yield the people of some groups in line, each along its column: the column, the groups, their line."""
        for along in np.unique(column).tolist():
            chosen = group[column == along]
            edges, width = self.edges[along], self.widths[along]
            start, stop = (np.searchsorted(self.cells_with_people, each) for each in (edges[chosen], edges[chosen + 1]))
            number, rows = ranges(start, stop)
            cell = self.cells_with_people[rows]
            rank = cell - (edges[chosen] - self.boxes.start[chosen, along])[number]
            people = self.people_upto[cell] - self.people_upto[cell - 1]
            standing = np.concatenate(([0], np.cumsum(people)))
            yield along, chosen, Line.from_sorted(number * width + rank, standing, groups=len(chosen), width=width)

    def count_sides(self, cuts: Cuts) -> Iterator[tuple[Integers, Integers]]:
        """Count values beside cuts, block by block: differences of prefix sums."""
        values = self.boxes.lanes.values
        at_once = max(CELLS_AT_ONCE // max(values, 1), 1)
        for first in range(0, len(cuts), at_once):
            rows = np.arange(first, min(first + at_once, len(cuts)))
            block = cuts.take(rows)
            first_cell, end = (self.edges[block.column, block.group + behind] for behind in (0, 1))
            cut = first_cell + block.rank - self.boxes.start[block.group, block.column]
            # the sums include a cell's own people, so what is before a cell ends at the one before it
            before, left, both = (self.upto[cell - 1, :values].astype(np.int64) for cell in (first_cell, cut, end))
            yield rows, np.vstack((left - before, both - left))

    def count_beside(self, cuts: Cuts, counts: Counts) -> Iterator[tuple[Integers, Integers]]:
        """Refuse to count what single keys have."""
        del cuts, counts
        message = f"{parameter('towards')} looks at single keys, which does not go with {parameter('memory')}"
        raise BadPolicy(message)
