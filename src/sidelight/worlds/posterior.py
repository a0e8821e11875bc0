"""How sure of something is one who saw a release and knows some facts?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, overload

import numpy as np

from sidelight.errors import TooHard
from sidelight.knowledge.facts import Fact
from sidelight.knowledge.facts_text import Knowledge, known_facts, read_fact
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.worlds.bounds import bounds
from sidelight.worlds.budget import Budget, OverBudget
from sidelight.worlds.contradiction import contradiction
from sidelight.worlds.formula import Formula
from sidelight.worlds.grounding import Ground, ground
from sidelight.worlds.sampling import Estimate, estimated, generator


@dataclass(frozen=True, slots=True)
class Asked:
    """Facts and questions about a release, ready to be counted."""

    release: Release
    facts: tuple[Fact, ...]
    ground: Ground
    known: tuple[Formula, ...]  # the facts, one by one
    targets: tuple[Formula, ...]
    budget: Budget

    @classmethod
    def of(
        cls,
        release: Release,
        facts: Sequence[Fact],
        targets: Iterable[Fact] = (),
        *,
        people: Iterable[Who] = (),
        budget: Budget | None = None,
    ) -> Asked:
        """Find the people, and turn facts into formulas."""
        targets = tuple(targets)
        made = ground(release, [*facts, *targets], people=people)
        known = tuple(map(made.formula, facts))
        return cls(release, tuple(facts), made, known, tuple(map(made.formula, targets)), budget or Budget())

    def answers(self) -> tuple[Fraction, ...]:
        """Say how likely each target is, or why that cannot be said."""
        counting, make, urns = self.ground.counting(self.budget), self.ground.formulas, self.ground.urns
        known = make.all_of(self.known)
        try:
            possible = counting.worlds(known, urns)
            both = [counting.worlds(make.all_of([known, target]), urns) for target in self.targets] if possible else []
        except OverBudget:
            raise self._too_hard() from None
        if not possible:
            raise contradiction(self.ground, counting, self.facts, self.known)
        return tuple(Fraction(number, possible) for number in both)

    def _too_hard(self) -> TooHard:
        first, *others = self.targets
        low, high = bounds(self.ground, first, self.known, self.budget)
        if others:
            low, high = Fraction(0), Fraction(1)
        message = (
            f"counting the worlds takes more than the budget of {self.budget.states:,} states; what is known: between "
            f"{in_decimals(low)} and {in_decimals(high)}; give a larger budget=, or ask for approximate=True"
        )
        return TooHard(message, low=low, high=high)


def in_decimals(number: Fraction) -> str:
    """Show a probability shortly.

    >>> in_decimals(Fraction(1, 3)), in_decimals(Fraction(1))
    ('0.3333', '1')
    """
    return f"{float(number):.4g}"


@overload
def posterior(
    release: Release, target: str | Fact, *, given: Knowledge = None, budget: Budget | None = None
) -> Fraction: ...
@overload
def posterior(
    release: Release,
    target: str | Fact,
    *,
    given: Knowledge = None,
    budget: Budget | None = None,
    approximate: Literal[False],
) -> Fraction: ...
@overload
def posterior(
    release: Release,
    target: str | Fact,
    *,
    given: Knowledge = None,
    budget: Budget | None = None,
    approximate: Literal[True],
    rng: int | np.random.Generator,
    confidence: float = 0.95,
    samples: int = 2_000,
) -> Estimate: ...
def posterior(
    release: Release,
    target: str | Fact,
    *,
    given: Knowledge = None,
    budget: Budget | None = None,
    approximate: bool = False,
    rng: int | np.random.Generator | None = None,
    confidence: float = 0.95,
    samples: int = 2_000,
) -> Fraction | Estimate:
    """How sure of `target` is one who saw this release and knows `given`?

    Worlds where both hold / worlds where `given` holds, exactly, in each of the three semantics.  Only the groups that
    are mentioned matter, and in them only the people and values that are.

    Args:
        release: what was published.
        target: what the question is about, such as "Charlie = Flu".
        given: what is known: a fact, its text, or several of them.
        budget: how much counting is allowed.
        approximate: where that is not enough, draw worlds at random; the answer is then always an `Estimate`.
        rng: a seed or a NumPy generator, needed to draw worlds; the same seed gives the same answer.
        confidence: how sure the interval of an estimate is.
        samples: how many worlds that fit the facts an estimate is made from.

    Raises:
        Contradiction: no world fits the facts; names a smallest set of them.
        TooHard: counting takes more than the budget; has the bounds that are known.

    >>> named = Release.from_groups([
    ...     (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
    ...     (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"])])
    >>> posterior(named, "Charlie = Flu", given="Hannah = Flu -> Charlie = Flu")
    Fraction(10, 19)
    >>> posterior(named, "Charlie = Flu", given=["Bob = Flu", "Charlie = Flu", "Dave = Flu"])
    Traceback (most recent call last):
    sidelight.errors.Contradiction: no world fits the release and the facts: 'Bob = Flu' and 'Charlie = Flu' and ...

    Source: Martin et al., Worst-case background knowledge, ICDE 2007, section 2.
    """
    wanted = read_fact(target) if isinstance(target, str) else target
    asked = Asked.of(release, known_facts(given), [wanted], budget=budget)
    if not approximate:
        return asked.answers()[0]
    chance = generator(rng)
    try:
        return Estimate.exactly(asked.answers()[0], confidence)
    except TooHard as known:
        drawn = estimated(
            asked.ground,
            asked.targets[0],
            asked.known,
            budget=asked.budget,
            rng=chance,
            samples=samples,
            confidence=confidence,
        )
        if drawn is None:
            raise
        return drawn.within(known.low, known.high)
