"""Mondrian: cut the people in two, again and again, as long as the release stays within policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from sidelight.policy.policy import Policy
from sidelight.search.method import Method, Outcome, Progress
from sidelight.search.mondrian_cuts import Frontier
from sidelight.search.orders import Order, orders
from sidelight.search.partition import Partition
from sidelight.search.policy_check import Limits
from sidelight.search.recoding import Stretches, printed, released
from sidelight.search.shared import SharedLimits
from sidelight.search.utility import UtilityName
from sidelight.table.columns import Integers
from sidelight.table.counts import Counts
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the people in two along one column, again and again, each cut only if the release stays within policy.

    Numbers and days are cut at the median, then at other places; other labels along their hierarchy, or in sorted
    order without one; the column along which a group spreads most widely comes first or, `towards` a column, the one
    whose cut tells most about it.  Regions are printed as intervals, hierarchy labels or sets of them.  Under measures
    that merging never makes worse the result is minimal: no group can be cut any further.

    Source: LeFevre et al., Mondrian, ICDE 2006; Chen et al., Privacy Skyline, VLDB 2007 (SkylineAnonymize).
    """

    towards: str | None = None

    name: ClassVar[str] = "mondrian"

    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> Outcome:
        """Cut until nothing can be cut."""
        del utility  # greedy: the cuts themselves are what is chosen
        along = orders(table.quasi, by)
        target = None if self.towards is None else counts_of(table, self.towards)
        made = grow(table, Limits.of(policy, table.people), along, target=target, progress=partial(_tell, progress))
        columns = tuple(printed(order, made.start[:, at], made.stop[:, at]) for at, order in enumerate(along))
        return Outcome(
            released(table, made.group, columns, len(made)),
            Stretches.of(table, along, made.group, made.start, made.stop),
        )


def _tell(progress: Progress, groups: int) -> None:
    progress(f"{groups:,} groups", groups, None)


def grow(
    table: Table,
    limits: Limits,
    along: tuple[Order, ...],
    *,
    target: Counts | None = None,
    progress: Callable[[int], None] = lambda _groups: None,
) -> Partition:
    """Cut until no group can be cut any more, one generation of groups at a time.

    Each group tries the cut nearest the median in its most spread-out column first, then in the next, then all
    other cuts.  Where limits depend on several groups together, cuts are accepted in the order of the groups, each
    judged in the release that the earlier ones have made.
    """
    made = Partition.of_everybody(table, along)
    shared = SharedLimits(table, limits.shared, made)
    active = np.array([0])
    while len(active):
        progress(len(made))
        frontier = Frontier.of(table, made, active)
        halves: list[Integers] = []
        undecided = np.ones(len(active), bool)
        for candidates in frontier.rounds(along, undecided, target):
            fine = candidates.take(frontier.within(candidates, limits))
            for chosen in shared.accepted(fine, frontier, active):
                undecided[chosen.group] = False
                halves += [active[chosen.group], made.split(frontier.cells, chosen, active)]
        active = np.concatenate(halves) if halves else np.array([], np.int64)
    return made


def counts_of(table: Table, name: str) -> Counts:
    """Count the labels of a column, a quasi-identifier or the sensitive one, in each cell of the table."""
    if name == table.sensitive:
        return table.counts
    column = table.column(name)
    cells = np.arange(len(table.sizes))
    return Counts.from_entries(cells, column.codes, table.sizes, (len(cells), len(column.labels)))
