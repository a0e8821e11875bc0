"""A release seen as blocks, and where in them the things are that statements speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.errors import BadKnowledge, BadMeasure, UnknownColumn, did_you_mean
from sidelight.knowledge.people import Described, Someone, Who
from sidelight.max_entropy.blocks import Blocks
from sidelight.max_entropy.problem import Flags
from sidelight.release.members import Members
from sidelight.release.release import Release
from sidelight.table.columns import Codes, Column, Integers
from sidelight.table.labels import Label, label, shown


@dataclass(frozen=True, eq=False)
class Scene:
    """A release with one value per person; `described` says what is known about people by name."""

    release: Release
    described: Mapping[str, Mapping[str, object]]

    def __post_init__(self) -> None:
        if self.release.semantics != "single":
            message = (
                f'maximum entropy needs one value per person, and this release has values="{self.release.semantics}"; '
                "ask 'acquaintance' or 'prior belief' instead"
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
