"""A strip per limit: the table, the limit, the release."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.documents.document import number, policy_bound
from sidelight.errors import BadMeasure
from sidelight.report.charts.limits import JudgedLimit, limits_chart
from sidelight.report.plots import svg, table_behind, title_of


def size(value):
    return number(value, large_is_bad=False)


def risk(value):
    return number(value, large_is_bad=True)


SIZE = JudgedLimit("fewest alike", policy_bound(sl.GroupSize() >= 10), size(21), size(1))
SURE = JudgedLimit("how sure", policy_bound(sl.Implications(1) < Fraction(2, 3)), risk(Fraction(2, 3)))


def test_the_title_counts_what_holds_before_and_after():
    assert mentions(title_of(limits_chart([SIZE])), "limit holds", "release", "table itself", "does not")
    assert mentions(title_of(limits_chart([SURE])), "does not hold", "release")
    assert mentions(title_of(limits_chart([SIZE, SURE])), "1 of 2 limits", "does not hold", "release")
    three = [SIZE, replace(SIZE, before=size(12)), SIZE]
    assert mentions(title_of(limits_chart(three)), "All 3 limits hold", "release", "table itself", "1 of 3 holds")


def test_places_are_in_order_and_inside_whatever_the_amounts():
    for limit in (
        *(SIZE, SURE, replace(SIZE, after=size(5_000_000))),
        *(replace(SURE, after=risk(math.inf)), replace(SIZE, after=size(0))),
    ):
        bound, after = limit.limit.bound.value, limit.after.value
        positions = [limit.position(bound), limit.position(after)]
        assert all(0 <= position <= 1 for position in positions)
        assert (positions[0] <= positions[1]) == (bound <= after)


def test_limits_beyond_the_drawn_ones_stand_in_the_table():
    chart = limits_chart([SIZE] * 12 + [SURE])
    assert len(table_behind(chart).rows) == 12 + 1
    assert "limit: below 2/3" in svg(chart)  # what does not hold is drawn first


def test_what_is_infinite_is_drawn_at_the_end():
    chart = limits_chart([replace(SURE, after=risk(math.inf))])
    assert "infinite" in svg(chart)


def test_nothing_to_draw_is_refused():
    with pytest.raises(BadMeasure, match="no limit to draw"):
        limits_chart([])
