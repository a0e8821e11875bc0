"""Who is in which group, and which values each of them may have.

A roster has a *line* for each group and key: the people of that group whom an attacker cannot distinguish.  A belief
about a line is one about each of its people.  A line's *cells* are the values that occur in its group, the most
frequent first; a belief is one number per cell.

*Invariant.*  Keys are sorted by their labels, column by column in the order of names; lines by group and, in it, by
key; cells by line.  So neither the order of rows or columns in a file nor chance decides the order of sums for a key.

*The truth* is how many people of each line have each value, as only the publisher knows.

`TrueCounts` have it by group, key and value.  A table alone has it by key and value: where people with one key are in
several groups, it does not tell who of them is where.  Then the number with a value is *expected*, by the distribution
of largest entropy with the same sums: Σ_s x_gqs = people of the line, Σ_q x_gqs = n_g(s) and Σ_g x_gqs = n_q(s).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, number_rows, ranges, starts_of, sum_by
from sidelight.errors import BadRelease, expect, listed, parameter
from sidelight.release.locate import Lookup, link
from sidelight.release.release import Members, Release
from sidelight.table.labels import Column, Label, number_equal_rows
from sidelight.table.table import Table, TrueCounts, having
from sidelight.text import counted, form

LABELS_ALONE = "with printed labels alone nothing moves: all people of a group look alike, and the release says it all"
"""The note where nobody is distinguished from others of their group."""


class Roster:
    """The people of a release by group and key, with the values that each may have.

    `entries` are the release's (group, value, count), by group, the most frequent value first; `line` and `entry` are
    those of each cell, `people` how many its line has, and `shares` how many values of the kind a person of the group
    has on average, n_g(s)/n_g.  `group_starts` and `cell_starts` say where the entries of each group, and the cells of
    each line, begin.
    """

    def __init__(self, release: Release, members: Members, notes: tuple[str, ...] = ()) -> None:
        self.release, self.members, self.notes = release, members, notes
        # in the order of names, whatever the order in a file
        self.columns = _sort_by_name(members.columns)
        group, value, count = release.groups.counts.entries()
        order = np.lexsort((value, -count, group))
        self.entries = group[order], value[order], count[order]
        self.group_starts = starts_of(self.entries[0], len(release))
        self.line, self.entry = ranges(self.group_starts[members.group], self.group_starts[members.group + 1])
        self.cell_starts = starts_of(self.line, len(members.group))
        self.value, self.count = self.entries[1][self.entry], self.entries[2][self.entry]
        self.people = members.people[self.line].astype(float)
        self.group_size = release.groups.sizes[members.group[self.line]]
        self.shares: Floats = self.count / self.group_size

    @classmethod
    def of_members(cls, release: Release, members: Members, notes: tuple[str, ...] = ()) -> Roster:
        """Build from the members that a release distinguishes, with a line for each group and key."""
        listed_columns = [column.take(slice(0, members.key_count)).compact() for column in members.columns]
        number, of_number = number_equal_rows(_sort_by_name(listed_columns), members.key_count)
        key = number[members.key]
        # people with equal cells in one group become one line
        line, first = number_rows([members.group, key], [len(release), len(of_number)], rows=len(key))
        people = add_up(line, members.people, len(first))
        columns = tuple(column.take(of_number) for column in listed_columns)
        return cls(release, Members(columns, members.group[first], key[first], people), notes)

    @classmethod
    def from_table(cls, release: Release, table: Table, lookup: Lookup, *, complete: bool = True) -> Roster:
        """Locate everybody of a table in the groups of a release; if `complete`, they must be all people of these."""
        expect(Table, table, "the roster")
        printed = {column.name for column in release.groups.columns}
        columns = tuple(column for column in table.quasi if column.name in printed)
        if not columns:
            raise BadRelease(
                f"the roster has none of the columns that the release prints ({listed(sorted(printed))}); read it "
                f"with those as {parameter('quasi')}"
            )
        linkage = link(release, columns, len(table.sizes), replace(lookup, suppressed="may hold them"))
        matches = linkage.matches[linkage.profile]
        if (matches > 1).any():
            row = int(np.argmax(matches > 1))
            groups = linkage.groups_of(row)
            name = release.groups.name(int(groups[0])).error_name
            raise BadRelease(
                f"the roster does not fit the release: some of its people fit {name} and {len(groups) - 1} more; give "
                "a release whose groups do not overlap, or one that says who is in which"
            )
        there = np.flatnonzero(matches == 1)
        if not len(there):
            raise BadRelease("nobody of the roster is in any group of the release; give the people whom it is about")
        group = linkage.group[linkage.starts[linkage.profile[there]]]
        order = np.argsort(group, kind="stable")
        members = Members(
            tuple(column.take(there[order]) for column in table.quasi),
            group[order],
            np.arange(len(there)),
            table.sizes[there[order]],
        )
        sizes = add_up(members.group, members.people, len(release))
        if complete and len(wrong := np.flatnonzero(sizes != release.groups.sizes)):
            at = int(wrong[0])
            has, name = counted(int(release.groups.sizes[at]), "person"), release.groups.name(at).error_name
            raise BadRelease(
                f"the roster does not fit the release: {name} has {has}, and {int(sizes[at]):,} of the roster may be "
                "in it; give the table that the release is of"
            )
        left_out = int(table.sizes[matches == 0].sum())
        were = f"{counted(left_out, 'person')} of the roster {form('is', left_out)} in no group"
        return cls.of_members(release, members, (were,) if left_out else ())

    def __len__(self) -> int:
        return len(self.members.group)

    def lines_of_people(self, groups: Integers, people: int) -> Integers:
        """Return the lines of groups with `people` each, one per person: (people, groups) int64."""
        line, starts = self._line_of_person
        lines: Integers = line[starts[groups] + np.arange(people)[:, np.newaxis]]
        return lines

    @cached_property
    def _line_of_person(self) -> tuple[Integers, Integers]:
        # a line of p people is repeated p times
        line = np.repeat(np.arange(len(self)), self.members.people)
        return line, starts_of(self.members.group[line], len(self.release))

    def people_by_key(self, lines: Flags | None = None) -> Floats:
        """Count the people of each key, of all lines or of some."""
        members = self.members
        people = members.people if lines is None else members.people * lines
        return sum_by(members.key, people, members.key_count)

    def believed(self, expected: Floats) -> Floats:
        """Return the beliefs, (cells,) float64, from expected numbers of values: equal, where nobody has one twice.

        Of a multiset with n occurrences, of which each is theirs with probability r = expected/n: 1 − (1 − r)^n.
        """
        if self.release.semantics != "multiset":
            return expected
        with np.errstate(divide="ignore"):  # a person with every occurrence certainly has it
            return -np.expm1(self.count * np.log1p(-expected / self.count))

    def says(self, key: int) -> tuple[tuple[str, Label], ...]:
        """Return the names of columns and the labels of a key."""
        return tuple((column.name, column.cell(key)) for column in self.members.columns)


def _sort_by_name(columns: Iterable[Column]) -> tuple[Column, ...]:
    return tuple(sorted(columns, key=lambda column: column.name))


Truth: TypeAlias = object
"""The publisher's table, true counts, or the result of the search that made the release."""


def truth_of(roster: Roster, truth: Truth) -> tuple[Floats, tuple[str, ...]]:
    """Return how many people of each cell's line have its value, and a note if that is only expected.

    Raise `BadRelease` if it is not the truth of this release.
    """
    if isinstance(truth, Table):
        return _read_true_table(roster, truth)
    counts = truth if isinstance(truth, TrueCounts) else getattr(truth, "true_counts", None)
    if not isinstance(counts, TrueCounts):
        raise BadRelease("the truth is the table that the release is of, or the result of the search that made it")
    key = _find_keys(roster, counts.columns)[counts.key]
    value = _find_values(roster, counts.domain)[counts.value]
    members = roster.members
    line = _find_pairs((members.group, members.key), (counts.group, key), members.key_count)
    # a group may not have a value
    cell = _find_pairs((roster.line, roster.value), (line, value), len(roster.release.domain))
    if (cell < 0).any():
        raise _not_of(roster, int(counts.group[np.argmax(cell < 0)]))
    people = sum_by(cell, counts.people, len(roster.line))
    _check_counts(roster, people)
    return people, ()


def _read_true_table(roster: Roster, table: Table) -> tuple[Floats, tuple[str, ...]]:
    key_of, members = _find_keys(roster, table.quasi), roster.members
    there = key_of >= 0
    # the table may hold more people (suppressed ones), but of each key in the release exactly as many
    from_table = add_up(key_of[there], table.sizes[there], members.key_count)
    in_release = add_up(members.key, members.people, members.key_count)
    off = np.flatnonzero(from_table != in_release)
    if len(off):
        raise _not_of(roster, int(members.group[np.argmax(members.key == off[0])]))
    width = len(roster.release.domain)
    key, value, people = having(table)
    kept = there[key]
    recoded = _find_values(roster, table.domain)[value[kept]]
    if (recoded < 0).any():
        strange = int(key_of[key[kept]][np.argmax(recoded < 0)])
        raise _not_of(roster, int(members.group[np.argmax(members.key == strange)]))
    # (keys · values,): one number per key and value
    by_key = np.zeros(members.key_count * width)
    np.add.at(by_key, key_of[key[kept]] * width + recoded, people[kept])
    lines_of_key = np.bincount(members.key, minlength=members.key_count)
    kind = members.key[roster.line] * width + roster.value
    # where all people of a key are in one group, the table alone tells who has which value
    alone = lines_of_key[members.key[roster.line]] == 1
    if alone.all():
        people_with_value = by_key[kind]
        _check_counts(roster, people_with_value)
        return people_with_value, ()
    # where all people of a key have one value, it does not matter who of them is where
    same = (by_key.reshape(-1, width) > 0).sum(axis=1) <= 1
    in_doubt = (lines_of_key > 1) & ~same if roster.release.semantics == "single" else lines_of_key > 1
    expected = int(in_release[in_doubt].sum())
    whom = f"{counted(expected, 'person')} who share a key with others {form('is', expected)}"
    note = f"the table does not say which group {whom} in: of them, what is right is expected, not counted"
    return _fit_expected(roster, kind, by_key), (note,) if expected else ()


def _fit_expected(roster: Roster, kind: Integers, by_key: Floats) -> Floats:
    """Return expected people per cell, fitted to the sums of lines (of one value each), entries, and keys by value."""
    single = roster.release.semantics == "single"
    people = roster.members.people.astype(float)
    counts = roster.entries[2].astype(float)
    # people of a key without the value have it in no group: scaling keeps zeros
    believed = np.where(by_key[kind] > 0, roster.shares * roster.people, 0.0)
    steps = [(kind, by_key)]
    steps += [] if roster.release.semantics == "multiset" else [(roster.entry, counts)]
    steps += [(roster.line, people)] if single else []
    off = np.inf
    for _ in range(500):
        off = 0.0
        for index, totals in steps:
            sums = sum_by(index, believed, len(totals))
            off = max(off, float(np.abs(sums - totals).max()))
            believed *= (totals / np.maximum(sums, np.finfo(float).tiny))[index]
        if off < 1e-3:  # people
            break
    if off > 0.5:  # people are whole: sums that cannot be met are those of another table
        sums = sum_by(roster.entry, believed, len(counts))
        raise _not_of(roster, int(roster.entries[0][np.argmax(np.abs(sums - counts))]))
    return np.asarray(np.minimum(believed, roster.people))


def _check_counts(roster: Roster, people: Floats) -> None:
    if roster.release.semantics == "multiset":
        return
    sums = sum_by(roster.entry, people, len(roster.entries[2]))
    off = np.flatnonzero(np.abs(sums - roster.entries[2]) > 1e-3)
    if len(off):
        raise _not_of(roster, int(roster.entries[0][off[0]]))


def _not_of(roster: Roster, group: int) -> BadRelease:
    name = roster.release.groups.name(group).error_name
    return BadRelease(
        f"the truth does not fit the release: it has other people or values for {name}; give its own table"
    )


def _find_keys(roster: Roster, columns: tuple[Column, ...]) -> Integers:
    """Return the roster's key of each row of some columns; −1 where there is none."""
    by_name = {column.name: column for column in columns}
    if any(column.name not in by_name for column in roster.columns):
        missing = next(column.name for column in roster.columns if column.name not in by_name)
        raise BadRelease(
            f"the truth has no column '{missing}', which the roster tells people apart by; read it with that one"
        )
    rows = len(columns[0]) if columns else 0
    both = tuple(column.stack_on(by_name[column.name]) for column in roster.columns)
    # the rows of both, one below the other, so that equal cells get equal numbers; the roster's come first
    kind, _ = number_equal_rows(both, len(roster.columns[0]) + rows if roster.columns else rows)
    keys = len(kind) - rows
    key_of = np.full(int(kind.max(initial=0)) + 1, -1, np.int64)
    key_of[kind[:keys]] = np.arange(keys)
    return key_of[kind[keys:]]


def _find_values(roster: Roster, domain: tuple[Label, ...]) -> Integers:
    code_of = {text: code for code, text in enumerate(roster.release.domain)}
    return np.array([code_of.get(text, -1) for text in domain], np.int64)


def _find_pairs(known: tuple[Integers, Integers], sought: tuple[Integers, Integers], width: int) -> Integers:
    """Return the index of each pair of numbers, the second below `width`, among known ones; −1 where there is none."""
    numbers, targets = (one * width + other for one, other in (known, sought))
    order = np.argsort(numbers)
    # clipped: numbers beyond the last are rejected by the comparison below
    index = order[np.minimum(np.searchsorted(numbers, targets, sorter=order), len(numbers) - 1)]
    return np.where((numbers[index] == targets) & (np.minimum(*sought) >= 0), index, -1)
