"""What is known of one group: the cuts that were not made in it, and the people whom these do not tell apart.

Minimality  Mondrian makes the first cut whose halves keep the policy.  In a published group every cut that its people
            allow was tried, and failed: so the true arrangement of values is one in which all of them fail.  Groups are
            then independent of one another.  Failed cuts of larger groups, made before, are left out: no possible world
            is lost by that (a relaxation), so that what is called sure or impossible is so.
Admissible  A cut that leaves too few people fails in every arrangement and tells nothing.
Atoms       People on the same side of every admissible cut are an *atom*: nothing tells them apart, and each has a
            value as probably as the others.

Cost        One pass over the roster for each column (`search.mondrian_cuts`), and for each group with an admissible cut
            a small matrix, atoms × cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Integers, add_up, number_vectors
from sidelight.search.mondrian_cuts import cuts_along

if TYPE_CHECKING:
    from sidelight.minimality.half_limits import HalfLimits
    from sidelight.minimality.roster_lines import RosterLines
    from sidelight.search.orders import Order
    from sidelight.table.counts import Counts


TablesByValue: TypeAlias = npt.NDArray[np.int16] | npt.NDArray[np.float32]
"""Value × table × atom: how many people of an atom have a value."""

TABLES_AT_ONCE = 1 << 15


@dataclass(frozen=True, eq=False, slots=True)
class GroupQuestion:
    """One group of a release, the cuts that failed in it, its atoms, and how often each value occurs in it."""

    row: int  # of the release
    lines: Integers  # of the roster
    atom: Integers  # of each of these lines
    people: Integers  # of each atom
    counts: Integers  # of each value of the domain
    left: Flags  # cut × atom: whether the atom is left of the cut
    column: Integers  # of each cut
    rank: Integers  # the first rank to the right of each cut

    @classmethod
    def whole(cls, row: int, lines: Integers, counts: Integers) -> GroupQuestion:
        """Ask about a group in which nothing is told apart, and no cut failed."""
        none = np.zeros(0, np.int64)
        atom, people = np.zeros(len(lines), np.int64), counts.sum(keepdims=True)
        return cls(row, lines, atom, people, counts, np.zeros((0, 1), bool), none, none)

    @property
    def size(self) -> int:
        """How many people the group has."""
        return int(self.people.sum())

    @property
    def sides(self) -> Integers:
        """How many people are left of each cut, and how many right of it."""
        left = self.left @ self.people
        return np.column_stack((left, self.size - left))

    def all_fail(self, tables: TablesByValue, limits: HalfLimits, values: Integers, totals: Integers) -> Integers:
        """Say in which tables (value × table × atom) every cut fails; `values` are kept apart, `totals` are theirs."""
        starts = range(0, tables.shape[1], TABLES_AT_ONCE)
        blocks = (tables[:, start : start + TABLES_AT_ONCE] for start in starts)
        fail = (self._all_fail(block, limits, values, totals) for block in blocks)
        return np.concatenate([start + some for start, some in zip(starts, fail, strict=True)])

    def _all_fail(self, tables: TablesByValue, limits: HalfLimits, values: Integers, totals: Integers) -> Integers:
        shape = (len(self.left), *tables.shape[:2])
        cells = np.ascontiguousarray(tables, np.float32).reshape(-1, len(self.people))
        # Σ over the atoms on the left of each cut; whole numbers below 2²⁴ are exact
        lefts = (self.left.astype(np.float32) @ cells.T).reshape(shape)
        some = np.arange(tables.shape[1])
        for of_values, sides in zip(lefts, self.sides.tolist(), strict=True):
            left = (of_values if len(some) == shape[2] else of_values[:, some]).astype(np.int64).T
            some = some[~limits.passes(self.row, values, left, totals - left, (sides[0], sides[1]))]
            if len(some) == 0:
                break
        return some


def group_questions(
    roster: RosterLines, orders: tuple[Order, ...], counts: Counts, limits: HalfLimits
) -> Iterator[GroupQuestion]:
    """Ask about every group in which an admissible cut was not made."""
    ranks = np.stack([order.ranks(column) for order, column in zip(orders, roster.columns, strict=True)])
    proposed = [
        cuts_along(order, roster.group, ranks[at], roster.people, groups=counts.rows) for at, order in enumerate(orders)
    ]
    group, rank, left, people = (
        np.concatenate([getattr(each, name) for each in proposed]) for name in ("group", "rank", "left", "people")
    )
    column = np.repeat(np.arange(len(orders)), [len(each.group) for each in proposed])
    some = np.flatnonzero(limits.admissible(left, people))
    some = some[np.argsort(group[some], kind="stable")]
    rows, first = np.unique(group[some], return_index=True)
    stop = np.append(first[1:], len(some))
    starts = np.searchsorted(roster.group, np.arange(counts.rows + 1))
    for row, begin, end in zip(rows.tolist(), first.tolist(), stop[: len(rows)].tolist(), strict=True):
        cuts = some[begin:end]
        lines = np.arange(starts[row], starts[row + 1])
        before = ranks[column[cuts]][:, lines] < rank[cuts][:, np.newaxis]
        atom, size, example = atoms_of(before.astype(np.int64), roster.people[lines])
        yield GroupQuestion(row, lines, atom, size, counts.row(row), before[:, example], column[cuts], rank[cuts])


def atoms_of(sides: Integers, people: Integers) -> tuple[Integers, Integers, Integers]:
    """Number lines (columns) by the sides that they are on: each line's atom, the atoms' people, and a line of each.

    Small atoms come first, so that few prefixes are to be listed.
    """
    number, example = number_vectors(np.ascontiguousarray(sides.T))
    size = add_up(number, people, len(example))
    ascending = np.lexsort((example, size))
    place = np.empty(len(size), np.int64)
    place[ascending] = np.arange(len(size))
    return place[number], size[ascending], example[ascending]
