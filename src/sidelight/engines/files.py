"""Files on disk: which are meant, what kind each is, and what its columns are called.

A path, a glob or a list of them means some files, and `-` standard input; the ending says whether one is text, Parquet
or what other programs keep (`table.foreign_files`).  The first line of a text file says the delimiter and the names of
the columns, or is, by mistake, somebody's row (`table.names_or_row`).
"""

from __future__ import annotations

import atexit
import codecs
import csv
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from glob import glob, has_magic
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from typing import TypeVar

import pyarrow as pa

from sidelight.engines.postgres.address import is_address, one_address
from sidelight.errors import BadTable, in_python, parameter, utf8
from sidelight.files import open_private, private_folder, real_path

Answer = TypeVar("Answer")

TEXT = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
"""Endings of text files, and the delimiter where the ending says it."""

PARQUET = {".parquet", ".pq"}
PACKERS = {".gz": "gzip", ".zst": "zstd"}
"""Endings of packed text files, and what Arrow and DuckDB call their packers."""

SHEETS = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}
STATISTICS = {".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt"}
"""Endings of spreadsheets, and of files of Stata, SPSS and SAS."""

LONGEST_PATH = 4000
"""How many characters a path may have; systems take no longer ones."""

STANDARD_INPUT = "-"
BEGINNINGS = {b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx", b"\x1f\x8b": ".csv.gz", b"\x28\xb5\x2f\xfd": ".csv.zst"}
"""What the first bytes of standard input tell about the rest; else it is text."""

DELIMITERS = ",;\t|"

LONGEST = 2_000_000
"""How many characters a line may have; DuckDB reads no longer ones either."""

CHUNK = 1 << 20
"""How many bytes are unpacked or decoded at a time."""

NAME_LINES = 100
"""How many lines the names may take; quoted names may hold line breaks."""

ROWS = 1000
"""How many rows are looked at to see whether the first line is one of them."""


def files_of(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """List the files that a path, a glob or a list of them means, sorted, each once; tables of databases are none."""
    named = [source] if isinstance(source, str | Path) else list(source)
    if any(map(is_address, named)):
        one_address(named)  # refused here, before anything is written about it
        return []
    files = sorted({real_path(file): file for each in named for file in _expand(str(each))}.values())
    if not files:
        message = "the list of files is empty; name at least one"
        raise BadTable(message)
    for file in files:
        if not os.access(file, os.R_OK):
            message = f"{file} may not be read; ask for the right to read it"
            raise BadTable(message)
    return files


def _refuse_no_name(path: str) -> None:
    """Refuse what is no name of a file, or none that the libraries can take."""
    if not path.strip():
        message = "the name of the file is empty; give the path of a file"
        raise BadTable(message)
    if "\0" in path or "\n" in path or len(Path(path).name) > 255:
        message = f"that is text, not the name of a file; give a path{in_python(', or a dataframe')}"
        raise BadTable(message)
    if not utf8(path):
        message = f"the name of the file '{path}' is not UTF-8, as libraries that read it need; rename it"
        raise BadTable(message)
    if len(path) > LONGEST_PATH:
        message = f"the name of the file has {len(path):,} characters; give the path of a file"
        raise BadTable(message)


def _expand(path: str) -> list[Path]:
    if path == STANDARD_INPUT:
        return [_standard_input()]
    _refuse_no_name(path)
    file = Path(path)
    if file.is_dir():
        return _parts(file, path)
    if file.exists():
        if not file.is_file():  # whoever opens it may wait for ever, and it cannot be read twice
            message = f"{path} is a device or a pipe; copy what it says into a file"
            raise BadTable(message)
        return [file]
    if not has_magic(path):
        message = f"no file {path}; check the name and the folder"
        raise BadTable(message)
    matched = [Path(each) for each in glob(path, recursive=True) if Path(each).is_file()]  # noqa: PTH207 - an absolute glob
    if not matched:
        message = f"no file matches {path}; check the pattern and the folder"
        raise BadTable(message)
    return matched


def _parts(folder: Path, path: str) -> list[Path]:
    """List the parts of a folder that holds one table in Parquet files, as Spark writes it, and nothing else."""
    parts = [each for each in folder.iterdir() if not each.name.startswith((".", "_"))]
    if parts and all(each.is_file() and each.suffix.lower() in PARQUET for each in parts):
        return parts
    message = f"{path} is a folder; name its files, for example {folder / '*.parquet'}"
    raise BadTable(message)


@cache
def _standard_input() -> Path:
    """Copy standard input, once, into a private folder that is gone when the program ends."""
    until_the_end = ExitStack()
    atexit.register(until_the_end.close)
    folder = until_the_end.enter_context(private_folder())
    if sys.stdin is None:
        message = "standard input is closed; give the name of a file"
        raise BadTable(message)
    beginning = sys.stdin.buffer.read(4)
    kind = next((kind for first, kind in BEGINNINGS.items() if beginning.startswith(first)), ".csv")
    copy = folder / f"standard-input{kind}"
    with open_private(copy) as file:
        file.write(beginning)
        copyfileobj(sys.stdin.buffer, file)
    return copy


@contextmanager
def unchanged(files: Sequence[Path]) -> Iterator[None]:
    """Refuse files that somebody wrote to while they were read: one pass may have seen other rows than the next."""
    before = _states(files)
    try:
        yield
    except BadTable:
        if _states(files) != before:  # which is why
            raise changed_while_read(named_in_words(files)) from None
        raise
    if _states(files) != before:
        raise changed_while_read(named_in_words(files))


def _states(files: Sequence[Path]) -> list[tuple[int, ...] | None]:
    return [_state(file) for file in files]


def _state(file: Path) -> tuple[int, ...] | None:
    """Say which file it is, how long, and when it was last written to; None where it is gone."""
    try:
        now = file.stat()
    except OSError:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns


def changed_while_read(name: str) -> BadTable:
    """Say that rows are not those that were there a moment ago."""
    return BadTable(f"{name} changed while it was read; read it again when nobody writes to it")


def named_in_words(files: Sequence[Path]) -> str:
    """Name a file, or say how many there are."""
    return files[0].name if len(files) == 1 else f"{len(files)} files"


def ending(file: Path) -> str:
    """Give a file's ending, without that of the packer: `.csv` for `patients.csv.gz`."""
    inner = file.with_suffix("") if packer(file) else file
    kind = inner.suffix.lower()
    if kind in TEXT or (kind in PARQUET | SHEETS | STATISTICS and inner is file):
        return kind
    message = (
        f"cannot tell what {file.name} is by its ending; name it .csv, .tsv (also .gz or .zst), .parquet, .xlsx, .dta, "
        ".sav or .sas7bdat"
        f"{in_python(', a dataframe will do too')}"
    )
    raise BadTable(message)


def schema_of(file: Path) -> pa.Schema:
    """Read what a Parquet file says about its columns."""
    from pyarrow.parquet import read_schema  # noqa: PLC0415 - slow to import, and only Parquet needs it

    schema = _read_parquet(read_schema, file)
    try:
        schema.names  # noqa: B018 - they are read when they are asked for
    except UnicodeDecodeError:
        message = f"{file.name} has a column whose name is not UTF-8; write the file again with other names"
        raise BadTable(message) from None
    return schema


def no_texts(schema: pa.Schema) -> list[str]:
    """Name the columns whose types say that they hold something else than text: numbers, days, truths."""
    return [field.name for field in schema if pa.types.is_primitive(field.type)]


def metadata_of(file: Path) -> pa.FileMetaData:
    """Read what a Parquet file says about its rows, and where they are."""
    from pyarrow.parquet import read_metadata  # noqa: PLC0415 - slow to import, and only Parquet needs it

    return _read_parquet(read_metadata, file)


def number_of_rows(file: Path) -> int:
    """Read what a Parquet file says about how many rows it has."""
    rows: int = metadata_of(file).num_rows
    return rows


def largest_whole(file: Path, column: str) -> int | None:
    """Say how large the whole numbers of a column of a Parquet file are at most, if the file says so."""
    metadata, largest = metadata_of(file), 0
    for number in range(metadata.num_row_groups):
        part = metadata.row_group(number)
        chunk = next(each for each in map(part.column, range(part.num_columns)) if each.path_in_schema == column)
        known = chunk.statistics
        if known is not None and known.has_min_max:
            largest = max(largest, abs(known.min), abs(known.max))
        elif known is None or known.null_count != chunk.num_values:
            return None
    return largest


def _read_parquet(read: Callable[[Path], Answer], file: Path) -> Answer:
    try:
        return read(file.absolute())
    except (pa.ArrowException, OSError, ValueError):  # a damaged name is no UTF-8
        message = f"{file.name} cannot be read as Parquet; check that it was written completely"
        raise BadTable(message) from None


@dataclass(frozen=True, slots=True)
class FirstLine:
    """How the columns of a text file are called, and what is between its cells."""

    file: Path
    delimiter: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, file: Path, delimiter: str | None) -> FirstLine:
        """Read the delimiter, unless the file's ending has said it, and the names of the columns."""
        with _text(file) as text:
            first = text.readline(LONGEST)
            _check(file, first, text)
            delimiter = delimiter or sniff_delimiter(first)
            lines = [first, *_rest_of_names(file, first, text)]
            _refuse_other_line_ends(file, lines)
            return cls(file, delimiter, tuple(next(csv.reader(lines, delimiter=delimiter), ())))

    def rows(self) -> list[list[str]]:
        """Read the first rows, of which there must be one: a single line may be names or a row, who knows."""
        with _text(self.file) as text:
            _, *rows = islice(csv.reader(text, delimiter=self.delimiter), ROWS)
        if not rows:
            message = f"{self.file.name} has one line only; it needs a line with the names of the columns, and rows"
            raise BadTable(message)
        return rows


def sniff_delimiter(line: str) -> str:
    """Guess the delimiter from the header: the one that occurs most, outside quotes.

    >>> sniff_delimiter('age;"city, street";disease'), sniff_delimiter("disease")
    (';', ',')
    """
    bare = re.sub(r'"[^"]*"', "", line)
    return max(DELIMITERS, key=bare.count)


@contextmanager
def _text(file: Path) -> Iterator[io.TextIOWrapper]:
    """Open a text file, packed or not, and say in one line what is wrong with it."""
    try:
        with (
            unpacking(file),
            unpacked(file) as stream,
            io.TextIOWrapper(stream, "utf-8-sig", newline="") as text,
        ):
            yield text
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except csv.Error:
        message = (
            f"{file.name} has a cell of more than {csv.field_size_limit():,} characters at its beginning; check quotes"
        )
        raise BadTable(message) from None


def packer(file: Path) -> str | None:
    """Say what a file was packed by, as its ending says in small letters or capitals."""
    return PACKERS.get(file.suffix.lower())


def unpacked(file: Path) -> pa.NativeFile:
    """Open a file, packed or not, for the bytes that it holds; Arrow checks frames, their ends and their checksums."""
    return pa.input_stream(str(file.absolute()), compression=packer(file))


@contextmanager
def unpacking(file: Path) -> Iterator[None]:
    """Say in one line that a packed file is cut or damaged."""
    try:
        yield
    except OSError:
        message = f"{file.name} cannot be unpacked; check its ending and that it was written completely"
        raise BadTable(message) from None


def check_whole(file: Path) -> None:
    """Unpack a packed file to its end: DuckDB takes one that is cut, or whose checksum is wrong, for whole."""
    if packer(file) is None:
        return
    with unpacking(file), unpacked(file) as stream:
        while stream.read(CHUNK):
            pass


def _check(file: Path, first: str, text: io.TextIOWrapper) -> None:
    """Refuse a first line that holds no names."""
    if first.strip():
        if len(first) == LONGEST:
            message = f"the first line of {file.name} has more than {LONGEST:,} characters; check its line ends"
            raise BadTable(message)
        return
    if first and any(line.strip() for line in text):
        message = f"the first line of {file.name} is blank; begin with a line with the names of the columns"
    else:
        message = f"{file.name} is empty; it needs a line with the names of the columns, and rows"
    raise BadTable(message)


def _rest_of_names(file: Path, first: str, text: io.TextIOWrapper) -> Iterator[str]:
    """Read on while a quote is open: a quoted name may hold a line break."""
    quotes = first.count('"')
    for line in islice(iter(lambda: text.readline(LONGEST), ""), NAME_LINES):
        if quotes % 2 == 0:
            return
        yield line
        quotes += line.count('"')
    if quotes % 2:
        message = f"a quote in the first line of {file.name} is never closed; repair that line"
        raise BadTable(message)


def _refuse_other_line_ends(file: Path, lines: Sequence[str]) -> None:
    """Refuse names that hold a line end of another kind than the line's own: DuckDB would find no rows below them."""
    ends = {line[len(line.rstrip("\r\n")) :] for line in lines}
    if len(ends - {""}) > 1:
        message = (
            f"a column name in {file.name} holds a line end of another kind than those of the lines; "
            "write that name in one line, or save the file with one kind of line ends"
        )
        raise BadTable(message)


def not_utf8(file: Path) -> BadTable:
    """Say which byte of a file, packed or not, is wrong, and what else the file may be written in."""
    check_whole(file)  # else its bytes are not those that were written
    return BadTable(
        f"{file.name} is not UTF-8: byte {_first_bad_byte(file):,} (from 0) is wrong; "
        f"save it as UTF-8, or say what it is, perhaps {parameter('encoding', _likely_encoding(file))}"
    )


def _likely_encoding(file: Path) -> str:
    """Guess by the first bytes: programs that write UTF-16 mark it, and most others write as Windows does."""
    with unpacked(file) as stream:
        return "utf-16" if stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "windows-1252"


def _first_bad_byte(file: Path) -> int:
    decoder = codecs.getincrementaldecoder("utf-8")()
    read = 0
    with unpacked(file) as stream:
        while True:
            chunk = stream.read(CHUNK)
            waiting = len(decoder.getstate()[0])  # bytes of a character cut in two by the end of the last chunk
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as problem:
                return read - waiting + problem.start
            if not chunk:
                return read
            read += len(chunk)
