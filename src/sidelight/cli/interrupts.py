"""Ctrl-C: raised where it can be handled, noticed where a library makes something else of it, never lost."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias


class Interrupts:
    """Whether Ctrl-C was pressed."""

    noticed: bool = False


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Let Ctrl-C raise `KeyboardInterrupt`, whatever it did before, unless it is ignored: a background job."""
    usual, sys.unraisablehook = sys.unraisablehook, _once_more
    try:
        with _handling(lambda _: signal.default_int_handler):
            yield
    finally:
        sys.unraisablehook = usual


def _once_more(lost: Any) -> None:  # noqa: ANN401 - typeshed's own class, which does not exist
    """Interrupt once more where an interrupt was lost, as it came while something was being cleaned up."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        threading.Timer(0.01, _interrupt_main_thread).start()  # not here and now, where it would be lost again
    else:
        sys.__unraisablehook__(lost)


def _interrupt_main_thread() -> None:
    """Send the signal to the main thread, which ends what it waits for; without such signals, raise it when it can."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextmanager
def noticing_interrupts() -> Iterator[Interrupts]:
    """Notice Ctrl-C while something runs that may make something else of it: an end, or another error."""
    interrupts = Interrupts()

    def noticing(before: Handler) -> Handler:
        def notice(number: int, frame: FrameType | None) -> object:
            interrupts.noticed = True
            return before(number, frame)

        return notice

    with _handling(noticing):
        _NOTICING.append(interrupts)
        try:
            yield interrupts
        finally:
            _NOTICING.remove(interrupts)


_NOTICING: list[Interrupts] = []


def heed_interrupts() -> None:
    """Stop, before something is published, if Ctrl-C was pressed and some library has swallowed it."""
    if any(each.noticed for each in _NOTICING):
        message = "nothing was published"
        raise KeyboardInterrupt(message)


Handler: TypeAlias = Callable[[int, FrameType | None], object]


@contextmanager
def _handling(made: Callable[[Handler], Handler]) -> Iterator[None]:
    """Handle Ctrl-C by what is made of the handler before, and by that one again afterwards."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, made(before))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
