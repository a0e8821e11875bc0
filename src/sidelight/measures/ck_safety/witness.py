"""The worst k implications, as data and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sidelight.knowledge.facts_part import Fact, Has
from sidelight.knowledge.people import Someone
from sidelight.measures.finding import Witness
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.table.labels import Label, shown
from sidelight.worlds.brute_force import Person
from sidelight.worlds.closed_forms import chance_of_avoiding


@dataclass(frozen=True, slots=True)
class Atom:
    """Somebody has a value.

    >>> print(Atom((2, 0), "Flu"))
    person 1 of group 2 has Flu
    """

    person: Person
    value: Label

    def __str__(self) -> str:
        number, place = self.person
        return f"person {place + 1} of group {number} has {shown(self.value)}"


@dataclass(frozen=True, slots=True)
class Implication:
    """If one thing is so, so is the other.

    >>> print(Implication(Atom((1, 1), "Flu"), Atom((1, 0), "Flu")))
    if person 2 of group 1 has Flu, person 1 of group 1 has Flu
    """

    premise: Atom
    conclusion: Atom

    def __str__(self) -> str:
        return f"if {self.premise}, {self.conclusion}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImplicationsWitness(Witness):
    """The target (stand-ins are numbered from 0 in their groups), and k implications that all end with it.

    Where fewer than k do all the harm that can be done, the rest say what goes without saying: that the target has
    the value if the target has the value.
    """

    target: Person
    implications: tuple[Implication, ...]
    elsewhere: tuple[GroupName, ...] = ()  # the other groups that implications mention

    @property
    def atom(self) -> Atom:
        """What is to be shown."""
        return Atom(self.target, self.value)

    def premises(self) -> dict[Person, tuple[Label, ...]]:
        """Say who is asked about which values, the target first; what goes without saying is left out."""
        asked: dict[Person, dict[Label, None]] = {self.target: {}}
        for implication in self.implications:
            if implication.premise != self.atom:
                asked.setdefault(implication.premise.person, {})[implication.premise.value] = None
        return {person: tuple(values) for person, values in asked.items() if values}

    def as_facts(self) -> tuple[Fact, tuple[Fact, ...]]:
        """Say it as facts: the target, and what is known; `posterior` of these is the finding's value."""
        return _fact(self.atom), tuple(
            _fact(each.premise).implies(_fact(each.conclusion)) for each in self.implications
        )


def _fact(atom: Atom) -> Fact:
    number, place = atom.person
    return Has(Someone(number, place + 1), atom.value)


def replayed(witness: ImplicationsWitness, release: Release) -> Fraction:
    """Count worlds: those with the target / those in which every implication holds.

    An implication A_i → A holds in the worlds with A and in those without A and A_i.

    >>> hospital = Release.from_counts([
    ...     {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
    ...     {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1}])
    >>> charlie, hannah = Atom((1, 0), "Flu"), Atom((2, 0), "Flu")
    >>> known = ImplicationsWitness(
    ...     hospital.groups.name(0), "Flu", target=(1, 0), implications=(Implication(hannah, charlie),))
    >>> replayed(known, hospital)
    Fraction(10, 19)
    """
    asked = {person: {*values} for person, values in witness.premises().items()}
    asked.setdefault(witness.target, set()).add(witness.value)
    number = witness.target[0]
    with_target = chance_of_avoiding(bag_of(release, number), [frozenset({*release.domain} - {witness.value})])
    without = Fraction(1)
    for group in {person[0] for person in asked}:
        avoided = [frozenset(values) for person, values in asked.items() if person[0] == group]
        without *= chance_of_avoiding(bag_of(release, group), avoided)
    return with_target / (with_target + without)


def bag_of(release: Release, number: int) -> dict[Label, int]:
    """Give the values of a group and how often each occurs."""
    counts = release.group(number).counts.row(0).tolist()
    return {value: count for value, count in zip(release.domain, counts, strict=True) if count}


def knowledge_in_words(witness: ImplicationsWitness) -> str:
    """Say what somebody would have to know, as the end of a sentence.

    >>> atom = Atom((1, 0), "Flu")
    >>> known = ImplicationsWitness(GroupName(1), "Flu", target=(1, 0), implications=tuple(
    ...     Implication(Atom(person, "Cold"), atom) for person in [(1, 0), (1, 1), (1, 2), (3, 0)]),
    ...     elsewhere=(GroupName(3),))
    >>> print(knowledge_in_words(known))  # doctest: +NORMALIZE_WHITESPACE
    that, if the target has Cold, or one of 2 others of the group has Cold, or someone in group 3 has Cold,
    the target has Flu
    """
    clauses = list(_clauses(witness))
    if not clauses:
        return "nothing but the release"
    told = clauses[:5] + ([f"{len(clauses) - 5} more things like that hold"] if len(clauses) > 5 else [])
    return f"that, if {', or '.join(told)}, the target has {shown(witness.value)}"


def _clauses(witness: ImplicationsWitness) -> Iterable[str]:
    premises = witness.premises()
    if witness.target in premises:
        yield f"the target has {either(premises.pop(witness.target))}"
    alike = Counter((person[0], values) for person, values in premises.items())
    names = {name.number: str(name) for name in witness.elsewhere}
    for (number, values), people in alike.items():
        if number == witness.group.number:
            who = "another person of the group" if people == 1 else f"one of {people:,} others of the group"
        else:
            place = names.get(number, f"group {number}")
            who = f"someone in {place}" if people == 1 else f"one of {people:,} people in {place}"
        yield f"{who} has {either(values)}"


def either(values: tuple[Label, ...]) -> str:
    """Name values, the first few of many.

    >>> either(("Flu", "Cold", None)), either(tuple("abcdef"))
    ('Flu, Cold or (missing)', 'a, b, c, d or one of 2 more values')
    """
    named = [shown(value) for value in values[:4]]
    if len(values) > 4:
        named.append(f"one of {len(values) - 4} more values")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"
