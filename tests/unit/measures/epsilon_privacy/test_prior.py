"""What may be said of a prior, and what it comes to for a release."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sidelight.errors import BadMeasure, UnknownValue
from sidelight.measures.epsilon_privacy.prior import Prior, Weights, prior_for
from sidelight.measures.targets import Predicate, predicates_as_written, read_predicates

DOMAIN = ("a", "b", "c")


def prior(**settings):
    parts = {"counts": None, "shape": None, "stubbornness": None, "predicates": ()} | settings
    return prior_for(**parts, domain=DOMAIN, totals=(6, 3, 1))


def test_predicates_in_every_form():
    stomach = Predicate.any_of("Ulcer", "Dyspepsia")
    assert read_predicates([["Ulcer", "Dyspepsia"]]) == (stomach,)
    assert read_predicates([{"Dyspepsia", "Ulcer"}, stomach, ("not", "Flu"), "Flu", 5]) == (
        stomach,
        stomach,
        Predicate.none_of("Flu"),
        Predicate.any_of("Flu"),
        Predicate.any_of("5"),
    )
    assert read_predicates({"bad stomach": ["Ulcer", "Dyspepsia"]})[0].name == "bad stomach"
    assert str(Predicate.none_of("a", "b")) == "neither a nor b"
    assert str(Predicate.any_of(None, "a")) == "a or (missing)"
    assert Predicate.any_of("not").values == ("not",)
    assert not read_predicates([])


def test_predicates_are_written_as_they_are_read():
    named = read_predicates({"stomach": ["Ulcer", None], "not ill": ["not", "Flu"]})
    assert predicates_as_written(named) == {"stomach": ["Ulcer", "(missing)"], "not ill": ["not", "Flu"]}
    assert predicates_as_written(read_predicates([["b", "a"]])) == [["a", "b"]]


def test_a_predicate_names_values_that_exist():
    assert Predicate.none_of("a").places(DOMAIN) == [1, 2]
    with pytest.raises(UnknownValue, match="named by predicate 'aa or b'"):
        Predicate.any_of("aa", "b").places(DOMAIN)


def test_weights_of_one_label_add_up_and_never_change():
    weights = Weights({1: 2, "1": 0.5})
    assert weights == {"1": Fraction(5, 2)}
    assert hash(weights) == hash(Weights({"1": 2.5}))
    assert weights.shares() == {"1": 1}


def test_each_class_comes_to_its_numbers():
    assert prior(counts=Weights({"a": 2, "b": 3, "c": 1})) == Prior(DOMAIN, (2, 3, 1), 6, 1)
    assert prior(stubbornness=9) == Prior(DOMAIN, (1, 1, 1), 9, 1)
    assert prior(shape="release", stubbornness=math.inf) == Prior(
        DOMAIN, (Fraction(3, 5), Fraction(3, 10), Fraction(1, 10)), 1, 0
    )
    assert prior(stubbornness=math.inf) == Prior(DOMAIN, (0, 0, 0), 1, 0)
    joined = prior(shape="uniform", stubbornness=30, predicates=read_predicates([["not", "c"]]))
    assert joined == Prior(DOMAIN, (20,), 30, 1)


def test_values_that_only_the_prior_knows_widen_the_domain():
    wide = prior(counts=Weights({"a": 1, "b": 1, "c": 1, "z": 7}))
    assert (wide.domain, wide.weights[-1]) == ((*DOMAIN, "z"), 7)
    with pytest.raises(BadMeasure, match="misses 'c'"):
        prior(counts=Weights({"a": 1, "b": 1}))


def test_terms_in_whole_numbers_are_those_in_floats_in_a_finer_unit():
    shape = prior(shape="release", stubbornness=Fraction(31, 2))
    whole, floats = shape.in_whole_numbers, shape.in_floats
    units = {term.evidence for term in whole}
    assert len(units) == 1
    unit = units.pop()
    assert floats.believed == pytest.approx(np.array([term.believed for term in whole]) / unit)
    assert floats.doubted == pytest.approx(np.array([term.doubted for term in whole]) / unit)


def test_doubt_is_left_where_nothing_is_certain_or_impossible():
    assert prior(stubbornness=9).leaves_doubt
    assert not prior(stubbornness=math.inf).leaves_doubt
    assert not prior(counts=Weights(dict.fromkeys(DOMAIN, 1)), predicates=read_predicates([DOMAIN])).leaves_doubt
