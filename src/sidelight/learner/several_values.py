"""Who of a group has a value, where people have sets or multisets of them?  Value by value.

Sets        exactly n of the N people have the value; with odds o_i, W_i = o_i · e_{n−1}(o without i) / e_n(o), where e
            are the elementary symmetric polynomials.  Forward and backward over how many have it among the first i:
                F_0(u) = [u = 0],  F_i(u) = F_{i−1}(u) + o_i·F_{i−1}(u − 1)
                B_N(u) = [u = n],  B_{i−1}(u) = B_i(u) + o_i·B_i(u + 1)
            for all values of all groups of one size at once; W_i = o_i · Σ_u F_{i−1}(u)·B_i(u + 1) / F_N(n).  With too
            many states W_i = λ·o_i / (1 + λ·o_i), with λ such that they add up to n; Π_i (1 + λ·o_i) / λ^n, which
            is never less, is taken for e_n(o).
Multisets   the n occurrences go to people at rates; r_i = rate_i / Σ rates, and Pr(person i has some) is
            1 − (1 − r_i)^n.  A group has n occurrences at the rate Σ rates, which its likelihood is of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, starts_of, sum_by
from sidelight.learner.assignments import AT_ONCE, LEAST, VANISHES, gone_through
from sidelight.learner.roster import Roster


@dataclass(frozen=True, eq=False, slots=True)
class SizePattern:
    """Values in groups of one size: how many have each, and the cells of the people, people × values."""

    counts: Integers
    cells: Integers

    def blocks(self) -> Iterator[slice]:
        """Cut the values so that their states fit into memory."""
        step = max(AT_ONCE // (len(self.cells) * (int(self.counts.max()) + 2)), 1)
        for start in range(0, len(self.counts), step):
            yield slice(start, start + step)


def symmetric_beliefs(scores: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """Return W_i for people × values, where `scores` are ln o_i and so many have each value; and ln e_n(o).

    >>> beliefs, log_likelihood = symmetric_beliefs(np.log([[2.0], [1.0], [1.0]]), np.array([1]))
    >>> beliefs[:, 0].round(6).tolist(), np.exp(log_likelihood).round(6).tolist()
    ([0.5, 0.25, 0.25], [4.0])
    """
    people, values = scores.shape
    log_factor = _balancing(scores, counts)
    # λ multiplies all odds of a value, which leaves the beliefs; n·ln λ leaves the likelihood again below
    scores = scores + log_factor
    highest = np.maximum(scores, 0.0)
    # the larger of having the value and not having it becomes 1, for each person
    has, has_not = np.exp(scores - highest), np.exp(-highest)
    most = int(counts.max())
    # (people + 1, counts + 1, values): u of the first i people have the value
    forward = np.zeros((people + 1, most + 1, values))
    forward[0, 0] = 1.0
    log_likelihood = highest.sum(axis=0) - counts * log_factor
    for i in range(people):
        forward[i + 1] = forward[i] * has_not[i]
        forward[i + 1, 1:] += forward[i, :-1] * has[i]
        scale = forward[i + 1].max(axis=0)
        forward[i + 1] /= scale
        log_likelihood += np.log(scale)
    log_likelihood += np.log(np.maximum(forward[people, counts, np.arange(values)], LEAST))
    backward = np.zeros((most + 2, values))  # the last row stays 0: nobody has more than all
    # backwards from the count alone: only what ends with exactly so many people counts
    backward[counts, np.arange(values)] = 1.0
    beliefs = np.empty_like(scores)
    for i in range(people - 1, -1, -1):
        with_it = has[i] * np.einsum("uv,uv->v", forward[i], backward[1:])
        without = has_not[i] * np.einsum("uv,uv->v", forward[i], backward[:-1])
        beliefs[i] = with_it / (with_it + without)
        backward[:-1] = backward[:-1] * has_not[i] + backward[1:] * has[i]
        backward /= backward.max(axis=0)
    return beliefs, log_likelihood


def _balancing(scores: Floats, counts: Integers) -> Floats:
    """Return ln λ per value, so that λ·o expects as many as have it, where else something would vanish beside the rest.

    All odds of a value may be multiplied by one number: beliefs stay, and ln e_n(o) = ln e_n(λ·o) − n·ln λ.
    """
    log_factor = np.zeros(len(counts))
    far = np.abs(scores).sum(axis=0) > VANISHES
    if not far.any():
        return log_factor
    score = scores[:, far]
    bound = np.abs(score).max() + np.log(len(scores) + 1.0)
    # at ±bound all people together expect less than one, or all but less than one, so that the solution lies between
    low, high = np.full(score.shape[1], -bound), np.full(score.shape[1], bound)
    for _ in range(100):
        middle = (low + high) / 2
        # the logistic function as a tanh, which cannot overflow
        short = (0.5 + 0.5 * np.tanh((score + middle) / 2)).sum(axis=0) < counts[far]
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    log_factor[far] = (low + high) / 2
    return log_factor


@dataclass(frozen=True, eq=False)
class SetAssignments:
    """The expectation of people with sets of values."""

    roster: Roster
    exact_up_to: int | None = None

    @cached_property
    def sizes(self) -> Integers:
        """How many people the group of each entry has."""
        return self.roster.release.groups.sizes[self.roster.entries[0]]

    @cached_property
    def states(self) -> Floats:
        """How many states each entry (group and value) has."""
        counts = self.roster.entries[2].astype(float)
        states: Floats = (counts + 1) * (self.sizes - counts + 1)
        return states

    @cached_property
    def exactly(self) -> Flags:
        """Which entries are gone through exactly."""
        return gone_through(self.states, 1, self.exact_up_to)

    @cached_property
    def patterns(self) -> tuple[SizePattern, ...]:
        """The values that some of a group have and some have not, by the size of the group."""
        roster, counts = self.roster, self.roster.entries[2]
        several = np.flatnonzero(self.exactly & (counts < self.sizes))
        person_line = np.repeat(np.arange(len(roster)), roster.members.people)
        person_starts = starts_of(roster.members.group[person_line], len(roster.release))
        patterns = []
        for size in np.unique(self.sizes[several]).tolist():
            entries = several[self.sizes[several] == size]
            group = roster.entries[0][entries]
            # (people, groups); cells of a line are in the order of the group's entries, hence the same offset for all
            lines = person_line[person_starts[group] + np.arange(size)[:, np.newaxis]]
            cells = roster.cell_starts[lines] + (entries - roster.group_starts[group])
            patterns.append(SizePattern(counts[entries], cells))
        return tuple(patterns)

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Return the beliefs, where `scores` are logarithms of odds, and ln Π e_n(o)."""
        roster = self.roster
        beliefs = np.zeros(len(scores))
        everybody = roster.count == roster.group_size
        likelihood = float((scores * roster.people)[everybody].sum())
        for pattern in self.patterns:
            for block in pattern.blocks():
                cells = pattern.cells[:, block]
                believed, log_likelihood = symmetric_beliefs(scores[cells], pattern.counts[block])
                np.add.at(beliefs, cells, believed)
                likelihood += float(log_likelihood.sum())
        # people of one line were added up; they share what is believed
        beliefs /= roster.people
        beliefs[everybody] = 1.0
        tilted = np.flatnonzero(~self.exactly[roster.entry] & ~everybody)
        beliefs[tilted], log_bound = self._tilt(scores, tilted)
        return beliefs, likelihood + log_bound

    def _tilt(self, scores: Floats, cells: Integers) -> tuple[Floats, float]:
        """Find λ by halving (the sum grows with it), and return beliefs and ln Π_i (1 + λ·o_i) / λ^n of all values."""
        roster = self.roster
        entries, entry = np.unique(roster.entry[cells], return_inverse=True)
        counts, score = roster.entries[2][entries], scores[cells]
        bound = np.abs(score).max(initial=0.0) + np.log(roster.release.size + 1.0)
        low, high = np.full(len(entries), -bound), np.full(len(entries), bound)
        believed, middle = np.zeros(len(cells)), low
        for _ in range(100 if len(cells) else 0):
            middle = (low + high) / 2
            believed = 1 / (1 + np.exp(-(score + middle[entry])))
            short = sum_by(entry, believed * roster.people[cells], len(entries)) < counts
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        log_bound = np.logaddexp(0.0, score + middle[entry]) * roster.people[cells]
        return believed, float(log_bound.sum() - (counts * middle).sum())


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The expectation of people with multisets of values: how many occurrences each is expected to have."""

    roster: Roster

    @property
    def states(self) -> Floats:
        """One each: rates need no more."""
        return np.ones(len(self.roster.entries[0]))

    @property
    def exactly(self) -> Flags:
        """All of them."""
        return np.ones(len(self.roster.entries[0]), bool)

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Return n·r_i, where `scores` are logarithms of rates, and Σ n·ln Σ rates over groups and values."""
        roster = self.roster
        # the largest rate of each entry becomes 1 before exp; ln Σ takes it back below
        highest = np.full(len(roster.entries[0]), -np.inf)
        np.maximum.at(highest, roster.entry, scores)
        rates = np.exp(scores - highest[roster.entry])
        sums = sum_by(roster.entry, rates * roster.people, len(highest))
        log_rate = (np.log(sums) + highest) * roster.entries[2]
        return roster.count * rates / sums[roster.entry], float(log_rate.sum())
