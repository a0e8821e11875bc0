"""Cells that hold several values: `Flu|Asthma` is a person with two.

A file with a row per person may list all of a person's values in one cell.  Rows are counted by whole cells, one value
per person, as always; then each cell c with parts p(c) is taken apart:

    n(key, v) = Σ_c n(key, c) · (how often v is in p(c); once in a set)      people(key) = Σ_c n(key, c)

so that the engine does what it does for any table, and the work here is one pass over the cells that differ.
`list_separator` notices a column that looks like such lists although nobody said so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from sidelight._arrays import Flags
from sidelight.errors import BadTable, parameter
from sidelight.table.counts import Counts, Profiles
from sidelight.table.labels import Label, Semantics, hinted, in_order
from sidelight.table.table import Table

SEPARATORS = "|;,/"
"""What programs put between the values of a cell; the first that fits is named."""

LOOKED_AT = 10_000
"""How many different cells are looked at to notice lists."""


def split_cells(
    table: Table,
    separator: str,
    semantics: Semantics,
    domain: tuple[Label, ...] | None = None,
    missing_marks: Sequence[str] = (),
) -> Table:
    """Take the cells of a table with one cell per person apart; a missing cell has no values, nor has an empty list.

    >>> import pyarrow as pa
    >>> from sidelight.table.read import read_table
    >>> cells = read_table(pa.table({"age": ["30", "30"], "ill": ["Flu|Cold", "Flu"]}), quasi="age", sensitive="ill")
    >>> split = split_cells(cells, "|", "set")
    >>> split.domain, split.counts.dense().tolist(), split.people
    (('Cold', 'Flu'), [[1, 2]], 2)
    """
    parts = [parts_of(cell, separator, semantics, missing_marks) for cell in table.domain]
    occurring = in_order(chain.from_iterable(parts))
    values = occurring if domain is None else _declared(domain, occurring, table.sensitive)
    code = {value: number for number, value in enumerate(values)}
    lengths = np.array([len(each) for each in parts], np.int64)
    codes = np.array([code[value] for each in parts for value in each], np.int64)
    starts = np.cumsum(lengths) - lengths
    row, cell, count = table.counts.entries()
    # entry e becomes lengths[cell[e]] entries; the i-th of them is part i of its cell
    entry = np.repeat(np.arange(len(row)), lengths[cell])
    part = np.arange(len(entry)) - np.repeat(np.cumsum(lengths[cell]) - lengths[cell], lengths[cell])
    value = codes[starts[cell[entry]] + part]
    counts = Counts.from_entries(row[entry], value, count[entry], (table.counts.rows, len(values)))
    once = Counts.from_entries(entry, value, np.ones(len(entry), np.int64), (len(row), len(values)))
    profiles = Profiles(row, count, once)
    return replace(table, domain=values, counts=counts, semantics=semantics, read_profiles=lambda _table: profiles)


def without_values(table: Table, separator: str, missing_marks: Sequence[str] = ()) -> Flags:
    """Say which cells of a table's domain have no values: missing ones, and lists of nothing but missing ones (`|`)."""
    return np.array([not parts_of(cell, separator, "set", missing_marks) for cell in table.domain], bool)


def with_cells(table: Table, kept: Flags) -> Table:
    """Keep the people whose cell is one of these, in a table with one cell per person."""
    cells = np.flatnonzero(kept)
    counts = table.counts.only_values(cells)
    keys = np.flatnonzero(counts.per_row())
    return replace(
        table,
        quasi=tuple(column.take(keys).compact() for column in table.quasi),
        domain=tuple(table.domain[cell] for cell in cells.tolist()),
        sizes=counts.per_row()[keys],
        counts=counts.take(keys),
    )


def parts_of(cell: Label, separator: str, semantics: Semantics, missing_marks: Sequence[str] = ()) -> tuple[str, ...]:
    """List the values of a cell, without blanks around them and those that are missing; in a set each once.

    >>> parts_of("Flu | Cold||Flu", "|", "set"), parts_of("Flu|Flu", "|", "multiset"), parts_of(None, "|", "set")
    (('Flu', 'Cold'), ('Flu', 'Flu'), ())
    >>> parts_of("Flu|?", "|", "set", missing_marks=["?"])
    ('Flu',)
    """
    parts = [part.strip() for part in (cell or "").split(separator)]
    present = [part for part in parts if part and part not in missing_marks]
    return tuple(dict.fromkeys(present) if semantics == "set" else present)


def _declared(domain: tuple[Label, ...], occurring: Sequence[Label], sensitive: str) -> tuple[Label, ...]:
    unknown = [value for value in occurring if value not in domain]
    if unknown:
        message = f"'{hinted(unknown[0])}' occurs in '{sensitive}' but is not in {parameter('domain')}; add it there"
        raise BadTable(message)
    return domain


def list_separator(cells: Iterable[Label]) -> str | None:
    """Say by what the cells of a column seem to be lists: most parts of lists occur in other cells too.

    >>> list_separator(["Flu|Asthma", "Flu", "Asthma|Ulcer", "Ulcer"])
    '|'
    >>> list_separator(["Heart failure, acute", "Fracture, closed", "Flu"])
    """
    texts = [cell for cell in islice(cells, LOOKED_AT) if cell is not None]
    for separator in SEPARATORS:
        lists = [parts_of(text, separator, "set") for text in texts]
        long = [parts for parts in lists if len(parts) > 1]
        if len(long) < 2:
            continue
        times = Counter(chain.from_iterable(lists))
        parts = {*chain.from_iterable(long)}
        if 2 * sum(times[part] > 1 for part in parts) > len(parts):
            return separator
    return None
