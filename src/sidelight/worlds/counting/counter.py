"""How likely are facts, and each value of a person, if all worlds of a release are equally likely?

    Pr(facts) = worlds in which all facts hold / all worlds

    Independence  groups are independent, so facts that share no group, even through others, are multiplied.
    Differences   "of many pairs one is the same" is counted as everything less the worlds in which all of them differ.
    Methods       `distinct` where people only differ, `frontier` for everything else.
    Marginals     Pr(person has v, facts) for all v at once: at the transition that assigns a person a block, the
                  weights of the states before (forwards) meet those of their completions (backwards).

What was counted is remembered, so that questions about the same facts cost little more than one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import TypeAlias

from sidelight.knowledge.facts import Fact, Has, Same, conjuncts
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.counting.compile import CountingProblem, compile_facts, components
from sidelight.worlds.counting.distinct import DistinctCounter, all_differ, is_wide_disjunction
from sidelight.worlds.counting.frontier import Assign, Frontier, Transition, Weights, completions
from sidelight.worlds.counting.order import Schedule
from sidelight.worlds.effort import Meter, OverEffort
from sidelight.worlds.identify import Entities

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
    _distinct: DistinctCounter = field(default_factory=DistinctCounter)

    def with_effort(self, meter: Meter) -> WorldCounter:
        """Count within another effort, and remember what both counted."""
        return WorldCounter(self.release, self.entities, meter, self._joints, self._marginals, self._distinct)

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
            self._joints[key] = self._difference(facts, wide[0], target) if wide else self._count(facts, target)
        return self._joints[key]

    def _difference(self, facts: Sequence[Fact], wide: Fact, target: Fact | None) -> Joint:
        """Return all worlds less those in which the pairs all differ: of many pairs one is the same."""
        others = [fact for fact in facts if fact != wide]
        every, less = self._joint(others, target), self._joint([*others, *all_differ(wide)], target)
        return every[0] - less[0], every[1] - less[1]

    def _count(self, facts: Sequence[Fact], target: Fact | None) -> Joint:
        # without the target first: whether people only differ depends on the facts alone
        problem = compile_facts(self.release, self.entities, facts)
        if problem.contradictory:
            return Fraction(0), Fraction(0)
        if self._distinct.applies(problem):
            if target is not None:
                # where people only differ, a target of the same kind is just more facts
                return self._joint(facts)[0], self._joint([*facts, *conjuncts(target)])[0]
            return self._distinct.probability(problem, self.meter), Fraction(0)
        if target is not None:
            problem = compile_facts(self.release, self.entities, facts, target=target)
        return Frontier(Schedule.build(problem, self.meter)).probabilities(self.meter)

    def _near_marginals(self, facts: Sequence[Fact], who: Who) -> dict[Label, Fraction]:
        key = (frozenset(facts), who)
        if key not in self._marginals:
            if self._distinct.applies(compile_facts(self.release, self.entities, facts)):
                self._marginals[key] = self._one_by_one(facts, who)
            else:
                marginals = self._all_at_once(facts, self._list_compared(facts, who))
                self._marginals |= {(key[0], each): values for each, values in marginals.items()}
        return self._marginals[key]

    def _one_by_one(self, facts: Sequence[Fact], who: Who) -> dict[Label, Fraction]:
        occurring = self.release.groups.counts.row(self.entities.group_of[who]).nonzero()[0].tolist()
        values = map(self.release.domain.__getitem__, occurring)
        return {value: self._joint(facts, Has(who, value))[1] for value in values}

    def _list_compared(self, facts: Sequence[Fact], who: Who) -> list[Who]:
        """List all whom the facts compare, if the person is one of them: together they cost no more than one."""
        pairs = [atom.about() for fact in facts for atom in fact.atoms() if isinstance(atom, Same)]
        compared = dict.fromkeys(each for pair in pairs for each in pair)
        return list(compared) if who in compared else [who]

    def _all_at_once(self, facts: Sequence[Fact], people: Sequence[Who]) -> dict[Who, dict[Label, Fraction]]:
        problem = compile_facts(self.release, self.entities, facts, people=people)
        variables = {problem.variable_of[who] for who in people}
        possible, taking = block_probabilities(problem, variables, self.meter)
        return {
            who: self._split_blocks(problem, self.entities.group_of[who], possible, taking[problem.variable_of[who]])
            for who in people
        }

    def _split_blocks(
        self, problem: CountingProblem, group: int, possible: Fraction, taking: dict[int, Fraction]
    ) -> dict[Label, Fraction]:
        """Share the probability of each block among its values by their numbers."""
        count_of = dict(zip(self.release.domain, self.release.groups.counts.row(group).tolist(), strict=True))
        probabilities = _add_unscheduled(problem, group, possible, taking)
        return {
            value: probabilities[block] * Fraction(count_of[value], problem.counts[group, block])
            for block in problem.blocks[group]
            for value in problem.block_values[block]
        }

    def _near(self, facts: Iterable[Fact], people: Iterable[Who]) -> tuple[list[Fact], list[list[Fact]]]:
        """Return the facts that are linked with the groups of some people, and those that are not."""
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
        """Return the facts in lists of those that share a group, even through others."""
        each = list(dict.fromkeys(part for fact in facts for part in conjuncts(fact)))
        groups = [[self.entities.group_of[who] for who in fact.people()] for fact in each]
        first = components(dict.fromkeys(group for several in groups for group in several), groups)
        linked: dict[int, list[Fact]] = {}
        for fact, several in zip(each, groups, strict=True):
            linked.setdefault(first[several[0]], []).append(fact)
        return list(linked.values())


def block_probabilities(
    problem: CountingProblem, variables: set[int], meter: Meter
) -> tuple[Fraction, dict[int, dict[int, Fraction]]]:
    """Return Pr(constraints), and for each variable Pr(constraints, and it takes b) for each scheduled block b."""
    frontier = Frontier(Schedule.build(problem, meter, watched=variables))
    layers = frontier.layers(meter)
    total, satisfying = frontier.total(), layers.pop().get(0, 0)
    assigned_at = {step: takes for takes, step in frontier.assigning.items()}
    taking: dict[int, dict[int, Fraction]] = {variable: {} for variable in variables}
    after: Weights = {0: 1}
    for step, transition in reversed(list(enumerate(frontier.transitions))):
        weights = layers.pop()
        variable, block = assigned_at.get(step, (-1, -1))
        if variable in variables:
            taking[variable][block] = Fraction(_weight_of_taking(weights, transition, after), total)
        # from here on, `after` belongs to the states before this transition
        after = completions(weights, transition, after)
        meter.check_time()
    return Fraction(satisfying, total), taking


def _weight_of_taking(weights: Weights, transition: Transition, after: Weights) -> int:
    """Count the worlds in which the variable takes the block: Σ weight before × factor × weight of completions."""
    assert isinstance(transition, Assign)
    mask = transition.mask
    # moves depend on the fields alone, which many states share
    moves = {fields: transition.moves_that_take(fields) for fields in {state & mask for state in weights}}
    return sum(
        weight * factor * after[(state & ~mask) + replacement]
        for state, weight in weights.items()
        for replacement, factor in moves[state & mask]
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
