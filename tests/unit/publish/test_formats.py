"""What stands in a published file: cells that mean the same when they are read, in an order that tells nothing."""

import io
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import NotPublished
from sidelight.publish import formats
from sidelight.publish.formats import (
    FORMATS,
    FORMULA_STARTS,
    DealtRows,
    Sheet,
    escape_formula,
    format_of,
    sheet_of_counts,
    sheet_of_people,
    shuffler,
    unescape_formula,
)
from sidelight.table.table import Column

ODD = ("=1+1", "-5", "-", "-5-0", "+", "@SUM(A1)", "'=1", "''", "\ttab", "line\nbreak", "＝1", "1e5", "00734", "")
RELEASE = sl.Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 1}], labels=[{"sex": "f"}, {"sex": "m"}])


@given(st.text(st.sampled_from([*FORMULA_STARTS, "'", "1", "a"]), max_size=5) | st.sampled_from(ODD))
def test_no_text_is_run_by_a_spreadsheet_and_none_is_changed(label):
    assert unescape_formula(escape_formula(label)) == label
    cell = escape_formula(label)
    if len(cell) > 1 and cell[0] in FORMULA_STARTS:
        float(cell)  # a number is a number


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda each: type(each).__name__)
@given(st.text())
def test_what_is_written_means_what_it_meant(form, label):
    assert form.decode(form.encode(label)) == label


def test_a_row_per_person_or_per_count():
    people = sheet_of_people(RELEASE, shuffler(seed=1))
    assert len(people) == 4
    counts = sheet_of_counts(RELEASE, shuffler(seed=1), people="people", count="count")
    assert sorted(zip(counts.columns["people"].tolist(), counts.columns["count"].tolist(), strict=True)) == [
        (1, 1),
        (3, 1),
        (3, 2),
    ]


def test_a_group_in_which_nobody_has_a_value_has_a_row_of_its_own():
    visits = sl.Release.from_counts([{"Flu": 2}, {}], sizes=[2, 3], values="set", domain=["Flu"])
    counts = sheet_of_counts(visits, shuffler(seed=1), people="people", count="count")
    rows = zip(counts.columns["people"].tolist(), counts.columns["count"].tolist(), strict=True)
    assert sorted(rows) == [(2, 2), (3, 0)]


def test_people_of_a_large_release_are_dealt_in_parts(monkeypatch):
    monkeypatch.setattr(formats, "SHUFFLED_AT_ONCE", 8)
    monkeypatch.setattr(formats, "ROWS_AT_ONCE", 3)
    release = sl.Release.from_counts([{"Flu": 30, "Cold": 1}, {"Cold": 40}], labels=[{"age": "a"}, {"age": "b"}])
    files = []
    for _ in range(2):
        sheet = sheet_of_people(release, shuffler(seed=1))
        files.append(io.BytesIO())
        FORMATS["csv"].write(sheet, files[-1])
        assert len(sheet) == 71
    rows = files[0].getvalue().decode().splitlines()[1:]
    assert sorted(rows) == ["a,Cold"] + 30 * ["a,Flu"] + 40 * ["b,Cold"]
    assert rows != sorted(rows)
    assert files[0].getvalue() == files[1].getvalue()
    assert all(len(batch) <= 3 for batch in sheet.batches())


def test_every_order_is_as_likely_as_any_other(monkeypatch):
    monkeypatch.setattr(formats, "SHUFFLED_AT_ONCE", 1)
    shuffle = shuffler(seed=5)
    draws = 600
    orders = Counter(
        tuple(np.concatenate(list(DealtRows(np.ones(3, np.int64), shuffle).batches())).tolist()) for _ in range(draws)
    )
    # χ² with 5 degrees of freedom is above 26 once in ten thousand times
    assert len(orders) == 6
    assert sum((many - draws / 6) ** 2 / (draws / 6) for many in orders.values()) < 26


def test_an_order_of_the_operating_system_is_not_that_of_the_input():
    order = shuffler()(1000)
    assert sorted(order.tolist()) == list(range(1000))
    assert not np.array_equal(order, shuffler()(1000))


def test_parquet_keeps_texts_and_numbers_and_csv_is_quoted_where_it_must_be():
    sheet = Sheet({"a": Column.of("a", ["x,y", None, "=1"]), "n": np.array([1, 2, 3])})
    text, binary = io.BytesIO(), io.BytesIO()
    FORMATS["csv"].write(sheet, text)
    FORMATS["parquet"].write(sheet, binary)
    assert text.getvalue().decode() == 'a,n\n"x,y",1\n,2\n\'=1,3\n'
    assert pq.read_table(io.BytesIO(binary.getvalue())).to_pydict() == {"a": ["x,y", None, "=1"], "n": [1, 2, 3]}


@pytest.mark.parametrize(
    ("name", "form", "label", "message"),
    [("r.csv", None, "", "empty text, which CSV cannot tell"), ("r.csv", "arx", "a;b", "ARX's files cannot say")],
)
def test_what_a_format_cannot_say_is_refused(name, form, label, message):
    with pytest.raises(NotPublished, match=message):
        format_of(Path(name), form).write(Sheet({"a": Column.of("a", [label])}), io.BytesIO())


@pytest.mark.parametrize(
    ("name", "form"), [("r.txt", None), ("r.csv", "parquet"), ("r.parquet", "arx"), ("r.csv", "x")]
)
def test_files_of_another_kind_are_refused(name, form):
    with pytest.raises(NotPublished, match=r"name it \.parquet"):
        format_of(Path(name), form)
