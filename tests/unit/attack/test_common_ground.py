"""How sure somebody gets who weighs releases together: what they say in common counts once."""

from fractions import Fraction

import numpy as np
import pytest

from sidelight.attack.common_ground import MOST_AGREEMENT, Ground, weigh_evidence

HALVES = np.array([0.5, 0.5])
ALIKE = Ground.from_agreement(np.full((2, 2), 0.3))


def told(*shares, people=10, present=1.0):
    return np.array([shares], float), np.array([[float(people)]]), np.array([[float(present)]])


def test_independent_releases_multiply_the_odds():
    prior = np.array([0.5, 0.25, 0.25])
    posterior = weigh_evidence([told(0.5, 0.5, 0.0), told(0.5, 0.25, 0.25)], prior, Ground.independent(2))
    assert posterior.tolist() == [[0.5, 0.5, 0.0]]


def test_what_groups_say_together_counts_once():
    one, two = told(0.8, 0.2, people=1_000), told(0.8, 0.2, people=1_000)
    assert weigh_evidence([one, two], HALVES, Ground.independent(2))[0, 0] == pytest.approx(0.64 / 0.68)
    assert weigh_evidence([one, two], HALVES, ALIKE)[0, 0] == pytest.approx(0.8, abs=0.001)


def test_one_release_says_what_it_says():
    assert weigh_evidence([told(0.2, 0.8)], HALVES, Ground.from_agreement(np.array([[0.7]]))).tolist() == [[0.2, 0.8]]


@pytest.mark.parametrize("ground", [Ground.independent(2), ALIKE])
def test_a_release_that_has_somebody_not_changes_nothing(ground):
    posterior = weigh_evidence([told(0.2, 0.8), told(0, 0, people=0)], HALVES, ground)
    assert posterior.tolist() == [pytest.approx([0.2, 0.8])]


@pytest.mark.parametrize("agreement", [0.0, 0.05])
def test_many_releases_neither_vanish_nor_overflow(agreement):
    prior = np.array([1e-12, 1 - 1e-12])
    ground = Ground.join(Fraction(str(agreement)), Ground.independent(400).members)
    posterior = weigh_evidence([told(0.5, 0.5)] * 400, prior, ground)
    assert posterior.sum() == pytest.approx(1)
    assert (posterior[0, 0] == 1) == (agreement == 0)


def test_no_value_in_common_is_a_contradiction():
    assert np.isnan(weigh_evidence([told(1, 0), told(0, 1)], HALVES, ALIKE)).all()


def test_whoever_may_be_absent_may_have_any_value():
    sure, unsure = told(0.5, 0.5, 0.0), told(0.0, 0.5, 0.5, present=0.4)
    prior = np.array([0.2, 0.4, 0.4])
    posterior = weigh_evidence([sure, unsure], prior, Ground.independent(2))[0]
    odds = [0.5 * (0.6 * 0.2) / 0.2, 0.5 * (0.4 * 0.5 + 0.6 * 0.4) / 0.4, 0]
    assert posterior == pytest.approx(np.array(odds) / sum(odds))
    assert (weigh_evidence([unsure, unsure], prior, ALIKE)[0] > 0).all()


def test_somebody_who_is_in_no_release_is_like_the_people_around():
    absent = told(0.9, 0.1, people=1_000, present=0)
    assert weigh_evidence([absent], HALVES, Ground.independent(1)).tolist() == [[0.5, 0.5]]
    assert weigh_evidence([absent], HALVES, Ground.from_agreement(np.array([[0.3]])))[0, 0] == pytest.approx(
        0.9, abs=0.01
    )


def test_fractions_and_floats_go_the_same_way():
    shares = [[Fraction(1, 4), Fraction(3, 4)], [Fraction(2, 3), Fraction(1, 3)]]
    exact = [
        (np.array([each], object), np.array([[Fraction(n)]]), np.array([[Fraction(1, 3)]]))
        for each, n in zip(shares, (4, 3), strict=True)
    ]
    floats = [told(*map(float, each), people=n, present=1 / 3) for each, n in zip(shares, (4, 3), strict=True)]
    ground = Ground.from_agreement(np.array([[0.3, 0.1], [0.1, 0.2]]))
    posterior = weigh_evidence(exact, np.array([Fraction(1, 2)] * 2), ground)[0].tolist()
    assert sum(posterior) == 1
    assert all(isinstance(each, Fraction) for each in posterior)
    assert list(map(float, posterior)) == pytest.approx(weigh_evidence(floats, HALVES, ground)[0].tolist())


def test_releases_that_agree_about_equally_are_one_cluster():
    same = Ground.from_agreement(np.array([[0.1, 0.09, 0.08], [0.09, 0.1, 0.085], [0.08, 0.085, 0.1]]))
    assert sorted(each.releases for each in same.members) == [(0,), (1,), (2,)]
    assert float(same.agreement) == pytest.approx(0.085)


def test_groups_that_determine_the_value_are_never_quite_certain_of_each_other():
    ground = Ground.from_agreement(np.ones((2, 2)))
    assert [each.agreement for each in ground.members] == [MOST_AGREEMENT] * 2
    assert ground.agreement == MOST_AGREEMENT
