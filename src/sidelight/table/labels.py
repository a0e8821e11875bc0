"""Labels: the text of a cell, independent of how it was stored; and columns of them.

5, "5", 5.0 and a category of them are one label; moments are written in UTC, to the nanosecond; a missing cell is None.
Groups are made of equal labels, so two engines that store a cell differently must never make two groups of it.

Labels can be shown (`shown`, `hint_label`, `listed`), sorted naturally (`in_order`), and parsed as numbers and days
(`as_number`, `as_day`), to be cut and averaged.

`Column`       labels stored once each, with a code per row.
`JointDomain`  the combinations of values of several sensitive columns.
`Tabular`      a base for things with rows: Arrow tables and dataframes of them.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Codes, Flags, Integers, number_rows
from sidelight.errors import (
    BadTable,
    NotAvailable,
    SidelightError,
    UnknownColumn,
    WrongKind,
    as_given,
    did_you_mean,
    expect,
    kind_in_words,
    list_name,
    parameter,
    shortened,
)
from sidelight.text import LONGEST_NUMBER, counted, fraction_in

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Label: TypeAlias = str | None
"""The text of one cell; `None` is a missing one."""

# The text of a missing cell for people
MISSING = "(missing)"

# Texts that mean missing in any column
MISSING_MARKS = ("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", ".", "-")

# The label of a suppressed cell
SUPPRESSED = "*"

# The characters that engines trim from both ends of a text: those of `str.strip`, as the engines' own sets differ
BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def label(cell: object) -> Label:  # noqa: PLR0911 - one line per kind of cell
    """Return the label of a cell: the same for 5, "5", 5.0, NumPy's 5 and a category of them.

    >>> label(5), label("5"), label(5.0), label(5.5), label(True), label(float("nan"))
    ('5', '5', '5', '5.5', 'true', None)
    >>> label(np.datetime64("2020-01-02")), label(np.timedelta64(-1, "ns"))
    ('2020-01-02', '-1 day, 23:59:59.999999999')
    """
    if isinstance(cell, str):
        return str(cell)  # NumPy's texts are texts
    if _is_missing(cell):
        return None
    if isinstance(cell, np.datetime64 | np.timedelta64):
        whole = cell.astype("datetime64[us]" if isinstance(cell, np.datetime64) else "timedelta64[us]")  # rounds down
        return moment_text(whole.item(), int((cell - whole) / np.timedelta64(1, "ns")))
    if isinstance(cell, np.generic):
        cell = cell.item()
    # before numbers: True is an int in Python, and would be written 1
    if isinstance(cell, bool):
        return "true" if cell else "false"
    # 5.0 and 5 are one value, stored differently
    if isinstance(cell, float | Decimal) and math.isfinite(cell) and cell == int(cell):
        return str(int(cell))
    if isinstance(cell, Decimal):  # `normalize` would round to 28 digits
        return f"{cell:f}".rstrip("0") if math.isfinite(cell) else f"{cell:f}"
    if isinstance(cell, dt.datetime | dt.time):
        return moment_text(cell, getattr(cell, "nanosecond", 0))  # pandas' moments have them
    if isinstance(cell, dt.timedelta):
        return moment_text(cell, getattr(cell, "nanoseconds", 0))
    return _text_of(cell)


def _text_of(cell: object) -> str:
    several = isinstance(cell, list | tuple | set | frozenset | dict)
    wordless = type(cell).__str__ is object.__str__ and type(cell).__repr__ is object.__repr__  # but for its address
    if several or wordless or hasattr(cell, "__arrow_c_stream__") or hasattr(cell, "__array__"):
        raise _no_cell(cell)
    try:
        return cell.decode() if isinstance(cell, bytes) else str(cell)
    except UnicodeDecodeError:
        raise BadTable("a cell holds bytes that are not UTF-8 text; turn them into text first") from None
    except ValueError:  # Python does not write integers of thousands of digits
        raise _no_cell(cell) from None


def _no_cell(cell: object) -> WrongKind:
    return WrongKind(f"a cell is one value, and this is {kind_in_words(cell)}; give a text, a number or a day")


def _is_missing(cell: object) -> bool:
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124 - NaN and NaT are not equal to themselves
    except TypeError:  # and pandas' NA does not say
        return True
    except (ValueError, ArithmeticError):  # a table or an array is many, and a NaN that signals is not compared
        raise _no_cell(cell) from None


def shown(text: Label) -> str:
    """Return a label for people.

    >>> shown("Flu"), shown(None)
    ('Flu', '(missing)')
    """
    return MISSING if text is None else text


def written_label(value: object) -> Label:
    """Return the label of a value in which "(missing)" stands for a missing one.

    >>> written_label("Flu"), written_label(7), written_label("(missing)")
    ('Flu', '7', None)
    """
    text = label(value)
    return None if text == MISSING else text


def show_in_list(text: Label) -> str:
    """Return a label for a list, quoted if it holds a comma.

    >>> ", ".join(map(show_in_list, ["Flu", "Ulcer, bleeding", None]))
    "Flu, 'Ulcer, bleeding', (missing)"
    """
    return list_name(shown(text))


def hint_label(text: Label) -> str:
    """Return a label for a message, cut to its beginning.

    >>> hint_label("Flu"), hint_label("came in with a cough, then a fever and a rash")
    ('Flu', 'came in with a cough, then a …')
    """
    return shortened(shown(text), most=30)


def listed(labels: Iterable[Label], most: int = 10) -> str:
    """Join the first labels for a message, with the number of the others.

    >>> listed(["Flu", None]), listed(map(str, range(100)), most=3)
    ('Flu, (missing)', '0, 1, 2, … and 97 more')
    """
    named = [list_name(hint_label(text)) for text in labels]
    more = [f"… and {len(named) - most:,} more"] if len(named) > most else []
    return ", ".join([*named[:most], *more])


def in_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Sort distinct labels: as numbers when all of them are numbers, as text otherwise, missing last.

    >>> in_order(["10", "9", None]), in_order(["b", "10", "9"])
    (('9', '10', None), ('10', '9', 'b'))
    """
    distinct = dict.fromkeys(labels)  # keeps the order: labels that are sorted already are sorted fast
    present = [each for each in distinct if each is not None]
    # stops at the first text that is not a number: there may be millions
    numbers = [*takewhile(lambda number: number is not None, map(as_number, present))]
    # equal numbers such as 5 and 5.0 are ordered by their text, so that the order never depends on the input
    are_numbers = len(numbers) == len(present)
    ordered = [text for _, text in sorted(zip(numbers, present, strict=True))] if are_numbers else sorted(present)
    return (*ordered, None) if None in distinct else tuple(ordered)


def as_number(text: Label) -> float | None:
    """Parse a label as a finite number; None if it is not one.

    >>> as_number("17"), as_number("1e3"), as_number("20-29"), as_number("nan"), as_number("0e99999999")
    (17.0, 1000.0, None, None, None)
    """
    try:
        # Python's float reads 1_000, which is not a number in data files
        number = float(text) if text is not None and "_" not in text else math.nan
    except ValueError:
        return None
    too_long = text is not None and (len(text) > LONGEST_NUMBER or ("e" in text.lower() and fraction_in(text) is None))
    return number if math.isfinite(number) and not too_long else None


Moment: TypeAlias = dt.datetime | dt.time | dt.timedelta


def moment_text(moment: Moment, nanoseconds: int = 0) -> str:
    """Write a moment (in UTC; a midnight as its date), a time of day or a duration.

    `nanoseconds`, 0 to 999, are those beyond the microseconds of Python's types.

    >>> moment_text(dt.datetime(2020, 1, 2)), moment_text(dt.datetime(2020, 1, 2, 3, 4), nanoseconds=5)
    ('2020-01-02', '2020-01-02 03:04:00.000000005')
    >>> moment_text(dt.time(7, 30)), moment_text(dt.timedelta(hours=36, milliseconds=1))
    ('07:30:00', '1 day, 12:00:00.001000')
    """
    microseconds = moment.microseconds if isinstance(moment, dt.timedelta) else moment.microsecond
    below = f".{microseconds:06}" if microseconds or nanoseconds else ""
    below += f"{nanoseconds:03}" if nanoseconds else ""
    if isinstance(moment, dt.timedelta):
        return f"{dt.timedelta(moment.days, moment.seconds)}{below}"
    if isinstance(moment, dt.time):
        return moment.replace(tzinfo=None).isoformat("seconds") + below + moment.strftime("%z")
    moved = moment if moment.tzinfo is None else moment.astimezone(dt.UTC)
    if moved.time() == dt.time() and not below:
        return moved.date().isoformat()
    zone = "" if moment.tzinfo is None else "+00:00"
    return moved.replace(tzinfo=None).isoformat(" ", "seconds") + below + zone


def as_day(text: Label) -> int | None:
    """Parse a day as its ordinal number; None if it is not one.

    >>> as_day("1984-03-09"), as_day("1984-03"), as_day("1984-02-31"), as_day(None)
    (724344, None, None, None)
    """
    if text is None or re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is None:
        return None
    try:
        return dt.date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def day_text(day: float) -> str:
    """Return the day nearest to an ordinal number.

    >>> day_text(724344.4)
    '1984-03-09'
    """
    return dt.date.fromordinal(min(max(round(day), 1), dt.date.max.toordinal())).isoformat()


Semantics: TypeAlias = Literal["single", "set", "multiset"]
"""One value per person; a set of values per person; or any number of occurrences per person."""

ColumnKind: TypeAlias = Literal["category", "ordered", "number", "date"]
"""The kind of a column, which decides how its labels may be combined."""

KindOrOrder: TypeAlias = ColumnKind | tuple[str, ...]
"""A declared kind, or the labels of an ordered column in their order."""


def kind_of_labels(labels: Iterable[Label]) -> ColumnKind:
    """Return the kind of a column by its labels alone.

    >>> kind_of_labels(["17", "90", None]), kind_of_labels(["250", "V45"]), kind_of_labels(["00734", "81667"])
    ('number', 'category', 'category')
    >>> kind_of_labels(["1984-03-09"]), kind_of_labels(["1", "4"]), kind_of_labels(["1E50", "2E65"])
    ('date', 'category', 'category')
    """
    present = [text for text in labels if text is not None]
    if not present or are_digits(present):
        return "category"
    if all(as_day(text) is not None for text in present):
        return "date"
    # digits in another spelling than that of a number: leading zeros, a plus, or an exponent like ICD's 1E50
    code = re.compile(r"\s*(\+|-?0[0-9]|.*[0-9.]E[0-9])")
    are_numbers = all(as_number(text) is not None and not code.match(text) for text in present)
    return "number" if are_numbers else "category"


def are_digits(labels: Iterable[Label]) -> bool:
    """Return whether labels are single digits, as many codes are.

    >>> are_digits(["1", "4", None]), are_digits(["9", "10"])
    (True, False)
    """
    return not {*labels} - {*"0123456789", None}


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """A column of labels: `labels[codes[row]]` is that of a row.

    >>> Column.of("age", ["30", "4", "30"])
    <Column age: 3 rows, 2 labels>
    """

    name: str
    labels: tuple[Label, ...]  # an ordered column's in its order
    codes: Codes
    kind: ColumnKind | None = None  # declared, or by its type; None: its labels and hierarchy decide

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
        return cls(name, labels, positions_of(cells, labels).astype(np.int32))

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        """Return the size only, as labels may be about people."""
        return f"<Column {self.name}: {counted(len(self), 'row')}, {counted(len(self.labels), 'label')}>"

    def cell(self, row: int) -> Label:
        """Return the label of a row."""
        return self.labels[int(self.codes[row])]

    def matches(self, text: Label) -> Flags:
        """Flag the rows with a label."""
        matches: Flags = np.array([each == text for each in self.labels], bool)[self.codes]
        return matches

    def take(self, rows: npt.NDArray[np.integer] | slice) -> Column:
        """Return some rows, in this order."""
        return Column(self.name, self.labels, self.codes[rows], self.kind)

    def compact(self) -> Column:
        """Drop labels that no row has.

        >>> Column.of("age", ["30", "4", "50"]).take(slice(0, 2)).compact().labels
        ('4', '30')
        """
        used = np.zeros(len(self.labels), bool)
        # block by block, as the first rows often show that every label occurs
        step = 1 << 20
        for start in range(0, len(self.codes), step):
            used[self.codes[start : start + step]] = True
            if used.all():
                return self
        labels = tuple(text for text, kept in zip(self.labels, used, strict=True) if kept)
        return Column(self.name, labels, (np.cumsum(used) - 1).astype(np.int32)[self.codes], self.kind)

    def sort_naturally(self) -> Column:
        """Sort the labels naturally; the label of every row stays.

        >>> Column("age", ("30", "4"), np.array([0, 1], np.int32)).sort_naturally().labels
        ('4', '30')
        """
        labels = in_order(self.labels)
        return Column(self.name, labels, positions_of(self.labels, labels).astype(np.int32)[self.codes], self.kind)

    def stack_on(self, lower: Column) -> Column:
        """Append the rows of another column, under common labels.

        >>> both = Column.of("age", ["30"]).stack_on(Column.of("age", ["4", "30"]))
        >>> [both.cell(row) for row in range(len(both))], both.labels
        (['30', '4', '30'], ('4', '30'))
        """
        return replace(stack_columns([self, lower]), kind=None).sort_naturally()

    def without(self, hidden: npt.NDArray[np.bool_]) -> Column:
        """Make the cells of some rows missing.

        >>> age = Column.of("age", ["30", "4"]).without(np.array([True, False]))
        >>> age.cell(0), age.cell(1)
        (None, '4')
        """
        if not hidden.any():
            return self
        # the missing label goes last, so that the codes of the others stay as they are
        labels = self.labels if None in self.labels else (*self.labels, None)
        return Column(self.name, labels, np.where(hidden, labels.index(None), self.codes).astype(np.int32), self.kind)

    def recode(self, labels: tuple[Label, ...], recode: Codes) -> Column:
        """Replace each label by `labels[recode[code]]`."""
        return Column(self.name, labels, recode[self.codes])

    def declare(self, domain: tuple[Label, ...] | None, error: type[SidelightError] = BadTable) -> Column:
        """Recode to a declared domain, or without one to the labels that occur; raise if a label is not in it."""
        column = self.compact()
        if domain is None:
            return column
        outside = [text for text in column.labels if text not in domain]
        if outside:
            raise error(
                f"'{hint_label(outside[0])}' occurs in '{self.name}' but is not in {parameter('domain')}; add it there"
            )
        return column.recode(domain, positions_of(column.labels, domain).astype(np.int32))


def positions_of(cells: Sequence[Label], labels: Sequence[Label]) -> Integers:
    """Return the index of each cell among distinct labels; −1 for others.

    >>> positions_of(["b", "x"], ["a", "b"]).tolist()
    [1, -1]
    """
    if tuple(cells) == tuple(labels):  # saves millions of look-ups
        return np.arange(len(labels))
    position = {text: number for number, text in enumerate(labels)}
    return np.fromiter((position.get(cell, -1) for cell in cells), np.int64, len(cells))


def find_column(
    columns: Sequence[Column], name: str, what: str = "quasi-identifier", where: str = "in the table"
) -> Column:
    """Return a column by name; raise `UnknownColumn` with the nearest name."""
    expect(str, name, "the name of a column")
    for column in columns:
        if column.name == name:
            return column
    raise UnknownColumn(f"no {what} '{name}' {where}{did_you_mean(name, [column.name for column in columns])}")


def stack_columns(parts: Sequence[Column]) -> Column:
    """Concatenate columns of the same name, under common labels."""
    first = parts[0]
    if all(part.labels == first.labels for part in parts):
        return Column(first.name, first.labels, np.concatenate([part.codes for part in parts]), first.kind)
    labels = in_order(dict.fromkeys(text for part in parts for text in part.labels))
    codes = [positions_of(part.labels, labels).astype(np.int32)[part.codes] for part in parts]
    return Column(first.name, labels, np.concatenate(codes), first.kind)


def number_equal_rows(columns: tuple[Column, ...], rows: int) -> tuple[Integers, Integers]:
    """Number the distinct rows, in the order of their labels.

    Returns each row's number, and for each number the first row that has it.

    >>> both = (Column.of("sex", ["m", "f", "m"]), Column.of("age", ["1", "2", "1"]))
    >>> [part.tolist() for part in number_equal_rows(both, rows=3)]
    [[1, 0, 1], [1, 0]]
    """
    return number_rows([column.codes for column in columns], [len(column.labels) for column in columns], rows=rows)


class JointDomain(tuple[Label, ...]):  # noqa: SLOT001 - a tuple cannot have slots that hold something
    """The domain of several sensitive columns together: a value is a combination of their cells.

    `columns` has a `Column` for each sensitive column, with a row per value: its label there.  So a column is also the
    map from these values to its own (see `Groups.recode`).  For counting it is a domain like any other; questions about
    attackers are asked of one of the columns.

    >>> both = JointDomain([Column.of("disease", ["Flu", "Flu"]), Column.of("income", ["high", "low"])])
    >>> both, both.names, both.column("income").labels
    (('Flu, high', 'Flu, low'), ('disease', 'income'), ('high', 'low'))
    """

    columns: tuple[Column, ...]

    def __new__(cls, columns: Iterable[Column]) -> Self:
        """Combine the columns row by row."""
        columns = tuple(columns)

        def quote(cell: Label) -> str:
            """Quote a cell that could be read as several or as a missing one."""
            text = shown(cell)
            odd = cell is not None and (", " in text or text.startswith('"') or text == MISSING)
            return '"' + text.replace('"', '""') + '"' if odd else text

        quoted = [[*map(quote, column.labels)] for column in columns]
        cells = ([texts[code] for code in column.codes] for texts, column in zip(quoted, columns, strict=True))
        domain = super().__new__(cls, map(", ".join, zip(*cells, strict=True)))
        domain.columns = columns
        return domain

    def __getnewargs__(self) -> tuple[tuple[Column, ...]]:
        return (self.columns,)

    @property
    def names(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the label of each value in one sensitive column."""
        check_sensitive(name, self.names)
        return next(column for column in self.columns if column.name == name)

    @classmethod
    def numbered(cls, columns: Iterable[Column]) -> tuple[JointDomain, Integers]:
        """Build the domain of the combinations in some rows, in label order; also return each row's number."""
        columns = tuple(columns)
        number, first = number_equal_rows(columns, len(columns[0]))
        return cls(column.take(first) for column in columns), number

    def printed(self, values: npt.NDArray[np.integer]) -> tuple[Column, ...]:
        """Return the columns of some values."""
        return tuple(column.take(values) for column in self.columns)

    def combinations(self, names: Sequence[str]) -> tuple[Integers, Integers]:
        """Number the combinations in some columns: each value's number, and a value for each number."""
        return number_equal_rows(tuple(map(self.column, names)), len(self))

    def only(self, values: npt.NDArray[np.integer]) -> JointDomain:
        """Return some of the values, without labels that occurred in others only."""

        def drop_lost_labels(column: Column) -> Column:
            rest = column.take(values)
            before, after = (np.bincount(each.codes, minlength=len(column.labels)) > 0 for each in (column, rest))
            # a declared label that never occurred stays; one that occurred and is lost goes
            kept = after | ~before
            labels = tuple(text for text, stays in zip(column.labels, kept, strict=True) if stays)
            return rest.recode(labels, (np.cumsum(kept) - 1).astype(np.int32))

        return JointDomain(map(drop_lost_labels, self.columns))


def check_sensitive(column: object, columns: Sequence[str]) -> None:
    """Raise `UnknownColumn` unless `column` is one of the sensitive columns."""
    if not isinstance(column, str) or column not in columns:
        raise UnknownColumn(f"no sensitive column '{as_given(column)}'{did_you_mean(as_given(column), columns)}")


def word_values(domain: tuple[Label, ...]) -> str:
    """Return the size of a domain in words: of values or, of several sensitive columns, of combinations.

    >>> word_values(("Cold", "Flu"))
    '2 values'
    """
    return counted(len(domain), "combination" if isinstance(domain, JointDomain) else "value")


def is_listing(thing: object) -> TypeGuard[Iterable[Any]]:
    """Return whether a thing is iterable, and neither a text nor a mapping."""
    return isinstance(thing, Iterable) and not isinstance(thing, str | bytes | Mapping)


def value_columns(sensitive: str, domain: tuple[Label, ...], values: npt.NDArray[np.integer]) -> tuple[Column, ...]:
    """Return the sensitive columns of some value codes; the code after the domain is a missing cell.

    >>> value_columns("disease", ("Flu", "Cold"), np.array([1, 2]))[0].labels
    ('Flu', 'Cold', None)
    """
    if isinstance(domain, JointDomain):
        return domain.printed(values)
    return (Column(sensitive, (*domain, None), values.astype(np.int32)),)


# Dataframe libraries are imported only when their dataframes are requested.


class Tabular(ABC):
    """A base for things that have rows."""

    __slots__ = ()

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Return all rows as a pyarrow table."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows of `to_arrow` as a pandas DataFrame."""
        try:
            frame: pd.DataFrame = self.to_arrow().to_pandas()
        except ImportError:
            raise NotAvailable.without(package="pandas", what="to_pandas()") from None
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Return the rows of `to_arrow` as a polars DataFrame."""
        try:
            import polars  # noqa: PLC0415, ICN001 - optional, and slow to import
        except ImportError:
            raise NotAvailable.without(package="polars", what="to_polars()") from None
        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame


def arrow_labels(column: Column, rows: npt.NDArray[np.integer] | slice = slice(None)) -> pa.Array:
    """Return the labels of some rows as an Arrow array of texts.

    >>> arrow_labels(Column.of("age", ["30", None, "4"]), slice(0, 2)).to_pylist()
    ['30', None]
    """
    import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

    return pa.array(column.labels, pa.string()).take(pa.array(column.codes[rows]))


def unused_name(name: str, taken: Collection[str]) -> str:
    """Return a name for a column that no other has, whatever their capitals.

    >>> unused_name("people", ["age", "sex"]), unused_name("people", ["People", "people 2"])
    ('people', 'people 3')
    """
    folded = {each.casefold() for each in taken}
    names = (name if number == 1 else f"{name} {number}" for number in range(1, len(folded) + 2))
    return next(each for each in names if each.casefold() not in folded)
