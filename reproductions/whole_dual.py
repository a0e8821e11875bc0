"""Maximum entropy as the papers solve it: every P(q, s, b) is a variable, and L-BFGS minimises the dual.

Sums of the release (QI and SA equations) and statements are rows of one matrix A, what they come to is b, and amounts
are in people: of all x ≥ 0 with A·x = b the one of largest entropy is x = exp(Aᵀλ), where λ minimises

    Σ exp(Aᵀλ) − bᵀλ,  with the gradient A·exp(Aᵀλ) − b.

Rows and variables that no row links to others are independent *parts*.  `solve` takes the matrix whole;
`solve_by_parts` (the optimisation of section 5.5, which the paper's experiments go without) takes one part after the
other, and leaves parts without a statement as they begin: n(q, b)·n(s, b) / n(b), which is their solution.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008, sections 3 to 5 and 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components

import sidelight as sl
from sidelight.knowledge.statements import read_statements
from sidelight.max_entropy.constraints import constraints_of, mentioned_conditions
from sidelight.max_entropy.variables import Variables

Floats = NDArray[np.float64]

NEAR = 1e-3
"""A sum that is off by less than this many people fits."""

MOST_ITERATIONS = 2_000


@dataclass(frozen=True, slots=True)
class Solved:
    """How far the farthest sum is off, in people, after how many iterations in how many parts."""

    residual: float
    iterations: int
    parts: int


@dataclass(frozen=True, eq=False, slots=True)
class WholeDual:
    """The matrix A with a row per sum, its right side, where λ starts, and which rows are statements."""

    matrix: sparse.csr_array
    right: Floats
    start: Floats
    stated: NDArray[np.bool_]

    @classmethod
    def of(cls, release: sl.Release, statements: Sequence[object]) -> WholeDual:
        """Write down all sums."""
        known = read_statements(statements)
        variables = Variables(release, {})
        variables = replace(variables, mentioned=mentioned_conditions(known, variables.described))
        constraints, blocks = constraints_of(variables, known), variables.blocks
        row, column = blocks.all_entries()
        term, part, at_column = constraints.support.cross(blocks, variables.parts.row)
        at = blocks.entry(variables.parts.row[part], at_column)
        shape = (len(constraints.low), blocks.entries)
        entries = np.arange(blocks.entries)
        by_row = sparse.csr_array((np.ones(blocks.entries), (row, entries)))
        by_column = sparse.csr_array((np.ones(blocks.entries), (column, entries)))
        by_statement = sparse.csr_array(
            (constraints.coefficient[term], (constraints.constraint[term], at)), shape=shape
        )
        people, values = blocks.row_people.astype(float), blocks.column_people.astype(float)
        # a row has one entry in every column of its group, so that their people add up to the group's
        size = by_row @ values[column]
        start = np.concatenate((np.log(people / size), np.log(values), np.zeros(shape[0])))
        return cls(
            sparse.csr_array(sparse.vstack((by_row, by_column, by_statement))),
            np.concatenate((people, values, constraints.low.astype(float))),
            start,
            np.arange(len(start)) >= len(people) + len(values),
        )

    def residual(self, amounts: Floats) -> float:
        """How far the farthest sum of these amounts is off, in people."""
        return float(np.abs(self.matrix @ amounts - self.right).max())

    def solve(self, *, near: float = NEAR, most: int = MOST_ITERATIONS, remembered: int = 10) -> Solved:
        """Take all of it at once, until sums are near, in at most so many steps of L-BFGS that remember so many."""
        turned = sparse.csr_array(self.matrix.T)

        def dual(multipliers: Floats) -> tuple[float, Floats]:
            amounts = np.exp(np.minimum(turned @ multipliers, 50))
            return float(amounts.sum() - self.right @ multipliers), self.matrix @ amounts - self.right

        options = {"maxiter": most, "maxfun": 2 * most, "maxcor": remembered, "ftol": 0.0, "gtol": near}
        minimum = minimize(dual, self.start, jac=True, method="L-BFGS-B", options=options)
        return Solved(self.residual(np.exp(turned @ minimum.x)), minimum.nit, 1)

    def solve_by_parts(self) -> Solved:
        """Take one part after the other, and none without a statement."""
        solved = [part.solve() for part in self.parts()]
        residual = max((each.residual for each in solved), default=0.0)
        return Solved(residual, sum(each.iterations for each in solved), len(solved))

    def parts(self) -> list[WholeDual]:
        """Cut it where no sum links two variables; only parts with a statement."""
        rows, columns = self.matrix.shape
        empty = sparse.csr_array((rows, rows)), sparse.csr_array((columns, columns))
        links = sparse.block_array([[empty[0], self.matrix], [None, empty[1]]], format="csr")
        _, component = connected_components(links, directed=False)
        parts = []
        for each in np.unique(component[:rows][self.stated]):
            own = component[:rows] == each
            matrix = sparse.csr_array(self.matrix[own][:, component[rows:] == each])
            parts.append(WholeDual(matrix, self.right[own], self.start[own], self.stated[own]))
        return parts
