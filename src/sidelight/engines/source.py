"""Rows that stay where they are, ready to be counted by the engine that holds them.

`Rows` is what every source offers: counts of rows by our own names for the columns (q0, q1, … value, person), which
rows do not count, and how to read the engine's answers as packed keys.  `TextRows` groups cells as they are, in any
engine behind narwhals; DuckDB has a quicker form of its own, and PostgreSQL another, whose rows are in no frame.

Two ways of saying "missing" must not make two values, or two keys, of one person; so marks are looked for before
anything is counted (`is_any_of`), and by what a cell says: its label, whatever its type.

Does a source begin with the names of its columns, or with a person's row (`Heading`)?  Messages list the columns and
suggest the nearest one, but a file without a line of names begins with a person's row, which no message may show: names
appear in messages only where they are certainly names, else their number.

    certainly a row?    two names are equal; one is empty, a number, a date or a mark, or holds the end of a line; or a
                        row below has the column's name as its cell
    certainly names?    none of that, all rows have as many cells, and: the caller named one of them; or one has numbers
                        all the way down and none in its name; or two are words for columns rather than for cells
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidelight.arrays import KEY_LIMIT, Codes, Integers, number_keys
from sidelight.errors import BadTable, UnknownColumn, WrongKind, did_you_mean, shortened
from sidelight.streams.sorted_runs import Packing, Words
from sidelight.table.labels import BLANKS, SUPPRESSED, Label, as_number, in_order, label, moment_text
from sidelight.table.roles import Roles, is_called_as_columns_are
from sidelight.text import counted, first_repeated

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory

Frame: TypeAlias = nw.LazyFrame[Any]  # whatever engine it is in

END_OF_DAY = "24:00:00"

# Types of DuckDB whose cells have a label each. It takes a month for 30 days, and Arrow no offset of a time
GROUPABLE = {
    *("boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "float", "double", "decimal", "null"),
    *("utinyint", "usmallint", "uinteger", "ubigint", "uhugeint", "varchar", "enum", "uuid", "blob"),
    *("date", "time", "time_ns", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"),
    *("timestamp with time zone", "timestamptz_ns"),
}

TEXTS = (nw.String, nw.Categorical, nw.Enum)  # to be compared: a set would not find an Enum of some categories


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of rows, for messages and documents."""

    name: str  # "patients.csv", or "the table"
    dropped: tuple[str, ...]  # the columns that are not used
    rows: int | None = None  # how many there are, where an earlier pass has counted them
    files: tuple[Path, ...] = ()
    texts: frozenset[str] = frozenset()  # the columns that are text by their type, which CSV's are not
    notes: tuple[str, ...] = ()  # what to know about its cells, one sentence each


class Rows:
    """Rows in their engine, and how to read the engine's answers.

    By default an engine behind narwhals groups them by their cells, one column per quasi-identifier.
    """

    __slots__ = ()

    frame: Frame  # with our own names for the columns
    roles: Roles  # how they are read, with what the types of columns say about their kinds
    source: Source
    known: Packing | None = None  # the labels of every column, where an earlier pass has found them

    @property
    def key(self) -> tuple[str, ...]:
        """The columns of the quasi-identifiers."""
        return tuple(f"q{number}" for number in range(len(self.roles.quasi)))

    @property
    def key_and_value(self) -> tuple[str, ...]:
        """The columns of the quasi-identifiers and of the sensitive value."""
        return (*self.key, *self.roles.values_used)

    def exclusions(self) -> list[nw.Expr]:
        """Return the conditions on which a row does not count."""
        return []

    def counted(
        self, *levels: tuple[str, ...], counting: bool = False, nameless: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """Group the rows (with `counting`, those that count) by the first columns, then these groups by the next.

        Each of the last groups says how many `rows` it has and, from the second level on, of how many `parts`, groups
        of the level before, it is made.  With `nameless`, an engine may give numbers in place of persons.
        """
        return arrow_batches(grouped_frame(self, levels, counting=counting))

    def count_misplaced(self, *, single: bool) -> tuple[int, int]:
        """Count the rows without a person, and the people with several keys (or, if `single`, rows)."""
        per_person = grouped_frame(self, (("person", *self.key), ("person",)), counting=True)
        nobody = nw.col("person").is_null()
        # rows: (person, key) → person, so parts counts a person's keys and rows the raw rows
        too_many = nw.col("rows" if single else "parts") > 1
        totals = per_person.select(
            nw.when(nobody).then(nw.col("rows")).sum().cast(nw.Int64).alias("nameless"),
            nw.when(~nobody & too_many).then(nw.lit(1)).sum().cast(nw.Int64).alias("scattered"),
        )
        nameless, scattered = (column.to_pylist()[0] or 0 for column in collect(totals).columns)
        return nameless, scattered

    def packing(self, answer: pa.Table) -> Packing:
        """Return the labels of every column, in order; the answer has the columns of `key_and_value`."""
        return self.known or packing_of(
            [decode(answer.column(name)).unique() for name in self.key_and_value], self.roles
        )

    def words(self, answer: pa.Table, packing: Packing, columns: tuple[str, ...]) -> Words:
        """Pack the columns `key` or `key_and_value` of an answer."""
        named = zip(columns, packing.labels, strict=False)
        codes = [encode(answer.column(name), self.roles, labels) for name, labels in named]
        # an answer without the sensitive columns has keys only, which are packed as if with the first value
        if len(columns) == len(packing.labels):
            return packing.pack(codes)
        return packing.pack_keys(codes, answer.num_rows)


def grouped_frame(rows: Rows, levels: Sequence[tuple[str, ...]], *, counting: bool) -> Frame:
    """Build the query that groups rows; nothing is computed yet."""
    # an exclusion is never null (`ignore_nulls=False`, `is_null`), so ~excluded keeps every row that it does not name
    frame = reduce(lambda kept, excluded: kept.filter(~excluded), rows.exclusions() if counting else (), rows.frame)
    grouped = frame.group_by(*levels[0]).agg(nw.len().alias("rows"))
    for by in levels[1:]:
        # each level groups the groups before: `parts` counts those, `rows` still adds up to the raw rows
        grouped = grouped.group_by(*by).agg(nw.len().alias("parts"), nw.col("rows").sum())
        grouped = grouped.with_columns(nw.col("rows").cast(nw.Int64))  # sums of whole numbers are wider in DuckDB
    return grouped


@dataclass(frozen=True, slots=True)
class TextRows(Rows):
    """Rows as some engine behind narwhals holds them, grouped as they are."""

    frame: Frame
    roles: Roles
    source: Source

    @classmethod
    def select(cls, frame: Frame, roles: Roles, source: Source, columns: Mapping[str, str]) -> TextRows:
        """Select the used columns of a frame, missing cells as nulls; `columns` maps our names to the frame's."""
        native = frame.to_native()
        if isinstance(native, duckdb.DuckDBPyRelation):
            refuse_types(native, {name: roles.used[ours] for ours, name in columns.items()})
        chosen = frame.select(nulls_for_missing(frame, name, roles).alias(ours) for ours, name in columns.items())
        return cls(chosen, roles, source)

    def exclusions(self) -> list[nw.Expr]:
        """Return the conditions on texts: suppressed keys, missing sensitive values."""
        conditions = []
        if self.roles.suppressed == "leave out":
            stars = [star for name in self.key if (star := is_any_of(self.frame, name, {SUPPRESSED})) is not None]
            if len(stars) == len(self.key):
                conditions.append(nw.all_horizontal(*stars, ignore_nulls=False))
        if self.roles.missing == "drop":
            valueless = [nw.col(name).is_null() for name in self.roles.values_used]
            conditions.append(nw.any_horizontal(*valueless, ignore_nulls=False))
        return conditions


def packing_of(columns: Iterable[pa.Array], roles: Roles) -> Packing:
    """Sort the labels of each column, in their declared or natural order."""
    names, all_labels = (*roles.quasi, *roles.value_columns), []
    orders = [*map(roles.order_of, roles.quasi), *map(roles.domain_of, roles.value_columns)]
    for name, column, declared in zip(names, columns, orders, strict=True):
        with naming(name):
            labels: Iterable[Label] = labels_of(column, roles)
        # declared labels come first, in their order, so that codes compare as the labels of an ordered column do
        all_labels.append((*declared, *in_order({*labels}.difference(declared))) if declared else in_order(labels))
    packing = Packing(tuple(all_labels), sensitive=len(roles.value_columns))
    if packing.width >= KEY_LIMIT:
        raise BadTable(
            f"the sensitive columns {' and '.join(roles.value_columns)} have more combinations of values than can be "
            "counted; read some of them more coarsely, or leave one out"
        )
    return packing


@contextmanager
def naming(column: str) -> Iterator[None]:
    """Name the column in errors about cells without a label."""
    try:
        yield
    except (BadTable, WrongKind) as problem:
        raise type(problem)(f"column '{column}': {problem}") from None


def labels_of(column: pa.Array, roles: Roles) -> Sequence[Label]:
    """Return the labels of some cells; texts, of which there may be millions, are labels already."""
    if pa.types.is_string(column.type) and not roles.missing_marks:
        texts: list[Label] = column.to_pylist()
        return texts
    return [roles.label(cell) for cell in python_cells(column)]


def encode(column: pa.Array | pa.ChunkedArray, roles: Roles, labels: tuple[Label, ...]) -> Codes:
    """Return the code of each cell: the index of its label in `labels`."""
    code_of = {text: code for code, text in enumerate(labels)}
    parts = [np.zeros(0, np.int32)]
    # each chunk has a dictionary of its own, so a label is looked up once per chunk and not once per row
    for chunk in _dictionary_encode(column).chunks:
        texts = labels_of(chunk.dictionary, roles)
        codes = [code_of.get(text, 0) for text in (*texts, None)]  # a dictionary may hold cells that do not occur
        indices = chunk.indices.cast(pa.int32())
        if indices.null_count:  # asked first, because `fill_null` imports pandas
            indices = pc.fill_null(indices, len(codes) - 1)
        parts.append(np.array(codes, np.int32)[np.from_dlpack(indices)])
    return np.concatenate(parts)


def _dictionary_encode(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    chunked = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    return chunked if pa.types.is_dictionary(chunked.type) else chunked.dictionary_encode()


def decode(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column with its cells in place of indices into a dictionary."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def list_cells(column: pa.ChunkedArray) -> list[object]:
    """Return the cells of a column as Python objects."""
    return [cell for chunk in decode(column).chunks for cell in python_cells(chunk)]


def is_any_of(frame: Frame, name: str, texts: Collection[str]) -> nw.Expr | None:
    """Build the condition that a cell's label is one of some texts; `None` if certainly none is.

    >>> import polars as pl
    >>> from datetime import date
    >>> days = nw.from_native(pl.LazyFrame({"day": [date(2020, 1, 2), date(1900, 1, 1)]}))
    >>> days.select(is_any_of(days, "day", {"1900-01-01", "?"})).collect().to_native().to_series().to_list()
    [False, True]
    >>> is_any_of(days, "day", {"?"})
    """
    dtype, column = frame.collect_schema()[name], nw.col(name)
    candidates: Sequence[object] = []  # the texts as the column would store them
    if dtype in TEXTS:
        column, candidates = column.cast(nw.String), sorted(texts)
    elif dtype == nw.Binary:
        candidates = [text.encode() for text in texts]
    elif dtype.is_integer():  # compared as text: floats would take neighbours beyond 2**53 for the same
        column, candidates = column.cast(nw.String), [text for text in texts if re.fullmatch("-?[0-9]+", text)]
    elif dtype.is_float():
        column = column.cast(nw.Float64)
        candidates = [number for number in map(float_saying, texts) if number is not None]
    else:
        # as the engine itself writes cells: differently from other engines, but always in the same way; polars writes
        # the time 7:00:00.1 as 7:00:00
        numbered = dtype.is_temporal() and frame.implementation.is_polars()
        column = column.cast(nw.Int64 if numbered else nw.String)
        # a truth, a number, a date or a duration could read like one of them
        if dtype == nw.Unknown or any(text in {"true", "false"} or re.search("[0-9]", text) for text in texts):
            answer = collect(frame.select(nw.col(name).alias("cell"), column.alias("key")).unique())
            pairs = zip(*(list_cells(answer.column(each)) for each in ("cell", "key")), strict=True)
            candidates = [key for cell, key in pairs if label(cell) in texts]
    return column.is_in(candidates).fill_null(value=False) if candidates else None


def float_saying(text: str) -> float | None:
    """Return the float whose label is a text; None for texts such as "1e3" and "01", which label no float."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if label(number) == text else None


def collect(frame: Frame) -> pa.Table:
    """Run a query and hold its answer, each text stored once per batch."""
    names = frame.collect_schema().names()  # asked first: a DuckDB that streams an answer takes no other question
    return collect_batches(arrow_batches(frame), names)


def collect_batches(batches: Iterable[pa.RecordBatch], names: Iterable[str]) -> pa.Table:
    """Put batches together, each text stored once per batch; without any, return an empty table of these columns."""

    def compact(column: pa.Array) -> pa.Array:
        # integers are small already; texts of an answer repeat
        kind = column.type
        small = pa.types.is_integer(kind) or pa.types.is_dictionary(kind) or pa.types.is_nested(kind)
        return column if small else column.dictionary_encode()

    stored = [pa.RecordBatch.from_arrays([*map(compact, batch.columns)], names=batch.schema.names) for batch in batches]
    return pa.Table.from_batches(stored) if stored else pa.table({name: [] for name in names})


def arrow_batches(frame: Frame) -> Iterator[pa.RecordBatch]:
    """Run a query and yield its answer batch by batch."""
    native = frame.to_native()
    if hasattr(native, "to_arrow_reader"):
        return duckdb_batches(native)
    return iter(frame.collect("pyarrow").to_native().to_batches())


def duckdb_batches(relation: duckdb.DuckDBPyRelation) -> Generator[pa.RecordBatch, None, None]:
    """Yield DuckDB's answer batch by batch; raise DuckDB's own errors again, which Arrow reports as text only."""
    # Arrow wraps DuckDB's error in an OSError with its text; the beginning of that says which kind it was
    batches = relation.to_arrow_reader()
    try:
        yield from batches
    except OSError as problem:
        if "Interrupted" in str(problem):
            raise KeyboardInterrupt from None
        kinds = {"Out of Memory Error": duckdb.OutOfMemoryException, "IO Error": duckdb.IOException}
        kind = next((kind for words, kind in kinds.items() if str(problem).startswith(words)), duckdb.Error)
        raise kind(str(problem)) from None
    finally:
        batches.close()


def python_cells(array: pa.Array) -> list[object]:
    """Return the cells of an Arrow array as Python objects, moments in UTC, those with nanoseconds as text."""
    try:
        return _python_cells(array)
    except (OverflowError, ValueError):  # also of a time zone that shifts the last day of 9999
        if not pa.types.is_temporal(array.type):
            raise
        raise BadTable(
            f"some {array.type} cells are before the year 1 or after 9999, or, of times, outside a day; store them as "
            "text, or as missing where they stand for that"
        ) from None


def _python_cells(array: pa.Array) -> list[object]:
    kind = array.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        array = array.cast(pa.timestamp(kind.unit, "UTC"))
    if getattr(kind, "unit", "") == "ns":
        return _nanoseconds(array)
    listed: list[object] = array.to_pylist()
    if not pa.types.is_time(kind):
        return listed
    # Python has no 24:00, and would read it as 00:00; what is outside a day is an error
    day = 24 * 60 * 60 * {"s": 1, "ms": 10**3, "us": 10**6}[kind.unit]
    stored = array.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
    if any(raw is not None and not 0 <= raw <= day for raw in stored):
        raise OverflowError
    return [END_OF_DAY if raw == day else each for each, raw in zip(listed, stored, strict=True)]


def _nanoseconds(array: pa.Array) -> list[object]:
    """Split moments, times or durations into microseconds, which Python has, and the nanoseconds below."""
    kind = array.type
    if pa.types.is_timestamp(kind):
        coarser = pa.timestamp("us", kind.tz)
    else:
        coarser = pa.duration("us") if pa.types.is_duration(kind) else pa.time64("us")
    # floor division also before 1970: `below` is 0 … 999 nanoseconds, and a moment is above + below
    above, below = np.divmod(pc.fill_null(array.cast(pa.int64()), 0).to_numpy(), 1000)
    moments = _python_cells(pa.array(above, mask=array.is_null().to_numpy(zero_copy_only=False)).cast(coarser))
    pairs = [*zip(moments, below.tolist(), strict=True)]
    if any(each == END_OF_DAY and left for each, left in pairs):
        raise OverflowError
    known = dt.datetime | dt.time | dt.timedelta
    return [moment_text(each, left) if isinstance(each, known) else each for each, left in pairs]


def arrow_integers(numbers: Integers) -> pa.Array:
    """Return whole numbers as an Arrow array; `pa.array` and `to_numpy` would import pandas if installed (0.15 s).

    >>> arrow_integers(np.array([3, 1])).to_pylist()
    [3, 1]
    """
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def numpy_integers(column: pa.ChunkedArray) -> Integers:
    """Copy a column of whole numbers, none of them missing, out of Arrow.

    >>> numpy_integers(pa.chunked_array([[3], [1]], pa.int32())).tolist()
    [3, 1]
    """
    # DLPack shares the buffer without importing pandas, and takes no empty chunks
    parts = [np.from_dlpack(chunk) for chunk in column.chunks if len(chunk)]
    return np.concatenate([np.zeros(0, np.int64), *parts], dtype=np.int64)


def number_cells(column: pa.ChunkedArray) -> Integers:
    """Number the distinct cells of a column from 0; return the number of each cell.

    >>> number_cells(pa.chunked_array([["b", "a"], ["a"]])).tolist()
    [0, 1, 1]
    >>> number_cells(pa.chunked_array([[7, -3], [7]])).tolist()
    [1, 0, 1]
    """
    if pa.types.is_signed_integer(column.type) and len(column) and not column.null_count:
        numbers = numpy_integers(column)
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < KEY_LIMIT:
            return number_keys(numbers - low, below=high - low + 1)[0]
    encoded = _dictionary_encode(column).unify_dictionaries()
    return numpy_integers(pa.chunked_array([chunk.indices for chunk in encoded.chunks], pa.int32()))


def nulls_for_missing(frame: Frame, name: str, roles: Roles) -> nw.Expr:
    """Make every missing cell of a column a null, before anything is counted."""
    dtype, column = frame.collect_schema()[name], nw.col(name)
    if dtype == nw.Object or dtype.is_nested():
        raise BadTable(f"column '{name}' holds {dtype} cells; turn it into text first")
    # NaN and null would be two groups; a missing cell must be one and the same, whatever the library writes for it
    if dtype.is_float():
        column = column.fill_nan(None)
    elif dtype in (nw.Int128, nw.UInt128):  # Arrow has no such numbers
        column = column.cast(nw.String)
    with naming(roles.used.get(name, name)):
        marked = is_any_of(frame, name, roles.missing_marks)
    return column if marked is None else nw.when(~marked).then(column)


def refuse_types(relation: duckdb.DuckDBPyRelation, columns: Mapping[str, str]) -> None:
    """Raise `BadTable` if cells of DuckDB have no label; `columns` maps the used columns to the user's names."""
    for own, kind in zip(relation.columns, relation.types, strict=True):
        if own in columns and kind.id not in GROUPABLE:
            raise _no_labels(columns[own], kind)


def refuse_arrow_type(name: str, kind: pa.DataType) -> None:
    """Raise `BadTable` if cells of Arrow have no label."""
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


def people_written_alike(rows: Rows) -> Rows:
    """Write persons such as 7.0, or 7 between `BLANKS`, as 7, so that one person is not counted as two.

    >>> import polars as pl
    >>> frame = nw.from_native(pl.LazyFrame({"person": ["7", " 7", "7.0", "7.5", "v1.0"]}))
    >>> from sidelight.table.roles import Roles
    >>> rows = people_written_alike(TextRows(frame, Roles(person="id"), Source("the table", ())))
    >>> rows.frame.collect()["person"].to_list()
    ['7', '7', '7', '7.5', 'v1.0']
    """
    # a database does so itself; bytes, such as digests, are compared as they are
    if not isinstance(rows, TextRows) or rows.roles.person_column is None:
        return rows
    if rows.frame.collect_schema()["person"] not in TEXTS:
        return rows
    text = nw.col("person").cast(nw.String).str.strip_chars(BLANKS)
    whole = nw.when(text.str.contains(r"^-?[0-9]+\.0*$")).then(text.str.replace_all(r"\.0*$", "")).otherwise(text)
    return replace(rows, frame=rows.frame.with_columns(whole.alias("person")))


def is_address(source: object) -> bool:
    """Return whether a source is an address, not a file.

    >>> is_address("postgresql://db/clinic?table=patients"), is_address("patients.csv")
    (True, False)
    """
    return isinstance(source, str) and source.lower().startswith(("postgresql://", "postgres://"))


def words_for_files(files: Sequence[Path]) -> str:
    """Return the name of a file, or how many files there are."""
    return files[0].name if len(files) == 1 else f"{len(files)} files"


def changed_while_read(name: str) -> BadTable:
    """Return the error that rows changed between two passes."""
    return BadTable(f"{name} changed while it was read; read it again when nobody writes to it")


def sql_name(name: str) -> str:
    """Quote a name for SQL.

    >>> print(sql_name('5" tall'))
    "5"" tall"
    """
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    """Quote a text for SQL.

    >>> sql_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


NO_NAMES = (
    "seems to have no line of column names: its first line looks like somebody's row and is not shown; "
    "give it a line of column names"
)

# Texts that stand for a missing number; a column of numbers is not called so
SAYING_NOTHING = frozenset(
    {"", "?", "-", ".", "*", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "unknown", "inf"}
)


@dataclass(frozen=True, slots=True)
class Heading:
    """The first line of a source: names of columns or, by mistake, a person's row."""

    names: tuple[str, ...]
    rows: Callable[[], Sequence[Sequence[str]]] | None = None  # reads some rows below; None: names in any case
    numbers: Collection[str] = ()  # the columns that are no texts by their type

    @classmethod
    def of_schema(cls, schema: pa.Schema) -> Heading:
        """Build the heading of an Arrow table; numbers, days and truths are columns of no texts."""
        # strings and binaries are not primitive in Arrow, and neither are dictionaries of texts
        return cls(tuple(schema.names), numbers=[each.name for each in schema if pa.types.is_primitive(each.type)])

    def is_row(self) -> bool:
        """Return whether the names could be a person's cells.

        Names differ and begin with a letter (the first may be empty, as pandas writes its index), and no row has the
        column's name as its cell.

        >>> Heading(("age", "sex", "disease")).is_row(), Heading(("34", "f", "Flu")).is_row()
        (False, True)
        >>> Heading(("Ann", "f", "Flu"), lambda: [["Bea", "f", "Cold"]]).is_row()
        True
        """
        return self._is_row_beside(self._below())

    def is_sure(self, meant: Iterable[str] = ()) -> bool:
        """Return whether these are certainly names of columns, which may be shown; the caller named `meant`.

        >>> Heading(("Smith", "Ann", "Flu"), lambda: [["Jones", "Bea", "Cold"]]).is_sure()
        False
        >>> Heading(("grp", "bmi"), lambda: [["a", "21.5"]] * 9).is_sure(), Heading(("zip", "sex", "x")).is_sure()
        (True, True)
        >>> Heading(("Ann", "f"), lambda: [["Bea", "21", "f"]] * 9).is_sure()
        False
        """
        names = self.names
        if any(map(_holds_line_end, names)):
            return False
        if any(name in names for name in meant):
            # the caller named one of these columns, so this is a line of names, unless rows have run into it
            if self.rows is None or not self._is_row_beside(()):
                return True
            # a line of names may go on into rows, its end being lost: no row has as many cells
            filled = [row for row in self._below() if any(row)]
            return bool(filled) and all(len(row) == len(names) for row in filled)
        below = self._below()
        if self._is_row_beside(below) or any(len(row) != len(names) for row in below if any(row)):
            return False  # also where rows have other columns than the first line: it may be part of one
        if sum(map(is_called_as_columns_are, names)) >= min(2, len(names)):
            return True
        return any(self._is_number_below(at, below) for at in range(len(names)))

    def name_nearest(self, name: str, meant: Iterable[str] = ()) -> str:
        """Return the end of a sentence about a missing column: the nearest name, all of them, or their number.

        >>> Heading(("zip", "sex")).name_nearest("zipcode")
        "; did you mean 'zip'?"
        >>> Heading(("Smith", "Ann"), lambda: [["Jones", "Bea"]]).name_nearest("city").partition(";")[0]
        ', which has 2 columns'
        """
        if self.is_sure(meant):
            return did_you_mean(name, self.names)
        row = not any(each in self.names for each in meant) and self.is_row()
        return f", which {NO_NAMES}" if row else f", which has {self.count_in_words()}"

    def count_in_words(self) -> str:
        """Return the number of columns in words, and what to do if the first line holds no names.

        >>> Heading(("Smith", "Ann")).count_in_words()
        "2 columns; its first line may be somebody's row and is not shown: if it is, give it a line of column names"
        """
        remedy = "its first line may be somebody's row and is not shown: if it is, give it a line of column names"
        return f"{counted(len(self.names), 'column')}; {remedy}"

    def _below(self) -> Sequence[Sequence[str]]:
        return () if self.rows is None else self.rows()

    def _is_row_beside(self, below: Sequence[Sequence[str]]) -> bool:

        def is_cell(name: str) -> bool:
            # a number, a date, a mark such as `*`, empty, or several lines
            return re.match(r"[\W_]*(\d|$)", name) is not None or _holds_line_end(name)

        names = self.names
        # pandas writes its index below an empty first name, which proves nothing about the others
        if len({*names}) < len(names) or any(map(is_cell, names[1:] if names[:1] == ("",) else names)):
            return True
        return any(name == cell for row in below for name, cell in zip(names, row, strict=False))

    def _is_number_below(self, at: int, below: Sequence[Sequence[str]]) -> bool:
        """Return whether all cells of a column are numbers, and its name is neither that nor a missing mark."""
        name = self.names[at].strip().casefold()
        if name in SAYING_NOTHING or not re.fullmatch(r"[^\W\d][^\d]*", name):
            return False
        if self.names[at] in self.numbers:
            return True
        cells = [row[at].strip() for row in below if at < len(row) and row[at].strip().casefold() not in SAYING_NOTHING]
        # letters above numbers only are a name; in a column of texts, the first line could be one more cell
        return len(cells) >= 5 and all(as_number(cell) is not None for cell in cells)


def _holds_line_end(name: str) -> bool:
    r"""Return whether a name holds the end of a line, in any spelling that programs use, also written out as `\n`."""
    return name.splitlines() not in ([], [name]) or re.search(r"\\[nr]", name) is not None


def unused_columns(roles: Roles, heading: Heading, where: str) -> tuple[str, ...]:
    """Check that the table has each column of the roles once; return the names of unused columns.

    >>> from sidelight.table.roles import Roles
    >>> unused_columns(Roles(("age",), "disease"), Heading(("zip", "age", "disease")), "here")
    ('zip',)
    """
    used, columns = roles.used.values(), heading.names
    for name in used:
        if name not in columns:
            raise UnknownColumn(f"no column '{name}' in {where}{heading.name_nearest(name, used)}")
    repeated = first_repeated(columns)
    if repeated is not None:
        # the name itself may be a person's cell: the message has positions only
        one, other = [at for at, name in enumerate(columns, start=1) if name == repeated][:2]
        alike = f"called alike, column {one} and column {other}"
        called = f"called '{repeated}'" if repeated in used else alike
        raise BadTable(f"two columns of {where} are {called}; rename one")
    if roles.takes_each_row and roles.person in columns:
        raise BadTable(
            f"a column of {where} is called '{roles.person}', which says that each row is a person; rename it"
        )
    return tuple(name for name in columns if name not in used)


OpenRows: TypeAlias = "Callable[[Sequence[Path], Roles, bool, Memory | None], AbstractContextManager[Rows]]"
"""Opens files as rows to count, within some memory; unless packed, each column can be read by itself."""


@dataclass(frozen=True)
class FileFormat:
    """How files of one kind are read."""

    words: str  # "some of the files are …"
    endings: tuple[str, ...]
    advice: str  # the endings that an error offers
    open_rows: OpenRows
    open_heading: Callable[[Path, Roles], AbstractContextManager[Heading]]  # to see what the columns are called
    first_bytes: Mapping[bytes, str] = field(default_factory=dict)  # what a file begins with, and its ending then
    may_lack_names: bool = False  # its first line may be a person's row
    may_be_packed: bool = False
    typed: bool = True  # columns have types; else every cell is text
    # how Spark reads files, where its executors find them; None: it does not
    read_in_spark: Callable[[Any, Sequence[str], Roles], Any] | None = None
