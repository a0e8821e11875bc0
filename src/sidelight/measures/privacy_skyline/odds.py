"""How do a few facts about one group change the odds?  The three semantics, in floats and exactly.

Of a group with n people, of whom a have σ (or a occurrences of it), when k others of the group are known not to
have it:

    against = T(n, a, ruled out, k): odds against the target having σ, after values were ruled out
    none    = V(n, a, m, k): probability that none of m further people has σ

Zero means that the knowledge settles it.  Groups without σ (a = 0) never matter and are not asked about.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from sidelight.measures.exact import Floats
from sidelight.measures.privacy_skyline.exact import Arithmetic, Number
from sidelight.measures.privacy_skyline.falling import log_missing_all
from sidelight.table.columns import Integers
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
