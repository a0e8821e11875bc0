"""The three models at the edges of what they are for."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sidelight.measures.named_risks.population_models import (
    LEAST_ALPHA,
    SampleSizes,
    _mean,
    estimates,
    pitman,
    shifted_negative_binomial,
    zayatz,
)


def sample(histogram, population):
    return SampleSizes(np.array([*histogram]), np.array([*histogram.values()]), population)


@pytest.mark.parametrize(
    ("histogram", "population"),
    [
        ({1: 1}, 1),
        ({1: 5}, 100),
        ({1: 1, 100: 1}, 1000),
        ({1: 3, 2: 2, 1000: 1}, 1008),
        ({1: 3, 2: 2, 1_000_000: 1}, 10**9),
        ({1: 10**6, 2: 10**6}, 10**7),
        ({1: 10**6, 2: 1}, 10**9),
        ({1: 1, 2: 100, 3: 100}, 10**6),
        ({1: 40, 2: 10, 5: 4}, 2**53),
    ],
)
def test_answers_are_numbers_of_people(histogram, population):
    answers = estimates(sample(histogram, population))
    assert answers
    for each in answers:
        assert 0 <= each.uniques <= population
        assert all(np.isfinite(value) for _, value in each.parameters)


def test_with_nothing_to_fit_pitman_does_not_answer():
    assert pitman(sample({1: 5}, 100)) is None
    assert pitman(sample({5: 1}, 100)) is None


def test_a_sample_in_which_everybody_is_alone_says_that_everybody_is():
    assert zayatz(sample({1: 7}, 1000)).uniques == pytest.approx(1000)


def test_all_three_answer_where_a_small_sample_is_from_a_large_population():
    answers = {each.model: each.uniques for each in estimates(sample({1: 50, 2: 10}, 80_000_000))}
    assert [*answers] == ["Pitman", "Zayatz", "SNB"]
    assert answers["Pitman"] < answers["SNB"] < answers["Zayatz"]


@pytest.mark.parametrize("population", [10**6, 10**9, 10**12])
def test_the_share_who_are_unique_settles_as_the_population_grows(population):
    answer = shifted_negative_binomial(sample({1: 50, 2: 10}, population))
    limit = shifted_negative_binomial(sample({1: 50, 2: 10}, 2**53))
    assert answer.uniques / population == pytest.approx(limit.uniques / 2**53, rel=1e-3)


# Each answer solves the equations that it is the answer of, written out as sums.

SAMPLES = [({1: 40, 2: 10, 5: 4}, 800), ({1: 12, 2: 9, 3: 5, 7: 1}, 300), ({1: 5, 2: 3, 4: 1}, 2000)]


def test_a_sample_in_numbers():
    sizes = sample({1: 40, 2: 10, 5: 4}, 800)
    assert (sizes.sampled, sizes.unique, sizes.of_size(2), sizes.of_size(3), sizes.fraction) == (80, 40, 10, 0, 0.1)
    assert str(zayatz(sample({1: 7}, 10_000))) == "Zayatz 10,000"


@pytest.mark.parametrize(("histogram", "population"), SAMPLES)
def test_zayatz_by_the_hypergeometric(histogram, population):
    """u·(N/n)·u·C(N−1, n−1) / Σ c_f·f·C(N−f, n−1), in whole numbers."""
    sampled, unique = sum(size * many for size, many in histogram.items()), histogram[1]
    left = sum(many * size * math.comb(population - size, sampled - 1) for size, many in histogram.items())
    expected = Fraction(unique**2 * population, sampled) * math.comb(population - 1, sampled - 1) / left
    answer = zayatz(sample(histogram, population))
    assert answer.uniques == pytest.approx(float(min(expected, population)), rel=1e-10)
    assert (answer.model, answer.parameters) == ("Zayatz", ())


FEW_GROUPS = [
    ({1: 1, 5: 1}, 100),  # α = 0 and θ below 1
    ({1: 1, 2: 1, 50: 1}, 1000),  # hardly better than with α = 0
    ({1: 1, 2: 1, 200: 1}, 1000),  # θ below 0
]


@pytest.mark.parametrize(("histogram", "population"), SAMPLES + FEW_GROUPS)
def test_pitman_is_most_likely(histogram, population):
    """Both derivatives of the likelihood are 0, or the second below 0 where α = 0."""
    answer = pitman(sample(histogram, population))
    parameters = dict(answer.parameters)
    theta, alpha = parameters["theta"], parameters["alpha"]
    groups, sampled = sum(histogram.values()), sum(size * many for size, many in histogram.items())
    left = sum(1 / (theta + i * alpha) for i in range(1, groups))
    assert left == pytest.approx(sum(1 / (theta + i) for i in range(1, sampled)), rel=1e-8)
    rising = sum(i / (theta + i * alpha) for i in range(1, groups))
    falling = sum(many * sum(1 / (j - alpha) for j in range(1, size)) for size, many in histogram.items())
    if alpha == 0:
        assert rising < falling * (1 + LEAST_ALPHA)
    else:
        assert LEAST_ALPHA <= alpha < 1
        assert rising == pytest.approx(falling, rel=1e-8)
    expected = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * population**alpha
    assert answer.uniques == pytest.approx(min(expected, population), rel=1e-9)
    assert answer.model == "Pitman"


@pytest.mark.parametrize(("histogram", "population"), SAMPLES)
def test_the_shifted_negative_binomial_leads_to_such_a_sample(histogram, population):
    """Expected u/K and c₂/u, from (α, β), are those of the sample; K by the four sums of Haas and Stokes."""
    answer = shifted_negative_binomial(sample(histogram, population))
    parameters = dict(answer.parameters)
    alpha, beta = parameters["alpha"], parameters["beta"]
    pi = sum(size * many for size, many in histogram.items()) / population
    v1, v2, v3, v4 = (
        sum(many * of(size) for size, many in histogram.items())
        for of in (
            lambda f: f * pi**2 * (1 - pi**2) ** (f - 1),
            lambda f: (1 - pi) ** f * ((1 + pi) ** f - 1),
            lambda f: (1 - pi) ** f,
            lambda f: f * pi * (1 - pi) ** (f - 1),
        )
    )
    groups = sum(histogram.values()) + histogram[1] * (v1 / v2) * (v3 / v4) ** 2
    b = beta / (beta + pi * (1 - beta))
    q, m = 1 - b, alpha * (1 - b)
    assert b**alpha * (pi + (1 - pi) * m) == pytest.approx(histogram[1] / groups, rel=1e-8)
    pairs = (pi * m + (1 - pi) * m * (m + q) / 2) / (pi + (1 - pi) * m)
    assert pairs == pytest.approx(histogram[2] / histogram[1], rel=1e-8)
    assert answer.uniques == pytest.approx(min(groups * beta**alpha, population), rel=1e-8)
    assert answer.model == "SNB"


@pytest.mark.parametrize("fraction", [0.5, 1e-3, 1e-14])
@pytest.mark.parametrize(("q", "pairs"), [(1.0, 0.2), (0.5, 0.25), (1.0, 10.0), (1e-9, 3.0)])
def test_the_mean_solves_its_equation_with_all_digits(q, pairs, fraction):
    """(1−π)/2·m² + (π + (1−π)(q/2 − c₂/u))·m = π·c₂/u, where the parts of a difference may be as good as equal."""
    mean = _mean(q, pairs, fraction)
    m, exact_q, ratio, pi = map(Fraction, (mean, q, pairs, fraction))
    parts = (1 - pi) / 2 * m**2, (pi + (1 - pi) * exact_q / 2) * m, -(1 - pi) * ratio * m, -pi * ratio
    assert mean > 0
    assert abs(sum(parts)) < Fraction(1, 10**14) * max(map(abs, parts))


def test_without_pairs_or_without_anybody_alone_the_shifted_model_does_not_answer():
    assert shifted_negative_binomial(sample({1: 5, 3: 2}, 100)) is None
    assert shifted_negative_binomial(sample({2: 5, 3: 2}, 100)) is None
