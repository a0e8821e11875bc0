"""Anatomy: print the quasi-identifiers as they are, and the sensitive values apart, bucket by bucket.

Symbols     n(x) = people with value x, n = Σ_x n(x); b = the number of buckets, l = different values wanted in each.
Eligible    A bucket can hold a value once without repeating it, so b buckets of l different values each exist exactly
            when  Σ_x min(n(x), b) ≥ l·b.  The left side is concave in b and 0 at 0, so this holds up to a largest b
            (`max_buckets`, by halving) and for every smaller one.  Where no value has more than n/l people, b = ⌊n/l⌋.
Dealing     People stand in line value by value, at most b of each value, and the i-th goes to bucket i mod b: people
            with the same value who stand within b places of one another go to different buckets, and each bucket gets
            ⌊·/b⌋ or ⌈·/b⌉ of the line, l different values at least.  What is left of values with n(x) > b fits nowhere
            without repeating, and is dealt on, evenly.  As many buckets, as different, as the paper's rule of taking
            one person each of the l most frequent values.
Kinds       What a bucket holds changes only where the line passes from one value to another: at most 2·|values| + 1
            different buckets, of which one each is judged (`bucket_kinds`).
Chance      Only how often values occur decides how many of each a bucket has; *who* of the people with a value goes
            where, and which number a bucket gets, is drawn at random and tells nothing.
Cost        Each number of buckets that is tried costs one pass over the people, and judging 2·|values| + 1 buckets.
Sets        Where people have several values each, they are assigned as below, and l means that no value is that of
            more than 1/l of a bucket's people.

People who have several values each are assigned so that a bucket repeats few values:

Symbols     s(p) = the values of person p, a row of counts; n(x) = how often value x occurs; b = the number of buckets;
            B_i(x) = how often bucket i has x so far.
Line        The person who is hardest to assign comes first: Σ_x s(p)(x)·n(x) falls along the line; ties by lot.
Turns       In each turn every bucket gets one person of the next b (in the last, some do), so that buckets differ by at
            most one person.  Who gets where in a turn is an assignment of least overlap Σ_x s(p)(x)·B_i(x), the pairs
            of people with the same value that it brings together; solved for 64 people and buckets at a time.
How many    By halving the numbers of buckets between one, with which the policy holds, and as many as people: up while
            nearly all buckets hold on their own.  Those that do not are merged until the policy holds, and the
            assignment that leaves most buckets is taken.  It holds, whatever the measures make of fewer buckets.
Chance      Only the rows s(p) decide, never who has them: people with the same values are ordered by lot.  So all
            people of a bucket are equally likely to have each of its values: swapping all values of two people of a
            bucket makes the published tables neither more nor less likely.  Which values go *together* is
            not protected by this, and nothing of it is published.
Cost        Per number of buckets that is tried, people / 64 assignments of 64 × 64 (about 1 ms each).

Source: Xiao and Tao, Anatomy, VLDB 2006; dealing sets is ours.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers, add_up, run_starts
from sidelight.errors import BadPolicy, as_given, expect_or_none, parameter
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.search.method import Method, Recodes, SearchOutcome
from sidelight.search.microaggregation import merge_until_within, nearest_by_overlap
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.utility import Buckets, UtilityName, UtilityNames, candidate_groups
from sidelight.table.table import Counts, Profiles, Table

if TYPE_CHECKING:
    from sidelight.measures.criterion import Criterion
    from sidelight.policy.policy import Policy
    from sidelight.progress import Progress
    from sidelight.release.groups import Groups
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.labels import ColumnKind

Dealt: TypeAlias = tuple[Integers, Integers, Counts, Counts]
"""Everybody's key, bucket and values (person × value), and what the buckets hold (bucket × value)."""


def _deal_sets(table: Table, policy: PolicyCheck, rng: np.random.Generator, progress: Progress) -> Dealt:
    """Deal people into as many buckets within policy as halving finds, or into one bucket of everybody."""
    profiles, near = table.profiles(), nearest_by_overlap(rng)
    line = line_up_hardest_first(profiles, rng)
    best = _deal(profiles, line, 1, rng)
    # invariant: at low nearly all buckets hold on their own; at high too few do, or some bucket is too small
    low, high = 1, table.people // (policy.least_group_size or 1) + 1
    while high - low > 1:
        middle = (low + high) // 2
        progress("trying numbers of buckets", middle, None)
        key, bucket, values, counts = _deal(profiles, line, middle, rng)
        buckets = candidate_groups(table, np.bincount(bucket, minlength=middle), counts)
        # the share of buckets that have to hold on their own for the rest to be merged rather than assigned anew
        if policy.holds_in_each(buckets).mean() < 0.99:
            high = middle
            continue
        low, into = middle, merge_until_within(buckets, policy, near)
        merged = counts.roll_up(into, groups=int(into.max()) + 1)
        if merged.rows > best[-1].rows:
            best = key, into[bucket], values, merged
    return best


def line_up_hardest_first(profiles: Profiles, rng: np.random.Generator) -> Integers:
    """Return the profile of each person in line: those with many frequent values first, at random among equals."""
    row, value, count = profiles.counts.entries()
    hardness = add_up(row, count * profiles.counts_of_all()[value], len(profiles))
    line = rng.permutation(np.repeat(np.arange(len(profiles)), profiles.people))
    return line[np.argsort(-hardness[line], kind="stable")]


def _deal(profiles: Profiles, line: Integers, buckets: int, rng: np.random.Generator) -> Dealt:
    bucket = deal_in_turns(profiles.counts, line, buckets, rng)
    values = profiles.counts.take(line)
    row, value, count = values.entries()
    counts = Counts.from_entries(bucket[row], value, count, (buckets, profiles.counts.width))
    return profiles.key[line], bucket, values, counts


def deal_in_turns(
    values: Counts, line: Integers, buckets: int, rng: np.random.Generator, *, at_once: int = 64
) -> Integers:
    """Return the bucket of each person in line, whose values are row `line[i]` of the counts.

    An assignment is solved for `at_once` people and buckets.

    >>> values = Counts.from_cells([[1, 1, 0], [0, 0, 1]])
    >>> bucket = deal_in_turns(values, np.array([0, 0, 1, 1]), 2, np.random.default_rng(0))
    >>> sorted(bucket[:2].tolist()), sorted(bucket[2:].tolist())
    ([0, 1], [0, 1])
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - only for sets, and slow to import

    if buckets == 1:
        return np.zeros(len(line), np.int64)
    bucket = np.empty(len(line), np.int64)
    holds = np.zeros((buckets, values.width), np.int32)
    for start in range(0, len(line), buckets):
        turn = start + rng.permutation(min(buckets, len(line) - start))
        free = rng.permutation(buckets)
        for first in range(0, len(turn), at_once):
            people, among = turn[first : first + at_once], free[first : first + at_once]
            row, value, count = values.take(line[people]).entries()
            one, other = linear_sum_assignment(_overlap(row, count, holds[among[:, np.newaxis], value], len(people)))
            bucket[people[one]] = among[other]
            # each person has a bucket of their own in this turn, so that no place is written twice
            holds[bucket[people[row]], value] += count.astype(np.int32)
    return bucket


def _overlap(row: Integers, count: Integers, held: npt.NDArray[np.int32], people: int) -> Integers:
    """Return Σ_x s(p)(x)·B_i(x), (people, buckets); by entry e person `row[e]` has a value `count[e]` times.

    >>> _overlap(np.array([0, 0, 2]), np.array([1, 2, 1]), np.array([[1, 1, 0], [0, 4, 5]], np.int32), 3).tolist()
    [[3, 8], [0, 0], [0, 5]]
    """
    overlap = np.zeros((people, len(held)), np.int64)
    starts = np.flatnonzero(run_starts([row]))
    if len(starts):
        # (buckets, entries) → (people, buckets): the entries of a person stand side by side
        overlap[row[starts]] = np.add.reduceat((held * count).T, starts, axis=0)
    return overlap


@dataclass(frozen=True)
class Anatomy(Method):
    """Put people with different values into a bucket, and publish who is in it and its values, not whose is whose.

    With `l`, as many buckets as there can be with `l` different values each (a table whose most frequent value has at
    most 1/l of the people gets buckets of l or l + 1 people, all different), then merged until within policy.
    Without, as many as can be made so that the policy holds without merging.  Who of the people with a value goes to
    which bucket is left to chance: `random`, or, by default, the operating system's.

    Where people have several values (`values="set"` or "multiset"), a bucket's values are published with how often
    each occurs, and not which of them go together; with `l`, nobody can be more than 1/l sure of a value by a bucket
    alone.

    Source: Xiao and Tao, Anatomy, VLDB 2006.  The people of a value are assigned to the buckets in turn, which makes as
    many buckets, as different, as the paper's rule of taking one person each of the l most frequent values.
    """

    l: int | None = None  # noqa: E741 - the paper's letter
    random: np.random.Generator | None = field(default=None, compare=False, repr=False)

    name: ClassVar[str] = "anatomy"
    description: ClassVar[str] = (
        "what outsiders may know is printed as it is, in one table; the sensitive values of each group stand in "
        "another one"
    )
    recodes: ClassVar[Recodes] = "buckets"
    prints_rows: ClassVar[bool] = False
    heeds_hierarchies_of: ClassVar[tuple[ColumnKind, ...]] = ()
    warnings: ClassVar[tuple[str, ...]] = (
        "anatomy publishes the quasi-identifiers exactly, so people can be recognised in the file",
        "only which sensitive value is whose is protected, and only against those whom the policy names",
        "the groups that were judged are buckets: group size is the size of a bucket, whose people do not look alike",
    )

    def __post_init__(self) -> None:
        if self.l is not None and (not isinstance(self.l, int) or self.l < 1):
            raise BadPolicy(
                f"Anatomy(l={as_given(self.l, quoted=True)}): l is how many different values a bucket has at least; "
                "give 1, 2, 3, …"
            )
        expect_or_none(np.random.Generator, self.random, parameter("random"))

    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utilities: UtilityNames, progress: Progress
    ) -> dict[UtilityName, SearchOutcome]:
        """Decide how many buckets there are, deal the people, merge until within policy."""
        totals = table.counts.totals()
        rng = np.random.default_rng() if self.random is None else self.random
        if table.semantics != "single":
            check = PolicyCheck.from_policy((*policy.criteria, *self._diversity(table)), table.people)
            dealt = _deal_sets(table, check, rng, progress)
            return dict.fromkeys(utilities, _number_buckets(table, by, dealt, rng.permutation(dealt[-1].rows)))
        different = int((totals > 0).sum())
        if self.l is not None and self.l > different:
            raise BadPolicy(
                f"Anatomy(l={as_given(self.l)}): the table has {different} different values; give an l of at most that"
            )
        check = PolicyCheck.from_policy(policy, table.people)
        count = _max_buckets_within(table, check, progress) if self.l is None else max_buckets(totals, self.l)
        merged = merge_until_within(
            _bucket_groups(table, count),
            check,
            nearest_by_overlap(rng),
            progress=lambda left: progress("merging buckets", left, None),
        )
        # one generator is drawn from in this order, so that a seed goes on dealing as it did
        shape = (int(merged.max()) + 1, len(totals))
        number = rng.permutation(shape[0])
        # all people, value by value, those of a value in random order: a stable sort of a random order
        key, value, count_of = table.counts.entries()
        key, value = np.repeat(key, count_of), np.repeat(value, count_of)
        order = rng.permutation(len(key))
        order = order[np.argsort(value[order], kind="stable")]
        key, value = key[order], value[order]
        bucket = merged[deal(totals, count)]
        each_once = np.ones(len(value), np.int64)
        counts = Counts.from_entries(bucket, value, each_once, shape)
        values = Counts.from_sorted(np.arange(len(value)), value, each_once, (len(value), len(totals)))
        return dict.fromkeys(utilities, _number_buckets(table, by, (key, bucket, values, counts), number))

    def _diversity(self, table: Table) -> tuple[Criterion, ...]:
        """Return the limit that no value has more than 1/l of a bucket's people; refuse an l that nothing can keep."""
        if self.l is None:
            return ()
        criterion = Acquaintance() <= Fraction(1, self.l)
        everybody = candidate_groups(table, np.array([table.people]), Counts.from_cells(table.counts.totals()))
        largest = criterion.measure.summarize_blocks(everybody).finding().value
        if largest > Fraction(1, self.l):
            raise BadPolicy(
                f"Anatomy(l={self.l}): more than 1 in {self.l} people have the most frequent value; "
                f"give an l of at most {math.floor(1 / largest)}"
            )
        return (criterion,)


def _number_buckets(table: Table, by: Mapping[str, Hierarchy], dealt: Dealt, number: Integers) -> SearchOutcome:
    """Build the outcome, with buckets numbered at random: numbers tell nothing about who has which value."""
    key, bucket, values, counts = dealt
    orders = column_orders(table.quasi, by)
    recoding = Buckets.from_people(table, orders, key, number[bucket], counts.take(np.argsort(number)), values=values)
    return SearchOutcome(recoding.release(), recoding)


def max_buckets(totals: Integers, l: int) -> int:  # noqa: E741 - the paper's letter
    """Return the largest number of buckets that can all have `l` different values: Σ_x min(n(x), b) ≥ l·b.

    >>> max_buckets(np.array([4, 3, 1]), 2), max_buckets(np.array([9, 1, 1]), 2)
    (4, 2)
    """
    # it holds up to a largest number of buckets, and for every smaller one: as many as come before it first fails
    numbers = range(1, int(totals.sum()) // l + 1)
    return bisect_left(numbers, 1, key=lambda buckets: int(np.minimum(totals, buckets).sum() < l * buckets))


def _max_buckets_within(table: Table, policy: PolicyCheck, progress: Progress) -> int:
    """Return a number of buckets at which the policy begins to hold, or 1 where halving finds none.

    Halves the numbers up to a bucket per person; what it finds holds, whatever the measures make of fewer buckets.
    """
    totals = table.counts.totals()
    # invariant: the policy holds at low, unless that is 1; at high it does not, or some bucket would have nobody
    low, high = 1, table.people + 1
    while high - low > 1:
        middle = (low + high) // 2
        progress("trying numbers of buckets", middle, None)
        # of many buckets that are the same, one of each kind is judged first, then all together where that decides
        buckets = _bucket_groups(table, middle)
        holds = policy.holds_in_each(buckets.take(bucket_kinds(totals, middle))).all() and all(
            check.holds(buckets) for check in policy.together
        )
        low, high = (middle, high) if holds else (low, middle)
    return low


def deal(totals: Integers, buckets: int) -> Integers:
    """Return the bucket of each person, when people stand in line value by value.

    >>> deal(np.array([3, 2]), 2).tolist()
    [0, 1, 0, 0, 1]
    """
    value = np.repeat(np.arange(len(totals)), totals)
    # how many people with the same value stand before each person
    nth = np.arange(len(value)) - np.repeat(np.cumsum(totals) - totals, totals)
    # first the first b people of each value, who can all go to different buckets; behind them what is left
    line = np.argsort(nth >= buckets, kind="stable")
    bucket = np.empty(len(value), np.int64)
    bucket[line] = np.arange(len(value)) % buckets
    return bucket


def bucket_kinds(totals: Integers, buckets: int) -> Integers:
    """Return buckets such that every bucket has the values of one of them: at most twice the values, and one.

    >>> bucket_kinds(np.array([4, 4, 1]), 4).tolist()
    [0, 1]
    """
    # both parts of the line, modulo b: a bucket holds what the bucket before holds unless a value begins or ends here
    first = np.minimum(totals, buckets)
    borders = np.cumsum(np.concatenate((first, totals - first))) % buckets
    return np.unique(np.append(borders, 0))


def _bucket_groups(table: Table, buckets: int) -> Groups:
    # people need not be assigned to count what would be in each bucket
    counts = bucket_counts(table.counts.totals(), buckets)
    return candidate_groups(table, counts.per_row(), counts)


def bucket_counts(totals: Integers, buckets: int) -> Counts:
    """Count the values in each bucket; only how often each value occurs decides it."""
    value = np.repeat(np.arange(len(totals)), totals)
    return Counts.from_entries(deal(totals, buckets), value, np.ones(len(value), np.int64), (buckets, len(totals)))
