"""Cells that hold several values: `Flu|Asthma` is a person with two.

A file with a row per person may list all of a person's values in one cell.  Rows are counted by whole cells, one value
per person, as always; then each cell c with parts p(c) is taken apart:

    n(key, v) = Σ_c n(key, c) · (how often v is in p(c); once in a set)      people(key) = Σ_c n(key, c)

so that the engine does what it does for any table, and the work here is one pass over the cells that differ.
`list_separator` notices a column that looks like such lists although nobody said so, `is_written_list` a cell with
brackets and quotes, which cannot be taken apart so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import add_up, number_keys
from sidelight.errors import BadTable, MissingValues, parameter
from sidelight.table.labels import Column, Label, Semantics, in_order
from sidelight.table.table import Counts, Intake, Profiles, Table
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Integers
    from sidelight.table.roles import Roles


def split_cells(table: Table, roles: Roles, separator: str) -> Table:
    """Take the cells of a table with one cell per person apart, as the complete `roles` say.

    A missing cell has no values, nor has an empty list: such people are dropped, or have none.

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
    """The values in each of some cells: those of cell c are `codes[starts[c] : starts[c] + lengths[c]]`."""

    values: tuple[Label, ...]
    lengths: Integers
    codes: Integers

    @classmethod
    def split(cls, cells: Sequence[Label], separator: str, roles: Roles) -> CellLists:
        """Take cells apart; the values are those that occur, in order."""
        parts = [split_cell(cell, separator, roles.values or "set", roles.missing_marks) for cell in cells]
        values = in_order(chain.from_iterable(parts))
        code = {value: number for number, value in enumerate(values)}
        lengths = np.array([len(each) for each in parts], np.int64)
        return cls(tuple(values), lengths, np.array([code[value] for each in parts for value in each], np.int64))

    @property
    def empty(self) -> Flags:
        """The cells that have no values: missing ones, and lists of nothing but missing ones (`|`)."""
        empty: Flags = self.lengths == 0
        return empty

    def declare(self, roles: Roles) -> CellLists:
        """Recode the values to declared ones, if there are some; raise `BadTable` if a value is not declared."""
        (name,) = roles.value_columns
        domain = roles.domain_of(name)
        if domain is None:
            return self
        values = Column(name, self.values, np.arange(len(self.values), dtype=np.int32)).declare(domain)
        return replace(self, values=domain, codes=values.codes.astype(np.int64)[self.codes])

    def split_entries(self, cell: Integers) -> tuple[Integers, Integers]:
        """Take entries with these cells apart: gives, for each value in them, whose entry it is, and the value."""
        # part = 0 … n − 1 within each entry: the position in all values, less where the entry's own begin
        lengths, starts = self.lengths[cell], np.cumsum(self.lengths) - self.lengths
        entry = np.repeat(np.arange(len(cell)), lengths)
        part = np.arange(len(entry)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return entry, self.codes[starts[cell[entry]] + part]

    def count_valueless(self, totals: Integers, roles: Roles, *, weighed: bool) -> int:
        """Count the people whose cell has no values, of how many have each; refused unless the roles speak of it."""
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
    """Return how rows are read whose cells are to be taken apart: each person has one cell, whatever it says."""
    if roles.missing == "a value":
        split, none = parameter("split", roles.split), parameter("missing", "no value")
        raise BadTable(f"{split} takes cells apart, and a missing one has no parts; say {none}")
    return replace(roles, values="single", missing="a value", domain=None, split=None)


def intake_of_lists(intake: Intake, roles: Roles, saying_nothing: int) -> Intake:
    """Return what reading did to the rows, once cells are taken apart."""
    dropped = saying_nothing if roles.missing == "drop" else 0
    return replace(
        intake,
        rows_without_value=dropped,
        rows_saying_no_value=saying_nothing - dropped,
        cell_separator=None,
        roles=roles.choices(),
    )


def no_value_hint(roles: Roles) -> str:
    """Name one more remedy for missing values, where people may have none."""
    return "" if roles.values == "single" else f"{parameter('missing', 'no value')} if such people have none, "


def split_cell(cell: Label, separator: str, semantics: Semantics, missing_marks: Sequence[str] = ()) -> tuple[str, ...]:
    """List the values of a cell, without blanks around them and those that are missing; in a set each once.

    >>> split_cell("Flu | Cold||Flu", "|", "set"), split_cell("Flu|Flu", "|", "multiset"), split_cell(None, "|", "set")
    (('Flu', 'Cold'), ('Flu', 'Flu'), ())
    >>> split_cell("Flu|?", "|", "set", missing_marks=["?"])
    ('Flu',)
    """
    parts = [part.strip() for part in (cell or "").split(separator)]
    present = [part for part in parts if part and part not in missing_marks]
    return tuple(dict.fromkeys(present) if semantics == "set" else present)


def list_separator(cells: Iterable[Label]) -> str | None:
    """Return by what the cells of a column seem to be lists: most parts of lists occur in other cells too.

    >>> list_separator(["Flu|Asthma", "Flu", "Asthma|Ulcer", "Ulcer"])
    '|'
    >>> list_separator(["Heart failure, acute", "Fracture, closed", "Flu"])
    """
    # how many different cells are looked at to notice lists
    texts = [cell for cell in islice(cells, 10_000) if cell is not None]
    # what programs put between the values of a cell; the first that fits is named
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
    """Return whether a cell is a list as programs write it.

    >>> [is_written_list(cell) for cell in ("['Flu', 'Cold']", '{"Flu"}', "[20-30)", None)]
    [True, True, False, False]
    """
    # a list, a set or a tuple of texts, as Python and JSON write them
    written = r"""\[\s*(['"]).*\1\s*,?\s*\]|\{\s*(['"]).*\2\s*\}|\(\s*(['"]).*\3\s*,?\s*\)"""
    return cell is not None and re.fullmatch(written, cell.strip(), re.DOTALL) is not None
