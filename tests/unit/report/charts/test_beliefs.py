"""Beliefs are drawn of whoever they move most about, from what they were to what they are."""

import pytest

import sidelight as sl
from sidelight.report.plots import table_behind, title_of

WARD = sl.Release.from_counts(
    [{"Flu": 2, "Cold": 2}, {"Flu": 4}], labels=[{"age": "30-39", "sex": "*"}, {"age": "40-49", "sex": "f"}]
)


def test_the_mover_is_the_one_who_moved_most():
    after, before = sl.maxent(WARD, "P(Flu | sex=f) = 1"), sl.maxent(WARD)
    (move,) = after.moved_most(before, 1)
    chart = after.plot()
    assert title_of(chart) == "For age 30-39, sex f (printed *), Flu rises from 0.5 to 1"
    assert table_behind(chart).rows[0] == (move.value, "0.5", 0.5, "1", 1.0)
    assert title_of(after.plot(before)) == title_of(chart)


def test_without_statements_people_stand_beside_everybody():
    assert title_of(sl.maxent(WARD).plot()) == "Flu is 1 likely for age 40-49, sex f, and 0.75 for everybody"


def test_of_sets_only_values_are_drawn_of_which_something_is_known():
    visits = sl.Release.from_counts([{"Flu": 2, "Cold": 3}], sizes=[4], values="set", labels=[{"age": "30-39"}])
    after, before = sl.maxent(visits, ["P(Flu | person=#1) = 0.1"]), sl.maxent(visits)
    chart = after.plot()
    assert title_of(chart) == title_of(after.plot(before))
    assert "Flu falls from 0.5 to 0.1" in title_of(chart)
    assert {row[0]: pytest.approx(row[4]) for row in table_behind(chart).rows} == {"Flu": 0.1}
