"""The risks that the sizes of groups decide, read off one histogram.

Symbols     f = people of a group in the release, F = people of the population whose cells are the same; without a
            population nobody else could be meant, so that F = f.  n = Σ f.  r(f, F) = the risk of a group alone, such
            as 1/F; t = a threshold.
Summary     {(f, F): number of groups}; without a population at most √(2n) entries, as the sizes of groups add up to n.
            It merges by addition, in any order.  Beside it stands the worst group (of equally bad ones the first), so
            that a finding can name it.
Highest     max r over groups: as bad as the worst group.
Average     Σ f·r / n, over all people.
Share above Σ f over the groups with r > t, strictly, / n.
Cost        one pass over the groups; small numbers are counted by, and only the others sorted.

A replay sorts the groups and adds up run by run.  In a search, `highest` is judged group by group, others by sums.

Prosecutor  knows that a person is in the release, and what is printed about them: one of the f people of their group.
Journalist  does not know who is in the release, and looks people up in a register: a person with a group's cells there
            is one of F, of whom f are in the release.  Average: max(groups / Σ F, Σ (f/F) / n), both over the groups of
            the release, as ARX has it.
Marketer    links everybody, and counts how often that is right: Σ f/F of n people.  Without a population F = f, and the
            marketer's share is the prosecutor's average.
Presence    an attacker who knows the cells of a person of the population reads off that f of the F people with these
            cells are in the release.  Between a and b is δ-presence (a, b): presence at most b, absence at most 1 − a.
            A person of the population whose cells no group has is certainly not in the release: absence is 1 then.

The population is a setting of the measure, or added to it (`compare_with`).  F comes with the groups
(`Groups.populations`): in a finished release each person of the population is looked up, and a search carries F through
every grouping it makes.

Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008; ISO/IEC 27559:2022, 7.3; k-map: Sweeney,
2001; ARX 3.9.2; Nergiz, Atzori and Clifton, Hiding the Presence of Individuals from Shared Databases, SIGMOD 2007.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, run_starts
from sidelight.errors import BadMeasure, as_given, parameter
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import Screen, SumScreen, divide_sums, sum_of_ratios, worst_ratio
from sidelight.measures.group_by_group import WorstGroup
from sidelight.measures.measure import (
    ROW,
    Attacker,
    Measure,
    Monotonicity,
    Settings,
    Summary,
    Tally,
    choice,
    join_tallies,
    read,
)
from sidelight.release.groups import Groups, PopulationCounts, keys_as_groups
from sidelight.release.population import Population, refuse_fewer
from sidelight.rounding import decimal_text, exact_number, exact_text, short_decimal, to_places
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.release.release import Release
    from sidelight.table.table import Table

SMALL = 1 << 8
"""Groups with fewer people than this, in release and population, are counted in a table of all pairs."""


@dataclass(frozen=True, eq=False, slots=True)
class SizeHistogram:
    """The number of `groups` for each pair of `people` in the release and people in the `population`.

    Entries are sorted by people, then by population, each pair once.

    >>> histogram = SizeHistogram.of(np.array([1, 3, 1]))
    >>> histogram.people.tolist(), histogram.groups.tolist()
    ([1, 3], [2, 1])
    >>> both = histogram + SizeHistogram.of(np.array([2, 3]))
    >>> both.people.tolist(), both.groups.tolist(), both.everybody
    ([1, 2, 3], [2, 1, 2], 10)
    """

    people: Integers
    population: Integers
    groups: Integers

    @classmethod
    def of(cls, people: Integers, population: Integers | None = None) -> SizeHistogram:
        if population is None and people.max(initial=0) >= SMALL * SMALL:
            sizes, groups = np.unique(people, return_counts=True)
            return cls(sizes, sizes, groups)
        if population is None:  # a table of all sizes is faster than sorting them
            table = np.bincount(people)
            sizes = np.flatnonzero(table)
            return cls(sizes, sizes, table[sizes])
        # pairs of small numbers are counted in one table of SMALL² cells, and only the few others are sorted
        small = (people < SMALL) & (population < SMALL)
        table = np.bincount(people[small] * SMALL + population[small])
        pairs = np.flatnonzero(table)
        few = cls(pairs // SMALL, pairs % SMALL, table[pairs])
        if small.all():
            return few
        return few + cls(people[~small], population[~small], np.ones(int((~small).sum()), np.int64))

    def __add__(self, other: SizeHistogram) -> SizeHistogram:
        people, population, groups = (
            np.concatenate((getattr(self, name), getattr(other, name))) for name in ("people", "population", "groups")
        )
        # by people, then by population: equal pairs become neighbours
        order = np.lexsort((population, people))
        people, population, groups = people[order], population[order], groups[order]
        new = run_starts([people, population])
        return SizeHistogram(people[new], population[new], add_up(np.cumsum(new) - 1, groups, int(new.sum())))

    @property
    def everybody(self) -> int:
        """The number of people in the release: n = Σ f."""
        return int(self.people @ self.groups)

    def of_size(self, people: int) -> int:
        """Return the number of groups with this many people in the release."""
        return int(self.groups[self.people == people].sum())

    def entries(self) -> tuple[tuple[int, int], ...]:
        """Return (people, groups) of each size; without a population."""
        return tuple(zip(self.people.tolist(), self.groups.tolist(), strict=True))

    def expected_matches(self) -> Amount:
        """Return Σ f/F: the expected number of correct guesses, if each person is matched with anyone of the group.

        >>> SizeHistogram.of(np.array([1, 2]), np.array([3, 4])).expected_matches()
        Fraction(5, 6)
        """
        # by F: ratios with one denominator are added up as whole numbers
        sizes, at = np.unique(self.population, return_inverse=True)
        return sum_of_ratios(add_up(at, self.people * self.groups, len(sizes)).tolist(), sizes.tolist())


Statistic: TypeAlias = Literal["highest", "average", "share above"]
"""The risk of the person worst off; the average; or the share of people whose risk is above a threshold."""

Outsiders: TypeAlias = Literal["an error", "as in the release"]
"""Whether a group with more people in the release than in the population is a mistake, or the population lacks some."""

REGISTER = read(Population.from_source, hint=str | None)
"""Declares the field `population`, which a policy file names by its path."""

SizeRuns: TypeAlias = list[tuple[int, int, int]]
"""(f, F, number of groups), by falling risk: F, then f."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SizeWitness(Witness):
    """The worst group, its people here and in the population, and the counts whose ratio is the value.

    The value is `part` / `whole`: 1 of the group's people, expected matches of all people, or people above the
    threshold of all people.  `lowest` is the smallest risk of any group.
    """

    people: int
    population: int
    part: Amount
    whole: int
    lowest: Fraction


def share(matches: Amount, everybody: int) -> Amount:
    """Divide exactly; of a sum that was rounded up return one float more, as the division may round down."""
    if isinstance(matches, float):
        return float(np.nextafter(matches / everybody, np.inf))
    return Fraction(matches) / everybody


def runs_of_sizes(people: Integers, population: Integers) -> SizeRuns:
    """Return the runs of groups of equal sizes as (f, F, groups), sorted by F, then f.

    >>> runs_of_sizes(np.array([2, 1, 2]), np.array([2, 1, 2]))
    [(1, 1, 1), (2, 2, 2)]
    """
    pairs, groups = np.unique(np.column_stack((population, people)), axis=0, return_counts=True)
    return [(f, F, times) for (F, f), times in zip(pairs.tolist(), groups.tolist(), strict=True)]


class SizeRisk(Measure):
    """A risk that is read off the histogram of (f, F): the highest, the average, or the share above a threshold."""

    # what may be settings
    statistic: Statistic = "highest"
    threshold: float | Fraction | None = None
    population: object = None
    outside: Outsiders = "an error"
    needs_population: ClassVar[bool] = True
    example_settings: ClassVar[tuple[Mapping[str, Any], ...]] = ()
    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    whole_numbers: ClassVar[bool] = False  # a screen's floats are ratios
    nobody: ClassVar[str] = "Nobody is in the release, so nobody can be found."
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING

    def __post_init__(self) -> None:
        super().__post_init__()
        needed = self.statistic == "share above"
        if needed and self.threshold is None:
            raise BadMeasure(f"'{self.name}' with the share above needs a {parameter('threshold')}, such as 0.09")
        if self.threshold is not None and not needed:
            only = f"with {parameter('statistic', 'share above')} only"
            raise BadMeasure(f"'{self.name}' takes a {parameter('threshold')} {only}")
        if not 0 <= self.least_risk <= 1:
            raise BadMeasure(
                f"'{self.name}' needs a {parameter('threshold')} between 0 and 1, not {as_given(self.threshold)}"
            )

    @property
    def least_risk(self) -> Fraction:
        """The threshold as its decimals mean it: 0.09 is 9/100; 0 where there is none."""
        threshold = exact_number(self.threshold or 0, BadMeasure, "a threshold")
        # an infinite threshold is out of range: −1 lets the check refuse it
        return Fraction(threshold) if math.isfinite(threshold) else Fraction(-1)

    @property
    def people_needed(self) -> int | None:
        """The number of people, ⌈1/t⌉, at which 1/F is not above the threshold; None where none is enough."""
        return -(-self.least_risk.denominator // self.least_risk.numerator) if self.least_risk else None

    @property
    def register(self) -> Population | None:
        return self.population if isinstance(self.population, Population) else None

    def compare_with(self, population: Population) -> Self:
        return replace(self, population=population)  # type: ignore[type-var]

    def settings(self) -> dict[str, object]:
        settings = super().settings()
        register = settings.pop("population", None)
        place = register.place if isinstance(register, Population) else None
        return ({} if place is None else {"population": place}) | settings

    def check(self, release: Release) -> None:
        super().check(release)
        self._expect_register()

    def _expect_register(self) -> None:
        if self.register is None and self.needs_population:
            raise BadMeasure(
                f"'{self.name}' compares the release with a population; say which with {parameter('population')}"
            )

    def bind_table(self, table: Table) -> Self:
        """Return the measure with the table's columns in its population; raise if that lacks people of a key."""
        self._expect_register()
        if self.register is None:
            return self
        population = self.register.name_columns([column.name for column in table.quasi])
        # checked key by key: after recoding, a group may hide that the population lacks a person of the table
        if self.outside == "an error":
            keys = keys_as_groups(table)
            refuse_fewer(keys, population.count_equal(keys, *population.rows(population.columns)))
        return self.compare_with(population)

    def count_population(self, groups: Groups) -> PopulationCounts | None:
        """Return F of each group, and the number of people in none; None without a population."""
        if self.register is None:
            return None
        counts = groups.population(self.register)
        if counts is None:
            raise BadMeasure(
                f"'{self.name}' looks at whole releases, in which a population can be counted; measure one"
            )
        return counts

    def population_of(self, groups: Groups) -> Integers:
        """Return F of each group; without a population, f."""
        counts = self.count_population(groups)
        if counts is None:
            return groups.sizes
        if self.outside == "an error":
            refuse_fewer(groups, counts)
        # with the people of the release counted in, no group has fewer in the population
        return np.maximum(counts.people, groups.sizes)

    def count_strangers(self, groups: Groups) -> tuple[int, int]:
        """Return how many people of the release the population lacks, Σ max(f − F, 0), and how many are in no group."""
        counts = self.count_population(groups)
        return (0, 0) if counts is None else (int(np.maximum(groups.sizes - counts.people, 0).sum()), counts.nowhere)

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """Return the risk of each group alone, as numerator and denominator: 1/F."""
        return np.ones_like(people), population

    def counts(self, histogram: SizeHistogram, worst: Fraction) -> tuple[Amount, int]:
        """Return the two numbers whose ratio is the value: see `SizeWitness`."""
        if self.statistic == "highest":
            return Fraction(worst.numerator), worst.denominator
        if self.statistic == "average":
            return self.average(histogram)
        above = histogram.people * self._is_above(histogram.population)
        return Fraction(int(above @ histogram.groups)), histogram.everybody

    def blocks(self, groups: Groups) -> Iterable[Groups]:
        """Return all groups as one block: only sizes count."""
        return (groups,)

    def summarize(self, groups: Groups) -> Summary:
        groups = groups.sort_by_number()
        population = self.population_of(groups)
        histogram = SizeHistogram.of(groups.sizes, None if population is groups.sizes else population)
        beyond, nowhere = self.count_strangers(groups)
        worst = None
        if len(groups):
            value = self.extreme(histogram, highest=True)
            row = self._first_with_risk(value, groups.sizes, population)
            name = groups.name(row)
            worst = (-value, name.number), (value, name, int(groups.sizes[row]), int(population[row]))
        return Summary(((histogram, beyond), worst, nowhere), join_tallies, self.read_tally)

    def read_tally(self, tally: Tally) -> Finding:
        """Return the finding on a histogram and its worst group."""
        totals, worst, _ = tally
        if worst is None:
            return Finding(self, Fraction(0), None, ("nobody is in the release",))
        (histogram, beyond), (value, name, people, population) = totals, worst[1]
        matches, everybody = self.counts(histogram, value)
        lowest = self.extreme(histogram, highest=False)
        witness = SizeWitness(name, people=people, population=population, part=matches, whole=everybody, lowest=lowest)
        strangers = f"{counted(beyond, 'person')} of the release {form('is', beyond)}"
        notes = (f"{strangers} not in the population, and counted in it",) if beyond else ()
        return Finding(self, share(matches, everybody), witness, notes)

    def extreme(self, histogram: SizeHistogram, *, highest: bool) -> Fraction:
        """Return the highest risk of a group, or the lowest."""
        # entries of the histogram are far fewer than groups
        worst = worst_ratio(*self.ratio(histogram.people, histogram.population), large_is_bad=highest)
        assert worst is not None
        return worst[1]

    def _first_with_risk(self, value: Fraction, people: Integers, population: Integers) -> int:
        """Return the first group with this risk: equal ratios are equal floats, of 2⁵³ people nearly so."""
        over, under = self.ratio(people, population)
        risk = value.numerator / value.denominator
        near = np.flatnonzero(np.abs(over / under - risk) <= 4 * math.ulp(risk)).tolist()
        return next(row for row in near if Fraction(int(over[row]), int(under[row])) == value)

    def scores(self, groups: Groups) -> Floats:
        """Return the risk of each group, in floats."""
        return np.divide(*self.ratio(groups.sizes, self.population_of(groups)))

    def kinds(self, groups: Groups) -> Integers:
        """Return f and F of each group, which decide its risk."""
        return np.column_stack((groups.sizes, self.population_of(groups)))

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Recompute the value by the definition, over runs of groups sorted by (F, f)."""
        groups = self.prepare(release).groups
        runs = runs_of_sizes(groups.sizes, self.population_of(groups))
        if self.statistic == "average":
            return self.average_again(runs)
        if self.statistic == "share above":
            above = sum(f * times for f, F, times in runs if Fraction(1, F) > self.least_risk)
            return Fraction(above, sum(f * times for f, _, times in runs))
        return max(Fraction(*map(int, self.ratio(np.array(f), np.array(F)))) for f, F, _ in runs)

    def _is_above(self, population: Integers) -> Flags:
        # a threshold of 0 is exceeded in groups of any size
        return population < (np.inf if self.people_needed is None else self.people_needed)

    def average(self, histogram: SizeHistogram) -> tuple[Amount, int]:
        """Return Σ f/F and n."""
        return histogram.expected_matches(), histogram.everybody

    def screen(self) -> Screen:
        return WorstGroup(self) if self.statistic == "highest" else SumScreen(self.addends, self.join_sums, self.kinds)

    def addends(self, groups: Groups) -> Floats:
        """Return the terms of the sums, each group's matches and its people: (groups, 2) float64."""
        people, population = groups.sizes, self.population_of(groups)
        matches = people / population if self.statistic == "average" else people * self._is_above(population)
        return np.column_stack((matches, people)).astype(float)

    def join_sums(self, sums: Floats) -> Floats:
        """Return the value from sums of addends: the first over the second."""
        return divide_sums(sums)

    def average_again(self, runs: SizeRuns) -> Amount:
        """Return Σ f/F / n of runs; those with the same F are one ratio, so that terms decide if it is a fraction."""
        people = Counter[int]()
        for here, population, times in runs:
            people[population] += here * times
        return share(sum_of_ratios([*people.values()], [*people]), people.total())

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, SizeWitness):
            return self.nobody
        if self.statistic != "share above":
            return self.in_words(finding, witness)
        above, needed = int(witness.part), self.people_needed
        share_above = decimal_text(Fraction(finding.value), up=True)
        people = f"{above:,} of {counted(witness.whole, 'person')} ({share_above})"
        if needed is None:
            return f"{people} {form('is', above)} in groups of any size: above 0."
        if needed == 1:
            return "Nobody's risk is above 1."
        return f"{people} {self.few_alike(above, needed - 1)}: above {self.threshold}."

    @abstractmethod
    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        """Describe the average; or name the worst group and its risk."""

    def few_alike(self, people: int, size: int) -> str:
        """Describe that `people` share their cells with at most `size` people."""
        return f"{form('is', people)} in {'groups of 1' if size == 1 else f'groups of {size:,} or fewer'}"


@dataclass(frozen=True)
class ProsecutorRisk(SizeRisk):
    """How surely is somebody found whom one knows to be in the release?

    1/f for each of the f people of a group.  `statistic` is the "highest" (1 / the smallest group), the "average" over
    all people (groups / people), or the "share above" a `threshold`: of people in groups with 1/f > t, strictly.
    At most 0.09 asks for groups of 12 people, as 1/11 is 0.0909…; at most 1/11 for 11.

    >>> import sidelight as sl
    >>> release = sl.Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}])
    >>> finding = ProsecutorRisk().measure(release)
    >>> finding.value, finding.witness.group.number
    (Fraction(1, 2), 2)
    >>> print(finding.explain())
    In group 2, 2 people stand for one another: whoever knows that somebody is in it is right with 1/2.
    >>> print(ProsecutorRisk("share above", threshold=0.4).measure(release).explain())
    2 of 5 people (0.4000) are in groups of 2 or fewer: above 0.4.

    Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008.
    """

    statistic: Statistic = field(default="highest", metadata=choice(Statistic))
    threshold: float | Fraction | None = None

    name: ClassVar[str] = "prosecutor risk"
    example_settings = (
        {},
        {"statistic": "average"},
        {"statistic": "share above", "threshold": 0.4},
        {"statistic": "share above", "threshold": Fraction(1, 2)},
    )
    attacker = Attacker(
        "somebody who knows that a person is in the file", ROW, "how surely a row is theirs", "register"
    )
    also_called = ("re-identification risk", "prosecutor", "average re-identification risk", "records at risk")
    needs_population: ClassVar[bool] = False

    def compare_with(self, population: Population) -> Self:
        """Return the measure unchanged: a person known to be in the release is not compared with others."""
        return self

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        if self.statistic == "average":
            right = f"{short_decimal(Fraction(witness.part))} of {counted(witness.whole, 'person')}"
            value = exact_text(finding.value)
            return f"Whoever knows who is in the release and looks everybody up is right about {right}: {value}."
        if witness.people == 1:
            return f"In {witness.group}, 1 person stands alone: whoever knows that they are in the release finds them."
        return (
            f"In {witness.group}, {witness.people:,} people stand for one another: "
            f"whoever knows that somebody is in it is right with {exact_text(finding.value)}."
        )


def register_in_words(settings: Settings) -> str:
    """Describe what an attacker with a register of the population knows."""
    register = settings.get("population")
    return f"who is in the population{f' ({register})' if isinstance(register, str) else ''}, with the same columns"


@dataclass(frozen=True)
class JournalistRisk(SizeRisk):
    """How surely is somebody found who may be taken for anybody of a population with the same cells?

    1/F for each person of the release, F = the people of the `population` whose cells, recoded as the release is, are
    those of the person's group.  At most 1/k is k-map.  `statistic` is the "highest", the "average" (max(groups/ΣF,
    Σ(f/F)/n)) or the "share above" a `threshold`.  A population that has fewer people in a group than the release is
    refused, unless `outside="as in the release"` counts those of the release.

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
    outside: Outsiders = field(default="an error", metadata=choice(Outsiders))

    name: ClassVar[str] = "journalist risk"
    attacker = Attacker(
        "somebody who looks anybody up in a register", register_in_words, "how surely a row is theirs", "register"
    )
    also_called = ("k-map", "journalist")

    @property
    def when_groups_merge(self) -> Monotonicity:  # type: ignore[override]
        """Never rising; unknown for an average where the population may lack people of the release."""
        # max(F, f) of a merged group may be less than the sum of those of its parts
        unknown = self.statistic == "average" and self.outside == "as in the release"
        return Monotonicity.UNKNOWN if unknown else Monotonicity.NON_INCREASING

    def average(self, histogram: SizeHistogram) -> tuple[Amount, int]:
        """Return the larger ratio of groups to ΣF and Σ f/F to n."""
        of_groups = Fraction(int(histogram.groups.sum())), int(histogram.population @ histogram.groups)
        of_people = histogram.expected_matches(), histogram.everybody
        return max(of_groups, of_people, key=lambda each: share(*each))

    def addends(self, groups: Groups) -> Floats:
        addends = super().addends(groups)
        if self.statistic != "average":
            return addends
        # (groups, 4): f/F, f, 1 and F, whose sums make both averages
        return np.column_stack((addends, np.ones(len(groups)), self.population_of(groups)))

    def join_sums(self, sums: Floats) -> Floats:
        of_people = divide_sums(sums)
        return of_people if self.statistic != "average" else np.maximum(of_people, sums[:, 2] / sums[:, 3])

    def average_again(self, runs: SizeRuns) -> Amount:
        groups, met = sum(times for _, _, times in runs), sum(F * times for _, F, times in runs)
        return max(super().average_again(runs), Fraction(groups, met))

    def few_alike(self, people: int, size: int) -> str:
        # the number of people in the register with these cells decides, and not the group
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
class MarketerRisk(SizeRisk):
    """Of how many people is whoever links everybody right?

    Σ (f/F) / n: the expected share of correct matches if each person of the release is matched with anyone of the
    `population` who has the same cells; without one, with anyone of the group (then it is groups / people).  n times
    this is the expected number of people re-identified.

    >>> import sidelight as sl
    >>> finding = MarketerRisk().measure(sl.Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}]))
    >>> finding.value
    Fraction(2, 5)
    >>> print(finding.explain())
    Whoever links everybody to the release is right about 2.0 of 5 people.

    Source: Dankar and El Emam, A Method for Evaluating Marketer Re-identification Risk, PAIS 2010.
    """

    population: object = field(default=None, metadata=REGISTER)
    outside: Outsiders = field(default="an error", metadata=choice(Outsiders))

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
        people = f"{to_places(Fraction(witness.part), 1):,f}"
        to = "the release" if self.register is None else "the register"
        return f"Whoever links everybody to {to} is right about {people} of {counted(witness.whole, 'person')}."


@dataclass(frozen=True)
class Presence(SizeRisk):
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
    outside: Outsiders = field(default="an error", metadata=choice(Outsiders))

    name: ClassVar[str] = "presence"
    attacker = Attacker(
        "somebody who asks whether a person is in the file", register_in_words, "how surely they are in it", "register"
    )
    also_called = ("delta-presence", "δ-presence", "d-presence", "membership", "membership inference")
    nobody: ClassVar[str] = "Nobody is in the release, so nobody of the population is."

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """Return f and F."""
        return people, population

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        everybody = counted(witness.population, "person")
        are = form("is", witness.people)
        return f"In {witness.group}, {witness.people:,} of the register's {everybody} {are} in the release."


@dataclass(frozen=True)
class Absence(SizeRisk):
    """How surely is somebody not in the release, of whom one knows the cells and that they are in the population?

    max 1 − f/F over the cells of the `population`; 1 where a person's cells are those of no group.

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
    outside: Outsiders = field(default="an error", metadata=choice(Outsiders))

    name: ClassVar[str] = "absence"
    attacker = Attacker(
        "somebody who asks whether a person is in the file",
        register_in_words,
        "how surely they are not in it",
        "register",
    )
    also_called = ("delta-presence", "δ-presence", "d-presence")

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """Return F − f and F."""
        return population - people, population

    def read_tally(self, tally: Tally) -> Finding:
        """Return 1 where a person of the population is in no group: they are certainly not in the release."""
        finding, nowhere = super().read_tally(tally), tally[2]
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
        if finding.witness is None:
            return finding.notes[0][:1].upper() + finding.notes[0][1:] + "."
        return super().explain(finding)

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        everybody, absent = counted(witness.population, "person"), witness.population - witness.people
        return f"In {witness.group}, {absent:,} of the register's {everybody} {form('is', absent)} not in the release."
