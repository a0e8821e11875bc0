"""Merging groups: who is paired, what is judged again, and criteria that are broken together."""

import numpy as np

import sidelight as sl
from sidelight.search.distances import Centroids
from sidelight.search.merging import Neighbours, merge_groups, merge_until_within, pair_up
from sidelight.search.policy_check import PolicyCheck


class OnALine(Neighbours):
    """The nearest group is the one beside it."""

    def nearest(self, groups, rows):
        return np.where(rows > 0, rows - 1, 1), np.ones(len(rows))

    def follow_merge(self, into, groups):
        return self


def groups(*bags):
    return sl.Release.from_counts(bags).groups


def test_a_pair_that_loses_its_partner_waits_for_the_next_round():
    into = pair_up(np.array([0, 2]), np.array([1, 1]), np.array([1.0, 2.0]), groups=3)
    assert into.tolist() == [0, 0, 1]


def test_merged_groups_keep_what_they_are_compared_with():
    merged = merge_groups(groups({"a": 1}, {"b": 2}, {"a": 3}), np.array([0, 1, 0]))
    assert merged.sizes.tolist() == [4, 2]
    assert merged.counts.dense().tolist() == [[4, 0], [0, 2]]
    assert merged.whole.tolist() == [4, 2]
    assert merged.numbers.tolist() == [1, 2]


def test_merging_stops_at_one_group_whatever_the_policy():
    number = merge_until_within(
        groups({"a": 1}, {"a": 1}, {"b": 1}), PolicyCheck.from_policy([sl.GroupSize() >= 9], 3), OnALine()
    )
    assert number.tolist() == [0, 0, 0]


def test_criteria_broken_only_together_merge_the_group_of_the_worst_case():
    """Each group alone keeps k = 2 implications below 1; with both, somebody can use one group against the other."""
    three = groups({"a": 5, "b": 5}, {"a": 4, "b": 6}, {"a": 50, "b": 1, "c": 1, "d": 1})
    measure = sl.Implications(2)
    bound = float(measure.summarize(merge_groups(three, np.zeros(3, np.int64))).finding().value)
    check = PolicyCheck.from_policy([measure <= min(bound + 0.001, 1)], people=100)
    number = merge_until_within(three, check, OnALine())
    assert check.holds(merge_groups(three, number))


def test_rounds_are_told():
    seen = []
    merge_until_within(
        groups(*[{"a": 1}] * 8),
        PolicyCheck.from_policy([sl.GroupSize() >= 2], 8),
        Centroids(np.ones(8, np.int64), np.arange(8.0)[:, np.newaxis]),
        progress=seen.append,
    )
    assert seen[0] == 8
    assert seen == sorted(seen, reverse=True)
