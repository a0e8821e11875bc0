"""What the chart of cuts says is what its table counts."""

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.report.charts.cuts import MOST_CHARACTERS, CutsDrawn, cuts_chart
from sidelight.report.plots import description_of, specification, table_behind, title_of
from sidelight.search.mondrian_cuts import CutNode

ADULT = sl.datasets.adult(quasi=["age", "sex"])
FOUND = sl.protect(ADULT.table, sl.GroupSize() >= 500, by=ADULT.hierarchies, method="mondrian", ask="nobody")

HALVES = (
    CutNode(None, "", "", 10, 3, cut=True),
    CutNode(0, "age", "20-29", 4, 1, cut=False),
    CutNode(0, "age", "30-39", 6, 2, cut=True),
    CutNode(2, "sex", "f", 3, 1, cut=False),
    CutNode(2, "sex", "m", 3, 1, cut=False),
)


def test_a_search_that_cuts_is_drawn_as_its_tree():
    chart = FOUND.plot()
    cuts = len(FOUND.release) - 1
    assert title_of(chart).startswith(f"{cuts} cuts made {cuts + 1} groups: the first is along age")
    assert table_behind(chart).rows[0] == (0, "", "", "", 45_222, len(FOUND.release))
    assert "Only the first 4 levels are drawn" in description_of(chart)
    with pytest.raises(BadMeasure, match="'lattice' makes no cuts"):
        sl.protect(ADULT.table, sl.GroupSize() >= 500, by=ADULT.hierarchies, ask="nobody").plot("tree")


def test_parts_stand_between_their_halves_and_no_two_on_one_line():
    drawn = CutsDrawn({"age": 1, "sex": 1}, HALVES)
    assert drawn.depths == [0, 1, 1, 2, 2]
    assert drawn.heights == [0.75, 0, 1.5, 1, 2]


@pytest.mark.parametrize(
    ("along", "nodes", "title"),
    [
        ({"age": 1, "sex": 3}, HALVES, "4 cuts made 3 groups: the first is along age, most are along sex (3)"),
        ({"age": 2}, HALVES, "2 cuts made 3 groups, all along age"),
        ({}, (CutNode(None, "", "", 10, 1, cut=False),), "Nobody was cut apart: 10 people are one group"),
    ],
)
def test_its_title_says_where_people_were_cut(along, nodes, title):
    assert title_of(cuts_chart(CutsDrawn(along, nodes))) == title


def test_long_labels_are_cut_in_the_picture_and_whole_in_its_table():
    long = "{" + ", ".join(f"label {at}" for at in range(20)) + "}"
    nodes = (HALVES[0], CutNode(0, "job", long, 4, 1, cut=False), CutNode(0, "job", "other", 6, 2, cut=False))
    chart = cuts_chart(CutsDrawn({"job": 2}, nodes))
    assert table_behind(chart).rows[1][3] == long
    drawn = {**specification(chart), "usermeta": None}
    assert long not in str(drawn)
    assert max(len(line) for line in str(drawn).split("'") if line.startswith("job ")) < MOST_CHARACTERS * 2
