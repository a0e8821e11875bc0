"""Individual risk against its definition: the expected 1/F of a negative binomial, term by term in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.definitions import expected_inverse
from support.examples import examples

from sidelight.measures.named_risks.estimates import (
    evaluate_continued_fraction,
    evaluate_division,
    exact_individual_risk,
    individual_risks,
)
from sidelight.streams.key_stream import WEIGHT_UNIT


@examples(40)
@given(st.integers(1, 90), st.fractions(Fraction(1), Fraction(40), max_denominator=1000))
def test_the_expected_inverse(people, each_stands_for):
    weight = int(people * each_stands_for * WEIGHT_UNIT)
    value = exact_individual_risk(people, weight)
    assert float(value) == pytest.approx(expected_inverse(people, weight), rel=1e-9)
    assert individual_risks(np.array([people]), np.array([weight]))[0] == pytest.approx(float(value), rel=1e-13)


@examples(40)
@given(st.integers(1, 10**6), st.fractions(Fraction(1), Fraction(10**4), max_denominator=10**6))
def test_two_ways_give_the_same_float(people, each_stands_for):
    weight = int(people * each_stands_for * WEIGHT_UNIT)
    value = exact_individual_risk(people, weight)
    assert evaluate_continued_fraction(people, weight) == value
    assert 0 < value <= Fraction(1, people)


@examples(60)
@given(st.integers(1, 10**6), st.fractions(Fraction(1001), Fraction(10**12), max_denominator=10**6))
def test_large_weights_are_divided_to_the_same_float(people, each_stands_for):
    weight = int(people * each_stands_for * WEIGHT_UNIT) + 1
    assert evaluate_division(people, weight) == exact_individual_risk(people, weight)


@pytest.mark.parametrize("people", [1, 2, 3, 40, 64, 65, 1000])
def test_a_continued_fraction_meets_a_division(people):
    weight = 1001 * people * WEIGHT_UNIT
    assert evaluate_division(people, weight + 1) == evaluate_continued_fraction(people, weight + 1)
    assert evaluate_division(people, weight) == evaluate_continued_fraction(people, weight)
