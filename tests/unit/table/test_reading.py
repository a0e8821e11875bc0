"""Reading tables: roles, odd cells, files, and what bad input gets."""

import gzip
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.errors import BadTable, MissingValues, UnknownColumn
from sidelight.table import duckdb_source as files

PATIENTS = pa.table(
    {
        "zip": ["00734", "00734", "1", None],
        "sex": ["f", "f", "m", "m"],
        "disease": ["Flu", "Cold", "Flu", "Flu"],
        "id": ["p1", "p2", "p3", "p4"],
    }
)


def cells(table):
    return [tuple(column.cell(row) for column in table.quasi) for row in range(len(table.sizes))]


def read(source=PATIENTS, **given):
    return sl.read_table(source, **({"quasi": ["zip", "sex"], "sensitive": "disease"} | given))


def refused(kind=BadTable, **given):
    with pytest.raises(kind) as caught:
        read(**given)
    message = str(caught.value)
    assert "\n" not in message
    assert not any(who in message for who in ("p1", "p2", "p3", "p4"))
    return message


# --- what comes out ------------------------------------------------------------------------------------------


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
    assert "'Cold' occurs in 'disease' but is not in domain=" in refused(domain=["Flu"])


def test_missing_sensitive_values_are_what_the_caller_says():
    rows = pd.DataFrame({"sex": ["f", "f", "m"], "disease": ["Flu", None, "?"]})
    message = refused(MissingValues, source=rows, quasi="sex", missing_marks="?")
    assert message.startswith("2 of 3 rows have no 'disease'; say missing=")
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


# --- roles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"quasi": ["zip", "sexx"]}, "no column 'sexx' in the table; did you mean 'sex'?"),
        ({"sensitive": "desease"}, "no column 'desease' in the table; did you mean 'disease'?"),
        ({"quasi": ["zip", "disease"]}, "column 'disease' is sensitive= and also in quasi="),
        ({"quasi": ["zip", "id"], "person": "id"}, "column 'id' is person= and also in quasi="),
        ({"person": "disease"}, "column 'disease' is both sensitive= and person="),
        ({"quasi": ["zip", "zip"]}, "column 'zip' is listed twice in quasi="),
        ({"quasi": []}, "quasi= names no columns"),
        ({"values": "bag"}, 'no values="bag"; choose "single", "set" or "multiset"'),
        ({"missing": "ignore"}, 'no missing="ignore"; choose "an error", "a value" or "drop"'),
        ({"values": "set"}, 'values="set" needs person='),
        ({"source": {"zip": []}}, "cannot read a dict as a table; give a path"),
        ({"source": 5}, "cannot read a int as a table"),
        ({"source": "zip,sex,disease\n1,f,p1"}, "that is text, not the name of a file"),
        ({"source": []}, "the list of files is empty"),
        ({"source": ""}, "the name of the file is empty; give the path of a file"),
        ({"source": "a\0b.csv"}, "that is text, not the name of a file"),
        ({"source": PATIENTS.slice(0, 0)}, "the table has no rows"),
        ({"source": pl.from_arrow(PATIENTS).head(0)}, "the table has no rows"),
        ({"source": pd.DataFrame([[1, 2]], columns=["zip", "zip"])}, "have the same name; rename one"),
        (
            {"source": pl.DataFrame({"zip": [[1]], "sex": ["f"], "disease": ["a"]})},
            "column 'zip' holds List(Int64) cells",
        ),
        ({"source": PATIENTS.append_column("zip", PATIENTS["zip"])}, "two columns of the table are called 'zip'"),
    ],
)
def test_a_wrong_role_gets_one_line(given, message):
    kind = UnknownColumn if message.startswith("no column") else BadTable
    assert message in refused(kind, **given)


def test_people_are_counted_never_named():
    twice = pa.concat_tables([PATIENTS, PATIENTS.slice(0, 2)])
    assert refused(source=twice, person="id").startswith("2 people have more than one row; give one row each")
    moved = PATIENTS.set_column(3, "id", [["p1", "p1", "p1", "p4"]])
    assert refused(source=moved, person="id", values="set") == (
        "1 person has rows that differ in a quasi column; give each person one place (column 'id')"
    )
    nameless = PATIENTS.set_column(3, "id", [["p1", None, "", None]])
    assert refused(source=nameless, person="id", missing_marks=[""]).startswith("3 rows have no 'id'")


# --- files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def written(folder, text, name="patients.csv"):
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_the_delimiter_is_found_and_texts_stay_texts(folder):
    text = 'zip;sex;"a;\r\nb";disease\r\n00734;f;"x;\ny";Flu\r\n1;m;;"Hay ""fever"""\r\n\r\n'
    table = read(written(folder, text))
    assert cells(table) == [("1", "m"), ("00734", "f")]
    assert table.domain == ("Flu", 'Hay "fever"')
    assert table.intake.columns_dropped == ("a;\r\nb",)


def test_a_byte_order_mark_and_empty_cells(folder):
    table = read(written(folder, '\ufeffzip\tsex\tdisease\n\tf\tFlu\n""\tf\tFlu\n', "a.tsv"))
    assert cells(table) == [(None, "f")]
    assert table.sizes.tolist() == [2]


def test_several_files_may_differ_in_delimiter_and_order(folder):
    written(folder, "zip,sex,disease\n1,f,Flu\n", "a.csv")
    (folder / "b.csv.gz").write_bytes(gzip.compress(b"disease;more;sex;zip\nFlu;x;f;1\n"))
    table = read([folder / "b.csv.gz", str(folder / "a.csv")])
    assert table.sizes.tolist() == [2]
    assert table.intake.columns_dropped == ("more",)
    assert read(str(folder / "*.csv*")).sizes.tolist() == [2]
    assert read([folder / "a.csv", folder / "." / "a.csv", folder / ".." / folder.name / "a.csv"]).sizes.tolist() == [1]


def test_names_that_sql_or_globs_would_misread(folder):
    rows = pa.table({'z"ip; --': ["1"], "sex": ["f"], "disease": ["Flu"]})
    pq.write_table(rows, folder / "it's [1]*.parquet")
    assert read(folder / "it's [1]*.parquet", quasi=['z"ip; --', "sex"]).people == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv is empty; it needs a line with the names"),
        ("zip,sex,disease\n", "a.csv has no rows"),
        ("zip,sex,disease\n1,f,p1\n2,p2\n", "line 3 of a.csv has 2 cells where the header has 3"),
        ("zip,sex,disease\n1,f,p1\n2,f,p2,p3\n", "line 3 of a.csv has 4 cells where the header has 3"),
        ('zip,sex,disease\n1,f,p1\n2,f,"p2\n', "of a.csv cannot be read as CSV"),
        ("zip,sex,disease\r\n1,f,p1\n2,f,p2\r\n", "a.csv cannot be read as CSV; check quotes and line ends there"),
        (b"zip,sex,disease\n1,f,p1\n2,\xe9,p2\n", "a.csv is not UTF-8: byte 25 (from 0) is wrong"),
        (b"zip,s\xe9x,disease\n1,f,p1\n", "a.csv is not UTF-8: byte 5 (from 0) is wrong"),
        ("zip,sex,sex,disease\n1,f,f,p1\n", "two columns of a.csv are called 'sex'"),
        ("zip,gender,disease\n1,f,p1\n", "no column 'sex' in a.csv"),
        ("\n \n\r\n", "a.csv is empty; it needs a line with the names"),
        ("\n\nzip,sex,disease\n1,f,p1\n", "the first line of a.csv is blank; begin with a line with the names"),
        ('zip,"sex,disease\n1,f,p1\n', "a quote in the first line of a.csv is never closed; repair that line"),
        ('zip,"sex,disease\n' + "1,f,p1\n" * 200 + '"', "a quote in the first line of a.csv is never closed"),
        ("zip,sex,disease\n1,f,p1\n2,f," + "x" * 2_100_000, "line 3 of a.csv has more than 2,000,000 bytes; check"),
        ("zip,sex," + "x" * 2_100_000 + "\n1,f,p1\n", "the first line of a.csv has more than 2,000,000 characters"),
        (
            "zip,sex," + "x" * 200_000 + "\n1,f,p1\n",
            "a.csv has a cell of more than 131,072 characters at its beginning",
        ),
    ],
)
def test_a_bad_csv_gets_one_line(folder, text, message):
    file = written(folder, text, "a.csv")
    assert message in refused((BadTable, UnknownColumn), source=file)
    packed = folder / "a.csv.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert message.replace("a.csv", "a.csv.gz") in refused((BadTable, UnknownColumn), source=packed)


@pytest.mark.parametrize(
    "text",
    [
        "34,f,Flu\n35,m,Cold\n",  # a number
        "Ann,1990-02-28,Flu\n",  # a date, and nothing below it
        "Ann;28.2.1990;Flu\n",
        "Ann,,Flu\nBea,f,Cold\n",  # nothing
        "Ann,Flu,Flu\nBea,f,Cold\n",  # the same twice
        "Ann,f,Flu\nBea,m,Cold\nCat,f,Gout\n",  # a cell that another row says too
        "Ann,f,Flu\n",  # one line, which may be anything
        'Ann,"f\nBea",Flu\nCat,f,Gout\n',  # a broken line
    ],
)
def test_a_first_line_that_may_be_a_row_is_not_shown(folder, text):
    file = written(folder, text, "a.csv")
    for refuse in (lambda: refused((BadTable, UnknownColumn), source=file), lambda: _of_columns(file)):
        message = refuse()
        assert "a.csv seems to have no line of column names" in message.replace("a.csv, which", "a.csv") or (
            message == "a.csv has one line only; it needs a line with the names of the columns, and rows"
        )
        assert not any(cell in message for cell in ("Ann", "Bea", "34", "Flu", "1990"))


def _of_columns(file):
    with pytest.raises(BadTable) as caught:
        files.columns_of(file)
    return str(caught.value)


def test_names_of_a_dataframe_that_may_be_a_row_are_not_shown():
    rows = pl.DataFrame({"Ann": ["Bea"], "34": ["35"], "Flu": ["Cold"]})
    assert refused(UnknownColumn, source=rows).startswith("no column 'zip' in the table, which seems to have no line")


def test_a_name_that_is_found_says_that_the_others_are_names_too(folder):
    file = written(folder, "zip,2019,2020,disease\n1,f,m,Flu\n", "a.csv")
    assert refused(UnknownColumn, source=file) == "no column 'sex' in a.csv; there are: zip, 2019, 2020, disease"


def test_pandas_nameless_index_is_no_row(folder):
    file = written(folder, ",age,illness\n0,34,Flu\n", "a.csv")
    assert refused(UnknownColumn, source=file).startswith("no column 'zip' in a.csv; there are: , age, illness")
    assert files.columns_of(file) == ("", "age", "illness")


def test_the_line_and_byte_are_found_in_a_large_file(folder):
    good = "zip,sex,disease\n" + "12345,f,Flu\n" * 200_000
    ragged = written(folder, good + "1,f\n" + "12345,f,Flu\n" * 1000)
    assert refused(source=ragged).startswith("line 200002 of patients.csv has 2 cells")
    strange = written(folder, good.encode() + b"1,\xff,Flu\n")
    assert f"byte {len(good) + 2:,} (from 0)" in refused(source=strange)


def test_files_that_are_not_what_they_are_called(folder):
    assert "no file" in refused(source=folder / "gone.csv")
    assert "no file matches" in refused(source=str(folder / "*.csv"))
    assert "is a folder; name its files" in refused(source=folder)
    assert "cannot tell what a.xlsx is" in refused(source=written(folder, "", "a.xlsx"))
    assert "cannot tell what a.parquet.gz is" in refused(source=written(folder, "", "a.parquet.gz"))
    assert "a.parquet cannot be read as Parquet" in refused(source=written(folder, "zip,sex", "a.parquet"))
    assert "b.csv.gz cannot be unpacked" in refused(source=written(folder, "zip,sex", "b.csv.gz"))
    mixed = [written(folder, "zip,sex,disease\n", "c.csv"), folder / "a.parquet"]
    assert "give files of one kind" in refused(source=mixed)


def test_parquet_files_must_agree_about_types(folder):
    pq.write_table(PATIENTS, folder / "1.parquet")
    pq.write_table(PATIENTS.set_column(0, "zip", [[1, 2, 3, 4]]), folder / "2.parquet")
    assert "store column 'zip' as different types" in refused(source=str(folder / "?.parquet"))
    capitals = PATIENTS.append_column("ZIP", PATIENTS["zip"])
    pq.write_table(capitals, folder / "3.parquet")
    assert "called 'zip', but for capitals" in refused(source=folder / "3.parquet")


# --- manners -------------------------------------------------------------------------------------------------


def test_nothing_is_left_behind(folder, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "spill"))
    (folder / "spill").mkdir()
    (folder / "here").mkdir()
    monkeypatch.chdir(folder / "here")
    pq.write_table(PATIENTS, folder / "a.parquet")
    read(folder / "a.parquet")
    refused(source=written(folder, "zip,sex,disease\n1\n"))
    assert list((folder / "spill").iterdir()) == []
    assert list((folder / "here").iterdir()) == []


def test_the_users_connection_is_left_as_it_was():
    con = duckdb.connect()
    con.execute("CREATE TABLE mine AS SELECT 'f' AS sex, 'Flu' AS disease, 1 AS id")
    before = con.sql("SELECT * FROM duckdb_views() WHERE NOT internal").fetchall()
    assert read(con.table("mine"), quasi="sex", values="set", person="id").people == 1
    assert con.sql("SELECT * FROM duckdb_views() WHERE NOT internal").fetchall() == before
    assert con.sql("SHOW TABLES").fetchall() == [("mine",)]


SLOW = """
import sys, duckdb, sidelight as sl
print("ready", flush=True)
try:
    sl.read_table(sys.argv[1], quasi=["a", "b"], sensitive="c")
except KeyboardInterrupt:
    sys.exit(42)
sys.exit(7)
"""


def test_ctrl_c_leaves_cleanly(folder):
    file = folder / "big.parquet"
    wide = "SELECT hash(i)::VARCHAR AS a, hash(i + 7)::VARCHAR AS b, i % 5 AS c FROM range(4_000_000) r(i)"
    duckdb.connect().execute(f"COPY ({wide}) TO '{file}'")
    (folder / "spill").mkdir()
    place = {**os.environ, "TMPDIR": str(folder / "spill")}
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, str(file)], env=place, stdout=subprocess.PIPE, text=True
    ) as busy:
        assert busy.stdout.readline() == "ready\n"
        deadline = time.monotonic() + 30
        while not list((folder / "spill").iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)
        busy.send_signal(signal.SIGINT)
        assert busy.wait(timeout=60) == 42
    assert list((folder / "spill").iterdir()) == []


def test_a_table_larger_than_the_memory_allowed_is_counted_on_disk(folder, monkeypatch):
    file, spill = folder / "big.parquet", folder / "spill"
    spill.mkdir()
    wide = "SELECT hash(i) % 3000 AS a, hash(i + 7) % 3000 AS b, i % 5 AS c FROM range(1_500_000) r(i)"
    duckdb.connect().execute(f"COPY ({wide}) TO '{file}'")
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    monkeypatch.setitem(files.SETTINGS, "memory_limit", "40MB")
    monkeypatch.setitem(files.SETTINGS, "threads", 2)
    done, spilled = threading.Event(), []

    def watch():
        while not done.wait(0.002):
            spilled.extend(each.name for each in spill.glob("*/*"))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        release = sl.read_release(file, group=["a", "b"], sensitive="c")
    finally:
        done.set()
        watching.join()
    cells = duckdb.sql(f"SELECT count(*) AS n FROM '{file}' GROUP BY a, b").fetchall()
    assert sorted(release.groups.sizes.tolist()) == sorted(n for (n,) in cells)
    assert release.groups.whole.tolist() == [300_000] * 5
    assert spilled
    assert list(spill.iterdir()) == []


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_reading_a_file_does_not_import_pandas(folder, ending):
    """Arrow imports it to convert arrays, which would take longer than all the rest."""
    file = folder / f"patients.{ending}"
    duckdb.connect().execute(f"COPY (SELECT i % 3 AS age, i % 2 AS disease FROM range(12) r(i)) TO '{file}'")
    code = "import sys, sidelight; sidelight.read_release(sys.argv[1], group='age', sensitive='disease')"
    said = subprocess.run(
        [sys.executable, "-c", f"{code}; print('pandas' in sys.modules)", str(file)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert said.stdout == "False\n"


def test_a_file_that_changes_between_two_passes_is_noticed(folder, monkeypatch):
    file = folder / "a.parquet"
    pq.write_table(PATIENTS, file)
    packed = files.packed_rows

    def growing(*given):
        rows = packed(*given)
        pq.write_table(pa.concat_tables([PATIENTS, PATIENTS]), file)
        return rows

    monkeypatch.setattr(files, "packed_rows", growing)
    assert "a.parquet" in refused(source=file)  # DuckDB itself may notice; what must not happen is an answer
