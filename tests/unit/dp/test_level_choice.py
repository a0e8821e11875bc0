"""Levels for a noisy release: what a search picked is refused, what was chosen is paid for."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadNoise, BudgetExceeded, WrongKind

ADULT = sl.datasets.adult(quasi=["age", "sex"])
AMONG = [{"age": 0, "sex": 0}, {"age": 3, "sex": 0}, {"age": 5, "sex": 1}]
OPTIONS = {"by": ADULT.hierarchies, "domain": ADULT.table.domain}


def test_levels_that_a_search_picked_are_refused():
    found = sl.protect(ADULT.table, sl.Policy(sl.GroupSize() >= 50), by=ADULT.hierarchies)
    for picked in (found, found.levels, found.minimal[0], found.outcome):
        with pytest.raises(BadNoise, match="picked by a search that looked at the data"):
            sl.noisy_counts(ADULT.table, levels=picked, epsilon=1, **OPTIONS)
    with pytest.raises(BadNoise, match="picked by a search"):
        sl.choose_levels(ADULT.table, among=[found.levels], epsilon=1, **OPTIONS)


def test_levels_that_were_paid_for_are_taken(tmp_path):
    ledger = sl.Ledger.start(tmp_path / "budget.json", epsilon=1)
    chosen = sl.choose_levels(ADULT.table, among=AMONG, epsilon=0.25, above=30, ledger=ledger, **OPTIONS)
    assert dict(chosen.levels) == AMONG[1]  # its score is far above the others
    noisy = sl.noisy_counts(ADULT.table, levels=chosen, epsilon=0.75, ledger=ledger, **OPTIONS)
    assert noisy.paid_choice == chosen.spending
    assert [each.epsilon for each in ledger.read().spendings] == [Fraction(1, 4), Fraction(3, 4)]
    with pytest.raises(BudgetExceeded):
        sl.choose_levels(ADULT.table, among=AMONG, epsilon=0.25, ledger=tmp_path / "budget.json", **OPTIONS)


def test_a_choice_has_to_be_paid_from_the_same_ledger(tmp_path):
    chosen = sl.choose_levels(ADULT.table, among=AMONG, epsilon=0.25, **OPTIONS)
    ledger = sl.Ledger.start(tmp_path / "budget.json", epsilon=1)
    with pytest.raises(BadNoise, match=r"was not paid from the ledger 'budget\.json'"):
        sl.noisy_counts(ADULT.table, levels=chosen, epsilon=0.5, ledger=ledger, **OPTIONS)


def test_a_choice_needs_something_to_choose_from_and_an_epsilon():
    with pytest.raises(BadNoise, match="lists no levels"):
        sl.choose_levels(ADULT.table, among=[], epsilon=1, **OPTIONS)
    with pytest.raises(BadNoise, match="epsilon is -1"):
        sl.choose_levels(ADULT.table, among=AMONG, epsilon=-1, **OPTIONS)


def test_replacing_costs_the_choice_twice_the_noise():
    chosen = sl.choose_levels(ADULT.table, among=AMONG, epsilon=1, above=30, neighbours="replace", **OPTIONS)
    assert (dict(chosen.levels), chosen.spending.neighbours) == (AMONG[1], "replace")


def test_candidates_are_a_list():
    with pytest.raises(WrongKind, match="among= should be a list of levels"):
        sl.choose_levels(ADULT.table, among={"age": 1}, epsilon=1, **OPTIONS)
