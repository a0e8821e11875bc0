"""Iterative scaling: the dual falls, and what shares no variable is scaled at once."""

import numpy as np
import pytest
from scipy import sparse

from sidelight.max_entropy.newton import _Newton, minimize_dual
from sidelight.max_entropy.problem import ONE_PERSON, Problem
from sidelight.max_entropy.scaling import _classes, scaled_multipliers


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
    near = _Newton(problem).evaluate(*scaled_multipliers(problem))
    assert near.amounts[0] == pytest.approx(share, abs=0.02)
    exact = minimize_dual(problem, lambda step, residual: None)
    assert exact.at.dual == pytest.approx(near.dual, abs=0.01)
    assert exact.at.dual <= near.dual + 1e-12
    assert exact.at.amounts[0] == pytest.approx(share, abs=1e-9)


def test_the_dual_falls_however_far_off_the_start_is():
    problem = people_by_name(3, [1e-6, 0.5, 1 - 1e-6], [1e-6, 0.5, 1 - 1e-6], [0, 2, 4])
    newton = _Newton(problem)
    start = newton.evaluate(np.zeros(2), np.zeros(3))
    near = newton.evaluate(*scaled_multipliers(problem))
    assert near.dual < start.dual
    assert newton.residual(near) < 0.1 * newton.residual(start)


def test_a_class_shares_no_variable():
    problem = people_by_name(3, [0.5, 0.5, 0.4], [0.5] * 3, [0, 0, 4])
    assert [each.constraint.tolist() for each in _classes(problem)] == [[0, 2], [1]]


def test_sums_of_anything_else_are_left_alone():
    problem = people_by_name(2, [0.5, 0.0], [0.5, 0.0], [0, 2])
    problem.coefficients.data[0] = 0.3
    assert [*_classes(problem)] == []  # one does not count people, the other says that there is nobody
    assert scaled_multipliers(problem)[1].tolist() == [0, 0]
