"""Text that is not UTF-8, and where it first is not."""

from __future__ import annotations

import codecs
from pathlib import Path

import pyarrow as pa

from sidelight.errors import BadTable


def not_utf8(file: Path) -> BadTable:
    """Say which byte of a file, packed or not, is wrong."""
    return BadTable(f"{file.name} is not UTF-8: byte {_first_bad_byte(file):,} (from 0) is wrong; save it as UTF-8")


def _first_bad_byte(file: Path) -> int:
    decoder = codecs.getincrementaldecoder("utf-8")()
    read = 0
    with pa.input_stream(str(file)) as stream:
        while True:
            chunk = stream.read(1 << 20)
            waiting = len(decoder.getstate()[0])  # bytes of a character cut in two by the end of the last chunk
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as problem:
                return read - waiting + problem.start
            if not chunk:
                return read
            read += len(chunk)
