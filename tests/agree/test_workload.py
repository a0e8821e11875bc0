"""Cells from marginals: in closed form as by dense generalised least squares."""

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.noise.estimates import estimate_cells, weigh_noises, weigh_residuals
from sidelight.noise.workload import CellLayout, best_shares, subsets

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)
VARIANCES = st.sampled_from([0.3, 1.0, 2.0, 17.0])


@st.composite
def measurements(draw):
    shape = draw(SHAPES)
    every = tuple(range(len(shape)))
    coarser = draw(st.lists(st.sampled_from([*subsets(every)]), max_size=4, unique=True))
    return shape, {axes: draw(VARIANCES) for axes in dict.fromkeys([every, *coarser])}


def dense(shape, axes):
    """The matrix that adds up the cells of a marginal."""
    matrix = np.ones((1, 1))
    for axis, size in enumerate(shape):
        matrix = np.kron(matrix, np.eye(size) if axis in axes else np.ones((1, size)))
    return matrix


def covariance(shape, variances):
    """The covariance of the best linear unbiased estimate, and what each marginal adds to it."""
    matrices = {axes: dense(shape, axes) for axes in variances}
    precision = sum(matrices[axes].T @ matrices[axes] / variance for axes, variance in variances.items())
    inverse = np.linalg.inv(precision)
    return inverse, {axes: inverse @ matrices[axes].T / variance for axes, variance in variances.items()}


@examples(60)
@given(measurements(), st.integers(0, 10**6))
def test_estimates_are_those_of_least_squares(measured, seed):
    shape, variances = measured
    numbers = np.random.default_rng(seed)
    counts = {axes: numbers.integers(-5, 50, [shape[axis] for axis in axes], dtype=np.int64) for axes in variances}
    _, gains = covariance(shape, variances)
    slow = sum(gains[axes] @ counts[axes].ravel() for axes in variances)
    layout = CellLayout(shape)
    fast = estimate_cells(layout, weigh_residuals(layout, variances), counts)
    assert np.allclose(fast.ravel(), slow, atol=1e-8)


def variance_of_sum(shape, variances, taken):
    """The variance of a sum of cells that takes so many labels of each column."""
    parts = error_of_sum(shape, variances, taken).items()
    return math.fsum(float((weights**2 * draws).sum()) * variances[axes] for axes, (weights, draws) in parts)


def error_of_sum(shape, variances, taken):
    layout = CellLayout(shape)
    return weigh_noises(layout, weigh_residuals(layout, variances), variances, taken)


@examples(40)
@given(measurements(), st.data())
def test_sums_err_by_the_weights_that_least_squares_gives_each_noise(measured, data):
    shape, variances = measured
    taken = [data.draw(st.integers(1, size)) for size in shape]
    chosen = np.zeros(shape)
    chosen[tuple(slice(count) for count in taken)] = 1
    inverse, gains = covariance(shape, variances)
    assert math.isclose(
        variance_of_sum(shape, variances, taken), chosen.ravel() @ inverse @ chosen.ravel(), abs_tol=1e-9
    )
    for axes, (weights, draws) in error_of_sum(shape, variances, taken).items():
        assert np.allclose(np.sort(np.repeat(weights, draws)), np.sort(chosen.ravel() @ gains[axes]), atol=1e-9)


@examples(12)
@given(measurements())
def test_shares_are_the_best_of_many(measured):
    """No shares on a coarse grid serve the queries better than those that were found, but for their rounding."""
    shape, variances = measured
    weights = dict.fromkeys(variances, 1.0)

    def served(shares):
        noise = {axes: 2 / share**2 for axes, share in shares.items() if share}
        one_each = ([1 if axis in axes else n for axis, n in enumerate(shape)] for axes in weights)
        return sum(variance_of_sum(shape, noise, taken) for taken in one_each)

    shares = best_shares(CellLayout(shape), weights, lambda axes, share: 2 / share**2)
    assert sum(shares.values()) == 1
    found = served({axes: float(share) for axes, share in shares.items()})
    steps = itertools.product(range(6), repeat=len(weights) - 1)
    for split in steps:
        if sum(split) < 10:
            tried = [(10 - sum(split)) / 10, *(part / 10 for part in split)]
            assert found <= served(dict(zip(weights, tried, strict=True))) * 1.01


@examples(20)
@given(SHAPES, st.integers(0, 10**6))
def test_marginals_add_up_cells(shape, seed):
    cells = np.random.default_rng(seed).integers(0, 9, shape)
    for axes in subsets(tuple(range(len(shape)))):
        assert np.array_equal(CellLayout(cells.shape).add_up(cells, axes).ravel(), dense(shape, axes) @ cells.ravel())
