"""How sure can someone get who knows something about the target, about others, and about the target's family?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import ClassVar

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.measures.amounts import whole_amount
from sidelight.measures.finding import Amount, Finding, Witness
from sidelight.measures.measure import Measure
from sidelight.measures.privacy_skyline.exact import DECIMALS, REPORTED
from sidelight.measures.privacy_skyline.five_minima import FiveMinima, Knowledge, place_in
from sidelight.measures.privacy_skyline.outline import AcquaintanceOutline
from sidelight.measures.privacy_skyline.summary import AcquaintanceSummary, length
from sidelight.measures.privacy_skyline.witness import AcquaintanceWitness
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.columns import Integers
from sidelight.table.counts import CELLS_AT_ONCE
from sidelight.table.labels import Label, label
from sidelight.table.table import Semantics
from sidelight.worlds.investigation import by_every_world, few_worlds, odds

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
    when_groups_merge = Trend.NEVER_RISES

    def __post_init__(self) -> None:
        for each in ("rules_out", "others", "family"):
            object.__setattr__(self, each, whole_amount(self.name, each, getattr(self, each)))
        if self.value is not None and self.apart_from:
            message = "'acquaintance' has both value= and apart_from=; give one of them"
            raise BadMeasure(message)
        object.__setattr__(self, "value", label(self.value))
        object.__setattr__(self, "apart_from", tuple(label(each) for each in self.apart_from))

    def trend(self, semantics: Semantics) -> Trend:
        """Never rises in `single`; where people have several values, merging may help an attacker."""
        return self.when_groups_merge if semantics == "single" else Trend.UNKNOWN

    def summarize(self, groups: Groups) -> AcquaintanceSummary:
        """Keep the five minima of each value asked about."""
        knows = Knowledge(self.rules_out, self.others, self.family)
        return AcquaintanceSummary(self, FiveMinima.of(groups, self._asked(groups), knows))

    def measure(self, release: Release) -> Finding:
        """Answer for a release."""
        self.check(release)
        summaries = (self.summarize(block) for block in self._blocks(release.groups))
        return reduce(AcquaintanceSummary.merge, summaries).finding()

    def outline(self) -> AcquaintanceOutline:
        """The five logarithms of each group and value."""
        return AcquaintanceOutline(Knowledge(self.rules_out, self.others, self.family), self._asked)

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
