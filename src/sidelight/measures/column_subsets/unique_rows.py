"""Who is alone on which subset of columns?  One sort per subset, and a bit per person.

Symbols     U_S = the people who are alone in what the columns S say (f = 1 on S).
Marks       each key carries one number: which person it is, or 0 where it is several.  Equal keys become one with 0, so
            that no counts are needed, and a person's number stands in a subset's keys exactly where they are alone.
Nobody      where nobody is alone on S nobody is on a part of it: the walk stops there.
Minimal     S is a minimal sample unique (MSU) of a person who is in U_S and in no U_{S∖c}, c ∈ S: a smaller part of S
            lies in one of these, and who is alone on it is alone there.
Blocks      bitmaps of all subsets for a block of people at a time; whoever is not of the block counts as several.
Cost        a sort of the distinct rows per subset and block; |S| operations on bitmaps.

Source: Elliot, Manning and Ford, A Computational Algorithm for Handling the Special Uniques Problem, 2002.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers, run_starts
from sidelight.measures.column_subsets.subsets import Layout, SubsetWalk, leaving_order, subset_count
from sidelight.table.labels import Column

Bitmap = npt.NDArray[np.uint8]
"""A bit per person of a block."""

BITMAPS = 1 << 28
"""How many bytes the bitmaps of a block may take."""


@dataclass(frozen=True, slots=True)
class MarkedKeys:
    """Distinct rows as sorted keys, each with the number of the one person it is, from 1, or 0."""

    layout: Layout
    words: list[Integers]
    person: Integers

    @classmethod
    def of(cls, columns: Sequence[Column], person: Integers) -> MarkedKeys:
        """Pack rows, given column by column; equal ones are several people."""
        order = leaving_order(columns)
        layout = Layout.of({place: len(columns[place].labels) for place in order})
        words = layout.pack([columns[place].codes for place in order])
        return cls(layout, *_mark_equal(words, person, layout.bits))

    def without(self, columns: Sequence[int]) -> MarkedKeys:
        """Cut the bits of the columns out, sort, and let equal keys be several people."""
        layout, words = self.layout, self.words
        for place in reversed(columns):
            layout, words = layout.cut(place, words)
        return MarkedKeys(layout, *_mark_equal(words, self.person, layout.bits))

    def alone(self) -> Integers:
        """Return the indices of the people who are unique, from 0."""
        return self.person[self.person > 0] - 1


def _mark_equal(words: list[Integers], person: Integers, bits: int) -> tuple[list[Integers], Integers]:
    """Sort keys; of equal ones keep one, and forget who it was."""
    # the number of a person stands in the bits below the key, and is sorted along with it
    low = int(person.max(initial=0)).bit_length()
    if len(words) == 1 and bits + low < 63:  # one plain sort beats an argsort
        both = (words[0] << low) | person
        both.sort()
        ordered, person = [both >> low], both & ((1 << low) - 1)
    else:
        order = np.lexsort(words[::-1])
        ordered, person = [word[order] for word in words], person[order]
    new = run_starts(ordered)
    starts = np.flatnonzero(new)
    if len(starts) == len(person):
        return ordered, person
    # unique: the key before differs, and so does the one after
    alone = new & np.append(new[1:], True)
    return [word[starts] for word in ordered], np.where(alone, person, 0)[starts]


def alone_on_each(
    columns: Sequence[Column], people: Integers, *, up_to: int
) -> Iterator[tuple[Integers, dict[tuple[int, ...], Bitmap]]]:
    """Yield, for blocks of people who may be unique, the bitmap of each subset on which some are.

    `people` are those of each row.  With a block come the rows that its bits stand for; a subset is the places of its
    columns, rising.
    """
    once = np.flatnonzero(people == 1)
    # a bit per person and subset: as many people at a time as fit into so many bytes
    size = max(8 * BITMAPS // max(subset_count(len(columns), up_to), 1), 64)
    for start in range(0, len(once), size):
        block = once[start : start + size]
        person = np.zeros(len(people), np.int64)
        # numbers from 1 on, as 0 marks a key of several people
        person[block] = np.arange(1, len(block) + 1)
        yield block, _find_unique_on_subsets(columns, person, len(block), up_to)


def _find_unique_on_subsets(
    columns: Sequence[Column], person: Integers, block: int, up_to: int
) -> dict[tuple[int, ...], Bitmap]:
    bitmaps: dict[tuple[int, ...], Bitmap] = {}

    def visit(subset: tuple[int, ...], keys: MarkedKeys) -> bool:
        alone = keys.alone()
        if not len(alone):
            # pruned: people who are not unique on these columns are not on fewer
            return False
        flags = np.zeros(block, bool)
        flags[alone] = True
        bitmaps[tuple(sorted(subset))] = np.packbits(flags)
        return True

    SubsetWalk(MarkedKeys.without, visit, up_to).run(MarkedKeys.of(columns, person), leaving_order(columns))
    return bitmaps


def minimal(bitmaps: dict[tuple[int, ...], Bitmap]) -> Iterator[tuple[tuple[int, ...], Bitmap]]:
    """Yield the subsets that are minimal sample uniques of some people, with their bitmap, smallest subsets first."""
    for subset in sorted(bitmaps, key=lambda places: (len(places), places)):
        alone = bitmaps[subset].copy()
        # sets with one column fewer settle it: a person who is unique on fewer columns is unique on more
        for left_out in range(len(subset)):
            smaller = bitmaps.get(subset[:left_out] + subset[left_out + 1 :])
            if smaller is not None:
                alone &= ~smaller
        if alone.any():
            yield subset, alone


def places_of(bitmap: Bitmap) -> Integers:
    """Return the indices of the bits that are set."""
    return np.flatnonzero(np.unpackbits(bitmap))
