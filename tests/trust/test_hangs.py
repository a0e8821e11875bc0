"""What would be waited for or computed for ever is one line, at once."""

import os
import signal
from contextlib import contextmanager

import pytest
from support.command_line import invoke
from support.waiting import PATIENCE

ROLES = ("-g", "sex", "-s", "disease")
NOISE = ("noise", "t.csv", "--levels", "sex=0", "-s", "disease", "--epsilon", "1", "-o", "o.csv")
DIGITS = "9" * 5000
SECONDS = 20
"""Of processor time: far more than any of this takes, and less than for ever."""


@contextmanager
def in_time():
    def late(*_):
        message = "it hangs"
        raise AssertionError(message)

    before = [(number, signal.signal(number, late)) for number in (signal.SIGALRM, signal.SIGPROF)]
    signal.alarm(PATIENCE)  # for what waits
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # for what computes
    try:
        yield
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        for number, handler in before:
            signal.signal(number, handler)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("age,sex,disease\n1,f,Flu\n2,m,Cold\n1,f,Cold\n2,m,Flu\n")
    for name in ("pipe.csv", "pipe.toml", "pipe.json"):
        os.mkfifo(tmp_path / name)
    for ending in ("csv", "toml", "json"):
        (tmp_path / f"one.{ending}").symlink_to(tmp_path / f"other.{ending}")
        (tmp_path / f"other.{ending}").symlink_to(tmp_path / f"one.{ending}")
    (tmp_path / "deep.toml").write_text("a = " + "[" * 50_000 + "]" * 50_000)
    (tmp_path / "dotted.toml").write_text("a" + ".a" * 50_000 + " = 1")
    (tmp_path / "deep.json").write_text('{"a":' * 50_000 + "1" + "}" * 50_000)
    for name in ("told.csv.sidelight.json", "noisy.csv.noise.json"):
        (tmp_path / name).write_text('{"a":' * 50_000 + "1" + "}" * 50_000)
        (tmp_path / name.replace(".sidelight.json", "").replace(".noise.json", "")).write_text("sex,disease\nf,Flu\n")
    return tmp_path


def refused(words):
    with in_time():
        result = invoke(words)
    assert result.exit_code == 2, result.output
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)
    assert "should not have happened" not in result.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("number", ["1e-999999999", "1e999999999", DIGITS, f"1/{DIGITS}"], ids=len)
def test_numbers_without_end(number):
    for words in (
        ("believe", "t.csv", *ROLES, "--know", f"P(Flu)={number}"),
        ("audit", "t.csv", *ROLES, "-l", f"group size >= {number}"),
        ("audit", "t.csv", *ROLES, "-l", f"implications(3) < {number}"),
        ("audit", "t.csv", *ROLES, "-m", f"implications({number})"),
        ("audit", "t.csv", *ROLES, "--memory", number),
        ("promise", "-e", number),
        ("promise", "-e", "1", "--delta", number),
        ("ledger", "begin", "l.json", "--epsilon", number),
        ("noise", "t.csv", "--levels", f"sex={number}", "-s", "disease", "--epsilon", "1", "-o", "o.csv"),
        ("explore", "t.csv", *ROLES, "--value", "Flu", "--up-to", number),
        ("columns", "t.csv", "--alone", number),
    ):
        refused(words)


@pytest.mark.parametrize("cell", ["0e99999999", "1e-99999999", "1e-999999999", f"1e{DIGITS}", DIGITS], ids=len)
def test_cells_with_zeros_without_end(cell, folder):
    (folder / "t.csv").write_text(
        "age,sex,disease\n" + "".join(f"{at},f,Flu\n" for at in range(20, 50)) + f"{cell},m,Cold\n"
    )
    for words in (
        ("columns", "t.csv"),
        ("hierarchies", "t.csv", "-g", "age", "-o", "made"),
        ("audit", "t.csv", *ROLES, "--weight", "age", "-l", "individual risk <= 0.5"),
        ("audit", "t.csv", "-g", "sex", "-s", "age", "-l", "dominance(1) < 0.9"),
    ):
        with in_time():
            result = invoke(words)
        assert result.exit_code in (0, 1, 2)
        assert "should not have happened" not in result.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "words",
    [
        ("explore", "t.csv", *ROLES, "--value", "Flu", "--up-to", "1000000000"),
        ("columns", "t.csv", "--up-to", "1000000000"),
        ("audit", "t.csv", *ROLES, "-m", f"acquaintance({10**20}, {10**20}, {10**20})"),
    ],
    ids=" ".join,
)
def test_amounts_beyond_reason(words):
    refused(words)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "text", ["a" + " " * 400 + "=", "a" + " " * 20_000 + "=", "(" * 20_000, "not " * 10_000], ids=len
)
def test_texts_without_sense(text):
    for words in (
        ("believe", "t.csv", *ROLES, "--know", text),
        ("believe", "t.csv", *ROLES, "--given", text, "--target", "Ann"),
        ("audit", "t.csv", *ROLES, "-l", text),
        ("protect", "t.csv", *ROLES, "-l", "group size >= 2", "--suppress-only", "sex", "--levels", text),
        (*NOISE[:3], text, *NOISE[4:]),
        (*NOISE, "--query", text),
    ):
        refused(words)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("file", ["pipe.csv", "one.csv", "/dev/zero", "told.csv", "x/" * 4000 + "t.csv"], ids=len)
def test_files_that_are_none(file):
    for words in (
        ("audit", file, *ROLES),
        ("columns", file) if file != "told.csv" else ("report", file),
        ("attack", "t.csv", file, "--people", "t.csv", *ROLES),
        ("audit", "t.csv", *ROLES, "--population", file, "-l", "journalist risk <= 0.5", "-p", "deep.toml"),
    ):
        refused(words)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "file", ["pipe.toml", "pipe.json", "one.toml", "one.json", "deep.toml", "dotted.toml", "deep.json", "noisy.csv"]
)
def test_documents_that_are_none(file):
    for words in (
        ("audit", "t.csv", *ROLES, "-p", file),
        ("ledger", "show", file),
        ("promise", file),
        ("count", file),
        (*NOISE, "--ledger", file),
    ):
        refused(words)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("times", ["1000000000", DIGITS], ids=len)
def test_repetitions_without_end(times):
    refused(
        [
            "simulate",
            "t.csv",
            *ROLES,
            "--overlap",
            "1",
            "--seed",
            "1",
            "--limit",
            "group size >= 1",
            "--repetitions",
            times,
        ]
    )
