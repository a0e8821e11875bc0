"""Newton's method on the dual: minimise Σ_rows people · log Σ exp(…) − what the sums should be.

x_v = people · softmax over the row of (log weight + β_column + Σ_k μ_k a_kv), so that rows always add up.  A statement
with two bounds has one multiplier μ: above 0 it pushes the sum up to `low`, below 0 down to `high`, and at 0 the sum is
between the bounds.  The dual is smooth on either side of 0; a step that would cross it stops there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from sidelight._arrays import Flags, Floats
from sidelight.max_entropy.problem import Problem, summed
from sidelight.max_entropy.schur import RIDGE, Curvature, Plan

Watch: TypeAlias = Callable[[int, float], None]
"""Told of each step and its residual; may raise to stop."""

STEPS = 120
FARTHEST = 40.0
"""No step changes the logarithm of an amount by more."""


@dataclass(frozen=True, eq=False)
class Point:
    """Multipliers, the amounts they stand for, and how large the dual is there."""

    columns: Floats  # β
    statements: Floats  # μ
    amounts: Floats
    dual: float


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the method ended, how far off the sums are there, and after how many steps."""

    point: Point
    residual: float
    steps: int


def solved(problem: Problem, watch: Watch, start: Point | None = None) -> Solution:
    """Go to the minimum of the dual; ends early when it does not get closer, as `residual` then says."""
    solver = _Solver(problem)
    at = start or solver.at(np.zeros(len(problem.counts)), np.zeros(len(problem.low)))
    best, ridge, stuck = Solution(at, solver.residual(at), 0), RIDGE, 0
    for step in range(1, STEPS + 1):
        if best.residual <= solver.goal or stuck > 8:
            break
        following = solver.step(at, ridge)
        if following is None:
            ridge, stuck = ridge * 1e3, stuck + 1
            continue
        at = following
        residual = solver.residual(at)
        watch(step, residual)
        stuck = stuck + 1 if residual > best.residual / 1.5 else 0
        ridge = max(ridge / 10, RIDGE)
        best = Solution(at, residual, step) if residual < best.residual else replace(best, steps=step)
    return best


class _Solver:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.plan = Plan(problem)
        self.equal = np.isclose(problem.low, problem.high, rtol=1e-12, atol=1e-12)
        self.offset = np.log(problem.weight)
        self.goal = 1e-10 * (1 + problem.counts.max(initial=0.0) / 100)

    def at(self, columns: Floats, statements: Floats) -> Point:
        """Give the amounts of multipliers, and the dual."""
        problem = self.problem
        power = self.offset + columns[problem.column] + self.plan.transposed @ statements
        top = np.maximum.reduceat(power, problem.first)
        raised = np.exp(power - top[problem.row])
        total = np.add.reduceat(raised, problem.first)
        amounts = problem.people[problem.row] * raised / total[problem.row]
        pull = np.where(statements > 0, _times(problem.low, statements), _times(problem.high, statements))
        dual = problem.people @ (np.log(total) + top) - problem.counts @ columns - pull.sum()
        return Point(columns, statements, amounts, float(dual))

    def slopes(self, at: Point) -> tuple[Floats, Floats, Flags, Floats]:
        """Give the slope along columns and statements, which statements push, and which way."""
        problem = self.problem
        columns = summed(problem.column, at.amounts, len(problem.counts)) - problem.counts
        sums = problem.statements @ at.amounts
        missed = np.where(sums < problem.low - self.goal, 1.0, np.where(sums > problem.high + self.goal, -1.0, 0.0))
        way = np.where(at.statements != 0, np.sign(at.statements), missed)
        free = self.equal | (way != 0)
        target = np.where(self.equal | (way > 0), problem.low, problem.high)
        slope = np.zeros(len(sums))
        slope[free] = (sums - target)[free]
        return columns, slope, free, way

    def residual(self, at: Point) -> float:
        """Say how far the farthest sum is from where it should be."""
        columns, statements, _, _ = self.slopes(at)
        return float(max(np.abs(columns).max(initial=0.0), np.abs(statements).max(initial=0.0)))

    def step(self, at: Point, ridge: float) -> Point | None:
        """Take one step; None where no step goes down."""
        columns, statements, free, way = self.slopes(at)
        curvature = Curvature(self.plan, at.amounts, ridge=ridge)
        for _ in range(5):
            by_column, by_statement = curvature.solve(-columns, -np.where(free, statements, 0.0), free)
            back = free & ~self.equal & (at.statements == 0) & (way * by_statement <= 0)
            if not back.any():
                break
            free = free & ~back
        slope = float(columns @ by_column + np.where(free, statements, 0.0) @ by_statement)
        moved = by_column[self.problem.column] + self.plan.transposed @ by_statement
        length = min(1.0, FARTHEST / max(np.abs(moved).max(initial=0.0), 1e-300))
        return self._along(at, (by_column, by_statement), slope, length, way)

    def _along(
        self, at: Point, direction: tuple[Floats, Floats], slope: float, length: float, way: Floats
    ) -> Point | None:
        flat = abs(slope) <= 1e-10 * (1 + abs(at.dual))  # rounding hides whether it goes down
        before = self.residual(at)
        for _ in range(40):
            statements = at.statements + length * direction[1]
            crossed = ~self.equal & (statements * way < 0)
            there = self.at(at.columns + length * direction[0], np.where(crossed, 0.0, statements))
            if there.dual <= at.dual + 1e-4 * length * slope or (flat and self.residual(there) < before):
                return there if crossed.any() else self._farther(at, there, direction, length, way)
            length /= 2
        return None

    def _farther(self, at: Point, there: Point, direction: tuple[Floats, Floats], length: float, way: Floats) -> Point:
        """Go on while it still goes down: amounts that can only be 0 shrink by e with each whole step, however long."""
        while length < FARTHEST:
            length *= 2
            statements = at.statements + length * direction[1]
            if (~self.equal & (statements * way < 0)).any():
                break
            beyond = self.at(at.columns + length * direction[0], statements)
            columns, rising, _, _ = self.slopes(beyond)
            if columns @ direction[0] + rising @ direction[1] >= 0:
                break
            there = beyond
        return there


def _times(bound: Floats, multiplier: Floats) -> Floats:
    """Multiply; nothing times an infinite bound is nothing."""
    return np.where(multiplier == 0, 0.0, np.where(np.isfinite(bound), bound, 0.0) * multiplier)
