"""From five minima to a finding: the worst value, exactly, with its witness."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.measures.exact import Floats, first_of_each
from sidelight.measures.finding import Amount, Finding
from sidelight.measures.measure import Measure
from sidelight.measures.privacy_skyline.cast import cast
from sidelight.measures.privacy_skyline.exact import COMPARED, DECIMALS, FRACTIONS, REPORTED, Arithmetic, Number
from sidelight.measures.privacy_skyline.five_minima import UNLIKE, WAYS, FiveMinima, Place, five, reach
from sidelight.table.columns import Integers
from sidelight.table.labels import shown


@dataclass(frozen=True, eq=False, slots=True)
class AcquaintanceSummary:
    """The five minima of each value asked about."""

    measure: Measure
    minima: FiveMinima

    def merge(self, other: AcquaintanceSummary) -> AcquaintanceSummary:
        """Combine with the summary of other groups of the same release."""
        return AcquaintanceSummary(self.measure, self.minima.merge(other.minima))

    def finding(self) -> Finding:
        """Report the worst value; of equally bad ones the first in the domain."""
        against = self.minima.against()
        low = against.min(initial=np.inf)
        if low == np.inf:
            return Finding(self.measure, Fraction(0), None, (self._nobody(),))
        near = self._too_close(against)
        value, way = _least(self.minima, [(value, way) for value in near.tolist() for way in range(len(WAYS))])
        risk = Fraction(1) if low == -np.inf else _risk(self.minima, value, way)
        return Finding(self.measure, risk, cast(self.minima, way, value))

    def _too_close(self, against: Floats) -> Integers:
        """List the values that floats cannot tell from the worst; of those alike in all traits the first."""
        low = against.min()
        if low == -np.inf:  # floats say so only of odds that are exactly zero
            return np.array([against.argmin()])
        near = np.flatnonzero(against <= low + reach(low, self.minima.knows.family))
        traits = self.minima.traits[:, :, near]
        if (traits[2] == UNLIKE).any():
            return near
        return near[first_of_each(traits.reshape(-1, len(near)).T)]

    def _nobody(self) -> str:
        asked = [shown(self.minima.domain[place]) for place in self.minima.asked.tolist()]
        return (
            f"nobody in the release has '{asked[0]}'" if len(asked) == 1 else "nobody has any of the values asked about"
        )


def length(places: Iterable[Place], family: int) -> int:
    """Estimate how many bits the odds have as a fraction, when target and family sit in these groups."""
    return sum(place.length(family) for place in places)


def _places(minima: FiveMinima, value: int, way: int) -> list[Place]:
    return [minima.place(which, value) for which in WAYS[way]]


def _least(minima: FiveMinima, candidates: list[tuple[int, int]]) -> tuple[int, int]:
    """Choose the (value, way) with the least exact odds; of equal ones the first."""
    m = minima.knows.family
    longest = max(length(_places(minima, value, way), m) for value, way in candidates)
    if longest <= COMPARED:
        return min(candidates, key=lambda each: _odds(minima, each, FRACTIONS))
    with DECIMALS.working():
        return min(candidates, key=lambda each: _odds(minima, each, DECIMALS))


def _odds(minima: FiveMinima, candidate: tuple[int, int], using: Arithmetic[Number]) -> Number:
    """Compute NR along one of the three ways."""
    value, way = candidate
    result = using.ratio(1, 1)
    for which, place in zip(WAYS[way], _places(minima, value, way), strict=True):
        result *= place.odds(five(minima.knows)[which], minima.knows.family, using)
    return result


def _risk(minima: FiveMinima, value: int, way: int) -> Amount:
    if length(_places(minima, value, way), minima.knows.family) <= REPORTED:
        return FRACTIONS.risk(_odds(minima, (value, way), FRACTIONS))
    with DECIMALS.working():
        return DECIMALS.risk(_odds(minima, (value, way), DECIMALS))
