"""Anatomy: print the quasi-identifiers as they are, and the sensitive values apart, bucket by bucket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from sidelight._arrays import Floats, Integers
from sidelight._progress import Progress
from sidelight.errors import BadPolicy, parameter
from sidelight.policy.policy import Policy
from sidelight.release.groups import Groups
from sidelight.search.distances import Neighbours, merge_until_within
from sidelight.search.method import Method, Outcome
from sidelight.search.orders import orders
from sidelight.search.policy_check import Limits, loose_groups
from sidelight.search.recoding import Buckets
from sidelight.search.utility import UtilityName
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Counts, Table

COMPARED = 64
"""How many other buckets, drawn at random, a bucket is compared with when it has to be merged."""


@dataclass(frozen=True)
class Anatomy(Method):
    """Put people with different values into a bucket, and publish who is in it and its values, not whose is whose.

    With `l`, as many buckets as there can be with `l` different values each (a table whose most frequent value has at
    most 1/l of the people gets buckets of l or l + 1 people, all different), then merged until within policy.
    Without, as many as can be made so that the policy holds without merging.  Who of the people with a value goes to
    which bucket is left to chance: `random`, or, by default, the operating system's.

    Source: Xiao and Tao, Anatomy, VLDB 2006.  The people of a value are dealt to the buckets in turn, which makes as
    many buckets, as different, as the paper's rule of taking one person each of the l most frequent values.
    """

    l: int | None = None  # noqa: E741 - the paper's letter
    random: np.random.Generator | None = field(default=None, compare=False, repr=False)

    name: ClassVar[str] = "anatomy"
    warnings: ClassVar[tuple[str, ...]] = (
        "anatomy publishes the quasi-identifiers exactly, so people can be recognised in the file",
        "only which sensitive value is whose is protected, and only against those whom the policy names",
        "the groups that were judged are buckets: group size is the size of a bucket, whose people do not look alike",
    )

    def __post_init__(self) -> None:
        if self.l is not None and (not isinstance(self.l, int) or self.l < 1):
            message = f"Anatomy(l={self.l!r}): l is how many different values a bucket has at least; give 1, 2, 3, …"
            raise BadPolicy(message)

    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> Outcome:
        """Decide how many buckets there are, deal the people, merge until within policy."""
        del utility  # the quasi-identifiers are printed exactly, whatever the buckets
        often = table.counts.totals()
        self._check(table, often)
        chance = self.random or np.random.default_rng()
        limits = Limits.of(policy, table.people)
        count = finest(table, limits, progress) if self.l is None else most_buckets(often, self.l)
        groups = buckets_of(table, count)
        number = merge_until_within(
            groups, limits, Strangers(chance), progress=lambda left: progress("merging buckets", left, None)
        )
        made = chance.permutation(int(number.max()) + 1)[number]  # a bucket's number says nothing
        cell, value = _in_line(table, chance)
        bucket = made[dealt(often, count)]
        counts = Counts.from_entries(bucket, value, np.ones(len(value), np.int64), (int(made.max()) + 1, len(often)))
        recoding = Buckets.of(table, orders(table.quasi, by), cell, bucket, counts)
        return Outcome(recoding.release(), recoding, buckets=recoding)

    def _check(self, table: Table, often: Integers) -> None:
        if table.semantics != "single":
            message = (
                "method 'anatomy' needs one value per person, and this table has "
                f"{parameter('values', table.semantics)}; "
                f'use {parameter("method", "lattice")}, "mondrian" or "microaggregation"'
            )
            raise BadPolicy(message)
        different = int((often > 0).sum())
        if self.l is not None and self.l > different:
            message = f"Anatomy(l={self.l}): the table has {different} different values; give an l of at most that"
            raise BadPolicy(message)


def finest(table: Table, limits: Limits, progress: Progress) -> int:
    """Give the number of buckets at which the policy begins to hold: with one it does, with everybody alone it may not.

    Halves the numbers between; what it gives holds, whatever the measures make of fewer buckets.
    """
    often = table.counts.totals()
    low, high = 1, table.people + 1
    while high - low > 1:
        middle = (low + high) // 2
        progress("trying numbers of buckets", middle, None)
        kinds = one_of_each_kind(often, middle)
        low, high = (middle, high) if _hold(buckets_of(table, middle), kinds, limits) else (low, middle)
    return low


def buckets_of(table: Table, count: int) -> Groups:
    """Count what would be in each of `count` buckets; people need not be dealt for that."""
    counts = bucket_counts(table.counts.totals(), count)
    return loose_groups(table, counts.per_row(), counts)


def _hold(groups: Groups, kinds: Integers, limits: Limits) -> bool:
    """Judge buckets of which many are alike: first one of each kind, then together where that decides."""
    return bool(limits.alone(groups.take(kinds)).all()) and all(limit.together(groups) for limit in limits.shared)


def _in_line(table: Table, chance: np.random.Generator) -> tuple[Integers, Integers]:
    """Line up all people value by value, those of a value in any order; gives each one's cell and value."""
    cell, value, count = table.counts.entries()
    cell, value = np.repeat(cell, count), np.repeat(value, count)
    order = chance.permutation(len(cell))
    order = order[np.argsort(value[order], kind="stable")]
    return cell[order], value[order]


@dataclass(frozen=True, eq=False, slots=True)
class Strangers(Neighbours):
    """Buckets are near when they have few values in common: together they are then most diverse.

    Σ_x n_g(x)·n_h(x), the pairs of people with the same value that merging would bring together.  Each is compared
    with a few others drawn at random, and in turn: of many buckets that are alike no two want the same one.
    """

    chance: np.random.Generator

    def nearest(self, groups: Groups, rows: Integers) -> tuple[Integers, Floats]:
        """Compare a block of buckets with a block of others at a time."""
        best, apart = np.empty(len(rows), np.int64), np.empty(len(rows))
        drawn = self.chance.permutation(len(groups))
        for start in range(0, len(rows), COMPARED):
            mine = rows[start : start + COMPARED]
            others = np.take(drawn, np.arange(start, start + min(COMPARED, len(groups))), mode="wrap")
            common = (_floats(groups, mine) @ _floats(groups, others).T) + self.chance.random(
                (len(mine), len(others))
            ) / 2
            common[mine[:, np.newaxis] == others] = np.inf
            chosen = _in_turn(common)
            best[start : start + COMPARED] = others[chosen]
            apart[start : start + COMPARED] = common[np.arange(len(mine)), chosen]
        return best, apart

    def merged(self, into: Integers, groups: int) -> Self:
        """Nothing to follow: the groups' counts say it all."""
        del into, groups
        return self


def _floats(groups: Groups, rows: Integers) -> Floats:
    return groups.counts.take(rows).dense().astype(float)


def _in_turn(apart: Floats) -> Integers:
    """Let each row choose its nearest column that no other row has taken; once all are taken, its nearest.

    >>> _in_turn(np.array([[0.0, 1.0, 5.0], [0.0, 2.0, 3.0], [0.0, 1.0, 9.0]])).tolist()
    [0, 1, 2]
    """
    chosen: Integers = apart.argmin(axis=1)
    free = apart.copy()
    left = np.arange(len(apart))
    while len(left) and np.isfinite(free[left]).any():
        wanted = free[left].argmin(axis=1)
        taken, first = np.unique(wanted, return_index=True)
        chosen[left[first]] = taken
        free[:, taken] = np.inf
        left = np.delete(left, first)
    return chosen


# ----------------------------------------------------------------------------------------------------
# Deal people into buckets so that people with the same value end up in different ones, like cards.
# ----------------------------------------------------------------------------------------------------


def most_buckets(often: Integers, l: int) -> int:  # noqa: E741 - the paper's letter
    """Give the largest number of buckets that can all have `l` different values.

    A value can be in each bucket once, so b buckets need Σ_x min(n(x), b) ≥ l·b.

    >>> most_buckets(np.array([4, 3, 1]), 2), most_buckets(np.array([9, 1, 1]), 2)
    (4, 2)
    """
    low, high = 0, int(often.sum()) // l + 1  # the answer is at least low and below high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if np.minimum(often, middle).sum() >= l * middle else (low, middle)
    return low


def dealt(often: Integers, buckets: int) -> Integers:
    """Give the bucket of each person, when people stand in line value by value.

    The person at place i of the line goes to bucket i modulo `buckets`: at most `buckets` people with the same value
    in a row go to different buckets.  So all people of values that are not too frequent, and as many of the others,
    are dealt first, and where the table allows it (`most_buckets`) each bucket gets l different values, l or one more
    people.  What is left of the values that are too frequent fits nowhere and is dealt on, evenly.

    >>> dealt(np.array([3, 2]), 2).tolist()
    [0, 1, 0, 0, 1]
    """
    value = np.repeat(np.arange(len(often)), often)
    nth = np.arange(len(value)) - np.repeat(np.cumsum(often) - often, often)
    line = np.argsort(nth >= buckets, kind="stable")
    bucket = np.empty(len(value), np.int64)
    bucket[line] = np.arange(len(value)) % buckets
    return bucket


def one_of_each_kind(often: Integers, buckets: int) -> Integers:
    """List buckets so that every bucket has the same values as one of them: at most twice the values, and one.

    From one bucket to the next, what is dealt changes only where the line passes from one value to another.

    >>> one_of_each_kind(np.array([4, 4, 1]), 4).tolist()
    [0, 1]
    """
    first = np.minimum(often, buckets)
    borders = np.cumsum(np.concatenate((first, often - first))) % buckets
    return np.unique(np.append(borders, 0))


def bucket_counts(often: Integers, buckets: int) -> Counts:
    """Count the values in each bucket; only how often each value occurs decides it."""
    value = np.repeat(np.arange(len(often)), often)
    return Counts.from_entries(dealt(often, buckets), value, np.ones(len(value), np.int64), (buckets, len(often)))
