"""Microaggregation: small clusters of people who are alike, each published as its average person."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from sidelight._arrays import Floats, Integers
from sidelight._progress import Progress
from sidelight.errors import BadPolicy
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Comparison, exact
from sidelight.policy.policy import Policy
from sidelight.search.distances import Centroids, Space, merge_until_within
from sidelight.search.method import Method, Outcome
from sidelight.search.orders import Order, orders
from sidelight.search.policy_check import Limits, loose_groups
from sidelight.search.recoding import Stretches, released
from sidelight.search.utility import UtilityName
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import SUPPRESSED, Label, as_text, in_order, label
from sidelight.table.table import Column, Table, added, rows_alike

USUAL_SIZE = 3
"""The minimum size of clusters when neither the caller nor the policy says one."""


@dataclass(frozen=True)
class Microaggregation(Method):
    """Put people who are alike into clusters of at least `k`, and publish each cluster as its average person.

    Clusters are made by MDAV on normalised columns, then merged, each with its nearest, until within policy.  Numbers
    are published as their mean, other labels as the most frequent one (`labels="mode"`) or as the lowest that their
    hierarchy has for all of them (`"ancestor"`).  Without `k`, the size that the policy asks for.

    Source: Domingo-Ferrer and Torra, 2005 (MDAV).
    """

    k: int | None = None
    labels: Labels = "mode"

    name: ClassVar[str] = "microaggregation"
    warnings: ClassVar[tuple[str, ...]] = (
        "a microaggregated line is an average person's, and may be equal to a real person's own line",
    )

    def __post_init__(self) -> None:
        if self.k is not None and (not isinstance(self.k, int) or self.k < 1):
            message = f"Microaggregation(k={self.k!r}): k is how many people a cluster has at least; give 1, 2, 3, …"
            raise BadPolicy(message)
        if self.labels not in get_args(Labels):
            message = f"Microaggregation(labels={self.labels!r}): choose 'mode' or 'ancestor'"
            raise BadPolicy(message)

    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> Outcome:
        """Make clusters, merge them until within policy, average them."""
        del utility  # greedy: near people are what is put together
        along = orders(table.quasi, by)
        k = min(self.k or asked_size(policy) or USUAL_SIZE, table.people)
        group = clusters(
            Space.of(table, along),
            table.sizes,
            k,
            progress=lambda done: progress("making clusters", done, len(table.sizes)),
        )
        limits = Limits.of_criteria((*policy.criteria, GroupSize() >= k), table.people)
        made = _Clusters(table, along, self.labels, group).within(limits, progress)
        columns = made.printed()
        start, stop = made.stretches()
        return Outcome(
            released(table, made.group, columns, made.count), Stretches.of(table, along, made.group, start, stop)
        )


@dataclass(frozen=True, eq=False, slots=True)
class _Clusters:
    """Which cluster each cell of a table is in."""

    table: Table
    along: tuple[Order, ...]
    labels: Labels
    group: Integers

    @property
    def count(self) -> int:
        return int(self.group.max()) + 1

    def within(self, limits: Limits, progress: Progress) -> _Clusters:
        """Merge clusters until the limits hold and no two are printed alike: readers could not tell those apart."""
        made = self
        while True:
            number = merge_until_within(
                loose_groups(
                    self.table,
                    added(made.group, self.table.sizes, made.count),
                    self.table.counts.rolled_up(made.group, groups=made.count),
                ),
                limits,
                Centroids.of(self.table, self.along, made.group, made.count),
                progress=lambda groups: progress("merging clusters", groups, None),
            )
            made = made.regrouped(number)
            different, first = rows_alike(made.printed(), made.count)
            if len(first) == made.count:
                return made.regrouped(different)
            made = made.regrouped(different)

    def regrouped(self, number: Integers) -> _Clusters:
        return _Clusters(self.table, self.along, self.labels, number[self.group])

    def printed(self) -> tuple[Column, ...]:
        return tuple(
            averaged(order, self.group, place, self.table.sizes, groups=self.count, labels=self.labels)
            for order, place in zip(self.along, self.places(), strict=True)
        )

    def places(self) -> list[Integers]:
        return [
            order.place[column.codes].astype(np.int64)
            for order, column in zip(self.along, self.table.quasi, strict=True)
        ]

    def stretches(self) -> tuple[Integers, Integers]:
        each = [stretch(self.group, place, self.count) for place in self.places()]
        start, stop = (np.stack(ends, axis=1) for ends in zip(*each, strict=True))
        return start, stop


def asked_size(policy: Policy) -> int | None:
    """Give the size that a policy asks of every group, if it asks for one.

    >>> import sidelight as sl
    >>> asked_size(sl.Policy(sl.GroupSize() >= 5)), asked_size(sl.Policy(sl.Implications(1) < 0.5))
    (5, None)
    """
    sizes = [
        math.floor(exact(each.bound)) + 1 if each.comparison is Comparison.ABOVE else math.ceil(exact(each.bound))
        for each in policy.criteria
        if isinstance(each.measure, GroupSize)
    ]
    return max(sizes, default=None)


# ----------------------------------------------------------------------------------------------------
# MDAV: clusters of at least k people, one after another from the outside in.
# ----------------------------------------------------------------------------------------------------


SQUEEZE_AT = 0.8
"""Cells that are done are squeezed out when fewer than this share of them are left."""


def clusters(
    space: Space, people: Integers, k: int, *, progress: Callable[[int], None] = lambda _done: None
) -> Integers:
    """Give each cell the number of its cluster, from 0; a cell's people stay together.

    Again and again: the cell farthest from the average of the remaining people and its nearest cells, k people of
    them, are a cluster, and so are the cell farthest from that one and its nearest; fewer than 2k people are the last
    cluster.  (Only the last may have fewer than k people, when single cells have more than k.)

    Source: Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, 2005.
    """
    left = Remaining(space, people)
    cluster = np.full(len(people), -1)
    made = 0
    while left.people >= 2 * k:
        progress(len(people) - left.cells)
        far = left.from_cell(left.farthest(left.from_average()))
        cluster[left.take_nearest(far, k)] = made
        made += 1
        if left.people >= 2 * k:
            far = left.from_cell(left.farthest(far))
            cluster[left.take_nearest(far, k)] = made
            made += 1
        left.squeeze()
    cluster[cluster < 0] = made
    return cluster


class Remaining:
    """The cells that are in no cluster yet.  Every question is a few vector operations over them."""

    def __init__(self, space: Space, people: Integers) -> None:
        self.people = int(people.sum())
        self.cells = len(people)
        self._numbers = np.arange(len(people))
        self._weights = people
        self._done = np.zeros(len(people), bool)
        self._apart = [axis.apart for axis in space.axes]
        self._codes = [axis.codes.astype(np.intp) for axis in space.axes]
        self._lines = space.lines
        self._pulls = [axis.apart @ np.bincount(axis.codes, weights=people) for axis in space.axes]
        self._sums = space.lines @ people

    def from_average(self) -> Floats:
        """Give the squared distance of each cell from the average person, less the same amount for all.

        Σ_c (D_c p_c)[codes], with p_c the remaining people's shares of column c's labels.
        """
        average = self._sums / max(self.people, 1)
        return self._added([pull / max(self.people, 1) for pull in self._pulls], average)

    def from_cell(self, at: int) -> Floats:
        """Give the squared distance of each cell from one of them."""
        rows = [apart[codes[at]] for apart, codes in zip(self._apart, self._codes, strict=True)]
        return self._added(rows, self._lines[:, at])

    def farthest(self, apart: Floats) -> int:
        """Give the place of the farthest remaining cell; of several the first."""
        return int(np.where(self._done, -np.inf, apart).argmax())

    def take_nearest(self, apart: Floats, k: int) -> Integers:
        """Take the nearest cells that together have k people, of equally near ones the first; gives their numbers."""
        open_ = np.where(self._done, np.inf, apart)
        near = np.flatnonzero(open_ <= np.partition(open_, k - 1)[k - 1]) if k < len(open_) else np.arange(len(open_))
        near = near[np.argsort(open_[near], kind="stable")]
        taken = near[: int(np.searchsorted(np.cumsum(self._weights[near]), k)) + 1]
        weights = self._weights[taken]
        for axis, (apart_by, codes) in enumerate(zip(self._apart, self._codes, strict=True)):
            self._pulls[axis] = self._pulls[axis] - weights @ apart_by[codes[taken]]
        self._sums = self._sums - self._lines[:, taken] @ weights
        self._done[taken] = True
        self.people -= int(weights.sum())
        self.cells -= len(taken)
        return self._numbers[taken]

    def squeeze(self) -> None:
        """Forget the cells that are done, once they are many."""
        if self.cells > SQUEEZE_AT * len(self._done):
            return
        kept = np.flatnonzero(~self._done)
        self._numbers, self._weights, self._done = self._numbers[kept], self._weights[kept], self._done[kept]
        self._codes = [codes[kept] for codes in self._codes]
        self._lines = self._lines[:, kept]

    def _added(self, rows: list[Floats], at: Floats) -> Floats:
        total = np.zeros(len(self._done))
        for row, codes in zip(rows, self._codes, strict=True):
            total += row[codes]
        for line, here in zip(self._lines, at, strict=True):
            total += (line - here) ** 2
        return total


# ----------------------------------------------------------------------------------------------------
# What is printed about a cluster: the mean of its numbers, the mode or the common ancestor of its labels.
# ----------------------------------------------------------------------------------------------------


Labels: TypeAlias = Literal["mode", "ancestor"]
"""How labels that are no numbers are averaged: the most frequent one, or the lowest that the hierarchy has for all."""


def stretch(group: Integers, place: Integers, groups: int) -> tuple[Integers, Integers]:
    """Give the stretch of places that each group's cells occupy."""
    first, last = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    np.minimum.at(first, group, place)
    np.maximum.at(last, group, place)
    return first, last + 1


def averaged(
    order: Order, group: Integers, place: Integers, people: Integers, *, groups: int, labels: Labels
) -> Column:
    """Print one column of clusters; `group`, `place` and `people` have a row per cell of the table."""
    if order.numeric:
        return _means(order, group, place, people, groups)
    if labels == "ancestor":
        return _ancestors(order, *stretch(group, place, groups))
    modes = _modes(group * len(order.labels) + place, people, len(order.labels))
    return _encoded(order.name, [order.labels[at] for at in modes.tolist()])


def _means(order: Order, group: Integers, place: Integers, people: Integers, groups: int) -> Column:
    """Average the numbers or days that are known, to about a hundredth of the column's range; missing where none is."""
    known = np.array([text is not None for text in order.labels])
    weights = people * known[place]
    total = np.bincount(group, weights=weights, minlength=groups)
    sums = np.bincount(group, weights=weights * order.position[place], minlength=groups)
    means = np.round(sums / np.maximum(total, 1), rounding(order.position[known]))
    said: Callable[[float], Label] = as_text if order.days else label
    return _encoded(order.name, [said(mean) if n else None for mean, n in zip(means.tolist(), total, strict=True)])


def rounding(numbers: Floats) -> int:
    """Give the decimals (negative: tens, hundreds, …) that tell a hundredth of a range apart.

    >>> rounding(np.array([17.0, 90.0])), rounding(np.array([0.0, 99_999.0])), rounding(np.array([7.0, 7.0]))
    (1, -2, 2)
    """
    whole = float(numbers.max() - numbers.min())
    return 2 - math.floor(math.log10(whole)) if whole else 2


def _ancestors(order: Order, start: Integers, stop: Integers) -> Column:
    """Go up the hierarchy until all labels of a group are one; without such a level, `*`."""
    texts: list[Label] = [SUPPRESSED] * len(start)
    for level in reversed(range(len(order.levels))):
        same = order.levels[level, start] == order.levels[level, stop - 1]  # a node covers neighbours
        for row in np.flatnonzero(same).tolist():
            texts[row] = order.nodes[level][order.levels[level, start[row]]]
    return _encoded(order.name, texts)


def _modes(keys: Integers, people: Integers, width: int) -> Integers:
    """Give each group's most frequent place, of several the first; keys are group · width + place."""
    known, kind = np.unique(keys, return_inverse=True)
    often = np.bincount(kind, weights=people)
    best = np.lexsort((known, -often, known // width))
    _, first = np.unique(known[best] // width, return_index=True)
    modes: Integers = known[best][first] % width
    return modes


def _encoded(name: str, texts: list[Label]) -> Column:
    labels = in_order(texts)
    codes = {text: code for code, text in enumerate(labels)}
    return Column(name, labels, np.array([codes[text] for text in texts], np.int32))
