"""Count the worlds in which some people differ from some others, where people have several values.

That all of a party are alike is easy to count: they draw every lot together.  That all who should differ do so is a sum
over such counts, by Möbius' inversion on partitions:

    [no pair that should differ is alike]  =  Σ_σ Π_{C ∈ σ} a(C) · [all of each C are alike],

over the partitions σ of the people.  a(C) is the lowest coefficient of the chromatic polynomial of the pairs within C,
so it is 0 unless these pairs link all of C.  Lots are independent of each other: for each, sum over who draws it, which
is a union of parties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from math import prod
from operator import or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.knowledge.facts import Fact, Or, Same
from sidelight.worlds.counting.compile import Alike, Draws, Ground
from sidelight.worlds.counting.frontier import every_way, ways_to_have
from sidelight.worlds.effort import Meter

People: TypeAlias = int
"""Some of the parties that are compared, as a mask."""

MOST_UNIONS = 400_000
"""With more than that, the facts are left to the frontier; eight people who all differ have 89,918."""

FEW_PAIRS = 4
"""That one of so many pairs is the same is left to the frontier, where several such facts are counted at once."""


def some_of_many_are_the_same(fact: Fact) -> bool:
    """Say whether a fact is that of many pairs at least one is the same.

    >>> pair = Same("Ann", "Tom")
    >>> some_of_many_are_the_same(pair | Same("Ann", "Bob")), some_of_many_are_the_same(Or((pair,) * 5))
    (False, True)
    """
    return isinstance(fact, Or) and len(fact.facts) > FEW_PAIRS and all(isinstance(part, Same) for part in fact.facts)


def all_differ(fact: Fact) -> list[Fact]:
    """Say the opposite of such a fact, pair by pair.

    >>> [str(pair) for pair in all_differ(Same("Ann", "Tom") | Same("Ann", "Bob"))]
    ['not same(Ann, Tom)', 'not same(Ann, Bob)']
    """
    return [~part for part in fact.parts()]


@dataclass(slots=True)
class Differing:
    """Counts worlds in which people differ; remembers what it counted for a lot."""

    _known: dict[tuple[Partitions, tuple[int, ...]], npt.NDArray[np.object_]] = field(default_factory=dict)

    def fits(self, ground: Ground) -> bool:
        """Say whether the facts are just that people differ and what some have or lack, and not too many."""
        if ground.semantics == "single" or not ground.parts:
            return False
        differ = all(part.kind == "not" and isinstance(ground.atoms[part.atom], Alike) for part in ground.parts)
        return differ and partitions_of(_pairs(ground)[1]) is not None

    def share(self, ground: Ground, meter: Meter) -> Fraction:
        """Say in which share of all worlds such facts are so."""
        parties, neighbours = _pairs(ground)
        partitions = partitions_of(neighbours)
        assert partitions is not None
        crowd = _Crowd(ground, parties)
        ways = partitions.coefficients
        for lot in crowd.lots:
            meter.spend(len(ways) // 8)  # they are worked on all at once
            ways = ways * self._alike(partitions, crowd.ways(lot))
        return Fraction(int(ways.sum()), crowd.every_way())

    def _alike(self, partitions: Partitions, ways: tuple[int, ...]) -> npt.NDArray[np.object_]:
        """For each partition, count the ways in which its parties draw a lot together, or not."""
        key = (partitions, ways)
        if key not in self._known:
            self._known[key] = np.add.reduceat(np.array(ways, object)[partitions.unions], partitions.starts)
        return self._known[key]


@dataclass(frozen=True, eq=False, slots=True)
class Partitions:
    """The partitions of people in which no a(C) is 0: Π a(C), and the unions of their parties, one after the other."""

    coefficients: npt.NDArray[np.object_]
    unions: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]


@lru_cache(maxsize=64)
def partitions_of(neighbours: tuple[People, ...]) -> Partitions | None:
    """Find them, given from whom each should differ; nothing if they are too many.

    >>> triangle = partitions_of((0b110, 0b101, 0b011))
    >>> sorted(triangle.coefficients.tolist()), len(triangle.unions)
    ([-1, -1, -1, 1, 2], 22)
    """
    if 1 << len(neighbours) > MOST_UNIONS:  # as many as there are where all are alone
        return None
    graph = _Graph(neighbours)
    coefficients: list[int] = []
    unions: list[int] = []
    starts: list[int] = []
    for parties in graph.partitions((1 << len(neighbours)) - 1):
        coefficients.append(prod(map(graph.coefficient, parties)))
        starts.append(len(unions))
        mine = [0]
        for party in parties:
            mine += [union | party for union in mine]
        unions += mine
        if len(unions) > MOST_UNIONS:
            return None
    return Partitions(np.array(coefficients, object), np.array(unions, np.intp), np.array(starts, np.intp))


class _Graph:
    """People, and the pairs of them that should differ."""

    def __init__(self, neighbours: tuple[People, ...]) -> None:
        self.neighbours = neighbours
        self._coefficients: dict[People, int] = {}

    def partitions(self, people: People) -> Iterator[list[People]]:
        """Divide people into parties that are linked by pairs."""
        if not people:
            yield []
        for party in self._linked(people):
            if self.coefficient(party):
                for others in self.partitions(people ^ party):
                    yield [party, *others]

    def coefficient(self, people: People) -> int:
        """Give a(C): the sum of Π a(C) over the partitions of any B is 1 if no pair is within B, else 0."""
        if people not in self._coefficients:
            smaller = (part for part in self._linked(people) if part != people and self._apart(people ^ part))
            self._coefficients[people] = self._apart(people) - sum(map(self.coefficient, smaller))
        return self._coefficients[people]

    def _apart(self, people: People) -> bool:
        """Say whether no pair of them should differ."""
        return not any(self.neighbours[place] & people for place in _places(people))

    def _linked(self, people: People) -> Iterator[People]:
        """Go through the sets that pairs link and that have the first of some people."""
        if people:
            first = people & -people
            yield from self._grown(first, first, people)

    def _grown(self, linked: People, decided: People, people: People) -> Iterator[People]:
        """Add neighbours, each of them now or never."""
        yield linked
        near = reduce(or_, (self.neighbours[place] for place in _places(linked))) & people & ~decided
        for place in _places(near):
            decided |= 1 << place
            yield from self._grown(linked | 1 << place, decided, people)


class _Crowd:
    """The groups of the people who are compared."""

    def __init__(self, ground: Ground, parties: list[int]) -> None:
        self.ground, self.parties = ground, parties
        kin = {ground.kin_of(party) for party in parties}
        self.rows = [row for row in ground.sizes if ground.kin[row] in kin]
        asked = dict.fromkeys(lot for row in self.rows for lot in ground.lots[row])
        self.lots = list(asked | dict.fromkeys(drawn.lot for drawn in ground.known))
        compared = set(parties)
        self._others = [(drawn, so) for drawn, so in ground.known.items() if drawn.party not in compared]

    def ways(self, lot: int) -> tuple[int, ...]:
        """For each set of parties, count the ways in which just they draw a lot; 0 if they are known not to."""
        forced = {True: 0, False: 0}
        for place, party in enumerate(self.parties):
            so = self.ground.known.get(Draws(party, lot))
            if so is not None:
                forced[so] |= 1 << place
        rows = [self._row_ways(row, lot) for row in self._rows_of(lot)]
        return tuple(
            0
            if people & forced[False] or forced[True] & ~people
            else prod(ways[having[people]] for having, ways in rows)
            for people in range(1 << len(self.parties))
        )

    def every_way(self) -> int:
        """Count all worlds, as far as they are told apart here."""
        ground = self.ground
        return prod(
            every_way(ground.semantics, people=ground.sizes[row], count=ground.counts[row, lot])
            for lot in self.lots
            for row in self._rows_of(lot)
        )

    def _rows_of(self, lot: int) -> list[int]:
        others = (row for drawn, _ in self._others if drawn.lot == lot for row in self.ground.parties[drawn.party])
        return list(dict.fromkeys([*self.rows, *others]))

    def _row_ways(self, row: int, lot: int) -> tuple[list[int], list[int]]:
        """Count for each set of parties its people of a group, and for such a number the ways to have a lot."""
        ground = self.ground
        having = [0]
        for party in self.parties:
            having += [number + ground.parties[party][row] for number in having]
        others = [(ground.parties[drawn.party][row], so) for drawn, so in self._others if drawn.lot == lot]
        asked, known = having[-1] + sum(people for people, _ in others), sum(people for people, so in others if so)
        people, count = ground.sizes[row], ground.counts[row, lot]
        return having, [
            ways_to_have(ground.semantics, people=people, count=count, asked=asked, having=known + number)
            for number in range(having[-1] + 1)
        ]


def _pairs(ground: Ground) -> tuple[list[int], tuple[People, ...]]:
    """Find the parties of several people and those that should differ; say for each from whom it should."""
    pairs = [atom for part in ground.parts if isinstance(atom := ground.atoms[part.atom], Alike)]
    several = {party for party, people in enumerate(ground.parties) if people.total() > 1}
    parties = sorted(several.union(*((pair.party, pair.other) for pair in pairs)))
    place = {party: number for number, party in enumerate(parties)}
    neighbours = [0] * len(parties)
    for pair in pairs:
        neighbours[place[pair.party]] |= 1 << place[pair.other]
        neighbours[place[pair.other]] |= 1 << place[pair.party]
    return parties, tuple(neighbours)


def _places(people: People) -> list[int]:
    return [place for place in range(people.bit_length()) if people >> place & 1]
