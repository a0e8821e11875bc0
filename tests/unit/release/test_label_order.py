"""All labels of a column at a time: the same as one by one.

Which boxes hold which points: covers in one piece, in several, and none at all; cut and uncut.
"""

from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.printed import LABELS, TEXTS

import sidelight as sl
from sidelight.errors import TooHard
from sidelight.release import label_order
from sidelight.release.label_order import Cover, LabelOrder, Stretches, join
from sidelight.release.printed_labels import Nodes, covers


@given(TEXTS, st.lists(LABELS, min_size=1, max_size=12, unique=True))
@examples(120)
def test_one_label_and_all_labels_at_a_time_agree(printed, labels):
    order = LabelOrder(tuple(labels))
    stretches = order.find_covered(printed)
    assert all(start < stop for start, stop in stretches)
    assert all(one[1] < other[0] for one, other in pairwise(stretches))  # rising, and apart
    assert [order.labels[place] for place in order.position] == labels
    inside = {order.labels[at] for start, stop in stretches for at in range(start, stop)}
    assert inside == {text for text in labels if covers(printed, text)}


@given(
    st.lists(st.integers(0, 99).map(str), min_size=1, max_size=20, unique=True), st.integers(0, 99), st.integers(0, 99)
)
def test_an_interval_covers_one_stretch(labels, low, high):
    assert len(LabelOrder(tuple(labels)).find_covered(f"{min(low, high)}-{max(low, high)}")) <= 1


def test_with_a_hierarchy_its_nodes_cover_neighbours_and_mean_what_it_says():
    country = sl.Hierarchy.nested("country", {"Europe": ["France", "Poland"], "20-29": ["Japan", "India", "25"]})
    order = LabelOrder(("Japan", "France", "India", "Poland", "25", "27", None), Nodes.from_hierarchy(country))
    names = {
        text: [order.labels[start:stop] for start, stop in order.find_covered(text)] for text in ("Europe", "20-29")
    }
    assert names == {"Europe": [("France", "Poland")], "20-29": [("25", "27", "India", "Japan")]}  # it lacks 27
    assert [order.labels[start:stop] for start, stop in order.find_by_name("20-29")] == [("25",), ("India", "Japan")]
    assert [order.labels[start:stop] for start, stop in order.find_covered("{Europe, 27}")] == [
        ("27",),
        ("France", "Poland"),
    ]
    assert order.find_by_name("{Europe, 27}") == []
    assert order.find_by_name("*") == order.find_covered("*") == [(0, 7)]


NUMBERS = st.integers(0, 99_999)
RANGES = st.one_of(
    st.tuples(NUMBERS, NUMBERS).map(lambda ends: f"{ends[0]}-{ends[1]}"),
    st.tuples(st.dates(), st.dates()).map(lambda ends: f"{ends[0]} to {ends[1]}"),
    st.sampled_from(["2024-02-31 to 2024-03-01", "0000-01-01 to 2024-01-01"]),
)


@given(st.lists(RANGES | TEXTS, max_size=8), st.lists(LABELS | RANGES | NUMBERS.map(str), min_size=1, unique=True))
@examples(120)
def test_many_printed_labels_cover_what_each_does(printed, labels):
    order = LabelOrder(tuple(labels))
    together = order.find_each_covered(printed)
    assert [together.list_stretches(at) for at in range(len(printed))] == [order.find_covered(text) for text in printed]


def test_labels_that_nothing_tells_apart_are_one_segment():
    cover = Cover.build(np.arange(6), 6, Stretches.build([[(0, 3)], [(3, 6)]]), np.array([0, 1]))
    assert cover.segment.tolist() == [0, 0, 0, 1, 1, 1]
    assert (cover.first.tolist(), cover.last.tolist(), cover.pieces.tolist()) == ([0, 1], [0, 1], [-1, -1])


def test_what_is_covered_in_pieces_or_not_at_all():
    cover = Cover.build(np.arange(5), 5, Stretches.build([[(0, 1), (3, 4)], []]), np.array([0, 1]))
    assert pairs([cover], 5, 2) == [(0, 0), (3, 0)]


def pairs(covers, points, boxes):
    point, box = join(covers, np.arange(points), np.arange(boxes))
    return sorted(zip(point.tolist(), box.tolist(), strict=True))


def test_boxes_that_reach_over_a_cut_come_once():
    covered = [[(start, min(start + 3, 40))] for start in range(40)]
    covers = [
        Cover.build(np.arange(40), 40, Stretches.build(covered), np.arange(40)),
        Cover.build(np.zeros(40, int), 1, Stretches.build([[(0, 1)]]), np.zeros(40, int)),
    ]
    whole = pairs(covers, 40, 40)
    with patch.object(label_order, "PAIRS_COMPARED", 4):
        assert pairs(covers, 40, 40) == whole
    assert len(whole) == len(set(whole)) == sum(stop - start for ((start, stop),) in covered)


def test_too_many_pairs_are_refused_before_memory_is_gone():
    everything = Cover.build(np.zeros(50, int), 1, Stretches.build([[(0, 1)]]), np.zeros(50, int))
    with patch.object(label_order, "PAIRS_HELD", 100), pytest.raises(TooHard, match="name more columns"):
        join([everything], np.arange(50), np.arange(50))
