"""Count rows by quasi-identifiers and sensitive value, in the engine that holds them."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from sidelight._text import counted, form
from sidelight.errors import BadTable, MissingValues
from sidelight.table.answers import as_integers, collected
from sidelight.table.columns import Column, Integers
from sidelight.table.counts import Counts
from sidelight.table.labels import SUPPRESSED, Label, hinted
from sidelight.table.packed_keys import Packing, Words, changes, in_order_of
from sidelight.table.people import check_people, people_per_cell, places_of_people
from sidelight.table.roles import Roles
from sidelight.table.source import Rows
from sidelight.table.table import Intake, Table


@dataclass(frozen=True, slots=True)
class Tally:
    """What the engine counted: per packed row how often it counts (`counts`) and how many raw rows it is."""

    packing: Packing
    words: Words
    counts: Integers
    rows: Integers

    def value(self) -> Integers:
        """Give the code of each row's sensitive value."""
        return self.packing.values(self.words, self.packing.cells(self.words))

    def without(self, which: npt.NDArray[np.bool_]) -> Tally:
        """Leave some rows out."""
        if not which.any():
            return self
        kept = ~which
        return Tally(self.packing, [word[kept] for word in self.words], self.counts[kept], self.rows[kept])


def tabulate(rows: Rows, roles: Roles) -> Table:
    """Count everything, set aside what the roles say, and put the table together."""
    every = _tally(rows, roles)
    total = int(every.rows.sum())
    if rows.source.rows not in {None, total}:  # rows with cells that the first pass did not see would be lost
        message = f"{rows.source.name} changed while it was read; read it again when nobody writes to it"
        raise BadTable(message)
    if total == 0:
        message = f"{rows.source.name} has no rows; give at least one person"
        raise BadTable(message)
    present = every.without(_suppressed(every, roles))
    rest = present.without(_valueless(present, roles))
    if len(rest.counts) == 0:
        message = "no rows are left after leaving out the suppressed ones and those without a sensitive value"
        raise BadTable(message)
    intake = Intake(
        rows=total,
        columns_dropped=rows.source.dropped,
        rows_suppressed=total - int(present.rows.sum()),
        rows_without_value=int(present.rows.sum() - rest.rows.sum()),
        repeats=int(rest.rows.sum() - rest.counts.sum()),
        files=rows.source.files,
        roles=roles.choices(),
    )
    return _table(rest, rows, roles, intake)


def _tally(rows: Rows, roles: Roles) -> Tally:
    if roles.values == "set":  # a person's repeated value counts once
        once = rows.frame.group_by("person", *rows.key).agg(nw.len().alias("times"))
        query = once.group_by(*rows.key).agg(nw.len().alias("counts"), nw.col("times").sum().alias("rows"))
        query = query.with_columns(nw.col("rows").cast(nw.Int64))  # sums of whole numbers are wider in DuckDB
    else:
        query = rows.frame.group_by(*rows.key).agg(nw.len().alias("counts"))
    answer = collected(query)
    packing = rows.packing(answer)
    counts = as_integers(answer.column("counts"))
    raw = as_integers(answer.column("rows")) if roles.values == "set" else counts
    return Tally(packing, rows.words(answer, packing, rows.key), counts, raw)


def _suppressed(tally: Tally, roles: Roles) -> npt.NDArray[np.bool_]:
    star = tally.packing.cell_of(SUPPRESSED)
    if roles.suppressed == "a group" or star is None:
        return np.zeros(len(tally.counts), bool)
    cells = tally.packing.cells(tally.words)
    same: npt.NDArray[np.bool_] = np.logical_and.reduce(
        [word == number for word, number in zip(cells, star, strict=True)]
    )
    return same


def _valueless(tally: Tally, roles: Roles) -> npt.NDArray[np.bool_]:
    domain = tally.packing.labels[-1]
    if roles.missing == "a value" or None not in domain:
        return np.zeros(len(tally.counts), bool)
    valueless: npt.NDArray[np.bool_] = tally.value() == domain.index(None)
    if roles.missing == "an error" and valueless.any():
        without, rows = int(tally.rows[valueless].sum()), int(tally.rows.sum())
        message = (
            f"{without:,} of {counted(rows, 'row')} {form('has', without)} no '{roles.sensitive}'; "
            'say missing="a value" to count that as a value, or missing="drop" to drop the rows'
        )
        raise MissingValues(message)
    return valueless


def _table(tally: Tally, rows: Rows, roles: Roles, intake: Intake) -> Table:
    packing = tally.packing
    words, counts = in_order_of(tally.words, tally.counts)
    cells = packing.cells(words)
    first = changes(cells)
    distinct = [word[first] for word in cells]
    quasi = tuple(
        Column(name, labels, codes).compact()
        for name, labels, codes in zip(roles.quasi, packing.labels, packing.cell_codes(distinct), strict=False)
    )
    domain, values = _domain(packing.labels[-1], packing.values(words, cells), roles)
    matrix = Counts.from_sorted(np.cumsum(first) - 1, values, counts, (len(distinct[0]), len(domain)))
    if roles.person is not None:
        check_people(rows, roles)
    sizes = matrix.per_row() if roles.values == "single" else people_per_cell(rows, packing)
    sizes.flags.writeable = False
    names = places_of_people(rows, packing, roles) if roles.keep_people else None
    return Table(quasi, roles.sensitive, domain, sizes, matrix, roles.values, intake, names)


def _domain(labels: tuple[Label, ...], values: Integers, roles: Roles) -> tuple[tuple[Label, ...], Integers]:
    if roles.domain is None:
        column = Column(roles.sensitive, labels, values.astype(np.int32)).compact()
        return column.labels, column.codes.astype(np.int64)
    beyond = int(values.max())
    if beyond >= len(roles.domain):
        message = f"'{hinted(labels[beyond])}' occurs in '{roles.sensitive}' but is not in domain=; add it there"
        raise BadTable(message)
    return roles.domain, values
