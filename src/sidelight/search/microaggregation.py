"""Microaggregation: small clusters of people who are alike, each published as its average person.

Symbols     n_q = people with key q (a distinct combination of quasi-identifier values), d²(q, q') = Σ_c D_c[q_c, q'_c]
            (`UnclusteredKeys`), p_c = the remaining people's shares of column c's labels.
MDAV        Again and again: the key farthest from the average of the remaining people and its nearest keys, k people of
            them, are a cluster, and so are the key farthest from that one and its nearest; fewer than 2k people are the
            last cluster.  People of a key stay together, so only the last cluster can have fewer than k people.
Average     The squared distance of key q from the average person is  Σ_c (D_c p_c)[q_c]  less a constant that is the
            same for all keys (D_c is the squared distance of points), which is all that the farthest key needs.
Invariant   `_pulls[c] = D_c · (remaining people by label)` and `_sums` follow each cluster taken: subtracting its rows
            keeps them those of the people who remain.
Cost        At most n/k clusters, each a few additions over the keys that remain, so about keys · n / (2k) steps in all,
            quadratic, in whole-array operations.  Keys that are done are squeezed out once they are many.
After       Clusters that are outside the policy are merged with their nearest (see below), and those that would be
            printed the same are one.
Printed     Numbers and days as their mean, ordered labels as their median, categories as the commonest, as the lowest
            node of their hierarchy that covers all, or as the set of those that occur: codes are never added up.

Source: Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, 2005.

Merge groups, each with its nearest, until the policy holds.

Rounds      All groups that break a criterion on their own name their nearest other group (by points or by
            overlap); of these pairs those are merged, the closest first, whose groups are not taken yet.  Once
            every group is within policy on its own, criteria that depend on several groups name that of the worst case
            and a few of the next worst.
Pairing     What going through the pairs in order of distance would give, many at a time: a pair is merged as soon as it
            comes before every other pair that shares a group with it, and whatever it touches is struck out.
Invariant   Each round merges at least one pair, whatever a measure makes of that.  So it ends, at the latest with one
            group of everybody; the caller judges that, where measures do not claim that merging helps.
Cost        About log₂ (groups) rounds where groups are too small; each judges only the groups that have changed.

How far apart are people by their quasi-identifiers?  Squared distances that add up over columns.

Symbols     D_c[x, y] = the squared distance of two labels of column c; two keys q, q' (distinct combinations of
            quasi-identifier values) are  d²(q, q') = Σ_c D_c[q_c, q'_c]  apart.
Labels      Each D_c is the squared distance of points, by what the column is (`release.locate`): numbers, days
            and ordered labels on a line; categories with a coordinate of 1/√(2·levels) for their node on each level.
            Columns with very many labels stand on a line by their rank.
Points      So d² is the squared distance of points, too: distances from an average are well defined, and a group's
            average point is a sum that follows merges (`average_points`).
Keys        `UnclusteredKeys` keeps D_c as matrices, label × label, and looks rows up by label code: a vector of all
            distances from one key costs one indexed addition per matrix.  Columns are put together into one matrix over
            the combinations that occur while those stay few: fewer, longer additions.
Cost        labels² × levels numbers per column of up to `EFFORT.matrix_labels`; nearest groups: groups² × coordinates.

Source: ours; numbers as in Domingo-Ferrer and Torra, 2005; what is near, of groups, as in Ward, 1963.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from sidelight.arrays import Floats, Integers, add_up, number_keys
from sidelight.errors import BadPolicy, as_given, is_one_of
from sidelight.measures.classics import GroupSize
from sidelight.release.groups import Groups
from sidelight.release.locate import points_of, share_of_levels, squared_distances
from sidelight.search.effort import EFFORT
from sidelight.search.method import Method, Recodes, SearchOutcome
from sidelight.search.orders import Order, column_orders
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.utility import Regions, UtilityName, UtilityNames, candidate_groups, release_of
from sidelight.table.labels import SUPPRESSED, Column, ColumnKind, Label, day_text, label, number_equal_rows, shown
from sidelight.table.table import CELLS_AT_ONCE, Table

if TYPE_CHECKING:
    from sidelight.policy.policy import Policy
    from sidelight.progress import Progress
    from sidelight.table.hierarchy import Hierarchy

LabelAverage: TypeAlias = Literal["mode", "ancestor", "set"]
"""The average of categories: the most frequent, the lowest node that covers all, or all that occur."""


@dataclass(frozen=True)
class Microaggregation(Method):
    """Put similar people into clusters of at least `k`, and publish each cluster as its average person.

    Clusters are made by MDAV on normalised columns, then merged, each with its nearest, until within policy.  Numbers
    and days are published as their mean, ordered labels as their median, categories as the most frequent one
    (`labels="mode"`), as the lowest that their hierarchy has for all of them (`"ancestor"`) or as the set of those that
    occur (`"set"`).  Without `k`, the size that the policy asks for.

    Source: Domingo-Ferrer and Torra, 2005 (MDAV).
    """

    k: int | None = None
    labels: LabelAverage = "mode"

    name: ClassVar[str] = "microaggregation"
    description: ClassVar[str] = "similar people are put together, and each group prints the average of its people"
    recodes: ClassVar[Recodes] = "averages"
    puts_numbers_together: ClassVar[bool] = True
    heeds_hierarchies_of: ClassVar[tuple[ColumnKind, ...]] = ("category",)
    prints_averages: ClassVar[bool] = True
    warnings: ClassVar[tuple[str, ...]] = (
        "a microaggregated line is an average person's, and may be equal to a real person's own line",
    )

    def __post_init__(self) -> None:
        if self.k is not None and (not isinstance(self.k, int) or self.k < 1):
            raise BadPolicy(
                f"Microaggregation(k={as_given(self.k, quoted=True)}): k is how many people a cluster has at least; "
                "give 1, 2, 3, …"
            )
        if not is_one_of(self.labels, LabelAverage):
            raise BadPolicy(
                f"Microaggregation(labels={as_given(self.labels, quoted=True)}): choose 'mode', 'ancestor' or 'set'"
            )

    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utilities: UtilityNames, progress: Progress
    ) -> dict[UtilityName, SearchOutcome]:
        """Make clusters, merge them until within policy, average them."""
        orders = column_orders(table.quasi, by)
        # The minimum size of clusters when neither the caller nor the policy says one.
        k = min(self.k or PolicyCheck.from_policy(policy, table.people).least_group_size or 3, table.people)
        ranks = [order.ranks(column) for order, column in zip(orders, table.quasi, strict=True)]
        cluster = mdav(
            UnclusteredKeys(table, orders), k, progress=lambda done: progress("making clusters", done, len(table.sizes))
        )
        # k is kept by the last cluster too, which MDAV may leave smaller
        check = PolicyCheck.from_policy((*policy.criteria, GroupSize() >= k), table.people)
        while True:
            count = int(cluster.max()) + 1
            counts = table.counts.roll_up(cluster, groups=count)
            merged = merge_until_within(
                candidate_groups(table, add_up(cluster, table.sizes, count), counts),
                check,
                nearest_by_points,
                average_points(table, orders, cluster, count),
                progress=lambda groups: progress("merging clusters", groups, None),
            )
            cluster, count = merged[cluster], int(merged.max()) + 1
            # clusters that are printed the same are one to an attacker, and have to be judged as one
            printed, first = number_equal_rows(self._average(table, orders, ranks, cluster), count)
            cluster = printed[cluster]
            if len(first) == count:
                break
        ends = [find_stretches(cluster, rank, count) for rank in ranks]
        # (columns, clusters) → (clusters, columns)
        start, stop = (np.stack(each, axis=1) for each in zip(*ends, strict=True))
        release = release_of(table, cluster, self._average(table, orders, ranks, cluster), count)
        outcome = SearchOutcome(release, Regions.from_keys(table, orders, cluster, start, stop))
        return dict.fromkeys(utilities, outcome)

    def _average(
        self, table: Table, orders: tuple[Order, ...], ranks: list[Integers], cluster: Integers
    ) -> tuple[Column, ...]:
        """Return the columns that print each cluster as its average person."""
        count = int(cluster.max()) + 1
        return tuple(
            average_column(order, cluster, rank, table.sizes, groups=count, labels=self.labels)
            for order, rank in zip(orders, ranks, strict=True)
        )


def mdav(left: UnclusteredKeys, k: int, *, progress: Callable[[int], None] = lambda _done: None) -> Integers:
    """Return each key the number of its cluster, from 0; a key's people stay together.

    Only the last cluster may have fewer than k people, when single keys have more than k.
    """
    cluster = np.full(left.keys, -1)
    clusters = 0
    while left.people >= 2 * k:
        progress(len(cluster) - left.keys)
        # one cluster around the key farthest from the average, the next around the key farthest from that one
        distance = left.from_key(left.farthest(left.from_average()))
        cluster[left.take_nearest(distance, k)] = clusters
        clusters += 1
        if left.people >= 2 * k:
            distance = left.from_key(left.farthest(distance))
            cluster[left.take_nearest(distance, k)] = clusters
            clusters += 1
        left.squeeze()
    cluster[cluster < 0] = clusters
    return cluster


class UnclusteredKeys:
    """The keys of a table that are in no cluster yet.  Every question is a few vector operations over them.

    The squared distance of two keys is a sum over matrices and lines.  A matrix is of one column, or of several
    together: `squared[codes[i], codes[j]]` is that of keys i and j.
    """

    def __init__(self, table: Table, orders: tuple[Order, ...]) -> None:
        self.people = table.people
        self.keys = len(table.sizes)
        self._numbers = np.arange(self.keys)
        self._weights = table.sizes
        self._done = np.zeros(self.keys, bool)
        self.matrices: list[tuple[Integers, Floats]] = []  # codes per key, squared label × label
        matrices: list[tuple[Integers, Floats]] = []
        lines = []
        for order, column in zip(orders, table.quasi, strict=True):
            rank = order.ranks(column)
            if len(order) > EFFORT.matrix_labels:
                lines += [coordinate[rank] for coordinate in points_on_line(order)]
            else:
                matrices.append((rank, label_distances(order)))
        self.lines: Floats = np.array(lines).reshape(len(lines), self.keys)  # line × key
        # few labels first, so that as many columns as possible share a matrix, while their combinations stay few
        for codes, squared in sorted(matrices, key=lambda each: len(each[1])):
            packed = self.matrices[-1][0] * len(squared) + codes if self.matrices else codes
            kind, first = number_keys(packed, below=int(packed.max(initial=0)) + 1)
            if not self.matrices or len(first) > EFFORT.combinations:
                self.matrices.append((codes, squared))
                continue
            # combinations that occur are the new labels; squared distances add up over columns
            other_codes, other = self.matrices[-1]
            one, two = other_codes[first], codes[first]
            self.matrices[-1] = kind, other[np.ix_(one, one)] + squared[np.ix_(two, two)]
        self._pulls = [squared @ np.bincount(codes, weights=table.sizes) for codes, squared in self.matrices]
        self._sums: Floats = self.lines @ table.sizes

    def from_average(self) -> Floats:
        """Return the squared distance of each key from the average person, less the same amount for all."""
        average = self._sums / max(self.people, 1)
        return self._sum_distances([pull / max(self.people, 1) for pull in self._pulls], average)

    def from_key(self, at: int) -> Floats:
        """Return the squared distance of each key from one of them."""
        return self._sum_distances([squared[codes[at]] for codes, squared in self.matrices], self.lines[:, at])

    def farthest(self, distance: Floats) -> int:
        """Return the place of the farthest remaining key; of several the first."""
        return int(np.where(self._done, -np.inf, distance).argmax())

    def take_nearest(self, distance: Floats, k: int) -> Integers:
        """Take and return the nearest keys that together have k people; of equally near ones the first."""
        left = np.where(self._done, np.inf, distance)
        # no key is empty, so the k nearest keys have k people: only those need to be sorted
        near = np.flatnonzero(left <= np.partition(left, k - 1)[k - 1]) if k < len(left) else np.arange(len(left))
        near = near[np.argsort(left[near], kind="stable")]
        taken = near[: int(np.searchsorted(np.cumsum(self._weights[near]), k)) + 1]
        # D_c · (remaining people by label) and the sums along lines stay those of the people who remain
        weights = self._weights[taken]
        for at, (codes, squared) in enumerate(self.matrices):
            self._pulls[at] = self._pulls[at] - weights @ squared[codes[taken]]
        self._sums = self._sums - self.lines[:, taken] @ weights
        self._done[taken] = True
        self.people -= int(weights.sum())
        self.keys -= len(taken)
        return self._numbers[taken]

    def squeeze(self) -> None:
        """Forget the keys that are done, once they are many."""
        if self.keys > 0.8 * len(self._done):
            return
        kept = np.flatnonzero(~self._done)
        self._numbers, self._weights, self._done = self._numbers[kept], self._weights[kept], self._done[kept]
        self.matrices = [(codes[kept], squared) for codes, squared in self.matrices]
        self.lines = self.lines[:, kept]

    def _sum_distances(self, rows: list[Floats], at: Floats) -> Floats:
        total = np.zeros(len(self._done))
        for row, (codes, _) in zip(rows, self.matrices, strict=True):
            total += row[codes]
        for line, here in zip(self.lines, at, strict=True):
            total += (line - here) ** 2
        return total


def find_stretches(group: Integers, rank: Integers, groups: int) -> tuple[Integers, Integers]:
    """Return the stretch of ranks that each group's keys occupy."""
    first, last = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    np.minimum.at(first, group, rank)
    np.maximum.at(last, group, rank)
    return first, last + 1


def average_column(
    order: Order, group: Integers, rank: Integers, people: Integers, *, groups: int, labels: LabelAverage
) -> Column:
    """Return one column as clusters print it; `group`, `rank` and `people` have an entry per key of the table."""
    if order.numeric:
        texts = _means(order, group, rank, people, groups)
    elif order.kind == "ordered":
        texts = [order.labels[median] for median in _medians(order, group, rank, people, groups).tolist()]
    elif labels == "ancestor":
        texts = _ancestors(order, *find_stretches(group, rank, groups))
    elif labels == "set":
        # all labels that occur in each group
        groups_of, ranks = np.divmod(np.unique(group * len(order) + rank), len(order))
        ranks_by_group = np.split(ranks, np.flatnonzero(np.diff(groups_of)) + 1)
        sets = [[order.labels[each] for each in part.tolist()] for part in ranks_by_group]
        texts = [each[0] if len(each) == 1 else "{" + ", ".join(map(shown, each)) + "}" for each in sets]
    else:
        kinds, kind = np.unique(group * len(order) + rank, return_inverse=True)
        often = np.bincount(kind, weights=people)
        # by group, then the most frequent first, then the smallest rank: the first of each group is its mode
        best = kinds[np.lexsort((kinds, -often, kinds // len(order)))]
        modes = best[np.unique(best // len(order), return_index=True)[1]] % len(order)
        texts = [order.labels[mode] for mode in modes.tolist()]
    return replace(Column.of(order.name, texts), kind=order.kind)


def _means(order: Order, group: Integers, rank: Integers, people: Integers, groups: int) -> list[Label]:
    """Return the means of known numbers or days, to about a hundredth of the range; missing where none is known."""
    known = np.array([text is not None for text in order.labels])
    # a missing number counts for nothing; where all are missing, so is the mean
    weights = people * known[rank]
    total = np.bincount(group, weights=weights, minlength=groups)
    sums = np.bincount(group, weights=weights * order.position[rank], minlength=groups)
    means = np.round(sums / np.maximum(total, 1), decimals(order.position[known]))
    print_number: Callable[[float], Label] = day_text if order.kind == "date" else label
    return [print_number(mean) if n else None for mean, n in zip(means.tolist(), total, strict=True)]


def _medians(order: Order, group: Integers, rank: Integers, people: Integers, groups: int) -> Integers:
    """Return the lower median of each group's ranks; missing labels, which stand last, count only where all are."""
    known = np.array([text is not None for text in order.labels])[rank]
    all_missing = add_up(group, people * known, groups)[group] == 0
    counted = np.flatnonzero(known | all_missing)
    by_rank = counted[np.lexsort((rank[counted], group[counted]))]
    through = np.cumsum(people[by_rank])
    total = add_up(group[by_rank], people[by_rank], groups)
    before = (np.cumsum(total) - total)[group[by_rank]]
    # the first rank at which half of the group's people are through
    half = np.flatnonzero(2 * (through - before) >= total[group[by_rank]])
    _, first = np.unique(group[by_rank][half], return_index=True)
    medians: Integers = rank[by_rank][half][first]
    return medians


def decimals(numbers: Floats) -> int:
    """Return the decimals (negative: tens, hundreds, …) that tell a hundredth of a range apart.

    >>> decimals(np.array([17.0, 90.0])), decimals(np.array([0.0, 99_999.0])), decimals(np.array([7.0, 7.0]))
    (1, -2, 2)
    """
    width = float(numbers.max() - numbers.min())
    return 2 - math.floor(math.log10(width)) if width else 2


def _ancestors(order: Order, start: Integers, stop: Integers) -> list[Label]:
    """Return the lowest node of the hierarchy that covers each group's labels; without one, `*`."""
    texts: list[Label] = [SUPPRESSED] * len(start)
    # from the coarsest level down, so that the finest common node is written last; a node covers neighbours, so a
    # stretch is inside it exactly when both ends are
    for level in reversed(range(len(order.levels))):
        same = order.levels[level, start] == order.levels[level, stop - 1]
        for row in np.flatnonzero(same).tolist():
            texts[row] = order.nodes[level][order.levels[level, start[row]]]
    return texts


Nearest: TypeAlias = Callable[[Groups, Floats, Integers], tuple[Integers, Floats]]
"""Of groups, by their average points (group × coordinate): the nearest other one of some rows, and how far away."""


def merge_until_within(
    groups: Groups,
    policy: PolicyCheck,
    nearest: Nearest,
    points: Floats | None = None,
    *,
    progress: Callable[[int], None] = lambda _groups: None,
) -> Integers:
    """Merge groups until the policy holds; gives the number of each old group's new one, from 0.

    >>> import sidelight as sl
    >>> groups = sl.Release.from_counts([{"a": 3}, {"a": 1}, {"b": 4}]).groups
    >>> policy, points = PolicyCheck.from_policy([sl.GroupSize() >= 3], people=100), np.array([[0.0], [9.0], [10.0]])
    >>> merge_until_within(groups, policy, nearest_by_points, points).tolist()
    [0, 1, 1]
    """
    points = np.zeros((len(groups), 0)) if points is None else points
    number = np.arange(len(groups))
    holds = policy.holds_in_each(groups)
    while len(groups) > 1:
        progress(len(groups))
        # criteria judged together are looked at only once every group is within policy on its own
        bad = np.flatnonzero(~holds) if not holds.all() else _worst_together(groups, policy)
        if len(bad) == 0:
            break
        into = pair_up(bad, *nearest(groups, points, bad), groups=len(groups))
        groups, points = merge_into(groups, into), merge_points(points, groups.sizes, into)
        # only groups that have changed are judged anew
        before, holds = holds, np.zeros(len(groups), bool)
        holds[into] = before
        changed = np.flatnonzero(np.bincount(into) > 1)
        holds[changed] = policy.holds_in_each(groups.take(changed))
        number = into[number]
    return number


def pair_up(one: Integers, other: Integers, distance: Floats, *, groups: int) -> Integers:
    """Merge pairs of groups, the closest first, as far as neither is taken; gives each group's new number, from 0.

    >>> pair_up(np.array([0, 1, 3]), np.array([1, 2, 2]), np.array([2.0, 1.0, 3.0]), groups=4).tolist()
    [0, 1, 1, 2]
    """
    # ties in any order but that of the rows, in which each pair would wait for the one before it
    tie_breaker = np.random.default_rng(0).permutation(len(one))
    rank = np.empty(len(one), np.int64)
    rank[np.lexsort((tie_breaker, distance))] = np.arange(len(one))
    into = np.arange(groups)
    free = np.ones(groups, bool)
    left = np.arange(len(one))
    while len(left):
        # per group, the rank of the first pair that is left and touches it; a pair that is first in both groups wins
        first = np.full(groups, len(one))
        np.minimum.at(first, one[left], rank[left])
        np.minimum.at(first, other[left], rank[left])
        won = left[(first[one[left]] == rank[left]) & (first[other[left]] == rank[left])]
        into[np.maximum(one[won], other[won])] = np.minimum(one[won], other[won])
        free[one[won]] = free[other[won]] = False
        left = left[free[one[left]] & free[other[left]]]
    return number_keys(into, below=groups)[0]


def merge_into(groups: Groups, into: Integers) -> Groups:
    """Add up groups: old group g goes to `into[g]`.  They keep what they are compared with."""
    left = int(into.max()) + 1
    return Groups(
        groups.domain,
        add_up(into, groups.sizes, left),
        groups.counts.roll_up(into, groups=left),
        (),
        groups.semantics,
        groups.whole,
        np.arange(1, left + 1),
    )


def _worst_together(groups: Groups, policy: PolicyCheck) -> Integers:
    """Return the group of the worst case and some of the next worst, if criteria are broken together."""
    for check in policy.together:
        finding = check.finding(groups)
        if check.criterion.decide(finding).holds:
            continue
        # Of groups that break a criterion only together, one in this many is merged before they are judged again.
        worst = np.argsort(check.badness(groups), kind="stable")[: -(-len(groups) // 100)]
        # the group of the exact worst case is among them, whatever the floats say
        if finding.witness is not None:
            worst[-1:] = finding.witness.group.number - 1
        return np.unique(worst)
    return np.array([], np.int64)


def label_distances(order: Order) -> Floats:
    """Return the squared distance of each two labels of a column, by rank (D_c).

    >>> from sidelight.search.orders import order_of
    >>> label_distances(order_of(Column.of("age", ["11", "12", "15"]))).tolist()
    [[0.0, 0.0625, 1.0], [0.0625, 0.0, 0.5625], [1.0, 0.5625, 0.0]]
    """
    if order.kind != "category":
        points = points_on_line(order)
        return squared_distances(points, points)
    # levels at which all labels are the same would make every distance smaller, and none different
    levels = _telling_levels(order)
    return share_of_levels(levels, levels)


def points_on_line(order: Order) -> Floats:
    """Return the point of each label, coordinate × rank: on a line from 0 to 1, and beside it where it is missing."""
    missing = np.array([text is None for text in order.labels])
    return points_of(np.where(missing, np.nan, order.position))


def _telling_levels(order: Order) -> Integers:
    """Keep the levels at which some labels differ; a column of one label keeps its own."""
    some: Integers = order.levels[(order.levels != order.levels[:, :1]).any(axis=1)]
    return some if len(some) else order.levels[:1]


def average_points(table: Table, orders: tuple[Order, ...], group: Integers, groups: int) -> Floats:
    """Return where the people of each group stand on average, group × coordinate."""
    sums = [
        coordinates
        for order, column in zip(orders, table.quasi, strict=True)
        for coordinates in _point_sums(order, order.ranks(column), group, table.sizes, groups)
    ]
    # one more coordinate, too short to matter but between equals: whose nearest would else be all the same group
    ties = np.random.default_rng(0).random((groups, 1)) * 1e-3
    return np.concatenate([*sums, ties], axis=1) / add_up(group, table.sizes, groups)[:, np.newaxis]


def merge_points(points: Floats, sizes: Integers, into: Integers) -> Floats:
    """Follow a merge, after which old group g is a part of group `into[g]`: points are averaged by people."""
    left = int(into.max()) + 1
    # averages times people are sums, and sums add up
    sums = np.zeros((left, points.shape[1]))
    np.add.at(sums, into, points * sizes[:, np.newaxis])
    return sums / add_up(into, sizes, left)[:, np.newaxis]


def nearest_by_points(groups: Groups, points: Floats, rows: Integers) -> tuple[Integers, Floats]:
    """Return what adds least squared error when merged (Ward), and how much: n_g·n_h / (n_g + n_h) · |c_g − c_h|².

    The weight keeps large groups, who are near everybody, from drawing in all others.

    Source: Ward, 1963.
    """
    length, sizes = np.einsum("ij,ij->i", points, points), groups.sizes
    best, least = np.empty(len(rows), np.int64), np.empty(len(rows))
    step = max(CELLS_AT_ONCE // len(sizes), 1)
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        # |c_g − c_h|² = |c_g|² + |c_h|² − 2 c_g·c_h: one product of matrices; rounding may leave a little below 0
        squared = length[block, np.newaxis] + length - 2 * (points[block] @ points.T)
        weight = sizes[block, np.newaxis] * (sizes / (sizes[block, np.newaxis] + sizes))
        error = np.maximum(squared, 0) * weight
        error[np.arange(len(block)), block] = np.inf
        best[start : start + step] = error.argmin(axis=1)
        least[start : start + step] = error.min(axis=1)
    return best, least


def _point_sums(order: Order, rank: Integers, group: Integers, people: Integers, groups: int) -> Iterator[Floats]:
    """Add up the points of each group's people in one column, so that distances are those of `label_distances`."""
    if order.kind != "category" or len(order) > EFFORT.matrix_labels:
        for coordinate in points_on_line(order):
            yield np.bincount(group, people * coordinate[rank], groups).astype(float)[:, np.newaxis]
        return
    # labels that differ on a level differ in two coordinates, so 1/√(2·levels) each makes that level count 1/levels
    levels = _telling_levels(order)
    for level in levels:
        width = int(level.max()) + 1
        inside = np.bincount(group * width + level[rank], people, groups * width).reshape(groups, width)
        yield inside / np.sqrt(2 * len(levels))


def nearest_by_overlap(rng: np.random.Generator) -> Nearest:
    """Return how buckets are near that have few values in common: together they are then most diverse.

    Σ_x n_g(x)·n_h(x), the pairs of people with the same value that merging would bring together.  Each is compared
    with a few others drawn at random, and in turn: of many buckets that are the same no two choose the same one.
    """
    compared = 64  # other buckets, drawn at random, with each

    def nearest(groups: Groups, _points: Floats, rows: Integers) -> tuple[Integers, Floats]:
        best, overlap = np.empty(len(rows), np.int64), np.empty(len(rows))
        shuffled = rng.permutation(len(groups))
        # blocks of buckets are compared with blocks
        for start in range(0, len(rows), compared):
            block = rows[start : start + compared]
            others = np.take(shuffled, np.arange(start, start + min(compared, len(groups))), mode="wrap")
            here, there = (groups.counts.take(each).dense().astype(float) for each in (block, others))
            pairs = here @ there.T
            # pairs are whole numbers, so less than one half settles nothing but ties
            pairs += rng.random(pairs.shape) / 2
            pairs[block[:, np.newaxis] == others] = np.inf
            chosen = _choose_in_turn(pairs)
            best[start : start + compared] = others[chosen]
            overlap[start : start + compared] = pairs[np.arange(len(block)), chosen]
        return best, overlap

    return nearest


def _choose_in_turn(distance: Floats) -> Integers:
    """Return each row's nearest column that no other row has taken; once all are taken, its nearest.

    >>> _choose_in_turn(np.array([[0.0, 1.0, 5.0], [0.0, 2.0, 3.0], [0.0, 1.0, 9.0]])).tolist()
    [0, 1, 2]
    """
    chosen: Integers = distance.argmin(axis=1)
    free = distance.copy()
    left = np.arange(len(distance))
    while len(left) and np.isfinite(free[left]).any():
        # of rows that choose the same column the first gets it, the others choose again among what is free
        nearest = free[left].argmin(axis=1)
        taken, first = np.unique(nearest, return_index=True)
        chosen[left[first]] = taken
        free[:, taken] = np.inf
        left = np.delete(left, first)
    return chosen
