"""How many people share a group?  The risks that the numbers of people in groups decide: read off one histogram.

Symbols     f = people of a group in the release, F = people of the population whose cells are the same; without a
            population nobody else could be meant, so that F = f.  n = Σ f.  r(f, F) = what a group alone is worth, such
            as 1/F; t = a threshold.
Summary     {(f, F): how many groups}; without a population at most √(2n) entries, as the sizes of groups add up to n.
            It merges by addition, in any order.  Beside it stands the worst group (of equally bad ones the first), so
            that a finding can name it.
Highest     max r over groups: as bad as the worst group.
Average     Σ f·r / n, over all people.
Share above Σ f over the groups with r > t, strictly, / n.
Cost        one pass over the groups; small numbers are counted by, and only the others sorted.

A replay goes back to the groups, sorts them, and adds up run by run.  In a search, `highest` is judged group by group;
the others are sums over groups divided by sums, which one bad group does not yet break.

The prosecutor knows that a person is in the release, and what is printed about them: one of the f people of their
group.  Who compares the release with a population is in `population_risk`.

Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008; ISO/IEC 27559:2022, 7.3.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, run_starts
from sidelight.errors import BadMeasure, as_given, parameter
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import BITS_REPORTED, ROUNDING_ERROR, Screen, SumScreen, divide_sums, worst_ratio
from sidelight.measures.group_by_group import WorstGroup
from sidelight.measures.measure import ROW, Attacker, Measure, Monotonicity, Tally, choice
from sidelight.rounding import PRECISE, decimal_text, exact_number, exact_text, round_up, short_decimal
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release

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
            np.concatenate((getattr(self, name), getattr(other, name))) for name in ("people", "population", "groups")
        )
        # by people, then by population: equal pairs become neighbours
        order = np.lexsort((population, people))
        people, population, groups = people[order], population[order], groups[order]
        new = run_starts([people, population])
        return SizeHistogram(people[new], population[new], add_up(np.cumsum(new) - 1, groups, int(new.sum())))

    @property
    def everybody(self) -> int:
        """How many people are in the release: n = Σ f."""
        return int(self.people @ self.groups)

    def of_size(self, people: int) -> int:
        """How many groups have so many people in the release.

        >>> SizeHistogram.of(np.array([1, 3, 1])).of_size(1)
        2
        """
        return int(self.groups[self.people == people].sum())

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
    if sizes.max(initial=0) >= SMALL * SMALL:
        return np.unique(sizes, return_counts=True)
    table = np.bincount(sizes)
    different = np.flatnonzero(table)
    return different, table[different]


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

SizeRuns: TypeAlias = list[tuple[int, int, int]]
"""(f, F, how many groups), by falling risk: F, then f."""


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


def share(part: Amount, whole: int) -> Amount:
    """Divide, exactly; a sum that was rounded up stays above."""
    if isinstance(part, Fraction | int):
        return Fraction(part) / whole
    # one float up, as the division may have rounded down
    return float(np.nextafter(part / whole, np.inf))


def runs_of_sizes(people: Integers, population: Integers) -> SizeRuns:
    """Return the runs of groups of equal sizes as (f, F, groups), sorted by F, then f.

    >>> runs_of_sizes(np.array([2, 1, 2]), np.array([2, 1, 2]))
    [(1, 1, 1), (2, 2, 2)]
    """
    order = np.lexsort((people, population))
    columns = [people[order], population[order]]
    starts = np.flatnonzero(run_starts(columns))
    lengths = np.diff(starts, append=len(order))
    return list(zip(columns[0][starts].tolist(), columns[1][starts].tolist(), lengths.tolist(), strict=True))


class SizeRisk(Measure):
    """A measure that is read off the histogram of (f, F): the highest, the average, or the share above a threshold.

    A dataclass, of which `statistic` and `threshold` may be settings.
    """

    statistic: Statistic = "highest"
    threshold: float | Fraction | None = None
    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    whole_numbers: ClassVar[bool] = False  # a screen's floats are ratios
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING

    def __post_init__(self) -> None:
        super().__post_init__()
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

    def population_of(self, groups: Groups) -> Integers:
        """Return F of each group: without a population, f."""
        return groups.sizes

    def count_strangers(self, groups: Groups) -> tuple[int, int]:
        """Return Σ max(f − F, 0), people whom the population lacks, and how many of it no group has."""
        del groups
        return 0, 0

    def ratio(self, people: Integers, population: Integers) -> tuple[Integers, Integers]:
        """Return what each group alone is worth, as two numbers to be divided: 1/F."""
        return np.ones_like(people), population

    def counts(self, histogram: SizeHistogram, worst: Fraction) -> tuple[Amount, int]:
        """Return the two numbers whose ratio is the value: of the worst group, matches of all people, people above."""
        if self.statistic == "highest":
            return Fraction(worst.numerator), worst.denominator
        if self.statistic == "average":
            return self.average(histogram)
        above = histogram.people * self._is_above(histogram.population)
        return Fraction(int(above @ histogram.groups)), histogram.everybody

    def notes(self, beyond: int) -> tuple[str, ...]:
        """Return what one should know where so many people of the release are not in the population."""
        del beyond
        return ()

    def blocks(self, groups: Groups) -> Iterable[Groups]:
        """Return all groups as one block, however many values there are: only sizes count."""
        return (groups,)

    def summarize(self, groups: Groups) -> Tally:
        groups = groups.sort_by_number()
        population = self.population_of(groups)
        histogram = SizeHistogram.of(groups.sizes, None if population is groups.sizes else population)
        beyond, nowhere = self.count_strangers(groups)
        if len(groups) == 0:
            return Tally(self, (histogram, beyond), None, nowhere)
        value = self.extreme(histogram, highest=True)
        row = self._first_worth(value, groups.sizes, population)
        name = groups.name(row)
        worst = (-value, name.number), (value, name, int(groups.sizes[row]), int(population[row]))
        return Tally(self, (histogram, beyond), worst, nowhere)

    def read_tally(self, tally: Tally) -> Finding:
        if tally.worst is None:
            return Finding(self, Fraction(0), None, ("nobody is in the release",))
        (histogram, beyond), (value, name, people, population) = tally.totals, tally.worst[1]
        part, whole = self.counts(histogram, value)
        lowest = self.extreme(histogram, highest=False)
        witness = SizeWitness(name, people=people, population=population, part=part, whole=whole, lowest=lowest)
        return Finding(self, share(part, whole), witness, self.notes(beyond))

    def extreme(self, histogram: SizeHistogram, *, highest: bool) -> Fraction:
        """Return what the group that is worth most, or least, is worth."""
        # entries of the histogram are far fewer than groups
        worst = worst_ratio(*self.ratio(histogram.people, histogram.population), large_is_bad=highest)
        assert worst is not None
        return worst[1]

    def _first_worth(self, value: Fraction, people: Integers, population: Integers) -> int:
        """Find the first group worth this: equal ratios are equal floats, of 2⁵³ people nearly so."""
        over, under = self.ratio(people, population)
        wanted = value.numerator / value.denominator
        near = np.flatnonzero(np.abs(over / under - wanted) <= 4 * math.ulp(wanted)).tolist()
        return next(row for row in near if Fraction(int(over[row]), int(under[row])) == value)

    def scores(self, groups: Groups) -> Floats:
        """Return what each group is worth, in floats."""
        over, under = self.ratio(groups.sizes, self.population_of(groups))
        return over / under

    def kinds(self, groups: Groups) -> Integers:
        """Return f and F of each group: they decide."""
        return np.column_stack((groups.sizes, self.population_of(groups)))

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Sort the groups by (F, f) again, and add up run by run."""
        del witness
        groups = self.prepare(release).groups
        return self.again(runs_of_sizes(groups.sizes, self.population_of(groups)))

    def _is_above(self, population: Integers) -> Flags:
        # a threshold of 0 is exceeded in groups of any size
        return population < (np.inf if self.people_needed is None else self.people_needed)

    def average(self, histogram: SizeHistogram) -> tuple[Amount, int]:
        """Σ f/F of n."""
        return histogram.expected_matches(), histogram.everybody

    def screen(self) -> Screen:
        return WorstGroup(self) if self.statistic == "highest" else SumScreen(self.addends, self.joined, self.kinds)

    def addends(self, groups: Groups) -> Floats:
        """Return what is added up, each group's part and its people: (groups, 2) float64."""
        people, population = groups.sizes, self.population_of(groups)
        part = people / population if self.statistic == "average" else people * self._is_above(population)
        return np.column_stack((part, people)).astype(float)

    def joined(self, sums: Floats) -> Floats:
        """Read the value off sums of addends: the first over the second."""
        return divide_sums(sums)

    def again(self, runs: SizeRuns) -> Amount:
        """Compute the value by the definition, from runs of groups that have the same (f, F)."""
        if self.statistic == "average":
            return self.average_again(runs)
        if self.statistic == "share above":
            above = sum(f * times for f, F, times in runs if Fraction(1, F) > self.least_risk)
            return Fraction(above, sum(f * times for f, _, times in runs))
        return max(Fraction(*map(int, self.ratio(np.array(f), np.array(F)))) for f, F, _ in runs)

    def average_again(self, runs: SizeRuns) -> Amount:
        """Σ f/F / n, from runs; those with the same F are one ratio, as its terms decide whether it is a fraction."""
        people = Counter[int]()
        for here, population, times in runs:
            people[population] += here * times
        return share(sum_of_ratios([*people.values()], [*people]), people.total())

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, SizeWitness):
            return "Nobody is in the release, so nobody can be found."
        if self.statistic != "share above":
            return self.in_words(finding, witness)
        above, needed = int(witness.part), self.people_needed
        people = f"{above:,} of {counted(witness.whole, 'person')} ({decimal_text(Fraction(finding.value), up=True)})"
        if needed is None:
            return f"{people} {form('is', above)} in groups of any size: above 0."
        if needed == 1:
            return "Nobody's risk is above 1."
        return f"{people} {self.few_alike(above, needed - 1)}: above {self.threshold}."

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        """Return what the average means; or name the worst group, and say how surely somebody of it is found."""
        raise NotImplementedError

    def few_alike(self, people: int, size: int) -> str:
        """Return in words that so many people have at most so many who look like them."""
        groups = "groups of 1" if size == 1 else f"groups of {size:,} or fewer"
        return f"{form('is', people)} in {groups}"


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
        *({"statistic": "share above", "threshold": each} for each in (0.4, Fraction(1, 2))),
    )
    attacker = Attacker(
        "somebody who knows that a person is in the file", ROW, "how surely a row is theirs", "register"
    )
    also_called = ("re-identification risk", "prosecutor", "average re-identification risk", "records at risk")

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
