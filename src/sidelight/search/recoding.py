"""How a search would print a table: who is in which group, and what one can still tell from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Floats, Integers, numbered
from sidelight.release.release import Members, Release, whole_groups
from sidelight.search.orders import Order
from sidelight.table.labels import Label
from sidelight.table.table import Column, Counts, Table, added


@dataclass(frozen=True, eq=False)
class Recoding(ABC):
    """The people of a table in groups.  What utilities ask, whatever the method answers it."""

    table: Table
    orders: tuple[Order, ...]
    sizes: Integers  # people per group
    suppressed: int  # people in no group

    @abstractmethod
    def lost(self) -> Floats:
        """Give, per group, the share of its cells' detail that is lost: 0 none, 1 all."""

    @abstractmethod
    def guesses(self) -> float:
        """Add up, over people and columns, log₂ of how much harder the original label is to guess."""

    @abstractmethod
    def rebuilt(self) -> Floats:
        """Give the people one would expect, knowing the release, where the table has some: per entry of its counts."""

    @abstractmethod
    def expected(self, query: Query) -> float:
        """Answer a COUNT query from the release alone."""


@dataclass(frozen=True, eq=False)
class Stretches(Recoding):
    """Groups that cover a stretch of places in each column: generalised tables, Mondrian's regions, clusters.

    `start` and `stop` are group × column, in places of `orders`; `group` has a row per cell of the table (−1:
    suppressed), looked up when it is first asked for: a search that weighs thousands of recodings may not need it.
    Inside a group everybody may be anywhere, each combination of labels alike; suppressed people anywhere.
    """

    start: Integers
    stop: Integers
    look_up: Callable[[], Integers]

    @classmethod
    def of(cls, table: Table, orders: tuple[Order, ...], group: Integers, start: Integers, stop: Integers) -> Stretches:
        """Put people into groups by their cells."""
        kept = group >= 0
        sizes = added(group[kept], table.sizes[kept], len(start))
        return cls(table, orders, sizes, int(table.sizes[~kept].sum()), start, stop, lambda: group)

    @cached_property
    def group(self) -> Integers:
        """The group of each cell of the table; −1: suppressed."""
        return self.look_up()

    def lost(self) -> Floats:
        """For numbers the range covered / the whole range, for other labels (covered − 1) / (all − 1)."""
        lost: Floats = np.mean([self._covered(column) for column in range(len(self.orders))], axis=0)
        return lost

    def _covered(self, column: int) -> Floats:
        position = self.orders[column].position
        whole = position[-1] - position[0]
        first, last = self.start[:, column], self.stop[:, column] - 1
        covered: Floats = (position[last] - position[first]) / (whole or 1.0)
        return covered

    def guesses(self) -> float:
        """For each cell: people whose labels its printed one covers / people with its own label."""
        harder = 0.0
        for column, order in enumerate(self.orders):
            place = order.place[self.table.quasi[column].codes]
            people = added(place, self.table.sizes, len(order.labels))
            through = np.concatenate(([0], np.cumsum(people)))
            covers = np.append(through[self.stop[:, column]] - through[self.start[:, column]], through[-1])
            harder += float((self.table.sizes * np.log2(covers[self.group] / people[place])).sum())
        return harder

    def rebuilt(self) -> Floats:
        """Spread each group's values over all combinations of labels it covers."""
        cell, value, _ = self.table.counts.entries()
        group = self.group[cell]
        counts = self._counts(with_suppressed=True)
        volume = np.append(np.prod((self.stop - self.start).astype(float), axis=1), self._everywhere())
        flat = counts.dense() if counts.rows * counts.width <= 1 << 24 else None
        here = flat[group, value] if flat is not None else _looked_up(counts, group, value)
        starred = counts.row(counts.rows - 1)
        expected: Floats = here / volume[group] + np.where(group >= 0, starred[value] / self._everywhere(), 0.0)
        return expected

    def expected(self, query: Query) -> float:
        """Take of each group the share of its stretches that the query asks for."""
        share = np.ones(len(self.start))
        everywhere = 1.0
        for column, (low, high) in query.ranges.items():
            first, last = self.start[:, column], self.stop[:, column]
            share *= np.clip(np.minimum(high, last) - np.maximum(low, first), 0, None) / (last - first)
            everywhere *= (high - low) / len(self.orders[column].labels)
        asked = self._asked(query)
        return float((share * asked[:-1]).sum() + everywhere * asked[-1])

    def _asked(self, query: Query) -> Floats:
        """Count, per group and for the suppressed people, the values that the query asks for."""
        cell, value, count = self.table.counts.entries()
        wanted = query.values[value]
        asked: Floats = np.bincount(
            np.where(self.group < 0, len(self.start), self.group)[cell[wanted]],
            weights=count[wanted],
            minlength=len(self.start) + 1,
        ).astype(float)
        return asked

    def _counts(self, *, with_suppressed: bool) -> Counts:
        last = len(self.start) + with_suppressed
        return self.table.counts.rolled_up(np.where(self.group < 0, last - 1, self.group), groups=last)

    def _everywhere(self) -> float:
        return float(np.prod([float(len(order.labels)) for order in self.orders]))


def _looked_up(counts: Counts, rows: Integers, values: Integers) -> Floats:
    at, value, count = counts.entries()
    known = at * counts.width + value
    by_key = np.argsort(known)
    wanted = np.where(rows < 0, counts.rows - 1, rows) * counts.width + values
    found: Floats = count[by_key][np.searchsorted(known[by_key], wanted)].astype(float)
    return found


def printed(order: Order, start: Integers, stop: Integers) -> Column:
    """Print a stretch per group; each different stretch is put into words once."""
    width = len(order.labels) + 1
    stretches, codes = np.unique(start * width + stop, return_inverse=True)
    labels: list[Label] = [order.says(*divmod(int(key), width)) for key in stretches]
    return Column(order.name, tuple(labels), codes.astype(np.int32))


def released(table: Table, group: Integers, columns: tuple[Column, ...], groups: int) -> Release:
    """Make the release of a table whose cells are in these groups (−1: left out), printed as `columns` say."""
    kept = np.flatnonzero(group >= 0)
    counts = table.counts.take(kept).rolled_up(group[kept], groups=groups)
    sizes = added(group[kept], table.sizes[kept], groups)
    made = whole_groups(domain=table.domain, sizes=sizes, counts=counts, columns=columns, semantics=table.semantics)
    return Release(made, sensitive=table.sensitive, intake=table.intake)


# ----------------------------------------------------------------------------------------------------
# People in buckets: what is printed about each person is exact, whose value is whose is not printed.
# ----------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------
# Random COUNT queries: what an analyst might ask of the table.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Query:
    """How many people are within these stretches of places (column → from, to) and have one of these values?"""

    ranges: Mapping[int, tuple[int, int]]
    values: npt.NDArray[np.bool_]

    def answer(self, table: Table, orders: tuple[Order, ...]) -> int:
        """Count in the table itself."""
        inside = np.ones(len(table.sizes), bool)
        for column, (low, high) in self.ranges.items():
            place = orders[column].place[table.quasi[column].codes]
            inside &= (low <= place) & (place < high)
        return int(table.counts.take(np.flatnonzero(inside)).totals()[self.values].sum())


def queries(
    orders: tuple[Order, ...], values: int, *, count: int = 200, columns: int = 2, share: float = 0.1, seed: int = 7
) -> Iterator[Query]:
    """Draw queries that ask for about `share` of all combinations: a stretch of `columns` columns, some of the values.

    The same seed draws the same queries.
    """
    rng = np.random.default_rng(seed)
    asked = min(columns, len(orders))
    side = share ** (1 / (asked + 1))
    for _ in range(count):
        chosen = rng.choice(len(orders), asked, replace=False)
        wanted = np.zeros(values, bool)
        wanted[slice(*_stretch(values, side, rng))] = True
        yield Query({int(c): _stretch(len(orders[c].labels), side, rng) for c in chosen}, wanted)


def _stretch(places: int, side: float, rng: np.random.Generator) -> tuple[int, int]:
    length = max(round(places * side), 1)
    start = int(rng.integers(0, places - length + 1))
    return start, start + length
