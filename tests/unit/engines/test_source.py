"""Cells that say one of some texts are found by their labels, in the engine that holds them."""

import datetime as dt

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from sidelight.engines.source import (
    Source,
    TextRows,
    arrow_integers,
    collect,
    encode,
    is_any_of,
    numpy_integers,
    packing_of,
    python_cells,
)
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
