"""What does each column of a file hold?  Counts of its cells, and some of its labels, to judge by.

For a column with the cells c₁ … c_n: how many say something, how many different labels there are, how many of those
occur once; and, where rows belong to people, whether somebody's rows differ in it.  One GROUP BY per column where the
rows are: of labels no more than `MOST_LABELS` are ever brought here, the first in order, so that the same file always
looks the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from sidelight._progress import Progress, quiet
from sidelight.errors import BadTable
from sidelight.table.dataframe_source import as_frame
from sidelight.table.kinds import ColumnKind, are_digits, kind_of_labels
from sidelight.table.labels import in_order
from sidelight.table.read import columns_of, rows_of
from sidelight.table.roles import Roles
from sidelight.table.source import Frame, Rows, collect, labels_of, numpy_integers

MOST_LABELS = 10_000
"""So many labels of a column are looked at."""


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What a column holds, in counts of rows; and some of its labels, which are never shown."""

    name: str
    rows: int
    missing: int  # rows that say nothing
    distinct: int  # different labels
    once: int  # labels that one row has
    kind: ColumnKind
    labels: tuple[str, ...]  # some of them, in order: all if they are no more than `MOST_LABELS`

    @property
    def present(self) -> int:
        """How many rows say something."""
        return self.rows - self.missing

    @property
    def differing(self) -> Fraction:
        """How many different labels there are for each row that says something."""
        return Fraction(self.distinct, self.present) if self.present else Fraction(0)


def names_of_columns(source: object, roles: Roles) -> tuple[str, ...]:
    """Name the columns of files or of a dataframe."""
    if isinstance(source, str | Path):
        return columns_of(source, roles)
    if isinstance(source, list | tuple) and source and isinstance(source[0], str | Path):
        return columns_of(source[0], roles)
    return tuple(as_frame(source).collect_schema().names())


def column_profiles(
    source: object, columns: Sequence[str], roles: Roles, progress: Progress = quiet
) -> dict[str, ColumnProfile]:
    """Look at each column, one after the other; of the roles, only how cells are read is used.

    >>> import pyarrow as pa
    >>> visits = pa.table({"patient": [1, 1, 2], "ward": ["A", "B", None]})
    >>> ward = column_profiles(visits, ["patient", "ward"], Roles())["ward"]
    >>> ward.rows, ward.missing, ward.distinct, ward.once
    (3, 1, 2, 2)
    """
    with rows_of(source, _reading(columns, roles), packed=False) as rows:
        profiles = {}
        for place, (ours, name) in enumerate(zip(rows.key, columns, strict=True)):
            progress(name or "the first column", place, len(columns))
            profiles[name] = _profile(rows, ours, name, roles)
    if not next(iter(profiles.values())).rows:
        message = f"{rows.source.name} has no rows; give at least one person"
        raise BadTable(message)
    return profiles


def columns_that_vary(source: object, person: str, columns: Sequence[str], roles: Roles) -> frozenset[str]:
    """Name the columns in which the rows of somebody differ.

    >>> import pyarrow as pa
    >>> visits = pa.table({"patient": [1, 1, 2], "sex": ["f", "f", "m"], "ward": ["A", "B", "B"]})
    >>> columns_that_vary(visits, "patient", ["sex", "ward"], Roles())
    frozenset({'ward'})
    """
    with rows_of(source, replace(_reading(columns, roles), person=person), packed=False) as rows:
        labels = [nw.col(each).n_unique().alias(each) for each in rows.key]
        most = rows.frame.group_by("person").agg(*labels).select(nw.col(each).max() for each in rows.key)
        answer = collect(most)
    highest = [answer.column(each)[0].as_py() or 0 for each in rows.key]
    return frozenset(name for name, number in zip(columns, highest, strict=True) if number > 1)


def _reading(columns: Sequence[str], roles: Roles) -> Roles:
    """Say how cells are read, and that all columns are."""
    return Roles(
        quasi=tuple(columns),
        missing_marks=roles.missing_marks,
        kinds=tuple((name, kind) for name, kind in roles.kinds if name in columns),
        encoding=roles.encoding,
        sheet=roles.sheet,
    )


def _profile(rows: Rows, ours: str, name: str, roles: Roles) -> ColumnProfile:
    """Count in one query if there are few labels; else the first of them are looked at, and the engine counts again."""
    times = rows.frame.group_by(ours).agg(nw.len().alias("times"))
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
    }


def _counts_there(times: Frame, ours: str) -> dict[str, int]:
    present, once = ~nw.col(ours).is_null(), nw.col("times") == 1
    totals = times.select(
        nw.col("times").sum().cast(nw.Int64).alias("rows"),
        nw.when(~present).then(nw.col("times")).sum().cast(nw.Int64).alias("missing"),
        nw.when(present).then(nw.lit(1)).sum().cast(nw.Int64).alias("distinct"),
        nw.when(present & once).then(nw.lit(1)).sum().cast(nw.Int64).alias("once"),
    )
    answer = collect(totals)
    return {name: int(answer.column(name)[0].as_py() or 0) for name in ("rows", "missing", "distinct", "once")}


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
