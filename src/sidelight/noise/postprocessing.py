"""Post-processing: whole counts of at least 0, made of measured ones without looking at the data again.

It costs no privacy, as whoever sees the measured counts can do the same; and it is not free.  Cell by cell such counts
are nearer to the truth, while their sums are no longer right on average: what noise leaves in empty cells is taken from
the others.  Where marginals were measured, counts are scaled to add up to what is estimated of these (iterative
proportional fitting), so that at least those sums stay right.

Source: Deming and Stephan, Annals of Mathematical Statistics 1940 (proportional fitting).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sidelight.arrays import Floats, Integers
from sidelight.noise.marginals import Axes, CellLayout, CoarserLevel

HALVINGS = 50
"""How often a threshold between counts is halved: further, floats could not tell."""

FITTINGS = 30
"""How often counts are scaled to each marginal; where marginals leave no such counts, that is where it ends."""

HARDLY_ANYBODY = 1e-6
"""What every cell has before it is scaled, so that marginals may say that there is somebody in an empty one."""


def postprocess(measured: Integers | Floats) -> Integers:
    """Which whole counts of at least 0 with the same total are nearest to the measured ones?

    The total stays that of the measured counts (0 where it is negative), so that nothing is gained by setting
    negative counts to 0: min Σ (x − measured)², x ≥ 0 and whole, Σ x = Σ measured.  One more in a cell costs
    2·(x − measured) − 1, so that the cheapest are all with x ≤ measured − t for one t; where there are several of the
    same price, the largest counts have one less.

    >>> postprocess(np.array([7, -2, 4, 1])).tolist(), postprocess(np.array([6.7, -1.9, 4.3, 1.4])).tolist()
    ([6, 0, 3, 1], [6, 0, 4, 1])
    """
    flat, total = measured.ravel(), round(measured.sum().item())
    if total <= 0:
        return np.zeros(measured.shape, np.int64)
    low, high = _thresholds(flat, total)
    whole, least = _lower(flat, low), _lower(flat, high)
    # between two thresholds that floats can hardly tell apart, no count differs by more than one
    order = np.argsort(-flat, kind="stable")
    one_less = order[(whole > least)[order]][: int(whole.sum()) - total]
    whole[one_less] -= 1
    return whole.reshape(measured.shape)


def _lower(counts: Integers | Floats, threshold: float) -> Integers:
    lowered: Integers = np.maximum(np.floor(counts - threshold), 0).astype(np.int64)
    return lowered


def _thresholds(counts: Integers | Floats, total: int) -> tuple[float, float]:
    """Find the t from which on too little is left of counts, by halving: one at which enough is, one just above."""
    # at −2 every count keeps more than it has and at max + 1 nothing is left: the total lies between
    low, high = -2.0, float(counts.max()) + 1
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if int(_lower(counts, middle).sum()) >= total else (low, middle)
    return low, high


def fit_marginals(
    estimates: Integers | Floats, marginals: Sequence[Axes], coarser: Sequence[CoarserLevel] = ()
) -> Integers:
    """Which whole counts of at least 0 are near to the estimates, and add up nearly as they do along these axes?

    The nearest ones (`postprocess`), scaled to the estimate of each marginal in turn, of at least 0; then rounded so
    that sums along the order of the cells are off by half a person at most.

    >>> fit_marginals(np.array([[6.2, -3.4, 0.2], [2.0, 2.0, 2.0]]), [(0,)]).sum(axis=1).tolist()
    [3, 6]
    """
    nearest = postprocess(estimates)
    total = int(nearest.sum())
    if not total:
        return nearest
    fitted = nearest.astype(np.float64) + HARDLY_ANYBODY
    layout = CellLayout(estimates.shape, tuple(coarser))
    # the estimates are right on average; sums of `nearest` are not
    targets = {axes: np.maximum(layout.add_up(estimates.astype(np.float64), axes), 0) for axes in marginals}
    for axes, target in [*targets.items()] * FITTINGS:
        # both are above 0 somewhere, as the total is
        scaled = target * (total / target.sum()) / np.maximum(layout.add_up(fitted, axes), HARDLY_ANYBODY)
        fitted *= layout.spread(scaled, axes)
    left = fitted.sum()
    if not left > 0:  # marginals that leave no cell to anybody
        return nearest
    # rounding the running total keeps each partial sum within half a person, and the total exact
    whole: Integers = np.diff(np.rint(np.cumsum(fitted) * (total / left)), prepend=0).astype(np.int64)
    return whole.reshape(estimates.shape)
