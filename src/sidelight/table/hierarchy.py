"""A hierarchy: coarser and coarser labels for the values of one column.

Levels l = 0, 1, … h - 1, with f_l(v) the label of value v at level l, f_0(v) = v.
Invariant: f_{l+1} is a function of f_l, so that values with one label at a level have one label at every coarser one.
Groups of a coarser level are therefore unions of finer ones, so that a lattice can be rolled up.

A hierarchy is given level by level, or made by a rule: intervals, cuts, masks, periods of dates, a tree, only `*`.
Intervals nest because each width is a multiple of the last; cuts nest because each level's are among those of the level
before; the open ends of top and bottom coding are the same at every level.

The sensitive column published more coarsely (`coarser_values`): "Respiratory" instead of "Asthma".  A value x of the
domain becomes f(x), its label at a level of the column's hierarchy.

    single     n(key, y) = Σ_{f(x) = y} n(key, x)
    multiset   the same: every occurrence still counts
    set        the number of people with *some* x with f(x) = y; a person with two of them counts once, so that
               profiles are needed (`Table.profiles`, which query the engine that holds the rows again)

After that, measures, searches, publications and attackers are about the coarser values only.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, TypeVar

import numpy as np

from sidelight.errors import (
    BadHierarchy,
    WrongKind,
    as_given,
    did_you_mean,
    expect,
    kind_in_words,
    list_name,
    parameter,
)
from sidelight.rounding import LARGEST_NUMBER
from sidelight.table.labels import (
    SUPPRESSED,
    Column,
    JointDomain,
    Label,
    Tabular,
    check_sensitive,
    hint_label,
    in_order,
    is_listing,
    label,
    listed,
    shown,
)
from sidelight.table.table import Profiles, Table
from sidelight.text import counted, fraction_in, html_table

if TYPE_CHECKING:
    import pyarrow as pa

    from sidelight.arrays import Codes, Integers

Levels: TypeAlias = tuple[tuple[str, ...], ...]
"""`levels[l][i]` is the label of value number i at level l; level 0 holds the values themselves."""

Nested: TypeAlias = "Mapping[str, Nested] | Iterable[object]"
"""A tree of labels: coarse label → finer labels → … → lists of values."""

Read = TypeVar("Read")

Period: TypeAlias = Literal["day", "month", "quarter", "year", "decade"]

# The label of a day, from fine to coarse; each is a function of the one before
PERIODS: Mapping[Period, Callable[[dt.date], str]] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{max(1, day.year // 10 * 10):04}-{day.year // 10 * 10 + 9:04}",
}


def bad_hierarchy(column: str, what: str) -> NoReturn:
    """Raise `BadHierarchy` for the hierarchy of a column."""
    raise BadHierarchy(f"hierarchy of '{column}': {what}")


def _branches(tree: Nested) -> Iterator[tuple[str, ...]]:
    if isinstance(tree, Mapping):
        for name, below in tree.items():
            for branch in _branches(below):
                yield (name, *branch)
    else:
        listed = [tree] if isinstance(tree, str) else tree
        yield from ((text,) for text in map(label, listed) if text is not None)


def write_intervals(numbers: Iterable[Fraction | None]) -> Callable[[Fraction | None, Fraction | None], str]:
    """Return a function that writes intervals, perhaps open: of whole numbers as 18-64, of others as [18, 65)."""
    # 18-64 has no gap before 65 only if all numbers are whole
    are_whole = all(number.denominator == 1 for number in numbers if number is not None)

    def write(low: Fraction | None, high: Fraction | None) -> str:
        if low is None or high is None:
            return f"<{_plain(high)}" if high is not None else f"{_plain(low or Fraction(0))}+"
        if not are_whole:
            return f"[{_plain(low)}, {_plain(high)})"
        last = high - 1
        return str(low) if low == last else f"{low}-{last}" if low >= 0 else f"{low} to {last}"

    return write


def cap_numbers(*levels: tuple[str, ...]) -> Levels:
    """Add the level `*` above levels."""
    return (*levels, (SUPPRESSED,) * len(levels[0]))


def _present_texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(text for text in in_order(map(label, values)) if text is not None)


def _plain(number: Fraction) -> str:
    return shown(label(float(number)))


def _read_all(
    column: str, values: Sequence[object], read: Callable[[object], Read | None], what: str, others: str | None = None
) -> list[Read | None]:
    """Parse all values; raise for those that cannot be parsed, unless they become `others`."""
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


def _require_numbers(column: str, *values: object) -> list[Fraction]:
    return [each for each in _read_all(column, values, _read_fraction, "a number") if each is not None]


def _cap_levels(
    column: str,
    texts: tuple[str, ...],
    read: Sequence[Read | None],
    others: str | None,
    writers: Iterable[Callable[[Read], str]],
) -> Hierarchy:
    """Build a hierarchy of parsed values, by a writer for each level; `others` where nothing was parsed; then `*`."""
    levels = (tuple(others or "" if each is None else write(each) for each in read) for write in writers)
    return Hierarchy(column, cap_numbers(texts, *levels))


def _read_fraction(value: object) -> Fraction | None:
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:  # Python does not write the largest
        return None
    number = fraction_in(str(value))
    return None if number is None or abs(number) > LARGEST_NUMBER else number


def _day(value: object) -> dt.date | None:
    try:
        return dt.datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None


@dataclass(frozen=True, repr=False)
class Hierarchy(Tabular):
    """The labels of a column's values at each level of coarseness.

    `levels[0]` holds the values and every further level a coarser label for each of them; a level is a function of the
    one below.  Labels are opaque: `20-24` is a name, never parsed as a range.

    >>> sex = Hierarchy("sex", (("Female", "Male"), ("*", "*")))
    >>> sex.height, sex.generalise("Male", 0), sex.generalise("Male", 1)
    (2, 'Male', '*')

    A missing cell is generalised like the empty text, if the hierarchy has it; otherwise it stays missing, except at a
    level with a single label, which it then has too.

    >>> print(sex.generalise(None, 0), sex.generalise(None, 1))
    None *
    """

    column: str
    levels: Levels
    # byte order mark, line end and end of the last line of its file, so that writing restores the same bytes
    style: tuple[str, str, str] = field(default=("", "\n", "\n"), compare=False, repr=False)
    _row_of: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        expect(str, self.column, "the column of a hierarchy")
        # the class is frozen; both are derived here once
        for name, derived in zip(("levels", "_row_of"), _check_levels(self.column, self.levels), strict=True):
            object.__setattr__(self, name, derived)

    def __repr__(self) -> str:
        return f"<{self._kind_word()}>"

    def _repr_html_(self) -> str:
        names = [f"level {number}" for number in range(self.height)]
        return html_table(self._kind_word(), names, zip(*self.levels, strict=True), total=len(self.levels[0]))

    def _kind_word(self) -> str:
        return f"Hierarchy of {self.column}: {counted(len(self.levels[0]), 'value')}, {counted(self.height, 'level')}"

    def to_arrow(self) -> pa.Table:
        """Return a row per value, with its label at each level.

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
        bottom: float | None = None,
        top: float | None = None,
        others: str | None = None,
    ) -> Hierarchy:
        """Publish numbers as intervals of each width, then `*`; each width is a multiple of the one before.

        Numbers below `bottom`, and those of at least `top`, are one interval each from level 1 on (bottom and top
        coding).  Other values raise `BadHierarchy` or, with `others`, have that label from level 1 on.

        >>> age = Hierarchy.intervals("age", range(17, 91), widths=[5, 10, 20])
        >>> [age.generalise("38", level) for level in range(age.height)]
        ['38', '35-39', '30-39', '20-39', '*']
        >>> Hierarchy.intervals("age", range(95), widths=[1, 45], top=90).labels(2)
        ('0-44', '45-89', '90+')
        >>> Hierarchy.intervals("age", ["38", "unknown"], widths=[5], others="other").levels
        (('38', 'unknown'), ('35-39', 'other'), ('*', '*'))
        """
        texts = _present_texts(values)
        # fractions, as 0.1 + 0.2 in floats would put a value on the wrong side of a cut
        numbers = _read_all(column, texts, _read_fraction, "a number", others)
        origin, *steps = _require_numbers(column, start, *widths)
        low_end, high_end = (None if end is None else _require_numbers(column, end)[0] for end in (bottom, top))
        for narrow, wide in zip((Fraction(0), *steps), steps, strict=False):
            # each level must be a function of the one below: an interval must lie within a single wider one
            if wide <= narrow or (narrow and wide % narrow):
                what = f"a width of {_plain(wide)} after {_plain(narrow)}; let each width be a multiple of the last"
                bad_hierarchy(column, what)
        if low_end is not None and high_end is not None and low_end >= high_end:
            bad_hierarchy(column, f"bottom {_plain(low_end)} is not below top {_plain(high_end)}; let it be")
        write = write_intervals([*numbers, *steps, origin, low_end, high_end])

        def interval(number: Fraction, step: Fraction) -> str:
            if low_end is not None and number < low_end:
                return write(None, low_end)
            if high_end is not None and number >= high_end:
                return write(high_end, None)
            low = origin + (number - origin) // step * step
            # ends cut off what is beyond them, at every level at the same place, so that levels stay nested
            high = low + step if high_end is None else min(low + step, high_end)
            return write(low if low_end is None else max(low, low_end), high)

        return _cap_levels(column, texts, numbers, others, [partial(interval, step=step) for step in steps])

    @classmethod
    def cuts(
        cls,
        column: str,
        values: Iterable[object],
        *,
        at: Sequence[float] | Sequence[Sequence[float]],
        start: float | None = None,
        others: str | None = None,
    ) -> Hierarchy:
        """Publish numbers as intervals between your own cut points, then `*`; several levels, the finest first.

        The lowest interval begins at `start`, or is open; the highest is open.

        >>> age = Hierarchy.cuts("age", range(100), at=[[18, 40, 65], [18, 65]], start=0)
        >>> [age.labels(level) for level in (1, 2)]
        [('0-17', '18-39', '40-64', '65+'), ('0-17', '18-64', '65+')]
        """
        texts = _present_texts(values)
        numbers = _read_all(column, texts, _read_fraction, "a number", others)
        levels: list[Sequence[object]] = [each for each in at if isinstance(each, Sequence)] or [at]  # or one by itself
        cuts = [sorted(_require_numbers(column, *level)) for level in levels]
        first = None if start is None else _require_numbers(column, start)[0]
        for fine, coarse in pairwise(cuts):
            new = [_plain(each) for each in coarse if each not in fine]
            if new:
                what = f"a cut at {new[0]} that the level before has not; let each level leave some cuts out"
                bad_hierarchy(column, what)
        if not all(cuts):
            bad_hierarchy(column, "a level without any cut; the last level, *, comes by itself")
        too_low = [each for each in (*numbers, *cuts[0]) if first is not None and each is not None and each < first]
        if first is not None and too_low:
            bad_hierarchy(column, f"{_plain(too_low[0])} is below the start {_plain(first)}; begin lower")
        write = write_intervals([*numbers, *cuts[0], first])

        def interval(number: Fraction, level: list[Fraction]) -> str:
            # bisect_right: a number equal to a cut begins the interval above it
            index, bounds = bisect_right(level, number), [first, *level, None]
            return write(bounds[index], bounds[index + 1])

        return _cap_levels(column, texts, numbers, others, [partial(interval, level=level) for level in cuts])

    @classmethod
    def masks(cls, column: str, values: Iterable[object], *, hide: Sequence[int] | None = None) -> Hierarchy:
        """Publish codes with their last characters hidden, one more at each level or by `hide`, then `*`.

        >>> zipcode = Hierarchy.masks("zip", ["81667", "81675"])
        >>> [zipcode.generalise("81667", level) for level in range(zipcode.height)]
        ['81667', '8166*', '816**', '81***', '8****', '*']
        """
        texts = _present_texts(values)
        amounts = list(range(1, max(map(len, texts), default=0))) if hide is None else list(hide)
        if any(low >= high for low, high in zip((0, *amounts), amounts, strict=False)):
            bad_hierarchy(column, f"hide={amounts} does not rise from level to level; hide more characters at each")
        kept = [[max(len(text) - amount, 0) for text in texts] for amount in amounts]
        hidden = (
            tuple(text[:many] + SUPPRESSED * (len(text) - many) for text, many in zip(texts, level, strict=True))
            for level in kept
        )
        return cls(column, cap_numbers(texts, *hidden))

    @classmethod
    def dates(
        cls,
        column: str,
        values: Iterable[object],
        *,
        periods: Sequence[Period] = ("month", "quarter", "year"),
        others: str | None = None,
    ) -> Hierarchy:
        """Publish days as their month, quarter and year, then `*`.

        `periods` may have the "day" and the "decade" too, which is printed as 1980-1989.  Other values raise
        `BadHierarchy` or, with `others`, have that label from level 1 on.

        >>> birth = Hierarchy.dates("birth", ["2024-03-09", "2024-11-30"])
        >>> [birth.generalise("2024-03-09", level) for level in range(birth.height)]
        ['2024-03-09', '2024-03', '2024-Q1', '2024', '*']
        """
        if list(periods) != [period for period in PERIODS if period in periods]:
            bad_hierarchy(column, f"periods={list(periods)}; choose some of {', '.join(PERIODS)}, in this order")
        texts = _present_texts(values)
        days = _read_all(column, texts, _day, "a day like 2024-03-09", others)
        return _cap_levels(column, texts, days, others, [PERIODS[each] for each in periods])

    @classmethod
    def nested(cls, column: str, tree: Nested) -> Hierarchy:
        """Publish values as the branches of a tree above them, then `*`.

        A shorter branch repeats its nearest label, so that all coarsest labels are at the same level.

        >>> country = Hierarchy.nested("country", {"Europe": {"West": ["France"], "East": ["Poland"]}})
        >>> [country.generalise("France", level) for level in range(country.height)]
        ['France', 'West', 'Europe', '*']
        """
        rows = list(_branches(tree))
        depth = max(map(len, rows), default=1)
        # the branches above a value, from the nearest to the coarsest, repeated if there are few
        above = [[*reversed(row[:-1])] or [row[-1]] for row in rows]
        levels = [[row[-1] for row in rows]]
        levels += [[each[max(level - (depth - 1 - len(each)), 0)] for each in above] for level in range(depth - 1)]
        return cls(column, cap_numbers(*map(tuple, levels)))

    @classmethod
    def suppression(cls, column: str, values: Iterable[object]) -> Hierarchy:
        """Publish values unchanged or as `*`, with nothing in between.

        >>> Hierarchy.suppression("sex", ["Male", "Female"]).levels
        (('Female', 'Male'), ('*', '*'))
        """
        return cls(column, cap_numbers(_present_texts(values)))

    @property
    def height(self) -> int:
        """The number of levels, that of the values included."""
        return len(self.levels)

    def labels(self, level: int) -> tuple[str, ...]:
        """List the distinct labels of a level.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).labels(1)
        ('*',)
        """
        return tuple(dict.fromkeys(self.levels[self.level(level)]))

    def generalise(self, value: Label, level: int) -> Label:
        """Return the label of a value at a level."""
        self.level(level)
        row = self._row_of.get("" if value is None else value)
        if level == 0 and (row is not None or value is None):
            return value
        if row is not None:
            return self.levels[level][row]
        if value is not None:
            self._refuse([value])
        # a missing value is in no row: only a level with a single label, such as `*`, has a label for it
        alone = self.labels(level)
        return alone[0] if len(alone) == 1 else None

    def recode(self, labels: tuple[Label, ...], level: int) -> tuple[tuple[Label, ...], Codes]:
        """Recode all labels of a column at once, for `Column.recode`.

        The new labels are in the order of their first values, so that intervals keep the order of the numbers.

        >>> age = Hierarchy("age", (("4", "9", "11"), ("0-9", "0-9", "10-19"), ("*", "*", "*")))
        >>> new, codes = age.recode(("9", "11", None), 1)
        >>> new, codes.tolist()
        (('0-9', '10-19', None), [0, 1, 2])
        """
        self.cover(labels)
        missing, above, row_of = self.generalise(None, level), self.levels[self.level(level)], self._row_of
        coarse = [missing if each is None else above[row_of[each]] for each in labels]
        order = tuple(dict.fromkeys(coarse))
        code_of = {text: code for code, text in enumerate(order)}
        return order, np.fromiter((code_of[each] for each in coarse), np.int32, len(coarse))

    def check(self, column: Column) -> None:
        """Raise `BadHierarchy` unless every value of the data is in the hierarchy.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).check(Column.of("sex", ["Male", "x", "y"]))
        Traceback (most recent call last):
        sidelight.errors.BadHierarchy: hierarchy of 'sex': 2 values of the data are not in it: x, y; add a row for each
        """
        self.cover(expect(Column, column, "what is checked").labels)

    def has(self, value: Label) -> bool:
        """Return whether the hierarchy has a label for a value; a missing one always has.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).has("x")
        False
        """
        return value is None or value in self._row_of

    def under(self, node: object) -> tuple[str, ...]:
        """List the values below a label, at the lowest level that has it.

        >>> Hierarchy.nested("disease", {"stomach": ["Ulcer", "Dyspepsia"], "lung": ["Flu"]}).under("stomach")
        ('Ulcer', 'Dyspepsia')
        """
        text = label(node)
        for labels in self.levels:
            if text in labels:
                return tuple(value for value, coarse in zip(self.levels[0], labels, strict=True) if coarse == text)
        nodes = dict.fromkeys(each for labels in self.levels[1:] for each in labels)
        raise BadHierarchy(
            f"no label '{shown(text)}' in the hierarchy of '{self.column}'{did_you_mean(shown(text), nodes)}"
        )

    def cover(self, labels: Iterable[Label]) -> None:
        """Raise `BadHierarchy` unless every label is in the hierarchy."""
        unknown = {each for each in labels if each is not None and each not in self._row_of}
        if unknown:
            self._refuse(unknown)

    def level(self, level: int) -> int:
        """Return a level; raise `BadHierarchy` if there is no such level."""
        number: object = level
        if not isinstance(number, Integral) or not 0 <= level < self.height:
            raise BadHierarchy(
                f"hierarchy of '{self.column}' has no level {as_given(level, quoted=True)}; "
                f"its levels are 0 to {self.height - 1}"
            )
        return level

    def _refuse(self, unknown: Iterable[str]) -> NoReturn:
        named = in_order(unknown)
        some = ", ".join(list_name(hint_label(text)) for text in named[:10]) + (", …" if len(named) > 10 else "")
        many = f"{len(named):,} values of the data are" if len(named) > 1 else "1 value of the data is"
        raise BadHierarchy(f"hierarchy of '{self.column}': {many} not in it: {some}; add a row for each")


def as_hierarchies(by: object) -> Mapping[str, Hierarchy]:
    """Return hierarchies by the names of their columns (empty for None); raise `WrongKind` for anything else.

    >>> as_hierarchies(Hierarchy.suppression("sex", ["Male", "Female"]))
    Traceback (most recent call last):
    sidelight.errors.WrongKind: by= is a mapping of columns to hierarchies, and this is of type Hierarchy; write ...
    """
    if by is None:
        return {}
    if not isinstance(by, Mapping):
        raise WrongKind(
            f"{parameter('by')} is a mapping of columns to hierarchies, and this is of type {type(by).__name__}; "
            f"write by={{'age': hierarchy}}, or read a folder of them with sl.read_hierarchies"
        )
    for name, hierarchy in by.items():
        expect(Hierarchy, hierarchy, f"the hierarchy of '{name}'")
    return by


def _check_levels(column: str, raw: object) -> tuple[Levels, dict[str, int]]:
    """Parse levels, sequences of labels; also return the row of each value.  Raise for contradictions.

    Messages name rows by number only: a file that is read as a hierarchy may be a table of people.
    """
    rows: list[Any] = [*raw] if is_listing(raw) else [raw]
    if not all(map(is_listing, rows)):
        raise WrongKind(
            f"hierarchy of '{column}': its levels should be lists of labels, the values first, not "
            f"{kind_in_words(raw)}; write Hierarchy('sex', [['Female', 'Male'], ['*', '*']]), or make one with "
            "Hierarchy.intervals and its like"
        )
    # whole numbers and the like are labels too
    levels = tuple(tuple(each if isinstance(each, str) else shown(label(each)) for each in level) for level in rows)
    if not levels or not levels[0]:
        bad_hierarchy(column, "it is empty; give at least one value")
    for number, level in enumerate(levels):
        if len(level) != len(levels[0]):
            bad_hierarchy(
                column, f"level {number} has {len(level)} labels for {len(levels[0])} values; give one for each"
            )
    row_of = {value: row for row, value in enumerate(levels[0])}
    for row, value in enumerate(levels[0]):
        if row_of[value] != row:
            bad_hierarchy(column, f"rows {row + 1:,} and {row_of[value] + 1:,} are of the same value; keep one of them")
    for number, (fine, coarse) in enumerate(pairwise(levels)):
        # f_{l+1} must be a function of f_l: two rows with one label below have one label here.
        first: dict[str, int] = {}
        for row, text in enumerate(fine):
            other = first.setdefault(text, row)
            if coarse[other] != coarse[row]:
                same = f"rows {other + 1:,} and {row + 1:,} have one label at level {number}"
                bad_hierarchy(column, f"{same} but two at level {number + 1}; give them one there too")
    return levels, row_of


def coarser_values(table: Table, *, by: Mapping[str, Hierarchy], to: int | Mapping[str, int]) -> Table:
    """Return a table with coarser sensitive values.

    `to` is the level of the sensitive column in its hierarchy, or column → level if there are several.  Several values
    of a person with one coarser label count once in "set", and as often as before in "multiset".  A missing value stays
    missing, unless the hierarchy has a row for it.  Labels keep the order of the values.

    >>> import sidelight as sl
    >>> data = sl.datasets.nhefs()
    >>> table = coarser_values(data.table, by=data.hierarchies, to=1)
    >>> table
    <Table of 1,629 people: age, sex, race, education → condition (7 values)>
    >>> dict(zip(table.domain, table.counts.totals().tolist()))["Respiratory"]
    338
    """
    expect(Table, table, "what is published more coarsely")
    hierarchies, levels = as_hierarchies(by), _sensitive_levels(table, to)
    for name, level in levels.items():
        if name not in hierarchies:
            raise BadHierarchy(
                f"no hierarchy for '{name}'{did_you_mean(name, hierarchies)}; add it to {parameter('by')}"
            )
        table = _recode_sensitive(table, name, hierarchies[name], level)
    stated = dict(levels) if isinstance(to, Mapping) else levels[table.sensitive_columns[0]]
    roles = {**table.intake.roles, "sensitive_level": stated}
    return replace(table, intake=replace(table.intake, roles=roles))


def _sensitive_levels(table: Table, to: object) -> dict[str, int]:
    columns = table.sensitive_columns
    if isinstance(to, Integral):
        if len(columns) > 1:
            several = f"{' and '.join(columns)} are several sensitive columns"
            raise WrongKind(f"{several}; name the column with its level, such as {{{columns[0]} = {to}}}")
        return {columns[0]: int(to)}
    if not isinstance(to, Mapping):
        raise WrongKind(f"a level of the sensitive column is a whole number, not {kind_in_words(to)}; give 1 or more")
    for name in to:
        check_sensitive(name, columns)
    return dict(to)


def _recode_sensitive(table: Table, name: str, hierarchy: Hierarchy, level: int) -> Table:
    if isinstance(table.domain, JointDomain):
        columns = [
            column.recode(*hierarchy.recode(column.labels, level)) if column.name == name else column
            for column in table.domain.columns
        ]
        domain: tuple[Label, ...]
        code: Integers | Codes
        domain, code = JointDomain.numbered(columns)  # value x becomes `code[x]`
    else:
        domain, code = hierarchy.recode(table.domain, level)

    def merge_profiles(_table: Table) -> Profiles:
        profiles = table.profiles()
        counts = profiles.counts.merge_values(code, width=len(domain))
        once = table.semantics == "set"
        return replace(profiles, counts=counts.at_most(np.ones(counts.rows, np.int64)) if once else counts)

    # two finer values of a person may become one, which then counts once: only profiles show who has both
    if table.semantics == "set":
        profiles = merge_profiles(table)
        counts = profiles.count(len(table.sizes))
    else:
        counts = table.counts.merge_values(code, width=len(domain))
    read_profiles = None if table.read_profiles is None else merge_profiles
    carried = table.carried and replace(table.carried, value=code.astype(np.int64)[table.carried.value])
    return replace(table, domain=domain, counts=counts, read_profiles=read_profiles, carried=carried)
