"""What would somebody expect of one more number, who has seen some?  Families of numbers with an unknown parameter.

Each family has a conjugate prior worth σ answers, and after m more answers x₁ … x_m a next number X is

    normal    N(μ, s²), s known, μ ~ N(μ₀, s²/σ)        X ~ N((σμ₀ + Σx)/(σ + m), s²(1 + 1/(σ + m)))
    poisson   Poisson(λ), λ ~ Gamma(σμ₀, σ)             X ~ NegativeBinomial: shape a = σμ₀ + Σx, rate b = σ + m
    pareto    x ≥ x₀, ln(x/x₀) ~ Exp(θ), θ ~ Gamma(σ, σℓ₀), ℓ₀ = ln(μ₀/x₀)
                                                        P(X > x) = (B / (B + ln(x/x₀)))^A with A = σ + m
                                                        and B = σℓ₀ + Σ ln(x/x₀)

and for σ = ∞ the family itself at μ₀.  `near` gives the probability of an interval for many cases in floats, good to
about 1e-7; `exact` for one in decimals, by series and continued fractions.

Digits      What callers give is of a sensible size (see `number_values`), or 0.  So an interval is at
            least 1e-60 of what it is compared with, and of σ answers it moves 1e-30: 40 of the 130 digits are left
            whatever is subtracted.  What is too small for decimals even so, and it alone, is 0.

Source: Machanavajjhala, Gehrke and Götz, VLDB 2009, footnote 3: "For numeric attributes Gaussian, Poisson or Pareto are
good choices."
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation, localcontext
from fractions import Fraction
from functools import cache, partial

import numpy as np

from sidelight.arrays import Floats
from sidelight.errors import BadMeasure

DIGITS = Context(prec=130, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation])
"""What is beyond its range is infinite, or 0."""

PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709"
)

LARGEST_COUNT = 1_000_000
"""Poisson numbers of an interval are added up one by one."""


@dataclass(frozen=True)
class NumberFamily(ABC):
    """Numbers of a kind, an expectation, and how many answers it is worth."""

    expects: Fraction
    stubbornness: Fraction | float

    @abstractmethod
    def near(self, seen: Floats, total: Floats, center: Floats, within: float) -> Floats:
        """Return P(|X − center| ≤ within) after so many numbers with this total of `statistic`, in floats."""

    @abstractmethod
    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
        """Return the same in decimals; `numbers` come with how often each was seen."""

    def around(self, numbers: Sequence[Fraction]) -> tuple[NumberFamily, tuple[Fraction, ...]]:
        """Return the family and the numbers as floats see them best."""
        return self, tuple(numbers)

    def statistic(self, numbers: Sequence[Fraction]) -> Floats:
        """Return what is added up of each number."""
        return np.array([float(number) for number in numbers])

    def check(self, number: Fraction, text: str) -> None:
        """Raise if the family does not have such a number."""
        del number, text

    @property
    def is_unmoved(self) -> bool:
        """Whether no evidence moves it."""
        return self.stubbornness == math.inf


@dataclass(frozen=True)
class Normal(NumberFamily):
    """Numbers around a mean, with a known spread."""

    spread: Fraction

    def around(self, numbers: Sequence[Fraction]) -> tuple[Normal, tuple[Fraction, ...]]:
        """Count from the smallest number: a moment in nanoseconds has more digits than floats do."""
        least = min(numbers)
        return replace(self, expects=self.expects - least), tuple(number - least for number in numbers)

    def near(self, seen: Floats, total: Floats, center: Floats, within: float) -> Floats:
        """Subtract tails on the side where they are small; narrow intervals by their middle."""
        from scipy.special import ndtr  # noqa: PLC0415 - only here, and slow to import

        sure, spread = float(self.stubbornness), float(self.spread)
        mean, width = np.full_like(total, float(self.expects)), np.full_like(total, spread)
        if not self.is_unmoved:
            mean, width = (sure * mean + total) / (sure + seen), spread * np.sqrt(1 + 1 / (sure + seen))
        # mirrored to the left, where tails are small and keep their digits
        middle, half = -np.abs(center - mean) / width, within / width
        by_middle = np.exp(-middle * middle / 2) / math.sqrt(2 * math.pi) * 2 * half
        # narrow intervals are a difference of nearly equal tails: the density at their middle is closer
        chance: Floats = np.where(half < 5e-6, by_middle, ndtr(middle + half) - ndtr(middle - half))
        return chance

    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
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
    """Counts.

    P(x) = P(x − 1) · (α + β(x − 1)) / x, with α = a/(b + 1) and β = 1/(b + 1); of the unmoved α = μ₀ and β = 0.
    """

    def near(self, seen: Floats, total: Floats, center: Floats, within: float) -> Floats:
        """Add up what is on both sides of the likeliest count of the interval."""
        from scipy.special import gammaln  # noqa: PLC0415

        first, last = np.maximum(np.ceil(center - within), 0), np.floor(center + within)
        mean, sure = float(self.expects), float(self.stubbornness)
        if self.is_unmoved:
            alpha, beta, excess = np.full_like(first, mean), np.zeros_like(first), None
            expected, log_none = alpha, -alpha
        else:
            shape, rate = sure * mean + total, sure + seen
            alpha, beta, excess = shape / (rate + 1), 1 / (rate + 1), partial(_log_excess, shape)
            expected, log_none = shape / rate, -shape * np.log1p(1 / rate)
        # from the likeliest count outwards, where terms fall on both sides
        likeliest = np.clip(np.floor(expected), first, last)
        log_chance = log_none + likeliest * np.log(alpha) - gammaln(likeliest + 1)
        log_chance += 0 if excess is None else excess(likeliest)
        upwards = _sum_of_products(last - likeliest, lambda step: beta + (alpha - beta) / (likeliest + step))
        downwards = _sum_of_products(
            likeliest - first, lambda step: (likeliest + 1 - step) / (alpha + beta * (likeliest - step))
        )
        chance: Floats = np.exp(log_chance) * (1 + upwards + downwards)
        return chance

    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
        first, last = max(math.ceil(low), 0), math.floor(high)
        if last < first:
            return Decimal(0)
        expected = self.expects
        with localcontext(DIGITS):
            alpha, beta, rising = _decimal(expected), Decimal(0), None
            log_none = -alpha
            if isinstance(self.stubbornness, Fraction):
                total = sum((number * count for number, count in numbers), Fraction(0))
                shape, rate = self.stubbornness * self.expects + total, self.stubbornness + seen
                expected = shape / rate
                alpha, beta, rising = _decimal(shape / (rate + 1)), _decimal(1 / (rate + 1)), _decimal(shape)
                log_none = -rising * _log((rate + 1) / rate)
            likeliest = min(max(math.floor(expected), first), last)
            log_chance = log_none - _log_gamma(Decimal(likeliest + 1))
            if rising is None:
                log_chance += likeliest * alpha.ln()
            else:
                log_chance += _log_gamma(rising + likeliest) - _log_gamma(rising) + likeliest * beta.ln()
            upwards = _sum_of_decimals(last - likeliest, lambda step: beta + (alpha - beta) / (likeliest + step))
            downwards = _sum_of_decimals(
                likeliest - first, lambda step: (likeliest + 1 - step) / (alpha + beta * (likeliest - step))
            )
            return log_chance.exp() * (1 + upwards + downwards)

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
        return np.array([math.log1p(number / self.minimum - 1) for number in numbers])

    def near(self, seen: Floats, total: Floats, center: Floats, within: float) -> Floats:
        """Subtract upper tails, by their logarithms."""
        least, low = float(self.minimum), center - within
        above = np.log(np.maximum(low, least) / least)
        with np.errstate(divide="ignore", invalid="ignore"):
            across = np.where(low > least, np.log1p(2 * within / low), np.log((center + within) / least))
        level, sure = math.log1p(self.expects / self.minimum - 1), float(self.stubbornness)
        if self.is_unmoved:
            tail, inside = -above / level, -across / level
        else:
            base = sure * level + total
            tail, inside = -(sure + seen) * np.log1p(above / base), -(sure + seen) * np.log1p(across / (base + above))
        # the two tails may be nearly equal: `expm1` keeps the digits of their difference
        chance: Floats = -np.exp(tail) * np.expm1(inside)
        return chance

    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
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


def _log_excess(shape: Floats, many: Floats) -> Floats:
    """Return ln Γ(a + x) / (Γ(a) aˣ), which is small next to each of them where a is large."""
    from scipy.special import gammaln  # noqa: PLC0415

    large = np.maximum(shape, 100)

    def remainder(number: Floats) -> Floats:
        inverse = 1 / number
        return inverse / 12 - inverse**3 / 360 + inverse**5 / 1260

    by_difference = (large + many - 0.5) * np.log1p(many / large) - many + remainder(large + many) - remainder(large)
    by_each = gammaln(shape + many) - gammaln(shape) - many * np.log(shape)
    return np.where(shape < 100, by_each, by_difference)


def _sum_of_products(steps: Floats, ratio: Callable[[Floats], Floats]) -> Floats:
    """Return r(1) + r(1) r(2) + … of so many steps each; ratios rise or fall all along."""
    total, product = np.zeros_like(steps), np.ones_like(steps)
    with np.errstate(invalid="ignore"):  # where there is no step
        final = ratio(np.maximum(steps, 1))
        for step in range(1, int(steps.max(initial=0)) + 1):
            here = ratio(np.clip(steps, 1, step))
            product = np.where(step <= steps, product * here, 0)
            total += product
            # ratios rise or fall all along, so that the larger of this one and the last bounds all that follow
            largest = np.maximum(here, final)
            left = (product > 0) & ~(product * largest <= 1e-12 * (1 - largest) * (1 + total))
            if not left.any():  # nothing, or too little to matter
                break
    return total


def _sum_of_decimals(steps: int, ratio: Callable[[int], Decimal]) -> Decimal:
    """Return the same for one case."""
    if steps == 0:  # then there may be no ratio either
        return Decimal(0)
    total, product, final = Decimal(0), Decimal(1), ratio(steps)
    for step in range(1, steps + 1):
        here = ratio(step)
        product *= here
        total += product
        largest = max(here, final)
        if product * largest < (1 - largest).scaleb(-60) * (1 + total):
            break
    return total


def _log_gamma(number: Decimal) -> Decimal:
    """Return ln Γ(x) for x > 0: by Stirling's series, from 150 on."""
    before = Decimal(1)
    # Γ(x + 1) = x·Γ(x) moves the argument to where the series converges
    while number < 150:
        before *= number
        number += 1
    series = (number - Decimal("0.5")) * number.ln() - number + (2 * PI).ln() / 2 - before.ln()
    for place in range(1, 61):
        series += _decimal(_bernoulli(2 * place)) / (2 * place * (2 * place - 1)) / number ** (2 * place - 1)
    return series


@cache
def _bernoulli(place: int) -> Fraction:
    if place == 0:
        return Fraction(1)
    return -sum((math.comb(place + 1, each) * _bernoulli(each) for each in range(place)), Fraction(0)) / (place + 1)


def _upper_tail(z: Decimal) -> Decimal:
    """Return P(Z > z) of a standard normal Z, for z ≥ 0: by its series, far out by Laplace's continued fraction."""
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
