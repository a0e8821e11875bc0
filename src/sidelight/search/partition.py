"""The groups a search has made so far, and the cuts that would make more of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.search.orders import Order
from sidelight.table.columns import Integers
from sidelight.table.table import Table


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """Cuts of several groups along several columns, in the order in which each group would try them."""

    group: Integers  # of the generation at hand
    column: Integers
    place: Integers
    left: Integers  # people before the place
    people: Integers  # people of the whole group

    def take(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Candidates:
        """Keep some of them."""
        return Candidates(self.group[rows], self.column[rows], self.place[rows], self.left[rows], self.people[rows])

    def __len__(self) -> int:
        return len(self.group)

    def first_of_each(self) -> Integers:
        """Give the row of each group's first candidate, in the order of the groups."""
        return np.unique(self.group, return_index=True)[1]


@dataclass(eq=False, slots=True)
class Partition:
    """Which group each cell of a table is in, and the stretch of places each group covers in each column."""

    places: Integers  # column × cell
    group: Integers  # per cell
    start: Integers  # group × column
    stop: Integers

    @classmethod
    def of_everybody(cls, table: Table, along: tuple[Order, ...]) -> Partition:
        """Begin with everybody in one group."""
        places = [order.place[column.codes].astype(np.int64) for order, column in zip(along, table.quasi, strict=True)]
        widths = np.array([[len(order.labels) for order in along]])
        return cls(np.stack(places), np.zeros(len(table.sizes), np.int64), np.zeros_like(widths), widths)

    def __len__(self) -> int:
        return len(self.start)

    def split(self, cells: Integers, chosen: Candidates, numbers: Integers) -> Integers:
        """Cut groups in two: the left half keeps its number.  Gives the numbers of the right halves.

        `cells` are those of the generation at hand, `numbers` its groups' numbers here.
        """
        old = numbers[chosen.group]
        new = len(self) + np.arange(len(chosen))
        self.start, self.stop = np.vstack((self.start, self.start[old])), np.vstack((self.stop, self.stop[old]))
        self.stop[old, chosen.column] = chosen.place
        self.start[new, chosen.column] = chosen.place
        inside, right = self.sides(cells, chosen, old)
        self.group[inside] = right
        return new

    def sides(self, cells: Integers, chosen: Candidates, old: Integers) -> tuple[Integers, Integers]:
        """Give the cells that a cut would move to the right half, and the numbers of the halves."""
        which = np.full(len(self), -1)
        which[old] = np.arange(len(chosen))
        mine = which[self.group[cells]]
        inside, mine = cells[mine >= 0], mine[mine >= 0]
        right = self.places[chosen.column[mine], inside] >= chosen.place[mine]
        first_new = len(self) - len(chosen)
        return inside[right], first_new + mine[right]
