"""Merge groups, each with its nearest, until the policy holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

import numpy as np

from sidelight.measures.exact import Floats
from sidelight.release.groups import Groups
from sidelight.search.policy_check import Flags, Limit, Limits
from sidelight.table.columns import Integers, numbered
from sidelight.table.counts import added

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
    values = limit.outline.value(limit.outline.of(groups))
    return np.argsort(-values if limit.criterion.measure.large_is_bad else values, kind="stable")
