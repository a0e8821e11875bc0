"""Levels of hierarchies made by a rule: intervals, masks, dates, nested lists, nothing but `*`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NoReturn, TypeAlias, TypeVar

from sidelight.errors import BadHierarchy
from sidelight.table.labels import SUPPRESSED, in_order, label, listed, shown

Levels: TypeAlias = tuple[tuple[str, ...], ...]
"""`levels[l][i]` is what value number i becomes at level l; level 0 holds the values themselves."""

Nested: TypeAlias = "Mapping[str, Nested] | Iterable[object]"
"""A tree of labels: coarse label → finer labels → … → lists of values."""

Read = TypeVar("Read")

Period: TypeAlias = Literal["day", "month", "quarter", "year"]

PERIODS: Mapping[Period, Callable[[dt.date], str]] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
}
"""What a day is published as, from fine to coarse; each is a function of the one before."""


def kept_or_suppressed(values: Iterable[object]) -> Levels:
    """Publish a value as it is, or not at all."""
    return _topped(_texts(values))


def in_intervals(
    column: str, values: Iterable[object], widths: Sequence[float], start: float, others: str | None = None
) -> Levels:
    """Cut numbers into intervals of each width, one of which begins at `start`; what is no number becomes `others`."""
    texts = _texts(values)
    numbers = _all_read(column, texts, _number, "a number", others)
    steps = [step for step in _all_read(column, widths, _number, "a number") if step is not None]
    (origin,) = (at or Fraction(0) for at in _all_read(column, [start], _number, "a number"))
    for narrow, wide in zip((Fraction(0), *steps), steps, strict=False):
        if wide <= narrow or (narrow and wide % narrow):
            _bad(column, f"a width of {_plain(wide)} after {_plain(narrow)}; let each width be a multiple of the last")
    whole = all(number.denominator == 1 for number in (*numbers, *steps, origin) if number is not None)
    interval = _whole_interval if whole else _half_open_interval

    def cut(step: Fraction) -> tuple[str, ...]:
        return _or_others(numbers, lambda n: interval(origin + (n - origin) // step * step, step), others)

    return _topped(texts, *map(cut, steps))


def masked(column: str, values: Iterable[object], hide: Sequence[int] | None) -> Levels:
    """Hide the last characters of each value: `hide[l]` of them at level l + 1, by default one more each time."""
    texts = _texts(values)
    longest = max(map(len, texts), default=0)
    amounts = list(range(1, longest)) if hide is None else list(hide)
    if any(low >= high for low, high in zip((0, *amounts), amounts, strict=False)):
        _bad(column, f"hide={amounts} does not rise from level to level; hide more characters at each")
    return _topped(texts, *(tuple(_masked(text, amount) for text in texts) for amount in amounts))


def in_periods(column: str, values: Iterable[object], periods: Sequence[Period], others: str | None = None) -> Levels:
    """Publish days as the period they are in; what is no day becomes `others`."""
    rising = [period for period in PERIODS if period in periods]
    if list(periods) != rising:
        _bad(column, f"periods={list(periods)}; choose some of {', '.join(PERIODS)}, in this order")
    texts = _texts(values)
    days = _all_read(column, texts, _day, "a day like 2024-03-09", others)
    return _topped(texts, *(_or_others(days, PERIODS[period], others) for period in periods))


def from_tree(column: str, tree: Nested) -> Levels:
    """Read a tree of labels, coarsest outside."""
    rows = list(_branches(tree))
    if len({len(row) for row in rows}) > 1:
        short = min(rows, key=len)[-1]
        _bad(column, f"'{short}' is nested less deeply than others; give every value the same number of levels")
    coarse_first = tuple(zip(*rows, strict=True)) or ((),)
    return _topped(*reversed(coarse_first))


def _branches(tree: Nested) -> Iterator[tuple[str, ...]]:
    if isinstance(tree, Mapping):
        for name, below in tree.items():
            for branch in _branches(below):
                yield (name, *branch)
    else:
        listed = [tree] if isinstance(tree, str) else tree
        yield from ((text,) for text in map(label, listed) if text is not None)


def _topped(*levels: tuple[str, ...]) -> Levels:
    return (*levels, (SUPPRESSED,) * len(levels[0]))


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    """Give the different values that are not missing, in order."""
    return tuple(text for text in in_order(map(label, values)) if text is not None)


def _whole_interval(low: Fraction, width: Fraction) -> str:
    high = low + width - 1
    if low == high:
        return str(low)
    return f"{low}-{high}" if low >= 0 else f"{low} to {high}"


def _half_open_interval(low: Fraction, width: Fraction) -> str:
    return f"[{_plain(low)}, {_plain(low + width)})"


def _masked(text: str, amount: int) -> str:
    shown_part = text[: max(len(text) - amount, 0)]
    return shown_part + SUPPRESSED * (len(text) - len(shown_part))


def _plain(number: Fraction) -> str:
    return shown(label(float(number)))


def _all_read(
    column: str, given: Sequence[object], read: Callable[[object], Read | None], what: str, others: str | None = None
) -> list[Read | None]:
    """Read all values; of those that are not what they should be, name all at once, unless they become `others`."""
    found = [read(each) for each in given]
    wrong = [str(each) for each, value in zip(given, found, strict=True) if value is None]
    if wrong and others is None:
        many = f"{len(wrong):,} values are not" if len(wrong) > 1 else "1 value is not"
        _bad(column, f"{many} {what}: {listed(wrong)}; mend the data, or give others= a label for what is none")
    return found


def _or_others(found: Sequence[Read | None], said: Callable[[Read], str], others: str | None) -> tuple[str, ...]:
    return tuple(said(each) if each is not None else others or "" for each in found)


def _number(given: object) -> Fraction | None:
    try:
        return Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        return None


def _day(given: object) -> dt.date | None:
    try:
        return dt.datetime.fromisoformat(str(given)).date()
    except ValueError:
        return None


def _bad(column: str, what: str) -> NoReturn:
    message = f"hierarchy of '{column}': {what}"
    raise BadHierarchy(message)
