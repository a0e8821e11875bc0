"""How many equally frequent values is the least diverse group worth?"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import ClassVar

import numpy as np

from sidelight.measures.exact import PRECISE, rounded_down, worst_row
from sidelight.measures.finding import Amount, Finding, Witness, in_words
from sidelight.measures.measure import Measure, Worst
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release


@dataclass(frozen=True)
class EntropyDiversity(Measure):
    """How many equally frequent values is the least diverse group worth?

    exp(min_g H_g) with H_g = −Σ_x q ln q, q = the group's share of value x.  At least ℓ is entropy
    ℓ-diversity.  A `Fraction` where it is rational (three values equally often: exactly 3), otherwise a float
    rounded down.  Groups in which nobody has a value have no shares and are passed over.

    >>> release = Release.from_counts([{"a": 2, "b": 2, "c": 2}, {"a": 1, "b": 1, "c": 1, "d": 1}])
    >>> EntropyDiversity().measure(release).value
    Fraction(3, 1)

    Source: Machanavajjhala et al., l-Diversity, ICDE 2006.
    """

    name: ClassVar[str] = "entropy diversity"
    large_is_bad: ClassVar[bool] = False
    limits = (1, float("inf"))
    when_groups_merge = Trend.NEVER_FALLS

    def summarize(self, groups: Groups) -> Worst:
        """Keep the group of least entropy."""
        counts = groups.counts.dense()
        total = counts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(counts > 0, counts * np.log(counts), 0.0).sum(axis=1)
            entropy = np.where(total > 0, np.log(total) - logs / total, np.nan)
        # entropy, not its exponential, would lose relative precision near 0; shift it away from there
        found = worst_row(
            1 + entropy,
            large_is_bad=False,
            alike=np.sort(counts, axis=1),
            exactly=lambda row: effective_number(counts[row].tolist()),
        )
        if found is None:
            return Worst(self, otherwise=1)
        row, value = found
        return Worst(self, value, Witness(groups.name(row)))

    def explain(self, finding: Finding) -> str:
        """Name the least diverse group."""
        where = finding.witness.group if finding.witness else "the release"
        return f"The values in {where} are as diverse as {in_words(finding.value)} equally frequent ones."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute it from the group's counts by the definition."""
        return effective_number(release.group(witness.group).counts.row(0).tolist())


def effective_number(counts: list[int]) -> Amount:
    """Give n / Π c^(c/n): exp of the entropy of counts c that add up to n.

    It is rational just when in n^n / Π c^c every prime occurs a multiple of n times.

    >>> effective_number([1, 1, 1, 0]), effective_number([1, 2])
    (Fraction(3, 1), 1.8898815748423097)
    """
    positive = [count for count in counts if count > 0]
    total = sum(positive)
    powers: dict[int, int] = dict.fromkeys(_primes(total), 0)
    for base, times in [(total, total), *((count, -count) for count in positive)]:
        for prime, power in _primes(base).items():
            powers[prime] = powers.get(prime, 0) + power * times
    if all(power % total == 0 for power in powers.values()):
        return Fraction(prod(Fraction(prime) ** (power // total) for prime, power in powers.items()))
    logs = sum((Decimal(count) * PRECISE.ln(Decimal(count)) for count in positive), Decimal(0))
    return rounded_down(PRECISE.exp(PRECISE.subtract(PRECISE.ln(Decimal(total)), PRECISE.divide(logs, Decimal(total)))))


def _primes(number: int) -> dict[int, int]:
    powers: dict[int, int] = {}
    prime = 2
    while prime * prime <= number:
        while number % prime == 0:
            powers[prime] = powers.get(prime, 0) + 1
            number //= prime
        prime += 1
    if number > 1:
        powers[number] = powers.get(number, 0) + 1
    return powers
