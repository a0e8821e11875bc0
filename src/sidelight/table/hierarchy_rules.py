"""Rules that make the levels of a hierarchy: intervals, own cuts, masks, periods of dates, a tree, nothing but `*`.

Every rule gives levels of which each is a function of the one before (the invariant of `table.hierarchy`), the last one
`*` for all.  Intervals of one width nest in those of the next because each width is a multiple of the last; own cuts
nest because each level's are among those of the level before; the open ends of top and bottom coding are the same at
every level.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NoReturn, TypeAlias, TypeVar

from sidelight.errors import BadHierarchy, as_given
from sidelight.rounding import LARGEST_NUMBER, fraction_in
from sidelight.table.labels import SUPPRESSED, in_order, label, listed, shown

Levels: TypeAlias = tuple[tuple[str, ...], ...]
"""`levels[l][i]` is what value number i becomes at level l; level 0 holds the values themselves."""

Nested: TypeAlias = "Mapping[str, Nested] | Iterable[object]"
"""A tree of labels: coarse label → finer labels → … → lists of values."""

Read = TypeVar("Read")

Period: TypeAlias = Literal["day", "month", "quarter", "year", "decade"]

# What a day is published as, from fine to coarse; each is a function of the one before
PERIODS: Mapping[Period, Callable[[dt.date], str]] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{max(1, day.year // 10 * 10):04}-{day.year // 10 * 10 + 9:04}",
}


def bad_hierarchy(column: str, what: str) -> NoReturn:
    """Refuse a hierarchy, by the column that it is of."""
    message = f"hierarchy of '{column}': {what}"
    raise BadHierarchy(message)


def suppression_levels(values: Iterable[object]) -> Levels:
    """Publish a value as it is, or not at all."""
    return cap_numbers(_texts(values))


@dataclass(frozen=True, slots=True)
class Ends:
    """Where numbers are no longer told apart: below `bottom`, and from `top` on; `others` is for what is no number."""

    bottom: float | None = None
    top: float | None = None
    others: str | None = None


def interval_levels(column: str, values: Iterable[object], widths: Sequence[float], start: float, ends: Ends) -> Levels:
    """Cut numbers into intervals of each width, one of which begins at `start`, and ends that are open."""
    texts = _texts(values)
    # fractions, as 0.1 + 0.2 in floats would put a value on the wrong side of a cut
    numbers = _read_all(column, texts, _number, "a number", ends.others)
    steps = _numbers(column, widths)
    (origin,) = _numbers(column, [start])
    bottom, top = (None if end is None else _numbers(column, [end])[0] for end in (ends.bottom, ends.top))
    for narrow, wide in zip((Fraction(0), *steps), steps, strict=False):
        # each level must be a function of the one below: an interval must lie within a single wider one
        if wide <= narrow or (narrow and wide % narrow):
            bad_hierarchy(
                column, f"a width of {_plain(wide)} after {_plain(narrow)}; let each width be a multiple of the last"
            )
    if bottom is not None and top is not None and bottom >= top:
        bad_hierarchy(column, f"bottom {_plain(bottom)} is not below top {_plain(top)}; let it be")
    write = _interval_writer([*numbers, *steps, origin, bottom, top])

    def cut(step: Fraction) -> tuple[str, ...]:
        def interval(number: Fraction) -> str:
            if bottom is not None and number < bottom:
                return write(None, bottom)
            if top is not None and number >= top:
                return write(top, None)
            low = origin + (number - origin) // step * step
            # ends cut off what is beyond them, at every level at the same place, so that levels stay nested
            return write(
                low if bottom is None else max(low, bottom), low + step if top is None else min(low + step, top)
            )

        return _or_others(numbers, interval, ends.others)

    return cap_numbers(texts, *map(cut, steps))


def cut_levels(
    column: str,
    values: Iterable[object],
    at: Sequence[float] | Sequence[Sequence[float]],
    start: float | None,
    others: str | None,
) -> Levels:
    """Cut numbers where each level says, the finest first; every level's cuts are among those of the one before."""
    texts = _texts(values)
    numbers = _read_all(column, texts, _number, "a number", others)
    levels: list[Sequence[object]] = [each for each in at if isinstance(each, Sequence)] or [at]  # or one by itself
    cuts = [sorted(_numbers(column, level)) for level in levels]
    first = None if start is None else _numbers(column, [start])[0]
    for fine, coarse in pairwise(cuts):
        new = [_plain(each) for each in coarse if each not in fine]
        if new:
            bad_hierarchy(
                column, f"a cut at {new[0]} that the level before has not; let each level leave some cuts out"
            )
    if not all(cuts):
        bad_hierarchy(column, "a level without any cut; the last level, *, comes by itself")
    if first is not None and (too_low := [each for each in (*numbers, *cuts[0]) if each is not None and each < first]):
        bad_hierarchy(column, f"{_plain(too_low[0])} is below the start {_plain(first)}; begin lower")
    write = _interval_writer([*numbers, *cuts[0], first])

    def cut(level: list[Fraction]) -> tuple[str, ...]:
        bounds = [first, *level, None]

        def interval(number: Fraction) -> str:
            # bisect_right: a number equal to a cut begins the interval above it
            place = bisect_right(level, number)
            return write(bounds[place], bounds[place + 1])

        return _or_others(numbers, interval, others)

    return cap_numbers(texts, *map(cut, cuts))


def _interval_writer(numbers: Iterable[Fraction | None]) -> Callable[[Fraction | None, Fraction | None], str]:
    """Write intervals [low, high), either end open: of whole numbers as 18-64, of others as [18, 65)."""
    # 18-64 leaves nothing out only where all numbers are whole
    whole = all(number.denominator == 1 for number in numbers if number is not None)

    def write(low: Fraction | None, high: Fraction | None) -> str:
        if low is None:
            assert high is not None
            return f"<{_plain(high)}"
        if high is None:
            return f"{_plain(low)}+"
        return _whole_interval(low, high - low) if whole else _half_open_interval(low, high - low)

    return write


def mask_levels(column: str, values: Iterable[object], hide: Sequence[int] | None) -> Levels:
    """Hide the last characters of each value: `hide[l]` of them at level l + 1, by default one more each time."""
    texts = _texts(values)
    longest = max(map(len, texts), default=0)
    amounts = list(range(1, longest)) if hide is None else list(hide)
    if any(low >= high for low, high in zip((0, *amounts), amounts, strict=False)):
        bad_hierarchy(column, f"hide={amounts} does not rise from level to level; hide more characters at each")
    return cap_numbers(texts, *(tuple(_mask_digits(text, amount) for text in texts) for amount in amounts))


def period_levels(
    column: str, values: Iterable[object], periods: Sequence[Period], others: str | None = None
) -> Levels:
    """Publish days as the period they are in; what is no day becomes `others`."""
    rising = [period for period in PERIODS if period in periods]
    if list(periods) != rising:
        bad_hierarchy(column, f"periods={list(periods)}; choose some of {', '.join(PERIODS)}, in this order")
    texts = _texts(values)
    days = _read_all(column, texts, _day, "a day like 2024-03-09", others)
    return cap_numbers(texts, *(_or_others(days, PERIODS[period], others) for period in periods))


def tree_levels(tree: Nested) -> Levels:
    """Read a tree of labels, coarsest outside; a branch that ends early has its last label at all levels in between.

    >>> tree_levels({"Injury": ["Fracture"], "Infection": {"Viral": ["Flu"]}})
    (('Fracture', 'Flu'), ('Injury', 'Viral'), ('Injury', 'Infection'), ('*', '*'))
    """
    rows = list(_branches(tree))
    depth = max(map(len, rows), default=1)
    # what stands above a value, from the nearest branch to the coarsest, repeated where the branch is short
    above = [[*reversed(row[:-1])] or [row[-1]] for row in rows]
    levels = [[row[-1] for row in rows]]
    levels += [[each[max(level - (depth - 1 - len(each)), 0)] for each in above] for level in range(depth - 1)]
    return cap_numbers(*map(tuple, levels))


def _branches(tree: Nested) -> Iterator[tuple[str, ...]]:
    if isinstance(tree, Mapping):
        for name, below in tree.items():
            for branch in _branches(below):
                yield (name, *branch)
    else:
        listed = [tree] if isinstance(tree, str) else tree
        yield from ((text,) for text in map(label, listed) if text is not None)


def cap_numbers(*levels: tuple[str, ...]) -> Levels:
    """Put the level above that tells nothing."""
    return (*levels, (SUPPRESSED,) * len(levels[0]))


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    """Return the different values that are not missing, in order."""
    return tuple(text for text in in_order(map(label, values)) if text is not None)


def _whole_interval(low: Fraction, width: Fraction) -> str:
    high = low + width - 1
    if low == high:
        return str(low)
    return f"{low}-{high}" if low >= 0 else f"{low} to {high}"


def _half_open_interval(low: Fraction, width: Fraction) -> str:
    return f"[{_plain(low)}, {_plain(low + width)})"


def _mask_digits(text: str, amount: int) -> str:
    shown_part = text[: max(len(text) - amount, 0)]
    return shown_part + SUPPRESSED * (len(text) - len(shown_part))


def _plain(number: Fraction) -> str:
    return shown(label(float(number)))


def _read_all(
    column: str, values: Sequence[object], read: Callable[[object], Read | None], what: str, others: str | None = None
) -> list[Read | None]:
    """Read all values; of those that are not what they should be, name all at once, unless they become `others`."""
    values = tuple(values)  # perhaps a generator
    results = [read(each) for each in values]
    wrong = [
        each if isinstance(each, str) else as_given(each)
        for each, result in zip(values, results, strict=True)
        if result is None
    ]
    if wrong and others is None:
        many = f"{len(wrong):,} values are not" if len(wrong) > 1 else "1 value is not"
        bad_hierarchy(
            column, f"{many} {what}: {listed(wrong)}; mend the data, or give others= a label for what is none"
        )
    return results


def _numbers(column: str, values: Sequence[object]) -> list[Fraction]:
    return [each for each in _read_all(column, values, _number, "a number") if each is not None]


def _or_others(results: Sequence[Read | None], write: Callable[[Read], str], others: str | None) -> tuple[str, ...]:
    return tuple(write(each) if each is not None else others or "" for each in results)


def _number(value: object) -> Fraction | None:
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:  # Python does not write all of them
        return None
    number = fraction_in(str(value))
    return None if number is None or abs(number) > LARGEST_NUMBER else number


def _day(value: object) -> dt.date | None:
    try:
        return dt.datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None
