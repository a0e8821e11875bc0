"""People are counted once, and no step of sizes holds groups on both sides of a limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.value_charts import values_chart
from support.words import mentions

import sidelight as sl
from sidelight.errors import WrongKind
from sidelight.report.charts.groups import MOST_VALUES, group_chart, size_steps, sizes_chart
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
    assert mentions(title_of(sizes_chart(release, limit=5)), "2 of 9 people", "fewer than 5")
    nobody = title_of(sizes_chart(release, limit=2))
    assert mentions(nobody, "Nobody of 9 people", "fewer than 2", "smallest", 2)


def test_a_limit_above_all_groups_is_drawn():
    release = sl.Release.from_counts([{"Flu": 2}])
    assert mentions(title_of(sizes_chart(release, limit=1_000_000)), "2 of 2 people", "fewer than 1,000,000")


def test_values_beyond_the_commonest_are_one_bar():
    release = sl.Release.from_counts([{f"v{number}": number for number in range(1, 41)}])
    rows = table_behind(values_chart(release)).rows
    assert len(rows) == MOST_VALUES
    assert sum(row[1] for row in rows) == release.size
    assert rows[-1][0] == "21 other values"


def test_a_group_stands_beside_everybody():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 2}, {"Flu": 3}])
    chart = group_chart(release, 2)
    assert mentions(title_of(chart), "All", "group", "Flu", "5/7", "everybody")
    assert table_behind(chart).rows[0][:2] == ("Flu", "5/7")


RELEASE = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}, {"Flu": 2, "Cold": 2}])


def test_amounts_around_the_one_that_was_asked_about():
    finding = sl.Acquaintance(1, 2, 0, "AIDS").measure(RELEASE)
    chart = finding.plot(RELEASE)
    assert mentions(title_of(chart), "one value ruled out", "2 other people's values", "1/2 sure", "AIDS")
    asked = [row for row in table_behind(chart).rows if row[:2] == ("other people's values", 2)]
    assert asked[0][2] == str(finding.value)


def test_a_judgement_has_its_limit():
    judgement = (sl.Implications(1, "AIDS") < 0.1).judge(RELEASE)
    assert "beyond the limit (below 0.1)" in title_of(judgement.plot(RELEASE))
    sizes = (sl.GroupSize() >= 5).judge(RELEASE)
    assert mentions(title_of(sizes.plot(RELEASE)), "4 of 12 people", "fewer than 5")


def test_an_amount_of_a_million_is_marked():
    finding = sl.Acquaintance(others=1_000_000, value="AIDS").measure(RELEASE)
    rows = table_behind(finding.plot(RELEASE)).rows
    assert ("other people's values", 1_000_000, "1", 1.0) in rows


def test_only_a_release_is_drawn_on():
    with pytest.raises(WrongKind):
        sl.GroupSize().measure(RELEASE).plot({"Flu": 2})
