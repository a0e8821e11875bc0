"""Rows that DuckDB counts: Parquet, CSV and TSV files, and Arrow tables.

Rows are a view `src` of a connection of our own, with our own names for the used columns, and nothing of it is ever
brought into Python but counts.  Text is grouped as it is.  Parquet and Arrow are packed first: grouping eight text
columns costs DuckDB about twice the time and three times the memory of grouping one number.  So a first look finds the
labels of every column, each column is joined with a small table (label → its share of the packed number, see
`packed_keys`), and the sums are grouped.

Opening a DuckDB takes longer than counting some thousand rows.  So few rows are counted in one that is kept, each time
by a connection of its own, whose views nobody else sees; rows that may not fit into memory get one that can spill.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from sidelight.arrays import Integers
from sidelight.engines.dataframes.source import (
    has_odd_type,
    nulls_for_missing,
    refuse_arrow_type,
    refuse_types,
    text_rows,
)
from sidelight.engines.files import (
    PARQUET,
    TEXT,
    FirstLine,
    check_whole,
    ending,
    largest_whole,
    named_in_words,
    no_texts,
    not_utf8,
    number_of_rows,
    packer,
    schema_of,
)
from sidelight.engines.foreign_files import as_utf8
from sidelight.engines.names_or_row import unused_columns
from sidelight.engines.page_checksums import check_pages
from sidelight.engines.source import (
    Frame,
    FrameRows,
    Rows,
    Source,
    arrow_integers,
    duckdb_batches,
    labels_of,
    naming,
    numpy_integers,
    packing_of,
    python_cells,
    sql_name,
    sql_text,
)
from sidelight.errors import BadTable, NoRoom, SidelightError, parameter
from sidelight.files import open_private, private_folder, real_path
from sidelight.streams.memory import Memory
from sidelight.streams.packed_keys import Packing, Words
from sidelight.table.labels import SUPPRESSED, KindOrOrder, Label, label
from sidelight.table.roles import Roles
from sidelight.text import bytes_in_words

SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",  # nothing is fetched behind the user's back
    "autoload_known_extensions": "false",
    "disabled_optimizers": "build_side_probe_side,join_order",  # rows look labels up, also where labels are as many
    "preserve_insertion_order": "false",  # counts have no order; saves memory
    "python_enable_replacements": "false",  # a file's name must not find a Python variable
}

FEW_ROWS = 120_000
"""So many rows of Parquet or Arrow never need to spill; DuckDB counts them by one thread anyway."""

FEW_BYTES = 2**23
"""So many bytes of text, Parquet or Arrow, together with the above."""


@cache
def _kept() -> duckdb.DuckDBPyConnection:
    """Open the DuckDB of few rows: nothing of it is ever on disk."""
    return duckdb.connect(":memory:", config={**SETTINGS, "temp_directory": "", "threads": 1})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_kept.cache_clear)  # a child that ends with an open DuckDB of its parent crashes


@contextmanager
def connection(memory: Memory | None = None, *, few: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Connect to a DuckDB that is empty: unless for few rows, it spills to a folder of its own, gone afterwards."""
    if few:
        try:
            with closing(_kept().cursor()) as con, interruptible():
                yield con
        except BaseException:
            _kept.cache_clear()  # a DuckDB that failed inside would answer nothing any more
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
    """Let Ctrl-C be Ctrl-C; DuckDB says it in its own way."""
    try:
        yield
    except RuntimeError as stopped:
        if "interrupted" in str(stopped):
            raise KeyboardInterrupt from None
        raise


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
    """Let DuckDB count Arrow's columns where they are: Arrow takes twice the time and cannot mix dictionaries.

    `files` are those that the table was read from, if any, and `notes` are about their cells.
    """
    source = _source(files, ()) if files else Source("the table", ())
    unused = unused_columns(roles, table.column_names, source.name, numbers=no_texts(table.schema))
    source = replace(source, dropped=unused, notes=notes)
    with connection(memory, few=table.num_rows <= FEW_ROWS and table.nbytes <= FEW_BYTES) as con:
        try:
            used = {ours: _without_finer_cells(name, table.column(name)) for ours, name in roles.used.items()}
            con.register("src", pa.table(used))
            roles = roles.with_types({name: _kind_of_type(table.column(name)) for name in roles.quasi})
            source = replace(source, texts=_texts(table.schema, roles))
            yield _rows_of_view(con, roles, source, packed=packed, memory=memory)
        except duckdb.Error as problem:
            if _is_full(problem):
                raise _no_room(source.name, memory, table.num_rows) from None
            message = (
                f"DuckDB cannot count this Arrow table ({type(problem).__name__}); turn odd columns into text first"
            )
            raise BadTable(message) from None


def _kind_of_type(column: pa.ChunkedArray) -> KindOrOrder | None:
    """Say what a categorical is: ordered as its dictionary is where it says so, and it is one."""
    if not pa.types.is_dictionary(column.type):
        return None
    dictionaries = {tuple(map(label, python_cells(chunk.dictionary))) for chunk in column.chunks}
    if not column.type.ordered or len(dictionaries) != 1:
        return "category"
    return tuple(text for text in dictionaries.pop() if text is not None)


def _texts(schema: pa.Schema, roles: Roles) -> frozenset[str]:
    """Name the columns that are text by their type."""
    kinds = {name: schema.field(name).type for name in roles.quasi}
    return frozenset(name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _without_finer_cells(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write cells as their labels where some version of DuckDB has no such type, cuts nanoseconds off, or fails."""
    kind = column.type
    refuse_arrow_type(name, kind)
    packed = pa.types.is_dictionary(kind) and not pa.types.is_string(kind.value_type)
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    finer = pa.types.is_duration(kind) or pa.types.is_time(kind) or getattr(kind, "unit", "") == "ns"
    if not (packed or zoned or finer or has_odd_type(kind)):
        return column
    chunks = [chunk.dictionary_encode() for chunk in column.chunks]
    with naming(name):
        labels = [pa.array(map(label, python_cells(chunk.dictionary)), pa.string()) for chunk in chunks]
    codes = [chunk.indices.cast(pa.int32()) for chunk in chunks]
    texts = [pa.DictionaryArray.from_arrays(code, text) for code, text in zip(codes, labels, strict=True)]
    return pa.chunked_array(texts, pa.dictionary(pa.int32(), pa.string()))


@contextmanager
def file_rows(files: list[Path], roles: Roles, *, packed: bool = True, memory: Memory | None = None) -> Iterator[Rows]:
    """Look at files as rows to count, with the used columns as a view `src` of a connection.

    Packing takes one more pass over the rows: that pays for Parquet, and not for text, which is slow to scan.  Text
    whose columns are looked at one by one is scanned once, into what is gone with the connection; so is text that is
    packed after all, because memory is bounded.
    """
    with connection(memory, few=_are_few(files)) as con:
        is_parquet = ending(files[0]) in PARQUET
        reading = (
            _parquet_rows(con, files, roles, packed=packed, memory=memory)
            if is_parquet
            else _text_rows(con, files, roles, columnar=not packed, memory=memory)
        )
        with reading as rows:
            yield rows


def _are_few(files: Sequence[Path]) -> bool:
    """Say whether files surely fit into memory; those that are packed may hold anything."""
    if any(map(packer, files)) or sum(file.stat().st_size for file in files) > FEW_BYTES:
        return False
    return ending(files[0]) not in PARQUET or sum(map(number_of_rows, files)) <= FEW_ROWS


@contextmanager
def _parquet_rows(
    con: duckdb.DuckDBPyConnection, files: list[Path], roles: Roles, *, packed: bool, memory: Memory | None
) -> Iterator[Rows]:
    try:
        view, dropped = _parquet_view(files, roles)
        for file in files:
            check_pages(file, roles.used.values())
        con.execute(f"CREATE TEMP VIEW src AS {view}")
        _check_nothing_cut_off(files[0], roles, con.table("src"))
        schema = schema_of(files[0])
        dictionaries = [name for name in roles.quasi if pa.types.is_dictionary(schema.field(name).type)]
        roles = roles.with_types(dict.fromkeys(dictionaries, "category"))  # the order is not kept in the file
        source = replace(_source(files, dropped), texts=_texts(schema, roles))
        yield _rows_of_view(con, roles, source, packed=packed, memory=memory)
    except duckdb.Error as problem:
        raise _unreadable(files, problem, memory) from None


def _rows_of_view(
    con: duckdb.DuckDBPyConnection, roles: Roles, source: Source, *, packed: bool, memory: Memory | None
) -> Rows:
    """Pack the view `src`, or leave its cells as they are: packing lists all labels of every column first."""
    if packed:
        return packed_rows(con, roles, source, memory)
    return text_rows(nw.from_native(con.table("src")), roles, source, {name: name for name in roles.used})


@contextmanager
def _text_rows(
    con: duckdb.DuckDBPyConnection, files: list[Path], roles: Roles, *, columnar: bool, memory: Memory | None
) -> Iterator[Rows]:
    with as_utf8(files, roles.encoding) as texts:
        for text in texts:
            check_whole(text)
        try:
            view, dropped = csv_view([(text, TEXT[ending(text)]) for text in texts], roles)
            ours = {name: name for name in roles.used}
            if memory is not None:
                _columnar(con, view)
                yield packed_rows(con, roles, _source(files, dropped), memory)
                return
            rows = _columnar(con, view) if columnar else con.sql(view)
            yield text_rows(nw.from_native(rows), roles, _source(files, dropped), ours)
        except duckdb.Error as problem:
            raise csv_problem(texts, problem, memory) from None


def _columnar(con: duckdb.DuckDBPyConnection, view: str) -> duckdb.DuckDBPyRelation:
    """Copy rows to where a column is read without the others, `src`: to memory, or a file beside what DuckDB spills."""
    (folder,) = con.sql("SELECT current_setting('temp_directory')").fetchall()[0]
    if not folder:
        con.execute(f"CREATE TEMP TABLE src AS {view}")
        return con.table("src")
    file = Path(folder) / "rows.parquet"
    open_private(file).close()  # which is written over, and keeps its rights
    con.execute(f"COPY ({view}) TO {sql_path(file)} (FORMAT parquet, USE_TMP_FILE false)")
    con.execute(f"CREATE TEMP VIEW src AS SELECT * FROM read_parquet({sql_path(file)})")  # noqa: S608
    return con.table("src")


def _parquet_view(files: list[Path], roles: Roles) -> tuple[str, tuple[str, ...]]:
    schemas = [schema_of(file) for file in files]
    dropped = [
        unused_columns(roles, schema.names, file.name, numbers=no_texts(schema))
        for file, schema in zip(files, schemas, strict=True)
    ]
    for name in roles.used.values():
        _check_kinds(name, files, [schema.field(name).type for schema in schemas])
        for file, schema in zip(files, schemas, strict=True):  # DuckDB would take the first of them
            if sum(other.casefold() == name.casefold() for other in schema.names) > 1:
                message = f"two columns of {file.name} are called '{name}', but for capitals; rename one"
                raise BadTable(message)
    columns = ", ".join(f"{sql_name(name)} AS {ours}" for ours, name in roles.used.items())
    listed = ", ".join(map(sql_path, files))
    view = f"SELECT {columns} FROM read_parquet([{listed}], union_by_name=true, hive_partitioning=false)"  # noqa: S608
    return view, tuple(dict.fromkeys(chain.from_iterable(dropped)))


def _check_kinds(name: str, files: list[Path], kinds: list[pa.DataType]) -> None:
    """Let whole numbers of one file meet the fractions of another; other mixtures change what cells say."""
    numeric = [pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds]
    if any(kind != kinds[0] for kind in kinds) and not (all(numeric) and _stay_whole(name, files, kinds)):
        message = f"the files store column '{name}' as different types; store it as text in all of them"
        raise BadTable(message)


EXACT_BITS = {16: 11, 32: 24, 64: 53}
"""Fractions of so many bits are exact for whole numbers of so many."""


def _stay_whole(name: str, files: list[Path], kinds: list[pa.DataType]) -> bool:
    """Say whether whole numbers are small enough to stay what they are among the fractions of other files."""
    exact = min((EXACT_BITS[kind.bit_width] for kind in kinds if pa.types.is_floating(kind)), default=None)
    if exact is None:
        return True
    longer = [
        file
        for file, kind in zip(files, kinds, strict=True)
        if pa.types.is_integer(kind) and kind.bit_width - pa.types.is_signed_integer(kind) > exact
    ]
    return all((most := largest_whole(file, name)) is not None and most <= 1 << exact for file in longer)


def _check_nothing_cut_off(file: Path, roles: Roles, src: duckdb.DuckDBPyRelation) -> None:
    """Refuse durations and long decimals, which DuckDB takes for numbers, and nanoseconds, where it cuts them off."""
    schema, read = schema_of(file), dict(zip(src.columns, map(str, src.types), strict=True))
    for ours, name in roles.used.items():
        kind = schema.field(name).type
        finer = pa.types.is_duration(kind) or getattr(kind, "unit", "") == "ns"
        longer = pa.types.is_decimal(kind) and not read[ours].startswith("DECIMAL")
        if longer or (finer and not read[ours].endswith("_NS")):
            message = f"column '{name}' of {file.name} holds {kind} cells; store it as text, or give a dataframe"
            raise BadTable(message)


def _unreadable(files: list[Path], problem: duckdb.Error, memory: Memory | None) -> SidelightError:
    named = named_in_words(files)
    if _is_full(problem):
        return _no_room(named, memory, sum(map(number_of_rows, files)))
    return BadTable(f"{named} cannot be read ({type(problem).__name__}); check that it was written completely")


SPILLED_PER_ROW = 64
"""Bytes that DuckDB spills of a row at most: 46 to 49 were measured where people have several rows, 35 where one."""


def _is_full(problem: duckdb.Error) -> bool:
    """Whether memory or the disk gave out, and not the file."""
    unwritten = isinstance(problem, duckdb.IOException) and "write" in str(problem)
    return unwritten or isinstance(problem, duckdb.OutOfMemoryException)


def _no_room(name: str, memory: Memory | None, rows: int | None = None) -> NoRoom:
    """Say that DuckDB's share of the memory, and the disk that it spills to, were not enough."""
    more = "" if memory is None else f"give more {parameter('memory')} than {bytes_in_words(memory.total)}, or "
    folder = gettempdir()
    free = bytes_in_words(disk_usage(folder).free)
    needed = "" if rows is None else f", and it takes up to {bytes_in_words(SPILLED_PER_ROW * rows)}"
    return NoRoom(
        f"not enough memory, or room for temporary files, to count the rows of {name}; {more}set TMPDIR to a disk with "
        f"more room ('{folder}' has {free}{needed})"
    )


def _source(files: Sequence[Path], dropped: tuple[str, ...]) -> Source:
    return Source(named_in_words(files), dropped, files=tuple(map(real_path, files)))


def csv_view(files: list[tuple[Path, str | None]], roles: Roles) -> tuple[str, tuple[str, ...]]:
    """Write the query that reads the used columns of all files; also name the columns not used.

    Files may differ in delimiter and in the order of their columns.  Every cell is text ("00734" stays), an empty cell
    is a missing one.
    """
    # We read the first line ourselves and leave DuckDB's sniffer out: it may skip rows that do not fit its guess.
    layouts: dict[tuple[str, tuple[str, ...], str | None], list[Path]] = defaultdict(list)
    dropped: dict[str, None] = {}
    for file, delimiter in files:
        first = FirstLine.of(file, delimiter)
        dropped |= dict.fromkeys(unused_columns(roles, first.names, file.name, rows=first.rows))
        layouts[first.delimiter, first.names, packer(file)].append(file)
    parts = [_query(group, *layout, roles) for layout, group in layouts.items()]
    return " UNION ALL ".join(parts), tuple(dropped)


def _query(files: list[Path], delimiter: str, names: tuple[str, ...], packed_by: str | None, roles: Roles) -> str:
    listed = ", ".join(map(sql_path, files))
    types = ", ".join(f"c{number}: 'VARCHAR'" for number in range(len(names)))
    columns = ", ".join(f"c{names.index(name)} AS {ours}" for ours, name in roles.used.items())
    return (
        f"SELECT {columns} FROM read_csv([{listed}], auto_detect=false, header=true, columns={{{types}}}, "  # noqa: S608
        f"delim={sql_text(delimiter)}, quote='\"', escape='\"', strict_mode=true, hive_partitioning=false, "
        f"compression={sql_text(packed_by or 'none')})"
    )


def csv_problem(files: list[Path], problem: duckdb.Error, memory: Memory | None = None) -> SidelightError:
    """Say in one line what is wrong with a CSV file; DuckDB's own message would show the row."""
    report = str(problem)
    named = re.search(r"^\s*file = (.+)$", report, re.MULTILINE)
    file = next((each for each in files if named and str(each.absolute()) == named[1].strip()), files[0])
    line = re.search(r"Line: (\d+)", report)
    where = f"line {line[1]} of {file.name}" if line else file.name
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", report)
    if columns:
        return BadTable(f"{where} has {columns[2]} cells where the header has {columns[1]}; repair that line")
    limit = re.search(r"Maximum line size of (\d+) bytes", report)
    if limit:
        most = f"{int(limit[1]):,}"
        return BadTable(f"{where} has more than {most} bytes; check that its quotes are closed, or shorten its cells")
    if "utf-8" in report.lower() or "unicode" in report.lower():
        return not_utf8(file)
    if _is_full(problem):
        return _no_room(file.name, memory)
    return BadTable(f"{where} cannot be read as CSV; check quotes and line ends there")


@dataclass(frozen=True, slots=True)
class PackedRows(FrameRows):
    """Rows whose key and sensitive value are packed: `word0`, `word1`, … and `key`, the last one without the value."""

    frame: Frame
    roles: Roles
    source: Source
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
        """Compare packed numbers."""
        conditions = []
        star = self.known.key_of(SUPPRESSED)
        if self.roles.suppressed == "leave out" and star is not None:
            same = [nw.col(name) == number for name, number in zip(self.key, star, strict=True)]
            conditions.append(nw.all_horizontal(*same, ignore_nulls=False))
        if self.roles.missing == "drop":
            conditions += self._valueless()
        return conditions

    def _valueless(self) -> Iterator[nw.Expr]:
        """Read each sensitive column's code off the packed number: a digit of it."""
        width = self.known.width
        value = nw.col(self.key_and_value[-1]) - nw.col("key") * width
        for labels in self.known.value_labels:
            width //= max(len(labels), 1)
            if None in labels:
                yield (value // width) % len(labels) == labels.index(None)

    def packing(self, answer: pa.Table) -> Packing:
        """It is known already."""
        del answer
        return self.known

    def words(self, answer: pa.Table, packing: Packing, columns: tuple[str, ...]) -> Words:
        """Take the numbers as they are."""
        del packing
        return [numpy_integers(answer.column(name)) for name in columns]


def packed_rows(
    con: duckdb.DuckDBPyConnection, roles: Roles, source: Source, memory: Memory | None = None
) -> PackedRows:
    """Pack the view `src` of a connection, which has our own names for the columns."""
    refuse_types(con.table("src"), roles.used)
    distinct, rows = _distinct_cells(con, roles, memory)
    known = packing_of(distinct, roles)
    for number, (column, labels, weight) in enumerate(zip(distinct, known.labels, known.weights(), strict=True)):
        shares = _codes_of(labels_of(column, roles), labels) * weight
        con.register(f"code{number}", pa.table({"cell": column, "share": arrow_integers(shares)}))
    frame: Frame = nw.from_native(con.sql(_packing_query(distinct, known, roles)))
    for name in _uncoded(roles):
        frame = frame.with_columns(nulls_for_missing(frame, name, roles))
    return PackedRows(frame, roles, replace(source, rows=rows), known)


def _distinct_cells(con: duckdb.DuckDBPyConnection, roles: Roles, memory: Memory | None) -> tuple[list[pa.Array], int]:
    """Find the distinct cells of every column, and the number of rows, reading each column once.

    A query of its own for each can spill to disk, should nearly every row differ; lists of cells could not.  In order,
    because then millions of texts need neither be sorted nor looked up.
    """
    distinct: list[pa.Array] = []
    for name in roles.coded:
        cells = con.sql(f"SELECT DISTINCT {name} FROM src ORDER BY 1")  # noqa: S608 - our own names only
        batches, labels = [], sum(map(len, distinct))
        for batch in (reader := duckdb_batches(cells)):
            batches.append(batch)
            if memory is not None and not memory.holds_labels(labels + sum(map(len, batches))):
                reader.close()
                (many,) = con.sql(f"SELECT count(DISTINCT {name}) FROM src").fetchall()[0]  # noqa: S608
                raise memory.too_many_labels(roles.used[name], many)
        distinct.append(
            pa.Table.from_batches(batches, cells.limit(0).to_arrow_table().schema).column(0).combine_chunks()
        )
    return distinct, con.sql("SELECT count(*) FROM src").to_arrow_table().column(0)[0].as_py()


def _codes_of(texts: Sequence[Label], labels: tuple[Label, ...]) -> Integers:
    """Say where each text stands among the labels."""
    if tuple(texts) == labels:
        return np.arange(len(labels))
    code_of = {text: number for number, text in enumerate(labels)}
    return np.fromiter((code_of[text] for text in texts), np.int64, len(texts))


def _packing_query(distinct: list[pa.Array], known: Packing, roles: Roles) -> str:
    """Join every column with its shares of the packed numbers.

    A column with missing cells needs the slower comparison that lets a missing cell equal a missing cell.
    """
    # Inner joins lose no row: every cell of `src` is among those that the first pass saw, or `_tabulate` notices.
    equal = ["IS NOT DISTINCT FROM" if column.null_count else "=" for column in distinct]
    joins = [f"JOIN code{i} ON src.{name} {equal[i]} code{i}.cell" for i, name in enumerate(roles.coded)]
    # A row's word is the sum of its columns' shares, code × weight: mixed radix, as `Packing.pack` computes it.
    sums = ["CAST(" + " + ".join(f"code{i}.share" for i in held) + " AS BIGINT)" for held in known.layout]
    words = [f"{total} AS word{number}" for number, total in enumerate(sums)]
    further = [f"src.{name} AS {name}" for name in _uncoded(roles)]
    columns = ", ".join([*words, f"{sums[-1]} // {known.width} AS key", *further])
    return f"SELECT {columns} FROM src {' '.join(joins)}"  # noqa: S608 - our own names only


def _uncoded(roles: Roles) -> list[str]:
    """Name the columns that are taken as they are."""
    return [name for name in roles.used if name not in roles.coded]


def sql_path(file: Path) -> str:
    """Write the path of one file, so that DuckDB takes it neither for a pattern nor for somebody's home.

    >>> sql_path(Path("/data/part[1].csv"))
    "'/data/part[[]1].csv'"
    """
    return sql_text(re.sub(r"([*?\[])", r"[\1]", str(file.absolute())))
