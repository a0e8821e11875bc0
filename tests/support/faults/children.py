"""Jobs in processes that are forked after everything is imported, so that hundreds of them cost little."""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

STEPS = ("replace", "rename", "link", "unlink", "fsync", "mkdir", "rmdir")
"""Functions of `os` that change what is on the disk, or wait until it is there."""

PATIENCE = 900
"""After how many seconds a job hangs, on a machine however busy."""


def on_steps(notice: Callable[[str, str], None]) -> None:
    """Have `notice(name, when)` called around every step of this process, with "before" and with "after"."""

    def noticed(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def around(*args: Any, **options: Any) -> Any:
            notice(name, "before")
            try:
                return step(*args, **options)
            finally:
                notice(name, "after")

        return around

    for name in STEPS:
        setattr(os, name, noticed(name, getattr(os, name)))


def kill_at(number: int, kind: signal.Signals, told: Callable[[str], object] = lambda name: None) -> None:
    """Send this process a signal at its step of that number: 0 is before the first, 1 after it, 2 before the next."""
    made = iter(range(10**6))

    def notice(name: str, when: str) -> None:
        if next(made) == number:
            told(name)
            os.kill(os.getpid(), kind)

    on_steps(notice)


@dataclass(frozen=True)
class Ended:
    """How a child ended: by which status (−9: killed), with which answer, after how many seconds of processor time."""

    status: int
    answer: Any
    seconds: float


def in_child(job: Callable[..., Any], *args: Any, kill_after: float | None = None, quiet: bool = True) -> Ended:
    """Run a job in a child; kill it after so many seconds of processor time, or when it hangs (status −6)."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        if quiet:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        status = 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer = json.dumps(job(*args)).encode()
            with os.fdopen(writing, "wb") as out:
                out.write(answer)
            status = 0
        except KeyboardInterrupt:
            status = 130
        except BaseException:  # noqa: BLE001 - told, whatever it is
            os.write(writing, json.dumps(traceback.format_exc()[-1500:]).encode())
        finally:
            os._exit(status)
    os.close(writing)
    said, hanging = _heard(reading, child, kill_after)
    _, status, usage = os.wait4(child, 0)
    code = -signal.SIGABRT if hanging else os.waitstatus_to_exitcode(status)
    return Ended(code, json.loads(said) if said else None, usage.ru_utime + usage.ru_stime)


def _heard(reading: int, child: int, kill_after: float | None) -> tuple[bytes, bool]:
    """Listen until the child ends, and kill it when its time is over."""
    heard, begun = b"", time.monotonic()
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while True:
            ready, _, _ = select.select([pipe], [], [], 10 if kill_after is None else 0.0005)
            if ready:
                piece = pipe.read(1 << 16)
                if not piece:
                    return heard, False
                heard += piece
            hanging = time.monotonic() - begun > PATIENCE
            if hanging or (kill_after is not None and processor_time(child) >= kill_after):
                os.kill(child, signal.SIGKILL)
                return b"", hanging


def processor_time(process: int) -> float:
    """How long a process has been computing, as Linux counts it; endlessly where it is gone."""
    try:
        return time.clock_gettime((~process << 3) | 2)
    except OSError:
        return float("inf")


def import_as_after(job: Callable[..., Any], *args: Any) -> Any:
    """Import here whatever a job imports in a child, so that the children after it need not; gives its answer."""
    ended = in_child(lambda: (job(*args), sorted(sys.modules)), quiet=False)
    assert ended.status == 0, f"{ended.status}: {ended.answer}"
    answer, modules = ended.answer
    for name in modules:
        if name not in sys.modules and not name.startswith("__"):
            try:
                importlib.import_module(name)
            except Exception:  # noqa: BLE001 - parts of others that cannot be had by name
                continue
    return answer
