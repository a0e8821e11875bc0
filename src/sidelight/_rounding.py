"""Numbers rounded towards caution: a risk may be overstated by the last digit, never understated.

Values stay exact (`Fraction`; `Decimal` with 60 digits where logarithms make them irrational) until they leave.  Then
they are rounded once, in a direction that is said: to the next float (`round_up`, `round_down`, `round_cautiously`) or
to so many places of a decimal (`to_places`).  For every exact x: round_down(x) <= x <= round_up(x), with nothing but x
between the two floats.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

Exact: TypeAlias = Fraction | Decimal | int | float

PRECISE = Context(prec=60)
"""For logarithms: far more digits than a float, so that rounding a result goes the way we say."""


def log(ratio: Fraction) -> Decimal:
    """Give the natural logarithm to about 60 digits.

    >>> round(log(Fraction(1, 3)), 20)
    Decimal('-1.09861228866810969140')
    """
    with localcontext(PRECISE):
        return Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()


def round_down(number: Exact) -> float:
    """Give the largest float that is at most `number`.

    >>> round_down(Fraction(1, 10)) < Fraction(1, 10) < Fraction(0.1) == round_up(Fraction(1, 10))
    True
    """
    near = _nearest(number)
    return near if near <= number else math.nextafter(near, -math.inf)  # Python compares exactly, whatever the types


def round_up(number: Exact) -> float:
    """Give the smallest float that is at least `number`.

    >>> round_up(Fraction(2, 3)), round_up(10**400)
    (0.6666666666666667, inf)
    """
    near = _nearest(number)
    return near if near >= number else math.nextafter(near, math.inf)


def round_cautiously(number: Exact, *, large_is_bad: bool) -> float:
    """Give the float next to `number` on the side that never makes a release look better."""
    return round_up(number) if large_is_bad else round_down(number)


def to_places(number: Fraction | int, places: int, *, up: bool = True) -> Decimal:
    """Round to so many decimal places, up or down, with nothing lost on the way.

    >>> str(to_places(Fraction(1, 3), 3)), str(to_places(Fraction(1, 3), 3, up=False)), f"{to_places(2, 1):f}"
    ('0.334', '0.333', '2.0')
    """
    scaled = number * 10**places
    return Decimal(math.ceil(scaled) if up else math.floor(scaled)).scaleb(-places, PRECISE)


def _nearest(number: Exact) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
