"""A table with any number of keys, read row by row in bounded memory.

Totals are in memory: columns with the labels that occur, the people of each, the values and how often each occurs.
Keys come in blocks: in order by `stream.blocks()` or, for sums, in any order by `rows()`, which reads sorted runs
without merging them.  `held` returns all keys at once, if they fit.

*Invariant.*  Its keys, put together, are the `Table` that `read_table` makes of the same rows by the same roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.arrays import Codes, Integers, sum_equal_rows
from sidelight.streams.memory import Streamed
from sidelight.table.labels import Column, find_column, word_values
from sidelight.table.table import Counts, Table, held
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.streams.key_stream import KeyStream, Summed
    from sidelight.streams.sorted_runs import Batch, Words


@dataclass(frozen=True, eq=False, slots=True)
class RowBlock:
    """Some rows that add up to the table: codes by column, people, and how often a value occurs (−1: none)."""

    words: Words  # packed with the value or, in rows of people alone, without
    codes: list[Codes]
    people: Integers
    value: Integers
    count: Integers


@dataclass(frozen=True, eq=False, repr=False)
class StreamedTable(Streamed):
    """A table that is read key by key and never held; made by `stream_table`."""

    quasi: tuple[Column, ...]  # with the labels that occur, and no rows
    label_people: tuple[Integers, ...]  # column by column: how many people have each label
    recode: tuple[Codes, ...]  # column by column: the code in `quasi` of each packed code

    carried = None
    weights = None
    names = None

    @property
    def people(self) -> int:
        """Return how many people the table is about."""
        return self.stream.people

    def column(self, name: str) -> Column:
        """Find a quasi-identifier by name."""
        return find_column(self.quasi, name)

    @cached_property
    def outline(self) -> Table:
        """A table of all people as one key with the first label of each column: the totals before any key."""
        first = tuple(replace(column, codes=np.zeros(1, np.int32)) for column in self.quasi)
        counts = Counts.from_cells([self.stream.totals])
        return Table(first, self.sensitive, self.domain, np.array([self.people]), counts, self.semantics, self.intake)

    @property
    def sizes(self) -> Integers:
        """Refuse to hold all keys."""
        return held(self).sizes

    @property
    def counts(self) -> Counts:
        """Refuse to hold all keys."""
        return held(self).counts

    def about(self, column: str) -> Table:
        """Refuse to hold all keys."""
        return held(self).about(column)

    def rows(self, looked_up: Sequence[Codes] | None = None) -> Iterator[RowBlock]:
        """Yield all rows in any order; they add up to the table.

        With `looked_up`, one array per column, codes are replaced by their entries.
        """
        stream = self.stream
        if not stream.here:
            yield from self.gather(iter, looked_up)
            return
        people = None if stream.people_per_key is None else stream.people_per_key.read_unordered()
        yield from self.rows_of(stream.entries.read_unordered(), people, looked_up)

    def rows_of(
        self, entries: Iterable[Batch], people: Iterable[Batch] | None, looked_up: Sequence[Codes] | None = None
    ) -> Iterator[RowBlock]:
        """Unpack some rows, and people if they are counted apart, in any order."""
        packing, indices = self.stream.packing, self.stream.value_indices
        # two look-ups become one: packed code → code in `quasi` → code of the caller, composed once per column
        tables = [each[code] for each, code in zip(looked_up or (), self.recode, strict=False)] or self.recode
        for words, counts in entries:
            keys = packing.keys(words)
            value = indices.look_up(packing.values(words, keys))
            # people who have several rows are in `people` below; counting them here too would count them twice
            one_each = counts if people is None else np.zeros_like(counts)
            yield RowBlock(words, self._codes(keys, tables), one_each, value, counts)
        for keys, many in people or ():
            yield RowBlock(keys, self._codes(keys, tables), many, np.full(len(many), -1), np.zeros_like(many))

    def _codes(self, keys: Words, tables: Sequence[Codes]) -> list[Codes]:
        codes = self.stream.packing.key_codes(keys)
        return [table[code] for table, code in zip(tables, codes, strict=True)]

    def reduce_rows(
        self,
        of_rows: Callable[[Iterator[RowBlock]], Summed],
        merge: Callable[[Summed, Summed], Summed],
        looked_up: Sequence[Codes] | None = None,
        watched: Callable[[Iterator[RowBlock]], Iterator[RowBlock]] = iter,
    ) -> Summed:
        """Reduce all rows where they are, by parts that merge; rows in this process pass through `watched`."""
        ask = self._ask_stream(of_rows, looked_up, watched if self.stream.here else iter)
        return self.stream.spread(ask, merge)

    def gather(
        self,
        of_rows: Callable[[Iterator[RowBlock]], Iterable[Summed]],
        looked_up: Sequence[Codes] | None = None,
        watched: Callable[[Iterator[RowBlock]], Iterator[RowBlock]] = iter,
    ) -> Iterator[Summed]:
        """Yield parts made of all rows where they are."""
        return self.stream.gather(self._ask_stream(of_rows, looked_up, watched if self.stream.here else iter))

    def _ask_stream(
        self,
        of_rows: Callable[[Iterator[RowBlock]], Summed],
        looked_up: Sequence[Codes] | None,
        watched: Callable[[Iterator[RowBlock]], Iterator[RowBlock]],
    ) -> Callable[[KeyStream], Summed]:
        bare = replace(self, stream=self.stream.strip_keys())

        def ask(local: KeyStream) -> Summed:
            return of_rows(watched(replace(bare, stream=local).rows(looked_up)))

        return ask

    @property
    def rows_held(self) -> int:
        """Return the number of stored rows, without those of people."""
        return self.stream.rows_held

    def part(self, words: Words, counts: Integers, people: tuple[Words, Integers] | None) -> Table:
        """Build the table of some rows, in any order, that include all rows of their keys."""
        table = self.stream.tabulate(
            *sum_equal_rows(words, counts), None if people is None else sum_equal_rows(*people)[1]
        )
        quasi = tuple(
            replace(column, codes=recode[packed.codes])
            for column, packed, recode in zip(self.quasi, table.quasi, self.recode, strict=True)
        )
        return replace(table, quasi=quasi)

    def held(self, question: str) -> Table:
        """Return all keys, as `read_table` does, for a question about all of them; raise `NoRoom` if they do not fit.

        >>> import pyarrow as pa
        >>> import sidelight as sl
        >>> rows = pa.table({"age": ["23", "27"], "disease": ["Flu", "Cold"]})
        >>> sl.stream_table(rows, quasi="age", sensitive="disease").held("a method").sizes.tolist()
        [1, 1]
        """
        if self.rows_held > self.memory.keys_to_hold:
            raise self.memory.too_many_keys(question, self.rows_held)
        table = self.stream.brought_here(self.memory).hold()
        quasi = (replace(own, kind=column.kind) for own, column in zip(table.quasi, self.quasi, strict=True))
        return replace(table, quasi=tuple(quasi))

    def __repr__(self) -> str:
        """Return the size and the columns of the table."""
        names = ", ".join(column.name for column in self.quasi)
        people = counted(self.people, "person")
        return f"<StreamedTable of {people}: {names} → {self.sensitive} ({word_values(self.domain)})>"


AnyTable: TypeAlias = Table | StreamedTable
