"""Groups that are gone through exactly, and those that are scaled.

Sets and multisets, value by value.

The slow twin: products are multiplied out.
"""

import math

import numpy as np
import pytest

import sidelight as sl
from sidelight.learner import assignments
from sidelight.learner.assignments import (
    Assignments,
    balance_values,
    expect_by_products,
    forward_backward,
    gone_through,
    multiply_out,
    symmetric_beliefs,
)
from sidelight.learner.learned import roster_of
from sidelight.learner.roster import Roster
from sidelight.release.locate import Lookup
from sidelight.release.release import Release


def pair(odds):
    """Two people, of whom the first is likelier to have Flu by these odds, and what is believed of them."""
    release = sl.Release.from_buckets([([{"q": "x"}, {"q": "y"}], ["Flu", "Cold"])])
    roster = Roster.of_members(release, release.members)
    flu = release.domain.index("Flu")
    scores = np.where((roster.line == 0) & (roster.value == flu), math.log(odds), 0.0)
    place = int(np.flatnonzero((roster.line == 0) & (roster.value == flu))[0])
    return {bound: Assignments(roster, bound).expect(scores)[0][place] for bound in (None, 0)}


def test_of_two_people_scaling_gives_the_root_and_forward_backward_what_is_so():
    believed = pair(9.0)
    assert believed[None] == pytest.approx(9 / 10)
    assert believed[0] == pytest.approx(3 / 4, abs=1e-3)


def test_small_groups_are_exact_however_many_there_are():
    many = np.full(2_000_000, 1_000.0)
    assert gone_through(many, 10, None).all()


def test_large_groups_are_exact_the_smallest_first_and_all_of_a_size_or_none():
    states = np.array([90_000.0, 2_000.0, 90_000.0, 200_000.0])
    assert gone_through(states, 10, None).tolist() == [True, True, True, False]
    assert gone_through(states, 15, None).tolist() == [False, True, False, False]
    assert gone_through(states, 15, 200_000).all()


@pytest.mark.parametrize("size", [8, 30])
def test_nothing_that_matters_vanishes_beside_what_is_much_likelier(size):
    # everybody would rather have the first value, the last half far more so: they have it
    scores = np.zeros((2 * size, 2, 1))
    scores[:size, 1], scores[size:, 1] = -46.0, -115.0
    even, log_factor = balance_values(scores, (size, size))
    highest = even.max(axis=1, keepdims=True)
    beliefs, log_likelihood = forward_backward(np.exp(even - highest), (size, size))
    assert beliefs[0, :, 0].tolist() == pytest.approx([0, 1], abs=1e-9)
    assert beliefs[-1, :, 0].tolist() == pytest.approx([1, 0], abs=1e-9)
    assert float(log_likelihood[0] + highest.sum() - log_factor) == pytest.approx(-46.0 * size)


def test_so_many_have_a_value_as_are_said_to_whatever_the_odds():
    scores = np.random.default_rng(1).normal(size=(40, 3)) * 200
    beliefs, log_likelihood = symmetric_beliefs(scores, np.array([1, 20, 39]))
    assert beliefs.sum(axis=0).tolist() == pytest.approx([1, 20, 39])
    assert np.isfinite(log_likelihood).all()


@pytest.mark.parametrize("sized", [[{"town": str(at)} for at in range(9)], [{"town": "x"}] * 4 + [{"town": "y"}] * 5])
def test_groups_that_are_multiplied_out_owe_nothing_to_the_quick_path(monkeypatch, sized):
    roster = roster_of(Release.from_buckets([(sized, list("abcdefghi"))]), None, Lookup())
    quick = Assignments(roster)
    scores = np.random.default_rng(1).normal(size=len(roster.line)) * 3
    right, _ = quick.expect(scores)
    monkeypatch.setattr(assignments, "forward_backward", lambda weights, counts: (weights * 0 + 1, weights[0, 0] * 0))
    wrong, _ = quick.expect(scores)
    assert np.abs(wrong - right).max() > 0.1
    np.testing.assert_allclose(expect_by_products(quick, scores)[0], right, atol=1e-12)


def test_products_of_many_groups_are_taken_apart(monkeypatch):
    scores = np.random.default_rng(2).normal(size=(6, 3, 40))
    whole = multiply_out(scores, (3, 2, 1))
    monkeypatch.setattr("sidelight.learner.assignments.COEFFICIENTS_AT_ONCE", 1)
    np.testing.assert_array_equal(multiply_out(scores, (3, 2, 1)), whole)


def test_what_is_hardly_possible_is_not_lost_in_products():
    scores = np.zeros((12, 2, 1))
    scores[:, 0, 0] = np.linspace(-900, 900, 12)
    beliefs = multiply_out(scores, (6, 6))[:, 0, 0]
    np.testing.assert_allclose(beliefs, [0] * 6 + [1] * 6, atol=1e-9)
