"""What every chart has, asked of one of each kind: a finding, words, a table, a picture that needs nothing else."""

import json
import re
import sys
from collections.abc import Callable
from xml.etree import ElementTree as ET

import altair as alt
import pyarrow as pa
import pytest
from support.value_charts import values_chart

import sidelight as sl
from sidelight.errors import NotAvailable, SidelightError
from sidelight.report import plots
from sidelight.report.charts.risk_curves import risk_chart

ROWS = [
    {"age": age, "sex": sex, "disease": disease}
    for age, sex, diseases in [
        ("20", "f", ["Flu", "Flu", "Cold"]),
        ("21", "f", ["Flu", "Cold", "Asthma"]),
        ("35", "m", ["Cold", "Asthma", "Asthma"]),
        ("38", "m", ["Flu", "Cold", "Cold"]),
    ]
    for disease in diseases
]
TABLE = sl.read_table(pa.Table.from_pylist(ROWS), quasi=["age", "sex"], sensitive="disease")
BY = {
    "age": sl.Hierarchy.nested("age", {"20-29": ["20", "21"], "30-39": ["35", "38"]}),
    "sex": sl.Hierarchy.suppression("sex", ["f", "m"]),
}
FOUND = sl.protect(TABLE, sl.GroupSize() >= 6, by=BY, ask="nobody")
RELEASE = FOUND.release
OTHER = sl.protect(TABLE, sl.GroupSize() >= 3, by=BY, ask="nobody")


def two_curves():
    return [sl.disclosure_curve(RELEASE, family, [0, 1, 2], value="Flu") for family in (sl.Implications, sl.Negations)]


CHARTS: dict[str, Callable[[], object]] = {
    "risk": lambda: risk_chart(two_curves(), limit=0.5),
    "curve": lambda: two_curves()[0].plot(limit=0.5),
    "cells": lambda: sl.disclosure_curve(
        RELEASE, sl.Acquaintance, {"others": range(3), "family": range(3)}, value="Flu"
    ).plot(limit=0.6),
    "skyline": lambda: sl.knowledge_skyline(RELEASE, "Flu", 0.6).plot(),
    "finding": lambda: sl.Implications(1).measure(RELEASE).plot(RELEASE),
    "judgement": lambda: (sl.GroupSize() >= 7).judge(RELEASE).plot(RELEASE),
    "group": lambda: sl.DistinctValues().measure(RELEASE).plot(RELEASE),
    "values": lambda: values_chart(RELEASE),
    "lattice": FOUND.plot,
    "tree": sl.protect(TABLE, sl.GroupSize() >= 3, method="mondrian", ask="nobody").plot,
    "candidates": lambda: FOUND.plot("candidates"),
    "sizes": lambda: FOUND.plot("sizes"),
    "comparison": lambda: sl.compare(TABLE, sl.GroupSize() >= 3, by=BY).plot(),
    "beliefs": lambda: sl.maxent(RELEASE, "P(Flu | sex=f) = 0.5").plot(),
    "exposure": lambda: sl.intersect([FOUND, OTHER], people=TABLE).plot(),
    "breach": lambda: sl.intersect([FOUND, OTHER], people=TABLE).plot("belief", belief=0.5),
    "claims": lambda: sl.learn(RELEASE).plot(),
    "promise": lambda: sl.semantic_privacy(1).plot(),
}


@pytest.fixture(scope="module", params=CHARTS)
def chart(request):
    return CHARTS[request.param]()


def values_in(node):
    """All data that a specification holds."""
    if isinstance(node, dict):
        for name, each in node.items():
            if name == "values" and isinstance(each, list) and each and isinstance(each[0], dict):
                yield each
            elif name != "usermeta":
                yield from values_in(each)
    elif isinstance(node, list):
        for each in node:
            yield from values_in(each)


def test_a_chart_says_its_finding_and_has_a_table(chart):
    table = plots.table_behind(chart)
    assert plots.title_of(chart)[0].isupper() or plots.title_of(chart)[0].isdigit()
    assert len(plots.description_of(chart)) >= len(plots.title_of(chart))
    assert table.rows
    assert all(len(row) == len(table.columns) for row in table.rows)
    specification = plots.specification(chart)
    assert sum(map(len, values_in(specification))) <= plots.MOST_POINTS
    json.dumps(specification)


def test_a_picture_needs_nothing_else_and_is_small(chart):
    picture = plots.svg(chart)
    root = ET.fromstring(picture)
    assert picture == plots.svg(chart)
    assert len(picture.encode()) < 32_000
    assert root.get("role") == "img"
    assert root.get("aria-label") == plots.description_of(chart)
    assert {element.tag.partition("}")[2] for element in root.iter()} <= {
        *("svg", "g", "path", "rect", "line", "text", "tspan", "defs", "linearGradient", "stop", "clipPath", "image")
    } - {"image"}
    assert not any("style" in element.attrib or "href" in "".join(element.attrib) for element in root.iter())
    assert not re.search(r"https?://(?!www\.w3\.org/)", picture)
    words = {element.text for element in root.iter() if element.text}
    assert not {"x", "y", "amount", "risk", "share", "people:Q"} & words  # no name of a field where words belong


def test_themes_change_colours_and_nothing_else():
    chart = CHARTS["curve"]()
    light, dark, page = (plots.svg(chart, theme) for theme in ("light", "dark", "page"))
    variables = plots.theme_variables("dark")
    assert plots.PAPER in light
    assert variables["--chart-paper"] in dark
    assert f"var(--chart-ink, {plots.INK})" in page
    assert re.sub(r"var\(--chart-\w+, (#\w+)\)", r"\1", page) == light
    assert plots.specification(chart, "dark")["config"]["background"] == variables["--chart-paper"]
    with pytest.raises(SidelightError, match="choose light, dark or page"):
        plots.svg(chart, "sepia")


def test_labels_are_text_whatever_they_hold():
    evil = '<script>alert("x")</script>'
    release = sl.Release.from_counts([{evil: 3, "\x1b[31mFlu": 2}])
    picture = plots.svg(values_chart(release))
    assert "<script" not in picture
    assert evil in "".join(ET.fromstring(picture).itertext())


def test_a_chart_of_others_has_no_table_behind():
    with pytest.raises(SidelightError, match="no table behind it"):
        plots.table_behind(alt.Chart())


def test_without_altair_the_extra_is_named(monkeypatch):
    curve = two_curves()[0]
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(NotAvailable, match=r"sidelight\[plot\]"):
        curve.plot()


def test_a_million_people_are_as_many_points_as_a_hundred():
    sizes = range(1, 5000)
    release = sl.Release.from_counts([{"Flu": size, "Cold": 1} for size in sizes])
    small = sl.Release.from_counts([{"Flu": 5, "Cold": 1}, {"Flu": 50, "Cold": 1}])
    many, few = (
        sum(map(len, values_in(plots.specification(sl.GroupSize().measure(each).plot(each)))))
        for each in (release, small)
    )
    assert many <= few + 20


def test_no_cell_ends_the_script_that_a_page_puts_it_in():
    evil = "</script><script>alert(1)</script>"
    chart = values_chart(sl.Release.from_counts([{evil: 3, "Flu": 2}]))
    assert evil not in str(chart.to_html())
    assert plots.table_behind(chart).rows[0][0] == evil
    assert plots.title_of(chart).startswith(evil)


def test_two_charts_of_a_page_share_no_names():
    one, other = (plots.svg(CHARTS[name]()) for name in ("cells", "skyline"))
    names = [set(re.findall(r'id="([^"]+)"', each)) for each in (one, other)]
    assert all(names)
    assert not names[0] & names[1]
