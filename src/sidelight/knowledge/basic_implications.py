"""Any fact as basic implications: if all of these, then one of those.

Where everybody has one value, each property of a release can be said so (Martin et al., theorem 3); the proof goes
through a normal form, and so may be long.  Here the combinations of values that the fact forbids are covered by few
boxes (some values of each person), each of which pins down at least one person and so is one basic implication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import product
from math import prod
from operator import and_, or_
from typing import TypeAlias

from sidelight.errors import BadKnowledge, TooHard
from sidelight.knowledge.facts import And, Fact, Has, Implies, OneOf, Same, all_of, any_of, fold, named_values
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
    named = dict.fromkeys(value for simple in fact.atoms() for value in named_values(simple))
    if values is not None:
        listed = _labels(values)
        missing = [value for value in named if value not in listed]
        if missing:
            message = f"the fact names '{in_short(shown(missing[0]))}', which is not among values=; add it there"
            raise BadKnowledge(message)
        return dict.fromkeys(people, listed)
    if any(isinstance(simple, Same) for simple in fact.atoms()):
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


# ----------------------------------------------------------------------------------------------------
# What some people may have, as a space of rows (one value per person) and boxes in it (some values of each).
#
# Values of a person that a fact does not tell apart are one *lump*.  A box has, for each person, the lumps in it
# as bits of an integer; a set of rows has a bit per row.
# ----------------------------------------------------------------------------------------------------


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
        return fold(
            fact,
            lambda simple, so: reduce(or_, map(self.bits, self._simple(simple, so)), 0),
            conjunction=lambda several: reduce(and_, several),
            disjunction=lambda several: reduce(or_, several),
        )

    def cut(self, fact: Fact, *, so: bool) -> list[Box]:
        """Cut the rows in which a fact is so (or is not) into boxes, without looking at rows."""
        return fold(fact, self._simple, conjunction=self._shared, disjunction=_outermost, positive=so)

    def _simple(self, fact: Has | OneOf | Same, so: bool) -> list[Box]:  # noqa: FBT001 - as it is fold
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
    for simple in fact.atoms():
        if who not in simple.about():
            continue
        asked.append(frozenset(named_values(simple)))
        if isinstance(simple, Same):
            asked += [frozenset([value]) for other in simple.about() if other != who for value in may_have[other]]
    alike: dict[tuple[bool, ...], list[Choice]] = {}
    for value in may_have[who]:
        alike.setdefault(tuple(value in values for values in asked), []).append(value)
    return tuple(map(tuple, alike.values()))


# ----------------------------------------------------------------------------------------------------
# The fewest basic implications: what a fact forbids, covered at least cost.
#
# What a basic implication forbids is a box in which at least one person has one value (a premise).  So boxes that
# cannot be made larger are collected for each value that one person may be pinned down to, and the cheapest of
# them that cover all are chosen, by branch and bound.  Where that person has a lump of several values, a box
# costs one implication for each: values of a lump are alike, so what is best for one of them is best for all.
# ----------------------------------------------------------------------------------------------------


Cost: TypeAlias = Callable[[Box], int]

MOST_TRIED = 300_000
"""So many rows are looked at on the ways that are tried; then the best that was found will do."""


@dataclass(slots=True)
class Maximal:
    """Boxes of some rows that cannot be made larger, with one person pinned down."""

    space: Space
    pinned: int
    found: dict[tuple[int, int], tuple[Box, ...]] = field(default_factory=dict)

    def boxes(self, rows: int, place: int = 0) -> tuple[Box, ...]:
        """Give the boxes within some rows, from a person on."""
        if place == len(self.space.people):
            return ((),) if rows else ()
        if (place, rows) not in self.found:
            self.found[place, rows] = tuple(dict.fromkeys(self._boxes(rows, place)))
            if len(self.found) > MOST_BOXES or len(self.found[place, rows]) > MOST_BOXES:
                raise TooManyBoxes
        return self.found[place, rows]

    def _boxes(self, rows: int, place: int) -> Iterator[Box]:
        stride = self.space.strides[place]
        parts = [rows >> lump * stride & (1 << stride) - 1 for lump in range(len(self.space.lumps[place]))]
        for shared in self._shared(parts, place):
            side = sum(1 << lump for lump, part in enumerate(parts) if shared & ~part == 0)
            for rest in self.boxes(shared, place + 1):
                inner = self.space.bits(rest, place + 1)
                if side == sum(1 << lump for lump, part in enumerate(parts) if inner & ~part == 0):
                    yield (side, *rest)
        if ELSE in self.space.values(place, self.space.whole[place]):  # or this person is a premise as well
            for lump, part in enumerate(parts):
                yield from ((1 << lump, *rest) for rest in self.boxes(part, place + 1))

    def _shared(self, parts: list[int], place: int) -> list[int]:
        """Give what some lumps of a person share; with the lump of what is not named, if there is one."""
        if place == self.pinned:
            return [part for part in parts if part]
        rest = [part for part, lump in zip(parts, self.space.lumps[place], strict=True) if ELSE in lump]
        shared = dict.fromkeys(rest or parts)
        for part in dict.fromkeys(parts):
            shared |= dict.fromkeys(each & part for each in shared)
            if len(shared) > MOST_BOXES:
                raise TooManyBoxes
        return [each for each in shared if each]


def fewest_boxes(space: Space, forbidden: int, cost: Cost) -> list[Box] | None:
    """Choose boxes that cover the forbidden rows, of the least cost if it is found; `None` if they cannot be covered.

    >>> from sidelight.knowledge.parse_facts import read_fact
    >>> fact = read_fact("Ann = Flu and Bob = Flu")
    >>> space = Space.of(fact, dict.fromkeys(["Ann", "Bob"], ("Flu", "Cold")))
    >>> fewest_boxes(space, space.bits(space.whole) & ~space.so(fact), lambda box: 1)
    [(2, 3), (3, 2)]
    """
    candidates = {box: space.bits(box) for box in _candidates(space, forbidden)}
    if reduce(or_, candidates.values(), 0) != forbidden:
        return None
    covers = _Cover.of(candidates, forbidden, cost)
    return sorted(covers.cheapest())


def _candidates(space: Space, forbidden: int) -> Iterator[Box]:
    for place, lumps in enumerate(space.lumps):
        maximal = Maximal(space, place)
        for lump, values in enumerate(lumps):
            if ELSE not in values:
                slab = space.bits(space.slab((place, 1 << lump)))
                yield from maximal.boxes(forbidden & slab)


@dataclass(slots=True)
class _Cover:
    """Rows that must be covered, each by the boxes that do so, and what boxes cost."""

    costs: dict[Box, int]
    rows: dict[Box, int]  # the rows that a box covers; rows that the same boxes cover are one
    by: list[list[Box]]  # the boxes that cover a row, cheapest first
    best: list[Box] = field(default_factory=list)
    tried: int = 0

    @classmethod
    def of(cls, candidates: dict[Box, int], forbidden: int, cost: Cost) -> _Cover:
        costs = {box: cost(box) for box in candidates}
        useful = _undominated(candidates, costs)
        alike = dict.fromkeys(
            tuple(box for box in useful if candidates[box] >> row & 1)
            for row in range(forbidden.bit_length())
            if forbidden >> row & 1
        )
        sets = [frozenset(boxes) for boxes in alike] if len(alike) < MOST_BOXES // 4 else []
        hard = [boxes for boxes in alike if not any(other < {*boxes} for other in sets)]
        rows = {box: sum(1 << row for row, boxes in enumerate(hard) if box in boxes) for box in useful}
        return cls(costs, rows, [sorted(boxes, key=lambda box: costs[box]) for boxes in hard])

    def cheapest(self) -> list[Box]:
        """Branch over the boxes that cover the row that fewest do, as long as it may get cheaper."""
        everything = (1 << len(self.by)) - 1
        self.best = self._greedy(everything)
        self._search(everything, [])
        return self.best

    def _greedy(self, left: int) -> list[Box]:
        chosen: list[Box] = []
        while left:
            most = max(self.rows, key=lambda box: (self.rows[box] & left).bit_count() / self.costs[box])
            chosen.append(most)
            left &= ~self.rows[most]
        for box in [*chosen]:
            others = reduce(or_, (self.rows[other] for other in chosen if other != box), 0)
            if self.rows[box] & ~others == 0:
                chosen.remove(box)
        return chosen

    def _search(self, left: int, chosen: list[Box]) -> None:
        self.tried += len(self.by) + 1
        if self._cost(chosen) + self._least(left) >= self._cost(self.best) or self.tried > MOST_TRIED:
            return
        if not left:
            self.best = chosen
            return
        row = min((row for row in range(len(self.by)) if left >> row & 1), key=lambda row: len(self.by[row]))
        for box in sorted(self.by[row], key=lambda box: -(self.rows[box] & left).bit_count() / self.costs[box]):
            self._search(left & ~self.rows[box], [*chosen, box])

    def _cost(self, boxes: Iterable[Box]) -> int:
        return sum(self.costs[box] for box in boxes)

    def _least(self, left: int) -> int:
        """Say what covering these rows costs at least: rows of which no box covers two are paid for one by one."""
        least = 0
        for row, boxes in enumerate(self.by):
            if left >> row & 1:
                least += self.costs[boxes[0]]
                left &= ~reduce(or_, (self.rows[box] for box in boxes))
        return least


def _undominated(candidates: dict[Box, int], costs: dict[Box, int]) -> list[Box]:
    """Leave out boxes within others that cost no more."""
    useful: list[Box] = []
    for box in sorted(candidates, key=lambda box: (costs[box], -candidates[box].bit_count())):
        if not any(candidates[box] & ~candidates[other] == 0 for other in useful):
            useful.append(box)
            if len(useful) > MOST_BOXES // 2:
                raise TooManyBoxes
    return useful
