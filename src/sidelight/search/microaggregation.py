"""Microaggregation: small clusters of people who are alike, each published as its average person."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np

from sidelight.errors import BadPolicy
from sidelight.measures.criterion import Comparison, exact
from sidelight.measures.k_anonymity import GroupSize
from sidelight.policy.policy import Policy
from sidelight.search.centroids import Labels, averaged, stretch
from sidelight.search.distances import Centroids, Space
from sidelight.search.mdav import clusters
from sidelight.search.merging import merge_until_within
from sidelight.search.method import Method, Outcome, Progress
from sidelight.search.orders import Order, orders
from sidelight.search.policy_check import Limits, loose_groups
from sidelight.search.recoding import Stretches, released
from sidelight.search.utility import UtilityName
from sidelight.table.columns import Column, Integers, rows_alike
from sidelight.table.counts import added
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table

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
