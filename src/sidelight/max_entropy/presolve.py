"""What the sums alone force: amounts that can only be 0, and statements that say nothing more.

All cheap and exact; what it does not see (an LP would), it leaves as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from sidelight._arrays import Flags, Floats, Integers
from sidelight.errors import TooHard
from sidelight.max_entropy.problem import A_PERSON, Problem, summed

NOTHING = 1e-9
"""Amounts of people up to this are none."""

ROUNDS = 30
"""How often bounds are passed on from sum to sum."""


class Infeasible(Exception):
    """The sums of a problem cannot all be so; users get a `Contradiction` that says which."""

    def __init__(self, problem: Problem | None = None, alone: int | None = None) -> None:
        super().__init__()
        self.problem = problem
        self.alone = alone  # the number of a statement that cannot be so by itself, if there is one


def upper_bounds(problem: Problem) -> Floats:
    """Bound each amount from above, by passing bounds on from sum to sum; raises `Infeasible`."""
    sums = _Sums(problem)
    low = np.zeros(len(problem))
    high = np.minimum(problem.people[problem.row], problem.counts[problem.column])
    for _ in range(ROUNDS):
        tighter_low, tighter_high = sums.tightened(low, high)
        moved = max(np.abs(tighter_high - high).max(initial=0.0), np.abs(tighter_low - low).max(initial=0.0))
        low, high = tighter_low, tighter_high
        if moved < 1e-7:
            break
    return high


class _Sums:
    """All sums of a problem: its rows, its columns, and its statements entry by entry."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        said = sparse.coo_array(problem.statements)
        (self.sum, self.variable), self.times = said.coords, said.data

    def tightened(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        problem = self.problem
        upper, lower = high.copy(), low.copy()
        for part, totals in ((problem.row, problem.people), (problem.column, problem.counts)):
            least, most = summed(part, low, len(totals)), summed(part, high, len(totals))
            _refuse(least, most, totals, totals)
            np.minimum(upper, (totals - least)[part] + low, out=upper)
            np.maximum(lower, (totals - most)[part] + high, out=lower)
        self._by_statements(low, high, lower, upper)
        np.maximum(upper, 0.0, out=upper)
        return np.minimum(lower, upper, out=lower), upper

    def _by_statements(self, low: Floats, high: Floats, lower: Floats, upper: Floats) -> None:
        rising, bounds = self.times > 0, self.problem
        small = np.where(rising, low[self.variable], high[self.variable]) * self.times
        large = np.where(rising, high[self.variable], low[self.variable]) * self.times
        least, most = (summed(self.sum, each, len(bounds.low)) for each in (small, large))
        _refuse(least, most, bounds.low, bounds.high)
        above = ((bounds.high - least)[self.sum] + small) / self.times
        below = ((bounds.low - most)[self.sum] + large) / self.times
        np.minimum.at(upper, self.variable, np.where(rising, above, below))
        np.maximum.at(lower, self.variable, np.where(rising, below, above))


def _refuse(least: Floats, most: Floats, low: Floats, high: Floats) -> None:
    if (least > high + near(high)).any() or (most < low - near(low)).any():
        raise Infeasible


def near(bound: Floats) -> Floats:
    """Say how far off a sum may be by rounding."""
    return NOTHING * (1 + np.abs(np.where(np.isfinite(bound), bound, 0.0)))


def at_the_edge(problem: Problem) -> Flags:
    """Find amounts that are 0 because a statement asks for the most or the least that its groups allow together.

    In a group of n people of whom r are asked about, and c occurrences of the values, at least max(0, r + c − n) and
    at most min(r, c) of those people have such a value.  Raises `Infeasible` beyond that.
    """
    zero = np.zeros(len(problem), bool)
    said = sparse.coo_array(problem.statements)
    k, variable = said.coords
    group = problem.group[problem.column]
    groups = int(group.max(initial=-1)) + 1
    size = summed(problem.group, problem.counts, groups)
    asked = _once(k, problem.row[variable], group[variable], problem.people, (len(problem.low), groups))
    values = _once(k, problem.column[variable], group[variable], problem.counts, (len(problem.low), groups))
    plain = np.flatnonzero(_whole(problem))
    least, most = _range(asked, values, size, plain)
    beyond = (problem.low[plain] > most + near(most)) | (problem.high[plain] < least - near(least))
    if beyond.any():
        raise Infeasible(alone=int(problem.said[plain[beyond][0]]))
    # statements at 0 force nothing that `upper_bounds` does not see
    edge = (problem.low[plain] >= most - NOTHING) | (problem.high[plain] <= least + NOTHING)
    for place in np.flatnonzero(edge & (problem.high[plain] > NOTHING)):
        number = plain[place]
        top = problem.low[number] >= most[place] - NOTHING
        bottom = problem.high[number] <= least[place] + NOTHING
        if top or bottom:
            mine = variable[k == number]
            in_rows = np.isin(problem.row, problem.row[mine])
            in_columns = np.isin(problem.column, problem.column[mine])
            r, c = asked[[number]].toarray()[0][group], values[[number]].toarray()[0][group]
            if top:
                zero |= (in_rows & ~in_columns & (r <= c)) | (~in_rows & in_columns & (c <= r))
            if bottom:
                full = r + c - size[group]
                touched = (r > 0) & (c > 0)
                zero |= (in_rows & in_columns & (full <= 0)) | (~in_rows & ~in_columns & (full >= 0) & touched)
    return zero


def _whole(problem: Problem) -> Flags:
    """Say which statements add up whole blocks: some rows × some columns, each once, nobody by name."""
    matrix = problem.statements
    ones = np.ones(len(problem.low), bool)
    ones[np.repeat(np.arange(len(ones)), np.diff(matrix.indptr))[matrix.data != 1]] = False
    named = (problem.said == A_PERSON).any()
    ones[named | (np.diff(matrix.indptr) == 0)] = False
    return ones


def _once(k: Integers, part: Integers, group: Integers, amounts: Floats, shape: tuple[int, int]) -> sparse.csr_array:
    """Add up rows (or columns) per statement and group, each once."""
    _, first = np.unique(k * len(amounts) + part, return_index=True)
    return sparse.csr_array((amounts[part[first]], (k[first], group[first])), shape=shape)


def _range(asked: sparse.csr_array, values: sparse.csr_array, size: Floats, plain: Integers) -> tuple[Floats, Floats]:
    rows, columns = sparse.coo_array(asked[plain]), sparse.csr_array(values[plain])
    r, c = rows.data, np.asarray(columns[rows.coords[0], rows.coords[1]]).ravel()
    most = summed(rows.coords[0], np.minimum(r, c), len(plain))
    least = summed(rows.coords[0], np.maximum(r + c - size[rows.coords[1]], 0.0), len(plain))
    return least, most


def without_implied(problem: Problem) -> Problem:
    """Leave out of statements what rows and columns say already; statements of which nothing is left go.

    Raises `Infeasible` where what is left cannot be.
    """
    for part, totals in ((problem.row, problem.people), (problem.column, problem.counts)):
        problem = _without(problem, part, totals)
    empty = np.diff(problem.statements.indptr) == 0
    off = empty & ((problem.low > near(problem.low)) | (problem.high < -near(problem.high)))
    if off.any():
        raise Infeasible
    keep = np.flatnonzero(~empty)
    return replace(
        problem,
        statements=sparse.csr_array(problem.statements[keep]),
        low=problem.low[keep],
        high=problem.high[keep],
        said=problem.said[keep],
    )


def _without(problem: Problem, part: Integers, totals: Floats) -> Problem:
    said = sparse.coo_array(problem.statements)
    k, variable = said.coords
    if len(k) == 0:
        return problem
    key, place = np.unique(k * len(totals) + part[variable], return_inverse=True)
    times = np.bincount(place)
    smallest, largest = np.full(len(key), np.inf), np.full(len(key), -np.inf)
    np.minimum.at(smallest, place, said.data)
    np.maximum.at(largest, place, said.data)
    whole = (times == np.bincount(part, minlength=len(totals))[key % len(totals)]) & (smallest == largest)
    constant = summed(key // len(totals), np.where(whole, largest * totals[key % len(totals)], 0), len(problem.low))
    keep = ~whole[place]
    left = sparse.csr_array((said.data[keep], (k[keep], variable[keep])), shape=said.shape)
    return replace(problem, statements=left, low=problem.low - constant, high=problem.high - constant)


# ----------------------------------------------------------------------------------------------------
# Linear programs about a problem: can its sums all be so, and which amounts can only be 0?
# ----------------------------------------------------------------------------------------------------


LONGEST = 120.0
"""Seconds that one program may take."""


@dataclass(frozen=True, eq=False)
class _Program:
    """Sums as equalities and inequalities of x ≥ 0; each is `matrix` · x against `bound`."""

    equal: sparse.csr_array
    equal_to: Floats
    at_most: sparse.csr_array
    most: Floats


def _written(problem: Problem) -> _Program:
    every = np.arange(len(problem))
    rows = sparse.csr_array((np.ones(len(problem)), (problem.row, every)), shape=(len(problem.people), len(problem)))
    columns = sparse.csr_array(
        (np.ones(len(problem)), (problem.column, every)), shape=(len(problem.counts), len(problem))
    )
    exact = np.flatnonzero(problem.low == problem.high)
    upper = np.flatnonzero((problem.low != problem.high) & np.isfinite(problem.high))
    lower = np.flatnonzero((problem.low != problem.high) & np.isfinite(problem.low))
    said = problem.statements
    return _Program(
        sparse.csr_array(sparse.vstack((rows, columns, said[exact]))),
        np.concatenate((problem.people, problem.counts, problem.low[exact])),
        sparse.csr_array(sparse.vstack((said[upper], -said[lower]))),
        np.concatenate((problem.high[upper], -problem.low[lower])),
    )


def feasible(problem: Problem) -> bool:
    """Say whether all sums can be so at once."""
    if len(problem) == 0:
        return bool((problem.low <= 0).all() and (problem.high >= 0).all())
    program = _written(problem)
    answer = linprog(
        np.zeros(len(problem)),
        A_ub=program.at_most,
        b_ub=program.most,
        A_eq=program.equal,
        b_eq=program.equal_to,
        options={"time_limit": LONGEST},
    )
    _refuse_unfinished(answer.status)
    return bool(answer.status == 0)


def forced_to_zero(problem: Problem, suspects: Integers) -> Flags:
    """Say which suspects are 0 in every solution.

    One program: x and a factor τ ≥ 1 by which all bounds grow, and t_v ≤ min(x_v, 1) for each suspect; the largest Σ t
    makes t_v = 1 wherever x_v can be positive.
    """
    program = _written(problem)
    count = len(suspects)
    pick = sparse.csr_array((np.ones(count), (np.arange(count), suspects)), shape=(count, len(problem)))
    grown = -program.equal_to[:, np.newaxis]
    equal = sparse.hstack((program.equal, sparse.csr_array(grown), _empty(len(grown), count)))
    bounded = sparse.hstack(
        (program.at_most, sparse.csr_array(-program.most[:, np.newaxis]), _empty(len(program.most), count))
    )
    below = sparse.hstack((-pick, _empty(count, 1), sparse.eye_array(count)))
    answer = linprog(
        np.concatenate((np.zeros(len(problem) + 1), -np.ones(count))),
        A_ub=sparse.csr_array(sparse.vstack((bounded, below))),
        b_ub=np.zeros(len(program.most) + count),
        A_eq=sparse.csr_array(equal),
        b_eq=np.zeros(len(grown)),
        bounds=np.array([(0, np.inf)] * len(problem) + [(1, np.inf)] + [(0, 1)] * count),
        options={"time_limit": LONGEST},
    )
    _refuse_unfinished(answer.status)
    zero = np.zeros(len(problem), bool)
    if answer.status == 0:
        zero[suspects[answer.x[-count:] < 0.5]] = True
    return zero


def in_the_way(problem: Problem) -> Flags:
    """Say which statements take part in a contradiction: those that a least repair of all of them would touch."""
    said = np.flatnonzero(problem.said != A_PERSON)
    program = _written(problem)
    exact = np.flatnonzero(problem.low == problem.high)
    hard = len(problem.people) + len(problem.counts)
    soft = np.concatenate((np.zeros(hard), (problem.said[exact] != A_PERSON).astype(float)))
    up = sparse.diags_array(soft)
    slack = sparse.eye_array(len(program.most))
    equal = sparse.hstack((program.equal, up, -up, _empty(len(soft), len(program.most))))
    bounded = sparse.hstack((program.at_most, _empty(len(program.most), 2 * len(soft)), -slack))
    answer = linprog(
        np.concatenate((np.zeros(len(problem)), np.ones(2 * len(soft) + len(program.most)))),
        A_ub=sparse.csr_array(bounded),
        b_ub=program.most,
        A_eq=sparse.csr_array(equal),
        b_eq=program.equal_to,
        options={"time_limit": LONGEST},
    )
    _refuse_unfinished(answer.status)
    involved = np.zeros(len(problem.low), bool)
    if answer.status != 0:
        involved[said] = True
        return involved
    involved[exact[np.abs(answer.eqlin.marginals[hard:]) > 1e-9]] = True
    upper = np.flatnonzero((problem.low != problem.high) & np.isfinite(problem.high))
    lower = np.flatnonzero((problem.low != problem.high) & np.isfinite(problem.low))
    involved[np.concatenate((upper, lower))[np.abs(answer.ineqlin.marginals) > 1e-9]] = True
    return involved


def _empty(rows: int, columns: int) -> sparse.csr_array:
    return sparse.csr_array((rows, columns))


def _refuse_unfinished(status: int) -> None:
    if status == 1:
        message = f"a linear program about the statements took longer than {LONGEST:.0f} seconds; say fewer of them"
        raise TooHard(message)
