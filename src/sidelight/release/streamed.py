"""A release with any number of groups: gone through in order, block by block, and never held.

Groups have the same numbers, and print the same, as in a `Release` that is read without a limit on memory.  What a
measure asks of them is summarised and forgotten; what a block is compared with, the whole, is known from the start.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.errors import BadRelease
from sidelight.release.groups import GroupName, Groups, PopulationCounts, first_of_each_kind, stacked_weights
from sidelight.release.release import Release
from sidelight.streams.key_stream import Streamed, Summed
from sidelight.table.counts import Counts
from sidelight.table.labels import Semantics
from sidelight.table.table import JointDomain
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.release.printing import Printing
    from sidelight.streams.key_stream import KeyBlock, KeyStream


@dataclass(frozen=True, eq=False)
class GroupBlock:
    """Some groups of a release, whole and in order; what they print is unpacked of those that are asked for."""

    block: KeyBlock
    semantics: Semantics
    populations: tuple[PopulationCounts, ...] = ()  # of all groups of the release

    def __len__(self) -> int:
        return len(self.block)

    @cached_property
    def all(self) -> Groups:
        """All of the groups."""
        return self.take(slice(None))

    @cached_property
    def kinds(self) -> Groups:
        """The first of those that have the same people and counts, and perhaps a few more: enough to find the worst."""
        rows = first_of_each_kind(self.block.sizes, self.block.counts, self.semantics)
        return self.take(rows)

    def take(self, rows: Integers | slice) -> Groups:
        """Some of the groups, in order."""
        stream, block = self.block.stream, self.block
        numbers = np.arange(block.first, block.first + len(block))[rows]
        return Groups(
            stream.domain,
            block.sizes[rows],
            block.counts.take(rows),
            block.columns(rows),
            self.semantics,
            stream.whole,
            numbers,
            tuple(each.take(numbers - 1) for each in self.populations),
            weights=None if block.weights is None else block.weights[rows],
        )

    def parts(self, known: Sequence[str]) -> int:
        """Count the parts into which the groups fall for who knows some of the sensitive columns."""
        domain = self.block.stream.domain
        if not isinstance(domain, JointDomain):
            return len(self)
        combination, first = domain.combinations(known)
        row, value, _ = self.block.counts.entries()
        return len(np.unique(row * len(first) + combination[value]))

    def view(self, column: str | None, known: Sequence[str], before: int) -> Groups:
        """Look at one sensitive column as who knows others does; `before` are the parts of all groups before these."""
        parts = self.all.about(column, known)
        return replace(parts, numbers=np.arange(before + 1, before + len(parts) + 1))


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRelease(Streamed):
    """A release that is gone through group by group; made by `stream_release`."""

    printing: Printing | None = None  # how its labels came about, where that is known
    populations: tuple[PopulationCounts, ...] = ()  # which its groups are compared with

    @property
    def size(self) -> int:
        """How many people it is about."""
        return self.stream.people

    @property
    def columns(self) -> tuple[str, ...]:
        """What is printed about groups."""
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
        """Count the groups, which goes through them unless somebody has."""
        return self._groups

    def blocks(self) -> Iterator[GroupBlock]:
        """Go through all groups in order, some at a time."""
        groups = 0
        for block in self.stream.blocks():
            groups += len(block)
            yield GroupBlock(block, self.semantics, self.populations)
        self.__dict__["_groups"] = groups  # counted in passing

    def reduce(self, summarise: Callable[[GroupBlock], Summed], merge: Callable[[Summed, Summed], Summed]) -> Summed:
        """Summarise all groups where they are, some at a time, and merge what comes of it, in any order."""
        semantics, populations = self.semantics, self.populations

        def counted_and_summarised(block: KeyBlock) -> tuple[int, Summed]:
            return len(block), summarise(GroupBlock(block, semantics, populations))

        def merged(one: tuple[int, Summed], other: tuple[int, Summed]) -> tuple[int, Summed]:
            return one[0] + other[0], merge(one[1], other[1])

        groups, summary = self.stream.reduce(counted_and_summarised, merged)
        self.__dict__["_groups"] = groups  # counted in passing
        return summary

    def parts_before(self, known: Sequence[str]) -> dict[int, int]:
        """Say, by the number of each block's first group, how many parts the groups before it fall into."""

        def parts_of(block: GroupBlock) -> dict[int, int]:
            return {block.block.first: block.parts(known)}

        merge: Callable[[dict[int, int], dict[int, int]], dict[int, int]] = operator.or_
        parts = sorted(self.reduce(parts_of, merge).items())
        return dict(
            zip((first for first, _ in parts), accumulate((many for _, many in parts), initial=0), strict=False)
        )

    def sizes_of(self, numbers: Collection[int], known: Sequence[str] = ()) -> dict[int, int]:
        """Say how many people some groups have, by their numbers; of who knows some columns, parts by theirs."""
        looked_up, before = np.array(sorted(numbers), np.int64), self.parts_before(known) if known else {}

        def sizes_in(block: GroupBlock) -> dict[int, int]:
            if known:
                view = block.view(None, known, before[block.block.first])
                sizes, first = view.sizes, before[block.block.first] + 1
            else:
                sizes, first = block.block.sizes, block.block.first
            here = looked_up[(looked_up >= first) & (looked_up < first + len(sizes))]
            return dict(zip(here.tolist(), sizes[here - first].tolist(), strict=True))

        return self._of_each(looked_up.tolist(), sizes_in)

    def names_of(self, numbers: Collection[int]) -> dict[int, GroupName]:
        """Name some groups, by their numbers."""
        looked_up = np.array(sorted(numbers), np.int64)

        def names_in(block: GroupBlock) -> dict[int, GroupName]:
            first = block.block.first
            here = looked_up[(looked_up >= first) & (looked_up < first + len(block))]
            groups = block.take(here - first)
            return {number: groups.name(row) for row, number in enumerate(here.tolist())}

        return self._of_each(looked_up.tolist(), names_in)

    def _of_each(self, numbers: list[int], of_block: Callable[[GroupBlock], dict[int, Summed]]) -> dict[int, Summed]:
        """Go through groups until something is known of each that is looked up."""
        semantics = self.semantics

        def of_keys(block: KeyBlock) -> dict[int, Summed]:
            return of_block(GroupBlock(block, semantics))

        merge: Callable[[dict[int, Summed], dict[int, Summed]], dict[int, Summed]] = operator.or_
        told = self.stream.reduce(of_keys, merge, enough=lambda known: len(known) == len(numbers))
        if len(told) == len(numbers):
            return told
        missing = next(number for number in numbers if number not in told)
        message = f"no group {missing} in the release; they are numbered 1 to {len(self)}"
        raise BadRelease(message)

    def __repr__(self) -> str:
        """Say how large it is and what it is about."""
        groups, people = counted(len(self), "group"), counted(self.size, "person")
        return f"<StreamedRelease of {people} in {groups}, {self.sensitive}: {self.values_in_words} ({self.semantics})>"


def numbers_of(groups: int, values: int, columns: int) -> int:
    """Say how many numbers groups take that are held: sizes, numbers and codes of each, place and count of a value."""
    return groups * (2 + columns) + 2 * values


def held_groups(stream: KeyStream, fits: Callable[[int, int], bool]) -> Groups | None:
    """Hold all groups of a stream; None as soon as so many groups, and values of groups, do not fit."""
    parts, groups, values = [], 0, 0
    for block in stream.blocks():
        groups, values = groups + len(block), values + block.counts.positive
        if not fits(groups, values):
            return None
        parts.append(GroupBlock(block, stream.semantics).all)
    return stacked(parts)


def stacked(parts: Sequence[Groups]) -> Groups:
    """Put groups that follow each other in a stream below each other, as their entries are sorted already."""
    first = parts[0]
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


AnyRelease: TypeAlias = Release | StreamedRelease
