"""Which marginals are measured beside the cells, for which share of ε, and what do they say together?

A query is a marginal A: the counts by some of the columns, the sensitive one among them or not; by none of them, the
total.  The cells are the marginal by all.  Each measured marginal A has noise of variance v_A of its own.  One person
is in one cell of each marginal, so that the costs of marginals add up: Σ ε_A = ε, or Σ ρ_A = ρ.

What they say together is the best linear unbiased estimate of the cells (generalised least squares), which is
consistent: every count is the sum of its cells.  In closed form, with n_i labels of column i, and n_C = Π_{i∈C} n_i:
the counts x split into residuals, one for each set B of columns,

    r_B = H_B M_B x,    M_B adds up over the columns that are not in B,  H_B = ⊗_{i∈B} (I − 11ᵀ/n_i),
    M_C x = Σ_{B⊆C} r_B / n_{C∖B}    (spread evenly over the columns of C that are not in B).

A marginal y_A = M_A x + noise tells r_B for every B ⊆ A as H_B M_B y_A, with covariance v_A·n_{A∖B}·H_B.  Two of these
for different B are uncorrelated, as some column is in one of them only, where (I − 11ᵀ/n_i) meets 1 and leaves 0, and
those of different A are independent.  So each r_B is
estimated by itself, and the covariances are multiples of one matrix: the best weights are inverse variances,

    r̂_B = Σ_{A⊇B} w_{A,B} · H_B M_B y_A,    w_{A,B} = 1 / (v_A·n_{A∖B}·p_B),    p_B = Σ_{A⊇B} 1 / (v_A·n_{A∖B}),

with covariance H_B / p_B.  One count of marginal C then has the variance

    Σ_{B⊆C} n_{C∖B}^(−2) · p_B^(−1) · Π_{i∈B} (1 − 1/n_i),

and a sum of cells that takes k_i of the n_i labels of each column gives to the cell a of marginal A the weight

    Σ_{B⊆A} w_{A,B} · Π_{i∉B} (k_i/n_i) · Π_{i∈B} ([label a_i is taken] − k_i/n_i).

Where B is in no marginal but the cells, r̂_B is what the cells say: only the sets below some query are ever visited.

Shares of ε minimise Σ_queries weight · variance of one count, by descent from several starts; a query that is told
better by the rest is not measured.  Shares are whole thousandths, and add up to ε exactly.

Source: Li, Hay, Rastogi, Miklau and McGregor, PODS 2010 (the matrix mechanism); Xiao, He, Zhang and Kifer, NeurIPS 2023
(residuals, and the best shares for Gaussian noise); Qardaji, Yang and Li, 2014 (marginals from Laplace noise).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy.optimize import minimize

from sidelight._arrays import Floats, Integers
from sidelight.dp.accountant import largest_rho
from sidelight.dp.answers import NoisePart
from sidelight.dp.mechanism import Mechanism, PrivacyCost, calibrate, calibrate_rho
from sidelight.dp.parameters import Sensitivity
from sidelight.errors import BadNoise, WrongKind, did_you_mean, parameter

Axes: TypeAlias = tuple[int, ...]
"""Which columns a marginal is by, as numbers that rise."""

Query: TypeAlias = str | Sequence[str]
"""Columns that are counted by: "sex", "age, occupation" or ("age", "occupation"); "total", and "cells" for all."""

Queries: TypeAlias = Query | Sequence[Query] | Mapping[Query, float]
"""Several of them; one that is listed twice, or maps to 2, weighs twice."""

TOTAL, CELLS = "total", "cells"
"""What the counts by no column, and by all, are called."""

WEIGHT_STEPS = 2**40
"""Weights of noises are rounded up to steps of one in so many; noise is symmetric, so that only their size counts."""

STEP = 1e-6
"""By how much a share is raised to see how a variance moves with it, relative to the share."""

SHARES = 1_000
"""Shares of ε are whole thousandths of it."""


def subsets(axes: Axes) -> Iterable[Axes]:
    """Give every subset, the smallest first.

    >>> list(subsets((0, 2)))
    [(), (0,), (2,), (0, 2)]
    """
    return itertools.chain.from_iterable(itertools.combinations(axes, size) for size in range(len(axes) + 1))


def read_queries(queries: object, names: Sequence[str]) -> dict[Axes, float]:
    """Find the columns and the weight of each query; the cells are always among them, and stand first.

    >>> read_queries(["total", "sex", "sex"], ["age", "sex", "occupation"])
    {(0, 1, 2): 1.0, (): 1.0, (1,): 2.0}
    """
    every = tuple(range(len(names)))
    weights: dict[Axes, float] = {}
    for query, weight in _weighted(queries):
        axes = _axes(query, names)
        if isinstance(weight, bool) or not isinstance(weight, int | float | Fraction) or not 0 < weight < math.inf:
            message = f"the weight of a query is a number above 0, not {weight}"
            raise BadNoise(message)
        weights[axes] = weights.get(axes, 0.0) + float(weight)
    return {every: weights.pop(every, 1.0), **weights}


def _weighted(queries: object) -> Iterable[tuple[object, object]]:
    if isinstance(queries, Mapping):
        return queries.items()
    if isinstance(queries, str):
        return [(queries, 1)]
    if isinstance(queries, Sequence | AbstractSet):
        return [(query, 1) for query in queries]
    message = f'{parameter("queries")} should be a list of what is counted by, such as ["total", "sex"]'
    raise WrongKind(message)


def _axes(query: object, names: Sequence[str]) -> Axes:
    if isinstance(query, str):
        if query in names:
            if query in (TOTAL, CELLS):
                message = f"a column is called '{query}', which is what a query is called; rename it"
                raise BadNoise(message)
            return (names.index(query),)
        if query in (TOTAL, CELLS):
            return () if query == TOTAL else tuple(range(len(names)))
        query = [name.strip() for name in query.split(",")]
    if not isinstance(query, Sequence | AbstractSet):
        message = f"a query is the columns that are counted by, such as 'sex' or ('age', 'sex'), not {query!r}"
        raise WrongKind(message)
    for name in query:
        if name not in names:
            message = f"a query counts by '{name}', which is not published{did_you_mean(str(name), names)}"
            raise BadNoise(message)
    return tuple(sorted({names.index(name) for name in query}))


@dataclass(frozen=True, eq=False, slots=True)
class Marginal:
    """Counts by some of the columns, measured beside the cells: along which axes, with which noise."""

    axes: Axes
    mechanism: Mechanism
    measured: Integers = field(repr=False)


def marginal_of(cells: Integers, axes: Axes) -> Integers:
    """Add up the cells over all columns but these."""
    added = cells.sum(axis=tuple(axis for axis in range(cells.ndim) if axis not in axes), dtype=np.int64)
    return np.asarray(added, np.int64)


@dataclass(frozen=True, eq=False)
class Measurements:
    """What was drawn: the cells, which stand first, and marginals of them."""

    shape: tuple[int, ...]
    marginals: tuple[Marginal, ...]

    @classmethod
    def draw(cls, cells: Integers, noise: Mapping[Axes, Mechanism]) -> Measurements:
        """Draw noise for each marginal; all of it has to be paid for before."""
        drawn = (Marginal(axes, each, each.add_noise(marginal_of(cells, axes))) for axes, each in noise.items())
        return cls(cells.shape, tuple(drawn))

    @cached_property
    def _least_squares(self) -> LeastSquares:
        return LeastSquares(self.shape, {each.axes: each.mechanism.variance() for each in self.marginals})

    def estimates(self) -> Integers | Floats:
        """What do all of them say about the cells together?  Whole where the cells alone were measured."""
        if len(self.marginals) == 1:
            return self.marginals[0].measured
        return self._least_squares.estimate({each.axes: each.measured for each in self.marginals})

    def error(self, taken: Sequence[int]) -> tuple[NoisePart, ...]:
        """By which noises does a sum of estimates err that takes so many labels of each column?"""
        if len(self.marginals) == 1:
            return (NoisePart(self.marginals[0].mechanism, math.prod(taken)),)
        error = self._least_squares.error(taken)
        parts = []
        for each in self.marginals:
            weights, draws = error[each.axes]
            # weights that floats can hardly tell apart are one, the larger
            known, same = np.unique(np.ceil(np.abs(weights) * WEIGHT_STEPS) / WEIGHT_STEPS, return_inverse=True)
            together = np.bincount(same, draws, minlength=len(known)).astype(np.int64)
            parts += [
                NoisePart(each.mechanism, int(times), float(weight))
                for weight, times in zip(known, together, strict=True)
                if times and weight
            ]
        return tuple(parts)


def split_noise(
    shape: tuple[int, ...],
    weights: Mapping[Axes, float],
    cost: PrivacyCost,
    sensitivity: Sensitivity,
    units: int,
) -> dict[Axes, Mechanism]:
    """Which noise has each marginal that is measured, so that all together keep ε and δ?  The cells stand first.

    `sensitivity` is how far so many `units` who come or go move the cells.

    >>> noise = split_noise((100, 2), {(0, 1): 1, (): 1}, PrivacyCost(Fraction(1), Fraction(0)), Sensitivity(), 1)
    >>> {axes: (each.kind, round(each.scale, 4)) for axes, each in noise.items()}
    {(0, 1): ('discrete Laplace', 1.996), (): ('discrete Laplace', 2.004)}
    """
    every = tuple(range(len(shape)))
    moved = {axes: sensitivity if axes == every else sensitivity.merged(units) for axes in weights}
    if len(weights) == 1:
        return {every: cost.noise(sensitivity)}
    if cost.rho is None and cost.delta == 0:
        assert cost.epsilon is not None
        epsilon = cost.epsilon

        def laplace(axes: Axes, share: float) -> float:
            return Mechanism("discrete Laplace", moved[axes].l1 / (share * float(epsilon))).variance()

        shares = best_shares(shape, weights, laplace)
        return {axes: calibrate(epsilon * share, Fraction(0), moved[axes]) for axes, share in shares.items()}
    rho = cost.rho
    if rho is None:
        assert cost.epsilon is not None
        rho = largest_rho(cost.epsilon, cost.delta)

    def gaussian(axes: Axes, share: float) -> float:
        return moved[axes].l2_squared / (2 * float(rho) * share)

    shares = best_shares(shape, weights, gaussian)
    if len(shares) == 1:
        return {every: cost.noise(sensitivity)}
    return {axes: calibrate_rho(rho * share, moved[axes]) for axes, share in shares.items()}


@dataclass(frozen=True)
class LeastSquares:
    """What measured marginals say together, when their noises have these variances; the cells are among them."""

    shape: tuple[int, ...]
    variances: Mapping[Axes, float]

    @property
    def every(self) -> Axes:
        """The columns of the cells."""
        return tuple(range(len(self.shape)))

    def size(self, axes: Iterable[int]) -> int:
        """How many counts a marginal has."""
        return math.prod(self.shape[axis] for axis in axes)

    @cached_property
    def visited(self) -> tuple[Axes, ...]:
        """The sets of columns that some marginal but the cells tells about."""
        below = (subsets(axes) for axes in self.variances if axes != self.every)
        return tuple(dict.fromkeys(itertools.chain.from_iterable(below)))

    @cached_property
    def weights(self) -> Mapping[Axes, Mapping[Axes, float]]:
        """How much each measured marginal says about each visited residual, in shares of 1."""
        return {below: _shares(self._precisions(below)) for below in self.visited}

    def _precisions(self, below: Axes) -> dict[Axes, float]:
        return {
            axes: 1 / (variance * self.size(set(axes) - set(below)))
            for axes, variance in self.variances.items()
            if set(below) <= set(axes)
        }

    def estimate(self, measured: Mapping[Axes, Integers]) -> Floats:
        """Give the best linear unbiased estimate of the cells."""
        cells = measured[self.every].astype(np.float64)
        correction = np.zeros(self.shape)
        for below, weights in self.weights.items():
            # what all of them say about this residual, less what the cells say
            told = {axes: self._residual(measured[axes], axes, below) for axes in weights}
            residual = sum(weight * told[axes] for axes, weight in weights.items()) - told[self.every]
            spread = residual.reshape([n if axis in below else 1 for axis, n in enumerate(self.shape)])
            correction += spread / self.size(set(self.every) - set(below))
        return cells + correction

    def _residual(self, measured: Integers, axes: Axes, below: Axes) -> Floats:
        added = measured.sum(axis=tuple(place for place, axis in enumerate(axes) if axis not in below))
        residual = np.asarray(added, np.float64)
        for axis in range(residual.ndim):
            residual = residual - residual.mean(axis=axis, keepdims=True)
        return residual

    def variance_of(self, axes: Axes) -> float:
        """Give the variance of one count of a marginal that is measured."""
        return self.variance_of_sum([1 if axis in axes else n for axis, n in enumerate(self.shape)])

    def variance_of_sum(self, taken: Sequence[int]) -> float:
        """Give the variance of a sum of cells that takes so many labels of each column."""
        parts = self.error(taken)
        return math.fsum(
            float((weights**2 * draws).sum()) * self.variances[axes] for axes, (weights, draws) in parts.items()
        )

    def error(self, taken: Sequence[int]) -> dict[Axes, tuple[Floats, Integers]]:
        """By what does a sum of cells err that takes so many labels of each column?

        For each measured marginal: the weights of its noises, and how many of them have each.
        """
        # a column of which all labels are taken tells no cell from another
        free = [axis for axis, n in enumerate(self.shape) if taken[axis] < n]
        share = [count / n for count, n in zip(taken, self.shape, strict=True)]
        parts = {}
        for axes in self.variances:
            inner = [axis for axis in free if axis in axes]
            weights = np.zeros([2] * len(inner))  # by whether a cell's labels are taken
            if axes == self.every:
                weights[(0,) * len(inner)] = 1
            for below in self.visited:
                if set(below) <= set(inner):
                    told = self.weights[below][axes] - (axes == self.every)
                    scale = told * math.prod(share[axis] for axis in free if axis not in below)
                    weights += scale * _product(
                        [(1 - share[axis], -share[axis]) if axis in below else (1.0, 1.0) for axis in inner]
                    )
            draws = _product([(taken[axis], self.shape[axis] - taken[axis]) for axis in inner])
            outer = self.size(axis for axis in axes if axis not in inner)
            parts[axes] = weights.ravel(), draws.astype(np.int64).ravel() * outer
        return parts


def _product(factors: Sequence[tuple[float, float]]) -> Floats:
    """Multiply every combination: one axis of two places for each factor."""
    together = np.ones(())
    for factor in factors:
        together = np.multiply.outer(together, np.array(factor, np.float64))
    return together


def _shares(amounts: Mapping[Axes, float]) -> dict[Axes, float]:
    total = math.fsum(amounts.values())
    return {axes: amount / total for axes, amount in amounts.items()}


def best_shares(
    shape: tuple[int, ...], weights: Mapping[Axes, float], variance: Callable[[Axes, float], float]
) -> dict[Axes, Fraction]:
    """Which share of the budget does each query get, so that Σ weight · variance of one count is smallest?

    The shares are thousandths and add up to 1; a query that is not measured has none.  `variance` says what noise has a
    marginal that gets these shares.

    >>> laplace = lambda axes, share: 2 / share**2
    >>> {axes: str(share) for axes, share in best_shares((100, 2), {(0, 1): 1, (): 1}, laplace).items()}
    {(0, 1): '501/1000', (): '499/1000'}
    """
    objective = _Objective(shape, tuple(weights), np.array([*weights.values()]), variance)
    measured = np.ones(len(weights), bool)
    shares = _descend(objective, measured)
    # the cells stand first, and always are measured
    for query in (1 + np.argsort(shares[1:], kind="stable")).tolist():
        fewer = measured & (np.arange(len(weights)) != query)
        without = _descend(objective, fewer)
        if objective(without) <= objective(shares) * (1 + 1e-6):
            measured, shares = fewer, without
    rounded = _thousandths(shares)
    return {axes: Fraction(share, SHARES) for axes, share in zip(weights, rounded, strict=True) if share}


@dataclass(frozen=True)
class _Objective:
    """Σ weight · variance of one count, by shares of the budget; the cells stand first."""

    shape: tuple[int, ...]
    queries: tuple[Axes, ...]
    weights: Floats
    variance: Callable[[Axes, float], float]

    def _size(self, axes: Iterable[int]) -> int:
        return math.prod(self.shape[axis] for axis in axes)

    @cached_property
    def _visited(self) -> list[Axes]:
        return list(dict.fromkeys(below for axes in self.queries[1:] for below in subsets(axes)))

    @cached_property
    def _told(self) -> Floats:
        """1 / n_{A∖B} where B is in A: residual × query."""
        return np.array(
            [
                [1 / self._size(set(axes) - set(below)) if set(below) <= set(axes) else 0.0 for axes in self.queries]
                for below in self._visited
            ]
        ).reshape(len(self._visited), len(self.queries))

    @cached_property
    def _spread(self) -> Floats:
        """Give Π_{i∈B} (1 − 1/n_i) of each residual."""
        return np.array([math.prod(1 - 1 / self.shape[axis] for axis in below) for below in self._visited])

    @cached_property
    def _gain(self) -> Floats:
        """How much the variance of each residual weighs; and, last, that of the cells where no marginal tells more."""
        rest = self.weights[0] * (1 - self._told[:, 0] @ self._spread)
        return np.append((self._told**2 @ self.weights) * self._spread, rest)

    def _variances(self, shares: Floats) -> Floats:
        every = zip(self.queries, shares.tolist(), strict=True)
        return np.array([self.variance(axes, share) if share else math.inf for axes, share in every])

    def __call__(self, shares: Floats) -> float:
        variances = self._variances(shares)
        return float(self._gain[-1] * variances[0] + (self._gain[:-1] / (self._told @ (1 / variances))).sum())

    def slope(self, shares: Floats) -> Floats:
        """Say how the logarithm of the objective moves with the logarithm of each share, were they free."""
        variances = self._variances(shares)
        precision = self._told @ (1 / variances)
        # what a variance does to the objective, relative to itself, times how it moves with its share
        moved = (self._gain[:-1] / precision**2) @ self._told / variances
        moved[0] += self._gain[-1] * variances[0]
        further = self._variances(shares * (1 + STEP))
        steepness = np.array(
            [math.log(b / a) if a < math.inf else 0.0 for a, b in zip(variances, further, strict=True)]
        )
        slope: Floats = moved * steepness / (STEP * self(shares))
        return slope


def _descend(objective: _Objective, measured: np.typing.NDArray[np.bool_]) -> Floats:
    """Find the best shares of those that are measured; logarithms are moved, so that all stay above 0."""

    def shares(logs: Floats) -> Floats:
        every = np.zeros(len(measured))
        every[measured] = np.exp(logs - logs.max())
        every /= every.sum()
        return every

    size = int(measured.sum())
    starts = [np.zeros(size), np.where(np.arange(size) == 0, 2.0, 0.0)]

    def descent(logs: Floats) -> tuple[float, Floats]:
        at = shares(logs)
        slope = objective.slope(at)
        # shares add up to 1: raising one lowers all
        return math.log(objective(at)), (slope - at * slope.sum())[measured]

    stop = {"ftol": 1e-9, "gtol": 1e-5}  # shares are thousandths, and the best ones lie flat
    within = [(-5.0, 5.0)] * size  # a share of less than one in twenty thousand is none
    found = [minimize(descent, start, jac=True, method="L-BFGS-B", bounds=within, options=stop) for start in starts]
    return shares(min(found, key=lambda each: float(each.fun)).x)


def _thousandths(shares: Floats) -> list[int]:
    """Round to whole thousandths with the same sum; who has any share keeps one at least."""
    whole = np.where(shares > 0, np.maximum(np.floor(shares * SHARES), 1), 0).astype(np.int64)
    order = np.argsort(whole - shares * SHARES, kind="stable")
    left = SHARES - int(whole.sum())
    if left >= 0:
        whole[order[:left]] += 1
    else:  # more queries with hardly anything than thousandths were left: the largest gives
        whole[whole.argmax()] += left
    return [int(each) for each in whole]
