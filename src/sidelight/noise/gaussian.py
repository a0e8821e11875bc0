"""What Gaussian noise costs: its ρ, the ε that ρ comes to at a δ, and the exact δ at an ε.

*Through ρ* (zero-concentrated privacy), whatever the change: ρ = Δ₂² / (2σ²), and at δ an ε of

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

What is returned is never below the truth.  Source: Canonne, Kamath and Steinke, The Discrete Gaussian for Differential
Privacy, NeurIPS 2020: proposition 12 (through ρ), theorem 7 (exactly, for c = 1).
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
from scipy.special import ndtr

from sidelight.arrays import Floats
from sidelight.rounding import raise_bound, round_up

STEPS = 100
"""Newton's steps towards the best α at most; any α gives a bound."""


def concentrated_epsilon(rho: Fraction | float, delta: Fraction | float) -> float:
    """Turn ρ into ε at δ: min over α > 1 of ρα + ln(1/(αδ))/(α−1) + ln(1−1/α), rounded up.

    >>> round(concentrated_epsilon(0.01, 1e-6), 4)
    0.6217
    """
    if rho == 0:
        return 0.0
    if delta <= 0:
        return math.inf
    # α is below 1/δ, and above 1 by more than 1/ρ: so many digits more tell it from 1, and 1 − 1/α from 1
    lost = abs(_magnitude(rho)) + abs(_magnitude(delta))
    with localcontext(Context(prec=60 + lost)):
        cost, log_delta = _decimal(rho), _decimal(delta).ln()
        excess = _best_excess(cost, log_delta)
        alpha = 1 + excess
        terms = cost * alpha, -(alpha.ln() + log_delta) / excess, (excess / alpha).ln()
        # far more than sixty digits lose
        bound = sum(terms) + sum(map(abs, terms)) * Decimal("1e-40")
    return max(round_up(bound), 0.0)


def _best_excess(rho: Decimal, log_delta: Decimal) -> Decimal:
    """Solve ρx² + ln(1 + x) = ln(1/δ) for x = α − 1, by Newton's steps in ln x: it is convex in that."""
    x = min((-log_delta / rho).sqrt(), (-log_delta).exp())
    for _ in range(STEPS):
        above = rho * x**2 + (1 + x).ln() + log_delta
        step = above / (2 * rho * x**2 + x / (1 + x))
        x *= (-step).exp()
        if abs(step) < Decimal("1e-25"):
            break
    return x


def _decimal(number: Fraction | float) -> Decimal:
    exact = Fraction(number)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def _magnitude(number: Fraction | float) -> int:
    """Return about how many decimal places a number is away from 1."""
    exact = Fraction(number)
    return math.ceil((exact.numerator.bit_length() - exact.denominator.bit_length()) * math.log10(2))


SMOOTH = 4.0
"""From this σ on θ is constant: see the module."""

COUNTS_SUMMED = 64
"""How many counts are added up one by one where θ is not constant; with more, nothing is said."""

SUMMED_TO = 5_000
"""Up to this spread, σ√c, probabilities are added up one by one; beyond, an integral bounds the sum."""

LARGEST_LOSS = 700.0
"""Floats have no e^ε beyond; δ falls as ε rises, so that this ε is a bound for all that are larger."""


def gaussian_delta(epsilon: Fraction | float, scale: float, changes: int) -> float:
    """Bound δ(ε) of discrete Gaussian noise where so many counts change by one each: by less than a last few digits.

    >>> round(gaussian_delta(1.0, 4.2308, 1) * 1e6, 3)
    1.0
    """
    # θ would take too long to add up; a δ of 1 promises nothing, and so is always a bound
    if scale < SMOOTH and changes > COUNTS_SUMMED:
        return 1.0
    loss = min(Fraction(epsilon), Fraction(LARGEST_LOSS))
    threshold = loss * Fraction(scale) ** 2 - Fraction(changes, 2)  # t
    spread = scale * math.sqrt(changes)
    bound = _sum_tail if spread <= SUMMED_TO else _integrate_tail
    return min(bound(float(loss), threshold, scale, changes, spread), 1.0)


def _sum_tail(loss: float, threshold: Fraction, scale: float, changes: int, spread: float) -> float:  # noqa: ARG001
    first = math.floor(threshold) + 1
    # twelve spreads further there is e^(−72) of what there is here; what is beyond is bounded by its last term
    sums = np.arange(first, max(first, 0) + math.ceil(12 * spread) + 2)
    weight = _weights(sums, scale, changes)
    beyond = float(first - threshold) + np.arange(len(sums))
    parts = weight * -np.expm1(-beyond / scale**2)
    everything = math.sqrt(2 * math.pi) * spread
    if scale < SMOOTH:
        # for a small σ the total is not √(2πc)·σ, and is added up; beyond 40 deviations floats hold nothing
        middle = math.ceil(40 * spread) + 1
        everything = float(_weights(np.arange(-middle, middle + 1), scale, changes).sum())
    return raise_bound((float(parts.sum()) + float(weight[-1]) * spread) / everything, 1e-10)


def _weights(sums: np.ndarray, scale: float, changes: int) -> Floats:
    """Return e^(−s²/(2cσ²)) · θ(s mod c), with θ(0) or all of them as 1."""
    smooth: Floats = np.exp(-(sums.astype(np.float64) ** 2) / (2 * changes * scale**2))
    return smooth if scale >= SMOOTH or changes == 1 else smooth * _theta(scale, changes)[sums % changes]


def _theta(scale: float, changes: int) -> Floats:
    """Return θ(0), …, θ(c − 1), from the law of the sum itself."""
    # at 40 deviations the weight is e^(−800), which is 0 in floats
    reach = math.ceil(40 * scale) + 1
    one = np.exp(-(np.arange(-reach, reach + 1, dtype=np.float64) ** 2) / (2 * scale**2))
    law = np.ones(1)
    # index len(law) // 2 stays the sum 0, as `one` is symmetric and of odd length
    for _ in range(changes):
        law = np.convolve(law, one)
    rest = np.arange(changes)
    near = np.where(rest > changes // 2, rest - changes, rest)  # the sum with this rest that is nearest to 0
    theta: Floats = law[len(law) // 2 + near] / np.exp(-(near.astype(np.float64) ** 2) / (2 * changes * scale**2))
    return theta


def _integrate_tail(loss: float, threshold: Fraction, scale: float, changes: int, spread: float) -> float:
    """Bound the sum by its integral and its largest term: the terms rise, then fall, being log-concave."""
    t = float(threshold)
    mass, other = float(ndtr(-t / spread)), float(ndtr(-(t + changes) / spread))
    integral = raise_bound(mass, 1e-12) - math.exp(loss) * other * (1 - 1e-12)
    # 1 − e^(−y) ≤ y, and e^(−s²/2c) (s − t) is largest where s (s − t) = cσ²
    highest = (t + math.sqrt(t**2 + 4 * spread**2)) / 2
    largest = math.exp(-(highest**2) / (2 * spread**2)) * (highest - t) / scale**2
    return integral + raise_bound(largest, 1e-6) / (math.sqrt(2 * math.pi) * spread)
