"""The different rows of some columns, of which none is sensitive, and how often each occurs: held, or in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sidelight.arrays import Integers
from sidelight.engines.read import tabulate
from sidelight.engines.read_stream import read_stream
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import Batch, concatenate_batches
from sidelight.table.labels import Column
from sidelight.table.roles import Roles


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

    With `person`, the column that names people, everybody must have one row; or, with `several_rows`, rows that are
    the same in these columns, and each person occurs once.

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["2", "1", "2"], "sex": ["f", "f", "f"], "name": ["Ann", "Bea", "Cat"]})
    >>> (zips, sexes), times = distinct_rows(rows, ["zip", "sex"])
    >>> [zips.cell(row) for row in range(len(zips))], times.tolist()
    (['1', '2'], [1, 2])
    """
    choices = {"person": person, "missing_marks": missing_marks, "encoding": encoding, "sheet": sheet}
    # the last column plays the sensitive one: the entries of the counts are then exactly the distinct rows
    table = tabulate(source, distinct_roles(columns, choices | {"several_rows": several_rows}))
    # `row`, `value`, `times`: (distinct rows,); `row` indexes the keys of the table, so `take` repeats their labels
    row, value, times = table.counts.entries()
    lead = tuple(column.take(row) for column in table.quasi[: len(columns) - 1])
    return (*lead, Column(columns[-1], table.domain, value.astype(np.int32))), times


def distinct_roles(columns: Sequence[str], choices: Mapping[str, Any]) -> Roles:
    """Let the last of some columns be counted in the place of a sensitive one, of which there is none."""
    *rest, last = columns
    several_rows = choices.get("several_rows", False)
    return Roles.of(  # one column alone is both, which `complete` would refuse
        quasi=columns if several_rows else rest or last,
        sensitive=last,
        values="set" if several_rows else "single",
        missing="a value",
        suppressed="a group",
        **{name: choice for name, choice in choices.items() if name != "several_rows"},
    )


def distinct_rows_in_parts(
    source: object, columns: Sequence[str], choices: Mapping[str, Any], memory: Memory, at_once: int
) -> Iterator[tuple[tuple[Column, ...], Integers]]:
    """Yield the rows of `distinct_rows`, in the same order, in bounded memory: at least `at_once` rows at a time.

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["2", "1", "2"], "sex": ["f", "f", "f"]})
    >>> parts = distinct_rows_in_parts(rows, ["zip", "sex"], {}, Memory.parse("1GB"), at_once=1)
    >>> [([column.cell(row) for column in columns], int(times[row])) for columns, times in parts for row in range(2)]
    [(['1', 'f'], 1), (['2', 'f'], 2)]
    """
    stream = read_stream(source, distinct_roles(columns, choices), memory)
    labels = stream.packing.labels
    for words, times in _merge_batches(stream.entries.batches(), at_once):
        codes = stream.packing.unpack(words)
        lead = zip(columns[:-1], labels, codes, strict=False)
        yield (*(Column(*each) for each in lead), Column(columns[-1], labels[-1], codes[-1])), times


def _merge_batches(batches: Iterable[Batch], at_once: int) -> Iterator[Batch]:
    """Put small batches together."""
    parts: list[Batch] = []
    for batch in batches:
        parts.append(batch)
        if sum(len(counts) for _, counts in parts) >= at_once:
            yield concatenate_batches(parts)
            parts = []
    if parts:
        yield concatenate_batches(parts)
