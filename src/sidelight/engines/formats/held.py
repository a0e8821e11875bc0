"""Kinds of files that no engine reads where they are: a library reads them, and their cells become Arrow tables."""

from __future__ import annotations

import datetime as dt
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pyarrow as pa

from sidelight.engines.duckdb.source import arrow_rows
from sidelight.engines.formats.file_format import FileFormat, Heading
from sidelight.engines.names_or_row import unused_columns
from sidelight.engines.source import Rows, no_texts
from sidelight.errors import BadTable
from sidelight.streams.memory import Memory
from sidelight.table.labels import label
from sidelight.table.roles import Roles


class HeldFormat(FileFormat):
    """Files whose cells are held in memory."""

    types_may_differ = False  # between files: a spreadsheet says of each cell what it is, and of no column

    @abstractmethod
    def read_columns(self, file: Path, roles: Roles) -> tuple[list[tuple[str, Sequence[object]]], tuple[str, ...]]:
        """Read all cells, column by column; also return notes about them."""

    @contextmanager
    def open_rows(self, files: list[Path], roles: Roles, *, packed: bool, memory: Memory | None) -> Iterator[Rows]:
        """Read all cells, and have DuckDB count them."""
        tables, notes = zip(*(self._read_table(file, roles) for file in files), strict=True)
        table = tables[0] if len(files) == 1 else self._concatenate(files, tables, roles)
        said = tuple(chain.from_iterable(notes))
        with arrow_rows(table, roles, files, packed=packed, memory=memory, notes=said) as rows:
            yield rows

    @contextmanager
    def open_heading(self, file: Path, roles: Roles) -> Iterator[Heading]:
        """Read all cells, for the names and types of their columns."""
        schema = self._read_table(file, roles)[0].schema
        yield tuple(schema.names), list, no_texts(schema)

    def _read_table(self, file: Path, roles: Roles) -> tuple[pa.Table, tuple[str, ...]]:
        columns, notes = self.read_columns(file, roles)
        return pa.Table.from_arrays([_build_array(cells) for _, cells in columns], [name for name, _ in columns]), notes

    def _concatenate(self, files: Sequence[Path], tables: Sequence[pa.Table], roles: Roles) -> pa.Table:
        """Put the rows of several files together; each has the columns that are used."""
        for file, table in zip(files, tables, strict=True):
            unused_columns(roles, table.column_names, file.name, numbers=no_texts(table.schema))
        for name in dict.fromkeys(chain.from_iterable(table.column_names for table in tables)):
            those = [table[name] for table in tables if name in table.column_names]
            types = {column.type for column in those if column.null_count < len(column)}
            numbers = all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in types)
            if len(types) > 1 and not numbers and name in roles.used.values() and not self.types_may_differ:
                message = f"the files store column '{name}' as different types; store it as text in all of them"
                raise BadTable(message)  # such as codes that have labels in one file and none in another
            # numbers of several types meet as 64-bit floats; any other mixture is compared as text, by its labels
            kind = next(iter(types)) if len(types) == 1 else pa.float64() if numbers and types else pa.string()
            tables = [_cast_column(table, name, kind) if name in table.column_names else table for table in tables]
        return pa.concat_tables(tables, promote_options="permissive")


def _cast_column(table: pa.Table, name: str, kind: pa.DataType) -> pa.Table:
    """Let a column be of a type: text by what its cells say, any type where they say nothing; numbers stay."""
    column = table[name]
    if column.null_count == len(column):
        cells = pa.nulls(len(column), kind)
    elif column.type != kind and kind == pa.string():
        cells = pa.array([label(cell) for cell in column.to_pylist()], kind)
    else:
        return table
    return table.set_column(table.column_names.index(name), name, cells)


def _build_array(cells: Sequence[object]) -> pa.Array:
    """Store cells by their kind: whole numbers, numbers, days, truths; texts, and what is mixed, as labels."""
    present = [cell for cell in cells if label(cell) is not None]
    kinds = {type(cell) for cell in present}
    # whole numbers that a column of 64 bits can say
    if kinds and kinds <= {int, float} and all(abs(cell) < 2**63 and float(cell).is_integer() for cell in present):  # type: ignore[arg-type]
        return pa.array([None if label(cell) is None else int(cell) for cell in cells], pa.int64())  # type: ignore[call-overload]
    # spreadsheets have no days, only moments at midnight: where all are, a column is one of days
    if kinds == {dt.datetime} and all(cell.time() == dt.time() for cell in present):  # type: ignore[attr-defined]
        return pa.array([None if label(cell) is None else cell.date() for cell in cells], pa.date32())  # type: ignore[attr-defined]
    if len(kinds) == 1 and kinds <= {float, bool, dt.date, dt.datetime}:
        return pa.array([None if label(cell) is None else cell for cell in cells])
    return pa.array([label(cell) for cell in cells], pa.string())


@contextmanager
def reading_errors(message: str) -> Iterator[None]:
    """Report in one line that a library cannot read a file: of damaged ones they raise anything, or panic."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # noqa: BLE001 - a panic of Rust is no Exception
        raise BadTable(message) from None
