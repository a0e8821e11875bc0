"""Full-domain generalisation: one level per column for everybody, as fine as the policy allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from sidelight._arrays import Codes, Integers
from sidelight._progress import Progress
from sidelight.errors import BadHierarchy, BadPolicy, NothingSafe, SidelightError, parameter
from sidelight.policy.policy import Policy
from sidelight.release.generalise import coarser
from sidelight.release.lattice import Lattice, Node
from sidelight.search.lattice_search import minimal_nodes
from sidelight.search.method import Method, Outcome
from sidelight.search.orders import Order, order_along
from sidelight.search.recoding import Stretches
from sidelight.search.suppression import nodes_with_suppression
from sidelight.search.utility import UtilityName, worth
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Column, Table, added, rows_alike

if TYPE_CHECKING:
    from sidelight.search.suppression import SuppressedNode


MOST_NODES = 20_000_000
"""What is known about each node is kept in an array, a byte each."""


@dataclass(frozen=True)
class FullDomain(Method):
    """Publish each column at one level of its hierarchy, the same for everybody.

    Finds all minimal level vectors within policy and, among them, the most useful.  `suppress` is the share of people
    whose rows may be suppressed to save detail for the others: printed as `*`, one more group that is within policy
    too, or left out.  `nodes` bounds how many generalisations are looked at; past it, or on Ctrl-C, the best one found
    so far is given, and marked as not complete.

    Source: Samarati, 2001; LeFevre et al., Incognito, 2005; halving of paths: Kohlmayer et al., Flash, 2012.
    """

    suppress: float | Fraction = 0
    suppressed: Literal["as *", "left out"] = "as *"
    nodes: int | None = 100_000

    name: ClassVar[str] = "lattice"

    def __post_init__(self) -> None:
        if not 0 <= self.suppress <= 1:
            share = parameter("suppress", float(self.suppress))
            message = f"{share} is not a share of the people; give a number from 0 to 1, such as 0.04"
            raise BadPolicy(message)

    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> Outcome:
        """Find the minimal nodes, then the best of them."""
        lattice = lattice_of(table, by)
        recodings = LevelRecoding(lattice, by)
        if self.suppress:
            return self._with_suppression(lattice, recodings, policy, utility, progress)
        found = minimal_nodes(lattice, policy, most=self.nodes, progress=progress)
        self._refuse_nothing(found.minimal, complete=found.complete)
        best = min(found.minimal, key=lambda node: (worth(utility, recodings.at(node)), node))
        return Outcome(
            lattice.release_at(best),
            recodings.at(best),
            levels=lattice.levels(best),
            minimal=tuple(lattice.levels(node) for node in found.minimal),
            checked=found.checked,
            complete=found.complete,
        )

    def _refuse_nothing(self, found: Sized, *, complete: bool) -> None:
        """One group of everybody is within policy; but hierarchies may not reach up to it, or time may be short."""
        if len(found) > 0:
            return
        if not complete:
            message = (
                "the search was stopped before it found anything within policy; "
                f"give it more time or more {parameter('nodes')}"
            )
            raise SidelightError(message)
        message = (
            "no generalisation of these hierarchies is within policy, though one group of everybody is; "
            f"add a level * to them, or allow {parameter('suppress')}"
        )
        raise NothingSafe(message)

    def _with_suppression(
        self, lattice: Lattice, recodings: LevelRecoding, policy: Policy, utility: UtilityName, progress: Progress
    ) -> Outcome:
        """A coarser node that suppresses fewer may be worth more, so every node within policy is weighed."""
        room = int(Fraction(str(self.suppress)) * lattice.table.people)
        found = nodes_with_suppression(
            lattice,
            policy,
            room=room,
            as_group=self.suppressed == "as *",
            weigh=lambda each: worth(utility, recodings.without(each)),
            most=self.nodes,
            progress=progress,
        )
        self._refuse_nothing(found.within, complete=found.complete)
        best = min(found.within, key=lambda each: (each.worth, each.node))
        return Outcome(
            best.release(lattice),
            recodings.without(best),
            levels=lattice.levels(best.node),
            minimal=tuple(lattice.levels(each.node) for each in found.minimal),
            suppressed=best.people,
            checked=found.checked,
            complete=found.complete,
        )


def lattice_of(table: Table, by: Mapping[str, Hierarchy]) -> Lattice:
    """Make the lattice; every quasi-identifier needs a hierarchy."""
    bare = [column.name for column in table.quasi if column.name not in by]
    if bare:
        message = (
            f"no hierarchy for '{bare[0]}'; give one in {parameter('by')}, "
            f"such as Hierarchy.suppression('{bare[0]}', values) to publish it as it is or as *"
        )
        raise BadHierarchy(message)
    lattice = Lattice(table, by)
    if len(lattice) > MOST_NODES:
        message = (
            f"these hierarchies make {len(lattice):,} generalisations, more than can be searched; "
            f"leave levels or columns out, or use {parameter('method', 'mondrian')}"
        )
        raise BadHierarchy(message)
    return lattice


# ----------------------------------------------------------------------------------------------------
# How a node of a lattice recodes the table: which cells end up together, and what each label covers.
# ----------------------------------------------------------------------------------------------------


class LevelRecoding:
    """Recodings of nodes; the groups stand in the order in which the lattice has them."""

    def __init__(self, lattice: Lattice, by: Mapping[str, Hierarchy]) -> None:
        self._lattice, self._by = lattice, by
        self._orders = tuple(order_along(column, by.get(column.name)) for column in lattice.table.quasi)

        self._known: dict[tuple[int, int], _Level] = {}

    def at(self, node: Node) -> Stretches:
        """Recode the table at a node."""
        sizes = self._lattice.table.sizes
        columns = self._columns(node)
        group, first = rows_alike(columns, len(sizes))
        codes = [column.codes[first] for column in columns]
        return self._stretches(node, codes, added(group, sizes, len(first)), 0, lambda: group)

    def without(self, chosen: SuppressedNode) -> Stretches:
        """Recode the table at a node, with some of its groups suppressed."""
        node, groups = chosen.node, self._lattice.groups_at(chosen.node)
        kept = np.flatnonzero(~chosen.out)
        codes = [column.codes[kept] for column in groups.columns]

        def group() -> Integers:
            number = np.full(len(groups), -1)
            number[kept] = np.arange(len(kept))
            return number[rows_alike(self._columns(node), len(self._lattice.table.sizes))[0]]

        return self._stretches(node, codes, groups.sizes[kept], chosen.people, group)

    def _stretches(
        self, node: Node, codes: list[Codes], sizes: Integers, suppressed: int, look_up: Callable[[], Integers]
    ) -> Stretches:
        levels = [self._level(place, level) for place, level in enumerate(node)]
        start = np.stack([level.start[code] for level, code in zip(levels, codes, strict=True)])
        stop = np.stack([level.stop[code] for level, code in zip(levels, codes, strict=True)])
        return Stretches(self._lattice.table, self._orders, sizes, suppressed, start.T, stop.T, look_up)

    def _columns(self, node: Node) -> tuple[Column, ...]:
        """Recode the columns of the table to the levels of a node."""
        levels = [self._level(place, level).recoded for place, level in enumerate(node)]
        quasi = self._lattice.table.quasi
        return tuple(column.relabelled(to.labels, to.codes) for column, to in zip(quasi, levels, strict=True))

    def _level(self, place: int, level: int) -> _Level:
        """Recode the labels of a column to a level; remembered, as thousands of nodes share it."""
        if (place, level) not in self._known:
            column, order = self._lattice.table.quasi[place], self._orders[place]
            labels = Column(column.name, column.labels, np.arange(len(column.labels), dtype=np.int32))
            recoded = coarser(labels, self._by, level)
            start, stop = np.zeros((2, len(recoded.labels)), np.int64)
            start[recoded.codes], stop[recoded.codes] = _stretch(order, level, order.place.astype(np.int64))
            self._known[place, level] = _Level(recoded, start, stop)
        return self._known[place, level]


class _Level(NamedTuple):
    """One level of a column: what becomes of each original label, and the stretch of places that each label covers."""

    recoded: Column
    start: Integers
    stop: Integers


def _stretch(order: Order, level: int, place: Integers) -> tuple[Integers, Integers]:
    """Give the stretch of places that share a place's node at a level: neighbours, by the order's making."""
    nodes = order.levels[min(level, len(order.levels) - 1)]
    first = np.searchsorted(np.maximum.accumulate(nodes), nodes[place], side="left")
    last = np.searchsorted(np.maximum.accumulate(nodes), nodes[place], side="right")
    return first, last
