"""Least squares step by step: what holds wherever the steps end."""

import numpy as np

from sidelight.noise.marginals import CellLayout, coarser_level
from sidelight.noise.nested_least_squares import NestedLeastSquares


def test_answers_are_right_on_average_even_if_the_steps_end_too_soon(monkeypatch):
    monkeypatch.setattr("sidelight.noise.nested_least_squares.STEPS_AT_MOST", 1)
    layout = CellLayout((7, 3), (coarser_level(0, 1, [0, 0, 0, 0, 1, 1, 2]),))
    fast = NestedLeastSquares(layout, {(0, 1): 4.0, (2,): 1.0, (1,): 2.0})
    beside, lowered, _ = fast.weights([np.array([0, 4]), np.array([1])])
    chosen = np.zeros(layout.shape)
    chosen[np.ix_([0, 4], [1])] = 1
    together = chosen - lowered[np.ix_(*fast._groups)]
    for axes, weights in beside.items():
        together = together + layout.spread(weights, axes)
    assert np.allclose(together, chosen, atol=1e-12)


def test_labels_that_symmetries_swap_are_of_one_kind():
    layout = CellLayout((7, 3), (coarser_level(0, 1, [0, 0, 0, 1, 1, 1, 2]),))
    fast = NestedLeastSquares(layout, {(0, 1): 4.0, (2,): 1.0})
    assert [[each.tolist() for each in kind] for kind in fast.kinds((2,))] == [
        [[0, 1, 2], [0, 1, 2]],
        [[6], [0, 1, 2]],
    ]
    assert len(fast.kinds((0, 1))) == 2
    assert len(fast.kinds(())) == 1
