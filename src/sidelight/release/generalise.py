"""Turn a table into a release: group people who print the same, with columns as they are or published more coarsely.

A grouping is a map from the keys of a table to groups.  Nobody has two keys, so a group's size and counts are the sums
over its keys (`roll_up`), in every semantics; the same holds from finer groups to coarser ones.

A `Lattice` has all full-domain generalisations of a table, each grouped once by rolling up a finer one:

Symbols     a node ν has one level ν_j per column j; ν ≤ μ (ν is finer) when ν_j ≤ μ_j for all j.
Roll-up     as each level is a function of the one below, the groups of μ are unions of the groups of any finer ν.
Cost        a node costs the groups of the smallest finer node at hand, not the rows; `sizes_at` counts sizes only.
Memory      grouped nodes are kept while they take at most `NUMBERS_KEPT` numbers together, the latest used longest.
Source      LeFevre, DeWitt and Ramakrishnan, Incognito, SIGMOD 2005 (the roll-up property).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.arrays import Codes, Integers, add_up, number_keys
from sidelight.errors import BadHierarchy, WrongKind, as_given, did_you_mean, expect, kind_in_words, parameter
from sidelight.release.printing import Printing
from sidelight.release.release import Members, Release, whole_groups
from sidelight.streams.rolled_up import Reading, do_not_report
from sidelight.table.coarser_values import coarser_values
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.table import Column, Table, number_equal_rows

if TYPE_CHECKING:
    from sidelight.release.groups import Groups, PopulationCounts
    from sidelight.release.population import Population
    from sidelight.table.labels import Label


def group(table: Table, *, by: str | Iterable[str] | None = None) -> Release:
    """Return the release in which people with equal `by` columns (by default all quasi-identifiers) form a group.

    The columns are published as they are; quasi-identifiers that are not in `by` are not published.  A
    column that only says which bucket a person is in works too.  Outsiders may know all quasi-identifiers: they are
    kept, group by group, as the release's `members`.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult()
    >>> group(adult.table, by=["sex", "race"])
    <Release of 45,222 people in 10 groups, occupation: 14 values (single)>
    """
    expect(Table, table, "what is grouped")
    names = dict.fromkeys((column.name for column in table.quasi) if by is None else _column_names(by))
    columns = tuple(table.column(name) for name in names)
    release = _build_release(table, columns)
    return release if len(names) == len(table.quasi) else replace(release, members=_members(table, columns))


def _column_names(by: object) -> list[str]:
    if isinstance(by, Iterable):
        return [by] if isinstance(by, str) else list(by)
    message = f"{parameter('by')} is a column or a list of columns, not {kind_in_words(by)}; name columns there"
    raise WrongKind(message)


def _members(table: Table, columns: tuple[Column, ...]) -> Members:
    """Return the people of each group by all quasi-identifiers of the table, by its keys."""
    # a table's keys are distinct rows, so each key is in exactly one group
    group, _ = number_equal_rows(columns, len(table.sizes))
    key = np.argsort(group, kind="stable")
    return Members(table.quasi, group[key], key, table.sizes[key])


def generalise(table: Table, *, by: Mapping[str, Hierarchy], to: Mapping[str, int]) -> Release:
    """Return the release in which columns are published at these levels of their hierarchies.

    Full-domain generalisation: each column has one level for everybody.  Columns that are not in `to` are published as
    they are, which is level 0; the sensitive one may be in it too (see `coarser_values`).  People of a group are not
    told apart (no `members`): the release is what it prints.

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
    hierarchies, levels = as_hierarchies(by), dict(_as_levels(to))
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


def _as_levels(to: object) -> Mapping[str, int]:
    if isinstance(to, Mapping):
        return to
    example = parameter("to", {"age": 2, "sex": 0})
    message = f"{parameter('to')} is a mapping of columns to levels, not {kind_in_words(to)}; write {example}"
    raise WrongKind(message)


def coarser(column: Column, by: Mapping[str, Hierarchy], level: int) -> Column:
    """Publish a column at a level of its hierarchy; at level 0 it needs none."""
    if column.name in by:
        hierarchy = by[column.name]
        hierarchy.check(column)
        return column.recode(*hierarchy.recode(column.labels, level)) if hierarchy.level(level) else column
    if level == 0:
        return column
    message = (
        f"no hierarchy for '{column.name}'{did_you_mean(column.name, by)}; "
        f"add it to {parameter('by')}, or leave it at level 0"
    )
    raise BadHierarchy(message)


def keys_as_groups(table: Table) -> Groups:
    """Take each key of a table for a group of its own."""
    return whole_groups(
        domain=table.domain,
        sizes=table.sizes,
        counts=table.counts,
        columns=table.quasi,
        semantics=table.semantics,
        weights=table.weights,
    )


def roll_up(groups: Groups, columns: tuple[Column, ...]) -> Groups:
    """Put together the groups of which `columns` (a row for each old group) say the same.

    Nobody is in two groups, so sizes add up like counts do, in every semantics.
    """
    # `whole` stays: what all groups together say does not depend on how they are put together.
    number, first = number_equal_rows(columns, len(groups))
    return replace(
        groups,
        sizes=add_up(number, groups.sizes, len(first)),
        counts=groups.counts.roll_up(number, groups=len(first)),
        columns=tuple(column.take(first) for column in columns),
        numbers=np.arange(1, len(first) + 1),
        weights=None if groups.weights is None else add_up(number, groups.weights, len(first)),
        populations=(),  # keys that only a population has may have joined: whoever rolls up counts them again
    )


def _build_release(table: Table, columns: tuple[Column, ...]) -> Release:
    return Release(roll_up(keys_as_groups(table), columns), sensitive=table.sensitive, intake=table.intake)


Node: TypeAlias = tuple[int, ...]
"""One level per column, in the order of the lattice's columns."""

FEW_KEYS = 1 << 18
"""How many possible keys it pays to count by, rather than to sort those that occur."""

NUMBERS_KEPT = 1 << 25
"""How many numbers (counts and codes) the grouped nodes at hand may take together: about 256 MB."""


class LatticeNodes:
    """The nodes of a lattice, whatever holds its groups: one level per column, of ladders of labels."""

    def __init__(self, columns: Sequence[Column], hierarchies: Mapping[str, Hierarchy]) -> None:
        self.columns = tuple(column.name for column in columns)
        self._ladders = tuple(_Ladder(column, hierarchies.get(column.name)) for column in columns)
        self.heights = tuple(len(ladder.labels) for ladder in self._ladders)
        self.bottom: Node = (0,) * len(columns)
        self.top: Node = tuple(height - 1 for height in self.heights)
        self.spilled = 0  # bytes in temporary files for nodes on disk, those that are gone too
        self.reading: Reading = do_not_report  # a search that waits for a node on disk may set this

    def __len__(self) -> int:
        return int(np.prod(self.heights, dtype=object)) if self.heights else 1

    def __repr__(self) -> str:
        sides = ", ".join(f"{name} {height}" for name, height in zip(self.columns, self.heights, strict=True))
        return f"<{type(self).__name__} of {len(self):,} generalisations: levels of {sides}>"

    def nodes(self) -> Iterator[Node]:
        """Return every node, finer ones before coarser ones: by the sum of their levels."""
        return iter(sorted(product(*map(range, self.heights)), key=lambda node: (sum(node), node)))

    def predecessors(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes that are one level finer in one column."""
        return _predecessors(node)

    def levels(self, node: Node) -> dict[str, int]:
        """Return a node as column → level, as `generalise` takes it."""
        return dict(zip(self.columns, node, strict=True))

    def is_in_memory(self, node: Node) -> bool:
        """Return whether the groups of a node are to be had in memory, without reading a file."""
        del node
        return True

    def _check(self, node: Node) -> None:
        if len(node) != len(self.heights):
            message = f"{len(node)} levels for {len(self.heights)} columns; give one each for {', '.join(self.columns)}"
            raise BadHierarchy(message)
        for name, level, height in zip(self.columns, node, self.heights, strict=True):
            if not 0 <= level < height:
                message = f"'{name}' has no level {as_given(level)}; its levels are 0 to {height - 1}"
                raise BadHierarchy(message)


class Lattice(LatticeNodes):
    """Which releases can be made by choosing one level per column, and what are their groups?

    A *node* has one level per column; it is finer than another when no level of it is higher.  `groups_at`
    groups a node by rolling up the smallest finer node at hand, so only the finest one is made from the
    table's keys.  Columns without a hierarchy have level 0 only.

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
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        columns: Sequence[str] | None = None,
        populations: Sequence[Population] = (),
        numbers_kept: int = NUMBERS_KEPT,
    ) -> None:
        chosen = table.quasi if columns is None else tuple(table.column(name) for name in columns)
        super().__init__(chosen, hierarchies)
        self.table = table
        self._recoded = [_RecodedPopulation(each, self.columns, hierarchies) for each in populations]
        # the finest groups are never dropped: every other node can be rolled up from them
        finest = self._count_populations(roll_up(keys_as_groups(table), chosen), self.bottom)
        self._grouped = NodeGroups(
            self._ladders, self.bottom, finest, numbers_kept=numbers_kept, completed=self._count_populations
        )

    def groups_at(self, node: Node) -> Groups:
        """Group the table at a node: the same groups, in the same order, as `generalise` makes."""
        self._check(node)
        return self._grouped.groups_at(node)

    def sizes_at(self, node: Node) -> Integers:
        """Return the sizes of a node's groups, in no particular order: all that a quick first look needs."""
        self._check(node)
        return self._grouped.sizes_at(node)

    def few_below(self, node: Node, least: int, *, most: int) -> bool:
        """Return whether at most so many people are in groups of fewer than `least`."""
        sizes = self.sizes_at(node)
        return int(sizes[sizes < least].sum()) <= most

    def held_groups_at(self, node: Node) -> Groups:
        """Hold the groups of a node, to be printed: they are in memory anyhow."""
        return self.groups_at(node)

    def release_to_judge(self, node: Node) -> Release:
        """Make the release of a node, to be gone through."""
        return self.release_at(node)

    def release_at(self, node: Node) -> Release:
        """Make the release of a node."""
        return Release(self.groups_at(node), sensitive=self.table.sensitive, intake=self.table.intake)

    def _count_populations(self, groups: Groups, node: Node) -> Groups:
        """Count the people of populations in the groups of a node, whether or not the table has their finer cells."""
        counts = tuple(each.counts_in(groups, node) for each in self._recoded)
        return replace(groups, populations=counts) if counts else groups


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
            finer, groups = self._smallest_finer(node)
            rolled_up = roll_up(groups, tuple(self._columns(groups, finer, node)))
            self._keep(node, self._completed(rolled_up, node))
        self._kept.move_to_end(node)
        return self._kept[node]

    def sizes_at(self, node: Node) -> Integers:
        """Return the sizes of a node's groups, in no particular order."""
        key, keys = np.zeros(len(self.finest), np.int64), 1
        for at, (ladder, level) in enumerate(zip(self._ladders, node, strict=True)):
            width = len(ladder.labels[level])
            if width == 1:
                continue
            if keys * width >= FEW_KEYS:  # too many to count by: number those that occur
                key, first = number_keys(key, below=keys)
                keys = len(first)
            key, keys = key * width + self._codes_at(at, level), keys * width
        if keys > max(FEW_KEYS, 8 * len(key)):
            key, first = number_keys(key, below=keys)
            keys = len(first)
        sizes = add_up(key, self.finest.sizes, keys)
        return sizes[sizes > 0]

    def _codes_at(self, at: int, level: int) -> Codes:
        """Recode a column of the finest groups to a level; remembered, as it is asked for again and again."""
        if (at, level) not in self._recoded:
            step = self._ladders[at].step(self.start[at], level)
            self._recoded[at, level] = step[self.finest.columns[at].codes]
        return self._recoded[at, level]

    def _columns(self, groups: Groups, finer: Node, node: Node) -> Iterator[Column]:
        for column, ladder, low, high in zip(groups.columns, self._ladders, finer, node, strict=True):
            yield column if low == high else column.recode(ladder.labels[high], ladder.step(low, high))

    def _smallest_finer(self, node: Node) -> tuple[Node, Groups]:
        """Choose what to roll up: the smallest predecessor at hand, or else the smallest of all finer nodes."""
        # Any finer node gives the same groups; a predecessor is as a rule the smallest, and quicker to look up.
        near = [other for other in _predecessors(node) if other in self._kept]
        finer = near or [other for other in self._kept if is_finer(other, node)]
        if not finer:
            return self.start, self.finest
        best = min(finer, key=lambda other: len(self._kept[other]))
        return best, self._kept[best]

    def _keep(self, node: Node, groups: Groups) -> None:
        self._kept[node] = groups
        self._room -= numbers_in(groups)
        while self._room < 0 and len(self._kept) > 1:  # the least recently used makes room
            _, dropped = self._kept.popitem(last=False)
            self._room += numbers_in(dropped)


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


class _RecodedPopulation:
    """A population along the same hierarchies."""

    def __init__(self, population: Population, columns: Sequence[str], hierarchies: Mapping[str, Hierarchy]) -> None:
        self._population, self._hierarchies = population, hierarchies
        self._columns, self._people = population.rows(columns)
        self._levels: dict[tuple[int, int], Column] = {}

    def counts_in(self, groups: Groups, node: Node) -> PopulationCounts:
        columns = [self._recode(at, level) for at, level in enumerate(node)]
        return self._population.count_equal(groups, columns, self._people)

    def _recode(self, at: int, level: int) -> Column:
        if (at, level) not in self._levels:
            try:
                self._levels[at, level] = coarser(self._columns[at], self._hierarchies, level)
            except BadHierarchy as error:
                message = f"the population cannot be recoded as the table is: {error}"
                raise BadHierarchy(message) from None
        return self._levels[at, level]


def is_finer(one: Node, other: Node) -> bool:
    """Return whether no level of a node is higher than another's."""
    return all(low <= high for low, high in zip(one, other, strict=True))


def _predecessors(node: Node) -> tuple[Node, ...]:
    return tuple((*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node) if level > 0)


def numbers_in(groups: Groups) -> int:
    """Return how many numbers groups hold: counts, sizes and codes."""
    counts = groups.counts
    stored = counts.cells if counts.cells is not None else counts.data
    assert stored is not None
    # sizes and numbers of the groups, and a code for each column
    return stored.size + len(groups) * (2 + len(groups.columns))
