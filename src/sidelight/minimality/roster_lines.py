"""Who is in which group: what the publisher knows, and whoever has a list of the people and what they look like.

A *line* is the people of one group who share all quasi-identifier values.  Lines stand by group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sidelight.arrays import Integers, add_up
from sidelight.errors import BadRelease, parameter
from sidelight.release.groups import Groups
from sidelight.release.locate import Lookup, link
from sidelight.release.release import Release
from sidelight.table.counts import Counts
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Column, Table
from sidelight.text import counted


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
