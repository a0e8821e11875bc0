"""Merge groups, each with its nearest, until the policy holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from sidelight._arrays import Codes, Flags, Floats, Integers, numbered
from sidelight.release.groups import Groups
from sidelight.search.orders import Order
from sidelight.search.policy_check import Limit, Limits
from sidelight.table.table import CELLS_AT_ONCE, Column, Table, added, rows_alike

AT_ONCE = 100
"""Of groups that are outside a limit only together, one in this many is merged before they are judged again."""


class Neighbours(ABC):
    """Which groups are near one another, as groups merge."""

    @abstractmethod
    def nearest(self, groups: Groups, rows: Integers) -> tuple[Integers, Floats]:
        """Give, for each of these groups, the nearest other one and how far away that is."""

    @abstractmethod
    def merged(self, into: Integers, groups: int) -> Self:
        """Follow a merge: old group g is now a part of group `into[g]`."""


def merge_until_within(
    groups: Groups, limits: Limits, near: Neighbours, *, progress: Callable[[int], None] = lambda _groups: None
) -> Integers:
    """Merge groups until the limits hold; gives the number of each old group's new one, from 0.

    First each group that breaks a limit on its own joins its nearest, round by round; then, for limits that depend on
    several groups together, the group that the worst case is about.  Each round merges some, whatever a measure makes
    of that, so it ends: at the latest with one group of everybody, which the caller knows to be within the limits.

    >>> import sidelight as sl
    >>> from sidelight.search.distances import Centroids
    >>> groups = sl.Release.from_counts([{"a": 3}, {"a": 1}, {"b": 4}]).groups
    >>> near = Centroids(groups.sizes, np.array([[0.0], [9.0], [10.0]]))
    >>> merge_until_within(groups, Limits.of(sl.Policy(sl.GroupSize() >= 3), people=100), near).tolist()
    [0, 1, 1]
    """
    number = np.arange(len(groups))
    within = limits.alone(groups)
    while len(groups) > 1:
        progress(len(groups))
        bad = np.flatnonzero(~within) if not within.all() else _worst_together(groups, limits)
        if len(bad) == 0:
            break
        into = paired(bad, *near.nearest(groups, bad), groups=len(groups))
        groups, near = rolled_up(groups, into), near.merged(into, int(into.max()) + 1)
        within = _judged_again(groups, limits, into, within)
        number = into[number]
    return number


def paired(one: Integers, other: Integers, apart: Floats, *, groups: int) -> Integers:
    """Merge pairs of groups, the closest first, as far as neither is taken; gives each group's new number, from 0.

    What going through the pairs one by one would give, but all pairs at once that come before those they touch.

    >>> paired(np.array([0, 1, 3]), np.array([1, 2, 2]), np.array([2.0, 1.0, 3.0]), groups=4).tolist()
    [0, 1, 1, 2]
    """
    equals_last = np.random.default_rng(0).permutation(len(one))  # in any order but that of the rows, which is slow
    rank = np.empty(len(one), np.int64)
    rank[np.lexsort((equals_last, apart))] = np.arange(len(one))
    into = np.arange(groups)
    free = np.ones(groups, bool)
    left = np.arange(len(one))
    while len(left):
        first = np.full(groups, len(one))
        np.minimum.at(first, one[left], rank[left])
        np.minimum.at(first, other[left], rank[left])
        won = left[(first[one[left]] == rank[left]) & (first[other[left]] == rank[left])]
        into[np.maximum(one[won], other[won])] = np.minimum(one[won], other[won])
        free[one[won]] = free[other[won]] = False
        left = left[free[one[left]] & free[other[left]]]
    return numbered(into, below=groups)[0]


def rolled_up(groups: Groups, into: Integers) -> Groups:
    """Add up groups: old group g goes to `into[g]`.  They keep what they are compared with."""
    left = int(into.max()) + 1
    return Groups(
        groups.domain,
        added(into, groups.sizes, left),
        groups.counts.rolled_up(into, groups=left),
        (),
        groups.semantics,
        groups.whole,
        np.arange(1, left + 1),
    )


def _judged_again(groups: Groups, limits: Limits, into: Integers, before: Flags) -> Flags:
    """Judge those groups that have changed."""
    within = np.zeros(len(groups), bool)
    within[into] = before
    changed = np.flatnonzero(np.bincount(into) > 1)
    within[changed] = limits.alone(groups.take(changed))
    return within


def _worst_together(groups: Groups, limits: Limits) -> Integers:
    """Find the group that the worst case is about and some of the next worst, if limits are broken together."""
    for limit in limits.shared:
        finding = limit.finding(groups)
        if limit.criterion.decide(finding).holds:
            continue
        worst = _worst_first(limit, groups)[: -(-len(groups) // AT_ONCE)]
        if finding.witness is not None:
            worst[-1:] = finding.witness.group.number - 1
        return np.unique(worst)
    return np.array([], np.int64)


def _worst_first(limit: Limit, groups: Groups) -> Integers:
    values = limit.screen.value(limit.screen.of(groups))
    return np.argsort(-values if limit.criterion.measure.large_is_bad else values, kind="stable")


# ----------------------------------------------------------------------------------------------------
# How far apart people are by their quasi-identifiers: squared distances that add up over columns.
# ----------------------------------------------------------------------------------------------------


MANY_LABELS = 2_000
"""Labels in a column from which on it is a line, on which they stand in order, and no matrix of distances."""

TOGETHER = 1_000
"""Columns are looked up together while there are at most this many different combinations of their labels."""


@dataclass(frozen=True, eq=False, slots=True)
class Axis:
    """One column, or several together: `apart[codes[i], codes[j]]` is the squared distance of cells i and j."""

    codes: Integers  # per cell
    apart: Floats  # label × label

    def beside(self, other: Axis) -> Axis:
        """Take two columns for one, whose labels are the combinations that occur."""
        both = tuple(Column("", (None,) * len(axis.apart), axis.codes.astype(np.int32)) for axis in (self, other))
        kind, first = rows_alike(both, len(self.codes))
        mine, its = self.codes[first], other.codes[first]
        return Axis(kind, self.apart[np.ix_(mine, mine)] + other.apart[np.ix_(its, its)])


@dataclass(frozen=True, eq=False, slots=True)
class Space:
    """Where the cells of a table stand: the squared distance of two is a sum over axes and lines.

    Numbers: ((x − y) / range)²; labels with a hierarchy: the share of levels at which they differ; other labels:
    0 if equal, 1 if not; columns with very many labels: as numbers, by their place in order.
    """

    axes: tuple[Axis, ...]
    lines: Floats  # line × cell

    @classmethod
    def of(cls, table: Table, along: tuple[Order, ...]) -> Space:
        """Place the cells of a table."""
        axes: list[Axis] = []
        lines = []
        for order, column in zip(along, table.quasi, strict=True):
            place = order.place[column.codes].astype(np.int64)
            if len(order.labels) > MANY_LABELS:
                lines.append(scaled(order)[place])
            else:
                axes.append(Axis(place, label_distances(order)))
        return cls(_together(axes), np.array(lines).reshape(len(lines), len(table.sizes)))


def _together(axes: list[Axis]) -> tuple[Axis, ...]:
    """Put columns together, those with few labels first, while their combinations stay few."""
    done: list[Axis] = []
    for axis in sorted(axes, key=lambda axis: len(axis.apart)):
        if done and len(np.unique(done[-1].codes * len(axis.apart) + axis.codes)) <= TOGETHER:
            done[-1] = done[-1].beside(axis)
        else:
            done.append(axis)
    return tuple(done)


def scaled(order: Order) -> Floats:
    """Give the place of each label on a line from 0 to 1."""
    whole = order.position[-1] - order.position[0]
    line: Floats = (order.position - order.position[0]) / (whole or 1.0)
    return line


def label_distances(order: Order) -> Floats:
    """Give the squared distance of each two labels of a column, by place (D_c).

    >>> from sidelight.search.orders import order_of
    >>> label_distances(order_of(Column.of("age", ["1", "2", "5"]))).tolist()
    [[0.0, 0.0625, 1.0], [0.0625, 0.0, 0.5625], [1.0, 0.5625, 0.0]]
    """
    if order.numeric:
        line = scaled(order)
        apart: Floats = (line[:, np.newaxis] - line) ** 2
        return apart
    telling = _telling_levels(order)
    differ: Floats = (telling[:, :, np.newaxis] != telling[:, np.newaxis, :]).mean(axis=0)
    return differ


def _telling_levels(order: Order) -> Integers:
    """Keep the levels at which some labels differ; a column of one label keeps its own."""
    some: Integers = order.levels[(order.levels != order.levels[:, :1]).any(axis=1)]
    return some if len(some) else order.levels[:1]


@dataclass(frozen=True, eq=False, slots=True)
class Centroids(Neighbours):
    """Groups by where their people stand on average: near is what adds least squared error when merged (Ward).

    n_g·n_h / (n_g + n_h) · |c_g − c_h|², which keeps large groups, who are near everybody, from drawing in all others.

    Source: Ward, 1963.
    """

    sizes: Integers
    points: Floats  # group × coordinate

    @classmethod
    def of(cls, table: Table, along: tuple[Order, ...], group: Integers, groups: int) -> Centroids:
        """Average over the people of each group."""
        sizes = added(group, table.sizes, groups)
        sums = [
            part
            for order, column in zip(along, table.quasi, strict=True)
            for part in _sums(order, order.place[column.codes], group, table.sizes, groups)
        ]
        return cls(sizes, np.concatenate([*sums, _tie_breaker(groups)], axis=1) / sizes[:, np.newaxis])

    def nearest(self, groups: Groups, rows: Integers) -> tuple[Integers, Floats]:
        """Compare each group with all others, a block of them at a time."""
        del groups
        length = np.einsum("ij,ij->i", self.points, self.points)
        best, apart = np.empty(len(rows), np.int64), np.empty(len(rows))
        step = max(CELLS_AT_ONCE // len(self.sizes), 1)
        for start in range(0, len(rows), step):
            mine = rows[start : start + step]
            squared = length[mine, np.newaxis] + length - 2 * (self.points[mine] @ self.points.T)
            both = self.sizes[mine, np.newaxis] * (self.sizes / (self.sizes[mine, np.newaxis] + self.sizes))
            error = np.maximum(squared, 0) * both
            error[np.arange(len(mine)), mine] = np.inf
            best[start : start + step] = error.argmin(axis=1)
            apart[start : start + step] = error.min(axis=1)
        return best, apart

    def merged(self, into: Integers, groups: int) -> Self:
        """Average the points of merged groups, each by its people."""
        sizes = added(into, self.sizes, groups)
        sums = np.zeros((groups, self.points.shape[1]))
        np.add.at(sums, into, self.points * self.sizes[:, np.newaxis])
        return type(self)(sizes, sums / sizes[:, np.newaxis])


def _sums(order: Order, place: Codes, group: Integers, people: Integers, groups: int) -> Iterator[Floats]:
    """Add up the points of each group's people in one column, so that distances are those of `label_distances`.

    Numbers stand on a line; labels have a coordinate for each node of each level above them, 1/√(2·levels) or 0.
    """
    if order.numeric or len(order.labels) > MANY_LABELS:
        yield np.bincount(group, people * scaled(order)[place], groups).astype(float)[:, np.newaxis]
        return
    telling = _telling_levels(order)
    for level in telling:
        width = int(level.max()) + 1
        inside = np.bincount(group * width + level[place], people, groups * width).reshape(groups, width)
        yield inside / np.sqrt(2 * len(telling))


def _tie_breaker(groups: int) -> Floats:
    """One more coordinate, too short to matter but between equals: whose nearest would else be all the same group."""
    return np.random.default_rng(0).random((groups, 1)) * 1e-3
