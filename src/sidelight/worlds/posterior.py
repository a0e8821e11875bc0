"""How sure of something is one who saw a release and knows some facts?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, overload

import numpy as np

from sidelight.errors import BadKnowledge, TooHard
from sidelight.knowledge.facts import And, Fact, Has, Implies, Not, OneOf, Or, Same
from sidelight.knowledge.parse_facts import Knowledge, as_fact, read_facts
from sidelight.knowledge.people import Someone, Who, as_who, person_text
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.table.labels import Label, label
from sidelight.worlds.counting.counter import Counting
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.estimate import Attempts, Estimate, estimated, generator
from sidelight.worlds.identify import Entities, identify
from sidelight.worlds.satisfiable import Possible
from sidelight.worlds.smallest_conflict import contradiction


@dataclass(frozen=True, slots=True)
class Knowing:
    """Somebody who saw a release and knows some facts."""

    release: Release
    facts: tuple[Fact, ...]
    entities: Entities
    effort: Effort
    counting: Counting

    @classmethod
    def of(
        cls, release: Release, facts: Sequence[Fact], *, people: Iterable[Who] = (), effort: Effort | None = None
    ) -> Knowing:
        """Find the people of the facts, and whoever else is asked about."""
        entities = identify(release, dict.fromkeys([*(who for fact in facts for who in fact.people()), *people]))
        effort = effort or Effort()
        return cls(release, tuple(facts), entities, effort, Counting(release, entities, Meter(effort)))

    def chance(self, target: Fact) -> Fraction:
        """Say how likely something is, or why that cannot be said."""
        try:
            possible, both = self.counting.shares(self.facts, target)
        except OverEffort:
            attempts = self._attempts()
            self._check_possible(attempts.meter())
            raise self._too_hard(*attempts.bounds(target, self.facts)) from None
        if not possible:
            raise contradiction(self.counting, self.facts)
        return both / possible

    def values(self, who: Who) -> dict[Label, Fraction]:
        """Say how likely each value of a person is that occurs in the person's group."""
        try:
            possible = self.counting.share(self.facts)
            shares = self.counting.values(self.facts, who) if possible else {}
        except OverEffort:
            self._check_possible(self._attempts().meter())
            raise self._too_hard(Fraction(0), Fraction(1)) from None
        if not possible:
            raise contradiction(self.counting, self.facts)
        return {value: share / possible for value, share in shares.items()}

    def estimate(self, target: Fact, *, rng: np.random.Generator, samples: int, confidence: float) -> Estimate:
        """Say how likely something is, from worlds drawn at random where it cannot be counted."""
        try:
            return Estimate.exactly(self.chance(target), confidence)
        except TooHard as known:
            drawn = self.estimates([target], rng=rng, samples=samples, confidence=confidence)
            if not drawn:
                raise
            return drawn[0].within(known.low, known.high)

    def estimates(
        self, targets: Sequence[Fact], *, rng: np.random.Generator, samples: int, confidence: float
    ) -> list[Estimate]:
        """Say how likely several things about the same people are, from worlds drawn at random; none if none fits."""
        return estimated(self._attempts(), targets, self.facts, rng=rng, samples=samples, confidence=confidence)

    def _attempts(self) -> Attempts:
        return Attempts(self.counting, Meter(self.effort))

    def _check_possible(self, meter: Meter) -> None:
        """Refuse facts that cannot be so even where their worlds cannot be counted."""
        try:
            possible = Possible(self.release, self.entities, meter).all_of(self.facts)
        except OverEffort:
            return
        if not possible:
            raise contradiction(self.counting, self.facts)

    def _too_hard(self, low: Fraction, high: Fraction) -> TooHard:
        message = (
            f"counting the worlds takes more than the allowed effort of {self.effort.states:,} states; what is known: "
            f"between {in_decimals(low)} and {in_decimals(high)}; give a larger effort=, or ask for approximate=True"
        )
        return TooHard(message, low=low, high=high)


def in_decimals(number: Fraction) -> str:
    """Show a probability shortly.

    >>> in_decimals(Fraction(1, 3)), in_decimals(Fraction(1))
    ('0.3333', '1')
    """
    return f"{float(number):.4g}"


@overload
def posterior(
    release: Release, target: str | Fact, *, given: Knowledge = None, effort: Effort | None = None
) -> Fraction: ...
@overload
def posterior(
    release: Release,
    target: str | Fact,
    *,
    given: Knowledge = None,
    effort: Effort | None = None,
    approximate: Literal[False],
) -> Fraction: ...
@overload
def posterior(
    release: Release,
    target: str | Fact,
    *,
    given: Knowledge = None,
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
    effort: Effort | None = None,
    approximate: bool = False,
    rng: int | np.random.Generator | None = None,
    confidence: float = 0.95,
    samples: int = 2_000,
) -> Fraction | Estimate:
    """How sure of `target` is one who saw this release and knows `given`?

    Worlds where both hold / worlds where `given` holds, exactly, in each of the three semantics.  Only the groups that
    are mentioned matter, and in them only the people and values that are.

    Args:
        release: what was published.
        target: what the question is about, such as "Charlie = Flu".
        given: what is known: a fact, its text, or several of them.
        effort: how much counting is allowed.
        approximate: where that is not enough, draw worlds at random; the answer is then always an `Estimate`.
        rng: a seed or a NumPy generator, needed to draw worlds; the same seed gives the same answer, unless the
            effort's seconds run out.
        confidence: how sure the interval of an estimate is.
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

    Source: Martin et al., Worst-case background knowledge, ICDE 2007, section 2.
    """
    wanted = as_fact(target)
    knowing = Knowing.of(release, read_facts(given), people=wanted.people(), effort=effort)
    if not approximate:
        return knowing.chance(wanted)
    return knowing.estimate(wanted, rng=generator(rng), samples=samples, confidence=confidence)


# ----------------------------------------------------------------------------------------------------
# What somebody who knows some facts believes about a person, and about whom the facts say most.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Belief(Mapping[Label, Fraction]):
    """How likely each value of a person is to one who knows the facts: a mapping, and what it was `before` them."""

    person: Who
    group: GroupName
    before: Mapping[Label, Fraction]
    after: Mapping[Label, Fraction]
    unnamed: bool = False  # anyone of the group whom the facts do not mention

    def __getitem__(self, value: object) -> Fraction:
        return self.after[label(value)]

    def __iter__(self) -> Iterator[Label]:
        return iter(self.after)

    def __len__(self) -> int:
        return len(self.after)

    @property
    def moved(self) -> Fraction:
        """By how much the probability of one value changed, at most."""
        return max(abs(self.after[value] - self.before[value]) for value in self.after)

    @property
    def value(self) -> Label:
        """The value whose probability changed most."""
        return max(self.after, key=lambda value: abs(self.after[value] - self.before[value]))

    def __str__(self) -> str:
        return f"anyone else in {self.group}" if self.unnamed else person_text(self.person)


@dataclass(frozen=True, slots=True)
class Posteriors:
    """What is believed about everybody whom the facts concern; nothing changes for anyone in other groups."""

    beliefs: tuple[Belief, ...]

    def of(self, person: object) -> Belief:
        """Give the belief about a person whom the facts mention."""
        who = as_who(person)
        for belief in self.beliefs:
            if belief.person == who:
                return belief
        message = f"the facts do not mention {person_text(who)}; ask posteriors(…, person=…) about others"
        raise BadKnowledge(message)

    def top(self, n: int = 10) -> tuple[Belief, ...]:
        """Give the n people about whom beliefs move most, whoever moves most first.

        People of a group whom the facts do not mention are all alike and stand there once.
        """
        return tuple(sorted(self.beliefs, key=lambda belief: -belief.moved)[: max(n, 0)])


@overload
def posteriors(
    release: Release, *, given: Knowledge = None, person: None = None, effort: Effort | None = None
) -> Posteriors: ...
@overload
def posteriors(
    release: Release, *, given: Knowledge = None, person: object, effort: Effort | None = None
) -> Belief: ...
def posteriors(
    release: Release, *, given: Knowledge = None, person: object = None, effort: Effort | None = None
) -> Belief | Posteriors:
    """How likely is each value of a person to one who knows `given`?  Without `person`: of everybody it concerns.

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
    facts = read_facts(given)
    if person is not None:
        who = as_who(person)
        return _beliefs(release, facts, [(who, False)], effort)[0]
    mentioned = list(dict.fromkeys(who for fact in facts for who in fact.people()))
    others = _others(release, identify(release, mentioned))
    return Posteriors(_beliefs(release, facts, [*((who, False) for who in mentioned), *others], effort))


def _others(release: Release, entities: Entities) -> list[tuple[Who, bool]]:
    """Find someone whom the facts do not mention in each group that they do."""
    found: list[tuple[Who, bool]] = []
    for row in dict.fromkeys(entities.group_of.values()):
        people = entities.in_group(row)
        if len(people) < release.groups.sizes[row]:
            numbers = {who.number for who in people if isinstance(who, Someone)}
            found.append((Someone(row + 1, min({*range(1, len(numbers) + 2)} - numbers)), True))
    return found


def _beliefs(
    release: Release, facts: tuple[Fact, ...], people: list[tuple[Who, bool]], effort: Effort | None
) -> tuple[Belief, ...]:
    everyone = [who for who, _ in people]
    nothing = Knowing.of(release, (), people=everyone)
    knowing = Knowing.of(release, facts, people=everyone, effort=effort)
    rows, alike = knowing.entities.group_of, stand_ins(facts, knowing.entities.group_of)
    before = {row: nothing.values(who) for row, who in {rows[who]: who for who in everyone}.items()}
    by_the_rest = {who for who, unnamed in people if unnamed and release.semantics != "multiset"}
    counted = dict.fromkeys(alike[who] for who in everyone if who not in by_the_rest)
    after = {who: knowing.values(who) for who in counted}
    after |= {
        who: _left_over(release, rows[who], [after[alike[x]] for x in everyone if rows[x] == rows[who] and x != who])
        for who in by_the_rest
    }
    nobody = dict.fromkeys(release.domain, Fraction(0))
    return tuple(
        Belief(
            who,
            release.groups.name(rows[who]),
            nobody | before[rows[who]],
            nobody | after[alike.get(who, who)],
            unnamed,
        )
        for who, unnamed in people
    )


def _left_over(release: Release, row: int, mentioned: list[dict[Label, Fraction]]) -> dict[Label, Fraction]:
    """What all others of a group share alike: as many people have a value as are printed, whoever they are."""
    others = int(release.groups.sizes[row]) - len(mentioned)
    counts = dict(zip(release.domain, release.groups.counts.row(row).tolist(), strict=True))
    return {
        value: (count - sum(belief[value] for belief in mentioned)) / others for value, count in counts.items() if count
    }


# ----------------------------------------------------------------------------------------------------
# Of which people do some facts say the same, so that what is believed of one is believed of the other?
# ----------------------------------------------------------------------------------------------------


Naming: TypeAlias = Callable[[Who], Hashable]

MOST_LOOKED_AT = 200_000
"""Where facts and people are more than that, nobody is compared."""

MOST_TRIED = 5
"""A person is compared with so many others, at most."""


def stand_ins(facts: Sequence[Fact], groups: Mapping[Who, int]) -> dict[Who, Who]:
    """Say who may stand for whom: someone of the same group with whom a person can change places in all facts.

    >>> differ = [~Same("Ann", "Bob"), ~Same("Bob", "Cleo"), ~Same("Cleo", "Ann"), Has("Dan", "Flu")]
    >>> stand_ins(differ, dict.fromkeys(["Ann", "Bob", "Cleo", "Dan", "Eve"], 0))
    {'Ann': 'Ann', 'Bob': 'Ann', 'Cleo': 'Ann', 'Dan': 'Dan', 'Eve': 'Eve'}
    """
    if sum(len(list(fact.atoms())) * len(fact.people()) for fact in facts) > MOST_LOOKED_AT:
        return {who: who for who in groups}
    about: dict[Who, list[Fact]] = {who: [] for who in groups}
    for fact in facts:
        for who in fact.people():
            about[who].append(fact)
    met: dict[Hashable, list[Who]] = {}
    found: dict[Who, Who] = {}
    for who in groups:
        seen = met.setdefault((groups[who], _seen_by(who, about[who], groups)), [])
        found[who] = next((each for each in seen[:MOST_TRIED] if _change_places(each, who, about)), who)
        if found[who] == who:
            seen.append(who)
    return found


def _seen_by(who: Who, facts: Sequence[Fact], groups: Mapping[Who, int]) -> Hashable:
    """Say what facts look like to a person who knows of others only their groups: those who differ cannot change."""
    return frozenset(_shape(fact, lambda other: "I" if other == who else groups[other]) for fact in facts)


def _change_places(one: Who, other: Who, about: Mapping[Who, Sequence[Fact]]) -> bool:
    facts = dict.fromkeys([*about[one], *about[other]])
    places = {one: other, other: one}
    return {_shape(fact, lambda who: who) for fact in facts} == {
        _shape(fact, lambda who: places.get(who, who)) for fact in facts
    }


def _shape(fact: Fact, name: Naming) -> Hashable:
    """Give a fact with people named otherwise, the same for each order of what is joined."""
    match fact:
        case Has(person=person, value=value):
            return name(person), value
        case OneOf(person=person, values=values):
            return name(person), frozenset(values)
        case Same(person=person, other=other):
            return frozenset([name(person), name(other)])
        case Not(fact=inner):
            return "not", _shape(inner, name)
        case And(facts=parts) | Or(facts=parts):
            return fact.word, frozenset(_shape(part, name) for part in parts)
        case Implies(premise=premise, conclusion=conclusion):
            return "if", _shape(premise, name), _shape(conclusion, name)
    message = f"no such kind of fact: {type(fact).__name__}"
    raise TypeError(message)
