"""What is refused where memory is bounded, and how rows come in."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.engines import read_stream
from sidelight.errors import BadTable, MissingValues, NoRoom, WrongKind
from sidelight.streams import key_stream, sorted_runs
from sidelight.streams.key_stream import _Step, people_surely_below, roll_up_stream
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import Packing

ROWS = pa.table({"zip": ["1", "2", "1"], "disease": ["Flu", None, "Cold"]})
ROLES = {"group": "zip", "sensitive": "disease"}


def test_missing_values_are_an_error_with_their_number():
    with pytest.raises(MissingValues, match="1 of 3 rows has no 'disease'"):
        sl.stream_release(ROWS, **ROLES)


def test_a_dataframe_is_in_memory_already():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(WrongKind, match="read it without memory=, or write it to a Parquet file"):
        sl.stream_release(pandas.DataFrame({"zip": ["1"], "disease": ["Flu"]}), **ROLES)


@pytest.mark.parametrize("read", [sl.read_release, sl.stream_release])
@pytest.mark.parametrize("cells", [[["1"], ["2"]], [{"a": 1}, {"a": 2}]], ids=["lists", "records"])
def test_a_column_type_that_the_engine_cannot_group(read, cells):
    rows = pa.table({"zip": cells, "disease": ["Flu", "Cold"]})
    with pytest.raises(BadTable, match=r"column 'zip' holds .* cells; turn it into text first"):
        read(rows, **ROLES)


def test_no_rows():
    with pytest.raises(BadTable, match="has no rows"):
        sl.stream_release(ROWS.slice(0, 0), **ROLES)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_files(tmp_path, name):
    file = tmp_path / name
    if name.endswith("csv"):
        file.write_text("zip,disease\n1,Flu\n2,Flu\n1,Cold\n")
    else:
        pq.write_table(pa.table({"zip": ["1", "2", "1"], "disease": ["Flu", "Flu", "Cold"]}), file)
    release = sl.stream_release(file, **ROLES)
    assert [block.all.group(row).size for block in release.blocks() for row in range(len(block))] == [2, 1]
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("zips", "repeat"), [("1212", True), ("1234", False)])
def test_the_engine_counts_what_repeats(monkeypatch, zips, repeat):
    answers = []
    plain = read_stream._words
    monkeypatch.setattr(
        read_stream, "_words", lambda batch, *rest: answers.append(batch.schema.names) or plain(batch, *rest)
    )
    rows = pa.table({"zip": list(zips), "disease": ["Flu"] * 4})
    assert len(sl.stream_release(rows, **ROLES)) == len(set(zips))
    assert ("rows" in answers[0]) is repeat


LISTS = pa.table({"zip": list("1123"), "ill": ["Flu|Cold", "Flu", "|", "Ulcer|Ulcer"]})
LIST_ROLES = {"sensitive": "ill", "values": "multiset", "split": "|", "missing": "no value"}


def test_who_has_no_value_makes_a_key():
    release = sl.stream_release(LISTS, group="zip", **LIST_ROLES)
    groups = [block.all.group(row) for block in release.blocks() for row in range(len(block))]
    assert [(group.size, dict(group.counts)) for group in groups] == [
        (2, {"Cold": 1, "Flu": 2}),
        (1, {}),
        (1, {"Ulcer": 2}),
    ]
    assert release.stream.whole.tolist() == [1, 2, 2]


def test_a_table_of_lists_is_protected_as_in_memory():
    streamed, held = (read(LISTS, quasi="zip", **LIST_ROLES) for read in (sl.stream_table, sl.read_table))
    both = [sl.protect(table, sl.GroupSize() >= 2, method="mondrian", ask="nobody") for table in (streamed, held)]
    assert list(both[0].release) == list(both[1].release)


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
        patch.setattr(sorted_runs, "KEY_LIMIT", data.draw(st.sampled_from([26, 200, 2**62])))  # several words
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
    monkeypatch.setattr(key_stream, "COUNTED_BY_ARRAY", 0)
    streamed = table()
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    assert roll_up_stream(streamed.stream, [halves], streamed.memory, most_keys=3) is None
    coarser = roll_up_stream(streamed.stream, [halves], streamed.memory, most_keys=20)
    assert [size for sizes in coarser.sizes() for size in sizes.tolist()] == [2] * 20


@pytest.mark.parametrize(("slots", "shown"), [(1 << 20, 40), (1 << 4, range(41)), (1, 0)])
def test_people_of_small_slots_are_in_groups_that_are_too_small(monkeypatch, slots, shown):
    monkeypatch.setattr(key_stream, "MOST_SLOTS", slots)
    streamed, heard = table(), []
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    below = people_surely_below(streamed.stream, [halves], streamed.memory, 3, reading=lambda *rows: heard.append(rows))
    assert below in shown if isinstance(shown, range) else below == shown
    assert people_surely_below(streamed.stream, [halves], streamed.memory, 2) == 0
    assert heard == [(40, 40)]


def test_a_full_disk_is_said_in_a_line(monkeypatch):
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 8)
    monkeypatch.setattr(key_stream, "COUNTED_BY_ARRAY", 0)
    streamed = table()

    def full(columns, words):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sorted_runs._Run, "write", full)
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    with pytest.raises(NoRoom, match="it takes up to"):
        roll_up_stream(streamed.stream, [halves], streamed.memory)
