"""Count the worlds in which a formula holds: let people draw one after the other, and remember what was counted.

Parts that share no urn are independent and are multiplied.  Otherwise somebody draws whom most parts mention, and what
is left of the formula is counted with what is left in the urns; states that differ in nothing that matters are counted
once.  (Model counting with components and caching, for people instead of variables.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import and_
from typing import TypeAlias

from sidelight.table.labels import Label
from sidelight.worlds.assuming import assumed
from sidelight.worlds.budget import Meter, OverBudget
from sidelight.worlds.formula import Formula, Formulas, unit
from sidelight.worlds.handing_out import Wish
from sidelight.worlds.urns import Block, Urn, lots_of

Urns: TypeAlias = Mapping[int, Urn]
Lot: TypeAlias = frozenset[Label]
"""What a lot says, the same in all urns that have it."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Somebody draws a lot of a block: in how many ways, and what is then left of the formula and in the urn."""

    ways: int
    formula: Formula
    urn: Urn


class Counting:
    """Counts worlds of given urns; `lots[u]` says what the lots of urn u are."""

    def __init__(self, formulas: Formulas, lots: list[tuple[Lot, ...]], meter: Meter) -> None:
        self.formulas = formulas
        self.lots = lots
        self.meter = meter
        self._counted: dict[Hashable, int] = {}
        self._left: dict[tuple[Formula, int, Block], Formula] = {}
        self._blocks: dict[tuple[frozenset[int], bool, int], tuple[Block, ...]] = {}
        self._next: dict[tuple[Formula, frozenset[int]], int] = {}
        self._full: Urns = {}

    def worlds(self, formula: Formula, urns: Urns) -> int:
        """Count the worlds of all these urns in which the formula holds."""
        self._full = urns
        try:
            return self._with_rest(formula, urns)
        except RecursionError:
            raise OverBudget from None

    def _with_rest(self, formula: Formula, urns: Urns) -> int:
        if formula is self.formulas.false:
            return 0
        others = prod(urn.ways() for number, urn in urns.items() if number not in formula.urns)
        return others and others * self._ways(formula, {number: urns[number] for number in formula.urns})

    def _ways(self, formula: Formula, urns: Urns) -> int:
        if formula is self.formulas.true:
            return 1
        apart = components(formula)
        if len(apart) > 1:
            return self._ways_apart(formula, apart, urns)
        key = (formula, *(urns[number].state(self.blocks(formula, number)) for number in sorted(formula.urns)))
        if key not in self._counted:
            self.meter.spend()
            self._counted[key] = self._ways_within(formula, urns)
        return self._counted[key]

    def _ways_apart(self, formula: Formula, apart: list[list[Formula]], urns: Urns) -> int:
        """Multiply what is independent; any of them: all less none of them."""
        if formula.kind == "all":
            return prod(self._part(self.formulas.all_of(parts), urns) for parts in apart)
        parts = [self.formulas.any_of(parts) for parts in apart]
        everything = [prod(urns[number].ways() for number in part.urns) for part in parts]
        none = prod(every - self._part(part, urns) for every, part in zip(everything, parts, strict=True))
        return prod(everything) - none

    def _part(self, formula: Formula, urns: Urns) -> int:
        return self._ways(formula, {number: urns[number] for number in formula.urns})

    def _ways_within(self, formula: Formula, urns: Urns) -> int:
        open_parts = [part for part in formula.parts or (formula,) if formula.kind == "any" or not unit(part)]
        if not open_parts and len(formula.urns) == 1:
            (number,) = formula.urns
            return urns[number].ways_within(wishes(formula), self.blocks(formula, number), self.meter.spend)
        if open_parts and formula.kind == "all" and _better_by_parts(open_parts):
            return self._part_by_part(formula, open_parts, urns)
        return self._person_by_person(formula, urns)

    def _part_by_part(self, formula: Formula, open_parts: list[Formula], urns: Urns) -> int:
        """Leave one part out: all worlds in which the others hold, less those in which it does not."""
        part = min(open_parts, key=lambda each: (-len(each.people), *sorted(each.people)))
        others = self.formulas.all_of(formula.parts - {part})
        broken = assumed(self.formulas, self.formulas.all_of([self.formulas.opposite(part), others]))
        return self._with_rest(others, urns) - self._with_rest(broken, urns)

    def _person_by_person(self, formula: Formula, urns: Urns) -> int:
        """Let somebody draw."""
        person = self._who_next(formula, frozenset(number for number in urns if urns[number] is not self._full[number]))
        number = self.formulas.urn_of[person]
        draws = list(self.draws(formula, person, urns[number]))
        usual = _usual(draws)
        unusual = [draw for draw in draws if draw.formula is not usual]
        possible = [draw for draw in draws if draw.formula is not self.formulas.false]
        if len(possible) <= 1 + 2 * len(unusual):
            return sum(draw.ways * self._with_rest(draw.formula, {**urns, number: draw.urn}) for draw in possible)
        # As if everybody drew as usual, and then the unusual draws put right: lots that are not asked for stay lumped.
        ways = self._with_rest(usual, urns)
        for draw in unusual:
            after = {**urns, number: draw.urn}
            ways += draw.ways * (self._with_rest(draw.formula, after) - self._with_rest(usual, after))
        return ways

    def draws(self, formula: Formula, person: int, urn: Urn) -> Iterator[Draw]:
        """Let a person draw, in every way that makes a difference."""
        for block in self.blocks(formula, self.formulas.urn_of[person]):
            ways, left = urn.take(block)
            if ways:
                yield Draw(ways, self.after(formula, person, block), left)

    def blocks(self, formula: Formula, number: int) -> tuple[Block, ...]:
        """Put lots of an urn together that the formula does not tell apart."""
        masks = frozenset(mask for urn, mask in formula.masks if urn == number)
        key = (masks, number in formula.tied, number)
        if key not in self._blocks:
            every = self.formulas.every_lot[number]
            told_apart = (1 << lot for lot in lots_of(every)) if number in formula.tied else masks
            self._blocks[key] = tuple(_refined(every, told_apart))
        return self._blocks[key]

    def after(self, formula: Formula, person: int, block: Block) -> Formula:
        """Say what is left of a formula when a person has drawn a lot of a block."""
        if person not in formula.people:
            return formula
        key = (formula, person, block)
        if key not in self._left:
            self._left[key] = self._after(formula, person, block)
        return self._left[key]

    def _after(self, formula: Formula, person: int, block: Block) -> Formula:
        make = self.formulas
        if formula.kind == "draws":
            return make.true if formula.mask & block else make.false
        if formula.kind == "tie":
            other = formula.other if person == formula.person else formula.person
            same = make.draws(other, self._same_lot(make.urn_of[person], block, make.urn_of[other]))
            return same if formula.mask else make.opposite(same)
        join = make.all_of if formula.kind == "all" else make.any_of
        return join(self.after(part, person, block) for part in formula.parts)

    def _same_lot(self, urn: int, block: Block, other: int) -> int:
        """Find the lot of another urn that says the same, if it has one."""
        (lot,) = lots_of(block)
        said = self.lots[urn][lot]
        return 1 << self.lots[other].index(said) if said in self.lots[other] else 0

    def _who_next(self, formula: Formula, begun: frozenset[int]) -> int:
        """Choose whom most parts mention: then most is decided, and what is left falls apart.

        Urns that were begun come first: once nobody draws from them any more, they no longer tell states apart.
        """
        key = (formula, begun & formula.urns)
        if key not in self._next:
            mentions = Counter(person for part in formula.parts or (formula,) for person in part.people)
            urn_of = self.formulas.urn_of
            self._next[key] = min(
                mentions, key=lambda who: (urn_of[who] not in begun, -mentions[who], urn_of[who], who)
            )
        return self._next[key]


def components(formula: Formula) -> list[list[Formula]]:
    """Divide the parts of a formula so that parts of different components share no urn."""
    found: list[tuple[set[int], list[Formula]]] = []
    for part in formula.parts:
        urns, parts = set(part.urns), [part]
        apart = []
        for theirs, others in found:
            if urns.isdisjoint(theirs):
                apart.append((theirs, others))
            else:
                urns |= theirs
                parts = others + parts
        found = [*apart, (urns, parts)]
    return [parts for _, parts in found]


def wishes(formula: Formula) -> list[Wish]:
    """Turn people who are asked one by one, or tied to each other, into parties with their wishes."""
    parts = formula.parts if formula.kind == "all" else (formula,)
    parties: list[set[int]] = []
    for part in parts:
        together = set(part.people)
        for party in [party for party in parties if party & together]:
            parties.remove(party)
            together |= party
        parties.append(together)
    masks = {part.person: part.mask for part in parts if part.kind == "draws"}
    return [Wish(len(party), reduce(and_, (masks.get(person, -1) for person in party))) for party in parties]


def _better_by_parts(open_parts: list[Formula]) -> bool:
    """Guess whether few parts, or the ways in which tied people fall into parties, are less than what people draw."""
    if len(open_parts) > 40:
        return False
    apart = [part for part in open_parts if part.kind == "tie"]
    if any(len(part.urns) > 1 for part in open_parts if part.kind == "tie"):
        return False
    tied = {person for part in apart for person in part.people}
    parties = _PARTIES[min(len(tied), len(_PARTIES) - 1)]
    by_parts = min(1 << len(apart), parties) * (1 << len(open_parts) - len(apart))
    asked = Counter(person for part in open_parts for person in part.people)
    by_people = prod(1 + number for number in asked.values())
    return by_parts <= 5_000 and by_parts * 2 <= by_people


_PARTIES = (1, 1, 2, 5, 15, 52, 203, 877, 4_140, 21_147)
"""In how many ways so many people fall into parties (Bell's numbers); more people: too many."""


def _usual(draws: list[Draw]) -> Formula:
    """Find what is left after most draws."""
    return max(Counter(draw.formula for draw in draws).items(), key=lambda item: item[1])[0]


def _refined(every: Block, masks: Iterable[int]) -> list[Block]:
    """Split a block by masks, until each mask has all of a part or nothing.

    >>> _refined(0b1111, [0b0011, 0b0110])
    [2, 1, 4, 8]
    """
    blocks = [every]
    for mask in masks:
        blocks = [part for block in blocks for part in (block & mask, block & ~mask) if part]
    return blocks
