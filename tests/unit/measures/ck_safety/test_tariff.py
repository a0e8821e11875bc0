"""A number for each value."""

from fractions import Fraction

import pytest

from sidelight.errors import BadMeasure, UnknownValue
from sidelight.measures.ck_safety.tariff import Tariff, rate_as_setting, read_rate


def test_values_are_read_as_cells_say_them():
    tariff = Tariff.read("weights", {5: 0.1, "(missing)": 2, "Flu": "3/4"} | {"Flu": Fraction(3, 4)})
    assert dict(tariff) == {"5": Fraction(1, 10), None: 2, "Flu": Fraction(3, 4)}
    assert tariff.as_setting() == {"5": Fraction(1, 10), "(missing)": 2, "Flu": Fraction(3, 4)}
    assert hash(tariff) == hash(Tariff.read("weights", tariff))


def test_a_missing_value_may_be_a_text_in_the_release():
    tariff = Tariff.read("weights", {None: 2})
    assert tariff.classes(("(missing)", "Flu"), Fraction(1)) == {2: (0,), 1: (1,)}
    tariff.check(("(missing)", "Flu"))


@pytest.mark.parametrize("number", [-1, float("inf"), float("nan"), True, "much"])
def test_what_is_no_weight(number):
    with pytest.raises(BadMeasure, match="weights"):
        read_rate("weights", number)


@pytest.mark.parametrize(
    ("number", "above", "message"),
    [
        (-1, -1, "a number in weights= is -1; give finite ones of at least 0, and at most 1e30"),
        (-0.5, -1, "a number in weights= is -0.5; give finite ones of at least 0, and at most 1e30"),
        (float("-inf"), -1, "a number in weights= is -inf; give finite ones of at least 0, and at most 1e30"),
        (float("inf"), -1, "a number in weights= is inf; give finite ones of at least 0, and at most 1e30"),
        (1e31, -1, "a number in weights= is 1e+31; give finite ones of at least 0, and at most 1e30"),
        (0, 0, "a number in weights= is 0; give finite ones above 0, and at most 1e30"),
        (-1, 0, "a number in weights= is -1; give finite ones above 0, and at most 1e30"),
        ("much", -1, "a number in weights= is a number, not 'much'; give a number"),
    ],
)
def test_what_is_wrong_is_said_in_full(number, above, message):
    for read in (lambda: read_rate("weights", number, above=above), lambda: reading({"Flu": number}, above)):
        with pytest.raises(BadMeasure) as refusal:
            read()
        assert str(refusal.value) == message


def reading(numbers, above):
    return Tariff.read("weights", numbers, above=above)


def test_a_tariff_is_a_mapping():
    tariff = Tariff.read("weights", {"Flu": 2, "Cold": Fraction(1, 2)})
    assert (len(tariff), list(tariff), tariff["Cold"]) == (2, ["Flu", "Cold"], Fraction(1, 2))
    assert (tariff.rate("Flu", Fraction(9)), tariff.rate("Ulcer", Fraction(9))) == (2, 9)
    with pytest.raises(KeyError):
        tariff["Ulcer"]
    assert not Tariff()
    with pytest.raises(
        BadMeasure, match=r'^weights= wants a mapping value → number, such as {"AIDS": 1, "Flu": 0\.1}$'
    ):
        reading("Flu", -1)


def test_classes_are_listed_from_the_largest_number_on():
    tariff = Tariff.read("weights", {"b": 3, "c": 0, "e": 3})
    assert [*tariff.classes(tuple("abcde"), Fraction(1)).items()] == [(3, (1, 4)), (1, (0, 3)), (0, (2,))]


@pytest.mark.parametrize(("number", "kind"), [(Fraction(4, 2), int), (Fraction(1, 2), Fraction)])
def test_a_whole_number_is_written_as_one(number, kind):
    assert rate_as_setting(number) == number
    assert type(rate_as_setting(number)) is kind


def test_nothing_is_for_nothing():
    assert read_rate("weights", 0) == 0
    assert read_rate("weights", 1e30) == read_rate("prices", 10**30, above=0) == 10**30
    with pytest.raises(BadMeasure, match="above 0"):
        read_rate("prices", 0, above=0)
    with pytest.raises(BadMeasure, match="wants a mapping"):
        Tariff.read("prices", [1, 2])


def test_a_slip_of_the_pen_is_refused():
    with pytest.raises(UnknownValue, match=r"^no sensitive value 'AIDs' in the release; did you mean 'AIDS'\?"):
        Tariff.read("weights", {"Flu": 1, "AIDs": 10}).check(("AIDS", "Flu"))
