"""Waiting on a machine that is busy: for a state rather than for seconds."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

from support.faults.children import processor_time

PATIENCE = 600
"""Seconds to wait for what takes a moment on a quiet machine."""


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a condition holds; raise `AssertionError` if it never does."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


def wait_for_work(process: subprocess.Popen[Any], *, seconds: float) -> None:
    """Wait until a process has computed for so many more seconds of processor time, or has ended."""
    until = processor_time(process.pid) + seconds
    while process.poll() is None and processor_time(process.pid) < until:
        time.sleep(0.005)
