"""How confident can an attacker be who knows facts about the target, about others, and about the target's family?

The measure, its summary for audits and its screen for searches.  Both stand on `five_minima.log_products`: the summary
keeps the five minima of each value with their groups, the screen keeps the five logarithms of each group and value.
`replay` goes another way: it counts the worlds that fit the witness.

From minima back to people: a minimum points at a group.  The worst investigation puts the target into the group of T,
the family into that of V, and the k others beside the one or the other, as the arrangement says; it rules out the
target's ℓ most frequent other values, and the k have values that are left (in `single`), the most frequent first.

Invariant   the witness has no more than it takes: once the target, or one of the family, must have the value, the rest
            is left out.  Counting the worlds that fit it gives the risk again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sidelight.measures.ck_safety.implications import fact_of
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import (
    BITS_REPORTED,
    OFF_PER_RELATIVE,
    RatioArithmetic,
    Screen,
    compute_exactly,
    tolerance,
)
from sidelight.measures.measure import ROW, Attacker, Measure, Monotonicity, Settings, Summary, amount_in, read, whole
from sidelight.measures.privacy_skyline.five_minima import (
    ALL_TOGETHER,
    ARRANGEMENTS,
    OTHERS_WITH_FAMILY,
    OTHERS_WITH_TARGET,
    FiveMinima,
    Knowledge,
    ValueInGroup,
    cut_groups,
    least_product,
    log_products,
    ruled_out_weights,
)
from sidelight.measures.targets import Targeted, Targets, Value, examples_of_targets, read_value
from sidelight.rounding import MOST_OF_ANYTHING, in_words
from sidelight.table.labels import Label, Semantics, show_in_list, shown
from sidelight.text import counted, form
from sidelight.worlds.brute_force import Person, has_few_worlds, investigation_probability
from sidelight.worlds.closed_forms import Investigation, Others, odds

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Floats, Integers
    from sidelight.knowledge.facts import Fact
    from sidelight.release.groups import GroupName, Groups
    from sidelight.release.release import Release


@dataclass(frozen=True, slots=True)
class Relatives:
    """People of one group about whom is known: if one of them has the value, so has the target; as in documents."""

    group: GroupName
    people: int


@dataclass(frozen=True, slots=True, repr=False)
class AcquaintanceWitness(Witness):
    """The worst investigation of a person of `group` and `value`, with no more knowledge than it takes."""

    semantics: Semantics = "single"
    rules_out: tuple[Label, ...] = ()
    others: Others | None = None
    family: Relatives | None = None
    any_of: tuple[Label, ...] = ()  # where `value` is a category: the values of it

    @property
    def investigation(self) -> Investigation:
        family = None if self.family is None else Others(self.family.group, self.family.people)
        return Investigation(self.group, self.value, self.rules_out, self.others, family)

    def as_facts(self) -> tuple[Fact, tuple[Fact, ...]]:
        """Return it as facts: the target, and what is known; `posterior` of these is the finding's value.

        The target is the first person of the group; the known people come next in theirs, then the family.
        """
        number, single = self.group.number, self.semantics == "single"
        target = fact_of(self, (number, 0), self.value)
        ruled_out = (fact_of(self, (number, 0), value) for value in self.rules_out)
        facts = [~each if single else each.implies(target) for each in ruled_out]
        taken = {number: 1}

        def next_people(part: Others | Relatives) -> list[Person]:
            # people of a group are numbered on from those who have a part, so that no one has two
            first = taken.get(part.group.number, 0)
            taken[part.group.number] = first + part.people
            return [(part.group.number, first + index) for index in range(part.people)]

        if self.others is not None:
            values = [value for value, people in self.others.values for _ in range(people)]
            known = zip(next_people(self.others), values or [self.value] * self.others.people, strict=True)
            facts += [each if single else ~each for each in (fact_of(self, *has) for has in known)]
        if self.family is not None:
            facts += [fact_of(self, person, self.value).implies(target) for person in next_people(self.family)]
        return target, tuple(facts)

    def explain(self, risk: Amount) -> str:
        known, value = self._knowledge_in_words(), shown(self.value)
        if not known:
            return f"In {self.group} anyone has {value} with probability {in_words(risk)}."
        facts = known[0] if len(known) == 1 else ", ".join(known[:-1]) + ", and " + known[-1]
        return (
            f"In {self.group} anyone, the target, could be shown to have {value} with probability {in_words(risk)} "
            f"by someone who knows {facts}."
        )

    def _knowledge_in_words(self) -> list[str]:
        known, value = [], shown(self.value)

        def list_words(words: list[str], joiner: str) -> str:
            return f" {joiner} ".join([", ".join(words[:-1]), *words[-1:]] if len(words) > 1 else words)

        def people_of(part: Others | Relatives, *, other: bool) -> str:
            there = "the same group" if part.group == self.group else str(part.group)
            return f"{part.people:,} {'other ' if other else ''}{form('person', part.people)} of {there}"

        if self.rules_out:
            values = list_words([show_in_list(text) for text in self.rules_out], "or")
            lacks = f"that the target does not have {values}"
            implies = f"that, if the target has {values}, the target has {value}"
            known.append(lacks if self.semantics == "single" else implies)
        if self.others is not None:
            who, one = people_of(self.others, other=True), self.others.people == 1
            values = list_words([f"{show_in_list(text)} ({people})" for text, people in self.others.values], "and")
            have = f"what {who} {form('has', self.others.people)}: {values}"
            known.append(have if self.others.values else f"that {who} {'does' if one else 'do'} not have {value}")
        if self.family is not None:
            one_of_them = "that person" if self.family.people == 1 else "one of them"
            who = people_of(self.family, other=self.family.group == self.group)
            known.append(f"of {who} that, if {one_of_them} has {value}, so does the target")
        return known


class _GroupByFrequency:
    """A group as one value sees it: `rest` are the other values that occur, the most frequent first.

    At most `may_lack` people can be known to lack the value before the others must have it.
    """

    def __init__(self, group: Groups, value: int) -> None:
        self.group, self.people = group, int(group.sizes[0])
        counts = group.counts.row(0).tolist()
        others = sorted((index for index in range(len(counts)) if index != value), key=lambda index: -counts[index])
        self.rest = tuple((group.domain[index], counts[index]) for index in others if counts[index])
        self.may_lack = self.people - (1 if group.semantics == "multiset" else counts[value])

    def known_people(self, most: int, *, ruled_out: int = 0) -> Others | None:
        """Choose at most `most` others without the value, whose values are not among those ruled out."""
        if self.group.semantics != "single":
            people = min(most, self.may_lack)
            return Others(self.group.name(0), people) if people else None
        values: list[tuple[Label, int]] = []
        # values that are ruled out exclude their people already: knowing those people would add nothing
        for text, count in self.rest[ruled_out:]:
            taken = min(most - sum(number for _, number in values), count)
            values += [(text, taken)] if taken else []
        people = sum(number for _, number in values)
        return Others(self.group.name(0), people, tuple(values)) if people else None

    def is_certain(self, ruled_out: int, known: Others | None) -> bool:
        """Return whether a target here must have the value, without any family."""
        gone = [count for _, count in self.rest[:ruled_out]]
        # a value that all people of the group have cannot be ruled out unless the target has σ
        if self.group.semantics == "set" and self.people in gone:
            return True
        # in single, people with a ruled-out value lack σ already, and cannot be the target
        hidden = sum(gone) if self.group.semantics == "single" else 0
        return self.may_lack - hidden - (known.people if known else 0) <= 0

    def known_family(self, most: int, known: Others | None, *, beside_target: bool) -> tuple[Relatives | None, bool]:
        """Return a family of at most `most`, and whether one of them (or the target) must have the value."""
        # one more than can all lack the value; beside the target, who would have to lack it too, one fewer
        enough = self.may_lack - (known.people if known else 0) + (0 if beside_target else 1)
        people = min(most, enough)
        return (Relatives(self.group.name(0), people) if people else None), people == enough


def worst_investigation(minima: FiveMinima, column: int, arrangement: int) -> AcquaintanceWitness:
    """Return the worst investigation of one value in question, in one of the three arrangements."""
    knowledge, value = minima.knowledge, int(minima.values[column])
    target = relatives = _GroupByFrequency(minima.group(ARRANGEMENTS[arrangement][0], column), value)
    if arrangement != ALL_TOGETHER:
        relatives = _GroupByFrequency(minima.group(ARRANGEMENTS[arrangement][-1], column), value)
    ruled_out = tuple(text for text, _ in target.rest[: knowledge.rules_out])
    # with the others beside the family, none is left to know beside the target
    beside_target = (
        None if arrangement == OTHERS_WITH_FAMILY else target.known_people(knowledge.others, ruled_out=len(ruled_out))
    )
    family, others = None, beside_target
    if not target.is_certain(len(ruled_out), beside_target):
        if arrangement == OTHERS_WITH_FAMILY:
            others = relatives.known_people(knowledge.others)
        beside_family = None if arrangement == OTHERS_WITH_TARGET else others
        family, certain = relatives.known_family(
            knowledge.family, beside_family, beside_target=arrangement == ALL_TOGETHER
        )
        if certain:  # whatever else is known is not needed
            ruled_out, others = (), beside_family
    group = target.group
    return AcquaintanceWitness(group.name(0), group.domain[value], group.semantics, ruled_out, others, family)


def _known_people(settings: Settings) -> str:
    rules_out, others, family = (amount_in(settings, name) for name in ("rules_out", "others", "family"))
    words = [f"{counted(rules_out, 'value')} that the person does not have"] if rules_out else []
    words += [f"{others:,} other {form('person', others)} of the same group, with their values"] if others else []
    if family:
        shared = "of whom it is known that, if they have a value, the person has it too"
        words.append(f"{family:,} other {form('person', family)} (family) {shared}")
    return f"{ROW}; and {'; '.join(words) if words else 'nothing more'}"


@dataclass(frozen=True)
class Acquaintance(Targeted):
    """How sure can someone get who knows this much about the target, about others, and about the target's family?

    The attacker knows at most ℓ = `rules_out` values that the target does not have, the values of k = `others` other
    people, and of m = `family` people that, if one of them has the value, so has the target.  The worst over all
    targets, people and values; max Pr(t has σ | knowledge) = 1/(1+NR).  With `value`, for that σ alone, or for any of
    several (in sets, whose number of people is not published, the most there could be); else the worst over all values
    `apart_from` those named.  Where a person may have several values, the facts are "if the target has x, then σ"
    for ℓ values, and that k others do not have σ.

    >>> hospital = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}, {"Flu": 1, "Cold": 3}])
    >>> finding = Acquaintance(rules_out=1).measure(hospital)
    >>> finding.value
    Fraction(1, 1)
    >>> print(Acquaintance(rules_out=1, value="Heart disease").measure(hospital).explain())
    In group 1 anyone, the target, could be shown to have Heart disease with probability 1/3 by someone who knows that \
the target does not have Flu.

    Source: Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007.
    """

    rules_out: int = field(default=0, metadata=whole(most=MOST_OF_ANYTHING))
    others: int = field(default=0, metadata=whole(most=MOST_OF_ANYTHING))
    family: int = field(default=0, metadata=whole(most=MOST_OF_ANYTHING))
    value: Value = field(default=None, metadata=read(read_value))

    name: ClassVar[str] = "acquaintance"
    attacker = Attacker(
        "an acquaintance: a neighbour, a colleague, one of the family",
        _known_people,
        "how sure an acquaintance could become",
        "facts",
    )
    depends_on_whole: ClassVar[bool] = False
    also_called = ("privacy skyline",)
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING
    more_is_worse = ("rules_out", "others", "family")

    def monotonicity(self, semantics: Semantics) -> Monotonicity:
        """Never rises in `single`; where people have several values, merging may help an attacker."""
        return self.when_groups_merge if semantics == "single" else Monotonicity.UNKNOWN

    def least_people(self, semantics: Semantics) -> int:
        """Return how many people a group needs: an attacker who knows all others in it knows the target too."""
        return self.others + 2 if semantics == "single" and self.targets.every_value else 1

    def belief_at(self, limit: Fraction) -> Fraction | None:
        """Return the limit: an attacker who knows less believes no more."""
        return limit if self.targets.every_value else None

    def summarize(self, groups: Groups) -> Summary:
        seen = self.targets.view(groups)
        minima = FiveMinima.from_groups(seen, self.targets.indices(seen), self._knowledge)
        return Summary(minima, FiveMinima.merge, partial(self._find_worst, groups.domain))

    def measure(self, release: Release) -> Finding:
        self.check(release)
        return reduce(Summary.merge, map(self.summarize, cut_groups(release.groups, self.rules_out))).finding()

    def _find_worst(self, domain: tuple[Label, ...], minima: FiveMinima) -> Finding:
        """Return the finding on the worst value; of equally bad ones the first in the domain."""
        worst, notes = minima.worst(), self.targets.notes(domain)
        if worst is None:
            return Finding(self, Fraction(0), None, (self.targets.nobody(), *notes))
        column, arrangement, risk = worst
        witness = worst_investigation(minima, column, arrangement)
        return Finding(self, risk, replace(witness, any_of=self.targets.members(domain)), notes)

    def screen(self) -> AcquaintanceScreen:
        return AcquaintanceScreen(self._knowledge, self.targets)

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, AcquaintanceWitness):
            return "Nobody can be shown to have it: " + "; ".join(finding.notes) + "."
        return finding.witness.explain(finding.value)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds that fit what the witness knows: one by one when few, by closed forms when many."""
        assert isinstance(witness, AcquaintanceWitness)
        facts, release = witness.investigation, self.targets.view_release(release)
        # where worlds are few, nothing of the closed forms is used
        if has_few_worlds(release, facts, 2_000):
            return investigation_probability(release, facts)

        def risk(arithmetic: RatioArithmetic[Any]) -> Amount:
            has, lacks = odds(release, facts, arithmetic.ratio)
            return arithmetic.risk(lacks / has) if has else Fraction(0)

        value = release.groups.code_of(facts.value)
        numbers = {facts.group, facts.family.group if facts.family else facts.group}
        groups = [ValueInGroup.from_row(release.group(number), 0, value, self.rules_out) for number in numbers]
        return compute_exactly(sum(each.bits(self.family) for each in groups), BITS_REPORTED, risk)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        knows = (Knowledge(1, 0, 0), Knowledge(0, 2, 0), Knowledge(0, 1, 2), Knowledge(1, 1, 1))
        targets = examples_of_targets(domain)
        return tuple(cls(*each, **targets[at % len(targets)]) for at, each in enumerate((*knows, *knows[::-1])))

    @property
    def _knowledge(self) -> Knowledge:
        return Knowledge(self.rules_out, self.others, self.family)


ABSENT = (np.inf, np.inf, 0.0, np.inf, 0.0)
"""The five logarithms where nobody has the value: T = ∞, V = 1."""


@dataclass(frozen=True)
class AcquaintanceScreen(Screen):
    """Five logarithms of odds per value in question; the smallest of each decide.

    Claim       Where people have one value each, the most frequent value in question has all five of a group's minima:
                with s = a + the ℓ most frequent others, T = (n − s − k)/a, and s never falls as a grows (it is the
                sum of the ℓ+1 most frequent, or a and the ℓ most frequent); V falls as a grows.
    """

    knowledge: Knowledge
    targets: Targets

    @property
    def group_by_group(self) -> bool:  # type: ignore[override]
        """Whether nothing is known about a family: V is 1, and others do most in the target's own group."""
        return self.knowledge.family == 0

    def rows(self, groups: Groups) -> Floats:
        seen = self.targets.view(groups)
        counts = seen.counts.dense()[:, self.targets.indices(seen)]
        products = zip(self._log_products(seen, counts), ABSENT, strict=True)
        return np.hstack([np.where(counts > 0, logs, absent) for logs, absent in products])

    def _log_products(self, seen: Groups, counts: Integers) -> tuple[Floats, ...]:
        weights = ruled_out_weights(seen, counts, self.knowledge.rules_out)
        # where nobody has the value, one in its place keeps the logarithms finite until something replaces them
        sizes, at_least_one = seen.sizes[:, np.newaxis], np.maximum(counts, 1)
        return log_products(seen.semantics, sizes, at_least_one, weights, self.knowledge)

    def slack(self, people: int) -> float:
        """As much as logarithms may be off; a value, between 0 and 1, is off by a quarter of that at most."""
        return float(tolerance(0.0, min(self.knowledge.family, people)))

    def margin(self, bound: float, people: int) -> float:
        """Twice as far as logarithms may be off, as a change of the bound b: 2τ·b(1−b), and the rounding of the value.

        Let x = ln NR, x̃ its float, |x̃ − x| ≤ τ, and b = 1/(1+e^β).  Where 1/(1+e^x̃) and 1/(1+e^x) are not on the same
        side of b, β is between x̃ and x: |x̃ − β| ≤ τ.  The slope of v = 1/(1+e^x) is v(1−v), which changes by at most a
        factor e^τ < 2 within τ of β, so v(x̃) is within 2τ·b(1−b) of b.  At b = 0.9999 that is τ/5000.

        τ is tighter than `tolerance`, as x is near β: ln T ≤ ln n and ln V ≤ 0 add up to it, so that no logarithm is
        above a hundred or so, and each is off by a few 2⁻⁵³ of that; log-factorials of groups below 1,024 people, up to
        6,080, by less than 1e-11; a family adds what it adds there.
        """
        # ln NR near a limit, a family's part aside, is off by a tenth of 1e-10 at most
        off = 1e-10 + OFF_PER_RELATIVE * min(self.knowledge.family, people)
        # a value between 0 and 1 is rounded, once its logarithm is known, by a few times 2⁻⁵³
        return 2 * off * max(bound * (1 - bound), 0.0) + 1e-15

    def harmless(self, release: Floats, rows: Floats) -> Flags:
        """Return where no value would have less odds against it than the worst of the release has: floats can tell.

        With the row, a value keeps all five minima, or clearly stays above the least odds; without some groups no
        minimum is less.
        """
        # a row is five minima of each value, side by side: (rows, 5, values)
        minima, joining = (each.reshape(len(each), len(ABSENT), -1) for each in (release, rows))
        absent = np.isposinf(joining[:, 1])  # no target: these groups have nobody with the value
        settled = np.isneginf(minima)  # nothing is less
        finite = np.where(np.isfinite(minima), minima, 0.0)
        above = joining > minima + tolerance(finite, self.knowledge.family)
        worst = float(least_product(minima.swapaxes(0, 1)).min(initial=np.inf))
        against = least_product(np.minimum(joining, minima).swapaxes(0, 1))
        beyond = against > worst + tolerance(worst if math.isfinite(worst) else 0.0, self.knowledge.family)
        return np.asarray(np.logical_and.reduce((above | settled).all(axis=1) | absent | beyond, axis=1))

    def kinds(self, groups: Groups) -> Integers:
        """The size, the counts in question, and the largest of the others, as many as can be ruled out."""
        seen = self.targets.view(groups)
        counts, targets = seen.counts.dense(), self.targets.indices(seen)
        # which of the values in question has which count does not matter, nor which others are ruled out
        others = -np.sort(-np.delete(counts, targets, axis=1), axis=1)[:, : self.knowledge.rules_out]
        return np.column_stack((seen.sizes, np.sort(counts[:, targets], axis=1), others))

    def join(self, one: Floats, other: Floats) -> Floats:
        return np.minimum(one, other)

    def value(self, rows: Floats) -> Floats:
        """Return 1/(1+NR) for the value with the least odds against it."""
        # (rows, 5 · values) to (5, rows, values): one array for each of the five minima
        minima = rows.reshape(len(rows), len(ABSENT), -1).swapaxes(0, 1)
        return np.asarray(1 / (1 + np.exp(least_product(minima).min(axis=1, initial=np.inf))))

    def group_values(self, groups: Groups) -> Floats:
        """Return each group's risk; with one value each, the most frequent value in question is most at risk."""
        seen = self.targets.view(groups)
        targets = self.targets.indices(seen)
        if seen.semantics != "single" or len(targets) < 2:
            return super().group_values(groups)
        cells = seen.counts.dense()
        most = (cells if len(targets) == cells.shape[1] else cells[:, targets]).max(axis=1)[:, np.newaxis]
        logs = least_product(self._log_products(seen, most))
        return np.asarray(np.where(most > 0, 1 / (1 + np.exp(logs)), 0.0)[:, 0])
