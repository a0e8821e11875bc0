"""Does a release hold against so much knowledge?  For many points at once: floats where clear, exact where close."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.measures.exact import Floats
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.measures.privacy_skyline.exact import COMPARED, DECIMALS, FRACTIONS, Arithmetic, Number
from sidelight.measures.privacy_skyline.five_minima import WAYS, FiveMinima, Knowledge, Place, five, reach
from sidelight.measures.privacy_skyline.odds import ODDS
from sidelight.measures.privacy_skyline.pareto import Frontier
from sidelight.measures.privacy_skyline.summary import AcquaintanceSummary
from sidelight.release.groups import Groups
from sidelight.table.columns import Integers

Flags: TypeAlias = npt.NDArray[np.bool_]

CELLS_AT_ONCE = 1 << 19
"""How many (point, group) pairs are computed at once."""


@dataclass(frozen=True, eq=False, slots=True)
class Holds:
    """Whether NR stays above the odds of a limit: (1 − c)/c for a risk below c."""

    groups: Groups
    value: int
    frontier: Frontier
    odds: Fraction

    def at(self, rules_out: Integers, others: Integers, family: Integers) -> Flags:
        """Answer for points given coordinate by coordinate."""
        step = max(CELLS_AT_ONCE // self.frontier.sizes.shape[1], 1)
        cuts = range(0, len(rules_out), step)
        parts = [self._some(rules_out[i : i + step], others[i : i + step], family[i : i + step]) for i in cuts]
        return np.concatenate(parts)

    def _some(self, rules_out: Integers, others: Integers, family: Integers) -> Flags:
        against = self._log_odds(rules_out, others[:, np.newaxis], family[:, np.newaxis])
        if self.odds == 0:  # below 1: floats are minus infinity only where the odds are exactly zero
            return ~np.isneginf(against)
        limit = np.log(float(self.odds.numerator)) - np.log(float(self.odds.denominator))
        holds: Flags = against > limit
        near = np.isfinite(against) & (np.abs(against - limit) <= reach(limit, int(family.max(initial=0))))
        for point in np.flatnonzero(near).tolist():
            holds[point] = self._exactly(Knowledge(int(rules_out[point]), int(others[point]), int(family[point])))
        return holds

    def _log_odds(self, rules_out: Integers, k: Integers, m: Integers) -> Floats:
        """Compute ln NR from the groups that no other dominates."""
        line, odds = self.frontier, ODDS[self.frontier.semantics]
        n, a, weight = line.sizes[rules_out], line.counts[rules_out], line.ruled_out[rules_out]
        target = odds.against(n, a, weight, k)
        together = (target + odds.none(n, a, m, k + 1)).min(axis=1)
        family_n, family_a = line.family_sizes[np.newaxis], line.family_counts[np.newaxis]
        apart = target.min(axis=1) + odds.none(family_n, family_a, m, 0).min(axis=1)
        bare = odds.against(line.sizes, line.counts, line.ruled_out, 0).min(axis=1)[rules_out]
        elsewhere = bare + odds.none(family_n, family_a, m, k).min(axis=1)
        least: Floats = np.minimum(together, np.minimum(apart, elsewhere))
        return least

    def _exactly(self, knows: Knowledge) -> bool:
        line = self.frontier
        if line.semantics == "set":  # here floats stand for products of whole numbers: look at the groups again
            minima = FiveMinima.of(self.groups, np.array([self.value]), knows)
            return AcquaintanceSummary(Acquaintance(*knows), minima).finding().value < 1 / (1 + self.odds)
        columns = (line.sizes[knows.rules_out], line.counts[knows.rules_out], line.ruled_out[knows.rules_out])
        triples = zip(*(column.tolist() for column in columns), strict=True)
        targets = [Place(line.semantics, n, a, (ruled_out,)) for n, a, ruled_out in triples]
        pairs = zip(line.family_sizes.tolist(), line.family_counts.tolist(), strict=True)
        families = [Place(line.semantics, n, a, ()) for n, a in pairs]
        length = max(place.length(knows.family) for place in targets) + max(
            each.length(knows.family) for each in families
        )
        if length <= COMPARED:
            return FRACTIONS.exceed(_odds(targets, families, knows, FRACTIONS), self.odds)
        with DECIMALS.working():
            return DECIMALS.exceed(_odds(targets, families, knows, DECIMALS), self.odds)


def _odds(targets: list[Place], families: list[Place], knows: Knowledge, using: Arithmetic[Number]) -> Number:
    """Compute NR exactly."""
    least = [
        min(place.odds(which, knows.family, using) for place in (families if which.target is None else targets))
        for which in five(knows)
    ]
    return min(prod((least[which] for which in way), start=using.ratio(1, 1)) for way in WAYS)
