"""Groups that are gone through exactly, and those that are scaled."""

import math

import numpy as np
import pytest

import sidelight as sl
from sidelight.learner.assignments import (
    AFFORDABLE,
    ALWAYS_EXACT,
    Assignments,
    balance_values,
    forward_backward,
    gone_through,
)
from sidelight.learner.roster import Roster


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
    many = np.full(AFFORDABLE, float(ALWAYS_EXACT))
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
