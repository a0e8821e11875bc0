"""An order of a column's labels in which everything a search may print covers neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Codes, Integers
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label, as_day, as_number, in_order, shown
from sidelight.table.table import Column


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """Where each label of a column stands, so that stretches of neighbours are what can be printed.

    Numbers and days stand by size (a missing cell last); labels of a hierarchy so that each of its nodes covers
    neighbours; other labels sorted.  `levels[h, p]` numbers the node of level h above place p: two places differ more
    deeply the coarser the level at which their nodes still differ.
    """

    name: str
    labels: tuple[Label, ...]  # by place
    place: Codes  # the column's label code → place
    levels: Integers  # level × place → node
    nodes: tuple[tuple[Label, ...], ...]  # level → labels of its nodes
    position: npt.NDArray[np.float64]  # by place: the number itself, the number of the day, or the place
    numeric: bool  # numbers or days
    days: bool = False

    def depth(self, one: Integers, other: Integers) -> Integers:
        """Give the coarsest level at which two places differ; a stretch is cut at its deepest borders first."""
        deepest = np.zeros(len(one), np.int64)
        for level in range(1, len(self.levels)):
            deepest[self.levels[level, one] != self.levels[level, other]] = level
        return deepest

    def says(self, start: int, stop: int) -> Label:
        """Print a stretch of places: an interval, a hierarchy label, or a set of them; one place as it is.

        >>> order_of(Column.of("age", ["30", "4", "5"])).says(0, 2)
        '4-5'
        >>> order_of(Column.of("birth", ["1984-03-09", "1990-11-30"])).says(0, 2)
        '1984-03-09 to 1990-11-30'
        """
        if self.numeric:
            return self.labels[start] if stop - start == 1 else self._interval(start, stop)
        names = self._fewest(start, stop)
        return names[0] if len(names) == 1 else "{" + ", ".join(map(shown, names)) + "}"

    def _interval(self, start: int, stop: int) -> str:
        present = [text for text in self.labels[start:stop] if text is not None]
        gap = [shown(None)] if len(present) < stop - start else []
        between = " to " if self.days else "-"
        ends = present[:1] if len(present) == 1 else [between.join((present[0], present[-1]))] if present else []
        return " or ".join(ends + gap)

    def _fewest(self, start: int, stop: int) -> list[Label]:
        """Tile a stretch with as few hierarchy nodes as there can be."""
        tiles: list[Label] = []
        while start < stop:
            for level in reversed(range(len(self.levels))):
                covered = np.flatnonzero(self.levels[level] == self.levels[level, start])
                if covered[0] >= start and covered[-1] < stop:
                    break
            tiles.append(self.nodes[level][self.levels[level, start]])
            start = int(covered[-1]) + 1
        return tiles


def orders(columns: tuple[Column, ...], by: Mapping[str, Hierarchy]) -> tuple[Order, ...]:
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
    return _ordered(column, hierarchy, days or _all_read(present, as_number), days=bool(days))


def order_along(column: Column, hierarchy: Hierarchy | None) -> Order:
    """Order a column's labels along the hierarchy, numbers too: for what is published as its nodes."""
    return _ordered(column, hierarchy, {})


def _all_read(texts: list[str], read: Callable[[str], float | None]) -> dict[str, float]:
    """Read labels as numbers if each of them is one; else nothing."""
    numbers: dict[str, float] = {}
    for text in texts:
        number = read(text)
        if number is None:
            return {}
        numbers[text] = number
    return numbers


def _ordered(column: Column, hierarchy: Hierarchy | None, numbers: Mapping[str, float], *, days: bool = False) -> Order:
    numeric = bool(numbers)
    if numeric:
        above: list[list[Label]] = [[None if text is None else "" for text in column.labels]]
    elif hierarchy is None:
        above = []
    else:
        above = [[hierarchy.generalise(text, level) for text in column.labels] for level in range(1, hierarchy.height)]
    rank = {text: place for place, text in enumerate(in_order(column.labels))}
    paths = [
        (*(("", 1) if level[code] is None else (level[code], 0) for level in reversed(above)), (rank[text],))
        for code, text in enumerate(column.labels)
    ]
    by_place = sorted(range(len(paths)), key=paths.__getitem__)
    labels = tuple(column.labels[code] for code in by_place)
    place = np.empty(len(labels), np.int32)
    place[by_place] = np.arange(len(labels), dtype=np.int32)
    listed = [[labels[here] for here in range(len(labels))], *([level[code] for code in by_place] for level in above)]
    nodes = [tuple(dict.fromkeys(level)) for level in listed]
    numbers_of = [{text: number for number, text in enumerate(names)} for names in nodes]
    codes = [[of[text] for text in level] for of, level in zip(numbers_of, listed, strict=True)]
    return Order(
        column.name,
        labels,
        place,
        np.array(codes, np.int64).reshape(len(listed), len(labels)),
        tuple(nodes),
        _positions(labels, numbers),
        numeric,
        days,
    )


def _positions(labels: tuple[Label, ...], numbers: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """Numbers stand where they are; a missing cell, and labels that are no numbers, at their place."""
    if not numbers:
        return np.arange(len(labels), dtype=float)
    known = [numbers[text] for text in labels if text is not None]
    return np.array(known + [known[-1] + 1.0] * (len(labels) - len(known)))
