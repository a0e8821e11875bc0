"""Odds in one group: logarithms next to the same numbers as fractions, and decimals next to both."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from math import perm

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight._rounding import log
from sidelight.measures.exact import DECIMALS, FRACTIONS
from sidelight.measures.privacy_skyline.odds import ODDS, log_missing_all


@st.composite
def draws(draw):
    """n, a, m with a + m ≤ n: a few people among any number, also with hardly anybody left."""
    few = draw(st.integers(1, 40))
    many = draw(st.integers(1, 10 ** draw(st.integers(1, 12))))
    rest = draw(st.integers(0, 70) | st.integers(0, 10 ** draw(st.integers(1, 12))))
    a, m = (few, many) if draw(st.booleans()) else (many, few)
    return a + m + rest, a, m


@example((10**9, 3, 5))
@example((2, 1, 1))
@example((1024, 1, 1))
@given(draws())
def test_it_is_as_exact_as_it_says(drawn):
    n, a, m = drawn
    few, many = sorted((a, m))
    exact = log(Fraction(perm(n - many, few), perm(n, few)))
    approximate = float(log_missing_all(np.array([n]), np.array([a]), m)[0])
    with localcontext(prec=60):
        off = abs(Decimal(approximate) - exact)
    assert off <= 8e-15 * few + 4e-15 * abs(float(exact)) + 1e-11 * (n < 1024) + 1e-13


@pytest.mark.parametrize("factor", [10**3, 10**6, 10**9])
def test_it_does_not_grow_worse_with_many_factors(factor):
    """a = m = few: the product of n−few−i over n−i, doubled, is the same as for one draw after the other."""
    n, few = 10**6 * factor, 1000
    once = log_missing_all(np.array([n]), np.array([few]), few)[0]
    steps = np.log1p(-few / (n - np.arange(few))).sum()
    assert once == pytest.approx(steps, abs=8e-15 * few)


def test_long_arithmetic_agrees_with_short():
    for semantics, odds in ODDS.items():
        exact = odds.odds_against(40, 6, (7, 3), 5, FRACTIONS) * odds.none_has(40, 6, 4, 6, FRACTIONS)
        with DECIMALS.precision():
            rounded = odds.odds_against(40, 6, (7, 3), 5, DECIMALS) * odds.none_has(40, 6, 4, 6, DECIMALS)
            risk = DECIMALS.risk(rounded)
            assert DECIMALS.exceeds(rounded, exact) is False, semantics  # what cannot be told apart does not hold
            assert DECIMALS.exceeds(rounded, exact * Fraction(999, 1000))
        assert math.isclose(rounded, exact, rel_tol=1e-15)
        assert 0 <= Fraction(risk) - FRACTIONS.risk(exact) < Fraction(1, 10**15)
