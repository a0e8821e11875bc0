"""Worlds drawn at random, for facts that are too hard to count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.knowledge.facts import Fact
from sidelight.worlds.counting.compile import ground, joined
from sidelight.worlds.counting.counter import Counting, Shares
from sidelight.worlds.counting.frontier import Frontier
from sidelight.worlds.counting.order import Schedule
from sidelight.worlds.counting.sampling import DrawingWorlds, any_worlds, evaluate
from sidelight.worlds.effort import Meter, OverEffort

TRIES = 50
"""At most so many worlds are drawn for each one that is wanted."""

MOST_DRAWS = 50_000_000
"""At most so many draws (of a lot by a party) are in memory, for as many worlds as that allows."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability that was estimated from worlds drawn at random, all equally likely given the facts.

    The interval from `low` to `high` (Clopper and Pearson's) evaluate the truth with at least the given confidence;
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
    release, entities, watched = attempts.counting.release, attempts.counting.entities, [*known, *targets]
    made = ground(release, entities, kept, watched=watched)
    try:
        meter = attempts.meter()
        frontier = Frontier(Schedule.of(made, meter, terms=list(map(made.term, watched)), everyone=True))
        draw = DrawingWorlds(frontier, meter).worlds
    except OverEffort:  # then of all worlds, with no fact taken into account beforehand
        made = ground(release, entities, (), watched=watched)
        draw = partial(any_worlds, made)
    asked, wanted = made.terms.all_of(map(made.term, known)), list(map(made.term, targets))
    hits, fitting, drawn = np.zeros(len(wanted), int), 0, 0
    at_once = min(samples, max(MOST_DRAWS // (len(made.parties) * len(made.said) + 1), 1))
    while fitting < samples and drawn < TRIES * samples and not (drawn and attempts.spent.is_late()):
        worlds = draw(at_once, rng)
        fits = np.flatnonzero(evaluate(asked, worlds, made))[: samples - fitting]
        fitting, drawn = fitting + len(fits), drawn + at_once
        hits += [int(evaluate(term, worlds, made)[fits].sum()) for term in wanted]
    return [Estimate.of(each, fitting, confidence) for each in hits.tolist()] if fitting else []


# ----------------------------------------------------------------------------------------------------
# What can be said of a probability when not all facts can be counted at once.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Countable:
    """The facts that can be counted together, and those that cannot be added."""

    kept: tuple[Fact, ...]
    left_out: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Attempts:
    """Attempts to count, each within an eighth of what is left of an effort."""

    counting: Counting
    spent: Meter

    def shares(self, facts: Iterable[Fact], target: Fact) -> Shares | None:
        """Say in which share of the worlds these are so, and the target as well, if that can be counted."""
        meter = self.meter()
        try:
            return replace(self.counting, meter=meter).shares(facts, target)  # which remembers what others counted
        except OverEffort:
            return None
        finally:
            self.spent.states += meter.states

    def meter(self) -> Meter:
        """Allow a part of what is left."""
        return Meter(self.spent.left().share(8))

    def countable(self, target: Fact, known: Sequence[Fact]) -> Countable:
        """Take facts that bear on a target, while they can be counted with and without it.

        Twice as many at a time as long as that goes well, half as many when it does not.
        """
        kept: tuple[Fact, ...] = ()
        left_out: list[Fact] = []
        waiting, many = self._bearing(target, known), 1
        while waiting and not self.spent.is_late():
            some, fits = waiting[:many], self.shares([*kept, *waiting[:many]], target) is not None
            if fits:
                kept = (*kept, *some)
            elif many == 1:
                left_out += some
            if fits or many == 1:
                waiting = waiting[many:]
            many = many * 2 if fits else max(many // 2, 1)
        return Countable(kept, (*left_out, *waiting))

    def bounds(self, target: Fact, known: Sequence[Fact]) -> tuple[Fraction, Fraction]:
        """Bound Pr(target | known): worlds that the countable facts leave, less those that break one of the others.

        With K the facts that are counted and R the rest, worlds with T ∧ K ∧ R are at most those with T ∧ K and at
        least those less Σ_r (worlds with T ∧ K ∧ ¬r); the same for ¬T.
        """
        split = self.countable(target, known)
        most = self._with_and_without(target, split.kept)
        if most is None:
            return Fraction(0), Fraction(1)
        least = most
        for fact in split.left_out:
            broken = self._with_and_without(target, (*split.kept, ~fact)) or self._with_and_without(target, (~fact,))
            if broken is None or self.spent.is_late():  # it may break all of them
                least = (Fraction(0), Fraction(0))
                break
            least = (max(least[0] - broken[0], Fraction(0)), max(least[1] - broken[1], Fraction(0)))
        low = least[0] / (least[0] + most[1]) if least[0] else Fraction(0)
        high = most[0] / (most[0] + least[1]) if most[0] + least[1] else Fraction(1)
        return low, high

    def _with_and_without(self, target: Fact, facts: tuple[Fact, ...]) -> tuple[Fraction, Fraction] | None:
        """Count worlds that fit some facts: with the target, and without it."""
        shares = self.shares(facts, target)
        return None if shares is None else (shares[1], shares[0] - shares[1])

    def _bearing(self, target: Fact, known: Sequence[Fact]) -> list[Fact]:
        """Keep the facts that are linked with the target by groups: the others cancel out."""
        rows = {fact: [self.counting.entities.group_of[who] for who in fact.people()] for fact in (target, *known)}
        first = joined(dict.fromkeys(row for some in rows.values() for row in some), rows.values())
        near = {first[row] for row in rows[target]}
        return sorted((fact for fact in known if first[rows[fact][0]] in near), key=lambda fact: len(fact.people()))
