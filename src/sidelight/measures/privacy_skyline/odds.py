"""How do a few facts about the people of one group change the odds?  In logarithms for many groups, exactly for one.

Symbols     n people of a group, a of them with the value σ (in `multiset`: a occurrences of σ); k others of the group
            are known not to have σ; ℓ values c_1 ≥ c_2 ≥ … (how many people have each) are ruled out for the target;
            m people of the group are family.
T(ℓ, k)     odds against the target having σ                       `log_odds_against`, `odds_against`
V(m, k)     probability that none of the m has σ                   `log_none_has`, `none_has`

                     T                                                    V
    single     (n − a − Σc_i − k) / a                               Π_{i<m} (n−a−k−i)/(n−k−i)
    set        (n − a − k) / a · Π (n−c_i)/n                        the same
    multiset   q/(1−q) · ((n−1)/n)^Σc_i,  q = ((n−k−1)/(n−k))^a     ((n−k−m)/(n−k))^a

A numerator of 0 or less, or nobody left, means that the knowledge settles it: T or V is 0, its logarithm −∞.  Groups
without σ have T = ∞ and V = 1; they are left to the callers, and a ≥ 1 here.

What the ℓ values contribute is a sum in every semantics (of counts, or of ln((n−c)/n) in `set`); callers add it up and
hand it over as one number, the weight ruled out.

Invariant   a logarithm is −∞ exactly where T or V is 0, and otherwise off by at most `five_minima.tolerance`.
Cost        a few vectorised operations per group and value, whatever k and m are.
Source      Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007: Propositions 1 and 2, Lemma 1, section 5.1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from sidelight._arrays import Floats, Integers
from sidelight._rounding import PRECISE, round_up
from sidelight.measures.exact import Amount
from sidelight.table.table import Semantics

SETTLED = -np.inf
"""The logarithm of odds of zero."""

Number = TypeVar("Number", Fraction, Decimal)
Result = TypeVar("Result")


class Odds(ABC):
    """T and V of one semantics: logarithms for many groups at once (arrays that broadcast), exact numbers for one."""

    def weight(self, counts: npt.NDArray[np.integer], sizes: Integers) -> Floats | npt.NDArray[np.integer]:
        """Say what ruling out one value that so many people have weighs; weights add up."""
        del sizes
        return counts

    @abstractmethod
    def log_odds_against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """Logarithm of T; `ruled_out` are added weights."""

    @abstractmethod
    def log_none_has(self, n: Integers, a: Integers, m: int | Integers, k: int | Integers) -> Floats:
        """Logarithm of V."""

    @abstractmethod
    def odds_against(
        self, n: int, a: int, ruled_out: tuple[int, ...], k: int, using: RatioArithmetic[Number]
    ) -> Number:
        """T; `ruled_out` are the counts of the values."""

    @abstractmethod
    def none_has(self, n: int, a: int, m: int, k: int, using: RatioArithmetic[Number]) -> Number:
        """V."""

    @abstractmethod
    def bits(self, n: int, a: int, *, ruled_out: tuple[int, ...] = (), m: int = 0) -> int:
        """Estimate how many bits T·V has as a fraction."""


class _DifferentHolders(Odds):
    """What `single` and `set` share: σ's occurrences are with different people."""

    def log_none_has(self, n: Integers, a: Integers, m: int | Integers, k: int | Integers) -> Floats:
        """Π_{i<m} (n−a−k−i)/(n−k−i)."""
        left, needed = np.asarray(n - k), a + m
        logs = log_missing_all(np.maximum(left, needed), a, m)  # where it is settled, any numbers will do
        return np.where(np.equal(m, 0), 0.0, np.where(left < needed, SETTLED, logs))

    def none_has(self, n: int, a: int, m: int, k: int, using: RatioArithmetic[Number]) -> Number:
        """As above, with the shorter of two equal products: a and m may be exchanged."""
        if m and n - a - k - m < 0:
            return using.ratio(0, 1)
        fewer, more = sorted((a, m))
        return using.product((n - k - more - i, n - k - i) for i in range(fewer))

    def bits(self, n: int, a: int, *, ruled_out: tuple[int, ...] = (), m: int = 0) -> int:
        """Count the factors."""
        return n.bit_length() * (min(a, m) + len(ruled_out) + 1)


class Single(_DifferentHolders):
    """One value per person; the k others are known by their values."""

    def log_odds_against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """(n − a − t − k) / a, t = how many have a ruled-out value."""
        return _log(n - a - ruled_out - k) - np.log(a)

    def odds_against(
        self, n: int, a: int, ruled_out: tuple[int, ...], k: int, using: RatioArithmetic[Number]
    ) -> Number:
        """As above."""
        return using.ratio(max(n - a - sum(ruled_out) - k, 0), a)


class SetOfValues(_DifferentHolders):
    """A set of values per person: each value goes to its people independently."""

    def weight(self, counts: npt.NDArray[np.integer], sizes: Integers) -> Floats:
        """Logarithm of (n − c)/n; a value that everybody has weighs without end."""
        return _log(sizes - counts) - np.log(sizes)

    def log_odds_against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """(n − a − k) / a · Π (n − c)/n."""
        return _log(n - a - k) - np.log(a) + ruled_out

    def odds_against(
        self, n: int, a: int, ruled_out: tuple[int, ...], k: int, using: RatioArithmetic[Number]
    ) -> Number:
        """As above."""
        return using.product([(max(n - a - k, 0), a), *((n - count, n) for count in ruled_out if count)])


class MultisetOfValues(Odds):
    """Any number of occurrences per person: each occurrence goes to anybody, independently."""

    def log_odds_against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """q/(1−q) · ((n−1)/n)^t with q = ((n−k−1)/(n−k))^a."""
        left = np.asarray(n - k)
        log_q = a * np.log1p(-1 / np.maximum(left, 2))
        logs = log_q - np.log(-np.expm1(log_q)) + ruled_out * np.log1p(-1 / np.maximum(n, 2))
        return np.where(left <= 1, SETTLED, logs)

    def log_none_has(self, n: Integers, a: Integers, m: int | Integers, k: int | Integers) -> Floats:
        """((n−k−m)/(n−k))^a."""
        left = np.asarray(n - k)
        settled = left - m <= 0
        family_share = np.where(settled, 0.5, m / np.maximum(left, 1))
        return np.where(np.equal(m, 0), 0.0, np.where(settled, SETTLED, a * np.log1p(-family_share)))

    def odds_against(
        self, n: int, a: int, ruled_out: tuple[int, ...], k: int, using: RatioArithmetic[Number]
    ) -> Number:
        """As above."""
        if n - k <= 1:
            return using.ratio(0, 1)
        q = using.ratio(n - k - 1, n - k) ** a
        return q / (1 - q) * using.ratio(n - 1, n) ** sum(ruled_out)

    def none_has(self, n: int, a: int, m: int, k: int, using: RatioArithmetic[Number]) -> Number:
        """As above."""
        if m == 0:
            return using.ratio(1, 1)
        return using.ratio(max(n - k - m, 0), max(n - k, 1)) ** a

    def bits(self, n: int, a: int, *, ruled_out: tuple[int, ...] = (), m: int = 0) -> int:
        """Count the factors."""
        return n.bit_length() * (a + sum(ruled_out) + (a if m else 0))


ODDS: dict[Semantics, Odds] = {"single": Single(), "set": SetOfValues(), "multiset": MultisetOfValues()}


def _log(amount: Floats | Integers) -> Floats:
    """Take the logarithm where there is one; nothing left, or less, means settled."""
    logs: Floats = np.log(np.maximum(amount, 0), out=np.full(np.shape(amount), SETTLED), where=np.asarray(amount) > 0)
    return logs


# Logarithms of V.
#
#     Π_{i<m} (n−a−i)/(n−i)  =  (n−m)!·(n−a)! / (n!·(n−a−m)!)
#
# A difference of log-factorials loses as many digits as n has.  With x! = x^(x+½)·e^(c−x+s(x)) (Stirling, s(x) ≈ 1/12x)
# all that is large cancels on paper instead:
#
#     (n−m+½)·ln(1−m/n) + m·ln((n−a)/n) − (n−a−m+½)·ln(1−m/(n−a)) + s(n−m) + s(n−a) − s(n) − s(n−a−m)
#
# where no term is above a few times m: that is how much rounding may weigh.  It is the same with a and m exchanged.

SERIES_FROM = 64
"""From here on three terms of the series for s(x) are as good as floats get."""

_LOG_FACTORIAL = gammaln(np.arange(1, 1025))
"""In small groups there are digits enough, and looking them up is quicker."""

_X = np.arange(SERIES_FROM)
_STIRLING_CONSTANT = np.log(2 * np.pi) / 2  # c
_STIRLING_REST = _LOG_FACTORIAL[_X] - (_X + 0.5) * np.log(np.maximum(_X, 1)) + _X - _STIRLING_CONSTANT  # 0! as 1!


def log_missing_all(n: Integers, a: Integers, m: int | Integers) -> Floats:
    """Give the logarithm of the probability that m of n people are none of a; whole numbers, a + m ≤ n, n > 0.

    >>> np.exp(log_missing_all(np.array([5, 5]), np.array([2, 4]), np.array([2, 1]))).round(9).tolist()
    [0.3, 0.2]
    """
    if np.max(n, initial=0) < len(_LOG_FACTORIAL):
        logs: Floats = _LOG_FACTORIAL[n - m] + _LOG_FACTORIAL[n - a] - _LOG_FACTORIAL[n] - _LOG_FACTORIAL[n - a - m]
        return logs
    more, fewer = np.maximum(a, m), np.minimum(a, m)  # rounding weighs a few times the smaller one
    others, rest = n - more, n - more - fewer
    others_or_one, rest_or_one = np.maximum(others, 1), np.maximum(rest, 1)  # 0! is 1!
    cancelled: Floats = (
        (n - fewer + 0.5) * np.log1p(-fewer / n)
        + fewer * np.log(others_or_one / n)
        - (rest + 0.5) * np.log1p((rest_or_one - others_or_one) / others_or_one)
        + (_stirling_rest(n - fewer) - _stirling_rest(n))
        + (_stirling_rest(others) - _stirling_rest(rest))
    )
    return cancelled


def _stirling_rest(x: Integers) -> Floats:
    """Give s(x), what Stirling's formula leaves out."""
    inverse = 1 / np.maximum(x, SERIES_FROM)
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square / 1260))
    return np.where(x < SERIES_FROM, _STIRLING_REST[np.minimum(x, SERIES_FROM - 1)], series)


# Numbers that decide: fractions as long as they are of a sensible length, else decimals of 60 digits.
#
# A probability such as (99999/100000)^100000 is a fraction of half a million digits: nobody reads it, and reducing it
# takes minutes.  Beyond `BITS_REPORTED` a risk is therefore a float rounded towards caution, as where logarithms make
# it irrational.

BITS_COMPARED = 1 << 17
"""How many bits fractions may have that are only compared (about 40,000 digits)."""

BITS_REPORTED = 14_000
"""How many bits fractions may have that are reported: what Python writes out (4,300 digits)."""

ROUNDING_ERROR = Decimal("1e-50")
"""Far more than rounding to 60 digits can have changed, relative."""


class RatioArithmetic(ABC, Generic[Number]):
    """Ratios of whole numbers, their products and powers."""

    @abstractmethod
    def ratio(self, over: int, under: int) -> Number:
        """Divide."""

    @abstractmethod
    def product(self, ratios: Iterable[tuple[int, int]]) -> Number:
        """Multiply many ratios."""

    @abstractmethod
    def risk(self, against: Number) -> Amount:
        """Turn odds against into a probability, 1 / (1 + odds): exact, or rounded up."""

    @abstractmethod
    def exceeds(self, against: Number, limit: Fraction) -> bool:
        """Decide whether odds against are above a limit; what cannot be told apart is not."""

    def precision(self) -> AbstractContextManager[object]:
        """Compute inside this."""
        return nullcontext()


class Fractions(RatioArithmetic[Fraction]):
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

    def exceeds(self, against: Fraction, limit: Fraction) -> bool:
        """Compare."""
        return against > limit


class Decimals(RatioArithmetic[Decimal]):
    """To 60 digits, errors on the side of caution."""

    def ratio(self, over: int, under: int) -> Decimal:
        """Divide to 60 digits."""
        return Decimal(over) / Decimal(under)

    def product(self, ratios: Iterable[tuple[int, int]]) -> Decimal:
        """Multiply one after the other."""
        return prod((Decimal(over) / Decimal(under) for over, under in ratios), start=Decimal(1))

    def risk(self, against: Decimal) -> float:
        """Round up."""
        return min(round_up((1 + ROUNDING_ERROR) * (1 / (1 + against))), 1.0)

    def exceeds(self, against: Decimal, limit: Fraction) -> bool:
        """Be sure of it."""
        return against * (1 - ROUNDING_ERROR) > Decimal(limit.numerator) / Decimal(limit.denominator)

    def precision(self) -> AbstractContextManager[Context]:
        """Set the 60 digits."""
        return localcontext(PRECISE)


FRACTIONS, DECIMALS = Fractions(), Decimals()


def compute_exactly(bits: int, most: int, compute: Callable[[RatioArithmetic[Any]], Result]) -> Result:
    """Compute in fractions where they have at most so many bits, else in decimals.

    >>> compute_exactly(10, BITS_REPORTED, lambda using: using.risk(using.ratio(1, 2)))
    Fraction(2, 3)
    >>> compute_exactly(20_000, BITS_REPORTED, lambda using: using.risk(using.ratio(1, 2)))
    0.6666666666666667
    """
    using: RatioArithmetic[Any] = FRACTIONS if bits <= most else DECIMALS
    with using.precision():
        return compute(using)
