"""Distances: of labels, of keys column by column, and of groups by their average."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.search import distances
from sidelight.search.distances import Centroids, KeyDistances, label_distances, points_on_line
from sidelight.search.orders import column_orders, order_of
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table

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
    monkeypatch.setattr(distances, "FEW_COMBINATIONS", 1)
    apart = KeyDistances.from_table(people, orders).matrices
    assert len(apart) == 2
    for one in range(4):
        for other in range(4):
            each = sum(part.squared[part.codes[one], part.codes[other]] for part in apart)
            assert together.squared[together.codes[one], together.codes[other]] == pytest.approx(each)


def test_a_column_of_very_many_labels_is_a_line(monkeypatch):
    monkeypatch.setattr(distances, "MANY_LABELS", 2)
    people = table(name=["Ann", "Bob", "Cid"], sex=["f", "m", "m"])
    placed = KeyDistances.from_table(people, column_orders(people.quasi, {}))
    assert placed.lines.tolist() == [[0, 0.5, 1]]
    assert len(placed.matrices) == 1


def test_large_groups_do_not_draw_in_all_others():
    near = Centroids(np.array([1000, 1, 1]), np.array([[0.0], [1.0], [2.2]]))
    best, error = near.nearest(None, np.array([1, 2]))
    assert best.tolist() == [2, 1]
    assert error == pytest.approx([0.72, 0.72])
