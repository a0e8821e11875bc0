"""Worlds drawn at random, for facts that are too hard to count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.knowledge.facts_part import Fact
from sidelight.worlds.bounds import Attempts
from sidelight.worlds.counting.compile import ground
from sidelight.worlds.counting.frontier import Frontier
from sidelight.worlds.counting.order import Schedule
from sidelight.worlds.counting.sampling import DrawingWorlds, any_worlds, holds
from sidelight.worlds.effort import OverBudget

TRIES = 50
"""At most so many worlds are drawn for each one that is wanted."""

MOST_DRAWS = 50_000_000
"""At most so many draws (of a lot by a party) are in memory, for as many worlds as that allows."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability that was estimated from worlds drawn at random, all equally likely given the facts.

    The interval from `low` to `high` (Clopper and Pearson's) holds the truth with at least the given confidence;
    `worlds` is the number it is made from, 0 when the answer could be counted and is exact after all.
    """

    value: Fraction
    low: float
    high: float
    confidence: float
    worlds: int = 0

    @classmethod
    def exactly(cls, value: Fraction, confidence: float) -> Estimate:
        """Say what was counted."""
        _check(confidence)
        return cls(value, float(value), float(value), confidence)

    @classmethod
    def of(cls, hits: int, worlds: int, confidence: float) -> Estimate:
        """Estimate from hits among worlds.

        >>> made = Estimate.of(0, 100, confidence=0.95)
        >>> made.low, round(made.high, 4)
        (0.0, 0.0362)
        """
        from scipy.special import betaincinv  # noqa: PLC0415 - only here, and slow to import

        _check(confidence)
        tail = (1 - confidence) / 2
        low = float(betaincinv(hits, worlds - hits + 1, tail)) if hits else 0.0
        high = float(betaincinv(hits + 1, worlds - hits, 1 - tail)) if hits < worlds else 1.0
        return cls(Fraction(hits, worlds), low, high, confidence, worlds)

    def within(self, low: Fraction | int, high: Fraction | int) -> Estimate:
        """Cut the interval to bounds that are known for certain."""
        value = min(max(self.value, Fraction(low)), Fraction(high))
        return replace(self, value=value, low=max(self.low, float(low)), high=min(self.high, float(high)))


def generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    """Take a seed or a generator."""
    if rng is None:
        message = "drawing worlds needs rng=, a seed or a NumPy generator, so that the answer can be repeated"
        raise BadMeasure(message)
    return np.random.default_rng(rng)


def _check(confidence: float) -> None:
    if not 0 < confidence < 1:
        message = f"a confidence lies between 0 and 1, not {confidence}"
        raise BadMeasure(message)


def estimated(
    attempts: Attempts,
    targets: Sequence[Fact],
    known: Sequence[Fact],
    *,
    rng: np.random.Generator,
    samples: int,
    confidence: float,
) -> list[Estimate]:
    """Draw worlds that fit the facts that can be counted, keep those that fit all, and look at the targets in them.

    The targets are about the same people.  Nothing if no such world was found in the time that is left.
    """
    kept = attempts.countable(targets[0], known).kept
    release, cast, watched = attempts.counting.release, attempts.counting.cast, [*known, *targets]
    made = ground(release, cast, kept, watched=watched)
    try:
        meter = attempts.meter()
        frontier = Frontier(Schedule.of(made, meter, terms=list(map(made.term, watched)), everyone=True))
        draw = DrawingWorlds(frontier, meter).worlds
    except OverBudget:  # then of all worlds, with no fact taken into account beforehand
        made = ground(release, cast, (), watched=watched)
        draw = partial(any_worlds, made)
    asked, wanted = made.terms.all_of(map(made.term, known)), list(map(made.term, targets))
    hits, fitting, drawn = np.zeros(len(wanted), int), 0, 0
    at_once = min(samples, max(MOST_DRAWS // (len(made.parties) * len(made.said) + 1), 1))
    while fitting < samples and drawn < TRIES * samples and not (drawn and attempts.spent.is_late()):
        worlds = draw(at_once, rng)
        fits = np.flatnonzero(holds(asked, worlds, made))[: samples - fitting]
        fitting, drawn = fitting + len(fits), drawn + at_once
        hits += [int(holds(term, worlds, made)[fits].sum()) for term in wanted]
    return [Estimate.of(each, fitting, confidence) for each in hits.tolist()] if fitting else []
