"""What somebody who knows some facts believes about a person, and about whom the facts say most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import overload

from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts_part import Fact
from sidelight.knowledge.parse_facts import Knowledge, known_facts, read_person
from sidelight.knowledge.people import Someone, Who, as_who, written_who
from sidelight.knowledge.tokens import Reader
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.table.labels import Label, label
from sidelight.worlds.effort import Budget
from sidelight.worlds.identify import Cast, cast_of
from sidelight.worlds.posterior import Knowing
from sidelight.worlds.stand_ins import stand_ins


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
        return f"anyone else in {self.group}" if self.unnamed else written_who(self.person)


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
        message = f"the facts do not mention {written_who(who)}; ask posteriors(…, person=…) about others"
        raise BadKnowledge(message)

    def top(self, n: int = 10) -> tuple[Belief, ...]:
        """Give the n people about whom beliefs move most, whoever moves most first.

        People of a group whom the facts do not mention are all alike and stand there once.
        """
        return tuple(sorted(self.beliefs, key=lambda belief: -belief.moved)[: max(n, 0)])


@overload
def posteriors(
    release: Release, *, given: Knowledge = None, person: None = None, budget: Budget | None = None
) -> Posteriors: ...
@overload
def posteriors(
    release: Release, *, given: Knowledge = None, person: object, budget: Budget | None = None
) -> Belief: ...
def posteriors(
    release: Release, *, given: Knowledge = None, person: object = None, budget: Budget | None = None
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
    facts = known_facts(given)
    if person is not None:
        who = as_who(person)
        return _beliefs(release, facts, [(who, False)], budget)[0]
    mentioned = list(dict.fromkeys(who for fact in facts for who in fact.people()))
    others = _others(release, cast_of(release, mentioned))
    return Posteriors(_beliefs(release, facts, [*((who, False) for who in mentioned), *others], budget))


def read_who(text: str) -> Who:
    """Read a person as facts write them: a name, #17, or {column = cell}.

    >>> read_who("#17.2"), read_who("Ann Lee")
    (Someone(group=17, number=2), 'Ann Lee')
    """
    reader = Reader(text)
    who = read_person(reader)
    if reader.next.kind != "end":
        reader.fail(f"{reader.next} comes too late; name one person")
    return who


def _others(release: Release, cast: Cast) -> list[tuple[Who, bool]]:
    """Find someone whom the facts do not mention in each group that they do."""
    found: list[tuple[Who, bool]] = []
    for row in dict.fromkeys(cast.rows.values()):
        people = cast.of_row(row)
        if len(people) < release.groups.sizes[row]:
            numbers = {who.number for who in people if isinstance(who, Someone)}
            found.append((Someone(row + 1, min({*range(1, len(numbers) + 2)} - numbers)), True))
    return found


def _beliefs(
    release: Release, facts: tuple[Fact, ...], people: list[tuple[Who, bool]], budget: Budget | None
) -> tuple[Belief, ...]:
    everyone = [who for who, _ in people]
    nothing = Knowing.of(release, (), people=everyone)
    knowing = Knowing.of(release, facts, people=everyone, budget=budget)
    rows, alike = knowing.cast.rows, stand_ins(facts, knowing.cast.rows)
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
