"""Five minima over groups say all about an acquaintance: the mergeable summary of `Acquaintance`.

    NR = min( min_g T(g,ℓ,k)·V(g,m,k+1),  min_g T(g,ℓ,k)·min_f V(f,m,0),  min_g T(g,ℓ,0)·min_f V(f,m,k) )

It is enough to let the k people sit in one group, and the m (congregation): with the target and the family in the
target's group; with the target, the family elsewhere; or with the family, elsewhere.  The risk is 1/(1+NR).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Floats, Integers, first_of_alike, first_of_each, numbered_rows
from sidelight.measures.exact import NEAR, largest_counts
from sidelight.measures.privacy_skyline.odds import COMPARED, DECIMALS, FRACTIONS, ODDS, Arithmetic, Number, SetOfValues
from sidelight.release.groups import Groups
from sidelight.table.labels import Label
from sidelight.table.table import Counts, Semantics


class Knowledge(NamedTuple):
    """How much somebody knows: ℓ, k, m."""

    rules_out: int
    others: int
    family: int


class Minimum(NamedTuple):
    """What is minimised: T with so many others, V with so many, or their product (`None`: not in it)."""

    target: int | None
    family: int | None


WAYS = ((0,), (1, 2), (3, 4))
"""The three products of minima; where they are equal, the first one speaks (it needs the fewest groups)."""


def five(knows: Knowledge) -> tuple[Minimum, ...]:
    """List the five minima."""
    k = knows.others
    return Minimum(k, k + 1), Minimum(k, None), Minimum(None, 0), Minimum(0, None), Minimum(None, k)


@dataclass(frozen=True, slots=True)
class Place:
    """One group as seen from one value: its people, those with the value, the counts that are ruled out."""

    semantics: Semantics
    people: int
    count: int
    ruled_out: tuple[int, ...]

    def length(self, m: int) -> int:
        """Estimate how many bits a product of odds here has."""
        return ODDS[self.semantics].length(self.people, self.count, ruled_out=self.ruled_out, m=m)

    def odds(self, which: Minimum, m: int, using: Arithmetic[Number]) -> Number:
        """Compute T, V or their product."""
        odds, result = ODDS[self.semantics], using.ratio(1, 1)
        if which.target is not None:
            result *= odds.exact_against(self.people, self.count, self.ruled_out, which.target, using)
        if which.family is not None:
            result *= odds.exact_none(self.people, self.count, m, which.family, using)
        return result


UNLIKE = -2
"""A trait that whole numbers do not say: alike or not must be decided exactly."""


def place_in(groups: Groups, row: int, value: int, rules_out: int) -> Place:
    """Look at a group from a value."""
    counts = groups.counts.row(row).tolist()
    count = counts.pop(value)
    top = sorted(counts, reverse=True)[:rules_out]
    return Place(groups.semantics, int(groups.sizes[row]), count, tuple(each for each in top if each))


@dataclass(frozen=True, eq=False, slots=True)
class FiveMinima:
    """For each value asked about and each of the five: the smallest logarithm, and the first group that has it.

    `groups` are the parts of the release that hold these groups; `part` and `row` say where (−1: the value has not
    occurred yet, and its logarithms are infinite).  `traits` are what decides the odds there, as whole numbers.
    The decision which one is smallest was exact.
    """

    knows: Knowledge
    domain: tuple[Label, ...]
    asked: Integers
    logs: Floats
    part: Integers
    row: Integers
    traits: Integers
    groups: tuple[Groups, ...]

    @classmethod
    def of(cls, groups: Groups, asked: Integers, knows: Knowledge) -> FiveMinima:
        """Find the five minima over some groups, for all values at once."""
        groups = groups.in_order()  # the first row is then the group with the smallest number
        cells = cells_of(groups, asked, knows.rules_out)
        logs = np.full((5, len(asked)), np.inf)
        row = np.full((5, len(asked)), -1)
        traits = np.full((3, 5, len(asked)), -1)

        def look(cell: int) -> Place:
            return place_in(groups, int(cells.rows[cell]), int(asked[cells.values[cell]]), knows.rules_out)

        for place, which in enumerate(five(knows)):
            scores = log_odds(groups.semantics, cells, which, knows.family)
            best = _lowest(scores, cells, which, knows.family, look)
            value = cells.values[best]
            logs[place, value], row[place, value] = scores[best], cells.rows[best]
            traits[:2, place, value] = cells.sizes[best], cells.counts[best]
            if which.target is not None:
                traits[2, place, value] = UNLIKE if groups.semantics == "set" else cells.kinds[best]
        return cls(knows, groups.domain, asked, logs, np.where(row < 0, -1, 0), row, traits, (groups,))._reduced()

    def merge(self, other: FiveMinima) -> FiveMinima:
        """Keep the smaller of each; of equal ones the group with the smaller number."""
        theirs = np.where(other.part < 0, -1, other.part + len(self.groups))
        take = other.logs < self.logs
        close = self._close(other)
        alike = (self.traits == other.traits).all(axis=0) & (self.traits[2] != UNLIKE)
        settled = np.isneginf(self.logs) & np.isneginf(other.logs)
        take = np.where(close & (alike | settled), other.numbers() < self.numbers(), take)
        for which, value in np.argwhere(close & ~alike & ~settled).tolist():
            take[which, value] = self._yields(which, value, other)
        return FiveMinima(
            self.knows,
            self.domain,
            self.asked,
            np.where(take, other.logs, self.logs),
            np.where(take, theirs, self.part),
            np.where(take, other.row, self.row),
            np.where(take, other.traits, self.traits),
            self.groups + other.groups,
        )._reduced()

    def against(self) -> Floats:
        """Logarithm of NR for each value asked about."""
        together, target, family, bare_target, full_family = self.logs
        least: Floats = np.minimum(together, np.minimum(target + family, bare_target + full_family))
        return least

    def place(self, which: int, value: int) -> Place:
        """Look at the group that has a minimum."""
        groups = self.groups[int(self.part[which, value])]
        return place_in(groups, int(self.row[which, value]), int(self.asked[value]), self.knows.rules_out)

    def group(self, which: int, value: int) -> Groups:
        """Take out the group that has a minimum."""
        row = int(self.row[which, value])
        return self.groups[int(self.part[which, value])].take(slice(row, row + 1))

    def numbers(self) -> Integers:
        """Give the number of each group pointed at, in the release."""
        numbers = np.zeros_like(self.part)
        for part, groups in enumerate(self.groups):
            here = self.part == part
            numbers[here] = groups.numbers[self.row[here]]
        return numbers

    def _close(self, other: FiveMinima) -> npt.NDArray[np.bool_]:
        """Say where floats cannot tell which one is smaller."""
        both = (self.part >= 0) & (other.part >= 0)
        with np.errstate(invalid="ignore"):  # two zeros have no distance
            apart = np.abs(self.logs - other.logs)
        near: npt.NDArray[np.bool_] = (self.logs == other.logs) | (apart <= reach(self.logs, self.knows.family))
        return both & near

    def _yields(self, which: int, value: int, other: FiveMinima) -> bool:
        """Decide exactly whether the other one's group takes the place of this one's."""
        first = bool(self.numbers()[which, value] < other.numbers()[which, value])
        pair = [self.place(which, value), other.place(which, value)]
        smaller = smallest(pair if first else pair[::-1], five(self.knows)[which], self.knows.family)
        return (smaller == 1) == first

    def _reduced(self) -> FiveMinima:
        """Keep only the groups that are still pointed at."""
        kept: list[Groups] = []
        part, row = np.full_like(self.part, -1), np.full_like(self.row, -1)
        for number, groups in enumerate(self.groups):
            here = self.part == number
            if here.any():
                rows, place = np.unique(self.row[here], return_inverse=True)
                part[here], row[here] = len(kept), place
                kept.append(groups if len(rows) == len(groups) else groups.take(rows))
        return FiveMinima(self.knows, self.domain, self.asked, self.logs, part, row, self.traits, tuple(kept))


def log_odds(semantics: Semantics, cells: Cells, which: Minimum, m: int) -> Floats:
    """Compute the logarithms of T, V or their product, cell by cell."""
    odds, result = ODDS[semantics], np.zeros(len(cells))
    if which.target is not None:
        result += odds.against(cells.sizes, cells.counts, cells.ruled_out, which.target)
    if which.family is not None and m > 0:
        result += _for_each_pair(lambda n, a: odds.none(n, a, m, which.family or 0), cells)
    return result


def _for_each_pair(compute: Callable[[Integers, Integers], Floats], cells: Cells) -> Floats:
    """Compute what only size and count decide: once per pair where there are fewer pairs than cells."""
    if len(cells) == 0:
        return np.empty(0)
    least, most, count = int(cells.sizes.min()), int(cells.sizes.max()), int(cells.counts.max())
    if (most - least + 1) * count >= len(cells):
        return compute(cells.sizes, cells.counts)
    sizes, counts = np.arange(least, most + 1), np.arange(1, count + 1)
    found: Floats = compute(sizes[:, np.newaxis], counts)[cells.sizes - least, cells.counts - 1]
    return found


def reach(logs: Floats | float, family: int) -> Floats:
    """Say how far apart logarithms of equal odds may be: `acquaintance_falling` says what a family adds."""
    distance: Floats = NEAR * np.maximum(np.abs(logs), 1) + 8e-15 * family
    return distance


def _lowest(scores: Floats, cells: Cells, which: Minimum, m: int, look: Callable[[int], Place]) -> Integers:
    """Find, for each value that occurs, the cell with the smallest exact odds; of equal ones the first group's."""
    starts = np.flatnonzero(np.diff(cells.values, prepend=-1))
    low = np.minimum.reduceat(scores, starts) if len(starts) else np.empty(0)
    finite = np.where(np.isneginf(low), 0.0, low)
    limit = np.where(np.isneginf(low), low, low + reach(finite, m))
    near = np.flatnonzero(scores <= np.repeat(limit, np.diff(starts, append=len(cells))))
    near = near[np.lexsort((cells.rows[near], cells.values[near]))]
    near = near[first_of_each(_decisive(cells, which)[near])]
    runs = np.flatnonzero(np.diff(cells.values[near], prepend=-1))
    rivals = np.split(near, runs[1:])
    best = near[runs]
    for value in np.flatnonzero((np.diff(runs, append=len(near)) > 1) & ~np.isneginf(low)).tolist():
        best[value] = rivals[value][smallest([look(cell) for cell in rivals[value].tolist()], which, m)]
    return best


def _decisive(cells: Cells, which: Minimum) -> Integers:
    columns = [cells.values, cells.sizes, cells.counts]
    return np.column_stack(columns if which.target is None else [*columns, cells.kinds])


def smallest(places: Sequence[Place], which: Minimum, m: int) -> int:
    """Which of these has the smallest exact odds?  Of equal ones the first."""
    length = max(place.length(m) for place in places)
    if length <= COMPARED:
        return _index_of_least([place.odds(which, m, FRACTIONS) for place in places])
    with DECIMALS.working():
        return _index_of_least([place.odds(which, m, DECIMALS) for place in places])


def _index_of_least(numbers: list[Fraction] | list[Decimal]) -> int:
    return min(range(len(numbers)), key=numbers.__getitem__)


# ----------------------------------------------------------------------------------------------------
# Groups × values reduced to what can matter: of those alike, one.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """Values that occur in groups, sorted by value; cells alike in all that decides the odds are kept once.

    `values` are places in the list of values asked about, `rows` the first group that is so, `kinds` a whole number
    that stands for the values ruled out and `ruled_out` their weight (`Odds.weight`).
    """

    values: Integers
    sizes: Integers
    kinds: Integers
    counts: Integers
    rows: Integers
    ruled_out: Floats | Integers

    def __len__(self) -> int:
        return len(self.values)


def cells_of(groups: Groups, asked: Integers, rules_out: int) -> Cells:
    """List the values asked about that occur in the groups, with what ruling out others would weigh."""
    top = largest_counts(groups.counts, min(rules_out + 1, groups.counts.width))
    if rules_out + 1 > top.shape[1]:  # more than there are: whichever value is asked about, all others go
        top = np.pad(top, ((0, 0), (0, 1)))
    rows, values, counts = _occurring(groups.counts, asked)
    if groups.semantics == "set":
        kinds = numbered_rows(np.column_stack((groups.sizes, top)))[rows]
    else:
        kinds = _sum_without(top, rows, counts)
    (values, sizes, kinds, counts), rows = first_of_alike((values, groups.sizes[rows], kinds, counts), rows)
    there = counts > 0
    values, sizes, kinds, counts, rows = (each[there] for each in (values, sizes, kinds, counts, rows))
    weight = _weight_without(top, groups.sizes, rows, counts) if groups.semantics == "set" else kinds
    return Cells(values, sizes, kinds, counts, rows, weight)


def ruled_out_weights(groups: Groups, counts: Integers, rules_out: int) -> Floats | Integers:
    """Weigh, for every group and value asked about (`counts` of it), the ℓ most frequent other values."""
    top = largest_counts(groups.counts, min(rules_out + 1, groups.counts.width))
    if rules_out + 1 > top.shape[1]:
        top = np.pad(top, ((0, 0), (0, 1)))
    rows = np.broadcast_to(np.arange(len(groups))[:, np.newaxis], counts.shape)
    if groups.semantics == "set":
        return _weight_without(top, groups.sizes, rows, counts)
    return _sum_without(top, rows, counts)


def _occurring(counts: Counts, asked: Integers) -> tuple[Integers, Integers, Integers]:
    """Give rows, values and counts, in shapes that broadcast; zeros may be among dense ones."""
    if counts.cells is not None:
        cells = counts.cells if len(asked) == counts.width else counts.cells[:, asked]
        return np.arange(counts.rows)[:, np.newaxis], np.arange(len(asked)), cells
    rows, values, amounts = counts.entries()
    place = np.full(counts.width, -1)
    place[asked] = np.arange(len(asked))
    wanted = place[values] >= 0
    return rows[wanted], place[values[wanted]], amounts[wanted]


def _sum_without(top: Integers, rows: Integers, counts: Integers) -> Integers:
    """Add up the ℓ largest counts of other values: of the ℓ+1 largest of all, leave out σ's own or the last."""
    out: Integers = np.maximum(counts, top[:, -1][rows])
    np.subtract(top.sum(axis=1)[rows], out, out=out)  # in place: fetching fresh memory is what takes the time
    return out


def _weight_without(top: Integers, sizes: Integers, rows: Integers, counts: Integers) -> Floats:
    """Do the same with logarithms, where a value that everybody has must not be subtracted from itself."""
    weights = SetOfValues().weight(top, sizes[:, np.newaxis])
    everybody = np.isneginf(weights)
    sums = np.where(everybody, 0.0, weights).sum(axis=1)[rows]
    out = np.maximum(counts, top[:, -1][rows])
    own = SetOfValues().weight(out, sizes[rows])
    certain = everybody.sum(axis=1)[rows] - np.isneginf(own)
    return np.where(certain > 0, -np.inf, sums - np.where(np.isneginf(own), 0.0, own))
