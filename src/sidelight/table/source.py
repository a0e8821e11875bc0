"""Rows that stay where they are, ready to be counted by the engine that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidelight.table.answers import Frame, cells
from sidelight.table.columns import Codes
from sidelight.table.labels import SUPPRESSED, Label, in_order
from sidelight.table.packed_keys import Packing, Words
from sidelight.table.roles import Roles
from sidelight.table.saying import saying


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows come from, for what is said about them."""

    name: str  # "patients.csv", or "the table"
    dropped: tuple[str, ...]  # the columns that are not used
    rows: int | None = None  # how many there are, where an earlier pass has counted them
    files: tuple[Path, ...] = ()


class Rows(Protocol):
    """A frame in its engine, and how to read the engine's answers."""

    @property
    def frame(self) -> Frame:
        """The rows, with our own names for the columns."""

    @property
    def source(self) -> Source:
        """Where the rows come from."""

    @property
    def cell(self) -> tuple[str, ...]:
        """The columns that say the quasi-identifiers."""

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that say the quasi-identifiers and the sensitive value."""

    def left_out(self) -> list[nw.Expr]:
        """Say which rows do not count, in any of several ways."""

    def packing(self, answer: pa.Table) -> Packing:
        """Find the labels of every column, in order, given an answer that has the columns of `key`."""

    def words(self, answer: pa.Table, packing: Packing, columns: tuple[str, ...]) -> Words:
        """Pack the `key` or `cell` columns of an answer."""


@dataclass(frozen=True, slots=True)
class TextRows:
    """Rows as some engine holds them: one column per quasi-identifier, grouped as they are."""

    frame: Frame
    roles: Roles
    source: Source

    @property
    def cell(self) -> tuple[str, ...]:
        """One column per quasi-identifier."""
        return tuple(f"q{place}" for place in range(len(self.roles.quasi)))

    @property
    def key(self) -> tuple[str, ...]:
        """And the sensitive one."""
        return (*self.cell, "value")

    def left_out(self) -> list[nw.Expr]:
        """Compare texts."""
        ways = []
        if self.roles.suppressed == "leave out":
            found = [saying(self.frame, name, {SUPPRESSED}) for name in self.cell]
            stars = [star for star in found if star is not None]
            if len(stars) == len(found):
                ways.append(nw.all_horizontal(*stars, ignore_nulls=False))
        if self.roles.missing == "drop":
            ways.append(nw.col("value").is_null())
        return ways

    def packing(self, answer: pa.Table) -> Packing:
        """Take the labels that occur in the answer."""
        return packing_of([_different(answer, name) for name in self.key], self.roles)

    def words(self, answer: pa.Table, packing: Packing, columns: tuple[str, ...]) -> Words:
        """Code each column by its labels, then pack."""
        codes = [
            coded(answer.column(name), self.roles, labels)
            for name, labels in zip(columns, packing.labels, strict=False)
        ]
        if len(columns) == len(packing.labels):
            return packing.pack(codes)
        nothing = np.zeros(answer.num_rows, np.int32)
        return packing.cells(packing.pack([*codes, nothing]))


def packing_of(columns: Iterable[pa.Array], roles: Roles) -> Packing:
    """Put the labels of each column in order; declared sensitive values come first, as declared."""
    *quasi, values = (says(column, roles) for column in columns)
    declared = roles.domain or ()
    domain = (*declared, *in_order({*values}.difference(declared)))
    return Packing((*(in_order(labels) for labels in quasi), domain))


def says(column: pa.Array, roles: Roles) -> Sequence[Label]:
    """Give the labels of some cells; those of texts, of which there may be millions, are the texts."""
    if pa.types.is_string(column.type) and not roles.missing_marks:
        texts: list[Label] = column.to_pylist()
        return texts
    return [roles.says(cell) for cell in cells(column)]


def coded(column: pa.Array | pa.ChunkedArray, roles: Roles, labels: tuple[Label, ...]) -> Codes:
    """Give the place of each cell's label among `labels`."""
    place = {text: code for code, text in enumerate(labels)}
    encoded = _encoded(column)
    parts = [np.zeros(0, np.int32)]
    for chunk in encoded.chunks:
        said = says(chunk.dictionary, roles)
        codes = [place.get(text, 0) for text in (*said, None)]  # a dictionary may hold cells that do not occur
        indices = chunk.indices.cast(pa.int32())
        if indices.null_count:  # asked first, because `fill_null` imports pandas
            indices = pc.fill_null(indices, len(codes) - 1)
        parts.append(np.array(codes, np.int32)[np.from_dlpack(indices)])
    return np.concatenate(parts)


def _encoded(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    chunked = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    return chunked if pa.types.is_dictionary(chunked.type) else chunked.dictionary_encode()


def _different(answer: pa.Table, name: str) -> pa.Array:
    column = answer.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.unique()
