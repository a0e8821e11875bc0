"""Who is in which group, as far as outsiders can tell people apart: their quasi-identifiers, group by group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.errors import BadRelease
from sidelight.release.groups import Groups
from sidelight.table.columns import Column, Integers, rows_alike
from sidelight.table.counts import added


@dataclass(frozen=True, eq=False, slots=True)
class Members:
    """The people of each group by their *lines*: what outsiders may know about a person.

    `columns` have a row per different line; `people[i]` people with line `line[i]` are in the group in row
    `group[i]` of the release.  Entries stand by group.

    Paper symbols: a line is q, a group is b, `people[i]` / all people = P(q, b).
    """

    columns: tuple[Column, ...]
    group: Integers
    line: Integers
    people: Integers

    def __post_init__(self) -> None:
        for array in (self.group, self.line, self.people):
            array.flags.writeable = False

    @classmethod
    def of(cls, columns: tuple[Column, ...], group: Integers, people: Integers) -> Members:
        """Gather rows that say who is in which group; rows that say the same are counted together.

        >>> who = Members.of((Column.of("sex", ["m", "f", "m"]),), np.array([0, 0, 0]), np.array([1, 1, 1]))
        >>> [who.columns[0].cell(line) for line in who.line], who.people.tolist()
        (['f', 'm'], [1, 2])
        """
        line, first = rows_alike(columns, len(group))
        key = group * max(len(first), 1) + line
        kinds, place = np.unique(key, return_inverse=True)
        lines = tuple(column.take(first) for column in columns)
        return cls(lines, kinds // max(len(first), 1), kinds % max(len(first), 1), added(place, people, len(kinds)))

    @classmethod
    def as_printed(cls, groups: Groups) -> Members:
        """Take what is printed about each group for the line of its people: all that a reader can tell.

        Each group has a line of its own, also where nothing is printed: who is in which group is known.
        """
        every = np.arange(len(groups))
        return cls(groups.columns, every, every, groups.sizes)

    @property
    def lines(self) -> int:
        """How many different lines there are."""
        return int(self.line.max()) + 1

    def check(self, groups: Groups) -> None:
        """Refuse members who are not the people of these groups."""
        if not np.array_equal(added(self.group, self.people, len(groups)), groups.sizes):
            message = "the members of the groups do not add up to their sizes; give one line per person"
            raise BadRelease(message)
