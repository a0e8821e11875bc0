"""How many people would be alone in a population of N, if all one has is a sample of n of it?  Three models answer.

Symbols     c_f = groups of f people in the sample, u = c₁, n = Σ f·c_f, k = Σ c_f groups, N = people of the
            population, π = n/N; K, F_g = groups of the population and their people.

Pitman      The population's groups are drawn as in Pitman's sampling formula with (θ, α), 0 ≤ α < 1, θ > −α, fitted by
            maximum likelihood:
                Σ_{0<i<k} 1/(θ+iα) = Σ_{0<i<n} 1/(θ+i)
                Σ_{0<i<k} i/(θ+iα) = Σ_f c_f Σ_{0<j<f} 1/(j−α)
            The first falls in θ at its solution, which a bisection finds for each α; along it the second falls in α,
            which another one finds.  Where its best α is below `LEAST_ALPHA`, α = 0 (Ewens).
            Uniques = Γ(θ+1)/Γ(θ+α)·N^α.
Zayatz      Groups of the population have the sizes that those of the sample have: of the groups with F people a sample
            of n leaves one person with the hypergeometric F·C(N−F, n−1)/C(N, n), so that
            uniques = u·(N/n)·u·C(N−1, n−1) / Σ_f c_f·f·C(N−f, n−1).
SNB         F_g − 1 is negative binomial with (α, β).  A sample then has f = one Bernoulli of π and a negative binomial
            with (α, b), b = β/(β+π(1−β)).  With q = 1−b and m = αq
                u/K   = b^α·(π + (1−π)m)
                c₂/u  = (πm + (1−π)m(m+q)/2) / (π + (1−π)m)
            The second is quadratic in m and has one positive solution m(q); put into the first, a bisection over
            y = −ln b > 0 solves it: of small samples of large populations b is often below the smallest float.
            K is the sample's estimate k + u·(v₁/v₂)(v₃/v₄)² of Haas and Stokes with
                v₁ = Σ fπ²(1−π²)^{f−1}c_f,  v₂ = Σ (1−π)^f((1+π)^f−1)c_f,  v₃ = Σ (1−π)^f c_f,
                v₄ = Σ fπ(1−π)^{f−1}c_f.
            Uniques = K·β^α.

None of them is a bound.  With Adult as population and samples of 10 to 50 % they were off by +4 to +82 %, +2 to +90 %
and −6 to +58 %, so that only the range of the three is reported.  ARX solves SNB wrongly in two places.

Source: Hoshino, Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment, Journal of Official
Statistics 2001; Zayatz, Estimation of the Percent of Unique Population Elements, US Bureau of the Census 1991; Chen and
Keller-McNulty, Estimation of Identification Disclosure Risk in Microdata, Journal of Official Statistics 1998.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sidelight.arrays import Floats, Integers

LEAST_ALPHA = 1e-3
"""Below it, sums that are differences of digammas lose their digits, and N^α is as good as 1."""


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """A sample: how many `groups` have so many `people`, and the size of the population it is from.

    >>> sizes = SampleSizes(np.array([1, 2]), np.array([3, 1]), 50)
    >>> sizes.sampled, sizes.unique
    (5, 3)
    """

    people: Integers
    groups: Integers
    population: int

    @property
    def sampled(self) -> int:
        """How many people are in the sample: n."""
        return int(self.people @ self.groups)

    @property
    def unique(self) -> int:
        """How many of them are alone: u."""
        return self.of_size(1)

    def of_size(self, people: int) -> int:
        """How many groups have so many people: c_f."""
        return int(self.groups[self.people == people].sum())

    @property
    def fraction(self) -> float:
        """The share of the population that was sampled: π."""
        return self.sampled / self.population


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """What a model says: how many people of the population are unique, and by which parameters."""

    model: str
    uniques: float
    parameters: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        return f"{self.model} {self.uniques:,.0f}"


def estimates(sizes: SampleSizes) -> tuple[ModelEstimate, ...]:
    """Return the estimates of the three models; one whose equations have no solution for this sample is left out.

    >>> [str(each) for each in estimates(SampleSizes(np.array([1, 2, 5]), np.array([40, 10, 4]), 800))]
    ['Pitman 130', 'Zayatz 225', 'SNB 162']
    """
    answers = (pitman(sizes), zayatz(sizes), shifted_negative_binomial(sizes))
    return tuple(each for each in answers if each is not None)


def pitman(sizes: SampleSizes) -> ModelEstimate | None:
    """Fit Pitman's sampling formula; None where everybody is alone, or all are one group: nothing to fit."""
    groups, sampled = int(sizes.groups.sum()), sizes.sampled
    # all in one group, or everyone alone: the likelihood has no maximum inside
    if groups in (1, sampled):
        return None
    likelihood = _PitmanLikelihood(sizes, groups, sampled)
    # where the likelihood falls from α = 0 on, it is largest there (Ewens' formula)
    alpha = 0.0
    if likelihood.slope(LEAST_ALPHA) > 0:
        alpha = _falls_through_zero(likelihood.slope, LEAST_ALPHA, math.nextafter(1, 0))
    theta = likelihood.best_theta(alpha)
    log_ratio = math.lgamma(theta + 1) - math.lgamma(theta + alpha) if alpha else math.log(theta)
    uniques = math.exp(log_ratio + alpha * math.log(sizes.population))
    return ModelEstimate("Pitman", _cap_uniques(uniques, sizes), (("theta", theta), ("alpha", alpha)))


@dataclass(frozen=True, slots=True)
class _PitmanLikelihood:
    sizes: SampleSizes
    groups: int
    sampled: int

    def best_theta(self, alpha: float) -> float:
        """Solve the first equation for θ > −α: below its solution the left side is larger, above it the right one."""

        def difference(theta: float) -> float:
            return self._inverses(theta, alpha) - _sum_of_inverses(theta, self.sampled)

        # doubled until the difference changes sign: halving needs both ends
        high = 1.0
        while difference(high) > 0:
            high *= 2
        return _falls_through_zero(difference, math.nextafter(-alpha, math.inf), high)

    def slope(self, alpha: float) -> float:
        """Return the derivative of the log-likelihood by α > 0 where θ is best for it: the second equation."""
        from scipy.special import digamma  # noqa: PLC0415 - only here, and slow to import

        theta = self.best_theta(alpha)
        # Σ i/(θ+iα) = Σ (1 − θ/(θ+iα))/α
        left = (self.groups - 1 - theta * self._inverses(theta, alpha)) / alpha
        right = self.sizes.groups @ (digamma(self.sizes.people - alpha) - digamma(1 - alpha))
        return float(left - right)

    def _inverses(self, theta: float, alpha: float) -> float:
        """Σ_{0<i<k} 1/(θ+iα)."""
        if alpha == 0:
            return (self.groups - 1) / theta
        return _sum_of_inverses(theta / alpha, self.groups) / alpha


def _sum_of_inverses(start: float, end: int) -> float:
    """Σ_{0<i<end} 1/(start+i), as a difference of digammas."""
    from scipy.special import digamma  # noqa: PLC0415 - only here, and slow to import

    return float(digamma(start + end) - digamma(start + 1))


def zayatz(sizes: SampleSizes) -> ModelEstimate:
    """Estimate by taking the sample's groups for the population's, size by size."""
    population, sampled, largest = sizes.population, sizes.sampled, int(sizes.people.max())
    # C(N−f, n−1)/C(N−1, n−1) is the product over 0 < j < f of 1 − (n−1)/(N−j)
    steps = np.log1p(-np.minimum((sampled - 1) / (population - np.arange(1, largest)), 1 - 2**-53))
    ratios = np.exp(np.concatenate(([0.0], np.cumsum(steps))))[sizes.people - 1]
    left = float((sizes.groups * sizes.people) @ ratios)
    return ModelEstimate("Zayatz", _cap_uniques(sizes.unique**2 / sizes.fraction / left, sizes))


def shifted_negative_binomial(sizes: SampleSizes) -> ModelEstimate | None:
    """Solve for the shifted negative binomial; None where no parameters lead to such a sample."""
    unique, pairs, fraction = sizes.unique, sizes.of_size(2), sizes.fraction
    if not unique or not pairs:
        return None
    groups = _groups_of_population(sizes)

    def alpha_at(minus_log_b: float) -> tuple[float, float]:
        q = -math.expm1(-minus_log_b)
        mean = _mean(q, pairs / unique, fraction)
        return mean / q, mean

    def share_of_unique(minus_log_b: float) -> float:
        alpha, mean = alpha_at(minus_log_b)
        return math.exp(-alpha * minus_log_b) * (fraction + (1 - fraction) * mean)

    low, high = 2.0**-40, 2.0**80
    if not share_of_unique(high) <= unique / groups <= share_of_unique(low):
        return None
    minus_log_b = _falls_through_zero(lambda each: share_of_unique(each) - unique / groups, low, high)
    alpha, b = alpha_at(minus_log_b)[0], math.exp(-minus_log_b)
    log_beta = math.log(fraction) - minus_log_b - math.log1p(b * (fraction - 1))  # β = bπ / (1 − b + bπ)
    uniques = groups * math.exp(alpha * log_beta)
    return ModelEstimate("SNB", _cap_uniques(uniques, sizes), (("alpha", alpha), ("beta", math.exp(log_beta))))


def _mean(q: float, pairs_per_unique: float, fraction: float) -> float:
    """Solve the quadratic equation for m > 0: (1−π)/2·m² + (π + (1−π)(q/2 − c₂/u))·m = π·c₂/u."""
    square, constant = (1 - fraction) / 2, fraction * pairs_per_unique
    linear = fraction + (1 - fraction) * (q / 2 - pairs_per_unique)
    root = math.sqrt(linear * linear + 4 * square * constant)
    # the form of the root that does not subtract nearly equal numbers
    return 2 * constant / (linear + root) if linear >= 0 else (root - linear) / (2 * square)


def _groups_of_population(sizes: SampleSizes) -> float:
    """Estimate how many groups the population has: K."""
    people, groups, fraction = sizes.people.astype(float), sizes.groups.astype(float), sizes.fraction
    v1 = _total(people * fraction**2 * (1 - fraction**2) ** (people - 1), groups)
    # (1−π)^f·((1+π)^f − 1) = (1−π²)^f·(1 − (1+π)^−f), which stays finite and keeps its digits however small π is
    v2 = _total(-((1 - fraction**2) ** people) * np.expm1(-people * np.log1p(fraction)), groups)
    v3 = _total((1 - fraction) ** people, groups)
    v4 = _total(people * fraction * (1 - fraction) ** (people - 1), groups)
    return float(sizes.groups.sum()) + sizes.unique * (v1 / v2) * (v3 / v4) ** 2


def _total(per_group: Floats, groups: Floats) -> float:
    return float(per_group @ groups)


def _cap_uniques(uniques: float, sizes: SampleSizes) -> float:
    return min(uniques, float(sizes.population))


def _falls_through_zero(function: Callable[[float], float], low: float, high: float) -> float:
    """Halve an interval over which a function falls from at least 0 to at most 0."""
    # ends as soon as floats cannot be halved further
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2
