"""The brute-force twins, on cases done by hand and against each other."""

import math
from fractions import Fraction
from itertools import product

import pytest
from support.words import mentions
from support.worst_cases import (
    cheapest_implications,
    worst_acquaintance,
    worst_acquaintance_over_groups,
    worst_implications,
)

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.release.groups import GroupName
from sidelight.worlds.brute_force import (
    dirichlet_prior,
    few_worlds,
    has_few_worlds,
    independent_prior,
    investigation_probability,
    number_of_worlds,
    probability,
    smallest_epsilon_by_cell,
    smallest_epsilon_of_group,
    worlds_of_group,
)
from sidelight.worlds.closed_forms import Investigation, Others

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
    both = Investigation(GroupName(1), "a", family=Others(GroupName(2), 1))
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


@every_semantics
@pytest.mark.parametrize(
    ("counts", "knows"),
    [
        ([{"a": 1, "b": 1, "c": 1}], (1, 1, 0)),
        ([{"a": 1, "b": 3}], (0, 0, 2)),
        ([{"a": 1, "b": 3}], (0, 0, 3)),
        ([{"b": 1}, {"a": 1, "b": 3}], (0, 0, 2)),  # more people than the first group has
        ([{"b": 1}, {"a": 1, "b": 3}], (0, 2, 0)),
    ],
)
def test_acquaintance_over_groups_of_one_or_four_is_what_every_world_says(semantics, counts, knows):
    release = sl.Release.from_counts(counts, sizes=[sum(each.values()) for each in counts], values=semantics)
    settings = dict(zip(("rules_out", "others", "family"), knows, strict=True))
    assert worst_acquaintance_over_groups(release.groups, **settings).tolist() == [
        worst_acquaintance(release, value, **settings) for value in release.domain
    ]


def test_where_people_have_one_value_each_she_learns_those_of_others():
    """She is no b, and the other has c: she has a.  Where people may have several, the other only lacks a."""
    knows = {"rules_out": 1, "others": 1, "family": 0}
    assert worst_acquaintance(sl.Release.from_counts([{"a": 1, "b": 1, "c": 1}]), "a", **knows) == 1
    # she has a with 1/2; if not, she has no b, with 2/3
    apart = sl.Release.from_counts([{"a": 1, "b": 1}], sizes=[3], values="set")
    assert worst_acquaintance(apart, "a", **knows) == Fraction(3, 5)


def test_what_no_world_fits_is_refused():
    with pytest.raises(BadMeasure) as refused:
        probability(sl.Release.from_counts([{"a": 1}]), lambda _: True, given=lambda _: False)
    assert mentions(refused.value, "no world", "release", "known", "drop one")


def test_nobody_has_a_value_where_there_is_none():
    release = sl.Release.from_counts([{}, {"a": 1}], sizes=[2, 2], values="set")
    assert investigation_probability(release, Investigation(GroupName(1), "a")) == 0


def test_others_have_one_value_each_or_nothing_is_told_about_them():
    release = sl.Release.from_counts([{"a": 1, "b": 1, "c": 1}])
    told = Investigation(GroupName(1), "a", others=Others(GroupName(1), 2, (("b", 1), ("c", 1))))
    assert investigation_probability(release, told) == 1
    half_told = Investigation(GroupName(1), "a", others=Others(GroupName(1), 2, (("b", 1),)))
    with pytest.raises(ValueError, match="zip"):
        investigation_probability(release, half_told)


def test_worlds_of_large_groups_are_counted_exactly():
    release = sl.Release.from_counts([{"a": 31, "b": 32}])
    assert number_of_worlds(release.groups) == math.comb(63, 31)


@pytest.mark.parametrize(
    ("people", "having", "few"), [(32, 32, True), (33, 31, True), (33, 32, False), (34, 34, False)]
)
def test_worlds_of_more_than_sixty_four_people_and_values_are_not_even_counted(people, having, few):
    release = sl.Release.from_counts([{"a": having}], sizes=[people], values="set")
    assert has_few_worlds(release, Investigation(GroupName(1), "a"), 1_000) is few


def test_one_implication_rules_out_one_of_three():
    """One of three has it: if the second, then the first too, which the second cannot have then."""
    release = sl.Release.from_counts([{"a": 1}], sizes=[3], values="set")
    assert worst_implications(release, 1) == Fraction(1, 2)


def test_who_may_be_moved_learns_from_others():
    """Where one of two people has a, and she is known to be r: she has (r, a) or (r, b), and the other the rest."""
    weights = {("r", "a"): Fraction(1), ("r", "b"): Fraction(3), ("t", "a"): Fraction(1), ("t", "b"): Fraction(5)}
    # weights of the prior: she a, the other b: 1 · (3 + 5); she b, the other a: 3 · (1 + 1); so 8 : 6
    # told that the other has b, she has a with odds 1 · 8 against 3 · (4 + 5)
    assert smallest_epsilon_by_cell({"a": 1, "b": 1}, weights, "r", {"a"}) == Fraction(8, 14) / Fraction(8, 35)


def test_what_no_knowledge_reaches_is_refused():
    release = sl.Release.from_counts([{"a": 1, "b": 1}])
    assert cheapest_implications(release, Fraction(1), lambda _: Fraction(2), ["a"]) == 2
    assert cheapest_implications(release, Fraction(1), lambda _: Fraction(2), ["c"]) is None
    with pytest.raises(BadMeasure) as refused:
        cheapest_implications(release, Fraction(2), lambda _: Fraction(2), ["a"])
    assert mentions(refused.value, "no knowledge", "lower reach")


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
