"""Prosecutor, journalist and marketer risk of Adult, as ARX 3.9.2 has them."""

from fractions import Fraction

import pyarrow.parquet as pq
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.datasets.tables import ADULT

FOUR = ["age", "marital-status", "race", "sex"]


@pytest.fixture(scope="module")
def complete():
    return pq.read_table(ADULT).drop_null()


@pytest.fixture(scope="module")
def everybody(complete):
    return sl.group(sl.read_table(complete, quasi=FOUR, sensitive="occupation"))


@pytest.fixture(scope="module")
def tenth(complete):
    return sl.group(
        sl.read_table(complete.take(list(range(0, complete.num_rows, 10))), quasi=FOUR, sensitive="occupation")
    )


def test_prosecutor_risk_of_adult(everybody):
    assert sl.ProsecutorRisk("average").measure(everybody).value == Fraction(950, 22611)
    assert Fraction(1, int(everybody.groups.sizes.max())) == Fraction(1, 581)
    above = sl.ProsecutorRisk("share above", threshold=0.09).measure(everybody)
    assert above.value == Fraction(4393, 45222)
    assert mentions(above.explain(), "4,393 of 45,222 people", "0.0972", "11 or fewer", "above 0.09")
    assert sl.MarketerRisk().measure(everybody).value == Fraction(950, 22611)


def test_journalist_risk_of_a_tenth_of_adult_in_adult(tenth, complete):
    average = sl.JournalistRisk(complete, "average").measure(tenth)
    assert float(average.value) == pytest.approx(0.0418747322140, abs=5e-14)
    assert average.replay(tenth) == average.value
    assert sl.JournalistRisk(complete, "share above", 0.09).measure(tenth).value == Fraction(459, 4523)
    assert sl.JournalistRisk(complete).measure(tenth).value == 1


def test_how_many_people_a_marketer_is_right_about(tenth, complete):
    finding = sl.MarketerRisk(complete).measure(tenth)
    assert mentions(finding.explain(), "register", "right", "189.4 of 4,523 people")
    assert finding.replay(tenth) == finding.value
