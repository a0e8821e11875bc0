"""Find in floats, decide in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from sidelight._arrays import Floats, Integers, first_of_each
from sidelight.table.table import Counts

Amount: TypeAlias = Fraction | float
"""A `Fraction`, `math.inf`, or, where logarithms make it irrational, a float rounded towards caution."""


NEAR = 1e-9
"""Distance from the worst float (relative above 1) within which a group may have the worst exact value."""


def worst_row(
    scores: Floats,
    *,
    large_is_bad: bool,
    alike: Integers | Callable[[Integers], Integers],
    exactly: Callable[[int], Amount],
) -> tuple[int, Amount] | None:
    """Find the row with the worst exact value; of equal ones the first.

    `scores` are the values as floats (nan: nothing to say; a bad infinity is taken at its word).  `alike` holds
    integers that decide the exact value, one row each, or makes them for the rows asked for; of candidates that
    are alike only the first is recomputed by `exactly(row)`.

    >>> share = lambda row: Fraction([1, 2, 3][row], [3, 6, 10][row])
    >>> alike = np.array([[1, 3], [2, 6], [3, 10]])
    >>> worst_row(np.array([1/3, 2/6, 3/10]), large_is_bad=True, alike=alike, exactly=share)
    (0, Fraction(1, 3))
    """
    near = near_worst(scores, large_is_bad=large_is_bad)
    if len(near) == 0:
        return None
    if large_is_bad and scores[near[0]] == math.inf:
        return int(near[0]), math.inf
    rows = near[first_of_each(alike(near) if callable(alike) else alike[near])].tolist()
    values = [exactly(row) for row in rows]
    worst = max(values) if large_is_bad else min(values)
    return rows[values.index(worst)], worst


def near_worst(scores: Floats, *, large_is_bad: bool) -> Integers:
    """List the rows whose floats are too near the worst to tell which one it is.

    >>> near_worst(np.array([0.3, 0.1 + 0.2, np.nan, 0.2]), large_is_bad=True).tolist()
    [0, 1]
    """
    worst = np.fmax.reduce(scores) if large_is_bad else np.fmin.reduce(scores)
    if math.isnan(worst):
        return np.empty(0, np.int64)
    reach = NEAR * max(abs(worst), 1.0) if math.isfinite(worst) else 0.0
    return np.flatnonzero(scores >= worst - reach if large_is_bad else scores <= worst + reach)


# ----------------------------------------------------------------------------------------------------
# The largest counts of each group, largest first.
# ----------------------------------------------------------------------------------------------------


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
