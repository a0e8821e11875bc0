"""Turn a table into a release: group people who print the same, with columns as they are or published more coarsely.

A grouping is a map from the keys of a table to groups.  Nobody has two keys, so a group's size and counts are the sums
over its keys (`roll_up`), in every semantics; the same holds from finer groups to coarser ones.

A `Lattice` has all full-domain generalisations of a table, each grouped once by rolling up a finer one:

Symbols     a node ν has one level ν_j per column j; ν ≤ μ (ν is finer) when ν_j ≤ μ_j for all j.
Roll-up     as each level is a function of the one below, the groups of μ are unions of the groups of any finer ν.
Cost        a node costs the groups of the smallest finer node at hand, not the rows; `sizes_at` counts sizes only.
Memory      grouped nodes are kept while they take at most `numbers_kept` numbers together, the latest used longest.
Source      LeFevre, DeWitt and Ramakrishnan, Incognito, SIGMOD 2005 (the roll-up property).

Of a table whose keys do not fit in memory, it has nodes on disk, and coarse ones in memory.

    keys on disk ──▶ node on disk, by rolling up the smallest finer one at hand ──▶ node that fits: a root in memory
                                                                                        └─▶ every coarser node

Root        a node that fits.  Whatever is coarser is rolled up from it in memory (`NodeGroups`) and reads no file.  So
            where a node is known to fit, by the number of its labels, the finest one below it that is known to is
            rolled up in its place: one pass for all that is coarser.
Refusal     groups of at least k people each, but for s people at most, are at most s + (n − s) / k.  A node with more
            of them is refused as soon as one sorted run shows so; nothing more of it is read or written.  Where a run
            is too short to show it, people are summed by slots first (`rolled_up`), often enough to refuse.
Kept        the latest few nodes on disk, and the latest roots while they take at most their share of memory; others are
            rolled up again when needed.
Invariant   `groups_at(node)` are the groups of the same table in memory, in their order and with their numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.arrays import Codes, Flags, Integers, add_up, number_keys
from sidelight.errors import BadHierarchy, WrongKind, as_given, did_you_mean, expect, kind_in_words, parameter
from sidelight.release.groups import Groups, held_groups, hold_groups, key_block, keys_as_groups, roll_up
from sidelight.release.printed_labels import Printing
from sidelight.release.release import Members, Release, ReleaseBlocks, StreamedRelease
from sidelight.streams.key_stream import (
    KeyBlock,
    KeyStream,
    Relabelling,
    ReportRows,
    do_not_report,
    people_surely_below,
    roll_up_stream,
)
from sidelight.table.hierarchy import Hierarchy, as_hierarchies, coarser_values
from sidelight.table.labels import Column, JointDomain, Label, Semantics, number_equal_rows
from sidelight.table.table import Counts, Table

if TYPE_CHECKING:
    from sidelight.release.population import Population
    from sidelight.streams.streamed_table import AnyTable, StreamedTable


def group(table: Table, *, by: str | Iterable[str] | None = None) -> Release:
    """Return the release in which people with equal `by` columns (by default all quasi-identifiers) form a group.

    The columns are published unchanged; quasi-identifiers that are not in `by` are not published.  A column that only
    says which bucket a person is in works too.  An attacker may know all quasi-identifiers: they are kept, group by
    group, as the release's `members`.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult()
    >>> group(adult.table, by=["sex", "race"])
    <Release of 45,222 people in 10 groups, occupation: 14 values (single)>
    """
    expect(Table, table, "what is grouped")
    columns_by: object = by
    if columns_by is not None and not isinstance(columns_by, Iterable):
        raise WrongKind(
            f"{parameter('by')} is a column or a list of columns, not {kind_in_words(columns_by)}; name columns there"
        )
    names = dict.fromkeys(
        (column.name for column in table.quasi) if by is None else [by] if isinstance(by, str) else by
    )
    columns = tuple(table.column(name) for name in names)
    release = _build_release(table, columns)
    if len(names) == len(table.quasi):
        return release
    # a table's keys are distinct rows, so each key is in exactly one group
    group, _ = number_equal_rows(columns, len(table.sizes))
    key = np.argsort(group, kind="stable")
    return replace(release, members=Members(table.quasi, group[key], key, table.sizes[key]))


def generalise(table: Table, *, by: Mapping[str, Hierarchy], to: Mapping[str, int]) -> Release:
    """Return the release in which columns are published at these levels of their hierarchies.

    Full-domain generalisation: each column has one level for everybody.  Columns that are not in `to` are published at
    level 0, unchanged; the sensitive one may be in it too (see `coarser_values`).  People of a group are not
    distinguished (no `members`): the release is what it prints.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> release = generalise(adult.table, by=adult.hierarchies, to={"age": 3, "sex": 1})
    >>> for row in range(len(release)):
    ...     print(release.groups.name(row), release.groups.sizes[row])
    group 1 (age 0-19, sex *) 2052
    group 2 (age 20-39, sex *) 23355
    group 3 (age 40-59, sex *) 16569
    group 4 (age 60-79, sex *) 3103
    group 5 (age 80-99, sex *) 143
    """
    expect(Table, table, "what is generalised")
    level_of: object = to
    if not isinstance(level_of, Mapping):
        example = parameter("to", {"age": 2, "sex": 0})
        raise WrongKind(
            f"{parameter('to')} is a mapping of columns to levels, not {kind_in_words(level_of)}; write {example}"
        )
    hierarchies, levels = as_hierarchies(by), dict(to)
    # sensitive columns first: groups count values, so values are recoded before anything is grouped
    sensitive = {name: levels.pop(name) for name in table.sensitive_columns if name in levels}
    table = coarser_values(table, by=hierarchies, to=sensitive) if sensitive else table
    for name in levels:
        table.column(name)  # names the nearest column if there is none
    release = _build_release(
        table, tuple(coarser(column, hierarchies, levels.get(column.name, 0)) for column in table.quasi)
    )
    published = {name: hierarchy for name, hierarchy in hierarchies.items() if levels.get(name, 0) > 0}
    return replace(release, printing=Printing.from_hierarchies(published))


def coarser(column: Column, by: Mapping[str, Hierarchy], level: int) -> Column:
    """Publish a column at a level of its hierarchy; at level 0 it needs none."""
    if column.name in by:
        hierarchy = by[column.name]
        hierarchy.check(column)
        return column.recode(*hierarchy.recode(column.labels, level)) if hierarchy.level(level) else column
    if level == 0:
        return column
    raise BadHierarchy(
        f"no hierarchy for '{column.name}'{did_you_mean(column.name, by)}; "
        f"add it to {parameter('by')}, or leave it at level 0"
    )


def _build_release(table: Table, columns: tuple[Column, ...]) -> Release:
    return Release(roll_up(keys_as_groups(table), columns), sensitive=table.sensitive, intake=table.intake)


Node: TypeAlias = tuple[int, ...]
"""One level per column, in the order of the lattice's columns."""


class Lattice:
    """All releases that choose one level per column, and their groups.

    A *node* has one level per column; it is finer than another when no level of it is higher.  `groups_at`
    groups a node by rolling up the smallest finer node at hand, so only the finest one is made from the
    table's keys.  Columns without a hierarchy have level 0 only.  Of a table that is streamed, nodes that do not fit in
    memory are on disk; `columns` and `populations` are for others.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult()
    >>> lattice = Lattice(adult.table, adult.hierarchies, columns=["age", "sex"])
    >>> lattice.columns, lattice.heights, len(lattice)
    (('age', 'sex'), (6, 2), 12)
    >>> [len(lattice.groups_at(node)) for node in lattice.nodes()]
    [145, 74, 32, 16, 18, 9, 10, 5, 6, 3, 2, 1]
    """

    def __init__(
        self,
        table: AnyTable,
        hierarchies: Mapping[str, Hierarchy],
        *,
        columns: Sequence[str] | None = None,
        populations: Sequence[Population] = (),
        numbers_kept: int = 1 << 25,
    ) -> None:
        chosen = table.quasi if columns is None else tuple(table.column(name) for name in columns)
        self.table = table
        self.columns = tuple(column.name for column in chosen)
        self._ladders = tuple(_Ladder(column, hierarchies.get(column.name)) for column in chosen)
        self.heights = tuple(len(ladder.labels) for ladder in self._ladders)
        self.bottom: Node = (0,) * len(chosen)
        self.top: Node = tuple(height - 1 for height in self.heights)
        self.spilled = 0  # bytes in temporary files for nodes on disk, those that are gone too
        self.reading: ReportRows = do_not_report  # a search that waits for a node on disk may set this
        self._on_disk: OrderedDict[Node, KeyStream] = OrderedDict()
        self._roots: OrderedDict[Node, NodeGroups] = OrderedDict()
        self._hierarchies = hierarchies
        self._populations = [(each, *each.rows(self.columns)) for each in populations]
        self._recoded: dict[tuple[int, int, int], Column] = {}  # population, column and level → its labels there
        if isinstance(table, Table):
            # the finest groups are a root that is never dropped: every other node can be rolled up from them
            finest = self._count_populations(roll_up(keys_as_groups(table), chosen), self.bottom)
            self._roots[self.bottom] = NodeGroups(
                self._ladders, self.bottom, finest, numbers_kept=numbers_kept, completed=self._count_populations
            )
        else:
            # nodes are rolled up again and again, so keys are brought here once
            self.table = replace(table, stream=table.stream.brought_here(table.memory))

    def __len__(self) -> int:
        return int(np.prod(self.heights, dtype=object)) if self.heights else 1

    def __repr__(self) -> str:
        sides = ", ".join(f"{name} {height}" for name, height in zip(self.columns, self.heights, strict=True))
        return f"<Lattice of {len(self):,} generalisations: levels of {sides}>"

    def nodes(self) -> Iterator[Node]:
        """Return every node, finer ones before coarser ones: by the sum of their levels."""
        return iter(sorted(product(*map(range, self.heights)), key=lambda node: (sum(node), node)))

    @staticmethod
    def predecessors(node: Node) -> tuple[Node, ...]:
        """Return the nodes that are one level finer in one column."""
        return tuple((*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node) if level > 0)

    def levels(self, node: Node) -> dict[str, int]:
        """Return a node as column → level, as `generalise` takes it."""
        return dict(zip(self.columns, node, strict=True))

    def groups_at(self, node: Node) -> AnyGroups:
        """Group the table at a node: the same groups, in the same order, as `generalise` makes; in memory if they fit.

        Those of a table in memory always do.
        """
        grouped = self._find_groups(node)
        assert grouped is not None
        return grouped.groups_at(node) if isinstance(grouped, NodeGroups) else StreamedGroups(grouped)

    def sizes_at(self, node: Node) -> Integers:
        """Return the sizes of a node's groups, of a table in memory, in no particular order: for a quick first look."""
        self._check(node)
        return self._roots[self.bottom].sizes_at(node)

    def few_below(self, node: Node, least: int, *, most: int) -> bool:
        """Return whether at most `most` people are in groups of fewer than `least`."""
        most, most_groups = min(most, self.table.people), None
        if not self.is_in_memory(node):
            # at most `most` people are in small groups, one each at worst; all other groups have at least `least`
            most_groups = most + (self.table.people - most) // max(least, 1)
            if self._are_surely_many(node, most_groups, least, most):
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

    def is_in_memory(self, node: Node) -> bool:
        """Return whether the groups of a node are available without reading a file."""
        self._check(node)
        return any(is_finer(each, node) for each in self._roots)

    def held_groups_at(self, node: Node) -> Groups:
        """Hold the groups of a node, to be printed; raise `NoRoom` if they are too many."""
        groups = self.groups_at(node)
        if isinstance(groups, Groups):
            return groups
        memory = self._streamed.memory
        return self._restore_kinds(hold_groups(groups.stream, memory, memory.too_many_groups), node)

    def release_to_judge(self, node: Node) -> ReleaseBlocks:
        """Return the release of a node, streamed where it is on disk."""
        groups = self.groups_at(node)
        if isinstance(groups, StreamedGroups):
            return StreamedRelease(groups.stream, self._streamed.memory)
        return Release(groups, sensitive=self.table.sensitive, intake=self.table.intake)

    def release_at(self, node: Node) -> Release:
        """Return the release of a node; raise `NoRoom` if it has too many groups to be held."""
        return Release(self.held_groups_at(node), sensitive=self.table.sensitive, intake=self.table.intake)

    def _check(self, node: Node) -> None:
        if len(node) != len(self.heights):
            raise BadHierarchy(
                f"{len(node)} levels for {len(self.heights)} columns; give one each for {', '.join(self.columns)}"
            )
        for name, level, height in zip(self.columns, node, self.heights, strict=True):
            if not 0 <= level < height:
                raise BadHierarchy(f"'{name}' has no level {as_given(level)}; its levels are 0 to {height - 1}")

    def _count_populations(self, groups: Groups, node: Node) -> Groups:
        """Count the people of populations in the groups of a node, whether or not the table has their finer cells."""
        counts = []
        for number, (population, columns, people) in enumerate(self._populations):
            keys = [(number, at, level) for at, level in enumerate(node)]
            try:
                for key in keys:
                    if key not in self._recoded:
                        self._recoded[key] = coarser(columns[key[1]], self._hierarchies, key[2])
            except BadHierarchy as error:
                raise BadHierarchy(f"the population cannot be recoded as the table is: {error}") from None
            counts.append(population.count_equal(groups, [self._recoded[key] for key in keys], people))
        return replace(groups, populations=tuple(counts)) if counts else groups

    @property
    def _streamed(self) -> StreamedTable:
        """The table, where its keys are on disk."""
        assert not isinstance(self.table, Table)
        return self.table

    def _are_surely_many(self, node: Node, most_groups: int, least: int, most: int) -> bool:
        """Return whether sums by slots show that more than `most` people are in groups of fewer than `least`."""
        memory, layout = self._streamed.memory, self._streamed.stream.packing.layout
        # only where it has to be rolled up on disk, and no run of it can have more than so many groups
        if node in self._on_disk or self._fits(node) or most_groups < memory.rows_to_sort(len(layout)):
            return False
        stream, steps = self._finer(node)
        return people_surely_below(stream, steps, memory, least, reading=self.reading) > most

    def _find_groups(self, node: Node, most_groups: int | None = None) -> NodeGroups | KeyStream | None:
        """Return the groups of a node, from memory, disk or a finer node; None if there are more than `most_groups`."""
        self._check(node)
        roots = [each for each in self._roots if is_finer(each, node)]
        if roots:
            best = min(roots, key=lambda each: len(self._roots[each].finest))
            self._roots.move_to_end(best)
            return self._roots[best]
        if self._fits(node):
            most_groups = None
            # down while a node is known to fit; where labels become the fewest more first
            while finer := [each for each in self.predecessors(node) if self._fits(each)]:
                node = min(finer, key=partial(self._growth, node))
        stream = self._on_disk.get(node)
        if stream is None:
            stream, steps = self._finer(node)
            if any(step is not None for step in steps):
                rolled_up = roll_up_stream(
                    stream, steps, self._streamed.memory, most_keys=most_groups, reading=self.reading
                )
                if rolled_up is None:
                    return None
                self.spilled += rolled_up.spilled
                stream = rolled_up
        memory = self._streamed.memory
        if memory.rolls_up(stream.entries.rows_at_least):
            held = held_groups(stream, lambda groups, values: memory.rolls_up(groups + values))
            if held is not None:
                return self._keep_root(node, held)
        return self._keep_on_disk(node, stream)

    def _fits(self, node: Node) -> bool:
        """Return whether a node is known to fit, by the number of its labels: with room for other roots."""
        keys = prod(len(ladder.labels[level]) for ladder, level in zip(self._ladders, node, strict=True))
        groups, entries = min(keys, self.table.people), self._streamed.stream.entries.rows
        # an upper bound without a pass: no more groups than keys or people, no more entries than rows
        return self._streamed.memory.rolls_up(2 * (groups + min(keys * len(self._streamed.domain), entries)))

    def _growth(self, node: Node, finer: Node) -> float:
        widths = zip(self._ladders, finer, node, strict=True)
        return prod(len(ladder.labels[low]) / len(ladder.labels[high]) for ladder, low, high in widths)

    def _finer(self, node: Node) -> tuple[KeyStream, list[Relabelling | None]]:
        """Return the smallest finer keys at hand, and how their labels are recoded."""
        finer = [each for each in self._on_disk if is_finer(each, node)]
        if not finer:
            # labels as they were read become those of the node; those that nobody has are forgotten, as a table does
            first: list[Relabelling | None] = []
            for ladder, recode, level in zip(self._ladders, self._streamed.recode, node, strict=True):
                as_it_is = level == 0 and len(recode) == len(ladder.labels[0])
                # the code of a label that does not occur is never read, but it must be a valid index
                first.append(None if as_it_is else (ladder.labels[level], ladder.step(0, level)[np.maximum(recode, 0)]))
            return self._streamed.stream, first
        best = min(finer, key=lambda each: self._on_disk[each].entries.rows)
        self._on_disk.move_to_end(best)
        return self._on_disk[best], [
            None if low == high else (ladder.labels[high], ladder.step(low, high))
            for ladder, low, high in zip(self._ladders, best, node, strict=True)
        ]

    def _keep_root(self, node: Node, groups: Groups) -> NodeGroups:
        finest, room = self._restore_kinds(groups, node), self._streamed.memory.numbers_kept
        self._roots[node] = NodeGroups(self._ladders, node, finest, numbers_kept=room // 4)
        held = [numbers_held(each.finest) for each in self._roots.values()]
        # the oldest first; the new one always stays, as it is about to be used
        while len(held) > 1 and sum(held) > room:
            self._roots.popitem(last=False)
            held.pop(0)
        return self._roots[node]

    def _restore_kinds(self, groups: Groups, node: Node) -> Groups:
        columns = (
            replace(column, kind=own.kind if level == 0 else None)
            for column, own, level in zip(groups.columns, self.table.quasi, node, strict=True)
        )
        return replace(groups, columns=tuple(columns))

    def _keep_on_disk(self, node: Node, stream: KeyStream) -> KeyStream:
        if stream is self._streamed.stream or node in self._on_disk:
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


class NodeGroups:
    """The groups of a node and of all above it, each by rolling up the smallest finer one at hand."""

    def __init__(
        self,
        ladders: Sequence[_Ladder],
        start: Node,
        finest: Groups,
        *,
        numbers_kept: int,
        completed: Callable[[Groups, Node], Groups] = lambda groups, _: groups,
    ) -> None:
        self.start, self.finest = start, finest
        self._ladders, self._completed = ladders, completed
        self._recoded: dict[tuple[int, int], Codes] = {}
        self._kept: OrderedDict[Node, Groups] = OrderedDict()
        self._room = numbers_kept

    def groups_at(self, node: Node) -> Groups:
        """Group at a node that is no finer than where these start."""
        if node == self.start:
            return self.finest
        if node not in self._kept:
            # any finer node gives the same groups; a predecessor is as a rule the smallest, and quicker to look up
            near = [other for other in Lattice.predecessors(node) if other in self._kept]
            finer = near or [other for other in self._kept if is_finer(other, node)]
            best = min(finer, key=lambda other: len(self._kept[other])) if finer else self.start
            groups = self._kept[best] if finer else self.finest
            columns = (
                column if low == high else column.recode(ladder.labels[high], ladder.step(low, high))
                for column, ladder, low, high in zip(groups.columns, self._ladders, best, node, strict=True)
            )
            self._kept[node] = self._completed(roll_up(groups, tuple(columns)), node)
            self._room -= numbers_held(self._kept[node])
            while self._room < 0 and len(self._kept) > 1:  # the least recently used makes room
                _, dropped = self._kept.popitem(last=False)
                self._room += numbers_held(dropped)
        self._kept.move_to_end(node)
        return self._kept[node]

    def sizes_at(self, node: Node) -> Integers:
        """Return the sizes of a node's groups, in no particular order."""
        few_keys = 1 << 18  # so many possible keys it pays to count by, rather than to sort those that occur
        key, keys = np.zeros(len(self.finest), np.int64), 1
        for at, (ladder, level) in enumerate(zip(self._ladders, node, strict=True)):
            width = len(ladder.labels[level])
            if width == 1:
                continue
            if keys * width >= few_keys:  # too many to count by: number those that occur
                key, first = number_keys(key, below=keys)
                keys = len(first)
            if (at, level) not in self._recoded:  # remembered, as it is asked for again and again
                self._recoded[at, level] = ladder.step(self.start[at], level)[self.finest.columns[at].codes]
            key, keys = key * width + self._recoded[at, level], keys * width
        if keys > max(few_keys, 8 * len(key)):
            key, first = number_keys(key, below=keys)
            keys = len(first)
        sizes = add_up(key, self.finest.sizes, keys)
        return sizes[sizes > 0]


class _Ladder:
    """One column's labels at each level, and the way from any level up to any other."""

    def __init__(self, column: Column, hierarchy: Hierarchy | None) -> None:
        if hierarchy is not None:
            hierarchy.check(column)  # one with a single level too: nothing else would notice that it does not fit
        same: tuple[tuple[Label, ...], Codes] = (column.labels, np.arange(len(column.labels), dtype=np.int32))
        above = [] if hierarchy is None else [hierarchy.recode(column.labels, n) for n in range(1, hierarchy.height)]
        self.labels = tuple(labels for labels, _ in (same, *above))
        self._codes = tuple(codes for _, codes in (same, *above))
        self._steps: dict[tuple[int, int], Codes] = {}

    def step(self, low: int, high: int) -> Codes:
        """Recode codes of the lower level to codes of the higher one."""
        if (low, high) not in self._steps:
            # Every label of the lower level is that of some value, so every entry is written; all agree, as levels
            # are functions of the ones below.
            step = np.empty(len(self.labels[low]), np.int32)
            step[self._codes[low]] = self._codes[high]
            self._steps[low, high] = step
        return self._steps[low, high]


def is_finer(one: Node, other: Node) -> bool:
    """Return whether no level of a node is higher than another's."""
    return all(low <= high for low, high in zip(one, other, strict=True))


def numbers_held(groups: Groups) -> int:
    """Return how many numbers groups hold: counts, sizes and codes."""
    counts = groups.counts
    stored = counts.cells if counts.cells is not None else counts.data
    assert stored is not None
    # sizes and numbers of the groups, and a code for each column
    return stored.size + len(groups) * (2 + len(groups.columns))


ON_DISK = 4
"""The number of nodes that are kept on disk beside the keys themselves."""


@dataclass(frozen=True, eq=False)
class StreamedGroups:
    """Groups in blocks that are never held, some of them left out; what they print is not unpacked."""

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
        return self.stream.totals if self.totals is None else self.totals

    @cached_property
    def _groups(self) -> int:
        return sum(map(len, self.stream.sizes()))

    def __len__(self) -> int:
        if self.hidden is None:
            return self._groups
        return int(np.count_nonzero(~self.hidden)) + (self.star is not None)

    def blocks(self) -> Iterator[Groups]:
        """Yield the groups, numbered from 1; the one of hidden people comes first and has the last number."""
        if self.star is not None:
            yield self.star
        domain, number = self.domain, 1
        for block in self.stream.blocks():
            rows = self._rows_left(block)
            counts = block.counts.take(rows)
            counts = counts if self.values is None else counts.only_values(self.values)
            sizes = block.sizes[rows]
            if len(sizes):
                numbers = np.arange(number, number + len(sizes))
                yield Groups(domain, sizes, counts, (), self.semantics, self.whole, numbers)
            number += len(sizes)

    def unpack_groups(self) -> Iterator[Groups]:
        """Yield the groups of the stream that are not hidden, with what they print, as groups of the whole release."""
        for block in self.stream.blocks():
            yield key_block(block, self.semantics).take(self._rows_left(block))

    def _rows_left(self, block: KeyBlock) -> Integers | slice:
        # keys are numbered from 1 over the whole stream, flags from 0
        before = block.first - 1
        return slice(None) if self.hidden is None else np.flatnonzero(~self.hidden[before : before + len(block)])

    def people_of(self, which: Flags) -> int:
        """Count the people of some groups of the stream."""
        people, before = 0, 0
        for sizes in self.stream.sizes() if which.any() else ():
            people += int(sizes[which[before : before + len(sizes)]].sum())
            before += len(sizes)
        return people

    def drop(self, hidden: Flags, named: Flags) -> StreamedGroups:
        """Return a whole release without some groups of the stream, nor values that nobody has, unless named."""
        # only hidden groups are counted, as a rule few; the rest is what is left of all
        totals = self.stream.totals - self._count_hidden(hidden)[1]
        kept = np.flatnonzero((totals > 0) | (self.stream.totals == 0) | named)
        return StreamedGroups(self.stream, hidden, values=kept, totals=totals[kept])

    def merge_hidden(self, hidden: Flags) -> StreamedGroups:
        """Merge some groups of the stream into one."""
        people, counts = self._count_hidden(hidden)
        last = np.array([np.count_nonzero(~hidden) + 1])
        domain, whole = self.stream.domain, self.stream.totals
        star = Groups(domain, np.array([people]), Counts.from_cells([counts]), (), self.semantics, whole, last)
        return StreamedGroups(self.stream, hidden, star)

    def _count_hidden(self, hidden: Flags) -> tuple[int, Integers]:
        people, counts = 0, np.zeros_like(self.stream.totals)
        for block in self.stream.blocks() if hidden.any() else ():
            rows = np.flatnonzero(hidden[block.first - 1 : block.first - 1 + len(block)])
            people += int(block.sizes[rows].sum())
            counts = counts + block.counts.take(rows).totals()
        return people, counts


AnyGroups: TypeAlias = Groups | StreamedGroups
"""Groups in memory, or on disk."""
