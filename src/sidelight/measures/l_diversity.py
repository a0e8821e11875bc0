"""How few different values does a group have?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sidelight.measures.exact import Floats
from sidelight.measures.finding import Amount, Finding, Witness, in_words
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.columns import Integers


@dataclass(frozen=True)
class DistinctValues(GroupByGroup):
    """How many different values does the group with the fewest of them have?

    min_g |{x : n_g(x) > 0}|.  At least ℓ is distinct ℓ-diversity: whoever rules out ℓ − 2 values still has two
    to choose from, however unlike their frequencies.  In a group in which nobody has a value it is 0.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 3}])
    >>> finding = DistinctValues().measure(release)
    >>> finding.value, finding.witness.group.number
    (Fraction(1, 1), 2)
    >>> print(finding.explain())
    Everybody in group 2 has the same value: whoever finds a person there knows it.

    Source: Machanavajjhala et al., l-Diversity, ICDE 2006.
    """

    name: ClassVar[str] = "distinct values"
    large_is_bad: ClassVar[bool] = False
    whole_numbers: ClassVar[bool] = True
    limits = (1, float("inf"))
    when_groups_merge = Trend.NEVER_FALLS

    def scores(self, groups: Groups) -> Floats:
        """Count the different values of every group."""
        return np.array(np.count_nonzero(groups.counts.dense(), axis=1), np.float64)

    def alike(self, groups: Groups, rows: Integers) -> Integers:
        """Only how many they are counts."""
        return np.array(np.count_nonzero(groups.counts.take(rows).dense(), axis=1))[:, np.newaxis]

    def exactly(self, groups: Groups, row: int) -> Amount:
        """Count the different values of one group."""
        return Fraction(int(np.count_nonzero(groups.counts.row(row))))

    def explain(self, finding: Finding) -> str:
        """Name the group with the fewest values."""
        assert finding.witness is not None
        where = finding.witness.group
        if finding.value == 0:
            return f"Nobody in {where} has any value: whoever finds a person there knows that."
        if finding.value == 1:
            return f"Everybody in {where} has the same value: whoever finds a person there knows it."
        return f"The people in {where} have {in_words(finding.value)} different values; no group has fewer."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the different values of the group again."""
        counts = release.group(witness.group).counts.row(0).tolist()
        return Fraction(sum(1 for count in counts if count > 0))
