"""Merging groups: who is paired, what is judged again, and criteria that are broken together."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.search import merging
from sidelight.search.merging import (
    Centroids,
    KeyDistances,
    Neighbours,
    label_distances,
    merge_groups,
    merge_until_within,
    pair_up,
    points_on_line,
)
from sidelight.search.orders import column_orders, order_of
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table


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


COUNTRY = sl.Hierarchy.nested("country", {"America": ["Chile", "Peru"], "Europe": ["France"]})


def table(**columns) -> Table:
    quasi = tuple(Column.of(name, cells) for name, cells in columns.items())
    ones = np.ones(len(quasi[0]), np.int64)
    return Table(quasi, "disease", ("Flu",), ones, Counts.from_cells(ones[:, np.newaxis]))


def test_labels_differ_by_the_share_of_levels_that_tell_them_apart():
    order = order_of(Column.of("country", ["Chile", "Peru", "France"]), COUNTRY)
    assert label_distances(order).tolist() == [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]]
    assert label_distances(order_of(Column.of("sex", ["f", "m"]))).tolist() == [[0, 1], [1, 0]]


def test_a_column_of_one_label_is_no_distance():
    assert label_distances(order_of(Column.of("sex", ["f"]))).tolist() == [[0]]
    assert points_on_line(order_of(Column.of("age", ["7"]))).tolist() == [[0]]


def test_columns_with_few_combinations_are_one_matrix(monkeypatch):
    people = table(sex=["f", "f", "m", "m"], age=["1", "2", "1", "5"])
    orders = column_orders(people.quasi, {})
    (together,) = KeyDistances.from_table(people, orders).matrices
    monkeypatch.setattr(merging, "FEW_COMBINATIONS", 1)
    apart = KeyDistances.from_table(people, orders).matrices
    assert len(apart) == 2
    for one in range(4):
        for other in range(4):
            each = sum(part.squared[part.codes[one], part.codes[other]] for part in apart)
            assert together.squared[together.codes[one], together.codes[other]] == pytest.approx(each)


def test_a_column_of_very_many_labels_is_a_line(monkeypatch):
    monkeypatch.setattr(merging, "MANY_LABELS", 2)
    people = table(name=["Ann", "Bob", "Cid"], sex=["f", "m", "m"])
    placed = KeyDistances.from_table(people, column_orders(people.quasi, {}))
    assert placed.lines.tolist() == [[0, 0.5, 1]]
    assert len(placed.matrices) == 1


def test_large_groups_do_not_draw_in_all_others():
    near = Centroids(np.array([1000, 1, 1]), np.array([[0.0], [1.0], [2.2]]))
    best, error = near.nearest(None, np.array([1, 2]))
    assert best.tolist() == [2, 1]
    assert error == pytest.approx([0.72, 0.72])
