"""What does a policy ask of the values of each single group, where that is a share or a number of values?

Shares      No value above share c: of a people at most ⌊c·a⌋ have the same value; fewer where the limit is strict.
            Measures say which of their limits are that (`share_at`).
Distinct    At least so many different values.

Such limits are decided by counts alone, in whole numbers, and random worlds that keep them can be counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sidelight.arrays import Flags, Integers
from sidelight.errors import BadPolicy, parameter
from sidelight.measures.criterion import Criterion, exact
from sidelight.measures.l_diversity import DistinctValues
from sidelight.policy.policy import Policy
from sidelight.search.policy_check import least_whole


@dataclass(frozen=True)
class ShareLimit:
    """No value has more than this share of a group, or as much where it is strict."""

    share: Fraction
    strict: bool = False

    def most(self, people: int) -> int:
        """Return how many people of a group may have the same value.

        >>> ShareLimit(Fraction(1, 2)).most(4), ShareLimit(Fraction(1, 2), strict=True).most(4)
        (2, 1)
        """
        # where it is strict, share · people itself is already too many
        return math.ceil(self.share * people) - 1 if self.strict else math.floor(self.share * people)


@dataclass(frozen=True)
class ValueLimits:
    """What a policy asks of the values of each group, where a veil covers it."""

    shares: tuple[ShareLimit, ...]
    different: int = 0  # at least so many values
    known: dict[int, int] = field(default_factory=dict, compare=False, repr=False)  # by size: the most of a value

    @property
    def belief(self) -> Fraction:
        """The limit on anybody's belief: the smallest share."""
        return min(each.share for each in self.shares)

    def most(self, people: Integers) -> Integers:
        """Return how many people of groups of these sizes may have the same value."""
        # a generation has few different sizes among its groups
        sizes, place = np.unique(people, return_inverse=True)
        return np.array([self.most_of(size) for size in sizes.tolist()], np.int64)[place]

    def most_of(self, people: int) -> int:
        """Return how many people of a group of this size may have the same value."""
        if people not in self.known:
            self.known[people] = min(each.most(people) for each in self.shares)
        return self.known[people]

    def holds_in_each(self, counts: Integers, people: Integers) -> Flags:
        """Return which groups keep the limits, by their counts."""
        rare = counts.max(axis=1, initial=0) <= self.most(people)
        return np.asarray(rare & (np.count_nonzero(counts, axis=1) >= self.different))


def share_limit(criterion: Criterion) -> ShareLimit | None:
    """Return a criterion as a limit on the share of any value, where it is one.

    >>> from sidelight.measures.l_diversity import RecursiveDiversity
    >>> share_limit(RecursiveDiversity(2) <= 1), share_limit(RecursiveDiversity(1) < 0.6)
    (ShareLimit(share=Fraction(1, 2), strict=False), ShareLimit(share=Fraction(3, 5), strict=True))
    """
    bound = exact(criterion.bound)
    share = criterion.measure.share_at(bound) if isinstance(bound, Fraction) else None
    return None if share is None else ShareLimit(share, criterion.comparison.strict)


def distinct_limit(criterion: Criterion) -> int | None:
    """Return a criterion as a limit on the number of different values, where it is one."""
    bound = exact(criterion.bound)
    if not isinstance(criterion.measure, DistinctValues) or criterion.measure.apart_from or bound == math.inf:
        return None
    return least_whole(bound, criterion.comparison)


def covered_limits(policy: Policy) -> ValueLimits | None:
    """Return what a policy asks of values, or refuse what no veil covers; None where it asks nothing of them.

    >>> from sidelight.measures.l_diversity import RecursiveDiversity
    >>> covered_limits(Policy(DistinctValues() >= 2, RecursiveDiversity(2) <= 1))
    ValueLimits(shares=(ShareLimit(share=Fraction(1, 2), strict=False),), different=2)
    """
    about_values = [each for each in policy.criteria if _depends_on_values(each)]
    shares, different = [], 0
    for each in about_values:
        limit = share_limit(each)
        if limit is not None:
            shares.append(limit)
        elif (least := distinct_limit(each)) is not None:
            different = max(different, least)
        elif exact(each.bound) != math.inf:
            message = (
                f"{parameter('resists', 'insider')} covers limits on sizes, on the share of any value and on distinct "
                f"values, and '{each}' is none of these; leave one of the two out"
            )
            raise BadPolicy(message)
    if not about_values:
        return None
    if not shares:
        message = (
            f"{parameter('resists', 'insider')} needs a limit on how sure anybody may get, and '{about_values[0]}' is "
            "none; add one, such as implications(k=0) <= 0.5"
        )
        raise BadPolicy(message)
    return ValueLimits(tuple(shares), different)


def _depends_on_values(criterion: Criterion) -> bool:
    """Whether the true values decide, beside what is published: for limits on a whole release, the release does."""
    measure = criterion.measure
    return measure.about_values if measure.mergeable else measure.knows_true_values


def limits_values(policy: Policy) -> bool:
    """Return whether a policy limits anything but sizes."""
    return any(_depends_on_values(each) for each in policy.criteria)


def belief_limit(policy: Policy) -> ShareLimit | None:
    """Return the lowest limit on anybody's belief that a policy promises; None where it promises none.

    A limit for those who know more holds for those who know less; limits on one value say nothing of the others.

    >>> from sidelight.measures.ck_safety.implications import Implications
    >>> from sidelight.measures.l_diversity import RecursiveDiversity
    >>> belief_limit(Policy(DistinctValues() >= 2, Implications(3) < 0.6, RecursiveDiversity(3) <= 2))
    ShareLimit(share=Fraction(3, 5), strict=True)
    """
    limits = [limit for limit in map(_promised_belief, policy.criteria) if limit is not None and limit.share < 1]
    # of equal shares the strict one is the lower limit
    return min(limits, key=lambda each: (each.share, not each.strict), default=None)


def _promised_belief(criterion: Criterion) -> ShareLimit | None:
    bound = exact(criterion.bound)
    belief = criterion.measure.belief_at(bound) if isinstance(bound, Fraction) else None
    return None if belief is None else ShareLimit(belief, criterion.comparison.strict)
