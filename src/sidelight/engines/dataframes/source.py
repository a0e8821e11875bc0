"""Rows of any dataframe, through narwhals: pandas, polars, DuckDB relations, Spark and their like.

Columns are counted as they are stored.  Only if an engine cannot group a column, or would change its cells when some of
them are set to missing, is it converted first, to one with the same labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from sidelight.engines.source import (
    Frame,
    Heading,
    Source,
    TextRows,
    has_odd_type,
    naming,
    refuse_arrow_type,
    unused_columns,
)
from sidelight.errors import BadTable, SidelightError, kind_in_words, remedy_for
from sidelight.table.labels import KindOrOrder, label

if TYPE_CHECKING:
    from sidelight.table.roles import Roles


def frame_rows(source: object, roles: Roles) -> TextRows:
    """Open a dataframe as rows to count; nothing is computed yet."""
    frame = as_frame(source)
    schema = frame.collect_schema()
    # letters above a column of numbers are a name and no cell, so a message may show it
    numbers = [name for name, dtype in schema.items() if dtype.is_numeric() or dtype.is_temporal()]
    unused = unused_columns(roles, Heading(tuple(schema), numbers=numbers), "the table")
    # pandas and Arrow look names up exactly; polars reads ^…$ as a pattern, and SQL engines read * as all columns
    exact = frame.implementation.is_pandas_like() or frame.implementation.is_pyarrow()
    for name in () if exact else roles.used.values():
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise BadTable(
                f"a column is called '{name}', which {frame.implementation.value} takes for a pattern; rename it"
            )
    # the types are read before `_groupable` turns columns into text, after which a categorical could not be recognised
    kinds: dict[str, KindOrOrder] = {name: "category" for name in roles.quasi if schema[name] == nw.Categorical}
    for name in roles.quasi:
        dtype = schema[name]
        if isinstance(dtype, nw.Enum):  # an ordered categorical of pandas is an Enum, as those of polars and DuckDB are
            kinds[name] = tuple(dict.fromkeys(text for each in dtype.categories if (text := label(each)) is not None))
    roles = roles.add_types(kinds)
    texts = frozenset(name for name in roles.quasi if schema[name] == nw.String)
    if isinstance(frame, nw.DataFrame):
        # only frames in memory have cells that are Python objects, or types of pandas, which need this
        frame = frame.with_columns(*_groupable(frame, roles)).lazy()
    return TextRows.select(frame, roles, Source("the table", unused, texts=texts), roles.used)


def as_frame(source: object) -> nw.DataFrame[Any] | Frame:
    """Wrap a dataframe; raise `BadTable` for anything else.  Names of columns become texts."""
    try:
        frame: nw.DataFrame[Any] | Frame = nw.from_native(source)
        native: Any = frame.to_native()
        # pandas may number columns, which are then named by texts; no cell is copied
        if frame.implementation.is_pandas_like() and not all(isinstance(name, str) for name in native.columns):
            named = native.copy(deep=False)
            named.columns = [str(name) for name in native.columns]
            frame = nw.from_native(named)
    except DuplicateError:
        raise BadTable("two columns of the table have the same name; rename one") from None
    except TypeError:
        raise BadTable(f"cannot read {kind_in_words(source)} as a table; {remedy_for('rows', source)}") from None
    return frame


@contextmanager
def frame_errors() -> Iterator[None]:
    """Raise `BadTable` if a lazy table cannot be computed; the message names the kind of error, never a cell.

    A query, a cast or a scanned file fails only when its rows are needed, with whatever its engine raises.
    """
    try:
        yield
    except (SidelightError, MemoryError):
        raise
    except Exception as problem:
        # raised below narwhals, not by our own code?
        modules = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(problem.__traceback__))
        by_narwhals = any(module.partition(".")[0] == "narwhals" for module in modules)
        if not isinstance(problem, duckdb.Error) and not by_narwhals:
            raise
        raise BadTable(
            f"the table cannot be computed ({type(problem).__name__}); mend the query, cast or file that it is made "
            "from, or give it computed"
        ) from None


def _groupable(frame: nw.DataFrame[Any], roles: Roles) -> list[nw.Series[Any]]:
    """Convert columns that an engine cannot group, or would change when cells are set to missing."""
    pandas = frame.implementation.is_pandas_like()
    changed = []
    for column in map(frame.get_column, roles.used.values()):
        other = _pandas_column(column, roles) if pandas else None
        if other is None and column.dtype in (nw.Object, nw.Unknown):
            other = _write_as_text(column)
        changed += [] if other is None else [other]
    return changed


def _write_as_text(column: nw.Series[Any]) -> nw.Series[Any]:
    """Convert mixed Python objects to text, so that equal objects make equal groups in every engine."""
    with naming(column.name):
        texts = [label(cell) for cell in column.to_list()]
    return nw.new_series(column.name, texts, nw.String, backend=column.implementation)


def _pandas_column(column: nw.Series[Any], roles: Roles) -> nw.Series[Any] | None:
    """Unpack categories that are not texts, and make whole numbers and truths nullable; None if nothing changes."""
    native = column.to_native()
    categories = column.dtype in (nw.Categorical, nw.Enum)  # a set would not find an Enum
    arrow = getattr(native.dtype, "pyarrow_dtype", None)
    if arrow is not None:
        refuse_arrow_type(column.name, arrow)
        if has_odd_type(arrow):
            return _write_as_text(column)
    if categories and arrow is not None:
        other = native.astype(type(native.dtype)(arrow.value_type))
    elif categories:
        if all(isinstance(each, str) for each in native.cat.categories):
            return None
        with naming(column.name):
            # shape (categories + 1,): code −1, pandas's sign for a missing cell, indexes the None at the end
            labels = np.array([*map(label, native.cat.categories), None], object)
        texts = labels[native.cat.codes.to_numpy()].tolist()
        return nw.new_series(column.name, texts, nw.String, backend=column.implementation)
    elif native.dtype in ("float16", "halffloat[pyarrow]"):  # pandas does not group the one, and loses the other
        other = native.astype("float32")
    elif roles.missing_marks and isinstance(native.dtype, np.dtype) and native.dtype.kind in "iub":
        other = native.convert_dtypes()  # else numbers beyond 2**53 are rounded
    else:
        return None
    changed: nw.Series[Any] = nw.from_native(other, series_only=True)
    return changed
