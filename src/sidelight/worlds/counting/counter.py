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

How likely are facts, and each value of a person, if all worlds of a release are equally likely?

    Pr(facts) = worlds in which all facts hold / all worlds

    Independence  groups are independent, so facts that share no group, even through others, are multiplied.
    Differences   "of many pairs one is the same" is counted as everything less the worlds in which all of them differ.
    Methods       `distinct` where people only differ, `frontier` for everything else.
    Marginals     Pr(person has v, facts) for all v at once: at the transition that assigns a person a block, the
                  weights of the states before (forwards) meet those of their completions (backwards).

What was counted is remembered, so that questions about the same facts cost little more than one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache, reduce
from math import prod
from operator import or_
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.knowledge.facts import Fact, Has, Same, Who, conjuncts
from sidelight.worlds.counting.compile import (
    CountingProblem,
    Equal,
    Meter,
    OverEffort,
    Takes,
    compile_facts,
    components,
)
from sidelight.worlds.counting.frontier import Assign, DecisionOutcome, Frontier, Schedule, StateWeights

if TYPE_CHECKING:
    from sidelight.release.release import Release
    from sidelight.table.labels import Label
    from sidelight.worlds.identify import Entities

VariableSet: TypeAlias = int
"""Some of the variables that are compared, a bit each."""

MOST_UNIONS = 400_000
"""With more than that, the facts are left to the frontier; eight people who all differ have 89,918."""


def is_wide_disjunction(fact: Fact) -> bool:
    """Return whether a fact is that of many pairs at least one is the same.

    >>> from sidelight.knowledge.facts import any_of
    >>> pair = Same("Ann", "Tom")
    >>> is_wide_disjunction(pair | Same("Ann", "Bob")), is_wide_disjunction(any_of((pair,) * 5))
    (False, True)
    """
    # That one of so many pairs is the same is left to the frontier, where several such facts are counted at once.
    pairs = conjuncts(fact, "or")
    return len(pairs) > 4 and all(isinstance(part, Same) for part in pairs)


def people_only_differ(problem: CountingProblem) -> bool:
    """Return whether the constraints are just that people differ and what some have or lack, and not too many."""
    if problem.semantics == "single" or not problem.constraints or problem.is_weighted:
        return False
    differ = all(
        formula.kind == "not" and isinstance(problem.atoms[formula.atom], Equal) for formula in problem.constraints
    )
    return differ and partitions_of(_differing(problem)[1]) is not None


def probability_of_differing(problem: CountingProblem, meter: Meter) -> Fraction:
    """Return Pr(constraints), where people only differ."""
    variables, neighbours = _differing(problem)
    partitions = partitions_of(neighbours)
    assert partitions is not None
    compared = {problem.component_of(variable) for variable in variables}
    own_groups = [group for group in problem.sizes if problem.component[group] in compared]
    own_blocks = dict.fromkeys(block for group in own_groups for block in problem.blocks[group])
    others = [(atom, takes) for atom, takes in problem.fixed.items() if atom.variable not in variables]
    weights, total = partitions[0], 1
    for block in own_blocks | dict.fromkeys(atom.block for atom in problem.fixed):
        meter.spend(len(weights) // 8)  # they are worked on all at once
        # the groups of the compared variables, and those where other people are known to have a block or not
        fixed_here = [(atom.variable, takes) for atom, takes in others if atom.block == block]
        elsewhere = (group for variable, _ in fixed_here for group in problem.members[variable])
        groups = list(dict.fromkeys([*own_groups, *elsewhere]))
        total *= prod(problem.ways_to_spread(group, block) for group in groups)
        # blocks are independent, so each multiplies the weight of every partition
        ways = _count_by_set(problem, variables, fixed_here, groups, block)
        weights = weights * _sum_over_unions(neighbours, ways)
    return Fraction(int(weights.sum()), total)


@lru_cache(maxsize=128)
def _sum_over_unions(neighbours: tuple[VariableSet, ...], ways: tuple[int, ...]) -> npt.NDArray[np.object_]:
    """Return, for each partition, in how many ways its classes take a block together, or do not."""
    partitions = partitions_of(neighbours)
    assert partitions is not None
    _, unions, starts = partitions
    sums: npt.NDArray[np.object_] = np.add.reduceat(np.array(ways, object)[unions], starts)
    return sums


@lru_cache(maxsize=64)
def partitions_of(
    neighbours: tuple[VariableSet, ...],
) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.intp], npt.NDArray[np.intp]] | None:
    """Return the partitions in which no a(C) is 0, by the variables from which each differs; None if too many.

    Their coefficients Π a(C); all unions of their classes, one partition after the other; where those of each start.

    >>> coefficients, unions, _ = partitions_of((0b110, 0b101, 0b011))
    >>> sorted(coefficients.tolist()), len(unions)
    ([-1, -1, -1, 1, 2], 22)
    """
    if 1 << len(neighbours) > MOST_UNIONS:  # as many as there are where all are alone
        return None
    coefficients: list[int] = []
    unions: list[int] = []
    starts: list[int] = []
    for coefficient, classes in _divide(neighbours):
        coefficients.append(coefficient)
        starts.append(len(unions))
        # all unions of the classes, the empty one first: 2^|σ| of them
        mine = [0]
        for each in classes:
            mine += [union | each for union in mine]
        unions += mine
        if len(unions) > MOST_UNIONS:
            return None
    return np.array(coefficients, object), np.array(unions, np.intp), np.array(starts, np.intp)


def _divide(neighbours: tuple[VariableSet, ...]) -> Iterator[tuple[int, list[VariableSet]]]:
    """Yield the divisions of all variables into connected classes of which no a(C) is 0, each with Π a(C)."""

    def is_edgeless(variables: VariableSet) -> bool:
        return not any(neighbours[position] & variables for position in _positions(variables))

    def grow_first(variables: VariableSet) -> Iterator[VariableSet]:
        """Yield the connected sets that have the first of some variables."""
        first = variables & -variables
        return _grow(neighbours, first, first, variables)

    @cache
    def coefficient(variables: VariableSet) -> int:
        """Return a(C): the sum of Π a(C) over the partitions of any B is 1 if B has no edge, else 0."""
        smaller = (part for part in grow_first(variables) if part != variables and is_edgeless(variables ^ part))
        return is_edgeless(variables) - sum(map(coefficient, smaller))

    def divide(variables: VariableSet) -> Iterator[list[VariableSet]]:
        """Divide variables into connected classes."""
        if not variables:
            yield []
            return
        for first_class in grow_first(variables):
            if coefficient(first_class):
                yield from ([first_class, *others] for others in divide(variables ^ first_class))

    for classes in divide((1 << len(neighbours)) - 1):
        yield prod(map(coefficient, classes)), classes


def _grow(
    neighbours: tuple[VariableSet, ...], connected: VariableSet, decided: VariableSet, within: VariableSet
) -> Iterator[VariableSet]:
    """Yield connected sets: neighbours are added, each of them now or never, so that each set comes up once."""
    yield connected
    near = reduce(or_, (neighbours[position] for position in _positions(connected))) & within & ~decided
    for position in _positions(near):
        decided |= 1 << position
        yield from _grow(neighbours, connected | 1 << position, decided, within)


def _count_by_set(
    problem: CountingProblem,
    variables: Sequence[int],
    others: Sequence[tuple[int, bool]],
    groups: Sequence[int],
    block: int,
) -> tuple[int, ...]:
    """Return, for each set of variables, in how many ways just they take a block; 0 if it is fixed otherwise.

    Of `others` it is known whether they take it.
    """
    # people who are known to take the block, or not to, rule out most sets
    fixed = {True: 0, False: 0}
    for position, variable in enumerate(variables):
        takes = problem.fixed.get(Takes(variable, block))
        if takes is not None:
            fixed[takes] |= 1 << position

    def count_in(group: int) -> tuple[list[int], list[int]]:
        """Count for each set of variables its people of a group, and for each such number the ways to have a block."""
        # indexed by sets of variables, a bit each: every variable doubles the list
        people_of = [0]
        for variable in variables:
            people_of += [people + problem.members[variable][group] for people in people_of]
        known = [(problem.members[variable][group], takes) for variable, takes in others]
        deciding, having = people_of[-1] + sum(n for n, _ in known), sum(n for n, takes in known if takes)
        return people_of, [
            problem.ways_to_have(group, block, deciding=deciding, having=having + number)
            for number in range(people_of[-1] + 1)
        ]

    ways_in = list(map(count_in, groups))
    return tuple(
        0 if takers & fixed[False] or fixed[True] & ~takers else prod(ways[people[takers]] for people, ways in ways_in)
        for takers in range(1 << len(variables))
    )


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


Joint: TypeAlias = tuple[Fraction, Fraction]
"""Pr(facts), and Pr(facts and target)."""

MOST_DIFFERENCES = 50
"""With more facts of the kind "of many pairs one is the same", their 2^n differences would never be counted."""


@dataclass(slots=True)
class WorldCounter:
    """Counts worlds of a release, within an effort allowed; what was counted is remembered."""

    release: Release
    entities: Entities
    meter: Meter
    _joints: dict[tuple[frozenset[Fact], Fact | None], Joint] = field(default_factory=dict)
    _marginals: dict[tuple[frozenset[Fact], Who], dict[Label, Fraction]] = field(default_factory=dict)

    def with_effort(self, meter: Meter) -> WorldCounter:
        """Count within another effort, and remember what both counted."""
        return WorldCounter(self.release, self.entities, meter, self._joints, self._marginals)

    def probability(self, facts: Iterable[Fact]) -> Fraction:
        """Return Pr(facts)."""
        return self._product(self._link_facts(facts))

    def joint(self, facts: Iterable[Fact], target: Fact) -> Joint:
        """Return Pr(facts), and Pr(facts and target)."""
        near, far = self._near(facts, target.people())
        others, (possible, both) = self._product(far), self._joint(near, target)
        return others * possible, others * both

    def marginals(self, facts: Iterable[Fact], who: Who) -> dict[Label, Fraction]:
        """Return Pr(facts, and the person has v) for each value v of the person's group."""
        near, far = self._near(facts, [who])
        others, marginals = self._product(far), self._near_marginals(near, who)
        return {value: others * probability for value, probability in marginals.items()}

    def _product(self, independent: Iterable[Sequence[Fact]]) -> Fraction:
        return prod((self._joint(facts)[0] for facts in independent), start=Fraction(1))

    def _joint(self, facts: Sequence[Fact], target: Fact | None = None) -> Joint:
        key = (frozenset(facts), target)
        if key not in self._joints:
            # each such fact doubles the counts below, and the recursion goes one deeper: bounded beforehand
            wide = [fact for fact in facts if is_wide_disjunction(fact)]
            if len(wide) > MOST_DIFFERENCES:
                raise OverEffort
            if wide:
                # of many pairs one is the same: all worlds less those in which the pairs all differ
                others, differences = [fact for fact in facts if fact != wide[0]], [~pair for pair in wide[0].parts()]
                every, less = self._joint(others, target), self._joint([*others, *differences], target)
                self._joints[key] = every[0] - less[0], every[1] - less[1]
            else:
                self._joints[key] = self._count(facts, target)
        return self._joints[key]

    def _count(self, facts: Sequence[Fact], target: Fact | None) -> Joint:
        # without the target first: whether people only differ depends on the facts alone
        problem = compile_facts(self.release, self.entities, facts)
        if problem.contradictory:
            return Fraction(0), Fraction(0)
        if people_only_differ(problem):
            if target is not None:
                # where people only differ, a target of the same kind is just more facts
                return self._joint(facts)[0], self._joint([*facts, *conjuncts(target)])[0]
            return probability_of_differing(problem, self.meter), Fraction(0)
        if target is not None:
            problem = compile_facts(self.release, self.entities, facts, target=target)
        return Frontier(Schedule.build(problem, self.meter)).probabilities(self.meter)

    def _near_marginals(self, facts: Sequence[Fact], who: Who) -> dict[Label, Fraction]:
        key = (frozenset(facts), who)
        if key not in self._marginals:
            if people_only_differ(compile_facts(self.release, self.entities, facts)):
                values = self.release.groups.value_counts(self.entities.group_of[who])
                self._marginals[key] = {value: self._joint(facts, Has(who, value))[1] for value in values}
            else:
                pairs = [atom.about() for fact in facts for atom in fact.atoms() if isinstance(atom, Same)]
                compared = dict.fromkeys(each for pair in pairs for each in pair)
                # all whom the facts compare, if the person is one of them: together they cost no more than one
                marginals = self._all_at_once(facts, list(compared) if who in compared else [who])
                self._marginals |= {(key[0], each): chances for each, chances in marginals.items()}
        return self._marginals[key]

    def _all_at_once(self, facts: Sequence[Fact], people: Sequence[Who]) -> dict[Who, dict[Label, Fraction]]:
        """Return Pr(facts, and the person has v) for each person and value v, from one sweep forwards and back."""
        problem = compile_facts(self.release, self.entities, facts, people=people)
        variables = {problem.variable_of[who] for who in people}
        frontier = Frontier(Schedule.build(problem, self.meter, watched=variables))
        layers = frontier.layers(self.meter)
        total = frontier.total()
        possible = Fraction(layers[-1].get(0, 0), total)
        taking: dict[int, dict[int, Fraction]] = {variable: {} for variable in variables}
        for step, transition, weights, after in frontier.sweep_back(layers, self.meter):
            variable, block = frontier.assigned_at.get(step, (-1, -1))
            if variable in variables:
                assert isinstance(transition, Assign)
                taking[variable][block] = Fraction(_count_takers(transition, weights, after), total)
        marginals = {}
        for who in people:
            group = self.entities.group_of[who]
            count_of = dict(zip(self.release.domain, self.release.groups.counts.row(group).tolist(), strict=True))
            blocks = _add_unscheduled(problem, group, possible, taking[problem.variable_of[who]])
            marginals[who] = {
                value: blocks[block] * Fraction(count_of[value], problem.counts[group, block])
                for block in problem.blocks[group]
                for value in problem.block_values[block]
            }
        return marginals

    def _near(self, facts: Iterable[Fact], people: Iterable[Who]) -> tuple[list[Fact], list[list[Fact]]]:
        groups = {self.entities.group_of[who] for who in people}
        near: list[Fact] = []
        far: list[list[Fact]] = []
        for linked in self._link_facts(facts):
            if any(self.entities.group_of[who] in groups for fact in linked for who in fact.people()):
                near += linked
            else:
                far.append(linked)
        return near, far

    def _link_facts(self, facts: Iterable[Fact]) -> list[list[Fact]]:
        each = list(dict.fromkeys(part for fact in facts for part in conjuncts(fact)))
        groups = [[self.entities.group_of[who] for who in fact.people()] for fact in each]
        first = components(dict.fromkeys(group for several in groups for group in several), groups)
        linked: dict[int, list[Fact]] = {}
        for fact, several in zip(each, groups, strict=True):
            linked.setdefault(first[several[0]], []).append(fact)
        return list(linked.values())


def _count_takers(transition: Assign, weights: StateWeights, after: StateWeights) -> int:
    """Count the worlds in which a variable takes its block: Σ weight before × factor × weight of completions."""
    mask = transition.mask
    # moves depend on the fields alone, which many states share
    moves = {fields: transition.outcomes(fields) for fields in {state & mask for state in weights}}
    return sum(
        weight * factor * after[(state & ~mask) + replacement]
        for state, weight in weights.items()
        for outcome, (replacement, factor) in moves[state & mask]
        if outcome is DecisionOutcome.TAKES
    )


def _add_unscheduled(
    problem: CountingProblem, group: int, possible: Fraction, taking: dict[int, Fraction]
) -> dict[int, Fraction]:
    """Add the blocks of a group that no constraint asks about."""
    scheduled = {block: probability for block, probability in taking.items() if block in problem.blocks[group]}
    counts = {block: problem.counts[group, block] for block in problem.blocks[group] if block not in scheduled}
    if problem.semantics == "single":  # they share what is left by their numbers
        left = possible - sum(scheduled.values())
        return scheduled | {block: left * Fraction(count, sum(counts.values())) for block, count in counts.items()}
    having = {block: problem.ways_to_have(group, block, deciding=1, having=1) for block in counts}
    return scheduled | {
        block: possible * Fraction(ways, problem.ways_to_spread(group, block)) for block, ways in having.items()
    }
