"""Leave out the people of offending groups, few of them, so that the rest is within policy."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from sidelight._arrays import Flags, Integers
from sidelight._progress import Progress
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Criterion, exact
from sidelight.policy.policy import Policy
from sidelight.release.groups import Groups
from sidelight.release.lattice import Lattice, Node
from sidelight.release.release import Release, whole_groups
from sidelight.search.lattice_search import Count, border, lowest
from sidelight.search.policy_check import Limits
from sidelight.table.labels import SUPPRESSED
from sidelight.table.table import Column, Counts


def offending(groups: Groups, limits: Limits, room: int) -> Flags | None:
    """Choose groups to suppress, of at most `room` people together, or say that it cannot be done.

    Limit by limit, the groups that break it on their own: all at once where only the group itself counts, the worse
    half of them where the others may be fine once those are gone (a release's totals change with what is left out);
    then, for limits that depend on several groups together, the group that the worst case is about, one at a time.

    >>> import sidelight as sl
    >>> groups = sl.Release.from_counts([{"a": 3}, {"a": 1}, {"b": 4}]).groups
    >>> offending(groups, Limits.of(sl.Policy(sl.GroupSize() >= 3), people=8), room=1).tolist()
    [False, True, False]
    """
    out = np.zeros(len(groups), bool)
    while True:
        left = np.flatnonzero(~out)
        if len(left) == 0 or groups.sizes[out].sum() > room:
            return None
        rest = on_their_own(groups, left, limits)
        bad = _breaking(rest, limits)
        if len(bad) == 0:
            return out
        out[left[bad]] = True


def on_their_own(groups: Groups, rows: Integers, limits: Limits) -> Groups:
    """Take groups for a whole release: what they are compared with is then only themselves.

    Values that nobody has any more are not spoken of, unless the policy names them.
    """
    some = groups if len(rows) == len(groups) else groups.take(rows)
    totals = some.counts.totals()
    kept = np.flatnonzero((totals > 0) | (groups.whole == 0) | limits.named(groups.domain))
    counts = some.counts
    if len(kept) < len(totals):
        place = np.full(len(totals), -1)
        place[kept] = np.arange(len(kept))
        row, value, count = counts.entries()
        counts = Counts.from_entries(row, place[value], count, (len(some), len(kept)))
    return Groups(
        tuple(some.domain[place] for place in kept),
        some.sizes,
        counts,
        some.columns,
        some.semantics,
        totals[kept],
        np.arange(1, len(some) + 1),
    )


def _breaking(groups: Groups, limits: Limits) -> Integers:
    """Choose the groups to give up next; none when the policy holds."""
    for limit in (*limits.each, *limits.shared):
        bad = np.flatnonzero(~limit.each(groups))
        if len(bad) and limit.screen.exact:
            return bad
        if len(bad):
            values = limit.screen.value(limit.screen.of(groups.take(bad)))
            worst_first = np.argsort(-values if limit.criterion.measure.large_is_bad else values, kind="stable")
            return bad[worst_first[: (len(bad) + 1) // 2]]
    for limit in limits.shared:
        finding = limit.finding(groups)
        if not limit.criterion.decide(finding).holds and finding.witness is not None:
            return np.array([finding.witness.group.number - 1])
    return np.array([], np.int64)


# ----------------------------------------------------------------------------------------------------
# Nodes of a lattice that keep a policy once a few people are suppressed.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SuppressedNode:
    """A node, and the groups of it that are suppressed."""

    node: Node
    out: Flags
    people: int
    as_group: bool  # whether those people are printed as one group of `*`
    limits: Limits  # what the policy names is spoken of, even when nobody is left who has it
    worth: float = math.nan  # smaller is better

    def release(self, lattice: Lattice) -> Release:
        """Make the release: the groups kept, and the suppressed people as `*` where they are printed."""
        groups = lattice.groups_at(self.node)
        kept = np.flatnonzero(~self.out)
        made = _with_star(groups, self.out) if self.as_group else on_their_own(groups, kept, self.limits)
        return Release(made, sensitive=lattice.table.sensitive, intake=lattice.table.intake)


Weigh: TypeAlias = Callable[[SuppressedNode], float]
"""Says what a node is worth; smaller is better."""


@dataclass(frozen=True, eq=False)
class WithSuppression:
    """All nodes found within policy, the minimal ones among them, and how many were looked at."""

    within: tuple[SuppressedNode, ...]
    minimal: tuple[SuppressedNode, ...]
    checked: int
    complete: bool


def nodes_with_suppression(
    lattice: Lattice, policy: Policy, *, room: int, as_group: bool, weigh: Weigh, most: int | None, progress: Progress
) -> WithSuppression:
    """Find and weigh all nodes that keep the policy once at most `room` people are suppressed.

    What has to be suppressed may grow as groups merge, so nodes are not pruned by the policy; only by the people in
    groups that are too small, who never become more upwards.
    """
    count = Count(len(lattice), progress)
    small = [each for each in policy.criteria if each.measure == GroupSize()]
    open_ = border(lattice.heights, count(lambda node: _too_small(lattice, node, small) <= room), most=most)
    limits = Limits.of(policy, lattice.table.people)
    affordable = sorted(open_.within, key=_height)[: None if most is None else max(most - count.made, 0)]
    found: dict[Node, SuppressedNode] = {}
    complete = open_.complete and len(affordable) == len(open_.within)
    try:
        for node in sorted(affordable):  # neighbours one after another, so that one is rolled up from the other
            count.made += 1
            progress(f"levels {node}", count.made, len(lattice))
            groups = lattice.groups_at(node)
            out = _suppressed(groups, limits, room, as_group=as_group)
            if out is not None:
                people = int(groups.sizes[out].sum())
                plain = SuppressedNode(node, out, people, as_group and people > 0, limits)
                found[node] = replace(plain, worth=weigh(plain))
    except KeyboardInterrupt:
        complete = False
    minimal = tuple(found[node] for node in lowest(list(found)))
    return WithSuppression(tuple(found.values()), minimal, count.made, complete)


def _height(node: Node) -> tuple[int, Node]:
    return sum(node), node


def _too_small(lattice: Lattice, node: Node, small: list[Criterion]) -> int:
    """Count the people who are in groups below the size the policy asks for."""
    sizes = lattice.sizes_at(node)
    least = max((exact(each.bound) for each in small), default=0)
    return int(sizes[sizes < float(least)].sum())


def _suppressed(groups: Groups, limits: Limits, room: int, *, as_group: bool) -> Flags | None:
    """Choose the groups to suppress; where those are printed as one group, make that group keep the policy too."""
    out = offending(groups, limits, room)
    if out is None or not as_group or not out.any():
        return out
    while not limits.hold(_with_star(groups, out)):
        left = np.flatnonzero(~out)
        out[left[groups.sizes[left].argmin()]] = True
        if out.all() or groups.sizes[out].sum() > room:
            return None
    return out


def _with_star(groups: Groups, out: Flags) -> Groups:
    """Put the suppressed groups together into one that says `*` in every column, after the others."""
    kept = np.flatnonzero(~out)
    number = np.full(len(groups), len(kept))
    number[kept] = np.arange(len(kept))
    counts = groups.counts.rolled_up(number, groups=len(kept) + 1)
    sizes = np.append(groups.sizes[kept], groups.sizes[out].sum())
    return whole_groups(
        domain=groups.domain,
        sizes=sizes,
        counts=counts,
        columns=tuple(_starred(column, kept) for column in groups.columns),
        semantics=groups.semantics,
    )


def _starred(column: Column, kept: np.typing.NDArray[np.int64]) -> Column:
    labels = column.labels if SUPPRESSED in column.labels else (*column.labels, SUPPRESSED)
    star = np.int32(labels.index(SUPPRESSED))
    return Column(column.name, labels, np.append(column.codes[kept], star).astype(np.int32))
