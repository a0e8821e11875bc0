"""Microaggregation: clusters of people who are alike, published as their average.

Merging groups: who is paired, what is judged again, and criteria that are broken together.
"""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadPolicy
from sidelight.progress import quiet
from sidelight.search.effort import EFFORT
from sidelight.search.microaggregation import (
    UnclusteredKeys,
    average_column,
    label_distances,
    merge_into,
    merge_until_within,
    nearest_by_points,
    pair_up,
    points_on_line,
)
from sidelight.search.orders import column_orders, order_of
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table


def table_of(semantics="single", **columns):
    """One person per row, all with Flu."""
    quasi = tuple(Column.of(name, cells) for name, cells in columns.items())
    ones = np.ones(len(quasi[0]), np.int64)
    return sl.Table(quasi, "disease", ("Flu",), ones, Counts.from_cells(ones[:, np.newaxis]), semantics)


def lines(outcome):
    return sorted(
        (tuple(text for _, text in outcome.release.groups.name(row).printed) for row in range(len(outcome.release))),
        key=str,
    )


def search_outcome(table, *criteria, k=None, labels="mode", by=None):
    method = sl.Microaggregation(k=k, labels=labels)
    policy = sl.Policy(*criteria or [sl.GroupSize() >= 1])
    return method.search(table, policy, by=by or {}, utilities=("loss",), progress=quiet)["loss"]


def test_clusters_are_published_as_their_means():
    outcome = search_outcome(table_of(age=["20", "21", "23", "60", "62", "63"]), k=3)
    assert lines(outcome) == [("21.3",), ("61.7",)]
    assert outcome.recoding.start.tolist() == [[0], [3]]
    assert outcome.recoding.stop.tolist() == [[3], [6]]


def test_labels_are_published_as_the_most_frequent_one():
    outcome = search_outcome(
        table_of(age=["20", "21", "22", "60", "62", "63"], sex=["m", "f", "m", "f", "f", "f"]), k=3
    )
    assert lines(outcome) == [("21", "m"), ("61.7", "f")]


def test_or_as_their_common_ancestor():
    country = sl.Hierarchy.nested("country", {"Europe": ["France", "Poland"], "America": ["Peru", "Chile"]})
    table = table_of(age=["20", "21", "60", "61"], country=["France", "Poland", "Peru", "Peru"])
    assert lines(search_outcome(table, k=2, labels="ancestor", by={"country": country})) == [
        ("20.5", "Europe"),
        ("60.5", "Peru"),
    ]
    assert lines(search_outcome(table, k=4, labels="ancestor", by={"country": country})) == [("40.5", "*")]
    assert lines(search_outcome(table, k=2, labels="ancestor")) == [("20.5", "*"), ("60.5", "Peru")]


def test_labels_near_in_the_hierarchy_end_up_together():
    country = sl.Hierarchy.nested("country", {"Europe": ["France", "Poland"], "America": ["Chile", "Peru"]})
    outcome = search_outcome(
        table_of(country=["Chile", "France", "Peru", "Poland"]), k=2, labels="ancestor", by={"country": country}
    )
    assert lines(outcome) == [("America",), ("Europe",)]


def test_means_are_of_the_numbers_that_are_known():
    order = order_of(Column.of("age", ["10", "20", None]))
    group, rank, people = np.array([0, 0, 0, 1]), np.array([0, 1, 2, 2]), np.array([3, 1, 5, 2])
    column = average_column(order, group, rank, people, groups=2, labels="mode")
    assert [column.cell(0), column.cell(1)] == ["12.5", None]


def test_clusters_that_read_the_same_are_one():
    outcome = search_outcome(
        table_of(sex=["f", "m", "m", "m", "m", "m", "m", "m"], age=["20", "20", "20", "20", "20", "20", "20", "20"]),
        k=1,
    )
    assert lines(outcome) == [("f", "20"), ("m", "20")]
    twice = table_of(age=["20", "22", "21", "21", "90"])
    assert len(set(lines(search_outcome(twice, k=2)))) == len(search_outcome(twice, k=2).release)


def test_the_policy_says_how_large_clusters_are():
    table = table_of(age=[str(age) for age in range(20)])
    assert search_outcome(table, sl.GroupSize() >= 5).release.groups.sizes.min() >= 5
    assert search_outcome(table, sl.GroupSize() > 5).release.groups.sizes.min() >= 6
    assert search_outcome(table, sl.DistinctValues() >= 1).release.groups.sizes.min() >= 3
    assert len(search_outcome(table, k=100).release) == 1


def test_several_values_per_person_are_fine():
    outcome = search_outcome(table_of(semantics="set", age=["1", "2", "8", "9"]), k=2)
    assert outcome.release.semantics == "set"
    assert len(outcome.release) == 2


def test_a_key_of_many_people_stays_whole():
    ages = Column.of("age", ["20", "21", "22", "90"])
    sizes = np.array([1, 100, 1, 1])
    table = sl.Table((ages,), "disease", ("Flu",), sizes, Counts.from_cells(sizes[:, np.newaxis]))
    outcome = search_outcome(table, k=2)
    assert outcome.release.groups.sizes.min() >= 2
    assert outcome.release.size == 103


@pytest.mark.parametrize("k", [0, -1, 2.5, "two"])
def test_k_is_a_number_of_people(k):
    with pytest.raises(BadPolicy, match="how many people a cluster has"):
        sl.Microaggregation(k=k)


def test_categories_are_averaged_in_one_of_three_ways():
    with pytest.raises(BadPolicy, match="choose 'mode', 'ancestor' or 'set'"):
        sl.Microaggregation(labels="median")


def test_adult_within_a_policy():
    adult = sl.datasets.adult(quasi=["age", "education", "sex"])
    reports = []
    policy = sl.Policy(sl.GroupSize() >= 5, sl.Implications(2) < 0.75, sl.Acquaintance(rules_out=1, family=1) < 0.75)
    outcome = sl.protect(
        adult.table,
        policy,
        by=adult.hierarchies,
        method="microaggregation",
        progress=lambda *each: reports.append(each),
        ask="nobody",
    )
    assert outcome.verdict.safe
    assert len(outcome.release) > 50
    assert reports[0] == ("making clusters", 0, len(adult.table.sizes))
    assert reports[-1][0] == "merging clusters"


def averages(labels, people, kind, how="mode", hierarchy=None):
    """Average one column of a cluster of everybody."""
    column = Column("x", labels, np.arange(len(labels), dtype=np.int32), kind)
    order = order_of(column, hierarchy)
    keys = np.zeros(len(labels), np.int64)
    printed = average_column(order, keys, order.ranks(column), np.array(people), groups=1, labels=how)
    return printed.cell(0)


@pytest.mark.parametrize(
    ("kind", "how", "printed"),
    [
        ("number", "mode", "2.43"),
        ("category", "mode", "1"),
        ("category", "set", "{1, 2, 4}"),
        ("category", "ancestor", "*"),
        ("ordered", "mode", "2"),
    ],
)
def test_codes_of_regions_are_averaged_by_what_they_are(kind, how, printed):
    assert averages(("1", "2", "4"), [3, 1, 3], kind, how) == printed


def test_the_median_counts_missing_labels_only_where_all_are():
    assert averages(("low", "high", None), [2, 1, 9], "ordered") == "low"
    assert averages(("low", "high", None), [1, 2, 9], "ordered") == "high"
    assert averages(("low", "high"), [1, 1], "ordered") == "low"
    assert averages((None,), [2], "ordered") is None


def test_medians_of_several_clusters():
    column = Column("x", ("a", "b", "c", None), np.array([0, 1, 2, 3, 0, 3], np.int32), "ordered")
    order = order_of(column)
    group = np.array([1, 1, 1, 0, 2, 2])
    printed = average_column(order, group, order.ranks(column), np.array([1, 1, 3, 5, 1, 9]), groups=3, labels="mode")
    assert [printed.cell(row) for row in range(3)] == [None, "c", "a"]
    assert printed.kind == "ordered"


def nearest_beside(_groups, _points, rows):
    """The nearest group is the one beside it."""
    return np.where(rows > 0, rows - 1, 1), np.ones(len(rows))


def groups(*bags):
    return sl.Release.from_counts(bags).groups


def test_a_pair_that_loses_its_partner_waits_for_the_next_round():
    into = pair_up(np.array([0, 2]), np.array([1, 1]), np.array([1.0, 2.0]), groups=3)
    assert into.tolist() == [0, 0, 1]


def test_merged_groups_keep_what_they_are_compared_with():
    merged = merge_into(groups({"a": 1}, {"b": 2}, {"a": 3}), np.array([0, 1, 0]))
    assert merged.sizes.tolist() == [4, 2]
    assert merged.counts.dense().tolist() == [[4, 0], [0, 2]]
    assert merged.whole.tolist() == [4, 2]
    assert merged.numbers.tolist() == [1, 2]


def test_merging_stops_at_one_group_whatever_the_policy():
    number = merge_until_within(
        groups({"a": 1}, {"a": 1}, {"b": 1}), PolicyCheck.from_policy([sl.GroupSize() >= 9], 3), nearest_beside
    )
    assert number.tolist() == [0, 0, 0]


def test_criteria_broken_only_together_merge_the_group_of_the_worst_case():
    """Each group alone keeps k = 2 implications below 1; with both, somebody can use one group against the other."""
    three = groups({"a": 5, "b": 5}, {"a": 4, "b": 6}, {"a": 50, "b": 1, "c": 1, "d": 1})
    measure = sl.Implications(2)
    bound = float(measure.summarize(merge_into(three, np.zeros(3, np.int64))).finding().value)
    check = PolicyCheck.from_policy([measure <= min(bound + 0.001, 1)], people=100)
    number = merge_until_within(three, check, nearest_beside)
    assert check.holds(merge_into(three, number))


def test_rounds_are_told():
    seen = []
    merge_until_within(
        groups(*[{"a": 1}] * 8),
        PolicyCheck.from_policy([sl.GroupSize() >= 2], 8),
        nearest_by_points,
        np.arange(8.0)[:, np.newaxis],
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
    ((places, distances),) = UnclusteredKeys(people, orders).matrices
    monkeypatch.setattr(EFFORT, "combinations", 1)
    apart = UnclusteredKeys(people, orders).matrices
    assert len(apart) == 2
    for one in range(4):
        for other in range(4):
            each = sum(squared[codes[one], codes[other]] for codes, squared in apart)
            assert distances[places[one], places[other]] == pytest.approx(each)


def test_a_column_of_very_many_labels_is_a_line(monkeypatch):
    monkeypatch.setattr(EFFORT, "matrix_labels", 2)
    people = table(name=["Ann", "Bob", "Cid"], sex=["f", "m", "m"])
    placed = UnclusteredKeys(people, column_orders(people.quasi, {}))
    assert placed.lines.tolist() == [[0, 0.5, 1]]
    assert len(placed.matrices) == 1


def test_large_groups_do_not_draw_in_all_others():
    three, points = groups({"a": 1000}, {"a": 1}, {"a": 1}), np.array([[0.0], [1.0], [2.2]])
    best, error = nearest_by_points(three, points, np.array([1, 2]))
    assert best.tolist() == [2, 1]
    assert error == pytest.approx([0.72, 0.72])
