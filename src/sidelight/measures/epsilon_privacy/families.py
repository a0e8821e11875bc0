"""What would somebody expect of one more number, who has seen some?  Families of numbers with an unknown parameter.

Each family has a conjugate prior worth σ answers, and after m more answers x₁ … x_m a next number X is

    normal    N(μ, s²), s known, μ ~ N(μ₀, s²/σ)        X ~ N((σμ₀ + Σx)/(σ + m), s²(1 + 1/(σ + m)))
    poisson   Poisson(λ), λ ~ Gamma(σμ₀, σ)             X ~ NegativeBinomial: shape a = σμ₀ + Σx, rate b = σ + m
    pareto    x ≥ x₀, ln(x/x₀) ~ Exp(θ), θ ~ Gamma(σ, σℓ₀), ℓ₀ = ln(μ₀/x₀)
                                                        P(X > x) = (B / (B + ln(x/x₀)))^A with A = σ + m
                                                        and B = σℓ₀ + Σ ln(x/x₀)

and for σ = ∞ the family itself at μ₀.  `near` gives the probability of an interval for many cases in floats, good to
about 1e-7; `exact` for one in decimals of some 60 digits, by series and continued fractions.

Source: Machanavajjhala, Gehrke and Götz, VLDB 2009, footnote 3: "For numeric attributes Gaussian, Poisson or Pareto are
good choices."
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

import numpy as np

from sidelight._arrays import Floats
from sidelight.errors import BadMeasure

DIGITS = Context(prec=130, Emin=MIN_EMIN)
"""More than 60 digits are left of what is subtracted."""

PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709"
)

LARGEST_COUNT = 1_000_000
"""Poisson numbers are added up one by one."""


@dataclass(frozen=True)
class NumberFamily(ABC):
    """Numbers of a kind, an expectation, and how many answers it is worth."""

    expects: Fraction
    stubbornness: Fraction | float

    @abstractmethod
    def near(self, seen: Floats, total: Floats, low: Floats, high: Floats) -> Floats:
        """Give P(low ≤ X ≤ high) after so many numbers with this total of `statistic`, in floats."""

    @abstractmethod
    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
        """Give the same in decimals; `numbers` come with how often each was seen."""

    def statistic(self, numbers: Sequence[Fraction]) -> Floats:
        """Give what is added up of each number."""
        return np.array([float(number) for number in numbers])

    def check(self, number: Fraction, text: str) -> None:
        """Refuse numbers that the family does not have."""
        del number, text

    @property
    def unmoved(self) -> bool:
        """Whether no evidence moves it."""
        return self.stubbornness == math.inf


@dataclass(frozen=True)
class Normal(NumberFamily):
    """Numbers around a mean, with a known spread."""

    spread: Fraction

    def near(self, seen: Floats, total: Floats, low: Floats, high: Floats) -> Floats:
        """Subtract tails on the side where they are small; narrow intervals by their middle."""
        from scipy.special import ndtr  # noqa: PLC0415 - only here, and slow to import

        sure, spread = float(self.stubbornness), float(self.spread)
        mean, width = np.full_like(total, float(self.expects)), np.full_like(total, spread)
        if not self.unmoved:
            mean, width = (sure * mean + total) / (sure + seen), spread * np.sqrt(1 + 1 / (sure + seen))
        below, above = (low - mean) / width, (high - mean) / width
        mirrored = below > 0
        below, above = np.where(mirrored, -above, below), np.where(mirrored, -below, above)
        middle = (below + above) / 2
        by_middle = np.exp(-middle * middle / 2) / math.sqrt(2 * math.pi) * (above - below)
        chance: Floats = np.where(above - below < 1e-5, by_middle, ndtr(above) - ndtr(below))
        return chance

    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
        """Subtract tails."""
        mean, variance = self.expects, self.spread**2
        if isinstance(self.stubbornness, Fraction):
            total = sum((number * count for number, count in numbers), Fraction(0))
            mean = (self.stubbornness * mean + total) / (self.stubbornness + seen)
            variance *= 1 + 1 / (self.stubbornness + seen)
        with localcontext(DIGITS):
            width = _decimal(variance).sqrt()
            below, above = _decimal(low - mean) / width, _decimal(high - mean) / width
            if below > 0:
                return _upper_tail(below) - _upper_tail(above)
            if above < 0:
                return _upper_tail(-above) - _upper_tail(-below)
            return 1 - _upper_tail(-below) - _upper_tail(above)


@dataclass(frozen=True)
class Poisson(NumberFamily):
    """Counts."""

    def near(self, seen: Floats, total: Floats, low: Floats, high: Floats) -> Floats:
        """Subtract tails on the side where they are small."""
        from scipy.special import betainc, gammainc, gammaincc  # noqa: PLC0415

        first, last = np.maximum(np.ceil(low), 0), np.floor(high)
        mean, sure = float(self.expects), float(self.stubbornness)
        if self.unmoved:
            expected = np.full_like(first, mean)
            upper = [gammainc(np.maximum(first, 1), expected), gammainc(last + 1, expected)]
            lower = [gammaincc(np.maximum(first, 1), expected), gammaincc(last + 1, expected)]
        else:
            shape, rate = sure * mean + total, sure + seen
            expected = shape / rate
            upper = [betainc(np.maximum(each, 1), shape, 1 / (rate + 1)) for each in (first, last + 1)]
            lower = [betainc(shape, np.maximum(each, 1), rate / (rate + 1)) for each in (first, last + 1)]
        upper[0], lower[0] = np.where(first == 0, 1, upper[0]), np.where(first == 0, 0, lower[0])
        chance: Floats = np.where(first > expected, upper[0] - upper[1], lower[1] - lower[0])
        return np.where(last < first, 0, chance)

    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
        """Add up the counts of the interval, each from the one before."""
        first, last = max(math.ceil(low), 0), math.floor(high)
        with localcontext(DIGITS):
            mean = _decimal(self.expects)
            if isinstance(self.stubbornness, Fraction):
                total = sum((number * count for number, count in numbers), Fraction(0))
                shape = _decimal(self.stubbornness * self.expects + total)
                rate = _decimal(self.stubbornness + seen)
                chance = (-shape * ((rate + 1) / rate).ln()).exp()
            else:
                shape, rate, chance = mean, Decimal(0), (-mean).exp()
            inside = Decimal(0)
            for number in range(last + 1):
                inside += chance if number >= first else 0
                chance *= (shape + number) / (rate + 1) / (number + 1) if rate else mean / (number + 1)
            return inside

    def check(self, number: Fraction, text: str) -> None:
        """Counts are whole, and not so large that adding them up takes for ever."""
        if number.denominator != 1 or not 0 <= number <= LARGEST_COUNT:
            message = f"'{text}' is no count from 0 to {LARGEST_COUNT:,}; take family='normal'"
            raise BadMeasure(message)


@dataclass(frozen=True)
class Pareto(NumberFamily):
    """Numbers from a minimum on, few of them far above it."""

    minimum: Fraction

    def statistic(self, numbers: Sequence[Fraction]) -> Floats:
        """Add up logarithms of how far above the minimum."""
        return np.array([math.log(number / self.minimum) for number in numbers])

    def near(self, seen: Floats, total: Floats, low: Floats, high: Floats) -> Floats:
        """Subtract upper tails, by their logarithms."""
        least = float(self.minimum)
        above = [np.log(np.maximum(each, least) / least) for each in (low, high)]
        level, sure = math.log(self.expects / self.minimum), float(self.stubbornness)
        tails = (
            [-each / level for each in above]
            if self.unmoved
            else [-(sure + seen) * np.log1p(each / (sure * level + total)) for each in above]
        )
        chance: Floats = -np.exp(tails[0]) * np.expm1(tails[1] - tails[0])
        return chance

    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
        """Subtract upper tails."""
        with localcontext(DIGITS):
            above = [_log(max(each, self.minimum) / self.minimum) for each in (low, high)]
            level = _log(self.expects / self.minimum)
            if not isinstance(self.stubbornness, Fraction):
                tails = [(-each / level).exp() for each in above]
            else:
                sure = _decimal(self.stubbornness)
                total = sum((count * _log(number / self.minimum) for number, count in numbers), Decimal(0))
                base = sure * level + total
                tails = [((sure + seen) * (base / (base + each)).ln()).exp() for each in above]
            return tails[0] - tails[1]

    def check(self, number: Fraction, text: str) -> None:
        """Nothing is below the minimum."""
        if number < self.minimum:
            message = f"'{text}' is below minimum={self.minimum}; lower it"
            raise BadMeasure(message)


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _log(number: Fraction) -> Decimal:
    return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()


def _upper_tail(z: Decimal) -> Decimal:
    """Give P(Z > z) of a standard normal Z, for z ≥ 0: by its series, far out by Laplace's continued fraction.

    >>> with localcontext(DIGITS):
    ...     print(round(_upper_tail(Decimal("1.96")), 30), round(_upper_tail(Decimal(12)) * 10**33, 30))
    0.024997895148220434136584269041 1.776482112077678997696171001846
    """
    density = (-z * z / 2).exp() / (2 * PI).sqrt()
    if z < 8:
        term = total = z
        place = 1
        while term > total.scaleb(-DIGITS.prec):
            place += 2
            term *= z * z / place
            total += term
        return Decimal("0.5") - density * total
    fraction = z
    for place in range(250, 0, -1):
        fraction = z + place / fraction
    return density / fraction
