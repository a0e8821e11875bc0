"""Find in floats, decide in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal

import numpy as np
import numpy.typing as npt

from sidelight.measures.finding import Amount

NEAR = 1e-9
"""Relative distance from the worst float within which a group is a candidate for the worst exact value."""

PRECISE = Context(prec=60)
"""For logarithms: far more digits than a float, so that rounding a result goes the way we say."""


def worst_row(
    scores: npt.NDArray[np.float64],
    *,
    large_is_bad: bool,
    alike: npt.NDArray[np.int64],
    exactly: Callable[[int], Amount],
) -> tuple[int, Amount] | None:
    """Find the row with the worst exact value; of equal ones the first.

    `scores` are the values as floats (nan: nothing to say), `alike` integers that decide the exact value, one
    row each, so that of candidates that are alike only one is recomputed by `exactly(row)`.

    >>> from fractions import Fraction
    >>> share = lambda row: Fraction([1, 2, 3][row], [3, 6, 10][row])
    >>> alike = np.array([[1, 3], [2, 6], [3, 10]])
    >>> worst_row(np.array([1/3, 2/6, 3/10]), large_is_bad=True, alike=alike, exactly=share)
    (0, Fraction(1, 3))
    """
    said = ~np.isnan(scores)
    if not said.any():
        return None
    signed = np.where(said, scores if large_is_bad else -scores, -np.inf)
    top = signed.max()
    reach = NEAR * max(abs(top), 1e-300) if math.isfinite(top) else 0.0
    near = np.flatnonzero(said & (signed >= top - reach))
    _, first = np.unique(alike[near], axis=0, return_index=True)
    candidates = near[np.sort(first)]
    sign = 1 if large_is_bad else -1
    worst = max(((exactly(int(row)), int(row)) for row in candidates), key=lambda pair: (sign * pair[0], -pair[1]))
    return worst[1], worst[0]


def rounded_down(number: Decimal) -> float:
    """Give the largest float that is at most `number`."""
    near = float(number)
    return near if Decimal(near) <= number else math.nextafter(near, -math.inf)


def rounded_up(number: Decimal) -> float:
    """Give the smallest float that is at least `number`."""
    near = float(number)
    return near if Decimal(near) >= number else math.nextafter(near, math.inf)
