"""What does nobody tell apart?  Rows and columns of a group that are in the same parts, then whole groups alike.

By symmetry the distribution of largest entropy treats them alike, so that one stands for all.  Things are found by
random numbers (of a thing, the sum of those of its parts) and then compared for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from sidelight.max_entropy.blocks import Blocks
from sidelight.table.columns import Integers
from sidelight.table.counts import added

Words: TypeAlias = npt.NDArray[np.uint64]
Listed: TypeAlias = tuple[Integers, Integers]
"""What is in which part: the part and the thing, by part."""


@dataclass(frozen=True, eq=False)
class Lumped:
    """Blocks with fewer rows, columns and groups, and which of them each original one is part of.

    What nobody says anything about is shared out evenly: of what a lump has at a place, a row gets the share of its
    people, and a column of its occurrences.
    """

    original: Blocks
    blocks: Blocks
    row: Integers
    column: Integers
    group: Integers
    first_row: Integers  # one original of each
    first_column: Integers

    @cached_property
    def alike(self) -> Integers:
        """How many groups each lumped one stands for."""
        return np.bincount(self.group)

    def share_out(self, amounts: npt.NDArray[np.float64], row: Integers, column: Integers) -> npt.NDArray[np.float64]:
        """Give what original places have, given what the lumped ones have."""
        lump, other = self.row[row], self.column[column]
        people = self.original.row_people[row] / self.blocks.row_people[lump]
        occurrences = self.original.column_people[column] / self.blocks.column_people[other]
        each = amounts[self.blocks.place(lump, other)] * self.alike[self.blocks.row_group[lump]]
        shared: npt.NDArray[np.float64] = each * people * occurrences
        return shared


def lumped(blocks: Blocks, rows: Listed, columns: Listed) -> Lumped:
    """Lump rows and columns of a group that are in the same parts, and groups that are then the same."""
    seed = 0
    while True:
        by_row = _Side(blocks.row_group, blocks.row_people, rows, seed)
        by_column = _Side(blocks.column_group, blocks.column_people, columns, seed)
        group = _first_alike(by_row.of_group + _mixed(by_column.of_group))
        if by_row.same(group) and by_column.same(group):
            return _written(blocks, by_row.like(group), by_column.like(group), group)
        seed += 1


def _written(blocks: Blocks, row: Integers, column: Integers, group: Integers) -> Lumped:
    (row, first_row), (column, first_column), (group, _) = (_numbered(each) for each in (row, column, group))
    fewer = Blocks(
        group[blocks.row_group[first_row]],
        added(row, blocks.row_people, len(first_row)),
        group[blocks.column_group[first_column]],
        added(column, blocks.column_people, len(first_column)),
        int(group.max()) + 1,
    )
    return Lumped(blocks, fewer, row, column, group, first_row, first_column)


class _Side:
    """The rows of all groups, or the columns: lumped within each group, ready to be compared between groups."""

    def __init__(self, group: Integers, people: Integers, listed: Listed, seed: int) -> None:
        self.group = group
        part, thing = listed
        parts, groups = int(part.max(initial=-1)) + 1, int(group[-1]) + 1
        self.told = sparse.coo_array((np.ones(len(part), np.uint64), (thing, part)), shape=(len(group), parts)).tocsr()
        chance = np.random.default_rng(seed)
        key = self.told @ chance.integers(2**64, size=parts, dtype=np.uint64)
        first = _first_alike(key + chance.integers(2**64, size=groups, dtype=np.uint64)[group])
        self.lump, self.first = _numbered(first)
        self.people = added(self.lump, people, len(self.first))
        lump_group = group[self.first]
        self.order = np.lexsort((key[self.first], lump_group))  # the same order in groups that are alike
        self.starts = np.searchsorted(lump_group, np.arange(groups + 1))
        mixed = _mixed(_mixed(key[self.first]) + self.people.astype(np.uint64))
        self.of_group: Words = np.add.reduceat(mixed, self.starts[:-1])

    def like(self, group: Integers) -> Integers:
        """Give for each thing the one that stands for it, in the group that stands for its group."""
        mine = self.group[self.first]
        place = np.arange(len(self.first)) + (self.starts[group] - self.starts[:-1])[mine]
        stands = np.empty(len(self.first), np.int64)
        stands[self.order] = self.order[place]
        likened: Integers = self.first[stands[self.lump]]
        return likened

    def same(self, group: Integers) -> bool:
        """Say whether everything really is like what stands for it: as many lumps, people and parts."""
        lumps = np.diff(self.starts)
        if (lumps != lumps[group]).any() or (self.group[self.first][self.lump] != self.group).any():
            return False
        like, times = self.like(group), np.diff(self.told.indptr)
        if (self.people != self.people[self.lump[like[self.first]]]).any() or (times != times[like]).any():
            return False
        at = np.arange(self.told.nnz) + np.repeat(self.told.indptr[like] - self.told.indptr[:-1], times)
        return bool((self.told.indices == self.told.indices[at]).all())


def _mixed(words: Words) -> Words:
    """Spread bits, so that sums of different words differ (the last steps of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _first_alike(key: Words) -> Integers:
    """Give for each place the first one with the same key."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(len(key), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    first = np.empty(len(key), np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def _numbered(first: Integers) -> tuple[Integers, Integers]:
    """Number lumps in the order of their first ones; gives those too."""
    alone = first == np.arange(len(first))
    return (np.cumsum(alone) - 1)[first], np.flatnonzero(alone)
