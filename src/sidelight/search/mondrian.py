"""Mondrian: cut the people in two, again and again, as long as the release stays within policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sidelight.policy.policy import Policy
from sidelight.release.groups import Groups
from sidelight.search.cuts import Cuts, cuts_along
from sidelight.search.limits import Flags, Limits, loose_groups
from sidelight.search.method import Method, Outcome, Progress
from sidelight.search.orders import Order, orders
from sidelight.search.partition import Candidates, Partition
from sidelight.search.recoding import Stretches, printed, released
from sidelight.search.shared import SharedLimits
from sidelight.search.utility import UtilityName
from sidelight.table.columns import Integers
from sidelight.table.counts import CELLS_AT_ONCE, Counts
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the people in two along one column, again and again, each cut only if the release stays within policy.

    Numbers are cut at the median, then at other places; other labels along their hierarchy, or in sorted order
    without one.  Regions are printed as intervals, hierarchy labels or sets of them.  Under measures that merging never
    makes worse the result is minimal: no group can be cut any further.

    Source: LeFevre et al., Mondrian, ICDE 2006; Chen et al., Privacy Skyline, VLDB 2007 (SkylineAnonymize).
    """

    name: ClassVar[str] = "mondrian"

    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> Outcome:
        """Cut until nothing can be cut."""
        del utility  # greedy: the cuts themselves are what is chosen
        along = orders(table.quasi, by)
        made = grow(table, Limits.of(policy), along, progress=lambda groups: progress("cutting groups", groups, None))
        columns = tuple(printed(order, made.start[:, at], made.stop[:, at]) for at, order in enumerate(along))
        return Outcome(
            released(table, made.group, columns, len(made)),
            Stretches.of(table, along, made.group, made.start, made.stop),
        )


def grow(
    table: Table, limits: Limits, along: tuple[Order, ...], *, progress: Callable[[int], None] = lambda _groups: None
) -> Partition:
    """Cut until no group can be cut any more, one generation of groups at a time.

    Each group tries the cut nearest the median in its most spread-out column first, then in the next, then all
    other cuts.  Where limits depend on several groups together, cuts are accepted in the order of the groups, each
    judged in the release that the earlier ones have made.
    """
    places = np.stack(
        [order.place[column.codes].astype(np.int64) for order, column in zip(along, table.quasi, strict=True)]
    )
    widths = np.array([len(order.labels) for order in along])
    made = Partition(
        places, np.zeros(len(table.sizes), np.int64), np.zeros((1, len(along)), np.int64), widths[np.newaxis, :]
    )
    shared = SharedLimits(table, limits.shared, made)
    active = np.array([0])
    while len(active):
        progress(len(made))
        number = np.full(len(made), -1)
        number[active] = np.arange(len(active))
        cells = np.flatnonzero(number[made.group] >= 0)
        frontier = Frontier(table, cells, number[made.group[cells]], places, len(active))
        halves = []
        undecided = np.ones(len(active), bool)
        for candidates in frontier.rounds(along, undecided):
            fine = candidates.take(frontier.within(candidates, limits))
            for chosen in shared.accepted(fine, frontier, active):
                undecided[chosen.group] = False
                halves += [active[chosen.group], made.split(cells, chosen, active)]
        active = np.concatenate(halves) if halves else np.array([], int)
    return made


@dataclass(frozen=True, eq=False, slots=True)
class Frontier:
    """The groups of one generation that may still be cut, and the cells in them."""

    table: Table
    cells: Integers
    group: Integers  # per cell of `cells`
    places: Integers  # column × cell of the table
    groups: int

    def rounds(self, along: tuple[Order, ...], undecided: Flags) -> Iterator[Candidates]:
        """Propose first the most balanced cut of each column, then, for groups still undecided, all the others."""
        people = self.table.sizes[self.cells]
        cuts = [
            cuts_along(order, self.group, self.places[column, self.cells], people, self.groups)
            for column, order in enumerate(along)
        ]
        rank = np.argsort(np.argsort(-np.stack([each.spread for each in cuts]), axis=0, kind="stable"), axis=0)
        medians = [each.medians(self.groups) for each in cuts]
        yield _in_order([(each, rows[rows >= 0]) for each, rows in zip(cuts, medians, strict=True)], rank)
        others = []
        for each, rows in zip(cuts, medians, strict=True):
            rest = undecided[each.group]
            rest[rows[rows >= 0]] = False
            others.append((each, np.flatnonzero(rest)))
        yield _in_order(others, rank)

    def within(self, candidates: Candidates, limits: Limits) -> Flags:
        """Say which cuts leave two halves that each keep the limits on their own."""
        fine = np.zeros(len(candidates), bool)
        for rows, halves in self.halves(candidates):
            both = limits.alone(halves).reshape(2, -1)
            fine[rows] = both[0] & both[1]
        return fine

    def halves(self, candidates: Candidates) -> Iterator[tuple[Integers, Groups]]:
        """Count what is left and right of each cut, a block at a time: first all left halves, then all right ones."""
        entry_row, entry_value, entry_count = self.table.counts.take(self.cells).entries()
        for column in range(len(self.places)):
            mine = np.flatnonzero(candidates.column == column)
            mine = mine[np.lexsort((candidates.place[mine], candidates.group[mine]))]
            place = self.places[column, self.cells]
            width = int(place.max(initial=0)) + 2
            for rows in _blocks(candidates.group[mine], mine, self.table.counts.width):
                wanted = np.zeros(self.groups, bool)
                wanted[candidates.group[rows]] = True
                used = wanted[self.group[entry_row]]
                at = entry_row[used]
                yield (
                    rows,
                    _halves(
                        self.table,
                        candidates.take(rows),
                        key=self.group[at] * width + place[at],
                        group=self.group[at],
                        value=entry_value[used],
                        count=entry_count[used],
                        width=width,
                    ),
                )


def _halves(
    table: Table,
    cuts: Candidates,
    *,
    key: Integers,
    group: Integers,
    value: Integers,
    count: Integers,
    width: int,
) -> Groups:
    """Count both sides of cuts of one column, sorted by group and place."""
    values = len(table.domain)
    after = np.searchsorted(cuts.group * width + cuts.place, key, side="right")
    known, first = np.unique(cuts.group, return_index=True)
    stretch = np.searchsorted(known, group)
    ends = np.append(first[1:], len(cuts))
    inside = after < ends[stretch]
    step = np.bincount(after[inside] * values + value[inside], weights=count[inside], minlength=len(cuts) * values)
    run = np.cumsum(step.reshape(len(cuts), values), axis=0)
    before = np.vstack((np.zeros((1, values)), run))[first]
    which = np.searchsorted(known, cuts.group)
    left = run - before[which]
    whole = np.bincount(stretch * values + value, weights=count, minlength=len(known) * values)
    right = whole.reshape(len(known), values)[which] - left
    cells = np.vstack((left, right)).astype(np.int64)
    return loose_groups(table, np.concatenate((cuts.left, cuts.people - cuts.left)), Counts(cells.shape, cells=cells))


def _in_order(found: list[tuple[Cuts, Integers]], rank: Integers) -> Candidates:
    """Line up cuts by group, by how widely it spreads along the column, and by how balanced they are."""
    column = np.concatenate([np.full(len(rows), number) for number, (_, rows) in enumerate(found)])
    parts = [(cuts.group[rows], cuts.place[rows], cuts.left[rows], cuts.people[rows]) for cuts, rows in found]
    group, place, left, people = (np.concatenate(each) for each in zip(*parts, strict=True))
    every = Candidates(group, column, place, left, people)
    return every.take(np.lexsort((np.abs(2 * left - people), rank[column, group], group)))


def _blocks(group: Integers, rows: Integers, width: int) -> Iterator[Integers]:
    """Cut candidates sorted by group into blocks that can be spread out, never through a group."""
    most = max(CELLS_AT_ONCE // max(width, 1), 1)
    start = 0
    while start < len(rows):
        stop = min(start + most, len(rows))
        if stop < len(rows):
            edge = int(np.searchsorted(group, group[stop]))
            stop = edge if edge > start else int(np.searchsorted(group, group[stop], side="right"))
        yield rows[start:stop]
        start = stop
