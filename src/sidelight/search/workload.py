"""Random COUNT queries: what an analyst might ask of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.search.orders import Order
from sidelight.table.table import Table


@dataclass(frozen=True, eq=False, slots=True)
class Query:
    """How many people are within these stretches of places (column → from, to) and have one of these values?"""

    ranges: Mapping[int, tuple[int, int]]
    values: npt.NDArray[np.bool_]

    def answer(self, table: Table, orders: tuple[Order, ...]) -> int:
        """Count in the table itself."""
        inside = np.ones(len(table.sizes), bool)
        for column, (low, high) in self.ranges.items():
            place = orders[column].place[table.quasi[column].codes]
            inside &= (low <= place) & (place < high)
        return int(table.counts.take(np.flatnonzero(inside)).totals()[self.values].sum())


def queries(
    orders: tuple[Order, ...], values: int, *, count: int = 200, columns: int = 2, share: float = 0.1, seed: int = 7
) -> Iterator[Query]:
    """Draw queries that ask for about `share` of all combinations: a stretch of `columns` columns, some of the values.

    The same seed draws the same queries.
    """
    rng = np.random.default_rng(seed)
    asked = min(columns, len(orders))
    side = share ** (1 / (asked + 1))
    for _ in range(count):
        chosen = rng.choice(len(orders), asked, replace=False)
        wanted = np.zeros(values, bool)
        wanted[slice(*_stretch(values, side, rng))] = True
        yield Query({int(c): _stretch(len(orders[c].labels), side, rng) for c in chosen}, wanted)


def _stretch(places: int, side: float, rng: np.random.Generator) -> tuple[int, int]:
    length = max(round(places * side), 1)
    start = int(rng.integers(0, places - length + 1))
    return start, start + length
