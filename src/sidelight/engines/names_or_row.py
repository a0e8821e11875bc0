"""Does a source begin with the names of its columns, or with somebody's row?

Messages tell which columns there are and offer the nearest one.  A file without a line of names begins with a person's
row, and nobody may be shown that: names are told only where they are some for sure (`surely_names`), else their number.

    for sure a row?     two names are equal, one is empty, a number, a date or a mark, holds the end of a line, or a
                        row below says in that column what the column is called
    for sure names?     nothing of that, all rows have as many cells, and: somebody asked for one of them; or one is
                        numbers all the way down and not in its name; or two are called as columns are and cells are not
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from sidelight.errors import BadTable, UnknownColumn, did_you_mean
from sidelight.table.labels import as_number
from sidelight.table.roles import EACH_ROW, Roles, first_repeated, is_called_as_columns_are
from sidelight.text import counted

NO_NAMES = (
    "seems to have no line of column names: its first line looks like somebody's row and is not shown; "
    "give it a line of column names"
)

# What cells say among numbers where there is none; a column of numbers is not called so
SAYING_NOTHING = frozenset(
    {"", "?", "-", ".", "*", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "unknown", "inf"}
)


def looks_like_a_row(names: Sequence[object], rows: Iterable[Sequence[str]] = ()) -> bool:
    """Return whether names of columns could be a person's cells; `rows` are some of those below them.

    Names are different and begin with a letter (the first may be empty: pandas writes its index so), and no row
    says in a column what the column is called.

    >>> looks_like_a_row(["age", "sex", "disease"]), looks_like_a_row(["34", "f", "Flu"])
    (False, True)
    >>> looks_like_a_row(["Ann", "f", "Flu"], rows=[["Bea", "f", "Cold"]])
    True
    """
    texts = [str(name) for name in names]

    def is_cell(name: str) -> bool:
        # a number, a date, a mark such as `*`, empty, or several lines
        return re.match(r"[\W_]*(\d|$)", name) is not None or _holds_line_end(name)

    # pandas writes its index below an empty first name, which says nothing about the others
    if len({*texts}) < len(texts) or any(map(is_cell, texts[1:] if texts[:1] == [""] else texts)):
        return True
    return any(name == cell for row in rows for name, cell in zip(texts, row, strict=False))


def surely_names(
    names: Sequence[object],
    rows: Callable[[], Sequence[Sequence[str]]] = tuple,
    *,
    numbers: Collection[str] = (),
    meant: Iterable[str] = (),
) -> bool:
    """Return whether names are those of columns for sure, so that they may be shown.

    Args:
        names: what may be the names of columns, or somebody's row.
        rows: reads some of the rows below.
        numbers: the columns that are no texts by their type.
        meant: the columns that somebody asked for.

    >>> surely_names(["Smith", "Ann", "Flu"], lambda: [["Jones", "Bea", "Cold"]])
    False
    >>> surely_names(["grp", "bmi"], lambda: [["a", "21.5"]] * 9), surely_names(["zip", "sex", "x"])
    (True, True)
    >>> surely_names(["Ann", "f"], lambda: [["Bea", "21", "f"]] * 9)
    False
    """
    texts = [str(name) for name in names]
    if any(map(_holds_line_end, texts)):
        return False
    if any(name in texts for name in meant):
        # the caller named one of these columns, so this is a line of names, unless rows have run into it
        if not looks_like_a_row(texts) or rows in (list, tuple):  # of a source that has names for sure
            return True
        # a line of names may go on into rows, its end being lost: no row has as many cells
        filled = [row for row in rows() if any(row)]
        return bool(filled) and all(len(row) == len(texts) for row in filled)
    below = rows()
    if looks_like_a_row(texts, below) or any(len(row) != len(texts) for row in below if any(row)):
        return False  # also where rows have other columns than the first line: it may be part of one
    if sum(map(is_called_as_columns_are, texts)) >= min(2, len(texts)):
        return True
    return any(_is_number_below(texts, at, below, numbers) for at in range(len(texts)))


def nearest_name(
    name: str,
    names: Sequence[str],
    rows: Callable[[], Sequence[Sequence[str]]] = tuple,
    *,
    numbers: Collection[str] = (),
    meant: Iterable[str] = (),
) -> str:
    """End a sentence about a column that is not there: the nearest one, all of them, or how many there are.

    >>> nearest_name("zipcode", ["zip", "sex"])
    "; did you mean 'zip'?"
    >>> nearest_name("city", ["Smith", "Ann"], lambda: [["Jones", "Bea"]]).partition(";")[0]
    ', which has 2 columns'
    """
    if surely_names(names, rows, numbers=numbers, meant=meant):
        return did_you_mean(name, names)
    some_are_names = any(each in names for each in meant)
    row = not some_are_names and looks_like_a_row(names, rows())
    return f", which {NO_NAMES}" if row else f", which has {how_many(names)}"


def unused_columns(
    roles: Roles,
    columns: Sequence[str],
    where: str,
    *,
    rows: Callable[[], Sequence[Sequence[str]]] = tuple,
    numbers: Collection[str] = (),
) -> tuple[str, ...]:
    """Check that the columns which roles name are there, once each; name those that are not used.

    >>> unused_columns(Roles(("age",), "disease"), ["zip", "age", "disease"], "here")
    ('zip',)
    """
    used = roles.used.values()
    for name in used:
        if name not in columns:
            message = f"no column '{name}' in {where}{nearest_name(name, columns, rows, numbers=numbers, meant=used)}"
            raise UnknownColumn(message)
    repeated = first_repeated(columns)
    if repeated is not None:
        # the name itself may be a person's cell: only the positions are told
        one, other = [at for at, name in enumerate(columns, start=1) if name == repeated][:2]
        alike = f"called alike, column {one} and column {other}"
        called = f"called '{repeated}'" if repeated in used else alike
        message = f"two columns of {where} are {called}; rename one"
        raise BadTable(message)
    if roles.person == EACH_ROW and EACH_ROW in columns:
        message = f"a column of {where} is called '{EACH_ROW}', which says that each row is a person; rename it"
        raise BadTable(message)
    return tuple(name for name in columns if name not in used)


def how_many(names: Sequence[object]) -> str:
    """Return how many columns there are, without names, and what to do if the first line holds no names.

    >>> how_many(["Smith", "Ann"])
    "2 columns; its first line may be somebody's row and is not shown: if it is, give it a line of column names"
    """
    remedy = "its first line may be somebody's row and is not shown: if it is, give it a line of column names"
    return f"{counted(len(names), 'column')}; {remedy}"


def _holds_line_end(name: str) -> bool:
    r"""Return whether lines end within a name, by any sign for it that some program writes, also spelt out as `\n`."""
    return name.splitlines() not in ([], [name]) or re.search(r"\\[nr]", name) is not None


def _is_number_below(names: Sequence[str], at: int, rows: Sequence[Sequence[str]], numbers: Collection[str]) -> bool:
    """Return whether a column is numbers all the way down, and its name is none, nor a mark that stands for one."""
    name = names[at].strip().casefold()
    if name in SAYING_NOTHING or not re.fullmatch(r"[^\W\d][^\d]*", name):
        return False
    if names[at] in numbers:
        return True
    cells = [row[at].strip() for row in rows if at < len(row) and row[at].strip().casefold() not in SAYING_NOTHING]
    # letters above numbers only are a name; in a column of texts, the first line could be one more cell
    return len(cells) >= 5 and all(as_number(cell) is not None for cell in cells)
