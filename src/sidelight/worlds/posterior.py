"""How sure of something is one who saw a release and knows some facts?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, overload

import numpy as np

from sidelight.errors import TooHard
from sidelight.knowledge.facts_part import Fact
from sidelight.knowledge.parse_facts import Knowledge, as_fact, known_facts
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.bounds import Attempts
from sidelight.worlds.contradiction import contradiction
from sidelight.worlds.counting.counter import Counting
from sidelight.worlds.effort import Budget, Meter, OverBudget
from sidelight.worlds.estimate import Estimate, estimated, generator
from sidelight.worlds.identify import Cast, cast_of
from sidelight.worlds.satisfiable import Possible


@dataclass(frozen=True, slots=True)
class Knowing:
    """Somebody who saw a release and knows some facts."""

    release: Release
    facts: tuple[Fact, ...]
    cast: Cast
    budget: Budget
    counting: Counting

    @classmethod
    def of(
        cls, release: Release, facts: Sequence[Fact], *, people: Iterable[Who] = (), budget: Budget | None = None
    ) -> Knowing:
        """Find the people of the facts, and whoever else is asked about."""
        cast = cast_of(release, dict.fromkeys([*(who for fact in facts for who in fact.people()), *people]))
        budget = budget or Budget()
        return cls(release, tuple(facts), cast, budget, Counting(release, cast, Meter(budget)))

    def chance(self, target: Fact) -> Fraction:
        """Say how likely something is, or why that cannot be said."""
        try:
            possible, both = self.counting.shares(self.facts, target)
        except OverBudget:
            attempts = self._attempts()
            self._check_possible(attempts.meter())
            raise self._too_hard(*attempts.bounds(target, self.facts)) from None
        if not possible:
            raise contradiction(self.counting, self.facts)
        return both / possible

    def values(self, who: Who) -> dict[Label, Fraction]:
        """Say how likely each value of a person is that occurs in the person's group."""
        try:
            possible = self.counting.share(self.facts)
            shares = self.counting.values(self.facts, who) if possible else {}
        except OverBudget:
            self._check_possible(self._attempts().meter())
            raise self._too_hard(Fraction(0), Fraction(1)) from None
        if not possible:
            raise contradiction(self.counting, self.facts)
        return {value: share / possible for value, share in shares.items()}

    def estimate(self, target: Fact, *, rng: np.random.Generator, samples: int, confidence: float) -> Estimate:
        """Say how likely something is, from worlds drawn at random where it cannot be counted."""
        try:
            return Estimate.exactly(self.chance(target), confidence)
        except TooHard as known:
            drawn = self.estimates([target], rng=rng, samples=samples, confidence=confidence)
            if not drawn:
                raise
            return drawn[0].within(known.low, known.high)

    def estimates(
        self, targets: Sequence[Fact], *, rng: np.random.Generator, samples: int, confidence: float
    ) -> list[Estimate]:
        """Say how likely several things about the same people are, from worlds drawn at random; none if none fits."""
        return estimated(self._attempts(), targets, self.facts, rng=rng, samples=samples, confidence=confidence)

    def _attempts(self) -> Attempts:
        return Attempts(self.counting, Meter(self.budget))

    def _check_possible(self, meter: Meter) -> None:
        """Refuse facts that cannot be so even where their worlds cannot be counted."""
        try:
            possible = Possible(self.release, self.cast, meter).all_of(self.facts)
        except OverBudget:
            return
        if not possible:
            raise contradiction(self.counting, self.facts)

    def _too_hard(self, low: Fraction, high: Fraction) -> TooHard:
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
        rng: a seed or a NumPy generator, needed to draw worlds; the same seed gives the same answer, unless the
            budget's seconds run out.
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
    wanted = as_fact(target)
    knowing = Knowing.of(release, known_facts(given), people=wanted.people(), budget=budget)
    if not approximate:
        return knowing.chance(wanted)
    return knowing.estimate(wanted, rng=generator(rng), samples=samples, confidence=confidence)
