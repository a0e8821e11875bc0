"""Numbering keys by ticking them off equals numbering them by sorting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sidelight._arrays import numbered
from sidelight.table.table import Column, rows_alike


@given(st.lists(st.integers(0, 40)), st.integers(41, 2_000))
def test_ticked_off_or_sorted(keys, below):
    number, first = numbered(np.array(keys, np.int64), below=below)
    order = sorted(set(keys))
    assert number.tolist() == [order.index(key) for key in keys]
    assert first.tolist() == [keys.index(key) for key in order]


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 5), min_size=1), st.sampled_from([3, 1 << 13, 1 << 20, 1 << 31]))
def test_rows_alike_whatever_the_number_of_labels(rows, labels):
    class Many(tuple):
        __slots__ = ()

        def __len__(self):
            return labels

    columns = tuple(
        Column(str(place), Many(), np.array(codes, np.int32)) for place, codes in enumerate(zip(*rows, strict=True))
    )
    number, first = rows_alike(columns, len(rows))
    order = sorted(set(rows))
    assert number.tolist() == [order.index(row) for row in rows]
    assert first.tolist() == [rows.index(row) for row in order]
