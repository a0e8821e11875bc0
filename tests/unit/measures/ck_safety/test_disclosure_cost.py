"""How bad could it get, if some values are worse than others?"""

from fractions import Fraction
from functools import reduce
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, UnknownValue
from sidelight.measures.ck_safety.implications import CostScreen
from sidelight.measures.exact import join_all
from sidelight.policy.limits import read_limit
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
    assert mentions(finding.explain(), "Nobody", "values", "count")


def test_weights_may_be_money():
    cost = sl.DisclosureCost(2, {"AIDS": 1_000_000, "Flu": 0.5})
    finding = cost.measure(WARD)
    assert finding.value == finding.replay(WARD) == 1_000_000
    assert (cost <= 1_000_000).judge(WARD).holds
    assert not (cost < 1_000_000).judge(WARD).holds


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"weights": {"Flu": -1}}, ["weights", -1, "finite", "at least 0", "at most 1e30"]),
        ({"weights": {}, "otherwise": -1}, ["otherwise", -1, "finite", "at least 0", "at most 1e30"]),
        ({"weights": {"Flu": 0}, "otherwise": 0}, ["'disclosure cost'", "no weight above 0", "at least one"]),
        ({"weights": ["Flu"]}, ["weights", "value → number", '{"AIDS": 1, "Flu": 0.1}']),
        ({"weights": {}, "knows": "rumours"}, ["'disclosure cost'", "knows", "'rumours'", "implications", "negations"]),
    ],
)
def test_what_makes_no_sense_is_refused(settings, named):
    with pytest.raises(BadMeasure) as refusal:
        sl.DisclosureCost(1, **settings)
    assert mentions(refusal.value, *named)


def test_an_amount_that_makes_no_sense():
    with pytest.raises(BadMeasure) as refusal:
        sl.DisclosureCost(-1, {})
    assert mentions(refusal.value, "'disclosure cost'", "k", "whole number", "at least 0", "not -1")


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


def test_settings_are_written_as_policies_say_them():
    """What is so by default is not said, and a whole number is said as one."""
    assert sl.DisclosureCost(np.int64(1), {"Flu": 0.5}).settings() == {"k": 1, "weights": {"Flu": Fraction(1, 2)}}
    said = sl.DisclosureCost(1, {"Flu": 3}, otherwise=2, knows="negations").settings()
    assert said == {"k": 1, "weights": {"Flu": 3}, "otherwise": 2, "knows": "negations"}
    assert type(said["otherwise"]) is type(said["weights"]["Flu"]) is int
    assert sl.DisclosureCost(1, {}, otherwise=0.5).settings()["otherwise"] == Fraction(1, 2)
    assert type(sl.DisclosureCost(np.int64(1), {}).k) is int


def test_examples_have_one_worse_value_one_that_counts_nothing_and_values_of_equal_weight():
    several = {"a": Fraction(1, 4), "b": Fraction(1, 2), "c": Fraction(3, 4), "d": Fraction(1, 4)}
    assert sl.DisclosureCost.examples(("a", "b", "c", "d")) == (
        sl.DisclosureCost(1, {"a": 3}),
        sl.DisclosureCost(2, {"d": 0}),
        sl.DisclosureCost(0, {"a": 3}),
        sl.DisclosureCost(2, several),
        sl.DisclosureCost(1, several, knows="negations"),
    )


def test_weights_that_count_are_listed_once_the_largest_first():
    cost = sl.DisclosureCost(1, {"a": 2, "b": 0, "c": 5, "d": 2}, otherwise=0.5)
    assert cost.different_weights() == [5, 2, Fraction(1, 2)]
    assert cost.questions(("a", "b", "c", "d", "e"))[2] == sl.Implications(1, apart_from=["b", "c", "e"])


def test_of_equally_bad_values_that_of_the_largest_weight_is_reported():
    """A with probability 1/2 and weight 2, b for sure and with weight 1."""
    release = sl.Release.from_counts([{"b": 3}, {"a": 2, "c": 2}])
    finding = sl.DisclosureCost(0, {"a": 2, "c": 0}).measure(release)
    assert (finding.value, finding.witness.weight, finding.witness.value) == (1, 2, "a")
    assert (finding.witness.probability, finding.witness.group.number) == (Fraction(1, 2), 2)
    assert mentions(finding.explain(), "group 2", "has a", "1/2", "release", "Weighted", 2, "disclose a", 1)


def test_who_has_nothing_that_counts_is_told_so():
    nobody = sl.Release.from_counts([{"Flu": 1}], domain=["Flu", "AIDS"])
    finding = sl.DisclosureCost(1, {"Flu": 0}).measure(nobody)
    (note,) = finding.notes
    assert mentions(note, "nobody", "values", "count")
    assert mentions(finding.explain(), "Nobody", "values", "count", "nobody")


@pytest.mark.parametrize("knows", ["implications", "negations"])
def test_a_search_sees_the_largest_of_the_weighted_values(knows):
    """Of each group alone and of all together; a weight that nobody in a group has the values of adds nothing."""
    groups = [{"AIDS": 1, "Flu": 4, "Cold": 5}, {"Flu": 9, "Cold": 2, "Ulcer": 2}, {"Ulcer": 1, "Cold": 8, "AIDS": 3}]
    release = sl.Release.from_counts(groups)
    cost = sl.DisclosureCost(1, {"AIDS": 4, "Flu": 0.5, "Ulcer": 0}, knows=knows)
    screen = cost.screen()
    rows = screen.rows(release.groups)
    alone = [sl.Release.from_counts([group], domain=release.domain) for group in groups]
    np.testing.assert_allclose(screen.value(rows), [float(cost.measure(each).value) for each in alone])
    np.testing.assert_allclose(screen.value(join_all(screen, rows)), [float(cost.measure(release).value)])
    questions = [each.screen() for each in cost.questions(release.domain).values()]
    np.testing.assert_array_equal(rows, np.hstack([each.rows(release.groups) for each in questions]))
    kinds = screen.kinds(release.groups)
    assert kinds.tolist() == np.hstack([each.kinds(release.groups) for each in questions]).tolist()
    assert screen.group_by_group == questions[0].group_by_group


def test_floats_are_off_by_as_much_as_the_largest_weight_says():
    adversary = sl.Implications(1).screen().slack(10)
    assert sl.DisclosureCost(1, {"a": 5}).screen().slack(10) == 5 * adversary
    assert sl.DisclosureCost(1, {"a": 0.5}, otherwise=0.1).screen().slack(10) == adversary
    by_people = SimpleNamespace(slack=lambda people: people / 2)
    assert CostScreen(sl.DisclosureCost(1, {"a": 5}), by_people).slack(10) == 5 * 10 / 2


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_merging_groups_does_to_it_what_it_does_to_the_adversary(semantics):
    for knows, adversary in (("implications", sl.Implications(1)), ("negations", sl.Negations(1))):
        cost = sl.DisclosureCost(1, {"a": 5}, knows=knows)
        assert cost.monotonicity(semantics) == adversary.monotonicity(semantics)


def test_settings_change_and_the_weights_stay():
    assert sl.DisclosureCost(1, {"a": 5}).replace_settings(k=2) == sl.DisclosureCost(2, {"a": 5})
