"""What does a printed label cover?  The one reader, for whoever looks people up in a release.

A release prints `30-39`, `816**`, `{Divorced, Widowed}` or `2024-Q1` for people who have `34`, `81667`, `Widowed` and
`2024-03-09`.  `read_label` takes a printed label apart once, into a `PrintedLabel`, which says whether it covers a
label; `LabelOrder` finds all labels of a column that it covers at a time, as stretches of neighbours.

A printed label always covers itself.  Beyond that:

| printed | covers |
| --- | --- |
| `*` | everything |
| `34`, `34.0`, `３４` | the same number, however it is written; `034`, or more than 15 digits, is a code: itself |
| `30-39`, `30–39`, `30..39`, `30 to 39`, `30:39` | numbers from one to the other; so `1e1-3e1`; `36-17` nothing |
| `07:30`, `10:05` | nothing more: with a colon, a zero in front of a digit makes it a time of day |
| `[30, 40)`, `]30, 40]`, `(30; 40)`, `(-inf, 20]` | numbers between the ends; `(`, `)`, `]…`, `…[` leave an end out |
| `<20`, `≤ 20`, `>65`, `>=65`, `65+` | numbers on one side |
| `816**` | labels of the same length that begin like this |
| `2024-03-09`, `2024-03`, `2024-Q1`, `2024` | the days in it, and moments of those days |
| `2024-03-09 to 2024-04-01`, `2010-2019`, `<2024` | days, from the first of one period to the last of the other |
| `{Salt, pepper, Widowed}` | what any part covers; a label may have commas inside: so may every run of parts |
| `30-39 or (missing)` | also a missing label; so does `(missing)` alone |

What a label can mean depends on the label that is looked for, not on a guess about the column: `2024` is a year for
`2024-10-01` and a number for `2024.0`; `10:30` goes from 10 to 30 for `15`, and is only itself for `10:45`.  Where it
cannot be known what was meant (runs of parts in a set), the reading that loses nobody is taken.

Whoever knows better says so: texts named `opaque` are not read.  An attacker's hierarchies are such knowledge.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidelight._arrays import Floats, Integers
from sidelight.table.labels import MISSING, SUPPRESSED, Label, as_day, as_number, shown

if TYPE_CHECKING:
    from sidelight.release.printing import Nodes

_OR_MISSING = f" or {MISSING}"
_PLAIN_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")
_BETWEEN = re.compile(r"\s*(?:\.\.|to|[-–:])\s*")
_BETWEEN_IN_BRACKETS = re.compile(r"\s*(?:\.\.|to|[-–:,;])\s*")
_OPEN, _CLOSE = ("[", "(", "]"), ("]", ")", "[")
_BRACKETS = re.compile(r"([\[(\]])\s*(.+?)\s*([\])\[])")
_ONE_SIDED = re.compile(r"(<=|>=|<|>|≤|≥)\s*(.+)|(.+)\+")
_ZERO_IN_FRONT = re.compile(r"\b0[0-9]")
_DIGIT, _YEAR = re.compile(r"[0-9]"), re.compile(r"[0-9]{4}")
_BEGINS_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]*)?")
_PERIOD_LENGTHS = frozenset(map(len, ("2024", "2024-03", "2024-03-09")))
_INFINITE = {"inf": math.inf, "+inf": math.inf, "∞": math.inf, "-inf": -math.inf, "-∞": -math.inf}
# four digits may be a year
_OUR_NUMBERS = re.compile(r"(?P<low>[0-9]{1,3}|[0-9]{5,15})-(?P<high>[0-9]{1,3}|[0-9]{5,15})")
_OUR_DAYS = re.compile(r"(?P<low>[0-9]{4}-[0-9]{2}-[0-9]{2}) to (?P<high>[0-9]{4}-[0-9]{2}-[0-9]{2})")
_PERIOD = re.compile(r"(?P<year>[0-9]{4})(?:-Q(?P<quarter>[1-4])|-(?P<month>0[1-9]|1[0-2]))?")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T].*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers, or numbers of days, from `low` to `high`; an end may be left out."""

    low: float
    high: float
    with_low: bool = True
    with_high: bool = True

    def holds(self, number: float) -> bool:
        """Say whether a number is inside."""
        above = self.low <= number if self.with_low else self.low < number
        return above and (number <= self.high if self.with_high else number < self.high)

    def meets(self, other: Interval) -> bool:
        """Say whether some number is inside both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return low < high or (low == high and self.holds(low) and other.holds(low))

    def stretch(self, rising: Sequence[float] | Floats) -> tuple[int, int]:
        """Find the stretch of rising numbers that is inside: where it starts, and where the rest begins."""
        start = (bisect_left if self.with_low else bisect_right)(rising, self.low)
        stop = (bisect_right if self.with_high else bisect_left)(rising, self.high)
        return start, max(start, stop)


@dataclass(frozen=True, slots=True)
class PrintedLabel:
    """A printed label, read once: it covers whatever one of these fields covers.

    >>> read_label("30-39 or (missing)").numbers
    (Interval(low=30.0, high=39.0, with_low=True, with_high=True),)
    >>> read_label("{816**, Bonn}").masks, read_label("*").suppressed
    (('816**',), True)
    """

    parts: tuple[str, ...]  # as they are printed: the label itself, or the alternatives of a set
    labels: frozenset[Label]  # exactly these, numbers in their plain form; None: a missing one
    numbers: tuple[Interval, ...] = ()
    days: tuple[Interval, ...] = ()
    masks: tuple[str, ...] = ()
    suppressed: bool = False

    def covers(self, label: Label) -> bool:
        """Say whether it may stand for what is known about somebody.

        >>> [read_label(printed).covers("34") for printed in ("34.0", "30..39", "]34, 40]", "3*", "3**", "044")]
        [True, True, False, True, False, False]
        """
        # cheapest first: most questions end at the exact label
        if self.suppressed or _plain(label) in self.labels:
            return True
        if label is None:
            return False
        return self._lists(label) or any(_hides(mask, label) for mask in self.masks) or self._spans(label)

    def overlaps(self, other: PrintedLabel) -> bool:
        """Say whether both may stand for the same; of what a mask hides, whole numbers, years and days may.

        >>> [read_label("30-39").overlaps(read_label(text)) for text in ("39-50", "{35, 99}", "40-49", "2024", "3*")]
        [True, True, False, False, True]
        >>> [read_label("1010").overlaps(read_label(text)) for text in ("10**", "11**", "148**", "1010-**-**")]
        [True, False, False, True]
        """
        return (
            self.suppressed
            or other.suppressed
            or any(self.covers(each) for each in (*other.parts, *other.labels))
            or any(other.covers(each) for each in (*self.parts, *self.labels))
            or any(one.meets(another) for one in self.numbers for another in other.numbers)
            or any(one.meets(another) for one in self.days for another in other.days)
            or any(_compatible(one, another) for one in self.masks for another in other.masks)
            or any(_hides_some(mask, other) for mask in self.masks)
            or any(_hides_some(mask, self) for mask in other.masks)
        )

    @property
    def is_coarse(self) -> bool:
        """Whether it may stand for several labels."""
        return (
            self.suppressed
            or len(self.parts) > 1
            or bool(self.masks)
            or any(each.low < each.high for each in (*self.numbers, *self.days))
        )

    def is_of_kind(self, label: str) -> bool:
        """Say whether a label is a number, a day or a code like those that this one stands for."""
        number, day = as_number(label), _day(label)
        return (
            (number is not None and (bool(self.numbers) or any(as_number(each) is not None for each in self.labels)))
            or (day is not None and bool(self.days))
            or any(len(mask) == len(label) for mask in self.masks)
        )

    def _lists(self, label: str) -> bool:
        """Whether a label is a run of parts; that it is one, commas and all, is a question about the text between."""
        if label in self.parts:
            return True
        # a label that is no set is one part, and may have commas itself: nothing inside it is listed
        return len(self.parts) > 1 and ", " in label and f", {label}, " in f", {', '.join(self.parts)}, "

    def _spans(self, label: str) -> bool:
        number, day = as_number(label), _day(label)
        return (number is not None and any(each.holds(number) for each in self.numbers)) or (
            day is not None and any(each.holds(day) for each in self.days)
        )


def covers(printed: Label, label: Label) -> bool:
    """Say whether a printed label may stand for what is known about somebody.

    >>> [covers(printed, "34") for printed in ("34", "34.0", "*", "30-39", "[30, 40)", "(33, 34]", "3*", ">=30")]
    [True, True, True, True, True, True, True, True]
    >>> [covers(printed, "34") for printed in ("034", "[20, 34)", "]34, 40]", "3**", "44", "30", None)]
    [False, False, False, False, False, False, False]
    >>> covers("{Divorced, Widowed}", "Widowed"), covers("30-39 or (missing)", None), covers("2024-Q1", "2024-03-09")
    (True, True, True)
    >>> covers("1984-03-09 to 1990-11-30", "1990-11-30"), covers("1984-03-09 to 1990-11-30", "1990-12-01")
    (True, False)
    """
    return read_label(printed).covers(label)


def read_label(text: Label, opaque: Container[Label] = ()) -> PrintedLabel:
    """Read a printed label; texts that are `opaque` mean what somebody else says, and are not read.

    >>> read_label("{20-29, 40}", opaque={"20-29"}).numbers
    ()
    """
    if text is None:
        return PrintedLabel((), frozenset([None]))
    body = text if text in opaque else text.removesuffix(_OR_MISSING)
    # `*` is the top of most hierarchies, and covers also what they lack: it is never opaque
    if body in opaque and body != SUPPRESSED:
        printed = PrintedLabel((body,), frozenset([body]))
    else:
        printed = _read_set(body, opaque) if body.startswith("{") and body.endswith("}") else _read_form(body)
    return printed if body == text else replace(printed, labels=printed.labels | {text, None})


def _read_set(text: str, opaque: Container[Label]) -> PrintedLabel:
    if text == "{}":  # nobody's label, and no empty one either
        return PrintedLabel((text,), frozenset([text]))
    parts = tuple(text[1:-1].split(", "))
    split = [f"{low}, {high}" for low, high in pairwise(parts) if low.startswith(_OPEN) and high.endswith(_CLOSE)]
    # an interval in brackets was split at its comma, so such neighbours are read together as well
    read = [_read_form(part) for part in dict.fromkeys((*parts, *split)) if part == SUPPRESSED or part not in opaque]
    return PrintedLabel(
        parts,
        frozenset([text]).union(*(each.labels for each in read)),
        tuple(interval for each in read for interval in each.numbers),
        tuple(interval for each in read for interval in each.days),
        tuple(mask for each in read for mask in each.masks),
        any(each.suppressed for each in read),
    )


@lru_cache(1 << 16)
def _read_form(text: str) -> PrintedLabel:
    """Read what is no set: each form that the text may have."""
    itself, text = text, _with_plain_digits(text)
    if itself != text:
        read = _read_form(text)
        return replace(read, parts=(itself,), labels=read.labels | {itself}, masks=(itself,) if read.masks else ())
    if ours := _OUR_NUMBERS.fullmatch(text) or _OUR_DAYS.fullmatch(text):
        return _read_ours(text, ours[1], ours[2])
    labels = {_plain(text), None} if text == MISSING else {_plain(text)}
    masks = (text,) if text.endswith(SUPPRESSED) and text != SUPPRESSED else ()
    # most labels are plain words: one look for a digit spares them all the other forms
    spans = [*_spans(text)] if _DIGIT.search(text) else []
    numbers = [interval for span in spans if (interval := span.numbers()) is not None]
    periods = (*spans, _Span(text, text)) if _YEAR.search(text) else ()
    days = [interval for span in periods if (interval := span.days()) is not None]
    return PrintedLabel((text,), frozenset(labels), tuple(numbers), tuple(days), masks, text == SUPPRESSED)


def _read_ours(text: str, low: str, high: str) -> PrintedLabel:
    """Read 17-36 and 1984-03-09 to 1990-11-30, as Sidelight prints them; releases may have thousands of them."""
    days = "-" in low
    first, last = (as_day(low), as_day(high)) if days else (float(low), float(high))
    inside = (Interval(first, last),) if first is not None and last is not None and first <= last else ()
    itself = frozenset([text])
    return PrintedLabel((text,), itself, days=inside) if days else PrintedLabel((text,), itself, inside)


class _Span(NamedTuple):
    """From one text to another, before it is known whether they are numbers or days."""

    low: str
    high: str
    with_low: bool = True
    with_high: bool = True

    def numbers(self) -> Interval | None:
        low = _INFINITE.get(self.low, as_number(self.low))
        high = _INFINITE.get(self.high, as_number(self.high))
        if low is None or high is None or low > high:
            return None
        return Interval(low, high, self.with_low, self.with_high)

    def days(self) -> Interval | None:
        """Read whole periods; an end that is left out is left out with all of its days."""
        first = _INFINITE.get(self.low, _first_and_last(self.low)[0 if self.with_low else 1])
        last = _INFINITE.get(self.high, _first_and_last(self.high)[1 if self.with_high else 0])
        return Interval(first, last, self.with_low, self.with_high) if first <= last else None  # nan: no period


def _spans(text: str) -> Iterator[_Span]:
    """Give each way in which a text may say `from here to there`."""
    if brackets := _BRACKETS.fullmatch(text):
        for low, high in _ends(brackets[2], _BETWEEN_IN_BRACKETS):
            yield _Span(low, high, brackets[1] == "[", brackets[3] == "]")
    elif side := _ONE_SIDED.fullmatch(text):
        sign, end = side[1] or ">=", side[2] or side[3]
        below, strict = sign in {"<", "<=", "≤"}, sign in {"<", ">"}
        yield _Span("-inf", end, with_high=not strict) if below else _Span(end, "inf", with_low=not strict)
    else:
        yield from (_Span(low, high) for low, high in _ends(text, _BETWEEN))


def _ends(text: str, between: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Split at each sign that may stand between two ends: in -5--3 it is the second, in 1e-5-3 as well."""
    low, to, high = text.partition(" to ")
    if to:  # days have hyphens inside, and with a word between them nothing else is
        yield low.rstrip(), high.lstrip()
        return
    for sign in between.finditer(text):
        time_of_day = ":" in sign[0] and _ZERO_IN_FRONT.search(text)
        if not time_of_day:
            yield text[: sign.start()], text[sign.end() :]


def _first_and_last(period: str) -> tuple[float, float]:
    """Give the first and the last day of a day, a month, a quarter or a year; nan for other texts.

    >>> [dt.date.fromordinal(int(day)).isoformat() for day in _first_and_last("2024-Q1")]
    ['2024-01-01', '2024-03-31']
    """
    day = as_day(period)
    if day is not None:
        return day, day
    match = _PERIOD.fullmatch(period)
    if match is None or match["year"] == "0000":
        return math.nan, math.nan
    quarter, month = match["quarter"], match["month"]
    months = 12 if quarter is None and month is None else 3 if month is None else 1
    start = int(match["year"]) * 12 + (int(month or 1) - 1) + (int(quarter or 1) - 1) * 3
    return _first_day(start), _first_day(start + months) - 1


def _first_day(month: int) -> int:
    """Give the first day of a month; months are counted from the year 0."""
    year, before = divmod(month, 12)
    return dt.date(year, before + 1, 1).toordinal() if year <= dt.MAXYEAR else dt.date.max.toordinal() + 1


def _day(label: str) -> int | None:
    """Read a day, or the day of a moment."""
    match = _MOMENT.fullmatch(_with_plain_digits(label))
    return None if match is None else as_day(match[1])


def _plain(label: Label) -> Label:
    """Write a number in its plain form, exactly; other labels, and codes such as 034, stay as they are.

    >>> _plain("34.0"), _plain("3.4e1"), _plain("-0"), _plain("034"), _plain("Bonn")
    ('34', '34', '0', '034', 'Bonn')
    """
    digits = None if label is None else _with_plain_digits(label)
    if digits is None or _PLAIN_NUMBER.fullmatch(digits) is None:
        return label
    number = Decimal(digits)
    return f"{number.normalize():f}" if number else "0"


def _with_plain_digits(text: str) -> str:
    """Write the digits of other scripts, such as full-width ones, as 0 to 9.

    >>> _with_plain_digits("３０-３９"), _with_plain_digits("٣٤"), _with_plain_digits("Köln ²")
    ('30-39', '34', 'Köln ²')
    """
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(each)) if each.isdecimal() else each for each in text)


def _hides(mask: str, label: str) -> bool:
    """81667 may be printed as 816**."""
    return len(mask) == len(label) and label.startswith(mask.rstrip(SUPPRESSED))


def _hides_some(mask: str, printed: PrintedLabel) -> bool:
    """3* may stand for a number in 30-39, 2024-0* for a day in 2024; no code of another length does."""
    beginning = _with_plain_digits(mask.rstrip(SUPPRESSED))
    numbers, days = _numbers_behind(beginning, len(mask)), _days_behind(beginning, len(mask))
    return (numbers is not None and any(each.meets(numbers) for each in printed.numbers)) or (
        days is not None and any(each.meets(days) for each in printed.days)
    )


def _numbers_behind(beginning: str, length: int) -> Interval | None:
    """Give the whole numbers of so many characters that begin like this."""
    if beginning.isdecimal():
        return Interval(float(beginning.ljust(length, "0")), float(beginning.ljust(length, "9")))
    # -3* or 1.5* may be numbers as well: which ones is left open
    return Interval(-math.inf, math.inf) if _BEGINS_NUMBER.fullmatch(beginning) else None


def _days_behind(beginning: str, length: int) -> Interval | None:
    """Give the days of the years, or of the month, that texts of so many characters may be which begin like this."""
    if not (length in _PERIOD_LENGTHS or length > max(_PERIOD_LENGTHS)):
        return None
    month = _first_and_last(beginning[: len("2024-03")])
    if not math.isnan(month[0]):
        return Interval(*month)
    year = beginning[: len("2024")]
    first, last = max(year.ljust(4, "0"), "0001"), year.ljust(4, "9")
    return Interval(_first_and_last(first)[0], _first_and_last(last)[1]) if _YEAR.fullmatch(first) else None


def _compatible(mask: str, other: str) -> bool:
    one, another = mask.rstrip(SUPPRESSED), other.rstrip(SUPPRESSED)
    return len(mask) == len(other) and (one.startswith(another) or another.startswith(one))


def may_be_of_one(one: Label, other: Label, nodes: Nodes | None = None) -> bool:
    """Say whether two labels of a column may be of one person: some label is covered by both.

    >>> from sidelight.release.printing import Nodes
    >>> city = Nodes.covering({"South": ["Freiburg", "Ulm"]})
    >>> may_be_of_one("South", "Ulm", city), may_be_of_one("Freiburg", "Ulm", city), may_be_of_one("30-39", "35-50")
    (True, False, True)
    """
    under: Mapping[Label, tuple[Label, ...]] = {} if nodes is None else nodes.under
    ones, others = under.get(one, ()), under.get(other, ())
    if one == other or other in ones or one in others or not {*ones}.isdisjoint(others):
        return True
    # what the hierarchy has says nothing but that
    read, others_read = (read_label(text, nodes or ()) for text in (one, other))
    return (
        read.overlaps(others_read)
        or any(others_read.covers(text) for text in ones)
        or any(read.covers(text) for text in others)
    )


def is_coarse(text: Label, nodes: Nodes | None = None) -> bool:
    """Say whether a label may stand for several others.

    >>> [is_coarse(text) for text in ("34", "30-39", "3*", "2024-Q1", "2024-03-09", "{A, B}", "Ulm", None)]
    [False, True, True, True, False, True, False, False]
    """
    if nodes is not None and text in nodes:
        return text in nodes.under
    # most labels are words, numbers or days: there may be many, and reading all of their forms takes long
    plain = text is None or as_day(text) is not None or (as_number(text) is not None and len(text) != len("2024"))
    return not plain and read_label(text).is_coarse


def tells_days(text: Label) -> bool:
    """Say whether a label may stand for less than a year: beside none that does, 2024 is a number like others.

    >>> [tells_days(text) for text in ("2024-03-09", "2024-Q1", "2024-0*", "2024", "2010-2019", "13**", "30-39")]
    [True, True, True, False, False, False, False]
    """
    if text is None or as_number(text) is not None:
        return False
    read = read_label(text)
    return bool(read.days and not read.numbers) or any(
        len(mask) > len("2024") and _days_behind(mask.rstrip(SUPPRESSED), len(mask)) is not None for mask in read.masks
    )


def knows_label(text: Label, printed: Iterable[Label], nodes: Nodes | None = None) -> bool:
    """Say whether a label is known in a column: a hierarchy has it, or what is printed there covers it.

    Numbers, days and codes are known beside others of their kind, covered or not; where only `*` is printed, nobody can
    tell.

    >>> races = ["White", "Black", "*"]
    >>> knows_label("White", races), knows_label("Martian", races), knows_label("Martian", ["*"])
    (True, False, True)
    >>> knows_label("99", ["20-29", "30-39"]), knows_label("99", ["813**"]), knows_label("99", races)
    (True, False, False)
    """
    if text is None or (nodes is not None and text in nodes):
        return True
    read = [read_label(label) for label in printed if label != SUPPRESSED]
    if not read and nodes is None:
        return True
    own = read_label(text)
    return any(each.overlaps(own) or each.is_of_kind(text) for each in read)


_NUMBER, _DAY, _OTHER, _GAP = range(4)  # the kinds of labels, as they stand in an order
Stretch: TypeAlias = tuple[int, int]
"""Neighbours in an order: where they start, and where the rest begins."""


@dataclass(frozen=True, eq=False, slots=True)
class Stretches:
    """What each of several labels covers: all from `start` to `stop`, or only the `pieces` of it; nothing, if alike."""

    start: Integers
    stop: Integers
    pieces: Mapping[int, list[Stretch]]  # by the number of the label, where there are several

    @classmethod
    def of(cls, covered: Sequence[list[Stretch]]) -> Stretches:
        """Take the stretches of each label, rising and apart."""
        start = np.array([each[0][0] if each else 0 for each in covered], np.int64)
        stop = np.array([each[-1][1] if each else 0 for each in covered], np.int64)
        return cls(start, stop, {at: [*each] for at, each in enumerate(covered) if len(each) > 1})

    def listed(self, at: int) -> list[Stretch]:
        """Give the stretches of one label."""
        start, stop = int(self.start[at]), int(self.stop[at])
        return self.pieces.get(at) or ([(start, stop)] if start < stop else [])


class LabelOrder:
    """The labels that people have in one column, in an order in which most printed labels cover neighbours.

    Numbers stand first, by size; then days; then other labels, along the hierarchy where there is one; a missing one
    last.  What is covered comes as stretches of this order, rising and apart, so that an interval costs two searches
    and no look at the labels inside.

    >>> ages = LabelOrder(("7", "Ann", "31", None, "29"))
    >>> ages.labels, ages.covered("20-39"), ages.covered("{7, (missing)}")
    (('7', '29', '31', 'Ann', None), [(1, 3)], [(0, 1), (4, 5)])
    """

    def __init__(self, labels: tuple[Label, ...], nodes: Nodes | None = None) -> None:
        # invariant: numbers at positions 0 … n-1 rising, days behind them rising, so that an interval of either is one
        # stretch; hierarchies of numbers and days mostly cut along the same line, and need not hold for it to be right
        self._above: Mapping[Label, tuple[Label, ...]] = {} if nodes is None else nodes.above
        self._opaque: Container[Label] = () if nodes is None else nodes
        above = [self._above.get(text, ()) for text in labels]
        keys = [_key(text, coarser) for text, coarser in zip(labels, above, strict=True)]
        order = sorted(range(len(labels)), key=keys.__getitem__)
        self.labels = tuple(labels[code] for code in order)
        self.position = np.empty(len(labels), np.int64)  # by the code of a label
        self.position[order] = np.arange(len(labels))
        self._numbers, self._days = (
            [keys[code][1] for code in order if keys[code][0] == kind] for kind in (_NUMBER, _DAY)
        )
        self._position_of = {text: position for position, text in enumerate(self.labels)}
        self._strangers = np.flatnonzero([text not in self._above for text in self.labels])
        self._under: dict[Label, list[int]] = {}
        for position, code in enumerate(order):
            for node in dict.fromkeys(above[code]):
                self._under.setdefault(node, []).append(position)

    def named(self, text: Label) -> list[Stretch]:
        """Find what a printed label covers as a name: itself, what the hierarchy has under it, `*` all."""
        if text == SUPPRESSED:
            return [(0, len(self.labels))]
        return merged(self._known_as(text))

    def covered(self, text: Label) -> list[Stretch]:
        """Find what a printed label covers in any of its forms; of labels that the hierarchy has, what that says.

        What it has is opaque: it says which of its labels 20-29 covers, even if it says something odd.  Labels that
        it lacks are covered by the form alone, whoever else is looked for.
        """
        if not self._above:
            return merged(self._read(text, ()))
        among_strangers = self._of_strangers(self._read(text, ())) if len(self._strangers) else ()
        return merged([*self._read(text, self._opaque), *among_strangers])

    def covered_by_each(self, texts: Sequence[Label]) -> Stretches:
        """Find what each of many printed labels covers; 17-36 and days from one to another, all of them at once.

        >>> covered = LabelOrder(("7", "Ann", "31", "29")).covered_by_each(["20-39", "{Ann, 7}"])
        >>> covered.start.tolist(), covered.stop.tolist(), covered.pieces
        ([1, 0], [3, 4], {1: [(0, 1), (3, 4)]})
        """
        start, stop = np.full(len(texts), -1), np.zeros(len(texts), np.int64)
        if not self._above:  # else the hierarchy says what 20-29 means
            ranges = ((_number_ranges(texts), self._numbers, 0), (_day_ranges(texts), self._days, len(self._numbers)))
            for (place, low, high), rising, before in ranges:
                start[place] = np.searchsorted(rising, low, "left") + before
                stop[place] = np.searchsorted(rising, high, "right") + before
            for itself in self._position_of.keys() & {*texts}:  # somebody is known by the very label
                start[texts.index(itself)] = -1
        one_by_one = np.flatnonzero(start < 0).tolist()
        rest = Stretches.of([self.covered(texts[at]) for at in one_by_one])
        start[one_by_one], stop[one_by_one] = rest.start, rest.stop
        return Stretches(start, stop, {one_by_one[at]: pieces for at, pieces in rest.pieces.items()})

    def _read(self, text: Label, opaque: Container[Label]) -> Iterator[Stretch]:
        printed = read_label(text, opaque)
        if printed.suppressed:
            yield 0, len(self.labels)
        else:
            yield from self._exactly(printed)
            yield from self._in_forms(printed)

    def _of_strangers(self, stretches: Iterable[Stretch]) -> Iterator[Stretch]:
        for start, stop in stretches:
            low, high = np.searchsorted(self._strangers, (start, stop))
            yield from ((position, position + 1) for position in self._strangers[low:high].tolist())

    def numbers_in(self, interval: Interval) -> Stretch:
        """Find the labels that are numbers in an interval."""
        return interval.stretch(self._numbers)

    def days_in(self, interval: Interval) -> Stretch:
        """Find the labels that are days, or moments of days, in an interval of their numbers."""
        start, stop = interval.stretch(self._days)
        return start + len(self._numbers), stop + len(self._numbers)

    def positions(self, labels: Sequence[Label]) -> Integers:
        """Find labels exactly as they are, −1 for those that nobody has."""
        return np.fromiter((self._position_of.get(text, -1) for text in labels), np.int64, len(labels))

    def _known_as(self, name: Label) -> list[Stretch]:
        position = self._position_of.get(name)
        itself = [] if position is None else [(position, position + 1)]
        return itself + [(position, position + 1) for position in self._under[name]] if name in self._under else itself

    def _exactly(self, printed: PrintedLabel) -> Iterator[Stretch]:
        if len(printed.parts) == len(printed.labels) == 1 and _PLAIN_NUMBER.fullmatch(printed.parts[0]) is None:
            yield from self._known_as(printed.parts[0])
            return
        # a name with commas inside is a run of as many parts: only lengths that some name has need to be tried
        for size in self._sizes if len(printed.parts) > 1 else (1,):
            for start in range(len(printed.parts) - size + 1):
                yield from self._known_as(", ".join(printed.parts[start : start + size]))
        for label in printed.labels.difference(printed.parts):
            yield from self._known_as(label)
        for label in printed.labels if len(self._numbers) else ():
            yield from ((position, position + 1) for position in self._by_plain_form.get(label, ()))

    def _in_forms(self, printed: PrintedLabel) -> Iterator[Stretch]:
        yield from map(self.numbers_in, printed.numbers)
        yield from map(self.days_in, printed.days)
        for mask in printed.masks:
            yield from self._masked(mask)

    def _masked(self, mask: str) -> Iterator[Stretch]:
        beginning = mask.rstrip(SUPPRESSED)

        # beginnings of sorted texts are sorted, so the texts that begin alike are neighbours
        def begin(text: str) -> str:
            return text[: len(beginning)]

        low = bisect_left(self._sorted, beginning, key=begin)
        high = bisect_right(self._sorted, beginning, key=begin)
        yield from (
            (self._position_of[text], self._position_of[text] + 1)
            for text in self._sorted[low:high]
            if len(text) == len(mask)
        )

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(text for text in self.labels if text is not None)

    @cached_property
    def _by_plain_form(self) -> dict[Label, list[int]]:
        """Where labels stand by their plain form: 34 and 34.0 are the same number.  Texts stand under their own."""
        plain: dict[Label, list[int]] = {}
        for position, text in enumerate(self.labels[: len(self._numbers)]):
            plain.setdefault(_plain(text), []).append(position)
        return plain

    @cached_property
    def _sizes(self) -> list[int]:
        """How many parts of a set a name may be: one, and one more for each comma inside."""
        names = (*self.labels, *self._under)
        return sorted({1, *(name.count(", ") + 1 for name in names if name is not None)})


def _number_ranges(texts: Sequence[Label]) -> tuple[Integers, Integers, Integers]:
    """Find all texts like 17-36: where they stand, and their ends; a million of them cost no more than a few."""
    place, low, high = _two_ends(texts, _OUR_NUMBERS)
    return _rising(place, low.cast(pa.int64()).to_numpy(), high.cast(pa.int64()).to_numpy())


def _day_ranges(texts: Sequence[Label]) -> tuple[Integers, Integers, Integers]:
    """Find all texts from one day to another, in the same way; a day that is none leaves all to be read one by one."""
    place, low, high = _two_ends(texts, _OUR_DAYS)
    try:
        first, last = (each.cast(pa.date32()).cast(pa.int32()).to_numpy() + _FIRST_OF_1970 for each in (low, high))
    except pa.ArrowInvalid:
        return (np.zeros(0, np.int64),) * 3
    return _rising(place[first > 0], first[first > 0], last[first > 0])  # there is no year 0


_FIRST_OF_1970 = dt.date(1970, 1, 1).toordinal()


def _two_ends(texts: Sequence[Label], form: re.Pattern[str]) -> tuple[Integers, pa.Array, pa.Array]:
    ends = pc.extract_regex(pa.array(texts, pa.string()), pattern=f"^{form.pattern}$")
    place = np.flatnonzero(ends.is_valid().to_numpy(zero_copy_only=False))
    matching = ends.drop_null()
    return place, matching.field("low"), matching.field("high")


def _rising(place: Integers, low: Integers, high: Integers) -> tuple[Integers, Integers, Integers]:
    kept = low <= high
    return place[kept], low[kept].astype(np.int64), high[kept].astype(np.int64)


def merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Join stretches that overlap or touch; empty ones go.

    >>> merged([(4, 5), (0, 2), (1, 3), (3, 3), (5, 6)])
    [(0, 3), (4, 6)]
    """
    joined: list[Stretch] = []
    for start, stop in sorted(stretches):
        if start == stop:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], stop)
        else:
            joined.append((start, stop))
    return joined


def _key(text: Label, above: Sequence[Label]) -> tuple[int, float, list[str]]:
    """Say where a label stands: its kind, then its size, then its way down the hierarchy."""
    if text is None:
        return _GAP, 0.0, []
    number = as_number(text)
    if number is not None:
        return _NUMBER, number, [text]
    day = _day(text)
    if day is not None:
        return _DAY, day, [text]
    return _OTHER, 0.0, [*(shown(node) for node in reversed(above)), text]
