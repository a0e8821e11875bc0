"""Families of numbers: decimals next to floats, and next to the mixtures that they are."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from sidelight.errors import BadMeasure
from sidelight.measures.epsilon_privacy.families import (
    DIGITS,
    Normal,
    Pareto,
    Poisson,
    _log_excess,
    _log_gamma,
    _upper_tail,
)

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


def agree(number, expected, digits):
    """Whether two decimals have so many digits in common."""
    with localcontext(DIGITS):
        return abs(number / expected - 1) < Decimal(1).scaleb(-digits)


@pytest.mark.parametrize("z", ["0", "0.5", "3", "7.9", "-8.1", "12", "-40"])
def test_the_narrowest_interval_of_the_widest_law_is_its_density(z):
    """As narrow as 1e-60 of the spread, both ends have 60 digits in common and more."""
    spread, within = Fraction(10) ** 30, Fraction(1, 10**30)
    center = Fraction(z) * spread
    found = Normal(Fraction(0), math.inf, spread).exact(0, [], center - within, center + within)
    with localcontext(DIGITS):
        pi = _log_gamma(Decimal("0.5")).exp() ** 2
        density = (-(Decimal(z) ** 2) / 2).exp() / (2 * pi).sqrt()
        assert agree(found, 2 * density.scaleb(-60), 30)


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 3), (2, 9), (4, 4), (5, 40), (30, 60), (0, 400)])
def test_counts_after_some_are_the_fractions_that_they_are(low, high):
    """With a whole shape, P(x) = C(a + x − 1, x) (b / (b + 1))ᵃ / (b + 1)ˣ is a fraction."""
    shape, rate = 14 + 47, Fraction(7, 2) + 7  # 4 expected as surely as by 7/2; of the seven seen the sum is 47
    chances = [
        math.comb(shape + x - 1, x) * (rate / (rate + 1)) ** shape / (rate + 1) ** x for x in range(low, high + 1)
    ]
    found = Poisson(Fraction(4), Fraction(7, 2)).exact(7, SEEN, Fraction(low), Fraction(high))
    with localcontext(DIGITS):
        total = sum(chances)
        assert agree(found, Decimal(total.numerator) / total.denominator, 55)


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 3), (2, 9), (4, 4), (5, 40), (30, 60), (0, 400)])
def test_counts_of_the_unmoved_are_those_of_their_series(low, high):
    """P(x) = e^−μ μˣ / x!"""
    found = Poisson(Fraction(4), math.inf).exact(7, SEEN, Fraction(low), Fraction(high))
    with localcontext(DIGITS):
        total = sum(Fraction(4**x, math.factorial(x)) for x in range(low, high + 1))
        assert agree(found, Decimal(-4).exp() * total.numerator / total.denominator, 55)


def test_long_tails_by_hand():
    """After three numbers σℓ₀ + Σ ln x = ln(4·2·2·8) = 7 ln 2, and (7 / (7 + log₂ x))⁴ are above x."""
    family = Pareto(Fraction(4), Fraction(1), Fraction(1))
    found = family.exact(3, [(Fraction(2), 2), (Fraction(8), 1)], Fraction(2), Fraction(16))
    with localcontext(DIGITS):
        assert agree(found, Decimal(7**4) / 8**4 - Decimal(7**4) / 11**4, 100)
    unmoved = Pareto(Fraction(4), math.inf, Fraction(1)).exact(3, [], Fraction(4), Fraction(64))
    with localcontext(DIGITS):
        assert agree(unmoved, Decimal(-1).exp() - Decimal(-3).exp(), 100)


@pytest.mark.parametrize("number", [1, 2, 11, 149, 150, 151, 300])
def test_the_logarithm_of_a_factorial_has_its_digits(number):
    with localcontext(DIGITS):
        assert abs(_log_gamma(Decimal(number)) - Decimal(math.factorial(number - 1)).ln()) < Decimal("1e-110")


@pytest.mark.parametrize("sure", [Fraction(7, 2), math.inf])
@pytest.mark.parametrize(("low", "high"), [(1, 4), (-3, 61), (2, 6), (3, 9)])
def test_intervals_around_a_minimum(sure, low, high):
    family = Pareto(Fraction(5), sure, Fraction(2))
    total = sum(count * family.statistic([number]) for number, count in SEEN)
    near = family.near(np.array([7.0]), total, np.array([(low + high) / 2]), (high - low) / 2)
    exact = family.exact(7, SEEN, Fraction(low), Fraction(high))
    assert near[0] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("shape", ["0.3", "1", "99.5", "100", "100.5", "101", "700"])
def test_rising_products_next_to_powers(shape):
    """ln of a (a + 1) … (a + x − 1) / aˣ."""
    for many in (0, 1, 30, 100):
        (found,) = _log_excess(np.array([float(shape)]), np.array([float(many)]))
        with localcontext(DIGITS):
            a = Decimal(shape)
            expected = sum(((a + each) / a).ln() for each in range(many))
        assert found == pytest.approx(float(expected), rel=0, abs=1e-12)


def test_one_answer_of_one_or_of_two():
    """Of shape 1, the counts 0, 1, 2, … have the probabilities 1/2, 1/4, 1/8, …; of shape 2, 1/4, 1/4, 3/16, …"""
    none = np.zeros(1)
    only = Poisson(Fraction(1), Fraction(1)).exact(0, [], Fraction(1), Fraction(1))
    assert agree(only, Decimal("0.25"), 55)
    for within in range(4):
        one = Poisson(Fraction(1), Fraction(1)).near(none, none, none, float(within))
        assert one[0] == pytest.approx(1 - 0.5 ** (within + 1), rel=1e-12)
        two = Poisson(Fraction(2), Fraction(1)).near(none, none, none, float(within))
        assert two[0] == pytest.approx(1 - (within + 3) * 0.5 ** (within + 2), rel=1e-12)
        exact = Poisson(Fraction(1), Fraction(1)).exact(0, [], Fraction(-within), Fraction(within))
        assert agree(exact, 1 - Decimal("0.5") ** (within + 1), 55)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{type(family).__name__} {family.stubbornness}")
@pytest.mark.parametrize("within", [0.5, 3.0, 20.0])
def test_many_cases_at_once_are_as_each_alone(family, within):
    cases = np.array([(7, 20, 3), (2, 60, 30), (0, 0, 4), (7, 20, 40), (30, 300, 1)], float)
    together = family.near(*cases.T, within)
    alone = [family.near(*each[:, None], within)[0] for each in cases]
    assert together == pytest.approx(alone, rel=1e-11)
    assert family.near(*np.empty((3, 0)), within).tolist() == []
