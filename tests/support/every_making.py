"""Every assignment of values to the people of a small table, sent through `protect` itself: the slow, obvious insider."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sidelight.errors import NothingSafe
from sidelight.search.method import SearchResult
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

Signature = frozenset[tuple[tuple[int, ...], tuple[int, ...]]]


@dataclass(frozen=True)
class SmallTable:
    """Keys with so many people each, and the values that people may have."""

    columns: tuple[tuple[str, ...], ...]  # per column, a label per key
    sizes: tuple[int, ...]
    values: int

    def assigned(self, cells: tuple[tuple[int, ...], ...]) -> Table:
        """Give the table with these counts, key × value."""
        quasi = tuple(Column.of(f"q{at}", labels) for at, labels in enumerate(self.columns))
        domain = tuple("abcdefgh"[: self.values])
        return Table(quasi, "disease", domain, np.array(self.sizes), Counts.from_cells(cells))

    def assignments(self) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
        """List all counts by key and value, and how many assignments to people each stands for."""
        for cells in itertools.product(*(list(_shares(size, self.values)) for size in self.sizes)):
            yield cells, math.prod(map(_ways, cells))


def _shares(people: int, values: int) -> Iterator[tuple[int, ...]]:
    if values == 1:
        yield (people,)
        return
    for first in range(people + 1):
        for rest in _shares(people - first, values - 1):
            yield (first, *rest)


def _ways(row: tuple[int, ...]) -> int:
    return math.factorial(sum(row)) // math.prod(map(math.factorial, row))


@dataclass
class Making:
    """One release, and all assignments that lead to it."""

    found: SearchResult
    worlds: list[tuple[tuple[tuple[int, ...], ...], int]] = field(default_factory=list)

    def belief(self, key: int, value: int) -> Fraction:
        """Count how often somebody with this key has the value, by the definition."""
        whole = sum(ways for _, ways in self.worlds)
        hits = sum(ways * cells[key][value] for cells, ways in self.worlds)
        return Fraction(hits, whole * sum(self.worlds[0][0][key]))


def every_making(small: SmallTable, make: Callable[[Table], SearchResult]) -> dict[Signature, Making]:
    """Send every assignment through the method; gather those that lead to the same groups and counts."""
    makings: dict[Signature, Making] = {}
    for cells, ways in small.assignments():
        try:
            found = make(small.assigned(cells))
        except NothingSafe:
            continue
        makings.setdefault(signature(found), Making(found)).worlds.append((cells, ways))
    return makings


def signature(found: SearchResult) -> Signature:
    """Say who is in which group, and what is counted there."""
    group = found.release_rows
    return frozenset(
        (tuple(np.flatnonzero(group == row).tolist()), tuple(found.release.groups.counts.row(row).tolist()))
        for row in range(len(found.release))
    )
