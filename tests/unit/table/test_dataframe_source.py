"""Marks are found before anything is counted, whoever holds the rows and however they are stored."""

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.errors import BadTable, UnknownColumn, WrongKind


def sizes(source, **given):
    table = sl.read_table(source, **({"quasi": "q", "sensitive": "s"} | given))
    return dict(zip(table.quasi[0].labels, table.sizes.tolist(), strict=True))


def held_by_all(table):
    """Give the same Arrow table as everybody holds it."""
    con = duckdb.connect()
    con.register("mine", table)
    polars = pl.from_arrow(table)
    arrow = table.to_pandas(types_mapper=pd.ArrowDtype)
    return (table, table.to_pandas(), arrow, polars, polars.lazy(), con.table("mine"))


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        ([dt.date(2020, 1, 1), dt.date(1900, 1, 1), None, dt.date(2020, 1, 2)], "1900-01-01"),
        ([True, False, None, True], "false"),
        ([dt.timedelta(1), dt.timedelta(9), None, dt.timedelta(1)], "9 days, 0:00:00"),
        ([Decimal("1.50"), Decimal("-9.00"), None, Decimal("1.50")], -9),
        ([dt.time(7), dt.time(0), None, dt.time(7)], dt.time(0)),
        ([dt.datetime(2020, 1, 1, 1), dt.datetime(1900, 1, 1), None, dt.datetime(2020, 1, 2)], dt.date(1900, 1, 1)),
    ],
)
def test_people_whose_values_are_marked_do_not_count(cells, mark):
    table = pa.table({"q": ["a", "a", "a", "b"], "s": cells, "p": [1, 2, 3, 4]})
    for source in held_by_all(table):
        for values in ("set", "multiset"):
            kept = {"person": "p", "values": values, "missing": "drop", "missing_marks": [mark]}
            assert sizes(source, **kept) == {"a": 1, "b": 1}


def test_two_ways_of_missing_are_one_value_of_a_person():
    table = pa.table({"q": ["a", "a"], "s": [dt.date(1900, 1, 1), None], "p": [1, 1]})
    for source in held_by_all(table):
        roles = {"person": "p", "values": "set", "missing": "a value", "missing_marks": ["1900-01-01"]}
        read = sl.read_table(source, quasi="q", sensitive="s", **roles)
        assert read.counts.dense().tolist() == [[1]]
        assert read.intake.repeats == 1


def test_a_mark_does_not_swallow_the_numbers_beside_it():
    near = pa.table({"q": [2**53, 2**53 + 1, 5, 5], "s": list("wxyz"), "p": [2**53 + 1, 2**53 + 2, 3, 4]})
    for source in held_by_all(near):
        assert sizes(source, missing_marks=[2**53]) == {"5": 2, str(2**53 + 1): 1, None: 1}
        assert (
            sum(sizes(source, quasi="s", sensitive="q", person="p", missing_marks=[2**53 + 3], missing="drop").values())
            == 4
        )
        with pytest.raises(BadTable, match="1 rows have no 'p'"):
            sizes(source, person="p", missing_marks=[2**53 + 1])


def test_marks_of_numbers_too_large_for_arrow():
    huge = pl.DataFrame({"q": [1, 2**100], "s": ["x", "y"]}, schema={"q": pl.Int128, "s": pl.String})
    assert sizes(huge, missing_marks=[1]) == {str(2**100): 1, None: 1}
    assert sizes(duckdb.sql("SELECT (2**70)::HUGEINT + i AS q, i AS s FROM range(2) r(i)")) == {
        str(2**70): 1,
        str(2**70 + 1): 1,
    }


def test_marks_among_declared_categories():
    named = {"q": ["a", "?", "?"], "s": ["x"] * 3, "p": [1, 2, 3]}
    enum = pl.DataFrame(named, schema_overrides={"q": pl.Enum(["?", "a"])})
    ordered = pd.DataFrame(named | {"q": pd.Categorical(named["q"], ["?", "a"], ordered=True)})
    numbers = pd.DataFrame(named | {"q": pd.Categorical([7, -9, -9], [-9, 7], ordered=True)})
    for source in (enum, enum.lazy(), ordered, numbers):
        roles = {"quasi": "s", "sensitive": "q", "person": "p", "values": "set", "missing": "drop"}
        assert sizes(source, **roles, missing_marks=["?", "-9"]) == {"x": 1}


@pytest.mark.parametrize("stored", [pa.timestamp("ns"), pa.timestamp("ns", "Asia/Tokyo"), pa.time64("ns")], ids=str)
def test_nanoseconds_are_told_apart(stored, tmp_path):
    table = pa.table({"q": pa.array([0, 1, 999, 1000], pa.int64()).cast(stored), "s": ["x"] * 4})
    pq.write_table(table, tmp_path / "a.parquet")
    arrow = table.to_pandas(types_mapper=pd.ArrowDtype)
    expected = sizes(table)
    assert len(expected) == 4
    for source in (arrow, pl.from_arrow(table), pl.from_arrow(table).lazy()):
        assert sizes(source) == expected
    if duckdb.__version__.startswith("1.") and stored == pa.timestamp("ns", "Asia/Tokyo"):
        with pytest.raises(BadTable, match="store it as text, or give a dataframe"):
            sizes(tmp_path / "a.parquet")
    else:
        assert sizes(tmp_path / "a.parquet") == expected


def test_durations_are_told_alike(tmp_path):
    table = pa.table({"q": [dt.timedelta(1), dt.timedelta(1), dt.timedelta(hours=36)], "s": ["x", "y", "z"]})
    for source in held_by_all(table):
        assert sizes(source) == {"1 day, 0:00:00": 2, "1 day, 12:00:00": 1}
        assert sl.read_release(source, group="q", sensitive="s", suppressed="leave out").size == 3
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(BadTable, match=r"column 'q' of a.parquet holds duration\[us\] cells; store it as text"):
        sizes(tmp_path / "a.parquet")
    fine = pa.table({"q": pa.array([0, 1], pa.duration("ns")), "s": ["x", "y"]})
    assert sizes(fine) == sizes(fine.to_pandas()) == {"0:00:00": 1, "0:00:00.000000001": 1}
    halves = duckdb.sql("SELECT unnest([INTERVAL 1 DAY, INTERVAL 24 HOURS]) AS q, 'x' AS s")
    assert sizes(halves) == {"1 day, 0:00:00": 2}


def test_arrow_dictionaries_in_pandas():
    table = pa.table({"q": pa.array(["b", "a"]).dictionary_encode(), "s": pa.array([7, None]).dictionary_encode()})
    frame = table.to_pandas(types_mapper=pd.ArrowDtype).set_axis([3, 3])
    assert sizes(frame, missing="a value") == {"a": 1, "b": 1}
    assert sizes(frame, missing="drop", missing_marks=["b"]) == {None: 1}


def test_objects_periods_and_stretches_in_pandas():
    objects = pd.Series([np.True_, True, np.float32(5), 5, pd.NA, None], dtype=object)
    assert sizes(pd.DataFrame({"q": objects, "s": "x"})) == {"5": 2, "true": 2, None: 2}
    assert sizes(pd.DataFrame({"q": pd.period_range("2020-01", periods=2, freq="M"), "s": "x"})) == {
        "2020-01": 1,
        "2020-02": 1,
    }
    assert sizes(pd.DataFrame({"q": pd.cut([1, 2, 9], [0, 5, 10]), "s": "x"})) == {"(0, 5]": 2, "(5, 10]": 1}


SLOW = """
import sys, duckdb, sidelight as sl
rows = duckdb.sql("SELECT hash(i)::VARCHAR AS a, i % 5 AS c FROM range(4_000_000) r(i)")
print("ready", flush=True)
try:
    sl.read_table(rows, quasi="a", sensitive="c")
except KeyboardInterrupt:
    sys.exit(42)
sys.exit(7)
"""


def test_ctrl_c_reaches_the_users_own_relation(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", SLOW], cwd=tmp_path, env={**os.environ}, stdout=subprocess.PIPE, text=True
    ) as busy:
        assert busy.stdout.readline() == "ready\n"
        time.sleep(0.5)
        busy.send_signal(signal.SIGINT)
        assert busy.wait(timeout=60) == 42


def test_bytes_are_text_or_refused():
    for source in held_by_all(pa.table({"q": ["é".encode(), b"?", b"?"], "s": ["x"] * 3})):
        assert sizes(source, missing_marks=["?"]) == {"é": 1, None: 2}
    for source in held_by_all(pa.table({"q": [b"\xff", b"\xfe"], "s": ["x"] * 2})):
        with pytest.raises(BadTable, match="a cell holds bytes that are not UTF-8 text; turn its column into text"):
            sizes(source)


@pytest.mark.parametrize(
    "names", [[0, 1], [0.5, "s"], [("a", "b"), ("a", "c")], [None, True], [dt.date(2020, 1, 1), 7]]
)
def test_names_that_are_no_texts_are_read_as_their_texts(names):
    frame = pd.DataFrame([["x", "Flu"], ["x", "Cold"], ["y", "Flu"]])
    frame.columns = names
    quasi, sensitive = map(str, frame.columns)
    assert sizes(frame, quasi=quasi, sensitive=sensitive) == {"x": 2, "y": 1}
    assert list(frame.columns) == list(pd.Index(names))  # whose frame it is keeps its names
    with pytest.raises(UnknownColumn, match="no column 'age' in the table"):
        sizes(frame, quasi="age", sensitive=sensitive)


def test_a_name_that_is_given_as_no_text_is_refused():
    frame = pd.DataFrame([[1, 2]])
    with pytest.raises(WrongKind, match="the name of a column should be a str, not an int"):
        sl.read_table(frame, quasi=[0], sensitive="1")
    with pytest.raises(WrongKind, match="the names of columns are a text or a list of texts, not an int"):
        sl.read_table(frame, quasi="0", sensitive=1)
    with pytest.raises(BadTable, match="two columns of the table have the same name; rename one"):
        sl.read_table(frame.set_axis(["0", 0], axis=1), quasi="0", sensitive="1")
