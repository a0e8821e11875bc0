"""How much `sidelight believe` counts, and what it says by drawing worlds where that is not enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.errors import BadMeasure, TooHard
from sidelight.knowledge.facts import Fact, Has
from sidelight.knowledge.people import Who, written_who
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.budget import Budget
from sidelight.worlds.posterior import posterior
from sidelight.worlds.posteriors import Belief, posteriors
from sidelight.worlds.sampling import Estimate


@dataclass(frozen=True, slots=True)
class Chance:
    """How worlds are drawn."""

    samples: int = 2_000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            message = f"--confidence {self.confidence:g} is not between 0 and 1; give how sure each interval is"
            raise BadMeasure(message)

    def __str__(self) -> str:
        return f"{self.samples:,} worlds drawn at random (seed {self.seed})"


@dataclass(frozen=True, slots=True)
class Counting:
    """How much is counted, and how worlds are drawn if that is not enough."""

    states: int = 2_000_000
    seconds: float | None = None  # without it, as long as is usual
    chance: Chance | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            message = f"--seconds {self.seconds:g} is no time to count in; give more than 0"
            raise BadMeasure(message)

    @property
    def budget(self) -> Budget:
        """What exact counting may take."""
        return Budget(self.states) if self.seconds is None else Budget(self.states, self.seconds)


@dataclass(frozen=True, slots=True)
class Estimated:
    """How likely each value of a person is about, to one who knows the facts, and what it was exactly before them."""

    person: Who
    group: GroupName
    before: Mapping[Label, Fraction]
    after: Mapping[Label, Estimate]

    def __str__(self) -> str:
        return written_who(self.person)


def concluded(
    release: Release, facts: tuple[Fact, ...], people: tuple[Who, ...], counting: Counting, top: int
) -> tuple[Belief, ...] | tuple[Estimated, ...]:
    """Say what is believed about these people, or about those for whom the facts change most."""
    try:
        if people:
            return tuple(posteriors(release, given=facts, person=who, budget=counting.budget) for who in people)
        return posteriors(release, given=facts, budget=counting.budget).top(top)
    except TooHard as hard:
        if counting.chance is None or not people:
            raise TooHard(_help(counting), low=hard.low, high=hard.high) from None
    return _estimated(release, facts, people, counting.budget, counting.chance)


def _help(counting: Counting) -> str:
    """Say what is too hard, and which options help."""
    hard = f"counting the worlds takes more than --states {counting.states} or --seconds {counting.budget.seconds:g}"
    if counting.chance is None:
        return f"{hard}; allow more, or say --approximate for estimates"
    return f"{hard}; allow more, or say with --about of whom to make estimates"


def _estimated(
    release: Release, facts: tuple[Fact, ...], people: tuple[Who, ...], budget: Budget, chance: Chance
) -> tuple[Estimated, ...]:
    """Draw worlds for each value that a person can have."""
    before = [posteriors(release, person=who) for who in people]
    draw = _Draw(release, facts, budget.share(sum(map(len, before))), chance, np.random.default_rng(chance.seed))
    return tuple(
        Estimated(who, belief.group, belief.before, {value: draw.about(who, value, belief) for value in belief})
        for who, belief in zip(people, before, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Draw:
    """Draws worlds for one question after the other."""

    release: Release
    facts: tuple[Fact, ...]
    budget: Budget
    chance: Chance
    rng: np.random.Generator

    def about(self, who: Who, value: Label, before: Belief) -> Estimate:
        """Estimate how likely a value of a person is."""
        if not before[value]:  # nobody in the group has it
            return Estimate.exactly(Fraction(0), self.chance.confidence)
        try:
            return posterior(
                self.release,
                Has(who, value),
                given=self.facts,
                budget=self.budget,
                approximate=True,
                rng=self.rng,
                samples=self.chance.samples,
                confidence=self.chance.confidence,
            )
        except TooHard as hard:
            message = (
                "of the worlds that were drawn, none fits the facts; "
                "draw more with --samples, or count more with --states and --seconds"
            )
            raise TooHard(message, low=hard.low, high=hard.high) from None
