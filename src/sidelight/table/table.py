"""What the publisher holds: people by their quasi-identifiers, and how often each sensitive value occurs.

`Table`   one row per key (distinct combination of quasi-identifier values), with its people and its counts.
`Column`  labels stored once each, with a code per row.
`Intake`  what reading did to the rows.

How often values occur: `counts`.  All are frozen, and so are their arrays; a table of a hundred million people is as
large as its keys.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Codes, Integers, add_up, number_rows
from sidelight.errors import (
    BadTable,
    NotAvailable,
    UnknownColumn,
    as_given,
    did_you_mean,
    expect,
    in_python,
    listed,
    parameter,
)
from sidelight.table.column_names import numbers_people
from sidelight.table.counts import CELLS_AT_ONCE, Counts, Profiles
from sidelight.table.labels import Label, in_order, shown
from sidelight.text import counted, form, html_table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from sidelight.table.labels import ColumnKind, Semantics


@dataclass(frozen=True, slots=True)
class Intake:
    """What reading did to the rows: nothing is dropped without being counted here."""

    rows: int = 0
    columns_dropped: tuple[str, ...] = ()
    rows_without_value: int = 0  # dropped because the sensitive value was missing (missing="drop")
    rows_saying_no_value: int = 0  # their person counts, and has no value by this row (missing="no value")
    rows_without_person: int = 0  # left out because nothing says whose they are (`Events` only)
    rows_suppressed: int = 0  # left out because every published column was `*` (suppressed="leave out")
    repeats: int = 0  # repeated (person, value) rows that count once in `set`
    carried: tuple[str, ...] = ()  # columns that were published as they are, beside what was judged
    singled_out: int = 0  # people whom these set apart from all others of their group
    cell_separator: str | None = None  # what seems to separate several values in a cell, where nobody said so
    missing_marks: tuple[str, ...] = field(default=(), compare=False, repr=False)  # texts that mean a missing cell
    files: tuple[Path, ...] = field(default=(), compare=False, repr=False)  # never to be written over
    source_notes: tuple[str, ...] = field(default=(), compare=False, repr=False)  # about cells of these files
    roles: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)  # person, missing, suppressed

    def notes(self) -> tuple[str, ...]:
        """Return what reading did in words, one line for each thing; empty if there is nothing to note.

        >>> Intake(rows=10, rows_without_value=2).notes()
        ('2 of 10 rows have no sensitive value and were dropped',)
        """
        notes = [*self._drop_unused()]
        if self.carried:
            people = f"{self.singled_out:,} of {counted(self.rows, 'person')}"
            as_they_are = f"published as they are: {', '.join(self.carried)}"
            notes.append(
                f"{as_they_are}; whoever knows them finds {people} alone in their group, and no limit judges that"
            )
        if self.rows_without_value:
            has, was = form("has", self.rows_without_value), form("was", self.rows_without_value)
            notes.append(f"{self.rows_without_value:,} of {self._all} {has} no sensitive value and {was} dropped")
        if self.rows_without_person:
            has, was = form("has", self.rows_without_person), form("was", self.rows_without_person)
            notes.append(f"{self.rows_without_person:,} of {self._all} {has} no person and {was} left out")
        if self.rows_saying_no_value:
            say = form("says", self.rows_saying_no_value)
            notes.append(f"{self.rows_saying_no_value:,} of {self._all} {say} that a person has no sensitive value")
        level = self.roles.get("sensitive_level")
        if level:
            levels = level.items() if isinstance(level, Mapping) else [("sensitive values", level)]
            parts = ", ".join(f"{name} at level {number}" for name, number in levels)
            notes.append(f"{parts} of the hierarchy: what is said is about those coarser values")
        if self.rows_suppressed:
            are, were = form("is", self.rows_suppressed), form("was", self.rows_suppressed)
            notes.append(f"{self.rows_suppressed:,} of {self._all} {are} fully suppressed (*) and {were} left out")
        if self.repeats:
            repeat, count = form("repeats", self.repeats), form("counts", self.repeats)
            notes.append(f"{self.repeats:,} of {self._all} {repeat} a person's value and {count} once")
        if self.cell_separator:
            one = f"sensitive cells seem to hold several values, separated by '{self.cell_separator}'"
            notes.append(f"{one}; if so, read them with values 'set' (--values set --split '{self.cell_separator}')")
        return (*notes, *self.source_notes)

    def _drop_unused(self) -> Iterator[str]:
        """Name the columns that were not used, and ask about one that seems to say whose row it is."""
        if self.columns_dropped:
            yield f"columns not used: {', '.join(self.columns_dropped)}"
        people = next(filter(numbers_people, self.columns_dropped), None)
        if people is not None and not {"person", "split"} & {*self.roles}:
            yield (
                f"each row is taken for a person; if '{people}' says whose rows they are and some people have several, "
                "groups have fewer people than is told here: name it with --person"
            )

    @property
    def _all(self) -> str:
        return counted(self.rows, "row")


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """A table about people, reduced to counts per distinct combination of quasi-identifier values (a *key*).

    `quasi[j].cell(i)` is what key i says in column j, `sizes[i]` its people, `counts` how often each
    value of `domain` occurs among them.  The raw rows stay in the engine that holds them.
    """

    quasi: tuple[Column, ...]
    sensitive: str
    domain: tuple[Label, ...]
    sizes: Integers
    counts: Counts
    semantics: Semantics = "single"
    intake: Intake = field(default_factory=Intake)
    carried: CarriedColumns | None = field(default=None, repr=False)  # columns that are published as they are
    weights: Integers | None = field(default=None, repr=False)  # Σ of each key's sampling weights, in `WEIGHT_UNIT`s
    names: Mapping[str, int] | None = field(default=None, repr=False)  # name → key, where reading was to keep them
    read_profiles: Callable[[Table], Profiles] | None = field(default=None, repr=False)  # asks the engine again

    @property
    def people(self) -> int:
        """Return how many people the table is about."""
        return int(self.sizes.sum())

    def profiles(self) -> Profiles:
        """Return which values people have together; where they have several, the engine that holds the rows is asked.

        >>> visits = Table((), "disease", ("Cold", "Flu"), np.array([3]), Counts.from_cells([[1, 2]]))
        >>> visits.profiles().people.tolist()
        [1, 2]
        """
        if self.semantics == "single":
            key, value, people = self.counts.entries()
            # with one value each, an entry (key, value, people) is a profile whose single value occurs once
            once = Counts.from_sorted(
                np.arange(len(key)), value, np.ones(len(key), np.int64), (len(key), self.counts.width)
            )
            return Profiles(key, people, once)
        if self.read_profiles is None:
            message = "this table has counts only, and does not say which values a person has together; read its rows"
            raise BadTable(message)
        profiles = self.read_profiles(self)
        # the rows are read again, and may have changed since the table was counted
        if not profiles.fit(self):
            message = "the rows are not those that the table was read from; read it again when nobody writes to them"
            raise BadTable(message)
        return profiles

    def column(self, name: str) -> Column:
        """Find a quasi-identifier by name."""
        return find_column(self.quasi, name)

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""
        return sensitive_names(self.sensitive, self.domain)

    def about(self, column: str) -> Table:
        """Look at one of several sensitive columns: the table that reading with that one alone gives."""
        if not isinstance(self.domain, JointDomain):
            one_of_one(column, self.sensitive)
            return self
        values = self.domain.column(column)
        counts = self.counts.merge_values(values.codes, width=len(values.labels))
        return replace(self, sensitive=column, domain=values.labels, counts=counts, carried=None)

    def only(self, names: Sequence[str]) -> Table:
        """Look at some of the quasi-identifiers: the table that reading with these alone gives.

        >>> table = Table((Column.of("sex", "mmf"), Column.of("age", "123")), "disease", ("Flu",), np.array([1, 1, 2]),
        ...               Counts.from_cells([[1], [1], [2]]))
        >>> table.only(["sex"]).sizes.tolist()
        [2, 2]
        """
        columns = tuple(self.column(name) for name in names)
        key, first = number_equal_rows(columns, len(self.sizes))
        return Table(
            tuple(column.take(first) for column in columns),
            self.sensitive,
            self.domain,
            add_up(key, self.sizes, len(first)),
            self.counts.roll_up(key, groups=len(first)),
            self.semantics,
            self.intake,
            weights=None if self.weights is None else add_up(key, self.weights, len(first)),
        )

    def _repr_html_(self) -> str:
        """Show the columns and how much they hold; never what is in them, which is about people."""
        rows = [(column.name, "quasi-identifier", len(column.labels)) for column in self.quasi]
        note = f"{counted(len(self.sizes), 'key')} (distinct combinations of quasi-identifier values)"
        title = f"Table of {counted(self.people, 'person')}"
        columns = ["column", "role", "distinct values"]
        values = [(each, "sensitive", len(self.about(each).domain)) for each in self.sensitive_columns]
        return html_table(title, columns, [*rows, *values], note=note)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.quasi)
        return (
            f"<Table of {counted(self.people, 'person')}: {names} → {self.sensitive} "
            f"({counted(len(self.domain), 'combination' if len(self.sensitive_columns) > 1 else 'value')})>"
        )


def held(table: object) -> Table:
    """Return a table that is in memory; raise if it is streamed."""
    if not isinstance(table, Table):
        memory = parameter("memory")
        message = f"a streamed table does not hold its keys, and all of them are needed; read it without {memory}"
        raise BadTable(message)
    return table


@dataclass(frozen=True, eq=False, slots=True)
class CarriedColumns:
    """The cells of columns that are carried along: `count[i]` people of key `key[i]` with value `value[i]`."""

    columns: tuple[Column, ...]  # a row per entry
    key: Integers
    value: Integers
    count: Integers
    weight: str | None = None  # which of the columns says how many people of the population somebody stands for

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One published or quasi-identifying column: `labels[codes[row]]` is what the row says.

    >>> Column.of("age", ["30", "4", "30"])
    <Column age: 3 rows, 2 labels>
    """

    name: str
    labels: tuple[Label, ...]  # an ordered column's in its order
    codes: Codes
    kind: ColumnKind | None = None  # what was declared, or what its type says; None: its labels and hierarchy decide

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
        return cls(name, labels, _codes_of(cells, labels))

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        """Return how much there is; never what it says, which may be about people."""
        return f"<Column {self.name}: {counted(len(self), 'row')}, {counted(len(self.labels), 'label')}>"

    def cell(self, row: int) -> Label:
        """Return what one row says."""
        return self.labels[int(self.codes[row])]

    def take(self, rows: npt.NDArray[np.integer] | slice) -> Column:
        """Keep some rows, in the order given."""
        return Column(self.name, self.labels, self.codes[rows], self.kind)

    def compact(self) -> Column:
        """Forget labels that no row has.

        >>> Column.of("age", ["30", "4", "50"]).take(slice(0, 2)).compact().labels
        ('4', '30')
        """
        used = np.zeros(len(self.labels), bool)
        # block by block, as the first rows often show that every label occurs
        for start in range(0, len(self.codes), CELLS_AT_ONCE):
            used[self.codes[start : start + CELLS_AT_ONCE]] = True
            if used.all():
                return self
        labels = tuple(text for text, kept in zip(self.labels, used, strict=True) if kept)
        return Column(self.name, labels, (np.cumsum(used) - 1).astype(np.int32)[self.codes], self.kind)

    def sort_naturally(self) -> Column:
        """Keep what every row says, with the labels in their natural order.

        >>> Column("age", ("30", "4"), np.array([0, 1], np.int32)).sort_naturally().labels
        ('4', '30')
        """
        labels = in_order(self.labels)
        return Column(self.name, labels, _codes_of(self.labels, labels)[self.codes], self.kind)

    def stack_on(self, lower: Column) -> Column:
        """Put another column below this one, under common labels.

        >>> both = Column.of("age", ["30"]).stack_on(Column.of("age", ["4", "30"]))
        >>> [both.cell(row) for row in range(len(both))], both.labels
        (['30', '4', '30'], ('4', '30'))
        """
        return replace(stack_columns([self, lower]), kind=None).sort_naturally()

    def without(self, hidden: npt.NDArray[np.bool_]) -> Column:
        """Leave the cells of some rows empty.

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
        """Return each old label a new one: `labels[recode[old code]]`."""
        return Column(self.name, labels, recode[self.codes])


def _codes_of(cells: Sequence[Label], labels: tuple[Label, ...]) -> Codes:
    code = {text: number for number, text in enumerate(labels)}
    return np.fromiter((code[cell] for cell in cells), np.int32, len(cells))


def find_column(columns: Sequence[Column], name: str) -> Column:
    """Find a quasi-identifier by name, or say which there are."""
    expect(str, name, "the name of a column")
    for column in columns:
        if column.name == name:
            return column
    message = f"no quasi-identifier '{name}' in the table{did_you_mean(name, [column.name for column in columns])}"
    raise UnknownColumn(message)


def stack_columns(parts: Sequence[Column]) -> Column:
    """Put columns of the same name below each other, under common labels."""
    first = parts[0]
    if all(part.labels == first.labels for part in parts):
        return Column(first.name, first.labels, np.concatenate([part.codes for part in parts]), first.kind)
    labels = in_order(dict.fromkeys(text for part in parts for text in part.labels))
    codes = [_codes_of(part.labels, labels)[part.codes] for part in parts]
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

    `columns` has a `Column` for each sensitive column, with a row per value: what the value says there.  So a column is
    also the map from these values to its own (see `Groups.recode`).  A domain like any other for everybody who only
    counts; who asks what somebody could find out asks about one of the columns.

    >>> both = JointDomain([Column.of("disease", ["Flu", "Flu"]), Column.of("income", ["high", "low"])])
    >>> both, both.names, both.column("income").labels
    (('Flu, high', 'Flu, low'), ('disease', 'income'), ('high', 'low'))
    """

    columns: tuple[Column, ...]

    def __new__(cls, columns: Iterable[Column]) -> Self:
        """Put the columns side by side."""
        columns = tuple(columns)
        cells = zip(*([column.labels[code] for code in column.codes] for column in columns), strict=True)
        domain = super().__new__(cls, map(_joint_label, cells))
        domain.columns = columns
        return domain

    def __getnewargs__(self) -> tuple[tuple[Column, ...]]:
        return (self.columns,)

    @property
    def names(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return what each value says in one sensitive column."""
        for column in self.columns:
            if column.name == name:
                return column
        message = f"no sensitive column '{as_given(name)}'{did_you_mean(as_given(name), self.names)}"
        raise UnknownColumn(message)

    @classmethod
    def numbered(cls, columns: Iterable[Column]) -> tuple[JointDomain, Integers]:
        """Number the combinations that some rows have, in the order of their labels; also gives each row's number."""
        columns = tuple(columns)
        number, first = number_equal_rows(columns, len(columns[0]))
        return cls(column.take(first) for column in columns), number

    def printed(self, values: npt.NDArray[np.integer]) -> tuple[Column, ...]:
        """Print some values, column by column."""
        return tuple(column.take(values) for column in self.columns)

    def combinations(self, names: Sequence[str]) -> tuple[Integers, Integers]:
        """Number what the values say in some of the columns: each value's number, and a value for each number."""
        return number_equal_rows(tuple(map(self.column, names)), len(self))

    def only(self, values: npt.NDArray[np.integer]) -> JointDomain:
        """Keep some values, and of the columns' labels those that occur still, or never did."""
        return JointDomain(_drop_lost_labels(column, values) for column in self.columns)


def _joint_label(cells: Iterable[Label]) -> str:
    """Write cells as one text, in quotes where they would be mistaken for several or for a missing one."""
    return ", ".join(_quote(cell) for cell in cells)


def _quote(cell: Label) -> str:
    text = shown(cell)
    odd = cell is not None and (", " in text or text.startswith('"') or text == shown(None))
    return '"' + text.replace('"', '""') + '"' if odd else text


def _drop_lost_labels(column: Column, values: npt.NDArray[np.integer]) -> Column:
    rest = column.take(values)
    before, after = (np.bincount(each.codes, minlength=len(column.labels)) > 0 for each in (column, rest))
    # a declared label that never occurred stays; one that occurred and is lost goes
    kept = after | ~before
    labels = tuple(text for text, stays in zip(column.labels, kept, strict=True) if stays)
    return rest.recode(labels, (np.cumsum(kept) - 1).astype(np.int32))


def value_columns(sensitive: str, domain: tuple[Label, ...], values: npt.NDArray[np.integer]) -> tuple[Column, ...]:
    """Print values by their codes: one column, or each of several; the code after the domain is a missing cell.

    >>> value_columns("disease", ("Flu", "Cold"), np.array([1, 2]))[0].labels
    ('Flu', 'Cold', None)
    """
    if isinstance(domain, JointDomain):
        return domain.printed(values)
    return (Column(sensitive, (*domain, None), values.astype(np.int32)),)


def one_of_one(column: str, sensitive: str) -> None:
    """Refuse another name than that of the one sensitive column."""
    if not isinstance(column, str) or column != sensitive:
        message = f"no sensitive column '{as_given(column)}'{did_you_mean(as_given(column), [sensitive])}"
        raise UnknownColumn(message)


class HasSensitiveColumns(Protocol):
    """A table or a release."""

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""


def expect_one_sensitive(thing: HasSensitiveColumns, what: str) -> None:
    """Refuse several sensitive columns where a question is about one."""
    columns = thing.sensitive_columns
    if len(columns) > 1:
        message = (
            f"{what} is about one sensitive column, and there are {listed(columns)}; pick one, such as "
            f"{parameter('sensitive', columns[0])}{in_python(f', or .about({columns[0]!r})')}"
        )
        raise BadTable(message)


def sensitive_names(sensitive: str, domain: tuple[Label, ...]) -> tuple[str, ...]:
    """Name the sensitive columns: the one, or each of several."""
    return domain.names if isinstance(domain, JointDomain) else (sensitive,)


# What can be had as an Arrow table can be had as a dataframe too: pandas or polars, whichever is at hand. The
# libraries are imported when they are asked for, and none of pandas and polars is needed for anything else.


class Tabular(ABC):
    """A base for things that have rows to hand out."""

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
    """Return the labels of some rows of a column as Arrow's texts.

    >>> arrow_labels(Column.of("age", ["30", None, "4"]), slice(0, 2)).to_pylist()
    ['30', None]
    """
    import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

    return pa.array(column.labels, pa.string()).take(pa.array(column.codes[rows]))


def unused_name(name: str, taken: Collection[str]) -> str:
    """Find a name for a column that no other has, whatever their capitals.

    >>> unused_name("people", ["age", "sex"]), unused_name("people", ["People", "people 2"])
    ('people', 'people 3')
    """
    folded = {each.casefold() for each in taken}
    names = (name if number == 1 else f"{name} {number}" for number in range(1, len(folded) + 2))
    return next(each for each in names if each.casefold() not in folded)
