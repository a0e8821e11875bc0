"""`sidelight audit --memory`: the same answers as without, what it refuses, and what is left when it is stopped."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import time

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import invoke
from support.waiting import PATIENCE
from support.words import mentions

import sidelight as sl
from sidelight.streams.memory import Memory
from sidelight.table.hierarchy_io import write_hierarchy

ROLES = ("--group", "zip", "--sensitive", "disease")
ROWS = pa.table({
    "zip": ["1", "1", "2", "3"] * 10,
    "disease": ["Flu", "Cold", "Flu", "Flu"] * 10,
    "weight": ["2", "2", "3.5", "4"] * 10,
})  # fmt: skip


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(ROWS, path)
    return str(path)


def run(*args):
    return invoke(["audit", *map(str, args)])


def test_sampling_weights(file):
    limits = ("--weight", "weight", "--limit", "individual risk <= 0.01", "--limit", "group size >= 2", "--json")
    held, streamed = run(file, *ROLES, *limits), run(file, *ROLES, *limits, "--memory", "1GB")
    assert (streamed.exit_code, json.loads(streamed.stdout)) == (held.exit_code, json.loads(held.stdout))
    assert held.exit_code == 1


def test_hierarchies(file, tmp_path):
    write_hierarchy(sl.Hierarchy("zip", (("1", "2", "3"), ("*", "*", "*"))), tmp_path / "zip.csv")
    asked = (file, *ROLES, "--hierarchies", tmp_path, "--json")
    held, streamed = run(*asked), run(*asked, "--memory", "1GB")
    assert (streamed.exit_code, json.loads(streamed.stdout)) == (held.exit_code, json.loads(held.stdout))
    assert held.exit_code == 0
    (tmp_path / "zip.csv").write_text("1,a,*\n1,b,*\n", encoding="utf-8")
    assert run(*asked).exit_code == run(*asked, "--memory", "1GB").exit_code == 2


@pytest.mark.parametrize("method", ["mondrian", "lattice", "anatomy"])
def test_a_file_with_a_sidecar(tmp_path, method):
    table = sl.read_table(ROWS, quasi="zip", sensitive="disease")
    by = {"zip": sl.Hierarchy.suppression("zip", ["1", "2", "3"])}
    limit = sl.DistinctValues() >= 2 if method == "lattice" else sl.GroupSize() >= 2
    found = sl.protect(table, limit, by=by, method=sl.Anatomy(l=2) if method == "anatomy" else method, ask="nobody")
    path = found.publish(tmp_path / "release.parquet").path
    for more in ((), ROLES, ("--measure", "maximum entropy")):
        held, streamed = run(path, *more, "--json"), run(path, *more, "--json", "--memory", "1GB")
        assert (streamed.exit_code, json.loads(streamed.stdout)) == (held.exit_code, json.loads(held.stdout))
        assert held.exit_code == 0


def test_a_page_tells_what_is_known_of_the_whole(file, tmp_path):
    page = tmp_path / "report.html"
    streamed = run(file, *ROLES, "--limit", "group size >= 20", "--memory", "1GB", "--html", page)
    assert streamed.exit_code == 1
    text = page.read_text(encoding="utf-8")
    assert "group 2 (zip 2)" in text
    assert "stream_release" in text
    assert "How large the groups are" not in text  # nobody held them


@pytest.mark.parametrize(
    "options",
    [
        ("--split", "|", "--values", "set", "--limit", "group size >= 20"),
        ("--measure", "maximum entropy", "--limit", "group size >= 20"),
        ("--population", "{file}"),
        ("--population", "{file}", "--limit", "journalist risk <= 1/20"),
    ],
    ids=["lists", "beliefs", "population", "limit on a population"],
)
def test_whatever_is_asked_has_the_answer_that_it_has_in_memory(file, options):
    asked = [*ROLES, "--json", *(each.format(file=file) for each in options)]
    held, streamed = run(file, *asked), run(file, *asked, "--memory", "1GB")
    assert (streamed.exit_code, streamed.stderr) == (held.exit_code, held.stderr)
    assert json.loads(streamed.stdout) == json.loads(held.stdout)


def test_groups_that_do_not_fit_are_refused_in_a_line(file, monkeypatch):
    monkeypatch.setattr(Memory, "holds_groups", lambda self, numbers: False)
    refused = run(file, *ROLES, "--memory", "1GB", "--measure", "maximum entropy")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert mentions(refused.stderr, "'maximum entropy'", "all groups at once")
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", ["BLOB[]", "STRUCT(a INTEGER)", "MAP(VARCHAR, INTEGER)"])
@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")], ids=["held", "streamed"])
def test_a_column_type_that_cannot_be_grouped(tmp_path, kind, memory):
    path = tmp_path / "odd.parquet"
    cells = {"BLOB[]": "['a'::BLOB]", "STRUCT(a INTEGER)": "{'a': 1}", "MAP(VARCHAR, INTEGER)": "MAP {'a': 1}"}
    duckdb.sql(f"COPY (SELECT {cells[kind]} AS zip, 'Flu' AS disease) TO '{path}' (FORMAT parquet)")
    refused = run(path, *ROLES, *memory)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"sidelight: column 'zip' holds {kind} cells; turn it into text first")
    assert refused.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Rows that do not fit into DuckDB's share of the least memory, of people who are all different."""
    path = tmp_path_factory.mktemp("rows") / "many.parquet"
    cells = "(i * 7919) % 60000 AS zip, (i * 104729) % 9 AS disease, i AS person"
    duckdb.sql(f"COPY (SELECT {cells} FROM range(2_000_000) AS t(i)) TO '{path}' (FORMAT parquet)")
    return path


def streaming(many, folder, **options):
    """The command line in a process of its own, with temporary files in a folder."""
    roles = (*ROLES, "--person", "person", "--values", "set", "--memory", "400MB")
    return subprocess.Popen(
        [sys.executable, "-m", "sidelight", "audit", str(many), *roles, "--limit", "group size >= 2"],
        env=os.environ | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_stops_it_finds_no_temporary_files(many, tmp_path, number):
    process = streaming(many, tmp_path)
    while not (spilled := [*tmp_path.glob("*/*")]) and process.poll() is None:
        time.sleep(0.01)
    assert spilled
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o700}
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stdout) == (128 + number, "")
    assert stderr.count("\n") == 1
    assert [*tmp_path.iterdir()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
def test_a_disk_too_small_for_what_duckdb_spills(many, tmp_path):
    limit = 2**20
    process = streaming(many, tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stdout) == (2, "")
    assert "set TMPDIR to a" in stderr
    assert "it takes up to" in stderr
    assert stderr.count("\n") == 1
    assert [*tmp_path.iterdir()] == []
