"""A column of labels, stored once each, with a code per row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.table.labels import Label, in_order

Integers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]

TICKED_OFF = 16
"""Keys are ticked off instead of sorted while their range is at most this many times their number."""


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One published or quasi-identifying column: `labels[codes[row]]` is what the row says."""

    name: str
    labels: tuple[Label, ...]
    codes: Codes

    def __post_init__(self) -> None:
        self.codes.flags.writeable = False

    @classmethod
    def of(cls, name: str, cells: Iterable[Label]) -> Column:
        """Encode cells, with the labels in their natural order.

        >>> Column.of("age", ["30", "4", "30"]).codes.tolist()
        [1, 0, 1]
        """
        cells = list(cells)
        labels = in_order(cells)
        place = {text: code for code, text in enumerate(labels)}
        return cls(name, labels, np.fromiter((place[cell] for cell in cells), np.int32, len(cells)))

    def __len__(self) -> int:
        return len(self.codes)

    def cell(self, row: int) -> Label:
        """Say what one row says."""
        return self.labels[int(self.codes[row])]

    def take(self, rows: npt.NDArray[np.integer] | slice) -> Column:
        """Keep some rows, in the order given."""
        return Column(self.name, self.labels, self.codes[rows])

    def compact(self) -> Column:
        """Forget labels that no row has.

        >>> Column.of("age", ["30", "4", "50"]).take(slice(0, 2)).compact().labels
        ('4', '30')
        """
        used = np.bincount(self.codes, minlength=len(self.labels)) > 0
        if used.all():
            return self
        labels = tuple(text for text, kept in zip(self.labels, used, strict=True) if kept)
        return self.relabelled(labels, (np.cumsum(used) - 1).astype(np.int32))

    def relabelled(self, labels: tuple[Label, ...], recode: Codes) -> Column:
        """Give each old label a new one: `labels[recode[old code]]`."""
        return Column(self.name, labels, recode[self.codes])


def rows_alike(columns: tuple[Column, ...], rows: int) -> tuple[Integers, Integers]:
    """Number the different rows, in the order of their labels.

    Returns the number of each row's kind, and for each kind the first row that is of it.

    >>> both = (Column.of("sex", ["m", "f", "m"]), Column.of("age", ["1", "2", "1"]))
    >>> [part.tolist() for part in rows_alike(both, rows=3)]
    [[1, 0, 1], [1, 0]]
    """
    kind = np.zeros(rows, np.int64)
    kinds = 1
    for column in columns:
        if kinds * len(column.labels) >= 2**62:  # squeeze before the key would overflow
            kind, first = numbered(kind, below=kinds)
            kinds = max(len(first), 1)
        kind = kind * len(column.labels) + column.codes
        kinds *= max(len(column.labels), 1)
    return numbered(kind, below=kinds)


def numbered(keys: Integers, *, below: int) -> tuple[Integers, Integers]:
    """Number the different keys (whole numbers from 0 to `below` - 1) from 0, in their order.

    Returns each key's number, and for each number the first place that has it.  Keys from a small range are
    ticked off in a list of the range, which is several times quicker than sorting them.

    >>> [part.tolist() for part in numbered(np.array([7, 3, 7]), below=10)]
    [[1, 0, 1], [1, 0]]
    """
    if below > TICKED_OFF * len(keys):
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        return number.astype(np.int64, copy=False), first.astype(np.int64, copy=False)
    ticked = np.zeros(below, bool)
    ticked[keys] = True
    found = np.flatnonzero(ticked)
    rank = np.empty(below, np.int64)  # filled only where it is looked up
    rank[found] = np.arange(len(found))
    number = rank[keys]
    first = np.empty(len(found), np.int64)
    first[number[::-1]] = np.arange(len(keys))[::-1]  # of several places that say the same, the last one written stays
    return number, first
