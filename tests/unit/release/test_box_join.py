"""Which boxes hold which points: covers in one piece, in several, and none at all; cut and uncut."""

from unittest.mock import patch

import numpy as np
import pytest

from sidelight.errors import TooHard
from sidelight.release.box_join import Cover, join


def test_labels_that_nothing_tells_apart_are_one_segment():
    cover = Cover.of(np.arange(6), 6, [[(0, 3)], [(3, 6)]], np.array([0, 1]))
    assert cover.segment.tolist() == [0, 0, 0, 1, 1, 1]
    assert (cover.first.tolist(), cover.last.tolist(), cover.pieces.tolist()) == ([0, 1], [0, 1], [-1, -1])


def test_what_is_covered_in_pieces_or_not_at_all():
    cover = Cover.of(np.arange(5), 5, [[(0, 1), (3, 4)], []], np.array([0, 1]))
    assert pairs([cover], 5, 2) == [(0, 0), (3, 0)]


def pairs(covers, points, boxes):
    point, box = join(covers, np.arange(points), np.arange(boxes))
    return sorted(zip(point.tolist(), box.tolist(), strict=True))


def test_boxes_that_reach_over_a_cut_come_once():
    covered = [[(start, min(start + 3, 40))] for start in range(40)]
    covers = [
        Cover.of(np.arange(40), 40, covered, np.arange(40)),
        Cover.of(np.zeros(40, int), 1, [[(0, 1)]], np.zeros(40, int)),
    ]
    whole = pairs(covers, 40, 40)
    with patch("sidelight.release.box_join.PAIRS_AT_ONCE", 4):
        assert pairs(covers, 40, 40) == whole
    assert len(whole) == len(set(whole)) == sum(stop - start for ((start, stop),) in covered)


def test_too_many_pairs_are_refused_before_memory_is_gone():
    everything = Cover.of(np.zeros(50, int), 1, [[(0, 1)]], np.zeros(50, int))
    with patch("sidelight.release.box_join.MOST_PAIRS", 100), pytest.raises(TooHard, match="name more columns"):
        join([everything], np.arange(50), np.arange(50))
