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
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import invoke
from support.explorer import guest
from support.signals import sigint
from support.waiting import PATIENCE
from support.words import mentions

from sidelight.answers.request import Settings
from sidelight.cli.serve import workspace
from sidelight.table.roles import Roles


@pytest.fixture(params=[signal.default_int_handler], ids=["in foreground"])
def server(sample_files, request):
    """A server in a process of its own; `signal.SIG_IGN` as its parameter is a background job's."""
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
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with sigint(request.param):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
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
    # besides the folder of the page, workers have one for their sockets
    assert {path.name[:5] for path in temporary.iterdir()} - {"pymp-"} == {"sidel"}
    process.send_signal(number)
    _, words = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    assert words == "sidelight: interrupted; nothing unfinished is left behind\n"
    assert list(temporary.iterdir()) == []


BROWSER = """#!/bin/sh
printf '%s\\n' "$@" > arguments.unfinished
mv arguments.unfinished arguments
"""


def test_the_token_is_not_among_the_arguments_of_the_browser(sample_files):
    browser, arguments = sample_files / "browser", sample_files / "arguments"
    browser.write_text(BROWSER)
    browser.chmod(0o700)
    command = [sys.executable, "-m", "sidelight", "serve", "patients.parquet", "-g", "age", "-s", "disease"]
    environment = {**os.environ, "BROWSER": f"{browser} %s", "TMPDIR": str(sample_files)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            address = process.stdout.readline().strip()
            deadline = time.monotonic() + 60
            while not arguments.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            (opened,) = arguments.read_text().splitlines()
            token = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)["token"][0]
            assert token not in opened
            path = Path(urllib.request.url2pathname(urllib.parse.urlsplit(opened).path))
            assert (urllib.parse.urlsplit(opened).scheme, path.stat().st_mode & 0o777) == ("file", 0o600)
            assert f"url={address}" in path.read_text()
        finally:
            process.terminate()
            process.wait(60)
    assert not path.exists()


def test_without_its_extra_one_line_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    for name in [name for name in sys.modules if name.startswith("sidelight.web")]:
        monkeypatch.delitem(sys.modules, name)
    outcome = invoke(["serve", "--no-browser"])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert mentions(outcome.stderr, "sidelight:", "needs fastapi", 'pip install "sidelight[web]"')


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


@pytest.mark.parametrize("server", [signal.SIG_IGN], indirect=True)
def test_in_background_it_ignores_ctrl_c_and_ends_by_sigterm(server):
    process, address, temporary = server
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    opener.open(address).read()
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    home = address.partition("?")[0]
    assert "Sidelight" in opener.open(home).read().decode()
    process.send_signal(signal.SIGTERM)
    _, words = process.communicate(timeout=PATIENCE)
    assert (process.returncode, words) == (143, "sidelight: interrupted; nothing unfinished is left behind\n")
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("hears_ctrl_c")
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
    _, words = process.communicate(timeout=PATIENCE)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130}[number]
    said = words.partition("nanobind:")[0]  # DuckDB's own library may tell of types that it did not tidy up
    assert said == "sidelight: interrupted; nothing unfinished is left behind\n"
    assert list(tmp_path.iterdir()) == []


def test_readers_look_people_up_in_the_population_that_the_command_names(sample_files):
    register = [{"age": 20 + n % 40, "sex": "mf"[n % 2]} for n in range(80)]
    pq.write_table(pa.Table.from_pylist(register), "register.parquet")
    roles = Roles(quasi=("age", "sex"), sensitive="disease")
    held = workspace("patients.parquet", Settings(population="register.parquet"), roles)
    assert "journalist risk(population=register.parquet)" in held.start.limits
    readers = guest(held).get(held.start.address("/api/readers")).json()["readers"]
    asked = {each["text"]: each["findings"][0]["result"]["text"] for each in readers}
    assert asked["journalist risk(population=register.parquet)"] == "1/2"
    client = guest(held)
    added = client.get(held.start.address("/readers", {"add": "journalist risk <= 1/3"}))
    assert "journalist risk(population=register.parquet) &lt;= 1/3" in added.text
    other = client.get(held.start.address("/readers", {"add": "journalist risk(population=other.csv) <= 1/3"}))
    assert "a page opens none" in other.text
