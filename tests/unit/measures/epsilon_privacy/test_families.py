"""Families of numbers: decimals next to floats, and next to the mixtures that they are."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from sidelight.errors import BadMeasure
from sidelight.measures.epsilon_privacy.families import DIGITS, Normal, Pareto, Poisson, _upper_tail

SEEN = [(Fraction(3), 2), (Fraction(5), 1), (Fraction(9), 4)]
NUMBERS = [3, 3, 5, 9, 9, 9, 9]
FAMILIES = [
    Normal(Fraction(4), Fraction(7, 2), Fraction(2)),
    Normal(Fraction(4), math.inf, Fraction(2)),
    Poisson(Fraction(4), Fraction(7, 2)),
    Poisson(Fraction(4), math.inf),
    Pareto(Fraction(4), Fraction(7, 2), Fraction(1)),
    Pareto(Fraction(4), math.inf, Fraction(1)),
]
INTERVALS = [
    (Fraction(2), Fraction(6)),
    (Fraction(0), Fraction(2)),
    (Fraction(12), Fraction(14)),
    (Fraction(5), Fraction(5)),
    (Fraction(-3), Fraction(61)),
]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{type(family).__name__} {family.stubbornness}")
@pytest.mark.parametrize(("low", "high"), INTERVALS)
def test_floats_are_near_the_decimals(family, low, high):
    total = sum(count * family.statistic([number])[0] for number, count in SEEN)
    seen, total, center = (np.array([float(each)]) for each in (7, total, (low + high) / 2))
    exact = float(family.exact(7, SEEN, low, high))
    assert family.near(seen, total, center, float(high - low) / 2)[0] == pytest.approx(exact, rel=1e-7, abs=1e-300)


@pytest.mark.parametrize("sure", [Fraction(1, 10), Fraction(10**6), Fraction(10**15), Fraction(10**30), math.inf])
@pytest.mark.parametrize(("mean", "number"), [(2, 3), (300, 340), (300, 700), (5000, 3000), (10**5, 10**5 + 7)])
def test_floats_are_near_the_decimals_however_stubborn(sure, mean, number):
    """Many answers of many, and intervals that are narrow next to the numbers."""
    families = Normal(Fraction(mean), sure, Fraction(mean, 9)), Poisson(Fraction(mean), sure)
    for family in (*families, Pareto(Fraction(mean), sure, Fraction(1))):
        for within in (Fraction(1, 10**15), Fraction(2), Fraction(mean - 1)):
            own = Fraction(number)
            shifted, (center, other) = family.around([own, Fraction(mean)])
            total = 3 * shifted.statistic([other])
            near = shifted.near(np.array([3.0]), total, np.array([float(center)]), float(within))[0]
            exact = family.exact(3, [(Fraction(mean), 3)], own - within, own + within)
            assert near == pytest.approx(float(exact), rel=1e-7, abs=1e-290)


def test_counts_are_added_up_from_the_likeliest_on():
    """The twin adds up from 0 on, in floats of logarithms' sums."""
    for sure, mean, own, within in [(Fraction(5), 3, 4, 0), (Fraction(1, 50), 30, 2, 9), (math.inf, 40, 61, 300)]:
        family = Poisson(Fraction(mean), sure)
        law = (
            stats.poisson(mean)
            if sure == math.inf
            else stats.nbinom(float(sure) * mean + 12, 1 - 1 / (float(sure) + 3))
        )
        expected = sum(law.pmf(count) for count in range(max(own - within, 0), own + within + 1))
        exact = family.exact(2, [(Fraction(6), 2)], Fraction(own - within), Fraction(own + within))
        assert float(exact) == pytest.approx(expected, rel=1e-9)


def test_tails_far_out():
    with localcontext(DIGITS):
        for z in (0.5, 3, 7.9, 8, 8.1, 20, 37):
            assert float(_upper_tail(Decimal(z))) == pytest.approx(stats.norm.sf(z), rel=1e-12)
        series, fraction = _upper_tail(Decimal("7.99999999999999999999999999999999")), _upper_tail(Decimal(8))
        assert abs(series / fraction - 1) < Decimal("1e-30")


@pytest.mark.parametrize(("low", "high"), [(2, 6), (4.5, 5.5), (8, 30)])
def test_each_is_the_mixture_over_its_parameter(low, high):
    """The twin: prior × likelihood of the numbers seen × probability of the interval, integrated over the parameter."""
    mean, sure = 4.0, 3.5

    def mixture(prior, likelihood, inside, start, stop):
        def weight(parameter):
            return prior(parameter) * np.prod([likelihood(number, parameter) for number in NUMBERS])

        above = integrate.quad(lambda parameter: weight(parameter) * inside(parameter), start, stop, epsabs=0)[0]
        return above / integrate.quad(weight, start, stop, epsabs=0)[0]

    normal = mixture(
        stats.norm(mean, 2 / math.sqrt(sure)).pdf,
        lambda number, at: stats.norm.pdf(number, at, 2),
        lambda at: stats.norm.cdf(high, at, 2) - stats.norm.cdf(low, at, 2),
        0,
        14,
    )
    poisson = mixture(
        stats.gamma(sure * mean, scale=1 / sure).pdf,
        stats.poisson.pmf,
        lambda at: stats.poisson.cdf(math.floor(high), at) - stats.poisson.cdf(math.ceil(low) - 1, at),
        0.1,
        20,
    )
    level = math.log(mean)
    pareto = mixture(
        stats.gamma(sure, scale=1 / (sure * level)).pdf,
        lambda number, at: stats.expon.pdf(math.log(number), scale=1 / at) / number,
        lambda at: low**-at - high**-at,
        0.01,
        8,
    )
    interval = Fraction(low), Fraction(high)
    for family, expected in zip(FAMILIES[::2], (normal, poisson, pareto), strict=True):
        assert float(family.exact(7, SEEN, *interval)) == pytest.approx(expected, rel=1e-6)


def test_an_interval_without_a_count_has_none():
    for sure in (Fraction(7, 2), math.inf):
        family = Poisson(Fraction(4), sure)
        for low, high in [(Fraction(1, 3), Fraction(2, 3)), (Fraction(-5), Fraction(-1))]:
            assert family.exact(7, SEEN, low, high) == 0


def test_nothing_is_below_the_minimum_of_long_tails():
    for sure in (Fraction(7, 2), math.inf):
        family = Pareto(Fraction(4), sure, Fraction(2))
        assert family.exact(7, SEEN, Fraction(0), Fraction(2)) == 0
        assert family.exact(7, SEEN, Fraction(-3), Fraction(6)) == family.exact(7, SEEN, Fraction(2), Fraction(6)) > 0


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{type(family).__name__} {family.stubbornness}")
def test_intervals_side_by_side_add_up_to_everything(family):
    """All counts, or all real numbers from far below to far above, have probability 1 but for a little."""
    ends = [Fraction(-200), Fraction(0), Fraction(7, 2), Fraction(15, 2), Fraction(10**30)]
    parts = [float(family.exact(7, SEEN, low, high)) for low, high in pairwise(ends)]
    if isinstance(family, Poisson):
        parts[0] = 0.0  # 0 is the first count of the second interval, too
    whole = float(family.exact(7, SEEN, ends[0], ends[-1]))
    assert sum(parts) == pytest.approx(whole, rel=1e-12)
    assert whole == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("family", "number", "message"),
    [
        (Poisson(Fraction(4), math.inf), Fraction(3, 2), "'x' is no count from 0 to 1,000,000; take family='normal'"),
        (Poisson(Fraction(4), math.inf), Fraction(-1), "'x' is no count from 0 to 1,000,000; take family='normal'"),
        (
            Poisson(Fraction(4), math.inf),
            Fraction(1_000_001),
            "'x' is no count from 0 to 1,000,000; take family='normal'",
        ),
        (Pareto(Fraction(4), math.inf, Fraction(3, 2)), Fraction(1), "'x' is below minimum=3/2; lower it"),
    ],
)
def test_numbers_that_a_family_does_not_have_are_named(family, number, message):
    with pytest.raises(BadMeasure) as error:
        family.check(number, "x")
    assert str(error.value) == message


def test_numbers_that_a_family_just_has():
    Poisson(Fraction(4), math.inf).check(Fraction(0), "x")
    Poisson(Fraction(4), math.inf).check(Fraction(1_000_000), "x")
    Pareto(Fraction(4), math.inf, Fraction(3, 2)).check(Fraction(3, 2), "x")
    Normal(Fraction(4), math.inf, Fraction(3, 2)).check(Fraction(-7, 2), "x")
