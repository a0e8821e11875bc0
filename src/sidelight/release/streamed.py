"""A release with any number of groups: gone through in order, block by block, and never held.

Groups have the same numbers, and print the same, as in a `Release` that is read without a limit on memory.  What a
measure asks of them is summarised and forgotten; what a block is compared with, the whole, is known from the start.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.release.blocks import GroupBlock, ReleaseBlocks
from sidelight.release.groups import Groups, PopulationCounts, stacked_weights
from sidelight.release.release import Release
from sidelight.streams.key_stream import Streamed, Summed
from sidelight.table.counts import Counts
from sidelight.table.labels import Semantics
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.release.printing import Printing
    from sidelight.streams.key_stream import KeyBlock, KeyStream
    from sidelight.streams.memory import Memory


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRelease(Streamed, ReleaseBlocks):
    """A release that is gone through group by group; made by `stream_release`."""

    is_held: ClassVar[bool] = False

    printing: Printing | None = None
    populations: tuple[PopulationCounts, ...] = ()

    @property
    def memory_limit(self) -> Memory:
        """Return how much memory may be used to go through the groups."""
        return self.memory

    @property
    def size(self) -> int:
        """Return how many people it is about."""
        return self.stream.people

    @property
    def columns(self) -> tuple[str, ...]:
        """Return what is printed about groups."""
        return self.stream.roles.quasi

    @property
    def spilled(self) -> int:
        """Bytes that were written into temporary files, besides what DuckDB wrote."""
        return self.stream.spilled

    @cached_property
    def outline(self) -> Release:
        """Everybody as one group, which prints what the first group does: what is known before groups are looked at."""
        groups = Groups(
            self.domain,
            np.array([self.size]),
            Counts.from_cells([self.stream.whole]),
            self.stream.first_columns(),
            self.semantics,
            self.stream.whole,
            np.array([1]),
            weights=None if self.stream.weight_per_key is None else np.array([self.stream.weight]),
        )
        return Release(groups, sensitive=self.sensitive, intake=self.intake, printing=self.printing)

    def held(self, asked: str) -> Release:
        """Hold all groups, as `read_release` does, for who asks something of all of them at once; `NoRoom` if too many.

        >>> import pyarrow as pa
        >>> import sidelight as sl
        >>> rows = pa.table({"age": ["20-29", "30-39"], "disease": ["Flu", "Cold"]})
        >>> sl.stream_release(rows, group="age", sensitive="disease").held("somebody")
        <Release of 2 people in 2 groups, disease: 2 values (single)>
        """
        groups = held_groups(self.stream, lambda *many: self.memory.holds_groups(self._numbers(*many)))
        # they are counted to the end only now, for the error that says how much memory would do
        if groups is None:
            values = self.stream.reduce(lambda block: block.counts.positive, operator.add)
            raise self.memory.too_many_at_once(asked, len(self), self._numbers(len(self), values))
        columns = tuple(column.compact() for column in groups.columns)
        held = replace(groups, columns=columns)
        return Release(held, sensitive=self.sensitive, intake=self.intake, printing=self.printing)

    def _numbers(self, groups: int, values: int) -> int:
        return numbers_of(groups, values, len(self.columns))

    @cached_property
    def _groups(self) -> int:
        return self.stream.count()

    def __len__(self) -> int:
        """Count the groups; goes through them unless they were counted before."""
        return self._groups

    def local(self) -> StreamedRelease:
        """Have all groups in this process, or in its temporary files."""
        return replace(self, stream=self.stream.brought_here(self.memory))

    def attach_populations(self, populations: tuple[PopulationCounts, ...]) -> StreamedRelease:
        """Let groups know how many people of populations have their cells."""
        return replace(self, populations=populations)

    def attach_printing(self, printing: Printing) -> StreamedRelease:
        """Return how its labels came about."""
        return replace(self, printing=printing)

    def blocks(self) -> Iterator[GroupBlock]:
        """Go through all groups in order, some at a time."""
        groups = 0
        for block in self.stream.blocks():
            groups += len(block)
            yield key_block(block, self.semantics, self.populations)
        self.__dict__["_groups"] = groups  # counted in passing

    def reduce(
        self,
        summarise: Callable[[GroupBlock], Summed],
        merge: Callable[[Summed, Summed], Summed],
        enough: Callable[[Summed], bool] | None = None,
    ) -> Summed:
        """Summarise all groups where they are, some at a time, and merge what comes of it, in order."""
        # what goes to executors must not bring this release along
        semantics, populations = self.semantics, self.populations

        def summarise_keys(block: KeyBlock) -> tuple[int, Summed]:
            return len(block), summarise(key_block(block, semantics, populations))

        def merge_both(one: tuple[int, Summed], other: tuple[int, Summed]) -> tuple[int, Summed]:
            return one[0] + other[0], merge(one[1], other[1])

        stop = None if enough is None else lambda both: enough(both[1])
        groups, summary = self.stream.reduce(summarise_keys, merge_both, stop)
        if enough is None:  # else some groups may not have been gone through
            self.__dict__["_groups"] = groups  # counted in passing
        return summary

    def __repr__(self) -> str:
        """Return how large it is and what it is about."""
        groups, people = counted(len(self), "group"), counted(self.size, "person")
        return f"<StreamedRelease of {people} in {groups}, {self.sensitive}: {self.values_in_words} ({self.semantics})>"


def key_block(block: KeyBlock, semantics: Semantics, populations: tuple[PopulationCounts, ...] = ()) -> GroupBlock:
    """Take keys for groups; `populations` are of all groups of the release."""
    stream = block.stream

    def take(rows: Integers | slice) -> Groups:
        numbers = np.arange(block.first, block.first + len(block))[rows]
        return Groups(
            stream.domain,
            block.sizes[rows],
            block.counts.take(rows),
            block.columns(rows),
            semantics,
            stream.whole,
            numbers,
            # groups are numbered from 1 over the whole release; a population has a count for each of them, from index 0
            tuple(each.take(numbers - 1) for each in populations),
            weights=None if block.weights is None else block.weights[rows],
        )

    return GroupBlock(block.first, block.sizes, block.counts, stream.domain, semantics, take)


def numbers_of(groups: int, values: int, columns: int) -> int:
    """Return how many numbers held groups take: sizes, numbers and codes of each, index and count of a value."""
    return groups * (2 + columns) + 2 * values


def held_groups(stream: KeyStream, fits: Callable[[int, int], bool]) -> Groups | None:
    """Hold all groups of a stream; None as soon as so many groups, and values of groups, do not fit."""
    parts, groups, values = [], 0, 0
    for block in stream.blocks():
        groups, values = groups + len(block), values + block.counts.positive
        if not fits(groups, values):
            return None
        parts.append(key_block(block, stream.semantics).groups)
    return stack_blocks(parts)


def stack_blocks(parts: Sequence[Groups]) -> Groups:
    """Put groups that follow each other in a stream below each other, as their entries are sorted already."""
    first = parts[0]
    # numbers follow each other, so their distance to the first part is how many rows stand above
    entries = [
        (row + part.numbers[0] - first.numbers[0], *rest) for part in parts for row, *rest in [part.counts.entries()]
    ]
    row, value, count = (np.concatenate(each) for each in zip(*entries, strict=True))
    sizes = np.concatenate([part.sizes for part in parts])
    columns = tuple(
        replace(each[0], codes=np.concatenate([column.codes for column in each]))
        for each in zip(*(part.columns for part in parts), strict=True)
    )
    return replace(
        first,
        sizes=sizes,
        counts=Counts.from_sorted(row, value, count, (len(sizes), len(first.domain))),
        columns=columns,
        numbers=np.concatenate([part.numbers for part in parts]),
        weights=stacked_weights(parts),
    )
