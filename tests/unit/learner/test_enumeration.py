"""The slow twins: every assignment is listed, and where nobody lists, products are multiplied out."""

import math

import numpy as np
import pytest

from sidelight.learner import assignments
from sidelight.learner.assignments import Assignments
from sidelight.learner.enumeration import MOST, EnumeratedAssignments, assignments_of, multiplied_out
from sidelight.learner.learned import roster_of
from sidelight.release.locate import Lookup
from sidelight.release.release import Release


def test_every_assignment_is_listed_once():
    listed = assignments_of((3, 2, 1))
    assert len(listed) == len({tuple(row) for row in listed.tolist()}) == math.factorial(6) // (6 * 2)


def test_too_many_assignments_are_not_listed():
    assert math.factorial(8) > MOST
    assert assignments_of((1,) * 8) is None


@pytest.mark.parametrize("sized", [[{"town": str(at)} for at in range(9)], [{"town": "x"}] * 4 + [{"town": "y"}] * 5])
def test_groups_that_nobody_lists_owe_nothing_to_the_quick_path(monkeypatch, sized):
    roster = roster_of(Release.from_buckets([(sized, list("abcdefghi"))]), None, Lookup())
    quick = Assignments(roster)
    scores = np.random.default_rng(1).normal(size=len(roster.line)) * 3
    right, _ = quick.expect(scores)
    monkeypatch.setattr(assignments, "forward_backward", lambda weights, counts: (weights * 0 + 1, weights[0, 0] * 0))
    wrong, _ = quick.expect(scores)
    assert np.abs(wrong - right).max() > 0.1
    np.testing.assert_allclose(EnumeratedAssignments(quick).expect(scores)[0], right, atol=1e-12)


def test_products_of_many_groups_are_taken_apart(monkeypatch):
    scores = np.random.default_rng(2).normal(size=(6, 3, 40))
    whole = multiplied_out(scores, (3, 2, 1))
    monkeypatch.setattr("sidelight.learner.enumeration.AT_ONCE", 1)
    np.testing.assert_array_equal(multiplied_out(scores, (3, 2, 1)), whole)


def test_what_is_hardly_possible_is_not_lost_in_products():
    scores = np.zeros((12, 2, 1))
    scores[:, 0, 0] = np.linspace(-900, 900, 12)
    beliefs = multiplied_out(scores, (6, 6))[:, 0, 0]
    np.testing.assert_allclose(beliefs, [0] * 6 + [1] * 6, atol=1e-9)
