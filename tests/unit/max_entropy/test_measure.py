"""`MaxEnt` as a measure and in policies.

The curve over how many rules are known.
"""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadKnowledge, BadMeasure, NothingSafe

from .conftest import WARDS


@pytest.fixture(scope="module")
def table():
    return sl.datasets.adult(quasi=["sex", "race"]).table


def test_the_measure_judges_what_anatomy_made(table):
    sure = sl.MaxEnt(rules=(3, 3))
    with pytest.raises(BadMeasure, match="give table="):
        sure.measure(sl.group(table, by="sex"))
    result = sl.protect(table, sl.Policy(sl.DistinctValues() >= 3, sure <= 0.9), method=sl.Anatomy(l=3), ask="nobody")
    finding = result.verdict.findings[1]
    assert finding.replay(result.release) == finding.value
    assert "maximum entropy" in finding.explain().lower()
    assert 0 < finding.value <= Fraction(9, 10)


def test_what_is_published_is_judged_again_with_who_is_in_which_bucket(table, tmp_path):
    policy = sl.Policy(sl.DistinctValues() >= 3, sl.MaxEnt(rules=(3, 3)) <= 0.9)
    result = sl.protect(table, policy, method=sl.Anatomy(l=3), ask="nobody")
    result.publish(tmp_path / "release.parquet")
    again = sl.read_published(tmp_path / "release.parquet")
    assert again.members is not None
    assert result.policy.judge(again).findings[1].value == result.verdict.findings[1].value


def test_what_is_found_may_be_outside_the_policy(table):
    with pytest.raises(NothingSafe, match="within the other limits") as caught:
        sl.protect(
            table, sl.Policy(sl.DistinctValues() >= 3, sl.MaxEnt() <= 0.01), method=sl.Anatomy(l=3), ask="nobody"
        )
    assert "maximum entropy" in caught.value.blocked_by[0]
    with pytest.raises(NothingSafe):
        sl.protect(table, sl.Policy(sl.MaxEnt() <= 0.01), method="anatomy", ask="nobody")


def test_rules_do_not_fit_a_release_that_prints_something_else(table):
    coarse = sl.generalise(table, by=sl.datasets.adult(quasi=["sex", "race"]).hierarchies, to={"race": 1})
    # it knows how it was made, so that rules about what it hides fit
    assert sl.MaxEnt(rules=(3, 3), table=table).beliefs(coarse).certificate.holds
    words = [{"sex": "all", "race": "light"}, {"sex": "all", "race": "dark"}]
    coarse = sl.Release.from_counts([dict.fromkeys(table.domain, 2)] * 2, labels=words)
    with pytest.raises(BadMeasure, match="rules do not fit"):
        sl.MaxEnt(rules=(3, 3), table=table).measure(coarse)


def test_settings_and_words():
    settings = {"knowing": ["P(Flu | sex=m) = 0.3"], "rules": [2, 3]}
    measure = sl.MaxEnt.from_settings(knowing=("P(Flu | sex=m) = 0.3",), rules=(2, 3))
    assert measure.settings() == settings
    assert str(measure) == 'maximum entropy(knowing=["P(Flu | sex=m) = 0.3"], rules=[2, 3])'
    assert repr(measure) == f"<MaxEnt: {measure}>"
    assert not sl.MaxEnt.mergeable
    with pytest.raises(BadMeasure, match="whole release"):
        sl.MaxEnt().summarize(sl.Release.from_counts([{"a": 1}]).groups)
    with pytest.raises(BadMeasure, match="whole release"):
        sl.MaxEnt().screen()
    with pytest.raises(BadMeasure, match="two numbers"):
        sl.MaxEnt(rules=(1, -1))


def test_a_policy_file_says_it(tmp_path):
    policy = sl.Policy(sl.MaxEnt(knowing=["P(Flu | sex=m) = 0.3"]) <= 0.5)
    (tmp_path / "policy.toml").write_text(policy.to_toml())
    assert sl.read_policy(tmp_path / "policy.toml") == policy


def test_values_are_rounded_up_and_exact_where_nothing_is_touched():
    ward = sl.Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 3, "Cold": 4}], labels=[{"sex": "m"}, {"sex": "f"}])
    assert sl.MaxEnt().measure(ward).value == Fraction(2, 3)
    assert sl.MaxEnt(knowing=["P(Flu | sex=f) <= 0.9"]).measure(ward).value == Fraction(2, 3)
    assert sl.MaxEnt(knowing=["P(Flu | sex=m) >= 0"]).measure(ward).value == 0.666666667


def test_a_rule_that_is_certain_makes_everything_sure_and_gains_nothing(table):
    """Nobody in the army is a woman: sure, whatever is released."""
    release = sl.group(table, by=["sex", "race"])
    certain = ["P(Armed-Forces | sex=Female) = 0"]
    one_group = sl.Release.from_buckets([([{"sex": "m"}, {"sex": "f"}, {"sex": "f"}], ["a", "b", "b"])])
    known = ["P(a | sex=f) = 0"]
    assert sl.MaxEnt(knowing=known).measure(one_group).value == 1
    assert sl.MaxEntGain(knowing=known).measure(one_group).value == 0
    gain = sl.MaxEntGain(knowing=certain).measure(release)
    assert gain.replay(release) == gain.value
    assert 0 < gain.value < 1
    assert "surer by" in gain.explain()


def test_the_gain_is_the_largest_difference_of_the_two_beliefs(wards, original):
    rules = sl.strongest_rules(original, positive=3, negative=3, support=1, vagueness=0.05)
    finding = sl.MaxEntGain(knowing=rules).measure(wards)
    pooled = sl.Release.from_buckets([
        ([key for keys, _ in WARDS for key in keys], [value for _, values in WARDS for value in values])
    ])  # fmt: skip
    after, before = sl.maxent(wards, rules), sl.maxent(pooled, rules)
    keys = {tuple(key.items()) for keys, _ in WARDS for key in keys}
    gains = {
        (key, value): after.probability(value, given=dict(key)) - before.probability(value, given=dict(key))
        for key in keys
        for value in wards.domain
    }
    assert float(finding.value) == pytest.approx(max(gains.values()), abs=2e-9)
    assert float(finding.value) >= max(gains.values()) - 1e-10
    witness = tuple(sorted(finding.witness.says)), finding.witness.value
    assert gains[tuple(sorted(finding.witness.says, reverse=True)), witness[1]] == pytest.approx(max(gains.values()))
    assert finding.replay(wards) == finding.value


def test_the_gain_is_exact_where_nothing_else_is_known(wards):
    # of those who are 50, half have a cold; of everybody, a quarter do
    assert sl.MaxEntGain().measure(wards).value == Fraction(1, 2) - Fraction(2, 8)
    finding = sl.MaxEntGain().measure(wards)
    assert isinstance(finding.value, Fraction)
    assert finding.replay(wards) == finding.value


def test_the_gain_needs_people_as_they_are():
    labels = [{"sex": "*", "town": "x"}, {"sex": "f", "town": "x"}]
    starred = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 2}], labels=labels)
    with pytest.raises(BadMeasure, match="whose columns are known"):
        sl.MaxEntGain(knowing=["P(a | sex=f) = 0.9"]).measure(starred)
    with pytest.raises(BadMeasure, match=r"leave out statements .*groups"):
        sl.MaxEntGain(knowing=["P(a | group=#1) = 0.5"]).measure(sl.Release.from_counts([{"a": 1, "b": 1}] * 2))
    with pytest.raises(BadMeasure, match=r"leave out statements .*groups"):
        sl.MaxEntGain(knowing=["P(a | person=#1) = 0.5"]).measure(sl.Release.from_counts([{"a": 1, "b": 1}] * 2))


def test_the_estimation_error_is_that_of_beliefs_rounded_down(wards, original):
    for rules in ((0, 0), (2, 1), (9, 9)):
        measure = sl.EstimationError(rules=rules, table=original)
        value = measure.measure(wards).value
        error = measure.beliefs(wards).estimation_error(original)
        assert error - 2e-9 < value <= error + 1e-10
    with pytest.raises(BadMeasure, match="give table="):
        sl.EstimationError().measure(wards)


def test_policies_bound_the_gain_and_the_error(table, tmp_path):
    policy = sl.Policy(
        sl.DistinctValues() >= 3, sl.MaxEntGain(rules=(3, 3)) <= 0.9, sl.EstimationError(rules=(3, 3)) >= 0.0001
    )
    (tmp_path / "policy.toml").write_text(policy.to_toml())
    assert sl.read_policy(tmp_path / "policy.toml") == policy
    result = sl.protect(table, policy, method=sl.Anatomy(l=3), ask="nobody")
    assert result.verdict.safe
    with pytest.raises(NothingSafe) as caught:
        sl.protect(
            table, sl.Policy(sl.DistinctValues() >= 3, sl.EstimationError() >= 9), method=sl.Anatomy(l=3), ask="nobody"
        )
    assert "estimation error" in caught.value.blocked_by[0]


def test_seconds_are_a_setting():
    for kind in (sl.MaxEnt, sl.MaxEntGain, sl.EstimationError):
        measure = kind(seconds=5)
        assert measure.settings() == {"seconds": 5.0}
        assert kind.from_settings(seconds=5) == measure
        with pytest.raises(BadMeasure, match="seconds=0 is no time"):
            kind(seconds=0)


def test_what_follows_for_others_from_what_is_known_about_a_person_counts():
    ward = sl.Release.from_buckets([([{"sex": "m"}] * 2, ["HIV", "Flu"]), ([{"sex": "f"}] * 2, ["HIV", "Flu"])])
    known = ["P(Flu | person={sex=m}) = 1"]
    finding = sl.MaxEnt(knowing=known, apart_from=("Flu",)).measure(ward)
    assert finding.value == 1
    assert "anybody else has 'HIV'" in finding.explain()
    gain = sl.MaxEntGain(knowing=known).measure(ward)  # of three others, two have it: 2/3 without the release
    assert gain.value == pytest.approx(1 / 3, abs=1e-8)
    assert gain.replay(ward) == gain.value


def test_the_estimation_error_is_asked_of_cells_as_they_are():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    limits = [sl.GroupSize() >= 50, sl.EstimationError() >= 0.01]
    assert sl.protect(adult.table, limits, method="anatomy", ask="nobody").verdict.safe
    for method in ("lattice", "mondrian"):
        with pytest.raises(BadMeasure, match=r"more coarsely; .*buckets \(.*anatomy"):
            sl.protect(adult.table, limits, by=adult.hierarchies, method=method, ask="nobody")


def test_each_point_is_what_the_measures_say_of_its_rules(wards, original):
    curve = sl.rule_curve(wards, original, [0, 3, (2, 0), (0, 5)], support=1)
    assert [(point.positive, point.negative) for point in curve.points] == [(0, 0), (2, 1), (2, 0), (0, 5)]
    for point in curve.points:
        rules = sl.strongest_rules(original, positive=point.positive, negative=point.negative, support=1)
        beliefs = sl.maxent(wards, rules)
        assert point.estimation_error == pytest.approx(beliefs.estimation_error(original), abs=2e-9)
        assert point.surest == pytest.approx(beliefs.riskiest(1)[0].probability, abs=2e-9)
        assert point.gain == float(sl.MaxEntGain(knowing=rules).measure(wards).value)


def test_more_rules_never_lead_away_from_the_truth(wards, original):
    """Each true equation brings the distribution of largest entropy closer to the truth, by Pythagoras."""
    curve = sl.rule_curve(wards, original, [(k, k) for k in range(6)], support=1)
    errors = curve.to_arrow()["estimation_error"].to_pylist()
    assert errors == sorted(errors, reverse=True)


def test_a_bound_is_a_number_of_rules(wards, original):
    with pytest.raises(BadKnowledge, match="how many rules"):
        sl.rule_curve(wards, original, [-2])
    assert "estimation error" in sl.rule_curve(wards, original, [1])._repr_html_()
