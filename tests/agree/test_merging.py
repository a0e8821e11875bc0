"""Merging groups against going through them one by one."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.search.microaggregation import (
    merge_into,
    merge_until_within,
    nearest_by_overlap,
    nearest_by_points,
    pair_up,
)
from sidelight.search.policy_check import PolicyCheck
from sidelight.testing import measures, releases


@st.composite
def wishes(draw):
    """Groups, some of which want to be merged with another, each so far away."""
    groups = draw(st.integers(2, 8))
    one = draw(st.lists(st.integers(0, groups - 1), min_size=1, max_size=groups, unique=True))
    other = [draw(st.integers(0, groups - 1).filter(lambda each, mine=mine: each != mine)) for mine in one]
    apart = draw(st.permutations(range(len(one))))
    return np.array(one), np.array(other), np.array(apart, float), groups


@given(wishes())
def test_pairs_are_those_of_going_through_them_closest_first(wish):
    one, other, apart, groups = wish
    into = list(range(groups))
    taken = set()
    for at in np.argsort(apart):
        mine, its = int(one[at]), int(other[at])
        if not taken & {mine, its}:
            taken |= {mine, its}
            into[max(mine, its)] = min(mine, its)
    kept = sorted(set(into))
    assert pair_up(one, other, apart, groups=groups).tolist() == [kept.index(each) for each in into]


@st.composite
def problems(draw):
    """A release, one or two limits that one group of everybody keeps, and a sense of nearness."""
    release = draw(releases(max_groups=6))
    groups = release.groups
    everybody = merge_into(groups, np.zeros(len(groups), np.int64))
    chosen = draw(st.lists(measures(release, mergeable=True), min_size=1, max_size=2))
    values = [each.summarize(everybody).finding().value for each in chosen]
    assume(float("inf") not in values)
    criteria = [
        each <= min(max(value, each.limits[0]), each.limits[1])
        if each.large_is_bad
        else each >= max(value, each.limits[0])
        for each, value in zip(chosen, values, strict=True)
    ]
    limits = PolicyCheck.from_policy(tuple(criteria), people=1_000)
    assume(limits.holds(everybody))
    points = np.array(draw(st.lists(st.integers(0, 3), min_size=len(groups), max_size=len(groups))), float)
    nearest = draw(st.sampled_from([nearest_by_points, nearest_by_overlap(np.random.default_rng(1))]))
    return groups, limits, nearest, points[:, np.newaxis]


@given(problems())
def test_merging_ends_within_the_limits_whatever_the_measures(problem):
    groups, limits, *near = problem
    number = merge_until_within(groups, limits, *near)
    assert sorted(set(number.tolist())) == list(range(int(number.max()) + 1))
    merged = merge_into(groups, number)
    assert limits.holds(merged)
    assert merged.sizes.sum() == groups.sizes.sum()
    assert merged.counts.totals().tolist() == groups.counts.totals().tolist()


@given(problems())
def test_groups_within_the_limits_stay_as_they_are(problem):
    groups, limits, *near = problem
    assume(limits.holds_in_each(groups).all() and limits.holds(groups))
    assert merge_until_within(groups, limits, *near).tolist() == list(range(len(groups)))


def test_a_thousand_groups_that_are_all_alike_pair_up_in_a_few_rounds():
    groups = sl.Release.from_counts([{"a": 1, "b": 1}] * 1000).groups
    rounds = []
    near = nearest_by_overlap(np.random.default_rng(1))
    limits = PolicyCheck.from_policy(sl.Policy(sl.GroupSize() >= 8), people=1_000)
    merged = merge_into(groups, merge_until_within(groups, limits, near, progress=rounds.append))
    assert merged.sizes.min() >= 8
    assert merged.sizes.max() < 32
    assert len(rounds) < 30
