"""Solve a problem part by part, and say which statements contradict each other where it has no solution.

Decomposition  groups are linked where a constraint counts both; what is not linked is independent, as the entropy of a
               product of groups is the sum of theirs.  Each connected component is a subproblem; small ones are
               solved together, as that is quicker: by how many constraints Newton's method gets, so without those
               that ask for a sum of 0, which presolve takes away.
Subproblem     presolve, then Newton on the dual.  Where the method does not arrive soon, a linear program says whether
               there is a solution; if there is, it goes on as long as the dual falls.  Where amounts vanish, some may
               be 0 in every solution: a linear program finds them, and the rest is solved again.  It ends, as each
               round removes a variable.  When the time is up before the program has an answer, the current solution is
               kept: its sums are right, and the number of amounts that may be 0 is reported (`undecided`).
Contradiction  a minimum unsatisfiable subset: the constraints that a least repair touches (one linear program), then
               hitting sets over feasibility of subsets, each on its own smaller quotient: fewer statements distinguish
               fewer people.
Cost           per part and round a presolve, 5 to 30 Newton steps and at most one linear program; two rounds
               are the rule.  A contradiction: one elastic program over all variables, then one program per subset; no
               new one after five seconds.

Source: ours; independent parts as in Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008; hitting sets: `worlds.estimate`.

What was measured with noise: a likelihood of sums of variables, not a bound on them.

    maximise  − Σ_v x_v ln(x_v / weight_v) + Σ_k ln L_k(a_k · x)    subject to the release and what is known for certain
    normal    ln L_k(y) = − (y − c_k)² / 2 σ_k²                     laplace    ln L_k(y) = − |y − c_k| / σ_k

In people, exp of the entropy is how many worlds have the amounts x (by Stirling), so that this is the likeliest table:
worlds × likelihood of the noise.  Nothing measured contradicts anything, and a count below 0 is no nonsense.  Dual, in
the multipliers μ of what was measured alone:

    F(μ) = max_x ( H(x) + μ · (A x − c) ) + ½ Σ_normal σ² μ²,    |μ_k| ≤ 1 / σ_k for laplace

is convex and smooth, with the gradient A x(μ) − c + σ² μ: x(μ) is of largest entropy relative to weight · exp(Aᵀ μ), a
problem like any other (`solve`).  A count with noise of scale 1/ε (ε-differential privacy) thus tilts the weight
of one person's being counted by at most e^ε, |μ_k| ≤ ε, whatever was measured.

Cost       one solution of the rest for each step of L-BFGS-B, 10 to 50 of them, whatever the number of measurements.
End        all gradients (projected, at bounds) within 1e-7 of the people, or all multipliers within
           1e-8, and no weight cut off where there are people; else `TooHard`.

Source: ours; penalised maximum entropy as in Chen and Rosenfeld (2000) and Kazama and Tsujii, Machine Learning, 2005.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize, sparse
from scipy.sparse.csgraph import connected_components

from sidelight.errors import BadKnowledge, Contradiction, TooHard
from sidelight.max_entropy.newton import Iterate, minimize_dual
from sidelight.max_entropy.presolve import (
    Infeasible,
    conflicting,
    drop_implied,
    fix_by_frechet_bounds,
    forced_zeros,
    is_feasible,
    propagate_bounds,
    zeros_at,
)
from sidelight.max_entropy.problem import Problem, ReducedProblem, reduce_problem
from sidelight.max_entropy.variables import NEGLIGIBLE_PEOPLE, ONE_PERSON, Variables
from sidelight.text import counted
from sidelight.worlds.estimate import minimum_unsatisfiable_subset

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Floats
    from sidelight.max_entropy.constraints import Constraints
    from sidelight.progress import Progress


BATCH_CONSTRAINTS = 200
"""Components with fewer constraints than this, besides those that force amounts to 0, are solved together."""


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


def solve_constraints(
    variables: Variables, constraints: Constraints, *, deadline: float, progress: Progress
) -> tuple[ReducedProblem, Solution]:
    """Reduce the problem of some constraints and solve it; raise `Contradiction` or `TooHard` in the user's words."""
    reduced = reduce_problem(variables, constraints)
    solved = partial(solve, deadline=deadline, progress=progress)
    try:
        if not constraints.scale.any():
            return reduced, solved(reduced.problem)
        problem, solution = solve_measured(reduced.problem, constraints.scale, constraints.laplace, solved)
        return replace(reduced, problem=problem), solution
    except Infeasible as infeasible:
        raise explain_infeasible(infeasible, variables, constraints, deadline) from None


def solve(problem: Problem, *, deadline: float, progress: Progress) -> Solution:
    """Compute amounts of largest entropy; raise `Infeasible`, or `TooHard` after the deadline (`time.monotonic`)."""
    amounts, multipliers = np.zeros(len(problem)), np.full(len(problem.low), np.nan)
    zero = np.zeros(len(problem), bool)
    steps = parts = undecided = 0
    for variables, constraints in _components(problem, at_least=BATCH_CONSTRAINTS):
        part, _, _ = problem.restrict(variables, constraints)
        solution = _solve_component(part, deadline, progress)
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


def _solve_component(problem: Problem, deadline: float, progress: Progress) -> Solution:
    """Remove what is forced, solve; look again where amounts vanish."""
    # how far off a sum may be
    accepted = 1e-9 * max(problem.people.sum() / 10, 1.0)

    def watch(step: int, residual: float) -> None:
        progress("Newton steps", step, None)
        if time.monotonic() > deadline:
            raise TooHard(
                f"the time is up after {step} steps: a sum is still off by {residual:.1g} people; give more seconds"
            )

    def minimize(rest: Problem) -> tuple[Iterate, Iterate]:
        """Minimise the dual; where that takes long, once more from there if there is a solution at all."""
        nearest, lowest = minimize_dual(rest, watch)
        if nearest.residual <= accepted:
            return nearest, lowest
        if is_feasible(rest, deadline=deadline) is False:
            raise Infeasible
        return minimize_dual(rest, watch, start=lowest)

    try:
        zero, more = np.zeros(len(problem), bool), fix_by_frechet_bounds(problem)
        # each round removes a variable, so that this ends
        while True:
            zero = zero | more
            high = propagate_bounds(_drop_variables(problem, zero))
            zero[np.flatnonzero(~zero)[high <= NEGLIGIBLE_PEOPLE]] = True
            rest = drop_implied(_drop_variables(problem, zero))
            nearest, lowest = minimize(rest)
            more = np.zeros(len(zero), bool)
            more[~zero], undecided = _find_vanishing(rest, nearest, deadline, arrived=nearest.residual <= accepted)
            if not more.any():
                break
    except Infeasible as why:
        raise Infeasible(problem, why.alone) from None
    if nearest.residual > accepted:
        raise TooHard(
            f"no solution after {lowest.step} steps: a sum is still off by {nearest.residual:.1g} people; "
            "leave out statements that nearly contradict each other"
        )
    # put back what presolve removed
    amounts = np.zeros(len(zero))
    amounts[~zero] = nearest.amounts
    # a statement has one constraint, so its number finds it again; one that presolve dropped pushes nothing: nan
    pushes = dict(zip(rest.statement.tolist(), nearest.constraint_multipliers.tolist(), strict=True))
    stated = [number if number >= 0 else None for number in problem.statement.tolist()]
    multipliers = np.array([pushes.get(number, np.nan) for number in stated], float)
    return Solution(amounts, multipliers, zero, lowest.step, 1, nearest.residual, undecided)


def _drop_variables(problem: Problem, zero: Flags) -> Problem:
    rest, rows, columns = problem.restrict(~zero, np.ones(len(problem.low), bool))
    if len(rows) < len(problem.people) or len(columns) < len(problem.counts):
        raise Infeasible
    return rest


def _find_vanishing(rest: Problem, at: Iterate, deadline: float, *, arrived: bool) -> tuple[Flags, int]:
    """Look closer where amounts vanish: which are 0 in every solution, and of how many is it not known?"""
    possible = np.minimum(rest.people[rest.row], rest.counts[rest.column])
    # An amount that is a smaller share than this of what it could be may be 0 in every solution: worth a closer look.
    rare = np.flatnonzero(at.amounts < (1e-7 if arrived else 1e-3) * possible)
    if len(rare) == 0:
        return np.zeros(len(rest), bool), 0
    forced = (
        zeros_at(rest, at.amounts, rare, deadline=deadline) if arrived else forced_zeros(rest, rare, deadline=deadline)
    )
    return (np.zeros(len(rest), bool), len(rare)) if forced is None else (forced, 0)


def explain_infeasible(
    infeasible: Infeasible, variables: Variables, constraints: Constraints, deadline: float
) -> Contradiction | BadKnowledge:
    """Name a minimum unsatisfiable subset of the statements, in the user's words."""

    def is_unsatisfiable(statements: Sequence[int]) -> bool:
        # small questions: with fewer statements the quotient is smaller
        relaxed = reduce_problem(variables, constraints.select_statements(statements))
        return is_feasible(relaxed.problem, deadline=deadline) is False

    numbers = _unsatisfiable_subset(infeasible, is_unsatisfiable, deadline)
    if not numbers:
        return BadKnowledge("the people who are named do not fit into the release together; name fewer of them")
    words = tuple(dict.fromkeys(constraints.stated[number].words for number in numbers))  # two bounds are one statement
    if time.monotonic() > deadline:
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


def _unsatisfiable_subset(
    infeasible: Infeasible, is_unsatisfiable: Callable[[Sequence[int]], bool], deadline: float
) -> list[int]:
    """Search first among the statements that a least repair touches, then among all; nothing if people do not fit."""
    if infeasible.alone is not None:
        return [infeasible.alone]
    assert infeasible.problem is not None
    statement = infeasible.problem.statement
    stated = statement != ONE_PERSON
    suspects = statement[conflicting(infeasible.problem, deadline=deadline) & stated].tolist()
    # without any statement it cannot hold either: too many people are named
    if not suspects or is_unsatisfiable([]):
        return []

    def find_smallest(statements: list[int]) -> list[int]:
        # after five seconds, a set that may not be the smallest will do
        end = time.monotonic() + 5.0
        smallest = minimum_unsatisfiable_subset(
            len(statements),
            lambda indices: time.monotonic() < end and is_unsatisfiable([statements[index] for index in indices]),
        )
        return [statements[index] for index in smallest]

    first = find_smallest(suspects)
    return first if len(first) == 1 else min(first, find_smallest(statement[stated].tolist()), key=len)


FARTHEST_TILT = 500.0
"""No weight is further below the largest, as a logarithm; what is there is as good as 0, or there is no answer."""


def solve_measured(
    problem: Problem, scale: Floats, laplace: Flags, solve: Callable[[Problem], Solution]
) -> tuple[Problem, Solution]:
    """Return the problem with what was measured put where the estimate has it, and the likeliest amounts.

    `scale` and `laplace` are of the first constraints, in people; a scale of 0 is no noise.  `solve` is for the rest.
    """
    soft = np.zeros(len(problem.low), bool)
    soft[: len(scale)] = scale > 0
    hard, _, _ = problem.restrict(np.ones(len(problem), bool), ~soft)
    coefficients, center = problem.coefficients[np.flatnonzero(soft)], problem.low[soft]
    noise, is_laplace, log_weight = scale[scale > 0], laplace[scale > 0], np.log(problem.weight)
    variance, most = np.where(is_laplace, 0.0, noise**2), np.where(is_laplace, 1 / noise, np.inf)

    def solve_at(multipliers: Floats) -> tuple[Solution, Floats]:
        """Return the amounts for multipliers of what was measured, and the gradient of the dual in these."""
        # cut off before it underflows; the answer is refused below if anybody is there
        tilt = _tilt_weights(problem, log_weight + coefficients.T @ multipliers)
        solution = solve(replace(hard, weight=np.exp(np.maximum(tilt, -FARTHEST_TILT))))
        return solution, coefficients @ solution.amounts - center + variance * multipliers

    nothing, _ = solve_at(np.zeros(len(center)))
    # the curvature of the dual at 0, by direction; 1e-12 keeps a constraint on nobody from dividing by 0
    unit = 1 / np.sqrt(coefficients.power(2) @ nothing.amounts + variance + 1e-12)

    def dual(scaled: Floats) -> tuple[float, Floats]:
        multipliers = scaled * unit
        solution, gradient = solve_at(multipliers)
        amounts = solution.amounts[solution.amounts > 0]
        entropy = -(amounts @ (np.log(amounts) - log_weight[solution.amounts > 0]))
        # the gradient is A x − c + σ² μ, so this is H + μ · (A x − c) + ½ σ² μ²
        return float(entropy + multipliers @ (gradient - variance * multipliers / 2)), gradient * unit

    # in units in which all directions are about as steep
    bounds = optimize.Bounds(-most / unit, most / unit)
    steps = {"maxiter": 1000, "maxfun": 2000, "ftol": 1e-16, "gtol": 1e-9, "maxcor": 30}
    start = np.zeros(len(center))
    minimum = optimize.minimize(dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=steps)
    multipliers: Floats = np.asarray(minimum.x) * unit
    solution, gradient = solve_at(multipliers)
    # without what pushes against a bound; the optimiser may end a last bit before it
    gradient = np.where(multipliers >= most * (1 - 1e-9), np.maximum(gradient, 0.0), gradient)
    off = np.abs(np.where(multipliers <= -most * (1 - 1e-9), np.minimum(gradient, 0.0), gradient))
    remedy = "leave out measurements of hardly any noise, or state them as equations"
    # each sum is where the likelihood has it, but for a share of all people, or its multiplier is as good as right
    if (off > 1e-7 * max(float(problem.people.sum()), 10.0) + 1e-8 * variance).any():
        raise TooHard(f"no solution: what was measured is still off by {off.max():.1g} people; {remedy}")
    # a weight that was cut off may be so only where nobody is: elsewhere the solution is that of another problem
    tilt = _tilt_weights(problem, log_weight + coefficients.T @ multipliers)
    if (solution.amounts[tilt < -FARTHEST_TILT] > NEGLIGIBLE_PEOPLE).any():
        raise TooHard(f"no solution: what was measured is too far from all that is possible, for its noise; {remedy}")
    # measurements as equations at the estimate, which push as much
    low, high, pushes = problem.low.copy(), problem.high.copy(), np.empty(len(soft))
    low[soft] = high[soft] = coefficients @ solution.amounts
    pushes[soft], pushes[~soft] = multipliers, solution.multipliers
    fitted = replace(problem, low=low, high=high)
    return fitted, replace(solution, multipliers=pushes, residual=fitted.residual(solution.amounts))


def _tilt_weights(problem: Problem, tilt: Floats) -> Floats:
    """Return logarithms of weights, at most 0, and 0 in every row and column but for what others lack."""
    # what rows and columns share is theirs to make up for: measurements of what is known anyway push nothing
    for margin, totals in ((problem.row, problem.people), (problem.column, problem.counts)):
        top = np.full(len(totals), -np.inf)
        np.maximum.at(top, margin, tilt)
        tilt = tilt - top[margin]
    return tilt
