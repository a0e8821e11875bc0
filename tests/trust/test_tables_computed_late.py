"""A query, a cast or a scanned file that fails when its rows are asked for: one line of ours, and nobody's cell in it."""

import duckdb
import polars as pl
import pytest
from trust.fuzz.bars import MARK

import sidelight as sl

ROLES = {"quasi": ["age"], "sensitive": "disease"}
ROWS = pl.DataFrame({"age": ["1", "2", f"{MARK} Arendt"], "disease": ["Flu", "Cold", f"{MARK}itis"]})


def late_number(_):
    connection = duckdb.connect()
    connection.register("people", ROWS.to_arrow())
    return connection.sql("select cast(age as integer) age, disease from people")


def late_file(folder):
    file = folder / "late.csv"
    file.write_text("age,disease\n" + "20,Flu\n" * 60_000 + f"{MARK} Arendt,{MARK}itis\n")
    return duckdb.read_csv(str(file))


def closed(_):
    connection = duckdb.connect()
    relation = connection.sql("select 'a' age, 'b' disease")
    connection.close()
    return relation


def dropped(_):
    connection = duckdb.connect()
    connection.execute("create table people as select 'a' age, 'b' disease")
    relation = connection.table("people")
    connection.execute("drop table people")
    return relation


SOURCES = [
    late_number,
    late_file,
    closed,
    dropped,
    lambda folder: pl.scan_csv(_numbers(folder)),
    lambda folder: pl.scan_csv(folder / "no such.csv"),
    lambda _: ROWS.lazy().with_columns(pl.col("age").cast(pl.Int64)),
    lambda _: ROWS.lazy().select("age", "disease", "no such"),
    lambda _: ROWS.lazy().with_columns(pl.col("disease").map_elements(lambda _: 1 / 0, return_dtype=pl.Float64)),
]


def _numbers(folder):
    late_file(folder)
    return folder / "late.csv"


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "read",
    [
        lambda rows: sl.read_table(rows, **ROLES),
        lambda rows: sl.read_release(rows, group=["age"], sensitive="disease"),
        sl.suggest_roles,
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_fails_late_is_told_without_a_cell(source, read, tmp_path):
    with pytest.raises(sl.SidelightError) as refused:
        read(source(tmp_path))
    assert MARK not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_mistakes_of_our_own_are_not_taken_for_the_table(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("sidelight.engines.read.table_from", broken)
    with pytest.raises(ZeroDivisionError):
        sl.read_table(ROWS, **ROLES)
