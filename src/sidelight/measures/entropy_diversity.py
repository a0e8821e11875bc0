"""How many equally frequent values is the least diverse group worth?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd
from typing import ClassVar

import numpy as np

from sidelight.measures.exact import PRECISE, Floats, in_lowest_terms, log, rounded_down
from sidelight.measures.finding import Amount, Finding, Witness, in_words
from sidelight.measures.group_by_group import GroupByGroup, exact_shares
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.columns import Integers

TABLE_UP_TO = 1 << 16
"""Look c·ln c up for counts below this (half a megabyte, a seventh of the time of taking logarithms)."""

RATIONAL_WITHIN = Decimal(10) ** -40
"""An effective number farther than this from every fraction it could be is irrational (we have it to 10⁻⁵⁰)."""


@dataclass(frozen=True)
class EntropyDiversity(GroupByGroup):
    """How many equally frequent values is the least diverse group worth?

    exp(min_g H_g) with H_g = −Σ_x q ln q, q = the group's share of value x.  At least ℓ is entropy
    ℓ-diversity.  A `Fraction` where it is rational (three values equally often: exactly 3), otherwise a float
    rounded down.  Groups in which nobody has a value have no shares and are passed over.

    >>> release = Release.from_counts([{"a": 2, "b": 2, "c": 2}, {"a": 1, "b": 1, "c": 1, "d": 1}])
    >>> finding = EntropyDiversity().measure(release)
    >>> finding.value
    Fraction(3, 1)
    >>> print(finding.explain())
    The values in group 1 are as diverse as 3 equally frequent ones; no group's are less diverse.

    Source: Machanavajjhala et al., l-Diversity, ICDE 2006.
    """

    name: ClassVar[str] = "entropy diversity"
    large_is_bad: ClassVar[bool] = False
    limits = (1, float("inf"))
    when_groups_merge = Trend.NEVER_FALLS
    if_nothing_to_measure: ClassVar[Fraction] = Fraction(1)

    def scores(self, groups: Groups) -> Floats:
        """Give every group's effective number of values."""
        counts = groups.counts.dense()
        totals = counts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores: Floats = np.exp(np.log(totals) - _times_log(counts).sum(axis=1) / totals)
        return scores

    def alike(self, groups: Groups, rows: Integers) -> Integers:
        """Which values they are does not count, nor how many do not occur."""
        rising = np.sort(groups.counts.take(rows).dense(), axis=1)
        return in_lowest_terms(rising[:, int(rising.any(axis=0).argmax()) :])

    def exactly(self, groups: Groups, row: int) -> Amount:
        """Give one group's effective number of values."""
        return effective_number(groups.counts.row(row).tolist())

    def explain(self, finding: Finding) -> str:
        """Name the least diverse group."""
        if finding.witness is None:
            return "Nobody in the release has any value, so there is no diversity to measure."
        worth = (
            "1 value" if finding.value == 1 else f"{in_words(finding.value, large_is_bad=False)} equally frequent ones"
        )
        return f"The values in {finding.witness.group} are as diverse as {worth}; no group's are less diverse."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute exp(−Σ q ln q) from the group's shares q."""
        shares = [share for share in exact_shares(release, witness)[0].values() if share > 0]
        with localcontext(PRECISE):
            entropy = sum((-Decimal(q.numerator) / q.denominator * log(q) for q in shares), Decimal(0))
            return _settled(entropy.exp(), Counter(release.group(witness.group).counts.row(0).tolist()))


def _times_log(counts: Integers) -> Floats:
    """Give c·ln c for every count c, and 0 for none."""
    if counts.max(initial=0) < TABLE_UP_TO:
        return _times_log_of(np.arange(counts.max(initial=0) + 1))[counts]
    return _times_log_of(counts)


def _times_log_of(numbers: Integers) -> Floats:
    return np.multiply(numbers, np.log(np.maximum(numbers, 1)), dtype=np.float64)


def effective_number(counts: list[int]) -> Amount:
    """Give n / Π c^(c/n): exp of the entropy of counts c that add up to n.

    If it is a fraction a/b, then b ≤ n (because b^n divides Π c^c); so only a number that is as good as such a
    fraction needs a proof that it is one.

    >>> effective_number([2, 2, 2, 0]), effective_number([4, 1, 1, 1, 1]), effective_number([1, 2])
    (Fraction(3, 1), Fraction(4, 1), 1.8898815748423097)
    """
    shared = gcd(*counts)
    times = Counter(count // shared for count in counts if count > 0)
    total = sum(count * often for count, often in times.items())
    with localcontext(PRECISE):
        logs = sum((count * often * Decimal(count).ln() for count, often in times.items()), Decimal(0))
        number = (Decimal(total).ln() - logs / total).exp()
    return _settled(number, times)


def _settled(number: Decimal, times: Counter[int]) -> Amount:
    """Give the fraction that a number of 60 digits stands for, or, if it is irrational, a float not above it."""
    total = sum(count * often for count, often in times.items())
    fraction = Fraction(number).limit_denominator(total)
    if abs(Fraction(number) - fraction) < RATIONAL_WITHIN and _is_rational(times, total):
        return fraction
    return rounded_down(number)


def _is_rational(times: Counter[int], total: int) -> bool:
    """Say whether n^n / Π c^c is the n-th power of a fraction: whether every prime occurs a multiple of n times."""
    powers: Counter[int] = Counter()
    for count, often in times.items():
        for prime, power in _primes(count).items():
            powers[prime] += power * count * often
    return all(power % total == 0 for power in powers.values())


def _primes(number: int) -> Counter[int]:
    powers: Counter[int] = Counter()
    prime = 2
    while prime * prime <= number:
        while number % prime == 0:
            powers[prime] += 1
            number //= prime
        prime += 1
    if number > 1:
        powers[number] += 1
    return powers
