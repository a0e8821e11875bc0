"""The three models at the edges of what they are for."""

import numpy as np
import pytest

from sidelight.measures.named_risks.population_models import (
    SampleSizes,
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
