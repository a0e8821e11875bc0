"""Handle Ctrl-C, SIGTERM and SIGHUP: raise them in Python, and notice them where a library swallows them."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any, TypeAlias

ENDS = tuple(signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__)
"""The signals that ask a process to end: a shutdown, a closed terminal."""


class Terminated(KeyboardInterrupt):
    """The process was asked to end by signal `number`; handled as Ctrl-C, so that nothing unfinished remains."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Interrupts:
    """Flags: a signal was noticed, and whether it asked the process to end."""

    noticed: bool = False
    terminated: bool = False


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Let Ctrl-C raise `KeyboardInterrupt`, unless it is ignored, as in a background job."""
    # an exception in a finaliser is dropped by Python, and a Ctrl-C with it: the hook sends it again
    usual, sys.unraisablehook = sys.unraisablehook, _once_more
    try:
        with ExitStack() as handled:
            handled.enter_context(_handling(signal.SIGINT, lambda _: signal.default_int_handler))
            for each in ENDS:
                handled.enter_context(_handling(each, lambda _: _end))
            yield
    finally:
        sys.unraisablehook = usual


def _end(number: int, frame: FrameType | None) -> object:
    del frame
    raise Terminated(number)


def _once_more(lost: Any) -> None:  # noqa: ANN401 - typeshed's own class, which does not exist
    """Send a signal again if its exception was lost in a finaliser.

    The same signal: a background job ignores SIGINT, which could not replace a lost SIGTERM.
    """
    if isinstance(lost.exc_value, KeyboardInterrupt):
        number = getattr(lost.exc_value, "number", signal.SIGINT)
        # after a moment, as here it would be lost again; it ends the wait of the main thread
        if hasattr(signal, "pthread_kill"):
            threading.Timer(0.01, signal.pthread_kill, [threading.main_thread().ident or 0, number]).start()
        else:  # Windows raises its exception when possible
            threading.Timer(0.01, _thread.interrupt_main, [signal.Signals(number)]).start()
    else:
        sys.__unraisablehook__(lost)


@contextmanager
def noticing_interrupts() -> Iterator[Interrupts]:
    """Notice Ctrl-C while code runs that may swallow it or raise another error for it."""
    interrupts = Interrupts()

    def noticing(before: Handler) -> Handler:
        def notice(number: int, frame: FrameType | None) -> object:
            interrupts.noticed = True
            interrupts.terminated |= number in ENDS
            return before(number, frame)

        return notice

    with ExitStack() as handled:
        for each in (signal.SIGINT, *ENDS):
            handled.enter_context(_handling(each, noticing))
        _NOTICING.append(interrupts)
        try:
            yield interrupts
        finally:
            _NOTICING.remove(interrupts)


_NOTICING: list[Interrupts] = []


def heed_interrupts() -> None:
    """Raise `KeyboardInterrupt`, before something is published, if a library has swallowed a Ctrl-C."""
    # libraries such as DuckDB catch SIGINT themselves, so the exception may never have come
    if any(each.noticed for each in _NOTICING):
        raise KeyboardInterrupt("nothing was published")


Handler: TypeAlias = Callable[[int, FrameType | None], object]


@contextmanager
def _handling(number: signal.Signals, made: Callable[[Handler], Handler]) -> Iterator[None]:
    """Handle a signal, unless it is ignored, by a handler made of the present one, which is restored afterwards."""
    before = signal.getsignal(number)
    ends = number in ENDS and before == signal.SIG_DFL
    if not (ends or callable(before)) or threading.current_thread() is not threading.main_thread():
        yield
        return
    # Python sets handlers from the main thread only; elsewhere, and for an ignored signal, nothing is changed
    signal.signal(number, made(before if callable(before) else _end))
    try:
        yield
    finally:
        signal.signal(number, before)
