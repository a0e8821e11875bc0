"""Floats rounded towards caution: one way up, one way down, whatever the exact number is written as."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

PRECISE = Context(prec=60)
"""For logarithms: far more digits than a float, so that rounding a result goes the way we say."""


def log(ratio: Fraction) -> Decimal:
    """Give the natural logarithm to about 60 digits.

    >>> round(log(Fraction(1, 3)), 20)
    Decimal('-1.09861228866810969140')
    """
    with localcontext(PRECISE):
        return Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()


def rounded_down(number: Decimal) -> float:
    """Give the largest float that is at most `number`."""
    near = float(number)
    return near if Decimal(near) <= number else math.nextafter(near, -math.inf)


def rounded_up(number: Decimal) -> float:
    """Give the smallest float that is at least `number`."""
    near = float(number)
    return near if Decimal(near) >= number else math.nextafter(near, math.inf)
