"""How many groups have so many people?  The one summary that the named risks are read off.

Symbols     f = people of a group in the release, F = people of the population whose cells are the same; without a
            population nobody else could be meant, so that F = f.  n = Σ f.
Summary     {(f, F): how many groups}; without a population at most √(2n) entries, as the sizes of groups add up to n.
Merging     by addition: entry by entry, in any order.
Numbers     sums over the entries, in whole numbers and fractions: see each method.
Cost        one pass over the groups; small numbers are counted by, and only the others sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from sidelight.arrays import Integers, add_up
from sidelight.measures.exact import BITS_REPORTED, ROUNDING_ERROR, Amount
from sidelight.rounding import PRECISE, round_up

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
        """Count groups by how many people they have."""
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
        """How many groups there are."""
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
    """Return the different sizes in order, and how often each is there."""
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
