"""What a release withstands: the largest stubbornness and the most known people at ε."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, WrongKind

GOTHAM = sl.Release.from_counts(
    [{"Flu": 200, "Cancer": 300}, {"Flu": 1800, "Cancer": 2700}, {"Flu": 18000, "Cancer": 2000}]
)
ANY = sl.PriorBelief(stubbornness=math.inf)


def test_it_is_the_largest_exactly():
    """Section 3: "3-privacy against a class II adversary with stubbornness 1,000"; by the definition it is 1,001."""
    (point,) = sl.belief_skyline(GOTHAM, ANY, 3, known_people=0)
    assert point == sl.BeliefPoint(Fraction(1001), 0)
    assert sl.PriorBelief(stubbornness=1001).measure(GOTHAM).value == 3
    assert sl.PriorBelief(stubbornness=Fraction(1001) + Fraction(1, 10**9)).measure(GOTHAM).value > 3


def test_what_is_met_with_equality_is_withstood():
    limit = sl.PriorBelief(shape="uniform", stubbornness=777, known_people=3).measure(GOTHAM).value
    (point,) = sl.belief_skyline(GOTHAM, sl.PriorBelief(shape="uniform", stubbornness=10**6), limit, known_people=3)
    assert point.stubbornness == 777


def test_a_cap_and_a_shape_that_is_withstood_however_stubborn():
    like = sl.Release.from_counts([{"a": 40, "b": 60}, {"a": 4, "b": 6}])
    shape = {"a": 2, "b": 3}
    assert sl.belief_skyline(like, sl.PriorBelief(shape=shape, stubbornness=math.inf), 2, known_people=0) == (
        (math.inf, 0),
    )
    assert sl.belief_skyline(like, sl.PriorBelief(shape=shape, stubbornness=50), 2, known_people=0) == ((50, 0),)


def test_nothing_is_withstood():
    alone = sl.Release.from_counts([{"a": 3}, {"a": 1, "b": 3}])
    assert sl.belief_skyline(alone, ANY, 10**6) == ()
    pair = sl.Release.from_counts([{"Flu": 1, "Cold": 1}])
    assert sl.belief_skyline(pair, sl.PriorBelief(shape="uniform", stubbornness=math.inf), 1.4) == ()


def test_no_point_follows_from_another_and_all_replay():
    points = sl.belief_skyline(GOTHAM, ANY, 3)
    assert points[0].known_people == 0
    assert [point.known_people for point in points[:5]] == [0, 1, 2, 5, 10]
    assert all(one.stubbornness > other.stubbornness for one, other in pairwise(points))
    for stubbornness, known in points:
        belief = sl.PriorBelief(stubbornness=stubbornness, known_people=known)
        assert belief.measure(GOTHAM).value <= 3
        assert replace(belief, known_people=known + 1).measure(GOTHAM).value > 3
    every = sl.belief_skyline(GOTHAM, ANY, 3, known_people=range(1000))
    assert set(points) <= set(every)
    assert every[-1] == points[-1]


def test_predicates_and_amounts_of_a_million():
    huge = sl.Release.from_counts([{"a": 10**9, "b": 2 * 10**9, "c": 10**9}, {"a": 10**8, "b": 10**8, "c": 10**8}])
    for predicates in ((), "all subsets", [["not", "a"]]):
        points = sl.belief_skyline(huge, replace(ANY, predicates=predicates), 2)
        assert points[-1].known_people > 10**6
        for stubbornness, known in points:
            belief = sl.PriorBelief(stubbornness=stubbornness, known_people=known, predicates=predicates)
            assert belief.measure(huge).value <= 2


@pytest.mark.parametrize(
    ("belief", "limit", "complaint"),
    [
        (sl.PriorBelief(counts={"Flu": 2, "Cancer": 3}), 3, "leave counts="),
        (sl.PriorBelief(shape="uniform", stubbornness=9, least_stubbornness="same"), 3, "leave least_stubbornness="),
        (ANY, 0.5, "a limit from 1 on"),
        (ANY, math.inf, "a limit from 1 on"),
    ],
)
def test_what_makes_no_sense_is_refused(belief, limit, complaint):
    with pytest.raises(BadMeasure, match=complaint):
        sl.belief_skyline(GOTHAM, belief, limit)


def test_who_is_no_belief_is_named():
    with pytest.raises(WrongKind, match="should be a PriorBelief"):
        sl.belief_skyline(GOTHAM, sl.GroupSize(), 3)
    with pytest.raises(BadMeasure, match="known_people"):
        sl.belief_skyline(GOTHAM, ANY, 3, known_people=-1)


PAIR = sl.Release.from_counts([{"Flu": 1, "Cold": 1}])


def test_one_who_knows_nobody_may_be_all_that_is_withstood():
    """p_out = 1/(1 + σ) is a third of p_in = 1/2 at σ = 5; who knows one of the two is certain of the other."""
    assert sl.belief_skyline(PAIR, ANY, 3) == ((5, 0),)


def test_a_range_that_begins_later_is_withstood_where_all_of_it_is():
    """(1 + σ)/σ, at most 11/10 from 10 on, though 3/2 at the smallest stubbornness, 2."""
    uniform = sl.PriorBelief(shape="uniform", stubbornness=100, least_stubbornness=10)
    assert uniform.measure(PAIR).value == Fraction(11, 10)
    assert sl.belief_skyline(PAIR, uniform, 1.1, known_people=0) == ((100, 0),)
    assert sl.belief_skyline(PAIR, replace(uniform, least_stubbornness=9), 1.1, known_people=0) == ()
    assert sl.belief_skyline(PAIR, replace(uniform, least_stubbornness=None), 1.1, known_people=0) == ()
    unmoved = sl.PriorBelief(shape="uniform", stubbornness=math.inf, least_stubbornness=math.inf)
    assert sl.belief_skyline(PAIR, unmoved, 1, known_people=0) == ((math.inf, 0),)


def test_what_a_shape_withstands_by_hand():
    """Of {1, 3}, uniform: p_in = 3/4 of b, and (1 − p_out)/(1 − p_in) = 4(1 + σ/2)/(3 + σ) is 8/5 at σ = 2, 9/5 at 7."""
    release = sl.Release.from_counts([{"a": 1, "b": 3}])
    uniform = sl.PriorBelief(shape="uniform", stubbornness=math.inf, predicates=["b"])
    assert sl.belief_skyline(release, uniform, Fraction(9, 5), known_people=0) == ((7, 0),)
    assert sl.belief_skyline(release, uniform, Fraction(8, 5), known_people=0) == ((2, 0),)
    assert sl.belief_skyline(release, uniform, Fraction(159, 100), known_people=0) == ()


def test_of_those_who_are_equally_stubborn_who_knows_most_says_it_all():
    capped = sl.PriorBelief(stubbornness=10)
    assert sl.belief_skyline(GOTHAM, capped, 3) == ((10, 100), (Fraction(653, 103), 153))
    assert sl.belief_skyline(GOTHAM, capped, 3, known_people=[5, 0, 5, 2]) == ((10, 5),)
    assert sl.belief_skyline(GOTHAM, ANY, 3, known_people=[5, 0, 5]) == ((1001, 0), (986, 5))
    assert sl.belief_skyline(GOTHAM, ANY, 3, known_people=154) == ()


def test_where_nobody_has_what_is_asked_about_everybody_may_be_known():
    release = sl.Release.from_counts([{"a": 3}], domain=["a", "b"])
    assert sl.belief_skyline(release, sl.PriorBelief(stubbornness=9, apart_from=["a"]), 2) == ((9, 3),)


def test_a_belief_in_what_is_not_so_bounds_it_too():
    """Who wishes it has a Cold among three with an Ulcer: p_in = 3/4 and p_out = (3 + 2)/(3 + σ), a third at σ = 17."""
    rows = [("3", "Cold", "stomach"), *[("3", "Ulcer", None)] * 3, ("4", "Dyspepsia", None), ("4", "Flu", None)]
    table = pa.table(dict(zip(("zip", "disease", "wish"), zip(*rows, strict=True), strict=True)))
    ward = sl.read_release(table, group="zip", sensitive=["disease", "wish"], missing="a value")
    belief = replace(ANY, wishes="wish", predicates={"stomach": ["Ulcer", "Dyspepsia"]})
    assert sl.belief_skyline(ward, belief, 3, known_people=0) == ((17, 0),)


OVER_STUBBORNNESS = ["stubbornness", "counts", "by", "rules_out", "decided_by", "out"]


@pytest.mark.parametrize(
    ("belief", "limit", "named"),
    [
        (
            sl.PriorBelief(stubbornness=9, rules_out=1),
            3,
            OVER_STUBBORNNESS,
        ),
        (
            sl.PriorBelief(counts={"North": {"Flu": 2, "Cancer": 3}}, by="region"),
            3,
            OVER_STUBBORNNESS,
        ),
        (
            sl.PriorBelief(stubbornness=9, decided_by="closed conditions"),
            3,
            OVER_STUBBORNNESS,
        ),
        (
            sl.PriorBelief(shape="uniform", stubbornness=9, least_stubbornness="same"),
            3,
            ["exactly", "not", "least_stubbornness", "out"],
        ),
        (ANY, 0.5, ["never", "less than", "factor of 1", "limit from 1", "not 0.5"]),
    ],
)
def test_what_makes_no_sense_is_named(belief, limit, named):
    with pytest.raises(BadMeasure) as error:
        sl.belief_skyline(GOTHAM, belief, limit)
    assert mentions(error.value, *named)


@pytest.mark.parametrize(
    ("release", "belief", "named"),
    [
        ({"Flu": 1}, ANY, ["a Release, not a dict", "sl.read_release"]),
        (GOTHAM, sl.GroupSize(), ["a PriorBelief, not a GroupSize"]),
    ],
)
def test_what_is_something_else_is_named(release, belief, named):
    with pytest.raises(WrongKind) as error:
        sl.belief_skyline(release, belief, 3)
    assert mentions(error.value, *named)
