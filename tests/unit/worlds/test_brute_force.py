"""The brute-force twin of prior belief, on cases done by hand."""

import math
from fractions import Fraction
from itertools import product

from sidelight.worlds.brute_force import dirichlet_prior, independent_prior, smallest_epsilon_of_group

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
