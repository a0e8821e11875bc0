"""How this process hears Ctrl-C, and with it the processes that it starts, which inherit what is ignored."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def sigint(handler: Callable[..., Any] | signal.Handlers) -> Iterator[None]:
    """Set the handler of SIGINT: `signal.SIG_IGN` as in a background job, `signal.default_int_handler` as elsewhere."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
