"""The domain of a noisy release: every cell that is counted, declared in advance; its levels fixed, or chosen and paid.

A cell is a group (a combination of labels, one per column) and a sensitive value.  The domain is their product, made
from hierarchies, levels and a list of values, never from a table: an empty cell is published like any other, or its
absence would disclose that nobody is there.

People with a label or a value that was not declared are `outside`.  By default these are a label of their own in each
column, and a value of their own, "(other)": then no table is refused for what is in it, and the absence of an error
discloses nothing.  (A level that publishes nothing but `*` has a label for everybody already.)

A person may have several values (`values="set"` or "multiset"), or several rows (`Events`); the number that is counted
is then capped.  Which ones count is drawn for each person separately, from the system's secure source.  So one person
more or less changes nothing about others; and how many were left out depends on the data, so it is neither published
nor returned.

Groups are numbered in mixed radix: group = Σ_c index_c · Π_{c' > c} |labels_c'|, so that the group of a row follows
from the indices of its labels, vectorised, without a search.

Levels are fixed in advance, or chosen from the data for a price: a choice by what the data says is itself a release.
Candidate i has the score

    detail_i · Σ_cells max(count − above, 0),   detail_i = ⌊1000 · ln(cells_i) / ln(cells of the finest)⌋

and report noisy max picks the largest score plus noise.  One person moves each sum by at most one, or by as many of
the cap on values or rows, so a score by at most 1000 (`FULL_DETAIL`) times that: details are whole thousandths, and
the sensitivity is exact.  Adding a person moves no score down, which halves the noise (monotonic scores).

A choice is paid for once and used once.  On the ledger it is a random receipt and a commitment: a digest, keyed by a
secret of the choice, of its table and candidates; once it is drawn, a digest of the winner is entered too.  A release
that uses the choice shows that it is about the same table and the winner, and is entered as its user when it is paid
for itself.  So one payment covers neither other choices nor another candidate, and the ledger discloses nothing about
the table.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import os
import re
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from sidelight.arrays import Codes, Flags, Integers, add_up, number_rows, ranges
from sidelight.errors import BadNoise, WrongKind, as_given, did_you_mean, expect, expect_mapping, is_one_of, parameter
from sidelight.noise.accountant import PaidChoice, Spending
from sidelight.noise.ledger import Ledger, open_ledger, paying, warn_without_ledger
from sidelight.noise.mechanism import (
    Amount,
    Neighbours,
    PrivacyUnit,
    exact_epsilon,
    opendp,
    refuse_useless,
    units_changed,
)
from sidelight.noise.workload import CoarserLevel, coarser_level
from sidelight.rounding import round_down, whole_number
from sidelight.search.method import SearchedLevel, SearchOutcome, searched_levels
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import SUPPRESSED, Column, Label, Semantics, label, number_equal_rows
from sidelight.table.table import Counts, Events, Table, expect_one_sensitive

# How people with undeclared labels or values are treated: cells of their own, left out, or refused
Outside: TypeAlias = Literal["other", "leave out", "an error"]

OTHER = "(other)"  # the label, and the value, of people whose own were not declared

# The names of the columns of post-processed counts, of counts as drawn, and of estimates from all measurements
COUNT, MEASURED, ESTIMATE = "count", "measured", "estimate"

CELLS_AT_MOST = 1_000_000  # counts of a noisy release, by default


@dataclass(frozen=True, eq=False)
class Domain:
    """All groups (every combination of the labels of the columns at their levels) × all sensitive values."""

    levels: Mapping[str, int]
    labels: tuple[tuple[Label, ...], ...]  # of each column
    values: tuple[Label, ...]
    outside: Outside = "an error"  # with "other", the last label and value are those of people outside

    @classmethod
    def declare(
        cls,
        by: Mapping[str, Hierarchy],
        levels: Mapping[str, int],
        values: Sequence[object] | Hierarchy,
        *,
        outside: Outside = "an error",
        cells: int = CELLS_AT_MOST,
    ) -> Domain:
        """Lay out every cell there could be.

        >>> sex = Hierarchy("sex", (("f", "m"), ("*", "*")))
        >>> Domain.declare({"sex": sex}, {"sex": 0}, ["Flu", "Cold", "HIV"]).shape
        (2, 3)
        >>> Domain.declare({"sex": sex}, {"sex": 0}, ["Flu", "Cold", "HIV"], outside="other").labels
        (('f', 'm', '(other)'),)
        """
        if not is_one_of(outside, Outside):
            raise BadNoise(f'no {parameter("outside", outside)}; choose "other", "leave out" or "an error"')
        declared, hierarchies = _declare_values(values), as_hierarchies(by)
        labels = tuple(_labels_at_level(hierarchies, *each) for each in levels.items())
        if outside == "other":
            labels = tuple(
                each if each == (SUPPRESSED,) else _append_other(each, f"the hierarchy of '{name}'")
                for name, each in zip(levels, labels, strict=True)
            )
            declared = _append_other(declared, parameter("domain"))
        domain = cls(levels, labels, declared, outside)
        groups, cells = len(domain), whole_number(cells, BadNoise, parameter("cells"), least=1)
        if groups * len(declared) > cells:
            raise BadNoise(
                f"{groups:,} groups times {len(declared):,} values are {groups * len(declared):,} counts, "
                "and each gets noise; "
                f"the limit is {cells:,}: take coarser levels or fewer columns, or raise it with {parameter('cells')}"
            )
        return domain

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", MappingProxyType(dict(self.levels)))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.levels), self.labels, self.values, self.outside)

    def __len__(self) -> int:
        return math.prod(len(each) for each in self.labels)

    @property
    def shape(self) -> tuple[int, int]:
        """How many groups and values."""
        return len(self), len(self.values)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of labels of each column, then of values: the cells are all combinations."""
        return (*(len(each) for each in self.labels), len(self.values))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The labels of each group, by column."""
        if not self.labels:
            return ()
        # one (groups,) array of label numbers per column: the inverse of the mixed radix in `groups_of`
        indices = np.unravel_index(np.arange(len(self)), tuple(len(each) for each in self.labels))
        named = zip(self.levels, self.labels, indices, strict=True)
        return tuple(Column(name, labels, codes.astype(np.int32)) for name, labels, codes in named)

    @cached_property
    def declared_groups(self) -> Flags:
        """Return whether all labels of each group were declared, (groups,); the others are of people outside."""
        declared = np.ones(len(self), bool)
        for column in self.columns:
            declared &= self._are_declared(column.labels)[column.codes]
        return declared

    @cached_property
    def declared_values(self) -> Flags:
        """Return whether each value was declared, (values,)."""
        return self._are_declared(self.values)

    def _are_declared(self, labels: Sequence[Label]) -> Flags:
        return np.array([self.outside != "other" or text != OTHER for text in labels], bool)

    def coarser_levels(
        self, by: Mapping[str, Hierarchy], values: Sequence[object] | Hierarchy, sensitive: str
    ) -> tuple[tuple[CoarserLevel, ...], dict[tuple[int, int], int | None]]:
        """Return the coarser levels that columns, and the sensitive values, may be counted by, and their axes.

        Axes by column and level, numbered as in `workload`: the column's own where the level merges nothing, None where
        it merges everybody.

        >>> age = Hierarchy("age", (("20", "25", "30"), ("20-29", "20-29", "30-39"), ("*", "*", "*")))
        >>> declared = Domain.declare({"age": age}, {"age": 0}, ["Flu", "Cold"], outside="other")
        >>> (tens,), axes = declared.coarser_levels({"age": age}, ["Flu", "Cold"], "disease")
        >>> tens.labels, tens.place.tolist(), axes
        (('20-29', '30-39', '(other)'), [0, 0, 1, 2], {(0, 0): 0, (0, 1): 2, (0, 2): None})
        """
        hierarchies = [(by[name], level) for name, level in self.levels.items()]
        of_values = values if isinstance(values, Hierarchy) else by.get(sensitive)
        if of_values is not None:
            declared = {text for text, known in zip(self.values, self.declared_values, strict=True) if known}
            # the finest level whose labels these are, if there is one
            fitting = (at for at in range(of_values.height) if declared - {None} <= set(of_values.levels[at]))
            hierarchies += [(of_values, level) for level in itertools.islice(fitting, 1)]
        coarser: list[CoarserLevel] = []
        axes: dict[tuple[int, int], int | None] = {}
        every = zip(hierarchies, (*self.labels, self.values), strict=False)
        for column, ((hierarchy, published), labels) in enumerate(every):
            axis: int | None = column
            groups = len(labels)
            for level in range(published, hierarchy.height):
                above = self._labels_above(hierarchy, published, level, labels)
                distinct = tuple(dict.fromkeys(above))
                if len(distinct) == 1:
                    axis = None
                elif len(distinct) < groups:  # else the groups are those of the level below
                    axis = len(self.sizes) + len(coarser)
                    coarser.append(coarser_level(column, level, above))
                groups = len(distinct)
                axes[column, level] = axis
        return tuple(coarser), axes

    def _labels_above(self, hierarchy: Hierarchy, published: int, level: int, labels: tuple[Label, ...]) -> list[Label]:
        """Return the coarser label of each published label; "(other)" stays, unless everything becomes `*`."""
        values = [text or None for text in hierarchy.levels[0]]
        above = {hierarchy.generalise(each, published): hierarchy.generalise(each, level) for each in values}
        other = SUPPRESSED if set(above.values()) == {SUPPRESSED} else OTHER
        missing = hierarchy.generalise(None, level)
        return [above.get(text, missing if text is None else other) for text in labels]

    def groups_of(self, counted: Table | Events, by: Mapping[str, Hierarchy]) -> Integers:
        """Find the group of each row of a table; −1 where a label was not declared and there is no other."""
        rows = len(counted.value) if isinstance(counted, Events) else len(counted.sizes)
        group, known = np.zeros(rows, np.int64), np.ones(rows, bool)
        for (name, level), labels in zip(self.levels.items(), self.labels, strict=True):
            column = counted.column(name)
            beyond = len(labels) - 1 if self.outside == "other" else -1
            index = _find_coarse_places(by[name], level, column.labels, labels, beyond=beyond)[column.codes]
            # Horner's rule; one unknown label makes the group unknown
            group, known = group * len(labels) + index, known & (index >= 0)
        return np.where(known, group, -1)

    def places_of(self, values: Sequence[Label]) -> Integers:
        """Return the index of each sensitive value; −1 for one that was not declared and there is no other."""
        declared = self.values[:-1] if self.outside == "other" else self.values
        written = as_written(declared)
        index = {each: number for number, each in enumerate(declared)}
        beyond = len(self.values) - 1 if self.outside == "other" else -1
        return np.array([index.get(written(each), beyond) for each in values], np.int64)

    def count(self, counted: Table | Events, by: Mapping[str, Hierarchy], *, at_most: int = 1) -> Integers:
        """Count the people of every cell, each `at_most` times: without noise, so not for publishing."""
        people, row, key, value, count = collect_holdings(counted)
        group, index = self.groups_of(counted, by)[key], self.places_of(counted.domain)[value]
        # nobody outside the domain is counted, so that the publication discloses nothing about them
        inside = (group >= 0) & (index >= 0)
        if self.outside == "an error" and not inside.all():
            raise BadNoise(
                f"{int(people[np.unique(row[~inside])].sum()):,} people have a label or a value that was not declared; "
                f"declare all that there could be, or say {parameter('outside', 'other')} to count them apart, or "
                '"leave out" to publish without them'
            )
        groups, values = self.shape
        # cells are flat here, groups × values in row-major order, until the last line
        holdings = people, row[inside], (group * values + index)[inside], count[inside]
        counts = count_cells(*holdings, cells=groups * values, semantics=counted.semantics, at_most=at_most)
        return counts.reshape(self.shape)


def collect_holdings(counted: Table | Events) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """Return people (rows,), and by entry a row, key, value and count per person of the row."""
    if isinstance(counted, Events):
        key = np.arange(len(counted.value))
        return counted.people_alike, counted.person, key, counted.value, counted.times
    profiles = counted.profiles()
    row, value, count = profiles.counts.entries()
    return profiles.people, row, profiles.key[row], value, count


def count_cells(
    people: Integers, row: Integers, cell: Integers, count: Integers, *, cells: int, semantics: Semantics, at_most: int
) -> Integers:
    """Return how often people are counted in each cell, of entries as in `count_entries`, each in its cell."""
    if semantics == "set":  # several values may be in one cell, or one in several columns; a person has it once
        _, first = number_rows([row, cell], [len(people), max(cells, 1)], rows=len(row))
        row, cell, count = row[first], cell[first], np.ones(len(first), np.int64)
    return add_up(cell, count_entries(people, row, count, at_most=at_most), cells)


def count_entries(people: Integers, row: Integers, count: Integers, *, at_most: int) -> Integers:
    """Return how often each entry is counted when a person counts `at_most` times at most.

    Entry e says that each of the `people[row[e]]` people of its row has a value `count[e]` times.  A person with more
    than `at_most` keeps that many, each equally likely.

    >>> count_entries(np.array([5, 2]), np.array([0, 1, 1]), np.array([1, 1, 1]), at_most=2).tolist()
    [5, 2, 2]
    >>> int(count_entries(np.array([5, 2]), np.array([0, 1, 1]), np.array([1, 1, 1]), at_most=1)[1:].sum())
    2
    """
    amounts = people[row] * count
    too_many = np.flatnonzero(add_up(row, count, len(people))[row] > at_most)
    # one line per person, entry and time: who, which entry, and a random number
    entry, who = ranges(np.zeros(len(too_many), np.int64), people[row[too_many]])
    entry = too_many[entry]
    times = count[entry]
    entry, who = np.repeat(entry, times), np.repeat(who, times)
    # 64 bits each: ties, which would favour the first entry, practically never occur
    lot = np.frombuffer(os.urandom(8 * len(entry)), np.uint64)
    # the last key decides first: the lines of a person lie together, in random order
    order = np.lexsort((lot, who, row[entry]))
    # a person begins where the number within the row changes, or the row
    person = np.flatnonzero(np.diff(who[order], prepend=-1) | np.diff(row[entry[order]], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(person, np.diff(np.append(person, len(order))))
    amounts[too_many] = np.bincount(entry[order[rank < at_most]], minlength=len(row))[too_many]
    return amounts


def expect_countable(table: object) -> None:
    """Refuse what noise cannot count: it takes a table or events, of one sensitive column."""
    if not isinstance(table, Events):
        expect(Table, table, "what is counted")
        assert isinstance(table, Table)
        expect_one_sensitive(table, "noise")


def _declare_values(values: Sequence[object] | Hierarchy) -> tuple[Label, ...]:
    """List the values there could be: the leaves of a hierarchy, where empty text is a missing one."""
    if isinstance(values, Hierarchy):
        values = [text or None for text in values.levels[0]]
    if isinstance(values, str) or not isinstance(values, Collection) or not values:
        raise BadNoise(
            f"{parameter('domain')} is not declared; "
            "list every sensitive value that there could be, not only those that occur"
        )
    return tuple(dict.fromkeys(label(value) for value in values))


def _labels_at_level(by: Mapping[str, Hierarchy], name: str, level: object) -> tuple[Label, ...]:
    """List the labels of a level; the row of empty text, if there is one, is about missing cells."""
    if name not in by:
        raise BadNoise(
            f"no hierarchy for '{name}'{did_you_mean(name, by)}; "
            f"its labels must be declared by a hierarchy in {parameter('by')}"
        )
    hierarchy = by[name]
    if not isinstance(level, int | np.integer):
        raise BadNoise(
            f"the level of '{name}' is a whole number, not {as_given(level, quoted=True)}; 0 is the column as it is"
        )
    number = int(level)
    hierarchy.level(number)
    return tuple(dict.fromkeys(hierarchy.generalise(value or None, number) for value in hierarchy.levels[0]))


def _find_coarse_places(
    hierarchy: Hierarchy, level: int, labels: Sequence[Label], among: tuple[Label, ...], *, beyond: int
) -> Integers:
    """Find the index of each label's coarser label; `beyond` for one that was not declared."""
    # a label that the hierarchy does not list would come from the data, so it is not matched to another
    declared = {None, *hierarchy.levels[0]}
    written = as_written(hierarchy.levels[0])
    index = {each: number for number, each in enumerate(among)}
    coarse = (
        index.get(hierarchy.generalise(each, level), beyond) if each in declared else beyond
        for each in map(written, labels)
    )
    return np.fromiter(coarse, np.int64, len(labels))


def as_written(declared: Sequence[Label]) -> Callable[[Label], Label]:
    """Return a function that spells labels as declared: 30.0, as programs write numbers in CSV, is 30; 030 is not.

    >>> written = as_written(["30", "007", "1.50"])
    >>> [written(each) for each in ("30.0", "7", "7.0", "1.5", "Flu", None)]
    ['30', '7', '7.0', '1.50', 'Flu', None]
    """
    listed = set(declared)
    spelled = {_strip_zeros(each): each for each in reversed(declared)}
    return lambda each: each if each in listed else spelled.get(_strip_zeros(each), each)


def _strip_zeros(text: Label) -> Label:
    return text.rstrip("0").rstrip(".") if text is not None and re.fullmatch(r"-?[0-9]+\.[0-9]*", text) else text


def _append_other(labels: tuple[Label, ...], where: str) -> tuple[Label, ...]:
    if OTHER in labels:
        raise BadNoise(
            f"{where} lists '{OTHER}', which is what is published of people with something that was not declared; "
            f"rename it, or say {parameter('outside', 'leave out')}"
        )
    return (*labels, OTHER)


FULL_DETAIL = 1_000  # detail is weighed in thousandths, so that scores are whole numbers and their sensitivity is exact


@dataclass(frozen=True, slots=True)
class ChosenLevels:
    """Levels that were chosen from the data, what that cost, and the receipt of the ledger that paid, if any.

    Pass the choice itself to `noisy_counts`, with the same table, hierarchies and ledger; one is for one release.
    """

    levels: Mapping[str, int]
    spending: Spending  # with that of choices that it was made among
    key: bytes = field(repr=False)
    candidates: tuple[str, ...] = field(repr=False)  # a digest of each
    commitment: str = field(repr=False)
    winner: str = field(repr=False)  # a keyed digest of the levels
    receipt: str | None = None


# Levels that may be published, what choosing them cost, if anything, and the paid choices by which
AcceptedLevels: TypeAlias = tuple[Mapping[str, int], Spending | None, tuple[tuple[str, PaidChoice], ...]]


def accept_levels(
    levels: Mapping[str, int] | ChosenLevels,
    *,
    table: Table | Events,
    by: Mapping[str, Hierarchy],
    neighbours: Neighbours,
    ledger: Ledger | None,
) -> AcceptedLevels:
    """Return levels that were fixed in advance or paid for; refuse those that a search picked from the data."""
    if not isinstance(levels, ChosenLevels):
        searched = isinstance(levels, SearchOutcome)
        fixed = {} if searched else expect_mapping(levels, parameter("levels"), '{"age": 2, "sex": 0}')
        if searched or any(isinstance(level, SearchedLevel) for level in fixed.values()):
            raise BadNoise(
                "these levels were picked by a search that looked at the data, and nobody paid for what they reveal; "
                "fix levels in advance, or pick them with choose_levels, which pays, and give what it gives as a whole"
            )
        return MappingProxyType(dict(fixed)), None, ()
    commitment, drawn = commitment_to(table, levels.candidates, levels.key), candidate_digest(levels.levels, by)
    paid = None if levels.receipt is None or ledger is None else ledger.read().find(levels.receipt)
    if levels.spending.neighbours != neighbours:
        message = (
            f"these levels were chosen for {parameter('neighbours', levels.spending.neighbours)}; say the same here"
        )
    elif drawn not in levels.candidates or commitment != levels.commitment:
        message = (
            "these levels were chosen for another table, or for other hierarchies, and what was paid covers no other; "
            "choose for these with choose_levels"
        )
    elif winner_digest(drawn, levels.key) != levels.winner:
        message = "these are other levels than those that were chosen; give what choose_levels gives as a whole"
    elif levels.receipt is None and ledger is None:
        return levels.levels, levels.spending, ()  # marked as before: no ledger knows what they cost
    elif levels.receipt is None or paid is None:
        name = "no ledger" if ledger is None else f"the ledger '{ledger.path.name}'"
        message = (
            f"choosing these levels was not paid from {name}; give choose_levels and the counts the same "
            f"{parameter('ledger')}"
        )
    else:
        whole = {name: int(level) for name, level in levels.levels.items()}
        return whole, levels.spending, ((levels.receipt, PaidChoice(commitment, levels.winner)),)
    raise BadNoise(message)


def candidate_digest(levels: Mapping[str, int], by: Mapping[str, Hierarchy]) -> str:
    """Return a digest of levels by the labels they produce: other hierarchies are other candidates."""
    hierarchies, columns = as_hierarchies(by), []
    for name, level in sorted(levels.items()):
        labels = hierarchies[name].levels if name in hierarchies else ()
        columns.append((name, int(level), labels[:1], labels[level : level + 1]))
    return hashlib.sha256(repr(columns).encode()).hexdigest()


def winner_digest(candidate: str, key: bytes) -> str:
    """Return a keyed digest of the candidate that won, which nobody can read without the key."""
    return hashlib.blake2b(candidate.encode(), key=key, digest_size=32, person=b"winner").hexdigest()


def commitment_to(table: Table | Events, candidates: Sequence[str], key: bytes) -> str:
    """Return a commitment to a table and candidates, against which nobody can test tables without the key.

    Two readings of the same rows are the same table, in any order of keys and labels; of events, the cells of rows and
    the number of rows of each person count.
    """
    digest = hashlib.blake2b(repr(list(candidates)).encode(), key=key, digest_size=32)
    if isinstance(table, Events):
        # sorted, as the order of people does not matter
        digest.update(np.sort(table.count_rows()).tobytes())
        # the rows of each key, as if each were a person
        number, first = number_equal_rows(table.quasi, len(table.value))
        rows = table.times * table.people_alike[table.person]
        counts = Counts.from_entries(number, table.value, rows, (len(first), len(table.domain)))
        quasi, sizes = tuple(column.take(first) for column in table.quasi), add_up(number, rows, len(first))
        table = Table(quasi, table.sensitive, table.domain, sizes, counts, table.semantics, table.intake)
    for part in _serialise_table(table):
        # its length first: the same bytes divided elsewhere must not give the same digest
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()


def _serialise_table(table: Table) -> Iterator[bytes]:
    yield repr((table.sensitive, table.semantics, table.intake.roles.get("person"))).encode()
    columns = sorted(table.quasi, key=lambda column: column.name)
    ranked = [rank_labels(column.labels, column.codes) for column in columns]
    order = np.lexsort([codes for _, codes in ranked]) if ranked else np.arange(len(table.sizes))
    for column, (labels, codes) in zip(columns, ranked, strict=True):
        yield repr((column.name, labels)).encode()
        yield codes[order].tobytes()
    yield table.sizes[order].astype(np.int64).tobytes()
    row, value, count = table.counts.entries()
    values, value = rank_labels(table.domain, value)
    # the inverse permutation: entries point to rows in the order in which these were written
    row = np.argsort(order)[row]
    order = np.lexsort((value, row))
    yield repr(values).encode()
    yield np.stack([row, value, count]).astype(np.int64)[:, order].tobytes()


def rank_labels(
    labels: Sequence[Label], codes: Codes | Integers, *, missing_first: bool = False
) -> tuple[list[Label], Integers]:
    """Number labels that occur by their text, a missing one last or first."""
    # labels that no row has are left out, as another reading of the file may not list them
    ordered = sorted(np.unique(codes).tolist(), key=lambda code: labels[code] or "")
    used = sorted(ordered, key=lambda code: (labels[code] is None) != missing_first)
    rank = np.zeros(len(labels), np.int64)
    rank[used] = np.arange(len(used))
    return [labels[code] for code in used], rank[codes]


def choose_levels(
    table: Table | Events,
    *,
    by: Mapping[str, Hierarchy],
    among: Sequence[Mapping[str, int] | ChosenLevels],
    domain: Sequence[object] | Hierarchy,
    epsilon: Amount,
    above: int = 5,
    neighbours: Neighbours = "add or remove",
    outside: Outside = "other",
    values_per_person: int | None = None,
    rows_per_person: int | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    cells: int = CELLS_AT_MOST,
) -> ChosenLevels:
    """Choose the levels that fit the data best, at a cost of ε.

    The score of levels is detail × people who stand out of the noise: log(cells) × Σ max(count − above, 0).  One
    person changes the sum by at most one (or as often as they count), and OpenDP's noisy maximum picks by it.

    Args:
        table: as in `noisy_counts`.
        by: hierarchies that list every label there could be.
        among: the levels to choose from, themselves fixed in advance, or chosen before and paid from the same ledger.
        domain: every sensitive value that there could be.
        epsilon: what the choice may cost, on top of the counts.
        above: counts up to this are lost in the noise of the counts; about 3 / ε of theirs.
        neighbours: as in `noisy_counts`.
        outside: as in `noisy_counts`.
        values_per_person: as in `noisy_counts`.
        rows_per_person: as in `noisy_counts`.
        ledger: the same one that the counts are paid from.
        cells: as in `noisy_counts`.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> chosen = choose_levels(
    ...     adult.table, by=adult.hierarchies, among=[{"age": 0, "sex": 0}, {"age": 3, "sex": 0}, {"age": 5, "sex": 1}],
    ...     domain=sl.datasets.OCCUPATIONS, epsilon=0.5, above=30, ledger="no ledger")
    >>> dict(chosen.levels), chosen.spending.epsilon
    ({'age': 3, 'sex': 0}, Fraction(1, 2))

    Source: McSherry and Talwar, FOCS 2007; McKenna and Sheldon, NeurIPS 2020 (the noisy maximum that is drawn).
    """
    expect_countable(table)
    # all that may be refused is refused before the budget is touched
    if isinstance(among, Mapping | str | ChosenLevels) or not isinstance(among, Sequence):
        raise WrongKind(f'{parameter("among")} should be a list of levels, such as [{{"age": 2}}, {{"age": 3}}]')
    if not among:
        raise BadNoise(f"{parameter('among')} lists no levels to choose from; list at least one")
    cost, hierarchies = exact_epsilon(epsilon), as_hierarchies(by)
    refuse_useless(cost)
    units_changed(neighbours)  # refuses others
    above = whole_number(above, BadNoise, parameter("above"))
    opened = open_ledger(ledger)
    accepted = [
        accept_levels(levels, table=table, by=hierarchies, neighbours=neighbours, ledger=opened) for levels in among
    ]
    candidates = [levels for levels, _, _ in accepted]
    if any(paid is not None and not used for _, paid, used in accepted):  # what they cost would be forgotten
        raise BadNoise(
            f"one of {parameter('among')} was itself chosen from the data, and no ledger knows for how much; list "
            f"levels that were fixed in advance, or give both choices the same {parameter('ledger')}"
        )
    domains = [Domain.declare(hierarchies, each, domain, outside=outside, cells=cells) for each in candidates]
    unit = PrivacyUnit.of(table, values_per_person, rows_per_person=rows_per_person, values=len(domains[0].values))
    # exact scores: they never leave this function, only the noisy winner does
    scores = _score([each.count(table, hierarchies, at_most=unit.at_most) for each in domains], above)
    noise = round_down(cost), neighbours, FULL_DETAIL * unit.at_most
    _build_noisy_maximum(*noise)  # found before it is paid for
    digests, key = tuple(candidate_digest(each, hierarchies) for each in candidates), secrets.token_bytes(32)
    commitment = commitment_to(table, digests, key)
    spending = Spending(f"choosing one of {len(among)} levels for {table.sensitive}", cost, Fraction(0), neighbours)
    before = sum((paid.epsilon for _, paid, _ in accepted if paid is not None), Fraction(0))
    using = [each for _, _, used in accepted for each in used]
    warn_without_ledger(ledger)
    # paid before it is drawn, as counts are
    with paying(opened, spending, commitment=commitment, using=using) as receipt:
        drawn = _noisy_maximum(scores, *noise)
        winner = winner_digest(digests[drawn], key)
        if opened is not None and receipt is not None:
            opened.enter_winner(receipt, winner)
    total = replace(spending, epsilon=cost + before)
    return ChosenLevels(searched_levels(candidates[drawn]), total, key, digests, commitment, winner, receipt)


def _score(candidates: Sequence[Integers], above: int) -> list[int]:
    """Return detail × people who stand out of the noise, of the counts of each candidate."""
    sizes = [math.log(counts.size) for counts in candidates]
    # levels of a single cell have a logarithm of 0, by which nothing can be divided
    finest = max(*sizes, 1e-9)
    details = (math.floor(FULL_DETAIL * size / finest) for size in sizes)
    standing_out = (int(np.maximum(counts - above, 0).sum()) for counts in candidates)
    return [detail * people for detail, people in zip(details, standing_out, strict=True)]


def _noisy_maximum(scores: Sequence[int], epsilon: float, neighbours: Neighbours, sensitivity: int) -> int:
    """Draw the index of the winner with OpenDP; one person moves a score by `sensitivity` at most."""
    return int(_build_noisy_maximum(epsilon, neighbours, sensitivity)(list(scores)))


@functools.lru_cache(maxsize=16)
def _build_noisy_maximum(epsilon: float, neighbours: Neighbours, sensitivity: int) -> Any:  # noqa: ANN401 - OpenDP has no types
    """Build the noisy maximum with the smallest scale that costs no more than ε, which takes OpenDP a while to find."""
    dp = opendp()
    distance = dp.linf_distance(T="i64", monotonic=neighbours == "add or remove")
    space = dp.vector_domain(dp.atom_domain(T="i64")), distance

    def noisy_max(scale: float) -> object:
        return dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)

    return noisy_max(dp.binary_search_param(noisy_max, d_in=sensitivity, d_out=epsilon))
