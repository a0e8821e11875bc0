"""Why a solution is the one of largest entropy: what anyone can check again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Certificate:
    """The conditions of Karush, Kuhn and Tucker, which only the distribution of largest entropy fulfils.

    Where P is positive, log P(q, s, b) = α(q, b) + β(s, b) + Σ_k μ_k a_k(q, s, b), with a_k how often statement k
    counts that place (once, where it is about a share; in a comparison, people of the smaller side / people of this
    side, negative on the right); μ_k ≥ 0 only where the share is at its lower bound, ≤ 0 only at its upper one.
    Everything else is 0 in every distribution that fits.
    """

    residual: float  # how far off the worst sum is, as a probability
    misplaced: float  # how far a share that pushes is from its bound, as a probability
    multipliers: Mapping[str, float | None]  # statement → μ; None: what it says is forced, and pushes nothing
    forced_zeros: int
    """Places that are 0 in every distribution that fits, as far as they were looked for; lumped ones count once.

    Parts of more than 50,000 variables are searched by the statements that push hardest alone; a zero that this does
    not find is as good as 0, and the statements behind it push very hard instead of `None`.
    """

    @property
    def holds(self) -> bool:
        """Whether everything is met to 1e-8."""
        return self.residual <= 1e-8 and self.misplaced <= 1e-8
