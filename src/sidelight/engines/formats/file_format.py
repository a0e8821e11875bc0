"""What a kind of file says of itself: the endings of its names, how rows are read from it, how a sheet is written.

A sheet is what is written into a file: cells in columns, as they stand or in an order drawn by chance.  A release has
no order of rows: it is counts.  People are dealt from them, so that nothing of the order of the table can show.  Up to
`SHUFFLED_AT_ONCE` of them are shuffled at once.  Of more, each goes to one of 2^j parts, all of them equally likely, on
disk, and each part is shuffled as it is written: every order is as likely as any other (Rao, 1961; Sandelius, 1962),
and only a part is held.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sidelight.arrays import Floats, Integers, repeat_rows
from sidelight.files import flush_to_disk
from sidelight.streams.sorted_runs import RowParts
from sidelight.table.labels import Column, Label, as_day, as_number, label

if TYPE_CHECKING:
    from sidelight.engines.source import Rows
    from sidelight.streams.memory import Memory
    from sidelight.table.roles import Roles

# How many rows are put into words at a time
ROWS_PER_BATCH = 1 << 18

# About how many rows are shuffled at a time
SHUFFLED_AT_ONCE = 1 << 21

CellKind: TypeAlias = Literal["text", "whole number", "number", "day"]


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Draws orders and parts, from bytes that are drawn by chance."""

    draw: Callable[[int], bytes]

    def __call__(self, length: int) -> Integers:
        """Draw an order of 0, 1, …, length − 1."""
        # 64 random bits per row: two rows are equal, and then stand as they came, with probability below n² / 2⁶⁵
        keys = np.frombuffer(self.draw(8 * length), np.uint64)
        return np.argsort(keys, kind="stable").astype(np.int64, copy=False)

    def parts(self, length: int, bits: int) -> Integers:
        """Draw one of 2^bits parts for each of some rows, all equally likely."""
        # the top bits of uniform 32-bit numbers: exactly uniform on 0 … 2^bits − 1, with no bias of a modulo
        return (np.frombuffer(self.draw(4 * length), np.uint32) >> np.uint32(32 - bits)).astype(np.int64)


def shuffler(seed: int | None = None) -> Shuffle:
    """Draw orders from the operating system's randomness, or, for tests, the same ones for the same seed.

    >>> shuffle = shuffler(seed=7)
    >>> sorted(shuffle(4).tolist()), (shuffler(seed=7)(100) == shuffler(seed=7)(100)).all()
    ([0, 1, 2, 3], np.True_)
    """
    return Shuffle(os.urandom if seed is None else np.random.default_rng(seed).bytes)


def fits_one_shuffle(rows: int) -> bool:
    """Return whether so many rows are shuffled at once."""
    return rows <= SHUFFLED_AT_ONCE


@dataclass(frozen=True, eq=False, slots=True)
class DealtRows:
    """Rows that are written several times each, in an order drawn by chance, and never all held."""

    times: Integers
    shuffle: Shuffle

    def __len__(self) -> int:
        return int(self.times.sum())

    def batches(self) -> Iterator[Integers]:
        """Yield the rows in their order, some at a time; another order every time."""
        # rows dealt to 2^bits random parts, each shuffled by itself, are shuffled uniformly as a whole
        bits = (len(self) - 1).bit_length() - SHUFFLED_AT_ONCE.bit_length() + 1
        if bits <= 0:
            rows = np.repeat(np.arange(len(self.times)), self.times)[self.shuffle(len(self))]
            yield from (rows[block] for block in row_blocks(len(rows)))
            return
        parts = RowParts(parts=1 << bits, columns=1, rows=len(self))
        for rows in repeat_rows(self.times, SHUFFLED_AT_ONCE):
            parts.add(self.shuffle.parts(len(rows), bits), [rows])
        for part in range(1 << bits):
            (rows,) = parts.take(part)
            rows = rows[self.shuffle(len(rows))]
            yield from (rows[block] for block in row_blocks(len(rows)))


@dataclass(frozen=True, eq=False, slots=True)
class Sheet:
    """The cells of a file, column by column: texts or numbers; as they stand, or dealt."""

    columns: Mapping[str, Column | Integers | Floats]
    dealt: DealtRows | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.dealt is None else len(self.dealt)

    def batches(self) -> Iterator[slice | Integers]:
        """Yield which rows of the columns are written, some at a time."""
        return row_blocks(len(self)) if self.dealt is None else self.dealt.batches()

    def arrow_kinds(self) -> list[pa.DataType]:
        """Return the type that each column's cells are stored as: texts, numbers or days."""
        types = {"text": pa.string(), "whole number": pa.int64(), "number": pa.float64(), "day": pa.date32()}
        return [
            types[kind_of_cells(column)] if isinstance(column, Column) else pa.from_numpy_dtype(column.dtype)
            for column in self.columns.values()
        ]


def row_blocks(rows: int, at_once: int | None = None) -> Iterator[slice]:
    """Cut the numbers 0, 1, …, rows − 1 into slices."""
    step = at_once or ROWS_PER_BATCH
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def kind_of_cells(column: Column) -> CellKind:
    """Return how the cells of a column can be stored so that they still say what they say.

    Codes stay texts: what was declared a category, and numbers that are not written as a number would be.

    >>> [kind_of_cells(Column.of("c", cells)) for cells in (["34", None], ["5.5", "34"], ["2024-03-09"], ["007"])]
    ['whole number', 'number', 'day', 'text']
    """
    # only labels that occur decide: a label that no row has must not show in the type of the file's column
    texts = [text for text in _used_labels(column) if text is not None]
    if not texts or column.kind in ("category", "ordered"):
        return "text"
    if all(map(_WHOLE.fullmatch, texts)):
        return "whole number"
    if all(as_number(text) is not None and label(float(text)) == text for text in texts):
        return "number"
    return "day" if all(as_day(text) is not None for text in texts) else "text"


def _used_labels(column: Column) -> list[str | None]:
    """Return the labels by code, None for one that no row has: it may be of another kind than the others."""
    used = np.bincount(column.codes, minlength=len(column.labels)) > 0
    return [text if occurs else None for text, occurs in zip(column.labels, used, strict=True)]


@dataclass(frozen=True, eq=False, slots=True)
class WrittenCells:
    """A column as it is written: each label is put into its kind once."""

    labels: pa.Array | None  # None: the codes are what is written
    codes: npt.NDArray[np.generic]

    @classmethod
    def build(cls, column: Column | Integers | Floats, kind: pa.DataType) -> WrittenCells:
        """Put the labels of a column into a kind."""
        if not isinstance(column, Column):
            return cls(None, column)
        # labels: (labels,), codes: (rows,); the cast runs once per label, and rows look theirs up
        return cls(pa.array(_used_labels(column), pa.string()).cast(kind), column.codes)

    def take(self, rows: slice | Integers) -> pa.Array:
        """Return the cells of some rows."""
        codes = pa.array(self.codes[rows])
        return codes if self.labels is None else self.labels.take(codes)


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
    # how Spark reads files, where its executors find them; None: it does not
    read_in_spark: ClassVar[staticmethod[[Any, Sequence[str], Roles], Any] | None] = None
    writers: ClassVar[tuple[Writer, ...]] = ()

    @abstractmethod
    def open_rows(
        self, files: list[Path], roles: Roles, *, packed: bool, memory: Memory | None
    ) -> AbstractContextManager[Rows]:
        """Open files as rows to count; unless `packed`, each column can be looked at by itself."""

    @abstractmethod
    def open_heading(self, file: Path, roles: Roles) -> AbstractContextManager[Heading]:
        """Open a file to see what its columns are called."""
