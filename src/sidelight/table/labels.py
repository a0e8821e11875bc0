"""Labels: what a cell says, as text that does not depend on how the cell was stored.

5, "5", 5.0 and a category of them are one label; moments are written in UTC, to the nanosecond; a missing cell is None.
Groups are made of equal labels, so two engines that store a cell differently must never make two groups of it.

Below: labels as a person reads them (`shown`, `hint_label`, `listed`), in their natural order (`in_order`), and as
numbers and days (`as_number`, `as_day`), to be ordered, cut and averaged, and printed again.

What is a column: a category, an ordered one, a number or a date?  It decides how labels may be put together.

    category   names: printed as they are, as their hierarchy's nodes or as a set {1, 2}; averaged by the commonest
    ordered    names that stand in an order, such as codes of income: cut along it, averaged by the median
    number     cut anywhere, printed as an interval 20-29; averaged by the mean
    date       days, in the same way

Nothing but a number is ever added up: region codes 1 to 4 are no 1-2 and no 1.5.  The kind of a column is, in this
order,

1. what was declared: `kinds={"region": "category"}`, `--kind region=category`, [roles.columns] of a policy;
   `kinds={"size": ["small", "large"]}` (`--kind 'size=small<large'`) is ordered, in the order listed;
2. what its type says: categoricals are categories, those that are ordered (and Enums) stand in their order, and text is
   a category, but for days; a CSV file has no types, nor has text among which marks of missing cells were declared;
3. what all its labels say: days (2024-03-09) are dates; numbers are numbers, unless some are written as codes are (007,
   +49, 1E50) or all are single digits, as codes of sexes and regions are; everything else is a category;
4. whole numbers that come with a hierarchy are a category, as it says how they are recoded, unless what it prints are
   intervals of numbers (`release.printing`).

Whatever was taken is told (`SearchResult.kinds`, the output of `protect`, the sidecar), so that a wrong one is seen.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Literal, TypeAlias, get_args

import numpy as np

from sidelight.errors import (
    BadTable,
    WrongKind,
    did_you_mean,
    expect_mapping,
    in_list,
    kind_in_words,
    parameter,
    shortened,
)
from sidelight.rounding import LONGEST_NUMBER, fraction_in
from sidelight.text import counted, form

Label: TypeAlias = str | None
"""The text of one cell; `None` is a missing one."""

# How a missing cell is shown
MISSING = "(missing)"

# How a fully suppressed cell is published
SUPPRESSED = "*"

# What engines trim from both ends of a text: the characters that `str.strip` trims. Their own ideas of it differ
BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def label(cell: object) -> Label:  # noqa: PLR0911 - one line per kind of cell
    """Return the text of a cell: the same for 5, "5", 5.0, NumPy's 5 and a category of them.

    >>> label(5), label("5"), label(5.0), label(5.5), label(True), label(float("nan"))
    ('5', '5', '5', '5.5', 'true', None)
    """
    if isinstance(cell, str):
        return str(cell)  # NumPy's texts are texts
    if _is_missing(cell):
        return None
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return numpy_moment_text(cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    # before numbers: True is an int in Python, and would be written 1
    if isinstance(cell, bool):
        return "true" if cell else "false"
    # 5.0 and 5 are one value that programs store differently
    if isinstance(cell, float | Decimal) and math.isfinite(cell) and cell == int(cell):
        return str(int(cell))
    if isinstance(cell, Decimal):  # `normalize` would round to 28 digits
        return f"{cell:f}".rstrip("0") if math.isfinite(cell) else f"{cell:f}"
    if isinstance(cell, dt.datetime | dt.time):
        return moment_text(cell, getattr(cell, "nanosecond", 0))  # pandas' moments have them
    if isinstance(cell, dt.timedelta):
        return moment_text(cell, getattr(cell, "nanoseconds", 0))
    return _decode(cell) if isinstance(cell, bytes) else _text_of(cell)


def _text_of(cell: object) -> str:
    several = isinstance(cell, list | tuple | set | frozenset | dict)
    wordless = type(cell).__str__ is object.__str__ and type(cell).__repr__ is object.__repr__  # but for its address
    if several or wordless or hasattr(cell, "__arrow_c_stream__") or hasattr(cell, "__array__"):
        raise _no_cell(cell)
    try:
        return str(cell)
    except ValueError:  # Python writes no whole numbers of so many digits
        raise _no_cell(cell) from None


def _no_cell(cell: object) -> WrongKind:
    return WrongKind(f"a cell is one value, and this is {kind_in_words(cell)}; give a text, a number or a day")


def _decode(cell: bytes) -> str:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        message = "a cell holds bytes that are not UTF-8 text; turn them into text first"
        raise BadTable(message) from None


def _is_missing(cell: object) -> bool:
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124 - NaN and NaT are not equal to themselves
    except TypeError:  # and pandas' NA does not say
        return True
    except (ValueError, ArithmeticError):  # a table or an array is many, and a NaN that signals is not compared
        raise _no_cell(cell) from None


def shown(text: Label) -> str:
    """Show a label to a person.

    >>> shown("Flu"), shown(None)
    ('Flu', '(missing)')
    """
    return MISSING if text is None else text


def written_label(value: object) -> Label:
    """Read a value as it is written, where a missing one is "(missing)".

    >>> written_label("Flu"), written_label(7), written_label("(missing)")
    ('Flu', '7', None)
    """
    text = label(value)
    return None if text == MISSING else text


def shown_in_list(text: Label) -> str:
    """Show a label among others: in quotes where it holds a comma itself.

    >>> ", ".join(map(shown_in_list, ["Flu", "Ulcer, bleeding", None]))
    "Flu, 'Ulcer, bleeding', (missing)"
    """
    return in_list(shown(text))


def hint_label(text: Label) -> str:
    """Show a label in a message: enough to find it, not a whole story.

    >>> hint_label("Flu"), hint_label("came in with a cough, then a fever and a rash")
    ('Flu', 'came in with a cough, then a …')
    """
    return shortened(shown(text), most=30)


def listed(labels: Iterable[Label], most: int = 10) -> str:
    """Show labels to a person, the first ones and how many more there are.

    >>> listed(["Flu", None]), listed(map(str, range(100)), most=3)
    ('Flu, (missing)', '0, 1, 2, … and 97 more')
    """
    named = [in_list(hint_label(text)) for text in labels]
    more = [f"… and {len(named) - most:,} more"] if len(named) > most else []
    return ", ".join([*named[:most], *more])


def in_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Sort distinct labels: as numbers when all of them are numbers, as text otherwise, missing last.

    >>> in_order(["10", "9", None]), in_order(["b", "10", "9"])
    (('9', '10', None), ('10', '9', 'b'))
    """
    distinct = dict.fromkeys(labels)  # and no set: labels that are in order already are sorted in no time
    present = [each for each in distinct if each is not None]
    numbers = _numbers(present)
    # equal numbers such as 5 and 5.0 are ordered by their text, so that the order never depends on the input
    ordered = sorted(present) if numbers is None else [text for _, text in sorted(zip(numbers, present, strict=True))]
    return (*ordered, None) if None in distinct else tuple(ordered)


def _numbers(texts: Iterable[str]) -> list[float] | None:
    """Read texts as numbers, or stop at the first that is none: there may be millions."""
    numbers = []
    for text in texts:
        number = as_number(text)
        if number is None:
            return None
        numbers.append(number)
    return numbers


def as_number(text: Label) -> float | None:
    """Read a label as a finite number, or say that it is none.

    >>> as_number("17"), as_number("1e3"), as_number("20-29"), as_number("nan"), as_number("0e99999999")
    (17.0, 1000.0, None, None, None)
    """
    try:
        # Python's float reads 1_000, which no data file means
        number = float(text) if text is not None and "_" not in text else math.nan
    except ValueError:
        return None
    too_long = text is not None and (len(text) > LONGEST_NUMBER or ("e" in text.lower() and fraction_in(text) is None))
    return number if math.isfinite(number) and not too_long else None


Moment: TypeAlias = dt.datetime | dt.time | dt.timedelta


def moment_text(moment: Moment, nanoseconds: int = 0) -> str:
    """Write a moment (in UTC; a midnight as its date), a time of day or a duration.

    Python's own know microseconds at best; `nanoseconds` says how many there are beyond those, 0 to 999.

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


def numpy_moment_text(moment: np.datetime64 | np.timedelta64) -> str:
    """Write a moment or a duration of NumPy.

    >>> numpy_moment_text(np.datetime64("2020-01-02")), numpy_moment_text(np.timedelta64(-1, "ns"))
    ('2020-01-02', '-1 day, 23:59:59.999999999')
    """
    kind = "datetime64[us]" if isinstance(moment, np.datetime64) else "timedelta64[us]"
    whole = moment.astype(kind)  # rounds down
    return moment_text(whole.item(), int((moment - whole) / np.timedelta64(1, "ns")))


def duration_text(nanoseconds: int) -> str:
    """Write a duration of so many nanoseconds.

    >>> duration_text(90_000_000_001)
    '0:01:30.000000001'
    """
    microseconds, below = divmod(nanoseconds, 1000)
    return moment_text(dt.timedelta(microseconds=microseconds), below)


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def as_day(text: Label) -> int | None:
    """Read a day as its number, or say that it is none.

    >>> as_day("1984-03-09"), as_day("1984-03"), as_day("1984-02-31"), as_day(None)
    (724344, None, None, None)
    """
    if text is None or _DAY.fullmatch(text) is None:
        return None
    try:
        return dt.date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def day_text(day: float) -> str:
    """Print the day of a number, the nearest one of those that there are.

    >>> day_text(724344.4)
    '1984-03-09'
    """
    return dt.date.fromordinal(min(max(round(day), 1), dt.date.max.toordinal())).isoformat()


Semantics: TypeAlias = Literal["single", "set", "multiset"]
"""One value per person; a set of values per person; or any number of occurrences per person."""

ColumnKind: TypeAlias = Literal["category", "ordered", "number", "date"]
"""How the labels of a column may be put together."""

KindOrOrder: TypeAlias = ColumnKind | tuple[str, ...]
"""What may be declared: a kind, or the labels of an ordered column in their order."""

KINDS: tuple[str, ...] = get_args(ColumnKind)


def kind_of_labels(labels: Iterable[Label]) -> ColumnKind:
    """Judge by the labels alone what a column is.

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
    # digits that are written as no number is: with zeros in front, with a plus, or with an exponent like ICD's 1E50
    code = re.compile(r"\s*(\+|-?0[0-9]|.*[0-9.]E[0-9])")
    are_numbers = all(as_number(text) is not None and not code.match(text) for text in present)
    return "number" if are_numbers else "category"


def are_digits(labels: Iterable[Label]) -> bool:
    """Return whether labels are single digits, as many codes are.

    >>> are_digits(["1", "4", None]), are_digits(["9", "10"])
    (True, False)
    """
    return not {*labels} - {*"0123456789", None}


def as_kinds(kinds: object) -> tuple[tuple[str, KindOrOrder], ...]:
    """Parse what was declared, a kind or an order for each column; raise if it is neither.

    >>> as_kinds({"region": "category", "size": ["small", "large"]})
    (('region', 'category'), ('size', ('small', 'large')))
    >>> as_kinds({"region": "categories"})
    Traceback (most recent call last):
    sidelight.errors.BadTable: 'categories' is no kind of column 'region'; did you mean 'category'?
    """
    declared = expect_mapping({} if kinds is None else kinds, parameter("kinds"), '{"region": "category"}')
    return tuple((name, _kind_or_order(name, kind)) for name, kind in declared.items())


def _kind_or_order(name: str, kind: object) -> KindOrOrder:
    if isinstance(kind, str):
        for word in get_args(ColumnKind):
            if kind == word:
                return word  # type: ignore[no-any-return]  # one of the words
        message = f"'{kind}' is no kind of column '{name}'{did_you_mean(kind, KINDS)}"
        raise BadTable(message)
    order = tuple(text for each in kind if (text := label(each)) is not None) if isinstance(kind, Iterable) else ()
    if len(order) < 2 or len({*order}) < len(order):
        message = f"{parameter('kinds')} lists for column '{name}' no order; list its labels in order, each once"
        raise BadTable(message)
    return order


def read_kinds(texts: Sequence[str]) -> tuple[tuple[str, KindOrOrder], ...]:
    """Read kinds as the command line has them, `region=category` or `size=small<large`.

    >>> read_kinds(["region=category", "size = small < medium < large"])
    (('region', 'category'), ('size', ('small', 'medium', 'large')))
    """
    declared: dict[str, object] = {}
    for text in texts:
        name, sign, kind = (part.strip() for part in text.rpartition("="))
        if not sign or not name or not kind:
            message = (
                f"'{text}' is no kind of a column; write the column and its kind, such as "
                f"{parameter('kinds', {'region': 'category'})} or {parameter('kinds', {'size': 'small<medium<large'})}"
            )
            raise BadTable(message)
        if name in declared:
            message = f"{parameter('kinds')} says two kinds for '{name}'; say one"
            raise BadTable(message)
        declared[name] = [part.strip() for part in kind.split("<")] if "<" in kind else kind
    return as_kinds(declared)


def check_labels(name: str, kind: KindOrOrder, labels: Iterable[Label]) -> None:
    """Refuse a kind that the labels of a column cannot have.

    >>> check_labels("icd", "number", ["250", "V45"])
    Traceback (most recent call last):
    sidelight.errors.BadTable: column 'icd' is no number: 1 of 2 labels is none, such as V45; say kinds={'icd': ...
    """
    present = [text for text in labels if text is not None]
    if isinstance(kind, tuple):
        _refuse_unlisted(name, [text for text in present if text not in kind])
    elif kind in ("number", "date"):
        _refuse_others(name, kind, present)
    elif kind == "ordered" and not _has_natural_order(present):
        listing = parameter("kinds", {name: "lowest<…<highest"})
        message = f"column '{name}' is text, which has no order of its own; list its labels in order, {listing}"
        raise BadTable(message)


def _has_natural_order(present: list[str]) -> bool:
    """Return whether labels stand in an order that nobody has to tell: numbers, also as codes, and days."""
    return any(all(read(text) is not None for text in present) for read in (as_number, as_day))


def _refuse_unlisted(name: str, unlisted: list[str]) -> None:
    if unlisted:
        message = f"'{hint_label(unlisted[0])}' occurs in '{name}' but is not in the order declared in "
        message += f"{parameter('kinds')}; add it there"
        raise BadTable(message)


def _refuse_others(name: str, kind: ColumnKind, present: list[str]) -> None:
    others = [text for text in present if (as_day(text) if kind == "date" else as_number(text)) is None]
    if others:
        such = f"{len(others):,} of {counted(len(present), 'label')} {form('is', len(others))} none"
        remedy = f"say {parameter('kinds', {name: 'category'})}, or that they mean missing"
        message = f"column '{name}' is no {kind}: {such}, such as {hint_label(others[0])}; {remedy}"
        raise BadTable(message)
