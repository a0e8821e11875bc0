"""The max-entropy problem: its variables, and what is known about their sums.

Symbols, as in Du, Teng and Zhu (Privacy-MaxEnt, SIGMOD 2008):

    q            a key: what outsiders may know about a person     n(q, b)   people of group b with key q
    s            a sensitive value                                 n(s, b)   people of group b with value s
    b            a group (bucket) of the release                   x(q, s, b) = n · P(q, s, b), in people

Each group is a block of variables: a *row* per (q, b), a *column* per (s, b), and where they cross an *entry*, the
variable x(q, s, b).  The release fixes the sums of all rows and columns; statements bound further weighted sums:

    maximise  − Σ_v x_v ln(x_v / weight_v)
    subject to  Σ_row x = n(q, b),  Σ_column x = n(s, b),  low ≤ A x ≤ high,  x ≥ 0

whose solution is x_v = weight_v · exp(α_row + β_column + Σ_k μ_k a_kv) wherever x_v is not forced to 0.  Without
statements it is n(q, b) · n(s, b) / n(b), group by group.

`Blocks` are the shape, `Variables` the shape of one release and where in it a condition, a value or a person is, and
`Problem` is what a solver is handed.  Where a row prints less than statements ask, an entry has a variable for each of
its `parts`, whose sizes are not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import sparse

from sidelight.arrays import Flags, Floats, Integers, add_up, starts_of, sum_by
from sidelight.errors import BadKnowledge, UnknownColumn, did_you_mean
from sidelight.knowledge.events import AllOf, AnyOf, Condition, InGroup, Negation, cells_in
from sidelight.knowledge.facts import Described, Someone, Who
from sidelight.max_entropy.parts import Parts, RowLabels
from sidelight.release.groups import suppressed_groups
from sidelight.release.release import Members, Release
from sidelight.table.labels import SUPPRESSED, Label, label

if TYPE_CHECKING:
    from sidelight.release.printed_labels import Nodes

Cells: TypeAlias = tuple[tuple[str, Label], ...]
"""What is known of somebody: columns and cells."""

ONE_PERSON = -1
"""In the place of a statement's number: the constraint that a named person is one person, which nobody stated."""


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
    # memos: what is put in follows from the frozen fields, so nobody sees them change
    _columns_of_values: dict[tuple[Label, ...], Integers] = field(default_factory=dict, init=False)
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
        """The value of each column, as its place in the domain."""
        return self._occurrences[1]

    def columns_with(self, values: tuple[Label, ...]) -> Integers:
        """Return the columns of these values, by group; kept, as rules ask for the same ones again and again."""
        if values not in self._columns_of_values:
            codes = [self.release.groups.code_of(value) for value in values]
            self._columns_of_values[values] = np.flatnonzero(np.isin(self.value, codes))
        return self._columns_of_values[values]

    @cached_property
    def columns(self) -> dict[str, RowLabels]:
        """What may be asked of people, by name: what tells them apart, and what is printed about their group."""
        # a column of the keys has a row per key, one that is printed a row per group; here each row gets its own
        nodes, members = self.nodes, self.members
        placed = [(each, members.group) for each in self.release.groups.columns]
        placed += [(each, members.key) for each in members.columns]
        return {
            each.name: RowLabels(each.name, each.labels, each.codes[at], nodes.get(each.name)) for each, at in placed
        }

    @cached_property
    def parts(self) -> Parts:
        """The rows, cut where the conditions that are mentioned tell people apart whom the release does not."""
        self._check_columns(self.mentioned)
        return Parts(len(self.members.group), self.columns, self.mentioned)

    def _check_columns(self, conditions: Sequence[tuple[str, Label]]) -> None:
        for name, _ in conditions:
            if name not in self.columns:
                by_number = "; a group of the release is said by its number: group=#3" if name == "group" else ""
                message = f"no column '{name}' in the release{did_you_mean(name, self.columns)}{by_number}"
                raise UnknownColumn(message)
            averages = self.release.printing is not None and self.release.printing.averages
            if averages and name not in self._member_knowledge:
                message = (
                    f"this release prints averages of its groups, which say of nobody there which {name} they have; "
                    "state shares of everybody, or of people by their group (group=#3)"
                )
                raise BadKnowledge(message)

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
        if isinstance(condition, Negation):
            return ~self.holds(condition.of)
        assert isinstance(condition, AnyOf | AllOf)
        join = np.logical_or if isinstance(condition, AnyOf) else np.logical_and
        joined: Flags = join.reduce([self.holds(each) for each in condition.conditions])
        return joined

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

        Whole groups are suppressed, so who is known in every column and fits a printed group is in none of the
        suppressed rows; who fits none is looked for there only where that was said.  Who is known in some columns
        only, and fits a printed group, may be hidden in both.
        """
        aside = self.leaves_suppressed_aside(conditions)
        return self.printed_parts if aside else np.ones(len(self.parts.row), bool)

    def leaves_suppressed_aside(self, conditions: Sequence[Condition]) -> bool:
        """Return whether people who fulfil conditions are not looked for in suppressed rows, which could hold them."""
        fits = self._fits_suppressed(conditions)
        if fits is None:
            return False
        if self._suppressed_parts[fits].all():
            return not self.look_in_suppressed
        telling = {column.name for column in self.release.groups.columns if {*column.labels} != {SUPPRESSED}}
        # what is said with not and or is no key, of which some may be printed and others suppressed
        return telling <= {each[0] for each in conditions if isinstance(each, tuple) and each[1] != SUPPRESSED}

    def only_suppressed(self, conditions: Sequence[Condition]) -> bool:
        """Return whether suppressed rows alone could hold people who fulfil conditions, looked for there or not."""
        fits = self._fits_suppressed(conditions)
        return fits is not None and bool(self._suppressed_parts[fits].all())

    def _fits_suppressed(self, conditions: Sequence[Condition]) -> Flags | None:
        """Return which parts conditions fit, if suppressed rows, of whose people nothing is known, are among them."""
        if not self._suppressed_parts.any():
            return None
        hidden = {name for name, text in cells_in(conditions) if text != SUPPRESSED} - self._member_knowledge
        if not hidden:
            return None
        fits: Flags = self._share_of_keys(conditions) > 0
        return fits if (fits & self._suppressed_parts).any() else None

    @cached_property
    def printed_parts(self) -> Flags:
        """Which parts are in groups that are no suppressed rows."""
        return ~self._suppressed_parts

    @cached_property
    def _suppressed_parts(self) -> Flags:
        suppressed: Flags = suppressed_groups(self.release.groups)[self.members.group[self.parts.row]]
        return suppressed

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
            message = (
                f"nobody called '{person}' is known{did_you_mean(person, self.described)}; say who it is: "
                f"people={{'{person}': {{column: cell}}}}"
            )
            raise BadKnowledge(message)
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


@dataclass(frozen=True, eq=False)
class Problem:
    """Amounts x ≥ 0 of people, whose sums over rows, over columns and over constraints are known.

    Variable v is in row `row[v]` and column `column[v]`; variables are ordered by row.  Σ over a row is `people`, over
    a column `counts`, and `low` ≤ `coefficients` · x ≤ `high`.  Of all such x, that with the largest entropy relative
    to `weight` is sought.  `statement[k]` is the number of the statement behind constraint k, or `ONE_PERSON`.
    """

    row: Integers
    column: Integers
    weight: Floats
    people: Floats
    counts: Floats
    group: Integers  # of each column
    coefficients: sparse.csr_array  # A: constraints × variables
    low: Floats
    high: Floats
    statement: Integers

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def first(self) -> Integers:
        """The first variable of each row (each row has one)."""
        starts: Integers = np.searchsorted(self.row, np.arange(len(self.people)))
        return starts

    def restrict(self, variables: Flags, constraints: Flags) -> tuple[Problem, Integers, Integers]:
        """Keep some variables and constraints, and the rows and columns that have any; says which those are."""
        if variables.all() and constraints.all():
            return self, np.arange(len(self.people)), np.arange(len(self.counts))
        rows = np.flatnonzero(np.bincount(self.row[variables], minlength=len(self.people)))
        columns = np.flatnonzero(np.bincount(self.column[variables], minlength=len(self.counts)))
        # rows and columns keep their order, so that variables stay ordered by row and columns by group
        new_row, new_column = np.zeros(len(self.people), np.int64), np.zeros(len(self.counts), np.int64)
        new_row[rows], new_column[columns] = np.arange(len(rows)), np.arange(len(columns))
        smaller = Problem(
            new_row[self.row[variables]],
            new_column[self.column[variables]],
            self.weight[variables],
            self.people[rows],
            self.counts[columns],
            np.unique(self.group[columns], return_inverse=True)[1],
            sparse.csr_array(self.coefficients[np.flatnonzero(constraints)][:, np.flatnonzero(variables)]),
            self.low[constraints],
            self.high[constraints],
            self.statement[constraints],
        )
        return smaller, rows, columns

    def residual(self, amounts: Floats) -> float:
        """Return by how much the worst sum is off, in people; constraints on shares count as people too."""
        sums = self.coefficients @ amounts
        off = [
            np.abs(sum_by(self.row, amounts, len(self.people)) - self.people),
            np.abs(sum_by(self.column, amounts, len(self.counts)) - self.counts),
            np.maximum(self.low - sums, sums - self.high),
        ]
        return float(max(each.max(initial=0.0) for each in off))
