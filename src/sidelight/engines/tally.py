"""From counts of an engine to sorted keys: set rows aside, add up the others, check people.

tally_levels     the columns by which the engine groups rows; `RowCounts` are its answer, at once or batch by batch
add_tally        sets aside what the roles exclude (suppressed rows, missing values), and adds up the rest (`Totals`)
check_totals     raises for rows that changed, for no rows, and for missing values that no role explains
check_people     raises unless each person is in one group, and in "single" on one row
sort_rows        all of this for the rows of any engine, as a `KeyStream`, held or in bounded memory
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sidelight.arrays import Flags, Integers, add_up, number_keys, sum_equal_rows
from sidelight.engines.source import Rows, changed_while_read, collect_batches, list_cells, numpy_integers
from sidelight.errors import BadTable, MissingValues, parameter
from sidelight.streams.key_stream import WEIGHT_UNIT, KeyStream, ValueIndices, refuse_too_heavy, weights
from sidelight.streams.sorted_runs import Packing, SortedRuns, Words
from sidelight.table.cell_lists import list_separator, no_value_hint
from sidelight.table.labels import SUPPRESSED, Column, JointDomain, Label
from sidelight.table.table import Intake
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory
    from sidelight.table.roles import Roles


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Counts of an engine: per packed row how often it counts (`counts`) and how many raw rows it is (`rows`)."""

    packing: Packing
    words: Words
    counts: Integers  # none where every row counts once
    rows: Integers

    def values(self) -> Integers:
        """Return the code of each row's sensitive value."""
        return self.packing.values(self.words, self.packing.keys(self.words))

    def leave_out(self, which: Flags) -> RowCounts:
        """Return the counts without some rows."""
        if not which.any():
            return self
        kept = ~which
        return RowCounts(self.packing, [word[kept] for word in self.words], self.counts[kept], self.rows[kept])


@dataclass
class Totals:
    """Sums over rows that are added up while they come in."""

    rows: int = 0
    suppressed: int = 0
    without_value: int = 0
    repeats: int = 0
    counted: int = 0
    missing: dict[str, int] = field(default_factory=dict)  # rows without a value, by sensitive column
    values: Integers = field(default_factory=lambda: np.zeros(0, np.int64))  # packed values that occur, rising
    amounts: Integers = field(default_factory=lambda: np.zeros(0, np.int64))  # how often each of them occurs

    def add_values(self, values: Integers, counts: Integers | None, width: int) -> None:
        """Count how often each packed value occurs, all below `width`."""
        number, first = number_keys(values, below=width)
        amounts = np.bincount(number, minlength=len(first)) if counts is None else add_up(number, counts, len(first))
        self._join(values[first], amounts)

    def _join(self, values: Integers, amounts: Integers) -> None:
        both = [np.concatenate((self.values, values))], np.concatenate((self.amounts, amounts))
        (self.values,), self.amounts = sum_equal_rows(*both)

    def merge(self, other: Totals) -> Totals:
        """Return the sums over these rows and others."""
        names = ("rows", "suppressed", "without_value", "repeats", "counted")
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        missing = {name: many + other.missing[name] for name, many in self.missing.items()}
        merged = Totals(**sums, missing=missing, values=self.values, amounts=self.amounts)
        merged._join(other.values, other.amounts)
        return merged


def tally_levels(rows: Rows, roles: Roles) -> tuple[tuple[str, ...], ...]:
    """Return the columns that group rows to count values, by level; in "set" a person's repeats count once."""
    once = (("person", *rows.key_and_value),) if roles.values == "set" else ()
    return (*once, rows.key_and_value)


def people_levels(rows: Rows) -> tuple[tuple[str, ...], ...]:
    """Return the columns that group rows to count the people of each key, by level."""
    return ("person", *rows.key), rows.key


def counted_rows(rows: Rows, *levels: tuple[str, ...], counting: bool = False, nameless: bool = False) -> pa.Table:
    """Hold the engine's answer to `Rows.counted`."""
    sums = ("parts", "rows") if len(levels) > 1 else ("rows",)
    return collect_batches(rows.counted(*levels, counting=counting, nameless=nameless), (*levels[-1], *sums))


def read_tally(answer: pa.Table, rows: Rows, packing: Packing, roles: Roles) -> RowCounts:
    """Pack an engine's answer to `tally_levels`."""
    # in "set" a group has one part per person, so a person's repeated value counts once; `raw` keeps the repeats
    raw = numpy_integers(answer.column("rows"))
    counts = numpy_integers(answer.column("parts")) if roles.values == "set" else raw
    return RowCounts(packing, rows.words(answer, packing, rows.key_and_value), counts, raw)


def find_valueless(tally: RowCounts, roles: Roles) -> dict[str, Flags]:
    """Flag the rows without a value, by sensitive column; empty if missing is a value, or if all rows have one."""
    if roles.missing == "a value" or not any(None in labels for labels in tally.packing.value_labels):
        return {}
    codes = tally.packing.value_codes(tally.values())
    return {
        name: code == labels.index(None) if None in labels else np.zeros(len(code), bool)
        for name, labels, code in zip(roles.value_columns, tally.packing.value_labels, codes, strict=True)
    }


def refuse_valueless(missing: Mapping[str, int], rows: int, roles: Roles) -> None:
    """Raise `MissingValues` if rows lack a sensitive value; `missing` maps each column to their number."""
    for name, many in missing.items():
        if many:
            raise MissingValues(
                f"{many:,} of {counted(rows, 'row')} {form('has', many)} no '{name}'; "
                f"say {parameter('missing', 'a value')} to count that as a value, {no_value_hint(roles)}"
                f"or {parameter('missing', 'drop')} to drop the rows"
            )


def add_tally(tally: RowCounts, totals: Totals, entries: SortedRuns, roles: Roles) -> None:
    """Set aside what the roles exclude, and add up the rest."""
    packing, once = tally.packing, len(tally.counts) == 0
    totals.rows += len(tally.words[0]) if once else int(tally.rows.sum())
    star = None if roles.suppressed == "a group" else packing.key_of(SUPPRESSED)
    gaps = roles.missing != "a value" and any(None in labels for labels in packing.value_labels)
    # rows are about to be filtered, which needs counts of the same length as the words
    if once and (star is not None or gaps):
        ones = np.ones(len(tally.words[0]), np.int64)
        tally, once = replace(tally, counts=ones, rows=ones), False
    # suppressed rows go first, so that those of them without a value are not reported as missing values
    if star is not None:
        same = [word == number for word, number in zip(packing.keys(tally.words), star, strict=True)]
        suppressed: Flags = np.logical_and.reduce(same)
        totals.suppressed += int(tally.rows[suppressed].sum())
        tally = tally.leave_out(suppressed)
    without = np.zeros(len(tally.counts), bool)
    for name, missing in find_valueless(tally, roles).items():
        totals.missing[name] += int(tally.rows[missing].sum())
        without |= missing
    totals.without_value += int(tally.rows[without].sum())
    rest = tally.leave_out(without)
    counts = None if once else rest.counts
    totals.add_values(rest.values(), counts, packing.width)
    if not once:
        totals.repeats += int(rest.rows.sum() - rest.counts.sum())
    totals.counted += len(rest.words[0])
    # rows that say that there is no value make a key, and count for nothing
    kept = tally if roles.missing == "no value" else rest
    entries.add(kept.words, None if once else kept.counts)


def check_totals(totals: Totals, rows: Rows, roles: Roles) -> None:
    """Raise if rows changed, if there are none, or if values are missing and no role explains them."""
    if rows.source.rows not in {None, totals.rows}:  # rows with cells that the first pass did not see would be lost
        raise changed_while_read(rows.source.name)
    if totals.rows == 0:
        raise BadTable(f"{rows.source.name} has no rows; give at least one person")
    if roles.missing == "an error":
        refuse_valueless(totals.missing, totals.rows - totals.suppressed, roles)
    if totals.counted == 0:
        raise BadTable("no rows are left after leaving out the suppressed ones and those without a sensitive value")


def check_people(rows: Rows, roles: Roles) -> None:
    """Raise unless every row has a person, and every person one key (in "single" one row).

    Groups must be disjoint: a person whose rows differ in a quasi-identifier would be in two of them.
    The message has the number of such people, never who they are.
    """
    nameless, scattered = rows.count_misplaced(single=roles.values == "single")
    if nameless:
        raise BadTable(
            f"{nameless:,} rows have no '{roles.person}'; give every row its person, or leave {parameter('person')} out"
        )
    if scattered:
        people = "1 person has" if scattered == 1 else f"{scattered:,} people have"
        if roles.values == "single":
            wrong = f'more than one row; give one row each, or say {parameter("values", "set")} or "multiset"'
        else:
            wrong = f"rows that differ in a {roles.quasi_word} column; give each person one place"
        raise BadTable(f"{people} {wrong} (column '{roles.person}')")


def sort_rows(
    rows: Rows, roles: Roles, packing: Packing, tallies: Iterable[RowCounts], memory: Memory | None
) -> KeyStream:
    """Add up the rows of an engine and sort them by key; without `memory` all of them are held."""
    words = len(packing.layout)
    room = np.iinfo(np.int64).max if memory is None else memory.rows_to_sort(words)
    entries, people, weight_runs = (SortedRuns(words, int(room), rows.source.rows) for _ in range(3))
    totals = Totals(missing=dict.fromkeys(roles.value_columns, 0))
    for tally in tallies:
        add_tally(tally, totals, entries, roles)
    # totals are checked before people are counted, which takes another pass over all rows
    check_totals(totals, rows, roles)
    if roles.person_column is not None:
        check_people(rows, roles)
    single = roles.values == "single"
    for answer in () if single else _answers(rows, people_levels(rows), memory):
        people.add(rows.words(answer, packing, rows.key), numpy_integers(answer.column("parts")))
    stream = build_stream(
        rows,
        roles,
        packing,
        totals,
        entries=entries,
        people_per_key=None if single else people,
        everybody=None if single else sum(int(counts.sum()) for _, counts in people.batches()),
    )
    return stream if roles.weight is None else _add_weights(stream, rows, weight_runs, memory)


def _answers(rows: Rows, levels: tuple[tuple[str, ...], ...], memory: Memory | None) -> Iterator[pa.Table]:
    """Yield the engine's counts: batch by batch if memory is limited, else at once."""
    if memory is None:
        yield counted_rows(rows, *levels, counting=True)
        return
    for batch in rows.counted(*levels, counting=True):
        yield pa.Table.from_batches([batch])


def _add_weights(stream: KeyStream, rows: Rows, runs: SortedRuns, memory: Memory | None) -> KeyStream:
    """Have the engine count the people of each key and weight, and add up their weights."""
    roles = stream.roles
    assert roles.weight is not None
    by = (*rows.key, "weight")
    # each person's weight counts once
    levels = (by,) if roles.person_column is None else (("person", *by), by)
    weight, people = 0, 0
    for answer in _answers(rows, levels, memory):
        cells = [rows.roles.label(cell) for cell in list_cells(answer.column("weight"))]
        many = numpy_integers(answer.column("rows" if roles.person_column is None else "parts"))
        amounts = weights(Column.of(roles.weight, cells), many)
        # Python's integers cannot overflow; the sum is checked before int64 sums per key could
        people, weight = people + int(many.sum()), weight + int(amounts.sum())
        refuse_too_heavy(roles.weight, weight / WEIGHT_UNIT)
        runs.add(rows.words(answer, stream.packing, rows.key), amounts)
    # grouping by person, key and weight splits a person with two weights, which raises the count of people
    if people != stream.people:
        raise BadTable(f"somebody's rows differ in '{roles.weight}'; give each person one weight")
    return replace(stream, weight_per_key=runs, weight=weight)


def build_stream(
    rows: Rows,
    roles: Roles,
    packing: Packing,
    totals: Totals,
    *,
    entries: SortedRuns,
    people_per_key: SortedRuns | None,
    everybody: int | None,
) -> KeyStream:
    """Build the stream of sorted rows; `everybody` is the number of people if values do not add up to it."""
    values, amounts = totals.values, totals.amounts
    codes = zip(roles.value_columns, packing.value_labels, packing.value_codes(values), strict=True)
    columns = tuple(Column(name, labels, code).declare(roles.domain_of(name)) for name, labels, code in codes)
    # of several sensitive columns, the values are the combinations that occur, of which each packed one is another
    domain: tuple[Label, ...] = columns[0].labels if len(columns) == 1 else JointDomain(columns)
    indices = columns[0].codes.astype(np.int64) if len(columns) == 1 else np.arange(len(values))
    intake = build_intake(
        rows,
        roles,
        totals.rows,
        valueless=totals.without_value,
        rows_suppressed=totals.suppressed,
        repeats=totals.repeats,
        cell_separator=list_separator(packing.labels[-1]),
        missing_marks=roles.missing_marks,
    )
    return KeyStream(
        roles,
        packing,
        domain,
        add_up(indices, amounts, len(domain)),
        int(amounts.sum()) if everybody is None else everybody,
        intake,
        entries,
        people_per_key,
        ValueIndices.build(values, indices, packing.width),
        rows.roles,
        rows.source.texts,
    )


def build_intake(rows: Rows, roles: Roles, total: int, *, valueless: int, **further: Any) -> Intake:  # noqa: ANN401
    """Build the record of reading `total` rows, `valueless` of them without a sensitive value; `further` are fields."""
    people_without = roles.missing == "no value"  # such rows are people, who have no value by them
    return Intake(
        rows=total,
        columns_dropped=rows.source.dropped,
        rows_without_value=0 if people_without else valueless,
        rows_saying_no_value=valueless if people_without else 0,
        files=rows.source.files,
        source_notes=rows.source.notes,
        roles=roles.choices(),
        **further,
    )
