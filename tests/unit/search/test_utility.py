"""Utilities by hand on a table small enough to see through."""

import math

import numpy as np
import pytest

import sidelight as sl
from sidelight.search.orders import column_orders
from sidelight.search.recoding import Regions, random_queries
from sidelight.search.utility import UTILITIES
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table

TABLE = Table(
    quasi=(Column.of("age", ["10", "20", "30", "40"]), Column.of("sex", ["f", "f", "m", "m"])),
    sensitive="disease",
    domain=("Flu", "Cold"),
    sizes=np.array([1, 2, 3, 4]),
    counts=Counts.from_cells([[1, 0], [1, 1], [0, 3], [2, 2]]),
)
ORDERS = column_orders(TABLE.quasi, {})
AS_IT_IS = Regions.from_keys(
    TABLE, ORDERS, np.arange(4), np.array([[0, 0], [1, 0], [2, 1], [3, 1]]), np.array([[1, 1], [2, 1], [3, 2], [4, 2]])
)
HALVES = Regions.from_keys(
    TABLE, ORDERS, np.array([0, 0, 1, 1]), np.array([[0, 0], [2, 1]]), np.array([[2, 1], [4, 2]])
)
ONE_LEFT_OUT = Regions.from_keys(
    TABLE, ORDERS, np.array([-1, 0, 1, 1]), np.array([[1, 0], [2, 1]]), np.array([[2, 1], [4, 2]])
)


def worth(recoding):
    return {name: utility(recoding) for name, utility in UTILITIES.items()}


def test_a_table_printed_as_it_is_loses_nothing():
    utility = worth(AS_IT_IS)
    assert utility["discernibility"] == 1 + 4 + 9 + 16
    assert utility["average group size"] == 2.5
    for name in ("loss", "balanced loss", "non-uniform entropy", "suppressed"):
        assert utility[name] == pytest.approx(0)
    assert utility["KL divergence"] == utility["query error"] == pytest.approx(0)


def test_halves():
    utility = worth(HALVES)
    assert utility["discernibility"] == 9 + 49
    assert utility["average group size"] == 5
    assert utility["loss"] == pytest.approx((10 / 30) / 2)  # age covers a third of its range in both, sex nothing
    guesses = 1 * math.log2(3 / 1) + 2 * math.log2(3 / 2) + 3 * math.log2(7 / 3) + 4 * math.log2(7 / 4)
    most = sum(n * math.log2(10 / n) for n in (1, 2, 3, 4)) + 3 * math.log2(10 / 3) + 7 * math.log2(10 / 7)
    assert utility["non-uniform entropy"] == pytest.approx(guesses / most)
    told, held = (
        0.3 * math.log2(10 / 3) + 0.7 * math.log2(10 / 7),
        sum(n * math.log2(10 / n) for n in (1, 2, 3, 4)) / 10,
    )
    kept, whole = (2 * math.log2(1 + told), math.log2(1 + held) + math.log2(1 + told))  # sex is told as it is
    assert utility["balanced loss"] == pytest.approx(1 - kept / whole)
    true = {(0, 0): 1, (1, 0): 1, (1, 1): 1, (2, 1): 3, (3, 0): 2, (3, 1): 2}
    rebuilt = {(0, 0): 1.0, (1, 0): 1.0, (1, 1): 0.5, (2, 1): 2.5, (3, 0): 1.0, (3, 1): 2.5}
    assert utility["KL divergence"] == pytest.approx(sum(n / 10 * math.log(n / rebuilt[at]) for at, n in true.items()))


def test_suppressed_people_may_be_anywhere():
    utility = worth(ONE_LEFT_OUT)
    assert utility["suppressed"] == 0.1
    assert utility["discernibility"] == 4 + 49 + 1 * 10
    assert utility["loss"] == pytest.approx((7 * (10 / 30) / 2 + 1) / 10)
    assert 0 < utility["non-uniform entropy"] < 1
    assert math.isfinite(utility["KL divergence"])


def test_queries_are_the_same_for_the_same_seed_and_answered_by_expectation():
    one, other = (list(random_queries(ORDERS, 2, seed=3)) for _ in range(2))
    assert [each.ranges for each in one] == [each.ranges for each in other]
    for query in one[:20]:
        assert AS_IT_IS.estimate(query) == query.answer(TABLE, ORDERS)


def test_utilities_are_computed_when_asked_for(monkeypatch):
    result = sl.protect(TABLE, sl.Policy(sl.GroupSize() >= 2), method="mondrian", ask="nobody")
    assert list(result.utility) == list(UTILITIES)
    assert result.utility["loss"] == UTILITIES["loss"](result.outcome.recoding)
