"""Mondrian of a table whose keys are never all held: cut by histograms at first, in memory from where keys fit.

Large       Groups of more people than keys fit are cut by the histogram of one pass over all rows
            (`mondrian_histograms`): as many at a time as their histograms have room, the others wait for the next pass.
Small       A group whose keys fit waits.  When all others are cut, one more pass puts rows aside by parts of a few
            groups each, and each part is read back and finished as in memory (`mondrian_frontier`).
Together    Where criteria depend on several groups together, cuts are accepted in the order of all groups of a
            generation, until all keys of open groups fit at once.  A generation whose histograms do not fit is counted
            in lots (`mondrian_lots`), each of which reads its own part of the rows once those were put aside.
Same rules  Proposals and their acceptance are those of `mondrian`, and groups are numbered at last as it would have
            (`Lineage`): the release is that of the table in memory, group by group, however little there is of it.
Where       A pass is a function of rows whose answers add up, asked where the rows are: here, or of Spark's executors
            (`StreamedTable.over_rows`).
Cost        log₂ (rows / keys that fit) passes, one to put rows aside, and what Mondrian takes of the parts in memory,
            which is the same for each row however many parts there are.  Together, also a look at each row of a part
            for each generation, and one more for groups whose most balanced cuts do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.ahead import ahead
from sidelight.arrays import Codes, Flags, Floats, Integers, add_up
from sidelight.engines.streamed_table import RowBlock, StreamedTable
from sidelight.progress import Progress
from sidelight.release.groups import Groups
from sidelight.release.release import Release, whole_groups
from sidelight.search.cut_tree import CutRecord, CutTree
from sidelight.search.method import SearchOutcome
from sidelight.search.mondrian_acceptance import Acceptance, cut_generations
from sidelight.search.mondrian_cuts import Cuts, Proposals
from sidelight.search.mondrian_frontier import CutGroups, Generation, OpenGroups, Partition
from sidelight.search.mondrian_histograms import Boxes, CountedGroups, Lanes, Ranks, RoutingTree
from sidelight.search.mondrian_lots import KnownCuts, Lot, RowsAside, counts_beside, in_parts, lots_of
from sidelight.search.orders import Order
from sidelight.search.policy_check import PolicyCheck, candidate_groups
from sidelight.search.recoding import Regions, region_labels
from sidelight.streams.key_stream import Summed
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import RowParts
from sidelight.table.counts import Counts
from sidelight.table.table import Table

PARTS_AT_ONCE = 256
"""So many parts are put aside in one pass: each is an open file."""

CELLS_PER_PERSON = 8.0
"""Groups whose rows were put aside are counted while they have at most so many cells for each of their people."""

SENT_AT_ONCE = 1 << 26
"""So many bytes of histograms an executor sends at a time, where they are asked."""

BYTES_PER_CELL = 48
"""What is worked out of a histogram takes so many bytes a cell, beside its lanes."""

BYTES_PER_COUNT = 40
"""A group's count of a value, and each end of its box, take so many bytes until they are published."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much a search may hold at a time."""

    keys: int
    histograms: int  # bytes
    groups: int  # bytes of all that is found

    @classmethod
    def of(cls, memory: Memory) -> Room:
        """Share out what there is."""
        return cls(memory.keys_to_hold, memory.to_count, memory.to_hold)


@dataclass(eq=False)
class LedgerAcceptance(Acceptance):
    """Accepts cuts as `Acceptance` does, and remembers what each group made so far counts: no key is looked at."""

    sizes: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: Integers = field(default_factory=lambda: np.zeros((0, 0), np.int64))  # group × value

    def __post_init__(self) -> None:
        """Begin with everybody in one group; `table` has one key."""
        self.sizes, self.counts = self.table.sizes, self.table.counts.dense()
        everybody = self._release()
        self.screened: list[Floats] = [check.screen.rows(everybody) for check in self.checks]

    def runs(self, cuts: Cuts, generation: CutGroups) -> Iterator[Cuts]:
        """Give runs of accepted cuts, and take down what they make."""
        for accepted in Acceptance.runs(self, cuts, generation):
            if self.checks:
                self.sizes, self.counts = self._after(accepted, generation)
            yield accepted

    def _release(self) -> Groups:
        return self._groups_of(self.sizes, self.counts)

    def _after(self, cuts: Cuts, generation: CutGroups) -> tuple[Integers, Integers]:
        left, right = (np.zeros((len(cuts), self.counts.shape[1]), np.int64) for _ in range(2))
        for rows, halves in generation.halves(cuts):
            left[rows], right[rows] = np.split(halves.counts.dense(), 2)
        numbers = generation.numbers[cuts.group]
        sizes, counts = self.sizes.copy(), self.counts.copy()
        sizes[numbers], counts[numbers] = cuts.left, left
        return np.append(sizes, cuts.people - cuts.left), np.vstack((counts, right))

    def _groups_of(self, sizes: Integers, counts: Integers) -> Groups:
        return candidate_groups(self.table, sizes, Counts(counts.shape, cells=counts), self.table.counts.totals())


@dataclass(eq=False, slots=True)
class Lineage:
    """Which groups were cut, and in which run of their generation: the number that each would have in memory.

    In memory, right halves get the next numbers in the order of their generation, run by run; halves of a run, first
    the left ones, then the right ones, follow each other in the next generation.

    >>> lineage = Lineage()
    >>> lineage.cut(np.array([0]), np.array([1]), 0)
    >>> lineage.cut(np.array([1]), np.array([2]), 0)  # cut first, as its part was finished first
    >>> lineage.cut(np.array([0]), np.array([3]), 0)
    >>> lineage.numbers().tolist()
    [0, 1, 3, 2]
    """

    leaf: Integers = field(default_factory=lambda: np.zeros(1, np.int64))  # per group, the node that it is now
    below: Integers = field(default_factory=lambda: np.full(2, -1))  # 2 · node: left, 2 · node + 1: right; −1: not cut
    run: Integers = field(default_factory=lambda: np.zeros(1, np.int64))  # per node

    def cut(self, group: Integers, new: Integers, run: int) -> None:
        """Take down cuts of a run: left halves keep their numbers, right ones have the `new` ones, all after others."""
        node, left = self.leaf[group], len(self.run) + np.arange(len(group))
        right = left + len(group)
        self.run[node], self.below[2 * node], self.below[2 * node + 1] = run, left, right
        self.run = np.append(self.run, np.zeros(2 * len(group), np.int64))
        self.below = np.append(self.below, np.full(4 * len(group), -1))
        self.leaf[group] = left
        self.leaf = np.append(self.leaf, right)
        assert len(new) == 0 or new[-1] == len(self.leaf) - 1

    def numbers(self) -> Integers:
        """Give the number of each group."""
        number = np.zeros(len(self.run), np.int64)  # per node
        generation, groups = np.zeros(1, np.int64), 1
        while len(generation):
            following = []
            for run in range(int(self.run.max()) + 1):
                node = generation[(self.below[2 * generation] >= 0) & (self.run[generation] == run)]
                left, right = self.below[2 * node], self.below[2 * node + 1]
                number[left], number[right] = number[node], groups + np.arange(len(node))
                groups += len(node)
                following += [left, right]
            generation = np.concatenate(following)
        return number[self.leaf]


RoutedRows: TypeAlias = Iterator[tuple[RowBlock, Ranks, Integers]]
"""Rows, with their ranks and their groups."""

Counted: TypeAlias = tuple[Integers, Integers, Counts]
"""Groups that are finished: their numbers, people, and counts by value."""


@dataclass(eq=False)
class StreamedCuts:
    """The groups of a streamed table as they are cut: boxes by number, the tree of cuts, and what is finished."""

    table: StreamedTable
    policy: PolicyCheck
    orders: tuple[Order, ...]
    room: Room
    progress: Progress
    start: Integers = field(init=False)  # group × column
    stop: Integers = field(init=False)
    people: Integers = field(init=False)  # per group
    tree: RoutingTree = field(default_factory=RoutingTree)
    lineage: Lineage = field(default_factory=Lineage)
    record: CutRecord = field(default_factory=CutRecord)
    finished: list[Counted] = field(default_factory=list)
    spilled: int = 0  # bytes

    def __post_init__(self) -> None:
        self.start = np.zeros((1, len(self.orders)), np.int64)
        self.stop = np.array([[len(order) for order in self.orders]])
        self.people = np.array([self.table.people])
        self._passes = 0
        self._aside: RowsAside | None = None
        self._ranks: list[Codes] = [order.rank for order in self.orders]
        self._acceptance = LedgerAcceptance(
            self.table.outline, self.policy, Partition(np.zeros(0, np.int64), self.start, self.stop)
        )
        # where people have several values, rows may be more than people
        values = int(self.table.stream.whole.sum())
        self._keys = max(int(self.room.keys * min(self.table.people / max(values, 1), 1)), 1)

    def run(self) -> StreamedCuts:
        """Cut until no group can be cut any more."""
        waiting, small = np.array([0]), np.zeros(0, np.int64)
        while True:
            fits = self._fit_in_memory(waiting)
            small, waiting = np.append(small, waiting[fits]), waiting[~fits]
            if not len(waiting):
                break
            if self.policy.together:
                waiting = self._cut_together(waiting)
            else:
                many = self._with_room(waiting)
                waiting = np.append(waiting[many:], self._cut(waiting[:many]))
        self._finish(small)
        return self

    def _fit_in_memory(self, groups: Integers) -> Flags:
        """Say which groups are to be finished in memory; those that depend on each other all or none."""
        people = self.people[groups]
        if self.policy.together:
            people = people.sum(keepdims=True)
        return np.broadcast_to((people <= self._keys) | (self.table.rows_held <= self._keys), len(groups))

    def _cells(self, groups: Integers) -> Integers:
        cells: Integers = (self.stop[groups] - self.start[groups]).sum(axis=1)
        return cells

    def _with_room(self, groups: Integers) -> int:
        """Count how many of these groups have room for their histograms; at least one has to."""
        needed = np.cumsum(self._bytes(groups))
        room = self.room.histograms
        if not self.table.stream.here:  # each executor sends its own
            room = min(room, max(SENT_AT_ONCE, int(needed[0])))
        self._refuse_wide(groups)
        return int(np.searchsorted(needed, room, side="right"))

    def _bytes(self, groups: Integers) -> Integers:
        """Say how much the histogram of each group takes."""
        return self._cells(groups) * (4 * len(Lanes.of(self.table.outline, self.policy)) + BYTES_PER_CELL)

    def _refuse_wide(self, groups: Integers) -> None:
        """Refuse columns of so many labels that not even one group can be counted."""
        most = int(self._bytes(groups).max())
        if most > self.room.histograms:
            what = "histograms of the columns"
            raise self.table.memory.too_little(what, most, self.room.histograms)

    def _pass(
        self,
        what: str,
        groups: Integers,
        of_rows: Callable[[RoutedRows], Summed],
        merge: Callable[[Summed, Summed], Summed],
    ) -> Summed:
        """Go through all rows that groups have, where they are: with their ranks and their groups."""
        self._passes += 1
        tree, watched = self.tree, partial(self._watched, what)
        if self._aside is not None:
            return of_rows(ahead(_routed(watched(self._rows_aside(groups)), tree)))
        soon = ahead if self.table.stream.here else iter  # here, some are routed ahead
        return self.table.over_rows(lambda blocks: of_rows(soon(_routed(blocks, tree))), merge, self._ranks, watched)

    def _rows_aside(self, groups: Integers) -> Iterator[RowBlock]:
        assert self._aside is not None
        return self._aside.rows(np.unique(self._aside.part[groups]).tolist(), self._ranks)

    def _watched(self, what: str, blocks: Iterator[RowBlock]) -> Iterator[RowBlock]:
        """Tell how far a pass is."""
        done, rows = 0, self.table.rows_held
        for block in blocks:
            yield block
            done += len(block.people)
            groups = f"{len(self.start):,} groups"
            self.progress(f"{groups}; pass {self._passes} over the rows {what}", min(done, rows), rows)

    def _cut(self, numbers: Integers) -> Integers:
        """Cut groups by their histograms; give those that they fall into, and finish those that cannot be cut."""
        level = self._counted(numbers)
        uncut = np.ones(len(numbers), bool)
        halves = []
        least = self._acceptance.least
        for run, cuts in enumerate(self._acceptance.cuts(level, Proposals(level, self.orders, None, least))):
            if not len(cuts):
                continue
            uncut[cuts.group] = False
            old, new = numbers[cuts.group], len(self.start) + np.arange(len(cuts))
            self._split(cuts, old, new, run)
            halves += [old, new]
        closed = np.flatnonzero(uncut)
        if len(closed):
            self._close(level, closed)
        both = np.concatenate(halves) if halves else np.zeros(0, np.int64)
        return both if not self.policy.together else self._large(both, least)

    def _cut_together(self, numbers: Integers) -> Integers:
        """Cut a generation; where it does not fit at once, in lots."""
        self._refuse_wide(numbers)
        if self._aside is None:
            if self._bytes(numbers).sum() <= self.room.histograms:
                return self._cut(numbers)
            if self.people[numbers].max() <= self._keys:
                self._put_aside(numbers)
        return self._cut_in_lots(numbers, self._lots(numbers))

    def _put_aside(self, numbers: Integers) -> None:
        """Put all rows of groups aside, in one pass, so that lots of them read no others."""
        people = self.people[numbers]
        part = np.zeros(len(self.start), np.int64)
        part[numbers] = in_parts(people, max(self._keys, int(people.sum()) // (PARTS_AT_ONCE // 2)))
        entries, apart = self._rows_by_part(numbers, part[numbers])
        self._aside = RowsAside(self.table, entries, apart, part)

    def _lots(self, numbers: Integers) -> list[Lot]:
        """Say which groups of a generation are looked at together."""
        rows, histograms = np.arange(len(numbers)), self._bytes(numbers)
        if self._aside is None:
            return lots_of(rows, histograms, self.room.histograms, as_keys=False)
        lots = []
        part, people = self._aside.part[numbers], self.people[numbers]
        sparse = (self._cells(numbers) > CELLS_PER_PERSON * people) & (people <= self._keys)
        for here in np.unique(part).tolist():
            counted, held = (np.flatnonzero((part == here) & (sparse == keys)) for keys in (False, True))
            lots += lots_of(counted, histograms, self.room.histograms, as_keys=False)
            lots += lots_of(held, people, self._keys, as_keys=True)
        return lots

    def _cut_in_lots(self, numbers: Integers, lots: list[Lot]) -> Integers:
        """Cut groups of which only a lot is at hand at a time; give those that they fall into."""
        acceptance, run = self._acceptance, 0
        undecided, halves = np.ones(len(numbers), bool), [np.zeros(0, np.int64)]
        for propose in (acceptance.medians, acceptance.others):
            open_lots = [lot.among(undecided) for lot in lots]
            proposed = [self._proposed(numbers, lot, propose) for lot in open_lots if len(lot.rows)]
            known = KnownCuts.of_lots(self.table.outline, numbers, proposed)
            for cuts in acceptance.runs(known.cuts, known):
                undecided[cuts.group] = False
                old, new = numbers[cuts.group], len(self.start) + np.arange(len(cuts))
                self._split(cuts, old, new, run)
                halves += [old, new]
                run += 1
        closed = numbers[undecided]
        if len(closed):
            self._take_down(closed, acceptance.sizes[closed], acceptance.counts[closed])
        return self._large(np.concatenate(halves), acceptance.least)

    def _proposed(
        self, numbers: Integers, lot: Lot, propose: Callable[[OpenGroups, Proposals], Cuts]
    ) -> tuple[Cuts, Integers]:
        """Give the cuts of a lot that fit into the release as it is, and what is beside them."""
        level = self._held(numbers[lot.rows]) if lot.as_keys else self._counted(numbers[lot.rows])
        cuts = propose(level, Proposals(level, self.orders, None, self._acceptance.least))
        cuts = self._acceptance.fitting(cuts, level)
        beside = counts_beside(level, cuts, self.table.stream.whole)
        return replace(cuts, group=lot.rows[cuts.group]), beside

    def _held(self, numbers: Integers) -> Generation:
        """Hold the keys of some groups."""
        ((_, table),) = self._tables(numbers, np.zeros(len(numbers), np.int64))
        place = self._places(numbers)[self._group_of(table)]
        return Generation.of_groups(table, self.orders, numbers, place, whole=self.table.stream.whole)

    def _split(self, cuts: Cuts, old: Integers, new: Integers, run: int) -> None:
        self.lineage.cut(old, new, run)
        self.record.add(cuts, old, len(self.start))
        self.tree.cut(old, cuts.column, cuts.rank, new)
        self.start, self.stop = np.vstack((self.start, self.start[old])), np.vstack((self.stop, self.stop[old]))
        self.stop[old, cuts.column] = cuts.rank
        self.start[new, cuts.column] = cuts.rank
        if self._aside is not None:
            self._aside.cut(old)
        self.people[old] = cuts.left
        self.people = np.append(self.people, cuts.people - cuts.left)

    def _large(self, numbers: Integers, least: int) -> Integers:
        """Finish groups that cannot be cut by their people, of which all is known."""
        small = numbers[self.people[numbers] < 2 * least]
        if len(small):
            self._take_down(small, self._acceptance.sizes[small], self._acceptance.counts[small])
        return numbers[self.people[numbers] >= 2 * least]

    def _close(self, level: CountedGroups, rows: Integers) -> None:
        """Finish groups that were not cut; where sizes alone are limited, their values are counted now."""
        counts = level.counts[rows]
        if level.boxes.lanes.values == 0:
            counts = self._values_of(level.numbers[rows])
        self._take_down(level.numbers[rows], level.people[rows], counts)

    def _take_down(self, numbers: Integers, sizes: Integers, counts: Integers) -> None:
        self.finished.append((numbers, sizes, Counts(counts.shape, cells=counts)))

    def _values_of(self, numbers: Integers) -> Integers:
        """Count the values of some groups."""
        place, shape = self._places(numbers), (len(numbers), len(self.table.domain))

        def counted(rows: RoutedRows) -> Integers:
            counts = np.zeros(shape, np.int64)
            for block, _, group in rows:
                at = place[group]
                kept = np.flatnonzero((at >= 0) & (block.value >= 0))
                np.add.at(counts, (at[kept], block.value[kept]), block.count[kept])
            return counts

        return self._pass("to count values", numbers, counted, np.add)

    def _places(self, numbers: Integers) -> Integers:
        """Number some groups from 0; the others are −1."""
        place = np.full(len(self.start), -1)
        place[numbers] = np.arange(len(numbers))
        return place

    def _counted(self, numbers: Integers) -> CountedGroups:
        """Count how the people of some groups stand, in one pass."""
        lanes = Lanes.of(self.table.outline, self.policy)
        boxes = Boxes(self.start[numbers], self.stop[numbers], lanes)
        place = self._places(numbers)
        most = max(self.table.people, int(self.table.stream.whole.sum()))

        def counted(routed: RoutedRows) -> npt.NDArray[np.integer]:
            histogram = boxes.empty(most)
            for block, ranks, group in routed:
                at = place[group]
                lane, amount = lanes.of_rows(block.people, block.value, block.count)
                rows = np.flatnonzero((at >= 0) & (amount > 0))
                if len(rows) == len(at):
                    boxes.add(histogram, at, ranks, lane, amount)
                elif len(rows):
                    boxes.add(histogram, at[rows], ranks[:, rows], lane[rows], amount[rows])
            return histogram

        histogram = self._pass("to cut groups", numbers, counted, np.add)
        return CountedGroups.of(self.table.outline, numbers, boxes, histogram, [len(order) for order in self.orders])

    def _finish(self, numbers: Integers) -> None:
        """Finish groups in memory, a few at a time; those that depend on each other all at once."""
        if not len(numbers):
            return
        fits_at_once = self.policy.together or self.table.rows_held <= self._keys
        part = np.zeros(len(numbers), np.int64)
        if not fits_at_once:
            part = in_parts(self.people[numbers], self._keys)
        for first in range(0, int(part[-1]) + 1, PARTS_AT_ONCE):
            here = np.flatnonzero((part >= first) & (part < first + PARTS_AT_ONCE))
            for groups, table in self._tables(numbers[here], part[here] - first):
                self._finish_part(groups, table)

    def _tables(self, numbers: Integers, part: Integers) -> Iterator[tuple[Integers, Table]]:
        """Put the rows of groups aside by their parts, in one pass, and give the table of each part."""
        entries, people = self._rows_by_part(numbers, part)
        for number in range(int(part[-1]) + 1):
            *held, counts = entries.take(number)
            of_people = None
            if people is not None:
                *keys, sizes = people.take(number)
                of_people = keys, sizes
            yield numbers[part == number], self.table.part(held, counts, of_people)

    def _rows_by_part(self, numbers: Integers, part: Integers) -> tuple[RowParts, RowParts | None]:
        """Put the rows of groups aside by their parts, and people where they are counted apart."""
        place, parts = self._places(numbers), int(part[-1]) + 1
        words, rows = len(self.table.stream.packing.layout), self.table.rows_held
        entries, people = (RowParts(parts=parts, columns=words + 1, rows=rows) for _ in range(2))
        several = self.table.semantics != "single"
        self._passes += 1
        tree = self.tree

        def kept_in(blocks: Iterator[RowBlock]) -> Iterator[tuple[bool, Integers, list[Integers]]]:
            for block, _, group in _routed(blocks, tree):
                at = place[group]
                kept = np.flatnonzero(at >= 0)
                of_people = several and bool(block.people.any())
                amount = block.people if of_people else block.count
                yield of_people, part[at[kept]], [*(word[kept] for word in block.words), amount[kept]]

        watched = partial(self._watched, "to put them aside")
        if self._aside is None:
            by_part = self.table.gather(kept_in, self._ranks, watched)
        else:
            by_part = kept_in(watched(self._rows_aside(numbers)))
        for of_people, at, columns in by_part:
            (people if of_people else entries).add(at, columns)
        self.spilled += entries.spilled + people.spilled
        return entries, people if several else None

    def _finish_part(self, numbers: Integers, table: Table) -> None:
        """Cut groups as in memory: those of a part, numbered from 0, or all, where they depend on each other."""
        groups = len(self.start)
        known = np.arange(groups) if self.policy.together else numbers
        group, place = self._group_of(table), self._places(known)
        # cuts of a part are numbered by themselves, and so only counted
        record = self.record if len(known) == groups else CutRecord()
        partition = Partition(place[group], self.start[known], self.stop[known], record)
        acceptance = self._acceptance
        generation = Generation.of_groups(
            table, self.orders, place[numbers], self._places(numbers)[group], whole=self.table.stream.whole
        )

        runs_of_cuts: list[tuple[int, Integers]] = []

        def runs(generation: Generation) -> Iterator[Cuts]:
            proposals = Proposals(generation, self.orders, None, acceptance.least)
            for run, cuts in enumerate(acceptance.cuts(generation, proposals)):
                runs_of_cuts.append((run, generation.numbers[cuts.group]))
                yield cuts

        def show(here: int) -> None:
            in_all = groups + here - len(known)
            self.progress(f"{in_all:,} groups", in_all, None)

        cut_generations(generation, partition, runs, acceptance.least, progress=show)
        if record is not self.record:
            for column, times in record.along.items():
                self.record.along[column] = self.record.along.get(column, 0) + times
        numbered = np.append(known, groups + np.arange(len(partition) - len(known)))
        for run, cut in runs_of_cuts:
            self.lineage.cut(numbered[cut], len(self.lineage.leaf) + np.arange(len(cut)), run)
        self._merge(known, partition, table)

    def _group_of(self, table: Table) -> Integers:
        """Find the group of each key of a table."""
        ranks = np.stack([order.rank[column.codes] for order, column in zip(self.orders, table.quasi, strict=True)])
        return self.tree.groups_of(ranks)

    def _merge(self, known: Integers, partition: Partition, table: Table) -> None:
        """Take the groups of a part for those of the whole: the first have numbers, the others get the next ones."""
        new = len(self.start) + np.arange(len(partition) - len(known))
        numbers = np.append(known, new)
        self.start[known], self.stop[known] = partition.start[: len(known)], partition.stop[: len(known)]
        self.start = np.vstack((self.start, partition.start[len(known) :]))
        self.stop = np.vstack((self.stop, partition.stop[len(known) :]))
        occurring = np.unique(partition.group)
        place = np.full(len(partition), -1)
        place[occurring] = np.arange(len(occurring))
        group = place[partition.group]
        sizes = add_up(group, table.sizes, len(occurring))
        self.people = np.append(self.people, np.zeros(len(new), np.int64))
        self.people[numbers[occurring]] = sizes
        counts = table.counts.roll_up(group, groups=len(occurring))
        self.finished.append((numbers[occurring], sizes, counts))
        self._refuse_many()

    def _refuse_many(self) -> None:
        """Refuse more groups than a result may hold."""
        each = BYTES_PER_COUNT * (2 * len(self.orders) + len(self.table.domain))
        if len(self.start) * each > self.room.groups:
            done = sum(int(sizes.sum()) for _, sizes, _ in self.finished)
            likely = len(self.start) * self.table.people // max(done, 1)
            what = f"about {likely:,} groups"
            raise self.table.memory.too_little(what, likely * each, self.room.groups)

    def outcome(self) -> SearchOutcome:
        """Give what was found as any search does."""
        numbers = self.lineage.numbers()
        self.start, self.stop = _numbered(self.start, numbers), _numbered(self.stop, numbers)
        self.finished = [(numbers[known], sizes, counts) for known, sizes, counts in self.finished]
        release = self.release()
        regions = Regions.streamed(self.table, self.orders, release.groups.sizes, self.start, self.stop)
        tree = CutTree(self.orders, self.record, self.table.people, self.start, self.stop)
        return SearchOutcome(release, regions, cuts=tree, spilled=self.spilled)

    def release(self) -> Release:
        """Put the groups together, each printed as its box."""
        numbers = np.concatenate([each for each, _, _ in self.finished])
        rows, values, amounts = [], [], []
        for known, _, counts in self.finished:
            row, value, count = counts.entries()
            rows.append(known[row])
            values.append(value)
            amounts.append(count)
        groups = len(self.start)
        assert len(numbers) == groups  # each is finished once
        sizes = np.zeros(groups, np.int64)
        sizes[numbers] = np.concatenate([each for _, each, _ in self.finished])
        whole = whole_groups(
            domain=self.table.domain,
            sizes=sizes,
            counts=Counts.from_entries(
                np.concatenate(rows),
                np.concatenate(values),
                np.concatenate(amounts),
                (groups, len(self.table.domain)),
            ),
            columns=tuple(
                region_labels(order, self.start[:, at], self.stop[:, at]) for at, order in enumerate(self.orders)
            ),
            semantics=self.table.semantics,
        )
        return Release(whole, sensitive=self.table.sensitive, intake=self.table.intake)


def _numbered(rows: Integers, numbers: Integers) -> Integers:
    """Put rows where their numbers say."""
    placed = np.empty_like(rows)
    placed[numbers] = rows
    return placed


def _routed(blocks: Iterator[RowBlock], tree: RoutingTree) -> RoutedRows:
    for block in blocks:
        ranks = np.stack(block.codes)
        yield block, ranks, tree.groups_of(ranks)
