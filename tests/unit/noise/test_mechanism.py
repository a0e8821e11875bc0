import math
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadNoise, NotAvailable
from sidelight.noise import mechanism
from sidelight.noise.accountant import distinguish_amounts, privacy_loss_distributions
from sidelight.noise.mechanism import (
    Mechanism,
    PrivacyUnit,
    Sensitivity,
    amount_text,
    better_without_delta,
    calibrate,
    calibrate_rho,
    concentrated_epsilon,
    exact_amount,
    exact_delta,
    exact_epsilon,
    gaussian_delta,
    opendp,
    units_changed,
)
from sidelight.rounding import round_down, round_up
from tests.support.examples import examples

LAPLACE, GAUSSIAN = (Mechanism(kind, 2.5) for kind in ("discrete Laplace", "discrete Gaussian"))


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(7)])
@pytest.mark.parametrize(("neighbours", "touched"), [("add or remove", 1), ("replace", 2)])
def test_laplace_noise_has_the_smallest_scale_that_opendp_says_keeps_epsilon(epsilon, neighbours, touched):
    mechanism = calibrate(epsilon, Fraction(0), PrivacyUnit("id").sensitivity(neighbours))
    assert (mechanism.kind, mechanism.sensitivity.l1) == ("discrete Laplace", touched)
    assert mechanism.scale == pytest.approx(touched / epsilon, rel=1e-14)
    assert touched / Fraction(mechanism.scale) <= epsilon


def test_gaussian_noise_keeps_epsilon_and_delta_by_google_s_exact_account_too():
    mechanism = calibrate(Fraction(1), Fraction(1, 10**5))
    loss = privacy_loss_distributions().from_discrete_gaussian_mechanism(mechanism.scale)
    assert loss.get_epsilon_for_delta(1e-5) == pytest.approx(1, rel=2e-4)  # they round losses to 1e-4


def test_replacing_takes_root_two_of_gaussian_noise():
    one, two = (calibrate(Fraction(1), Fraction(1, 10**5), each) for each in (Sensitivity(), Sensitivity(2, 2)))
    assert two.scale == pytest.approx(one.scale * math.sqrt(2), rel=5e-3)  # noise is whole, so not quite
    assert two.rho() == pytest.approx(one.rho(), rel=1e-2)


@pytest.mark.parametrize("values", ["set", "multiset"])
@pytest.mark.parametrize("cap", [1, 2, 3, 7])
@pytest.mark.parametrize(("neighbours", "units"), [("add or remove", 1), ("replace", 2)])
def test_several_values_per_person_take_as_much_noise_as_they_can_change(values, cap, neighbours, units):
    sensitivity = PrivacyUnit("id", values, cap).sensitivity(neighbours)
    assert calibrate(Fraction(1), Fraction(0), sensitivity).scale == pytest.approx(units * cap, rel=1e-14)
    through_rho = not sensitivity.changes_by_ones
    one, several = (
        calibrate(Fraction(1), Fraction(1, 10**5), each, through_rho=through_rho)
        for each in (Sensitivity(), sensitivity)
    )
    distance = math.sqrt(units) * (cap if values == "multiset" else math.sqrt(cap))
    assert several.scale == pytest.approx(one.scale * distance, rel=1e-9 if through_rho else 5e-3)
    assert several.rho() == pytest.approx(one.rho(), rel=1e-9 if through_rho else 1e-2)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1, 3), Fraction(1), Fraction(10**400 // 3, 10**399)])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**9), Fraction(1, 30)])
@pytest.mark.parametrize("sensitivity", [Sensitivity(), Sensitivity(2, 2), Sensitivity(3, 9)])
def test_calibrated_noise_keeps_what_it_was_calibrated_to_and_a_little_less_noise_does_not(epsilon, delta, sensitivity):
    mechanism = calibrate(epsilon, delta, sensitivity)
    assert mechanism.keeps(epsilon, delta)
    assert not replace(mechanism, scale=mechanism.scale * 0.99).keeps(epsilon, delta)
    assert not replace(mechanism, sensitivity=Sensitivity(20, 40)).keeps(epsilon, delta)


def test_noise_without_a_scale_keeps_nothing_and_gaussian_noise_needs_a_delta():
    for kind in ("discrete Laplace", "discrete Gaussian"):
        for scale in (0.0, -1.0, math.nan, math.inf):
            assert not Mechanism(kind, scale).keeps(Fraction(1), Fraction(1, 2))
    assert not Mechanism("discrete Gaussian", 1e9).keeps(Fraction(1), Fraction(0))


def chances(mechanism, reach=400):
    noise = np.arange(-reach, reach + 1)
    weight = np.exp(mechanism.log_weight(noise))
    return noise, weight / weight.sum()


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("mechanism", [LAPLACE, GAUSSIAN, Mechanism("discrete Laplace", 0.2)])
def test_a_margin_holds_as_often_as_it_says(mechanism, confidence):
    noise, chance = chances(mechanism)
    margin = mechanism.margin(confidence)
    assert chance[np.abs(noise) <= margin].sum() >= confidence
    assert chance[np.abs(noise) <= margin - 2].sum() < confidence


@pytest.mark.parametrize("mechanism", [LAPLACE, GAUSSIAN], ids=lambda each: each.kind)
def test_what_opendp_draws_has_the_chances_that_an_attacker_computes_with(mechanism):
    drawn = mechanism.add_noise(np.zeros((100, 200), np.int64))
    assert drawn.shape == (100, 200)
    noise, chance = chances(mechanism)
    expected = 20_000 * chance[np.abs(noise) <= 5]
    seen = np.array([(drawn == value).sum() for value in range(-5, 6)])
    distance = ((seen - expected) ** 2 / expected).sum()
    assert distance < 65  # chi-squared with 11 degrees: a false alarm once in a hundred million runs


@pytest.mark.parametrize("confidence", [0, 1, -1, 2])
def test_a_margin_needs_a_confidence(confidence):
    with pytest.raises(BadNoise, match=r"confidence is"):
        LAPLACE.margin(confidence)


@pytest.mark.parametrize(("epsilon", "delta"), [(Fraction(1, 10**9), 0), (Fraction(1000), 0), (Fraction(1), 1e-300)])
def test_what_promises_nothing_is_refused(epsilon, delta):
    with pytest.raises(BadNoise, match="nothing"):
        calibrate(epsilon, Fraction(delta))


@pytest.mark.parametrize(
    ("module", "use"),
    [("opendp.prelude", opendp), ("dp_accounting.pld.privacy_loss_distribution", privacy_loss_distributions)],
)
def test_without_the_extra_it_says_which_one_to_install(monkeypatch, module, use):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotAvailable, match=r'pip install "sidelight\[dp\]".* "\.\[dp\]"'):
        use()


@pytest.mark.parametrize("kind", ["discrete Laplace", "discrete Gaussian"])
@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("counts", [1, 5, 40])
def test_noise_hides_more_of_a_total_no_more_often_than_told(kind, scale, counts):
    """Against the convolution of the noise itself."""
    mechanism = Mechanism(kind, scale)
    one = np.exp(mechanism.log_weight(np.arange(-300, 301)))
    law = np.ones(1)
    for _ in range(counts):
        law = np.convolve(law, one / one.sum())
    noise = np.arange(len(law)) - len(law) // 2
    for chance in (0.01, 1e-6):
        margin = mechanism.margin_of_total(counts, chance)
        assert law[noise < -margin].sum() <= chance
        assert margin <= 3 * mechanism.scale * math.sqrt(2 * counts * -math.log(chance)) + 30 * scale + 1


def test_a_delta_that_makes_a_single_release_worse_is_said():
    """At epsilon 1: 1.36 by Laplace noise, 4.23 at a delta of 1e-6."""
    noise = calibrate(Fraction(1), Fraction(1, 10**6))
    advice = better_without_delta(noise, Fraction(1))
    assert mentions(advice, "without a delta", "1.36", "here", "4.23")
    assert better_without_delta(calibrate(Fraction(1), Fraction(0)), Fraction(1)) is None
    many = Sensitivity(50, 50)  # many values of one person
    assert better_without_delta(calibrate(Fraction(1), Fraction(1, 10**6), many), Fraction(1)) is None


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
    monkeypatch.setattr(mechanism, "SUMMED_TO", 0)
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


@pytest.mark.parametrize("rho", ["1e-20", "1e+09"])
def test_rho_that_promises_nothing_is_refused(rho):
    with pytest.raises(BadNoise) as caught:
        calibrate_rho(Fraction(rho))
    assert mentions(caught.value, f"rho {rho}", "nothing", "5e-13", "5000")


def test_many_tiny_releases_are_not_rounded_up_one_by_one():
    """A thousand of 1e-5: 0.057 of losses rounded to 1e-4 each, where the sum is 0.01."""
    spent = sl.privacy_spent([sl.Spending("a", "1e-5")] * 1_000, delta=1e-6)
    assert spent.basic == 0.01
    assert spent.loss_distribution < 0.0008
    assert spent.epsilon == min(spent.accounts().values())
    one = sl.privacy_spent([sl.Spending("a", "1e-6")], delta=1e-12)
    assert one.epsilon < 1.0000001e-6
    assert one.loss_distribution < 1.01e-6


@pytest.mark.parametrize("epsilon", [0, -1, "0", math.inf, math.nan, "much", "1/0"])
def test_an_epsilon_is_a_number_above_0(epsilon):
    with pytest.raises(BadNoise, match=r"epsilon is"):
        exact_epsilon(epsilon)


@pytest.mark.parametrize("delta", [-0.1, 1, 1.5, math.nan])
def test_a_delta_is_at_least_0_and_below_1(delta):
    with pytest.raises(BadNoise, match=r"delta is"):
        exact_delta(delta)


def test_unknown_neighbours_are_refused():
    with pytest.raises(BadNoise, match='"add or remove" or "replace"'):
        units_changed("next door")


@pytest.mark.parametrize("text", ["0.1", "1e-9", "3", "1/3", "123456789.125", "2.2250738585072014e-308"])
def test_amounts_are_read_back_exactly(text):
    amount = exact_amount(text, "epsilon")
    assert exact_amount(amount_text(amount), "epsilon") == amount
    assert Fraction(round_down(amount)) <= amount <= Fraction(round_up(amount))


def test_an_amount_is_what_is_written_and_not_the_float_next_to_it():
    assert exact_amount(0.1, "epsilon") == Fraction(1, 10) != Fraction(0.1)


def test_a_bound_is_shown_in_four_digits():
    assert amount_text(math.pi) == "3.142"


def test_a_promise_says_to_whom_it_is_made():
    to_person, to_row = (PrivacyUnit(who, "set", 2).sentence() for who in ("id", "each row"))
    assert mentions(to_person, "each person", "'id'", "at most 2 values")
    assert ";" not in to_person
    to_row, unchecked = to_row.split(";")
    assert mentions(to_row, "each row", "at most 2 values")
    assert mentions(unchecked, "row", "person", "not checked")
    assert "person" not in PrivacyUnit("each row").sentence().partition(";")[0]


TOO_FAR = ["1e-400", "1e400", "1e999999999", "1e-999999999", 10**400, Fraction(1, 10**400), Fraction(10**400), 5e-324]


@pytest.mark.parametrize("epsilon", TOO_FAR, ids=lambda each: str(each)[:12])
def test_an_epsilon_that_no_float_holds_is_refused(epsilon):
    with pytest.raises(BadNoise, match="nothing or everything") as refused:
        exact_epsilon(epsilon)
    assert len(str(refused.value)) < 130


@pytest.mark.parametrize("delta", TOO_FAR, ids=lambda each: str(each)[:12])
def test_a_delta_that_no_float_holds_is_refused(delta):
    with pytest.raises(BadNoise, match="delta is") as refused:
        exact_delta(delta)
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize("amount", [10**5000, "9" * 5000, "0x10", "1e", "", True, None, [1]], ids=range(8))
def test_what_is_no_amount_is_refused_in_one_short_line(amount):
    with pytest.raises(BadNoise, match=r"^epsilon .* 1 or 0\.5$") as refused:
        exact_amount(amount, "epsilon")
    assert len(str(refused.value)) < 130


def test_amounts_that_differ_are_told_apart():
    assert distinguish_amounts([Fraction(1), 1.0000001, 0.5]) == ["1", "1.0000001", "0.5"]
    assert distinguish_amounts([Fraction(1), math.nextafter(1, 2)]) == ["1", "1.0000000000000002"]
    assert distinguish_amounts([Fraction(1), 1.0]) == ["1", "1"]


def test_a_cap_on_rows_is_for_events_of_people():
    rows = pa.table({"id": [1, 1, 2], "ward": ["A", "B", "A"], "disease": ["Flu"] * 3})
    options = {"quasi": "ward", "sensitive": "disease"}
    events = sl.read_events(rows, person="id", **options)
    unit = PrivacyUnit.of(events, rows_per_person=2)
    assert (unit.at_most, unit.once, unit.sensitivity("replace")) == (2, False, Sensitivity(4, 8))
    assert PrivacyUnit.of(events, rows_per_person=1).once
    refused = [
        ({"rows_per_person": None}, events, "1 person .*'id'.*rows_per_person=3"),
        ({"rows_per_person": 0}, events, "rows_per_person= is 0.*at least 1"),
        ({"rows_per_person": True}, events, "rows_per_person= is True.*at least 1"),
        ({"rows_per_person": 2, "values_per_person": 2}, events, "one value.*values_per_person="),
        (
            {"rows_per_person": 2},
            sl.read_events(rows, person="each row", **options),
            "rows_per_person= needs.* person=",
        ),
        (
            {"rows_per_person": 2},
            sl.read_events(rows, person="id", values="set", **options),
            "counts rows, and values=",
        ),
        ({"rows_per_person": 2}, sl.read_table(rows.slice(1), person="id", **options), r"sl\.read_events"),
    ]
    for caps, counted, says in refused:
        with pytest.raises(BadNoise, match=says):
            PrivacyUnit.of(counted, **caps)


def test_a_set_of_events_may_be_in_several_groups():
    """So the number of values bounds nothing: a person may have each of them in each group."""
    rows = pa.table({"id": [1, 1], "ward": ["A", "B"], "disease": ["Flu", "Flu"]})
    events = sl.read_events(rows, quasi="ward", sensitive="disease", person="id", values="set")
    assert PrivacyUnit.of(events, values_per_person=2, values=1).at_most == 2
