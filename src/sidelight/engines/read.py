"""Read a table about people: one GROUP BY in the engine that holds the rows, and only counts come out.

    rows_of       open any source as rows to count (`files`)
    sort_rows     count each key and value, without the rows that the roles set aside (`tally`)
    hold          all keys as a `Table`

In bounded memory (`stream_table`, `stream_keys`) they stay a `KeyStream`.  DuckDB then has `PackedRows`: rows that are
packed numbers.  A sample decides whether it counts them first: if nearly all differ, counting is as much work as all
the rest, and sorting does it in passing (docs/decisions/0022-sorted-keys.md).  A database always counts, and its labels
are packed as they arrive; if people have several rows, every engine counts.

`distinct_rows`: the distinct rows of some columns, none of them sensitive, held or in parts.
`read_profiles` asks the same engines for the values that each person has together.  `read_domain` reads the possible
sensitive values from a code book, never from the table to be published: they include values that no person has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa

from sidelight.ahead import ahead
from sidelight.arrays import Flags, Integers, add_up, number_rows, ranges, run_starts, sum_equal_rows
from sidelight.engines.duckdb.source import PackedRows
from sidelight.engines.files import columns_in_words, columns_of, nearest_column, rows_of
from sidelight.engines.source import (
    Rows,
    arrow_batches,
    changed_while_read,
    collect,
    list_cells,
    number_cells,
    numpy_integers,
)
from sidelight.engines.spark.source import is_spark
from sidelight.engines.spark.stream import estimate_keys, read_spark_stream
from sidelight.engines.tally import RowCounts, counted_rows, read_tally, sort_rows, tally_levels
from sidelight.errors import (
    BadTable,
    UnknownColumn,
    WrongKind,
    did_you_mean,
    expect_or_none,
    kind_in_words,
    listed,
    parameter,
)
from sidelight.files import read_whole
from sidelight.streams.key_stream import KeyStream, carry, split_stream, weights
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import Batch, Packing, Words, concatenate_batches
from sidelight.streams.streamed_table import RowBlock, StreamedTable
from sidelight.table.cell_lists import split_cells, whole_cells
from sidelight.table.labels import Column, ColumnKind, Label, Semantics, are_digits, kind_of_labels, positions_of, shown
from sidelight.table.roles import Domain, Missing, ReadingChoices, Roles, check_labels
from sidelight.table.table import Counts, Profiles, Table

# Rows repeat where at most this share of those looked at differ
REPEAT_BELOW = 0.5


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
    """Read a table about people: how many have each sensitive value, by quasi-identifiers.

    Args:
        source: a path, glob or list of paths of CSV, TSV or Parquet files (also `.gz`, `.zst`), of Excel, Stata,
            SPSS or SAS files (the extra `files`), "-" for standard input, the address of a table in PostgreSQL
            ("postgresql://…?table=…", the extra `postgres`), or a pandas, polars, pyarrow, DuckDB or Spark table.  Rows
            stay there; only counts come out.
        quasi: the quasi-identifiers: columns that an attacker may know.  A missing cell is a label of its own.
        sensitive: the column to protect, or several: a value is then a combination of their cells, and each column has
            a view of its own (`table.about("income")`).
        person: the column that identifies the person of each row, which is checked; needed when people have several
            values.  "each row" declares, unchecked, that every row is another person.
        values: "single" (one value, one row per person), "set" (a repeated value of a person counts once) or
            "multiset" (every row counts).
        missing: what a missing sensitive value means: "an error", "a value", "drop", or "no value" (in "set" and
            "multiset": the person counts, and has no value by this row).
        missing_marks: texts that mean missing, such as "?".
        domain: all values that could occur, in order; default: those that occur, sorted.  With several sensitive
            columns a mapping, `{"income": ["low", "high"]}`.
        keep: columns that are published unchanged, beside what was protected: no limit judges them, and the number of
            people whom they single out is reported.
        weight: such a column with sampling weights, numbers of at least 0: how many people of the population a person
            represents (`IndividualRisk`).
        split: the separator of values in cells that hold several, such as "|"; then a row is a person, and `values` is
            "set" or "multiset".
        encoding: the encoding of text files, such as "cp1252" or "utf-16"; default: UTF-8.
        sheet: the sheet of a spreadsheet; default: the only one that is not empty.
        kinds: the kinds of columns, such as `{"region": "category"}`: "category", "ordered", "number" or "date", or the
            labels of an ordered one in their order; default: by type and labels (text and codes are categories).

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["00734", "00734", None], "sex": ["f", "f", "m"], "disease": ["Flu", "Cold", "Flu"]})
    >>> read_table(rows, quasi=["zip", "sex"], sensitive="disease")
    <Table of 3 people: zip, sex → disease (2 values)>
    """
    return table_from(source, Roles.from_keywords(locals()))


def table_from(source: object, roles: Roles) -> Table:
    """Read a table about people by roles; nothing is suppressed yet, whatever they say."""
    if isinstance(source, Table):
        raise WrongKind("that is a Table already; use it as it is, or read its source anew")
    roles = replace(roles, suppressed=None).complete()
    if roles.carried:
        return _read_carried(source, roles)
    if roles.split is not None:
        return split_cells(table_from(source, whole_cells(roles)), roles, roles.split)
    with rows_of(source, roles) as rows:
        table = _count_rows(rows, rows.roles).hold()
        texts = rows.source.texts
        quasi = tuple(replace(column, kind=kind_by_type(column, rows.roles, texts)) for column in table.quasi)
        check_kinds(table, rows.roles)
    return _attach_profiles(replace(table, quasi=quasi), source, roles)


def _read_carried(source: object, roles: Roles) -> Table:
    """Count by the columns that are carried along too, then take them out of the keys."""
    if roles.values != "single":
        raise BadTable(
            f"{parameter('keep')} is for people with one value, who are published a row each; "
            f"with {parameter('values', roles.values)} only counts are published: leave it out"
        )
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
    """Return the kind that was declared or follows from the type; text is not a number, unless marks made it text."""
    kind = roles.kind_of(column.name)
    # with missing marks, a column of numbers may be stored as text only so that the marks fit in
    is_text = column.name in texts and not roles.missing_marks
    may_be_numbers = kind_of_labels(column.labels) == "number" or are_digits(column.labels)
    return "category" if kind is None and is_text and may_be_numbers else kind


def check_kinds(table: Table, roles: Roles) -> None:
    """Raise if a declared kind names an unknown column, or one whose labels contradict it."""
    quasi = {column.name: column for column in table.quasi}
    others = (*table.intake.columns_dropped, *table.sensitive_columns, *([roles.person] if roles.person else []))
    for name, kind in roles.kinds:
        if name in quasi:
            check_labels(name, kind, quasi[name].labels)
        elif name not in others:
            raise UnknownColumn(
                f"no column '{name}', of which {parameter('kinds')} says what it is{did_you_mean(name, quasi)}"
            )


def tabulate(source: object, roles: Roles, *, keep_people: bool = False, memory: Memory | None = None) -> Table:
    """Have the engine that holds the rows count them, in bounded memory if one is given; `roles` are complete."""
    if roles.split is not None:
        return split_cells(tabulate(source, whole_cells(roles)), roles, roles.split)
    with rows_of(source, roles, memory=memory) as rows:
        keys = _count_rows(rows, roles)
        table = keys.hold()
        if keep_people:
            table = replace(table, names=_keys_of_people(rows, keys.packing, roles))
    return _attach_profiles(table, source, roles)


def _count_rows(rows: Rows, roles: Roles) -> KeyStream:
    """Count all rows at once, and set aside those that the roles exclude."""
    # all rows are counted first: their total shows whether the source changed between the passes
    answer = counted_rows(rows, *tally_levels(rows, roles))
    packing = rows.packing(answer)
    return sort_rows(rows, roles, packing, [read_tally(answer, rows, packing, roles)], None)


def stream_keys(source: object, roles: Roles, memory: Memory) -> KeyStream:
    """Sort rows by their keys where they are: in Spark, or here in bounded memory; `roles` are complete."""
    if roles.split is not None:
        return split_stream(stream_keys(source, whole_cells(roles), memory), roles, roles.split, memory)
    if not (isinstance(source, str | pa.Table | list | tuple) or hasattr(source, "__fspath__") or is_spark(source)):
        raise WrongKind(
            f"{kind_in_words(source)} is in memory already, or in an engine of its own; read it without "
            f"{parameter('memory')}, or write it to a Parquet file first"
        )
    with rows_of(source, roles, memory=memory) as rows:
        if is_spark(source):
            return read_spark_stream(rows, roles, memory)
        packing = rows.known
        assert packing is not None
        # the engine may be some batches ahead while rows are sorted, and is closed before its connection is
        with closing(ahead(_tallies(rows, packing, roles), 3)) as tallies:
            return sort_rows(rows, roles, packing, tallies, memory)


def fits_here(source: object, roles: Roles, memory: Memory) -> bool:
    """Return whether the keys of rows in Spark are few enough to come to this process."""
    with rows_of(source, roles) as rows:
        return estimate_keys(rows) <= memory.keys_to_hold


def _tallies(rows: Rows, packing: Packing, roles: Roles) -> Iterator[RowCounts]:
    """Yield the engine's answer batch by batch: counted, or DuckDB's rows uncounted if nearly all differ."""
    nothing = np.zeros(0, np.int64)
    if isinstance(rows, PackedRows) and roles.values == "single" and not _rows_repeat(rows):
        for batch in arrow_batches(rows.frame.select(*rows.key_and_value)):
            words = rows.words(pa.Table.from_batches([batch]), packing, rows.key_and_value)
            yield RowCounts(packing, words, nothing, nothing)
        return
    for batch in rows.counted(*tally_levels(rows, roles)):
        yield read_tally(pa.Table.from_batches([batch]), rows, packing, roles)


def _rows_repeat(rows: PackedRows) -> bool:
    """Return whether rows repeat, judged by the first million."""
    answer = collect(rows.frame.select(*rows.key_and_value).head(1 << 20))
    if answer.num_rows == 0:
        return False
    words = rows.words(answer, rows.known, rows.key_and_value)
    distinct, _ = sum_equal_rows(words, np.ones(answer.num_rows, np.int64))
    # grouping in DuckDB costs a hash table over all rows, which pays only where it makes the rows fewer
    return len(distinct[0]) <= REPEAT_BELOW * len(words[0])


def _attach_profiles(table: Table, source: object, roles: Roles) -> Table:
    """Let the table read profiles from the engine, at most once, if people have several values."""
    if roles.values == "single":
        return table
    return replace(table, read_profiles=lru_cache(maxsize=1)(partial(read_profiles, source, roles)))


def _keys_of_people(rows: Rows, packing: Packing, roles: Roles) -> dict[str, int]:
    """Return the key of each person by name."""
    answer = counted_rows(rows, ("person", *rows.key), counting=True)
    words = rows.words(answer, packing, rows.key)
    # People are numbered by the order of their keys, which is that of the table's rows: both sort the same words.
    order = np.lexsort(words[::-1])
    key = np.empty(len(order), np.int64)
    key[order] = np.cumsum(run_starts([word[order] for word in words])) - 1
    names = [shown(roles.label(cell)) for cell in list_cells(answer.column("person"))]
    keys = dict(zip(names, key.tolist(), strict=True))
    if len(keys) < len(names):
        raise BadTable(
            f"{len(names) - len(keys):,} people share a name in '{roles.person}'; give each one of their own"
        )
    return keys


def stream_table(
    source: object,
    *,
    quasi: str | Sequence[str],
    sensitive: str | Sequence[str],
    memory: str | int = "2GB",
    **reading: Unpack[ReadingChoices],
) -> StreamedTable:
    """Read a table about people of any size in bounded memory, to be protected by a method that streams.

    Takes files, Arrow tables and Spark DataFrames and the keywords of `read_table`, without kept columns and sampling
    weights.  `memory` is what this process may use in all, such as "2GB"; the rest is sorted in temporary files, which
    only this user can open and which are removed with the process.

    >>> import pyarrow as pa
    >>> import sidelight as sl
    >>> rows = pa.table({"age": ["23", "27", "35"], "disease": ["Flu", "Cold", "Flu"]})
    >>> stream_table(rows, quasi="age", sensitive="disease", memory="1GB")
    <StreamedTable of 3 people: age → disease (2 values)>
    """
    choices: Mapping[str, Any] = reading
    return streamed_table_from(source, Roles.of(quasi=quasi, sensitive=sensitive, **choices), Memory.parse(memory))


def streamed_table_from(source: object, roles: Roles, memory: Memory) -> StreamedTable:
    """Read a streamed table by roles; nothing is suppressed yet, whatever they say."""
    if isinstance(source, Table | StreamedTable):
        raise WrongKind(f"that is a {type(source).__name__} already; use it as it is, or read its source anew")
    if roles.keep or roles.weight is not None:
        carried = parameter("keep" if roles.keep else "weight")
        raise BadTable(f"{carried} does not go with {parameter('memory')}: rows are not held; leave one of them out")
    stream = stream_keys(source, replace(roles, suppressed=None).complete(), memory)
    stream = replace(stream, roles=stream.typed_roles)
    packed = stream.packing.labels[: len(stream.roles.quasi)]
    as_packed = tuple(np.arange(len(labels), dtype=np.int32) for labels in packed)
    people, rows = _label_counts(StreamedTable(stream, memory, (), (), as_packed), [len(labels) for labels in packed])
    table = StreamedTable(
        stream,
        memory,
        tuple(_keep_occurring(stream, number, many > 0) for number, many in enumerate(rows)),
        tuple(each[many > 0] for each, many in zip(people, rows, strict=True)),
        # (packed labels,): the rank among those that occur; codes of labels that do not are never looked up
        tuple((np.cumsum(many > 0) - 1).astype(np.int32) for many in rows),
    )
    check_kinds(table.outline, stream.roles)
    return table


def _label_counts(table: StreamedTable, widths: list[int]) -> tuple[list[Integers], list[Integers]]:

    def count_in(blocks: Iterator[RowBlock]) -> list[Integers]:
        """Count people column by column, then rows."""
        sums = [np.zeros(width, np.int64) for width in (*widths, *widths)]
        for block in blocks:
            for at, (code, width) in enumerate(zip(block.codes, widths, strict=True)):
                sums[at] += add_up(code, block.people, width)
                sums[len(widths) + at] += np.bincount(code, minlength=width)
        return sums

    def add(one: list[Integers], other: list[Integers]) -> list[Integers]:
        return [mine + theirs for mine, theirs in zip(one, other, strict=True)]

    sums = table.reduce_rows(count_in, add)
    return sums[: len(widths)], sums[len(widths) :]


def _keep_occurring(stream: KeyStream, number: int, occurs: Flags) -> Column:
    """Return a column without rows, with the labels that occur."""
    name, labels = stream.roles.quasi[number], stream.packing.labels[number]
    column = Column(name, labels, np.flatnonzero(occurs).astype(np.int32)).compact()
    return Column(name, column.labels, np.zeros(0, np.int32), kind_by_type(column, stream.roles, stream.texts))


def distinct_rows(
    source: object,
    columns: Sequence[str],
    *,
    person: str | None = None,
    several_rows: bool = False,
    missing_marks: str | Sequence[object] = (),
    encoding: str | None = None,
    sheet: str | None = None,
) -> tuple[tuple[Column, ...], Integers]:
    """List the distinct rows of some columns, and how often each occurs: one GROUP BY where the rows are.

    With `person`, the column that names people, each person must have one row or, with `several_rows`, rows that are
    equal in these columns; each person counts once.

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["2", "1", "2"], "sex": ["f", "f", "f"], "name": ["Ann", "Bea", "Cat"]})
    >>> (zips, sexes), times = distinct_rows(rows, ["zip", "sex"])
    >>> [zips.cell(row) for row in range(len(zips))], times.tolist()
    (['1', '2'], [1, 2])
    """
    choices = {"person": person, "missing_marks": missing_marks, "encoding": encoding, "sheet": sheet}
    # the last column plays the sensitive one: the entries of the counts are then exactly the distinct rows
    table = tabulate(source, distinct_roles(columns, several_rows=several_rows, **choices))
    # `row`, `value`, `times`: (distinct rows,); `row` indexes the keys of the table, so `take` repeats their labels
    row, value, times = table.counts.entries()
    lead = tuple(column.take(row) for column in table.quasi[: len(columns) - 1])
    return (*lead, Column(columns[-1], table.domain, value.astype(np.int32))), times


def distinct_roles(columns: Sequence[str], *, several_rows: bool = False, **choices: Any) -> Roles:  # noqa: ANN401
    """Return roles in which the last column takes the place of a sensitive one."""
    *rest, last = columns
    return Roles.of(  # one column alone is both, which `complete` would refuse
        quasi=columns if several_rows else rest or last,
        sensitive=last,
        values="set" if several_rows else "single",
        missing="a value",
        suppressed="a group",
        **choices,
    )


def distinct_rows_in_parts(
    source: object, columns: Sequence[str], choices: Mapping[str, Any], memory: Memory, at_once: int
) -> Iterator[tuple[tuple[Column, ...], Integers]]:
    """Yield the rows of `distinct_rows`, in the same order, in bounded memory: at least `at_once` rows at a time.

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["2", "1", "2"], "sex": ["f", "f", "f"]})
    >>> from sidelight.streams.memory import Memory
    >>> parts = distinct_rows_in_parts(rows, ["zip", "sex"], {}, Memory.parse("1GB"), at_once=1)
    >>> [([column.cell(row) for column in columns], int(times[row])) for columns, times in parts for row in range(2)]
    [(['1', 'f'], 1), (['2', 'f'], 2)]
    """
    stream = stream_keys(source, distinct_roles(columns, **choices), memory)
    labels = stream.packing.labels
    for words, times in _merge_batches(stream.entries.batches(), at_once):
        codes = stream.packing.unpack(words)
        lead = zip(columns[:-1], labels, codes, strict=False)
        yield (*(Column(*each) for each in lead), Column(columns[-1], labels[-1], codes[-1])), times


def _merge_batches(batches: Iterable[Batch], at_once: int) -> Iterator[Batch]:
    parts: list[Batch] = []
    for batch in batches:
        parts.append(batch)
        if sum(len(counts) for _, counts in parts) >= at_once:
            yield concatenate_batches(parts)
            parts = []
    if parts:
        yield concatenate_batches(parts)


def read_profiles(source: object, roles: Roles, table: Table) -> Profiles:
    """Return the values that each person of a table has, by one GROUP BY of person and value where the rows are.

    People with the same key and values are one row.
    """
    with rows_of(source, roles) as rows:
        answer = counted_rows(rows, ("person", *rows.key_and_value), nameless=True)
        packing = rows.packing(answer)
        words = rows.words(answer, packing, rows.key_and_value)
    keys = packing.keys(words)
    # this pass packs anew and may number labels differently, so keys and values are matched by label
    key = _keys_in(table, packing, keys)
    value = positions_of(packing.labels[-1], table.domain)[packing.values(words, keys)]
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


def _keys_in(table: Table, packing: Packing, keys: Words) -> Integers:
    """Return the row of the table for each packed key; −1 for a key that the table lacks."""
    codes = [
        positions_of(labels, column.labels)[own]
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
    """Group people with the same key and values; those without a value are the rest of each key."""
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
    _, index = ranges(starts[first], starts[first] + lengths[first])
    row = np.repeat(np.arange(len(first)), lengths[first])
    return Profiles(
        np.concatenate((key[starts[first]], without)),
        np.concatenate((people, valueless[without])),
        Counts.from_entries(row, value[index], times[index], (len(first) + len(without), len(table.domain))),
    )


# Endings of files that hold a value per line
LINES = {".txt", ".list", ".lst", ""}


def read_domain(path: str | Path, column: str | None = None, *, encoding: str | None = None) -> tuple[Label, ...]:
    r"""Read the values that a file lists.

    Args:
        path: a text file (.txt) with one value per line, or a CSV, TSV, Parquet or other table with a column of them.
        column: the column of a table; default: the only one.
        encoding: the encoding of a text file; default: UTF-8.

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
        raise BadTable(f"{file.name} lists no values; give one per line")
    return values


def read_declared(path: Path, sensitive: Sequence[str], listed_too: Sequence[Label] = ()) -> Domain:
    """Read the values of each sensitive column from its column of a file, or from the only one.

    `listed_too`, values of a single sensitive column that are listed elsewhere, come first.
    """
    if len(sensitive) > 1:
        if listed_too:
            raise BadTable(
                f"{path.name} lists the values of {listed(sensitive)}; do not list some by {parameter('domain')} too"
            )
        return {name: read_domain(path, name) for name in sensitive}
    there = columns_of(path) if path.suffix.lower() not in LINES else ()
    named = [name for name in sensitive if name in there]
    return (*listed_too, *read_domain(path, named[0] if named else None))


def _read_lines(file: Path, encoding: str | None) -> tuple[Label, ...]:
    try:
        text = read_whole(file).decode(encoding or "utf-8-sig")
    except (UnicodeDecodeError, LookupError):
        raise BadTable(
            f"{file.name} is not {encoding or 'UTF-8'}; say how it is written with {parameter('encoding')}"
        ) from None
    except (OSError, ValueError) as error:  # a name with a zero byte
        raise BadTable(
            f"cannot read '{file}': {getattr(error, 'strerror', None) or 'no such name'}; "
            "give the path of a file that lists the values"
        ) from None

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
        raise BadTable(f"which column of {file.name} lists the values? it has: {there}")
    listing = names[0] if column is None else column
    if listing not in names:
        raise UnknownColumn(
            f"no column '{listing}' in {file.name}{nearest_column(listing, file, Roles(encoding=encoding))}"
        )
    # the column is both quasi-identifier and sensitive, as nothing is grouped: its labels are all that is asked for
    roles = Roles((listing,), listing, values="single", missing="a value", suppressed="a group", encoding=encoding)
    return tuple(text for text in tabulate(file, roles).domain if text is not None)
