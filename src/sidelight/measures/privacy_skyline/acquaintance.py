"""How sure can someone get who knows something about the target, about others, and about the target's family?

The measure, its summary for audits and its screen for searches.  Both stand on `five_minima.log_products`: the summary
keeps the five minima of each value with their groups, the screen keeps the five logarithms of each group and value.
`replay` goes another way: it counts the worlds that fit the witness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from sidelight._arrays import Floats, Integers
from sidelight.errors import BadMeasure
from sidelight.measures.exact import BITS_REPORTED, Amount, RatioArithmetic, compute_exactly
from sidelight.measures.measure import Finding, Measure, Monotonicity, Witness, whole_amount
from sidelight.measures.privacy_skyline.five_minima import (
    FiveMinima,
    Knowledge,
    ValueInGroup,
    least_product,
    log_products,
    ruled_out_weights,
    tolerance,
)
from sidelight.measures.privacy_skyline.witness import AcquaintanceWitness, worst_investigation
from sidelight.measures.screening import Screen
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import CELLS_AT_ONCE, Semantics
from sidelight.worlds.brute_force import has_few_worlds, investigation_probability
from sidelight.worlds.closed_forms import Investigation, odds

FEW_WORLDS = 2_000
"""Up to so many worlds are gone through one by one when a witness is replayed."""


@dataclass(frozen=True)
class Acquaintance(Measure):
    """How sure can someone get who knows this much about the target, about others, and about the target's family?

    Of at most ℓ = `rules_out` values she knows that the target does not have them, of k = `others` other people
    their values, of m = `family` people that, if one of them has the value, so has the target.  The worst over all
    targets, people and values; max Pr(t has σ | knowledge) = 1/(1+NR).  With `value`, for that σ alone; else the
    worst over all values `apart_from` those named.  Where a person may have several values, she knows "if the target
    has x, then σ" of ℓ values, and of k others that they do not have σ.

    >>> hospital = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}, {"Flu": 1, "Cold": 3}])
    >>> finding = Acquaintance(rules_out=1).measure(hospital)
    >>> finding.value
    Fraction(1, 1)
    >>> print(Acquaintance(rules_out=1, value="Heart disease").measure(hospital).explain())
    In group 1 anyone, the target, could be shown to have Heart disease with probability 1/3 by someone who knows that \
the target does not have Flu.

    Source: Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007.
    """

    rules_out: int = 0
    others: int = 0
    family: int = 0
    value: Label = None
    apart_from: tuple[Label, ...] = ()

    name: ClassVar[str] = "acquaintance"
    also_called = ("privacy skyline",)
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING

    def __post_init__(self) -> None:
        for each in ("rules_out", "others", "family"):
            object.__setattr__(self, each, whole_amount(self.name, each, getattr(self, each)))
        if self.value is not None and self.apart_from:
            message = "'acquaintance' has both value= and apart_from=; give one of them"
            raise BadMeasure(message)
        object.__setattr__(self, "value", label(self.value))
        object.__setattr__(self, "apart_from", tuple(label(each) for each in self.apart_from))

    def monotonicity(self, semantics: Semantics) -> Monotonicity:
        """Never rises in `single`; where people have several values, merging may help an attacker."""
        return self.when_groups_merge if semantics == "single" else Monotonicity.UNKNOWN

    def summarize(self, groups: Groups) -> AcquaintanceSummary:
        """Keep the five minima of each value in question."""
        return AcquaintanceSummary(self, FiveMinima.of(groups, self._values(groups), self._knowledge))

    def measure(self, release: Release) -> Finding:
        """Answer for a release."""
        self.check(release)
        summaries = (self.summarize(block) for block in self._blocks(release.groups))
        return reduce(AcquaintanceSummary.merge, summaries).finding()

    def screen(self) -> AcquaintanceScreen:
        """The five logarithms of each group and value."""
        return AcquaintanceScreen(self._knowledge, self._values)

    def explain(self, finding: Finding) -> str:
        """Tell the worst investigation."""
        if not isinstance(finding.witness, AcquaintanceWitness):
            return "Nobody can be shown to have it: " + "; ".join(finding.notes) + "."
        return finding.witness.explain(finding.value)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds that fit what the witness knows: one by one when few, by closed forms when many."""
        assert isinstance(witness, AcquaintanceWitness)
        facts = witness.investigation
        # where worlds are few, nothing of the closed forms is used
        if has_few_worlds(release, facts, FEW_WORLDS):
            return investigation_probability(release, facts)

        def risk(arithmetic: RatioArithmetic[Any]) -> Amount:
            has, lacks = odds(release, facts, arithmetic.ratio)
            return arithmetic.risk(lacks / has) if has else Fraction(0)

        return compute_exactly(self._bits(facts, release), BITS_REPORTED, risk)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Knowledge in each direction and in all, of one value, of all, and of all but one."""
        one = next((text for text in domain if text is not None), None)
        return (
            cls(rules_out=1),
            cls(others=2, value=one),
            cls(rules_out=1, others=1, family=1),
            cls(others=1, family=2, apart_from=domain[:1]),
        )

    def _blocks(self, groups: Groups) -> Iterator[Groups]:
        """Cut sparse counts only by what is kept of them, the ℓ+1 largest of each group: they are never spread out."""
        if groups.counts.cells is not None:
            yield from groups.blocks()
            return
        step = CELLS_AT_ONCE // (min(self.rules_out, groups.counts.width) + 1) + 1
        for start in range(0, len(groups), step):
            yield groups.take(slice(start, start + step))

    @property
    def _knowledge(self) -> Knowledge:
        return Knowledge(self.rules_out, self.others, self.family)

    def _values(self, groups: Groups) -> Integers:
        """List the values in question, as places in the domain."""
        if self.value is not None:
            return np.array([groups.code_of(self.value)])
        apart = {groups.code_of(text) for text in self.apart_from}
        return np.array([place for place in range(len(groups.domain)) if place not in apart], np.int64)

    def _bits(self, facts: Investigation, release: Release) -> int:
        """Estimate how many bits the odds have as a fraction."""
        value = release.groups.code_of(facts.value)
        numbers = {facts.group, facts.family.group if facts.family else facts.group}
        places = [ValueInGroup.at(release.group(number), 0, value, self.rules_out) for number in numbers]
        return sum(each.bits(self.family) for each in places)


@dataclass(frozen=True, eq=False, slots=True)
class AcquaintanceSummary:
    """The five minima of each value in question."""

    measure: Measure
    minima: FiveMinima

    def merge(self, other: AcquaintanceSummary) -> AcquaintanceSummary:
        """Combine with the summary of other groups of the same release."""
        return AcquaintanceSummary(self.measure, self.minima.merge(other.minima))

    def finding(self) -> Finding:
        """Report the worst value; of equally bad ones the first in the domain."""
        worst = self.minima.worst()
        if worst is None:
            return Finding(self.measure, Fraction(0), None, (self._nobody(),))
        witness = worst_investigation(self.minima, worst.column, worst.arrangement)
        return Finding(self.measure, worst.risk, witness)

    def _nobody(self) -> str:
        values = [shown(self.minima.domain[place]) for place in self.minima.values.tolist()]
        if len(values) == 1:
            return f"nobody in the release has '{values[0]}'"
        return "nobody has any of the values asked about"


ABSENT = (np.inf, np.inf, 0.0, np.inf, 0.0)
"""The five logarithms where nobody has the value: T = ∞, V = 1."""


@dataclass(frozen=True)
class AcquaintanceScreen(Screen):
    """Five logarithms of odds per value in question; the smallest of each decide."""

    knowledge: Knowledge
    values: Callable[[Groups], Integers]

    @property
    def group_by_group(self) -> bool:
        """When nothing is known about other people, other groups do not matter."""
        return self.knowledge.others == 0 and self.knowledge.family == 0

    def of(self, groups: Groups) -> Floats:
        """Give each group its logarithms."""
        counts = groups.counts.dense()[:, self.values(groups)]
        weights = ruled_out_weights(groups, counts, self.knowledge.rules_out)
        # where nobody has the value, one in its place keeps the logarithms finite until ABSENT replaces them
        sizes, at_least_one = groups.sizes[:, np.newaxis], np.maximum(counts, 1)
        products = log_products(groups.semantics, sizes, at_least_one, weights, self.knowledge)
        return np.hstack([np.where(counts > 0, logs, absent) for logs, absent in zip(products, ABSENT, strict=True)])

    def slack(self, people: int) -> float:
        """As much as logarithms may be off; a value, between 0 and 1, is off by a quarter of that at most."""
        return float(tolerance(0.0, min(self.knowledge.family, people)))

    def kinds(self, groups: Groups) -> Integers:
        """The size and all counts; where every value is in question, which is which does not matter."""
        counts = groups.counts.dense()
        every = len(self.values(groups)) == counts.shape[1]
        return np.column_stack((groups.sizes, np.sort(counts, axis=1) if every else counts))

    def join(self, one: Floats, other: Floats) -> Floats:
        """Keep the smaller ones."""
        return np.minimum(one, other)

    def value(self, rows: Floats) -> Floats:
        """Give 1/(1+NR) for the value with the least odds against it."""
        minima = rows.reshape(len(rows), len(ABSENT), -1).swapaxes(0, 1)
        risk: Floats = 1 / (1 + np.exp(least_product(minima).min(axis=1, initial=np.inf)))
        return risk
