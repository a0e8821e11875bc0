"""Mondrian that resists an insider on Adult: what it costs.

Chance decides a little: a handful of more than two thousand looks is veiled.
"""

from fractions import Fraction

import pytest
from hypothesis import settings
from support.examples import QUICK

import sidelight as sl

SEVEN = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
FOUR = ("age", "marital-status", "race", "sex")


FIGURES = [
    (FOUR, 1, Fraction(1, 2), 0.0232, 0.0236, 0.0016),
    (SEVEN, 1, Fraction(1, 2), 0.1075, 0.143, 0.004),
    (SEVEN, 2, Fraction(2, 3), 0.0943, 0.0997, 0.002),
]


@pytest.mark.parametrize(
    ("columns", "most", "belief", "plain", "resisting", "chance"),
    FIGURES if settings().max_examples > QUICK else FIGURES[:2],
)
def test_what_resisting_an_insider_costs(columns, most, belief, plain, resisting, chance):
    adult = sl.datasets.adult(quasi=list(columns))
    along = {name: hierarchy for name, hierarchy in adult.hierarchies.items() if name != "age"}
    policy = sl.Policy(sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= most)
    found = sl.protect(adult.table, policy, by=along, method="mondrian", resists="insider", ask="nobody")
    assert found.verdict.safe
    assert found.resistance.belief == belief
    assert found.resistance.plain_loss == pytest.approx(plain, abs=5e-5)
    assert found.utility["loss"] == pytest.approx(resisting, abs=chance)
