"""How many people of a population have the cells of each group of a release that is never held?

    for some rows of the population, then others        their cells, and how many people have them
        for some groups of the release, then others     as many as fit beside them
            look rows up by what groups print (`locate`); add their people to F of the groups

A row that was found twice in all is refused, one that was found nowhere is counted.  What a group prints decides who is
in it, whatever other groups print, so that neither all rows nor all groups need be at hand.

*Invariant.*  F, who is nowhere, and what is refused are those of `Population.located_in`.  Cost: one look per pair of
parts; F itself is on disk, 8 bytes a group.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sidelight.arrays import Integers, add_up
from sidelight.release.groups import Groups, PopulationCounts, starred_groups
from sidelight.release.locate import Lookup, link
from sidelight.release.population import Population, PopulationRows, found_twice, refuse_averages
from sidelight.release.release import Release
from sidelight.release.streamed import GroupBlock, StreamedRelease, stacked
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import zeros_on_disk
from sidelight.table.labels import SUPPRESSED


def carrying(release: StreamedRelease, population: Population) -> StreamedRelease:
    """Give a release whose groups know how many people of a population have their cells; its keys come here."""
    if any(each.population == population for each in release.populations):
        return release
    here = replace(release, stream=release.stream.brought_here(release.memory))
    return replace(here, populations=(*here.populations, located_in(here, population)))


def located_in(release: StreamedRelease, population: Population) -> PopulationCounts:
    """Look everybody up by what the groups of a release print."""
    refuse_averages(release.printing)
    names = _telling(release)
    if not names:
        return population.in_one_group(release.outline)
    at_once = rows_at_once(release.memory)
    counts, nowhere, twice = zeros_on_disk(len(release)), 0, _Twice()
    for rows in population.parts(names, release.memory, at_once):
        found = _Found.nowhere(rows)
        for groups in _runs(release, at_once):
            inside = found.look_in(replace(release.outline, groups=groups))
            counts[groups.numbers - 1] += inside
        nowhere += found.people_nowhere
        twice = twice.merged(found)
    if twice.people:
        names_of = release.names_of(twice.groups)
        raise found_twice(twice.people, [names_of[number] for number in twice.groups])
    star = _star(release)
    if star is not None:
        counts[star - 1], nowhere = nowhere, 0
    return PopulationCounts(population, counts, nowhere)


def rows_at_once(memory: Memory) -> int:
    """Say how many rows of a population, and how many groups, are looked at together."""
    return memory.keys_to_hold // 3


def _telling(release: StreamedRelease) -> list[str]:
    """Name the columns that say more than `*`."""
    labels = release.stream.packing.labels
    unsure = [at for at in range(len(release.columns)) if SUPPRESSED in labels[at] and len(labels[at]) > 1]

    def tells(block: GroupBlock) -> set[int]:
        columns = block.block.columns()
        return {at for at in unsure if (columns[at].codes != labels[at].index(SUPPRESSED)).any()}

    telling: set[int] = release.reduce(tells, operator.or_) if unsure else set()
    starred = {at for at in range(len(release.columns)) if SUPPRESSED in labels[at]} - telling
    return [name for at, name in enumerate(release.columns) if at not in starred]


def _runs(release: StreamedRelease, at_once: int) -> Iterator[Groups]:
    """Go through the groups that print something, so many at a time or a few more."""
    for groups in _together(release, at_once):
        printed = np.flatnonzero(~starred_groups(groups))
        if len(printed):
            yield groups if len(printed) == len(groups) else groups.take(printed)


def _together(release: StreamedRelease, at_once: int) -> Iterator[Groups]:
    parts: list[Groups] = []
    for block in release.blocks():
        parts.append(block.all)
        if sum(map(len, parts)) >= at_once:
            yield stacked(parts)
            parts = []
    if parts:
        yield stacked(parts)


def _star(release: StreamedRelease) -> int | None:
    """Give the number of the group that prints `*` throughout, if there is one."""
    if release.stream.packing.key_of(SUPPRESSED) is None:
        return None

    def starred_in(block: GroupBlock) -> list[int]:
        groups = block.all
        numbers: list[int] = groups.numbers[starred_groups(groups)].tolist()
        return numbers

    starred = release.reduce(starred_in, lambda one, other: one + other)
    return starred[0] if starred else None


@dataclass(eq=False, slots=True)
class _Found:
    """Where rows of a population were found so far: in how many groups, and the numbers of the first two (0: none)."""

    rows: PopulationRows
    times: Integers
    first: Integers
    second: Integers

    @classmethod
    def nowhere(cls, rows: PopulationRows) -> _Found:
        return cls(rows, *(np.zeros(len(rows[1]), np.int64) for _ in range(3)))

    @property
    def people_nowhere(self) -> int:
        return int(self.rows[1][self.times == 0].sum())

    def look_in(self, release: Release) -> Integers:
        """Look the rows up in some more groups, which come after those before; gives the people of each."""
        columns, people = self.rows
        linkage = link(release, columns, len(people), Lookup(coarse=False))
        matches = linkage.matches[linkage.profile]
        some, more = np.flatnonzero(matches), np.flatnonzero(matches > 1)
        begins = linkage.starts[linkage.profile]
        group, numbers = linkage.group[begins[some]], release.groups.numbers
        known = self.times[some] == 0
        self.second[some[~known & (self.second[some] == 0)]] = numbers[group[~known & (self.second[some] == 0)]]
        self.first[some[known]] = numbers[group[known]]
        fresh = more[self.second[more] == 0]
        self.second[fresh] = numbers[linkage.group[begins[fresh] + 1]]
        self.times += matches
        return add_up(group, people[some], len(release.groups))


@dataclass(frozen=True, slots=True)
class _Twice:
    """How many people were found in several groups, and two groups of the first of them."""

    people: int = 0
    groups: tuple[int, ...] = ()

    def merged(self, found: _Found) -> _Twice:
        several = np.flatnonzero(found.times > 1)
        if len(several) == 0:
            return self
        two = int(found.first[several[0]]), int(found.second[several[0]])
        return _Twice(self.people + int(found.rows[1][several].sum()), self.groups or two)
