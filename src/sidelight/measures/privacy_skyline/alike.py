"""Rows of whole numbers that are alike: number them, or keep the first of each."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from sidelight.table.columns import Integers


def numbered(kinds: Integers) -> Integers:
    """Number the different rows of a matrix.

    >>> numbered(np.array([[2, 1], [3, 1], [2, 1]])).tolist() in ([0, 1, 0], [1, 0, 1])
    True
    """
    weights = np.random.default_rng(0).integers(1, 2**62, kinds.shape[1]) | 1
    _, first, number = np.unique(kinds @ weights, return_index=True, return_inverse=True)
    if (kinds[first][number] != kinds).any():  # two different rows share their hash: as good as never
        _, number = np.unique(kinds, axis=0, return_inverse=True)
    ids: Integers = number.astype(np.int64, copy=False).ravel()
    return ids


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


def _changes(column: Integers) -> npt.NDArray[np.bool_]:
    return np.concatenate(([True], column[1:] != column[:-1]))
