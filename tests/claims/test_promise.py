"""Attempts to refute a promise as error rates and as a risk: every test and every posterior of enumerated outputs."""

import math

import dp_accounting
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import sidelight as sl
from sidelight.noise.mechanism import Mechanism
from sidelight.noise.privacy_profile import PrivacyProfile, curve_of_divergences, largest_posterior, library_profile

ALPHAS = (0.0, 1e-6, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.99, 1.0)
FLOATS = 1e-12  # what this file's own arithmetic may lose


def most_powerful(inside, outside, alpha):
    """Neyman and Pearson: say "in" of the outputs that are likeliest when in, until a share α of the others is spent."""
    with np.errstate(divide="ignore"):
        order = np.argsort(-(inside / outside), kind="stable")
    power, left = 0.0, alpha
    for output in order:
        taken = 1.0 if outside[output] <= left else left / outside[output]
        power += taken * inside[output]
        left -= taken * outside[output]
        if taken < 1:
            break
    return power


def delta_at(one, other, epsilon):
    return max(
        np.maximum(first - math.exp(epsilon) * second, 0).sum() for first, second in ((one, other), (other, one))
    )


def laws(size=5):
    return st.lists(st.floats(1e-4, 1), min_size=size, max_size=size).map(lambda each: np.array(each) / sum(each))


@given(laws(), laws(), st.lists(st.floats(0, 6), min_size=1, max_size=4))
def test_no_test_beats_the_error_rates(one, other, epsilons):
    profile = PrivacyProfile(tuple((epsilon, delta_at(one, other, epsilon)) for epsilon in epsilons))
    for alpha in ALPHAS:
        assert most_powerful(one, other, alpha) <= profile.power(alpha) + FLOATS
        assert most_powerful(other, one, alpha) <= profile.power(alpha) + FLOATS
    assert np.abs(one - other).sum() / 2 <= profile.advantage + FLOATS


@given(laws(), laws(), st.lists(st.floats(0, 6), min_size=1, max_size=4), st.floats(1e-4, 0.9))
def test_odds_rise_further_no_more_often_than_told(one, other, epsilons, chance):
    profile = PrivacyProfile(tuple((epsilon, delta_at(one, other, epsilon)) for epsilon in epsilons))
    factor = profile.odds_factor(chance)
    for inside, outside in ((one, other), (other, one)):
        beyond = inside > factor * outside
        assert inside[beyond].sum() <= chance + FLOATS
        for prior in (0.01, 0.5, 0.9):
            posterior = prior * inside / (prior * inside + (1 - prior) * outside)
            surprising = posterior > largest_posterior(prior, factor) + FLOATS
            assert (prior * inside + (1 - prior) * outside)[surprising].sum() <= chance + FLOATS


@given(laws(), laws(), laws(), st.floats(0, 4))
def test_neighbours_of_neighbours_keep_two_steps(one, between, other, epsilon):
    delta = max(delta_at(one, between, epsilon), delta_at(between, other, epsilon))
    ((twice, slack),) = PrivacyProfile.of_pair(epsilon, delta).two_steps().pairs
    assert twice == 2 * epsilon
    assert delta_at(one, other, twice) <= slack + FLOATS


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 3])
def test_randomised_response_reaches_every_bound(epsilon):
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    yes, no = np.array([truth, 1 - truth]), np.array([1 - truth, truth])
    promise = sl.semantic_privacy(epsilon, neighbours="replace")
    for alpha in (0.001, 0.05, 0.3, 0.9):
        assert promise.error_rates(alpha).recognised == pytest.approx(most_powerful(yes, no, alpha), abs=1e-12)
    assert promise.error_rates().right == pytest.approx(truth, abs=1e-12)
    posterior = 0.1 * truth / (0.1 * truth + 0.9 * (1 - truth))
    assert promise.disclosure_risk(0.1).posterior == pytest.approx(posterior, abs=1e-12)


def with_slack(epsilon, delta):
    """The laws that (ε, δ) just allows: with chance δ all is told, else randomised response."""
    flip = 1 / (1 + math.exp(epsilon))
    inside = [delta, 0.0, (1 - delta) * (1 - flip), (1 - delta) * flip]
    return np.array(inside), np.array([0.0, delta, (1 - delta) * flip, (1 - delta) * (1 - flip)])


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (1, 0.2), (2, 1e-6)])
def test_with_a_delta_a_test_reaches_the_bounds_too(epsilon, delta):
    inside, outside = with_slack(epsilon, delta)
    promise = sl.semantic_privacy(epsilon, delta, people=1)
    for alpha in (0.001, 0.05, 0.3, 0.9):
        assert promise.error_rates(alpha).recognised == pytest.approx(most_powerful(inside, outside, alpha), abs=1e-12)
    assert promise.error_rates().advantage == pytest.approx(np.abs(inside - outside).sum() / 2, abs=1e-12)


@pytest.mark.parametrize("multiplier", [1, 4])
def test_the_test_against_gaussian_noise_is_the_exact_one(multiplier):
    """An event knows its noise: the trade-off is that of two normal laws, read a little pessimistically."""
    profile = library_profile(dp_accounting.GaussianDpEvent(multiplier), None, None)[0]
    for alpha in (0.001, 0.01, 0.05, 0.3, 0.7):
        exact = norm.cdf(norm.ppf(alpha) + 1 / multiplier)
        assert exact <= profile.power(alpha) <= exact + 2e-4
    assert 2 * norm.cdf(0.5 / multiplier) - 1 <= profile.advantage <= 2 * norm.cdf(0.5 / multiplier) - 1 + 1e-4


@pytest.mark.parametrize("rho", [1e-6, 0.01, 0.125, 2, 40])
def test_concentrated_privacy_is_never_told_better_than_gaussian_noise_keeps_it(rho):
    orders = 1 + np.geomspace(1e-3, 1e6, 1500)
    sigma = 1 / math.sqrt(2 * rho)
    epsilons = [0.0, 0.001, 0.1, 0.5, 1, 3, 10, 30]
    for epsilon, delta in zip(epsilons, curve_of_divergences(orders, rho * orders)(epsilons), strict=True):
        above, below = 0.5 / sigma - epsilon * sigma, -0.5 / sigma - epsilon * sigma
        assert norm.cdf(above) - math.exp(epsilon) * norm.cdf(below) <= delta <= 1


# Posteriors over enumerated worlds: two people, each absent or with one of two values, and noisy counts of both values.

ABSENT = 2
WORLDS = [(one, other) for one in range(3) for other in range(3)]


def likelihoods(epsilon, output):
    noise = Mechanism("discrete Laplace", 1 / epsilon)
    counts = np.array([[sum(each == value for each in world) for value in (0, 1)] for world in WORLDS])
    return np.exp(noise.log_weight(np.array(output) - counts).sum(axis=1))


weights = st.lists(st.floats(0.01, 1), min_size=3, max_size=3).map(lambda each: np.array(each) / sum(each))
outputs = st.tuples(st.integers(-6, 8), st.integers(-6, 8))


@given(st.floats(0.05, 3), weights, weights, outputs)
def test_no_posterior_rises_above_the_risk_where_others_do_not_depend_on_you(epsilon, first, second, output):
    prior = np.outer(first, second).ravel()
    posterior = prior * likelihoods(epsilon, output)
    posterior /= posterior.sum()
    is_in = np.array([world[0] != ABSENT for world in WORLDS])
    promise = sl.semantic_privacy(epsilon)
    assert posterior[is_in].sum() <= promise.disclosure_risk(float(prior[is_in].sum())).posterior + FLOATS
    has_first = np.array([world[0] == 0 for world in WORLDS])
    known = prior[has_first].sum() / prior[is_in].sum(), posterior[has_first].sum() / posterior[is_in].sum()
    assert known[1] <= promise.disclosure_risk(float(known[0]), known_to_be_in=True).posterior + FLOATS


def test_a_value_needs_two_steps_and_reaches_them():
    """One count far too high, the other far too low: of somebody who is known to be in, the odds rise by e^(2ε)."""
    likely = likelihoods(1.0, (8, -6))
    has = {value: likely[[world == (value, ABSENT) for world in WORLDS]].item() for value in (0, 1)}
    posterior = 0.1 * has[0] / (0.1 * has[0] + 0.9 * has[1])
    promise = sl.semantic_privacy(1)
    assert posterior == pytest.approx(promise.disclosure_risk(0.1, known_to_be_in=True).posterior, abs=1e-12)
    assert posterior > promise.disclosure_risk(0.1).posterior


def test_where_others_depend_on_you_the_risk_does_not_hold_and_beliefs_do():
    """Twins: both in or both out.  The odds that one is in rise by e^(2ε), which is why the condition is said."""
    prior = np.array([0.1 if world == (0, 0) else 0.9 if world == (ABSENT, ABSENT) else 0.0 for world in WORLDS])
    output = (8, 0)
    posterior = prior * likelihoods(1.0, output)
    posterior /= posterior.sum()
    promise = sl.semantic_privacy(1)
    assert posterior[WORLDS.index((0, 0))] > promise.disclosure_risk(0.1).posterior
    left_out = prior * np.array([likelihoods(1.0, output)[WORLDS.index((ABSENT, world[1]))] for world in WORLDS])
    left_out /= left_out.sum()
    assert np.abs(posterior - left_out).sum() / 2 <= promise.shift
