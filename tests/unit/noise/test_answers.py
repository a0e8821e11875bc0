"""Answers from noisy counts and their margins."""

import math

import numpy as np
import pytest

from sidelight.errors import BadNoise
from sidelight.noise.estimates import NoisePart, NoisyAnswer, margin_of
from sidelight.noise.mechanism import Mechanism

LAPLACE = Mechanism("discrete Laplace", 1.0)
GAUSSIAN = Mechanism("discrete Gaussian", 4.53)


@pytest.mark.parametrize("mechanism", [LAPLACE, Mechanism("discrete Laplace", 20.0)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99999])
def test_the_margin_of_one_count_is_that_of_its_noise(mechanism, confidence):
    assert margin_of([NoisePart(mechanism, 1)], confidence) == mechanism.margin(confidence)


def test_margins_of_large_sums_are_those_of_a_normal_distribution():
    for mechanism in (LAPLACE, GAUSSIAN):
        part = NoisePart(mechanism, 14_000)
        assert margin_of([part], 0.95) == pytest.approx(1.96 * math.sqrt(part.variance), rel=0.005)


def test_an_answer_reads_as_a_number_with_its_margin():
    answer = NoisyAnswer(-1234.4, "people", (NoisePart(LAPLACE, 1),))
    assert str(answer) == "-1,234 ± 3"
    assert int(answer) == -1234
    assert float(answer) == -1234.4
    assert repr(NoisyAnswer(5, "values", ())) == "<NoisyAnswer 5 ± 0 values>"


def test_what_cannot_be_transformed_is_bounded():
    wide = NoisePart(Mechanism("discrete Laplace", 1e6), 10**6)
    assert 1.96 * math.sqrt(wide.variance) < margin_of([wide], 0.95) < 3 * math.sqrt(wide.variance)
    assert margin_of([wide, NoisePart(LAPLACE, 1)], 0.95) >= margin_of([wide], 0.95)
    # beyond what floats can add up
    assert margin_of([NoisePart(LAPLACE, 3)], 1 - 1e-14) > margin_of([NoisePart(LAPLACE, 3)], 1 - 1e-9)


def test_noise_that_does_not_count_has_no_margin():
    assert margin_of([NoisePart(LAPLACE, 0), NoisePart(GAUSSIAN, 5, 0.0)], 0.95) == 0
    # so little noise that hardly any count is touched
    assert margin_of([NoisePart(Mechanism("discrete Laplace", 0.01), 100)], 0.95) == 0


@pytest.mark.parametrize("confidence", [0, 1, -1, float("nan")])
def test_a_confidence_is_a_share(confidence):
    with pytest.raises(BadNoise, match="confidence"):
        margin_of([NoisePart(LAPLACE, 1)], confidence)


def test_several_noises_are_rounded_by_little():
    parts = [NoisePart(LAPLACE, 14_000, 0.01), NoisePart(Mechanism("discrete Laplace", 3.3), 1, -0.9)]
    drawn = np.random.default_rng(5)
    geometric = drawn.geometric(-np.expm1(-1 / 3.3), (2, 200_000))
    error = 0.01 * drawn.normal(0, math.sqrt(14_000 * LAPLACE.variance()), 200_000) - 0.9 * (
        geometric[0] - geometric[1]
    )
    assert margin_of(parts, 0.95) == pytest.approx(np.quantile(np.abs(error), 0.95), rel=0.02)
