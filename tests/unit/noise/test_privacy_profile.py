"""Promises of OpenDP's measurements and of dp-accounting's events, against what is known of their noise."""

import math

import dp_accounting
import numpy as np
import opendp.prelude as dp
import pytest
from dp_accounting import dp_event
from scipy.stats import norm

import sidelight as sl
from sidelight.errors import BadNoise
from sidelight.noise.mechanism import opendp
from sidelight.noise.privacy_profile import PrivacyProfile, curve_of_divergences, largest_posterior, library_profile

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


opendp()  # switches on what of OpenDP the library uses
dp.enable_features("honest-but-curious")  # measurements and measures of one's own

COUNTS = dp.vector_domain(dp.atom_domain(T="i64"))
LAPLACE = dp.m.make_laplace(COUNTS, dp.l1_distance(T="i64"), scale=2.0)
GAUSSIAN = dp.m.make_gaussian(COUNTS, dp.l2_distance(T="f64"), scale=2.0)
PROFILE = dp.c.make_zCDP_to_approxDP(GAUSSIAN)


def own(measure, distance):
    """A measurement of one's own: whatever is published, OpenDP takes our word for the distance."""
    return dp.m.make_user_measurement(
        dp.atom_domain(T="i32"),
        dp.absolute_distance(T="i32"),
        measure,
        lambda data: data,
        distance,
        TO="i32",
    )


# OpenDP: the output measure decides.


def test_max_divergence_is_epsilon():
    promise = sl.semantic_privacy(LAPLACE, d_in=1)
    assert (promise.epsilon, promise.delta) == (0.5, 0)
    assert promise.shift == sl.semantic_privacy("0.5").shift
    assert sl.semantic_privacy(LAPLACE, d_in=2).epsilon == 1


def test_a_composition_and_a_chain_are_measurements():
    assert sl.semantic_privacy(dp.c.make_composition([LAPLACE, LAPLACE]), d_in=1).epsilon == 1
    people = dp.vector_domain(dp.atom_domain(T="i32")), dp.symmetric_distance()
    chain = dp.t.make_count(*people, TO="i64") >> dp.m.then_laplace(scale=2.0)
    assert sl.semantic_privacy(chain, d_in=1).error_rates() == sl.semantic_privacy("0.5").error_rates()


def test_approximate_max_divergence_is_epsilon_and_delta():
    fixed = dp.c.make_fix_delta(PROFILE, delta=1e-9)
    epsilon, delta = fixed.map(1.0)
    promise = sl.semantic_privacy(fixed, d_in=1.0, people=1000, chance=0.001)
    assert (promise.epsilon, promise.delta) == (epsilon, delta)
    assert promise.shift == sl.semantic_privacy(epsilon, delta, people=1000, chance=0.001).shift


def test_a_profile_is_read_at_a_delta_or_where_it_promises_most():
    at_delta = sl.semantic_privacy(PROFILE, 1e-9, d_in=1.0, people=1000)
    assert at_delta.epsilon == pytest.approx(PROFILE.map(1.0).epsilon(1e-9), rel=1e-6)
    best = sl.semantic_privacy(PROFILE, d_in=1.0, people=1000, chance=0.001)
    for delta in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12):
        assert best.shift <= sl.semantic_privacy(PROFILE, delta, d_in=1.0, people=1000, chance=0.001).shift
    with pytest.raises(BadNoise, match="delta for every epsilon") as caught:
        sl.semantic_privacy(PROFILE, d_in=1.0, people=1000)
    assert caught.value.parameters == ("chance", "delta")


def test_rho_is_what_opendp_makes_of_it_or_better():
    promise = sl.semantic_privacy(GAUSSIAN, d_in=1.0, people=1000, chance=0.001)
    theirs = sl.semantic_privacy(PROFILE, d_in=1.0, people=1000, chance=0.001)
    assert promise.shift == pytest.approx(theirs.shift, rel=1e-3)
    for alpha in (0.01, 0.05, 0.5):
        exact = norm.cdf(norm.ppf(alpha) + 0.5)  # Gaussian noise of twice the sensitivity
        assert exact <= promise.error_rates(alpha).recognised <= theirs.error_rates(alpha).recognised + 1e-3


def test_approximate_measures_add_their_delta():
    approximate = own(dp.approximate(dp.zero_concentrated_divergence()), lambda d_in: (0.125 * d_in**2, 1e-6))
    plain = library_profile(GAUSSIAN, 1.0, None)[0]
    added = library_profile(approximate, 1, None)[0]
    assert added.power(0.05) == pytest.approx(plain.power(0.05) + 1e-6, abs=1e-9)
    assert min(delta for _, delta in added.pairs) >= 1e-6
    assert added.curve([1.0])[0] == pytest.approx(plain.curve([1.0])[0] + 1e-6)


def test_renyi_divergences_are_read_at_every_order():
    renyi = own(dp.renyi_divergence(), lambda d_in: lambda alpha: 0.125 * d_in**2 * alpha)
    rho = library_profile(GAUSSIAN, 1.0, None)[0]
    assert library_profile(renyi, 1, None)[0].power(0.05) == pytest.approx(rho.power(0.05), abs=1e-9)


@pytest.mark.parametrize(
    ("measurement", "options", "message"),
    [
        (LAPLACE, {}, r"L1Distance\(i64\).* d_in=1"),
        (LAPLACE, {"d_in": -1}, "OpenDP .*d_in=-1 .*must be positive"),
        (LAPLACE, {"d_in": 0.5}, "OpenDP .*d_in=0.5 .*is f64, expected i64"),
        (LAPLACE, {"d_in": 0}, "d_in=0 .*itself.* 1$"),
        (dp.m.make_laplace(COUNTS, dp.l1_distance(T="i64"), scale=0.0), {"d_in": 1}, "this promises nothing"),
        (own(dp.user_divergence("mine"), lambda d_in: 3.0), {"d_in": 1}, "mine promises is not known"),
        (COUNTS, {"d_in": 1}, "whole Measurement, not of an OpenDP VectorDomain"),
        (GAUSSIAN, {"d_in": 1.0, "chance": 0.1}, "how many people.*people="),
    ],
)
def test_what_cannot_be_promised_is_refused_in_a_line(measurement, options, message):
    with pytest.raises(BadNoise, match=message) as refused:
        sl.semantic_privacy(measurement, **options)
    assert "\n" not in str(refused.value)


def test_a_metric_says_who_neighbours_are():
    answers = dp.m.make_randomized_response_bool(prob=0.75)
    assert sl.semantic_privacy(answers, d_in=1).neighbours == "replace"
    with pytest.raises(BadNoise, match="leave neighbours out"):
        sl.semantic_privacy(answers, d_in=1, neighbours="add or remove")
    people = dp.vector_domain(dp.atom_domain(T="i32")), dp.symmetric_distance()
    count = dp.t.make_count(*people, TO="i64") >> dp.m.then_laplace(scale=2.0)
    with pytest.raises(BadNoise, match=r'SymmetricDistance\(\) at 1 .*neighbours="replace".*d_in=2') as caught:
        sl.semantic_privacy(count, d_in=1, neighbours="replace")
    assert caught.value.parameters == ("neighbours", "d_in")
    assert sl.semantic_privacy(count, d_in=2, neighbours="replace").epsilon == 1


# dp-accounting: events.


def test_laplace_noise_keeps_its_epsilon_without_a_delta():
    promise = sl.semantic_privacy(dp_accounting.LaplaceDpEvent(2.0))
    assert promise.epsilon == pytest.approx(0.5)
    assert promise.shift == pytest.approx(math.tanh(0.25))
    # the noise itself tells less than its epsilon allows
    assert promise.error_rates().advantage == pytest.approx(1 - math.exp(-0.25), abs=1e-4)
    twice = dp_accounting.SelfComposedDpEvent(dp_accounting.LaplaceDpEvent(2.0), 2)
    mixed = dp_accounting.ComposedDpEvent([twice, dp_event.DiscreteLaplaceDpEvent(0.25, 2)])
    assert sl.semantic_privacy(mixed).epsilon == pytest.approx(1.5)


def test_randomised_response_is_about_who_one_is():
    event = dp_event.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=2)
    assert sl.semantic_privacy(event, neighbours="replace").epsilon == pytest.approx(math.log(3))
    with pytest.raises(BadNoise, match=r'RandomizedResponseDpEvent .*="add or remove".*neighbours="replace"'):
        sl.semantic_privacy(event)


def test_sampling_hides():
    noise = dp_accounting.GaussianDpEvent(4.0)
    plain, sampled = (
        sl.semantic_privacy(event, people=1000, chance=0.01)
        for event in (noise, dp_accounting.PoissonSampledDpEvent(0.1, noise))
    )
    assert sampled.error_rates().recognised < plain.error_rates().recognised
    assert sampled.shift < plain.shift


def test_what_has_no_losses_goes_by_its_divergences():
    rho = sl.semantic_privacy(dp_accounting.ZCDpEvent(0.125), people=1000, chance=0.001)
    theirs = sl.semantic_privacy(GAUSSIAN, d_in=1.0, people=1000, chance=0.001)
    assert theirs.shift <= rho.shift == pytest.approx(theirs.shift, rel=1e-2)


def test_replacing_doubles_the_distance_in_either_account():
    """The accountant of divergences takes a noise multiplier for any neighbours; the one of losses does not."""
    far = dp_accounting.ComposedDpEvent([dp_accounting.ZCDpEvent(1e-9), dp_accounting.GaussianDpEvent(2.0)])
    near = dp_accounting.ComposedDpEvent([dp_accounting.ZCDpEvent(1e-9), dp_accounting.GaussianDpEvent(1.0)])
    replaced, added = (
        library_profile(event, None, neighbours)[0] for event, neighbours in ((far, "replace"), (near, "add or remove"))
    )
    assert replaced.power(0.05) == pytest.approx(added.power(0.05))
    exact = norm.cdf(norm.ppf(0.05) + 1)
    assert replaced.power(0.05) > library_profile(dp_accounting.GaussianDpEvent(2.0), None, "replace")[0].power(0.05)
    assert library_profile(dp_accounting.GaussianDpEvent(2.0), None, "replace")[0].power(0.05) >= exact


@pytest.mark.parametrize(
    ("event", "options", "message"),
    [
        (dp_accounting.NonPrivateDpEvent(), {"chance": 0.1, "people": 9}, "this promises nothing"),
        (dp_accounting.GaussianDpEvent(0.0), {"chance": 0.1, "people": 9}, "this promises nothing"),
        (dp_accounting.UnsupportedDpEvent(), {}, "UnsupportedDpEvent.*epsilon and delta"),
        (dp_accounting.LaplaceDpEvent(1.0), {"neighbours": "replace"}, 'LaplaceDpEvent with neighbours="replace"'),
        (dp_accounting.GaussianDpEvent(1.0), {}, "delta for every epsilon"),
        (dp_accounting.LaplaceDpEvent(-1.0), {}, "dp-accounting refuses.*not a positive real"),
        (dp_accounting.LaplaceDpEvent(4.0), {"neighbours": "swap"}, 'no neighbours="swap"; choose'),
        (dp_accounting.GaussianDpEvent(9.0), {"delta": 1e-30, "people": 9}, "epsilon up to 40 .*delta=1e-30"),
        (dp_accounting.GaussianDpEvent(1.0), {"d_in": 1}, "d_in= .*OpenDP"),
        (dp_accounting.pld.PLDAccountant(), {}, "DpEvent, not of a PLDAccountant.*\\.ledger"),
    ],
)
def test_an_event_that_promises_nothing_is_refused_in_a_line(event, options, message):
    with pytest.raises(BadNoise, match=message) as refused:
        sl.semantic_privacy(event, **options)
    assert "\n" not in str(refused.value)
