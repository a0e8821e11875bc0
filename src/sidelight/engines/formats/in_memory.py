"""Kinds of files that no engine reads where they are: a library (the extra `files`) reads them into Arrow tables.

Spreadsheets (Excel, OpenDocument), by python-calamine: a line of names, then rows.  Files of Stata, SPSS and SAS, by
pyreadstat: codes are replaced by their labels, which Stata and SPSS keep; if two codes share a label, the code is added
to it, so that no two values become one.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from html import unescape
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from zipfile import ZipFile

import pyarrow as pa

from sidelight.engines.duckdb.source import arrow_rows
from sidelight.engines.source import NO_NAMES, FileFormat, Heading, Rows, unused_columns
from sidelight.errors import BadTable, listed, needs_extra, parameter
from sidelight.table.labels import Label, label
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory
    from sidelight.table.roles import Roles

Columns: TypeAlias = list[tuple[str, Sequence[object]]]

Places: TypeAlias = set[tuple[int, int]]
"""Cells of a sheet by line and column, counted from 0."""


ReadColumns: TypeAlias = "Callable[[Path, Roles], tuple[Columns, tuple[str, ...]]]"
"""Reads all cells of a file, column by column; also returns notes about them."""


def held_format(
    read_columns: ReadColumns,
    words: str,
    endings: tuple[str, ...],
    advice: str,
    *,
    first_bytes: Mapping[bytes, str] | None = None,
    types_may_differ: bool = False,
) -> FileFormat:
    """Build the format of files whose cells are held in memory.

    The types of a column may differ from file to file in spreadsheets, which have types of cells only; their first line
    may be a row, too.
    """

    def read_table(file: Path, roles: Roles) -> tuple[pa.Table, tuple[str, ...]]:
        columns, notes = read_columns(file, roles)
        return pa.table([_build_array(cells) for _, cells in columns], [name for name, _ in columns]), notes

    @contextmanager
    def open_rows(files: Sequence[Path], roles: Roles, packed: bool, memory: Memory | None) -> Iterator[Rows]:  # noqa: FBT001
        tables, notes = zip(*(read_table(file, roles) for file in files), strict=True)
        table = tables[0] if len(files) == 1 else _concatenate(files, tables, roles, types_may_differ=types_may_differ)
        all_notes = tuple(chain.from_iterable(notes))
        with arrow_rows(table, roles, files, packed=packed, memory=memory, notes=all_notes) as rows:
            yield rows

    @contextmanager
    def open_heading(file: Path, roles: Roles) -> Iterator[Heading]:
        yield Heading.of_schema(read_table(file, roles)[0].schema)

    beginnings = first_bytes or {}
    return FileFormat(words, endings, advice, open_rows, open_heading, beginnings, may_lack_names=types_may_differ)


def _concatenate(
    files: Sequence[Path], tables: Sequence[pa.Table], roles: Roles, *, types_may_differ: bool
) -> pa.Table:
    """Concatenate the rows of several files, each of which must have the used columns."""
    for file, table in zip(files, tables, strict=True):
        unused_columns(roles, Heading.of_schema(table.schema), file.name)
    for name in dict.fromkeys(chain.from_iterable(table.column_names for table in tables)):
        those = [table[name] for table in tables if name in table.column_names]
        types = {column.type for column in those if column.null_count < len(column)}
        numbers = all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in types)
        if len(types) > 1 and not numbers and name in roles.used.values() and not types_may_differ:
            # such as codes that have labels in one file and none in another
            raise BadTable(f"the files store column '{name}' as different types; store it as text in all of them")
        # numbers of several types meet as 64-bit floats; any other mixture is compared as text, by its labels
        kind = next(iter(types)) if len(types) == 1 else pa.float64() if numbers and types else pa.string()
        tables = [_cast_column(table, name, kind) if name in table.column_names else table for table in tables]
    return pa.concat_tables(tables, promote_options="permissive")


def _cast_column(table: pa.Table, name: str, kind: pa.DataType) -> pa.Table:
    """Cast a column to text by its labels, or an empty one to any type; numbers stay."""
    column = table[name]
    if column.null_count == len(column):
        cells = pa.nulls(len(column), kind)
    elif column.type != kind and kind == pa.string():
        cells = pa.array([label(cell) for cell in column.to_pylist()], kind)
    else:
        return table
    return table.set_column(table.column_names.index(name), name, cells)


def _build_array(cells: Sequence[Any]) -> pa.Array:
    """Store cells by their kind: whole numbers, numbers, days, truths; texts, and what is mixed, as labels."""
    present = [cell for cell in cells if label(cell) is not None]
    kinds = {type(cell) for cell in present}
    # whole numbers that a column of 64 bits can say
    if kinds and kinds <= {int, float} and all(abs(cell) < 2**63 and float(cell).is_integer() for cell in present):
        return pa.array([None if label(cell) is None else int(cell) for cell in cells], pa.int64())
    # spreadsheets have no days, only moments at midnight: where all are, a column is one of days
    if kinds == {dt.datetime} and all(cell.time() == dt.time() for cell in present):
        return pa.array([None if label(cell) is None else cell.date() for cell in cells], pa.date32())
    if len(kinds) == 1 and kinds <= {float, bool, dt.date, dt.datetime}:
        return pa.array([None if label(cell) is None else cell for cell in cells])
    return pa.array([label(cell) for cell in cells], pa.string())


@contextmanager
def reading_errors(message: str) -> Iterator[None]:
    """Raise `BadTable` if a library cannot read a file: for damaged ones they raise anything, or panic."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # noqa: BLE001 - a panic of Rust is no Exception
        raise BadTable(message) from None


def read_spreadsheet(file: Path, roles: Roles) -> tuple[Columns, tuple[str, ...]]:
    """Read the chosen sheet; also return notes about cells that are read as missing."""
    lines, errors, covered = _read_sheet(file, roles)
    odd = {line for line, _ in errors | covered}
    # from the first line that holds something to the last, also if that is an error
    filled = [at for at, line in enumerate(lines) if at in odd or not _is_blank(line)]
    if len(filled) < 2:
        raise BadTable(f"{file.name} has no rows below a line of column names; give at least one person")
    header, *rows = lines[filled[0] : filled[-1] + 1]
    names = tuple(label(cell) or "" for cell in header)
    used = {*roles.used.values()}
    # a caller who names columns by the first line knows that it holds names
    if used and used <= {*names}:
        unused_columns(roles, Heading(names), file.name)
    elif Heading(names, lambda: [[label(cell) or "" for cell in row] for row in rows[:1000]]).is_row():
        raise BadTable(f"{file.name} {NO_NAMES}")
    columns: Columns = [(name, [None if row[at] == "" else row[at] for row in rows]) for at, name in enumerate(names)]
    for name, cells in columns:
        # spreadsheets store numbers as fractions of 53 bits: this one is also what the next one becomes
        if name in used and any(isinstance(cell, int | float) and abs(cell) >= 2**53 for cell in cells):
            raise BadTable(
                f"column '{name}' of {file.name} holds whole numbers of {2**53:,} or more, which spreadsheets "
                "round; store them as text"
            )
    blank = sum(map(_is_blank, rows))
    if blank and roles.missing == "an error":
        raise BadTable(
            f"{file.name} has {counted(blank, 'blank row')} among the others; delete blank rows, or say "
            f"{parameter('missing', 'drop')}, which leaves out every row without a sensitive value"
        )
    notes = [f"blank rows of {file.name} that are read as rows of missing cells: {blank:,}"] if blank else []
    below = range(filled[0] + 1, filled[-1] + 1)
    for places, why in ((errors, "errors such as #N/A"), (covered, "covered by merged cells")):
        many = sum(
            line in below and names[at] in used and lines[line][at] in ("", None)
            for line, at in places
            if at < len(names)
        )
        if many:
            notes.append(f"cells of {file.name} that are {why} and are read as missing: {many:,}")
    return columns, tuple(notes)


def _is_blank(line: Sequence[object]) -> bool:
    return all(cell in ("", None) for cell in line)


def _read_sheet(file: Path, roles: Roles) -> tuple[list[list[Any]], Places, Places]:
    """Read the named sheet, or the only one that is not empty, from its first filled cell on.

    Also return the cells with errors such as #N/A, and those covered by a merged cell, whose value is in its first cell
    only.
    """
    with needs_extra("files", package="python-calamine", what="reading spreadsheets"):
        from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra
    unreadable = f"{file.name} cannot be read as a spreadsheet; check that it was saved completely"
    with reading_errors(unreadable):
        workbook = CalamineWorkbook.from_path(file.absolute())
        sheets = {name: workbook.get_sheet_by_name(name) for name in workbook.sheet_names}
        all_lines = {name: sheet.to_python(skip_empty_area=True) for name, sheet in sheets.items()}
    filled = [name for name, each in all_lines.items() if each]
    chosen = filled[0] if roles.sheet is None and len(filled) == 1 else roles.sheet
    if chosen is None or chosen not in filled:
        if not filled:
            message = f"{file.name} is empty; it needs a line with the names of the columns, and rows"
        elif chosen is None:
            message = f"{file.name} has {len(filled)} sheets; say which with {parameter('sheet')}: {listed(filled)}"
        else:
            message = f"no sheet '{chosen}' in {file.name}, or an empty one; it has: {listed(filled)}"
        raise BadTable(message)
    lines, markup = all_lines[chosen], b""
    if file.suffix.lower() in (".xlsx", ".xlsm"):  # only Excel's files tell errors, formulas and merged cells apart
        with reading_errors(unreadable), suppress(LookupError), ZipFile(file.absolute()) as book:
            keys = {each["name"]: each["r:id"] for each in _read_tags(book, "xl/workbook.xml", "sheet")}
            tags = _read_tags(book, "xl/_rels/workbook.xml.rels", "Relationship")
            target = {each["Id"]: each["Target"] for each in tags}[keys[chosen]]
            markup = book.read(posixpath.normpath(posixpath.join("/xl", target)).lstrip("/"))
    # formulas that no program has computed yet would be read as missing: Excel and LibreOffice keep the last value
    # beside each formula, libraries that write spreadsheets often none
    uncomputed = UNCOMPUTED.search(markup) if re.search(rb"<(?:\w+:)?f\b", markup) else None
    if uncomputed is not None:
        place = f" (the first in {uncomputed[1].decode()})" if uncomputed[1] else ""
        message = f"{file.name} has formulas without a value{place}; open it in a spreadsheet program and save it again"
        raise BadTable(message)
    # calamine drops empty lines and columns at the beginning; markup counts from A1, so positions are shifted by this
    (top, left), merged = sheets[chosen].start or (0, 0), sheets[chosen].merged_cell_ranges or ()
    positions = re.findall(rb"""<(?:\w+:)?c\b(?=[^>]*\bt="e")[^>]*?\br="([A-Z]+[0-9]+)\"""", markup)
    errors = {(line - top, at - left) for line, at in (parse_position(each.decode()) for each in positions)}
    covered: Places = set()
    for (first, start), (last, end) in merged:
        below = min(last - top + 1, len(lines))  # whole columns may be merged, down to line 1,048,576
        right = min(end - left + 1, len(lines[0]))
        covered |= {*product(range(first - top, below), range(start - left, right))} - {(first - top, start - left)}
    return lines, errors, covered


def parse_position(cell: str) -> tuple[int, int]:
    """Return the line and column of a cell, counted from 0.

    >>> parse_position("A1"), parse_position("AB12")
    ((0, 0), (11, 27))
    """
    letters = cell.rstrip("0123456789")
    # columns are written in base 26 without a zero: A … Z are 1 … 26, AA is 27
    return int(cell[len(letters) :]) - 1, reduce(lambda at, each: at * 26 + ord(each) - 64, letters, 0) - 1


def _read_tags(book: ZipFile, part: str, name: str) -> list[dict[str, str]]:
    tags = re.findall(rf"<(?:\w+:)?{name}\b([^>]*)>", book.read(part).decode(errors="replace"))
    return [{key: unescape(value) for key, value in re.findall(r'([\w:]+)="([^"]*)"', each)} for each in tags]


# A cell that has a formula and no value; one whose value is a text (t="str") may be empty.
UNCOMPUTED = re.compile(
    rb"""<(?:\w+:)?c\b(?![^>]*\bt="str")(?:[^>]*?\br="([A-Z]+\d+)")?[^>]*>\s*"""
    rb"""<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"""
    rb"""(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)


def read_statistics(file: Path, roles: Roles) -> tuple[Columns, tuple[str, ...]]:
    """Read all cells, codes by their labels."""
    with needs_extra("files", package="pyreadstat", what="reading files of statistics packages"):
        import pyreadstat  # noqa: PLC0415 - an extra
    kind = file.suffix.lower()
    names = {".zsav": "sav", ".xpt": "xport"}
    read: Callable[..., tuple[Any, Any]] = getattr(pyreadstat, f"read_{names.get(kind, kind[1:])}")
    # a transport file of SAS has records of 80 bytes and, unlike others, does not say how many rows follow
    if kind == ".xpt" and file.stat().st_size % 80:
        raise BadTable(f"{file.name} ends in the midst of a record; check that it was written completely")
    # for .por, pyreadstat takes no encoding
    options = {} if kind == ".por" else {"encoding": roles.encoding}
    message = (
        f"{file.name} cannot be read; check that it was written completely, "
        f"or say its encoding with {parameter('encoding', 'latin-1')}"
    )
    with reading_errors(message):
        cells, about = read(str(file.absolute()), output_format="dict", **options)
    labels: Mapping[str, Mapping[object, str]] = about.variable_value_labels
    return [(name, replace_codes(list(cells[name]), labels.get(name, {}))) for name in about.column_names], ()


def replace_codes(cells: list[object], labels: Mapping[object, str]) -> list[object]:
    """Replace codes by their labels; a label of several codes, or equal to another code, has its code added.

    >>> replace_codes([1.0, 2.0, 3.0, 4.0], {1: "Flu", 2: "Cold", 3: "Cold"})
    ['Flu', 'Cold (2)', 'Cold (3)', '4']
    """
    if not labels:
        return [None if cell == "" else cell for cell in cells]  # these packages have no other missing text
    texts: dict[Label, str] = {label(code): text for code, text in labels.items() if text}
    others = {label(cell) for cell in cells} - texts.keys() - {None}
    # invariant: replacing codes never merges two values; a label that was made may be one that another code has
    while True:
        times: Counter[Label] = Counter(texts.values())
        times.update(others)
        if all(times[text] == 1 for text in texts.values()):
            return [texts.get(label(cell), label(cell)) for cell in cells]
        texts = {code: text if times[text] == 1 else f"{text} ({code})" for code, text in texts.items()}


SPREADSHEET = held_format(
    read_spreadsheet,
    "spreadsheets",
    (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    ".xlsx",
    first_bytes={b"PK\x03\x04": ".xlsx"},
    types_may_differ=True,
)

# files of statistics packages have names for their columns in any case
STATISTICS = held_format(
    read_statistics,
    "of a statistics package",
    (".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt"),
    ".dta, .sav, .sas7bdat",
)
