import math

import numpy as np
import pytest

from sidelight.noise.privacy_profile import PrivacyProfile, curve_of_divergences, largest_posterior

ORDERS = 1 + np.geomspace(1e-3, 1e6, 1500)


def test_one_pair_gives_the_published_trade_off():
    """f(α) = max(0, 1 − δ − e^ε·α, e^(−ε)·(1 − δ − α)), as Wasserman and Zhou, and Kairouz et al. have it."""
    profile = PrivacyProfile.of_pair(1.0, 0.01)
    for alpha in (0.0, 0.01, 0.05, 0.2, 0.5, 0.95, 1.0):
        published = max(0, 1 - 0.01 - math.e * alpha, math.exp(-1) * (1 - 0.01 - alpha))
        assert 1 - profile.power(alpha) == pytest.approx(published, abs=1e-12)
        assert 1 - profile.power(alpha) <= published
    assert profile.advantage == pytest.approx((math.e - 1 + 0.02) / (math.e + 1), abs=1e-12)


def test_more_pairs_never_promise_less():
    one, other = PrivacyProfile.of_pair(1.0, 1e-3), PrivacyProfile.of_pair(0.2, 0.1)
    both = one | other
    for alpha in (0.001, 0.05, 0.4, 0.9):
        assert both.power(alpha) == min(one.power(alpha), other.power(alpha))
    assert both.advantage == min(one.advantage, other.advantage)
    assert (one | one) == one


@pytest.mark.parametrize("epsilon", [800.0, 1e6])
def test_an_epsilon_beyond_floats_promises_nothing_and_fails_nowhere(epsilon):
    profile = PrivacyProfile.of_pair(epsilon, 1e-9)
    assert profile.power(0.05) == profile.advantage == 1
    assert profile.odds_factor(0.5) == math.inf
    assert profile.two_steps().power(0.05) == 1
    assert PrivacyProfile.of_pair(epsilon).two_steps().pairs == ((2 * epsilon, 0.0),)
    assert largest_posterior(0.1, math.inf) == 1
    assert largest_posterior(0.0, math.inf) == 0


def test_a_delta_that_uses_up_the_chance_bounds_no_odds():
    profile = PrivacyProfile.of_pair(1.0, 1e-3)
    assert profile.odds_factor(0.01) == pytest.approx(math.e / 0.9)
    assert profile.odds_factor(1e-3) == math.inf
    assert profile.odds_factor() == math.inf
    assert profile.odds_factor(0.01, people=10) == math.inf
    assert profile.odds_factor(1.0) == math.inf  # what may always be broken is no promise


def test_a_curve_is_read_between_its_pairs_too():
    profile = PrivacyProfile.of_curve(curve_of_divergences(ORDERS, 0.125 * ORDERS))
    epsilon = profile.epsilon_at(1e-9)
    assert profile.curve([epsilon])[0] <= 1e-9 < profile.curve([epsilon * (1 - 1e-9)])[0]
    assert epsilon < profile.as_read().epsilon_at(1e-9)
    assert profile.epsilon_at(0.0) == math.inf


def test_a_computed_delta_is_never_0():
    assert min(curve_of_divergences(ORDERS, 1e-6 * ORDERS)([0.0, 1.0, 40.0])) > 0


def test_it_says_what_it_is():
    assert repr(PrivacyProfile.of_pair(1.0, 1e-9)) == "<PrivacyProfile of epsilon 1 and delta 1e-09>"
    assert repr(PrivacyProfile(((1.0, 0.1), (2.0, 0.0)))) == "<PrivacyProfile of 2 pairs of epsilon and delta>"
