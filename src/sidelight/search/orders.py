"""Order a column's labels so that everything a search may print covers neighbours.

Symbols     A label has a *rank* r = 0, 1, …; a *stretch* [start, stop) is a set of neighbouring ranks.  Level h of a
            hierarchy has nodes; `levels[h, r]` numbers the node above rank r, and level 0 is the labels themselves.
Order       Numbers and days by size, a missing cell last; ordered labels in their order.  Categories by their path from
            the hierarchy's top down (a missing node as if it were empty text), then in natural order; without a
            hierarchy in that alone, which is arbitrary: what is cut along it is printed as a set, never as an interval.
            Nodes above codes that are numbers stand by the smallest code below them.
Invariant   Every node of every level covers one stretch, and so does every interval of numbers: groups can be kept as
            (start, stop) per column, two ranks are in one node exactly when the node's ends are, and cutting a
            stretch means choosing one border inside it.  Nodes are numbered along the ranks.
Depth       Two ranks differ as deeply as the coarsest level at which their nodes differ; Mondrian cuts a stretch at
            its deepest borders first, along the hierarchy.
Cost        One sort of the labels (not of the people), and levels × labels numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Codes, Floats, Integers, run_starts
from sidelight.errors import BadHierarchy, parameter
from sidelight.release.printed_labels import Nodes, kind_of
from sidelight.table.labels import Column, ColumnKind, Label, as_day, as_number, in_order, shown
from sidelight.table.roles import check_labels

if TYPE_CHECKING:
    from sidelight.table.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """The rank of each label of a column, and what a stretch of ranks is called."""

    name: str
    labels: tuple[Label, ...]  # by rank
    rank: Codes  # the column's label code → rank
    levels: Integers  # level × rank → node
    nodes: tuple[tuple[Label, ...], ...]  # level → labels of its nodes
    borders: tuple[tuple[int, ...], ...]  # level → the rank at which each node begins; one more: the end
    position: Floats  # by rank: the number itself, the number of the day, or the rank
    kind: ColumnKind = "category"

    @property
    def numeric(self) -> bool:
        """Whether labels are numbers or days, which have a size."""
        return self.kind in ("number", "date")

    def __len__(self) -> int:
        return len(self.labels)

    def ranks(self, column: Column) -> Integers:
        """Return the rank of each row of the column."""
        return self.rank[column.codes].astype(np.int64)

    @property
    def width(self) -> float:
        """The whole range of positions; 1 where there is but one, so that it can be divided by."""
        return float(self.position[-1] - self.position[0]) or 1.0

    def depth(self, one: Integers, other: Integers) -> Integers:
        """Return the coarsest level at which two ranks differ; a stretch is cut at its deepest borders first."""
        deepest = np.zeros(len(one), np.int64)
        for level in range(1, len(self.levels)):
            # a level of one node tells no ranks apart
            if len(self.nodes[level]) > 1:
                deepest[self.levels[level, one] != self.levels[level, other]] = level
        return deepest

    def stretch(self, level: Integers, rank: Integers) -> tuple[Integers, Integers]:
        """Return the stretch of the node above each rank, each on its level: where it starts and where it stops."""
        start, stop = rank.copy(), rank + 1
        for above in range(1, len(self.levels)):
            at = np.flatnonzero(level == above)
            node, borders = self.levels[above, rank[at]], np.array(self.borders[above])
            start[at], stop[at] = borders[node], borders[node + 1]
        return start, stop

    def label_of(self, start: int, stop: int) -> Label:
        """Return the label of a stretch of ranks: an interval, a node, or a set of nodes; of one rank its own.

        >>> order_of(Column.of("age", ["30", "4", "5"])).label_of(0, 2)
        '4-5'
        >>> order_of(Column.of("birth", ["1984-03-09", "1990-11-30"])).label_of(0, 2)
        '1984-03-09 to 1990-11-30'
        >>> order_of(Column("region", ("1", "2", "3"), np.arange(3, dtype=np.int32), "category")).label_of(0, 2)
        '{1, 2}'
        """
        if self.numeric:
            return self.labels[start] if stop - start == 1 else self._interval(start, stop)
        names = self.fewest_nodes(start, stop)
        return names[0] if len(names) == 1 else "{" + ", ".join(map(shown, names)) + "}"

    def _interval(self, start: int, stop: int) -> str:
        known = stop - (self.labels[stop - 1] is None)  # a missing cell stands last
        first, last = self.labels[start], self.labels[known - 1]
        between = " to " if self.kind == "date" else "-"
        interval = f"{first}" if known - start == 1 else f"{first}{between}{last}"
        return interval if known == stop else f"{interval} or {shown(None)}"

    def fewest_nodes(self, start: int, stop: int) -> list[Label]:
        """Return the fewest hierarchy nodes that tile a stretch: a few runs of neighbours on each level."""
        tiles: list[Label] = []
        while start < stop:
            # the coarsest node that begins the stretch and ends within it; a label always does
            coarser = ((level, *self._node(level, start)) for level in reversed(range(1, len(self.levels))))
            level = next((level for level, low, high in coarser if low >= start and high <= stop), 0)
            first = int(self.levels[level, start])
            # where the node above does not fit, all of its nodes from here on are as coarse as can be
            until = stop if level + 1 == len(self.levels) else min(stop, self._node(level + 1, start)[1])
            after = int(self.levels[level, until - 1]) + 1
            # the last of these nodes may reach beyond the stretch
            after -= self.borders[level][after] > stop
            tiles += self.nodes[level][first:after]
            start = self.borders[level][after]
        return tiles

    def _node(self, level: int, rank: int) -> tuple[int, int]:
        node = self.levels[level, rank]
        return self.borders[level][node], self.borders[level][node + 1]


def column_orders(columns: tuple[Column, ...], by: Mapping[str, Hierarchy]) -> tuple[Order, ...]:
    """Order the labels of each column, along its hierarchy where there is one, which has to fit."""
    for column in columns:
        if column.name in by:
            by[column.name].check(column)
    return tuple(order_of(column, by.get(column.name)) for column in columns)


def order_of(column: Column, hierarchy: Hierarchy | None = None) -> Order:
    """Order a column's labels by what it is: numbers and days by size, categories along the hierarchy.

    >>> order_of(Column.of("age", ["30", "4", "5"])).labels
    ('4', '5', '30')
    """
    kind = kind_of(column, None if hierarchy is None else Nodes.from_hierarchy(hierarchy))
    if kind == "ordered":
        above = _nodes_above(column, hierarchy)
        return _build_order(column, above, _codes_in_order(column, above), kind=kind)
    if kind == "category":
        above = _nodes_above(column, hierarchy)
        return _build_order(column, above, _sorted_codes(column.labels, above, by_number=all_numbers(column.labels)))
    check_labels(column.name, kind, column.labels)
    # one level above numbers, that of being known: a missing cell stands last, and is cut off first
    above = [[None if text is None else "" for text in column.labels]]
    numbers = _parse_labels(column.labels, as_day if kind == "date" else as_number)
    return _build_order(column, above, _sorted_codes(column.labels, above), numbers, kind)


def order_along(column: Column, hierarchy: Hierarchy | None) -> Order:
    """Order a column's labels along the hierarchy, numbers too: for what is published as its nodes."""
    above = _nodes_above(column, hierarchy)
    return _build_order(column, above, _sorted_codes(column.labels, above))


def _nodes_above(column: Column, hierarchy: Hierarchy | None) -> list[list[Label]]:
    levels = range(1, 1 if hierarchy is None else hierarchy.height)
    return [[hierarchy.generalise(text, level) for text in column.labels] for level in levels if hierarchy is not None]


def _parse_labels(labels: tuple[Label, ...], read: Callable[[str], float | None]) -> dict[str, float]:
    return {text: number for text in labels if text is not None and (number := read(text)) is not None}


def all_numbers(labels: tuple[Label, ...]) -> bool:
    """Return whether labels, but for a missing one, can be read as numbers."""
    return len(_parse_labels(labels, as_number)) == len([text for text in labels if text is not None])


def _build_order(
    column: Column,
    above: list[list[Label]],
    by_rank: list[int],
    numbers: Mapping[str, float] | None = None,
    kind: ColumnKind = "category",
) -> Order:
    """Build the order of label codes whose nodes on each level are `above` (per level, per label code)."""
    labels = tuple(column.labels[code] for code in by_rank)
    rank = np.empty(len(labels), np.int32)
    rank[by_rank] = np.arange(len(labels), dtype=np.int32)
    # the nodes of each level, numbered in the order in which they are met
    by_level = [labels, *(tuple(level[code] for code in by_rank) for level in above)]
    nodes = tuple(tuple(dict.fromkeys(level)) for level in by_level)
    codes = []
    for names, level in zip(nodes, by_level, strict=True):
        number = {text: at for at, text in enumerate(names)}
        codes.append([number[text] for text in level])
    levels = np.array(codes, np.int64).reshape(len(codes), len(labels))
    borders = tuple((*np.flatnonzero(run_starts([level])).tolist(), len(labels)) for level in levels)
    # labels that are no numbers stand at their rank
    position = np.arange(len(labels), dtype=float)
    if numbers:
        known = [numbers[text] for text in labels if text is not None]
        # a missing cell is one beyond the last number, so that it widens whatever includes it
        position = np.array(known + [known[-1] + 1.0] * (len(labels) - len(known)))
    return Order(column.name, labels, rank, levels, nodes, borders, position, kind)


def _sorted_codes(labels: tuple[Label, ...], above: list[list[Label]], *, by_number: bool = False) -> list[int]:
    """Sort label codes by the path from the top down, nodes by name or by number, then by the labels' natural order."""
    natural = {text: rank for rank, text in enumerate(in_order(labels))}
    path: list[list[tuple[object, ...]]] = []
    # the coarsest node first, so that labels of a node are neighbours on every level
    for level in reversed(above):
        if not by_number:
            path.append([("", 1) if node is None else (node, 0) for node in level])  # none just after empty text
            continue
        smallest: dict[Label, int] = {}
        for text, node in zip(labels, level, strict=True):
            smallest[node] = min(smallest.get(node, len(labels)), natural[text])
        path.append([(smallest[node],) for node in level])
    return sorted(range(len(labels)), key=lambda code: (*(level[code] for level in path), (natural[labels[code]],)))


def _codes_in_order(column: Column, above: list[list[Label]]) -> list[int]:
    """Return codes in the order of the labels, a missing cell last; refuse nodes that are torn apart in it."""
    codes = sorted(range(len(column.labels)), key=lambda code: (column.labels[code] is None, code))
    for level in above:
        nodes = [level[code] for code in codes]
        runs = Counter(node for at, node in enumerate(nodes) if at == 0 or nodes[at - 1] != node)
        torn = next((node for node, times in runs.items() if times > 1), None)
        if torn is not None:
            raise BadHierarchy(
                f"hierarchy of '{column.name}': '{shown(torn)}' covers labels that do not stand together in the order "
                f"of the column; mend the hierarchy, or say {parameter('kinds', {column.name: 'category'})}"
            )
    return codes
