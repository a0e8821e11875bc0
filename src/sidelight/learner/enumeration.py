"""The slow twins of the expectation: what a replay trains by.

Listing     A group of counts n_s has n!/Π n_s! assignments; each weighs Π_i P_i(x_i).  Groups of one pattern share the
            list.  For groups of up to `MOST` assignments.
Products    Larger ones by the definition as a polynomial, a coefficient of the product of everybody else's:
                Pr(x_i = s) ∝ P_i(s) · [Π_t z_t^n_t / z_s] Π_{k≠i} Σ_t P_k(t)·z_t
            Products without one person are multiplied out by halves: n·⌈log₂ n⌉ factors in place of n².  Cost
            n·⌈log₂ n⌉ · values · Π (n_s + 1) per group.
Not another What was scaled (`Sinkhorn`), and occurrences of multisets, which are a formula, are taken from the quick
            one again: there a replay repeats, and does not check.  A note of the finding says so of what was scaled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sidelight.arrays import Flags, Floats, Integers
from sidelight.learner.assignments import LEAST, Assignments, balance_values, states_of
from sidelight.learner.several_values import Occurrences, SetAssignments

MOST = 5_000
"""Groups with more assignments are not listed."""

AT_ONCE = 1 << 19
"""So many coefficients of several groups are multiplied at once."""


@lru_cache(maxsize=1024)
def assignments_of(counts: tuple[int, ...]) -> Integers | None:
    """Return the assignments of a group, (assignments, people) int64 indices of values; None if there are too many.

    >>> assignments_of((2, 1)).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    total = 1
    # the multinomial coefficient, factor by factor: each division leaves no rest, and counting stops at the limit
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


def enumerate_assignments(scores: Floats, counts: tuple[int, ...]) -> Floats | None:
    """Return Pr(x_i = s) for people × values × groups, where `scores` are ln P_i(s)."""
    listed = assignments_of(counts)
    if listed is None:
        return None
    people = np.arange(len(scores))
    weight = scores[people, listed].sum(axis=1)  # assignments × groups
    weight = np.exp(weight - weight.max(axis=0))
    weight /= weight.sum(axis=0)
    # (assignments, people) by (assignments, groups) for each value, stacked to (people, values, groups)
    return np.stack([np.einsum("ai,ag->ig", listed == value, weight) for value in range(len(counts))], axis=1)


def multiplied_out(scores: Floats, counts: tuple[int, ...]) -> Floats:
    """Return Pr(x_i = s) for people × values × groups by coefficients of products, where `scores` are ln P_i(s).

    >>> scores = np.log([[[2.0], [1.0]], [[1.0], [1.0]]])  # two people, two values, one group
    >>> multiplied_out(scores, (1, 1))[:, 0, 0].round(6).tolist()
    [0.666667, 0.333333]
    """
    beliefs = np.empty_like(scores)
    step = max(AT_ONCE // states_of(counts), 1)
    for start in range(0, scores.shape[2], step):
        score, _ = balance_values(scores[:, :, start : start + step], counts)
        weights = np.maximum(np.exp(score - score.max(axis=1, keepdims=True)), LEAST)
        # an axis of count + 1 coefficients per value, and groups last
        one = np.zeros((*(count + 1 for count in counts), weights.shape[2]))
        one[(0,) * len(counts)] = 1.0
        for person, others in _divide_by_each(one, weights, 0, len(weights)):
            chance = np.stack([others[_one_less(counts, value)] for value in range(len(counts))])
            chance *= weights[person]
            beliefs[person, :, start : start + step] = chance / chance.sum(axis=0)
    return beliefs


def _one_less(counts: tuple[int, ...], value: int) -> tuple[int, ...]:
    return tuple(count - (place == value) for place, count in enumerate(counts))


def _divide_by_each(product: Floats, weights: Floats, first: int, last: int) -> Iterator[tuple[int, Floats]]:
    """Yield the product of everybody but one, for each of some people; `product` is that of all but these."""
    if last - first == 1:
        yield first, product
        return
    middle = (first + last) // 2
    # each half is multiplied by everybody of the other half, then divided further, down to one person
    for start, stop, others in ((first, middle, range(middle, last)), (middle, last, range(first, middle))):
        larger = product
        for person in others:
            larger = _times(larger, weights[person])
        yield from _divide_by_each(larger, weights, start, stop)


def _times(product: Floats, weights: Floats) -> Floats:
    """Multiply by Σ_s P(s)·z_s, without what is beyond the counts; the largest coefficient of each group becomes 1."""
    larger = np.zeros_like(product)
    for value, weight in enumerate(weights):
        # times z_value is a shift along the axis of the value; what goes beyond its count is cut off
        before = (slice(None),) * value
        larger[(*before, slice(1, None))] += weight * product[(*before, slice(None, -1))]
    larger /= larger.max(axis=tuple(range(len(weights))))
    return larger


@dataclass(frozen=True, eq=False)
class EnumeratedAssignments:
    """The expectation by other paths, of one value each or of sets; of multisets there is none."""

    quick: Assignments | SetAssignments | Occurrences

    @property
    def exactly(self) -> Flags:
        """The groups that the quick one goes through exactly."""
        return self.quick.exactly

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """List what can be listed, multiply out what is larger; the likelihood is that of the quick one."""
        beliefs, likelihood = self.quick.expect(scores)
        for cells, counts, score in self._patterns(scores):
            listed = enumerate_assignments(score, counts)
            if listed is None:
                listed = multiplied_out(score, counts)
            # a line of several people stands once for each of them: added up here, shared below
            sums, places = np.zeros(len(beliefs)), np.unique(cells)
            np.add.at(sums, cells, listed[:, : cells.shape[1]])
            beliefs[places] = sums[places] / self.quick.roster.people[places]
        return beliefs, likelihood

    def _patterns(self, scores: Floats) -> Iterator[tuple[Integers, tuple[int, ...], Floats]]:
        """Yield each pattern's cells, (people, values, groups) int64, its counts and its scores."""
        if isinstance(self.quick, Assignments):
            for pattern in self.quick.patterns:
                yield pattern.cells, pattern.counts, scores[pattern.cells]
        elif isinstance(self.quick, SetAssignments):
            for by_size in self.quick.patterns:
                for have in np.unique(by_size.counts).tolist():
                    cells = by_size.cells[:, np.newaxis, by_size.counts == have]
                    # odds are relative to not having the value, whose logarithm is therefore 0
                    has = scores[cells]
                    counts = (have, len(cells) - have)
                    yield cells, counts, np.concatenate((has, np.zeros_like(has)), axis=1)
