"""What came out of an experiment, as data: means with confidence intervals, ready to be drawn."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from scipy.special import stdtrit

from sidelight.errors import BadMeasure, did_you_mean


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over repetitions, and the interval that holds the true one with 95 % confidence (None: one repetition)."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, seen: Sequence[float]) -> Estimate:
        """Average; mean ± t·s/√n, with Student's t.

        >>> Estimate.of([1.0, 2.0, 3.0]).mean, round(Estimate.of([1.0, 2.0, 3.0]).high, 3), Estimate.of([2.0]).low
        (2.0, 4.484, None)
        """
        n = len(seen)
        mean = math.fsum(seen) / n
        if n == 1:
            return cls(mean, None, None)
        spread = math.sqrt(math.fsum((each - mean) ** 2 for each in seen) / (n - 1))
        reach = float(stdtrit(n - 1, 0.975)) * spread / math.sqrt(n)
        return cls(mean, mean - reach, mean + reach)


@dataclass(frozen=True, slots=True)
class Point:
    """One method under one policy.

    `repetitions` counts those in which something could be published.  `estimates`: "perfect", "vulnerable" and
    "contradicted" (shares of the people in common), "promised" (smallest group), "actual" (people one stands among),
    "before" and "after" (values left), "located right", "hits" (the true value is a candidate), "given away" (it is the
    only one), "guessed" (it is the likeliest), "belief in truth" and its "gain" over what was believed before, "loss"
    and "query error" (of the releases).
    """

    method: str
    policy: str
    repetitions: int
    estimates: Mapping[str, Estimate]
    partial: Mapping[Fraction, Estimate]  # confidence → share of people


@dataclass(frozen=True, slots=True)
class Simulation:
    """What independent releases of overlapping samples gave away together."""

    overlap: int
    people: int
    releases: int
    repetitions: int
    seed: int
    points: tuple[Point, ...]

    def point(self, method: str, policy: str | int) -> Point:
        """Find a method under a policy."""
        for each in self.points:
            if (each.method, each.policy) == (method, str(policy)):
                return each
        named = [f"{each.method}, {each.policy}" for each in self.points]
        message = f"nothing was tried with '{method}, {policy}'{did_you_mean(f'{method}, {policy}', named)}"
        raise BadMeasure(message)

    def curve(self, name: str, *, method: str) -> dict[str, Estimate]:
        """Give one figure of a method against the policies, in their order."""
        mine = {each.policy: each for each in self.points if each.method == method}
        if not mine:
            message = f"nothing was tried with '{method}'{did_you_mean(method, {each.method for each in self.points})}"
            raise BadMeasure(message)
        known = {key for each in mine.values() for key in each.estimates}
        if name not in known:
            message = f"no figure '{name}'{did_you_mean(name, sorted(known))}"
            raise BadMeasure(message)
        return {policy: each.estimates[name] for policy, each in mine.items() if name in each.estimates}

    def to_json(self) -> str:
        """Write everything as JSON."""
        points = [
            {
                "method": each.method,
                "policy": each.policy,
                "repetitions": each.repetitions,
                "estimates": {name: asdict(estimate) for name, estimate in each.estimates.items()},
                "partial": [
                    {"confidence": str(confidence), **asdict(estimate)} for confidence, estimate in each.partial.items()
                ],
            }
            for each in self.points
        ]
        settings = ("overlap", "people", "releases", "repetitions", "seed")
        document = {"version": 1, **{name: getattr(self, name) for name in settings}, "points": points}
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
