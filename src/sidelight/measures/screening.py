"""What does a search see of a measure?  A row of floats per group, and rows that join to the row of a release.

A summary answers once and exactly; a screen answers for thousands of candidate releases at once and roughly (to about
1e-12).  Both come from the same formula: an audit runs it over all groups and decides the nearest ones exactly, a
search keeps its rows and joins them along whatever tree it walks.

    value(join of the rows of groups g₁, g₂, …) = the measure's value of the release {g₁, g₂, …}, up to `slack`

Joining is associative and commutative, so that rows may be joined in any order.  A search decides by its screens where
they are clear of the limit by more than `slack`, and asks the measure itself (`summarize`, exact) where they are not;
of groups that are of one kind (`kinds`) it asks about one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from sidelight._arrays import Floats, Integers
from sidelight.measures.exact import NEAR
from sidelight.release.groups import Groups


class Screen(ABC):
    """A measure in floats: numbers per group (rows) that join to the numbers of a release."""

    @property
    def group_by_group(self) -> bool:
        """Whether a release is as bad as its worst group, so that groups can be judged one by one."""
        return False

    @property
    def needed_of_each(self) -> bool:
        """Whether a release breaks a bound as soon as one of its groups, taken for a release, does.

        What somebody can do to one group they can do to the release; an average, however, one group does not decide.
        """
        return True

    @property
    def exact(self) -> bool:
        """Whether its floats carry the values exactly, as they do small whole numbers."""
        return False

    @abstractmethod
    def of(self, groups: Groups) -> Floats:
        """Give each group its row of numbers."""

    def slack(self, people: int) -> float:
        """Say how far off a value may be (relative above 1) in releases whose groups have up to so many people."""
        del people
        return 0.0 if self.exact else NEAR

    def kinds(self, groups: Groups) -> Integers:
        """Give whole numbers that decide each group's own value: groups that share them are of one kind."""
        return np.column_stack((groups.sizes, groups.counts.dense()))

    @abstractmethod
    def join(self, one: Floats, other: Floats) -> Floats:
        """Join rows pairwise: row i of the answer stands for the groups of row i of both."""

    @abstractmethod
    def value(self, rows: Floats) -> Floats:
        """Read the measure's value off each row."""


def joined_all(screen: Screen, rows: Floats) -> Floats:
    """Join all rows to one, by halves.

    >>> from sidelight.measures.k_anonymity import GroupSize
    >>> joined_all(GroupSize().screen(), np.array([[5.0], [3.0], [4.0]])).tolist()
    [[3.0]]
    """
    while len(rows) > 1:
        half = len(rows) // 2
        rows = np.concatenate((screen.join(rows[:half], rows[half : 2 * half]), rows[2 * half :]))
    return rows


def joined_before(screen: Screen, rows: Floats) -> Floats:
    """Join, for each row, all rows up to and including it (a scan, in log₂ steps over all rows at once).

    >>> from sidelight.measures.k_anonymity import GroupSize
    >>> joined_before(GroupSize().screen(), np.array([[5.0], [3.0], [4.0]])).ravel().tolist()
    [5.0, 3.0, 3.0]
    """
    joined, step = rows.copy(order="K"), 1
    while step < len(rows):  # row i stands for the rows i − step + 1 … i
        joined[step:] = screen.join(joined[step:], joined[:-step].copy())
        step *= 2
    return joined


def joined_after(screen: Screen, rows: Floats) -> Floats:
    """Join, for each row, all rows from it on."""
    return joined_before(screen, rows[::-1])[::-1]
