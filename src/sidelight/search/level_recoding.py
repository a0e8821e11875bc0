"""How a node of a lattice recodes the table: which cells end up together, and what each label covers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.release.generalise import coarser
from sidelight.release.lattice import Lattice, Node
from sidelight.search.orders import Order, order_along
from sidelight.search.recoding import Stretches
from sidelight.table.columns import Codes, Column, Integers, rows_alike
from sidelight.table.counts import added
from sidelight.table.hierarchy import Hierarchy

if TYPE_CHECKING:
    from sidelight.search.suppressed_nodes import SuppressedNode


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
