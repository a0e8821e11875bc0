"""Standard output that is full or closed, and a terminal that is closed: status, one line, and nothing unfinished."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.waiting import PATIENCE
from support.words import mentions

TABLE = "sex,disease\n" + "f,Flu\nf,Cold\nm,Flu\nm,Cold\n" * 3
PROTECT = ("protect", "t.csv", "-g", "sex", "-s", "disease", "-l", "group size >= 2", "--suppress-only", "sex")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def begun(folder, *words, **streams):
    return subprocess.Popen(
        [sys.executable, "-m", "sidelight", *words], cwd=folder, stderr=subprocess.PIPE, text=True, **streams
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_standard_output_says_what_was_published(folder):
    with Path("/dev/full").open("w") as full:
        process = begun(folder, *PROTECT, "-o", "out.csv", stdout=full)
        _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert error.startswith("sidelight: ")
    assert mentions(error, "standard output", "No space left on device", "written already", "out.csv")
    assert error.count("\n") == 1
    assert (folder / "out.csv").exists()


def test_closed_standard_output_is_no_crash(folder):
    words = f"exec {sys.executable} -m sidelight promise -e 1 >&-"
    outcome = subprocess.run(
        ["/bin/sh", "-c", words], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert outcome.returncode == 2
    assert outcome.stderr.startswith("sidelight: ")
    assert mentions(outcome.stderr, "standard output", "Bad file descriptor")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGHUP], ids=str)
def test_a_process_that_is_told_to_end_cleans_up(folder, ends):
    os.mkfifo(folder / "wait")
    code = (
        # whoever runs tests by nohup has the signal ignored, which is heeded
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL);"
        "import sys; from pathlib import Path; from sidelight.publish import publish;"
        "publish.build_sidecar = lambda *_, **__: Path('wait').write_text('here') and __import__('time').sleep(600);"
        "from sidelight.cli.app import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *PROTECT, "-o", "out.csv"], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    with os.fdopen(os.open(folder / "wait", os.O_RDONLY | os.O_NONBLOCK)) as wait:
        select.select([wait], [], [], PATIENCE)  # a child that ends before it writes is waited for no longer
        assert wait.read() == "here"
    process.send_signal(ends)
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143, error
    assert error.startswith("sidelight: interrupted; ")
    assert sorted(each.name for each in folder.iterdir()) == ["t.csv", "wait"]
