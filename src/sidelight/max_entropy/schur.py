"""The linear algebra of a Newton step: rows, then the small block of each group, then the statements.

With D = diag(x), rows R, columns C and statements A, the Hessian after elimination of the rows is

    [ S   F ]      S = C D Cᵀ − Xᵀ N⁻¹ X   (one small block per group)      X = R D Cᵀ,  N = diag(people)
    [ Fᵀ  M ]      F = C D Aᵀ − Xᵀ N⁻¹ E                                     E = R D Aᵀ
                   M = A D Aᵀ − Eᵀ N⁻¹ E

and after elimination of the columns M − Fᵀ S⁻¹ F, as large as there are statements.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

from sidelight.max_entropy.problem import Flags, Floats, Problem, summed
from sidelight.table.columns import Integers

DENSE_UP_TO = 3_000
"""With more statements than this, their system is solved step by step (conjugate gradients) instead of at once."""

RIDGE = 1e-13
"""Added to diagonals, in proportion: sums that follow from others leave some directions without curvature."""


class Curvature:
    """The Hessian at some amounts, ready to be solved with."""

    def __init__(self, plan: Plan, amounts: Floats, *, ridge: float = RIDGE) -> None:
        self.plan = plan
        problem = plan.problem
        scaled = amounts / problem.people[problem.row]
        by_row = plan.rows(amounts)
        crossed = sparse.csr_array((amounts, problem.column, plan.row_starts), shape=plan.shape)
        shares = sparse.csr_array((scaled, problem.column, plan.row_starts), shape=plan.shape)
        inner = sparse.csr_array(crossed.T @ shares)
        per_column = summed(problem.column, amounts, len(problem.counts))
        self.roots = plan.blocks.inverse_roots(per_column, inner, ridge)
        said = by_row @ plan.transposed
        self.mixed = sparse.csr_array(plan.columns(amounts) @ plan.transposed - shares.T @ said)
        self.said, self.ridge = said, ridge
        self.curved = sparse.csr_array(plan.problem.statements * amounts) @ plan.transposed
        self.diagonal = np.asarray(self.curved.diagonal())
        self._system: Floats | None = None

    def columns_solved(self, right: Floats) -> Floats:
        """Solve with S."""
        solved: Floats = self.roots.T @ (self.roots @ right)
        return solved

    def solve(self, columns: Floats, statements: Floats, free: Flags) -> tuple[Floats, Floats]:
        """Solve with the whole Hessian, for the free statements; the others stay where they are."""
        change = np.zeros(len(statements))
        chosen = np.flatnonzero(free)
        if len(chosen):
            right = (statements - self.mixed.T @ self.columns_solved(columns))[chosen]
            large = len(chosen) > DENSE_UP_TO
            change[chosen] = self._step_by_step(right, chosen) if large else self._at_once(right, chosen)
        return self.columns_solved(columns - self.mixed @ change), change

    def _at_once(self, right: Floats, chosen: Integers) -> Floats:
        if self._system is None:
            people = 1 / self.plan.problem.people
            self._system = self.curved.toarray()
            self._system -= gram(self.said, people)
            self._system -= gram(sparse.csr_array(self.roots @ self.mixed), np.ones(self.roots.shape[0]))
        system = self._system[np.ix_(chosen, chosen)]
        more = self.ridge
        while True:
            try:
                factor = scipy.linalg.cho_factor(system + np.diag(more * self.diagonal[chosen]), check_finite=False)
                solved: Floats = scipy.linalg.cho_solve(factor, right, check_finite=False)
            except np.linalg.LinAlgError:
                more *= 100
            else:
                return solved

    def _step_by_step(self, right: Floats, chosen: Integers) -> Floats:
        people = self.plan.problem.people
        curved, said, mixed = self.curved[chosen][:, chosen], self.said[:, chosen], self.mixed[:, chosen]
        diagonal = self.diagonal[chosen]

        def times(vector: Floats) -> Floats:
            through: Floats = said.T @ ((said @ vector) / people) + mixed.T @ self.columns_solved(mixed @ vector)
            result: Floats = curved @ vector - through + self.ridge * diagonal * vector
            return result

        system = LinearOperator((len(chosen), len(chosen)), matvec=times, dtype=float)
        scaled = LinearOperator(system.shape, matvec=lambda vector: vector / diagonal, dtype=float)
        solved, _ = cg(system, right, rtol=1e-10, maxiter=2_000, M=scaled)
        return np.asarray(solved)


class Plan:
    """What stays the same from step to step: where things are."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.shape = (len(problem.people), len(problem.counts))
        self.row_starts = np.append(problem.first, len(problem))
        self.by_column = np.argsort(problem.column, kind="stable")
        self.column_starts = np.searchsorted(problem.column[self.by_column], np.arange(len(problem.counts) + 1))
        self.transposed = sparse.csr_array(problem.statements.T)
        self.blocks = _Stacks(problem.group)

    def rows(self, amounts: Floats) -> sparse.csr_array:
        """Give R D."""
        shape = (len(self.problem.people), len(amounts))
        return sparse.csr_array((amounts, np.arange(len(amounts)), self.row_starts), shape=shape)

    def columns(self, amounts: Floats) -> sparse.csr_array:
        """Give C D."""
        shape = (len(self.problem.counts), len(amounts))
        return sparse.csr_array((amounts[self.by_column], self.by_column, self.column_starts), shape=shape)


class _Stacks:
    """The blocks of the groups, stacked by size (padded to a power of two), so that many are factored at once."""

    def __init__(self, group: Integers) -> None:
        self.size = np.bincount(group)
        first = np.cumsum(self.size) - self.size
        self.order = np.argsort(group, kind="stable")
        self.inside = np.empty(len(group), np.int64)
        self.inside[self.order] = np.arange(len(group)) - first[group[self.order]]
        padded = 2 ** np.ceil(np.log2(np.maximum(self.size, 1))).astype(np.int64)
        self.group, self.padded = group, padded
        self.slot = np.empty(len(padded), np.int64)
        self.first = first
        for width in np.unique(padded):
            mine = padded == width
            self.slot[mine] = np.arange(mine.sum())

    def inverse_roots(self, diagonal: Floats, inner: sparse.csr_array, ridge: float) -> sparse.csr_array:
        """Give L⁻¹ of S = diag(diagonal) − inner = L Lᵀ, as one matrix of small blocks."""
        entries = sparse.coo_array(inner)
        one, other = entries.coords
        parts = []
        for width in np.unique(self.padded):
            mine = self.padded[self.group[one]] == width
            columns = np.flatnonzero(self.padded[self.group] == width)
            stack = np.zeros((int((self.padded == width).sum()), width, width))
            stack[:, np.arange(width), np.arange(width)] = 1.0  # padding
            slot, place = self.slot[self.group[columns]], self.inside[columns]
            stack[slot, place, place] = diagonal[columns] * (1 + ridge) + 1e-280
            np.add.at(
                stack,
                (self.slot[self.group[one[mine]]], self.inside[one[mine]], self.inside[other[mine]]),
                -entries.data[mine],
            )
            roots = np.asarray(np.linalg.inv(_root(stack)), np.float64)
            parts.append(self._entries(roots, np.flatnonzero(self.padded == width)))
        row, column, data = (np.concatenate(each) for each in zip(*parts, strict=True))
        return sparse.csr_array((data, (row, column)), shape=(len(self.group), len(self.group)))

    def _entries(self, roots: Floats, groups: Integers) -> tuple[Integers, Integers, Floats]:
        width = roots.shape[1]
        there = np.arange(width) < self.size[groups][:, np.newaxis]
        kept = there[:, :, np.newaxis] & there[:, np.newaxis, :] & (roots != 0)
        slot, i, j = np.nonzero(kept)
        start = self.first[groups[slot]]
        return self.order[start + i], self.order[start + j], roots[slot, i, j]


def _root(stack: Floats) -> Floats:
    """Factor; where rounding has eaten a curvature, with a little more on the diagonal."""
    more = 0.0
    while True:
        try:
            lifted = stack + more * stack * np.eye(stack.shape[1]) if more else stack
            return np.asarray(np.linalg.cholesky(lifted))
        except np.linalg.LinAlgError:
            more = max(more * 100, 1e-14)


def gram(matrix: sparse.csr_array, weights: Floats) -> Floats:
    """Give Gᵀ diag(weights) G: sparse or, where rows are full, dense and in pieces."""
    per_row = np.diff(matrix.indptr).astype(float)
    width = matrix.shape[1]
    if (per_row**2).sum() * 150 < float((per_row > 0).sum()) * width**2:
        return np.asarray((matrix.T @ sparse.csr_array(matrix.multiply(weights[:, np.newaxis]))).toarray())
    total = np.zeros((width, width))
    filled = np.flatnonzero(per_row)
    step = max((1 << 22) // max(width, 1), 1)
    for start in range(0, len(filled), step):
        some = filled[start : start + step]
        piece = matrix[some].toarray() * np.sqrt(weights[some])[:, np.newaxis]
        total += piece.T @ piece
    return total
