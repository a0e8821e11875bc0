"""Checksums of Parquet's pages, and one file per file: what DuckDB reads it does not check.

Format    A column of a row group is a *chunk*: pages one after the other, each a header and its bytes.  A header says
          how many bytes follow and, if its writer wrote it (Spark does, and our releases do), their CRC-32.  It is
          written in Thrift's compact protocol: fields as (step from the last number, kind), a stop, numbers in zigzag.
Cost      the bytes of the columns that are read, once, as they are stored: nothing is unpacked.  A file whose first
          page has no checksum costs one header.
Twice     A file begins and ends with PAR1.  Of two that were written one after the other into one, as `cat` does,
          only what the last end tells of would be read: no chunk may be followed by an end and another beginning.
Limits    headers and what stands at the end of the file are within no checksum; a page without one is taken as it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from sidelight.errors import BadTable

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAGIC = b"PAR1"

# How many bytes are looked through at a time
BLOCK = 1 << 20


def check_pages(file: Path, about: pq.FileMetaData, columns: Collection[str]) -> None:
    """Refuse a Parquet file that is several in one, or a page of these columns whose checksum is another's."""
    wanted = {*columns}
    with file.open("rb") as stream:
        _refuse_several(stream, file, about)
        for group in map(about.row_group, range(about.num_row_groups)):
            for chunk in map(group.column, range(group.num_columns)):
                if chunk.path_in_schema in wanted and not _check_chunk(stream, file, chunk):
                    return


def _refuse_several(stream: BinaryIO, file: Path, about: pq.FileMetaData) -> None:
    # a Parquet file begins and ends with PAR1: PAR1PAR1 behind the last chunk is where two files meet
    groups = map(about.row_group, range(about.num_row_groups))
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    after_chunks = max((_begin(chunk) + chunk.total_compressed_size for chunk in chunks), default=len(MAGIC))
    end = stream.seek(0, SEEK_END) - about.serialized_size
    last = b""
    for at in range(stream.seek(min(after_chunks, end)), end, BLOCK):
        block = last + stream.read(min(BLOCK, end - at))
        if MAGIC + MAGIC in block:
            message = f"{file.name} holds several Parquet files, one after the other; give each as a file of its own"
            raise BadTable(message)
        # the last 7 bytes are carried over: the 8 bytes that are sought may lie across two blocks
        last = block[1 - 2 * len(MAGIC) :]


def _begin(chunk: pa.ColumnChunkMetaData) -> int:
    """Return where a chunk begins: with its dictionary, if it has one."""
    return min((at for at in (chunk.dictionary_page_offset, chunk.data_page_offset) if at), default=0)


def _check_chunk(stream: BinaryIO, file: Path, chunk: pa.ColumnChunkMetaData) -> bool:
    """Check the pages of a chunk; return whether they have checksums."""
    at, checked = _begin(chunk), False
    end = at + chunk.total_compressed_size
    while at < end:
        try:
            header = _read_header(stream, at, end)
        except (IndexError, ValueError):
            raise _damage_error(file) from None
        at += header.length
        if header.checksum is None:
            # checksums are optional: a writer that omits the first one omits all of them
            if not checked:
                return False
        elif not 0 <= header.page_size <= end - at:
            raise _damage_error(file)
        else:
            stream.seek(at)
            if zlib.crc32(stream.read(header.page_size)) != header.checksum:
                raise _damage_error(file)
            checked = True
        at += max(header.page_size, 0)
    return True


def _damage_error(file: Path) -> BadTable:
    return BadTable(f"{file.name} is damaged: a page is not the one that its checksum tells of; write it again")


@dataclass(frozen=True, slots=True)
class PageHeader:
    """The header of a page: its own length, the length of the page, and the checksum, if there is one."""

    length: int
    page_size: int
    checksum: int | None


def _read_header(stream: BinaryIO, at: int, end: int) -> PageHeader:
    """Read a header, of up to 16 MiB; raise `ValueError` or `IndexError` where there is none."""
    room = 1 << 13  # one with long statistics has more
    while True:
        stream.seek(at)
        try:
            return read_header(stream.read(min(room, end - at)))
        except IndexError:
            if room >= min(end - at, 1 << 24):
                raise
            room *= 8


def read_header(raw: bytes) -> PageHeader:
    """Read a page's header from the beginning of some bytes.

    >>> read_header(bytes([0x15, 0, 0x15, 8, 0x15, 6, 0x15, 13, 0]))
    PageHeader(length=9, page_size=3, checksum=4294967289)
    """
    reader = _Compact(raw)
    numbers = reader.struct()
    page_size, checksum = numbers.get(3), numbers.get(4)  # the fields of a header by their numbers
    if page_size is None:
        message = "no page's header"
        raise ValueError(message)
    return PageHeader(reader.at, page_size, None if checksum is None else checksum & 0xFFFFFFFF)


@dataclass(slots=True)
class _Compact:
    """Reads Thrift's compact protocol: whole numbers of a struct are kept, all else is passed over."""

    raw: bytes
    at: int = 0

    def byte(self) -> int:
        self.at += 1
        return self.raw[self.at - 1]

    def number(self) -> int:
        """Read seven bits at a time, the lowest first."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 63:
                message = "no number"
                raise ValueError(message)

    def read_signed(self) -> int:
        """Undo zigzag: 0, −1, 1, −2 are written 0, 1, 2, 3, and so on."""
        value = self.number()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 0) -> dict[int, int]:
        """Read a struct; return its whole numbers by the numbers of their fields."""
        # a boolean field has its value in its kind, so nothing of it is left to be read or skipped
        numbers: dict[int, int] = {}
        field = 0
        while head := self.byte():
            kind = head & 0x0F
            # the upper four bits are the distance from the last field's number; 0 says that the number itself follows
            field = field + (head >> 4) if head >> 4 else self.read_signed()
            if kind in _WHOLE:
                numbers[field] = self.read_signed()
            elif kind not in _TRUTHS:
                self.skip(kind, depth)
        return numbers

    def skip(self, kind: int, depth: int) -> None:
        if kind == _BYTE or kind in _TRUTHS:
            self.at += 1
        elif kind in _WHOLE:
            self.number()
        elif kind == _DOUBLE:
            self.at += 8
        elif kind == _BINARY:
            length = self.number()  # which moves on itself
            self.at += length
        elif kind in _LISTS and depth < _DEEPEST:
            head = self.byte()
            for _ in range(head >> 4 if head >> 4 < 15 else self.number()):
                self.skip(head & 0x0F, depth + 1)
        elif kind == _STRUCT and depth < _DEEPEST:
            self.struct(depth + 1)
        else:
            message = "no such kind, in a page's header"
            raise ValueError(message)


_TRUTHS, _BYTE, _WHOLE, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
_DEEPEST = 8
