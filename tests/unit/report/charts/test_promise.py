"""Charts are plain data and a specification: both are looked at here, and one picture of each kind is drawn."""

import json
import sys

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import NotAvailable, SidelightError
from sidelight.report.charts.promise import promise_rows
from sidelight.report.plots import refuse_other_pictures, save_chart

PROMISE = sl.semantic_privacy(1)


@pytest.fixture(scope="module")
def chart():
    return PROMISE.plot()


def texts(node):
    """All texts of a specification: titles come line by line."""
    if isinstance(node, dict):
        for each in node.values():
            yield from texts(each)
    elif isinstance(node, list) and node and all(isinstance(each, str) for each in node):
        yield " ".join(node)
    elif isinstance(node, list):
        for each in node:
            yield from texts(each)
    elif isinstance(node, str):
        yield node


def test_the_table_behind_says_what_the_methods_say():
    rows = {row["share"]: row for row in promise_rows(PROMISE)}
    assert 1 - rows[0.05]["missed"] == pytest.approx(PROMISE.error_rates(0.05).recognised)
    assert rows[0.1]["in"] == pytest.approx(PROMISE.disclosure_risk(0.1).posterior)
    assert rows[0.1]["value"] == pytest.approx(PROMISE.disclosure_risk(0.1, known_to_be_in=True).posterior)
    assert all(row["missed"] <= row["coin"] and row["share"] <= row["in"] <= row["value"] for row in rows.values())


def test_titles_say_the_finding_and_axes_are_words(chart):
    said = list(texts(chart.to_dict()))
    assert any(mentions(each, "5 %", "nobody recognises more than", "13.6 %") for each in said)
    assert any(mentions(each, "you are in", "from 10 %", "to at most 23.2 %") for each in said)
    assert PROMISE.sentence() in said
    assert any(mentions(each, "who are in", "not recognised") for each in said)
    assert chart.to_dict()["description"] == PROMISE.explain()


def test_where_nothing_bounds_the_odds_the_picture_says_so():
    chart = sl.semantic_privacy(1, "1e-4", people=45_222).plot().to_dict()
    assert mentions(" ".join(chart["hconcat"][1]["title"]), "you are in", "may become certain", "nothing bounds it")
    assert "people" not in " ".join(chart["title"]["subtitle"])


@pytest.mark.parametrize(("epsilon", "room"), [("0.5", True), (1, True), ("2.5", False), (8, False)])
def test_words_stand_below_a_curve_where_there_is_room_for_them(epsilon, room):
    assert ("no test gets here" in sl.semantic_privacy(epsilon).plot().to_json()) == room


def test_a_picture_says_for_how_many_people_a_chance_is():
    chart = sl.semantic_privacy(1, "1e-9", people=45_222).plot().to_dict()
    assert "That is for at most 45,222 people" in " ".join(chart["title"]["subtitle"])


def test_whoever_is_replaced_is_told_from_others():
    words = list(texts(sl.semantic_privacy(1, neighbours="replace").plot().to_dict()))
    assert any(mentions(each, "you", "another in your place", "from 10 %", "to at most 23.2 %") for each in words)
    assert any(mentions(each, "Others in your place", "taken for you") for each in words)


def test_a_large_epsilon_is_not_called_a_bound():
    said = list(texts(sl.semantic_privacy(10).plot().to_dict()))
    assert any(mentions(each, "5 %", "somebody may recognise all") for each in said)
    assert "no test gets here" not in said


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("json", b"{"), ("html", b"<!DOCTYPE html>")])
def test_pictures_by_their_ending(chart, tmp_path, ending, begins):
    path = tmp_path / f"promise.{ending}"
    save_chart(chart, path)
    content = path.read_bytes()
    assert content.lstrip().startswith(begins)
    assert b"cdn.jsdelivr" not in content  # nothing is fetched from outside


def test_the_same_promise_is_the_same_picture(chart, tmp_path):
    save_chart(chart, tmp_path / "one.svg")
    save_chart(PROMISE.plot(), tmp_path / "other.svg")
    assert (tmp_path / "one.svg").read_bytes().startswith(b"<svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
    with pytest.raises(SidelightError, match="exists"):
        save_chart(chart, tmp_path / "one.svg")


def test_the_specification_is_vega_lite(chart, tmp_path):
    save_chart(chart, tmp_path / "promise.json")
    assert "vega-lite" in json.loads((tmp_path / "promise.json").read_text())["$schema"]


def test_what_is_no_picture_is_refused(tmp_path):
    with pytest.raises(SidelightError, match=r"'promise\.pdf' is no picture.*\.svg, \.png, \.html or \.json"):
        refuse_other_pictures(tmp_path / "promise.pdf")


def test_without_altair_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(NotAvailable, match=r"needs altair; .*pip install \"sidelight\[plot\]\""):
        PROMISE.plot()
