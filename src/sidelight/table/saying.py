"""Which cells of a column say one of some texts, as a question to the engine that holds them.

Two ways of saying "missing" must not make two values, or two places, of one person; so marks are found before
anything is counted, and by what a cell says: its label, whatever its type.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import narwhals.stable.v2 as nw
import pyarrow as pa

from sidelight.table.answers import Frame, cells, collected
from sidelight.table.labels import label

TEXTS = (nw.String, nw.Categorical, nw.Enum)  # to be compared: a set would not find an Enum of some categories


def saying(frame: Frame, name: str, texts: Collection[str]) -> nw.Expr | None:
    """Find the cells of a column that say one of some texts; `None` where it is sure that there are none.

    >>> import polars as pl
    >>> from datetime import date
    >>> days = nw.from_native(pl.LazyFrame({"day": [date(2020, 1, 2), date(1900, 1, 1)]}))
    >>> days.select(saying(days, "day", {"1900-01-01", "?"})).collect().to_native().to_series().to_list()
    [False, True]
    >>> saying(days, "day", {"?"})
    """
    dtype, column = frame.collect_schema()[name], nw.col(name)
    wanted: Sequence[object]
    if dtype in TEXTS:
        column, wanted = column.cast(nw.String), sorted(texts)
    elif dtype == nw.Binary:
        wanted = [text.encode() for text in texts]
    elif dtype.is_integer():  # compared as text: floats would take neighbours beyond 2**53 for the same
        column, wanted = column.cast(nw.String), [text for text in texts if re.fullmatch("-?[0-9]+", text)]
    elif dtype.is_float():
        column, wanted = column.cast(nw.Float64), list(_floats(texts))
    else:
        column = _as_key(frame, name, dtype)
        wanted = _keys(frame, name, column, texts) if dtype == nw.Unknown or any(map(_typed, texts)) else []
    return column.is_in(wanted).fill_null(value=False) if wanted else None


def _floats(texts: Collection[str]) -> Iterator[float]:
    for text in texts:
        try:
            number = float(text)
        except ValueError:
            continue
        if label(number) == text:
            yield number


def _typed(text: str) -> bool:
    """Say whether a truth, a number, a date or a duration could read like this."""
    return text in {"true", "false"} or re.search("[0-9]", text) is not None


def _as_key(frame: Frame, name: str, dtype: nw.dtypes.DType) -> nw.Expr:
    """Write the cells as the engine itself does: differently from others, but always alike."""
    numbered = dtype.is_temporal() and frame.implementation.is_polars()  # which writes 7:00:00.1 as 7:00:00
    return nw.col(name).cast(nw.Int64 if numbered else nw.String)


def _keys(frame: Frame, name: str, key: nw.Expr, texts: Collection[str]) -> list[object]:
    """Learn how the engine writes the cells that say one of the texts."""
    found = collected(frame.select(nw.col(name).alias("cell"), key.alias("key")).unique())
    said, keys = (_listed(found.column(column)) for column in ("cell", "key"))
    return [written for cell, written in zip(said, keys, strict=True) if label(cell) in texts]


def _listed(column: pa.ChunkedArray) -> list[object]:
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    return [cell for chunk in plain.chunks for cell in cells(chunk)]
