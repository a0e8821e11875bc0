"""Which different rows do some columns have, and how often?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.table.columns import Column, Integers
from sidelight.table.read import counted
from sidelight.table.roles import Roles, as_marks


@dataclass(frozen=True, slots=True)
class _AnyColumns(Roles):
    """Columns of which none is sensitive; the last one is counted in its place."""

    def _check_columns(self) -> None:
        """One column may be both."""


def different_rows(
    source: object, columns: Sequence[str], *, person: str | None = None, missing_marks: str | Sequence[object] = ()
) -> tuple[tuple[Column, ...], Integers]:
    """List the different rows of some columns, and how often each occurs: one GROUP BY where the rows are.

    With `person`, the column that names people, everybody must have one row.

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["2", "1", "2"], "sex": ["f", "f", "f"], "name": ["Ann", "Bea", "Cat"]})
    >>> (zips, sexes), times = different_rows(rows, ["zip", "sex"])
    >>> [zips.cell(row) for row in range(len(zips))], times.tolist()
    (['1', '2'], [1, 2])
    """
    *rest, last = columns
    roles = _AnyColumns(
        quasi=tuple(rest) or (last,),
        sensitive=last,
        person=person,
        missing="a value",
        missing_marks=as_marks(missing_marks),
    )
    table = counted(source, roles)
    row, value, times = table.counts.entries()
    lead = tuple(column.take(row) for column in table.quasi[: len(rest)])
    return (*lead, Column(last, table.domain, value.astype(np.int32))), times
