"""Sets and multisets, value by value."""

import numpy as np
import pytest

from sidelight.learner.several_values import symmetric_beliefs


def test_so_many_have_a_value_as_are_said_to_whatever_the_odds():
    scores = np.random.default_rng(1).normal(size=(40, 3)) * 200
    beliefs, log_likelihood = symmetric_beliefs(scores, np.array([1, 20, 39]))
    assert beliefs.sum(axis=0).tolist() == pytest.approx([1, 20, 39])
    assert np.isfinite(log_likelihood).all()
