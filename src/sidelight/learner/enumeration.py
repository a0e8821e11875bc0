"""The slow twin of the expectation: go through every assignment of a group, one by one.

A group of counts n_s has n!/Π n_s! assignments; each weighs Π_i P_i(x_i).  Groups of one pattern share the list.
Groups with more than `MOST` assignments are left to the quick one: nobody lists them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sidelight._arrays import Flags, Floats, Integers
from sidelight.learner.assignments import Assignments
from sidelight.learner.several_values import Occurrences, SetAssignments

MOST = 5_000
"""Groups with more assignments are not listed."""


@lru_cache(maxsize=1024)
def assignments_of(counts: tuple[int, ...]) -> Integers | None:
    """List the assignments of a group, a row for each: the value's place for each person; None where they are too many.

    >>> assignments_of((2, 1)).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    total = 1
    for done, count in zip(np.cumsum(counts).tolist(), counts, strict=True):
        for taken in range(1, count + 1):
            total = total * (done - count + taken) // taken
            if total > MOST:
                return None
    return np.array(list(_arrangements(list(counts))), np.int64)


def _arrangements(left: list[int]) -> Iterator[tuple[int, ...]]:
    if not any(left):
        yield ()
    for value, count in enumerate(left):
        if count:
            rest = [each - (place == value) for place, each in enumerate(left)]
            yield from ((value, *others) for others in _arrangements(rest))


def enumerated(scores: Floats, counts: tuple[int, ...]) -> Floats | None:
    """Give Pr(x_i = s) for people × values × groups, where `scores` are ln P_i(s)."""
    listed = assignments_of(counts)
    if listed is None:
        return None
    people = np.arange(len(scores))
    weight = scores[people, listed].sum(axis=1)  # assignments × groups
    weight = np.exp(weight - weight.max(axis=0))
    weight /= weight.sum(axis=0)
    return np.stack([np.einsum("ai,ag->ig", listed == value, weight) for value in range(len(counts))], axis=1)


@dataclass(frozen=True, eq=False)
class EnumeratedAssignments:
    """The expectation by listing, of one value each or of sets; of multisets nothing is listed."""

    quick: Assignments | SetAssignments | Occurrences

    @property
    def exactly(self) -> Flags:
        """As the quick one."""
        return self.quick.exactly

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """List what can be listed; the likelihood is that of the quick one."""
        beliefs, likelihood = self.quick.expect(scores)
        for cells, counts, score in self._patterns(scores):
            listed = enumerated(score, counts)
            if listed is None:
                continue
            sums, places = np.zeros(len(beliefs)), np.unique(cells)
            np.add.at(sums, cells, listed[:, : cells.shape[1]])
            beliefs[places] = sums[places] / self.quick.roster.people[places]
        return beliefs, likelihood

    def _patterns(self, scores: Floats) -> Iterator[tuple[Integers, tuple[int, ...], Floats]]:
        """Give each pattern's cells (people × values × groups), its counts and scores."""
        if isinstance(self.quick, Assignments):
            for pattern in self.quick.patterns:
                yield pattern.cells, pattern.counts, scores[pattern.cells]
        elif isinstance(self.quick, SetAssignments):
            for by_size in self.quick.patterns:
                for have in np.unique(by_size.counts).tolist():
                    cells = by_size.cells[:, np.newaxis, by_size.counts == have]
                    has = scores[cells]
                    counts = (have, len(cells) - have)
                    yield cells, counts, np.concatenate((has, np.zeros_like(has)), axis=1)
