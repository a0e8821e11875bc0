"""The staircase stands where the knowledge skyline has its points."""

import math
import pickle
from fractions import Fraction

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.disclosure_curve import KnowledgeAxis
from sidelight.measures.privacy_skyline.skyline import RiskMap
from sidelight.report.charts.skyline import LiveSkyline
from sidelight.report.plots import table_behind, title_of

RELEASE = sl.Release.from_counts([{"Flu": 2, "Cold": 3, "Heart": 2, "Ulcer": 2}])
SKYLINE = sl.knowledge_skyline(RELEASE, "Flu", below=0.6)


def test_cells_are_within_exactly_at_or_under_a_point():
    for rules_out, others, family, _, _, within in table_behind(SKYLINE.plot()).rows:
        under = any(rules_out <= point[0] and others <= point[1] and family <= point[2] for point in SKYLINE)
        assert (within == "yes") == under


def test_a_skyline_is_the_tuple_it_was():
    assert isinstance(SKYLINE, tuple)
    assert tuple(SKYLINE) == SKYLINE
    assert repr(SKYLINE) == repr(tuple(SKYLINE))
    assert pickle.loads(pickle.dumps(SKYLINE)).below == 0.6


def test_the_title_says_how_much_of_each_may_be_known_alone():
    amounts = "up to 5 other people's values", "4 members of the family", "2 values ruled out"
    assert mentions(title_of(SKYLINE.plot()), "Each alone", *amounts, "nobody", "at least 0.6 sure", "Flu")


def test_where_nothing_is_withstood_it_says_so():
    chart = sl.knowledge_skyline(RELEASE, "Flu", below=0.1).plot()
    assert mentions(title_of(chart), "knows nothing more", "2/9 sure", "Flu")


def test_a_skyline_without_end_can_be_drawn():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 3}, {"Cold": 4}])
    endless = sl.knowledge_skyline(release, "Flu", below=1)
    assert table_behind(endless.plot()).rows
    nobody = sl.knowledge_skyline(sl.Release.from_counts([{"Flu": 0, "Cold": 3}]), "Flu", below=0.5)
    assert nobody[0][1] == math.inf
    assert "any number of other people's values" in title_of(nobody.plot())


def test_the_point_of_a_policy_is_among_the_cells():
    rows = table_behind(SKYLINE.plot(own=(1, 7, 7))).rows
    assert any(row[:3] == (1, 7, 7) for row in rows)


def test_too_many_cells_are_refused():
    axes = tuple(KnowledgeAxis(name, tuple(range(60))) for name in ("others", "family"))
    curve = sl.DisclosureCurve("acquaintance", (), axes, (Fraction(1, 2),) * 3600)
    with pytest.raises(BadMeasure, match="3,000 amounts at most"):
        curve.plot()


def live(own=(0, 0, 0), below=0.6, release=RELEASE):
    return LiveSkyline.build(RiskMap.from_release(release, "Flu"), "Flu", below).draw(own)


def test_a_live_chart_says_what_the_chart_of_a_skyline_says():
    chart = live()
    assert chart.title == title_of(SKYLINE.plot())
    for rules_out, others, family, _, risk, within in chart.table.rows:
        exact = sl.Acquaintance(rules_out, others, family, value="Flu").measure(RELEASE).value
        assert (within == "yes") == (exact < Fraction(3, 5))
        assert risk >= exact


def test_a_live_chart_keeps_its_structure_whatever_point_is_chosen():
    structures = [live(own).structure for own in ((0, 0, 0), (1, 2, 1), (2, 900, 3), (0, 10**9, 10**9))]
    assert all(each == structures[0] for each in structures)
    chosen = live((2, 900, 3))
    assert "900" in chosen.words["across_labels"]
    assert sum(len(rows) for name, rows in chosen.datasets.items() if name.startswith("own_")) == 1


def test_a_live_chart_is_drawn_as_it_stands():
    vl_convert = pytest.importorskip("vl_convert")
    assert "chosen" in vl_convert.vegalite_to_svg(live((1, 2, 1)).specification)
    nobody = sl.Release.from_counts([{"Flu": 0, "Cold": 3}])
    assert "any number of other people's values" in live(release=nobody).title
    assert live(below=0.1).title.startswith("Even somebody who knows nothing more")
