"""Which levels of generalisation keep a policy, found with few checks: predictive tagging along halved paths.

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

Source: Samarati, 2001; LeFevre et al., Incognito, 2005 (roll-up property); Kohlmayer et al., Flash, 2012 (predictive
tagging, halved paths).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.measures.criterion import Criterion
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Monotonicity
from sidelight.policy.policy import Policy
from sidelight.progress import Progress
from sidelight.release.generalise import Node
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.labels import Semantics

if TYPE_CHECKING:
    from sidelight.release.streamed_lattice import AnyLattice

NodeCheck: TypeAlias = Callable[[Node], bool]
"""Says whether a policy holds at a node."""


@dataclass(frozen=True, eq=False)
class CheckedNodes:
    """Where a policy holds: all minimal nodes, and how many nodes were checked to know."""

    minimal: tuple[Node, ...]
    within: tuple[Node, ...]  # all nodes known to be within policy
    checked: int
    complete: bool


def search_lattice(lattice: AnyLattice, policy: Policy, *, max_checks: int | None, progress: Progress) -> CheckedNodes:
    """Find all minimal nodes within policy: monotone criteria by halving paths, then the others one by one."""
    monotone = [each for each in policy.criteria if holds_upwards(each, lattice.table.semantics)]
    others = [each for each in policy.criteria if each not in monotone]
    counter = CheckCounter.watch(lattice, progress)
    # no other node can be within policy: it would have to keep the monotone criteria too
    nodes = search_monotone(lattice.heights, counter.count_calls(node_check(lattice, monotone)), max_checks=max_checks)
    if not others or not nodes.within:
        return nodes
    return _check_one_by_one(nodes, counter.count_calls(node_check(lattice, others)), max_checks=max_checks)


def holds_upwards(criterion: Criterion, semantics: Semantics) -> bool:
    """Return whether merging groups can never break a criterion: what pruning relies on."""
    good = Monotonicity.NON_INCREASING if criterion.measure.large_is_bad else Monotonicity.NON_DECREASING
    return criterion.measure.monotonicity(semantics) is good


def node_check(lattice: AnyLattice, criteria: list[Criterion]) -> NodeCheck:
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
    """Counts the checks of a search and reports each of them."""

    total: int
    progress: Progress
    checked: int = 0
    node: Node = ()

    @classmethod
    def watch(cls, lattice: AnyLattice, progress: Progress) -> CheckCounter:
        """Return a counter of the checks of a lattice; one on disk reports how far it has read a node."""
        counter = cls(len(lattice), progress)
        lattice.reading = counter.reading
        return counter

    def count(self, node: Node) -> None:
        """Count a check of a node that is about to be made."""
        self.checked, self.node = self.checked + 1, node
        self.progress(f"levels {node}", self.checked, self.total)

    def reading(self, rows: int, of_rows: int) -> None:
        """Report how much of the keys is read for the node that is being checked."""
        self.progress(f"levels {self.node}, {100 * rows // max(of_rows, 1)} % read", self.checked, self.total)

    def count_calls(self, check: NodeCheck) -> NodeCheck:
        """Return a check that is counted."""

        def counted_check(node: Node) -> bool:
            self.count(node)
            return check(node)

        return counted_check


def search_monotone(heights: tuple[int, ...], check: NodeCheck, *, max_checks: int | None = None) -> CheckedNodes:
    """Find all minimal nodes at which a check that never turns false upwards is true.

    >>> nodes = search_monotone((3, 3), lambda node: sum(node) >= 2)
    >>> sorted(nodes.minimal), nodes.checked, nodes.complete
    ([(0, 2), (1, 1), (2, 0)], 5, True)
    """
    tags = NodeTags(heights)
    checked = 0
    complete = True
    try:
        for node in tags.nodes_on_paths():
            if max_checks is not None and checked >= max_checks:
                complete = False
                break
            checked += 1
            tags.tag(node, holds=check(node))
    except KeyboardInterrupt:
        complete = False
    return CheckedNodes(tags.minimal(), tags.nodes_within(), checked, complete)


class NodeTags:
    """What is known about each node of a lattice: 1 holds, −1 does not, 0 open.  One small array, cut by slices."""

    def __init__(self, heights: tuple[int, ...]) -> None:
        self.heights = heights
        self._tags = np.zeros(heights, np.int8)
        # a step in a tall hierarchy gives up less than one in a short one
        self._step_costs = [1 / max(height - 1, 1) for height in heights]

    def tag(self, node: Node, *, holds: bool) -> None:
        """Tag a node and all that follows from it."""
        if holds:
            # closed upwards: every coarser node holds too
            self._tags[tuple(slice(level, None) for level in node)] = 1
        else:
            # closed downwards: no finer node holds
            self._tags[tuple(slice(None, level + 1) for level in node)] = -1

    def nodes_on_paths(self) -> Iterator[Node]:
        """Yield the nodes to be checked next: each must be tagged before the next is drawn."""
        for start in self._coarsest_first():
            if self._tags[start] != 0:
                continue
            path = self._path_down(start)
            # invariant: path[:low] hold and path[high + 1:] do not; path[0] is the coarsest
            low, high = 0, len(path) - 1
            while low <= high:
                middle = (low + high) // 2
                yield path[middle]
                low, high = (middle + 1, high) if self._tags[path[middle]] == 1 else (low, middle - 1)

    def _coarsest_first(self) -> Iterator[Node]:
        levels = np.indices(self.heights).reshape(len(self.heights), -1)
        for at in np.argsort(-levels.sum(axis=0), kind="stable"):
            yield tuple(levels[:, at].tolist())

    def _path_down(self, node: Node) -> list[Node]:
        """Return a path down over open nodes, giving up as little generality as possible at each step."""
        path = [node]
        while True:
            below = [
                (cost, (*node[:at], node[at] - 1, *node[at + 1 :]))
                for at, cost in enumerate(self._step_costs)
                if node[at] > 0
            ]
            steps = [(cost, finer) for cost, finer in below if self._tags[finer] == 0]
            if not steps:
                return path
            node = min(steps)[1]
            path.append(node)

    def minimal(self) -> tuple[Node, ...]:
        """Return the nodes that hold while nothing directly below them is known to."""
        holds = self._tags == 1
        lowest = holds.copy()
        for axis in range(len(self.heights)):
            upper = [slice(None)] * len(self.heights)
            lower = list(upper)
            upper[axis], lower[axis] = slice(1, None), slice(None, -1)
            lowest[tuple(upper)] &= ~holds[tuple(lower)]
        return tuple(tuple(node) for node in np.argwhere(lowest).tolist())

    def nodes_within(self) -> tuple[Node, ...]:
        """Return all nodes that hold."""
        return tuple(tuple(node) for node in np.argwhere(self._tags == 1).tolist())


def _check_one_by_one(nodes: CheckedNodes, check: NodeCheck, *, max_checks: int | None) -> CheckedNodes:
    """Keep the nodes that pass one more check; the finest first, until the checks are used up."""
    kept: list[Node] = []
    checked, complete = nodes.checked, nodes.complete
    try:
        for node in finest_first(nodes.within):
            if max_checks is not None and checked >= max_checks:
                complete = False
                break
            checked += 1
            if check(node):
                kept.append(node)
    except KeyboardInterrupt:
        complete = False
    return CheckedNodes(minimal_among(kept), tuple(kept), checked, complete)


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
