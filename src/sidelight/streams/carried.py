"""Columns that are carried along: published as they are, beside what was protected.

A ward, a survey wave, a sampling weight: columns that nobody judges and a researcher needs.  They are no part of the
table's keys, so that searches and measures do not see them; a table remembers, for each key and value, what the people
there say in them, and a release with a row per person prints it.  Whoever knows them can tell people of a group apart:
how many they single out is counted (`alone`), and told wherever the release is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sidelight.arrays import Integers, add_up, number_rows
from sidelight.errors import BadTable, parameter
from sidelight.rounding import fraction_in
from sidelight.table.labels import Column, as_number, number_equal_rows
from sidelight.table.table import CarriedColumns, Table


def carry(finer: Table, columns: int) -> Table:
    """Take the last columns of a table out of its keys, and let it remember them beside its values.

    >>> import pyarrow as pa
    >>> from sidelight.engines.read import read_table
    >>> rows = pa.table({"age": ["30", "30"], "ward": ["A", "B"], "ill": ["Flu", "Flu"]})
    >>> table = carry(read_table(rows, quasi=["age", "ward"], sensitive="ill"), 1)
    >>> len(table.sizes), [table.carried.columns[0].cell(row) for row in (0, 1)]
    (1, ['A', 'B'])
    """
    # not [-columns:], which for no columns would be all of them
    kept, quasi = finer.quasi[len(finer.quasi) - columns :], finer.quasi[: len(finer.quasi) - columns]
    key, first = number_equal_rows(quasi, len(finer.sizes))
    # (entries,) each: an entry is a finer key and a value, which is as much as a carried cell can depend on
    row, value, count = finer.counts.entries()
    return replace(
        finer,
        quasi=tuple(column.take(first) for column in quasi),
        sizes=add_up(key, finer.sizes, len(first)),
        counts=finer.counts.roll_up(key, groups=len(first)),
        # `key[row]` maps entries from the finer keys to those that stay
        carried=CarriedColumns(tuple(column.take(row) for column in kept), key[row], value, count),
    )


def count_unique(carried: CarriedColumns, group: Integers, columns: Sequence[str] | None = None) -> int:
    """Count the people who are alone in their group with what they say in some of the columns (default: in all).

    `group` is that of each entry; −1 is nobody whose cells are printed.
    """
    there = np.flatnonzero(group >= 0)
    named = [column for column in carried.columns if columns is None or column.name in columns]
    # people are unique where group and cells together occur for a single person
    codes = [group[there], *(column.codes[there].astype(np.int64) for column in named)]
    sizes = [int(group.max(initial=0)) + 1, *(len(column.labels) for column in named)]
    number, first = number_rows(codes, sizes, rows=len(there))
    people = add_up(number, carried.count[there], len(first))
    return int((people == 1).sum())


WEIGHT_UNIT = 10**6
"""Weights are added up in millionths, so that sums are the same in any order; what is below is cut off."""

HEAVIEST = 10**12
"""So many people nobody stands for, nor do all together: more than ever lived."""


def refuse_too_heavy(name: str, people: float) -> None:
    """Refuse weights that stand for too many people together."""
    if people > HEAVIEST:
        message = f"the weights in '{name}' add up to more people than ever lived; give how many each stands for"
        raise BadTable(message)


def weights(column: Column, people: Integers) -> Integers:
    """Return what `people` with each entry's weight weigh, in `WEIGHT_UNIT`s; weights are numbers of at least 0.

    >>> weights(Column.of("weight", ["1.5", "20", "1.5"]), np.array([1, 1, 2])).tolist()
    [1500000, 20000000, 3000000]
    """
    column = column.compact()
    numbers = [as_number(text) for text in column.labels]
    written = [None if text is None else fraction_in(text.strip()) for text in column.labels]
    if any(number is None or number < 0 for number in (*numbers, *written)):
        message = (
            f"{parameter('weight')} is '{column.name}', where cells are missing, negative or no numbers; "
            "give everybody a number of at least 0"
        )
        raise BadTable(message)
    with np.errstate(over="ignore"):  # infinitely many are refused, too
        refuse_too_heavy(column.name, float(np.array(numbers, float)[column.codes] @ people))
    # by fractions, not floats: 1.001 · 10⁶ as a float would be cut off to 1,000,999
    units = [int(number * WEIGHT_UNIT) for number in written if number is not None]
    return np.array(units, np.int64)[column.codes] * people
