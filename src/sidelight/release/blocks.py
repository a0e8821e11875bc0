"""A release as a stream of blocks of whole groups: what a held one and a streamed one have in common.

    release ─▶ block, block, … ─▶ summarise each where it is ─▶ merge in any order

A `Release` holds its groups: one block, or, where spreading its counts out takes much room, a few that threads share.
A `StreamedRelease` reads its blocks again each time.  What is asked of blocks is the same answer of either; who needs
all groups at once asks for `held`.

*Invariant.*  Blocks follow each other in the order of the groups, whose numbers count from 1 over all of them.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from sidelight.arrays import Integers
from sidelight.errors import BadRelease
from sidelight.release.groups import GroupName, Groups, PopulationCounts, first_of_each_kind
from sidelight.streams.key_stream import Summed
from sidelight.table.counts import Counts
from sidelight.table.labels import Label, Semantics
from sidelight.table.table import Intake, JointDomain

if TYPE_CHECKING:
    from sidelight.release.printing import Printing
    from sidelight.release.release import Release
    from sidelight.streams.memory import Memory


@dataclass(frozen=True, eq=False)
class GroupBlock:
    """Some groups of a release, whole and in order; what they print is unpacked of those that are asked for."""

    first: int  # the number of the first group
    sizes: Integers
    counts: Counts
    domain: tuple[Label, ...]
    semantics: Semantics
    take: Callable[[Integers | slice], Groups]  # the groups in some rows
    spread: bool = False  # whether counts are spread out for whatever is asked of its groups
    repeats: bool = True  # whether it pays to look for equal groups

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def groups(self) -> Groups:
        """All of the groups, as they are."""
        return self.take(slice(None))

    @cached_property
    def all(self) -> Groups:
        """All of the groups, to be summarised."""
        return self._spread_out(self.groups)

    @cached_property
    def kinds(self) -> Groups:
        """The first of those that have the same people and counts, and perhaps a few more: enough to find the worst."""
        if not self.repeats:
            return self.all
        return self._spread_out(self.take(first_of_each_kind(self.sizes, self.counts, self.semantics)))

    def _spread_out(self, groups: Groups) -> Groups:
        return replace(groups, counts=groups.counts.spread_out()) if self.spread else groups

    def count_parts(self, known: Sequence[str]) -> int:
        """Count the parts into which the groups fall for who knows some of the sensitive columns."""
        if not isinstance(self.domain, JointDomain):
            return len(self)
        combination, first = self.domain.combinations(known)
        row, value, _ = self.counts.entries()
        # one number per (group, combination known): with combinations below len(first), no two pairs share one
        return len(np.unique(row * len(first) + combination[value]))

    def view(self, column: str | None, known: Sequence[str], before: int) -> Groups:
        """Look at one sensitive column as who knows others does; `before` are the parts of all groups before these."""
        parts = self.groups.about(column, known)
        return replace(parts, numbers=np.arange(before + 1, before + len(parts) + 1))


class ReleaseBlocks(ABC):
    """A release whose groups come in blocks: a `Release` in memory, or a `StreamedRelease` that never is."""

    __slots__ = ()

    is_held: ClassVar[bool]  # whether all groups are at hand

    @property
    @abstractmethod
    def size(self) -> int:
        """Return how many people it is about."""

    @property
    @abstractmethod
    def semantics(self) -> Semantics:
        """Return how many values a person may have."""

    @property
    @abstractmethod
    def sensitive(self) -> str:
        """The sensitive column, or several, by name."""

    @property
    @abstractmethod
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""

    @property
    @abstractmethod
    def domain(self) -> tuple[Label, ...]:
        """The sensitive values, in order."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Return what is printed about groups."""

    @property
    @abstractmethod
    def intake(self) -> Intake:
        """Return what reading did to the rows."""

    @property
    @abstractmethod
    def printing(self) -> Printing | None:
        """Return how its labels came about, where that is known."""

    @property
    @abstractmethod
    def populations(self) -> tuple[PopulationCounts, ...]:
        """Return how many people of populations have the cells of each group, where that was asked for."""

    @property
    def memory_limit(self) -> Memory | None:
        """Return how much memory may be used to go through the groups; None where they are at hand."""
        return None

    @property
    @abstractmethod
    def outline(self) -> Release:
        """A release with its people, columns and values: itself, or everybody as one group."""

    @abstractmethod
    def __len__(self) -> int:
        """Count the groups."""

    @abstractmethod
    def held(self, asked: str) -> Release:
        """Hold all groups, for what asks something of all of them at once; raise `NoRoom` if they are too many."""

    @abstractmethod
    def local(self) -> Self:
        """Have all groups in this process, or in its temporary files."""

    @abstractmethod
    def attach_populations(self, populations: tuple[PopulationCounts, ...]) -> Self:
        """Let groups know how many people of populations have their cells."""

    @abstractmethod
    def attach_printing(self, printing: Printing) -> Self:
        """Return how its labels came about."""

    @abstractmethod
    def blocks(self) -> Iterator[GroupBlock]:
        """Go through all groups in order, some at a time."""

    @abstractmethod
    def reduce(
        self,
        summarise: Callable[[GroupBlock], Summed],
        merge: Callable[[Summed, Summed], Summed],
        enough: Callable[[Summed], bool] | None = None,
    ) -> Summed:
        """Summarise the groups where they are, some at a time, and merge what comes of it, in order."""

    def parts_before(self, known: Sequence[str]) -> dict[int, int]:
        """Count, by the number of each block's first group, the parts of all groups before it (see `about`)."""

        def count(block: GroupBlock) -> dict[int, int]:
            return {block.first: block.count_parts(known)}

        merge: Callable[[dict[int, int], dict[int, int]], dict[int, int]] = operator.or_
        parts = sorted(self.reduce(count, merge).items())
        # exclusive prefix sums in the order of the groups; the last of them, the total, is cut off by `zip`
        before = accumulate((many for _, many in parts), initial=0)
        return {first: many for (first, _), many in zip(parts, before, strict=False)}

    def sizes_of(self, numbers: Collection[int], known: Sequence[str] = ()) -> dict[int, int]:
        """Return how many people some groups have, by their numbers; of who knows some columns, parts by theirs."""
        before = self.parts_before(known) if known else {}

        def look_up(block: GroupBlock, wanted: Integers) -> dict[int, int]:
            sizes, first = block.sizes, block.first
            if known:
                sizes, first = block.view(None, known, before[first]).sizes, before[first] + 1
            here = wanted[(wanted >= first) & (wanted < first + len(sizes))]
            return dict(zip(here.tolist(), sizes[here - first].tolist(), strict=True))

        return self._look_up(numbers, look_up)

    def names_of(self, numbers: Collection[int]) -> dict[int, GroupName]:
        """Name some groups, by their numbers."""

        def look_up(block: GroupBlock, wanted: Integers) -> dict[int, GroupName]:
            here = wanted[(wanted >= block.first) & (wanted < block.first + len(block))]
            groups = block.take(here - block.first)
            return {number: groups.name(row) for row, number in enumerate(here.tolist())}

        return self._look_up(numbers, look_up)

    def _look_up(
        self, numbers: Collection[int], in_block: Callable[[GroupBlock, Integers], dict[int, Summed]]
    ) -> dict[int, Summed]:
        """Go through groups until something is known of each that is looked up; raise if one is not there."""
        wanted = np.array(sorted(numbers), np.int64)
        merge: Callable[[dict[int, Summed], dict[int, Summed]], dict[int, Summed]] = operator.or_
        # stops at the first block by which all are found
        known = self.reduce(lambda block: in_block(block, wanted), merge, lambda known: len(known) == len(wanted))
        missing = next((number for number in wanted.tolist() if number not in known), None)
        if missing is None:
            return known
        message = f"no group {missing} in the release; they are numbered 1 to {len(self)}"
        raise BadRelease(message)
