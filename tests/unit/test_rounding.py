"""Rounding goes the way it says, for every exact number there is."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.rounding import (
    in_words,
    round_at_a_glance,
    round_cautiously,
    round_down,
    round_up,
    short_amount,
    to_places,
)

exact_numbers = (
    st.fractions() | st.decimals(allow_nan=False, allow_infinity=False) | st.integers() | st.floats(-1e9, 1e9)
)


@given(exact_numbers)
def test_floats_on_both_sides_with_nothing_between(number):
    low, high = round_down(number), round_up(number)
    assert low <= number <= high
    assert high in (low, math.nextafter(low, math.inf))


@given(st.fractions(), st.integers(0, 9))
def test_decimals_on_both_sides_one_unit_apart(number, places):
    low, high = (Fraction(to_places(number, places, up=up)) for up in (False, True))
    assert low <= number <= high
    assert high - low <= Fraction(1, 10**places)


def test_caution_is_up_for_risks_and_down_for_protection():
    third = Fraction(1, 3)
    assert round_cautiously(third, large_is_bad=False) < third < round_cautiously(third, large_is_bad=True)


@pytest.mark.parametrize("huge", [10**400, Fraction(10) ** 400, Decimal("1e400")])
def test_numbers_beyond_all_floats(huge):
    assert (round_down(huge), round_up(huge)) == (math.nextafter(math.inf, 0), math.inf)
    assert (round_down(-huge), round_up(-huge)) == (-math.inf, -math.nextafter(math.inf, 0))


def test_words_are_rounded_towards_caution():
    assert in_words(Fraction(10**6, 3 * 10**6 + 1)) == "0.3334"
    assert in_words(Fraction(10**6, 3 * 10**6 + 1), large_is_bad=False) == "0.3333"


@given(st.fractions(0, 1) | st.floats(0, 1))
def test_as_printed_rounds_up_once_and_prints_the_same_again(risk):
    printed = round_at_a_glance(risk)
    assert round_at_a_glance(printed) == printed
    assert Fraction(repr(risk) if isinstance(risk, float) else risk) <= Fraction(str(printed))
    assert Fraction(str(printed)) - Fraction(risk) <= Fraction(1, 10**4)
    shown = short_amount(printed, large_is_bad=True)
    assert Fraction(shown) == Fraction(str(printed))


@pytest.mark.parametrize("thousandths", [100, 599, 607, 812])
def test_words_leave_a_decimal_that_has_few_places_as_it_is(thousandths):
    assert in_words(thousandths / 1000) == f"0.{thousandths}0"
    assert in_words(thousandths / 1000, large_is_bad=False) == f"0.{thousandths}0"
