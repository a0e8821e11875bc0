"""Where Mondrian keeps the people whom it cuts: what its machine asks of a store, and what all stores do alike.

Machine     There is one (`mondrian_acceptance.cut_groups`): generation after generation, which cuts groups propose,
            which of them are made, and in which order.  It never sees a key.
Stores      In memory (`mondrian_frontier`): the keys of open groups, side by side.  Streamed (`mondrian_streamed`):
            histograms of rows that are never all held, and stores in memory for what fits.
Seam        The rules (`mondrian_cuts`) ask open groups for ranks and people in line, the acceptance asks them for both
            halves of cuts, and the store for the release that was made so far.
Invariant   Whichever store: the same groups with the same numbers in the same order.
Apart       Three things differ for speed.  In memory the release so far is a roll-up of the keys, made only where
            floats are too close to tell: one pass over keys, which are at hand.  A streamed store has no keys of groups
            that are finished, so it notes the counts of both halves of each cut that depends on others, which counts
            them twice.  And right halves are numbered as they are made; streamed, parts of the people are finished one
            after another, and numbered at the end by a tree of all cuts (`Lineage`), about 50 bytes per group.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sidelight.arrays import Flags, Integers
from sidelight.release.groups import Groups
from sidelight.search.cut_tree import CutRecord
from sidelight.search.mondrian_cuts import Cuts, Line
from sidelight.search.orders import Order
from sidelight.search.policy_check import PolicyCheck, candidate_groups
from sidelight.table.counts import Counts
from sidelight.table.labels import Semantics
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.search.mondrian_acceptance import Acceptance

One = TypeVar("One")
Other = TypeVar("Other")


@dataclass(slots=True)
class AtOnce:
    """How much of Mondrian's work is done at a time.  No result depends on it."""

    keys: int = 1 << 17  # sorted: few enough for a processor's cache, and enough to keep both cores busy
    counts: int = 1 << 18  # of cuts × values
    cuts: int = 1 << 17  # screened where most do not fit
    groups: int = 512  # that have one exact summary
    rows: int = 1 << 15  # that go down the tree of cuts
    parts: int = 256  # put aside in one pass: each is an open file
    sent: int = 1 << 26  # bytes of histograms that an executor sends


AT_ONCE = AtOnce()


def map_on_cores(work: Callable[[One], Other], parts: Iterable[One], *, keys: int) -> Iterator[Other]:
    """Yield what `work` makes of each part, in their order; on several cores where there are many keys.

    Parts are drawn as cores come free, so that only a few are held at a time.
    """
    if keys <= AT_ONCE.keys:
        yield from map(work, parts)
        return
    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        waiting: deque[Future[Other]] = deque()
        for part in parts:
            waiting.append(pool.submit(work, part))
            # two parts per core keep all cores busy, and only as many are held
            if len(waiting) > 2 * cores:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class CutGroups(ABC):
    """Groups with cuts to choose from, as whoever accepts cuts asks for them."""

    table: Table  # whose values and semantics they have
    numbers: Integers  # of the groups, in the store
    totals: Integers  # how often each value occurs in the whole table

    @abstractmethod
    def count_sides(self, cuts: Cuts) -> Iterator[tuple[Integers, Integers]]:
        """Count values beside cuts, block by block: rows of the cuts; (2 · rows, values), all left sides first."""

    def halves(self, cuts: Cuts) -> Iterator[tuple[Integers, Groups]]:
        """Count what is left and right of each cut, a block at a time: first all left halves, then all right ones."""
        for rows, counts in self.count_sides(cuts):
            block = cuts.take(rows)
            sizes = np.concatenate((block.left, block.people - block.left))
            yield rows, candidate_groups(self.table, sizes, Counts(counts.shape, cells=counts), self.totals)

    def may_hold_in_halves(self, cuts: Cuts, policy: PolicyCheck) -> Flags:
        """Return which cuts leave two halves that each keep the policy on their own, or may once in a run of cuts."""
        # people are at hand; values are counted only for cuts that leave enough of them on both sides
        holds: Flags = cuts.smaller >= (policy.least_group_size or 1)
        if policy.only_group_sizes:
            return holds
        large = np.flatnonzero(holds)

        def judge(block: tuple[Integers, Groups]) -> tuple[Integers, Flags]:
            rows, halves = block
            # (2 · rows,), left halves first → (2, rows)
            left, right = policy.may_hold_in_each(halves).reshape(2, -1)
            return rows, left & right

        for rows, both in map_on_cores(judge, self.halves(cuts.take(large)), keys=len(large)):
            holds[large[rows]] = both
        return holds

    @abstractmethod
    def propose(self, acceptance: Acceptance, undecided: Flags) -> Iterator[tuple[Cuts, CutGroups]]:
        """Propose the most balanced cuts, then all others, of groups that are undecided by then; with their groups."""


class OpenGroups(CutGroups):
    """Groups that may be cut, at hand: how their people stand along each column is all that the rules ask."""

    @property
    def groups(self) -> int:
        """How many groups there are, numbered from 0."""
        return len(self.numbers)

    @abstractmethod
    def extents(self) -> tuple[Integers, Integers]:
        """Return the first and the last rank that occur: (columns, groups) each."""

    @abstractmethod
    def lines(self, group: Integers, column: Integers) -> Iterator[tuple[int, Integers, Line]]:
        """Yield the people of some groups in line, each along its column: the column, the groups, their line."""

    @abstractmethod
    def count_beside(self, cuts: Cuts, counts: Counts) -> Iterator[tuple[Integers, Integers]]:
        """Count what keys have beside cuts, block by block: rows of the cuts; what is left of them, then right."""

    def propose(self, acceptance: Acceptance, undecided: Flags) -> Iterator[tuple[Cuts, CutGroups]]:
        """Propose the most balanced cuts, then all others, of groups that are undecided by then."""
        proposals = acceptance.proposals(self, undecided)
        yield acceptance.medians(self, proposals), self
        yield acceptance.others(self, proposals), self


class Store(ABC):
    """The groups that cuts have made: the box of ranks that each covers, and where its people are kept."""

    orders: tuple[Order, ...]
    start: Integers  # (groups, columns)
    stop: Integers
    record: CutRecord

    @property
    @abstractmethod
    def semantics(self) -> Semantics:
        """What the values of a person are."""

    def __len__(self) -> int:
        return len(self.start)

    @abstractmethod
    def generations(self, least: int) -> Iterator[CutGroups]:
        """Yield groups to cut until none can be; each must be cut before the next are drawn.

        Groups with fewer than twice `least` people are never given.
        """

    @abstractmethod
    def split(self, generation: CutGroups, cuts: Cuts, run: int) -> None:
        """Cut groups in two, each at most once: left halves keep their numbers, right ones get the next."""

    @abstractmethod
    def release(self) -> Groups:
        """Return the groups made so far as one release, in the order of their numbers."""

    def _divide_boxes(self, cuts: Cuts, old: Integers) -> Integers:
        """Divide the boxes of groups with these numbers, and return the numbers of their right halves."""
        new = len(self.start) + np.arange(len(cuts))
        self.record.add(cuts, old, len(self.start))
        # right halves begin with the box of the whole group; the cut then moves one border of each half
        self.start, self.stop = np.vstack((self.start, self.start[old])), np.vstack((self.stop, self.stop[old]))
        self.stop[old, cuts.column] = cuts.rank
        self.start[new, cuts.column] = cuts.rank
        return new
