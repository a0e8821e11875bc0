"""Rows of any dataframe, through narwhals: pandas, polars, DuckDB relations, Spark and their like.

Columns are counted as they are stored.  Only where an engine cannot group a column, or would change cells when some of
them are set to missing, it is turned into another first, whose cells say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from narwhals.exceptions import DuplicateError

from sidelight.engines.source import Frame, Source, TextRows, is_any_of, naming, unused_columns
from sidelight.errors import BadTable, SidelightError, kind_in_words, remedy_for, shortened
from sidelight.table.labels import KindOrOrder, label

if TYPE_CHECKING:
    from sidelight.table.roles import Roles

# Types of DuckDB whose cells have a label each. It takes a month for 30 days, and Arrow no offset of a time
GROUPABLE = {
    *("boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "float", "double", "decimal", "null"),
    *("utinyint", "usmallint", "uinteger", "ubigint", "uhugeint", "varchar", "enum", "uuid", "blob"),
    *("date", "time", "time_ns", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"),
    *("timestamp with time zone", "timestamptz_ns"),
}


def frame_rows(source: object, roles: Roles) -> TextRows:
    """Look at a dataframe as rows to count; nothing is computed yet."""
    frame = as_frame(source)
    schema = frame.collect_schema()
    # letters above a column of numbers are a name and no cell, so a message may show it
    numbers = [name for name, dtype in schema.items() if dtype.is_numeric() or dtype.is_temporal()]
    unused = unused_columns(roles, schema.names(), "the table", numbers=numbers)
    # pandas and Arrow look names up exactly; polars reads ^…$ as a pattern, and SQL engines read * as all columns
    exact = frame.implementation.is_pandas_like() or frame.implementation.is_pyarrow()
    for name in () if exact else roles.used.values():
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            message = f"a column is called '{name}', which {frame.implementation.value} takes for a pattern; rename it"
            raise BadTable(message)
    # the types are read before `_groupable` turns columns into text, after which a categorical could not be recognised
    roles = roles.add_types({name: _kind_of_frame_type(schema[name]) for name in roles.quasi})
    texts = frozenset(name for name in roles.quasi if schema[name] == nw.String)
    if isinstance(frame, nw.DataFrame):
        # only frames in memory have cells that are Python objects, or types of pandas, which need this
        frame = frame.with_columns(*_groupable(frame, roles)).lazy()
    return text_rows(frame, roles, Source("the table", unused, texts=texts), roles.used)


def _kind_of_frame_type(dtype: nw.dtypes.DType) -> KindOrOrder | None:
    """Return what a categorical is; an ordered one of pandas is an Enum, as those of polars and DuckDB are."""
    if isinstance(dtype, nw.Enum):
        return tuple(dict.fromkeys(text for each in dtype.categories if (text := label(each)) is not None))
    return "category" if dtype == nw.Categorical else None


def text_rows(frame: Frame, roles: Roles, source: Source, columns: Mapping[str, str]) -> TextRows:
    """Count rows by their cells as they are; `columns` says what the frame calls each of ours."""
    native = frame.to_native()
    if isinstance(native, duckdb.DuckDBPyRelation):
        refuse_types(native, {name: roles.used[ours] for ours, name in columns.items()})
    chosen = frame.select(nulls_for_missing(frame, name, roles).alias(ours) for ours, name in columns.items())
    return TextRows(chosen, roles, source)


def refuse_types(relation: duckdb.DuckDBPyRelation, columns: Mapping[str, str]) -> None:
    """Raise if cells of DuckDB have no label of their own; `columns` says what the user calls the used ones."""
    for own, kind in zip(relation.columns, relation.types, strict=True):
        if own in columns and kind.id not in GROUPABLE:
            raise _no_labels(columns[own], kind)


def refuse_arrow_type(name: str, kind: pa.DataType) -> None:
    """Raise if cells of Arrow have no label of their own."""
    plain = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    if pa.types.is_dictionary(plain) or pa.types.is_run_end_encoded(plain):
        plain = plain.value_type
    if pa.types.is_nested(plain) or pa.types.is_interval(plain):
        raise _no_labels(name, kind)


def _no_labels(name: str, kind: object) -> BadTable:
    return BadTable(f"column '{name}' holds {shortened(str(kind), most=60)} cells; turn it into text first")


def has_odd_type(kind: pa.DataType) -> bool:
    """Return whether DuckDB or pandas cannot group cells of this type of Arrow, which have labels nevertheless."""
    wide = pa.types.is_decimal256(kind) or (pa.types.is_decimal(kind) and kind.scale < 0)
    return bool(wide or pa.types.is_float16(kind) or kind in (pa.string_view(), pa.binary_view()))


def as_frame(source: object) -> nw.DataFrame[Any] | Frame:
    """Wrap a dataframe, or say what could be given instead; names of columns that are no texts are read as theirs."""
    try:
        frame: nw.DataFrame[Any] | Frame = nw.from_native(source)
        native: Any = frame.to_native()
        # pandas may number columns, which are then named by texts; no cell is copied
        if frame.implementation.is_pandas_like() and not all(isinstance(name, str) for name in native.columns):
            named = native.copy(deep=False)
            named.columns = [str(name) for name in native.columns]
            frame = nw.from_native(named)
    except DuplicateError:
        message = "two columns of the table have the same name; rename one"
        raise BadTable(message) from None
    except TypeError:
        message = f"cannot read {kind_in_words(source)} as a table; {remedy_for('rows', source)}"
        raise BadTable(message) from None
    return frame


@contextmanager
def frame_errors() -> Iterator[None]:
    """Raise `BadTable` if a table that is computed late cannot be; name the kind of error, never a cell.

    A query, a cast or a file that is scanned fails only when its rows are asked for, with whatever its engine raises.
    """
    try:
        yield
    except (SidelightError, MemoryError):
        raise
    except Exception as problem:
        # raised by what we asked narwhals, not by ourselves?
        modules = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(problem.__traceback__))
        asked = any(module.partition(".")[0] == "narwhals" for module in modules)
        if not isinstance(problem, duckdb.Error) and not asked:
            raise
        message = (
            f"the table cannot be computed ({type(problem).__name__}); mend the query, cast or file that it is made "
            "from, or give it computed"
        )
        raise BadTable(message) from None


def nulls_for_missing(frame: Frame, name: str, roles: Roles) -> nw.Expr:
    """Make every missing cell of a column a null, before anything is counted."""
    dtype, column = frame.collect_schema()[name], nw.col(name)
    if dtype == nw.Object or dtype.is_nested():
        message = f"column '{name}' holds {dtype} cells; turn it into text first"
        raise BadTable(message)
    # NaN and null would be two groups; a missing cell must be one and the same, whatever the library writes for it
    if dtype.is_float():
        column = column.fill_nan(None)
    elif dtype in (nw.Int128, nw.UInt128):  # Arrow has no such numbers
        column = column.cast(nw.String)
    with naming(roles.used.get(name, name)):
        marked = is_any_of(frame, name, roles.missing_marks)
    return column if marked is None else nw.when(~marked).then(column)


def _groupable(frame: nw.DataFrame[Any], roles: Roles) -> list[nw.Series[Any]]:
    """Turn columns into others where an engine cannot group them, or would change them when cells are left out."""
    pandas = frame.implementation.is_pandas_like()
    changed = []
    for column in map(frame.get_column, roles.used.values()):
        other = _pandas_column(column, roles) if pandas else None
        if other is None and column.dtype in (nw.Object, nw.Unknown):
            other = _write_as_text(column)
        changed += [] if other is None else [other]
    return changed


def _write_as_text(column: nw.Series[Any]) -> nw.Series[Any]:
    """Write mixed Python objects as text; the same objects then make the same groups anywhere."""
    with naming(column.name):
        texts = [label(cell) for cell in column.to_list()]
    return nw.new_series(column.name, texts, nw.String, backend=column.implementation)


def _pandas_column(column: nw.Series[Any], roles: Roles) -> nw.Series[Any] | None:
    """Unpack categories that are not texts, and let whole numbers and truths have missing cells."""
    changed: nw.Series[Any]
    native = column.to_native()
    categories = column.dtype in (nw.Categorical, nw.Enum)  # a set would not find an Enum
    arrow = getattr(native.dtype, "pyarrow_dtype", None)
    if arrow is not None:
        refuse_arrow_type(column.name, arrow)
        if has_odd_type(arrow):
            return _write_as_text(column)
    if categories and arrow is not None:
        values = arrow.value_type
        changed = nw.from_native(native.astype(type(native.dtype)(values)), series_only=True)
        return changed
    if categories:
        return _categories(column)
    if native.dtype in ("float16", "halffloat[pyarrow]"):  # pandas does not group the one, and loses the other
        changed = nw.from_native(native.astype("float32"), series_only=True)
        return changed
    if roles.missing_marks and isinstance(native.dtype, np.dtype) and native.dtype.kind in "iub":
        changed = nw.from_native(native.convert_dtypes(), series_only=True)  # else numbers beyond 2**53 are rounded
        return changed
    return None


def _categories(column: nw.Series[Any]) -> nw.Series[Any] | None:
    categories = list(column.to_native().cat.categories)
    if all(isinstance(each, str) for each in categories):
        return None
    with naming(column.name):
        # shape (categories + 1,): code −1, pandas's sign for a missing cell, indexes the None at the end
        labels = np.array([*(label(each) for each in categories), None], object)
    texts = labels[column.to_native().cat.codes.to_numpy()].tolist()
    return nw.new_series(column.name, texts, nw.String, backend=column.implementation)
