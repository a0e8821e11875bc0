"""Acquaintance in floats, group by group: five logarithms per value, of which a release keeps the smallest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sidelight.measures.exact import Floats
from sidelight.measures.privacy_skyline.cells import ruled_out_weights
from sidelight.measures.privacy_skyline.five_minima import WAYS, Knowledge, five, reach
from sidelight.measures.privacy_skyline.odds import ODDS
from sidelight.measures.screening import Outline
from sidelight.release.groups import Groups
from sidelight.table.columns import Integers


@dataclass(frozen=True)
class AcquaintanceOutline(Outline):
    """Five logarithms of odds per value asked about; the smallest of each decide."""

    knows: Knowledge
    asked: Callable[[Groups], Integers]

    @property
    def group_by_group(self) -> bool:
        """When nothing is known about other people, other groups do not matter."""
        return self.knows.others == 0 and self.knows.family == 0

    def of(self, groups: Groups) -> Floats:
        """Give each group its logarithms."""
        asked = self.asked(groups)
        n, a = groups.sizes[:, np.newaxis], groups.counts.dense()[:, asked]
        there, some = a > 0, np.maximum(a, 1)
        weights = ruled_out_weights(groups, a, self.knows.rules_out)
        odds = ODDS[groups.semantics]
        parts = []
        for which in five(self.knows):
            logs = np.zeros(a.shape)
            if which.target is not None:
                logs = logs + np.where(there, odds.against(n, some, weights, which.target), np.inf)
            if which.family is not None:
                logs = logs + np.where(there, odds.none(n, some, self.knows.family, which.family), 0.0)
            parts.append(logs)
        return np.hstack(parts)

    def slack(self, people: int) -> float:
        """As much as logarithms may be off; a value, between 0 and 1, is off by a quarter of that at most."""
        return float(reach(0.0, min(self.knows.family, people)))

    def alike(self, groups: Groups) -> Integers:
        """The size and all counts; where every value is asked about, which is which does not matter."""
        counts = groups.counts.dense()
        every = len(self.asked(groups)) == counts.shape[1]
        return np.column_stack((groups.sizes, np.sort(counts, axis=1) if every else counts))

    def join(self, one: Floats, other: Floats) -> Floats:
        """Keep the smaller ones."""
        return np.minimum(one, other)

    def value(self, rows: Floats) -> Floats:
        """Give 1/(1+NR) for the value with the least odds against it."""
        logs = rows.reshape(len(rows), 5, -1)
        least = np.min([logs[:, way].sum(axis=1) for way in map(list, WAYS)], axis=0).min(axis=1, initial=np.inf)
        risk: Floats = 1 / (1 + np.exp(least))
        return risk
