"""What may be said of a prior, and what it comes to for a release."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from support.words import mentions

from sidelight.errors import BadMeasure, UnknownValue
from sidelight.measures.epsilon_privacy.prior import (
    Prior,
    Weights,
    WeightsByLabel,
    predicates_asked,
    priors_for,
    read_counts,
    read_least_stubbornness,
    read_questions,
    read_shape,
    read_stubbornness,
)
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
    assert Predicate.none_of("a").indices(DOMAIN) == [1, 2]
    with pytest.raises(UnknownValue, match="predicate 'aa or b'"):
        Predicate.any_of("aa", "b").indices(DOMAIN)


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
    whole, floats = shape.whole_terms, shape.float_terms
    units = {term[2] for term in whole}
    assert len(units) == 1
    unit = units.pop()
    assert floats[0] == pytest.approx(np.array([term[0] for term in whole]) / unit)
    assert floats[1] == pytest.approx(np.array([term[1] for term in whole]) / unit)


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


def complaint(do, *arguments, **settings):
    with pytest.raises(BadMeasure) as error:
        do(*arguments, **settings)
    return str(error.value)


@pytest.mark.parametrize(
    ("weights", "named"),
    [
        ({}, ["at least one value", "positive weight"]),
        ({"a": 0}, ["at least one value", "positive weight"]),
        ({"a": "many"}, ["weight of 'a'", "number", "not 'many'"]),
        ({None: -1}, ["weight of '(missing)'", -1, "0 or", "between 1e-100 and 1e100"]),
        ({"a": math.inf}, ["weight of 'a'", "inf", "0 or", "between 1e-100 and 1e100"]),
    ],
)
def test_weights_that_are_none_are_named(weights, named):
    assert mentions(complaint(Weights, weights), *named)


def test_weights_may_be_as_small_and_as_large_as_said():
    small, large = Fraction(1, 10**100), Fraction(10**100)
    assert Weights({"a": small, "b": large, "c": 0}) == {"a": small, "b": large, "c": 0}
    for beyond in (small / 2, large + 1):
        assert "between 1e-100 and 1e100" in complaint(Weights, {"a": beyond})


def test_weights_are_in_the_order_of_their_values_and_can_be_scaled():
    weights = Weights({"b": 3, "a": 1})
    assert (list(weights.items()), len(weights), weights.total) == ([("a", 1), ("b", 3)], 2, 4)
    assert weights.scale(Fraction(1, 2)) == {"a": Fraction(1, 2), "b": Fraction(3, 2)}
    assert weights.shares() == {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    assert repr(weights.shares()) == "{'a': 1/4, 'b': 3/4}"
    assert hash(weights) != hash(Weights({"b": 1, "a": 3}))


def test_weights_by_label_are_as_those_of_each_label():
    weights = WeightsByLabel({"South": {"b": 2, None: 0.5}, 7: Weights({"a": 4})})
    south = {"b": 2, None: Fraction(1, 2)}
    assert list(weights) == ["7", "South"]
    assert (len(weights), weights["7"], weights["South"], weights.total) == (2, {"a": 4}, south, Fraction(13, 2))
    assert weights.as_written() == {"7": {"a": 4}, "South": {"b": 2, "(missing)": Fraction(1, 2)}}
    assert weights.scale(Fraction(2)) == {"7": {"a": 8}, "South": {"b": 4, None: 1}}
    assert repr(weights) == "{'7': {'a': 4}, 'South': {'b': 2, None: 1/2}}"
    assert hash(weights) != hash(weights.scale(Fraction(2)))
    assert [weights.smallest(among) for among in ({"a"}, {"a", "b"}, {"z"})] == [4, 2, Fraction(1, 2)]


@pytest.mark.parametrize(
    ("read", "given", "named"),
    [
        (read_counts, [1], ["counts", "value → count", '{"Flu": 12_000, "Cancer": 18_000}']),
        (read_counts, {"b": 1, "a": 0.5}, ["count of 'a'", "1/2", "below 1", "PriorBelief.from_counts", "1"]),
        (
            read_shape,
            "uniformly",
            ["no shape 'uniformly'", "'uniform'", "'release'", "value → share", "mean 'uniform'"],
        ),
        (read_shape, "relase", ["no shape 'relase'", "'uniform'", "'release'", "value → share", "mean 'release'"]),
        (read_shape, 3, ["no shape 3", "'uniform'", "'release'", "value → share"]),
        (read_stubbornness, 0, ["stubbornness", 0, "positive", "math.inf"]),
        (read_stubbornness, "9", ["stubbornness", "number", "not '9'"]),
        (read_stubbornness, 10**100 + 1, ["stubbornness", "beyond 1e100", "math.inf"]),
        (
            partial(read_least_stubbornness, stubbornness=9),
            "smalest",
            ["no least_stubbornness 'smalest'", "number", "'smallest' or 'same'", "mean 'smallest'"],
        ),
        (partial(read_least_stubbornness, stubbornness=9), 0, ["least_stubbornness", 0, "positive", "math.inf"]),
        (
            partial(read_least_stubbornness, stubbornness=1000),
            Fraction(2001, 2),
            ["least_stubbornness", "2001/2", "above stubbornness", "1,000", "lower"],
        ),
        (
            read_questions,
            "all subset",
            ["predicates", '[["Ulcer", "Dyspepsia"], ["not", "Flu"]]', "'all subsets'", "mean 'all subsets'"],
        ),
    ],
)
def test_what_is_no_part_of_a_prior_is_named(read, given, named):
    assert mentions(complaint(read, given), *named)


def test_what_is_given_is_read_exactly():
    assert read_counts({"a": 1}) == {"a": 1}
    assert [read_shape(each) for each in ("uniform", "release", {"a": 1, "b": 3})] == [
        "uniform",
        "release",
        {"a": Fraction(1, 4), "b": Fraction(3, 4)},
    ]
    assert [repr(read_stubbornness(each)) for each in (9.0, 0.1, math.inf, 10**100)] == [
        "9",
        "Fraction(1, 10)",
        "inf",
        repr(10**100),
    ]
    assert [read_least_stubbornness(each, 9) for each in ("same", "smallest", 9, 0.5)] == [
        "same",
        "smallest",
        9,
        Fraction(1, 2),
    ]
    assert read_least_stubbornness(5, None) == 5
    assert read_questions("all subsets") == "all subsets"
    assert read_questions(["a"]) == (Predicate.any_of("a"),)
    assert predicates_asked("all subsets", ("a", "b")) == (Predicate.any_of("a"), Predicate.any_of("b"))
    assert predicates_asked((), DOMAIN) == ()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"counts": Weights({"a": 1, "b": 1})}, ["misses 'c'", "count", "at least 1"]),
        (
            {"shape": "release", "stubbornness": 9},
            ["'c'", "less than 1", "9 answers", "stubbornness", "at least 10"],
        ),
        ({"stubbornness": 2}, ["stubbornness 2", "below", "values", 3, "at least 1", "raise"]),
        (
            {"shape": Weights({"a": 1, "c": 1}), "stubbornness": math.inf},
            ["misses 'b'", "positive share"],
        ),
    ],
)
def test_a_prior_that_does_not_fit_the_release_is_named(settings, named):
    assert mentions(complaint(priors, **settings), *named)


def test_each_value_may_have_just_what_it_needs():
    assert prior(stubbornness=3) == Prior(DOMAIN, (1, 1, 1), 3, 1)
    assert prior(counts=Weights(dict.fromkeys(DOMAIN, 1))).weights == (1, 1, 1)
    assert prior(shape="release", stubbornness=10).weights == (6, 3, 1)


def test_values_that_nobody_has_need_no_weight():
    some = Weights({"a": 3, "z": 1})
    assert prior(counts=some, totals=(6, 0, 0)) == Prior((*DOMAIN, "z"), (3, 0, 0, 1), 4, 1)
    unmoved = prior(shape=some.shares(), stubbornness=math.inf, totals=(6, 0, 0))
    assert unmoved == Prior((*DOMAIN, "z"), (Fraction(3, 4), 0, 0, Fraction(1, 4)), 1, 0)


def test_what_is_ruled_out_is_nobodys():
    assert Prior(DOMAIN, (2, 3, 1), 9, 1).drop_values([0, 2]) == Prior(DOMAIN, (0, 3, 0), 6, 1)
    assert Prior(DOMAIN, (2, 3, 1), 9, 1).drop_values([]) == Prior(DOMAIN, (2, 3, 1), 9, 1)
    shares = Prior(DOMAIN, (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), Fraction(1), 0)
    assert shares.drop_values([1]) == Prior(DOMAIN, (Fraction(1, 2), 0, Fraction(1, 6)), Fraction(2, 3), 0)


def test_terms_by_hand():
    """What speaks for a value, its weight but for the person's own; what speaks against it; a person's weight."""
    halves = Prior(DOMAIN, (Fraction(3, 2), Fraction(4, 3), Fraction(1)), Fraction(4), 1)
    assert halves.whole_terms == ((3, 15, 6), (2, 16, 6), (0, 18, 6))
    believed, doubted, evidence = halves.float_terms
    assert (believed.tolist(), doubted.tolist(), evidence) == ([1 / 2, 1 / 3, 0], [5 / 2, 8 / 3, 3], 1)
    unmoved = Prior(DOMAIN, (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), Fraction(1), 0)
    assert unmoved.whole_terms == ((3, 3, 0), (2, 4, 0), (1, 5, 0))
    assert (halves.stubbornness, unmoved.stubbornness) == (4, math.inf)


@pytest.mark.parametrize(
    ("weights", "left"), [((1, 2), True), ((0, 1), False), ((1, 0), False), ((1, 4), False), ((4, 1), False)]
)
def test_doubt_is_left_if_it_is_of_each_value(weights, left):
    assert Prior(("a", "b"), weights, 4, 1).leaves_doubt is left
