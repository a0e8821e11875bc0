"""Which levels of generalisation are within policy?  A dot per node, the finest below, up to some hundreds of them.

A node stands in the row of its levels' sum, so that each row is one step coarser than the one below.  What is coarser
than a minimal node keeps every limit that merging groups cannot break; where the policy has others, or the search was
stopped, the chart says "coarser than a minimal one" and no more.  Larger lattices are drawn as a density: how many
nodes of each row there are, how many of them are coarser, and where the minimal ones (the frontier) lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.report.plots import (
    BLUE,
    GREY,
    INK,
    PALE,
    PAPER,
    VERMILION,
    Cell,
    Drawing,
    TableBehind,
    altair,
    finish_chart,
)
from sidelight.search.policy_check import holds_upwards
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

    from sidelight.arrays import Flags, Integers
    from sidelight.search.method import SearchResult

MOST_DOTS = 500
"""Up to so many nodes have a dot each."""

WIDTH = 560

STATES = ("not within policy", "within policy", "minimal", "chosen")


@dataclass(frozen=True, slots=True)
class SearchedLattice:
    """The nodes of a lattice: how many levels each column has, the minimal nodes and the one that was chosen."""

    heights: Mapping[str, int]
    minimal: tuple[tuple[int, ...], ...]
    chosen: tuple[int, ...]
    proven: bool = True  # whether what is not coarser than a minimal node is known to be outside, and the others inside

    @classmethod
    def from_result(cls, found: SearchResult) -> SearchedLattice:
        """Build the lattice of a search over levels."""
        if not found.levels:
            message = f"method '{found.method.name}' searches no levels; draw its groups: plot('sizes')"
            raise BadMeasure(message)
        columns = found.outcome.recoding.table.quasi
        heights = {column.name: found.hierarchies[column.name].height for column in columns}
        nodes = tuple(tuple(int(levels[name]) for name in heights) for levels in found.minimal)
        semantics = found.release.semantics
        suppresses = bool(found.method.suppress)
        upwards = all(holds_upwards(criterion, semantics) for criterion in found.policy.criteria)
        return cls(
            heights,
            nodes,
            tuple(int(found.levels[name]) for name in heights),
            # with suppression, or limits that merging may break, being coarser than a minimal node proves nothing
            proven=found.complete and upwards and not suppresses and bool(nodes),
        )

    def __len__(self) -> int:
        return prod(self.heights.values())

    @property
    def coarser(self) -> Flags:
        """Which nodes are a minimal one, or coarser; an axis per column."""
        coarser = np.zeros(tuple(self.heights.values()), bool)
        for node in self.minimal or (self.chosen,):
            # all that is at least as coarse in every column: one slice per axis
            coarser[tuple(slice(level, None) for level in node)] = True
        return coarser

    @property
    def row(self) -> Integers:
        """The row of each node: the sum of its levels."""
        # one open axis per column; their sum broadcasts to an array with the shape of the lattice
        rows: Integers = np.indices(tuple(self.heights.values()), sparse=True)  # type: ignore[assignment]
        total: Integers = sum(rows, np.zeros((), np.int64))
        return total

    def state(self, node: tuple[int, ...], *, coarser: bool) -> str:
        """Return what a node is."""
        if node == self.chosen:
            return STATES[3]
        return STATES[2] if node in self.minimal else STATES[1] if coarser else STATES[0]

    def name_levels(self, node: Sequence[int]) -> str:
        """Name the levels of a node: age 2, sex 0."""
        return ", ".join(f"{name} {level}" for name, level in zip(self.heights, node, strict=True))


def lattice_chart(searched: SearchedLattice) -> alt.TopLevelMixin:
    """Draw a lattice; large ones as a density."""
    coarser = searched.coarser
    within = int(coarser.sum())
    what = "are within policy" if searched.proven else "are minimal or coarser"
    title = (
        f"{within:,} of {counted(len(searched), 'generalisation')} {what}, {len(searched.minimal):,} of them minimal"
    )
    if not searched.minimal:
        title = f"The levels {searched.name_levels(searched.chosen)}, of {counted(len(searched), 'generalisation')}"
    small = len(searched) <= MOST_DOTS
    chart = _dots(searched, coarser) if small else _density(searched, coarser)
    return finish_chart(
        chart,
        title=title,
        subtitle=f"Chosen: {searched.name_levels(searched.chosen)}. {_legend(searched, small=small)}",
        table=_nodes_table(searched, coarser) if small else _rows_table(searched, coarser),
        width=WIDTH + 90,
    )


def _legend(searched: SearchedLattice, *, small: bool) -> str:
    if not small:
        inside = "within policy" if searched.proven else "minimal or coarser"
        return f"Each bar: the nodes of a row, those {inside} in blue; numbers: minimal ones."
    outside, inside = ("not within policy", "within") if searched.proven else ("others", "coarser than a minimal one")
    return f"○ {outside}, ● {inside}, ◆ minimal."


def _table_rows(searched: SearchedLattice) -> list[tuple[int, ...]]:
    return list(product(*(range(height) for height in searched.heights.values())))


def _nodes_table(searched: SearchedLattice, coarser: Flags) -> TableBehind:
    rows: list[tuple[Cell, ...]] = [
        (*node, searched.state(node, coarser=bool(coarser[node]))) for node in _table_rows(searched)
    ]
    return TableBehind((*(f"level of {name}" for name in searched.heights), "what it is"), tuple(rows))


def _count_by_row(searched: SearchedLattice, coarser: Flags) -> list[tuple[int, int, int, int]]:
    """Count nodes by row: all, those that are coarser, and minimal ones."""
    # flattened in the same order as `coarser` below
    row = searched.row.reshape(-1)
    everything = np.bincount(row)
    inside = np.bincount(row, weights=coarser.reshape(-1)).astype(np.int64)
    minimal = np.bincount([sum(node) for node in searched.minimal] or [0], minlength=len(everything))
    minimal = minimal if searched.minimal else np.zeros_like(everything)
    return [tuple(map(int, each)) for each in zip(range(len(everything)), everything, inside, minimal, strict=True)]  # type: ignore[misc]


def _rows_table(searched: SearchedLattice, coarser: Flags) -> TableBehind:
    names = ("sum of levels", "generalisations", "minimal or coarser", "minimal")
    return TableBehind(names, tuple(_count_by_row(searched, coarser)))


def _dots(searched: SearchedLattice, coarser: Flags) -> Drawing:
    library = altair()
    rows: dict[int, list[tuple[int, ...]]] = {}
    for node in sorted(_table_rows(searched), reverse=True):
        rows.setdefault(sum(node), []).append(node)
    widest = max(map(len, rows.values()))
    data = [
        {
            "x": (at - (len(nodes) - 1) / 2) / max(widest - 1, 1),
            "y": row,
            "state": searched.state(node, coarser=bool(coarser[node])),
            "levels": searched.name_levels(node),
        }
        for row, nodes in rows.items()
        for at, node in enumerate(nodes)
    ]
    x = library.X("x:Q").scale(domain=[-0.53, 0.53], nice=False).axis(None)
    y = _rows_axis(library.Y("y:Q"), len(rows))
    # dots shrink as they become many, so that neighbours stay apart
    area = min(110, 26_000 // max(widest * len(rows), 1) + 18)
    layers = []
    styles: tuple[dict[str, object], ...] = (
        {"fill": PAPER, "stroke": GREY, "strokeWidth": 1, "size": area * 0.7},
        {"fill": BLUE, "size": area},
        {"fill": INK, "shape": "diamond", "size": area * 1.7},
        {"fill": VERMILION, "size": area * 2.2, "stroke": PAPER},
    )
    for state, style in zip(STATES, styles, strict=True):
        chosen = [row for row in data if row["state"] == state]
        if chosen:
            base = library.Chart(library.Data(values=chosen), width=WIDTH, height=max(160, 26 * len(rows)))
            layers.append(
                base.mark_point(filled=True, opacity=1, **style).encode(x, y, tooltip=["levels:N", "state:N"])
            )
    return library.layer(*layers, *_chosen_label(data))


def _chosen_label(data: Sequence[Mapping[str, object]]) -> list[Drawing]:
    library = altair()
    row = next(row for row in data if row["state"] == STATES[3])
    base = library.Chart(library.Data(values=[{**row, "text": "chosen"}])).encode(x="x:Q", y="y:Q", text="text:N")
    style = {"align": "center", "dy": 15, "fontWeight": "bold", "fontSize": 12}
    return [
        # a halo in the colour of the paper keeps the word legible over dots
        base.mark_text(color=PAPER, stroke=PAPER, strokeWidth=4, **style),
        base.mark_text(color=VERMILION, **style),
    ]


def _rows_axis(channel: Drawing, rows: int) -> Drawing:
    axis = altair().Axis(
        title="sum of levels (0: as it is)", tickMinStep=1, format="d", grid=False, tickCount=min(rows, 12)
    )
    return channel.scale(domain=[-0.5, rows - 0.5], nice=False).axis(axis)


def _density(searched: SearchedLattice, coarser: Flags) -> Drawing:
    library = altair()
    by_row = _count_by_row(searched, coarser)
    widest = max(everything for _, everything, _, _ in by_row)
    data = [
        {
            "y": row,
            "low": row - 0.42,
            "high": row + 0.42,
            "left": -everything / 2,
            "right": everything / 2,
            "inside": -everything / 2 + inside,
            "text": f"{minimal:,} minimal" if minimal else "",
        }
        for row, everything, inside, minimal in by_row
    ]
    height = max(180, 20 * len(by_row))
    base = library.Chart(library.Data(values=data), width=WIDTH, height=height)
    x = library.X("left:Q").scale(domain=[-widest * 0.52, widest * 0.72], nice=False).axis(None)
    y = _rows_axis(library.Y("low:Q"), len(by_row))
    chosen = sum(searched.chosen)
    own = next(row for row in data if row["y"] == chosen)
    mark = library.Chart(library.Data(values=[{"x": own["left"], "y": chosen, "text": "chosen"}]))
    return library.layer(
        base.mark_rect(color=PALE).encode(x, y, x2="right:Q", y2="high:Q"),
        base.mark_rect(color=BLUE).encode(x, y, x2="inside:Q", y2="high:Q"),
        base.mark_text(align="left", dx=6, color=INK, fontSize=11).encode(x="right:Q", y="y:Q", text="text:N"),
        mark.mark_point(color=VERMILION, filled=True, size=90, opacity=1).encode(x="x:Q", y="y:Q"),
        mark.mark_text(align="right", dx=-9, color=VERMILION, fontWeight="bold", fontSize=12).encode(
            x="x:Q", y="y:Q", text="text:N"
        ),
    )
