"""The utilities of releases, each a function of how the table was recoded; smaller is better.

A utility that needs only the sizes of groups costs nothing beside the search; those that rebuild the table or answer
queries may take longer than it.  So `Utilities` computes each when it is first looked up.

A recoding says who is in which group of a release, and what can still be told from it.  A *key* is a distinct
combination of quasi-identifier values; the table has n_q(x) people of key q with value x.
Utilities ask a recoding four things, whatever method made it:

    detail_lost        Σ_g n_g · the share of the group's keys' detail that is not printed, from 0 to 1
    bits_kept          per column: Σ_g n_g/n · log₂ (n / people whose labels the printed one covers), of H_j at most
    reconstruction     n̂_q(x): the people of key q with value x whom one would expect, knowing only the release
    estimate           Σ n̂_q(x) over the keys and values that a COUNT query asks for

Regions     Group g covers a stretch [start, stop) of ranks in each column, a box: generalised tables, Mondrian's
            regions, clusters.  Inside its box everybody may be anywhere: n̂_q(x) = n_g(x) / volume of g for q in g; a
            suppressed person may be anywhere at all.
Buckets     Everybody's key is printed, and the values bucket by bucket (Anatomy): n̂_q(x) = Σ_b n_b(q) · n_b(x) / n_b.
Cost        Losses: groups × columns.  Bits: the same, and one pass over the keys.  Reconstruction: one pass over the
            counts by key and value.  A query: groups × its columns, and one pass over those counts.

Queries are drawn at random, always the same ones for the same seed: what an analyst might ask of the table.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, number_keys
from sidelight.errors import BadHierarchy, NoRoom, parameter
from sidelight.release.groups import Groups, whole_groups
from sidelight.release.release import Members, Release
from sidelight.search.effort import EFFORT
from sidelight.search.orders import Order, all_numbers
from sidelight.table.labels import Column, unused_name, value_columns
from sidelight.table.table import Counts, Table, TrueCounts, held

if TYPE_CHECKING:
    from sidelight.streams.streamed_table import AnyTable


UtilityName: TypeAlias = Literal[
    "balanced loss",
    "discernibility",
    "average group size",
    "loss",
    "non-uniform entropy",
    "KL divergence",
    "query error",
    "suppressed",
]

UtilityNames: TypeAlias = Sequence[UtilityName]

MEANINGS: Mapping[str, str] = {
    "balanced loss": "what the columns no longer tell, the first bits of each most: 0 nothing is lost, 1 all",
    "loss": "the share of a column that a printed cell covers, on average: 0 as it was, 1 all are *",
    "non-uniform entropy": "how hard it is to guess the original cells: 0 they are known, 1 as if all were *",
    "discernibility": "how many people somebody looks like, added up over all people",
    "average group size": "people per group",
    "KL divergence": "how far a table rebuilt from the release is from the true one, in nats",
    "query error": "how far off counts made from the release are, on average: 0.1 is 10 %",
}
"""The meaning of each utility; smaller is better."""


def discernibility(recoding: Recoding) -> float:
    """Return how many people each person looks like, added up over all people (DM*).

    Σ_g n_g², and a suppressed person looks like everybody.

    Source: Bayardo and Agrawal, 2005.
    """
    return float(recoding.pairs() + recoding.suppressed * recoding.table.people)


def loss(recoding: Recoding) -> float:
    """Return how much of a column a printed cell covers on average: from 0 (all as it was) to 1 (nothing left).

    For numbers the range covered / the whole range, for other labels (labels covered − 1) / (labels − 1), the average
    over people and columns; a suppressed cell covers all.  Also known as NCP, the normalised certainty penalty.

    Source: Iyengar, 2002; Xu et al., 2006.
    """
    return (recoding.detail_lost() + recoding.suppressed) / recoding.table.people


def non_uniform_entropy(recoding: Recoding) -> float:
    """Return how hard it is to guess the original cells: from 0 (they are known) to 1 (as if all were `*`).

    Σ log₂ (people whose labels the printed one covers / people with the original label), over people and columns, as
    a share of what suppressing everything would give: 1 − Σ_j h_j / Σ_j H_j, where the printed labels of column j tell
    h_j of its H_j bits.

    Source: De Waal and Willenborg, 1999; Gionis and Tassa, 2009.
    """
    return _share_lost(recoding.bits_kept(), recoding.marginals.bits)


def balanced_loss(recoding: Recoding) -> float:
    """Return how much of what columns tell is lost, first bits counting most: from 0 (none) to 1 (all).

    1 − Σ_j log₂(1 + h_j) / Σ_j log₂(1 + H_j), where the printed labels of column j tell h_j of its H_j bits.  The
    logarithm is what balances: to tell one column twice as finely is worth less than to tell another one at all, and a
    column that says much, such as age, counts more than one that says little, but not as much more.

    Source: ours; bits as in `non_uniform_entropy`.
    """
    return _share_lost(np.log2(1 + recoding.bits_kept()), np.log2(1 + recoding.marginals.bits))


def _share_lost(kept: Floats, total: Floats) -> float:
    """Return the share that is lost of something that is added up over columns; 0 where there was nothing to lose."""
    # rounding may leave the quotient a little beyond 0 or 1
    return float(np.clip(1 - kept.sum() / total.sum(), 0.0, 1.0)) if total.sum() else 0.0


def kl_divergence(recoding: Recoding) -> float:
    """Return how far a table rebuilt from the release is from the true one, in nats.

    Σ p ln(p/p̂) over the table's keys and values; p̂ spreads each group's values evenly over all that it covers.

    Source: Kifer and Gehrke, 2006.
    """
    _, _, true = recoding.table.counts.entries()
    # a divergence is never negative, and its rounded sum may be
    return float(max((true * np.log(true / recoding.reconstruction())).sum() / max(true.sum(), 1), 0.0))


def query_error(recoding: Recoding) -> float:
    """Return how far off COUNT queries on the release are: the mean relative error over 200 random ones.

    |expected − true| / max(true, 0.1 % of the people), so that rare answers do not drown the others.

    Source: LeFevre et al., 2006; Xiao and Tao, Anatomy, 2006.
    """
    return mean_query_error(held(recoding.table), recoding.orders, recoding.estimate)


def mean_query_error(table: Table, orders: tuple[Order, ...], estimate: Callable[[Query], float]) -> float:
    """Return `query_error` of whatever estimates the answers about a table."""
    errors = []
    for query in random_queries(orders, len(table.domain)):
        true = query.answer(table, orders)
        errors.append(abs(estimate(query) - true) / max(true, table.people / 1000))
    return float(np.mean(errors))


OF_VALUES: tuple[UtilityName, ...] = ("KL divergence", "query error")
"""Utilities that depend on who has which value: to one who counts worlds they tell which worlds these are."""

DEFAULT_UTILITY: UtilityName = "balanced loss"
"""The utility by which the best release is chosen by default; it also decides between equals."""

UTILITIES: Mapping[UtilityName, Callable[[Recoding], float]] = {
    "balanced loss": balanced_loss,
    "loss": loss,
    "non-uniform entropy": non_uniform_entropy,
    "discernibility": discernibility,
    "average group size": lambda recoding: (
        (recoding.table.people - recoding.suppressed) / recoding.groups if recoding.groups else math.inf
    ),
    "KL divergence": kl_divergence,
    "query error": query_error,
    "suppressed": lambda recoding: recoding.suppressed / recoding.table.people,  # the share of the people
}

QUICK_UTILITIES: tuple[UtilityName, ...] = tuple(name for name in UTILITIES if name not in OF_VALUES)
"""Those that cost next to nothing; the others may take longer than the search."""


class Utilities(Mapping[str, float]):
    """All utilities of a recoding, each computed when it is first looked up: some take longer than the search."""

    def __init__(self, recoding: Recoding) -> None:
        self._recoding = recoding
        self._computed: dict[str, float] = {}

    def __getitem__(self, name: str) -> float:
        if name in OF_VALUES and not self._recoding.holds_keys:
            raise NoRoom(f"'{name}' compares each key with the release; read the table without {parameter('memory')}")
        if name not in self._computed:
            self._computed[name] = UTILITIES[name](self._recoding)  # type: ignore[index]
        return self._computed[name]

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of those that can be computed: some need all keys of the table."""
        return (name for name in UTILITIES if self._recoding.holds_keys or name not in OF_VALUES)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True, eq=False, slots=True)
class Query:
    """A COUNT query: people within stretches of ranks (column → start, stop) who have one of these values."""

    ranges: Mapping[int, tuple[int, int]]
    values: Flags

    def answer(self, table: Table, orders: tuple[Order, ...]) -> int:
        """Return the number of such people in the table itself."""
        keys = np.flatnonzero(self.selects(table, orders))
        return int(table.counts.take(keys).totals()[self.values].sum())

    def selects(self, table: Table, orders: tuple[Order, ...]) -> Flags:
        """Return which keys of a table are within the ranges."""
        inside = np.ones(len(table.sizes), bool)
        for column, (start, stop) in self.ranges.items():
            rank = orders[column].rank[table.quasi[column].codes]
            inside &= (start <= rank) & (rank < stop)
        return inside


def random_queries(
    orders: tuple[Order, ...], values: int, *, count: int = 200, columns: int = 2, share: float = 0.1, seed: int = 7
) -> Iterator[Query]:
    """Draw queries that ask for about `share` of all combinations: a stretch of `columns` columns, some of the values.

    The same seed draws the same queries.
    """
    rng = np.random.default_rng(seed)
    columns = min(columns, len(orders))
    # the same share of each of the columns and of the values, which multiply to the share asked for
    side = share ** (1 / (columns + 1))
    for _ in range(count):
        chosen = rng.choice(len(orders), columns, replace=False)
        selected = np.zeros(values, bool)
        selected[slice(*_random_stretch(values, side, rng))] = True
        yield Query({int(at): _random_stretch(len(orders[at]), side, rng) for at in chosen}, selected)


def _random_stretch(ranks: int, side: float, rng: np.random.Generator) -> tuple[int, int]:
    length = max(round(ranks * side), 1)
    start = int(rng.integers(0, ranks - length + 1))
    return start, start + length


@dataclass(frozen=True, eq=False, slots=True)
class Marginals:
    """The number of people with the labels below each rank, per column, and the entropy of its labels in bits."""

    below: tuple[Integers, ...]
    bits: Floats

    @classmethod
    def from_table(cls, table: AnyTable, orders: tuple[Order, ...]) -> Marginals:
        """Count the people of a table, one pass over its keys for each column; a streamed one has counted them."""
        if isinstance(table, Table):
            columns = zip(table.quasi, orders, strict=True)
            people = tuple(add_up(column.codes, table.sizes, len(order)) for column, order in columns)
        else:
            people = table.label_people
        below, bits = [], []
        for each, order in zip(people, orders, strict=True):
            # by label code → by rank
            by_rank = each[np.argsort(order.rank)]
            below.append(np.concatenate(([0], np.cumsum(by_rank))))
            # the bits that it takes on average to name a person's label: the entropy
            some = by_rank[by_rank > 0]
            bits.append(float((some * np.log2(some.sum() / some)).sum() / some.sum()))
        return cls(tuple(below), np.array(bits))


@dataclass(frozen=True, eq=False)
class Recoding(ABC):
    """The people of a table in groups.  What utilities ask, whatever the method answers it."""

    table: AnyTable
    orders: tuple[Order, ...]
    marginals: Marginals  # how many people have which labels, column by column
    sizes: Integers  # people per group
    suppressed: int  # people in no group

    @property
    def holds_keys(self) -> bool:
        """Whether each key of the table is held, to be compared with the release."""
        return isinstance(self.table, Table)

    @abstractmethod
    def detail_lost(self) -> float:
        """Add up, over the people who are in groups, the share of their key's detail that is lost: 0 none, 1 all."""

    @abstractmethod
    def bits_kept(self) -> Floats:
        """Return, per column, the bits that a person's printed label keeps of the original one, on average."""

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.sizes)

    def pairs(self) -> int:
        """Return Σ_g n_g²: the pairs of people with the same printed values."""
        return int((self.sizes * self.sizes).sum())

    @abstractmethod
    def reconstruction(self) -> Floats:
        """Return the people one would expect, knowing the release, per entry of the table's counts."""

    @abstractmethod
    def estimate(self, query: Query) -> float:
        """Answer a COUNT query from the release alone."""


@dataclass(frozen=True, eq=False)
class Regions(Recoding):
    """Groups that cover a stretch of ranks in each column: generalised tables, Mondrian's regions, clusters.

    `start` and `stop` are group × column, in ranks of `orders`; `group` has an entry per key of the table (−1:
    suppressed), looked up when it is first needed: a search that weighs thousands of recodings may do without.

    What is lost and told depends on how many people have which stretch printed: `stretches` has starts, stops and
    people column by column, by default those of the groups.  With levels, stretches are few and people of a column add
    up over parts of a release; then the groups may be on disk, `sizes`, `start` and `stop` have none, and `totals` says
    how many groups there are and Σ_g n_g².
    """

    start: Integers
    stop: Integers
    look_up: Callable[[], Integers]
    stretches: tuple[tuple[Integers, Integers, Integers], ...] = ()
    totals: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not self.stretches:
            by_column = tuple((start, stop, self.sizes) for start, stop in zip(self.start.T, self.stop.T, strict=True))
            object.__setattr__(self, "stretches", by_column)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.sizes) if self.totals is None else self.totals[0]

    def pairs(self) -> int:
        """Return Σ_g n_g²: the pairs of people with the same printed values."""
        return super().pairs() if self.totals is None else self.totals[1]

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle it with the group of each key, which a function looks up here: a search may run in another process."""
        values = [getattr(self, each.name) for each in fields(self)]
        # a closure cannot be pickled, but what it returns can
        values[[each.name for each in fields(self)].index("look_up")] = partial(np.asarray, self.look_up())
        return type(self), tuple(values)

    @classmethod
    def from_keys(
        cls, table: Table, orders: tuple[Order, ...], group: Integers, start: Integers, stop: Integers
    ) -> Regions:
        """Build regions of people by the groups of their keys."""
        kept = group >= 0
        sizes = add_up(group[kept], table.sizes[kept], len(start))
        marginals, suppressed = Marginals.from_table(table, orders), int(table.sizes[~kept].sum())
        return cls(table, orders, marginals, sizes, suppressed, start, stop, lambda: group)

    @cached_property
    def group(self) -> Integers:
        """The group of each key of the table; −1: suppressed."""
        return self.look_up()

    def detail_lost(self) -> float:
        """Add up over people: of numbers the range covered / the whole range, else (covered − 1) / (all − 1)."""
        lost = [
            float(people @ ((order.position[stop - 1] - order.position[start]) / order.width))
            for order, (start, stop, people) in zip(self.orders, self.stretches, strict=True)
        ]
        return sum(lost) / len(lost)

    def bits_kept(self) -> Floats:
        """Return bits by column: labels that few people share have most; suppressed people have none."""
        people = self.table.people
        bits = [
            float(own @ np.log2(people / (below[stop] - below[start]))) / people
            for below, (start, stop, own) in zip(self.marginals.below, self.stretches, strict=True)
        ]
        return np.array(bits)

    def reconstruction(self) -> Floats:
        """Return each group's values spread over all combinations of labels that it covers."""
        key, value, _ = self.table.counts.entries()
        group = self.group[key]
        counts = self._counts
        # as floats: the volume of a box of many columns may not fit into 64 bits; suppressed people may be anywhere
        volume = np.append(np.prod((self.stop - self.start).astype(float), axis=1), self._everywhere)
        rows = np.where(group < 0, counts.rows - 1, group)
        if counts.rows * counts.width <= EFFORT.dense_counts:
            in_group = counts.dense()[rows, value]
        else:
            # group and value packed into one number that searchsorted can find; all of these counts are positive
            some_row, some_value, count = counts.entries()
            packed = some_row * counts.width + some_value
            ascending = np.argsort(packed)
            in_group = count[ascending][np.searchsorted(packed[ascending], rows * counts.width + value)]
        anywhere = counts.row(counts.rows - 1)[value] / self._everywhere  # suppressed people may be of any key
        expected: Floats = in_group / volume[group] + np.where(group >= 0, anywhere, 0.0)
        return expected

    def estimate(self, query: Query) -> float:
        """Answer a query by the share of each group's stretches that it asks for."""
        # shares of a box multiply over columns, as inside a group every combination is as likely
        share = np.ones(len(self.start))
        everywhere = 1.0
        for column, (low, high) in query.ranges.items():
            start, stop = self.start[:, column], self.stop[:, column]
            share *= np.clip(np.minimum(high, stop) - np.maximum(low, start), 0, None) / (stop - start)
            everywhere *= (high - low) / len(self.orders[column])
        group, value, count = self._entries
        selected = query.values[value]
        # per group, and at last of the suppressed people, those who have one of these values
        people = np.bincount(group[selected], weights=count[selected], minlength=len(self.start) + 1).astype(float)
        return float((share * people[:-1]).sum() + everywhere * people[-1])

    @cached_property
    def _entries(self) -> tuple[Integers, Integers, Integers]:
        return self._counts.entries()

    @cached_property
    def _counts(self) -> Counts:
        """Group × value, the suppressed people after all groups."""
        return self.table.counts.roll_up(
            np.where(self.group < 0, len(self.start), self.group), groups=len(self.start) + 1
        )

    @property
    def _everywhere(self) -> float:
        """The number of combinations of labels."""
        return float(np.prod([float(len(order)) for order in self.orders]))


def region_labels(order: Order, start: Integers, stop: Integers) -> Column:
    """Return a column that prints a stretch per group; each different stretch is put into words once."""
    # (start, stop) packed into one number, as both are at most len(order)
    width = len(order) + 1
    stretches, codes = np.unique(start * width + stop, return_inverse=True)
    first, behind = (each.tolist() for each in np.divmod(stretches, width))
    most = EFFORT.listed_labels
    # a stretch has at most as many nodes as ranks: only where ranks are too many are nodes counted
    many_ranks = not order.numeric and sum(behind) - sum(first) > most
    if many_ranks and any(listed > most for listed in accumulate(map(len, map(order.fewest_nodes, first, behind)))):
        lack = "no hierarchy" if len(order.levels) == 1 else "a hierarchy of too few nodes"
        number = f", or say {parameter('kinds', {order.name: 'number'})}" if all_numbers(order.labels) else ""
        raise BadHierarchy(
            f"column '{order.name}' has {len(order):,} labels and {lack}: the sets that its groups would print "
            f"list more than {most:,}; give one with nodes for neighbours in {parameter('by')}{number}"
        )
    labels = tuple(map(order.label_of, first, behind))
    return Column(order.name, labels, codes.astype(np.int32))


def release_of(table: Table, group: Integers, columns: tuple[Column, ...], groups: int) -> Release:
    """Build the release of a table whose keys are in these groups (−1: left out), printed as `columns` say."""
    kept = np.flatnonzero(group >= 0)
    counts = table.counts.take(kept).roll_up(group[kept], groups=groups)
    sizes = add_up(group[kept], table.sizes[kept], groups)
    printed = whole_groups(
        domain=table.domain,
        sizes=sizes,
        counts=counts,
        columns=columns,
        semantics=table.semantics,
        weights=None if table.weights is None else add_up(group[kept], table.weights[kept], groups),
    )
    return Release(printed, sensitive=table.sensitive, intake=table.intake)


def candidate_groups(table: Table, sizes: Integers, counts: Counts, totals: Integers | None = None) -> Groups:
    """Build groups that a search may make of a table, not yet printed, which know the whole table's totals."""
    numbers = np.arange(1, len(sizes) + 1)
    totals = table.counts.totals() if totals is None else totals
    return Groups(table.domain, sizes, counts, (), table.semantics, totals, numbers)


@dataclass(frozen=True, eq=False)
class Buckets(Recoding):
    """People in buckets.  `people[i]` of those with key `key[i]` of the table are in bucket `bucket[i]`."""

    key: Integers
    bucket: Integers
    people: Integers
    counts: Counts  # bucket × value
    true_counts: TrueCounts | None = None  # who has what, which is never published

    @classmethod
    def from_people(
        cls,
        table: Table,
        orders: tuple[Order, ...],
        key: Integers,
        bucket: Integers,
        counts: Counts,
        *,
        values: Counts | None = None,
    ) -> Buckets:
        """Build buckets of people given one by one, by key and bucket; `values` are their own."""
        keys = len(table.sizes)
        kind, first = number_keys(bucket * keys + key, below=counts.rows * keys)
        sizes = np.bincount(bucket, minlength=counts.rows)
        true_counts = None
        if values is not None:
            person, value, _ = values.entries()
            true_counts = TrueCounts(
                table.quasi, table.domain, bucket[person], key[person], value, np.ones(len(person), np.int64)
            )
        people, marginals = np.bincount(kind), Marginals.from_table(table, orders)
        return cls(table, orders, marginals, sizes, 0, key[first], bucket[first], people, counts, true_counts)

    def detail_lost(self) -> float:
        """Return 0: every key is printed unchanged."""
        return 0.0

    def bits_kept(self) -> Floats:
        """Return all bits: every key is printed unchanged."""
        return self.marginals.bits

    def reconstruction(self) -> Floats:
        """Return each bucket's values shared out evenly: n̂_q(x) = Σ_b people of key q in b · n_b(x) / n_b."""
        key, value, _ = self.table.counts.entries()
        expected = np.empty(len(key))
        # value by value, so that only one number per key and bucket is held at a time
        for x in range(self.counts.width):
            share = self.counts.column(x) / self.sizes
            spread = np.bincount(self.key, self.people * share[self.bucket], len(self.table.sizes))
            expected[value == x] = spread[key[value == x]]
        return expected

    def estimate(self, query: Query) -> float:
        """Answer a query by the people of each bucket that it asks for, and the share of values."""
        inside = np.flatnonzero(query.selects(held(self.table), self.orders)[self.key])
        bucket, value, count = self._entries
        selected = np.flatnonzero(query.values[value])
        share = np.bincount(bucket[selected], count[selected], len(self.sizes)) / self.sizes
        return float(self.people[inside] @ share[self.bucket[inside]])

    @cached_property
    def _entries(self) -> tuple[Integers, Integers, Integers]:
        return self.counts.entries()

    def release(self) -> Release:
        """Build the release: groups that say which bucket they are, and who is in them."""
        table = self.table
        groups = whole_groups(
            domain=table.domain,
            sizes=self.sizes,
            counts=self.counts,
            columns=(self._bucket_column(np.arange(len(self.sizes))),),
            semantics=table.semantics,
        )
        # members stand by group, people of a bucket by their keys: never by their values
        by_bucket = np.argsort(self.bucket, kind="stable")
        members = Members(table.quasi, self.bucket[by_bucket], self.key[by_bucket], self.people[by_bucket])
        return Release(groups, sensitive=table.sensitive, intake=table.intake, members=members)

    def tables(self) -> tuple[tuple[Column, ...], tuple[Column, ...], Integers]:
        """Return what is printed, stood by bucket, people of a bucket by their keys: never by their values.

        A row per person, with the quasi-identifiers and the bucket; a row per bucket and value that occurs in it, or a
        value of each sensitive column; and how often each of those occurs.
        """
        key, bucket = np.repeat(self.key, self.people), np.repeat(self.bucket, self.people)
        people = (*(column.take(key) for column in self.table.quasi), self._bucket_column(bucket))
        bucket, value, count = self._entries
        values = value_columns(self.table.sensitive, self.table.domain, value)
        return people, (self._bucket_column(bucket), *values), count

    def _bucket_column(self, bucket: Integers) -> Column:
        labels = tuple(str(number) for number in range(1, len(self.sizes) + 1))
        taken = {column.name for column in self.table.quasi} | {*self.table.sensitive_columns}
        return Column(unused_name("bucket", taken), labels, bucket.astype(np.int32))
