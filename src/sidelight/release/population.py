"""How many people of a population have the cells of a group?  F_g, next to the f_g people of the release.

A population is a second table about more people, such as a register: an attacker who looks a person up in a release may
confuse them with anybody of it.  It is recoded exactly as the release is, in one of two ways:

- for a finished release, each person of the population is looked up by what its groups print (`release.locate`), in one
  group or none (`locate`).  A person who fits several groups could be counted in any of them, so that such a release is
  refused; groups may overlap where there are no people.
- of groups that a search makes, columns are recoded along the same hierarchies, and equal cells are counted
  (`count_equal`).

What a group prints decides who is in it, whatever other groups print.  So neither all rows nor all groups need be at
hand, and a release that is streamed is compared a part at a time:

    for some rows of the population, then others        their cells, and how many people have them
        for some groups of the release, then others     as many as fit next to them
            look rows up by what groups print; add their people to F of the groups

A row that was found twice in all is refused, one that was found nowhere is counted.  Cost: one look per pair of parts,
of which a held release makes one; F of a streamed release is on disk, 8 bytes a group.

*Suppressed rows* that are printed as one group of `*` hold the people of the population who fit no other group.
Missing cells are a label, which matches itself.  People of the population who are known more coarsely than the release
prints ("30-39" next to 34) fit nothing: nobody is guessed.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from sidelight.arrays import Integers, add_up
from sidelight.engines.read import distinct_rows, distinct_rows_in_parts
from sidelight.errors import BadRelease, SidelightError, UnknownColumn, did_you_mean, listed
from sidelight.release.groups import GroupBlock, Groups, PopulationCounts, stack_groups, starred_groups
from sidelight.release.locate import Lookup, link
from sidelight.release.release import Release, ReleaseBlocks, StreamedRelease
from sidelight.streams.sorted_runs import zeros_on_disk
from sidelight.table.labels import SUPPRESSED, Column, number_equal_rows, stack_columns
from sidelight.table.table import Table
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory

PopulationRows: TypeAlias = tuple[tuple[Column, ...], Integers]
"""Different combinations of cells, and how many people have each."""

SomeRelease = TypeVar("SomeRelease", Release, StreamedRelease, ReleaseBlocks)


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """People by their cells, read from their source once a release or a table determines the columns.

    `source` is a `Table`, a `Release` that is recoded already, a path, or whatever `read_table` reads; `reading` says
    how its cells are read (`missing_marks`, `encoding`, `person`).  Two populations are the same if they are read from
    the same place.

    >>> import pyarrow as pa
    >>> everybody = Population.from_source(pa.table({"age": ["31", "34", "57"]}))
    >>> ward = Release.from_counts([{"Flu": 1}, {"Flu": 1}], labels=[{"age": "30-39"}, {"age": "50-59"}])
    >>> everybody.locate(ward).people.tolist()
    [2, 1]
    """

    source: object
    columns: tuple[str, ...] = ()  # what groups that print nothing were made of
    reading: Mapping[str, object] = field(default_factory=dict)
    rows_read: dict[tuple[str, ...], tuple[tuple[Column, ...], Integers]] = field(default_factory=dict)

    @classmethod
    def from_source(cls, source: object) -> Population:
        """Return a population, or take what it is read from."""
        if isinstance(source, Population):
            return source
        return cls(str(source) if isinstance(source, PathLike) else source)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Population):
            return NotImplemented
        # by identity: comparing two tables cell by cell would cost more than reading one again
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

    def name_columns(self, columns: Sequence[str]) -> Population:
        """Return the population with the names of its columns, for groups that print none of them."""
        return replace(self, columns=tuple(columns))

    def rows(self, columns: Sequence[str]) -> PopulationRows:
        """Read the different combinations of cells in some columns, and how many people have each."""
        names = tuple(columns)
        if names not in self.rows_read:
            with self._name_in_errors():
                self.rows_read[names] = self._read(names)
        return self.rows_read[names]

    def parts(self, columns: Sequence[str], memory: Memory, at_once: int) -> Iterator[PopulationRows]:
        """Read the same in bounded memory, `at_once` rows at a time; what is in memory already comes at once."""
        names = tuple(columns)
        if names in self.rows_read or not isinstance(self.source, str | pa.Table | list | tuple):
            yield self.rows(names)
            return
        with self._name_in_errors():
            yield from distinct_rows_in_parts(self.source, names, self.reading, memory, at_once)

    @contextmanager
    def _name_in_errors(self) -> Iterator[None]:
        which = f"'{self.place}' " if self.place else ""
        try:
            yield
        except UnknownColumn as error:
            raise UnknownColumn(f"the population {which}lacks a column that the release has: {error}") from None
        except SidelightError as error:
            raise type(error)(f"the population {which}cannot be read: {error}") from None

    def _read(self, names: tuple[str, ...]) -> PopulationRows:
        if not isinstance(self.source, Table | Release):
            return distinct_rows(self.source, names, **self.reading)  # type: ignore[arg-type]
        of_each, sizes = self._cells_at_hand(self.source)
        by_name = {column.name: column for column in of_each}
        missing = next((name for name in names if name not in by_name), None)
        if missing is not None:
            raise UnknownColumn(f"no column '{missing}'{did_you_mean(missing, [*by_name])}")
        columns = tuple(by_name[name] for name in names)
        number, first = number_equal_rows(columns, len(sizes))
        return tuple(column.take(first) for column in columns), add_up(number, sizes, len(first))

    @staticmethod
    def _cells_at_hand(source: Table | Release) -> PopulationRows:
        if isinstance(source, Table):
            return source.quasi, source.sizes
        return source.groups.columns, source.groups.sizes

    def people(self, columns: Sequence[str] = ()) -> int:
        """Return the number of people; read by some of its columns, unless it was read already."""
        if isinstance(self.source, Table | Release):
            return int(self._cells_at_hand(self.source)[1].sum())
        known = next(iter(self.rows_read.values()), None) or self.rows(self.columns or columns)
        return int(known[1].sum())

    def attach_to(self, release: SomeRelease) -> SomeRelease:
        """Return a release whose groups know how many people of this population have their cells."""
        if any(each.population == self for each in release.populations):
            return release
        release = release.local()  # groups are gone through more than once
        populations = (*release.populations, self.locate(release))
        if isinstance(release, StreamedRelease):
            return replace(release, populations=populations)
        return replace(release, groups=replace(release.groups, populations=populations))

    def locate(self, release: ReleaseBlocks) -> PopulationCounts:
        """Count the people of each group, looking everybody up by what the groups of a release print."""
        if release.printing is not None and release.printing.averages:
            raise BadRelease(
                "a release that prints averages does not say who is in which group; no population can be counted"
            )
        names = _find_telling_columns(release)
        if not names:
            return self._count_in_one_group(release.outline)
        if not isinstance(release, StreamedRelease):
            counts, at_once, parts = np.zeros(len(release), np.int64), None, iter([self.rows(names)])
        else:
            # even one count per group may not fit into the memory, so they are mapped from a temporary file
            counts, at_once = zeros_on_disk(len(release)), count_rows_at_once(release.memory)
            parts = self.parts(names, release.memory, at_once)
        nowhere, people_twice = 0, 0
        twice: tuple[int, ...] = ()  # two groups of the first who was found in several
        for rows in parts:
            met = times, first, second = [np.zeros(len(rows[1]), np.int64) for _ in range(3)]
            for groups in _cut_into_runs(release, at_once):
                counts[groups.numbers - 1] += _look_up(rows, met, groups, release)
            nowhere += int(rows[1][times == 0].sum())
            several = np.flatnonzero(times > 1)
            people_twice += int(rows[1][several].sum())
            twice = twice or tuple(int(each[several[0]]) for each in (first, second) if len(several))
        if people_twice:
            one, other = _name_in_errors(release, twice)
            raise BadRelease(
                f"{counted(people_twice, 'person')} of the population may be in several groups, such as {one} and "
                f"{other}; overlapping groups cannot be compared with a population"
            )
        star = _find_star_group(release)
        # people who fit no other group could be among the suppressed people, so they are the population of that group
        if star is not None:
            counts[star - 1], nowhere = nowhere, 0
        return PopulationCounts(self, counts, nowhere)

    def _count_in_one_group(self, outline: Release) -> PopulationCounts:
        names = outline.columns
        countable = names or self.columns or isinstance(self.source, Table | Release)
        if len(outline) > 1 or not countable:
            printed = listed(names) or "nothing"
            raise BadRelease(
                f"groups print {printed}, by which nobody of a population can be found; "
                "read the release with the columns that say who is in which group"
            )
        return PopulationCounts(self, np.array([self.people(names)]), 0)

    def count_equal(self, groups: Groups, columns: Sequence[Column], people: Integers) -> PopulationCounts:
        """Count the people whose cells, in columns that are recoded as the groups' are, equal those of a group."""
        both = tuple(stack_columns(pair) for pair in zip(groups.columns, columns, strict=True))
        number, first = number_equal_rows(both, len(groups) + len(people))
        # shape (distinct rows,): the group with these cells, −1 where only the population has them
        group_of = np.full(len(first), -1)
        group_of[number[: len(groups)]] = np.arange(len(groups))
        group = group_of[number[len(groups) :]]
        inside = group >= 0
        counts = add_up(group[inside], people[inside], len(groups))
        return PopulationCounts(self, counts, int(people[~inside].sum()))


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
    raise BadRelease(
        f"{groups.name(row).error_name} has {counted(int(groups.sizes[row]), 'person')} in the release and "
        f"{int(counts.people[row]):,} in the population; is it recoded otherwise (labels may need hierarchies), or "
        'about other people? say outside="as in the release" with the measure to count at least those of the release'
    )


def count_rows_at_once(memory: Memory) -> int:
    """Return how many rows of a population, and how many groups, are looked at at a time."""
    # rows of the population, groups, and the pairs of both that are found are held at the same time
    return memory.keys_to_hold // 3


def _find_telling_columns(release: ReleaseBlocks) -> list[str]:
    """Name the columns that say more than `*`: a population need not have the others."""
    labels = [column.labels for column in release.outline.groups.columns]
    starred = {at for at, each in enumerate(labels) if SUPPRESSED in each}
    unsure = [at for at in starred if len(labels[at]) > 1]

    def find_in(block: GroupBlock) -> set[int]:
        columns = block.groups.columns
        return {at for at in unsure if (columns[at].codes != labels[at].index(SUPPRESSED)).any()}

    telling: set[int] = release.reduce(find_in, operator.or_) if unsure else set()
    return [name for at, name in enumerate(release.columns) if at not in starred - telling]


def _name_in_errors(release: ReleaseBlocks, numbers: Sequence[int]) -> list[str]:
    def find_in(block: GroupBlock) -> list[str]:
        here = [number - block.first for number in numbers if 0 <= number - block.first < len(block)]
        return [block.take(slice(row, row + 1)).name(0).error_name for row in here]

    return release.reduce(find_in, operator.add)


def _find_star_group(release: ReleaseBlocks) -> int | None:
    if any(SUPPRESSED not in column.labels for column in release.outline.groups.columns):
        return None

    def find_in(block: GroupBlock) -> list[int]:
        rows: list[int] = np.flatnonzero(starred_groups(block.groups)).tolist()
        return [block.first + row for row in rows]

    starred = release.reduce(find_in, operator.add)
    return starred[0] if starred else None


def _cut_into_runs(release: ReleaseBlocks, at_once: int | None) -> Iterator[Groups]:
    """Yield the groups that print something, about `at_once` at a time, numbered from 1 in all."""
    parts: list[Groups] = []
    many = len(release)
    # what is at hand need not be put together
    blocks = (
        [replace(release.held("a population").groups, numbers=np.arange(1, many + 1))]
        if at_once is None
        else (block.groups for block in release.blocks())
    )
    for groups in blocks:
        parts.append(groups)
        if sum(map(len, parts)) >= (at_once or 0) or int(groups.numbers[-1]) == many:
            run, parts = (parts[0] if len(parts) == 1 else stack_groups(parts)), []
            printed = np.flatnonzero(~starred_groups(run))
            if len(printed):
                yield run if len(printed) == len(run) else run.take(printed)


def _look_up(rows: PopulationRows, met: Sequence[Integers], groups: Groups, release: ReleaseBlocks) -> Integers:
    """Look rows of a population up in the next groups; return the people of each group.

    `met` is updated: in how many groups each row was found so far, and the numbers of the first two (0: none).
    """
    (columns, people), (times, first, second) = rows, met
    printed = Release(groups, sensitive=release.sensitive, printing=release.printing)
    linkage = link(printed, columns, len(people), Lookup(coarse=False))
    # a profile stands for all equal rows: spread what was found of it over them
    matches = linkage.matches[linkage.profile]
    some, more = np.flatnonzero(matches), np.flatnonzero(matches > 1)
    begins = linkage.starts[linkage.profile]
    group, numbers = linkage.group[begins[some]], groups.numbers
    # the first two groups are kept for the error message; `times` counts all of them
    is_first = times[some] == 0
    is_second = ~is_first & (second[some] == 0)
    second[some[is_second]] = numbers[group[is_second]]
    first[some[is_first]] = numbers[group[is_first]]
    # found twice in these groups alone
    fresh = more[second[more] == 0]
    second[fresh] = numbers[linkage.group[begins[fresh] + 1]]
    times += matches
    return add_up(group, people[some], len(groups))
