"""Any fact as basic implications: if all of these, then one of those.

Where everybody has one value, each property of a release can be said so (Martin et al., theorem 3); the proof goes
through a normal form, and so may be long.  Here the combinations of values that the fact forbids are covered by few
boxes (some values of each person), each of which pins down at least one person and so is one basic implication.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias

from sidelight.errors import BadKnowledge, TooHard
from sidelight.knowledge.boxes import ELSE, Box, Choice, Domains, Else, Space, TooManyBoxes
from sidelight.knowledge.facts_part import And, Fact, Has, Implies, Same, all_of, any_of, named_values
from sidelight.knowledge.fewest_boxes import fewest_boxes
from sidelight.knowledge.people import Who, as_who
from sidelight.knowledge.tokens import in_short
from sidelight.table.labels import Label, label, shown

MOST_ROWS = 20_000
"""How many combinations of values are looked at to find the fewest; of more, few will do."""

Values: TypeAlias = Iterable[object] | Mapping[object, Iterable[object]] | None


@dataclass(frozen=True, slots=True)
class BasicImplication:
    """If all premises hold, one of the conclusions does.

    >>> print(BasicImplication((Has("Hannah", "Flu"),), (Has("Bob", "Flu"), Has("Bob", "Cold"))))
    Hannah = Flu -> Bob = Flu or Bob = Cold
    """

    premises: tuple[Has, ...]
    conclusions: tuple[Has, ...]

    def fact(self) -> Fact:
        """Say it as a fact."""
        return Implies(all_of(self.premises), any_of(self.conclusions))

    def __str__(self) -> str:
        return str(self.fact())


def basic_implications(fact: Fact, values: Values = None) -> tuple[BasicImplication, ...]:
    """Cover what the fact forbids, as a whole and part by part; the shorter answer counts.

    >>> [str(each) for each in basic_implications(Has("Bob", "Flu"), ["Flu", "Cold", "Heart"])]
    ['Bob = Cold -> Bob = Flu', 'Bob = Heart -> Bob = Flu']
    """
    may_have = _domains(fact, values)
    parts = fact.facts if isinstance(fact, And) else (fact,)
    whole, apart = _said(fact, may_have), [said for part in parts if (said := _said(part, may_have)) is not None]
    answers: list[tuple[BasicImplication, ...]] = [] if whole is None else [tuple(whole)]
    if 1 < len(parts) == len(apart):
        answers.append(tuple(dict.fromkeys(each for said in apart for each in said)))
    if not answers:
        message = "the fact takes too many basic implications to say; say it in several facts"
        raise TooHard(message)
    return min(answers, key=len)


def _domains(fact: Fact, values: Values) -> Domains:
    """Say what each person may have; without being told: what the fact names, and something else."""
    people = fact.people()
    if isinstance(values, Mapping):
        told = {as_who(person): _labels(listed) for person, listed in values.items()}
        unsaid = [person for person in people if person not in told]
        if unsaid:
            message = f"values= says nothing about {len(unsaid)} of the people in the fact; list their values too"
            raise BadKnowledge(message)
        return {person: told[person] for person in people}
    named = dict.fromkeys(value for simple in fact.simple() for value in named_values(simple))
    if values is not None:
        listed = _labels(values)
        missing = [value for value in named if value not in listed]
        if missing:
            message = f"the fact names '{in_short(shown(missing[0]))}', which is not among values=; add it there"
            raise BadKnowledge(message)
        return dict.fromkeys(people, listed)
    if any(isinstance(simple, Same) for simple in fact.simple()):
        raise BadKnowledge(_TELL)
    return dict.fromkeys(people, (*named, ELSE))


_TELL = "this fact needs all values that a person may have; name them with values="


def _labels(values: Iterable[object]) -> tuple[Label, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable) or not (values := [*values]):
        message = "values= is a list of what a person may have, at least one value; or a list for each person"
        raise BadKnowledge(message)
    return tuple(dict.fromkeys(label(value) for value in values))


def _said(fact: Fact, may_have: Domains) -> list[BasicImplication] | None:
    """Say a fact by the fewest implications there are, or by few; `None` if that is too hard."""
    space = Space.of(fact, may_have)
    answers = [boxes for way in (_fewest, _few) if (boxes := way(fact, space)) is not None]
    if not answers:
        return None
    boxes = min(answers, key=lambda boxes: sum(_cost(space, box) for box in boxes))
    return [each for box in boxes for each in _implications(space, box)]


def _fewest(fact: Fact, space: Space) -> list[Box] | None:
    if space.rows > MOST_ROWS:
        return None
    forbidden = space.bits(space.whole) & ~space.so(fact)
    try:
        boxes = fewest_boxes(space, forbidden, lambda box: _cost(space, box))
    except TooManyBoxes:
        return None
    if boxes is None:
        raise BadKnowledge(_TELL)
    return boxes


def _few(fact: Fact, space: Space) -> list[Box] | None:
    try:
        return space.cut(fact, so=False)
    except TooManyBoxes:
        return None


def _pins(space: Space, box: Box) -> tuple[int, ...]:
    """Say whom to pin down to one value each: whoever has the fewest.

    What is not named can be neither a premise nor a conclusion, so where it is possible but not in the box, the person
    is pinned down.
    """
    places = range(len(box))
    sizes = [len(space.values(place, side)) for place, side in enumerate(box)]
    open_ended = [ELSE in space.values(place, space.whole[place]) for place in places]
    if not any(open_ended):
        return (min(places, key=sizes.__getitem__),)
    pins = tuple(place for place in places if ELSE not in space.values(place, box[place]))
    if not pins:
        raise BadKnowledge(_TELL)
    return pins


def _cost(space: Space, box: Box) -> int:
    return prod(len(space.values(place, box[place])) for place in _pins(space, box))


def _implications(space: Space, box: Box) -> Iterator[BasicImplication]:
    """Say that a box is forbidden: one implication for each way to pin it down."""
    pins = _pins(space, box)
    sides = [space.values(place, side) for place, side in enumerate(box)]
    for chosen in product(*(sides[place] for place in pins)):
        pinned = dict(zip(pins, chosen, strict=True))
        yield _implication(
            space, [(pinned[place],) if place in pinned else side for place, side in enumerate(sides)], pins
        )


def _implication(space: Space, sides: list[tuple[Choice, ...]], pins: tuple[int, ...]) -> BasicImplication:
    premises: list[Has] = []
    conclusions: list[Has] = []
    for place, who in enumerate(space.people):
        others = [value for value in space.values(place, space.whole[place]) if value not in sides[place]]
        single = len(sides[place]) == 1 and sides[place][0] is not ELSE
        if place in pins or (single and len(others) > 1):
            premises += [_has(who, sides[place][0])]
        else:
            conclusions += [_has(who, value) for value in others]
    return BasicImplication(tuple(premises), tuple(conclusions) or (_impossible(space, premises),))


def _impossible(space: Space, premises: list[Has]) -> Has:
    """Find something that cannot be while the premises hold: another value of one of these people."""
    for has in premises:
        place = space.people.index(has.person)
        for value in space.values(place, space.whole[place]):
            if value != has.value and not isinstance(value, Else):
                return _has(has.person, value)
    raise BadKnowledge(_TELL)


def _has(person: Who, value: Choice) -> Has:
    assert not isinstance(value, Else)
    return Has(person, value)
