"""Questions about some of the statements: small ones, as with fewer statements more is lumped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.max_entropy.constraints import Constraints
from sidelight.max_entropy.problem import Flags
from sidelight.max_entropy.programs import feasible, forced_to_zero
from sidelight.max_entropy.reduction import Assembly, assembled
from sidelight.max_entropy.scene import Scene

LARGEST = 50_000
"""How many variables a linear program may have that is not needed."""


@dataclass(frozen=True, eq=False)
class Fewer:
    """All that is said about a scene, and how it was assembled."""

    scene: Scene
    told: Constraints
    made: Assembly

    def can_be(self, statements: Sequence[int]) -> bool:
        """Say whether some statements, by number, can all be so."""
        return feasible(assembled(self.scene, self.told.only(statements)).problem)

    def forced(self, statements: Sequence[int]) -> Flags:
        """Say which variables are 0 whenever some statements are so; with more statements they stay 0.

        None where that is too large a question.
        """
        fewer = assembled(self.scene, self.told.only(statements))
        size = len(fewer.problem)
        zero = forced_to_zero(fewer.problem, np.arange(size)) if 0 < size <= LARGEST else np.zeros(size, bool)
        forced: Flags = np.append(zero, False)[self.made.found_in(fewer)]
        return forced
