"""Where should Newton's method begin?  Iterative scaling: one multiplier after the other, each to its own best.

    x ← x · total / Σ x        over every row; then over every column; then over the constraints of a class

Each is the exact minimum of the dual along some multipliers: those of constraints that share no variable do not see
each other, so that such a *class* is scaled at once.  The dual falls with every scaling, however far off the start
is: of a person who is known by name, amounts may begin a hundred times too large, and Newton's method would have to
shorten its steps for all because of some.  Near the end scaling is slow, and Newton's method is not.

Only constraints that count (all coefficients 1) are scaled; the multipliers of others stay at 0.  An inequality is
scaled to the bound that it misses, or as far back as its multiplier goes.

Cost  per sweep the variables and the nonzeros of the constraints, `SWEEPS` times.

Source: Deming and Stephan, 1940; as descent on the dual, Csiszár, 1975.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, ranges, sum_by
from sidelight.max_entropy.problem import Problem

SWEEPS = 20
"""How often everything is scaled."""

MOST_SCALED = 5.0
"""No constraint changes the logarithm of an amount by more at once: half the way down is down, too."""


def scaled_multipliers(problem: Problem) -> tuple[Floats, Floats]:
    """Return multipliers of the columns and of the constraints, from which the dual is near its minimum."""
    columns, constraints = np.zeros(len(problem.counts)), np.zeros(len(problem.low))
    amounts = problem.weight.copy()
    classes = [*_classes(problem)]
    for _ in range(SWEEPS):
        # the multipliers of rows are not kept: they follow from the others
        amounts *= np.exp(_to(problem.people, sum_by(problem.row, amounts, len(problem.people))))[problem.row]
        change = _to(problem.counts, sum_by(problem.column, amounts, len(problem.counts)))
        columns += change
        amounts *= np.exp(change)[problem.column]
        for each in classes:
            each.scale(amounts, constraints)
    return columns, constraints


@dataclass(frozen=True, eq=False)
class _DisjointConstraints:
    """Constraints that share no variable: nonzero i is of the one at place `place[i]`, about `variable[i]`."""

    constraint: Integers
    place: Integers
    variable: Integers
    low: Floats
    high: Floats

    def scale(self, amounts: Floats, multipliers: Floats) -> None:
        """Bring each sum to where it should be."""
        sums = sum_by(self.place, amounts[self.variable], len(self.constraint))
        before = multipliers[self.constraint]
        # at most to 0 where no bound pushes: above it pushes up to `low`, below it down to `high`
        after = np.maximum(before + _to(self.low, sums), 0.0) + np.minimum(before + _to(self.high, sums), 0.0)
        change = np.clip(after - before, -MOST_SCALED, MOST_SCALED)
        multipliers[self.constraint] += change
        amounts[self.variable] *= np.exp(change)[self.place]


def _to(totals: Floats, sums: Floats) -> Floats:
    """Return the logarithm by which sums are scaled to totals; far down or up where a bound is no amount of people."""
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.log(np.maximum(totals, 0.0)) - np.log(sums)
    # Sums below this are as good as 0, and cannot be scaled.
    return np.where(sums > 1e-250, change, 0.0)


def _classes(problem: Problem) -> Iterator[_DisjointConstraints]:
    """Put constraints into few classes, one after the other into the first in which they overlap with none."""
    matrix = problem.coefficients
    start, stop = matrix.indptr[:-1], matrix.indptr[1:]
    ones = np.diff(np.append(0, np.cumsum(matrix.data == 1))[matrix.indptr]) == stop - start
    waiting = np.flatnonzero(ones & (stop > start) & (problem.high > 0))
    # Constraints that overlap more than this are left to Newton's method.
    for _ in range(8):
        if len(waiting) == 0:
            return
        chosen = _disjoint(problem, waiting)
        constraints = waiting[chosen]
        place, nonzero = ranges(start[constraints], stop[constraints])
        low, high = problem.low[constraints], problem.high[constraints]
        yield _DisjointConstraints(constraints, place, matrix.indices[nonzero], low, high)
        waiting = waiting[~chosen]


def _disjoint(problem: Problem, constraints: Integers) -> Flags:
    """Choose constraints, first come first served, none of which shares a variable with another."""
    matrix, taken = problem.coefficients, np.zeros(len(problem), bool)
    chosen = np.zeros(len(constraints), bool)
    for at, each in enumerate(constraints.tolist()):
        variables = matrix.indices[matrix.indptr[each] : matrix.indptr[each + 1]]
        if not taken[variables].any():
            taken[variables] = chosen[at] = True
    return chosen
