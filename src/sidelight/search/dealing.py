"""Deal people into buckets so that people with the same value end up in different ones, like cards."""

from __future__ import annotations

import numpy as np

from sidelight.table.columns import Integers
from sidelight.table.counts import Counts


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
