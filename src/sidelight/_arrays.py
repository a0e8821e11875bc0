"""Arrays of whole numbers: which rows are the same, numbered or kept once.

Groupings, summaries and searches ask this of millions of rows, so each form of the question has the quickest answer:
ticking off a small range, one sort of a packed key, or a hash that is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

TICKED_OFF = 16
"""Keys are ticked off instead of sorted while their range is at most this many times their number."""


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


def numbered_rows(kinds: Integers) -> Integers:
    """Number the different rows of a matrix.

    >>> numbered_rows(np.array([[2, 1], [3, 1], [2, 1]])).tolist() in ([0, 1, 0], [1, 0, 1])
    True
    """
    weights = np.random.default_rng(0).integers(1, 2**62, kinds.shape[1]) | 1
    _, first, number = np.unique(kinds @ weights, return_index=True, return_inverse=True)
    if (kinds[first][number] != kinds).any():  # two different rows share their hash: as good as never
        _, number = np.unique(kinds, axis=0, return_inverse=True)
    ids: Integers = number.astype(np.int64, copy=False).ravel()
    return ids


def first_of_each(kinds: Integers) -> Integers:
    """Keep the first of rows that are alike, in order.

    Rows are brought together by a hash; should two kinds share one, some rows are kept twice, none is lost.

    >>> first_of_each(np.array([[2, 1], [3, 1], [2, 1]])).tolist()
    [0, 1]
    """
    if len(kinds) <= 1:
        return np.arange(len(kinds))
    weights = np.full(kinds.shape[1], 6364136223846793005).cumprod()  # odd, and quicker than importing numpy.random
    together = np.argsort(kinds @ weights, kind="stable")
    after = kinds[together]
    new = np.concatenate(([True], (after[1:] != after[:-1]).any(axis=1)))
    return np.sort(together[new])


def first_of_alike(columns: Sequence[Integers], rows: Integers) -> tuple[tuple[Integers, ...], Integers]:
    """Sort cells given column by column, and of cells alike in all columns keep the one of the first row.

    Columns and rows may have any shapes that broadcast.

    >>> kept, first = first_of_alike([np.array([1, 0, 1]), np.array([7, 8, 7])], np.array([0, 1, 2]))
    >>> [column.tolist() for column in kept], first.tolist()
    ([[0, 1], [8, 7]], [1, 0])
    """
    shape = np.broadcast(*columns, rows).shape
    if prod(shape) == 0:
        return tuple(np.empty(0, np.int64) for _ in columns), np.empty(0, np.int64)
    lows = [int(column.min()) for column in columns]
    spans = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    if prod(spans) >= 2**62 // int(rows.max() + 1):
        return _by_sorting_columns([np.broadcast_to(column, shape).ravel() for column in (*columns, rows)])
    key = _key(columns, lows, spans, shape)
    few = prod(spans) <= max(4 * key.size, 1 << 16)
    key, first = _by_table(key, rows, prod(spans)) if few else _by_sorting(key, rows)
    apart = []
    for low, span in zip(reversed(lows), reversed(spans), strict=True):
        apart.append(key % span + low)
        key = key // span
    return tuple(reversed(apart)), first


def _key(columns: Sequence[Integers], lows: list[int], spans: list[int], shape: tuple[int, ...]) -> Integers:
    """Make one number of each cell; short ones when they do, as they are quicker to move."""
    kind = np.int32 if prod(spans) < 2**31 else np.int64
    key: npt.NDArray[np.integer] = np.zeros(shape, kind)
    for column, low, span in zip(columns, lows, spans, strict=True):
        key *= kind(span)
        key += (column - low).astype(kind, copy=False)
    return key  # type: ignore[return-value]


def _by_table(key: Integers, rows: Integers, space: int) -> tuple[Integers, Integers]:
    """Note at each cell's place the first row."""
    nowhere = int(rows.max()) + 1
    first = np.full(space, nowhere)
    np.minimum.at(first, key.ravel(), np.broadcast_to(rows, key.shape).ravel())
    kept = np.flatnonzero(first < nowhere)
    return kept, first[kept]


def _by_sorting(key: Integers, rows: Integers) -> tuple[Integers, Integers]:
    many = int(rows.max()) + 1
    joined = np.sort((key.astype(np.int64) * many + rows).ravel())
    joined = joined[_changes(joined // many)]
    return joined // many, joined % many


def _by_sorting_columns(columns: Sequence[Integers]) -> tuple[tuple[Integers, ...], Integers]:
    """Do without one number per cell where it would not fit."""
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    new = np.logical_or.reduce([_changes(column) for column in ordered[:-1]])
    return tuple(column[new] for column in ordered[:-1]), ordered[-1][new]


def in_lowest_terms(kinds: Integers) -> Integers:
    """Divide each row by what all its numbers share: the same proportions give the same row.

    >>> in_lowest_terms(np.array([[2, 4], [3, 6], [0, 0]])).tolist()
    [[1, 2], [1, 2], [0, 0]]
    """
    shared = np.gcd.reduce(kinds, axis=1, keepdims=True)
    lowest: Integers = kinds // np.maximum(shared, 1)
    return lowest


def _changes(column: Integers) -> npt.NDArray[np.bool_]:
    return np.concatenate(([True], column[1:] != column[:-1]))
