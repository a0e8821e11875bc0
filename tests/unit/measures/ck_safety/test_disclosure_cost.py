"""How bad could it get, if some values are worse than others?"""

from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadMeasure, UnknownValue
from sidelight.policy.limit_text import read_limit
from sidelight.testing import releases, splits

WARD = sl.Release.from_counts([{"AIDS": 1, "Flu": 4, "Cold": 5}, {"AIDS": 1, "Flu": 9, "Cold": 2}])


@given(releases(semantics="single"), st.integers(0, 3))
def test_with_equal_weights_it_is_the_adversary(release, k):
    assert sl.DisclosureCost(k, {}).measure(release).value == sl.Implications(k).measure(release).value
    twice = sl.DisclosureCost(k, {}, otherwise=2, knows="negations").measure(release)
    assert twice.value == 2 * sl.Negations(k).measure(release).value


@given(st.data(), st.integers(0, 4))
def test_parts_in_any_order_give_the_same_finding(data, k):
    release = data.draw(releases(semantics="single", max_groups=8, max_people=9, max_values=5))
    cost = sl.DisclosureCost(k, {release.domain[0]: 2})
    parts = [cost.summarize(part) for part in data.draw(splits(release))]
    assert reduce(lambda one, other: one.merge(other), parts).finding() == cost.measure(release)


def test_a_value_that_nobody_minds():
    ignoring = sl.DisclosureCost(1, {"Flu": 0, "Cold": 0})
    assert ignoring.measure(WARD).value == sl.Implications(1, value="AIDS").measure(WARD).value == Fraction(1, 3)
    nobody = sl.Release.from_counts([{"Flu": 1}], domain=["Flu", "AIDS"])
    finding = sl.DisclosureCost(1, {"Flu": 0}).measure(nobody)
    assert (finding.value, finding.witness) == (0, None)
    assert finding.explain().startswith("Nobody has any of the values that count")


def test_weights_may_be_money():
    cost = sl.DisclosureCost(2, {"AIDS": 1_000_000, "Flu": 0.5})
    finding = cost.measure(WARD)
    assert finding.value == finding.replay(WARD) == 1_000_000
    assert (cost <= 1_000_000).judge(WARD).holds
    assert not (cost < 1_000_000).judge(WARD).holds


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"weights": {"Flu": -1}}, "at least 0"),
        ({"weights": {"Flu": 0}, "otherwise": 0}, "no weight above 0"),
        ({"weights": ["Flu"]}, "wants a mapping"),
        ({"weights": {}, "knows": "rumours"}, "no knows='rumours'"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, wrong):
    with pytest.raises(BadMeasure, match=wrong):
        sl.DisclosureCost(1, **settings)


def test_a_misspelt_value_is_refused():
    with pytest.raises(UnknownValue, match="did you mean 'AIDS'"):
        sl.DisclosureCost(1, {"AIDs": 10}).measure(WARD)


def test_as_a_limit():
    limit = read_limit("disclosure cost(k=1, weights={AIDS=1, Flu=1/10}, otherwise=0.2) <= 1/3")
    assert limit.measure == sl.DisclosureCost(1, {"AIDS": 1, "Flu": 0.1}, otherwise=0.2)
    assert limit.judge(WARD).holds
    assert read_limit(str(limit)) == limit


def test_a_search_keeps_a_weighted_limit():
    data = sl.datasets.adult(quasi=["marital-status", "race", "sex"])
    limit = sl.DisclosureCost(1, {"Armed-Forces": 5}, otherwise=Fraction(1, 2)) <= Fraction(1, 8)
    result = sl.protect(data.table, limit, by=data.hierarchies, ask="nobody")
    assert limit.judge(result.release).holds
    below = [{**result.levels, name: level - 1} for name, level in result.levels.items() if level]
    finer = [sl.generalise(data.table, by=data.hierarchies, to=levels) for levels in below]
    assert result.minimal
    assert not any(limit.judge(each).holds for each in finer if result.levels in result.minimal)
