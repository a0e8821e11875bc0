"""Work in a process of its own, which can be ended at any moment and gives its memory back.

A worker is forked from a server of forks (`forkserver`), which has imported the library and holds neither data nor
threads, so that one begins within some ten milliseconds; where a system has none, an interpreter is started anew.
What is worked at and what comes of it are pickled.  A worker ends with the server: where that is killed, by itself.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import DefaultContext
from multiprocessing.util import get_temp_dir
from os import _exit
from types import ModuleType
from typing import Any, TypeAlias

from sidelight.errors import SidelightError
from sidelight.progress import Progress

Work: TypeAlias = Callable[[Progress], Any]

CONTEXT: DefaultContext = multiprocessing.get_context(  # type: ignore[assignment]
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
)

_warm = threading.Event()  # once the server of forks answers

_starting = threading.Lock()  # multiprocessing lists the children of a process, for one thread at a time


class WorkerEnded(Exception):
    """A worker has ended and said nothing."""


class Worker:
    """A process that does one piece of work."""

    def __init__(self, look: Callable[[], object]) -> None:
        warm_up()
        while not _warm.wait(0.1):
            look()
        with _ready_to_start():
            self._connection, theirs = CONTEXT.Pipe()
            self._process = CONTEXT.Process(target=_serve, args=(theirs, tempfile.tempdir), daemon=True)
            self._process.start()
            theirs.close()

    def do(self, work: Work, report: Progress, look: Callable[[], object]) -> Any:  # noqa: ANN401 - of any work
        """Return the answer of some work; `look` is called now and then, and `WorkerEnded` raised if it was killed."""
        try:
            self._connection.send(work)
            while True:
                while not self._connection.poll(0.1):
                    look()
                kind, *said = self._connection.recv()
                if kind == "done":
                    return said[0]
                if kind == "failed":
                    raise said[0]
                report(*said)
        except (EOFError, OSError):  # also in the middle of a message
            raise WorkerEnded from None
        finally:
            self.end()
            self._process.join()
            self._connection.close()

    def end(self) -> None:
        """End it at once, if it has not ended."""
        self._process.kill()


@cache
def warm_up() -> None:
    """Let the server of forks import the library, while nobody waits for it."""
    get_temp_dir()  # before files of this process go into a folder that is removed while workers may still end
    threading.Thread(target=_start_first, daemon=True).start()


def _start_first() -> None:
    # Where the page ends meanwhile, the server of forks goes away under it, and there is nobody to tell.
    try:
        with suppress(OSError, EOFError, RuntimeError):
            with _ready_to_start():
                process = CONTEXT.Process(target=int, daemon=True)
                process.start()
            process.join()
    finally:
        _warm.set()


@contextmanager
def _ready_to_start() -> Iterator[None]:
    """Keep workers from importing the main module, which may be anybody's script: nothing of it is needed there."""
    with _starting:
        main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
        CONTEXT.set_forkserver_preload(["sidelight.web.app", "altair"])
        resource_tracker.ensure_running()  # which lets signals in again, and so comes first
        # What is blocked here is so in all that is started: Ctrl-C, which a terminal sends to all, is for the server.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if sys.platform != "win32" else None
        try:
            yield
        finally:
            if sys.platform != "win32" and before is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            sys.modules["__main__"] = main


def _serve(server: Connection, folder: str | None) -> None:
    """Do what the server sends, and send how far it is and what comes of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    threading.Thread(target=_end_with_server, daemon=True).start()
    tempfile.tempdir = folder
    sent = 0.0

    def report(what: str, done: int, total: int | None) -> None:
        nonlocal sent
        now = time.monotonic()
        # Searches report thousands of times a second, and a page asks three times; what begins is always told.
        if done == 0 or now - sent > 0.05:
            sent = now
            server.send(("progress", what, done, total))

    with suppress(OSError):  # where the server has ended, nobody listens
        try:
            server.send(("done", server.recv()(report)))
        except SidelightError as error:
            server.send(("failed", error))
        except Exception as error:  # noqa: BLE001 - a fault of ours ends this work and not the page
            fault = SidelightError(f"this failed in a way that it should not: {type(error).__name__}; tell us")
            server.send(("failed", fault))


def _end_with_server() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    _exit(1)
