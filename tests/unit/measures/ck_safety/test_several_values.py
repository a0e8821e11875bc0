"""Implications and negations where people have several values."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure

VISITS = sl.Release.from_counts([{"a": 2, "b": 3}, {"a": 1, "c": 1}], sizes=[4, 9], values="set")


def test_the_premises_are_about_one_value_of_one_group():
    """Of b, which 3 of 4 have, one of 2 people must have it: that says more about c in group 2 than c itself does."""
    finding = sl.Implications(2, value="c").measure(VISITS)
    assert finding.value == finding.replay(VISITS) == 1
    assert finding.explain() == (
        "In group 2 anyone, the target, could be shown to have c with probability 1 by someone who knows that, if one of "
        "2 people in group 1 has b, the target has c."
    )
    assert len(finding.witness.implications) == 2


def test_idle_implications_fill_up_to_k():
    finding = sl.Implications(5, value="b").measure(VISITS)
    assert len(finding.witness.implications) == 5
    assert sum(len(values) for values in finding.witness.premises().values()) == 1


def test_negations_are_about_others():
    finding = sl.Negations(1).measure(VISITS)
    assert finding.value == finding.replay(VISITS) == 1
    assert "knows that another person of the group does not have b" in finding.explain()
    assert sl.Negations(3, value="c").measure(VISITS).explain().endswith("that 3 others of the group do not have c.")
    assert sl.Negations(3, value="c").measure(VISITS).value == Fraction(1, 6)


@pytest.mark.parametrize("kind", [sl.Implications, sl.Negations])
def test_nobody_has_it(kind):
    release = sl.Release.from_counts([{"a": 1}], sizes=[2], values="set", domain=["a", "z"])
    finding = kind(1, value="z").measure(release)
    assert (finding.value, finding.witness) == (0, None)
    nothing = sl.Release.from_counts([{}], sizes=[3], values="set", domain=["a"])
    assert kind(1).measure(nothing).value == 0


@pytest.mark.parametrize("kind", [sl.Implications, sl.Negations])
def test_a_category_of_sets_is_bounded_and_no_story(kind):
    """How many people have any of several values is not published: the most there could be."""
    finding = kind(1, value=["a", "b"]).measure(VISITS)
    assert finding.value == finding.replay(VISITS) == 1
    with pytest.raises(BadMeasure, match="one by one"):
        finding.witness.as_facts()


@pytest.mark.parametrize("kind", [sl.Implications, sl.Negations])
def test_long_fractions_are_rounded_up(kind):
    crowd = sl.Release.from_counts([{"a": 60_000}, {"a": 50_000}], sizes=[100_000, 90_000], values="multiset")
    finding = kind(3).measure(crowd)
    assert isinstance(finding.value, float)
    assert finding.value == finding.replay(crowd)
    assert finding.value > kind(2).measure(crowd).value


@pytest.mark.parametrize("values", ["set", "multiset"])
def test_a_million_implications(values):
    crowd = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[50], values=values)
    assert sl.Implications(10**6, value="a").measure(crowd).value == 1
    assert sl.Negations(10**6, value="a").measure(crowd).value == 1


def test_a_survey_of_conditions():
    """Real people with several conditions each, or none: an exact answer that replays, and a search that keeps it."""
    data = sl.datasets.nhefs()
    limit = sl.Implications(2) < Fraction(9, 10)
    result = sl.protect(data.table, limit, by=data.hierarchies, ask="nobody")
    finding = sl.Implications(2).measure(result.release)
    assert finding.value == finding.replay(result.release) < Fraction(9, 10)
