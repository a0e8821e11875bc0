"""Count the worlds in which facts are so, lot by lot.

In all semantics a world says of each lot who draws it.  So the lots come up one after the other; parties whom the facts
ask about draw it or not, and only what still matters is remembered: what is left of each fact, who has drawn, how many
of a group drew this lot.  States that agree in that are one.  Everybody else draws in one lump.

The number of states depends on how many facts are open at a time, not on the number of people or values: a frontier
that sweeps over the facts.  People who may draw any lot do not have a turn for each: they are counted as free, and what
was counted too often is taken back (`steps.AS_IF`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import perm, prod
from typing import TypeAlias

from sidelight.worlds.counting.board import Board
from sidelight.worlds.counting.compile import Draws
from sidelight.worlds.counting.order import Block, Schedule
from sidelight.worlds.counting.steps import Crowd, Drawing, HandingOut, Step, TheEnd, TheRest, Turn, every_way
from sidelight.worlds.effort import Meter

States: TypeAlias = dict[int, int]
"""State → in how many ways it comes about, signed."""


class Frontier:
    """The steps in which worlds are counted."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule, self.ground = schedule, schedule.ground
        self.board = Board(self.ground, drawers=schedule.drawers(), comparers=sorted(schedule.compared))
        self.drawings: dict[tuple[int, int], int] = {}  # (party, lot) → its step
        self._to_come: dict[int, dict[int, None]] = {}  # party → the lots for which its turn is to come
        for block, parties in schedule.blocks:
            for party in parties:
                self._to_come.setdefault(party, {})[block[1]] = None
        self._watched = schedule.watched.union(drawn.party for drawn in self.ground.known)
        self._alike: dict[Turn, Drawing] = {}  # turns that are alike are one step, and learn from each other
        self.steps = self._steps()

    def shares(self, meter: Meter) -> tuple[Fraction, Fraction]:
        """Say in which share of all worlds the facts are so, and in which that which is tracked is so as well."""
        states = self.begin()
        for step in self.steps:
            states = {state: ways for state, ways in moved(states, step, meter).items() if ways}
        every = self.every_way()
        return Fraction(sum(states.values()), every), Fraction(states.get(1, 0), every)

    def layers(self, meter: Meter) -> list[States]:
        """Give the states before each step, and after the last."""
        layers = [self.begin()]
        for step in self.steps:
            layers.append(moved(layers[-1], step, meter))
        return layers

    def begin(self) -> States:
        """Start with nothing drawn; with nothing at all if the facts cannot be so."""
        return {} if self.ground.never else {self.board.start: 1}

    def every_way(self) -> int:
        """Count all worlds, as far as they are told apart here."""
        ground = self.ground
        if ground.semantics == "single":
            return prod(perm(ground.sizes[row], people) for row, people in self.schedule.waiting().items())
        return prod(
            every_way(ground.semantics, people=ground.sizes[row], count=ground.counts[row, block[1]])
            for block in self.schedule.turns
            for row in self.schedule.asked(block)
        )

    def _steps(self) -> list[Step]:
        asked = {block: self.schedule.asked(block) for block, _ in self.schedule.blocks}
        last = {row: block for block, rows in asked.items() for row in rows}
        waiting = self.schedule.waiting()
        steps: list[Step] = []
        for block, parties in self.schedule.blocks:
            for party, step in self._block_steps(block, parties, asked[block]):
                if party is not None:
                    self.drawings[party, block[1]] = len(steps)
                steps.append(step)
            if self.ground.semantics == "single":
                steps += (TheRest(self.board, row, waiting[row]) for row in asked[block] if last[row] == block)
        return [*steps, TheEnd(self.board)]

    def _block_steps(self, block: Block, parties: list[int], asked: Counter[int]) -> Iterator[tuple[int | None, Step]]:
        """Let everybody have a turn for a lot, and hand it out in each group as soon as all of the group had it."""
        for (row, having), people in self.schedule.crowds.get(block, Counter()).items():
            yield None, Crowd(self.board, row, people, having=having)
        ends = {row: party for party in parties for row in self.ground.parties[party]}
        for row in asked:
            if row not in ends:
                yield None, HandingOut(self.board, row, block[1], asked[row])
        places = {party: place for place, party in enumerate(parties)}
        for party in parties:
            yield party, self._drawing(party, block[1], places)
            for row in self.ground.parties[party]:
                if ends[row] == party:
                    yield None, HandingOut(self.board, row, block[1], asked[row])

    def _drawing(self, party: int, lot: int, places: dict[int, int]) -> Drawing:
        del self._to_come[party][lot]
        later = self._to_come[party]
        ground, with_whom, mine = self.ground, self._with_whom(party, places), places[party]
        before = tuple((other, atom) for other, atom in with_whom if places[other] < mine)
        turn = Turn(
            party,
            atom=self._asked(party, lot),
            later=frozenset(self._asked(party, other) for other in later) - {-1},
            last=not later,
            possible=all(ground.counts[row, lot] for row in ground.parties[party]),
            forced=ground.known.get(Draws(party, lot)),
            free=self.schedule.free(party),
            watched=party in self._watched,
            before=before,
            after=tuple((other, atom) for other, atom in with_whom if places[other] > mine),
            done=frozenset(other for other, _ in before if places[self._with_whom(other, places)[-1][0]] <= mine),
        )
        if turn not in self._alike:
            self._alike[turn] = Drawing(self.board, turn)
        return self._alike[turn]

    def _with_whom(self, party: int, places: dict[int, int]) -> list[tuple[int, int]]:
        """Say with whom a party is compared at a lot, each with the atom that both are alike, as their turns come."""
        compared = self.schedule.compared.get(party, {})
        return sorted(((other, compared[other]) for other in compared), key=lambda pair: places[pair[0]])

    def _asked(self, party: int, lot: int) -> int:
        """Find the atom that a party draws a lot, if a fact still asks for it."""
        number = self.ground.numbers.get(Draws(party, lot), -1)
        return number if number in self.ground.mentions else -1


def moved(states: States, step: Step, meter: Meter) -> States:
    """Take a step from each state; ways may cancel out."""
    mask, known, after = step.mask, step.known, dict[int, int]()
    for number, (state, ways) in enumerate(states.items()):
        if not number & 1023:
            meter.spend(min(len(states) - number, 1024))
        looked_at = state & mask
        moves = known.get(looked_at)
        if moves is None:
            moves = known[looked_at] = step.moves(looked_at)
        rest = state ^ looked_at
        for added, more in moves:
            new = rest + added
            after[new] = after.get(new, 0) + ways * more
    return after


def to_come(states: States, step: Step, after: States) -> States:
    """Count for each state what may still come of it, given that for the states after the step."""
    mask, known = step.mask, step.known
    return {
        state: sum(more * after.get(state - (state & mask) + added, 0) for added, more in known[state & mask])
        for state in states
    }
