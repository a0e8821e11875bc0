"""The problem to solve: which amounts of largest entropy fit all sums that are known?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from sidelight._arrays import Codes, Flags, Floats, Integers
from sidelight.errors import BadKnowledge, BadMeasure, UnknownColumn, did_you_mean, parameter
from sidelight.knowledge.people import Described, Someone, Who
from sidelight.release.release import Members, Release
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import Column, added

A_PERSON = -1
"""Who said a constraint, when nobody did: a named person is one person."""


def summed(place: Integers, amounts: npt.ArrayLike, length: int) -> Floats:
    """Add up amounts by place."""
    return np.bincount(place, np.asarray(amounts, float), length).astype(float)


@dataclass(frozen=True, eq=False)
class Problem:
    """Amounts x ≥ 0 of people, whose sums over rows, over columns and over statements are known.

    Variable v is in row `row[v]` and column `column[v]`; variables stand by row.  Σ over a row is `people`, over a
    column `counts`, and `low` ≤ `statements` · x ≤ `high`.  Of all such x, that with the largest entropy relative to
    `weight` is wanted: x_v = weight_v · exp(α_row + β_column + Σ_k μ_k a_kv).  `said[k]` is the number of the
    statement behind row k, or `A_PERSON`.
    """

    row: Integers
    column: Integers
    weight: Floats
    people: Floats
    counts: Floats
    group: Integers  # of each column
    statements: sparse.csr_array  # statements × variables
    low: Floats
    high: Floats
    said: Integers

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def first(self) -> Integers:
        """The first variable of each row (each row has one)."""
        starts: Integers = np.searchsorted(self.row, np.arange(len(self.people)))
        return starts

    def only(self, variables: Flags, statements: Flags) -> tuple[Problem, Integers, Integers]:
        """Keep some variables and statements, and the rows and columns that have any; says which those are."""
        if variables.all() and statements.all():
            return self, np.arange(len(self.people)), np.arange(len(self.counts))
        rows = np.flatnonzero(np.bincount(self.row[variables], minlength=len(self.people)))
        columns = np.flatnonzero(np.bincount(self.column[variables], minlength=len(self.counts)))
        new_row, new_column = np.zeros(len(self.people), np.int64), np.zeros(len(self.counts), np.int64)
        new_row[rows], new_column[columns] = np.arange(len(rows)), np.arange(len(columns))
        kept = Problem(
            new_row[self.row[variables]],
            new_column[self.column[variables]],
            self.weight[variables],
            self.people[rows],
            self.counts[columns],
            np.unique(self.group[columns], return_inverse=True)[1],
            sparse.csr_array(self.statements[np.flatnonzero(statements)][:, np.flatnonzero(variables)]),
            self.low[statements],
            self.high[statements],
            self.said[statements],
        )
        return kept, rows, columns

    def residual(self, amounts: Floats) -> float:
        """Say by how much the worst sum is off, in people; statements about shares count as such people too."""
        off = [
            np.abs(summed(self.row, amounts, len(self.people)) - self.people),
            np.abs(summed(self.column, amounts, len(self.counts)) - self.counts),
            self.beyond(amounts),
        ]
        return float(max((each.max(initial=0.0) for each in off), default=0.0))

    def beyond(self, amounts: Floats) -> Floats:
        """Say by how much each statement is missed."""
        sums: Floats = self.statements @ amounts
        return np.maximum(np.maximum(self.low - sums, sums - self.high), 0.0)


# ----------------------------------------------------------------------------------------------------
# Groups as blocks: the people of a group by what is known of them (rows) × the values of the group (columns).
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Blocks:
    """One block per group: how many people each row and each column of it has.

    Rows and columns stand by group.  A *place* is a row and a column of the same block; places are numbered row by
    row, and within a row in the order of the columns.

    Paper symbols: a row is (q, b), a column is (s, b), a place is (q, s, b).
    """

    row_group: Integers
    row_people: Integers
    column_group: Integers
    column_people: Integers
    groups: int

    @cached_property
    def first_row(self) -> Integers:
        """The first row of each group, and their number."""
        return _starts(self.row_group, self.groups)

    @cached_property
    def first_column(self) -> Integers:
        """The first column of each group, and their number."""
        return _starts(self.column_group, self.groups)

    @cached_property
    def first_place(self) -> Integers:
        """The first place of each row, and their number."""
        widths = np.diff(self.first_column)[self.row_group]
        return np.concatenate(([0], np.cumsum(widths)))

    @property
    def places(self) -> int:
        """How many places there are."""
        return int(self.first_place[-1])

    @cached_property
    def people(self) -> Integers:
        """How many people each group has."""
        return added(self.row_group, self.row_people, self.groups)

    def place(self, row: Integers, column: Integers) -> Integers:
        """Number places."""
        return self.first_place[row] + column - self.first_column[self.row_group[row]]

    def row_of_places(self) -> Integers:
        """Give the row of every place."""
        return np.repeat(np.arange(len(self.row_group)), np.diff(self.first_place))

    def column_of_places(self, row: Integers) -> Integers:
        """Give the column of every place, given its row."""
        inside = np.arange(self.places) - self.first_place[row]
        return inside + self.first_column[self.row_group[row]]

    def crossed(self, rows: Integers, columns: Integers) -> tuple[Integers, Integers]:
        """Pair rows and columns of the same group; both stand by group.

        >>> two = Blocks(np.array([0, 0, 1]), np.ones(3, int), np.array([0, 1, 1]), np.ones(3, int), 2)
        >>> [part.tolist() for part in two.crossed(np.array([1, 2]), np.array([0, 1, 2]))]
        [[1, 2, 2], [0, 1, 2]]
        """
        row, column = paired(self.row_group[rows], self.column_group[columns])
        return rows[row], columns[column]


def _starts(group: Integers, groups: int) -> Integers:
    return np.concatenate(([0], np.cumsum(np.bincount(group, minlength=groups))))


def ranges(start: Integers, stop: Integers) -> tuple[Integers, Integers]:
    """Count from each start to its stop: which of them, and the number.

    >>> [part.tolist() for part in ranges(np.array([5, 7]), np.array([7, 8]))]
    [[0, 0, 1], [5, 6, 7]]
    """
    times = stop - start
    which = np.repeat(np.arange(len(start)), times)
    return which, np.arange(len(which)) + (start - np.cumsum(times) + times)[which]


def runs(part: Integers, group: Integers) -> Integers:
    """Number the different (part, group) of a list that stands by part and then by group.

    >>> runs(np.array([0, 0, 1]), np.array([7, 7, 7])).tolist()
    [0, 0, 1]
    """
    new = np.ones(len(part), bool)
    new[1:] = (part[1:] != part[:-1]) | (group[1:] != group[:-1])
    return np.cumsum(new) - 1


def paired(one: Integers, other: Integers) -> tuple[Integers, Integers]:
    """Pair the places of two lists where they have the same number; the other one is sorted.

    >>> [part.tolist() for part in paired(np.array([1, 0]), np.array([0, 1, 1]))]
    [[0, 0, 1], [1, 2, 0]]
    """
    below = max(one.max(initial=-1), other.max(initial=-1)) + 1
    starts = _starts(other, int(below))
    return ranges(starts[one], starts[one + 1])


# ----------------------------------------------------------------------------------------------------
# A release seen as blocks, and where in them the things are that statements speak of.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Scene:
    """A release with one value per person; `described` says what is known about people by name."""

    release: Release
    described: Mapping[str, Mapping[str, object]]

    def __post_init__(self) -> None:
        if self.release.semantics != "single":
            message = (
                "maximum entropy needs one value per person, and this release has "
                f"{parameter('values', self.release.semantics)}; ask 'acquaintance' or 'prior belief' instead"
            )
            raise BadMeasure(message)

    @cached_property
    def members(self) -> Members:
        """Who is in which group; as printed, where the release does not tell people of a group apart."""
        return self.release.members or Members.as_printed(self.release.groups)

    @cached_property
    def _entries(self) -> tuple[Integers, Integers, Integers]:
        group, value, count = self.release.groups.counts.entries()
        order = np.lexsort((value, group))
        return group[order], value[order], count[order]

    @cached_property
    def blocks(self) -> Blocks:
        """A row per group and line, a column per group and value."""
        group, _, count = self._entries
        return Blocks(self.members.group, self.members.people, group, count, len(self.release))

    @property
    def value(self) -> Integers:
        """The value of each column, as its place in the domain."""
        return self._entries[1]

    @cached_property
    def _columns_by_value(self) -> tuple[Integers, Integers]:
        order = np.argsort(self.value, kind="stable")
        return order, np.searchsorted(self.value[order], np.arange(len(self.release.domain) + 1))

    @cached_property
    def _seen(self) -> dict[tuple[Label, ...], Integers]:
        return {}

    def columns_with(self, values: tuple[Label, ...]) -> Integers:
        """Find the columns of these values, by group; rules ask for the same ones again and again."""
        if values not in self._seen:
            order, start = self._columns_by_value
            places = [self.release.groups.place(value) for value in values]
            self._seen[values] = np.sort(np.concatenate([order[start[at] : start[at + 1]] for at in places]))
        return self._seen[values]

    @cached_property
    def columns(self) -> dict[str, Column]:
        """What may be asked of people, by name: what tells them apart, and what is printed about their group."""
        printed = {column.name: column for column in self.release.groups.columns}
        return printed | {column.name: column for column in self.members.columns}

    @cached_property
    def _codes(self) -> dict[str, Codes]:
        return {}

    def rows_saying(self, given: tuple[tuple[str, Label], ...]) -> Integers:
        """Find the rows of the people who say all this."""
        rows = np.ones(len(self.members.group), bool)
        for name, text in given:
            rows &= self.says(name, text)
        return np.flatnonzero(rows)

    def says(self, name: str, text: Label) -> Flags:
        """Say for each row whether its people say this."""
        if name not in self.columns:
            message = f"no column '{name}' in the release{did_you_mean(name, self.columns)}"
            raise UnknownColumn(message)
        column = self.columns[name]
        if text not in column.labels:
            return np.zeros(len(self.members.group), bool)
        if name not in self._codes:
            by_line = any(column is each for each in self.members.columns)
            self._codes[name] = column.codes[self.members.line if by_line else self.members.group]
        says: Flags = self._codes[name] == column.labels.index(text)
        return says

    def nearest(self, given: tuple[tuple[str, Label], ...]) -> str:
        """Say which cell nobody has, and the nearest one that somebody has."""
        for name, text in given:
            if not self.says(name, text).any():
                near = did_you_mean(shown(text), self.columns[name].labels)
                return f"nobody in the release says {name} '{shown(text)}'{near}"
        return "nobody in the release says all of this"

    def rows_of(self, person: Who) -> Integers:
        """Find the rows where a person may be: all those of one line."""
        rows = self._rows_that_may_be(person)
        name = "a described person" if isinstance(person, Described) else f"'{person}'"
        lines = np.unique(self.members.line[rows])
        if len(lines) == 0:
            message = f"nobody in the release looks like {name}; check what is said about this person"
            raise BadKnowledge(message)
        if len(lines) > 1:
            message = f"people of {len(lines)} kinds in the release could be {name}; say more about this person"
            raise BadKnowledge(message)
        return rows

    def _rows_that_may_be(self, person: Who) -> Integers:
        if isinstance(person, Described):
            return self.rows_saying(person.says)
        if isinstance(person, Someone):
            self.release.group(person.group)
            return np.flatnonzero(self.members.group == person.group - 1)
        if person in self.described:
            says = self.described[person]
            return self.rows_saying(tuple((str(column), label(cell)) for column, cell in says.items()))
        named = self.release.people or {}
        if person in named:
            return np.flatnonzero(self.members.group == named[person])
        message = (
            f"nobody called '{person}' is known{did_you_mean(person, self.described)}; say who it is: "
            f"people={{'{person}': {{column: cell}}}}"
        )
        raise BadKnowledge(message)
