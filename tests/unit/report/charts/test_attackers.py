"""What the two readers reach, and how sure anybody may get."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.documents.document import AttackerFacts, number
from sidelight.errors import BadMeasure
from sidelight.report.charts.attackers import attackers_chart
from sidelight.report.plots import description_of, svg, table_behind, title_of


def reader(name, belief=None, limit=None, *, lower_bound=False):
    numbers = [None if each is None else number(each, large_is_bad=True) for each in (belief, limit)]
    outcome = "could not tell" if belief is None else "asked"
    return AttackerFacts(
        reader=name, outcome=outcome, belief=numbers[0], limit=numbers[1], lower_bound=lower_bound, text=""
    )


LEARNER = reader("learner", Fraction(3, 5), Fraction(2, 3))
INSIDER = reader("insider")


def test_who_could_not_be_told_of_is_drawn_as_such():
    chart = attackers_chart([LEARNER, INSIDER])
    assert "? could not be told" in svg(chart)
    assert table_behind(chart).rows[1] == ("an insider", "could not be told", "")


def test_the_surest_reader_is_named_and_one_without_a_limit_too():
    surer = reader("insider", Fraction(9, 10))
    assert mentions(title_of(attackers_chart([LEARNER, surer])), "insider", "at most 9/10")


def test_attackers_chart_people_left_out_says_at_least():
    insider = reader("insider", Fraction(9, 10), lower_bound=True)
    chart = attackers_chart([LEARNER, insider])
    assert mentions(title_of(chart), "insider", "at least 9/10")
    assert [row[1] for row in table_behind(chart).rows] == ["3/5", "at least 9/10"]


def test_where_nothing_could_be_told_there_is_no_picture():
    with pytest.raises(BadMeasure, match="no picture"):
        attackers_chart([INSIDER])


def test_a_rounded_belief_is_not_called_exact():
    rounded = reader("learner", Fraction(599, 1000), Fraction(2, 3))
    behind = table_behind(attackers_chart([rounded]))
    assert behind.columns[1] == "how sure, at most"
    assert behind.rows[0][1] == "0.5990"


ADULT = sl.datasets.adult(quasi=["sex", "race"])
FOUND = sl.protect(ADULT.table, sl.DistinctValues() >= 3, method="anatomy", ask="nobody")


def test_bins_are_those_of_the_learner():
    learned = sl.learn(FOUND.release, truth=FOUND, model="naive bayes")
    chart = learned.plot()
    assert [row[2] for row in table_behind(chart).rows] == [each.people for each in learned.calibration]
    assert f"right about {learned.right:.1%}" in title_of(chart)


def test_without_the_truth_nothing_is_called_right():
    learned = sl.learn(FOUND.release, model="naive bayes")
    chart = learned.plot()
    assert "nobody checked" in description_of(chart)
    assert sum(row[2] for row in table_behind(chart).rows) == 45_222


WARD = sl.Release.from_counts(
    [{"Flu": 2, "Cold": 2}, {"Flu": 4}], labels=[{"age": "30-39", "sex": "*"}, {"age": "40-49", "sex": "f"}]
)


def test_the_mover_is_the_one_who_moved_most():
    after, before = sl.maxent(WARD, "P(Flu | sex=f) = 1"), sl.maxent(WARD)
    (move,) = after.moved_most(before, 1)
    chart = after.plot()
    assert mentions(title_of(chart), "age 30-39, sex f (printed *)", "Flu", "rises", 0.5, 1)
    assert table_behind(chart).rows[0] == (move.value, "0.5", 0.5, "1", 1.0)
    assert title_of(after.plot(before)) == title_of(chart)


def test_without_statements_people_stand_beside_everybody():
    assert mentions(title_of(sl.maxent(WARD).plot()), "Flu", 1, "age 40-49, sex f", 0.75, "everybody")


def test_of_sets_only_values_are_drawn_of_which_something_is_known():
    visits = sl.Release.from_counts([{"Flu": 2, "Cold": 3}], sizes=[4], values="set", labels=[{"age": "30-39"}])
    after, before = sl.maxent(visits, ["P(Flu | person=#1) = 0.1"]), sl.maxent(visits)
    chart = after.plot()
    assert title_of(chart) == title_of(after.plot(before))
    assert "Flu falls from 0.5 to 0.1" in title_of(chart)
    assert {row[0]: pytest.approx(row[4]) for row in table_behind(chart).rows} == {"Flu": 0.1}


EXPOSURE_ADULT = sl.datasets.adult(quasi=["age", "sex", "race"])
EXPOSURE = sl.intersect(
    [
        sl.protect(EXPOSURE_ADULT.table, sl.GroupSize() >= 10, by=EXPOSURE_ADULT.hierarchies, ask="nobody"),
        sl.protect(EXPOSURE_ADULT.table, sl.GroupSize() >= 3, method="mondrian", ask="nobody"),
    ],
    people=EXPOSURE_ADULT.table,
)


def test_everybody_is_counted_before_and_after():
    rows = table_behind(EXPOSURE.plot()).rows
    assert sum(row[1] for row in rows) == sum(row[2] for row in rows) == EXPOSURE.people.total
    assert f"the values of at least {EXPOSURE.given_away:,} of 45,222 people" in title_of(EXPOSURE.plot())


def test_points_of_a_breach_curve_are_exact():
    rows = table_behind(EXPOSURE.plot("belief", belief=Fraction(1, 3))).rows
    assert {level: share for level, share, _ in rows}["1/3"] == str(EXPOSURE.sure(Fraction(1, 3)))
    assert [Fraction(share) for _, share, _ in rows] == sorted((Fraction(share) for _, share, _ in rows), reverse=True)


def test_other_pictures_are_refused():
    with pytest.raises(BadMeasure, match="choose 'values left', or 'belief'"):
        EXPOSURE.plot("people")
