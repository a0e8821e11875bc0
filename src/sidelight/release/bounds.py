"""Which numbers or days does a printed label cover, from which to which?  For whoever computes with a release.

A release prints `53-90`, `[30, 40)`, `90+` or `2024-Q1`; a researcher wants the ends.  `bounds` reads one label;
`bound_columns` gives the ends of a whole column as two columns of plain numbers or days, where all of its labels have
any.  What is covered is what `release.printed_labels` says; of a set, the ends of all of it, if all of it has some.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from sidelight.errors import BadRelease
from sidelight.release.printed_labels import Interval, read_label
from sidelight.table.labels import MISSING, SUPPRESSED, Label, as_day, as_number, hint_label, label
from sidelight.table.table import Column, unused_name

End: TypeAlias = int | float | dt.date

BRACKETS = ("[", "(", "]", ")")


class Bounds(NamedTuple):
    """From `low` to `high`; an end that is open is infinite, or, as the last two say, not itself inside."""

    low: End
    high: End
    with_low: bool = True
    with_high: bool = True


def bounds(text: object) -> Bounds:
    """From which number or day to which does a printed label go?

    `*` goes from minus infinity to infinity; a missing cell that may be meant too (`30-39 or (missing)`) has no part in
    it.  A label that covers anything but numbers or days is refused.  The `'` that our CSV files put before `-5-3`,
    so that no spreadsheet runs it, is not read.

    >>> bounds("53-90")
    Bounds(low=53, high=90, with_low=True, with_high=True)
    >>> bounds("[30, 40)"), bounds("90+").high, bounds("{20-29, 40}")[:2], bounds(34)[:2]
    (Bounds(low=30, high=40, with_low=True, with_high=False), inf, (20, 40), (34, 34))
    >>> bounds("2024-Q1")[:2], bounds("'-5-3")[:2]
    ((datetime.date(2024, 1, 1), datetime.date(2024, 3, 31)), (-5, 3))
    """
    printed = label(text)
    ends = _bounds(None if printed is None else printed.removeprefix("'"))
    if ends is None:
        message = f"'{hint_label(printed)}' is no number, no day and no interval of them; give a label such as 53-90"
        raise BadRelease(message)
    return ends


def _bounds(text: Label) -> Bounds | None:
    if text is None:
        return None
    if text == SUPPRESSED:
        return Bounds(-math.inf, math.inf)
    printed = read_label(text)
    if any(_is_word(part) for part in printed.parts):
        return None
    # numbers before days: four digits may be either, and most columns that print them have numbers
    numbers = [*printed.numbers, *_points(map(as_number, _plain_labels(printed.labels)))]
    if numbers:
        return _hull(numbers, days=False)
    days = [*printed.days, *_points(map(as_day, _plain_labels(printed.labels)))]
    return _hull(days, days=True) if days else None


def _is_word(part: str) -> bool:
    """Return whether a part of a set has no ends; the halves of `[20, 30)`, split at its comma, are none."""
    if part == MISSING or part.startswith(BRACKETS) or part.endswith(BRACKETS):
        return False
    read = read_label(part)
    return not (read.numbers or read.days or as_number(part) is not None or as_day(part) is not None)


def _plain_labels(labels: Iterable[Label]) -> list[str]:
    return [each for each in labels if each is not None]


def _points(ends: Iterable[float | None]) -> list[Interval]:
    return [Interval(end, end) for end in ends if end is not None]


def _hull(intervals: list[Interval], *, days: bool) -> Bounds:
    """Return the lowest and the highest end of all; an end is inside if it is inside any interval that has it."""
    low, high = min(each.low for each in intervals), max(each.high for each in intervals)
    with_low = any(each.with_low for each in intervals if each.low == low)
    with_high = any(each.with_high for each in intervals if each.high == high)
    return Bounds(_end(low, days=days), _end(high, days=days), with_low, with_high)


def _end(end: float, *, days: bool) -> End:
    if math.isinf(end):
        return end
    if days:
        return dt.date.fromordinal(int(end))
    return int(end) if end == int(end) else end


def bound_columns(column: Column, taken: Collection[str] = ()) -> tuple[Column, Column] | None:
    """Return the ends of a column's labels as two columns, empty where an end is open; None where labels have none.

    A column whose labels are all single numbers or days needs none either, nor do sets of them: `{1, 3}` is printed of
    codes, and nothing is between codes.

    >>> low, high = bound_columns(Column.of("age", ["20-29", "*", "90+"]))
    >>> [(each.name, [each.cell(row) for row in range(3)]) for each in (low, high)]
    [('age_low', ['20', None, '90']), ('age_high', ['29', None, None])]
    """
    used = np.bincount(column.codes, minlength=len(column.labels)) > 0
    ends = [_bounds(text) if is_used else None for text, is_used in zip(column.labels, used, strict=True)]
    named = [(text, each) for text, each, is_used in zip(column.labels, ends, used, strict=True) if is_used and text]
    # a column whose labels are all single values needs no columns of ends
    wide = [text for text, each in named if text != SUPPRESSED and each is not None and each.low != each.high]
    if any(each is None for _, each in named) or not any(map(_is_interval, wide)):
        return None
    names = [unused_name(f"{column.name}_{side}", taken) for side in ("low", "high")]
    cells = zip(*((None, None) if each is None else map(_cell, each[:2]) for each in ends), strict=True)
    low, high = (Column(name, *_encode(texts, column)) for name, texts in zip(names, cells, strict=True))
    return low, high


def _is_interval(text: str) -> bool:
    printed = read_label(text)
    return any(each.low < each.high for each in (*printed.numbers, *printed.days))


def _cell(end: End) -> Label:
    return None if isinstance(end, float) and math.isinf(end) else label(end)


def _encode(texts: tuple[Label, ...], column: Column) -> tuple[tuple[Label, ...], np.ndarray]:
    labels = tuple(dict.fromkeys(texts))
    codes = np.array([labels.index(text) for text in texts], np.int32)
    return labels, codes[column.codes]
