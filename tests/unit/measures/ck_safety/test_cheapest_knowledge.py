"""What is the least that knowledge costs which makes sure?"""

import math
from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, TooHard, UnknownValue
from sidelight.measures.ck_safety import priced_atoms
from sidelight.policy.limit_text import read_limit

WARD = sl.Release.from_counts([{"AIDS": 1, "Flu": 4, "Cold": 5}])


def test_the_limit_is_met_with_equality():
    """Two people asked about flu make it 9/10 exactly; a hair more costs more."""
    prices = {"Cold": 5, "AIDS": 3}
    assert sl.CheapestKnowledge(0.9, prices).measure(WARD).value == 2
    assert sl.CheapestKnowledge(Fraction(9, 10) + Fraction(1, 10**15), prices).measure(WARD).value == 3


def test_what_the_release_itself_says_costs_nothing():
    finding = sl.CheapestKnowledge(0.5).measure(WARD)
    assert (finding.value, finding.replay(WARD)) == (0, 0)
    assert finding.explain().startswith("It costs nothing: in group 1 anyone has Cold with probability 1/2")


def test_nobody_has_the_value():
    nobody = sl.Release.from_counts([{"Flu": 1}], domain=["Flu", "AIDS"])
    finding = sl.CheapestKnowledge(0.5, value="AIDS").measure(nobody)
    assert (finding.value, finding.witness) == (math.inf, None)
    assert "AIDS" in finding.explain()


def test_the_dear_value_is_the_target_itself():
    """Of the target's own value nothing need be bought, so the dearest one makes the cheapest target."""
    assert sl.CheapestKnowledge(1, {"AIDS": 1000}).measure(WARD).witness.value == "AIDS"
    assert sl.CheapestKnowledge(1, {"AIDS": 1000}, value="Flu").measure(WARD).value == 3  # two people, one AIDS


def test_a_witness_in_another_group():
    release = sl.Release.from_counts([{"a": 50, "b": 50}, {"a": 9, "b": 1}], labels=[{"zip": "1"}, {"zip": "2"}])
    finding = sl.CheapestKnowledge(0.9, {"a": 1, "b": 9}, value="b").measure(release)
    assert finding.replay(release) == finding.value == sum(1 for _ in finding.witness.implications)
    target, known = finding.witness.as_facts()
    assert sl.posterior(release, target, given=known) == finding.witness.probability >= Fraction(9, 10)


def test_replaying_on_another_release_shows_that_it_does_not_suffice():
    finding = sl.CheapestKnowledge(0.95).measure(WARD)
    other = sl.Release.from_counts([{"AIDS": 30, "Flu": 40, "Cold": 50, "Ulcer": 60}])
    assert finding.replay(other) == math.inf


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"reach": 0}, "a probability above 0"),
        ({"reach": 1.5}, "a probability above 0"),
        ({"reach": 0.9, "prices": {"Flu": 0}}, "above 0"),
        ({"reach": 0.9, "otherwise": math.inf}, "above 0"),
        ({"reach": 0.9, "value": ["Flu", "Cold"]}, "one value or all"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, wrong):
    with pytest.raises(BadMeasure, match=wrong):
        sl.CheapestKnowledge(**settings)


def test_prices_of_values_that_are_not_there():
    with pytest.raises(UnknownValue, match="did you mean 'Cold'"):
        sl.CheapestKnowledge(0.9, {"Colt": 2}).measure(WARD)


def test_parts_are_not_measured_apart():
    with pytest.raises(BadMeasure, match="a whole release at once"):
        sl.CheapestKnowledge(0.9).summarize(WARD.groups)


def test_too_many_kinds_of_knowledge(monkeypatch):
    monkeypatch.setattr(priced_atoms, "MOST_KINDS", 3)
    with pytest.raises(TooHard, match="fewer different prices"):
        sl.CheapestKnowledge(0.95, {"Flu": 2, "Cold": 3}).measure(WARD)


def test_amounts_of_a_million():
    """A million of each: knowledge that makes sure is about the target alone, and prices are any units."""
    crowd = sl.Release.from_counts([{"a": 1_000_000, "b": 1_000_000, "c": 1}])
    assert sl.CheapestKnowledge(1, {"a": 10**6, "b": 2 * 10**6, "c": 10**6}).measure(crowd).value == 2 * 10**6
    with pytest.raises(TooHard, match="larger steps"):
        sl.CheapestKnowledge(1, {"a": 10**6 + 1, "b": 10**6, "c": 10**6}).measure(crowd)


def test_as_a_limit():
    limit = read_limit("cheapest knowledge(reach=0.95, prices={AIDS=10, Cold=3}) >= 4")
    assert limit.measure == sl.CheapestKnowledge(0.95, {"AIDS": 10, "Cold": 3})
    assert limit.judge(WARD).holds
    assert not read_limit("cheapest knowledge(reach=0.95, prices={AIDS=10, Cold=3}) > 4").judge(WARD).holds
    assert read_limit(str(limit)) == limit
