"""A release with any number of groups: gone through in order, block by block, and never held.

Groups have the same numbers, and print the same, as in a `Release` that is read without a limit on memory.  What a
measure asks of them is summarised and forgotten; what a block is compared with, the whole, is known from the start.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight._text import counted
from sidelight.errors import BadRelease
from sidelight.release.groups import Groups, first_of_each_kind
from sidelight.release.release import Release
from sidelight.table.counts import Counts
from sidelight.table.labels import Semantics
from sidelight.table.table import Intake, sensitive_names

if TYPE_CHECKING:
    from sidelight._arrays import Integers
    from sidelight.table.key_stream import KeyBlock, KeyStream, Summed
    from sidelight.table.labels import Label


@dataclass(frozen=True, eq=False)
class GroupBlock:
    """Some groups of a release, whole and in order; what they print is unpacked of those that are asked for."""

    block: KeyBlock
    semantics: Semantics

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
            weights=None if block.weights is None else block.weights[rows],
        )


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRelease:
    """A release that is gone through group by group; made by `stream_release`."""

    stream: KeyStream
    sensitive: str

    @property
    def semantics(self) -> Semantics:
        """Whether people have one value or several."""
        return self.stream.semantics

    @property
    def domain(self) -> tuple[Label, ...]:
        """All sensitive values that there are."""
        return self.stream.domain

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""
        return sensitive_names(self.sensitive, self.domain)

    @property
    def size(self) -> int:
        """How many people it is about."""
        return self.stream.people

    @property
    def intake(self) -> Intake:
        """What reading did to the rows."""
        return self.stream.intake

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
        return Release(groups, sensitive=self.sensitive, intake=self.intake)

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
            yield GroupBlock(block, self.semantics)
        self.__dict__["_groups"] = groups  # counted in passing

    def reduce(self, summarise: Callable[[GroupBlock], Summed], merge: Callable[[Summed, Summed], Summed]) -> Summed:
        """Summarise all groups where they are, some at a time, and merge what comes of it, in any order."""
        semantics = self.semantics

        def counted_and_summarised(block: KeyBlock) -> tuple[int, Summed]:
            return len(block), summarise(GroupBlock(block, semantics))

        def merged(one: tuple[int, Summed], other: tuple[int, Summed]) -> tuple[int, Summed]:
            return one[0] + other[0], merge(one[1], other[1])

        groups, summary = self.stream.reduce(counted_and_summarised, merged)
        self.__dict__["_groups"] = groups  # counted in passing
        return summary

    def sizes_of(self, numbers: Collection[int]) -> dict[int, int]:
        """Say how many people some groups have, by their numbers."""
        looked_up = np.array(sorted(numbers), np.int64)

        def sizes_in(block: KeyBlock) -> dict[int, int]:
            here = looked_up[(looked_up >= block.first) & (looked_up < block.first + len(block))]
            return dict(zip(here.tolist(), block.sizes[here - block.first].tolist(), strict=True))

        merge: Callable[[dict[int, int], dict[int, int]], dict[int, int]] = operator.or_
        sizes = self.stream.reduce(sizes_in, merge, enough=lambda known: len(known) == len(looked_up))
        if len(sizes) == len(looked_up):
            return sizes
        missing = next(number for number in looked_up.tolist() if number not in sizes)
        message = f"no group {missing} in the release; they are numbered 1 to {len(self)}"
        raise BadRelease(message)

    def __repr__(self) -> str:
        """Say how large it is and what it is about."""
        values = counted(len(self.domain), "combination" if len(self.sensitive_columns) > 1 else "value")
        groups, people = counted(len(self), "group"), counted(self.size, "person")
        return f"<StreamedRelease of {people} in {groups}, {self.sensitive}: {values} ({self.semantics})>"


AnyRelease: TypeAlias = Release | StreamedRelease
