"""Beliefs about numbers: what is asked, what is refused, how it reads.

Families of numbers: decimals next to floats, and next to the mixtures that they are.
"""

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.epsilon_privacy.numeric_belief import (
    DIGITS,
    Normal,
    Pareto,
    Poisson,
    _log_excess,
    _upper_tail,
    count_near,
    ln_gamma,
)
from sidelight.policy.limits import read_measure
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import read_policy_text

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
    ("family", "number", "named"),
    [
        (Poisson(Fraction(4), math.inf), Fraction(3, 2), ["'x'", "no count", "0 to 1,000,000", "family='normal'"]),
        (Poisson(Fraction(4), math.inf), Fraction(-1), ["'x'", "no count", "0 to 1,000,000", "family='normal'"]),
        (Poisson(Fraction(4), math.inf), Fraction(1_000_001), ["'x'", "no count", "0 to 1,000,000", "family='normal'"]),
        (Pareto(Fraction(4), math.inf, Fraction(3, 2)), Fraction(1), ["'x'", "below minimum=3/2", "lower"]),
    ],
)
def test_numbers_that_a_family_does_not_have_are_named(family, number, named):
    with pytest.raises(BadMeasure) as error:
        family.check(number, "x")
    assert mentions(error.value, *named)


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
        pi = ln_gamma(Decimal("0.5")).exp() ** 2
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
        assert abs(ln_gamma(Decimal(number)) - Decimal(math.factorial(number - 1)).ln()) < Decimal("1e-110")


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


INCOMES = sl.Release.from_counts([{"20": 3, "30": 4, "40": 3}, {"20": 2, "60": 4}])
NORMAL = {"expects": 25, "spread": 15, "stubbornness": 100, "within": 5}


def test_by_hand():
    """Four of six earn 60; after the other five, one more is within 5 of that with the probability of a normal law."""
    finding = sl.NumericBelief(**NORMAL).measure(INCOMES)
    assert finding.witness.value == "60"
    assert finding.witness.p_in == Fraction(4, 6)
    mean, width = (100 * 25 + 2 * 20 + 3 * 60) / 105, 15 * math.sqrt(1 + 1 / 105)
    p_out = stats.norm.cdf(65, mean, width) - stats.norm.cdf(55, mean, width)
    assert finding.value == pytest.approx(4 / 6 / p_out)
    assert finding.witness.p_out == pytest.approx(p_out)
    assert finding.replay(INCOMES) == finding.value
    assert mentions(finding.explain(), "25 (normal)", "100 answers", "surer", "within 5 of 60", "factor")


groups = st.lists(
    st.dictionaries(st.sampled_from(["0", "1", "2", "5", "8.5"]), st.integers(1, 4), min_size=1), min_size=1, max_size=3
)


@examples(40)
@given(groups, st.integers(0, 2), st.sampled_from([1, 20, math.inf]))
def test_it_is_the_definition_for_every_group_and_number(bags, known, sure):
    """The twin goes through people one by one, with scipy's normal law."""
    release = sl.Release.from_counts(bags)
    measure = sl.NumericBelief(expects=3, spread=2, stubbornness=sure, within=1, known_people=known)
    worst = 0.0
    for bag in bags:
        people = [float(text) for text, count in bag.items() for _ in range(count)]
        for place, own in enumerate(people):
            others = people[:place] + people[place + 1 :]
            near = sum(abs(each - own) <= 1 for each in people)
            p_in = near / (len(people) - min(known, len(people) - near))
            mean = 3 if sure == math.inf else (3 * sure + sum(others)) / (sure + len(others))
            width = 2 if sure == math.inf else 2 * math.sqrt(1 + 1 / (sure + len(others)))
            p_out = stats.norm.cdf(own + 1, mean, width) - stats.norm.cdf(own - 1, mean, width)
            worst = max(worst, math.inf if p_in == 1 else max(p_in / p_out, (1 - p_out) / (1 - p_in)))
    finding = measure.measure(release)
    assert finding.value == pytest.approx(worst)
    assert finding.replay(release) == finding.value
    scores = measure.scores(release.groups)
    assert np.nanmax(scores) == pytest.approx(float(finding.value), rel=1e-6)


def test_labels_may_stand_for_numbers():
    classes = sl.Release.from_counts([{"<=50K": 3, ">50K": 1}])
    numbers = {"<=50K": 30, ">50K": 80}
    by_name = sl.NumericBelief(**NORMAL, numbers=numbers).measure(classes)
    by_number = sl.NumericBelief(**NORMAL).measure(sl.Release.from_counts([{"30": 3, "80": 1}]))
    assert by_name.value == by_number.value
    with pytest.raises(BadMeasure, match="'<=50K' is no number"):
        sl.NumericBelief(**NORMAL).measure(classes)


def test_a_distance_that_is_met_exactly_counts_as_near():
    tenths = sl.Release.from_counts([{"0.1": 1, "0.3": 1, "0.7": 2}])
    finding = sl.NumericBelief(expects=0.3, spread=1, stubbornness=10, within=0.2).measure(tenths)
    assert finding.witness.p_in == Fraction(1, 2)
    assert finding.replay(tenths) == finding.value


def test_everybody_within_that_distance_is_certain():
    finding = sl.NumericBelief(**NORMAL).measure(sl.Release.from_counts([{"20": 3, "22": 4}]))
    assert finding.value == math.inf
    assert "would be certain" in finding.explain()


def test_counts_and_long_tails():
    visits = sl.Release.from_counts([{"0": 5, "1": 3, "12": 1}, {"2": 2, "3": 2}])
    poisson = sl.NumericBelief(family="poisson", expects=1.5, stubbornness=50, within=0)
    assert poisson.measure(visits).witness.value == "12"
    pareto = sl.NumericBelief(family="pareto", expects=30, minimum=10, stubbornness=math.inf, within=2)
    for measure, release in ((poisson, visits), (pareto, INCOMES)):
        finding = measure.measure(release)
        assert finding.replay(release) == finding.value > 1
    with pytest.raises(BadMeasure, match="is no count"):
        poisson.measure(sl.Release.from_counts([{"1.5": 2}]))
    with pytest.raises(BadMeasure, match="below minimum"):
        pareto.measure(visits)


def test_a_search_keeps_it():
    adult = sl.datasets.adult(quasi=["sex", "race"], sensitive="salary-class")
    measure = sl.NumericBelief(**{**NORMAL, "within": 10}, numbers={"<=50K": 30, ">50K": 80})
    found = sl.protect(adult.table, sl.Policy(measure <= 12), by=adult.hierarchies, ask="nobody")
    assert measure.measure(found.release).value <= 12


def test_it_is_written_and_read_again():
    measure = sl.NumericBelief(**NORMAL, numbers={"a": 1, None: 2.5}, known_people=1)
    policy = sl.Policy(measure <= 3)
    assert read_policy_text(policy_text(policy)).policy.criteria == policy.criteria
    assert read_measure(str(measure)) == measure
    assert hash(measure) == hash(sl.NumericBelief(**NORMAL, numbers={None: 2.5, "a": 1}, known_people=1))


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"family": "gauss"}, "no family='gauss'"),
        ({"family": "poisson"}, "takes a positive spread="),
        ({"spread": None}, "takes a positive spread="),
        ({"spread": -1}, "takes a positive spread="),
        ({"minimum": 3}, "takes a positive minimum="),
        ({"within": 0}, "positive distance"),
        ({"within": math.inf}, "between 1e-30 and 1e30"),
        ({"within": Fraction(10) ** 400}, "between 1e-30 and 1e30"),
        ({"spread": 1e-31}, "between 1e-30 and 1e30"),
        ({"stubbornness": 1e31}, "between 1e-30 and 1e30, or math.inf"),
        ({"stubbornness": 1e-31}, "between 1e-30 and 1e30, or math.inf"),
        ({"family": "poisson", "spread": None, "within": 10**7}, "counts up to 1,000,000"),
        ({"stubbornness": 0}, "positive number of answers"),
        ({"expects": "many"}, "give a number"),
        ({"family": "pareto", "spread": None, "minimum": 30}, "wants more than 30"),
    ],
)
def test_what_makes_no_sense_is_refused(changed, complaint):
    with pytest.raises(BadMeasure, match=complaint):
        sl.NumericBelief(**{**NORMAL, **changed})


def test_what_is_expected_is_no_amount():
    belief = sl.NumericBelief(expects=25, spread=15, stubbornness=100, within=5, known_people=2)
    assert belief.amounts() == {"stubbornness": 100, "known_people": 2}


def test_thousands_of_different_numbers():
    release = sl.Release.from_counts(
        [{str(n / 4): 1 + n % 3 for n in range(3000)}, {str(n / 4): 2 for n in range(1500)}]
    )
    finding = sl.NumericBelief(expects=300, spread=200, stubbornness=50, within=25).measure(release)
    assert finding.replay(release) == finding.value > 1


@pytest.mark.parametrize("family", ["normal", "pareto"])
def test_numbers_with_more_digits_than_floats_have(family):
    """Moments in nanoseconds: moved to where floats can tell them apart, they are as much surer."""
    start, around = 1_600_000_000 * 10**9, {"normal": {"spread": 400}, "pareto": {"minimum": 1_500_000_000 * 10**9}}
    bags = [{0: 2, 150: 3, 900: 1}, {0: 3, 150: 2, 900: 4}]
    release = sl.Release.from_counts([{str(start + each): count for each, count in bag.items()} for bag in bags])
    belief = sl.NumericBelief(family=family, expects=start + 200, stubbornness=3, within=100, **around[family])
    finding = belief.measure(release)
    by_case = []
    for number, bag in enumerate(bags, 1):
        for each in bag:
            witness = replace(finding.witness, group=release.groups.name(number - 1), value=str(start + each))
            by_case.append(belief.replay(witness, release))
    assert finding.value == max(by_case)
    assert np.nanmax(belief.scores(release.groups)) == pytest.approx(float(finding.value), rel=1e-6)


def test_a_number_far_from_all_others_is_beyond_any_factor():
    """An unlikely number of 1e12 leaves decimals' range; whoever has another one is not certain to have it."""
    release = sl.Release.from_counts([{"1e12": 1, "3": 2}])
    finding = sl.NumericBelief(**NORMAL).measure(release)
    assert finding.value == finding.replay(release) == math.inf
    assert finding.witness.p_in < 1
    assert mentions(finding.explain(), "factor", "more than 1e308")
    with pytest.raises(BadMeasure, match=r"'1e31' is not .*1e-30 and 1e30"):
        sl.NumericBelief(**NORMAL).measure(sl.Release.from_counts([{"1e31": 1, "3": 2}]))


def test_where_floats_cannot_tell_decimals_do():
    """Of values next to the minimum floats know nothing; that they are rare is found all the same."""
    release = sl.Release.from_counts([{"1": 2, "7": 1}])
    belief = sl.NumericBelief(family="pareto", expects=4, minimum=1, stubbornness=10, within=Fraction(1, 10**20))
    finding = belief.measure(release)
    other = replace(finding.witness, value="1")
    assert finding.witness.value == "7"
    assert finding.value > belief.replay(other, release)


def test_large_counts_take_no_time():
    """Thirty cases of about a million: each is one count, not a million of them."""
    release = sl.Release.from_counts([{str(1_000_000 - each): 2 for each in range(30)}])
    finding = sl.NumericBelief(family="poisson", expects=999_000, stubbornness=10**20, within=0).measure(release)
    assert finding.replay(release) == finding.value < math.inf


def test_what_is_given_is_kept_exactly():
    tenth = Fraction(1, 10)
    normal = sl.NumericBelief(expects=0.1, spread=0.1, stubbornness=0.1, within=0.1, numbers={"a": 0.1})
    assert (normal.expects, normal.spread, normal.stubbornness, normal.within) == (tenth,) * 4
    assert normal.numbers == {"a": tenth}
    two = np.int64(2)
    pareto = sl.NumericBelief(family="pareto", expects=3, minimum=0.1, stubbornness=2.0, within=1.0, known_people=two)
    assert (pareto.minimum, pareto.expects) == (tenth, 3)
    assert repr((pareto.stubbornness, pareto.within, pareto.known_people)) == "(2, 1, 2)"


POISSON, PARETO = {"family": "poisson", "spread": None}, {"family": "pareto", "spread": None, "minimum": 20}


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"family": "gauss"}, ["no family='gauss'", "'normal', 'poisson' or 'pareto'"]),
        ({"family": 3}, ["no family=3", "'normal', 'poisson' or 'pareto'"]),
        ({"spread": 0}, ["family='normal'", "positive spread", "no other", "leave it out"]),
        ({**PARETO, "minimum": 0}, ["family='pareto'", "positive minimum", "no other", "leave it out"]),
        ({"within": 0}, ["within", 0, "positive distance"]),
        ({**PARETO, "within": 0}, ["within", 0, "positive distance"]),
        ({**POISSON, "within": -1}, ["within", -1, "positive distance"]),
        ({**PARETO, "expects": 20}, ["expects", 20, "family='pareto'", "more than 20"]),
        ({**POISSON, "expects": 0}, ["expects", 0, "family='poisson'", "more than 0"]),
        ({**POISSON, "expects": 1_000_001}, ["family='poisson'", "up to 1,000,000", "lower expects", "within"]),
        ({"stubbornness": 0}, ["stubbornness", 0, "positive", "math.inf"]),
        ({"stubbornness": None}, ["stubbornness", "None", "between 1e-30 and 1e30", "math.inf"]),
        ({"stubbornness": 1e31}, ["stubbornness", "1e+31", "between 1e-30 and 1e30", "math.inf"]),
        ({"expects": "x"}, ["expects", "number", "not 'x'"]),
        ({"within": "x"}, ["within", "number", "not 'x'"]),
        ({"spread": "x"}, ["spread", "number", "not 'x'"]),
        ({"minimum": "x"}, ["minimum", "number", "not 'x'"]),
        ({"known_people": -1}, ["known_people", -1, "whole number", "at least 0"]),
    ],
)
def test_what_cannot_be_used_is_named(changed, named):
    with pytest.raises(BadMeasure) as error:
        sl.NumericBelief(**{**NORMAL, **changed})
    assert mentions(error.value, *named)


@pytest.mark.parametrize(
    "changed",
    [
        {"expects": -3},
        {"stubbornness": 1e30, "spread": 1e-30},
        {"stubbornness": 1e-30, "within": 1e30},
        {**POISSON, "within": 0, "expects": 1e-30},
        {**POISSON, "within": 1_000_000, "expects": 1_000_000},
        {**PARETO, "expects": Fraction(201, 10)},
    ],
)
def test_what_is_just_allowed(changed):
    assert sl.NumericBelief(**{**NORMAL, **changed})


UNMOVED = sl.NumericBelief(expects=0, spread=1, stubbornness=math.inf, within=1, apart_from=["10"])
WITHIN_ONE = stats.norm.cdf(1) - stats.norm.cdf(-1)


def test_every_group_has_its_score_by_the_larger_ratio():
    release = sl.Release.from_counts([{"0": 9, "10": 1}, {"0": 8, "10": 2}, {"0": 5, "10": 5}, {"10": 3}, {"0": 2}])
    doubt = 1 - WITHIN_ONE
    expected = [doubt / 0.1, doubt / 0.2, 0.5 / WITHIN_ONE, math.nan, math.inf]
    assert UNMOVED.scores(release.groups) == pytest.approx(expected, nan_ok=True)
    for bag, score in zip([{"0": 9, "10": 1}, {"0": 5, "10": 5}], expected[::2], strict=False):
        assert UNMOVED.measure(sl.Release.from_counts([bag])).value == pytest.approx(score)


def test_people_who_are_known_lack_it_at_worst():
    release = sl.Release.from_counts([{"0": 9, "10": 3}])
    known = [replace(UNMOVED, known_people=number).measure(release) for number in range(5)]
    assert [each.witness.p_in for each in known] == [Fraction(9, 12), Fraction(9, 11), Fraction(9, 10), 1, 1]
    assert known[2].value == pytest.approx((1 - WITHIN_ONE) / 0.1)
    assert [each.value for each in known[3:]] == [math.inf, math.inf]
    assert [each.replay(release) for each in known] == [each.value for each in known]
    assert replace(UNMOVED, known_people=2).scores(release.groups)[0] == pytest.approx(float(known[2].value))


def test_of_equally_unlikely_numbers_the_first_speaks():
    release = sl.Release.from_counts([{"-1": 1, "0": 1, "1": 1}, {"1": 1, "0": 1, "-1": 1}])
    finding = sl.NumericBelief(expects=0, spread=1, stubbornness=math.inf, within=0.5).measure(release)
    likely = stats.norm.cdf(1.5) - stats.norm.cdf(0.5)
    assert finding.value == pytest.approx(1 / 3 / likely)
    assert finding.witness.group.number == 1
    assert finding.witness.value == next(text for text in release.domain if text != "0")


def test_certainty_is_worse_than_any_factor():
    """In group 1 a number is beyond any factor of floats; of group 2, all is known."""
    finding = sl.NumericBelief(**NORMAL).measure(sl.Release.from_counts([{"1e12": 1, "3": 2}, {"5": 3}]))
    assert (finding.value, finding.witness.p_in, finding.witness.group.number) == (math.inf, 1, 2)


def test_what_is_believed_of_one_left_out_is_rounded_down_and_the_factor_up():
    finding = sl.NumericBelief(**NORMAL).measure(INCOMES)
    assert finding.value >= Fraction(2, 3) / Fraction(finding.witness.p_out) * (1 - Fraction(1, 10**15))
    assert finding.witness.p_out * finding.value == pytest.approx(2 / 3, rel=1e-15)


@pytest.mark.parametrize("within", [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(100)])
def test_who_is_near_is_counted_by_stretches_of_the_order(within):
    numbers = tuple(map(Fraction, (3, 1, "2.5", 1, 7, -2, 4, "3.5")))
    counts = np.array([[1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 0, 0, 2, 0, 1, 0]])
    near = count_near(counts, numbers, within)
    for row, bag in enumerate(counts.tolist()):
        for place, own in enumerate(numbers):
            close = [n for number, n in zip(numbers, bag, strict=True) if abs(number - own) <= within]
            assert near[row, place] == sum(close)


def test_nobody_has_what_is_asked_about():
    release = sl.Release.from_counts([{"10": 3}], domain=["10", "20"])
    finding = UNMOVED.measure(release)
    assert (finding.value, finding.witness) == (1, None)
    assert mentions(finding.explain(), "Nobody", "any of the values", "asked")


SOMEONE = ["25 (normal)", "100 answers"]
OUTCOMES = ("surer", "certain", "not even", "left out", "no evidence")


@pytest.mark.parametrize(
    ("changed", "bags", "said"),
    [
        (
            {},
            [{"20": 3, "30": 4, "40": 3}, {"20": 2, "60": 4}],
            [
                *SOMEONE,
                *("surer", "group 2", "within 5 of 60", "factor of 30.2635", "left out", "0.02202", "in it 0.6667"),
            ],
        ),
        ({}, [{"20": 3, "22": 4}], [*SOMEONE, "certain", "group 1", "within 5 of 20"]),
        (
            {},
            [{"1e12": 1, "3": 2}],
            [*SOMEONE, "surer", "group 1", "within 5 of 3", "more than 1e308", "left out", 0, "in it 0.6667"],
        ),
        (
            {
                "expects": 0,
                "spread": 1,
                "stubbornness": math.inf,
                "within": 3,
                "known_people": 1,
                "apart_from": ["100"],
            },
            [{"0": 18, "100": 2}],
            ["0 (normal)", "knows 1 person", "no evidence", "not", "more", "not even", "group 1", "within 3 of 0"],
        ),
    ],
)
def test_explanations_are_for_people(changed, bags, said):
    found = sl.NumericBelief(**{**NORMAL, **changed}).measure(sl.Release.from_counts(bags)).explain()
    assert mentions(found, *said)
    for outcome in OUTCOMES:
        assert mentions(found, outcome) == (outcome in said)


def test_examples_are_of_every_family_and_measure_something():
    release = sl.Release.from_counts([{"low": 2, "high": 3}, {"low": 1, "high": 1}])
    examples = sl.NumericBelief.examples(release.domain)
    assert [each.family for each in examples] == ["normal", "poisson", "pareto"]
    assert {each.known_people for each in examples} == {0, 1}
    assert math.inf in {each.stubbornness for each in examples}
    assert all(each.measure(release).value > 1 for each in examples)


def test_a_search_is_told_how_rough_floats_are():
    screen = UNMOVED.screen()
    assert (screen.slack(2), screen.slack(10**6)) == pytest.approx((1e-5, 1e-5))


def test_where_all_counts_are_none_one_may_have_expected_one():
    """One answer of 1 and another person's 0 leave a shape of 1: one more is 0 with probability 2/3."""
    release = sl.Release.from_counts([{"0": 2}])
    finding = sl.NumericBelief(family="poisson", expects=1, stubbornness=1, within=0).measure(release)
    assert (finding.value, finding.witness.p_in, finding.replay(release)) == (math.inf, 1, math.inf)
    assert finding.witness.p_out == pytest.approx(2 / 3, rel=1e-15)


@pytest.mark.parametrize("size", [1e-30, 1, 1e30])
def test_the_widest_and_the_narrowest_are_measured(size):
    release = sl.Release.from_counts([{"1e30": 1, "-1e30": 2, "0": 1, "1e-30": 2**40}])
    for expects, spread, sure in product((-1e30, 0, 1e-30), (1e-30, 1, 1e30), (1e-30, 1e30, math.inf)):
        belief = sl.NumericBelief(expects=expects, spread=spread, stubbornness=sure, within=size)
        finding = belief.measure(release)
        assert finding.replay(release) == finding.value


def test_examples_are_those_that_documents_show():
    assert [str(each) for each in sl.NumericBelief.examples(("c", "a", "b"))] == [
        "numeric belief(expects=2, stubbornness=3, within=1/2, spread=1, numbers={a=1, b=2, c=3})",
        "numeric belief(expects=2, stubbornness=5, within=0, family=poisson, numbers={a=1, b=2, c=3}, known_people=1)",
        "numeric belief(expects=2, stubbornness=inf, within=1, family=pareto, minimum=1/2, numbers={a=1, b=2, c=3})",
    ]


@pytest.mark.parametrize(
    "belief",
    [
        sl.NumericBelief(**NORMAL),
        sl.NumericBelief(**NORMAL, numbers={"a": 1, None: 2.5}, known_people=1, apart_from=["a"]),
        sl.NumericBelief(**{**NORMAL, **POISSON}),
        sl.NumericBelief(**{**NORMAL, **PARETO, "stubbornness": math.inf}),
    ],
    ids=str,
)
def test_settings_make_the_same_belief_again(belief):
    assert sl.NumericBelief.from_settings(**belief.settings()) == belief


def test_who_is_certain_because_others_are_known_is_worse_off_than_by_any_factor():
    release = sl.Release.from_counts([{"1e12": 2, "3": 3}, {"5": 3, "300": 1}])
    finding = sl.NumericBelief(**NORMAL, known_people=1).measure(release)
    assert (finding.value, finding.witness.group.number, finding.witness.p_in) == (math.inf, 2, 1)


def test_a_little_surer_is_surer_and_as_sure_as_before_is_not():
    """7 of 10 are within 1 of 0, which has 0.6827 in a normal law: 0.3173 / 0.3."""
    finding = UNMOVED.measure(sl.Release.from_counts([{"0": 7, "10": 3}]))
    assert finding.value == pytest.approx((1 - WITHIN_ONE) / 0.3)
    said = finding.explain()
    assert mentions(said, "0 (normal)", "no evidence", "surer", "group 1", "within 1 of 0", "factor of 1.0578")
    assert mentions(said, "left out", "0.6826", "in it 0.7")
    not_surer = UNMOVED.explain(replace(finding, value=Fraction(1)))
    assert mentions(not_surer, "0 (normal)", "no evidence", "not", "more", "not even", "group 1", "within 1 of 0")
    assert not mentions(not_surer, "surer")


@pytest.mark.parametrize(
    ("changed", "value", "named"),
    [
        (POISSON, "1.5", ["'1.5'", "no count", "0 to 1,000,000", "family='normal'"]),
        (PARETO, "19", ["'19'", "below minimum=20", "lower"]),
    ],
)
def test_values_that_are_no_numbers_of_the_family_are_named(changed, value, named):
    belief = sl.NumericBelief(**{**NORMAL, **changed})
    with pytest.raises(BadMeasure) as error:
        belief.measure(sl.Release.from_counts([{"30": 2, value: 1}]))
    assert mentions(error.value, *named)


def test_large_groups_are_counted_exactly():
    huge = 2**60 + 1
    near = count_near(np.array([[huge, 2, 4]]), (Fraction(1), Fraction(2), Fraction(9)), Fraction(1))
    assert near.tolist() == [[huge + 2, huge + 2, 4]]
    release = sl.Release.from_counts([{"0": huge, "10": 3}])
    assert UNMOVED.measure(release).witness.p_in == Fraction(huge, huge + 3)
