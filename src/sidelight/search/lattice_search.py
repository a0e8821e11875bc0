"""All minimal nodes of a lattice within policy, with few checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sidelight.measures.criterion import Criterion, exact
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.trend import Trend
from sidelight.policy.policy import Policy
from sidelight.release.lattice import Lattice, Node
from sidelight.search.border import Border, border
from sidelight.search.method import Progress
from sidelight.search.policy_check import Limits
from sidelight.table.table import Semantics


def holds_upwards(criterion: Criterion, semantics: Semantics) -> bool:
    """Whether merging groups can never break a criterion: what pruning relies on."""
    good = Trend.NEVER_RISES if criterion.measure.large_is_bad else Trend.NEVER_FALLS
    return criterion.measure.trend(semantics) is good


def minimal_nodes(lattice: Lattice, policy: Policy, *, most: int | None, progress: Progress) -> Border:
    """Find all minimal nodes within policy.

    Criteria that merging cannot break are searched by halving paths; nodes that pass those are then checked one by one
    against the others, whose trend is unknown.
    """
    upward = [each for each in policy.criteria if holds_upwards(each, lattice.table.semantics)]
    other = [each for each in policy.criteria if each not in upward]
    count = Count(len(lattice), progress)
    found = border(lattice.heights, count(node_check(lattice, upward)), most=most)
    if not other or not found.within:
        return found
    return one_by_one(found, count(node_check(lattice, other)), most=most)


@dataclass(eq=False)
class Count:
    """Counts checks and tells about them."""

    total: int
    progress: Progress
    made: int = 0

    def __call__(self, check: Callable[[Node], bool]) -> Callable[[Node], bool]:
        """Make a check that is counted."""

        def counted(node: Node) -> bool:
            self.made += 1
            self.progress(f"levels {node}", self.made, self.total)
            return check(node)

        return counted


def node_check(lattice: Lattice, criteria: list[Criterion]) -> Callable[[Node], bool]:
    """Make a check of nodes: sizes first, counts only when those are fine."""
    by_size = [each for each in criteria if each.measure == GroupSize()]
    limits = Limits.of_criteria(tuple(each for each in criteria if each not in by_size), lattice.table.people)

    def check(node: Node) -> bool:
        if by_size:
            smallest = int(lattice.sizes_at(node).min())
            if not all(each.comparison.holds(smallest, exact(each.bound)) for each in by_size):
                return False
        return limits.empty or limits.hold(lattice.groups_at(node))

    return check


def one_by_one(found: Border, check: Callable[[Node], bool], *, most: int | None) -> Border:
    """Keep the nodes that pass one more check; the finest first, until the budget is used up."""
    kept: list[Node] = []
    checked, complete = found.checked, found.complete
    try:
        for node in sorted(found.within, key=lambda node: (sum(node), node)):
            if most is not None and checked >= most:
                complete = False
                break
            checked += 1
            if check(node):
                kept.append(node)
    except KeyboardInterrupt:
        complete = False
    return Border(lowest(kept), tuple(kept), checked, complete)


def lowest(nodes: list[Node]) -> tuple[Node, ...]:
    """Keep the nodes that are not coarser than another of them, by their height.

    >>> lowest([(2, 2), (0, 1), (1, 0), (0, 3)])
    ((0, 1), (1, 0))
    """
    left = np.array(sorted(nodes, key=lambda node: (sum(node), node)))
    kept: list[Node] = []
    while len(left):
        kept.append(tuple(left[0].tolist()))
        left = left[(left < left[0]).any(axis=1)]
    return tuple(kept)
