"""What is true: how many people of each line have each value, as only the publisher knows.

`TrueCounts` say it by group, key and value.  A table alone says it by key and value: where people with one key are in
several groups, it does not say who of them is where.  Then so many are *expected* to have a value as in the
distribution of largest entropy with the same sums: Σ_s x_gqs = people of the line, Σ_q x_gqs = n_g(s) and
Σ_g x_gqs = n_q(s).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from sidelight._arrays import Floats, Integers, add_up, sum_by
from sidelight._text import counted, form
from sidelight.errors import BadRelease
from sidelight.learner.roster import Roster
from sidelight.table.labels import Label
from sidelight.table.table import Column, Table, number_equal_rows
from sidelight.table.true_counts import TrueCounts, having

FITTING = 500
"""So many times the expected numbers are fitted to their sums at most."""

CLOSE = 1e-3
"""They are fitted when no sum is off by more people."""


class HoldsTruth(Protocol):
    """What a search ends with: it made the release, and knows who has what."""

    @property
    def true_counts(self) -> TrueCounts:
        """How many people of each group and key have each value."""


Truth: TypeAlias = Table | TrueCounts | HoldsTruth
"""What the publisher may give: the table, true counts, or the result of the search that made the release."""


@dataclass(frozen=True, eq=False, slots=True)
class HeldTruth:
    """How many people of each cell's line have its value, and of how many people that is only expected."""

    people: Floats
    expected: int

    def notes(self) -> tuple[str, ...]:
        """Say of whom the truth is not known person by person."""
        if not self.expected:
            return ()
        whom = f"{counted(self.expected, 'person')} who share a key with others"
        is_ = form("is", self.expected)
        return (f"the table does not say which group {whom} {is_} in: of them, what is right is expected, not counted",)


def truth_of(roster: Roster, truth: Truth) -> HeldTruth:
    """Find the truth of every cell, or say why it is not that of this release."""
    if isinstance(truth, Table):
        return _of_table(roster, truth)
    counts = truth if isinstance(truth, TrueCounts) else getattr(truth, "true_counts", None)
    if not isinstance(counts, TrueCounts):
        message = "the truth is the table that the release is of, or the result of the search that made it"
        raise BadRelease(message)
    key = _keys_of(roster, counts.columns)[counts.key]
    value = _values_of(roster, counts.domain)[counts.value]
    line = _lines_of(roster, counts.group, key)
    cell = _cells_of(roster, line, value)
    if (cell < 0).any():
        raise _not_of(roster, int(counts.group[np.argmax(cell < 0)]))
    people = sum_by(cell, counts.people, len(roster.line))
    _check(roster, people)
    return HeldTruth(people, 0)


def _of_table(roster: Roster, table: Table) -> HeldTruth:
    key_of, members = _keys_of(roster, table.quasi), roster.members
    there = key_of >= 0
    of_table = add_up(key_of[there], table.sizes[there], members.key_count)
    in_release = add_up(members.key, members.people, members.key_count)
    off = np.flatnonzero(of_table != in_release)
    if len(off):
        raise _not_of(roster, int(members.group[np.argmax(members.key == off[0])]))
    width = len(roster.release.domain)
    key, value, people = having(table)
    kept = there[key]
    recoded = _values_of(roster, table.domain)[value[kept]]
    if (recoded < 0).any():
        strange = int(key_of[key[kept]][np.argmax(recoded < 0)])
        raise _not_of(roster, int(members.group[np.argmax(members.key == strange)]))
    by_key = np.zeros(members.key_count * width)
    np.add.at(by_key, key_of[key[kept]] * width + recoded, people[kept])
    lines_of_key = np.bincount(members.key, minlength=members.key_count)
    kind = members.key[roster.line] * width + roster.value
    alone = lines_of_key[members.key[roster.line]] == 1
    if alone.all():
        held = by_key[kind]
        _check(roster, held)
        return HeldTruth(held, 0)
    # where all people of a key have a value, it does not matter who of them is where
    same = (by_key.reshape(-1, width) > 0).sum(axis=1) <= 1
    in_doubt = (lines_of_key > 1) & ~same if roster.release.semantics == "single" else lines_of_key > 1
    return HeldTruth(_expected(roster, kind, by_key), int(in_release[in_doubt].sum()))


def _expected(roster: Roster, kind: Integers, by_key: Floats) -> Floats:
    """Fit to the sums of each line (of one value each), group and value, key and value, in turn."""
    single = roster.release.semantics == "single"
    people = roster.members.people.astype(float)
    counts = roster.entries[2].astype(float)
    believed = np.where(by_key[kind] > 0, roster.shares * roster.people, 0.0)
    steps = [(kind, by_key)]
    steps += [] if roster.release.semantics == "multiset" else [(roster.entry, counts)]
    steps += [(roster.line, people)] if single else []
    off = np.inf
    for _ in range(FITTING):
        off = 0.0
        for place, totals in steps:
            sums = sum_by(place, believed, len(totals))
            off = max(off, float(np.abs(sums - totals).max()))
            believed *= (totals / np.maximum(sums, np.finfo(float).tiny))[place]
        if off < CLOSE:
            break
    if off > 0.5:  # people are whole: sums that cannot be met are those of another table
        sums = sum_by(roster.entry, believed, len(counts))
        raise _not_of(roster, int(roster.entries[0][np.argmax(np.abs(sums - counts))]))
    return np.minimum(believed, roster.people)


def _check(roster: Roster, people: Floats) -> None:
    """Refuse what does not add up to a group's counts."""
    if roster.release.semantics == "multiset":
        return
    sums = sum_by(roster.entry, people, len(roster.entries[2]))
    off = np.flatnonzero(np.abs(sums - roster.entries[2]) > CLOSE)
    if len(off):
        raise _not_of(roster, int(roster.entries[0][off[0]]))


def _not_of(roster: Roster, group: int) -> BadRelease:
    name = roster.release.groups.name(group)
    return BadRelease(
        f"the truth does not fit the release: it has other people or values for {name}; give its own table"
    )


def _keys_of(roster: Roster, columns: tuple[Column, ...]) -> Integers:
    """Find the roster's key of each row of some columns; −1 where there is none."""
    by_name = {column.name: column for column in columns}
    if any(column.name not in by_name for column in roster.columns):
        missing = next(column.name for column in roster.columns if column.name not in by_name)
        message = f"the truth has no column '{missing}', which the roster tells people apart by; read it with that one"
        raise BadRelease(message)
    rows = len(columns[0]) if columns else 0
    both = tuple(column.stacked_on(by_name[column.name]) for column in roster.columns)
    kind, _ = number_equal_rows(both, len(roster.columns[0]) + rows if roster.columns else rows)
    keys = len(kind) - rows
    key_of = np.full(int(kind.max(initial=0)) + 1, -1, np.int64)
    key_of[kind[:keys]] = np.arange(keys)
    return key_of[kind[keys:]]


def _values_of(roster: Roster, domain: tuple[Label, ...]) -> Integers:
    place = {text: code for code, text in enumerate(roster.release.domain)}
    return np.array([place.get(text, -1) for text in domain], np.int64)


def _lines_of(roster: Roster, group: Integers, key: Integers) -> Integers:
    """Find the line of each group and key; −1 where there is none."""
    keys = roster.members.key_count
    known = roster.members.group * keys + roster.members.key
    order = np.argsort(known)
    sought = group * keys + key
    place = np.minimum(np.searchsorted(known, sought, sorter=order), len(known) - 1)
    line = order[place]
    return np.where((known[line] == sought) & (key >= 0), line, -1)


def _cells_of(roster: Roster, line: Integers, value: Integers) -> Integers:
    """Find the cell of each line and value; −1 where the group has no such value."""
    width = len(roster.release.domain)
    known = roster.line * width + roster.value
    order = np.argsort(known)
    sought = line * width + value
    place = np.minimum(np.searchsorted(known, sought, sorter=order), len(known) - 1)
    cell = order[place]
    return np.where((known[cell] == sought) & (line >= 0) & (value >= 0), cell, -1)
