import math
from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadNoise
from sidelight.noise.accountant import distinguish_amounts
from sidelight.noise.mechanism import (
    PrivacyUnit,
    Sensitivity,
    amount_text,
    exact_amount,
    exact_delta,
    exact_epsilon,
    units_changed,
)
from sidelight.rounding import round_down, round_up


@pytest.mark.parametrize("epsilon", [0, -1, "0", math.inf, math.nan, "much", "1/0"])
def test_an_epsilon_is_a_number_above_0(epsilon):
    with pytest.raises(BadNoise, match=r"epsilon is"):
        exact_epsilon(epsilon)


@pytest.mark.parametrize("delta", [-0.1, 1, 1.5, math.nan])
def test_a_delta_is_at_least_0_and_below_1(delta):
    with pytest.raises(BadNoise, match=r"delta is"):
        exact_delta(delta)


def test_unknown_neighbours_are_refused():
    with pytest.raises(BadNoise, match='choose "add or remove" or "replace"'):
        units_changed("next door")


@pytest.mark.parametrize("text", ["0.1", "1e-9", "3", "1/3", "123456789.125", "2.2250738585072014e-308"])
def test_amounts_are_read_back_exactly(text):
    amount = exact_amount(text, "epsilon")
    assert exact_amount(amount_text(amount), "epsilon") == amount
    assert Fraction(round_down(amount)) <= amount <= Fraction(round_up(amount))


def test_an_amount_is_what_is_written_and_not_the_float_next_to_it():
    assert exact_amount(0.1, "epsilon") == Fraction(1, 10) != Fraction(0.1)


def test_a_bound_is_shown_in_four_digits():
    assert amount_text(math.pi) == "3.142"


def test_a_promise_says_to_whom_it_is_made():
    assert PrivacyUnit("id", "set", 2).sentence() == "to each person, by 'id', of whom at most 2 values were counted"
    assert (
        PrivacyUnit("each row", "set", 2).sentence().startswith("to each row, of whom at most 2 values were counted;")
    )
    assert "person" not in PrivacyUnit("each row").sentence().partition(";")[0]


TOO_FAR = ["1e-400", "1e400", "1e999999999", "1e-999999999", 10**400, Fraction(1, 10**400), Fraction(10**400), 5e-324]


@pytest.mark.parametrize("epsilon", TOO_FAR, ids=lambda each: str(each)[:12])
def test_an_epsilon_that_no_float_holds_is_refused(epsilon):
    with pytest.raises(BadNoise, match="nothing or everything") as refused:
        exact_epsilon(epsilon)
    assert len(str(refused.value)) < 130


@pytest.mark.parametrize("delta", TOO_FAR, ids=lambda each: str(each)[:12])
def test_a_delta_that_no_float_holds_is_refused(delta):
    with pytest.raises(BadNoise, match="delta is") as refused:
        exact_delta(delta)
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize("amount", [10**5000, "9" * 5000, "0x10", "1e", "", True, None, [1]], ids=range(8))
def test_what_is_no_amount_is_refused_in_one_short_line(amount):
    with pytest.raises(BadNoise, match=r"^epsilon is .*give a number such as 1 or 0.5$") as refused:
        exact_amount(amount, "epsilon")
    assert len(str(refused.value)) < 130


def test_amounts_that_differ_are_told_apart():
    assert distinguish_amounts([Fraction(1), 1.0000001, 0.5]) == ["1", "1.0000001", "0.5"]
    assert distinguish_amounts([Fraction(1), math.nextafter(1, 2)]) == ["1", "1.0000000000000002"]
    assert distinguish_amounts([Fraction(1), 1.0]) == ["1", "1"]


def test_a_cap_on_rows_is_for_events_of_people():
    rows = pa.table({"id": [1, 1, 2], "ward": ["A", "B", "A"], "disease": ["Flu"] * 3})
    options = {"quasi": "ward", "sensitive": "disease"}
    events = sl.read_events(rows, person="id", **options)
    unit = PrivacyUnit.of(events, rows_per_person=2)
    assert (unit.at_most, unit.once, unit.sensitivity("replace")) == (2, False, Sensitivity(4, 8))
    assert PrivacyUnit.of(events, rows_per_person=1).once
    refused = [
        ({"rows_per_person": None}, events, "1 person has more than one row"),
        ({"rows_per_person": 0}, events, "give a whole number of at least 1"),
        ({"rows_per_person": True}, events, "give a whole number of at least 1"),
        ({"rows_per_person": 2, "values_per_person": 2}, events, "people have one value here"),
        ({"rows_per_person": 2}, sl.read_events(rows, person="each row", **options), "needs to know whose a row is"),
        (
            {"rows_per_person": 2},
            sl.read_events(rows, person="id", values="set", **options),
            "counts rows, and values=",
        ),
        ({"rows_per_person": 2}, sl.read_table(rows.slice(1), person="id", **options), "read them with sl.read_events"),
    ]
    for caps, counted, says in refused:
        with pytest.raises(BadNoise, match=says):
            PrivacyUnit.of(counted, **caps)


def test_a_set_of_events_may_be_in_several_groups():
    """So the number of values bounds nothing: a person may have each of them in each group."""
    rows = pa.table({"id": [1, 1], "ward": ["A", "B"], "disease": ["Flu", "Flu"]})
    events = sl.read_events(rows, quasi="ward", sensitive="disease", person="id", values="set")
    assert PrivacyUnit.of(events, values_per_person=2, values=1).at_most == 2
