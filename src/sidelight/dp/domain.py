"""The cells of a noisy release: declared in advance, every combination of labels, whether anybody is there or not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from sidelight._arrays import Integers
from sidelight.errors import BadNoise, did_you_mean, parameter
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label, label
from sidelight.table.table import Column, Table, added

Outside: TypeAlias = Literal["an error", "leave out"]
"""What becomes of people whose labels or value were not declared."""

CELLS = 1_000_000
"""How many counts a noisy release may have, unless its publisher says otherwise."""


@dataclass(frozen=True, eq=False, slots=True)
class Grid:
    """All groups (every combination of the columns' labels) and all sensitive values: what will be counted.

    It is made from hierarchies, levels and a domain, never from a table: an empty cell is published like any other,
    or its absence would tell that nobody is there.
    """

    columns: tuple[Column, ...]
    labels: tuple[tuple[Label, ...], ...]
    domain: tuple[Label, ...]

    def __len__(self) -> int:
        return math.prod(len(each) for each in self.labels)

    @property
    def shape(self) -> tuple[int, int]:
        """How many groups and values."""
        return len(self), len(self.domain)


def declared_grid(
    by: Mapping[str, Hierarchy], levels: Mapping[str, int], domain: Sequence[object], *, cells: int = CELLS
) -> Grid:
    """Lay out every cell there could be.

    >>> sex = Hierarchy("sex", (("f", "m"), ("*", "*")))
    >>> declared_grid({"sex": sex}, {"sex": 0}, ["Flu", "Cold", "HIV"]).shape
    (2, 3)
    """
    values = _declared(domain)
    labels = tuple(_labels(by, name, level) for name, level in levels.items())
    groups = math.prod(len(each) for each in labels)
    if groups * len(values) > cells:
        message = (
            f"{groups:,} groups times {len(values):,} values are {groups * len(values):,} counts, and each gets noise; "
            f"the limit is {cells:,}: take coarser levels or fewer columns, or raise it with {parameter('cells')}"
        )
        raise BadNoise(message)
    places = np.unravel_index(np.arange(groups), tuple(len(each) for each in labels)) if labels else ()
    columns = tuple(
        Column(name, each, place.astype(np.int32)) for name, each, place in zip(levels, labels, places, strict=True)
    )
    return Grid(columns, labels, values)


def places_on(grid: Grid, table: Table, by: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> Integers:
    """Find the group of each cell of a table; −1 where a label was not declared."""
    group, known = np.zeros(len(table.sizes), np.int64), np.ones(len(table.sizes), bool)
    for (name, level), labels in zip(levels.items(), grid.labels, strict=True):
        column = table.column(name)
        place = _recoded(by[name], level, column.labels, labels)[column.codes]
        group, known = group * len(labels) + place, known & (place >= 0)
    return np.where(known, group, -1)


def values_on(grid: Grid, domain: Sequence[Label]) -> Integers:
    """Find the place of each sensitive value; −1 for one that was not declared."""
    declared = {each: number for number, each in enumerate(grid.domain)}
    return np.array([declared.get(each, -1) for each in domain], np.int64)


def counted_on(
    grid: Grid, table: Table, by: Mapping[str, Hierarchy], levels: Mapping[str, int], outside: Outside = "an error"
) -> Integers:
    """Count the people of every cell: exactly, so this is not for publishing."""
    if table.semantics != "single":
        message = (
            f"in {parameter('values', table.semantics)} one person changes several counts, "
            f"and noise for one would not hide them; read the table with {parameter('values', 'single')}"
        )
        raise BadNoise(message)
    cell, value, count = table.counts.entries()
    group, place = places_on(grid, table, by, levels)[cell], values_on(grid, table.domain)[value]
    held = (group >= 0) & (place >= 0)
    _check_outside(int(count[~held].sum()), outside)
    rows, columns = grid.shape
    return added(group[held] * columns + place[held], count[held], rows * columns).reshape(grid.shape)


def _declared(domain: Sequence[object]) -> tuple[Label, ...]:
    if isinstance(domain, str) or not len(domain):
        message = (
            f"{parameter('domain')} is not declared; "
            "list every sensitive value that there could be, not only those that occur"
        )
        raise BadNoise(message)
    return tuple(dict.fromkeys(label(value) for value in domain))


def _labels(by: Mapping[str, Hierarchy], name: str, level: int) -> tuple[Label, ...]:
    """List the labels of a level; the row of empty text, if there is one, is about missing cells."""
    if name not in by:
        message = (
            f"no hierarchy for '{name}'{did_you_mean(name, by)}; "
            f"its labels must be declared by a hierarchy in {parameter('by')}"
        )
        raise BadNoise(message)
    hierarchy = by[name]
    hierarchy.level(level)
    return tuple(dict.fromkeys(hierarchy.generalise(value or None, level) for value in hierarchy.levels[0]))


def _recoded(hierarchy: Hierarchy, level: int, labels: Sequence[Label], among: tuple[Label, ...]) -> Integers:
    """Find the place of each label's coarser label; −1 for one that was not declared."""
    declared = {None, *hierarchy.levels[0]}
    place = {each: number for number, each in enumerate(among)}
    coarse = (place.get(hierarchy.generalise(each, level), -1) if each in declared else -1 for each in labels)
    return np.fromiter(coarse, np.int64, len(labels))


def _check_outside(people: int, outside: Outside) -> None:
    if outside == "an error" and people:
        message = (
            f"{people:,} people have a label or a value that was not declared; declare all that there could be, "
            f"or say {parameter('outside', 'leave out')} to publish without them"
        )
        raise BadNoise(message)
    if outside not in ("an error", "leave out"):
        message = f'no {parameter("outside", outside)}; choose "an error" or "leave out"'
        raise BadNoise(message)
