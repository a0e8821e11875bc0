"""Groups whose keys stand side by side, against counting each one by hand.

Histograms of blocks add up, whoever counts them, and answer what the keys would.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.search import mondrian_frontier
from sidelight.search.effort import EFFORT
from sidelight.search.mondrian_cuts import Cuts, Proposals
from sidelight.search.mondrian_frontier import Boxes, CountedGroups, Generation, KeyStore, RoutingTree, Split
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck
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


def everybody() -> tuple[KeyStore, Generation]:
    store = KeyStore.from_table(TABLE, ORDERS)
    return store, store.first


def split(store: KeyStore, generation: Generation, cuts: Cuts) -> Split:
    store.split(generation, cuts)
    return store.splits[-1]


def cut_of(group: int, column: int, rank: int, left: int, people: int) -> Cuts:
    return Cuts(*(np.array([number]) for number in (group, column, rank, left, people)))


def test_halves_are_counted_as_by_hand():
    _, generation = everybody()
    proposals = Proposals(generation, ORDERS)
    for cuts in (*proposals.medians(), proposals.others()):
        for rows, halves in generation.halves(cuts):
            for at, row in enumerate(rows):
                left = ORDERS[cuts.column[row]].ranks(TABLE.quasi[cuts.column[row]]) < cuts.rank[row]
                assert halves.counts.row(at).tolist() == COUNTS[left].sum(axis=0).tolist()
                assert halves.counts.row(at + len(rows)).tolist() == COUNTS[~left].sum(axis=0).tolist()
                assert halves.sizes[at] == cuts.left[row] == COUNTS[left].sum()


def test_splitting_moves_keys_and_boxes():
    store, generation = everybody()
    cut = cut_of(0, 0, 1, 3, 13)
    assert split(store, generation, cut)[2].tolist() == [1]
    assert store.group.tolist() == [0, 1, 1, 0, 1]
    assert (store.start.tolist(), store.stop.tolist()) == ([[0, 0], [1, 0]], [[1, 2], [3, 2]])


def test_the_next_generation_has_left_halves_then_right_ones_with_their_keys_in_order():
    store, generation = everybody()
    second = generation.follow([split(store, generation, cut_of(0, 0, 1, 3, 13))])
    assert second.numbers.tolist() == [0, 1]
    assert (second.keys.tolist(), second.starts.tolist()) == ([0, 3, 1, 2, 4], [0, 2, 5])
    assert second.ranks.tolist() == [[0, 0, 1, 2, 2], [0, 1, 0, 0, 1]]
    both = Cuts.concatenate([cut_of(0, 1, 1, 1, 3), cut_of(1, 1, 1, 6, 10)])
    third = second.follow([split(store, second, both.take(np.array([at]))) for at in (1, 0)])
    assert third.numbers.tolist() == [1, 2, 3]  # in group 0 one person is left
    assert third.keys.tolist() == [1, 2, 4, 3]


def test_halves_that_are_too_small_for_two_are_done():
    store, generation = everybody()
    second = generation.follow([split(store, generation, cut_of(0, 0, 1, 3, 13))], least=4)
    assert (second.numbers.tolist(), second.keys.tolist()) == ([1], [1, 2, 4])


def test_nothing_is_left_where_nothing_was_cut():
    assert everybody()[1].follow([]).groups == 0


def test_keys_that_only_a_population_has_are_not_heeded():
    sizes = np.array([0, 2, 2, 0])
    columns = (Column.of("age", ["1", "2", "3", "4"]),)
    table = Table(columns, "disease", ("Flu",), sizes, Counts.from_cells(sizes[:, np.newaxis]))
    orders = column_orders(columns, {})
    generation = Generation.from_table(table, orders)
    assert [part.tolist() for part in generation.extents()] == [[[1]], [[2]]]
    store = KeyStore.from_table(table, orders)
    (cuts,) = Proposals(generation, orders).medians()
    second = generation.follow([split(store, generation, cuts)])
    assert (second.keys.tolist(), second.starts.tolist()) == ([0, 1, 2, 3], [0, 2, 4])


def test_halves_that_are_too_small_are_not_even_counted(monkeypatch):
    _, generation = everybody()
    cuts = next(Proposals(generation, ORDERS).medians())
    monkeypatch.setattr(mondrian_frontier, "_count_along", None)
    check = PolicyCheck.from_policy([sl.GroupSize() >= 13], people=13)
    assert not generation.may_hold_in_halves(cuts, check).any()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=20))
def test_blocks_never_divide_a_group(pairs):
    group = np.array(sorted(each for each, _ in pairs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EFFORT, "counts", 4)
        blocks = list(mondrian_frontier._divide_into_blocks(group, np.arange(len(group)), width=1))
    assert np.concatenate(blocks).tolist() == list(range(len(group)))
    seen = [set(group[block].tolist()) for block in blocks]
    assert sum(map(len, seen)) == len(set(group.tolist()))


OUTLINE = Table((), "disease", ("Flu", "Cold"), np.array([6]), Counts.from_cells([[4, 2]]))
RANKS = np.array([[0, 1, 2, 2, 3, 3], [0, 0, 1, 1, 0, 1]], np.int32)
VALUE = np.array([0, 1, 0, 0, 1, 0])


def counted(blocks):
    tree = RoutingTree()
    tree.cut(np.array([0]), np.array([0]), np.array([2]))
    boxes = Boxes(np.array([[0, 0], [2, 0]]), np.array([[2, 2], [4, 2]]), 2, people=False)
    histogram = boxes.empty(6)
    for rows in blocks:
        part = boxes.empty(6)
        ranks = RANKS[:, rows]
        boxes.add(part, tree.groups_of(ranks), ranks, VALUE[rows], np.ones(len(rows), np.int64))
        histogram += part
    return CountedGroups(OUTLINE, np.array([0, 1]), boxes, histogram, (4, 2))


def test_rows_go_down_the_tree_in_blocks(monkeypatch):
    monkeypatch.setattr(EFFORT, "rows", 4)
    tree = RoutingTree()
    tree.cut(np.array([0]), np.array([0]), np.array([2]))
    tree.cut(np.array([0, 1]), np.array([1, 0]), np.array([1, 3]))
    assert tree.groups_of(RANKS).tolist() == [0, 0, 1, 1, 3, 3]
    assert tree.groups_of(RANKS[:, :0]).tolist() == []


def test_blocks_add_up_and_answer_what_the_rules_ask():
    for blocks in ([np.arange(6)], [np.array([5, 0, 3]), np.array([1, 2]), np.array([4])]):
        groups = counted(blocks)
        assert groups.counts.tolist() == [[1, 1], [3, 1]]
        first, last = groups.extents()
        assert (first.tolist(), last.tolist()) == ([[0, 2], [0, 0]], [[1, 3], [0, 1]])
        lines = {along: line for along, _, line in groups.lines(np.array([0, 1, 1]), np.array([0, 0, 1]))}
        assert lines[0].place.tolist() == [0, 1, 6, 7]
        assert lines[0].before.tolist() == [0, 1, 2, 4, 6]
        cut = Cuts(*(np.array([number]) for number in (1, 1, 1, 1, 4)))
        ((_, halves),) = groups.halves(cut)
        assert halves.counts.dense().tolist() == [[0, 1], [3, 0]]


def test_rows_of_people_and_of_values_have_lanes_of_their_own():
    none = np.zeros((0, 1), np.int64)
    people, value, count = np.array([2, 0, 0]), np.array([-1, 1, -1]), np.array([0, 3, 2])
    lane, amount = Boxes(none, none, 2, people=True).find_lanes(people, value, count)
    assert [(at, many) for at, many in zip(lane.tolist(), amount.tolist(), strict=True) if many] == [(2, 2), (1, 3)]
    assert Boxes(none, none, 0, people=True).find_lanes(people, value, count)[1].tolist() == [2, 0, 0]


def test_wide_amounts_are_kept_in_wide_numbers():
    boxes = Boxes(np.array([[0]]), np.array([[1]]), 0, people=True)
    assert boxes.empty(2**31).dtype == np.int64
    assert boxes.empty(1000).dtype == np.int32
