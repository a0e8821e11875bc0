import math
from fractions import Fraction
from functools import cache

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadNoise
from sidelight.noise import gaussian
from sidelight.noise.gaussian import concentrated_epsilon, gaussian_delta
from sidelight.noise.mechanism import Mechanism, calibrate, calibrate_rho
from sidelight.noise.parameters import Sensitivity
from tests.support.examples import examples


def smallest_epsilon(rho, delta):
    """The twin: the best α by halving, with 400 digits."""
    with mpmath.workdps(400):
        rho, delta = mpmath.mpf(rho), mpmath.mpf(delta)
        low, high = mpmath.log(mpmath.mpf(10) ** -200), -mpmath.log(delta)
        for _ in range(200):
            middle = (low + high) / 2
            excess = mpmath.exp(middle)
            if rho * excess**2 + mpmath.log(1 + excess) + mpmath.log(delta) > 0:
                high = middle
            else:
                low = middle
        excess = mpmath.exp(low)
        alpha = 1 + excess
        bound = rho * alpha - (mpmath.log(alpha) + mpmath.log(delta)) / excess + mpmath.log(excess / alpha)
        return max(bound, mpmath.mpf(0))


@examples(30)
@given(st.floats(-30, 8), st.floats(-60, -0.01))
def test_rho_is_never_turned_into_less_than_the_smallest_epsilon_nor_into_much_more(log_rho, log_delta):
    rho, delta = 10**log_rho, 10**log_delta
    exact, answer = smallest_epsilon(rho, delta), concentrated_epsilon(rho, delta)
    with mpmath.workdps(400):
        assert mpmath.mpf(answer) >= exact
        assert mpmath.mpf(answer) <= exact * (1 + mpmath.mpf("1e-9")) + mpmath.mpf("1e-300")


@pytest.mark.parametrize("rho", [1e-300, 1e-20, 1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("delta", [1e-100, 1e-12, 1e-6, 0.3])
def test_tiny_rho_is_not_rounded_below_the_truth(rho, delta):
    with mpmath.workdps(400):
        assert mpmath.mpf(concentrated_epsilon(rho, delta)) >= smallest_epsilon(rho, delta)


def test_the_edges_of_concentrated_privacy():
    assert concentrated_epsilon(0, Fraction(1, 10)) == 0
    assert concentrated_epsilon(1, 0) == math.inf
    assert concentrated_epsilon(Fraction(10) ** 600, Fraction(1, 10**9)) == math.inf
    assert concentrated_epsilon(Fraction(1, 10**600), Fraction(1, 10**9)) == 0


@cache
def law_of_noise(scale, changes):
    """How likely each sum of so many draws of noise is, with 50 digits."""
    reach = int(25 * scale) + 3
    weight = {z: mpmath.exp(-(mpmath.mpf(z) ** 2) / (2 * mpmath.mpf(scale) ** 2)) for z in range(-reach, reach + 1)}
    total = mpmath.fsum(weight.values())
    law = {0: mpmath.mpf(1)}
    for _ in range(changes):
        longer = {}
        for so_far, chance in law.items():
            for z, more in weight.items():
                longer[so_far + z] = longer.get(so_far + z, 0) + chance * more / total
        law = longer
    return law


def summed_delta(epsilon, scale, changes):
    """The twin: δ = Σ max(P − e^ε Q, 0) over every sum of noise, with 50 digits."""
    law = law_of_noise(scale, changes)
    # the loss of one cell after another adds up to (2s + c) / 2σ²
    losses = {each: (2 * each + changes) / (2 * mpmath.mpf(scale) ** 2) for each in law}
    return mpmath.fsum(
        law[each] * (1 - mpmath.exp(epsilon - losses[each])) for each in law if losses[each] > mpmath.mpf(epsilon)
    )


@pytest.mark.parametrize("changes", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.2, 0.7, 1.3, 3.999, 4.0])
@pytest.mark.parametrize("spreads", [0.01, 0.5, 3, 8, 14])
def test_delta_is_the_sum_over_all_noise_rounded_up(changes, scale, spreads):
    epsilon = (spreads * scale * math.sqrt(changes) + changes / 2) / scale**2
    with mpmath.workdps(50):
        exact = summed_delta(epsilon, scale, changes)
        answer = mpmath.mpf(gaussian_delta(epsilon, scale, changes))
        assert answer >= exact
        assert answer <= exact * (1 + mpmath.mpf("1e-9")) + mpmath.mpf("1e-250")


@pytest.mark.parametrize("epsilon", [1e-6, 1e-4, 1e-3, 3e-3])
@pytest.mark.parametrize("changes", [1, 3])
def test_an_integral_bounds_the_sum_closely(monkeypatch, epsilon, changes):
    summed = gaussian_delta(epsilon, 2_800.0, changes)
    monkeypatch.setattr(gaussian, "SUMMED_TO", 0)
    assert summed <= gaussian_delta(epsilon, 2_800.0, changes) <= summed * 1.01


def test_many_counts_under_little_noise_are_not_summed_one_by_one():
    assert gaussian_delta(1.0, 3.0, 65) == 1.0
    assert gaussian_delta(1.0, 100.0, 65) < 1e-9
    assert calibrate(Fraction(5), Fraction(1, 10**6), Sensitivity(400, 400)).scale > 4


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "1", "7", "100"])
@pytest.mark.parametrize("delta", ["0.2", "1e-6", "1e-30", "1e-100"])
@pytest.mark.parametrize("changes", [1, 4])
def test_noise_is_the_least_that_keeps_epsilon_and_delta(epsilon, delta, changes):
    cost = Fraction(epsilon), Fraction(delta)
    noise = calibrate(*cost, Sensitivity(changes, changes))
    assert noise.keeps(*cost)
    smaller = Mechanism(noise.kind, noise.scale * (1 - 1e-9), noise.sensitivity)
    assert gaussian_delta(cost[0], smaller.scale, changes) > cost[1]
    assert noise.epsilon_at(cost[1]) == pytest.approx(float(cost[0]), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "delta", "less"), [("1", "1e-6", 0.066), ("1", "1e-9", 0.048), ("0.1", "1e-5", 0.095)]
)
def test_there_is_less_noise_than_through_rho(epsilon, delta, less):
    exact, through_rho = (calibrate(Fraction(epsilon), Fraction(delta), through_rho=each) for each in (False, True))
    assert 1 - exact.scale / through_rho.scale == pytest.approx(less, abs=1e-3)
    assert through_rho.keeps(Fraction(epsilon), Fraction(delta))


@pytest.mark.parametrize("rho", ["0.005", "1/3", "0.01", "1e-9", "50"])
def test_rho_is_met_from_below(rho):
    for sensitivity in (Sensitivity(), Sensitivity(3, 3), Sensitivity(2, 4)):
        exact = sensitivity.l2_squared / (2 * Fraction(calibrate_rho(Fraction(rho), sensitivity).scale) ** 2)
        assert Fraction(rho) * (1 - Fraction(1, 10**14)) < exact <= Fraction(rho)


@pytest.mark.parametrize("rho", ["1e-20", "1e9"])
def test_rho_that_promises_nothing_is_refused(rho):
    with pytest.raises(BadNoise, match="publishes nothing but noise, or promises nothing"):
        calibrate_rho(Fraction(rho))


def test_many_tiny_releases_are_not_rounded_up_one_by_one():
    """A thousand of 1e-5: 0.057 of losses rounded to 1e-4 each, where the sum is 0.01."""
    spent = sl.privacy_spent([sl.Spending("a", "1e-5")] * 1_000, delta=1e-6)
    assert spent.basic == 0.01
    assert spent.loss_distribution < 0.0008
    assert spent.epsilon == min(spent.accounts().values())
    one = sl.privacy_spent([sl.Spending("a", "1e-6")], delta=1e-12)
    assert one.epsilon < 1.0000001e-6
    assert one.loss_distribution < 1.01e-6
