"""Ctrl-C: one line and status 130 wherever it comes, and never lost."""

import contextlib
import signal
import subprocess
import sys
import threading
import time

import pytest
from cyclopts import App
from support.command_line import invoke
from support.signals import sigint
from support.waiting import PATIENCE
from support.words import mentions

from sidelight import interrupts
from sidelight.interrupts import heed_interrupts, noticing_interrupts

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals"),
    pytest.mark.usefixtures("hears_ctrl_c"),
]


def command_line():
    """An empty command line that treats errors as ours does."""
    return App(name="sidelight", result_action="return_value", exit_on_error=False, print_error=False,
               suppress_keyboard_interrupt=False)  # fmt: skip


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
    assert result.exit_code == 130
    assert one_line_of_an_interrupt(result.stderr)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("in_background", [False, True])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGUSR1, 143)])
def test_a_signal_that_came_while_something_was_cleaned_up_is_not_lost(number, status, in_background, monkeypatch):
    verbs = command_line()
    ends = (signal.SIGTERM, signal.SIGUSR1)  # which stands for SIGHUP, as nohup lets that be ignored
    monkeypatch.setattr(interrupts, "ENDS", ends)
    ignored = in_background and number == signal.SIGINT

    class Rubbish:
        def __del__(self):
            signal.raise_signal(number)

    @verbs.command
    def tidy():
        rubbish = Rubbish()
        del rubbish
        time.sleep(0.1 if ignored else PATIENCE)

    with sigint(signal.SIG_IGN if in_background else signal.default_int_handler):
        result = invoke(["tidy"], verbs)
    assert result.exit_code == (0 if ignored else status)
    assert (result.stderr == "") if ignored else one_line_of_an_interrupt(result.stderr)


def one_line_of_an_interrupt(text):
    return text.count("\n") == 1 and mentions(text, "sidelight: interrupted", "nothing unfinished")


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


@pytest.mark.parametrize(
    "module", ["sidelight.cli.app", "cyclopts", "sidelight.answers.questions", "numpy", "pydantic"]
)
def test_ctrl_c_while_modules_are_loaded_is_one_line(module):
    result = stopped(module)
    assert (result.returncode, result.stdout) == (130, "")
    assert one_line_of_an_interrupt(result.stderr)


@pytest.mark.parametrize("module", ["sidelight.cli.app", "numpy"])
def test_a_background_job_ignores_ctrl_c(module):
    with sigint(signal.SIG_IGN):
        result = stopped(module)
    assert (result.returncode, result.stdout) == (2, "")
    assert module in result.stderr  # it went on to its own end: there is no such file


def test_ctrl_c_when_all_is_done_changes_nothing():
    result = stopped("the end")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("{")


def test_ctrl_c_ends_with_130_and_a_line():
    code = (
        "import sys, time; import sidelight.cli.app as cli; import sidelight.policy.policy_file as writing;"
        "writing.policy_schema = lambda: (print('on', flush=True), time.sleep(600));"
        "sys.argv = ['sidelight', 'policy-schema']; cli.main()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"on\n"
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors) == (130, b"sidelight: interrupted; nothing unfinished is left behind\n")


def test_what_a_library_swallowed_is_heeded_before_something_is_published():
    heed_interrupts()
    with noticing_interrupts() as heard:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert heard.noticed
        with pytest.raises(KeyboardInterrupt, match="nothing was published"):
            heed_interrupts()
    heed_interrupts()


def test_the_handler_before_comes_back():
    before = signal.getsignal(signal.SIGINT)
    with noticing_interrupts():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_nothing_is_handled():
    seen = []

    def notice():
        with noticing_interrupts() as heard:
            seen.append(heard.noticed)

    thread = threading.Thread(target=notice)
    thread.start()
    thread.join()
    assert seen == [False]
