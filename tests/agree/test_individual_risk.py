"""Individual risk against its definition: the expected 1/F of a negative binomial, term by term in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.measures.named_risks.individual_risk import (
    by_continued_fraction,
    exact_individual_risk,
    individual_risks,
)
from sidelight.table.carried import WEIGHT_UNIT


def by_definition(people, weight):
    """Σ_j P(F = j | f) / j, j ≥ f, P(F = j) = C(j−1, f−1) p^f (1−p)^{j−f}; what is left out is below 1e-15."""
    sampled = Fraction(people * WEIGHT_UNIT, weight)
    chance, total, rest, size = float(sampled**people), 0.0, 1.0, people
    while rest > 1e-15 and size < people + 100_000:
        total += chance / size
        rest -= chance
        chance *= float(1 - sampled) * size / (size - people + 1)
        size += 1
    return total


@examples(40)
@given(st.integers(1, 90), st.fractions(Fraction(1), Fraction(40), max_denominator=1000))
def test_the_expected_inverse(people, each_stands_for):
    weight = int(people * each_stands_for * WEIGHT_UNIT)
    value = exact_individual_risk(people, weight)
    assert float(value) == pytest.approx(by_definition(people, weight), rel=1e-9)
    assert individual_risks(np.array([people]), np.array([weight]))[0] == pytest.approx(float(value), rel=1e-13)


@examples(40)
@given(st.integers(1, 10**6), st.fractions(Fraction(1), Fraction(10**4), max_denominator=10**6))
def test_two_ways_give_the_same_float(people, each_stands_for):
    weight = int(people * each_stands_for * WEIGHT_UNIT)
    value = exact_individual_risk(people, weight)
    assert by_continued_fraction(people, weight) == value
    assert 0 < value <= Fraction(1, people)
