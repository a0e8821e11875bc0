"""How likely is each value of a person about, where the facts are too hard to count?

The values of a person's group are looked at in the same worlds, drawn at random and equally likely given the facts
(`estimate`); what was believed before the facts is exact.  A value that nobody in the group has needs no worlds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.errors import TooHard, parameter
from sidelight.knowledge.facts import Fact, Has
from sidelight.knowledge.people import Who, person_text
from sidelight.release.groups import GroupName
from sidelight.release.locate import Lookup
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.effort import Effort
from sidelight.worlds.estimate import Estimate
from sidelight.worlds.posterior import Belief, Observer


@dataclass(frozen=True, slots=True)
class EstimatedBelief:
    """How likely each value of a person is about, to one who knows the facts, and what it was exactly before them."""

    person: Who
    group: GroupName
    before: Mapping[Label, Fraction]
    after: Mapping[Label, Estimate]
    notes: tuple[str, ...] = ()  # what was assumed to find people

    def __str__(self) -> str:
        return person_text(self.person)


def estimate_belief(
    release: Release,
    facts: Sequence[Fact],
    before: Belief,
    *,
    effort: Effort,
    lookup: Lookup,
    rng: np.random.Generator,
    samples: int,
    confidence: float,
) -> EstimatedBelief:
    """Estimate what one who knows the facts believes about a person of whom this was believed before."""
    observer = Observer.identify(release, facts, people=[before.person], effort=effort, lookup=lookup)
    # only values that occur need worlds: all others are impossible, exactly
    values = [value for value in before if before[value]]
    targets = [Has(before.person, value) for value in values]
    estimates = observer.estimates(targets, rng=rng, samples=samples, confidence=confidence)
    if not estimates:
        message = (
            f"of the worlds that were drawn, none fits the facts; draw more with {parameter('samples')}, "
            f"or count more with {parameter('states')} and {parameter('seconds')}"
        )
        raise TooHard(message)
    never = Estimate.exactly(Fraction(0), confidence)
    after = dict.fromkeys(before, never) | dict(zip(values, estimates, strict=True))
    return EstimatedBelief(before.person, before.group, before.before, after, observer.notes)
