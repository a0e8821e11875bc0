"""`sidelight serve`: it begins, names its address, answers, and leaves nothing behind when it is told to end."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import invoke
from support.explorer import guest

from sidelight.cli.serve import ServeRequest, workspace
from sidelight.table.roles import Roles


@pytest.fixture
def server(sample_files):
    temporary = sample_files / "tmp"
    temporary.mkdir()
    command = [
        sys.executable,
        "-m",
        "sidelight",
        "serve",
        "patients.parquet",
        "-g",
        "age",
        "-s",
        "disease",
        "--no-browser",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temporary)}
    )
    address = process.stdout.readline().strip()
    yield process, address, temporary
    process.kill()
    process.communicate()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_it_answers_to_its_own_address_and_cleans_up(server, number, status):
    process, address, temporary = server
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", address)
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert "Sidelight" in opener.open(address).read().decode()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(address.partition("?")[0])
    assert [path.name[:10] for path in temporary.iterdir()] == ["sidelight-"]
    process.send_signal(number)
    _, words = process.communicate(timeout=300)  # a busy machine
    assert process.returncode == status
    assert words == "sidelight: interrupted; nothing unfinished is left behind\n"
    assert list(temporary.iterdir()) == []


def test_without_its_extra_one_line_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    for name in [name for name in sys.modules if name.startswith("sidelight.web")]:
        monkeypatch.delitem(sys.modules, name)
    outcome = invoke(["serve", "--no-browser"])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert outcome.stderr.startswith('sidelight: the page needs fastapi; install it with: pip install "sidelight[web]"')


def test_what_is_wrong_is_said_before_anything_is_served(sample_files):
    outcome = invoke(["serve", sample_files / "none.csv"])
    assert outcome.exit_code == 2
    assert "none.csv" in outcome.stderr
    outcome = invoke(["serve", sample_files / "patients.parquet", "-g", "agee", "-s", "disease"])
    assert (outcome.exit_code, "did you mean 'age'?" in outcome.stderr) == (2, True)


def test_a_port_that_is_taken_is_told(server):
    _, address, _ = server
    port = address.split(":")[2].partition("/")[0]
    outcome = invoke(["serve", "patients.parquet", "-g", "age", "-s", "disease", "--port", port, "--no-browser"])
    assert outcome.exit_code == 2
    assert f"cannot listen to port {port}" in outcome.stderr


def test_a_folder_that_is_not_there_is_told_before_anything_is_served(sample_files):
    outcome = invoke(["serve", sample_files / "patients.parquet", "--output", sample_files / "none", "--no-browser"])
    assert (outcome.exit_code, "no folder" in outcome.stderr) == (2, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_search_that_goes_on_ends_with_the_server(number, tmp_path):
    command = [sys.executable, "-m", "sidelight", "serve", "--no-browser", "--output", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = process.stdout.readline().strip()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    opener.open(address).read()
    home = address.partition("?")[0]
    columns = ("age", "education", "sex", "race", "marital-status", "workclass")
    fields = [*(("quasi", name) for name in columns), ("sensitive", "occupation"), ("suppress", "0.2")]
    fields += [("limit", "group size >= 5"), ("limit", "implications(k=3) < 0.5")]
    job = json.load(opener.open(f"{home}api/release?{urllib.parse.urlencode(fields)}", b""))["number"]
    while "looked at" not in json.load(opener.open(f"{home}api/jobs/{job}"))["sentence"]:
        time.sleep(0.05)
    process.send_signal(number)
    _, words = process.communicate(timeout=300)  # a busy machine
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130}[number]
    said = words.partition("nanobind:")[0]  # DuckDB's own library may tell of types that it did not tidy up
    assert said == "sidelight: interrupted; nothing unfinished is left behind\n"
    assert list(tmp_path.iterdir()) == []


def test_readers_look_people_up_in_the_population_that_the_command_names(sample_files):
    register = [{"age": 20 + n % 40, "sex": "mf"[n % 2]} for n in range(80)]
    pq.write_table(pa.Table.from_pylist(register), "register.parquet")
    roles = Roles(quasi=("age", "sex"), sensitive="disease")
    held = workspace(ServeRequest("patients.parquet", roles=roles, population="register.parquet"))
    assert "journalist risk(population=register.parquet)" in held.start.limits
    readers = guest(held).get(held.start.address("/api/readers")).json()["readers"]
    asked = {each["text"]: each["findings"][0]["result"]["text"] for each in readers}
    assert asked["journalist risk(population=register.parquet)"] == "1/2"
    client = guest(held)
    added = client.get(held.start.address("/readers", {"add": "journalist risk <= 1/3"}))
    assert "journalist risk(population=register.parquet) &lt;= 1/3" in added.text
    other = client.get(held.start.address("/readers", {"add": "journalist risk(population=other.csv) <= 1/3"}))
    assert "a page opens none" in other.text
