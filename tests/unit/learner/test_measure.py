"""The measure: its witness, in policies, in searches, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, TooHard
from sidelight.learner.learned import LearntBelief

WARD = [
    ([{"sex": "f", "years": "30"}, {"sex": "m", "years": "30"}], ["Anorexia", "Flu"]),
    ([{"sex": "f", "years": "40"}, {"sex": "m", "years": "30"}], ["Anorexia", "Flu"]),
    ([{"sex": "m", "years": "40"}, {"sex": "m", "years": "30"}], ["Flu", "Cold"]),
]


@pytest.mark.parametrize("model", ["logistic", "naive bayes"])
def test_the_witness_names_the_evidence_and_replays(model):
    release = sl.Release.from_buckets(WARD * 5)
    finding = sl.Learner(model=model).measure(release)
    witness = finding.witness
    assert isinstance(witness, LearntBelief)
    assert dict(witness.says)["sex"] == "f"
    assert witness.value == "Anorexia"
    assert [mate.says[0] for mate in witness.mates] == [("sex", "m")]
    assert witness.telling[0].column == "sex"
    assert finding.replay(release) == pytest.approx(finding.value, abs=1e-6)
    assert mentions(finding.explain(), "most", "sex f")
    assert sl.learn(release, model).largest == pytest.approx(finding.value, abs=1e-6)


def test_where_nobody_says_who_is_in_which_group_a_limit_cannot_be_told():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 1, "Cold": 1}])
    finding = sl.Learner().measure(release)
    assert (finding.kindest, finding.value) == (Fraction(2, 3), 1)
    assert finding.replay(release) == finding.value
    assert "nothing moves" in finding.notes[0]
    assert mentions(finding.explain(), "not", "2/3", "group 1", "'Flu'")
    with pytest.raises(TooHard, match="who is in which group"):
        (sl.Learner() <= Fraction(2, 3)).judge(release)
    assert not (sl.Learner() <= 0.6).judge(release).holds


def test_a_policy_file_says_it_too(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text('[[limit]]\nmeasure = "learner"\nmodel = "naive bayes"\nat_most = 0.9\n')
    policy = sl.read_policy(file)
    assert str(policy) == "learner(model=naive bayes) ≤ 0.9"


def test_protect_judges_what_it_found_by_the_people_of_the_table():
    adult = sl.datasets.adult(quasi=["age", "sex", "race"])
    policy = sl.Policy(sl.GroupSize() >= 50, sl.Learner(model="naive bayes", rounds=5, exact_up_to=100) <= 1)
    found = sl.protect(adult.table, policy, method="mondrian", by=adult.hierarchies, ask="nobody")
    learner = found.verdict.judgements[-1].finding
    assert learner.value > sl.Learner().measure(found.release).kindest  # which tells nobody apart
    assert isinstance(learner.witness, LearntBelief)


def test_anatomy_breaks_a_limit_that_its_buckets_seem_to_keep():
    adult = sl.datasets.adult(quasi=["age", "sex", "education"])
    lots = sl.Anatomy(l=4, random=np.random.default_rng(1))
    found = sl.protect(adult.table, sl.DistinctValues() >= 2, method=lots, ask="nobody")
    judged = (sl.Learner(model="naive bayes", rounds=5) <= 0.5).judge(found.release)
    assert not judged.holds


def test_parts_of_a_release_are_refused():
    release = sl.Release.from_buckets(WARD)
    with pytest.raises(BadMeasure, match="whole release"):
        sl.Learner().summarize(release.groups)
    with pytest.raises(BadMeasure, match="no training"):
        sl.Learner(rounds=0)
    with pytest.raises(BadMeasure, match="no model"):
        sl.Learner(model="oracle")


def test_a_limit_is_met_with_equality_by_a_share_that_nothing_was_learnt_about():
    people = [{"sex": "f"}, {"sex": "m"}, {"sex": "f"}]
    even = sl.Release.from_buckets(
        [(people, ["Flu", "Cold", "Asthma"]), ([{"sex": "f"}] * 3, ["Flu", "Cold", "Asthma"])]
    )
    finding = sl.Learner().measure(even)
    assert finding.value == finding.replay(even) == Fraction(1, 3)
    assert (sl.Learner() <= Fraction(1, 3)).judge(even).holds
