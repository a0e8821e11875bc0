"""Rows in order, from files that nobody sees; and a disk that is full."""

import errno
import os
import resource
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sidelight.arrays import BLOCK_ROWS, KEY_LIMIT, run_starts, sum_equal_rows
from sidelight.engines.duckdb.source import connection, packed_rows
from sidelight.engines.source import Source, TextRows, collect
from sidelight.errors import NoRoom
from sidelight.streams import sorted_runs
from sidelight.streams.sorted_runs import Packing, RowParts, SortedRuns
from sidelight.table.roles import Roles


def test_rows_that_fit_are_not_written():
    runs = SortedRuns(words=1, room=100)
    runs.add([np.array([3, 1, 3])])
    assert [(words[0].tolist(), counts.tolist()) for words, counts in runs.batches()] == [([1, 3], [1, 2])]
    assert runs.spilled == 0


def test_rows_that_repeat_make_room_and_are_not_written():
    runs = SortedRuns(words=1, room=4)
    for _ in range(10):
        runs.add([np.array([7, 7, 7, 7])])
    assert runs.spilled == 0
    assert [counts.tolist() for _, counts in runs.batches()] == [[40]]


def test_batches_can_be_had_again():
    runs = SortedRuns(words=1, room=2)
    for rows in ([5, 1], [4, 1], [9, 2]):
        runs.add([np.array(rows)])
    once, again = ([words[0].tolist() for words, _ in runs.batches()] for _ in range(2))
    assert once == again
    assert runs.spilled == 6 * 8


@pytest.mark.parametrize("many", [2, 40])
def test_blocks_are_alike_however_many_runs_there_are(many):
    rng = np.random.default_rng(7)
    runs = SortedRuns(words=1, room=100_000 // many)
    for _ in range(many):
        runs.add([rng.choice(1 << 40, 100_000 // many, replace=False)])
    sizes = [len(counts) for _, counts in runs.batches(10_000)]
    assert len(runs._files) == many
    assert sum(sizes) == 100_000
    assert max(sizes) < 12_000
    assert min(sizes[:-1]) > 8_000


@pytest.mark.parametrize(
    ("rows", "counts", "columns"),
    [([5, 1], None, 1), ([5, 5, 1], None, 1), ([5, 1], [1, 900], 1), ([1 << 61, 1], [1, 900], 2)],
)
def test_how_often_rows_occur_is_kept_in_bits_that_they_leave(rows, counts, columns):
    runs = SortedRuns(words=1, room=2)
    runs.add([np.array(rows)], None if counts is None else np.array(counts))
    ((words, times),) = runs.batches()
    expected = [rows.count(row) if counts is None else counts[rows.index(row)] for row in sorted(set(rows))]
    assert (words[0].tolist(), times.tolist()) == (sorted(set(rows)), expected)
    assert runs.spilled == 8 * columns * 2


def test_runs_have_no_name_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(sorted_runs.tempfile, "tempdir", str(tmp_path))
    runs = SortedRuns(words=1, room=2)
    runs.add([np.array([5, 1])])
    assert runs.spilled
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_disk_too_small_to_spill(monkeypatch, number):
    def full(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(sorted_runs._Run, "write", full)
    runs = SortedRuns(words=1, room=2, rows_in_all=100_000_000)
    with pytest.raises(NoRoom, match=r"too small.*\b1\.6 GB\b.*TMPDIR"):
        runs.add([np.array([5, 1])])


def test_a_file_that_may_not_grow_is_a_disk_too_small():
    limited = (
        "import numpy as np\n"
        "from sidelight.streams.sorted_runs import SortedRuns\n"
        "runs = SortedRuns(words=1, room=100_000, rows_in_all=100_000)\n"
        "try:\n    runs.add([np.arange(100_000)])\nexcept Exception as error:\n    print(type(error).__name__)\n"
    )
    limit = 4096
    done = subprocess.run(
        [sys.executable, "-c", limited],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout == "NoRoom\n"


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
    codes = [rng.integers(0, size, 20 * BLOCK_ROWS + 3) for size in sizes]
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
    monkeypatch.setattr("sidelight.streams.sorted_runs.KEY_LIMIT", 10)
    packing = Packing((("f", "m"), ("Cold", "Flu", "HIV"), ("low", "high")), sensitive=2)
    assert packing.layout == ((0,), (1, 2))


def test_rows_put_aside_after_some_were_read_are_added():
    parts = RowParts(parts=2, columns=1, rows=4)
    parts.add(np.array([0, 0, 0, 1]), [np.arange(4)])
    next(parts.read(0, at_once=1))
    parts.add(np.array([0]), [np.array([9])])
    assert parts.take(0)[0].tolist() == [0, 1, 2, 9]
