"""How do a few facts about one group change the odds?  The three semantics, in floats and exactly.

Of a group with n people, of whom a have σ (or a occurrences of it), when k others of the group are known not to
have it:

    against = T(n, a, ruled out, k): odds against the target having σ, after values were ruled out
    none    = V(n, a, m, k): probability that none of m further people has σ

Zero means that the knowledge settles it.  Groups without σ (a = 0) never matter and are not asked about.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import prod
from typing import Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from sidelight._arrays import Floats, Integers
from sidelight._rounding import PRECISE, round_up
from sidelight.table.table import Semantics

SETTLED = -np.inf
"""The logarithm of odds of zero."""


class Odds(ABC):
    """Logarithms for many groups at once (arrays that broadcast), exact numbers for one."""

    def weight(self, top: npt.NDArray[np.integer], sizes: Integers) -> Floats | npt.NDArray[np.integer]:
        """Say what ruling out one value that c people have weighs; weights add up."""
        del sizes
        return top

    @abstractmethod
    def against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """Logarithm of T; `ruled_out` are added weights."""

    @abstractmethod
    def none(self, n: Integers, a: Integers, m: int | Integers, k: int | Integers) -> Floats:
        """Logarithm of V."""

    @abstractmethod
    def exact_against(self, n: int, a: int, ruled_out: tuple[int, ...], k: int, using: Arithmetic[Number]) -> Number:
        """T; `ruled_out` are the counts of the values."""

    @abstractmethod
    def exact_none(self, n: int, a: int, m: int, k: int, using: Arithmetic[Number]) -> Number:
        """V."""

    @abstractmethod
    def length(self, n: int, a: int, *, ruled_out: tuple[int, ...] = (), m: int = 0) -> int:
        """Estimate how many bits T·V has as a fraction."""


class _OnePlacePerPerson(Odds):
    """What `single` and `set` share: σ's occurrences are with different people."""

    def none(self, n: Integers, a: Integers, m: int | Integers, k: int | Integers) -> Floats:
        """Π_{i<m} (n−a−k−i)/(n−k−i)."""
        left, both = np.asarray(n - k), a + m
        logs = log_missing_all(np.maximum(left, both), a, m)  # where it is settled, any numbers will do
        return np.where(np.equal(m, 0), 0.0, np.where(left < both, SETTLED, logs))

    def exact_none(self, n: int, a: int, m: int, k: int, using: Arithmetic[Number]) -> Number:
        """As above, with the shorter of two equal products."""
        if m and n - a - k - m < 0:
            return using.ratio(0, 1)
        few, many = sorted((a, m))
        return using.product((n - k - many - i, n - k - i) for i in range(few))

    def length(self, n: int, a: int, *, ruled_out: tuple[int, ...] = (), m: int = 0) -> int:
        """Count the factors."""
        return n.bit_length() * (min(a, m) + len(ruled_out) + 1)


class Single(_OnePlacePerPerson):
    """One value per person; the k others are known by their values."""

    def against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """(n − a − t − k) / a, t = how many have a ruled-out value."""
        return _log(n - a - ruled_out - k) - np.log(a)

    def exact_against(self, n: int, a: int, ruled_out: tuple[int, ...], k: int, using: Arithmetic[Number]) -> Number:
        """As above."""
        return using.ratio(max(n - a - sum(ruled_out) - k, 0), a)


class SetOfValues(_OnePlacePerPerson):
    """A set of values per person: each value goes to its people independently."""

    def weight(self, top: npt.NDArray[np.integer], sizes: Integers) -> Floats:
        """Logarithm of (n − c)/n; a value that everybody has weighs without end."""
        return _log(sizes - top) - np.log(sizes)

    def against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """(n − a − k) / a · Π (n − c)/n."""
        return _log(n - a - k) - np.log(a) + ruled_out

    def exact_against(self, n: int, a: int, ruled_out: tuple[int, ...], k: int, using: Arithmetic[Number]) -> Number:
        """As above."""
        return using.product([(max(n - a - k, 0), a), *((n - count, n) for count in ruled_out if count)])


class MultisetOfValues(Odds):
    """Any number of occurrences per person: each occurrence goes to anybody, independently."""

    def against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """q/(1−q) · ((n−1)/n)^t with q = ((n−k−1)/(n−k))^a."""
        left = np.asarray(n - k)
        more = np.maximum(left, 2)
        q = a * np.log1p(-1 / more)
        alone = np.maximum(n, 2)
        logs = q - np.log(-np.expm1(q)) + ruled_out * np.log1p(-1 / alone)
        return np.where(left <= 1, SETTLED, logs)

    def none(self, n: Integers, a: Integers, m: int | Integers, k: int | Integers) -> Floats:
        """((n−k−m)/(n−k))^a."""
        left = np.asarray(n - k)
        settled = left - m <= 0
        share = np.where(settled, 0.5, m / np.maximum(left, 1))
        return np.where(np.equal(m, 0), 0.0, np.where(settled, SETTLED, a * np.log1p(-share)))

    def exact_against(self, n: int, a: int, ruled_out: tuple[int, ...], k: int, using: Arithmetic[Number]) -> Number:
        """As above."""
        if n - k <= 1:
            return using.ratio(0, 1)
        q = using.ratio(n - k - 1, n - k) ** a
        return q / (1 - q) * using.ratio(n - 1, n) ** sum(ruled_out)

    def exact_none(self, n: int, a: int, m: int, k: int, using: Arithmetic[Number]) -> Number:
        """As above."""
        if m == 0:
            return using.ratio(1, 1)
        return using.ratio(max(n - k - m, 0), max(n - k, 1)) ** a

    def length(self, n: int, a: int, *, ruled_out: tuple[int, ...] = (), m: int = 0) -> int:
        """Count the factors."""
        return n.bit_length() * (a + sum(ruled_out) + (a if m else 0))


ODDS: dict[Semantics, Odds] = {"single": Single(), "set": SetOfValues(), "multiset": MultisetOfValues()}


def _log(amount: Floats | Integers) -> Floats:
    """Take the logarithm where there is one; nothing left, or less, means settled."""
    logs: Floats = np.log(np.maximum(amount, 0), out=np.full(np.shape(amount), SETTLED), where=np.asarray(amount) > 0)
    return logs


# ----------------------------------------------------------------------------------------------------
# How likely is it that people drawn from a group miss all who have a value?  Its logarithm, to the last digits.
#
# Π_{i<m} (n−a−i)/(n−i)  =  (n−m)!·(n−a)! / (n!·(n−a−m)!)
#
# A difference of log-factorials loses as many digits as n has.  With x! = x^(x+½)·e^(c−x+s(x)) (Stirling, s(x) ≈ 1/12x)
# all that is large cancels on paper instead:
#
# (n−m+½)·ln(1−m/n) + m·ln((n−a)/n) − (n−a−m+½)·ln(1−m/(n−a)) + s(n−m) + s(n−a) − s(n) − s(n−a−m)
#
# where no term is above a few times m: that is how much rounding may weigh.  It is the same with a and m exchanged.
# ----------------------------------------------------------------------------------------------------


SMALL = 64
"""From here on three terms of the series for s(x) are as good as floats get."""

_LOG_FACTORIAL = gammaln(np.arange(1, 1025))
"""In small groups there are digits enough, and looking them up is quicker."""

_X = np.arange(SMALL)
_HALF_TURN = np.log(2 * np.pi) / 2  # c
_SMALL_S = _LOG_FACTORIAL[_X] - (_X + 0.5) * np.log(np.maximum(_X, 1)) + _X - _HALF_TURN  # s(0) as if ln 0 were ln 1


def log_missing_all(n: Integers, a: Integers, m: int | Integers) -> Floats:
    """Give the logarithm of the chance that m of n people are none of a; whole numbers, a + m ≤ n, n > 0.

    >>> np.exp(log_missing_all(np.array([5, 5]), np.array([2, 4]), np.array([2, 1]))).round(9).tolist()
    [0.3, 0.2]
    """
    if np.max(n, initial=0) < len(_LOG_FACTORIAL):
        logs: Floats = _LOG_FACTORIAL[n - m] + _LOG_FACTORIAL[n - a] - _LOG_FACTORIAL[n] - _LOG_FACTORIAL[n - a - m]
        return logs
    many, few = np.maximum(a, m), np.minimum(a, m)
    others, rest = n - many, n - many - few
    some, at_least_one = np.maximum(others, 1), np.maximum(rest, 1)  # 0! is 1!
    found: Floats = (
        (n - few + 0.5) * np.log1p(-few / n)
        + few * np.log(some / n)
        - (rest + 0.5) * np.log1p((at_least_one - some) / some)
        + (_s(n - few) - _s(n))
        + (_s(others) - _s(rest))
    )
    return found


def _s(x: Integers) -> Floats:
    """What Stirling's formula leaves out."""
    large = 1 / np.maximum(x, SMALL)
    square = large * large
    series = large * (1 / 12 - square * (1 / 360 - square / 1260))
    return np.where(x < SMALL, _SMALL_S[np.minimum(x, SMALL - 1)], series)


# ----------------------------------------------------------------------------------------------------
# Numbers that decide: fractions as long as they are of a sensible length, else decimals of 60 digits.
#
# A probability such as (99999/100000)^100000 is a fraction of half a million digits: nobody reads it, and reducing it
# takes minutes.  Beyond `REPORTED` a risk is therefore a float rounded towards caution, as where logarithms make it
# irrational.
# ----------------------------------------------------------------------------------------------------


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
        return min(round_up((1 + SURE) * (1 / (1 + against))), 1.0)

    def exceed(self, against: Decimal, odds: Fraction) -> bool:
        """Be sure of it."""
        return against * (1 - SURE) > Decimal(odds.numerator) / Decimal(odds.denominator)

    def working(self) -> AbstractContextManager[Context]:
        """Set the 60 digits."""
        return localcontext(PRECISE)


FRACTIONS, DECIMALS = Fractions(), Decimals()
