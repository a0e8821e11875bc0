"""How far does a group's most frequent value outweigh its rarer ones?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import ClassVar

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.measures.exact import Floats, in_lowest_terms
from sidelight.measures.finding import Amount, Finding, Witness, in_words
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.measures.measure import Measure
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.columns import Integers
from sidelight.table.labels import Label, shown


@dataclass(frozen=True)
class RecursiveDiversity(GroupByGroup):
    """How far does the most frequent value of a group outweigh its rarer ones?

    The smallest c with n_g(x₁) ≤ c·(n_g(x_ℓ) + n_g(x_{ℓ+1}) + …) in all groups g, x₁, x₂, … their values by
    falling frequency; infinite when a group has fewer than ℓ values.  Recursive (c, ℓ)-diversity asks it to be
    below c: then the most frequent value stays unsure for someone who rules out ℓ − 2 others.
    Groups in which nobody has a value are passed over.

    >>> release = Release.from_counts([{"Flu": 4, "Cold": 3, "Ulcer": 1, "HIV": 1}, {"Flu": 1, "Cold": 1, "Ulcer": 1}])
    >>> finding = RecursiveDiversity(l=3).measure(release)
    >>> finding.value, finding.witness.value
    (Fraction(2, 1), 'Flu')
    >>> print(finding.explain())
    In group 1, 'Flu' occurs 2 times as often as all values from the 3rd most frequent on together.

    Source: Machanavajjhala et al., l-Diversity, ICDE 2006.
    """

    l: int = 3  # noqa: E741 - the ℓ of ℓ-diversity, as everybody says it

    name: ClassVar[str] = "recursive diversity"
    when_groups_merge = Trend.NEVER_RISES

    def __post_init__(self) -> None:
        if isinstance(self.l, bool) or not hasattr(self.l, "__index__") or index(self.l) < 1:
            message = f"'{self.name}' needs a whole number l of at least 1, not {self.l}; usual are 2 to 5"
            raise BadMeasure(message)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Every ℓ up to one more than there are values."""
        return tuple(cls(l=number) for number in range(1, len(domain) + 2))

    def scores(self, groups: Groups) -> Floats:
        """Give every group's c."""
        top, tail = self._top_and_tail(groups.counts.dense()).T
        with np.errstate(divide="ignore", invalid="ignore"):
            scores: Floats = top / tail
        return scores

    def alike(self, groups: Groups, rows: Integers) -> Integers:
        """Only the two numbers that are compared count."""
        return in_lowest_terms(self._top_and_tail(groups.counts.take(rows).dense()))

    def exactly(self, groups: Groups, row: int) -> Amount:
        """Give one group's c."""
        top, tail = self._top_and_tail(groups.counts.row(row)[np.newaxis])[0].tolist()
        return Fraction(top, tail) if tail else math.inf

    def witness(self, groups: Groups, row: int) -> Witness:
        """Point at the most frequent value."""
        return Witness(groups.name(row), groups.domain[int(groups.counts.row(row).argmax())])

    def _top_and_tail(self, counts: Integers) -> Integers:
        """Give, per row, the largest count and the sum of those from the ℓ-th largest on."""
        rising = np.sort(counts, axis=1)
        width = counts.shape[1]
        return np.column_stack((rising[:, -1], rising[:, : max(width - self.l + 1, 0)].sum(axis=1)))

    def explain(self, finding: Finding) -> str:
        """Name the group and its most frequent value."""
        if finding.witness is None:
            return "Nobody in the release has any value, so there is no diversity to measure."
        where, value = finding.witness.group, shown(finding.witness.value)
        if finding.value == math.inf:
            return f"In {where} there are fewer than {self.l} different values, '{value}' the most frequent of them."
        rest = "all values" if self.l == 1 else f"all values from the {_ordinal(self.l)} most frequent on"
        return f"In {where}, '{value}' occurs {in_words(finding.value)} times as often as {rest} together."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute it from the group's counts by the definition."""
        group = release.group(witness.group)
        falling = sorted(group.counts.row(0).tolist(), reverse=True)
        top = int(group.counts.row(0)[group.place(witness.value)])
        tail = sum(falling[self.l - 1 :])
        return Fraction(top, tail) if tail else math.inf


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"
