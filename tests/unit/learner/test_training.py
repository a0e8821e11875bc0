"""Models: what they learn does not hang on the order of people.

How much of a model is believed: nothing on values dealt by chance, and what holds where there is a relation.
"""

import math
import os
import subprocess
import sys
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.learner.assignments import Assignments
from sidelight.learner.roster import Roster
from sidelight.learner.training import (
    FOLDS,
    NOTHING_HOLDS,
    TEMPERATURE_STEPS,
    Logistic,
    NaiveBayes,
    calibrate_model,
    expectation_of,
    fold_of_groups,
    new_model,
)
from sidelight.search.protect import largest_share


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


COLUMNS = ("one", "two", "three")
MODELS = ["logistic", "naive bayes"]


def people_of(seed, people, strength, values=8):
    """Draw a table whose values depend on three columns of five labels by random weights of this strength."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 5, (people, len(COLUMNS)))
    weights = random.normal(size=(len(COLUMNS), 5, values)) * strength
    scores = sum(weights[at, codes[:, at]] for at in range(len(COLUMNS))) + random.gumbel(size=(people, values))
    rows = {name: codes[:, at].astype(str) for at, name in enumerate(COLUMNS)}
    rows["value"] = [f"v{each}" for each in scores.argmax(axis=1)]
    return sl.read_table(pa.table(rows), quasi=list(COLUMNS), sensitive="value")


def anatomised(seed, people, strength, diversity):
    lots = sl.Anatomy(l=diversity, random=np.random.default_rng(seed))
    table = people_of(seed, people, strength)
    return sl.protect(table, sl.DistinctValues() >= diversity, method=lots, ask="nobody")


def roster_of(release):
    return Roster.of_members(release, release.members)


# Reliability


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("people", "diversity"), [(100, 2), (800, 2), (800, 4)])
@pytest.mark.parametrize("seed", [1, 2])
def test_values_without_a_relation_are_claimed_as_often_as_they_are_right(seed, people, diversity, model):
    found = anatomised(seed, people, 0, diversity)
    learned = sl.learn(found.release, model, truth=found)
    assert learned.claimed == pytest.approx(learned.by_release)
    assert learned.calibration_error < 0.05
    assert NOTHING_HOLDS in learned.notes
    assert sl.Learner(model=model).measure(found.release).value == largest_share(found.release)
    raw = sl.learn(found.release, model, truth=found, calibrated=False)
    assert raw.claimed > raw.right + 0.2


def test_values_without_a_relation_are_claimed_in_groups_of_mondrian_as_they_are_right():
    table = people_of(3, 600, 0)
    found = sl.protect(table, sl.GroupSize() >= 5, method="mondrian", ask="nobody")
    learned = sl.learn(found.release, "naive bayes", truth=found, roster=table)
    assert learned.claimed == pytest.approx(learned.by_release)


@pytest.mark.parametrize("model", MODELS)
def test_a_relation_is_claimed_as_often_as_it_is_right(model):
    found = anatomised(4, 800, 0.7, 2)
    learned = sl.learn(found.release, model, truth=found)
    assert learned.right > learned.by_release + 0.2
    assert learned.claimed == pytest.approx(learned.right, abs=0.05)
    for each in learned.calibration:
        off = 3 * math.sqrt(0.25 / each.people)
        assert each.claimed == pytest.approx(each.right, abs=0.03 + off)


# Folds


def turned(release):
    """Return the same release with groups, people, columns and values in the opposite order."""
    roster = roster_of(release)
    buckets = []
    for group in reversed(range(len(release))):
        lines = np.flatnonzero(roster.members.group == group)[::-1]
        keys = np.repeat(roster.members.key[lines], roster.members.people[lines]).tolist()
        bag = [
            release.domain[value]
            for row, value, count in zip(*roster.entries, strict=True)
            for _ in range(count)
            if row == group
        ]
        buckets.append(([dict(reversed(roster.says(key))) for key in keys], bag[::-1]))
    return sl.Release.from_buckets(buckets, domain=release.domain[::-1])


def test_folds_do_not_depend_on_the_order_of_groups_people_columns_or_values():
    release = anatomised(5, 60, 0, 2).release
    folds = fold_of_groups(roster_of(release))
    assert set(folds.tolist()) == set(range(FOLDS))
    np.testing.assert_array_equal(fold_of_groups(roster_of(turned(release)))[::-1], folds)


@pytest.mark.parametrize("model", MODELS)
def test_calibrated_beliefs_do_not_depend_on_the_order_of_groups_people_columns_or_values(model):
    release = anatomised(5, 200, 1.5, 2).release
    beliefs = [
        sorted(
            (abs(group - row["group"]), *(row[name] for name in COLUMNS), row["value"], row["belief"])
            for row in sl.learn(each, model).table().to_pylist()
        )
        for group, each in ((0, release), (len(release) + 1, turned(release)))
    ]
    assert [row[:-1] for row in beliefs[0]] == [row[:-1] for row in beliefs[1]]
    np.testing.assert_allclose([row[-1] for row in beliefs[0]], [row[-1] for row in beliefs[1]], atol=1e-6)
    assert sl.learn(release, model).gain > 0.1


def test_a_model_does_not_learn_from_groups_that_are_held_out():
    pair = ([{"sex": "f"}, {"sex": "m"}], ["Flu", "Cold"])
    first = sl.Release.from_buckets([pair, ([{"sex": "m"}, {"sex": "m"}], ["Flu", "Flu"])])
    other = sl.Release.from_buckets([pair, ([{"sex": "m"}, {"sex": "m"}], ["Cold", "Flu"])])
    said = []
    for release in (first, other):
        roster = roster_of(release)
        for name in MODELS:
            model = new_model(roster, name, training_lines=roster.members.group == 0)
            model.learn(roster.shares)
            said.append(model.add_columns(model.scores_by_column()))
    np.testing.assert_allclose(said[0], said[2])
    np.testing.assert_allclose(said[1], said[3])


# Likelihoods, by listing


def log_likelihood_by_listing(people, bag, probability):
    """ln Pr(the bag | people), every distinct order of the bag."""
    orders = set(permutations(bag))
    return math.log(sum(math.prod(probability[q, s] for q, s in zip(people, order, strict=True)) for order in orders))


@examples(20)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abc")), min_size=4, max_size=6), st.integers(0, 99))
def test_the_likelihood_of_held_out_groups_is_that_of_listing_with_the_best_offsets(pairs, seed):
    half = len(pairs) // 2
    parts = (pairs[:half], pairs[half:])
    release = sl.Release.from_buckets([([{"q": q} for q, _ in part], [s for _, s in part]) for part in parts])
    roster = roster_of(release)
    model = new_model(roster, "naive bayes", training_lines=np.zeros(len(roster), bool))
    score = np.random.default_rng(seed).normal(size=(roster.members.key_count, len(release.domain)))
    expected = Assignments(roster, 10**6).expect(score.ravel()[model.key_value])[1] + model.log_normaliser(score)
    keys = {dict(roster.says(key))["q"]: key for key in range(roster.members.key_count)}

    def listed(offsets):
        likely = np.exp(score + offsets)
        likely /= likely.sum(axis=1, keepdims=True)
        of = {(q, s): likely[keys[q], release.domain.index(s)] for q in keys for s in release.domain}
        return sum(log_likelihood_by_listing([q for q, _ in part], [s for _, s in part], of) for part in parts)

    random = np.random.default_rng(seed + 1)
    assert all(listed(random.normal(size=len(release.domain)) * 2) <= expected + 1e-6 for _ in range(20))
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import, and only here

    best = -minimize(lambda offsets: -listed(offsets), np.zeros(len(release.domain))).fun
    assert expected == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("exact_up_to", [0, 100_000])
def test_the_capacity_of_a_scaled_group_is_no_less_than_its_likelihood(exact_up_to):
    found = anatomised(6, 60, 0, 4)
    roster = roster_of(found.release)
    scores = np.random.default_rng(6).normal(size=len(roster.line))
    quick, exact = (Assignments(roster, states).expect(scores)[1] for states in (exact_up_to, 100_000))
    assert quick >= exact - 1e-3


@pytest.mark.parametrize("model", MODELS)
def test_a_calibration_chooses_no_more_rounds_or_temperature_than_there_are(model):
    roster = roster_of(anatomised(7, 300, 1.0, 2).release)
    chosen = calibrate_model(roster, model, expectation_of(roster), rounds=4)
    assert 1 <= chosen.rounds <= chosen.tried <= 4
    assert 0 < chosen.temperature <= 1
    assert chosen.temperature * TEMPERATURE_STEPS == pytest.approx(round(chosen.temperature * TEMPERATURE_STEPS))
    assert chosen.is_beyond_chance


def test_one_group_alone_is_no_reason_to_believe_a_model():
    alone = sl.Release.from_buckets([([{"sex": "f"}, {"sex": "m"}], ["Flu", "Cold"])])
    assert sl.learn(alone).claimed == 0.5
    assert "knows who is in which group" in sl.learn(alone).explain()
