"""Who of a group has a value, where people have sets or multisets of them?  Value by value.

Sets        exactly n of the N people have the value; with odds o_i, W_i = o_i · e_{n−1}(o without i) / e_n(o), where e
            are the elementary symmetric polynomials.  That is an assignment of "has" to n people and "has not" to the
            others, of weights o_i and 1: the same forward–backward as for one value each (`assignments`).  Beyond
            `exact_up_to` states W_i = λ·o_i / (1 + λ·o_i), with λ such that they add up to n.
Multisets   the n occurrences go to people at rates; r_i = rate_i / Σ rates, and Pr(person i has some) is
            1 − (1 − r_i)^n.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight._arrays import Flags, Floats, Integers, number_rows, starts_of, sum_by
from sidelight.learner.assignments import AT_ONCE, LEAST, forward_backward
from sidelight.learner.roster import Roster

HALVINGS = 100
"""So many times the interval of ln λ is halved."""


@dataclass(frozen=True, eq=False)
class SetAssignments:
    """The expectation of people with sets of values."""

    roster: Roster
    exact_up_to: int

    @cached_property
    def sizes(self) -> Integers:
        """How many people the group of each entry has."""
        return self.roster.release.groups.sizes[self.roster.entries[0]]

    @cached_property
    def exactly(self) -> Flags:
        """Which entries (group and value) are gone through exactly."""
        counts = self.roster.entries[2]
        flags: Flags = (counts + 1) * (self.sizes - counts + 1) <= self.exact_up_to
        return flags

    @cached_property
    def patterns(self) -> tuple[tuple[tuple[int, int], Integers], ...]:
        """Entries by how many have the value and how many have not: the cells of their people, people × entries."""
        roster, counts = self.roster, self.roster.entries[2]
        several = np.flatnonzero(self.exactly & (counts < self.sizes))
        pairs, first = number_rows(
            [counts[several], self.sizes[several]],
            [int(counts.max(initial=0)) + 1, int(self.sizes.max(initial=0)) + 1],
            rows=len(several),
        )
        person_line = np.repeat(np.arange(len(roster)), roster.members.people)
        person_starts = starts_of(roster.members.group[person_line], len(roster.release))
        patterns = []
        for which, at in enumerate(first.tolist()):
            entries = several[pairs == which]
            have, size = int(counts[several[at]]), int(self.sizes[several[at]])
            group = roster.entries[0][entries]
            lines = person_line[person_starts[group] + np.arange(size)[:, np.newaxis]]
            cells = roster.cell_starts[lines] + (entries - roster.group_starts[group])
            patterns.append(((have, size - have), cells))
        return tuple(patterns)

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Give the beliefs, where `scores` are logarithms of odds, and ln Π e_n(o) of what is gone through exactly."""
        roster = self.roster
        beliefs = np.zeros(len(scores))
        everybody = roster.count == roster.group_size
        likelihood = float((scores * roster.people)[everybody].sum())
        for counts, cells in self.patterns:
            step = max(AT_ONCE // (2 * (counts[0] + 1) * (counts[1] + 1)), 1)
            for start in range(0, cells.shape[1], step):
                block = cells[:, start : start + step]
                score = scores[block]
                highest = np.maximum(score, 0.0)
                weights = np.stack((np.exp(score - highest), np.exp(-highest)), axis=1)
                believed, log_likelihood = forward_backward(np.maximum(weights, LEAST), counts)
                np.add.at(beliefs, block, believed[:, 0])
                likelihood += float(log_likelihood.sum() + highest.sum())
        beliefs /= roster.people
        beliefs[everybody] = 1.0
        tilted = np.flatnonzero(~self.exactly[roster.entry] & ~everybody)
        beliefs[tilted] = self._tilted(scores, tilted)
        return beliefs, likelihood

    def _tilted(self, scores: Floats, cells: Integers) -> Floats:
        """Find λ by halving: the sum grows with it."""
        roster = self.roster
        entries, entry = np.unique(roster.entry[cells], return_inverse=True)
        counts, score = roster.entries[2][entries], scores[cells]
        bound = np.abs(score).max(initial=0.0) + np.log(roster.release.size + 1.0)
        low, high = np.full(len(entries), -bound), np.full(len(entries), bound)
        believed = np.zeros(len(cells))
        for _ in range(HALVINGS if len(cells) else 0):
            middle = (low + high) / 2
            believed = 1 / (1 + np.exp(-(score + middle[entry])))
            short = sum_by(entry, believed * roster.people[cells], len(entries)) < counts
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return believed


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The expectation of people with multisets of values: how many occurrences each is expected to have."""

    roster: Roster

    @property
    def exactly(self) -> Flags:
        """All of them."""
        return np.ones(len(self.roster.entries[0]), bool)

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Give n·r_i, where `scores` are logarithms of rates; its likelihood is of no use to anybody."""
        roster = self.roster
        highest = np.full(len(roster.entries[0]), -np.inf)
        np.maximum.at(highest, roster.entry, scores)
        rates = np.exp(scores - highest[roster.entry])
        sums = sum_by(roster.entry, rates * roster.people, len(highest))
        return roster.count * rates / sums[roster.entry], 0.0
