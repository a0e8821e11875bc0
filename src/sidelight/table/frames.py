"""Rows of any dataframe, through narwhals: pandas, polars, DuckDB relations, Spark and their like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from sidelight.errors import BadTable
from sidelight.table.labels import as_number, label
from sidelight.table.roles import Roles
from sidelight.table.rows import Frame, Source, TextRows


def frame_rows(source: object, roles: Roles) -> TextRows:
    """Look at a dataframe as rows to count; nothing is computed yet."""
    found = as_frame(source)
    dropped = roles.dropped(found.collect_schema().names(), "the table")
    if isinstance(found, nw.DataFrame):
        found = found.with_columns(*_readable(found, list(roles.used.values()))).lazy()
    return text_rows(found, roles, Source("the table", dropped), roles.used)


def text_rows(frame: Frame, roles: Roles, source: Source, columns: Mapping[str, str]) -> TextRows:
    """Count rows by their cells as they are; `columns` says what the frame calls each of ours."""
    schema = frame.collect_schema()
    chosen = frame.select(plain(name, schema[name], roles).alias(ours) for ours, name in columns.items())
    return TextRows(chosen, roles, source)


def as_frame(source: object) -> nw.DataFrame[Any] | Frame:
    """Wrap a dataframe, or say what could be given instead."""
    try:
        found: nw.DataFrame[Any] | Frame = nw.from_native(source)
    except DuplicateError:
        message = "two columns of the table have the same name; rename one"
        raise BadTable(message) from None
    except TypeError:
        message = (
            f"cannot read a {type(source).__name__} as a table; give a path of a CSV, TSV or Parquet file, "
            "or a pandas, polars, pyarrow, DuckDB or Spark table"
        )
        raise BadTable(message) from None
    return found


def plain(name: str, dtype: nw.dtypes.DType, roles: Roles) -> nw.Expr:
    """Make every missing cell of a column a null.

    Before anything is counted: two ways of saying "missing" must not make two values, or two places, of
    one person.  (Marks in columns of other types, such as dates, are found later, by their labels.)
    """
    if dtype == nw.Object or dtype.is_nested():
        message = f"column '{name}' holds {dtype} cells; turn it into text first"
        raise BadTable(message)
    column = nw.col(name)
    if dtype.is_float():
        column = column.fill_nan(None)
    if dtype.is_numeric():
        numbers = [as_number(mark) for mark in roles.missing_marks if label(as_number(mark)) == mark]
        return nw.when(~column.cast(nw.Float64).is_in(numbers)).then(column) if numbers else column
    if roles.missing_marks and dtype in {nw.String, nw.Categorical, nw.Enum}:
        return nw.when(~column.cast(nw.String).is_in(sorted(roles.missing_marks))).then(column)
    return column


def _readable(frame: nw.DataFrame[Any], names: list[str]) -> list[nw.Series[Any]]:
    """Turn columns of mixed Python objects into text; the same objects then make the same groups anywhere."""
    mixed = []
    for name in names:
        column = frame.get_column(name)
        if column.dtype == nw.Object:
            texts = [label(cell) for cell in column.to_list()]
        elif column.dtype == nw.Categorical and frame.implementation.is_pandas_like():
            categories = column.cat.get_categories().to_list()
            if all(isinstance(each, str) for each in categories):
                continue
            said = np.array([*(label(each) for each in categories), None], object)
            texts = said[column.to_native().cat.codes.to_numpy()].tolist()
        else:
            continue
        mixed.append(nw.new_series(name, texts, nw.String, backend=frame.implementation))
    return mixed
