"""Which columns single people out most?  How many fewer would stand alone, were one column not published.

Q are the columns, alone(S) the people whose cells in S nobody else has.  Of a column c

    fewer(c) = alone(Q) − alone(Q ∖ {c}) ≥ 0,

as groups only merge when a column goes.  It takes |Q| roll-ups of the groups; columns that single out the same people
may each have 0, as the others do it too: then there is no worst one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sidelight.arrays import Integers, add_up
from sidelight.table.labels import Column, number_equal_rows


@dataclass(frozen=True, slots=True)
class ColumnWithout:
    """A column, and how many fewer people are unique where it is not published."""

    column: str
    fewer: int


def people_alone(sizes: Integers) -> int:
    """Count the people in groups of one."""
    return int((sizes == 1).sum())


def worst_columns(columns: Sequence[Column], sizes: Integers, *, most: int = 3) -> tuple[ColumnWithout, ...]:
    """Return the columns without which fewest people would be unique, worst first; none that changes nothing.

    `columns` say what the people of each group look like, `sizes` how many they are.  Where two groups look
    alike, people are told apart by something else than columns, and there is no worst one.

    >>> import numpy as np
    >>> worst_columns([Column.of("age", ["1", "2", "3"]), Column.of("sex", ["f", "f", "m"])], np.array([1, 1, 5]))
    (ColumnWithout(column='age', fewer=2),)
    """
    _, first = number_equal_rows(tuple(columns), len(sizes))
    # groups that print the same are told apart by something else: no column is to blame
    if len(first) < len(sizes):
        return ()
    alone = people_alone(sizes)
    without = [
        ColumnWithout(column.name, alone - _count_unique_without(place, columns, sizes))
        for place, column in enumerate(columns)
    ]
    ranked = sorted((each for each in without if each.fewer), key=lambda each: -each.fewer)
    return tuple(ranked[:most])


def _count_unique_without(place: int, columns: Sequence[Column], sizes: Integers) -> int:
    others = tuple(column for other, column in enumerate(columns) if other != place)
    group, first = number_equal_rows(others, len(sizes))
    # groups that only the column told apart become one, with their people added up
    return people_alone(add_up(group, sizes, len(first)))
