"""Of which people do some facts say the same, so that what is believed of one is believed of the other?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeAlias

from sidelight.knowledge.facts_part import And, Fact, Has, Implies, Not, OneOf, Or, Same
from sidelight.knowledge.people import Who

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
    if sum(len(list(fact.simple())) * len(fact.people()) for fact in facts) > MOST_LOOKED_AT:
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
