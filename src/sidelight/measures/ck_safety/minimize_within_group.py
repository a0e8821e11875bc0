"""How unlikely can j atoms make it that none of them holds, when all are about people of one group?

The first of a group's n people is asked about the k₀ most frequent values, the second about the k₁ most frequent, and
so on, k₀ ≥ k₁ ≥ … ≥ 1: a way to spend k₀ + k₁ + … atoms.  With Sₘ = n(x₁) + … + n(xₘ), none of them holds with
probability Π_i max(n − i − S_{k_i}, 0) / (n − i), and f(j) is the least of it over all ways to spend at most j atoms.
Ways need not be listed; with G(i, m, j) for people from the i-th on (from 0), at most m values each, f(j) = G(0, j, j):

    G(i, m, j) = min( G(i, m−1, j),  max(n − i − Sₘ, 0)/(n − i) · G(i+1, m, j−m) )

Before the i-th person, i·m atoms are gone, so that i·m + j ≤ J for J atoms in all: about J²/2·ln J states.

When the target must be asked about a value σ, that person and perhaps the next ones are asked about σ and the a most
frequent other values, whose counts add up to U_{a+1} = min(S_{a+1}, S_a + n(σ)), and the rest as above:

    f^σ(j) = min over a ≥ 0, i ≥ 1 of  Π_{p<i} max(n − p − U_{a+1}, 0)/(n − p) · G(i, a, j + 1 − i·(a+1))

for j atoms besides the target's own.  With σ = x₁ this is f(j+1).

Chances get far smaller than floats go, so floats hold their logarithms, and chances are multiplied by adding.

Source: Martin et al., Worst-case background knowledge, ICDE 2007 (MINIMIZE1); f^σ is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Floats, Integers
from sidelight.measures.exact import NEAR

CERTAIN = -1e100
"""Stands for the logarithm of 0, when one of the atoms must hold: finite, so that it adds to anything."""

NEVER = np.iinfo(np.int64).max

Number = TypeVar("Number", np.float64, np.int64)


@dataclass(frozen=True, eq=False)
class Bags:
    """Groups as far as implications look at them, one row each."""

    sizes: Integers  # n
    counts: Integers  # the J = k+1 largest n(x), in falling order
    own: Integers  # how often the target's value occurs: n(σ), or n(x₁) when any value will do

    def take(self, rows: npt.NDArray[np.integer] | slice) -> Bags:
        """Keep some groups."""
        return Bags(self.sizes[rows], self.counts[rows], self.own[rows])

    def exact(self, row: int) -> ExactGroup:
        """Look at one group in exact arithmetic."""
        return ExactGroup(int(self.sizes[row]), tuple(self.counts[row].tolist()), int(self.own[row]))

    @cached_property
    def any_value(self) -> bool:
        """Whether the target's value is a most frequent one everywhere."""
        return bool((self.own == self.counts[:, 0]).all())

    @cached_property
    def prefix(self) -> Integers:
        """S₁, S₂, …: one row per number of values, one column per group."""
        return np.cumsum(np.ascontiguousarray(self.counts.T), axis=0)

    @cached_property
    def with_own(self) -> Integers:
        """U₁, U₂, …: how many people have σ or one of the most frequent other values."""
        if self.any_value:
            return self.prefix
        before = np.vstack((np.zeros_like(self.own), self.prefix[:-1]))
        known: Integers = np.minimum(self.prefix, before + self.own)
        return known

    def certain_without_target(self) -> Integers:
        """Say how many atoms it takes to be sure that one of them holds: min_m m·(n − Sₘ + 1)."""
        return _certain(self.sizes, self.prefix)

    def certain_with_target(self) -> Integers:
        """Say the same when the first atom is the target's: min_m m·(n − Uₘ + 1)."""
        return np.where(self.own > 0, _certain(self.sizes, self.with_own), NEVER)


def _certain(sizes: Integers, known: Integers) -> Integers:
    """When n − Sₘ + 1 people are asked about m values, one of them must have one: there are too few others."""
    values = np.arange(1, len(known) + 1)[:, np.newaxis]
    others = sizes + 1 - known
    others *= values
    atoms: Integers = others.min(axis=0)
    return atoms


def least_chances(bags: Bags) -> tuple[Floats, Floats]:
    """Give f(h), and n/n(σ)·f^σ(h) for the target's group (infinite without σ); rows are h = 0…k, columns groups.

    All in logarithms; where one of the atoms must hold they are `CERTAIN` or even less.

    >>> bags = Bags(np.array([5]), np.array([[2, 2]]), np.array([2]))
    >>> [np.exp(part).ravel().round(9).tolist() for part in least_chances(bags)]
    [[1.0, 0.6], [1.5, 0.5]]
    """
    atoms = bags.counts.shape[1]
    others, targets = np.empty((2, atoms, len(bags.sizes)))
    step = int(np.clip(500_000 // atoms**2, 512, 4096))  # the states of one block stay in the cache
    for start in range(0, len(bags.sizes), step):
        rows = slice(start, start + step)
        n, prefix = bags.sizes[rows].astype(float), bags.prefix[:, rows].astype(float)
        if bags.any_value:  # f^σ(h) = f(h+1)
            least = _least(n, prefix, levels(n, prefix, until=1))
            others[:, rows], targets[:, rows] = least[:-1], least[1:]
        else:
            others[:, rows], targets[:, rows] = _least_with_target(n, prefix, bags.with_own[:, rows].astype(float))
    targets += np.log(bags.sizes / np.maximum(bags.own, 1))
    targets[:, bags.own == 0] = np.inf
    return others, targets


def reach(logs: Floats) -> Floats:
    """Say how far apart logarithms of equal chances may be."""
    distance: Floats = NEAR * np.maximum(np.abs(logs), 1.0)
    return distance


def _least(n: Floats, prefix: Floats, people: Iterable[tuple[int, list[Floats]]]) -> Floats:
    """Give f(0), f(1), …; of G(0, m, j) only m = j is needed, so that one row per j will do for the first person."""
    for _, states in people:
        later = states
    least = np.zeros((len(prefix) + 1, len(n)))
    for values, known in enumerate(prefix, start=1):
        chances = asked(n, known) + at_most(later, values)[: len(least) - values]
        np.minimum(least[values:], chances, out=least[values:])
    return least


def _least_with_target(n: Floats, prefix: Floats, with_own: Floats) -> tuple[Floats, Floats]:
    """Give f(0), f(1), …, and f^σ(0), f^σ(1), …."""
    own = np.full(prefix.shape, np.inf)
    people, asking = list(levels(n, prefix, until=1)), chains(n, with_own)
    for person, states in people:
        for _, first, chances in ways_with_target(asking[person], person, states):
            np.minimum(own[first:], chances, out=own[first:])
    return _least(n, prefix, people)[:-1], own


def levels(n: Floats, prefix: Floats, *, until: int) -> Iterator[tuple[int, list[Floats]]]:
    """Go from the last person i down to one, with the states [G(i, 0, ·), G(i, 1, ·), …] of each."""
    atoms = len(prefix)
    nothing = np.zeros((atoms + 1, len(n)))
    later = [nothing]
    for person in range(atoms, until - 1, -1):
        now, left = [nothing], still_there(n, person)
        for values in range(1, atoms // (person + 1) + 1):
            before, length = now[-1], atoms - person * values + 1
            best = np.empty((length, len(n)))
            best[:values] = before[:values]
            rest = at_most(later, values)[: length - values]
            np.add(asked(left, prefix[values - 1]), rest, out=best[values:])
            np.minimum(best[values:], before[values:length], out=best[values:])
            now.append(best)
        yield person, now
        later = now


def chains(n: Floats, with_own: Floats) -> list[list[Floats]]:
    """Ask 0, 1, 2, … people about σ and a others: the chances [a] for each number of people."""
    atoms = len(with_own)
    asking = [[np.zeros(len(n))] * atoms]
    for people in range(1, atoms + 1):
        left, before = still_there(n, people - 1), asking[-1]
        asking.append([asked(left, with_own[besides]) + before[besides] for besides in range(atoms // people)])
    return asking


def ways_with_target(asking: list[Floats], people: int, states: list[Floats]) -> Iterator[tuple[int, int, Floats]]:
    """Go on after a chain of people: give a, the least j this takes, and the chances from that j on."""
    for besides, chance in enumerate(asking if people else ()):
        first = people * (besides + 1) - 1
        yield besides, first, chance + at_most(states, besides)[: len(states[0]) - 1 - first]


def still_there(n: Floats, person: int) -> Floats:
    """Give n − i; where nobody is left, somebody before must have had one of the values, and any number will do."""
    left: Floats = np.maximum(n - person, 1)
    return left


def asked(left: Floats, known: Floats) -> Floats:
    """Give the chance that the next of the people left has none of the values of `known` of them, as a logarithm."""
    chance = left - known
    np.maximum(chance, 0, out=chance)
    chance /= left
    with np.errstate(divide="ignore"):
        np.log(chance, out=chance)
    return np.maximum(chance, CERTAIN, out=chance)


def at_most(states: list[npt.NDArray[Number]], values: int) -> npt.NDArray[Number]:
    """Give G(i, m, ·); where m is more than the atoms left allow, the largest m that they allow is the same."""
    return states[min(values, len(states) - 1)]


# ----------------------------------------------------------------------------------------------------
# One group's chances in exact arithmetic, and the way to spend the atoms that reaches them.
# ----------------------------------------------------------------------------------------------------


State: TypeAlias = tuple[int, int, int]
"""(i, m, j): people from the i-th on, at most m values each, j atoms in all."""


class Way(NamedTuple):
    """How atoms are spent on one group: how many of the most frequent values each person is asked about.

    With a target, the first `with_target` people are asked about the target's value and the most frequent others.
    """

    chance: Fraction  # f(h); for the target's group n/n(σ)·f^σ(h)
    parts: tuple[int, ...]
    with_target: int = 0


@dataclass(frozen=True)
class ExactGroup:
    """The program of `group` for one group and at most k+1 atoms, in integers.

    >>> group = ExactGroup(size=5, counts=(2, 2, 1), own=2)
    >>> group.best(1), group.best_with_target(1)
    (Way(chance=Fraction(3, 5), parts=(1,), with_target=0), Way(chance=Fraction(1, 2), parts=(2,), with_target=1))
    """

    size: int
    counts: tuple[int, ...]  # the k+1 largest, in falling order
    own: int
    _done: dict[State, tuple[int, tuple[int, ...]]] = field(default_factory=dict, repr=False, compare=False)

    def best(self, atoms: int) -> Way:
        """Spend atoms on a group without the target: f(j)."""
        ways, parts = self._least(0, atoms, atoms)
        return Way(Fraction(ways, self._rest(0)), parts)

    def best_with_target(self, further: int) -> Way:
        """Spend the target's atom and some further ones on its group: n/n(σ)·f^σ(j)."""
        tried = [
            self._with_target(people, values, known, further)
            for values, known in enumerate(self._with_own, start=1)
            for people in range(1, min((further + 1) // values, self.size) + 1)
        ]
        return min(tried, key=lambda way: way.chance)

    def _with_target(self, people: int, values: int, known: int, further: int) -> Way:
        rest, parts = self._least(people, values - 1, further + 1 - people * values)
        ways = rest * prod(max(self.size - person - known, 0) for person in range(people))
        return Way(Fraction(self.size * ways, self.own * self._rest(0)), (values,) * people + parts, people)

    def _least(self, person: int, values: int, atoms: int) -> tuple[int, tuple[int, ...]]:
        """G(i, m, j)·Π_{p ≥ i} (n − p), an integer, and the way that reaches it."""
        values = min(values, atoms)
        if values == 0 or person >= self.size:
            return self._rest(person), ()
        state = (person, values, atoms)
        if state not in self._done:
            rest, parts = self._least(person + 1, values, atoms - values)
            ask = max(self.size - person - self._prefix[values], 0) * rest, (values, *parts)
            self._done[state] = min(self._least(person, values - 1, atoms), ask, key=lambda done: done[0])
        return self._done[state]

    def _rest(self, person: int) -> int:
        """Π_{p ≥ i} (n − p) over as many people as atoms could be spent on."""
        return prod(range(self.size - person, max(self.size - len(self.counts), 0), -1))

    @cached_property
    def _prefix(self) -> list[int]:
        return [0, *accumulate(self.counts)]

    @cached_property
    def _with_own(self) -> list[int]:
        return [min(upto, before + self.own) for before, upto in pairwise(self._prefix)]
