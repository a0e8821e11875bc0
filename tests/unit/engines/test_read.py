"""Reading tables: roles, odd cells, and what bad input gets."""

from itertools import product
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.patients import PATIENTS, cells, read, refused
from support.words import mentions

import sidelight as sl
from sidelight.engines.read import read_declared
from sidelight.errors import BadTable, MissingValues, UnknownColumn, WrongKind


def test_cells_are_in_the_order_of_their_labels_with_missing_last():
    table = read()
    assert cells(table) == [("1", "m"), ("00734", "f"), (None, "m")]
    assert table.sizes.tolist() == [1, 2, 1]
    assert table.domain == ("Cold", "Flu")
    assert table.counts.dense().tolist() == [[0, 1], [1, 1], [0, 1]]
    assert table.intake.columns_dropped == ("id",)
    assert table.intake.rows == 4


def test_one_column_may_be_named_by_itself():
    assert cells(read(quasi="sex")) == [("f",), ("m",)]


def test_a_declared_domain_keeps_its_order_and_values_that_do_not_occur():
    table = read(domain=["HIV", "Flu", "Cold"])
    assert table.domain == ("HIV", "Flu", "Cold")
    assert table.counts.totals().tolist() == [0, 3, 1]
    assert mentions(refused(domain=["Flu"]), "'Cold'", "'disease'", "not", "domain=")


def test_missing_sensitive_values_are_what_the_caller_says():
    rows = pd.DataFrame({"sex": ["f", "f", "m"], "disease": ["Flu", None, "?"]})
    message = refused(MissingValues, source=rows, quasi="sex", missing_marks="?")
    assert mentions(message, 2, 3, "rows", "no", "'disease'", "missing=")
    kept = read(rows, quasi="sex", missing="a value", missing_marks="?")
    assert kept.domain == ("Flu", None)
    dropped = read(rows, quasi="sex", missing="drop", missing_marks=["?"])
    assert cells(dropped) == [("f",)]
    assert dropped.intake.rows_without_value == 2
    assert read(rows, quasi="sex", missing="a value", domain=[None, "?", "Flu"]).domain == (None, "?", "Flu")


def test_dates_and_truths_are_told_alike_by_all_engines():
    days = pd.to_datetime(["2020-01-02", "2020-01-02", "2021-03-04 05:06"], format="mixed")
    frame = pd.DataFrame({"day": days, "yes": [True, False, None], "disease": ["Flu"] * 3})
    for source in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        table = read(source, quasi=["day", "yes"])
        assert {cell[0] for cell in cells(table)} == {"2020-01-02", "2021-03-04 05:06:00"}
        assert {cell[1] for cell in cells(table)} == {"true", "false", None}


def test_moments_are_told_in_utc():
    here = pd.to_datetime(["2020-01-02 01:00"]).tz_localize("Asia/Tokyo")
    frame = pd.DataFrame({"at": here, "disease": ["Flu"]})
    for source in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert cells(read(source, quasi="at")) == [("2020-01-01 16:00:00+00:00",)]


def test_categories_that_do_not_occur_are_no_labels():
    con = duckdb.connect()
    con.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad')")
    con.execute("CREATE TABLE mine AS SELECT 'ok'::mood AS mood, 'Flu' AS disease")
    category = pd.DataFrame({"mood": pd.Categorical(["ok"], ["sad", "ok"]), "disease": ["Flu"]})
    enum = pl.DataFrame({"mood": ["ok"], "disease": ["Flu"]}, schema_overrides={"mood": pl.Enum(["sad", "ok"])})
    for source in (con.table("mine"), category, enum, enum.lazy(), enum.to_arrow(), con.table("mine").to_arrow_table()):
        assert read(source, quasi="mood").quasi[0].labels == ("ok",)


def test_more_labels_than_one_number_can_pack():
    wide = {f"q{place}": [str(row * (place + 1)) for row in range(300)] for place in range(9)}  # 300**9 > 2**62
    rows = {**wide, "disease": ["Flu", "Cold"] * 150, "who": [str(row // 2) for row in range(300)]}
    for source in (pa.table(rows), pd.DataFrame(rows)):
        table = read(source, quasi=list(wide))
        assert len(table.sizes) == 300
        assert cells(table) == [tuple(str(row * (place + 1)) for place in range(9)) for row in range(300)]
        assert table.counts.dense().tolist() == [[0, 1], [1, 0]] * 150
        assert refused(source=source, quasi=list(wide), values="set", person="who").startswith("150 people have rows")
        sets = read(source, quasi=list(wide)[1:], values="set", person="q0")
        assert sets.sizes.tolist() == [1] * 300


def test_people_with_no_value_count_as_people():
    rows = {
        "who": ["ann", "ann", "bea", "cat", "cat", "dan"],
        "zip": ["1", "1", "1", "1", "1", "2"],
        "disease": ["Flu", "Flu", None, None, "Cold", None],
    }
    for make, (values, flu) in product((pa.table, pd.DataFrame, pl.DataFrame), (("set", 1), ("multiset", 2))):
        table = read(make(rows), quasi="zip", person="who", values=values, missing="no value")
        assert (table.sizes.tolist(), table.domain) == ([3, 1], ("Cold", "Flu"))
        assert table.counts.dense().tolist() == [[1, flu], [0, 0]]
        assert table.intake.rows_saying_no_value == 3
        assert mentions(table.intake.notes()[0], 3, 6, "rows", "person", "no")
    release = sl.read_release(
        pa.table(rows),
        group="zip",
        sensitive="disease",
        person="who",
        values="set",
        missing="no value",
        keep_people=True,
    )
    assert release.people == {"ann": 0, "bea": 0, "cat": 0, "dan": 1}
    assert mentions(
        refused(source=pa.table(rows), quasi="zip", person="who", values="set"), 'missing="no value"', "none"
    )


def test_no_value_is_for_people_who_may_have_several():
    rows = pa.table({"zip": ["1", "1"], "disease": ["Flu", None]})
    message = refused(source=rows, quasi="zip", missing="no value")
    assert mentions(message, 'missing="no value"', "several", 'values="set"', '"multiset"', 'missing="a value"')


def test_a_table_in_which_nobody_has_a_value_is_refused():
    rows = pa.table({"who": ["a", "b"], "zip": ["1", "1"], "disease": pa.array([None, None], pa.string())})
    assert "no rows are left" in refused(source=rows, quasi="zip", person="who", values="set", missing="no value")


def test_pycanon_loses_rows_with_a_missing_quasi_identifier_and_we_do_not():
    rows = pd.DataFrame({"zip": ["1", "1", "2", "2", None], "disease": ["a", "b", "a", "b", "a"]})
    release = sl.read_release(rows, group="zip", sensitive="disease")
    assert release.size == 5
    assert sl.GroupSize().measure(release).value == 1


def test_a_shuffled_index_changes_pycanons_answer_and_not_ours():
    rows = pd.DataFrame({"zip": ["1", "1", "2", "2"], "disease": ["a", "b", "a", "a"]})
    shuffled = rows.sample(frac=1, random_state=3)
    shuffled.index = [9, 9, 0, 4]
    for frame in (rows, shuffled):
        release = sl.read_release(frame, group="zip", sensitive="disease")
        assert sl.DistinctValues().measure(release).value == 1
        assert release.groups.counts.dense().tolist() == [[1, 1], [2, 0]]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"quasi": ["zip", "sexx"]}, ("no column 'sexx'", "the table", "'sex'")),
        ({"sensitive": "desease"}, ("no column 'desease'", "the table", "'disease'")),
        ({"quasi": ["zip", "disease"]}, ("'disease'", "sensitive=", "quasi=")),
        ({"quasi": ["zip", "id"], "person": "id"}, ("'id'", "person=", "quasi=")),
        ({"person": "disease"}, ("'disease'", "sensitive=", "person=")),
        ({"quasi": ["zip", "zip"]}, ("'zip'", "twice", "quasi=")),
        ({"quasi": []}, ("quasi=", "no columns")),
        ({"values": "bag"}, ('values="bag"', '"single"', '"set"', '"multiset"')),
        ({"missing": "ignore"}, ('missing="ignore"', '"an error"', '"a value"', '"drop"', '"no value"')),
        ({"values": "set"}, ('values="set"', "person=")),
        ({"source": {"zip": []}}, ("a dict", "give a path")),
        ({"source": 5}, ("an int", "give a path")),
        (
            {"source": sl.Release.from_counts([{"Flu": 1}])},
            ("a Release", "no longer", "the table", "made from"),
        ),
        ({"source": "zip,sex,disease\n1,f,p1"}, ("text", "not the name")),
        ({"source": []}, ("list of files", "empty")),
        ({"source": ""}, ("name of the file", "empty", "path")),
        ({"source": "a\0b.csv"}, ("text", "not the name")),
        ({"source": PATIENTS.slice(0, 0)}, ("the table", "no rows")),
        ({"source": pl.from_arrow(PATIENTS).head(0)}, ("the table", "no rows")),
        ({"source": pd.DataFrame([[1, 2]], columns=["zip", "zip"])}, ("two columns", "same name", "rename")),
        (
            {"source": pl.DataFrame({"zip": [[1]], "sex": ["f"], "disease": ["a"]})},
            ("'zip'", "List(Int64)"),
        ),
        ({"source": PATIENTS.append_column("zip", PATIENTS["zip"])}, ("two columns", "the table", "'zip'")),
    ],
)
def test_a_wrong_role_gets_one_line(given, named):
    kind = UnknownColumn if named[0].startswith("no column") else BadTable
    assert mentions(refused(kind, **given), *named)


@pytest.mark.parametrize(
    "cells",
    [[["Flu", "Cold"], ["Cold", "Flu"]], [("Flu",), ("Cold",)], [{"Flu"}, {"Cold"}], [{"is": "Flu"}, {}]],
    ids=str,
)
@pytest.mark.parametrize("column", ["zip", "disease"])
def test_lists_and_records_among_the_objects_of_pandas_are_no_cells(cells, column):
    rows = pd.DataFrame({"zip": ["1", "1"], "disease": ["Flu", "Cold"]} | {column: cells})
    with pytest.raises(WrongKind, match=rf"one value.* a {type(cells[0]).__name__}\b"):
        sl.read_table(rows, quasi="zip", sensitive="disease")


def test_people_are_counted_never_named():
    twice = pa.concat_tables([PATIENTS, PATIENTS.slice(0, 2)])
    assert mentions(refused(source=twice, person="id"), 2, "people", "more than one row")
    moved = PATIENTS.set_column(3, "id", [["p1", "p1", "p1", "p4"]])
    assert mentions(refused(source=moved, person="id", values="set"), 1, "person", "differ", "quasi", "'id'")
    nameless = PATIENTS.set_column(3, "id", [["p1", None, "", None]])
    assert mentions(refused(source=nameless, person="id", missing_marks=[""]), 3, "rows", "no", "'id'")


# --- several sensitive columns


def several(**more):
    rows = PATIENTS.append_column("income", pa.array(["low", "high", None, "low"]))
    return sl.read_table(rows, **({"quasi": ["sex"], "sensitive": ["disease", "income"], "missing": "a value"} | more))


def test_several_sensitive_columns_are_counted_together():
    table = several()
    assert table.sensitive_columns == ("disease", "income")
    assert table.domain == ("Cold, high", "Flu, low", "Flu, (missing)")
    assert table.counts.dense().tolist() == [[1, 1, 0], [0, 1, 1]]
    assert table.about("income").domain == ("high", "low", None)
    assert table.about("income").counts.dense().tolist() == [[1, 1, 0], [0, 1, 1]]
    assert table.about("disease").counts.dense().tolist() == read(quasi=["sex"]).counts.dense().tolist()


def test_a_row_that_lacks_one_of_several_is_dropped_and_counted():
    table = several(missing="drop")
    assert (table.people, table.intake.rows_without_value) == (3, 1)
    with pytest.raises(MissingValues, match=r"\b1 of 4 rows.* no 'income'.*missing="):
        several(missing="an error")


def test_values_of_several_columns_are_declared_by_column():
    table = several(domain={"income": ["low", "middle", "high", None]})
    assert table.about("income").domain == ("low", "middle", "high", None)
    assert table.about("disease").domain == ("Cold", "Flu")
    with pytest.raises(BadTable, match=r"'low'.*'income'.*not in domain="):
        several(domain={"income": ["middle", "high"]}, missing="drop")
    with pytest.raises(BadTable, match=r"domain=.*'incom'.*'income'"):
        several(domain={"incom": ["low"]})
    with pytest.raises(BadTable, match=r"domain=.* one .*disease and income.*several"):
        several(domain=["Flu"])


def test_columns_with_more_combinations_than_can_be_counted_are_refused(monkeypatch):
    monkeypatch.setattr("sidelight.engines.source.KEY_LIMIT", 5)
    with pytest.raises(BadTable, match=r"disease and income.*more combinations"):
        several()


def test_a_person_written_as_7_and_as_7_0_and_with_spaces_is_one_person(tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    file.write_text("id,age,disease\n7,30,Flu\np8,31,Cold\n7.0,30,Flu\n p8,31,Cold\n", encoding="utf-8")
    with pytest.raises(BadTable, match="2 people have"):
        sl.read_table(file, quasi=["age"], sensitive="disease", person="id")
    read = sl.read_table(file, quasi=["age"], sensitive="disease", person="id", values="set")
    assert read.people == 2


def test_a_value_per_line_in_the_order_of_the_file(tmp_path):
    (tmp_path / "codes.txt").write_text("\ufeffJ10\nA00, cholera\r\n\n J10 \n007\n", encoding="utf-8")
    assert sl.read_domain(tmp_path / "codes.txt") == ("J10", "A00, cholera", "007")


def test_lines_copied_out_of_a_csv_file_lose_their_quotes(tmp_path):
    lines = ['"Cold, common"', '"the ""flu"""', '"', '""', '"flu" or "cold"', '5" cut']
    (tmp_path / "codes.txt").write_text("\n".join(lines))
    assert sl.read_domain(tmp_path / "codes.txt") == ("Cold, common", 'the "flu"', *lines[2:])


def test_a_column_of_a_table(tmp_path):
    (tmp_path / "codes.csv").write_text("code,text\n007,Flu\n10,Cold\n,none\n")
    pq.write_table(pa.table({"code": ["b", "a", None, "b"]}), tmp_path / "codes.parquet")
    assert sl.read_domain(tmp_path / "codes.csv", "code") == ("007", "10")
    assert sl.read_domain(tmp_path / "codes.parquet") == ("a", "b")
    assert read_declared(tmp_path / "codes.csv", ("text",)) == ("Cold", "Flu", "none")
    assert read_declared(tmp_path / "codes.csv", ("code", "text")) == {
        "code": ("007", "10"),
        "text": ("Cold", "Flu", "none"),
    }
    assert read_declared(tmp_path / "codes.parquet", ("disease",), ("z",)) == ("z", "a", "b")
    with pytest.raises(BadTable, match=r"which column.*codes\.csv.*2 columns"):
        read_declared(tmp_path / "codes.csv", ("disease",))
    with pytest.raises(UnknownColumn, match=r"'codes'.*codes\.csv.*2 columns"):
        sl.read_domain(tmp_path / "codes.csv", "codes")


@pytest.mark.parametrize(
    ("name", "content", "says"), [("empty.txt", b"\n\n", "lists no values"), ("odd.txt", b"\xff\n", "is not UTF-8")]
)
def test_bad_files_get_one_line(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadTable, match=says):
        sl.read_domain(tmp_path / name)


def test_no_file(tmp_path):
    with pytest.raises(BadTable, match="cannot read"):
        sl.read_domain(tmp_path / "nothing.txt")


def test_other_letters(tmp_path):
    (tmp_path / "codes.txt").write_bytes("Übelkeit\n".encode("cp1252"))
    assert sl.read_domain(tmp_path / "codes.txt", encoding="cp1252") == ("Übelkeit",)
