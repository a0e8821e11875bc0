"""How small is the smallest group (equivalence class), and how few different values does a group have?

k-anonymity: the statistic of a group is its size n_g, and its value is that number itself. ℓ-diversity: three ways to
count values, each the worst over the groups g with counts n_g(x): the different ones (distinct ℓ-diversity), the
effective number exp H_g (entropy ℓ-diversity), and how far the most frequent outweighs the rarer ones (recursive (c,
ℓ)-diversity).  The first and the last are ratios of whole numbers; the effective number n / Π c^(c/n) is mostly
irrational, and the end of this file decides when it is not.  With `apart_from`, all three are of the other values
alone, and groups where only those left out occur are skipped.

Source: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, l-Diversity, ICDE 2006.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.arrays import Integers, reduce_fractions
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.group_by_group import FormulaMeasure, exact_shares
from sidelight.measures.measure import Attacker, Measure, Monotonicity, whole
from sidelight.measures.targets import Targeted, drop_values
from sidelight.rounding import PRECISE, in_words, log, round_down
from sidelight.table.labels import Label, shown

if TYPE_CHECKING:
    from sidelight.measures.exact import Arithmetic, Numbers
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release


@dataclass(frozen=True)
class GroupSize(FormulaMeasure):
    """How small is the smallest group of people who look alike?

    min_g n_g, in people.  At least k is k-anonymity: it keeps a person from being found, and says nothing
    about what the group reveals.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}])
    >>> finding = GroupSize().measure(release)
    >>> finding.value, finding.witness.group.number
    (Fraction(2, 1), 2)
    >>> print(finding.explain())
    In group 2, 2 people stand for one another; no group is smaller.

    Source: Samarati and Sweeney, Protecting Privacy when Disclosing Information, 1998.
    """

    name: ClassVar[str] = "group size"
    attacker = Attacker.of_person("fewest people who look alike")
    sparse_statistic: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    also_called = ("k-anonymity", "anonymity", "minimum cell count", "threshold rule")
    large_is_bad: ClassVar[bool] = False
    whole_numbers: ClassVar[bool] = True
    scale_free: ClassVar[bool] = False
    limits = (1, float("inf"))
    when_groups_merge = Monotonicity.NON_DECREASING

    def statistic(self, groups: Groups) -> Integers:
        # (groups, 1): the size alone decides
        return groups.sizes[:, np.newaxis]

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        return statistic[:, 0]

    def explain(self, finding: Finding) -> str:
        assert finding.witness is not None
        several = f"{in_words(finding.value)} people stand for one another"
        people = "1 person stands alone" if finding.value == 1 else several
        return f"In {finding.witness.group}, {people}; no group is smaller."

    def replay(self, witness: Witness, release: Release) -> Amount:
        return Fraction(int(release.group(witness.group).sizes[0]))


NO_VALUES = "Nobody in the release has any value, so there is no diversity to measure."


@dataclass(frozen=True)
class DistinctValues(Targeted, FormulaMeasure):
    """How many different values does the group with the fewest of them have?

    min_g |{x : n_g(x) > 0}|.  At least ℓ is distinct ℓ-diversity: an attacker who rules out ℓ − 2 values still has two
    to choose from, however unlike their frequencies.  In a group in which nobody has a value it is 0.  Values
    in `apart_from` mean nothing ("Not in universe") and are not counted; a group of nothing else is passed over.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 3}])
    >>> finding = DistinctValues().measure(release)
    >>> finding.value, finding.witness.group.number
    (Fraction(1, 1), 2)
    >>> print(finding.explain())
    Only one value occurs in group 2: whoever finds somebody there who has any knows it.

    Source: Machanavajjhala et al., l-Diversity, ICDE 2006.
    """

    name: ClassVar[str] = "distinct values"
    sparse_statistic: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    attacker = Attacker.of_person("fewest different values that such people have")
    also_called = ("l-diversity", "ℓ-diversity", "diversity", "distinct l-diversity")
    large_is_bad: ClassVar[bool] = False
    whole_numbers: ClassVar[bool] = True
    scale_free: ClassVar[bool] = False
    limits = (1, float("inf"))
    when_groups_merge = Monotonicity.NON_DECREASING

    def statistic(self, groups: Groups) -> Integers:
        """Count the different values of every group, with and without those that mean nothing."""
        others = drop_values(groups, self.apart_from)
        return np.column_stack((others.counts.occurring_per_row(), groups.counts.occurring_per_row()))

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """The number of values in question; nan where a group has only others."""
        others, every = statistic.T
        return others if not self.apart_from else np.where((others > 0) | (every == 0), others, np.nan)

    def explain(self, finding: Finding) -> str:
        if finding.witness is None:
            return NO_VALUES
        where = finding.witness.group
        if finding.value == 0:
            return f"Nobody in {where} has any value: whoever finds a person there knows that."
        if finding.value == 1 and self.apart_from:
            return (
                f"Only one value occurs in {where}, {self.left_out_in_words}: whoever has another there has that one."
            )
        if finding.value == 1:
            return f"Only one value occurs in {where}: whoever finds somebody there who has any knows it."
        beside = f", {self.left_out_in_words}" if self.apart_from else ""
        return f"The people in {where} have {in_words(finding.value)} different values{beside}; no group has fewer."

    def replay(self, witness: Witness, release: Release) -> Amount:
        counts = release.group(witness.group).value_counts(0)
        return Fraction(sum(1 for value in counts if value not in self.apart_from))


@dataclass(frozen=True)
class EntropyDiversity(Targeted, FormulaMeasure):
    """How many equally frequent values is the least diverse group worth?

    exp(min_g H_g) with H_g = −Σ_x q ln q, q = the group's share of value x.  At least ℓ is entropy
    ℓ-diversity.  A `Fraction` where it is rational (three values equally often: exactly 3), otherwise a float
    rounded down.  Groups in which nobody has a value have no shares and are passed over.  With `apart_from` it is
    of the other values alone, and their shares q are those among the people who have one of them.

    >>> release = Release.from_counts([{"a": 2, "b": 2, "c": 2}, {"a": 1, "b": 1, "c": 1, "d": 1}])
    >>> finding = EntropyDiversity().measure(release)
    >>> finding.value
    Fraction(3, 1)
    >>> print(finding.explain())
    The values in group 1 are as diverse as 3 equally frequent ones; no group's are less diverse.

    Source: Machanavajjhala et al., l-Diversity, ICDE 2006.
    """

    name: ClassVar[str] = "entropy diversity"
    sparse_statistic: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    attacker = Attacker.of_person("how many equally likely values are left, at least")
    also_called = ("l-diversity", "ℓ-diversity", "diversity", "entropy l-diversity")
    large_is_bad: ClassVar[bool] = False
    limits = (1, float("inf"))
    when_groups_merge = Monotonicity.NON_DECREASING
    if_nothing_to_measure: ClassVar[Fraction] = Fraction(1)

    def statistic(self, groups: Groups) -> Integers:
        return drop_values(groups, self.apart_from).counts.packed()

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """Exp H = n / Π c^(c/n) for counts c that add up to n, by logarithms."""
        totals = statistic.sum(axis=1)
        return arithmetic.exp(arithmetic.log(totals) - arithmetic.times_log(statistic).sum(axis=1) / totals)

    def canonical(self, statistic: Integers) -> Integers:
        # sorted: counts decide, whichever values have them; columns of zeros come first and are cut off
        rising = np.sort(statistic, axis=1)
        return reduce_fractions(rising[:, int(rising.any(axis=0).argmax()) :])

    def settle(self, number: Fraction | Decimal | int, statistic: list[int]) -> Amount:
        assert isinstance(number, Decimal)
        return fraction_or_float(number, statistic)

    def explain(self, finding: Finding) -> str:
        if finding.witness is None:
            return NO_VALUES
        several = f"{in_words(finding.value, large_is_bad=False)} equally frequent ones"
        worth = "1 value" if finding.value == 1 else several
        beside = f", {self.left_out_in_words}," if self.apart_from else ""
        return f"The values in {finding.witness.group}{beside} are as diverse as {worth}; no group's are less diverse."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute exp(−Σ q ln q) from the group's shares q."""
        groups = drop_values(release.groups, self.apart_from)
        shares = [share for share in exact_shares(groups, witness)[0].values() if share > 0]
        with localcontext(PRECISE):
            entropy = sum((-Decimal(q.numerator) / q.denominator * log(q) for q in shares), Decimal(0))
            return fraction_or_float(entropy.exp(), groups.counts.row(witness.group.number - 1).tolist())


@dataclass(frozen=True)
class RecursiveDiversity(Targeted, FormulaMeasure):
    """How far does the most frequent value of a group outweigh its rarer ones?

    The smallest c with n_g(x₁) ≤ c·(n_g(x_ℓ) + n_g(x_{ℓ+1}) + …) in all groups g, x₁, x₂, … their values by
    falling frequency; infinite when a group has fewer than ℓ values.  Recursive (c, ℓ)-diversity asks it to be
    below c: then the most frequent value stays uncertain to an attacker who rules out ℓ − 2 others.
    Groups in which nobody has a value are passed over.  With `apart_from`, x₁, x₂, … are the other values alone.

    >>> release = Release.from_counts([{"Flu": 4, "Cold": 3, "Ulcer": 1, "HIV": 1}, {"Flu": 1, "Cold": 1, "Ulcer": 1}])
    >>> finding = RecursiveDiversity(l=3).measure(release)
    >>> finding.value, finding.witness.value
    (Fraction(2, 1), 'Flu')
    >>> print(finding.explain())
    In group 1, 'Flu' occurs 2 times as often as all values from the 3rd most frequent on together.

    Source: Machanavajjhala et al., l-Diversity, ICDE 2006.
    """

    l: int = field(default=3, metadata=whole(least=1))  # noqa: E741 - the ℓ of ℓ-diversity

    name: ClassVar[str] = "recursive diversity"
    sparse_statistic: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    attacker = Attacker.of_person("how far the commonest value stands out")
    also_called = ("l-diversity", "ℓ-diversity", "diversity", "recursive l-diversity")
    when_groups_merge = Monotonicity.NON_INCREASING
    more_is_worse = ("l",)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        every = tuple(cls(l=number) for number in range(1, len(domain) + 2))
        return (*every, *(cls(l=2, apart_from=domain[:1]) for _ in domain[1:2]))

    def share_at(self, limit: Fraction) -> Fraction | None:
        """With ℓ = 2, n₁ ≤ c·(n − n₁) is a share of c/(1 + c); with ℓ = 1, n₁ ≤ c·n."""
        return self.belief_at(limit) if self.l <= 2 else None

    def belief_at(self, limit: Fraction) -> Fraction | None:
        """For ℓ ≥ 2, n₁ ≤ c·(n_ℓ + …) ≤ c·(n − n₁)."""
        if not self.targets.every_value:
            return None
        return limit if self.l == 1 else limit / (1 + limit)

    def statistic(self, groups: Groups) -> Integers:
        """Return every group's largest count, and the sum of those from the ℓ-th largest on."""
        # x₁ is in the last column, and all but the ℓ − 1 last ones are x_ℓ, x_{ℓ+1}, …
        rising = np.sort(drop_values(groups, self.apart_from).counts.packed(), axis=1)
        rarer = rising[:, : max(rising.shape[1] - self.l + 1, 0)]
        return np.column_stack((rising[:, -1:].sum(axis=1), rarer.sum(axis=1)))

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        return arithmetic.ratio(statistic[:, 0], statistic[:, 1])

    def witness(self, groups: Groups, row: int) -> Witness:
        groups = drop_values(groups, self.apart_from)
        return Witness(groups.name(row), groups.domain[groups.counts.sort_by_frequency(row)[0]])

    def explain(self, finding: Finding) -> str:
        if finding.witness is None:
            return NO_VALUES
        where, value = finding.witness.group, shown(finding.witness.value)
        if finding.value == math.inf:
            beside = f" {self.left_out_in_words}" if self.apart_from else ""
            fewer = f"fewer than {self.l} different values{beside}"
            return f"In {where} there are {fewer}, '{value}' the most frequent of them."
        rest = "all values" if self.l == 1 else f"all values from the {_ordinal(self.l)} most frequent on"
        rest += f" ({self.left_out_in_words})" if self.apart_from else ""
        return f"In {where}, '{value}' occurs {in_words(finding.value)} times as often as {rest} together."

    def replay(self, witness: Witness, release: Release) -> Amount:
        counts = release.group(witness.group).value_counts(0)
        falling = sorted((many for text, many in counts.items() if text not in self.apart_from), reverse=True)
        tail = sum(falling[self.l - 1 :])
        return Fraction(counts[witness.value], tail) if tail else math.inf


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


def fraction_or_float(number: Decimal, counts: list[int]) -> Amount:
    """Return the fraction that exp H of these counts (to 60 digits) stands for or, if irrational, a float not above it.

    If n / Π c^(c/n) is a fraction a/b, then b ≤ n (because b^n divides Π c^c); so only a number that is as good as
    such a fraction needs a proof that it is one.
    """
    # by count, as groups with many values have few different counts
    times = Counter(count for count in counts if count > 0)
    total = sum(count * often for count, often in times.items())
    # b ≤ n: the nearest fraction with such a denominator is the only one that it can be
    fraction = Fraction(number).limit_denominator(total)
    # we have the number to 10⁻⁵⁰: farther than this from every fraction that it could be it is irrational
    if abs(Fraction(number) - fraction) >= Fraction(1, 10**40):
        return round_down(number)
    # n^n / Π c^c is the n-th power of a fraction where every prime occurs a multiple of n times; n^n is one itself
    powers: Counter[int] = Counter()
    for count, often in times.items():
        for prime, power in _primes(count).items():
            powers[prime] += power * count * often
    return fraction if all(power % total == 0 for power in powers.values()) else round_down(number)


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
