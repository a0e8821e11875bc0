"""The linear algebra of a Newton step: rows, then the small block of each group, then the statements.

With D = diag(x), rows R, columns C and statements A, the Hessian after elimination of the rows is

    [ S   F ]      S = C W Cᵀ   (one small block per group)      W = D − D Rᵀ N⁻¹ R D,  N = diag(people)
    [ Fᵀ  M ]      F = C W Aᵀ
                   M = A W Aᵀ

and after elimination of the columns M − Fᵀ S⁻¹ F, as large as there are statements.  Only that one is written down;
the others are multiplied with as they are.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

from sidelight.max_entropy.problem import Flags, Floats, Problem, summed
from sidelight.max_entropy.stacks import RIDGE, Stack, stacked
from sidelight.table.columns import Integers

DENSE_UP_TO = 3_000
"""With more statements than this, their system is solved step by step (conjugate gradients) instead of at once."""

LARGEST_RIDGE = 1e3
"""Where this much on the diagonal does not help, there is no step."""


class Plan:
    """What stays the same from step to step: where things are."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.statements = problem.statements
        self.transposed = sparse.csr_array(problem.statements.T)
        self.stacks: tuple[Stack, ...] = tuple(stacked(problem, self.transposed))

    def projected(self, amounts: Floats, change: Floats) -> Floats:
        """Multiply with W."""
        problem = self.problem
        per_row = np.add.reduceat(amounts * change, problem.first) / problem.people
        return amounts * (change - per_row[problem.row])

    def columns(self, change: Floats) -> Floats:
        """Multiply with C."""
        return summed(self.problem.column, change, len(self.problem.counts))


class Curvature:
    """The Hessian at some amounts, ready to be solved with."""

    def __init__(self, plan: Plan, amounts: Floats, *, ridge: float = RIDGE) -> None:
        self.plan, self.amounts, self.ridge = plan, amounts, ridge
        statements = len(plan.problem.low)
        self.dense = 0 < statements <= DENSE_UP_TO
        system = np.zeros((statements + 1, statements + 1) if self.dense else (0, 0))
        self.roots = [stack.eliminated(amounts, ridge, system) for stack in plan.stacks]
        self.diagonal = (plan.statements.multiply(plan.statements)) @ amounts if statements else np.zeros(0)
        self.system = self._curved() - system[:-1, :-1] if self.dense else system

    def _curved(self) -> Floats:
        """Give A D Aᵀ."""
        said = self.plan.statements
        scaled = sparse.csr_array((said.data * self.amounts[said.indices], said.indices, said.indptr), shape=said.shape)
        return np.asarray((scaled @ self.plan.transposed).toarray())

    def columns_solved(self, right: Floats) -> Floats:
        """Solve with S."""
        solved = np.empty(len(right) + 1)
        padded = np.append(right, 0.0)
        for stack, roots in zip(self.plan.stacks, self.roots, strict=True):
            inner = roots @ padded[stack.columns][:, :, np.newaxis]
            solved[stack.columns] = (roots.transpose(0, 2, 1) @ inner)[:, :, 0]
        return solved[:-1]

    def mixed(self, change: Floats) -> Floats:
        """Multiply with F."""
        return self.plan.columns(self.plan.projected(self.amounts, self.plan.transposed @ change))

    def mixed_back(self, change: Floats) -> Floats:
        """Multiply with Fᵀ."""
        problem = self.plan.problem
        product: Floats = self.plan.statements @ self.plan.projected(self.amounts, change[problem.column])
        return product

    def solve(self, columns: Floats, statements: Floats, free: Flags) -> tuple[Floats, Floats]:
        """Solve with the whole Hessian, for the free statements; the others stay where they are."""
        change = np.zeros(len(statements))
        chosen = np.flatnonzero(free & (self.diagonal > 0))  # where nothing is left, nothing can be pushed
        if len(chosen):
            right = (statements - self.mixed_back(self.columns_solved(columns)))[chosen]
            change[chosen] = self._at_once(right, chosen) if self.dense else self._step_by_step(right, chosen)
            columns = columns - self.mixed(change)
        return self.columns_solved(columns), change

    def _at_once(self, right: Floats, chosen: Integers) -> Floats:
        """Factor; where sums run away and rounding has eaten a curvature, with more on the diagonal."""
        system = self.system[np.ix_(chosen, chosen)]
        more = self.ridge
        while more < LARGEST_RIDGE and np.isfinite(system).all():
            try:
                factor = scipy.linalg.cho_factor(system + np.diag(more * self.diagonal[chosen]), check_finite=False)
                solved: Floats = scipy.linalg.cho_solve(factor, right, check_finite=False)
            except np.linalg.LinAlgError:
                more *= 100
            else:
                return solved
        return np.zeros(len(right))

    def _step_by_step(self, right: Floats, chosen: Integers) -> Floats:
        diagonal = self.diagonal[chosen]

        def times(vector: Floats) -> Floats:
            change = np.zeros(len(self.diagonal))
            change[chosen] = vector
            along = self.plan.projected(self.amounts, self.plan.transposed @ change)
            whole: Floats = self.plan.statements @ along
            through = self.mixed_back(self.columns_solved(self.plan.columns(along)))
            return (whole - through)[chosen] + self.ridge * diagonal * vector

        system = LinearOperator((len(chosen), len(chosen)), matvec=times, dtype=float)
        scaled = LinearOperator(system.shape, matvec=lambda vector: vector / diagonal, dtype=float)
        solved, _ = cg(system, right, rtol=1e-10, maxiter=2_000, M=scaled)
        return np.asarray(solved)
