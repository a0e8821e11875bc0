"""Whatever was given, as rows to count."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from sidelight.errors import BadTable
from sidelight.table.answers import cells
from sidelight.table.dataframe_source import frame_rows
from sidelight.table.duckdb_source import connection, file_rows, found_files, interruptible
from sidelight.table.labels import label
from sidelight.table.packed import packed_rows
from sidelight.table.roles import Roles
from sidelight.table.source import Rows, Source


@contextmanager
def rows_of(source: object, roles: Roles) -> Iterator[Rows]:
    """Look at files, an Arrow table or any dataframe as rows to count."""
    if isinstance(source, str | Path):
        source = [source]
    if isinstance(source, list | tuple | set) and all(isinstance(each, str | Path) for each in source):
        with file_rows(found_files(list(source)), roles) as rows:
            yield rows
    elif isinstance(source, pa.Table):
        with _arrow_rows(source, roles) as rows:
            yield rows
    else:
        with interruptible():
            yield frame_rows(source, roles)


@contextmanager
def _arrow_rows(table: pa.Table, roles: Roles) -> Iterator[Rows]:
    """Let DuckDB count Arrow's columns where they are: Arrow takes twice the time and cannot mix dictionaries."""
    dropped = roles.dropped(table.column_names, "the table")
    with connection() as con:
        try:
            used = {ours: _kept_whole(table.column(name)) for ours, name in roles.used.items()}
            con.register("src", pa.table(used))
            yield packed_rows(con, roles, Source("the table", dropped))
        except duckdb.Error as problem:
            message = (
                f"DuckDB cannot count this Arrow table ({type(problem).__name__}); turn odd columns into text first"
            )
            raise BadTable(message) from None


def _kept_whole(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write cells as their labels where some version of DuckDB would cut off nanoseconds, or lose its way."""
    kind = column.type
    packed = pa.types.is_dictionary(kind) and not pa.types.is_string(kind.value_type)
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    finer = pa.types.is_duration(kind) or pa.types.is_interval(kind) or getattr(kind, "unit", "") == "ns"
    if not (packed or zoned or finer):
        return column
    chunks = [chunk.dictionary_encode() for chunk in column.chunks]
    said = [pa.array(map(label, cells(chunk.dictionary)), pa.string()) for chunk in chunks]
    codes = [chunk.indices.cast(pa.int32()) for chunk in chunks]
    texts = [pa.DictionaryArray.from_arrays(code, text) for code, text in zip(codes, said, strict=True)]
    return pa.chunked_array(texts, pa.dictionary(pa.int32(), pa.string()))
