"""What a cell says does not depend on how it is stored."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadTable, UnknownColumn, WrongKind
from sidelight.table.labels import (
    BLANKS,
    as_day,
    as_number,
    day_text,
    hint_label,
    in_order,
    kind_of_labels,
    label,
    listed,
)
from sidelight.table.roles import Roles, as_kinds, check_labels, read_kinds


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([True, np.True_], "true"),
        ([5, 5.0, "5", np.int8(5), np.float32(5), np.str_("5"), Decimal("5.00")], "5"),
        ([5.5, np.float64(5.5), Decimal("5.50")], "5.5"),
        ([dt.date(2020, 1, 2), dt.datetime(2020, 1, 2), pd.Timestamp("2020-01-02"), np.datetime64("2020-01-02")], "2020-01-02"),
        ([pd.Timestamp(1), np.datetime64(1, "ns")], "1970-01-01 00:00:00.000000001"),
        ([pd.Timestamp(1, tz="Asia/Tokyo")], "1970-01-01 00:00:00.000000001+00:00"),
        ([dt.timedelta(1), pd.Timedelta(days=1), np.timedelta64(24, "h")], "1 day, 0:00:00"),
        ([pd.Timedelta(-1, "ns"), np.timedelta64(-1, "ns")], "-1 day, 23:59:59.999999999"),
        ([dt.time(7)], "07:00:00"),
        ([None, float("nan"), np.float32("nan"), np.datetime64("NaT"), pd.NaT, pd.NA, Decimal("nan")], None),
    ],
)  # fmt: skip
def test_a_label_does_not_depend_on_who_made_the_cell(cells, text):
    assert {label(cell) for cell in cells} == {text}


@given(st.lists(st.none() | st.integers(-99, 99).map(str) | st.sampled_from(["b", "1e2", "nan"]), max_size=8))
def test_labels_are_ordered_as_numbers_where_all_are_and_missing_last(labels):
    ordered = in_order(labels)
    assert set(ordered) == set(labels)
    assert len(ordered) == len(set(labels))
    assert None not in ordered[:-1]
    present = [text for text in ordered if text is not None]
    numbers = [as_number(text) for text in present]
    assert present == sorted(present) if None in numbers else numbers == sorted(numbers)


@given(st.dates())
def test_a_day_is_its_number_and_back(day):
    assert day_text(as_day(label(day))) == label(day)


@pytest.mark.parametrize("text", [None, "", "2024-02-30", "2024-1-1", "1984-03", "x"])
def test_what_is_no_day(text):
    assert as_day(text) is None


@pytest.mark.parametrize("text", [None, "", "1_000", "nan", "inf", "20-29"])
def test_what_is_no_number(text):
    assert as_number(text) is None


def test_labels_in_messages_are_short():
    assert hint_label("a story " * 20).endswith("…")
    assert len(hint_label("a story " * 20)) == 30
    assert listed(["a", None, "b"], most=2) == "a, (missing), … and 1 more"


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["17", "90", None], "number"),
        (["-1.5", "1e3", "1.5E-05"], "number"),
        (["1984", "1990"], "number"),  # years
        (["1984-03-09", None], "date"),
        (["1984-03-09", "1984"], "category"),
        (["00734", "81667"], "category"),  # codes with zeros in front
        (["0", "0.5"], "number"),
        (["0", "1", None], "category"),  # no and yes
        (["1"], "category"),
        (["1", "2"], "category"),  # sexes, regions
        (["9", "10"], "number"),
        (["250", "V45"], "category"),  # ICD-9
        (["1E50", "2E65"], "category"),  # ICD-11, and no exponents
        (["+49", "+1"], "category"),  # telephone prefixes
        (["true", "false"], "category"),
        (["5", "*"], "category"),
        ([None], "category"),
        ([], "category"),
    ],
)
def test_labels_say_what_a_column_is(labels, kind):
    assert kind_of_labels(labels) == kind


def read(column, **kinds):
    frame = column if not isinstance(column, list) else pa.table({"x": column})
    size = len(frame["x"])
    if isinstance(frame, pa.Table):
        frame = frame.append_column("disease", pa.array(["Flu"] * size))
    elif isinstance(frame, pl.DataFrame):
        frame = frame.with_columns(disease=pl.lit("Flu"))
    else:
        frame = frame.assign(disease="Flu")
    return sl.read_table(frame, quasi="x", sensitive="disease", kinds=kinds).column("x")


@pytest.mark.parametrize("library", [lambda cells: pa.table({"x": cells}), lambda cells: pd.DataFrame({"x": cells})])
def test_text_is_a_category_but_for_days_and_whole_numbers_are_judged_later(library):
    assert read(library(["1", "2", "3"])).kind == "category"
    assert read(library([1, 2, 3])).kind is None
    assert read(library(["1984-03-09", "1990-11-30"])).kind is None
    assert read(library(["1", "2", "3"]), x="number").kind == "number"


def test_text_that_marks_of_missing_cells_made_text_is_judged_by_its_labels():
    rows = pa.table({"age": ["30", "?", "41"], "disease": ["Flu"] * 3})
    table = sl.read_table(rows, quasi="age", sensitive="disease", missing_marks="?")
    assert table.column("age").kind is None


def test_a_csv_file_has_no_types(tmp_path):
    (tmp_path / "people.csv").write_text("age,zip,disease\n30,00734,Flu\n41,10115,Flu\n")
    table = sl.read_table(tmp_path / "people.csv", quasi=["age", "zip"], sensitive="disease")
    assert [column.kind for column in table.quasi] == [None, None]
    found = sl.protect(table, sl.GroupSize() >= 2, method="mondrian", ask="nobody")
    assert found.kinds == {"age": "number", "zip": "category"}


def test_a_parquet_file_has_types(tmp_path):
    rows = pa.table(
        {"zip": ["10115", "81667"], "code": pa.array(["7", "8"]).dictionary_encode(), "disease": ["Flu"] * 2}
    )
    pq.write_table(rows, tmp_path / "people.parquet")
    table = sl.read_table(tmp_path / "people.parquet", quasi=["zip", "code"], sensitive="disease")
    assert [column.kind for column in table.quasi] == ["category", "category"]


ORDERED = {
    "pandas": pd.DataFrame({"x": pd.Categorical(["b", "a"], categories=["c", "b", "a"], ordered=True)}),
    "pandas, whole numbers": pd.DataFrame({"x": pd.Categorical([2, 1], categories=[3, 2, 1], ordered=True)}),
    "polars": pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"]))}),
    "pyarrow": pa.table(
        {"x": pa.DictionaryArray.from_arrays(pa.array([1, 2]), pa.array(["c", "b", "a"]), ordered=True)}
    ),
}


@pytest.mark.parametrize("name", ORDERED)
@pytest.mark.parametrize("kinds", [{}, {"x": "ordered"}])
def test_ordered_categoricals_stand_in_their_order(name, kinds):
    column = read(ORDERED[name], **kinds)
    assert (column.kind, column.labels) == ("ordered", ("2", "1") if "numbers" in name else ("b", "a"))


@pytest.mark.parametrize("name", ORDERED)
def test_what_is_declared_has_the_last_word_over_the_type(name):
    assert read(ORDERED[name], x="category").kind == "category"
    labels = ["1", "2"] if "numbers" in name else ["a", "b"]
    assert read(ORDERED[name], x=labels).labels == tuple(labels)


def test_categoricals_are_categories_also_of_whole_numbers():
    assert read(pd.DataFrame({"x": pd.Categorical([2, 1])})).kind == "category"
    assert read(pl.DataFrame({"x": pl.Series(["2", "1"], dtype=pl.Categorical)})).kind == "category"
    assert read(pa.table({"x": pa.array([2, 1]).dictionary_encode()})).kind == "category"


def test_an_order_may_be_listed():
    column = read(["small", "large", None, "medium"], x=["small", "medium", "large", "huge"])
    assert (column.kind, column.labels) == ("ordered", ("small", "medium", "large", None))
    with pytest.raises(BadTable, match=r"'large'.*'x'.*not in the order.*kinds="):
        read(["small", "large"], x=["small", "medium"])


def test_a_kind_that_labels_cannot_have_is_refused():
    with pytest.raises(BadTable, match=r"'x' is no number.*\b1 of 2\b.*\bV45\b.*kinds="):
        read(["250", "V45"], x="number")
    with pytest.raises(BadTable, match="column 'x' is no date"):
        read(["250", "251"], x="date")
    with pytest.raises(BadTable, match=r"'x'.*text.*no order.*list its labels"):
        read(["small", "large"], x="ordered")
    check_labels("x", "ordered", ["007", "010"])
    check_labels("x", "ordered", ["1984-03-09"])


def test_kinds_of_columns_that_are_not_there_or_make_no_sense_are_refused():
    with pytest.raises(UnknownColumn, match=r"'y'.*kinds="):
        read([1, 2], y="category")
    with pytest.raises(BadTable, match=r"'categories'.*'x'.*'category'"):
        read([1, 2], x="categories")
    with pytest.raises(WrongKind, match=r"kinds=.*mapping.*not a list"):
        as_kinds(["region"])
    for order in (["a"], ["a", "a"], 5):
        with pytest.raises(BadTable, match=r"'x'.*no order"):
            as_kinds({"x": order})
    read([1, 2], disease="category")  # a column that is there, and not printed as anything else


@pytest.mark.parametrize("text", ["region", "=category", "region="])
def test_what_is_no_kind_on_the_command_line(text):
    with pytest.raises(BadTable, match=rf"'{text}'.*no kind of.*column"):
        read_kinds([text])


def test_a_kind_is_said_once_on_the_command_line():
    with pytest.raises(BadTable, match=r"two kinds.*'region'"):
        read_kinds(["region=category", "region=number"])


def test_options_have_the_last_word_column_by_column():
    file, options = (Roles(kinds=as_kinds(kinds)) for kinds in ({"a": "number", "b": "date"}, {"b": "category"}))
    assert dict(file.update(options).kinds) == {"a": "number", "b": "category"}


def test_blanks_are_what_python_strips():
    assert "".join(character for character in map(chr, range(0x110000)) if not character.strip()) == BLANKS
