"""Newton's method on the dual: minimise Σ_rows people · log Σ exp(…) − Σ_columns counts · β − Σ_k bound_k · μ_k.

    x_v = people · softmax over the row of (log weight_v + β_column + Σ_k μ_k a_kv)

so that rows always add up, and the gradient is by how much columns and constraints do not.  A constraint with two
bounds has one multiplier μ: above 0 it pushes the sum up to `low`, below 0 down to `high`, and at 0 the sum is between
the bounds.  The dual is smooth on either side of 0; a step that would cross it stops there.

Step       (S F; Fᵀ M) (Δβ; Δμ) = −gradient, over the *active* constraints: equalities, those that push already, and
           those whose sum is outside its bounds.  A constraint that the step would push the wrong way is released.
Search     half the step until the dual falls enough (Armijo); where it does at once, twice the step as long as the
           dual still falls, as amounts that tend to 0 shrink by a factor e with each whole step, however long.
Invariant  the dual never rises, but where rounding hides which way it goes: there the residual must fall.
Progress   is the fall of the dual: the farthest sum may stay where it is for many steps while others are put right.
           Where no solution exists, though, the dual falls without end; so a caller who does not know that there is one
           gets the method back after `PATIENT_STEPS` without a nearer sum, and goes on from there once that is known.
End        all sums within `tolerance`; or no progress, which `residual` then says.
Cost       the start (`scaling`), and one elimination (see `schur`) a step; about 5 to 30 steps.

Source: ours, on the dual of Du, Teng and Zhu (Privacy-MaxEnt, SIGMOD 2008); line search by Armijo, 1966.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, sum_by
from sidelight.max_entropy.problem import Problem
from sidelight.max_entropy.scaling import scaled_multipliers
from sidelight.max_entropy.schur import RIDGE, Elimination, Hessian

Watch: TypeAlias = Callable[[int, float], None]
"""Called with each step and its residual; may raise to stop."""

PATIENT_STEPS = 8
"""So many steps may pass without progress."""

LONGEST_STEP = 40.0
"""No step changes the logarithm of an amount by more."""


@dataclass(frozen=True, eq=False)
class Iterate:
    """Multipliers, the amounts they stand for, and the dual there."""

    column_multipliers: Floats  # β
    constraint_multipliers: Floats  # μ
    amounts: Floats
    dual: float


@dataclass(frozen=True, eq=False)
class DualMinimum:
    """Where the sums are nearest, how far off they are there, after how many steps, and where the dual is lowest."""

    at: Iterate
    residual: float
    steps: int
    lowest: Iterate


@dataclass(frozen=True, eq=False)
class _Gradient:
    """By how much sums are off; which constraints are active, and the sign that their multipliers have or would get."""

    columns: Floats
    constraints: Floats  # 0 where not active
    active: Flags
    sign: Floats


@dataclass(frozen=True, eq=False)
class _Direction:
    """A step of both kinds of multipliers, and how fast the dual falls along it."""

    columns: Floats
    constraints: Floats
    slope: float


def minimize_dual(problem: Problem, watch: Watch, *, start: Iterate | None = None) -> DualMinimum:
    """Go to the minimum of the dual; ends early when it does not get closer, as `residual` then says.

    `start` is where an earlier attempt ended, of a problem that is known by now to have a solution.
    """
    newton = _Newton(problem)
    at = newton.evaluate(*scaled_multipliers(problem)) if start is None else start
    best, ridge, stuck = DualMinimum(at, newton.residual(at), 0, at), RIDGE, 0
    # After so many steps the method ends where it is, as `residual` then says.
    for step in range(1, 501):
        if best.residual <= newton.tolerance or stuck > PATIENT_STEPS:
            break
        following = newton.step(at, ridge)
        # no step goes down: a larger ridge turns it towards the gradient
        if following is None:
            ridge, stuck = ridge * 1e3, stuck + 1
            continue
        # A fall of the dual below this share of it is none.
        fell = at.dual - following.dual > 1e-14 * (1 + abs(at.dual))
        at = following
        residual = newton.residual(at)
        watch(step, residual)
        nearer = residual <= best.residual / 1.5
        stuck = 0 if nearer or (fell and start is not None) else stuck + 1
        ridge = max(ridge / 10, RIDGE)
        best = DualMinimum(at, residual, step, at) if residual < best.residual else replace(best, steps=step, lowest=at)
    return best


class _Newton:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.elimination = Elimination(problem)
        self.equal = np.isclose(problem.low, problem.high, rtol=1e-12, atol=1e-12)
        self.log_weight = np.log(problem.weight)
        self.tolerance = 1e-10 * (1 + problem.counts.max(initial=0.0) / 100)

    def evaluate(self, column_multipliers: Floats, constraint_multipliers: Floats) -> Iterate:
        """Return the amounts of multipliers, and the dual."""
        problem = self.problem
        power = (
            self.log_weight + column_multipliers[problem.column] + self.elimination.transposed @ constraint_multipliers
        )
        top = np.maximum.reduceat(power, problem.first)  # so that no exponential overflows
        raised = np.exp(power - top[problem.row])
        total = np.add.reduceat(raised, problem.first)
        amounts = problem.people[problem.row] * raised / total[problem.row]
        bound = np.where(
            constraint_multipliers > 0,
            _product(problem.low, constraint_multipliers),
            _product(problem.high, constraint_multipliers),
        )
        dual = problem.people @ (np.log(total) + top) - problem.counts @ column_multipliers - bound.sum()
        return Iterate(column_multipliers, constraint_multipliers, amounts, float(dual))

    def gradient(self, at: Iterate) -> _Gradient:
        """Return by how much columns and active constraints are off."""
        problem, tolerance = self.problem, self.tolerance
        columns = sum_by(problem.column, at.amounts, len(problem.counts)) - problem.counts
        sums = problem.coefficients @ at.amounts
        missed = np.where(sums < problem.low - tolerance, 1.0, np.where(sums > problem.high + tolerance, -1.0, 0.0))
        # at 0 a multiplier may move only to the side on which its sum is missed
        sign = np.where(at.constraint_multipliers != 0, np.sign(at.constraint_multipliers), missed)
        active = self.equal | (sign != 0)
        bound = np.where(self.equal | (sign > 0), problem.low, problem.high)
        off = np.zeros(len(sums))
        off[active] = (sums - bound)[active]
        return _Gradient(columns, off, active, sign)

    def residual(self, at: Iterate) -> float:
        """Return how far the farthest sum is from where it should be."""
        gradient = self.gradient(at)
        return float(max(np.abs(gradient.columns).max(initial=0.0), np.abs(gradient.constraints).max(initial=0.0)))

    def step(self, at: Iterate, ridge: float) -> Iterate | None:
        """Take one step; None where no step goes down."""
        gradient = self.gradient(at)
        direction = self._direction(at, gradient, ridge)
        moved = direction.columns[self.problem.column] + self.elimination.transposed @ direction.constraints
        length = min(1.0, LONGEST_STEP / max(np.abs(moved).max(initial=0.0), 1e-300))
        return self._search(at, direction, length, gradient.sign)

    def _direction(self, at: Iterate, gradient: _Gradient, ridge: float) -> _Direction:
        """Solve with the Hessian, again without constraints at 0 that it would push the wrong way."""
        hessian = Hessian(self.elimination, at.amounts, ridge=ridge)
        active = gradient.active
        for _ in range(5):
            columns, constraints = hessian.solve(
                -gradient.columns, -np.where(active, gradient.constraints, 0.0), active
            )
            wrong = active & ~self.equal & (at.constraint_multipliers == 0) & (gradient.sign * constraints <= 0)
            if not wrong.any():
                break
            # fewer and fewer are active, so that this ends
            active = active & ~wrong
        slope = float(gradient.columns @ columns + np.where(active, gradient.constraints, 0.0) @ constraints)
        return _Direction(columns, constraints, slope)

    def _search(self, at: Iterate, direction: _Direction, length: float, sign: Floats) -> Iterate | None:
        """Shorten a step until the dual falls enough."""
        flat = abs(direction.slope) <= 1e-10 * (1 + abs(at.dual))  # rounding hides whether it goes down
        before = self.residual(at)
        for _ in range(40):
            multipliers = at.constraint_multipliers + length * direction.constraints
            crossing = ~self.equal & (multipliers * sign < 0)
            # a multiplier that would change its sign stops at 0, where the dual has a kink
            trial = self.evaluate(
                at.column_multipliers + length * direction.columns, np.where(crossing, 0.0, multipliers)
            )
            enough = trial.dual <= at.dual + 1e-4 * length * direction.slope
            if enough or (flat and self.residual(trial) < before):
                return trial if crossing.any() else self._extend(at, trial, direction, length, sign)
            length /= 2
        return None

    def _extend(self, at: Iterate, farthest: Iterate, direction: _Direction, length: float, sign: Floats) -> Iterate:
        """Go on while it still goes down: amounts that can only be 0 shrink by e with each whole step, however long."""
        while length < LONGEST_STEP:
            length *= 2
            multipliers = at.constraint_multipliers + length * direction.constraints
            if (~self.equal & (multipliers * sign < 0)).any():
                break
            beyond = self.evaluate(at.column_multipliers + length * direction.columns, multipliers)
            gradient = self.gradient(beyond)
            if gradient.columns @ direction.columns + gradient.constraints @ direction.constraints >= 0:
                break
            farthest = beyond
        return farthest


def _product(bound: Floats, multiplier: Floats) -> Floats:
    """Multiply; nothing times an infinite bound is nothing."""
    return np.where(multiplier == 0, 0.0, np.where(np.isfinite(bound), bound, 0.0) * multiplier)
