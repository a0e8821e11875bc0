"""Work for tests of long jobs: it is done in another process, which finds it here by its name."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from sidelight.errors import BadTable, parameter
from sidelight.progress import Progress
from sidelight.web.views import attackers, what_if


def give(answer: object, progress: Progress) -> object:
    """Give an answer at once."""
    del progress
    return answer


def leave_a_trace(folder: Path, progress: Progress) -> str:
    """Leave a file for each time that it is done."""
    del progress
    (folder / str(time.monotonic_ns())).touch()
    return "answer"


def report_for_ever(progress: Progress) -> None:
    """Count for ever, reporting each step."""
    for step in range(10**9):
        progress("steps", step, 10**9)
        time.sleep(0.001)


def report_markup_for_ever(progress: Progress) -> None:
    """Report something that looks like HTML."""
    while True:
        progress("<b>steps</b>", 3, 12)
        time.sleep(0.002)


def report_once(progress: Progress) -> None:
    """Report once, and never end."""
    progress("levels", 340, 512)
    time.sleep(600)


def compute_for_ever(progress: Progress) -> None:
    """Count for ever, reporting nothing."""
    del progress
    while True:
        sum(range(100))


def compute_in_one_call(progress: Progress) -> int:
    """Be in a single call of a library, which no step of Python interrupts."""
    del progress
    return sum(range(10**15))


def search_until_interrupted(progress: Progress) -> str | None:
    """Count until Ctrl-C, as searches do, which give their best so far then."""
    try:
        report_for_ever(progress)
    except (KeyboardInterrupt, Exception):  # noqa: BLE001
        return "the best so far"
    return None


def fail(progress: Progress) -> None:
    """Fail as a table does that lacks something."""
    del progress
    message = f"no table; say {parameter('missing', 'drop')}"
    raise BadTable(message)


def break_down(progress: Progress) -> float:
    """Fail as nothing should."""
    del progress
    return 1 / 0


def end_suddenly(progress: Progress) -> None:
    """End as the system ends what takes too much memory."""
    del progress
    import os  # noqa: PLC0415
    import signal  # noqa: PLC0415

    os.kill(os.getpid(), signal.SIGKILL)


def give_what_cannot_be_handed_over(progress: Progress) -> object:
    """Give an answer that cannot be pickled."""
    del progress
    return lambda: 1


def search_for_long(folder: Path, *asked: Any) -> None:
    """Note the limit of a search, and search until a file says that it may end."""
    policy, progress = asked[2], asked[-1]
    with (folder / "begun").open("a") as begun:
        begun.write(f"{policy}\n")
    while not (folder / "go on").exists():
        progress("levels", 0, 2)
        time.sleep(0.005)


def conclude_slowly(*asked: Any) -> object:
    """Conclude after a few reports."""
    for step in range(8):
        asked[-1]("steps", step, 8)
        time.sleep(0.005)
    return what_if.conclude(*asked)


def conclude_never(*asked: Any) -> None:
    """Report for ever."""
    report_for_ever(asked[-1])


def measure_implications_slowly(folder: Path, *asked: Any) -> object:
    """Measure, but implications only once a file says so."""
    while asked[1].startswith("implications") and not (folder / "go on").exists():
        time.sleep(0.001)
    return attackers.measure_attacker(*asked)
