"""Linear programs about a problem: can its sums all be so, and which amounts can only be 0?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from sidelight.errors import TooHard
from sidelight.max_entropy.problem import A_PERSON, Flags, Floats, Problem
from sidelight.table.columns import Integers

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
