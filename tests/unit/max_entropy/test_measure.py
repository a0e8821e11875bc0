"""`MaxEnt` as a measure and in policies."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, NothingSafe


@pytest.fixture(scope="module")
def table():
    return sl.datasets.adult(quasi=["sex", "race"]).table


def test_the_measure_judges_what_anatomy_made(table):
    sure = sl.MaxEnt(rules=(3, 3))
    with pytest.raises(BadMeasure, match="give table="):
        sure.measure(sl.group(table, by="sex"))
    result = sl.protect(table, sl.Policy(sl.DistinctValues() >= 3, sure <= 0.9), method=sl.Anatomy(l=3))
    finding = result.verdict.findings[1]
    assert finding.replay(result.release) == finding.value
    assert "maximum entropy" in finding.explain().lower()
    assert 0 < finding.value <= Fraction(9, 10)


def test_what_is_published_is_judged_again_with_who_is_in_which_bucket(table, tmp_path):
    policy = sl.Policy(sl.DistinctValues() >= 3, sl.MaxEnt(rules=(3, 3)) <= 0.9)
    result = sl.protect(table, policy, method=sl.Anatomy(l=3))
    result.publish(tmp_path / "release.parquet")
    again = sl.read_published(tmp_path / "release.parquet")
    assert again.members is not None
    assert result.policy.judge(again).findings[1].value == result.verdict.findings[1].value


def test_what_is_found_may_be_outside_the_policy(table):
    with pytest.raises(NothingSafe, match="within the other limits") as caught:
        sl.protect(table, sl.Policy(sl.DistinctValues() >= 3, sl.MaxEnt() <= 0.01), method=sl.Anatomy(l=3))
    assert "maximum entropy" in caught.value.blocked_by[0]
    with pytest.raises(NothingSafe):
        sl.protect(table, sl.Policy(sl.MaxEnt() <= 0.01), method="anatomy")


def test_rules_do_not_fit_a_release_that_prints_something_else(table):
    coarse = sl.generalise(table, by=sl.datasets.adult(quasi=["sex", "race"]).hierarchies, to={"race": 1})
    # it knows how it was made, so that rules about what it hides fit
    assert sl.MaxEnt(rules=(3, 3), table=table).beliefs(coarse).certificate.holds
    words = [{"sex": "all", "race": "light"}, {"sex": "all", "race": "dark"}]
    coarse = sl.Release.from_counts([dict.fromkeys(table.domain, 2)] * 2, labels=words)
    with pytest.raises(BadMeasure, match="the rules do not fit this release"):
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


def test_seconds_are_a_setting():
    measure = sl.MaxEnt(seconds=5)
    assert measure.settings() == {"seconds": 5.0}
    assert sl.MaxEnt.from_settings(seconds=5) == measure
    with pytest.raises(BadMeasure, match="seconds=0 is no time to solve in"):
        sl.MaxEnt(seconds=0)
