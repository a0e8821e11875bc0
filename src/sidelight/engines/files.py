"""Open a source as rows to count: find its files, their kind, their columns, and the engine that reads them.

A source is a path, a glob or a list of them; a folder of parts; `-`, standard input; the address of a table in a
database; or any dataframe.  Its engine is chosen here and nowhere else.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from glob import glob, has_magic
from pathlib import Path
from shutil import copyfileobj
from typing import TYPE_CHECKING

import pyarrow as pa

from sidelight.engines.dataframes.source import frame_errors, frame_rows
from sidelight.engines.duckdb.source import arrow_rows, interruptible
from sidelight.engines.formats.in_memory import SPREADSHEET, STATISTICS
from sidelight.engines.formats.parquet import PARQUET
from sidelight.engines.formats.text import PACKERS, TEXT
from sidelight.engines.postgres.source import database_columns, database_rows, one_address
from sidelight.engines.source import (
    NO_NAMES,
    FileFormat,
    Heading,
    Rows,
    changed_while_read,
    is_address,
    people_written_alike,
    words_for_files,
)
from sidelight.engines.spark.source import SparkFile, is_spark, spark_errors, spark_rows, spark_session
from sidelight.errors import BadTable, in_python, listed, parameter, utf8
from sidelight.files import open_private, private_folder, real_path
from sidelight.table.roles import Roles

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory

# A new kind of file is one more `FileFormat` in `formats`, and here
FORMATS = (PARQUET, TEXT, SPREADSHEET, STATISTICS)


def suffix_of(path: str | Path) -> str:
    """Return the ending of a name in small letters, without that of a packer: `.csv` for `patients.csv.GZ`."""
    path = Path(path)
    return (path.with_suffix("") if path.suffix.lower() in PACKERS else path).suffix.lower()


def find_format(path: str | Path) -> FileFormat | None:
    """Return the format of a file by its name's ending; None for unknown endings."""
    # `table.parquet.gz` has no format: Parquet is compressed inside, and nothing here reads it through a packer
    packed = Path(path).suffix.lower() in PACKERS
    matching = (each for each in FORMATS if suffix_of(path) in each.endings)
    return next((each for each in matching if each.may_be_packed or not packed), None)


def format_of_file(file: Path) -> FileFormat:
    """Return the format of a file by its name's ending; raise `BadTable` if it has none."""
    form = find_format(file)
    if form is None:
        *most, last = ", ".join(each.advice for each in FORMATS).split(", ")
        frame = in_python(", a dataframe will do too")
        raise BadTable(f"cannot tell what {file.name} is by its ending; name it {', '.join(most)} or {last}{frame}")
    return form


def ending(file: Path) -> str:
    """Return the ending of a file, without that of a packer; raise `BadTable` if no format has it."""
    format_of_file(file)
    return suffix_of(file)


def spark_file(source: str | Sequence[str], roles: Roles, master: str | None = None) -> SparkFile:
    """Have Spark read files of one format, where its executors find them; without an ending, a folder of Parquet."""
    paths = [source] if isinstance(source, str) else list(source)
    endings = {suffix_of(path) for path in paths}
    form = find_format(f"rows{min(endings) or '.parquet'}")
    if len(endings) > 1 or form is None or form.read_in_spark is None:
        raise BadTable(
            f"Spark reads Parquet, CSV and TSV files here, not '{paths[0]}'; leave {parameter('engine')} out"
        )
    session = spark_session(master)
    name = Path(paths[0]).name
    with spark_errors(name):
        frame = form.read_in_spark(session, paths, roles)
    local = tuple(Path(path) for path in paths if Path(path).is_file())
    return SparkFile(frame, name, local, typed=form.typed)


def files_of(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """List the files of a path, a glob or a list of them, sorted, each once; none for a table of a database."""
    named = [source] if isinstance(source, str | Path) else list(source)
    if any(map(is_address, named)):
        one_address(named)  # raises here, before anything is written about it
        return []
    # by real path, so that a file that is named twice, or reached by a link, does not count its people twice
    files = sorted({real_path(file): file for each in named for file in _expand(str(each))}.values())
    if not files:
        raise BadTable("the list of files is empty; name at least one")
    for file in files:
        if not os.access(file, os.R_OK):
            raise BadTable(f"{file} may not be read; ask for the right to read it")
    return files


def _expand(path: str) -> list[Path]:
    if path == "-":
        return [_copy_standard_input()]
    _check_name(path)
    file = Path(path)
    if file.is_dir():
        # the parts of one table, as Spark writes it, and nothing else
        parts = [each for each in file.iterdir() if not each.name.startswith((".", "_"))]
        if parts and all(each.is_file() and each.suffix.lower() in PARQUET.endings for each in parts):
            return parts
        raise BadTable(f"{path} is a folder; name its files, for example {file / '*.parquet'}")
    if file.exists():
        if not file.is_file():  # opening it may block for ever, and it cannot be read twice
            raise BadTable(f"{path} is a device or a pipe; copy what it says into a file")
        return [file]
    if not has_magic(path):
        raise BadTable(f"no file {path}; check the name and the folder")
    matched = [Path(each) for each in glob(path, recursive=True) if Path(each).is_file()]  # noqa: PTH207 - an absolute glob
    if not matched:
        raise BadTable(f"no file matches {path}; check the pattern and the folder")
    return matched


def _check_name(path: str) -> None:
    """Raise `BadTable` for texts that cannot name a file, or that the libraries cannot open."""
    if not path.strip():
        message = "the name of the file is empty; give the path of a file"
    elif "\0" in path or "\n" in path or len(Path(path).name) > 255:
        message = f"that is text, not the name of a file; give a path{in_python(', or a dataframe')}"
    elif not utf8(path):
        message = f"the name of the file '{path}' is not UTF-8, as libraries that read it need; rename it"
    elif len(path) > 4000:  # systems take no longer ones
        message = f"the name of the file has {len(path):,} characters; give the path of a file"
    else:
        return
    raise BadTable(message)


@cache
def _copy_standard_input() -> Path:
    """Copy standard input once into a private folder, which is removed when the program ends."""
    until_the_end = ExitStack()
    atexit.register(until_the_end.close)
    folder = until_the_end.enter_context(private_folder())
    if sys.stdin is None:
        raise BadTable("standard input is closed; give the name of a file")
    # a pipe has no ending and cannot be rewound: its first bytes say the format, and are written to the copy first
    beginning = sys.stdin.buffer.read(4)
    kinds = {first: ending for form in FORMATS for first, ending in form.first_bytes.items()}
    ending = next((ending for first, ending in kinds.items() if beginning.startswith(first)), ".csv")
    copy = folder / f"standard-input{ending}"
    with open_private(copy) as file:
        file.write(beginning)
        copyfileobj(sys.stdin.buffer, file)
    return copy


@contextmanager
def refuse_changes(files: Sequence[Path]) -> Iterator[None]:
    """Raise `BadTable` if files change while they are read, as two passes may then see different rows."""
    # taken before the first pass; comparing it after the last one covers everything that was read between
    before = [*map(_state, files)]
    try:
        yield
    except BadTable:
        if [*map(_state, files)] == before:  # else the change is the cause
            raise
    if [*map(_state, files)] != before:
        raise changed_while_read(words_for_files(files))


def _state(file: Path) -> tuple[int, ...] | None:
    """Return the identity, size and time of the last change of a file; None if it is gone."""
    try:
        now = file.stat()
    except OSError:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns


@contextmanager
def rows_of(source: object, roles: Roles, *, packed: bool = True, memory: Memory | None = None) -> Iterator[Rows]:
    """Open files, an Arrow table or any dataframe as rows to count; unless `packed`, each column by itself.

    With `memory`, rows of files and Arrow tables are always packed, and DuckDB's memory is bounded.
    """
    sources = [source] if isinstance(source, str | Path) else source
    with ExitStack() as opened:
        rows: Rows
        if isinstance(sources, list | tuple | set) and any(map(is_address, sources)):
            rows = opened.enter_context(database_rows(one_address(sources), roles, memory))
        elif isinstance(sources, list | tuple | set) and all(isinstance(each, str | Path) for each in sources):
            files = files_of([*sources])
            forms = {form.words: form for form in map(format_of_file, files)}
            if len(forms) > 1:
                raise BadTable(f"some of the files are {' and some are '.join(sorted(forms))}; give files of one kind")
            (form,) = forms.values()
            opened.enter_context(refuse_changes(files))
            rows = opened.enter_context(form.open_rows(files, roles, packed, memory))
        elif isinstance(source, pa.Table):
            rows = opened.enter_context(arrow_rows(source, roles, packed=packed, memory=memory))
        elif is_spark(source):
            opened.enter_context(spark_errors("the table"))
            rows = spark_rows(source, roles)
        else:
            opened.enter_context(frame_errors())
            opened.enter_context(interruptible())
            rows = frame_rows(source, roles)
        yield people_written_alike(rows)


def columns_of(source: str | Path, roles: Roles | None = None) -> tuple[str, ...]:
    """Return the columns of a file, or of the first of several; raise `BadTable` if they look like a person's row."""
    with _open_heading(source, roles) as heading:
        _refuse_row(source, heading)
        return heading.names


def _refuse_row(source: str | Path, heading: Heading) -> None:
    if heading.rows is not None and heading.is_row():
        raise BadTable(f"{files_of(source)[0].name} {NO_NAMES}")


def sure_columns_of(source: str | Path, roles: Roles | None = None) -> tuple[str, ...]:
    """Return the columns of a file if they are certainly names, else none."""
    with _open_heading(source, roles) as heading:
        return heading.names if heading.is_sure() else ()


def nearest_column(name: str, source: str | Path, roles: Roles | None = None) -> str:
    """Return the end of a sentence about a missing column (`Heading.name_nearest`)."""
    with _open_heading(source, roles) as heading:
        return heading.name_nearest(name)


def columns_in_words(source: str | Path, roles: Roles | None = None) -> str:
    """Return the columns of a file for a message: their names if they certainly are names, else their number."""
    with _open_heading(source, roles) as heading:
        _refuse_row(source, heading)
        return listed(heading.names) if heading.is_sure() else heading.count_in_words()


def refuse_unsure_names(source: str | Path, roles: Roles) -> None:
    """Raise `BadTable` if a file's first line may be a person's row, before its cells are shown as names.

    It certainly holds names if the caller named one of them; databases, Parquet and statistics packages always have
    names.
    """
    if is_address(source) or not format_of_file(files_of(source)[0]).may_lack_names:
        return
    with _open_heading(source, roles) as heading:
        _refuse_row(source, heading)
        if not heading.is_sure((*roles.used.values(), *roles.carried, *dict(roles.kinds))):
            raise BadTable(
                f"{files_of(source)[0].name} has {heading.count_in_words()}; if it holds names, name one of them, "
                f"as {parameter('quasi')} or {parameter('sensitive')} say"
            )


@contextmanager
def _open_heading(source: str | Path, roles: Roles | None) -> Iterator[Heading]:
    if is_address(source):
        names = database_columns(str(source))
        yield Heading(names, numbers=names)
        return
    file = files_of(source)[0]
    with format_of_file(file).open_heading(file, roles or Roles()) as heading:
        yield heading
