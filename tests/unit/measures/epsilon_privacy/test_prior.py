"""What may be said of a prior, and what it comes to for a release."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sidelight.errors import BadMeasure, UnknownValue
from sidelight.measures.epsilon_privacy.prior import Prior, Weights, priors_for
from sidelight.measures.targets import Predicate, predicates_as_written, read_predicates

DOMAIN = ("a", "b", "c")


def priors(*, totals=(6, 3, 1), **settings):
    parts = {"counts": None, "shape": None, "stubbornness": None, "least_stubbornness": None, "predicates": ()}
    return priors_for(**(parts | settings), domain=DOMAIN, totals=totals)


def prior(**settings):
    """The most stubborn one."""
    return priors(**settings)[0]


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


def test_a_shape_has_two_ends_and_everything_else_one():
    def ends(**settings):
        return [each.stubbornness for each in priors(**settings)]

    assert ends(shape="release", stubbornness=30) == [30, 10]  # 1 / the smallest share
    assert ends(shape="release", stubbornness=10) == [10]
    assert ends(shape="uniform", stubbornness=30, least_stubbornness=Fraction(7, 2)) == [30, Fraction(7, 2)]
    assert ends(shape="uniform", stubbornness=30, least_stubbornness="same") == [30]
    assert ends(shape="uniform", stubbornness=30, least_stubbornness=30) == [30]
    assert ends(shape="uniform", stubbornness=math.inf) == [math.inf]
    assert ends(shape="uniform", stubbornness=math.inf, least_stubbornness="smallest") == [math.inf, 3]
    assert ends(shape="uniform", stubbornness=math.inf, least_stubbornness=12) == [math.inf, 12]
    assert ends(stubbornness=30) == [30]
    assert ends(counts=Weights(dict.fromkeys(DOMAIN, 4))) == [12]


def test_values_that_occur_nowhere_do_not_say_how_little_stubborn_one_may_be():
    shape = Weights({"a": 6, "b": 3, "c": 1}).shares()
    assert [each.stubbornness for each in priors(shape=shape, stubbornness=30, totals=(6, 3, 0))] == [
        30,
        Fraction(10, 3),
    ]
    assert len(priors(shape=shape, stubbornness=30, totals=(0, 0, 0))) == 1


def test_a_range_that_begins_below_what_the_shape_allows_is_refused():
    with pytest.raises(BadMeasure, match="at least 10"):
        priors(shape="release", stubbornness=30, least_stubbornness=5)


def test_both_ends_join_their_predicates():
    both = priors(shape="uniform", stubbornness=30, predicates=read_predicates([["not", "c"]]))
    assert [each.weights for each in both] == [(20,), (2,)]
