"""The fewest basic implications: what a fact forbids, covered at least cost.

What a basic implication forbids is a box in which at least one person has one value (a premise).  So boxes that cannot
be made larger are collected for each value that one person may be pinned down to, and the cheapest of them that cover
all are chosen, by branch and bound.  Where that person has a lump of several values, a box costs one implication for
each: values of a lump are alike, so what is best for one of them is best for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TypeAlias

from sidelight.knowledge.boxes import ELSE, MOST_BOXES, Box, Space, TooManyBoxes

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

    >>> from sidelight.knowledge.facts_text import read_fact
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
