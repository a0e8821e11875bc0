"""Read a table about people: one GROUP BY in the engine that holds the rows, and only counts come out.

    rows_of       whatever was given, as rows to count (`files`)
    _tally        how often each packed key and value occurs
    _tabulate     what the roles set aside (suppressed rows, missing values), then the table
    check_people  is everybody in one group, and in "single" on one row?  how many people has each key?

`read_profiles` asks the same engines for the values that each person has together, `read_domain` reads which sensitive
values there could be: they come from a code book, never from the table that is to be published, as values that nobody
happens to have belong in it too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sidelight.arrays import Integers, add_up, number_keys, number_rows, ranges, run_starts, sum_equal_rows
from sidelight.engines.files import changed_while_read, columns_in_words, columns_of, nearest_column, rows_of
from sidelight.engines.source import Rows, collect_batches, list_cells, number_cells, numpy_integers
from sidelight.errors import (
    BadTable,
    MissingValues,
    UnknownColumn,
    WrongKind,
    did_you_mean,
    expect_or_none,
    listed,
    parameter,
)
from sidelight.files import read_whole
from sidelight.streams.key_stream import carry, weights
from sidelight.table.cell_lists import (
    CellLists,
    intake_of_lists,
    keep_cells,
    list_separator,
    no_value_hint,
    split_cells,
    whole_cells,
)
from sidelight.table.labels import (
    SUPPRESSED,
    Column,
    ColumnKind,
    JointDomain,
    Label,
    Semantics,
    are_digits,
    hint_label,
    kind_of_labels,
    shown,
)
from sidelight.table.roles import Domain, Missing, Roles, check_labels
from sidelight.table.table import Counts, Intake, Profiles, Table
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory
    from sidelight.streams.sorted_runs import Packing, Words


def read_table(
    source: object,
    *,
    quasi: str | Sequence[str],
    sensitive: str | Sequence[str],
    person: str | None = None,
    values: Semantics = "single",
    missing: Missing = "an error",
    missing_marks: str | Sequence[object] = (),
    domain: Sequence[object] | Mapping[str, Sequence[object]] | None = None,
    keep: str | Sequence[str] = (),
    weight: str | None = None,
    split: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    kinds: Mapping[str, object] | None = None,
) -> Table:
    """Read what a publisher holds: who has which sensitive value, by quasi-identifiers.

    Args:
        source: a path, glob or list of paths of CSV, TSV or Parquet files (also `.gz`, `.zst`), of Excel, Stata,
            SPSS or SAS files (the extra `files`), "-" for standard input, the address of a table in PostgreSQL
            ("postgresql://…?table=…", the extra `postgres`), or a pandas, polars, pyarrow, DuckDB or Spark table.  Rows
            stay there; only counts come out.
        quasi: the columns that an outsider may know.  A missing cell is a label of its own.
        sensitive: the column that nobody should learn, or several: their cells then stand together, a combination per
            person, and each column has a view of its own (`table.about("income")`).
        person: the column that says whose row it is, which is checked; needed when people have several values.
            "each row" says, unchecked, that every row is a person of their own.
        values: "single" (one value, one row per person), "set" (a repeated value of a person counts once) or
            "multiset" (every row counts).
        missing: what a missing sensitive value means: "an error", "a value", "drop", or "no value" (in "set" and
            "multiset": the person counts, and has no value by this row).
        missing_marks: texts that mean missing, such as "?".
        domain: all values that could occur, in order; default: those that occur, sorted.  With several sensitive
            columns a mapping, `{"income": ["low", "high"]}`.
        keep: columns that are published as they are, beside what was protected: nothing judges them, and how many
            people they single out is told.
        weight: such a column with sampling weights, numbers of at least 0: how many people of the population somebody
            stands for (`IndividualRisk`).
        split: what stands between the values in a cell that holds several, such as "|"; then a row is a person, and
            `values` is "set" or "multiset".
        encoding: how the letters of text files are written, such as "cp1252" or "utf-16"; default: UTF-8.
        sheet: which sheet of a spreadsheet; default: the only one with something on it.
        kinds: what columns are, such as `{"region": "category"}`: "category", "ordered", "number" or "date", or the
            labels of an ordered one in their order; default: by type and labels (text and codes are categories).

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["00734", "00734", None], "sex": ["f", "f", "m"], "disease": ["Flu", "Cold", "Flu"]})
    >>> read_table(rows, quasi=["zip", "sex"], sensitive="disease")
    <Table of 3 people: zip, sex → disease (2 values)>
    """
    return table_from(source, Roles.from_keywords(locals()))


def table_from(source: object, roles: Roles) -> Table:
    """Read what a publisher holds by roles; nothing of it is suppressed yet, whatever they say."""
    if isinstance(source, Table):
        message = "that is a Table already; use it as it is, or read its source anew"
        raise WrongKind(message)
    roles = replace(roles, suppressed=None).complete()
    if roles.carried:
        return _read_carried(source, roles)
    if roles.split is not None:
        return _read_lists(source, roles, roles.split, table_from)
    with rows_of(source, roles) as rows:
        table = _tabulate(rows, rows.roles, keep_people=False)
        texts = rows.source.texts
        quasi = tuple(replace(column, kind=kind_by_type(column, rows.roles, texts)) for column in table.quasi)
        check_kinds(table, rows.roles)
    return _attach_profiles(replace(table, quasi=quasi), source, roles)


def _read_carried(source: object, roles: Roles) -> Table:
    """Count by the columns that are carried along too, then take them out of the keys."""
    if roles.values != "single":
        message = (
            f"{parameter('keep')} is for people with one value, who are published a row each; "
            f"with {parameter('values', roles.values)} only counts are published: leave it out"
        )
        raise BadTable(message)
    finer = table_from(source, replace(roles, quasi=(*roles.quasi, *roles.carried), keep=(), weight=None))
    table = carry(finer, len(roles.carried))
    assert table.carried is not None
    carried = replace(table.carried, weight=roles.weight)
    table = replace(table, carried=carried, intake=replace(table.intake, roles=roles.choices()))
    if roles.weight is None:
        return table
    amounts = weights(carried.columns[roles.carried.index(roles.weight)], carried.count)
    return replace(table, weights=add_up(carried.key, amounts, len(table.sizes)))


def kind_by_type(column: Column, roles: Roles, texts: Collection[str]) -> ColumnKind | None:
    """Return the kind that was declared or that the type decides; text is no number, unless marks made it text."""
    kind = roles.kind_of(column.name)
    # with missing marks, a column of numbers may be stored as text only so that the marks fit in
    is_text = column.name in texts and not roles.missing_marks
    may_be_numbers = kind_of_labels(column.labels) == "number" or are_digits(column.labels)
    return "category" if kind is None and is_text and may_be_numbers else kind


def check_kinds(table: Table, roles: Roles) -> None:
    """Refuse kinds of columns that are not there, or that their labels cannot have."""
    quasi = {column.name: column for column in table.quasi}
    others = (*table.intake.columns_dropped, *table.sensitive_columns, *([roles.person] if roles.person else []))
    for name, kind in roles.kinds:
        if name in quasi:
            check_labels(name, kind, quasi[name].labels)
        elif name not in others:
            message = f"no column '{name}', of which {parameter('kinds')} says what it is{did_you_mean(name, quasi)}"
            raise UnknownColumn(message)


def tabulate(source: object, roles: Roles, *, keep_people: bool = False, memory: Memory | None = None) -> Table:
    """Have the engine that holds the rows count them, in bounded memory if need be; `roles` are complete."""
    if roles.split is not None:
        return _read_lists(source, roles, roles.split, tabulate)
    with rows_of(source, roles, memory=memory) as rows:
        table = _tabulate(rows, roles, keep_people=keep_people)
    return _attach_profiles(table, source, roles)


def _attach_profiles(table: Table, source: object, roles: Roles) -> Table:
    """Let the engine be asked again, and once, which values people have together, where they have several."""
    if roles.values == "single":
        return table
    return replace(table, read_profiles=lru_cache(maxsize=1)(partial(read_profiles, source, roles)))


def _read_lists(source: object, roles: Roles, separator: str, read: Callable[[object, Roles], Table]) -> Table:
    """Count whole cells, of which each person has one, and take them apart afterwards."""
    # a whole cell is one value, so the engine still answers one GROUP BY; distinct cells are then split here
    table = read(source, whole_cells(roles))
    lists = CellLists.of(table.domain, separator, roles.values or "set", roles.missing_marks)
    rows = lists.count_valueless(table.counts.totals(), roles, weighed=table.weights is not None)
    if rows and roles.missing == "drop":
        table = keep_cells(table, ~lists.empty)
    domain = roles.domain_of(roles.value_columns[0])
    table = replace(table, intake=intake_of_lists(table.intake, roles, rows))
    return split_cells(table, separator, roles.values or "set", domain, roles.missing_marks)


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Counts of an engine: per packed row how often it counts (`counts`) and how many raw rows it is (`rows`)."""

    packing: Packing
    words: Words
    counts: Integers
    rows: Integers

    def values(self) -> Integers:
        """Return the code of each row's sensitive value."""
        return self.packing.values(self.words, self.packing.keys(self.words))

    def without(self, which: npt.NDArray[np.bool_]) -> RowCounts:
        """Leave some rows out."""
        if not which.any():
            return self
        kept = ~which
        return RowCounts(self.packing, [word[kept] for word in self.words], self.counts[kept], self.rows[kept])


def _tabulate(rows: Rows, roles: Roles, *, keep_people: bool) -> Table:
    """Count everything, set aside what the roles say, and put the table together."""
    # all rows are counted first: their total shows whether the source changed between the passes
    all_counts = _tally(rows, roles)
    total = int(all_counts.rows.sum())
    if rows.source.rows not in {None, total}:  # rows with cells that the first pass did not see would be lost
        raise changed_while_read(rows.source.name)
    if total == 0:
        message = f"{rows.source.name} has no rows; give at least one person"
        raise BadTable(message)
    # suppressed rows go first, so that those of them without a value are not reported as missing values
    present = all_counts.without(suppressed_rows(all_counts, roles))
    rest = present.without(valueless(present, roles))
    if len(rest.counts) == 0:
        message = "no rows are left after leaving out the suppressed ones and those without a sensitive value"
        raise BadTable(message)
    intake = build_intake(
        rows,
        roles,
        total,
        valueless=int(present.rows.sum() - rest.rows.sum()),
        rows_suppressed=total - int(present.rows.sum()),
        repeats=int(rest.rows.sum() - rest.counts.sum()),
        cell_separator=list_separator(rest.packing.labels[-1]),
        missing_marks=roles.missing_marks,
    )
    table = _build_table(present if roles.missing == "no value" else rest, rows, roles, intake)
    if roles.weight is not None:
        answer = counted_rows(rows, *weight_levels(rows, roles), counting=True)
        words, amounts, weighed = weights_in(answer, rows, rest.packing)
        check_weighed(weighed, table.people, roles)
        table = replace(table, weights=sum_equal_rows(words, amounts)[1])
    return replace(table, names=keys_of_people(rows, rest.packing, roles)) if keep_people else table


def build_intake(rows: Rows, roles: Roles, total: int, *, valueless: int, **further: Any) -> Intake:  # noqa: ANN401
    """Write down what reading did to `total` rows, of which some have no sensitive value; `further` are fields."""
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


def _tally(rows: Rows, roles: Roles) -> RowCounts:
    answer = counted_rows(rows, *tally_levels(rows, roles))
    packing = rows.packing(answer)
    # in "set" a group has one part per person, so a person's repeated value counts once; `raw` keeps the repeats
    raw = numpy_integers(answer.column("rows"))
    counts = numpy_integers(answer.column("parts")) if roles.values == "set" else raw
    return RowCounts(packing, rows.words(answer, packing, rows.key_and_value), counts, raw)


def tally_levels(rows: Rows, roles: Roles) -> tuple[tuple[str, ...], ...]:
    """Return by what rows are grouped to count values; in "set" a person's repeated value counts once."""
    once = (("person", *rows.key_and_value),) if roles.values == "set" else ()
    return (*once, rows.key_and_value)


def counted_rows(rows: Rows, *levels: tuple[str, ...], counting: bool = False, nameless: bool = False) -> pa.Table:
    """Have the engine group rows, then groups (`Rows.counted`), and hold the answer."""
    sums = ("parts", "rows") if len(levels) > 1 else ("rows",)
    return collect_batches(rows.counted(*levels, counting=counting, nameless=nameless), (*levels[-1], *sums))


def suppressed_rows(tally: RowCounts, roles: Roles) -> npt.NDArray[np.bool_]:
    """Return which rows are left out because every published column is `*`."""
    star = tally.packing.key_of(SUPPRESSED)
    if roles.suppressed == "a group" or star is None:
        return np.zeros(len(tally.counts), bool)
    keys = tally.packing.keys(tally.words)
    same: npt.NDArray[np.bool_] = np.logical_and.reduce(
        [word == number for word, number in zip(keys, star, strict=True)]
    )
    return same


def valueless(tally: RowCounts, roles: Roles) -> npt.NDArray[np.bool_]:
    """Return which rows have no sensitive value and are left out for it, or refuse them."""
    without = np.zeros(len(tally.counts), bool)
    if roles.missing == "a value" or not any(None in labels for labels in tally.packing.value_labels):
        return without
    for name, missing in valueless_by_column(tally, roles):
        if roles.missing == "an error":
            refuse_valueless({name: int(tally.rows[missing].sum())}, int(tally.rows.sum()), roles)
        without |= missing
    return without


def valueless_by_column(tally: RowCounts, roles: Roles) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Return which rows have no value, sensitive column by column."""
    codes = tally.packing.value_codes(tally.values())
    for name, labels, code in zip(roles.value_columns, tally.packing.value_labels, codes, strict=True):
        yield name, code == labels.index(None) if None in labels else np.zeros(len(code), bool)


def refuse_valueless(missing: Mapping[str, int], rows: int, roles: Roles) -> None:
    """Refuse sensitive columns of which some rows say nothing; `missing` has how many, by column."""
    for name, many in missing.items():
        if many:
            message = (
                f"{many:,} of {counted(rows, 'row')} {form('has', many)} no '{name}'; "
                f"say {parameter('missing', 'a value')} to count that as a value, {no_value_hint(roles)}"
                f"or {parameter('missing', 'drop')} to drop the rows"
            )
            raise MissingValues(message)


def _build_table(tally: RowCounts, rows: Rows, roles: Roles, intake: Intake) -> Table:
    """Put the table together; with missing="no value" the tally has rows that make a key and count for nothing."""
    packing = tally.packing
    # Words order rows by key and then by value, so the entries of the matrix come out sorted, as `from_sorted` needs.
    words, counts = sum_equal_rows(tally.words, tally.counts)
    keys = packing.keys(words)
    first = run_starts(keys)
    distinct = [word[first] for word in keys]
    quasi = tuple(
        Column(name, labels, codes, roles.kind_of(name)).compact()
        for name, labels, codes in zip(roles.quasi, packing.labels, packing.key_codes(distinct), strict=False)
    )
    row, codes = np.cumsum(first) - 1, packing.values(words, keys)
    if roles.missing == "no value" and None in packing.labels[-1]:  # which only one sensitive column can say
        valued = codes != packing.labels[-1].index(None)
        row, codes, counts = row[valued], codes[valued], counts[valued]
    domain, values = domain_of_values(packing, codes, roles)
    matrix = Counts.from_sorted(row, values, counts, (len(distinct[0]), len(domain)))
    if roles.person_column is not None:
        check_people(rows, roles)
    sizes = matrix.per_row()
    if roles.values != "single":
        answer = counted_rows(rows, *people_levels(rows), counting=True)
        # sorted by key as the table's rows are, so sizes line up with them without a join
        sizes = sum_equal_rows(rows.words(answer, packing, rows.key), numpy_integers(answer.column("parts")))[1]
    sizes.flags.writeable = False
    return Table(quasi, ", ".join(roles.value_columns), domain, sizes, matrix, roles.values or "single", intake)


def domain_of_values(packing: Packing, values: Integers, roles: Roles) -> tuple[tuple[Label, ...], Integers]:
    """Return all values and each row's code; with several sensitive columns, the combinations that occur."""
    # `values`: (rows,) packed; `codes`: (rows,) from 0; `first`: (distinct,), one row for each combination
    codes, first = number_keys(values, below=packing.width)
    columns = tuple(
        _keep_declared(Column(name, labels, code), roles.domain_of(name))
        for name, labels, code in zip(
            roles.value_columns, packing.value_labels, packing.value_codes(values[first]), strict=True
        )
    )
    if len(columns) > 1:
        return JointDomain(columns), codes
    return columns[0].labels, columns[0].codes[codes].astype(np.int64)


def _keep_declared(column: Column, declared: tuple[Label, ...] | None) -> Column:
    """Keep the declared values of a sensitive column, or those that occur."""
    if declared is None:
        return column.compact()
    # Declared values have the first codes, in their order; a code beyond them is an undeclared value.
    beyond = int(column.codes.max(initial=-1))
    if beyond >= len(declared):
        value = hint_label(column.labels[beyond])
        message = f"'{value}' occurs in '{column.name}' but is not in {parameter('domain')}; add it there"
        raise BadTable(message)
    return Column(column.name, declared, column.codes)


def people_levels(rows: Rows) -> tuple[tuple[str, ...], ...]:
    """Return by what rows are grouped to count the people of each key."""
    return ("person", *rows.key), rows.key


def weight_levels(rows: Rows, roles: Roles) -> tuple[tuple[str, ...], ...]:
    """Return by what rows are grouped to add up weights: everybody's weight counts once."""
    by = (*rows.key, "weight")
    return (by,) if roles.person_column is None else (("person", *by), by)


def weights_in(answer: pa.Table, rows: Rows, packing: Packing) -> tuple[Words, Integers, int]:
    """Return the keys of an answer, what those who have them weigh, and how many people these are."""
    roles = rows.roles
    assert roles.weight is not None
    cells = [roles.label(cell) for cell in list_cells(answer.column("weight"))]
    counts = numpy_integers(answer.column("rows" if roles.person_column is None else "parts"))
    amounts = weights(Column.of(roles.weight, cells), counts)
    return rows.words(answer, packing, rows.key), amounts, int(counts.sum())


def check_weighed(weighed: int, people: int, roles: Roles) -> None:
    """Refuse people with several weights."""
    # grouping by person, key and weight splits a person with two weights, which raises the count of people
    if weighed != people:
        message = f"somebody's rows differ in '{roles.weight}'; give each person one weight"
        raise BadTable(message)


def keys_of_people(rows: Rows, packing: Packing, roles: Roles) -> dict[str, int]:
    """Return which key each person has, by name."""
    answer = counted_rows(rows, ("person", *rows.key), counting=True)
    words = rows.words(answer, packing, rows.key)
    # People are numbered by the order of their keys, which is that of the table's rows: both sort the same words.
    order = np.lexsort(words[::-1])
    key = np.empty(len(order), np.int64)
    key[order] = np.cumsum(run_starts([word[order] for word in words])) - 1
    names = [shown(roles.label(cell)) for cell in list_cells(answer.column("person"))]
    keys = dict(zip(names, key.tolist(), strict=True))
    if len(keys) < len(names):
        message = f"{len(names) - len(keys):,} people share a name in '{roles.person}'; give each one of their own"
        raise BadTable(message)
    return keys


def check_people(rows: Rows, roles: Roles) -> None:
    """Check that every row has a person, and every person one key (in "single" even one row).

    Groups must be disjoint: a person whose rows differ in a quasi-identifier would sit in two of them.
    The message says how many people it is about, never who.
    """
    nameless, scattered = rows.count_misplaced(single=roles.values == "single")
    if nameless:
        message = (
            f"{nameless:,} rows have no '{roles.person}'; give every row its person, or leave {parameter('person')} out"
        )
        raise BadTable(message)
    if scattered:
        people = "1 person has" if scattered == 1 else f"{scattered:,} people have"
        if roles.values == "single":
            wrong = f'more than one row; give one row each, or say {parameter("values", "set")} or "multiset"'
        else:
            wrong = f"rows that differ in a {roles.quasi_word} column; give each person one place"
        message = f"{people} {wrong} (column '{roles.person}')"
        raise BadTable(message)


def read_profiles(source: object, roles: Roles, table: Table) -> Profiles:
    """Return which values each person of a table has, by one GROUP BY of person and value where the rows are.

    People are then numbered by what they have, value after value: those with the same key and values are one row.
    """
    with rows_of(source, roles) as rows:
        answer = counted_rows(rows, ("person", *rows.key_and_value), nameless=True)
        packing = rows.packing(answer)
        words = rows.words(answer, packing, rows.key_and_value)
    keys = packing.keys(words)
    # this pass packs anew and may number labels differently, so keys and values are matched by label
    key = _keys_in(table, packing, keys)
    value = _match_labels(packing.labels[-1], table.domain)[packing.values(words, keys)]
    times = numpy_integers(answer.column("rows"))
    valued = (key >= 0) & (value >= 0)  # the others have no value, which is no value like others
    person = number_cells(answer.column("person"))[valued]
    key, value, times = key[valued], value[valued], times[valued]
    if roles.values == "set":
        times = np.ones_like(times)
    # the second pass must add up to the same counts as the first, else the source has changed since
    now = Counts.from_entries(key, value, times, table.counts.shape)
    if not all(map(np.array_equal, now.entries(), table.counts.entries())):
        raise changed_while_read(rows.source.name)
    return _gather_profiles(table, person, key, value, times)


def _match_labels(labels: Sequence[Label], among: Sequence[Label]) -> Integers:
    place = {text: number for number, text in enumerate(among)}
    return np.array([place.get(text, -1) for text in labels], np.int64)


def _keys_in(table: Table, packing: Packing, keys: Words) -> Integers:
    """Return which row of the table each packed key is; −1 for a key that it does not have."""
    codes = [
        _match_labels(labels, column.labels)[own]
        for labels, column, own in zip(packing.labels, table.quasi, packing.key_codes(keys), strict=False)
    ]
    stacked: list[Integers] = [
        np.concatenate((column.codes.astype(np.int64), own)) + 1 for column, own in zip(table.quasi, codes, strict=True)
    ]
    number, first = number_rows(
        stacked, [len(column.labels) + 1 for column in table.quasi], rows=len(table.sizes) + len(codes[0])
    )
    # the table's rows stand first, each once: the first of equal rows is the table's, or there is none
    row = first[number[len(table.sizes) :]]
    return np.where(row < len(table.sizes), row, -1)


def _gather_profiles(table: Table, person: Integers, key: Integers, value: Integers, times: Integers) -> Profiles:
    """Put people with the same key and values together; those without a value are what is left of each key."""
    order = np.lexsort((value, person))
    person, key, value, times = (each[order] for each in (person, key, value, times))
    starts = np.flatnonzero(run_starts([person]))
    lengths = np.diff(np.append(starts, len(person)))
    # invariant: after r values, people have one number when they have one key, as many values and the same first r
    kind, first = number_rows(
        [key[starts], lengths], [len(table.sizes), int(lengths.max(initial=0)) + 1], rows=len(starts)
    )
    for rank in range(int(lengths.max(initial=0))):
        # people with fewer values read their last one again, at a valid index, and `where` turns it into 0
        has = lengths > rank
        at = starts + np.minimum(rank, lengths - 1)
        parts = [kind, np.where(has, value[at] + 1, 0), np.where(has, times[at], 0)]
        kind, first = number_rows(parts, [int(part.max()) + 1 for part in parts], rows=len(starts))
    people = np.bincount(kind, minlength=len(first))
    # (keys,): those of each key who appear in no profile
    valueless = table.sizes - add_up(key[starts[first]], people, len(table.sizes))
    without = np.flatnonzero(valueless)
    _, place = ranges(starts[first], starts[first] + lengths[first])
    row = np.repeat(np.arange(len(first)), lengths[first])
    return Profiles(
        np.concatenate((key[starts[first]], without)),
        np.concatenate((people, valueless[without])),
        Counts.from_entries(row, value[place], times[place], (len(first) + len(without), len(table.domain))),
    )


# Endings of files that hold a value per line
LINES = {".txt", ".list", ".lst", ""}


def read_domain(path: str | Path, column: str | None = None, *, encoding: str | None = None) -> tuple[Label, ...]:
    r"""Return the values that a file lists.

    Args:
        path: a text file (.txt) with one value per line, or a CSV, TSV, Parquet or other table with a column of them.
        column: which column of a table; default: the only one.
        encoding: how the letters of a text file are written; default: UTF-8.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "diagnoses.txt")
    ...     _ = file.write_text("Flu\nCold, common\n\nAIDS\n")
    ...     read_domain(file)
    ('Flu', 'Cold, common', 'AIDS')
    """
    expect_or_none(str, column, parameter("column"))
    file = Path(path)
    values = _read_lines(file, encoding) if file.suffix.lower() in LINES else _read_column(file, column, encoding)
    if not values:
        message = f"{file.name} lists no values; give one per line"
        raise BadTable(message)
    return values


def read_declared(path: Path, sensitive: Sequence[str], listed_too: Sequence[Label] = ()) -> Domain:
    """Read the values of the sensitive columns: of one, from its column, or the only one; of several, from theirs.

    Values of one column that are listed elsewhere too come first.
    """
    if len(sensitive) > 1:
        if listed_too:
            message = (
                f"{path.name} lists the values of {listed(sensitive)}; do not list some by {parameter('domain')} too"
            )
            raise BadTable(message)
        return {name: read_domain(path, name) for name in sensitive}
    there = columns_of(path) if path.suffix.lower() not in LINES else ()
    named = [name for name in sensitive if name in there]
    return (*listed_too, *read_domain(path, named[0] if named else None))


def _read_lines(file: Path, encoding: str | None) -> tuple[Label, ...]:
    try:
        text = read_whole(file).decode(encoding or "utf-8-sig")
    except (UnicodeDecodeError, LookupError):
        message = f"{file.name} is not {encoding or 'UTF-8'}; say how it is written with {parameter('encoding')}"
        raise BadTable(message) from None
    except (OSError, ValueError) as error:  # a name with a zero byte
        reason = getattr(error, "strerror", None) or "no such name"
        message = f"cannot read '{file}': {reason}; give the path of a file that lists the values"
        raise BadTable(message) from None

    def unquote(line: str) -> str:
        inside = line[1:-1]
        # a lone quote inside means that the line was not quoted by a CSV writer, so its quotes belong to the value
        quoted = len(line) > 2 and line[0] == line[-1] == '"' and '"' not in inside.replace('""', "")
        return inside.replace('""', '"') if quoted else line

    # a dictionary drops repeated values and keeps the order of the file, which becomes the order of the domain
    return tuple(dict.fromkeys(unquote(line.strip()) for line in text.splitlines() if line.strip()))


def _read_column(file: Path, column: str | None, encoding: str | None) -> tuple[Label, ...]:
    names = columns_of(file, Roles(encoding=encoding))
    if column is None and len(names) > 1:
        there = columns_in_words(file, Roles(encoding=encoding))
        message = f"which column of {file.name} lists the values? it has: {there}"
        raise BadTable(message)
    listing = names[0] if column is None else column
    if listing not in names:
        message = f"no column '{listing}' in {file.name}{nearest_column(listing, file, Roles(encoding=encoding))}"
        raise UnknownColumn(message)
    # the column is both quasi-identifier and sensitive, as nothing is grouped: its labels are all that is asked for
    roles = Roles((listing,), listing, values="single", missing="a value", suppressed="a group", encoding=encoding)
    return tuple(text for text in tabulate(file, roles).domain if text is not None)
