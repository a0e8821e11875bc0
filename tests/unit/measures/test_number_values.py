"""Numbers that values stand for."""

from fractions import Fraction

import pytest

from sidelight.errors import BadMeasure
from sidelight.measures.number_values import NumberValues, finite, numbers_of


def test_texts_are_exact_numbers():
    assert numbers_of(("0.1", " 1e3 ", "-2"), None) == (Fraction(1, 10), 1000, -2)


def test_what_somebody_says_goes_before_the_text():
    known = NumberValues({"7": 8, "many": 0.5, None: 3})
    assert numbers_of(("7", "many", None), known) == (8, Fraction(1, 2), 3)
    assert known.as_written() == {"7": 8, "many": Fraction(1, 2), "(missing)": 3}
    assert hash(known) == hash(NumberValues({None: 3, "many": 0.5, "7": 8}))


def test_a_missing_one_is_refused_unless_it_stands_for_something():
    assert numbers_of((None, "1"), None, missing=Fraction(0)) == (0, 1)
    with pytest.raises(BadMeasure, match="leave out who has it"):
        numbers_of((None,), None)


@pytest.mark.parametrize("text", ["20-29", "1_000", "nan", "inf", ""])
def test_what_is_no_number(text):
    with pytest.raises(BadMeasure, match="is no number"):
        numbers_of((text,), None)


def test_what_is_too_large_or_too_near_to_0():
    with pytest.raises(BadMeasure, match="between 1e-30 and 1e30"):
        numbers_of(("1e31",), None)
    with pytest.raises(BadMeasure, match="between 1e-30 and 1e30"):
        finite(1e-31, "within")
