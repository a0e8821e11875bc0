"""Undominated groups: how few they are, and that they decide as all groups do."""

from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.measures.privacy_skyline.pareto import RiskTest, UndominatedGroups


def test_a_group_with_more_people_and_no_more_of_the_value_does_not_matter():
    release = sl.Release.from_counts([{"a": 2, "b": 3}, {"a": 2, "b": 6}, {"a": 1, "b": 9, "c": 1}])
    groups = UndominatedGroups.of(release.groups, 0)
    assert (groups.family_sizes.tolist(), groups.family_counts.tolist()) == ([5], [2])
    assert groups.sizes[0].tolist() == [5]


def test_what_is_ruled_out_can_make_a_large_group_matter():
    release = sl.Release.from_counts([{"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 1, "b": 8}])
    groups = UndominatedGroups.of(release.groups, 0)
    assert sorted(set(groups.sizes[0].tolist())) == [4]
    assert sorted(set(groups.sizes[1].tolist())) == [4, 9]


def test_groups_without_the_value_never_matter():
    release = sl.Release.from_counts([{"b": 2}], domain=["a", "b"])
    assert UndominatedGroups.of(release.groups, 0) is None


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_a_limit_that_the_risk_reaches_exactly_is_not_passed(semantics):
    bags = [{"a": 2, "b": 3, "c": 3}, {"a": 1, "b": 4, "c": 4}]
    release = sl.Release.from_counts(bags, sizes=[8, 9], values=semantics)
    groups = UndominatedGroups.of(release.groups, 0)
    risk = sl.Acquaintance(1, 2, 1, value="a").measure(release).value
    point = (np.array([1]), np.array([2]), np.array([1]))
    for limit, passes in ((risk, False), (risk + Fraction(1, 10**15), True), (risk - Fraction(1, 10**15), False)):
        assert RiskTest(release.groups, 0, groups, 1 / limit - 1).passed(*point).tolist() == [passes]
