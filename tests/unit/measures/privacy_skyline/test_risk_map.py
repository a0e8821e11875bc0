"""The risk at many amounts at once: the same as one by one, also at the edges."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import UnknownValue
from sidelight.measures.privacy_skyline.risk_map import RiskMap

WARD = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}])


def test_amounts_of_a_million_settle_it():
    assert RiskMap.of(WARD, "AIDS").risks(np.array([[0, 10**6, 0], [10**6, 0, 0], [0, 0, 10**6]])).tolist() == [1, 1, 1]


def test_a_limit_that_is_met_is_not_kept():
    point = np.array([[0, 0, 0]])
    assert RiskMap.of(WARD, "Flu").withstands(point, 0.5).tolist() == [False]
    assert RiskMap.of(WARD, "Flu").withstands(point, 0.5000001).tolist() == [True]
    assert RiskMap.of(WARD, "Flu").withstands(point, 0).tolist() == [False]


def test_what_nobody_has_is_never_a_risk():
    nobody = RiskMap.of(sl.Release.from_counts([{"Flu": 0, "Cold": 3}]), "Flu")
    assert nobody.risks(np.array([[1, 5, 5]])).tolist() == [0]
    assert nobody.withstands(np.array([[1, 5, 5]]), 0.1).tolist() == [True]


def test_where_nothing_is_withstood_there_is_no_most():
    assert RiskMap.of(WARD, "Flu").most_alone(0.4) == (-1, -1, -1)


def test_an_unknown_value_is_named():
    with pytest.raises(UnknownValue, match="AIDS"):
        RiskMap.of(WARD, "AIDA")
