"""What documents are made of: exact numbers, rounding towards caution, and plain data."""

import math
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.documents.document import number, plain
from sidelight.measures.finding import Witness
from sidelight.release.groups import GroupName
from sidelight.rounding import round_down, round_up


@given(st.fractions(min_value=0, max_value=10**6))
def test_numbers_are_rounded_towards_caution(value):
    risk, size = number(value, large_is_bad=True), number(value, large_is_bad=False)
    assert Fraction(risk.exact) == value == Fraction(size.exact)
    assert Fraction(size.number) <= value <= Fraction(risk.number)
    # what is printed is on the cautious side too, at most one float further than needed
    assert Fraction(repr(size.number)) <= value <= Fraction(repr(risk.number))
    assert math.nextafter(size.number, math.inf) in (round_down(value), math.nextafter(round_down(value), math.inf))
    assert math.nextafter(risk.number, -math.inf) in (round_up(value), math.nextafter(round_up(value), -math.inf))
    shown_values = [Fraction(each.text.replace(",", "")) for each in (size, risk)]
    assert shown_values[0] <= value <= shown_values[1]
    assert shown_values[1] - shown_values[0] <= Fraction(1, 10**4)


@given(st.floats(min_value=0, max_value=1e6))
def test_irrational_numbers_say_so(value):
    written = number(value, large_is_bad=True)
    assert written.rounded
    assert (float(written.exact), written.number) == (value, value)


@dataclass(frozen=True)
class Fact:
    who: str
    odds: Fraction

    def __str__(self):
        return f"{self.who} = Flu"


@dataclass(frozen=True)
class Told:
    facts: tuple
    odds: Fraction


@dataclass(frozen=True, slots=True)
class Knows(Witness):
    told: Told = Told((), Fraction(1))
    most: float = math.inf


def test_any_witness_becomes_plain_data():
    witness = Knows(GroupName(3), "Flu", Told((Fact("somebody", Fraction(1, 2)),), Fraction(2, 3)))
    assert plain(witness) == {
        "group": {"number": 3, "says": {}},
        "value": "Flu",
        "told": {"facts": ["somebody = Flu"], "odds": "2/3"},
        "most": "inf",
    }
    assert plain({None: {2, 1}, 3: Fraction(3)}) == {"(missing)": [1, 2], "3": "3"}


@pytest.mark.parametrize("thing", [None, True, "text", 3, 0.5])
def test_plain_data_stays(thing):
    assert plain(thing) == thing
