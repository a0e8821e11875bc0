"""What is left of the facts while worlds are counted: and, or and not over numbered atoms.

Terms that are the same are one object, so that they are compared by identity; there is no negation but of atoms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from sidelight.knowledge.facts import And, Fact, Has, OneOf, Same, fold, named_values
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.table.table import Semantics
from sidelight.worlds.identify import Entities

Kind: TypeAlias = Literal["true", "false", "is", "not", "all", "any"]


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """An atom that is so or not, or several terms joined; `atoms` are all that it mentions."""

    kind: Kind
    atom: int = -1
    parts: frozenset[Term] = frozenset()
    atoms: frozenset[int] = frozenset()

    @property
    def literal(self) -> bool:
        """Say whether it is just an atom, or its negation."""
        return self.kind in ("is", "not")

    def conjuncts(self) -> Iterable[Term]:
        """Give the terms that must all be so; none for one that is always so."""
        return self.parts if self.kind == "all" else () if self.kind == "true" else (self,)


class Terms:
    """A maker of terms.

    >>> make = Terms()
    >>> one, other = make.atom(1), make.atom(2)
    >>> make.opposite(make.all_of([one, other])) is make.any_of([make.opposite(other), make.opposite(one)])
    True
    >>> make.given(make.any_of([one, other]), 1, so=False) is other
    True
    """

    def __init__(self) -> None:
        self.true = Term("true")
        self.false = Term("false")
        self._made: dict[object, Term] = {}
        self._opposite = {self.true: self.false, self.false: self.true}
        self._given: dict[tuple[Term, int, bool], Term] = {}

    def atom(self, number: int, *, so: bool = True) -> Term:
        """An atom is so, or not."""
        key: tuple[Kind, int] = ("is" if so else "not", number)
        if key not in self._made:
            self._made[key] = Term(*key, atoms=frozenset([number]))
        return self._made[key]

    def all_of(self, parts: Iterable[Term]) -> Term:
        """All of these."""
        return self._joined("all", parts, neutral=self.true, decided=self.false)

    def any_of(self, parts: Iterable[Term]) -> Term:
        """At least one of these."""
        return self._joined("any", parts, neutral=self.false, decided=self.true)

    def opposite(self, term: Term) -> Term:
        """Say that it is not so."""
        if term not in self._opposite:
            made = self._negated(term)
            self._opposite[term] = made
            self._opposite.setdefault(made, term)
        return self._opposite[term]

    def given(self, term: Term, atom: int, *, so: bool) -> Term:
        """Say what is left of a term once an atom is known."""
        if atom not in term.atoms:
            return term
        key = (term, atom, so)
        if key not in self._given:
            self._given[key] = self._decided(term, atom, so=so)
        return self._given[key]

    def _decided(self, term: Term, atom: int, *, so: bool) -> Term:
        if term.literal:
            return self.true if (term.kind == "is") == so else self.false
        join = self.all_of if term.kind == "all" else self.any_of
        return join(self.given(part, atom, so=so) for part in term.parts)

    def _negated(self, term: Term) -> Term:
        if term.literal:
            return self.atom(term.atom, so=term.kind == "not")
        join = self.any_of if term.kind == "all" else self.all_of
        return join(self.opposite(part) for part in term.parts)

    def _joined(self, kind: Kind, parts: Iterable[Term], *, neutral: Term, decided: Term) -> Term:
        flat: set[Term] = set()
        for part in parts:
            if part is decided:
                return decided
            if part is not neutral:
                flat |= part.parts if part.kind == kind else {part}
        if any(part.kind == "is" and self.atom(part.atom, so=False) in flat for part in flat):
            return decided
        if len(flat) <= 1:
            return next(iter(flat), neutral)
        key = (kind, frozenset(flat))
        if key not in self._made:
            self._made[key] = Term(kind, parts=key[1], atoms=frozenset().union(*(part.atoms for part in flat)))
        return self._made[key]


# ----------------------------------------------------------------------------------------------------
# Facts about people become terms about who draws which lot, in each of the three semantics.
#
# In all of them the values of a group are lots.  Where people have one value each, everybody draws one lot; where they
# have several, each lot is drawn or not.  Two people are alike if no lot is drawn by one of them only.
# ----------------------------------------------------------------------------------------------------


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Draws:
    """A party draws a lot."""

    party: int
    lot: int


@dataclass(frozen=True, slots=True)
class Alike:
    """Two parties draw the same."""

    party: int
    other: int


Atom: TypeAlias = Draws | Alike


@dataclass(slots=True)
class Ground:
    """The groups that facts are about, who draws from them, and the facts as terms.

    People who are known to have the same values are one party.  Lots stand for one value each, or for several that no
    fact tells apart.  Groups whose people are compared are kin; their lots have the same numbers.
    """

    semantics: Semantics
    sizes: dict[int, int]  # row → people
    kin: dict[int, int]  # row → the first of its kin
    row_of: dict[Who, int]
    party_of: dict[Who, int]
    parties: list[Counter[int]]  # row → people
    lots: dict[int, tuple[int, ...]] = field(default_factory=dict)  # row → its lots
    said: list[frozenset[Label]] = field(default_factory=list)  # lot → the values it stands for
    saying: dict[frozenset[Label], int] = field(default_factory=dict)  # and the other way round
    counts: Counter[tuple[int, int]] = field(default_factory=Counter)  # (row, lot) → how often it is there
    terms: Terms = field(default_factory=Terms)
    atoms: list[Atom] = field(default_factory=list)
    numbers: dict[Atom, int] = field(default_factory=dict)
    parts: tuple[Term, ...] = ()  # all of these are so
    tracked: int | None = None  # the part that need not be so: it is counted both ways
    mentions: dict[int, list[int]] = field(default_factory=dict)  # atom → the parts that mention it
    known: dict[Draws, bool] = field(default_factory=dict)  # and these, which `parts` no longer mention

    def term(self, fact: Fact) -> Term:
        """Turn a fact into a term."""
        return fold(fact, self._simple, conjunction=self.terms.all_of, disjunction=self.terms.any_of)

    def _simple(self, fact: Has | OneOf | Same, so: bool) -> Term:  # noqa: FBT001 - as it is fold
        if isinstance(fact, Same):
            made = self._same(self.party_of[fact.person], self.party_of[fact.other])
        else:
            made = self._one_of(fact.person, named_values(fact))
        return made if so else self.terms.opposite(made)

    def kin_of(self, party: int) -> int:
        """Say which groups a party is compared with."""
        return self.kin[next(iter(self.parties[party]))]

    def number(self, atom: Atom) -> int:
        """Number the atoms."""
        if atom not in self.numbers:
            self.numbers[atom] = len(self.atoms)
            self.atoms.append(atom)
        return self.numbers[atom]

    def add_lots(self, row: int, bag: dict[Label, int], lots: Iterable[Iterable[Label]]) -> None:
        """Put the values of a group into lots."""
        self.lots[row] = tuple(self._lot(frozenset(values)) for values in lots)
        for lot in self.lots[row]:
            self.counts[row, lot] = sum(bag[value] for value in self.said[lot])

    def settle(self, parts: Iterable[Term], tracked: Term | None = None) -> None:
        """Take the parts as given: what is known about single draws tells in all others."""
        parts = [conjunct for part in parts for conjunct in part.conjuncts()]
        while told := self._told(parts):
            parts = [conjunct for part in parts for conjunct in self._given(part, told).conjuncts()]
            tracked = tracked and self._given(tracked, told)
        self.parts = tuple(dict.fromkeys(parts))
        if tracked is not None:
            self.tracked = len(self.parts)
            self.parts += (tracked,)
        for number, part in enumerate(self.parts):
            for atom in part.atoms:
                self.mentions.setdefault(atom, []).append(number)

    @property
    def never(self) -> bool:
        """Say whether a part is false, whatever is drawn."""
        return any(part is self.terms.false for number, part in enumerate(self.parts) if number != self.tracked)

    def parts_of(self, atoms: Iterable[int]) -> list[int]:
        """Say which parts mention any of some atoms."""
        return sorted({part for atom in atoms for part in self.mentions.get(atom, ())})

    def _lot(self, values: frozenset[Label]) -> int:
        if values not in self.saying:
            self.saying[values] = len(self.said)
            self.said.append(values)
        return self.saying[values]

    def _told(self, parts: Iterable[Term]) -> dict[int, bool]:
        """Take note of the parts that are single draws; a second one that says the opposite is left to fail."""
        told: dict[int, bool] = {}
        for part in parts:
            drawn, so = self.atoms[part.atom] if part.literal else None, part.kind == "is"
            if isinstance(drawn, Draws) and part.atom not in told:
                self.known[drawn] = told[part.atom] = so
                if so and self.semantics == "single":  # who has this has nothing else
                    told |= dict.fromkeys(self._others(drawn), False)
        return told

    def _others(self, drawn: Draws) -> Iterator[int]:
        for lot in range(len(self.said)):
            other = Draws(drawn.party, lot)
            if lot != drawn.lot:
                self.known.pop(other, None)
                if other in self.numbers:
                    yield self.numbers[other]

    def _given(self, part: Term, told: dict[int, bool]) -> Term:
        for atom in part.atoms:
            if atom in told:
                part = self.terms.given(part, atom, so=told[atom])
        return part

    def _one_of(self, who: Who, values: Sequence[Label]) -> Term:
        party, make = self.party_of[who], self.terms
        have: list[int] = []
        lack: list[int] = []
        for lot in self.lots[self.row_of[who]]:
            (lack if self.said[lot].isdisjoint(values) else have).append(self.number(Draws(party, lot)))
        if self.semantics == "single" and len(have) > len(lack):  # shorter so
            return make.all_of(make.atom(atom, so=False) for atom in lack)
        return make.any_of(map(make.atom, have))

    def _same(self, party: int, other: int) -> Term:
        if party == other:
            return self.terms.true
        return self.terms.atom(self.number(Alike(min(party, other), max(party, other))))


def ground(
    release: Release,
    entities: Entities,
    facts: Sequence[Fact],
    *,
    tracked: Fact | None = None,
    watched: Sequence[Fact] = (),
    people: Iterable[Who] = (),
) -> Ground:
    """Prepare to count the worlds in which all facts are so, with and without the one that is tracked.

    There can be terms for facts that are only watched, too.
    """
    both = [*facts, *watched] if tracked is None else [*facts, tracked, *watched]
    people = dict.fromkeys([*(who for fact in both for who in fact.people()), *people])
    for value in {value for fact in both for simple in fact.atoms() for value in named_values(simple)}:
        release.groups.place(value)  # refuses a value that nobody could have
    rows = list(dict.fromkeys(entities.group_of[who] for who in people))
    same = [simple.about() for fact in both for simple in fact.atoms() if isinstance(simple, Same)]
    firsts = joined(people, (top.about() for fact in facts for top in conjuncts(fact) if isinstance(top, Same)))
    numbers = {first: number for number, first in enumerate(dict.fromkeys(firsts.values()))}
    made = Ground(
        release.semantics,
        sizes={row: int(release.groups.sizes[row]) for row in rows},
        kin=joined(rows, ([entities.group_of[who] for who in pair] for pair in same)),
        row_of={who: entities.group_of[who] for who in people},
        party_of={who: numbers[first] for who, first in firsts.items()},
        parties=[Counter() for _ in numbers],
    )
    for who, party in made.party_of.items():
        made.parties[party][entities.group_of[who]] += 1
    compared = {made.kin[entities.group_of[who]] for pair in same for who in pair}
    asked: dict[int, dict[frozenset[Label], None]] = {row: {} for row in rows}
    for simple in (simple for fact in both for simple in fact.atoms()):
        asked[entities.group_of[simple.about()[0]]][frozenset(named_values(simple))] = None
    for row in rows:
        counts = release.groups.counts.row(row).tolist()
        bag = {value: count for value, count in zip(release.domain, counts, strict=True) if count}
        told_apart = release.semantics != "single" or made.kin[row] in compared
        made.add_lots(row, bag, ([value] for value in bag) if told_apart else _lumped(bag, asked[row]))
    made.settle(map(made.term, facts), None if tracked is None else made.term(tracked))
    return made


def conjuncts(fact: Fact) -> Iterator[Fact]:
    """Go through the facts that a fact joins by and.

    >>> [str(each) for each in conjuncts(Has("Ann", "Flu") & ~Has("Bob", "Flu"))]
    ['Ann = Flu', 'Bob != Flu']
    """
    if isinstance(fact, And):
        for part in fact.facts:
            yield from conjuncts(part)
    else:
        yield fact


def joined(things: Iterable[T], links: Iterable[Iterable[T]]) -> dict[T, T]:
    """Say for each thing which is the first of those that it is linked with.

    >>> joined("abcd", ["bd", "da"])
    {'a': 'a', 'b': 'a', 'c': 'c', 'd': 'a'}
    """
    lead = {thing: thing for thing in things}  # somebody before, and so on to the first
    place = {thing: number for number, thing in enumerate(lead)}

    def first(thing: T) -> T:
        while lead[thing] != thing:
            lead[thing] = lead[lead[thing]]
            thing = lead[thing]
        return thing

    for link in links:
        ends = [first(thing) for thing in link]
        lead |= dict.fromkeys(ends, min(ends, key=place.__getitem__))
    return {thing: first(thing) for thing in lead}


def _lumped(bag: dict[Label, int], asked: Iterable[frozenset[Label]]) -> Iterable[list[Label]]:
    """Lump the values that no fact tells apart."""
    alike: dict[tuple[bool, ...], list[Label]] = {}
    for value in bag:
        alike.setdefault(tuple(value in values for values in asked), []).append(value)
    return alike.values()
