"""Marginals at coarser levels: how labels are put together."""

import numpy as np
import pytest

from sidelight.noise.marginals import CellLayout, coarser_level

TENS = coarser_level(0, 1, ["20-29", "20-29", "30-39", "40-49"])
TWENTIES = coarser_level(0, 2, ["20-39", "20-39", "20-39", "40-59"])


def test_axes_are_columns_and_then_their_coarser_levels():
    layout = CellLayout((4, 2), (TENS, TWENTIES))
    assert [layout.labels_of(axis) for axis in range(4)] == [4, 2, 3, 2]
    assert [layout.column(axis) for axis in range(4)] == [0, 1, 0, 0]
    assert layout.size((3, 1)) == 4
    assert layout.coarse((3, 1))
    assert not layout.coarse(layout.every)
    assert layout.is_by((3,), 0)
    assert not layout.is_by((3,), 1)


def test_labels_that_are_not_beside_each_other_are_added_up_too():
    mixed = coarser_level(0, 1, ["a", "b", "a", "b"])
    layout = CellLayout((4, 2), (mixed,))
    cells = np.arange(8).reshape(4, 2)
    assert layout.add_up(cells, (2, 1)).tolist() == [[4, 6], [8, 10]]
    assert layout.spread(np.array([7, 8]), (2,)).ravel().tolist() == [7, 8, 7, 8]


@pytest.mark.parametrize("levels", [(TENS, TWENTIES), (TWENTIES, TENS)])
def test_levels_of_one_hierarchy_are_nested(levels):
    assert CellLayout((4,), levels).is_nested()


def test_levels_that_cross_are_not_nested():
    crossing = coarser_level(0, 2, ["x", "y", "y", "y"])
    assert not CellLayout((4,), (TENS, crossing)).is_nested()
    assert CellLayout((4, 4), (TENS, coarser_level(1, 1, ["x", "y", "y", "y"]))).is_nested()
