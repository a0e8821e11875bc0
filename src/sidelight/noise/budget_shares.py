"""Which share of the budget does each marginal get, so that what is asked is answered best?

Shares of ε, or of ρ, minimise Σ_queries weight · variance of one count, by descent from several starts; a query that is
told better by the rest is not measured.  Shares are whole thousandths, and add up to 1 exactly.

The variances are those of the best linear unbiased estimates (`workload`, whose symbols these are).  With coarser
levels they are what they would be if all groups of a level were of one size: column i has m labels at each level that
is counted by, 1 = m_0 < m_1 < … ≤ n_i, a residual is at one level b_i of each column, has dimension
d_B = Π (m_{b_i} − m_{b_i−1}),

    p_B = Σ_{A≥B} g_A / v_A,    variance of one count of C = Σ_{B≤C} (g_C · d_B / n_C) / p_B,    g_A = n / n_A cells,

which for columns as published is the variance that `workload` has.  Shares may be a little off the best; noise and
margins are not.

Source: Xiao, He, Zhang and Kifer, NeurIPS 2023 (the best shares for Gaussian noise).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.optimize import minimize

from sidelight.arrays import Flags, Floats
from sidelight.noise.marginals import Axes, CellLayout

STEP = 1e-6
"""By how much a share is raised to see how a variance moves with it, relative to the share."""

SHARES = 1_000
"""Shares of ε are whole thousandths of it."""


def best_shares(
    layout: CellLayout | tuple[int, ...], weights: Mapping[Axes, float], variance: Callable[[Axes, float], float]
) -> dict[Axes, Fraction]:
    """Which share of the budget does each query get, so that Σ weight · variance of one count is smallest?

    The shares are thousandths and add up to 1; a query that is not measured has none.  `variance` says what noise has a
    marginal that gets these shares.

    >>> laplace = lambda axes, share: 2 / share**2
    >>> {axes: str(share) for axes, share in best_shares((100, 2), {(0, 1): 1, (): 1}, laplace).items()}
    {(0, 1): '501/1000', (): '499/1000'}
    """
    layout = layout if isinstance(layout, CellLayout) else CellLayout(layout)
    objective = _Objective(layout, tuple(weights), np.array([*weights.values()]), variance)
    measured = np.ones(len(weights), bool)
    shares = _descend(objective, measured)
    # the cells stand first, and always are measured
    for query in (1 + np.argsort(shares[1:], kind="stable")).tolist():
        fewer = measured & (np.arange(len(weights)) != query)
        without = _descend(objective, fewer)
        # a tie, as far as the descent resolves one, goes to fewer measurements
        if objective(without) <= objective(shares) * (1 + 1e-6):
            measured, shares = fewer, without
    rounded = _thousandths(shares)
    return {axes: Fraction(share, SHARES) for axes, share in zip(weights, rounded, strict=True) if share}


@dataclass(frozen=True)
class _Objective:
    """Σ weight · variance of one count, by shares of the budget; the cells stand first."""

    layout: CellLayout
    queries: tuple[Axes, ...]
    weights: Floats
    variance: Callable[[Axes, float], float]

    @cached_property
    def _chains(self) -> dict[int, list[int]]:
        """Which axes of each column the queries are by, the coarsest first."""
        used = {axis for axes in self.queries[1:] for axis in axes}
        chains: dict[int, list[int]] = {}
        for axis in sorted(used, key=lambda axis: (self.layout.labels_of(axis), -axis)):
            chains.setdefault(self.layout.column(axis), []).append(axis)
        return chains

    def _no_finer(self, axis: int) -> list[int]:
        chain = self._chains[self.layout.column(axis)]
        return chain[: chain.index(axis) + 1]

    @cached_property
    def _residuals(self) -> list[Axes]:
        """Every residual that some query tells about: none, or an axis that is no finer, of each of its columns."""
        ways = ([[(), *((each,) for each in self._no_finer(axis))] for axis in axes] for axes in self.queries[1:])
        every = itertools.chain.from_iterable(itertools.product(*each) for each in ways)
        return list(dict.fromkeys(tuple(itertools.chain.from_iterable(each)) for each in every))

    @cached_property
    def _is_told(self) -> Flags:
        """Whether B ≤ A: residual × query; the cells tell about all."""
        beside = [{each for axis in axes for each in self._no_finer(axis)} for axes in self.queries[1:]]
        rows = [[True, *(set(below) <= each for each in beside)] for below in self._residuals]
        return np.array(rows, bool).reshape(len(rows), len(self.queries))

    @cached_property
    def _cells_each(self) -> Floats:
        """g_A: how many cells there are in one count of each query."""
        cells = self.layout.size(self.layout.every)
        return np.array([cells / self.layout.size(axes) for axes in self.queries])

    @cached_property
    def _gains(self) -> Floats:
        """g_A where B ≤ A: residual × query."""
        return np.where(self._is_told, self._cells_each, 0.0)

    @cached_property
    def _dimensions(self) -> Floats:
        """d_B of each residual."""
        return np.array([math.prod(map(self._dimension, below)) for below in self._residuals], np.float64)

    def _dimension(self, axis: int) -> int:
        *before, _ = self._no_finer(axis)
        return self.layout.labels_of(axis) - (self.layout.labels_of(before[-1]) if before else 1)

    @cached_property
    def _gain(self) -> Floats:
        """How much the variance of each residual weighs; and, last, that of the cells where no marginal tells more."""
        sizes = np.array([self.layout.size(axes) for axes in self.queries])
        rest = self.weights[0] * (1 - self._dimensions.sum() / sizes[0])
        return np.append((self._gains @ (self.weights / sizes)) * self._dimensions, rest)

    def _variances(self, shares: Floats) -> Floats:
        every = zip(self.queries, shares.tolist(), strict=True)
        return np.array([self.variance(axes, share) if share else math.inf for axes, share in every])

    def __call__(self, shares: Floats) -> float:
        variances = self._variances(shares)
        return float(self._gain[-1] * variances[0] + (self._gain[:-1] / (self._gains @ (1 / variances))).sum())

    def slope(self, shares: Floats) -> Floats:
        """Return how the logarithm of the objective moves with the logarithm of each share, were they free."""
        variances = self._variances(shares)
        precision = self._gains @ (1 / variances)
        # what a variance does to the objective, relative to itself, times how it moves with its share
        moved = (self._gain[:-1] / precision**2) @ self._gains / variances
        moved[0] += self._gain[-1] * variances[0]
        further = self._variances(shares * (1 + STEP))
        steepness = np.array(
            [math.log(b / a) if a < math.inf else 0.0 for a, b in zip(variances, further, strict=True)]
        )
        slope: Floats = moved * steepness / (STEP * self(shares))
        return slope


def _descend(objective: _Objective, measured: Flags) -> Floats:
    """Find the best shares of those that are measured; logarithms are moved, so that all stay above 0."""

    def shares(logs: Floats) -> Floats:
        every = np.zeros(len(measured))
        every[measured] = np.exp(logs - logs.max())
        every /= every.sum()
        return every

    size = int(measured.sum())
    # a descent may end in a local minimum: one from equal shares, one from more for the cells
    starts = [np.zeros(size), np.where(np.arange(size) == 0, 2.0, 0.0)]

    def descent(logs: Floats) -> tuple[float, Floats]:
        at = shares(logs)
        slope = objective.slope(at)
        # shares add up to 1: raising one lowers all
        return math.log(objective(at)), (slope - at * slope.sum())[measured]

    stop = {"ftol": 1e-9, "gtol": 1e-5}  # shares are thousandths, and the best ones lie flat
    within = [(-5.0, 5.0)] * size  # a share of less than one in twenty thousand is none
    minima = [minimize(descent, start, jac=True, method="L-BFGS-B", bounds=within, options=stop) for start in starts]
    return shares(min(minima, key=lambda each: float(each.fun)).x)


def _thousandths(shares: Floats) -> list[int]:
    """Round to whole thousandths with the same sum; who has any share keeps one at least."""
    whole = np.where(shares > 0, np.maximum(np.floor(shares * SHARES), 1), 0).astype(np.int64)
    # largest remainders first: those that lost most by rounding down get the thousandths that are left
    order = np.argsort(whole - shares * SHARES, kind="stable")
    left = SHARES - int(whole.sum())
    if left >= 0:
        whole[order[:left]] += 1
    else:  # more queries with hardly anything than thousandths were left: the largest gives
        whole[whole.argmax()] += left
    return [int(each) for each in whole]
