"""Curves: which amount crosses is decided in fractions, and the title says so."""

from fractions import Fraction

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.report.charts.risk_curves import RiskCurve, read_risk_limit, risk_chart, risk_title
from sidelight.report.plots import specification, svg, table_behind, title_of

HALF = Fraction(1, 2)
CURVE = RiskCurve("implication", "implications", (0, 1, 2), (Fraction(1, 3), HALF, Fraction(1)))
RELEASE = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}])


@pytest.mark.parametrize(
    ("limit", "first"), [(sl.Implications(1) < 0.5, 1), (sl.Implications(1) <= 0.5, 2)], ids=["below", "at most"]
)
def test_a_limit_that_is_met_exactly_is_broken_or_kept(limit, first):
    assert CURVE.first_above(read_risk_limit(limit)) == first


@pytest.mark.parametrize(
    ("limit", "title"),
    [
        (Fraction(1, 3), "Even somebody who knows nothing more can be 1/3 sure of it"),
        (HALF, "One implication is enough to be at least 1/2 sure of it"),
        (0.9, "2 implications are enough to be at least 0.9 sure of it"),
        (None, "Knowing 2 implications, somebody can be certain of it"),
    ],
)
def test_titles_say_the_finding(limit, title):
    assert risk_title([CURVE], read_risk_limit(limit), "of it") == title


def test_what_no_amount_reaches_is_said_up_to_the_last_amount():
    low = RiskCurve("negation", "negations", (0, 5), (Fraction(1, 9), Fraction(1, 3)))
    title = risk_title([low], read_risk_limit(0.5), "of it")
    assert mentions(title, "up to 5 negations", "nobody", "at least 0.5 sure", "of it")


def test_amounts_of_a_million_stand_on_one_axis():
    curve = sl.disclosure_curve(RELEASE, sl.Acquaintance, {"others": [0, 1, 1_000_000]}, value="AIDS")
    chart = curve.plot(limit=0.9)
    assert mentions(title_of(chart), "1,000,000 other people's values", "enough", "at least 0.9 sure", "AIDS")
    assert "symlog" in str(specification(chart))
    assert svg(chart)


def test_amounts_in_any_order_are_drawn_in_theirs():
    mixed = sl.disclosure_curve(RELEASE, sl.Implications, [2, 0, 1], value="AIDS")
    rows = table_behind(mixed.plot()).rows
    assert [row[1] for row in rows] == [0, 1, 2]
    assert [Fraction(row[2]) for row in rows] == [mixed.at(k=amount) for amount in range(3)]


def test_one_amount_alone_can_be_drawn():
    assert title_of(sl.disclosure_curve(RELEASE, sl.Implications, [0], value="AIDS").plot()).startswith("Knowing 0")


def test_no_curve_is_refused():
    with pytest.raises(BadMeasure, match="no curve"):
        risk_chart([])
