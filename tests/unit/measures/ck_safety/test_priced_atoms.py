"""How improbable can atoms of a given price make it that none of them holds?"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sidelight.measures.ck_safety.minimize_within_group import TopCounts, least_log_probabilities
from sidelight.measures.ck_safety.priced_atoms import ExactGroup, Kinds, PricedGroups, least_logs
from sidelight.worlds.closed_forms import probability_of_avoiding

COUNTS = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(lambda each: sorted(each, reverse=True))


@given(COUNTS, COUNTS, st.integers(1, 3), st.integers(1, 3), st.integers(0, 6))
def test_logarithms_and_fractions_agree(cheap, dear, one, other, budget):
    """Two classes of values; with a target of the first class, whose count is taken out of it."""
    size = sum(cheap) + sum(dear)
    for target in (False, True):
        counts = (np.array([cheap[1:] if target else cheap]), np.array([dear]))
        groups = PricedGroups(np.array([size]), counts, np.array([cheap[0] * target]), (one, other, one))
        logs = least_logs(groups, budget, target=target)[:, 0]
        exact = [ExactGroup.of(groups, 0).least(price, target=target) for price in range(budget + 1)]
        for log, chain in zip(logs, exact, strict=True):
            assert math.isclose(math.exp(log), chain.product, abs_tol=1e-12)


@given(COUNTS, st.integers(0, 5))
def test_with_one_price_it_is_minimize1(counts, k):
    padded = np.array([counts + [0] * (k + 1)])[:, : k + 1]
    top = TopCounts(np.array([sum(counts)]), padded, padded[:, 0])
    others, targets = least_log_probabilities(top)
    whole = PricedGroups(top.sizes, (np.array([counts]),), np.array([0]), (1, 0))
    without = PricedGroups(top.sizes, (np.array([counts[1:]], np.int64).reshape(1, -1),), top.target, (1, 1))
    np.testing.assert_allclose(np.exp(least_logs(whole, k, target=False)), np.exp(others), atol=1e-12)
    np.testing.assert_allclose(np.exp(least_logs(without, k, target=True)), np.exp(targets), atol=1e-12)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(0, 4))
def test_no_sets_but_chains_are_needed(counts, budget):
    """Every way to ask people of a group about any sets of values, priced 1, 2, 3: none is less likely to be avoided."""
    values = dict(zip("abc", counts, strict=False))
    price = dict(zip("abc", (1, 2, 3), strict=True))
    subsets = [
        frozenset(v for v, bit in zip(values, bits, strict=True) if bit) for bits in product((0, 1), repeat=len(values))
    ]
    people = min(sum(counts), budget)
    least = min(
        (
            probability_of_avoiding(values, chosen)
            for chosen in product(subsets, repeat=people)
            if sum(price[v] for each in chosen for v in each) <= budget
        ),
        default=Fraction(1),
    )
    group = ExactGroup(sum(counts), tuple((count,) for count in counts), 0, (*price.values(),)[: len(counts)] + (0,))
    assert group.least(budget, target=False).product == least


def test_kinds_stand_after_those_within_them():
    kinds, listed = Kinds.within(4, (2, 1, 2), (2, 3, 1))
    for kind in listed[1:]:
        assert all(listed.index(smaller) < listed.index(kind) for smaller in kinds.smaller(kind))
