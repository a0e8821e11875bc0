"""The steps in which worlds are counted: parties draw a lot or not, and then the lot is handed out.

A step looks at some fields of a state (`mask`) and says what may come of them: what is added to the state in their
place, and in how many ways, with a sign.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, perm
from typing import Literal, Protocol, TypeAlias

from sidelight.table.table import Semantics
from sidelight.worlds.counting.board import Board
from sidelight.worlds.counting.compile import Draws
from sidelight.worlds.counting.terms import Term

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
