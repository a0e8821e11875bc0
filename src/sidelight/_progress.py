"""How far something is that may take long: whoever does it calls a function, whoever waits hands one in.

Searches, solvers and simulations take `progress=`, `quiet` unless somebody looks; the command line hands in its bar.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and out of how much (None: nobody knows)."""


def quiet(what: str, done: int, total: int | None) -> None:
    """Show nothing."""
