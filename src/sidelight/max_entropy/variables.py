"""The variables of maximum entropy, what a release says of their sums, and whom a condition may mean there.

Symbols, as in Du, Teng and Zhu (Privacy-MaxEnt, SIGMOD 2008):

    q            a key: what an attacker may know about a person   n(q, b)   people of group b with key q
    s            a sensitive value                                 n(s, b)   people of group b with value s
    b            a group (bucket) of the release                   x(q, s, b) = n · P(q, s, b), in people

Each group is a block of variables: a *row* per (q, b), a *column* per (s, b), and where they cross an *entry*, the
variable x(q, s, b).  The release fixes the sums of all rows and columns; without statements x is n(q, b) · n(s, b) /
n(b), group by group.

`P(Flu | sex=F) = 0.3` is about all women, also about those in groups that print `*`, `{F, M}`, an interval, a mask or
a coarse node of a hierarchy.  How many those are is not known, so each row (q, b) is cut into *parts* a, one for each
combination of cells that its printed labels may hide, and each part has variables of its own:

    x(q, a, s, b) ≥ 0      Σ_{a, s} x(q, a, s, b) = n(q, b)      Σ_{q, a} x(q, a, s, b) = n(s, b)
    P(S | C) = p           Σ_{a ⊨ C, s ∈ S} x − p · Σ_{a ⊨ C, s} x = 0,   which is linear, however many they are

Entropy is that of the raw keys: a part that stands for w raw keys has − x ln(x / w).  So with nothing else known, every
raw label that a printed one may hide is equally likely, whatever other groups print: of a group with `*` for sex, half.
Statements then move it, as far as they must.  A row of which everybody is certain to be meant, or nobody, is one part.
Cost: rows × cells that they may hide, at most `MOST_PARTS`; columns that no statement mentions cut nothing.

Which labels may a printed one hide, and how many are they?

    U       the raw labels of a column: all that a person may have there
    R(p)    ⊂ U, those that a printed label p may stand for (`release.printed_labels` says which)
    C       a condition: a label that a statement mentions, true of R(C)

The people of a group that prints p are *certain* to fulfil C where R(p) ⊂ R(C), *may* where both meet, else cannot.

What is in U: the leaves of the column's hierarchy, if there is one; every label that is printed or mentioned and is no
coarser than a person; the numbers of printed intervals, in steps of the last decimal that the column shows; the days
of printed periods; the codes of a mask, ten for each hidden character; of a set its parts.  What `*` hides is any of
them, and if only one is known, that or another one.  Beyond the farthest number known, an open interval has one more.

Raw labels that nothing printed or mentioned tells apart are one *bundle*, with a weight: how many they are.  So neither
long intervals nor masks are ever written out.  Cost: a look at each distinct label, and the bundles that it covers.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from sidelight.arrays import Codes, Flags, Floats, Integers, add_up, number_vectors, ranges, starts_of, sum_by
from sidelight.errors import BadKnowledge, TooHard, UnknownColumn, did_you_mean, parameter, shortened
from sidelight.knowledge.events import Cell, Condition, InGroup, Joined, cells_in
from sidelight.knowledge.facts import Described, Someone, Who
from sidelight.release.groups import suppressed_groups
from sidelight.release.label_order import LabelOrder
from sidelight.release.printed_labels import Interval, Nodes, PrintedLabel, knows_label, read_label
from sidelight.release.release import Members, Release
from sidelight.table.labels import SUPPRESSED, Column, Label, as_day, as_number, label, shown

Cells: TypeAlias = tuple[Cell, ...]
"""What is known of a person: columns and cells."""

NOBODY = -1
"""In place of a person: terms about shares, and variables of everybody who is not named."""

ONE_PERSON = -1
"""In place of a statement's number: the constraint that a named person is one person, which nobody stated."""

NEGLIGIBLE_PEOPLE = 1e-9
"""Amounts of people up to this count as 0."""

NO_NODES = Nodes({})
"""The nodes of a column without a hierarchy."""


class RawLabels:
    """The raw labels of a column, in bundles of those that nothing printed or mentioned distinguishes.

    >>> ages = RawLabels(("20-29", "30-39", "34", "*"), ("30-34",))
    >>> [float(ages.weight[ages.find_bundles(text)].sum()) for text in ("20-29", "30-39", "30-34", "34", "*")]
    [10.0, 10.0, 5.0, 1.0, 20.0]
    """

    def __init__(self, printed: Iterable[Label], mentioned: Iterable[Label] = (), nodes: Nodes = NO_NODES) -> None:
        themselves = self._bundle((*printed, *mentioned), nodes)
        self.order = LabelOrder(tuple(self.bundles), nodes)
        self.weight = np.array([self.bundles[text] for text in self.order.labels], float)
        # a label that is only itself is one bundle, of that name; others are searched when needed
        position = self.order.positions(themselves)
        self._memo = {text: position[at : at + 1] for at, text in enumerate(themselves)}

    def find_bundles(self, text: Label) -> Integers:
        """Find the bundles that a label may stand for."""
        if text not in self._memo:
            stretches = [np.arange(start, stop) for start, stop in self.order.find_covered(text)]
            self._memo[text] = np.concatenate([np.empty(0, np.int64), *stretches])
        return self._memo[text]

    def find_bundles_of_each(self, texts: Sequence[Label]) -> tuple[Integers, Integers]:
        """Find the bundles of several labels: the index of the label, and the bundle."""
        bundles = [np.empty(0, np.int64), *map(self.find_bundles, texts)]
        return np.repeat(np.arange(len(bundles)) - 1, [*map(len, bundles)]), np.concatenate(bundles)

    def _bundle(self, texts: Iterable[Label], nodes: Nodes) -> list[Label]:
        """Find a label of each bundle, and how many it stands for; return those that stand for themselves alone."""
        # a label may stand for itself on several levels; what stands above others is no leaf
        leaves = [
            text for text in nodes.above if text is not None and nodes.labels_by_node.get(text, (text,)) == (text,)
        ]
        self.inner = frozenset(nodes.labels_by_node).difference(leaves, [SUPPRESSED])
        self.bundles: dict[Label, float] = dict.fromkeys(leaves, 1.0)
        self.printed: dict[Label, PrintedLabel] = {text: read_label(text, self.inner) for text in dict.fromkeys(texts)}
        # a hierarchy may have other labels under one that is plain by itself
        themselves = [text for text, each in self.printed.items() if each.is_itself] if not nodes.above else []
        self.bundles |= dict.fromkeys(themselves, 1.0)
        self.printed = {text: each for text, each in self.printed.items() if text not in self.bundles}
        self._take_sets_apart()
        # 2024-03 can only be about days, 2024 may be a number
        in_days = any(
            each.days and not each.numbers and (text is None or as_number(text) is None)
            for text, each in self.printed.items()
        )
        for text, each in self.printed.items():
            if None in each.labels:
                self.bundles.setdefault(None, 1.0)
            elif not _is_coarse(text, each, self.inner, in_days=in_days):
                self.bundles.setdefault(next(iter(each.labels)), 1.0)
        # a hierarchy says what there is; without one, all that intervals, periods and masks may stand for is there
        if not leaves:
            self._add_intervals(in_days=in_days)
            self._add_codes()
        others = [text for text, each in self.printed.items() if not each.suppressed and text not in self.bundles]
        order = LabelOrder(tuple(self.bundles), nodes) if others else None
        self.bundles |= {text: 1.0 for text in others if order and not order.find_covered(text)}
        if not leaves and len(self.bundles) < 2:
            # A label that is printed nowhere, where only one is known.
            self.bundles["\0another"] = 1.0
        return themselves

    def _take_sets_apart(self) -> None:
        """Read the parts of sets as labels, apart from those that a label with commas inside explains."""
        with_commas = {text for text in (*self.printed, *self.bundles, *self.inner) if text and ", " in text}
        for each in [each for each in self.printed.values() if len(each.parts) > 1]:
            joined = f", {', '.join(each.parts)}, "
            explained = {part for text in with_commas if f", {text}, " in joined for part in str(text).split(", ")}
            for part in each.parts:
                in_brackets = part.startswith(("[", "(", "]")) != part.endswith(("]", ")", "["))
                if part not in explained and not in_brackets:
                    self.printed.setdefault(part, read_label(part, self.inner))

    def _add_intervals(self, *, in_days: bool) -> None:
        """Count what intervals of numbers, or periods of days, may stand for."""
        printed = self.printed.values()
        intervals = [interval for each in printed for interval in (each.days if in_days else each.numbers)]
        read: Callable[[str], float | None] = as_day if in_days else as_number
        points = [float(number) for text in self.bundles if text is not None and (number := read(text)) is not None]
        decimals = 0 if in_days else _decimals([*points, *_finite_ends(intervals)])
        for number, weight in _cut_line(intervals, points, 10.0**-decimals):
            if not in_days:
                text = f"{number:.{decimals}f}"
            elif 1 <= number <= dt.date.max.toordinal():
                text = dt.date.fromordinal(round(number)).isoformat()
            else:
                continue
            (plain,) = read_label(text).labels  # in its plain form, as labels that are printed
            self.bundles.setdefault(plain, weight)

    def _add_codes(self) -> None:
        """Count what masks hide, those first that hide least: what they have is not counted again."""
        masks: dict[tuple[int, int], list[str]] = {}  # by how many characters are hidden, and how many there are
        for mask in dict.fromkeys(mask for each in self.printed.values() for mask in each.masks):
            masks.setdefault((len(mask) - len(mask.rstrip(SUPPRESSED)), len(mask)), []).append(mask)
        for (hidden, length), alike in sorted(masks.items()):
            known: defaultdict[str, float] = defaultdict(float)
            for text, weight in self.bundles.items():
                if text is not None and len(text) == length:
                    known[text[: length - hidden]] += weight
            for beginning in (mask[: length - hidden] for mask in alike):
                # A character that no label has: it stands for what a mask hides.
                self.bundles[beginning + "\0" * hidden] = max(10.0**hidden - known[beginning], 1.0)


def _is_coarse(text: Label, printed: PrintedLabel, inner: Container[Label], *, in_days: bool) -> bool:
    days = in_days and any(interval.low < interval.high for interval in printed.days)
    return bool(
        text in inner
        or printed.suppressed
        or len(printed.parts) > 1
        or printed.numbers
        or printed.masks
        or days
        or len(printed.labels) > 1
    )


def _finite_ends(intervals: Iterable[Interval]) -> Iterator[float]:
    for interval in intervals:
        yield from (end for end in (interval.low, interval.high) if math.isfinite(end))


def _decimals(numbers: Iterable[float], most: int = 9) -> int:
    """Return the decimals that numbers have, `most` at most: they are counted in steps of the last.

    >>> _decimals([30.0, 33.5]), _decimals([])
    (1, 0)
    """
    values = np.unique(np.fromiter(numbers, float))
    for decimals in range(most):
        if np.allclose(values, np.round(values, decimals), rtol=1e-12, atol=0):
            return decimals
    return most


def _cut_line(intervals: list[Interval], points: Iterable[float], step: float) -> Iterator[tuple[float, float]]:
    """Cut a line at all ends: each end by itself, and what is between two of them, with how many steps there are.

    >>> [*_cut_line([Interval(20, 29), Interval(25, 34)], [22], 1)]
    [(20, 1.0), (21, 1.0), (22, 1.0), (23, 2.0), (25, 1.0), (26, 3.0), (29, 1.0), (30, 4.0), (34, 1.0)]
    """
    if not intervals:
        return
    ends = sorted({*_finite_ends(intervals), *points})
    between = [(low + step, float(round((high - low) / step) - 1)) for low, high in pairwise(ends)]
    beyond = [(ends[0] - step, 1.0), (ends[-1] + step, 1.0)] if ends else [(0.0, 1.0)]
    bundles = sorted([*((end, 1.0) for end in ends), *between, *beyond])
    numbers = np.array([number for number, _ in bundles])
    inside = np.zeros(len(bundles) + 1, np.int64)  # how many intervals begin at a place, less those that ended before
    for interval in intervals:
        start, stop = interval.stretch(numbers)
        inside[start] += 1
        inside[stop] -= 1
    for (number, weight), intervals_there in zip(bundles, np.cumsum(inside[:-1]).tolist(), strict=True):
        if weight > 0 and intervals_there:
            yield number, weight


class ColumnCells:
    """A column cut into cells by the labels that are mentioned, with the raw labels that a printed one hides in each.

    Cells are numbered by which of the mentioned labels hold there; `holds[cell, mention]` says so.  What the label
    with code c may stand for are the cells `cell[first[c]:first[c + 1]]`, with these weights.

    >>> sex = ColumnCells(("F", "M", "*"), ("F",))
    >>> sex.holds[:, 0].tolist(), sex.cell.tolist(), np.diff(sex.first).tolist(), sex.weight.tolist()
    ([False, True], [1, 0, 0, 1], [1, 1, 2], [1.0, 1.0, 1.0, 1.0])
    """

    def __init__(self, printed: tuple[Label, ...], mentioned: tuple[Label, ...], nodes: Nodes = NO_NODES) -> None:
        self.printed, self.mentioned, self.nodes = printed, mentioned, nodes
        self.raw = RawLabels(printed, mentioned, nodes)
        held = np.zeros((len(self.raw.weight), len(mentioned)), bool)
        mention, bundle = self.raw.find_bundles_of_each(mentioned)
        held[bundle, mention] = True
        self.holds, self._cell_of_bundle = _distinct_rows(held)
        label, bundle = self.raw.find_bundles_of_each(printed)
        cells = len(self.holds)
        pair, number = np.unique(label * cells + self._cell_of_bundle[bundle], return_inverse=True)
        self.weight = sum_by(number, self.raw.weight[bundle], len(pair))
        self.label, self.cell = np.divmod(pair, max(cells, 1))
        self.first = starts_of(self.label, len(printed))

    def certain(self, mention: int) -> Flags:
        """Return of which printed labels all people fulfil a condition."""
        outside = np.zeros(len(self.printed), bool)
        outside[self.label[~self.holds[self.cell, mention]]] = True
        return ~outside

    def describe(self, code: int, cell: int, others: Integers) -> Label:
        """Describe a cell of a printed label in contrast to the others that it may hide.

        >>> sex = ColumnCells(("F", "M", "*"), ("F",))
        >>> sex.describe(2, 1, np.array([0, 1])), sex.describe(2, 0, np.array([0, 1]))
        ('F (printed *)', '* (not F)')
        """
        holding = [text for text, holds in zip(self.mentioned, self.holds[cell], strict=True) if holds]
        if holding:
            narrowest = min(holding, key=lambda text: float(self.raw.weight[self.raw.find_bundles(text)].sum()))
            return f"{shown(narrowest)} (printed {shown(self.printed[code])})"
        excluded = np.flatnonzero(self.holds[others].any(axis=0))
        names = [shown(self.mentioned[at]) for at in excluded.tolist()]
        return f"{shown(self.printed[code])} (not {', '.join(names)})"

    def share(self, text: Label, codes: Codes, cells: Integers) -> Floats:
        """Return the share of the raw labels in cells of printed labels for which a further condition holds.

        A label that is neither printed nor mentioned may be in no cell.

        >>> sex = ColumnCells(("*",), ("F", "M"))
        >>> sex.share("X", np.array([0, 0], np.int32), np.array([0, 1])).tolist()
        [0.0, 0.0]
        """
        finer = ColumnCells(self.printed, (*self.mentioned, text), self.nodes)
        # cells by what held before
        same = {tuple(row): cell for cell, row in enumerate(self.holds.tolist())}
        coarse = np.array([same.get(tuple(row[:-1]), -1) for row in finer.holds.tolist()], np.int64)[finer.cell]
        known = coarse >= 0
        size = len(self.printed) * len(self.holds)
        key = finer.label[known] * len(self.holds) + coarse[known]
        inside = sum_by(key, np.where(finer.holds[finer.cell, -1], finer.weight, 0.0)[known], size)
        everything = sum_by(key, finer.weight[known], size)
        chosen = codes.astype(np.int64) * len(self.holds) + cells
        share: Floats = inside[chosen] / everything[chosen]
        return share


def _distinct_rows(flags: Flags) -> tuple[Flags, Integers]:
    if flags.shape[1] == 0:
        return np.zeros((1, 0), bool), np.zeros(len(flags), np.int64)
    octets = np.packbits(flags, axis=1)  # the first flag is the highest bit, so that bytes are ordered as rows are
    as_one = octets.view(f"V{octets.shape[1]}").ravel()
    _, first, number = np.unique(as_one, return_index=True, return_inverse=True)
    return flags[first], np.asarray(number)


MOST_PARTS = 2_000_000
"""The largest number of parts of rows."""


class Parts:
    """The rows of a release, cut by the conditions that are mentioned: `row[p]` of each part, and its `weight`.

    Parts stand by row.  `weight` is the share of its row's raw keys; parts of a row have slots 0, 1, …  `columns` are
    what is printed or known about the people of each row, `nodes` what the labels stand for, by column.
    """

    def __init__(
        self, rows: int, columns: Mapping[str, Column], nodes: Mapping[str, Nodes], mentioned: Sequence[Cell]
    ) -> None:
        self.columns, self.nodes = columns, nodes
        names = dict.fromkeys(name for name, _ in mentioned)
        self.mentioned = {
            name: tuple(dict.fromkeys(text for column, text in mentioned if column == name)) for name in names
        }
        self.cut = {name: self._cut(name, labels) for name, labels in self.mentioned.items()}
        self.row, self.weight = np.arange(rows), np.ones(rows)
        self.cell: dict[str, Integers] = {}
        for name, cells in self.cut.items():
            label = columns[name].codes[self.row].astype(np.int64)
            # no label hides anything here, so that each has exactly one cell
            if len(cells.cell) == len(cells.printed):
                self.cell[name] = cells.cell[label]
                continue
            if np.diff(cells.first)[label].sum() > MOST_PARTS:
                raise TooHard(
                    f"the statements tell more than {MOST_PARTS:,} kinds of people apart inside groups that print less "
                    "than they ask; say fewer statements, or about fewer columns"
                )
            # a part once for each cell that its label may hide
            part, at = ranges(cells.first[label], cells.first[label + 1])
            total = np.add.reduceat(cells.weight, cells.first[:-1])[label[part]]
            self.row, self.weight = self.row[part], self.weight[part] * (cells.weight[at] / total)
            self.cell = {column: each[part] for column, each in self.cell.items()} | {name: cells.cell[at]}
        self.first = starts_of(self.row, rows)
        self.count = np.diff(self.first)
        self.divided_rows: Flags = self.count > 1  # which rows have several parts
        # the place of each part among those of its row, and how many a row has at most
        self.slot, self.slots = np.arange(len(self.row)) - self.first[self.row], int(self.count.max(initial=1))

    def _cut(self, name: str, mentioned: tuple[Label, ...]) -> ColumnCells:
        """Return a column cut by labels that are mentioned."""
        for text in mentioned:
            self._check(name, text)
        return ColumnCells(self.columns[name].labels, mentioned, self.nodes.get(name) or NO_NODES)

    def _check(self, name: str, text: Label) -> None:
        """Refuse a label that neither the release nor a hierarchy knows, and name the nearest ones."""
        labels, nodes = self.columns[name].labels, self.nodes.get(name)
        if knows_label(text, labels, nodes):
            return
        known = [*labels, *((*nodes.above, *nodes.labels_by_node) if nodes else ())]
        near = did_you_mean(shown(text), dict.fromkeys(shown(each) for each in known if each != SUPPRESSED))
        hierarchies = "" if nodes else f"; if a printed label covers it, give hierarchies with {parameter('by')}"
        raise BadKnowledge(f"the release knows no {shortened(name)} '{shortened(shown(text))}'{near}{hierarchies}")

    @cached_property
    def kind(self) -> Integers:
        """Number rows so that those of one kind have parts of the same weights and cells, wherever they differ."""
        if not self.divided_rows.any():
            return np.zeros(len(self.count), np.int64)
        codes = np.zeros((len(self.count), len(self.cut)), np.int64)
        for index, (name, cells) in enumerate(self.cut.items()):
            label = self.columns[name].codes
            # labels that hide nothing may differ: which conditions they fulfil is said by the terms
            codes[:, index] = np.where(np.diff(cells.first)[label] > 1, label + 1, 0)
        return number_vectors(codes)[0]

    def describe(self, part: int) -> dict[str, Label]:
        """Describe a part in contrast to others of its row: the narrowest condition that holds, or all that do not."""
        says: dict[str, Label] = {}
        for name, cells in self.cut.items():
            code = int(self.columns[name].codes[self.row[part]])
            others = cells.cell[cells.first[code] : cells.first[code + 1]]
            if len(others) > 1:
                says[name] = cells.describe(code, int(self.cell[name][part]), others)
        return says

    def holds(self, name: str, text: Label) -> Flags:
        """Return for each part whether its people fulfil a condition that was mentioned."""
        cells = self.cut[name]
        holds: Flags = cells.holds[:, cells.mentioned.index(text)].take(self.cell[name])
        return holds

    def is_uncertain(self, name: str, text: Label) -> bool:
        """Return whether a condition that was mentioned may hold for some of a group, and not for others."""
        cells = self.cut[name]
        number = cells.mentioned.index(text)
        some = np.zeros(len(cells.printed), bool)
        some[cells.label[cells.holds[cells.cell, number]]] = True
        return bool((some & ~cells.certain(number)).any())

    def certain(self, holds: Flags) -> Flags:
        """Return for each part whether everybody in its row fulfils a condition, given in which parts it holds."""
        if not self.divided_rows.any():
            return holds
        # parts of a row stand side by side
        certain: Flags = np.logical_and.reduceat(holds, self.first[:-1])[self.row]
        return certain

    def share(self, conditions: Sequence[tuple[str, Label]]) -> Floats:
        """Return which share of the raw keys of each part fulfils some conditions, mentioned before or not."""
        share = np.ones(len(self.row))
        for name, text in conditions:
            share *= self.holds(name, text) if text in self.mentioned.get(name, ()) else self._share(name, text)
        return share

    def _share(self, name: str, text: Label) -> Floats:
        cells = self.cut[name] if name in self.cut else self._cut(name, ())
        of_parts = self.cell[name] if name in self.cut else np.zeros(len(self.row), np.int64)
        self._check(name, text)
        return cells.share(text, self.columns[name].codes[self.row], of_parts)


@dataclass(frozen=True, eq=False)
class Blocks:
    """One block per group: how many people each of its rows (q, b) and columns (s, b) has.

    Rows and columns are ordered by group.  Entries (q, s, b) are numbered row by row, and within a row in the order
    of the columns.
    """

    row_group: Integers
    row_people: Integers
    column_group: Integers
    column_people: Integers
    groups: int

    @cached_property
    def first_column(self) -> Integers:
        """The first column of each group, and their number."""
        return starts_of(self.column_group, self.groups)

    @cached_property
    def first_entry(self) -> Integers:
        """The first entry of each row, and their number."""
        # every row of a group is as wide as the group has columns, so entries need no index of their own
        widths = np.diff(self.first_column)[self.row_group]
        return np.concatenate(([0], np.cumsum(widths)))

    @property
    def entries(self) -> int:
        """How many entries there are."""
        return int(self.first_entry[-1])

    @cached_property
    def people(self) -> Integers:
        """How many people each group has."""
        return add_up(self.row_group, self.row_people, self.groups)

    def entry(self, row: Integers, column: Integers) -> Integers:
        """Number the entries where rows and columns of the same groups cross."""
        return self.first_entry[row] + column - self.first_column[self.row_group[row]]

    def all_entries(self) -> tuple[Integers, Integers]:
        """Return the row and the column of every entry."""
        row = np.repeat(np.arange(len(self.row_group)), np.diff(self.first_entry))
        inside = np.arange(self.entries) - self.first_entry[row]
        return row, inside + self.first_column[self.row_group[row]]


@dataclass(frozen=True, eq=False)
class Variables:
    """The variables x(q, s, b) of a release, and which of them a condition, a value or a person is about.

    One value per person; `described` says what is known about people by name, `mentioned` are the conditions that
    statements speak of, `nodes` say what a printed label stands for, by column, and `look_in_suppressed` whether
    suppressed rows may hold people who fit nothing else.
    """

    release: Release
    described: Mapping[str, Mapping[str, object]]
    mentioned: Cells = ()
    nodes: Mapping[str, Nodes] = field(default_factory=dict)
    look_in_suppressed: bool = False
    # a memo: its entries follow from the frozen fields
    _parts_of_conditions: dict[Cells, tuple[Integers, Floats]] = field(default_factory=dict, init=False)

    @cached_property
    def members(self) -> Members:
        """Who is in which group; as printed, where the release does not tell people of a group apart."""
        return self.release.members or Members.as_printed(self.release.groups)

    @cached_property
    def _occurrences(self) -> tuple[Integers, Integers, Integers]:
        group, value, count = self.release.groups.counts.entries()
        # columns by group, as rows are: all that follows pairs the two by group
        order = np.lexsort((value, group))
        return group[order], value[order], count[order]

    @cached_property
    def blocks(self) -> Blocks:
        """A row per group and key, a column per group and value."""
        group, _, count = self._occurrences
        return Blocks(self.members.group, self.members.people, group, count, len(self.release))

    @property
    def value(self) -> Integers:
        """The value of each column, as its index in the domain."""
        return self._occurrences[1]

    def columns_with(self, values: tuple[Label, ...]) -> Integers:
        """Return the columns of these values, by group."""
        return np.flatnonzero(np.isin(self.value, [self.release.groups.code_of(value) for value in values]))

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The columns of conditions on people, by name: of their keys, and of what is printed about their group."""
        # a column of the keys has a row per key, one that is printed a row per group; here each row gets its own
        printed = {each.name: each.take(self.members.group) for each in self.release.groups.columns}
        return printed | {each.name: each.take(self.members.key) for each in self.members.columns}

    @cached_property
    def parts(self) -> Parts:
        """The rows, cut where mentioned conditions distinguish people whom the release does not."""
        self._check_columns(self.mentioned)
        return Parts(len(self.members.group), self.columns, self.nodes, self.mentioned)

    def _check_columns(self, conditions: Sequence[tuple[str, Label]]) -> None:
        for name, _ in conditions:
            if name not in self.columns:
                by_number = "; a group of the release is said by its number: group=#3" if name == "group" else ""
                raise UnknownColumn(f"no column '{name}' in the release{did_you_mean(name, self.columns)}{by_number}")
            averages = self.release.printing is not None and self.release.printing.averages
            if averages and name not in self._member_knowledge:
                raise BadKnowledge(
                    f"this release prints averages of its groups, which say of nobody there which {name} they have; "
                    "state shares of everybody, or of people by their group (group=#3)"
                )

    @property
    def _member_knowledge(self) -> set[str]:
        return set() if self.release.members is None else {column.name for column in self.release.members.columns}

    def holds(self, condition: Condition) -> Flags:
        """Return for each part whether its people fulfil a condition that was mentioned."""
        if isinstance(condition, tuple):
            return self.parts.holds(*condition)
        if isinstance(condition, InGroup):
            self.release.group(condition.number)
            inside: Flags = self.members.group[self.parts.row] == condition.number - 1
            return inside
        assert isinstance(condition, Joined)
        join = np.logical_and if condition.word == "and" else np.logical_or
        joined: Flags = join.reduce([self.holds(each) for each in condition.conditions])
        return ~joined if condition.word == "not" else joined

    def share(self, conditions: Sequence[Condition]) -> Floats:
        """Return which share of the raw keys of each part fulfils some conditions; all but cells were mentioned."""
        self._check_columns([each for each in conditions if isinstance(each, tuple)])
        share: Floats = self._share_of_keys(conditions) * self.looked_for(conditions)
        return share

    def _share_of_keys(self, conditions: Sequence[Condition]) -> Floats:
        share = self.parts.share([each for each in conditions if isinstance(each, tuple)])
        for condition in conditions:
            if not isinstance(condition, tuple):
                share = share * self.holds(condition)
        return share

    def looked_for(self, conditions: Sequence[Condition]) -> Flags:
        """Return in which parts people who fulfil conditions are looked for, as everywhere (`release.locate`).

        Whole groups are suppressed, so a person who is known in every column and fits a printed group is in none of the
        suppressed rows; one who fits none is looked for there only with `look_in_suppressed`.  One who is known in some
        columns only, and fits a printed group, may be in both.
        """
        aside = self.leaves_suppressed_aside(conditions)
        return self.printed_parts if aside else np.ones(len(self.parts.row), bool)

    def leaves_suppressed_aside(self, conditions: Sequence[Condition]) -> bool:
        """Return whether people who fulfil conditions are not looked for in suppressed rows, which could hold them."""
        fits = self._fits_suppressed(conditions)
        if fits is None:
            return False
        if not self.printed_parts[fits].any():
            return not self.look_in_suppressed
        telling = {column.name for column in self.release.groups.columns if {*column.labels} != {SUPPRESSED}}
        # conditions with `not` and `or` are no key: their people may be partly printed and partly suppressed
        return telling <= {each[0] for each in conditions if isinstance(each, tuple) and each[1] != SUPPRESSED}

    def only_suppressed(self, conditions: Sequence[Condition]) -> bool:
        """Return whether suppressed rows alone could hold people who fulfil conditions, looked for there or not."""
        fits = self._fits_suppressed(conditions)
        return fits is not None and not self.printed_parts[fits].any()

    def _fits_suppressed(self, conditions: Sequence[Condition]) -> Flags | None:
        """Return which parts conditions fit, if suppressed rows, of whose people nothing is known, are among them."""
        if self.printed_parts.all():
            return None
        hidden = {name for name, text in cells_in(conditions) if text != SUPPRESSED} - self._member_knowledge
        if not hidden:
            return None
        fits: Flags = self._share_of_keys(conditions) > 0
        return fits if (fits & ~self.printed_parts).any() else None

    @cached_property
    def suppressed(self) -> Flags:
        """Which groups are suppressed rows, of whose people nothing is known."""
        return suppressed_groups(self.release.groups)

    @cached_property
    def printed_parts(self) -> Flags:
        """Which parts are in groups that are no suppressed rows."""
        printed: Flags = ~self.suppressed[self.members.group[self.parts.row]]
        return printed

    def parts_with(self, conditions: Cells) -> tuple[Integers, Floats]:
        """Find the parts of people who may fulfil all conditions, and their shares; kept, as people are asked again."""
        if conditions not in self._parts_of_conditions:
            share = self.share(conditions)
            part = np.flatnonzero(share)
            self._parts_of_conditions[conditions] = part, share[part]
        return self._parts_of_conditions[conditions]

    def rows_with(self, conditions: Sequence[tuple[str, Label]]) -> Integers:
        """Return the rows of people who may fulfil all conditions."""
        return np.unique(self.parts.row[self.parts_with(tuple(conditions))[0]])

    def rows_of(self, person: Who) -> Integers:
        """Return the rows where a person may be: all those of one key."""
        named = self.release.people or {}
        if isinstance(person, Someone):
            self.release.group(person.group)
            rows = np.flatnonzero(self.members.group == person.group - 1)
        elif isinstance(person, Described) or person in self.described:
            rows = self.rows_with(cells_of(person, self.described))
        elif person in named:
            rows = np.flatnonzero(self.members.group == named[person])
        else:
            raise BadKnowledge(
                f"nobody called '{person}' is known{did_you_mean(person, self.described)}; say who it is: "
                f"people={{'{person}': {{column: cell}}}}"
            )
        name = "a described person" if isinstance(person, Described) else f"'{person}'"
        keys = np.unique(self.members.key[rows])
        if len(keys) != 1:
            nobody = f"nobody in the release looks like {name}; check what is said about this person"
            several = f"people of {len(keys)} kinds in the release could be {name}; say more about this person"
            raise BadKnowledge(several if len(keys) else nobody)
        return rows


def cells_of(person: Who | None, described: Mapping[str, Mapping[str, object]]) -> Cells:
    """List what is known about a person; nothing of one who is known by a group."""
    if isinstance(person, Described):
        return person.cells
    cells = described.get(person, {}) if isinstance(person, str) else {}
    return tuple((str(column), label(cell)) for column, cell in cells.items())
