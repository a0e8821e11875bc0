"""What the two readers reach, and how sure anybody may get."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sidelight.errors import BadMeasure
from sidelight.report.charts.asked_readers import ReaderBelief, readers_chart
from sidelight.report.plots import svg, table_behind, title_of

LEARNER = ReaderBelief("a learner", Fraction(3, 5), Fraction(2, 3), "3/5", "2/3", claims=True)
INSIDER = ReaderBelief("an insider", None, None)


def test_who_could_not_be_told_of_is_drawn_as_such():
    chart = readers_chart([LEARNER, INSIDER])
    assert "? could not be told" in svg(chart)
    assert table_behind(chart).rows[1] == ("an insider", "could not be told", "")


def test_the_surest_reader_is_named_and_one_without_a_limit_too():
    surer = ReaderBelief("an insider", Fraction(9, 10), None, "9/10")
    assert title_of(readers_chart([LEARNER, surer])) == "An insider is at most 9/10 sure of anybody"


def test_readers_chart_people_left_out_says_at_least():
    insider = ReaderBelief("an insider", Fraction(9, 10), None, "9/10", lower_bound=True)
    chart = readers_chart([LEARNER, insider])
    assert title_of(chart) == "An insider is at least 9/10 sure of somebody"
    assert [row[1] for row in table_behind(chart).rows] == ["3/5", "at least 9/10"]


def test_where_nothing_could_be_told_there_is_no_picture():
    with pytest.raises(BadMeasure, match="no picture"):
        readers_chart([INSIDER])


def test_a_rounded_belief_is_not_called_exact():
    rounded = ReaderBelief("a learner", Fraction(599, 1000), Fraction(2, 3), "0.5990", "2/3", claims=True)
    behind = table_behind(readers_chart([rounded]))
    assert behind.columns[1] == "how sure, at most"
    assert behind.rows[0][1] == "0.5990"
