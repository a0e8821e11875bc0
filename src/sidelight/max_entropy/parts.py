"""Whom may a condition mean?  People of a group whom statements tell apart, although the release does not.

`P(Flu | sex=F) = 0.3` is about all women, also about those in groups that print `*`, `{F, M}`, an interval, a mask or
a coarse node of a hierarchy.  How many those are is not known, so each row (q, b) is cut into *parts* a, one for each
combination of cells that its printed labels may hide (`hidden_labels`), and each part has variables of its own:

    x(q, a, s, b) ≥ 0      Σ_{a, s} x(q, a, s, b) = n(q, b)      Σ_{q, a} x(q, a, s, b) = n(s, b)
    P(S | C) = p           Σ_{a ⊨ C, s ∈ S} x − p · Σ_{a ⊨ C, s} x = 0,   which is linear, however many they are

Entropy is that of the raw keys: a part that stands for w raw keys has − x ln(x / w).  So with nothing else known, every
raw label that a printed one may hide is equally likely, whatever other groups print: of a group with `*` for sex, half.
Statements then move it, as far as they must.  Without statements about it, nothing that is believed of a group changes.

A row of which everybody is certain to be meant, or nobody, is one part, and its variables are what they were.
Cost: rows × cells that they may hide, at most `MOST_PARTS`; columns that no statement mentions cut nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.arrays import Codes, Flags, Floats, Integers, number_vectors, ranges, starts_of
from sidelight.errors import BadKnowledge, TooHard, did_you_mean, parameter
from sidelight.knowledge.tokens import abbreviate
from sidelight.max_entropy.hidden_labels import NO_NODES, ColumnCells
from sidelight.release.printed_labels import knows_label
from sidelight.release.printing import Nodes
from sidelight.table.labels import SUPPRESSED, Label, shown

MOST_PARTS = 2_000_000
"""So many parts of rows at most."""


@dataclass(frozen=True, eq=False)
class RowLabels:
    """What is printed or known about the people of each row in one column: labels, and their code by row."""

    name: str
    labels: tuple[Label, ...]
    codes: Codes
    nodes: Nodes | None = None

    def check(self, text: Label) -> None:
        """Refuse a label that neither the release nor a hierarchy knows, and name the nearest ones."""
        if knows_label(text, self.labels, self.nodes):
            return
        known = [
            *self.labels,
            *(self.nodes.above if self.nodes else ()),
            *(self.nodes.labels_by_node if self.nodes else ()),
        ]
        near = did_you_mean(shown(text), dict.fromkeys(shown(each) for each in known if each != SUPPRESSED))
        hierarchies = "" if self.nodes else f"; if a printed label covers it, give hierarchies with {parameter('by')}"
        message = f"the release knows no {abbreviate(self.name)} '{abbreviate(shown(text))}'{near}{hierarchies}"
        raise BadKnowledge(message)

    def cells(self, mentioned: tuple[Label, ...]) -> ColumnCells:
        """Return the column cut by labels that are mentioned."""
        for text in mentioned:
            self.check(text)
        return ColumnCells(self.labels, mentioned, self.nodes or NO_NODES)


class Parts:
    """The rows of a release, cut by the conditions that are mentioned: `row[p]` of each part, and its `weight`.

    Parts stand by row.  `weight` is the share of its row's raw keys; parts of a row have slots 0, 1, …
    """

    def __init__(self, rows: int, columns: Mapping[str, RowLabels], mentioned: Sequence[tuple[str, Label]]) -> None:
        self.columns = columns
        names = dict.fromkeys(name for name, _ in mentioned)
        self.mentioned = {
            name: tuple(dict.fromkeys(text for column, text in mentioned if column == name)) for name in names
        }
        self.cut = {name: columns[name].cells(labels) for name, labels in self.mentioned.items()}
        self.row, self.weight = np.arange(rows), np.ones(rows)
        self.cell: dict[str, Integers] = {}
        for name, cells in self.cut.items():
            self._cut_by(name, cells)
        self.first = starts_of(self.row, rows)
        self.count = np.diff(self.first)

    def _cut_by(self, name: str, cells: ColumnCells) -> None:
        label = self.columns[name].codes[self.row].astype(np.int64)
        # no label hides anything here, so that each has exactly one cell
        if not cells.hide:
            self.cell[name] = cells.cell[label]
            return
        if np.diff(cells.first)[label].sum() > MOST_PARTS:
            message = (
                f"the statements tell more than {MOST_PARTS:,} kinds of people apart inside groups that print less "
                "than they ask; say fewer statements, or about fewer columns"
            )
            raise TooHard(message)
        # a part once for each cell that its label may hide
        part, at = ranges(cells.first[label], cells.first[label + 1])
        total = np.add.reduceat(cells.weight, cells.first[:-1])[label[part]]
        self.row, self.weight = self.row[part], self.weight[part] * (cells.weight[at] / total)
        self.cell = {column: each[part] for column, each in self.cell.items()} | {name: cells.cell[at]}

    @cached_property
    def slot(self) -> Integers:
        """The place of each part among those of its row."""
        return np.arange(len(self.row)) - self.first[self.row]

    @cached_property
    def slots(self) -> int:
        """How many parts a row has at most."""
        return int(self.count.max(initial=1))

    @cached_property
    def divided_rows(self) -> Flags:
        """Which rows have several parts."""
        divided: Flags = self.count > 1
        return divided

    @cached_property
    def kind(self) -> Integers:
        """Number rows so that those of one kind have parts of the same weights and cells, wherever they differ."""
        if not self.divided_rows.any():
            return np.zeros(len(self.count), np.int64)
        codes = np.zeros((len(self.count), len(self.cut)), np.int64)
        for place, (name, cells) in enumerate(self.cut.items()):
            label = self.columns[name].codes
            # labels that hide nothing may differ: which conditions they fulfil is said by the terms
            codes[:, place] = np.where(np.diff(cells.first)[label] > 1, label + 1, 0)
        return number_vectors(codes)[0]

    def describe(self, part: int) -> dict[str, Label]:
        """Return what tells a part from others of its row: the narrowest condition that holds, or those that do not."""
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
        column = self.columns[name]
        cells = self.cut[name] if name in self.cut else column.cells(())
        of_parts = self.cell[name] if name in self.cut else np.zeros(len(self.row), np.int64)
        column.check(text)
        return cells.share(text, column.codes[self.row], of_parts)
