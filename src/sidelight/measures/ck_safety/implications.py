"""How confident can an attacker be who knows any k implications, or rules out any k values; and how bad is that?

The adversary, what an audit keeps of the groups, and the witness: the worst k implications themselves, as data, as
facts and in words.  The search for the worst case is in `minimize`; a finding is replayed by counting worlds, which
is independent of it.

Negations are the milder adversary of the paper, who rules out any k values, and needs no program.  Where a person
may have several values, what the target lacks says nothing about her other values, which are independent of it; the k
facts do most when they say of k others of the group that they do not have the target's own:

    set        m / (n − k)                           at most 1
    multiset   1 − ((n − k − 1)/(n − k))^m           1 where k others leave one person alone

Some values may be worse to disclose than others.  The cost is then

    max over people p, values s and k pieces of knowledge φ of  w(s) · Pr(p has s | release, φ)

Values of one weight w are a class, and the maximum over a class is what `Implications` (or `Negations`) says of these
targets alone.  So the cost is the largest, over the different weights, of w times that: whatever is claimed of the
adversary (how it merges, what merging groups does to it, that its witness replays) holds of the cost.

Source: Martin et al., Worst-case background knowledge, ICDE 2007, section 5, and section 6, which leaves cost-based
disclosure open; several values are ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias, cast, get_args

import numpy as np

from sidelight.errors import BadMeasure, as_given, is_one_of, listed
from sidelight.knowledge.facts import Fact, Has, OneOf, Someone
from sidelight.measures.ck_safety.minimize import Allocation, ImplicationsScreen, TopCounts, shortlist, worst_case
from sidelight.measures.criterion import Amount, Bound, Finding, Witness
from sidelight.measures.exact import (
    BITS_REPORTED,
    Arithmetic,
    Number,
    Numbers,
    RatioArithmetic,
    Screen,
    compute_exactly,
)
from sidelight.measures.group_by_group import FormulaMeasure
from sidelight.measures.measure import (
    ROW,
    Attacker,
    Measure,
    Monotonicity,
    Settings,
    Summary,
    amount_in,
    merge_each,
    read,
    whole,
)
from sidelight.measures.targets import (
    NumberByValue,
    Targeted,
    Value,
    examples_of_targets,
    read_rate,
    read_rates,
    read_value,
)
from sidelight.release.groups import GroupName, Groups, stack_groups
from sidelight.rounding import in_words
from sidelight.table.labels import Label, Semantics, show_in_list, shown
from sidelight.text import counted
from sidelight.worlds.closed_forms import probability_of_avoiding

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.measures.privacy_skyline.acquaintance import AcquaintanceWitness
    from sidelight.release.release import Release
    from sidelight.worlds.brute_force import Person


def chosen_facts(settings: Settings) -> str:
    """Return in words what an attacker with k facts of any kind knows."""
    facts = counted(amount_in(settings, "k"), "fact")
    return f"{ROW}; and any {facts} of the kind “if she has this value, he has that one”"


@dataclass(frozen=True)
class KnownFacts(Targeted):
    """A measure of the risk of attackers who know any `k` facts of some form."""

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
        return limit if self.k == 0 and self.targets.every_value else None

    def belief_at(self, limit: Fraction) -> Fraction | None:
        return limit if self.targets.every_value else None

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

    def summarize(self, groups: Groups) -> Summary:
        if groups.semantics != "single":
            from sidelight.measures.ck_safety.several_values import summarize_several  # noqa: PLC0415 - which asks this file

            return summarize_several(self, groups)
        seen = self._keep_worst(self.targets.view(groups))
        return Summary(seen, self._join, partial(self._find_worst, groups.domain))

    def _keep_worst(self, seen: Groups) -> Groups:
        """Keep the groups that can take part in the worst case, as seen from the targets, in order of their numbers."""
        # by number, so that ties go to the group with the smallest one, however the groups were split
        seen = seen.sort_by_number()
        return seen.take(shortlist(TopCounts.from_groups(seen, self.k + 1, self.targets), self.k))

    def _join(self, one: Groups, other: Groups) -> Groups:
        return self._keep_worst(stack_groups((one, other)))

    def _find_worst(self, domain: tuple[Label, ...], seen: Groups) -> Finding:
        notes, members = self.targets.notes(domain), self.targets.members(domain)
        top = TopCounts.from_groups(seen, self.k + 1, self.targets)
        if not top.target.any():
            return Finding(self, Fraction(0), None, (self.targets.nobody(), *notes))
        risk, spent = worst_case(top, self.k)
        # the target's group first, so that what is known there is named first
        spent.sort(key=lambda part: not part[1].with_target)
        targets, names = set(self.targets.indices(seen).tolist()), [seen.name(row) for row, _ in spent]
        value = seen.domain[next(index for index in seen.counts.sort_by_frequency(spent[0][0]) if index in targets)]
        premises = [each for row, allocation in spent for each in _list_atoms(seen, row, allocation, value)]
        witness = ImplicationsWitness.from_premises(names[0], value, premises, names, k=self.k, any_of=members)
        return Finding(self, risk, witness, notes)

    def screen(self) -> ImplicationsScreen:
        return ImplicationsScreen(self.k, self.targets)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds in which the implications hold, and those of them with the target."""
        assert isinstance(witness, ImplicationsWitness)
        seen = self.targets.view_release(release)
        if seen.semantics == "single":
            return witness.posterior(seen)
        from sidelight.measures.ck_safety.several_values import probability_of_target  # noqa: PLC0415 - which asks this file

        return probability_of_target(witness, seen, self.k)


def _list_atoms(groups: Groups, row: int, allocation: Allocation, value: Label) -> list[Atom]:
    """Return the atoms of an allocation, the most frequent values first; the target is person 0."""
    number, frequent = groups.name(row).number, groups.counts.sort_by_frequency(row)[: max(allocation.values)]
    values = [groups.domain[index] for index in frequent]
    with_target = [value, *(each for each in values if each != value)]
    return [
        Atom((number, person), each)
        for person, many in enumerate(allocation.values)
        for each in (with_target if person < allocation.with_target else values)[:many]
    ]


@dataclass(frozen=True, slots=True)
class Atom:
    """A person has a value."""

    person: Person
    value: Label

    def __str__(self) -> str:
        number, person = self.person
        return f"person {person + 1} of group {number} has {shown(self.value)}"


@dataclass(frozen=True, slots=True)
class Implication:
    """If the premise holds, so does the conclusion."""

    premise: Atom
    conclusion: Atom

    def __str__(self) -> str:
        return f"if {self.premise}, {self.conclusion}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ImplicationsWitness(Witness):
    """The target (stand-ins are numbered from 0 in their groups), and k implications that all end with it.

    Where fewer than k make the worst case, the rest are idle: the target has the value if the target has the value.
    """

    target: Person
    implications: tuple[Implication, ...]
    elsewhere: tuple[GroupName, ...] = ()  # the other groups that implications mention
    any_of: tuple[Label, ...] = ()  # where `value` is a category: the values of it
    semantics: Semantics = "single"

    @classmethod
    def from_premises(
        cls,
        group: GroupName,
        value: Label,
        premises: Iterable[Atom],
        groups: Iterable[GroupName],
        *,
        k: int = 0,
        any_of: tuple[Label, ...] = (),
        semantics: Semantics = "single",
    ) -> Self:
        """Build from what implies that a person of `group` has `value`, in these groups; idle implications fill up."""
        atom = Atom((group.number, 0), value)
        known = [premise for premise in premises if premise != atom]
        # k may be any number: of very many idle implications the first are listed
        known += [atom] * min(k - len(known), 1_000)
        listed = tuple(Implication(premise, atom) for premise in known)
        others = tuple(dict.fromkeys(name for name in groups if name != group))
        return cls(
            group, value, target=atom.person, implications=listed, elsewhere=others, any_of=any_of, semantics=semantics
        )

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
        """Return what the attacker has to know, as the end of a sentence; empty where it is nothing."""
        premises, clauses = self.premises(), []
        if self.target in premises:
            clauses.append(f"the target has {either(premises.pop(self.target))}")
        # groups that are mentioned have names that say what they print
        names = {name.number: str(name) for name in self.elsewhere}
        for (number, values), people in Counter((person[0], each) for person, each in premises.items()).items():
            if number == self.group.number:
                who = "another person of the group" if people == 1 else f"one of {people:,} others of the group"
            else:
                group = names.get(number, f"group {number}")
                who = f"someone in {group}" if people == 1 else f"one of {people:,} people in {group}"
            clauses.append(f"{who} has {either(values)}")
        if len(clauses) > 6:
            clauses[5:] = [f"{len(clauses) - 5} more things like that hold"]
        return f"that, if {', or '.join(clauses)}, the target has {shown(self.value)}" if clauses else ""

    def as_facts(self) -> tuple[Fact, tuple[Fact, ...]]:
        """Return it as facts: the target, and what is known; `posterior` of these is the finding's value."""
        target = fact_of(self, self.target, self.value)
        premises = (fact_of(self, each.premise.person, each.premise.value) for each in self.implications)
        return target, tuple(premise.implies(target) for premise in premises)

    def posterior(self, release: Release) -> Fraction:
        """Count worlds: those with the target / those in which every implication holds.

        An implication A_i → A holds in the worlds with A and in those without A and A_i.
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


def fact_of(
    witness: ImplicationsWitness | NegationsWitness | AcquaintanceWitness, person: Person, value: Label
) -> Fact:
    """Return the fact that a person has a value; any of its values where it is the witness's category."""
    if witness.any_of and witness.semantics == "set":
        raise BadMeasure(
            f"facts cannot say how many people have '{witness.value}', which somebody here knows; "
            "ask about its values one by one"
        )
    who = Someone(person[0], person[1] + 1)
    return OneOf(who, witness.any_of) if witness.any_of and value == witness.value else Has(who, value)


def nobody_shown(finding: Finding) -> str:
    """Return the sentence of a finding without a witness, from its first note."""
    nobody = finding.notes[0]
    return f"{nobody[0].upper()}{nobody[1:]}, so nobody can be shown to have it."


def either(values: tuple[Label, ...]) -> str:
    """Return the names of values, joined by "or"; of many the first few."""
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
        number = self.group.number
        lacking = [(0, value) for value in self.ruled_out] + [(1 + other, self.value) for other in range(self.others)]
        known = tuple(~fact_of(self, (number, person), value) for person, value in lacking)
        return fact_of(self, (number, 0), self.value), known

    def describe_knowledge(self) -> str:
        """Return what the attacker has to know, as the end of a sentence; empty where it is nothing."""
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

    @property
    def why_nothing(self) -> str:  # type: ignore[override]
        return self.targets.nobody()

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
        """The first over the second; nan where nobody has the value."""
        own, left = statistic.T[:2]
        risks = arithmetic.ratio(own, left)
        if groups.semantics == "multiset":
            # each of `own` occurrences is with any of `left` people, independently of the others
            risks = 1 - arithmetic.ratio(left - 1, left) ** own
        return np.where(own > 0, risks, np.nan)

    def exact_values(self, statistic: Integers, groups: Groups) -> Sequence[Amount]:
        if groups.semantics != "multiset":
            return super().exact_values(statistic, groups)

        def chance_of_any(own: int, people: int) -> Amount:
            """Return 1 − ((n − 1)/n)^m, exactly where it is short enough."""

            def risk(arithmetic: RatioArithmetic[Number]) -> Amount:
                lacking = arithmetic.ratio(people - 1, people) ** own
                return arithmetic.risk(lacking / (1 - lacking))

            return compute_exactly(own * people.bit_length(), BITS_REPORTED, risk)

        return [chance_of_any(own, left) for own, left, _ in statistic.tolist()]

    def witness(self, groups: Groups, row: int) -> NegationsWitness:
        seen, members = self.targets.view(groups), self.targets.members(groups.domain)
        frequent, targets = seen.counts.sort_by_frequency(row), self.targets.indices(seen).tolist()
        own = next(index for index in frequent if index in targets)
        ruled_out, people = [index for index in frequent if index != own][: self.k], 0
        if seen.semantics != "single":
            # no more others than can lack the value: in a set those without it, in a multiset all but one
            having = int(seen.counts.row(row)[own]) if seen.semantics == "set" else 1
            ruled_out, people = [], min(self.k, int(seen.sizes[row]) - having)
        named = tuple(seen.domain[index] for index in ruled_out)
        return NegationsWitness(
            seen.name(row), seen.domain[own], ruled_out=named, others=people, any_of=members, semantics=seen.semantics
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds in which one person avoids the values, and those of them with the target's value."""
        assert isinstance(witness, NegationsWitness)
        seen = self.targets.view_release(release)
        if seen.semantics != "single":
            from sidelight.measures.ck_safety.several_values import replay_negations  # noqa: PLC0415 - which asks this file

            return replay_negations(witness, seen)
        counts = seen.group(witness.group.number).value_counts(0)
        known = probability_of_avoiding(counts, [frozenset(witness.ruled_out)])
        return probability_of_avoiding(counts, [frozenset({*seen.domain} - {witness.value})]) / known


Adversary: TypeAlias = Literal["implications", "negations"]


@dataclass(frozen=True)
class DisclosureCost(Measure):
    """How bad could it get, if some values are worse to disclose than others?

    The largest w(s) · Pr(p has s | the release and what is known) over all people p, all values s and any `k`
    implications (or negations, by `knows`).  `weights` say how bad it is that a value is disclosed; values that are not
    named have the weight `otherwise`.  With all weights 1 it is `Implications(k)`.

    >>> ward = Release.from_counts([{"AIDS": 1, "Flu": 4, "Cold": 5}])
    >>> finding = DisclosureCost(1, {"AIDS": 1, "Flu": 1/10, "Cold": 1/10}).measure(ward)
    >>> finding.value, finding.witness.value, finding.replay(ward)
    (Fraction(1, 5), 'AIDS', Fraction(1, 5))
    >>> print(finding.explain())  # doctest: +NORMALIZE_WHITESPACE
    In group 1 anyone, the target, could be shown to have AIDS with probability 1/5 by someone who knows that, if the
    target has Cold, the target has AIDS. Weighted by 1, which is how bad it is to disclose AIDS, that is 1/5.

    Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-case background knowledge, ICDE 2007 (future work).
    """

    k: int = field(metadata=whole())
    weights: Mapping[str, Bound] | Mapping[Label, Bound] = field(
        metadata=read(partial(read_rates, "weights"), hint=Mapping[str, float])
    )
    otherwise: Bound = field(default=1, metadata=read(partial(read_rate, "otherwise")))
    knows: Adversary = "implications"

    name: ClassVar[str] = "disclosure cost"
    attacker = Attacker(
        "the worst case, where values weigh differently", chosen_facts, "the largest weighted risk", "facts"
    )
    depends_on_whole: ClassVar[bool] = False
    semantics: ClassVar[tuple[Semantics, ...]] = Implications.semantics
    when_groups_merge = Monotonicity.NON_INCREASING
    more_is_worse = ("k",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.different_weights():
            raise BadMeasure(f"'{self.name}' has no weight above 0, so nothing counts; give at least one")
        if not is_one_of(self.knows, Adversary):
            knows = as_given(self.knows, quoted=True)
            raise BadMeasure(f"'{self.name}' has no knows={knows}; give {listed(get_args(Adversary))}")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        first, last = dict.fromkeys(domain[:1], 3), dict.fromkeys(domain[-1:], 0)
        several = {value: Fraction(1 + index % 3, 4) for index, value in enumerate(domain)}
        return (cls(1, first), cls(2, last), cls(0, first), cls(2, several), cls(1, several, knows="negations"))

    @property
    def _rates(self) -> tuple[NumberByValue, Fraction]:
        return cast("NumberByValue", self.weights), Fraction(self.otherwise)

    def monotonicity(self, semantics: Semantics) -> Monotonicity:
        return self.adversary().monotonicity(semantics)

    def check(self, release: Release) -> None:
        super().check(release)
        self._rates[0].check(release.domain)

    def adversary(self, apart_from: tuple[Label, ...] = ()) -> Implications | Negations:
        """Return the question about all values, or about those of one weight."""
        return (Implications if self.knows == "implications" else Negations)(self.k, apart_from=apart_from)

    def different_weights(self) -> list[Fraction]:
        """Return the weights above 0, the largest first."""
        tariff, otherwise = self._rates
        return sorted({*tariff.values(), otherwise} - {Fraction(0)}, reverse=True)

    def questions(self, domain: tuple[Label, ...]) -> dict[Fraction, Implications | Negations]:
        """Return, for each weight above 0, the largest first, the adversary's question about its values alone."""
        tariff, otherwise = self._rates
        return {
            weight: self.adversary(tuple(value for value in domain if tariff.rate(value, otherwise) != weight))
            for weight in self.different_weights()
        }

    def summarize(self, groups: Groups) -> Summary:
        """Keep the adversary's summary for each weight, the largest weight first."""
        parts = tuple(question.summarize(groups) for question in self.questions(groups.domain).values())
        return Summary(parts, merge_each, self._find_worst)

    def _find_worst(self, parts: tuple[Summary, ...]) -> Finding:
        findings = zip(self.different_weights(), (part.finding() for part in parts), strict=True)
        witnesses = [
            CostWitness(known.group, known.value, weight=weight, probability=each.value, known=known)
            for weight, each in findings
            if (known := each.witness) is not None
        ]
        if not witnesses:
            return Finding(self, Fraction(0), None, ("nobody has any of the values that count",))
        # parts stand by falling weight and `max` keeps the first of equals: the largest weight is reported
        worst = max(witnesses, key=lambda each: each.weight * each.probability)
        return Finding(self, worst.weight * worst.probability, worst)

    def screen(self) -> CostScreen:
        return CostScreen(self, self.adversary().screen())

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, CostWitness):
            return nobody_shown(finding)
        question = self.adversary()
        shown_by = question.explain(Finding(question, witness.probability, witness.known))
        weight, value = in_words(witness.weight), shown(witness.value)
        return (
            f"{shown_by} Weighted by {weight}, which is how bad it is to disclose {value}, "
            f"that is {in_words(finding.value)}."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        assert isinstance(witness, CostWitness)
        return witness.weight * self.adversary().replay(witness.known, release)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CostWitness(Witness):
    """The adversary's witness, its probability, and the weight of the value."""

    weight: Fraction
    probability: Amount
    known: Witness


@dataclass(frozen=True)
class CostScreen(Screen):
    """The rows of the adversary's screens side by side, one for each weight."""

    cost: DisclosureCost
    inner: Screen  # what joins rows and reads values off them is the same for all targets

    @property
    def group_by_group(self) -> bool:  # type: ignore[override]
        return self.inner.group_by_group

    def rows(self, groups: Groups) -> Floats:
        return np.hstack([each.screen().rows(groups) for each in self.cost.questions(groups.domain).values()])

    def kinds(self, groups: Groups) -> Integers:
        return np.hstack([each.screen().kinds(groups) for each in self.cost.questions(groups.domain).values()])

    def slack(self, people: int) -> float:
        return self.inner.slack(people) * max(1.0, float(self.cost.different_weights()[0]))

    def join(self, one: Floats, other: Floats) -> Floats:
        return np.hstack([self.inner.join(*pair) for pair in zip(self._parts(one), self._parts(other), strict=True)])

    def value(self, rows: Floats) -> Floats:
        parts = zip(self.cost.different_weights(), self._parts(rows), strict=True)
        values = [float(weight) * self.inner.value(part) for weight, part in parts]
        return np.asarray(np.max([np.zeros(len(rows)), *values], axis=0))

    def _parts(self, rows: Floats) -> list[Floats]:
        # (groups, weights · numbers) to one (groups, numbers) for each weight
        return np.split(rows, len(self.cost.different_weights()), axis=1)
