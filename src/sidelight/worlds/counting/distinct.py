"""Count the worlds in which some people differ from some others, where people have several values.

That all of a set C of variables are equal is easy to count: they take every block together.  That all who should differ
do so is a signed sum over such counts, by Möbius inversion on the lattice of partitions:

    [no pair that should differ is equal]  =  Σ_σ Π_{C ∈ σ} a(C) · [all of each C are equal],

over the partitions σ of the variables.  With the pairs as edges of a graph, a(C) is the lowest coefficient of the
chromatic polynomial of the graph on C, so it is 0 unless C is connected.

    Recurrence  a(C) = [C has no edge] − Σ a(D) over the connected D ⊊ C that have the first of C, with C − D edgeless
    Blocks      are independent of each other: for each, sum over who takes it, which is a union of classes of σ
    Cost        blocks × Σ_σ 2^|σ|; given up beyond `MOST_UNIONS`, where the frontier takes over
    Source      ours; the inversion is Rota's, On the foundations of combinatorial theory I, 1964
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from math import prod
from operator import or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.knowledge.facts import Fact, Or, Same
from sidelight.worlds.counting.compile import CountingProblem, Equal, Takes
from sidelight.worlds.effort import Meter

VariableSet: TypeAlias = int
"""Some of the variables that are compared, a bit each."""

MOST_UNIONS = 400_000
"""With more than that, the facts are left to the frontier; eight people who all differ have 89,918."""


def is_wide_disjunction(fact: Fact) -> bool:
    """Return whether a fact is that of many pairs at least one is the same.

    >>> pair = Same("Ann", "Tom")
    >>> is_wide_disjunction(pair | Same("Ann", "Bob")), is_wide_disjunction(Or((pair,) * 5))
    (False, True)
    """
    # That one of so many pairs is the same is left to the frontier, where several such facts are counted at once.
    return isinstance(fact, Or) and len(fact.facts) > 4 and all(isinstance(part, Same) for part in fact.facts)


def all_differ(fact: Fact) -> list[Fact]:
    """Return the negation of such a fact, pair by pair.

    >>> [str(pair) for pair in all_differ(Same("Ann", "Tom") | Same("Ann", "Bob"))]
    ['not same(Ann, Tom)', 'not same(Ann, Bob)']
    """
    return [~part for part in fact.parts()]


@dataclass(slots=True)
class DistinctCounter:
    """Counts worlds in which people differ; remembers what it counted for a block."""

    _sums: dict[tuple[Partitions, tuple[int, ...]], npt.NDArray[np.object_]] = field(default_factory=dict)

    def applies(self, problem: CountingProblem) -> bool:
        """Return whether the constraints are just that people differ and what some have or lack, and not too many."""
        if problem.semantics == "single" or not problem.constraints or problem.is_weighted:
            return False
        differ = all(
            formula.kind == "not" and isinstance(problem.atoms[formula.atom], Equal) for formula in problem.constraints
        )
        return differ and partitions_of(_differing(problem)[1]) is not None

    def probability(self, problem: CountingProblem, meter: Meter) -> Fraction:
        """Return Pr(constraints), for constraints of this kind."""
        variables, neighbours = _differing(problem)
        partitions = partitions_of(neighbours)
        assert partitions is not None
        ways = _WaysToTake(problem, variables)
        weights = partitions.coefficients
        for block in ways.blocks:
            meter.spend(len(weights) // 8)  # they are worked on all at once
            # blocks are independent, so each multiplies the weight of every partition
            weights = weights * self._sum_over_unions(partitions, ways.count_by_set(block))
        return Fraction(int(weights.sum()), ways.total())

    def _sum_over_unions(self, partitions: Partitions, ways: tuple[int, ...]) -> npt.NDArray[np.object_]:
        """Return, for each partition, in how many ways its classes take a block together, or do not."""
        key = (partitions, ways)
        if key not in self._sums:
            self._sums[key] = np.add.reduceat(np.array(ways, object)[partitions.unions], partitions.starts)
        return self._sums[key]


@dataclass(frozen=True, eq=False, slots=True)
class Partitions:
    """The partitions in which no a(C) is 0: Π a(C), and all unions of their classes, one partition after the other."""

    coefficients: npt.NDArray[np.object_]
    unions: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]  # where the unions of each partition start


@lru_cache(maxsize=64)
def partitions_of(neighbours: tuple[VariableSet, ...]) -> Partitions | None:
    """Return the partitions, by from whom each should differ; None if they are too many.

    >>> triangle = partitions_of((0b110, 0b101, 0b011))
    >>> sorted(triangle.coefficients.tolist()), len(triangle.unions)
    ([-1, -1, -1, 1, 2], 22)
    """
    if 1 << len(neighbours) > MOST_UNIONS:  # as many as there are where all are alone
        return None
    graph = _Graph(neighbours)
    coefficients: list[int] = []
    unions: list[int] = []
    starts: list[int] = []
    for classes in graph.partitions((1 << len(neighbours)) - 1):
        coefficients.append(prod(map(graph.coefficient, classes)))
        starts.append(len(unions))
        # all unions of the classes, the empty one first: 2^|σ| of them
        mine = [0]
        for each in classes:
            mine += [union | each for union in mine]
        unions += mine
        if len(unions) > MOST_UNIONS:
            return None
    return Partitions(np.array(coefficients, object), np.array(unions, np.intp), np.array(starts, np.intp))


class _Graph:
    """Variables, and an edge between any two that should differ."""

    def __init__(self, neighbours: tuple[VariableSet, ...]) -> None:
        self.neighbours = neighbours
        self._coefficients: dict[VariableSet, int] = {}

    def partitions(self, variables: VariableSet) -> Iterator[list[VariableSet]]:
        """Divide variables into connected classes."""
        if not variables:
            yield []
        for first_class in self._enumerate_connected(variables):
            if self.coefficient(first_class):
                for others in self.partitions(variables ^ first_class):
                    yield [first_class, *others]

    def coefficient(self, variables: VariableSet) -> int:
        """Return a(C): the sum of Π a(C) over the partitions of any B is 1 if B has no edge, else 0."""
        if variables not in self._coefficients:
            smaller = (
                part
                for part in self._enumerate_connected(variables)
                if part != variables and self._edgeless(variables ^ part)
            )
            self._coefficients[variables] = self._edgeless(variables) - sum(map(self.coefficient, smaller))
        return self._coefficients[variables]

    def _edgeless(self, variables: VariableSet) -> bool:
        return not any(self.neighbours[position] & variables for position in _positions(variables))

    def _enumerate_connected(self, variables: VariableSet) -> Iterator[VariableSet]:
        """Yield the connected sets that have the first of some variables."""
        if variables:
            first = variables & -variables
            yield from self._grow(first, first, variables)

    def _grow(self, connected: VariableSet, decided: VariableSet, within: VariableSet) -> Iterator[VariableSet]:
        """Add neighbours, each of them now or never, so that each set comes up once."""
        yield connected
        near = reduce(or_, (self.neighbours[position] for position in _positions(connected))) & within & ~decided
        for position in _positions(near):
            decided |= 1 << position
            yield from self._grow(connected | 1 << position, decided, within)


class _WaysToTake:
    """In how many ways is a block taken by just some of the variables that are compared?"""

    def __init__(self, problem: CountingProblem, variables: list[int]) -> None:
        self.problem, self.variables = problem, variables
        compared = {problem.component_of(variable) for variable in variables}
        self.groups = [group for group in problem.sizes if problem.component[group] in compared]
        own = dict.fromkeys(block for group in self.groups for block in problem.blocks[group])
        self.blocks = list(own | dict.fromkeys(atom.block for atom in problem.fixed))
        self._others = [(atom, takes) for atom, takes in problem.fixed.items() if atom.variable not in {*variables}]

    def count_by_set(self, block: int) -> tuple[int, ...]:
        """Return, for each set of variables, in how many ways just they take a block; 0 if it is fixed otherwise."""
        # whoever is known to take the block, or not to, rules out most sets
        fixed = {True: 0, False: 0}
        for position, variable in enumerate(self.variables):
            takes = self.problem.fixed.get(Takes(variable, block))
            if takes is not None:
                fixed[takes] |= 1 << position
        groups = [self._group_ways(group, block) for group in self._groups_with(block)]
        return tuple(
            0
            if takers & fixed[False] or fixed[True] & ~takers
            else prod(ways[people[takers]] for people, ways in groups)
            for takers in range(1 << len(self.variables))
        )

    def total(self) -> int:
        """Count all worlds, as far as they are told apart here."""
        return prod(
            self.problem.ways_to_spread(group, block) for block in self.blocks for group in self._groups_with(block)
        )

    def _groups_with(self, block: int) -> list[int]:
        """List the groups of the compared variables, and those where somebody else is known to have a block or not."""
        fixed = (atom.variable for atom, _ in self._others if atom.block == block)
        return list(dict.fromkeys([*self.groups, *(group for each in fixed for group in self.problem.members[each])]))

    def _group_ways(self, group: int, block: int) -> tuple[list[int], list[int]]:
        """Count for each set of variables its people of a group, and for each such number the ways to have a block."""
        problem = self.problem
        # indexed by sets of variables, a bit each: every variable doubles the list
        people_of = [0]
        for variable in self.variables:
            people_of += [people + problem.members[variable][group] for people in people_of]
        others = [(problem.members[atom.variable][group], takes) for atom, takes in self._others if atom.block == block]
        deciding, having = people_of[-1] + sum(n for n, _ in others), sum(n for n, takes in others if takes)
        return people_of, [
            problem.ways_to_have(group, block, deciding=deciding, having=having + number)
            for number in range(people_of[-1] + 1)
        ]


def _differing(problem: CountingProblem) -> tuple[list[int], tuple[VariableSet, ...]]:
    """Return the variables of several people and those that should differ, and for each from whom it should."""
    pairs = [atom for formula in problem.constraints if isinstance(atom := problem.atoms[formula.atom], Equal)]
    several = {variable for variable, members in enumerate(problem.members) if members.total() > 1}
    variables = sorted(several.union(*((pair.variable, pair.other) for pair in pairs)))
    position_of = {variable: number for number, variable in enumerate(variables)}
    neighbours = [0] * len(variables)
    for pair in pairs:
        neighbours[position_of[pair.variable]] |= 1 << position_of[pair.other]
        neighbours[position_of[pair.other]] |= 1 << position_of[pair.variable]
    return variables, tuple(neighbours)


def _positions(variables: VariableSet) -> list[int]:
    return [position for position in range(variables.bit_length()) if variables >> position & 1]
