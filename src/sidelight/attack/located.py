"""Which groups each person may be in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sidelight.attack.covers import Cover
from sidelight.errors import TooHard
from sidelight.table.columns import Column, Integers, rows_alike
from sidelight.table.counts import added

AT_ONCE = 1 << 16
"""Pairs of a place and a group that are compared one by one, rather than halved once more."""

SAMPLE = 512
"""Places that are looked at to choose where to halve."""

MOST_PAIRS = 1 << 27
"""More pairs of a place and a group in it than this do not fit into memory."""


@dataclass(frozen=True, eq=False, slots=True)
class Located:
    """People at places; the people of place p may be in any of the groups `group[starts[p]:starts[p+1]]`.

    `weight` says how likely each of them is, up to a common factor.
    """

    place: Integers  # per row of people
    starts: Integers  # per place, and one more
    group: Integers
    weight: Integers

    @classmethod
    def of(cls, place: Integers, places: int, at: Integers, group: Integers, weight: Integers) -> Located:
        """Take pairs of a place and a group, in any order."""
        order = np.lexsort((group, at))
        starts = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=places))))
        return cls(place, starts, group[order], weight[order])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def matches(self) -> Integers:
        """How many groups the people of each place may be in."""
        return np.diff(self.starts)

    @property
    def nowhere(self) -> np.typing.NDArray[np.bool_]:
        """Whether a row of people fits no group."""
        nowhere: np.typing.NDArray[np.bool_] = self.matches[self.place] == 0
        return nowhere

    def groups_of(self, row: int) -> Integers:
        """Give the groups that a row of people may be in."""
        at = int(self.place[row])
        return self.group[self.starts[at] : self.starts[at + 1]]

    def weights_of(self, row: int) -> Integers:
        """Give how likely each of them is."""
        at = int(self.place[row])
        return self.weight[self.starts[at] : self.starts[at + 1]]

    def summed(self, amounts: Integers) -> Integers:
        """Add up an amount per group over the groups of each place."""
        return added(np.repeat(np.arange(len(self)), self.matches), amounts[self.group], len(self))


def everywhere(rows: int, sizes: Integers) -> Located:
    """Say that everybody may be in any group."""
    groups = np.arange(len(sizes))
    return Located.of(np.zeros(rows, np.int64), 1, np.zeros(len(sizes), np.int64), groups, sizes)


def located(covers: list[Cover], rows: int, sizes: Integers) -> Located:
    """Find the groups that cover each row of people in every column; of several, large ones are likelier.

    People in the same segments of all columns are at one place.  Places and groups are halved together, along the
    column that keeps them apart best, until few enough are left to compare each with each.
    """
    if not covers:
        return everywhere(rows, sizes)
    columns = tuple(
        Column(str(at), (None,) * (int(cover.segment.max()) + 1), cover.segment.astype(np.int32))
        for at, cover in enumerate(covers)
    )
    place, first = rows_alike(columns, rows)
    found = list(_pairs(covers, first, np.arange(len(sizes))))
    at, group = (np.concatenate(parts) for parts in zip(*found, strict=True))
    number = np.empty(rows, np.int64)
    number[first] = np.arange(len(first))
    return Located.of(place, len(first), number[at], group, sizes[group])


def _pairs(covers: list[Cover], rows: Integers, groups: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Give all pairs of a row and a group that covers it."""
    yield np.empty(0, np.int64), np.empty(0, np.int64)
    left = [(rows, groups)]
    pairs = 0
    while left:
        rows, groups = left.pop()
        halves = _halved(covers, rows, groups) if len(rows) * len(groups) > AT_ONCE else None
        if halves is not None:
            left += halves
            continue
        for some in np.array_split(rows, max(len(rows) * len(groups) >> 22, 1)):
            row, group = _compared(covers, some, groups)
            pairs += len(row)
            if pairs > MOST_PAIRS:
                message = "people fit too many groups each; name more columns that the attacker knows in quasi="
                raise TooHard(message)
            yield row, group


def _compared(covers: list[Cover], rows: Integers, groups: Integers) -> tuple[Integers, Integers]:
    inside = np.ones((len(rows), len(groups)), bool)
    for cover in covers:
        inside &= cover.holds(rows, groups)
    row, group = np.nonzero(inside)
    return rows[row], groups[group]


def _halved(covers: list[Cover], rows: Integers, groups: Integers) -> list[tuple[Integers, Integers]] | None:
    """Cut where fewest groups lie on both sides; none, when every cut leaves nearly all on both."""
    sample = rows[:: len(rows) // SAMPLE + 1]
    best, chosen = 0.9 * len(groups), None
    for cover in covers:
        at = np.sort(cover.segment[sample])
        if at[0] == at[-1]:
            continue
        cut = int(min(at[(len(at) - 1) // 2], at[-1] - 1))
        before = float((at <= cut).mean())
        low, high = np.count_nonzero(cover.first[groups] <= cut), np.count_nonzero(cover.last[groups] > cut)
        work = before * low + (1 - before) * high
        if work < best:
            best, chosen = work, (cover, cut)
    if chosen is None:
        return None
    cover, cut = chosen
    below = cover.segment[rows] <= cut
    return [
        (rows[below], groups[cover.first[groups] <= cut]),
        (rows[~below], groups[cover.last[groups] > cut]),
    ]
