"""The models of a population, solved fast, against what they are the solution of: sums, binomials and likelihoods."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.measures.named_risks.estimates import pitman, shifted_negative_binomial, zayatz
from sidelight.measures.named_risks.size_risk import SizeHistogram


@st.composite
def samples(draw):
    """A few groups of each of a few sizes, people alone among them, of a population that is larger."""
    histogram = {1: draw(st.integers(1, 40)), 2: draw(st.integers(1, 20))}
    histogram |= draw(st.dictionaries(st.integers(3, 30), st.integers(1, 5), max_size=4))
    people, groups = np.array([*histogram]), np.array([*histogram.values()])
    population = int(people @ groups) * draw(st.integers(2, 30)) + draw(st.integers(0, 9))
    return SizeHistogram(people, people, groups), population


def log_likelihood(sizes, theta, alpha):
    """Of Pitman's sampling formula, factor by factor."""
    groups = int(sizes.groups.sum())
    within = sum(
        times * math.log(j - alpha)
        for f, times in zip(sizes.people.tolist(), sizes.groups.tolist(), strict=True)
        for j in range(1, f)
    )
    return (
        sum(math.log(theta + i * alpha) for i in range(1, groups))
        - sum(math.log(theta + i) for i in range(1, sizes.everybody))
        + within
    )


@examples(30)
@given(samples())
def test_no_other_parameters_of_pitman_are_as_likely(sample):
    sizes, population = sample
    answer = dict(pitman(sizes, population).parameters)
    theta, alpha = answer["theta"], answer["alpha"]
    best = log_likelihood(sizes, theta, alpha)
    for step in (1e-3, 0.02, 0.2):
        for change_theta, change_alpha in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            other_theta, other_alpha = theta * (1 + change_theta * step), alpha + change_alpha * step
            if 0 <= other_alpha < 1 and other_theta > -other_alpha:
                # at the edge alpha may be anything below the smallest that is tried
                assert log_likelihood(sizes, other_theta, other_alpha) <= best + 1e-2 * (alpha == 0) + 1e-9


@examples(30)
@given(samples())
def test_zayatz_is_the_sum_of_binomials(sample):
    sizes, population = sample
    sampled = sizes.everybody
    left = sum(
        times * f * math.comb(population - f, sampled - 1)
        for f, times in zip(sizes.people.tolist(), sizes.groups.tolist(), strict=True)
    )
    exactly = Fraction(sizes.of_size(1) ** 2 * population * math.comb(population - 1, sampled - 1), sampled * left)
    assert zayatz(sizes, population).uniques == pytest.approx(float(exactly), rel=1e-11)


@examples(30)
@given(samples())
def test_the_shifted_negative_binomial_gives_the_people_alone_and_the_pairs(sample):
    sizes, population = sample
    answer = shifted_negative_binomial(sizes, population)
    if answer is None or not answer.parameters[1][1]:  # no solution, or its beta is below the smallest float
        return
    (_, alpha), (_, beta) = answer.parameters
    groups, fraction = answer.uniques / beta**alpha, sizes.everybody / population
    x = (1 - beta) * (1 - fraction)
    alone = groups * fraction * (beta / (1 - x)) ** alpha * (1 + alpha * x / (1 - x))
    pairs = (
        groups * alpha * beta**alpha * fraction**2 * (1 - beta) * (2 - (1 - alpha) * x) / (2 * (1 - x) ** (alpha + 2))
    )
    if answer.uniques < population:  # else it was cut off there
        assert alone == pytest.approx(sizes.of_size(1), rel=1e-6)
        assert pairs == pytest.approx(sizes.of_size(2), rel=1e-6)
