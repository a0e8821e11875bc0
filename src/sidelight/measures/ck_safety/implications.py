"""How sure can someone get who knows any k implications?

The adversary, what an audit keeps of the groups, and the witness: the worst k implications themselves, as data, as
facts and in words.  How the worst case is found is in `minimize_within_group` and
`minimize_across_groups`; a finding is replayed by counting worlds, which knows nothing of these.

Negations are the milder adversary of the paper, who can rule out any k values: k facts "p does not have s".  All of
them do most about the target itself, so no program is needed; a group's statistic is how many have the value, and how
many have none of those ruled out.

Where a person may have several values, what the target lacks says nothing about her other values, which are independent
of it; the k facts do most when they say of k others of the group that they do not have the target's own:

    set        m / (n − k)                           at most 1
    multiset   1 − ((n − k − 1)/(n − k))^m           1 where k others leave one person alone

Source: Martin et al., Worst-case background knowledge, ICDE 2007, section 5; several values are ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.knowledge.facts import Fact, Has, OneOf, Someone
from sidelight.measures.ck_safety.minimize_across_groups import ImplicationsScreen, shortlist, worst_case
from sidelight.measures.ck_safety.minimize_within_group import Allocation, TopCounts
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import (
    BITS_REPORTED,
    FRACTIONS,
    Arithmetic,
    Number,
    Numbers,
    RatioArithmetic,
    compute_exactly,
)
from sidelight.measures.group_by_group import FormulaMeasure
from sidelight.measures.measure import ROW, Attacker, Measure, Monotonicity, Settings, Worst, amount_in, read, whole
from sidelight.measures.targets import Targeted, Value, examples_of_targets, read_value
from sidelight.rounding import in_words
from sidelight.table.labels import Label, Semantics, show_in_list, shown
from sidelight.text import counted
from sidelight.worlds.closed_forms import Investigation, Others, odds, probability_of_avoiding

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.measures.ck_safety.several_values import SeveralValuesSummary
    from sidelight.release.groups import GroupName, Groups
    from sidelight.release.release import Release
    from sidelight.worlds.brute_force import Person


def chosen_facts(settings: Settings) -> str:
    """Return what an attacker knows who has k facts of any kind."""
    facts = counted(amount_in(settings, "k"), "fact")
    return f"{ROW}; and any {facts} of the kind “if she has this value, he has that one”"


@dataclass(frozen=True)
class KnownFacts(Targeted):
    """A measure of how sure somebody can get who knows any `k` facts of some form."""

    k: int = field(metadata=whole())
    value: Value = field(default=None, metadata=read(read_value))

    depends_on_whole: ClassVar[bool] = False
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING
    more_is_worse = ("k",)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        return tuple(cls(k, **targets) for k in range(4) for targets in examples_of_targets(domain))

    def share_at(self, limit: Fraction) -> Fraction | None:
        return limit if self.k == 0 and self.asks_every_value else None

    def belief_at(self, limit: Fraction) -> Fraction | None:
        return limit if self.asks_every_value else None

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, ImplicationsWitness | NegationsWitness):
            return nobody_shown(finding)
        value, probability, known = shown(witness.value), in_words(finding.value), witness.describe_knowledge()
        if not known:
            return f"In {witness.group} anyone has {value} with probability {probability}, as the release itself says."
        return (
            f"In {witness.group} anyone, the target, could be shown to have {value} with probability {probability} "
            f"by someone who knows {known}."
        )


@dataclass(frozen=True)
class Implications(KnownFacts):
    """How sure can someone get of a person's value who knows any `k` implications?

    An implication says: if all of these people have these values, then one of those has that.  Whatever can be known
    about a table can be said in implications, so k bounds an attacker of any kind.  The risk is the largest

        Pr(p has s | the release and what is known)

    over all people p, all values s (or the one `value`, or all `apart_from` some) and all sets of k implications.  With
    several values as `value`, "p has s" is "p has any of them", of which implications may speak as of one value.  The
    worst are always of the form A₁ → A, …, A_k → A with A = "p has s", and then it is 1/(1 + r),
    r = Pr(neither A nor any A_i)/Pr(A).
    A release is (c,k)-safe when the risk is below c.  Where people have several values the worst premises are all about
    one value of one group (see `several_values`).

    >>> hospital = Release.from_counts([
    ...     {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
    ...     {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1}])
    >>> [str(Implications(k).measure(hospital).value) for k in range(3)]
    ['2/5', '2/3', '1']
    >>> finding = Implications(1, value="Heart disease").measure(hospital)
    >>> finding.value, finding.replay(hospital)
    (Fraction(1, 3), Fraction(1, 3))
    >>> print(finding.explain())  # doctest: +NORMALIZE_WHITESPACE
    In group 1 anyone, the target, could be shown to have Heart disease with probability 1/3 by someone who knows
    that, if the target has Flu, the target has Heart disease.

    Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-case background knowledge, ICDE 2007; the form for
    one value and the mergeable summary are ours.
    """

    name: ClassVar[str] = "implications"
    attacker = Attacker(
        "the worst case: somebody with well-chosen facts", chosen_facts, "how sure the worst case could become", "facts"
    )
    also_called = ("ck-safety",)

    def blocks(self, groups: Groups) -> Iterable[Groups]:
        """Return wide groups as one block where people have one value: only the largest counts of each group matter."""
        at_once = groups.semantics == "single" and groups.counts.is_wide
        return (groups,) if at_once else super().blocks(groups)

    def summarize(self, groups: Groups) -> ImplicationsSummary | SeveralValuesSummary:
        if groups.semantics != "single":
            from sidelight.measures.ck_safety.several_values import SeveralValuesSummary  # noqa: PLC0415 - brings SciPy

            return SeveralValuesSummary.from_groups(self, groups)
        # by number, so that ties go to the group with the smallest one
        seen = self.targets.view(groups.sort_by_number())
        top, targets = TopCounts.from_groups(seen, self.k + 1, self.targets), set(self.targets.indices(seen).tolist())
        kept = (ListedGroup.from_row(seen, top, row, targets) for row in shortlist(top, self.k).tolist())
        return ImplicationsSummary(self, groups.domain, tuple(kept))

    def screen(self) -> ImplicationsScreen:
        return ImplicationsScreen(self.k, self.targets)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds in which the implications hold, and those of them with the target."""
        assert isinstance(witness, ImplicationsWitness)
        seen = self.targets.view_release(release)
        if seen.semantics == "single":
            return witness.posterior(seen)
        from sidelight.measures.ck_safety.several_values import probability_of_target  # noqa: PLC0415 - brings SciPy

        return probability_of_target(witness, seen, self.k)


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group that may take part in the worst case, as far as it matters."""

    name: GroupName
    size: int
    counts: tuple[int, ...]  # the largest, in falling order
    values: tuple[Label, ...]  # whose counts they are
    target: int  # how often the target's value occurs
    target_value: Label = None  # which it is, where it occurs

    @classmethod
    def from_row(cls, groups: Groups, top: TopCounts, row: int, targets: set[int]) -> ListedGroup:
        # sorted by frequency as `counts` are, so that values and counts stand side by side
        counts, frequent = top.counts[row].tolist(), groups.counts.sort_by_frequency(row)
        values = tuple(groups.domain[place] for place in frequent[: len(counts)])
        target = next((groups.domain[place] for place in frequent if place in targets), None)
        return cls(groups.name(row), int(top.sizes[row]), tuple(counts), values, int(top.target[row]), target)

    def atoms(self, allocation: Allocation, value: Label) -> list[Atom]:
        """Return who gets atoms for which values; the target stands at place 0."""
        with_target = (value, *(each for each in self.values if each != value))
        return [
            Atom((self.name.number, place), each)
            for place, many in enumerate(allocation.values)
            for each in (with_target if place < allocation.with_target else self.values)[:many]
        ]


@dataclass(frozen=True, slots=True)
class ImplicationsSummary:
    """The groups that can take part in the worst case, in the order of their numbers."""

    measure: Implications
    domain: tuple[Label, ...]
    groups: tuple[ListedGroup, ...]

    def merge(self, other: ImplicationsSummary) -> ImplicationsSummary:
        # in the order of numbers, which settles ties however the groups were split
        both = sorted(self.groups + other.groups, key=lambda group: group.name.number)
        kept = shortlist(_top_counts(both), self.measure.k) if both else ()
        return ImplicationsSummary(self.measure, self.domain, tuple(both[row] for row in kept))

    def finding(self) -> Finding:
        if not any(group.target for group in self.groups):
            return Finding(self.measure, Fraction(0), None, (self.measure.targets.nobody(), *self._notes()))
        risk, spent = worst_case(_top_counts(self.groups), self.measure.k)
        witness = self._witness([(self.groups[row], allocation) for row, allocation in spent])
        return Finding(self.measure, risk, witness, self._notes())

    def _notes(self) -> tuple[str, ...]:
        return self.measure.targets.notes(self.domain)

    def _witness(self, spent: list[tuple[ListedGroup, Allocation]]) -> ImplicationsWitness:
        """Write down who gets atoms for what; idle implications fill up to k."""
        (target,) = (group for group, allocation in spent if allocation.with_target)
        value = target.target_value
        atom = Atom((target.name.number, 0), value)
        # the target's group first, so that what is known there is named first
        spent.sort(key=lambda part: not part[1].with_target)
        premises = [each for group, allocation in spent for each in group.atoms(allocation, value) if each != atom]
        idle = idle_implications(atom, self.measure.k - len(premises))
        others = dict.fromkeys(group.name for group, _ in spent if group.name != target.name)
        return ImplicationsWitness(
            target.name,
            value,
            target=atom.person,
            implications=(*(Implication(each, atom) for each in premises), *idle),
            elsewhere=tuple(others),
            any_of=self.measure.targets.members(self.domain),
        )


def idle_implications(atom: Atom, number: int, *, most: int = 1_000) -> tuple[Implication, ...]:
    """List implications that say nothing, which fill up to k; of very many the first, as k may be any number."""
    return (Implication(atom, atom),) * min(number, most)


def _top_counts(groups: Sequence[ListedGroup]) -> TopCounts:
    return TopCounts(
        sizes=np.array([group.size for group in groups]),
        counts=np.array([group.counts for group in groups]),
        target=np.array([group.target for group in groups]),
    )


@dataclass(frozen=True, slots=True)
class Atom:
    """A person has a value."""

    person: Person
    value: Label

    def __str__(self) -> str:
        number, place = self.person
        return f"person {place + 1} of group {number} has {shown(self.value)}"


@dataclass(frozen=True, slots=True)
class Implication:
    """If one thing is so, so is the other."""

    premise: Atom
    conclusion: Atom

    def __str__(self) -> str:
        return f"if {self.premise}, {self.conclusion}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ImplicationsWitness(Witness):
    """The target (stand-ins are numbered from 0 in their groups), and k implications that all end with it.

    Where fewer than k do all the harm that can be done, the rest say what goes without saying: that the target has
    the value if the target has the value.
    """

    target: Person
    implications: tuple[Implication, ...]
    elsewhere: tuple[GroupName, ...] = ()  # the other groups that implications mention
    any_of: tuple[Label, ...] = ()  # where `value` is a category: the values of it
    semantics: Semantics = "single"

    @property
    def atom(self) -> Atom:
        return Atom(self.target, self.value)

    def premises(self) -> dict[Person, tuple[Label, ...]]:
        """Return the values of each person that premises name, the target first; idle implications are left out."""
        premises: dict[Person, dict[Label, None]] = {self.target: {}}
        for implication in self.implications:
            if implication.premise != self.atom:
                premises.setdefault(implication.premise.person, {})[implication.premise.value] = None
        return {person: tuple(values) for person, values in premises.items() if values}

    def describe_knowledge(self) -> str:
        """Return what an attacker would have to know, as the end of a sentence; nothing where it is nothing."""
        premises, clauses = self.premises(), []
        if self.target in premises:
            clauses.append(f"the target has {either(premises.pop(self.target))}")
        # groups that are mentioned have names that say what they print
        names = {name.number: str(name) for name in self.elsewhere}
        for (number, values), people in Counter((person[0], each) for person, each in premises.items()).items():
            if number == self.group.number:
                who = "another person of the group" if people == 1 else f"one of {people:,} others of the group"
            else:
                place = names.get(number, f"group {number}")
                who = f"someone in {place}" if people == 1 else f"one of {people:,} people in {place}"
            clauses.append(f"{who} has {either(values)}")
        if len(clauses) > 6:
            clauses[5:] = [f"{len(clauses) - 5} more things like that hold"]
        return f"that, if {', or '.join(clauses)}, the target has {shown(self.value)}" if clauses else ""

    def as_facts(self) -> tuple[Fact, tuple[Fact, ...]]:
        """Return it as facts: the target, and what is known; `posterior` of these is the finding's value."""
        if self.any_of and self.semantics == "set":
            raise BadMeasure(no_facts_about(self.value))
        return self._fact(self.atom), tuple(
            self._fact(each.premise).implies(self._fact(each.conclusion)) for each in self.implications
        )

    def _fact(self, atom: Atom) -> Fact:
        person = Someone(atom.person[0], atom.person[1] + 1)
        several = self.any_of and atom.value == self.value
        return OneOf(person, self.any_of) if several else Has(person, atom.value)

    def posterior(self, release: Release) -> Fraction:
        """Count worlds: those with the target / those in which every implication holds.

        An implication A_i → A holds in the worlds with A and in those without A and A_i.

        >>> hospital = Release.from_counts([
        ...     {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        ...     {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1}])
        >>> charlie, hannah = Atom((1, 0), "Flu"), Atom((2, 0), "Flu")
        >>> known = ImplicationsWitness(
        ...     hospital.groups.name(0), "Flu", target=(1, 0), implications=(Implication(hannah, charlie),))
        >>> known.posterior(hospital)
        Fraction(10, 19)
        """
        avoided = {person: {*values} for person, values in self.premises().items()}
        avoided.setdefault(self.target, set()).add(self.value)
        # the target has the value where it avoids all others
        others = frozenset({*release.domain} - {self.value})
        with_target = probability_of_avoiding(release.group(self.target[0]).value_counts(0), [others])
        without = Fraction(1)
        # groups are independent of each other, so that probabilities of avoiding multiply
        for number in {person[0] for person in avoided}:
            here = [frozenset(values) for person, values in avoided.items() if person[0] == number]
            without *= probability_of_avoiding(release.group(number).value_counts(0), here)
        return with_target / (with_target + without)


def no_facts_about(value: Label) -> str:
    """Return why a worst case about a category cannot be told as facts where people have sets of values."""
    return (
        f"facts cannot say how many people have '{value}', which somebody here knows; ask about its values one by one"
    )


def nobody_shown(finding: Finding) -> str:
    """Return why nothing is found: the first note does."""
    nobody = finding.notes[0]
    return f"{nobody[0].upper()}{nobody[1:]}, so nobody can be shown to have it."


def either(values: tuple[Label, ...]) -> str:
    """Name values, the first few of many."""
    named = [show_in_list(value) for value in values[:5]]
    if len(values) > 5:
        named[4:] = [f"one of {len(values) - 4} more values"]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"


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

    def describe_knowledge(self) -> str:
        """Return what an attacker would have to know, as the end of a sentence; nothing where it is nothing."""
        if self.others == 1:
            return f"that another person of the group does not have {shown(self.value)}"
        if self.others:
            return f"that {self.others:,} others of the group do not have {shown(self.value)}"
        return f"the target does not have {either(self.ruled_out)}" if self.ruled_out else ""


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
        return self.targets.notes(groups.domain)

    def statistic(self, groups: Groups) -> Integers:
        """Return, per group, how many have the value and how many have none of those ruled out."""
        groups = self.targets.view(groups)
        if groups.semantics != "single":
            own = groups.counts.highest(self.targets.indices(groups))
            # in a set as many people as have the value remain: none of them is known to lack it
            left = np.maximum(groups.sizes - self.k, np.maximum(own, 1) if groups.semantics == "set" else 1)
            # a column of ones in a multiset, because there the value does change when both numbers are k times as large
            return np.column_stack((own, left, *([np.ones_like(own)] if groups.semantics == "multiset" else [])))
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

    def exact_values(self, statistic: Integers, groups: Groups) -> Sequence[Amount]:
        if groups.semantics != "multiset":
            return super().exact_values(statistic, groups)
        return [_chance_of_any(own, left) for own, left, _ in statistic.tolist()]

    def witness(self, groups: Groups, row: int) -> NegationsWitness:
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

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds in which one person avoids the values, and those of them with the target's value."""
        assert isinstance(witness, NegationsWitness)
        seen = self.targets.view_release(release)
        if seen.semantics != "single":
            return _replay_several_values(seen, witness)
        counts = seen.group(witness.group.number).value_counts(0)
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
