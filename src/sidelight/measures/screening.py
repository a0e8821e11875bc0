"""A measure in floats, group by group, in a form that joins: what a search looks at thousands of times.

A summary answers once and exactly; an screen answers for many candidate releases at once and roughly (to about
1e-12).  Searches decide by screens where they are clear of the limit and exactly where they are not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sidelight._arrays import Floats, Integers
from sidelight.measures.exact import NEAR
from sidelight.release.groups import Groups


class Screen(ABC):
    """Numbers per group (rows) that join to the numbers of a release.

    `value(join of all rows of a release)` is the measure's value for that release.  Joining is associative and
    commutative, so that rows may be joined in any order and along any tree.
    """

    @property
    def group_by_group(self) -> bool:
        """Whether a release is as bad as its worst group, so that groups can be judged one by one."""
        return False

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

    def alike(self, groups: Groups) -> Integers:
        """Give integers that decide each group's own value: of groups alike in them one is worked out exactly."""
        return np.column_stack((groups.sizes, groups.counts.dense()))

    @abstractmethod
    def join(self, one: Floats, other: Floats) -> Floats:
        """Join rows pairwise: row i of the answer stands for the groups of row i of both."""

    @abstractmethod
    def value(self, rows: Floats) -> Floats:
        """Read the measure's value off each row."""


@dataclass(frozen=True)
class WorstGroup(Screen):
    """The screen of measures whose value is that of the worst group: one number per group."""

    scores: Callable[[Groups], Floats]
    kinds: Callable[[Groups], Integers]
    large_is_bad: bool
    whole_numbers: bool = False

    @property
    def exact(self) -> bool:
        """For whole numbers."""
        return self.whole_numbers

    @property
    def group_by_group(self) -> bool:
        """Always."""
        return True

    def of(self, groups: Groups) -> Floats:
        """Give each group its own value; a group with nothing to say gives the best there is."""
        best = -np.inf if self.large_is_bad else np.inf
        return np.nan_to_num(self.scores(groups), nan=best, posinf=np.inf, neginf=-np.inf)[:, np.newaxis]

    def alike(self, groups: Groups) -> Integers:
        """What the measure itself says."""
        return self.kinds(groups)

    def join(self, one: Floats, other: Floats) -> Floats:
        """Keep the worse one."""
        return np.maximum(one, other) if self.large_is_bad else np.minimum(one, other)

    def value(self, rows: Floats) -> Floats:
        """The one number."""
        return rows[:, 0]


def joined_all(screen: Screen, rows: Floats) -> Floats:
    """Join all rows to one, by halves.

    >>> sizes = lambda groups: groups.sizes
    >>> joined_all(WorstGroup(sizes, sizes, large_is_bad=False), np.array([[5.0], [3.0], [4.0]])).tolist()
    [[3.0]]
    """
    while len(rows) > 1:
        half = len(rows) // 2
        rows = np.concatenate((screen.join(rows[:half], rows[half : 2 * half]), rows[2 * half :]))
    return rows


def joined_before(screen: Screen, rows: Floats) -> Floats:
    """Join, for each row, all rows up to and including it (a scan, in log₂ steps over all rows at once).

    >>> sizes = lambda groups: groups.sizes
    >>> worst = WorstGroup(sizes, sizes, large_is_bad=False)
    >>> joined_before(worst, np.array([[5.0], [3.0], [4.0]])).ravel().tolist()
    [5.0, 3.0, 3.0]
    """
    joined, step = rows.copy(order="K"), 1
    while step < len(rows):
        joined[step:] = screen.join(joined[step:], joined[:-step].copy())
        step *= 2
    return joined


def joined_after(screen: Screen, rows: Floats) -> Floats:
    """Join, for each row, all rows from it on."""
    return joined_before(screen, rows[::-1])[::-1]
