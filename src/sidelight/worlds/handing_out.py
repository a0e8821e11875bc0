"""In how many ways can lots be handed out to people who may not draw just any?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, perm
from typing import TypeAlias

State: TypeAlias = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Wish:
    """Parties of `size` people, who all draw a lot of one kind together, and of these kinds only (`mask`)."""

    size: int
    mask: int


def ways_to_hand_out(
    left: Sequence[int], wishes: Sequence[Wish], waiting: int, spend: Callable[[], None] = lambda: None
) -> int:
    """Count the ways in which all parties get what they wish and everybody else who is waiting any lot.

    Kind by kind of lots, it is decided how many parties draw it; parties with the same wish are alike.  Single people
    with few kinds that they must not draw are handed these with a minus sign instead (inclusion and exclusion, rook
    polynomials), which leaves them free otherwise.

    >>> ways_to_hand_out([2, 3], [Wish(1, 0b01), Wish(1, 0b10)], waiting=2)
    6
    >>> ways_to_hand_out([2, 3], [Wish(2, 0b11)], waiting=2)
    8
    """
    every = (1 << len(left)) - 1
    if any(not wish.mask & every for wish in wishes):
        return 0  # people who are tied to each other and wish for different things
    tally = Counter(wishes)
    states = {(0, tuple(tally.values())): 1}  # people served, parties of each wish that are not: signed ways
    for lots, takers in zip(left, _takers(tuple(tally), len(left)), strict=True):
        before, states = states, Counter[State]()
        for state, ways in before.items():
            spend()
            for (served, rest), more in _after(state, takers, lots):
                states[served, rest] += ways * more * perm(lots, served - state[0])
    total = sum(left)
    return sum(ways * perm(total - served, waiting - served) for (served, _), ways in states.items())


@dataclass(frozen=True, slots=True)
class _Taker:
    """A wish that a kind of lots concerns: its place, its size, its sign, and whether it is concerned no more after."""

    place: int
    size: int
    sign: int  # -1: people who must not draw it, and are free otherwise
    last: bool


def _takers(wishes: tuple[Wish, ...], kinds: int) -> list[list[_Taker]]:
    takers: list[list[_Taker]] = [[] for _ in range(kinds)]
    for place, wish in enumerate(wishes):
        free = wish.size == 1 and 2 * (wish.mask & ((1 << kinds) - 1)).bit_count() > kinds
        concerned = [kind for kind in range(kinds) if bool(wish.mask >> kind & 1) != free]
        for kind in concerned:
            takers[kind].append(_Taker(place, wish.size, -1 if free else 1, kind == concerned[-1]))
    return takers


def _after(state: State, takers: list[_Taker], lots: int) -> list[tuple[State, int]]:
    """Let any parties draw a kind of which there are so many lots: who is then left, and in how many (signed) ways."""
    options = [(state, 1)]
    for taker in takers:
        before, options = options, []
        for (served, rest), ways in before:
            parties = rest[taker.place]
            most = min(parties, (lots - served + state[0]) // taker.size)
            least = parties if taker.last and taker.sign > 0 else 0  # whoever got nothing wished for so far
            for number in range(least, most + 1):
                left = 0 if taker.last else parties - number
                after = (served + number * taker.size, (*rest[: taker.place], left, *rest[taker.place + 1 :]))
                options.append((after, ways * taker.sign**number * comb(parties, number)))
    return options
