"""Skylines in policies: which points are kept, and what they ask of a release."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, WrongKind
from sidelight.measures.privacy_skyline.skyline import Skyline, SkylinePoint

WARD = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}, {"Flu": 5, "Cold": 2, "AIDS": 1}])

points = st.builds(
    SkylinePoint, st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.sampled_from([0.25, 0.5, Fraction(3, 4)])
)


def test_each_value_has_its_own_points_and_the_others_the_default():
    required = sl.skyline({"AIDS": [(1, 0, 0, 0.3), (0, 2, 0, 0.3)]}, default=[(0, 0, 0, Fraction(2, 3))])
    assert tuple(required) == (
        sl.Acquaintance(1, value="AIDS") < 0.3,
        sl.Acquaintance(others=2, value="AIDS") < 0.3,
        sl.Acquaintance(apart_from=("AIDS",)) < Fraction(2, 3),
    )
    verdict = sl.Policy(*required).judge(WARD)
    assert [judgement.holds for judgement in verdict.judgements] == [False, True, True]
    assert [str(finding.value) for finding in verdict.findings] == ["1/3", "1/6", "5/8"]


def test_without_a_default_other_values_are_not_asked_about():
    assert len(tuple(sl.skyline({"AIDS": [(0, 0, 0, 0.5)]}))) == 1
    assert tuple(sl.skyline({}, default=[(0, 0, 0, 0.5)])) == (sl.Acquaintance() < 0.5,)


def test_points_that_follow_are_dropped_with_a_note():
    required = sl.skyline({"AIDS": [(0, 1, 0, 0.9), (1, 1, 0, 0.9), (1, 1, 0, 0.9), (1, 1, 0, 0.5)]})
    assert tuple(required) == (sl.Acquaintance(1, 1, value="AIDS") < 0.5,)
    assert required.notes == (
        "skyline of 'AIDS': (0, 1, 0) below 0.9 follows from (1, 1, 0) below 0.9 and was dropped",
        "skyline of 'AIDS': (1, 1, 0) below 0.9 follows from (1, 1, 0) below 0.5 and was dropped",
    )


@given(st.lists(points, min_size=1, max_size=6))
def test_dropping_changes_no_verdict(given_points):
    skyline = Skyline(tuple(given_points), "AIDS")
    required = [sl.Acquaintance(p.rules_out, p.others, p.family, "AIDS") < p.below for p in given_points]
    assert sl.Policy(*skyline.criteria).judge(WARD).safe == sl.Policy(*required).judge(WARD).safe
    assert not any(one.dominates(other) for one in skyline.points for other in skyline.points if one != other)
    assert len(skyline.points) + len(skyline.notes) == len(set(given_points))


def test_points_that_make_no_sense():
    with pytest.raises(BadPolicy, match="a point of a skyline is"):
        sl.skyline({"AIDS": [(1, 0.5)]})
    with pytest.raises(BadMeasure, match="needs others to be a whole number"):
        sl.skyline({"AIDS": [(1, -1, 0, 0.5)]})
    with pytest.raises(BadPolicy, match="between 0 and 1"):
        tuple(sl.skyline({"AIDS": [(1, 1, 0, 2)]}))


@pytest.mark.parametrize("below", [-0.1, 1.5, math.inf])
def test_limits_of_a_skyline_are_probabilities(below):
    with pytest.raises(BadMeasure, match="between 0 and 1"):
        sl.knowledge_skyline(WARD, "Flu", below=below)


def test_a_skyline_of_one_large_group_is_found_by_halving():
    release = sl.Release.from_counts([{"a": 400_000, "b": 300_000, "c": 300_000}])
    points = sl.knowledge_skyline(release, "a", below=0.95)
    assert points[-1][0] == 1
    for rules_out, others, family in (points[0], points[len(points) // 2], points[-1]):
        assert sl.Acquaintance(rules_out, others, family, value="a").measure(release).value < Fraction(19, 20)
        for more in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            beyond = np.add((rules_out, others, family), more).tolist()
            assert sl.Acquaintance(*beyond, value="a").measure(release).value >= Fraction(19, 20)


@pytest.mark.parametrize("values", [{"AIDS": (1, 5, 2, 0.5)}, {"AIDS": 3}, [(1, 5, 2, 0.5)]])
def test_points_that_are_no_list_under_a_value_are_refused_in_one_line(values):
    with pytest.raises(BadPolicy, match=r"\(1, 5, 2, 0.5\)|\(rules_out, others, family, limit\)"):
        sl.skyline(values)


def test_only_a_release_has_a_knowledge_skyline():
    with pytest.raises(WrongKind, match=r"should be a Release, not a dict; read one with sl\.read_release"):
        sl.knowledge_skyline({"Flu": 2}, "Flu", below=0.5)


def test_skylines_show_themselves_in_a_line_and_in_a_table():
    required = sl.skyline({"<AIDS>": [(1, 0, 0, 0.3)]}, default=[(0, 2, 0, 0.5)])
    assert repr(required) == (
        '<Skylines: acquaintance(rules_out=1, value="<AIDS>") < 0.3; '
        'acquaintance(others=2, apart_from=["<AIDS>"]) < 0.5>'
    )
    assert repr(required.skylines[0]) == "<Skyline of '<AIDS>': (1, 0, 0) below 0.3>"
    assert "&lt;AIDS&gt;" in required._repr_html_()
    assert "<AIDS>" not in required._repr_html_()
