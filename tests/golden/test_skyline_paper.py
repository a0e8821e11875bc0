"""Chen, LeFevre and Ramakrishnan, Privacy Skyline, VLDB 2007, section 7.3: the case study on the Adult table."""

from fractions import Fraction

import pytest

import sidelight as sl

SEVEN_POINTS = {(0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4)}  # as printed
VALUE, CONFIDENCE = "Exec-managerial", Fraction(19, 20)
DIVERSE = sl.Policy(sl.Acquaintance(rules_out=4) < Fraction(3, 4))  # (c=3, l=6)-diversity


@pytest.fixture(scope="module", params=["numbers and hierarchies", "no hierarchies"])
def diverse_release(request):
    adult = sl.datasets.adult()
    by = adult.hierarchies if request.param == "numbers and hierarchies" else None
    return sl.protect(adult.table, DIVERSE, method="mondrian", by=by).release


def test_the_case_study_has_the_seven_points_of_the_paper(diverse_release):
    assert {*sl.knowledge_skyline(diverse_release, value=VALUE, below=CONFIDENCE)} == SEVEN_POINTS


def test_its_release_is_diverse_in_the_sense_of_either_paper(diverse_release):
    assert int(diverse_release.groups.sizes.sum()) == 45_222
    diversity = sl.RecursiveDiversity(l=6).measure(diverse_release)
    risk = sl.Acquaintance(rules_out=4).measure(diverse_release).value
    assert diversity.value < 3
    assert risk == diversity.value / (1 + diversity.value) < Fraction(3, 4)


def test_five_people_are_enough_and_four_are_not(diverse_release):
    four = sl.Acquaintance(others=4, value=VALUE).measure(diverse_release)
    five = sl.Acquaintance(others=5, value=VALUE).measure(diverse_release)
    assert four.value < CONFIDENCE <= five.value
    assert five.witness.others.people <= 5
    assert five.replay(diverse_release) == five.value


@pytest.mark.parametrize("point", sorted(SEVEN_POINTS))
def test_one_step_beyond_each_point_breaks_it(diverse_release, point):
    def risk(amounts):
        return sl.Acquaintance(*amounts, value=VALUE).measure(diverse_release).value

    assert risk(point) < CONFIDENCE
    for direction in range(3):
        assert risk([amount + (place == direction) for place, amount in enumerate(point)]) >= CONFIDENCE
