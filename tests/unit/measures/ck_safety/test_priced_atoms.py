"""How improbable can atoms of a given price make it that none of them holds?"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import TooHard
from sidelight.measures.ck_safety.minimize_within_group import TopCounts, least_log_probabilities
from sidelight.measures.ck_safety.priced_atoms import (
    Chain,
    ExactGroup,
    Kinds,
    PricedGroups,
    _ExactProgram,
    least_logs,
)
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
        exact = [ExactGroup.from_row(groups, 0).least(price, target=target) for price in range(budget + 1)]
        for log, chain in zip(logs, exact, strict=True):
            assert math.isclose(math.exp(log), chain.product, abs_tol=1e-12)


def least_of_all_chains(group, budget, *, target):
    """The definition: all chains of sets within the budget, person by person; of equal products the first in order."""

    def avoid(person, kind):
        holders = sum(sum(own[:many]) for own, many in zip(group.counts, kind, strict=False)) + kind[-1] * group.target
        return Fraction(max(group.size - person - holders, 0), max(group.size - person, 1))

    def go_on(person, within, left):
        yield Chain(Fraction(1))
        for kind in product(*(range(most + 1) for most in within)):
            price = sum(many * own for many, own in zip(kind, group.prices, strict=True))
            if any(kind) and price <= left:
                rests = go_on(person + 1, kind, left - price) if avoid(person, kind) else [Chain(Fraction(1))]
                yield from (Chain(avoid(person, kind) * rest.product, (kind, *rest.kinds)) for rest in rests)

    if not target:
        return min(go_on(0, (*map(len, group.counts), 0), budget))
    firsts = go_on(0, (*map(len, group.counts), 1), budget + group.prices[-1])
    odds = Fraction(group.size, group.target)
    return min(Chain(each.product * odds, each.kinds) for each in firsts if each.kinds and each.kinds[0][-1])


@given(COUNTS, COUNTS, st.integers(0, 2), st.integers(1, 3), st.integers(1, 3), st.integers(0, 6), st.booleans())
def test_the_exact_program_finds_the_first_of_the_best_chains(cheap, dear, unheld, one, other, budget, target):
    size = sum(cheap) + sum(dear) + 2 + unheld
    group = ExactGroup(size, (tuple(cheap), tuple(dear)), 2, (one, other, one) if target else (one, other, 0))
    expected = [least_of_all_chains(group, price, target=target) for price in range(budget + 1)]
    assert [group.least(price, target=target) for price in range(budget + 1)] == expected
    assert group.products(budget, target=target) == [each.product for each in expected]


def test_the_exact_program_looks_at_as_many_states_as_prices_leave(monkeypatch):
    """Of 60 values of one price, people × kinds within the budget × what is left: about J²/2·ln J, not J⁴."""
    asked = []
    plain = _ExactProgram.avoid
    monkeypatch.setattr(_ExactProgram, "avoid", lambda *given: asked.append(given) or plain(*given))
    group = ExactGroup(700, (tuple(range(60, 0, -1)),), 0, (1, 0))
    group.products(60, target=False)
    assert len(asked) <= sum(60 // people for people in range(1, 61))


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
    kinds, listed = Kinds.list_within(4, (2, 1, 2), (2, 3, 1))
    for kind in listed[1:]:
        assert all(listed.index(smaller) < listed.index(kind) for smaller in kinds.smaller(kind))


@given(
    st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 6),
)
def test_groups_side_by_side_are_as_each_alone(pairs, one, other, budget):
    """Of different sizes and numbers of values, some without the target's value, which then cannot be the target's."""
    width = max(len(each) for pair in pairs for each in pair)
    cheap, dear = (np.array([pair[place] + [0] * (width - len(pair[place])) for pair in pairs]) for place in (0, 1))
    own = np.arange(len(pairs)) % 3
    groups = PricedGroups(cheap.sum(axis=1) + dear.sum(axis=1) + own + 1, (cheap, dear), own, (one, other, other))
    for target in (False, True):
        logs = least_logs(groups, budget, target=target)
        assert logs.shape == (budget + 1, len(pairs))
        for row in range(len(pairs)):
            if target and not own[row]:
                assert (logs[:, row] == np.inf).all()
                continue
            exact = [
                ExactGroup.from_row(groups, row).least(price, target=target).product for price in range(budget + 1)
            ]
            np.testing.assert_allclose(np.exp(logs[:, row]), [float(each) for each in exact], atol=1e-12)


def test_groups_are_taken_in_blocks():
    many = 2048 + 3  # more than are held at once
    sizes = np.arange(many) + 10
    groups = PricedGroups(sizes, (np.full((many, 1), 4),), np.full(many, 2), (1, 1))
    np.testing.assert_allclose(np.exp(least_logs(groups, 1, target=False))[1], (sizes - 4) / sizes)
    np.testing.assert_allclose(np.exp(least_logs(groups, 1, target=True))[1], (sizes - 6) / 2)


def test_the_target_has_its_own_value_for_nothing_and_others_have_not():
    """Nothing buys nothing; for 5 the target is asked about the dear value; for 3 another person about the target's."""
    group = ExactGroup(10, ((4,),), 2, (5, 3))
    assert group.least(2, target=True) == Chain(Fraction(10, 2) * Fraction(8, 10), ((0, 1),))
    assert group.least(3, target=True) == Chain(5 * Fraction(8, 10) * Fraction(7, 9), ((0, 1), (0, 1)))
    assert group.least(5, target=True) == Chain(5 * Fraction(4, 10), ((1, 1),))
    assert group.least(4, target=False) == Chain(Fraction(1))
    assert group.least(5, target=False) == Chain(Fraction(6, 10), ((1, 0),))


def test_what_must_hold_is_not_avoided():
    """All but one of 5 have the value: of 2 people one has it, and a third need not be asked."""
    group = ExactGroup(5, ((4, 1),), 0, (1, 0))
    assert group.least(2, target=False) == group.least(3, target=False) == Chain(Fraction(0), ((1, 0), (1, 0)))
    assert ExactGroup(1, ((1,),), 0, (1, 0)).least(1, target=False) == Chain(Fraction(0), ((1, 0),))


def test_sets_cost_what_their_values_cost():
    kinds, listed = Kinds.list_within(3, (2, 1, 2), (2, 2, 1))
    assert [kinds.price(kind) for kind in ((0, 0, 0), (1, 2, 0), (2, 0, 1))] == [0, 4, 6]
    # within 3, the target's own value (the last number) being free
    assert set(listed) == {(a, b, own) for a in range(3) for b in range(3) for own in range(2) if 2 * a + b <= 3}
    assert [*Kinds.smaller((2, 0, 1))] == [(1, 0, 1), (2, 0, 0)]


def test_too_many_kinds_are_refused_in_words():
    with pytest.raises(TooHard) as refusal:
        Kinds.list_within(100, (1, 1, 0), (50, 50, 0))
    assert str(refusal.value) == (
        "with so many different prices there are more than 2,000 kinds of knowledge to weigh; give fewer different "
        "prices, or a lower 'reach'"
    )
    assert len(Kinds.list_within(1999, (1, 0), (1999, 0))[1]) == 2000  # as many as may be
    assert Kinds.list_within(1, (1, 0), (2500, 0))[1] == [(0, 0), (1, 0)]  # those that cost more are not counted


def test_without_a_target_its_value_is_not_asked_about():
    groups = PricedGroups(np.array([10]), (np.array([[4]]),), np.array([3]), (2, 1))
    np.testing.assert_allclose(np.exp(least_logs(groups, 2, target=False)).ravel(), [1, 1, 6 / 10])


def test_all_that_is_known_of_a_group_stands_side_by_side():
    groups = PricedGroups(
        np.array([9, 8]), (np.array([[4, 1], [3, 2]]), np.array([[2], [1]])), np.array([2, 2]), (1, 2, 1)
    )
    assert groups.rows().tolist() == [[9, 4, 1, 2, 2], [8, 3, 2, 1, 2]]
    assert groups.take(slice(1, 2)).rows().tolist() == [[8, 3, 2, 1, 2]]
