"""What stands in a published file, and how is it written?

A `Sheet` holds the cells, a row per person or per count, in an order drawn by chance.  A `Format` writes it and says
what a cell means that was read back: Parquet, CSV that a spreadsheet does not run, and CSV as ARX writes it.  For every
label that a format can write, decode(encode(label)) == label.

Order       A release has no order of rows: it is counts.  People are dealt from them, so that nothing of the order in
            which the table stood can show.  Up to `SHUFFLED_AT_ONCE` of them are shuffled at once.  Of more, each goes
            to one of 2^j parts, all of them equally likely, on disk, and each part is shuffled as it is written: every
            order is as likely as any other (Rao, 1961; Sandelius, 1962), and only a part is held.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sidelight.arrays import Floats, Integers, repeated
from sidelight.errors import NotPublished, as_given
from sidelight.files import flush_to_disk
from sidelight.release.bounds import bound_columns
from sidelight.release.groups import suppressed_groups
from sidelight.release.release import Release
from sidelight.streams.sorted_runs import RowParts
from sidelight.table.labels import Label, as_day, as_number, label
from sidelight.table.table import Column, Table, value_columns

FormatName: TypeAlias = Literal["parquet", "csv", "arx"]

ROWS_AT_ONCE = 1 << 18
"""How many rows are put into words at a time."""

LINES_AT_ONCE = 1 << 15
"""How many lines of text are held at a time."""

SHUFFLED_AT_ONCE = 1 << 21
"""About so many rows are shuffled at a time."""

Layout: TypeAlias = Literal["people", "counts", "two tables", "shuffled"]
"""A row per person; a row per group and value, with the people of the group and the value's count; and, for anatomy,
one table of people with their buckets and one of buckets with their values, or people with values that are shuffled
inside their bucket."""

FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"
"""A cell that begins so may be run when the file is opened (OWASP, CSV injection)."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Draws orders and parts, from bytes that are drawn by chance."""

    draw: Callable[[int], bytes]

    def __call__(self, length: int) -> Integers:
        """Draw an order of 0, 1, …, length − 1."""
        # 64 random bits per row: two rows are equal, and then stand as they came, with probability below n² / 2⁶⁵
        keys = np.frombuffer(self.draw(8 * length), np.uint64)
        return np.argsort(keys, kind="stable").astype(np.int64, copy=False)

    def parts(self, length: int, bits: int) -> Integers:
        """Draw one of 2^bits parts for each of some rows, all equally likely."""
        return (np.frombuffer(self.draw(4 * length), np.uint32) >> np.uint32(32 - bits)).astype(np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class DealtRows:
    """Rows that are written several times each, in an order drawn by chance, and never all held."""

    times: Integers
    shuffle: Shuffle

    def __len__(self) -> int:
        return int(self.times.sum())

    def batches(self) -> Iterator[Integers]:
        """Give the rows in their order, some at a time; another order every time."""
        bits = (len(self) - 1).bit_length() - SHUFFLED_AT_ONCE.bit_length() + 1
        if bits <= 0:
            yield from _cut(np.repeat(np.arange(len(self.times)), self.times)[self.shuffle(len(self))])
            return
        parts = RowParts(parts=1 << bits, columns=1, rows=len(self))
        for rows in repeated(self.times, SHUFFLED_AT_ONCE):
            parts.add(self.shuffle.parts(len(rows), bits), [rows])
        for part in range(1 << bits):
            (rows,) = parts.take(part)
            yield from _cut(rows[self.shuffle(len(rows))])


def _cut(rows: Integers) -> Iterator[Integers]:
    for block in _row_blocks(len(rows)):
        yield rows[block]


@dataclass(frozen=True, eq=False, slots=True)
class Sheet:
    """The cells of a file, column by column: texts or numbers; as they stand, or dealt."""

    columns: Mapping[str, Column | Integers | Floats]
    dealt: DealtRows | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.dealt is None else len(self.dealt)

    def batches(self) -> Iterator[slice | Integers]:
        """Say which rows of the columns are written, some at a time."""
        return _row_blocks(len(self)) if self.dealt is None else self.dealt.batches()

    def with_bounds(self) -> Sheet:
        """Add, after each column of intervals, the ends of what it prints as numbers or days of their own."""
        columns: dict[str, Column | Integers | Floats] = {}
        for name, column in self.columns.items():
            columns[name] = column
            ends = bound_columns(column, taken=self.columns) if isinstance(column, Column) else None
            columns |= {each.name: each for each in ends or ()}
        return Sheet(columns, self.dealt)

    def texts(self) -> tuple[Column, ...]:
        """Give the columns that hold labels."""
        return tuple(column for column in self.columns.values() if isinstance(column, Column))


def sheet_of_people(release: Release, shuffle: Shuffle) -> Sheet:
    """Write a row per person: what is printed about the group, and a value of it; in an order drawn by chance."""
    row, value, count = release.groups.counts.entries()
    dealt = None
    if int(count.sum()) > SHUFFLED_AT_ONCE:
        dealt = DealtRows(count, shuffle)
    else:
        order = shuffle(int(count.sum()))
        row, value = np.repeat(row, count)[order], np.repeat(value, count)[order]
    columns = {column.name: column.take(row) for column in release.groups.columns}
    return Sheet({**columns, **_values(release, value)}, dealt)


def sheet_of_carried(release: Release, table: Table, group: Integers, shuffle: Shuffle) -> Sheet:
    """Write a row per person as `sheet_of_people` does, and what the person says in columns that are carried along.

    `group` is the row of the release that the people of each key are in; −1: they are left out.  Suppressed people,
    whose group prints nothing but `*`, say nothing in the carried columns either.
    """
    carried = table.carried
    assert carried is not None
    entry = np.repeat(np.arange(len(carried.count)), carried.count)
    entry = entry[group[carried.key[entry]] >= 0]
    entry = entry[shuffle(len(entry))]
    rows = group[carried.key[entry]]
    hidden = suppressed_groups(release.groups)[rows]
    columns = {column.name: column.take(rows) for column in release.groups.columns}
    columns |= {each.name: each for each in value_columns(table.sensitive, table.domain, carried.value[entry])}
    return Sheet(columns | {each.name: each.take(entry).without(hidden) for each in carried.columns})


def sheet_of_counts(release: Release, shuffle: Shuffle, *, people: str, count: str) -> Sheet:
    """Write a row per group and value; a group in which nobody has a value has one row, with a count of 0."""
    groups = release.groups
    row, value, amount = groups.listed()
    order = shuffle(len(row))
    row = row[order]
    return Sheet(
        {
            **{column.name: column.take(row) for column in groups.columns},
            people: groups.sizes[row],
            **_values(release, value[order]),
            count: amount[order],
        }
    )


def _values(release: Release, value: Integers) -> dict[str, Column]:
    """Print the sensitive column, or each of several: a person's cells stay together, as measures take them."""
    return {column.name: column for column in value_columns(release.sensitive, release.domain, value)}


def shuffler(seed: int | None = None) -> Shuffle:
    """Draw orders from the operating system's randomness, or, for tests, the same ones for the same seed.

    >>> shuffle = shuffler(seed=7)
    >>> sorted(shuffle(4).tolist()), (shuffler(seed=7)(100) == shuffler(seed=7)(100)).all()
    ([0, 1, 2, 3], np.True_)
    """
    return Shuffle(os.urandom if seed is None else np.random.default_rng(seed).bytes)


class Format(ABC):
    """How cells are written, and what a cell that was read back says."""

    name: ClassVar[FormatName]

    @abstractmethod
    def write(self, sheet: Sheet, file: BinaryIO) -> None:
        """Write all rows."""

    def write_to(self, path: Path, sheet: Sheet) -> None:
        """Write all rows into a new file, onto the disk."""
        with path.open("wb") as file:
            self.write(sheet, file)
        flush_to_disk(path)

    def encode(self, label: str) -> str:
        """Say what stands in the file for a label or a column's name."""
        return label

    def decode(self, text: str) -> str:
        """Return what a text that stands in the file means."""
        return text


CellKind: TypeAlias = Literal["text", "whole number", "number", "day"]

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def kind_of_cells(column: Column) -> CellKind:
    """Return how the cells of a column can be stored so that they still say what they say.

    Codes stay texts: what was declared a category, and numbers that are not written as a number would be.

    >>> [kind_of_cells(Column.of("c", cells)) for cells in (["34", None], ["5.5", "34"], ["2024-03-09"], ["007"])]
    ['whole number', 'number', 'day', 'text']
    """
    used = np.bincount(column.codes, minlength=len(column.labels)) > 0
    texts = [text for text, occurs in zip(column.labels, used, strict=True) if occurs and text is not None]
    if not texts or column.kind in ("category", "ordered"):
        return "text"
    if all(map(_WHOLE.fullmatch, texts)):
        return "whole number"
    if all(as_number(text) is not None and label(float(text)) == text for text in texts):
        return "number"
    return "day" if all(as_day(text) is not None for text in texts) else "text"


_ARROW_KINDS = {"text": pa.string(), "whole number": pa.int64(), "number": pa.float64(), "day": pa.date32()}


class Parquet(Format):
    """Texts, numbers and days; a missing cell is a null."""

    name: ClassVar[FormatName] = "parquet"

    def write(self, sheet: Sheet, file: BinaryIO) -> None:
        """Write cells by their kind, without a dictionary of labels that nobody has, and without statistics of ours."""
        from pyarrow.parquet import ParquetWriter  # noqa: PLC0415 - slow to import, and only Parquet needs it

        kinds = self.kinds(sheet)
        # Texts, not dictionaries: a dictionary would name labels that no row has.
        schema = pa.schema(list(zip(sheet.columns, kinds, strict=True)))
        cells = [WrittenCells.of(each, kind) for each, kind in zip(sheet.columns.values(), kinds, strict=True)]
        with ParquetWriter(file, schema, compression="zstd", store_schema=False, write_page_checksum=True) as writer:
            for rows in sheet.batches():
                writer.write_table(pa.Table.from_arrays([each.at(rows) for each in cells], schema=schema))

    def kinds(self, sheet: Sheet) -> list[pa.DataType]:
        """Say what kind of cells each column has."""
        return [_arrow_kind(column) for column in sheet.columns.values()]


def _arrow_kind(column: Column | Integers | Floats) -> pa.DataType:
    return _ARROW_KINDS[kind_of_cells(column)] if isinstance(column, Column) else pa.from_numpy_dtype(column.dtype)


class Csv(Format):
    """UTF-8, commas, quotes where needed; a missing cell is empty; what a spreadsheet would run has a `'` before it."""

    name: ClassVar[FormatName] = "csv"
    delimiter: ClassVar[str] = ","

    def write(self, sheet: Sheet, file: BinaryIO) -> None:
        """Put each label into words once, then join them row by row."""
        self._check(sheet)
        file.write((self.delimiter.join(self._cell(name) for name in sheet.columns) + "\n").encode())
        words = [WrittenCells.of(self._words(column), pa.string()) for column in sheet.columns.values()]
        for rows in _fewer(sheet.batches()):
            lines = pc.binary_join_element_wise(*(each.at(rows) for each in words), self.delimiter)
            file.write(_bytes_of(pc.binary_join_element_wise(lines, "", "\n")))

    def encode(self, label: str) -> str:
        """Keep a spreadsheet from running it."""
        return escape_formula(label)

    def decode(self, text: str) -> str:
        """Take the `'` away again."""
        return unescape_formula(text)

    def _words(self, column: Column | Integers | Floats) -> Column:
        if isinstance(column, Column):
            return Column(column.name, tuple(self._cell(text) for text in column.labels), column.codes)
        return Column.of("", [str(number) for number in column.tolist()])

    def _cell(self, label: Label) -> str:
        if label is None:
            return ""
        text = self.encode(label)
        odd = any(sign in text for sign in ',;|"\t\r\n') or text != text.strip()
        return '"' + text.replace('"', '""') + '"' if odd else text

    def _check(self, sheet: Sheet) -> None:
        for column in sheet.texts():
            if "" in column.labels and (column.codes == column.labels.index("")).any():
                message = (
                    f"'{column.name}' has cells of empty text, which CSV cannot tell from missing ones; "
                    "publish as .parquet"
                )
                raise NotPublished(message)


class Arx(Csv):
    """As ARX reads and writes: semicolons and no quotes."""

    name: ClassVar[FormatName] = "arx"
    delimiter: ClassVar[str] = ";"

    def encode(self, label: str) -> str:
        """Write it as it is."""
        return label

    def decode(self, text: str) -> str:
        """It says it as it is."""
        return text

    def _cell(self, label: Label) -> str:
        text = "" if label is None else label
        if any(sign in text for sign in ';"\r\n'):
            line = " ".join(text.split())
            message = f"'{line}' has a semicolon, quote or line break, which ARX's files cannot say; publish as csv"
            raise NotPublished(message)
        return text


FORMATS: dict[str, Format] = {each.name: each for each in (Parquet(), Csv(), Arx())}

ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}


def format_of(path: Path, wished: FormatName | None) -> Format:
    """Choose the format: by the file's ending; ARX's has to be asked for.

    >>> format_of(Path("release.csv"), None).name, format_of(Path("release.csv"), "arx").name
    ('csv', 'arx')
    """
    ending = ENDINGS.get(path.suffix.lower())
    if ending is None:
        message = f"cannot tell what to write by the ending of '{path.name}'; name it .parquet or .csv"
        raise NotPublished(message)
    chosen = ending if wished is None else wished
    if not isinstance(chosen, str) or (chosen == "parquet") != (ending == "parquet") or chosen not in FORMATS:
        message = (
            f"'{path.name}' cannot be written as {as_given(chosen)}; name it .parquet for Parquet, .csv for csv and arx"
        )
        raise NotPublished(message)
    return FORMATS[chosen]


def _fewer(batches: Iterator[slice | Integers]) -> Iterator[slice | Integers]:
    """Cut batches into ones that may be put into long lines."""
    for rows in batches:
        if isinstance(rows, slice):
            yield from (
                slice(start, min(start + LINES_AT_ONCE, rows.stop))
                for start in range(rows.start, rows.stop, LINES_AT_ONCE)
            )
        else:
            yield from (rows[start : start + LINES_AT_ONCE] for start in range(0, len(rows), LINES_AT_ONCE))


def _bytes_of(texts: pa.StringArray) -> memoryview:
    """Give the bytes of texts, one after the other; none is missing."""
    _, offsets, letters = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(letters)[ends[0] : ends[-1]]


def _row_blocks(rows: int) -> Iterator[slice]:
    for start in range(0, rows, ROWS_AT_ONCE):
        yield slice(start, min(start + ROWS_AT_ONCE, rows))


@dataclass(frozen=True, eq=False, slots=True)
class WrittenCells:
    """A column as it is written: each label is put into its kind once."""

    labels: pa.Array | None  # None: the codes are what is written
    codes: npt.NDArray[np.generic]

    @classmethod
    def of(cls, column: Column | Integers | Floats, kind: pa.DataType) -> WrittenCells:
        """Put the labels of a column into a kind."""
        if not isinstance(column, Column):
            return cls(None, column)
        used = np.bincount(column.codes, minlength=len(column.labels)) > 0  # others may be of no kind
        labels = [text if occurs else None for text, occurs in zip(column.labels, used, strict=True)]
        return cls(pa.array(labels, pa.string()).cast(kind), column.codes)

    def at(self, rows: slice | Integers) -> pa.Array:
        """Give the cells of some rows."""
        codes = pa.array(self.codes[rows])
        return codes if self.labels is None else self.labels.take(codes)


def escape_formula(label: str) -> str:
    """Put a `'` before a text that a spreadsheet would run; numbers and single signs are left alone.

    >>> [escape_formula(label) for label in ("=1+1", "-5", "-", "-5-0", "it's", "'=1")]
    ["'=1+1", '-5', '-', "'-5-0", "it's", "''=1"]
    """
    return "'" + label if _is_formula(label.lstrip("'")) else label


def unescape_formula(cell: str) -> str:
    """Take the `'` away that `escape_formula` put there.

    >>> [unescape_formula(escape_formula(label)) for label in ("=1+1", "-5", "'=1", "'")]
    ['=1+1', '-5', "'=1", "'"]
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell.lstrip("'")) else cell


def _is_formula(text: str) -> bool:
    return len(text) > 1 and text[0] in FORMULA_STARTS and as_number(text) is None
