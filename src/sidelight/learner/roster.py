"""Who is in which group, and which values may each of them have?

A roster has a *line* for each group and key: so many people of that group whom outsiders cannot tell apart.  Everything
that is believed about a line is believed about each of its people.  A line's *cells* are the values that occur in its
group, the most frequent first; what is believed is one number per cell.

*Invariant.*  Keys stand by their labels, column by column in the order of names; lines stand by group and, in it, by
key; cells stand by line.  So neither the order of rows or columns in a file nor chance decides in which order anything
is added up for a key.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sidelight._arrays import Floats, Integers, add_up, number_rows, ranges, starts_of
from sidelight._text import counted, form
from sidelight.errors import BadRelease, expect, listed, parameter
from sidelight.release.locate import Lookup, link
from sidelight.release.release import Members, Release
from sidelight.table.labels import Label
from sidelight.table.table import Column, Table, number_equal_rows

LABELS_ALONE = "with printed labels alone nothing moves: all people of a group look alike, and the release says it all"
"""Said where nobody is told apart from others of their group."""


@dataclass(frozen=True, eq=False)
class Roster:
    """The people of a release by group and key, with the values that each may have."""

    release: Release
    members: Members
    notes: tuple[str, ...] = ()

    @classmethod
    def of_members(cls, release: Release, members: Members) -> Roster:
        """Take the people that a release itself tells apart; a line for each group and key."""
        listed_columns = [column.take(slice(0, members.key_count)).compact() for column in members.columns]
        number, of_number = number_equal_rows(_by_name(listed_columns), members.key_count)
        key = number[members.key]
        line, first = number_rows([members.group, key], [len(release), len(of_number)], rows=len(key))
        people = add_up(line, members.people, len(first))
        columns = tuple(column.take(of_number) for column in listed_columns)
        return cls(release, Members(columns, members.group[first], key[first], people))

    @classmethod
    def of_table(cls, release: Release, table: Table, lookup: Lookup, *, whole: bool = True) -> Roster:
        """Find everybody of a table in the groups of a release; as a `whole`, they must be the people of its groups."""
        expect(Table, table, "the roster")
        printed = {column.name for column in release.groups.columns}
        columns = tuple(column for column in table.quasi if column.name in printed)
        if not columns:
            message = (
                f"the roster has none of the columns that the release prints ({listed(sorted(printed))}); read it "
                f"with those as {parameter('quasi')}"
            )
            raise BadRelease(message)
        linkage = link(release, columns, len(table.sizes), replace(lookup, suppressed="may hold them"))
        matches = linkage.matches[linkage.profile]
        if (matches > 1).any():
            row = int(np.argmax(matches > 1))
            groups = linkage.groups_of(row)
            name = release.groups.name(int(groups[0]))
            message = (
                f"the roster does not fit the release: some of its people fit {name} and {len(groups) - 1} more; give "
                "a release whose groups do not overlap, or one that says who is in which"
            )
            raise BadRelease(message)
        there = np.flatnonzero(matches == 1)
        if not len(there):
            message = "nobody of the roster is in any group of the release; give the people whom it is about"
            raise BadRelease(message)
        group = linkage.group[linkage.starts[linkage.profile[there]]]
        order = np.argsort(group, kind="stable")
        members = Members(
            tuple(column.take(there[order]) for column in table.quasi),
            group[order],
            np.arange(len(there)),
            table.sizes[there[order]],
        )
        if whole:
            _check_sizes(release, members)
        left_out = int(table.sizes[matches == 0].sum())
        were = f"{counted(left_out, 'person')} of the roster {form('is', left_out)} in no group"
        return replace(cls.of_members(release, members), notes=(were,) if left_out else ())

    @property
    def tells_apart(self) -> bool:
        """Whether anybody is told apart from others of their group."""
        return bool((np.bincount(self.members.group) > 1).any())

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What is known about people, a row per key: in the order of names, whatever the order in a file."""
        return _by_name(self.members.columns)

    def __len__(self) -> int:
        return len(self.members.group)

    @cached_property
    def entries(self) -> tuple[Integers, Integers, Integers]:
        """The release's (group, value, count), by group, the most frequent value first."""
        row, value, count = self.release.groups.counts.entries()
        order = np.lexsort((value, -count, row))
        return row[order], value[order], count[order]

    @cached_property
    def group_starts(self) -> Integers:
        """Where the entries of each group begin, and where the last end."""
        return starts_of(self.entries[0], len(self.release))

    @cached_property
    def _cells(self) -> tuple[Integers, Integers]:
        return ranges(self.group_starts[self.members.group], self.group_starts[self.members.group + 1])

    @property
    def line(self) -> Integers:
        """The line of each cell."""
        return self._cells[0]

    @property
    def entry(self) -> Integers:
        """The entry (group and value) of each cell."""
        return self._cells[1]

    @cached_property
    def cell_starts(self) -> Integers:
        """Where the cells of each line begin, and where the last end."""
        return starts_of(self.line, len(self))

    @cached_property
    def value(self) -> Integers:
        """The value of each cell."""
        return self.entries[1][self.entry]

    @cached_property
    def count(self) -> Integers:
        """How often each cell's value occurs in its group."""
        return self.entries[2][self.entry]

    @cached_property
    def people(self) -> Floats:
        """How many people each cell's line has."""
        return self.members.people[self.line].astype(float)

    @cached_property
    def group_size(self) -> Integers:
        """How many people the group of each cell has."""
        return self.release.groups.sizes[self.members.group[self.line]]

    @cached_property
    def shares(self) -> Floats:
        """How many values of each kind a person of the group has on average: n_g(s)/n_g."""
        return self.count / self.group_size

    def believed(self, expected: Floats) -> Floats:
        """Give the beliefs of people who are expected to have so many of a value: those, where nobody has it twice.

        Of a multiset with n occurrences, of which each is theirs with probability r = expected/n: 1 − (1 − r)^n.
        """
        if self.release.semantics != "multiset":
            return expected
        with np.errstate(divide="ignore"):  # whoever has every occurrence has it for certain
            return -np.expm1(self.count * np.log1p(-expected / self.count))

    def says(self, key: int) -> tuple[tuple[str, Label], ...]:
        """Say what is known about a key."""
        return tuple((column.name, column.cell(key)) for column in self.members.columns)


def _by_name(columns: Iterable[Column]) -> tuple[Column, ...]:
    return tuple(sorted(columns, key=lambda column: column.name))


def _check_sizes(release: Release, members: Members) -> None:
    """Refuse people who are more or fewer than a group has, naming the first such group."""
    sizes = add_up(members.group, members.people, len(release))
    wrong = np.flatnonzero(sizes != release.groups.sizes)
    if len(wrong):
        at = int(wrong[0])
        has, holds = int(release.groups.sizes[at]), int(sizes[at])
        message = (
            f"the roster does not fit the release: {release.groups.name(at)} has {counted(has, 'person')}, and "
            f"{holds:,} of the roster may be in it; give the table that the release is of"
        )
        raise BadRelease(message)
