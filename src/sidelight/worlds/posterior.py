"""Probabilities for an attacker who saw a release and knows some facts.

    posterior(release, target, given=facts)     Pr(target | facts) = worlds where both hold / worlds where the facts do
    posteriors(release, given=facts)            the same for each value of all people whom the facts concern
    given="Ann = Flu with 0.9"                  worlds weigh more or less, by Jeffrey's rule (`reports`)

Counting comes first (`counting`); where it exceeds the allowed effort, facts that cannot all hold are still found, and
there are bounds and estimates (`estimate`), of all values of a person from the same worlds.

Few people need be counted.  Of people who are *interchangeable* in the facts (same group, and swapping them leaves the
facts as they are) one stands for all.  A person whom the facts do not mention has, where nobody has a value twice, what
the mentioned people leave: (n_g(v) − Σ their probabilities of v) / how many are not mentioned.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

import numpy as np

from sidelight.errors import BadKnowledge, Contradiction, TooHard, expect, parameter
from sidelight.knowledge.facts import (
    Atom,
    Fact,
    Has,
    Someone,
    Who,
    all_of,
    as_who,
    expect_hard,
    fold,
    named_values,
    person_text,
)
from sidelight.knowledge.parse import Knowledge, as_fact, read_facts
from sidelight.release.locate import Locate, Lookup, SuppressedPeople
from sidelight.release.release import Release
from sidelight.rounding import short_decimal
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import expect_one_sensitive
from sidelight.text import counted, html_table
from sidelight.worlds.closed_forms import SurestGuess, surest_elsewhere, values_in_question
from sidelight.worlds.counting.compile import Effort, Meter, OverEffort, WeightedFact
from sidelight.worlds.counting.counter import WorldCounter
from sidelight.worlds.estimate import (
    Attempts,
    Estimate,
    as_generator,
    estimate_probabilities,
    minimum_unsatisfiable_subset,
    world_search,
)
from sidelight.worlds.identify import Entities, identify
from sidelight.worlds.reports import contradiction, separate, weigh

if TYPE_CHECKING:
    from sidelight.release.groups import GroupName
    from sidelight.table.hierarchy import Hierarchy

MOST_SECONDS = 3
"""The time for a smallest set of contradictory facts; after it, a minimal one will do."""


@dataclass(frozen=True, slots=True)
class InformedAttacker:
    """An attacker who saw a release and knows some facts: what is certain, likely and impossible to them."""

    release: Release
    facts: tuple[Fact, ...]
    entities: Entities
    effort: Effort
    counter: WorldCounter
    notes: tuple[str, ...] = ()  # what was assumed to find people, and how soft facts were taken

    @classmethod
    def identify(
        cls,
        release: Release,
        facts: Sequence[Fact],
        *,
        people: Iterable[Who] = (),
        effort: Effort | None = None,
        lookup: Lookup | None = None,
    ) -> InformedAttacker:
        """Identify the people of the facts and of a question."""
        everyone = dict.fromkeys([*(who for fact in facts for who in fact.people()), *people])
        entities = identify(release, everyone, lookup)
        effort = Effort() if effort is None else expect(Effort, effort, parameter("effort"))
        hard, soft = separate(facts)
        attacker = cls(release, hard, entities, effort, WorldCounter(release, entities, Meter(effort)), entities.notes)
        if not soft:
            return attacker
        try:
            # only worlds that fit the hard facts can be weighed by soft ones
            if not attacker.counter.probability(hard):
                raise attacker.contradiction()
            weighed = weigh(attacker.counter, hard, soft)
            if weighed is None:
                raise _contradiction([*hard, *soft])
        except OverEffort:
            attacker.check_satisfiable(attacker._attempts().meter())
            raise _soft_and_too_hard() from None
        return replace(attacker, facts=weighed[0], notes=(*entities.notes, *weighed[1]))

    @property
    def hard_facts(self) -> tuple[Fact, ...]:
        """The facts that rule worlds out, unlike those that weigh them."""
        return tuple(fact for fact in self.facts if not isinstance(fact, WeightedFact))

    @property
    def is_weighted(self) -> bool:
        """Whether some worlds weigh more than others."""
        return len(self.hard_facts) < len(self.facts)

    def probability(self, target: Fact) -> Fraction:
        """Return Pr(target | facts); raise `Contradiction` or `TooHard`."""
        try:
            possible, both = self.counter.joint(self.facts, target)
        except OverEffort:
            raise self._give_up(target) from None
        if not possible:
            raise self.contradiction()
        return both / possible

    def value_probabilities(self, who: Who) -> dict[Label, Fraction]:
        """Return Pr(the person has v | facts) for each value v that occurs in the person's group."""
        try:
            possible = self.counter.probability(self.facts)
            marginals = self.counter.marginals(self.facts, who) if possible else {}
        except OverEffort:
            raise self._give_up() from None
        if not possible:
            raise self.contradiction()
        return {value: probability / possible for value, probability in marginals.items()}

    def estimate(self, target: Fact, *, rng: np.random.Generator, samples: int, confidence: float) -> Estimate:
        """Return Pr(target | facts), from worlds sampled at random where it cannot be counted."""
        try:
            return Estimate.exactly(self.probability(target), confidence)
        except TooHard as bounds:
            estimates = self.estimates([target], rng=rng, samples=samples, confidence=confidence)
            if not estimates:
                raise
            return estimates[0].clip(bounds.low, bounds.high)

    def estimates(
        self, targets: Sequence[Fact], *, rng: np.random.Generator, samples: int, confidence: float
    ) -> list[Estimate]:
        """Estimate the probabilities of several targets about the same people; empty if no sampled world fits."""
        if self.is_weighted:
            raise _soft_and_too_hard()
        return estimate_probabilities(
            self._attempts(), targets, self.facts, rng=rng, samples=samples, confidence=confidence
        )

    def _attempts(self) -> Attempts:
        return Attempts(self.counter, Meter(self.effort))

    def check_satisfiable(self, meter: Meter) -> None:
        """Raise `Contradiction` for facts that cannot all hold, as far as a search without counting shows."""
        try:
            is_satisfiable = world_search(self.release, self.entities, self.hard_facts, meter)
            satisfiable = is_satisfiable(range(len(self.hard_facts)))
        except OverEffort:
            return
        if not satisfiable:
            raise self.contradiction()

    def contradiction(self) -> Contradiction:
        """Return the error that names a minimum set of facts that no world fits."""
        meter = Meter(Effort(self.effort.states, MOST_SECONDS))
        facts = self.hard_facts
        is_satisfiable = world_search(self.release, self.entities, facts, meter)

        def unsatisfiable(chosen: Sequence[int]) -> bool:
            if meter.is_late():
                return False  # unknown, so not blamed
            try:
                return not is_satisfiable(chosen)
            except OverEffort:
                pass  # the search is given up: it may be counted
            try:
                return self.counter.probability([facts[number] for number in chosen]) == 0
            except OverEffort:
                return False

        return _contradiction([facts[number] for number in minimum_unsatisfiable_subset(len(facts), unsatisfiable)])

    def _give_up(self, target: Fact | None = None) -> TooHard:
        """Return the error that counting takes too long, with bounds on a target; raise if the facts contradict."""
        attempts = self._attempts()  # a new effort, as large
        self.check_satisfiable(attempts.meter())
        if self.is_weighted:
            return _soft_and_too_hard()
        return self._too_hard(*((Fraction(0), Fraction(1)) if target is None else attempts.bounds(target, self.facts)))

    def _too_hard(self, low: Fraction, high: Fraction) -> TooHard:
        known = f"between {short_decimal(low, up=False)} and {short_decimal(high)}"
        message = (
            f"counting the worlds takes more than the allowed effort of {self.effort.states:,} states; what is known: "
            f"{known}; give a larger effort=, or ask for approximate=True"
        )
        return TooHard(message, low=low, high=high)


def _soft_and_too_hard() -> TooHard:
    message = (
        "counting the worlds that soft facts weigh takes more than the allowed effort, and they are never estimated; "
        "allow more, or take some of them back"
    )
    return TooHard(message)


def _contradiction(blamed: Sequence[Fact]) -> Contradiction:
    cannot = "cannot hold" if len(blamed) == 1 else "cannot all hold"
    return contradiction(blamed, cannot, what="world", remedy="take {} back")


@overload
def posterior(
    release: Release,
    target: str | Fact,
    *,
    given: Knowledge = None,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | None = None,
    suppressed: SuppressedPeople | None = None,
    effort: Effort | None = None,
    approximate: Literal[False] = False,
) -> Fraction: ...


@overload
def posterior(
    release: Release,
    target: str | Fact,
    *,
    given: Knowledge = None,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | None = None,
    suppressed: SuppressedPeople | None = None,
    effort: Effort | None = None,
    approximate: Literal[True],
    rng: int | np.random.Generator,
    confidence: float = 0.95,
    samples: int = 2_000,
) -> Estimate: ...


def posterior(
    release: Release,
    target: str | Fact,
    *,
    given: Knowledge = None,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | None = None,
    suppressed: SuppressedPeople | None = None,
    effort: Effort | None = None,
    approximate: bool = False,
    rng: int | np.random.Generator | None = None,
    confidence: float = 0.95,
    samples: int = 2_000,
) -> Fraction | Estimate:
    """Return the probability of `target` for an attacker who saw this release and knows `given`.

    Worlds where both hold / worlds where `given` holds, exactly, in each of the three semantics.  Only the groups that
    are mentioned matter, and in them only the people and values that are.

    Args:
        release: what was published.
        target: what the question is about, such as "Charlie = Flu".
        given: what is known: a fact, its text, or several of them; soft ones ("Ann = Flu with 0.9") weigh worlds by
            Jeffrey's rule, and several about different people are independent reports.
        by: hierarchies: a printed label also covers the values under it, for people who are described by columns.
        locate: how people who are described are found, as in `intersect`.
        suppressed: "may hold them": people who fit nothing that is printed are looked for among the rows that are `*`
            throughout; default: they are not located, which is an error.
        effort: how much counting is allowed.
        approximate: where that is not enough, draw worlds at random; the answer is then always an `Estimate`.
        rng: a seed or a NumPy generator, needed to draw worlds; the same seed gives the same answer, unless the
            effort's seconds run out.
        confidence: the confidence of the interval of an estimate.
        samples: how many worlds that fit the facts an estimate is made from.

    Raises:
        Contradiction: no world fits the facts; names a smallest set of them.
        TooHard: counting takes more than the allowed effort; has the bounds that are known.

    >>> named = Release.from_groups([
    ...     (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
    ...     (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"])])
    >>> posterior(named, "Charlie = Flu", given="Hannah = Flu -> Charlie = Flu")
    Fraction(10, 19)
    >>> posterior(named, "Charlie = Flu", given=["Bob = Flu", "Charlie = Flu", "Dave = Flu"])
    Traceback (most recent call last):
    sidelight.errors.Contradiction: no world fits the release and the facts: 'Bob = Flu' and 'Charlie = Flu' and ...
    >>> posterior(named, "Charlie = Flu", given="Bob = Flu with 0.9")  # 9/10 · 1/4 + 1/10 · 2/4
    Fraction(11, 40)

    Source: Martin et al., Worst-case background knowledge, ICDE 2007, section 2; soft facts: Chen et al., Privacy
    Skyline, VLDB 2007, section 8.
    """
    expect(Release, release, "the release")
    expect_one_sensitive(release, "what somebody believes")
    fact = as_fact(target)
    expect_hard([fact], "a question")
    expect(bool, approximate, parameter("approximate"))
    lookup = Lookup.build(by, locate, suppressed)
    attacker = InformedAttacker.identify(release, read_facts(given), people=fact.people(), effort=effort, lookup=lookup)
    if not approximate:
        return attacker.probability(fact)
    return attacker.estimate(fact, rng=as_generator(rng), samples=samples, confidence=confidence)


@dataclass(frozen=True, slots=True, repr=False)
class Belief(Mapping[Label, Fraction]):
    """The probability of each value of a person, for an attacker who knows the facts; and `before` them."""

    person: Who
    group: GroupName
    before: Mapping[Label, Fraction]
    after: Mapping[Label, Fraction]
    unnamed: bool = False  # anyone of the group whom the facts do not mention
    notes: tuple[str, ...] = ()  # what was assumed to find people
    estimates: Mapping[Label, Estimate] = field(default_factory=dict)  # of `after`, where worlds were sampled

    def __getitem__(self, value: object) -> Fraction:
        return self.after[label(value)]

    def __iter__(self) -> Iterator[Label]:
        return iter(self.after)

    def __len__(self) -> int:
        return len(self.after)

    @property
    def moved(self) -> Fraction:
        """The largest change in the probability of a value."""
        return max(abs(self.after[value] - self.before[value]) for value in self.after)

    @property
    def value(self) -> Label:
        """The value whose probability changed most."""
        return max(self.after, key=lambda value: abs(self.after[value] - self.before[value]))

    def __str__(self) -> str:
        return f"anyone else in {self.group}" if self.unnamed else person_text(self.person)

    def __repr__(self) -> str:
        return f"<Belief about {self._describe()}>"

    def _repr_html_(self) -> str:
        rows = [(shown(value), self.before[value], self.after[value]) for value in self]
        return html_table(f"Belief about {self}", ["value", "before", "after"], rows, total=len(rows))

    def _describe(self) -> str:
        return f"{self}: {shown(self.value)} {self.before[self.value]} → {self.after[self.value]}"


@dataclass(frozen=True, slots=True, repr=False)
class Posteriors:
    """The beliefs about everybody whom the facts concern; nothing changes for people in other groups."""

    release: Release
    beliefs: tuple[Belief, ...]

    def of(self, person: object) -> Belief:
        """Return the belief about a person whom the facts mention."""
        who = as_who(person)
        for belief in self.beliefs:
            if belief.person == who:
                return belief
        raise BadKnowledge(f"the facts do not mention {person_text(who)}; ask posteriors(…, person=…) about others")

    def top(self, n: int = 10) -> tuple[Belief, ...]:
        """Return the n people about whom beliefs move most, in that order.

        People of a group whom the facts do not mention are interchangeable and listed once.
        """
        return tuple(sorted(self.beliefs, key=lambda belief: -belief.moved)[: max(n, 0)])

    def surest(self, *, apart_from: Sequence[Label] = ()) -> SurestGuess:
        """Return the person and value of the largest probability, over everybody in the release.

        This is what the facts disclose at most (definition 5 of Martin et al.); people in groups that they do not
        concern count too.  Values in `apart_from` are left out, as nothing to protect.

        >>> release = Release.from_counts([{"Flu": 2, "Cold": 2}, {"Flu": 2, "Cold": 1}])
        >>> posteriors(release, given="#1 != Flu -> #2 = Flu").surest()
        <SurestGuess: #2: Flu with probability 4/5>
        >>> posteriors(release).surest()
        <SurestGuess: #2: Flu with probability 2/3>
        """
        indices = values_in_question(self.release, apart_from)
        values = [self.release.domain[index] for index in indices]
        guesses = [
            SurestGuess(belief.person, belief.group, value, belief.after[value], belief.before[value], belief.unnamed)
            for belief in self.beliefs
            for value in values
        ]
        elsewhere = surest_elsewhere(self.release, {belief.group.number for belief in self.beliefs}, indices)
        # of equal ones the first: people whom the facts mention stand before those whom they do not concern
        return max([*guesses, *([elsewhere] if elsewhere else [])], key=lambda guess: guess.probability)

    def __repr__(self) -> str:
        most = "".join(f"; moved most: {belief._describe()}" for belief in self.top(1))
        return f"<Posteriors: {counted(len(self.beliefs), 'belief')}{most}>"

    def _repr_html_(self) -> str:
        rows = (
            (str(each), shown(each.value), each.before[each.value], each.after[each.value])
            for each in self.top(len(self.beliefs))
        )
        title = "Beliefs, the ones that moved most first"
        return html_table(title, ["person", "value", "before", "after"], rows, total=len(self.beliefs))


@overload
def posteriors(
    release: Release,
    *,
    given: Knowledge = None,
    person: None = None,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | None = None,
    suppressed: SuppressedPeople | None = None,
    effort: Effort | None = None,
) -> Posteriors: ...


@overload
def posteriors(
    release: Release,
    *,
    given: Knowledge = None,
    person: object,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | None = None,
    suppressed: SuppressedPeople | None = None,
    effort: Effort | None = None,
) -> Belief: ...


def posteriors(
    release: Release,
    *,
    given: Knowledge = None,
    person: object = None,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | None = None,
    suppressed: SuppressedPeople | None = None,
    effort: Effort | None = None,
) -> Belief | Posteriors:
    """Return the probability of each value of a person, or of everybody concerned, for an attacker who knows `given`.

    The other parameters are those of `posterior`; a belief's `notes` say what it rests on.

    >>> named = Release.from_groups([
    ...     (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
    ...     (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"])])
    >>> belief = posteriors(named, given="Hannah = Flu -> Charlie = Flu", person="Charlie")
    >>> belief["Flu"], belief.before["Flu"], belief["Heart"]
    (Fraction(10, 19), Fraction(2, 5), Fraction(3, 19))
    >>> for belief in posteriors(named, given="Hannah = Flu -> Charlie = Flu").top(3):
    ...     print(belief, belief.value, belief.moved)
    Hannah Flu 18/95
    Charlie Flu 12/95
    anyone else in group 2 Flu 9/190
    """
    expect(Release, release, "the release")
    expect_one_sensitive(release, "what somebody believes")
    facts, lookup = read_facts(given), Lookup.build(by, locate, suppressed)
    if person is not None:
        return _beliefs(release, facts, [as_who(person)], [], effort=effort, lookup=lookup)[0]
    mentioned = list(dict.fromkeys(who for fact in facts for who in fact.people()))
    entities = identify(release, mentioned, lookup)
    unnamed: list[Who] = []  # someone whom the facts do not mention in each group that they do, if there is anybody
    for group in dict.fromkeys(entities.group_of.values()):
        people = entities.list_members(group)
        if len(people) < release.groups.sizes[group]:
            numbers = {who.number for who in people if isinstance(who, Someone)}
            # the smallest number that no one mentioned in the group has
            unnamed.append(Someone(group + 1, min({*range(1, len(numbers) + 2)} - numbers)))
    return Posteriors(release, _beliefs(release, facts, mentioned, unnamed, effort=effort, lookup=lookup))


def _beliefs(
    release: Release,
    facts: tuple[Fact, ...],
    mentioned: list[Who],
    unnamed: list[Who],
    *,
    effort: Effort | None,
    lookup: Lookup,
) -> tuple[Belief, ...]:
    everyone = [*mentioned, *unnamed]
    uninformed = InformedAttacker.identify(release, (), people=everyone, lookup=lookup)
    entities = uninformed.entities
    # Without facts all people of a group are exchangeable, so one of them is counted.  Nothing is scheduled then, which
    # takes hardly any effort, however little is allowed.
    someone = {group: who for who, group in entities.group_of.items()}
    before = {group: uninformed.value_probabilities(who) for group, who in someone.items()}
    attacker = InformedAttacker.identify(release, facts, people=everyone, effort=effort, lookup=lookup)
    after = _compute_after(attacker, mentioned, unnamed)
    # values that nobody in a group has are impossible, but are listed all the same
    nobody = dict.fromkeys(release.domain, Fraction(0))
    return tuple(
        Belief(
            who,
            release.groups.name(group),
            nobody | before[group],
            nobody | after[who],
            unnamed=position >= len(mentioned),
            notes=attacker.notes,
        )
        for position, (who, group) in enumerate(entities.group_of.items())
    )


def _compute_after(
    attacker: InformedAttacker, mentioned: list[Who], unnamed: list[Who]
) -> dict[Who, dict[Label, Fraction]]:
    """Return the probability of each value of each person; one of interchangeable people is counted."""
    release, group_of = attacker.release, attacker.entities.group_of
    representative = representatives(attacker.facts, group_of)
    # where nobody has a value twice, expected numbers add up, so the unnamed need not be counted
    counted_ones = [*mentioned, *unnamed] if release.semantics == "multiset" else mentioned
    probabilities = {
        who: attacker.value_probabilities(who) for who in dict.fromkeys(representative[who] for who in counted_ones)
    }
    after = {who: probabilities[representative[who]] for who in counted_ones}
    for who in unnamed:
        if who not in after:
            group = group_of[who]
            others = [after[other] for other in mentioned if group_of[other] == group]
            # all others of the group share what is left equally: as many people have a value as are printed
            left = int(release.groups.sizes[group]) - len(others)
            after[who] = {
                value: (count - sum((belief[value] for belief in others), Fraction(0))) / left
                for value, count in release.groups.value_counts(group).items()
            }
    return after


Naming: TypeAlias = Callable[[Who], Hashable]

MOST_COMPARED = 200_000
"""The number of facts × people up to which people are compared."""


def representatives(facts: Sequence[Fact], groups: Mapping[Who, int]) -> dict[Who, Who]:
    """Return a representative of each person: someone of the same group who is interchangeable in all facts.

    >>> differ = read_facts("not same(Ann, Bob) and not same(Bob, Cleo) and not same(Cleo, Ann) and Dan = Flu")
    >>> representatives(differ, dict.fromkeys(["Ann", "Bob", "Cleo", "Dan", "Eve"], 0))
    {'Ann': 'Ann', 'Bob': 'Ann', 'Cleo': 'Ann', 'Dan': 'Dan', 'Eve': 'Eve'}
    """
    # beyond that everybody stands for themselves, which takes longer and changes no answer
    if sum(len(list(fact.atoms())) * len(fact.people()) for fact in facts) > MOST_COMPARED:
        return {who: who for who in groups}
    about: dict[Who, list[Fact]] = {who: [] for who in groups}
    for fact in facts:
        for who in fact.people():
            about[who].append(fact)

    def profile(who: Who) -> Hashable:
        # others are named by their groups: people who differ here are not interchangeable
        return frozenset(_fact_shape(fact, lambda other: "I" if other == who else groups[other]) for fact in about[who])

    def interchangeable(one: Who, other: Who) -> bool:
        # facts that mention neither of them stay as they are
        among, swapped = {*about[one], *about[other]}, {one: other, other: one}
        exchanged = {_fact_shape(fact, lambda who: swapped.get(who, who)) for fact in among}
        return {_fact_shape(fact, lambda who: who) for fact in among} == exchanged

    candidates: dict[Hashable, list[Who]] = {}
    representative: dict[Who, Who] = {}
    for who in groups:
        # equal profiles are necessary, and cheap to compare; only then is the exchange tried, with a few others
        others = candidates.setdefault((groups[who], profile(who)), [])
        representative[who] = next((each for each in others[:5] if interchangeable(each, who)), who)
        if representative[who] == who:
            others.append(who)
    return representative


def _fact_shape(fact: Fact, name: Naming) -> Hashable:
    """Return a fact with people renamed, independent of the order of joined parts."""
    if isinstance(fact, WeightedFact):
        return fact.if_true, fact.if_false, _fact_shape(fact.fact, name)

    def literal(atom: Atom, positive: bool) -> Hashable:  # noqa: FBT001 - as facts are folded
        return frozenset(map(name, atom.about())), frozenset(named_values(atom)), positive

    def join(word: str) -> Callable[[list[Hashable]], Hashable]:
        return lambda parts: (word, frozenset(parts))

    return fold(fact, literal, conjunction=join("and"), disjunction=join("or"))


def estimate_belief(
    release: Release,
    facts: Sequence[Fact],
    before: Belief,
    *,
    effort: Effort,
    lookup: Lookup,
    rng: np.random.Generator,
    samples: int,
    confidence: float,
) -> Belief:
    """Estimate what an attacker who knows the facts believes about a person of whom `before` was believed."""
    attacker = InformedAttacker.identify(release, facts, people=[before.person], effort=effort, lookup=lookup)
    # only values that occur need worlds: all others are impossible, exactly
    values = [value for value in before if before[value]]
    targets = [Has(before.person, value) for value in values]
    estimates = attacker.estimates(targets, rng=rng, samples=samples, confidence=confidence)
    if not estimates:
        raise TooHard(
            f"of the worlds that were drawn, none fits the facts; draw more with {parameter('samples')}, "
            f"or count more with {parameter('states')} and {parameter('seconds')}"
        )
    never = Estimate.exactly(Fraction(0), confidence)
    by_value = dict.fromkeys(before, never) | dict(zip(values, estimates, strict=True))
    after = {value: each.value for value, each in by_value.items()}
    return Belief(before.person, before.group, before.before, after, notes=attacker.notes, estimates=by_value)


def covering_k(release: Release, given: Knowledge) -> int:
    """Return the k for which `Implications(k)` covers an attacker who knows `given`.

    In this release k basic implications imply the facts, so that nobody who knows these is more confident of a value
    than `Implications(k).measure(release)`; k is as small as was found.  People can only have what occurs in their
    group, so that k is at most the number of `fact.basic_implications(values)`.  One value per person.

    >>> named = Release.from_groups([
    ...     (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
    ...     (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"])])
    >>> covering_k(named, "Hannah = Flu -> Charlie = Flu"), covering_k(named, "Ed = Flu")
    (1, 2)

    Raises:
        Contradiction: no world fits the facts.
        TooHard: they take too many basic implications to say.

    Source: Martin et al., Worst-case background knowledge, ICDE 2007, theorem 3.
    """
    expect(Release, release, "the release")
    expect_one_sensitive(release, "what somebody believes")
    if release.semantics != "single":
        raise BadKnowledge(
            "which k covers facts is told where everybody has one value; this release has "
            f"{parameter('values', release.semantics)}"
        )
    facts = read_facts(given)
    expect_hard(facts, "what Implications(k) covers")
    attacker = InformedAttacker.identify(release, facts)
    # facts that contradict the release would be covered by anything
    attacker.check_satisfiable(Meter(Effort()))
    possible = {who: [*release.groups.value_counts(group)] for who, group in attacker.entities.group_of.items()}
    return len(all_of(facts).basic_implications(possible)) if facts else 0
