"""The brute-force twins, on cases done by hand and against each other."""

import math
from fractions import Fraction
from itertools import product

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.release.groups import GroupName
from sidelight.worlds.brute_force import (
    cheapest_implications,
    dirichlet_prior,
    few_worlds,
    has_few_worlds,
    independent_prior,
    number_of_worlds,
    smallest_epsilon_by_cell,
    smallest_epsilon_of_group,
    worlds_of_group,
    worst_acquaintance,
    worst_acquaintance_over_groups,
)
from sidelight.worlds.closed_forms import Family, Investigation

HALVES = {"a": Fraction(1, 2), "b": Fraction(1, 2)}


def has_a(value):
    return value == "a"


def test_all_sequences_together_are_certain():
    for prior in (independent_prior(HALVES), dirichlet_prior({"a": Fraction(3, 2), "b": Fraction(4)})):
        assert sum(prior(sequence) for sequence in product("ab", repeat=4)) == 1


def test_what_was_drawn_makes_the_same_more_likely():
    prior = dirichlet_prior({"a": Fraction(1), "b": Fraction(1)})
    assert prior(("a", "a")) == Fraction(1, 3) > prior(("a", "b")) == Fraction(1, 6)


def test_alone_in_a_group_is_certain():
    assert smallest_epsilon_of_group({"a": 1}, ("a", "b"), has_a, prior=independent_prior(HALVES)) == math.inf
    assert smallest_epsilon_of_group({"b": 1}, ("a", "b"), has_a, prior=independent_prior(HALVES)) is None


def test_knowing_the_others_is_being_certain():
    bag = {"a": 1, "b": 1}
    assert smallest_epsilon_of_group(bag, ("a", "b"), has_a, prior=independent_prior(HALVES)) == 1
    assert smallest_epsilon_of_group(bag, ("a", "b"), has_a, prior=independent_prior(HALVES), known=1) == math.inf


def test_a_certainty_stays_one():
    prior = dirichlet_prior({"a": Fraction(2)})
    assert smallest_epsilon_of_group({"a": 3}, ("a",), has_a, prior=prior, known=2) == 1


every_semantics = pytest.mark.parametrize("semantics", ["single", "set", "multiset"])


@every_semantics
def test_worlds_are_counted_as_many_as_there_are(semantics):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 2}], sizes=[4, 3], values=semantics)
    numbers = [len([*worlds_of_group(release.groups, row)]) for row in (0, 1)]
    assert [number_of_worlds(release.group(GroupName(number))) for number in (1, 2)] == numbers
    both = Investigation(GroupName(1), "a", family=Family(GroupName(2), 1))
    assert has_few_worlds(release, both, numbers[0] * numbers[1])
    assert not has_few_worlds(release, both, numbers[0] * numbers[1] - 1)


@every_semantics
@pytest.mark.parametrize(
    ("rules_out", "others", "family"), [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 3), (1, 1, 1), (0, 2, 1)]
)
def test_acquaintance_over_groups_is_what_every_world_says(semantics, rules_out, others, family):
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 1, "c": 1}], sizes=[3, 2], values=semantics)
    knows = {"rules_out": rules_out, "others": others, "family": family}
    assert worst_acquaintance_over_groups(release.groups, **knows).tolist() == [
        worst_acquaintance(release, value, **knows) for value in release.domain
    ]


def test_what_no_knowledge_reaches_is_refused():
    release = sl.Release.from_counts([{"a": 1, "b": 1}])
    assert cheapest_implications(release, Fraction(1), lambda _: Fraction(2), ["a"]) == 2
    assert cheapest_implications(release, Fraction(1), lambda _: Fraction(2), ["c"]) is None
    with pytest.raises(BadMeasure) as refused:
        cheapest_implications(release, Fraction(2), lambda _: Fraction(2), ["a"])
    assert str(refused.value) == "no knowledge that can be true reaches it; give a lower reach"


@pytest.mark.parametrize(
    ("values", "people", "few"),
    [(300, 1, True), (301, 1, False), (17, 2, True), (18, 2, False), (2, 8, True), (1, 9, False), (2, 10**9, False)],
)
def test_few_sequences_are_at_most_three_hundred(values, people, few):
    assert few_worlds(values, people) is few


def test_the_unmoved_know_shares_and_learn_nothing_from_others():
    """Where one of two people has a, and she is known to be r."""
    weights = {("r", "a"): Fraction(1), ("r", "b"): Fraction(3), ("t", "a"): Fraction(1), ("t", "b"): Fraction(5)}
    # anybody has a with 2/10; she with 1/4 before, and after with odds 1/4 · 8/10 : 3/4 · 2/10 = 4 : 3
    for factor in (1, Fraction(1, 10)):
        shares = {cell: factor * weight for cell, weight in weights.items()}
        assert smallest_epsilon_by_cell({"a": 1, "b": 1}, shares, "r", {"a"}, unmoved=True) == Fraction(4, 7) * 4
