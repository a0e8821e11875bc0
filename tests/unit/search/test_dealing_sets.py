"""Dealing people with several values: as many buckets as go, few repeats."""

import numpy as np

import sidelight as sl
from sidelight.search.dealing_sets import deal_in_turns, line_up_hardest_first
from sidelight.table.table import Counts, Profiles


def test_whoever_is_hardest_to_place_comes_first():
    profiles = Profiles(np.zeros(3, np.int64), np.array([1, 4, 2]), Counts.from_cells([[1, 1], [1, 0], [0, 0]]))
    assert profiles.counts_of_all().tolist() == [5, 1]
    assert line_up_hardest_first(profiles, np.random.default_rng(1)).tolist() == [0, 1, 1, 1, 1, 2, 2]


def test_values_are_not_repeated_where_that_can_be():
    values = Counts.from_cells(np.eye(4, dtype=int))
    line = np.repeat(np.arange(4), 10)
    bucket = deal_in_turns(values, line, 10, np.random.default_rng(3))
    holds = Counts.from_entries(bucket, line, np.ones(40), (10, 4)).dense()
    assert holds.tolist() == [[1, 1, 1, 1]] * 10


def test_real_buckets_of_five_repeat_nothing_often():
    nhefs = sl.datasets.nhefs()
    found = sl.protect(nhefs.table, sl.GroupSize() >= 5, method=sl.Anatomy(random=np.random.default_rng(5)))
    assert len(found.release) == 1629 // 5
    repeated = (found.release.groups.counts.dense() > 1).any(axis=1).mean()
    assert repeated < 0.05
