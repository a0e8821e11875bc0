"""What happens to a measure's value when groups of a release are merged: a claim that searches rely on."""

from __future__ import annotations

from enum import Enum


class Trend(Enum):
    """A claim about a measure; `tests/claims` hunts for counterexamples to each one."""

    NEVER_RISES = "never rises"
    NEVER_FALLS = "never falls"
    UNKNOWN = "unknown"
