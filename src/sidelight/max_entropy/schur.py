"""Groups of about the same size, stacked, so that the blocks of many are eliminated at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

from sidelight._arrays import Flags, Floats, Integers, numbered
from sidelight.max_entropy.problem import Problem, ranges, summed

RIDGE = 1e-13
"""Added to diagonals, in proportion: sums that follow from others leave some directions without curvature."""

AT_ONCE = 1 << 18
"""How many numbers a stack may have: what fits into a processor's cache."""

NEARLY_ALL = 4
"""Where a group has more than one in so many statements, all are taken: one large product is quicker then."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Some groups, each padded to the same number of rows, columns and statements.

    Variable `variable[i]` is at `place[i]` of groups × rows × columns; entry i of the statements, about `said[i]`, is
    at `in_row[i]` of groups × rows × statements and at `in_column[i]` of groups × columns × statements.
    """

    people: Floats  # groups × rows; 1 where padded
    columns: Integers  # groups × columns; one behind the last where padded
    statements: Integers  # groups × statements; one behind the last where padded
    variable: Integers
    place: Integers
    said: Integers
    times: Floats
    in_row: Integers
    in_column: Integers
    padding: Floats  # groups × columns: 1 where padded

    def eliminated(self, amounts: Floats, ridge: float, system: Floats) -> Floats:
        """Give L⁻¹ of the blocks S = L Lᵀ; what rows and columns take from the statements is added to `system`."""
        (groups, rows), width = self.people.shape, self.columns.shape[1]
        crossed = summed(self.place, amounts[self.variable], groups * rows * width).reshape(groups, rows, width)
        shares = (crossed / self.people[:, :, np.newaxis]).transpose(0, 2, 1)
        block = -(shares @ crossed)
        diagonal = np.arange(width)
        block[:, diagonal, diagonal] += crossed.sum(axis=1) * (1 + ridge) + self.padding + 1e-280
        roots = np.asarray(np.linalg.inv(_root(block)), np.float64)
        if len(system) and self.statements.shape[1]:
            self._add(amounts, shares, roots, system)
        return roots

    def _add(self, amounts: Floats, shares: Floats, roots: Floats, system: Floats) -> None:
        (groups, rows), width, said = self.people.shape, self.columns.shape[1], self.statements.shape[1]
        amount = self.times * amounts[self.said]
        taken = np.empty((groups, rows + width, said))
        by_row, by_column = taken[:, :rows], taken[:, rows:]
        by_row[:] = summed(self.in_row, amount, groups * rows * said).reshape(groups, rows, said)
        mixed = summed(self.in_column, amount, groups * width * said).reshape(groups, width, said) - shares @ by_row
        np.matmul(roots, mixed, out=by_column)
        by_row /= np.sqrt(self.people)[:, :, np.newaxis]
        if said == len(system) - 1:
            every = taken.reshape(-1, said)
            system[:-1, :-1] += every.T @ every
        else:
            at = self.statements[:, :, np.newaxis] * len(system) + self.statements[:, np.newaxis, :]
            np.add.at(system.ravel(), at.ravel(), (taken.transpose(0, 2, 1) @ taken).ravel())


def stacked(problem: Problem, turned: sparse.csr_array) -> Iterator[Stack]:
    """Put groups of about the same size into stacks; `turned` are the statements by variable."""
    where = _Where(problem, turned)
    sizes = where.padded_sizes()
    kind, first = numbered(sizes @ np.array([1 << 40, 1 << 20, 1]), below=1 << 62)
    for number, one in enumerate(first.tolist()):
        groups = np.flatnonzero(kind == number)
        rows, width, said = sizes[one].tolist()
        product = 0 if said == len(problem.low) else said * said
        step = max(AT_ONCE // max((rows + width) * said, rows * width, product, 1), 1)
        for start in range(0, len(groups), step):
            yield where.stack(groups[start : start + step], rows, width, said)


class _Where:
    """Where the rows, columns, variables and statements of each group are; all of them stand by group."""

    def __init__(self, problem: Problem, turned: sparse.csr_array) -> None:
        self.problem, self.turned = problem, turned
        every = np.arange(int(problem.group.max(initial=-1)) + 2)
        self.rows = np.searchsorted(problem.group[problem.column[problem.first]], every)
        self.columns = np.searchsorted(problem.group, every)
        self.variables = np.append(problem.first, len(problem))[self.rows]
        statements = max(len(problem.low), 1)
        entries = np.diff(turned.indptr[self.variables])
        key = np.repeat(every[:-1], entries) * statements + turned.indices
        number, first = numbered(key, below=len(every) * statements)
        self.said = np.searchsorted(key[first], every * statements)
        self.statement = key[first] % statements
        self.inside = number - np.repeat(self.said[:-1], entries)  # of each entry, its statement's place in the group

    def padded_sizes(self) -> Integers:
        """Give the rows, columns and statements of each group, made even."""
        sizes = np.stack([np.diff(each) for each in (self.rows, self.columns, self.said)], axis=1)
        most = sizes.max(axis=0, initial=0)
        rows, columns, said = most.tolist()
        if len(sizes) * max(rows * columns, (rows + columns) * said, said * said) <= AT_ONCE:
            return np.broadcast_to(most, sizes.shape)
        step = np.maximum(1 << np.log2(np.maximum(sizes, 1)).astype(np.int64), 8) // 8
        even, every = -(-sizes // step) * step, len(self.problem.low)
        even[:, 2] = np.where(sizes[:, 2] * NEARLY_ALL > every, every, even[:, 2])
        return np.asarray(even, np.int64)

    def stack(self, groups: Integers, rows: int, width: int, said: int) -> Stack:
        """Write down where everything of some groups is."""
        problem, many = self.problem, len(groups)
        slot, row = ranges(self.rows[groups], self.rows[groups + 1])
        people = np.ones((many, rows))
        people[slot, row - self.rows[groups[slot]]] = problem.people[row]
        slot, column = ranges(self.columns[groups], self.columns[groups + 1])
        columns = np.full((many, width), len(problem.counts))
        columns[slot, column - self.columns[groups[slot]]] = column
        slot, variable = ranges(self.variables[groups], self.variables[groups + 1])
        in_row = slot * rows + problem.row[variable] - self.rows[groups[slot]]
        inside = problem.column[variable] - self.columns[groups[slot]]
        which, entry = ranges(self.turned.indptr[variable], self.turned.indptr[variable + 1])
        statements, local = self._statements(groups, said, entry)
        return Stack(
            people,
            columns,
            statements,
            variable,
            in_row * width + inside,
            variable[which],
            self.turned.data[entry],
            in_row[which] * said + local,
            (slot * width + inside)[which] * said + local,
            (columns == len(problem.counts)).astype(float),
        )

    def _statements(self, groups: Integers, said: int, entry: Integers) -> tuple[Integers, Integers]:
        """List the statements of each group, and give the place of each entry's statement in that list."""
        every = len(self.problem.low)
        if said == every:
            return np.broadcast_to(np.arange(every), (len(groups), every)), self.turned.indices[entry]
        listed = np.full((len(groups), said), every)
        slot, at = ranges(self.said[groups], self.said[groups + 1])
        listed[slot, at - self.said[groups[slot]]] = self.statement[at]
        return listed, self.inside[entry]


def _root(stack: Floats) -> Floats:
    """Factor; where rounding has eaten a curvature, with a little more on the diagonal."""
    more = 0.0
    while True:
        try:
            lifted = stack + more * stack * np.eye(stack.shape[1]) if more else stack
            return np.asarray(np.linalg.cholesky(lifted))
        except np.linalg.LinAlgError:
            more = max(more * 100, 1e-14)


# ----------------------------------------------------------------------------------------------------
# The linear algebra of a Newton step: rows, then the small block of each group, then the statements.
#
# With D = diag(x), rows R, columns C and statements A, the Hessian after elimination of the rows is
#
# [ S   F ]      S = C W Cᵀ   (one small block per group)      W = D − D Rᵀ N⁻¹ R D,  N = diag(people)
# [ Fᵀ  M ]      F = C W Aᵀ
# M = A W Aᵀ
#
# and after elimination of the columns M − Fᵀ S⁻¹ F, as large as there are statements.  Only that one is written down;
# the others are multiplied with as they are.
# ----------------------------------------------------------------------------------------------------


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
