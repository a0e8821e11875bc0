"""How sure can someone get who knows something about the target, about others, and about the target's family?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import ClassVar

import numpy as np

from sidelight._arrays import Floats, Integers, first_of_each
from sidelight.errors import BadMeasure
from sidelight.measures.exact import Amount
from sidelight.measures.measure import Finding, Measure, Monotonicity, Witness, whole_amount
from sidelight.measures.privacy_skyline.five_minima import (
    UNLIKE,
    WAYS,
    FiveMinima,
    Knowledge,
    Place,
    five,
    place_in,
    reach,
    ruled_out_weights,
)
from sidelight.measures.privacy_skyline.odds import COMPARED, DECIMALS, FRACTIONS, ODDS, REPORTED, Arithmetic, Number
from sidelight.measures.privacy_skyline.witness import AcquaintanceWitness, cast
from sidelight.measures.screening import Screen
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import CELLS_AT_ONCE, Semantics
from sidelight.worlds.closed_forms import by_every_world, few_worlds, odds

FEW_WORLDS = 2_000
"""Up to so many worlds are gone through one by one when a witness is replayed."""


@dataclass(frozen=True)
class Acquaintance(Measure):
    """How sure can someone get who knows this much about the target, about others, and about the target's family?

    Of at most ℓ = `rules_out` values she knows that the target does not have them, of k = `others` other people
    their values, of m = `family` people that, if one of them has the value, so has the target.  The worst over all
    targets, people and values; max Pr(t has σ | knowledge) = 1/(1+NR).  With `value`, for that σ alone; else the
    worst over all values `apart_from` those named.  Where a person may have several values, she knows "if the target
    has x, then σ" of ℓ values, and of k others that they do not have σ.

    >>> hospital = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}, {"Flu": 1, "Cold": 3}])
    >>> finding = Acquaintance(rules_out=1).measure(hospital)
    >>> finding.value
    Fraction(1, 1)
    >>> print(Acquaintance(rules_out=1, value="Heart disease").measure(hospital).explain())
    In group 1 anyone, the target, could be shown to have Heart disease with probability 1/3 by someone who knows that \
the target does not have Flu.

    Source: Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007.
    """

    rules_out: int = 0
    others: int = 0
    family: int = 0
    value: Label = None
    apart_from: tuple[Label, ...] = ()

    name: ClassVar[str] = "acquaintance"
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING

    def __post_init__(self) -> None:
        for each in ("rules_out", "others", "family"):
            object.__setattr__(self, each, whole_amount(self.name, each, getattr(self, each)))
        if self.value is not None and self.apart_from:
            message = "'acquaintance' has both value= and apart_from=; give one of them"
            raise BadMeasure(message)
        object.__setattr__(self, "value", label(self.value))
        object.__setattr__(self, "apart_from", tuple(label(each) for each in self.apart_from))

    def monotonicity(self, semantics: Semantics) -> Monotonicity:
        """Never rises in `single`; where people have several values, merging may help an attacker."""
        return self.when_groups_merge if semantics == "single" else Monotonicity.UNKNOWN

    def summarize(self, groups: Groups) -> AcquaintanceSummary:
        """Keep the five minima of each value asked about."""
        knows = Knowledge(self.rules_out, self.others, self.family)
        return AcquaintanceSummary(self, FiveMinima.of(groups, self._asked(groups), knows))

    def measure(self, release: Release) -> Finding:
        """Answer for a release."""
        self.check(release)
        summaries = (self.summarize(block) for block in self._blocks(release.groups))
        return reduce(AcquaintanceSummary.merge, summaries).finding()

    def screen(self) -> AcquaintanceScreen:
        """The five logarithms of each group and value."""
        return AcquaintanceScreen(Knowledge(self.rules_out, self.others, self.family), self._asked)

    def explain(self, finding: Finding) -> str:
        """Tell the worst investigation."""
        if not isinstance(finding.witness, AcquaintanceWitness):
            return "Nobody can be shown to have it: " + "; ".join(finding.notes) + "."
        return finding.witness.explain(finding.value)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds that fit what the witness knows: one by one when few, in lumps when many."""
        assert isinstance(witness, AcquaintanceWitness)
        found = witness.investigation()
        if few_worlds(release, found, FEW_WORLDS):
            return by_every_world(release, found)
        sigma = release.groups.place(witness.value)
        numbers = dict.fromkeys([found.group, found.family.group if found.family else found.group])
        places = [place_in(release.group(number), 0, sigma, self.rules_out) for number in numbers]
        if length(places, self.family) <= REPORTED:
            has, lacks = odds(release, found, Fraction)
            return has / (has + lacks)
        with DECIMALS.working():
            likely, unlikely = odds(release, found, DECIMALS.ratio)
            return DECIMALS.risk(unlikely / likely) if likely else Fraction(0)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Knowledge in each direction and in all, of one value, of all, and of all but one."""
        one = next((text for text in domain if text is not None), None)
        return (
            cls(rules_out=1),
            cls(others=2, value=one),
            cls(rules_out=1, others=1, family=1),
            cls(others=1, family=2, apart_from=domain[:1]),
        )

    def _blocks(self, groups: Groups) -> Iterator[Groups]:
        """Cut sparse counts only by what is kept of them, the ℓ+1 largest of each group: they are never spread out."""
        if groups.counts.cells is not None:
            yield from groups.blocks()
            return
        step = CELLS_AT_ONCE // (min(self.rules_out, groups.counts.width) + 1) + 1
        for start in range(0, len(groups), step):
            yield groups.take(slice(start, start + step))

    def _asked(self, groups: Groups) -> Integers:
        if self.value is not None:
            return np.array([groups.place(self.value)])
        apart = {groups.place(text) for text in self.apart_from}
        return np.array([place for place in range(len(groups.domain)) if place not in apart], np.int64)


# ----------------------------------------------------------------------------------------------------
# From five minima to a finding: the worst value, exactly, with its witness.
# ----------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------
# Acquaintance in floats, group by group: five logarithms per value, of which a release keeps the smallest.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AcquaintanceScreen(Screen):
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
