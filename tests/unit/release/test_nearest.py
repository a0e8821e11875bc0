"""The nearest printed average."""

from sidelight.release.nearest import nearest_groups
from sidelight.release.printing import Nodes
from sidelight.table.table import Column


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
