"""Distances of labels: on lines, beside them, and along hierarchies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.table.label_distances import points_of, squared_distances


def test_a_missing_place_is_as_far_from_both_ends_as_they_are_from_one_another():
    points = points_of(np.array([10.0, 20.0, 30.0, np.nan]))
    squared = squared_distances(points, points)
    assert squared[3].tolist() == pytest.approx([1, 0.75, 1, 0])
    assert squared[0, 2] == 1


@given(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=1, max_size=6))
def test_distances_are_symmetric_and_at_most_1(line):
    points = points_of(np.array(line))
    squared = squared_distances(points, points)
    assert (squared == squared.T).all()
    assert squared.min() >= 0
    assert squared.max() <= 1 + 1e-9


def test_a_line_of_one_place_or_none_has_no_length():
    assert points_of(np.array([7.0])).tolist() == [[0]]
    assert points_of(np.array([np.nan, np.nan])).tolist() == [[0, 0]]
