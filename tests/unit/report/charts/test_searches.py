"""What the lattice's chart calls within policy is within policy, asked node by node."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.documents.document import Candidate, number
from sidelight.errors import BadMeasure
from sidelight.report.charts.searches import (
    MOST_CHARACTERS,
    SearchedLattice,
    cuts_chart,
    find_heights,
    lattice_chart,
    losses_chart,
    pareto_front,
)
from sidelight.report.plots import description_of, specification, svg, table_behind, title_of
from sidelight.search.full_domain import lattice_of
from sidelight.search.mondrian_cuts import CutNode
from tests.support.examples import examples

ADULT = sl.datasets.adult(quasi=["age", "sex", "race"])
FOUND = sl.protect(ADULT.table, sl.GroupSize() >= 30, by=ADULT.hierarchies, ask="nobody")


def test_every_node_is_what_it_is_called():
    lattice = lattice_of(ADULT.table, ADULT.hierarchies)
    rows = table_behind(FOUND.plot()).rows
    assert len(rows) == len(lattice)
    for *node, state in rows:
        assert (state != "not within policy") == (int(lattice.sizes_at(tuple(node)).min()) >= 30)
    assert sum(state == "chosen" for *_, state in rows) == 1


def test_policies_that_merging_can_break_are_not_called_within():
    suppressing = sl.protect(ADULT.table, sl.GroupSize() >= 30, by=ADULT.hierarchies, suppress=0.01, ask="nobody")
    assert "minimal or coarser" in title_of(suppressing.plot())


@pytest.mark.parametrize("height", [7, 12])
def test_large_lattices_are_counted_row_by_row(height):
    searched = SearchedLattice(dict.fromkeys("abcd", height), ((3, 2, 0, 0), (0, 0, 4, 4)), (3, 2, 0, 0))
    chart = lattice_chart(searched)
    rows = table_behind(chart).rows
    assert sum(row[1] for row in rows) == height**4
    assert sum(row[2] for row in rows) == int(searched.coarser.sum())
    assert [row[0] for row in rows if row[3]] == [5, 8]
    assert "2 of them minimal" in title_of(chart)


def test_a_search_without_levels_has_no_lattice():
    found = sl.protect(ADULT.table, sl.GroupSize() >= 30, method="mondrian", ask="nobody")
    assert "group" in title_of(found.plot())
    with pytest.raises(BadMeasure, match="searches no levels"):
        found.plot("lattice")
    with pytest.raises(BadMeasure, match="choose lattice, tree, candidates or sizes"):
        found.plot("forest")


CUTS_ADULT = sl.datasets.adult(quasi=["age", "sex"])
CUTS_FOUND = sl.protect(
    CUTS_ADULT.table, sl.GroupSize() >= 500, by=CUTS_ADULT.hierarchies, method="mondrian", ask="nobody"
)

HALVES = (
    CutNode(None, "", "", 10, 3, cut=True),
    CutNode(0, "age", "20-29", 4, 1, cut=False),
    CutNode(0, "age", "30-39", 6, 2, cut=True),
    CutNode(2, "sex", "f", 3, 1, cut=False),
    CutNode(2, "sex", "m", 3, 1, cut=False),
)


def test_a_search_that_cuts_is_drawn_as_its_tree():
    chart = CUTS_FOUND.plot()
    cuts = len(CUTS_FOUND.release) - 1
    assert title_of(chart).startswith(f"{cuts} cuts made {cuts + 1} groups: the first is along age")
    assert table_behind(chart).rows[0] == (0, "", "", "", 45_222, len(CUTS_FOUND.release))
    assert "Only the first 4 levels are drawn" in description_of(chart)
    with pytest.raises(BadMeasure, match="'lattice' makes no cuts"):
        sl.protect(CUTS_ADULT.table, sl.GroupSize() >= 500, by=CUTS_ADULT.hierarchies, ask="nobody").plot("tree")


def test_parts_stand_between_their_halves_and_no_two_on_one_line():
    assert [row[0] for row in table_behind(cuts_chart({"age": 1, "sex": 1}, HALVES)).rows] == [0, 1, 1, 2, 2]
    assert find_heights(HALVES) == [0.75, 0, 1.5, 1, 2]


@pytest.mark.parametrize(
    ("along", "nodes", "title"),
    [
        ({"age": 1, "sex": 3}, HALVES, "4 cuts made 3 groups: the first is along age, most are along sex (3)"),
        ({"age": 2}, HALVES, "2 cuts made 3 groups, all along age"),
        ({}, (CutNode(None, "", "", 10, 1, cut=False),), "Nobody was cut apart: 10 people are one group"),
    ],
)
def test_its_title_says_where_people_were_cut(along, nodes, title):
    assert title_of(cuts_chart(along, nodes)) == title


def test_long_labels_are_cut_in_the_picture_and_whole_in_its_table():
    long = "{" + ", ".join(f"label {at}" for at in range(20)) + "}"
    nodes = (HALVES[0], CutNode(0, "job", long, 4, 1, cut=False), CutNode(0, "job", "other", 6, 2, cut=False))
    chart = cuts_chart({"job": 2}, nodes)
    assert table_behind(chart).rows[1][3] == long
    drawn = {**specification(chart), "usermeta": None}
    assert long not in str(drawn)
    assert max(len(line) for line in str(drawn).split("'") if line.startswith("job ")) < MOST_CHARACTERS * 2


POINTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12)


@examples(100)
@given(POINTS, st.booleans())
def test_the_front_has_whoever_no_other_beats(points, large_is_bad):
    candidates = [
        Candidate(name=str(at), loss=float(loss), risk=number(risk, large_is_bad=large_is_bad))
        for at, (loss, risk) in enumerate(points)
    ]
    sign = 1 if large_is_bad else -1
    places = {(each.loss, sign * each.risk.value) for each in candidates}
    unbeaten = {
        place
        for place in places
        if not any(other != place and other[0] <= place[0] and other[1] <= place[1] for other in places)
    }
    front = pareto_front(candidates, large_is_bad=large_is_bad)
    assert {(each.loss, sign * each.risk.value) for each in front} == unbeaten


@pytest.mark.parametrize("suppress", [0, 0.01])
def test_candidates_are_measured_as_they_would_be_published(suppress):
    adult = sl.datasets.adult(quasi=["age", "sex", "race"])
    found = sl.protect(adult.table, sl.GroupSize() >= 30, by=adult.hierarchies, suppress=suppress, ask="nobody")
    rows = table_behind(found.plot("candidates")).rows
    (chosen,) = [row for row in rows if row[4]]
    assert chosen[2] == str(found.verdict.judgements[0].finding.value)
    assert all(int(row[2]) >= 30 for row in rows)


def test_a_method_without_choices_has_no_candidates():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    with pytest.raises(BadMeasure, match="no candidates"):
        sl.protect(adult.table, sl.GroupSize() >= 30, method="mondrian", ask="nobody").plot("candidates")


def test_only_shares_are_drawn():
    chart = losses_chart({"discernibility": 1e9, "loss": 0.25, "balanced loss": 0.5})
    assert table_behind(chart).rows == (("balanced loss", 0.5), ("loss", 0.25))
    assert mentions(title_of(chart), "loses 0.5", "balanced loss")


def test_without_any_there_is_no_picture():
    with pytest.raises(BadMeasure, match="no picture"):
        losses_chart({"discernibility": 5.0})


def test_no_digit_is_added_to_those_that_a_sidecar_tells():
    chart = losses_chart({"balanced loss": 0.508, "loss": 0.526, "non-uniform entropy": 0.639})
    assert title_of(chart).endswith("loses 0.508 by balanced loss")
    assert all(text in svg(chart) for text in (">0.508<", ">0.526<", ">0.639<"))
