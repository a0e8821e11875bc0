"""What is believed in groups with too many states: W_is = r_i · P_i(s) · λ_s, with row sums 1 and column sums n_s.

Scaling rows and columns in turn (Sinkhorn) gives the assignment probabilities of large groups nearly: of random groups
of 5, 12, 30 and 60 people the largest error is 0.17, 0.08, 0.02 and 0.01, towards doubt.  Not for small groups: of two
people it gives √r/(1 + √r) in place of r/(1 + r).

The λ of the last round are where the next one begins; a line of p people counts p times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight._arrays import Flags, Floats, Integers, sum_by
from sidelight.learner.roster import Roster

CLOSE = 1e-4
"""Column sums are right to this share of a person, which training cannot tell."""

MOST = 1000
"""So many times rows and columns are scaled at most."""


@dataclass(frozen=True, eq=False)
class Sinkhorn:
    """Cells of some groups, with the scale of each group's values, which is carried along."""

    cells: Integers  # their places among all cells
    line: Integers  # numbered from 0
    entry: Integers  # numbered from 0
    people: Floats  # of the line, per cell
    counts: Floats  # per entry
    log_scale: Floats  # ln λ per entry
    size: int  # how many cells there are in all

    @classmethod
    def of(cls, roster: Roster, groups: Flags) -> Sinkhorn:
        """Take the cells of these groups."""
        cells = np.flatnonzero(groups[roster.members.group[roster.line]])
        _, line = np.unique(roster.line[cells], return_inverse=True)
        entries, entry = np.unique(roster.entry[cells], return_inverse=True)
        counts = roster.entries[2][entries].astype(float)
        return cls(cells, line, entry, roster.people[cells], counts, np.log(counts), len(roster.line))

    def expect(self, scores: Floats) -> Floats:
        """Give the beliefs of these cells among all cells, 0 elsewhere."""
        beliefs = np.zeros(self.size)
        if not len(self.cells):
            return beliefs
        score, lines = scores[self.cells], int(self.line[-1]) + 1
        starts = np.flatnonzero(np.diff(self.line, prepend=-1))
        score = score + self.log_scale[self.entry]
        weight = np.exp(score - np.maximum.reduceat(score, starts)[self.line])
        for _ in range(MOST):
            weight /= np.bincount(self.line, weight, lines)[self.line]
            sums = sum_by(self.entry, weight * self.people, len(self.counts))
            if np.abs(sums - self.counts).max() < CLOSE:
                break
            scale = self.counts / np.maximum(sums, np.finfo(float).tiny)
            self.log_scale[:] += np.log(scale)
            weight *= scale[self.entry]
        beliefs[self.cells] = weight
        return beliefs
