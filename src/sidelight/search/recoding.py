"""How a search would print a table: who is in which group, and what one can still tell from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.measures.exact import Floats
from sidelight.release.release import Release, whole_groups
from sidelight.search.orders import Order
from sidelight.search.workload import Query
from sidelight.table.columns import Column, Integers
from sidelight.table.counts import Counts, added
from sidelight.table.labels import Label
from sidelight.table.table import Table


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
