"""What do marginals and cells that were measured say together, and which whole counts of at least 0 fit that?

What they say together is the best linear unbiased estimate of the cells (generalised least squares), which is
consistent: every count is the sum of its cells.  In closed form, with n_i labels of column i, and n_C = Π_{i∈C} n_i:
the counts x split into residuals, one for each set B of columns,

    r_B = H_B M_B x,    M_B adds up over the columns that are not in B,  H_B = ⊗_{i∈B} (I − 11ᵀ/n_i),
    M_C x = Σ_{B⊆C} r_B / n_{C∖B}    (spread evenly over the columns of C that are not in B).

A marginal y_A = M_A x + noise tells r_B for every B ⊆ A as H_B M_B y_A, with covariance v_A·n_{A∖B}·H_B.  Two of these
for different B are uncorrelated, as some column is in one of them only, where (I − 11ᵀ/n_i) meets 1 and leaves 0, and
those of different A are independent.  So each r_B is estimated by itself, and the covariances are multiples of one
matrix: the best weights are inverse variances,

    r̂_B = Σ_{A⊇B} w_{A,B} · H_B M_B y_A,    w_{A,B} = 1 / (v_A·n_{A∖B}·p_B),    p_B = Σ_{A⊇B} 1 / (v_A·n_{A∖B}),

with covariance H_B / p_B.  One count of marginal C then has the variance

    Σ_{B⊆C} n_{C∖B}^(−2) · p_B^(−1) · Π_{i∈B} (1 − 1/n_i),

and a sum of cells that takes k_i of the n_i labels of each column gives to the cell a of marginal A the weight

    Σ_{B⊆A} w_{A,B} · Π_{i∉B} (k_i/n_i) · Π_{i∈B} ([label a_i is taken] − k_i/n_i).

Where B is in no marginal but the cells, r̂_B is what the cells say: only the sets below some query are ever visited.

Where columns are counted by at coarser levels too, and these group labels into groups of different sizes, the residuals
no longer have covariances that are multiples of one matrix, and nothing splits in closed form.  The best linear
unbiased estimate is solved for instead, by conjugate gradients.

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

Post-processing: whole counts of at least 0, made of measured ones without looking at the data again.

It costs no privacy, as anyone who sees the measured counts can do the same, but it costs accuracy of sums.  Cell by
cell such counts are nearer to the truth, while their sums are biased: what noise leaves in empty cells is taken from
the others.  Where marginals were measured, counts are scaled to add up to the estimates of these (iterative
proportional fitting), so that at least those sums stay right.

An answer is a sum of noisy counts, and errs by a weighted sum of independent discrete noises,

    error = Σ_j w_j · S_j,   S_j = the sum of n_j draws of one noise (`NoisePart`),

whose standard deviation is √(Σ_j w_j² · n_j · variance_j).  A margin m with Pr(|error| > m) ≤ α is the smaller of two
bounds, neither of which is ever too small:

by distribution     S_j has the distribution that the n_j-th power of the noise's characteristic function transforms
                    back to.  Of several S_j each w_j·S_j is rounded to a step h, which moves it by h/2 at most, and the
                    rounded ones are convolved: |error| ≤ |rounded| + J·h/2.  Where there is one j nothing is rounded
                    and the margin is exact.  What the transforms wrap around (`BEYOND`, by Chernoff's bound) and lose
                    to rounding (`LOST_PER_DRAW`) is taken from α.
                    Of very many S_j, those of one noise and of nearly equal weights are first taken for one, of their
                    mean weight; what that leaves, a sum of small weights, is bounded by Chernoff for a part of α.
by Chernoff's bound (Σ_j n_j · ln E[e^(t·w_j·noise_j)] + ln(2/α)) / t for any t > 0; for what is too long to transform,
                    and for confidences beyond what floats can add up.

Source: Xiao, He, Zhang and Kifer, NeurIPS 2023 (residuals); Hestenes and Stiefel, 1952 (conjugate gradients); Hay,
Rastogi, Miklau and Suciu, VLDB 2010 (consistent counts in a hierarchy); Deming and Stephan, Annals of Mathematical
Statistics 1940 (proportional fitting).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from sidelight.noise.mechanism import STANDARD_DEVIATIONS, Mechanism, expect_confidence
from sidelight.noise.workload import Axes, CellLayout, CoarserLevel, subsets
from sidelight.rounding import raise_bound

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers

BEYOND = 1e-12  # how likely a sum of noises is further out than its distribution is computed for

LONGEST_TRANSFORM = 2**22  # longer distributions are not computed; Chernoff's bound answers for them

PARTS_AT_MOST = 64  # of more parts than this, those of nearly equal weights are taken together


@dataclass(frozen=True, slots=True)
class NoisePart:
    """The sum of `draws` independent draws of one noise, each of which counts `weight` times."""

    mechanism: Mechanism
    draws: int
    weight: float = 1

    @property
    def variance(self) -> float:
        """The variance of the draws together."""
        return self.weight**2 * self.draws * self.mechanism.variance()


@dataclass(frozen=True)
class NoisyAnswer:
    """An unbiased estimate from noisy counts, with its `margin` of error; it may be negative.

    It is about what was counted: people who were left out of the counts are not in it.

    >>> answer = NoisyAnswer(1_921, "people", (NoisePart(Mechanism("discrete Laplace", scale=1.0), draws=74),))
    >>> answer, round(answer.sd, 2), answer.margin(0.99)
    (<NoisyAnswer 1,921 ± 23 people>, 11.67, 30)
    >>> int(answer), f"{float(answer):.1f}"
    (1921, '1921.0')
    """

    count: float
    of: str  # what was counted
    noise: tuple[NoisePart, ...]

    @cached_property
    def sd(self) -> float:
        """The standard deviation of the count."""
        return math.sqrt(math.fsum(part.variance for part in self.noise))

    def margin(self, confidence: float = 0.95) -> float:
        """Return how far the count is from the truth at most, with this confidence."""
        return margin_of(self.noise, confidence)

    def __int__(self) -> int:
        return round(self.count)

    def __float__(self) -> float:
        return float(self.count)

    def __str__(self) -> str:
        return f"{self.count:,.0f} ± {math.ceil(self.margin()):,}"

    def __repr__(self) -> str:
        return f"<NoisyAnswer {self} {self.of}>"


def margin_of(noise: Sequence[NoisePart], confidence: float) -> float:
    """Return how far these noises together are from 0 at most, with this confidence; whole where there is one kind."""
    alpha, parts = 1 - expect_confidence(confidence), [part for part in noise if part.draws and part.weight]
    if not parts:
        return 0
    bound = _chernoff(parts, alpha)
    # α pays for what truncation and floats may lose, so that the margin stays an upper bound
    slack = (len(parts) + 1) * BEYOND + 1e-15 * sum(part.draws for part in parts)
    # α is too small for distributions in floats; Chernoff's bound answers alone
    if alpha <= 2 * slack:
        return bound
    alpha -= slack
    exactly: float | None
    if len(parts) == 1:
        chances = _distribution(parts[0])
        exactly = None if chances is None else abs(parts[0].weight) * _smallest(chances, alpha)
    elif len(parts) <= PARTS_AT_MOST:
        exactly = _several_kinds(parts, alpha)
    else:
        # a hundredth of α is for the remainder of merged weights
        together, left = merge_parts(parts)
        exactly = _several_kinds(together, alpha * 0.99)
        exactly = None if exactly is None else exactly + (_chernoff(left, alpha * 0.01) if left else 0)
    return bound if exactly is None else min(exactly, bound)


def _chernoff(parts: Sequence[NoisePart], alpha: float) -> float:
    """Bound by Chernoff's inequality for both sides, at the best t of many; a whole number where one kind is added."""
    allowed = math.log(2 / alpha)
    limits = [1 / (part.mechanism.scale * abs(part.weight)) for part in parts]
    spread = math.sqrt(math.fsum(part.draws / limit**2 for part, limit in zip(parts, limits, strict=True)))
    near = math.sqrt(2 * allowed) / spread  # the best t of Gaussian noise
    t = np.unique(np.concatenate([near * np.geomspace(0.01, 10, 400), min(limits) * np.linspace(0.5, 0.999, 50)]))
    laplace = [limit for part, limit in zip(parts, limits, strict=True) if part.mechanism.kind == "discrete Laplace"]
    # E[e^(t·w·noise)] of Laplace noise is finite only where t·w < 1 / scale
    t = t[t < min(laplace, default=math.inf)]
    log_moments = sum(part.draws * part.mechanism.log_moment(t * abs(part.weight)) for part in parts)
    bound = raise_bound(float(((log_moments + allowed) / t).min()), 1e-9)
    # a single kind errs by whole multiples of its weight: the bound may be lowered to one
    return abs(parts[0].weight) * math.floor(bound / abs(parts[0].weight)) if len(parts) == 1 else bound


def _several_kinds(parts: Sequence[NoisePart], alpha: float) -> float | None:
    # all roundings together move the sum by a two-hundredth of a standard deviation at most
    step = math.sqrt(math.fsum(part.variance for part in parts)) / (100 * len(parts))
    furthest = math.ceil(_chernoff(parts, BEYOND) / step) + len(parts)
    size = _power_of_two(2 * furthest + 1)
    if size > LONGEST_TRANSFORM:
        return None
    # the spectrum of the sum, (size // 2 + 1,): a product of transforms is the transform of a convolution
    together = np.ones(size // 2 + 1, np.complex128)
    for part in parts:
        chances = _distribution(part)
        if chances is None:
            return None
        sums = np.fft.fftfreq(len(chances), 1 / len(chances))  # 0, 1, …, −2, −1
        # negative sums wrap around to the end, as the transform is cyclic
        index = np.rint(sums * (part.weight / step)).astype(np.int64) % size
        together *= np.fft.rfft(np.bincount(index, chances, minlength=size))
    # rounding to the grid moved each part by at most half a step
    return (_smallest(np.fft.irfft(together, size), alpha) + len(parts) / 2) * step


def merge_parts(parts: Sequence[NoisePart]) -> tuple[list[NoisePart], list[NoisePart]]:
    """Merge parts of one noise and of nearly equal weights into one of their mean weight; return these and the rest.

    The error is distributed as the sum of both, which are not independent.  Noise is symmetric, so that only the size
    of weights counts.  Whichever together deviate most from their mean are parted there, again and again, until what is
    left deviates by a five-hundredth of the whole.

    >>> noise = Mechanism("discrete Laplace", scale=1.0)
    >>> together, left = merge_parts([NoisePart(noise, 3, 0.5), NoisePart(noise, 1, 0.5004)])
    >>> [[(each.draws, round(each.weight, 6)) for each in parts] for parts in (together, left)]
    [[(4, 0.5001)], [(3, 0.0001), (1, 0.0003)]]
    """
    enough = 0.002**2 * math.fsum(part.variance for part in parts)
    groups = []  # (scatter, mean, mechanism, weights, draws)

    def add_group(mechanism: Mechanism, weights: Floats, draws: Integers) -> None:
        mean = float(weights @ draws / draws.sum())
        # the variance of what is left when all of them weigh as much as their mean
        groups.append((float((weights - mean) ** 2 @ draws) * mechanism.variance(), mean, mechanism, weights, draws))

    for mechanism in dict.fromkeys(part.mechanism for part in parts):
        alike = [(abs(part.weight), part.draws) for part in parts if part.mechanism == mechanism]
        sizes, times = zip(*alike, strict=True)
        add_group(mechanism, np.array(sizes, np.float64), np.array(times, np.int64))
    while len(groups) < PARTS_AT_MOST and math.fsum(scatter for scatter, *_ in groups) > enough:
        widest = max(range(len(groups)), key=lambda at: groups[at][0])
        _, mean, mechanism, weights, draws = groups.pop(widest)
        low = weights <= mean
        for half in (low, ~low):
            if half.any():
                add_group(mechanism, weights[half], draws[half])
    together = [NoisePart(mechanism, int(draws.sum()), mean) for _, mean, mechanism, _, draws in groups]
    left = [
        NoisePart(mechanism, int(times), float(weight))
        for _, mean, mechanism, weights, draws in groups
        for times, weight in zip(draws, np.abs(weights - mean), strict=True)
        if weight
    ]
    return together, left


def _distribution(part: NoisePart) -> Floats | None:
    """Return the probability of each sum of the draws: of 0, 1, … first, then of the negative ones, up to −1."""
    furthest = part.mechanism.margin_of_total(part.draws, BEYOND / 2)
    size = _power_of_two(2 * furthest + 1)
    if size > LONGEST_TRANSFORM:
        return None
    mechanism = part.mechanism
    # E[cos(θ·noise)] at θ = 0, 2π/size, …, π: real, as noise is symmetric
    if mechanism.kind == "discrete Laplace":  # (1 − a)² / ((1 − a)² + 4a·sin²(θ/2))
        a, rest = math.exp(-1 / mechanism.scale), math.expm1(-1 / mechanism.scale) ** 2
        transformed: Floats = rest / (rest + 4 * a * np.sin(np.pi * np.arange(size // 2 + 1) / size) ** 2)
    else:
        reach = math.ceil(STANDARD_DEVIATIONS * mechanism.scale) + 1
        noise = np.arange(-reach, reach + 1)
        weight = np.exp(mechanism.log_weight(noise))
        transformed = np.fft.rfft(np.bincount(noise % size, weight / weight.sum(), minlength=size)).real
    # the inverse transform leaves tiny negative chances, which are rounding
    return np.maximum(np.fft.irfft(transformed**part.draws, size), 0)


def _smallest(chances: Floats, alpha: float) -> int:
    """Find the smallest m so that at most α is further than m from 0."""
    half = len(chances) // 2
    # +m stands at index m and −m at index size − m: both are folded into |m|, (size // 2,)
    within = np.cumsum(np.concatenate([chances[:1], chances[1:half] + chances[:half:-1]]))
    return int(np.searchsorted(within, 1 - alpha))


def _power_of_two(size: int) -> int:
    return 1 << max(size - 1, 1).bit_length()


STEPS_AT_MOST = 5_000  # of the solver; beyond, answers stay unbiased, with the error of their weights


@dataclass(frozen=True)
class NestedLeastSquares:
    """The least squares estimate from measured marginals at any levels; the cells are among them."""

    layout: CellLayout
    variances: Mapping[Axes, float]

    @cached_property
    def _precision_ratios(self) -> dict[Axes, float]:
        """The precision of each marginal beside the cells, relative to that of a cell: v₀ / v_A."""
        cells = self.variances[self.layout.every]
        return {axes: cells / variance for axes, variance in self.variances.items() if axes != self.layout.every}

    @cached_property
    def _groups(self) -> tuple[Integers, ...]:
        """The group of J of each label, by column."""
        every = [self.layout.places(axes) for axes in self._precision_ratios]
        return tuple(_intersect_groupings(each) for each in zip(*every, strict=True))

    @cached_property
    def group_layout(self) -> CellLayout:
        """The counts of J as cells: the same axes, of groups in place of labels."""
        first = [np.unique(groups, return_index=True)[1] for groups in self._groups]
        coarser = (
            CoarserLevel(each.column, each.level, each.labels, each.place[first[each.column]])
            for each in self.layout.coarser
        )
        return CellLayout(tuple(map(len, first)), tuple(coarser))

    @cached_property
    def _cells(self) -> Floats:
        """D: the number of cells in each count of J."""
        return _outer(np.bincount(groups) for groups in self._groups)

    def _join(self, cells: Integers | Floats) -> Floats:
        """M_J·y: add up cells to counts of J."""
        joined = cells.astype(np.float64)
        for column, groups in enumerate(self._groups):
            order = np.argsort(groups, kind="stable")
            # one axis after the other shrinks from the labels of a column to its groups in J
            begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
            joined = np.add.reduceat(joined.take(order, axis=column), begins, axis=column)
        return joined

    def _spread_all(self, marginals: Mapping[Axes, Integers | Floats]) -> Floats:
        """Σ_A M_Aᵀ y_A, as counts of J."""
        together = np.zeros(self.group_layout.shape)
        for axes, each in marginals.items():
            together += self.group_layout.spread(np.asarray(each, np.float64), axes)
        return together

    def _solve(self, right: Floats) -> Floats:
        # `cg` works on flat vectors; marginals need the axes, so each product reshapes there and back
        root, shape = np.sqrt(self._cells), right.shape

        def times(flat: Floats) -> Floats:
            scaled = flat.reshape(shape) * root
            sums = {
                axes: each * self.group_layout.add_up(scaled, axes) for axes, each in self._precision_ratios.items()
            }
            return flat.ravel() + (root * self._spread_all(sums)).ravel()

        system = LinearOperator((right.size, right.size), matvec=times, dtype=np.float64)
        # an unfinished solution is accepted: it costs a little noise and no bias (the module's invariant)
        solution, _ = cg(system, right.ravel(), rtol=1e-12, atol=0, maxiter=STEPS_AT_MOST)
        return np.asarray(solution, np.float64).reshape(shape)

    def estimate(self, measured: Mapping[Axes, Integers]) -> Floats:
        """Return the best linear unbiased estimate of the cells."""
        cells = measured[self.layout.every]
        added, root = self._join(cells), np.sqrt(self._cells)
        new = {
            axes: each * (measured[axes] - self.group_layout.add_up(added, axes))
            for axes, each in self._precision_ratios.items()
        }
        # s = D^(1/2)·u: divided by the root again, and the same u for all cells of a count of J
        return cells + (self._solve(root * self._spread_all(new)) / root)[np.ix_(*self._groups)]

    def weights(self, places: Sequence[Integers]) -> tuple[dict[Axes, Floats], Floats, Floats]:
        """Return the weights of all measurements in the sum of the cells at these labels of each column.

        The weights of each marginal beside the cells; and for each count of J by how much the weights of all its cells
        are lowered, and how many of them are taken, whose weight is one more.
        """
        chosen = zip(self._groups, places, self.group_layout.shape, strict=True)
        taken = _outer(np.bincount(groups[labels], minlength=n) for groups, labels, n in chosen)
        root = np.sqrt(self._cells)
        solution = root * self._solve(taken / root)
        beside = {
            axes: each * self.group_layout.add_up(solution, axes) for axes, each in self._precision_ratios.items()
        }
        return beside, self._spread_all(beside), taken

    def answer(
        self, places: Sequence[Integers], measured: Mapping[Axes, Integers]
    ) -> tuple[float, dict[Axes, tuple[Floats, Integers]]]:
        """Return the sum of the cells at these labels of each column, and its noises as in `weigh_noises`."""
        beside, lowered, taken = self.weights(places)
        cells = measured[self.layout.every]
        weighted = (float((weights * measured[axes]).sum()) for axes, weights in beside.items())
        total = float(cells[np.ix_(*places)].sum()) - float((lowered * self._join(cells)).sum())
        # cells that are taken weigh 1 − lowered and the others −lowered; `draws` counts both kinds in each count of J
        of_cells = np.concatenate([(1 - lowered).ravel(), -lowered.ravel()])
        draws = np.concatenate([taken.ravel(), (self._cells - taken).ravel()]).astype(np.int64)
        error = {self.layout.every: (of_cells, draws)} | {
            axes: (each.ravel(), np.ones(each.size, np.int64)) for axes, each in beside.items()
        }
        return math.fsum([total, *weighted]), error

    def kinds(self, axes: Axes) -> list[list[Integers]]:
        """Return a representative of each kind of count that a marginal has, as its labels of each column."""
        grouped = self.layout.places(axes)
        ways = []
        for column, groups in enumerate(grouped):
            used = [self.layout.places(each)[column] for each in (*self._precision_ratios, axes)]
            alike = _alike([*used, np.arange(self.layout.shape[column])], groups)
            ways.append([np.flatnonzero(groups == group) for group in alike])
        return [list(each) for each in itertools.product(*ways)]


def _outer(factors: Iterable[Integers | Sequence[float]]) -> Floats:
    """Return the product of a number of each factor, an axis for each."""
    product: Floats = reduce(np.multiply.outer, factors, np.ones(()))
    return product


def _intersect_groupings(groupings: Sequence[Integers]) -> Integers:
    """Return the groups whose labels are together in each of these."""
    together = np.zeros(len(groupings[0]), np.int64)
    for each in groupings:
        # a pair of groups as one number, renumbered at once so that the product cannot overflow
        together = np.unique(together * (int(each.max()) + 1) + each, return_inverse=True)[1]
    return together


def _alike(groupings: Sequence[Integers], chosen: Integers) -> list[int]:
    """Return the groups of `chosen`, one of these, that represent all others; alike are those that renaming swaps.

    Groupings are nested: from the coarsest on, groups are the nodes of a tree.  Two nodes are alike if their parents
    are and the trees below them have the same form.

    >>> fives = np.array([0, 0, 0, 1, 1, 1, 2])
    >>> _alike([np.zeros(7, int), fives, np.arange(7)], fives), _alike([fives, np.arange(7)], np.arange(7))
    ([0, 2], [0, 6])
    """

    def number(things: Sequence[tuple[int, ...]]) -> list[int]:
        seen: dict[tuple[int, ...], int] = {}
        return [seen.setdefault(each, len(seen)) for each in things]

    # groupings are nested, so that fewer groups means coarser: parents come before children
    ordered = sorted(groupings, key=lambda each: int(each.max()))
    forms: list[list[int]] = [[0] * (int(ordered[-1].max()) + 1)]
    for fine, coarse in itertools.pairwise(reversed(ordered)):
        # the form of the tree below a coarse group is by the forms below the finer ones in it
        below: list[list[int]] = [[] for _ in range(int(coarse.max()) + 1)]
        for node, parent in enumerate(_parents(fine, coarse)):
            below[parent].append(forms[-1][node])
        forms.append(number([tuple(sorted(each)) for each in below]))
    forms.reverse()
    kind = [number([(0, form) for form in forms[0]])]
    for form, (coarse, fine) in zip(forms[1:], itertools.pairwise(ordered), strict=True):
        parents = _parents(fine, coarse)
        kind.append(number([(kind[-1][parents[node]], each) for node, each in enumerate(form)]))
    (of_chosen, *_) = [each for each, groups in zip(kind, ordered, strict=True) if np.array_equal(groups, chosen)]
    return sorted({each: node for node, each in reversed([*enumerate(of_chosen)])}.values())


def _parents(fine: Integers, coarse: Integers) -> list[int]:
    parent = np.zeros(int(fine.max()) + 1, np.int64)
    parent[fine] = coarse
    return [int(each) for each in parent]


def postprocess(measured: Integers | Floats) -> Integers:
    """Return the whole counts of at least 0 that are nearest to the measured ones, with the same total (0 if negative).

    min Σ (x − measured)², x ≥ 0 and whole, Σ x = Σ measured.  One more in a cell costs 2·(x − measured) − 1, so that
    the cheapest are all with x ≤ measured − t for one t; of those of the same price, the largest counts have one less.
    """
    flat, total = measured.ravel(), round(measured.sum().item())
    if total <= 0:
        return np.zeros(measured.shape, np.int64)
    # the t from which on too little is left, by halving as far as floats tell: at −2 every count keeps more than it has
    # and at max + 1 nothing is left
    low, high = -2.0, float(flat.max()) + 1
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if int(_lower(flat, middle).sum()) >= total else (low, middle)
    whole, least = _lower(flat, low), _lower(flat, high)
    # between two thresholds that floats can hardly tell apart, no count differs by more than one
    order = np.argsort(-flat, kind="stable")
    one_less = order[(whole > least)[order]][: int(whole.sum()) - total]
    whole[one_less] -= 1
    return whole.reshape(measured.shape)


def _lower(counts: Integers | Floats, threshold: float) -> Integers:
    return np.maximum(np.floor(counts - threshold), 0).astype(np.int64)


def fit_marginals(
    estimates: Integers | Floats, marginals: Sequence[Axes], coarser: Sequence[CoarserLevel] = ()
) -> Integers:
    """Return whole counts of at least 0 near the estimates, with nearly the same sums along these axes.

    The nearest ones (`postprocess`), scaled to the estimate of each marginal in turn, of at least 0; then rounded so
    that sums along the order of the cells are off by half a person at most.
    """
    nearest = postprocess(estimates)
    total = int(nearest.sum())
    if not total:
        return nearest
    least = 1e-6  # of every cell, so that marginals may put people into an empty one
    fitted = nearest.astype(np.float64) + least
    layout = CellLayout(estimates.shape, tuple(coarser))
    # the estimates are right on average; sums of `nearest` are not
    targets = {axes: np.maximum(layout.add_up(estimates.astype(np.float64), axes), 0) for axes in marginals}
    # thirty times each, also where no such counts exist
    for axes, target in [*targets.items()] * 30:
        # both are above 0 somewhere, as the total is
        scaled = target * (total / target.sum()) / np.maximum(layout.add_up(fitted, axes), least)
        fitted *= layout.spread(scaled, axes)
    left = fitted.sum()
    if not left > 0:  # marginals that leave no cell to anybody
        return nearest
    # rounding the running total keeps each partial sum within half a person, and the total exact
    rounded: Integers = np.diff(np.rint(np.cumsum(fitted) * (total / left)), prepend=0).astype(np.int64)
    return rounded.reshape(estimates.shape)


# Of a marginal with more kinds of counts, or if these took more numbers to solve for, Chebyshev bounds all of them
KINDS_AT_MOST, SOLVED_AT_MOST = 64, 1_000_000


@dataclass(frozen=True, eq=False, slots=True)
class Marginal:
    """Counts by some of the columns, measured beside the cells, with their axes and noise."""

    axes: Axes
    mechanism: Mechanism
    measured: Integers = field(repr=False)


@dataclass(frozen=True, eq=False)
class Measurements:
    """Everything that was measured: the cells, which stand first, and marginals of them."""

    layout: CellLayout
    marginals: tuple[Marginal, ...]

    @classmethod
    def draw(
        cls, cells: Integers, noise: Mapping[Axes, Mechanism], coarser: Sequence[CoarserLevel] = ()
    ) -> Measurements:
        """Draw noise for each marginal; the budget must be spent before."""
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
    def _shares(self) -> dict[Axes, dict[Axes, float]]:
        return weigh_residuals(self.layout, self._variances)

    @cached_property
    def _least_squares(self) -> NestedLeastSquares | None:
        coarse = any(self.layout.coarse(each.axes) for each in self.marginals)
        return NestedLeastSquares(self.layout, self._variances) if coarse else None

    @cached_property
    def estimates(self) -> Integers | Floats:
        """The estimate of the cells from all measurements; whole where the cells alone were measured."""
        if len(self.marginals) == 1:
            return self.marginals[0].measured
        if self._least_squares is not None:
            return self._least_squares.estimate(self._counts)
        return estimate_cells(self.layout, self._shares, self._counts)

    def answer(self, places: Sequence[Integers]) -> tuple[float, tuple[NoisePart, ...]]:
        """Estimate the sum of the cells at these labels of each column; also return the noises of the estimate."""
        if self._least_squares is not None:
            total, error = self._least_squares.answer(places, self._counts)
            return total, self._parts(error)
        total, taken = self.estimates[np.ix_(*places)].sum().item(), [len(each) for each in places]
        if len(self.marginals) == 1:
            return total, (NoisePart(self.marginals[0].mechanism, math.prod(taken)),)
        return total, self._parts(weigh_noises(self.layout, self._shares, self._variances, taken))

    def _parts(self, error: Mapping[Axes, tuple[Floats, Integers]]) -> tuple[NoisePart, ...]:
        parts = []
        for each in self.marginals:
            weights, draws = error[each.axes]
            # weights that floats can hardly tell apart are one, the larger; noise is symmetric, so that size counts
            known, same = np.unique(np.ceil(np.abs(weights) * 2**40) / 2**40, return_inverse=True)
            together = np.bincount(same, draws, minlength=len(known)).astype(np.int64)
            parts += [
                NoisePart(each.mechanism, int(times), float(weight))
                for weight, times in zip(known, together, strict=True)
                if times and weight
            ]
        return tuple(parts)

    def margin(self, axes: Axes, confidence: float) -> float:
        """Return how far any count of a measured marginal is from the truth at most, with this confidence."""
        if self._least_squares is None:
            # one label of each column of the marginal, all of the others; without coarser levels any label will do
            one = [np.arange(1 if axis in axes else n) for axis, n in enumerate(self.layout.shape)]
            return margin_of(self.answer(one)[1], confidence)
        kinds = self._least_squares.kinds(axes)
        if len(kinds) > min(KINDS_AT_MOST, SOLVED_AT_MOST // math.prod(self._least_squares.group_layout.shape)):
            # no best estimate has a larger variance than what was measured
            return raise_bound(math.sqrt(self._variances[axes] / (1 - confidence)), 1e-6)
        return max(margin_of(self.answer(each)[1], confidence) for each in kinds)


def weigh_residuals(layout: CellLayout, variances: Mapping[Axes, float]) -> dict[Axes, dict[Axes, float]]:
    """Return the weight of each marginal in each residual that a marginal besides the cells has: shares of 1."""
    shares = {}
    below_queries = (subsets(axes) for axes in variances if axes != layout.every)
    for below in dict.fromkeys(itertools.chain.from_iterable(below_queries)):
        precisions = {
            axes: 1 / (variance * layout.size(set(axes) - set(below)))
            for axes, variance in variances.items()
            if set(below) <= set(axes)
        }
        total = math.fsum(precisions.values())
        shares[below] = {axes: precision / total for axes, precision in precisions.items()}
    return shares


def estimate_cells(
    layout: CellLayout, shares: Mapping[Axes, Mapping[Axes, float]], measured: Mapping[Axes, Integers]
) -> Floats:
    """Return the best linear unbiased estimate of the cells, with the weights of `weigh_residuals`."""
    correction = np.zeros(layout.shape)

    def find_residual(axes: Axes, below: Axes) -> Floats:
        outside = tuple(at for at, axis in enumerate(axes) if axis not in below)
        residual = np.asarray(measured[axes].sum(axis=outside), np.float64)
        for axis in range(residual.ndim):
            # I − 11ᵀ/n along one axis: H_B is one centring for each column of B
            residual = residual - residual.mean(axis=axis, keepdims=True)
        return residual

    for below, weights in shares.items():
        # what all of them say about this residual, less what the cells say
        residuals = {axes: find_residual(axes, below) for axes in weights}
        residual = sum(weight * residuals[axes] for axes, weight in weights.items()) - residuals[layout.every]
        # the columns outside B get a length of 1, over which the residual is spread evenly
        spread = residual.reshape([n if axis in below else 1 for axis, n in enumerate(layout.shape)])
        correction += spread / layout.size(set(layout.every) - set(below))
    return measured[layout.every].astype(np.float64) + correction


def weigh_noises(
    layout: CellLayout, shares: Mapping[Axes, Mapping[Axes, float]], marginals: Iterable[Axes], taken: Sequence[int]
) -> dict[Axes, tuple[Floats, Integers]]:
    """Return by marginal the weights of its noises in a sum of cells, and how many of them have each.

    `taken`: how many labels of each column the sum takes.
    """
    # a column of which all labels are taken distinguishes no cells
    free = [axis for axis, n in enumerate(layout.shape) if taken[axis] < n]
    share = [count / n for count, n in zip(taken, layout.shape, strict=True)]
    parts = {}
    for axes in marginals:
        inner = [axis for axis in free if axis in axes]
        weights = np.zeros([2] * len(inner))  # by whether a cell's labels are taken
        if axes == layout.every:
            weights[(0,) * len(inner)] = 1
        for below, of_below in shares.items():
            if set(below) <= set(inner):
                more = of_below[axes] - (axes == layout.every)
                scale = more * math.prod(share[axis] for axis in free if axis not in below)
                factors = [(1 - share[axis], -share[axis]) if axis in below else (1.0, 1.0) for axis in inner]
                weights += scale * _outer(factors)
        draws = _outer([(taken[axis], layout.shape[axis] - taken[axis]) for axis in inner])
        outer = layout.size(axis for axis in axes if axis not in inner)
        parts[axes] = weights.ravel(), draws.astype(np.int64).ravel() * outer
    return parts
