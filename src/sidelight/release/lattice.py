"""All full-domain generalisations of a table, each grouped once by rolling up a finer one.

Symbols     a node ν has one level ν_j per column j; ν ≤ μ (ν is finer) when ν_j ≤ μ_j for all j.
Roll-up     as each level is a function of the one below, the groups of μ are unions of the groups of any finer ν.
Cost        a node costs the groups of the smallest finer node at hand, not the rows; `sizes_at` counts sizes only.
Memory      grouped nodes are kept while they take at most `NUMBERS_KEPT` numbers together, the latest used longest.
Source      LeFevre, DeWitt and Ramakrishnan, Incognito, SIGMOD 2005 (the roll-up property).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight._arrays import Codes, Integers, add_up, number_keys
from sidelight.errors import BadHierarchy
from sidelight.release.generalise import coarser, keys_as_groups, roll_up
from sidelight.release.groups import Groups, PopulationCounts
from sidelight.release.release import Release
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label
from sidelight.table.table import Column, Table

if TYPE_CHECKING:
    from sidelight.release.population import Population

Node: TypeAlias = tuple[int, ...]
"""One level per column, in the order of the lattice's columns."""

FEW_KEYS = 1 << 18
"""How many possible keys it pays to count by, rather than to sort those that occur."""

NUMBERS_KEPT = 1 << 25
"""How many numbers (counts and codes) the grouped nodes at hand may take together: about 256 MB."""


class Lattice:
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
        self.table = table
        self.columns = tuple(column.name for column in chosen)
        self._ladders = tuple(_Ladder(column, hierarchies.get(column.name)) for column in chosen)
        self.heights = tuple(len(ladder.labels) for ladder in self._ladders)
        self.bottom: Node = (0,) * len(chosen)
        self.top: Node = tuple(height - 1 for height in self.heights)
        self._recoded = [_RecodedPopulation(each, self.columns, hierarchies) for each in populations]
        self._finest = self._with_populations(roll_up(keys_as_groups(table), chosen), self.bottom)
        self._kept: OrderedDict[Node, Groups] = OrderedDict()
        self._room = numbers_kept

    def __len__(self) -> int:
        return int(np.prod(self.heights, dtype=object)) if self.heights else 1

    def __repr__(self) -> str:
        sides = ", ".join(f"{name} {height}" for name, height in zip(self.columns, self.heights, strict=True))
        return f"<Lattice of {len(self):,} generalisations: levels of {sides}>"

    def nodes(self) -> Iterator[Node]:
        """Give every node, finer ones before coarser ones: by the sum of their levels."""
        return iter(sorted(product(*map(range, self.heights)), key=lambda node: (sum(node), node)))

    def predecessors(self, node: Node) -> tuple[Node, ...]:
        """Give the nodes that are one level finer in one column."""
        return tuple(_one_finer(node, column) for column, level in enumerate(node) if level > 0)

    def levels(self, node: Node) -> dict[str, int]:
        """Say a node as column → level, as `generalise` takes it."""
        return dict(zip(self.columns, node, strict=True))

    def groups_at(self, node: Node) -> Groups:
        """Group the table at a node: the same groups, in the same order, as `generalise` makes."""
        self._check(node)
        if node == self.bottom:
            return self._finest
        if node not in self._kept:
            finer, groups = self._smallest_finer(node)
            rolled_up = roll_up(groups, tuple(self._columns(groups, finer, node)))
            self._keep(node, self._with_populations(rolled_up, node))
        self._kept.move_to_end(node)
        return self._kept[node]

    def sizes_at(self, node: Node) -> Integers:
        """Give the sizes of a node's groups, in no particular order: all that a quick first look needs."""
        self._check(node)
        key, keys = np.zeros(len(self._finest), np.int64), 1
        for ladder, column, level in zip(self._ladders, self._finest.columns, node, strict=True):
            width = len(ladder.labels[level])
            if width == 1:
                continue
            if keys * width >= FEW_KEYS:  # too many to count by: number those that occur
                key, first = number_keys(key, below=keys)
                keys = len(first)
            key, keys = key * width + ladder.codes_at(level, column), keys * width
        if keys > max(FEW_KEYS, 8 * len(key)):
            key, first = number_keys(key, below=keys)
            keys = len(first)
        sizes = add_up(key, self._finest.sizes, keys)
        return sizes[sizes > 0]

    def release_at(self, node: Node) -> Release:
        """Make the release of a node."""
        return Release(self.groups_at(node), sensitive=self.table.sensitive, intake=self.table.intake)

    def _with_populations(self, groups: Groups, node: Node) -> Groups:
        """Count the people of populations in the groups of a node, whoever of the table has their finer cells."""
        counts = tuple(each.counts_in(groups, node) for each in self._recoded)
        return replace(groups, populations=counts) if counts else groups

    def _columns(self, groups: Groups, finer: Node, node: Node) -> Iterator[Column]:
        for column, ladder, low, high in zip(groups.columns, self._ladders, finer, node, strict=True):
            yield column if low == high else column.relabelled(ladder.labels[high], ladder.step(low, high))

    def _smallest_finer(self, node: Node) -> tuple[Node, Groups]:
        """Choose what to roll up: the smallest predecessor at hand, or else the smallest of all finer nodes."""
        # Any finer node gives the same groups; a predecessor is as a rule the smallest, and quicker to look up.
        near = [other for other in self.predecessors(node) if other in self._kept]
        finer = near or [other for other in self._kept if _is_finer(other, node)]
        if not finer:
            return self.bottom, self._finest
        best = min(finer, key=lambda other: len(self._kept[other]))
        return best, self._kept[best]

    def _keep(self, node: Node, groups: Groups) -> None:
        self._kept[node] = groups
        self._room -= _numbers(groups)
        while self._room < 0 and len(self._kept) > 1:  # the least recently used makes room
            _, dropped = self._kept.popitem(last=False)
            self._room += _numbers(dropped)

    def _check(self, node: Node) -> None:
        if len(node) != len(self.heights):
            message = f"{len(node)} levels for {len(self.heights)} columns; give one each for {', '.join(self.columns)}"
            raise BadHierarchy(message)
        for name, level, height in zip(self.columns, node, self.heights, strict=True):
            if not 0 <= level < height:
                message = f"'{name}' has no level {level}; its levels are 0 to {height - 1}"
                raise BadHierarchy(message)


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
        self._recoded: dict[int, Codes] = {}

    def codes_at(self, level: int, finest: Column) -> Codes:
        """Recode a column of original labels to a level; remembered, as a lattice asks for it again and again."""
        if level not in self._recoded:
            self._recoded[level] = self._codes[level][finest.codes]
        return self._recoded[level]

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
        columns = [self._at_level(at, level) for at, level in enumerate(node)]
        return self._population.with_equal(groups, columns, self._people)

    def _at_level(self, at: int, level: int) -> Column:
        if (at, level) not in self._levels:
            try:
                self._levels[at, level] = coarser(self._columns[at], self._hierarchies, level)
            except BadHierarchy as error:
                message = f"the population cannot be recoded as the table is: {error}"
                raise BadHierarchy(message) from None
        return self._levels[at, level]


def _is_finer(one: Node, other: Node) -> bool:
    return all(low <= high for low, high in zip(one, other, strict=True))


def _one_finer(node: Node, column: int) -> Node:
    return (*node[:column], node[column] - 1, *node[column + 1 :])


def _numbers(groups: Groups) -> int:
    counts = groups.counts
    stored = counts.cells if counts.cells is not None else counts.data
    assert stored is not None
    return stored.size + len(groups) * (2 + len(groups.columns))
