"""The slow twin gives up where nobody lists."""

import math

from sidelight.learner.enumeration import MOST, assignments_of


def test_every_assignment_is_listed_once():
    listed = assignments_of((3, 2, 1))
    assert len(listed) == len({tuple(row) for row in listed.tolist()}) == math.factorial(6) // (6 * 2)


def test_too_many_assignments_are_not_listed():
    assert math.factorial(8) > MOST
    assert assignments_of((1,) * 8) is None
