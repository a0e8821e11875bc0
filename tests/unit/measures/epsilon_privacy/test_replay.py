"""ε of a witness once more: small groups by their worlds, larger ones by the definition."""

import math
from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.measures.epsilon_privacy import replay
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
from sidelight.measures.epsilon_privacy.replay import worst_weights

SMALL = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "b": 2, "c": 1}])
LARGE = sl.Release.from_counts([{"a": 20, "b": 10}, {"a": 10, "b": 20, "c": 10}])
BELIEFS = [
    PriorBelief(counts={"a": 2, "b": 3, "c": 1}),
    PriorBelief(counts={"a": 2, "b": 3, "c": 1, "z": 4}),
    PriorBelief(shape="release", stubbornness=50),
    PriorBelief(shape="uniform", stubbornness=math.inf, known_people=1),
    PriorBelief(shape={"a": 5, "b": 1, "c": 2, "z": 1}, stubbornness=math.inf, predicates=[["not", "a"], ["b"]]),
    PriorBelief(stubbornness=7),
    PriorBelief(stubbornness=7, predicates={"early": ["a", "b"]}),
    PriorBelief(stubbornness=7, predicates=[["a", "b", "c"]]),
    PriorBelief(stubbornness=7, known_people=1, apart_from=["c"]),
    PriorBelief(stubbornness=7, predicates="all subsets"),
    PriorBelief(stubbornness=math.inf),
    PriorBelief(stubbornness=7, rules_out=1),
    PriorBelief(shape="uniform", stubbornness=7, known_people=1, rules_out=1),
    PriorBelief(stubbornness=7, decided_by="closed conditions"),
]


@pytest.mark.parametrize("belief", BELIEFS, ids=str)
@pytest.mark.parametrize("release", [SMALL, LARGE], ids=["small", "large"])
def test_a_witness_is_as_bad_as_was_found(belief, release):
    finding = belief.measure(release)
    assert finding.replay(release) == finding.value


@pytest.mark.parametrize("times", [1, 10])
@pytest.mark.parametrize("known", [0, 2])
def test_a_belief_in_what_is_not_so_is_replayed(times, known):
    """Somebody with a Cold, among three (or thirty) with an Ulcer, wishes that nobody takes them for such."""
    diseases = ["Cold", *["Ulcer"] * 3 * times]
    rows = {"zip": ["1"] * len(diseases), "disease": diseases, "wish": ["Ulcer", *[None] * 3 * times]}
    release = sl.read_release(pa.table(rows), group="zip", sensitive=["disease", "wish"], missing="a value")
    finding = PriorBelief(stubbornness=20, wishes="wish", known_people=known).measure(release)
    ulcers = 3 * times
    p_in, p_out = Fraction(ulcers, ulcers + 1), Fraction(ulcers + 1, ulcers + 20)
    assert (finding.witness.matches, finding.witness.p_in, finding.witness.p_out) == (False, p_in, p_out)
    assert finding.replay(release) == finding.value == max(p_in / p_out, (1 - p_out) / (1 - p_in))


@pytest.mark.parametrize(
    ("belief", "values", "weights"),
    [
        (PriorBelief(stubbornness=7), {"a"}, {"a": 1, "b": 5, "c": 1}),
        (PriorBelief(stubbornness=7), {"b", "c"}, {"a": 5, "b": 1, "c": 1}),
        (PriorBelief(stubbornness=7), {"a", "b", "c"}, {"a": 1, "b": 1, "c": 1, "\0": 4}),
        (PriorBelief(stubbornness=3), {"a"}, {"a": 1, "b": 1, "c": 1}),
        (PriorBelief(stubbornness=3), {"a", "b", "c"}, {"a": 1, "b": 1, "c": 1}),
        (PriorBelief(counts={"a": 2, "b": 3, "c": 1, "z": 4}), {"a"}, {"a": 2, "b": 3, "c": 1, "z": 4}),
        (PriorBelief(stubbornness=7, predicates=[["a", "b"]]), {"a", "b"}, {"a": 1, "b": 1, "c": 5}),
    ],
)
def test_what_is_left_of_any_shape_is_with_a_value_that_is_not_in_question(belief, values, weights):
    assert worst_weights(belief, SMALL, belief.measure(SMALL).witness, values) == weights


@pytest.mark.parametrize(
    ("release", "belief", "path"),
    [
        (SMALL, PriorBelief(stubbornness=7), "_replay_by_worlds"),
        (SMALL, PriorBelief(shape="uniform", stubbornness=math.inf, known_people=1), "_replay_by_worlds"),
        (LARGE, PriorBelief(stubbornness=7), "_replay_by_definition"),
        (SMALL, PriorBelief(stubbornness=7, decided_by="closed conditions"), "_replay_by_definition"),
        (SMALL, PriorBelief(stubbornness=math.inf), "_replay_by_definition"),
    ],
)
def test_only_small_groups_are_replayed_by_their_worlds(release, belief, path, monkeypatch):
    finding = belief.measure(release)
    for other in {"_replay_by_worlds", "_replay_by_definition"} - {path}:
        monkeypatch.setattr(replay, other, None)
    assert finding.replay(release) == finding.value
    monkeypatch.setattr(replay, path, lambda *_: Fraction(99))
    assert finding.replay(release) == 99
