"""Deal people who have several values each into buckets, so that a bucket repeats few values.

Symbols     s(p) = the values of person p, a row of counts; n(x) = how often value x occurs; b = the number of buckets;
            B_i(x) = how often bucket i has x so far.
Line        Whoever is hardest to place comes first: Σ_x s(p)(x)·n(x) falls along the line; ties by lot.
Turns       In each turn every bucket gets one person of the next b (in the last, some do), so that buckets differ by at
            most one person.  Who gets where in a turn is an assignment of least overlap Σ_x s(p)(x)·B_i(x), the pairs
            of people with the same value that it brings together; solved for `AT_ONCE` people and buckets at a time.
How many    By halving the numbers of buckets between one, with which the policy holds, and as many as people: up while
            nearly all buckets hold on their own.  Those that do not are merged until the policy holds, and the dealing
            that leaves most buckets is taken.  What is given holds, whatever the measures make of fewer buckets.
Chance      Only the rows s(p) decide, never who has them: people with the same values stand in line by lot.  So whoever
            is in a bucket is as likely as the next one there to have what one of them has: swapping all values of two
            people of a bucket makes the published tables neither more nor less likely.  Which values go *together* is
            not protected by this, and nothing of it is published.
Cost        Per number of buckets that is tried, people / 64 assignments of 64 × 64 (about 1 ms each).

Source: ours; the buckets are Anatomy's (Xiao and Tao, VLDB 2006).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from sidelight._arrays import Integers, add_up, run_starts
from sidelight._progress import Progress
from sidelight.release.groups import Groups
from sidelight.search.merging import Neighbours, merge_until_within
from sidelight.search.policy_check import PolicyCheck, candidate_groups
from sidelight.table.table import Counts, Profiles, Table

AT_ONCE = 64
"""How many people and buckets an assignment is solved for."""

NEARLY_ALL = 0.99
"""Which share of the buckets has to hold on its own for the rest to be merged rather than dealt anew."""


@dataclass(frozen=True, eq=False, slots=True)
class DealtPeople:
    """Everybody's key, bucket and values, and what the buckets hold."""

    key: Integers
    bucket: Integers
    values: Counts  # person × value
    counts: Counts  # bucket × value

    def merged(self, into: Integers) -> DealtPeople:
        """Put buckets together: bucket i goes to `into[i]`."""
        counts = self.counts.roll_up(into, groups=int(into.max()) + 1)
        return replace(self, bucket=into[self.bucket], counts=counts)

    def groups(self, table: Table) -> Groups:
        """Take the buckets for groups, to be judged."""
        return candidate_groups(table, np.bincount(self.bucket, minlength=self.counts.rows), self.counts)


def deal_sets(
    table: Table, policy: PolicyCheck, near: Neighbours, rng: np.random.Generator, progress: Progress
) -> DealtPeople:
    """Deal people into as many buckets within policy as halving finds; one bucket of everybody is within policy."""
    profiles = table.profiles()
    line = line_up_hardest_first(profiles, rng)
    best = _deal(profiles, line, 1, rng)
    # invariant: at low nearly all buckets hold on their own; at high too few do, or some bucket is too small
    low, high = 1, table.people // (policy.least_group_size or 1) + 1
    while high - low > 1:
        middle = (low + high) // 2
        progress("trying numbers of buckets", middle, None)
        dealt = _deal(profiles, line, middle, rng)
        buckets = dealt.groups(table)
        if policy.holds_in_each(buckets).mean() < NEARLY_ALL:
            high = middle
            continue
        low, within = middle, dealt.merged(merge_until_within(buckets, policy, near))
        best = within if within.counts.rows > best.counts.rows else best
    return best


def line_up_hardest_first(profiles: Profiles, rng: np.random.Generator) -> Integers:
    """Give the profile of each person in line: those with many frequent values first, at random among equals."""
    row, value, count = profiles.counts.entries()
    hardness = add_up(row, count * profiles.counts_of_all()[value], len(profiles))
    line = rng.permutation(np.repeat(np.arange(len(profiles)), profiles.people))
    return line[np.argsort(-hardness[line], kind="stable")]


def _deal(profiles: Profiles, line: Integers, buckets: int, rng: np.random.Generator) -> DealtPeople:
    bucket = deal_in_turns(profiles.counts, line, buckets, rng)
    values = profiles.counts.take(line)
    row, value, count = values.entries()
    counts = Counts.from_entries(bucket[row], value, count, (buckets, profiles.counts.width))
    return DealtPeople(profiles.key[line], bucket, values, counts)


def deal_in_turns(values: Counts, line: Integers, buckets: int, rng: np.random.Generator) -> Integers:
    """Give the bucket of each person in line, whose values are row `line[i]` of the counts.

    >>> values = Counts.from_cells([[1, 1, 0], [0, 0, 1]])
    >>> bucket = deal_in_turns(values, np.array([0, 0, 1, 1]), 2, np.random.default_rng(0))
    >>> sorted(bucket[:2].tolist()), sorted(bucket[2:].tolist())
    ([0, 1], [0, 1])
    """
    if buckets == 1:
        return np.zeros(len(line), np.int64)
    bucket = np.empty(len(line), np.int64)
    holds = np.zeros((buckets, values.width), np.int32)
    for start in range(0, len(line), buckets):
        turn = start + rng.permutation(min(buckets, len(line) - start))
        free = rng.permutation(buckets)
        for first in range(0, len(turn), AT_ONCE):
            people, among = turn[first : first + AT_ONCE], free[first : first + AT_ONCE]
            row, value, count = values.take(line[people]).entries()
            one, other = linear_sum_assignment(_overlap(row, count, holds[among[:, np.newaxis], value], len(people)))
            bucket[people[one]] = among[other]
            # each person has a bucket of their own in this turn, so that no place is written twice
            holds[bucket[people[row]], value] += count.astype(np.int32)
    return bucket


def _overlap(row: Integers, count: Integers, held: npt.NDArray[np.int32], people: int) -> Integers:
    """Give Σ_x s(p)(x)·B_i(x) for each person and bucket; entry e is that person `row[e]` has a value `count[e]` times.

    >>> _overlap(np.array([0, 0, 2]), np.array([1, 2, 1]), np.array([[1, 1, 0], [0, 4, 5]], np.int32), 3).tolist()
    [[3, 8], [0, 0], [0, 5]]
    """
    overlap = np.zeros((people, len(held)), np.int64)
    starts = np.flatnonzero(run_starts([row]))
    if len(starts):
        overlap[row[starts]] = np.add.reduceat((held * count).T, starts, axis=0)
    return overlap
