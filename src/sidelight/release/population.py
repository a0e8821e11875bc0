"""How many people of a population have the cells of a group?  F_g, beside the f_g people of the release.

A population is a second table about more people, such as a register: whoever looks somebody up in a release may take
anybody of it for them.  It is recoded exactly as the release is, in one of two ways:

- of a release that stands, each person of the population is looked up by what its groups print (`release.locate`), in
  one group or none.  Somebody who fits several groups could be counted in any of them, so that such a release is
  refused; groups that overlap where nobody is are told apart well enough.
- of groups that a search makes, columns are recoded along the same hierarchies, and equal cells counted (`with_equal`).

*Suppressed rows* that are printed as one group of `*` hold whoever of the population fits no other group.  Missing
cells are a label, which matches itself.  Whoever of the population is known more coarsely than the release prints
("30-39" beside 34) fits nothing: nobody is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from sidelight.arrays import Integers, add_up
from sidelight.engines.distinct_rows import distinct_rows, distinct_rows_in_parts
from sidelight.errors import BadRelease, SidelightError, UnknownColumn, did_you_mean, listed
from sidelight.release.groups import GroupName, Groups, PopulationCounts, suppressed_groups
from sidelight.release.locate import Lookup, link
from sidelight.release.printing import Printing
from sidelight.release.release import Release
from sidelight.streams.memory import Memory
from sidelight.table.labels import SUPPRESSED
from sidelight.table.table import Column, Table, number_equal_rows, stack_columns
from sidelight.text import counted

PopulationRows: TypeAlias = tuple[tuple[Column, ...], Integers]
"""Different combinations of cells, and how many people have each."""


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """People by their cells, read where they are when a release or a table says which columns matter.

    `source` is a `Table`, a `Release` that is recoded already, a path, or whatever `read_table` reads; `reading` says
    how its cells are read (`missing_marks`, `encoding`, `person`).  Two populations are the same if they are read from
    the same place.

    >>> import pyarrow as pa
    >>> everybody = Population.of(pa.table({"age": ["31", "34", "57"]}))
    >>> ward = Release.from_counts([{"Flu": 1}, {"Flu": 1}], labels=[{"age": "30-39"}, {"age": "50-59"}])
    >>> everybody.located_in(ward).people.tolist()
    [2, 1]
    """

    source: object
    columns: tuple[str, ...] = ()  # what groups that print nothing were made of
    reading: Mapping[str, object] = field(default_factory=dict)
    rows_read: dict[tuple[str, ...], tuple[tuple[Column, ...], Integers]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: object) -> Population:
        """Take a population, or where one is."""
        if isinstance(source, Population):
            return source
        return cls(str(source) if isinstance(source, PathLike) else source)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Population):
            return NotImplemented
        return self.source is other.source or (isinstance(self.source, str) and self.source == other.source)

    def __hash__(self) -> int:
        return hash(self.source) if isinstance(self.source, str) else id(self.source)

    def __repr__(self) -> str:
        return f"<Population: {self.place or 'a table'}>"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.source, self.columns, self.reading)

    @property
    def place(self) -> str | None:
        """The file that it is in, if it is in one."""
        return self.source if isinstance(self.source, str) else None

    def by(self, columns: Sequence[str]) -> Population:
        """Say which columns there are, for groups that print none of them."""
        return replace(self, columns=tuple(columns))

    def rows(self, columns: Sequence[str]) -> PopulationRows:
        """Read the different combinations of cells in some columns, and how many people have each."""
        names = tuple(columns)
        if names not in self.rows_read:
            with self._being_read():
                self.rows_read[names] = self._read(names)
        return self.rows_read[names]

    def parts(self, columns: Sequence[str], memory: Memory, at_once: int) -> Iterator[PopulationRows]:
        """Read the same in bounded memory, so many at a time; what is in memory already comes at once."""
        names = tuple(columns)
        streams = isinstance(self.source, str | pa.Table | list | tuple) and names not in self.rows_read
        if not streams:
            yield self.rows(names)
            return
        with self._being_read():
            yield from distinct_rows_in_parts(self.source, names, self.reading, memory, at_once)

    @contextmanager
    def _being_read(self) -> Iterator[None]:
        """Say of errors that they are of the population."""
        try:
            yield
        except UnknownColumn as error:
            message = f"the population {self._which}lacks a column that the release has: {error}"
            raise UnknownColumn(message) from None
        except SidelightError as error:
            message = f"the population {self._which}cannot be read: {error}"
            raise type(error)(message) from None

    @property
    def _which(self) -> str:
        return f"'{self.place}' " if self.place else ""

    def _read(self, names: tuple[str, ...]) -> PopulationRows:
        if isinstance(self.source, Table | Release):
            table, sizes = _held(self.source)
            columns = tuple(_named(table, name) for name in names)
            number, first = number_equal_rows(columns, len(sizes))
            return tuple(column.take(first) for column in columns), add_up(number, sizes, len(first))
        return distinct_rows(self.source, names, **self.reading)  # type: ignore[arg-type]

    def people(self, columns: Sequence[str] = ()) -> int:
        """How many people there are; read by some columns that it has, unless it was read already."""
        if isinstance(self.source, Table | Release):
            return int(_held(self.source)[1].sum())
        known = next(iter(self.rows_read.values()), None) or self.rows(self.columns or columns)
        return int(known[1].sum())

    def located_in(self, release: Release) -> PopulationCounts:
        """Look everybody up by what the groups of a release print."""
        groups = release.groups
        # a column that says `*` throughout tells nothing, and a population need not have it
        names = [column.name for column in groups.columns if {*column.labels} != {SUPPRESSED}]
        refuse_averages(release.printing)
        if not names:
            return self.in_one_group(release)
        columns, people = self.rows(names)
        linkage = link(release, columns, len(people), Lookup(coarse=False))
        several = linkage.matches > 1
        if several.any():
            rows = several[linkage.profile]
            two = linkage.groups_of(int(np.flatnonzero(rows)[0]))[:2].tolist()
            raise found_twice(int(people[rows].sum()), [groups.name(each) for each in two])
        inside = ~linkage.nowhere
        group = linkage.group[linkage.starts[linkage.profile[inside]]]
        counts, nowhere = add_up(group, people[inside], len(groups)), int(people[~inside].sum())
        starred = np.flatnonzero(suppressed_groups(groups))
        if len(starred):
            counts[starred[0]], nowhere = nowhere, 0
        return PopulationCounts(self, counts, nowhere)

    def in_one_group(self, release: Release) -> PopulationCounts:
        """Count everybody in the one group of a release that tells nothing of anybody."""
        names = [column.name for column in release.groups.columns]
        countable = names or self.columns or isinstance(self.source, Table | Release)
        if len(release) > 1 or not countable:
            printed = listed(names) or "nothing"
            message = (
                f"groups print {printed}, by which nobody of a population can be found; "
                "read the release with the columns that say who is in which group"
            )
            raise BadRelease(message)
        return PopulationCounts(self, np.array([self.people(names)]), 0)

    def carried_by(self, release: Release) -> Release:
        """Give a release whose groups know how many people of this population have their cells."""
        if release.groups.population(self) is not None:
            return release
        counts = self.located_in(release)
        return replace(release, groups=replace(release.groups, populations=(*release.groups.populations, counts)))

    def with_equal(self, groups: Groups, columns: Sequence[Column], people: Integers) -> PopulationCounts:
        """Count the people whose cells, in columns that are recoded as the groups' are, equal those of a group."""
        both = tuple(stack_columns(pair) for pair in zip(groups.columns, columns, strict=True))
        number, first = number_equal_rows(both, len(groups) + len(people))
        group_of = np.full(len(first), -1)
        group_of[number[: len(groups)]] = np.arange(len(groups))
        group = group_of[number[len(groups) :]]
        inside = group >= 0
        counts = add_up(group[inside], people[inside], len(groups))
        return PopulationCounts(self, counts, int(people[~inside].sum()))


def refuse_averages(printing: Printing | None) -> None:
    """Refuse releases of which nobody can say who is in which group."""
    if printing is not None and printing.averages:
        message = "a release that prints averages does not say who is in which group; no population can be counted"
        raise BadRelease(message)


def found_twice(people: int, groups: Sequence[GroupName]) -> BadRelease:
    """Say that people of a population may be in several groups, such as two."""
    return BadRelease(
        f"{counted(people, 'person')} of the population may be in several groups, such as {groups[0].in_errors} and "
        f"{groups[1].in_errors}; "
        "overlapping groups cannot be compared with a population"
    )


def _held(source: Table | Release) -> tuple[tuple[Column, ...], Integers]:
    """Give the columns of a table's keys or of a release's groups, and their people."""
    if isinstance(source, Table):
        return source.quasi, source.sizes
    return source.groups.columns, source.groups.sizes


def _named(columns: Sequence[Column], name: str) -> Column:
    column = next((column for column in columns if column.name == name), None)
    if column is None:
        message = f"no column '{name}'{did_you_mean(name, [column.name for column in columns])}"
        raise UnknownColumn(message)
    return column


def refuse_fewer(groups: Groups, counts: PopulationCounts) -> None:
    """Refuse a population that has fewer people with a group's cells than the release: it is not where they are from.

    >>> groups = Release.from_counts([{"Flu": 2}], labels=[{"age": "30-39"}]).groups
    >>> refuse_fewer(groups, PopulationCounts(None, np.array([1]), 0))
    Traceback (most recent call last):
    sidelight.errors.BadRelease: group 1 (age 30-39) has 2 people in the release and 1 in the population; is it \
recoded otherwise (labels may need hierarchies), or about other people? say outside="as in the release" with the \
measure to count at least those of the release
    """
    lacking = np.flatnonzero(counts.people < groups.sizes)
    if len(lacking) == 0:
        return
    row = int(lacking[0])
    message = (
        f"{groups.name(row).in_errors} has {counted(int(groups.sizes[row]), 'person')} in the release and "
        f"{int(counts.people[row]):,} in the population; is it recoded otherwise (labels may need hierarchies), or "
        'about other people? say outside="as in the release" with the measure to count at least those of the release'
    )
    raise BadRelease(message)
