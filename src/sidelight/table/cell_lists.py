"""Cells that hold several values: `Flu|Asthma` is a person with two.

A file with a row per person may list all of a person's values in one cell.  Rows are counted by whole cells, one per
person; then each cell c with parts p(c) is split:

    n(key, v) = Σ_c n(key, c) · (how often v is in p(c); once in a set)      people(key) = Σ_c n(key, c)

so that the engine counts as for any table, and the work here is one pass over the distinct cells.  `list_separator`
recognises a column of such lists that was not declared, `is_written_list` a cell with brackets and quotes, which cannot
be split so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Flags, Integers, add_up, number_keys
from sidelight.errors import BadTable, MissingValues, parameter
from sidelight.table.labels import Column, Label, Semantics, in_order
from sidelight.table.table import Counts, Intake, Profiles, Table
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.table.roles import Roles


def split_cells(table: Table, roles: Roles, separator: str) -> Table:
    """Split the cells of a table with one cell per person, by complete `roles`.

    A missing cell and an empty list have no values: such people are dropped, or have none.

    >>> import pyarrow as pa
    >>> from sidelight.engines.read import read_table
    >>> rows = pa.table({"age": ["30", "30"], "ill": ["Flu|Cold", "Flu"]})
    >>> split = read_table(rows, quasi="age", sensitive="ill", values="set", split="|")
    >>> split.domain, split.counts.dense().tolist(), split.people
    (('Cold', 'Flu'), [[1, 2]], 2)
    """
    lists = CellLists.split(table.domain, separator, roles)
    valueless = lists.count_valueless(table.counts.totals(), roles, weighed=table.weights is not None)
    lists = lists.declare(roles)
    # row, cell, count: (entries,), of those who are not dropped
    row, cell, count = table.counts.entries()
    if valueless and roles.missing == "drop":
        row, cell, count = (each[~lists.empty[cell]] for each in (row, cell, count))
    # a key without people must go: a table has no key without people
    key, first = number_keys(row, below=len(table.sizes))
    entry, value = lists.split_entries(cell)
    # people of one key with one cell have the same values, so an entry of the table is a profile
    ones = np.ones(len(entry), np.int64)
    profiles = Profiles(key, count, Counts.from_entries(entry, value, ones, (len(row), len(lists.values))))
    return replace(
        table,
        quasi=tuple(column.take(row[first]).compact() for column in table.quasi),
        domain=lists.values,
        sizes=add_up(key, count, len(first)),
        counts=profiles.count(len(first)),
        semantics=roles.values or "set",
        intake=intake_of_lists(table.intake, roles, valueless),
        read_profiles=lambda _table: profiles,
    )


@dataclass(frozen=True, eq=False)
class CellLists:
    """The values of some cells: those of cell c are `codes[starts[c] : starts[c] + lengths[c]]`."""

    values: tuple[Label, ...]
    lengths: Integers
    codes: Integers

    @classmethod
    def split(cls, cells: Sequence[Label], separator: str, roles: Roles) -> CellLists:
        """Split cells; the values are those that occur, in order."""
        lists = [split_cell(cell, separator, roles.values or "set", roles.missing_marks) for cell in cells]
        values = in_order(chain.from_iterable(lists))
        code = {value: number for number, value in enumerate(values)}
        codes = np.array([code[value] for value in chain.from_iterable(lists)], np.int64)
        return cls(tuple(values), np.array([*map(len, lists)], np.int64), codes)

    @property
    def empty(self) -> Flags:
        """The cells without values: missing ones, and lists of missing values only (`|`)."""
        empty: Flags = self.lengths == 0
        return empty

    def declare(self, roles: Roles) -> CellLists:
        """Recode the values to the declared domain, if there is one; raise `BadTable` if a value is not in it."""
        (name,) = roles.value_columns
        domain = roles.domain_of(name)
        if domain is None:
            return self
        values = Column(name, self.values, np.arange(len(self.values), dtype=np.int32)).declare(domain)
        return replace(self, values=domain, codes=values.codes.astype(np.int64)[self.codes])

    def split_entries(self, cell: Integers) -> tuple[Integers, Integers]:
        """Split entries with these cells; return, for each value in them, the index of its entry, and the value."""
        # part = 0 … n − 1 within each entry: the position in all values, less where the entry's own begin
        lengths, starts = self.lengths[cell], np.cumsum(self.lengths) - self.lengths
        entry = np.repeat(np.arange(len(cell)), lengths)
        part = np.arange(len(entry)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return entry, self.codes[starts[cell[entry]] + part]

    def count_valueless(self, totals: Integers, roles: Roles, *, weighed: bool) -> int:
        """Count the people whose cell has no values, by the `totals` of cells; raise unless the roles explain them."""
        rows = int(totals[self.empty].sum())
        if rows and roles.missing == "an error":
            raise MissingValues(
                f"{rows:,} of {counted(int(totals.sum()), 'row')} {form('has', rows)} no '{roles.sensitive}'; "
                f"say {no_value_hint(roles)}or {parameter('missing', 'drop')} to drop the rows"
            )
        if self.empty.all():
            raise BadTable("no rows are left after leaving out those without a sensitive value")
        # weights are known by key only, so those of the dropped people could not be taken away
        if rows and roles.missing == "drop" and weighed:
            drop, none = parameter("missing", "drop"), parameter("missing", "no value")
            raise BadTable(f"{parameter('weight')} does not go with cells that are lists and {drop}; say {none}")
        return rows


def whole_cells(roles: Roles) -> Roles:
    """Return the roles for reading rows whose cells are split later: each person has one cell, any text."""
    if roles.missing == "a value":
        split, none = parameter("split", roles.split), parameter("missing", "no value")
        raise BadTable(f"{split} takes cells apart, and a missing one has no parts; say {none}")
    return replace(roles, values="single", missing="a value", domain=None, split=None)


def intake_of_lists(intake: Intake, roles: Roles, valueless: int) -> Intake:
    """Return the intake after splitting cells, `valueless` of which had no values."""
    dropped = valueless if roles.missing == "drop" else 0
    return replace(
        intake,
        rows_without_value=dropped,
        rows_saying_no_value=valueless - dropped,
        cell_separator=None,
        roles=roles.choices(),
    )


def no_value_hint(roles: Roles) -> str:
    """Return one more remedy for missing values, if people may have none."""
    return "" if roles.values == "single" else f"{parameter('missing', 'no value')} if such people have none, "


def split_cell(cell: Label, separator: str, semantics: Semantics, missing_marks: Sequence[str] = ()) -> tuple[str, ...]:
    """Split a cell into its values, without blanks around them and missing ones; in a set each once.

    >>> split_cell("Flu | Cold||Flu", "|", "set"), split_cell("Flu|Flu", "|", "multiset"), split_cell(None, "|", "set")
    (('Flu', 'Cold'), ('Flu', 'Flu'), ())
    >>> split_cell("Flu|?", "|", "set", missing_marks=["?"])
    ('Flu',)
    """
    parts = [part.strip() for part in (cell or "").split(separator)]
    present = [part for part in parts if part and part not in missing_marks]
    return tuple(dict.fromkeys(present) if semantics == "set" else present)


def list_separator(cells: Iterable[Label]) -> str | None:
    """Return the separator of a column whose cells seem to be lists: most values of lists occur in other cells too.

    >>> list_separator(["Flu|Asthma", "Flu", "Asthma|Ulcer", "Ulcer"])
    '|'
    >>> list_separator(["Heart failure, acute", "Fracture, closed", "Flu"])
    """
    texts = [cell for cell in islice(cells, 10_000) if cell is not None]
    # the separators of programs; the first that fits is returned
    for separator in "|;,/":
        lists = [split_cell(text, separator, "set") for text in texts]
        long = [parts for parts in lists if len(parts) > 1]
        if len(long) < 2:
            continue
        times = Counter(chain.from_iterable(lists))
        parts = {*chain.from_iterable(long)}
        # a real separator yields values that repeat across cells; a comma in prose yields parts that occur once
        if 2 * sum(times[part] > 1 for part in parts) > len(parts):
            return separator
    return None


def is_written_list(cell: Label) -> bool:
    """Return whether a cell is a list in the syntax of a program.

    >>> [is_written_list(cell) for cell in ("['Flu', 'Cold']", '{"Flu"}', "[20-30)", None)]
    [True, True, False, False]
    """
    # a list, a set or a tuple of texts in Python or JSON
    written = r"""\[\s*(['"]).*\1\s*,?\s*\]|\{\s*(['"]).*\2\s*\}|\(\s*(['"]).*\3\s*,?\s*\)"""
    return cell is not None and re.fullmatch(written, cell.strip(), re.DOTALL) is not None
