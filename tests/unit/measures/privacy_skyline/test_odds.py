"""Odds in one group: logarithms next to the same numbers as fractions, and decimals next to both."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import perm, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight.measures.exact import DECIMALS, FRACTIONS
from sidelight.measures.privacy_skyline.odds import ODDS, SERIES_FROM, _stirling_rest, log_missing_all
from sidelight.rounding import log


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


def odds_by_definition(semantics, n, a, ruled_out, k):
    """T as the table of the module has it."""
    if semantics == "single":
        return Fraction(max(n - a - sum(ruled_out) - k, 0), a)
    if semantics == "set":
        return Fraction(max(n - a - k, 0), a) * prod(Fraction(n - count, n) for count in ruled_out)
    if n - k <= 1:
        return Fraction(0)
    q = Fraction(n - k - 1, n - k) ** a
    return q / (1 - q) * Fraction(n - 1, n) ** sum(ruled_out)


def none_has_by_definition(semantics, n, a, m, k):
    """V as the table of the module has it; of nobody it is certain."""
    if m == 0:
        return Fraction(1)
    if semantics == "multiset":
        return Fraction(n - k - m, n - k) ** a if n - k > m else Fraction(0)
    if n - a - k - (m - 1) <= 0:
        return Fraction(0)
    return prod((Fraction(n - a - k - i, n - k - i) for i in range(m)), start=Fraction(1))


GROUPS = [(n, a) for n in range(1, 7) for a in range(1, n + 1)]


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_odds_are_those_of_the_table_in_fractions_decimals_and_logarithms(semantics):
    odds, cases = ODDS[semantics], list(product(GROUPS, [(), (1,), (2, 1)], range(8)))
    cases = [case for case in cases if case[0][0] >= max(case[1], default=0)]
    for (n, a), ruled_out, k in cases:
        exact = odds_by_definition(semantics, n, a, ruled_out, k)
        assert odds.odds_against(n, a, ruled_out, k, FRACTIONS) == exact
        with DECIMALS.precision():
            assert odds.odds_against(n, a, ruled_out, k, DECIMALS) == pytest.approx(
                Decimal(float(exact)), rel=Decimal("1e-15")
            )
        weight = sum(odds.weight(np.array([count]), np.array([n]))[0] for count in ruled_out)
        log_odds = odds.log_odds_against(np.array([n]), np.array([a]), np.array([weight]), k)[0]
        assert log_odds == pytest.approx(math.log(exact) if exact else -math.inf, abs=1e-12)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_that_none_has_it_is_as_likely_as_in_the_table(semantics):
    odds = ODDS[semantics]
    for (n, a), m, k in product(GROUPS, range(8), range(8)):
        exact = none_has_by_definition(semantics, n, a, m, k)
        assert odds.none_has(n, a, m, k, FRACTIONS) == exact
        with DECIMALS.precision():
            assert odds.none_has(n, a, m, k, DECIMALS) == pytest.approx(Decimal(float(exact)), rel=Decimal("1e-15"))
        log_none = odds.log_none_has(np.array([n]), np.array([a]), m, k)
        assert log_none[0] == pytest.approx(math.log(exact) if exact else -math.inf, abs=1e-12)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_points_of_their_own_amounts_give_what_each_gives_alone(semantics):
    """A column of k and m for a row of groups, as skylines ask."""
    odds, (n, a) = ODDS[semantics], np.array(GROUPS).T
    k, m = np.indices((4, 5)).reshape(2, -1, 1)
    weight = odds.weight(np.ones_like(n), n)
    target, family = odds.log_odds_against(n, a, weight, k), odds.log_none_has(n, a, m, k)
    for point in range(len(k)):
        assert (target[point] == odds.log_odds_against(n, a, weight, int(k[point, 0]))).all()
        assert (family[point] == odds.log_none_has(n, a, int(m[point, 0]), int(k[point, 0]))).all()


def test_bits_count_the_factors_and_are_enough():
    assert [odds.bits(1023, 3) for odds in ODDS.values()] == [10, 10, 30]
    assert [odds.bits(1024, 3, ruled_out=(5, 2), m=7) for odds in ODDS.values()] == [66, 66, 143]
    assert [odds.bits(1023, 7, m=3) for odds in ODDS.values()] == [40, 40, 140]
    for odds in ODDS.values():
        exact = odds.odds_against(900, 70, (300, 200), 5, FRACTIONS) * odds.none_has(900, 70, 40, 6, FRACTIONS)
        assert max(exact.numerator, exact.denominator).bit_length() <= odds.bits(900, 70, ruled_out=(300, 200), m=40)


@pytest.mark.parametrize("few", [1, 3])
def test_where_the_series_begins_nothing_changes(few):
    """In one array: numbers below, at and above its first one, of people left beside few and many."""
    rest = np.arange(SERIES_FROM + 10)
    many = np.full_like(rest, 2000)
    logs = log_missing_all(many + few + rest, many, few)
    exchanged = log_missing_all(many + few + rest, np.full_like(rest, few), many)
    for left, log_missing, other in zip(rest.tolist(), logs.tolist(), exchanged.tolist(), strict=True):
        exact = prod(Fraction(left + few - i, 2000 + left + few - i) for i in range(few))
        assert log_missing == other == pytest.approx(math.log(exact), abs=1e-12)


PI = Decimal("3.14159265358979323846264338327950288419716939937510")


@pytest.mark.parametrize("x", [SERIES_FROM, SERIES_FROM + 1, 100, 1000])
def test_three_terms_of_the_series_are_as_good_as_floats_get(x):
    with localcontext(prec=60):
        exact = log(Fraction(math.factorial(x))) - (x + Decimal("0.5")) * log(Fraction(x)) + x - (2 * PI).ln() / 2
        off = abs(Decimal(float(_stirling_rest(np.array([x]))[0])) - exact)
    assert off < Decimal("2e-16")


@pytest.mark.parametrize("people", [20, 2000])
def test_of_no_families_nothing_is_said(people):
    assert log_missing_all(np.array([people]), np.array([3]), np.empty((0, 1), np.int64)).shape == (0, 1)
    assert log_missing_all(np.empty(0, np.int64), np.empty(0, np.int64), 1).shape == (0,)
