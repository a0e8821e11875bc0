"""Mondrian's frontier: the groups that may still be cut, in memory by their keys, or by histograms and no keys at all.

Generation  The groups that were made last and have not been tried yet; those that cannot be cut leave the frontier for
            good.  A generation is cut all at once, so the number of passes over the keys is the depth of the cuts, not
            the number of groups.
Invariant   `keys[starts[g]:starts[g + 1]]` are the keys of group g, and `ranks` and `people` stand in the same order:
            whatever is asked of a group is asked of one contiguous stretch.  Cutting keeps the order of keys within
            each half, so the next generation is one gather that reads each group from its start to its end.
Counting    Groups are put in line by one sort of (group, rank) packed into a number, block of groups by block, each
            small enough for a processor's cache and on whichever core is free; only along columns that groups try.
            Values are counted left of cuts by one prefix sum that starts anew in each group; what is right of them is
            the group's total less that.
Beside      Cutting a table into boxes also counts the people of a population in each box.  Its keys are put below those
            of the table, with nobody of the table in them: sizes f are 0 below, people F of a population 0 above.
            *Caution.*  People of a population with a label that nobody of the table has (an age between two of the
            table's) are left out here, and may be in a box as printed: F is never more than what an attacker
            counts, and so no risk that falls with F is called smaller than it is.
Cost        Per generation: least and greatest ranks, one sort for each column that a group tries, and one gather.  No
            loop over groups, cuts or keys.

Histograms say how the people of open groups stand along each column:

Symbols     Group g covers the box [start, stop) of ranks.  Its *cells* are the pairs (column c, rank r) with
            start_gc ≤ r < stop_gc; n_gc(r, v) counts v, a *lane*: a sensitive value, or people.
Summary     Every row of a table adds its amount to one cell of each column: n is a sum over rows, so the histograms of
            blocks of rows, wherever they were counted, merge by addition.  A plain function of arrays does it
            (`Boxes.add`), on one machine or many.
Enough      The rules (`mondrian_cuts`) ask for first and last ranks, people in line by rank, and values beside cuts:
            the first cells with people, the cells in their order, and prefix sums of the lanes.
Lanes       Where sizes alone are limited: people.  Where everybody has one value: the values, which add up to people.
            Else the values, and people after them.
Routing     A row's group is found by its ranks, down the tree of cuts that were made: one step per generation, all rows
            of a block at once.
Cost        One pass over the rows per generation, and cells × lanes numbers: Σ_g Σ_c (stop_gc − start_gc), which is all
            labels of all columns at first and grows by about √2 with each generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Codes, Integers, add_up, ranges, run_starts
from sidelight.release.groups import Groups, PopulationCounts
from sidelight.search.effort import EFFORT, map_on_cores
from sidelight.search.mondrian_cuts import Cuts, Line, OpenGroups, Store
from sidelight.search.utility import candidate_groups
from sidelight.table.table import CELLS_AT_ONCE, Counts, Table

if TYPE_CHECKING:
    from sidelight.release.population import Population
    from sidelight.search.orders import Order

Split: TypeAlias = tuple[Cuts, Integers, Integers]
"""Cuts that were made, the rows of the generation that moved to the right halves, and the halves' numbers."""

KeyEntries: TypeAlias = tuple[Integers, Integers, Integers, Integers, int]
"""Positive counts of keys: where each group's begin (and the last end), keys, values, counts; how many values."""

Ranks = npt.NDArray[np.int32]
"""Column × row."""


@dataclass(eq=False)
class KeyStore(Store):
    """Which group each key of a table is in."""

    table: Table
    first: Generation  # groups that may be cut
    group: Integers  # per key
    splits: list[Split] = field(default_factory=list)  # of the generation at hand

    @classmethod
    def from_table(
        cls, table: Table, orders: tuple[Order, ...], populations: tuple[PopulationCounts, ...] = ()
    ) -> KeyStore:
        """Build the store with everybody in one group; populations are counted by key."""
        return cls(
            table, orders, Generation.from_table(table, orders, populations), np.zeros(len(table.sizes), np.int64)
        )

    def generations(self, least: int = 1) -> Iterator[Generation]:
        """Yield groups to cut: both halves of what was cut are the next, the rest is done."""
        generation = self.first
        while generation.groups:
            self.splits = []
            yield generation
            generation = generation.follow(self.splits, least)

    def split(self, generation: OpenGroups, cuts: Cuts, run: int = 0) -> None:
        """Cut groups in two: the keys behind the cuts move to the right halves."""
        # `run` is not needed, as groups are numbered when they are made
        assert isinstance(generation, Generation)  # as `generations` gives them
        new = self._divide_boxes(cuts, generation.numbers[cuts.group])
        cut, moved = generation.right_of(cuts)
        self.group[generation.keys[moved]] = new[cut]
        self.splits.append((cuts, moved, new))

    def release(self) -> Groups:
        """Roll the keys up to the groups made so far."""
        groups = len(self)
        sizes = np.bincount(self.group, weights=self.table.sizes, minlength=groups).astype(np.int64)
        made = candidate_groups(self.table, sizes, self.table.counts.roll_up(self.group, groups=groups))
        # who is in no group is not known here
        counts = (replace(each, people=add_up(self.group, each.people, groups)) for each in self.first.populations)
        return replace(made, populations=tuple(counts))


@dataclass(eq=False)
class Generation(OpenGroups):
    """Groups that may still be cut, numbered from 0, and their keys: those of each group stand side by side."""

    table: Table
    numbers: Integers  # of the groups, in the partition
    starts: Integers  # where the keys of each group begin; one more: the end
    keys: Integers
    ranks: npt.NDArray[np.integer]  # column × key of `keys`
    widths: tuple[int, ...]  # how many ranks each column has
    people: npt.NDArray[np.integer]  # per key of `keys`; nobody where only a population has the key
    totals: Integers  # how often each value occurs in the table
    populations: tuple[PopulationCounts, ...] = ()  # by key of the table

    @classmethod
    def from_table(
        cls, table: Table, orders: tuple[Order, ...], populations: tuple[PopulationCounts, ...] = ()
    ) -> Generation:
        """Build the generation of one group with all keys."""
        widths = tuple(len(order) for order in orders)
        # the smallest type that holds the ranks: ranks are what is gathered and sorted again and again
        ranks = [
            order.rank[column.codes].astype(np.min_scalar_type(max(widths)))
            for order, column in zip(orders, table.quasi, strict=True)
        ]
        keys = np.arange(len(table.sizes))
        people = table.sizes.astype(np.min_scalar_type(int(table.sizes.max(initial=0))))
        one, starts = np.array([0]), np.array([0, len(keys)])
        return cls(table, one, starts, keys, np.stack(ranks), widths, people, table.counts.totals(), populations)

    @classmethod
    def from_groups(
        cls, table: Table, orders: tuple[Order, ...], numbers: Integers, group: Integers, *, totals: Integers
    ) -> Generation:
        """Build the generation of groups of a part of a table, in the order of `numbers`, none empty."""
        everybody = cls.from_table(table, orders)
        rows = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[rows], np.arange(len(numbers) + 1))
        return replace(everybody._taking(rows, starts, numbers), totals=totals)

    @cached_property
    def group(self) -> Integers:
        """The group of each key."""
        return np.repeat(np.arange(self.groups), np.diff(self.starts))

    @cached_property
    def counts(self) -> Counts:
        """The counts of values by key."""
        return self.table.counts.take(self.keys)

    @property
    def _keys_with_people(self) -> Generation:
        """The same groups without keys that only a population has, which cuts do not heed."""
        return self if self._occupied_generation is None else self._occupied_generation

    @cached_property
    def _occupied_generation(self) -> Generation | None:
        """None where there are none: one that held itself would outlive its turn."""
        kept = np.flatnonzero(self.people)
        if len(kept) == len(self.people):
            return None
        return self._taking(kept, np.searchsorted(kept, self.starts), self.numbers)

    def _taking(self, rows: Integers, starts: Integers, numbers: Integers) -> Generation:
        ranks = np.empty((len(self.ranks), len(rows)), self.ranks.dtype)
        moves = [(self.ranks[at], ranks[at]) for at in range(len(ranks))]
        list(map_on_cores(lambda move: np.take(move[0], rows, out=move[1], mode="clip"), moves, keys=len(rows)))
        return replace(
            self, numbers=numbers, starts=starts, keys=self.keys[rows], ranks=ranks, people=self.people[rows]
        )

    def follow(self, splits: Iterable[Split], least: int = 1) -> Generation:
        """Return both halves of what was cut, split by split, those that could be cut again by their people."""
        right = np.zeros(len(self.keys), bool)
        segments, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for cuts, moved, new in splits:
            right[moved] = True
            # a smaller half could not be cut again: one of its own halves would be too small
            large = np.concatenate((cuts.left, cuts.people - cuts.left)) >= 2 * least
            # half 2g is what stays of group g, half 2g + 1 what moved
            segments.append(np.concatenate((2 * cuts.group, 2 * cuts.group + 1))[large])
            numbers.append(np.concatenate((self.numbers[cuts.group], new))[large])
        half, number = np.concatenate(segments), np.concatenate(numbers)
        # the keys of all left halves, then those of all right ones, each in their old order
        by_side = np.concatenate((np.flatnonzero(~right), np.flatnonzero(right)))
        before = np.concatenate(([0], np.cumsum(right)))[self.starts]
        # (side, group): where the keys of each half begin in `by_side`
        starts = np.stack((self.starts - before, before + len(right) - before[-1]))
        start, stop = starts[half % 2, half // 2], starts[half % 2, half // 2 + 1]
        rows = by_side[ranges(start, stop)[1]]
        return self._taking(rows, np.concatenate(([0], np.cumsum(stop - start))), number)

    def extents(self) -> tuple[Integers, Integers]:
        """Return the first and the last rank that occur, column × group."""
        occupied = self._keys_with_people
        starts = occupied.starts[:-1]

        def ends(ranks: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
            return np.minimum.reduceat(ranks, starts), np.maximum.reduceat(ranks, starts)

        first, last = zip(*map_on_cores(ends, list(occupied.ranks), keys=len(occupied.keys)), strict=True)
        return np.stack(first).astype(np.int64), np.stack(last).astype(np.int64)

    def lines(self, group: Integers, column: Integers) -> Iterator[tuple[int, Integers, Line]]:
        """Yield the people of some groups in line, each along its column: the column, the groups, their line."""
        occupied, blocks = self._keys_with_people, list[tuple[int, Integers]]()
        for along in np.unique(column).tolist():
            some = group[column == along]
            # blocks of groups with about as many keys as are sorted at a time
            keys = np.cumsum(occupied.starts[some + 1] - occupied.starts[some])
            edges = np.flatnonzero(np.diff(keys // EFFORT.keys)) + 1
            blocks += [(along, block) for block in np.split(some, edges)]

        def line_up(block: tuple[int, Integers]) -> Line:
            along, some = block
            number, rows = ranges(occupied.starts[some], occupied.starts[some + 1])
            ranks, people = occupied.ranks[along][rows], occupied.people[rows]
            return Line.from_people(number, ranks, people, groups=len(some), width=self.widths[along])

        for (along, block), line in zip(blocks, map_on_cores(line_up, blocks, keys=len(self.keys)), strict=True):
            yield along, block, line

    def right_of(self, cuts: Cuts) -> tuple[Integers, Integers]:
        """Return who is right of cuts, of different groups: the cut, and the row of the key, cut by cut."""
        cut, rows = ranges(self.starts[cuts.group], self.starts[cuts.group + 1])
        # (columns, keys) as one axis, so that cuts along different columns are looked up at once
        rank = np.take(self.ranks.ravel(), rows + (cuts.column * len(self.keys))[cut])
        right = np.flatnonzero(rank >= cuts.rank.astype(rank.dtype)[cut])
        return cut[right], rows[right]

    def halves(self, cuts: Cuts) -> Iterator[tuple[Integers, Groups]]:
        """Count what is left and right of each cut, with the people of populations there."""
        beside = []
        for population in self.populations:
            people = np.zeros(2 * len(cuts), np.int64)
            one_value = Counts(shape=(len(population.people), 1), cells=population.people[:, np.newaxis].copy())
            for rows, counts in self.count_sides(cuts, one_value):
                people[np.concatenate((rows, len(cuts) + rows))] = counts[:, 0]
            beside.append(replace(population, people=people))
        for rows, groups in super().halves(cuts):
            both = np.concatenate((rows, len(cuts) + rows))
            yield rows, replace(groups, populations=tuple(each.take(both) for each in beside))

    @cached_property
    def _values(self) -> KeyEntries:
        return self._entries(self.counts)

    def _entries(self, counts: Counts) -> KeyEntries:
        key, value, count = counts.entries()
        return np.searchsorted(key, self.starts), key, value, count, counts.width

    def count_sides(self, cuts: Cuts, counts: Counts | None = None) -> Iterator[tuple[Integers, Integers]]:
        """Count values, or what else keys of the table have, beside cuts, block by block."""
        entries = self._values if counts is None else self._entries(counts.take(self.keys))

        def blocks() -> Iterator[tuple[int, Integers]]:
            for column in range(len(self.ranks)):
                rows = np.flatnonzero(cuts.column == column)
                rows = rows[np.lexsort((cuts.rank[rows], cuts.group[rows]))]
                for block in _divide_into_blocks(cuts.group[rows], rows, entries[-1]):
                    yield column, block

        def count(part: tuple[int, Integers]) -> tuple[Integers, Integers]:
            column, rows = part
            return rows, _count_along(cuts.take(rows), entries, self.ranks[column], self.widths[column])

        yield from map_on_cores(count, blocks(), keys=len(self.keys))


def _count_along(cuts: Cuts, entries: KeyEntries, rank: npt.NDArray[np.integer], width: int) -> Integers:
    """Count both sides of cuts along one column, which are sorted by group and rank: all left, then all right."""
    starts, key, value, count, values = entries
    first = np.flatnonzero(run_starts([cuts.group]))
    groups, cuts_of_each = cuts.group[first], np.diff(first, append=len(cuts))
    number = np.repeat(np.arange(len(groups)), cuts_of_each)
    stretch, rows = ranges(starts[groups], starts[groups + 1])
    value, count = value[rows], count[rows]

    # an entry is added at the first cut of its group that it is left of; the prefix sum carries it on
    after = _rank_among(number * width + cuts.rank, stretch * width + rank[key[rows]], len(groups) * width)
    before_some = np.flatnonzero(after < (first + cuts_of_each)[stretch])
    # (cuts, values) as one axis
    added = after[before_some] * values + value[before_some]
    step = add_up(added, count[before_some], len(cuts) * values)
    running = np.cumsum(step.reshape(len(cuts), values), axis=0)
    before = np.where(first[:, np.newaxis] > 0, running[first - 1], 0)
    totals = add_up(stretch * values + value, count, len(groups) * values).reshape(before.shape)
    sides = np.empty((2, *running.shape), np.int64)
    np.subtract(running, np.repeat(before, cuts_of_each, axis=0), out=sides[0])  # starts anew in each group
    np.subtract(np.repeat(totals, cuts_of_each, axis=0), sides[0], out=sides[1])
    return sides.reshape(-1, values)


def _rank_among(places: Integers, others: Integers, below: int) -> Integers:
    """Return how many of some places, in rising order, are at or before each other place; all are below a number.

    >>> _rank_among(np.array([1, 4]), np.array([0, 1, 3, 9]), 10).tolist()
    [0, 1, 1, 2]
    """
    # counting all numbers pays only where they are not many more than the places
    if below > 4 * (len(places) + len(others)):
        return np.searchsorted(places, others, side="right")
    return np.cumsum(np.bincount(places, minlength=below))[others]


def _divide_into_blocks(group: Integers, rows: Integers, width: int) -> Iterator[Integers]:
    """Yield blocks of rows sorted by group that can be spread out, never cut through a group."""
    # a group with more cuts than a block may have gets a block of its own
    most = max(EFFORT.counts // max(width, 1), 1)
    start = 0
    while start < len(rows):
        stop = min(start + most, len(rows))
        if stop < len(rows):
            edge = int(np.searchsorted(group, group[stop]))
            stop = edge if edge > start else int(np.searchsorted(group, group[stop], side="right"))
        yield rows[start:stop]
        start = stop


def place_populations(table: Table, populations: Sequence[Population]) -> tuple[Table, tuple[PopulationCounts, ...]]:
    """Return the table with the keys of populations below its own, and each population's people by key.

    >>> from sidelight.release.population import Population
    >>> import pyarrow as pa
    >>> from sidelight.engines.read import read_table
    >>> table = read_table(pa.table({"age": ["3", "4"], "value": ["a", "a"]}), quasi="age", sensitive="value")
    >>> both, (register,) = place_populations(table, [Population.from_source(pa.table({"age": ["3", "3", "9"]}))])
    >>> both.sizes.tolist(), register.people.tolist()
    ([1, 1, 0], [0, 0, 2])
    """
    codes_by_source, own = [[column.codes for column in table.quasi]], len(table.sizes)
    known_people = []
    for population in populations:
        columns, people = population.rows([column.name for column in table.quasi])
        codes = []
        for column, other in zip(table.quasi, columns, strict=True):
            code = {text: at for at, text in enumerate(column.labels)}
            codes.append(np.array([code.get(text, -1) for text in other.labels], np.int32)[other.codes])
        # −1: a label that nobody of the table has
        known = np.all(np.array(codes) >= 0, axis=0)
        codes_by_source.append([each[known] for each in codes])
        known_people.append(people[known])
    starts = np.cumsum([own, *map(len, known_people)])
    keys, counted = int(starts[-1]), []
    for population, people, start in zip(populations, known_people, starts[:-1].tolist(), strict=True):
        placed = np.zeros(keys, np.int64)
        placed[start : start + len(people)] = people
        counted.append(PopulationCounts(population, placed, 0))
    quasi = tuple(
        replace(column, codes=np.concatenate(codes))
        for column, codes in zip(table.quasi, zip(*codes_by_source, strict=True), strict=True)
    )
    counts = Counts.from_entries(*table.counts.entries(), (keys, table.counts.width))
    sizes = np.concatenate((table.sizes, np.zeros(keys - own, np.int64)))
    return replace(table, quasi=quasi, sizes=sizes, counts=counts, carried=None, read_profiles=None), tuple(counted)


def label_counts(table: Table, name: str) -> Counts:
    """Count the labels of a column, a quasi-identifier or the sensitive one, in each key of the table."""
    if name in table.sensitive_columns:
        return table.about(name).counts
    column = table.column(name)
    keys = np.arange(len(table.sizes))
    return Counts.from_entries(keys, column.codes, table.sizes, (len(keys), len(column.labels)))


class RoutingTree:
    """The cuts that were made: down which of them does a row go, and which number would a group have in memory?

    Node 0 is everybody; a node that was cut has a column, a rank and two nodes below it, one that was not is its own
    below, so that rows stay there.  In memory, right halves get the next numbers in the order of their generation, run
    by run; halves of a run, first the left ones, then the right ones, follow each other in the next generation.

    >>> tree = RoutingTree()
    >>> new = tree.cut(np.array([0]), np.array([1]), np.array([30]))
    >>> tree.groups_of(np.array([[7, 7], [29, 30]], np.int32)).tolist()
    [0, 1]
    >>> for group in (1, 0):  # cut first, as its part was finished first
    ...     new = tree.cut(np.array([group]), np.array([0]), np.array([5]))
    >>> tree.numbers().tolist()
    [0, 1, 3, 2]
    """

    def __init__(self) -> None:
        self.column, self.rank, self.run, self.depth, self.group = np.zeros((5, 1), np.int32)  # per node
        self.below: Codes = np.zeros(2, np.int32)  # 2 · node: left, 2 · node + 1: right
        self.leaf: Codes = np.zeros(1, np.int32)  # per group
        self.deepest = 0  # the most cuts that a row is routed down

    def cut(self, group: Integers, column: Integers, rank: Integers, run: int = 0, *, routed: bool = True) -> Integers:
        """Cut groups in two, each at most once: left halves keep their numbers, right ones get the next, returned.

        Rows are not `routed` down cuts in parts whose keys are held.
        """
        new = len(self.leaf) + np.arange(len(group))
        node, left = self.leaf[group], len(self.column) + np.arange(len(group), dtype=np.int32)
        right = left + np.int32(len(group))
        self.column[node], self.rank[node], self.run[node] = column, rank, run
        self.below[2 * node], self.below[2 * node + 1] = left, right
        halves, none = np.concatenate((left, right)), np.zeros(2 * len(group), np.int32)
        self.column, self.rank, self.run = (np.append(each, none) for each in (self.column, self.rank, self.run))
        self.below = np.append(self.below, np.repeat(halves, 2))
        self.depth = np.append(self.depth, np.tile(self.depth[node] + np.int32(1), 2))
        self.group = np.append(self.group, np.concatenate((group, new)).astype(np.int32))
        self.leaf[group] = left
        self.leaf = np.append(self.leaf, right)
        if routed:
            self.deepest = max(self.deepest, int(self.depth[left].max(initial=0)))
        return new

    def groups_of(self, ranks: Ranks) -> Integers:
        """Return the group of each row; `ranks` is (columns, rows)."""
        groups = np.empty(ranks.shape[1], np.int64)
        for first in range(0, len(groups), EFFORT.rows):
            block = ranks[:, first : first + EFFORT.rows]
            flat, rows = block.ravel(), block.shape[1]
            node, places = np.zeros(rows, np.int32), np.arange(rows, dtype=np.int32)
            # rows whose group is not cut any further stay at its node, which is its own below
            for _ in range(self.deepest):
                # `flat` is (columns, rows) as one axis: each row is looked up in the column that its node was cut along
                cell = np.take(self.column, node)
                cell *= rows
                cell += places
                right = np.take(flat, cell) >= np.take(self.rank, node)
                node *= 2
                node += right
                node = np.take(self.below, node)
            groups[first : first + rows] = self.group[node]
        return groups

    def numbers(self) -> Integers:
        """Return the number that each group would have in memory."""
        number = np.zeros(len(self.run), np.int64)  # per node
        generation, groups = np.zeros(1, np.int32), 1
        is_cut = self.below[::2] != np.arange(len(self.run))
        while len(generation):
            following = []
            # in memory, right halves are numbered run by run over all groups of a generation
            for run in range(int(self.run.max()) + 1):
                node = generation[is_cut[generation] & (self.run[generation] == run)]
                left, right = self.below[2 * node], self.below[2 * node + 1]
                number[left], number[right] = number[node], groups + np.arange(len(node))
                groups += len(node)
                following += [left, right]
            generation = np.concatenate(following)
        return number[self.leaf]


@dataclass(frozen=True, eq=False, slots=True)
class Boxes:
    """Where the cells of some groups stand, column by column and group by group, from 1; 0 is before them all.

    Each cell has a lane per value, and then one for people unless the values add up to them.
    """

    start: Integers  # group × column
    stop: Integers
    values: int
    people: bool

    @property
    def lanes(self) -> int:
        """The lanes of a cell."""
        return self.values + self.people

    def find_lanes(self, people: Integers, value: Integers, count: Integers) -> tuple[Integers, Integers]:
        """Return each row's lane and amount, 0 where it adds nothing; rows are of people or of values."""
        if self.values == 0:
            return np.zeros(len(people), np.int64), people
        if not self.people:
            return value, count
        return np.where(people > 0, self.values, value), np.where(people > 0, people, np.where(value < 0, 0, count))

    @property
    def edges(self) -> Integers:
        """The first cell of each group, column × (group + 1); the last of a column is the first of the next."""
        # (columns, groups): cells stand column by column, and in a column group by group
        widths = (self.stop - self.start).T
        ends = 1 + np.cumsum(widths.ravel()).reshape(widths.shape)
        return np.hstack((ends[:, :1] - widths[:, :1], ends))

    def add(
        self,
        histogram: npt.NDArray[np.integer],
        group: Integers,
        ranks: Ranks,
        lane: Integers,
        amount: npt.NDArray[np.integer],
    ) -> None:
        """Add rows, each in a group (numbered from 0), to a histogram: (cells + 1) × lanes."""
        flat, amounts = histogram.reshape(-1), amount.astype(histogram.dtype)
        origins = self.edges[:, :-1] - self.start.T  # where rank 0 would stand
        for origin, rank in zip(origins, ranks, strict=True):
            # unlike +=, this adds every row where several fall into one cell
            np.add.at(flat, (origin[group] + rank) * self.lanes + lane, amounts)

    def empty(self, most: int) -> npt.NDArray[np.integer]:
        """Return an empty histogram, (cells + 1, lanes), for amounts that add up to at most `most` in each column."""
        # prefix sums run through all columns, and so reach most · columns
        kind = np.int32 if most * self.start.shape[1] < 2**31 else np.int64
        return np.zeros((int((self.stop - self.start).sum()) + 1, self.lanes), kind)


@dataclass(eq=False)
class CountedGroups(OpenGroups):
    """Groups that may be cut, numbered from 0, by the histogram of their people."""

    table: Table  # whose values and semantics they have
    numbers: Integers  # of the groups, in the store
    boxes: Boxes
    upto: npt.NDArray[np.integer]  # a histogram, (cells + 1) × lanes, used up for its prefix sums: each cell's included
    widths: Sequence[int]  # how many ranks each column has

    def __post_init__(self) -> None:
        np.cumsum(self.upto, axis=0, dtype=self.upto.dtype, out=self.upto)
        self.totals = self.table.counts.totals()
        self.edges = self.boxes.edges  # the first cell of each group, column × (group + 1)

    @cached_property
    def people_upto(self) -> Integers:
        """People in each cell and all before it."""
        if self.boxes.people:
            return self.upto[:, -1].astype(np.int64)
        people: Integers = self.upto.sum(axis=1, dtype=np.int64)
        return people

    @cached_property
    def cells_with_people(self) -> Integers:
        """The cells that are not empty."""
        return np.flatnonzero(np.diff(self.people_upto)) + 1

    @property
    def counts(self) -> Integers:
        """The counts of values by group."""
        counted = self.upto[self.edges[0] - 1, : self.boxes.values]
        counts: Integers = np.diff(counted, axis=0).astype(np.int64)
        return counts

    def extents(self) -> tuple[Integers, Integers]:
        """Return the first and the last rank that occur, column × group."""
        start, stop = self.edges[:, :-1], self.edges[:, 1:]
        origin = start - self.boxes.start.T
        first = self.cells_with_people[np.searchsorted(self.cells_with_people, start)]
        last = self.cells_with_people[np.searchsorted(self.cells_with_people, stop) - 1]
        return first - origin, last - origin

    def lines(self, group: Integers, column: Integers) -> Iterator[tuple[int, Integers, Line]]:
        """Yield the people of some groups in line, each along its column: the column, the groups, their line."""
        for along in np.unique(column).tolist():
            chosen = group[column == along]
            edges, width = self.edges[along], self.widths[along]
            start, stop = (np.searchsorted(self.cells_with_people, each) for each in (edges[chosen], edges[chosen + 1]))
            number, rows = ranges(start, stop)
            cell = self.cells_with_people[rows]
            rank = cell - (edges[chosen] - self.boxes.start[chosen, along])[number]
            people = self.people_upto[cell] - self.people_upto[cell - 1]
            standing = np.concatenate(([0], np.cumsum(people)))
            yield along, chosen, Line.from_sorted(number * width + rank, standing, groups=len(chosen), width=width)

    def count_sides(self, cuts: Cuts, counts: Counts | None = None) -> Iterator[tuple[Integers, Integers]]:
        """Count values beside cuts, block by block: differences of prefix sums."""
        assert counts is None  # no single keys are at hand
        values = self.boxes.values
        at_once = max(CELLS_AT_ONCE // max(values, 1), 1)
        for first in range(0, len(cuts), at_once):
            rows = np.arange(first, min(first + at_once, len(cuts)))
            block = cuts.take(rows)
            first_cell, end = (self.edges[block.column, block.group + behind] for behind in (0, 1))
            cut = first_cell + block.rank - self.boxes.start[block.group, block.column]
            # the sums include a cell's own people, so what is before a cell ends at the one before it
            before, left, both = (self.upto[cell - 1, :values].astype(np.int64) for cell in (first_cell, cut, end))
            yield rows, np.vstack((left - before, both - left))
