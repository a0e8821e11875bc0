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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa

from sidelight._files import open_private, private_folder
from sidelight.errors import BadTable, listed, needs_extra, parameter
from sidelight.table.files import CHUNK, SHEETS, ending, no_texts, packer, unpacked, unpacking
from sidelight.table.labels import Label, label
from sidelight.table.names_or_row import NO_NAMES, looks_like_a_row, unused_columns
from sidelight.table.roles import Roles

LARGEST_WHOLE = 2**63

TRANSPORT_RECORD = 80
"""How many bytes a record of SAS's transport format has."""


def foreign_table(file: Path, roles: Roles) -> pa.Table:
    """Read a spreadsheet, or a file of a statistics package, into memory."""
    columns = _sheet_columns(file, roles) if ending(file) in SHEETS else _statistics_columns(file, roles)
    names = [name for name, _ in columns]
    arrays = [_array(cells) for _, cells in columns]
    return pa.Table.from_arrays(arrays, names=names)


def foreign_rows(files: Sequence[Path], roles: Roles) -> pa.Table:
    """Read the rows of one or several such files; each has the columns that are used."""
    tables = [foreign_table(file, roles) for file in files]
    if len(tables) == 1:
        return tables[0]
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
    return pa.concat_tables(tables, promote_options="permissive")


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


def _sheet_columns(file: Path, roles: Roles) -> list[tuple[str, Sequence[object]]]:
    """Read the sheet that is meant: a line of names, then rows; lines and columns that are empty throughout go."""
    lines = [line for line in _sheet_lines(file, roles) if any(cell not in ("", None) for cell in line)]
    if len(lines) < 2:
        message = f"{file.name} has no rows below a line of column names; give at least one person"
        raise BadTable(message)
    header, *rows = lines
    names = ["" if cell is None else label(cell) or "" for cell in header]
    # whoever names columns by the first line knows that it is one of names
    if roles.used and {*names}.issuperset(roles.used.values()):
        unused_columns(roles, names, file.name)
    elif looks_like_a_row(names, ([label(cell) or "" for cell in row] for row in rows[:1000])):
        message = f"{file.name} {NO_NAMES}"
        raise BadTable(message)
    return [(name, [None if row[at] == "" else row[at] for row in rows]) for at, name in enumerate(names)]


def _sheet_lines(file: Path, roles: Roles) -> list[list[Any]]:
    with needs_extra("files", package="python-calamine", what="reading spreadsheets"):
        from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra
    with _whatever_it_raises(f"{file.name} cannot be read as a spreadsheet; check that it was saved completely"):
        workbook = CalamineWorkbook.from_path(file.absolute())
        sheets = {name: workbook.get_sheet_by_name(name) for name in workbook.sheet_names}
        lines = {name: sheet.to_python(skip_empty_area=True) for name, sheet in sheets.items()}
    chosen = _sheet_name(file, [name for name, each in lines.items() if each], roles)
    _refuse_formulas(file, chosen)
    return lines[chosen]


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


def _refuse_formulas(file: Path, sheet: str) -> None:
    """Refuse formulas that no program has computed yet: they would be read as cells that say nothing.

    Excel and LibreOffice keep the last value beside each formula, libraries that write spreadsheets often none.
    """
    if ending(file) not in (".xlsx", ".xlsm"):
        return
    unreadable = _whatever_it_raises(f"{file.name} cannot be read as a spreadsheet; check that it was saved completely")
    uncomputed = None
    with unreadable, suppress(LookupError), ZipFile(file.absolute()) as book:
        text = book.read(_part_of_sheet(book, sheet))
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
