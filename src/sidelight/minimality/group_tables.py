"""In how many arrangements of a group's values do all its cuts fail, and who has which value in them?

Symbols     Atom j has m_j people whom no cut tells apart; x_js of them have value s; Σ_s x_js = m_j, Σ_j x_js = n_s.
Weight      A table x stands for  Π_j m_j! / Π_s x_js!  arrangements of values among people; all tables together for
            n! / Π_s n_s!.
Belief      Pr(a person of atom j has s | all cuts fail) = Σ w(x)·x_js / (m_j · Σ w(x)), over the tables x so.
Listing     Value by value and atom by atom, every choice within what is left: each prefix is the prefix of a table, so
            nothing is listed in vain, and a group with too many tables is known as soon as its prefixes are too many.
Exactness   Weights are whole numbers of any length; their sums with the small x_js are taken in pieces of 24 bits,
            which matrix products of floats add up without rounding: 2²⁴ · 2¹⁶ tables · 2¹² people is below 2⁵³.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Floats, Integers, add_up, number_vectors, ranges

TableList: TypeAlias = npt.NDArray[np.int16]
"""Table × atom × value, without the last value."""

Whole: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.object_]
"""Whole numbers, of any length where they may get long."""

MOST_TABLES = 400_000
"""Groups with more tables than this are drawn from."""

PIECE = 24
"""So many bits of a weight are added up at a time."""


def list_tables(people: Integers, counts: Integers, most: int = MOST_TABLES) -> TableList | None:
    """List all tables of atoms × values with these sums; None where there are more than `most`.

    The last value has the rest of each atom.

    >>> list_tables(np.array([1, 2]), np.array([2, 1]))[:, :, 0].tolist()
    [[0, 2], [1, 1]]
    """
    atoms, free = len(people), len(counts) - 1
    # Larger groups are not listed, however few their tables.
    if int(people.sum()) > (1 << 12) or count_tables(people, counts, most) > most:
        return None
    tables = np.zeros((1, atoms, free), np.int16)
    left = counts[np.newaxis]  # of each value, not yet handed out
    # the last atom takes whatever is left, so only the others branch
    for atom, size in enumerate(people[:-1].tolist()):
        which, after = _hand_out(size, left)
        tables = tables[which]
        tables[:, atom] = (left[which] - after)[:, :free]
        left = after
    tables[:, atoms - 1] = left[:, :free]
    return tables


def count_tables(people: Integers, counts: Integers, most: int = MOST_TABLES) -> int:
    """Count the tables with these sums, up to the first number above `most`: prefixes that leave the same are one.

    >>> count_tables(np.array([1, 2]), np.array([2, 1]))
    2
    """
    left, ways = counts[np.newaxis], np.ones(1, np.int64)
    for size in people[:-1].tolist():
        which, left = _hand_out(size, left, most)
        ways = ways[which]  # where the list was cut short, there are more already
        if int(ways.sum()) > most:
            return int(ways.sum())
        # prefixes that leave the same values go on in the same ways: they are merged, and their ways added up
        kind, first = number_vectors(left)
        left, ways = left[first], add_up(kind, ways, len(first))
    return int(ways.sum())


def _hand_out(size: int, left: Integers, most: int = MOST_TABLES) -> tuple[Integers, Integers]:
    """Deal `size` people values from `left`, (prefixes, values), in all ways; return each one's prefix and rest.

    Stops short once there are more than `most` ways.
    """
    which, room = np.arange(len(left)), np.full(len(left), size)
    for value in range(left.shape[1] - 1):
        # what the values after this one cannot fill has to be filled by this one
        least = np.maximum(room - left[:, value + 1 :].sum(axis=1), 0)
        at, amount = ranges(least, np.minimum(room, left[:, value]) + 1)
        which, left, room = which[at], left[at], room[at] - amount
        left[:, value] -= amount
        if len(which) > most:
            return which, left
    left = left.copy()
    # the last value has no choice: it fills the room that remains
    left[:, -1] -= room
    return which, left


def arrangements(counts: Integers) -> int:
    """Count the arrangements of values among people: n! / Π n_s!.

    >>> arrangements(np.array([2, 1]))
    3
    """
    total, ways = 0, 1
    for count in counts.tolist():
        total += count
        ways *= math.comb(total, count)
    return ways


@dataclass(frozen=True, eq=False, slots=True)
class TableSums:
    """What tables stand for together: their arrangements, and in these the people of each atom with each value."""

    weight: int
    people: npt.NDArray[np.object_]  # atom × value, whole numbers of any length


def sum_tables(tables: TableList, people: Integers) -> TableSums:
    """Add up what tables stand for (see `list_tables`).

    >>> sums = sum_tables(list_tables(np.array([1, 2]), np.array([2, 1])), np.array([1, 2]))
    >>> sums.weight, sums.people.tolist()
    (3, [[2, 1], [4, 2]])
    """
    _, atoms, free = tables.shape
    weight, hits = 0, np.zeros(atoms * free, object)
    rows = 1 << 16
    for start in range(0, len(tables), rows):
        block = tables[start : start + rows]
        # (tables, atoms · values)
        cells = block.reshape(len(block), -1).astype(float)
        for place, piece in enumerate(_pieces(_weights(block, people))):
            weight += int(piece.sum()) << (PIECE * place)
            hits += np.array([int(each) << (PIECE * place) for each in (piece @ cells).tolist()], object)
    listed = hits.reshape(atoms, free)
    rest = np.array([weight * int(each) for each in people], object) - listed.sum(axis=1)
    return TableSums(weight, np.column_stack((listed, rest)))


def _weights(tables: TableList, people: Integers) -> Whole:
    """Return each table's number of arrangements: a product of binomial coefficients, value by value in each atom."""
    weights: Whole = np.ones(len(tables), np.int64)
    largest = 1
    for atom, size in enumerate(people.tolist()):
        room = np.full(len(tables), size)
        for value in range(tables.shape[2]):
            chosen = tables[:, atom, value]
            factor = _binomials(room, chosen, size)
            # a bound on the products, which decides to leave int64 before anything can overflow
            largest *= int(factor.max(initial=1))
            if largest >= 1 << 63 and weights.dtype != object:
                weights = weights.astype(object)
            weights = weights * factor
            if weights.dtype != object:
                largest = int(weights.max(initial=1))
            room = room - chosen
    return weights


def _binomials(of: Integers, chosen: npt.NDArray[np.int16], most: int) -> Whole:
    # Every binomial coefficient of so many things fits into 63 bits.
    kind = np.int64 if most <= 61 else object
    # one number per pair, as chosen ≤ of ≤ most: each coefficient is computed once and looked up
    pairs = of * (most + 1) + chosen
    ways: Whole = np.zeros((most + 1) ** 2, kind)
    for pair in np.flatnonzero(np.bincount(pairs)).tolist():
        ways[pair] = math.comb(*divmod(pair, most + 1))
    chosen_ways: Whole = ways[pairs]
    return chosen_ways


def _pieces(weights: Whole) -> list[Floats]:
    """Cut whole numbers into pieces of bits, the lowest first."""
    pieces = []
    mask = (1 << PIECE) - 1
    while (weights > 0).any():
        pieces.append((weights & mask).astype(float))
        weights = weights >> PIECE
    return pieces
