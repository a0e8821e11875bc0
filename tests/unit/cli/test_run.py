"""How the command line ends: with a status, and with one line when something is wrong."""

import subprocess
import sys

import pytest
from cyclopts import App
from support.command_line import invoke

from sidelight.errors import BadTable

SIDELIGHT = [sys.executable, "-m", "sidelight"]


def run(*args, **options):
    return subprocess.run([*SIDELIGHT, *args], capture_output=True, text=True, check=False, **options)


def command_line():
    """An empty command line that treats errors as ours does."""
    return App(name="sidelight", result_action="return_value", exit_on_error=False, print_error=False,
               suppress_keyboard_interrupt=False)  # fmt: skip


def failing(error):
    """A command line whose one verb fails."""
    verbs = command_line()

    @verbs.command
    def fail():
        raise error

    return invoke(["fail"], verbs), invoke(["fail", "--debug"], verbs)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["audit"], "missing argument 'RELEASE'"),
        (["audt"], "no verb 'audt'"),
        (["audit", "x.csv", "--grup", "age"], "no option '--grup'; did you mean '--group'?"),
        (["protect", "x.csv", "--outptu", "y.csv"], "no option '--outptu'; did you mean '--output'?"),
        (["--verbos"], "no option '--verbos'; did you mean '--version'?"),
        (["attack", "x.csv"], "missing option '--people'"),
        (["audit", "x.csv", "--json=yes please"], "invalid value for '--json': it takes none"),
        (["audit", "x.csv", "-p", "a.toml", "-p", "b.toml"], "option '-p' is given twice"),
        (
            ["explore", "x.csv", "--up-to", "-1", "--value", "a"],
            "invalid value for '--up-to': give a number of at least 0",
        ),
        (["audit", "x.csv", "--values", "sets"], "invalid value for '--values': 'sets' is not one of 'single', 'set'"),
        (["explore", "x.csv", "--up-to", "far", "--value", "a"], "invalid value for '--up-to': give a whole number"),
        (["protect", "x.csv", "--suppress", "few", "-o", "y.csv"], "invalid value for '--suppress': give a number"),
        (["audit", "x.csv", "y.csv", "z.csv"], "cannot tell what 'y.csv z.csv' is for"),
        (["audit", "x.csv", "--policy"], "option '--policy' requires an argument"),
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
    assert (result.returncode, result.stdout) == (2, "")
    assert "audit" in result.stderr
    assert "sidelight:" not in result.stderr


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


def test_a_reader_who_leaves_learns_nothing():
    command = " ".join([f"'{part}'" for part in [*SIDELIGHT, "policy-schema"]])
    script = f"{command} | exec true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("2\n", "")
