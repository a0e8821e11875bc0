"""Packed rows: there and back, by NumPy and by DuckDB alike."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sidelight.arrays import KEY_LIMIT, ROWS_AT_ONCE, run_starts, sum_equal_rows
from sidelight.engines.duckdb.session import connection
from sidelight.engines.duckdb.source import packed_rows
from sidelight.engines.source import Source, TextRows, collect
from sidelight.streams.packed_keys import Packing
from sidelight.table.roles import Roles

SIZES = st.lists(st.sampled_from([1, 2, 7, 300, 100_000]), min_size=2, max_size=14)


class ManyLabels(tuple):
    """So many labels, without writing them down."""

    __slots__ = ()

    def __new__(cls, many):
        return super().__new__(cls, (many,))

    def __len__(self):
        return self[0]


@given(SIZES, st.data())
def test_packing_is_undone_by_unpacking(sizes, data):
    packing = Packing(tuple(map(ManyLabels, sizes)))
    codes = [np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=3, max_size=3))) for size in sizes]
    words = packing.pack(codes)
    assert all(0 <= number < KEY_LIMIT for word in words for number in word.tolist())
    assert [code.tolist() for code in packing.unpack(words)] == [code.tolist() for code in codes]
    assert [code.tolist() for code in packing.key_codes(packing.keys(words))] == [c.tolist() for c in codes[:-1]]


def test_many_rows_are_taken_apart_on_two_threads():
    rng = np.random.default_rng(7)
    sizes = (74, 96, 41, 16, 14, 7, 7, 1, 5, 2, 300)
    packing = Packing(tuple(map(ManyLabels, sizes)))
    codes = [rng.integers(0, size, 20 * ROWS_AT_ONCE + 3) for size in sizes]
    assert all((one == other).all() for one, other in zip(packing.unpack(packing.pack(codes)), codes, strict=True))


@given(SIZES, st.data())
def test_packed_rows_compare_like_their_codes(sizes, data):
    packing = Packing(tuple(map(ManyLabels, sizes)))
    rows = data.draw(st.lists(st.tuples(*(st.integers(0, size - 1) for size in sizes)), min_size=1, max_size=8))
    words, counts = sum_equal_rows(packing.pack(list(np.array(rows).T)), np.ones(len(rows), np.int64))
    assert list(zip(*(code.tolist() for code in packing.unpack(words)), strict=True)) == sorted(set(rows))
    assert counts.tolist() == [rows.count(row) for row in sorted(set(rows))]
    assert run_starts(words).all()


@given(arrays(np.int64, st.integers(1, 20), elements=st.integers(0, 9)), st.sampled_from([1, 2**50, 2**61]))
def test_counts_too_large_to_ride_along_are_sorted_too(keys, large):
    counts = np.full(len(keys), large // len(keys) + 1)
    words, added = sum_equal_rows([keys << 50], counts)
    assert (words[0] >> 50).tolist() == sorted(set(keys.tolist()))
    assert added.tolist() == [int(counts[keys == key].sum()) for key in sorted(set(keys.tolist()))]


CELLS = st.sampled_from(["a", "b", "10", "9", "?", None])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12), st.sampled_from([(), ("?",)]))
def test_duckdb_packs_as_numpy_does(rows, marks):
    roles = Roles(("one", "two"), "value", missing="a value", missing_marks=marks)
    table = pa.table(dict(zip(roles.used, zip(*rows, strict=True), strict=True)), schema=_texts(roles.used))
    with connection() as con:
        con.register("src", table)
        packed = packed_rows(con, roles, Source("here", ()))
        collect_batches = collect(packed.frame)
        twin = TextRows(packed.frame, roles, Source("here", ()))
        packing = twin.packing(table)
        assert packing == packed.packing(collect_batches)
        (key,) = packed.words(collect_batches, packing, packed.key_and_value)
        assert sorted(key.tolist()) == sorted(twin.words(table, packing, twin.key_and_value)[0].tolist())
        (cell,) = packed.words(collect_batches, packing, packed.key)
        assert sorted(cell.tolist()) == sorted(twin.words(table, packing, twin.key)[0].tolist())


def _texts(names):
    return pa.schema([(name, pa.string()) for name in names])


def test_several_sensitive_columns_are_one_number():
    packing = Packing((("f", "m"), ("Cold", "Flu", "HIV"), ("low", "high")), sensitive=2)
    codes = [np.array([1, 0, 1]), np.array([2, 0, 1]), np.array([1, 1, 0])]
    words = packing.pack(codes)
    keys = packing.keys(words)
    assert packing.width == 6
    assert packing.values(words, keys).tolist() == [5, 1, 2]
    assert [each.tolist() for each in packing.value_codes(packing.values(words, keys))] == [[2, 0, 1], [1, 1, 0]]
    assert [each.tolist() for each in packing.key_codes(keys)] == [[1, 0, 1]]
    assert [each.tolist() for each in packing.pack_keys(codes[:1], rows=3)] == [each.tolist() for each in keys]


def test_sensitive_columns_stay_in_one_word(monkeypatch):
    monkeypatch.setattr("sidelight.streams.packed_keys.KEY_LIMIT", 10)
    packing = Packing((("f", "m"), ("Cold", "Flu", "HIV"), ("low", "high")), sensitive=2)
    assert packing.layout == ((0,), (1, 2))
