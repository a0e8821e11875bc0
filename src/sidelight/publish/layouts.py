"""What the rows of a published file are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from sidelight.publish.chance import Shuffle
from sidelight.release.release import Release
from sidelight.table.columns import Column, Integers

Layout: TypeAlias = Literal["people", "counts", "two tables", "shuffled"]
"""A row per person; a row per group and value, with the people of the group and the value's count; and, for anatomy,
one table of people with their buckets and one of buckets with their values, or people with values that are shuffled
inside their bucket."""


@dataclass(frozen=True, eq=False, slots=True)
class Sheet:
    """The cells of a file, column by column: texts or whole numbers."""

    columns: Mapping[str, Column | Integers]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def texts(self) -> tuple[Column, ...]:
        """Give the columns that hold labels."""
        return tuple(column for column in self.columns.values() if isinstance(column, Column))


def person_by_person(release: Release, shuffle: Shuffle) -> Sheet:
    """Write a row per person: what is printed about the group, and a value of it; in an order drawn by chance."""
    row, value, count = release.groups.counts.entries()
    order = shuffle(int(count.sum()))
    row, value = np.repeat(row, count)[order], np.repeat(value, count)[order]
    columns = {column.name: column.take(row) for column in release.groups.columns}
    return Sheet({**columns, release.sensitive: _values(release, value)})


def by_counts(release: Release, shuffle: Shuffle, *, people: str, count: str) -> Sheet:
    """Write a row per group and value; a group in which nobody has a value has one row, with a count of 0."""
    groups = release.groups
    row, value, amount = groups.counts.entries()
    bare = np.flatnonzero(groups.counts.per_row() == 0)
    row = np.concatenate((row, bare))
    value = np.concatenate((value, np.full(len(bare), len(groups.domain))))
    amount = np.concatenate((amount, np.zeros(len(bare), np.int64)))
    order = shuffle(len(row))
    row = row[order]
    return Sheet(
        {
            **{column.name: column.take(row) for column in groups.columns},
            people: groups.sizes[row],
            release.sensitive: _values(release, value[order]),
            count: amount[order],
        }
    )


def _values(release: Release, value: Integers) -> Column:
    return Column(release.sensitive, (*release.domain, None), value.astype(np.int32))


def unused(name: str, taken: Collection[str]) -> str:
    """Find a name for a column that no other has, whatever their capitals.

    >>> unused("people", ["age", "sex"]), unused("people", ["People", "people 2"])
    ('people', 'people 3')
    """
    folded = {each.casefold() for each in taken}
    names = (name if number == 1 else f"{name} {number}" for number in range(1, len(folded) + 2))
    return next(each for each in names if each.casefold() not in folded)
