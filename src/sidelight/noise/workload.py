"""Which marginals are measured beside the cells, and for which share of ε?

A query is a marginal A: the counts by some of the columns, the sensitive one among them or not; by none of them, the
total.  The cells are the marginal by all.  Each measured marginal A has noise of variance v_A of its own.  One person
is in one cell of each marginal, so that the costs of marginals add up: Σ ε_A = ε, or Σ ρ_A = ρ.

The cells are an array with an axis per column: n_i labels of column i.  At a coarser level of its hierarchy (ages in
tens beside ages in years) each of these labels is under one coarser label, and coarser levels are unions of finer ones.
So a marginal A is one grouping of the labels of each column: into one group (the column is not counted by), into
coarser labels, or not at all; and M_A adds up the cells of each combination of groups.  M_Aᵀ spreads counts of a
marginal over the cells below them.  Columns are axes 0, 1, … and the coarser levels of them are numbered after these.

Shares of ε, or of ρ, minimise Σ_queries weight · variance of one count, by descent from several starts; a query that
the others estimate better is not measured.  Shares are whole thousandths, and add up to 1 exactly.

The variances are those of the best linear unbiased estimates (`estimates`, whose symbols these are).  With coarser
levels they are what they would be if all groups of a level were of one size: column i has m labels at each level that
is counted by, 1 = m_0 < m_1 < … ≤ n_i, a residual is at one level b_i of each column, has dimension
d_B = Π (m_{b_i} − m_{b_i−1}),

    p_B = Σ_{A≥B} g_A / v_A,    variance of one count of C = Σ_{B≤C} (g_C · d_B / n_C) / p_B,    g_A = n / n_A cells,

which for columns as published is the variance that `estimates` has.  Shares may be a little off the best; noise and
margins are not.

Source: Li, Hay, Rastogi, Miklau and McGregor, PODS 2010 (the matrix mechanism); Xiao, He, Zhang and Kifer, NeurIPS 2023
(the best shares for Gaussian noise); Qardaji, Yang and Li, 2014 (marginals from Laplace noise).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from scipy.optimize import minimize

from sidelight.errors import BadNoise, WrongKind, as_given, did_you_mean, parameter
from sidelight.noise.mechanism import (
    SMALLEST_EPSILON,
    Mechanism,
    PrivacyCost,
    Sensitivity,
    calibrate,
    calibrate_rho,
    concentrated_epsilon,
    refuse_useless,
)

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Floats, Integers
    from sidelight.table.labels import Label

# Columns that are counted by: "sex", "age, occupation" or ("age", "occupation"); "total", and "cells" for all.
# At a coarser level than published: "age=3, sex" or {"age": 3, "sex": 0}.
MarginalQuery: TypeAlias = str | Sequence[str] | Mapping[str, int]

# Several of them; one that is listed twice, or maps to 2, weighs twice
Queries: TypeAlias = str | Sequence[MarginalQuery] | Mapping[str | Sequence[str], float]

TOTAL, CELLS = "total", "cells"  # what the counts by no column, and by all, are called


def subsets(axes: Axes) -> Iterable[Axes]:
    """Yield every subset of the axes, the smallest first."""
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
    if not isinstance(queries, str | Sequence | AbstractSet | Mapping):
        raise WrongKind(f'{parameter("queries")} should be a list of what is counted by, such as ["total", "sex"]')
    listed: Iterable[object] = [queries] if isinstance(queries, str) else queries
    every = tuple(range(len(names)))
    weights: dict[Axes, float] = {}
    for query, weight in queries.items() if isinstance(queries, Mapping) else ((each, 1) for each in listed):
        of_column = {names.index(name): level for name, level in _read_columns(query, names).items()}
        numbers = {
            column: _find_axis(names[column], column, level, levels or {}) for column, level in of_column.items()
        }
        axes = tuple(axis for _, axis in sorted(numbers.items()) if axis is not None)
        if isinstance(weight, bool) or not isinstance(weight, int | float | Fraction) or not 0 < weight < math.inf:
            raise BadNoise(f"the weight of a query is a number above 0, not {as_given(weight)}")
        weights[axes] = weights.get(axes, 0.0) + float(weight)
    # the cells are the first key: noise and measurements are read in this order
    return {every: weights.pop(every, 1.0), **weights}


def _read_columns(query: object, names: Sequence[str]) -> dict[str, object]:
    """Return the columns of a query, and the level of each; None where it is as published."""
    if isinstance(query, str):
        if query in names and query in (TOTAL, CELLS):
            raise BadNoise(f"a column is called '{query}', which is what a query is called; rename it")
        if query in (TOTAL, CELLS):
            return {} if query == TOTAL else dict.fromkeys(names)
        query = [query] if query in names else [name.strip() for name in query.split(",")]
    if not isinstance(query, Sequence | AbstractSet | Mapping):
        raise WrongKind(
            f"a query is the columns that are counted by, such as 'sex' or ('age', 'sex'), not {as_given(query)}"
        )
    levels: dict[str, object] = {}
    for each in query:
        # `age=3`; a column that is called so comes first
        read = None if each in names else re.fullmatch(r"(.*\S)\s*=\s*([0-9]{1,9})", str(each))
        name, level = (str(each), None) if read is None else (read[1], int(read[2]))
        if isinstance(query, Mapping):
            name, level = each, query[each]
        if name not in names:
            raise BadNoise(f"a query counts by '{name}', which is not published{did_you_mean(str(name), names)}")
        if levels.get(name, level) != level:
            raise BadNoise(f"a query says two levels for '{name}'; make two queries of it")
        levels[name] = level
    return levels


def _find_axis(name: str, column: int, level: object, levels: Mapping[tuple[int, int], int | None]) -> int | None:
    if level is None:
        return column
    if isinstance(level, bool) or not isinstance(level, int | np.integer):
        raise BadNoise(f"the level of '{name}' in a query is a whole number, not {as_given(level, quoted=True)}")
    if (column, int(level)) not in levels:
        known = [number for of, number in levels if of == column]
        which = f"give one from {min(known)} to {max(known)}" if known else "it has no hierarchy; leave the level out"
        raise BadNoise(f"a query counts by level {level} of '{name}', which is not as published or coarser; {which}")
    return levels[column, int(level)]


def split_noise(
    layout: CellLayout, weights: Mapping[Axes, float], cost: PrivacyCost, sensitivity: Sensitivity, units: int
) -> dict[Axes, Mechanism]:
    """Return the noise of each measured marginal, so that all together keep ε and δ; the cells stand first.

    `sensitivity` is how far the cells move when `units` units are added or removed.
    """
    # a sum of cells may move further than any of its cells
    moved = {axes: sensitivity if axes == layout.every else sensitivity.merge(units) for axes in weights}
    if len(weights) == 1:
        return {layout.every: cost.noise(sensitivity)}
    if cost.epsilon is not None:
        refuse_useless(cost.epsilon, cost.delta)
    # what is shared: an ε where there is no δ, else a ρ
    laplace, shared = cost.rho is None and cost.delta == 0, cost.epsilon if cost.rho is None else cost.rho
    assert shared is not None
    if cost.rho is None and not laplace:
        shared = largest_rho(shared, cost.delta)

    def variance(axes: Axes, share: float) -> float:
        if laplace:
            return Mechanism("discrete Laplace", moved[axes].l1 / (share * float(shared))).variance()
        return moved[axes].l2_squared / (2 * float(shared) * share)

    shares = best_shares(layout, weights, variance)
    if len(shares) == 1 and not laplace:
        return {layout.every: cost.noise(sensitivity)}
    if shared * min(shares.values()) < (SMALLEST_EPSILON if laplace else SMALLEST_EPSILON**2 / 2):
        paid = f"rho {float(shared):g}" if cost.epsilon is None else f"epsilon {float(cost.epsilon):g}"
        raise BadNoise(
            f"{paid} is shared by the cells and {parameter('queries')}, and for the smallest share publishes nothing "
            "but noise; give more, or fewer queries"
        )
    if laplace:
        return {axes: calibrate(shared * share, Fraction(0), moved[axes]) for axes, share in shares.items()}
    return {axes: calibrate_rho(shared * share, moved[axes]) for axes, share in shares.items()}


def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return how much ρ of zero-concentrated privacy ε and δ surely allow, by halving.

    >>> rho = largest_rho(Fraction(1), Fraction(1, 10**6))
    >>> round(float(rho), 5), 0.99999 < concentrated_epsilon(rho, Fraction(1, 10**6)) <= 1
    (0.02436, True)
    """
    low, high = Fraction(0), Fraction(float(epsilon))
    # invariant: `low` is allowed
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if concentrated_epsilon(middle, delta) <= epsilon else (low, middle)
    return low


# The axes of a marginal: columns, or coarser levels of them, at most one of each column, in the order of columns
Axes: TypeAlias = tuple[int, ...]

WholeOrFloat = TypeVar("WholeOrFloat", np.int64, np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class CoarserLevel:
    """A coarser level of a column: its labels, and which of them each label of the column is under."""

    column: int
    level: int
    labels: tuple[Label, ...]
    place: Integers

    def is_under(self, finer: Integers) -> bool:
        """Return whether labels that are together by a finer level are together here too."""
        # (2, pairs): a finer group that occurs in two pairs is split by this level
        pairs = np.unique(np.stack([finer, self.place]), axis=1)
        return len(np.unique(pairs[0])) == len(pairs[0])


def coarser_level(column: int, level: int, above: Sequence[Label]) -> CoarserLevel:
    """Number the coarser labels that each label of a column is under, as they occur."""
    number = {text: index for index, text in enumerate(dict.fromkeys(above))}
    return CoarserLevel(column, level, tuple(number), np.array([number[text] for text in above], np.int64))


@dataclass(frozen=True, eq=False)
class CellLayout:
    """The layout of cells: the number of labels of each column, and the coarser levels that may be counted by."""

    shape: tuple[int, ...]
    coarser: tuple[CoarserLevel, ...] = ()

    @property
    def every(self) -> Axes:
        """What the cells are by: every column, as published."""
        return tuple(range(len(self.shape)))

    @cached_property
    def _axes(self) -> list[tuple[int, int, Integers]]:
        """By axis its column, its number of labels, and which of them each label of the column is under."""
        published = [(column, n, np.arange(n)) for column, n in enumerate(self.shape)]
        return [*published, *((each.column, len(each.labels), each.place) for each in self.coarser)]

    def column(self, axis: int) -> int:
        """Return which column an axis is of."""
        return self._axes[axis][0]

    def coarse(self, axes: Iterable[int]) -> bool:
        """Return whether any of them is coarser than published."""
        return any(axis >= len(self.shape) for axis in axes)

    def labels_of(self, axis: int) -> int:
        """Return how many labels an axis has."""
        return self._axes[axis][1]

    def size(self, axes: Iterable[int]) -> int:
        """Return how many counts a marginal has."""
        return math.prod(map(self.labels_of, axes))

    def places(self, axes: Axes) -> list[Integers]:
        """Return the group of the marginal that each label falls into: an array (labels,) for each column."""
        places = {column: place for column, _, place in (self._axes[axis] for axis in axes)}
        return [places.get(column, np.zeros(n, np.int64)) for column, n in enumerate(self.shape)]

    @cached_property
    def _groups(self) -> dict[int, tuple[Integers, Integers]]:
        """The order of labels in which groups are runs, and where each begins, by coarser axis."""
        groups = {}
        for number, each in enumerate(self.coarser, len(self.shape)):
            # reduceat adds up runs, so the labels of one group have to be neighbours
            order = np.argsort(each.place, kind="stable")
            groups[number] = order, np.flatnonzero(np.diff(each.place[order], prepend=-1))
        return groups

    def add_up(self, cells: np.typing.NDArray[WholeOrFloat], axes: Axes) -> np.typing.NDArray[WholeOrFloat]:
        """Add up cells to a marginal, M_A·x."""
        columns = {self.column(axis) for axis in axes}
        others = tuple(column for column in range(len(self.shape)) if column not in columns)
        # summed axes keep a length of 1, so that column numbers stay axis numbers
        added: np.typing.NDArray[WholeOrFloat] = cells.sum(axis=others, keepdims=True)
        for axis in axes:
            if axis in self._groups:
                order, begins = self._groups[axis]
                column = self.column(axis)
                added = np.add.reduceat(added.take(order, axis=column), begins, axis=column)
        return added.reshape([self.labels_of(axis) for axis in axes])

    def spread(self, marginal: np.typing.NDArray[WholeOrFloat], axes: Axes) -> np.typing.NDArray[WholeOrFloat]:
        """Spread each count over its cells, M_Aᵀ·y; columns that the marginal is not by have length 1."""
        sizes = {self.column(axis): self.labels_of(axis) for axis in axes}
        # one axis per column again; a length of 1 broadcasts over the columns that were added up
        cells = marginal.reshape([sizes.get(column, 1) for column in range(len(self.shape))])
        for axis in axes:
            if axis in self._groups:
                column, _, place = self._axes[axis]
                cells = cells.take(place, axis=column)
        return cells

    def is_nested(self) -> bool:
        """Return whether, of any two coarser levels of one column, one is made of unions of the other's labels."""
        every = [(one, other) for one in self.coarser for other in self.coarser if one.column == other.column]
        return all(one.is_under(other.place) or other.is_under(one.place) for one, other in every)


def best_shares(
    layout: CellLayout, weights: Mapping[Axes, float], variance: Callable[[Axes, float], float]
) -> dict[Axes, Fraction]:
    """Return the share of the budget of each query that minimises Σ weight · variance of one count.

    The shares are thousandths and add up to 1; a query that is not measured has none.  `variance` is that of a
    marginal with a share.
    """
    objective, slope = _build_objective(layout, tuple(weights), np.array([*weights.values()]), variance)

    def descend(measured: Flags) -> Floats:
        """Find the best shares of those that are measured; logarithms are moved, so that all stay above 0."""
        size = int(measured.sum())

        def share(logs: Floats) -> Floats:
            every = np.zeros(len(measured))
            every[measured] = np.exp(logs - logs.max())
            every /= every.sum()
            return every

        def descent(logs: Floats) -> tuple[float, Floats]:
            at = share(logs)
            steep = slope(at)
            # shares add up to 1: raising one lowers all
            return math.log(objective(at)), (steep - at * steep.sum())[measured]

        # a descent may end in a local minimum: one from equal shares, one from more for the cells
        starts = [np.zeros(size), np.where(np.arange(size) == 0, 2.0, 0.0)]
        stop = {"ftol": 1e-9, "gtol": 1e-5}  # shares are thousandths, and the best ones lie flat
        within = [(-5.0, 5.0)] * size  # a share of less than one in twenty thousand is none
        minima = [minimize(descent, each, jac=True, method="L-BFGS-B", bounds=within, options=stop) for each in starts]
        return share(min(minima, key=lambda each: float(each.fun)).x)

    measured = np.ones(len(weights), bool)
    shares = descend(measured)
    # the cells stand first, and always are measured
    for query in (1 + np.argsort(shares[1:], kind="stable")).tolist():
        fewer = measured & (np.arange(len(weights)) != query)
        without = descend(fewer)
        # a tie, as far as the descent resolves one, goes to fewer measurements
        if objective(without) <= objective(shares) * (1 + 1e-6):
            measured, shares = fewer, without
    rounded = zip(weights, _round_to_thousandths(shares), strict=True)
    return {axes: Fraction(share, 1_000) for axes, share in rounded if share}


def _build_objective(
    layout: CellLayout, queries: Sequence[Axes], weights: Floats, variance: Callable[[Axes, float], float]
) -> tuple[Callable[[Floats], float], Callable[[Floats], Floats]]:
    """Return Σ weight · variance of one count as a function of shares, and the slope of its logarithm in theirs.

    The cells are the first query; shares are taken to be free.
    """
    # which axes of each column the queries are by, the coarsest first
    chains: dict[int, list[int]] = {}
    used = {axis for axes in queries[1:] for axis in axes}
    for axis in sorted(used, key=lambda axis: (layout.labels_of(axis), -axis)):
        chains.setdefault(layout.column(axis), []).append(axis)
    no_finer = {axis: chain[: at + 1] for chain in chains.values() for at, axis in enumerate(chain)}
    # every residual B that a query estimates: none, or an axis that is no finer, of each of its columns
    ways = ([[(), *((each,) for each in no_finer[axis])] for axis in axes] for axes in queries[1:])
    choices = itertools.chain.from_iterable(itertools.product(*each) for each in ways)
    residuals = list(dict.fromkeys(tuple(itertools.chain.from_iterable(each)) for each in choices))
    # g_A where B ≤ A, (residuals, queries): how many cells there are in one count; the cells estimate all
    sizes = np.array([layout.size(axes) for axes in queries])
    below = [{each for axis in axes for each in no_finer[axis]} for axes in queries[1:]]
    estimates = [[True, *(set(residual) <= each for each in below)] for residual in residuals]
    gains = np.where(np.array(estimates, bool).reshape(len(residuals), len(queries)), sizes[0] / sizes, 0.0)
    # d_B: by how many labels more each axis has than the next coarser one
    labels = {axis: [1, *(layout.labels_of(each) for each in chain)] for axis, chain in no_finer.items()}
    dimensions = [math.prod(labels[axis][-1] - labels[axis][-2] for axis in residual) for residual in residuals]
    # the weight of the variance of each residual; and of that of the cells where no marginal adds anything
    gain = (gains @ (weights / sizes)) * np.array(dimensions, np.float64)
    rest = weights[0] * (1 - np.array(dimensions, np.float64).sum() / sizes[0])

    def find_variances(shares: Floats) -> Floats:
        every = zip(queries, shares.tolist(), strict=True)
        return np.array([variance(axes, share) if share else math.inf for axes, share in every])

    def objective(shares: Floats) -> float:
        variances = find_variances(shares)
        return float(rest * variances[0] + (gain / (gains @ (1 / variances))).sum())

    def slope(shares: Floats) -> Floats:
        variances, step = find_variances(shares), 1e-6
        precision = gains @ (1 / variances)
        # the effect of a variance on the objective, relative to itself, times how it moves with its share
        moved = (gain / precision**2) @ gains / variances
        moved[0] += rest * variances[0]
        further = zip(variances, find_variances(shares * (1 + step)), strict=True)
        steepness = np.array([math.log(b / a) if a < math.inf else 0.0 for a, b in further])
        return moved * steepness / (step * objective(shares))  # type: ignore[no-any-return]

    return objective, slope


def _round_to_thousandths(shares: Floats) -> list[int]:
    """Round to whole thousandths with the same sum; a positive share keeps at least one."""
    whole = np.where(shares > 0, np.maximum(np.floor(shares * 1_000), 1), 0).astype(np.int64)
    # largest remainders first: those that lost most by rounding down get the thousandths that are left
    order = np.argsort(whole - shares * 1_000, kind="stable")
    left = 1_000 - int(whole.sum())
    if left >= 0:
        whole[order[:left]] += 1
    else:  # more queries with hardly anything than thousandths were left: the largest gives
        whole[whole.argmax()] += left
    return [int(each) for each in whole]
