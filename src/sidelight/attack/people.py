"""The people an attacker looks for: what is known about each, and, for an experiment, what is true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.errors import BadTable, UnknownColumn, did_you_mean
from sidelight.table.columns import Column, Integers, rows_alike
from sidelight.table.counts import Counts, added
from sidelight.table.different import different_rows
from sidelight.table.labels import Label, label
from sidelight.table.table import Table


@dataclass(frozen=True, eq=False, slots=True)
class Truth:
    """What people really have: how often each value of `domain` occurs in each row."""

    domain: tuple[Label, ...]
    counts: Counts


@dataclass(frozen=True, eq=False, slots=True)
class Names:
    """Who is in which row: `rows[i]` is that of the person called `column.cell(i)`."""

    column: Column
    rows: Integers


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
            return self._row_saying({name: label(cell) for name, cell in who.items()})
        if self.names is not None:
            found = np.flatnonzero(self.names.column.codes == _place(label(who), self.names.column.labels))
            return int(self.names.rows[found[0]])
        if isinstance(who, str):
            message = "people have no names here; give person=, the column that names them, or say what is known"
            raise BadTable(message)
        if not 0 <= who < len(self):
            message = f"there is no row {who}; rows of people who look alike are numbered 0 to {len(self) - 1}"
            raise BadTable(message)
        return who

    def _row_saying(self, said: Mapping[str, Label]) -> int:
        names = [column.name for column in self.known]
        for name in said:
            if name not in names:
                message = f"nothing is known of a column '{name}'{did_you_mean(name, names)}"
                raise UnknownColumn(message)
        fits = np.ones(len(self), bool)
        for column in self.known:
            if column.name in said:
                wanted = [text == said[column.name] for text in column.labels]
                fits &= np.array(wanted, bool)[column.codes]
        found = np.flatnonzero(fits)
        if len(found) != 1:
            message = f"{len(found):,} rows of people fit that; say what is known in every column: {', '.join(names)}"
            raise BadTable(message)
        return int(found[0])


def _place(name: Label, labels: tuple[Label, ...]) -> int:
    try:
        return labels.index(name)
    except ValueError:
        message = "nobody among the people has that name; look it up in the column that person= names"
        raise BadTable(message) from None


def people_of(source: object, *, known: Sequence[str], person: str | None = None, truth: str | None = None) -> People:
    """Take people from a table, a dataframe or files; raw rows meet one GROUP BY only."""
    if isinstance(source, Table):
        return _from_table(source, known)
    columns = list(dict.fromkeys([*known, *([truth] if truth else []), *([person] if person else [])]))
    rows, times = different_rows(source, columns)
    at = {column.name: column for column in rows}
    alike = tuple(at[name] for name in known)
    number, first = rows_alike(alike, len(times))
    return People(
        tuple(column.take(first) for column in alike),
        added(number, times, len(first)),
        _truth(at[truth], number, times, len(first)) if truth else None,
        _names(at[person], number, times) if person else None,
    )


def _truth(column: Column, number: Integers, times: Integers, rows: int) -> Truth:
    counts = Counts.from_entries(number, column.codes, times, (rows, len(column.labels)))
    return Truth(column.labels, counts)


def _names(column: Column, number: Integers, times: Integers) -> Names:
    often = added(column.codes, times, len(column.labels))
    if None in column.labels:
        message = f"{int(often[column.labels.index(None)]):,} rows have no '{column.name}'; give every person a name"
        raise BadTable(message)
    twice = int((often > 1).sum())
    if twice:
        message = f"{twice:,} people have more than one row (column '{column.name}'); give one row each"
        raise BadTable(message)
    return Names(column, number)


def _from_table(table: Table, known: Sequence[str]) -> People:
    """A table brings the truth with it."""
    if table.semantics != "single":
        message = f'people need one value each, and this table has values="{table.semantics}"; give rows without values'
        raise BadTable(message)
    alike = tuple(table.column(name) for name in known)
    number, first = rows_alike(alike, len(table.sizes))
    return People(
        tuple(column.take(first) for column in alike),
        added(number, table.sizes, len(first)),
        Truth(table.domain, table.counts.rolled_up(number, groups=len(first))),
    )
