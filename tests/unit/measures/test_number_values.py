"""Numbers that values stand for.

A number for each value.
"""

from fractions import Fraction

import pytest
from support.words import mentions

from sidelight.errors import BadMeasure, UnknownValue, WrongKind
from sidelight.measures.targets import (
    NumberByValue,
    finite,
    has_sensible_size,
    look_up_numbers,
    read_numbers,
    read_rate,
    read_rates,
    seeming_thousands,
    whole_if_possible,
)


def test_texts_are_exact_numbers():
    assert look_up_numbers(("0.1", " 1e3 ", "-2"), None) == (Fraction(1, 10), 1000, -2)


def test_what_somebody_says_goes_before_the_text():
    known = read_numbers({"7": 8, "many": 0.5, None: 3})
    assert look_up_numbers(("7", "many", None), known) == (8, Fraction(1, 2), 3)
    assert known.as_written() == {"7": 8, "many": Fraction(1, 2), "(missing)": 3}
    assert hash(known) == hash(read_numbers({None: 3, "many": 0.5, "7": 8}))


def test_a_missing_one_is_refused_unless_it_stands_for_something():
    assert look_up_numbers((None, "(missing)", "1"), None, missing=Fraction(5)) == (5, 5, 1)
    assert look_up_numbers((None, "1"), read_numbers({None: 3}), missing=Fraction(5)) == (3, 1)
    for text in (None, "(missing)"):
        with pytest.raises(BadMeasure) as refused:
            look_up_numbers((text,), read_numbers({"many": 1}))
        assert mentions(refused.value, "'(missing)'", "no number", "numbers=", "leave out")


@pytest.mark.parametrize("text", ["20-29", "1_000", "nan", "inf", ""])
def test_what_is_no_number(text):
    with pytest.raises(BadMeasure) as refused:
        look_up_numbers((text,), None, missing=Fraction(5))
    assert mentions(refused.value, f"'{text}'", "no number", "numbers=")


@pytest.mark.parametrize("text", ["1e31", "-1e31", "1e-31", "1000000000000000000000000000000.1"])
def test_texts_that_are_too_large_or_too_near_to_0(text):
    with pytest.raises(BadMeasure) as refused:
        look_up_numbers((text,), None)
    assert mentions(refused.value, f"'{text}'", "not between 1e-30 and 1e30", "numbers=")


@pytest.mark.parametrize("number", [1e-31, -1e-31, 1e31, float("inf"), 10**30 + 1])
def test_numbers_that_are_too_large_or_too_near_to_0(number):
    with pytest.raises(BadMeasure, match=r"\b0 or .* between 1e-30 and 1e30\b"):
        finite(number, "within")
    assert not has_sensible_size(number)


def test_0_and_the_largest_and_the_smallest_are_numbers():
    ends = (10**30, -(10**30), Fraction(1, 10**30), Fraction(-1, 10**30))
    assert all(has_sensible_size(number) for number in ends)
    assert tuple(finite(number, "within") for number in ends) == ends
    assert look_up_numbers(("1e30", "-1e30", "1e-30", "-1e-30", "0", "-0.0"), None) == (*ends, 0, 0)
    assert type(finite(0, "within")) is type(finite(2.0, "within")) is int
    assert type(finite(0.5, "within")) is Fraction


@pytest.mark.parametrize(
    ("numbers", "error", "words"),
    [
        ({"a": "x"}, BadMeasure, ("'a'", "a number, not 'x'")),
        (
            {"a": 10**31},
            BadMeasure,
            ("'a'", 10**31, "0 or", "between 1e-30 and 1e30"),
        ),
        ([1], WrongKind, ("numbers=", "a mapping", '{"low": 0, "high": 40}', "not a list")),
    ],
)
def test_what_no_value_can_stand_for(numbers, error, words):
    with pytest.raises(error) as refused:
        read_numbers(numbers)
    assert mentions(refused.value, *words)


def test_values_are_labels_in_order_and_stand_for_fractions():
    values = read_numbers({"b": 2, 5: 1, None: 0.5})
    assert list(values.items()) == [("5", 1), ("b", 2), (None, Fraction(1, 2))]
    assert all(type(number) is Fraction for number in values.values())
    assert hash(values) != hash(read_numbers({"b": 2, 5: 1, None: 0.25}))


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


def test_values_are_read_as_cells_say_them():
    tariff = read_rates("weights", {5: 0.1, "(missing)": 2, "Flu": "3/4"} | {"Flu": Fraction(3, 4)})
    assert dict(tariff) == {"5": Fraction(1, 10), None: 2, "Flu": Fraction(3, 4)}
    assert tariff.as_written() == {"5": Fraction(1, 10), "(missing)": 2, "Flu": Fraction(3, 4)}
    assert hash(tariff) == hash(read_rates("weights", tariff))


def test_a_missing_value_may_be_a_text_in_the_release():
    tariff = read_rates("weights", {None: 2})
    assert tariff.classes(("(missing)", "Flu"), Fraction(1)) == {2: (0,), 1: (1,)}
    tariff.check(("(missing)", "Flu"))


@pytest.mark.parametrize("number", [-1, float("inf"), float("nan"), True, "much"])
def test_what_is_no_weight(number):
    with pytest.raises(BadMeasure, match="weights"):
        read_rate("weights", number)


@pytest.mark.parametrize(
    ("number", "above", "message"),
    [
        (-1, -1, ("weights=", "-1", "finite", "at least 0", "at most 1e30")),
        (-0.5, -1, ("weights=", "-0.5", "finite", "at least 0", "at most 1e30")),
        (float("-inf"), -1, ("weights=", "-inf", "finite", "at least 0", "at most 1e30")),
        (float("inf"), -1, ("weights=", "inf", "finite", "at least 0", "at most 1e30")),
        (1e31, -1, ("weights=", "1e+31", "finite", "at least 0", "at most 1e30")),
        (0, 0, ("weights=", "0", "finite", "above 0", "at most 1e30")),
        (-1, 0, ("weights=", "-1", "finite", "above 0", "at most 1e30")),
        ("much", -1, ("weights=", "a number, not 'much'")),
    ],
)
def test_what_is_wrong_is_said_in_full(number, above, message):
    for read in (lambda: read_rate("weights", number, above=above), lambda: reading({"Flu": number}, above)):
        with pytest.raises(BadMeasure) as refusal:
            read()
        assert mentions(refusal.value, *message)


def reading(numbers, above):
    return read_rates("weights", numbers, above=above)


def test_a_tariff_is_a_mapping():
    tariff = read_rates("weights", {"Flu": 2, "Cold": Fraction(1, 2)})
    assert (len(tariff), list(tariff), tariff["Cold"]) == (2, ["Flu", "Cold"], Fraction(1, 2))
    assert (tariff.rate("Flu", Fraction(9)), tariff.rate("Ulcer", Fraction(9))) == (2, 9)
    with pytest.raises(KeyError):
        tariff["Ulcer"]
    assert not NumberByValue()
    with pytest.raises(BadMeasure, match=r'^weights= .*mapping.* {"AIDS": 1, "Flu": 0\.1}$'):
        reading("Flu", -1)


def test_classes_are_listed_from_the_largest_number_on():
    tariff = read_rates("weights", {"b": 3, "c": 0, "e": 3})
    assert [*tariff.classes(tuple("abcde"), Fraction(1)).items()] == [(3, (1, 4)), (1, (0, 3)), (0, (2,))]


@pytest.mark.parametrize(("number", "kind"), [(Fraction(4, 2), int), (Fraction(1, 2), Fraction)])
def test_a_whole_number_is_written_as_one(number, kind):
    assert whole_if_possible(number) == number
    assert type(whole_if_possible(number)) is kind


def test_nothing_is_for_nothing():
    assert read_rate("weights", 0) == 0
    assert read_rate("weights", 1e30) == read_rate("prices", 10**30, above=0) == 10**30
    with pytest.raises(BadMeasure, match="above 0"):
        read_rate("prices", 0, above=0)
    with pytest.raises(BadMeasure, match="wants a mapping"):
        read_rates("prices", [1, 2])


def test_a_slip_of_the_pen_is_refused():
    with pytest.raises(UnknownValue, match=r"'AIDs' in the release; .*'AIDS'"):
        read_rates("weights", {"Flu": 1, "AIDs": 10}).check(("AIDS", "Flu"))
