"""How few values a group has: rational diversities exactly, irrational ones rounded down, and words."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure


def effective_number(counts):
    """The entropy diversity of one group with these counts."""
    return sl.EntropyDiversity().measure(sl.Release.from_counts([dict(enumerate(counts))])).value


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sl.RecursiveDiversity(l=0), "at least 1"),
        (lambda: sl.RecursiveDiversity(l=2.5), "whole"),
        (lambda: sl.RecursiveDiversity(l=True), "whole"),
    ],
)
def test_settings_that_make_no_sense_name_the_remedy(make, says):
    with pytest.raises(BadMeasure, match=says):
        make()


@pytest.mark.parametrize(
    ("counts", "number"),
    [
        ([5], Fraction(1)),
        ([3, 3, 3], Fraction(3)),
        ([10**8, 10**8, 10**8], Fraction(3)),
        ([999_999_937] * 3, Fraction(3)),
        ([4, 1, 1, 1, 1], Fraction(4)),
        ([4 * 10**7, *[10**7] * 4], Fraction(4)),
    ],
)
def test_rational_diversities_are_exact(counts, number):
    assert effective_number(counts) == number
    assert isinstance(effective_number(counts), Fraction)


def test_irrational_diversities_are_rounded_down_and_quick():
    near_equal = [999_999_937, 999_999_893, 999_999_883]  # primes
    number_of_values = effective_number(near_equal)
    assert isinstance(number_of_values, float)
    assert 3 - 1e-14 < number_of_values < 3
    assert isinstance(effective_number([2, 1, 1]), float)  # 2√2


@pytest.mark.parametrize(
    ("measure", "counts", "words"),
    [
        (sl.DistinctValues(), [{"a": 1, "b": 1}], "The people in group 1 have 2 different values; no group has fewer."),
        (sl.EntropyDiversity(), [{"a": 2, "b": 1}], "as diverse as 1.8898 equally frequent ones"),
        (sl.RecursiveDiversity(l=2), [{"a": 2}], "In group 1 there are fewer than 2 different values"),
        (sl.RecursiveDiversity(l=22), [{"a": 2}], "fewer than 22 different values"),
    ],
)
def test_words(measure, counts, words):
    assert words in measure.measure(sl.Release.from_counts(counts)).explain()
