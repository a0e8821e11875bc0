"""Any fact as basic implications: if all of these, then one of those.

Where everybody has one value, each property of a release can be said so (Martin et al., theorem 3); the proof goes
through a normal form, and so may be long.  Here the combinations of values that the fact forbids are covered by few
boxes (some values of each person), each of which pins down at least one person and so is one basic implication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias

from sidelight.errors import BadKnowledge, TooHard
from sidelight.knowledge.facts import And, Fact, Has, Implies, OneOf, Same, all_of, any_of
from sidelight.knowledge.people import Who, as_who
from sidelight.knowledge.truth import is_so
from sidelight.table.labels import Label, label

MOST_ROWS = 20_000
"""How many combinations of values are looked at."""

Values: TypeAlias = Iterable[object] | Mapping[object, Iterable[object]] | None


class _Else:
    """Whatever value is not named."""


_ELSE = _Else()

Choice: TypeAlias = Label | _Else
Row: TypeAlias = tuple[Choice, ...]
Box: TypeAlias = tuple[frozenset[Choice], ...]


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
    apart = [each for part in parts for each in _covered(part, may_have)] if _small(parts, may_have) else None
    whole = _covered(fact, may_have) if len(parts) > 1 and _small((fact,), may_have) else None
    answers = sorted((answer for answer in (apart, whole) if answer is not None), key=len)
    if not answers:
        message = f"the fact speaks of more than {MOST_ROWS:,} combinations of values; say it in several facts"
        raise TooHard(message)
    return tuple(dict.fromkeys(answers[0]))


def _domains(fact: Fact, values: Values) -> dict[Who, tuple[Choice, ...]]:
    """Say what each person may have; without being told: what the fact names, and something else."""
    people = fact.people()
    if isinstance(values, Mapping):
        told = {as_who(person): _labels(listed) for person, listed in values.items()}
        unsaid = [person for person in people if person not in told]
        if unsaid:
            message = f"values= says nothing about {len(unsaid)} of the people in the fact; list their values too"
            raise BadKnowledge(message)
        return {person: told[person] for person in people}
    if values is not None:
        return dict.fromkeys(people, _labels(values))
    if any(isinstance(simple, Same) for simple in fact.simple()):
        raise BadKnowledge(_TELL)
    named = dict.fromkeys(value for simple in fact.simple() for value in _named(simple))
    return dict.fromkeys(people, (*named, _ELSE))


_TELL = "this fact needs all values that a person may have; name them with values="


def _labels(values: Iterable[object]) -> tuple[Label, ...]:
    return tuple(dict.fromkeys(label(value) for value in values))


def _named(simple: Fact) -> tuple[Label, ...]:
    if isinstance(simple, Has):
        return (simple.value,)
    return simple.values if isinstance(simple, OneOf) else ()


def _small(facts: Sequence[Fact], may_have: Mapping[Who, tuple[Choice, ...]]) -> bool:
    return all(prod(len(may_have[person]) for person in fact.people()) <= MOST_ROWS for fact in facts)


def _covered(fact: Fact, may_have: Mapping[Who, tuple[Choice, ...]]) -> list[BasicImplication]:
    people = fact.people()
    sides = [may_have[person] for person in people]
    forbidden = {row: None for row in product(*sides) if not is_so(fact, _as_sets(people, row))}
    chosen: list[Box] = []
    left = dict(forbidden)
    while left:
        row = next(iter(left))
        boxes = [box for place in range(len(people)) if (box := _widened(row, place, sides, forbidden)) is not None]
        if not boxes:
            raise BadKnowledge(_TELL)
        best = max(boxes, key=lambda box: sum(_in(each, box) for each in left))
        chosen.append(best)
        left = {each: None for each in left if not _in(each, best)}
    return [_implication(people, sides, box) for box in _needed(chosen, forbidden)]


def _as_sets(people: tuple[Who, ...], row: Row) -> dict[Who, frozenset[Label]]:
    return {
        person: frozenset() if isinstance(value, _Else) else frozenset([value])
        for person, value in zip(people, row, strict=True)
    }


def _in(row: Row, box: Box) -> bool:
    return all(value in side for value, side in zip(row, box, strict=True))


def _widened(row: Row, pinned: int, sides: Sequence[tuple[Choice, ...]], forbidden: Mapping[Row, None]) -> Box | None:
    """Grow a box of forbidden rows around a row; one person stays pinned down.

    What is not named can be neither a premise nor a conclusion: a box that would need it is none.
    """
    box = [frozenset([value]) for value in row]
    for place, side in enumerate(sides):
        if place == pinned:
            continue
        for value in reversed(side):  # what is not named first
            slab = [*box[:place], frozenset([value]), *box[place + 1 :]]
            if all(each in forbidden for each in product(*slab)):
                box[place] |= {value}
    whole = [len(part) == 1 or _ELSE not in side or _ELSE in part for part, side in zip(box, sides, strict=True)]
    unnamed = any(part == {_ELSE} and len(side) > 1 for part, side in zip(box, sides, strict=True))
    return tuple(box) if all(whole) and not unnamed else None


def _needed(boxes: list[Box], forbidden: Mapping[Row, None]) -> list[Box]:
    """Leave out boxes that the others cover."""
    kept = list(boxes)
    for box in boxes:
        others = [each for each in kept if each is not box]
        if all(any(_in(row, other) for other in others) for row in forbidden if _in(row, box)):
            kept = others
    return kept


def _implication(people: tuple[Who, ...], sides: Sequence[tuple[Choice, ...]], box: Box) -> BasicImplication:
    pinned: Callable[[int], bool] = lambda place: len(box[place]) == 1  # noqa: E731
    premises = [_has(people[place], next(iter(box[place]))) for place in range(len(people)) if pinned(place)]
    conclusions = [
        _has(people[place], value)
        for place, side in enumerate(sides)
        for value in side
        if not pinned(place) and value not in box[place]
    ]
    return BasicImplication(tuple(premises), tuple(conclusions) or (_impossible(people, sides, box),))


def _impossible(people: tuple[Who, ...], sides: Sequence[tuple[Choice, ...]], box: Box) -> Has:
    """Find something that cannot be while the premises hold: another value of one of these people."""
    for place, part in enumerate(box):
        others = [value for value in sides[place] if value not in part and not isinstance(value, _Else)]
        if len(part) == 1 and others:
            return _has(people[place], others[0])
    raise BadKnowledge(_TELL)


def _has(person: Who, value: Choice) -> Has:
    assert not isinstance(value, _Else)
    return Has(person, value)
