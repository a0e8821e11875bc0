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

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from sidelight.arrays import Floats, Integers
from sidelight.measures.exact import Number, RatioArithmetic
from sidelight.table.labels import Semantics

SETTLED = -np.inf
"""The logarithm of odds of zero."""


class Odds(ABC):
    """T and V of one semantics: logarithms for many groups at once (arrays that broadcast), exact numbers for one."""

    def weight(self, counts: npt.NDArray[np.integer], sizes: Integers) -> Floats | npt.NDArray[np.integer]:
        """Return what ruling out one value that so many people have weighs; weights add up."""
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
        self, n: int, a: int, ruled_out: tuple[int, ...], k: int, arithmetic: RatioArithmetic[Number]
    ) -> Number:
        """T; `ruled_out` are the counts of the values."""

    @abstractmethod
    def none_has(self, n: int, a: int, m: int, k: int, arithmetic: RatioArithmetic[Number]) -> Number:
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

    def none_has(self, n: int, a: int, m: int, k: int, arithmetic: RatioArithmetic[Number]) -> Number:
        if m and n - a - k - m < 0:
            return arithmetic.ratio(0, 1)
        # the product is the same with a and m exchanged: as few factors as possible
        fewer, more = sorted((a, m))
        return arithmetic.product((n - k - more - i, n - k - i) for i in range(fewer))

    def bits(self, n: int, a: int, *, ruled_out: tuple[int, ...] = (), m: int = 0) -> int:
        return n.bit_length() * (min(a, m) + len(ruled_out) + 1)


class Single(_DifferentHolders):
    """One value per person; the k others are known by their values."""

    def log_odds_against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """(n − a − t − k) / a, t = how many have a ruled-out value."""
        return _log(n - a - ruled_out - k) - np.log(a)

    def odds_against(
        self, n: int, a: int, ruled_out: tuple[int, ...], k: int, arithmetic: RatioArithmetic[Number]
    ) -> Number:
        return arithmetic.ratio(max(n - a - sum(ruled_out) - k, 0), a)


class SetOfValues(_DifferentHolders):
    """A set of values per person: each value goes to its people independently."""

    def weight(self, counts: npt.NDArray[np.integer], sizes: Integers) -> Floats:
        """Logarithm of (n − c)/n; a value that everybody has weighs without end."""
        return _log(sizes - counts) - np.log(sizes)

    def log_odds_against(self, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers) -> Floats:
        """(n − a − k) / a · Π (n − c)/n."""
        return _log(n - a - k) - np.log(a) + ruled_out

    def odds_against(
        self, n: int, a: int, ruled_out: tuple[int, ...], k: int, arithmetic: RatioArithmetic[Number]
    ) -> Number:
        # values that no one has rule out no one
        return arithmetic.product([(max(n - a - k, 0), a), *((n - count, n) for count in ruled_out if count)])


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
        # where it is settled any share will do: 0.5 keeps the logarithm finite until SETTLED replaces it
        settled = left - m <= 0
        family_share = np.where(settled, 0.5, m / np.maximum(left, 1))
        return np.where(np.equal(m, 0), 0.0, np.where(settled, SETTLED, a * np.log1p(-family_share)))

    def odds_against(
        self, n: int, a: int, ruled_out: tuple[int, ...], k: int, arithmetic: RatioArithmetic[Number]
    ) -> Number:
        if n - k <= 1:
            return arithmetic.ratio(0, 1)
        q = arithmetic.ratio(n - k - 1, n - k) ** a
        return q / (1 - q) * arithmetic.ratio(n - 1, n) ** sum(ruled_out)

    def none_has(self, n: int, a: int, m: int, k: int, arithmetic: RatioArithmetic[Number]) -> Number:
        if m == 0:
            return arithmetic.ratio(1, 1)
        return arithmetic.ratio(max(n - k - m, 0), max(n - k, 1)) ** a

    def bits(self, n: int, a: int, *, ruled_out: tuple[int, ...] = (), m: int = 0) -> int:
        return n.bit_length() * (a + sum(ruled_out) + (a if m else 0))


ODDS: dict[Semantics, Odds] = {"single": Single(), "set": SetOfValues(), "multiset": MultisetOfValues()}


def _log(amount: Floats | Integers) -> Floats:
    """Return the logarithm where there is one; nothing left, or less, means settled."""
    logs: Floats = np.log(amount, out=np.full(np.shape(amount), SETTLED), where=np.asarray(amount) > 0)
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


def _tabulate_stirling_rest(x: Integers) -> Floats:
    rest: Floats = _LOG_FACTORIAL[x] - (x + 0.5) * np.log(np.maximum(x, 1)) + x - np.log(2 * np.pi) / 2  # 0! as 1!
    return rest


_STIRLING_REST = _tabulate_stirling_rest(np.arange(SERIES_FROM))


def log_missing_all(n: Integers, a: Integers, m: int | Integers) -> Floats:
    """Return the logarithm of the probability that m of n people are none of a; whole numbers, a + m ≤ n, n > 0."""
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
    """Return s(x), what Stirling's formula leaves out."""
    inverse = 1 / np.maximum(x, SERIES_FROM)
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square / 1260))
    # as a rule all numbers are large, and the table is not needed
    if np.min(x, initial=SERIES_FROM) >= SERIES_FROM:
        return np.asarray(series)
    return np.where(x < SERIES_FROM, _STIRLING_REST[np.minimum(x, SERIES_FROM - 1)], series)
