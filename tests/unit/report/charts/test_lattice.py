"""What the lattice's chart calls within policy is within policy, asked node by node."""

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.report.charts.lattice import SearchedLattice, lattice_chart
from sidelight.report.plots import table_behind, title_of
from sidelight.search.full_domain import lattice_of

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
