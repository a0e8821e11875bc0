"""What does each column of a file hold?  Counts of its cells, and some of its labels, to judge by.

For a column with the cells c₁ … c_n: how many say something, how many different labels there are, how many of those
occur once; of two columns, whether each tells the other; and, where rows belong to people, how many of them have rows
that differ in it.  A file is read once (`OpenColumns`), then one GROUP BY per column where the rows are: of labels no
more than `MOST_LABELS` are ever brought here, the first in order, so that the same file always looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from sidelight.engines.dataframes.source import as_frame, frame_errors, nulls_for_missing
from sidelight.engines.read import columns_of, rows_of
from sidelight.engines.source import (
    Frame,
    Rows,
    TextRows,
    collect,
    is_any_of,
    labels_of,
    numpy_integers,
    people_written_alike,
)
from sidelight.errors import BadTable
from sidelight.progress import Progress, quiet
from sidelight.table.labels import ColumnKind, in_order
from sidelight.table.roles import Roles, are_digits, kind_of_labels

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
            profiles[name] = _profile(self.rows, self._ours(name), name, self.roles)
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
        if _likeness(one) != _likeness(other):
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


def _likeness(profile: ColumnProfile) -> tuple[int, ...]:
    return profile.distinct, profile.missing, profile.once, profile.most


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
        message = f"{opened.rows.source.name} has no rows; give at least one person"
        raise BadTable(message)


def _profile(rows: Rows, ours: str, name: str, roles: Roles) -> ColumnProfile:
    """Count in one query if there are few labels; else the first of them are looked at, and the engine counts again."""
    times = rows.frame.group_by(ours).agg(nw.len().alias("times"))
    # one more than may be held, to see whether there are more; sorted, so that the choice is the same each time
    first = collect(times.sort(ours).head(MOST_LABELS + 1))
    labels = _labels(first.column(ours), roles)
    counts = _counts_here(first, ours) if len(first) <= MOST_LABELS else _counts_there(times, ours)
    return ColumnProfile(name=name, kind=_kind(rows, name, labels), labels=labels, **counts)


def _counts_here(answer: pa.Table, ours: str) -> dict[str, int]:
    times = numpy_integers(answer.column("times"))
    present = np.array(
        [not missing for chunk in answer.column(ours).chunks for missing in chunk.is_null().to_pylist()], bool
    )
    return {
        "rows": int(times.sum()),
        "missing": int(times[~present].sum()),
        "distinct": int(present.sum()),
        "once": int((present & (times == 1)).sum()),
        "most": int(times[present].max(initial=0)),
    }


def _counts_there(times: Frame, ours: str) -> dict[str, int]:
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


def _labels(column: pa.ChunkedArray, roles: Roles) -> tuple[str, ...]:
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    texts = [text for chunk in plain.chunks for text in labels_of(chunk, roles) if text is not None]
    return tuple(text for text in in_order(texts) if text is not None)[:MOST_LABELS]


def _kind(rows: Rows, name: str, labels: tuple[str, ...]) -> ColumnKind:
    """Take what was declared or what the type says, else what the labels say; text is no number."""
    stated = rows.roles.kind_of(name)
    if stated is not None:
        return stated
    by_labels = kind_of_labels(labels)
    is_text = name in rows.source.texts and not rows.roles.missing_marks
    return "category" if is_text and (by_labels == "number" or are_digits(labels)) else by_labels
