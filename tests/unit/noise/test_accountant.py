import dataclasses
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadNoise, WrongKind
from sidelight.noise.accountant import (
    LOST_IN_TRANSFORMS,
    Spending,
    _composed_losses,
    concentrated_epsilon,
    promise_of,
)
from sidelight.noise.mechanism import Mechanism, calibrate, opendp
from sidelight.noise.parameters import PrivacyUnit
from sidelight.rounding import round_up

PURE = sl.Spending("a", epsilon=0.1)


def gaussian(epsilon, delta, **options):
    return sl.Spending("a", epsilon, delta, mechanism=calibrate(Fraction(epsilon), Fraction(delta), **options))


def laplace(epsilon):
    return sl.Spending("a", epsilon, mechanism=calibrate(Fraction(epsilon), Fraction(0)))


def test_a_single_release_costs_what_it_costs():
    spent = sl.privacy_spent([laplace(1)])
    assert (spent.basic, spent.epsilon, spent.advanced, spent.concentrated) == (1, 1, math.inf, math.inf)
    spent = sl.privacy_spent([gaussian(1, "1e-6")], delta=1e-6)
    assert spent.basic == spent.epsilon == 1
    assert spent.loss_distribution == pytest.approx(1, rel=2e-4)  # the noise is no larger than it has to be
    # so that a ledger of either kind takes what was calibrated to its budget
    spent = sl.privacy_spent([gaussian(1, "1e-6", through_rho=True)], delta=1e-6)
    assert spent.concentrated <= 1
    assert 0.9 < spent.loss_distribution < 1


def test_many_small_ones_cost_less_than_their_sum():
    spent = sl.privacy_spent([PURE] * 300, delta=1e-6)
    assert spent.basic == 30
    assert spent.loss_distribution < spent.advanced < spent.basic
    assert spent.loss_distribution < spent.concentrated < spent.basic
    assert spent.epsilon == spent.loss_distribution


def test_advanced_composition_is_the_formula():
    spent = sl.privacy_spent([PURE] * 100, delta=1e-5)
    formula = 100 * 0.1 * math.tanh(0.05) + math.sqrt(2 * math.log(1e5) * 100 * 0.01)
    assert spent.advanced == pytest.approx(formula, rel=1e-9)
    assert spent.advanced >= formula


def test_delta_is_shared():
    both = [gaussian(1, "1e-6")] * 2
    assert sl.privacy_spent(both, delta="1e-6").basic == math.inf
    spent = sl.privacy_spent(both, delta="2e-6")
    assert spent.basic == 2
    assert spent.concentrated < 1.6


def test_known_noise_is_accounted_no_higher_than_its_parameters():
    known, unknown = ([each] * 5 for each in (gaussian(1, "1e-7"), sl.Spending("a", 1, "1e-7")))
    assert (
        sl.privacy_spent(known, delta=1e-6).loss_distribution < sl.privacy_spent(unknown, delta=1e-6).loss_distribution
    )
    assert sl.privacy_spent(unknown, delta=1e-6).concentrated == math.inf


def test_replacing_is_two_counts():
    one, two = (
        sl.Spending(
            "a", 1, neighbours=kind, mechanism=calibrate(Fraction(1), Fraction(0), PrivacyUnit("id").sensitivity(kind))
        )
        for kind in ("add or remove", "replace")
    )
    assert sl.privacy_spent([two], delta=1e-6).loss_distribution <= sl.privacy_spent([one], delta=1e-6).basic + 1e-4
    with pytest.raises(BadNoise, match="account for each kind apart"):
        sl.privacy_spent([one, two])


def test_nothing_costs_nothing():
    spent = sl.privacy_spent([], delta=0.1)
    assert (spent.basic, spent.concentrated, spent.epsilon) == (0, 0, 0)


@given(st.floats(1e-4, 30), st.floats(1e-12, 0.3))
def test_concentrated_privacy_is_converted_as_opendp_does(rho, delta):
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    noise = dp.m.make_gaussian(*space, scale=math.sqrt(1 / (2 * rho)))
    theirs = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noise), delta=delta).map(1.0)[0]
    assert concentrated_epsilon(rho, delta) == pytest.approx(theirs, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (-1, 0), (1, 1), (1, -1)])
def test_spending_nothing_or_everything_makes_no_sense(epsilon, delta):
    with pytest.raises(BadNoise):
        sl.Spending("a", epsilon, delta)


def test_what_is_no_spending_gets_one_line():
    with pytest.raises(WrongKind, match=r"spending 1 should be a Spending, not an int; write one: sl\.Spending"):
        sl.privacy_spent([1])
    with pytest.raises(WrongKind, match=r"put it into a list: \[spending\]"):
        sl.privacy_spent(PURE)


def test_shown_in_a_notebook():
    assert repr(PURE) == "<Spending of epsilon 0.1 on 'a'>"
    assert repr(gaussian("0.5", "1e-6")) == "<Spending of epsilon 0.5, delta 1e-06 on 'a', discrete Gaussian noise>"
    spent = sl.privacy_spent([PURE])
    assert repr(spent).startswith("<PrivacySpent at delta 0: epsilon at most 0.1")
    assert "concentrated infinite" in repr(spent)
    assert "<td>loss distribution</td>" in spent._repr_html_()


def test_a_promise_is_read_off_the_noise_where_that_says_more():
    spent = Spending("counts", "0.5", "1e-12", mechanism=calibrate(Fraction(1, 2), Fraction("1e-12")))
    together = promise_of([spent], people=45_222, chance="0.001")
    assert together.shift < sl.semantic_privacy("0.5", "1e-12", people=45_222, chance="0.001").shift
    assert together.shift == pytest.approx(0.2210, abs=2e-4)
    assert together.epsilon < 0.5
    assert promise_of([spent], people=45_222) == sl.semantic_privacy("0.5", "1e-12", people=45_222)


@pytest.mark.parametrize(("epsilon", "times"), [("0.1", 30), ("0.1", 300), ("0.5", 10), ("0.01", 1000)])
def test_floats_of_the_loss_distribution_never_understate_delta(epsilon, times):
    """Discrete Laplace noise for one count has two losses only, ±ε: composed they are binomial, and known exactly."""
    spent = laplace(epsilon)
    loss = 1 / spent.mechanism.scale
    right = 1 / (1 + math.exp(-loss))
    deltas = {}
    for share in (0.2, 0.5, 0.8, 0.95, 1):
        at = float(epsilon) * times * share
        deltas[at] = math.fsum(
            math.comb(times, j)
            * right**j
            * (1 - right) ** (times - j)
            * max(-math.expm1(at - (2 * j - times) * loss), 0)
            for j in range(times + 1)
            if (2 * j - times) * loss > at
        )
    composed = _composed_losses([spent] * times)
    for at, delta in deltas.items():
        assert composed.get_delta_for_epsilon(at) + LOST_IN_TRANSFORMS >= delta


def test_without_noise_that_is_known_a_promise_rests_on_epsilon_and_delta():
    spent = Spending("something", "0.5", "1e-12")
    told = promise_of([spent], people=45_222, chance="0.001").shift
    assert told == pytest.approx(sl.semantic_privacy("0.5", "1e-12", people=45_222, chance="0.001").shift, rel=1e-3)
    assert promise_of([Spending("something", 1)]) == sl.semantic_privacy(1)


@pytest.mark.parametrize("options", [{"chance": 0.1}, {"chance": 0.1, "people": 0}, {"chance": 2, "people": 5}])
def test_a_promise_with_a_chance_needs_people_and_a_chance_below_one(options):
    with pytest.raises(BadNoise):
        promise_of([Spending("something", 1)], **options)


def test_several_noises_of_one_release_are_accounted_for_together():
    laplace = [Mechanism("discrete Laplace", scale) for scale in (2.0, 4.0)]
    together = Spending("cells and totals", "0.75", mechanism=laplace[0], marginal_noise=(laplace[1],))
    apart = [Spending("cells", "0.5", mechanism=laplace[0]), Spending("totals", "0.25", mechanism=laplace[1])]
    assert together.keeps()
    assert not dataclasses.replace(together, epsilon="0.74").keeps()
    # each has ε² / 2 of its own, which is less than that of the sum
    assert together.rho() == pytest.approx(0.5**2 / 2 + 0.25**2 / 2)
    one, several = sl.privacy_spent([together], delta=1e-6), sl.privacy_spent(apart, delta=1e-6)
    assert one.loss_distribution == pytest.approx(several.loss_distribution, rel=1e-6)
    assert one.concentrated == pytest.approx(several.concentrated)
    gaussian = [Mechanism("discrete Gaussian", scale) for scale in (6.0, 8.0)]
    both = Spending("both", 1, Fraction(1, 10**6), mechanism=gaussian[0], marginal_noise=(gaussian[1],))
    assert both.rho() == pytest.approx(1 / 72 + 1 / 128)
    assert both.keeps()
    assert not dataclasses.replace(both, epsilon="0.5").keeps()


LARGE = [
    sl.Spending("epsilon", epsilon=710),
    sl.Spending("epsilon and delta", epsilon=2_000, delta="1e-9"),
    sl.Spending("Laplace", epsilon=2_000, mechanism=Mechanism("discrete Laplace", 0.0005)),
    sl.Spending("Gaussian", epsilon=10**30, delta="1e-9", mechanism=Mechanism("discrete Gaussian", 1e-6)),
]


@pytest.mark.parametrize("large", LARGE, ids=lambda each: each.what)
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_privacy_spent_of_losses_that_floats_do_not_hold_is_what_other_accounts_say(large, times, delta):
    spent = sl.privacy_spent([large] * times, delta=delta)
    within = times * large.delta <= Fraction(delta)
    assert spent.basic == (round_up(times * large.epsilon) if within else math.inf)
    assert spent.epsilon == min(spent.accounts().values())
    assert spent.loss_distribution > 709
    assert "epsilon at most" in repr(spent)
    promised = promise_of([large] * times, people=10, chance="0.01")
    assert promised.shift == 1
