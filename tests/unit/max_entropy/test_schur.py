"""The linear algebra of a step; against a dense Hessian it is tested in tests/agree/test_maxent_parts.py."""

import numpy as np
import pytest
from scipy import sparse

import sidelight as sl
from sidelight.max_entropy import schur
from sidelight.max_entropy.problem import Problem
from sidelight.max_entropy.schur import Elimination, Hessian


def test_many_statements_are_solved_step_by_step(monkeypatch, wards):
    statements = ["P(Flu | sex=m) = 0.4", "P(HIV | age=30) = 0.3", "P(Flu | sex=f) >= 0.3"]
    at_once = sl.maxent(wards, statements).entropy
    monkeypatch.setattr("sidelight.max_entropy.schur.DENSE_UP_TO", 0)
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
    one = Elimination(two_groups())
    monkeypatch.setattr(schur, "CACHED_NUMBERS", 1)
    several = Elimination(two_groups())
    assert len(one.stacks) < len(several.stacks)
    right = np.array([0.1, -0.1, 0.0]), np.array([0.3, 0.2])
    steps = [Hessian(each, AMOUNTS).solve(*right, np.ones(2, bool)) for each in (one, several)]
    for part, again in zip(*steps, strict=True):
        assert part == pytest.approx(again, abs=1e-6)


def test_only_active_constraints_are_pushed():
    hessian = Hessian(Elimination(two_groups()), AMOUNTS)
    _, change = hessian.solve(np.zeros(3), np.array([0.3, 0.2]), np.array([False, True]))
    assert change[0] == 0
    assert change[1] > 0


def test_a_constraint_of_which_nothing_is_left_is_not_pushed():
    amounts = np.array([2.0, 0.0, 3.0, 0.0, 4.0])
    _, change = Hessian(Elimination(two_groups()), amounts).solve(np.zeros(3), np.array([0.0, 0.2]), np.ones(2, bool))
    assert change[1] == 0
