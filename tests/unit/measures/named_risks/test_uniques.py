"""Unique matches and population uniques: the numbers of other tools, their words, and what is refused."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, TooHard
from sidelight.policy.limit_text import read_limit
from sidelight.report.report import audit_report


def sizes(*people):
    return sl.Release.from_counts([{"a": each} for each in people])


SAMPLE = sizes(*[1] * 40, *[2] * 10, *[5] * 4)


def test_a_unique_match_in_words():
    release = sizes(*[1] * 20, *[2] * 58, 30)
    finding = sl.UniqueMatch(fraction=0.1).measure(release)
    assert finding.value == Fraction(2) / (2 + Fraction(9, 5) * 58)
    assert finding.explain() == (
        "Who finds one single match in this 10 % sample is right with about 0.0188: "
        "20 people are alone, and 58 groups are pairs."
    )
    assert (finding.witness.alone, finding.witness.pairs, finding.witness.fraction) == (20, 58, Fraction(1, 10))
    assert finding.replay(release) == finding.value


def test_without_people_alone_or_without_pairs():
    nobody = sl.UniqueMatch(0.1).measure(sizes(2, 3))
    assert (nobody.value, nobody.witness) == (0, None)
    assert nobody.explain() == "Nobody finds a single match: nobody is alone in a group."
    no_pair = sl.UniqueMatch(0.1).measure(sizes(1, 3))
    assert no_pair.value == 1
    assert no_pair.notes == ("no group is a pair, so that the estimate of a unique match is 1",)
    assert sl.UniqueMatch(1).measure(sizes(1, 2)).value == 1


@pytest.mark.parametrize("fraction", [0, -0.1, 1.1, float("inf")])
def test_shares_that_are_none_are_refused(fraction):
    with pytest.raises(BadMeasure, match="above 0 and at most 1"):
        sl.UniqueMatch(fraction)


def test_the_range_of_three_models():
    finding = sl.PopulationUniques(people=800).measure(SAMPLE)
    low, high = sorted(each.uniques for each in finding.witness.models)[::2]
    assert (finding.kindest, finding.value) == (low, high)
    assert [name for each in finding.witness.models for name, _ in each.parameters] == [
        "theta",
        "alpha",
        "alpha",
        "beta",
    ]
    assert finding.replay(SAMPLE) == finding.value


def test_a_limit_within_the_range_cannot_be_told():
    assert (sl.PopulationUniques(people=800) <= 300).judge(SAMPLE).holds
    assert not (sl.PopulationUniques(people=800) <= 100).judge(SAMPLE).holds
    with pytest.raises(TooHard, match=r"cannot be told: the estimate lies between .* on both sides of the limit"):
        (sl.PopulationUniques(people=800) <= 200).judge(SAMPLE)


def test_a_release_that_is_the_population_says_it_itself():
    finding = sl.PopulationUniques(people=80).measure(SAMPLE)
    assert (finding.value, finding.kindest) == (40, None)
    assert finding.explain() == "40 of 80 people are unique: all are in the release."


def test_where_models_have_no_answer():
    everybody_alone = sl.PopulationUniques(people=100).measure(sizes(1, 1, 1))
    assert everybody_alone.value == 100
    assert everybody_alone.notes == (
        "2 of 3 models have no answer for such a release",
        "one model alone decides no limit",
    )
    no_pair = sl.PopulationUniques(people=100).measure(sizes(1, 3))
    assert no_pair.notes == ("1 of 3 models has no answer for such a release",)
    nobody = sl.PopulationUniques(people=100).measure(sizes(2, 3))
    assert (nobody.value, nobody.witness) == (0, None)
    assert "nobody is alone" in nobody.explain()


def test_one_model_alone_decides_no_limit():
    with pytest.raises(TooHard, match="cannot be told"):
        (sl.PopulationUniques(people=100) <= 50).judge(sizes(1, 1, 1))
    assert (sl.PopulationUniques(people=100) <= 100).judge(sizes(1, 1, 1)).holds


def test_a_population_larger_than_any_is_refused():
    with pytest.raises(BadMeasure, match="people= to be at most"):
        sl.PopulationUniques(people=10**30)


def test_a_population_that_is_smaller_than_the_release_is_refused():
    with pytest.raises(BadMeasure, match="a population of people=79, and the release has 80 people"):
        sl.PopulationUniques(people=79).measure(SAMPLE)
    with pytest.raises(BadMeasure, match="at least 1"):
        sl.PopulationUniques(people=0)


@pytest.mark.parametrize("text", ["unique match(fraction=0.1) <= 0.2", "population uniques(people=30162) <= 900"])
def test_as_text(text):
    criterion = read_limit(text)
    assert read_limit(str(criterion)) == criterion
    assert criterion.measure.estimate


def test_searches_do_not_take_estimates():
    data = sl.datasets.adult(quasi=["sex", "race"])
    policy = sl.Policy(sl.UniqueMatch(0.1) <= 0.2)
    with pytest.raises((BadMeasure, BadPolicy), match="search without it and judge what is found by it"):
        sl.protect(data.table, policy, by=data.hierarchies, ask="nobody")


def test_an_estimate_is_called_one_wherever_it_is_shown():
    finding = sl.UniqueMatch(0.1).measure(sizes(1, 2))
    assert "an estimate" in repr(finding)
    report = audit_report(sizes(1, 2), findings=[finding])
    assert report.answer.findings[0].estimate
