"""How the command line ends: with a status, and with one line when something is wrong."""

import os
import signal
import subprocess
import sys
import time
import typing

import pytest
from cyclopts import App
from support.command_line import invoke

import sidelight
from sidelight.cli.app import app
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


def test_help_and_version():
    for args in (["--help"], ["-h"], ["audit", "--help"], ["demo", "--help"]):
        result = invoke(args)
        assert (result.exit_code, result.stderr) == (0, "")
    assert run("--version").stdout == f"sidelight {sidelight.__version__}\n"


VERBS = ("audit", "explore", "protect", "believe", "attack", "noise", "demo")


def page(monkeypatch, *args):
    """A help page, 80 columns wide."""
    monkeypatch.setenv("COLUMNS", "80")
    result = invoke([*args, "--help"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert max(map(len, result.stdout.splitlines())) <= 80
    return result.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_help_says_what_to_give_and_not_of_which_type(monkeypatch, verb):
    text = page(monkeypatch, verb)
    for option in app[verb].assemble_argument_collection():
        gives = option.parameter.metavar or ""
        assert gives == gives.upper()
        flag = option.hint is bool
        assert flag != bool(gives) or not option.name.startswith("-"), "a word for what to give"
        assert f"{option.name} " in text


@pytest.mark.parametrize("verb", VERBS)
def test_help_names_every_choice(monkeypatch, verb):
    text = " ".join(page(monkeypatch, verb).replace("│", " ").split())
    hints = [option.hint for option in app[verb].assemble_argument_collection()]
    kinds = [kind for hint in hints for kind in (hint, *typing.get_args(hint))]
    choices = [each for kind in kinds if typing.get_origin(kind) is typing.Literal for each in typing.get_args(kind)]
    assert [each for each in choices if each not in text] == []


def test_usage_says_what_a_verb_cannot_do_without(monkeypatch):
    assert page(monkeypatch, "protect").splitlines()[0] == "Usage: sidelight protect --output FILE [OPTIONS] TABLE"
    assert page(monkeypatch, "attack").splitlines()[0] == "Usage: sidelight attack --people FILE [OPTIONS] RELEASES"
    root = page(monkeypatch)
    assert [root.index(f"│ {verb} ") for verb in VERBS] == sorted(root.index(f"│ {verb} ") for verb in VERBS)
    assert "schema" not in root


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from sidelight.cli.app import app; from sidelight.cli.run import run;"
        "run(app, ['audit', '--help']); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "scipy", "pyarrow", "duckdb", "narwhals", "pydantic"}.intersection(loaded) == set()


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


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_that_a_library_made_an_error_of_is_one_too():
    verbs = command_line()

    @verbs.command
    def half():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            message = "half of it was imported"
            raise AttributeError(message) from None

    result = invoke(["half"], verbs)
    assert (result.exit_code, result.stderr) == (130, "sidelight: interrupted; nothing unfinished is left behind\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.filterwarnings("default")
def test_an_interrupt_that_came_while_something_was_cleaned_up_is_not_lost():
    verbs = command_line()

    class Rubbish:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    @verbs.command
    def tidy():
        rubbish = Rubbish()
        del rubbish
        time.sleep(30)

    result = invoke(["tidy"], verbs)
    assert (result.exit_code, result.stderr) == (130, "sidelight: interrupted; nothing unfinished is left behind\n")


STOPPED = """
import atexit, os, signal, sys

class Stop:
    def find_spec(self, name, *_):
        if name == sys.argv[-1]:
            os.kill(os.getpid(), signal.SIGINT)

where = sys.argv[-1]
sys.meta_path.insert(0, Stop())
if where == "the end":
    atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
    sys.argv[1:] = ["policy-schema"]
from sidelight.__main__ import main
main()
"""


def stopped(where):
    """The command line with Ctrl-C at the moment when a module is loaded."""
    command = [sys.executable, "-c", STOPPED, "audit", "-g", "age", "-s", "disease", where]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("module", ["sidelight.cli.app", "cyclopts", "sidelight.cli.options", "numpy", "pydantic"])
def test_ctrl_c_while_modules_are_loaded_is_one_line(module):
    result = stopped(module)
    line = "sidelight: interrupted; nothing unfinished is left behind\n"
    assert (result.returncode, result.stdout, result.stderr) == (130, "", line)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_when_all_is_done_changes_nothing():
    result = stopped("the end")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("{")


def test_completion_is_installed_for_a_shell(tmp_path):
    result = run("--install-completion", "--shell", "bash", env={**os.environ, "HOME": str(tmp_path)})
    assert (result.returncode, result.stderr) == (0, "")
    installed = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert any("audit" in text for text in installed)


def test_a_reader_who_leaves_learns_nothing():
    command = " ".join([f"'{part}'" for part in [*SIDELIGHT, "policy-schema"]])
    script = f"{command} | exec true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("2\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_with_130_and_a_line():
    code = (
        "import sys, time; import sidelight.cli.app as cli; import sidelight.policy.policy_file as writing;"
        "writing.policy_schema = lambda: (print('on', flush=True), time.sleep(60));"
        "sys.argv = ['sidelight', 'policy-schema']; cli.main()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"on\n"
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=30)
    assert (running.returncode, errors) == (130, b"sidelight: interrupted; nothing unfinished is left behind\n")
