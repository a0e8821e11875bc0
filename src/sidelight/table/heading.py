"""Does a source begin with the names of its columns, or with somebody's row?

Messages tell which columns there are and offer the nearest one, but a file without a line of names begins with a
person's row, and nobody may be shown that: names are told only where they are some for sure, else their number.

    for sure a row?     two names are equal, one is empty, a number, a date or a mark, holds the end of a line, or a
                        row below says in that column what the column is called
    for sure names?     nothing of that, all rows have as many cells, and: somebody asked for one of them; or one is
                        numbers all the way down and not in its name; or two are called as columns are and cells are not
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import did_you_mean
from sidelight.table.column_names import is_called_as_columns_are
from sidelight.table.labels import as_number
from sidelight.text import counted

if TYPE_CHECKING:
    import pyarrow as pa

NO_NAMES = (
    "seems to have no line of column names: its first line looks like somebody's row and is not shown; "
    "give it a line of column names"
)

# What cells say among numbers where there is none; a column of numbers is not called so
SAYING_NOTHING = frozenset(
    {"", "?", "-", ".", "*", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "unknown", "inf"}
)


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above the columns of a source: their names or, by mistake, somebody's row."""

    names: tuple[str, ...]
    rows: Callable[[], Sequence[Sequence[str]]] | None = None  # reads some rows below; None: names in any case
    numbers: Collection[str] = ()  # the columns that are no texts by their type

    @classmethod
    def of_schema(cls, schema: pa.Schema) -> Heading:
        """Return the columns of an Arrow table, of which those of numbers, days and truths are no texts."""
        import pyarrow as pa  # noqa: PLC0415 - only where tables are read

        # strings and binaries are not primitive in Arrow, and neither are dictionaries of texts
        return cls(tuple(schema.names), numbers=[each.name for each in schema if pa.types.is_primitive(each.type)])

    def is_row(self) -> bool:
        """Return whether the names could be a person's cells.

        Names are different and begin with a letter (the first may be empty: pandas writes its index so), and no row
        says in a column what the column is called.

        >>> Heading(("age", "sex", "disease")).is_row(), Heading(("34", "f", "Flu")).is_row()
        (False, True)
        >>> Heading(("Ann", "f", "Flu"), lambda: [["Bea", "f", "Cold"]]).is_row()
        True
        """
        return self._is_row_beside(self._below())

    def is_sure(self, meant: Iterable[str] = ()) -> bool:
        """Return whether these are the names of columns for sure, so that they may be shown; `meant` were asked for.

        >>> Heading(("Smith", "Ann", "Flu"), lambda: [["Jones", "Bea", "Cold"]]).is_sure()
        False
        >>> Heading(("grp", "bmi"), lambda: [["a", "21.5"]] * 9).is_sure(), Heading(("zip", "sex", "x")).is_sure()
        (True, True)
        >>> Heading(("Ann", "f"), lambda: [["Bea", "21", "f"]] * 9).is_sure()
        False
        """
        names = self.names
        if any(map(_holds_line_end, names)):
            return False
        if any(name in names for name in meant):
            # the caller named one of these columns, so this is a line of names, unless rows have run into it
            if self.rows is None or not self._is_row_beside(()):
                return True
            # a line of names may go on into rows, its end being lost: no row has as many cells
            filled = [row for row in self._below() if any(row)]
            return bool(filled) and all(len(row) == len(names) for row in filled)
        below = self._below()
        if self._is_row_beside(below) or any(len(row) != len(names) for row in below if any(row)):
            return False  # also where rows have other columns than the first line: it may be part of one
        if sum(map(is_called_as_columns_are, names)) >= min(2, len(names)):
            return True
        return any(self._is_number_below(at, below) for at in range(len(names)))

    def name_nearest(self, name: str, meant: Iterable[str] = ()) -> str:
        """End a sentence about a column that is not there: the nearest one, all of them, or how many there are.

        >>> Heading(("zip", "sex")).name_nearest("zipcode")
        "; did you mean 'zip'?"
        >>> Heading(("Smith", "Ann"), lambda: [["Jones", "Bea"]]).name_nearest("city").partition(";")[0]
        ', which has 2 columns'
        """
        if self.is_sure(meant):
            return did_you_mean(name, self.names)
        row = not any(each in self.names for each in meant) and self.is_row()
        return f", which {NO_NAMES}" if row else f", which has {self.count_in_words()}"

    def count_in_words(self) -> str:
        """Return how many columns there are, without names, and what to do if the first line holds no names.

        >>> Heading(("Smith", "Ann")).count_in_words()
        "2 columns; its first line may be somebody's row and is not shown: if it is, give it a line of column names"
        """
        remedy = "its first line may be somebody's row and is not shown: if it is, give it a line of column names"
        return f"{counted(len(self.names), 'column')}; {remedy}"

    def _below(self) -> Sequence[Sequence[str]]:
        return () if self.rows is None else self.rows()

    def _is_row_beside(self, below: Sequence[Sequence[str]]) -> bool:

        def is_cell(name: str) -> bool:
            # a number, a date, a mark such as `*`, empty, or several lines
            return re.match(r"[\W_]*(\d|$)", name) is not None or _holds_line_end(name)

        names = self.names
        # pandas writes its index below an empty first name, which says nothing about the others
        if len({*names}) < len(names) or any(map(is_cell, names[1:] if names[:1] == ("",) else names)):
            return True
        return any(name == cell for row in below for name, cell in zip(names, row, strict=False))

    def _is_number_below(self, at: int, below: Sequence[Sequence[str]]) -> bool:
        """Return whether a column is numbers all the way down, and its name is none, nor a mark that stands for one."""
        name = self.names[at].strip().casefold()
        if name in SAYING_NOTHING or not re.fullmatch(r"[^\W\d][^\d]*", name):
            return False
        if self.names[at] in self.numbers:
            return True
        cells = [row[at].strip() for row in below if at < len(row) and row[at].strip().casefold() not in SAYING_NOTHING]
        # letters above numbers only are a name; in a column of texts, the first line could be one more cell
        return len(cells) >= 5 and all(as_number(cell) is not None for cell in cells)


def _holds_line_end(name: str) -> bool:
    r"""Return whether lines end within a name, by any sign for it that some program writes, also spelt out as `\n`."""
    return name.splitlines() not in ([], [name]) or re.search(r"\\[nr]", name) is not None
