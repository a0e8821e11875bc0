"""What surrounds a command is odd: little memory, a working folder that is gone, names that are no UTF-8, far dates."""

import datetime as dt
import os
import shlex
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import invoke
from support.waiting import PATIENCE
from support.words import mentions

import sidelight as sl
from sidelight.__main__ import PER_PROCESSOR, TO_BEGIN

LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), resource.getrlimit(resource.RLIMIT_AS)[1]))
sys.argv = ["sidelight", *sys.argv[2:]]
runpy.run_module("sidelight", run_name="__main__")
"""
QUESTION = ("-g", "age", "-s", "disease", "-m", "group size")


def run_limited(limit, *words, folder):
    command = [sys.executable, "-c", LIMITED, str(limit), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.parametrize("megabytes", [250, 500, 800])
def test_too_little_memory_to_begin_with_is_one_line(megabytes, tmp_path):
    done = run_limited(megabytes << 20, "audit", "people.csv", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"sidelight: memory is limited to {megabytes} MB (ulimit -v)")


def test_memory_that_does_not_suffice_is_one_line(tmp_path):
    names = "age,sex,zip,disease\n"
    rows = "".join(f"{at % 97},{at % 2},{at * 7919 % 99991},{at % 5}\n" for at in range(150_000))
    (tmp_path / "people.csv").write_text(names + rows)
    enough_to_begin = TO_BEGIN + PER_PROCESSOR * (os.cpu_count() or 1)
    words = ("audit", "people.csv", *["-g", "age", "-g", "sex", "-g", "zip", "-s", "disease", "-m"], "group size")
    done = run_limited(enough_to_begin, *words, folder=tmp_path)
    assert done.returncode in (0, 2), done.stderr
    assert done.stderr.count("\n") == (done.returncode == 2)
    assert done.returncode == 0 or "not enough memory" in done.stderr


CRASHING = """
import os, resource, signal, sys, types
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

def main():
    print("working", flush=True)
    print("sidelight: a line of ours", file=sys.stderr, flush=True)
    os.write(2, b"terminate called after throwing an instance of std::bad_alloc")
    {}

sys.modules["sidelight.cli.app"] = types.SimpleNamespace(main=main)  # stands for a library that crashes
from sidelight.__main__ import main as start
start()
"""


def run_crashing(end):
    command = [sys.executable, "-c", CRASHING.format(end)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("kind", ["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL"])
def test_library_that_crashes_where_memory_is_limited_is_one_line(kind):
    done = run_crashing(f"os.kill(os.getpid(), signal.{kind})")
    ours, crash = done.stderr.splitlines()
    assert (done.returncode, done.stdout, ours) == (2, "working\n", "sidelight: a line of ours")
    assert crash.startswith("sidelight: not enough memory")
    assert mentions(crash, "2,048 MB", "ulimit -v", "raise")


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("sys.exit(0)", 0),
        ("sys.exit(1)", 1),
        ("sys.exit(2)", 2),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("signal.signal(signal.SIGTERM, signal.SIG_DFL); os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        (
            "signal.signal(signal.SIGTERM, lambda *_: sys.exit(143)); os.kill(os.getppid(), signal.SIGTERM); signal.pause()",
            143,
        ),
    ],
)
def test_every_other_end_where_memory_is_limited_is_as_it_was(end, status):
    done = run_crashing(end)
    assert (done.returncode, done.stdout, done.stderr) == (status, "working\n", "sidelight: a line of ours\n")


def test_command_that_is_killed_where_memory_is_limited_does_not_go_on(tmp_path):
    command = [sys.executable, "-c", CRASHING.format("signal.pause()")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == "working\n"
        process.kill()
        assert process.stdout.read() == ""  # ends: nobody has it open any more


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        (("audit", "{there}/people.csv", *QUESTION), True),
        (("audit", "people.csv", *QUESTION), False),
        (("audit", "{there}/people.csv", *QUESTION, "-o", "answer.json"), False),
        (
            (
                "protect",
                "{there}/people.csv",
                *["-g", "age", "-s", "disease", "--limit"],
                "group size >= 5",
                "-o",
                "r.csv",
            ),
            False,
        ),
        (("ledger", "begin", "ledger.json", "--epsilon", "1"), False),
        (("columns", "{there}/people.csv"), True),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else "",
)
def test_a_working_folder_that_is_gone_is_one_line(words, fits, tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text("age,disease\n" + "20,Flu\n21,Cold\n" * 10)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    result = invoke([word.format(there=tmp_path) for word in words])
    assert (result.exit_code, "should not have" in result.stderr) == (0 if fits else 2, False)
    assert fits or result.stderr.count("\n") == 1


@pytest.mark.parametrize("place", [1, 2, 3])
def test_names_that_are_not_utf8_are_one_line(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = os.fsdecode(b"stra\xdfe.csv")
    for name in (odd, "people.csv"):
        with open(name, "w") as file:  # noqa: PTH123 - as a shell would
            file.write("age,disease\n" + "20,Flu\n21,Cold\n" * 10)
    words = ["audit", odd if place == 1 else "people.csv", *QUESTION]
    words += ["--html", odd, "--force"] if place == 2 else ["--policy", odd] if place == 3 else []
    result = invoke(words)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "stra[U+DCDF]e.csv' is not UTF-8" in result.stderr
    with pytest.raises(sl.SidelightError, match="is not UTF-8"):
        sl.read_table(odd, quasi="age", sensitive="disease")


FAR = {
    "moments": pa.array([2**62, -(2**62)], pa.int64()).cast(pa.timestamp("us")),
    "moments in a zone": pa.array([2**62, -(2**62)], pa.int64()).cast(pa.timestamp("us", tz="UTC")),
    "seconds": pa.array([2**40, -(2**40)], pa.int64()).cast(pa.timestamp("s")),
    "days": pa.array([2**31 - 1, -(2**31)], pa.int32()).cast(pa.date32()),
    "years before Christ": pa.array([-800_000, 0], pa.int32()).cast(pa.date32()),
    "the year 10000": pa.array([2_932_897, 0], pa.int32()).cast(pa.date32()),
}


@pytest.mark.parametrize("kind", FAR)
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_dates_beyond_the_calendar_are_one_line(kind, role, tmp_path):
    rows = pa.table({"when": FAR[kind], "sex": ["f", "m"]})
    pq.write_table(rows, tmp_path / "far.parquet")
    roles = {"quasi": "when", "sensitive": "sex"} if role == "quasi" else {"quasi": "sex", "sensitive": "when"}
    for source in (rows, tmp_path / "far.parquet"):
        with pytest.raises(sl.SidelightError, match="before the year 1 or after 9999"):
            sl.read_table(source, **roles)
    result = invoke(["columns", str(tmp_path / "far.parquet")])
    assert (result.exit_code, "before the year 1 or after 9999" in result.stderr) == (2, True)


def test_the_first_and_the_last_day_are_read():
    rows = pa.table({"when": [dt.date.min, dt.date.max], "sex": ["f", "m"]})
    assert sl.read_table(rows, quasi="when", sensitive="sex").people == 2


WITHIN, OUTSIDE = ("-l", "group size >= 2"), ("-l", "group size >= 99")


@pytest.mark.parametrize(
    ("words", "redirected", "status"),
    [
        (("audit", "none.csv", "-g", "age", "-s", "disease"), "2>/dev/full", 2),
        (("audit", "none.csv", "-g", "age", "-s", "disease"), "2>&-", 2),
        (("audit", "people.csv", "-g", "age", "-s", "disease", *WITHIN), "2>/dev/full", 0),
        (("audit", "people.csv", "-g", "age", "-s", "disease", *WITHIN), "2>&-", 0),
        (("audit", "people.csv", "-g", "age", "-s", "disease", *OUTSIDE), "2>/dev/full", 1),
        (("audit", "people.csv", "-g", "age", "-s", "disease", *WITHIN), ">&- 2>&-", 2),
        (("audit", "people.csv", "-g", "age", "-s", "disease", *WITHIN), ">/dev/full 2>/dev/full", 2),
        (("audit", "-", "-g", "age", "-s", "disease", *WITHIN), "<&-", 2),
    ],
    ids=str,
)
def test_the_status_is_true_where_nobody_hears_why(words, redirected, status, tmp_path):
    (tmp_path / "people.csv").write_text("age,disease\n" + "1,Flu\n1,Cold\n" * 3)
    command = f"{shlex.join([sys.executable, '-m', 'sidelight', *words])} {redirected}"
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == status
    assert "should not have happened" not in done.stderr
