"""Logarithms of chances in groups of any size, next to the same chances as fractions."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import perm

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight._rounding import log
from sidelight.measures.privacy_skyline.five_minima import reach
from sidelight.measures.privacy_skyline.odds import log_missing_all


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
    found = float(log_missing_all(np.array([n]), np.array([a]), m)[0])
    with localcontext(prec=60):
        off = abs(Decimal(found) - exact)
    assert off <= 8e-15 * few + 4e-15 * abs(float(exact)) + 1e-11 * (n < 1024) + 1e-13


@pytest.mark.parametrize("factor", [10**3, 10**6, 10**9])
def test_it_does_not_grow_worse_with_many_factors(factor):
    """a = m = few: the product of n−few−i over n−i, doubled, is the same as for one draw after the other."""
    n, few = 10**6 * factor, 1000
    once = log_missing_all(np.array([n]), np.array([few]), few)[0]
    steps = np.log1p(-few / (n - np.arange(few))).sum()
    assert once == pytest.approx(steps, abs=8e-15 * few)


@given(st.integers(10**6, 10**9), st.integers(0, 2), st.integers(0, 3), st.integers(1, 5), st.data())
def test_an_outline_is_within_its_slack_in_large_groups(people, rules_out, others, family, data):
    counts = [data.draw(st.integers(1, people // 4)) for _ in range(3)]
    bag = {"rest": people - sum(counts), **dict(zip("abc", counts, strict=True))}
    measure = sl.Acquaintance(rules_out, others, family)
    for semantics in ("single", "set"):
        release = sl.Release.from_counts([bag], sizes=[people], values=semantics)
        screen = measure.screen()
        value = float(screen.value(screen.of(release.groups))[0])
        assert abs(Fraction(value) - measure.measure(release).value) <= screen.slack(people)


def test_slack_grows_only_with_the_family():
    assert sl.Acquaintance(family=5).screen().slack(10**9) == pytest.approx(1e-9, rel=1e-3)
    assert sl.Acquaintance(family=10**8).screen().slack(10**9) == reach(0.0, 10**8)
    assert sl.Acquaintance(family=10**8).screen().slack(100) == reach(0.0, 100)


def test_very_different_sizes_take_no_memory():
    """Once a table of all sizes up to the largest was made."""
    release = sl.Release.from_counts([{"a": 10**9, "b": 10**9}, {"a": 1, "b": 2}])
    assert sl.Acquaintance(family=1).measure(release).value == 1
    finding = sl.Acquaintance(family=1, value="a").measure(release)
    assert finding.value == 1 / (1 + Fraction(10**9 - 1, 2 * 10**9 - 1))
    assert finding.replay(release) == finding.value
