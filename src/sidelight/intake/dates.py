"""Which month and year does a label name, however days are written?  And what can nobody tell from it?

    1999-12-31, 1999/12/31      year, month, day
    31.12.1999                  day, month, year
    12/31/1999, 31-12-1999      day and month in an order that all labels together tell: one above 12 is a day
    31-Dec-1999, Dec 31, 1999   months by their English names

with a time of day behind any of them.  Where no label says whether 03/04 is in March or in April, or some say one and
some the other, only the year is told.  Years of two digits stay as they are written, '84, as nobody can tell 1984 from
1884.  `as_day` reads what needs no guess: 1999-12-31.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_TIME = r"(?:(?:T|,?\s+)\d{1,2}:\d{2}\S*(?:\s*[AaPp]\.?[Mm]\.?)?)?"
_MONTH = r"(?P<name>[A-Za-z]{3,9})\.?"
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}}){_TIME}")
_YEAR_LAST = re.compile(
    rf"(?P<one>\d{{1,2}})(?P<mark>[-/.])(?P<two>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d{{2}}){_TIME}"
)
_DAY_NAME = re.compile(rf"(?P<day>\d{{1,2}})\.?[-/ ]{_MONTH},?[-/ ](?P<year>\d{{4}}|\d{{2}}){_TIME}")
_NAME_DAY = re.compile(rf"{_MONTH}[-/ ](?P<day>\d{{1,2}}),?[-/ ](?P<year>\d{{4}}|\d{{2}}){_TIME}")


@dataclass(frozen=True, slots=True)
class _Day:
    """A label taken apart; of two numbers whose order is open, `month` is none of them yet."""

    year: str
    month: int | None
    either: tuple[int, int] | None = None
    mark: str = ""

    def settle(self, first_is_day: bool | None) -> _Day:  # noqa: FBT001 - a fact of the labels, or nothing
        if self.either is None or first_is_day is None:
            return self
        return _Day(self.year, self.either[1 if first_is_day else 0])


def _take_apart(text: str) -> _Day | None:
    text = text.strip()
    if parts := _YEAR_FIRST.fullmatch(text):
        return _numbers(parts["year"], int(parts["month"]), int(parts["day"]))
    if parts := _YEAR_LAST.fullmatch(text):
        one, two = int(parts["one"]), int(parts["two"])
        # dots are written with the day first wherever they are used
        if parts["mark"] == ".":
            return _numbers(parts["year"], two, one)
        # 03/04/2020 may be March or April: both numbers are kept until the whole column decides
        fits = _numbers(parts["year"], two, one) or _numbers(parts["year"], one, two)
        return _Day(parts["year"], None, (one, two), parts["mark"]) if fits else None
    if parts := _DAY_NAME.fullmatch(text) or _NAME_DAY.fullmatch(text):
        name = parts["name"].casefold()[:3]
        return _numbers(parts["year"], MONTHS.index(name) + 1, int(parts["day"])) if name in MONTHS else None
    return None


def _numbers(year: str, month: int, day: int) -> _Day | None:
    return _Day(year, month) if 1 <= month <= len(MONTHS) and 1 <= day <= 31 else None


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
        return (self.labels, *(tuple(_print_period(period, *row) for row in rows) for period in self.periods))


def _print_period(period: str, year: str | None, month: int | None) -> str:
    if year is None:
        return "no day"
    whole = year if len(year) > 2 else f"'{year}"
    if period == "decade":
        return f"{year[:3]}0-{year[:3]}9"
    if period == "year" or month is None:
        return whole
    return f"{whole}-{month:02}" if period == "month" else f"{whole}-Q{(month + 2) // 3}"


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
    order = {mark: _first_is_day([day for day in readable if day.mark == mark]) for mark in "-/"}
    settled = [None if day is None else day.settle(order.get(day.mark)) for day in days]
    has_months = all(day is None or (day.month is not None and 1 <= day.month <= len(MONTHS)) for day in settled)
    return WrittenDays(
        labels=texts,
        years=tuple(None if day is None else day.year for day in settled),
        months=tuple(None if day is None else day.month for day in settled) if has_months else None,
        is_short=any(len(day.year) == 2 for day in readable),
    )


def _first_is_day(days: Sequence[_Day]) -> bool | None:
    """Return which of two numbers is the day; nothing where no label tells it, or labels contradict each other."""
    pairs = [day.either for day in days if day.either is not None]
    first, second = (any(pair[place] > len(MONTHS) for pair in pairs) for place in (0, 1))
    return None if first == second else first
