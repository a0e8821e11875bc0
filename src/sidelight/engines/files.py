"""Which files does a source mean?  A path, a glob or a list of them; a folder of parts; `-`, standard input.

What kind each is, `formats` says.
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

from sidelight.engines.formats.parquet import Parquet
from sidelight.engines.formats.registry import FORMATS
from sidelight.engines.postgres.session import is_address, one_address
from sidelight.engines.source import words_for_files
from sidelight.errors import BadTable, in_python, utf8
from sidelight.files import open_private, private_folder, real_path


def files_of(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """List the files that a path, a glob or a list of them means, sorted, each once; tables of databases are none."""
    named = [source] if isinstance(source, str | Path) else list(source)
    if any(map(is_address, named)):
        one_address(named)  # refused here, before anything is written about it
        return []
    # by real path, so that a file that is named twice, or reached by a link, does not count its people twice
    files = sorted({real_path(file): file for each in named for file in _expand(str(each))}.values())
    if not files:
        message = "the list of files is empty; name at least one"
        raise BadTable(message)
    for file in files:
        if not os.access(file, os.R_OK):
            message = f"{file} may not be read; ask for the right to read it"
            raise BadTable(message)
    return files


def _expand(path: str) -> list[Path]:
    if path == "-":
        return [_copy_standard_input()]
    _refuse_no_name(path)
    file = Path(path)
    if file.is_dir():
        # the parts of one table, as Spark writes it, and nothing else
        parts = [each for each in file.iterdir() if not each.name.startswith((".", "_"))]
        if parts and all(each.is_file() and each.suffix.lower() in Parquet.endings for each in parts):
            return parts
        message = f"{path} is a folder; name its files, for example {file / '*.parquet'}"
        raise BadTable(message)
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


def _refuse_no_name(path: str) -> None:
    """Refuse what is no name of a file, or none that the libraries can take."""
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
    """Copy standard input, once, into a private folder that is gone when the program ends."""
    until_the_end = ExitStack()
    atexit.register(until_the_end.close)
    folder = until_the_end.enter_context(private_folder())
    if sys.stdin is None:
        message = "standard input is closed; give the name of a file"
        raise BadTable(message)
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
    """Raise `BadTable` if files changed while they were read: one pass may have seen other rows than the next."""
    # taken before the first pass; comparing it after the last one covers everything that was read between
    before = [_state(file) for file in files]
    try:
        yield
    except BadTable:
        if [_state(file) for file in files] != before:  # which is why
            raise changed_while_read(words_for_files(files)) from None
        raise
    if [_state(file) for file in files] != before:
        raise changed_while_read(words_for_files(files))


def _state(file: Path) -> tuple[int, ...] | None:
    """Return which file it is, how long, and when it was last written to; None where it is gone."""
    try:
        now = file.stat()
    except OSError:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns


def changed_while_read(name: str) -> BadTable:
    """Build the error that rows are not those that were there a moment ago."""
    return BadTable(f"{name} changed while it was read; read it again when nobody writes to it")
