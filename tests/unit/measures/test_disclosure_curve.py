"""Disclosure curves: risk against amounts, as data."""

import json
import math
from fractions import Fraction

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, SidelightError
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis

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
    [
        ({"ruls_out": [1]}, ("no parameter 'ruls_out'", "'rules_out'")),
        ([], ("no amounts", "at least one", "range(6)")),
        (
            {"others": [1], "rules_out": []},
            ("no amounts", "at least one", "range(6)"),
        ),
        ({"others": [-1]}, ("'acquaintance'", "others", "whole number", "at least 0", "not -1")),
        ({"others": 3}, ("others", "a list, not 3", "[3]", "range(6)")),
    ],
)
def test_amounts_that_make_no_sense(amounts, message):
    with pytest.raises(BadMeasure) as refused:
        sl.disclosure_curve(HOSPITAL, sl.Acquaintance, amounts)
    assert mentions(refused.value, *message)


def test_a_setting_that_the_measure_does_not_have():
    with pytest.raises(BadMeasure, match=r"^no parameter 'valeu'.* 'value'"):
        sl.disclosure_curve(HOSPITAL, sl.Acquaintance, {"others": [1]}, valeu="Flu")


@pytest.mark.parametrize(
    ("amounts", "message"),
    [
        ({"rules_out": 7}, ("no rules_out=7", "0, 1, 2")),
        ({"rules_out": 1, "others": 0}, ("no others=0", "1")),
        ({}, ("no rules_out=None", "0, 1, 2")),
        ({"rules_out": 1, "other": 1}, ("no amount 'other'", "'others'")),
        ({"rules_out": 1, "k": 1}, ("no amount 'k'", "rules_out, others")),
    ],
)
def test_points_that_were_not_computed(amounts, message):
    curve = sl.disclosure_curve(HOSPITAL, sl.Acquaintance, {"rules_out": range(3), "others": [1]})
    with pytest.raises(BadMeasure) as refused:
        curve.at(**amounts)
    assert mentions(refused.value, *message)


def test_amounts_in_any_order_are_found_at_their_place():
    risks = tuple(Fraction(number, 10) for number in range(6))
    axes = (KnowledgeAxis("j", (5, 0)), KnowledgeAxis("k", (2, 9, 4)))
    curve = DisclosureCurve("some", (), axes, risks)
    assert [curve.at(j=j, k=k) for j in (5, 0) for k in (2, 9, 4)] == list(risks)
    assert list(curve.points()) == [
        ({"j": j, "k": k}, curve.at(j=j, k=k)) for j, k in ((5, 2), (5, 9), (5, 4), (0, 2), (0, 9), (0, 4))
    ]
    assert repr(curve) == "<DisclosureCurve of some: j 0 to 5, k 2 to 9>"


def test_a_curve_of_no_points_is_a_frame_of_no_rows():
    nothing = DisclosureCurve("some", (), (KnowledgeAxis("j", (1, 2)), KnowledgeAxis("k", ())), ())
    assert (nothing.to_arrow().column_names, nothing.to_arrow().num_rows) == (["j", "k", "risk", "exact"], 0)


@pytest.mark.parametrize("risks", [1, 3])
def test_a_curve_has_a_risk_for_each_combination(risks):
    curve = DisclosureCurve("some", (), (KnowledgeAxis("k", (0, 1)),), (Fraction(0),) * risks)
    for ask in (lambda: list(curve.points()), curve.to_arrow):
        with pytest.raises(ValueError, match="zip"):
            ask()


def test_a_risk_without_end_is_no_number_in_json():
    """Of three values, the 4th most frequent and on are none."""
    curve = sl.disclosure_curve(sl.Release.from_counts([{"a": 4, "b": 2, "c": 1}]), sl.RecursiveDiversity, [3, 4])
    assert json.loads(curve.to_json())["points"] == [
        {"l": 3, "exact": "4", "risk": 4.0},
        {"l": 4, "exact": "inf", "risk": None},
    ]
    assert curve.to_arrow().to_pylist() == [
        {"l": 3, "risk": 4.0, "exact": "4"},
        {"l": 4, "risk": math.inf, "exact": "inf"},
    ]


def test_settings_are_kept_as_texts():
    amounts, settings = {"others": [0]}, {"value": ["Flu", "Heart disease"]}
    curve = sl.disclosure_curve(HOSPITAL, sl.Acquaintance, amounts, **settings)
    assert curve.settings == (("value", "[Flu, Heart disease]"),)
    assert repr(curve) == "<DisclosureCurve of acquaintance, value [Flu, Heart disease]: others 0>"
    curve = sl.disclosure_curve(HOSPITAL, sl.Acquaintance, {"others": [0]}, value="Flu", rules_out=1)
    assert repr(curve) == "<DisclosureCurve of acquaintance, value Flu, rules_out 1: others 0>"


def test_a_limit_is_drawn():
    pytest.importorskip("altair")
    curve = sl.disclosure_curve(HOSPITAL, sl.Implications, range(3))
    assert "0.55" in json.dumps(curve.plot(limit=0.55).to_dict())
    assert "0.55" not in json.dumps(curve.plot().to_dict())


def test_it_shows_itself_in_a_line_and_in_a_notebook():
    curve = sl.disclosure_curve(
        sl.Release.from_counts([{"<b>": 2, "c": 1}]), sl.Acquaintance, {"others": [0, 1], "family": [1]}, value="<b>"
    )
    assert repr(curve) == "<DisclosureCurve of acquaintance, value <b>: others 0 to 1, family 1>"
    page = curve._repr_html_()
    assert page.count("<caption>acquaintance: ") == 1
    assert "<th>others</th><th>family</th><th>risk</th>" in page
    assert "<b>" not in page


def test_a_long_curve_says_how_many_points_are_not_shown():
    axes = (KnowledgeAxis("k", tuple(range(1000))),)
    shown = DisclosureCurve("some", (), axes, (Fraction(1, 2),) * 1000)._repr_html_()
    assert shown.count("<td>1/2</td>") > 1
    assert f"<p>… and {1000 - shown.count('<td>1/2</td>')} more</p>" in shown


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


NO_MEASURE = ("a measure's class", "give one", "sl.Implications")
ONE_MEASURE = ("a measure's class", "not of one Implications", "sl.Implications")


@pytest.mark.parametrize(
    ("family", "amounts", "message"),
    [
        (
            sl.GroupSize,
            [1],
            ("no amount of knowledge", "the class", "sl.Implications"),
        ),
        (sl.Implications(1), [1], ONE_MEASURE),
        (sl.Implications(1), {"k": [1]}, ONE_MEASURE),
        (dict, [1], NO_MEASURE),  # does not say what it takes
        (dict, {"k": [1]}, NO_MEASURE),
        (sl.Implications, 3, ("k", "a list, not 3", "[3]", "range(6)")),
    ],
)
def test_what_no_curve_can_be_drawn_of_is_said_in_one_line(family, amounts, message):
    with pytest.raises(SidelightError) as refused:
        sl.disclosure_curve(HOSPITAL, family, amounts)
    assert mentions(refused.value, *message)


def test_what_is_no_release_and_what_makes_no_measure():
    with pytest.raises(SidelightError, match=r"Release, not a dict.*sl\.read_release"):
        sl.disclosure_curve({"Flu": 2}, sl.Implications, [1])
    with pytest.raises(SidelightError, match=r"class makes .*Measure, not an int;"):
        sl.disclosure_curve(HOSPITAL, lambda k: k, [1])


def test_a_curve_is_about_one_sensitive_column():
    values = pa.table({"age": ["1"], "ill": ["Flu"], "income": ["low"]})
    both = sl.group(sl.read_table(values, quasi="age", sensitive=["ill", "income"]))
    with pytest.raises(SidelightError, match=r"^a curve .*one sensitive column.* ill, income") as refused:
        sl.disclosure_curve(both, sl.Implications, [1])
    assert refused.value.parameters == ("sensitive",)
