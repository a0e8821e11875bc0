"""The risk at many amounts at once: the same as one by one, also at the edges."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable, UnknownValue, WrongKind
from sidelight.measures.privacy_skyline import risk_map
from sidelight.measures.privacy_skyline.risk_map import RiskMap

WARD = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}])
HOSPITAL = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}, {"Flu": 2, "Cold": 7, "Gout": 2, "AIDS": 1}])
POINTS = np.array([*product(range(4), range(5), range(4))])


def test_amounts_of_a_million_settle_it():
    assert RiskMap.from_release(WARD, "AIDS").risks(
        np.array([[0, 10**6, 0], [10**6, 0, 0], [0, 0, 10**6]])
    ).tolist() == [1, 1, 1]


def test_a_limit_that_is_met_is_not_kept():
    point = np.array([[0, 0, 0]])
    assert RiskMap.from_release(WARD, "Flu").withstands(point, 0.5).tolist() == [False]
    assert RiskMap.from_release(WARD, "Flu").withstands(point, 0.5000001).tolist() == [True]
    assert RiskMap.from_release(WARD, "Flu").withstands(point, 0).tolist() == [False]


def test_what_nobody_has_is_never_a_risk():
    nobody = RiskMap.from_release(sl.Release.from_counts([{"Flu": 0, "Cold": 3}]), "Flu")
    assert nobody.risks(np.array([[1, 5, 5]])).tolist() == [0]
    assert nobody.withstands(np.array([[1, 5, 5]]), 0.1).tolist() == [True]


def test_where_nothing_is_withstood_there_is_no_most():
    assert RiskMap.from_release(WARD, "Flu").most_alone(0.4) == (-1, -1, -1)


def test_an_unknown_value_is_named():
    with pytest.raises(UnknownValue, match="AIDS"):
        RiskMap.from_release(WARD, "AIDA")


def exact_risks(release, value, points):
    return [sl.Acquaintance(*point, value=value).measure(release).value for point in points.tolist()]


@pytest.mark.parametrize("at_once", [1, 7, 1 << 19])
@pytest.mark.parametrize("value", ["AIDS", "Flu", ("AIDS", "Gout")])
def test_risks_are_those_of_the_measure_a_little_raised(monkeypatch, value, at_once):
    monkeypatch.setattr(risk_map, "POINTS_AT_ONCE", at_once)
    points = POINTS[::3]
    risks = RiskMap.from_release(HOSPITAL, value).risks(points)
    for risk, exact in zip(risks.tolist(), exact_risks(HOSPITAL, value, points), strict=True):
        if exact == 1:
            assert risk == 1
        else:  # by what logarithms may be off, 1e-9 and more, times the slope
            assert 0.9e-9 * exact * (1 - exact) < Fraction(risk) - exact < 1e-8


def test_small_risks_are_raised_by_what_large_logarithms_may_be_off():
    rare = sl.Release.from_counts([{"a": 1, "b": 10**9}])
    (risk,) = RiskMap.from_release(rare, "a").risks(np.array([[0, 0, 0]])).tolist()
    assert 2.0e-8 < Fraction(risk) * (10**9 + 1) - 1 < 2.2e-8  # ln 10⁹ is 20.7


def test_the_most_of_each_kind_are_told_apart():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 3, "Heart": 2, "Ulcer": 2}])
    assert RiskMap.from_release(release, "Flu").most_alone(Fraction(3, 5)) == (2, 5, 4)


def test_nothing_is_maximal_where_nothing_is_withstood():
    for points in (POINTS, POINTS[:0]):
        assert RiskMap.from_release(WARD, "AIDS").maximal(points, 0).tolist() == [False] * len(points)


@pytest.mark.parametrize("below", [Fraction(1, 3), 0.5, 1])
def test_what_is_withstood_maximal_and_the_most_are_as_measured(below):
    ward = RiskMap.from_release(HOSPITAL, "AIDS")
    withstood = {
        tuple(point)
        for point, risk in zip(POINTS.tolist(), exact_risks(HOSPITAL, "AIDS", POINTS), strict=True)
        if risk < below
    }
    skyline = sl.knowledge_skyline(HOSPITAL, "AIDS", below=below)
    assert ward.withstands(POINTS, below).tolist() == [tuple(point) in withstood for point in POINTS.tolist()]
    assert ward.maximal(POINTS, below).tolist() == [tuple(point) in skyline for point in POINTS.tolist()]
    rules_out, family = np.array([*product(range(4), range(4))]).T
    most = [
        max((k for ell, k, m in skyline if ell >= at and m >= relatives), default=-1)
        for at, relatives in zip(rules_out.tolist(), family.tolist(), strict=True)
    ]
    assert ward.most_others(rules_out, family, below).tolist() == most
    alone = tuple(max((point[axis] for point in skyline), default=-1) for axis in range(3))
    assert ward.most_alone(below) == alone


def test_knowledge_ends_with_the_other_values_and_the_largest_group():
    assert (RiskMap.from_release(HOSPITAL, "AIDS").most_ruled_out, RiskMap.from_release(HOSPITAL, "AIDS").enough) == (
        3,
        9,
    )
    assert RiskMap.from_release(HOSPITAL, ("AIDS", "Gout")).most_ruled_out == 2


def test_where_there_is_no_end_the_most_are_as_many_as_would_settle_it():
    ward = RiskMap.from_release(WARD, "AIDS")
    assert ward.most_others(np.array([0, 2]), np.array([0, 1]), 1.5).tolist() == [ward.enough] * 2 == [9, 9]
    nobody = RiskMap.from_release(sl.Release.from_counts([{"Flu": 0, "Cold": 3}]), "Flu")
    assert nobody.enough == 1
    assert nobody.most_others(np.array([0]), np.array([0]), 0.5).tolist() == [1]
    assert nobody.most_alone(0.5) == (1, 1, 1)


@pytest.mark.parametrize(("below", "holds"), [(-1, False), (0, False), (1, True), (1.5, True)])
def test_no_risk_is_below_nothing_and_every_one_is_below_more_than_one(below, holds):
    point = np.array([[0, 0, 0]])
    nobody = sl.Release.from_counts([{"Flu": 0, "Cold": 3}])
    assert RiskMap.from_release(WARD, "AIDS").withstands(point, below).tolist() == [holds]
    assert RiskMap.from_release(nobody, "Flu").withstands(point, below).tolist() == [holds]
    assert RiskMap.from_release(WARD, "AIDS").withstands(np.array([[0, 9, 9]]), below).tolist() == [below > 1]


def test_no_points_have_no_risks():
    none = np.empty((0, 3), np.int64)
    assert RiskMap.from_release(WARD, "AIDS").risks(none).tolist() == []
    assert RiskMap.from_release(WARD, "AIDS").withstands(none, 0.5).tolist() == []


def test_what_is_no_release_of_one_column_is_refused():
    with pytest.raises(
        WrongKind, match=r"^what is explored should be a Release, not a dict; read one with sl\.read_release"
    ):
        RiskMap.from_release({"Flu": 2}, "Flu")
    two = pa.table({"zip": ["1", "1"], "job": ["a", "b"], "ill": ["c", "d"]})
    with pytest.raises(BadTable, match=r"^a skyline is about one sensitive column, and there are job, ill; pick one"):
        RiskMap.from_release(sl.read_release(two, group="zip", sensitive=["job", "ill"]), "a")
