"""Mondrian: cut the people in two, again and again, as long as the release stays within policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from sidelight._arrays import Flags, Floats, Integers
from sidelight._progress import Progress
from sidelight.measures.screening import joined_after, joined_before
from sidelight.policy.policy import Policy
from sidelight.release.groups import Groups
from sidelight.search.method import Method, Outcome
from sidelight.search.mondrian_cuts import Candidates, Frontier, Partition
from sidelight.search.orders import Order, orders
from sidelight.search.policy_check import Limit, Limits, loose_groups
from sidelight.search.recoding import Stretches, printed, released
from sidelight.search.utility import UtilityName
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Counts, Table


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


# ----------------------------------------------------------------------------------------------------
# Limits that depend on several groups together: cuts are accepted one after another, many at a time.
# ----------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class SharedLimits:
    """Accepts cuts in the order of the groups, each judged in the release that the earlier ones have made.

    As finer releases are never less risky (where the measure's monotonicity says so), a cut that fails once fails for
    good, and of cuts accepted together every prefix is within policy as soon as all of them are.  So whole runs of cuts
    are accepted at once, up to the first that fails.
    """

    table: Table
    limits: tuple[Limit, ...]
    made: Partition
    rows: list[Floats] = field(default_factory=list)  # per limit: the screen of each group made so far

    def __post_init__(self) -> None:
        self.rows = [limit.screen.of(self._groups(self.made.group, len(self.made))) for limit in self.limits]

    def accepted(self, fine: Candidates, frontier: Frontier, numbers: Integers) -> Iterator[Candidates]:
        """Give runs of accepted cuts, at most one cut per group; each run must be made before the next is asked."""
        if not self.limits:
            yield fine.take(fine.first_of_each())
            return
        left, right = self._halves(fine, frontier)
        pairs = [limit.screen.join(*both) for limit, *both in zip(self.limits, left, right, strict=True)]
        open_ = np.arange(len(fine))
        while len(open_):
            open_ = open_[self._fit(fine.take(open_), [pair[open_] for pair in pairs], frontier, numbers)]
            first = open_[fine.take(open_).first_of_each()]
            run = first[: self._run([pair[first] for pair in pairs], numbers[fine.group[first]])]
            if len(run) == 0:
                return
            chosen = fine.take(run)
            for rows, l_rows, r_rows, at in zip(self.rows, left, right, range(len(self.rows)), strict=True):
                rows[numbers[chosen.group]] = l_rows[run]
                self.rows[at] = np.vstack((rows, r_rows[run]))
            yield chosen
            open_ = open_[~np.isin(fine.group[open_], chosen.group)]

    def _halves(self, fine: Candidates, frontier: Frontier) -> tuple[list[Floats], list[Floats]]:
        """Screen both halves of every cut, for every limit."""
        left = [np.empty((len(fine), rows.shape[1])) for rows in self.rows]
        right = [each.copy() for each in left]
        for at, groups in frontier.halves(fine):
            for limit, l_rows, r_rows in zip(self.limits, left, right, strict=True):
                both = limit.screen.of(groups)
                l_rows[at], r_rows[at] = both[: len(at)], both[len(at) :]
        return left, right

    def _fit(self, cuts: Candidates, pairs: list[Floats], frontier: Frontier, numbers: Integers) -> Flags:
        """Say which cuts could be made next, each on its own, in the release made so far."""
        fit = np.ones(len(cuts), bool)
        for limit, rows, pair in zip(self.limits, self.rows, pairs, strict=True):
            values = limit.screen.value(_with_others(limit, rows, pair, numbers[cuts.group]))
            fit &= limit.clear(values) | limit.near(values)
            for row in np.flatnonzero(fit & limit.near(values)):
                fit[row] = limit.exactly(self._groups(*self._after(cuts.take(np.array([row])), frontier, numbers)))
        return fit

    def _run(self, pairs: list[Floats], groups: Integers) -> int:
        """Count how many of these cuts, of different groups, can be made one after another; the first one fits."""
        if len(groups) == 0:
            return 0
        fit = np.ones(len(groups), bool)
        for limit, rows, pair in zip(self.limits, self.rows, pairs, strict=True):
            done = joined_before(limit.screen, pair)
            others = np.delete(rows, groups, axis=0)
            if len(others):
                done = limit.screen.join(done, np.broadcast_to(joined_before(limit.screen, others)[-1:], done.shape))
            to_come = joined_after(limit.screen, rows[groups])[1:]
            done[:-1] = limit.screen.join(done[:-1], to_come)
            fit &= limit.clear(limit.screen.value(done))
        fit[0] = True
        return int(np.argmin(fit)) if not fit.all() else len(groups)

    def _after(self, cut: Candidates, frontier: Frontier, numbers: Integers) -> tuple[Integers, int]:
        """Give the partition as one more cut would make it."""
        group = self.made.group.copy()
        old = numbers[cut.group]
        mine = frontier.cells[group[frontier.cells] == old[0]]
        group[mine[self.made.places[cut.column[0], mine] >= cut.place[0]]] = len(self.made)
        return group, len(self.made) + 1

    def _groups(self, group: Integers, groups: int) -> Groups:
        sizes = np.bincount(group, weights=self.table.sizes, minlength=groups).astype(np.int64)
        return loose_groups(self.table, sizes, self.table.counts.rolled_up(group, groups=groups))


def _with_others(limit: Limit, rows: Floats, pair: Floats, groups: Integers) -> Floats:
    """Join each pair of halves with all groups but the one it was cut from."""
    before, after = joined_before(limit.screen, rows), joined_after(limit.screen, rows)
    joined = pair.copy()
    some = groups > 0
    joined[some] = limit.screen.join(joined[some], before[groups[some] - 1])
    some = groups < len(rows) - 1
    joined[some] = limit.screen.join(joined[some], after[groups[some] + 1])
    return joined
