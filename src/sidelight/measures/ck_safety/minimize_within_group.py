"""MINIMIZE1: how improbable can j atoms about people of one group make it that none of them holds?

An atom says that a person has a value.  The first of a group's n people gets atoms for the k₀ most frequent values, the
second for the k₁ most frequent, and so on, k₀ ≥ k₁ ≥ … ≥ 1: an allocation of k₀ + k₁ + … atoms.

Symbols     n(x₁) ≥ n(x₂) ≥ … the counts of the group's values; Sₘ = n(x₁) + … + n(xₘ); σ the target's value;
            f(j) the least probability, over all allocations of at most j atoms, that none of them holds:
            Π_i max(n − i − S_{k_i}, 0) / (n − i).
Recurrence  G(i, m, j) the same for people from the i-th on (from 0), at most m values each, so that f(j) = G(0, j, j):

                G(i, m, j) = min( G(i, m−1, j),  max(n − i − Sₘ, 0)/(n − i) · G(i+1, m, j−m) )

            When the target must get an atom for σ, that person and perhaps the next ones get atoms for σ and the a most
            frequent other values, whose counts add up to U_{a+1} = min(S_{a+1}, S_a + n(σ)), and the rest as above:

                f^σ(j) = min over a ≥ 0, i ≥ 1 of  Π_{p<i} max(n − p − U_{a+1}, 0)/(n − p) · G(i, a, j + 1 − i·(a+1))

            for j atoms besides the target's own.  With σ = x₁ this is f(j+1).
Invariant   Before the i-th person i·m atoms are gone, so that states hold i·m + j ≤ J for J atoms in all.
Cost        about J²/2·ln J states, each for all groups at once.

`Program` is these recurrences, once.  `LogProgram` runs them in logarithms, for all groups of a release or all of a
search's candidates (probabilities get far smaller than floats go); `ExactProgram` in whole numbers, for the few groups
that floats cannot tell apart, and, with the states kept, gives the allocation itself.

Source: Martin et al., Worst-case background knowledge, ICDE 2007 (MINIMIZE1); f^σ is ours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.measures.exact import EXACT, NEAR, Numbers

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.measures.targets import Targets
    from sidelight.release.groups import Groups

LOG_OF_ZERO = -1e100
"""Stands for the logarithm of 0, when one of the atoms must hold: finite, so that it adds to anything."""


@dataclass(frozen=True, eq=False)
class TopCounts:
    """Groups as far as implications look at them, one row each."""

    sizes: Integers  # n
    counts: Integers  # the J largest n(x), in falling order
    target: Integers  # how often the target's value occurs: n(σ), the largest of those in question

    @classmethod
    def from_groups(cls, groups: Groups, atoms: int, targets: Targets) -> TopCounts:
        """Build from groups, for this many atoms; of several targets a group's most frequent one is the worst.

        (With more of σ both n/n(σ) and all U are no better for the group, and so is what is made of them.)
        """
        # allocations of so many atoms look at no more than so many values
        counts = groups.counts.largest(min(atoms, groups.counts.width))
        most = counts[:, 0] if targets.every_value else groups.counts.highest(targets.indices(groups))
        return cls(groups.sizes, counts, most)

    def __len__(self) -> int:
        return len(self.sizes)

    def take(self, rows: npt.NDArray[np.integer] | slice) -> TopCounts:
        return TopCounts(self.sizes[rows], self.counts[rows], self.target[rows])

    def for_atoms(self, atoms: int) -> TopCounts:
        return TopCounts(self.sizes, self.counts[:, :atoms], self.target)

    def rows(self) -> Integers:
        """Return all that decides a group's probabilities, side by side: (groups, counts + 2) int64."""
        return np.column_stack((self.sizes, self.counts, self.target))

    @cached_property
    def any_value(self) -> bool:
        return bool((self.target == self.counts[:, 0]).all())

    @cached_property
    def sums(self) -> Integers:
        """S₁, S₂, …: one row per number of values, one column per group."""
        # (values, groups), contiguous by value: the program goes row by row over all groups
        return np.cumsum(np.ascontiguousarray(self.counts.T), axis=0)

    @cached_property
    def sums_with_target(self) -> Integers:
        """U₁, U₂, …: how many people have σ or one of the most frequent other values."""
        if self.any_value:
            return self.sums
        # σ is one of the a + 1 most frequent values, or counts in place of the last of them
        before = np.vstack((np.zeros_like(self.target), self.sums[:-1]))
        known: Integers = np.minimum(self.sums, before + self.target)
        return known

    def certain_without_target(self) -> Integers:
        """Return how many atoms it takes to be sure that one of them holds: min_m m·(n − Sₘ + 1)."""
        return _certain(self.sizes, self.sums)

    def certain_with_target(self) -> Integers:
        """Return the same when the first atom is the target's: min_m m·(n − Uₘ + 1)."""
        return np.where(self.target > 0, _certain(self.sizes, self.sums_with_target), np.iinfo(np.int64).max)


def _certain(sizes: Integers, known: Integers) -> Integers:
    """Return the fewest atoms of which one must hold: n − Sₘ + 1 people with m values each leave too few others."""
    values = np.arange(1, len(known) + 1)[:, np.newaxis]
    others = sizes + 1 - known
    others *= values
    atoms: Integers = others.min(axis=0)
    return atoms


@dataclass(frozen=True)
class Program(ABC):
    """The recurrences for some groups (columns) and J atoms, in one arithmetic.

    States of a person are [G(i, 0, ·), G(i, 1, ·), …], each with a row per j.
    """

    n: Numbers
    sums: Numbers  # Sₘ in row m − 1
    sums_with_target: Numbers  # Uₘ in row m − 1

    dtype: ClassVar[type]
    times: ClassVar[np.ufunc]  # how probabilities are multiplied

    @property
    def atoms(self) -> int:
        return len(self.sums)

    @abstractmethod
    def nobody(self, person: int) -> Numbers:
        """Return G(i, 0, ·): people from the i-th on get no atoms."""

    @abstractmethod
    def avoid(self, left: Numbers, known: Numbers) -> Numbers:
        """Return the probability that the next of the people left has none of the values of `known` of them."""

    def count_left(self, person: int) -> Numbers:
        """Return n − i, or 1 where nobody is left: somebody before must have had one of the values."""
        left: Numbers = np.maximum(self.n - person, 1)
        return left

    def people(self, *, until: int) -> Iterator[tuple[int, list[Numbers]]]:
        # from the last person down: the states of a person need those of the next one only
        now = [self.nobody(self.atoms)]
        yield self.atoms, now
        for person in range(self.atoms - 1, until - 1, -1):
            later, now, left = now, [self.nobody(person)], self.count_left(person)
            # the people up to this one hold at least m atoms each, so that m is at most J/(i + 1)
            for values in range(1, self.atoms // (person + 1) + 1):
                before, length = now[-1], self.atoms - person * values + 1
                best: Numbers = np.empty((length, len(self.n)), self.dtype)
                best[:values] = before[:values]  # too few atoms for one more person with so many values
                # of j atoms m are spent on this person, and the j − m left on later ones
                rest = clip_states(later, values)[: length - values]
                self.times(self.avoid(left, self.sums[values - 1]), rest, out=best[values:])
                np.minimum(best[values:], before[values:length], out=best[values:])
                now.append(best)
            yield person, now

    def least(self) -> Numbers:
        """Return f(0), …, f(J)."""
        for _, states in self.people(until=1):
            later = states
        return self._first_person(later)

    def _first_person(self, later: list[Numbers]) -> Numbers:
        """Compute f from the states of the next person; of G(0, m, j) only m = j is needed: one row per j will do."""
        least, left = self.nobody(0).copy(), self.count_left(0)
        for values, known in enumerate(self.sums, start=1):
            probabilities = self.times(self.avoid(left, known), clip_states(later, values)[: len(least) - values])
            np.minimum(least[values:], probabilities, out=least[values:])
        return least

    def least_with_target(self) -> tuple[Numbers, Numbers]:
        """Return f(0), …, f(J − 1), and f^σ(0), …, f^σ(J − 1)."""
        own: Numbers = np.full(self.sums.shape, np.inf, self.dtype)
        beginnings = self.beginnings()
        for person, states in self.people(until=1):
            for _, first, probabilities in self.endings(beginnings[person], person, states):
                np.minimum(own[first:], probabilities, out=own[first:])
            later = states
        return self._first_person(later)[:-1], own

    def beginnings(self) -> list[list[Numbers]]:
        """Return Π_{p<i} of those who get atoms for σ and a others: for each number of people i a list by a."""
        products = [[self.times.identity + np.zeros(len(self.n), self.dtype)] * self.atoms]
        for people in range(1, self.atoms + 1):
            left, before = self.count_left(people - 1), products[-1]
            products.append(
                [
                    self.times(self.avoid(left, self.sums_with_target[besides]), before[besides])
                    for besides in range(self.atoms // people)
                ]
            )
        return products

    def endings(
        self, beginning: list[Numbers], people: int, states: list[Numbers]
    ) -> Iterator[tuple[int, int, Numbers]]:
        """Yield, after i people with the target among them, a, the least j this takes, and f^σ from that j on."""
        for besides, product in enumerate(beginning if people else ()):
            first = people * (besides + 1) - 1
            yield besides, first, self.times(product, clip_states(states, besides)[: self.atoms - first])


def clip_states(states: list[npt.NDArray[Any]], values: int) -> npt.NDArray[Any]:
    """Return G(i, m, ·); where m is more than the atoms left allow, the largest m that they allow is the same."""
    return states[min(values, len(states) - 1)]


@dataclass(frozen=True)
class LogProgram(Program):
    """The recurrences in logarithms: probabilities are multiplied by adding."""

    dtype: ClassVar[type] = float
    times: ClassVar[np.ufunc] = np.add

    @classmethod
    def from_groups(cls, groups: TopCounts, rows: slice) -> LogProgram:
        """Build from some groups; copies, so that the states of a block stay in the cache."""
        known = (groups.sums[:, rows], groups.sums_with_target[:, rows])
        return cls(groups.sizes[rows].astype(float), *(each.astype(float) for each in known))

    @cached_property
    def _certainly(self) -> Floats:
        return np.zeros((self.atoms + 1, len(self.n)))

    def nobody(self, person: int) -> Numbers:
        del person
        return self._certainly

    def avoid(self, left: Numbers, known: Numbers) -> Numbers:
        """Return ln max(n − i − Sₘ, 0)/(n − i)."""
        probability = left - known
        np.maximum(probability, 0, out=probability)
        probability /= left
        # where one of the atoms must hold, ln 0 is cut off: sums of logarithms stay finite
        with np.errstate(divide="ignore"):
            np.log(probability, out=probability)
        np.maximum(probability, LOG_OF_ZERO, out=probability)
        return probability


@dataclass(frozen=True)
class ExactProgram(Program):
    """The recurrences in whole numbers: what is held of G(i, m, j) is G(i, m, j) · Π_{i ≤ p < J} (n − p)."""

    dtype: ClassVar[type] = object
    times: ClassVar[np.ufunc] = np.multiply

    @classmethod
    def from_groups(cls, groups: TopCounts) -> ExactProgram:
        return cls(*(EXACT.whole(each) for each in (groups.sizes, groups.sums, groups.sums_with_target)))

    @cached_property
    def _scale(self) -> list[Numbers]:
        """Π_{i ≤ p < J} (n − p) for every i."""
        # whole numbers over one scale: fractions would be reduced at every step, and here once at the end
        products: list[Numbers] = [EXACT.whole(np.ones(len(self.n), np.int64))]
        for person in range(self.atoms - 1, -1, -1):
            products.append(products[-1] * self.count_left(person))
        return products[::-1]

    def nobody(self, person: int) -> Numbers:
        return np.broadcast_to(self._scale[person], (self.atoms + 1, len(self.n)))

    def avoid(self, left: Numbers, known: Numbers) -> Numbers:
        """Return max(n − i − Sₘ, 0), which stands for its part of n − i."""
        several: Numbers = np.maximum(left - known, 0)
        return several

    def probabilities(self, groups: TopCounts) -> tuple[Numbers, Numbers]:
        """Return f(h), and n/n(σ)·f^σ(h) (infinite without σ), for h = 0 … J − 1, as fractions."""
        others, own = self.least_with_target()
        scale, target = self._scale[0], EXACT.whole(groups.target)
        return EXACT.ratio(others, scale), EXACT.ratio(own * self.n, target * scale)


def least_log_probabilities(groups: TopCounts) -> tuple[Floats, Floats]:
    """Return ln f(h), and ln of n/n(σ)·f^σ(h) for the target's group (infinite without σ): (k + 1, groups) float64.

    Where one of the atoms must hold they are `LOG_OF_ZERO` or even less.
    """
    atoms = groups.counts.shape[1]
    others, targets = np.empty((2, atoms, len(groups)))
    step = int(np.clip(500_000 // atoms**2, 512, 4096))  # the states of one block stay in the cache
    for start in range(0, len(groups), step):
        rows = slice(start, start + step)
        program = LogProgram.from_groups(groups, rows)
        if groups.any_value:  # f^σ(h) = f(h+1)
            least = program.least()
            others[:, rows], targets[:, rows] = least[:-1], least[1:]
        else:
            others[:, rows], targets[:, rows] = program.least_with_target()
    # divided by Pr(the target has σ) = n(σ)/n
    targets += np.log(groups.sizes / np.maximum(groups.target, 1))
    targets[:, groups.target == 0] = np.inf
    return others, targets


def tolerance(logs: Floats) -> Floats:
    """Return how far apart logarithms of equal probabilities may be."""
    distance: Floats = NEAR * np.maximum(np.abs(logs), 1.0)
    return distance


class Allocation(NamedTuple):
    """How atoms are spent on one group: how many of the most frequent values each person gets atoms for.

    With a target, the first `with_target` people get atoms for the target's value and the most frequent others.
    """

    values: tuple[int, ...]
    with_target: int = 0


def allocate(group: TopCounts, atoms: int, *, target: bool) -> Allocation:
    """Find the allocation behind f(atoms), or behind f^σ(atoms) with the target, of one group in which both are > 0.

    Of equally good ones it is the one with the fewest values for the first person, then the second, and so on.
    """
    program = ExactProgram.from_groups(group.for_atoms(atoms + target))
    states = dict(program.people(until=1))
    if not target:
        return Allocation(_spend(program, states, 0, atoms, atoms))
    beginnings = program.beginnings()
    choices = [
        (probabilities[atoms - first][0], besides, people)
        for people in states
        for besides, first, probabilities in program.endings(beginnings[people], people, states[people])
        if first <= atoms
    ]
    # of equal products the fewest values besides σ, then the fewest people
    _, besides, people = min(choices)
    rest = _spend(program, states, people, besides, atoms + 1 - people * (besides + 1))
    return Allocation((besides + 1,) * people + rest, people)


def _spend(
    program: ExactProgram, states: dict[int, list[Numbers]], person: int, most: int, atoms: int
) -> tuple[int, ...]:
    """Follow the recurrence from G(i, m, j) down: how many values each person from the i-th on gets atoms for."""
    spent: list[int] = []
    while True:
        left = program.count_left(person)
        options = [(program.nobody(person)[0][0], 0)]
        for values in range(1, min(most, atoms) + 1):
            rest = clip_states(states[person + 1], values)[atoms - values]
            options.append((program.times(program.avoid(left, program.sums[values - 1]), rest)[0], values))
        _, most = min(options)  # of equal products the fewest values
        if most == 0:
            return tuple(spent)
        spent.append(most)
        person, atoms = person + 1, atoms - most
