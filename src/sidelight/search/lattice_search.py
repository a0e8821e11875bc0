"""All minimal nodes of a lattice within policy, with few checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sidelight._progress import Progress
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Criterion, Monotonicity, exact
from sidelight.policy.policy import Policy
from sidelight.release.lattice import Lattice, Node
from sidelight.search.policy_check import Limits
from sidelight.table.table import Semantics


def holds_upwards(criterion: Criterion, semantics: Semantics) -> bool:
    """Whether merging groups can never break a criterion: what pruning relies on."""
    good = Monotonicity.NON_INCREASING if criterion.measure.large_is_bad else Monotonicity.NON_DECREASING
    return criterion.measure.monotonicity(semantics) is good


def minimal_nodes(lattice: Lattice, policy: Policy, *, most: int | None, progress: Progress) -> Border:
    """Find all minimal nodes within policy.

    Criteria that merging cannot break are searched by halving paths; nodes that pass those are then checked one by one
    against the others, whose monotonicity is unknown.
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


# ----------------------------------------------------------------------------------------------------
# Which levels of generalisation keep a policy?  Few checks, each of them quick.
# ----------------------------------------------------------------------------------------------------


Check: TypeAlias = Callable[[Node], bool]


@dataclass(frozen=True, eq=False)
class Border:
    """Where a policy begins to hold: all minimal nodes, and how many nodes were looked at."""

    minimal: tuple[Node, ...]
    within: tuple[Node, ...]  # all nodes known to be within policy
    checked: int
    complete: bool


def border(heights: tuple[int, ...], check: Check, *, most: int | None = None) -> Border:
    """Find all minimal nodes at which a check that never turns false upwards is true.

    From the coarsest nodes down: each node still open starts a path of open nodes down to a finest one, and halving
    the path finds where the check turns; whatever lies above a true node or below a false one is settled with it.

    >>> found = border((3, 3), lambda node: sum(node) >= 2)
    >>> sorted(found.minimal), found.complete
    ([(0, 2), (1, 1), (2, 0)], True)
    """
    state = States(heights)
    checked = 0
    complete = True
    try:
        for start in state.coarsest_first():
            if state.known(start):
                continue
            path = state.path_down(start)
            low, high = 0, len(path) - 1  # path[0] is the coarsest
            while low <= high:
                if most is not None and checked >= most:
                    complete = False
                    break
                middle = (low + high) // 2
                checked += 1
                if state.settle(path[middle], holds=check(path[middle])):
                    low = middle + 1
                else:
                    high = middle - 1
            if not complete:
                break
    except KeyboardInterrupt:
        complete = False
    return Border(state.minimal(), state.within(), checked, complete)


class States:
    """What is known about each node of a lattice: 1 holds, −1 does not, 0 open.  One small array, cut by slices."""

    def __init__(self, heights: tuple[int, ...]) -> None:
        self.heights = heights
        self._state = np.zeros(heights, np.int8)
        self._weight = [1 / max(height - 1, 1) for height in heights]

    def known(self, node: Node) -> bool:
        """Whether a node is settled."""
        return bool(self._state[node] != 0)

    def settle(self, node: Node, *, holds: bool) -> bool:
        """Settle a node and all that follows from it."""
        if holds:
            self._state[tuple(slice(level, None) for level in node)] = 1
        else:
            self._state[tuple(slice(None, level + 1) for level in node)] = -1
        return holds

    def coarsest_first(self) -> Iterator[Node]:
        """Go through all nodes, coarser ones before finer ones."""
        levels = np.indices(self.heights).reshape(len(self.heights), -1)
        for place in np.argsort(-levels.sum(axis=0), kind="stable"):
            yield tuple(levels[:, place].tolist())

    def path_down(self, node: Node) -> list[Node]:
        """Walk down over open nodes, giving up as little generality as possible at each step."""
        path = [node]
        while True:
            below = [
                (weight, (*node[:at], node[at] - 1, *node[at + 1 :]))
                for at, weight in enumerate(self._weight)
                if node[at] > 0
            ]
            open_ = [(weight, each) for weight, each in below if not self.known(each)]
            if not open_:
                return path
            node = min(open_)[1]
            path.append(node)

    def minimal(self) -> tuple[Node, ...]:
        """Give the nodes that hold while nothing directly below them is known to."""
        holds = self._state == 1
        lowest = holds.copy()
        for axis in range(len(self.heights)):
            below = np.zeros_like(holds)
            upper = [slice(None)] * len(self.heights)
            lower = list(upper)
            upper[axis], lower[axis] = slice(1, None), slice(None, -1)
            below[tuple(upper)] = holds[tuple(lower)]
            lowest &= ~below
        return tuple(tuple(node) for node in np.argwhere(lowest).tolist())

    def within(self) -> tuple[Node, ...]:
        """Give all nodes that hold."""
        return tuple(tuple(node) for node in np.argwhere(self._state == 1).tolist())
