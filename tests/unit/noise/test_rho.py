"""Noise that is calibrated to a ρ, and budgets of ρ."""

from fractions import Fraction

import pyarrow as pa
import pytest
from support.command_line import invoke
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadNoise, BudgetExceeded
from sidelight.noise.accountant import Account, compute_concentrated
from sidelight.noise.ledger import from_text, to_text

ROWS = pa.table({"sex": ["f", "m", "f", "m"], "disease": ["Flu", "Cold", "Flu", "Flu"]})
COUNTED = {
    "by": {"sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*")))},
    "levels": {"sex": 0},
    "domain": ["Flu", "Cold"],
    "people_at_most": 100,
}


def table():
    return sl.read_table(ROWS, quasi="sex", sensitive="disease", person="each row")


def noisy(**options):
    return sl.noisy_counts(table(), **{**COUNTED, "ledger": "no ledger", **options})


def test_noise_of_a_rho_tells_the_epsilon_that_it_comes_to(tmp_path):
    counts = noisy(rho="0.01", delta="1e-6")
    assert counts.mechanism.kind == "discrete Gaussian"
    assert Fraction(1, 2) / Fraction(counts.mechanism.scale) ** 2 <= Fraction("0.01")
    # the exact δ says less than ρ does
    assert counts.spending.epsilon < Fraction(compute_concentrated([counts.spending], Fraction("1e-6")))
    assert counts.spending.keeps()
    assert repr(counts).endswith("rho 0.01 (epsilon 0.575088, delta 1e-06)>")
    assert not any("without a delta" in each for each in counts.warnings())
    published = counts.publish(tmp_path / "counts.csv")
    assert (published.document.rho, published.document.epsilon) == ("0.01", "0.575088")
    assert sl.read_noise(tmp_path / "counts.csv").spending == counts.spending


def test_queries_share_a_rho():
    counts = noisy(rho="0.01", delta="1e-6", queries=["total", "sex"])
    assert counts.spending.keeps()
    assert len(counts.spending.mechanisms) > 1
    assert counts.spending.rho() == Fraction("0.01")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "epsilon= or rho="),
        ({"epsilon": 1, "rho": 1}, "epsilon= or rho="),
        ({"rho": 1}, "rho= .*every delta.*delta=1e-09"),
        ({"rho": "1e400", "delta": "1e-9"}, "rho is 1e400.*nothing or everything"),
        ({"rho": "1e-20", "delta": "1e-9"}, "rho 1e-20.*nothing but noise"),
        ({"rho": 0, "delta": "1e-9"}, "rho is 0.*above 0"),
    ],
)
def test_a_rho_has_to_make_sense(options, says):
    with pytest.raises(BadNoise, match=says):
        noisy(**options)


def test_a_budget_of_rho_is_spent_to_the_last_and_no_further(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", rho="0.1", delta="1e-6")
    for _ in range(10):
        noisy(rho="0.01", delta="1e-9", ledger=ledger)
    account = ledger.read()
    assert account.spent_rho == account.rho == Fraction(1, 10)
    assert mentions(account.balance(), "rho 0.1", "0.1", "epsilon 2.142", "2.14194", "delta 1e-06")
    with pytest.raises(BudgetExceeded) as caught:
        noisy(rho="1e-6", delta="1e-9", ledger=ledger)
    assert mentions(caught.value, "rho 1e-06", "more", "rho 0.1", "0.1", "is spent", "nothing")
    with pytest.raises(BudgetExceeded, match=r"rho 0\.005.*rho 0\.1"):
        noisy(epsilon="0.1", ledger=ledger)
    assert from_text(to_text(account)) == account


def test_what_has_no_rho_is_not_paid_from_a_budget_of_it(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", rho="0.1", delta="1e-6")
    with pytest.raises(BudgetExceeded, match=r"epsilon 0\.1, .*no rho"):
        ledger.spend(sl.Spending("unknown noise", "0.1", "1e-9"))
    assert ledger.read().spent_rho == 0


def test_other_ledgers_are_charged_the_epsilon_of_a_rho(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1, delta="1e-6")
    noisy(rho="0.01", delta="1e-6", ledger=ledger)
    assert ledger.read().spent == (Fraction("0.575088"), Fraction("1e-6"))


def test_a_ledger_that_adds_up_rho_takes_an_epsilon_of_its_whole_budget(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1, delta="1e-6", accounting="concentrated")
    counts = noisy(epsilon=1, delta="1e-6", ledger=ledger)
    assert counts.mechanism.scale > noisy(epsilon=1, delta="1e-6").mechanism.scale
    assert 0.999 < ledger.read().spent[0] <= 1


@pytest.mark.parametrize("options", [{}, {"epsilon": 1, "rho": 1}, {"rho": 1}])
def test_a_budget_is_of_one_kind(tmp_path, options):
    with pytest.raises(BadNoise, match=r"epsilon= or rho=|rho= needs delta="):
        sl.Ledger.begin(tmp_path / "budget.json", **options)


def test_noise_that_costs_more_than_its_rho_is_not_charged_less(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", rho="0.1", delta="1e-6")
    honest = noisy(rho="0.01", delta="1e-6").spending
    cheated = sl.Spending("a", honest.epsilon, honest.delta, mechanism=honest.mechanism, charged_rho=Fraction("0.009"))
    with pytest.raises(BadNoise, match=r"more than rho 0\.009"):
        ledger.spend(cheated)


def test_a_budget_of_rho_on_the_command_line(tmp_path):
    path = tmp_path / "budget.json"
    begun = invoke(["ledger", "begin", path, "--rho", "0.1", "--delta", "1e-6"])
    assert begun.exit_code == 0
    assert mentions(begun.output, "rho", 0, "0.1", "epsilon", 0, "2.14194", "delta", "1e-06", "spent")
    assert sl.Ledger(path).read() == Account.from_rho("0.1", "1e-6")
