"""Write a sheet: as Parquet, as CSV that a spreadsheet does not run, or as ARX writes it.

A sheet is the content of a file: cells in columns, in their order or in a random one.  A release is counts and has no
order of rows; people are drawn from it in random order, so that the file shows nothing of the order of the table.
Up to `SHUFFLED_AT_ONCE` of them are shuffled at once.  Of more, each goes to one of 2^j equally likely parts on disk,
and each part is shuffled as it is written: every order is equally likely (Rao, 1961; Sandelius, 1962), and only one
part is held.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidelight.arrays import Floats, Integers, repeat_rows
from sidelight.errors import NotPublished, as_given
from sidelight.files import flush_to_disk
from sidelight.streams.sorted_runs import RowParts
from sidelight.table.labels import Column, Label, as_day, as_number, label

# Rows that are written at a time
ROWS_PER_BATCH = 1 << 18

# About the number of rows that are shuffled at a time
SHUFFLED_AT_ONCE = 1 << 21

CellKind: TypeAlias = Literal["text", "whole number", "number", "day"]


RandomBytes: TypeAlias = Callable[[int], bytes]
"""Draws `length` random bytes."""


def random_bytes(seed: int | None = None) -> RandomBytes:
    """Return the operating system's randomness or, for tests, the same bytes for the same seed."""
    return os.urandom if seed is None else np.random.default_rng(seed).bytes


def draw_order(draw: RandomBytes, length: int) -> Integers:
    """Draw an order of 0, 1, …, length − 1.

    >>> sorted(draw_order(random_bytes(seed=7), 4).tolist())
    [0, 1, 2, 3]
    """
    # 64 random bits per row: two rows are equal, and then stand as they came, with probability below n² / 2⁶⁵
    return np.argsort(np.frombuffer(draw(8 * length), np.uint64), kind="stable").astype(np.int64, copy=False)


def draw_parts(draw: RandomBytes, length: int, bits: int) -> Integers:
    """Draw one of 2^bits parts for each of some rows, all equally likely."""
    # the top bits of uniform 32-bit numbers: exactly uniform on 0 … 2^bits − 1, with no bias of a modulo
    return (np.frombuffer(draw(4 * length), np.uint32) >> np.uint32(32 - bits)).astype(np.int64)


def fits_one_shuffle(rows: int) -> bool:
    """Return whether `rows` are few enough to be shuffled at once."""
    return rows <= SHUFFLED_AT_ONCE


@dataclass(frozen=True, eq=False, slots=True)
class Sheet:
    """The cells of a file, column by column: texts or numbers; row i is written once, or `times[i]` times.

    Repeated rows are written in a random order, another one each time, and are never all held.
    """

    columns: Mapping[str, Column | Integers | Floats]
    times: Integers | None = None
    draw: RandomBytes = os.urandom

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.times is None else int(self.times.sum())

    def batches(self) -> Iterator[slice | Integers]:
        """Yield the indices of the rows in the order of writing, some at a time."""
        if self.times is None:
            yield from row_blocks(len(self))
            return
        # rows sent to 2^bits random parts, each shuffled by itself, are shuffled uniformly as a whole
        bits = (len(self) - 1).bit_length() - SHUFFLED_AT_ONCE.bit_length() + 1
        if bits <= 0:
            rows = np.repeat(np.arange(len(self.times)), self.times)[draw_order(self.draw, len(self))]
            yield from (rows[block] for block in row_blocks(len(rows)))
            return
        parts = RowParts(parts=1 << bits, columns=1, rows=len(self))
        for rows in repeat_rows(self.times, SHUFFLED_AT_ONCE):
            parts.add(draw_parts(self.draw, len(rows), bits), [rows])
        for part in range(1 << bits):
            (rows,) = parts.take(part)
            rows = rows[draw_order(self.draw, len(rows))]
            yield from (rows[block] for block in row_blocks(len(rows)))

    def arrow_kinds(self) -> list[pa.DataType]:
        """Return the type of each column in the file: texts, numbers or days."""
        types = {"text": pa.string(), "whole number": pa.int64(), "number": pa.float64(), "day": pa.date32()}
        return [
            types[kind_of_cells(column)] if isinstance(column, Column) else pa.from_numpy_dtype(column.dtype)
            for column in self.columns.values()
        ]


def row_blocks(rows: int, at_once: int | None = None) -> Iterator[slice]:
    """Cut the numbers 0, 1, …, rows − 1 into slices."""
    step = at_once or ROWS_PER_BATCH
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def kind_of_cells(column: Column) -> CellKind:
    """Return the kind that stores a column without changing any label.

    Codes stay texts: declared categories, and numbers in another spelling than that of a number.

    >>> [kind_of_cells(Column.of("c", cells)) for cells in (["34", None], ["5.5", "34"], ["2024-03-09"], ["007"])]
    ['whole number', 'number', 'day', 'text']
    """
    # only labels that occur decide: a label that no row has must not show in the type of the file's column
    texts = [text for text in _used_labels(column) if text is not None]
    if not texts or column.kind in ("category", "ordered"):
        return "text"
    if all(map(re.compile(r"0|-?[1-9][0-9]{0,17}").fullmatch, texts)):  # 18 digits fit 64 bits
        return "whole number"
    if all(as_number(text) is not None and label(float(text)) == text for text in texts):
        return "number"
    return "day" if all(as_day(text) is not None for text in texts) else "text"


def _used_labels(column: Column) -> list[str | None]:
    """Return the labels by code, None for those that no row has: they may be of another kind."""
    used = np.bincount(column.codes, minlength=len(column.labels)) > 0
    return [text if occurs else None for text, occurs in zip(column.labels, used, strict=True)]


def written_labels(column: Column, kind: pa.DataType) -> pa.Array:
    """Return the labels of a column, by code, converted to a type once; rows then look theirs up."""
    return pa.array(_used_labels(column), pa.string()).cast(kind)


def _cells_of(column: Column | Integers | Floats, kind: pa.DataType) -> Callable[[slice | Integers], pa.Array]:
    """Return a function from rows of a column to their cells, as a type."""
    if not isinstance(column, Column):
        return lambda rows: pa.array(column[rows])
    labels, codes = written_labels(column, kind), column.codes
    return lambda rows: labels.take(pa.array(codes[rows]))


FormatName: TypeAlias = Literal["parquet", "csv", "arx"]


@dataclass(frozen=True)
class Writer:
    """Writes cells into a file, and reads their labels back.

    For every label that it can write, decode(encode(label)) == label.
    """

    name: FormatName
    endings: tuple[str, ...]
    write: Callable[[Sheet, BinaryIO], None]  # all rows
    read: Callable[[Path, Collection[str]], pa.Table]  # a small file: cells as stored; some columns are whole numbers
    encode: Callable[[str], str] = str  # a label or a column's name as text of the file
    decode: Callable[[str], str] = str  # a text of the file as label or name
    empty: Label = None  # the label of an empty text
    dialect: Mapping[str, str] = field(default_factory=dict)  # differences from CSV with commas, in terms of CSVW
    write_parts: Callable[[Path, Sheet], None] | None = None  # writes a folder of several files that are one table

    def write_to(self, path: Path, sheet: Sheet) -> None:
        """Write all rows into a new file or folder, and flush it to the disk."""
        if self.write_parts is not None:
            self.write_parts(path, sheet)
            return
        with path.open("wb") as file:
            self.write(sheet, file)
        # after the file is closed, so that all of it has left Python's buffers before it is synced
        flush_to_disk(path)


def _write_parquet(sheet: Sheet, file: BinaryIO) -> None:
    """Write cells by their kind, without a dictionary of labels, which might have unused ones."""
    from pyarrow import parquet  # noqa: PLC0415 - slow to import, and only Parquet needs it

    kinds = sheet.arrow_kinds()
    # texts, not dictionaries: a dictionary would name labels that no row has
    schema = pa.schema(list(zip(sheet.columns, kinds, strict=True)))
    cells = [_cells_of(each, kind) for each, kind in zip(sheet.columns.values(), kinds, strict=True)]
    options: dict[str, Any] = {"compression": "zstd", "store_schema": False, "write_page_checksum": True}
    with parquet.ParquetWriter(file, schema, **options) as writer:
        for rows in sheet.batches():
            writer.write_table(pa.Table.from_arrays([take(rows) for take in cells], schema=schema))


def _read_parquet(path: Path, _numbers: Collection[str]) -> pa.Table:
    from pyarrow.parquet import read_table  # noqa: PLC0415 - slow to import, and only Parquet needs it

    return read_table(path)


def _write_lines(sheet: Sheet, file: BinaryIO, *, delimiter: str, write_cell: Callable[[Label], str]) -> None:
    """Write lines of text: each label is quoted once, then labels are joined row by row."""
    for column in sheet.columns.values():
        if isinstance(column, Column) and "" in column.labels and (column.codes == column.labels.index("")).any():
            raise NotPublished(
                f"'{column.name}' has cells of empty text, which CSV cannot tell from missing ones; publish as .parquet"
            )
    file.write((delimiter.join(map(write_cell, sheet.columns)) + "\n").encode())
    # one text per label, not per row; writing a batch is then a look-up and a join in Arrow
    columns = (
        Column(column.name, tuple(map(write_cell, column.labels)), column.codes)
        if isinstance(column, Column)
        else Column.of("", [str(number) for number in column.tolist()])
        for column in sheet.columns.values()
    )
    words = [_cells_of(column, pa.string()) for column in columns]
    for rows in sheet.batches():
        # Arrow's strings have 32-bit offsets: a batch of joined lines must stay below 2 GiB
        for some in _few_rows(rows):
            lines = pc.binary_join_element_wise(*(take(some) for take in words), delimiter)
            file.write(_bytes_of(pc.binary_join_element_wise(lines, "", "\n")))


def _read_csv(path: Path, numbers: Collection[str], *, delimiter: str, decode: Callable[[str], str]) -> pa.Table:
    """Read cells as texts, which are never null, or as whole numbers."""
    from pyarrow.csv import ConvertOptions, ParseOptions, read_csv  # noqa: PLC0415 - only CSV needs it

    with path.open(newline="", encoding="utf-8") as file:
        names = next(csv.reader(file, delimiter=delimiter))
    kinds = {name: pa.int64() if name in numbers else pa.string() for name in names}
    lines = ParseOptions(delimiter=delimiter, newlines_in_values=True)
    sheet = read_csv(path, convert_options=ConvertOptions(column_types=kinds), parse_options=lines)
    return sheet.rename_columns(list(map(decode, names)))


def _csv_cell(label: Label) -> str:
    if label is None:
        return ""
    text = escape_formula(label)
    odd = any(sign in text for sign in ',;|"\t\r\n') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if odd else text


def _arx_cell(label: Label) -> str:
    text = "" if label is None else label
    if any(sign in text for sign in ';"\r\n'):
        line = " ".join(text.split())
        raise NotPublished(
            f"'{line}' has a semicolon, quote or line break, which ARX's files cannot say; publish as csv"
        )
    return text


# Lines of text that are held at a time
LINES_AT_ONCE = 1 << 15


def _few_rows(rows: slice | Integers) -> Iterator[slice | Integers]:
    """Cut a batch of rows into smaller ones, whose lines may be long."""
    if isinstance(rows, slice):
        starts = range(rows.start, rows.stop, LINES_AT_ONCE)
        return (slice(start, min(start + LINES_AT_ONCE, rows.stop)) for start in starts)
    return (rows[start : start + LINES_AT_ONCE] for start in range(0, len(rows), LINES_AT_ONCE))


def _bytes_of(texts: pa.StringArray) -> memoryview:
    """Return the bytes of texts, concatenated; none may be missing."""
    _, offsets, letters = texts.buffers()
    # shape (texts + 1,); a sliced array shares its buffers, so the slice's own offsets are taken
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(letters)[ends[0] : ends[-1]]


def escape_formula(label: str) -> str:
    """Put a `'` before a text that a spreadsheet would run; numbers and single signs stay.

    >>> [escape_formula(label) for label in ("=1+1", "-5", "-", "-5-0", "it's", "'=1")]
    ["'=1+1", '-5', '-', "'-5-0", "it's", "''=1"]
    """
    return "'" + label if _is_formula(label.lstrip("'")) else label


def unescape_formula(cell: str) -> str:
    """Remove the `'` of `escape_formula`.

    >>> [unescape_formula(escape_formula(label)) for label in ("=1+1", "-5", "'=1", "'")]
    ['=1+1', '-5', "'=1", "'"]
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell.lstrip("'")) else cell


def _is_formula(text: str) -> bool:
    # OWASP, CSV injection: texts that begin so may be run when the file is opened
    return len(text) > 1 and text[0] in "=+-@\t\r\n＝＋－＠" and as_number(text) is None


WRITERS: Mapping[FormatName, Writer] = {
    # texts, numbers and days; a missing cell is a null
    "parquet": Writer("parquet", (".parquet", ".pq"), _write_parquet, _read_parquet, empty=""),
    # UTF-8, commas, quotes where needed; a missing cell is empty; what a spreadsheet would run has a `'` before it
    "csv": Writer(
        "csv",
        (".csv",),
        partial(_write_lines, delimiter=",", write_cell=_csv_cell),
        partial(_read_csv, delimiter=",", decode=unescape_formula),
        escape_formula,
        unescape_formula,
    ),
    # as ARX reads and writes: semicolons and no quotes; a text stands there as it is
    "arx": Writer(
        "arx",
        (".csv",),
        partial(_write_lines, delimiter=";", write_cell=_arx_cell),
        partial(_read_csv, delimiter=";", decode=str),
        dialect={"delimiter": ";"},
    ),
}


def writer_of(path: Path, wished: FormatName | None, *, in_spark: bool = False) -> Writer:
    """Choose how to write: by the name's ending, ARX's format only on request, or in Spark a folder of Parquet parts.

    >>> writer_of(Path("release.csv"), None).name, writer_of(Path("release.csv"), "arx").name
    ('csv', 'arx')
    >>> [writer_of(Path(name), None, in_spark=True).write_parts is None for name in ("release", "release.parquet")]
    [False, True]
    """
    if in_spark and not path.suffix and wished in (None, "parquet"):
        if path.exists():
            raise NotPublished(
                f"'{path}' exists, and a folder is never replaced; give another name, or remove it first"
            )
        from sidelight.engines.spark.source import write_folder  # noqa: PLC0415 - only where Spark writes

        return replace(WRITERS["parquet"], write_parts=write_folder)
    possible = [each for each in WRITERS.values() if path.suffix.lower() in each.endings]
    if not possible:
        endings = " or ".join(dict.fromkeys(each.endings[0] for each in WRITERS.values()))
        raise NotPublished(f"cannot tell what to write by the ending of '{path.name}'; name it {endings}")
    for each in possible:
        if wished is None or (isinstance(wished, str) and each.name == wished):
            return each
    ways = ", ".join(f"{each.endings[0]} for {each.name}" for each in WRITERS.values())
    raise NotPublished(f"'{path.name}' cannot be written as {as_given(wished)}; name it {ways}")
