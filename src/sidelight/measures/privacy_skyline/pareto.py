"""Which groups can decide how much a release withstands, and does it withstand so much?

Symbols     σ the value; of a group g: n people, a with σ, w_ℓ the most that ℓ other values weigh when ruled out
            (`Odds.weight`); T, V and the five minima as in `odds` and `five_minima`.
Dominance   seen from σ, g is at least as bad as h for ℓ values ruled out, whatever k and m are, when n_g ≤ n_h,
            a_g ≥ a_h, and what is left beside σ is no more (n−a−w_ℓ in `single`, −w_ℓ elsewhere): T and V are smaller.
            Of V alone n and a decide.
Invariant   the minima over undominated groups are those over all groups, for every ℓ, k and m.
Decision    a risk is below c exactly when NR > (1 − c)/c.  Points are decided in logarithms, many at once; those that
            floats cannot tell from the limit, exactly.
Cost        one pass over the groups with σ, whose (n, a) pairs are few; then points × undominated groups.
Source      the knowledge skyline of Chen, LeFevre, Ramakrishnan, VLDB 2007, section 4.3; dominance is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers
from sidelight.errors import expect
from sidelight.measures.criterion import Bound, exact
from sidelight.measures.exact import Number, RatioArithmetic, compare_exactly
from sidelight.measures.privacy_skyline.five_minima import (
    ARRANGEMENTS,
    FiveMinima,
    Knowledge,
    ValueInGroup,
    five_products,
    least_product,
    tolerance,
)
from sidelight.measures.privacy_skyline.odds import ODDS, SetOfValues
from sidelight.measures.targets import Targets, Value, read_value
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.rounding import log
from sidelight.table.counts import CELLS_AT_ONCE, Counts
from sidelight.table.labels import Semantics
from sidelight.table.table import expect_one_sensitive

RuledOut: TypeAlias = npt.NDArray[np.floating] | npt.NDArray[np.integer]
"""What ruling out values weighs: people in `single`, occurrences in `multiset`, −ln of a probability in `set`."""

POINTS_AT_ONCE = 1 << 19
"""How many (point, group) pairs are computed at once."""


@dataclass(frozen=True, eq=False, slots=True)
class RiskTest:
    """Does the risk of σ stay below a limit?  NR must stay above the odds of the limit, (1 − c)/c."""

    groups: Groups
    value: int
    undominated: UndominatedGroups
    odds: Fraction

    def passes(self, rules_out: Integers, others: Integers, family: Integers) -> Flags:
        """Answer for many amounts of knowledge, coordinate by coordinate."""
        step = max(POINTS_AT_ONCE // self.undominated.sizes.shape[1], 1)
        cuts = range(0, len(rules_out), step)
        parts = [self._some_passed(rules_out[i : i + step], others[i : i + step], family[i : i + step]) for i in cuts]
        return np.concatenate(parts)

    def _some_passed(self, rules_out: Integers, others: Integers, family: Integers) -> Flags:
        against = self.undominated.log_odds(rules_out, others[:, np.newaxis], family[:, np.newaxis])
        if self.odds == 0:  # below 1: floats are minus infinity only where the odds are exactly zero
            return ~np.isneginf(against)
        limit = float(log(self.odds))  # floats may not hold it
        passed: Flags = against > limit
        # within tolerance of the limit floats may be on the wrong side of it: exact numbers decide there
        near = np.isfinite(against) & (np.abs(against - limit) <= tolerance(limit, int(family.max())))
        for point in np.flatnonzero(near).tolist():
            knowledge = Knowledge(int(rules_out[point]), int(others[point]), int(family[point]))
            passed[point] = self._passed_exactly(knowledge)
        return passed

    def _passed_exactly(self, knowledge: Knowledge) -> bool:
        if self.groups.semantics == "set":  # here floats stand for products of whole numbers: look at the groups again
            worst = FiveMinima.from_groups(self.groups, np.array([self.value]), knowledge).worst()
            assert worst is not None, "undominated groups have the value"
            return worst.risk < 1 / (1 + self.odds)
        targets, families = self.undominated.targets(knowledge.rules_out), self.undominated.families()
        bits = sum(max(each.bits(knowledge.family) for each in places) for places in (targets, families))
        return compare_exactly(
            bits,
            lambda arithmetic: bool(
                arithmetic.exceeds(_least_odds(targets, families, knowledge, arithmetic), self.odds)
            ),
        )


def largest_passed(passed: Callable[[Integers], Flags], too_many: Integers) -> Integers:
    """Find, by halving, the largest number (−1: none) that still passes, for many questions at once."""
    low, high = np.full_like(too_many, -1), too_many
    while (high - low > 1).any():  # all up to `low` pass, none from `high` on
        middle = (low + high) // 2
        passes = passed(np.maximum(middle, 0)) & (middle >= 0)
        low, high = np.where(passes, middle, low), np.where(passes, high, middle)
    return low


def _least_odds(
    targets: list[ValueInGroup], families: list[ValueInGroup], knowledge: Knowledge, arithmetic: RatioArithmetic[Number]
) -> Number:
    """Compute NR exactly."""
    minima = [
        min(
            each.product(factors, knowledge.family, arithmetic)
            for each in (families if factors.target is None else targets)
        )
        for factors in five_products(knowledge)
    ]
    return min(prod((minima[each] for each in numbers), start=arithmetic.ratio(1, 1)) for numbers in ARRANGEMENTS)


@dataclass(frozen=True, eq=False, slots=True)
class UndominatedGroups:
    """Undominated (n, a, weight ruled out), a row of the arrays per ℓ; short rows are filled with their own entries.

    The last row is that of all other values that occur with σ: ruling out more values changes nothing.
    """

    semantics: Semantics
    sizes: Integers
    counts: Integers
    ruled_out: Floats | Integers
    family_sizes: Integers  # undominated (n, a)
    family_counts: Integers

    @classmethod
    def from_groups(cls, groups: Groups, value: int) -> UndominatedGroups | None:
        """Build from all groups with σ; return None if there is none."""
        sizes, counts, most = _Pairs.merge([_Pairs.from_groups(block, value) for block in _blocks(groups, value)])
        if len(sizes) == 0:
            return None
        # T falls with what is left beside σ; in `single` the people ruled out and those with σ share the same n
        left = (sizes - counts)[:, np.newaxis] - most if groups.semantics == "single" else -most
        rows = [find_undominated(sizes, -counts, column) for column in left.T]
        # rows of undominated groups, one for each ℓ, are filled up to the length of the longest: (ℓ, groups)
        chosen = np.array([np.resize(row, max(map(len, rows))) for row in rows])  # repeats do not change a minimum
        weight = np.take_along_axis(most.T, chosen, axis=1)
        families = find_undominated(sizes, -counts)
        return cls(
            groups.semantics,
            sizes[chosen],
            counts[chosen],
            -weight.astype(np.float64) if groups.semantics == "set" else weight.astype(np.int64),
            sizes[families],
            counts[families],
        )

    def log_odds(self, rules_out: Integers, k: Integers, m: Integers) -> Floats:
        """Compute ln NR at each point.

        T and V are those of `odds`, put together here and not by `five_minima.log_products`, which takes one knowledge
        for all its entries, while every point here has a k and an m of its own.  T without others is computed once per
        ℓ, and V over its own few groups: 41 ms instead of 43 for a release of 2,000 groups with 12 values.
        """
        odds = ODDS[self.semantics]
        n, a, weight = self.sizes[rules_out], self.counts[rules_out], self.ruled_out[rules_out]
        target = odds.log_odds_against(n, a, weight, k)
        lone_target = odds.log_odds_against(self.sizes, self.counts, self.ruled_out, 0)
        family_n, family_a = self.family_sizes[np.newaxis], self.family_counts[np.newaxis]
        return least_product(
            (
                (target + odds.log_none_has(n, a, m, k + 1)).min(axis=1),
                target.min(axis=1),
                odds.log_none_has(family_n, family_a, m, 0).min(axis=1),
                lone_target.min(axis=1)[rules_out],
                odds.log_none_has(family_n, family_a, m, k).min(axis=1),
            )
        )

    def targets(self, rules_out: int) -> list[ValueInGroup]:
        """List the groups that matter to T for one ℓ, exactly (not in `set`, where weights are logarithms)."""
        columns = (self.sizes[rules_out], self.counts[rules_out], self.ruled_out[rules_out])
        triples = zip(*(column.tolist() for column in columns), strict=True)
        return [ValueInGroup(self.semantics, n, a, (ruled_out,)) for n, a, ruled_out in triples]

    def families(self) -> list[ValueInGroup]:
        """List the groups that matter to V."""
        pairs = zip(self.family_sizes.tolist(), self.family_counts.tolist(), strict=True)
        return [ValueInGroup(self.semantics, n, a, ()) for n, a in pairs]


def find_undominated(*columns: Floats | Integers) -> Integers:
    """List the rows for which no other row is at most as large in every column (of equal rows the first)."""
    left = np.arange(len(columns[0]))
    # nothing dominates a row of smallest score: a row that did would have a smaller one, or be equal and come first
    score = sum(np.unique(column, return_inverse=True)[1] for column in columns)  # rises with every column
    left = left[np.argsort(score, kind="stable")]
    kept = []
    while len(left):
        best = left[0]
        kept.append(int(best))
        worse = np.logical_and.reduce([column[left] >= column[best] for column in columns])
        left = left[~worse]
    return np.sort(np.array(kept))


class _Pairs(NamedTuple):
    """The different (n, a) of groups with σ, sorted, and for each ℓ the most that ℓ other values rule out there.

    Of groups with the same (n, a) the largest weight dominates, ℓ by ℓ.
    """

    sizes: Integers
    counts: Integers
    most: RuledOut

    @classmethod
    def from_groups(cls, groups: Groups, value: int) -> _Pairs:
        """Reduce some groups to their pairs."""
        with_value = groups.counts.column(value)
        rows = np.flatnonzero(with_value)
        rows = rows[_sort_pairs(groups.sizes[rows], with_value[rows])]
        weights = _other_counts(groups, value, rows)
        if groups.semantics == "set":
            return cls(
                groups.sizes[rows],
                with_value[rows],
                _running_sums(-SetOfValues().weight(weights, groups.sizes[rows, np.newaxis])),
            )._largest_of_runs()
        return cls(groups.sizes[rows], with_value[rows], _running_sums(weights))._largest_of_runs()

    @classmethod
    def merge(cls, parts: Sequence[_Pairs]) -> _Pairs:
        """Put blocks together; where one has fewer values than another, ruling out more rules out nothing more."""
        width = max(part.most.shape[1] for part in parts)
        # a shorter row goes on with its last sum: ruling out more adds nothing
        same = [np.pad(part.most, ((0, 0), (0, width - part.most.shape[1])), mode="edge") for part in parts]
        sizes, counts = np.concatenate([part.sizes for part in parts]), np.concatenate([part.counts for part in parts])
        order = _sort_pairs(sizes, counts)
        return cls(sizes[order], counts[order], np.concatenate(same)[order])._largest_of_runs()

    def _largest_of_runs(self) -> _Pairs:
        new = np.flatnonzero((np.diff(self.sizes, prepend=-1) != 0) | (np.diff(self.counts, prepend=-1) != 0))
        return _Pairs(self.sizes[new], self.counts[new], np.maximum.reduceat(self.most, new, axis=0))


def _sort_pairs(sizes: Integers, counts: Integers) -> Integers:
    return np.argsort(sizes * (counts.max(initial=0) + 1) + counts)


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


def _other_counts(groups: Groups, value: int, rows: Integers) -> npt.NDArray[np.integer]:
    """Return the counts of all values but σ, the largest first, as far as any of these groups has one."""
    if groups.counts.cells is None:
        some, places, counts = groups.counts.take(rows).entries()
        kept = places != value
        others = Counts.from_sorted(some[kept], places[kept], counts[kept], (len(rows), groups.counts.width))
        return others.largest(int(np.bincount(some[kept], minlength=1).max()))
    cells = _shorten_integers(groups.counts.cells[rows])
    cells[:, value] = -1  # sorts last, and is then cut off
    cells.sort(axis=1)
    # rising order turned around, without the first column, which has the −1 of σ
    largest_first = cells[:, :0:-1]
    return largest_first[:, : int((largest_first > 0).any(axis=0).sum())]


def _shorten_integers(cells: Integers) -> npt.NDArray[np.integer]:
    """Copy into half the memory where the sums fit, as moving it is what takes the time."""
    fits = cells.max(initial=0) * cells.shape[1] < 2**31
    return np.array(cells, np.int32 if fits else np.int64)


def _running_sums(weights: npt.NDArray[np.number]) -> RuledOut:
    """Add up the first ℓ of each row, for every ℓ from 0."""
    sums = np.zeros((weights.shape[0], weights.shape[1] + 1), weights.dtype)
    np.cumsum(weights, axis=1, out=sums[:, 1:])
    return sums


# The risk of a value at many amounts of knowledge, quickly enough to be dragged: points × undominated groups, of which
# there are tens where a release has millions of people.  `Acquaintance` measures one point exactly and has its witness.


@dataclass(frozen=True, eq=False, slots=True)
class RiskMap:
    """The risk of a value wherever one looks; points are rows (rules_out, others, family).

    >>> ward = RiskMap.from_release(Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}]), "AIDS")
    >>> ward.risks(np.array([[0, 0, 0], [1, 2, 0]])).round(9).tolist()
    [0.125, 0.5]
    >>> ward.withstands(np.array([[0, 0, 0], [1, 2, 0]]), 0.5).tolist()
    [True, False]
    >>> ward.most_alone(0.5)
    (1, 5, 5)
    """

    groups: Groups  # as seen from the value
    place: int
    undominated: UndominatedGroups | None  # None: nobody has it

    @classmethod
    def from_release(cls, release: Release, value: Value) -> RiskMap:
        """Build from the groups that can decide."""
        expect(Release, release, "what is explored")
        expect_one_sensitive(release, "a skyline")
        targets = Targets(read_value(value))
        groups = targets.view(release.groups)
        place = int(targets.indices(groups)[0])
        return cls(groups, place, UndominatedGroups.from_groups(groups, place))

    @property
    def most_ruled_out(self) -> int:
        """How many other values there are."""
        return len(self.groups.domain) - 1

    @property
    def enough(self) -> int:
        """So many others, or so large a family, always settle it."""
        return 1 if self.undominated is None else int(self.undominated.sizes.max()) + 1

    def risks(self, points: Integers) -> Floats:
        """Return the risk at each point, rounded up."""
        if self.undominated is None or len(points) == 0:
            return np.zeros(len(points))
        step = max(POINTS_AT_ONCE // self.undominated.sizes.shape[1], 1)
        logs = np.concatenate(
            [self._log_odds(self.undominated, points[at : at + step]) for at in range(0, len(points), step)]
        )
        finite = np.where(np.isfinite(logs), logs, 0.0)
        # lowered by as much as floats may be off, so that the risk errs upwards
        lowered = np.where(np.isfinite(logs), logs - tolerance(finite, min(int(points[:, 2].max()), self.enough)), logs)
        raised: Floats = np.minimum((1 + 1e-15) / (1 + np.exp(lowered)), 1.0)
        return raised

    def _log_odds(self, undominated: UndominatedGroups, points: Integers) -> Floats:
        rules_out, others, family = self._clip(undominated, points)
        return undominated.log_odds(rules_out, others[:, np.newaxis], family[:, np.newaxis])

    def withstands(self, points: Integers, below: Bound) -> Flags:
        """Decide at each point whether the risk stays below a limit."""
        limit = exact(below)
        if limit <= 0 or len(points) == 0:
            return np.zeros(len(points), bool)
        if self.undominated is None or limit > 1:
            return np.ones(len(points), bool)
        test = RiskTest(self.groups, self.place, self.undominated, 1 / Fraction(limit) - 1)
        return test.passes(*self._clip(self.undominated, points))

    def _clip(self, undominated: UndominatedGroups, points: Integers) -> tuple[Integers, Integers, Integers]:
        """Clip amounts to the largest that matter: (points,) int64 each."""
        ends = np.array([len(undominated.sizes) - 1, self.enough, self.enough])
        rules_out, others, family = np.minimum(points, ends).T
        return rules_out, others, family

    def maximal(self, points: Integers, below: Bound) -> Flags:
        """Decide which points are of the knowledge skyline: one more of anything would be too much."""
        beyond = points[:, np.newaxis] + np.eye(3, dtype=np.int64)  # one more of each: (points, 3, 3)
        too_much = ~self.withstands(beyond.reshape(-1, 3), below).reshape(-1, 3)
        too_much |= beyond[..., 0] > self.most_ruled_out
        maximal: Flags = self.withstands(points, below) & too_much.all(axis=1)
        return maximal

    def most_others(self, rules_out: Integers, family: Integers, below: Bound) -> Integers:
        """Return the largest number of others that is withstood, for many ℓ and m at once; −1 where there is none.

        Where there is no end (nobody has the value, or the limit is never reached), so many as would settle it.
        """
        return largest_passed(
            lambda others: self.withstands(np.column_stack((rules_out, others, family)), below),
            np.full(len(rules_out), self.enough + 1),
        )

    def most_alone(self, below: Bound) -> tuple[int, int, int]:
        """Return the most of each kind of knowledge that is withstood by itself; −1 each where not even nothing is."""
        ends = (self.most_ruled_out + 1, self.enough + 1, self.enough + 1)
        most = [self._most(axis, end, below) for axis, end in enumerate(ends)]
        return most[0], most[1], most[2]

    def _most(self, axis: int, end: int, below: Bound) -> int:
        def passed(amounts: Integers) -> Flags:
            return self.withstands(amounts[:, np.newaxis] * np.eye(3, dtype=np.int64)[axis], below)

        return int(largest_passed(passed, np.array([end]))[0])
