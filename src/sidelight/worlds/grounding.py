"""Facts about people become formulas about draws from urns, in each of the three semantics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts import And, Fact, Has, Implies, Not, OneOf, Or, Same
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.budget import Budget, Meter
from sidelight.worlds.cast import Cast, cast_of
from sidelight.worlds.counting import Counting, Lot
from sidelight.worlds.formula import Formula, Formulas
from sidelight.worlds.urns import HAS, LACKS, Bag, Scattered, Urn

About: TypeAlias = tuple[Label, ...]
"""What an urn is about: one value that a person may have, or, as `()`, the one value that everybody has."""


HAS_OR_LACKS = (frozenset(["has"]), frozenset(["lacks"]))
"""The lots of an urn that is about one value, in the order of their bits."""


@dataclass(slots=True)
class Ground:
    """The urns that facts about a release speak of, and the facts as formulas."""

    release: Release
    cast: Cast
    formulas: Formulas = field(default_factory=Formulas)
    urns: dict[int, Urn] = field(default_factory=dict)
    lots: list[tuple[Lot, ...]] = field(default_factory=list)
    waiting: dict[int, int] = field(default_factory=dict)  # row → people of the group who are mentioned
    bags: dict[int, dict[Label, int]] = field(default_factory=dict)  # row → value → count
    people: dict[tuple[Who, About], int] = field(default_factory=dict)
    places: dict[tuple[int, About], int] = field(default_factory=dict)

    def counting(self, budget: Budget) -> Counting:
        """Start to count."""
        return Counting(self.formulas, self.lots, Meter(budget))

    def formula(self, fact: Fact) -> Formula:  # noqa: PLR0911 - one line per kind of fact
        """Turn a fact into a formula."""
        make = self.formulas
        match fact:
            case Has(person=person, value=value):
                return self._one_of(person, (value,))
            case OneOf(person=person, values=values):
                return self._one_of(person, values)
            case Same(person=person, other=other):
                return self._same(person, other)
            case Not(fact=inner):
                return make.opposite(self.formula(inner))
            case Implies(premise=premise, conclusion=conclusion):
                return make.any_of([make.opposite(self.formula(premise)), self.formula(conclusion)])
            case And(facts=facts):
                return make.all_of(map(self.formula, facts))
            case Or(facts=facts):
                return make.any_of(map(self.formula, facts))
        message = f"no such kind of fact: {type(fact).__name__}"
        raise BadKnowledge(message)

    def add_urn(self, row: int, about: About, urn: Urn, lots: tuple[Lot, ...]) -> None:
        """Add an urn and what its lots say."""
        number = self.formulas.new_urn(len(lots))
        self.places[row, about], self.urns[number] = number, urn
        self.lots.append(lots)

    def _person(self, who: Who, about: About = ()) -> int:
        if (who, about) not in self.people:
            urn = self._urn(self.cast.rows[who], about)
            self.people[who, about] = self.formulas.new_person(urn)
        return self.people[who, about]

    def _urn(self, row: int, about: About) -> int:
        if (row, about) not in self.places:  # one of several values: an urn of its own
            people, count = int(self.release.groups.sizes[row]), self.bags[row][about[0]]
            bag, scattered = Bag((count, people - count), self.waiting[row]), Scattered(people, count)
            self.add_urn(row, about, bag if self.release.semantics == "set" else scattered, HAS_OR_LACKS)
        return self.places[row, about]

    def _one_of(self, who: Who, values: tuple[Label, ...]) -> Formula:
        for value in values:
            self.release.groups.place(value)  # refuses a value that nobody could have
        if self.release.semantics == "single":
            person = self._person(who)
            lots = self.lots[self.formulas.urn_of[person]]
            mask = sum(1 << lot for lot, said in enumerate(lots) if said.issubset(values))
            return self.formulas.draws(person, mask)
        there = [value for value in values if value in self.bags[self.cast.rows[who]]]
        return self.formulas.any_of(self.formulas.draws(self._person(who, (value,)), HAS) for value in there)

    def _same(self, who: Who, other: Who) -> Formula:
        make = self.formulas
        if self.release.semantics == "single":
            return make.tie(self._person(who), self._person(other))
        mine, theirs = (self.bags[self.cast.rows[each]] for each in (who, other))
        both = [value for value in mine if value in theirs]
        alone = [(who, value) for value in mine if value not in theirs]
        alone += [(other, value) for value in theirs if value not in mine]
        ties = [make.tie(self._person(who, (value,)), self._person(other, (value,))) for value in both]
        return make.all_of([*ties, *(make.draws(self._person(each, (value,)), LACKS) for each, value in alone)])


def ground(release: Release, facts: Iterable[Fact], *, people: Iterable[Who] = ()) -> Ground:
    """Prepare to count worlds of the groups that some facts, and some more people, are about."""
    facts = list(facts)
    cast = cast_of(release, dict.fromkeys([*(who for fact in facts for who in fact.people()), *people]))
    made = Ground(release, cast)
    for row in dict.fromkeys(cast.rows.values()):
        made.waiting[row] = len(cast.of_row(row))
        counts = release.groups.counts.row(row).tolist()
        made.bags[row] = {value: count for value, count in zip(release.domain, counts, strict=True) if count}
    if release.semantics == "single":
        for row, bag in made.bags.items():
            lots = _lots(bag, _told_apart(facts, cast, row))
            left = tuple(sum(bag[value] for value in said) for said in lots)
            made.add_urn(row, (), Bag(left, made.waiting[row]), lots)
    return made


def _told_apart(facts: Iterable[Fact], cast: Cast, row: int) -> list[frozenset[Label]] | None:
    """Collect the sets of values that facts ask of the people of a group; `None` where each value is one of them."""
    asked: dict[frozenset[Label], None] = {}
    for fact in facts:
        for simple in fact.simple():
            if all(cast.rows[who] != row for who in simple.about()):
                continue
            if isinstance(simple, Same):
                return None
            values = simple.values if isinstance(simple, OneOf) else (simple.value,) if isinstance(simple, Has) else ()
            asked[frozenset(values)] = None
    return list(asked)


def _lots(bag: dict[Label, int], asked: list[frozenset[Label]] | None) -> tuple[frozenset[Label], ...]:
    """Lump the values that no fact tells apart."""
    if asked is None:
        return tuple(frozenset([value]) for value in bag)
    alike: dict[tuple[bool, ...], list[Label]] = {}
    for value in bag:
        alike.setdefault(tuple(value in values for values in asked), []).append(value)
    return tuple(map(frozenset, alike.values()))
