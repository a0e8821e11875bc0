"""CSV files: header, delimiter, and what is wrong with them.

We read the header ourselves and leave DuckDB's sniffer out: it may skip rows that do not fit its guess.
Every cell is text ("00734" stays), an empty cell is a missing one.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import defaultdict
from pathlib import Path

import duckdb
import pyarrow as pa

from sidelight.errors import BadTable
from sidelight.table.roles import Roles
from sidelight.table.sql import quoted_path, quoted_text

DELIMITERS = ",;\t|"


def csv_view(files: list[tuple[Path, str | None]], roles: Roles) -> tuple[str, tuple[str, ...]]:
    """Write the query that reads the used columns of all files; also name the columns not used.

    Files may differ in delimiter and in the order of their columns.
    """
    alike: dict[tuple[str, tuple[str, ...]], list[Path]] = defaultdict(list)
    dropped: dict[str, None] = {}
    for file, said in files:
        delimiter, names = header(file, said)
        dropped |= dict.fromkeys(roles.dropped(names, file.name))
        alike[delimiter, names].append(file)
    parts = [_query(group, delimiter, names, roles) for (delimiter, names), group in alike.items()]
    return " UNION ALL ".join(parts), tuple(dropped)


def _query(files: list[Path], delimiter: str, names: tuple[str, ...], roles: Roles) -> str:
    listed = ", ".join(map(quoted_path, files))
    types = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(names)))
    columns = ", ".join(f"c{names.index(name)} AS {ours}" for ours, name in roles.used.items())
    return (
        f"SELECT {columns} FROM read_csv([{listed}], auto_detect=false, header=true, columns={{{types}}}, "  # noqa: S608
        f"delim={quoted_text(delimiter)}, quote='\"', escape='\"', strict_mode=true, hive_partitioning=false)"
    )


def header(file: Path, said: str | None) -> tuple[str, tuple[str, ...]]:
    """Read the delimiter, unless the file's ending has said it, and the names of the columns."""
    try:
        with pa.input_stream(str(file)) as stream, io.TextIOWrapper(stream, "utf-8-sig", newline="") as text:
            first = text.readline()
            if not first:
                message = f"{file.name} is empty; it needs a line with the names of the columns, and rows"
                raise BadTable(message)
            delimiter = said or sniffed(first)
            while first.count('"') % 2 and (more := text.readline()):  # a quoted name may hold a line break
                first += more
    except UnicodeDecodeError:
        raise _not_utf8(file) from None
    except OSError:
        message = f"{file.name} cannot be unpacked; check its ending and that it was written completely"
        raise BadTable(message) from None
    return delimiter, tuple(next(csv.reader(io.StringIO(first, newline=""), delimiter=delimiter), ()))


def sniffed(line: str) -> str:
    """Guess the delimiter from the header: the one that occurs most, outside quotes.

    >>> sniffed('age;"city, street";disease'), sniffed("disease")
    (';', ',')
    """
    bare = re.sub(r'"[^"]*"', "", line)
    return max(DELIMITERS, key=bare.count)


def explained(files: list[Path], problem: duckdb.Error) -> BadTable:
    """Say in one line what is wrong with a CSV file; DuckDB's own message would show the row."""
    said = str(problem)
    named = re.search(r"^\s*file = (.+)$", said, re.MULTILINE)
    file = next((each for each in files if named and str(each) == named[1].strip()), files[0])
    line = re.search(r"Line: (\d+)", said)
    where = f"line {line[1]} of {file.name}" if line else file.name
    wanted = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
    if wanted:
        return BadTable(f"{where} has {wanted[2]} cells where the header has {wanted[1]}; repair that line")
    if "utf-8" in said.lower() or "unicode" in said.lower():
        return _not_utf8(file)
    if isinstance(problem, duckdb.OutOfMemoryException):
        return BadTable(f"not enough memory, or room for temporary files, to count the rows of {file.name}")
    return BadTable(f"{where} cannot be read as CSV; check quotes and line ends there")


def _not_utf8(file: Path) -> BadTable:
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
