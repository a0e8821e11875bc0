"""How surely is somebody of a population in the release, or not in it?

δ-presence: whoever knows the cells of a person of the population reads off that f of the F people with these cells are
in the release.  Between a and b is δ-presence (a, b): presence at most b, and absence at most 1 − a.

Cells of the population that no group of the release has say for sure that somebody is not in it: absence is 1 then.

Source: Nergiz, Atzori and Clifton, Hiding the Presence of Individuals from Shared Databases, SIGMOD 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sidelight.arrays import Floats, Integers
from sidelight.measures.attacker import Attacker
from sidelight.measures.exact import Amount, Screen
from sidelight.measures.finding import Finding
from sidelight.measures.named_risks.against_population import AgainstPopulation, Outside, register_in_words
from sidelight.measures.named_risks.size_risk import SizeRuns, SizeScreen, SizeSummary, SizeWitness
from sidelight.release.groups import Groups
from sidelight.text import counted, form


@dataclass(frozen=True)
class Presence(AgainstPopulation):
    """How surely is somebody in the release, of whom one knows the cells and that they are in the population?

    max f/F over groups: of the F people of the `population` with a group's cells, f are in the release.

    >>> import pyarrow as pa
    >>> import sidelight as sl
    >>> release = sl.Release.from_counts([{"Flu": 2}, {"Cold": 1}], labels=[{"age": "30-39"}, {"age": "50-59"}])
    >>> finding = Presence(pa.table({"age": ["31", "34", "38", "52", "57"]})).measure(release)
    >>> finding.value
    Fraction(2, 3)
    >>> print(finding.explain())
    In group 1 (age 30-39), 2 of the register's 3 people are in the release.

    Source: Nergiz, Atzori and Clifton, Hiding the Presence of Individuals, SIGMOD 2007.
    """

    population: object = None
    outside: Outside = "an error"

    name: ClassVar[str] = "presence"
    attacker = Attacker(
        "somebody who asks whether a person is in the file", register_in_words, "how surely they are in it", "register"
    )
    also_called = ("delta-presence", "δ-presence", "d-presence", "membership", "membership inference")

    @classmethod
    def from_settings(cls, population: str | None = None, outside: Outside = "an error") -> Presence:
        """Return the measure with the settings of a policy, whose population is a file."""
        return cls(population, outside)

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """f/F."""
        return people, population

    def explain(self, finding: Finding) -> str:
        """Name the group in which most of the population is."""
        witness = finding.witness
        if not isinstance(witness, SizeWitness):
            return "Nobody is in the release, so nobody of the population is."
        are = form("is", witness.people)
        return (
            f"In {witness.group}, {witness.people:,} of the register's {counted(witness.population, 'person')} "
            f"{are} in the release."
        )

    def again(self, runs: SizeRuns) -> Amount:
        """The largest of all runs."""
        return max(Fraction(f, F) for f, F, _ in runs)


@dataclass(frozen=True)
class Absence(AgainstPopulation):
    """How surely is somebody not in the release, of whom one knows the cells and that they are in the population?

    max 1 − f/F over the cells of the `population`; 1 where somebody's cells are those of no group.

    >>> import pyarrow as pa
    >>> import sidelight as sl
    >>> release = sl.Release.from_counts([{"Flu": 2}, {"Cold": 1}], labels=[{"age": "30-39"}, {"age": "50-59"}])
    >>> finding = Absence(pa.table({"age": ["31", "34", "38", "52", "57"]})).measure(release)
    >>> finding.value
    Fraction(1, 2)
    >>> print(finding.explain())
    In group 2 (age 50-59), 1 of the register's 2 people is not in the release.
    >>> print(Absence(pa.table({"age": ["31", "34", "52", "77"]})).measure(release).explain())
    1 person of the register has cells that no group has, and is not in the release.

    Source: Nergiz, Atzori and Clifton, Hiding the Presence of Individuals, SIGMOD 2007.
    """

    population: object = None
    outside: Outside = "an error"

    name: ClassVar[str] = "absence"
    attacker = Attacker(
        "somebody who asks whether a person is in the file",
        register_in_words,
        "how surely they are not in it",
        "register",
    )
    also_called = ("delta-presence", "δ-presence", "d-presence")

    @classmethod
    def from_settings(cls, population: str | None = None, outside: Outside = "an error") -> Absence:
        """Return the measure with the settings of a policy, whose population is a file."""
        return cls(population, outside)

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """(F − f)/F."""
        return population - people, population

    def settle(self, finding: Finding, summary: SizeSummary) -> Finding:
        """Whoever is in no group is surely not in the release."""
        # nothing in the release stands for people in no group: they are known to be absent
        if not summary.nowhere:
            return finding
        people, has, are = counted(summary.nowhere, "person"), form("has", summary.nowhere), form("is", summary.nowhere)
        note = f"{people} of the register {has} cells that no group has, and {are} not in the release"
        return Finding(self, Fraction(1), None, (note, *finding.notes))

    def screen(self) -> Screen:
        """One number per group; 1 for all of them where somebody is in none."""
        return AbsenceScreen(self)

    def explain(self, finding: Finding) -> str:
        """Name the group in which least of the population is."""
        witness = finding.witness
        if not isinstance(witness, SizeWitness):
            return finding.notes[0][:1].upper() + finding.notes[0][1:] + "."
        absent = witness.population - witness.people
        return (
            f"In {witness.group}, {absent:,} of the register's {counted(witness.population, 'person')} "
            f"{form('is', absent)} not in the release."
        )

    def again(self, runs: SizeRuns) -> Amount:
        """The largest of all runs."""
        return max(1 - Fraction(f, F) for f, F, _ in runs)


@dataclass(frozen=True)
class AbsenceScreen(SizeScreen):
    """What each group is worth, unless somebody of the population is in none."""

    def rows(self, groups: Groups) -> Floats:
        """1 − f/F, or 1."""
        # one person in no group makes the value of every release of these groups 1
        values = super().rows(groups)
        return np.ones_like(values) if self.measure.nowhere(groups) else values

    def kinds(self, groups: Groups) -> Integers:
        """The sizes decide, and whether somebody is in no group."""
        # part of the kind, as one person in no group decides the value of every group
        anybody = np.full(len(groups), self.measure.nowhere(groups) > 0)
        return np.column_stack((super().kinds(groups), anybody))
