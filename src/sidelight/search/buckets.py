"""People in buckets: what is printed about each person is exact, whose value is whose is not printed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.measures.exact import Floats
from sidelight.release.members import Members
from sidelight.release.release import Release, whole_groups
from sidelight.search.orders import Order
from sidelight.search.recoding import Recoding
from sidelight.search.workload import Query
from sidelight.table.columns import Column, Integers, numbered
from sidelight.table.counts import Counts
from sidelight.table.table import Table


@dataclass(frozen=True, eq=False, slots=True)
class TwoTables:
    """What is published: one with a row per person, one with a row per bucket and value that occurs in it.

    Rows stand by bucket, people of a bucket by their cells: never by their values.
    """

    people: tuple[Column, ...]  # the quasi-identifiers and the bucket
    values: tuple[Column, ...]  # the bucket and the sensitive value
    counts: Integers  # per row of `values`


@dataclass(frozen=True, eq=False)
class Buckets(Recoding):
    """People in buckets.  `people[i]` of those in cell `cell[i]` of the table are in bucket `bucket[i]`."""

    cell: Integers
    bucket: Integers
    people: Integers
    counts: Counts  # bucket × value

    @classmethod
    def of(cls, table: Table, along: tuple[Order, ...], cell: Integers, bucket: Integers, counts: Counts) -> Buckets:
        """Gather people, one row each."""
        cells = len(table.sizes)
        kind, first = numbered(bucket * cells + cell, below=counts.rows * cells)
        return cls(table, along, counts.per_row(), 0, cell[first], bucket[first], np.bincount(kind), counts)

    def lost(self) -> Floats:
        """Nothing: every cell is printed as it is."""
        return np.zeros(len(self.sizes))

    def guesses(self) -> float:
        """None."""
        return 0.0

    def rebuilt(self) -> Floats:
        """Share out each bucket's values evenly: p̂(cell, x) = Σ_b people of the cell in b · n_b(x) / n_b."""
        cell, value, _ = self.table.counts.entries()
        expected = np.empty(len(cell))
        for x in range(self.counts.width):
            share = self.counts.column(x) / self.sizes
            spread = np.bincount(self.cell, self.people * share[self.bucket], len(self.table.sizes))
            expected[value == x] = spread[cell[value == x]]
        return expected

    def expected(self, query: Query) -> float:
        """Take of each bucket the people that the query asks for, and the share of values."""
        inside = np.ones(len(self.table.sizes), bool)
        for column, (low, high) in query.ranges.items():
            place = self.orders[column].place[self.table.quasi[column].codes]
            inside &= (low <= place) & (place < high)
        asked = np.flatnonzero(inside[self.cell])
        bucket, value, count = self._entries
        wanted = np.flatnonzero(query.values[value])
        share = np.bincount(bucket[wanted], count[wanted], len(self.sizes)) / self.sizes
        return float(self.people[asked] @ share[self.bucket[asked]])

    @cached_property
    def _entries(self) -> tuple[Integers, Integers, Integers]:
        return self.counts.entries()

    def release(self) -> Release:
        """Make the release: groups that say which bucket they are, and who is in them."""
        table = self.table
        groups = whole_groups(
            domain=table.domain,
            sizes=self.sizes,
            counts=self.counts,
            columns=(self._bucket(np.arange(len(self.sizes))),),
            semantics=table.semantics,
        )
        order = np.argsort(self.bucket, kind="stable")
        members = Members(table.quasi, self.bucket[order], self.cell[order], self.people[order])
        return Release(groups, sensitive=table.sensitive, intake=table.intake, members=members)

    def two_tables(self) -> TwoTables:
        """Print people with their buckets, and buckets with their values."""
        bucket, value, count = self._entries
        values = Column(self.table.sensitive, self.table.domain, value.astype(np.int32))
        return TwoTables(self._people(), (self._bucket(bucket), values), count)

    def _people(self) -> tuple[Column, ...]:
        row = np.repeat(self.cell, self.people)
        return (*(column.take(row) for column in self.table.quasi), self._bucket(np.repeat(self.bucket, self.people)))

    def _bucket(self, rows: Integers) -> Column:
        labels = tuple(str(number) for number in range(1, len(self.sizes) + 1))
        return Column(self._bucket_name, labels, rows.astype(np.int32))

    @property
    def _bucket_name(self) -> str:
        """Call the column "bucket", or something like it where the table has a column of that name."""
        taken = {column.name for column in self.table.quasi} | {self.table.sensitive}
        name = "bucket"
        while name in taken:
            name += "_"
        return name
