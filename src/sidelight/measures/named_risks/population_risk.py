"""How surely does somebody find a person, or learn that they are in a release, who knows a population it is part of?

The population is given with the measure, or added to it (`compare_with`, as `--population FILE` does).  F comes with
the groups (`Groups.populations`), whoever made them: of a release that stands each person of the population is looked
up, and a search carries F through every grouping it makes.

Journalist  does not know who is in the release, and looks people up in a register: whoever has a group's cells there
            is one of F, of whom f are in the release.  Average: max(groups / Σ F, Σ (f/F) / n), both over the groups of
            the release, as ARX has it.
Marketer    links everybody, and counts how often that is right: Σ f/F of n people.  Without a population F = f, and the
            marketer's share is the prosecutor's average.
Presence    whoever knows the cells of a person of the population reads off that f of the F people with these cells are
            in the release.  Between a and b is δ-presence (a, b): presence at most b, and absence at most 1 − a.
            Cells of the population that no group has say for sure that somebody is not in it: absence is 1 then.

Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008; k-map: Sweeney, 2001; ARX 3.9.2; Nergiz,
Atzori and Clifton, Hiding the Presence of Individuals from Shared Databases, SIGMOD 2007.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from sidelight.errors import BadMeasure, parameter
from sidelight.measures.criterion import Finding
from sidelight.measures.measure import Attacker, Monotonicity, Settings, Tally, choice, read
from sidelight.measures.named_risks.size_risk import (
    SizeHistogram,
    SizeRisk,
    SizeRuns,
    SizeWitness,
    Statistic,
    share,
)
from sidelight.release.generalise import keys_as_groups
from sidelight.release.population import Population, refuse_fewer
from sidelight.rounding import decimal_text, exact_text, to_places
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.measures.criterion import Amount
    from sidelight.release.groups import Groups, PopulationCounts
    from sidelight.release.release import Release
    from sidelight.table.table import Table

Outside: TypeAlias = Literal["an error", "as in the release"]
"""What it means that a group has more people in the release than in the population: a mistake, or that the population
is not complete, and has at least those of the release."""


def register_in_words(settings: Settings) -> str:
    """Return what an attacker knows who has a register of the population."""
    register = settings.get("population")
    return f"who is in the population{f' ({register})' if isinstance(register, str) else ''}, with the same columns"


REGISTER = read(Population.from_source, hint=str | None)


class AgainstPopulation(SizeRisk):
    """A risk of sizes that compares a release with a population.

    A dataclass with the settings `population` and `outside`.
    """

    population: object
    outside: Outside
    example_settings: ClassVar[tuple[Mapping[str, Any], ...]] = ()
    needs_population: ClassVar[bool] = True

    @property
    def register(self) -> Population | None:
        return self.population if isinstance(self.population, Population) else None

    def compare_with(self, population: Population) -> Self:
        return replace(self, population=population)  # type: ignore[type-var]

    def settings(self) -> dict[str, object]:
        place = None if self.register is None else self.register.place
        values = ((each, getattr(self, each.name)) for each in fields(self))  # type: ignore[arg-type]
        settings = {each.name: value for each, value in values if value != each.default and each.name != "population"}
        return ({} if place is None else {"population": place}) | settings

    def check(self, release: Release) -> None:
        super().check(release)
        self._need_register()

    def _need_register(self) -> None:
        if self.register is None and self.needs_population:
            message = f"'{self.name}' compares the release with a population; say which with {parameter('population')}"
            raise BadMeasure(message)

    def bind_table(self, table: Table) -> Self:
        """Return the measure with the table's columns in its population; raise if that lacks people of a key."""
        self._need_register()
        if self.register is None:
            return self
        population = self.register.name_columns([column.name for column in table.quasi])
        # checked key by key: after recoding, a group may hide that the population lacks a person of the table
        if self.outside == "an error":
            keys = keys_as_groups(table)
            refuse_fewer(keys, population.count_equal(keys, *population.rows(population.columns)))
        return self.compare_with(population)

    def count_population(self, groups: Groups) -> PopulationCounts | None:
        """Return F of each group and who is in none, as they come with the groups; without a population nothing."""
        if self.register is None:
            return None
        counts = groups.population(self.register)
        if counts is None:
            message = f"'{self.name}' looks at whole releases, in which a population can be counted; measure one"
            raise BadMeasure(message)
        return counts

    def population_of(self, groups: Groups) -> Integers:
        counts = self.count_population(groups)
        if counts is None:
            return groups.sizes
        if self.outside == "an error":
            refuse_fewer(groups, counts)
        # with the people of the release counted in, no group has fewer in the population
        return np.maximum(counts.people, groups.sizes)

    def count_strangers(self, groups: Groups) -> tuple[int, int]:
        counts = self.count_population(groups)
        return (0, 0) if counts is None else (int(np.maximum(groups.sizes - counts.people, 0).sum()), counts.nowhere)

    def notes(self, beyond: int) -> tuple[str, ...]:
        people = f"{counted(beyond, 'person')} of the release {form('is', beyond)}"
        return (f"{people} not in the population, and counted in it",) if beyond else ()


@dataclass(frozen=True)
class JournalistRisk(AgainstPopulation):
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

    population: object = field(default=None, metadata=REGISTER)
    statistic: Statistic = field(default="highest", metadata=choice(Statistic))
    threshold: float | Fraction | None = None
    outside: Outside = field(default="an error", metadata=choice(Outside))

    name: ClassVar[str] = "journalist risk"
    attacker = Attacker(
        "somebody who looks anybody up in a register", register_in_words, "how surely a row is theirs", "register"
    )
    also_called = ("k-map", "journalist")

    @property
    def when_groups_merge(self) -> Monotonicity:  # type: ignore[override]
        """Never rises; of an average where the release has people whom the population has not, nothing is known."""
        # max(F, f) of a merged group may be less than the sum of those of its parts
        unknown = self.statistic == "average" and self.outside == "as in the release"
        return Monotonicity.UNKNOWN if unknown else Monotonicity.NON_INCREASING

    def average(self, histogram: SizeHistogram) -> tuple[Amount, int]:
        """The larger of groups of ΣF and Σ f/F of n."""
        of_groups = Fraction(int(histogram.groups.sum())), int(histogram.population @ histogram.groups)
        of_people = histogram.expected_matches(), histogram.everybody
        # compared as ratios, returned as two numbers: the witness names both
        return max(of_groups, of_people, key=lambda each: share(*each))

    def addends(self, groups: Groups) -> Floats:
        addends = super().addends(groups)
        if self.statistic != "average":
            return addends
        # (groups, 4): f/F, f, 1 and F, whose sums make both averages
        return np.column_stack((addends, np.ones(len(groups)), self.population_of(groups)))

    def joined(self, sums: Floats) -> Floats:
        of_people: Floats = sums[:, 0] / sums[:, 1]
        return of_people if self.statistic != "average" else np.maximum(of_people, sums[:, 2] / sums[:, 3])

    def average_again(self, runs: SizeRuns) -> Amount:
        groups, met = sum(times for _, _, times in runs), sum(F * times for _, F, times in runs)
        return max(super().average_again(runs), Fraction(groups, met))

    def few_alike(self, people: int, size: int) -> str:
        """Return in words that at most so many of the register have their cells: it decides, and not the group."""
        return f"{form('is', people)} {'alone' if size == 1 else f'among {size:,} or fewer'} in the register"

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
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
class MarketerRisk(AgainstPopulation):
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

    population: object = field(default=None, metadata=REGISTER)
    outside: Outside = field(default="an error", metadata=choice(Outside))

    name: ClassVar[str] = "marketer risk"
    example_settings = ({},)
    attacker = Attacker(
        "somebody who matches everybody at once", register_in_words, "the share of matches that are right", "register"
    )
    also_called = ("marketer", "expected re-identifications", "success rate", "global risk")
    statistic: ClassVar[Statistic] = "average"  # type: ignore[misc]
    threshold: ClassVar[None] = None  # type: ignore[misc]
    needs_population: ClassVar[bool] = False

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        del finding
        people = f"{to_places(Fraction(witness.part), 1):,f}"
        to = "the release" if self.register is None else "the register"
        return f"Whoever links everybody to {to} is right about {people} of {counted(witness.whole, 'person')}."


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

    population: object = field(default=None, metadata=REGISTER)
    outside: Outside = field(default="an error", metadata=choice(Outside))

    name: ClassVar[str] = "presence"
    attacker = Attacker(
        "somebody who asks whether a person is in the file", register_in_words, "how surely they are in it", "register"
    )
    also_called = ("delta-presence", "δ-presence", "d-presence", "membership", "membership inference")

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """f/F."""
        return people, population

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, SizeWitness):
            return "Nobody is in the release, so nobody of the population is."
        are = form("is", witness.people)
        return (
            f"In {witness.group}, {witness.people:,} of the register's {counted(witness.population, 'person')} "
            f"{are} in the release."
        )


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

    population: object = field(default=None, metadata=REGISTER)
    outside: Outside = field(default="an error", metadata=choice(Outside))

    name: ClassVar[str] = "absence"
    attacker = Attacker(
        "somebody who asks whether a person is in the file",
        register_in_words,
        "how surely they are not in it",
        "register",
    )
    also_called = ("delta-presence", "δ-presence", "d-presence")

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """(F − f)/F."""
        return population - people, population

    def read_tally(self, tally: Tally) -> Finding:
        """Whoever is in no group is surely not in the release."""
        finding, nowhere = super().read_tally(tally), tally.everywhere
        # nothing in the release stands for people in no group: they are known to be absent
        if not nowhere:
            return finding
        people, has, are = counted(nowhere, "person"), form("has", nowhere), form("is", nowhere)
        note = f"{people} of the register {has} cells that no group has, and {are} not in the release"
        return Finding(self, Fraction(1), None, (note, *finding.notes))

    def scores(self, groups: Groups) -> Floats:
        # one person in no group makes the value of every release of these groups 1
        return np.ones(len(groups)) if self.count_strangers(groups)[1] else super().scores(groups)

    def kinds(self, groups: Groups) -> Integers:
        # part of the kind, as one person in no group decides the value of every group
        anybody = np.full(len(groups), self.count_strangers(groups)[1] > 0)
        return np.column_stack((super().kinds(groups), anybody))

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, SizeWitness):
            return finding.notes[0][:1].upper() + finding.notes[0][1:] + "."
        absent = witness.population - witness.people
        return (
            f"In {witness.group}, {absent:,} of the register's {counted(witness.population, 'person')} "
            f"{form('is', absent)} not in the release."
        )
