"""Solve a problem part by part, and say which statements contradict each other where it has no solution.

Decomposition  groups are linked where a constraint counts both; what is not linked is independent, as the entropy of a
               product of groups is the sum of theirs.  Each connected component is a subproblem; small ones are
               solved together, as that is quicker: by how many constraints Newton's method gets, so without those
               that ask for a sum of 0, which presolve takes away.
Subproblem     presolve, then Newton on the dual.  Where the method does not arrive soon, a linear program says whether
               there is a solution; if there is, it goes on as long as the dual falls.  Where amounts vanish, some may
               be 0 in every solution: ask a linear program which, remove them, and solve again.  It ends, as each round
               removes a variable.  When the time is up before the program has an answer, the solution that is there is
               kept: its sums are right, and how many amounts may be 0 or very little is said (`undecided`).
Contradiction  a minimum unsatisfiable subset: the constraints that a least repair touches (one linear program), then
               hitting sets over feasibility of subsets, each on its own smaller quotient: with fewer statements
               fewer people are told apart.
Cost           per part and round a presolve, 5 to 30 Newton steps (`schur`) and at most one linear program; two rounds
               are the rule.  A contradiction: one elastic program over all variables, then one program per subset; no
               new one after `MOST_CONFLICT_SECONDS`.

Source: ours; independent parts as in Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008; hitting sets: `smallest_conflict`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sidelight.arrays import Flags, Floats
from sidelight.errors import BadKnowledge, Contradiction, TooHard
from sidelight.knowledge.parse_statements import WordedStatement
from sidelight.max_entropy.constraints import Constraints
from sidelight.max_entropy.newton import DualMinimum, minimize_dual
from sidelight.max_entropy.presolve import (
    NEGLIGIBLE_PEOPLE,
    Infeasible,
    conflicting,
    drop_implied,
    fix_by_frechet_bounds,
    forced_zeros,
    is_feasible,
    propagate_bounds,
    zeros_at,
)
from sidelight.max_entropy.problem import ONE_PERSON, Problem, Variables
from sidelight.max_entropy.reduction import reduce_problem
from sidelight.progress import Progress
from sidelight.text import counted
from sidelight.worlds.smallest_conflict import minimum_unsatisfiable_subset

BATCH_CONSTRAINTS = 200
"""Components with fewer constraints than this, besides those that force amounts to 0, are solved together."""

ACCEPTED_SHARE = 1e-9
"""How far off a sum may be, as a share of all people (or one person, where that is more)."""

MOST_CONFLICT_SECONDS = 5.0
"""After that, a set of contradicting statements that may not be the smallest will do."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The amounts, the multipliers of the constraints (nan: everything they say is forced), and how it went."""

    amounts: Floats
    multipliers: Floats
    zero: Flags
    steps: int
    parts: int
    residual: float
    undecided: int = 0
    """So many amounts are next to nothing, and the time was up before it was known whether they are 0."""


def solve(problem: Problem, *, deadline: float, progress: Progress) -> Solution:
    """Compute amounts of largest entropy; raise `Infeasible`, or `TooHard` after the deadline (`time.monotonic`)."""
    amounts, multipliers = np.zeros(len(problem)), np.full(len(problem.low), np.nan)
    zero = np.zeros(len(problem), bool)
    steps = parts = undecided = 0
    for variables, constraints in _components(problem, at_least=BATCH_CONSTRAINTS):
        part, _, _ = problem.restrict(variables, constraints)
        solution = _Subproblem(part, deadline, progress).solve()
        amounts[variables], zero[variables] = solution.amounts, solution.zero
        multipliers[constraints] = solution.multipliers
        steps, parts, undecided = steps + solution.steps, parts + 1, undecided + solution.undecided
        progress("solving", parts, None)
    return Solution(amounts, multipliers, zero, steps, parts, problem.residual(amounts), undecided)


def _components(problem: Problem, *, at_least: int) -> Iterator[tuple[Flags, Flags]]:
    """Cut a problem into parts that share no constraint; small ones come together, about `at_least` constraints each.

    Not counting those that only force amounts to 0.  Gives which variables and which constraints are in each part.
    """
    group = problem.group[problem.column]
    groups, constraints = int(group.max(initial=-1)) + 1, len(problem.low)
    nonzeros = sparse.coo_array(problem.coefficients)
    # a graph of groups and constraints: a constraint is linked to every group that it counts in
    links = sparse.csr_array(
        (np.ones(len(nonzeros.data)), (group[nonzeros.coords[1]], groups + nonzeros.coords[0])),
        shape=(groups + constraints, groups + constraints),
    )
    _, component = connected_components(links, directed=False)
    stay = problem.high > 0
    stay[nonzeros.coords[0][nonzeros.data < 0]] = True
    sizes = np.bincount(component[groups:][stay], minlength=int(component.max(initial=-1)) + 1)
    batch = (np.cumsum(sizes) - sizes) // at_least
    _, number = np.unique(batch[component], return_inverse=True)
    for each in range(int(number.max(initial=-1)) + 1):
        yield number[:groups][group] == each, number[groups:] == each


class _Subproblem:
    """One part of a problem on its way to a solution."""

    def __init__(self, problem: Problem, deadline: float, progress: Progress) -> None:
        self.problem, self.deadline, self.progress = problem, deadline, progress
        self.accepted = ACCEPTED_SHARE * max(problem.people.sum() / 10, 1.0)

    def solve(self) -> Solution:
        """Remove what is forced, solve; look again where amounts vanish."""
        try:
            zero = fix_by_frechet_bounds(self.problem)
            while True:
                zero, rest = self._presolve(zero)
                minimum = self._minimum(rest)
                more, undecided = self._vanishing(zero, rest, minimum)
                # each round removes a variable, so that this ends
                if not more.any():
                    break
                zero = zero | more
        except Infeasible as why:
            raise Infeasible(self.problem, why.alone) from None
        if minimum.residual > self.accepted:
            message = (
                f"no solution after {minimum.steps} steps: a sum is still off by {minimum.residual:.1g} people; "
                "leave out statements that nearly contradict each other"
            )
            raise TooHard(message)
        return replace(self._solution(zero, rest, minimum), undecided=undecided)

    def _minimum(self, rest: Problem) -> DualMinimum:
        """Minimise the dual; where that takes long, once more from there if there is a solution at all."""
        minimum = minimize_dual(rest, self._watch)
        if minimum.residual <= self.accepted:
            return minimum
        if is_feasible(rest, deadline=self.deadline) is False:
            raise Infeasible
        return minimize_dual(rest, self._watch, start=minimum.lowest)

    def _presolve(self, zero: Flags) -> tuple[Flags, Problem]:
        """Remove amounts that are 0, and what follows from that."""
        high = propagate_bounds(self._drop_variables(zero))
        zero = zero.copy()
        zero[np.flatnonzero(~zero)[high <= NEGLIGIBLE_PEOPLE]] = True
        return zero, drop_implied(self._drop_variables(zero))

    def _drop_variables(self, zero: Flags) -> Problem:
        """Leave variables out; refuses when a row or a column has none left."""
        rest, rows, columns = self.problem.restrict(~zero, np.ones(len(self.problem.low), bool))
        if len(rows) < len(self.problem.people) or len(columns) < len(self.problem.counts):
            raise Infeasible
        return rest

    def _watch(self, step: int, residual: float) -> None:
        self.progress("Newton steps", step, None)
        if time.monotonic() > self.deadline:
            message = (
                f"the time is up after {step} steps: a sum is still off by {residual:.1g} people; give more seconds"
            )
            raise TooHard(message)

    def _vanishing(self, zero: Flags, rest: Problem, minimum: DualMinimum) -> tuple[Flags, int]:
        """Look closer where amounts vanish: what else is 0 in every solution?  Says of how many it is not known."""
        possible = np.minimum(rest.people[rest.row], rest.counts[rest.column])
        amounts, arrived = minimum.at.amounts, minimum.residual <= self.accepted
        # An amount that is a smaller share than this of what it could be may be 0 in every solution: worth a closer
        # look.
        rare = np.flatnonzero(amounts < (1e-7 if arrived else 1e-3) * possible)
        more = np.zeros(len(zero), bool)
        if len(rare) == 0:
            return more, 0
        forced = (
            zeros_at(rest, amounts, rare, deadline=self.deadline)
            if arrived
            else forced_zeros(rest, rare, deadline=self.deadline)
        )
        if forced is None:
            return more, len(rare)
        more[np.flatnonzero(~zero)] = forced
        return more, 0

    def _solution(self, zero: Flags, rest: Problem, minimum: DualMinimum) -> Solution:
        """Put back what presolve removed."""
        amounts = np.zeros(len(zero))
        amounts[~zero] = minimum.at.amounts
        multipliers = np.full(len(self.problem.low), np.nan)
        # a statement has one constraint, so its number finds it again; one that presolve dropped pushes nothing: nan
        place = {number: at for at, number in enumerate(rest.statement.tolist()) if number >= 0}
        for at, number in enumerate(self.problem.statement.tolist()):
            if number in place:
                multipliers[at] = minimum.at.constraint_multipliers[place[number]]
        return Solution(amounts, multipliers, zero, minimum.steps, 1, minimum.residual)


@dataclass(frozen=True, eq=False)
class Relaxations:
    """Questions about some of the statements: small ones, as with fewer statements the quotient is smaller."""

    variables: Variables
    constraints: Constraints
    deadline: float = math.inf  # of `time.monotonic`: after it no question has an answer

    def is_unsatisfiable(self, statements: Sequence[int]) -> bool:
        """Return whether it is known that some statements, by number, cannot all hold."""
        relaxed = reduce_problem(self.variables, self.constraints.select_statements(statements))
        return is_feasible(relaxed.problem, deadline=self.deadline) is False


def explain_infeasible(
    infeasible: Infeasible, known: Sequence[WordedStatement], relaxations: Relaxations
) -> Contradiction | BadKnowledge:
    """Name a minimum unsatisfiable subset of the statements, in the user's words."""
    numbers = _unsatisfiable_subset(infeasible, relaxations)
    if not numbers:
        return BadKnowledge("the people who are named do not fit into the release together; name fewer of them")
    words = tuple(dict.fromkeys(known[number].words for number in numbers))  # two bounds are one statement
    if time.monotonic() > relaxations.deadline:
        message = (
            f"{counted(len(words), 'statement')} cannot all hold in this release, and the time was up before the "
            "fewest of them were found that cannot; give more seconds"
        )
    elif len(words) == 1:
        message = f"the release says otherwise than '{words[0]}': no distribution fits both; leave it out or change it"
    else:
        listed = "; ".join(f"'{each}'" for each in words)
        message = f"these {len(words)} statements cannot all hold in this release: {listed}; leave one of them out"
    return Contradiction(message, facts=words)


def _unsatisfiable_subset(infeasible: Infeasible, relaxations: Relaxations) -> list[int]:
    """Search first among the statements that a least repair touches, then among all; nothing if people do not fit."""
    if infeasible.alone is not None:
        return [infeasible.alone]
    assert infeasible.problem is not None
    statement = infeasible.problem.statement
    stated = statement != ONE_PERSON
    suspects = statement[conflicting(infeasible.problem, deadline=relaxations.deadline) & stated].tolist()
    # without any statement it cannot hold either: too many people are named
    if not suspects or relaxations.is_unsatisfiable([]):
        return []
    first = _minimum_unsatisfiable_subset(suspects, relaxations)
    if len(first) == 1:
        return first
    return min(first, _minimum_unsatisfiable_subset(statement[stated].tolist(), relaxations), key=len)


def _minimum_unsatisfiable_subset(statements: Sequence[int], relaxations: Relaxations) -> list[int]:
    deadline = time.monotonic() + MOST_CONFLICT_SECONDS

    def unsatisfiable(places: Sequence[int]) -> bool:
        in_time = time.monotonic() < deadline
        return in_time and relaxations.is_unsatisfiable([statements[place] for place in places])

    return [statements[place] for place in minimum_unsatisfiable_subset(len(statements), unsatisfiable)]
