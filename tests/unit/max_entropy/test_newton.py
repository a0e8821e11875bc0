"""Newton's method on the dual, on problems with a known solution."""

import numpy as np
import pytest
from scipy import sparse

import sidelight as sl
from sidelight.max_entropy.newton import minimize_dual
from sidelight.max_entropy.problem import Problem


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
    minimum = minimize_dual(square(), quiet)
    assert minimum.at.amounts == pytest.approx([1.5] * 4)
    assert minimum.residual < 1e-9


@pytest.mark.parametrize(
    ("low", "high", "first", "sign"),
    [(2.0, 2.0, 2.0, 1), (2.0, 2.5, 2.0, 1), (0.5, 1.0, 1.0, -1), (1.0, 2.0, 1.5, 0), (-np.inf, 1.2, 1.2, -1)],
)
def test_a_multiplier_pushes_to_the_bound_that_is_in_the_way(low, high, first, sign):
    minimum = minimize_dual(square([low], [high]), quiet)
    assert minimum.at.amounts == pytest.approx([first, 3 - first, 3 - first, first], abs=1e-9)
    assert np.sign(minimum.at.constraint_multipliers).tolist() == [sign]
    if sign:  # the odds ratio of the table is e^μ
        odds = np.log(minimum.at.amounts) @ [1, -1, -1, 1]
        assert odds == pytest.approx(minimum.at.constraint_multipliers[0], abs=1e-7)


def test_it_may_be_stopped_at_any_step():
    def stop(step, residual):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        minimize_dual(square([2.0], [2.0]), stop)


def test_where_there_is_no_minimum_it_comes_near_and_says_how_near():
    minimum = minimize_dual(square([3.0], [3.0]), quiet)
    assert minimum.at.amounts == pytest.approx([3, 0, 0, 3], abs=1e-6)
    assert minimum.residual < 1e-6


def test_a_second_attempt_goes_on_from_where_the_dual_is_lowest():
    problem = square([2.9], [2.9])
    once = minimize_dual(problem, quiet)
    again = minimize_dual(problem, quiet, start=once.lowest)
    assert again.steps <= 1
    assert again.at.amounts == pytest.approx(once.at.amounts)
