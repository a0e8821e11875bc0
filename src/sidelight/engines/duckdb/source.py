"""Rows that DuckDB counts: Parquet, text, and Arrow tables; and connections to it.

Opening a DuckDB takes longer than counting some thousand rows.  So few rows are counted in one that is kept open, each
time by a new connection with its own views; rows that may not fit into memory get a DuckDB that can spill.

Rows are a view `src` of our own connection, with our own names for the used columns; only counts reach Python.  Text is
grouped as it is.  Parquet and Arrow are packed first: grouping eight text columns costs DuckDB about twice the time and
three times the memory of grouping one number.  So a first pass finds the labels of every column, each column is joined
with a small table (label → its share of the packed number, see `sorted_runs`), and the sums are grouped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir
from typing import TYPE_CHECKING

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa

from sidelight.engines.source import (
    Frame,
    Heading,
    Rows,
    Source,
    TextRows,
    arrow_integers,
    duckdb_batches,
    has_odd_type,
    labels_of,
    naming,
    nulls_for_missing,
    numpy_integers,
    packing_of,
    python_cells,
    refuse_arrow_type,
    refuse_types,
    sql_text,
    unused_columns,
    words_for_files,
)
from sidelight.errors import BadTable, NoRoom, parameter
from sidelight.files import open_private, private_folder, real_path
from sidelight.table.labels import SUPPRESSED, KindOrOrder, label, positions_of
from sidelight.text import bytes_in_words

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory
    from sidelight.streams.sorted_runs import Packing, Words
    from sidelight.table.roles import Roles

SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",  # nothing is fetched behind the user's back
    "autoload_known_extensions": "false",
    "disabled_optimizers": "build_side_probe_side,join_order",  # rows look labels up, also where labels are as many
    "preserve_insertion_order": "false",  # counts have no order; saves memory
    "python_enable_replacements": "false",  # a file's name must not find a Python variable
}

# DuckDB groups row groups of 122,880 rows; below one of them it uses a single thread and never needs to spill
FEW_ROWS, FEW_BYTES = 120_000, 2**23


def need_no_disk(size: int, rows: int = 0) -> bool:
    """Return whether rows of `size` bytes never need to spill; DuckDB counts them by one thread anyway."""
    return size <= FEW_BYTES and rows <= FEW_ROWS


@cache
def kept_database() -> duckdb.DuckDBPyConnection:
    """Return the DuckDB for few rows, which writes nothing to disk."""
    return duckdb.connect(":memory:", config={**SETTINGS, "temp_directory": "", "threads": 1})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=kept_database.cache_clear)  # a child that ends with a DuckDB of its parent crashes


@contextmanager
def connection(memory: Memory | None = None, *, few: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Connect to an empty DuckDB; unless for few rows, it spills to a private folder that is removed afterwards."""
    if few:
        try:
            with closing(kept_database().cursor()) as con, interruptible():
                yield con
        except BaseException:
            kept_database.cache_clear()  # a DuckDB that failed inside would answer nothing any more
            raise
        return
    limit = {} if memory is None else {"memory_limit": memory.engine_limit}
    with private_folder() as spill:
        con = duckdb.connect(":memory:", config={**SETTINGS, **limit, "temp_directory": str(spill)})
        try:
            with interruptible():
                yield con
        finally:
            con.close()


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where DuckDB raises a `RuntimeError` for Ctrl-C."""
    try:
        yield
    except RuntimeError as stopped:
        if "interrupted" in str(stopped):
            raise KeyboardInterrupt from None
        raise


def is_full(problem: duckdb.Error) -> bool:
    """Return whether memory or the disk is full, rather than the file unreadable."""
    # DuckDB reports a full disk as a failed write, or as a spilled file that is cut short (`duckdb_temp_storage…`);
    # any other IOException is about the file that was to be read
    spilled = "write" in str(problem) or "duckdb_temp" in str(problem)
    unwritten = isinstance(problem, duckdb.IOException) and spilled
    return unwritten or isinstance(problem, duckdb.OutOfMemoryException)


def no_room(name: str, memory: Memory | None, rows: int | None = None) -> NoRoom:
    """Build the error that DuckDB's memory and the disk that it spills to are too small."""
    more = "" if memory is None else f"give more {parameter('memory')} than {bytes_in_words(memory.total)}, or "
    folder = gettempdir()
    free = bytes_in_words(disk_usage(folder).free)
    # DuckDB spilled 46 to 49 bytes of a row where people have several rows, 35 where one
    needed = "" if rows is None else f", and it takes up to {bytes_in_words(64 * rows)}"
    return NoRoom(
        f"not enough memory, or room for temporary files, to count the rows of {name}; {more}set TMPDIR to a disk with "
        f"more room ('{folder}' has {free}{needed})"
    )


def sql_path(file: Path) -> str:
    """Quote the path of one file, so that DuckDB expands neither patterns nor `~` in it.

    >>> sql_path(Path("/data/part[1].csv"))
    "'/data/part[[]1].csv'"
    """
    # brackets make each glob sign stand for itself, and an absolute path never begins with ~
    return sql_text(re.sub(r"([*?\[])", r"[\1]", str(file.absolute())))


@contextmanager
def arrow_rows(
    table: pa.Table,
    roles: Roles,
    files: Sequence[Path] = (),
    *,
    packed: bool = True,
    memory: Memory | None = None,
    notes: tuple[str, ...] = (),
) -> Iterator[Rows]:
    """Open an Arrow table as rows that DuckDB counts: Arrow takes twice the time and cannot mix dictionaries.

    `files` are those that the table was read from, if any; `notes` are about their cells.
    """
    source = source_of_files(files, ()) if files else Source("the table", ())
    unused = unused_columns(roles, Heading.of_schema(table.schema), source.name)
    source = replace(source, dropped=unused, notes=notes)
    with connection(memory, few=need_no_disk(table.nbytes, table.num_rows)) as con:
        try:
            used = {ours: _replace_finer_cells(name, table.column(name)) for ours, name in roles.used.items()}
            con.register("src", pa.table(used))
            roles = roles.add_types({name: _kind_of_arrow_type(table.column(name)) for name in roles.quasi})
            source = replace(source, texts=text_columns(table.schema, roles))
            yield rows_of_view(con, roles, source, packed=packed, memory=memory)
        except duckdb.Error as problem:
            if is_full(problem):
                raise no_room(source.name, memory, table.num_rows) from None
            raise BadTable(
                f"DuckDB cannot count this Arrow table ({type(problem).__name__}); turn odd columns into text first"
            ) from None


def _kind_of_arrow_type(column: pa.ChunkedArray) -> KindOrOrder | None:
    """Return the kind of a categorical: ordered by its dictionary if Arrow marks it so and there is just one."""
    if not pa.types.is_dictionary(column.type):
        return None
    dictionaries = {tuple(map(label, python_cells(chunk.dictionary))) for chunk in column.chunks}
    # chunks may have different dictionaries, and then there is no single order to keep
    if not column.type.ordered or len(dictionaries) != 1:
        return "category"
    return tuple(text for text in dictionaries.pop() if text is not None)


def text_columns(schema: pa.Schema, roles: Roles) -> frozenset[str]:
    """Return the quasi-identifiers that are text by their type."""
    kinds = {name: schema.field(name).type for name in roles.quasi}
    return frozenset(name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _replace_finer_cells(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Replace cells by their labels if some version of DuckDB lacks the type, cuts off nanoseconds, or fails."""
    kind = column.type
    refuse_arrow_type(name, kind)
    packed = pa.types.is_dictionary(kind) and not pa.types.is_string(kind.value_type)
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    finer = pa.types.is_duration(kind) or pa.types.is_time(kind) or getattr(kind, "unit", "") == "ns"
    if not (packed or zoned or finer or has_odd_type(kind)):
        return column
    # each distinct cell is turned into its label once; rows keep their codes, which are only cast to 32 bits
    chunks = [chunk.dictionary_encode() for chunk in column.chunks]
    with naming(name):
        labels = [pa.array(map(label, python_cells(chunk.dictionary)), pa.string()) for chunk in chunks]
    codes = [chunk.indices.cast(pa.int32()) for chunk in chunks]
    texts = [pa.DictionaryArray.from_arrays(code, text) for code, text in zip(codes, labels, strict=True)]
    return pa.chunked_array(texts, pa.dictionary(pa.int32(), pa.string()))


def source_of_files(files: Sequence[Path], dropped: tuple[str, ...]) -> Source:
    """Describe files as the source of rows; `dropped` are columns that are not used."""
    return Source(words_for_files(files), dropped, files=tuple(map(real_path, files)))


def rows_of_view(
    con: duckdb.DuckDBPyConnection, roles: Roles, source: Source, *, packed: bool, memory: Memory | None
) -> Rows:
    """Return the rows of the view `src`, packed or as they are; packing first lists all labels of every column."""
    if packed:
        return packed_rows(con, roles, source, memory)
    return TextRows.select(nw.from_native(con.table("src")), roles, source, {name: name for name in roles.used})


def store_by_column(con: duckdb.DuckDBPyConnection, view: str) -> duckdb.DuckDBPyRelation:
    """Copy rows to a columnar table `src`, in memory or in a file beside what DuckDB spills."""
    (folder,) = con.sql("SELECT current_setting('temp_directory')").fetchall()[0]
    if not folder:
        con.execute(f"CREATE TEMP TABLE src AS {view}")
        return con.table("src")
    file = Path(folder) / "rows.parquet"
    open_private(file).close()  # which is written over, and keeps its rights
    con.execute(f"COPY ({view}) TO {sql_path(file)} (FORMAT parquet, USE_TMP_FILE false)")
    con.execute(f"CREATE TEMP VIEW src AS SELECT * FROM read_parquet({sql_path(file)})")  # noqa: S608
    return con.table("src")


@dataclass(frozen=True, slots=True)
class PackedRows(TextRows):
    """Rows whose key and sensitive value are packed: `word0`, `word1`, …; `key` is the last one without the value."""

    known: Packing

    @property
    def key_and_value(self) -> tuple[str, ...]:
        """The packed numbers."""
        return tuple(f"word{number}" for number in range(len(self.known.layout)))

    @property
    def key(self) -> tuple[str, ...]:
        """The packed numbers, the last one without the sensitive value."""
        return (*self.key_and_value[:-1], "key")

    def exclusions(self) -> list[nw.Expr]:
        """Return the conditions on packed numbers: suppressed keys, missing sensitive values."""
        conditions = []
        star = self.known.key_of(SUPPRESSED)
        if self.roles.suppressed == "leave out" and star is not None:
            same = [nw.col(name) == number for name, number in zip(self.key, star, strict=True)]
            conditions.append(nw.all_horizontal(*same, ignore_nulls=False))
        if self.roles.missing == "drop":
            # a sensitive column's code is a digit of what is left of the packed number without the key
            width = self.known.width
            # width = Π radices of the sensitive columns; each step divides the next radix off, the leading digit first
            value = nw.col(self.key_and_value[-1]) - nw.col("key") * width
            for labels in self.known.value_labels:
                width //= max(len(labels), 1)
                if None in labels:
                    conditions.append((value // width) % len(labels) == labels.index(None))
        return conditions

    def words(self, answer: pa.Table, packing: Packing, columns: tuple[str, ...]) -> Words:
        """Return the numbers of an answer, which are packed already."""
        return [numpy_integers(answer.column(name)) for name in columns]


def packed_rows(
    con: duckdb.DuckDBPyConnection, roles: Roles, source: Source, memory: Memory | None = None
) -> PackedRows:
    """Pack the view `src` of a connection, which has our own names for the columns; persons and weights stay."""
    refuse_types(con.table("src"), roles.used)
    distinct, rows = _distinct_cells(con, roles, memory)
    known = packing_of(distinct, roles)
    for number, (column, labels, weight) in enumerate(zip(distinct, known.labels, known.weights(), strict=True)):
        # several cells may say the same label, so the cells of a column need not be in the order of the labels
        shares = positions_of(labels_of(column, roles), labels) * weight
        con.register(f"code{number}", pa.table({"cell": column, "share": arrow_integers(shares)}))
    # Inner joins lose no row: every cell of `src` is among those that the first pass saw, or `check_totals` notices.
    # = never matches NULL, so a column with missing cells needs the slower comparison that does
    equal = ["IS NOT DISTINCT FROM" if column.null_count else "=" for column in distinct]
    joins = [f"JOIN code{i} ON src.{name} {equal[i]} code{i}.cell" for i, name in enumerate(roles.coded)]
    # A row's word is the sum of its columns' shares, code × weight: mixed radix, as `Packing.pack` computes it.
    sums = ["CAST(" + " + ".join(f"code{i}.share" for i in held) + " AS BIGINT)" for held in known.layout]
    words = [f"{total} AS word{number}" for number, total in enumerate(sums)]
    uncoded = [name for name in roles.used if name not in roles.coded]
    further = [f"src.{name} AS {name}" for name in uncoded]
    columns = ", ".join([*words, f"{sums[-1]} // {known.width} AS key", *further])
    frame: Frame = nw.from_native(con.sql(f"SELECT {columns} FROM src {' '.join(joins)}"))  # noqa: S608 - our own names
    for name in uncoded:
        frame = frame.with_columns(nulls_for_missing(frame, name, roles))
    return PackedRows(frame, roles, replace(source, rows=rows), known)


def _distinct_cells(con: duckdb.DuckDBPyConnection, roles: Roles, memory: Memory | None) -> tuple[list[pa.Array], int]:
    """Return the distinct cells of every column, and the number of rows, reading each column once.

    One query per column can spill to disk if nearly every row differs; lists of cells could not.  Cells are in order,
    so that millions of texts need neither be sorted nor looked up.
    """
    distinct: list[pa.Array] = []
    for name in roles.coded:
        cells = con.sql(f"SELECT DISTINCT {name} FROM src ORDER BY 1")  # noqa: S608 - our own names only
        batches, labels = [], sum(map(len, distinct))
        for batch in (answer := duckdb_batches(cells)):
            batches.append(batch)
            if memory is not None and not memory.holds_labels(labels + sum(map(len, batches))):
                answer.close()
                (many,) = con.sql(f"SELECT count(DISTINCT {name}) FROM src").fetchall()[0]  # noqa: S608
                raise memory.too_many_labels(roles.used[name], many)
        distinct.append(
            pa.Table.from_batches(batches, cells.limit(0).to_arrow_table().schema).column(0).combine_chunks()
        )
    return distinct, con.sql("SELECT count(*) FROM src").to_arrow_table().column(0)[0].as_py()
