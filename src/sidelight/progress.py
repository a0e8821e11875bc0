"""Report the progress of long work: the worker calls a function that the caller passes in.

Searches, solvers and simulations take `progress=`, by default `quiet`; the command line passes its progress bar.  Code
deep inside of reading that may wait, such as for a database, reports that by `SHOW_WAITING`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with a description of the work, how much of it is done, and out of how much (None: unknown)."""


def quiet(what: str, done: int, total: int | None) -> None:
    """Show nothing."""


# A context that shows what is waited for; shows nothing unless the command line sets it
SHOW_WAITING: ContextVar[Callable[[str], AbstractContextManager[object]]] = ContextVar(
    "show_waiting", default=nullcontext
)
