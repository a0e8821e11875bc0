"""The largest counts of each group, largest first."""

from __future__ import annotations

import numpy as np

from sidelight.table.columns import Integers
from sidelight.table.counts import Counts


def largest_counts(counts: Counts, many: int) -> Integers:
    """Give, per row, the `many` largest counts in falling order; zeros where a row has fewer values.

    >>> counts = Counts.from_cells([[1, 3, 2], [0, 0, 4]])
    >>> largest_counts(counts, 2).tolist()
    [[3, 2], [4, 0]]
    """
    largest = np.zeros((counts.rows, many), np.int64)
    if counts.cells is not None:
        falling = -_smallest(-counts.cells, many)
        largest[:, : falling.shape[1]] = falling
        return largest
    rows, _, amounts = counts.entries()
    order = np.lexsort((-amounts, rows))
    rows, amounts = rows[order], amounts[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
    kept = rank < many
    largest[rows[kept], rank[kept]] = amounts[kept]
    return largest


def _smallest(cells: Integers, many: int) -> Integers:
    if 4 * many < cells.shape[1]:  # sorting all of a wide row costs more than setting the few apart first
        cells = np.partition(cells, many - 1, axis=1)[:, :many]
    return np.sort(cells, axis=1)[:, :many]


def values_by_frequency(counts: Integers) -> list[int]:
    """List the places of one group's values, the most frequent first; of equally frequent ones the first.

    >>> values_by_frequency(np.array([1, 0, 2, 1]))
    [2, 0, 3]
    """
    order = np.argsort(-counts, kind="stable")
    return [int(place) for place in order if counts[place]]
