"""A hierarchy: how the values of one column are published more and more coarsely.

Levels l = 0, 1, … h - 1, with f_l(v) the label of value v at level l, f_0(v) = v.
Invariant: f_{l+1} is a function of f_l, so that whoever prints the same at a level also does at every coarser one.
Groups of a coarser level are therefore unions of finer ones, which is what lets a lattice roll up.

A hierarchy is given level by level, or made by a rule: intervals, masks, periods of dates, a tree, nothing but `*`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard

import numpy as np

from sidelight.arrays import Codes
from sidelight.errors import BadHierarchy, WrongKind, as_given, did_you_mean, expect, in_list, kind_in_words, parameter
from sidelight.table.hierarchy_rules import (
    Ends,
    Levels,
    Nested,
    Period,
    bad_hierarchy,
    cut_levels,
    interval_levels,
    mask_levels,
    period_levels,
    suppression_levels,
    tree_levels,
)
from sidelight.table.labels import Label, hint_label, in_order, label, shown
from sidelight.table.table import Column, Tabular
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class FileStyle:
    """The byte order mark and line ends of the file a hierarchy was read from, so that writing gives the same bytes."""

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
        expect(str, self.column, "the column of a hierarchy")
        # the class is frozen; both are derived once here and never change
        object.__setattr__(self, "levels", _as_levels(self.column, self.levels))
        object.__setattr__(self, "_row_of", _check_levels(self.column, self.levels))

    def __repr__(self) -> str:
        return f"<{self._kind_word()}>"

    def _repr_html_(self) -> str:
        names = [f"level {number}" for number in range(self.height)]
        return html_table(self._kind_word(), names, zip(*self.levels, strict=True), total=len(self.levels[0]))

    def _kind_word(self) -> str:
        return f"Hierarchy of {self.column}: {counted(len(self.levels[0]), 'value')}, {counted(self.height, 'level')}"

    def to_arrow(self) -> pa.Table:
        """Return a row per value, with what it becomes at each level.

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
        coding).  What is no number is refused, or, with `others`, published as that label from level 1 on.

        >>> age = Hierarchy.intervals("age", range(17, 91), widths=[5, 10, 20])
        >>> [age.generalise("38", level) for level in range(age.height)]
        ['38', '35-39', '30-39', '20-39', '*']
        >>> Hierarchy.intervals("age", range(95), widths=[1, 45], top=90).labels(2)
        ('0-44', '45-89', '90+')
        >>> Hierarchy.intervals("age", ["38", "unknown"], widths=[5], others="other").levels
        (('38', 'unknown'), ('35-39', 'other'), ('*', '*'))
        """
        return cls(column, interval_levels(column, values, widths, start, Ends(bottom, top, others)))

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
        return cls(column, cut_levels(column, values, at, start, others))

    @classmethod
    def masks(cls, column: str, values: Iterable[object], *, hide: Sequence[int] | None = None) -> Hierarchy:
        """Publish codes with their last characters hidden, one more at each level or as `hide` says, then `*`.

        >>> zipcode = Hierarchy.masks("zip", ["81667", "81675"])
        >>> [zipcode.generalise("81667", level) for level in range(zipcode.height)]
        ['81667', '8166*', '816**', '81***', '8****', '*']
        """
        return cls(column, mask_levels(column, values, hide))

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

        `periods` may have the "day" and the "decade" too, which is printed as 1980-1989.  What is no day is refused,
        or, with `others`, published as that label from level 1 on.

        >>> birth = Hierarchy.dates("birth", ["2024-03-09", "2024-11-30"])
        >>> [birth.generalise("2024-03-09", level) for level in range(birth.height)]
        ['2024-03-09', '2024-03', '2024-Q1', '2024', '*']
        """
        return cls(column, period_levels(column, values, periods, others))

    @classmethod
    def nested(cls, column: str, tree: Nested) -> Hierarchy:
        """Publish values as the branches of a tree that they are on, then `*`.

        A branch that is shorter than others has its nearest label at several levels, so that the coarsest labels of
        all are at the same one.

        >>> country = Hierarchy.nested("country", {"Europe": {"West": ["France"], "East": ["Poland"]}})
        >>> [country.generalise("France", level) for level in range(country.height)]
        ['France', 'West', 'Europe', '*']
        """
        return cls(column, tree_levels(tree))

    @classmethod
    def suppression(cls, column: str, values: Iterable[object]) -> Hierarchy:
        """Publish values as they are or as `*`, with nothing in between.

        >>> Hierarchy.suppression("sex", ["Male", "Female"]).levels
        (('Female', 'Male'), ('*', '*'))
        """
        return cls(column, suppression_levels(values))

    @property
    def height(self) -> int:
        """Return how many levels there are, the values themselves included."""
        return len(self.levels)

    def labels(self, level: int) -> tuple[str, ...]:
        """List the different labels of a level.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).labels(1)
        ('*',)
        """
        return tuple(dict.fromkeys(self.levels[self.level(level)]))

    def generalise(self, value: Label, level: int) -> Label:
        """Return what a value becomes at a level."""
        self.level(level)
        row = self._row_of.get("" if value is None else value)
        if level == 0 and (row is not None or value is None):
            return value
        if row is not None:
            return self.levels[level][row]
        if value is not None:
            self._refuse([value])
        # a missing value is in no row: only a level with a single label, such as `*`, says where it belongs
        alone = self.labels(level)
        return alone[0] if len(alone) == 1 else None

    def recode(self, labels: tuple[Label, ...], level: int) -> tuple[tuple[Label, ...], Codes]:
        """Recode all labels of a column at once, for `Column.recode`.

        The new labels stand in the order in which they first occur, so intervals of ordered numbers stay
        in the order of the numbers.

        >>> age = Hierarchy("age", (("4", "9", "11"), ("0-9", "0-9", "10-19"), ("*", "*", "*")))
        >>> new, codes = age.recode(("9", "11", None), 1)
        >>> new, codes.tolist()
        (('0-9', '10-19', None), [0, 1, 2])
        """
        self.cover(labels)
        missing, above, row_of = self.generalise(None, level), self.levels[self.level(level)], self._row_of
        coarse = [missing if each is None else above[row_of[each]] for each in labels]
        # codes follow the order of the finer labels, so intervals of sorted numbers stay sorted
        order = tuple(dict.fromkeys(coarse))
        code_of = {text: code for code, text in enumerate(order)}
        return order, np.fromiter((code_of[each] for each in coarse), np.int32, len(coarse))

    def check(self, column: Column) -> None:
        """Make sure that every value of the data has its place in the hierarchy.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).check(Column.of("sex", ["Male", "x", "y"]))
        Traceback (most recent call last):
        sidelight.errors.BadHierarchy: hierarchy of 'sex': 2 values of the data are not in it: x, y; add a row for each
        """
        self.cover(expect(Column, column, "what is checked").labels)

    def has(self, value: Label) -> bool:
        """Return whether it can tell what a value becomes; of a missing one it always can.

        >>> Hierarchy("sex", (("Female", "Male"), ("*", "*"))).has("x")
        False
        """
        return value is None or value in self._row_of

    def under(self, node: object) -> tuple[str, ...]:
        """List the values that are published as a label at some level, the lowest that has it.

        >>> Hierarchy.nested("disease", {"stomach": ["Ulcer", "Dyspepsia"], "lung": ["Flu"]}).under("stomach")
        ('Ulcer', 'Dyspepsia')
        """
        text = label(node)
        for labels in self.levels:
            if text in labels:
                return tuple(value for value, coarse in zip(self.levels[0], labels, strict=True) if coarse == text)
        nodes = dict.fromkeys(each for labels in self.levels[1:] for each in labels)
        message = f"no label '{shown(text)}' in the hierarchy of '{self.column}'{did_you_mean(shown(text), nodes)}"
        raise BadHierarchy(message)

    def cover(self, labels: Iterable[Label]) -> None:
        """Make sure that every label has its place in the hierarchy."""
        unknown = {each for each in labels if each is not None and each not in self._row_of}
        if unknown:
            self._refuse(unknown)

    def level(self, level: int) -> int:
        """Make sure that there is such a level."""
        if not _is_whole(level) or not 0 <= level < self.height:
            message = (
                f"hierarchy of '{self.column}' has no level {as_given(level, quoted=True)}; "
                f"its levels are 0 to {self.height - 1}"
            )
            raise BadHierarchy(message)
        return level

    def _refuse(self, unknown: Iterable[str]) -> NoReturn:
        named = in_order(unknown)
        some = ", ".join(in_list(hint_label(text)) for text in named[:10]) + (", …" if len(named) > 10 else "")
        many = f"{len(named):,} values of the data are" if len(named) > 1 else "1 value of the data is"
        message = f"hierarchy of '{self.column}': {many} not in it: {some}; add a row for each"
        raise BadHierarchy(message)


def as_hierarchies(by: object) -> Mapping[str, Hierarchy]:
    """Take hierarchies by the names of their columns (`None`: there are none); raise `WrongKind` otherwise.

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


def _as_levels(column: str, levels: object) -> Levels:
    """Take a sequence of levels, each a sequence of labels; whole numbers and the like are labels, too."""
    rows: list[Any] = [*levels] if _is_sequence(levels) else [levels]
    if not all(map(_is_sequence, rows)):
        message = (
            f"hierarchy of '{column}': its levels should be lists of labels, the values first, not "
            f"{kind_in_words(levels)}; write Hierarchy('sex', [['Female', 'Male'], ['*', '*']]), or make one with "
            "Hierarchy.intervals and its like"
        )
        raise WrongKind(message)
    return tuple(tuple(each if isinstance(each, str) else shown(label(each)) for each in level) for level in rows)


def _is_sequence(thing: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(thing, Iterable) and not isinstance(thing, str | bytes | Mapping)


def _check_levels(column: str, levels: Levels) -> dict[str, int]:
    """Refuse levels that contradict one another; give the row of each value.

    Rows are told by their numbers: a file that is taken for a hierarchy may be a table of people.
    """
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
            bad_hierarchy(column, f"{same} but two at level {number}; give them one there too")
