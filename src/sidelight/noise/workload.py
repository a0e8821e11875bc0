"""Which marginals are measured beside the cells, for which share of ε, and what do they say together?

A query is a marginal A: the counts by some of the columns, the sensitive one among them or not; by none of them, the
total.  The cells are the marginal by all.  Each measured marginal A has noise of variance v_A of its own.  One person
is in one cell of each marginal, so that the costs of marginals add up: Σ ε_A = ε, or Σ ρ_A = ρ.  A column may be
counted by at a coarser level of its hierarchy, such as ages in tens beside ages in years (`marginals`).

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

That is for columns as they are published.  With coarser levels the estimate is solved for (`nested_least_squares`).

Which shares of ε, or of ρ, the marginals get is found by `budget_shares`.

Source: Li, Hay, Rastogi, Miklau and McGregor, PODS 2010 (the matrix mechanism); Xiao, He, Zhang and Kifer, NeurIPS 2023
(residuals); Qardaji, Yang and Li, 2014 (marginals from Laplace noise).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from sidelight.arrays import Floats, Integers
from sidelight.errors import BadNoise, WrongKind, as_given, did_you_mean, parameter
from sidelight.noise.accountant import largest_rho
from sidelight.noise.answers import NoisePart, margin_of
from sidelight.noise.budget_shares import best_shares
from sidelight.noise.marginals import Axes, CellLayout, CoarserLevel
from sidelight.noise.mechanism import SMALLEST_EPSILON, Mechanism, PrivacyCost, calibrate, calibrate_rho, refuse_useless
from sidelight.noise.nested_least_squares import NestedLeastSquares
from sidelight.noise.parameters import Sensitivity
from sidelight.rounding import raise_bound

Query: TypeAlias = str | Sequence[str] | Mapping[str, int]
"""Columns that are counted by: "sex", "age, occupation" or ("age", "occupation"); "total", and "cells" for all.

At a coarser level than published: "age=3, sex" or {"age": 3, "sex": 0}.
"""

Queries: TypeAlias = str | Sequence[Query] | Mapping[str | Sequence[str], float]
"""Several of them; one that is listed twice, or maps to 2, weighs twice."""

TOTAL, CELLS = "total", "cells"
"""What the counts by no column, and by all, are called."""

WEIGHT_STEPS = 2**40
"""Weights of noises are rounded up to steps of one in so many; noise is symmetric, so that only their size counts."""

KINDS_AT_MOST, SOLVED_AT_MOST = 64, 1_000_000
"""Of a marginal with more kinds of counts, or if these took more numbers to solve for, Chebyshev bounds all of them."""

_AT_LEVEL = re.compile(r"(?P<column>.*\S)\s*=\s*(?P<level>[0-9]{1,9})")


def subsets(axes: Axes) -> Iterable[Axes]:
    """Yield every subset of the axes, the smallest first.

    >>> list(subsets((0, 2)))
    [(), (0,), (2,), (0, 2)]
    """
    return itertools.chain.from_iterable(itertools.combinations(axes, size) for size in range(len(axes) + 1))


def read_queries(
    queries: object, names: Sequence[str], levels: Mapping[tuple[int, int], int | None] | None = None
) -> dict[Axes, float]:
    """Find the columns and the weight of each query; the cells are always among them, and stand first.

    `levels` says which axis each level of a column is, by the column's number; None where it tells nobody from another.

    >>> read_queries(["total", "sex", "sex"], ["age", "sex", "occupation"])
    {(0, 1, 2): 1.0, (): 1.0, (1,): 2.0}
    >>> read_queries(["sex, age=2"], ["age", "sex", "occupation"], {(0, 1): 0, (0, 2): 3, (0, 3): None})
    {(0, 1, 2): 1.0, (3, 1): 1.0}
    """
    every = tuple(range(len(names)))
    weights: dict[Axes, float] = {}
    for query, weight in _read_weights(queries):
        of_column = {names.index(name): level for name, level in _columns(query, names).items()}
        numbers = {column: _axis(names[column], column, level, levels or {}) for column, level in of_column.items()}
        axes = tuple(axis for _, axis in sorted(numbers.items()) if axis is not None)
        if isinstance(weight, bool) or not isinstance(weight, int | float | Fraction) or not 0 < weight < math.inf:
            message = f"the weight of a query is a number above 0, not {as_given(weight)}"
            raise BadNoise(message)
        weights[axes] = weights.get(axes, 0.0) + float(weight)
    # the cells are the first key: noise and measurements are read in this order
    return {every: weights.pop(every, 1.0), **weights}


def _read_weights(queries: object) -> Iterable[tuple[object, object]]:
    if isinstance(queries, Mapping):
        return queries.items()
    if isinstance(queries, str):
        return [(queries, 1)]
    if isinstance(queries, Sequence | AbstractSet):
        return [(query, 1) for query in queries]
    message = f'{parameter("queries")} should be a list of what is counted by, such as ["total", "sex"]'
    raise WrongKind(message)


def _columns(query: object, names: Sequence[str]) -> dict[str, object]:
    """Return the columns of a query, and the level of each; None where it is as published."""
    if isinstance(query, str):
        if query in names and query in (TOTAL, CELLS):
            message = f"a column is called '{query}', which is what a query is called; rename it"
            raise BadNoise(message)
        if query in (TOTAL, CELLS):
            return {} if query == TOTAL else dict.fromkeys(names)
        query = [query] if query in names else [name.strip() for name in query.split(",")]
    if not isinstance(query, Sequence | AbstractSet | Mapping):
        message = f"a query is the columns that are counted by, such as 'sex' or ('age', 'sex'), not {as_given(query)}"
        raise WrongKind(message)
    levels: dict[str, object] = {}
    for each in query:
        name, level = (each, query[each]) if isinstance(query, Mapping) else _read_level(each, names)
        if name not in names:
            message = f"a query counts by '{name}', which is not published{did_you_mean(str(name), names)}"
            raise BadNoise(message)
        if levels.get(name, level) != level:
            message = f"a query says two levels for '{name}'; make two queries of it"
            raise BadNoise(message)
        levels[name] = level
    return levels


def _read_level(text: object, names: Sequence[str]) -> tuple[str, object]:
    """Read `age=3`; a column that is called so comes first."""
    read = None if text in names else _AT_LEVEL.fullmatch(str(text))
    return (str(text), None) if read is None else (read["column"], int(read["level"]))


def _axis(name: str, column: int, level: object, levels: Mapping[tuple[int, int], int | None]) -> int | None:
    if level is None:
        return column
    if isinstance(level, bool) or not isinstance(level, int | np.integer):
        message = f"the level of '{name}' in a query is a whole number, not {as_given(level, quoted=True)}"
        raise BadNoise(message)
    if (column, int(level)) not in levels:
        known = [number for of, number in levels if of == column]
        which = f"give one from {min(known)} to {max(known)}" if known else "it has no hierarchy; leave the level out"
        message = f"a query counts by level {level} of '{name}', which is not as published or coarser; {which}"
        raise BadNoise(message)
    return levels[column, int(level)]


@dataclass(frozen=True, eq=False, slots=True)
class Marginal:
    """Counts by some of the columns, measured beside the cells: along which axes, with which noise."""

    axes: Axes
    mechanism: Mechanism
    measured: Integers = field(repr=False)


def marginal_of(cells: Integers, axes: Axes) -> Integers:
    """Add up the cells over all columns but these."""
    return CellLayout(cells.shape).add_up(cells.astype(np.int64), axes)


@dataclass(frozen=True, eq=False)
class Measurements:
    """What was drawn: the cells, which stand first, and marginals of them."""

    layout: CellLayout
    marginals: tuple[Marginal, ...]

    @classmethod
    def draw(
        cls, cells: Integers, noise: Mapping[Axes, Mechanism], coarser: Sequence[CoarserLevel] = ()
    ) -> Measurements:
        """Draw noise for each marginal; all of it has to be paid for before."""
        layout = CellLayout(cells.shape, tuple(coarser))
        drawn = (Marginal(axes, each, each.add_noise(layout.add_up(cells, axes))) for axes, each in noise.items())
        return cls(layout, tuple(drawn))

    @cached_property
    def _variances(self) -> dict[Axes, float]:
        return {each.axes: each.mechanism.variance() for each in self.marginals}

    @cached_property
    def _counts(self) -> dict[Axes, Integers]:
        return {each.axes: each.measured for each in self.marginals}

    @cached_property
    def _closed_form(self) -> LeastSquares:
        return LeastSquares(self.layout.shape, self._variances)

    @cached_property
    def _least_squares(self) -> NestedLeastSquares | None:
        coarse = any(self.layout.coarse(each.axes) for each in self.marginals)
        return NestedLeastSquares(self.layout, self._variances) if coarse else None

    @cached_property
    def estimates(self) -> Integers | Floats:
        """What do all of them say about the cells together?  Whole where the cells alone were measured."""
        if len(self.marginals) == 1:
            return self.marginals[0].measured
        return (self._least_squares or self._closed_form).estimate(self._counts)

    def answer(self, places: Sequence[Integers]) -> tuple[float, tuple[NoisePart, ...]]:
        """What do they say about the sum of the cells at these labels of each column, and by which noises is it off?"""
        if self._least_squares is not None:
            total, error = self._least_squares.answer(places, self._counts)
            return total, self._parts(error)
        total, taken = self.estimates[np.ix_(*places)].sum().item(), [len(each) for each in places]
        if len(self.marginals) == 1:
            return total, (NoisePart(self.marginals[0].mechanism, math.prod(taken)),)
        return total, self._parts(self._closed_form.error(taken))

    def _parts(self, error: Mapping[Axes, tuple[Floats, Integers]]) -> tuple[NoisePart, ...]:
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

    def margin(self, axes: Axes, confidence: float) -> float:
        """How far is any one count of a measured marginal from the truth, at most, with this confidence?

        With coarser levels counts differ in that, and the largest margin is meant.
        """
        if self._least_squares is None:
            # one label of each column of the marginal, all of the others; without coarser levels any label will do
            one = [np.arange(1 if axis in axes else n) for axis, n in enumerate(self.layout.shape)]
            return margin_of(self.answer(one)[1], confidence)
        kinds = self._least_squares.kinds(axes)
        if len(kinds) > min(KINDS_AT_MOST, SOLVED_AT_MOST // self._least_squares.size):
            # no best estimate has a larger variance than what was measured
            return raise_bound(math.sqrt(self._variances[axes] / (1 - confidence)), 1e-6)
        return max(margin_of(self.answer(each)[1], confidence) for each in kinds)


def split_noise(
    layout: CellLayout | tuple[int, ...],
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
    layout = layout if isinstance(layout, CellLayout) else CellLayout(layout)
    # a sum of cells may move further than any of its cells
    moved = {axes: sensitivity if axes == layout.every else sensitivity.merge(units) for axes in weights}
    if len(weights) == 1:
        return {layout.every: cost.noise(sensitivity)}
    if cost.epsilon is not None:
        refuse_useless(cost.epsilon, cost.delta)
    if cost.rho is None and cost.delta == 0:
        assert cost.epsilon is not None
        epsilon = cost.epsilon

        def laplace(axes: Axes, share: float) -> float:
            return Mechanism("discrete Laplace", moved[axes].l1 / (share * float(epsilon))).variance()

        shares = best_shares(layout, weights, laplace)
        _refuse_small(f"epsilon {float(epsilon):g}", epsilon * min(shares.values()), SMALLEST_EPSILON)
        return {axes: calibrate(epsilon * share, Fraction(0), moved[axes]) for axes, share in shares.items()}
    rho = cost.rho
    if rho is None:
        assert cost.epsilon is not None
        rho = largest_rho(cost.epsilon, cost.delta)

    def gaussian(axes: Axes, share: float) -> float:
        return moved[axes].l2_squared / (2 * float(rho) * share)

    shares = best_shares(layout, weights, gaussian)
    if len(shares) == 1:
        return {layout.every: cost.noise(sensitivity)}
    paid = f"rho {float(rho):g}" if cost.epsilon is None else f"epsilon {float(cost.epsilon):g}"
    _refuse_small(paid, rho * min(shares.values()), SMALLEST_EPSILON**2 / 2)
    return {axes: calibrate_rho(rho * share, moved[axes]) for axes, share in shares.items()}


def _refuse_small(paid: str, least: Fraction, smallest: Fraction) -> None:
    """Refuse what comes to nothing when it is shared, by the amount that was to be shared."""
    if least < smallest:
        message = (
            f"{paid} is shared by the cells and {parameter('queries')}, and for the smallest share publishes nothing "
            "but noise; give more, or fewer queries"
        )
        raise BadNoise(message)


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
    def residual_sets(self) -> tuple[Axes, ...]:
        """The sets of columns that some marginal but the cells tells about."""
        below = (subsets(axes) for axes in self.variances if axes != self.every)
        return tuple(dict.fromkeys(itertools.chain.from_iterable(below)))

    @cached_property
    def weights(self) -> Mapping[Axes, Mapping[Axes, float]]:
        """How much each measured marginal says about each visited residual, in shares of 1."""
        return {below: _shares(self._precisions(below)) for below in self.residual_sets}

    def _precisions(self, below: Axes) -> dict[Axes, float]:
        return {
            axes: 1 / (variance * self.size(set(axes) - set(below)))
            for axes, variance in self.variances.items()
            if set(below) <= set(axes)
        }

    def estimate(self, measured: Mapping[Axes, Integers]) -> Floats:
        """Return the best linear unbiased estimate of the cells."""
        cells = measured[self.every].astype(np.float64)
        correction = np.zeros(self.shape)
        for below, weights in self.weights.items():
            # what all of them say about this residual, less what the cells say
            residuals = {axes: self._residual(measured[axes], axes, below) for axes in weights}
            residual = sum(weight * residuals[axes] for axes, weight in weights.items()) - residuals[self.every]
            # the columns outside B get a length of 1, over which the residual is spread evenly
            spread = residual.reshape([n if axis in below else 1 for axis, n in enumerate(self.shape)])
            correction += spread / self.size(set(self.every) - set(below))
        return cells + correction

    def _residual(self, measured: Integers, axes: Axes, below: Axes) -> Floats:
        added = measured.sum(axis=tuple(place for place, axis in enumerate(axes) if axis not in below))
        residual = np.asarray(added, np.float64)
        for axis in range(residual.ndim):
            # I − 11ᵀ/n along one axis: H_B is one centring for each column of B
            residual = residual - residual.mean(axis=axis, keepdims=True)
        return residual

    def variance_of(self, axes: Axes) -> float:
        """Return the variance of one count of a marginal that is measured."""
        return self.variance_of_sum([1 if axis in axes else n for axis, n in enumerate(self.shape)])

    def variance_of_sum(self, taken: Sequence[int]) -> float:
        """Return the variance of a sum of cells that takes so many labels of each column."""
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
            for below in self.residual_sets:
                if set(below) <= set(inner):
                    more = self.weights[below][axes] - (axes == self.every)
                    scale = more * math.prod(share[axis] for axis in free if axis not in below)
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
