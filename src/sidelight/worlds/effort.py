"""How much counting is allowed: states and seconds, and a meter that gives up beyond.

`Effort` is what a user allows; `Meter` counts what was spent of it, and `OverEffort` is how algorithms say that it was
not enough.  Whoever asked decides what to do then: bounds, an estimate, or `TooHard`.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from sidelight.errors import BadMeasure, as_given
from sidelight.rounding import MOST_OF_ANYTHING, exact_number


@dataclass(frozen=True, slots=True)
class Effort:
    """How much counting an exact answer may take: different states of the count, and seconds (`None`: any).

    What is found out when that was not enough (bounds) may take as much again, and so may an estimate.  What runs out
    of seconds depends on the machine; with `None`, the same seed gives the same estimate everywhere.

    >>> Effort(states=1000)
    Effort(states=1000, seconds=20)
    """

    states: int = 2_000_000
    seconds: float | None = 20

    def __post_init__(self) -> None:
        seconds = 1 if self.seconds is None else exact_number(self.seconds, BadMeasure, "a number of seconds")
        if exact_number(self.states, BadMeasure, "a number of states") < 1 or not seconds > 0:
            message = "an effort allows at least one state and more than no seconds"
            raise BadMeasure(message)
        if MOST_OF_ANYTHING < seconds < math.inf:
            message = f"an effort of {as_given(self.seconds)} seconds never ends; say seconds=None for any number"
            raise BadMeasure(message)

    def share(self, parts: int) -> Effort:
        """Return one of so many equal parts of it."""
        return Effort(max(self.states // parts, 1), None if self.seconds is None else self.seconds / parts)


class OverEffort(Exception):
    """Counting was given up."""


@dataclass(slots=True)
class Meter:
    """What was spent of an effort so far."""

    effort: Effort
    states: int = 0
    started: float = field(default_factory=time.perf_counter)

    def spend(self, states: int = 1) -> None:
        """Count more states; raise `OverEffort` beyond what is allowed."""
        before, self.states = self.states, self.states + states
        if self.states > self.effort.states:
            raise OverEffort
        # once in 64 states, as reading the clock takes time too
        if before >> 6 != self.states >> 6:
            self.check_time()

    def remaining(self) -> Effort:
        """Return what is left, at least a little."""
        seconds = self.effort.seconds
        if seconds is not None:
            # never 0, which would be no effort at all
            seconds = max(seconds - (time.perf_counter() - self.started), 1e-3)
        return Effort(max(self.effort.states - self.states, 1), seconds)

    def is_late(self) -> bool:
        """Return whether it took too long."""
        return self.effort.seconds is not None and time.perf_counter() - self.started > self.effort.seconds

    def check_time(self) -> None:
        """Raise `OverEffort` when it takes too long."""
        if self.is_late():
            raise OverEffort
