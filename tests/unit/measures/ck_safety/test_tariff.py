"""A number for each value."""

from fractions import Fraction

import pytest

from sidelight.errors import BadMeasure, UnknownValue
from sidelight.measures.ck_safety.tariff import Tariff, read_rate


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


def test_nothing_is_for_nothing():
    assert read_rate("weights", 0) == 0
    with pytest.raises(BadMeasure, match="above 0"):
        read_rate("prices", 0, above=0)
    with pytest.raises(BadMeasure, match="wants a mapping"):
        Tariff.read("prices", [1, 2])


def test_a_slip_of_the_pen_is_refused():
    with pytest.raises(UnknownValue, match="did you mean 'AIDS'"):
        Tariff.read("weights", {"AIDs": 10}).check(("AIDS", "Flu"))
