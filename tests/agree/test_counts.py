"""Counts give the same numbers whichever way they are stored."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sidelight.table.table import Counts

MATRICES = arrays(
    np.int64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.sampled_from([0, 0, 1, 2**40])
)


def sparse(cells):
    rows, values = np.nonzero(cells)
    starts = np.searchsorted(rows, np.arange(len(cells) + 1))
    return Counts(cells.shape, starts=starts, where=values.astype(np.int32), data=cells[rows, values])


@given(MATRICES)
def test_dense_and_sparse_and_spread_out_agree(cells):
    for counts in (Counts(cells.shape, cells=cells), sparse(cells), Counts.from_cells(cells)):
        assert counts.dense().tolist() == counts.spread_out().dense().tolist() == cells.tolist()
        assert counts.per_row().tolist() == cells.sum(axis=1).tolist()
        assert counts.totals().tolist() == cells.sum(axis=0).tolist()
