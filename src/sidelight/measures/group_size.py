"""How small is the smallest group?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sidelight.measures.finding import Amount, Finding, Witness, in_words
from sidelight.measures.measure import Measure, Worst
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release


@dataclass(frozen=True)
class GroupSize(Measure):
    """How small is the smallest group of people who look alike?

    min_g n_g, in people.  At least k is k-anonymity: it keeps a person from being found, and says nothing
    about what the group reveals.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}])
    >>> finding = GroupSize().measure(release)
    >>> finding.value, finding.witness.group.number
    (Fraction(2, 1), 2)

    Source: Samarati and Sweeney, 1998.
    """

    name: ClassVar[str] = "group size"
    large_is_bad: ClassVar[bool] = False
    limits = (1, float("inf"))
    when_groups_merge = Trend.NEVER_FALLS

    def summarize(self, groups: Groups) -> Worst:
        """Keep the smallest group."""
        row = int(groups.sizes.argmin())
        return Worst(self, Fraction(int(groups.sizes[row])), Witness(groups.name(row)))

    def explain(self, finding: Finding) -> str:
        """Name the smallest group."""
        assert finding.witness is not None
        people = "person stands" if finding.value == 1 else "people stand"
        return f"In {finding.witness.group} {in_words(finding.value)} {people} for one another; no group is smaller."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the people of the group again."""
        return Fraction(int(release.group(witness.group).sizes[0]))
