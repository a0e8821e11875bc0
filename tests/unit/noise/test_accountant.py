import dataclasses
import json
import math
import re
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadLedger, BadNoise, BudgetExceeded, WrongKind
from sidelight.noise.accountant import (
    Account,
    CountedColumns,
    PaidChoice,
    Spending,
    _compose_losses,
    compute_concentrated,
    promise_of,
)
from sidelight.noise.ledger import compute_digest, from_text, to_text
from sidelight.noise.mechanism import Mechanism, PrivacyUnit, Sensitivity, calibrate, concentrated_epsilon, opendp
from sidelight.noise.privacy_profile import LOST_IN_TRANSFORMS
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
    with pytest.raises(BadNoise, match=r"adding.*replacing.*apart"):
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
    with pytest.raises(WrongKind, match=r"spending 1.*Spending, not an int.*sl\.Spending"):
        sl.privacy_spent([1])
    with pytest.raises(WrongKind, match=r"not one.*\[spending\]"):
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
    composed = _compose_losses([spent] * times)
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


A_TENTH = sl.Spending("a tenth", epsilon=0.1)


def start(folder, **options):
    return sl.Ledger.begin(folder / "budget.json", **({"epsilon": 1} | options))


def test_the_whole_budget_can_be_spent_and_no_more(tmp_path):
    ledger = start(tmp_path)
    for _ in range(10):  # ten tenths are one: amounts are exact
        ledger.spend(A_TENTH)
    assert ledger.read().spent == (1, 0)
    with pytest.raises(BudgetExceeded) as caught:
        ledger.spend(A_TENTH)
    asked, budget, spent = ("epsilon 0.1", "delta 0"), ("epsilon 1", "delta 0"), (1, 0, "are spent")
    assert mentions(caught.value, *asked, *budget, *spent, "nothing")
    assert len(ledger.read().entries) == 10


def test_delta_has_its_own_budget(tmp_path):
    ledger = start(tmp_path, delta="1e-6")
    ledger.spend(sl.Spending("once", 0.1, "1e-6"))
    with pytest.raises(BudgetExceeded, match="1e-06"):
        ledger.spend(sl.Spending("twice", 0.1, "1e-9"))
    ledger.spend(A_TENTH)


def test_a_concentrated_ledger_allows_more_small_releases(tmp_path):
    ledger = start(tmp_path, delta="1e-6", accounting="concentrated")
    small = sl.Spending("small", 0.02)
    for _ in range(60):
        ledger = sl.Ledger(ledger.path)
        ledger.spend(small)
    epsilon, delta = ledger.read().spent
    assert epsilon < 1 < 60 * 0.02
    assert delta == Fraction(1, 10**6)
    with pytest.raises(BudgetExceeded, match=r"epsilon 1 .*spent.*would be"):
        ledger.spend(sl.Spending("large", 1))
    with pytest.raises(BudgetExceeded):  # nothing is known of its noise
        ledger.spend(sl.Spending("unknown", 0.01, "1e-9"))


def test_neighbours_are_not_mixed(tmp_path):
    with pytest.raises(BadNoise, match=r'replace.*neighbours="add or remove"') as caught:
        start(tmp_path).spend(sl.Spending("replaced", 0.1, neighbours="replace"))
    assert caught.value.parameters == ("neighbours",)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"epsilon": 0}, "budget's epsilon is 0"),
        ({"delta": 2}, "budget's delta is 2"),
        ({"accounting": "hopeful"}, 'choose "basic" or "concentrated"'),
        ({"accounting": "concentrated"}, '"concentrated".*delta above 0'),
        ({"neighbours": "nice"}, 'no neighbours="nice"'),
    ],
)
def test_a_budget_has_to_make_sense(tmp_path, options, says):
    with pytest.raises(BadNoise, match=says):
        start(tmp_path, **options)
    assert not (tmp_path / "budget.json").exists()


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (Mechanism("discrete Laplace", 9.99), 0),
        (Mechanism("discrete Laplace", 10.0, Sensitivity(2, 2)), 0),
        (Mechanism("discrete Laplace", math.inf), 0),
        (Mechanism("discrete Gaussian", 1000.0), 0),
        (Mechanism("discrete Gaussian", 1.0), "1e-6"),
    ],
)
def test_noise_that_costs_more_than_is_charged_is_refused(tmp_path, mechanism, delta):
    ledger = start(tmp_path, delta="1e-3")
    before = ledger.path.read_bytes()
    with pytest.raises(BadNoise, match=r"more than epsilon 0\.1.*nothing was spent"):
        ledger.spend(sl.Spending("cheap", "0.1", delta, mechanism=mechanism))
    assert ledger.path.read_bytes() == before
    ledger.spend(sl.Spending("fair", "0.1", mechanism=Mechanism("discrete Laplace", 10.0)))


def test_noise_for_less_than_a_unit_can_change_is_refused(tmp_path):
    counts = CountedColumns("disease", (("sex", 0),), 4, PrivacyUnit("id", "set", 3))
    enough = Mechanism("discrete Laplace", 30.0, Sensitivity(3, 3))
    with pytest.raises(BadNoise, match=r"more than epsilon 0\.1"):
        start(tmp_path).spend(
            sl.Spending("3 each", "0.1", mechanism=Mechanism("discrete Laplace", 30.0), counted=counts)
        )
    sl.Ledger(tmp_path / "budget.json").spend(sl.Spending("3 each", "0.1", mechanism=enough, counted=counts))


def test_a_total_of_three_values_each_moves_by_three(tmp_path):
    """Three cells by one each are one total by three, and Gaussian noise for √3 does not hide that."""
    counts = CountedColumns("disease", (("sex", 0),), 4, PrivacyUnit("id", "set", 3))
    cells = Mechanism("discrete Gaussian", 200.0, Sensitivity(3, 3))
    ledger = start(tmp_path, delta="1e-3")
    total = Mechanism("discrete Gaussian", 300.0, Sensitivity(3, 3))
    spending = sl.Spending("3 each", "0.1", "1e-3", mechanism=cells, counted=counts, marginal_noise=(total,))
    assert spending.keeps()
    with pytest.raises(BadNoise, match=r"queries.*more than epsilon 0\.1"):
        ledger.spend(spending)
    honest = Mechanism("discrete Gaussian", 300.0, Sensitivity(3, 9))
    ledger.spend(sl.Spending("3 each", "0.1", "1e-3", mechanism=cells, counted=counts, marginal_noise=(honest,)))


def test_odd_amounts_are_rounded_up_for_people(tmp_path):
    ledger = start(tmp_path, delta="1e-3")
    for epsilon, delta in (("1/7", "1e-99"), ("1/11", "3e-98"), ("1/1000003", "1e-5")):
        ledger.spend(sl.Spending("odd", epsilon, delta))
    assert mentions(ledger.read().balance(), "epsilon 0.233768", 1, "delta 1.00001e-05", "0.001")
    with pytest.raises(BudgetExceeded) as caught:
        ledger.spend(sl.Spending("too much", 1))
    assert mentions(caught.value, "epsilon 1", "delta 0.001", "0.2338", "1.00001e-05", "spent")


@given(
    st.lists(
        st.builds(
            sl.Spending,
            st.text(max_size=5),
            st.sampled_from(["0.1", "1/3", "1e-3"]),
            st.sampled_from(["0", "1e-9"]),
            st.just("add or remove"),
            st.none()
            | st.builds(
                Mechanism,
                st.just("discrete Laplace"),
                st.floats(1e6, 1e7),  # enough for every epsilon, whoever is counted
                st.builds(Sensitivity, st.integers(9, 12), st.integers(81, 100)),
            ),
            st.none()
            | st.builds(
                CountedColumns,
                st.text(max_size=3),
                st.just((("age", 2), ("sex", 0))),
                st.just(12),
                st.builds(
                    PrivacyUnit,
                    st.sampled_from(["id", "each row"]),
                    st.sampled_from(["single", "set"]),
                    st.integers(1, 3),
                    st.none() | st.integers(1, 3),
                ),
            ),
        )
    )
)
def test_an_account_is_read_back_as_it_was(spendings):
    account = Account(Fraction(1000), Fraction(1, 2))
    for each in spendings:
        account = account.after(each, at=datetime(2026, 1, 1, tzinfo=UTC))
    assert from_text(to_text(account)) == account


def test_the_file_can_be_read_by_people(tmp_path):
    ledger = start(tmp_path)
    ledger.spend(sl.Spending("counts of disease by sex", 0.5))
    (entry,) = json.loads(ledger.path.read_text())["entries"]
    assert (entry["what"], entry["epsilon"]) == ("counts of disease by sex", "0.5")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", entry["at"])
    assert Path(ledger.path).read_text().endswith("}\n")


@pytest.mark.parametrize("version", [1, 2, 4, "3", None])
def test_ledgers_of_another_version_are_refused(tmp_path, version):
    ledger = start(tmp_path)
    ledger.spend(A_TENTH)
    document = json.loads(ledger.path.read_text())
    assert document.pop("digest") == compute_digest(document)
    document["schema_version"] = version
    ledger.path.write_text(json.dumps({**document, "digest": compute_digest(document)}))
    with pytest.raises(BadLedger):
        ledger.read()


def test_a_choice_is_marked_as_used_in_the_step_that_pays_its_user(tmp_path):
    ledger = start(tmp_path)
    receipt = ledger.spend(A_TENTH, commitment="abc").entries[-1].receipt
    with pytest.raises(BadNoise, match=r"not paid.*this ledger"):  # nothing was drawn yet
        ledger.spend(A_TENTH, using=[(receipt, PaidChoice("abc"))])
    ledger.enter_winner(receipt, "won")
    (choice,) = ledger.read().entries
    for wrong in ((receipt, "abd", "won"), (receipt, "abc", "lost"), ("", "abc", "won"), ("0" * 32, "abc", "won")):
        with pytest.raises(BadNoise, match=r"not paid.*this ledger"):
            ledger.spend(A_TENTH, using=[(wrong[0], PaidChoice(*wrong[1:]))])
    fits = (receipt, PaidChoice("abc", "won"))
    with pytest.raises(BadNoise, match="used already"):
        ledger.spend(A_TENTH, using=[fits, fits])
    assert ledger.read().entries == (choice,)
    user = ledger.spend(A_TENTH, using=[fits]).entries[-1]
    assert [each.choice and each.choice.used_by for each in ledger.read().entries] == [user.receipt, None]
    with pytest.raises(BadNoise, match="used already"):
        ledger.spend(A_TENTH, using=[fits])


def test_a_winner_is_entered_once_and_for_choices_only(tmp_path):
    ledger = start(tmp_path)
    choice = ledger.spend(A_TENTH, commitment="abc").entries[-1].receipt
    counts = ledger.spend(A_TENTH).entries[-1].receipt
    ledger.enter_winner(choice, "won")
    before = ledger.path.read_bytes()
    for receipt, says in ((choice, "drawn already"), (counts, "no choice of levels"), ("0" * 32, "no such receipt")):
        with pytest.raises(BadLedger, match=says):
            ledger.enter_winner(receipt, "another")
    assert ledger.path.read_bytes() == before


def test_a_refusal_shows_enough_digits_to_see_why(tmp_path):
    """Not "1 is spent, and it would be 1"."""
    delta = Fraction(1, 10**6)
    small = sl.Spending("a", "0.0001")
    costs = compute_concentrated([sl.Spending("a", "0.1")] * 3, delta)
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=repr(costs), delta=delta, accounting="concentrated")
    for _ in range(3):
        ledger.spend(sl.Spending("a", "0.1"))
    with pytest.raises(BudgetExceeded) as refused:
        ledger.spend(small)
    spent, would_be = re.search(r"([0-9.]+)[^0-9]*is spent[^0-9]*([0-9.]+)", str(refused.value)).groups()
    assert spent != would_be


def test_all_releases_promise_less_than_one_and_on_its_condition(tmp_path):
    ledger = start(tmp_path, delta="1e-6")
    unit = PrivacyUnit("each row")
    counted = CountedColumns("disease", (), 1, unit)
    one = ledger.spend(sl.Spending("rows", "0.5", counted=counted)).promise()
    both = ledger.spend(sl.Spending("more", "0.25", "1e-9")).promise(people=100)
    assert (one.shift < both.shift, one.condition, both.condition) == (True, unit.condition, unit.condition)
    with pytest.raises(BadNoise, match="people"):
        ledger.read().promise()


def test_a_tiny_budget_of_rho_has_an_epsilon():
    assert Account.from_rho("1e-300", "0.5").epsilon > 0
