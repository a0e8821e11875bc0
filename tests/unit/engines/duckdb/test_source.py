"""Rows that DuckDB counts: nothing is left behind, changed or brought along."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.patients import PATIENTS, read, refused, written
from support.waiting import PATIENCE, wait_for_work
from support.words import mentions

import sidelight as sl
from sidelight.engines.duckdb import source as duckdb_session
from sidelight.engines.duckdb import source as duckdb_source
from sidelight.engines.duckdb.source import connection
from sidelight.errors import BadTable

SLOW = """
import sys, duckdb, sidelight as sl
try:
    print("ready", flush=True)
    sl.read_table(sys.argv[1], quasi=["a", "b"], sensitive="c")
except KeyboardInterrupt:
    sys.exit(42)
sys.exit(7)
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def test_parquet_files_must_agree_about_types(folder):
    pq.write_table(PATIENTS, folder / "1.parquet")
    pq.write_table(PATIENTS.set_column(0, "zip", [[1, 2, 3, 4]]), folder / "2.parquet")
    assert mentions(refused(source=str(folder / "?.parquet")), "'zip'", "different types")
    capitals = PATIENTS.append_column("ZIP", PATIENTS["zip"])
    pq.write_table(capitals, folder / "3.parquet")
    assert mentions(refused(source=folder / "3.parquet"), "two columns", "'zip'", "capitals")


@pytest.mark.parametrize("capitals", [["ZIP", "zip"], ["zip", "ZIP"]], ids=str)
@pytest.mark.parametrize("first", [True, False])
def test_columns_that_differ_in_capitals_are_refused_in_whichever_file_they_are(folder, capitals, first):
    plain = pa.table({"zip": ["1", "1"], "disease": ["Flu", "Cold"]})
    twice = pa.table(
        {name: ["1", "1"] if name == "zip" else ["8", "9"] for name in capitals} | {"disease": ["Flu", "Cold"]}
    )
    for number, rows in enumerate([twice, plain] if first else [plain, twice]):
        pq.write_table(rows, folder / f"{number}.parquet")
    with pytest.raises(BadTable, match=rf"two columns of {1 - first}\.parquet.*'zip'.*capitals"):
        sl.read_table(str(folder / "?.parquet"), quasi="zip", sensitive="disease")


def test_columns_of_any_file_that_are_not_used_are_named(folder):
    pq.write_table(pa.table({"zip": ["1"], "disease": ["Flu"], "doctor": ["A"]}), folder / "1.parquet")
    pq.write_table(pa.table({"ward": ["B"], "disease": ["Flu"], "zip": ["1"]}), folder / "2.parquet")
    table = sl.read_table(str(folder / "?.parquet"), quasi="zip", sensitive="disease")
    assert table.intake.columns_dropped == ("doctor", "ward")


WHOLE_AND_FRACTIONS = [
    (pa.int64(), [34, 35], pa.float64(), True),
    (pa.int64(), [2**53 - 1, 2**53], pa.float64(), True),
    (pa.int64(), [2**53, 2**53 + 1], pa.float64(), False),
    (pa.int64(), [-(2**53), -(2**53) - 1], pa.float64(), False),
    (pa.uint64(), [2**63, 2**63 + 1], pa.float64(), False),
    (pa.int32(), [100_000_001, 100_000_002], pa.float64(), True),
    (pa.int32(), [100_000_001, 100_000_002], pa.float32(), False),
    (pa.int64(), [34, 35], pa.float32(), True),
    (pa.int16(), [32_766, 32_767], pa.float32(), True),
    (pa.int64(), [None, None], pa.float32(), True),
]


@pytest.mark.parametrize(("whole", "numbers", "fractions", "exact"), WHOLE_AND_FRACTIONS, ids=str)
@pytest.mark.parametrize("told", [True, False])
def test_whole_numbers_that_fractions_of_another_file_would_round_are_refused(
    folder, whole, numbers, fractions, exact, told
):
    rows = pa.table({"zip": pa.array(numbers, whole), "disease": ["Flu", "Cold"]})
    pq.write_table(rows, folder / "1.parquet", write_statistics=told)
    pq.write_table(pa.table({"zip": pa.array([0.5], fractions), "disease": ["Flu"]}), folder / "2.parquet")
    if exact and (told or whole in (pa.int16(), pa.int32())):
        table = sl.read_table(str(folder / "?.parquet"), quasi="zip", sensitive="disease")
        assert {*table.quasi[0].labels} == {"0.5", *(None if each is None else str(each) for each in numbers)}
    else:
        with pytest.raises(BadTable, match=r"'zip'.*different types.*as text"):
            sl.read_table(str(folder / "?.parquet"), quasi="zip", sensitive="disease")


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


FORKING = """
import os, pyarrow as pa, sidelight as sl

def people():
    return sl.read_table(pa.table({"sex": ["f", "m"], "disease": ["Flu", "Cold"]}), quasi="sex", sensitive="disease").people

people()
child = os.fork()
if child == 0:
    assert people() == 2
else:
    assert os.waitpid(child, 0)[1] == 0
    assert people() == 2
"""


def test_a_process_that_read_few_rows_may_fork():
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_few_rows_are_counted_beside_each_other(folder):
    """Each has a connection of its own, whose views and tables the others do not see."""
    pq.write_table(PATIENTS, folder / "a.parquet")
    with connection(few=True) as one, connection(few=True) as other:
        one.register("src", PATIENTS)
        one.execute("CREATE TEMP VIEW seen AS SELECT * FROM src")
        other.execute("CREATE TEMP VIEW src AS SELECT 1 AS number")
        assert one.sql("SELECT count(*) FROM seen").fetchall() == [(PATIENTS.num_rows,)]
        assert other.sql("SELECT * FROM src").fetchall() == [(1,)]
    with connection(few=True) as empty:
        assert empty.sql("SHOW TABLES").fetchall() == []


@pytest.mark.parametrize("name", ["a.parquet", "a.csv"])
def test_few_rows_and_many_are_counted_alike(folder, monkeypatch, name):
    file = folder / name
    duckdb.connect().execute(
        f"COPY (SELECT i % 7 AS zip, i % 2 AS sex, i % 3 AS disease FROM range(99) r(i)) TO '{file}'"
    )
    few, few_guess = read(file), sl.suggest_roles(file)
    monkeypatch.setattr(duckdb_session, "FEW_BYTES", 0)
    assert read(file).counts.dense().tolist() == few.counts.dense().tolist()
    assert repr(sl.suggest_roles(file)) == repr(few_guess)


@pytest.mark.usefixtures("hears_ctrl_c")
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
        while not list((folder / "spill").iterdir()) and busy.poll() is None:
            time.sleep(0.01)
        wait_for_work(busy, seconds=0.3)
        busy.send_signal(signal.SIGINT)
        assert busy.wait(timeout=PATIENCE) == 42
    assert list((folder / "spill").iterdir()) == []


def test_a_table_larger_than_the_memory_allowed_is_counted_on_disk(folder, monkeypatch):
    file, spill = folder / "big.parquet", folder / "spill"
    spill.mkdir()
    wide = "SELECT hash(i) % 3000 AS a, hash(i + 7) % 3000 AS b, i % 5 AS c FROM range(1_500_000) r(i)"
    duckdb.connect().execute(f"COPY ({wide}) TO '{file}'")
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    monkeypatch.setitem(duckdb_session.SETTINGS, "memory_limit", "40MB")
    monkeypatch.setitem(duckdb_session.SETTINGS, "threads", 2)
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
    output = subprocess.run(
        [sys.executable, "-c", f"{code}; print('pandas' in sys.modules)", str(file)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert output.stdout == "False\n"


def test_a_file_that_changes_between_two_passes_is_noticed(folder, monkeypatch):
    file = folder / "a.parquet"
    pq.write_table(PATIENTS, file)
    packed = duckdb_source.packed_rows

    def growing(*given):
        rows = packed(*given)
        pq.write_table(pa.concat_tables([PATIENTS, PATIENTS]), file)
        return rows

    monkeypatch.setattr(duckdb_source, "packed_rows", growing)
    assert "a.parquet" in refused(source=file)  # DuckDB itself may notice; what must not happen is an answer
