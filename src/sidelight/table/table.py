"""What the publisher holds: people by their quasi-identifiers, and how often each sensitive value occurs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from sidelight._text import counted, form
from sidelight.errors import UnknownColumn, did_you_mean
from sidelight.table.columns import Column, Integers
from sidelight.table.counts import Counts
from sidelight.table.labels import Label

Semantics: TypeAlias = Literal["single", "set", "multiset"]
"""One value per person; a set of values per person; or any number of occurrences per person."""


@dataclass(frozen=True, slots=True)
class Intake:
    """What reading did to the rows: nothing is dropped without being counted here."""

    rows: int = 0
    columns_dropped: tuple[str, ...] = ()
    rows_without_value: int = 0  # dropped because the sensitive value was missing (missing="drop")
    rows_suppressed: int = 0  # left out because every published column was `*` (suppressed="leave out")
    repeats: int = 0  # repeated (person, value) rows that count once in `set`
    files: tuple[Path, ...] = field(default=(), compare=False, repr=False)  # never to be written over
    roles: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)  # person, missing, suppressed

    def notes(self) -> tuple[str, ...]:
        """Say it in words, one line each; nothing to say gives nothing.

        >>> Intake(rows=10, rows_without_value=2).notes()
        ('2 of 10 rows have no sensitive value and were dropped',)
        """
        said = []
        if self.columns_dropped:
            said.append(f"columns not used: {', '.join(self.columns_dropped)}")
        if self.rows_without_value:
            has, was = form("has", self.rows_without_value), form("was", self.rows_without_value)
            said.append(f"{self.rows_without_value:,} of {self._all} {has} no sensitive value and {was} dropped")
        if self.rows_suppressed:
            are, were = form("is", self.rows_suppressed), form("was", self.rows_suppressed)
            said.append(f"{self.rows_suppressed:,} of {self._all} {are} fully suppressed (*) and {were} left out")
        if self.repeats:
            repeat, count = form("repeats", self.repeats), form("counts", self.repeats)
            said.append(f"{self.repeats:,} of {self._all} {repeat} a person's value and {count} once")
        return tuple(said)

    @property
    def _all(self) -> str:
        return counted(self.rows, "row")


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """A table about people, reduced to counts per distinct row of quasi-identifiers (a *cell*).

    `quasi[j].cell(i)` is what cell i says in column j, `sizes[i]` its people, `counts` how often each
    value of `domain` occurs among them.  The raw rows stay in the engine that holds them.
    """

    quasi: tuple[Column, ...]
    sensitive: str
    domain: tuple[Label, ...]
    sizes: Integers
    counts: Counts
    semantics: Semantics = "single"
    intake: Intake = field(default_factory=Intake)
    names: Mapping[str, int] | None = field(default=None, repr=False)  # name → cell, where reading was to keep them

    @property
    def people(self) -> int:
        """How many people the table is about."""
        return int(self.sizes.sum())

    def column(self, name: str) -> Column:
        """Find a quasi-identifier by name."""
        for column in self.quasi:
            if column.name == name:
                return column
        names = [column.name for column in self.quasi]
        message = f"no quasi-identifier '{name}' in the table{did_you_mean(name, names)}"
        raise UnknownColumn(message)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.quasi)
        return (
            f"<Table of {counted(self.people, 'person')}: {names} → {self.sensitive} "
            f"({counted(len(self.domain), 'value')})>"
        )
