"""Parquet, in one file or several that are one table: checked, then scanned where it is.

DuckDB ignores the checksums of pages, so they are checked here first.

Format    A column of a row group is a *chunk*: pages one after the other, each a header and its bytes.  A header says
          how many bytes follow and, if its writer wrote it (Spark does, and our releases do), their CRC-32.  It is
          written in Thrift's compact protocol: fields as (step from the last number, kind), a stop, numbers in zigzag.
Cost      the bytes of the columns that are read, once, as they are stored: nothing is unpacked.  A file whose first
          page has no checksum costs one header.
Twice     A file begins and ends with PAR1.  Of two that were written one after the other into one, as `cat` does,
          only the data that the last end lists would be read: no chunk may be followed by an end and another beginning.
Limits    headers and what stands at the end of the file are within no checksum; a page without one is taken as it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from os import SEEK_CUR, SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import duckdb
import pyarrow as pa

from sidelight.engines.duckdb.source import (
    connection,
    is_full,
    need_no_disk,
    no_room,
    rows_of_view,
    source_of_files,
    sql_path,
    text_columns,
)
from sidelight.engines.source import FileFormat, Heading, Rows, sql_name, unused_columns, words_for_files
from sidelight.errors import BadTable

if TYPE_CHECKING:
    import pyarrow.parquet as pq

    from sidelight.streams.memory import Memory
    from sidelight.table.roles import Roles

Footer = TypeVar("Footer")

MAGIC = b"PAR1"

# How many bytes are looked through at a time
SCANNED_AT_ONCE = 1 << 20


def check_pages(file: Path, about: pq.FileMetaData, columns: Collection[str]) -> None:
    """Raise `BadTable` if a Parquet file is several in one, or if a page of these columns has a wrong checksum."""
    groups = map(about.row_group, range(about.num_row_groups))
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    with file.open("rb") as stream:
        # PAR1PAR1 behind the last chunk is where two files meet
        after_chunks = max((_begin(chunk) + chunk.total_compressed_size for chunk in chunks), default=len(MAGIC))
        end = stream.seek(0, SEEK_END) - about.serialized_size
        last = b""
        for at in range(stream.seek(min(after_chunks, end)), end, SCANNED_AT_ONCE):
            block = last + stream.read(min(SCANNED_AT_ONCE, end - at))
            if MAGIC + MAGIC in block:
                raise BadTable(
                    f"{file.name} holds several Parquet files, one after the other; give each as a file of its own"
                )
            # the last 7 bytes are carried over: the 8 bytes that are sought may lie across two blocks
            last = block[1 - 2 * len(MAGIC) :]
        for chunk in chunks:
            if chunk.path_in_schema in {*columns} and not _check_chunk(stream, file, chunk):
                return


def _begin(chunk: pa.ColumnChunkMetaData) -> int:
    """Return where a chunk begins: with its dictionary, if it has one."""
    return min((at for at in (chunk.dictionary_page_offset, chunk.data_page_offset) if at), default=0)


def _check_chunk(stream: BinaryIO, file: Path, chunk: pa.ColumnChunkMetaData) -> bool:
    """Check the pages of a chunk; return whether they have checksums."""
    damaged = BadTable(f"{file.name} is damaged: a page is not the one that its checksum tells of; write it again")
    at, checked = _begin(chunk), False
    end = at + chunk.total_compressed_size
    while at < end:
        room = 1 << 13  # a header with long statistics has more, up to 16 MiB
        while True:
            stream.seek(at)
            try:
                length, page_size, checksum = read_header(stream.read(min(room, end - at)))
                break
            except (IndexError, ValueError) as problem:
                if isinstance(problem, ValueError) or room >= min(end - at, 1 << 24):
                    raise damaged from None
                room *= 8
        at += length
        if checksum is None:
            # checksums are optional: a writer that omits the first one omits all of them
            if not checked:
                return False
        else:
            stream.seek(at)
            if not 0 <= page_size <= end - at or zlib.crc32(stream.read(page_size)) != checksum:
                raise damaged
            checked = True
        at += max(page_size, 0)
    return True


def read_header(raw: bytes) -> tuple[int, int, int | None]:
    """Return the lengths of a page's header and of the page, and the checksum if there is one.

    >>> read_header(bytes([0x15, 0, 0x15, 8, 0x15, 6, 0x15, 13, 0]))
    (9, 3, 4294967289)
    """
    stream = BytesIO(raw)
    numbers = _read_struct(stream)
    page_size, checksum = numbers.get(3), numbers.get(4)  # the fields of a header by their numbers
    if page_size is None:
        raise ValueError("no page's header")
    return stream.tell(), page_size, None if checksum is None else checksum & 0xFFFFFFFF


# Thrift's compact protocol: whole numbers of a struct are kept, all else is passed over
_TRUTHS, _BYTE, _WHOLE, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12


def _read_varint(stream: BytesIO) -> int:
    """Read seven bits at a time, the lowest first."""
    value = 0
    for shift in range(0, 70, 7):
        byte = stream.read(1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
    raise ValueError("no number")


def _read_signed(stream: BytesIO) -> int:
    """Undo zigzag: 0, −1, 1, −2 are written 0, 1, 2, 3, and so on."""
    value = _read_varint(stream)
    return (value >> 1) ^ -(value & 1)


def _read_struct(stream: BytesIO, depth: int = 0) -> dict[int, int]:
    """Read a struct; return its whole numbers by the numbers of their fields."""
    # a boolean field has its value in its kind, so nothing of it is left to be read or skipped
    numbers: dict[int, int] = {}
    field = 0
    while head := stream.read(1)[0]:
        kind = head & 0x0F
        # the upper four bits are the distance from the last field's number; 0 says that the number itself follows
        field = field + (head >> 4) if head >> 4 else _read_signed(stream)
        if kind in _WHOLE:
            numbers[field] = _read_signed(stream)
        elif kind not in _TRUTHS:
            _skip(stream, kind, depth)
    return numbers


def _skip(stream: BytesIO, kind: int, depth: int) -> None:
    if kind == _BYTE or kind in _TRUTHS:
        stream.seek(1, SEEK_CUR)
    elif kind in _WHOLE:
        _read_varint(stream)
    elif kind == _DOUBLE:
        stream.seek(8, SEEK_CUR)
    elif kind == _BINARY:
        stream.seek(_read_varint(stream) + stream.tell())
    elif kind in _LISTS and depth < 8:
        head = stream.read(1)[0]
        for _ in range(head >> 4 if head >> 4 < 15 else _read_varint(stream)):
            _skip(stream, head & 0x0F, depth + 1)
    elif kind == _STRUCT and depth < 8:
        _read_struct(stream, depth + 1)
    else:
        raise ValueError("no such kind, in a page's header")


def schema_of(file: Path) -> pa.Schema:
    """Read the schema of a Parquet file."""
    from pyarrow.parquet import read_schema  # noqa: PLC0415 - slow to import, and only Parquet needs it

    schema = _read_footer(read_schema, file)
    try:
        schema.names  # noqa: B018 - they are decoded only now
    except UnicodeDecodeError:
        message = f"{file.name} has a column whose name is not UTF-8; write the file again with other names"
        raise BadTable(message) from None
    return schema


def metadata_of(file: Path) -> pa.FileMetaData:
    """Read the metadata of a Parquet file: its rows, and where they are."""
    from pyarrow.parquet import read_metadata  # noqa: PLC0415 - slow to import, and only Parquet needs it

    return _read_footer(read_metadata, file)


def _read_footer(read: Callable[[Path], Footer], file: Path) -> Footer:
    try:
        return read(file.absolute())
    except (pa.ArrowException, OSError, ValueError):  # a damaged name is no UTF-8
        raise BadTable(f"{file.name} cannot be read as Parquet; check that it was written completely") from None


def _largest_whole(file: Path, column: str) -> float:
    """Return the largest absolute value of a column of whole numbers, infinity if the file has no statistics."""
    metadata, largest = metadata_of(file), 0.0
    for part in map(metadata.row_group, range(metadata.num_row_groups)):
        chunk = next(each for each in map(part.column, range(part.num_columns)) if each.path_in_schema == column)
        known = chunk.statistics
        if known is not None and known.has_min_max:
            largest = max(largest, abs(known.min), abs(known.max))
        # a row group without statistics could hold any number, unless all of its cells are null
        elif known is None or known.null_count != chunk.num_values:
            return float("inf")
    return largest


def _parquet_view(files: Sequence[Path], roles: Roles) -> tuple[str, tuple[str, ...]]:
    """Write the query that reads the used columns of all files; also return the unused columns."""
    schemas = {file: schema_of(file) for file in files}
    dropped: dict[str, None] = {}
    for file, schema in schemas.items():
        dropped |= dict.fromkeys(unused_columns(roles, Heading.of_schema(schema), file.name))
    for name in roles.used.values():
        types = {file: schema.field(name).type for file, schema in schemas.items()}
        # union_by_name would cast silently where types differ, and a cast can change a label
        if any(each != types[files[0]] for each in types.values()) and not _stay_whole(name, types):
            raise BadTable(f"the files store column '{name}' as different types; store it as text in all of them")
        for file, schema in schemas.items():  # DuckDB would take the first of them
            if sum(other.casefold() == name.casefold() for other in schema.names) > 1:
                raise BadTable(f"two columns of {file.name} are called '{name}', but for capitals; rename one")
    columns = ", ".join(f"{sql_name(name)} AS {ours}" for ours, name in roles.used.items())
    listed = ", ".join(map(sql_path, files))
    # hive_partitioning off: names of folders such as year=2020 must not become columns
    view = f"SELECT {columns} FROM read_parquet([{listed}], union_by_name=true, hive_partitioning=false)"  # noqa: S608
    return view, tuple(dropped)


def _stay_whole(name: str, types: Mapping[Path, pa.DataType]) -> bool:
    """Return whether all types are numbers, and whole ones stay exact among the floats of other files."""
    if not all(pa.types.is_integer(each) or pa.types.is_floating(each) for each in types.values()):
        return False
    # a float of 16, 32 or 64 bits is exact for whole numbers of 11, 24 or 53 bits
    floats = [{16: 11, 32: 24, 64: 53}[each.bit_width] for each in types.values() if pa.types.is_floating(each)]
    exact = min(floats, default=64)
    return all(
        _largest_whole(file, name) <= 1 << exact
        for file, each in types.items()
        if pa.types.is_integer(each) and each.bit_width - pa.types.is_signed_integer(each) > exact
    )


def _check_nothing_cut_off(file: Path, roles: Roles, src: duckdb.DuckDBPyRelation) -> None:
    """Raise `BadTable` for types that DuckDB changes: durations, long decimals, nanoseconds in some versions."""
    schema, read = schema_of(file), dict(zip(src.columns, map(str, src.types), strict=True))
    for ours, name in roles.used.items():
        kind = schema.field(name).type
        finer = pa.types.is_duration(kind) or getattr(kind, "unit", "") == "ns"
        longer = pa.types.is_decimal(kind) and not read[ours].startswith("DECIMAL")
        # DuckDB reads decimals of more than 38 digits as doubles, which would merge labels that differ
        if longer or (finer and not read[ours].endswith("_NS")):
            raise BadTable(f"column '{name}' of {file.name} holds {kind} cells; store it as text, or give a dataframe")


@contextmanager
def open_parquet(files: Sequence[Path], roles: Roles, packed: bool, memory: Memory | None) -> Iterator[Rows]:  # noqa: FBT001
    """Open Parquet files as rows that DuckDB scans, after their checksums are checked."""
    many = sum(metadata_of(file).num_rows for file in files)
    with connection(memory, few=need_no_disk(sum(file.stat().st_size for file in files), many)) as con:
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
            if is_full(problem):
                raise no_room(words_for_files(files), memory, many) from None
            kind = type(problem).__name__
            message = f"{words_for_files(files)} cannot be read ({kind}); check that it was written completely"
            raise BadTable(message) from None


@contextmanager
def _parquet_heading(file: Path, _roles: Roles) -> Iterator[Heading]:
    yield Heading.of_schema(schema_of(file))


# Spark writes a table as a folder of such files
PARQUET = FileFormat(
    words="Parquet",
    endings=(".parquet", ".pq"),
    advice=".parquet",
    open_rows=open_parquet,
    open_heading=_parquet_heading,
    first_bytes={MAGIC: ".parquet"},
    read_in_spark=lambda session, paths, _: session.read.parquet(*paths),
)
