"""How many groups have so many people?  The one summary that the named risks are read off.

Symbols     f = people of a group in the release, F = people of the population whose cells are the same; without a
            population nobody else could be meant, so that F = f.  n = Σ f.
Summary     {(f, F): how many groups}; without a population at most √(2n) entries, as the sizes of groups add up to n.
Merging     by addition: entry by entry, in any order.
Numbers     sums over the entries, in whole numbers and fractions: see each method.
Cost        one pass over the groups; small numbers are counted by, and only the others sorted.

A risk that the numbers of people in groups decide: its summary, its witness, its screens.

Symbols     f, F as in `size_histogram`; r(f, F) = what a group alone is worth, such as 1/F; t = a threshold.
Highest     max r over groups: as bad as the worst group.
Average     Σ f·r / n, over all people.
Share above Σ f over the groups with r > t, strictly, / n.

All are read off the histogram.  Beside it a summary keeps the worst group (of equally bad ones the first), so that a
finding can name it.  A replay goes back to the groups, sorts them, and adds up run by run.

In a search, `highest` is judged group by group.  The others are sums over groups divided by sums, joined by addition;
one bad group does not yet break them (`Screen.needed_of_each`).

How surely does somebody find a person whom they know to be in the release?

The prosecutor knows that the person is there, and what is printed about them: one of the f people of their group.

Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008; ISO/IEC 27559:2022, 7.3.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd, lcm
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from sidelight.arrays import Floats, Integers, add_up, run_starts
from sidelight.errors import BadMeasure, as_given, parameter
from sidelight.measures.attacker import ROW, Attacker
from sidelight.measures.criterion import Finding, Witness
from sidelight.measures.exact import BITS_REPORTED, ROUNDING_ERROR, Amount, Screen, worst_row
from sidelight.measures.measure import Measure, Monotonicity, refuse_unknown
from sidelight.release.groups import GroupName, Groups
from sidelight.release.release import Release
from sidelight.rounding import PRECISE, decimal_text, exact_number, exact_text, round_up, short_decimal
from sidelight.table.labels import Label
from sidelight.text import counted, form

SMALL = 1 << 8
"""Groups with fewer people than this, here and in the population, are counted in a table of all pairs."""


@dataclass(frozen=True, eq=False, slots=True)
class SizeHistogram:
    """How many `groups` have so many `people` in the release and so many in the `population`: an entry per pair.

    Entries stand by people, then by population, each pair once.

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
        if population is None:
            sizes, groups = _count_sizes(people)
            return cls(sizes, sizes, groups)
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
            np.concatenate(pair)
            for pair in (
                (self.people, other.people),
                (self.population, other.population),
                (self.groups, other.groups),
            )
        )
        # by people, then by population: equal pairs become neighbours
        order = np.lexsort((population, people))
        people, population, groups = people[order], population[order], groups[order]
        new = np.ones(len(people), bool)
        new[1:] = (np.diff(people) != 0) | (np.diff(population) != 0)
        return SizeHistogram(people[new], population[new], add_up(np.cumsum(new) - 1, groups, int(new.sum())))

    @property
    def everybody(self) -> int:
        """How many people are in the release: n = Σ f."""
        return int(self.people @ self.groups)

    @property
    def all_groups(self) -> int:
        return int(self.groups.sum())

    @property
    def population_met(self) -> int:
        """How many people of the population are in these groups: Σ F."""
        return int(self.population @ self.groups)

    def of_size(self, people: int) -> int:
        """How many groups have so many people in the release.

        >>> SizeHistogram.of(np.array([1, 3, 1])).of_size(1)
        2
        """
        return int(self.groups[self.people == people].sum())

    def people_with_population_below(self, people: int | None) -> int:
        """How many people of the release are in groups with F below this; None: no end, so everybody."""
        if people is None:
            return self.everybody
        below = self.population < people
        return int(self.people[below] @ self.groups[below])

    def expected_matches(self) -> Amount:
        """How many people are found, on average, by whoever takes anybody of the group for each: Σ f/F.

        >>> SizeHistogram.of(np.array([1, 2]), np.array([3, 4])).expected_matches()
        Fraction(5, 6)
        """
        # by F: ratios with one denominator are added up as whole numbers
        sizes, at = np.unique(self.population, return_inverse=True)
        return sum_of_ratios(add_up(at, self.people * self.groups, len(sizes)).tolist(), sizes.tolist())


def _count_sizes(sizes: Integers) -> tuple[Integers, Integers]:
    # up to SMALL² a table of all sizes is quicker than sorting them
    if sizes.max(initial=0) < SMALL * SMALL:
        table = np.bincount(sizes)
        different = np.flatnonzero(table)
        return different, table[different]
    small = sizes < SMALL * SMALL
    (few, groups), (large, times) = _count_sizes(sizes[small]), np.unique(sizes[~small], return_counts=True)
    return np.concatenate((few, large)), np.concatenate((groups, times))


def sum_of_ratios(over: list[int], under: list[int]) -> Amount:
    """Add up ratios over one denominator; rounded up to a float where that is too long to be written out.

    >>> sum_of_ratios([1, 2], [3, 4])
    Fraction(5, 6)
    """
    # in lowest terms: groups that are whole in themselves (f = F) are whole numbers, however large they are
    ratios = [(part // (shared := gcd(part, whole)), whole // shared) for part, whole in zip(over, under, strict=True)]
    common = 1
    for _, whole in ratios:
        common = lcm(common, whole)
        if common.bit_length() > BITS_REPORTED:
            break
    else:
        return Fraction(sum(part * (common // whole) for part, whole in ratios), common)
    with localcontext(PRECISE):
        total = sum((Decimal(part) / whole for part, whole in ratios), Decimal(0))
        return round_up(total * (1 + ROUNDING_ERROR))


Statistic: TypeAlias = Literal["highest", "average", "share above"]
"""Of the person worst off; of everybody, on average; or the share of people whose risk is above a threshold."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SizeWitness(Witness):
    """The worst group, how many people it has here and in the population, and the counts that the value is made of.

    The value is `part` / `whole`: 1 of the group's people, so many matches of all people, people above of all people.
    `lowest` is what the group that is worth least is worth: nobody is safer.
    """

    people: int
    population: int
    part: Amount
    whole: int
    lowest: Fraction


@dataclass(frozen=True, slots=True)
class WorstSizes:
    """The worst group so far: what it is worth, its name, f and F."""

    value: Fraction
    group: GroupName
    people: int
    population: int

    @property
    def rank(self) -> tuple[Fraction, int]:
        """The worst first; of equally bad ones that with the smallest number."""
        return -self.value, self.group.number


@dataclass(frozen=True, slots=True)
class SizeSummary:
    """The histogram of some groups, and the worst of them; None where there is none."""

    measure: SizeRisk
    histogram: SizeHistogram
    worst: WorstSizes | None
    beyond: int = 0  # people of the release whom the population has not: Σ max(f − F, 0)
    nowhere: int = 0  # people of the population whom no group of the whole release has

    def merge(self, other: SizeSummary) -> SizeSummary:
        groups = [each for each in (self.worst, other.worst) if each is not None]
        # by rank, which does not depend on the order of merging
        worst = min(groups, key=lambda each: each.rank, default=None)
        return replace(self, histogram=self.histogram + other.histogram, worst=worst, beyond=self.beyond + other.beyond)

    def finding(self) -> Finding:
        return self.measure.settle(self._finding(), self)

    def _finding(self) -> Finding:
        if self.worst is None:
            return Finding(self.measure, Fraction(0), None, ("nobody is in the release",))
        worst = self.worst
        part, whole = self.measure.counts(self.histogram, worst)
        witness = SizeWitness(
            worst.group,
            people=worst.people,
            population=worst.population,
            part=part,
            whole=whole,
            lowest=self.measure.extreme(self.histogram, highest=False),
        )
        return Finding(self.measure, share(part, whole), witness, self.measure.notes(self))


def share(part: Amount, whole: int) -> Amount:
    """Divide, exactly; a sum that was rounded up stays above."""
    if isinstance(part, Fraction | int):
        return Fraction(part) / whole
    # one float up, as the division may have rounded down
    return float(np.nextafter(part / whole, np.inf))


class SizeRisk(Measure):
    """A measure that is read off the histogram of (f, F)."""

    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING

    def population_of(self, groups: Groups) -> Integers:
        """Return F of each group: without a population, f."""
        return groups.sizes

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """Return what each group alone is worth, as two numbers to be divided: 1/F."""
        return np.ones_like(people), population

    def counts(self, histogram: SizeHistogram, worst: WorstSizes) -> tuple[Amount, int]:
        del histogram
        return Fraction(worst.value.numerator), worst.value.denominator

    def notes(self, summary: SizeSummary) -> tuple[str, ...]:
        del summary
        return ()

    def settle(self, finding: Finding, summary: SizeSummary) -> Finding:
        del summary
        return finding

    def beyond(self, groups: Groups) -> int:
        del groups
        return 0

    def nowhere(self, groups: Groups) -> int:
        del groups
        return 0

    def blocks(self, groups: Groups) -> Iterable[Groups]:
        """Return all groups as one block, however many values there are: only sizes count."""
        return (groups,)

    def summarize(self, groups: Groups) -> SizeSummary:
        groups = groups.sort_by_number()
        population = self.population_of(groups)
        histogram = SizeHistogram.of(groups.sizes, None if population is groups.sizes else population)
        if len(groups) == 0:
            return SizeSummary(self, histogram, None, nowhere=self.nowhere(groups))
        value = self.extreme(histogram, highest=True)
        row = self._first_with(value, histogram, groups.sizes, population)
        worst = WorstSizes(value, groups.name(row), int(groups.sizes[row]), int(population[row]))
        return SizeSummary(self, histogram, worst, self.beyond(groups), self.nowhere(groups))

    def extreme(self, histogram: SizeHistogram, *, highest: bool) -> Fraction:
        # entries of the histogram are far fewer than groups
        ratios = np.column_stack(self.ratio(histogram.people, histogram.population))
        worst = worst_row(
            ratios[:, 0] / ratios[:, 1],
            large_is_bad=highest,
            kinds=ratios.__getitem__,
            exactly=lambda kinds: [Fraction(*each) for each in kinds.tolist()],
        )
        assert worst is not None
        return Fraction(worst[1])

    def _first_with(self, value: Fraction, histogram: SizeHistogram, people: Integers, population: Integers) -> int:
        """Find the first group that is worth this; as a rule all such groups have the same (f, F)."""
        # as a rule one entry is worth this, and whole numbers find its first group
        entry, *others = self._rows_with(value, histogram.people, histogram.population)
        if others:
            return next(self._rows_with(value, people, population))
        same = population == histogram.population[entry]
        return int(np.argmax(same if population is people else same & (people == histogram.people[entry])))

    def _rows_with(self, value: Fraction, people: Integers, population: Integers) -> Iterator[int]:
        """Find what is worth this: equal ratios are equal floats, whatever their terms; of 2⁵³ people nearly so."""
        over, under = self.ratio(people, population)
        wanted = value.numerator / value.denominator
        near = np.flatnonzero(np.abs(over / under - wanted) <= 4 * math.ulp(wanted))
        return (row for row in near.tolist() if Fraction(int(over[row]), int(under[row])) == value)

    def screen(self) -> Screen:
        return SizeScreen(self)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Sort the groups by (F, f) again, and add up run by run."""
        del witness
        groups = self.prepare(release).groups
        return self.again(runs_of_sizes(groups.sizes, self.population_of(groups)))

    @abstractmethod
    def again(self, runs: SizeRuns) -> Amount:
        """Compute the value from runs of groups that have the same (f, F)."""


SizeRuns: TypeAlias = list[tuple[int, int, int]]
"""(f, F, how many groups), by falling risk: F, then f."""


def runs_of_sizes(people: Integers, population: Integers) -> SizeRuns:
    """Return the runs of groups of equal sizes as (f, F, groups), sorted by F, then f.

    >>> runs_of_sizes(np.array([2, 1, 2]), np.array([2, 1, 2]))
    [(1, 1, 1), (2, 2, 2)]
    """
    # by F, then by f: runs are in the order of falling risk
    order = np.lexsort((people, population))
    columns = [people[order], population[order]]
    starts = np.flatnonzero(run_starts(columns))
    lengths = np.diff(starts, append=len(order))
    return list(zip(columns[0][starts].tolist(), columns[1][starts].tolist(), lengths.tolist(), strict=True))


@dataclass(frozen=True)
class SizeScreen(Screen):
    """The screen of a risk of sizes that the worst group decides: what each group is worth."""

    measure: SizeRisk

    @property
    def group_by_group(self) -> bool:
        return True

    def rows(self, groups: Groups) -> Floats:
        """Return what each group is worth: (groups, 1) float64."""
        over, under = self.measure.ratio(groups.sizes, self.measure.population_of(groups))
        return (over / under)[:, np.newaxis]

    def kinds(self, groups: Groups) -> Integers:
        return np.column_stack((groups.sizes, self.measure.population_of(groups)))

    def join(self, one: Floats, other: Floats) -> Floats:
        return np.maximum(one, other)

    def value(self, rows: Floats) -> Floats:
        return rows[:, 0]


class PersonRisk(SizeRisk):
    """How surely is somebody found, by one guess among the F people of their group: the highest, the average, a share.

    A dataclass with the settings `statistic` and `threshold`.
    """

    statistic: Statistic
    threshold: float | Fraction | None

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_unknown(self.name, "statistic", self.statistic, get_args(Statistic))
        if (self.threshold is not None) != (self.statistic == "share above"):
            message = (
                f"'{self.name}' with the share above needs a {parameter('threshold')}, such as 0.09"
                if self.threshold is None
                else f"'{self.name}' takes a {parameter('threshold')} with {parameter('statistic', 'share above')} only"
            )
            raise BadMeasure(message)
        if not 0 <= self.least_risk <= 1:
            message = f"'{self.name}' needs a {parameter('threshold')} between 0 and 1, not {as_given(self.threshold)}"
            raise BadMeasure(message)

    @property
    def least_risk(self) -> Fraction:
        """The threshold as it is meant: 0.09 is 9/100, and 0 where there is none."""
        # 0.09 is meant as 9/100: as a float it would be a little more or less than that
        threshold = exact_number(self.threshold or 0, BadMeasure, "a threshold")
        # an infinite threshold is out of range: −1 lets the check refuse it
        return Fraction(threshold) if math.isfinite(threshold) else Fraction(-1)

    @property
    def people_needed(self) -> int | None:
        """How many people a group needs so that 1/F is not above the threshold: ⌈1/t⌉; None: no number is enough."""
        return -(-self.least_risk.denominator // self.least_risk.numerator) if self.least_risk else None

    def counts(self, histogram: SizeHistogram, worst: WorstSizes) -> tuple[Amount, int]:
        if self.statistic == "highest":
            return Fraction(1), worst.population
        if self.statistic == "share above":
            return Fraction(histogram.people_with_population_below(self.people_needed)), histogram.everybody
        return self.average(histogram)

    def average(self, histogram: SizeHistogram) -> tuple[Amount, int]:
        """Σ f/F of n."""
        return histogram.expected_matches(), histogram.everybody

    def screen(self) -> Screen:
        return SizeScreen(self) if self.statistic == "highest" else SummedSizeScreen(self)

    def addends(self, people: Integers, population: Integers) -> Floats:
        """Return what is added up, each group's part and its people: (groups, 2) float64."""
        if self.statistic == "average":
            return np.column_stack((people / population, people))
        # a threshold of 0 is exceeded in groups of any size
        below = np.inf if self.people_needed is None else self.people_needed
        return np.column_stack((np.where(population < below, people, 0), people)).astype(float)

    def joined(self, sums: Floats) -> Floats:
        """Read the value off sums of addends: the first over the second."""
        ratio: Floats = sums[:, 0] / sums[:, 1]
        return ratio

    def again(self, runs: SizeRuns) -> Amount:
        """By the definition, from runs of groups in which people are equally sure to be found."""
        if self.statistic == "highest":
            return Fraction(1, runs[0][1])
        if self.statistic == "share above":
            above = sum(f * times for f, F, times in runs if Fraction(1, F) > self.least_risk)
            return Fraction(above, sum(f * times for f, _, times in runs))
        return self.average_again(runs)

    def average_again(self, runs: SizeRuns) -> Amount:
        """Σ f/F / n, from runs; those with the same F are one ratio, as its terms decide whether it is a fraction."""
        # by F, so that each denominator is added up once and the sum stays short
        people = Counter[int]()
        for here, population, times in runs:
            people[population] += here * times
        return share(sum_of_ratios([*people.values()], [*people]), people.total())

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, SizeWitness):
            return "Nobody is in the release, so nobody can be found."
        return self.share_in_words(finding) if self.statistic == "share above" else self.in_words(finding, witness)

    @abstractmethod
    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        """Return what the average means; or name the worst group, and say how surely somebody of it is found."""

    def share_in_words(self, finding: Finding) -> str:
        witness = finding.witness
        assert isinstance(witness, SizeWitness)
        above = f"{int(witness.part):,} of {counted(witness.whole, 'person')}"
        shown_share = decimal_text(Fraction(finding.value), up=True)
        are = form("is", int(witness.part))
        if self.people_needed is None:
            return f"{above} ({shown_share}) {are} in groups of any size: above 0."
        if self.people_needed == 1:
            return "Nobody's risk is above 1."
        few = self.few_alike(int(witness.part), self.people_needed - 1)
        return f"{above} ({shown_share}) {few}: above {self.threshold}."

    def few_alike(self, people: int, size: int) -> str:
        """Return in words that so many people have at most so many who look like them."""
        groups = "groups of 1" if size == 1 else f"groups of {size:,} or fewer"
        return f"{form('is', people)} in {groups}"


@dataclass(frozen=True)
class SummedSizeScreen(SizeScreen):
    """The screen of an average, or of a share of people: addends that join by addition."""

    measure: PersonRisk

    @property
    def group_by_group(self) -> bool:
        return False

    @property
    def breaks_with_one_group(self) -> bool:
        return False

    def rows(self, groups: Groups) -> Floats:
        return self.measure.addends(groups.sizes, self.measure.population_of(groups))

    def join(self, one: Floats, other: Floats) -> Floats:
        return one + other

    def value(self, rows: Floats) -> Floats:
        return self.measure.joined(rows)


@dataclass(frozen=True)
class ProsecutorRisk(PersonRisk):
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

    statistic: Statistic = "highest"
    threshold: float | Fraction | None = None

    name: ClassVar[str] = "prosecutor risk"
    attacker = Attacker(
        "somebody who knows that a person is in the file", ROW, "how surely a row is theirs", "register"
    )
    also_called = ("re-identification risk", "prosecutor", "average re-identification risk", "records at risk")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        del domain
        return cls(), cls("average"), cls("share above", threshold=0.4), cls("share above", threshold=Fraction(1, 2))

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        if self.statistic == "average":
            people, value = short_decimal(Fraction(witness.part)), exact_text(finding.value)
            return (
                f"Whoever knows who is in the release and looks everybody up is right about {people} of "
                f"{counted(witness.whole, 'person')}: {value}."
            )
        # a unique person is found for certain: no probability is needed
        if witness.people == 1:
            return f"In {witness.group}, 1 person stands alone: whoever knows that they are in the release finds them."
        return (
            f"In {witness.group}, {witness.people:,} people stand for one another: "
            f"whoever knows that somebody is in it is right with {exact_text(finding.value)}."
        )
