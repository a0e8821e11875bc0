"""Sample worlds at random, each that satisfies the constraints equally likely.

Backward pass, then forward sampling: with w(s) the weight of all completions of state s (`frontier.completions`), the
move from s to s' of factor f is taken with probability f·w(s') / w(s).  All factors must be positive, so the schedule
is exhaustive: no inclusion–exclusion term.  Worlds in the same state move at once, as arrays.

Invariant: after each transition every world is in a state with w > 0, so no sample is ever thrown away.
Cost: one count by the frontier, then transitions × (states + worlds) for each sample.
Source: ours; the pair of passes is that of hidden Markov models (forward filtering, backward sampling), turned round.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.worlds.counting.compile import CountingProblem, Formula, Takes
from sidelight.worlds.counting.frontier import TAKES, Assign, Frontier, Weights, completions
from sidelight.worlds.effort import Meter

Truths: TypeAlias = npt.NDArray[np.bool_]
"""For each world of a sample, whether something holds."""

SampledWorlds: TypeAlias = dict[tuple[int, int], Truths]
"""(variable, block) → whether the variable takes it."""

Numbers: TypeAlias = npt.NDArray[np.intp]


class WorldSampler:
    """Samples worlds that satisfy the constraints of a frontier (`Schedule.of(…, exhaustive=True)`)."""

    def __init__(self, frontier: Frontier, meter: Meter) -> None:
        self.frontier = frontier
        self._completions: list[Weights] = []  # before each transition and after the last
        *layers, last = frontier.layers(meter)
        after: Weights = dict.fromkeys(last, 1)
        for transition, states in zip(reversed(frontier.transitions), reversed(layers), strict=True):
            # backwards: the weight of everything that may still come of a state
            self._completions.insert(0, after)
            after = completions(states, transition, after)
            meter.check_time()
        self._completions.insert(0, after)

    def sample(self, number: int, rng: np.random.Generator) -> SampledWorlds:
        """Sample so many worlds; none if no world fits."""
        worlds_in = {state: np.arange(number) for state in self._completions[0]}
        sample: SampledWorlds = {}
        assigned_at = {step: takes for takes, step in self.frontier.assigning.items()}
        for step in range(len(self.frontier.transitions)):
            truths = np.zeros(number, bool)
            worlds_in = self._move(worlds_in, step, truths, rng)
            if step in assigned_at:
                sample[assigned_at[step]] = truths
        return sample

    def _move(
        self, worlds_in: dict[int, Numbers], step: int, truths: Truths, rng: np.random.Generator
    ) -> dict[int, Numbers]:
        """Draw a move for each of the worlds in the same state; `truths` says which took the block."""
        after: dict[int, list[Numbers]] = {}
        for state, worlds in worlds_in.items():
            moves, probabilities = self._moves(state, step)
            chosen = np.searchsorted(np.cumsum(probabilities), rng.random(len(worlds)), side="right")
            for number, (new, takes) in enumerate(moves):
                # rounding may leave the last a little short of 1
                moving = worlds[chosen >= number if number == len(moves) - 1 else chosen == number]
                if len(moving):
                    truths[moving] = takes
                    after.setdefault(new, []).append(moving)
        return {state: np.concatenate(worlds) for state, worlds in after.items()}

    def _moves(self, state: int, step: int) -> tuple[list[tuple[int, bool]], list[float]]:
        """Return the states after each move, whether it takes the block, and how likely it is."""
        transition, completed = self.frontier.transitions[step], self._completions[step + 1]
        fields = state & transition.mask
        if isinstance(transition, Assign):
            moves = [(move, outcome is TAKES) for outcome, move in transition.outcomes(fields)]
        else:
            moves = [(move, False) for move in transition.memo[fields]]
        reached = [(state - fields + replacement, takes, factor) for (replacement, factor), takes in moves]
        # a move that cannot be completed has weight 0, and is never taken
        weighted = [(new, takes, factor * completed[new]) for new, takes, factor in reached if completed.get(new)]
        total = sum(weight for *_, weight in weighted)
        return [(new, takes) for new, takes, _ in weighted], [weight / total for *_, weight in weighted]


def sample_any(problem: CountingProblem, number: int, rng: np.random.Generator) -> SampledWorlds:
    """Sample so many worlds whatever the constraints: person by person, by what is left of each block."""
    sample: SampledWorlds = {}
    for group, size in problem.sizes.items():
        variables = [variable for variable, members in enumerate(problem.members) if group in members]
        counts = np.array([problem.counts[group, block] for block in problem.blocks[group]], np.int64)
        # one row per world, one column per block
        remaining = np.tile(counts, (number, 1))
        for decided, variable in enumerate(variables):
            takes, taken = _take(problem.semantics, remaining, size - decided, rng)
            remaining = remaining - taken
            sample |= {(variable, block): takes[:, column] for column, block in enumerate(problem.blocks[group])}
    return sample


def _take(
    semantics: str, remaining: npt.NDArray[np.int_], people: int, rng: np.random.Generator
) -> tuple[Truths, npt.NDArray[np.int_]]:
    """Draw what one of so many people takes of what is left, in each world: which blocks, how many of each."""
    if semantics == "multiset":
        # each occurrence chooses among the people who are left
        taken = rng.binomial(remaining, 1 / people)
        return taken > 0, taken
    if semantics == "set":
        # of `people` who are left the next one is among the r with a value with probability r / people
        takes = rng.integers(people, size=remaining.shape) < remaining
    else:
        # one draw among the occurrences left; cumulated over blocks, it falls into one of them
        reached = np.cumsum(remaining, axis=1) > rng.integers(people, size=(len(remaining), 1))
        takes = reached & (np.cumsum(reached, axis=1) == 1)  # the first block that is reached
    return takes, takes.astype(int)


def evaluate(formula: Formula, worlds: SampledWorlds, problem: CountingProblem) -> Truths:
    """Decide a formula in each world of a sample."""
    truths: dict[Formula, Truths] = {}
    for part in formula.bottom_up():
        if part.is_literal:
            takes = _evaluate_atom(part.atom, worlds, problem)
            truths[part] = takes if part.kind == "atom" else ~takes
        elif part.parts:
            join = np.logical_and if part.kind == "and" else np.logical_or
            truths[part] = np.asarray(join.reduce([truths[each] for each in part.parts]), bool)
        else:
            truths[part] = np.full(_number_of(worlds), part.kind == "true")
    return truths[formula]


def _evaluate_atom(number: int, worlds: SampledWorlds, problem: CountingProblem) -> Truths:
    atom = problem.atoms[number]
    if isinstance(atom, Takes):
        return worlds[atom.variable, atom.block]
    pair = (atom.variable, atom.other)
    truths = np.full(_number_of(worlds), fill_value=True)
    for block in {block for variable, block in worlds if variable in pair}:
        one, other = (worlds.get((variable, block), False) for variable in pair)
        truths &= np.equal(one, other)
    return truths


def _number_of(worlds: SampledWorlds) -> int:
    """Count the worlds; all are one where nobody can take anything."""
    return len(next(iter(worlds.values()), (True,)))
