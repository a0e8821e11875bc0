"""Streams of keys, published more coarsely."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import NoRoom
from sidelight.streams import packed_keys, rolled_up, sorted_runs
from sidelight.streams.memory import Memory
from sidelight.streams.packed_keys import Packing
from sidelight.streams.rolled_up import _Step, people_surely_below, roll_up_stream


@examples(80)
@given(data=st.data())
def test_rows_are_packed_as_their_recoded_codes_are(data):
    widths = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=6))
    sensitive = data.draw(st.integers(1, min(2, len(widths) - 1)))
    quasi = len(widths) - sensitive
    columns = []
    for width in widths[:quasi]:
        new = data.draw(st.integers(1, width))
        codes = np.array(data.draw(st.lists(st.integers(0, new - 1), min_size=width, max_size=width)), np.int32)
        columns.append(data.draw(st.sampled_from([None, (tuple(map(str, range(new))), codes)])))
    old = Packing(tuple(tuple(map(str, range(width))) for width in widths), sensitive)
    labels = [own if each is None else each[0] for own, each in zip(old.labels, columns, strict=False)]
    new = Packing((*labels, *old.labels[quasi:]), sensitive)
    rows = [np.array(data.draw(st.lists(st.integers(0, width - 1), min_size=3, max_size=3))) for width in widths]
    recoded = [code if each is None else each[1][code] for code, each in zip(rows, columns, strict=False)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_keys, "KEY_LIMIT", data.draw(st.sampled_from([26, 200, 2**62])))  # several words
        packed = _Step(old, new, columns).repack(old.pack(rows))
        expected = new.pack([*recoded, *rows[quasi:]])
    assert [word.tolist() for word in packed] == [word.tolist() for word in expected]


def table(rows=40):
    return sl.stream_table(
        pa.table({"zip": [str(row) for row in range(rows)], "disease": ["Flu", "Cold"] * (rows // 2)}),
        quasi="zip",
        sensitive="disease",
    )


def test_more_keys_than_may_be_end_it(monkeypatch):
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 8)
    monkeypatch.setattr(rolled_up, "COUNTED_BY_ARRAY", 0)
    streamed = table()
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    assert roll_up_stream(streamed.stream, [halves], streamed.memory, most_keys=3) is None
    coarser = roll_up_stream(streamed.stream, [halves], streamed.memory, most_keys=20)
    assert [size for sizes in coarser.sizes() for size in sizes.tolist()] == [2] * 20


@pytest.mark.parametrize(("slots", "shown"), [(1 << 20, 40), (1 << 4, range(41)), (1, 0)])
def test_people_of_small_slots_are_in_groups_that_are_too_small(monkeypatch, slots, shown):
    monkeypatch.setattr(rolled_up, "MOST_SLOTS", slots)
    streamed, heard = table(), []
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    below = people_surely_below(streamed.stream, [halves], streamed.memory, 3, reading=lambda *rows: heard.append(rows))
    assert below in shown if isinstance(shown, range) else below == shown
    assert people_surely_below(streamed.stream, [halves], streamed.memory, 2) == 0
    assert heard == [(40, 40)]


def test_a_full_disk_is_said_in_a_line(monkeypatch):
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 8)
    monkeypatch.setattr(rolled_up, "COUNTED_BY_ARRAY", 0)
    streamed = table()

    def full(columns, words):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sorted_runs._Run, "write", full)
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    with pytest.raises(NoRoom, match="it takes up to"):
        roll_up_stream(streamed.stream, [halves], streamed.memory)
