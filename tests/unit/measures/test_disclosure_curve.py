"""Disclosure curves: risk against amounts, as data."""

import json
import math
from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure

HOSPITAL = sl.Release.from_counts(
    [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ]
)


def test_implications_against_their_number():
    curve = sl.disclosure_curve(HOSPITAL, sl.Implications, amounts=range(3))
    assert curve.measure == "implications"
    assert curve.risks == (Fraction(2, 5), Fraction(2, 3), Fraction(1))
    assert [amounts for amounts, _ in curve.points()] == [{"k": 0}, {"k": 1}, {"k": 2}]
    assert curve.at(k=1) == Fraction(2, 3)


def test_a_heat_map_has_one_risk_per_combination():
    amounts = {"rules_out": range(3), "others": range(4), "family": [1]}
    curve = sl.disclosure_curve(HOSPITAL, sl.Acquaintance, amounts, value="Flu")
    assert [len(axis.amounts) for axis in curve.axes] == [3, 4, 1]
    for amounts, risk in curve.points():
        assert sl.Acquaintance(**amounts, value="Flu").measure(HOSPITAL).value == risk == curve.at(**amounts)
    assert curve.at(rules_out=2, others=3) == curve.risks[-1]


def test_it_is_written_as_json():
    curve = sl.disclosure_curve(HOSPITAL, sl.Acquaintance, {"others": [0, 1]}, value="Heart disease")
    document = json.loads(curve.to_json())
    assert document == {
        "measure": "acquaintance",
        "settings": {"value": "Heart disease"},
        "axes": [{"name": "others", "amounts": [0, 1]}],
        "points": [{"others": 0, "exact": "1/5", "risk": 0.2}, {"others": 1, "exact": "1/4", "risk": 0.25}],
    }
    assert hash(curve) == hash(
        sl.disclosure_curve(HOSPITAL, sl.Acquaintance, {"others": [0, 1]}, value="Heart disease")
    )


def test_numbers_are_rounded_up():
    curve = sl.disclosure_curve(sl.Release.from_counts([{"a": 2, "b": 1}]), sl.Implications, [0], value="b")
    (point,) = json.loads(curve.to_json())["points"]
    assert point["exact"] == "1/3"
    assert 0 <= Fraction(point["risk"]) - Fraction(1, 3) < Fraction(1, 10**16)
    assert math.isclose(point["risk"], 1 / 3)


@pytest.mark.parametrize(
    ("amounts", "message"),
    [({"ruls_out": [1]}, "did you mean 'rules_out'"), ([], "at least one"), ({"others": [-1]}, "whole number")],
)
def test_amounts_that_make_no_sense(amounts, message):
    with pytest.raises(BadMeasure, match=message):
        sl.disclosure_curve(HOSPITAL, sl.Acquaintance, amounts)


def test_a_setting_that_the_measure_does_not_have():
    with pytest.raises(BadMeasure, match="no parameter 'valeu' of this measure; did you mean 'value'"):
        sl.disclosure_curve(HOSPITAL, sl.Acquaintance, {"others": [1]}, valeu="Flu")


def test_points_that_were_not_computed():
    curve = sl.disclosure_curve(HOSPITAL, sl.Acquaintance, {"rules_out": range(3), "others": [1]})
    with pytest.raises(BadMeasure, match="no rules_out=7; it was computed for 0, 1, 2"):
        curve.at(rules_out=7)
    with pytest.raises(BadMeasure, match="no amount 'familie'"):
        curve.at(rules_out=1, familie=1)


def test_it_shows_itself_in_a_line_and_in_a_notebook():
    curve = sl.disclosure_curve(
        sl.Release.from_counts([{"<b>": 2, "c": 1}]), sl.Acquaintance, {"others": [0, 1], "family": [1]}, value="<b>"
    )
    assert repr(curve) == "<DisclosureCurve of acquaintance, value <b>: others 0 to 1, family 1>"
    page = curve._repr_html_()
    assert "<th>others</th><th>family</th><th>risk</th>" in page
    assert "<b>" not in page


def test_it_is_handed_out_as_a_frame():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    curve = sl.disclosure_curve(HOSPITAL, sl.Acquaintance, {"rules_out": [0, 1], "others": [0, 1]}, value="Flu")
    rows = curve.to_arrow().to_pylist()
    assert [(row["rules_out"], row["others"]) for row in rows] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [Fraction(row["exact"]) for row in rows] == list(curve.risks)
    assert all(Fraction(row["risk"]) >= risk for row, risk in zip(rows, curve.risks, strict=True))
    frame = curve.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.to_dict("records") == rows
    assert isinstance(curve.to_polars(), polars.DataFrame)
    assert curve.to_polars().to_dicts() == rows


@pytest.mark.parametrize(
    ("release", "family", "amounts", "remedy"),
    [
        (HOSPITAL, sl.GroupSize, [1], "no amount of knowledge to vary"),
        (HOSPITAL, sl.Implications(1), [1], "give the class, such as sl.Implications"),
        (HOSPITAL, sl.Implications(1), {"k": [1]}, "give the class, such as sl.Implications"),
        (HOSPITAL, sl.Implications, 3, r"give \[3\], or range"),
        ({"Flu": 2}, sl.Implications, [1], "sl.read_release"),
    ],
)
def test_what_no_curve_can_be_drawn_of_is_said_in_one_line(release, family, amounts, remedy):
    with pytest.raises(sl.errors.SidelightError, match=remedy):
        sl.disclosure_curve(release, family, amounts)
