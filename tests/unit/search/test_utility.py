"""Utilities by hand on a table small enough to see through.

Recodings: what is printed about a region, what a reader expects, and queries.
"""

import math

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy
from sidelight.search.effort import EFFORT
from sidelight.search.orders import column_orders, order_of
from sidelight.search.utility import (
    UTILITIES,
    Buckets,
    Marginals,
    Query,
    Regions,
    random_queries,
    region_labels,
    release_of,
)
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Column, unused_name
from sidelight.table.table import Counts, Table

TABLE = Table(
    quasi=(Column.of("age", ["10", "20", "30", "40"]), Column.of("sex", ["f", "f", "m", "m"])),
    sensitive="disease",
    domain=("Flu", "Cold"),
    sizes=np.array([1, 2, 3, 4]),
    counts=Counts.from_cells([[1, 0], [1, 1], [0, 3], [2, 2]]),
)
ORDERS = column_orders(TABLE.quasi, {})
AS_IT_IS = Regions.from_keys(
    TABLE, ORDERS, np.arange(4), np.array([[0, 0], [1, 0], [2, 1], [3, 1]]), np.array([[1, 1], [2, 1], [3, 2], [4, 2]])
)
HALVES = Regions.from_keys(
    TABLE, ORDERS, np.array([0, 0, 1, 1]), np.array([[0, 0], [2, 1]]), np.array([[2, 1], [4, 2]])
)
ONE_LEFT_OUT = Regions.from_keys(
    TABLE, ORDERS, np.array([-1, 0, 1, 1]), np.array([[1, 0], [2, 1]]), np.array([[2, 1], [4, 2]])
)


def worth(recoding):
    return {name: utility(recoding) for name, utility in UTILITIES.items()}


def test_a_table_printed_as_it_is_loses_nothing():
    utility = worth(AS_IT_IS)
    assert utility["discernibility"] == 1 + 4 + 9 + 16
    assert utility["average group size"] == 2.5
    for name in ("loss", "balanced loss", "non-uniform entropy", "suppressed"):
        assert utility[name] == pytest.approx(0)
    assert utility["KL divergence"] == utility["query error"] == pytest.approx(0)


def test_halves():
    utility = worth(HALVES)
    assert utility["discernibility"] == 9 + 49
    assert utility["average group size"] == 5
    assert utility["loss"] == pytest.approx((10 / 30) / 2)  # age covers a third of its range in both, sex nothing
    guesses = 1 * math.log2(3 / 1) + 2 * math.log2(3 / 2) + 3 * math.log2(7 / 3) + 4 * math.log2(7 / 4)
    most = sum(n * math.log2(10 / n) for n in (1, 2, 3, 4)) + 3 * math.log2(10 / 3) + 7 * math.log2(10 / 7)
    assert utility["non-uniform entropy"] == pytest.approx(guesses / most)
    told, held = (
        0.3 * math.log2(10 / 3) + 0.7 * math.log2(10 / 7),
        sum(n * math.log2(10 / n) for n in (1, 2, 3, 4)) / 10,
    )
    kept, whole = (2 * math.log2(1 + told), math.log2(1 + held) + math.log2(1 + told))  # sex is told as it is
    assert utility["balanced loss"] == pytest.approx(1 - kept / whole)
    true = {(0, 0): 1, (1, 0): 1, (1, 1): 1, (2, 1): 3, (3, 0): 2, (3, 1): 2}
    rebuilt = {(0, 0): 1.0, (1, 0): 1.0, (1, 1): 0.5, (2, 1): 2.5, (3, 0): 1.0, (3, 1): 2.5}
    assert utility["KL divergence"] == pytest.approx(sum(n / 10 * math.log(n / rebuilt[at]) for at, n in true.items()))


def test_suppressed_people_may_be_anywhere():
    utility = worth(ONE_LEFT_OUT)
    assert utility["suppressed"] == 0.1
    assert utility["discernibility"] == 4 + 49 + 1 * 10
    assert utility["loss"] == pytest.approx((7 * (10 / 30) / 2 + 1) / 10)
    assert 0 < utility["non-uniform entropy"] < 1
    assert math.isfinite(utility["KL divergence"])


def test_queries_are_the_same_for_the_same_seed_and_answered_by_expectation():
    one, other = (list(random_queries(ORDERS, 2, seed=3)) for _ in range(2))
    assert [each.ranges for each in one] == [each.ranges for each in other]
    for query in one[:20]:
        assert AS_IT_IS.estimate(query) == query.answer(TABLE, ORDERS)


def test_utilities_are_computed_when_asked_for(monkeypatch):
    result = sl.protect(TABLE, sl.Policy(sl.GroupSize() >= 2), method="mondrian", ask="nobody")
    assert list(result.utility) == list(UTILITIES)
    assert result.utility["loss"] == UTILITIES["loss"](result.recoding)


def test_each_different_stretch_is_put_into_words_once():
    column = region_labels(ORDERS[0], np.array([0, 2, 0]), np.array([2, 4, 2]))
    assert column.labels == ("10-20", "30-40")
    assert column.codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("labels", "remedy"), [([*"abcd"], "in by=$"), (["1", "2", "3", "4"], r"or say kinds=\{'zip': 'number'\}$")]
)
def test_sets_that_would_list_labels_without_end_are_refused_with_a_remedy(monkeypatch, labels, remedy):
    order = order_of(Column("zip", tuple(labels), np.arange(4, dtype=np.int32), "category"))
    stretches = np.array([0, 1]), np.array([3, 3])
    monkeypatch.setattr(EFFORT, "listed_labels", 5)
    assert region_labels(order, *stretches).labels[1] == "{" + ", ".join(labels[1:3]) + "}"
    monkeypatch.setattr(EFFORT, "listed_labels", 4)
    with pytest.raises(BadHierarchy, match=rf"'zip'.*\b4 labels.*no hierarchy.*more than 4\b.*{remedy}"):
        region_labels(order, *stretches)


def test_nodes_of_a_hierarchy_count_once_and_too_few_of_them_are_named(monkeypatch):
    column = Column.of("city", [*"abcdef"])
    order = order_of(column, Hierarchy.nested("city", {"North": [*"abc"], "South": [*"def"]}))
    monkeypatch.setattr(EFFORT, "listed_labels", 4)
    assert region_labels(order, np.array([0, 3]), np.array([6, 5])).labels == ("*", "{d, e}")
    with pytest.raises(BadHierarchy, match="a hierarchy of too few nodes"):
        region_labels(order, np.array([1, 1]), np.array([5, 3]))


def test_a_release_leaves_out_who_is_in_no_group():
    release = release_of(TABLE, np.array([-1, 0, 1, 1]), (), 2)
    assert release.groups.sizes.tolist() == [2, 7]
    assert release.groups.whole.tolist() == [3, 6]


def test_groups_are_looked_up_only_when_needed():
    def never():
        raise AssertionError

    marginals = Marginals.from_table(TABLE, ORDERS)
    lazy = Regions(TABLE, ORDERS, marginals, np.array([10]), 0, np.array([[0, 0]]), np.array([[4, 2]]), never)
    assert lazy.detail_lost() == 10
    assert lazy.bits_kept().tolist() == [0.0, 0.0]
    with pytest.raises(AssertionError):
        lazy.reconstruction()


def test_expected_people_are_the_same_looked_up_densely_or_by_sorting(monkeypatch):
    dense = ONE_LEFT_OUT.reconstruction()
    monkeypatch.setattr(EFFORT, "dense_counts", 0)
    np.testing.assert_allclose(ONE_LEFT_OUT.reconstruction(), dense)


def test_a_suppressed_person_may_be_of_any_key():
    everything = Query({}, np.array([True, True]))
    assert ONE_LEFT_OUT.estimate(everything) == 10
    young = Query({0: (0, 1)}, np.array([True, True]))
    assert young.answer(TABLE, ORDERS) == 1
    assert ONE_LEFT_OUT.estimate(young) == pytest.approx(1 / 4)


def test_queries_ask_for_a_stretch_of_columns_and_values():
    for query in random_queries(ORDERS, 2, count=20, columns=5):
        assert set(query.ranges) == {0, 1}
        assert all(0 <= start < stop <= len(ORDERS[at]) for at, (start, stop) in query.ranges.items())
        assert query.values.any()


def test_people_of_a_key_may_be_in_several_buckets():
    key, bucket = np.array([0, 1, 1, 2]), np.array([0, 1, 1, 0])
    people = Table(TABLE.quasi, "disease", TABLE.domain, np.array([1, 2, 1, 0]), Counts.from_cells([[1, 0]] * 4))
    buckets = Buckets.from_people(people, ORDERS, key, bucket, Counts.from_cells([[1, 1], [2, 0]]))
    assert buckets.people.tolist() == [1, 1, 2]
    assert buckets.key.tolist() == [0, 2, 1]


def test_a_name_that_is_taken_is_lengthened():
    assert unused_name("bucket", []) == "bucket"
    assert unused_name("bucket", ["Bucket", "bucket 2"]) == "bucket 3"
