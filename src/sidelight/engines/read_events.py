"""Read rows about people who may have several (`Events`), whatever the rows hold.

One GROUP BY of person, key and value where the rows are; people are numbered.  What `read_table` refuses (no people,
people in several groups, rows without a person) is no error here: an error would disclose something about the data that
noise is to hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from sidelight.engines.files import rows_of
from sidelight.engines.source import number_cells, numpy_integers
from sidelight.engines.tally import RowCounts, build_intake, counted_rows, find_valueless, refuse_valueless
from sidelight.errors import BadTable, listed
from sidelight.table.cell_lists import CellLists, whole_cells
from sidelight.table.labels import Column, Semantics
from sidelight.table.roles import Missing, Roles
from sidelight.table.table import Events

if TYPE_CHECKING:
    from sidelight.table.hierarchy import Hierarchy


def read_events(
    source: object,
    *,
    quasi: str | Sequence[str],
    sensitive: str,
    person: str,
    values: Semantics = "single",
    missing: Missing | None = None,
    missing_marks: str | Sequence[object] = (),
    split: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Events:
    """Read rows about people who may have several, to be counted with noise and for nothing else.

    No rows make it fail: there may be none, and people may be in several groups.

    Args:
        source: files or a dataframe, as in `read_table`.
        quasi: the columns to count by.
        sensitive: the column whose values are counted.
        person: the column that identifies the person of each row; rows without one are left out.  "each row"
            declares, unchecked, that every row is another person.
        values: "single" (rows are counted), "set" (a person counts once in a cell) or "multiset".
        missing: what a missing sensitive value is: "a value", which the domain lists or which is outside of it; "drop",
            "no value" or "an error", as in `read_table`.  Default: "a value"; of lists in cells, "no value".
        split: the separator of values in cells that hold several; a row is then a person.
        missing_marks: texts that mean missing, such as "?".
        encoding: the encoding of text files; default: UTF-8.
        sheet: the sheet of a spreadsheet; default: the only one that is not empty.

    >>> import pyarrow as pa
    >>> visits = pa.table({"patient": [1, 1, 2], "ward": ["A", "B", "B"], "disease": ["Flu", "Flu", None]})
    >>> read_events(visits, quasi="ward", sensitive="disease", person="patient")
    <Events: 3 rows about people: ward → disease>
    """
    return events_from(source, Roles.from_keywords(locals()))


def events_from(source: object, roles: Roles) -> Events:
    """Read rows about people by roles; the declared domain is ignored, as an undeclared value is no error here."""
    if len(roles.value_columns) > 1:
        raise BadTable(f"events are about one sensitive column; pick one of {listed(roles.value_columns)}")
    missing = roles.missing or ("a value" if roles.split is None else "no value")
    plain = replace(roles, suppressed=None, domain=None, keep=(), weight=None, kinds=(), missing=missing).complete()
    if plain.split is None:
        return _events(source, plain)
    # a cell counts as one value here, also where it says nothing, unless its row is dropped or refused
    cells = _events(source, replace(whole_cells(plain), missing="a value" if missing == "no value" else missing))
    # each person's cell is taken apart, as `split_cells` does for tables
    lists = CellLists.split(cells.domain, plain.split, plain)
    entry, value = lists.split_entries(cells.value)
    return replace(
        cells,
        quasi=tuple(column.take(entry) for column in cells.quasi),
        domain=lists.values,
        person=cells.person[entry],
        value=value,
        times=np.ones(len(entry), np.int64),
        semantics=plain.values or "set",
        intake=replace(cells.intake, roles=plain.choices()),
    )


def _events(source: object, roles: Roles) -> Events:
    with rows_of(source, roles) as rows:
        who = () if roles.person_column is None else ("person",)
        answer = counted_rows(rows, (*who, *rows.key_and_value), nameless=True)
        total = int(numpy_integers(answer.column("rows")).sum())
        if who:
            answer = answer.filter(pc.is_valid(answer.column("person")))
        packing = rows.packing(answer)
        words = rows.words(answer, packing, rows.key_and_value)
        times = numpy_integers(answer.column("rows"))
        person = number_cells(answer.column("person")) if who else np.arange(len(times))
        tally = RowCounts(packing, words, times, times)
        gaps = find_valueless(tally, roles)
        if roles.missing == "an error":
            refuse_valueless({name: int(times[gap].sum()) for name, gap in gaps.items()}, int(times.sum()), roles)
        without = next(iter(gaps.values()), np.zeros(len(times), bool))  # there is one sensitive column
        rest = tally.leave_out(without)
        keys = packing.keys(rest.words)
        coded = zip(roles.quasi, packing.labels, packing.key_codes(keys), strict=False)
        quasi = tuple(Column(name, labels, codes) for name, labels, codes in coded)
    kept, dropped = person[~without], int(times[without].sum())
    return Events(
        quasi,
        roles.value_columns[0],
        packing.labels[-1],
        kept if who else np.arange(len(kept)),
        packing.values(rest.words, keys),
        rest.counts if who else np.ones(len(kept), np.int64),
        np.ones(int(person.max(initial=-1)) + 1, np.int64) if who else rest.counts,
        roles.values or "single",
        build_intake(rows, roles, total, valueless=dropped, rows_without_person=total - int(times.sum())),
    )


def events_at_level(events: Events, hierarchy: Hierarchy, level: int) -> Events:
    """Replace sensitive values by their labels at a level of their hierarchy; values that it does not list stay."""
    hierarchy.level(level)
    coarse = (hierarchy.generalise(each, level) if hierarchy.has(each) else each for each in events.domain)
    roles = {**events.intake.roles, "sensitive_level": level}
    return replace(events, domain=tuple(coarse), intake=replace(events.intake, roles=roles))
