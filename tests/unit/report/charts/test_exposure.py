"""What is drawn of an exposure counts everybody once, and each point is decided exactly."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.report.plots import table_behind, title_of

ADULT = sl.datasets.adult(quasi=["age", "sex", "race"])
EXPOSURE = sl.intersect(
    [
        sl.protect(ADULT.table, sl.GroupSize() >= 10, by=ADULT.hierarchies, ask="nobody"),
        sl.protect(ADULT.table, sl.GroupSize() >= 3, method="mondrian", ask="nobody"),
    ],
    people=ADULT.table,
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
