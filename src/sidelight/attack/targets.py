"""Whom does the attacker look for?  What is known about each, and, for an experiment, what is true.

`People` is a table of its own: one row for all who look alike, so a million targets with a thousand different keys cost
a thousand rows from here on.  Names are not read unless somebody asks for a person by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight._arrays import Integers, add_up
from sidelight.errors import BadTable, UnknownColumn, did_you_mean, parameter
from sidelight.table.labels import Label, label
from sidelight.table.read import distinct_rows
from sidelight.table.table import Column, Counts, Table, number_equal_rows


@dataclass(frozen=True, eq=False, slots=True)
class Truth:
    """What people really have: how often each value of `domain` occurs in each row."""

    domain: tuple[Label, ...]
    counts: Counts


@dataclass(frozen=True, eq=False)
class Names:
    """Where to look people up by name; names are read when the first one is asked for."""

    source: object
    known: tuple[str, ...]
    person: str
    missing_marks: str | Sequence[object] = ()

    def known_of(self, name: Label) -> dict[str, Label]:
        """Say what is known of somebody."""
        *known, names = self._rows
        try:
            code = names.labels.index(name)
        except ValueError:
            message = f"nobody among the people has that name; look it up in column '{self.person}'"
            raise BadTable(message) from None
        row = int(np.flatnonzero(names.codes == code)[0])
        cells = {column.name: column.cell(row) for column in known}
        return cells | ({self.person: name} if self.person in self.known else {})

    @cached_property
    def _rows(self) -> tuple[Column, ...]:
        known = [name for name in self.known if name != self.person]
        return distinct_rows(self.source, [*known, self.person], missing_marks=self.missing_marks)[0]


@dataclass(frozen=True, eq=False, slots=True)
class People:
    """People by what is known about them: one row for all who look alike, `sizes[i]` people in row i."""

    known: tuple[Column, ...]
    sizes: Integers
    truth: Truth | None = None
    names: Names | None = None

    def __len__(self) -> int:
        return len(self.sizes)

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
        if self.names is not None:
            return self._row_with(self.names.known_of(label(who)))
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

    def _row_with(self, labels: Mapping[str, Label]) -> int:
        names = [column.name for column in self.known]
        for name in labels:
            if name not in names:
                message = f"nothing is known of a column '{name}'{did_you_mean(name, names)}"
                raise UnknownColumn(message)
        fits = np.ones(len(self), bool)
        for column in self.known:
            if column.name in labels:
                equal = [text == labels[column.name] for text in column.labels]
                fits &= np.array(equal, bool)[column.codes]
        rows = np.flatnonzero(fits)
        if len(rows) != 1:
            message = f"{len(rows):,} rows of people fit that; say what is known in every column: {', '.join(names)}"
            raise BadTable(message)
        return int(rows[0])


def people_of(
    source: object,
    *,
    known: Sequence[str],
    person: str | None = None,
    truth: str | None = None,
    missing_marks: str | Sequence[object] = (),
) -> People:
    """Take people from a table, a dataframe or files; raw rows meet one GROUP BY only."""
    if isinstance(source, Table):
        return _from_table(source, known)
    # the truth is read with the rest, and taken out again: it is not what the attacker knows
    columns = list(dict.fromkeys([*known, *([truth] if truth else [])]))
    rows, times = distinct_rows(source, columns, person=person, missing_marks=missing_marks)
    by_name = {column.name: column for column in rows}
    keys = tuple(by_name[name] for name in known)
    number, first = number_equal_rows(keys, len(times))
    return People(
        tuple(column.take(first) for column in keys),
        add_up(number, times, len(first)),
        _truth(by_name[truth], number, times, len(first)) if truth else None,
        Names(source, tuple(known), person, missing_marks) if person else None,
    )


def _truth(column: Column, number: Integers, times: Integers, rows: int) -> Truth:
    counts = Counts.from_entries(number, column.codes, times, (rows, len(column.labels)))
    return Truth(column.labels, counts)


def _from_table(table: Table, known: Sequence[str]) -> People:
    """A table brings the truth with it."""
    if table.semantics != "single":
        message = (
            f"people need one value each, and this table has {parameter('values', table.semantics)}; "
            "give rows without values"
        )
        raise BadTable(message)
    keys = tuple(table.column(name) for name in known)
    number, first = number_equal_rows(keys, len(table.sizes))
    return People(
        tuple(column.take(first) for column in keys),
        add_up(number, table.sizes, len(first)),
        Truth(table.domain, table.counts.roll_up(number, groups=len(first))),
    )
