"""One group of a release: the cuts that were not made in it, and the people whom these do not distinguish.

Minimality  Mondrian makes the first cut whose halves keep the policy.  In a published group every cut that its people
            allow was tried, and failed: so the true arrangement of values is one in which all of them fail.  Groups are
            then independent of one another.  Failed cuts of larger groups, made before, are left out: no possible world
            is lost by that (a relaxation), so that what is called certain or impossible is so.
Admissible  A cut that leaves too few people fails in every arrangement and reveals nothing.
Atoms       People on the same side of every admissible cut are an *atom*: nothing distinguishes them, and each has a
            value as probably as the others.
Roster      Who is in which group, as the publisher knows, and an attacker with a list of the people and their
            quasi-identifiers.  A *line* is the people of one group who share all of these; lines are sorted by group.

Cost        One pass over the roster for each column (`search.mondrian_cuts`), and for each group with an admissible cut
            a small matrix, atoms × cuts.

*Limits* on the halves of a group.

Symbols     A cut leaves a of the n people of a group on its left; L_s of the n_s people with value s are there.
Sizes       Limits on sizes alone depend on the cut, not on who has which value: they decide which are *admissible*.
Shares      No value above share c:  L_s ≤ ⌊c·a⌋  and  n_s − L_s ≤ ⌊c·(n − a)⌋  for all s (`ValueLimits`).  A value with
            n_s ≤ ⌊c · smallest side⌋ can break that nowhere, so that all such values may be counted as one.
Distinct    At least l values on either side.
Others      Every other limit on single groups is checked on the halves themselves, by the search's own check.
Together    A limit on several groups, which merging never makes worse, is checked on the release with this cut made
            and all other groups as published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, add_up, number_vectors
from sidelight.errors import BadRelease, parameter
from sidelight.measures.exact import join_backwards, join_forwards
from sidelight.release.groups import Groups, stack_groups
from sidelight.release.locate import Lookup, link
from sidelight.search.mondrian_cuts import cuts_along
from sidelight.search.policy_check import PolicyCheck, ValueLimits, split_value_limits
from sidelight.table.table import Counts, Table
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.measures.criterion import CriterionCheck
    from sidelight.release.release import Release
    from sidelight.search.orders import Order
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.labels import Column


@dataclass(frozen=True, eq=False, slots=True)
class RosterLines:
    """The people of each group of a release by quasi-identifiers, and by their values where the truth is known."""

    columns: tuple[Column, ...]  # a row per line
    group: Integers
    people: Integers
    truth: Counts | None = None  # line × value of the release's domain

    @classmethod
    def from_table(cls, table: Table, group: Integers, release: Groups) -> RosterLines:
        """Build from a table and the group that each of its keys is in (−1: none)."""
        lines = np.argsort(group, kind="stable")
        lines = lines[group[lines] >= 0]
        lines = lines[table.sizes[lines] > 0]
        columns = tuple(column.take(lines) for column in table.quasi)
        code = {text: at for at, text in enumerate(release.domain)}
        truth = None
        # a value that the release does not print is not in its domain: then the truth is left out
        if all(text in code for text in table.domain):
            indices = np.array([code[text] for text in table.domain], np.int64)
            truth = table.counts.take(lines).merge_values(indices, width=len(release.domain))
        return cls(columns, group[lines], table.sizes[lines], truth)._check(release)

    @classmethod
    def locate(cls, table: Table, release: Release, by: dict[str, Hierarchy]) -> RosterLines:
        """Locate the people of a table in a release; everybody has to fit one group."""
        linkage = link(release, table.quasi, len(table.sizes), Lookup.build(by))
        kinds = {column.name: column.kind for column in release.groups.columns}
        quasi = tuple(replace(each, kind=each.kind or kinds.get(each.name)) for each in table.quasi)
        table = replace(table, quasi=quasi)
        # per profile → per key; people with no match, or several, cannot be put into a group
        matches = linkage.matches[linkage.profile]
        off = int(table.sizes[matches != 1].sum())
        if off:
            raise BadRelease(
                f"{counted(off, 'person')} of the table fit no group of the release, or several; "
                f"give {parameter('table')} with the people who are in it, and its hierarchies in {parameter('by')}"
            )
        return cls.from_table(table, linkage.group[linkage.starts[:-1]][linkage.profile], release.groups)

    @classmethod
    def from_members(cls, release: Release) -> RosterLines:
        """Build from the members that a release knows."""
        members = release.members
        assert members is not None
        order = np.argsort(members.group, kind="stable")
        columns = tuple(column.take(members.key[order]) for column in members.columns)
        return cls(columns, members.group[order], members.people[order])._check(release.groups)

    def assign_values(self, release: Release) -> Table:
        """Return a table in which the values of each group are assigned to its lines in order."""
        groups = release.groups
        _, value, count = groups.counts.entries()  # by group, as the lines are
        line_ends, entry_ends = np.cumsum(self.people), np.cumsum(count)
        # cutting at the ends of both lines and entries leaves stretches of one line and one value each
        ends = np.union1d(line_ends, entry_ends)
        line, entry = np.searchsorted(line_ends, ends), np.searchsorted(entry_ends, ends)
        shape = (len(self.people), len(groups.domain))
        counts = Counts.from_entries(line, value[entry], np.diff(ends, prepend=0), shape)
        # columns are in the order of the release
        position = {column.name: at for at, column in enumerate(groups.columns)}
        columns = sorted(self.columns, key=lambda column: position.get(column.name, len(position)))
        return Table(tuple(columns), release.sensitive, groups.domain, self.people, counts)

    def _check(self, release: Groups) -> RosterLines:
        """Raise `BadRelease` unless each group has as many people here, and the same values where known."""
        there = add_up(self.group, self.people, len(release))
        off = there != release.sizes
        if self.truth is not None:
            values = self.truth.roll_up(self.group, groups=len(release))
            for rows in values.blocks():
                off[rows] |= (values.take(rows).dense() != release.counts.take(rows).dense()).any(axis=1)
        if off.any():
            row = int(off.argmax())
            raise BadRelease(
                f"{release.name(row).error_name} has {counted(int(release.sizes[row]), 'person')}, and the roster has "
                f"{counted(int(there[row]), 'person')} there, or other values; give the table that was released"
            )
        return self


TablesByValue: TypeAlias = npt.NDArray[np.int16] | npt.NDArray[np.float32]
"""Value × table × atom: how many people of an atom have a value."""


@dataclass(frozen=True, eq=False, slots=True)
class GroupQuestion:
    """One group of a release, the cuts that failed in it, its atoms, and how often each value occurs in it."""

    row: int  # of the release
    lines: Integers  # of the roster
    atom: Integers  # of each of these lines
    people: Integers  # of each atom
    counts: Integers  # of each value of the domain
    left: Flags  # cut × atom: whether the atom is left of the cut
    column: Integers  # of each cut
    rank: Integers  # the first rank to the right of each cut

    @classmethod
    def whole(cls, row: int, lines: Integers, counts: Integers) -> GroupQuestion:
        """Build the question of a group without failed cuts: all of its people are one atom."""
        none = np.zeros(0, np.int64)
        atom, people = np.zeros(len(lines), np.int64), counts.sum(keepdims=True)
        return cls(row, lines, atom, people, counts, np.zeros((0, 1), bool), none, none)

    @property
    def size(self) -> int:
        """The number of people of the group."""
        return int(self.people.sum())

    @property
    def sides(self) -> Integers:
        """The numbers of people left and right of each cut: (cuts, 2) int64."""
        left = self.left @ self.people
        return np.column_stack((left, self.size - left))

    def all_fail(self, tables: TablesByValue, limits: HalfLimits, values: Integers, totals: Integers) -> Integers:
        """Return the tables, of (values, tables, atoms), in which every cut fails; `totals` count the `values`."""
        failing = []
        # cuts × values × tables may be large; blocks of tables bound the memory
        at_once = 1 << 15
        for start in range(0, tables.shape[1], at_once):
            block = tables[:, start : start + at_once]
            # values and tables become one axis for one matrix product, and are separated again: (cuts, values, tables)
            cells = np.ascontiguousarray(block, np.float32).reshape(-1, len(self.people))
            # Σ over the atoms on the left of each cut; whole numbers below 2²⁴ are exact
            lefts = (self.left.astype(np.float32) @ cells.T).reshape(len(self.left), *block.shape[:2])
            some = np.arange(block.shape[1])
            for of_values, sides in zip(lefts, self.sides.tolist(), strict=True):
                left = (of_values if len(some) == block.shape[1] else of_values[:, some]).astype(np.int64).T
                # only tables in which all cuts so far fail are checked for the next one
                some = some[~limits.passes(self.row, values, left, totals - left, (sides[0], sides[1]))]
                if len(some) == 0:
                    break
            failing.append(start + some)
        return np.concatenate(failing)


def group_questions(
    roster: RosterLines, orders: tuple[Order, ...], counts: Counts, limits: HalfLimits
) -> Iterator[GroupQuestion]:
    """Yield the question of every group in which an admissible cut was not made."""
    # one row of ranks per column, one entry per line
    ranks = np.stack([order.ranks(column) for order, column in zip(orders, roster.columns, strict=True)])
    proposed = [
        cuts_along(order, roster.group, ranks[at], roster.people, groups=counts.rows) for at, order in enumerate(orders)
    ]
    group, rank, left, people = (
        np.concatenate([getattr(each, name) for each in proposed]) for name in ("group", "rank", "left", "people")
    )
    column = np.repeat(np.arange(len(orders)), [len(each.group) for each in proposed])
    # cuts that leave enough people on both sides
    some = np.flatnonzero(limits.large_enough(left) & limits.large_enough(people - left))
    some = some[np.argsort(group[some], kind="stable")]
    rows, first = np.unique(group[some], return_index=True)
    stop = np.append(first[1:], len(some))
    starts = np.searchsorted(roster.group, np.arange(counts.rows + 1))
    for row, begin, end in zip(rows.tolist(), first.tolist(), stop[: len(rows)].tolist(), strict=True):
        cuts = some[begin:end]
        lines = np.arange(starts[row], starts[row + 1])
        # (cuts, lines): whether a line is left of a cut; lines with equal columns are one atom
        before = ranks[column[cuts]][:, lines] < rank[cuts][:, np.newaxis]
        atom, size, example = atoms_of(before.astype(np.int64), roster.people[lines])
        yield GroupQuestion(row, lines, atom, size, counts.row(row), before[:, example], column[cuts], rank[cuts])


def atoms_of(sides: Integers, people: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the atom of each line (a column of `sides`), the atoms' people, and a line of each.

    Small atoms come first, so that few prefixes are to be listed.
    """
    # lines are columns of `sides`, and number_vectors numbers rows
    number, example = number_vectors(np.ascontiguousarray(sides.T))
    size = add_up(number, people, len(example))
    ascending = np.lexsort((example, size))
    rank = np.empty(len(size), np.int64)
    rank[ascending] = np.arange(len(size))
    return rank[number], size[ascending], example[ascending]


@dataclass(frozen=True, eq=False)
class HalfLimits:
    """The limits that both halves of a cut have to keep, by how they are decided."""

    release: Groups
    check: PolicyCheck
    values: ValueLimits
    others: tuple[CriterionCheck, ...]  # of single groups
    together: tuple[tuple[CriterionCheck, Floats, Floats], ...]  # and the joined rows of groups up to and from each
    by_size: tuple[CriterionCheck, ...]  # of single groups, on their sizes alone

    @classmethod
    def from_check(cls, check: PolicyCheck, release: Groups) -> HalfLimits:
        """Build from a policy's limits, sorted by how they are decided."""
        by_size = tuple(each for each in check.by_group if not each.criterion.measure.about_values)
        about_values = [each for each in check.by_group if each.criterion.measure.about_values and not each.is_idle]
        values, others = split_value_limits(each.criterion for each in about_values)
        rest = tuple(each for each in about_values if each.criterion in others)
        together = []
        for each in check.together:
            # joins of all rows before and after each one: leaving a group out costs two joins, not a pass over all
            rows = each.screen.rows(release)
            together.append((each, join_forwards(each.screen, rows), join_backwards(each.screen, rows)))
        return cls(release, check, values, rest, tuple(together), by_size)

    @property
    def limits_sizes_alone(self) -> bool:
        """Whether no limit is on values: then a cut that was not made reveals nothing."""
        about_values = any(check.criterion.measure.about_values for check, *_ in self.together)
        return not (self.values.limits_shares or self.values.different > 1 or self.others or about_values)

    @property
    def limits_shares_and_distinct(self) -> bool:
        """Whether all limits are on sizes, shares and numbers of values."""
        return not self.others and not self.together

    def large_enough(self, sizes: Integers) -> Flags:
        """Return which parts have enough people, by their numbers alone."""
        enough: Flags = sizes >= 1
        for check in self.by_size:
            if enough.any():
                # sizes alone, as counts of one value
                some = sizes[enough][:, np.newaxis]
                enough[enough] = check.holds_in_each(_make_groups(self.release, np.array([0]), some))
        return enough

    def decisive(self, counts: Integers, smallest: int) -> Flags:
        """Return which values must be counted each, as they could break a limit on a side of `smallest` people."""
        if self.values.different > 1 or not self.limits_shares_and_distinct:
            # limits on distinct values and others depend on each value, so that none may be lumped
            return counts > 0
        return counts > self.values.most_of(smallest)

    def passes(self, row: int, values: Integers, left: Integers, right: Integers, sizes: tuple[int, int]) -> Flags:
        """Return in which arrangements a cut of a group (a row of the release) keeps the policy.

        `left` and `right` count the `values` (indices into the domain) on the cut's sides, (arrangements, values)
        int64; `sizes` are the people on each.
        """
        # costly limits are checked only on right halves whose left half keeps the policy
        kept = self.keep(values, right, sizes[1], among=self.keep(values, left, sizes[0]))
        if self.together and kept.any():
            # the release with this cut made keeps the limits too; each pair of halves is judged once
            some = np.flatnonzero(kept)
            kind, first = number_vectors(left[some])
            one, other = (_make_groups(self.release, values, side[some][first]) for side in (left, right))
            kept[some] = self._holds_together(row, one, other)[kind]
        return kept

    def _holds_together(self, row: int, left: Groups, right: Groups) -> Flags:
        """Return for which halves of a group the release keeps the limits on several groups."""
        holds = np.ones(len(left), bool)
        others = self.release.take(np.delete(np.arange(len(self.release)), row))
        for check, before, after in self.together:
            joined = check.screen.join(check.screen.rows(left), check.screen.rows(right))
            for others_joined in (*before[:row][-1:], *after[row + 1 :][:1]):
                joined = check.screen.join(joined, np.broadcast_to(others_joined, joined.shape).copy())
            values = check.screen.value(joined)
            kept = check.clearly_holds(values)
            # near the bound floats cannot decide: exact fractions do
            for at in np.flatnonzero(check.is_close(values) & ~kept):
                one = np.array([at])
                kept[at] = check.holds_exactly(_one_release([others, left.take(one), right.take(one)]))
            holds &= kept
        return holds

    def keep(self, values: Integers, counts: Integers, people: int, *, among: Flags | None = None) -> Flags:
        """Return which parts of a group (all, or some), of `people` each, keep all limits on single groups."""
        kept = np.ones(len(counts), bool) if among is None else among.copy()
        kept &= (counts <= self.values.most_of(people)).all(axis=1)
        if self.values.different > 1:
            kept &= np.count_nonzero(counts, axis=1) >= self.values.different
        if self.others and kept.any():
            some = np.flatnonzero(kept)
            kind, first = number_vectors(counts[some])
            parts = _make_groups(self.release, values, counts[some][first])
            kept[some] = np.logical_and.reduce([check.holds_in_each(parts) for check in self.others])[kind]
        return kept

    def judge(self, row: int, values: Integers, *parts: Sequence[int]) -> bool:
        """Return whether parts of a group, as counts of values, keep the policy by its own exact measures."""
        groups = _make_groups(self.release, values, np.array(parts))
        if not all(check.holds_exactly(groups) for check in self.check.by_group):
            return False
        others = self.release.take(np.delete(np.arange(len(self.release)), row))
        return all(check.holds_exactly(_one_release([others, groups])) for check in self.check.together)


def _one_release(parts: list[Groups]) -> Groups:
    bare = [replace(each, columns=(), populations=(), weights=None) for each in parts if len(each)]
    stacked = stack_groups(bare)
    return replace(stacked, numbers=np.arange(1, len(stacked) + 1))


def _make_groups(release: Groups, values: Integers, counts: Integers) -> Groups:
    cells = np.zeros((len(counts), len(release.domain)), np.int64)
    cells[:, values] = counts
    numbers = np.arange(1, len(counts) + 1)
    return Groups(
        release.domain, cells.sum(axis=1), Counts.from_cells(cells), (), release.semantics, release.whole, numbers
    )
