"""Histograms of blocks add up, whoever counts them, and answer what the keys would."""

import numpy as np

from sidelight.search.mondrian_cuts import Cuts
from sidelight.search.mondrian_histograms import Boxes, CountedGroups, Lanes, RoutingTree
from sidelight.search.mondrian_store import AT_ONCE
from sidelight.table.counts import Counts
from sidelight.table.table import Table

TABLE = Table((), "disease", ("Flu", "Cold"), np.array([6]), Counts.from_cells([[4, 2]]))
RANKS = np.array([[0, 1, 2, 2, 3, 3], [0, 0, 1, 1, 0, 1]], np.int32)
VALUE = np.array([0, 1, 0, 0, 1, 0])


def counted(blocks):
    tree = RoutingTree()
    tree.cut(np.array([0]), np.array([0]), np.array([2]), np.array([1]))
    boxes = Boxes(np.array([[0, 0], [2, 0]]), np.array([[2, 2], [4, 2]]), Lanes(2, people=False))
    histogram = boxes.empty(6)
    for rows in blocks:
        part = boxes.empty(6)
        ranks = RANKS[:, rows]
        boxes.add(part, tree.groups_of(ranks), ranks, VALUE[rows], np.ones(len(rows), np.int64))
        histogram += part
    return CountedGroups.from_histogram(TABLE, np.array([0, 1]), boxes, histogram, (4, 2))


def test_rows_go_down_the_tree_in_blocks(monkeypatch):
    monkeypatch.setattr(AT_ONCE, "rows", 4)
    tree = RoutingTree()
    tree.cut(np.array([0]), np.array([0]), np.array([2]), np.array([1]))
    tree.cut(np.array([0, 1]), np.array([1, 0]), np.array([1, 3]), np.array([2, 3]))
    assert tree.groups_of(RANKS).tolist() == [0, 0, 1, 1, 3, 3]
    assert tree.groups_of(RANKS[:, :0]).tolist() == []


def test_blocks_add_up_and_answer_what_the_rules_ask():
    for blocks in ([np.arange(6)], [np.array([5, 0, 3]), np.array([1, 2]), np.array([4])]):
        groups = counted(blocks)
        assert groups.people.tolist() == [2, 4]
        assert groups.counts.tolist() == [[1, 1], [3, 1]]
        first, last = groups.extents()
        assert (first.tolist(), last.tolist()) == ([[0, 2], [0, 0]], [[1, 3], [0, 1]])
        lines = {along: line for along, _, line in groups.lines(np.array([0, 1, 1]), np.array([0, 0, 1]))}
        assert lines[0].place.tolist() == [0, 1, 6, 7]
        assert lines[0].before.tolist() == [0, 1, 2, 4, 6]
        cut = Cuts(*(np.array([number]) for number in (1, 1, 1, 1, 4)))
        ((_, halves),) = groups.halves(cut)
        assert halves.counts.dense().tolist() == [[0, 1], [3, 0]]


def test_rows_of_people_and_of_values_have_lanes_of_their_own():
    people, value, count = np.array([2, 0, 0]), np.array([-1, 1, -1]), np.array([0, 3, 2])
    lane, amount = Lanes(2, people=True).find_lanes(people, value, count)
    assert [(at, many) for at, many in zip(lane.tolist(), amount.tolist(), strict=True) if many] == [(2, 2), (1, 3)]
    assert Lanes(0, people=True).find_lanes(people, value, count)[1].tolist() == [2, 0, 0]


def test_wide_amounts_are_kept_in_wide_numbers():
    boxes = Boxes(np.array([[0]]), np.array([[1]]), Lanes(0, people=True))
    assert boxes.empty(2**31).dtype == np.int64
    assert boxes.empty(1000).dtype == np.int32
