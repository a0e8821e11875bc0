"""Models: what they learn does not hang on the order of people."""

import os
import subprocess
import sys

import numpy as np
import pytest

import sidelight as sl
from sidelight.learner.roster import Roster
from sidelight.learner.training import Logistic, NaiveBayes


@pytest.fixture(scope="module")
def roster():
    release = sl.Release.from_buckets([([{"q": "x"}, {"q": "x"}, {"q": "y"}], ["Flu", "Flu", "Cold"])])
    return Roster.of_members(release, release.members)


def test_naive_bayes_counts_labels_by_value_and_adds_one(roster):
    model = NaiveBayes(roster)
    model.learn(roster.shares)
    flu = roster.release.domain.index("Flu")
    shares = np.exp(model.scores_by_column()[0][:, flu])
    assert shares.tolist() == pytest.approx([(1 + 4 / 3) / 4, (1 + 2 / 3) / 4])  # of x and y


def test_logistic_climbs_to_where_the_ridge_balances_what_is_expected(roster):
    model = Logistic(roster)
    expected = np.where(roster.value == roster.release.domain.index("Flu"), 0.75, 0.25)
    for _ in range(5):
        model.learn(expected)
    weights = model.weights.reshape(-1, 2)
    likely = np.exp(weights) / np.exp(weights).sum(axis=1, keepdims=True)
    people = np.array([[2.0], [1.0]])
    wanted = np.where(np.arange(2) == roster.release.domain.index("Flu"), 0.75, 0.25)
    np.testing.assert_allclose(people * (wanted - likely), weights, atol=1e-5)


ADDS_UP = """
import numpy as np
from sidelight.learner.training import _dot
one, other = np.random.default_rng(1).normal(size=(2, 50_000, 14))
print(_dot(one, other).hex())
"""


def test_what_logistic_climbs_by_does_not_hang_on_the_number_of_threads():
    sums = [
        subprocess.run(
            [sys.executable, "-c", ADDS_UP],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            check=True,
            capture_output=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert sums[0] == sums[1]
