"""Mondrian's store of a table whose keys are never all held: histograms at first, keys in memory from where they fit.

Large       Groups of more people than keys fit are cut by the histogram of one pass over all rows
            (`mondrian_frontier`): as many at a time as their histograms have room, the others wait for the next pass.
Small       A group whose keys fit waits.  When all others are cut, one more pass puts rows aside by parts of a few
            groups each, and each part is read back and finished by a store in memory (`mondrian_frontier`).
Together    Where criteria depend on several groups together, cuts are accepted in the order of all groups of a
            generation, until all keys of open groups fit at once.  A generation whose histograms do not fit is counted
            in lots, each of which reads its own part of the rows once those were put aside.
Lots        Which cuts a group proposes, and whether its halves keep a policy on their own, depends on that group alone:
            of each lot only its cuts are kept, with what is beside them.  A cut that does not fit into the release as
            it is never will, as the release only gets finer, and no cut is made while lots are gone through: so those
            that do not fit are forgotten with their lot, and the runs of the others are those of all groups at hand.
Same rules  Proposals and their acceptance are those of the one machine, and groups are numbered at last as they would
            be in memory (`RoutingTree`): the release is that of the table in memory, group by group.
Where       A pass is a function of rows whose answers add up, asked where the rows are: here, or of Spark's executors
            (`StreamedTable.reduce_rows`).
Cost        log₂ (rows / keys that fit) passes, one to put rows aside, and what Mondrian takes of the parts in memory,
            which is the same for each row however many parts there are.  Together, also a look at each row of a part
            for each generation, and one more for groups whose most balanced cuts do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.ahead import ahead
from sidelight.arrays import Codes, Flags, Integers, add_up
from sidelight.release.groups import Groups, whole_groups
from sidelight.release.release import Release
from sidelight.search.effort import EFFORT
from sidelight.search.method import SearchOutcome
from sidelight.search.mondrian_cuts import Cuts, OpenGroups, Store
from sidelight.search.mondrian_frontier import Boxes, CountedGroups, Generation, KeyStore, Ranks, RoutingTree
from sidelight.search.utility import Marginals, Regions, candidate_groups, region_labels
from sidelight.streams.sorted_runs import Batch, RowParts
from sidelight.table.table import CELLS_AT_ONCE, Counts, Table

if TYPE_CHECKING:
    from sidelight.progress import Progress
    from sidelight.search.mondrian import Acceptance
    from sidelight.search.policy_check import PolicyCheck
    from sidelight.streams.streamed_table import RowBlock, StreamedTable

RoutedRows: TypeAlias = Iterator[tuple["RowBlock", Ranks, Integers]]
"""Rows, with their ranks and their groups."""

Counted = TypeVar("Counted", bound=npt.NDArray[np.integer])


def _batches(rows: RowParts, part: int) -> Iterator[Batch]:
    for *words, counts in rows.read(part):
        yield words, counts


@dataclass(eq=False)
class LotGroups(OpenGroups):
    """A generation of which a lot is at hand at a time: the cuts that fit, and what is beside each of them."""

    table: Table  # whose values and semantics they have
    numbers: Integers  # of the groups, in the store
    totals: Integers
    lots: Sequence[tuple[Integers, bool]] = ()  # rows of the generation, and whether they are held as keys
    open_lot: Callable[[Integers, bool], OpenGroups] | None = None  # reads the groups of these numbers
    cuts: Cuts = field(default_factory=lambda: Cuts.concatenate([]))  # in the order in which they are tried
    known: Integers = field(default_factory=lambda: np.zeros((2, 0, 0), np.int64))  # (sides, cuts, values)

    def propose(self, acceptance: Acceptance, undecided: Flags) -> Iterator[tuple[Cuts, OpenGroups]]:
        """Yield the most balanced cuts that fit into the current release, then all others that do, lot by lot."""
        assert self.open_lot is not None
        for propose in (acceptance.medians, acceptance.others):
            proposed = []
            for rows, as_keys in self.lots:
                some = rows[undecided[rows]]
                if not len(some):
                    continue
                groups = self.open_lot(self.numbers[some], as_keys)
                proposals = acceptance.proposals(groups, np.ones(len(some), bool))
                cuts = acceptance.fitting(propose(proposals), groups)
                # a lot numbers its groups from 0: back to rows of the generation
                # what is beside them is kept, in numbers as small as may be
                kind = np.min_scalar_type(int(self.totals.max(initial=0)))
                proposed.append((replace(cuts, group=some[cuts.group]), groups.count_both(cuts, kind)))
            self.keep(proposed)
            yield self.cuts, self

    def keep(self, proposed: Sequence[tuple[Cuts, npt.NDArray[np.integer]]]) -> None:
        """Concatenate what lots propose, in the order of the groups."""
        cuts = Cuts.concatenate([each for each, _ in proposed])
        order = np.argsort(cuts.group, kind="stable")
        beside = [each for _, each in proposed] or [np.zeros((2, 0, len(self.totals)), np.int64)]
        self.cuts, self.known = cuts.take(order), np.concatenate(beside, axis=1)[:, order]

    def count_sides(self, cuts: Cuts, counts: Counts | None = None) -> Iterator[tuple[Integers, Integers]]:
        """Yield values beside some of the cuts, block by block."""
        assert counts is None  # no single keys are held
        columns, ranks = (int(each.max(initial=0)) + 1 for each in (self.cuts.column, self.cuts.rank))
        # group, column and rank packed into one number, which no two cuts share
        own, looked_up = ((each.group * columns + each.column) * ranks + each.rank for each in (self.cuts, cuts))
        ascending = np.argsort(own)
        known = ascending[np.searchsorted(own[ascending], looked_up)]
        at_once = max(CELLS_AT_ONCE // max(len(self.totals), 1), 1)
        for first in range(0, len(cuts), at_once):
            rows = np.arange(first, min(first + at_once, len(cuts)))
            yield rows, self.known[:, known[rows]].astype(np.int64).reshape(-1, len(self.totals))


@dataclass(eq=False)
class StreamedStore(Store):
    """The groups of a streamed table as they are cut: boxes by number, the tree of cuts, and what is finished."""

    table: StreamedTable
    policy: PolicyCheck
    progress: Progress
    keys: int  # that may be held at a time
    histograms: int  # bytes
    groups: int  # bytes of all that is found
    cells_per_person: float = 8.0  # rows that were put aside are held as keys where their groups have more cells
    tree: RoutingTree = field(default_factory=RoutingTree)
    finished: list[tuple[Integers, Counts]] = field(default_factory=list)  # numbers, and counts by value
    aside: tuple[RowParts, RowParts | None] | None = None  # rows in temporary files, by parts; people counted apart
    spilled: int = 0  # bytes

    def __post_init__(self) -> None:
        super().__post_init__()
        self.people = np.array([self.table.people])  # per group
        # where groups are judged together: (groups, values), as keys of finished ones are not held any more
        self.counts = self.table.outline.counts.dense()
        # the lanes that the policy asks for: where sizes alone are limited, people
        self._lanes = (
            (0, True) if self.policy.only_group_sizes else (len(self.table.domain), self.table.semantics != "single")
        )
        self._ranks: list[Codes] = [order.rank for order in self.orders]
        self._aside_part = np.zeros(0, np.int64)  # per group, where rows were put aside
        self._passes = 0
        self._halves: list[Integers] = []  # numbers of those that the generation at hand fell into
        self._part: KeyStore | None = None  # where keys are at hand
        self._part_numbers = np.zeros(0, np.int64)  # of its groups, here
        # where people have several values, rows may be more than people
        values = int(self.table.stream.totals.sum())
        self._keys = max(int(self.keys * min(self.table.people / max(values, 1), 1)), 1)

    def __len__(self) -> int:
        return len(self.tree.leaf)

    def generations(self, least: int) -> Iterator[OpenGroups]:
        """Yield groups whose keys do not fit as histograms, then the others by parts, as keys."""
        waiting, small = np.array([0]), np.zeros(0, np.int64)
        while True:
            people = self.people[waiting]
            # those that depend on each other are finished in memory all or none
            people = people.sum(keepdims=True) if self.policy.together else people
            fits = np.broadcast_to((people <= self._keys) | (self.table.rows_held <= self._keys), len(waiting))
            small, waiting = np.append(small, waiting[fits]), waiting[~fits]
            if not len(waiting):
                break
            # groups that depend on each other are accepted in one order, so none of them may wait
            now = len(waiting)
            if not self.policy.together:
                # as many as have room for their histograms; at least one has to
                self._refuse_wide(waiting)
                needed, room = np.cumsum(self._bytes(waiting)), self.histograms
                if not self.table.stream.here:  # each executor sends its own
                    room = min(room, max(EFFORT.sent, int(needed[0])))
                now = int(np.searchsorted(needed, room, side="right"))
            generation = self._open(waiting[:now])
            self._halves = [np.zeros(0, np.int64)]
            yield generation
            waiting = np.append(waiting[now:], self._close(generation, least))
        if not len(small):
            return
        # parts of a few groups at a time; those that depend on each other all at once
        part = np.zeros(len(small), np.int64)
        if not (self.policy.together or self.table.rows_held <= self._keys):
            part = number_parts(self.people[small], self._keys)
        for first in range(0, int(part[-1]) + 1, EFFORT.parts):
            here = np.flatnonzero((part >= first) & (part < first + EFFORT.parts))
            for numbers, table in self._read_tables(small[here], part[here] - first):
                yield from self._open_part(numbers, table).generations(least)
                self._merge_part(table)

    def split(self, generation: OpenGroups, cuts: Cuts, run: int) -> None:
        """Cut groups in two, in the part at hand if there is one; else rows find their new groups by the tree."""
        old = generation.numbers[cuts.group]
        if self._part is not None:
            old = self._part_numbers[old]
        new = self.tree.cut(old, cuts.column, cuts.rank, run, routed=self._part is None)
        if self.policy.together:
            left, right = generation.count_both(cuts)
            self.counts = np.vstack((self.counts, right))  # a copy: what a release has is never written to
            self.counts[old] = left
        if self._part is None or self.policy.together:
            self.people[old] = cuts.left
            self.people = np.append(self.people, cuts.people - cuts.left)
        if self._part is not None:
            self._part.split(generation, cuts)
            self._part_numbers = np.append(self._part_numbers, new)
            return
        self._divide_boxes(cuts, old)
        if self.aside is not None:
            self._aside_part = np.append(self._aside_part, self._aside_part[old])
        self._halves += [old, new]

    def release(self) -> Groups:
        """Return the groups made so far, by their counts."""
        made, outline = Counts(self.counts.shape, cells=self.counts), self.table.outline
        return candidate_groups(outline, self.people, made, outline.counts.totals())

    def _cells(self, groups: Integers) -> Integers:
        cells: Integers = (self.stop[groups] - self.start[groups]).sum(axis=1)
        return cells

    def _bytes(self, groups: Integers) -> Integers:
        # lanes are of four bytes; what is worked out of a histogram takes 48 more a cell
        return self._cells(groups) * (4 * sum(self._lanes) + 48)

    def _refuse_wide(self, groups: Integers) -> None:
        """Raise an error where columns have too many labels for even one group to be counted."""
        most = int(self._bytes(groups).max())
        if most > self.histograms:
            what = "histograms of the columns"
            raise self.table.memory.too_little(what, most, self.histograms)

    def _open(self, numbers: Integers) -> OpenGroups:
        """Open groups; where those that depend on each other do not fit at once, in lots."""
        if not self.policy.together:
            return self._count(numbers)
        self._refuse_wide(numbers)
        if self.aside is None:
            if self._bytes(numbers).sum() <= self.histograms:
                return self._count(numbers)
            people = self.people[numbers]
            if people.max() <= self._keys:
                # in one pass, so that lots of them read no other rows
                part = number_parts(people, max(self._keys, people.sum() // (EFFORT.parts // 2)))
                self._aside_part = np.zeros(len(self), np.int64)
                self._aside_part[numbers] = part
                self.aside = self._rows_by_part(numbers, part)
        outline = self.table.outline
        return LotGroups(outline, numbers, outline.counts.totals(), self._build_lots(numbers), self._open_lot)

    def _build_lots(self, numbers: Integers) -> list[tuple[Integers, bool]]:
        """Divide a generation into groups that are looked at together: its rows, and whether as keys."""
        rows, histograms, people = np.arange(len(numbers)), self._bytes(numbers), self.people[numbers]
        sparse, part = np.zeros(len(rows), bool), np.zeros(len(rows), np.int64)
        if self.aside is not None:
            sparse = (self._cells(numbers) > self.cells_per_person * people) & (people <= self._keys)
            part = self._aside_part[numbers]
        lots = []
        for here in np.unique(part).tolist():
            for as_keys, weight, room in ((False, histograms, self.histograms), (True, people, self._keys)):
                some = rows[(part == here) & (sparse == as_keys)]
                lots += [(lot, as_keys) for lot in divide_rows(some, weight[some], room)]
        return lots

    def _open_lot(self, numbers: Integers, as_keys: bool) -> OpenGroups:  # noqa: FBT001 - as the lots have it
        if not as_keys:
            return self._count(numbers)
        ((_, table),) = self._read_tables(numbers, np.zeros(len(numbers), np.int64))
        group = self._index(numbers)[self._groups_of(table)]
        return Generation.from_groups(table, self.orders, numbers, group, totals=self.table.stream.totals)

    def _close(self, generation: OpenGroups, least: int) -> Integers:
        """Finish groups that were not cut; return those that the others fell into and that are large enough."""
        halves = np.concatenate(self._halves)
        uncut = ~np.isin(generation.numbers, halves)
        if self.policy.together:  # all is known of each group
            small = halves[self.people[halves] < 2 * least]
            closed = np.append(generation.numbers[uncut], small)
            counts = self.counts[closed]
            self.finished.append((closed, Counts(counts.shape, cells=counts)))
            return halves[self.people[halves] >= 2 * least]
        assert isinstance(generation, CountedGroups)  # as `_open` gives them
        closed = generation.numbers[uncut]
        if len(closed):  # where sizes alone are limited, values are counted now
            counts = generation.counts[uncut] if self._lanes[0] else self._count_values(closed)
            self.finished.append((closed, Counts(counts.shape, cells=counts)))
        return halves

    def _index(self, numbers: Integers) -> Integers:
        """Return the index of each of some groups, from 0; −1 for all others."""
        index = np.full(len(self), -1)
        index[numbers] = np.arange(len(numbers))
        return index

    def _groups_of(self, table: Table) -> Integers:
        ranks = np.stack([order.rank[column.codes] for order, column in zip(self.orders, table.quasi, strict=True)])
        return self.tree.groups_of(ranks)

    def _pass(self, what: str, groups: Integers, count: Callable[[RoutedRows], Counted]) -> Counted:
        """Return what `count` makes of all rows of some groups, routed to their groups; its answers add up."""
        self._passes += 1
        tree, watched = self.tree, partial(self._watch, what)
        if self.aside is not None:
            return count(ahead(_route(watched(self._read_aside(groups)), tree)))
        soon = ahead if self.table.stream.here else iter  # here, some are routed ahead
        counted: Counted = self.table.reduce_rows(
            lambda blocks: count(soon(_route(blocks, tree))), np.add, self._ranks, watched
        )
        return counted

    def _read_aside(self, groups: Integers) -> Iterator[RowBlock]:
        assert self.aside is not None
        entries, counted_apart = self.aside
        for part in np.unique(self._aside_part[groups]).tolist():
            people = None if counted_apart is None else _batches(counted_apart, part)
            yield from self.table.rows_of(_batches(entries, part), people, self._ranks)

    def _watch(self, what: str, blocks: Iterator[RowBlock]) -> Iterator[RowBlock]:
        done, rows = 0, self.table.rows_held
        for block in blocks:
            yield block
            done += len(block.people)
            shown = f"{len(self):,} groups; pass {self._passes} over the rows {what}"
            self.progress(shown, min(done, rows), rows)

    def _count(self, numbers: Integers) -> CountedGroups:
        """Count how the people of some groups stand, in one pass."""
        index, boxes = self._index(numbers), Boxes(self.start[numbers], self.stop[numbers], *self._lanes)
        most = max(self.table.people, int(self.table.stream.totals.sum()))

        def count(routed: RoutedRows) -> npt.NDArray[np.integer]:
            histogram = boxes.empty(most)
            for block, ranks, group in routed:
                at = index[group]
                lane, amount = boxes.find_lanes(block.people, block.value, block.count)
                rows = np.flatnonzero((at >= 0) & (amount > 0))
                if len(rows) == len(at):
                    boxes.add(histogram, at, ranks, lane, amount)
                elif len(rows):
                    boxes.add(histogram, at[rows], ranks[:, rows], lane[rows], amount[rows])
            return histogram

        histogram = self._pass("to cut groups", numbers, count)
        return CountedGroups(self.table.outline, numbers, boxes, histogram, [len(order) for order in self.orders])

    def _count_values(self, numbers: Integers) -> Integers:
        index, shape = self._index(numbers), (len(numbers), len(self.table.domain))

        def count(rows: RoutedRows) -> Integers:
            counts = np.zeros(shape, np.int64)
            for block, _, group in rows:
                at = index[group]
                kept = np.flatnonzero((at >= 0) & (block.value >= 0))
                np.add.at(counts, (at[kept], block.value[kept]), block.count[kept])
            return counts

        return self._pass("to count values", numbers, count)

    def _read_tables(self, numbers: Integers, part: Integers) -> Iterator[tuple[Integers, Table]]:
        """Yield the table of each part, from rows put aside by their parts in one pass."""
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
        index, parts = self._index(numbers), int(part[-1]) + 1
        words, rows = len(self.table.stream.packing.layout), self.table.rows_held
        entries, people = (RowParts(parts=parts, columns=words + 1, rows=rows) for _ in range(2))
        several = self.table.semantics != "single"
        self._passes += 1
        tree = self.tree

        def keep(blocks: Iterator[RowBlock]) -> Iterator[tuple[bool, Integers, list[Integers]]]:
            for block, _, group in _route(blocks, tree):
                at = index[group]
                kept = np.flatnonzero(at >= 0)
                of_people = several and bool(block.people.any())
                amount = block.people if of_people else block.count
                yield of_people, part[at[kept]], [*(word[kept] for word in block.words), amount[kept]]

        watched = partial(self._watch, "to put them aside")
        by_part: Iterable[tuple[bool, Integers, list[Integers]]]
        if self.aside is None:
            by_part = self.table.gather(keep, self._ranks, watched)
        else:
            by_part = keep(watched(self._read_aside(numbers)))
        for of_people, at, columns in by_part:
            (people if of_people else entries).add(at, columns)
        self.spilled += entries.spilled + people.spilled
        return entries, people if several else None

    def _open_part(self, numbers: Integers, table: Table) -> KeyStore:
        """Build a store in memory of some groups, numbered from 0; with all others, where they depend on each other."""
        known = np.arange(len(self)) if self.policy.together else numbers
        group, totals = self._groups_of(table), self.table.stream.totals
        open_groups = Generation.from_groups(
            table, self.orders, self._index(known)[numbers], self._index(numbers)[group], totals=totals
        )
        self._part_numbers = known
        self._part = KeyStore(table, self.orders, open_groups, self._index(known)[group])
        self._part.start, self._part.stop = self.start[known], self.stop[known]
        return self._part

    def _merge_part(self, table: Table) -> None:
        part, numbers = self._part, self._part_numbers
        assert part is not None
        known = int((numbers < len(self.start)).sum())
        self.along.update(part.along)
        if known == len(self.start):  # cuts of fewer groups are numbered by themselves, and so only counted
            self.first_cuts += part.first_cuts
        self.start[numbers[:known]], self.stop[numbers[:known]] = part.start[:known], part.stop[:known]
        self.start = np.vstack((self.start, part.start[known:]))
        self.stop = np.vstack((self.stop, part.stop[known:]))
        occurring, group = np.unique(part.group, return_inverse=True)
        self.people = np.append(self.people, np.zeros(len(self) - len(self.people), np.int64))
        self.people[numbers[occurring]] = add_up(group, table.sizes, len(occurring))
        self.finished.append((numbers[occurring], table.counts.roll_up(group, groups=len(occurring))))
        self._part = None
        # a group's count of a value, and each end of its box, take 40 bytes until they are published
        bytes_per_group = 40 * (2 * len(self.orders) + len(self.table.domain))
        if len(self) * bytes_per_group > self.groups:
            done = sum(int(self.people[numbers].sum()) for numbers, _ in self.finished)
            likely = len(self) * self.table.people // max(done, 1)
            what = f"about {likely:,} groups"
            raise self.table.memory.too_little(what, likely * bytes_per_group, self.groups)

    def outcome(self) -> SearchOutcome:
        """Build the outcome: each group printed as its box, in the order that they would have in memory."""
        groups, numbers = len(self), self.tree.numbers()
        order = np.argsort(numbers)
        start, stop, sizes = self.start[order], self.stop[order], self.people[order]
        entries = [(numbers[known], *counts.entries()) for known, counts in self.finished]
        assert sum(len(known) for known, *_ in entries) == groups  # each is finished once
        groups_made = whole_groups(
            domain=self.table.domain,
            sizes=sizes,
            counts=Counts.from_entries(
                np.concatenate([known[row] for known, row, _, _ in entries]),
                np.concatenate([value for *_, value, _ in entries]),
                np.concatenate([count for *_, count in entries]),
                (groups, len(self.table.domain)),
            ),
            columns=tuple(region_labels(order, start[:, at], stop[:, at]) for at, order in enumerate(self.orders)),
            semantics=self.table.semantics,
        )
        release = Release(groups_made, sensitive=self.table.sensitive, intake=self.table.intake)
        table, marginals = self.table, Marginals.from_table(self.table, self.orders)
        # keys are not held: the group of each is not known
        regions = Regions(table, self.orders, marginals, sizes, 0, start, stop, lambda: table.sizes)
        return SearchOutcome(release, regions, cuts=self.cut_tree(table.people), spilled=self.spilled)


def _route(blocks: Iterator[RowBlock], tree: RoutingTree) -> RoutedRows:
    for block in blocks:
        ranks = np.stack(block.codes)
        yield block, ranks, tree.groups_of(ranks)


def number_parts(people: Integers, room: int) -> Integers:
    """Put groups, in their order, into parts of at most `room` people; each group fits.

    >>> number_parts(np.array([3, 3, 5, 1]), 6).tolist()
    [0, 0, 1, 1]
    """
    part, number, held = np.zeros(len(people), np.int64), 0, 0
    for at, many in enumerate(people.tolist()):
        if held and held + many > room:
            number, held = number + 1, 0
        part[at], held = number, held + many
    return part


def divide_rows(rows: Integers, weight: Integers, room: int) -> list[Integers]:
    """Divide rows, in their order, into runs whose weights have room together."""
    parts = number_parts(weight, room)
    return [each for each in np.split(rows, np.flatnonzero(np.diff(parts)) + 1) if len(each)]
