"""The tree of cuts, against people who are put into its parts one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.search.cut_tree import LEVELS, MOST_TILED, CutNode, CutTree
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table

AGES, SEXES = 12, 3


@st.composite
def tables(draw) -> Table:
    """Some people of each age and sex that occurs."""
    keys = draw(st.lists(st.tuples(st.integers(0, AGES), st.integers(0, SEXES)), min_size=1, max_size=40, unique=True))
    sizes = np.array(draw(st.lists(st.integers(1, 5), min_size=len(keys), max_size=len(keys))))
    columns = (
        Column.of("age", [str(age) for age, _ in keys]),
        Column.of("sex", [f"sex {'abcd'[sex]}" for _, sex in keys]),
    )
    return Table(columns, "disease", ("Flu",), sizes, Counts.from_cells(sizes[:, None]))


def tree_of(table: Table, least: int) -> CutTree:
    found = sl.protect(table, sl.GroupSize() >= least, method="mondrian", ask="nobody")
    assert found.outcome.cuts is not None
    return found.outcome.cuts


@given(tables(), st.integers(1, 4))
@examples(60)
def test_parts_have_the_people_and_groups_that_stand_in_them(table, least):
    if table.people < least:
        return
    found = sl.protect(table, sl.GroupSize() >= least, method="mondrian", ask="nobody")
    tree = found.outcome.cuts
    nodes = tree.top()
    assert nodes[0] == CutNode(None, "", "", table.people, len(found.release), len(found.release) > 1)
    assert sum(tree.along.values()) == len(found.release) - 1
    depths = [0]
    for at, node in enumerate(nodes[1:], 1):
        assert node.parent < at
        depths.append(depths[node.parent] + 1)
    assert max(depths) <= LEVELS
    for at, node in enumerate(nodes):
        halves = [each for each in nodes if each.parent == at]
        assert len(halves) == 2 * node.cut
        if node.cut:
            assert sum(half.people for half in halves) == node.people
            assert sum(half.groups for half in halves) == node.groups
            assert len({half.column for half in halves}) == 1
        else:
            assert node.groups == 1 or depths[at] == LEVELS
    published = [node.people for node in nodes if not node.cut and node.groups == 1]
    sizes = found.release.groups.sizes.tolist()
    assert all(published.count(size) <= sizes.count(size) for size in set(published))


def test_what_parts_hold_is_printed_as_releases_print_it():
    ages = [str(age) for age in range(20, 28)]
    sizes = np.full(8, 2)
    table = Table((Column.of("age", ages),), "disease", ("Flu",), sizes, Counts.from_cells(sizes[:, None]))
    nodes = tree_of(table, 4).top()
    assert [(node.holds, node.people) for node in nodes[1:]] == [
        ("20-23", 8),
        ("20-21", 4),
        ("22-23", 4),
        ("24-27", 8),
        ("24-25", 4),
        ("26-27", 4),
    ]


def test_thousands_of_labels_that_have_no_size_are_told_by_the_first_and_the_last():
    labels = [f"street {at:04}" for at in range(4 * MOST_TILED)]
    sizes = np.ones(len(labels), np.int64)
    table = Table((Column.of("street", labels),), "disease", ("Flu",), sizes, Counts.from_cells(sizes[:, None]))
    left = tree_of(table, MOST_TILED // 2).top()[1]
    assert left.holds == f"street 0000 … street {2 * MOST_TILED - 1:04}"


@pytest.mark.parametrize("method", ["lattice", "anatomy", "microaggregation"])
def test_only_mondrian_cuts(method):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    policy = sl.DistinctValues() >= 2 if method == "anatomy" else sl.GroupSize() >= 30
    found = sl.protect(adult.table, policy, by=adult.hierarchies, method=method, ask="nobody")
    assert found.outcome.cuts is None
