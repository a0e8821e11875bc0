"""Mondrian's generation in lots: groups that are judged together, and are not all at hand at the same time.

Lots        Which cuts a group proposes, and whether its halves keep a policy on their own, depends on that group alone:
            groups are counted a lot at a time, and of each lot only its cuts are kept, with what is beside them.
Fitting     A cut that does not fit into the release as it is never will, as the release only gets finer.  No cut is
            accepted while lots are gone through, so those that do not fit are forgotten with their lot, and the others
            are accepted as if all groups had been at hand: the same runs, in the same order.
Aside       Rows are put aside once, by parts of a few groups each, so that a lot reads its own part and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.arrays import Codes, Flags, Integers
from sidelight.engines.streamed_table import RowBlock, StreamedTable
from sidelight.release.groups import Groups
from sidelight.search.mondrian_cuts import Cuts
from sidelight.search.mondrian_frontier import CutGroups
from sidelight.search.policy_check import candidate_groups
from sidelight.streams.sorted_runs import Batch, RowParts
from sidelight.table.counts import CELLS_AT_ONCE, Counts
from sidelight.table.table import Table


@dataclass(frozen=True, eq=False, slots=True)
class Lot:
    """Groups of a generation that are looked at together: as keys, or by their histogram."""

    rows: Integers  # of the generation
    as_keys: bool

    def among(self, chosen: Flags) -> Lot:
        """Keep some of the generation's groups."""
        return Lot(self.rows[chosen[self.rows]], self.as_keys)


def lots_of(rows: Integers, weight: Integers, room: int, *, as_keys: bool) -> list[Lot]:
    """Put groups into lots that have room, by what each of the generation's groups takes."""
    part = in_parts(weight[rows], room)
    return [Lot(each, as_keys) for each in np.split(rows, np.flatnonzero(np.diff(part)) + 1) if len(each)]


def in_parts(people: Integers, room: int) -> Integers:
    """Put groups, in their order, into parts of at most so many people; each group fits.

    >>> in_parts(np.array([3, 3, 5, 1]), 6).tolist()
    [0, 0, 1, 1]
    """
    part, number, held = np.zeros(len(people), np.int64), 0, 0
    for at, many in enumerate(people.tolist()):
        if held and held + many > room:
            number, held = number + 1, 0
        part[at], held = number, held + many
    return part


@dataclass(frozen=True, eq=False)
class KnownCuts:
    """Cuts of groups that are not at hand, in the order in which they are tried, and what is beside each."""

    table: Table  # whose values and semantics they have
    numbers: Integers  # of the groups, in the partition
    cuts: Cuts
    beside: Integers  # side × cut × value: what is left of it, and what is right

    @classmethod
    def of_lots(cls, table: Table, numbers: Integers, lots: Sequence[tuple[Cuts, Integers]]) -> KnownCuts:
        """Put together what lots propose, in the order of the groups."""
        cuts = Cuts.joined([each for each, _ in lots])
        order = np.argsort(cuts.group, kind="stable")
        beside = [each for _, each in lots] or [np.zeros((2, 0, len(table.domain)), np.int64)]
        return cls(table, numbers, cuts.take(order), np.concatenate(beside, axis=1)[:, order])

    @cached_property
    def _by_place(self) -> tuple[Integers, Integers]:
        """The places of all cuts, rising, and the row of each."""
        place = self._place(self.cuts)
        rows = np.argsort(place)
        return place[rows], rows

    def _place(self, cuts: Cuts) -> Integers:
        """Number cuts by group, column and rank."""
        columns, ranks = (int(each.max(initial=0)) + 1 for each in (self.cuts.column, self.cuts.rank))
        return (cuts.group * columns + cuts.column) * ranks + cuts.rank

    def halves(self, cuts: Cuts) -> Iterator[tuple[Integers, Groups]]:
        """Say what is left and right of some of the cuts, a block at a time: all left halves, then all right ones."""
        places, rows = self._by_place
        known = rows[np.searchsorted(places, self._place(cuts))]
        whole = self.table.counts.totals()
        at_once = max(CELLS_AT_ONCE // max(len(whole), 1), 1)
        for first in range(0, len(cuts), at_once):
            here = np.arange(first, min(first + at_once, len(cuts)))
            block = cuts.take(here)
            sides = self.beside[:, known[here]].astype(np.int64).reshape(-1, len(whole))
            sizes = np.concatenate((block.left, block.people - block.left))
            yield here, candidate_groups(self.table, sizes, Counts(sides.shape, cells=sides), whole)


def counts_beside(groups: CutGroups, cuts: Cuts, whole: Integers) -> Integers:
    """Count what is left of cuts, and what is right: side × cut × value, each at most as often as in the `whole`."""
    beside = np.zeros((2, len(cuts), len(whole)), np.min_scalar_type(int(whole.max(initial=0))))
    for rows, halves in groups.halves(cuts):
        beside[:, rows] = halves.counts.dense().reshape(2, len(rows), len(whole))
    return beside


@dataclass(eq=False, slots=True)
class RowsAside:
    """The rows of groups in temporary files, by parts, to be gone through as often as one likes."""

    table: StreamedTable
    entries: RowParts
    people: RowParts | None  # where they are counted apart
    part: Integers  # per group

    def cut(self, group: Integers) -> None:
        """Say that new groups were cut off these."""
        self.part = np.append(self.part, self.part[group])

    def rows(self, parts: Iterable[int], looked_up: Sequence[Codes]) -> Iterator[RowBlock]:
        """Go through the rows of some parts."""
        for part in parts:
            people = None if self.people is None else _batches(self.people, part)
            yield from self.table.rows_of(_batches(self.entries, part), people, looked_up)


def _batches(rows: RowParts, part: int) -> Iterator[Batch]:
    for *words, counts in rows.read(part):
        yield words, counts
