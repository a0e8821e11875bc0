"""What can be said of Pr(target | facts) when the facts are too hard to count: bounds for certain, and an estimate.

    K, R       the facts that can be counted together, and the rest.
    Bounds     T∧K∧R ⊆ T∧K, and T∧K∧R misses at most the worlds that break one of R:
               Pr(T∧K) − Σ_{r∈R} Pr(T∧K∧¬r)  ≤  Pr(T∧K∧R)  ≤  Pr(T∧K), the same for ¬T; then Pr(T | K∧R) is bounded.
    Estimate   rejection sampling: worlds that satisfy K, each equally likely, of which those that satisfy R are kept.

The interval of an estimate is Clopper and Pearson's, which holds for any number of worlds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from sidelight.errors import BadMeasure, as_given, parameter
from sidelight.knowledge.facts import Fact
from sidelight.rounding import exact_number, whole_number
from sidelight.worlds.counting.compile import CountingProblem, compile_facts, components
from sidelight.worlds.counting.counter import Joint, WorldCounter
from sidelight.worlds.counting.frontier import Frontier
from sidelight.worlds.counting.order import Schedule
from sidelight.worlds.counting.sampling import SampledWorlds, WorldSampler, evaluate, sample_any
from sidelight.worlds.effort import Meter, OverEffort

MOST_TRUTHS = 50_000_000
"""At most so many truths (a variable takes a block) are in memory, for as many worlds as that allows."""

Sampler: TypeAlias = Callable[[int, np.random.Generator], SampledWorlds]


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
        """Return what was counted."""
        _check_confidence(confidence)
        return cls(value, float(value), float(value), confidence)

    @classmethod
    def from_hits(cls, hits: int, worlds: int, confidence: float) -> Estimate:
        """Estimate from hits among worlds.

        >>> estimate = Estimate.from_hits(0, 100, confidence=0.95)
        >>> estimate.low, round(estimate.high, 4)
        (0.0, 0.0362)
        """
        from scipy.special import betaincinv  # noqa: PLC0415 - only here, and slow to import

        _check_confidence(confidence)
        whole_number(hits, BadMeasure, "how many worlds fit", most=whole_number(worlds, BadMeasure, "worlds", least=1))
        tail = (1 - confidence) / 2
        low = float(betaincinv(hits, worlds - hits + 1, tail)) if hits else 0.0
        high = float(betaincinv(hits + 1, worlds - hits, 1 - tail)) if hits < worlds else 1.0
        return cls(Fraction(hits, worlds), low, high, confidence, worlds)

    def clip(self, low: Fraction | int, high: Fraction | int) -> Estimate:
        """Clip the interval to bounds that are known for certain."""
        value = min(max(self.value, Fraction(low)), Fraction(high))
        return replace(self, value=value, low=max(self.low, float(low)), high=min(self.high, float(high)))


def as_generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    """Return a generator, from a seed or as it is."""
    if rng is None:
        message = "drawing worlds needs rng=, a seed or a NumPy generator, so that the answer can be repeated"
        raise BadMeasure(message)
    if isinstance(rng, np.random.Generator):
        return rng
    return np.random.default_rng(whole_number(rng, BadMeasure, parameter("rng"), most=math.inf))


def _check_confidence(confidence: float) -> None:
    if not 0 < exact_number(confidence, BadMeasure, "a confidence") < 1:
        message = f"a confidence lies between 0 and 1, not {as_given(confidence)}"
        raise BadMeasure(message)


@dataclass(frozen=True, slots=True)
class FactSplit:
    """The facts that can be counted together, and those that cannot be added."""

    countable: tuple[Fact, ...]
    left_out: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Attempts:
    """Attempts to count, each within an eighth of what is left of an effort."""

    counter: WorldCounter
    spent: Meter

    def joint(self, facts: Iterable[Fact], target: Fact) -> Joint | None:
        """Return Pr(facts), and Pr(facts and target), if that can be counted."""
        meter = self.meter()
        try:
            return self.counter.with_effort(meter).joint(facts, target)
        except OverEffort:
            return None
        finally:
            self.spent.states += meter.states

    def meter(self) -> Meter:
        """Return a meter for an eighth of what is left."""
        return Meter(self.spent.remaining().share(8))

    def split(self, target: Fact, facts: Sequence[Fact]) -> FactSplit:
        """Split facts that bear on a target into those that can be counted together and the others.

        Twice as many at a time as long as that goes well, half as many when it does not.
        """
        countable: tuple[Fact, ...] = ()
        left_out: list[Fact] = []
        waiting, batch = self._bearing_on(target, facts), 1
        while waiting and not self.spent.is_late():
            some, fits = waiting[:batch], self.joint([*countable, *waiting[:batch]], target) is not None
            if fits:
                countable = (*countable, *some)
            elif batch == 1:
                left_out += some
            if fits or batch == 1:
                waiting = waiting[batch:]
            batch = batch * 2 if fits else max(batch // 2, 1)
        return FactSplit(countable, (*left_out, *waiting))

    def bounds(self, target: Fact, facts: Sequence[Fact]) -> tuple[Fraction, Fraction]:
        """Bound Pr(target | facts) from both sides."""
        split = self.split(target, facts)
        most = self._weigh_target(target, split.countable)
        if most is None:
            return Fraction(0), Fraction(1)
        least = most
        for fact in split.left_out:
            # worlds that break this fact, counted among those of K if that is possible, else among all
            broken = self._weigh_target(target, (*split.countable, ~fact)) or self._weigh_target(target, (~fact,))
            if broken is None or self.spent.is_late():  # it may break all of them
                least = (Fraction(0), Fraction(0))
                break
            least = (max(least[0] - broken[0], Fraction(0)), max(least[1] - broken[1], Fraction(0)))
        # least with the target against most without it, and the other way round
        low = least[0] / (least[0] + most[1]) if least[0] else Fraction(0)
        high = most[0] / (most[0] + least[1]) if most[0] + least[1] else Fraction(1)
        return low, high

    def _weigh_target(self, target: Fact, facts: tuple[Fact, ...]) -> tuple[Fraction, Fraction] | None:
        """Return Pr(facts and target), and Pr(facts and not the target)."""
        joint = self.joint(facts, target)
        return None if joint is None else (joint[1], joint[0] - joint[1])

    def _bearing_on(self, target: Fact, facts: Sequence[Fact]) -> list[Fact]:
        """Return the facts that are linked with the target by groups: the others cancel out."""
        groups = {fact: [self.counter.entities.group_of[who] for who in fact.people()] for fact in (target, *facts)}
        first = components(dict.fromkeys(group for several in groups.values() for group in several), groups.values())
        near = {first[group] for group in groups[target]}
        # facts about few people first: they are likelier to be countable
        return sorted((fact for fact in facts if first[groups[fact][0]] in near), key=lambda fact: len(fact.people()))


def estimate_probabilities(
    attempts: Attempts,
    targets: Sequence[Fact],
    facts: Sequence[Fact],
    *,
    rng: np.random.Generator,
    samples: int,
    confidence: float,
) -> list[Estimate]:
    """Estimate the targets in worlds sampled from what can be counted, keeping those that fit all facts.

    The targets are about the same people.  Nothing if no such world came up in the time that is left.
    """
    problem, sample = _sampler(attempts, targets, facts)
    condition = problem.formulas.conjoin(map(problem.formula, facts))
    formulas = list(map(problem.formula, targets))
    hits, kept, sampled = np.zeros(len(formulas), int), 0, 0
    at_once = min(samples, max(MOST_TRUTHS // (len(problem.members) * len(problem.block_values) + 1), 1))
    # At most so many worlds are sampled for each one that is kept.
    while kept < samples and sampled < 50 * samples and not (sampled and attempts.spent.is_late()):
        worlds = sample(at_once, rng)
        fitting = np.flatnonzero(evaluate(condition, worlds, problem))[: samples - kept]
        kept, sampled = kept + len(fitting), sampled + at_once
        hits += [int(evaluate(formula, worlds, problem)[fitting].sum()) for formula in formulas]
    return [Estimate.from_hits(each, kept, confidence) for each in hits.tolist()] if kept else []


def _sampler(attempts: Attempts, targets: Sequence[Fact], facts: Sequence[Fact]) -> tuple[CountingProblem, Sampler]:
    """Return a sampler of worlds that fit the countable facts; of all worlds, if even that is too hard."""
    release, entities, watched = attempts.counter.release, attempts.counter.entities, [*facts, *targets]
    countable = attempts.split(targets[0], facts).countable
    problem = compile_facts(release, entities, countable, watched=watched)
    try:
        meter = attempts.meter()
        schedule = Schedule.build(problem, meter, formulas=list(map(problem.formula, watched)), exhaustive=True)
        return problem, WorldSampler(Frontier(schedule), meter).sample
    except OverEffort:
        problem = compile_facts(release, entities, (), watched=watched)
        return problem, partial(sample_any, problem)
