"""Newton's method on the dual, on problems with a known solution.

Iterative scaling: the dual falls, and what shares no variable is scaled at once.

The linear algebra of a step; against a dense Hessian it is tested in tests/agree/test_maxent_parts.py.
"""

import numpy as np
import pytest
from scipy import sparse

import sidelight as sl
from sidelight.max_entropy import newton
from sidelight.max_entropy.newton import (
    Dual,
    Hessian,
    _disjoint_classes,
    minimize_dual,
    scaled_multipliers,
)
from sidelight.max_entropy.problem import Problem
from sidelight.max_entropy.variables import ONE_PERSON


def square(low=(), high=()):
    """Two rows and two columns of three people each, and bounds on the first entry."""
    return Problem(
        row=np.array([0, 0, 1, 1]),
        column=np.array([0, 1, 0, 1]),
        weight=np.ones(4),
        people=np.array([3.0, 3.0]),
        counts=np.array([3.0, 3.0]),
        group=np.array([0, 0]),
        coefficients=sparse.csr_array(np.array([[1.0, 0, 0, 0]] * len(low)).reshape(-1, 4)),
        low=np.array(low),
        high=np.array(high),
        statement=np.arange(len(low)),
    )


def quiet(step, residual):
    pass


def test_a_bound_that_holds_anyway_does_not_push(wards):
    beliefs = sl.maxent(wards, ["P(Flu | sex=m) <= 0.99"])
    assert [*beliefs.certificate.multipliers.values()] == [0.0]
    assert beliefs.entropy == pytest.approx(sl.maxent(wards).entropy, abs=1e-12)


def test_without_constraints_rows_and_columns_are_independent():
    minimum, _ = minimize_dual(square(), quiet)
    assert minimum.amounts == pytest.approx([1.5] * 4)
    assert minimum.residual < 1e-9


@pytest.mark.parametrize(
    ("low", "high", "first", "sign"),
    [(2.0, 2.0, 2.0, 1), (2.0, 2.5, 2.0, 1), (0.5, 1.0, 1.0, -1), (1.0, 2.0, 1.5, 0), (-np.inf, 1.2, 1.2, -1)],
)
def test_a_multiplier_pushes_to_the_bound_that_is_in_the_way(low, high, first, sign):
    minimum, _ = minimize_dual(square([low], [high]), quiet)
    assert minimum.amounts == pytest.approx([first, 3 - first, 3 - first, first], abs=1e-9)
    assert np.sign(minimum.constraint_multipliers).tolist() == [sign]
    if sign:  # the odds ratio of the table is e^μ
        odds = np.log(minimum.amounts) @ [1, -1, -1, 1]
        assert odds == pytest.approx(minimum.constraint_multipliers[0], abs=1e-7)


def test_it_may_be_stopped_at_any_step():
    def stop(step, residual):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        minimize_dual(square([2.0], [2.0]), stop)


def test_where_there_is_no_minimum_it_comes_near_and_says_how_near():
    minimum, _ = minimize_dual(square([3.0], [3.0]), quiet)
    assert minimum.amounts == pytest.approx([3, 0, 0, 3], abs=1e-6)
    assert minimum.residual < 1e-6


def test_a_second_attempt_goes_on_from_where_the_dual_is_lowest():
    problem = square([2.9], [2.9])
    once, lowest = minimize_dual(problem, quiet)
    again, last = minimize_dual(problem, quiet, start=lowest)
    assert last.step <= 1
    assert again.amounts == pytest.approx(once.amounts)


def people_by_name(names, low=(), high=(), first=()):
    """One group of ten people and two values, with a row each for those who are named; `first` entries are bounded."""
    rows = names + 1
    row, column = np.repeat(np.arange(rows), 2), np.tile([0, 1], rows)
    bounded = np.zeros((len(first), 2 * rows))
    bounded[np.arange(len(first)), list(first)] = 1
    return Problem(
        row=row,
        column=column,
        weight=np.ones(2 * rows),
        people=np.array([1.0] * names + [10.0 - names]),
        counts=np.array([4.0, 6.0]),
        group=np.array([0, 0]),
        coefficients=sparse.csr_array(bounded),
        low=np.array(low),
        high=np.array(high),
        statement=np.full(len(first), ONE_PERSON),
    )


@pytest.mark.parametrize(
    ("low", "high", "share"), [(0.9, 0.9, 0.9), (0.7, 1.0, 0.7), (-np.inf, 0.2, 0.2), (0.1, 0.9, 0.4)]
)
def test_sums_come_near_their_totals(low, high, share):
    problem = people_by_name(1, [low], [high], [0])
    near = Dual(problem).evaluate(*scaled_multipliers(problem))
    assert near.amounts[0] == pytest.approx(share, abs=0.02)
    exact, _ = minimize_dual(problem, lambda step, residual: None)
    assert exact.dual == pytest.approx(near.dual, abs=0.01)
    assert exact.dual <= near.dual + 1e-12
    assert exact.amounts[0] == pytest.approx(share, abs=1e-9)


def test_the_dual_falls_however_far_off_the_start_is():
    problem = people_by_name(3, [1e-6, 0.5, 1 - 1e-6], [1e-6, 0.5, 1 - 1e-6], [0, 2, 4])
    dual = Dual(problem)
    start = dual.evaluate(np.zeros(2), np.zeros(3))
    near = dual.evaluate(*scaled_multipliers(problem))
    assert near.dual < start.dual
    assert near.residual < 0.1 * start.residual


def test_a_class_shares_no_variable():
    problem = people_by_name(3, [0.5, 0.5, 0.4], [0.5] * 3, [0, 0, 4])
    assert [each.tolist() for each in _disjoint_classes(problem)] == [[0, 2], [1]]


def test_sums_of_anything_else_are_left_alone():
    problem = people_by_name(2, [0.5, 0.0], [0.5, 0.0], [0, 2])
    problem.coefficients.data[0] = 0.3
    assert [*_disjoint_classes(problem)] == []  # one does not count people, the other says that there is nobody
    assert scaled_multipliers(problem)[1].tolist() == [0, 0]


def test_many_statements_are_solved_step_by_step(monkeypatch, wards):
    statements = ["P(Flu | sex=m) = 0.4", "P(HIV | age=30) = 0.3", "P(Flu | sex=f) >= 0.3"]
    at_once = sl.maxent(wards, statements).entropy
    monkeypatch.setattr("sidelight.max_entropy.newton.DENSE_UP_TO", 0)
    assert sl.maxent(wards, statements).entropy == pytest.approx(at_once, abs=1e-9)


def two_groups():
    return Problem(
        row=np.array([0, 0, 1, 1, 2]),
        column=np.array([0, 1, 0, 1, 2]),
        weight=np.ones(5),
        people=np.array([2.0, 3.0, 4.0]),
        counts=np.array([2.0, 3.0, 4.0]),
        group=np.array([0, 0, 1]),
        coefficients=sparse.csr_array(np.array([[1.0, 0, 0, 0, 1], [0, 0, 0, 1, 0]])),
        low=np.zeros(2),
        high=np.ones(2),
        statement=np.arange(2),
    )


AMOUNTS = np.array([0.5, 1.5, 1.5, 1.5, 4.0])


def test_groups_of_any_size_may_share_a_stack_or_not(monkeypatch):
    one = Dual(two_groups())
    monkeypatch.setattr(newton, "CACHED_NUMBERS", 1)
    several = Dual(two_groups())
    assert len(one.stacks) < len(several.stacks)
    right = np.array([0.1, -0.1, 0.0]), np.array([0.3, 0.2])
    steps = [Hessian(each, AMOUNTS).solve(*right, np.ones(2, bool)) for each in (one, several)]
    for part, again in zip(*steps, strict=True):
        assert part == pytest.approx(again, abs=1e-6)


def test_only_active_constraints_are_pushed():
    hessian = Hessian(Dual(two_groups()), AMOUNTS)
    _, change = hessian.solve(np.zeros(3), np.array([0.3, 0.2]), np.array([False, True]))
    assert change[0] == 0
    assert change[1] > 0


def test_a_constraint_of_which_nothing_is_left_is_not_pushed():
    amounts = np.array([2.0, 0.0, 3.0, 0.0, 4.0])
    _, change = Hessian(Dual(two_groups()), amounts).solve(np.zeros(3), np.array([0.0, 0.2]), np.ones(2, bool))
    assert change[1] == 0
