"""Worlds drawn at random, for facts that are too hard to count."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.worlds.bounds import attempts, countable
from sidelight.worlds.budget import Budget, OverBudget
from sidelight.worlds.counting import Counting, Urns
from sidelight.worlds.formula import Formula
from sidelight.worlds.grounding import Ground
from sidelight.worlds.urns import lots_of

TRIES = 50
"""At most so many worlds are drawn for each one that is wanted."""


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
    ground: Ground,
    target: Formula,
    known: Sequence[Formula],
    *,
    budget: Budget,
    rng: np.random.Generator,
    samples: int,
    confidence: float,
) -> Estimate | None:
    """Draw worlds that fit the facts that can be counted, keep those that fit all, and look at the target in them.

    Nothing if no such world was found.
    """
    split = countable(ground, target, known, attempts(budget, known))
    try:
        hits, worlds = _drawn(ground, target, known, _Sampler(ground, split.kept, budget), rng, samples)
    except OverBudget:  # then of all worlds, with no fact taken into account beforehand
        hits, worlds = _drawn(ground, target, known, _Sampler(ground, (), budget), rng, samples)
    return Estimate.of(hits, worlds, confidence) if worlds else None


def _drawn(  # noqa: PLR0917 - one helper of one function
    ground: Ground,
    target: Formula,
    known: Sequence[Formula],
    sampler: _Sampler,
    rng: np.random.Generator,
    samples: int,
) -> tuple[int, int]:
    """Count worlds that fit the facts, and those of them with the target."""
    asked = ground.formulas.all_of(known)
    people = sorted({*target.people, *asked.people})
    hits = fitting = 0
    for _ in range(TRIES * samples):
        world = sampler.world(people, rng)
        if holds(asked, world, ground):
            fitting += 1
            hits += holds(target, world, ground)
        if fitting == samples:
            break
    return hits, fitting


def holds(formula: Formula, world: dict[int, int], ground: Ground) -> bool:
    """Decide a formula where everybody's lot is known."""
    if formula.kind == "draws":
        return bool(formula.mask >> world[formula.person] & 1)
    if formula.kind == "tie":
        mine, theirs = (
            ground.lots[ground.formulas.urn_of[person]][world[person]] for person in (formula.person, formula.other)
        )
        return (mine == theirs) == bool(formula.mask)
    if formula.kind == "any":
        return any(holds(part, world, ground) for part in formula.parts)
    return formula.kind != "false" and all(holds(part, world, ground) for part in formula.parts)


class _Sampler:
    """Draws worlds of a formula that can be counted, each equally likely: lot by lot, by the worlds that are left."""

    def __init__(self, ground: Ground, facts: Sequence[Formula], budget: Budget) -> None:
        self.formula = ground.formulas.all_of(facts)
        self.urns = ground.urns
        self.counting: Counting = ground.counting(budget)
        self.every_lot = ground.formulas.every_lot
        self.urn_of = ground.formulas.urn_of
        self._choices: dict[Hashable, tuple[list[int], list[float]]] = {}

    def world(self, people: list[int], rng: np.random.Generator) -> dict[int, int]:
        """Let everybody draw."""
        formula, urns = self.formula, self.urns
        lots: dict[int, int] = {}
        for person, chance in zip(people, rng.random(len(people)).tolist(), strict=True):
            number = self.urn_of[person]
            choices, cumulative = self._alternatives(formula, person, urns)
            lot = choices[min(bisect(cumulative, chance), len(choices) - 1)]
            lots[person] = lot
            formula = self.counting.after(formula, person, 1 << lot)
            urns = {**urns, number: urns[number].take(1 << lot)[1]}
        return lots

    def _alternatives(self, formula: Formula, person: int, urns: Urns) -> tuple[list[int], list[float]]:
        """Weigh the lots by the worlds that are left after each."""
        number = self.urn_of[person]
        concerned = {*formula.urns, number}
        key = (formula, person, *((each, urns[each]) for each in sorted(concerned)))
        if key not in self._choices:
            here = {each: urns[each] for each in concerned}
            weighed = []
            for lot in lots_of(self.every_lot[number]):
                ways, left = urns[number].take(1 << lot)
                rest = self.counting.after(formula, person, 1 << lot)
                weighed.append((lot, ways and ways * self.counting.worlds(rest, {**here, number: left})))
            possible = [(lot, ways) for lot, ways in weighed if ways]
            total = sum(ways for _, ways in possible)
            self._choices[key] = (
                [lot for lot, _ in possible],
                list(accumulate(ways / total for _, ways in possible)),
            )
        return self._choices[key]
