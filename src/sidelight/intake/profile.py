"""What does each column of a file hold?  Counts of its cells, some of its labels, and how they are written.

For a column with the cells c₁ … c_n: how many say something, how many different labels there are, how many of those
occur once; of two columns, whether each tells the other; and, where rows belong to people, how many of them have rows
that differ in it.  A file is read once (`OpenColumns`), then one GROUP BY per column where the rows are: of labels no
more than `MOST_LABELS` are ever brought here, the first in order, so that the same file always looks the same.

Rules of thumb tell what labels are by how they are written (an e-mail address has an @): they never say that a column
is harmless.  Days are recognised in any of these, with a time of day behind them:

    1999-12-31, 1999/12/31      year, month, day
    31.12.1999                  day, month, year
    12/31/1999, 31-12-1999      day and month in an order that all labels together tell: one above 12 is a day
    31-Dec-1999, Dec 31, 1999   months by their English names

Where no label says whether 03/04 is in March or in April, or some say one and some the other, only the year is told.
Years of two digits stay as they are written, '84, as nobody can tell 1984 from 1884.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from sidelight.engines.dataframes.source import as_frame, frame_errors
from sidelight.engines.files import columns_of, rows_of
from sidelight.engines.read import kind_by_type
from sidelight.engines.source import (
    Frame,
    Rows,
    TextRows,
    collect,
    decode,
    is_any_of,
    labels_of,
    nulls_for_missing,
    people_written_alike,
)
from sidelight.errors import BadTable
from sidelight.progress import Progress, quiet
from sidelight.table.column_names import Look, written_looks
from sidelight.table.labels import Column, ColumnKind, as_number, in_order, kind_of_labels
from sidelight.table.roles import Roles

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_TIME = r"(?:(?:T|,?\s+)\d{1,2}:\d{2}\S*(?:\s*[AaPp]\.?[Mm]\.?)?)?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_NAMED = r"(?P<name>[A-Za-z]{3,9})\.?"
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}}){_TIME}")
_YEAR_LAST = re.compile(rf"(?P<one>\d{{1,2}})(?P<mark>[-/.])(?P<two>\d{{1,2}})(?P=mark){_YEAR}{_TIME}")
_DAY_NAME = re.compile(rf"(?P<day>\d{{1,2}})\.?[-/ ]{_NAMED},?[-/ ]{_YEAR}{_TIME}")
_NAME_DAY = re.compile(rf"{_NAMED}[-/ ](?P<day>\d{{1,2}}),?[-/ ]{_YEAR}{_TIME}")

Day: TypeAlias = tuple[str, tuple[int, int], str]
"""The year of a label, its month, or the two numbers of which one is; the sign between these where that is open."""


def _take_apart(text: str) -> Day | None:
    text, mark = text.strip(), ""
    if parts := _YEAR_FIRST.fullmatch(text):
        month, day = int(parts["month"]), int(parts["day"])
    elif parts := _YEAR_LAST.fullmatch(text):
        # dots are written with the day first wherever they are used
        day, month = int(parts["one"]), int(parts["two"])
        mark = parts["mark"].strip(".")
    elif parts := _DAY_NAME.fullmatch(text) or _NAME_DAY.fullmatch(text):
        name = parts["name"].casefold()[:3]
        month, day = MONTHS.index(name) + 1 if name in MONTHS else 0, int(parts["day"])
    else:
        return None

    def fits(month: int, day: int) -> bool:
        return 1 <= month <= len(MONTHS) and 1 <= day <= 31

    # 03/04/2020 may be March or April: both numbers are kept until the whole column decides
    if mark:
        return (parts["year"], (day, month), mark) if fits(month, day) or fits(day, month) else None
    return (parts["year"], (month, month), "") if fits(month, day) else None


@dataclass(frozen=True, slots=True)
class WrittenDays:
    """The labels of a column of days: of each its year, and its month where that can be told of all."""

    labels: tuple[str, ...]
    years: tuple[str | None, ...]
    months: tuple[int | None, ...] | None  # none at all, where it cannot be told of each day
    is_short: bool  # some years have two digits

    @property
    def periods(self) -> tuple[str, ...]:
        """Return which levels days of these years are printed at, the finest first."""
        full = [int(year) for year in self.years if year is not None]
        decade = ("decade",) if not self.is_short and max(full) - min(full) > 10 else ()
        return (*(("month", "quarter") if self.months is not None else ()), "year", *decade)

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Return what each label is printed as, at each level but the coarsest, `*`."""
        months = self.months or (None,) * len(self.labels)
        rows = list(zip(self.years, months, strict=True))

        def show(period: str, year: str | None, month: int | None) -> str:
            if year is None:
                return "no day"
            whole = year if len(year) > 2 else f"'{year}"
            if period == "decade":
                return f"{year[:3]}0-{year[:3]}9"
            if period == "year" or month is None:
                return whole
            return f"{whole}-{month:02}" if period == "month" else f"{whole}-Q{(month + 2) // 3}"

        return (self.labels, *(tuple(show(period, *row) for row in rows) for period in self.periods))


def read_written_days(labels: Iterable[str]) -> WrittenDays | None:
    """Read labels as days, if nearly all of them are.

    >>> read_written_days(["05/21/1941", "12/01/1999"]).levels[1]
    ('1941-05', '1999-12')
    >>> read_written_days(["03/04/1941", "05/04/1999"]).periods  # in March and May, or both in April
    ('year', 'decade')
    >>> read_written_days(["12-Feb-2005", "2005-03-09 14:30:00", "9.3.2005"]).levels[2]
    ('2005-Q1', '2005-Q1', '2005-Q1')
    >>> read_written_days(["07/08/22", "30/08/22"]).levels[3], read_written_days(["Flu"])
    (("'22", "'22"), None)
    """
    texts = tuple(labels)
    days = [_take_apart(text) for text in texts]
    readable = [day for day in days if day is not None]
    if not readable or Fraction(len(readable), len(texts)) < Fraction(9, 10):
        return None
    # decided mark by mark: one program wrote all days with slashes, and another perhaps those with hyphens
    order = {mark: _first_is_day([day for day in readable if day[2] == mark]) for mark in "-/"}
    months = [None if day is None or (first := order.get(day[2], True)) is None else day[1][first] for day in days]
    has_months = all(
        day is None or (month is not None and 1 <= month <= len(MONTHS))
        for day, month in zip(days, months, strict=True)
    )
    years = tuple(None if day is None else day[0] for day in days)
    return WrittenDays(texts, years, tuple(months) if has_months else None, any(len(day[0]) == 2 for day in readable))


def _first_is_day(days: Sequence[Day]) -> bool | None:
    """Return which of two numbers is the day; nothing where no label tells it, or labels contradict each other."""
    first, second = (any(day[1][place] > len(MONTHS) for day in days) for place in (0, 1))
    return None if first == second else first


def written_like(labels: Sequence[str]) -> Look | None:
    """Return what labels are that identify a person, judged by how they are written.

    >>> written_like(["ann@example.org", "bea@example.org"]).noun, written_like(["Flu", "Cold"])
    ('an e-mail address', None)
    >>> written_like(["(212) 555-0173"]).noun, written_like(["+49 30 901820"]).noun, written_like(["212-555-0173"]).noun
    ('a phone number', 'a phone number', 'a phone number')
    >>> written_like(["2024-03-09"]), written_like(["18-29"]), written_like(["1000-1999"]), written_like(["36.12345"])
    (None, None, None, None)
    """
    # days first: 2020-01-01 would pass for a phone number; plain numbers have no form to judge by
    if not labels or are_days(labels) or all(as_number(text) is not None for text in labels):
        return None
    return next((look for look, pattern in written_looks() if _mostly(pattern, labels)), None)


def are_days(labels: Sequence[str]) -> bool:
    """Return whether labels are days or moments, in any of the usual ways of writing them.

    >>> are_days(["03/09/1984", "9.3.84"]), are_days(["2024-03-09 10:30", "12-Feb-2005"]), are_days(["1984"])
    (True, True, False)
    """
    return read_written_days(labels) is not None


def are_names(labels: Sequence[str]) -> bool:
    """Return whether labels could be the names of people: two to four words that begin like names.

    >>> are_names(["Ann Miller", "O'Brien, Pat"]), are_names(["Flu", "Cold"]), are_names(["came in with a bad cough"])
    (True, False, False)
    """
    return _mostly(re.compile(r"\s*[^\W\d_][\w'’.-]+(,? [^\W\d_][\w'’.-]*){1,3}\s*"), labels) and _mostly(
        re.compile(r"\s*\w*[A-ZÀ-Þ].*\W\w*[A-ZÀ-Þ].*"), labels
    )


def are_sentences(labels: Sequence[str]) -> bool:
    """Return whether labels are free text.

    >>> are_sentences(["came in with a bad cough, then a fever"]), are_sentences(["Machine-op-inspct"])
    (True, False)
    """
    if not labels:
        return False
    letters, words = sum(map(len, labels)), sum(len(text.split()) for text in labels)
    # labels are free text if its labels have so many characters, or words, on average
    return letters >= 40 * len(labels) or words >= 5 * len(labels)


def _mostly(pattern: re.Pattern[str], labels: Sequence[str]) -> bool:
    fitting = sum(pattern.fullmatch(text) is not None for text in labels)
    # the share of labels that must be written in some way for a column to be taken for it
    return bool(labels) and Fraction(fitting, len(labels)) >= Fraction(9, 10)


# So many labels of a column are looked at
MOST_LABELS = 10_000


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The contents of a column in counts of rows, and some of its labels, which are never shown."""

    name: str
    rows: int
    missing: int  # rows that say nothing
    distinct: int  # different labels
    once: int  # labels that one row has
    most: int  # rows of the label that most rows have
    kind: ColumnKind
    labels: tuple[str, ...]  # some of them, in order: all if they are no more than `MOST_LABELS`

    @property
    def present(self) -> int:
        """Return how many rows say something."""
        return self.rows - self.missing

    @property
    def differing(self) -> Fraction:
        """Return how many different labels there are for each row that says something."""
        return Fraction(self.distinct, self.present) if self.present else Fraction(0)


def names_of_columns(source: object, roles: Roles) -> tuple[str, ...]:
    """Name the columns of files or of a dataframe."""
    if isinstance(source, str | Path):
        return columns_of(source, roles)
    if isinstance(source, list | tuple) and source and isinstance(source[0], str | Path):
        return columns_of(source[0], roles)
    with frame_errors():
        return tuple(as_frame(source).collect_schema().names())


@dataclass(frozen=True, slots=True)
class OpenColumns:
    """All columns of a source that is open: each can be looked at again without reading the file again."""

    rows: Rows
    columns: tuple[str, ...]
    roles: Roles

    def add_marks(self, marks: tuple[str, ...]) -> OpenColumns:
        """Take cells that say one of these texts for missing from now on."""
        frame, roles = self.rows.frame, replace(self.roles, missing_marks=marks)
        nulls = frame.with_columns(nulls_for_missing(frame, ours, roles).alias(ours) for ours in self.rows.key)
        reading = replace(self.rows.roles, missing_marks=marks)
        return OpenColumns(TextRows(nulls, reading, self.rows.source), self.columns, roles)

    def profiles(self, columns: Sequence[str], progress: Progress = quiet) -> dict[str, ColumnProfile]:
        """Look at some columns, one after the other."""
        profiles = {}
        for place, name in enumerate(columns):
            progress(name or "the first column", place, len(columns))
            ours = self._ours(name)
            times = self.rows.frame.group_by(ours).agg(nw.len().alias("times"))
            # one more than may be held, to see whether there are more; sorted, so that the choice is the same each time
            first = collect(times.sort(ours).head(MOST_LABELS + 1))
            texts = [text for chunk in decode(first.column(ours)).chunks for text in labels_of(chunk, self.roles)]
            known = in_order(text for text in texts if text is not None)
            labels = tuple(text for text in known if text is not None)[:MOST_LABELS]
            column = Column(name, labels, np.zeros(0, np.int32))
            kind = kind_by_type(column, self.rows.roles, self.rows.source.texts) or kind_of_labels(labels)
            # if there are few labels, one query is enough; else the engine counts again
            here = len(first) <= MOST_LABELS
            counts = _count_labels(nw.from_native(first).lazy() if here else times, ours)
            profiles[name] = ColumnProfile(name=name, kind=kind, labels=labels, **counts)
        return profiles

    def marks_among(self, marks: Sequence[str], columns: Sequence[str]) -> frozenset[str]:
        """Name the marks that some cell of these columns says."""
        present = set()
        for ours in map(self._ours, columns):
            among = is_any_of(self.rows.frame, ours, marks)
            if among is not None:
                cells = collect(self.rows.frame.filter(among).select(nw.col(ours).cast(nw.String)).unique())
                present |= {*cells.column(ours).to_pylist()}
        return frozenset(present)

    def tell_each_other(self, one: ColumnProfile, other: ColumnProfile) -> bool:
        """Return whether who knows one of two columns knows the other: there are no more pairs than labels of each."""
        # a bijection keeps all four counts, so most pairs are ruled out without a query
        if any(getattr(one, name) != getattr(other, name) for name in ("distinct", "missing", "once", "most")):
            return False
        pair = [self._ours(one.name), self._ours(other.name)]
        pairs = collect(self.rows.frame.select(*pair).unique().select(nw.len().alias("pairs")))
        # as many pairs as labels of each column, a missing cell being one more: each label has a single partner
        return int(pairs.column("pairs")[0].as_py()) == one.distinct + bool(one.missing)

    def people_who_vary(self, person: str, columns: Sequence[str]) -> dict[str, int]:
        """Count the people whose rows differ in each column, for columns in which any do."""
        frame = self.rows.frame.with_columns(nw.col(self._ours(person)).alias("person"))
        alike = people_written_alike(TextRows(frame, Roles(person=person), self.rows.source)).frame
        keys = [self._ours(name) for name in columns]
        labels = alike.group_by("person").agg(*(nw.col(each).n_unique().alias(each) for each in keys))
        varying = labels.select((nw.col(each) > 1).cast(nw.Int64).sum().alias(each) for each in keys)
        answer = collect(varying)
        numbers = [int(answer.column(each)[0].as_py() or 0) for each in keys]
        return {name: number for name, number in zip(columns, numbers, strict=True) if number}

    def _ours(self, name: str) -> str:
        return self.rows.key[self.columns.index(name)]


@contextmanager
def open_columns(source: object, columns: Sequence[str], roles: Roles) -> Iterator[OpenColumns]:
    """Open a source to look at its columns; of the roles, only how cells are read is used."""
    reading = Roles(
        quasi=tuple(columns),
        missing_marks=roles.missing_marks,
        kinds=tuple((name, kind) for name, kind in roles.kinds if name in columns),
        encoding=roles.encoding,
        sheet=roles.sheet,
    )
    with rows_of(source, reading, packed=False) as rows:
        yield OpenColumns(rows, tuple(columns), roles)


def column_profiles(
    source: object, columns: Sequence[str], roles: Roles, progress: Progress = quiet
) -> dict[str, ColumnProfile]:
    """Look at each column, one after the other; of the roles, only how cells are read is used.

    >>> import pyarrow as pa
    >>> visits = pa.table({"patient": [1, 1, 2], "ward": ["A", "B", None]})
    >>> ward = column_profiles(visits, ["patient", "ward"], Roles())["ward"]
    >>> ward.rows, ward.missing, ward.distinct, ward.once, ward.most
    (3, 1, 2, 2, 1)
    """
    with open_columns(source, columns, roles) as opened:
        profiles = opened.profiles(columns, progress)
        refuse_no_rows(opened, profiles)
    return profiles


def refuse_no_rows(opened: OpenColumns, profiles: Mapping[str, ColumnProfile]) -> None:
    """Raise `BadTable` if a table has no rows."""
    if not any(profile.rows for profile in profiles.values()):
        raise BadTable(f"{opened.rows.source.name} has no rows; give at least one person")


def _count_labels(times: Frame, ours: str) -> dict[str, int]:
    present, once = ~nw.col(ours).is_null(), nw.col("times") == 1
    totals = times.select(
        nw.col("times").sum().cast(nw.Int64).alias("rows"),
        nw.when(~present).then(nw.col("times")).sum().cast(nw.Int64).alias("missing"),
        nw.when(present).then(nw.lit(1)).sum().cast(nw.Int64).alias("distinct"),
        nw.when(present & once).then(nw.lit(1)).sum().cast(nw.Int64).alias("once"),
        nw.when(present).then(nw.col("times")).max().cast(nw.Int64).alias("most"),
    )
    answer = collect(totals)
    return {name: int(answer.column(name)[0].as_py() or 0) for name in answer.column_names}
