"""Parse numbers exactly, round them towards caution, and write them for people.

A number of the user has its decimal value (`exact_number`): 0.1 is a tenth.  Values stay exact (`Fraction`; `Decimal`
with 60 digits if logarithms make them irrational) until they are handed out.  Then they are rounded once, in a stated
direction, so that a risk may be overstated in the last digit but never understated: to the next float (`round_up`,
`round_down`, `round_cautiously`), to decimal places (`to_places`), or to text (`in_words`, `decimal_text`).
For every exact x: round_down(x) <= x <= round_up(x), with nothing but x between the two floats.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import TypeAlias, TypeVar

from sidelight.errors import as_given
from sidelight.text import fraction_in

Exact: TypeAlias = Fraction | Decimal | int | float

Number = TypeVar("Number")

# For logarithms: far more digits than a float, so that rounding a result goes the way we say
PRECISE = Context(prec=60)


# How many decimal places people are shown
PLACES = 4


def exact_number(number: object, error: type[Exception], name: str) -> Fraction | float:
    """Return the decimal value of a number: 0.1 is 1/10, not the nearest binary number; infinity stays.

    Raise `error` for anything that is not a number.

    >>> exact_number(0.1, ValueError, "a limit"), exact_number(5, ValueError, "a limit")
    (Fraction(1, 10), Fraction(5, 1))
    >>> exact_number(True, ValueError, "a limit")
    Traceback (most recent call last):
    ValueError: a limit is a number, not True; give a number
    """
    whole_or_fraction = isinstance(number, Rational)  # NumPy's whole numbers too; floats may not hold them
    if (
        isinstance(number, bool)
        or not isinstance(number, Real | Decimal)
        or (not whole_or_fraction and (number.is_nan() if isinstance(number, Decimal) else math.isnan(number)))
    ):
        raise error(f"{name} is a number, not {as_given(number, quoted=True)}; give a number")
    if isinstance(number, Rational):
        exact = Fraction(int(number.numerator), int(number.denominator))
        # Python does not write longer numbers, and no count of people is as long
        if max(abs(exact.numerator), exact.denominator).bit_length() > 10_000:
            raise error(f"{name} is a number of thousands of digits; give a shorter one")
        return exact
    if math.isinf(number):
        return float(number)
    written = fraction_in(str(number))
    if written is None:  # a Decimal
        raise error(
            f"{name} is {as_given(number)}, which has more zeros than can be computed with; give another number"
        )
    return written


def as_printed(number: Number) -> Number | Fraction:
    """Return the decimal number that a float prints; anything else, and infinity, unchanged.

    >>> as_printed(0.3), as_printed(Fraction(1, 3)), as_printed(math.inf)
    (Fraction(3, 10), Fraction(1, 3), inf)
    """
    return Fraction(repr(float(number))) if isinstance(number, float) and math.isfinite(number) else number


# More than any number of people, cells or steps; up to here, floats hold all whole numbers
MOST_OF_ANYTHING = 1 << 53


def whole_number(
    number: object, error: type[Exception], name: str, *, least: int = 0, most: float = MOST_OF_ANYTHING
) -> int:
    """Return a whole number, also NumPy's, as an int; raise `error` for any other number.

    >>> whole_number(3, ValueError, "n")
    3
    >>> whole_number(-1, ValueError, "n")
    Traceback (most recent call last):
    ValueError: n is -1; give a whole number of at least 0
    """
    if isinstance(number, bool) or not isinstance(number, Integral) or not least <= int(number) <= most:
        beyond = isinstance(number, Integral) and int(number) > most
        span = f"from {least:,} to {most:,}" if beyond else f"of at least {least:,}"
        raise error(f"{name} is {as_given(number, quoted=True)}; give a whole number {span}")
    return int(number)


# The largest number in data, such as a price or the end of an interval
LARGEST_NUMBER = 10**30


def log(ratio: Fraction) -> Decimal:
    """Return the natural logarithm to about 60 digits.

    >>> round(log(Fraction(1, 3)), 20)
    Decimal('-1.09861228866810969140')
    """
    with localcontext(PRECISE):
        return Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()


def round_down(number: Exact) -> float:
    """Return the largest float that is at most `number`.

    >>> round_down(Fraction(1, 10)) < Fraction(1, 10) < Fraction(0.1) == round_up(Fraction(1, 10))
    True
    """
    near = _nearest(number)
    return near if near <= number else math.nextafter(near, -math.inf)  # Python compares exactly, whatever the types


def round_up(number: Exact) -> float:
    """Return the smallest float that is at least `number`.

    >>> round_up(Fraction(2, 3)), round_up(10**400)
    (0.6666666666666667, inf)
    """
    near = _nearest(number)
    return near if near >= number else math.nextafter(near, math.inf)


def round_cautiously(number: Exact, *, large_is_bad: bool) -> float:
    """Return the float next to `number` on the cautious side."""
    return round_up(number) if large_is_bad else round_down(number)


def printed_cautiously(number: Fraction | float, *, large_is_bad: bool) -> float:
    """Return the nearest float on the cautious side whose printed decimal is on that side too.

    >>> printed_cautiously(Fraction(2, 3), large_is_bad=True), printed_cautiously(0.3, large_is_bad=True)
    (0.6666666666666667, 0.3)
    >>> third = Fraction(1, 3)
    >>> as_printed(printed_cautiously(third, large_is_bad=False)) < third
    True
    """
    if isinstance(number, float):
        return float(number)
    # the shortest decimal of a float may lie on the other side of the number; the next float then stands in
    near = round_cautiously(number, large_is_bad=large_is_bad)
    cautious = as_printed(near) >= number if large_is_bad else as_printed(near) <= number
    return near if cautious else math.nextafter(near, math.inf if large_is_bad else -math.inf)


def raise_bound(bound: float, relative: float = 1e-14) -> float:
    """Raise a bound computed in floats by more than the relative error of their arithmetic.

    >>> raise_bound(0.5) > 0.5, raise_bound(0.0)
    (True, 0.0)
    """
    return bound * (1 + relative)


def to_places(number: Fraction | int, places: int, *, up: bool = True) -> Decimal:
    """Round exactly to decimal places, up or down.

    >>> str(to_places(Fraction(1, 3), 3)), str(to_places(Fraction(1, 3), 3, up=False)), f"{to_places(2, 1):f}"
    ('0.334', '0.333', '2.0')
    """
    scaled = number * 10**places
    # the rounding is exact in integers; Decimal only shifts the point
    return Decimal(math.ceil(scaled) if up else math.floor(scaled)).scaleb(-places, PRECISE)


# What people read.  Numbers that are written to be read again, exactly, have writers of their own: statements
# (`knowledge.tokens.number_text`: 0.3 or 1/3) and amounts of noise (`noise.mechanism.amount_text`: 1e-09).


def in_words(value: Fraction | float, *, large_is_bad: bool = True) -> str:
    """Write an amount: short fractions as they are, others also rounded towards caution (risks up).

    >>> in_words(Fraction(2, 3)), in_words(Fraction(7)), in_words(Fraction(12345, 99991)), in_words(math.inf)
    ('2/3', '7', '0.1235 (12345/99991)', 'infinite')
    >>> in_words(Fraction(13736425, 904)), in_words(Fraction(1, 151_515))
    ('15,195.1604', '0.0000067 (1/151515)')
    >>> in_words(1.88988, large_is_bad=False)
    '1.8898'
    """
    if value == math.inf:
        return exact_text(value)
    exact = Fraction(as_printed(value))
    if exact.denominator == 1:
        return exact_text(exact)
    rounded = decimal_text(exact, up=large_is_bad, figures=2)
    longer = max(abs(exact.numerator), exact.denominator)
    if not isinstance(value, Fraction) or longer >= 10**6:
        return rounded
    return str(exact) if longer < 1000 else f"{rounded} ({exact})"


# The largest denominator of a fraction that people compare at a glance; others are shown as decimals
READABLE = 12

# What a page says wherever it shows decimals: risks are rounded up, sizes and diversities down
ROUNDED = "Decimals are rounded towards caution; --json has the exact numbers."


def short_amount(value: Fraction | float, *, large_is_bad: bool) -> str:
    """Write an amount for a column: fractions up to twelfths as they are, else four places, towards caution.

    >>> short_amount(Fraction(2, 3), large_is_bad=True), short_amount(Fraction(162, 397), large_is_bad=True)
    ('2/3', '0.4081')
    >>> short_amount(1.88988, large_is_bad=False), short_amount(math.inf, large_is_bad=True)
    ('1.8898', 'infinite')
    """
    if value == math.inf or Fraction(as_printed(value)).denominator <= READABLE:
        return exact_text(value if value == math.inf else Fraction(as_printed(value)))
    # four places and no more: a column of numbers is compared at a glance, and the exact number is in --json
    return decimal_text(Fraction(as_printed(value)), up=large_is_bad)


def round_at_a_glance(value: Fraction | float, *, large_is_bad: bool = True) -> Fraction | float:
    """Round a number as `short_amount` prints it: a fraction up to twelfths, else four places, towards caution.

    >>> round_at_a_glance(Fraction(2, 3)), round_at_a_glance(Fraction(162, 397)), round_at_a_glance(0.598612)
    (Fraction(2, 3), 0.4081, 0.5987)
    """
    if value == math.inf or Fraction(as_printed(value)).denominator <= READABLE:
        return value
    return float(to_places(Fraction(as_printed(value)), PLACES, up=large_is_bad))


def exact_text(number: Exact) -> str:
    """Write a number in full.

    >>> exact_text(30_000), exact_text(Fraction(2, 5)), exact_text(math.inf)
    ('30,000', '2/5', 'infinite')
    """
    if number == math.inf:
        return "infinite"
    exact = Fraction(number)
    return f"{exact.numerator:,}" if exact.denominator == 1 else str(exact)


def decimal_text(number: Fraction, *, up: bool, figures: int = 0) -> str:
    """Write a number with four decimal places, or more if `figures` digits need them, rounded up or down.

    >>> decimal_text(Fraction(2, 3), up=True), decimal_text(Fraction(1, 30_000), up=False, figures=4)
    ('0.6667', '0.00003333')
    """
    places = PLACES
    while number and figures and abs(number) * 10**places < 10 ** (figures - 1):
        places += 1
    return f"{to_places(number, places, up=up):,f}"


def short_decimal(number: Fraction | float, *, up: bool = True) -> str:
    """Write a number for a sentence: four places or four figures, without trailing zeros.

    >>> short_decimal(Fraction(2, 3)), short_decimal(Fraction(6)), short_decimal(Fraction(1, 30_000), up=False)
    ('0.6667', '6', '0.00003333')
    """
    # a float by its shortest digits: 0.1 is a little more than 1/10, and would be rounded up to 0.1001
    return decimal_text(Fraction(str(number)), up=up, figures=4).rstrip("0").rstrip(".")


def _nearest(number: Exact) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
