"""Whom does the attacker look for?  What is known about each, and, for an experiment, what is true.

`People` is a table of its own: one row for all who look alike, so a million targets with a thousand different keys cost
a thousand rows from here on.  Names are not read unless somebody asks for a person by name.

Whether they are in a release at all is `PresenceChances`: a number for all of them, or a column of theirs that says so.

Who may be in which group is answered by `release.locate`; here is what only a search's result adds: the release it
found knows how it prints, and the search itself knows who is really where.  And what only noise lacks: counts that are
certain.  It is looked at through what its counts let somebody expect (`ExpectedCounts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up
from sidelight.engines.read import read_table
from sidelight.engines.read_stream import distinct_rows
from sidelight.errors import BadRelease, BadTable, UnknownColumn, did_you_mean, expect_or_none, parameter
from sidelight.release.locate import Linkage, Listed, ListedPeople, Locate, Lookup, SuppressedPeople
from sidelight.release.release import Release
from sidelight.rounding import exact_number, fraction_in
from sidelight.search.method import SearchResult
from sidelight.search.utility import Regions
from sidelight.table.labels import Column, Label, label, number_equal_rows
from sidelight.table.roles import Roles
from sidelight.table.table import Counts, Table
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.table.hierarchy import Hierarchy

# Who is in a release: a column of the people that says so, a probability, or nothing said: known to be in it
StatedPresence: TypeAlias = str | float | Fraction | None


@dataclass(frozen=True, eq=False, slots=True)
class PresenceChances:
    """How likely each row of people is in one release: 1 known to be, 0 known not to be."""

    levels: tuple[Fraction, ...]
    codes: Integers  # per row
    column: str | None = None

    @property
    def certain(self) -> Flags:
        """Who is known to be in it."""
        return np.array([level == 1 for level in self.levels], bool)[self.codes]

    @property
    def possible(self) -> Flags:
        """Who is not known to be absent."""
        return np.array([level > 0 for level in self.levels], bool)[self.codes]

    def probabilities(self, rows: Integers | slice = slice(None)) -> Floats:
        """Return how likely rows of people are in it."""
        return np.array([float(level) for level in self.levels])[self.codes[rows]]

    def exact(self, row: int) -> Fraction:
        """Return how likely one row of people is in it."""
        return self.levels[int(self.codes[row])]

    def expected(self, sizes: Integers) -> Fraction:
        """Return how many people are in it, on average."""
        people = [int(sizes[self.codes == at].sum()) for at in range(len(self.levels))]
        return sum((level * n for level, n in zip(self.levels, people, strict=True)), Fraction(0))


def presence_for(present: StatedPresence | Sequence[StatedPresence], releases: int) -> list[str | Fraction]:
    """Return for each release a column, or the probability that everybody is in it."""
    each = [present] * releases if present is None or isinstance(present, str | float | int | Fraction) else [*present]
    if len(each) != releases:
        message = (
            f"{parameter('present')} says who is in {counted(len(each), 'release')} of {releases}; "
            "give one for each, or one for all"
        )
        raise BadTable(message)
    stated: list[str | Fraction] = []
    for one in each:
        probability = Fraction(1) if one is None else one
        if not isinstance(probability, str):
            probability = exact_number(probability, BadTable, "who is present")
            if not 0 <= probability <= 1:
                message = f"{parameter('present', one)} is no probability; give a number from 0 to 1, or a column"
                raise BadTable(message)
            probability = Fraction(probability)
        stated.append(probability)
    return stated


def _read_presence(column: str, text: Label) -> Fraction:
    """Read what a column says about somebody's presence: a number from 0 to 1, or a word."""
    word = "" if text is None else str(text).lower()
    level = Fraction(word in ("yes", "true")) if word in ("yes", "true", "no", "false") else fraction_in(str(text))
    if level is None or not 0 <= level <= 1:
        what = "nothing" if text is None else "something else"
        message = (
            f"column '{column}' ({parameter('present')}) says {what} about some people; "
            "write yes or no, true or false, 1 or 0, or a probability in between"
        )
        raise BadTable(message)
    return level


@dataclass(frozen=True, eq=False)
class People:
    """People by what is known about them: one row for all who look alike, `sizes[i]` people in row i.

    `truth` is what they really have: how often each value of a domain occurs in each row.
    """

    known: tuple[Column, ...]
    sizes: Integers
    truth: tuple[tuple[Label, ...], Counts] | None = None
    marks: tuple[Column, ...] = ()  # what says who is in which release
    each_row: bool = False  # every row was taken for a person, although people may have several values
    source: object = None  # where names are read, in the column `person`, when somebody is asked for by name
    person: str | None = None
    reading: Roles = field(default_factory=Roles)  # what odd cells mean, and how their file is written

    def __len__(self) -> int:
        return len(self.sizes)

    def presence(self, present: str | Fraction) -> PresenceChances:
        """Return who is in a release."""
        if isinstance(present, Fraction):
            return PresenceChances((present,), np.zeros(len(self), np.int64))
        column = next(column for column in (*self.marks, *self.known) if column.name == present)
        # only labels that occur are read as probabilities; others may say anything
        used, codes = np.unique(column.codes, return_inverse=True)
        levels = tuple(_read_presence(present, column.labels[code]) for code in used.tolist())
        return PresenceChances(levels, codes.astype(np.int64), present)

    @property
    def total(self) -> int:
        """How many people there are."""
        return int(self.sizes.sum())

    def column(self, name: str) -> Column | None:
        """Find what is known under this name, if anything is."""
        return next((column for column in self.known if column.name == name), None)

    def row(self, who: str | int | Mapping[str, object]) -> int:
        """Find the row of somebody: by name, by what is known, or by its number."""
        if isinstance(who, Mapping):
            return self._row_with({name: label(cell) for name, cell in who.items()})
        if self.person is not None:
            return self._row_with(self._find_known(label(who), self.person))
        if isinstance(who, str):
            message = (
                f"people have no names here; give {parameter('person')}, the column that names them, "
                "or say what is known"
            )
            raise BadTable(message)
        if not 0 <= who < len(self):
            message = f"there is no row {who}; rows of people who look alike are numbered 0 to {len(self) - 1}"
            raise BadTable(message)
        return who

    def _find_known(self, name: Label, person: str) -> dict[str, Label]:
        *known, names = self._rows_by_name
        if name not in names.labels:
            message = f"nobody among the people has that name; look it up in column '{person}'"
            raise BadTable(message)
        row = int(np.flatnonzero(names.codes == names.labels.index(name))[0])
        cells = {column.name: column.cell(row) for column in known}
        return cells | ({person: name} if any(each.name == person for each in (*self.known, *self.marks)) else {})

    @cached_property
    def _rows_by_name(self) -> tuple[Column, ...]:
        names = [column.name for column in (*self.known, *self.marks) if column.name != self.person]
        return distinct_rows(self.source, [*names, str(self.person)], **file_roles(self.reading))[0]

    def _row_with(self, labels: Mapping[str, Label]) -> int:
        columns = (*self.known, *self.marks)
        names = [column.name for column in columns]
        for name in labels:
            if name not in names:
                message = f"nothing is known of a column '{name}'{did_you_mean(name, names)}"
                raise UnknownColumn(message)
        fits = np.ones(len(self), bool)
        for column in columns:
            if column.name in labels:
                # compared once per label, (labels,), then taken to the rows by their codes
                equal = [text == labels[column.name] for text in column.labels]
                fits &= np.array(equal, bool)[column.codes]
        rows = np.flatnonzero(fits)
        if len(rows) != 1:
            message = f"{len(rows):,} rows of people fit that; say what is known in every column: {', '.join(names)}"
            raise BadTable(message)
        return int(rows[0])


def file_roles(reading: Roles) -> dict[str, Any]:
    """Return what is said of a file and its cells, whatever its columns are."""
    return {name: getattr(reading, name) for name in ("missing_marks", "encoding", "sheet")}


def people_of(
    source: object,
    *,
    known: Sequence[str],
    person: str | None = None,
    truth: str | None = None,
    marks: Sequence[str] = (),
    reading: Roles | None = None,
    several_values: bool = False,
) -> People:
    """Read people from a table, a dataframe or files, as `reading` says; raw rows meet one GROUP BY only."""
    columns = list(dict.fromkeys([*known, *marks]))
    reading = reading or Roles()
    for role, column in (("person", person), ("truth", truth)):
        expect_or_none(str, column, parameter(role))
    if isinstance(source, Table):
        return _from_table(source, known, columns, several_values=several_values)
    named: dict[str, Any] = {"source": source, "person": person, "reading": reading} if person else {}
    if several_values and truth is not None:
        if person is None and reading.split is None:
            message = (
                f"people may have several values; give {parameter('person')}, the column that says whose row it is, "
                f"or {parameter('split')}, what stands between values in one cell"
            )
            raise BadTable(message)
        table = read_table(
            source,
            quasi=columns,
            sensitive=truth,
            person=person if reading.split is None else None,  # a row is a person then
            values="set",
            missing="no value",
            split=reading.split,
            **file_roles(reading),
        )
        return replace(_from_table(table, known, columns, several_values=True), **named)
    # the truth is read with the rest, and taken out again: it is not what the attacker knows
    names_of_columns = list(dict.fromkeys([*columns, *([truth] if truth else [])]))
    several_rows = several_values and person is not None
    rows, times = distinct_rows(
        source, names_of_columns, person=person, several_rows=several_rows, **file_roles(reading)
    )
    by_name = {column.name: column for column in rows}
    keys = tuple(by_name[name] for name in columns)
    number, first = number_equal_rows(keys, len(times))
    true = None
    if truth:
        values = by_name[truth]
        shape = len(first), len(values.labels)
        true = values.labels, Counts.from_entries(number, values.codes, times, shape)
    sizes = add_up(number, times, len(first))
    each_row = several_values and person is None and reading.split is None
    people = _split_columns([column.take(first) for column in keys], known, sizes, true)
    return replace(people, each_row=each_row, **named)


def _from_table(table: Table, known: Sequence[str], columns: Sequence[str], *, several_values: bool) -> People:
    """A table brings the truth with it."""
    if table.semantics != ("set" if several_values else "single"):
        fitting = parameter("values", "set") if several_values else "one value each"
        message = (
            f"the releases need people with {fitting}, and this table has {parameter('values', table.semantics)}; "
            "read it so, or give rows without values"
        )
        raise BadTable(message)
    keys = tuple(table.column(name) for name in columns)
    number, first = number_equal_rows(keys, len(table.sizes))
    true = table.domain, table.counts.roll_up(number, groups=len(first))
    return _split_columns([each.take(first) for each in keys], known, add_up(number, table.sizes, len(first)), true)


def _split_columns(
    columns: Sequence[Column], known: Sequence[str], sizes: Integers, truth: tuple[tuple[Label, ...], Counts] | None
) -> People:
    """Set what is known of people apart from what says where they are."""
    of_people = tuple(column for column in columns if column.name in known)
    return People(of_people, sizes, truth, tuple(column for column in columns if column.name not in known))


@dataclass(frozen=True, eq=False, slots=True)
class ExpectedCounts:
    """What somebody expects behind counts with noise: a release whose counts are in `parts` of a person, none of it 0.

    Nothing is ruled out by it, and nothing certain.
    """

    release: Release
    parts: int


@runtime_checkable
class WithNoise(Protocol):
    """Counts with noise, as `dp.NoisyCounts`: what they let somebody expect."""

    def expected_counts(self) -> ExpectedCounts:
        """Return the mean of each count after the noisy one was seen."""
        ...


# A release as the world sees it, what a search found, or what counts with noise let expect
ReleaseOrResult: TypeAlias = Release | SearchResult | ExpectedCounts


def lookups_for(
    releases: Sequence[ReleaseOrResult],
    *,
    by: Mapping[str, Hierarchy] | None,
    locate: Locate | Sequence[Locate | None] | None,
    suppressed: SuppressedPeople | None,
) -> list[Lookup]:
    """Return how people are looked up in each release."""
    ways = [locate] * len(releases) if locate is None or isinstance(locate, str | Listed) else [*locate]
    if len(ways) != len(releases):
        message = f"{len(ways)} ways to locate people in {len(releases)} releases; give one for each, or one for all"
        raise BadRelease(message)
    return [Lookup.build(by, way, suppressed) for way in ways]


def release_of(published: ReleaseOrResult) -> Release:
    """Return what the world sees."""
    return published if isinstance(published, Release) else published.release


def parts_of(published: ReleaseOrResult) -> int | None:
    """Return in how many parts of a person counts are, where they are but expected."""
    return published.parts if isinstance(published, ExpectedCounts) else None


def share_linked_right(published: ReleaseOrResult, people: People, linkage: Linkage) -> Fraction | None:
    """Return the share of the people in a search's table who were looked for in their group; None: nobody knows."""
    if not isinstance(published, SearchResult) or not isinstance(published.recoding, Regions):
        return None
    recoding = published.recoding
    if any(people.column(column.name) is None for column in recoding.table.quasi):
        return None
    # −1 is a row in no region: it is in the group of the suppressed, which a release has last, after all regions
    group = np.where(recoding.group < 0, len(recoding.sizes), recoding.group)
    true = ListedPeople(recoding.table.quasi, group, recoding.table.sizes).link(people.known, len(people))
    there = np.flatnonzero(true.matches[true.profile] == 1)
    if len(there) == 0:
        return None
    # a pair of profile and group is one number: whether it is among those linked is one lookup for all people
    true_group = true.group[true.starts[true.profile[there]]]
    width = len(recoding.sizes) + 2
    profile, linked = linkage.pairs
    right = np.isin(linkage.profile[there] * width + true_group, profile * width + linked)
    return Fraction(int(people.sizes[there[right]].sum()), int(people.sizes[there].sum()))
