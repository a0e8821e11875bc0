"""What was measured with noise: a likelihood of sums of variables, not a bound on them.

    maximise  − Σ_v x_v ln(x_v / weight_v) + Σ_k ln L_k(a_k · x)    subject to the release and what is known for certain
    normal    ln L_k(y) = − (y − c_k)² / 2 σ_k²                     laplace    ln L_k(y) = − |y − c_k| / σ_k

In people, exp of the entropy is how many worlds have the amounts x (by Stirling), so that this is the likeliest table:
worlds × likelihood of the noise.  Nothing measured contradicts anything, and a count below 0 is no nonsense.  Dual, in
the multipliers μ of what was measured alone:

    F(μ) = max_x ( H(x) + μ · (A x − c) ) + ½ Σ_normal σ² μ²,    |μ_k| ≤ 1 / σ_k for laplace

is convex and smooth, with the gradient A x(μ) − c + σ² μ: x(μ) is of largest entropy relative to weight · exp(Aᵀ μ), a
problem like any other (`subproblems`).  A count with noise of scale 1/ε (ε-differential privacy) thus tilts the weight
of one person's being counted by at most e^ε, |μ_k| ≤ ε, whatever was measured.

Cost       one solution of the rest for each step of L-BFGS-B, 10 to 50 of them, whatever the number of measurements.
End        all gradients (projected, at bounds) within `ACCEPTED_SHARE` of the people, or all multipliers within
           `ACCEPTED_TILT`, and no weight cut off where somebody is; else `TooHard`.

Source: ours; penalised maximum entropy as in Chen and Rosenfeld (2000) and Kazama and Tsujii, Machine Learning, 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize

from sidelight.errors import TooHard
from sidelight.max_entropy.presolve import NEGLIGIBLE_PEOPLE

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Floats
    from sidelight.max_entropy.problem import Problem
    from sidelight.max_entropy.subproblems import Solution

ACCEPTED_SHARE = 1e-7
"""How far off a sum may be from where the likelihood has it, as a share of all people (or one person, if more)."""

ACCEPTED_TILT = 1e-8
"""How far off a multiplier may be."""

FARTHEST_TILT = 500.0
"""No weight is further below the largest, as a logarithm; what is there is as good as 0, or there is no answer."""


def solve_measured(
    problem: Problem, scale: Floats, laplace: Flags, solve: Callable[[Problem], Solution]
) -> tuple[Problem, Solution]:
    """Return the problem with what was measured put where the estimate has it, and the likeliest amounts.

    `scale` and `laplace` are of the first constraints, in people; a scale of 0 is no noise.  `solve` is for the rest.
    """
    measurements = _Measurements(problem, scale, laplace, solve)
    multipliers = measurements.minimum()
    solution, gradient = measurements.solve_at(multipliers)
    remedy = "leave out measurements of hardly any noise, or state them as equations"
    if not measurements.is_minimum(multipliers, gradient):
        residual = np.abs(measurements.project(multipliers, gradient)).max()
        message = f"no solution: what was measured is still off by {residual:.1g} people; {remedy}"
        raise TooHard(message)
    # a weight that was cut off may be so only where nobody is: elsewhere the solution is that of another problem
    if (solution.amounts[measurements.tilt(multipliers) < -FARTHEST_TILT] > NEGLIGIBLE_PEOPLE).any():
        message = f"no solution: what was measured is too far from all that is possible, for its noise; {remedy}"
        raise TooHard(message)
    return measurements.fit(solution, multipliers)


class _Measurements:
    """The dual in the multipliers of what was measured."""

    def __init__(self, problem: Problem, scale: Floats, laplace: Flags, solve: Callable[[Problem], Solution]) -> None:
        self.problem, self.solve = problem, solve
        self.soft = np.zeros(len(problem.low), bool)
        self.soft[: len(scale)] = scale > 0
        self.hard, _, _ = problem.restrict(np.ones(len(problem), bool), ~self.soft)
        self.coefficients = problem.coefficients[np.flatnonzero(self.soft)]
        self.center = problem.low[self.soft]
        noise = scale[scale > 0]
        self.variance = np.where(laplace[scale > 0], 0.0, noise**2)
        self.most = np.where(laplace[scale > 0], 1 / noise, np.inf)
        self.log_weight = np.log(problem.weight)

    def tilt(self, multipliers: Floats) -> Floats:
        """Return the logarithms of the weights, at most 0, and 0 in every row and column but for what others lack."""
        problem = self.problem
        tilt: Floats = self.log_weight + self.coefficients.T @ multipliers
        # what rows and columns share is theirs to make up for: measurements of what is known anyway push nothing
        for margin, totals in ((problem.row, problem.people), (problem.column, problem.counts)):
            top = np.full(len(totals), -np.inf)
            np.maximum.at(top, margin, tilt)
            tilt = tilt - top[margin]
        return tilt

    def solve_at(self, multipliers: Floats) -> tuple[Solution, Floats]:
        """Return the solution of the rest, tilted by multipliers, and the gradient of the dual."""
        # cut off before it underflows; `solve_measured` refuses the answer if anybody is there
        weight = np.exp(np.maximum(self.tilt(multipliers), -FARTHEST_TILT))
        solution = self.solve(replace(self.hard, weight=weight))
        gradient: Floats = self.coefficients @ solution.amounts - self.center + self.variance * multipliers
        return solution, gradient

    def minimum(self) -> Floats:
        """Return the multipliers, found in units in which all directions are about as steep."""
        first, _ = self.solve_at(np.zeros(len(self.center)))
        # the curvature of the dual at 0, by direction; 1e-12 keeps a constraint on nobody from dividing by 0
        unit = 1 / np.sqrt(self.coefficients.power(2) @ first.amounts + self.variance + 1e-12)

        def dual(scaled: Floats) -> tuple[float, Floats]:
            multipliers = scaled * unit
            solution, gradient = self.solve_at(multipliers)
            amounts = solution.amounts[solution.amounts > 0]
            entropy = -(amounts @ (np.log(amounts) - self.log_weight[solution.amounts > 0]))
            # the gradient is A x − c + σ² μ, so this is H + μ · (A x − c) + ½ σ² μ²
            value = entropy + multipliers @ (gradient - self.variance * multipliers / 2)
            return float(value), gradient * unit

        ends = self.most / unit
        steps = {"maxiter": 1000, "maxfun": 2000, "ftol": 1e-16, "gtol": 1e-9, "maxcor": 30}
        start = np.zeros(len(self.center))
        minimum = optimize.minimize(
            dual, start, jac=True, method="L-BFGS-B", bounds=optimize.Bounds(-ends, ends), options=steps
        )
        multipliers: Floats = np.asarray(minimum.x) * unit
        return multipliers

    def is_minimum(self, multipliers: Floats, gradient: Floats) -> bool:
        """Return whether each sum is where the likelihood has it, or its multiplier is as good as right."""
        accepted = ACCEPTED_SHARE * max(float(self.problem.people.sum()), 10.0) + ACCEPTED_TILT * self.variance
        return bool((np.abs(self.project(multipliers, gradient)) <= accepted).all())

    def project(self, multipliers: Floats, gradient: Floats) -> Floats:
        """Return the gradient without what pushes against a bound."""
        # the optimiser may end a last bit before a bound
        at_most, at_least = multipliers >= self.most * (1 - 1e-9), multipliers <= -self.most * (1 - 1e-9)
        low = np.where(at_most, np.maximum(gradient, 0.0), gradient)
        projected: Floats = np.where(at_least, np.minimum(low, 0.0), low)
        return projected

    def fit(self, solution: Solution, multipliers: Floats) -> tuple[Problem, Solution]:
        """Return the problem with measurements as equations at the estimate, which push as much, and its solution."""
        sums = self.coefficients @ solution.amounts
        low, high, pushes = self.problem.low.copy(), self.problem.high.copy(), np.empty(len(self.soft))
        low[self.soft] = high[self.soft] = sums
        pushes[self.soft], pushes[~self.soft] = multipliers, solution.multipliers
        problem = replace(self.problem, low=low, high=high)
        return problem, replace(solution, multipliers=pushes, residual=problem.residual(solution.amounts))
