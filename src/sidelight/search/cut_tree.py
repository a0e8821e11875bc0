"""Along which cuts was a release made?  The top of the tree of Mondrian's cuts.

Symbols     A cut parts group g at rank p of column c; its left half keeps the number g, its right half gets the next
            one.  A *node* is a group as it once was: everybody, or one half of a cut.
Recorded    The cuts that were made while there were fewer than 2^LEVELS groups.  After h generations there are at most
            2^h, so these are all cuts of the first LEVELS levels, and at most 2^(LEVELS + 1) whatever the table's size;
            of the others only how many go along each column.
Below       The groups of a release tile the boxes of the nodes, so those below a node are the ones inside its box.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from sidelight.arrays import Integers
from sidelight.search.mondrian_cuts import Cuts
from sidelight.search.orders import Order
from sidelight.table.labels import shown

LEVELS = 4
"""So many cuts, one after the other, are shown of anybody: 16 parts of the people at most."""

MOST_TILED = 200
"""The labels of a category up to which they are put into words; of more, the first and the last."""


@dataclass(frozen=True, slots=True)
class CutNode:
    """People whom cuts have left together: what they hold of the column that was cut last, and what is below."""

    parent: int | None  # its place among the nodes; None: everybody
    column: str  # that was cut last; empty: none
    holds: str  # of that column, as it would be printed
    people: int
    groups: int  # that are published of these people
    cut: bool  # whether its halves are nodes too


@dataclass(eq=False, slots=True)
class CutRecord:
    """What is kept of the cuts while they are made."""

    first: list[Cuts] = field(default_factory=list)  # groups by their numbers in the partition
    along: dict[int, int] = field(default_factory=dict)  # column → cuts

    def add(self, cuts: Cuts, numbers: Integers, groups: int) -> None:
        """Keep cuts of groups that have these numbers in a partition of so many."""
        # all cuts of the first LEVELS levels are made while there are fewer groups than that
        if groups < 2**LEVELS:
            self.first.append(replace(cuts, group=numbers))
        for column, times in enumerate(np.bincount(cuts.column).tolist()):
            self.along[column] = self.along.get(column, 0) + times


@dataclass(frozen=True, eq=False, slots=True)
class CutTree:
    """The cuts that made a release, the first of them in the order in which they were made."""

    orders: tuple[Order, ...]
    record: CutRecord
    people: int
    start: Integers  # group × column: the boxes of the groups that are published
    stop: Integers

    @property
    def along(self) -> dict[str, int]:
        """How many cuts were made along each column; columns that nothing was cut along are not there."""
        return {order.name: self.record.along[at] for at, order in enumerate(self.orders) if self.record.along.get(at)}

    def top(self) -> tuple[CutNode, ...]:
        """Return everybody, and the halves of the first cuts of each group; halves follow what they are halves of."""
        widths = tuple((0, len(order)) for order in self.orders)
        return tuple(self._from(_Group(0, -1, widths, self.people), None, 0, 0))

    def _from(self, group: _Group, parent: int | None, level: int, place: int) -> Iterator[CutNode]:
        """Yield a node, which stands at a place, and all below it."""
        cuts = Cuts.concatenate(self.record.first)
        later = np.flatnonzero(cuts.group == group.number)
        # a left half keeps its group's number, so only cuts made after this node are cuts of it
        later = later[later > group.made_by] if level < LEVELS else later[:0]
        order = None if group.column is None else self.orders[group.column]
        yield CutNode(
            parent,
            "" if order is None else order.name,
            "" if order is None or group.column is None else _describe_stretch(order, *group.box[group.column]),
            group.people,
            self._groups_in(group.box),
            bool(len(later)),
        )
        if not len(later):
            return
        below = 1
        for half in group.halves(cuts, int(later[0])):
            for node in self._from(half, place, level + 1, place + below):
                yield node
                below += 1

    def _groups_in(self, box: tuple[tuple[int, int], ...]) -> int:
        # boxes tile: a published group is below a node exactly when its box is inside the node's
        start, stop = np.array(box).T
        return int(((self.start >= start) & (self.stop <= stop)).all(axis=1).sum())


@dataclass(frozen=True, slots=True)
class _Group:
    """A group as it once was."""

    number: int
    made_by: int  # the cut, in their order; −1: everybody
    box: tuple[tuple[int, int], ...]  # the ranks of each column
    people: int
    column: int | None = None  # that was cut last

    def halves(self, cuts: Cuts, at: int) -> tuple[_Group, _Group]:
        """Return both halves of the cut at an index; the right half is the group of the next number."""
        column, rank, left = int(cuts.column[at]), int(cuts.rank[at]), int(cuts.left[at])
        start, stop = self.box[column]
        lower, upper = ((*self.box[:column], ranks, *self.box[column + 1 :]) for ranks in ((start, rank), (rank, stop)))
        return (
            _Group(self.number, at, lower, left, column),
            # everybody is group 0, and each cut numbers one more
            _Group(at + 1, at, upper, self.people - left, column),
        )


def _describe_stretch(order: Order, start: int, stop: int) -> str:
    """Return what a stretch of ranks is; of very many labels that have no size, where it begins and ends."""
    if order.numeric or stop - start <= MOST_TILED:
        return shown(order.label_of(start, stop))
    return f"{shown(order.labels[start])} … {shown(order.labels[stop - 1])}"
