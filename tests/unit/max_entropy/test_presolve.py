"""What sums alone force: each step against problems small enough to see."""

import time

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import OptimizeResult

import sidelight as sl
from sidelight.max_entropy import presolve
from sidelight.max_entropy.presolve import (
    Infeasible,
    conflicting,
    drop_implied,
    fix_by_frechet_bounds,
    forced_zeros,
    is_feasible,
    propagate_bounds,
    zeros_at,
)
from sidelight.max_entropy.problem import Problem


def square(*constraints, people=(2.0, 1.0), counts=(2.0, 1.0)):
    """One group of two rows and two columns; a constraint is its coefficients, a low and a high bound."""
    return Problem(
        row=np.array([0, 0, 1, 1]),
        column=np.array([0, 1, 0, 1]),
        weight=np.ones(4),
        people=np.array(people),
        counts=np.array(counts),
        group=np.array([0, 0]),
        coefficients=sparse.csr_array(np.array([each[0] for each in constraints], float).reshape(-1, 4)),
        low=np.array([each[1] for each in constraints], float),
        high=np.array([each[2] for each in constraints], float),
        statement=np.arange(len(constraints)),
    )


ONE = (1, 0, 0, 0)


def test_what_the_release_implies_is_harmless(wards):
    statements = ["P(Flu) = 0.5", "P(Flu or HIV or Cold | sex=m) = 1", "P(Flu | age=50) = 0.5", "P(Flu | age=50) = 0.5"]
    assert sl.maxent(wards, statements).entropy == pytest.approx(sl.maxent(wards).entropy, abs=1e-9)
    assert sl.maxent(wards, ["P(Flu | sex=m) = 0.4"] * 3).probability("Flu", given={"sex": "m"}) == pytest.approx(0.4)


def test_bounds_are_passed_on_from_sum_to_sum():
    assert propagate_bounds(square()).tolist() == [2, 1, 1, 1]
    assert propagate_bounds(square((ONE, 2, np.inf))) == pytest.approx([2, 0, 0, 1])
    with pytest.raises(Infeasible):
        propagate_bounds(square((ONE, 2.5, np.inf)))


def test_at_the_end_of_its_frechet_bounds_a_constraint_fixes_blocks():
    assert fix_by_frechet_bounds(square((ONE, 2, np.inf))).tolist() == [False, True, True, False]
    assert fix_by_frechet_bounds(square((ONE, -np.inf, 1))).tolist() == [False, False, False, True]
    assert not fix_by_frechet_bounds(square((ONE, 1.2, 1.8))).any()
    with pytest.raises(Infeasible) as beyond:
        fix_by_frechet_bounds(square((ONE, 0, 2), (ONE, -np.inf, 0.5)))
    assert beyond.value.alone == 1


def test_a_sum_of_shares_that_is_no_block_has_no_frechet_bounds():
    """P(n | in=F) + P(in=F or in=O | p) counts (F, n), (F, p) and (O, p), and not (O, n)."""
    assert not fix_by_frechet_bounds(square(((1, 1, 0, 1), 2, 2))).any()
    ward = sl.Release.from_buckets([([{"in": "F"}, {"in": "O"}, {"in": "O"}], ["h", "n", "p"])])
    beliefs = sl.maxent(ward, ["P(n | in=F) + P(in=O or in=F | p) = 1"])
    assert beliefs.probability("n", given={"in": "F"}) == 0


def test_terms_that_cancel_count_nothing():
    """-1/3 + 1 - 2/3 is not 0 in floats."""
    lines = [{"g": "x"}, {"g": "y"}, {"g": "y"}]
    ward = sl.Release.from_buckets([(lines, ["a", "b", "c"]), (lines[:1] * 2, ["a", "c"])])
    beliefs = sl.maxent(ward, ["-1/3 * P(a or b | a or b, g=y) + P(not b | a or b, g=y) + P(b | a or b, g=y) <= 2/3"])
    assert beliefs.entropy == pytest.approx(sl.maxent(ward).entropy, abs=1e-9)


def test_rounding_is_not_passed_on_where_one_solution_is_possible():
    lines = [{"in": "F"}, {"in": "O"}, {"in": "O"}]
    ward = sl.Release.from_buckets([(lines[:1] * 3, ["h", "h", "h"]), (lines, ["h", "n", "p"])])
    statements = [
        "P(n or h | in=F) + P(not (h or n) | n or p) = 5/4",
        "2/3 <= 2 * P(n, in=O | group=#2) + P(n) - 1/3 * P(h, in=F) <= 43/60",
    ]
    beliefs = sl.maxent(ward, statements)
    assert beliefs.probability("p", given={"in": "F"}, group=2) == 1
    assert beliefs.certificate.holds


def test_what_rows_and_columns_say_is_left_out():
    rest = drop_implied(square(((1, 1, 0, 0), 2, 2), ((1, 1, 1, 0), 2.5, 2.5)))
    assert rest.statement.tolist() == [1]
    assert rest.coefficients.toarray().tolist() == [[0, 0, 1, 0]]
    assert (rest.low.tolist(), rest.high.tolist()) == ([0.5], [0.5])
    with pytest.raises(Infeasible):
        drop_implied(square(((1, 1, 0, 0), 1, 1)))


def test_zeros_that_only_a_program_sees():
    both = square(((1, 0, 0, 1), 3, np.inf))
    assert forced_zeros(both, np.arange(4)).tolist() == [False, True, True, False]
    assert forced_zeros(both, np.array([0, 1])).tolist() == [False, True, False, False]
    assert is_feasible(both)


def test_zeros_at_a_solution():
    both = square(((1, 0, 0, 1), 3, np.inf))
    assert zeros_at(both, np.array([1.5, 0, 0, 1.5]), np.array([1, 2])).tolist() == [False, True, True, False]
    loose = square(((1, 0, 0, 1), 2, np.inf))  # away from its bound it keeps nothing from growing
    assert not zeros_at(loose, np.array([1.5, 0, 0, 1.5]), np.array([1, 2])).any()


def test_the_constraints_of_a_contradiction_are_found():
    problem = square((ONE, 1.9, 2), (ONE, -np.inf, 1.2), ((0, 1, 0, 0), 0, 1))
    assert not is_feasible(problem)
    assert conflicting(problem).tolist() == [True, True, False]


def test_nothing_has_to_hold_of_nothing():
    empty, _, _ = square((ONE, 1, 2)).restrict(np.zeros(4, bool), np.array([True]))
    assert not is_feasible(empty)


PROGRAMS = [
    (is_feasible, None),
    (lambda problem, deadline: forced_zeros(problem, np.arange(4), deadline=deadline), None),
    (lambda problem, deadline: zeros_at(problem, np.ones(4), np.arange(4), deadline=deadline), None),
    (lambda problem, deadline: conflicting(problem, deadline=deadline).all(), True),  # all, as far as is known
]


@pytest.mark.parametrize(
    ("program", "no_answer"), PROGRAMS, ids=["is_feasible", "forced_zeros", "zeros_at", "conflicting"]
)
def test_a_program_has_the_time_that_is_left(program, no_answer, monkeypatch):
    limits = []

    def give_up(*_, options, **__):
        limits.append(options["time_limit"])
        return OptimizeResult(status=1)

    monkeypatch.setattr(presolve, "linprog", give_up)
    assert program(square((ONE, 1, 1.5)), deadline=time.monotonic() + 7000) == no_answer
    assert 6000 < limits[0] <= 7000


@pytest.mark.parametrize(
    ("program", "no_answer"), PROGRAMS, ids=["is_feasible", "forced_zeros", "zeros_at", "conflicting"]
)
def test_after_the_deadline_no_program_begins(program, no_answer):
    assert program(square((ONE, 1, 1.5)), deadline=time.monotonic()) == no_answer
