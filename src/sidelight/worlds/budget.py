"""How much counting is allowed."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from sidelight.errors import BadMeasure


@dataclass(frozen=True, slots=True)
class Budget:
    """How much counting an exact answer may take: different states of the count, and seconds (`None`: any).

    What is found out when that was not enough (bounds) may take as much again.

    >>> Budget(states=1000)
    Budget(states=1000, seconds=20)
    """

    states: int = 200_000
    seconds: float | None = 20

    def __post_init__(self) -> None:
        if self.states < 1 or (self.seconds is not None and not self.seconds > 0):
            message = "a budget allows at least one state and more than no seconds"
            raise BadMeasure(message)

    def share(self, parts: int) -> Budget:
        """Divide it."""
        return Budget(max(self.states // parts, 1), None if self.seconds is None else self.seconds / parts)


class OverBudget(Exception):
    """Counting was given up."""


@dataclass(slots=True)
class Meter:
    """What was spent of a budget so far."""

    budget: Budget
    states: int = 0
    started: float = field(default_factory=time.perf_counter)

    def spend(self) -> None:
        """Count one more state."""
        self.states += 1
        if self.states > self.budget.states:
            raise OverBudget
        if self.budget.seconds is not None and self.states % 64 == 0:
            self.check_time()

    def check_time(self) -> None:
        """Give up when it takes too long."""
        if self.budget.seconds is not None and time.perf_counter() - self.started > self.budget.seconds:
            raise OverBudget
