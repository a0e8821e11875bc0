"""Numbers that values stand for."""

from fractions import Fraction

import pytest

from sidelight.errors import BadMeasure, WrongKind
from sidelight.measures.number_values import NumberValues, finite, has_sensible_size, numbers_of, seeming_thousands


def test_texts_are_exact_numbers():
    assert numbers_of(("0.1", " 1e3 ", "-2"), None) == (Fraction(1, 10), 1000, -2)


def test_what_somebody_says_goes_before_the_text():
    known = NumberValues({"7": 8, "many": 0.5, None: 3})
    assert numbers_of(("7", "many", None), known) == (8, Fraction(1, 2), 3)
    assert known.as_written() == {"7": 8, "many": Fraction(1, 2), "(missing)": 3}
    assert hash(known) == hash(NumberValues({None: 3, "many": 0.5, "7": 8}))


def test_a_missing_one_is_refused_unless_it_stands_for_something():
    assert numbers_of((None, "(missing)", "1"), None, missing=Fraction(5)) == (5, 5, 1)
    assert numbers_of((None, "1"), NumberValues({None: 3}), missing=Fraction(5)) == (3, 1)
    for text in (None, "(missing)"):
        with pytest.raises(BadMeasure) as refused:
            numbers_of((text,), NumberValues({"many": 1}))
        assert str(refused.value) == (
            "'(missing)' is no number; say what it stands for in numbers= or leave out who has it"
        )


@pytest.mark.parametrize("text", ["20-29", "1_000", "nan", "inf", ""])
def test_what_is_no_number(text):
    with pytest.raises(BadMeasure) as refused:
        numbers_of((text,), None, missing=Fraction(5))
    assert str(refused.value) == f"'{text}' is no number; say what it stands for in numbers="


@pytest.mark.parametrize("text", ["1e31", "-1e31", "1e-31", "1000000000000000000000000000000.1"])
def test_texts_that_are_too_large_or_too_near_to_0(text):
    with pytest.raises(BadMeasure) as refused:
        numbers_of((text,), None)
    assert str(refused.value) == f"'{text}' is not between 1e-30 and 1e30 in size; say what it stands for in numbers="


@pytest.mark.parametrize("number", [1e-31, -1e-31, 1e31, float("inf"), 10**30 + 1])
def test_numbers_that_are_too_large_or_too_near_to_0(number):
    with pytest.raises(BadMeasure, match=r"; give 0 or a number between 1e-30 and 1e30 in size$"):
        finite(number, "within")
    assert not has_sensible_size(number)


def test_0_and_the_largest_and_the_smallest_are_numbers():
    ends = (10**30, -(10**30), Fraction(1, 10**30), Fraction(-1, 10**30))
    assert all(has_sensible_size(number) for number in ends)
    assert tuple(finite(number, "within") for number in ends) == ends
    assert numbers_of(("1e30", "-1e30", "1e-30", "-1e-30", "0", "-0.0"), None) == (*ends, 0, 0)
    assert type(finite(0, "within")) is type(finite(2.0, "within")) is int
    assert type(finite(0.5, "within")) is Fraction


@pytest.mark.parametrize(
    ("numbers", "error", "words"),
    [
        ({"a": "x"}, BadMeasure, "the number of 'a' is a number, not 'x'; give a number"),
        (
            {"a": 10**31},
            BadMeasure,
            f"the number of 'a' is {10**31}; give 0 or a number between 1e-30 and 1e30 in size",
        ),
        ([1], WrongKind, 'numbers= should be a mapping such as {"low": 0, "high": 40}, not a list'),
    ],
)
def test_what_no_value_can_stand_for(numbers, error, words):
    with pytest.raises(error) as refused:
        NumberValues(numbers)
    assert str(refused.value) == words


def test_values_are_labels_in_order_and_stand_for_fractions():
    values = NumberValues({"b": 2, 5: 1, None: 0.5})
    assert list(values.items()) == [("5", 1), ("b", 2), (None, Fraction(1, 2))]
    assert all(type(number) is Fraction for number in values.values())
    assert hash(values) != hash(NumberValues({"b": 2, 5: 1, None: 0.25}))


@pytest.mark.parametrize(
    ("domain", "doubtful"),
    [
        (("999", "12.500", "1.000"), "12.500"),
        (("100", None, "1.234"), "1.234"),
        (("1.234", "2.500"), None),
        (("99", "1.234"), None),
        (("100", "1.23"), None),
        (("100", "0.234"), None),
        (("100", "1234.567"), None),
        (("1000", "1.234"), None),
        (("1e2", "1.234"), None),
        (("١٢٣", "1.234"), None),
        (("100", "200"), None),
        ((None,), None),
    ],
)
def test_points_that_seem_to_separate_thousands(domain, doubtful):
    assert seeming_thousands(domain) == doubtful
