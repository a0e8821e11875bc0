"""MDAV on counted keys against MDAV on points, key by key in plain Python."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.search import microaggregation
from sidelight.search.effort import EFFORT
from sidelight.search.microaggregation import UnclusteredKeys, average_points, mdav, merge_points, nearest_by_points
from sidelight.search.orders import column_orders
from sidelight.search.utility import candidate_groups
from sidelight.table.labels import Column, as_day, as_number
from sidelight.table.roles import KINDS
from sidelight.table.table import Counts
from sidelight.testing import tables


@st.composite
def with_missing(draw, column):
    """Say of some label that it is missing."""
    at = draw(st.integers(0, 2 * len(column.labels)))
    labels = tuple(None if code == at else text for code, text in enumerate(column.labels))
    return column if None in column.labels else Column(column.name, labels, column.codes)


def fits(column):
    read = {"number": as_number, "date": as_day}.get(column.kind)
    return read is None or all(read(text) is not None for text in column.labels if text is not None)


@st.composite
def placed(draw):
    """A table and the orders of its columns, of any kind, with missing cells, with and without hierarchies."""
    table = draw(tables(max_keys=9, max_people=3))
    quasi = tuple(replace(draw(with_missing(each)), kind=draw(st.sampled_from([None, *KINDS]))) for each in table.quasi)
    table = replace(table, quasi=tuple(each if fits(each) else replace(each, kind=None) for each in quasi))
    by = {}
    for column in table.quasi:
        values = [text for text in column.labels if text is not None] or ["x"]
        halves = tuple(str(draw(st.integers(0, 1))) for _ in values)
        if column.kind != "ordered" and draw(st.booleans()):
            by[column.name] = sl.Hierarchy(column.name, (tuple(values), halves, ("*",) * len(values)))
    return table, column_orders(table.quasi, by)


def points(table, orders):
    """Give each key a point: numbers and orders on a line or beside it, other labels a coordinate for every node of every telling level."""
    rows = []
    for key in range(len(table.sizes)):
        point = []
        for order, column in zip(orders, table.quasi, strict=True):
            rank = int(order.rank[column.codes[key]])
            if order.kind != "category":
                known = [at for at, text in zip(order.position, order.labels, strict=True) if text is not None]
                width = (known[-1] - known[0] or 1.0) if known else 1.0
                missing = order.labels[rank] is None and bool(known)
                place = (order.position[rank] - known[0]) / width if known else 0.0
                point += [0.5, 3**0.5 / 2] if missing else [place, 0.0]
                continue
            levels = [level for level in order.levels.tolist() if len(set(level)) > 1]
            for level in levels:
                point += [(level[rank] == node) / np.sqrt(2 * len(levels)) for node in sorted(set(level))]
        rows.append(point)
    return np.array(rows, float).reshape(len(rows), -1)


def squared(points, one, other):
    return float(((points[one] - points[other]) ** 2).sum())


@given(placed())
def test_distances_are_those_of_points(case):
    table, orders = case
    at = points(table, orders)
    left = UnclusteredKeys(table, orders)
    middle = table.sizes @ at / table.people
    from_middle = ((at - middle) ** 2).sum(axis=1)
    spread = float(table.sizes @ from_middle) / table.people
    np.testing.assert_allclose(left.from_average() - spread, from_middle, atol=1e-9)
    for key in range(len(at)):
        expected = [squared(at, key, other) for other in range(len(at))]
        np.testing.assert_allclose(left.from_key(key), expected, atol=1e-9)


@given(placed(), st.integers(1, 4))
def test_distances_stay_right_as_keys_are_taken(case, k):
    table, orders = case
    at = points(table, orders)
    left = UnclusteredKeys(table, orders)
    if table.people <= k:
        return
    taken = left.take_nearest(left.from_key(0), k)
    kept = np.setdiff1d(np.arange(len(at)), taken)
    assert left.people == table.sizes[kept].sum()
    assert left.keys == len(kept)
    if len(kept) == 0:
        return
    middle = table.sizes[kept] @ at[kept] / left.people
    from_middle = ((at[kept] - middle) ** 2).sum(axis=1)
    distances = left.from_average()[kept]
    np.testing.assert_allclose(distances - distances.min(), from_middle - from_middle.min(), atol=1e-9)


@given(placed(), st.integers(1, 4))
def test_clusters_have_k_people_and_keep_cells_whole(case, k):
    table, orders = case
    clusters = mdav(UnclusteredKeys(table, orders), k)
    people = np.bincount(clusters, weights=table.sizes)
    assert clusters.min() == 0
    assert (people > 0).all()
    assert (people[:-1] >= k).all()  # what is left over may be fewer, and is merged later
    if table.sizes.max() == 1 and table.people >= k:
        assert people.min() >= k
        assert people.max() < 2 * k


def naive(at, k):
    """Make clusters of points one by one, as the paper has it; of equally far ones either may be taken, so skip."""
    left = list(range(len(at)))
    clusters = []

    def farthest(point):
        ranked = sorted(left, key=lambda each: abs(at[each] - point))
        assume(abs(at[ranked[-1]] - point) > abs(at[ranked[-2]] - point))
        return ranked[-1]

    def cluster(seed):
        near = sorted(left, key=lambda each: abs(at[each] - at[seed]))[:k]
        clusters.append(set(near))
        for each in near:
            left.remove(each)

    while len(left) >= 2 * k:
        far = farthest(sum(at[each] for each in left) / len(left))
        cluster(far)
        if len(left) >= 2 * k:
            cluster(farthest(at[far]))
    return [*clusters, set(left)] if left else clusters


@given(st.lists(st.integers(0, 2000), min_size=2, max_size=14, unique=True), st.integers(1, 4))
def test_clusters_are_those_of_the_paper(numbers, k):
    assume(len({abs(x - y) for x in numbers for y in numbers if x < y}) == len(numbers) * (len(numbers) - 1) // 2)
    ages = Column.of("age", [str(number) for number in numbers])
    ones = np.ones(len(numbers), np.int64)
    table = sl.Table((ages,), "disease", ("Flu",), ones, Counts.from_cells(ones[:, np.newaxis]))
    at = [Fraction(table.quasi[0].cell(key)) for key in range(len(table.sizes))]
    clusters = mdav(UnclusteredKeys(table, column_orders(table.quasi, {})), k)
    assert [set(np.flatnonzero(clusters == each).tolist()) for each in range(int(clusters.max()) + 1)] == naive(at, k)


@given(placed(), st.randoms(use_true_random=False))
def test_centroids_are_averages_of_points_also_after_merging(case, rnd):
    table, orders = case
    at = points(table, orders)
    group = np.unique([rnd.randrange(3) for _ in at], return_inverse=True)[1]
    groups = int(group.max()) + 1
    near = average_points(table, orders, group, groups)
    people = np.array([table.sizes[group == each].sum() for each in range(groups)])
    middles = np.array([table.sizes[group == each] @ at[group == each] for each in range(groups)]) / people[:, None]
    if groups == 1:
        return
    counts = table.counts.roll_up(group, groups=groups)
    candidates = candidate_groups(table, people, counts)
    nearest, apart = nearest_by_points(candidates, near, np.arange(groups))
    for each, (other, error) in enumerate(zip(nearest.tolist(), apart.tolist(), strict=True)):
        ward = [
            people[each] * people[one] / (people[each] + people[one]) * ((middles[each] - middles[one]) ** 2).sum()
            for one in range(groups)
        ]
        assert other != each
        assert abs(error - ward[other]) < 1e-5
        assert error <= min(value for one, value in enumerate(ward) if one != each) + 1e-5
    merged = merge_points(near, people, np.minimum(np.arange(groups), 1))
    again = average_points(table, orders, np.minimum(group, 1), 2)
    # the last coordinate only breaks ties
    np.testing.assert_allclose(merged[:, :-1], again[:, :-1], atol=1e-9)


@given(placed())
def test_columns_with_very_many_labels_stand_on_a_line(case):
    table, orders = case
    before, EFFORT.matrix_labels = EFFORT.matrix_labels, 2
    try:
        left = UnclusteredKeys(table, orders)
        expected = sum(
            (
                (
                    microaggregation.points_on_line(order)[:, order.rank[column.codes]]
                    - microaggregation.points_on_line(order)[:, order.rank[column.codes[:1]]]
                )
                ** 2
            ).sum(axis=0)
            if len(order.labels) > 2
            else microaggregation.label_distances(order)[order.rank[column.codes[0]]][order.rank[column.codes]]
            for order, column in zip(orders, table.quasi, strict=True)
        )
        np.testing.assert_allclose(left.from_key(0), expected, atol=1e-9)
        lines = (microaggregation.points_on_line(order) for order in orders if len(order.labels) > 2)
        assert len(left.lines) == sum(map(len, lines))
    finally:
        EFFORT.matrix_labels = before
