import json
import math
import re
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadLedger, BadNoise, BudgetExceeded
from sidelight.noise.account import Account, ChoiceReceipt
from sidelight.noise.accountant import CountedColumns, compute_concentrated
from sidelight.noise.ledger_document import compute_digest, from_text, to_text
from sidelight.noise.mechanism import Mechanism
from sidelight.noise.parameters import PrivacyUnit, Sensitivity

A_TENTH = sl.Spending("a tenth", epsilon=0.1)


def start(folder, **options):
    return sl.Ledger.begin(folder / "budget.json", **({"epsilon": 1} | options))


def test_the_whole_budget_can_be_spent_and_no_more(tmp_path):
    ledger = start(tmp_path)
    for _ in range(10):  # ten tenths are one: amounts are exact
        ledger.spend(A_TENTH)
    assert ledger.read().spent == (1, 0)
    with pytest.raises(
        BudgetExceeded, match="of epsilon 1 and delta 0, 1 and 0 are spent; nothing was spent or published"
    ):
        ledger.spend(A_TENTH)
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
    with pytest.raises(BudgetExceeded, match="of epsilon is spent, and it would be"):
        ledger.spend(sl.Spending("large", 1))
    with pytest.raises(BudgetExceeded):  # nothing is known of its noise
        ledger.spend(sl.Spending("unknown", 0.01, "1e-9"))


def test_neighbours_are_not_mixed(tmp_path):
    with pytest.raises(BadNoise, match="about add or remove neighbours"):
        start(tmp_path).spend(sl.Spending("replaced", 0.1, neighbours="replace"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"epsilon": 0}, "budget's epsilon is 0"),
        ({"delta": 2}, "budget's delta is 2"),
        ({"accounting": "hopeful"}, 'choose "basic" or "concentrated"'),
        ({"accounting": "concentrated"}, "needs a budget with a delta"),
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
    with pytest.raises(
        BadNoise, match=r"costs more than epsilon 0\.1.*, which was to be charged for it; nothing was spent"
    ):
        ledger.spend(sl.Spending("cheap", "0.1", delta, mechanism=mechanism))
    assert ledger.path.read_bytes() == before
    ledger.spend(sl.Spending("fair", "0.1", mechanism=Mechanism("discrete Laplace", 10.0)))


def test_noise_for_less_than_a_unit_can_change_is_refused(tmp_path):
    counts = CountedColumns("disease", (("sex", 0),), 4, PrivacyUnit("id", "set", 3))
    enough = Mechanism("discrete Laplace", 30.0, Sensitivity(3, 3))
    with pytest.raises(BadNoise, match=r"costs more than epsilon 0\.1"):
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
    with pytest.raises(BadNoise, match=r"and that of the queries costs more than epsilon 0\.1"):
        ledger.spend(spending)
    honest = Mechanism("discrete Gaussian", 300.0, Sensitivity(3, 9))
    ledger.spend(sl.Spending("3 each", "0.1", "1e-3", mechanism=cells, counted=counts, marginal_noise=(honest,)))


def test_odd_amounts_are_rounded_up_for_people(tmp_path):
    ledger = start(tmp_path, delta="1e-3")
    for epsilon, delta in (("1/7", "1e-99"), ("1/11", "3e-98"), ("1/1000003", "1e-5")):
        ledger.spend(sl.Spending("odd", epsilon, delta))
    assert ledger.read().balance() == "epsilon 0.233768 of 1 and delta 1.00001e-05 of 0.001"
    with pytest.raises(BudgetExceeded, match=r"of epsilon 1 and delta 0.001, 0\.2338 and 1.00001e-05 are spent"):
        ledger.spend(sl.Spending("too much", 1))


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
    with pytest.raises(BadNoise, match="not paid from this ledger"):  # nothing was drawn yet
        ledger.spend(A_TENTH, using=[ChoiceReceipt(receipt, "abc", "")])
    ledger.enter_winner(receipt, "won")
    (choice,) = ledger.read().entries
    for wrong in ((receipt, "abd", "won"), (receipt, "abc", "lost"), ("", "abc", "won"), ("0" * 32, "abc", "won")):
        with pytest.raises(BadNoise, match="not paid from this ledger"):
            ledger.spend(A_TENTH, using=[ChoiceReceipt(*wrong)])
    fits = ChoiceReceipt(receipt, "abc", "won")
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
    spent, would_be = re.search(
        r"([0-9.]+) of epsilon is spent, and it would be ([0-9.]+) ", str(refused.value)
    ).groups()
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
    assert Account.in_rho("1e-300", "0.5").epsilon > 0
