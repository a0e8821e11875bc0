"""Cuts of a whole generation at once against counting each one by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.search import mondrian_cuts
from sidelight.search.mondrian_cuts import Cuts, Generation, Partition, cuts_along, line_up
from sidelight.search.orders import column_orders, order_of
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.table import Column, Counts, Table

COUNTS = np.array([[1, 0], [2, 1], [0, 3], [1, 1], [4, 0]])
TABLE = Table(
    (Column.of("age", ["1", "2", "3", "1", "3"]), Column.of("sex", ["f", "f", "f", "m", "m"])),
    "disease",
    ("Flu", "Cold"),
    COUNTS.sum(axis=1),
    Counts.from_cells(COUNTS),
)
ORDERS = column_orders(TABLE.quasi, {})


def everybody() -> tuple[Partition, Generation]:
    partition = Partition.of_everybody(TABLE, ORDERS)
    return partition, Generation.of(TABLE, partition, np.array([0]))


def test_cuts_stand_between_ranks_that_occur():
    order = order_of(Column.of("age", ["1", "2", "3", "9"]))
    cuts = cuts_along(order, np.array([0, 0, 1]), np.array([0, 3, 2]), np.array([2, 1, 5]), groups=2)
    assert (cuts.group.tolist(), cuts.rank.tolist(), cuts.left.tolist()) == ([0], [3], [2])
    assert cuts.spread.tolist() == [1.0, 0.0]
    assert cuts.medians(2).tolist() == [0, -1]


def test_only_the_deepest_borders_of_a_hierarchy_are_cuts():
    country = sl.Hierarchy.nested("country", {"America": ["Chile", "Peru"], "Europe": ["France", "Poland"]})
    order = order_of(Column.of("country", ["Chile", "Peru", "France", "Poland"]), country)
    ones = np.ones(4, np.int64)
    assert cuts_along(order, 0 * ones, np.arange(4), ones, groups=1).rank.tolist() == [2]
    assert cuts_along(order, 0 * ones[:2], np.arange(2), ones[:2], groups=1).rank.tolist() == [1]


def test_halves_are_counted_as_by_hand():
    _, generation = everybody()
    for cuts in generation.rounds(ORDERS, np.ones(1, bool), None):
        for rows, halves in generation.halves(cuts):
            for at, row in enumerate(rows):
                left = ORDERS[cuts.column[row]].ranks(TABLE.quasi[cuts.column[row]]) < cuts.rank[row]
                assert halves.counts.row(at).tolist() == COUNTS[left].sum(axis=0).tolist()
                assert halves.counts.row(at + len(rows)).tolist() == COUNTS[~left].sum(axis=0).tolist()
                assert halves.sizes[at] == cuts.left[row] == COUNTS[left].sum()


def test_splitting_moves_keys_and_boxes():
    partition, generation = everybody()
    cut = Cuts(*(np.array([number]) for number in (0, 0, 1, 3, 13)))
    assert partition.group_after(generation.keys, cut, np.array([0])).tolist() == [0, 1, 1, 0, 1]
    assert partition.split(generation.keys, cut, np.array([0])).tolist() == [1]
    assert partition.group.tolist() == [0, 1, 1, 0, 1]
    assert (partition.start.tolist(), partition.stop.tolist()) == ([[0, 0], [1, 0]], [[1, 2], [3, 2]])


def test_halves_that_are_too_small_are_not_even_counted(monkeypatch):
    _, generation = everybody()
    cuts = next(generation.rounds(ORDERS, np.ones(1, bool), None))
    monkeypatch.setattr(mondrian_cuts._Entries, "beside", None)
    check = PolicyCheck.of([sl.GroupSize() >= 13], people=13)
    assert not generation.may_hold_in_halves(cuts, check).any()


def test_the_widest_column_comes_first_or_the_one_that_tells_most():
    _, generation = everybody()
    widest = next(generation.rounds(ORDERS, np.ones(1, bool), None))
    assert widest.column.tolist() == [0, 1]
    by_sex = Counts.from_cells([[1, 0], [3, 0], [3, 0], [0, 2], [0, 4]])
    assert next(generation.rounds(ORDERS, np.ones(1, bool), by_sex)).column.tolist() == [1, 0]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=20))
def test_blocks_never_divide_a_group(pairs):
    group = np.array(sorted(each for each, _ in pairs))
    before, mondrian_cuts.CELLS_AT_ONCE = mondrian_cuts.CELLS_AT_ONCE, 4
    try:
        blocks = list(mondrian_cuts._blocks(group, np.arange(len(group)), width=1))
    finally:
        mondrian_cuts.CELLS_AT_ONCE = before
    assert np.concatenate(blocks).tolist() == list(range(len(group)))
    seen = [set(group[block].tolist()) for block in blocks]
    assert sum(map(len, seen)) == len(set(group.tolist()))


def test_cuts_are_lined_up_by_group_then_column_then_balance():
    order = order_of(Column.of("age", ["1", "2", "3"]))
    cuts = cuts_along(order, np.zeros(3, np.int64), np.arange(3), np.array([1, 1, 5]), groups=1)
    both = line_up([(cuts, np.arange(2)), (cuts, np.arange(2))], np.array([[1], [0]]))
    assert both.column.tolist() == [1, 1, 0, 0]
    assert both.rank.tolist() == [2, 1, 2, 1]
    assert both.first_of_each().tolist() == [0]
