"""Files by their ending: Parquet, CSV that a spreadsheet does not run, and CSV as ARX writes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, ClassVar, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from sidelight.errors import NotPublished
from sidelight.publish.layouts import Sheet
from sidelight.publish.spreadsheets import as_text, from_text
from sidelight.table.columns import Column, Integers
from sidelight.table.labels import Label

FormatName: TypeAlias = Literal["parquet", "csv", "arx"]

ROWS_AT_ONCE = 1 << 18
"""How many rows are put into words at a time."""


class Format(ABC):
    """How cells are written, and what a cell that was read back says."""

    name: ClassVar[FormatName]

    @abstractmethod
    def write(self, sheet: Sheet, file: BinaryIO) -> None:
        """Write all rows."""

    def written(self, label: str) -> str:
        """Say what stands in the file for a label or a column's name."""
        return label

    def meant(self, text: str) -> str:
        """Say what a text that stands in the file means."""
        return text


class Parquet(Format):
    """Texts and whole numbers; a missing cell is a null."""

    name: ClassVar[FormatName] = "parquet"

    def write(self, sheet: Sheet, file: BinaryIO) -> None:
        """Write texts as they are, without a dictionary of labels that nobody has, and without statistics of ours."""
        from pyarrow.parquet import ParquetWriter  # noqa: PLC0415 - slow to import, and only Parquet needs it

        kinds = [pa.string() if isinstance(column, Column) else pa.int64() for column in sheet.columns.values()]
        schema = pa.schema(list(zip(sheet.columns, kinds, strict=True)))
        with ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
            for rows in _stretches(len(sheet)):
                arrays = [_cells(column, rows) for column in sheet.columns.values()]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


class Csv(Format):
    """UTF-8, commas, quotes where needed; a missing cell is empty; what a spreadsheet would run has a `'` before it."""

    name: ClassVar[FormatName] = "csv"
    delimiter: ClassVar[str] = ","

    def write(self, sheet: Sheet, file: BinaryIO) -> None:
        """Put each label into words once, then join them row by row."""
        self._check(sheet)
        file.write((self.delimiter.join(self._cell(name) for name in sheet.columns) + "\n").encode())
        words = [self._words(column) for column in sheet.columns.values()]
        for rows in _stretches(len(sheet)):
            cells = [_cells(column, rows) for column in words]
            lines = pc.binary_join_element_wise(*cells, self.delimiter) if len(cells) > 1 else cells[0]
            file.write("\n".join(lines.to_pylist()).encode() + b"\n")

    def written(self, label: str) -> str:
        """Keep a spreadsheet from running it."""
        return as_text(label)

    def meant(self, text: str) -> str:
        """Take the `'` away again."""
        return from_text(text)

    def _words(self, column: Column | Integers) -> Column:
        if isinstance(column, Column):
            return Column(column.name, tuple(self._cell(text) for text in column.labels), column.codes)
        return Column.of("", [str(number) for number in column.tolist()])

    def _cell(self, label: Label) -> str:
        if label is None:
            return ""
        text = self.written(label)
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

    def written(self, label: str) -> str:
        """Say it as it is."""
        return label

    def meant(self, text: str) -> str:
        """It says it as it is."""
        return text

    def _cell(self, label: Label) -> str:
        text = "" if label is None else label
        if any(sign in text for sign in ';"\r\n'):
            said = " ".join(text.split())
            message = f"'{said}' has a semicolon, quote or line break, which ARX's files cannot say; publish as csv"
            raise NotPublished(message)
        return text


FORMATS: dict[str, Format] = {each.name: each for each in (Parquet(), Csv(), Arx())}

ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}


def format_of(path: Path, asked: FormatName | None) -> Format:
    """Choose the format: by the file's ending; ARX's has to be asked for.

    >>> format_of(Path("release.csv"), None).name, format_of(Path("release.csv"), "arx").name
    ('csv', 'arx')
    """
    ending = ENDINGS.get(path.suffix.lower())
    if ending is None:
        message = f"cannot tell what to write by the ending of '{path.name}'; name it .parquet or .csv"
        raise NotPublished(message)
    chosen = asked or ending
    if (chosen == "parquet") != (ending == "parquet") or chosen not in FORMATS:
        message = f"'{path.name}' cannot be written as {chosen}; name it .parquet for Parquet, .csv for csv and arx"
        raise NotPublished(message)
    return FORMATS[chosen]


def _stretches(rows: int) -> Iterator[slice]:
    for start in range(0, rows, ROWS_AT_ONCE):
        yield slice(start, min(start + ROWS_AT_ONCE, rows))


def _cells(column: Column | Integers, rows: slice) -> pa.Array:
    if isinstance(column, Column):
        return pa.array(column.labels, pa.string()).take(pa.array(column.codes[rows]))
    return pa.array(column[rows])
