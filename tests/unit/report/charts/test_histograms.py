"""People are counted once, and no step of sizes holds groups on both sides of a limit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.report.charts.histograms import MOST_VALUES, group_chart, size_steps, sizes_chart, values_chart
from sidelight.report.plots import table_behind, title_of
from tests.support.examples import examples


@examples(60)
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=30), st.none() | st.integers(1, 2_000))
def test_steps_count_everybody_once_and_none_holds_both_sides_of_a_limit(sizes, limit):
    steps = size_steps(np.array(sizes), limit)
    assert sum(step.people for step in steps) == sum(sizes)
    assert sum(step.groups for step in steps) == len(sizes)
    for step in steps:
        assert step.people == sum(size for size in sizes if step.low <= size <= step.high)
        assert limit is None or step.high < limit or step.low >= limit or limit > max(sizes)


def test_who_is_in_too_small_a_group_is_counted():
    release = sl.Release.from_counts([{"Flu": 2}, {"Flu": 3, "Cold": 4}])
    assert title_of(sizes_chart(release, limit=5)) == "2 of 9 people are in groups of fewer than 5"
    assert (
        title_of(sizes_chart(release, limit=2))
        == "Nobody of 9 people is in a group of fewer than 2; the smallest has 2"
    )


def test_a_limit_above_all_groups_is_drawn():
    release = sl.Release.from_counts([{"Flu": 2}])
    assert title_of(sizes_chart(release, limit=1_000_000)) == "2 of 2 people are in groups of fewer than 1,000,000"


def test_values_beyond_the_commonest_are_one_bar():
    release = sl.Release.from_counts([{f"v{number}": number for number in range(1, 41)}])
    rows = table_behind(values_chart(release)).rows
    assert len(rows) == MOST_VALUES
    assert sum(row[1] for row in rows) == release.size
    assert rows[-1][0] == "21 other values"


def test_a_group_stands_beside_everybody():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 2}, {"Flu": 3}])
    chart = group_chart(release, 2)
    assert title_of(chart) == "All of a group has Flu, and 5/7 of everybody"
    assert table_behind(chart).rows[0][:2] == ("Flu", "5/7")
