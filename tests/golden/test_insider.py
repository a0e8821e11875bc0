"""What somebody believes of Adult's people who knows that Mondrian, or a search over levels, found no finer release."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import settings
from support.examples import QUICK

import sidelight as sl

LIMITS = (sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1)
SEVEN = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def released(*quasi):
    adult = sl.datasets.adult(quasi=list(quasi)) if quasi else sl.datasets.adult()
    by = {name: hierarchy for name, hierarchy in adult.hierarchies.items() if name != "age"}
    return sl.protect(adult.table, LIMITS, by=by, method="mondrian")


THOROUGH = settings().max_examples > QUICK
EFFORTS = ["counted", "drawn"] if THOROUGH else ["counted"]
"""Drawing arrangements of the large groups takes most of a minute: in a thorough run."""


@pytest.fixture(scope="module")
def of_seven_columns():
    return released(*SEVEN)


@pytest.fixture(scope="module", params=EFFORTS)
def learnt(request, of_seven_columns):
    if request.param == "drawn":
        return sl.insider(of_seven_columns)
    return sl.insider(of_seven_columns, exact_up_to=2_000, beyond="left out")


def ways(learnt):
    return Counter(each.how for each in learnt.groups)


def test_groups_of_seven_columns_in_which_cuts_failed(learnt):
    assert len(learnt.release) == 3_141
    assert len(learnt.groups) == 522
    if not ways(learnt)["drawn"]:
        assert (ways(learnt)["counted"], ways(learnt)["could not tell"]) == (398, 124)
        return
    assert ways(learnt)["could not tell"] == 1
    assert ways(learnt)["counted"] >= 432  # failed cuts that stand alone are counted in groups of any size
    told = [each for each in learnt.telling if each.how != "could not tell"]
    assert (len(told), sum(each.question.size for each in told)) == (437, 10_822)


def test_somebody_is_certain_by_seven_columns(learnt):
    witness = learnt.witness
    assert (witness.belief, witness.all_fail, witness.people) == (1, Fraction(1, 165), 3)
    assert sorted((cut.left, cut.right) for cut in witness.cuts) == [(5, 6), (6, 5)]
    assert learnt.replay(witness) == 1
    assert learnt.claims_above(Fraction(99, 100)).right == 1
    counted = [learnt.witness_of(each.question.row) for each in learnt.groups if each.how == "counted"]
    assert sorted(float(each.belief) for each in counted)[-2] == pytest.approx(0.878, abs=0.005)


def test_guesses_of_seven_columns_are_right_about_as_often_as_claimed(learnt):
    if not ways(learnt)["drawn"]:  # of the small groups alone
        assert learnt.people_above(0.52) == 305
        assert learnt.claims_above(0.52).right == pytest.approx(0.603, abs=0.001)
        return
    assert learnt.people_above(0.52, end="estimate") == pytest.approx(471, rel=0.05)
    assert learnt.people_above(0.52) >= 360 * 0.95  # by the lower ends
    assert learnt.claims_above(0.52).right == pytest.approx(0.59, abs=0.01)


def test_four_columns():
    learnt = sl.insider(released())
    assert (len(learnt.release), len(learnt.groups)) == (1_024, 36)
    assert float(learnt.worst) == pytest.approx(0.606, abs=0.005)
    assert learnt.witness.people == 5
    assert learnt.claims_above(learnt.worst - Fraction(1, 1000)).right == 1
    assert learnt.people_above(0.52) == 22
    assert (
        learnt.replay(learnt.witness_of(learnt.groups[0].question.row))
        == learnt.witness_of(learnt.groups[0].question.row).belief
    )


def test_a_lattice_of_four_columns_says_nothing():
    adult = sl.datasets.adult()
    found = sl.protect(adult.table, LIMITS, by=adult.hierarchies, utility="discernibility")
    learnt = sl.insider(found)
    assert tuple(found.levels.values()) == (2, 1, 1, 1)
    assert learnt.outcome == "nothing to learn"
    assert learnt.reason.startswith("33 releases would have been preferred, and all have groups too small")
