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
On disk     Groups are gone through block by block; held are a flag per group, and what is chosen among them, of which
            at most `max_suppressed` groups (every group has somebody) can matter.

Source: ours; the limit on suppressed people is that of Samarati, Protecting respondents' identities, TKDE 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from sidelight.arrays import Flags, Integers
from sidelight.errors import BadMeasure
from sidelight.policy.policy import Policy
from sidelight.progress import Progress
from sidelight.release.generalise import Node
from sidelight.release.groups import Groups
from sidelight.release.release import Release, whole_groups
from sidelight.release.streamed_lattice import AnyGroups, AnyLattice, StreamedGroups
from sidelight.search.lattice_search import CheckCounter, finest_first, minimal_among, search_monotone
from sidelight.search.policy_check import CriterionCheck, PolicyCheck
from sidelight.table.labels import SUPPRESSED, Label
from sidelight.table.table import Column, JointDomain


@dataclass(frozen=True, eq=False)
class SuppressedNode:
    """A node, and the groups of it that are suppressed."""

    node: Node
    suppressed: Flags | None  # per group of the node; None: of a node on disk, to be chosen again
    people: int
    as_group: bool  # whether those people are printed as one group of `*`
    policy: PolicyCheck  # what it names is spoken of, even when nobody is left who has it
    worth: Mapping[str, float] = field(default_factory=dict)  # by utility; smaller is better

    def flags(self, lattice: AnyLattice) -> Flags:
        """Return which groups of the node are suppressed."""
        if self.suppressed is not None:
            return self.suppressed
        again = suppress_at(lattice, self.node, self.policy, self.people, as_group=self.as_group)
        assert again is not None  # what was chosen once is chosen again
        assert again.suppressed is not None
        return again.suppressed

    def release(self, lattice: AnyLattice) -> Release:
        """Build the release: the groups kept, and the suppressed people as `*` where they are printed."""
        groups, suppressed = lattice.held_groups_at(self.node), self.flags(lattice)
        printed = _add_star_group(groups, suppressed) if self.as_group else take_rest(groups, suppressed, self.policy)
        assert isinstance(printed, Groups)
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
    lattice: AnyLattice,
    policy: Policy,
    *,
    max_suppressed: int,
    as_group: bool,
    worth: NodeWorth,
    max_checks: int | None,
    progress: Progress,
) -> SuppressedNodes:
    """Find and weigh all nodes that keep the policy once at most `max_suppressed` people are suppressed."""
    counter = CheckCounter.watch(lattice, progress)
    check = PolicyCheck.from_policy(policy, lattice.table.people)
    least = check.least_group_size or 1
    few_too_small = counter.count_calls(lambda node: lattice.few_below(node, least, most=max_suppressed))
    open_nodes = search_monotone(lattice.heights, few_too_small, max_checks=max_checks)
    # where checks are short, the finest nodes are looked at
    affordable = finest_first(open_nodes.within)[: None if max_checks is None else max(max_checks - counter.checked, 0)]
    complete = open_nodes.complete and len(affordable) == len(open_nodes.within)
    within: dict[Node, SuppressedNode] = {}
    try:
        # neighbours one after another, so that one is rolled up from the other
        for node in sorted(affordable):
            counter.count(node)
            chosen = suppress_at(lattice, node, check, max_suppressed, as_group=as_group)
            if chosen is not None:
                weighed = replace(chosen, worth=worth(chosen))
                on_disk = not lattice.is_in_memory(node)
                within[node] = replace(weighed, suppressed=None) if on_disk else weighed
    except KeyboardInterrupt:
        complete = False
    minimal = tuple(within[node] for node in minimal_among(within))
    return SuppressedNodes(tuple(within.values()), minimal, counter.checked, complete)


def suppress_at(
    lattice: AnyLattice, node: Node, policy: PolicyCheck, max_suppressed: int, *, as_group: bool
) -> SuppressedNode | None:
    """Choose the groups of a node to suppress; where those are printed as one, that group keeps the policy too."""
    groups = lattice.groups_at(node)
    suppressed = offending_groups(groups, policy, max_suppressed)
    if suppressed is not None and as_group and suppressed.any():
        suppressed = _until_star_holds(groups, suppressed, policy, max_suppressed)
    if suppressed is None or not (as_group or _is_asked_about(lattice, groups, suppressed, policy)):
        return None
    people = _people_of(groups, suppressed)
    return SuppressedNode(node, suppressed, people, as_group and people > 0, policy)


def _is_asked_about(lattice: AnyLattice, groups: AnyGroups, suppressed: Flags, policy: PolicyCheck) -> bool:
    """Return whether every limit asks about a value that is left when these groups are left out."""
    first = next(iter(take_rest(groups, suppressed, policy).blocks())).take(slice(0, 1))
    release = Release(first, sensitive=lattice.table.sensitive)
    try:
        for check in policy.checks:
            check.criterion.measure.check(release)
    except BadMeasure:
        return False
    return True


def offending_groups(groups: AnyGroups, policy: PolicyCheck, max_suppressed: int) -> Flags | None:
    """Choose groups to suppress, of at most `max_suppressed` people together, or say that it cannot be done.

    >>> import sidelight as sl
    >>> groups = sl.Release.from_counts([{"a": 3}, {"a": 1}, {"b": 4}]).groups
    >>> policy = PolicyCheck.from_policy(sl.Policy(sl.GroupSize() >= 3), people=8)
    >>> offending_groups(groups, policy, max_suppressed=1).tolist()
    [False, True, False]
    """
    suppressed = np.zeros(len(groups), bool)
    people = 0
    while True:
        if suppressed.all() or people > max_suppressed:
            return None
        rest = take_rest(groups, suppressed, policy)
        try:
            worst = _worst_groups(rest, policy, max_suppressed - people)
        except BadMeasure:  # nobody is left who has a value that a limit asks about: it would hold of anything
            return None
        if worst is None:
            return None
        if len(worst) == 0:
            # people without any value pass group by group, but a release of nobody else has nothing to measure
            return suppressed if all(check.holds_of_nothing(rest) for check in policy.by_group) else None
        # never taken back: the set only grows, and at the latest it is too large
        suppressed[np.flatnonzero(~suppressed)[worst]] = True
        people = _people_of(groups, suppressed)


def _worst_groups(groups: AnyGroups, policy: PolicyCheck, most_people: int) -> Integers | None:
    """Choose the groups to give up next; none when the policy holds, None when they have more than so many people."""
    for check in (each for each in policy.checks if each.binds_each_group):
        # of what an exact screen refuses all goes; of the rest half may turn out fine, as giving groups up changes the
        # totals that the others are compared with
        most = most_people if check.screen.exact else 2 * most_people + 1
        bad, badness = [np.zeros(0, np.int64)], [np.zeros(0)]
        for block in groups.blocks():
            here = np.flatnonzero(~check.holds_in_each(block))
            if len(here):
                bad.append(block.numbers[here] - 1)
                badness.append(np.zeros(len(here)) if check.screen.exact else check.badness(block.take(here)))
            if sum(map(len, bad)) > most:  # every group has somebody
                return None
        rows, order = np.concatenate(bad), np.argsort(np.concatenate(badness), kind="stable")
        if len(rows):
            return rows if check.screen.exact else rows[order[: (len(rows) + 1) // 2]]
    for check in policy.together:
        finding = check.finding(groups)
        if not check.criterion.decide(finding).holds and finding.witness is not None:
            if not check.binds_each_group:  # an average, that many groups make up
                # Of groups that break an average together, one in this many is suppressed before they are judged
                # again.
                return _worst_of_all(check, groups, -(-len(groups) // 100))
            return np.array([finding.witness.group.number - 1])
    return np.array([], np.int64)


def _worst_of_all(check: CriterionCheck, groups: AnyGroups, many: int) -> Integers:
    """Return the groups that are the worst on their own, at most `many`, the worst first."""
    rows, badness = np.zeros(0, np.int64), np.zeros(0)
    for block in groups.blocks():
        rows, badness = np.append(rows, block.numbers - 1), np.append(badness, check.badness(block))
        order = np.argsort(badness, kind="stable")[:many]
        rows, badness = rows[order], badness[order]
    return rows


def _people_of(groups: AnyGroups, which: Flags) -> int:
    if isinstance(groups, Groups):
        return int(groups.sizes[which].sum())
    return groups.people_of(which)


def take_rest(groups: AnyGroups, suppressed: Flags, policy: PolicyCheck) -> AnyGroups:
    """Return all groups but some as a whole release: what they are compared with is then only themselves.

    Values that nobody has any more are not spoken of, unless the policy names them.
    """
    named = policy.mentions(groups.domain)
    if isinstance(groups, StreamedGroups):
        return groups.drop(suppressed, named)
    rows = np.flatnonzero(~suppressed)
    some = groups if len(rows) == len(groups) else groups.take(rows)
    totals = some.counts.totals()
    # values that nobody had in the whole table stay: they were declared, not lost by suppression
    kept = np.flatnonzero((totals > 0) | (groups.whole == 0) | named)
    return Groups(
        _only_domain(some.domain, kept),
        some.sizes,
        some.counts.only_values(kept),
        some.columns,
        some.semantics,
        totals[kept],
        np.arange(1, len(some) + 1),
        tuple(each.keep_only(rows) for each in groups.populations),
    )


def _only_domain(domain: tuple[Label, ...], kept: Integers) -> tuple[Label, ...]:
    if isinstance(domain, JointDomain):
        return domain.only(kept)
    return tuple(domain[value] for value in kept)


def _until_star_holds(groups: AnyGroups, suppressed: Flags, policy: PolicyCheck, max_suppressed: int) -> Flags | None:
    people = _people_of(groups, suppressed)
    smallest = _smallest_left(groups, suppressed, max_suppressed - people)
    while not policy.holds(_add_star_group(groups, suppressed)):
        row, size = next(smallest)
        suppressed[row], people = True, people + size
        if suppressed.all() or people > max_suppressed:
            return None
    return suppressed


def _smallest_left(groups: AnyGroups, suppressed: Flags, most_people: int) -> Iterator[tuple[int, int]]:
    """Yield groups that are not suppressed, the smallest first, with their people: more than so many, or all."""
    rows, sizes, before = np.zeros(0, np.int64), np.zeros(0, np.int64), 0
    for block in groups.blocks():
        here = np.flatnonzero(~suppressed[before : before + len(block)])
        rows, sizes = np.append(rows, before + here), np.append(sizes, block.sizes[here])
        order = np.argsort(sizes, kind="stable")
        order = order[np.cumsum(sizes[order]) - sizes[order] <= most_people]
        rows, sizes, before = rows[order], sizes[order], before + len(block)
    yield from zip(rows.tolist(), sizes.tolist(), strict=True)


def _add_star_group(groups: AnyGroups, suppressed: Flags) -> AnyGroups:
    """Merge the suppressed groups into one that says `*` in every column, after the others."""
    if isinstance(groups, StreamedGroups):
        return groups.merge_hidden(suppressed)
    kept = np.flatnonzero(~suppressed)
    number = np.full(len(groups), len(kept))
    number[kept] = np.arange(len(kept))
    printed = whole_groups(
        domain=groups.domain,
        sizes=np.append(groups.sizes[kept], groups.sizes[suppressed].sum()),
        counts=groups.counts.roll_up(number, groups=len(kept) + 1),
        columns=tuple(_add_star(column, kept) for column in groups.columns),
        semantics=groups.semantics,
    )
    return replace(printed, populations=tuple(each.append_rest(kept) for each in groups.populations))


def _add_star(column: Column, kept: Integers) -> Column:
    labels = column.labels if SUPPRESSED in column.labels else (*column.labels, SUPPRESSED)
    star = np.int32(labels.index(SUPPRESSED))
    return Column(column.name, labels, np.append(column.codes[kept], star).astype(np.int32))
