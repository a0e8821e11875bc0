"""How much `sidelight believe` counts, and what it says by drawing worlds where that is not enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.errors import BadMeasure, TooHard
from sidelight.knowledge.facts_part import Fact, Has
from sidelight.knowledge.people import Who, written_who
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.effort import Budget
from sidelight.worlds.estimate import Estimate
from sidelight.worlds.posterior import Knowing
from sidelight.worlds.posteriors import Belief, posteriors


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
    """Draw worlds for each person, and look at all values in them."""
    rng = np.random.default_rng(chance.seed)
    return tuple(
        _about(posteriors(release, person=who), Knowing.of(release, facts, people=[who], budget=budget), chance, rng)
        for who in people
    )


def _about(before: Belief, knowing: Knowing, chance: Chance, rng: np.random.Generator) -> Estimated:
    """Estimate how likely each value of a person is; who has one that nobody in the group has is clear."""
    values = [value for value in before if before[value]]
    drawn = knowing.estimates(
        [Has(before.person, value) for value in values], rng=rng, samples=chance.samples, confidence=chance.confidence
    )
    if not drawn:
        message = (
            "of the worlds that were drawn, none fits the facts; "
            "draw more with --samples, or count more with --states and --seconds"
        )
        raise TooHard(message, low=Fraction(0), high=Fraction(1))
    never = Estimate.exactly(Fraction(0), chance.confidence)
    after = dict.fromkeys(before, never) | dict(zip(values, drawn, strict=True))
    return Estimated(before.person, before.group, before.before, after)
