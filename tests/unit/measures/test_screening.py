"""Rows of a screen join in any order, along any tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.screening import joined_after, joined_all, joined_before

numbers = st.lists(st.integers(1, 9), min_size=1, max_size=20)


@given(numbers, st.sampled_from([sl.GroupSize(), sl.Negations(1)]))
def test_scans_are_what_they_say(listed, measure):
    screen = measure.screen()
    worst = max if measure.large_is_bad else min
    rows = np.array(listed, float)[:, np.newaxis]
    assert joined_all(screen, rows).tolist() == [[worst(listed)]]
    assert joined_before(screen, rows).ravel().tolist() == [worst(listed[: at + 1]) for at in range(len(listed))]
    assert joined_after(screen, rows).ravel().tolist() == [worst(listed[at:]) for at in range(len(listed))]


def test_groups_with_nothing_to_measure_do_not_count():
    release = sl.Release.from_counts([{"b": 9}, {"a": 1, "b": 1}])
    screen = sl.Negations(0, value="a").screen()
    assert screen.value(joined_all(screen, screen.of(release.groups))).tolist() == [0.5]


def test_a_measure_of_whole_releases_has_none():
    with pytest.raises(BadMeasure, match="looks at a whole release at once"):
        sl.MaxEnt().screen()
