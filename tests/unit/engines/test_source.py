"""Cells that say one of some texts are found by their labels, in the engine that holds them."""

import datetime as dt

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.engines.files import sure_columns_of
from sidelight.engines.source import (
    Heading,
    Source,
    TextRows,
    arrow_integers,
    collect,
    encode,
    is_any_of,
    numpy_integers,
    packing_of,
    python_cells,
    unused_columns,
)
from sidelight.errors import BadTable, SidelightError, UnknownColumn
from sidelight.table.roles import Roles


@pytest.mark.parametrize(
    ("cells", "texts", "which"),
    [
        (["a", "?", None], {"?"}, [False, True, False]),
        ([1, -9, 9], {"-9", "x"}, [False, True, False]),
        ([1.5, -9.0, None], {"-9"}, [False, True, False]),
        ([True, False, None], {"false"}, [False, True, False]),
        ([dt.date(1900, 1, 1), dt.date(2020, 1, 2)], {"1900-01-01"}, [True, False]),
    ],
)
def test_cells_are_found_by_what_they_say(cells, texts, which):
    frame = nw.from_native(pl.LazyFrame({"cell": cells}))
    assert frame.select(is_any_of(frame, "cell", texts)).collect().to_native().to_series().to_list() == which


@pytest.mark.parametrize("cells", [[1, 2], [1.5], [dt.date(2020, 1, 1)]])
def test_a_text_that_no_such_cell_can_say_needs_no_question(cells):
    frame = nw.from_native(pl.LazyFrame({"cell": cells}))
    assert is_any_of(frame, "cell", {"?"}) is None


def test_labels_are_encoded_by_their_place_and_marks_are_missing():
    roles = Roles(("q",), "s", missing_marks=("?",))
    column = pa.array(["b", "?", None, "a"])
    assert encode(column, roles, ("a", "b", None)).tolist() == [1, 2, 2, 0]
    assert packing_of([column, pa.array(["x", "y", "y", "x"])], roles).labels == (("a", "b", None), ("x", "y"))


def test_declared_values_come_first_as_declared():
    roles = Roles(("q",), "s", domain=("z", "a"))
    assert packing_of([pa.array(["1"]), pa.array(["b", "a"])], roles).labels[-1] == ("z", "a", "b")


def test_rows_of_an_engine_become_packed_keys():
    roles = Roles(("q0",), "value", suppressed="leave out", missing="drop")
    frame = nw.from_native(pl.LazyFrame({"q0": ["b", "a", "*"], "value": ["x", "y", None]}))
    rows = TextRows(frame, roles, Source("here", ()))
    answer = collect(frame)
    packing = rows.packing(answer)
    (words,) = rows.words(answer, packing, rows.key_and_value)
    assert [codes.tolist() for codes in packing.unpack([words])] == [[2, 1, 0], [0, 1, 2]]
    assert len(rows.exclusions()) == 2


def test_integers_pass_through_arrow_unchanged():
    numbers = np.array([3, -1, 2**62])
    assert numpy_integers(pa.chunked_array([arrow_integers(numbers)])).tolist() == numbers.tolist()


def test_nanoseconds_are_kept():
    assert python_cells(pa.array([1_000_000_001, None], pa.timestamp("ns"))) == ["1970-01-01 00:00:01.000000001", None]


WORDS = ["Smith", "Ann", "Springfield", "Flu", "HIV", "married", "Elm Street", "nurse", "cold", "retired"]
"""What cells of rows say; each ends a file without a line of names."""

LINE_ENDS = ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\\n", "\\r\\n"]


@examples(60)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=5, unique=True), min_size=2, max_size=30),
    st.sampled_from(["sex", "Elm", "smith", "anne", "flu"]),
)
def test_the_first_row_of_a_file_without_names_is_never_told(rows, asked):
    names, *below = [row[:3] for row in rows]
    heading = Heading(tuple(names), lambda: below)
    message = heading.name_nearest(asked)
    assert not heading.is_sure()
    assert not any(cell in message for cell in names)
    assert "3 columns" in message or heading.is_row()


@pytest.mark.parametrize("end", LINE_ENDS)
@pytest.mark.parametrize("asked", [["sex", "disease"], ["sex", "diseas"], ["nothing", "disease"]])
def test_rows_behind_an_odd_line_end_are_never_told(tmp_path, end, asked):
    lines = ["name,sex,disease", "Anna,f,Flu", "Bert,m,Gout"]
    for name, text in {"a.csv": end.join(lines), "b.csv": f"{end.join(lines)}\nCarl,m,Cold,x,y,z,q\n"}.items():
        (tmp_path / name).write_text(text, newline="")
        with pytest.raises(SidelightError) as caught:
            sl.read_table(tmp_path / name, quasi=asked[0], sensitive=asked[1])
        assert not any(cell in str(caught.value) for cell in ("Anna", "Bert", "Flu", "Gout", "Carl"))


@pytest.mark.parametrize(
    ("names", "cells", "sure"),
    [
        (["zip", "sex", "ward"], ["1", "f", "a"], True),  # two are called as columns are
        (["ward", "x", "y"], ["a", "3", "u"], True),  # numbers all the way down
        (["ward", "NA", "y"], ["a", "3", "u"], False),  # which a missing one may begin
        (["ward", "B12", "y"], ["a", "3", "u"], False),
        (["ward", "x", "y"], ["a", "b", "c"], False),
        (["Elm Street", "age of Ann", "y"], ["a", "b", "c"], False),
        (["sex"], ["f"], True),
        (["zip", "sex", "sex"], ["1", "f", "a"], False),
    ],
)
def test_what_makes_names_sure(names, cells, sure):
    assert Heading(tuple(names), lambda: [cells] * 9).is_sure() is sure


def test_types_and_names_that_somebody_meant_make_names_sure():
    assert Heading(("ward", "x"), numbers={"x"}).is_sure()
    assert Heading(("ward", "x")).is_sure(meant=["x"])
    assert not Heading(("ward", "x")).is_sure()


def test_datasets_tell_their_names(tmp_path):
    for data in (sl.datasets.adult(), sl.datasets.nhefs()):
        assert len(sure_columns_of(data.path)) > 5
    pl.read_parquet(sl.datasets.adult().path).head(50).write_csv(tmp_path / "adult.csv")
    assert sure_columns_of(tmp_path / "adult.csv") == sure_columns_of(sl.datasets.adult().path)


def test_columns_that_are_used_must_be_there_once_and_the_rest_are_named():
    roles = Roles(("age",), "disease", "id")
    assert roles.used == {"q0": "age", "value": "disease", "person": "id"}
    assert unused_columns(roles, Heading(("zip", "id", "age", "disease")), "here") == ("zip",)
    with pytest.raises(UnknownColumn, match=r"'age'.*here.*'aeg'"):
        unused_columns(roles, Heading(("aeg", "disease", "id")), "here")
    with pytest.raises(BadTable, match=r"two columns.*here.*'id'"):
        unused_columns(roles, Heading(("age", "disease", "id", "id")), "here")


def test_a_first_row_is_not_shown_as_names():
    with pytest.raises(UnknownColumn, match=r"first line.*not shown") as caught:
        unused_columns(Roles(("age",), "disease"), Heading(("34", "Flu")), "here")
    assert "Flu" not in str(caught.value)
