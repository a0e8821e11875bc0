"""Likeness: near misses of the enhanced kind, whose witness gains too much, and words."""

import math
from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.beta_likeness import too_much


def test_a_kind_that_there_is_not():
    with pytest.raises(BadMeasure, match="basic or enhanced"):
        sl.BetaLikeness(kind="best")


def test_enhanced_likeness_decides_near_misses_exactly():
    """Gains just below and just above −ln p = 0.693…, nearer than floats are trusted."""
    half = Fraction(1, 2)
    log2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009")
    above, below = (log2 + Fraction(1, 10**15) + 1) / 2, (log2 - Fraction(1, 10**15) + 1) / 2
    assert too_much(above, half)
    assert not too_much(below, half)


@pytest.mark.parametrize("digits", range(5, 12))
def test_an_enhanced_near_miss_in_a_release(digits):
    """q/p − 1 and −ln p agree to twice as many places: floats cannot tell which is larger, on either side."""
    log2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009")
    share = ((log2 + 1) / 2).limit_denominator(10**digits)
    n, yes = share.denominator, share.numerator
    release = sl.Release.from_counts([{"a": yes, "b": n - yes}, {"a": n - yes, "b": yes}])
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    too_far = 2 * share - 1 > log2
    assert finding.value == (math.inf if too_far else 2 * share - 1)
    assert finding.replay(release) == finding.value


def test_the_witness_of_an_infinite_likeness_is_a_value_that_gains_too_much():
    """The rare A gains most, fivefold, as it may; B gains little, and more than so frequent a value may."""
    release = sl.Release.from_counts([{"A": 5, "B": 950, "C": 45}, {"A": 5, "B": 5050, "C": 3945}])
    assert sl.BetaLikeness().measure(release).witness.value == "A"
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert (finding.value, finding.witness.value) == (math.inf, "B")
    assert finding.replay(release) == math.inf


def test_words():
    release = sl.Release.from_counts([{"a": 2}, {"b": 1}])
    assert "a gain that no limit allows" in sl.BetaLikeness(kind="enhanced").measure(release).explain()
