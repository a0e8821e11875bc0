"""CSV, TSV and their like: a line of names, then rows; packed or not, in any encoding.

We read the first line ourselves: it shows the delimiter and the names, or is, by mistake, a person's row (`source`).
DuckDB scans the rows.  Text in another encoding than UTF-8 is copied into a private folder as UTF-8.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa

from sidelight.engines.duckdb.source import (
    connection,
    is_full,
    need_no_disk,
    no_room,
    packed_rows,
    source_of_files,
    sql_path,
    store_by_column,
)
from sidelight.engines.source import FileFormat, Heading, Rows, TextRows, sql_text, unused_columns
from sidelight.errors import BadTable, SidelightError, parameter
from sidelight.files import open_private, private_folder

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory
    from sidelight.table.roles import Roles

# Endings of packed files, and what Arrow and DuckDB call their packers
PACKERS = {".gz": "gzip", ".zst": "zstd"}

# How many bytes are unpacked or decoded at a time
CHUNK = 1 << 20


# How many characters a line may have; DuckDB reads no longer ones either
LONGEST_LINE = 2_000_000


def read_first_line(file: Path) -> tuple[str, Heading]:
    """Return the delimiter of a text file, by its ending or first line, and the heading in that line."""
    with _open_text(file) as text:
        first = text.readline(LONGEST_LINE)
        _check_first_line(file, first, text)
        delimiter = delimiter_by_ending(file) or sniff_delimiter(first)
        lines = [first, *_rest_of_names(file, first, text)]
        names = tuple(next(csv.reader(lines, delimiter=delimiter), ()))
    # DuckDB would find no rows below names that hold a line end of another kind than the line's own
    if len({line[len(line.rstrip("\r\n")) :] for line in lines} - {""}) > 1:
        raise BadTable(
            f"a column name in {file.name} holds a line end of another kind than those of the lines; "
            "write that name in one line, or save the file with one kind of line ends"
        )

    def read_rows() -> list[list[str]]:
        """Read the first 1000 rows, at least one: a single line may be names or a row."""
        with _open_text(file) as text:
            _, *rows = islice(csv.reader(text, delimiter=delimiter), 1000)
        if not rows:
            raise BadTable(f"{file.name} has one line only; it needs a line with the names of the columns, and rows")
        return rows

    return delimiter, Heading(names, read_rows)


def delimiter_by_ending(file: Path) -> str | None:
    """Return the delimiter that a name's ending implies; None if it implies none."""
    inner = file.with_suffix("") if packer_of(file) else file
    return "\t" if inner.suffix.lower() in (".tsv", ".tab") else None


def sniff_delimiter(line: str) -> str:
    """Guess the delimiter from the header: the one that occurs most, outside quotes.

    >>> sniff_delimiter('age;"city, street";disease'), sniff_delimiter("disease")
    (';', ',')
    """
    return max(",;\t|", key=re.sub(r'"[^"]*"', "", line).count)


@contextmanager
def _open_text(file: Path) -> Iterator[io.TextIOWrapper]:
    """Open a text file, packed or not; raise `BadTable` for what is wrong with it."""
    try:
        with _unpacking_errors(file), unpack(file) as stream, io.TextIOWrapper(stream, "utf-8-sig", newline="") as text:
            yield text
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except csv.Error:
        raise BadTable(
            f"{file.name} has a cell of more than {csv.field_size_limit():,} characters at its beginning; check quotes"
        ) from None


def _check_first_line(file: Path, first: str, text: io.TextIOWrapper) -> None:
    """Raise `BadTable` if a first line holds no names."""
    if first.strip() and len(first) < LONGEST_LINE:
        return
    if first.strip():
        message = f"the first line of {file.name} has more than {LONGEST_LINE:,} characters; check its line ends"
    elif first and any(line.strip() for line in text):
        message = f"the first line of {file.name} is blank; begin with a line with the names of the columns"
    else:
        message = f"{file.name} is empty; it needs a line with the names of the columns, and rows"
    raise BadTable(message)


def _rest_of_names(file: Path, first: str, text: io.TextIOWrapper) -> Iterator[str]:
    """Read on while a quote is open, for 100 lines at most: a quoted name may hold a line break."""
    quotes = first.count('"')
    for line in islice(iter(lambda: text.readline(LONGEST_LINE), ""), 100):
        if quotes % 2 == 0:
            return
        yield line
        quotes += line.count('"')
    if quotes % 2:
        raise BadTable(f"a quote in the first line of {file.name} is never closed; repair that line")


# Packed files, and other encodings


def packer_of(file: Path) -> str | None:
    """Return the packer of a file by its ending, whatever its capitals."""
    return PACKERS.get(file.suffix.lower())


def unpack(file: Path) -> pa.NativeFile:
    """Open a file, packed or not, as a stream of its content; Arrow checks frames, their ends and checksums."""
    return pa.input_stream(str(file.absolute()), compression=packer_of(file))


@contextmanager
def _unpacking_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError:
        raise BadTable(f"{file.name} cannot be unpacked; check its ending and that it was written completely") from None


def check_packed(file: Path) -> None:
    """Raise if a packed file is damaged, by unpacking it: DuckDB accepts truncated ones and wrong checksums."""
    if packer_of(file) is not None:
        with _unpacking_errors(file), unpack(file) as stream:
            while stream.read(CHUNK):
                pass


def not_utf8(file: Path) -> BadTable:
    """Build the error that names the wrong byte of a file, packed or not, and a likely encoding."""
    check_packed(file)  # else its bytes are not those that were written
    with unpack(file) as stream:  # programs that write UTF-16 mark it, and most others write as Windows does
        marked = stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return BadTable(
        f"{file.name} is not UTF-8: byte {_first_bad_byte(file):,} (from 0) is wrong; save it as UTF-8, or say what "
        f"it is, perhaps {parameter('encoding', 'utf-16' if marked else 'windows-1252')}"
    )


def _first_bad_byte(file: Path) -> int:
    decoder = codecs.getincrementaldecoder("utf-8")()
    read = 0
    with unpack(file) as stream:
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


@contextmanager
def as_utf8(files: Sequence[Path], encoding: str | None) -> Iterator[list[Path]]:
    """Yield text files in UTF-8: as they are, or as copies of the same name that are removed afterwards."""
    try:
        same = encoding is None or codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")
    except (LookupError, ValueError):
        raise BadTable(
            f"no {parameter('encoding', encoding)}; give a name such as latin-1, cp1252, utf-16 or shift_jis"
        ) from None
    if encoding is None or same:
        yield [*files]
        return
    with private_folder() as folder:
        yield [
            file if _proves_utf8(file) else _copy_as_utf8(file, folder / str(number), encoding)
            for number, file in enumerate(files)
        ]


def _decode(file: Path, encoding: str) -> Iterator[str]:
    """Yield the letters of a file, packed or not, some at a time."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with unpack(file) as stream:
        while chunk := stream.read(CHUNK):
            yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _proves_utf8(file: Path) -> bool:
    """Return whether a file has letters beyond ASCII, all of them valid UTF-8, which hardly happens by chance.

    Several files are read with one encoding (releases and people), and some of them may be UTF-8 nevertheless.
    """
    beyond_ascii = False
    try:
        for letters in _decode(file, "utf-8"):
            beyond_ascii |= not letters.isascii()
    except (UnicodeError, OSError):
        return False
    return beyond_ascii


def _copy_as_utf8(file: Path, folder: Path, encoding: str) -> Path:
    folder.mkdir(mode=0o700)
    copy = folder / (file.stem if packer_of(file) else file.name)
    try:
        with _unpacking_errors(file), open_private(copy) as text:
            text.writelines(letters.encode() for letters in _decode(file, encoding))
    except UnicodeError:
        raise BadTable(f"{file.name} is not written in {encoding}; name another {parameter('encoding')}") from None
    return copy


# Rows


def csv_view(files: list[Path], roles: Roles) -> tuple[str, tuple[str, ...]]:
    """Write the query that reads the used columns of all files; also return the unused columns.

    Files may differ in delimiter and in the order of their columns.  Every cell is text ("00734" stays), an empty cell
    is a missing one.
    """
    # DuckDB's sniffer stays out: it may skip rows that do not fit its guess.
    layouts: dict[tuple[str, tuple[str, ...], str | None], list[Path]] = defaultdict(list)
    dropped: dict[str, None] = {}
    for file in files:
        delimiter, heading = read_first_line(file)
        dropped |= dict.fromkeys(unused_columns(roles, heading, file.name))
        # files of one layout share one scan; columns are matched by name, so their order may differ between files
        layouts[delimiter, heading.names, packer_of(file)].append(file)
    parts = [_csv_query(group, *layout, roles) for layout, group in layouts.items()]
    return " UNION ALL ".join(parts), tuple(dropped)


def _csv_query(files: list[Path], delimiter: str, names: tuple[str, ...], packer: str | None, roles: Roles) -> str:
    listed = ", ".join(map(sql_path, files))
    types = ", ".join(f"c{number}: 'VARCHAR'" for number in range(len(names)))
    columns = ", ".join(f"c{names.index(name)} AS {ours}" for ours, name in roles.used.items())
    return (
        f"SELECT {columns} FROM read_csv([{listed}], auto_detect=false, header=true, columns={{{types}}}, "  # noqa: S608
        f"delim={sql_text(delimiter)}, quote='\"', escape='\"', strict_mode=true, hive_partitioning=false, "
        f"compression={sql_text(packer or 'none')})"
    )


def csv_problem(files: list[Path], problem: duckdb.Error, memory: Memory | None = None) -> SidelightError:
    """Build the error for a CSV file that DuckDB cannot read; its own message would show the row."""
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
    if is_full(problem):
        return no_room(file.name, memory)
    return BadTable(f"{where} cannot be read as CSV; check quotes and line ends there")


def read_in_spark(session: Any, paths: Sequence[str], roles: Roles) -> Any:  # noqa: ANN401 - of an extra
    """Read text files in Spark with the cells that DuckDB reads: texts, and nulls for empty cells."""
    from pyspark.sql import functions  # noqa: PLC0415 - of an extra

    first = Path(paths[0])
    delimiter = delimiter_by_ending(first)
    if delimiter is None and first.is_file():
        delimiter, _ = read_first_line(first)
    # the same dialect as `_csv_query`; columnPruning would skip checking the cells of columns that are not used
    reading = session.read.options(
        header=True,
        inferSchema=False,
        sep=delimiter or ",",
        quote='"',
        escape='"',
        multiLine=True,
        mode="FAILFAST",
        columnPruning=False,
        encoding=roles.encoding or "UTF-8",
    )
    frame = reading.csv([*paths])
    cells = [functions.col(f"`{name.replace('`', '``')}`") for name in frame.columns]
    return frame.select(
        *(functions.when(cell != "", cell).alias(name) for cell, name in zip(cells, frame.columns, strict=True))
    )


@contextmanager
def open_text(files: Sequence[Path], roles: Roles, packed: bool, memory: Memory | None) -> Iterator[Rows]:  # noqa: FBT001
    """Open text files as rows that DuckDB scans.

    Packing takes one more pass over the rows, which does not pay for text, slow to scan.  Text whose columns are read
    one by one, or that is packed because memory is bounded, is copied into a temporary table first.
    """
    few = not any(map(packer_of, files)) and need_no_disk(sum(file.stat().st_size for file in files))
    with connection(memory, few=few) as con, as_utf8(files, roles.encoding) as texts:
        for text in texts:
            check_packed(text)
        try:
            view, dropped = csv_view(texts, roles)
            source = source_of_files(files, dropped)
            if memory is not None:
                store_by_column(con, view)
                yield packed_rows(con, roles, source, memory)
                return
            # cells that are not packed are read column by column, and each read would parse the whole text again
            rows = con.sql(view) if packed else store_by_column(con, view)
            yield TextRows.select(nw.from_native(rows), roles, source, {name: name for name in roles.used})
        except duckdb.Error as problem:
            raise csv_problem(texts, problem, memory) from None


@contextmanager
def _text_heading(file: Path, roles: Roles) -> Iterator[Heading]:
    with as_utf8([file], roles.encoding) as (text,):
        yield read_first_line(text)[1]


TEXT = FileFormat(
    words="text",
    endings=(".csv", ".txt", ".tsv", ".tab"),
    advice=".csv, .tsv (also .gz or .zst)",
    open_rows=open_text,
    open_heading=_text_heading,
    first_bytes={b"\x1f\x8b": ".csv.gz", b"\x28\xb5\x2f\xfd": ".csv.zst"},
    may_lack_names=True,
    may_be_packed=True,
    typed=False,
    read_in_spark=read_in_spark,
)
