"""What a kind of file says of itself: the endings of its names, how rows are read from it, how cells are written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal, TypeAlias

import pyarrow as pa

from sidelight.engines.formats.sheet import Sheet
from sidelight.engines.source import Rows
from sidelight.files import flush_to_disk
from sidelight.streams.memory import Memory
from sidelight.table.labels import Label
from sidelight.table.roles import Roles

FormatName: TypeAlias = Literal["parquet", "csv", "arx"]

Heading: TypeAlias = tuple[tuple[str, ...], Callable[[], list[list[str]]], Collection[str]]
"""The names of columns, how to read some rows below them, and those that are no texts by their type."""


class Writer(ABC):
    """Writes cells into a file, and reads back what they mean.

    For every label that it can write, decode(encode(label)) == label.
    """

    name: ClassVar[FormatName]
    endings: ClassVar[tuple[str, ...]]
    empty: ClassVar[Label] = None  # what an empty text means
    dialect: ClassVar[Mapping[str, str]] = {}  # how it differs from CSV with commas, in the words of CSVW

    @abstractmethod
    def write(self, sheet: Sheet, file: BinaryIO) -> None:
        """Write all rows."""

    @abstractmethod
    def read(self, path: Path, numbers: Collection[str]) -> pa.Table:
        """Read a small file that was written so: columns under their names, cells as stored; some are whole numbers."""

    def write_to(self, path: Path, sheet: Sheet) -> None:
        """Write all rows into a new file, onto the disk."""
        with path.open("wb") as file:
            self.write(sheet, file)
        # after the file is closed, so that all of it has left Python's buffers before it is synced
        flush_to_disk(path)

    def encode(self, label: str) -> str:
        """Return what stands in the file for a label or a column's name."""
        return label

    def decode(self, text: str) -> str:
        """Return what a text that stands in the file means."""
        return text


class FileFormat(ABC):
    """Reads files of one kind."""

    words: ClassVar[str]  # "some of the files are …"
    endings: ClassVar[tuple[str, ...]]
    advice: ClassVar[str]  # the endings that an error offers
    first_bytes: ClassVar[Mapping[bytes, str]] = {}  # what a file begins with, and the ending that it then has
    may_lack_names: ClassVar[bool] = False  # its first line may be somebody's row
    may_be_packed: ClassVar[bool] = False
    typed: ClassVar[bool] = True  # columns have types; else every cell is text
    in_spark: ClassVar[bool] = False
    writers: ClassVar[tuple[Writer, ...]] = ()

    @abstractmethod
    def open_rows(
        self, files: list[Path], roles: Roles, *, packed: bool, memory: Memory | None
    ) -> AbstractContextManager[Rows]:
        """Open files as rows to count; unless `packed`, each column can be looked at by itself."""

    @abstractmethod
    def open_heading(self, file: Path, roles: Roles) -> AbstractContextManager[Heading]:
        """Open a file to see what its columns are called."""

    def read_in_spark(self, session: Any, paths: Sequence[str], roles: Roles) -> Any:  # noqa: ANN401 - of an extra
        """Have Spark read files, where its executors find them; only of kinds that are read `in_spark`."""
        raise NotImplementedError
