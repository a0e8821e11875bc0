"""What do marginals at several levels say together about the cells?  By least squares, step by step.

Where columns are counted by at coarser levels too, and these group labels into groups of different sizes, the residuals
of `workload` no longer have covariances that are multiples of one matrix, and nothing splits in closed form.  The best
linear unbiased estimate is solved for instead, by conjugate gradients.

Of each column the marginals beside the cells know a label by the finest grouping that one of them uses.  Let J be the
marginal by these groupings, z = M_J y₀ the measured cells added up so, and D the number of cells in each count of J.
Within a count of J nothing but the cells tells them apart, so that all of them are corrected alike, by u, with M_A as
sums of counts of J:

    x̂ = y₀ + M_Jᵀ u,    u/v₀ + Σ_A M_Aᵀ M_A D u / v_A = Σ_A M_Aᵀ (y_A − M_A z) / v_A.

With s = D^(1/2)·u and N_A = M_A·D^(1/2) that is (I + Σ_A (v₀/v_A)·N_Aᵀ N_A) s = Σ_A (v₀/v_A)·N_Aᵀ (y_A − M_A z), which
is symmetric, has no eigenvalue below 1, and few different ones where groups are of few sizes, so that few steps do.

A sum of cells, cᵀx, is answered by weights of all that was measured, from one more solution t of the same system:

    (I + Σ_A (v₀/v_A)·N_Aᵀ N_A) t = D^(−1/2)·M_J c,    w_A = (v₀/v_A)·N_A t,    w₀ = c − M_Jᵀ Σ_A M_Aᵀ w_A.

Invariant: M_Jᵀ Σ_A M_Aᵀ w_A + w₀ = c, whatever t is.  So the answer is right on average wherever the steps end, and its
error is that of these weights, exactly; an unfinished t would cost a little more noise, and nothing else.

Counts of one marginal differ in how far off they are, by how many cells there are beside them.  Which ones are alike is
known by the symmetries of each column's groups (`kinds`).

Source: Hestenes and Stiefel, 1952 (conjugate gradients); Hay, Rastogi, Miklau and Suciu, VLDB 2010 (consistent counts
in a hierarchy).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from sidelight.arrays import Floats, Integers
from sidelight.noise.marginals import Axes, CellLayout, CoarserLevel

TOLERANCE = 1e-12
"""How much of the right side may be left over when steps end."""

STEPS_AT_MOST = 5_000
"""More steps are not taken; answers stay right on average, and tell the noise that they have."""


@dataclass(frozen=True)
class NestedLeastSquares:
    """What measured marginals say together, at whichever levels; the cells are among them."""

    layout: CellLayout
    variances: Mapping[Axes, float]

    @cached_property
    def _precision_ratios(self) -> dict[Axes, float]:
        """How much more each marginal beside the cells tells than a cell does: v₀ / v_A."""
        cells = self.variances[self.layout.every]
        return {axes: cells / variance for axes, variance in self.variances.items() if axes != self.layout.every}

    @cached_property
    def _groups(self) -> tuple[Integers, ...]:
        """Into which group of J each label of each column falls."""
        every = [self.layout.places(axes) for axes in self._precision_ratios]
        return tuple(_common(each) for each in zip(*every, strict=True))

    @cached_property
    def _group_layout(self) -> CellLayout:
        """The counts of J as cells: the same axes, of groups in place of labels."""
        first = [np.unique(groups, return_index=True)[1] for groups in self._groups]
        coarser = (
            CoarserLevel(each.column, each.level, each.labels, each.place[first[each.column]])
            for each in self.layout.coarser
        )
        return CellLayout(tuple(map(len, first)), tuple(coarser))

    @property
    def size(self) -> int:
        """How many numbers are solved for."""
        return math.prod(self._group_layout.shape)

    @cached_property
    def _cells(self) -> Floats:
        """D: how many cells there are in each count of J."""
        return _outer([np.bincount(groups) for groups in self._groups]).astype(np.float64)

    def _add_cells(self, cells: Integers | Floats) -> Floats:
        added = cells.astype(np.float64)
        for column, groups in enumerate(self._groups):
            order = np.argsort(groups, kind="stable")
            # one axis after the other shrinks from the labels of a column to its groups in J
            begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
            added = np.add.reduceat(added.take(order, axis=column), begins, axis=column)
        return added

    def _spread(self, joined: Floats) -> Floats:
        return joined[np.ix_(*self._groups)]

    def _spread_all(self, marginals: Mapping[Axes, Integers | Floats]) -> Floats:
        """Σ_A M_Aᵀ y_A, as counts of J."""
        together = np.zeros(self._group_layout.shape)
        for axes, each in marginals.items():
            together += self._group_layout.spread(np.asarray(each, np.float64), axes)
        return together

    def _solve(self, right: Floats) -> Floats:
        # `cg` works on flat vectors; marginals need the axes, so each product reshapes there and back
        root, shape = np.sqrt(self._cells), right.shape

        def times(flat: Floats) -> Floats:
            scaled = flat.reshape(shape) * root
            sums = {
                axes: each * self._group_layout.add_up(scaled, axes) for axes, each in self._precision_ratios.items()
            }
            product: Floats = flat.ravel() + (root * self._spread_all(sums)).ravel()
            return product

        system = LinearOperator((right.size, right.size), matvec=times, dtype=np.float64)
        # an unfinished solution is accepted: it costs a little noise and no bias (the module's invariant)
        solution, _ = cg(system, right.ravel(), rtol=TOLERANCE, atol=0, maxiter=STEPS_AT_MOST)
        return np.asarray(solution, np.float64).reshape(shape)

    def estimate(self, measured: Mapping[Axes, Integers]) -> Floats:
        """Return the best linear unbiased estimate of the cells."""
        cells = measured[self.layout.every]
        added, root = self._add_cells(cells), np.sqrt(self._cells)
        new = {
            axes: each * (measured[axes] - self._group_layout.add_up(added, axes))
            for axes, each in self._precision_ratios.items()
        }
        # s = D^(1/2)·u: divided by the root again, and the same u for all cells of a count of J
        return cells + self._spread(self._solve(root * self._spread_all(new)) / root)

    def weights(self, places: Sequence[Integers]) -> tuple[dict[Axes, Floats], Floats, Floats]:
        """How does the sum of the cells at these labels of each column count what was measured?

        Gives the weights of each marginal beside the cells; and for each count of J by how much the weights of all its
        cells are lowered, and how many of them are taken, whose weight is one more.
        """
        chosen = zip(self._groups, places, self._group_layout.shape, strict=True)
        taken = _outer([np.bincount(groups[place], minlength=n) for groups, place, n in chosen]).astype(np.float64)
        root = np.sqrt(self._cells)
        solution = root * self._solve(taken / root)
        beside = {
            axes: each * self._group_layout.add_up(solution, axes) for axes, each in self._precision_ratios.items()
        }
        return beside, self._spread_all(beside), taken

    def answer(
        self, places: Sequence[Integers], measured: Mapping[Axes, Integers]
    ) -> tuple[float, dict[Axes, tuple[Floats, Integers]]]:
        """What is the sum of the cells at these labels of each column, and by what does it err?

        For each measured marginal: the weights of its noises, and how many of them have each.
        """
        beside, lowered, taken = self.weights(places)
        cells = measured[self.layout.every]
        weighted = (float((weights * measured[axes]).sum()) for axes, weights in beside.items())
        total = float(cells[np.ix_(*places)].sum()) - float((lowered * self._add_cells(cells)).sum())
        # cells that are taken weigh 1 − lowered and the others −lowered; `draws` counts both kinds in each count of J
        of_cells = np.concatenate([(1 - lowered).ravel(), -lowered.ravel()])
        draws = np.concatenate([taken.ravel(), (self._cells - taken).ravel()]).astype(np.int64)
        error = {self.layout.every: (of_cells, draws)}
        error |= {axes: (each.ravel(), np.ones(each.size, np.int64)) for axes, each in beside.items()}
        return math.fsum([total, *weighted]), error

    def kinds(self, axes: Axes) -> list[list[Integers]]:
        """Return one count of each kind that a marginal has, as its labels of each column: all others are like one."""
        grouped = self.layout.places(axes)
        ways = []
        for column, groups in enumerate(grouped):
            used = [self.layout.places(each)[column] for each in (*self._precision_ratios, axes)]
            alike = _alike([*used, np.arange(self.layout.shape[column])], groups)
            ways.append([np.flatnonzero(groups == group) for group in alike])
        return [list(each) for each in itertools.product(*ways)]


def _outer(counts: Iterable[Integers]) -> Integers:
    return reduce(np.multiply.outer, counts)


def _common(groupings: Sequence[Integers]) -> Integers:
    """Return the groups whose labels are together in each of these."""
    together = np.zeros(len(groupings[0]), np.int64)
    for each in groupings:
        # a pair of groups as one number, renumbered at once so that the product cannot overflow
        together = np.unique(together * (int(each.max()) + 1) + each, return_inverse=True)[1]
    return together


def _alike(groupings: Sequence[Integers], chosen: Integers) -> list[int]:
    """Which groups of `chosen`, one of these, stand for all others?  Two are alike if renaming labels swaps them.

    Groupings are nested: from the coarsest on, groups are the nodes of a tree.  Two nodes are alike if their parents
    are and the trees below them have the same form.

    >>> fives = np.array([0, 0, 0, 1, 1, 1, 2])
    >>> _alike([np.zeros(7, int), fives, np.arange(7)], fives), _alike([fives, np.arange(7)], np.arange(7))
    ([0, 2], [0, 6])
    """
    # groupings are nested, so that fewer groups means coarser: parents come before children
    ordered = sorted(groupings, key=lambda each: int(each.max()))
    forms: list[list[int]] = [[0] * (int(ordered[-1].max()) + 1)]
    for fine, coarse in itertools.pairwise(reversed(ordered)):
        forms.append(_forms_above(fine, coarse, forms[-1]))
    forms.reverse()
    kind = [_number([(0, form) for form in forms[0]])]
    for form, (coarse, fine) in zip(forms[1:], itertools.pairwise(ordered), strict=True):
        parent = _parents(fine, coarse)
        kind.append(_number([(kind[-1][parent[node]], each) for node, each in enumerate(form)]))
    (of_chosen, *_) = [each for each, groups in zip(kind, ordered, strict=True) if np.array_equal(groups, chosen)]
    return sorted({each: node for node, each in reversed([*enumerate(of_chosen)])}.values())


def _parents(fine: Integers, coarse: Integers) -> list[int]:
    parent = np.zeros(int(fine.max()) + 1, np.int64)
    parent[fine] = coarse
    return [int(each) for each in parent]


def _forms_above(fine: Integers, coarse: Integers, forms: Sequence[int]) -> list[int]:
    """Number the forms of the trees below coarse groups, by the forms below the finer ones in them."""
    below: list[list[int]] = [[] for _ in range(int(coarse.max()) + 1)]
    for node, parent in enumerate(_parents(fine, coarse)):
        below[parent].append(forms[node])
    return _number([tuple(sorted(each)) for each in below])


def _number(things: Sequence[tuple[int, ...]]) -> list[int]:
    number: dict[tuple[int, ...], int] = {}
    return [number.setdefault(each, len(number)) for each in things]
