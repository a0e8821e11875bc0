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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb, perm, prod
from typing import Literal, Protocol, TypeAlias

from sidelight.table.table import Semantics
from sidelight.worlds.counting.compile import Draws, Ground, Term
from sidelight.worlds.counting.order import Block, Schedule
from sidelight.worlds.effort import Meter, OverEffort

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


# ----------------------------------------------------------------------------------------------------
# What must be remembered while worlds are counted, packed into one whole number.
# ----------------------------------------------------------------------------------------------------


MOST_BITS = 20
"""For up to a million different things that are left of a part."""


class Board:
    """The fields of a state: what is left of each part of the facts, who has drawn, and how much.

    `drawn[party]`: it has drawn its one lot.  `mark[party]`: it draws the lot of this block, which others compare.
    `having[row]` counts who draws the lot of this block, `served[row]` who has drawn any.
    """

    def __init__(self, ground: Ground, *, drawers: Iterable[int], comparers: Iterable[int]) -> None:
        self.ground = ground
        self.impossible = ground.terms.false
        self._bits = 0
        self._left = [_Left(ground, part, self._field) for part in range(len(ground.parts))]
        self.drawn = {party: 1 << self._field(1) for party in drawers}
        self.mark = {party: 1 << self._field(1) for party in comparers}
        people: Counter[int] = Counter()
        for party in ground.parties:
            people.update(party)
        self.field = {row: (1 << number.bit_length()) - 1 for row, number in people.items()}  # a counter's mask, at 0
        self.having = {row: 1 << self._field(number.bit_length()) for row, number in people.items()}
        self.served = {row: 1 << self._field(number.bit_length()) for row, number in people.items()}
        self.start = sum(self.written(part, term) for part, term in enumerate(ground.parts))

    def written(self, part: int, term: Term) -> int:
        """Write down what is left of a part."""
        return self._left[part].written(term)

    def term(self, state: int, part: int) -> Term:
        """Read what is left of a part."""
        left = self._left[part]
        return left.terms[(state & left.mask) >> left.place]

    def mask_of(self, parts: Iterable[int]) -> int:
        """Give the fields of some parts."""
        return sum(self._left[part].mask for part in parts)

    def _field(self, bits: int) -> int:
        place, self._bits = self._bits, self._bits + bits
        return place

    def count(self, fields: dict[int, int], row: int, state: int) -> int:
        """Read a counter."""
        return state // fields[row] & self.field[row]


class _Left:
    """The field of one part: what may be left of it, numbered as it comes about."""

    def __init__(self, ground: Ground, part: int, field: Callable[[int], int]) -> None:
        term = ground.parts[part]
        alone = term.literal and part != ground.tracked  # then all of it is left, or nothing
        bits = 1 if alone else min((3 ** len(term.atoms) + 1).bit_length(), MOST_BITS)  # each atom: open, so, or not
        self.terms = [ground.terms.true]
        self.place = field(bits)
        self.mask = (1 << bits) - 1 << self.place
        self._numbers = {ground.terms.true: 0}

    def written(self, term: Term) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
            if number << self.place > self.mask:
                raise OverEffort
        return number << self.place


# ----------------------------------------------------------------------------------------------------
# The steps in which worlds are counted: parties draw a lot or not, and then the lot is handed out.
#
# A step looks at some fields of a state (`mask`) and says what may come of them: what is added to the state in their
# place, and in how many ways, with a sign.
# ----------------------------------------------------------------------------------------------------


Move: TypeAlias = tuple[int, int]
"""What is added to the state, and the number of ways."""


class Step(Protocol):
    """One step of the count."""

    mask: int
    known: dict[int, list[Move]]  # what was found out

    def moves(self, state: int) -> list[Move]:
        """Say what may come of the fields of a state that this step looks at."""


Reading: TypeAlias = Literal["has", "lacks", "over", "nothing"]
"""What the facts hear when a party's turn is over: it has drawn the lot; it has not, but perhaps will draw another one;
it has drawn another one; nothing new."""


@dataclass(frozen=True, slots=True)
class Chance:
    """One thing that may happen at a turn."""

    reading: Reading
    draws: bool
    sign: int = 1


HAS, LACKS, NOTHING = Chance("has", draws=True), Chance("lacks", draws=False), Chance("nothing", draws=False)
AS_IF = Chance("over", draws=True, sign=-1)
"""Draws it, but the facts do not hear of it: takes back what was counted for those who lack it and are free to draw
anything in the end (inclusion and exclusion)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn it is, for which lot, as far as the facts care; the same for all lots that they do not tell apart.

    `atom` is that the party draws the lot (-1: nobody asks), `later` that it draws one whose turn is yet to come;
    `before` and `after` are the parties it is compared with, whose turn for this lot is over or to come, each with
    the atom that both are alike; nobody asks for the marks of `done` after this turn.
    """

    party: int
    atom: int
    later: frozenset[int]
    last: bool
    possible: bool
    forced: bool | None
    free: bool  # may draw any lot without a turn
    watched: bool  # has all its turns, even if no other fact cares any more
    before: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]
    done: frozenset[int]


class Drawing:
    """A party's turn to draw a lot."""

    def __init__(self, board: Board, turn: Turn) -> None:
        self.board, self.turn = board, turn
        self.known: dict[int, list[Move]] = {}
        self.single = board.ground.semantics == "single"
        self._asked = frozenset({turn.atom, *turn.later})
        compared = {atom for _, atom in (*turn.before, *turn.after)}
        self._parts = board.ground.parts_of(self._asked | compared)
        self._drawn = board.drawn.get(turn.party, 0)
        self._marks = sum(board.mark[party] for party, _ in turn.before)
        self._kept = sum(board.mark[party] for party, _ in turn.before if party not in turn.done)
        self.mask = board.mask_of(self._parts) | self._drawn | self._marks
        counters = [board.having, board.served] if self.single else [board.having]
        people = board.ground.parties[turn.party]
        self._adds = sum(number * counter[row] for row, number in people.items() for counter in counters)
        self._compared_later = frozenset(atom for _, atom in turn.after)
        self._left: dict[tuple[Reading, int], dict[Term, Term]] = {}  # what is heard → before → after

    def moves(self, state: int) -> list[Move]:
        """Let the party draw, or not."""
        return [move for _, move in self.chances(state)]

    def having(self, state: int) -> list[Move]:
        """Let it draw."""
        return [move for chance, move in self.chances(state) if chance is HAS]

    def chances(self, state: int) -> list[tuple[Chance, Move]]:
        """Say what may happen, and what comes of it."""
        terms = [self.board.term(state, part) for part in self._parts]
        happened = ((chance, self._after(chance, state, terms)) for chance in self._possible(state, terms))
        return [(chance, move) for chance, move in happened if move is not None]

    def _possible(self, state: int, terms: list[Term]) -> Iterable[Chance]:
        turn = self.turn
        if state & self._drawn:
            return () if turn.forced else (NOTHING,)
        if self._nobody_cares(terms):
            return (NOTHING,)
        has = (HAS,) if turn.possible and turn.forced is not False else ()
        if turn.forced:
            return has
        as_if = (AS_IF,) if turn.possible and turn.free else ()
        lacks = (LACKS,) if turn.free or not turn.last or not self.single else ()
        return (*has, *as_if, *lacks)

    def _nobody_cares(self, terms: list[Term]) -> bool:
        """Say whether drawing and drawing as if it did not would cancel out, now and later."""
        if not self.turn.free or self.turn.watched:
            return False
        return not any(term.atoms & self._asked for term in terms)

    def _after(self, chance: Chance, state: int, terms: list[Term]) -> Move | None:
        turn, board = self.turn, self.board
        left_of = self._left.setdefault((chance.reading, state & self._marks), {})
        after, still_asked = self._adds if chance.draws else 0, False
        for part, term in zip(self._parts, terms, strict=True):
            left = left_of.get(term)
            if left is None:
                left = left_of[term] = self._told(term, chance.reading, state)
            if left is board.impossible and part != board.ground.tracked:
                return None
            after += board.written(part, left)
            still_asked = still_asked or not self._compared_later.isdisjoint(left.atoms)
        if chance is HAS and still_asked:
            after += board.mark[turn.party]
        if not turn.last and chance is not LACKS:
            after += self._drawn
        return after + (state & self._kept), chance.sign

    def _told(self, term: Term, reading: Reading, state: int) -> Term:
        """Say what is left of a term when the facts hear of this turn."""
        make, turn = self.board.ground.terms, self.turn
        if reading != "nothing":
            term = make.given(term, turn.atom, so=reading == "has")
        if self.single and reading in ("has", "over"):
            for atom in turn.later:
                term = make.given(term, atom, so=False)
        for other, atom in turn.before:
            if bool(state & self.board.mark[other]) != (reading == "has"):
                term = make.given(term, atom, so=False)
            elif self.single and reading == "has":  # both have drawn it, and nothing else
                term = make.given(term, atom, so=True)
        return term


class Crowd:
    """People of whom no more is known than that they have a value, or that they lack it."""

    def __init__(self, board: Board, row: int, people: int, *, having: bool) -> None:
        self.mask = 0
        self.known: dict[int, list[Move]] = {}
        single = board.ground.semantics == "single"
        one = board.having[row] + (board.served[row] if single else 0)
        if having:
            self._moves = [(people * one, 1)]
        elif single:  # who lacks it is free to draw anything, less those who draw it
            self._moves = [(number * one, (-1) ** number * comb(people, number)) for number in range(people + 1)]
        else:
            self._moves = [(0, 1)]

    def moves(self, state: int) -> list[Move]:
        """Always the same."""
        del state
        return self._moves


class HandingOut:
    """Everybody of a group has had a turn for a lot: in how many ways can it be handed out?"""

    def __init__(self, board: Board, row: int, lot: int, asked: int) -> None:
        self.board, self.row, self.lot, self.asked = board, row, lot, asked
        self.mask = board.field[row] * board.having[row]
        self.known: dict[int, list[Move]] = {}

    def moves(self, state: int) -> list[Move]:
        """Count the ways."""
        ground, having = self.board.ground, self.board.count(self.board.having, self.row, state)
        people, count = ground.sizes[self.row], ground.counts[self.row, self.lot]
        ways = ways_to_have(ground.semantics, people=people, count=count, asked=self.asked, having=having)
        return [(0, ways)] if ways else []


class TheRest:
    """All lots of a group came up where people have one value each: who was free draws anything that is left."""

    def __init__(self, board: Board, row: int, people: int) -> None:
        self.board, self.row, self.people = board, row, people
        self.mask = board.field[row] * board.served[row]
        self.known: dict[int, list[Move]] = {}

    def moves(self, state: int) -> list[Move]:
        """Count the ways."""
        served = self.board.count(self.board.served, self.row, state)
        return [(0, perm(self.board.ground.sizes[self.row] - served, self.people - served))]


class TheEnd:
    """All lots came up: those who were never found to differ are alike, and then all facts must be so."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.mask = -1
        self.known: dict[int, list[Move]] = {}

    def moves(self, state: int) -> list[Move]:
        """One way, or none; to state 1 if the term that is tracked is so, else to 0."""
        ground = self.board.ground
        ends = [self._at_last(self.board.term(state, part)) for part in range(len(ground.parts))]
        if any(not so for part, so in enumerate(ends) if part != ground.tracked):
            return []
        return [(0 if ground.tracked is None else int(ends[ground.tracked]), 1)]

    def _at_last(self, term: Term) -> bool:
        ground = self.board.ground
        for atom in term.atoms:
            term = ground.terms.given(term, atom, so=not isinstance(ground.atoms[atom], Draws))
        return term is ground.terms.true


def ways_to_have(semantics: Semantics, *, people: int, count: int, asked: int, having: int) -> int:
    """In how many ways do `having` of the `asked` people have a value, and the others of them not?

    `single`: so many lots are drawn, one after the other.  `set`: the others who have it are chosen among the people
    who were not asked.  `multiset`: each occurrence goes to anybody who may have it, and everybody who has it gets at
    least one: Σ_j (−1)^j C(having, j) (people − lacking − j)^count.

    >>> [ways_to_have("set", people=5, count=2, asked=2, having=having) for having in (0, 1, 2)]
    [3, 3, 1]
    >>> [ways_to_have("multiset", people=3, count=2, asked=1, having=having) for having in (0, 1)]
    [4, 5]
    """
    if semantics == "single":
        return perm(count, having)
    if semantics == "set":
        return comb(people - asked, count - having) if having <= count else 0
    others = people - (asked - having)
    return sum((-1) ** none * comb(having, none) * (others - none) ** count for none in range(having + 1))


def every_way(semantics: Semantics, *, people: int, count: int) -> int:
    """In how many ways can a value be spread, where people may have several?

    >>> every_way("set", people=5, count=2), every_way("multiset", people=3, count=2)
    (10, 9)
    """
    return comb(people, count) if semantics == "set" else people**count
