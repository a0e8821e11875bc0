"""Where groups may be cut, and in which order they try it, against small cases worked out by hand.

The tree of cuts, against people who are put into its parts one by one.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.search.effort import EFFORT
from sidelight.search.mondrian_cuts import CutNode, Cuts, CutTree, Line, Proposals, cuts_along
from sidelight.search.mondrian_frontier import Generation
from sidelight.search.orders import column_orders, order_of
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

COUNTS = np.array([[1, 0], [2, 1], [0, 3], [1, 1], [4, 0]])
TABLE = Table(
    (Column.of("age", ["1", "2", "3", "1", "3"]), Column.of("sex", ["f", "f", "f", "m", "m"])),
    "disease",
    ("Flu", "Cold"),
    COUNTS.sum(axis=1),
    Counts.from_cells(COUNTS),
)
ORDERS = column_orders(TABLE.quasi, {})
FIVE = order_of(
    Column.of("country", ["Chile", "Peru", "France", "Poland", "Spain"]),
    sl.Hierarchy.nested("country", {"America": ["Chile", "Peru"], "Europe": ["France", "Poland", "Spain"]}),
)


def test_cuts_stand_between_ranks_that_occur():
    order = order_of(Column.of("age", ["1", "2", "3", "9"]))
    line = Line.from_people(np.array([0, 0, 1]), np.array([0, 3, 2]), np.array([2, 1, 5]), groups=2, width=4)
    for cuts in (line.borders(order, 7, np.array([4, 5])), line.medians(order, 7, np.array([4, 5]))):
        assert (cuts.group.tolist(), cuts.column.tolist()) == ([4], [7])
        assert (cuts.rank.tolist(), cuts.left.tolist(), cuts.people.tolist()) == ([3], [2], [3])


def test_only_the_deepest_borders_of_a_hierarchy_are_cuts():
    country = sl.Hierarchy.nested("country", {"America": ["Chile", "Peru"], "Europe": ["France", "Poland"]})
    order = order_of(Column.of("country", ["Chile", "Peru", "France", "Poland"]), country)
    ones = np.ones(4, np.int64)
    assert cuts_along(order, 0 * ones, np.arange(4), ones, groups=1).rank.tolist() == [2]
    assert cuts_along(order, 0 * ones[:2], np.arange(2), ones[:2], groups=1).rank.tolist() == [1]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=12))
def test_the_median_is_the_most_balanced_border_and_of_equal_ones_the_lowest(rows):
    number = {group: at for at, group in enumerate(sorted({group for group, _, _ in rows}))}
    group = np.array([number[each] for each, _, _ in rows])
    rank, people = (np.array([row[at] for row in rows]) for at in (1, 2))
    for line in (
        Line.from_people(group, rank, people, groups=len(number), width=5),
        Line.from_people(
            np.repeat(group, people), np.repeat(rank, people), np.ones(people.sum()), groups=len(number), width=5
        ),
    ):
        borders = cuts_along(FIVE, group, rank, people, groups=len(number))
        best = [
            min(
                (abs(int(2 * borders.left[at] - borders.people[at])), int(borders.rank[at]))
                for at in np.flatnonzero(borders.group == each)
            )
            for each in np.unique(borders.group)
        ]
        cuts = line.medians(FIVE, 0, np.arange(len(number)))
        assert cuts.group.tolist() == np.unique(borders.group).tolist()
        assert list(zip(np.abs(2 * cuts.left - cuts.people).tolist(), cuts.rank.tolist(), strict=True)) == best


def test_places_too_many_for_short_numbers_stand_in_the_same_order():
    rank, group = np.array([2**31, 3, 2**31, 7]), np.array([1, 1, 0, 3])
    line = Line.from_people(group, rank, np.ones(4), groups=4, width=2**32)
    assert line.place.tolist() == [2**31, 2**32 + 3, 2**32 + 2**31, 3 * 2**32 + 7]
    assert line.edges.tolist() == [0, 1, 3, 3, 4]


def test_the_widest_column_comes_first_or_the_one_that_tells_most():
    def tried(target: Counts | None) -> list[int]:
        return [
            cuts.column.tolist()[0]
            for cuts in Proposals(Generation.from_table(TABLE, ORDERS), ORDERS, target).medians()
        ]

    assert tried(None) == [0, 1]
    assert tried(Counts.from_cells([[1, 0], [3, 0], [3, 0], [0, 2], [0, 4]])) == [1, 0]


def test_a_group_that_is_decided_tries_no_more():
    proposals = Proposals(Generation.from_table(TABLE, ORDERS), ORDERS)
    medians = proposals.medians()
    assert next(medians).rank.tolist() == [2]
    proposals.undecided[0] = False
    assert list(medians) == []
    assert len(proposals.others()) == 0


def test_all_other_cuts_come_by_column_then_by_balance():
    sizes = np.array([1, 1, 5, 1])
    columns = (Column.of("age", ["1", "2", "3", "4"]), Column.of("month", ["4", "3", "2", "1"]))
    table = Table(columns, "disease", ("Flu",), sizes, Counts.from_cells(sizes[:, np.newaxis]))
    orders = column_orders(columns, {})
    cuts = Proposals(Generation.from_table(table, orders), orders).others()
    assert cuts.column.tolist() == [0, 0, 1, 1]
    assert cuts.rank.tolist() == [1, 3, 1, 3]
    assert cuts.left.tolist() == [1, 7, 1, 7]


def test_cuts_are_joined_and_taken_by_group():
    one, other = (Cuts(*(np.array([number, at]) for at in range(5))) for number in (3, 1))
    assert Cuts.concatenate([one, other]).sort_by_group().group.tolist() == [0, 0, 1, 3]
    assert Cuts.concatenate([one, other]).first_of_each().tolist() == [1, 2, 0]
    assert len(Cuts.concatenate([])) == 0


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
    assert found.cuts is not None
    return found.cuts


@given(tables(), st.integers(1, 4))
@examples(60)
def test_parts_have_the_people_and_groups_that_stand_in_them(table, least):
    if table.people < least:
        return
    found = sl.protect(table, sl.GroupSize() >= least, method="mondrian", ask="nobody")
    tree = found.cuts
    nodes = tree.top()
    assert nodes[0] == CutNode(None, "", "", table.people, len(found.release), len(found.release) > 1)
    assert sum(tree.along.values()) == len(found.release) - 1
    depths = [0]
    for at, node in enumerate(nodes[1:], 1):
        assert node.parent < at
        depths.append(depths[node.parent] + 1)
    assert max(depths) <= EFFORT.cut_levels
    for at, node in enumerate(nodes):
        halves = [each for each in nodes if each.parent == at]
        assert len(halves) == 2 * node.cut
        if node.cut:
            assert sum(half.people for half in halves) == node.people
            assert sum(half.groups for half in halves) == node.groups
            assert len({half.column for half in halves}) == 1
        else:
            assert node.groups == 1 or depths[at] == EFFORT.cut_levels
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
    labels = [f"street {at:04}" for at in range(4 * EFFORT.tiled_labels)]
    sizes = np.ones(len(labels), np.int64)
    table = Table((Column.of("street", labels),), "disease", ("Flu",), sizes, Counts.from_cells(sizes[:, None]))
    left = tree_of(table, EFFORT.tiled_labels // 2).top()[1]
    assert left.holds == f"street 0000 … street {2 * EFFORT.tiled_labels - 1:04}"


@pytest.mark.parametrize("method", ["lattice", "anatomy", "microaggregation"])
def test_only_mondrian_cuts(method):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    policy = sl.DistinctValues() >= 2 if method == "anatomy" else sl.GroupSize() >= 30
    found = sl.protect(adult.table, policy, by=adult.hierarchies, method=method, ask="nobody")
    assert found.cuts is None
