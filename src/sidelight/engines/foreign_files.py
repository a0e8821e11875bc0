"""Files that no engine reads where they are: spreadsheets, files of statistics packages, text in other encodings.

Spreadsheets (Excel, OpenDocument; by python-calamine) and files of Stata, SPSS and SAS (by pyreadstat) become Arrow
tables; both libraries are the extra `files`.  A code with a label, as Stata and SPSS keep them, says its label; where
two codes have one label, each says its code too, so that no two values become one.  Text in another encoding than UTF-8
is copied, as it is read, into a private folder as UTF-8, which the engine then reads like any other.
"""

from __future__ import annotations

import codecs
import datetime as dt
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from html import unescape
from itertools import chain, product
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa

from sidelight.engines.files import CHUNK, SHEETS, ending, no_texts, packer, unpacked, unpacking
from sidelight.engines.names_or_row import NO_NAMES, looks_like_a_row, unused_columns
from sidelight.errors import BadTable, listed, needs_extra, parameter
from sidelight.files import open_private, private_folder
from sidelight.table.labels import Label, label
from sidelight.table.roles import Roles
from sidelight.text import counted

LARGEST_WHOLE = 2**63

FIRST_ROUNDED = 2**53
"""Spreadsheets store numbers as fractions of 53 bits: this one is also what the next one becomes."""

TRANSPORT_RECORD = 80
"""How many bytes a record of SAS's transport format has."""


def foreign_table(file: Path, roles: Roles) -> tuple[pa.Table, tuple[str, ...]]:
    """Read a spreadsheet, or a file of a statistics package, into memory; also return notes about its cells."""
    columns, notes = _sheet_columns(file, roles) if ending(file) in SHEETS else (_statistics_columns(file, roles), ())
    names = [name for name, _ in columns]
    arrays = [_array(cells) for _, cells in columns]
    return pa.Table.from_arrays(arrays, names=names), notes


def foreign_rows(files: Sequence[Path], roles: Roles) -> tuple[pa.Table, tuple[str, ...]]:
    """Read the rows of one or several such files; each has the columns that are used.  Also return notes."""
    read = [foreign_table(file, roles) for file in files]
    tables, notes = [table for table, _ in read], tuple(chain.from_iterable(notes for _, notes in read))
    if len(tables) == 1:
        return tables[0], notes
    for file, table in zip(files, tables, strict=True):
        unused_columns(roles, table.column_names, file.name, numbers=no_texts(table.schema))
    for name in dict.fromkeys(chain.from_iterable(table.column_names for table in tables)):
        kinds = {table[name].type for table in tables if name in table.column_names and not _says_nothing(table[name])}
        numbers = all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds)
        if len(kinds) > 1 and not numbers and name in roles.used.values() and ending(files[0]) not in SHEETS:
            message = f"the files store column '{name}' as different types; store it as text in all of them"
            raise BadTable(message)  # such as codes that have labels in one file and none in another
        kind = next(iter(kinds)) if len(kinds) == 1 else pa.float64() if numbers and kinds else pa.string()
        tables = [_with_kind(table, name, kind) if name in table.column_names else table for table in tables]
    return pa.concat_tables(tables, promote_options="permissive"), notes


def _says_nothing(column: pa.ChunkedArray) -> bool:
    return bool(column.null_count == len(column))


def _with_kind(table: pa.Table, name: str, kind: pa.DataType) -> pa.Table:
    """Let a column be of a kind: text by what its cells say, any kind where they say nothing; numbers stay."""
    column = table[name]
    if _says_nothing(column):
        cells = pa.nulls(len(column), kind)
    elif column.type != kind and kind == pa.string():
        cells = pa.array([label(cell) for cell in column.to_pylist()], kind)
    else:
        return table
    return table.set_column(table.column_names.index(name), name, cells)


@contextmanager
def _whatever_it_raises(message: str) -> Iterator[None]:
    """Say in one line that a library cannot read a file: of damaged ones they raise anything, or panic."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # noqa: BLE001 - a panic of Rust is no Exception
        raise BadTable(message) from None


# Spreadsheets


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines of a sheet from its first cell on, and which cells (line, column) say nothing for a reason."""

    lines: list[list[Any]]
    errors: frozenset[tuple[int, int]]  # such as #N/A
    covered: frozenset[tuple[int, int]]  # by a merged cell, which says what it says in its first cell only

    def is_blank(self, line: int) -> bool:
        """Whether no cell of a line says anything."""
        return all(cell in ("", None) for cell in self.lines[line])

    def filled(self) -> range:
        """Return the lines from the first that holds something to the last, also if that is an error."""
        odd = {line for line, _ in self.errors | self.covered}
        lines = [line for line in range(len(self.lines)) if line in odd or not self.is_blank(line)]
        return range(lines[0], lines[-1] + 1) if lines else range(0)


def _sheet_columns(file: Path, roles: Roles) -> tuple[list[tuple[str, Sequence[object]]], tuple[str, ...]]:
    """Read the sheet that is meant: a line of names, then rows; also return notes about cells that say nothing."""
    sheet = _sheet(file, roles)
    lines = sheet.filled()
    if len(lines) < 2:
        message = f"{file.name} has no rows below a line of column names; give at least one person"
        raise BadTable(message)
    header, *rows = (sheet.lines[line] for line in lines)
    names = ["" if cell is None else label(cell) or "" for cell in header]
    # whoever names columns by the first line knows that it is one of names
    if roles.used and {*names}.issuperset(roles.used.values()):
        unused_columns(roles, names, file.name)
    elif looks_like_a_row(names, ([label(cell) or "" for cell in row] for row in rows[:1000])):
        message = f"{file.name} {NO_NAMES}"
        raise BadTable(message)
    columns: list[tuple[str, Sequence[object]]] = [
        (name, [None if row[at] == "" else row[at] for row in rows]) for at, name in enumerate(names)
    ]
    _refuse_rounded(file, [(name, cells) for name, cells in columns if name in roles.used.values()])
    used = {at for at, name in enumerate(names) if name in roles.used.values()}
    return columns, tuple(_sheet_notes(file, sheet, lines[1:], used, roles))


def _refuse_rounded(file: Path, columns: Iterable[tuple[str, Sequence[object]]]) -> None:
    """Refuse whole numbers that a spreadsheet rounds: two of them may have become one."""
    for name, cells in columns:
        if any(isinstance(cell, int | float) and abs(cell) >= FIRST_ROUNDED for cell in cells):
            message = (
                f"column '{name}' of {file.name} holds whole numbers of {FIRST_ROUNDED:,} or more, which spreadsheets "
                "round; store them as text"
            )
            raise BadTable(message)


def _sheet_notes(file: Path, sheet: Sheet, lines: range, used: Collection[int], roles: Roles) -> Iterator[str]:
    """Count the cells of the used columns that say nothing for a reason, and the lines that say nothing at all."""
    blank = [line for line in lines if sheet.is_blank(line)]
    if blank and roles.missing == "an error":
        message = (
            f"{file.name} has {counted(len(blank), 'blank row')} among the others; delete blank rows, or say "
            f"{parameter('missing', 'drop')}, which leaves out every row without a sensitive value"
        )
        raise BadTable(message)
    if blank:
        yield f"blank rows of {file.name} that are read as rows of missing cells: {len(blank):,}"
    for cells, why in ((sheet.errors, "errors such as #N/A"), (sheet.covered, "covered by merged cells")):
        many = sum(line in lines and at in used and sheet.lines[line][at] in ("", None) for line, at in cells)
        if many:
            yield f"cells of {file.name} that are {why} and are read as missing: {many:,}"


def _sheet(file: Path, roles: Roles) -> Sheet:
    with needs_extra("files", package="python-calamine", what="reading spreadsheets"):
        from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra
    with _whatever_it_raises(f"{file.name} cannot be read as a spreadsheet; check that it was saved completely"):
        workbook = CalamineWorkbook.from_path(file.absolute())
        sheets = {name: workbook.get_sheet_by_name(name) for name in workbook.sheet_names}
        lines = {name: sheet.to_python(skip_empty_area=True) for name, sheet in sheets.items()}
    chosen = _sheet_name(file, [name for name, each in lines.items() if each], roles)
    text = _sheet_text(file, chosen)
    _refuse_formulas(file, text)
    (top, left), merged = sheets[chosen].start or (0, 0), sheets[chosen].merged_cell_ranges or ()
    errors = ((line - top, at - left) for line, at in (_position(each.decode()) for each in ERROR.findall(text)))
    covered = set()
    for (first, start), (last, end) in merged:
        below = min(last - top + 1, len(lines[chosen]))  # whole columns may be merged, down to line 1,048,576
        right = min(end - left + 1, len(lines[chosen][0]))
        covered |= {*product(range(first - top, below), range(start - left, right))} - {(first - top, start - left)}
    return Sheet(lines[chosen], frozenset(errors), frozenset(covered))


def _position(cell: str) -> tuple[int, int]:
    """Return the line and column of a cell, counted from 0.

    >>> _position("A1"), _position("AB12")
    ((0, 0), (11, 27))
    """
    letters = cell.rstrip("0123456789")
    return int(cell[len(letters) :]) - 1, reduce(lambda at, each: at * 26 + ord(each) - 64, letters, 0) - 1


def _sheet_name(file: Path, filled: list[str], roles: Roles) -> str:
    """Take the sheet that was named, or the only one that holds something."""
    if roles.sheet in filled:
        return roles.sheet
    if roles.sheet is None and len(filled) == 1:
        return filled[0]
    if not filled:
        message = f"{file.name} is empty; it needs a line with the names of the columns, and rows"
    elif roles.sheet is None:
        message = f"{file.name} has {len(filled)} sheets; say which with {parameter('sheet')}: {listed(filled)}"
    else:
        message = f"no sheet '{roles.sheet}' in {file.name}, or an empty one; it has: {listed(filled)}"
    raise BadTable(message)


def _sheet_text(file: Path, sheet: str) -> bytes:
    """Return a sheet as Excel stores it; of other programs' files nothing."""
    if ending(file) not in (".xlsx", ".xlsm"):
        return b""
    unreadable = _whatever_it_raises(f"{file.name} cannot be read as a spreadsheet; check that it was saved completely")
    with unreadable, suppress(LookupError), ZipFile(file.absolute()) as book:
        return book.read(_part_of_sheet(book, sheet))
    return b""


def _refuse_formulas(file: Path, text: bytes) -> None:
    """Refuse formulas that no program has computed yet: they would be read as cells that say nothing.

    Excel and LibreOffice keep the last value beside each formula, libraries that write spreadsheets often none.
    """
    uncomputed = UNCOMPUTED.search(text) if FORMULA.search(text) else None
    if uncomputed is not None:
        place = f" (the first in {uncomputed[1].decode()})" if uncomputed[1] else ""
        message = f"{file.name} has formulas without a value{place}; open it in a spreadsheet program and save it again"
        raise BadTable(message)


def _part_of_sheet(book: ZipFile, sheet: str) -> str:
    """Find the part of a workbook that holds a sheet."""
    keys = {each["name"]: each["r:id"] for each in _tags(book, "xl/workbook.xml", "sheet")}
    targets = {each["Id"]: each["Target"] for each in _tags(book, "xl/_rels/workbook.xml.rels", "Relationship")}
    return posixpath.normpath(posixpath.join("/xl", targets[keys[sheet]])).lstrip("/")


def _tags(book: ZipFile, part: str, name: str) -> list[dict[str, str]]:
    """Give the attributes of all tags of a name in a part of a workbook."""
    tags = re.findall(rf"<(?:\w+:)?{name}\b([^>]*)>", book.read(part).decode(errors="replace"))
    return [{key: unescape(value) for key, value in re.findall(r'([\w:]+)="([^"]*)"', each)} for each in tags]


ERROR = re.compile(rb"""<(?:\w+:)?c\b(?=[^>]*\bt="e")[^>]*?\br="([A-Z]+[0-9]+)\"""")
FORMULA = re.compile(rb"<(?:\w+:)?f\b")
UNCOMPUTED = re.compile(
    rb"""<(?:\w+:)?c\b(?![^>]*\bt="str")(?:[^>]*?\br="([A-Z]+\d+)")?[^>]*>\s*"""
    rb"""<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"""
    rb"""(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)
"""A cell that has a formula and no value; one whose value is a text (t="str") may be empty."""


# Stata, SPSS and SAS


def _statistics_columns(file: Path, roles: Roles) -> list[tuple[str, Sequence[object]]]:
    with needs_extra("files", package="pyreadstat", what="reading files of statistics packages"):
        import pyreadstat  # noqa: PLC0415 - an extra
    readers: dict[str, Callable[..., tuple[Any, Any]]] = {
        ".dta": pyreadstat.read_dta,
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".por": pyreadstat.read_por,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    _check_records(file)
    options = {} if ending(file) == ".por" else {"encoding": roles.encoding}
    message = (
        f"{file.name} cannot be read; check that it was written completely, "
        f"or say its encoding with {parameter('encoding', 'latin-1')}"
    )
    with _whatever_it_raises(message):
        cells, about = readers[ending(file)](str(file.absolute()), output_format="dict", **options)
    labels: Mapping[str, Mapping[object, str]] = about.variable_value_labels
    return [(name, _labelled(list(cells[name]), labels.get(name, {}))) for name in about.column_names]


def _check_records(file: Path) -> None:
    """Refuse a transport file of SAS that ends within a record: unlike others, it does not say how many rows follow."""
    if ending(file) == ".xpt" and file.stat().st_size % TRANSPORT_RECORD:
        message = f"{file.name} ends in the midst of a record; check that it was written completely"
        raise BadTable(message)


def _labelled(cells: list[object], labels: Mapping[object, str]) -> list[object]:
    """Let codes say their labels; one that several codes have, or that is another code, is told apart by the code."""
    if not labels:
        return [None if cell == "" else cell for cell in cells]  # these packages have no other missing text
    times: Counter[Label] = Counter(labels.values())
    times.update({label(cell) for cell in cells} - {label(code) for code, text in labels.items() if text} - {None})
    texts = {
        label(code): text if times[text] == 1 else f"{text} ({label(code)})" for code, text in labels.items() if text
    }
    return [texts.get(label(cell), label(cell)) for cell in cells]


def _array(cells: Sequence[object]) -> pa.Array:
    """Store cells by their kind: whole numbers, numbers, days, truths; texts, and what is mixed, as labels."""
    present = [cell for cell in cells if label(cell) is not None]
    kinds = {type(cell) for cell in present}
    if kinds and kinds <= {int, float} and all(_is_whole(cell) for cell in present):  # type: ignore[arg-type]
        return pa.array([None if label(cell) is None else int(cell) for cell in cells], pa.int64())  # type: ignore[call-overload]
    if kinds == {dt.datetime} and all(cell.time() == dt.time() for cell in present):  # type: ignore[attr-defined]
        return pa.array([None if label(cell) is None else cell.date() for cell in cells], pa.date32())  # type: ignore[attr-defined]
    if len(kinds) == 1 and kinds <= {float, bool, dt.date, dt.datetime}:
        return pa.array([None if label(cell) is None else cell for cell in cells])
    return pa.array([label(cell) for cell in cells], pa.string())


def _is_whole(number: float) -> bool:
    """Whether a number is whole, and not larger than a column of whole numbers can say."""
    return abs(number) < LARGEST_WHOLE and float(number).is_integer()


# Text in other encodings


@contextmanager
def as_utf8(files: Sequence[Path], encoding: str | None) -> Iterator[list[Path]]:
    """Give text files as UTF-8: as they are, or as copies of the same name that are gone afterwards."""
    if encoding is None or _is_utf8(encoding):
        yield [*files]
        return
    with private_folder() as folder:
        yield [
            file if _proves_utf8(file) else _copied(file, folder / str(number), encoding)
            for number, file in enumerate(files)
        ]


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")
    except (LookupError, ValueError):
        message = f"no {parameter('encoding', encoding)}; give a name such as latin-1, cp1252, utf-16 or shift_jis"
        raise BadTable(message) from None


def _proves_utf8(file: Path) -> bool:
    """Whether a file has letters beyond ASCII, and all of them are UTF-8, as good as never by chance.

    Several files are read with one encoding (releases and people), and some of them may be UTF-8 nevertheless.
    """
    decoder, beyond_ascii = codecs.getincrementaldecoder("utf-8")(), False
    try:
        with unpacked(file) as stream:
            while chunk := stream.read(CHUNK):
                beyond_ascii |= not chunk.isascii()
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except (UnicodeError, OSError):
        return False
    return beyond_ascii


def _copied(file: Path, folder: Path, encoding: str) -> Path:
    folder.mkdir(mode=0o700)
    copy = folder / (file.stem if packer(file) else file.name)
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with unpacking(file), unpacked(file) as stream, open_private(copy) as text:
            while chunk := stream.read(CHUNK):
                text.write(decoder.decode(chunk).encode())
            text.write(decoder.decode(b"", final=True).encode())
    except UnicodeError:
        message = f"{file.name} is not written in {encoding}; name another {parameter('encoding')}"
        raise BadTable(message) from None
    return copy
