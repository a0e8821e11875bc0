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

Source: Martin et al., Worst-case background knowledge, ICDE 2007 (MINIMIZE1); f^σ is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.measures.exact import Floats
from sidelight.measures.implications_exact import ExactGroup
from sidelight.table.columns import Integers

FLOOR = 1e-250
"""Smaller chances are taken to be equal by the float pass (products underflow there) and told apart exactly."""

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
    def prefix(self) -> Integers:
        """S₁, S₂, …: one row per number of values, one column per group."""
        return np.ascontiguousarray(np.cumsum(self.counts, axis=1).T)

    @cached_property
    def with_own(self) -> Integers:
        """U₁, U₂, …: how many people have σ or one of the most frequent other values."""
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
    atoms: Integers = (values * (sizes - known + 1)).min(axis=0)
    return atoms


def least_chances(bags: Bags) -> tuple[Floats, Floats]:
    """Give f(h), and n/n(σ)·f^σ(h) for the target's group (infinite without σ); rows are h = 0…k, columns groups.

    A chance below `FLOOR` is given as that, so also one of 0, when one of the atoms must hold.

    >>> bags = Bags(np.array([5]), np.array([[2, 2]]), np.array([2]))
    >>> [part.ravel().tolist() for part in least_chances(bags)]
    [[1.0, 0.6], [1.5, 0.5]]
    """
    atoms = bags.counts.shape[1]
    others, targets = np.empty((2, atoms, len(bags.sizes)))
    step = int(np.clip(300_000 // atoms**2, 512, 4096))  # the states of one block stay in the cache
    for start in range(0, len(bags.sizes), step):
        rows = slice(start, start + step)
        others[:, rows], targets[:, rows] = _least_chances(bags.take(rows), atoms)
    return np.maximum(others, FLOOR), np.maximum(targets, FLOOR)


def _least_chances(bags: Bags, atoms: int) -> tuple[Floats, Floats]:
    n = bags.sizes.astype(float)
    any_value = bool((bags.own == bags.counts[:, 0]).all())
    own = np.full((atoms, len(n)), np.inf)
    for person, states in levels(bags):
        for _, first, chances in () if any_value else ways_with_target(bags, person, states):
            np.minimum(own[first:], chances, out=own[first:])
    least = np.stack([states[j][j] for j in range(atoms + 1)])
    targets = n / np.maximum(bags.own, 1) * (least[1:] if any_value else own)
    return least[:-1], np.where(bags.own > 0, targets, np.inf)


def levels(bags: Bags) -> Iterator[tuple[int, list[Floats]]]:
    """Go from the last person i to the first, with the states [G(i, 0, ·), G(i, 1, ·), …] of each."""
    n, atoms = bags.sizes.astype(float), bags.counts.shape[1]
    ones = np.ones((atoms + 1, len(n)))
    later = [ones]
    for person in range(atoms, -1, -1):
        now = [ones]
        for values in range(1, atoms // (person + 1) + 1):
            best = now[-1][: atoms - person * values + 1].copy()
            chances = asked(n, bags.prefix[values - 1], person) * at_most(later, values)[: len(best) - values]
            np.minimum(best[values:], chances, out=best[values:])
            now.append(best)
        yield person, now
        later = now


def ways_with_target(bags: Bags, people: int, states: list[Floats]) -> Iterator[tuple[int, int, Floats]]:
    """Ask that many people about σ and a others; give a, the least j this takes, and the chances from that j on."""
    n, atoms = bags.sizes.astype(float), bags.counts.shape[1]
    for besides in range(atoms // people if people else 0):
        chance = np.ones(len(n))
        for person in range(people):
            chance *= asked(n, bags.with_own[besides], person)
        first = people * (besides + 1) - 1
        yield besides, first, chance * at_most(states, besides)[: atoms - first]


def asked(n: Floats, known: Integers, person: int) -> Floats:
    """Give the chance that a person has none of the values that `known` people have, nor had those before."""
    left = n - person  # where nobody is left, somebody before must have had one of the values: the chance is 0 already
    chance: Floats = np.maximum(left - known, 0) / np.maximum(left, 1)
    return chance


def at_most(states: list[npt.NDArray[Number]], values: int) -> npt.NDArray[Number]:
    """Give G(i, m, ·); where m is more than the atoms left allow, the largest m that they allow is the same."""
    return states[min(values, len(states) - 1)]
