"""Groups whose keys stand side by side, against counting each one by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.search import mondrian_frontier
from sidelight.search.mondrian_cuts import Cuts, Proposals
from sidelight.search.mondrian_frontier import Generation, KeyStore, Split
from sidelight.search.mondrian_store import AT_ONCE
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table

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
    for cuts in Proposals(generation, ORDERS).rounds():
        for rows, halves in generation.halves(cuts):
            for at, row in enumerate(rows):
                left = ORDERS[cuts.column[row]].ranks(TABLE.quasi[cuts.column[row]]) < cuts.rank[row]
                assert halves.counts.row(at).tolist() == COUNTS[left].sum(axis=0).tolist()
                assert halves.counts.row(at + len(rows)).tolist() == COUNTS[~left].sum(axis=0).tolist()
                assert halves.sizes[at] == cuts.left[row] == COUNTS[left].sum()


def test_splitting_moves_keys_and_boxes():
    store, generation = everybody()
    cut = cut_of(0, 0, 1, 3, 13)
    assert split(store, generation, cut).numbers.tolist() == [1]
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
    monkeypatch.setattr(mondrian_frontier._Entries, "count_beside", None)
    check = PolicyCheck.from_policy([sl.GroupSize() >= 13], people=13)
    assert not generation.may_hold_in_halves(cuts, check).any()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=20))
def test_blocks_never_divide_a_group(pairs):
    group = np.array(sorted(each for each, _ in pairs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AT_ONCE, "counts", 4)
        blocks = list(mondrian_frontier._blocks(group, np.arange(len(group)), width=1))
    assert np.concatenate(blocks).tolist() == list(range(len(group)))
    seen = [set(group[block].tolist()) for block in blocks]
    assert sum(map(len, seen)) == len(set(group.tolist()))
