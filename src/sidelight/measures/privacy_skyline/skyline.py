"""How much knowledge must a release resist (a policy's skyline), and how much does it (its knowledge skyline)?

A point is (ℓ, k, m): values ruled out, other people, family.  More of any coordinate is more risk, so the points at
which the risk is below a limit are closed downwards, and their maximal ones, the skyline, determine them.  A policy's
points carry a limit each; a point follows from another with as much knowledge or more and no higher limit.

The knowledge skyline is found by halving: for each (ℓ, m) the largest k at which the risk is below the limit, for all
(ℓ, m) at once, in log₂(people) rounds of `RiskMap`.  ℓ ends where all values that occur with σ are ruled out,
k and m at the largest group, which settles it.  Where (ℓ, m) are too many, as for a value that 3 of 10⁸ people have,
only evenly spaced m are tried, and each k is followed to the largest m that allows it: some points of the skyline,
which falls from each to the next.

Source: Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007, sections 4.2 and 4.3.

Which groups decide the risk, and is it below the limit?

Symbols     σ the value; of a group g: n people, a with σ, w_ℓ the largest weight of ℓ other values when ruled out
            (`weigh_ruled_out`); T, V and the five minima as in `five_minima`.
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

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadMeasure, BadPolicy, WrongKind, as_given, expect
from sidelight.measures.criterion import Bound, Criterion, exact
from sidelight.measures.exact import RatioArithmetic, compare_exactly, tolerance
from sidelight.measures.measure import whole_amount
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.measures.privacy_skyline.five_minima import (
    ARRANGEMENTS,
    FiveMinima,
    Knowledge,
    ValueInGroup,
    cut_groups,
    five_products,
    least_product,
    log_none_has,
    log_odds_against,
    weigh_ruled_out,
)
from sidelight.measures.targets import Predicate, Targets, Value, read_value
from sidelight.release.release import Release
from sidelight.rounding import MOST_OF_ANYTHING, log
from sidelight.table.labels import Label, written_label
from sidelight.table.table import Counts, expect_one_sensitive
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.arrays import Flags, Floats, Integers
    from sidelight.release.groups import Groups


RuledOut: TypeAlias = npt.NDArray[np.floating] | npt.NDArray[np.integer]
"""Weights of ruling out values: people in `single`, occurrences in `multiset`, −ln of a probability in `set`."""

Pairs: TypeAlias = "tuple[Integers, Integers, RuledOut]"
"""The different (n, a) of groups with σ, sorted, and for each ℓ the largest weight of ℓ other values there."""

POINTS_AT_ONCE = 1 << 19
"""The number of (point, group) pairs that are computed at once."""


def largest_passed(passed: Callable[[Integers], Flags], too_many: Integers) -> Integers:
    """Find, by halving, the largest number (−1: none) that still passes, for many questions at once."""
    low, high = np.full_like(too_many, -1), too_many
    while (high - low > 1).any():  # all up to `low` pass, none from `high` on
        middle = (low + high) // 2
        passes = passed(np.maximum(middle, 0)) & (middle >= 0)
        low, high = np.where(passes, middle, low), np.where(passes, high, middle)
    return low


def find_undominated(*columns: Floats | Integers) -> Integers:
    """Return the rows for which no other row is at most as large in every column (of equal rows the first)."""
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
    return np.sort(np.array(kept, np.int64))


def _list_pairs(groups: Groups, value: int) -> Pairs:
    with_value = groups.counts.column(value)
    rows = np.flatnonzero(with_value)
    rows = rows[_sort_pairs(groups.sizes[rows], with_value[rows])]
    counts = _other_counts(groups, value, rows)
    sets = groups.semantics == "set"
    weights = -weigh_ruled_out("set", counts, groups.sizes[rows, np.newaxis]) if sets else counts
    return _largest_of_runs(groups.sizes[rows], with_value[rows], _running_sums(weights))


def merge_pairs(parts: Sequence[Pairs]) -> Pairs:
    """Merge the pairs of blocks; where one has fewer values, ruling out more adds nothing."""
    all_sizes, all_counts, all_weights = zip(*parts, strict=True)
    width = max(most.shape[1] for most in all_weights)
    same = [np.pad(most, ((0, 0), (0, width - most.shape[1])), mode="edge") for most in all_weights]
    sizes, counts = np.concatenate(all_sizes), np.concatenate(all_counts)
    order = _sort_pairs(sizes, counts)
    return _largest_of_runs(sizes[order], counts[order], np.concatenate(same)[order])


def _largest_of_runs(sizes: Integers, counts: Integers, most: RuledOut) -> Pairs:
    # of groups with the same (n, a) the largest weight dominates, ℓ by ℓ
    new = np.flatnonzero((np.diff(sizes, prepend=-1) != 0) | (np.diff(counts, prepend=-1) != 0))
    return sizes[new], counts[new], np.maximum.reduceat(most, new, axis=0)


def _sort_pairs(sizes: Integers, counts: Integers) -> Integers:
    return np.argsort(sizes * (counts.max(initial=0) + 1) + counts)


def _cut_groups(groups: Groups, value: int) -> Iterator[Groups]:
    """Yield blocks of groups whose sorted counts fit into memory; of sparse ones only groups with σ."""
    if groups.counts.cells is None:
        groups = groups.take(np.flatnonzero(groups.counts.column(value)))
    return cut_groups(groups, len(groups.domain))


def _other_counts(groups: Groups, value: int, rows: Integers) -> npt.NDArray[np.integer]:
    """Return the counts of all values but σ, the largest first, as far as any of these groups has one."""
    if groups.counts.cells is None:
        some, indices, counts = groups.counts.take(rows).entries()
        kept = indices != value
        others = Counts.from_sorted(some[kept], indices[kept], counts[kept], (len(rows), groups.counts.width))
        return others.largest(int(np.bincount(some[kept], minlength=1).max()))
    cells = _shorten_integers(groups.counts.cells[rows])
    cells[:, value] = -1  # sorts last, and is then cut off
    cells.sort(axis=1)
    # rising order turned around, without the first column, which has the −1 of σ
    largest_first = cells[:, :0:-1]
    return largest_first[:, : int((largest_first > 0).any(axis=0).sum())]


def _shorten_integers(cells: Integers) -> npt.NDArray[np.integer]:
    """Return a copy, of half the width where the sums fit, as memory traffic takes the time."""
    fits = cells.max(initial=0) * cells.shape[1] < 2**31
    return np.array(cells, np.int32 if fits else np.int64)


def _running_sums(weights: npt.NDArray[np.number]) -> RuledOut:
    """Add up the first ℓ of each row, for every ℓ from 0."""
    sums = np.zeros((weights.shape[0], weights.shape[1] + 1), weights.dtype)
    np.cumsum(weights, axis=1, out=sums[:, 1:])
    return sums


# The risk of a value at many amounts of knowledge, fast enough to be dragged: points × undominated groups, of which
# there are tens where a release has millions of people.  `Acquaintance` measures one point exactly and has its witness.


@dataclass(frozen=True, eq=False, slots=True)
class RiskMap:
    """The risk of a value at any amounts of knowledge; points are rows (rules_out, others, family).

    >>> ward = RiskMap.from_release(Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}]), "AIDS")
    >>> ward.risks(np.array([[0, 0, 0], [1, 2, 0]])).round(9).tolist()
    [0.125, 0.5]
    >>> ward.resists(np.array([[0, 0, 0], [1, 2, 0]]), 0.5).tolist()
    [True, False]
    >>> ward.most_alone(0.5)
    (1, 5, 5)
    """

    groups: Groups  # with the value, or category, as one value
    value: int  # its index
    # undominated (n, a, weight ruled out), a row per ℓ; short rows are filled with their own entries, and the last one
    # is that of all other values that occur with σ: ruling out more values changes nothing
    sizes: Integers
    counts: Integers
    ruled_out: Floats | Integers
    family_sizes: Integers  # undominated (n, a)
    family_counts: Integers

    @classmethod
    def from_release(cls, release: Release, value: Value) -> RiskMap:
        expect(Release, release, "what is explored")
        expect_one_sensitive(release, "a skyline")
        targets = Targets(read_value(value))
        groups = targets.view(release.groups)
        return cls.from_groups(groups, int(targets.indices(groups)[0]))

    @classmethod
    def from_groups(cls, groups: Groups, value: int) -> RiskMap:
        sizes, counts, most = merge_pairs([_list_pairs(block, value) for block in _cut_groups(groups, value)])
        # T falls with what is left beside σ; in `single` the people ruled out and those with σ share the same n
        left = (sizes - counts)[:, np.newaxis] - most if groups.semantics == "single" else -most
        rows = [find_undominated(sizes, -counts, column) for column in left.T]
        # rows of undominated groups, one for each ℓ, are filled up to the length of the longest: (ℓ, groups)
        chosen = np.array([np.resize(row, max(map(len, rows))) for row in rows])  # repeats do not change a minimum
        weight = np.take_along_axis(most.T, chosen, axis=1)
        ruled_out = -weight.astype(np.float64) if groups.semantics == "set" else weight.astype(np.int64)
        families = find_undominated(sizes, -counts)
        return cls(groups, value, sizes[chosen], counts[chosen], ruled_out, sizes[families], counts[families])

    @property
    def anybody(self) -> bool:
        """Whether anybody has the value."""
        return self.sizes.size > 0

    @property
    def most_ruled_out(self) -> int:
        return len(self.groups.domain) - 1

    @property
    def enough(self) -> int:
        """A number of others, or of family, that makes the value certain."""
        return int(self.sizes.max(initial=0)) + 1

    def risks(self, points: Integers) -> Floats:
        """Return the risk at each point, rounded up."""
        logs = self.log_odds(points)
        # lowered by as much as floats may be off, so that the risk errs upwards
        family = min(int(points[:, 2].max(initial=0)), self.enough)
        lowered = logs - tolerance(np.where(np.isfinite(logs), logs, 0.0), family)
        return np.asarray(np.minimum((1 + 1e-15) / (1 + np.exp(lowered)), 1.0))

    def resists(self, points: Integers, below: Bound) -> Flags:
        """Return whether the risk stays below a limit c at each point: NR must stay above its odds, (1 − c)/c."""
        limit = exact(below)
        if not 0 < limit <= 1:
            return np.full(len(points), limit > 1)
        odds, against = 1 / Fraction(limit) - 1, self.log_odds(points)
        if odds == 0:  # below 1: floats are minus infinity only where the odds are exactly zero
            return ~np.isneginf(against)
        log_limit = float(log(odds))  # floats may not hold it
        above: Flags = against > log_limit
        # within tolerance of the limit floats may be on the wrong side of it: exact numbers decide there
        off = tolerance(log_limit, min(int(points[:, 2].max(initial=0)), self.enough))
        near = np.isfinite(against) & (np.abs(against - log_limit) <= off)
        for point in np.flatnonzero(near).tolist():
            above[point] = self._stays_above(Knowledge(*self._clip(points[point]).tolist()), odds)
        return above

    def _clip(self, points: Integers) -> Integers:
        """Clip amounts to the largest that matter."""
        return np.asarray(np.minimum(points, np.array([len(self.sizes) - 1, self.enough, self.enough])))

    def log_odds(self, points: Integers) -> Floats:
        """Compute ln NR at each point, infinite where nobody has the value.

        T and V are put together here and not by `five_minima.log_products`, which takes one knowledge for all its
        entries, while every point here has a k and an m of its own.  T without others is computed once per ℓ, and V
        over its own few groups: 41 ms instead of 43 for a release of 2,000 groups with 12 values.
        """
        semantics, step = self.groups.semantics, max(POINTS_AT_ONCE // max(self.sizes.shape[1], 1), 1)
        lone_targets = log_odds_against(semantics, self.sizes, self.counts, self.ruled_out, 0)
        lone_target, logs = lone_targets.min(axis=1, initial=np.inf), np.empty(len(points))
        for start in range(0, len(points), step):
            rules_out, *amounts = self._clip(points[start : start + step]).T
            k, m = (each[:, np.newaxis] for each in amounts)
            n, a = self.sizes[rules_out], self.counts[rules_out]
            target = log_odds_against(semantics, n, a, self.ruled_out[rules_out], k)
            together = target + log_none_has(semantics, n, a, m, k + 1)
            families = [log_none_has(semantics, self.family_sizes, self.family_counts, m, known) for known in (0, k)]
            least = [each.min(axis=1, initial=np.inf) for each in (together, target, *families)]
            logs[start : start + step] = least_product((*least[:3], lone_target[rules_out], least[3]))
        return logs

    def _stays_above(self, knowledge: Knowledge, odds: Fraction) -> bool:
        if self.groups.semantics == "set":  # here floats stand for products of whole numbers: look at the groups again
            worst = FiveMinima.from_groups(self.groups, np.array([self.value]), knowledge).worst()
            assert worst is not None, "undominated groups have the value"
            return worst[2] < 1 / (1 + odds)
        targets, families = self.targets(knowledge.rules_out), self.families()
        m = knowledge.family

        def exceeds(arithmetic: RatioArithmetic[Any]) -> bool:
            minima = [
                min(each.product(factors, m, arithmetic) for each in (families if factors.target is None else targets))
                for factors in five_products(knowledge)
            ]
            one = arithmetic.ratio(1, 1)
            least = min(prod((minima[each] for each in numbers), start=one) for numbers in ARRANGEMENTS)
            return bool(arithmetic.exceeds(least, odds))

        return compare_exactly(sum(max(each.bits(m) for each in seen) for seen in (targets, families)), exceeds)

    def targets(self, rules_out: int) -> list[ValueInGroup]:
        """Return the groups that matter to T for one ℓ, exactly (not in `set`, where weights are logarithms)."""
        columns = (self.sizes[rules_out], self.counts[rules_out], self.ruled_out[rules_out])
        triples = zip(*(column.tolist() for column in columns), strict=True)
        return [ValueInGroup(self.groups.semantics, n, a, (ruled_out,)) for n, a, ruled_out in triples]

    def families(self) -> list[ValueInGroup]:
        pairs = zip(self.family_sizes.tolist(), self.family_counts.tolist(), strict=True)
        return [ValueInGroup(self.groups.semantics, n, a, ()) for n, a in pairs]

    def maximal(self, points: Integers, below: Bound) -> Flags:
        """Return which points are on the knowledge skyline: one more of anything is too much."""
        beyond = points[:, np.newaxis] + np.eye(3, dtype=np.int64)  # one more of each: (points, 3, 3)
        too_much = ~self.resists(beyond.reshape(-1, 3), below).reshape(-1, 3)
        too_much |= beyond[..., 0] > self.most_ruled_out
        return np.asarray(self.resists(points, below) & too_much.all(axis=1))

    def most_others(self, rules_out: Integers, family: Integers, below: Bound) -> Integers:
        """Return the largest number of others that is resisted, for many ℓ and m at once; −1 where there is none.

        `enough` where any number is (nobody has the value, or the limit is never reached).
        """
        return largest_passed(
            lambda others: self.resists(np.column_stack((rules_out, others, family)), below),
            np.full(len(rules_out), self.enough + 1),
        )

    def most_alone(self, below: Bound) -> tuple[int, int, int]:
        """Return the most of each kind of knowledge alone that is resisted; −1 each where not even none is."""
        ends = np.array([self.most_ruled_out, self.enough, self.enough]) + 1
        # one kind each: (3, 3) amounts, all but the diagonal 0
        passed = largest_passed(lambda amounts: self.resists(np.diag(amounts), below), ends)
        rules_out, others, family = passed.tolist()
        return rules_out, others, family


SkylineKey = TypeVar("SkylineKey", str, tuple[str, ...], Predicate)
"""A value, or several."""

SkylinePoint: TypeAlias = tuple[int, int, int, Bound]
"""Rules out, others, family, and the limit that the risk against this knowledge stays below."""


def dominates(point: SkylinePoint, other: SkylinePoint) -> bool:
    """Return whether a point implies the other: as much knowledge or more, no higher limit."""
    # against more knowledge the risk is never smaller, so that the point with more implies the other
    more = all(amount >= least for amount, least in zip(point[:3], other[:3], strict=True))
    return more and exact(point[3]) <= exact(other[3])


@dataclass(frozen=True, slots=True, repr=False)
class Skylines:
    """The criteria of a policy, value by value, and which points were dropped, and why."""

    criteria: tuple[Criterion, ...]
    notes: tuple[str, ...]

    @classmethod
    def from_points(
        cls, required: Iterable[SkylinePoint], value: Label | Predicate = None, apart_from: tuple[Label, ...] = ()
    ) -> Skylines:
        """Build from points for one value or any of several, or, without a value, for all values apart from some."""
        whose = f"of '{value}'" if value is not None else "of the other values"
        # a point that is given twice has one criterion
        distinct, criteria, notes = dict.fromkeys(required), [], []
        for point in distinct:
            knowledge, below = Knowledge(*point[:3]), point[3]
            for name, amount in knowledge._asdict().items():
                whole_amount("skyline", name, amount, most=MOST_OF_ANYTHING)
            by = next((each for each in distinct if each != point and dominates(each, point)), None)
            if by is None:
                criteria.append(Acquaintance(*knowledge, value, apart_from=apart_from) < below)
            else:
                texts = (f"{each[:3]} below {each[3]}" for each in (point, by))
                notes.append(f"skyline {whose}: {' follows from '.join(texts)} and was dropped")
        return cls(tuple(criteria), tuple(notes))

    def __iter__(self) -> Iterator[Criterion]:
        return iter(self.criteria)

    def __repr__(self) -> str:
        return f"<Skylines: {'; '.join(map(str, self))}>"

    def _repr_html_(self) -> str:
        rows = [(each.measure, each.bound_text) for each in self]
        return html_table("Skylines", ["measure", "wanted"], rows, total=len(rows), note=" ".join(self.notes))


def skyline(
    values: Mapping[SkylineKey, Iterable[SkylinePoint]],
    *,
    default: Iterable[SkylinePoint] = (),
    apart_from: Sequence[Label] = (),
) -> Skylines:
    """Return the criteria on the amounts of knowledge that a release must resist, value by value.

    For each value points (rules_out, others, family, limit): the risk of the value stays below the limit against an
    attacker who knows at most that much.  `default` is for every other value of the release, `apart_from` some.  A
    point that follows from another (as much knowledge or more, no higher limit) is dropped, with a note.  Several
    values as a tuple are a category, whose points are about having any; each of them alone is still one of the other
    values.

    >>> required = skyline({"AIDS": [(1, 5, 2, 0.5), (0, 3, 0, 0.5)]}, default=[(4, 0, 0, 0.75)])
    >>> for criterion in required:
    ...     print(criterion)
    acquaintance(rules_out=1, others=5, family=2, value=AIDS) < 0.5
    acquaintance(rules_out=4, apart_from=[AIDS]) < 0.75
    >>> required.notes
    ("skyline of 'AIDS': (0, 3, 0) below 0.5 follows from (1, 5, 2) below 0.5 and was dropped",)

    Put it into a policy: `Policy(GroupSize() >= 5, *skyline({...}))`.
    """
    if not isinstance(values, Mapping):
        raise BadPolicy(
            f'a skyline is a mapping value → points, such as {{"AIDS": [(1, 5, 2, 0.5)]}}, not {as_given(values)}'
        )
    named: list[Label | Predicate] = [read_value(value) for value in values]
    parts = [
        Skylines.from_points(_read_points(points), value) for value, points in zip(named, values.values(), strict=True)
    ]
    if others := _read_points(default):
        own: tuple[Label, ...] = (*single_values(named), *map(written_label, apart_from))
        parts.append(Skylines.from_points(others, apart_from=own))
    return Skylines(tuple(chain.from_iterable(parts)), tuple(note for part in parts for note in part.notes))


def single_values(targets: Iterable[Label | Predicate]) -> tuple[Label, ...]:
    """Return the values of targets without categories, whose values are judged one by one like any others.

    >>> single_values(["AIDS", Predicate.any_of("Flu", "Cold"), Predicate.any_of(None)])
    ('AIDS', None)
    """
    several = (each.values if isinstance(each, Predicate) else (each,) for each in targets)
    return tuple(values[0] for values in several if len(values) == 1)


def _read_points(points: object) -> tuple[SkylinePoint, ...]:
    if not isinstance(points, Iterable):
        raise BadPolicy(f"the points of a skyline are a list such as [(1, 5, 2, 0.5)], not {as_given(points)}")
    read = []
    for amounts in points:
        expected = "a point of a skyline is (rules_out, others, family, limit), not"
        if not isinstance(amounts, Sequence):  # one point where a list of them belongs
            raise BadPolicy(f"{expected} {as_given(amounts)}; list points in [...]")
        if len(amounts) != 4:
            raise BadPolicy(f"{expected} {tuple(amounts)}")
        read.append(cast("SkylinePoint", tuple(amounts)))  # `from_points` checks what they are
    return tuple(read)


KnowledgePoint: TypeAlias = tuple[int | float, int | float, int | float]
"""Rules out, others, family; `math.inf` where any number is resisted."""


MOST_SKYLINE_POINTS, SPACED = 1 << 20, 1 << 12
"""The most (ℓ, m) for which a knowledge skyline is computed whole, and the number of evenly spaced ones otherwise."""


class KnowledgeSkyline(tuple[KnowledgePoint, ...]):  # noqa: SLOT001 - a tuple of any length has no slots
    """Maximal points, as a tuple with their release, value and limit (see `knowledge_skyline`).

    `complete` is False where there are too many, and only some were computed.
    """

    release: Release
    value: Value
    below: Bound
    complete: bool

    def plot(self, *, own: KnowledgePoint | None = None) -> alt.TopLevelMixin:
        """Draw the risk at each amount of knowledge, and the line up to which it stays below the limit.

        `own` is a point to mark, such as that of a policy.  An Altair chart, which needs the extra `plot`: a
        notebook shows it, `chart.save("skyline.svg")` writes it.
        """
        from sidelight.report.charts.skyline import skyline_chart  # noqa: PLC0415 - it stands below

        point: object = own
        if point is not None and not (isinstance(point, tuple) and len(point) == 3):
            raise WrongKind(f"own= is a point (rules_out, others, family), not {as_given(point)}")
        return skyline_chart(self, own=own)


def knowledge_skyline(release: Release, value: Value, below: Bound) -> KnowledgeSkyline:
    """Return how much an attacker may know before the risk of `value` (or of any of several) reaches a limit.

    All maximal (ℓ, k, m) = (rules_out, others, family) of `Acquaintance` at which Pr(t has σ | knowledge) < `below`:
    at or below one of them the release holds, above them all it does not.  Empty when it does not hold against an
    attacker who knows nothing.  Where families of millions are resisted, `complete` is False and the points are some of
    the maximal ones, evenly spread over the sizes of families.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 3, "Heart": 2, "Ulcer": 2}])
    >>> knowledge_skyline(release, "Flu", below=0.6)
    ((0, 0, 4), (0, 1, 3), (0, 2, 2), (0, 4, 1), (0, 5, 0), (1, 0, 3), (1, 1, 2), (1, 2, 0), (2, 0, 1))

    Source: Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007; there the loop has no bound, and stops at
    risk > limit instead of ≥.
    """
    expect(Release, release, "what is explored")
    limit = exact(below)
    if not 0 <= limit <= 1:
        raise BadMeasure(f"a risk is never below {as_given(below)}; give a limit between 0 and 1")
    seen = RiskMap.from_release(release, value)
    points: Iterable[KnowledgePoint] = ()
    complete = True
    if limit and not seen.anybody:
        points = ((seen.most_ruled_out, math.inf, math.inf),)
    elif limit:
        rows, family = len(seen.sizes), seen.most_alone(below)[2]
        complete = rows * (family + 1) <= MOST_SKYLINE_POINTS
        maximal = (_all_maximal if complete else _some_maximal)(seen, below, rows, family)
        # ruling out all values that occur with it rules out the others too
        points = ((seen.most_ruled_out if point[0] == rows - 1 else point[0], *point[1:]) for point in maximal)
    skyline = KnowledgeSkyline(points)
    skyline.release, skyline.value, skyline.below, skyline.complete = release, value, below, complete
    return skyline


def _all_maximal(seen: RiskMap, below: Bound, rows: int, family: int) -> tuple[KnowledgePoint, ...]:
    """Return the (ℓ, k, m) for which neither a larger ℓ nor a larger m allows the same k."""
    # (ℓ · m,): all pairs are halved at once
    rules_out, families = np.indices((rows, family + 1)).reshape(2, -1)
    most = seen.most_others(rules_out, families, below).reshape(rows, family + 1)
    beyond = np.pad(most, ((0, 1), (0, 1)), constant_values=-1)
    # k falls as ℓ or m rises, so a point is maximal exactly when both next ones allow fewer others
    kept = (most > beyond[1:, :-1]) & (most > beyond[:-1, 1:])
    ruled_out, relatives = np.nonzero(kept)
    return tuple(sorted(zip(ruled_out.tolist(), most[kept].tolist(), relatives.tolist(), strict=True)))


def _some_maximal(seen: RiskMap, below: Bound, rows: int, family: int) -> tuple[KnowledgePoint, ...]:
    """Return the maximal points that evenly spaced m lead to, each from its largest k on to the largest m for it."""
    # the more ℓ there are, the fewer families for each: about SPACED pairs in all
    spaced = np.unique(np.linspace(0, family, max(SPACED // rows, 2)).astype(np.int64))
    rules_out, families = (each.ravel() for each in np.meshgrid(np.arange(rows), spaced, indexing="ij"))
    most = seen.most_others(rules_out, families, below)
    # of points with the same ℓ and k one is enough, as the largest m for them is found next
    rules_out, most = np.unique(np.stack((rules_out, most), axis=1)[most >= 0], axis=0).T
    largest = largest_passed(
        lambda m: seen.resists(np.column_stack((rules_out, most, m)), below), np.full(len(most), family + 1)
    )
    # maximal only where one more value ruled out is too much, with the same k and m
    next_one = np.column_stack((np.minimum(rules_out + 1, rows - 1), most, largest))
    kept = (rules_out == rows - 1) | ~seen.resists(next_one, below)
    return tuple(sorted(zip(*(each[kept].tolist() for each in (rules_out, most, largest)), strict=True)))
