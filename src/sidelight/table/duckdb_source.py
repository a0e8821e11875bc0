"""Files on disk: which are meant, and the DuckDB view that reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa

from sidelight.errors import BadTable
from sidelight.table.csv_files import csv_view, explained
from sidelight.table.dataframe_source import text_rows
from sidelight.table.first_line import FirstLine
from sidelight.table.packed import packed_rows
from sidelight.table.roles import Roles
from sidelight.table.source import Rows, Source
from sidelight.table.sql import quoted_name, quoted_path

TEXT = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
"""Endings of text files, and the delimiter where the ending says it."""

PARQUET = {".parquet", ".pq"}
PACKERS = {".gz", ".zst"}

SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",  # nothing is fetched behind the user's back
    "autoload_known_extensions": "false",
    "disabled_optimizers": "build_side_probe_side,join_order",  # rows look labels up, also where labels are as many
    "preserve_insertion_order": "false",  # counts have no order; saves memory
    "python_enable_replacements": "false",  # a file's name must not find a Python variable
}


@contextmanager
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open an empty DuckDB that spills into a folder of its own, which is gone afterwards."""
    with TemporaryDirectory(prefix="sidelight-") as spill:
        con = duckdb.connect(":memory:", config={**SETTINGS, "temp_directory": spill})
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


def found_files(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """List the files that a path, a glob or a list of them means, sorted, each once."""
    given = [source] if isinstance(source, str | Path) else list(source)
    files = sorted({file.resolve(): file for each in given for file in _meant(str(each))}.values())
    if not files:
        message = "the list of files is empty; name at least one"
        raise BadTable(message)
    for file in files:
        if not os.access(file, os.R_OK):
            message = f"{file} may not be read; ask for the right to read it"
            raise BadTable(message)
    return files


def _meant(path: str) -> list[Path]:
    file = Path(path)
    if not path.strip():
        message = "the name of the file is empty; give the path of a file"
        raise BadTable(message)
    if "\0" in path or "\n" in path or len(file.name) > 255:
        message = "that is text, not the name of a file; give a path (in Python, or a dataframe)"
        raise BadTable(message)
    if file.is_dir():
        message = f"{path} is a folder; name its files, for example {file / '*.parquet'}"
        raise BadTable(message)
    if file.exists():
        return [file]
    if not has_magic(path):
        message = f"no file {path}; check the name and the folder"
        raise BadTable(message)
    matched = [Path(each) for each in glob(path, recursive=True) if Path(each).is_file()]  # noqa: PTH207 - an absolute glob
    if not matched:
        message = f"no file matches {path}; check the pattern and the folder"
        raise BadTable(message)
    return matched


def ending(file: Path) -> str:
    """Give a file's ending, without that of the packer: `.csv` for `patients.csv.gz`."""
    inner = file.with_suffix("") if file.suffix.lower() in PACKERS else file
    kind = inner.suffix.lower()
    if kind in TEXT or (kind in PARQUET and inner is file):
        return kind
    message = (
        f"cannot tell what {file.name} is by its ending; name it .csv, .tsv (also .gz or .zst) or .parquet "
        "(in Python, a dataframe will do too)"
    )
    raise BadTable(message)


def columns_of(source: str | Path) -> tuple[str, ...]:
    """Name the columns of a file, or of the first of those that are meant, to be shown."""
    file = found_files(source)[0]
    kind = ending(file)
    return tuple(_schema(file).names) if kind in PARQUET else FirstLine.of(file, TEXT[kind]).shown()


@contextmanager
def file_rows(files: list[Path], roles: Roles) -> Iterator[Rows]:
    """Look at files as rows to count, with the used columns as a view `src` of a connection.

    Packing takes one more pass over the rows: that pays for Parquet, and not for text, which is slow to scan.
    """
    kinds = {ending(file) in PARQUET for file in files}
    if len(kinds) > 1:
        message = "some of the files are Parquet and some are text; give files of one kind"
        raise BadTable(message)
    parquet = kinds.pop()
    with connection() as con:
        try:
            if parquet:
                view, dropped = _parquet_view(files, roles)
                con.sql(view).create_view("src")
                _check_kept_whole(files[0], roles, con.table("src"))
                yield packed_rows(con, roles, _source(files, dropped))
            else:
                view, dropped = csv_view([(file, TEXT[ending(file)]) for file in files], roles)
                ours = {name: name for name in roles.used}
                yield text_rows(nw.from_native(con.sql(view)), roles, _source(files, dropped), ours)
        except duckdb.Error as problem:
            raise (_unreadable(files, problem) if parquet else explained(files, problem)) from None


def _parquet_view(files: list[Path], roles: Roles) -> tuple[str, tuple[str, ...]]:
    schemas = [_schema(file) for file in files]
    dropped = [roles.dropped(schema.names, file.name) for file, schema in zip(files, schemas, strict=True)]
    for name in roles.used.values():
        _check_kinds(name, [schema.field(name).type for schema in schemas])
        if sum(other.casefold() == name.casefold() for other in schemas[0].names) > 1:
            message = f"two columns of {files[0].name} are called '{name}', but for capitals; rename one"
            raise BadTable(message)
    columns = ", ".join(f"{quoted_name(name)} AS {ours}" for ours, name in roles.used.items())
    listed = ", ".join(map(quoted_path, files))
    view = f"SELECT {columns} FROM read_parquet([{listed}], union_by_name=true, hive_partitioning=false)"  # noqa: S608
    return view, dropped[0]


def _schema(file: Path) -> pa.Schema:
    from pyarrow.parquet import read_schema  # noqa: PLC0415 - slow to import, and only Parquet needs it

    try:
        return read_schema(file)
    except (pa.ArrowException, OSError):
        message = f"{file.name} cannot be read as Parquet; check that it was written completely"
        raise BadTable(message) from None


def _check_kinds(name: str, kinds: list[pa.DataType]) -> None:
    """Let whole numbers of one file meet the fractions of another; other mixtures change what cells say."""
    numeric = [pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds]
    if any(kind != kinds[0] for kind in kinds) and not all(numeric):
        message = f"the files store column '{name}' as different types; store it as text in all of them"
        raise BadTable(message)


def _check_kept_whole(file: Path, roles: Roles, src: duckdb.DuckDBPyRelation) -> None:
    """Refuse durations, which DuckDB takes for numbers, and nanoseconds, where it cuts them off."""
    schema, read = _schema(file), dict(zip(src.columns, map(str, src.types), strict=True))
    for ours, name in roles.used.items():
        kind = schema.field(name).type
        finer = pa.types.is_duration(kind) or getattr(kind, "unit", "") == "ns"
        if finer and not read[ours].endswith("_NS"):
            message = f"column '{name}' of {file.name} holds {kind} cells; store it as text, or give a dataframe"
            raise BadTable(message)


def _unreadable(files: list[Path], problem: duckdb.Error) -> BadTable:
    named = _named(files)
    if isinstance(problem, duckdb.OutOfMemoryException):
        return BadTable(f"not enough memory, or room for temporary files, to count the rows of {named}")
    return BadTable(f"{named} cannot be read ({type(problem).__name__}); check that it was written completely")


def _source(files: list[Path], dropped: tuple[str, ...]) -> Source:
    return Source(_named(files), dropped, files=tuple(file.resolve() for file in files))


def _named(files: list[Path]) -> str:
    return files[0].name if len(files) == 1 else f"{len(files)} files"
