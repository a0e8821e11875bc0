"""The privacy profile: every ε and δ that a release keeps at once, and which tests and odds they leave possible.

A release is (ε, δ)-private when Pr(t ∈ S | data) ≤ e^ε · Pr(t ∈ S | neighbour) + δ for every set S of outputs and all
neighbours, either way round.  δ as a function of ε is its privacy profile; here: finitely many pairs, all of which
hold.  One pair is a profile too.  From the pairs follow, for somebody who knows all but which of two neighbours it was:

    power           whoever says "you are in" of at most a share α of those who are not, does so of at most
                        min over pairs of  min(e^ε·α + δ,  1 − e^(−ε)·(1 − δ − α))      of those who are
                    1 − power is the trade-off function f(α); of all pairs together it is exact (Dong, Roth and Su)
    advantage       max over α of power − α  ≤  min over pairs of  (e^ε − 1 + 2δ) / (e^ε + 1)
    odds factor     Pr(t | in) / Pr(t | out) is at most  min over pairs of  e^ε / (1 − δ / c),  except with chance c:
                    let S be the outputs beyond e^ε', then Pr(S | in) ≤ e^ε·Pr(S | out) + δ ≤ e^(ε − ε')·Pr(S | in) + δ
    two steps       neighbours of neighbours: (2ε, δ·(1 + e^ε))

All of it is rounded up.  Each bound holds for any law of what is not known, as long as it is the same for both
neighbours: mixing both sides with the same weights keeps every pair.

Source: Wasserman and Zhou, JASA 2010 (tests); Kairouz, Oh and Viswanath, ICML 2015; Balle, Barthe and Gaboardi,
Privacy Amplification by Subsampling, 2018 (profiles); Dong, Roth and Su, Gaussian Differential Privacy, 2022.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from sidelight.arrays import Floats
from sidelight.errors import BadNoise, parameter
from sidelight.rounding import exact_number, raise_bound, round_up

LOST_IN_TRANSFORMS = 1e-13
"""What Fourier transforms of privacy losses may lose of a δ in floats: a thousand of them were seen to lose 5e-15."""

Neighbours: TypeAlias = Literal["add or remove", "replace"]
"""Data sets that must look alike: one has a person more, or one person's row is another one."""

PrivacyCurve: TypeAlias = Callable[[Sequence[float]], Sequence[float]]
"""δ at each of several ε, rounded up."""

SMALLEST_READ, LARGEST_READ, FINENESS = 1e-4, 40.0, 512
"""Between which ε a curve is read, and at how many: above them, a belief may move anywhere in floats."""

SMALLEST_DELTA = 1e-300
"""A δ that is computed is never 0, which would promise what floats only cannot tell."""

LOST_IN_FLOATS = 4e-15
"""More than what a few operations on numbers up to 1 lose, absolutely."""


@dataclass(frozen=True, slots=True)
class PrivacyProfile:
    """Pairs of ε and δ that a release keeps, all at once: δ as a function of ε, as far as it was read.

    >>> PrivacyProfile.of_pair(1.0).power(0.05)
    0.135914...
    """

    pairs: tuple[tuple[float, float], ...]
    curve: PrivacyCurve | None = field(default=None, repr=False, compare=False)  # for every other ε, where it is known

    @classmethod
    def of_pair(cls, epsilon: float, delta: float = 0.0) -> PrivacyProfile:
        """Build the profile of a single ε and δ."""
        exact = (exact_number(epsilon, BadNoise, "epsilon"), exact_number(delta, BadNoise, "delta"))
        loss, slack = (
            each if isinstance(each, float) else round_up(number)
            for each, number in zip((epsilon, delta), exact, strict=True)
        )
        return cls(((loss, slack),))

    @classmethod
    def of_curve(cls, curve: PrivacyCurve, *, smallest: float = SMALLEST_READ) -> PrivacyProfile:
        """Read δ at 0 and at many ε, from the smallest of interest on."""
        if not isinstance(smallest, int | float) or not 0 < smallest < LARGEST_READ:
            message = f"{parameter('smallest', smallest)} is not where to begin; give an epsilon above 0 and below 40"
            raise BadNoise(message)
        epsilons = (0.0, *np.geomspace(smallest, LARGEST_READ, FINENESS - 1).tolist())
        return cls(tuple(zip(epsilons, curve(epsilons), strict=True)), curve)

    def __repr__(self) -> str:
        if len(self.pairs) == 1:
            ((epsilon, delta),) = self.pairs
            return f"<PrivacyProfile of epsilon {epsilon:g} and delta {delta:g}>"
        return f"<PrivacyProfile of {len(self.pairs)} pairs of epsilon and delta>"

    def __or__(self, other: PrivacyProfile) -> PrivacyProfile:
        """Return the pairs of both profiles of one release, with the first curve that there is."""
        return PrivacyProfile(tuple(dict.fromkeys(chain(self.pairs, other.pairs))), self.curve or other.curve)

    def as_read(self) -> PrivacyProfile:
        """Keep the pairs alone, which are plain numbers."""
        return PrivacyProfile(self.pairs)

    def epsilon_at(self, delta: float) -> float:
        """Return the smallest known ε whose δ is at most this; infinite where there is none.

        >>> PrivacyProfile(((0.5, 1e-3), (1.0, 1e-6))).epsilon_at(1e-4)
        1.0
        """
        high = min((epsilon for epsilon, other in self.pairs if other <= delta), default=math.inf)
        if self.curve is None or math.isinf(high):
            return high
        low = max((epsilon for epsilon, _ in self.pairs if epsilon < high), default=high)
        # invariant: δ is small enough at `high`
        while low < (middle := (low + high) / 2) < high and high - low > 1e-12 * high:
            low, high = (low, middle) if self.curve([middle])[0] <= delta else (middle, high)
        return high

    def two_steps(self) -> PrivacyProfile:
        """Return what neighbours of neighbours keep: (2ε, δ·(1 + e^ε)).

        >>> PrivacyProfile.of_pair(0.5).two_steps()
        <PrivacyProfile of epsilon 1 and delta 0>
        """
        return PrivacyProfile(
            tuple(
                (2 * epsilon, min(raise_bound(delta * (1 + _exp(epsilon))), 1.0) if delta else 0.0)
                for epsilon, delta in self.pairs
            )
        )

    def power(self, false_alarms: float) -> float:
        """Return the largest share of those who are in that a test recognises at this share of false alarms."""
        return float(self.powers(np.array([false_alarms]))[0])

    def powers(self, false_alarms: Floats) -> Floats:
        """Return `power` at many shares of false alarms: (n,) to (n,)."""
        # (pairs, 2) becomes two columns (pairs, 1), which broadcast against shares (n,)
        epsilons, deltas = np.array(self.pairs).T[:, :, None]
        few = np.exp(np.minimum(epsilons, 700)) * false_alarms + deltas
        many = 1 - np.exp(-epsilons) * np.maximum(1 - deltas - false_alarms, 0)
        least = np.minimum(few, many).min(axis=0)
        return np.minimum(raise_bound(1.0) * least + LOST_IN_FLOATS, 1.0)  # type: ignore[no-any-return]

    @property
    def advantage(self) -> float:
        """By how much saying "you are in" is likelier, at most, when you are than when you are not."""
        bounds = (math.tanh(epsilon / 2) + 2 * delta / (_exp(epsilon) + 1) for epsilon, delta in self.pairs)
        return min(raise_bound(min(bounds)), 1.0)

    def odds_factor(self, chance: float = 0.0, *, people: int = 1) -> float:
        """By which factor the odds of being in change at most; of so many people, except with this chance for any.

        >>> PrivacyProfile.of_pair(1.0).odds_factor()
        2.71828...
        >>> PrivacyProfile.of_pair(1.0, 1e-6).odds_factor(0.001, people=100)
        3.020...
        """
        factors = [math.inf]
        for epsilon, delta in self.pairs:
            # δ / c of the module, with a union bound over all people
            broken = raise_bound(people * delta) / chance if 0 < chance < 1 else math.inf
            if delta == 0:
                factors.append(_exp(epsilon))
            elif broken < 1:
                factors.append(_exp(epsilon) / (1 - broken))
        return raise_bound(min(factors), LOST_IN_FLOATS)


def curve_of_losses(losses: Any) -> PrivacyCurve:  # noqa: ANN401 - dp-accounting has no types
    """Read δ off a distribution of privacy losses of dp-accounting, with what transforms may have lost of it."""

    def deltas(epsilons: Sequence[float]) -> list[float]:
        read = losses.get_delta_for_epsilon(list(epsilons))
        return [min(raise_bound(max(float(delta), 0.0)) + LOST_IN_TRANSFORMS, 1.0) for delta in read]

    return deltas


def curve_of_divergences(orders: Floats, divergences: Floats) -> PrivacyCurve:
    """Turn Rényi divergences D at orders α > 1 into δ at ε: min over α of e^((α−1)(D−ε)) / (α−1) · (1 − 1/α)^α.

    Zero-concentrated privacy is D = ρ·α.  Every α is valid, so that any choice of orders bounds δ.

    Source: Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy, 2020, proposition 12.
    """
    # all three are (orders,); `exponents` is (epsilons, orders), with the best order taken along the last axis
    excess = orders - 1
    constant = -np.log(excess) + orders * np.log1p(-1 / orders)

    def deltas(epsilons: Sequence[float]) -> list[float]:
        exponents = excess * (divergences - np.array(epsilons)[:, None]) + constant
        # a logarithm loses in proportion to its terms, not to itself
        lost = 1e-14 * (1 + excess * (divergences + np.array(epsilons)[:, None]) + np.abs(constant))
        least = np.exp(np.minimum((exponents + lost).min(axis=1), 0.0))
        return np.maximum(least, SMALLEST_DELTA).tolist()  # type: ignore[no-any-return]

    return deltas


def largest_posterior(prior: float, odds_factor: float) -> float:
    """Return how likely something becomes at most when its odds change by this factor: p·F / (p·F + 1 − p), rounded up.

    >>> largest_posterior(0.1, math.e)
    0.23196...
    """
    if math.isinf(odds_factor):
        return 1.0 if prior else 0.0
    odds = prior * odds_factor
    return min(raise_bound(odds / (odds + 1 - prior)), 1.0) if prior < 1 else 1.0


def _exp(power: float) -> float:
    return math.exp(power) if power < 700 else math.inf
