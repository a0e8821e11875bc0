"""How many people are there of some kind, by noisy counts, and how far from the truth is that at most?

An answer is a sum of noisy counts, and errs by a weighted sum of independent discrete noises,

    error = Σ_j w_j · S_j,   S_j = the sum of n_j draws of one noise (`NoisePart`),

whose standard deviation is √(Σ_j w_j² · n_j · variance_j).  A margin m with Pr(|error| > m) ≤ α is the smaller of two
bounds, neither of which is ever too small:

by distribution     S_j has the distribution that the n_j-th power of the noise's characteristic function transforms
                    back to.  Of several S_j each w_j·S_j is rounded to a step h, which moves it by h/2 at most, and the
                    rounded ones are convolved: |error| ≤ |rounded| + J·h/2.  Where there is one j nothing is rounded
                    and the margin is exact.  What the transforms wrap around (`BEYOND`, by Chernoff's bound) and lose
                    to rounding (`LOST_PER_DRAW`) is taken from α.
                    Of very many S_j, those of one noise and of nearly equal weights are first taken for one, of their
                    mean weight; what that leaves, a sum of small weights, is bounded by Chernoff for a part of α.
by Chernoff's bound (Σ_j n_j · ln E[e^(t·w_j·noise_j)] + ln(2/α)) / t for any t > 0; for what is too long to transform,
                    and for confidences beyond what floats can add up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sidelight.noise.mechanism import STANDARD_DEVIATIONS, Mechanism, expect_confidence
from sidelight.rounding import raise_bound

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers

BEYOND = 1e-12  # how likely a sum of noises is further out than its distribution is computed for


LONGEST_TRANSFORM = 2**22  # longer distributions are not computed; Chernoff's bound answers for them


PARTS_AT_MOST = 64  # of more parts than this, those of nearly equal weights are taken together


@dataclass(frozen=True, slots=True)
class NoisePart:
    """So many independent draws of one noise, each of which counts `weight` times."""

    mechanism: Mechanism
    draws: int
    weight: float = 1

    @property
    def variance(self) -> float:
        """The variance of the draws together."""
        return self.weight**2 * self.draws * self.mechanism.variance()


@dataclass(frozen=True)
class NoisyAnswer:
    """A number that noisy counts tell: right on average, and `margin` says how far off.

    `count` may be negative, as the noise may: to set such an answer to 0 would make sums of answers too large.  It is
    about what was counted: nobody who was left out of the counts is in it.

    >>> answer = NoisyAnswer(1_921, "people", (NoisePart(Mechanism("discrete Laplace", scale=1.0), draws=74),))
    >>> answer, round(answer.sd, 2), answer.margin(0.99)
    (<NoisyAnswer 1,921 ± 23 people>, 11.67, 30)
    >>> int(answer), f"{float(answer):.1f}"
    (1921, '1921.0')
    """

    count: float
    of: str  # what was counted
    noise: tuple[NoisePart, ...]

    @cached_property
    def sd(self) -> float:
        """The standard deviation of the count."""
        return math.sqrt(math.fsum(part.variance for part in self.noise))

    def margin(self, confidence: float = 0.95) -> float:
        """How far is the count from the truth, at most, with this confidence?"""
        return margin_of(self.noise, confidence)

    def __int__(self) -> int:
        return round(self.count)

    def __float__(self) -> float:
        return float(self.count)

    def __str__(self) -> str:
        return f"{self.count:,.0f} ± {math.ceil(self.margin()):,}"

    def __repr__(self) -> str:
        return f"<NoisyAnswer {self} {self.of}>"


def margin_of(noise: Sequence[NoisePart], confidence: float) -> float:
    """How far from 0 are these noises together at most, with this confidence?  Whole where one kind is added up."""
    alpha, parts = 1 - expect_confidence(confidence), [part for part in noise if part.draws and part.weight]
    if not parts:
        return 0
    bound = _chernoff(parts, alpha)
    # what truncation and floats may lose is paid out of α, so that the margin stays an upper bound
    slack = (len(parts) + 1) * BEYOND + 1e-15 * sum(part.draws for part in parts)
    # α is too small for distributions in floats; Chernoff's bound answers alone
    if alpha <= 2 * slack:
        return bound
    alpha -= slack
    exactly: float | None
    if len(parts) == 1:
        chances = _distribution(parts[0])
        exactly = None if chances is None else abs(parts[0].weight) * _smallest(chances, alpha)
    elif len(parts) <= PARTS_AT_MOST:
        exactly = _several_kinds(parts, alpha)
    else:
        # a hundredth of α is for what is left of weights that are taken together
        together, left = merge_parts(parts)
        exactly = _several_kinds(together, alpha * 0.99)
        exactly = None if exactly is None else exactly + (_chernoff(left, alpha * 0.01) if left else 0)
    return bound if exactly is None else min(exactly, bound)


def _chernoff(parts: Sequence[NoisePart], alpha: float) -> float:
    """Bound by Chernoff's inequality for both sides, at the best t of many; a whole number where one kind is added."""
    allowed = math.log(2 / alpha)
    limits = [1 / (part.mechanism.scale * abs(part.weight)) for part in parts]
    spread = math.sqrt(math.fsum(part.draws / limit**2 for part, limit in zip(parts, limits, strict=True)))
    near = math.sqrt(2 * allowed) / spread  # the best t of Gaussian noise
    t = np.unique(np.concatenate([near * np.geomspace(0.01, 10, 400), min(limits) * np.linspace(0.5, 0.999, 50)]))
    laplace = [limit for part, limit in zip(parts, limits, strict=True) if part.mechanism.kind == "discrete Laplace"]
    # E[e^(t·w·noise)] of Laplace noise is finite only where t·w < 1 / scale
    t = t[t < min(laplace, default=math.inf)]
    log_moments = sum(part.draws * part.mechanism.log_moment(t * abs(part.weight)) for part in parts)
    bound = raise_bound(float(((log_moments + allowed) / t).min()), 1e-9)
    # a single kind errs by whole multiples of its weight: the bound may be lowered to one
    return abs(parts[0].weight) * math.floor(bound / abs(parts[0].weight)) if len(parts) == 1 else bound


def _several_kinds(parts: Sequence[NoisePart], alpha: float) -> float | None:
    # all roundings together move the sum by a two-hundredth of a standard deviation at most
    step = math.sqrt(math.fsum(part.variance for part in parts)) / (100 * len(parts))
    furthest = math.ceil(_chernoff(parts, BEYOND) / step) + len(parts)
    size = _power_of_two(2 * furthest + 1)
    if size > LONGEST_TRANSFORM:
        return None
    # the spectrum of the sum, (size // 2 + 1,): a product of transforms is the transform of a convolution
    together = np.ones(size // 2 + 1, np.complex128)
    for part in parts:
        chances = _distribution(part)
        if chances is None:
            return None
        sums = np.fft.fftfreq(len(chances), 1 / len(chances))  # 0, 1, …, −2, −1
        # negative sums wrap around to the end, as the transform is cyclic
        place = np.rint(sums * (part.weight / step)).astype(np.int64) % size
        together *= np.fft.rfft(np.bincount(place, chances, minlength=size))
    # rounding to the grid moved each part by at most half a step
    return (_smallest(np.fft.irfft(together, size), alpha) + len(parts) / 2) * step


def merge_parts(parts: Sequence[NoisePart]) -> tuple[list[NoisePart], list[NoisePart]]:
    """Merge parts of one noise and of nearly equal weights into one of their mean weight; return these and the rest.

    The error is distributed as the sum of both, which are not independent.  Noise is symmetric, so that only the size
    of weights counts.  Whichever together deviate most from their mean are parted there, again and again, until what is
    left deviates by a five-hundredth of the whole.

    >>> noise = Mechanism("discrete Laplace", scale=1.0)
    >>> together, left = merge_parts([NoisePart(noise, 3, 0.5), NoisePart(noise, 1, 0.5004)])
    >>> [[(each.draws, round(each.weight, 6)) for each in parts] for parts in (together, left)]
    [[(4, 0.5001)], [(3, 0.0001), (1, 0.0003)]]
    """
    enough = 0.002**2 * math.fsum(part.variance for part in parts)
    groups = []  # (scatter, mean, mechanism, weights, draws)

    def add_group(mechanism: Mechanism, weights: Floats, draws: Integers) -> None:
        mean = float(weights @ draws / draws.sum())
        # the variance of what is left when all of them weigh as much as their mean
        groups.append((float((weights - mean) ** 2 @ draws) * mechanism.variance(), mean, mechanism, weights, draws))

    for mechanism in dict.fromkeys(part.mechanism for part in parts):
        alike = [(abs(part.weight), part.draws) for part in parts if part.mechanism == mechanism]
        sizes, times = zip(*alike, strict=True)
        add_group(mechanism, np.array(sizes, np.float64), np.array(times, np.int64))
    while len(groups) < PARTS_AT_MOST and math.fsum(scatter for scatter, *_ in groups) > enough:
        widest = max(range(len(groups)), key=lambda at: groups[at][0])
        _, mean, mechanism, weights, draws = groups.pop(widest)
        low = weights <= mean
        for half in (low, ~low):
            if half.any():
                add_group(mechanism, weights[half], draws[half])
    together = [NoisePart(mechanism, int(draws.sum()), mean) for _, mean, mechanism, _, draws in groups]
    left = [
        NoisePart(mechanism, int(times), float(weight))
        for _, mean, mechanism, weights, draws in groups
        for times, weight in zip(draws, np.abs(weights - mean), strict=True)
        if weight
    ]
    return together, left


def _distribution(part: NoisePart) -> Floats | None:
    """Return how likely each sum of the draws is: of 0, 1, … first, then of the negative ones, up to −1."""
    furthest = part.mechanism.margin_of_total(part.draws, BEYOND / 2)
    size = _power_of_two(2 * furthest + 1)
    if size > LONGEST_TRANSFORM:
        return None
    mechanism = part.mechanism
    # E[cos(θ·noise)] at θ = 0, 2π/size, …, π: real, as noise is symmetric
    if mechanism.kind == "discrete Laplace":  # (1 − a)² / ((1 − a)² + 4a·sin²(θ/2))
        a, rest = math.exp(-1 / mechanism.scale), math.expm1(-1 / mechanism.scale) ** 2
        transformed: Floats = rest / (rest + 4 * a * np.sin(np.pi * np.arange(size // 2 + 1) / size) ** 2)
    else:
        reach = math.ceil(STANDARD_DEVIATIONS * mechanism.scale) + 1
        noise = np.arange(-reach, reach + 1)
        weight = np.exp(mechanism.log_weight(noise))
        transformed = np.fft.rfft(np.bincount(noise % size, weight / weight.sum(), minlength=size)).real
    # the inverse transform leaves tiny negative chances, which are rounding
    return np.maximum(np.fft.irfft(transformed**part.draws, size), 0)


def _smallest(chances: Floats, alpha: float) -> int:
    """Find the smallest m so that at most α is further than m from 0."""
    half = len(chances) // 2
    # +m stands at index m and −m at index size − m: both are folded into |m|, (size // 2,)
    within = np.cumsum(np.concatenate([chances[:1], chances[1:half] + chances[:half:-1]]))
    return int(np.searchsorted(within, 1 - alpha))


def _power_of_two(size: int) -> int:
    return 1 << max(size - 1, 1).bit_length()
