"""How noise is drawn: by OpenDP's discrete mechanisms, with the smallest scale that keeps ε and δ.

Neighbours are at most Δ₁ = Σ |change| and Δ₂ = √(Σ change²) apart, as vectors of counts (`Sensitivity`).

    discrete Laplace    Pr(noise = z) ∝ e^(−|z| / b)           ε = Δ₁ / b
    discrete Gaussian   Pr(noise = z) ∝ e^(−z² / (2σ²))        ρ = Δ₂² / (2σ²), and δ(ε) as below

Integers in, integers out: there is no floating point between a count and its noise that could give the count away.
What a scale costs is said once, by `Mechanism.keeps`, rounded up; the scale is the smallest that costs no more than ε
and δ.  Where counts change by one each, that is decided by the exact δ(ε), and where one may change by several, by ρ,
which OpenDP converts.

What Gaussian noise costs, *through ρ* (zero-concentrated privacy), whatever the change: ρ = Δ₂² / (2σ²), and at δ an ε
of

    min over α > 1 of  ρα + ln(1/(αδ))/(α − 1) + ln(1 − 1/α)

of which the derivative is ρ − ln(1/(αδ))/(α − 1)²: there is one best α, where ρ(α − 1)² = ln(1/(αδ)).

*Exactly*, where c counts change by one each.  The loss of counts with noise z is (2·Σz + c)/(2σ²), a function of
S = Σz alone, and with t = εσ² − c/2

    δ(ε) = Pr(S > t) − e^ε · Pr(S > t + c) = Σ over s > t of Pr(S = s) · (1 − e^(−(s − t)/σ²))

of which no term is negative, so that floats lose nothing.  Fewer changes are a part of it and cost no more; their signs
do not matter, as the noise has none.  A vector z with the sum s is s/c in every place and something orthogonal, which
stays the same when every place is raised by one; so

    Pr(S = s) ∝ e^(−s²/(2cσ²)) · θ(s mod c),  θ(r) = Σ over z with the sum r of e^(−(Σz² − r²/c)/(2σ²))

and θ is constant but for e^(−77c) of it where σ ≥ 4 (by Poisson's summation the noise has the characteristic function
Σ_k e^(−σ²(u − 2πk)²/2), of which only k = 0 matters away from ±π, and there nothing does).

What is returned is never below the truth.

Source: Ghosh, Roughgarden and Sundararajan, STOC 2009 (discrete Laplace); Canonne, Kamath and Steinke, The
Discrete Gaussian for Differential Privacy, NeurIPS 2020: proposition 12 (through ρ), theorem 7 (exactly, for c = 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from sidelight.errors import BadNoise, as_given, needs_extra, parameter
from sidelight.noise.parameters import ONE_BY_ONE, Amount, Sensitivity, exact_delta, exact_epsilon
from sidelight.noise.privacy_profile import smallest_kept
from sidelight.rounding import exact_number, raise_bound, round_down, round_up

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers

NoiseKind: TypeAlias = Literal["discrete Laplace", "discrete Gaussian"]

SMALLEST_EPSILON, LARGEST_EPSILON = Fraction(1, 10**6), Fraction(100)
"""Below the one, nothing but noise would be published; above the other, nobody is promised anything."""

SMALLEST_DELTA = Fraction(1, 10**100)
"""Smaller ones are as good as 0, and cost more noise than that."""


STANDARD_DEVIATIONS = 12  # Gaussian noise further out has less weight than floats can add


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Noise that was added to every count independently.

    Discrete Laplace: Pr(noise = z) ∝ e^(−|z| / scale).  Discrete Gaussian: Pr(noise = z) ∝ e^(−z² / (2·scale²)).
    `sensitivity` is how far one person moves the counts.
    """

    kind: NoiseKind
    scale: float
    sensitivity: Sensitivity = ONE_BY_ONE

    def log_weight(self, noise: Integers | Floats) -> Floats:
        """Return how likely noise is, as a logarithm, up to a constant: what an attacker computes with."""
        size = np.abs(noise.astype(np.float64))
        return -size / self.scale if self.kind == "discrete Laplace" else -(size**2) / (2 * self.scale**2)

    def rho(self) -> Fraction:
        """Return the ρ of zero-concentrated privacy, exactly: Δ₂² / (2·scale²), for Laplace noise Δ₁² / (2·scale²)."""
        squared = self.sensitivity.l1**2 if self.kind == "discrete Laplace" else self.sensitivity.l2_squared
        return squared / (2 * Fraction(self.scale) ** 2)

    def keeps(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Whether this noise costs no more than ε and δ at its sensitivity, by bounds that are rounded up."""
        if not 0 < self.scale < math.inf:
            return False
        if self.kind == "discrete Laplace":
            # in fractions: no rounding decides whether ε is kept
            return self.sensitivity.l1 <= epsilon * Fraction(self.scale)
        if delta == 0:
            return False
        if self.sensitivity.changes_by_ones and gaussian_delta(epsilon, self.scale, self.sensitivity.l1) <= delta:
            return True
        return concentrated_epsilon(round_up(self.rho()), delta) <= epsilon

    def epsilon_at(self, delta: Fraction) -> float:
        """Return the smallest ε that this noise keeps at a δ, rounded up."""
        if self.kind == "discrete Laplace":
            return round_up(self.sensitivity.l1 / Fraction(self.scale))
        bound = concentrated_epsilon(round_up(self.rho()), delta)
        if not self.sensitivity.changes_by_ones or delta <= 0:
            return bound
        return smallest_kept(0.0, bound, lambda each: gaussian_delta(each, self.scale, self.sensitivity.l1) <= delta)

    def variance(self) -> float:
        """Return the variance of one noise: 2a / (1 − a)² for Laplace, a = e^(−1 / scale); at most scale² for Gaussian.

        >>> round(Mechanism("discrete Laplace", scale=1.0).variance(), 3)
        1.841
        """
        if self.kind == "discrete Laplace":
            a = math.exp(-1 / self.scale)
            return 2 * a / math.expm1(-1 / self.scale) ** 2
        if self.scale > 10:  # what is missing is far below the last bit (Poisson's summation)
            return self.scale**2
        noise = np.arange(1, math.ceil(STANDARD_DEVIATIONS * self.scale) + 2, dtype=np.float64)
        weight = 2 * np.exp(self.log_weight(noise))
        return float((noise**2 * weight).sum() / (1 + weight.sum()))

    def log_moment(self, t: Floats) -> Floats:
        """Bound ln E[e^(t·noise)] from above: t²·scale²/2 for Gaussian noise; for Laplace it is exact, |t| < 1 / scale.

        With a = e^(−1 / scale) it is 2·ln(1 − a) − ln(1 − a·e^t) − ln(1 − a·e^−t).
        Source: Canonne, Kamath and Steinke, NeurIPS 2020 (discrete Gaussian noise is sub-Gaussian).
        """
        if self.kind == "discrete Gaussian":
            return (t * self.scale) ** 2 / 2
        rate = 1 / self.scale
        exact: Floats = 2 * np.log(-np.expm1(-rate)) - np.log(-np.expm1(t - rate)) - np.log(-np.expm1(-t - rate))
        return exact

    def add_noise(self, counts: Integers) -> Integers:
        """Add noise to counts.  OpenDP draws it, from the system's secure source: there is no seed."""
        flat = [int(count) for count in counts.ravel()]
        noisy = _build_measurement(self.kind, self.scale)(flat)
        return np.array(noisy, np.int64).reshape(counts.shape)

    def margin(self, confidence: float) -> int:
        """How far from the truth is a measured count at most, with this confidence?"""
        alpha = 1 - expect_confidence(confidence)
        if self.kind == "discrete Laplace":  # Pr(|noise| > m) = 2·a^(m + 1) / (1 + a), a = e^(−1 / scale)
            beyond = self.scale * math.log(2 / (1 + math.exp(-1 / self.scale)) / alpha)
            return max(math.ceil(beyond) - 1, 0)
        # Pr(noise ≥ m + 1) ≤ Pr(normal ≥ m): e^(−z²/2σ²) falls, so its sum from m + 1 on is below its integral from m
        # on; and its sum over all whole z is at least √(2πσ²), the integral over all (Poisson's summation)
        return math.ceil(self.scale * -float(ndtri(alpha / 2)))

    def margin_of_total(self, counts: int, chance: float) -> int:
        """How far below 0 is the noise of so many counts together at most, except with this chance?

        By Chernoff's bound, with `log_moment`: any t bounds it.

        >>> Mechanism("discrete Laplace", scale=1.0).margin_of_total(1, 1e-9)
        25
        """
        surprise = -math.log(chance)
        if self.kind == "discrete Gaussian":
            return math.ceil(self.scale * math.sqrt(2 * counts * surprise))
        # below 1 / scale, where the moment is finite; a coarse grid only costs tightness
        t = np.geomspace(1e-6, 1, 200, endpoint=False) / self.scale
        return math.ceil(float(((counts * self.log_moment(t) + surprise) / t).min()))


def expect_confidence(confidence: float) -> float:
    """Return a confidence; refuse what is no share above 0 and below 1."""
    if not 0 < exact_number(confidence, BadNoise, "confidence") < 1:
        message = f"confidence is {as_given(confidence)}; give a share above 0 and below 1, such as 0.95"
        raise BadNoise(message)
    return confidence


@dataclass(frozen=True, slots=True)
class PrivacyCost:
    """What noise is calibrated to: an ε at a δ, or a ρ and the δ at which its ε is told."""

    epsilon: Fraction | None
    delta: Fraction
    rho: Fraction | None = None
    paid_in_rho: bool = False  # an ε is then calibrated through ρ, so that what is asked for is what is charged

    @classmethod
    def read(cls, epsilon: Amount | None, delta: Amount, rho: Amount | None) -> PrivacyCost:
        """Read a cost from the caller's arguments: exactly one of ε and ρ."""
        if (epsilon is None) == (rho is None):
            message = (
                f"how much may the counts depend on one person? give {parameter('epsilon')} or {parameter('rho')}, and "
                "not both"
            )
            raise BadNoise(message)
        if rho is None:
            assert epsilon is not None
            return cls(exact_epsilon(epsilon), exact_delta(delta))
        cost = cls(None, exact_delta(delta), exact_epsilon(rho, "rho"))
        if cost.delta < SMALLEST_DELTA:
            message = (
                f"{parameter('rho')} comes to an epsilon at every delta; say at which one it is told, such as "
                f"{parameter('delta', 1e-9)}"
            )
            raise BadNoise(message)
        return cost

    def noise(self, sensitivity: Sensitivity) -> Mechanism:
        """Calibrate noise to it.

        >>> round(PrivacyCost.read(None, "1e-6", "0.01").noise(Sensitivity()).scale, 3)
        7.071
        """
        if self.rho is not None:
            return calibrate_rho(self.rho, sensitivity)
        assert self.epsilon is not None
        return calibrate(self.epsilon, self.delta, sensitivity, through_rho=self.paid_in_rho)


def six_figures_up(bound: float) -> Fraction:
    """Round a bound up to what people read.

    >>> six_figures_up(1 / 3)
    Fraction(166667, 500000)
    """
    return Fraction(Context(prec=6, rounding=ROUND_UP).create_decimal(Decimal(bound)))


def better_without_delta(noise: Mechanism, epsilon: Fraction) -> str | None:
    """Return where a single release of this ε would have less noise with a δ of 0; None where it would not."""
    if noise.kind == "discrete Laplace" or not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON:
        return None
    without, here = (math.sqrt(each.variance()) for each in (calibrate(epsilon, Fraction(0), noise.sensitivity), noise))
    if without >= here:
        return None
    return (
        f"without a delta, noise of this epsilon has a standard deviation of {without:.3g}, here {here:.3g}; a delta "
        "pays off where many releases, or many values of one person, add up"
    )


def calibrate(
    epsilon: Fraction, delta: Fraction, sensitivity: Sensitivity = ONE_BY_ONE, *, through_rho: bool = False
) -> Mechanism:
    """Which noise keeps ε and δ?  δ = 0: Laplace; δ > 0: Gaussian, as little of it as keeps them.

    `through_rho`: a little more of it, so that its ρ comes to no more than ε at δ: what is paid from a ledger that adds
    up ρ.
    """
    refuse_useless(epsilon, delta)
    if delta == 0:
        # division rounds: a scale that costs a last bit too much is raised until OpenDP agrees
        scale = sensitivity.l1 / round_down(epsilon)
        while _build_measurement("discrete Laplace", scale).map(sensitivity.l1) > round_down(epsilon):
            scale = math.nextafter(scale, math.inf)
        return Mechanism("discrete Laplace", scale, sensitivity)
    if through_rho or not sensitivity.changes_by_ones:
        return Mechanism("discrete Gaussian", _scale_through_rho(epsilon, delta, sensitivity.l2_squared), sensitivity)
    low, high = 0.0, 1.0
    while gaussian_delta(epsilon, high, sensitivity.l1) > delta:
        low, high = high, 2 * high
    scale = smallest_kept(low, high, lambda each: gaussian_delta(epsilon, each, sensitivity.l1) <= delta)
    return Mechanism("discrete Gaussian", scale, sensitivity)


def _scale_through_rho(epsilon: Fraction, delta: Fraction, squared: int) -> float:
    dp, slack = opendp(), round_down(delta)

    def told(scale: float) -> Any:  # noqa: ANN401 - a measurement of OpenDP, which has no types
        return dp.c.make_fix_delta(
            dp.c.make_zCDP_to_approxDP(_build_measurement("discrete Gaussian", scale)), delta=slack
        )

    # a root that is not whole is rounded up, so that the distance is not understated
    whole = math.isqrt(squared)
    distance = float(whole) if whole**2 == squared else math.nextafter(math.sqrt(squared), math.inf)
    # a little of ε is kept, so that our conversion of ρ, rounded up elsewhere, stays within ε too
    return float(dp.binary_search_param(told, d_in=distance, d_out=(round_down(epsilon) * (1 - 1e-12), slack)))


def calibrate_rho(rho: Fraction, sensitivity: Sensitivity = ONE_BY_ONE) -> Mechanism:
    """Which Gaussian noise costs ρ, and no more?

    >>> calibrate_rho(Fraction(1, 200)).scale
    10.0
    """
    if not SMALLEST_EPSILON**2 / 2 <= rho <= LARGEST_EPSILON**2 / 2:
        least, most = (float(each**2 / 2) for each in (SMALLEST_EPSILON, LARGEST_EPSILON))
        message = (
            f"rho {float(rho):g} publishes nothing but noise, or promises nothing; give one from {least:g} to {most:g}"
        )
        raise BadNoise(message)
    # the root in floats may cost a last bit too much: it is raised until the exact ρ fits
    scale = math.sqrt(sensitivity.l2_squared / (2 * rho))
    while sensitivity.l2_squared / (2 * Fraction(scale) ** 2) > rho:
        scale = math.nextafter(scale, math.inf)
    return Mechanism("discrete Gaussian", scale, sensitivity)


def refuse_useless(epsilon: Fraction, delta: Fraction = Fraction(0)) -> None:
    """Refuse amounts for which nothing but noise would be published, or nothing promised."""
    if not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON or 0 < delta < SMALLEST_DELTA:
        message = (
            f"epsilon {float(epsilon):g} with delta {float(delta):g} publishes nothing but noise, or promises nothing; "
            f"give an epsilon from {float(SMALLEST_EPSILON):g} to {float(LARGEST_EPSILON):g} and a delta of 0 or from "
            f"{float(SMALLEST_DELTA):g}"
        )
        raise BadNoise(message)


def _build_measurement(kind: NoiseKind, scale: float) -> Any:  # noqa: ANN401
    dp = opendp()
    counts = dp.vector_domain(dp.atom_domain(T="i64"))
    if kind == "discrete Laplace":
        return dp.m.make_laplace(counts, dp.l1_distance(T="i64"), scale=scale)
    return dp.m.make_gaussian(counts, dp.l2_distance(T="f64"), scale=scale)


def opendp() -> Any:  # noqa: ANN401 - OpenDP has no types
    """Import OpenDP: the only source of noise."""
    with needs_extra("dp", package="opendp", what="noise"):
        import opendp.prelude as library  # noqa: PLC0415 - an extra, and slow to import
    library.enable_features("contrib")  # OpenDP's mechanisms on vectors are behind this switch
    return library


def concentrated_epsilon(rho: Fraction | float, delta: Fraction | float) -> float:
    """Turn ρ into ε at δ: min over α > 1 of ρα + ln(1/(αδ))/(α−1) + ln(1−1/α), rounded up."""
    if rho == 0:
        return 0.0
    if delta <= 0:
        return math.inf
    exact = Fraction(rho), Fraction(delta)
    # α is below 1/δ, and above 1 by more than 1/ρ: as many digits more as they are away from 1 tell it from 1
    away = (each.numerator.bit_length() - each.denominator.bit_length() for each in exact)
    with localcontext(Context(prec=60 + sum(abs(math.ceil(bits * math.log10(2))) for bits in away))):
        cost, slack = (Decimal(each.numerator) / Decimal(each.denominator) for each in exact)
        log_delta = slack.ln()
        # ρx² + ln(1 + x) = ln(1/δ) for x = α − 1, by Newton's steps in ln x: it is convex in that, and any α is a bound
        x = min((-log_delta / cost).sqrt(), (-log_delta).exp())
        for _ in range(100):
            step = (cost * x**2 + (1 + x).ln() + log_delta) / (2 * cost * x**2 + x / (1 + x))
            x *= (-step).exp()
            if abs(step) < Decimal("1e-25"):
                break
        alpha = 1 + x
        terms = cost * alpha, -(alpha.ln() + log_delta) / x, (x / alpha).ln()
        # far more than sixty digits lose
        bound = sum(terms) + sum(map(abs, terms)) * Decimal("1e-40")
    return max(round_up(bound), 0.0)


SMOOTH = 4.0  # from this σ on θ is constant: see the module


SUMMED_TO = 5_000  # up to this spread, σ√c, probabilities are added up one by one; beyond, an integral bounds the sum


def gaussian_delta(epsilon: Fraction | float, scale: float, changes: int) -> float:
    """Bound δ(ε) of discrete Gaussian noise where so many counts change by one each: by less than a last few digits."""
    # θ of more counts would take too long to add up; a δ of 1 promises nothing, and so is always a bound
    if scale < SMOOTH and changes > 64:
        return 1.0
    # floats have no e^ε beyond; δ falls as ε rises, so that this ε is a bound for all that are larger
    loss = min(Fraction(epsilon), Fraction(700))
    threshold = loss * Fraction(scale) ** 2 - Fraction(changes, 2)  # t
    spread = scale * math.sqrt(changes)
    bound = _sum_tail if spread <= SUMMED_TO else _integrate_tail
    return min(bound(float(loss), threshold, scale, changes, spread), 1.0)


def _sum_tail(loss: float, threshold: Fraction, scale: float, changes: int, spread: float) -> float:  # noqa: ARG001
    first = math.floor(threshold) + 1
    # twelve spreads further there is e^(−72) of what there is here; what is beyond is bounded by its last term
    sums = np.arange(first, max(first, 0) + math.ceil(12 * spread) + 2)
    weight = _weigh_sums(sums, scale, changes)
    beyond = float(first - threshold) + np.arange(len(sums))
    parts = weight * -np.expm1(-beyond / scale**2)
    everything = math.sqrt(2 * math.pi) * spread
    if scale < SMOOTH:
        # for a small σ the total is not √(2πc)·σ, and is added up; beyond 40 deviations floats hold nothing
        middle = math.ceil(40 * spread) + 1
        everything = float(_weigh_sums(np.arange(-middle, middle + 1), scale, changes).sum())
    return raise_bound((float(parts.sum()) + float(weight[-1]) * spread) / everything, 1e-10)


def _weigh_sums(sums: np.ndarray, scale: float, changes: int) -> Floats:
    """Return e^(−s²/(2cσ²)) · θ(s mod c), with θ(0) or all of them as 1."""
    smooth: Floats = np.exp(-(sums.astype(np.float64) ** 2) / (2 * changes * scale**2))
    if scale >= SMOOTH or changes == 1:
        return smooth
    # θ(0), …, θ(c − 1) from the law of the sum itself; at 40 deviations the weight is e^(−800), which is 0 in floats
    reach = math.ceil(40 * scale) + 1
    one = np.exp(-(np.arange(-reach, reach + 1, dtype=np.float64) ** 2) / (2 * scale**2))
    law = np.ones(1)
    # index len(law) // 2 stays the sum 0, as `one` is symmetric and of odd length
    for _ in range(changes):
        law = np.convolve(law, one)
    rest = np.arange(changes)
    near = np.where(rest > changes // 2, rest - changes, rest)  # the sum with this rest that is nearest to 0
    theta: Floats = law[len(law) // 2 + near] / np.exp(-(near.astype(np.float64) ** 2) / (2 * changes * scale**2))
    weight: Floats = smooth * theta[sums % changes]
    return weight


def _integrate_tail(loss: float, threshold: Fraction, scale: float, changes: int, spread: float) -> float:
    """Bound the sum by its integral and its largest term: the terms rise, then fall, being log-concave."""
    t = float(threshold)
    mass, other = float(ndtr(-t / spread)), float(ndtr(-(t + changes) / spread))
    integral = raise_bound(mass, 1e-12) - math.exp(loss) * other * (1 - 1e-12)
    # 1 − e^(−y) ≤ y, and e^(−s²/2c) (s − t) is largest where s (s − t) = cσ²
    highest = (t + math.sqrt(t**2 + 4 * spread**2)) / 2
    largest = math.exp(-(highest**2) / (2 * spread**2)) * (highest - t) / scale**2
    return integral + raise_bound(largest, 1e-6) / (math.sqrt(2 * math.pi) * spread)
