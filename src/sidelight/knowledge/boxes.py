"""What some people may have, as a space of rows (one value per person) and boxes in it (some values of each).

Values of a person that a fact does not tell apart are one *lump*.  A box has, for each person, the lumps in it as bits
of an integer; a set of rows has a bit per row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from math import prod
from operator import and_, or_
from typing import TypeAlias

from sidelight.knowledge.facts_part import Fact, Has, OneOf, Same, named_values
from sidelight.knowledge.people import Who
from sidelight.knowledge.walking import walked
from sidelight.table.labels import Label

MOST_BOXES = 1_000
"""So many boxes are looked at, at most."""


class TooManyBoxes(Exception):
    """It was given up."""


class Else:
    """Whatever value is not named."""


ELSE = Else()

Choice: TypeAlias = Label | Else
Lump: TypeAlias = tuple[Choice, ...]
Box: TypeAlias = tuple[int, ...]
Domains: TypeAlias = Mapping[Who, tuple[Choice, ...]]


@dataclass(frozen=True)
class Space:
    """The people of a fact and what each may have, in lumps."""

    people: tuple[Who, ...]
    lumps: tuple[tuple[Lump, ...], ...]

    @classmethod
    def of(cls, fact: Fact, may_have: Domains) -> Space:
        """Lump what the fact does not tell apart."""
        people = fact.people()
        return cls(people, tuple(_lumps(fact, who, may_have) for who in people))

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return prod(map(len, self.lumps))

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """How far apart rows are that differ in one person by one lump."""
        return tuple(prod(map(len, self.lumps[place + 1 :])) for place in range(len(self.people)))

    @cached_property
    def whole(self) -> Box:
        """The box of everything."""
        return tuple((1 << len(lumps)) - 1 for lumps in self.lumps)

    def values(self, place: int, side: int) -> tuple[Choice, ...]:
        """Give the values that are in some lumps of a person."""
        return tuple(value for lump, values in enumerate(self.lumps[place]) if side >> lump & 1 for value in values)

    def bits(self, box: Box, start: int = 0) -> int:
        """Give the rows of a box; from a person on, if not of all."""
        rows = 1
        for side, stride in zip(reversed(box), reversed(self.strides[start:]), strict=True):
            rows = reduce(or_, (rows << lump * stride for lump in range(side.bit_length()) if side >> lump & 1), 0)
        return rows

    def side(self, who: Who, values: tuple[Choice, ...]) -> tuple[int, int]:
        """Say where a person is, and which lumps these values are."""
        place = self.people.index(who)
        return place, sum(1 << lump for lump, own in enumerate(self.lumps[place]) if own[0] in values)

    def slab(self, *sides: tuple[int, int]) -> Box:
        """Give the box of everything in which some people have some lumps only."""
        box = [*self.whole]
        for place, side in sides:
            box[place] &= side
        return tuple(box)

    def so(self, fact: Fact) -> int:
        """Give the rows in which a fact is so."""
        return walked(
            fact,
            lambda simple, so: reduce(or_, map(self.bits, self._simple(simple, so)), 0),
            every=lambda several: reduce(and_, several),
            some=lambda several: reduce(or_, several),
        )

    def cut(self, fact: Fact, *, so: bool) -> list[Box]:
        """Cut the rows in which a fact is so (or is not) into boxes, without looking at rows."""
        return walked(fact, self._simple, every=self._shared, some=_outermost, so=so)

    def _simple(self, fact: Has | OneOf | Same, so: bool) -> list[Box]:  # noqa: FBT001 - as it is walked
        if isinstance(fact, Same):
            return self._same(fact.person, fact.other, so=so)
        return self._one_of(fact.person, named_values(fact), so=so)

    def _one_of(self, who: Who, values: tuple[Label, ...], *, so: bool) -> list[Box]:
        place, side = self.side(who, values)
        box = self.slab((place, side if so else self.whole[place] & ~side))
        return [box] if box[place] else []

    def _same(self, one: Who, other: Who, *, so: bool) -> list[Box]:
        if one == other:
            return [self.whole] if so else []
        boxes = []
        for lump in self.lumps[self.people.index(one)]:
            place, side = self.side(other, lump)
            box = self.slab(self.side(one, lump), (place, side if so else self.whole[place] & ~side))
            boxes += [box] if all(box) else []
        return boxes

    def _shared(self, several: list[list[Box]]) -> list[Box]:
        shared = [self.whole]
        for boxes in several:
            met = (tuple(map(and_, one, other)) for one, other in product(shared, boxes))
            shared = _outermost([[box for box in met if all(box)]])
        return shared


def _outermost(several: list[list[Box]]) -> list[Box]:
    """Leave out boxes within others; refuse too many."""
    boxes = list(dict.fromkeys(box for boxes in several for box in boxes))
    if len(boxes) > MOST_BOXES:
        raise TooManyBoxes
    return [box for box in boxes if not any(other != box and _within(box, other) for other in boxes)]


def _within(box: Box, other: Box) -> bool:
    return all(mine & ~theirs == 0 for mine, theirs in zip(box, other, strict=True))


def _lumps(fact: Fact, who: Who, may_have: Domains) -> tuple[Lump, ...]:
    asked: list[frozenset[Choice]] = []
    for simple in fact.simple():
        if who not in simple.about():
            continue
        asked.append(frozenset(named_values(simple)))
        if isinstance(simple, Same):
            asked += [frozenset([value]) for other in simple.about() if other != who for value in may_have[other]]
    alike: dict[tuple[bool, ...], list[Choice]] = {}
    for value in may_have[who]:
        alike.setdefault(tuple(value in values for values in asked), []).append(value)
    return tuple(map(tuple, alike.values()))
