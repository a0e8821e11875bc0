"""Parquet, in one file or several that are one table: read where it is, and written for releases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, TypeVar

import duckdb
import pyarrow as pa

from sidelight.engines.duckdb.session import connection, is_full, need_no_disk, no_room, sql_path
from sidelight.engines.duckdb.source import rows_of_view, source_of_files, text_columns
from sidelight.engines.formats.file_format import FileFormat, Heading, Writer
from sidelight.engines.formats.page_checksums import check_pages
from sidelight.engines.formats.sheet import Sheet, WrittenCells
from sidelight.engines.names_or_row import unused_columns
from sidelight.engines.source import Rows, no_texts, sql_name, words_for_files
from sidelight.errors import BadTable, SidelightError
from sidelight.streams.memory import Memory
from sidelight.table.roles import Roles

Answer = TypeVar("Answer")


def schema_of(file: Path) -> pa.Schema:
    """Read what a Parquet file says about its columns."""
    from pyarrow.parquet import read_schema  # noqa: PLC0415 - slow to import, and only Parquet needs it

    schema = _read_footer(read_schema, file)
    try:
        schema.names  # noqa: B018 - they are decoded only now
    except UnicodeDecodeError:
        message = f"{file.name} has a column whose name is not UTF-8; write the file again with other names"
        raise BadTable(message) from None
    return schema


def metadata_of(file: Path) -> pa.FileMetaData:
    """Read what a Parquet file says about its rows, and where they are."""
    from pyarrow.parquet import read_metadata  # noqa: PLC0415 - slow to import, and only Parquet needs it

    return _read_footer(read_metadata, file)


def _read_footer(read: Callable[[Path], Answer], file: Path) -> Answer:
    try:
        return read(file.absolute())
    except (pa.ArrowException, OSError, ValueError):  # a damaged name is no UTF-8
        message = f"{file.name} cannot be read as Parquet; check that it was written completely"
        raise BadTable(message) from None


def count_rows(files: Sequence[Path]) -> int:
    """Return how many rows Parquet files say that they have."""
    return sum(metadata_of(file).num_rows for file in files)


def _largest_whole(file: Path, column: str) -> int | None:
    """Return how large the whole numbers of a column are at most, if the file says so."""
    metadata, largest = metadata_of(file), 0
    for number in range(metadata.num_row_groups):
        part = metadata.row_group(number)
        chunk = next(each for each in map(part.column, range(part.num_columns)) if each.path_in_schema == column)
        known = chunk.statistics
        if known is not None and known.has_min_max:
            # a row group without statistics could hold any number, unless all of its cells are null
            largest = max(largest, abs(known.min), abs(known.max))
        elif known is None or known.null_count != chunk.num_values:
            return None
    return largest


def _parquet_view(files: list[Path], roles: Roles) -> tuple[str, tuple[str, ...]]:
    """Write the query that reads the used columns of all files; also name the columns not used."""
    schemas = [schema_of(file) for file in files]
    dropped = [
        unused_columns(roles, schema.names, file.name, numbers=no_texts(schema))
        for file, schema in zip(files, schemas, strict=True)
    ]
    for name in roles.used.values():
        _check_types(name, files, [schema.field(name).type for schema in schemas])
        for file, schema in zip(files, schemas, strict=True):  # DuckDB would take the first of them
            if sum(other.casefold() == name.casefold() for other in schema.names) > 1:
                message = f"two columns of {file.name} are called '{name}', but for capitals; rename one"
                raise BadTable(message)
    columns = ", ".join(f"{sql_name(name)} AS {ours}" for ours, name in roles.used.items())
    listed = ", ".join(map(sql_path, files))
    # hive_partitioning off: names of folders such as year=2020 must not become columns
    view = f"SELECT {columns} FROM read_parquet([{listed}], union_by_name=true, hive_partitioning=false)"  # noqa: S608
    return view, tuple(dict.fromkeys(chain.from_iterable(dropped)))


def _check_types(name: str, files: list[Path], types: list[pa.DataType]) -> None:
    """Let whole numbers of one file meet the fractions of another; other mixtures change what cells say."""
    # union_by_name would cast silently where types differ, and a cast can change a label
    if all(each == types[0] for each in types):
        return
    if not all(pa.types.is_integer(each) or pa.types.is_floating(each) for each in types) or not _stay_whole(
        name, files, types
    ):
        message = f"the files store column '{name}' as different types; store it as text in all of them"
        raise BadTable(message)


def _stay_whole(name: str, files: list[Path], types: list[pa.DataType]) -> bool:
    """Return whether whole numbers are small enough to stay what they are among the fractions of other files."""
    # a float of 16, 32 or 64 bits is exact for whole numbers of 11, 24 or 53 bits
    exact = min(
        ({16: 11, 32: 24, 64: 53}[each.bit_width] for each in types if pa.types.is_floating(each)), default=None
    )
    if exact is None:
        return True
    longer = [
        file
        for file, each in zip(files, types, strict=True)
        if pa.types.is_integer(each) and each.bit_width - pa.types.is_signed_integer(each) > exact
    ]
    return all((most := _largest_whole(file, name)) is not None and most <= 1 << exact for file in longer)


def _check_nothing_cut_off(file: Path, roles: Roles, src: duckdb.DuckDBPyRelation) -> None:
    """Refuse durations and long decimals, which DuckDB takes for numbers, and nanoseconds, where it cuts them off."""
    schema, read = schema_of(file), dict(zip(src.columns, map(str, src.types), strict=True))
    for ours, name in roles.used.items():
        kind = schema.field(name).type
        finer = pa.types.is_duration(kind) or getattr(kind, "unit", "") == "ns"
        longer = pa.types.is_decimal(kind) and not read[ours].startswith("DECIMAL")
        # DuckDB reads decimals of more than 38 digits as doubles, which would merge labels that differ
        if longer or (finer and not read[ours].endswith("_NS")):
            message = f"column '{name}' of {file.name} holds {kind} cells; store it as text, or give a dataframe"
            raise BadTable(message)


def _problem(files: list[Path], problem: duckdb.Error, memory: Memory | None) -> SidelightError:
    if is_full(problem):
        return no_room(words_for_files(files), memory, count_rows(files))
    kind = type(problem).__name__
    return BadTable(f"{words_for_files(files)} cannot be read ({kind}); check that it was written completely")


class ParquetWriter(Writer):
    """Texts, numbers and days; a missing cell is a null."""

    name = "parquet"
    endings = (".parquet", ".pq")
    empty = ""

    def write(self, sheet: Sheet, file: BinaryIO) -> None:
        """Write cells by their kind, without a dictionary of labels that nobody has, and without statistics of ours."""
        from pyarrow import parquet  # noqa: PLC0415 - slow to import, and only Parquet needs it

        kinds = sheet.arrow_kinds()
        # Texts, not dictionaries: a dictionary would name labels that no row has.
        schema = pa.schema(list(zip(sheet.columns, kinds, strict=True)))
        cells = [WrittenCells.build(each, kind) for each, kind in zip(sheet.columns.values(), kinds, strict=True)]
        options: dict[str, Any] = {"compression": "zstd", "store_schema": False, "write_page_checksum": True}
        with parquet.ParquetWriter(file, schema, **options) as writer:
            for rows in sheet.batches():
                writer.write_table(pa.Table.from_arrays([each.take(rows) for each in cells], schema=schema))

    def read(self, path: Path, numbers: Collection[str]) -> pa.Table:
        """Read cells by their types."""
        from pyarrow.parquet import read_table  # noqa: PLC0415 - slow to import, and only Parquet needs it

        del numbers
        return read_table(path)


class Parquet(FileFormat):
    """Parquet files; Spark writes a table as a folder of them."""

    words = "Parquet"
    endings = (".parquet", ".pq")
    advice = ".parquet"
    first_bytes: ClassVar[Mapping[bytes, str]] = {b"PAR1": ".parquet"}
    in_spark = True
    writers = (ParquetWriter(),)

    @contextmanager
    def open_rows(self, files: list[Path], roles: Roles, *, packed: bool, memory: Memory | None) -> Iterator[Rows]:
        """Have DuckDB scan the files, of which it does not check the checksums."""
        few = need_no_disk(sum(file.stat().st_size for file in files), count_rows(files))
        with connection(memory, few=few) as con:
            try:
                view, dropped = _parquet_view(files, roles)
                for file in files:
                    check_pages(file, metadata_of(file), roles.used.values())
                # checksums come first: DuckDB counts damaged pages without an error
                con.execute(f"CREATE TEMP VIEW src AS {view}")
                _check_nothing_cut_off(files[0], roles, con.table("src"))
                schema = schema_of(files[0])
                dictionaries = [name for name in roles.quasi if pa.types.is_dictionary(schema.field(name).type)]
                roles = roles.add_types(dict.fromkeys(dictionaries, "category"))  # the order is not kept in the file
                source = replace(source_of_files(files, dropped), texts=text_columns(schema, roles))
                yield rows_of_view(con, roles, source, packed=packed, memory=memory)
            except duckdb.Error as problem:
                raise _problem(files, problem, memory) from None

    @contextmanager
    def open_heading(self, file: Path, roles: Roles) -> Iterator[Heading]:
        """Read the schema."""
        del roles
        schema = schema_of(file)
        yield tuple(schema.names), list, no_texts(schema)

    def read_in_spark(self, session: Any, paths: Sequence[str], roles: Roles) -> Any:  # noqa: ANN401 - of an extra
        """Have Spark read the files as they are."""
        del roles
        return session.read.parquet(*paths)
