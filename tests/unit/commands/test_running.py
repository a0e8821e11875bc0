"""How the command line ends: with a status, and with one line when something is wrong."""

import signal
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import sidelight
from sidelight.cli import app
from sidelight.commands.running import Verbs
from sidelight.errors import BadTable

SIDELIGHT = [sys.executable, "-m", "sidelight"]


def run(*args, **options):
    return subprocess.run([*SIDELIGHT, *args], capture_output=True, text=True, check=False, **options)


def failing(error):
    """A command line whose one verb fails."""
    verbs = typer.Typer(cls=Verbs)

    @verbs.callback()
    def every_verb():
        pass

    @verbs.command()
    def fail():
        raise error

    return CliRunner().invoke(verbs, ["fail"]), CliRunner().invoke(verbs, ["fail", "--debug"])


def test_help_and_version():
    for args in (["--help"], ["-h"], ["audit", "--help"], ["demo", "--help"]):
        result = CliRunner().invoke(app, args)
        assert (result.exit_code, result.stderr) == (0, "")
    assert run("--version").stdout == f"sidelight {sidelight.__version__}\n"


def test_help_says_what_to_give_and_not_of_which_type():
    for verb in ("audit", "explore", "protect", "believe", "attack", "noise"):
        text = CliRunner().invoke(app, [verb, "--help"]).stdout
        options = [line for line in text.splitlines() if " --" in line]
        assert options
        assert not [line for line in options if "list[" in line or "<path>" in line or "<str>" in line]


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from typer.testing import CliRunner; from sidelight.cli import app;"
        "CliRunner().invoke(app, ['audit', '--help']); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "scipy", "pyarrow", "duckdb", "narwhals"}.intersection(loaded) == set()


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["audit"], "Missing argument 'FILE'"),
        (["audt"], "No such command 'audt'"),
        (["audit", "x.csv", "--grup", "age"], "No such option"),
        (["audit", "x.csv", "--values", "sets"], "Invalid value for '--values': 'sets' is not one of 'single', 'set'"),
        (["explore", "x.csv", "--up-to", "far", "--value", "a"], "Invalid value for '--up-to': give a whole number"),
        (["protect", "x.csv", "--suppress", "few", "-o", "y.csv"], "Invalid value for '--suppress': give a number"),
        (["audit", "x.csv", "--policy"], "Option '--policy' requires an argument"),
    ],
)
def test_usage_errors_are_one_line_and_status_2(args, line):
    result = run(*args)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"sidelight: {line}")
    assert result.stderr.rstrip().endswith("--help'")
    assert result.stderr.count("\n") == 1


def test_without_a_verb_help_is_shown_and_nothing_is_judged():
    result = run()
    assert result.returncode == 2
    assert "audit" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (BadTable("no such thing"), "sidelight: no such thing\n"),
        (FileNotFoundError(2, "No such file", "x.csv"), "sidelight: cannot use 'x.csv': No such file\n"),
        (MemoryError(), "sidelight: not enough memory; give fewer columns or a smaller file\n"),
        (
            ValueError("private: Bob has Flu"),
            "sidelight: this should not have happened (ValueError); run it again with --debug and report what it shows\n",
        ),
    ],
)
def test_errors_are_one_line_and_debug_shows_where(error, line):
    plain, debug = failing(error)
    assert (plain.exit_code, plain.stdout, plain.stderr) == (2, "", line)
    assert debug.exit_code == 2
    assert "Traceback" in debug.stderr
    assert debug.stderr.endswith(line)


@pytest.mark.parametrize(
    ("said", "line"),
    [((), "nothing unfinished is left behind"), (("nothing was published",), "nothing was published")],
)
def test_an_interrupt_is_one_line(said, line):
    result, _ = failing(KeyboardInterrupt(*said))
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", f"sidelight: interrupted; {line}\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_that_a_library_made_an_error_of_is_one_too():
    verbs = typer.Typer(cls=Verbs)

    @verbs.callback()
    def every_verb():
        pass

    @verbs.command()
    def half():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            message = "half of it was imported"
            raise AttributeError(message) from None

    result = CliRunner().invoke(verbs, ["half"])
    assert (result.exit_code, result.stderr) == (130, "sidelight: interrupted; nothing unfinished is left behind\n")


STOPPED = """
import os, signal, sys

class Stop:
    def find_spec(self, name, *_):
        if name == sys.argv[-1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Stop())
from sidelight.__main__ import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("module", "status", "said"),
    [
        ("typer", -signal.SIGINT, ""),  # the command line is being loaded
        ("numpy", 130, "sidelight: interrupted; nothing unfinished is left behind\n"),  # the verb is
    ],
)
def test_ctrl_c_while_modules_are_loaded_shows_no_traceback(module, status, said):
    command = [sys.executable, "-c", STOPPED, "audit", "-g", "age", "-s", "disease", module]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (status, "", said)


def test_a_reader_who_leaves_learns_nothing():
    command = " ".join([f"'{part}'" for part in [*SIDELIGHT, "policy-schema"]])
    script = f"{command} | exec true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("2\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_with_130_and_a_line():
    code = (
        "import sys, time; import sidelight.cli as cli; import sidelight.policy.writing as writing;"
        "writing.policy_schema = lambda: (print('on', flush=True), time.sleep(60));"
        "sys.argv = ['sidelight', 'policy-schema']; cli.main()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"on\n"
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=30)
    assert (running.returncode, errors) == (130, b"sidelight: interrupted; nothing unfinished is left behind\n")
