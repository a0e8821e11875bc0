"""What does a printed label cover?  One parser, for everything that looks people up in a release.

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

The meaning of a label depends on the label that is looked for, not on a guess about the column: `2024` is a year for
`2024-10-01` and a number for `2024.0`; `10:30` goes from 10 to 30 for `15`, and is only itself for `10:45`.  Where the
meaning is ambiguous (runs of parts in a set), the reading that covers most is taken.

Texts named `opaque` are not parsed, as a caller knows what they mean: an attacker's hierarchies are such knowledge.

*How labels came about*, where that is known.

A release prints `South` for people of whom an attacker knows `Freiburg`.  `Nodes` are the labels under such a label in
one column: those of a hierarchy, or of a published file's own metadata.  A `Printing` has them for all columns of a
release whose making is known: a search's result, a generalised table, a file that Sidelight published.

What is printed also decides the last step of the rule in `table.labels` (`kind_of`): whole numbers that are printed
under names, such as regions 1 and 2 under `North`, are codes, and a category; where what is printed of them are
intervals around them, as of ages, they are numbers.

*The ends* of the numbers or days that a printed label covers, for computations with a release.

A release prints `53-90`, `[30, 40)`, `90+` or `2024-Q1`; a researcher wants the ends.  `bounds` reads one label;
`bound_columns` gives the ends of a whole column as two columns of plain numbers or days, where all of its labels have
any.  What is covered is what `release.printed_labels` says; of a set, the ends of all of it, if all of it has some.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from sidelight.errors import BadRelease
from sidelight.table.labels import (
    MISSING,
    SUPPRESSED,
    Column,
    ColumnKind,
    Label,
    as_day,
    as_number,
    hint_label,
    kind_of_labels,
    label,
    unused_name,
)

if TYPE_CHECKING:
    from sidelight.arrays import Floats
    from sidelight.table.hierarchy import Hierarchy

PLAIN_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")

_INFINITE = {"inf": math.inf, "+inf": math.inf, "∞": math.inf, "-inf": -math.inf, "-∞": -math.inf}

# four digits may be a year
OUR_NUMBERS = re.compile(r"(?P<low>[0-9]{1,3}|[0-9]{5,15})-(?P<high>[0-9]{1,3}|[0-9]{5,15})")

OUR_DAYS = re.compile(r"(?P<low>[0-9]{4}-[0-9]{2}-[0-9]{2}) to (?P<high>[0-9]{4}-[0-9]{2}-[0-9]{2})")

Kind = TypeVar("Kind")

End: TypeAlias = int | float | dt.date


class Bounds(NamedTuple, Generic[Kind]):
    """From `low` to `high`; an end that is open is infinite, or, as the last two say, not itself inside."""

    low: Kind
    high: Kind
    with_low: bool = True
    with_high: bool = True


class Interval(Bounds[float]):
    """Numbers, or numbers of days."""

    __slots__ = ()

    def holds(self, number: float) -> bool:
        """Return whether a number is inside."""
        above = self.low <= number if self.with_low else self.low < number
        return above and (number <= self.high if self.with_high else number < self.high)

    def meets(self, other: Interval) -> bool:
        """Return whether some number is inside both."""
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

    @property
    def is_itself(self) -> bool:
        """Return whether it covers nothing but the label as it is printed.

        >>> [read_label(text).is_itself for text in ("Ulm", "34", "34.0", "30-39", "2024", "*")]
        [True, True, False, False, False, False]
        """
        forms = self.numbers or self.days or self.masks or self.suppressed
        return not forms and len(self.parts) == len(self.labels) == 1 and self.parts[0] in self.labels

    def covers(self, label: Label) -> bool:
        """Return whether it may stand for a label that is known about a person.

        >>> [read_label(printed).covers("34") for printed in ("34.0", "30..39", "]34, 40]", "3*", "3**", "044")]
        [True, True, False, True, False, False]
        """
        # cheapest first: most questions end at the exact label
        if self.suppressed or plain_form(label) in self.labels:
            return True
        if label is None:
            return False
        # a label that is no set is one part, and may have commas itself: nothing inside it is listed; of a set, any run
        # of parts may be what was meant, commas and all
        runs = f", {', '.join(self.parts)}, " if len(self.parts) > 1 and ", " in label else ""
        # 81667 may be printed as 816**
        masked = (len(mask) == len(label) and label.startswith(mask.rstrip(SUPPRESSED)) for mask in self.masks)
        if label in self.parts or f", {label}, " in runs or any(masked):
            return True
        number, day = as_number(label), day_of(label)
        return (number is not None and any(each.holds(number) for each in self.numbers)) or (
            day is not None and any(each.holds(day) for each in self.days)
        )

    def overlaps(self, other: PrintedLabel) -> bool:
        """Return whether both may stand for the same; of what a mask hides, whole numbers, years and days may.

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
        """Return whether it may stand for several labels."""
        return (
            self.suppressed
            or len(self.parts) > 1
            or bool(self.masks)
            or any(each.low < each.high for each in (*self.numbers, *self.days))
        )

    def is_of_kind(self, label: str) -> bool:
        """Return whether a label is a number, a day or a code like those that this one stands for."""
        number, day = as_number(label), day_of(label)
        return (
            (number is not None and (bool(self.numbers) or any(as_number(each) is not None for each in self.labels)))
            or (day is not None and bool(self.days))
            or any(len(mask) == len(label) for mask in self.masks)
        )


def covers(printed: Label, label: Label) -> bool:
    """Return whether a printed label may stand for a label that is known about a person.

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
    """Read a printed label; texts that are `opaque` mean what a hierarchy says, and are not read.

    >>> read_label("{20-29, 40}", opaque={"20-29"}).numbers
    ()
    """
    if text is None:
        return PrintedLabel((), frozenset([None]))
    body = text if text in opaque else text.removesuffix(f" or {MISSING}")
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
    # an interval in brackets was split at its comma, so such neighbours are read together as well
    pairs = ((low, high) for low, high in pairwise(parts) if low.startswith(("[", "(", "]")))
    split = [f"{low}, {high}" for low, high in pairs if high.endswith(("]", ")", "["))]
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
    itself, text = text, _write_plain_digits(text)
    if itself != text:
        read = _read_form(text)
        return replace(read, parts=(itself,), labels=read.labels | {itself}, masks=(itself,) if read.masks else ())
    if ours := OUR_NUMBERS.fullmatch(text) or OUR_DAYS.fullmatch(text):
        # 17-36 and 1984-03-09 to 1990-11-30, as Sidelight prints them; releases may have thousands of them
        of_days = "-" in ours[1]
        first, last = map(as_day if of_days else float, (ours[1], ours[2]))
        inside = (Interval(first, last),) if first is not None and last is not None and first <= last else ()
        return PrintedLabel((text,), frozenset([text]), *(((), inside) if of_days else (inside,)))
    labels = {plain_form(text), None} if text == MISSING else {plain_form(text)}
    masks = (text,) if text.endswith(SUPPRESSED) and text != SUPPRESSED else ()
    # most labels are plain words: one look for a digit spares them all the other forms
    spans = [*_spans(text)] if re.search(r"[0-9]", text) else []
    numbers = [interval for span in spans if (interval := _read_numbers(span)) is not None]
    periods = (*spans, Bounds(text, text)) if re.search(r"[0-9]{4}", text) else ()
    days = [interval for span in periods if (interval := _read_days(span)) is not None]
    return PrintedLabel((text,), frozenset(labels), tuple(numbers), tuple(days), masks, text == SUPPRESSED)


def _read_numbers(span: Bounds[str]) -> Interval | None:
    low, high = (_INFINITE.get(end, as_number(end)) for end in (span.low, span.high))
    if low is None or high is None or low > high:
        return None
    return Interval(low, high, span.with_low, span.with_high)


def _read_days(span: Bounds[str]) -> Interval | None:
    """Read whole periods; an end that is left out is left out with all of its days."""
    first = _INFINITE.get(span.low, _first_and_last(span.low)[0 if span.with_low else 1])
    last = _INFINITE.get(span.high, _first_and_last(span.high)[1 if span.with_high else 0])
    return Interval(first, last, span.with_low, span.with_high) if first <= last else None  # nan: no period


def _spans(text: str) -> Iterator[Bounds[str]]:
    """Yield from which text to which it may go, before it is known whether they are numbers or days."""
    if brackets := re.fullmatch(r"([\[(\]])\s*(.+?)\s*([\])\[])", text):
        for low, high in _ends(brackets[2], r"\s*(?:\.\.|to|[-–:,;])\s*"):
            yield Bounds(low, high, brackets[1] == "[", brackets[3] == "]")
    elif side := re.fullmatch(r"(<=|>=|<|>|≤|≥)\s*(.+)|(.+)\+", text):
        sign, end = side[1] or ">=", side[2] or side[3]
        below, strict = sign in {"<", "<=", "≤"}, sign in {"<", ">"}
        yield Bounds("-inf", end, with_high=not strict) if below else Bounds(end, "inf", with_low=not strict)
    else:
        yield from (Bounds(low, high) for low, high in _ends(text, r"\s*(?:\.\.|to|[-–:])\s*"))


def _ends(text: str, between: str) -> Iterator[tuple[str, str]]:
    """Split at each sign that may stand between two ends: in -5--3 it is the second, in 1e-5-3 as well."""
    low, to, high = text.partition(" to ")
    if to:  # days have hyphens inside, and with a word between them nothing else is
        yield low.rstrip(), high.lstrip()
        return
    for sign in re.finditer(between, text):
        # 08:30 is one time and not an interval from 08 to 30
        time_of_day = ":" in sign[0] and re.search(r"\b0[0-9]", text)
        if not time_of_day:
            yield text[: sign.start()], text[sign.end() :]


def _first_and_last(period: str) -> tuple[float, float]:
    """Return the first and the last day of a day, a month, a quarter or a year; nan for other texts.

    >>> [dt.date.fromordinal(int(day)).isoformat() for day in _first_and_last("2024-Q1")]
    ['2024-01-01', '2024-03-31']
    """
    day = as_day(period)
    if day is not None:
        return day, day
    match = re.fullmatch(r"(?P<year>[0-9]{4})(?:-Q(?P<quarter>[1-4])|-(?P<month>0[1-9]|1[0-2]))?", period)
    if match is None or match["year"] == "0000":
        return math.nan, math.nan
    quarter, month = match["quarter"], match["month"]
    months = 12 if quarter is None and month is None else 3 if month is None else 1
    # months are counted through, so the last day of a period is the day before the first of the next
    start = int(match["year"]) * 12 + (int(month or 1) - 1) + (int(quarter or 1) - 1) * 3
    return _first_day(start), _first_day(start + months) - 1


def _first_day(month: int) -> int:
    """Return the first day of a month; months are counted from the year 0."""
    year, before = divmod(month, 12)
    return dt.date(year, before + 1, 1).toordinal() if year <= dt.MAXYEAR else dt.date.max.toordinal() + 1


def day_of(label: str) -> int | None:
    """Read a day, or the day of a moment."""
    match = re.fullmatch(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T].*)?", _write_plain_digits(label), re.DOTALL)
    return None if match is None else as_day(match[1])


def plain_form(label: Label) -> Label:
    """Write a number in its plain form, exactly; other labels, and codes such as 034, stay as they are.

    >>> plain_form("34.0"), plain_form("3.4e1"), plain_form("-0"), plain_form("034"), plain_form("Bonn")
    ('34', '34', '0', '034', 'Bonn')
    """
    digits = None if label is None else _write_plain_digits(label)
    if digits is None or PLAIN_NUMBER.fullmatch(digits) is None:
        return label
    # Decimal and not float: labels of 15 digits must keep every digit
    number = Decimal(digits)
    return f"{number.normalize():f}" if number else "0"


def _write_plain_digits(text: str) -> str:
    """Write the digits of other scripts, such as full-width ones, as 0 to 9.

    >>> _write_plain_digits("３０-３９"), _write_plain_digits("٣٤"), _write_plain_digits("Köln ²")
    ('30-39', '34', 'Köln ²')
    """
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(each)) if each.isdecimal() else each for each in text)


def _hides_some(mask: str, printed: PrintedLabel) -> bool:
    """3* may stand for a number in 30-39, 2024-0* for a day in 2024; no code of another length does."""
    beginning = _write_plain_digits(mask.rstrip(SUPPRESSED))
    numbers, days = _numbers_behind(beginning, len(mask)), _days_behind(beginning, len(mask))
    return (numbers is not None and any(each.meets(numbers) for each in printed.numbers)) or (
        days is not None and any(each.meets(days) for each in printed.days)
    )


def _numbers_behind(beginning: str, length: int) -> Interval | None:
    """Return the whole numbers of so many characters that begin like this."""
    if beginning.isdecimal():
        return Interval(float(beginning.ljust(length, "0")), float(beginning.ljust(length, "9")))
    begins = re.compile(r"[+-]?[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]*)?")
    # -3* or 1.5* may be numbers as well: which ones is left open
    return Interval(-math.inf, math.inf) if begins.fullmatch(beginning) else None


def _days_behind(beginning: str, length: int) -> Interval | None:
    """Return the days of the years, or of the month, that texts of so many characters may be which begin like this."""
    # a year, a month, a day, or a moment of one
    if length not in map(len, ("2024", "2024-03")) and length < len("2024-03-09"):
        return None
    month = _first_and_last(beginning[: len("2024-03")])
    if not math.isnan(month[0]):
        return Interval(*month)
    year = beginning[: len("2024")]
    first, last = max(year.ljust(4, "0"), "0001"), year.ljust(4, "9")
    return Interval(_first_and_last(first)[0], _first_and_last(last)[1]) if re.fullmatch(r"[0-9]{4}", first) else None


def _compatible(mask: str, other: str) -> bool:
    one, another = mask.rstrip(SUPPRESSED), other.rstrip(SUPPRESSED)
    return len(mask) == len(other) and (one.startswith(another) or another.startswith(one))


def may_be_of_one(one: Label, other: Label, nodes: Nodes | None = None) -> bool:
    """Return whether two labels of a column may be of one person: some label is covered by both.

    >>> from sidelight.release.printed_labels import Nodes
    >>> city = Nodes.covering({"South": ["Freiburg", "Ulm"]})
    >>> may_be_of_one("South", "Ulm", city), may_be_of_one("Freiburg", "Ulm", city), may_be_of_one("30-39", "35-50")
    (True, False, True)
    """
    under: Mapping[Label, tuple[Label, ...]] = {} if nodes is None else nodes.labels_by_node
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
    """Return whether a label may stand for several others.

    >>> [is_coarse(text) for text in ("34", "30-39", "3*", "2024-Q1", "2024-03-09", "{A, B}", "Ulm", None)]
    [False, True, True, True, False, True, False, False]
    """
    if nodes is not None and text in nodes:
        return text in nodes.labels_by_node
    # most labels are words, numbers or days: there may be many, and reading all of their forms takes long
    plain = text is None or as_day(text) is not None or (as_number(text) is not None and len(text) != len("2024"))
    return not plain and read_label(text).is_coarse


def tells_days(text: Label) -> bool:
    """Return whether a label may stand for less than a year: beside none that does, 2024 is a number like others.

    >>> [tells_days(text) for text in ("2024-03-09", "2024-Q1", "2024-0*", "2024", "2010-2019", "13**", "30-39")]
    [True, True, True, False, False, False, False]
    """
    if text is None or as_number(text) is not None:
        return False
    read = read_label(text)
    return bool(read.days and not read.numbers) or any(
        len(mask) > len("2024") and _days_behind(mask.rstrip(SUPPRESSED), len(mask)) is not None for mask in read.masks
    )


def knows_label(text: Label, printed: Collection[Label], nodes: Nodes | None = None) -> bool:
    """Return whether a label is known in a column: a hierarchy has it, or what is printed there covers it.

    Numbers, days and codes are known beside others of their kind, covered or not; where only `*` is printed, nobody can
    tell.

    >>> races = ["White", "Black", "*"]
    >>> knows_label("White", races), knows_label("Martian", races), knows_label("Martian", ["*"])
    (True, False, True)
    >>> knows_label("99", ["20-29", "30-39"]), knows_label("99", ["813**"]), knows_label("99", races)
    (True, False, False)
    """
    if text is None or text in printed or (nodes is not None and text in nodes):
        return True
    read = [read_label(label) for label in printed if label != SUPPRESSED]
    if not read and nodes is None:
        return True
    own = read_label(text)
    return any(each.overlaps(own) or each.is_of_kind(text) for each in read)


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes above each label of a column, from fine to coarse; a missing label may have some, too.

    >>> city = Nodes.from_hierarchy(Hierarchy.nested("city", {"South": ["Freiburg", "Ulm"], "North": ["Kiel"]}))
    >>> city.above["Ulm"], city.labels_by_node["South"], "South" in city, "Mars" in city
    (('South', '*'), ('Freiburg', 'Ulm'), True, False)
    """

    above: Mapping[Label, tuple[Label, ...]]

    @classmethod
    def from_hierarchy(cls, hierarchy: Hierarchy) -> Nodes:
        """Take a hierarchy's; a missing label stands where the hierarchy puts it."""
        values, *coarser = hierarchy.levels
        # with one level only, labels are known and have nothing above them
        above: dict[Label, tuple[Label, ...]] = dict.fromkeys(values, ())
        if coarser:
            above.update(zip(values, zip(*coarser, strict=True), strict=True))
        above[None] = tuple(hierarchy.generalise(None, level) for level in range(1, hierarchy.height))
        return cls(above)

    @classmethod
    def covering(cls, covered: Mapping[str, Iterable[Label]]) -> Nodes:
        """Build from the labels that each node covers.

        >>> Nodes.covering({"Europe": ["Lyon", "Rome"], "France": ["Lyon"]}).above["Lyon"]
        ('France', 'Europe')
        """
        above: dict[Label, tuple[Label, ...]] = {}
        # smaller nodes first, so that the nodes above each label come out from fine to coarse
        for node, labels in sorted(
            ((node, [*labels]) for node, labels in covered.items()), key=lambda each: len(each[1])
        ):
            for text in labels:
                above[text] = (*above.get(text, ()), node)
        return cls(above)

    @cached_property
    def labels_by_node(self) -> Mapping[Label, tuple[Label, ...]]:
        """The labels under each node."""
        under: dict[Label, list[Label]] = {}
        for text, nodes in self.above.items():
            for node in dict.fromkeys(nodes):
                under.setdefault(node, []).append(text)
        return {node: tuple(labels) for node, labels in under.items()}

    def __contains__(self, label: object) -> bool:
        """Return whether it is one of the labels, or a node above some."""
        return label in self.above or label in self.labels_by_node


@dataclass(frozen=True, eq=False, slots=True)
class Printing:
    """The way a release prints: the `nodes` of its columns; whether groups print `averages` of their people.

    Lookups use it unless other hierarchies override it.
    """

    nodes: Mapping[str, Nodes] = field(default_factory=dict)  # by column
    averages: bool = False

    @classmethod
    def from_hierarchies(cls, hierarchies: Mapping[str, Hierarchy], *, averages: bool = False) -> Printing:
        """Return the printing of nodes of hierarchies, or of averages with distances along them."""
        return cls({name: Nodes.from_hierarchy(hierarchy) for name, hierarchy in hierarchies.items()}, averages)

    def override(self, other: Printing) -> Printing:
        """Return the printing in which the other's columns replace these."""
        return Printing({**self.nodes, **other.nodes}, self.averages)


def kind_of(column: Column, nodes: Nodes | None = None) -> ColumnKind:
    """Return what a column is: as declared, else by its type and labels, and by what numbers are printed as.

    >>> from sidelight.table.hierarchy import Hierarchy
    >>> regions, names = Column.of("region", ["10", "20", "30"]), {"North": [10], "South": [20, 30]}
    >>> kind_of(regions), kind_of(regions, Nodes.from_hierarchy(Hierarchy.nested("region", names)))
    ('number', 'category')
    >>> kind_of(Column.of("age", ["30", "41"]), Nodes.from_hierarchy(Hierarchy.intervals("age", [30, 41], widths=[10])))
    'number'
    """
    if column.kind is not None:
        return column.kind
    kind = kind_of_labels(column.labels)
    if kind != "number" or nodes is None:
        return kind
    numbers = {text: number for text in column.labels if (number := as_number(text)) is not None}
    whole = all(number.is_integer() for number in numbers.values())
    return "category" if whole and not _are_intervals(nodes, numbers) else "number"


def _are_intervals(nodes: Nodes, numbers: Mapping[Label, float]) -> bool:
    """Return whether the finest nodes that are something else than the numbers, and not one for all, are intervals."""
    height = max(map(len, nodes.above.values()), default=0)
    for level in range(height):
        at_level = {text: above[level] for text, above in nodes.above.items() if len(above) > level}
        changed = {text: node for text, node in at_level.items() if text in numbers and node != text}
        if changed and len({*at_level.values()}) > 1:
            return all(
                any(interval.holds(numbers[text]) for interval in read_label(node).numbers)
                for text, node in changed.items()
            )
    return False


def bounds(text: object) -> Bounds[End]:
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
    ends = _find_bounds(None if printed is None else printed.removeprefix("'"))
    if ends is None:
        raise BadRelease(
            f"'{hint_label(printed)}' is no number, no day and no interval of them; give a label such as 53-90"
        )
    return ends


def _find_bounds(text: Label) -> Bounds[End] | None:
    if text is None:
        return None
    if text == SUPPRESSED:
        return Bounds(-math.inf, math.inf)
    printed = read_label(text)
    for part in map(read_label, printed.parts):
        (name,) = part.parts
        # the halves of `[20, 30)`, split at its comma, have no ends of their own
        brackets = ("[", "(", "]", ")")
        is_half = name == MISSING or name.startswith(brackets) or name.endswith(brackets)
        if not (is_half or part.numbers or part.days or as_number(name) is not None or as_day(name) is not None):
            return None
    # numbers before days: four digits may be either, and most columns that print them have numbers
    for intervals, read in ((printed.numbers, as_number), (printed.days, as_day)):
        points = [end for each in printed.labels if (end := read(each)) is not None]
        every = [*intervals, *(Interval(end, end) for end in points)]
        if every:
            ends = min(each.low for each in every), max(each.high for each in every)
            # an end is inside if it is inside any interval that has it
            with_low = any(each.with_low for each in every if each.low == ends[0])
            with_high = any(each.with_high for each in every if each.high == ends[1])
            low, high = (_write_end(end, days=read is as_day) for end in ends)
            return Bounds(low, high, with_low, with_high)
    return None


def _write_end(end: float, *, days: bool) -> End:
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
    ends = [_find_bounds(text) if is_used else None for text, is_used in zip(column.labels, used, strict=True)]
    named = [(text, each) for text, each, is_used in zip(column.labels, ends, used, strict=True) if is_used and text]
    # a column whose labels are all single values needs no columns of ends
    wide = [text for text, each in named if text != SUPPRESSED and each is not None and each.low != each.high]
    spans = (interval for read in map(read_label, wide) for interval in (*read.numbers, *read.days))
    if any(each is None for _, each in named) or not any(each.low < each.high for each in spans):
        return None
    columns = []
    for at, side in enumerate(("low", "high")):
        cells = [None if each is None or each[at] in (-math.inf, math.inf) else label(each[at]) for each in ends]
        labels = tuple(dict.fromkeys(cells))
        codes = np.array([labels.index(text) for text in cells], np.int32)
        columns.append(Column(unused_name(f"{column.name}_{side}", taken), labels, codes[column.codes]))
    return columns[0], columns[1]
