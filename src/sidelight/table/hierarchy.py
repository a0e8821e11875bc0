"""A hierarchy: how the values of one column are published more and more coarsely.

Levels l = 0, 1, … h - 1, with f_l(v) the label of value v at level l, f_0(v) = v.
Invariant: f_{l+1} is a function of f_l, so that whoever prints the same at a level also does at every coarser one.
Groups of a coarser level are therefore unions of finer ones, which is what lets a lattice roll up.

A hierarchy is given level by level, or made by a rule: intervals, masks, periods of dates, a tree, nothing but `*`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias, TypeVar

import numpy as np

from sidelight._arrays import Codes
from sidelight._text import counted, html_table
from sidelight.errors import BadHierarchy, WrongKind, expect, parameter
from sidelight.table.labels import SUPPRESSED, Label, hinted, in_order, label, listed, shown
from sidelight.table.table import Column, Tabular

if TYPE_CHECKING:
    import pyarrow as pa


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


@dataclass(frozen=True, slots=True)
class FileStyle:
    """How the file began and ended its lines that a hierarchy was read from, so that writing gives the same bytes."""

    opening: str = ""  # some editors put a byte order mark here
    line_end: str = "\n"
    last_line_ends: bool = True


@dataclass(frozen=True, repr=False)
class Hierarchy(Tabular):
    """How are the values of a column published at each level of coarseness?

    `levels[0]` holds the values and every further level a coarser label for each of them; a level is a
    function of the one below.  Labels are opaque: `20-24` is a name, never a range that is looked into.

    >>> sex = Hierarchy("sex", (("Female", "Male"), ("*", "*")))
    >>> sex.height, sex.generalise("Male", 0), sex.generalise("Male", 1)
    (2, 'Male', '*')

    A missing cell is generalised like the value with empty text, if the hierarchy has one; otherwise it
    stays missing, until a level that publishes one label for everybody: there it has that label too.

    >>> print(sex.generalise(None, 0), sex.generalise(None, 1))
    None *
    """

    column: str
    levels: Levels
    style: FileStyle = field(default=FileStyle(), compare=False, repr=False)
    _row_of: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(tuple(level) for level in self.levels))
        object.__setattr__(self, "_row_of", _check_levels(self.column, self.levels))

    def __repr__(self) -> str:
        return f"<{self._in_words()}>"

    def _repr_html_(self) -> str:
        names = [f"level {number}" for number in range(self.height)]
        return html_table(self._in_words(), names, zip(*self.levels, strict=True), total=len(self.levels[0]))

    def _in_words(self) -> str:
        return f"Hierarchy of {self.column}: {counted(len(self.levels[0]), 'value')}, {counted(self.height, 'level')}"

    def to_arrow(self) -> pa.Table:
        """Give a row per value, with what it becomes at each level.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).to_arrow().to_pylist()[0]
        {'level 0': 'Female', 'level 1': '*'}
        """
        import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

        return pa.table({f"level {number}": list(level) for number, level in enumerate(self.levels)})

    @classmethod
    def intervals(
        cls,
        column: str,
        values: Iterable[object],
        *,
        widths: Sequence[float],
        start: float = 0,
        others: str | None = None,
    ) -> Hierarchy:
        """Publish numbers as intervals of each width, then `*`; each width is a multiple of the one before.

        What is no number is refused, or, with `others`, published as that label from level 1 on.

        >>> age = Hierarchy.intervals("age", range(17, 91), widths=[5, 10, 20])
        >>> [age.generalise("38", level) for level in range(age.height)]
        ['38', '35-39', '30-39', '20-39', '*']
        >>> Hierarchy.intervals("age", ["38", "unknown"], widths=[5], others="other").levels
        (('38', 'unknown'), ('35-39', 'other'), ('*', '*'))
        """
        return cls(column, _interval_levels(column, values, widths, start, others))

    @classmethod
    def masks(cls, column: str, values: Iterable[object], *, hide: Sequence[int] | None = None) -> Hierarchy:
        """Publish codes with their last characters hidden, one more at each level or as `hide` says, then `*`.

        >>> zipcode = Hierarchy.masks("zip", ["81667", "81675"])
        >>> [zipcode.generalise("81667", level) for level in range(zipcode.height)]
        ['81667', '8166*', '816**', '81***', '8****', '*']
        """
        return cls(column, _mask_levels(column, values, hide))

    @classmethod
    def dates(
        cls,
        column: str,
        values: Iterable[object],
        *,
        periods: Sequence[Period] = ("month", "quarter", "year"),
        others: str | None = None,
    ) -> Hierarchy:
        """Publish days as the month, the quarter, the year they are in, then `*`.

        What is no day is refused, or, with `others`, published as that label from level 1 on.

        >>> birth = Hierarchy.dates("birth", ["2024-03-09", "2024-11-30"])
        >>> [birth.generalise("2024-03-09", level) for level in range(birth.height)]
        ['2024-03-09', '2024-03', '2024-Q1', '2024', '*']
        """
        return cls(column, _period_levels(column, values, periods, others))

    @classmethod
    def nested(cls, column: str, tree: Nested) -> Hierarchy:
        """Publish values as the branches of a tree that they are on, then `*`.

        >>> country = Hierarchy.nested("country", {"Europe": {"West": ["France"], "East": ["Poland"]}})
        >>> [country.generalise("France", level) for level in range(country.height)]
        ['France', 'West', 'Europe', '*']
        """
        return cls(column, _tree_levels(column, tree))

    @classmethod
    def suppression(cls, column: str, values: Iterable[object]) -> Hierarchy:
        """Publish values as they are or as `*`, with nothing in between.

        >>> Hierarchy.suppression("sex", ["Male", "Female"]).levels
        (('Female', 'Male'), ('*', '*'))
        """
        return cls(column, _suppression_levels(values))

    @property
    def height(self) -> int:
        """How many levels there are, the values themselves included."""
        return len(self.levels)

    def labels(self, level: int) -> tuple[str, ...]:
        """List the different labels of a level.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).labels(1)
        ('*',)
        """
        return tuple(dict.fromkeys(self.levels[self.level(level)]))

    def generalise(self, value: Label, level: int) -> Label:
        """Say what a value becomes at a level."""
        self.level(level)
        row = self._row_of.get(value or "")
        if level == 0 and (row is not None or value is None):
            return value
        if row is not None:
            return self.levels[level][row]
        if value is not None:
            self._refuse([value])
        alone = self.labels(level)
        return alone[0] if len(alone) == 1 else None

    def recode(self, labels: tuple[Label, ...], level: int) -> tuple[tuple[Label, ...], Codes]:
        """Recode all labels of a column at once, for `Column.relabelled`.

        The new labels stand in the order in which they first occur, so intervals of ordered numbers stay
        in the order of the numbers.

        >>> age = Hierarchy("age", (("4", "9", "11"), ("0-9", "0-9", "10-19"), ("*", "*", "*")))
        >>> new, codes = age.recode(("9", "11", None), 1)
        >>> new, codes.tolist()
        (('0-9', '10-19', None), [0, 1, 2])
        """
        self.cover(labels)
        coarse = [self.generalise(each, level) for each in labels]
        order = tuple(dict.fromkeys(coarse))
        code_of = {text: code for code, text in enumerate(order)}
        return order, np.fromiter((code_of[each] for each in coarse), np.int32, len(coarse))

    def check(self, column: Column) -> None:
        """Make sure that every value of the data has its place in the hierarchy.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).check(Column.of("sex", ["Male", "x", "y"]))
        Traceback (most recent call last):
        sidelight.errors.BadHierarchy: hierarchy of 'sex': 2 values of the data are not in it: x, y; add a row for each
        """
        self.cover(column.labels)

    def has(self, value: Label) -> bool:
        """Say whether it can tell what a value becomes; of a missing one it always can.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).has("x")
        False
        """
        return value is None or value in self._row_of

    def cover(self, labels: Iterable[Label]) -> None:
        """Make sure that every label has its place in the hierarchy."""
        unknown = {each for each in labels if each is not None and each not in self._row_of}
        if unknown:
            self._refuse(unknown)

    def level(self, level: int) -> int:
        """Make sure that there is such a level."""
        if not _is_whole(level) or not 0 <= level < self.height:
            message = f"hierarchy of '{self.column}' has no level {level!r}; its levels are 0 to {self.height - 1}"
            raise BadHierarchy(message)
        return level

    def _refuse(self, unknown: Iterable[str]) -> NoReturn:
        named = in_order(unknown)
        some = ", ".join(map(hinted, named[:10])) + (", …" if len(named) > 10 else "")
        many = f"{len(named):,} values of the data are" if len(named) > 1 else "1 value of the data is"
        message = f"hierarchy of '{self.column}': {many} not in it: {some}; add a row for each"
        raise BadHierarchy(message)


def as_hierarchies(by: object) -> Mapping[str, Hierarchy]:
    """Take hierarchies by the names of their columns (`None`: there are none), or say how to write them.

    >>> as_hierarchies(Hierarchy.suppression("sex", ["Male", "Female"]))
    Traceback (most recent call last):
    sidelight.errors.WrongKind: by= is a mapping of columns to hierarchies, and this is of type Hierarchy; write ...
    """
    if by is None:
        return {}
    if not isinstance(by, Mapping):
        message = (
            f"{parameter('by')} is a mapping of columns to hierarchies, and this is of type {type(by).__name__}; "
            f"write by={{'age': hierarchy}}, or read a folder of them with sl.read_hierarchies"
        )
        raise WrongKind(message)
    for name, hierarchy in by.items():
        expect(Hierarchy, hierarchy, f"the hierarchy of '{name}'")
    return by


def _is_whole(level: object) -> bool:
    return isinstance(level, Integral)


def _check_levels(column: str, levels: Levels) -> dict[str, int]:
    """Refuse levels that contradict one another; give the row of each value.

    Rows are told by their numbers: a file that is taken for a hierarchy may be a table of people.
    """
    if not levels or not levels[0]:
        _bad(column, "it is empty; give at least one value")
    for number, level in enumerate(levels):
        if len(level) != len(levels[0]):
            _bad(column, f"level {number} has {len(level)} labels for {len(levels[0])} values; give one for each")
    row_of = {value: row for row, value in enumerate(levels[0])}
    for row, value in enumerate(levels[0]):
        if row_of[value] != row:
            _bad(column, f"rows {row + 1:,} and {row_of[value] + 1:,} are of the same value; keep one of them")
    for number in range(1, len(levels)):
        _check_function(column, levels, number)
    return row_of


def _check_function(column: str, levels: Levels, number: int) -> None:
    # f_{l+1} must be a function of f_l: two rows with one label below have one label here.
    first: dict[str, int] = {}
    for row, below in enumerate(levels[number - 1]):
        other = first.setdefault(below, row)
        if levels[number][other] != levels[number][row]:
            same = f"rows {other + 1:,} and {row + 1:,} have one label at level {number - 1}"
            _bad(column, f"{same} but two at level {number}; give them one there too")


def _bad(column: str, what: str) -> NoReturn:
    message = f"hierarchy of '{column}': {what}"
    raise BadHierarchy(message)


def _suppression_levels(values: Iterable[object]) -> Levels:
    """Publish a value as it is, or not at all."""
    return _topped(_texts(values))


def _interval_levels(
    column: str, values: Iterable[object], widths: Sequence[float], start: float, others: str | None = None
) -> Levels:
    """Cut numbers into intervals of each width, one of which begins at `start`; what is no number becomes `others`."""
    texts = _texts(values)
    numbers = _read_all(column, texts, _number, "a number", others)
    steps = [step for step in _read_all(column, widths, _number, "a number") if step is not None]
    (origin,) = (at or Fraction(0) for at in _read_all(column, [start], _number, "a number"))
    for narrow, wide in zip((Fraction(0), *steps), steps, strict=False):
        if wide <= narrow or (narrow and wide % narrow):
            _bad(column, f"a width of {_plain(wide)} after {_plain(narrow)}; let each width be a multiple of the last")
    whole = all(number.denominator == 1 for number in (*numbers, *steps, origin) if number is not None)
    interval = _whole_interval if whole else _half_open_interval

    def cut(step: Fraction) -> tuple[str, ...]:
        return _or_others(numbers, lambda n: interval(origin + (n - origin) // step * step, step), others)

    return _topped(texts, *map(cut, steps))


def _mask_levels(column: str, values: Iterable[object], hide: Sequence[int] | None) -> Levels:
    """Hide the last characters of each value: `hide[l]` of them at level l + 1, by default one more each time."""
    texts = _texts(values)
    longest = max(map(len, texts), default=0)
    amounts = list(range(1, longest)) if hide is None else list(hide)
    if any(low >= high for low, high in zip((0, *amounts), amounts, strict=False)):
        _bad(column, f"hide={amounts} does not rise from level to level; hide more characters at each")
    return _topped(texts, *(tuple(_masked(text, amount) for text in texts) for amount in amounts))


def _period_levels(
    column: str, values: Iterable[object], periods: Sequence[Period], others: str | None = None
) -> Levels:
    """Publish days as the period they are in; what is no day becomes `others`."""
    rising = [period for period in PERIODS if period in periods]
    if list(periods) != rising:
        _bad(column, f"periods={list(periods)}; choose some of {', '.join(PERIODS)}, in this order")
    texts = _texts(values)
    days = _read_all(column, texts, _day, "a day like 2024-03-09", others)
    return _topped(texts, *(_or_others(days, PERIODS[period], others) for period in periods))


def _tree_levels(column: str, tree: Nested) -> Levels:
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


def _read_all(
    column: str, values: Sequence[object], read: Callable[[object], Read | None], what: str, others: str | None = None
) -> list[Read | None]:
    """Read all values; of those that are not what they should be, name all at once, unless they become `others`."""
    results = [read(each) for each in values]
    wrong = [str(each) for each, result in zip(values, results, strict=True) if result is None]
    if wrong and others is None:
        many = f"{len(wrong):,} values are not" if len(wrong) > 1 else "1 value is not"
        _bad(column, f"{many} {what}: {listed(wrong)}; mend the data, or give others= a label for what is none")
    return results


def _or_others(results: Sequence[Read | None], write: Callable[[Read], str], others: str | None) -> tuple[str, ...]:
    return tuple(write(each) if each is not None else others or "" for each in results)


def _number(value: object) -> Fraction | None:
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None


def _day(value: object) -> dt.date | None:
    try:
        return dt.datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None
