"""In which order do a column's labels stand, so that everything a search may print covers neighbours?

Symbols     A label has a *rank* r = 0, 1, …; a *stretch* [start, stop) is a set of neighbouring ranks.  Level h of a
            hierarchy has nodes; `levels[h, r]` numbers the node above rank r, and level 0 is the labels themselves.
Order       Numbers and days by size, a missing cell last.  Other labels by their path from the hierarchy's top down
            (a missing node as if it were empty text), then in natural order; without a hierarchy in that alone.
Invariant   Every node of every level covers one stretch, and so does every interval of numbers: groups can be kept as
            (start, stop) per column, two ranks are in one node exactly when the node's ends are, and cutting a
            stretch means choosing one border inside it.
Depth       Two ranks differ as deeply as the coarsest level at which their nodes differ; Mondrian cuts a stretch at
            its deepest borders first, along the hierarchy.
Cost        One sort of the labels (not of the people), and levels × labels numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sidelight._arrays import Codes, Floats, Integers
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label, as_day, as_number, in_order, shown
from sidelight.table.table import Column


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """The rank of each label of a column, and what a stretch of ranks is called."""

    name: str
    labels: tuple[Label, ...]  # by rank
    rank: Codes  # the column's label code → rank
    levels: Integers  # level × rank → node
    nodes: tuple[tuple[Label, ...], ...]  # level → labels of its nodes
    position: Floats  # by rank: the number itself, the number of the day, or the rank
    numeric: bool  # numbers or days
    days: bool = False

    def __len__(self) -> int:
        return len(self.labels)

    def ranks(self, column: Column) -> Integers:
        """Give the rank of each row of the column."""
        return self.rank[column.codes].astype(np.int64)

    @property
    def width(self) -> float:
        """The whole range of positions; 1 where there is but one, so that it can be divided by."""
        return float(self.position[-1] - self.position[0]) or 1.0

    def depth(self, one: Integers, other: Integers) -> Integers:
        """Give the coarsest level at which two ranks differ; a stretch is cut at its deepest borders first."""
        deepest = np.zeros(len(one), np.int64)
        for level in range(1, len(self.levels)):
            deepest[self.levels[level, one] != self.levels[level, other]] = level
        return deepest

    def label_of(self, start: int, stop: int) -> Label:
        """Print a stretch of ranks: an interval, a hierarchy label, or a set of them; one rank as it is.

        >>> order_of(Column.of("age", ["30", "4", "5"])).label_of(0, 2)
        '4-5'
        >>> order_of(Column.of("birth", ["1984-03-09", "1990-11-30"])).label_of(0, 2)
        '1984-03-09 to 1990-11-30'
        """
        if self.numeric:
            return self.labels[start] if stop - start == 1 else self._interval(start, stop)
        names = self._fewest_nodes(start, stop)
        return names[0] if len(names) == 1 else "{" + ", ".join(map(shown, names)) + "}"

    def _interval(self, start: int, stop: int) -> str:
        present = [text for text in self.labels[start:stop] if text is not None]
        missing = [shown(None)] if len(present) < stop - start else []
        between = " to " if self.days else "-"
        ends = present[:1] if len(present) == 1 else [between.join((present[0], present[-1]))] if present else []
        return " or ".join(ends + missing)

    def _fewest_nodes(self, start: int, stop: int) -> list[Label]:
        """Tile a stretch with as few hierarchy nodes as there can be."""
        tiles: list[Label] = []
        while start < stop:
            for level in reversed(range(len(self.levels))):  # level 0 always fits: a label covers its own rank
                covered = np.flatnonzero(self.levels[level] == self.levels[level, start])
                if covered[0] >= start and covered[-1] < stop:
                    break
            tiles.append(self.nodes[level][self.levels[level, start]])
            start = int(covered[-1]) + 1
        return tiles


def column_orders(columns: tuple[Column, ...], by: Mapping[str, Hierarchy]) -> tuple[Order, ...]:
    """Order the labels of each column, along its hierarchy where there is one, which has to fit."""
    for column in columns:
        if column.name in by:
            by[column.name].check(column)
    return tuple(order_of(column, by.get(column.name)) for column in columns)


def order_of(column: Column, hierarchy: Hierarchy | None = None) -> Order:
    """Order a column's labels: numbers and days by size, others along the hierarchy, or sorted without one.

    >>> order_of(Column.of("age", ["30", "4", "5"])).labels
    ('4', '5', '30')
    """
    present = [text for text in column.labels if text is not None]
    days = _all_read(present, as_day)
    numbers = days or _all_read(present, as_number)
    if not numbers:
        return order_along(column, hierarchy)
    # one level above numbers, that of being known: a missing cell stands last, and is cut off first
    return _order(column, [[None if text is None else "" for text in column.labels]], numbers, days=bool(days))


def order_along(column: Column, hierarchy: Hierarchy | None) -> Order:
    """Order a column's labels along the hierarchy, numbers too: for what is published as its nodes."""
    if hierarchy is None:
        return _order(column, [], {})
    above = [[hierarchy.generalise(text, level) for text in column.labels] for level in range(1, hierarchy.height)]
    return _order(column, above, {})


def _all_read(texts: list[str], read: Callable[[str], float | None]) -> dict[str, float]:
    """Read labels as numbers if each of them is one; else nothing."""
    numbers: dict[str, float] = {}
    for text in texts:
        number = read(text)
        if number is None:
            return {}
        numbers[text] = number
    return numbers


def _order(column: Column, above: list[list[Label]], numbers: Mapping[str, float], *, days: bool = False) -> Order:
    """Put together the order of labels whose nodes on each level are `above` (per level, per label code)."""
    by_rank = _sorted_codes(column.labels, above)
    labels = tuple(column.labels[code] for code in by_rank)
    rank = np.empty(len(labels), np.int32)
    rank[by_rank] = np.arange(len(labels), dtype=np.int32)
    levels, nodes = _numbered_nodes([labels, *(tuple(level[code] for code in by_rank) for level in above)])
    return Order(column.name, labels, rank, levels, nodes, _positions(labels, numbers), bool(numbers), days)


def _sorted_codes(labels: tuple[Label, ...], above: list[list[Label]]) -> list[int]:
    """Sort label codes by the path from the top down, then by the labels' natural order."""
    natural = {text: place for place, text in enumerate(in_order(labels))}

    def path(code: int) -> tuple[object, ...]:
        # the coarsest node first, so that labels of a node are neighbours on every level; none just after empty text
        nodes = (("", 1) if level[code] is None else (level[code], 0) for level in reversed(above))
        return (*nodes, (natural[labels[code]],))

    return sorted(range(len(labels)), key=path)


def _numbered_nodes(by_rank: list[tuple[Label, ...]]) -> tuple[Integers, tuple[tuple[Label, ...], ...]]:
    """Number the nodes of each level in the order in which they are met."""
    nodes = tuple(tuple(dict.fromkeys(level)) for level in by_rank)
    numbers = [{text: number for number, text in enumerate(names)} for names in nodes]
    codes = [[of_text[text] for text in level] for of_text, level in zip(numbers, by_rank, strict=True)]
    return np.array(codes, np.int64).reshape(len(by_rank), len(by_rank[0])), nodes


def _positions(labels: tuple[Label, ...], numbers: Mapping[str, float]) -> Floats:
    """Numbers stand where they are; a missing cell, and labels that are no numbers, at their rank."""
    if not numbers:
        return np.arange(len(labels), dtype=float)
    known = [numbers[text] for text in labels if text is not None]
    return np.array(known + [known[-1] + 1.0] * (len(labels) - len(known)))
