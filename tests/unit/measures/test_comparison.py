"""The four comparisons: what each decides, and the signs and words of each."""

import pickle
from fractions import Fraction

import pytest

from sidelight.measures.comparison import Comparison


def test_comparisons():
    assert [each.holds(Fraction(1), 1) for each in Comparison] == [True, False, True, False]
    assert [each.holds(Fraction(2), 1) for each in Comparison] == [True, True, False, False]
    assert [each.holds(Fraction(0), 1) for each in Comparison] == [False, False, True, True]
    assert [each.sign for each in Comparison] == ["≥", ">", "≤", "<"]
    assert [each.sign for each in Comparison if each.from_above] == ["≤", "<"]
    assert [each.sign for each in Comparison if each.strict] == [">", "<"]


def test_signs_of_paper_and_keyboard_mean_the_same_comparison():
    assert [each.typed_sign for each in Comparison] == [">=", ">", "<=", "<"]
    for each in Comparison:
        assert Comparison.from_sign(each.sign) is Comparison.from_sign(each.typed_sign) is each
    assert Comparison.from_sign("=") is None


@pytest.mark.parametrize("comparison", Comparison)
def test_negation_holds_exactly_where_the_comparison_does_not(comparison):
    for value in (0, 1, 2):
        assert comparison.negation.holds(value, 1) is not comparison.holds(value, 1)


def test_comparisons_for_a_measure_keep_it_from_its_bad_side():
    assert Comparison.for_measure(large_is_bad=True) == (Comparison.AT_MOST, Comparison.BELOW)
    assert Comparison.for_measure(large_is_bad=False) == (Comparison.AT_LEAST, Comparison.ABOVE)


@pytest.mark.parametrize("comparison", Comparison)
def test_a_comparison_is_found_by_its_name_and_survives_pickling(comparison):
    assert Comparison(comparison.value) is pickle.loads(pickle.dumps(comparison)) is comparison
