"""Counts are the same dense or sparse, and in whichever order they come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.table import counts as counts_module
from sidelight.table.counts import Counts

MATRICES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.sampled_from([0, 0, 0, 1, 7]), min_size=width, max_size=width), min_size=1)
)


@given(MATRICES, st.data())
def test_dense_and_sparse_counts_say_the_same(cells, data):
    full = np.array(cells, np.int64)
    rows, values = np.nonzero(full)
    sparse = Counts(
        full.shape,
        starts=np.searchsorted(rows, np.arange(len(full) + 1)),
        where=values.astype(np.int32),
        data=full[rows, values],
    )
    dense = Counts(full.shape, cells=full.copy())
    group = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(full), max_size=len(full))))
    for counts in (sparse, dense, Counts.from_cells(cells)):
        assert counts.dense().tolist() == cells
        assert counts.per_row().tolist() == full.sum(axis=1).tolist()
        assert counts.totals().tolist() == full.sum(axis=0).tolist()
        assert counts.spread_out().dense().tolist() == cells
        assert [counts.row(row).tolist() for row in range(len(cells))] == cells
        for row, cells_of_row in enumerate(cells):
            there = {value: count for value, count in enumerate(cells_of_row) if count}
            assert [each.tolist() for each in counts.occurring(row)] == [[*there], [*there.values()]]
            assert counts.sort_by_frequency(row) == sorted(there, key=lambda value: (-there[value], value))
        assert counts.most_in_a_row == max(map(np.count_nonzero, cells))
        assert [counts.column(value).tolist() for value in range(full.shape[1])] == full.T.tolist()
        assert counts.take(np.arange(len(cells))[::-1]).dense().tolist() == cells[::-1]
        assert counts.take(slice(1, None)).dense().tolist() == cells[1:]
        assert counts.roll_up(group, groups=3).dense().tolist() == [
            full[group == number].sum(axis=0).tolist() for number in range(3)
        ]


def test_entries_in_any_order_add_up():
    counts = Counts.from_entries([1, 0, 1], [0, 99, 0], [2, 1, 3], (2000, 100))
    assert counts.cells is None
    assert counts.entries()[0].tolist() == [0, 1]
    assert (counts.row(0)[99], counts.row(1)[0]) == (1, 5)


def test_rows_with_one_value_each_are_taken_in_any_order_and_as_often_as_asked_for():
    cells = np.zeros((5, 9), np.int64)
    cells[np.arange(5), [3, 0, 8, 3, 1]] = [1, 2, 1, 4, 1]
    counts = Counts.from_cells(cells)
    assert counts.cells is None
    rows = np.array([4, 0, 0, 2])
    assert counts.take(rows).dense().tolist() == cells[rows].tolist()
    assert counts.take(rows).take(np.array([3, 1])).dense().tolist() == cells[[2, 0]].tolist()


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(1, 64))
def test_packed_blocks_hold_every_row_once_and_fit(lengths, at_once):
    rows = np.repeat(np.arange(len(lengths)), lengths)
    values = np.concatenate([np.arange(0), *(np.arange(length) for length in lengths)])
    counts = Counts.from_entries(rows, values, np.ones(len(rows)), (len(lengths), 5000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "CELLS_AT_ONCE", at_once)
        blocks = [np.arange(len(lengths))[block] for block in counts.packed_blocks()]
    assert sorted(row for block in blocks for row in block.tolist()) == [*range(len(lengths))]
    for block in blocks:
        packed = counts.take(block).packed()
        assert packed.sum(axis=1).tolist() == [lengths[row] for row in block]
        assert len(block) == 1 or packed.size <= at_once
    # a block for each power of two, for what fills one at least to a quarter, and for each row that needs one alone
    alone, empty = sum(2 * length > at_once for length in lengths), lengths.count(0)
    assert len(blocks) <= 8 + (4 * len(rows) + empty) / at_once + alone
