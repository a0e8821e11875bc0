"""ε-privacy of numbers: how much a belief about the approximate size of a person's number grows.

A person's predicate is that the number is within w of its true value.  p_in is as for any value: whatever an attacker
believed before, the people of a group look alike, so that p_in = n_P / (n − min(b, n − n_P)), where n_P of n people are
within w.  p_out is the prediction for one more number after the others of the group (`NumberFamily`).

Exactly     Unlike with a shape of values, p_out is not monotone in the stubbornness: σ is exactly this.
Monotone    Not claimed: the mean of a merged group moves.
Decision    floats find the cases near the worst, decimals decide, rounded up.  A p_out that floats cannot distinguish
            from 0 makes ε infinite, and is decided beside the worst of the others.

*Families of numbers* with an unknown parameter predict one more number from those seen.  Each family
has a conjugate prior worth σ answers, and after m more answers x₁ … x_m a next number X is

    normal    N(μ, s²), s known, μ ~ N(μ₀, s²/σ)        X ~ N((σμ₀ + Σx)/(σ + m), s²(1 + 1/(σ + m)))
    poisson   Poisson(λ), λ ~ Gamma(σμ₀, σ)             X ~ NegativeBinomial: shape a = σμ₀ + Σx, rate b = σ + m
    pareto    x ≥ x₀, ln(x/x₀) ~ Exp(θ), θ ~ Gamma(σ, σℓ₀), ℓ₀ = ln(μ₀/x₀)
                                                        P(X > x) = (B / (B + ln(x/x₀)))^A with A = σ + m
                                                        and B = σℓ₀ + Σ ln(x/x₀)

and for σ = ∞ the family itself at μ₀.  `near` gives the probability of an interval for many cases in floats, good to
about 1e-7; `exact` for one in decimals, by series and continued fractions.

Digits      Settings are of a sensible size (see `targets`), or 0.  So an interval is at least 1e-60 of what it is
            compared with, and of σ answers it moves 1e-30: 40 of the 130 digits are left whatever is subtracted.  Only
            what is too small for decimals is 0.

Source: Machanavajjhala, Gehrke and Götz, VLDB 2009, footnote 3: "For numeric attributes Gaussian, Poisson or Pareto are
good choices."
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation, localcontext
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from sidelight.arrays import Floats, Integers, first_of_each
from sidelight.errors import BadMeasure, as_given, is_one_of
from sidelight.measures.criterion import Amount, Bound, Finding, Witness
from sidelight.measures.epsilon_privacy.prior import read_known_people, read_stubbornness
from sidelight.measures.epsilon_privacy.prior_belief import growth_in_words, prior_in_words
from sidelight.measures.epsilon_privacy.worst_case import Case, PriorBeliefWitness
from sidelight.measures.exact import PI, ln_gamma
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.measures.measure import (
    Attacker,
    Measure,
    Monotonicity,
    Summary,
    labels_as_written,
    read,
    summarize_worst,
)
from sidelight.measures.targets import NumberByValue, Targeted, finite, has_sensible_size, look_up_numbers, read_numbers
from sidelight.rounding import exact_text, round_down, round_up
from sidelight.table.labels import Label, Semantics, in_order, shown
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release

DIGITS = Context(prec=130, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation])
"""Numbers beyond its range are infinite, or 0."""

LARGEST_COUNT = 1_000_000
"""Poisson numbers of an interval are added up one by one."""


@dataclass(frozen=True)
class NumberFamily(ABC):
    """A family of numbers, the expectation, and how many answers that is worth."""

    expects: Fraction
    stubbornness: Fraction | float

    @abstractmethod
    def near(self, seen: Floats, total: Floats, center: Floats, within: float) -> Floats:
        """Return P(|X − center| ≤ within) after `seen` numbers with this total of `statistic`, in floats."""

    @abstractmethod
    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
        """Return the same in decimals; `numbers` come with how often each was seen."""

    def around(self, numbers: Sequence[Fraction]) -> tuple[NumberFamily, tuple[Fraction, ...]]:
        """Return the family and the numbers, moved to where floats are closest."""
        return self, tuple(numbers)

    def statistic(self, numbers: Sequence[Fraction]) -> Floats:
        return np.array([float(number) for number in numbers])

    def check(self, number: Fraction, text: str) -> None:  # noqa: B027 - any number will do by default
        """Raise unless the family has such numbers."""

    @property
    def is_unmoved(self) -> bool:
        return self.stubbornness == math.inf


@dataclass(frozen=True)
class Normal(NumberFamily):
    """Numbers around a mean, with a known spread."""

    spread: Fraction

    def around(self, numbers: Sequence[Fraction]) -> tuple[Normal, tuple[Fraction, ...]]:
        """Subtract the smallest number: a time in nanoseconds has more digits than floats do."""
        least = min(numbers)
        return replace(self, expects=self.expects - least), tuple(number - least for number in numbers)

    def near(self, seen: Floats, total: Floats, center: Floats, within: float) -> Floats:
        """Subtract tails on the side where they are small; take narrow intervals by their middle."""
        from scipy.special import ndtr  # noqa: PLC0415 - only here, and slow to import

        sure, spread = float(self.stubbornness), float(self.spread)
        mean, width = np.full_like(total, float(self.expects)), np.full_like(total, spread)
        if not self.is_unmoved:
            mean, width = (sure * mean + total) / (sure + seen), spread * np.sqrt(1 + 1 / (sure + seen))
        # mirrored to the left, where tails are small and keep their digits
        middle, half = -np.abs(center - mean) / width, within / width
        by_middle = np.exp(-middle * middle / 2) / math.sqrt(2 * math.pi) * 2 * half
        # narrow intervals are a difference of nearly equal tails: the density at their middle is closer
        return np.asarray(np.where(half < 5e-6, by_middle, ndtr(middle + half) - ndtr(middle - half)))

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
        """Add up terms on both sides of the likeliest count of the interval."""
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
        return np.asarray(np.exp(log_chance) * (1 + upwards + downwards))

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
                log_none = -rising * _log_fraction((rate + 1) / rate)
            likeliest = min(max(math.floor(expected), first), last)
            log_chance = log_none - ln_gamma(Decimal(likeliest + 1))
            if rising is None:
                log_chance += likeliest * alpha.ln()
            else:
                log_chance += ln_gamma(rising + likeliest) - ln_gamma(rising) + likeliest * beta.ln()
            upwards = _sum_of_decimals(last - likeliest, lambda step: beta + (alpha - beta) / (likeliest + step))
            downwards = _sum_of_decimals(
                likeliest - first, lambda step: (likeliest + 1 - step) / (alpha + beta * (likeliest - step))
            )
            return log_chance.exp() * (1 + upwards + downwards)

    def check(self, number: Fraction, text: str) -> None:
        """Raise `BadMeasure` unless the number is whole, and small enough to be added up."""
        if number.denominator != 1 or not 0 <= number <= LARGEST_COUNT:
            raise BadMeasure(f"'{text}' is no count from 0 to {LARGEST_COUNT:,}; take family='normal'")


@dataclass(frozen=True)
class Pareto(NumberFamily):
    """Numbers from a minimum on, few of them far above it."""

    minimum: Fraction

    def statistic(self, numbers: Sequence[Fraction]) -> Floats:
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
        return np.asarray(-np.exp(tail) * np.expm1(inside))

    def exact(self, seen: int, numbers: Iterable[tuple[Fraction, int]], low: Fraction, high: Fraction) -> Decimal:
        with localcontext(DIGITS):
            above = [_log_fraction(max(each, self.minimum) / self.minimum) for each in (low, high)]
            level = _log_fraction(self.expects / self.minimum)
            if not isinstance(self.stubbornness, Fraction):
                tails = [(-each / level).exp() for each in above]
            else:
                sure = _decimal(self.stubbornness)
                total = sum((count * _log_fraction(number / self.minimum) for number, count in numbers), Decimal(0))
                base = sure * level + total
                tails = [((sure + seen) * (base / (base + each)).ln()).exp() for each in above]
            return tails[0] - tails[1]

    def check(self, number: Fraction, text: str) -> None:
        if number < self.minimum:
            raise BadMeasure(f"'{text}' is below minimum={self.minimum}; lower it")


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _log_fraction(number: Fraction) -> Decimal:
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
    """Return r(1) + r(1) r(2) + … of `steps` terms each; ratios rise or fall all along."""
    total, product = np.zeros_like(steps), np.ones_like(steps)
    with np.errstate(invalid="ignore"):  # where there is no step
        final = ratio(np.maximum(steps, 1))
        for step in range(1, int(steps.max(initial=0)) + 1):
            here = ratio(np.clip(steps, 1, step))
            product = np.where(step <= steps, product * here, 0)
            total += product
            # ratios are monotone, so that the larger of this one and the last bounds all that follow
            largest = np.maximum(here, final)
            left = (product > 0) & ~(product * largest <= 1e-12 * (1 - largest) * (1 + total))
            if not left.any():  # nothing, or too little to matter
                break
    return total


def _sum_of_decimals(steps: int, ratio: Callable[[int], Decimal]) -> Decimal:
    """Return the same sum for one case, in decimals."""
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


def _upper_tail(z: Decimal) -> Decimal:
    """Return P(Z > z) of a standard normal Z, for z ≥ 0: by its series, far out by Laplace's continued fraction."""
    density = (-z * z / 2).exp() / (2 * PI).sqrt()
    if z < 8:
        term = total = z
        factor = 1
        while term > total.scaleb(-DIGITS.prec):
            factor += 2
            term *= z * z / factor
            total += term
        return Decimal("0.5") - density * total
    fraction = z
    for step in range(250, 0, -1):
        fraction = z + step / fraction
    return density / fraction


FamilyName: TypeAlias = Literal["normal", "poisson", "pareto"]
"""Numbers around a mean; counts; or numbers from a minimum on, few of them far above."""

ROUGH = 1e-6
"""The relative error of floats: cases that near the worst are decided in decimals."""


def _read_stubbornness(stubbornness: object) -> int | Fraction | float:
    number = None if stubbornness is None else read_stubbornness(stubbornness)
    if number is None or not (number == math.inf or has_sensible_size(number)):
        raise BadMeasure(f"stubbornness is {as_given(stubbornness)}; give a number between 1e-30 and 1e30, or math.inf")
    return number


@dataclass(frozen=True, kw_only=True)
class NumericBelief(Targeted, GroupByGroup):
    """How much surer would someone become of about how large a person's number is, because it is in the release?

    The sensitive values are numbers (or stand for some: `numbers`), and the attacker expects them to be of a family:
    "normal" (around `expects`, with the standard deviation `spread`), "poisson" (counts, `expects` on average) or
    "pareto" (from `minimum` on, with the geometric mean `expects`), a belief that is worth `stubbornness` answers.
    An attacker who is at most `within` off knows a number.  The finding is ε as in `PriorBelief`,

        ε = max over groups and numbers x of p_in/p_out and (1 − p_out)/(1 − p_in)

    where p_in is the share of the group's people (without `known_people`, who are known exactly) within that distance
    of x, and p_out the probability that one more number is, after those of the others in the group.

    >>> incomes = Release.from_counts([{"20": 3, "30": 4, "40": 3}, {"20": 2, "60": 4}])
    >>> belief = NumericBelief(expects=25, spread=15, stubbornness=100, within=5)
    >>> finding = belief.measure(incomes)
    >>> finding.witness.value, finding.witness.p_in, round(finding.value, 3)
    ('60', Fraction(2, 3), 30.263)

    Source: Machanavajjhala, Gehrke and Götz, Data publishing against realistic adversaries, VLDB 2009, footnote 3.
    """

    name: ClassVar[str] = "numeric belief"
    attacker = Attacker(
        "somebody with an expectation of an amount",
        prior_in_words,
        "by which factor the file can raise their odds",
        "belief",
    )
    limits = (1, math.inf)
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)
    when_groups_merge = Monotonicity.UNKNOWN
    if_nothing_to_measure: ClassVar[Fraction] = Fraction(1)
    off: ClassVar[float] = 10 * ROUGH

    expects: Bound = field(metadata=read(partial(finite, name="expects")))
    stubbornness: Bound = field(metadata=read(_read_stubbornness))
    within: Bound = field(metadata=read(partial(finite, name="within")))
    family: FamilyName = "normal"
    spread: Bound | None = field(default=None, metadata=read(partial(finite, name="spread")))
    minimum: Bound | None = field(default=None, metadata=read(partial(finite, name="minimum")))
    numbers: Mapping[str, Bound] | Mapping[Label, Bound] | None = field(
        default=None, metadata=read(read_numbers, hint=Mapping[str, float] | None, parse=labels_as_written)
    )
    known_people: int = field(default=0, metadata=read(read_known_people))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_one_of(self.family, FamilyName):
            raise BadMeasure(f"no family={as_given(self.family, quoted=True)}; choose 'normal', 'poisson' or 'pareto'")
        for name, family in (("spread", "normal"), ("minimum", "pareto")):
            setting = getattr(self, name)
            if (setting is not None) != (self.family == family) or (setting is not None and setting <= 0):
                raise BadMeasure(
                    f"family='{family}' takes a positive {name}=, and no other does; give it or leave it out"
                )
        if self.within < 0 or (self.within == 0 and self.family != "poisson"):
            raise BadMeasure(
                f"within is {as_given(self.within)}; give a positive distance at which a number counts as known"
            )
        if self.family != "normal" and self.expects <= (self.minimum or 0):
            raise BadMeasure(
                f"expects is {as_given(self.expects)}; family='{self.family}' wants more than {self.minimum or 0}"
            )
        if self.family == "poisson" and max(self.expects, self.within) > LARGEST_COUNT:
            raise BadMeasure(f"family='poisson' is about counts up to {LARGEST_COUNT:,}; lower expects= and within=")

    def amounts(self) -> dict[str, int]:
        amounts = super().amounts()
        return {name: amounts[name] for name in ("stubbornness", "known_people") if name in amounts}

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        numbers = {text: 1 + index for index, text in enumerate(in_order(domain))}
        return (
            cls(expects=2, spread=1, stubbornness=3, within=0.5, numbers=numbers),
            cls(family="poisson", expects=2, stubbornness=5, within=0, numbers=numbers, known_people=1),
            cls(family="pareto", expects=2, minimum=0.5, stubbornness=math.inf, within=1, numbers=numbers),
        )

    @property
    def expected_family(self) -> NumberFamily:
        mean, sure = Fraction(self.expects), self.stubbornness
        stubbornness = math.inf if sure == math.inf else Fraction(sure)
        if self.spread is not None:
            return Normal(mean, stubbornness, Fraction(self.spread))
        if self.minimum is not None:
            return Pareto(mean, stubbornness, Fraction(self.minimum))
        return Poisson(mean, stubbornness)

    def check(self, release: Release) -> None:
        super().check(release)
        self._numbers_of(release.domain)

    @lru_cache(maxsize=16)  # noqa: B019 - a few small values, asked for by every block of groups
    def _numbers_of(self, domain: tuple[Label, ...]) -> tuple[Fraction, ...]:
        numbers = look_up_numbers(domain, self.numbers if isinstance(self.numbers, NumberByValue) else None)
        for text, number in zip(domain, numbers, strict=True):
            self.expected_family.check(number, shown(text))
        return numbers

    def summarize(self, groups: Groups) -> Summary:
        groups = groups.sort_by_number()
        rows, columns, epsilons, matching = self._epsilons(groups)
        if len(rows) == 0:
            return summarize_worst(self, otherwise=self.if_nothing_to_measure)
        # certain cases are infinite without any arithmetic, so that the first one settles it
        certain = matching >= groups.sizes[rows] - self.known_people
        # infinite ones may only be too large for floats: they are computed again, with all that floats propose
        finite = np.isfinite(epsilons)
        near = np.flatnonzero(~finite | (epsilons >= epsilons.max(where=finite, initial=0) * (1 - ROUGH)))
        if certain.any():
            near = np.flatnonzero(certain)[:1]
        cells = groups.counts.dense()
        kinds = np.column_stack((cells[rows[near]], columns[near]))
        findings: list[tuple[Amount, PriorBeliefWitness]] = []
        # one case stands for all groups with the same counts, and the same number
        for at in near[first_of_each(kinds)].tolist():
            row, column = int(rows[at]), int(columns[at])
            p_in = Case(int(groups.sizes[row]), int(matching[at]), self.known_people).p_in
            p_out = self._p_out(groups.domain, cells[row].tolist(), column)
            rounded = Fraction(round_down(p_out))
            witness = PriorBeliefWitness(groups.name(row), groups.domain[column], p_in=p_in, p_out=rounded)
            findings.append((_epsilon(p_in, p_out), witness))
        value, worst = max(findings, key=lambda each: each[0])  # of equal ones the first
        return summarize_worst(self, value, worst)

    def _epsilons(self, groups: Groups) -> tuple[Integers, Integers, Floats, Integers]:
        """Return groups and values that occur in them, with ε in floats and how many people are near."""
        numbers = self._numbers_of(groups.domain)
        family, floats = self.expected_family.around(numbers)
        rows, columns, _ = groups.counts.entries()
        targeted = np.flatnonzero(np.isin(columns, self.targets.indices(groups)))
        rows, columns = rows[targeted], columns[targeted]
        counts = groups.counts.dense()
        matching = count_near(counts, numbers, Fraction(self.within))[rows, columns]
        people = groups.sizes[rows]
        # the people who are known are at most all who are not near
        p_in = matching / np.maximum(people - self.known_people, matching)
        statistic = family.statistic(floats)
        # sums over a group, less the person in question: (cases,) float64
        totals = (counts @ statistic)[rows] - statistic[columns]
        center = np.array([float(number) for number in floats])[columns]
        # infinite unless computed: where p_in is 1, and where floats do not hold p_out
        epsilons = np.full(len(rows), np.inf)
        unsure = np.flatnonzero(p_in < 1)
        p_out = family.near((people[unsure] - 1).astype(float), totals[unsure], center[unsure], float(self.within))
        computed = unsure[p_out > 0]  # not nan, nor too small for floats
        p_in, p_out = p_in[computed], p_out[p_out > 0]
        epsilons[computed] = np.maximum(p_in / p_out, (1 - p_out) / (1 - p_in))
        return rows, columns, epsilons, matching

    def _p_out(self, domain: tuple[Label, ...], counts: list[int], column: int) -> Decimal:
        numbers, within = self._numbers_of(domain), Fraction(self.within)
        # without the person in question, who is left out of the release
        others = [count - (index == column) for index, count in enumerate(counts)]
        center = numbers[column]
        seen = zip(numbers, others, strict=True)
        return self.expected_family.exact(sum(others), seen, center - within, center + within)

    def scores(self, groups: Groups) -> Floats:
        scores = np.full(len(groups), np.nan)
        rows, _, epsilons, _ = self._epsilons(groups)
        np.fmax.at(scores, rows, epsilons)
        return scores

    def kinds(self, groups: Groups) -> Integers:
        return groups.counts.dense()

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, PriorBeliefWitness):
            return "Nobody in the release has any of the values that were asked for."
        sure = f"is as sure as {exact_text(self.stubbornness)} answers make one"
        if self.stubbornness == math.inf:
            sure = "is moved by no evidence"
        knows = f", knows {counted(self.known_people, 'person')}" if self.known_people else ""
        who = f"Someone who expects about {exact_text(self.expects)} ({self.family}){knows} and {sure}"
        whom = (
            f"the number of a person of {witness.group} is within {exact_text(self.within)} of {shown(witness.value)}"
        )
        if witness.p_in == 1:
            return f"{who} would be certain that {whom}."
        return growth_in_words(who, whom, finding.value, witness.p_in, witness.p_out)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Recompute ε from the witness's group and number alone, person by person."""
        assert isinstance(witness, PriorBeliefWitness)
        group = release.group(witness.group)
        counts = group.counts.row(0).tolist()
        numbers, column = self._numbers_of(group.domain), group.code_of(witness.value)
        near = [abs(number - numbers[column]) <= self.within for number in numbers]
        matching = sum(count for count, each in zip(counts, near, strict=True) if each)
        case = Case(sum(counts), matching, self.known_people)
        return _epsilon(case.p_in, self._p_out(group.domain, counts, column))


def _epsilon(p_in: Fraction, p_out: Decimal) -> Amount:
    """Return ε, rounded up; infinite beyond floats and decimals."""
    if p_in == 1:
        return math.inf
    with localcontext(DIGITS):
        inside, outside = Decimal(p_in.numerator), Decimal(p_in.denominator - p_in.numerator)
        everybody = Decimal(p_in.denominator)
        return round_up(max(inside / everybody / p_out, (1 - p_out) * everybody / outside))


@lru_cache(maxsize=16)
def _list_neighbours(numbers: tuple[Fraction, ...], within: Fraction) -> Integers:
    """Return the numbers in order, and for each where those within a distance begin and end: (3, numbers)."""
    # fractions, so that a number exactly at the distance counts as near
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    line = [numbers[index] for index in order]
    start = [bisect_left(line, number - within) for number in numbers]
    stop = [bisect_right(line, number + within) for number in numbers]
    return np.array([order, start, stop], np.int64)


def count_near(counts: Integers, numbers: tuple[Fraction, ...], within: Fraction) -> Integers:
    """Count the people of each group (rows) who are within a distance of each number (columns)."""
    order, start, stop = _list_neighbours(numbers, within)
    # running sums along the order of numbers: the people near one are a difference of two
    sums = np.zeros((len(counts), counts.shape[1] + 1), np.int64)
    np.cumsum(counts[:, order], axis=1, out=sums[:, 1:])
    return sums[:, stop] - sums[:, start]
