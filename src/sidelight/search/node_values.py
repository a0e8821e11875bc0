"""What do measures say of many generalisations?  The exact value of each at each node.

Nodes differ in how they put the same people together.  A measure that is as bad as its worst group looks at the groups
of many small nodes side by side, as parts of one set of groups (`worst_of_parts`): floats for all of them in one pass,
and exactly, once for all nodes, the kinds of groups near the worst of theirs.  Measures of groups together, and nodes
in which people are suppressed, are measured one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sidelight.measures.exact import Amount
from sidelight.measures.findings import findings
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.measures.measure import Measure
from sidelight.release.generalise import Lattice, Node
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.search.suppression import SuppressedNode
from sidelight.table.counts import Counts
from sidelight.table.table import Table

COUNTS_IN_A_BATCH = 1 << 15
"""Small generalisations are measured together, up to about this many counts: few enough for a processor's cache."""


@dataclass(frozen=True, eq=False, slots=True)
class PrintedNode:
    """A node as it would be printed: its groups, and which of them are suppressed."""

    node: Node
    groups: Groups
    chosen: SuppressedNode | None = None

    @property
    def suppressed(self) -> int:
        """How many people are suppressed."""
        return 0 if self.chosen is None else self.chosen.people

    def release(self, table: Table) -> Release:
        """Make the release."""
        return Release(self.groups, sensitive=table.sensitive, intake=table.intake)


def group_in_batches(
    lattice: Lattice, nodes: Iterable[Node], suppressed: Mapping[Node, SuppressedNode]
) -> Iterator[list[PrintedNode]]:
    """Group node after node, and hand over many small ones, or a large one, at a time."""
    batch: list[PrintedNode] = []
    counts = 0
    for node in nodes:
        chosen = suppressed.get(node)
        groups = lattice.groups_at(node) if chosen is None else chosen.release(lattice).groups
        batch.append(PrintedNode(node, groups, chosen))
        counts += len(groups) * len(groups.domain)
        if counts >= COUNTS_IN_A_BATCH:
            yield batch
            batch, counts = [], 0
    if batch:
        yield batch


class BatchValues(NamedTuple):
    """For each node of a batch the values of all measures, and what to know about them."""

    values: list[tuple[Amount, ...]]
    notes: list[str]


def values_of(batch: list[PrintedNode], measures: Sequence[Measure], table: Table) -> BatchValues:
    """Measure all nodes of a batch."""
    columns: dict[int, list[Amount]] = {}
    notes: list[str] = []
    if not any(each.chosen for each in batch):
        for at, (values, known) in _measure_single_groups([each.groups for each in batch], measures):
            columns[at] = values
            notes += known
    others = [at for at in range(len(measures)) if at not in columns]
    each_by_itself = (
        [findings([measures[at] for at in others], each.release(table)) for each in batch] if others else []
    )
    for place, at in enumerate(others):
        columns[at] = [each[place].value for each in each_by_itself]
        notes += [note for each in each_by_itself for note in each[place].notes]
    return BatchValues([tuple(columns[at][place] for at in range(len(measures))) for place in range(len(batch))], notes)


def _measure_single_groups(
    nodes: list[Groups], measures: Sequence[Measure]
) -> Iterator[tuple[int, tuple[list[Amount], Sequence[str]]]]:
    """Yield values and notes of those measures that look at one group at a time, by their places; class by class."""
    by_class: dict[type[GroupByGroup], dict[int, GroupByGroup]] = {}
    for at, measure in enumerate(measures):
        if isinstance(measure, GroupByGroup) and measure.counts_decide:
            by_class.setdefault(type(measure), {})[at] = measure
    for kind, alike in by_class.items():
        yield from zip(alike, _side_by_side(nodes, kind, [*alike.values()]), strict=True)


def _side_by_side(
    nodes: list[Groups], kind: type[GroupByGroup], measures: Sequence[GroupByGroup]
) -> Iterator[tuple[list[Amount], Sequence[str]]]:
    """Give, for each measure of one class, the worst group of each node, as parts of one set of groups."""
    worse = max if kind.large_is_bad else min
    worst_known: list[dict[int, Amount]] = [{} for _ in measures]
    for lot in _lots(nodes):
        blocks = [block for _, block in lot]
        starts = np.cumsum([0, *(len(block) for block in blocks[:-1])])
        for known, worst in zip(worst_known, kind.worst_of_parts(measures, _stack(blocks), starts), strict=True):
            for (place, _), value in zip(lot, worst, strict=True):
                if value is not None:  # a large node comes in several blocks
                    known[place] = worse(known[place], value) if place in known else value
    for measure, known in zip(measures, worst_known, strict=True):
        silent = next((groups for place, groups in enumerate(nodes) if place not in known), None)
        notes = measure.notes(nodes[0]) if silent is None else measure.summarize(silent).finding().notes
        yield [known.get(place, kind.if_nothing_to_measure) for place in range(len(nodes))], notes


def _lots(nodes: list[Groups]) -> Iterator[list[tuple[int, Groups]]]:
    """Take blocks of nodes, each with the place of its node, until there are enough counts to look at together."""
    lot: list[tuple[int, Groups]] = []
    counts = 0
    for place, groups in enumerate(nodes):
        for block in groups.blocks():
            if len(block):
                lot.append((place, block))
                counts += len(block) * len(block.domain)
            if counts >= COUNTS_IN_A_BATCH:
                yield lot
                lot, counts = [], 0
    if lot:
        yield lot


def _stack(blocks: list[Groups]) -> Groups:
    """Put groups of the same people side by side, as if they were those of one release."""
    cells = np.concatenate([groups.counts.dense() for groups in blocks])
    sizes = np.concatenate([groups.sizes for groups in blocks])
    numbers = np.arange(1, len(sizes) + 1)
    return replace(
        replace(blocks[0], populations=(), weights=None),
        sizes=sizes,
        counts=Counts(cells.shape, cells=cells),
        columns=(),
        numbers=numbers,
    )
