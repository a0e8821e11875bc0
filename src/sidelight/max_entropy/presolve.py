"""What the sums alone force, found before anything is optimised.

A constraint can leave a variable no value but 0 ("no man has breast cancer").  There the dual has no minimum and its
multipliers run away, so such variables must go first.  Each step below only uses consequences of the constraints; it
removes no feasible point, and therefore not the one of largest entropy:

- `fix_by_frechet_bounds`: in a group of n people of whom r are asked about, with c occurrences of the values, the
  sum lies between max(0, r + c − n) and min(r, c) (Fréchet).  A constraint that asks for the total of either end fixes
  each group at that end, where whole parts of the block are 0.
- `propagate_bounds`: from l ≤ x ≤ u and Σ a_v x_v ≤ high follows a_w x_w ≤ high − Σ_{v≠w} min(a_v l_v, a_v u_v), and
  likewise from below; repeated until nothing moves.  An upper bound of 0 is a zero.
- `drop_implied`: where a constraint has one coefficient for a whole row (column), the row's sum is known and is moved
  into the bounds; a constraint of which nothing is left is implied, or contradicts the release.

All three are exact up to `NEGLIGIBLE_PEOPLE`.  They are not complete: zeros that only several constraints together
force are found by linear programs, which cost more and are asked where the solver sees amounts vanish (`zeros_at`),
where it does not arrive (`is_feasible`, `forced_zeros`), and to name a contradiction (`conflicting`).

Cost, with V variables and Z nonzeros of the constraints: `drop_implied` sorts the nonzeros twice, Z log Z;
`propagate_bounds` passes V + Z bounds on in each of at most 30 rounds; `fix_by_frechet_bounds`
sorts the nonzeros and then scans all V + Z once more for each constraint that is at an end of its bounds.  A linear
program takes as long as it may: until the caller's deadline, at which HiGHS gives up and nothing is said.

Source: ours for block sums; Fréchet, 1951, for the bounds; passing bounds on is the usual presolve of linear programs
(Andersen and Andersen, 1995), and elastic programs name a conflict (Chinneck and Dravnieks, 1991).
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.optimize import OptimizeResult, linprog

from sidelight.arrays import Flags, Floats, Integers, sum_by
from sidelight.max_entropy.variables import NEGLIGIBLE_PEOPLE, ONE_PERSON

if TYPE_CHECKING:
    from sidelight.max_entropy.problem import Problem

ROUNDING_SHARE = 1e-12
"""What rounding may do to a sum, as a share of what is added up."""


class Infeasible(Exception):
    """The sums of a problem cannot all hold; users get a `Contradiction` that says which."""

    def __init__(self, problem: Problem | None = None, alone: int | None = None) -> None:
        super().__init__()
        self.problem = problem
        self.alone = alone  # the number of a statement that cannot hold by itself, if there is one


def propagate_bounds(problem: Problem) -> Floats:
    """Bound each amount from above, by passing bounds on from sum to sum; raises `Infeasible`."""
    low = np.zeros(len(problem))
    high = np.minimum(problem.people[problem.row], problem.counts[problem.column])
    for _ in range(30):
        lower, upper = low.copy(), high.copy()
        _tighten_margins(problem, low, high, lower, upper)
        _tighten_constraints(problem, low, high, lower, upper)
        # rounding may cross the bounds by a last bit; they never part more than that
        np.maximum(upper, 0.0, out=upper)
        np.minimum(lower, upper, out=lower)
        moved = max(np.abs(upper - high).max(initial=0.0), np.abs(lower - low).max(initial=0.0))
        low, high = lower, upper
        if moved < 1e-7:
            break
    return high


def _tighten_margins(problem: Problem, low: Floats, high: Floats, lower: Floats, upper: Floats) -> None:
    """Pass bounds on through every row and column to each of its amounts."""
    for margin, totals in ((problem.row, problem.people), (problem.column, problem.counts)):
        least, most = sum_by(margin, low, len(totals)), sum_by(margin, high, len(totals))
        _check_range(least, most, totals, totals)
        doubt = NEGLIGIBLE_PEOPLE + ROUNDING_SHARE * totals[margin]
        # x_v ≤ total − Σ_{w≠v} l_w: its own lower bound is added back to the sum of all
        np.minimum(upper, _if_lower((totals - least)[margin] + low, high, doubt), out=upper)
        np.maximum(lower, -_if_lower(-((totals - most)[margin] + high), -low, doubt), out=lower)


def _tighten_constraints(problem: Problem, low: Floats, high: Floats, lower: Floats, upper: Floats) -> None:
    """Pass bounds on through every constraint, nonzero by nonzero."""
    nonzeros = sparse.coo_array(problem.coefficients)
    (constraint, variable), coefficient = nonzeros.coords, nonzeros.data
    rising = coefficient > 0
    # the least and the most that each term a_v x_v can be
    small = np.where(rising, low[variable], high[variable]) * coefficient
    large = np.where(rising, high[variable], low[variable]) * coefficient
    least, most = (sum_by(constraint, each, len(problem.low)) for each in (small, large))
    _check_range(least, most, problem.low, problem.high)
    above = ((problem.high - least)[constraint] + small) / coefficient
    below = ((problem.low - most)[constraint] + large) / coefficient
    sizes = sum_by(constraint, np.maximum(np.abs(small), np.abs(large)), len(problem.low))
    doubt = NEGLIGIBLE_PEOPLE + ROUNDING_SHARE * sizes[constraint] / np.abs(coefficient)
    most_each, least_each = np.where(rising, above, below), np.where(rising, below, above)
    np.minimum.at(upper, variable, _if_lower(most_each, high[variable], doubt))
    np.maximum.at(lower, variable, -_if_lower(-least_each, -low[variable], doubt))


def _if_lower(bound: Floats, before: Floats, doubt: Floats) -> Floats:
    """Return a new bound where it is lower by more than rounding could make it, else the one before.

    Where only one amount is possible, what rounding adds to a bound would be passed on, round by round, as more.
    """
    return np.where(bound < before - doubt, bound, before)


def _check_range(least: Floats, most: Floats, low: Floats, high: Floats) -> None:
    if (least > high + _slack(high)).any() or (most < low - _slack(low)).any():
        raise Infeasible


def _slack(bound: Floats) -> Floats:
    return NEGLIGIBLE_PEOPLE * (1 + np.abs(np.where(np.isfinite(bound), bound, 0.0)))


def fix_by_frechet_bounds(problem: Problem) -> Flags:
    """Return amounts that are 0 because a constraint asks for the most or least that its groups allow together.

    Raises `Infeasible` where one asks for more or less than that.
    """
    zero = np.zeros(len(problem), bool)
    if len(problem.low) == 0:
        return zero
    constraint, variable = sparse.coo_array(problem.coefficients).coords
    # of each constraint and group that it counts in, a *pair*: r people are asked about, and c occurrences of values
    group = problem.group[problem.column]
    groups = int(group.max(initial=-1)) + 1
    pairs, pair = np.unique(constraint * groups + group[variable], return_inverse=True)
    of_constraint, of_group = np.divmod(pairs, max(groups, 1))
    sizes = sum_by(problem.group, problem.counts, groups)

    def sum_once(margin: Integers, totals: Floats) -> tuple[Integers, Floats]:
        """Count rows (or columns) of each pair, each once, and add up their totals."""
        of_nonzero = margin[variable]
        _, first = np.unique(constraint * len(totals) + of_nonzero, return_index=True)
        counted = np.bincount(pair[first], minlength=len(pairs))
        return counted, sum_by(pair[first], totals[of_nonzero[first]], len(pairs))

    rows, r = sum_once(problem.row, problem.people)
    columns, c = sum_once(problem.column, problem.counts)
    counts_products = _counts_once(problem)
    # of a product all rows × all columns are counted; a sum of several shares may not be one
    counts_products[of_constraint[rows * columns != np.bincount(pair, minlength=len(pairs))]] = False
    blocks = np.flatnonzero(counts_products)
    least, most = (
        sum_by(of_constraint, each, len(problem.low))[blocks]
        for each in (np.maximum(r + c - sizes[of_group], 0.0), np.minimum(r, c))
    )
    low, high = problem.low[blocks], problem.high[blocks]
    beyond = (low > most + _slack(most)) | (high < least - _slack(least))
    if beyond.any():
        raise Infeasible(alone=int(problem.statement[blocks[beyond][0]]))
    at_top, at_bottom = low >= most - NEGLIGIBLE_PEOPLE, high <= least + NEGLIGIBLE_PEOPLE
    # constraints at 0 force nothing that `propagate_bounds` does not see
    for at in np.flatnonzero((at_top | at_bottom) & (high > NEGLIGIBLE_PEOPLE)):
        counted, own = variable[constraint == blocks[at]], of_constraint == blocks[at]
        people, values = (sum_by(of_group[own], each[own], groups)[group] for each in (r, c))
        in_rows = np.isin(problem.row, problem.row[counted])
        in_columns = np.isin(problem.column, problem.column[counted])
        if at_top[at]:  # all people of the condition have such a value, or nobody else has
            zero |= (in_rows & ~in_columns & (people <= values)) | (~in_rows & in_columns & (values <= people))
        if at_bottom[at]:  # none of them has, or everybody else has
            overlap, touched = people + values - sizes[group], (people > 0) & (values > 0)
            zero |= (in_rows & in_columns & (overlap <= 0)) | (~in_rows & ~in_columns & (overlap >= 0) & touched)
    return zero


def _counts_once(problem: Problem) -> Flags:
    """Return which constraints add up amounts once each, of nobody by name and no row in parts."""
    matrix = problem.coefficients
    plain: Flags = (np.diff(matrix.indptr) > 0) & ~(problem.statement == ONE_PERSON).any()
    # of a row with several variables in one column it is not known how many people a constraint counts there
    in_parts = np.zeros(len(problem.people), bool)
    order = np.lexsort((problem.column, problem.row))
    row, column = problem.row[order], problem.column[order]
    in_parts[row[1:][(row[1:] == row[:-1]) & (column[1:] == column[:-1])]] = True
    constraint = np.repeat(np.arange(len(plain)), np.diff(matrix.indptr))
    plain[constraint[(matrix.data != 1) | in_parts[problem.row[matrix.indices]]]] = False
    return plain


def drop_implied(problem: Problem) -> Problem:
    """Leave out of constraints what rows and columns say already; constraints of which nothing is left go.

    Raises `Infeasible` where what is left cannot hold.
    """
    for margin, totals in ((problem.row, problem.people), (problem.column, problem.counts)):
        problem = _subtract_margin(problem, margin, totals)
    empty = np.diff(problem.coefficients.indptr) == 0
    off = empty & ((problem.low > _slack(problem.low)) | (problem.high < -_slack(problem.high)))
    if off.any():
        raise Infeasible
    keep = np.flatnonzero(~empty)
    return replace(
        problem,
        coefficients=sparse.csr_array(problem.coefficients[keep]),
        low=problem.low[keep],
        high=problem.high[keep],
        statement=problem.statement[keep],
    )


def _subtract_margin(problem: Problem, margin: Integers, totals: Floats) -> Problem:
    """Move rows (or columns) that a constraint counts as a whole into its bounds."""
    nonzeros = sparse.coo_array(problem.coefficients)
    k, variable = nonzeros.coords
    if len(k) == 0:
        return problem
    key, number = np.unique(k * len(totals) + margin[variable], return_inverse=True)
    constraint, total = np.divmod(key, len(totals))
    smallest, largest = np.full(len(key), np.inf), np.full(len(key), -np.inf)
    np.minimum.at(smallest, number, nonzeros.data)
    np.maximum.at(largest, number, nonzeros.data)
    # a margin is known only where the constraint has all of it, with one coefficient
    complete = np.bincount(number) == np.bincount(margin, minlength=len(totals))[total]
    known = complete & (smallest == largest)
    constant = sum_by(constraint, np.where(known, largest * totals[total], 0), len(problem.low))
    keep = ~known[number]
    rest = sparse.csr_array((nonzeros.data[keep], (k[keep], variable[keep])), shape=nonzeros.shape)
    return replace(problem, coefficients=rest, low=problem.low - constant, high=problem.high - constant)


def _linear_program(problem: Problem) -> tuple[sparse.csr_array, Floats, sparse.csr_array, Floats]:
    """Return the sums of a problem as `linprog` takes them: at_most · x ≤ most and equal · x = equal_to, x ≥ 0.

    Equalities are the rows, the columns, then exact constraints; inequalities are those bounded from above, then,
    negated, those bounded from below.
    """
    variables, ones = np.arange(len(problem)), np.ones(len(problem))
    rows = sparse.csr_array((ones, (problem.row, variables)), shape=(len(problem.people), len(problem)))
    columns = sparse.csr_array((ones, (problem.column, variables)), shape=(len(problem.counts), len(problem)))
    matrix, (exact, upper, lower) = problem.coefficients, _split_constraints(problem)
    return (
        sparse.csr_array(sparse.vstack((matrix[upper], -matrix[lower]))),
        np.concatenate((problem.high[upper], -problem.low[lower])),
        sparse.csr_array(sparse.vstack((rows, columns, matrix[exact]))),
        np.concatenate((problem.people, problem.counts, problem.low[exact])),
    )


def _split_constraints(problem: Problem) -> tuple[Integers, Integers, Integers]:
    """Return which constraints are exact, which others are bounded from above, and which from below."""
    equal = problem.low == problem.high
    upper, lower = (np.flatnonzero(~equal & np.isfinite(bound)) for bound in (problem.high, problem.low))
    return np.flatnonzero(equal), upper, lower


def is_feasible(problem: Problem, *, deadline: float = math.inf) -> bool | None:
    """Return whether all sums can hold at once; None if, as with all programs, its deadline (`time.monotonic`) came."""
    if len(problem) == 0:
        return bool((problem.low <= 0).all() and (problem.high >= 0).all())
    answer = _solve(np.zeros(len(problem)), deadline, *_linear_program(problem))
    return None if answer is None else bool(answer.status == 0)


def forced_zeros(problem: Problem, suspects: Integers, *, deadline: float = math.inf) -> Flags | None:
    """Return which suspects are 0 in every solution; None at the deadline.

    One program: x and a factor τ ≥ 1 by which all bounds grow, and t_v ≤ min(x_v, 1) for each suspect; the largest Σ t
    makes t_v = 1 wherever x_v can be positive.
    """
    (at_most, most, equal, equal_to), count = _linear_program(problem), len(suspects)
    picked = sparse.csr_array((np.ones(count), (np.arange(count), suspects)), shape=(count, len(problem)))
    # homogeneous in (x, τ): a solution may be scaled until every positive x_v is at least 1
    below = [-picked, (count, 1), sparse.eye_array(count)]
    answer = _solve(
        np.concatenate((np.zeros(len(problem) + 1), -np.ones(count))),
        deadline,
        _join_blocks([at_most, -most[:, np.newaxis], (len(most), count)], below),
        np.zeros(len(most) + count),
        _join_blocks([equal, -equal_to[:, np.newaxis], (len(equal_to), count)]),
        np.zeros(len(equal_to)),
        bounds=np.array([(0, np.inf)] * len(problem) + [(1, np.inf)] + [(0, 1)] * count),
    )
    return _cannot_grow(answer, suspects, len(problem))


def zeros_at(problem: Problem, amounts: Floats, suspects: Integers, *, deadline: float = math.inf) -> Flags | None:
    """Return which suspects are 0 in every solution, given one in which they vanish and all others do not.

    Any other solution lies in a direction δ that keeps the sums: A δ = 0, and δ ≤ 0 (or ≥ 0) for a sum at its bound.
    A suspect can only grow along it; all other amounts may change either way, as a short enough step keeps them
    positive.  So a suspect that no direction lets grow is 0 in every solution, and any other is not.  One program, as
    in `forced_zeros`, but with free amounts, which is far easier: they can be eliminated.
    """
    (at_most, most, equal, equal_to), count = _linear_program(problem), len(suspects)
    # A sum this near to its bound is at it.
    tight = at_most[np.flatnonzero(most - at_most @ amounts <= 1e-7 * (1 + np.abs(most)))]
    picked = sparse.csr_array((np.ones(count), (np.arange(count), suspects)), shape=(count, len(problem)))
    least = np.full(len(problem), -np.inf)
    least[suspects] = 0.0
    answer = _solve(
        np.concatenate((np.zeros(len(problem)), -np.ones(count))),
        deadline,
        _join_blocks([tight, (tight.shape[0], count)], [-picked, sparse.eye_array(count)]),
        np.zeros(tight.shape[0] + count),
        _join_blocks([equal, (len(equal_to), count)]),
        np.zeros(len(equal_to)),
        bounds=np.array([*((low, np.inf) for low in least.tolist()), *[(0.0, 1.0)] * count]),
    )
    return _cannot_grow(answer, suspects, len(problem))


def _cannot_grow(answer: OptimizeResult | None, suspects: Integers, amounts: int) -> Flags | None:
    """Return which suspects stay 0, by the last variables t of a program, one each."""
    if answer is None:
        return None
    zero = np.zeros(amounts, bool)
    if answer.status == 0:
        zero[suspects[answer.x[-len(suspects) :] < 0.5]] = True
    return zero


def conflicting(problem: Problem, *, deadline: float = math.inf) -> Flags:
    """Return which constraints take part in a contradiction: those that a least repair of all of them would touch.

    An elastic program: every constraint of a statement may be missed, at the cost of by how much; the multipliers of
    the cheapest way are a proof of infeasibility, and constraints with none are not needed for it.  Those of all
    statements, at the deadline.
    """
    at_most, most, equal, equal_to = _linear_program(problem)
    exact, upper, lower = _split_constraints(problem)
    fixed, bounded = len(problem.people) + len(problem.counts), len(most)
    elastic = np.concatenate((np.zeros(fixed), (problem.statement[exact] != ONE_PERSON).astype(float)))
    # rows, columns and persons stay hard; each stated equality may be missed above or below
    above, cost = sparse.diags_array(elastic), np.ones(len(problem) + 2 * len(elastic) + bounded)
    cost[: len(problem)] = 0.0
    equal = _join_blocks([equal, above, -above, (len(elastic), bounded)])
    at_most = _join_blocks([at_most, (bounded, 2 * len(elastic)), -sparse.eye_array(bounded)])
    answer = _solve(cost, deadline, at_most, most, equal, equal_to)
    if answer is None or answer.status != 0:
        everything: Flags = problem.statement != ONE_PERSON
        return everything
    involved = np.zeros(len(problem.low), bool)
    involved[exact[np.abs(answer.eqlin.marginals[fixed:]) > 1e-9]] = True
    involved[np.concatenate((upper, lower))[np.abs(answer.ineqlin.marginals) > 1e-9]] = True
    return involved


def _solve(
    cost: Floats, deadline: float, *program: sparse.csr_array | Floats, bounds: object = (0, None)
) -> OptimizeResult | None:
    """Minimise cost · x, in the time that is left until the deadline; None if that was not enough."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        return None
    answer = linprog(cost, *program, bounds=bounds, options={"time_limit": seconds})
    return None if answer.status == 1 else answer  # 1: the time is up


def _join_blocks(*rows: list[object]) -> sparse.csr_array:
    """Return a matrix of blocks; a shape in the place of one stands for zeros."""
    made = [[sparse.csr_array(block) for block in row] for row in rows]
    return sparse.csr_array(sparse.vstack([sparse.hstack(row) for row in made]))
