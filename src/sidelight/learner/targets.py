"""What does an attacker believe about a person known exactly, knowing nobody else?  No roster, naive Bayes.

Symbols     group g prints a region R_gj in each column j; m_j(R | s) = Σ_{v ∈ R} m_j(v | s).
Belief      Pr(x_t = s) ∝ n_g(s) · Π_j m_j(q_tj | s) / m_j(R_gj | s), for the group g of target t.
Learning    m_j(v | s) = (α + c_j(v, s)) / (α·V_j + Σ_v c_j(v, s)), where c_j spreads the n_g(s) over the labels of R_gj
            in proportion to m_j as it was: Σ_g n_g(s) · [v ∈ R_gj] · m_j(v | s) / m_j(R_gj | s).  It begins even.

Groups that print the same label in a column are one there, so that a round costs labels × printed labels × values.  A
label that the targets have and no group prints cannot be: they are in no group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sidelight.arrays import Floats, Integers, sum_by
from sidelight.errors import BadMeasure, parameter
from sidelight.learner.roster import Roster
from sidelight.learner.training import CLOSE, Trained, log_label_shares
from sidelight.progress import Progress
from sidelight.release.label_order import LabelOrder
from sidelight.release.printing import Nodes
from sidelight.table.table import Column


@dataclass(frozen=True, eq=False, slots=True)
class PrintedColumn:
    """One column: which labels each printed one covers, and how often each value occurs where it is printed.

    `at_label` and `at_region` are the places of each cell of the roster: of its label and value, and of what its group
    prints and value.
    """

    covers: Floats  # printed labels × labels, 0 or 1
    counts: Floats  # printed labels × values
    at_label: Integers
    at_region: Integers

    @classmethod
    def of(cls, known: Column, printed: Column, nodes: Nodes | None, roster: Roster) -> PrintedColumn:
        """Read what is printed, and count the groups' values by it."""
        values, members = len(roster.release.domain), roster.members
        order = LabelOrder(known.labels, nodes)
        covered = order.find_each_covered(printed.labels)
        covers = np.zeros((len(printed.labels), len(known.labels)))
        for at in range(len(printed.labels)):
            for start, stop in covered.list_stretches(at):
                covers[at, start:stop] = 1.0
        row, value, count = roster.entries
        # entries (group, value) are added up to (printed labels, values)
        by_label = sum_by(printed.codes[row] * values + value, count, len(printed.labels) * values)
        # columns of `covers` stood in the order of labels, and go back to that of their codes
        return cls(
            covers[:, order.position],
            by_label.reshape(-1, values),
            known.codes[members.key[roster.line]].astype(np.int64) * values + roster.value,
            printed.codes[members.group[roster.line]].astype(np.int64) * values + roster.value,
        )

    def learn(self, shares: Floats) -> Floats:
        """Spread the counts in proportion to m_j, and return the next ln m_j: (labels, values) float64."""
        in_region = self.covers @ shares
        # (labels, values), times (labels, printed) by (printed, values)
        spread = shares * (self.covers.T @ (self.counts / np.maximum(in_region, np.finfo(float).tiny)))
        return log_label_shares(spread)

    def scores(self, log_shares: Floats) -> Floats:
        """Return ln m_j(q | s) − ln m_j(R | s) per cell."""
        log_region = np.log(np.maximum(self.covers @ np.exp(log_shares), np.finfo(float).tiny))
        return log_shares.ravel().take(self.at_label) - log_region.ravel().take(self.at_region)


def train_without_roster(roster: Roster, nodes: Mapping[str, Nodes], *, rounds: int, progress: Progress) -> Trained:
    """Train on what the groups print, and return the beliefs about the targets, which are the lines of `roster`."""
    release = roster.release
    if release.semantics != "single":
        message = (
            f"without a roster only people with one value each can be judged, and this release has "
            f"{parameter('values', release.semantics)}; give {parameter('roster')}"
        )
        raise BadMeasure(message)
    printed = {column.name: column for column in release.groups.columns}
    values = len(release.domain)
    columns = [
        PrintedColumn.of(known, printed[known.name], nodes.get(known.name), roster)
        for known in roster.columns
        if known.name in printed
    ]
    # even at first: no label is likelier than another, whatever the value
    log_shares = [np.full((each.covers.shape[1], values), -np.log(each.covers.shape[1])) for each in columns]
    beliefs = roster.shares
    for done in range(1, rounds + 1):
        progress("training rounds", done - 1, rounds)
        log_shares = [each.learn(np.exp(shares)) for each, shares in zip(columns, log_shares, strict=True)]
        score = np.log(roster.count.astype(float))
        for each, shares in zip(columns, log_shares, strict=True):
            score += each.scores(shares)
        before, beliefs = beliefs, _normalise_lines(roster, score)
        if np.abs(beliefs - before).max(initial=0.0) < CLOSE:
            return Trained(beliefs, None, done)
    return Trained(beliefs, None, rounds)


def _normalise_lines(roster: Roster, score: Floats) -> Floats:
    """Return beliefs per cell from their logarithms, so that those of each line add up to 1."""
    # the largest weight of each line becomes 1, so that exp does not overflow
    highest = np.maximum.reduceat(score, roster.cell_starts[:-1])
    weight = np.exp(score - highest[roster.line])
    normalised: Floats = weight / sum_by(roster.line, weight, len(roster))[roster.line]
    return normalised
