"""Marginals: one person moves them no further than their noise is for, and all costs together stay within the budget."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.noise.accountant import Spending
from sidelight.noise.mechanism import PrivacyCost, PrivacyUnit, concentrated_epsilon, units_changed
from sidelight.noise.workload import CellLayout, coarser_level, split_noise, subsets

SHAPE = (2, 3, 4)
NEIGHBOURS = st.sampled_from(["add or remove", "replace"])


def counts_of(unit, places):
    """The cells of one unit: at most so many, of a set each value once within one group."""
    cells = np.zeros(SHAPE, np.int64)
    for group, value in places[: unit.at_most]:
        if unit.values == "set":
            cells.reshape(6, 4)[places[0][0], value] = 1
        elif unit.rows_per_person is not None:
            cells.reshape(6, 4)[group, value] += 1
        else:
            cells.reshape(6, 4)[places[0][0], value] += 1
    return cells


PLACES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=4)
UNITS = st.builds(
    lambda values, cap: PrivacyUnit("id", rows_per_person=cap) if values == "rows" else PrivacyUnit("id", values, cap),
    st.sampled_from(["set", "multiset", "rows"]),
    st.integers(1, 4),
)


@examples(80)
@given(UNITS, PLACES, PLACES, NEIGHBOURS)
def test_no_unit_moves_a_marginal_further_than_its_noise_is_for(unit, one, other, neighbours):
    units = units_changed(neighbours)
    change = counts_of(unit, one) - (counts_of(unit, other) if units == 2 else 0)
    cells = unit.sensitivity(neighbours)
    for axes in subsets((0, 1, 2)):
        bound = cells if len(axes) == 3 else cells.merge(units)
        moved = CellLayout(change.shape).add_up(change, axes)
        assert np.abs(moved).sum() <= bound.l1
        assert (moved**2).sum() <= bound.l2_squared


LEVELS = CellLayout(
    SHAPE,
    (coarser_level(1, 1, ["a", "a", "b"]), coarser_level(2, 1, ["x", "y", "x", "z"]), coarser_level(2, 2, "xyxy")),
)


@examples(60)
@given(UNITS, PLACES, PLACES, NEIGHBOURS)
def test_no_unit_moves_a_marginal_at_coarser_levels_further_than_its_noise_is_for(unit, one, other, neighbours):
    units = units_changed(neighbours)
    change = counts_of(unit, one) - (counts_of(unit, other) if units == 2 else 0)
    bound = unit.sensitivity(neighbours).merge(units)
    for axes in ((3,), (4,), (5,), (0, 3), (3, 4), (3, 5), (0, 1, 4), (0, 3, 2), (0, 3, 5)):
        moved = LEVELS.add_up(change, axes)
        assert np.abs(moved).sum() <= bound.l1
        assert (moved**2).sum() <= bound.l2_squared


@examples(4)
@given(st.fractions(Fraction(1, 50), 8, max_denominator=200), st.sampled_from(["0", "1e-6"]), UNITS, NEIGHBOURS)
def test_noises_of_queries_at_coarser_levels_keep_epsilon_and_delta(epsilon, delta, unit, neighbours):
    weights = dict.fromkeys([(0, 1, 2), (3,), (0, 5)], 1.0)
    cost = PrivacyCost(epsilon, Fraction(delta))
    cells, *others = split_noise(
        LEVELS, weights, cost, unit.sensitivity(neighbours), units_changed(neighbours)
    ).values()
    assert Spending("queries", epsilon, Fraction(delta), neighbours, cells, marginal_noise=tuple(others)).keeps()


def test_the_sensitivity_of_marginals_is_reached():
    unit = PrivacyUnit("id", "set", 3)
    change = counts_of(unit, [(0, 0), (0, 1), (0, 2)])
    bound = unit.sensitivity("add or remove").merge(1)
    total = CellLayout(change.shape).add_up(change, ())
    assert (abs(int(total)), int(total) ** 2) == (bound.l1, bound.l2_squared)


@examples(12)
@given(
    st.lists(st.sampled_from([*subsets((0, 1, 2))]), min_size=1, max_size=3, unique=True),
    st.fractions(Fraction(1, 50), 8, max_denominator=200),
    st.sampled_from(["0", "1e-6", "0.01"]),
    UNITS,
    NEIGHBOURS,
)
def test_the_noises_of_all_queries_together_keep_epsilon_and_delta(queries, epsilon, delta, unit, neighbours):
    weights = dict.fromkeys([(0, 1, 2), *queries], 1.0)
    cost = PrivacyCost(epsilon, Fraction(delta))
    noise = split_noise(CellLayout(SHAPE), weights, cost, unit.sensitivity(neighbours), units_changed(neighbours))
    cells, *others = noise.values()
    spending = Spending("queries", epsilon, Fraction(delta), neighbours, cells, marginal_noise=tuple(others))
    assert spending.keeps()
    if others and spending.delta:
        assert concentrated_epsilon(spending.rho(), spending.delta) <= epsilon
    if spending.delta == 0:
        costs = sum(each.sensitivity.l1 / Fraction(each.scale) for each in noise.values())
        assert costs <= epsilon
        assert float(costs) == pytest.approx(float(epsilon), rel=1e-9)
