"""How surely does somebody find a person in a release who may take anybody of a population for them?

The journalist does not know who is in the release, and looks people up in a register: whoever has a group's cells there
is one of F, of whom f are in the release.  The marketer links everybody, and counts how often that is right: Σ f/F of
n people.  Without a population F = f, and the marketer's share is the prosecutor's average.

Average     of the journalist: max(groups / Σ F, Σ (f/F) / n), both over the groups of the release, as ARX has it.

Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008; k-map: Sweeney, 2001; ARX 3.9.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sidelight.arrays import Floats, Integers
from sidelight.measures.attacker import Attacker
from sidelight.measures.exact import Amount
from sidelight.measures.finding import Finding
from sidelight.measures.measure import Measure, Monotonicity
from sidelight.measures.named_risks.against_population import AgainstPopulation, Outside, register_in_words
from sidelight.measures.named_risks.size_histogram import SizeHistogram
from sidelight.measures.named_risks.size_risk import (
    PersonRisk,
    SizeRuns,
    SizeWitness,
    Statistic,
    share,
)
from sidelight.rounding import decimal_text, exact_text, to_places
from sidelight.table.labels import Label
from sidelight.text import counted, form


@dataclass(frozen=True)
class JournalistRisk(AgainstPopulation, PersonRisk):
    """How surely is somebody found who may be taken for anybody of a population with the same cells?

    1/F for each person of the release, F = the people of the `population` whose cells, recoded as the release is, are
    those of the person's group.  At most 1/k is k-map.  `statistic` is the "highest", the "average"
    (max(groups/ΣF, Σ(f/F)/n)) or the "share above" a `threshold`.  A population that has fewer people in a group than
    the release is refused, unless `outside="as in the release"` counts those of the release.

    >>> import pyarrow as pa
    >>> import sidelight as sl
    >>> release = sl.Release.from_counts([{"Flu": 2}, {"Cold": 1}], labels=[{"age": "30-39"}, {"age": "50-59"}])
    >>> register = pa.table({"age": ["31", "34", "38", "52", "57"]})
    >>> finding = JournalistRisk(register).measure(release)
    >>> finding.value, finding.witness.group.number
    (Fraction(1, 2), 2)
    >>> print(finding.explain())
    In group 2 (age 50-59), 1 person of the release is among 2 of the register: whoever picks one of those is right \
with 1/2.

    Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008; Sweeney, k-map, 2001.
    """

    population: object = None
    statistic: Statistic = "highest"
    threshold: float | Fraction | None = None
    outside: Outside = "an error"

    name: ClassVar[str] = "journalist risk"
    attacker = Attacker(
        "somebody who looks anybody up in a register", register_in_words, "how surely a row is theirs", "register"
    )
    also_called = ("k-map", "journalist")

    @classmethod
    def from_settings(
        cls,
        population: str | None = None,
        statistic: Statistic = "highest",
        threshold: float | Fraction | None = None,
        outside: Outside = "an error",
    ) -> JournalistRisk:
        """Return the measure with the settings of a policy, whose population is a file."""
        return cls(population, statistic, threshold, outside)

    @property
    def when_groups_merge(self) -> Monotonicity:  # type: ignore[override]
        """Never rises; of an average where the release has people whom the population has not, nothing is known."""
        # max(F, f) of a merged group may be less than the sum of those of its parts
        unknown = self.statistic == "average" and self.outside == "as in the release"
        return Monotonicity.UNKNOWN if unknown else Monotonicity.NON_INCREASING

    def average(self, histogram: SizeHistogram) -> tuple[Amount, int]:
        """The larger of groups of ΣF and Σ f/F of n."""
        of_groups = Fraction(histogram.all_groups), histogram.population_met
        of_people = histogram.expected_matches(), histogram.everybody
        # compared as ratios, returned as two numbers: the witness names both
        return max(of_groups, of_people, key=lambda each: share(*each))

    def addends(self, people: Integers, population: Integers) -> Floats:
        """Also the group itself, and its people in the population."""
        addends = super().addends(people, population)
        if self.statistic != "average":
            return addends
        # (groups, 4): f/F, f, 1 and F, whose sums make both averages
        return np.column_stack((addends, np.ones(len(people)), population))

    def joined(self, sums: Floats) -> Floats:
        """The larger of the two."""
        of_people: Floats = sums[:, 0] / sums[:, 1]
        return of_people if self.statistic != "average" else np.maximum(of_people, sums[:, 2] / sums[:, 3])

    def average_again(self, runs: SizeRuns) -> Amount:
        """Both averages from runs."""
        groups, met = sum(times for _, _, times in runs), sum(F * times for _, F, times in runs)
        return max(super().average_again(runs), Fraction(groups, met))

    def few_alike(self, people: int, size: int) -> str:
        """Return in words that at most so many of the register have their cells: it decides, and not the group."""
        return f"{form('is', people)} {'alone' if size == 1 else f'among {size:,} or fewer'} in the register"

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        """Return how sure a match is, or name the group that fewest people of the population share."""
        if self.statistic == "average":
            right = decimal_text(Fraction(finding.value), up=True)
            return f"Whoever looks somebody of the release up in the register is right, on average, with {right}."
        here = counted(witness.people, "person")
        if witness.population == 1:
            return f"In {witness.group}, 1 person stands alone in the register, too: whoever looks them up finds them."
        return (
            f"In {witness.group}, {here} of the release {form('is', witness.people)} among {witness.population:,} of "
            f"the register: whoever picks one of those is right with {exact_text(finding.value)}."
        )


@dataclass(frozen=True)
class MarketerRisk(AgainstPopulation, PersonRisk):
    """Of how many people is whoever links everybody right?

    Σ (f/F) / n: the share of people who are found, on average, by somebody who takes anybody of the `population` with
    the same cells for each person of the release; without one, anybody of the group (then it is groups / people).
    n times it is the expected number of people re-identified.

    >>> import sidelight as sl
    >>> finding = MarketerRisk().measure(sl.Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}]))
    >>> finding.value
    Fraction(2, 5)
    >>> print(finding.explain())
    Whoever links everybody to the release is right about 2.0 of 5 people.

    Source: Dankar and El Emam, A Method for Evaluating Marketer Re-identification Risk, PAIS 2010.
    """

    population: object = None
    outside: Outside = "an error"

    name: ClassVar[str] = "marketer risk"
    attacker = Attacker(
        "somebody who matches everybody at once", register_in_words, "the share of matches that are right", "register"
    )
    also_called = ("marketer", "expected re-identifications", "success rate", "global risk")
    statistic: ClassVar[Statistic] = "average"  # type: ignore[misc]
    threshold: ClassVar[None] = None  # type: ignore[misc]
    needs_population: ClassVar[bool] = False

    @classmethod
    def from_settings(cls, population: str | None = None, outside: Outside = "an error") -> MarketerRisk:
        """Return the measure with the settings of a policy, whose population is a file."""
        return cls(population, outside)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Without a population."""
        del domain
        return (cls(),)

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        """Return how many people are found, on average."""
        del finding
        people = f"{to_places(Fraction(witness.part), 1):,f}"
        to = "the release" if self.register is None else "the register"
        return f"Whoever links everybody to {to} is right about {people} of {counted(witness.whole, 'person')}."
