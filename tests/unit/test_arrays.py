"""Equal rows have equal numbers, whichever way they are numbered."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight import arrays as _arrays
from sidelight.arrays import (
    BLOCK_ROWS,
    add_up,
    first_of_each,
    first_of_equal_runs,
    iterate_blocks,
    number_keys,
    number_vectors,
    pack_bits,
    pack_positions,
    pair_equal,
    sum_equal_rows,
    sum_runs,
    unpack_bits,
)
from sidelight.table.labels import Column, number_equal_rows


@given(st.lists(st.integers(0, 40)), st.integers(41, 2_000))
def test_ticked_off_or_sorted(keys, below):
    number, first = number_keys(np.array(keys, np.int64), below=below)
    order = sorted(set(keys))
    assert number.tolist() == [order.index(key) for key in keys]
    assert first.tolist() == [keys.index(key) for key in order]


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 5), min_size=1), st.sampled_from([3, 1 << 13, 1 << 20, 1 << 31]))
def test_rows_are_numbered_whatever_the_number_of_labels(rows, labels):
    class Many(tuple):
        __slots__ = ()

        def __len__(self):
            return labels

    columns = tuple(
        Column(str(place), Many(), np.array(codes, np.int32)) for place, codes in enumerate(zip(*rows, strict=True))
    )
    number, first = number_equal_rows(columns, len(rows))
    order = sorted(set(rows))
    assert number.tolist() == [order.index(row) for row in rows]
    assert first.tolist() == [rows.index(row) for row in order]


VECTORS = st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 1)), max_size=20)


@given(VECTORS)
def test_vectors_have_equal_numbers_where_they_are_equal(rows):
    number, first = number_vectors(np.array(rows, np.int64).reshape(-1, 2))
    assert len(set(zip(rows, number.tolist(), strict=True))) == len(set(rows)) == len(first)
    assert [rows.index(row) for row in rows] == first[number].tolist()


def test_vectors_that_share_a_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(_arrays, "_hash", lambda matrix: np.zeros(len(matrix), np.int64))
    rows = np.array([[1, 2], [3, 4], [1, 2], [0, 0]])
    number, first = number_vectors(rows)
    assert rows[first][number].tolist() == rows.tolist()
    assert len(first) == 3
    assert {0, 1, 3} <= set(first_of_each(rows).tolist())  # some may be kept twice, none is lost


@given(VECTORS, st.integers(1, 3))
def test_the_first_few_of_each_are_kept_in_order(rows, many):
    kept = first_of_each(np.array(rows, np.int64).reshape(-1, 2), many).tolist()
    assert kept == [place for place, row in enumerate(rows) if rows[:place].count(row) < many]


@given(VECTORS, st.sampled_from([1, 2**40]))
def test_amounts_of_equal_rows_add_up_exactly(rows, large):
    columns = [np.array([row[place] + 2 for row in rows], np.int64) for place in range(2)]
    summed, counts = sum_equal_rows(columns, np.full(len(rows), large))
    expected = {(one + 2, other + 2): large * times for (one, other), times in Counter(rows).items()}
    assert (
        dict(zip(zip(*(column.tolist() for column in summed), strict=True), counts.tolist(), strict=True)) == expected
    )
    assert list(expected) == [] or sorted(expected) == list(zip(*(column.tolist() for column in summed), strict=True))


@pytest.mark.parametrize("rows", [0, 1, BLOCK_ROWS, 20 * BLOCK_ROWS + 7])
def test_every_row_is_in_one_block(rows):
    times = np.zeros(rows, np.int64)
    iterate_blocks(lambda block: np.add(times[block], 1, out=times[block]), rows)
    assert (times == 1).all()


def test_an_error_in_a_block_is_told():
    with pytest.raises(ZeroDivisionError):
        iterate_blocks(lambda block: 1 // 0, 20 * BLOCK_ROWS)


def test_columns_stay_as_they_are_unless_they_may_be_overwritten():
    column, counts = np.array([7, 3, 7]), np.array([1, 1, 2])
    kept = sum_equal_rows([column], counts)
    assert column.tolist() == [7, 3, 7]
    overwritten = sum_equal_rows([column], counts, overwrite=True)
    assert [each.tolist() for each in overwritten[0]] == [each.tolist() for each in kept[0]] == [[3, 7]]
    assert overwritten[1].tolist() == kept[1].tolist() == [1, 3]
    assert counts.tolist() == [1, 1, 2]


def test_sums_beyond_what_floats_carry_are_exact():
    large = 2**53 + 1
    assert add_up(np.array([0, 0, 2]), np.array([large, 1, 5]), 3).tolist() == [large + 1, 0, 5]


@pytest.mark.parametrize("width", [0, 1, 63, 64, 65, 130])
def test_bits_are_packed_and_unpacked(width):
    flags = np.random.default_rng(1).integers(0, 2, (20, width)).astype(bool)
    words = pack_bits(flags)
    assert words.shape == (20, -(-width // 64))
    assert np.array_equal(words, pack_positions(*np.nonzero(flags), flags.shape))
    assert np.array_equal(unpack_bits(words, width), flags)
    assert np.array_equal(unpack_bits(words[::2], width), flags[::2])
    assert np.array_equal(pack_bits(flags[3]), words[3])


@given(st.lists(st.integers(0, 4), max_size=8), st.lists(st.integers(0, 4), max_size=8))
def test_equal_numbers_of_two_lists_are_paired(one, other):
    pairs = pair_equal(np.array(one, np.int64), np.array(sorted(other), np.int64))
    expected = [(i, j) for i, left in enumerate(one) for j, right in enumerate(sorted(other)) if left == right]
    assert list(zip(*(each.tolist() for each in pairs), strict=True)) == expected


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2**60 // 50)), min_size=1, max_size=50))
def test_runs_are_summed_exactly(cells):
    new = np.array([True, *(starts for starts, _ in cells[1:])])
    amounts = np.array([amount for _, amount in cells])
    starts = np.flatnonzero(new)
    assert sum_runs(amounts, starts).tolist() == np.add.reduceat(amounts, starts).tolist()


AMOUNTS = st.sampled_from([1, 2, _arrays.KINDS_IN_A_TABLE, 1 << 61])


@given(st.lists(st.dictionaries(st.integers(0, 3), AMOUNTS, max_size=2), min_size=1, max_size=30))
def test_every_run_has_an_equal_one_that_is_kept_no_later_than_itself(rows):
    runs = [sorted(row.items()) for row in rows]
    starts = np.cumsum([0, *map(len, runs)])
    places, amounts = (np.array([entry[at] for run in runs for entry in run], np.int64) for at in (0, 1))
    kept = first_of_equal_runs(starts, places, amounts).tolist()
    assert kept == sorted(set(kept))
    assert all(runs.index(run) in kept for run in runs)


def test_of_runs_with_one_small_entry_only_the_first_of_each_is_kept():
    starts, places, amounts = np.arange(7), np.array([2, 0, 2, 2, 0, 1]), np.array([1, 1, 1, 5, 1, 1])
    assert first_of_equal_runs(starts, places, amounts).tolist() == [0, 1, 3, 5]
