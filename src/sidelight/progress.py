"""How far something is that may take long: whoever does it calls a function, whoever waits hands one in.

Searches, solvers and simulations take `progress=`, `quiet` unless somebody looks; the command line hands in its bar.
What is deep inside of reading and may wait for others, such as for a database, shows that by `SHOW_WAITING`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and out of how much (None: nobody knows)."""


def quiet(what: str, done: int, total: int | None) -> None:
    """Show nothing."""


# Shows what is waited for, from when it is entered to its end; nothing unless the command line sets it
SHOW_WAITING: ContextVar[Callable[[str], AbstractContextManager[object]]] = ContextVar(
    "show_waiting", default=nullcontext
)
