"""Profiles of a file's columns: counts of cells, some labels, and the forms of labels.

For a column with the cells c₁ … c_n: how many are present, how many distinct labels there are, how many of those occur
once; of two columns, whether they determine each other; and, if rows belong to people, how many people have rows that
differ in it.  A file is read once (`open_columns`), then one GROUP BY per column runs where the rows are: at most
`MOST_LABELS` labels reach this process, the first in order, so that a file always has the same profile.

Rules of thumb classify labels by their form (an e-mail address has an @); they never show that a column is harmless.
Days are recognised in any of these forms, perhaps with a time of day:

    1999-12-31, 1999/12/31      year, month, day
    31.12.1999                  day, month, year
    12/31/1999, 31-12-1999      day and month in the order that all labels together show: one above 12 is a day
    31-Dec-1999, Dec 31, 1999   months by their English names

If no label shows whether 03/04 is in March or in April, or labels contradict each other, only the year is read.  Years
of two digits stay as written, '84, as they may be 1984 or 1884.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
from sidelight.table.labels import Column, ColumnKind, as_number, in_order, kind_of_labels
from sidelight.table.roles import Look, Roles, written_looks

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_TIME = r"(?:(?:T|,?\s+)\d{1,2}:\d{2}\S*(?:\s*[AaPp]\.?[Mm]\.?)?)?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_NAMED = r"(?P<name>[A-Za-z]{3,9})\.?"
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}}){_TIME}")
_YEAR_LAST = re.compile(rf"(?P<one>\d{{1,2}})(?P<mark>[-/.])(?P<two>\d{{1,2}})(?P=mark){_YEAR}{_TIME}")
_DAY_NAME = re.compile(rf"(?P<day>\d{{1,2}})\.?[-/ ]{_NAMED},?[-/ ]{_YEAR}{_TIME}")
_NAME_DAY = re.compile(rf"{_NAMED}[-/ ](?P<day>\d{{1,2}}),?[-/ ]{_YEAR}{_TIME}")

Day: TypeAlias = tuple[str, tuple[int, int], str]
"""The year of a label; its month twice, or two candidates; and the sign between these, empty if decided."""


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


def _take_days(texts: Sequence[str]) -> list[Day | None] | None:
    """Parse labels as days, if nearly all of them are; else None."""
    days = [_take_apart(text) for text in texts]
    readable = len(days) - days.count(None)
    return days if readable and Fraction(readable, len(days)) >= Fraction(9, 10) else None


def read_written_days(labels: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
    """Parse labels as days, if nearly all of them are; return the coarser labels by period, the finest first.

    >>> read_written_days(["05/21/1941", "12/01/1999"])["month"]
    ('1941-05', '1999-12')
    >>> [*read_written_days(["03/04/1941", "05/04/1999"])]  # in March and May, or both in April
    ['year', 'decade']
    >>> read_written_days(["12-Feb-2005", "2005-03-09 14:30:00", "9.3.2005"])["quarter"]
    ('2005-Q1', '2005-Q1', '2005-Q1')
    >>> read_written_days(["07/08/22", "30/08/22"])["year"], read_written_days(["Flu"])
    (("'22", "'22"), None)
    """
    days = _take_days(labels)
    if days is None:
        return None

    def is_first_the_day(mark: str) -> bool | None:
        """Return whether the first number is the day; None if no label shows it, or labels contradict each other."""
        numbers = [day[1] for day in days if day is not None and day[2] == mark]
        first, second = (any(pair[index] > len(MONTHS) for pair in numbers) for index in (0, 1))
        return None if first == second else first

    # decided mark by mark: one program wrote all days with slashes, and another perhaps those with hyphens
    order = {mark: is_first_the_day(mark) for mark in "-/"}
    months = [None if day is None or (first := order.get(day[2], True)) is None else day[1][first] for day in days]
    dated = [(day[0], month) for day, month in zip(days, months, strict=True) if day is not None]
    years = [int(year) for year, _ in dated]
    periods = ["year"]
    if all(month is not None and 1 <= month <= len(MONTHS) for _, month in dated):
        periods = ["month", "quarter", "year"]
    if all(len(year) > 2 for year, _ in dated) and max(years) - min(years) > 10:
        periods.append("decade")

    def show(period: str, day: Day | None, month: int | None) -> str:
        if day is None:
            return "no day"
        year = day[0] if len(day[0]) > 2 else f"'{day[0]}"
        if period == "decade":
            return f"{year[:3]}0-{year[:3]}9"
        if period == "year" or month is None:
            return year
        return f"{year}-{month:02}" if period == "month" else f"{year}-Q{(month + 2) // 3}"

    return {period: tuple(show(period, *each) for each in zip(days, months, strict=True)) for period in periods}


def written_like(labels: Sequence[str]) -> Look | None:
    """Return the kind of direct identifier that labels are by their form; None for others.

    >>> written_like(["ann@example.org", "bea@example.org"]).noun, written_like(["Flu", "Cold"])
    ('an e-mail address', None)
    >>> written_like(["(212) 555-0173"]).noun, written_like(["+49 30 901820"]).noun, written_like(["212-555-0173"]).noun
    ('a phone number', 'a phone number', 'a phone number')
    >>> written_like(["2024-03-09"]), written_like(["18-29"]), written_like(["1000-1999"]), written_like(["36.12345"])
    (None, None, None, None)
    """
    # days first: 2020-01-01 could be a phone number; plain numbers have no form to judge by
    if not labels or are_days(labels) or all(as_number(text) is not None for text in labels):
        return None
    return next((look for look, pattern in written_looks() if _mostly(pattern, labels)), None)


def are_days(labels: Sequence[str]) -> bool:
    """Return whether labels are days or moments, in any of the usual ways of writing them.

    >>> are_days(["03/09/1984", "9.3.84"]), are_days(["2024-03-09 10:30", "12-Feb-2005"]), are_days(["1984"])
    (True, True, False)
    """
    return _take_days(labels) is not None


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
    # free text has many characters or words per label
    return letters >= 40 * len(labels) or words >= 5 * len(labels)


def _mostly(pattern: re.Pattern[str], labels: Sequence[str]) -> bool:
    fitting = sum(pattern.fullmatch(text) is not None for text in labels)
    # nine of ten labels must fit
    return bool(labels) and Fraction(fitting, len(labels)) >= Fraction(9, 10)


# The most labels of a column that are read
MOST_LABELS = 10_000


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """Counts of a column's rows, and some of its labels, which are never shown."""

    name: str
    rows: int
    missing: int  # rows with a missing cell
    distinct: int  # distinct labels
    once: int  # labels of a single row
    most: int  # rows of the commonest label
    kind: ColumnKind
    labels: tuple[str, ...]  # some of them, in order: all if they are no more than `MOST_LABELS`

    @property
    def present(self) -> int:
        """The number of rows with a label."""
        return self.rows - self.missing

    @property
    def differing(self) -> Fraction:
        """The number of distinct labels per row with a label."""
        return Fraction(self.distinct, self.present) if self.present else Fraction(0)


def names_of_columns(source: object, roles: Roles) -> tuple[str, ...]:
    """Name the columns of files or of a dataframe."""
    if isinstance(source, str | Path):
        return columns_of(source, roles)
    if isinstance(source, list | tuple) and source and isinstance(source[0], str | Path):
        return columns_of(source[0], roles)
    with frame_errors():
        return tuple(as_frame(source).collect_schema().names())


@contextmanager
def open_columns(source: object, columns: Sequence[str], roles: Roles) -> Iterator[Rows]:
    """Open a source once to profile its columns; of the roles, only those about reading cells are used."""
    reading = Roles(
        quasi=tuple(columns),
        missing_marks=roles.missing_marks,
        kinds=tuple((name, kind) for name, kind in roles.kinds if name in columns),
        encoding=roles.encoding,
        sheet=roles.sheet,
    )
    with rows_of(source, reading, packed=False) as rows:
        yield rows


def _ours(rows: Rows, name: str) -> str:
    return rows.key[rows.roles.quasi.index(name)]


def add_marks(rows: Rows, marks: tuple[str, ...]) -> Rows:
    """Return rows in which cells with one of these texts are missing."""
    roles = replace(rows.roles, missing_marks=marks)
    nulls = rows.frame.with_columns(nulls_for_missing(rows.frame, ours, roles).alias(ours) for ours in rows.key)
    return TextRows(nulls, roles, rows.source)


def profiles_of(rows: Rows, columns: Sequence[str], progress: Progress = quiet) -> dict[str, ColumnProfile]:
    """Profile some columns of open rows, one after the other."""
    profiles = {}
    for index, name in enumerate(columns):
        progress(name or "the first column", index, len(columns))
        ours = _ours(rows, name)
        times = rows.frame.group_by(ours).agg(nw.len().alias("times"))
        # one more than may be held, to see whether there are more; sorted, so that the choice is the same each time
        first = collect(times.sort(ours).head(MOST_LABELS + 1))
        texts = [text for chunk in decode(first.column(ours)).chunks for text in labels_of(chunk, rows.roles)]
        labels = tuple(text for text in in_order(texts) if text is not None)[:MOST_LABELS]
        column = Column(name, labels, np.zeros(0, np.int32))
        kind = kind_by_type(column, rows.roles, rows.source.texts) or kind_of_labels(labels)
        # if there are few labels, one query is enough; else the engine counts again
        here = len(first) <= MOST_LABELS
        counts = _count_labels(nw.from_native(first).lazy() if here else times, ours)
        profiles[name] = ColumnProfile(name=name, kind=kind, labels=labels, **counts)
    return profiles


def marks_among(rows: Rows, marks: Sequence[str], columns: Sequence[str]) -> set[str]:
    """Return the marks that occur in these columns."""
    present = set()
    for ours in (_ours(rows, name) for name in columns):
        among = is_any_of(rows.frame, ours, marks)
        if among is not None:
            cells = collect(rows.frame.filter(among).select(nw.col(ours).cast(nw.String)).unique())
            present |= {*cells.column(ours).to_pylist()}
    return present


def tell_each_other(rows: Rows, one: ColumnProfile, other: ColumnProfile) -> bool:
    """Return whether two columns determine each other: there are no more pairs than labels of each."""
    # a bijection keeps all four counts, so most pairs are ruled out without a query
    if any(getattr(one, name) != getattr(other, name) for name in ("distinct", "missing", "once", "most")):
        return False
    pairs = rows.frame.select(_ours(rows, one.name), _ours(rows, other.name)).unique()
    # as many pairs as labels of each column, a missing cell being one more: each label has a single partner
    return _first_row(pairs.select(nw.len().alias("pairs")))["pairs"] == one.distinct + bool(one.missing)


def people_who_vary(rows: Rows, person: str, columns: Sequence[str]) -> dict[str, int]:
    """Count the people whose rows differ in each column, for columns in which any do."""
    frame = rows.frame.with_columns(nw.col(_ours(rows, person)).alias("person"))
    alike = people_written_alike(TextRows(frame, Roles(person=person), rows.source)).frame
    keys = {_ours(rows, name): name for name in columns}
    labels = alike.group_by("person").agg(*(nw.col(each).n_unique().alias(each) for each in keys))
    varying = _first_row(labels.select((nw.col(each) > 1).cast(nw.Int64).sum().alias(each) for each in keys))
    return {keys[each]: number for each, number in varying.items() if number}


def column_profiles(
    source: object, columns: Sequence[str], roles: Roles, progress: Progress = quiet
) -> dict[str, ColumnProfile]:
    """Profile columns one after the other; of the roles, only those about reading cells are used.

    >>> import pyarrow as pa
    >>> visits = pa.table({"patient": [1, 1, 2], "ward": ["A", "B", None]})
    >>> ward = column_profiles(visits, ["patient", "ward"], Roles())["ward"]
    >>> ward.rows, ward.missing, ward.distinct, ward.once, ward.most
    (3, 1, 2, 2, 1)
    """
    with open_columns(source, columns, roles) as rows:
        profiles = profiles_of(rows, columns, progress)
        refuse_no_rows(rows, profiles)
    return profiles


def refuse_no_rows(rows: Rows, profiles: Mapping[str, ColumnProfile]) -> None:
    """Raise `BadTable` if a table has no rows."""
    if not any(profile.rows for profile in profiles.values()):
        raise BadTable(f"{rows.source.name} has no rows; give at least one person")


def _count_labels(times: Frame, ours: str) -> dict[str, int]:
    present, once = ~nw.col(ours).is_null(), nw.col("times") == 1
    totals = times.select(
        nw.col("times").sum().cast(nw.Int64).alias("rows"),
        nw.when(~present).then(nw.col("times")).sum().cast(nw.Int64).alias("missing"),
        nw.when(present).then(nw.lit(1)).sum().cast(nw.Int64).alias("distinct"),
        nw.when(present & once).then(nw.lit(1)).sum().cast(nw.Int64).alias("once"),
        nw.when(present).then(nw.col("times")).max().cast(nw.Int64).alias("most"),
    )
    return _first_row(totals)


def _first_row(frame: Frame) -> dict[str, int]:
    """Return the whole numbers of the first row, by column; a missing one is 0."""
    answer = collect(frame)
    return {name: int(answer.column(name)[0].as_py() or 0) for name in answer.column_names}
