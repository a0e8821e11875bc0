"""How sure can someone get who can rule out any k values?

The milder adversary of the paper: k facts "p does not have s".  All of them do most about the target itself, so no
program is needed; a group's statistic is how many have the value, and how many have none of those ruled out.

Where a person may have several values, what the target lacks says nothing about her other values, which are independent
of it; the k facts do most when they say of k others of the group that they do not have the target's own:

    set        m / (n − k)                           at most 1
    multiset   1 − ((n − k − 1)/(n − k))^m           1 where k others leave one person alone

Source: Martin et al., Worst-case background knowledge, ICDE 2007, section 5; several values are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sidelight.arrays import Integers
from sidelight.errors import BadMeasure
from sidelight.knowledge.facts import Fact, Has, OneOf
from sidelight.knowledge.people import Someone
from sidelight.measures.attacker import ROW, Attacker, amount_in
from sidelight.measures.ck_safety.implications import KnownFacts, counts_of, either, no_facts_about, nobody_shown
from sidelight.measures.exact import (
    BITS_REPORTED,
    FRACTIONS,
    Amount,
    Arithmetic,
    Number,
    Numbers,
    RatioArithmetic,
    compute_exactly,
)
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.group_by_group import FormulaMeasure
from sidelight.measures.measure import Worst
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.rounding import in_words
from sidelight.table.labels import Label, Semantics, shown
from sidelight.text import counted
from sidelight.worlds.closed_forms import Investigation, Others, odds, probability_of_avoiding


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NegationsWitness(Witness):
    """What anyone of the group is known not to have: at most k values, fewer where the group has no more.

    Where a person may have several values, instead how many others are known not to have the target's.
    """

    ruled_out: tuple[Label, ...]
    others: int = 0
    any_of: tuple[Label, ...] = ()  # where `value` is a category: the values of it
    semantics: Semantics = "single"

    def as_facts(self) -> tuple[Fact, tuple[Fact, ...]]:
        """Return it as facts: the target, and what is known; `posterior` of these is the finding's value."""
        if self.any_of and self.semantics == "set":
            raise BadMeasure(no_facts_about(self.value))
        person = Someone(self.group.number)
        lacking = [~self._has(Someone(self.group.number, 2 + other)) for other in range(self.others)]
        return self._has(person), (*(~Has(person, value) for value in self.ruled_out), *lacking)

    def _has(self, person: Someone) -> Fact:
        return OneOf(person, self.any_of) if self.any_of else Has(person, self.value)


@dataclass(frozen=True)
class Negations(KnownFacts, FormulaMeasure):
    """How sure can someone get of a person's value who knows any `k` facts "p does not have s"?

    The k facts do most when all are about the target and rule out the most frequent other values:

        max over groups g of  n_g(x₁) / (n_g − n_g(x₂) − … − n_g(x_{k+1}))

    and for one `value` σ (or any of several, or the most frequent one `apart_from` some), n_g(σ) over n_g less the k
    largest counts of other values.  This is what ℓ-diversity guards
    against: recursive (c,ℓ)-diversity (with "at most") is a risk of at most c/(c+1) for k = ℓ − 2.  Where people have
    several values, the k facts are about k others of the group, who do not have σ.

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

    name: ClassVar[str] = "negations"
    attacker = Attacker(
        "somebody who can rule values out",
        lambda settings: f"{ROW}; and any {counted(amount_in(settings, 'k'), 'value')} that the person does not have",
        "how sure somebody who rules values out could become",
        "facts",
    )

    def summarize(self, groups: Groups) -> Worst:
        return replace(super().summarize(groups), why=self.targets.nobody())

    def notes(self, groups: Groups) -> tuple[str, ...]:
        """Return which values of a category do not occur."""
        return self.targets.notes(groups.domain)

    def statistic(self, groups: Groups) -> Integers:
        """Return, per group, how many have the value and how many have none of those ruled out."""
        groups = self.targets.view(groups)
        if groups.semantics != "single":
            return self._statistic_of_several(groups)
        largest = groups.counts.largest(min(self.k + 1, groups.counts.width))
        own = largest[:, 0] if self.targets.every_value else groups.counts.highest(self.targets.indices(groups))
        # the k largest others: without the last of k+1, or without the value itself where it is among them
        ruled_out = largest.sum(axis=1) - np.maximum(largest[:, -1], own)
        return np.column_stack((own, groups.sizes - ruled_out))

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """The one over the other; nothing to measure where nobody has the value."""
        own, left = statistic.T[:2]
        risks = arithmetic.ratio(own, left)
        if groups.semantics == "multiset":
            # each of `own` occurrences is with any of `left` people, independently of the others
            risks = 1 - arithmetic.ratio(left - 1, left) ** own
        return np.where(own > 0, risks, np.nan)

    def _statistic_of_several(self, groups: Groups) -> Integers:
        """Return how often the value occurs, and among how many people who may have it."""
        own = groups.counts.highest(self.targets.indices(groups))
        if groups.semantics == "set":
            # as many people as have the value remain: none of them is known to lack it
            return np.column_stack((own, np.maximum(groups.sizes - self.k, np.maximum(own, 1))))
        # a column of ones, because the value does change when both numbers are k times as large
        return np.column_stack((own, np.maximum(groups.sizes - self.k, 1), np.ones_like(own)))

    def exact_values(self, statistic: Integers, groups: Groups) -> Sequence[Amount]:
        """In a multiset by powers that may be long."""
        if groups.semantics != "multiset":
            return super().exact_values(statistic, groups)
        return [_chance_of_any(own, left) for own, left, _ in statistic.tolist()]

    def witness(self, groups: Groups, row: int) -> NegationsWitness:
        """Return which value is left over when which are ruled out."""
        seen, members = self.targets.view(groups), self.targets.members(groups.domain)
        frequent, places = seen.counts.sort_by_frequency(row), self.targets.indices(seen).tolist()
        own = next(place for place in frequent if place in places)
        if seen.semantics != "single":
            size, count = int(seen.sizes[row]), int(seen.counts.row(row)[own])
            # no more others than can lack the value: in a set those without it, in a multiset all but one
            people = min(self.k, size - (count if seen.semantics == "set" else 1))
            return NegationsWitness(
                seen.name(row), seen.domain[own], ruled_out=(), others=people, any_of=members, semantics=seen.semantics
            )
        others = [place for place in frequent if place != own][: self.k]
        ruled_out = tuple(seen.domain[place] for place in others)
        return NegationsWitness(seen.name(row), seen.domain[own], ruled_out=ruled_out, any_of=members)

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, NegationsWitness):
            return nobody_shown(finding)
        where, value, others = finding.witness.group, shown(finding.witness.value), finding.witness.ruled_out
        probability, people = in_words(finding.value), finding.witness.others
        if people:
            who = "another person" if people == 1 else f"{people:,} others"
            return (
                f"In {where} anyone, the target, could be shown to have {value} with probability {probability} by "
                f"someone who knows that {who} of the group {'does' if people == 1 else 'do'} not have {value}."
            )
        if not others:
            return f"In {where} anyone has {value} with probability {probability}, as the release itself says."
        return (
            f"In {where} anyone, the target, could be shown to have {value} with probability {probability} "
            f"by someone who knows the target does not have {either(others)}."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds in which one person avoids the values, and those of them with the target's value."""
        assert isinstance(witness, NegationsWitness)
        seen = self.targets.view_release(release)
        if seen.semantics != "single":
            return _replay_several_values(seen, witness)
        counts = counts_of(seen, witness.group.number)
        known = probability_of_avoiding(counts, [frozenset(witness.ruled_out)])
        return probability_of_avoiding(counts, [frozenset({*seen.domain} - {witness.value})]) / known


def _chance_of_any(own: int, people: int) -> Amount:
    """Return 1 − ((n − 1)/n)^m, exactly where it is of a sensible length."""

    def risk(arithmetic: RatioArithmetic[Number]) -> Amount:
        lacking = arithmetic.ratio(people - 1, people) ** own
        return arithmetic.risk(lacking / (1 - lacking))

    return compute_exactly(own * people.bit_length(), BITS_REPORTED, risk)


def _replay_several_values(release: Release, witness: NegationsWitness) -> Amount:
    """Count worlds by what an attacker found out about others, as for `Acquaintance`."""
    known = Investigation(witness.group, witness.value, others=Others(witness.group, witness.others))

    def risk(arithmetic: RatioArithmetic[Number]) -> Amount:
        has, lacks = odds(release, known, arithmetic.ratio)
        return arithmetic.risk(lacks / has)

    if release.semantics == "set":  # where odds are short
        return risk(FRACTIONS)
    group = release.group(witness.group)
    count, people = int(group.counts.row(0)[release.groups.code_of(witness.value)]), int(group.sizes[0])
    return compute_exactly(count * (people - witness.others).bit_length(), BITS_REPORTED, risk)
