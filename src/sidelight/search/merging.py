"""Merge groups, each with its nearest, until the policy holds.

Rounds      All groups that break a criterion on their own name their nearest other group (`Neighbours`); of these pairs
            those are merged, the closest first, whose groups are not taken yet.  Once every group is within policy on
            its own, criteria that depend on several groups name that of the worst case and a few of the next worst.
Pairing     What going through the pairs in order of distance would give, many at a time: a pair is merged as soon as it
            comes before every other pair that shares a group with it, and whatever it touches is struck out.
Invariant   Each round merges at least one pair, whatever a measure makes of that.  So it ends, at the latest with one
            group of everybody; the caller judges that, where measures do not claim that merging helps.
Cost        About log₂ (groups) rounds where groups are too small; each judges only the groups that have changed.

Source: ours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, number_keys
from sidelight.release.groups import Groups
from sidelight.search.policy_check import PolicyCheck

WORST_SHARE = 100
"""Of groups that break a criterion only together, one in this many is merged before they are judged again."""


class Neighbours(ABC):
    """Which groups are near one another, as groups merge."""

    @abstractmethod
    def nearest(self, groups: Groups, rows: Integers) -> tuple[Integers, Floats]:
        """Give, for each of these groups, the nearest other one and how far away that is."""

    @abstractmethod
    def follow_merge(self, into: Integers, groups: int) -> Self:
        """Follow a merge: old group g is now a part of group `into[g]`."""


def merge_until_within(
    groups: Groups, policy: PolicyCheck, near: Neighbours, *, progress: Callable[[int], None] = lambda _groups: None
) -> Integers:
    """Merge groups until the policy holds; gives the number of each old group's new one, from 0.

    >>> import sidelight as sl
    >>> from sidelight.search.distances import Centroids
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
    """Find the group that the worst case is about and some of the next worst, if criteria are broken together."""
    for check in policy.together:
        finding = check.finding(groups)
        if check.criterion.decide(finding).holds:
            continue
        worst = check.worst_first(groups)[: -(-len(groups) // WORST_SHARE)]
        # the group of the exact worst case is among them, whatever the floats say
        if finding.witness is not None:
            worst[-1:] = finding.witness.group.number - 1
        return np.unique(worst)
    return np.array([], np.int64)
