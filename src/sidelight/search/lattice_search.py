"""Find the levels of generalisation that keep a policy with few checks: predictive tagging along halved paths.

Symbols     A node is a vector of levels; u ≤ v (u is finer) when no level of u is higher.  h = the sum of heights, the
            length of the longest path from the coarsest node to a finest one.  F(v): the policy holds at v.
Monotone    A criterion that merging groups cannot break makes F monotone: u ≤ v and F(u) imply F(v) (roll-up property).
Tags        Each node is tagged 1 (F is known to hold), −1 (known not to) or 0 (open).  Checking one node tags all above
            it when F holds, and all below it when it does not.
Search      From the coarsest nodes down: each open node starts a path of open nodes to a finest one, one level down in
            one column at each step; on the path F turns from true to false once, and halving finds where.
Invariant   The nodes tagged 1 are closed upwards, those tagged −1 downwards, and every tag is true: the minimal nodes
            are those tagged 1 with no neighbour below that is, as soon as no tag is 0.
Cost        At most log₂(h + 1) + 1 checks per path, and a byte per node.  A node's sizes are checked before its counts.
Others      Criteria whose monotonicity is unknown are checked one by one at the nodes that keep the monotone ones, the
            finest first.  Stopped early (Ctrl-C, `max_checks`), what is tagged so far is true, and marked incomplete.

A few people's rows may be given up, so that everybody else's can be printed more finely within policy:

Symbols     S = the groups of a node that are suppressed, n_S = their people, at most `max_suppressed`.
Printed     Suppressed people are left out, or they are one more group that says `*` in every column.  What is judged is
            what is published: the groups kept, on their own (left out), or with the group of `*` (printed).
Choice      Greedy, criterion by criterion: all groups that break one on their own where only the group itself counts;
            the worse half of them where the others may be fine once those are gone (totals change with what is left
            out); then, for criteria judged over several groups, the group of the worst case, one at a time (of an
            average, one in a hundred).  The group of `*` grows by the smallest group left until it is within policy.
Nodes       n_S may grow as groups merge, so a node that needs too many says nothing about coarser ones.  Only the
            people in groups that are too small, who never become more upwards, prune the lattice (`search_monotone`).
Invariant   S only grows, so each choice ends after at most as many rounds as there are groups.
Cost        One choice per node that is left: every node within policy is weighed, as a coarser one that suppresses
            fewer may be worth more.
On disk     Groups are gone through block by block; held are a flag per group, and what is chosen among them, of which
            at most `max_suppressed` groups (no group is empty) can matter.

Source: Samarati, 2001; LeFevre et al., Incognito, 2005 (roll-up property); Kohlmayer et al., Flash, 2012 (predictive
tagging, halved paths).  Suppression: ours; the limit on suppressed people is that of Samarati, Protecting respondents'
identities, TKDE 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadMeasure
from sidelight.measures.classics import GroupSize
from sidelight.progress import Progress, quiet
from sidelight.release.generalise import AnyGroups, Lattice, Node, StreamedGroups
from sidelight.release.groups import Groups, whole_groups
from sidelight.release.release import Release
from sidelight.search.policy_check import PolicyCheck, holds_upwards
from sidelight.table.labels import SUPPRESSED, Column, JointDomain

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Integers
    from sidelight.measures.criterion import Criterion
    from sidelight.policy.policy import Policy

NodeCheck: TypeAlias = Callable[[Node], bool]
"""Whether a policy holds at a node."""


@dataclass(frozen=True, eq=False)
class CheckedNodes:
    """Where a policy holds: all minimal nodes, and how many nodes were checked to know."""

    minimal: tuple[Node, ...]
    within: tuple[Node, ...]  # all nodes known to be within policy
    checked: int
    complete: bool
    chosen: Mapping[Node, SuppressedNode] = field(default_factory=dict)  # where people may be suppressed


def search_lattice(lattice: Lattice, policy: Policy, *, max_checks: int | None, progress: Progress) -> CheckedNodes:
    """Find all minimal nodes within policy: monotone criteria by halving paths, then the others one by one."""
    monotone = [each for each in policy.criteria if holds_upwards(each, lattice.table.semantics)]
    others = [each for each in policy.criteria if each not in monotone]
    counter = CheckCounter.watch(lattice, progress, max_checks)
    # no other node can be within policy: it would have to keep the monotone criteria too
    nodes = search_monotone(lattice.heights, node_check(lattice, monotone), counter)
    if not others or not nodes.within:
        return nodes
    kept = counter.check_each(finest_first(nodes.within), node_check(lattice, others))
    return CheckedNodes(minimal_among(kept), tuple(kept), counter.checked, counter.complete)


def node_check(lattice: Lattice, criteria: list[Criterion]) -> NodeCheck:
    """Return a check of nodes: sizes first, counts only when those are fine."""
    by_size = [each for each in criteria if each.measure == GroupSize()]
    sizes = PolicyCheck.from_policy(by_size, lattice.table.people)
    by_counts = PolicyCheck.from_policy((each for each in criteria if each not in by_size), lattice.table.people)
    least = max(sizes.least_group_size or 1, by_counts.least_people(lattice.table.semantics))

    def check(node: Node) -> bool:
        # sizes need no counts of values, and most nodes that fail do so by size
        if least > 1 and not lattice.few_below(node, least, most=0):
            return False
        return not by_counts.checks or by_counts.holds(lattice.groups_at(node))

    return check


@dataclass(eq=False)
class CheckCounter:
    """Counts the checks of a search, reports each of them, and ends where there are too many, or on Ctrl-C."""

    total: int = 0
    progress: Progress = quiet
    max_checks: int | None = None
    checked: int = 0
    complete: bool = True
    node: Node = ()

    @classmethod
    def watch(cls, lattice: Lattice, progress: Progress, max_checks: int | None) -> CheckCounter:
        """Return a counter of the checks of a lattice; one on disk reports how far it has read a node."""
        counter = cls(len(lattice), progress, max_checks)

        def report_reading(rows: int, of_rows: int) -> None:
            progress(f"levels {counter.node}, {100 * rows // max(of_rows, 1)} % read", counter.checked, counter.total)

        lattice.reading = report_reading
        return counter

    def check_each(self, nodes: Iterable[Node], check: NodeCheck) -> list[Node]:
        """Check one node after another; return those that hold."""
        kept: list[Node] = []
        try:
            for node in nodes:
                if self.max_checks is not None and self.checked >= self.max_checks:
                    self.complete = False
                    break
                self.checked, self.node = self.checked + 1, node
                self.progress(f"levels {node}", self.checked, self.total)
                if check(node):
                    kept.append(node)
        except KeyboardInterrupt:
            self.complete = False
        return kept


def search_monotone(heights: tuple[int, ...], check: NodeCheck, counter: CheckCounter | None = None) -> CheckedNodes:
    """Find all minimal nodes at which a check that never turns false upwards is true.

    >>> nodes = search_monotone((3, 3), lambda node: sum(node) >= 2)
    >>> sorted(nodes.minimal), nodes.checked, nodes.complete
    ([(0, 2), (1, 1), (2, 0)], 5, True)
    """
    tags, counter = np.zeros(heights, np.int8), counter or CheckCounter()

    def tag(node: Node) -> bool:
        if check(node):
            # closed upwards: every coarser node holds too
            tags[tuple(slice(level, None) for level in node)] = 1
        else:
            # closed downwards: no finer node holds
            tags[tuple(slice(None, level + 1) for level in node)] = -1
        return bool(tags[node] == 1)

    counter.check_each(_nodes_on_paths(tags), tag)
    # the nodes that hold while nothing directly below them is known to
    holds = tags == 1
    lowest = holds.copy()
    for axis in range(len(heights)):
        before = (slice(None),) * axis
        lowest[*before, 1:] &= ~holds[*before, :-1]
    minimal, within = (tuple(tuple(node) for node in np.argwhere(nodes).tolist()) for nodes in (lowest, holds))
    return CheckedNodes(minimal, within, counter.checked, counter.complete)


def _nodes_on_paths(tags: npt.NDArray[np.int8]) -> Iterator[Node]:
    """Yield the nodes to be checked next, by what is known of each; each must be tagged before the next is drawn."""
    # a step in a tall hierarchy gives up less than one in a short one
    step_costs = [1 / max(height - 1, 1) for height in tags.shape]
    levels = np.indices(tags.shape).reshape(tags.ndim, -1)
    for at in np.argsort(-levels.sum(axis=0), kind="stable"):
        node: Node = tuple(levels[:, at].tolist())
        if tags[node] != 0:
            continue
        # down over open nodes, giving up as little generality as possible at each step
        path = [node]
        while True:
            below = [
                (cost, (*node[:column], node[column] - 1, *node[column + 1 :]))
                for column, cost in enumerate(step_costs)
                if node[column] > 0
            ]
            steps = [(cost, finer) for cost, finer in below if tags[finer] == 0]
            if not steps:
                break
            node = min(steps)[1]
            path.append(node)
        # invariant: path[:low] hold and path[high + 1:] do not; path[0] is the coarsest
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            yield path[middle]
            low, high = (middle + 1, high) if tags[path[middle]] == 1 else (low, middle - 1)


def finest_first(nodes: Iterable[Node]) -> list[Node]:
    """Sort nodes by the sum of their levels: a node comes before all that are coarser."""
    return sorted(nodes, key=lambda node: (sum(node), node))


def minimal_among(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Keep the nodes that are not coarser than another of them, by their height.

    >>> minimal_among([(2, 2), (0, 1), (1, 0), (0, 3)])
    ((0, 1), (1, 0))
    """
    left = np.array(finest_first(nodes))
    kept: list[Node] = []
    while len(left):
        # the finest one left is coarser than none of the others; those coarser than it are struck out
        kept.append(tuple(left[0].tolist()))
        left = left[(left < left[0]).any(axis=1)]
    return tuple(kept)


@dataclass(frozen=True, eq=False)
class SuppressedNode:
    """A node, and the groups of it that are suppressed."""

    node: Node
    suppressed: Flags | None  # per group of the node; None: of a node on disk, to be chosen again
    people: int
    as_group: bool  # whether those people are printed as one group of `*`
    policy: PolicyCheck  # what it names is spoken of, even when nobody is left who has it
    worth: Mapping[str, float] = field(default_factory=dict)  # by utility; smaller is better

    def flags(self, lattice: Lattice) -> Flags:
        """Return which groups of the node are suppressed."""
        if self.suppressed is not None:
            return self.suppressed
        again = suppress_at(lattice, self.node, self.policy, self.people, as_group=self.as_group)
        assert again is not None  # what was chosen once is chosen again
        assert again.suppressed is not None
        return again.suppressed

    def release(self, lattice: Lattice) -> Release:
        """Build the release: the groups kept, and the suppressed people as `*` where they are printed."""
        groups, suppressed = lattice.held_groups_at(self.node), self.flags(lattice)
        printed = _add_star_group(groups, suppressed) if self.as_group else _take_rest(groups, suppressed, self.policy)
        assert isinstance(printed, Groups)
        return Release(printed, sensitive=lattice.table.sensitive, intake=lattice.table.intake)


def search_with_suppression(
    lattice: Lattice,
    policy: Policy,
    *,
    max_suppressed: int,
    as_group: bool,
    worth: Callable[[SuppressedNode], Mapping[str, float]] = lambda _: {},
    max_checks: int | None,
    progress: Progress,
) -> CheckedNodes:
    """Find all nodes that keep the policy once at most `max_suppressed` people are suppressed, and their worth."""
    counter = CheckCounter.watch(lattice, progress, max_checks)
    check = PolicyCheck.from_policy(policy, lattice.table.people)
    least = check.least_group_size or 1
    open_nodes = search_monotone(
        lattice.heights, lambda node: lattice.few_below(node, least, most=max_suppressed), counter
    )
    # where checks are short, the finest nodes are looked at
    affordable = finest_first(open_nodes.within)[: None if max_checks is None else max(max_checks - counter.checked, 0)]
    within: dict[Node, SuppressedNode] = {}

    def suppress(node: Node) -> bool:
        chosen = suppress_at(lattice, node, check, max_suppressed, as_group=as_group)
        if chosen is not None:
            suppressed = chosen.suppressed if lattice.is_in_memory(node) else None
            within[node] = replace(chosen, suppressed=suppressed, worth=worth(chosen))
        return chosen is not None

    # neighbours one after another, so that one is rolled up from the other
    counter.check_each(sorted(affordable), suppress)
    complete = counter.complete and len(affordable) == len(open_nodes.within)
    return CheckedNodes(minimal_among(within), tuple(within), counter.checked, complete, within)


def suppress_at(
    lattice: Lattice, node: Node, policy: PolicyCheck, max_suppressed: int, *, as_group: bool
) -> SuppressedNode | None:
    """Choose the groups of a node to suppress; where those are printed as one, that group keeps the policy too."""
    groups = lattice.groups_at(node)
    suppressed = offending_groups(groups, policy, max_suppressed)
    if suppressed is None:
        return None
    people = _people_of(groups, suppressed)
    if as_group and suppressed.any():
        smallest = _smallest_left(groups, suppressed, max_suppressed - people)
        while not policy.holds(_add_star_group(groups, suppressed)):
            row, size = next(smallest)
            suppressed[row], people = True, people + size
            if suppressed.all() or people > max_suppressed:
                return None
    if not as_group:
        # every limit has to ask about a value that is left
        first = next(iter(_take_rest(groups, suppressed, policy).blocks())).take(slice(0, 1))
        try:
            for check in policy.checks:
                check.criterion.measure.check(Release(first, sensitive=lattice.table.sensitive))
        except BadMeasure:
            return None
    return SuppressedNode(node, suppressed, people, as_group and people > 0, policy)


def offending_groups(groups: AnyGroups, policy: PolicyCheck, max_suppressed: int) -> Flags | None:
    """Return groups to suppress, of at most `max_suppressed` people together; None where that is impossible.

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
        rest = _take_rest(groups, suppressed, policy)
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
    """Choose the groups to give up next; none when the policy holds, None when they have more than `most_people`."""
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
            if sum(map(len, bad)) > most:  # no group is empty
                return None
        rows, order = np.concatenate(bad), np.argsort(np.concatenate(badness), kind="stable")
        if len(rows):
            return rows if check.screen.exact else rows[order[: (len(rows) + 1) // 2]]
    for check in policy.together:
        finding = check.finding(groups)
        if check.criterion.decide(finding).holds or finding.witness is None:
            continue
        if check.binds_each_group:
            return np.array([finding.witness.group.number - 1])
        # of groups that break an average together, one in a hundred, the worst on their own, goes before the next look
        rows, worst = np.zeros(0, np.int64), np.zeros(0)
        for block in groups.blocks():
            rows, worst = np.append(rows, block.numbers - 1), np.append(worst, check.badness(block))
            order = np.argsort(worst, kind="stable")[: -(-len(groups) // 100)]
            rows, worst = rows[order], worst[order]
        return rows
    return np.array([], np.int64)


def _people_of(groups: AnyGroups, which: Flags) -> int:
    if isinstance(groups, Groups):
        return int(groups.sizes[which].sum())
    return groups.people_of(which)


def _take_rest(groups: AnyGroups, suppressed: Flags, policy: PolicyCheck) -> AnyGroups:
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
    domain = some.domain
    return Groups(
        domain.only(kept) if isinstance(domain, JointDomain) else tuple(domain[value] for value in kept),
        some.sizes,
        some.counts.only_values(kept),
        some.columns,
        some.semantics,
        totals[kept],
        np.arange(1, len(some) + 1),
        tuple(each.keep_only(rows) for each in groups.populations),
    )


def _smallest_left(groups: AnyGroups, suppressed: Flags, most_people: int) -> Iterator[tuple[int, int]]:
    """Yield groups that are not suppressed, the smallest first, with their people: more than `most_people`, or all."""
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
    columns = []
    for column in groups.columns:
        labels = column.labels if SUPPRESSED in column.labels else (*column.labels, SUPPRESSED)
        codes = np.append(column.codes[kept], np.int32(labels.index(SUPPRESSED))).astype(np.int32)
        columns.append(Column(column.name, labels, codes))
    printed = whole_groups(
        domain=groups.domain,
        sizes=np.append(groups.sizes[kept], groups.sizes[suppressed].sum()),
        counts=groups.counts.roll_up(number, groups=len(kept) + 1),
        columns=tuple(columns),
        semantics=groups.semantics,
    )
    return replace(printed, populations=tuple(each.append_rest(kept) for each in groups.populations))
