"""All full-domain generalisations of a table whose keys do not fit in memory: nodes on disk, coarse ones in memory.

    keys on disk ──▶ node on disk, by rolling up the smallest finer one at hand ──▶ node that fits: a root in memory
                                                                                        └─▶ every coarser node

Roll-up     as in `generalise`: the groups of a node are unions of those of any finer one, on disk as in memory.
Root        a node that fits.  Whatever is coarser is rolled up from it in memory (`NodeGroups`) and reads no file.  So
            where a node is known to fit, by the number of its labels, the finest one below it that is known to is
            rolled up in its place: one pass for all that is coarser.
Refusal     groups of at least k people each, but for s people at most, are at most s + (n − s) / k.  A node with more
            of them is refused as soon as one sorted run shows so; nothing more of it is read or written.  Where a run
            is too short to show it, people are summed by slots first (`rolled_up`), often enough to refuse.
Kept        the latest few nodes on disk, and the latest roots while they take at most their share of memory; what is
            dropped is rolled up again when somebody asks.
Invariant   `groups_at(node)` are the groups of `Lattice.groups_at(node)`, in its order and with its numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Integers
from sidelight.release.blocks import ReleaseBlocks
from sidelight.release.generalise import Lattice, LatticeNodes, Node, NodeGroups, is_finer, numbers_in
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.release.streamed import StreamedRelease, held_groups, key_block, numbers_of
from sidelight.streams.rolled_up import Relabelling, people_surely_below, roll_up_stream
from sidelight.table.counts import Counts
from sidelight.table.labels import Semantics
from sidelight.table.table import JointDomain

if TYPE_CHECKING:
    from sidelight.engines.streamed_table import StreamedTable
    from sidelight.streams.key_stream import KeyStream
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.labels import Label

ON_DISK = 4
"""So many nodes are kept on disk beside the keys themselves."""


@dataclass(frozen=True, eq=False)
class StreamedGroups:
    """Groups that are gone through block by block, some of them left out; what they print is not unpacked."""

    stream: KeyStream
    hidden: Flags | None = None  # which groups of the stream are not among these
    star: Groups | None = None  # one more group, of everybody who is hidden
    values: Integers | None = None  # which values are spoken of; None: all
    totals: Integers | None = None  # of those values; None: of the stream

    @property
    def semantics(self) -> Semantics:
        """Return whether people have one value or several."""
        return self.stream.semantics

    @property
    def domain(self) -> tuple[Label, ...]:
        """The sensitive values that are spoken of."""
        domain = self.stream.domain
        if self.values is None:
            return domain
        if isinstance(domain, JointDomain):
            return domain.only(self.values)
        return tuple(domain[value] for value in self.values)

    @property
    def whole(self) -> Integers:
        """Return how often each value occurs in all of these groups."""
        return self.stream.whole if self.totals is None else self.totals

    @cached_property
    def _groups(self) -> int:
        return sum(map(len, self.stream.sizes()))

    def __len__(self) -> int:
        if self.hidden is None:
            return self._groups
        return int(np.count_nonzero(~self.hidden)) + (self.star is not None)

    def blocks(self) -> Iterator[Groups]:
        """Go through the groups; they are numbered from 1, one of hidden people comes first and has the last number."""
        if self.star is not None:
            yield self.star
        domain, number = self.domain, 1
        for block in self.stream.blocks():
            rows = slice(None) if self.hidden is None else np.flatnonzero(~self._hidden_in(block.first, len(block)))
            counts = block.counts.take(rows)
            counts = counts if self.values is None else counts.only_values(self.values)
            sizes = block.sizes[rows]
            if len(sizes):
                numbers = np.arange(number, number + len(sizes))
                yield Groups(domain, sizes, counts, (), self.semantics, self.whole, numbers)
            number += len(sizes)

    def unpack_groups(self) -> Iterator[Groups]:
        """Go through the groups of the stream that are not hidden, with what they print; those of a release of all."""
        for block in self.stream.blocks():
            rows = slice(None) if self.hidden is None else np.flatnonzero(~self._hidden_in(block.first, len(block)))
            yield key_block(block, self.semantics).take(rows)

    def _hidden_in(self, first: int, many: int) -> Flags:
        assert self.hidden is not None
        return self.hidden[first - 1 : first - 1 + many]

    def people_of(self, which: Flags) -> int:
        """Count the people of some groups of the stream."""
        people, before = 0, 0
        for sizes in self.stream.sizes() if which.any() else ():
            people += int(sizes[which[before : before + len(sizes)]].sum())
            before += len(sizes)
        return people

    def drop(self, hidden: Flags, named: Flags) -> StreamedGroups:
        """Take all but some groups of the stream for a whole release; values that nobody has go, unless named."""
        # only hidden groups are counted, as a rule few; the rest is what is left of all
        totals = self.stream.whole - self._count_hidden(hidden)[1]
        kept = np.flatnonzero((totals > 0) | (self.stream.whole == 0) | named)
        return StreamedGroups(self.stream, hidden, values=kept, totals=totals[kept])

    def merge_hidden(self, hidden: Flags) -> StreamedGroups:
        """Put some groups of the stream together into one."""
        people, counts = self._count_hidden(hidden)
        last = np.array([np.count_nonzero(~hidden) + 1])
        domain, whole = self.stream.domain, self.stream.whole
        star = Groups(domain, np.array([people]), Counts.from_cells([counts]), (), self.semantics, whole, last)
        return StreamedGroups(self.stream, hidden, star)

    def _count_hidden(self, hidden: Flags) -> tuple[int, Integers]:
        """Count the people of some groups, and their values."""
        people, counts = 0, np.zeros_like(self.stream.whole)
        for block in self.stream.blocks() if hidden.any() else ():
            rows = np.flatnonzero(hidden[block.first - 1 : block.first - 1 + len(block)])
            people += int(block.sizes[rows].sum())
            counts = counts + block.counts.take(rows).totals()
        return people, counts


AnyGroups: TypeAlias = Groups | StreamedGroups
"""Groups in memory, or on disk."""


class StreamedLattice(LatticeNodes):
    """What are the groups of each generalisation of a stream of keys?  As `Lattice`, in bounded memory."""

    def __init__(self, table: StreamedTable, hierarchies: Mapping[str, Hierarchy]) -> None:
        super().__init__(table.quasi, hierarchies)
        # nodes are rolled up again and again, so keys are brought here once
        self.table = table = replace(table, stream=table.stream.brought_here(table.memory))
        self.memory = table.memory
        self._on_disk: OrderedDict[Node, KeyStream] = OrderedDict()
        self._roots: OrderedDict[Node, NodeGroups] = OrderedDict()

    def groups_at(self, node: Node) -> AnyGroups:
        """Group the people at a node, in memory if they fit: the same groups, in the same order, as in memory."""
        self._check(node)
        grouped = self._find_groups(node)
        assert grouped is not None
        return grouped.groups_at(node) if isinstance(grouped, NodeGroups) else StreamedGroups(grouped)

    def few_below(self, node: Node, least: int, *, most: int) -> bool:
        """Return whether at most so many people are in groups of fewer than `least`."""
        self._check(node)
        most = min(most, self.table.people)
        # at most `most` people are in small groups, one each at worst; all other groups have at least `least`
        most_groups = most + (self.table.people - most) // max(least, 1)
        if self._no_run_shows(node, most_groups) and self._surely_below(node, least) > most:
            return False
        grouped = self._find_groups(node, most_groups=most_groups)
        if grouped is None:
            return False
        people = 0
        for sizes in [grouped.sizes_at(node)] if isinstance(grouped, NodeGroups) else grouped.sizes():
            people += int(sizes[sizes < least].sum())
            if people > most:
                return False
        return True

    def _no_run_shows(self, node: Node, most_groups: int) -> bool:
        """Return whether a node has to be rolled up on disk, and no run of it can have more than so many groups."""
        at_hand = self.is_in_memory(node) or node in self._on_disk or self._fits(node)
        return not at_hand and most_groups >= self.memory.rows_to_sort(len(self.table.stream.packing.layout))

    def _surely_below(self, node: Node, least: int) -> int:
        stream, steps = self._finer(node)
        return people_surely_below(stream, steps, self.memory, least, reading=self.reading)

    def is_in_memory(self, node: Node) -> bool:
        """Return whether the groups of a node are to be had in memory, without reading a file."""
        return any(is_finer(each, node) for each in self._roots)

    def held_groups_at(self, node: Node) -> Groups:
        """Hold the groups of a node, to be printed; refuses where they are too many."""
        groups = self.groups_at(node)
        if isinstance(groups, Groups):
            return groups
        held = held_groups(
            groups.stream, lambda groups, values: self.memory.holds_groups(self._numbers(groups, values))
        )
        if held is None:
            values = sum(block.counts.positive for block in groups.stream.blocks())
            raise self.memory.too_many_groups(len(groups), self._numbers(len(groups), values))
        return self._restore_kinds(held, node)

    def release_to_judge(self, node: Node) -> ReleaseBlocks:
        """Make the release of a node, to be gone through; where it is on disk, it stays there."""
        groups = self.groups_at(node)
        if isinstance(groups, StreamedGroups):
            return StreamedRelease(groups.stream, self.memory)
        return Release(groups, sensitive=self.table.sensitive, intake=self.table.intake)

    def release_at(self, node: Node) -> Release:
        """Make the release of a node; refuses where it has too many groups to be held."""
        return Release(self.held_groups_at(node), sensitive=self.table.sensitive, intake=self.table.intake)

    def _find_groups(self, node: Node, most_groups: int | None = None) -> NodeGroups | KeyStream | None:
        """Find the groups of a node in memory or on disk, or make them; None where they are more than `most_groups`."""
        roots = [each for each in self._roots if is_finer(each, node)]
        if roots:
            best = min(roots, key=lambda each: len(self._roots[each].finest))
            self._roots.move_to_end(best)
            return self._roots[best]
        if self._fits(node):
            node, most_groups = self._finest_that_fits(node), None
        stream = self._find_stream(node, most_groups)
        if stream is None:
            return None
        if self.memory.rolls_up(stream.entries.rows_at_least):
            held = held_groups(stream, lambda groups, values: self.memory.rolls_up(groups + values))
            if held is not None:
                return self._keep_root(node, held)
        return self._keep_on_disk(node, stream)

    def _fits(self, node: Node) -> bool:
        """Return whether a node is known to fit, by the number of its labels: with room for other roots."""
        keys = prod(len(ladder.labels[level]) for ladder, level in zip(self._ladders, node, strict=True))
        groups, entries = min(keys, self.table.people), self.table.stream.entries.rows
        # an upper bound without a pass: no more groups than keys or people, no more entries than rows
        return self.memory.rolls_up(2 * (groups + min(keys * len(self.table.domain), entries)))

    def _finest_that_fits(self, node: Node) -> Node:
        """Go down while a node is known to fit; where labels become the fewest more first."""
        while True:
            finer = [each for each in self.predecessors(node) if self._fits(each)]
            if not finer:
                return node
            node = min(finer, key=lambda each: self._growth(node, each))

    def _growth(self, node: Node, finer: Node) -> float:
        widths = zip(self._ladders, finer, node, strict=True)
        return prod(len(ladder.labels[low]) / len(ladder.labels[high]) for ladder, low, high in widths)

    def _find_stream(self, node: Node, most_groups: int | None) -> KeyStream | None:
        """Return the keys of a node: those at hand, or by rolling up the smallest finer ones."""
        if node in self._on_disk:
            return self._on_disk[node]
        stream, steps = self._finer(node)
        if all(step is None for step in steps):
            return stream
        rolled_up = roll_up_stream(stream, steps, self.memory, most_keys=most_groups, reading=self.reading)
        self.spilled += 0 if rolled_up is None else rolled_up.spilled
        return rolled_up

    def _finer(self, node: Node) -> tuple[KeyStream, list[Relabelling | None]]:
        """Return the smallest finer keys at hand, and what becomes of their labels."""
        finer = [each for each in self._on_disk if is_finer(each, node)]
        if not finer:
            return self.table.stream, list(self._first_steps(node))
        best = min(finer, key=lambda each: self._on_disk[each].entries.rows)
        self._on_disk.move_to_end(best)
        return self._on_disk[best], list(self._steps(best, node))

    def _steps(self, finer: Node, node: Node) -> Iterator[Relabelling | None]:
        for ladder, low, high in zip(self._ladders, finer, node, strict=True):
            yield None if low == high else (ladder.labels[high], ladder.step(low, high))

    def _first_steps(self, node: Node) -> Iterator[Relabelling | None]:
        """Return what becomes of the labels as they were read; those that nobody has are forgotten, as a table does."""
        for ladder, recode, level in zip(self._ladders, self.table.recode, node, strict=True):
            every_label_occurs = len(recode) == len(ladder.labels[0])
            as_it_is = level == 0 and every_label_occurs
            # the code of a label that does not occur is never read, but it must be a valid index
            yield None if as_it_is else (ladder.labels[level], ladder.step(0, level)[np.maximum(recode, 0)])

    def _numbers(self, groups: int, values: int) -> int:
        """Return how many numbers so many groups and values of groups take."""
        return numbers_of(groups, values, len(self.table.quasi))

    def _keep_root(self, node: Node, groups: Groups) -> NodeGroups:
        finest, room = self._restore_kinds(groups, node), self.memory.numbers_kept
        self._roots[node] = NodeGroups(self._ladders, node, finest, numbers_kept=room // 4)
        held = [numbers_in(each.finest) for each in self._roots.values()]
        # the oldest first; the new one always stays, as it is about to be used
        while len(held) > 1 and sum(held) > room:
            self._roots.popitem(last=False)
            held.pop(0)
        return self._roots[node]

    def _restore_kinds(self, groups: Groups, node: Node) -> Groups:
        """Let columns that are published as they are keep what they were taken for."""
        columns = (
            replace(column, kind=own.kind if level == 0 else None)
            for column, own, level in zip(groups.columns, self.table.quasi, node, strict=True)
        )
        return replace(groups, columns=tuple(columns))

    def _keep_on_disk(self, node: Node, stream: KeyStream) -> KeyStream:
        if stream is self.table.stream or node in self._on_disk:
            return stream
        before = stream.spilled
        for runs in (stream.entries, stream.people_per_key):
            if runs is not None:
                # a stream on disk must not hold rows in memory while it is not read
                runs.settle()
        self.spilled += stream.spilled - before
        self._on_disk[node] = stream
        while len(self._on_disk) > ON_DISK:
            self._on_disk.popitem(last=False)
        return stream


AnyLattice: TypeAlias = Lattice | StreamedLattice
"""Generalisations of a table in memory, or of one on disk."""
