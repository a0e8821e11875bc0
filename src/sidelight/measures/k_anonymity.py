"""How small is the smallest group (equivalence class)?

k-anonymity, the first of the classics: the statistic of a group is its size n_g, and its value is that number itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sidelight.arrays import Integers
from sidelight.measures.attacker import ROW, Attacker
from sidelight.measures.exact import Amount, Arithmetic, Numbers
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.group_by_group import FormulaMeasure
from sidelight.measures.measure import Monotonicity
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.rounding import in_words


@dataclass(frozen=True)
class GroupSize(FormulaMeasure):
    """How small is the smallest group of people who look alike?

    min_g n_g, in people.  At least k is k-anonymity: it keeps a person from being found, and says nothing
    about what the group reveals.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}])
    >>> finding = GroupSize().measure(release)
    >>> finding.value, finding.witness.group.number
    (Fraction(2, 1), 2)
    >>> print(finding.explain())
    In group 2, 2 people stand for one another; no group is smaller.

    Source: Samarati and Sweeney, Protecting Privacy when Disclosing Information, 1998.
    """

    name: ClassVar[str] = "group size"
    attacker = Attacker("somebody who knows a person and looks for them", ROW, "fewest people who look alike", "groups")
    sparse_statistic: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    also_called = ("k-anonymity", "anonymity", "minimum cell count", "threshold rule")
    large_is_bad: ClassVar[bool] = False
    whole_numbers: ClassVar[bool] = True
    scale_free: ClassVar[bool] = False
    limits = (1, float("inf"))
    when_groups_merge = Monotonicity.NON_DECREASING

    def statistic(self, groups: Groups) -> Integers:
        # (groups, 1): the size alone decides
        return groups.sizes[:, np.newaxis]

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        del groups, arithmetic
        return statistic[:, 0]

    def explain(self, finding: Finding) -> str:
        assert finding.witness is not None
        people = (
            "1 person stands alone" if finding.value == 1 else f"{in_words(finding.value)} people stand for one another"
        )
        return f"In {finding.witness.group}, {people}; no group is smaller."

    def replay(self, witness: Witness, release: Release) -> Amount:
        return Fraction(int(release.group(witness.group).sizes[0]))
