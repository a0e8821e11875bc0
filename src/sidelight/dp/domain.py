"""The domain of a noisy release: every cell that is counted, declared in advance.

A cell is a group (a combination of labels, one per column) and a sensitive value.  The domain is their product, made
from hierarchies, levels and a list of values, never from a table: an empty cell is published like any other, or its
absence would tell that nobody is there.

A person may have several values (`values="set"` or "multiset"), and then at most `values_per_person` of those that were
declared are counted: which ones, where there are more, is drawn by lot for each person by themselves, from the system's
secure source.  So whoever comes or goes changes nothing about others, and how many were left out is nobody's to know:
it depends on the data, and is neither published nor returned.

Groups are numbered in mixed radix: group = Σ_c place_c · Π_{c' > c} |labels_c'|, so that the group of a row
follows from the places of its labels, vectorised, and nothing is searched for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from sidelight._arrays import Integers, add_up, ranges
from sidelight.errors import BadNoise, did_you_mean, parameter
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import Label, label
from sidelight.table.table import Column, Table

Outside: TypeAlias = Literal["an error", "leave out"]
"""What becomes of people whose labels or value were not declared."""

CELLS_AT_MOST = 1_000_000
"""How many counts a noisy release may have, unless its publisher says otherwise."""


@dataclass(frozen=True, eq=False)
class Domain:
    """All groups (every combination of the labels of the columns at their levels) × all sensitive values."""

    levels: Mapping[str, int]
    labels: tuple[tuple[Label, ...], ...]  # of each column
    values: tuple[Label, ...]

    @classmethod
    def declare(
        cls,
        by: Mapping[str, Hierarchy],
        levels: Mapping[str, int],
        values: Sequence[object] | Hierarchy,
        *,
        cells: int = CELLS_AT_MOST,
    ) -> Domain:
        """Lay out every cell there could be.

        >>> sex = Hierarchy("sex", (("f", "m"), ("*", "*")))
        >>> Domain.declare({"sex": sex}, {"sex": 0}, ["Flu", "Cold", "HIV"]).shape
        (2, 3)
        """
        declared, hierarchies = _distinct(_listed_values(values)), as_hierarchies(by)
        domain = cls(
            MappingProxyType(dict(levels)), tuple(_labels(hierarchies, *each) for each in levels.items()), declared
        )
        groups = len(domain)
        if groups * len(declared) > cells:
            message = (
                f"{groups:,} groups times {len(declared):,} values are {groups * len(declared):,} counts, "
                "and each gets noise; "
                f"the limit is {cells:,}: take coarser levels or fewer columns, or raise it with {parameter('cells')}"
            )
            raise BadNoise(message)
        return domain

    def __len__(self) -> int:
        return math.prod(len(each) for each in self.labels)

    @property
    def shape(self) -> tuple[int, int]:
        """How many groups and values."""
        return len(self), len(self.values)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What is printed about each group."""
        if not self.labels:
            return ()
        places = np.unravel_index(np.arange(len(self)), tuple(len(each) for each in self.labels))
        named = zip(self.levels, self.labels, places, strict=True)
        return tuple(Column(name, labels, place.astype(np.int32)) for name, labels, place in named)

    def groups_of(self, table: Table, by: Mapping[str, Hierarchy]) -> Integers:
        """Find the group of each row of a table; −1 where a label was not declared."""
        group, known = np.zeros(len(table.sizes), np.int64), np.ones(len(table.sizes), bool)
        for (name, level), labels in zip(self.levels.items(), self.labels, strict=True):
            column = table.column(name)
            place = _recode(by[name], level, column.labels, labels)[column.codes]
            # Horner's rule; one unknown label makes the group unknown
            group, known = group * len(labels) + place, known & (place >= 0)
        return np.where(known, group, -1)

    def places_of(self, values: Sequence[Label]) -> Integers:
        """Find the place of each sensitive value; −1 for one that was not declared."""
        declared = {each: number for number, each in enumerate(self.values)}
        return np.array([declared.get(each, -1) for each in values], np.int64)

    def count(
        self,
        table: Table,
        by: Mapping[str, Hierarchy],
        outside: Outside = "an error",
        *,
        values_per_person: int = 1,
        draw: Callable[[int], bytes] = os.urandom,
    ) -> Integers:
        """Count the people of every cell, each in so many cells at most: without noise, so not for publishing."""
        profiles = table.profiles()
        row, value, count = profiles.counts.entries()
        group, place = self.groups_of(table, by)[profiles.key], self.places_of(table.domain)[value]
        # outside the domain nobody is counted, so that what is published says nothing about them
        inside = (group[row] >= 0) & (place >= 0)
        left_out = group < 0
        left_out[row[~inside]] = True
        _check_outside(int(profiles.people[left_out].sum()), outside)
        row, place, count = row[inside], place[inside], count[inside]
        amounts = counted_values(profiles.people, row, count, at_most=values_per_person, draw=draw)
        groups, values = self.shape
        return add_up(group[row] * values + place, amounts, groups * values).reshape(self.shape)


def counted_values(
    people: Integers, row: Integers, count: Integers, *, at_most: int, draw: Callable[[int], bytes] = os.urandom
) -> Integers:
    """How often is each entry counted, when each of `people[i]` who have the entries of row i counts so many at most?

    Entry e says that each person of row `row[e]` has a value `count[e]` times.  Whoever has more than `at_most` keeps
    as many, each of theirs equally likely.

    >>> counted_values(np.array([5, 2]), np.array([0, 1, 1]), np.array([1, 1, 1]), at_most=2).tolist()
    [5, 2, 2]
    >>> int(counted_values(np.array([5, 2]), np.array([0, 1, 1]), np.array([1, 1, 1]), at_most=1)[1:].sum())
    2
    """
    amounts = people[row] * count
    too_many = np.flatnonzero(add_up(row, count, len(people))[row] > at_most)
    # one line per person, entry and time: who, which entry, and a number by lot
    entry, who = ranges(np.zeros(len(too_many), np.int64), people[row[too_many]])
    entry = too_many[entry]
    times = count[entry]
    entry, who = np.repeat(entry, times), np.repeat(who, times)
    lot = np.frombuffer(draw(8 * len(entry)), np.uint64)
    order = np.lexsort((lot, who, row[entry]))
    person = np.flatnonzero(np.diff(who[order], prepend=-1) | np.diff(row[entry[order]], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(person, np.diff(np.append(person, len(order))))
    amounts[too_many] = np.bincount(entry[order[rank < at_most]], minlength=len(row))[too_many]
    return amounts


def _listed_values(values: Sequence[object] | Hierarchy) -> Sequence[object]:
    """List the values there could be; a hierarchy lists them all, and by empty text that one may be missing."""
    return [text or None for text in values.levels[0]] if isinstance(values, Hierarchy) else values


def _distinct(values: Sequence[object]) -> tuple[Label, ...]:
    if isinstance(values, str) or not isinstance(values, Collection) or not len(values):
        message = (
            f"{parameter('domain')} is not declared; "
            "list every sensitive value that there could be, not only those that occur"
        )
        raise BadNoise(message)
    return tuple(dict.fromkeys(label(value) for value in values))


def _labels(by: Mapping[str, Hierarchy], name: str, level: object) -> tuple[Label, ...]:
    """List the labels of a level; the row of empty text, if there is one, is about missing cells."""
    if name not in by:
        message = (
            f"no hierarchy for '{name}'{did_you_mean(name, by)}; "
            f"its labels must be declared by a hierarchy in {parameter('by')}"
        )
        raise BadNoise(message)
    hierarchy = by[name]
    if not isinstance(level, int | np.integer):
        message = f"the level of '{name}' is a whole number, not {level!r}; 0 is the column as it is"
        raise BadNoise(message)
    whole = int(level)
    hierarchy.level(whole)
    return tuple(dict.fromkeys(hierarchy.generalise(value or None, whole) for value in hierarchy.levels[0]))


def _recode(hierarchy: Hierarchy, level: int, labels: Sequence[Label], among: tuple[Label, ...]) -> Integers:
    """Find the place of each label's coarser label; −1 for one that was not declared."""
    # a label that the hierarchy does not list must not be guessed at: it would come from the data
    declared = {None, *hierarchy.levels[0]}
    place = {each: number for number, each in enumerate(among)}
    coarse = (place.get(hierarchy.generalise(each, level), -1) if each in declared else -1 for each in labels)
    return np.fromiter(coarse, np.int64, len(labels))


def _check_outside(people: int, outside: Outside) -> None:
    if outside == "an error" and people:
        message = (
            f"{people:,} people have a label or a value that was not declared; declare all that there could be, "
            f"or say {parameter('outside', 'leave out')} to publish without them"
        )
        raise BadNoise(message)
    if outside not in ("an error", "leave out"):
        message = f'no {parameter("outside", outside)}; choose "an error" or "leave out"'
        raise BadNoise(message)
