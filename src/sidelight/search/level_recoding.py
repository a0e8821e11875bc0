"""How a node of a lattice recodes the table: which cells end up together, and what each label covers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sidelight.release.grouping import coarser
from sidelight.release.lattice import Lattice, Node
from sidelight.search.orders import Order, order_along
from sidelight.search.recoding import Stretches
from sidelight.table.columns import Integers, rows_alike
from sidelight.table.hierarchy import Hierarchy

if TYPE_CHECKING:
    from sidelight.search.suppressed_nodes import SuppressedNode


class LevelRecoding:
    """Recodings of nodes; the groups stand in the order in which the lattice has them."""

    def __init__(self, lattice: Lattice, by: Mapping[str, Hierarchy]) -> None:
        self._lattice, self._by = lattice, by
        self._orders = tuple(order_along(column, by.get(column.name)) for column in lattice.table.quasi)

    def at(self, node: Node) -> Stretches:
        """Recode the table at a node."""
        table = self._lattice.table
        columns = tuple(coarser(column, self._by, level) for column, level in zip(table.quasi, node, strict=True))
        group, first = rows_alike(columns, len(table.sizes))
        stretches = [
            _stretch(order, level, order.place[column.codes[first]].astype(np.int64))
            for order, level, column in zip(self._orders, node, table.quasi, strict=True)
        ]
        start, stop = (np.stack(each, axis=1) for each in zip(*stretches, strict=True))
        return Stretches.of(table, self._orders, group, start, stop)

    def without(self, chosen: SuppressedNode) -> Stretches:
        """Recode the table at a node, with some of its groups suppressed."""
        whole = self.at(chosen.node)
        kept = ~chosen.out
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        return Stretches.of(whole.table, whole.orders, number[whole.group], whole.start[kept], whole.stop[kept])


def _stretch(order: Order, level: int, place: Integers) -> tuple[Integers, Integers]:
    """Give the stretch of places that share a place's node at a level: neighbours, by the order's making."""
    nodes = order.levels[min(level, len(order.levels) - 1)]
    first = np.searchsorted(np.maximum.accumulate(nodes), nodes[place], side="left")
    last = np.searchsorted(np.maximum.accumulate(nodes), nodes[place], side="right")
    return first, last
