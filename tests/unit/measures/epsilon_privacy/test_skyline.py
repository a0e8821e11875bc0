"""What a release withstands: the largest stubbornness and the most known people at ε."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

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
