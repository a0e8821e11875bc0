"""Mondrian's frontier: all groups of one generation, and all places at which each could be cut in two.

Symbols     A *key* q is a distinct combination of quasi-identifier values, n_q its people, r_c(q) its rank in column c
            (`orders`).  A group is a set of keys that fills a box of ranks.  A cut (g, c, p) sends the keys of g with
            r_c(q) < p to the left half and the others to the right one.
Generation  The groups that were made last and have not been tried yet; those that cannot be cut leave the frontier for
            good.  A generation is cut all at once, so the number of passes over the keys is the depth of the cuts, not
            the number of groups.
Candidates  Between each two neighbouring ranks that occur in a group, but only at its deepest borders (`Order.depth`):
            along a hierarchy a group is cut between the coarsest nodes that it spans.
Counting    Sorted by (group, rank), the counts left of all candidate cuts of a column are one prefix sum that starts
            anew in each group, n_left(x) = Σ_{q in g, r_c(q) < p} n_q(x); the right half is the group's total less the
            left.
Order       Each group tries the most balanced cut of each column first, columns by how widely the group spreads along
            them (or by information gain), then all other cuts, by column and balance.
Invariant   Keys stay sorted by group, every key is in exactly one group, and `start`/`stop` hold the box of each group.
Cost        Per generation and column: one sort of the keys that are left and cuts × values counts, in blocks of bounded
            size that never divide a group.  No loop over groups, cuts or keys.

Source: LeFevre, DeWitt and Ramakrishnan, Mondrian, ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Flags, Floats, Integers
from sidelight.release.groups import Groups, PopulationCounts
from sidelight.search.orders import Order
from sidelight.search.policy_check import PolicyCheck, candidate_groups
from sidelight.search.population_keys import KeyPopulation, carrying
from sidelight.table.table import CELLS_AT_ONCE, Counts, Table


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

    def take(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Cuts:
        """Keep some of them."""
        return Cuts(self.group[rows], self.column[rows], self.rank[rows], self.left[rows], self.people[rows])

    def first_of_each(self) -> Integers:
        """Give the row of each group's first cut, in the order of the groups."""
        return np.unique(self.group, return_index=True)[1]


@dataclass(eq=False, slots=True)
class Partition:
    """Which group each key of a table is in, and the box of ranks that each group covers."""

    ranks: Integers  # column × key
    group: Integers  # per key
    start: Integers  # group × column
    stop: Integers

    @classmethod
    def of_everybody(cls, table: Table, orders: tuple[Order, ...]) -> Partition:
        """Begin with everybody in one group."""
        ranks = [order.ranks(column) for order, column in zip(orders, table.quasi, strict=True)]
        widths = np.array([[len(order) for order in orders]])
        return cls(np.stack(ranks), np.zeros(len(table.sizes), np.int64), np.zeros_like(widths), widths)

    def __len__(self) -> int:
        return len(self.start)

    def split(self, keys: Integers, cuts: Cuts, numbers: Integers) -> Integers:
        """Cut groups in two, each at most once: the left half keeps its number.  Gives the numbers of the right halves.

        `keys` are those of the generation at hand, `numbers` its groups' numbers here.
        """
        # left halves keep their numbers, right halves get the next ones: numbers of other groups never change
        old, new = numbers[cuts.group], len(self) + np.arange(len(cuts))
        keys_right, cut = self._right_of(keys, cuts, old)
        self.start, self.stop = np.vstack((self.start, self.start[old])), np.vstack((self.stop, self.stop[old]))
        self.stop[old, cuts.column] = cuts.rank
        self.start[new, cuts.column] = cuts.rank
        self.group[keys_right] = new[cut]
        return new

    def group_after(self, keys: Integers, cuts: Cuts, numbers: Integers) -> Integers:
        """Give the group of each key as `split` would make it."""
        group = self.group.copy()
        keys_right, cut = self._right_of(keys, cuts, numbers[cuts.group])
        group[keys_right] = len(self) + cut
        return group

    def _right_of(self, keys: Integers, cuts: Cuts, old: Integers) -> tuple[Integers, Integers]:
        """Give the keys that cuts move to a right half, and the row of the cut for each of them."""
        cut_of = np.full(len(self), -1)
        cut_of[old] = np.arange(len(cuts))
        cut = cut_of[self.group[keys]]
        inside, cut = keys[cut >= 0], cut[cut >= 0]
        right = self.ranks[cuts.column[cut], inside] >= cuts.rank[cut]
        return inside[right], cut[right]


@dataclass(frozen=True, eq=False, slots=True)
class Generation:
    """Groups that may still be cut, numbered from 0, and the keys of the table that are in them, sorted by group."""

    table: Table
    keys: Integers
    group: Integers  # per key of `keys`
    ranks: Integers  # column × key of the table
    groups: int
    populations: tuple[KeyPopulation, ...] = ()

    @classmethod
    def of(
        cls, table: Table, partition: Partition, active: Integers, populations: tuple[KeyPopulation, ...] = ()
    ) -> Generation:
        """Look at some groups of a partition."""
        number = np.full(len(partition), -1)
        number[active] = np.arange(len(active))
        keys = np.flatnonzero(number[partition.group] >= 0)
        group = number[partition.group[keys]]
        by_group = np.argsort(group, kind="stable")
        return cls(table, keys[by_group], group[by_group], partition.ranks, len(active), populations)

    def rounds(self, orders: tuple[Order, ...], undecided: Flags, target: Counts | None) -> Iterator[Cuts]:
        """Propose first the most balanced cut of each column, then, for groups still undecided, all the others.

        Columns come in the order of how widely the group spreads along them or, with a target (how often each of its
        labels occurs in each key of the table), of how much their cut tells about it.  `undecided` may change between
        the rounds.
        """
        occupied = np.flatnonzero(self.table.sizes[self.keys])  # keys that only a population has are cut along
        keys, group = self.keys[occupied], self.group[occupied]
        cuts = [
            cuts_along(order, group, self.ranks[column, keys], self.table.sizes[keys], self.groups)
            for column, order in enumerate(orders)
        ]
        medians = [each.medians(self.groups) for each in cuts]
        balanced = [(each, rows[rows >= 0]) for each, rows in zip(cuts, medians, strict=True)]
        rank = _ranked(np.stack([each.spread for each in cuts]))
        if target is not None:
            rank = _ranked(self._gains(line_up(balanced, rank), target))
        yield line_up(balanced, rank)
        others = []
        for each, rows in zip(cuts, medians, strict=True):
            rest = undecided[each.group]
            # the most balanced ones were proposed in the first round
            rest[rows[rows >= 0]] = False
            others.append((each, np.flatnonzero(rest)))
        yield line_up(others, rank)

    def may_hold_in_halves(self, cuts: Cuts, policy: PolicyCheck) -> Flags:
        """Say which cuts leave two halves that each keep the policy on their own, or are for a run of cuts to tell."""
        # people are at hand; values are counted only for cuts that leave enough of them on both sides
        smaller = np.minimum(cuts.left, cuts.people - cuts.left)
        holds: Flags = smaller >= (policy.least_group_size or 1)
        if policy.only_group_sizes:
            return holds
        large = np.flatnonzero(holds)
        for rows, halves in self.halves(cuts.take(large)):
            left, right = policy.may_hold_in_each(halves).reshape(2, -1)
            holds[large[rows]] = left & right
        return holds

    def halves(self, cuts: Cuts) -> Iterator[tuple[Integers, Groups]]:
        """Count what is left and right of each cut, a block at a time: first all left halves, then all right ones."""
        beside = [self._population_beside(cuts, each) for each in self.populations]
        for rows, counts in self._counted(cuts, self.table.counts):
            block = cuts.take(rows)
            sizes = np.concatenate((block.left, block.people - block.left))
            groups = candidate_groups(self.table, sizes, Counts(counts.shape, cells=counts))
            both = np.concatenate((rows, len(cuts) + rows))
            yield rows, carrying(groups, [each.take(both) for each in beside])

    def _population_beside(self, cuts: Cuts, population: KeyPopulation) -> PopulationCounts:
        """Count a population left of all cuts, then right of them."""
        people = np.zeros(2 * len(cuts), np.int64)
        for rows, counts in self._counted(cuts, population.counts()):
            people[np.concatenate((rows, len(cuts) + rows))] = counts[:, 0]
        return PopulationCounts(population.population, people, 0)

    def _gains(self, medians: Cuts, target: Counts) -> Floats:
        """Say how much the cut nearest the median tells about the target, column × group: n·H − Σ n·H of the halves."""
        gains = np.full((len(self.ranks), self.groups), -1.0)
        for rows, counts in self._counted(medians, target):
            left, right = np.split(counts, 2)
            gain = _uncertainty(left + right) - _uncertainty(left) - _uncertainty(right)
            gains[medians.column[rows], medians.group[rows]] = gain
        return gains

    def _counted(self, cuts: Cuts, counts: Counts) -> Iterator[tuple[Integers, Integers]]:
        row, value, count = counts.take(self.keys).entries()
        entries = _Entries(self.group[row], row, value, count)
        for column in range(len(self.ranks)):
            rows = np.flatnonzero(cuts.column == column)
            rows = rows[np.lexsort((cuts.rank[rows], cuts.group[rows]))]
            rank = self.ranks[column, self.keys]
            for block in _blocks(cuts.group[rows], rows, counts.width):
                yield block, entries.beside(cuts.take(block), rank, counts.width)


@dataclass(frozen=True, eq=False, slots=True)
class _Entries:
    """Positive counts of the generation's keys, sorted by group."""

    group: Integers
    key: Integers
    value: Integers
    count: Integers

    def beside(self, cuts: Cuts, rank: Integers, values: int) -> Integers:
        """Count both sides of cuts along one column, which are sorted by group and rank: all left, then all right."""
        groups, first = np.unique(cuts.group, return_index=True)
        some = slice(*np.searchsorted(self.group, (groups[0], groups[-1] + 1)).tolist())
        stretch = np.minimum(np.searchsorted(groups, self.group[some]), len(groups) - 1)
        inside = groups[stretch] == self.group[some]
        stretch, value, count = stretch[inside], self.value[some][inside], self.count[some][inside]
        width = int(rank.max(initial=0)) + 2
        packed = groups[stretch] * width + rank[self.key[some][inside]]  # sorts by group, then by rank

        # an entry is added at the first cut of its group that it is left of; the prefix sum carries it on
        after = np.searchsorted(cuts.group * width + cuts.rank, packed, side="right")
        before_some = after < np.append(first[1:], len(cuts))[stretch]
        step = np.bincount(
            after[before_some] * values + value[before_some], weights=count[before_some], minlength=len(cuts) * values
        )
        running = np.cumsum(step.reshape(len(cuts), values), axis=0)
        which = np.searchsorted(groups, cuts.group)
        left = running - np.vstack((np.zeros((1, values)), running))[first][which]  # starts anew in each group
        totals = np.bincount(stretch * values + value, weights=count, minlength=len(groups) * values)
        sides: Integers = np.vstack((left, totals.reshape(len(groups), values)[which] - left)).astype(np.int64)
        return sides


def _blocks(group: Integers, rows: Integers, width: int) -> Iterator[Integers]:
    """Cut rows sorted by group into blocks that can be spread out, never through a group."""
    # a group with more cuts than a block may have gets a block of its own
    most = max(CELLS_AT_ONCE // max(width, 1), 1)
    start = 0
    while start < len(rows):
        stop = min(start + most, len(rows))
        if stop < len(rows):
            edge = int(np.searchsorted(group, group[stop]))
            stop = edge if edge > start else int(np.searchsorted(group, group[stop], side="right"))
        yield rows[start:stop]
        start = stop


def _uncertainty(counts: Integers) -> Floats:
    """Give n·H of each row."""
    total = counts.sum(axis=1)
    logs = np.log(np.maximum(counts, 1))
    uncertain: Floats = total * np.log(np.maximum(total, 1)) - (counts * logs).sum(axis=1)
    return uncertain


@dataclass(frozen=True, eq=False, slots=True)
class ColumnCuts:
    """Candidate cuts of groups along one column: who stands before `rank` goes left, the others right.

    One row per cut, sorted by group and rank.  Only the deepest borders of a group are candidates.
    """

    group: Integers
    rank: Integers
    left: Integers  # people to the left
    people: Integers  # people of the whole group
    spread: Floats  # per group, not per cut: how widely it spreads along the column, 0 to 1

    def medians(self, groups: int) -> Integers:
        """Give, per group, the row of the cut nearest the median, or −1 where there is none."""
        best = np.full(groups, -1)
        by_balance = np.lexsort((np.abs(2 * self.left - self.people), self.group))[::-1]
        # of several writes to a group the last stays, and the most balanced cut is written last
        best[self.group[by_balance]] = by_balance
        return best


def cuts_along(order: Order, group: Integers, rank: Integers, people: Integers, groups: int) -> ColumnCuts:
    """Find all cuts of `groups` groups along a column; the arrays have one entry per key of the table.

    >>> from sidelight.search.orders import order_of
    >>> from sidelight.table.table import Column
    >>> order = order_of(Column.of("age", ["1", "2", "4"]))
    >>> cuts = cuts_along(order, np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([5, 2, 2]), groups=1)
    >>> cuts.rank.tolist(), cuts.left.tolist(), cuts.medians(1).tolist()
    ([1, 2], [5, 7], [0])
    """
    packed, standing = _sums_by_number(group * len(order) + rank, people, groups * len(order))
    # one entry for each rank that occurs in a group, sorted: the group, the rank, and the people standing there
    group_there, rank_there = packed // len(order), packed % len(order)
    first = np.flatnonzero(np.diff(group_there, prepend=-1))
    last = np.append(first[1:], len(group_there)) - 1
    through = np.cumsum(standing)
    before = np.concatenate(([0], through))[first]
    total = np.diff(np.append(before, through[-1:]))
    spread = (order.position[rank_there[last]] - order.position[rank_there[first]]) / order.width

    # a border stands before each entry of a group but the first; only the deepest of a group are kept
    inner = np.setdiff1d(np.arange(len(group_there)), first, assume_unique=True)
    depth = order.depth(rank_there[inner - 1], rank_there[inner])
    deepest = np.zeros(groups, np.int64)
    np.maximum.at(deepest, group_there[inner], depth)
    inner = inner[depth == deepest[group_there[inner]]]
    cut = group_there[inner]
    return ColumnCuts(cut, rank_there[inner], through[inner - 1] - before[cut], total[cut], spread)


def _sums_by_number(numbers: Integers, people: Integers, below: int) -> tuple[Integers, Integers]:
    """Add up people by a number from 0 to below − 1; give the numbers that occur, in order, and their sums."""
    if below <= 8 * len(numbers) + 4096:
        sums = np.bincount(numbers, weights=people, minlength=below)
        occurring = np.flatnonzero(sums)
        return occurring, sums[occurring].astype(np.int64)
    occurring, kind = np.unique(numbers, return_inverse=True)
    return occurring, np.bincount(kind, weights=people).astype(np.int64)


def line_up(some: list[tuple[ColumnCuts, Integers]], rank: Integers) -> Cuts:
    """Line up cuts (some rows of each column's) by group, then by the rank of the column there, then by balance."""
    column = np.concatenate([np.full(len(rows), number) for number, (_, rows) in enumerate(some)])
    parts = [(cuts.group[rows], cuts.rank[rows], cuts.left[rows], cuts.people[rows]) for cuts, rows in some]
    group, border, left, people = (np.concatenate(part) for part in zip(*parts, strict=True))
    cuts_of_all = Cuts(group, column, border, left, people)
    return cuts_of_all.take(np.lexsort((np.abs(2 * left - people), rank[column, group], group)))


def _ranked(score: Floats) -> Integers:
    """Rank the columns of each group, the largest score first."""
    return np.argsort(np.argsort(-score, axis=0, kind="stable"), axis=0)
