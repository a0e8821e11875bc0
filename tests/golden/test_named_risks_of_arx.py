"""Prosecutor and journalist risk, presence and absence of ARX's own files, as ARX 3.9.2 has them."""

from fractions import Fraction

import pytest
from support.arx_adult import COLUMNS, arx_adult, arx_subset

import sidelight as sl

FOUR = ["sex", "age", "race", "marital-status"]
FIVE = ["sex", "age", "race", "education", "occupation"]


@pytest.fixture(scope="module")
def adult():
    return arx_adult()


@pytest.fixture(scope="module")
def subset():
    return arx_subset()


def grouped(people, quasi):
    return sl.group(sl.read_table(people, quasi=quasi, sensitive="salary-class"))


def test_prosecutor_risk_by_four_columns(adult):
    release = grouped(adult, FOUR)
    average = sl.ProsecutorRisk("average").measure(release)
    assert (average.value, average.witness.lowest) == (Fraction(845, 15081), Fraction(1, 403))
    assert sl.ProsecutorRisk("share above", 0.09).measure(release).value == Fraction(3877, 30162)
    assert sl.ProsecutorRisk("share above", 0.2).measure(release).value == Fraction(304, 5027)


def test_prosecutor_risk_by_all_columns_but_the_salary(adult):
    release = grouped(adult, list(COLUMNS))
    average = sl.ProsecutorRisk("average").measure(release)
    assert (average.value, average.witness.lowest) == (Fraction(18109, 30162), Fraction(1, 45))
    assert sl.ProsecutorRisk("share above", 0.09).measure(release).value == Fraction(4471, 5027)


def test_journalist_risk_of_the_subset_by_four_columns(adult, subset):
    release = grouped(subset, FOUR)
    highest = sl.JournalistRisk(adult).measure(release)
    assert (highest.value, highest.witness.lowest) == (1, Fraction(1, 403))
    average = sl.JournalistRisk(adult, "average").measure(release)
    assert float(average.value) == pytest.approx(0.0583967261268, abs=5e-14)
    assert sl.JournalistRisk(adult, "share above", 0.09).measure(release).value == Fraction(187, 1508)


def test_journalist_risk_of_the_subset_by_five_columns(adult, subset):
    release = grouped(subset, FIVE)
    average = sl.JournalistRisk(adult, "average").measure(release)
    assert float(average.value) == pytest.approx(0.312602795916, abs=5e-13)
    assert sl.JournalistRisk(adult, "share above", 0.09).measure(release).value == Fraction(149, 232)


@pytest.mark.parametrize(
    ("quasi", "presence", "absence", "k_map"),
    [
        (["sex", "race"], Fraction(71, 601), Fraction(27, 29), 87),
        (["sex", "marital-status"], Fraction(1, 6), Fraction(1), 12),
    ],
)
def test_presence_absence_and_k_map_of_the_subset(adult, subset, quasi, presence, absence, k_map):
    release = grouped(subset, quasi)
    assert sl.Presence(adult).measure(release).value == presence
    assert sl.Absence(adult).measure(release).value == absence
    assert sl.JournalistRisk(adult).measure(release).value == Fraction(1, k_map)
    assert sl.presets.k_map(k_map, adult).policy.judge(release).safe
    assert not sl.presets.k_map(k_map + 1, adult).policy.judge(release).safe


def test_how_many_people_are_truly_unique(adult):
    """What estimates from the subset are compared with: 543 by four columns, 5,255 by five."""
    assert [int((grouped(adult, quasi).groups.sizes == 1).sum()) for quasi in (FOUR, FIVE)] == [543, 5255]
