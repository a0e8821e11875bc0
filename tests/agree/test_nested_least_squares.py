"""Cells from marginals at coarser levels, in groups of any sizes: step by step as by dense generalised least squares."""

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.noise.estimates import (
    PARTS_AT_MOST,
    NestedLeastSquares,
    NoisePart,
    estimate_cells,
    margin_of,
    merge_parts,
    weigh_residuals,
)
from sidelight.noise.mechanism import Mechanism
from sidelight.noise.workload import CellLayout, best_shares, coarser_level

VARIANCES = st.sampled_from([0.3, 1.0, 2.0, 17.0])


@st.composite
def layouts(draw):
    """Columns with up to two coarser levels each: every level puts neighbouring labels of the one below together."""
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))
    coarser = []
    for column, labels in enumerate(shape):
        place = np.arange(labels)
        for level in range(1, draw(st.integers(0, 2)) + 1):
            begins = np.array([True, *draw(st.lists(st.booleans(), min_size=labels - 1, max_size=labels - 1))])
            # a group begins only where one of the level below does
            first = np.diff(place, prepend=-1) > 0
            place = np.cumsum(begins & first) - 1
            coarser.append(coarser_level(column, level, place.tolist()))
    return CellLayout(shape, tuple(coarser))


@st.composite
def measurements(draw):
    layout = draw(layouts())
    axes_of = [
        [None, column, *(len(layout.shape) + n for n, each in enumerate(layout.coarser) if each.column == column)]
        for column in layout.every
    ]
    query = st.tuples(*map(st.sampled_from, axes_of)).map(lambda axes: tuple(each for each in axes if each is not None))
    beside = draw(st.lists(query, min_size=1, max_size=4, unique=True))
    return layout, {axes: draw(VARIANCES) for axes in dict.fromkeys([layout.every, *beside])}


def dense(layout, axes):
    """The matrix that adds up the cells of a marginal."""
    matrix = np.ones((1, 1))
    for place in layout.places(axes):
        matrix = np.kron(matrix, np.eye(place.max() + 1)[place].T)
    return matrix


def covariance(layout, variances):
    matrices = {axes: dense(layout, axes) for axes in variances}
    precision = sum(matrices[axes].T @ matrices[axes] / variance for axes, variance in variances.items())
    inverse = np.linalg.inv(precision)
    return inverse, {axes: inverse @ matrices[axes].T / variance for axes, variance in variances.items()}


@examples(60)
@given(measurements(), st.integers(0, 10**6))
def test_estimates_at_levels_are_those_of_least_squares(measured, seed):
    layout, variances = measured
    numbers = np.random.default_rng(seed)
    sizes = {axes: [layout.labels_of(axis) for axis in axes] for axes in variances}
    counts = {axes: numbers.integers(-5, 50, sizes[axes], dtype=np.int64) for axes in variances}
    _, gains = covariance(layout, variances)
    slow = sum(gains[axes] @ counts[axes].ravel() for axes in variances)
    if len(variances) > 1:
        assert np.allclose(NestedLeastSquares(layout, variances).estimate(counts).ravel(), slow, atol=1e-8)


@examples(60)
@given(measurements(), st.data())
def test_sums_at_levels_are_weighted_as_least_squares_does(measured, data):
    layout, variances = measured
    if len(variances) == 1:
        return
    places = [np.array(sorted(data.draw(st.sets(st.integers(0, size - 1), min_size=1)))) for size in layout.shape]
    chosen = np.zeros(layout.shape)
    chosen[np.ix_(*places)] = 1
    counts = {
        axes: np.random.default_rng(7).integers(-5, 50, [layout.labels_of(axis) for axis in axes]) for axes in variances
    }
    inverse, gains = covariance(layout, variances)
    fast = NestedLeastSquares(layout, variances)
    total, error = fast.answer(places, counts)
    assert math.isclose(total, chosen.ravel() @ sum(gains[a] @ counts[a].ravel() for a in variances), abs_tol=1e-7)
    for axes, (weights, draws) in error.items():
        slow = chosen.ravel() @ gains[axes]
        assert np.allclose(np.sort(np.repeat(weights, draws)), np.sort(slow), atol=1e-9)
    variance = sum(float(weights**2 @ draws) * variances[axes] for axes, (weights, draws) in error.items())
    assert math.isclose(variance, chosen.ravel() @ inverse @ chosen.ravel(), rel_tol=1e-9)


@examples(60)
@given(measurements())
def test_counts_of_one_kind_are_equally_far_off(measured):
    """Of every count of a marginal the variance is that of the kind that stands for it, and no kind is left out."""
    layout, variances = measured
    if len(variances) == 1:
        return
    inverse, _ = covariance(layout, variances)
    fast = NestedLeastSquares(layout, variances)
    for axes in variances:
        matrix = dense(layout, axes)
        every = {round(float(each), 9) for each in np.diag(matrix @ inverse @ matrix.T)}
        told = set()
        for places in fast.kinds(axes):
            chosen = np.zeros(layout.shape)
            chosen[np.ix_(*places)] = 1
            told.add(round(float(chosen.ravel() @ inverse @ chosen.ravel()), 9))
        close = [min(abs(one - other) for other in told) for one in every]
        assert max(close) < 1e-8


@examples(40)
@given(measurements())
def test_columns_as_published_give_what_the_closed_form_gives(measured):
    layout, variances = measured
    plain = {axes: each for axes, each in variances.items() if not layout.coarse(axes)}
    if len(plain) == 1:
        return
    counts = {axes: np.arange(layout.size(axes)).reshape([layout.shape[axis] for axis in axes]) ** 2 for axes in plain}
    closed = estimate_cells(layout, weigh_residuals(layout, plain), counts)
    assert np.allclose(closed, NestedLeastSquares(layout, plain).estimate(counts), atol=1e-7)


@examples(30)
@given(measurements())
def test_marginals_add_up_cells_and_spread_over_them(measured):
    layout, variances = measured
    cells = np.random.default_rng(3).integers(0, 9, layout.shape)
    for axes in variances:
        matrix = dense(layout, axes)
        added = layout.add_up(cells, axes)
        assert np.array_equal(added.ravel(), matrix @ cells.ravel())
        assert np.array_equal(
            np.broadcast_to(layout.spread(added, axes), layout.shape).ravel(), matrix.T @ added.ravel()
        )
    assert layout.is_nested()


def test_shares_of_levels_of_equal_groups_are_the_best_of_many():
    layout = CellLayout((6, 4), (coarser_level(0, 1, [0, 0, 1, 1, 2, 2]), coarser_level(1, 1, [0, 0, 1, 1])))
    weights = {(0, 1): 1.0, (2,): 1.0, (3,): 1.0, (): 1.0}

    def served(shares):
        inverse, _ = covariance(layout, {axes: 2 / share**2 for axes, share in shares.items() if share})
        matrices = [dense(layout, axes) for axes in weights]
        return sum(float(np.diag(each @ inverse @ each.T).mean()) for each in matrices)

    shares = best_shares(layout, weights, lambda axes, share: 2 / share**2)
    assert sum(shares.values()) == 1
    best = served({axes: float(share) for axes, share in shares.items()})
    for split in itertools.product(range(6), repeat=3):
        if sum(split) < 10:
            tried = [(10 - sum(split)) / 10, *(part / 10 for part in split)]
            assert best <= served(dict(zip(weights, tried, strict=True))) * 1.01


def test_many_weights_have_nearly_the_margin_that_each_by_itself_gives():
    noise = Mechanism("discrete Laplace", 3.0), Mechanism("discrete Laplace", 8.0)
    weights = np.linspace(0.02, 1, 4 * PARTS_AT_MOST)
    parts = [NoisePart(noise[number % 2], 1 + number % 3, float(each)) for number, each in enumerate(weights)]
    together, left = merge_parts(parts)
    assert len(together) <= PARTS_AT_MOST
    assert sum(each.draws for each in together) == sum(each.draws for each in parts)
    rng = np.random.default_rng(11)
    drawn = np.zeros(40_000)
    for part in parts:
        share = -math.expm1(-1 / part.mechanism.scale)
        draws = rng.geometric(share, (2, part.draws, len(drawn)))
        drawn += part.weight * (draws[0] - draws[1]).sum(axis=0)
    for confidence in (0.8, 0.95):
        margin = margin_of(parts, confidence)
        truth = np.quantile(np.abs(drawn), confidence)
        assert 0.985 * truth < margin < 1.05 * truth
    assert left
