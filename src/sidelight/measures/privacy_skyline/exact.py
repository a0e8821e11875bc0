"""Numbers that decide: fractions as long as they are of a sensible length, else decimals of 60 digits.

A probability such as (99999/100000)^100000 is a fraction of half a million digits: nobody reads it, and reducing it
takes minutes.  Beyond `REPORTED` a risk is therefore a float rounded towards caution, as where logarithms make it
irrational.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import prod
from typing import Generic, TypeAlias, TypeVar

from sidelight.measures.exact import PRECISE, rounded_up

COMPARED = 1 << 17
"""How many bits fractions may have that are only compared (about 40,000 digits)."""

REPORTED = 14_000
"""How many bits fractions may have that are reported: what Python writes out (4,300 digits)."""

SURE = Decimal("1e-50")
"""Far more than rounding to 60 digits can have changed, relative."""

Number = TypeVar("Number", Fraction, Decimal)
Settled: TypeAlias = Fraction | float
"""A risk: exact, or rounded up."""


class Arithmetic(ABC, Generic[Number]):
    """Ratios of whole numbers, their products and powers."""

    @abstractmethod
    def ratio(self, over: int, under: int) -> Number:
        """Divide."""

    @abstractmethod
    def product(self, ratios: Iterable[tuple[int, int]]) -> Number:
        """Multiply many ratios."""

    @abstractmethod
    def risk(self, against: Number) -> Settled:
        """Turn odds against into a probability: 1 / (1 + odds)."""

    @abstractmethod
    def exceed(self, against: Number, odds: Fraction) -> bool:
        """Decide whether odds against are above a limit; what cannot be told apart is not."""

    def working(self) -> AbstractContextManager[object]:
        """Compute inside this."""
        return nullcontext()


class Fractions(Arithmetic[Fraction]):
    """Exact."""

    def ratio(self, over: int, under: int) -> Fraction:
        """Reduce to lowest terms."""
        return Fraction(over, under)

    def product(self, ratios: Iterable[tuple[int, int]]) -> Fraction:
        """Multiply first and reduce once: reducing is the slow part."""
        pairs = list(ratios)
        return Fraction(prod(over for over, _ in pairs), prod(under for _, under in pairs))

    def risk(self, against: Fraction) -> Fraction:
        """As it is."""
        return 1 / (1 + against)

    def exceed(self, against: Fraction, odds: Fraction) -> bool:
        """Compare."""
        return against > odds


class Decimals(Arithmetic[Decimal]):
    """To 60 digits, errors on the side of caution."""

    def ratio(self, over: int, under: int) -> Decimal:
        """Divide to 60 digits."""
        return Decimal(over) / Decimal(under)

    def product(self, ratios: Iterable[tuple[int, int]]) -> Decimal:
        """Multiply one after the other."""
        return prod((Decimal(over) / Decimal(under) for over, under in ratios), start=Decimal(1))

    def risk(self, against: Decimal) -> float:
        """Round up."""
        return min(rounded_up((1 + SURE) * (1 / (1 + against))), 1.0)

    def exceed(self, against: Decimal, odds: Fraction) -> bool:
        """Be sure of it."""
        return against * (1 - SURE) > Decimal(odds.numerator) / Decimal(odds.denominator)

    def working(self) -> AbstractContextManager[Context]:
        """Set the 60 digits."""
        return localcontext(PRECISE)


FRACTIONS, DECIMALS = Fractions(), Decimals()
