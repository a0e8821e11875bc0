"""What a search found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sidelight.policy.policy import Policy, Verdict
from sidelight.release.release import Release
from sidelight.search.method import Method, Outcome


@dataclass(frozen=True, eq=False)
class Found:
    """The most useful release within policy that a search found, and how it got there."""

    release: Release
    policy: Policy
    verdict: Verdict
    method: Method
    outcome: Outcome = field(repr=False)
    utility: Mapping[str, float]

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each column (lattice)."""
        return self.outcome.levels

    @property
    def minimal(self) -> tuple[Mapping[str, int], ...]:
        """All minimal level vectors within policy (lattice)."""
        return self.outcome.minimal

    @property
    def suppressed(self) -> int:
        """How many people are suppressed."""
        return self.outcome.suppressed

    @property
    def checked(self) -> int:
        """How many candidates were looked at."""
        return self.outcome.checked

    @property
    def complete(self) -> bool:
        """Whether the search came to its end; otherwise this is the best one found so far."""
        return self.outcome.complete
