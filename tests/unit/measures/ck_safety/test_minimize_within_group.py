"""The least probabilities of one group: both arithmetics, edges, and the allocation that reaches them."""

from fractions import Fraction

import numpy as np

from sidelight.measures.ck_safety.minimize_within_group import (
    LOG_OF_ZERO,
    Allocation,
    ExactProgram,
    TopCounts,
    allocate,
    least_log_probabilities,
    tolerance,
)

HOSPITAL = TopCounts(np.array([5, 5]), np.array([[2, 2], [2, 1]]), np.array([2, 2]))


def test_the_numbers_of_the_paper():
    others, targets = ExactProgram.from_groups(HOSPITAL).probabilities(HOSPITAL)
    assert others.tolist() == [[1, 1], [Fraction(3, 5), Fraction(3, 5)]]
    assert targets.tolist() == [[Fraction(3, 2), Fraction(3, 2)], [Fraction(1, 2), Fraction(3, 4)]]


def test_a_group_without_the_value_cannot_hold_the_target():
    groups = TopCounts(np.array([5]), np.array([[3, 2]]), np.array([0]))
    assert np.isinf(least_log_probabilities(groups)[1]).all()
    assert ExactProgram.from_groups(groups).probabilities(groups)[1].ravel().tolist() == [np.inf, np.inf]


def test_groups_of_any_kind_have_probabilities():
    """Also those of one person, without the value, or in which one of the atoms must hold; never nan."""
    groups = TopCounts(np.array([1, 2, 3]), np.array([[1, 0, 0], [1, 1, 0], [3, 0, 0]]), np.array([1, 0, 0]))
    others, targets = least_log_probabilities(groups)
    assert (others[1:, 0] <= LOG_OF_ZERO).all()
    assert (targets[:, 0] <= LOG_OF_ZERO).all()
    assert np.isinf(targets[:, 1:]).all()
    assert not np.isnan(others).any()


def test_atoms_go_where_they_do_most():
    """One value is nearly everybody's: ask more people about it; many are equally rare: ask the target about more."""
    frequent = TopCounts(np.array([100]), np.array([[60, 2, 2, 2]]), np.array([60]))
    rare = TopCounts(np.array([100]), np.array([[10, 10, 10, 10]]), np.array([10]))
    assert allocate(frequent, 3, target=True) == Allocation((1, 1, 1, 1), with_target=4)
    assert allocate(rare, 3, target=True) == Allocation((4,), with_target=1)
    assert allocate(rare, 2, target=False) == Allocation((2,))


def test_very_many_atoms():
    """Of 2,000 people with as many values, one avoids h values, or h people avoid one, with probability 1 − h/2,000."""
    groups = TopCounts(np.array([2000]), np.ones((1, 720), np.int64), np.array([1]))
    others, targets = least_log_probabilities(groups)
    np.testing.assert_allclose(np.exp(others[:, 0]), 1 - np.arange(720) / 2000)
    np.testing.assert_allclose(np.exp(targets[:, 0]), 2000 - np.arange(1, 721))


def test_the_larger_logarithms_are_the_farther_apart_they_may_be():
    assert tolerance(np.array([0.0, 0.5, -1.0, -4.0, 8.0])).tolist() == [1e-9, 1e-9, 1e-9, 4e-9, 8e-9]
