"""What is known of one group: the cuts that were not made in it, and the people whom these do not tell apart.

Minimality  Mondrian makes the first cut whose halves keep the policy.  In a published group every cut that its people
            allow was tried, and failed: so the true arrangement of values is one in which all of them fail.  Groups are
            then independent of one another.  Failed cuts of larger groups, made before, are left out: no possible world
            is lost by that (a relaxation), so that what is called sure or impossible is so.
Admissible  A cut that leaves too few people fails in every arrangement and tells nothing.
Atoms       People on the same side of every admissible cut are an *atom*: nothing tells them apart, and each has a
            value as probably as the others.
Roster      Who is in which group: what the publisher knows, and whoever has a list of the people and what they look
            like.  A *line* is the people of one group who share all quasi-identifier values; lines stand by group.

Cost        One pass over the roster for each column (`search.mondrian_cuts`), and for each group with an admissible cut
            a small matrix, atoms × cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Integers, add_up, number_vectors
from sidelight.errors import BadRelease, parameter
from sidelight.release.groups import Groups
from sidelight.release.locate import Lookup, link
from sidelight.release.release import Release
from sidelight.search.mondrian_cuts import cuts_along
from sidelight.table.counts import Counts
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Column, Table
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.minimality.half_limits import HalfLimits
    from sidelight.search.orders import Order


@dataclass(frozen=True, eq=False, slots=True)
class RosterLines:
    """The people of each group of a release by what they look like, and by their values where the truth is held."""

    columns: tuple[Column, ...]  # a row per line
    group: Integers
    people: Integers
    truth: Counts | None = None  # line × value of the release's domain

    @classmethod
    def from_table(cls, table: Table, group: Integers, release: Groups) -> RosterLines:
        """Take the people of a table, and the group that each of its keys is in (−1: none)."""
        lines = np.argsort(group, kind="stable")
        lines = lines[group[lines] >= 0]
        lines = lines[table.sizes[lines] > 0]
        columns = tuple(column.take(lines) for column in table.quasi)
        code = {text: at for at, text in enumerate(release.domain)}
        truth = None
        # a value that the release does not print has no place in its domain: then the truth is left out
        if all(text in code for text in table.domain):
            places = np.array([code[text] for text in table.domain], np.int64)
            truth = table.counts.take(lines).merge_values(places, width=len(release.domain))
        return cls(columns, group[lines], table.sizes[lines], truth)._check(release)

    @classmethod
    def locate(cls, table: Table, release: Release, by: dict[str, Hierarchy]) -> RosterLines:
        """Find the people of a table in what a release prints; everybody has to fit one group."""
        linkage = link(release, table.quasi, len(table.sizes), Lookup.build(by))
        kinds = {column.name: column.kind for column in release.groups.columns}
        quasi = tuple(replace(each, kind=each.kind or kinds.get(each.name)) for each in table.quasi)
        table = replace(table, quasi=quasi)
        # per profile → per key; people with no match, or several, cannot be put into a group
        matches = linkage.matches[linkage.profile]
        off = int(table.sizes[matches != 1].sum())
        if off:
            message = (
                f"{counted(off, 'person')} of the table fit no group of the release, or several; "
                f"give {parameter('table')} with the people who are in it, and its hierarchies in {parameter('by')}"
            )
            raise BadRelease(message)
        return cls.from_table(table, linkage.group[linkage.starts[:-1]][linkage.profile], release.groups)

    @classmethod
    def from_members(cls, release: Release) -> RosterLines:
        """Take the members that a release knows."""
        members = release.members
        assert members is not None
        order = np.argsort(members.group, kind="stable")
        columns = tuple(column.take(members.key[order]) for column in members.columns)
        return cls(columns, members.group[order], members.people[order])._check(release.groups)

    def _check(self, release: Groups) -> RosterLines:
        """Refuse a roster that does not fit the release, by the people of a group or, where held, their values."""
        there = add_up(self.group, self.people, len(release))
        off = there != release.sizes
        if self.truth is not None:
            values = self.truth.roll_up(self.group, groups=len(release))
            for rows in values.blocks():
                off[rows] |= (values.take(rows).dense() != release.counts.take(rows).dense()).any(axis=1)
        if off.any():
            row = int(off.argmax())
            message = (
                f"{release.name(row).in_errors} has {counted(int(release.sizes[row]), 'person')}, and the roster has "
                f"{counted(int(there[row]), 'person')} there, or other values; give the table that was released"
            )
            raise BadRelease(message)
        return self


TablesByValue: TypeAlias = npt.NDArray[np.int16] | npt.NDArray[np.float32]
"""Value × table × atom: how many people of an atom have a value."""


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
        """Build the question about a group without failed cuts: all of its people are one atom."""
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
        """Return the tables, of (values, tables, atoms), in which every cut fails; `totals` count the `values`."""
        # cuts × values × tables may be large; blocks of 32,768 tables bound the memory
        at_once = 1 << 15
        starts = range(0, tables.shape[1], at_once)
        blocks = (tables[:, start : start + at_once] for start in starts)
        fail = (self._all_fail(block, limits, values, totals) for block in blocks)
        return np.concatenate([start + some for start, some in zip(starts, fail, strict=True)])

    def _all_fail(self, tables: TablesByValue, limits: HalfLimits, values: Integers, totals: Integers) -> Integers:
        shape = (len(self.left), *tables.shape[:2])
        # values and tables become one axis for a single matrix product, and are separated again: (cuts, values, tables)
        cells = np.ascontiguousarray(tables, np.float32).reshape(-1, len(self.people))
        # Σ over the atoms on the left of each cut; whole numbers below 2²⁴ are exact
        lefts = (self.left.astype(np.float32) @ cells.T).reshape(shape)
        some = np.arange(tables.shape[1])
        for of_values, sides in zip(lefts, self.sides.tolist(), strict=True):
            left = (of_values if len(some) == shape[2] else of_values[:, some]).astype(np.int64).T
            # only tables in which all cuts so far fail are asked about the next one
            some = some[~limits.passes(self.row, values, left, totals - left, (sides[0], sides[1]))]
            if len(some) == 0:
                break
        return some


def group_questions(
    roster: RosterLines, orders: tuple[Order, ...], counts: Counts, limits: HalfLimits
) -> Iterator[GroupQuestion]:
    """Ask about every group in which an admissible cut was not made."""
    # one row of ranks per column, one entry per line
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
        # (cuts, lines): whether a line is left of a cut; lines with equal columns are one atom
        before = ranks[column[cuts]][:, lines] < rank[cuts][:, np.newaxis]
        atom, size, example = atoms_of(before.astype(np.int64), roster.people[lines])
        yield GroupQuestion(row, lines, atom, size, counts.row(row), before[:, example], column[cuts], rank[cuts])


def atoms_of(sides: Integers, people: Integers) -> tuple[Integers, Integers, Integers]:
    """Number lines (columns) by the sides that they are on: each line's atom, the atoms' people, and a line of each.

    Small atoms come first, so that few prefixes are to be listed.
    """
    # lines are columns of `sides`, and number_vectors numbers rows
    number, example = number_vectors(np.ascontiguousarray(sides.T))
    size = add_up(number, people, len(example))
    ascending = np.lexsort((example, size))
    place = np.empty(len(size), np.int64)
    place[ascending] = np.arange(len(size))
    return place[number], size[ascending], example[ascending]
