"""Distances of labels: on lines, beside them, and along hierarchies.

The nearest printed average.

How people are found in releases.
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadRelease, BadTable, UnknownColumn
from sidelight.release.locate import nearest_groups, points_of, squared_distances
from sidelight.release.printed_labels import Nodes
from sidelight.table.labels import Column


def test_a_missing_place_is_as_far_from_both_ends_as_they_are_from_one_another():
    points = points_of(np.array([10.0, 20.0, 30.0, np.nan]))
    squared = squared_distances(points, points)
    assert squared[3].tolist() == pytest.approx([1, 0.75, 1, 0])
    assert squared[0, 2] == 1


@given(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=1, max_size=6))
def test_distances_are_symmetric_and_at_most_1(line):
    points = points_of(np.array(line))
    squared = squared_distances(points, points)
    assert (squared == squared.T).all()
    assert squared.min() >= 0
    assert squared.max() <= 1 + 1e-9


def test_a_line_of_one_place_or_none_has_no_length():
    assert points_of(np.array([7.0])).tolist() == [[0]]
    assert points_of(np.array([np.nan, np.nan])).tolist() == [[0, 0]]


def nearest(known, printed, nodes=None):
    columns = [(Column.of("x", known), Column.of("x", printed))]
    rows, groups = nearest_groups(columns, len(printed), {} if nodes is None else {"x": nodes})
    return [groups[rows == row].tolist() for row in range(len(known))]


def test_numbers_and_days_by_size():
    assert nearest(["20", "41"], ["21.5", "40"]) == [[0], [1]]
    assert nearest(["2024-01-05"], ["2024-01-01", "2024-02-01"]) == [[0]]
    assert nearest(["30"], ["20", "40"]) == [[0, 1]]  # equally near


def test_a_label_that_covers_is_at_no_distance():
    assert nearest(["A", "C"], ["{A, B}", "C"]) == [[0], [1]]
    cities = Nodes.covering({"South": ["Ulm", "Freiburg"], "North": ["Kiel"]})
    assert nearest(["Ulm", "Kiel"], ["North", "South"], cities) == [[1], [0]]


def test_stars_are_far_from_everything():
    assert nearest(["20", "90"], ["*", "23"]) == [[1], [1]]
    assert nearest([None, "7"], ["7", None]) == [[1], [0]]


def release(labels, bags=None):
    bags = bags or [{f"v{number}": 1, "x": 1} for number in range(len(labels))]
    return sl.Release.from_counts(bags, labels=labels)


def groups(exposure, row, number=0):
    return (exposure.views[number].linkage.groups_of(row) + 1).tolist()


def test_labels_may_be_taken_for_names():
    ages = release([{"age": "20-29"}, {"age": "25"}])
    exposure = sl.intersect([ages], people=pl.DataFrame({"age": [25, 22]}), locate="labels")
    assert [groups(exposure, row) for row in (0, 1)] == [[], [2]]
    assert exposure.unlocated == (1,)


def test_with_a_hierarchy_labels_cover_what_is_under_them_and_are_never_read_as_ranges():
    odd = sl.Hierarchy("age", (("22", "25", "61"), ("60-69", "20-29", "20-29"), ("*", "*", "*")))
    ages = release([{"age": "20-29"}, {"age": "60-69"}])
    for way in ("labels", "intervals"):
        exposure = sl.intersect([ages], people=pl.DataFrame({"age": [22, 25, 61]}), by={"age": odd}, locate=way)
        assert [groups(exposure, row) for row in range(3)] == [[2], [1], [1]]


def test_a_label_that_the_hierarchy_lacks_is_not_located_and_a_star_covers_all():
    by = {"sex": sl.Hierarchy("sex", (("f", "m"), ("anyone", "anyone")))}
    people = pl.DataFrame({"sex": ["f", "x", None]})
    exposure = sl.intersect([release([{"sex": "anyone"}])], people=people, by=by)
    assert exposure.unlocated == (1,)  # a missing cell becomes the one label of the level
    starred = sl.intersect([release([{"sex": "*"}])], people=people, by=by)
    assert starred.unlocated == (0,)


def test_who_fits_several_groups_may_have_the_values_of_any():
    both = release([{"age": "20-30"}, {"age": "25-40"}], [{"a": 3}, {"b": 1}])
    exposure = sl.intersect([both], people=pl.DataFrame({"age": [27, 39]}), locate="intervals")
    assert exposure.ambiguous == (1,)
    assert exposure.candidates[0] == ("a", "b")
    assert exposure.witness({"age": 27}).beliefs == {"a": Fraction(3, 4), "b": Fraction(1, 4)}  # by size
    assert exposure.mean_group_sizes == (Fraction(5, 2),)


def test_columns_that_the_attacker_does_not_know_fit_anything():
    zips = release([{"age": "1", "zip": "a"}, {"age": "1", "zip": "b"}])
    exposure = sl.intersect([zips], people=pl.DataFrame({"age": ["1"]}), quasi=["age"])
    assert groups(exposure, 0) == [1, 2]
    with pytest.raises(UnknownColumn, match="no column 'zip'"):
        sl.intersect([zips], people=pl.DataFrame({"age": ["1"]}))


def test_the_nearest_average():
    clusters = release(
        [{"age": "20.5", "sex": "f"}, {"age": "60", "sex": "f"}, {"age": "21", "sex": "m"}, {"age": "*", "sex": "*"}]
    )
    people = pl.DataFrame({"age": [20, 58, 22, None], "sex": ["f", "f", "m", "m"]})
    exposure = sl.intersect([clusters], people=people, locate="nearest")
    found = {tuple(column.cell(row) for column in exposure.people.known): groups(exposure, row) for row in range(4)}
    assert found == {("20", "f"): [1], ("58", "f"): [2], ("22", "m"): [3], (None, "m"): [3]}


def test_several_averages_may_be_equally_near():
    exposure = sl.intersect(
        [release([{"age": "10"}, {"age": "30"}])], people=pl.DataFrame({"age": [20]}), locate="nearest"
    )
    assert groups(exposure, 0) == [1, 2]


def test_labels_are_near_along_their_hierarchy():
    by = {"country": sl.Hierarchy.nested("country", {"Europe": ["France", "Poland"], "Asia": ["Japan", "India"]})}
    clusters = release([{"country": "France"}, {"country": "Japan"}])
    exposure = sl.intersect([clusters], people=pl.DataFrame({"country": ["India", "Poland"]}), by=by, locate="nearest")
    assert [groups(exposure, row) for row in (0, 1)] == [[2], [1]]


def test_the_top_of_a_hierarchy_tells_where_its_labels_differ():
    # a city that nobody printed is nearer to one of its own country: there is no `*` above the countries
    city = sl.Hierarchy("city", (("Lyon", "Nice", "Rome", "Bari"), ("France", "France", "Italy", "Italy")))
    clusters = release([{"city": "Lyon"}, {"city": "Rome"}])
    people = pl.DataFrame({"city": ["Nice", "Bari"]})
    exposure = sl.intersect([clusters], people=people, by={"city": city}, locate="nearest")
    known = [exposure.people.known[0].cell(row) for row in (0, 1)]
    assert {text: groups(exposure, row) for row, text in enumerate(known)} == {"Nice": [1], "Bari": [2]}


ADULT = sl.datasets.adult(quasi=["age", "sex"])


def test_microaggregated_people_are_looked_for_at_the_nearest_average():
    found = sl.protect(ADULT.table, sl.Policy(sl.GroupSize() >= 50), method="microaggregation", ask="nobody")
    exposure = sl.intersect([found, found.release], people=ADULT.table, locate=[None, "nearest"])
    assert exposure.unlocated == (0, 0)
    right = exposure.located_right
    assert right[1] is None
    assert Fraction(7, 10) < right[0] <= 1
    assert exposure.values_by_release[0].tolist() == exposure.values_by_release[1].tolist()
    assert exposure.truth.hits_by_release[0] >= right[0]


def test_anatomy_s_buckets_count_by_the_people_in_them():
    method = sl.Anatomy(l=3, random=np.random.default_rng(5))
    found = sl.protect(ADULT.table, sl.Policy(sl.DistinctValues() >= 3), method=method, ask="nobody")
    exposure = sl.intersect([found], people=ADULT.table)
    assert exposure.truth.hits == 1
    buckets = found.buckets
    row = 0
    says = [column.cell(row) for column in exposure.people.known]
    cell = next(at for at in range(len(ADULT.table.sizes)) if [column.cell(at) for column in ADULT.table.quasi] == says)
    mine = buckets.key == cell
    assert exposure.views[0].linkage.groups_of(row).tolist() == sorted(buckets.bucket[mine].tolist())
    shares = [
        sum(
            Fraction(int(people) * int(buckets.counts.row(int(bucket))[x]), int(buckets.sizes[bucket]))
            for bucket, people in zip(buckets.bucket[mine], buckets.people[mine], strict=True)
        )
        / int(buckets.people[mine].sum())
        for x in range(14)
    ]
    beliefs = exposure.witness(row).beliefs
    assert [beliefs.get(value, 0) for value in exposure.domain] == shares


def test_a_list_says_who_is_where():
    buckets = release([{"bucket": "1"}, {"bucket": "2"}])
    people = pl.DataFrame({"age": [30, 30, 41, 7]})
    who = sl.Listed(pl.DataFrame({"age": [30, 30, 30, 41], "bucket": [1, 1, 2, 2]}))
    exposure = sl.intersect([buckets], people=people, quasi="age", locate=who)
    assert [groups(exposure, row) for row in range(3)] == [[], [1, 2], [2]]
    assert exposure.witness({"age": 30}).beliefs == {"v0": Fraction(1, 3), "v1": Fraction(1, 6), "x": Fraction(1, 2)}
    with pytest.raises(BadTable, match="1 groups of the list"):
        sl.intersect([buckets], people=people, quasi="age", locate=sl.Listed(pl.DataFrame({"age": [1], "bucket": [9]})))
    with pytest.raises(BadTable, match="no column 'room'"):
        sl.intersect(
            [buckets], people=people, quasi="age", locate=sl.Listed(pl.DataFrame({"age": [1], "room": [9]}), "room")
        )


def test_bucketized_files_tell_people_apart():
    rows = pl.DataFrame({"bucket": [1, 1, 2, 2], "age": [30, 41, 30, 52], "value": ["a", "b", "c", "c"]})
    buckets = sl.read_release(rows, group="bucket", quasi=["age"], sensitive="value")
    exposure = sl.intersect([buckets], people=pl.DataFrame({"age": [30, 41, 52, 7]}))
    known = [exposure.people.column("age").cell(row) for row in range(4)]
    assert {age: groups(exposure, row) for row, age in enumerate(known)} == {
        "30": [1, 2],
        "41": [1],
        "52": [2],
        "7": [],
    }


def test_columns_that_are_grouped_by_are_what_people_are_found_by():
    table = ADULT.table
    exposure = sl.intersect([sl.group(table, by=["sex"])], people=table)
    assert [column.name for column in exposure.people.known] == ["sex"]
    assert exposure.unlocated == exposure.ambiguous == (0,)


def test_people_are_found_by_name_where_a_release_names_them():
    one = sl.Release.from_groups([(["Bob", "Ed"], ["Flu", "AIDS"]), (["Di"], ["Cold"])])
    two = sl.Release.from_groups([(["Bob", "Di"], ["Flu", "Cold"]), (["Ed"], ["AIDS"])])
    who = pl.DataFrame({"who": ["Ed", "Bob", "Zoe"]})
    exposure = sl.intersect([one, two], people=who, person="who")
    assert exposure.witness("Ed").candidates == ("AIDS",)
    assert exposure.unlocated == (1, 1)
    assert exposure.located_nowhere == 1
    with pytest.raises(BadTable, match="give person="):
        sl.intersect([one, two], people=who)


def test_suppressed_people_are_looked_for_among_the_suppressed_only_where_that_is_said():
    policy = sl.Policy(sl.GroupSize() >= 300)
    found = sl.protect(ADULT.table, policy, by=ADULT.hierarchies, suppress=0.04, ask="nobody")
    assert found.suppressed > 0
    exposure = sl.intersect([found], people=ADULT.table)
    assert exposure.unlocated == (found.suppressed,)
    assert exposure.ambiguous == (0,)
    assumed = sl.intersect([found], people=ADULT.table, suppressed="may hold them")
    assert assumed.unlocated == assumed.ambiguous == (0,)
    assert assumed.located_right == (1,)
    assert assumed.truth.hits == 1
    linkage = assumed.views[0].linkage
    assert assumed.people.sizes[linkage.assumed_rows].sum() == found.suppressed


def test_wrong_ways_are_refused():
    ages = release([{"age": "1"}])
    people = pl.DataFrame({"age": ["1"]})
    with pytest.raises(BadRelease, match="did you mean 'intervals'"):
        sl.intersect([ages], people=people, locate="interval")
    with pytest.raises(BadRelease, match=r"\b2 ways.*\b1 releases"):
        sl.intersect([ages], people=people, locate=["labels", "labels"])
