"""Merge groups, each with its nearest, until the policy holds.

Rounds      All groups that break a criterion on their own name their nearest other group (`Neighbours`); of these pairs
            those are merged, the closest first, whose groups are not taken yet.  Once every group is within policy on
            its own, criteria that depend on several groups name that of the worst case and a few of the next worst.
Pairing     What going through the pairs in order of distance would give, many at a time: a pair is merged as soon as it
            comes before every other pair that shares a group with it, and whatever it touches is struck out.
Invariant   Each round merges at least one pair, whatever a measure makes of that.  So it ends, at the latest with one
            group of everybody; the caller judges that, where measures do not claim that merging helps.
Cost        About log₂ (groups) rounds where groups are too small; each judges only the groups that have changed.

How far apart are people by their quasi-identifiers?  Squared distances that add up over columns.

Symbols     D_c[x, y] = the squared distance of two labels of column c; two keys q, q' (distinct combinations of
            quasi-identifier values) are  d²(q, q') = Σ_c D_c[q_c, q'_c]  apart.
Labels      Each D_c is the squared distance of points, by what the column is (`table.label_distances`): numbers, days
            and ordered labels on a line; categories with a coordinate of 1/√(2·levels) for their node on each level.
            Columns with very many labels stand on a line by their rank.
Points      So d² is the squared distance of points, too: distances from an average are well defined, and a group's
            average point is a sum that follows merges (`Centroids`).
Keys        `KeyDistances` keeps D_c as matrices, label × label, and looks rows up by label code: a vector of all
            distances from one key costs one indexed addition per matrix.  Columns are put together into one matrix over
            the combinations that occur while those stay few: fewer, longer additions.
Cost        labels² × levels numbers per column of up to `MANY_LABELS`; nearest groups: groups² × coordinates.

Source: ours; numbers as in Domingo-Ferrer and Torra, 2005; what is near, of groups, as in Ward, 1963.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, number_keys
from sidelight.release.groups import Groups
from sidelight.search.orders import Order
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.counts import CELLS_AT_ONCE
from sidelight.table.label_distances import points_of, share_of_levels, squared_distances
from sidelight.table.table import Column, Table, number_equal_rows


class Neighbours(ABC):
    """Which groups are near one another, as groups merge."""

    @abstractmethod
    def nearest(self, groups: Groups, rows: Integers) -> tuple[Integers, Floats]:
        """Return, for each of these groups, the nearest other one and how far away that is."""

    @abstractmethod
    def follow_merge(self, into: Integers, groups: int) -> Self:
        """Follow a merge: old group g is now a part of group `into[g]`."""


def merge_until_within(
    groups: Groups, policy: PolicyCheck, near: Neighbours, *, progress: Callable[[int], None] = lambda _groups: None
) -> Integers:
    """Merge groups until the policy holds; gives the number of each old group's new one, from 0.

    >>> import sidelight as sl
    >>> from sidelight.search.merging import Centroids
    >>> groups = sl.Release.from_counts([{"a": 3}, {"a": 1}, {"b": 4}]).groups
    >>> near = Centroids(groups.sizes, np.array([[0.0], [9.0], [10.0]]))
    >>> merge_until_within(groups, PolicyCheck.from_policy([sl.GroupSize() >= 3], people=100), near).tolist()
    [0, 1, 1]
    """
    number = np.arange(len(groups))
    holds = policy.holds_in_each(groups)
    while len(groups) > 1:
        progress(len(groups))
        # criteria judged together are looked at only once every group is within policy on its own
        bad = np.flatnonzero(~holds) if not holds.all() else _worst_together(groups, policy)
        if len(bad) == 0:
            break
        into = pair_up(bad, *near.nearest(groups, bad), groups=len(groups))
        groups, near = merge_groups(groups, into), near.follow_merge(into, int(into.max()) + 1)
        holds = _judge_changed(groups, policy, into, holds)
        number = into[number]
    return number


def pair_up(one: Integers, other: Integers, distance: Floats, *, groups: int) -> Integers:
    """Merge pairs of groups, the closest first, as far as neither is taken; gives each group's new number, from 0.

    >>> pair_up(np.array([0, 1, 3]), np.array([1, 2, 2]), np.array([2.0, 1.0, 3.0]), groups=4).tolist()
    [0, 1, 1, 2]
    """
    # ties in any order but that of the rows, in which each pair would wait for the one before it
    tie_breaker = np.random.default_rng(0).permutation(len(one))
    rank = np.empty(len(one), np.int64)
    rank[np.lexsort((tie_breaker, distance))] = np.arange(len(one))
    into = np.arange(groups)
    free = np.ones(groups, bool)
    left = np.arange(len(one))
    while len(left):
        # per group, the rank of the first pair that is left and touches it; a pair that is first in both groups wins
        first = np.full(groups, len(one))
        np.minimum.at(first, one[left], rank[left])
        np.minimum.at(first, other[left], rank[left])
        won = left[(first[one[left]] == rank[left]) & (first[other[left]] == rank[left])]
        into[np.maximum(one[won], other[won])] = np.minimum(one[won], other[won])
        free[one[won]] = free[other[won]] = False
        left = left[free[one[left]] & free[other[left]]]
    return number_keys(into, below=groups)[0]


def merge_groups(groups: Groups, into: Integers) -> Groups:
    """Add up groups: old group g goes to `into[g]`.  They keep what they are compared with."""
    left = int(into.max()) + 1
    return Groups(
        groups.domain,
        add_up(into, groups.sizes, left),
        groups.counts.roll_up(into, groups=left),
        (),
        groups.semantics,
        groups.whole,
        np.arange(1, left + 1),
    )


def _judge_changed(groups: Groups, policy: PolicyCheck, into: Integers, before: Flags) -> Flags:
    """Judge those groups that have changed; the others are as they were before."""
    holds = np.zeros(len(groups), bool)
    holds[into] = before
    changed = np.flatnonzero(np.bincount(into) > 1)
    holds[changed] = policy.holds_in_each(groups.take(changed))
    return holds


def _worst_together(groups: Groups, policy: PolicyCheck) -> Integers:
    """Return the group of the worst case and some of the next worst, if criteria are broken together."""
    for check in policy.together:
        finding = check.finding(groups)
        if check.criterion.decide(finding).holds:
            continue
        # Of groups that break a criterion only together, one in this many is merged before they are judged again.
        worst = check.worst_first(groups)[: -(-len(groups) // 100)]
        # the group of the exact worst case is among them, whatever the floats say
        if finding.witness is not None:
            worst[-1:] = finding.witness.group.number - 1
        return np.unique(worst)
    return np.array([], np.int64)


MANY_LABELS = 2_000
"""Labels in a column from which on it is a line, on which they stand in order, and no matrix of distances."""

FEW_COMBINATIONS = 1_000
"""Columns are looked up together while there are at most this many different combinations of their labels."""


def label_distances(order: Order) -> Floats:
    """Return the squared distance of each two labels of a column, by rank (D_c).

    >>> from sidelight.search.orders import order_of
    >>> label_distances(order_of(Column.of("age", ["11", "12", "15"]))).tolist()
    [[0.0, 0.0625, 1.0], [0.0625, 0.0, 0.5625], [1.0, 0.5625, 0.0]]
    """
    if order.kind != "category":
        points = points_on_line(order)
        return squared_distances(points, points)
    # levels at which all labels are the same would make every distance smaller, and none different
    levels = _telling_levels(order)
    return share_of_levels(levels, levels)


def points_on_line(order: Order) -> Floats:
    """Return the point of each label, coordinate × rank: on a line from 0 to 1, and beside it where it is missing."""
    missing = np.array([text is None for text in order.labels])
    return points_of(np.where(missing, np.nan, order.position))


def _telling_levels(order: Order) -> Integers:
    """Keep the levels at which some labels differ; a column of one label keeps its own."""
    some: Integers = order.levels[(order.levels != order.levels[:, :1]).any(axis=1)]
    return some if len(some) else order.levels[:1]


@dataclass(frozen=True, eq=False, slots=True)
class DistanceMatrix:
    """One column, or several together: `squared[codes[i], codes[j]]` is the squared distance of keys i and j."""

    codes: Integers  # per key
    squared: Floats  # label × label

    def combine(self, other: DistanceMatrix) -> DistanceMatrix:
        """Return one matrix for two columns, whose labels are the combinations that occur."""
        both = tuple(Column("", (None,) * len(part.squared), part.codes.astype(np.int32)) for part in (self, other))
        # combinations that occur are the new labels; squared distances add up over columns
        kind, first = number_equal_rows(both, len(self.codes))
        one, two = self.codes[first], other.codes[first]
        return DistanceMatrix(kind, self.squared[np.ix_(one, one)] + other.squared[np.ix_(two, two)])


@dataclass(frozen=True, eq=False, slots=True)
class KeyDistances:
    """Where the keys of a table stand: the squared distance of two is a sum over matrices and lines."""

    matrices: tuple[DistanceMatrix, ...]
    lines: Floats  # line × key

    @classmethod
    def from_table(cls, table: Table, orders: tuple[Order, ...]) -> KeyDistances:
        """Build the distances of the keys of a table."""
        matrices: list[DistanceMatrix] = []
        lines = []
        for order, column in zip(orders, table.quasi, strict=True):
            rank = order.ranks(column)
            if len(order) > MANY_LABELS:
                lines += [coordinate[rank] for coordinate in points_on_line(order)]
            else:
                matrices.append(DistanceMatrix(rank, label_distances(order)))
        return cls(_combine(matrices), np.array(lines).reshape(len(lines), len(table.sizes)))


def _combine(matrices: list[DistanceMatrix]) -> tuple[DistanceMatrix, ...]:
    """Combine columns, those with few labels first, while their combinations stay few."""
    # few labels first, so that as many columns as possible share a matrix
    combined: list[DistanceMatrix] = []
    for each in sorted(matrices, key=lambda each: len(each.squared)):
        packed = combined[-1].codes * len(each.squared) + each.codes if combined else each.codes
        if combined and len(np.unique(packed)) <= FEW_COMBINATIONS:
            combined[-1] = combined[-1].combine(each)
        else:
            combined.append(each)
    return tuple(combined)


@dataclass(frozen=True, eq=False, slots=True)
class Centroids(Neighbours):
    """Groups by where their people stand on average: near is what adds least squared error when merged (Ward).

    n_g·n_h / (n_g + n_h) · |c_g − c_h|², which keeps large groups, who are near everybody, from drawing in all others.

    Source: Ward, 1963.
    """

    sizes: Integers
    points: Floats  # group × coordinate

    @classmethod
    def from_table(cls, table: Table, orders: tuple[Order, ...], group: Integers, groups: int) -> Centroids:
        """Average the points of each group's people."""
        sizes = add_up(group, table.sizes, groups)
        sums = [
            coordinates
            for order, column in zip(orders, table.quasi, strict=True)
            for coordinates in _point_sums(order, order.ranks(column), group, table.sizes, groups)
        ]
        # one more coordinate, too short to matter but between equals: whose nearest would else be all the same group
        ties = np.random.default_rng(0).random((groups, 1)) * 1e-3
        return cls(sizes, np.concatenate([*sums, ties], axis=1) / sizes[:, np.newaxis])

    def nearest(self, groups: Groups, rows: Integers) -> tuple[Integers, Floats]:
        """Compare each group with all others, a block of them at a time."""
        del groups
        length = np.einsum("ij,ij->i", self.points, self.points)
        best, least = np.empty(len(rows), np.int64), np.empty(len(rows))
        step = max(CELLS_AT_ONCE // len(self.sizes), 1)
        for start in range(0, len(rows), step):
            block = rows[start : start + step]
            # |c_g − c_h|² = |c_g|² + |c_h|² − 2 c_g·c_h: one product of matrices; rounding may leave a little below 0
            squared = length[block, np.newaxis] + length - 2 * (self.points[block] @ self.points.T)
            weight = self.sizes[block, np.newaxis] * (self.sizes / (self.sizes[block, np.newaxis] + self.sizes))
            error = np.maximum(squared, 0) * weight
            error[np.arange(len(block)), block] = np.inf
            best[start : start + step] = error.argmin(axis=1)
            least[start : start + step] = error.min(axis=1)
        return best, least

    def follow_merge(self, into: Integers, groups: int) -> Self:
        """Average the points of merged groups, each by its people."""
        sizes = add_up(into, self.sizes, groups)
        # averages times people are sums, and sums add up
        sums = np.zeros((groups, self.points.shape[1]))
        np.add.at(sums, into, self.points * self.sizes[:, np.newaxis])
        return type(self)(sizes, sums / sizes[:, np.newaxis])


def _point_sums(order: Order, rank: Integers, group: Integers, people: Integers, groups: int) -> Iterator[Floats]:
    """Add up the points of each group's people in one column, so that distances are those of `label_distances`."""
    if order.kind != "category" or len(order) > MANY_LABELS:
        for coordinate in points_on_line(order):
            yield np.bincount(group, people * coordinate[rank], groups).astype(float)[:, np.newaxis]
        return
    # labels that differ on a level differ in two coordinates, so 1/√(2·levels) each makes that level count 1/levels
    levels = _telling_levels(order)
    for level in levels:
        width = int(level.max()) + 1
        inside = np.bincount(group * width + level[rank], people, groups * width).reshape(groups, width)
        yield inside / np.sqrt(2 * len(levels))
