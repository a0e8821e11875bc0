"""Connections to DuckDB.

Opening a DuckDB takes longer than counting some thousand rows.  So few rows are counted in one that is kept, each time
by a connection of its own, whose views nobody else sees; rows that may not fit into memory get one that can spill.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir

import duckdb

from sidelight.engines.source import sql_text
from sidelight.errors import NoRoom, parameter
from sidelight.files import private_folder
from sidelight.streams.memory import Memory
from sidelight.text import bytes_in_words

SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",  # nothing is fetched behind the user's back
    "autoload_known_extensions": "false",
    "disabled_optimizers": "build_side_probe_side,join_order",  # rows look labels up, also where labels are as many
    "preserve_insertion_order": "false",  # counts have no order; saves memory
    "python_enable_replacements": "false",  # a file's name must not find a Python variable
}

# DuckDB groups row groups of 122,880 rows; below one of them it uses a single thread and never needs to spill
FEW_ROWS, FEW_BYTES = 120_000, 2**23


def need_no_disk(size: int, rows: int = 0) -> bool:
    """Return whether rows of so many bytes never need to spill; DuckDB counts them by one thread anyway."""
    return size <= FEW_BYTES and rows <= FEW_ROWS


@cache
def kept_database() -> duckdb.DuckDBPyConnection:
    """Open the DuckDB of few rows: nothing of it is ever on disk."""
    return duckdb.connect(":memory:", config={**SETTINGS, "temp_directory": "", "threads": 1})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=kept_database.cache_clear)  # a child that ends with a DuckDB of its parent crashes


@contextmanager
def connection(memory: Memory | None = None, *, few: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Connect to a DuckDB that is empty: unless for few rows, it spills to a folder of its own, gone afterwards."""
    if few:
        try:
            with closing(kept_database().cursor()) as con, interruptible():
                yield con
        except BaseException:
            kept_database.cache_clear()  # a DuckDB that failed inside would answer nothing any more
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


def is_full(problem: duckdb.Error) -> bool:
    """Return whether memory or the disk gave out, and not the file."""
    # DuckDB reports a full disk as a failed write, or as a spilled file that is cut short (`duckdb_temp_storage…`);
    # any other IOException is about the file that was to be read
    spilled = "write" in str(problem) or "duckdb_temp" in str(problem)
    unwritten = isinstance(problem, duckdb.IOException) and spilled
    return unwritten or isinstance(problem, duckdb.OutOfMemoryException)


def no_room(name: str, memory: Memory | None, rows: int | None = None) -> NoRoom:
    """Build the error that DuckDB's share of the memory, and the disk that it spills to, were not enough."""
    more = "" if memory is None else f"give more {parameter('memory')} than {bytes_in_words(memory.total)}, or "
    folder = gettempdir()
    free = bytes_in_words(disk_usage(folder).free)
    # DuckDB spilled 46 to 49 bytes of a row where people have several rows, 35 where one
    needed = "" if rows is None else f", and it takes up to {bytes_in_words(64 * rows)}"
    return NoRoom(
        f"not enough memory, or room for temporary files, to count the rows of {name}; {more}set TMPDIR to a disk with "
        f"more room ('{folder}' has {free}{needed})"
    )


def sql_path(file: Path) -> str:
    """Write the path of one file, so that DuckDB takes it neither for a pattern nor for a home folder.

    >>> sql_path(Path("/data/part[1].csv"))
    "'/data/part[[]1].csv'"
    """
    # brackets make each glob sign stand for itself, and an absolute path never begins with ~
    return sql_text(re.sub(r"([*?\[])", r"[\1]", str(file.absolute())))
