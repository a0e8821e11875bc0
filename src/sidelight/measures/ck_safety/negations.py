"""How sure can someone get who can rule out any k values?

The milder adversary of the paper: k facts "p does not have s".  All of them do most about the target itself, so no
program is needed; a group's statistic is how many have the value, and how many have none of those ruled out.

Source: Martin et al., Worst-case background knowledge, ICDE 2007, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sidelight._arrays import Integers
from sidelight._rounding import in_words
from sidelight.knowledge.facts import Fact, Has
from sidelight.knowledge.people import Someone
from sidelight.measures.ck_safety.implications import counts_of, either
from sidelight.measures.exact import Amount, Arithmetic, Numbers
from sidelight.measures.group_by_group import FormulaMeasure
from sidelight.measures.measure import Finding, Measure, Monotonicity, Witness, Worst, whole_amount
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label, shown
from sidelight.table.table import Semantics
from sidelight.worlds.closed_forms import probability_of_avoiding


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NegationsWitness(Witness):
    """What anyone of the group is known not to have: at most k values, fewer where the group has no more."""

    ruled_out: tuple[Label, ...]

    def as_facts(self) -> tuple[Fact, tuple[Fact, ...]]:
        """Say it as facts: the target, and what is known; `posterior` of these is the finding's value."""
        person = Someone(self.group.number)
        return Has(person, self.value), tuple(~Has(person, value) for value in self.ruled_out)


@dataclass(frozen=True)
class Negations(FormulaMeasure):
    """How sure can someone get of a person's value who knows any `k` facts "p does not have s"?

    The k facts do most when all are about the target and rule out the most frequent other values:

        max over groups g of  n_g(x₁) / (n_g − n_g(x₂) − … − n_g(x_{k+1}))

    and for one `value` σ, n_g(σ) over n_g less the k largest counts of other values.  This is what ℓ-diversity guards
    against: recursive (c,ℓ)-diversity (with "at most") is a risk of at most c/(c+1) for k = ℓ − 2.

    >>> hospital = Release.from_counts([
    ...     {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
    ...     {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1}])
    >>> finding = Negations(1).measure(hospital)
    >>> finding.value, finding.replay(hospital)
    (Fraction(2, 3), Fraction(2, 3))
    >>> print(finding.explain())  # doctest: +NORMALIZE_WHITESPACE
    In group 1 anyone, the target, could be shown to have Flu with probability 2/3 by someone who knows
    the target does not have Lung cancer.

    Source: Martin et al., Worst-case background knowledge, ICDE 2007, section 5; Machanavajjhala et al., l-Diversity.
    """

    k: int
    value: str | None = None

    name: ClassVar[str] = "negations"
    limits = (0, 1)
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)
    when_groups_merge = Monotonicity.NON_INCREASING

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_amount(self.name, "k", self.k))

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Any value and a given one, with no knowledge and with some."""
        one = next((value for value in domain if value is not None), None)
        return tuple(cls(k, value) for k in range(4) for value in dict.fromkeys((None, one)))

    def summarize(self, groups: Groups) -> Worst:
        """Keep the worst group."""
        worst = super().summarize(groups)
        return worst if worst.witness else Worst(self, why=f"nobody in the release has '{shown(self.value)}'")

    def statistic(self, groups: Groups) -> Integers:
        """Give, per group, how many have the value and how many have none of those ruled out."""
        largest = groups.counts.largest(min(self.k + 1, groups.counts.width))
        own = largest[:, 0] if self.value is None else groups.counts.column(groups.code_of(self.value))
        # the k largest others: without the last of k+1, or without the value itself where it is among them
        ruled_out = largest.sum(axis=1) - np.maximum(largest[:, -1], own)
        return np.column_stack((own, groups.sizes - ruled_out))

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """The one over the other; nothing to measure where nobody has the value."""
        del groups
        own, left = statistic.T
        return np.where(own > 0, arithmetic.ratio(own, left), np.nan)

    def witness(self, groups: Groups, row: int) -> NegationsWitness:
        """Say which value is left over when which are ruled out."""
        frequent = groups.counts.by_frequency(row)
        own = frequent[0] if self.value is None else groups.code_of(self.value)
        others = [place for place in frequent if place != own][: self.k]
        return NegationsWitness(
            groups.name(row), groups.domain[own], ruled_out=tuple(groups.domain[place] for place in others)
        )

    def explain(self, finding: Finding) -> str:
        """Say who could be shown to have what by someone who can rule out what."""
        if not isinstance(finding.witness, NegationsWitness):
            return f"Nobody in the release has {shown(self.value)}, so nobody can be shown to have it."
        where, value, others = finding.witness.group, shown(finding.witness.value), finding.witness.ruled_out
        probability = in_words(finding.value)
        if not others:
            return f"In {where} anyone has {value} with probability {probability}, as the release itself says."
        return (
            f"In {where} anyone, the target, could be shown to have {value} with probability {probability} "
            f"by someone who knows the target does not have {either(others)}."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds in which one person avoids the values, and those of them with the target's value."""
        assert isinstance(witness, NegationsWitness)
        counts = counts_of(release, witness.group.number)
        known = probability_of_avoiding(counts, [frozenset(witness.ruled_out)])
        return probability_of_avoiding(counts, [frozenset({*release.domain} - {witness.value})]) / known
