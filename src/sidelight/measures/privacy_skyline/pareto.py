"""Groups that no other group dominates: all that a knowledge skyline needs of a release.

From one value σ, group g is at least as bad as h, however much is known, when it has no more people, no fewer of them
with σ, and no less is ruled out by any ℓ values: T and V are then both smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Flags, Floats, Integers
from sidelight.measures.exact import largest_counts
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance, AcquaintanceSummary
from sidelight.measures.privacy_skyline.five_minima import WAYS, FiveMinima, Knowledge, Place, five, reach
from sidelight.measures.privacy_skyline.odds import COMPARED, DECIMALS, FRACTIONS, ODDS, Arithmetic, Number, SetOfValues
from sidelight.release.groups import Groups
from sidelight.table.table import CELLS_AT_ONCE, Counts, Semantics

Weights: TypeAlias = npt.NDArray[np.floating] | npt.NDArray[np.integer]
"""What ruling out values weighs: people in `single`, occurrences in `multiset`, −ln of a probability in `set`."""


@dataclass(frozen=True, eq=False, slots=True)
class Frontier:
    """Undominated (size, count of σ, weight of what is ruled out), a line per ℓ; short lines repeat their first.

    The last line is that of all other values that occur with σ: ruling out more values changes nothing.
    """

    semantics: Semantics
    sizes: Integers
    counts: Integers
    ruled_out: Floats | Integers
    family_sizes: Integers  # undominated (size, count of σ)
    family_counts: Integers

    @classmethod
    def of(cls, groups: Groups, value: int) -> Frontier | None:
        """Look at all groups with σ; `None` when there is none."""
        parts = [_with_value(block, value) for block in _blocks(groups, value)]
        sizes, counts, most = _most_by_pair(*_joined(parts))
        if len(sizes) == 0:
            return None
        left = (sizes - counts)[:, np.newaxis] - most if groups.semantics == "single" else -most
        lines = [undominated(sizes, -counts, column) for column in left.T]
        pick = np.array([np.resize(line, max(len(line) for line in lines)) for line in lines])
        weight = np.take_along_axis(most.T, pick, axis=1)
        families = undominated(sizes, -counts)
        return cls(
            groups.semantics,
            sizes[pick],
            counts[pick],
            -weight.astype(np.float64) if groups.semantics == "set" else weight.astype(np.int64),
            sizes[families],
            counts[families],
        )


def undominated(*columns: Floats | Integers) -> Integers:
    """List the rows for which no other row is at most as large in every column (of equal rows the first).

    >>> undominated(np.array([1, 2, 1, 3]), np.array([5, 4, 5, 4])).tolist()
    [0, 1]
    """
    left = np.arange(len(columns[0]))
    score = sum(np.unique(column, return_inverse=True)[1] for column in columns)  # rises with every column
    left = left[np.argsort(score, kind="stable")]
    kept = []
    while len(left):
        best = left[0]  # nothing that is left has a smaller score, so nothing dominates it
        kept.append(int(best))
        worse = np.logical_and.reduce([column[left] >= column[best] for column in columns])
        left = left[~worse]
    return np.sort(np.array(kept))


def _blocks(groups: Groups, value: int) -> Iterator[Groups]:
    """Cut the groups into parts small enough to hold their counts in order; of sparse ones take those with σ first."""
    if groups.counts.cells is not None:
        yield from groups.blocks()
        return
    some = groups.take(np.flatnonzero(groups.counts.column(value)))
    assert some.counts.starts is not None
    step = CELLS_AT_ONCE // (int(np.diff(some.counts.starts).max(initial=0)) + 1) + 1
    for start in range(0, max(len(some), 1), step):
        yield some.take(slice(start, start + step))


def _with_value(groups: Groups, value: int) -> tuple[Integers, Integers, Weights]:
    """Give, by pair (people, people with σ) and for each ℓ, the most that ℓ values rule out."""
    column = groups.counts.column(value)
    rows = np.flatnonzero(column)
    rows = rows[_by_pair(groups.sizes[rows], column[rows])]
    falling = _others_falling(groups, value, rows)
    if groups.semantics == "set":
        return _most_of_runs(
            groups.sizes[rows], column[rows], _added(-SetOfValues().weight(falling, groups.sizes[rows, np.newaxis]))
        )
    return _most_of_runs(groups.sizes[rows], column[rows], _added(falling))


def _others_falling(groups: Groups, value: int, rows: Integers) -> npt.NDArray[np.integer]:
    """Give the counts of all values but σ, the largest first, as far as any of these groups has one."""
    if groups.counts.cells is None:
        some, places, counts = groups.counts.take(rows).entries()
        kept = places != value
        others = Counts.from_sorted(some[kept], places[kept], counts[kept], (len(rows), groups.counts.width))
        return largest_counts(others, int(np.bincount(some[kept], minlength=1).max()))
    cells = _short(groups.counts.cells[rows])
    cells[:, value] = -1
    cells.sort(axis=1)
    falling = cells[:, :0:-1]
    return falling[:, : int((falling > 0).any(axis=0).sum())]


def _joined(parts: Sequence[tuple[Integers, Integers, Weights]]) -> tuple[Integers, Integers, Weights]:
    """Put blocks together; where one has fewer values than another, ruling out more rules out nothing more."""
    width = max(most.shape[1] for _, _, most in parts)
    same = [np.pad(most, ((0, 0), (0, width - most.shape[1])), mode="edge") for _, _, most in parts]
    return (
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate(same),
    )


def _most_by_pair(sizes: Integers, counts: Integers, most: Weights) -> tuple[Integers, Integers, Weights]:
    order = _by_pair(sizes, counts)
    return _most_of_runs(sizes[order], counts[order], most[order])


def _by_pair(sizes: Integers, counts: Integers) -> Integers:
    return np.argsort(sizes * (counts.max(initial=0) + 1) + counts)


def _most_of_runs(sizes: Integers, counts: Integers, most: Weights) -> tuple[Integers, Integers, Weights]:
    new = np.flatnonzero((np.diff(sizes, prepend=-1) != 0) | (np.diff(counts, prepend=-1) != 0))
    return sizes[new], counts[new], np.maximum.reduceat(most, new, axis=0)


def _short(cells: Integers) -> npt.NDArray[np.integer]:
    """Copy into half the memory where the sums fit, as moving it is what takes the time."""
    fits = cells.max(initial=0) * cells.shape[1] < 2**31
    return np.array(cells, np.int32 if fits else np.int64)


def _added(falling: npt.NDArray[np.number]) -> Weights:
    """Add up the first ℓ of each row, for every ℓ from 0."""
    sums = np.zeros((falling.shape[0], falling.shape[1] + 1), falling.dtype)
    np.cumsum(falling, axis=1, out=sums[:, 1:])
    return sums


# ----------------------------------------------------------------------------------------------------
# Does a release hold against so much knowledge?  For many points at once: floats where clear, exact where close.
# ----------------------------------------------------------------------------------------------------


POINTS_AT_ONCE = 1 << 19
"""How many (point, group) pairs are computed at once."""


@dataclass(frozen=True, eq=False, slots=True)
class Holds:
    """Whether NR stays above the odds of a limit: (1 − c)/c for a risk below c."""

    groups: Groups
    value: int
    frontier: Frontier
    odds: Fraction

    def at(self, rules_out: Integers, others: Integers, family: Integers) -> Flags:
        """Answer for points given coordinate by coordinate."""
        step = max(POINTS_AT_ONCE // self.frontier.sizes.shape[1], 1)
        cuts = range(0, len(rules_out), step)
        parts = [self._some(rules_out[i : i + step], others[i : i + step], family[i : i + step]) for i in cuts]
        return np.concatenate(parts)

    def _some(self, rules_out: Integers, others: Integers, family: Integers) -> Flags:
        against = self._log_odds(rules_out, others[:, np.newaxis], family[:, np.newaxis])
        if self.odds == 0:  # below 1: floats are minus infinity only where the odds are exactly zero
            return ~np.isneginf(against)
        limit = np.log(float(self.odds.numerator)) - np.log(float(self.odds.denominator))
        holds: Flags = against > limit
        near = np.isfinite(against) & (np.abs(against - limit) <= reach(limit, int(family.max(initial=0))))
        for point in np.flatnonzero(near).tolist():
            holds[point] = self._exactly(Knowledge(int(rules_out[point]), int(others[point]), int(family[point])))
        return holds

    def _log_odds(self, rules_out: Integers, k: Integers, m: Integers) -> Floats:
        """Compute ln NR from the groups that no other dominates."""
        line, odds = self.frontier, ODDS[self.frontier.semantics]
        n, a, weight = line.sizes[rules_out], line.counts[rules_out], line.ruled_out[rules_out]
        target = odds.against(n, a, weight, k)
        together = (target + odds.none(n, a, m, k + 1)).min(axis=1)
        family_n, family_a = line.family_sizes[np.newaxis], line.family_counts[np.newaxis]
        apart = target.min(axis=1) + odds.none(family_n, family_a, m, 0).min(axis=1)
        bare = odds.against(line.sizes, line.counts, line.ruled_out, 0).min(axis=1)[rules_out]
        elsewhere = bare + odds.none(family_n, family_a, m, k).min(axis=1)
        least: Floats = np.minimum(together, np.minimum(apart, elsewhere))
        return least

    def _exactly(self, knows: Knowledge) -> bool:
        line = self.frontier
        if line.semantics == "set":  # here floats stand for products of whole numbers: look at the groups again
            minima = FiveMinima.of(self.groups, np.array([self.value]), knows)
            return AcquaintanceSummary(Acquaintance(*knows), minima).finding().value < 1 / (1 + self.odds)
        columns = (line.sizes[knows.rules_out], line.counts[knows.rules_out], line.ruled_out[knows.rules_out])
        triples = zip(*(column.tolist() for column in columns), strict=True)
        targets = [Place(line.semantics, n, a, (ruled_out,)) for n, a, ruled_out in triples]
        pairs = zip(line.family_sizes.tolist(), line.family_counts.tolist(), strict=True)
        families = [Place(line.semantics, n, a, ()) for n, a in pairs]
        length = max(place.length(knows.family) for place in targets) + max(
            each.length(knows.family) for each in families
        )
        if length <= COMPARED:
            return FRACTIONS.exceed(_odds(targets, families, knows, FRACTIONS), self.odds)
        with DECIMALS.working():
            return DECIMALS.exceed(_odds(targets, families, knows, DECIMALS), self.odds)


def _odds(targets: list[Place], families: list[Place], knows: Knowledge, using: Arithmetic[Number]) -> Number:
    """Compute NR exactly."""
    least = [
        min(place.odds(which, knows.family, using) for place in (families if which.target is None else targets))
        for which in five(knows)
    ]
    return min(prod((least[which] for which in way), start=using.ratio(1, 1)) for way in WAYS)
