"""Give up a few people's rows, so that everybody else's can be printed more finely within policy.

Symbols     S = the groups of a node that are suppressed, n_S = their people, at most `max_suppressed`.
Printed     Suppressed people are left out, or they are one more group that says `*` in every column.  What is judged is
            what is published: the groups kept, on their own (left out), or with the group of `*` (printed).
Choice      Greedy, criterion by criterion: all groups that break one on their own where only the group itself counts;
            the worse half of them where the others may be fine once those are gone (totals change with what is left
            out); then, for criteria judged over several groups, the group of the worst case, one at a time (of an
            average, one in a hundred).  The group
            of `*` grows by the smallest group left until it is within policy too.
Nodes       n_S may grow as groups merge, so a node that needs too many says nothing about coarser ones.  Only the
            people in groups that are too small, who never become more upwards, prune the lattice (`search_monotone`).
Invariant   S only grows, so each choice ends after at most as many rounds as there are groups.
Cost        One choice per node that is left: every node within policy is weighed, as a coarser one that suppresses
            fewer may be worth more.

Source: ours; the limit on suppressed people is that of Samarati, Protecting respondents' identities, TKDE 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from sidelight._arrays import Flags, Integers
from sidelight._progress import Progress
from sidelight.policy.policy import Policy
from sidelight.release.generalise import Lattice, Node
from sidelight.release.groups import Groups
from sidelight.release.release import Release, whole_groups
from sidelight.search.lattice_search import CheckCounter, finest_first, minimal_among, search_monotone
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.labels import SUPPRESSED, Label
from sidelight.table.table import Column, JointDomain

WORST_SHARE = 100
"""Of groups that break an average together, one in this many is suppressed before they are judged again."""


@dataclass(frozen=True, eq=False)
class SuppressedNode:
    """A node, and the groups of it that are suppressed."""

    node: Node
    suppressed: Flags  # per group of the node
    people: int
    as_group: bool  # whether those people are printed as one group of `*`
    policy: PolicyCheck  # what it names is spoken of, even when nobody is left who has it
    worth: Mapping[str, float] = field(default_factory=dict)  # by utility; smaller is better

    def release(self, lattice: Lattice) -> Release:
        """Make the release: the groups kept, and the suppressed people as `*` where they are printed."""
        groups = lattice.groups_at(self.node)
        if self.as_group:
            printed = _with_star_group(groups, self.suppressed)
        else:
            printed = as_whole_release(groups, np.flatnonzero(~self.suppressed), self.policy)
        return Release(printed, sensitive=lattice.table.sensitive, intake=lattice.table.intake)


NodeWorth: TypeAlias = Callable[[SuppressedNode], Mapping[str, float]]
"""Says what a node is worth by each utility that matters; smaller is better."""


@dataclass(frozen=True, eq=False)
class SuppressedNodes:
    """All nodes that are within policy once people are suppressed, the minimal ones, and how many were checked."""

    within: tuple[SuppressedNode, ...]
    minimal: tuple[SuppressedNode, ...]
    checked: int
    complete: bool


def search_with_suppression(
    lattice: Lattice,
    policy: Policy,
    *,
    max_suppressed: int,
    as_group: bool,
    worth: NodeWorth,
    max_checks: int | None,
    progress: Progress,
) -> SuppressedNodes:
    """Find and weigh all nodes that keep the policy once at most `max_suppressed` people are suppressed."""
    counter = CheckCounter(len(lattice), progress)
    check = PolicyCheck.of(policy, lattice.table.people)
    least = check.least_group_size or 1
    few_too_small = counter.counted(lambda node: _people_in_small_groups(lattice, node, least) <= max_suppressed)
    open_nodes = search_monotone(lattice.heights, few_too_small, max_checks=max_checks)
    # where checks are short, the finest nodes are looked at
    affordable = finest_first(open_nodes.within)[: _checks_left(max_checks, counter)]
    complete = open_nodes.complete and len(affordable) == len(open_nodes.within)
    within: dict[Node, SuppressedNode] = {}
    try:
        # neighbours one after another, so that one is rolled up from the other
        for node in sorted(affordable):
            counter.count(node)
            chosen = suppress_at(lattice, node, check, max_suppressed, as_group=as_group)
            if chosen is not None:
                within[node] = replace(chosen, worth=worth(chosen))
    except KeyboardInterrupt:
        complete = False
    minimal = tuple(within[node] for node in minimal_among(within))
    return SuppressedNodes(tuple(within.values()), minimal, counter.checked, complete)


def _checks_left(max_checks: int | None, counter: CheckCounter) -> int | None:
    return None if max_checks is None else max(max_checks - counter.checked, 0)


def _people_in_small_groups(lattice: Lattice, node: Node, least: int) -> int:
    """Count the people who are in groups below the size the policy asks for."""
    sizes = lattice.sizes_at(node)
    return int(sizes[sizes < least].sum())


def suppress_at(
    lattice: Lattice, node: Node, policy: PolicyCheck, max_suppressed: int, *, as_group: bool
) -> SuppressedNode | None:
    """Choose the groups of a node to suppress; where those are printed as one, that group keeps the policy too."""
    groups = lattice.groups_at(node)
    suppressed = offending_groups(groups, policy, max_suppressed)
    if suppressed is not None and as_group and suppressed.any():
        suppressed = _until_star_holds(groups, suppressed, policy, max_suppressed)
    if suppressed is None:
        return None
    people = int(groups.sizes[suppressed].sum())
    return SuppressedNode(node, suppressed, people, as_group and people > 0, policy)


def offending_groups(groups: Groups, policy: PolicyCheck, max_suppressed: int) -> Flags | None:
    """Choose groups to suppress, of at most `max_suppressed` people together, or say that it cannot be done.

    >>> import sidelight as sl
    >>> groups = sl.Release.from_counts([{"a": 3}, {"a": 1}, {"b": 4}]).groups
    >>> policy = PolicyCheck.of(sl.Policy(sl.GroupSize() >= 3), people=8)
    >>> offending_groups(groups, policy, max_suppressed=1).tolist()
    [False, True, False]
    """
    suppressed = np.zeros(len(groups), bool)
    while True:
        left = np.flatnonzero(~suppressed)
        if len(left) == 0 or groups.sizes[suppressed].sum() > max_suppressed:
            return None
        rest = as_whole_release(groups, left, policy)
        worst = _worst_groups(rest, policy)
        if len(worst) == 0:
            # people without any value pass group by group, but a release of nobody else has nothing to measure
            measured = rest.whole.any() or all(check.holds_exactly(rest) for check in policy.by_group)
            return suppressed if measured else None
        # never taken back: the set only grows, and at the latest it is too large
        suppressed[left[worst]] = True


def _worst_groups(groups: Groups, policy: PolicyCheck) -> Integers:
    """Choose the groups to give up next; none when the policy holds."""
    for check in (each for each in policy.checks if each.needed_of_each):
        bad = np.flatnonzero(~check.holds_in_each(groups))
        if len(bad) and check.screen.exact:
            return bad
        # giving these up changes the totals that the others are compared with, so half of them may turn out fine
        if len(bad):
            return bad[check.worst_first(groups.take(bad))[: (len(bad) + 1) // 2]]
    for check in policy.together:
        finding = check.finding(groups)
        if not check.criterion.decide(finding).holds and finding.witness is not None:
            if not check.needed_of_each:  # an average, that many groups make up
                return check.worst_first(groups)[: -(-len(groups) // WORST_SHARE)]
            return np.array([finding.witness.group.number - 1])
    return np.array([], np.int64)


def as_whole_release(groups: Groups, rows: Integers, policy: PolicyCheck) -> Groups:
    """Take some groups for a whole release: what they are compared with is then only themselves.

    Values that nobody has any more are not spoken of, unless the policy names them.
    """
    some = groups if len(rows) == len(groups) else groups.take(rows)
    totals = some.counts.totals()
    # values that nobody had in the whole table stay: they were declared, not lost by suppression
    kept = np.flatnonzero((totals > 0) | (groups.whole == 0) | policy.mentions(groups.domain))
    return Groups(
        _only_domain(some.domain, kept),
        some.sizes,
        some.counts.only_values(kept),
        some.columns,
        some.semantics,
        totals[kept],
        np.arange(1, len(some) + 1),
        tuple(each.alone(rows) for each in groups.populations),
    )


def _only_domain(domain: tuple[Label, ...], kept: Integers) -> tuple[Label, ...]:
    if isinstance(domain, JointDomain):
        return domain.only(kept)
    return tuple(domain[value] for value in kept)


def _until_star_holds(groups: Groups, suppressed: Flags, policy: PolicyCheck, max_suppressed: int) -> Flags | None:
    """Suppress the smallest groups left, one by one, until the group of `*` keeps the policy with the others."""
    while not policy.holds(_with_star_group(groups, suppressed)):
        left = np.flatnonzero(~suppressed)
        suppressed[left[groups.sizes[left].argmin()]] = True
        if suppressed.all() or groups.sizes[suppressed].sum() > max_suppressed:
            return None
    return suppressed


def _with_star_group(groups: Groups, suppressed: Flags) -> Groups:
    """Put the suppressed groups together into one that says `*` in every column, after the others."""
    kept = np.flatnonzero(~suppressed)
    number = np.full(len(groups), len(kept))
    number[kept] = np.arange(len(kept))
    printed = whole_groups(
        domain=groups.domain,
        sizes=np.append(groups.sizes[kept], groups.sizes[suppressed].sum()),
        counts=groups.counts.roll_up(number, groups=len(kept) + 1),
        columns=tuple(_with_star(column, kept) for column in groups.columns),
        semantics=groups.semantics,
    )
    return replace(printed, populations=tuple(each.with_last(kept) for each in groups.populations))


def _with_star(column: Column, kept: Integers) -> Column:
    labels = column.labels if SUPPRESSED in column.labels else (*column.labels, SUPPRESSED)
    star = np.int32(labels.index(SUPPRESSED))
    return Column(column.name, labels, np.append(column.codes[kept], star).astype(np.int32))
