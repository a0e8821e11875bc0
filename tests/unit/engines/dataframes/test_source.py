"""Marks are found before anything is counted, whoever holds the rows and however they are stored."""

import datetime as dt
import os
import signal
import subprocess
import sys
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.waiting import PATIENCE, wait_for_work

import sidelight as sl
from sidelight.engines.duckdb.source import kept_database
from sidelight.errors import BadTable, SidelightError, UnknownColumn, WrongKind


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
    for source in held_by_all(table)[: -1 if isinstance(cells[0], dt.timedelta) else None]:  # DuckDB's are intervals
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
        with pytest.raises(BadTable, match=r"as text.*dataframe"):
            sizes(tmp_path / "a.parquet")
    else:
        assert sizes(tmp_path / "a.parquet") == expected


def test_durations_are_told_alike(tmp_path):
    table = pa.table({"q": [dt.timedelta(1), dt.timedelta(1), dt.timedelta(hours=36)], "s": ["x", "y", "z"]})
    *held, interval = held_by_all(table)
    for source in held:
        assert sizes(source) == {"1 day, 0:00:00": 2, "1 day, 12:00:00": 1}
        assert sl.read_release(source, group="q", sensitive="s", suppressed="leave out").size == 3
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(BadTable, match=r"'q' of a\.parquet.*duration\[us\].*as text"):
        sizes(tmp_path / "a.parquet")
    fine = pa.table({"q": pa.array([0, 1], pa.duration("ns")), "s": ["x", "y"]})
    assert sizes(fine) == sizes(fine.to_pandas()) == {"0:00:00": 1, "0:00:00.000000001": 1}
    with pytest.raises(BadTable, match=r"'q'.*INTERVAL.*into text"):
        sizes(interval)


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
try:
    print("ready", flush=True)
    sl.read_table(rows, quasi="a", sensitive="c")
except KeyboardInterrupt:
    sys.exit(42)
sys.exit(7)
"""


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_reaches_the_users_own_relation(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", SLOW], cwd=tmp_path, env={**os.environ}, stdout=subprocess.PIPE, text=True
    ) as busy:
        assert busy.stdout.readline() == "ready\n"
        wait_for_work(busy, seconds=0.3)
        busy.send_signal(signal.SIGINT)
        assert busy.wait(timeout=PATIENCE) == 42


def test_bytes_are_text_or_refused():
    for source in held_by_all(pa.table({"q": ["é".encode(), b"?", b"?"], "s": ["x"] * 3})):
        assert sizes(source, missing_marks=["?"]) == {"é": 1, None: 2}
    for source in held_by_all(pa.table({"q": [b"\xff", b"\xfe"], "s": ["x"] * 2})):
        with pytest.raises(BadTable, match=r"bytes.*not UTF-8"):
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
    with pytest.raises(UnknownColumn, match=r"'age'.*the table"):
        sizes(frame, quasi="age", sensitive=sensitive)


def test_a_name_that_is_given_as_no_text_is_refused():
    frame = pd.DataFrame([[1, 2]])
    with pytest.raises(WrongKind, match=r"name.*column.* a str, not an int"):
        sl.read_table(frame, quasi=[0], sensitive="1")
    with pytest.raises(WrongKind, match=r"names.*columns.*list of texts, not an int"):
        sl.read_table(frame, quasi="0", sensitive=1)
    with pytest.raises(BadTable, match=r"two columns.*same name.*rename"):
        sl.read_table(frame.set_axis(["0", 0], axis=1), quasi="0", sensitive="1")


# --- two cells of every type are two labels, or the column is refused by its name ------------------------------

DUCKDB = {  # two cells of each type, and whether they have labels
    "BOOLEAN": ("true", "false", True),
    "BIGINT": ("9007199254740992", "9007199254740993", True),
    "UBIGINT": ("18446744073709551614", "18446744073709551615", True),
    "HUGEINT": ("170141183460469231731687303715884105726", "170141183460469231731687303715884105727", True),
    "UHUGEINT": ("340282366920938463463374607431768211454", "340282366920938463463374607431768211455", True),
    "BIGNUM": ("340282366920938463463374607431768211456", "340282366920938463463374607431768211457", False),
    "FLOAT": ("0.1", "0.2", True),
    "DOUBLE": ("'inf'", "'-inf'", True),
    "DECIMAL(38,10)": ("1234567890123456789012345678.0000000001", "1234567890123456789012345678.0000000002", True),
    "VARCHAR": ("'a'", "'b'", True),
    "ENUM('a', 'b')": ("'a'", "'b'", True),
    "JSON": ("'[1]'", "'[2]'", True),
    "BLOB": ("'a'", "'b'", True),
    "BIT": ("'101'", "'0101'", False),
    "UUID": ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'", True),
    "DATE": ("'2020-01-01'", "'2020-01-02'", True),
    "TIME": ("'00:00:00'", "'24:00:00'", True),
    "TIMETZ": ("'12:00:00+00'", "'12:00:00+02'", False),
    "TIMESTAMP": ("'2020-01-01'", "'2020-01-01 00:00:00.000001'", True),
    "TIMESTAMP_S": ("'2020-01-01'", "'2020-01-01 00:00:01'", True),
    "TIMESTAMP_MS": ("'2020-01-01'", "'2020-01-01 00:00:00.001'", True),
    "TIMESTAMP_NS": ("'2020-01-01'", "'2020-01-01 00:00:00.000000001'", True),
    "TIMESTAMPTZ": ("'2020-01-01 00:00:00+00'", "'2020-01-01 00:00:00+02'", True),
    "INTERVAL": ("INTERVAL 1 MONTH", "INTERVAL 30 DAYS", False),
    "UNION(number INTEGER, word VARCHAR)": ("union_value(number := 1)", "union_value(word := '1')", False),
    "INTEGER[]": ("[1]", "[2]", False),
    "INTEGER[2]": ("[1, 2]", "[2, 1]", False),
    "STRUCT(a INTEGER)": ("{'a': 1}", "{'a': 2}", False),
    "MAP(INTEGER, INTEGER)": ("MAP {1: 1}", "MAP {1: 2}", False),
}


def whole(numbers, kind):
    """Store numbers as moments or durations."""
    return pa.array(numbers, pa.int64()).cast(kind)


def long(digits):
    return [Decimal(f"{digits}.0000000001"), Decimal(f"{digits}.0000000002")]


TIMES = {pa.time32("s"): 0, pa.time32("ms"): 3, pa.time64("us"): 6, pa.time64("ns"): 9}


def times(number, kind):
    return pa.array([0, number], pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)


MONTH, THIRTY_DAYS = pa.MonthDayNano((1, 0, 0)), pa.MonthDayNano((0, 30, 0))
ARROW = {  # two cells of each type, and whether they have labels
    "bool": (pa.array([True, False]), True),
    "uint64": (pa.array([2**64 - 2, 2**64 - 1], pa.uint64()), True),
    "float16": (pa.array(np.array([1.5, 2.5], np.float16)), True),
    "float32": (pa.array([0.1, 0.2], pa.float32()), True),
    "decimal128": (pa.array(long("1234567890123456789012345678"), pa.decimal128(38, 10)), True),
    "decimal256": (pa.array(long("1234567890" * 4), pa.decimal256(60, 10)), True),
    "string": (pa.array(["a", "b"]), True),
    "large string": (pa.array(["a", "b"], pa.large_string()), True),
    "string view": (pa.array(["a", "b"], pa.string_view()), True),
    "bytes": (pa.array([b"a", b"b"]), True),
    "two bytes": (pa.array([b"aa", b"bb"], pa.binary(2)), True),
    "bytes view": (pa.array([b"a", b"b"], pa.binary_view()), True),
    "no text": (pa.array([b"a", b"\xff"]), False),
    "days": (pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31)]), True),
    "days too far": (pa.array([0, 10**8], pa.int32()).cast(pa.date32()), False),
    **{f"time {kind}": (times(86400 * 10**more, kind), True) for kind, more in TIMES.items()},
    **{f"time {kind} too long": (times(86400 * 10**more + 1, kind), False) for kind, more in TIMES.items()},
    **{f"time {kind} before": (times(-1, kind), False) for kind in TIMES},
    **{
        f"moment {unit} {zone}": (whole([0, 1], pa.timestamp(unit, zone)), True)
        for unit in ("s", "ms", "us", "ns")
        for zone in (None, "UTC", "Europe/Berlin", "+02:00")
    },
    "moments too far": (whole([0, 10**17], pa.timestamp("ms")), False),
    **{f"duration {unit}": (whole([0, 1], pa.duration(unit)), True) for unit in ("s", "ms", "us", "ns")},
    "durations too long": (whole([0, 10**16], pa.duration("s")), False),
    "months": (pa.array([MONTH, THIRTY_DAYS]), False),
    "list": (pa.array([[1], [2]]), False),
    "fixed list": (pa.array([[1], [2]], pa.list_(pa.int64(), 1)), False),
    "struct": (pa.array([{"a": 1}, {"a": 2}]), False),
    "map": (pa.array([[(1, 1)], [(1, 2)]], pa.map_(pa.int64(), pa.int64())), False),
    "union": (pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 1]), pa.array(["1", "1"])]), False),
    "dictionary": (pa.array(["a", "b"]).dictionary_encode(), True),
    "dictionary of days": (pa.array([dt.date(2020, 1, 1), dt.date(2020, 1, 2)]).dictionary_encode(), True),
    "dictionary of lists": (pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([[1], [2]])), False),
    "dictionary of months": (pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([MONTH, THIRTY_DAYS])), False),
}


def held_by_polars(table, folder):
    return pl.from_arrow(table)


def held_in_parquet(table, folder):
    pq.write_table(table, folder / "a.parquet")
    return folder / "a.parquet"


ASKED = [
    {"quasi": "q", "sensitive": "s"},
    {"quasi": "q", "sensitive": "s", "missing_marks": ["9"]},
    {"quasi": "s", "sensitive": "q", "values": "set", "person": "p"},
]


def check_two_labels(source, *, labels):
    for roles in ASKED:
        if labels:
            table = sl.read_table(source, **roles)
            assert len(table.quasi[0].labels if roles["quasi"] == "q" else table.domain) == 2
        else:
            with pytest.raises(SidelightError, match="column 'q'"):
                sl.read_table(source, **roles)


@pytest.mark.parametrize("kind", DUCKDB)
def test_two_cells_of_a_type_of_duckdb_are_two_labels_or_refused(kind):
    one, other, labels = DUCKDB[kind]
    with duckdb.connect() as con:
        two = f"SELECT {one}::{kind} AS q, 'a' AS s, 1 AS p UNION ALL SELECT {other}::{kind}, 'b', 2"
        try:
            relation = con.sql(two)
        except duckdb.Error:
            pytest.skip(f"this DuckDB has no {kind}")
        check_two_labels(relation, labels=labels)


@pytest.mark.parametrize("kind", ARROW)
def test_two_cells_of_a_type_of_arrow_are_two_labels_or_refused(kind):
    cells, labels = ARROW[kind]
    rest = {"s": ["a", "b"], "p": [1, 2]}
    check_two_labels(pa.table({"q": cells, **rest}), labels=labels)
    column = pd.arrays.ArrowExtensionArray(pa.chunked_array([cells]))
    check_two_labels(pd.DataFrame({"q": column, **rest}), labels=labels)


NOT_HELD = {
    held_by_polars: ("decimal256", "months", "union", "dictionary of months"),
    held_in_parquet: ("months", "union", "dictionary of lists", "dictionary of months"),
}
"""Types of Arrow that others have no place for, and say so themselves."""


@pytest.mark.parametrize("kind", ARROW)
@pytest.mark.parametrize("holder", NOT_HELD)
def test_two_cells_of_a_type_are_never_one_label(holder, kind, tmp_path):
    """Polars and Parquet store some types as others, and DuckDB reads fewer of the latter."""
    try:
        source = holder(pa.table({"q": ARROW[kind][0], "s": ["a", "b"], "p": [1, 2]}), tmp_path)
    except (Exception, pl.exceptions.PanicException):  # noqa: BLE001 - whatever they raise
        assert kind in NOT_HELD[holder]
        return
    for roles in ASKED:
        try:
            table = sl.read_table(source, **roles)
        except SidelightError:
            continue
        assert len(table.quasi[0].labels if roles["quasi"] == "q" else table.domain) == 2


def test_a_table_that_duckdb_fails_at_does_not_spoil_the_next(monkeypatch):
    table = pa.table({"q": ["a", "b"], "s": ["x", "y"]})

    def fail(con, *_, **__):
        raise duckdb.InternalException

    with monkeypatch.context() as patch:
        patch.setattr("sidelight.engines.duckdb.source.rows_of_view", fail)
        before = kept_database()
        with pytest.raises(BadTable, match=r"DuckDB cannot count.*Arrow"):
            sizes(table)
    assert kept_database() is not before
    assert sizes(table) == {"a": 1, "b": 1}
