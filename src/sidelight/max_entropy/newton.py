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
           gets the method back after eight steps without a nearer sum, and goes on from there once that is known.
End        all sums within `tolerance`; or no progress, which `residual` then says.
Cost       the start (`scaled_multipliers`), and one elimination (`Hessian`) a step; about 5 to 30 steps.

Source: ours, on the dual of Du, Teng and Zhu (Privacy-MaxEnt, SIGMOD 2008); line search by Armijo, 1966.

Where should Newton's method begin?  Iterative scaling: one multiplier after the other, each to its own best.

    x ← x · total / Σ x        over every row; then over every column; then over the constraints of a class

Each is the exact minimum of the dual along some multipliers: those of constraints that share no variable do not see
each other, so that such a *class* is scaled at once.  The dual falls with every scaling, however far off the start
is: of a person who is known by name, amounts may begin a hundred times too large, and Newton's method would have to
shorten its steps for all because of some.  Near the end scaling is slow, and Newton's method is not.

Only constraints that count (all coefficients 1) are scaled; the multipliers of others stay at 0.  An inequality is
scaled to the bound that it misses, or as far back as its multiplier goes.

Cost  per sweep the variables and the nonzeros of the constraints, 20 times.

Source: Deming and Stephan, 1940; as descent on the dual, Csiszár, 1975.

The linear algebra of a Newton step: eliminate rows, then the small block of each group, then solve for constraints.

With D = diag(x), rows R, columns C and constraints A, the Hessian of the dual after elimination of the rows is

    [ S   F ]      S = C W Cᵀ   (block diagonal: one small block per group)
    [ Fᵀ  M ]      F = C W Aᵀ,  M = A W Aᵀ,  W = D − D Rᵀ N⁻¹ R D,  N = diag(people)

and after elimination of the columns the Schur complement M − Fᵀ S⁻¹ F, as large as there are constraints.

Order      rows first, as N is diagonal (they never appear: softmax keeps them); then the columns, whose S falls into
           blocks S_b = L_b L_bᵀ by group; the constraints last, as they alone link groups.
Complement with T_b the constraints of group b: A D Aᵀ is sparse, and each group takes from it the Gram matrix of
           [N_b^(−½) R_b D T_bᵀ ; L_b⁻¹ (C_b D T_bᵀ − C_b D R_bᵀ N_b⁻¹ R_b D T_bᵀ)], rows above columns.
Stacks     groups of about the same rows, columns and constraints are padded to the same and eliminated by one call of
           batched BLAS each, a stack fitting into the cache; padded columns have 1 on their diagonal and nothing else.
Singular   sums that follow from others (Σ rows = Σ columns in every group) leave directions without curvature: a
           ridge of 1e-13 on diagonals, in proportion, picks one of the equivalent multipliers.
Cost       a group of r rows, c columns, t constraints: c²(r + c) + t(r + c)(c + t); then K³/3 for K constraints in
           all, or, beyond `DENSE_UP_TO`, conjugate gradients, which only multiply with the factors.

Source: ours; block elimination as in Boyd and Vandenberghe, Convex Optimization, 2004, appendix C.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

from sidelight.arrays import Flags, Floats, Integers, number_keys, ranges, sum_by

if TYPE_CHECKING:
    from sidelight.max_entropy.problem import Problem


def scaled_multipliers(problem: Problem) -> tuple[Floats, Floats]:
    """Return multipliers of the columns and of the constraints, from which the dual is near its minimum."""
    columns, constraints = np.zeros(len(problem.counts)), np.zeros(len(problem.low))
    amounts = problem.weight.copy()
    matrix, classes = problem.coefficients, []
    for constraint in _disjoint_classes(problem):
        index, nonzero = ranges(matrix.indptr[constraint], matrix.indptr[constraint + 1])
        classes.append((constraint, index, matrix.indices[nonzero]))
    for _ in range(20):
        # the multipliers of rows are not kept: they follow from the others
        amounts *= np.exp(_to(problem.people, sum_by(problem.row, amounts, len(problem.people))))[problem.row]
        change = _to(problem.counts, sum_by(problem.column, amounts, len(problem.counts)))
        columns += change
        amounts *= np.exp(change)[problem.column]
        # constraints of a class share no variable, and are scaled at once
        for constraint, index, variable in classes:
            sums = sum_by(index, amounts[variable], len(constraint))
            before, low, high = constraints[constraint], problem.low[constraint], problem.high[constraint]
            # at most to 0 where no bound pushes: above it pushes up to `low`, below it down to `high`
            after = np.maximum(before + _to(low, sums), 0.0) + np.minimum(before + _to(high, sums), 0.0)
            # no more at once than this change of a logarithm: half the way down is down, too
            change = np.clip(after - before, -5.0, 5.0)
            constraints[constraint] += change
            amounts[variable] *= np.exp(change)[index]
    return columns, constraints


def _to(totals: Floats, sums: Floats) -> Floats:
    """Return the logarithm by which sums are scaled to totals; far down or up where a bound is no amount of people."""
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.log(np.maximum(totals, 0.0)) - np.log(sums)
    # Sums below this are as good as 0, and cannot be scaled.
    return np.where(sums > 1e-250, change, 0.0)


def _disjoint_classes(problem: Problem) -> Iterator[Integers]:
    """Put constraints into few classes, one after the other into the first in which they overlap with none."""
    matrix = problem.coefficients
    start, stop = matrix.indptr[:-1], matrix.indptr[1:]
    ones = np.diff(np.append(0, np.cumsum(matrix.data == 1))[matrix.indptr]) == stop - start
    waiting = np.flatnonzero(ones & (stop > start) & (problem.high > 0))
    # Constraints that overlap more than this are left to Newton's method.
    for _ in range(8):
        if len(waiting) == 0:
            return
        taken, chosen = np.zeros(len(problem), bool), np.zeros(len(waiting), bool)
        for at, each in enumerate(waiting.tolist()):
            variables = matrix.indices[start[each] : stop[each]]
            if not taken[variables].any():
                taken[variables] = chosen[at] = True
        yield waiting[chosen]
        waiting = waiting[~chosen]


RIDGE = 1e-13
"""Added to diagonals, in proportion: sums that follow from others leave some directions without curvature."""

DENSE_UP_TO = 3_000
"""With more constraints than this, their system is solved step by step (conjugate gradients) instead of at once."""

CACHED_NUMBERS = 1 << 18
"""How many floats a stack may have: what fits into a processor's cache (2 MB)."""

ALL_CONSTRAINTS_FROM = 4
"""Where a group has more than one in so many constraints, all are taken: one large product is quicker then."""


class Dual:
    """The dual of a problem, and what stays the same from step to step: where rows, columns and constraints are.

    All of them are ordered by group: `rows`, `columns`, `variables` and `constraints` say where those of each begin.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.equal = np.isclose(problem.low, problem.high, rtol=1e-12, atol=1e-12)
        self.log_weight = np.log(problem.weight)
        self.tolerance = 1e-10 * (1 + problem.counts.max(initial=0.0) / 100)
        self.transposed = sparse.csr_array(problem.coefficients.T)
        numbers = np.arange(int(problem.group.max(initial=-1)) + 2)
        self.rows = np.searchsorted(problem.group[problem.column[problem.first]], numbers)
        self.columns = np.searchsorted(problem.group, numbers)
        self.variables = np.append(problem.first, len(problem))[self.rows]
        constraints = max(len(problem.low), 1)
        nonzeros = np.diff(self.transposed.indptr[self.variables])
        key = np.repeat(numbers[:-1], nonzeros) * constraints + self.transposed.indices
        number, first = number_keys(key, below=len(numbers) * constraints)
        self.constraints = np.searchsorted(key[first], numbers * constraints)
        self.constraint = key[first] % constraints
        # of each nonzero, its constraint's position among those of the group
        self.inside = number - np.repeat(self.constraints[:-1], nonzeros)
        self.stacks = tuple(self._stack_groups())

    def apply_w(self, amounts: Floats, change: Floats) -> Floats:
        """Multiply with W."""
        problem = self.problem
        per_row = np.add.reduceat(amounts * change, problem.first) / problem.people
        return amounts * (change - per_row[problem.row])

    def sum_columns(self, change: Floats) -> Floats:
        """Multiply with C."""
        return sum_by(self.problem.column, change, len(self.problem.counts))

    def _stack_groups(self) -> Iterator[GroupStack]:
        sizes = self._pad_sizes()
        # three sizes below 2^20 in one number
        kind, first = number_keys(sizes @ np.array([1 << 40, 1 << 20, 1]), below=1 << 62)
        for number, one in enumerate(first.tolist()):
            groups = np.flatnonzero(kind == number)
            rows, width, count = sizes[one].tolist()
            product = 0 if count == len(self.problem.low) else count * count
            step = max(CACHED_NUMBERS // max((rows + width) * count, rows * width, product, 1), 1)
            for start in range(0, len(groups), step):
                yield GroupStack(self, groups[start : start + step], rows, width, count)

    def _pad_sizes(self) -> Integers:
        """Return the rows, columns and constraints of each group, padded to few different sizes."""
        sizes = np.stack([np.diff(each) for each in (self.rows, self.columns, self.constraints)], axis=1)
        most = sizes.max(axis=0, initial=0)
        rows, columns, count = most.tolist()
        if len(sizes) * max(rows * columns, (rows + columns) * count, count * count) <= CACHED_NUMBERS:
            return np.broadcast_to(most, sizes.shape)
        # up to the next eighth of a power of two: at most an eighth is padding, and different sizes stay few
        step = np.maximum(1 << np.log2(np.maximum(sizes, 1)).astype(np.int64), 8) // 8
        padded, constraints = -(-sizes // step) * step, len(self.problem.low)
        padded[:, 2] = np.where(sizes[:, 2] * ALL_CONSTRAINTS_FROM > constraints, constraints, padded[:, 2])
        return np.asarray(padded, np.int64)

    def evaluate(self, column_multipliers: Floats, constraint_multipliers: Floats) -> Iterate:
        """Compute the amounts of multipliers, the dual there and its gradient."""
        problem = self.problem
        power = self.log_weight + column_multipliers[problem.column] + self.transposed @ constraint_multipliers
        top = np.maximum.reduceat(power, problem.first)  # so that no exponential overflows
        raised = np.exp(power - top[problem.row])
        total = np.add.reduceat(raised, problem.first)
        amounts = problem.people[problem.row] * raised / total[problem.row]
        bound = np.where(constraint_multipliers > 0, problem.low, problem.high)
        # nothing times an infinite bound is nothing
        pushed = (np.where(np.isfinite(bound), bound, 0.0) * constraint_multipliers).sum()
        dual = problem.people @ (np.log(total) + top) - problem.counts @ column_multipliers - pushed
        sums = problem.coefficients @ amounts
        missed = np.where(
            sums < problem.low - self.tolerance, 1.0, np.where(sums > problem.high + self.tolerance, -1.0, 0.0)
        )
        # at 0 a multiplier may move only to the side on which its sum is missed
        sign = np.where(constraint_multipliers != 0, np.sign(constraint_multipliers), missed)
        active = self.equal | (sign != 0)
        bound = np.where(self.equal | (sign > 0), problem.low, problem.high)
        off = np.zeros(len(sums))
        off[active] = (sums - bound)[active]
        off_columns = self.sum_columns(amounts) - problem.counts
        return Iterate(column_multipliers, constraint_multipliers, amounts, float(dual), off_columns, off, active, sign)

    def step(self, at: Iterate, ridge: float) -> Iterate | None:
        """Take one step; None where no step goes down."""
        active, sign, hessian = at.active, at.sign, Hessian(self, at.amounts, ridge=ridge)
        # solved again without constraints at 0 that the step would push the wrong way
        for _ in range(5):
            columns, constraints = hessian.solve(-at.off_columns, -np.where(active, at.off_constraints, 0.0), active)
            wrong = active & ~self.equal & (at.constraint_multipliers == 0) & (sign * constraints <= 0)
            if not wrong.any():
                break
            # fewer and fewer are active, so that this ends
            active = active & ~wrong
        slope = float(at.off_columns @ columns + np.where(active, at.off_constraints, 0.0) @ constraints)
        moved = columns[self.problem.column] + self.transposed @ constraints
        longest = 40.0  # no step changes the logarithm of an amount by more
        length = min(1.0, longest / max(np.abs(moved).max(initial=0.0), 1e-300))
        flat = abs(slope) <= 1e-10 * (1 + abs(at.dual))  # rounding hides whether it goes down

        def move(length: float) -> tuple[Iterate, bool]:
            multipliers = at.constraint_multipliers + length * constraints
            crossing = ~self.equal & (multipliers * sign < 0)
            # a multiplier that would change its sign stops at 0, where the dual has a kink
            multipliers = np.where(crossing, 0.0, multipliers)
            return self.evaluate(at.column_multipliers + length * columns, multipliers), bool(crossing.any())

        # shortened until the dual falls enough
        for _ in range(40):
            farthest, crosses = move(length)
            if farthest.dual <= at.dual + 1e-4 * length * slope or (flat and farthest.residual < at.residual):
                break
            length /= 2
        else:
            return None
        # and on while it still goes down: amounts that can only be 0 shrink by e with each whole step, however long
        while length < longest and not crosses:
            length *= 2
            beyond, crosses = move(length)
            if crosses or beyond.off_columns @ columns + beyond.off_constraints @ constraints >= 0:
                break
            farthest = beyond
        return farthest


class Hessian:
    """The Hessian at some amounts, eliminated and ready to be solved with."""

    def __init__(self, dual: Dual, amounts: Floats, *, ridge: float = RIDGE) -> None:
        self.dual, self.amounts, self.ridge = dual, amounts, ridge
        matrix = dual.problem.coefficients
        constraints = len(dual.problem.low)
        self.dense = 0 < constraints <= DENSE_UP_TO
        # one more row and column, where padding adds up what nobody reads
        eliminated = np.zeros((constraints + 1, constraints + 1) if self.dense else (0, 0))
        self.inverse_roots = [stack.eliminate(amounts, ridge, eliminated) for stack in dual.stacks]
        self.diagonal = (matrix.multiply(matrix)) @ amounts if constraints else np.zeros(0)
        self.complement = eliminated
        if self.dense:  # A D Aᵀ without what rows and columns take
            full = matrix.multiply(amounts).tocsr() @ dual.transposed
            self.complement = np.asarray(full.toarray()) - eliminated[:-1, :-1]

    def solve(self, columns: Floats, constraints: Floats, active: Flags) -> tuple[Floats, Floats]:
        """Solve with the whole Hessian, for the active constraints; the others stay where they are."""
        change = np.zeros(len(constraints))
        # back substitution: constraints first, then the columns with what the constraints leave them
        chosen = np.flatnonzero(active & (self.diagonal > 0))  # where nothing is left, nothing can be pushed
        if len(chosen):
            right = (constraints - self._times_f_transposed(self._solve_columns(columns)))[chosen]
            solve = self._solve_dense if self.dense else self._solve_by_conjugate_gradients
            change[chosen] = solve(right, chosen)
            weighed = self.dual.apply_w(self.amounts, self.dual.transposed @ change)
            columns = columns - self.dual.sum_columns(weighed)
        return self._solve_columns(columns), change

    def _solve_columns(self, right: Floats) -> Floats:
        solved = np.empty(len(right) + 1)
        padded = np.append(right, 0.0)
        for stack, inverse_root in zip(self.dual.stacks, self.inverse_roots, strict=True):
            inner = inverse_root @ padded[stack.columns][:, :, np.newaxis]
            solved[stack.columns] = (inverse_root.transpose(0, 2, 1) @ inner)[:, :, 0]
        return solved[:-1]

    def _times_f_transposed(self, change: Floats) -> Floats:
        problem = self.dual.problem
        product: Floats = problem.coefficients @ self.dual.apply_w(self.amounts, change[problem.column])
        return product

    def _solve_dense(self, right: Floats, chosen: Integers) -> Floats:
        """Factor; where sums run away and rounding has eaten a curvature, with more on the diagonal."""
        system = self.complement[np.ix_(chosen, chosen)]
        ridge = self.ridge
        # Where this much on the diagonal does not help, there is no step.
        while ridge < 1e3 and np.isfinite(system).all():
            try:
                factor = scipy.linalg.cho_factor(system + np.diag(ridge * self.diagonal[chosen]), check_finite=False)
                solved: Floats = scipy.linalg.cho_solve(factor, right, check_finite=False)
            except np.linalg.LinAlgError:
                ridge *= 100
            else:
                return solved
        return np.zeros(len(right))

    def _solve_by_conjugate_gradients(self, right: Floats, chosen: Integers) -> Floats:
        diagonal, dual = self.diagonal[chosen], self.dual

        def times_complement(vector: Floats) -> Floats:
            change = np.zeros(len(self.diagonal))
            change[chosen] = vector
            weighed = dual.apply_w(self.amounts, dual.transposed @ change)
            whole: Floats = dual.problem.coefficients @ weighed
            through = self._times_f_transposed(self._solve_columns(dual.sum_columns(weighed)))
            return (whole - through)[chosen] + self.ridge * diagonal * vector

        system = LinearOperator((len(chosen), len(chosen)), matvec=times_complement, dtype=float)
        scaled = LinearOperator(system.shape, matvec=lambda vector: vector / diagonal, dtype=float)
        solved, _ = cg(system, right, rtol=1e-10, maxiter=2_000, M=scaled)
        return np.asarray(solved)


class GroupStack:
    """Some groups, each padded to the same number of rows, columns and constraints.

    Variable `variable[i]` is at `entry[i]` of groups × rows × columns; nonzero i of the constraints, about variable
    `nonzero_variable[i]`, is at `in_row[i]` of groups × rows × constraints and at `in_column[i]` of groups × columns ×
    constraints.
    """

    def __init__(self, whole: Dual, groups: Integers, rows: int, width: int, count: int) -> None:
        problem, slots = whole.problem, len(groups)
        slot, row = ranges(whole.rows[groups], whole.rows[groups + 1])
        self.people = np.ones((slots, rows))  # 1 where padded
        self.people[slot, row - whole.rows[groups[slot]]] = problem.people[row]
        slot, column = ranges(whole.columns[groups], whole.columns[groups + 1])
        self.columns = np.full((slots, width), len(problem.counts))  # one behind the last where padded
        self.columns[slot, column - whole.columns[groups[slot]]] = column
        self.padding = (self.columns == len(problem.counts)).astype(float)
        slot, self.variable = ranges(whole.variables[groups], whole.variables[groups + 1])
        in_row = slot * rows + problem.row[self.variable] - whole.rows[groups[slot]]
        inside = problem.column[self.variable] - whole.columns[groups[slot]]
        self.entry = in_row * width + inside
        start, stop = whole.transposed.indptr[self.variable], whole.transposed.indptr[self.variable + 1]
        which, nonzero = ranges(start, stop)
        # groups × constraints; one behind the last where padded
        every = len(problem.low)
        if count == every:
            self.constraints = np.broadcast_to(np.arange(every), (slots, every))
            local = whole.transposed.indices[nonzero]
        else:
            self.constraints, local = np.full((slots, count), every), whole.inside[nonzero]
            at, index = ranges(whole.constraints[groups], whole.constraints[groups + 1])
            self.constraints[at, index - whole.constraints[groups[at]]] = whole.constraint[index]
        self.nonzero_variable, self.coefficient = self.variable[which], whole.transposed.data[nonzero]
        self.in_row = in_row[which] * count + local
        self.in_column = (slot * width + inside)[which] * count + local

    def eliminate(self, amounts: Floats, ridge: float, eliminated: Floats) -> Floats:
        """Return L⁻¹ of the blocks S = L Lᵀ; what rows and columns take from A D Aᵀ is added to `eliminated`."""
        (groups, rows), width = self.people.shape, self.columns.shape[1]
        crossed = sum_by(self.entry, amounts[self.variable], groups * rows * width).reshape(groups, rows, width)
        shares = (crossed / self.people[:, :, np.newaxis]).transpose(0, 2, 1)
        block = -(shares @ crossed)
        diagonal = np.arange(width)
        # the diagonal of D by columns; padded ones get 1, and an empty one something to divide by
        block[:, diagonal, diagonal] += crossed.sum(axis=1) * (1 + ridge) + self.padding + 1e-280
        inverse_roots = np.asarray(np.linalg.inv(_cholesky(block)), np.float64)
        if len(eliminated) and self.constraints.shape[1]:
            self._add_eliminated(amounts, shares, inverse_roots, eliminated)
        return inverse_roots

    def _add_eliminated(self, amounts: Floats, shares: Floats, inverse_roots: Floats, eliminated: Floats) -> None:
        """Add the Gram matrix of [N^(−½) R D Tᵀ ; L⁻¹ (C D Tᵀ − C D Rᵀ N⁻¹ R D Tᵀ)] of each group."""
        (groups, rows), width, count = self.people.shape, self.columns.shape[1], self.constraints.shape[1]
        amount = self.coefficient * amounts[self.nonzero_variable]
        factor = np.empty((groups, rows + width, count))
        by_row, by_column = factor[:, :rows], factor[:, rows:]
        by_row[:] = sum_by(self.in_row, amount, groups * rows * count).reshape(groups, rows, count)
        mixed = sum_by(self.in_column, amount, groups * width * count).reshape(groups, width, count) - shares @ by_row
        np.matmul(inverse_roots, mixed, out=by_column)
        by_row /= np.sqrt(self.people)[:, :, np.newaxis]
        if count == len(eliminated) - 1:
            # all constraints in order: no need to scatter
            stacked = factor.reshape(-1, count)
            eliminated[:-1, :-1] += stacked.T @ stacked
        else:
            index = self.constraints[:, :, np.newaxis] * len(eliminated) + self.constraints[:, np.newaxis, :]
            np.add.at(eliminated.ravel(), index.ravel(), (factor.transpose(0, 2, 1) @ factor).ravel())


def _cholesky(stack: Floats) -> Floats:
    """Factor; where rounding has eaten a curvature, with a little more on the diagonal."""
    more = 0.0
    while True:
        try:
            lifted = stack + more * stack * np.eye(stack.shape[1]) if more else stack
            return np.asarray(np.linalg.cholesky(lifted))
        except np.linalg.LinAlgError:
            more = max(more * 100, 1e-14)


Watch: TypeAlias = Callable[[int, float], None]
"""Called with each step and its residual; may raise to stop."""


@dataclass(frozen=True, eq=False)
class Iterate:
    """Multipliers, the amounts they stand for, and the dual there with its gradient: by how much sums are off."""

    column_multipliers: Floats  # β
    constraint_multipliers: Floats  # μ
    amounts: Floats
    dual: float
    off_columns: Floats
    off_constraints: Floats  # 0 where not active
    active: Flags
    sign: Floats  # that the multipliers of constraints have or would get; 0 where not active
    step: int = 0

    @cached_property
    def residual(self) -> float:
        """How far off the farthest sum is."""
        return float(max(np.abs(each).max(initial=0.0) for each in (self.off_columns, self.off_constraints)))


def minimize_dual(problem: Problem, watch: Watch, *, start: Iterate | None = None) -> tuple[Iterate, Iterate]:
    """Go to the minimum of the dual: return where the sums are nearest, and where the dual is lowest (the last step).

    Ends early when it does not get closer, as `residual` then says.  `start` is where an earlier attempt ended, of a
    problem that is known by now to have a solution.
    """
    dual = Dual(problem)
    at = dual.evaluate(*scaled_multipliers(problem)) if start is None else replace(start, step=0)
    nearest, ridge, stuck = at, RIDGE, 0
    # After so many steps the method ends where it is, as `residual` then says.
    for step in range(1, 501):
        if nearest.residual <= dual.tolerance or stuck > 8:
            break
        following = dual.step(at, ridge)
        # no step goes down: a larger ridge turns it towards the gradient
        if following is None:
            ridge, stuck = ridge * 1e3, stuck + 1
            continue
        # A fall of the dual below this share of it is none.
        fell = at.dual - following.dual > 1e-14 * (1 + abs(at.dual))
        at = replace(following, step=step)
        watch(step, at.residual)
        nearer = at.residual <= nearest.residual / 1.5
        stuck = 0 if nearer or (fell and start is not None) else stuck + 1
        ridge = max(ridge / 10, RIDGE)
        nearest = at if at.residual < nearest.residual else nearest
    return nearest, at
