"""What stands in a published file: cells that mean the same when they are read, in an order that tells nothing."""

import io
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.engines.formats import write as sheets
from sidelight.engines.formats.write import (
    WRITERS,
    Sheet,
    draw_order,
    draw_parts,
    escape_formula,
    kind_of_cells,
    random_bytes,
    unescape_formula,
    writer_of,
)
from sidelight.errors import NotPublished
from sidelight.publish.publish import add_bounds, sheet_of_carried, sheet_of_counts, sheet_of_people
from sidelight.table.labels import Column

FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"
ODD = ("=1+1", "-5", "-", "-5-0", "+", "@SUM(A1)", "'=1", "''", "\ttab", "line\nbreak", "＝1", "1e5", "00734", "")
RELEASE = sl.Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 1}], labels=[{"sex": "f"}, {"sex": "m"}])


@given(st.text(st.sampled_from([*FORMULA_STARTS, "'", "1", "a"]), max_size=5) | st.sampled_from(ODD))
def test_no_text_is_run_by_a_spreadsheet_and_none_is_changed(label):
    assert unescape_formula(escape_formula(label)) == label
    cell = escape_formula(label)
    if len(cell) > 1 and cell[0] in FORMULA_STARTS:
        float(cell)  # a number is a number


@pytest.mark.parametrize("label", ["X=1", "'X=1", "X", "''", "it's"])
def test_texts_that_no_spreadsheet_runs_stay_as_they_are(label):
    assert escape_formula(label) == unescape_formula(label) == label


@pytest.mark.parametrize("form", WRITERS.values(), ids=WRITERS)
@given(st.text())
def test_what_is_written_means_what_it_meant(form, label):
    assert form.decode(form.encode(label)) == label


def test_a_row_per_person_or_per_count():
    people = sheet_of_people(RELEASE, random_bytes(seed=1))
    assert len(people) == 4
    counts = sheet_of_counts(RELEASE, random_bytes(seed=1), people="people", count="count")
    assert sorted(zip(counts.columns["people"].tolist(), counts.columns["count"].tolist(), strict=True)) == [
        (1, 1),
        (3, 1),
        (3, 2),
    ]


def test_a_group_in_which_nobody_has_a_value_has_a_row_of_its_own():
    visits = sl.Release.from_counts([{"Flu": 2}, {}], sizes=[2, 3], values="set", domain=["Flu"])
    counts = sheet_of_counts(visits, random_bytes(seed=1), people="people", count="count")
    rows = zip(counts.columns["people"].tolist(), counts.columns["count"].tolist(), strict=True)
    assert sorted(rows) == [(2, 2), (3, 0)]


def test_people_of_a_large_release_are_dealt_in_parts(monkeypatch):
    monkeypatch.setattr(sheets, "SHUFFLED_AT_ONCE", 8)
    monkeypatch.setattr(sheets, "ROWS_PER_BATCH", 3)
    release = sl.Release.from_counts([{"Flu": 30, "Cold": 1}, {"Cold": 40}], labels=[{"age": "a"}, {"age": "b"}])
    files = []
    for _ in range(2):
        sheet = sheet_of_people(release, random_bytes(seed=1))
        files.append(io.BytesIO())
        WRITERS["csv"].write(sheet, files[-1])
        assert len(sheet) == 71
    rows = files[0].getvalue().decode().splitlines()[1:]
    assert sorted(rows) == ["a,Cold"] + 30 * ["a,Flu"] + 40 * ["b,Cold"]
    assert rows != sorted(rows)
    assert files[0].getvalue() == files[1].getvalue()
    assert all(len(batch) <= 3 for batch in sheet.batches())


def test_every_order_is_as_likely_as_any_other(monkeypatch):
    monkeypatch.setattr(sheets, "SHUFFLED_AT_ONCE", 1)
    draw = random_bytes(seed=5)
    draws = 600
    orders = Counter(
        tuple(np.concatenate(list(Sheet({}, np.ones(3, np.int64), draw).batches())).tolist()) for _ in range(draws)
    )
    # χ² with 5 degrees of freedom is above 26 once in ten thousand times
    assert len(orders) == 6
    assert sum((many - draws / 6) ** 2 / (draws / 6) for many in orders.values()) < 26


def test_an_order_of_the_operating_system_is_not_that_of_the_input():
    order = draw_order(random_bytes(), 1000)
    assert sorted(order.tolist()) == list(range(1000))
    assert not np.array_equal(order, draw_order(random_bytes(), 1000))
    assert random_bytes() is os.urandom


def test_parquet_keeps_texts_and_numbers_and_csv_is_quoted_where_it_must_be():
    sheet = Sheet({"a": Column.of("a", ["x,y", None, "=1"]), "n": np.array([1, 2, 3])})
    text, binary = io.BytesIO(), io.BytesIO()
    WRITERS["csv"].write(sheet, text)
    WRITERS["parquet"].write(sheet, binary)
    assert text.getvalue().decode() == 'a,n\n"x,y",1\n,2\n\'=1,3\n'
    assert pq.read_table(io.BytesIO(binary.getvalue())).to_pydict() == {"a": ["x,y", None, "=1"], "n": [1, 2, 3]}


@pytest.mark.parametrize(
    ("name", "form", "label", "message"),
    [("r.csv", None, "", "empty text, which CSV cannot tell"), ("r.csv", "arx", "a;b", "ARX's files cannot say")],
)
def test_what_a_format_cannot_say_is_refused(name, form, label, message):
    with pytest.raises(NotPublished, match=message):
        writer_of(Path(name), form).write(Sheet({"a": Column.of("a", [label])}), io.BytesIO())


@pytest.mark.parametrize(
    ("name", "form"), [("r.txt", None), ("r.csv", "parquet"), ("r.parquet", "arx"), ("r.csv", "x")]
)
def test_files_of_another_kind_are_refused(name, form):
    with pytest.raises(NotPublished, match=r"name it \.parquet"):
        writer_of(Path(name), form)


ENDINGS = (".parquet", "parquet", ".csv", "csv", ".csv", "arx")


@pytest.mark.parametrize(
    ("name", "form", "named"),
    [
        ("made/r.txt", None, ("'r.txt'", ".parquet", ".csv")),
        ("r.csv", "x", ("'r.csv'", "cannot", "as x", *ENDINGS)),
        ("r.pq", "csv", ("'r.pq'", "cannot", "as csv", *ENDINGS)),
        ("r.csv", ["csv"], ENDINGS),
    ],
)
def test_what_to_name_it_instead_is_said(name, form, named):
    with pytest.raises(NotPublished) as refused:
        writer_of(Path(name), form)
    assert mentions(refused.value, *named)


@pytest.mark.parametrize(
    ("name", "form", "written"),
    [
        ("r.PARQUET", None, "parquet"),
        ("r.pq", "parquet", "parquet"),
        ("r.Csv", None, "csv"),
        ("r.csv", "csv", "csv"),
        ("r.csv", "arx", "arx"),
    ],
)
def test_the_ending_says_the_format_unless_another_is_asked_for(name, form, written):
    assert writer_of(Path(name), form).name == written


def drawn(times):
    """Say how many bytes are asked for, and which rows come, where eight rows are shuffled at once."""
    asked = []

    def draw(length):
        asked.append(length)
        return np.random.default_rng(len(asked)).bytes(length)

    return asked, [batch.tolist() for batch in Sheet({}, np.array(times), draw).batches()]


def test_rows_are_shuffled_at_once_up_to_a_number_and_in_parts_above(monkeypatch):
    monkeypatch.setattr(sheets, "SHUFFLED_AT_ONCE", 8)
    assert drawn([0])[1] == []
    asked, (rows,) = drawn([3, 0, 5])
    assert (asked, sorted(rows)) == ([8 * 8], [0] * 3 + [2] * 5)  # 64 bits for each row
    for times, parts in (([9], 2), ([16], 2), ([17], 4), ([32], 4)):
        (many,) = times
        asked, batches = drawn(times)
        dealt = -(-many // 8)
        assert asked[:dealt] == [4 * 8] * (many // 8) + [4 * (many % 8)] * (many % 8 > 0)  # 32 bits say a row's part
        assert (len(asked[dealt:]), sum(asked[dealt:])) == (parts, 8 * many)
        assert sum(map(len, batches)) == many


def test_an_order_is_that_of_random_numbers_and_a_part_is_their_first_bits():
    keys = np.array([5, 2**63, 0, 5], np.uint64)
    assert draw_order(lambda _: keys.tobytes(), 4).tolist() == [2, 0, 3, 1]  # equal ones stand as they came
    halves = np.arange(100) % 2
    order = draw_order(lambda _: halves.astype(np.uint64).tobytes(), 100)
    assert order.tolist() == [*range(0, 100, 2), *range(1, 100, 2)]
    words = np.array([0, 2**30, 2**31, 2**32 - 1], np.uint32)
    assert draw_parts(lambda _: words.tobytes(), 4, 2).tolist() == [0, 1, 2, 3]
    assert draw_parts(lambda _: words.tobytes(), 4, 1).tolist() == [0, 0, 1, 1]
    assert draw_parts(lambda _: words.tobytes(), 4, 1).dtype == order.dtype == np.int64


def test_rows_that_are_dealt_wait_on_disk(monkeypatch):
    made = []

    class Kept(sheets.RowParts):
        def __init__(self, **sizes):
            super().__init__(**sizes)
            made.append((self, sizes))

    monkeypatch.setattr(sheets, "SHUFFLED_AT_ONCE", 8)
    monkeypatch.setattr(sheets, "RowParts", Kept)
    assert sum(map(len, drawn([17, 3])[1])) == 20
    ((parts, sizes),) = made
    assert sizes == {"parts": 4, "columns": 1, "rows": 20}
    assert parts.spilled == 8 * 20


def cells(sheet):
    """Give a sheet's rows as they stand."""
    columns = [
        [each.cell(row) for row in range(len(each))] if isinstance(each, Column) else each.tolist()
        for each in sheet.columns.values()
    ]
    return list(zip(*columns, strict=True))


def test_people_and_counts_are_printed_with_what_belongs_together():
    people = sheet_of_people(RELEASE, random_bytes(seed=1))
    assert list(people.columns) == ["sex", "value"]
    assert people.times is None
    assert Counter(cells(people)) == {("f", "Flu"): 2, ("f", "Cold"): 1, ("m", "Flu"): 1}
    assert all(isinstance(each, Column) for each in people.columns.values())
    counts = sheet_of_counts(RELEASE, random_bytes(seed=1), people="people", count="count")
    assert list(counts.columns) == ["sex", "people", "value", "count"]
    assert sorted(cells(counts)) == [("f", 3, "Cold", 1), ("f", 3, "Flu", 2), ("m", 1, "Flu", 1)]
    assert [each.name for each in counts.columns.values() if isinstance(each, Column)] == ["sex", "value"]


def test_people_are_dealt_only_where_they_are_more_than_are_shuffled_at_once(monkeypatch):
    monkeypatch.setattr(sheets, "SHUFFLED_AT_ONCE", 4)
    assert sheet_of_people(RELEASE, random_bytes(seed=1)).times is None
    monkeypatch.setattr(sheets, "SHUFFLED_AT_ONCE", 3)
    assert sheet_of_people(RELEASE, random_bytes(seed=1)).times.sum() == 4


def test_ends_of_intervals_stand_after_their_column_and_are_dealt_with_it():
    columns = {"age": Column.of("age", ["20-29", "30+"]), "n": np.array([7, 8]), "sex": Column.of("sex", ["f", "m"])}
    times, draw = np.array([2, 3]), random_bytes(seed=1)
    wide = add_bounds(Sheet(columns, times, draw))
    assert list(wide.columns) == ["age", "age_low", "age_high", "n", "sex"]
    assert cells(wide) == [("20-29", "20", "29", 7, "f"), ("30+", "30", None, 8, "m")]
    assert wide.times is times
    assert (wide.draw, len(wide)) == (draw, 5)
    taken = {"age": columns["age"], "Age_low": columns["sex"]}
    assert list(add_bounds(Sheet(taken)).columns) == ["age", "age_low 2", "age_high", "Age_low"]


def test_cells_that_are_carried_along_stay_with_their_person_and_suppressed_people_say_nothing():
    rows = pa.table({"age": [1, 1, 2, 3], "ward": ["a", "b", "c", "d"], "ill": ["Flu", "Cold", "Flu", "Gout"]})
    table = sl.read_table(rows, quasi="age", sensitive="ill", keep="ward")
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1}, {"Gout": 1}], labels=[{"age": "1"}, {"age": "*"}])
    ages = [table.quasi[0].cell(key) for key in range(len(table.quasi[0]))]
    group = np.array([{"1": 0, "2": -1, "3": 1}[age] for age in ages])  # who is 2 years old is left out
    sheets = [sheet_of_carried(release, table, group, random_bytes(seed=seed)) for seed in range(9)]
    assert list(sheets[0].columns) == ["age", "ill", "ward"]
    assert {frozenset(Counter(cells(sheet)).items()) for sheet in sheets} == {
        frozenset({(("1", "Flu", "a"), 1), (("1", "Cold", "b"), 1), (("*", "Gout", None), 1)})
    }
    assert len({tuple(cells(sheet)) for sheet in sheets}) > 1


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([], "text"),
        ([None], "text"),
        (["0", "-5", None], "whole number"),
        (["9" * 18], "whole number"),
        (["9" * 19], "text"),  # no 64 bits hold it, nor does a float
        (["1", "01"], "text"),
        (["5", "5.5"], "number"),
        (["5.50"], "text"),
        (["1e5"], "text"),
        (["5.5", "x"], "text"),
        (["2024-03-09", None, "2024-03-10"], "day"),
        (["2024-03-09", "5"], "text"),
        (["2024-03-09", "never"], "text"),
        (["20-29"], "text"),
    ],
)
def test_cells_are_stored_by_their_kind_only_if_they_say_the_same(texts, kind):
    column = Column.of("c", texts)
    assert kind_of_cells(column) == kind
    unused = Column("c", (*column.labels, "nobody's"), column.codes)  # what nobody has decides nothing
    assert kind_of_cells(unused) == kind
    for declared in ("category", "ordered"):
        assert kind_of_cells(Column("c", column.labels, column.codes, declared)) == "text"


def test_labels_that_nobody_has_are_not_written_nor_in_the_way():
    sheet = Sheet({"age": Column("age", ("x", "34", None), np.array([1, 2, 1], np.int32))})
    binary = io.BytesIO()
    WRITERS["parquet"].write(sheet, binary)
    assert pq.read_table(binary).to_pydict() == {"age": [34, None, 34]}
    WRITERS["csv"].write(Sheet({"a": Column("a", ("", "b"), np.array([1], np.int32))}), io.BytesIO())


def test_parquet_is_packed_has_checksums_and_tells_no_schema_of_ours():
    binary = io.BytesIO()
    sheet = Sheet({"day": Column.of("day", ["2024-03-09"] * 9), "share": np.full(9, 0.5)})
    WRITERS["parquet"].write(sheet, binary)
    file = pq.ParquetFile(binary)
    assert [str(kind) for kind in file.schema_arrow.types] == ["date32[day]", "double"]
    assert file.schema_arrow.metadata is None
    assert file.metadata.metadata is None
    part = file.metadata.row_group(0)
    assert {part.column(place).compression for place in range(2)} == {"ZSTD"}
    changed = bytearray(binary.getvalue())
    days = part.column(0)
    begins = days.data_page_offset if days.dictionary_page_offset is None else days.dictionary_page_offset
    changed[begins + days.total_compressed_size - 1] ^= 1  # the last byte of its last page
    with pytest.raises(OSError, match=r"(?i)checksum|crc"):
        pq.read_table(io.BytesIO(bytes(changed)), page_checksum_verification=True)


@pytest.mark.parametrize("rows_at_once", [1, 2, 3, 100])
@pytest.mark.parametrize("lines_at_once", [1, 2, 100])
def test_rows_are_written_once_each_however_many_at_a_time(monkeypatch, rows_at_once, lines_at_once):
    monkeypatch.setattr(sheets, "ROWS_PER_BATCH", rows_at_once)
    monkeypatch.setattr(sheets, "LINES_AT_ONCE", lines_at_once)
    sheet = Sheet({"a": Column.of("a", list("vwxyz"))})
    text, binary = io.BytesIO(), io.BytesIO()
    WRITERS["csv"].write(sheet, text)
    assert text.getvalue() == b"a\nv\nw\nx\ny\nz\n"
    WRITERS["parquet"].write(sheet, binary)
    assert pq.read_table(binary).to_pydict() == {"a": list("vwxyz")}
    assert all(len(range(5)[rows]) <= rows_at_once for rows in sheet.batches())
    blocks = [each for rows in (slice(1, 4), np.array([7, 8, 9])) for each in sheets._few_rows(rows)]
    assert [len(range(10)[each]) if isinstance(each, slice) else len(each) for each in blocks] == 2 * (
        [1, 1, 1] if lines_at_once == 1 else [2, 1] if lines_at_once == 2 else [3]
    )


@pytest.mark.parametrize(
    ("label", "cell"),
    [
        (None, ""),
        ("a b", "a b"),
        ("X", "X"),
        ("a,b", '"a,b"'),
        ("a;b", '"a;b"'),
        ("a|b", '"a|b"'),
        ('a"b', '"a""b"'),
        ("a\tb", '"a\tb"'),
        ("a\rb", '"a\rb"'),
        ("a\nb", '"a\nb"'),
        (" a", '" a"'),
        ("a ", '"a "'),
        ("=a,b", '"\'=a,b"'),
        ("-5", "-5"),
    ],
)
def test_csv_is_quoted_where_a_reader_could_take_it_for_something_else(label, cell):
    file = io.BytesIO()
    WRITERS["csv"].write(Sheet({"=n": Column.of("=n", [label]), "k": np.array([0.5])}), file)
    assert file.getvalue().decode() == f"'=n,k\n{cell},0.5\n"


def test_files_for_arx_have_semicolons_and_texts_as_they_are():
    file = io.BytesIO()
    WRITERS["arx"].write(Sheet({"=n": Column.of("=n", ["=1,2", None, " X"]), "k": np.array([1, 2, 3])}), file)
    assert file.getvalue() == b"=n;k\n=1,2;1\n;2\n X;3\n"


@pytest.mark.parametrize("sign", [";", '"', "\r", "\n"])
def test_what_files_for_arx_cannot_say_is_named_on_one_line(sign):
    with pytest.raises(NotPublished) as refused:
        WRITERS["arx"].write(Sheet({"n": Column.of("n", [f"a {sign}  b"])}), io.BytesIO())
    line = " ".join(f"a {sign} b".split())
    assert mentions(refused.value, f"'{line}'", "ARX", "cannot", "publish as csv")
    assert len(str(refused.value).splitlines()) == 1


def test_empty_texts_are_refused_by_name():
    with pytest.raises(NotPublished) as refused:
        WRITERS["csv"].write(Sheet({"a": Column.of("a", ["x", ""])}), io.BytesIO())
    assert mentions(refused.value, "'a'", "empty text", "CSV", "missing", "publish as .parquet")


@pytest.mark.parametrize(("start", "length", "letters"), [(0, 1, b"a"), (1, 1, b"bc"), (1, 2, b"bcd"), (0, 3, b"abcd")])
def test_texts_that_are_some_of_others_are_written_alone(start, length, letters):
    assert bytes(sheets._bytes_of(pa.array(["a", "bc", "d"]).slice(start, length))) == letters


def test_a_file_is_written_whole(tmp_path):
    WRITERS["csv"].write_to(tmp_path / "r.csv", Sheet({"a": Column.of("a", ["x"])}))
    assert (tmp_path / "r.csv").read_bytes() == b"a\nx\n"
