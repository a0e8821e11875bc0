"""Charts of the risk at several kinds of knowledge at once.

Cells of two amounts, coloured by the risk, side by side for a third (values ruled out × other people × family).  The
line is the staircase between the cells at which the limit holds and those at which it does not, each decided in
fractions; the dots are maximal points of the knowledge skyline.  A cell stands for its own amounts alone: amounts
between two neighbours may be left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress, pairwise, product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis, disclosure_curve
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.report.charts.risk_curves import amount_text, describe_value, kind_of, read_risk_limit, risk_chart
from sidelight.report.plots import (
    INK,
    MOST_POINTS,
    PAPER,
    VERMILION,
    Drawing,
    LiveChart,
    TableBehind,
    altair,
    apply_look,
    finish_chart,
    specification,
)
from sidelight.rounding import exact_text, in_words, round_up
from sidelight.table.labels import Label, shown
from sidelight.text import join_words

if TYPE_CHECKING:
    import altair as alt

    from sidelight.documents.document import PolicyBound
    from sidelight.measures.criterion import Amount, Bound
    from sidelight.measures.privacy_skyline.skyline import KnowledgePoint, KnowledgeSkyline, RiskMap

# How many amounts of each kind are drawn: values ruled out, other people, family.
MOST_CELLS = (4, 10, 8)

DIRECTIONS = ("rules_out", "others", "family")


_Cell: TypeAlias = tuple[int | None, int, int]
"""Amounts of panel, across and up; no panel amount where there is only one panel."""


def curve_chart(curve: DisclosureCurve, *, limit: Bound | None = None) -> alt.TopLevelMixin:
    """Draw a curve: a step line where one amount varies, cells where two or three do."""
    if sum(len(axis.amounts) > 1 for axis in curve.axes) > 1:
        return cells_chart(curve, limit=limit)
    return risk_chart([curve], limit=limit)


def skyline_chart(skyline: KnowledgeSkyline, *, own: KnowledgePoint | None = None) -> alt.TopLevelMixin:
    """Draw a knowledge skyline; `own` is the point of a policy."""
    amounts = {
        name: sorted(
            {*_choose_amounts((point[axis] for point in skyline), axis), *([] if own is None else [int(own[axis])])}
        )
        for axis, name in enumerate(DIRECTIONS)
    }
    curve = disclosure_curve(skyline.release, Acquaintance, amounts, value=skyline.value)
    return cells_chart(curve, limit=skyline.below, points=tuple(skyline), own=own)


def _choose_amounts(amounts: Iterable[int | float], direction: int, fewest: int = 4) -> list[int]:
    """Choose the amounts to draw: where the skyline has steps, and one beyond; thinned where those are many.

    Up to `fewest` they are drawn even where there are no steps.
    """
    steps = {int(amount) for amount in amounts if amount != math.inf}
    most = MOST_CELLS[direction]
    if direction == 0:
        return _thin(sorted({0, *steps}), most)
    around = sorted({0, *steps, *(amount + 1 for amount in steps)})
    # all amounts while they fit; otherwise those around a step, as nothing changes in between
    every = list(range(max(around[-1], fewest) + 1))
    return every if len(every) <= most else _thin(around, most)


def _thin(amounts: list[int], most: int) -> list[int]:
    """Keep the first and the last, and some between them.

    >>> _thin([0, 1, 2, 3, 4, 5, 9], 4)
    [0, 2, 4, 9]
    """
    if len(amounts) <= most:
        return amounts
    return [amounts[round(step * (len(amounts) - 1) / (most - 1))] for step in range(most)]


@dataclass(frozen=True, slots=True)
class _Cells:
    """Axes in the order panel, across, up; at each combination the risk, and whether the limit holds.

    Invariant: amounts are sorted.
    """

    measure: str
    about: str  # what an attacker becomes confident of, in words
    panel: KnowledgeAxis | None
    across: KnowledgeAxis
    up: KnowledgeAxis
    risks: Mapping[_Cell, Amount]
    kept: frozenset[_Cell]

    @classmethod
    def from_curve(cls, curve: DisclosureCurve, limit: PolicyBound | None) -> _Cells:
        varied = [axis for axis in curve.axes if len(axis.amounts) > 1]
        if len(varied) > len(DIRECTIONS):
            raise BadMeasure("a chart shows three amounts at most; fix the others at one each")
        if math.prod(len(axis.amounts) for axis in varied) > MOST_POINTS:
            raise BadMeasure(f"a chart shows {MOST_POINTS:,} amounts at most; give fewer of each")
        sorted_axes = [KnowledgeAxis(axis.name, tuple(sorted(axis.amounts))) for axis in varied]
        panel = sorted_axes[0] if len(varied) == len(DIRECTIONS) else None
        across, up = sorted_axes[-2:]
        risks = {
            (None if panel is None else amounts[panel.name], amounts[across.name], amounts[up.name]): risk
            for amounts, risk in curve.points()
        }
        kept = frozenset(cell for cell, risk in risks.items() if limit is not None and limit.holds(risk))
        return cls(curve.measure, describe_value(curve), panel, across, up, risks, kept)

    @property
    def panels(self) -> tuple[int | None, ...]:
        return (None,) if self.panel is None else self.panel.amounts

    def cells(self, panel: int | None) -> Iterator[_Cell]:
        return ((panel, across, up) for up in self.up.amounts for across in self.across.amounts)

    @property
    def size(self) -> tuple[int, int]:
        """The number of cells of a panel: across, up."""
        return len(self.across.amounts), len(self.up.amounts)

    @property
    def titles(self) -> tuple[str, str]:
        """The titles of the two axes of a panel."""
        return kind_of(self.measure, self.across.name)[1], kind_of(self.measure, self.up.name)[1]

    def labels(self) -> tuple[list[str], list[str]]:
        """Return the labels of a panel's columns and rows."""
        return [f"{amount:,}" for amount in self.across.amounts], [f"{amount:,}" for amount in self.up.amounts]

    def panel_title(self, panel: int | None) -> str:
        """Name a panel."""
        if self.panel is None or panel is None:
            return ""
        one, several = kind_of(self.measure, self.panel.name)
        return f"no {one}" if panel == 0 else f"{panel:,} {one if panel == 1 else several}"


def cells_chart(
    curve: DisclosureCurve,
    *,
    limit: Bound | PolicyBound | None = None,
    points: Sequence[KnowledgePoint] = (),
    own: KnowledgePoint | None = None,
) -> alt.TopLevelMixin:
    """Draw the risk at every combination of two or three amounts."""
    bound = read_risk_limit(limit)
    grid = _Cells.from_curve(curve, bound)
    library, labels = altair(), tuple(map(str, grid.labels()))
    panels = []
    for panel in grid.panels:
        data = {name: library.Data(values=rows) for name, rows in _marks(grid, panel, points, own).items() if rows}
        panels.append(_cells_panel(data, grid.panel_title(panel), axes=grid.titles, labels=labels, cells=grid.size))
    return finish_chart(
        library.concat(*panels, columns=2, spacing=24) if len(panels) > 1 else panels[0],
        title=_title(grid, bound, points),
        subtitle=_subtitle(bound, points),
        table=_table(grid, bound),
        width=min(len(panels), 2) * (min(26 * grid.size[0], 270) + 70) + 90,
    )


def _title(grid: _Cells, limit: PolicyBound | None, points: Sequence[KnowledgePoint]) -> str:
    about = grid.about
    if limit is None:
        return f"With all of it, somebody can be {in_words(max(grid.risks.values()))} sure {about}"
    least = min(grid.risks.values())
    if not limit.holds(least):
        return f"Even somebody who knows nothing more can be {in_words(least)} sure {about}"
    return f"Each alone, up to {join_words(_each_alone(grid, points), 'or')} make nobody {limit.negation} sure {about}"


def _each_alone(grid: _Cells, points: Sequence[KnowledgePoint]) -> list[str]:
    """Return how much of each kind may be known by itself; what keeps the limit is closed downwards."""
    if points:
        largest = [max(amounts) for amounts in zip(*points, strict=True)]
        # across, up, panel: the order in which the picture is read
        order = (1, 2, 0)
        return [
            amount_text(kind_of("acquaintance", DIRECTIONS[axis]), largest[axis]) for axis in order if largest[axis]
        ]
    kept = [(across, up, panel) for panel, across, up in grid.kept]
    axes = (grid.across, grid.up, *([] if grid.panel is None else [grid.panel]))
    return [
        amount_text(kind_of(grid.measure, axis.name), max(amounts[index] or 0 for amounts in kept))
        for index, axis in enumerate(axes)
    ]


def _subtitle(limit: PolicyBound | None, points: Sequence[KnowledgePoint]) -> str:
    if limit is None:
        return "The best that somebody can do who knows so much, about the person who is worst off."
    dots = " Dots: the most that may be known at once." if points else ""
    return f"Left of the line and under it the risk stays {limit.in_words}, beyond it does not.{dots}"


def _table(grid: _Cells, limit: PolicyBound | None) -> TableBehind:
    axes = [*([] if grid.panel is None else [grid.panel]), grid.across, grid.up]
    names = tuple(kind_of(grid.measure, axis.name)[1] for axis in axes)
    rows = []
    for cell in (cell for panel in grid.panels for cell in grid.cells(panel)):
        kept = () if limit is None else ("yes" if cell in grid.kept else "no",)
        risk = grid.risks[cell]
        rows.append((*(amount for amount in cell if amount is not None), exact_text(risk), round_up(risk), *kept))
    within = () if limit is None else (f"{limit.in_words}?",)
    return TableBehind((*names, "risk, exactly", "risk, rounded up", *within), tuple(rows))


# Ink.


# What a panel is made of, each from data of its own.
LAYERS = ("cells", "line", "dots", "own")


def _marks(
    grid: _Cells, panel: int | None, points: Sequence[KnowledgePoint], own: KnowledgePoint | None
) -> dict[str, list[dict[str, Any]]]:
    here = [point for point in points if panel is None or point[0] == panel]
    chosen = [own] if own is not None and panel in (own[0], None) else []
    return {
        "cells": list(_runs(grid, panel)),
        "line": _staircase(grid, panel),
        "dots": [position for point in here for position in _find_cell(point, grid)],
        "own": [position for point in chosen for position in _find_cell(point, grid)],
    }


def _cells_panel(
    data: Mapping[str, Drawing],
    title: object,
    *,
    axes: tuple[str, str],
    labels: Sequence[str],
    cells: tuple[int, int],
    own: str = "the policy",
) -> Drawing:
    """Draw the marks of a panel: `labels` are expressions for lists, `own` is the name of the marked point."""
    library = altair()
    x = _axis(library.X("x:Q"), axes[0], labels[0], cells[0])
    y = _axis(library.Y("y:Q"), axes[1], labels[1], cells[1])
    layers = [layer.encode(x, y) for name in LAYERS if name in data for layer in _layers(name, data[name], own)]
    words = library.TitleParams(title, fontSize=13, fontWeight="normal")
    return library.layer(*layers).properties(title=words, width=min(26 * cells[0], 270), height=min(26 * cells[1], 220))


def _runs(grid: _Cells, panel: int | None) -> Iterator[dict[str, float]]:
    """Yield the cells of a panel; neighbours of one colour are merged."""
    for y, amount in enumerate(grid.up.amounts):
        risks = [round_up(grid.risks[panel, each, amount]) for each in grid.across.amounts]
        # two places are as much as colours show: fewer rectangles, and the same picture
        starts = [x for x in range(len(risks)) if x == 0 or round(risks[x], 2) != round(risks[x - 1], 2)]
        for start, end in pairwise([*starts, len(risks)]):
            yield {"x": start, "x2": end, "y": y, "y2": y + 1, "risk": round(risks[start], 2)}


def _axis(channel: Drawing, title: str, labels: str, cells: int) -> Drawing:
    """Label cells by their amounts; where those are close, a dozen of them."""
    step = math.ceil(cells / 12)
    axis = altair().Axis(
        title=title,
        values=[cell + 0.5 for cell in range(0, cells, step)],
        labelExpr=f"{labels}[floor(datum.value)]",
        labelOverlap=False,
        grid=False,
        ticks=False,
        domain=False,
    )
    return channel.scale(domain=[0, cells], nice=False).axis(axis)


def _staircase(grid: _Cells, panel: int | None) -> list[dict[str, Any]]:
    """Return the line between cells that keep the limit and cells that exceed it; it only ever steps to the left."""
    # kept cells are closed downwards, so that the number of kept cells of a row is the position of the line
    kept = [sum((panel, x, y) in grid.kept for x in grid.across.amounts) for y in grid.up.amounts]
    if not kept[0]:
        return []
    corners = [(kept[0], 0), *((amount, edge) for row, amount in enumerate(kept) for edge in (row, row + 1))]
    corners.append((0, next((row for row, amount in enumerate(kept) if amount == 0), len(kept))))
    inside = [corner for corner in corners if corner[0] > 0 or corner == corners[-1]]
    return [{"x": x, "y": y, "order": order} for order, (x, y) in enumerate(dict.fromkeys(inside))]


def _find_cell(point: KnowledgePoint, grid: _Cells) -> Iterator[dict[str, float]]:
    """Yield the middle of a point's cell; nothing where it is not drawn."""
    across, up = grid.across.amounts, grid.up.amounts
    # an infinite amount is drawn at the last one
    x, y = (amounts[-1] if amount == math.inf else amount for amount, amounts in ((point[1], across), (point[2], up)))
    if x in across and y in up:
        yield {"x": across.index(int(x)) + 0.5, "y": up.index(int(y)) + 0.5}


def _layers(name: str, data: Drawing, own: str) -> list[Drawing]:
    """Draw one kind of marks; `own` is the name of the marked point."""
    library = altair()
    base = library.Chart(data)
    if name == "cells":
        legend = library.Legend(
            title=["How sure", "somebody", "can be"], format=".0%", gradientLength=150, values=[0, 0.25, 0.5, 0.75, 1]
        )
        colour = library.Color("risk:Q").scale(scheme="cividis", domain=[0, 1])
        return [base.mark_rect().encode(x2="x2:Q", y2="y2:Q", color=colour.legend(legend))]
    if name == "line":
        base = base.encode(order="order:Q")
        # a wider line of paper below it, as the scale has dark cells and light ones
        return [base.mark_line(color=colour, strokeWidth=width) for colour, width in ((PAPER, 5), (INK, 2.5))]
    if name == "dots":
        return [base.mark_point(filled=True, opacity=1, color=INK, stroke=PAPER, strokeWidth=1.5, size=60)]
    halo, ink = {"color": PAPER, "stroke": PAPER, "strokeWidth": 4}, {"color": INK}
    words = {"text": own, "fontWeight": "bold", "align": "left", "dx": 10, "fontSize": 12}
    return [
        base.mark_point(color=VERMILION, filled=True, shape="diamond", size=130, opacity=1, stroke=PAPER),
        base.mark_text(**words, **halo),
        base.mark_text(**words, **ink),
    ]


# Live: the ink is made once per number of cells, the numbers each time they change.


@dataclass(frozen=True, eq=False, slots=True)
class LiveSkyline:
    """The skyline of one value, to be drawn again at once as a point is chosen: all else is computed once.

    The same picture as `skyline_chart`, with risks rounded up and limits decided exactly.  The number of cells is the
    same for every point: a chosen amount replaces its neighbour.
    """

    risk_map: RiskMap
    value: Label
    below: Bound
    amounts: tuple[list[int], ...]
    alone: KnowledgePoint  # the most of each kind that may be known by itself

    @classmethod
    def build(cls, risk_map: RiskMap, value: Label, below: Bound) -> LiveSkyline:
        """Choose the amounts to draw."""
        alone: KnowledgePoint = risk_map.most_alone(below)
        amounts = _live_amounts(risk_map, below, risk_map.most_alone(below))
        endless = not risk_map.anybody
        return cls(risk_map, value, below, amounts, (alone[0], math.inf, math.inf) if endless else alone)

    def draw(self, own: tuple[int, int, int]) -> LiveChart:
        """Draw it with a chosen point."""
        limit = read_risk_limit(self.below)
        grid, maximal = self._cells([insert_own(each, one) for each, one in zip(self.amounts, own, strict=True)])
        marks = [_marks(grid, panel, maximal, own) for panel in grid.panels]
        across, up = grid.labels()
        return LiveChart(
            structure=_live_structure(grid.titles, grid.size, len(marks)),
            datasets={f"{name}_{index}": rows for index, each in enumerate(marks) for name, rows in each.items()},
            words={
                "across_labels": across,
                "up_labels": up,
                **{f"panel_{index}": grid.panel_title(panel) for index, panel in enumerate(grid.panels)},
            },
            title=_title(grid, limit, (self.alone,)),
            subtitle=_subtitle(limit, maximal),
            table=_table(grid, limit),
        )

    def _cells(self, amounts: list[list[int]]) -> tuple[_Cells, list[KnowledgePoint]]:
        """Return all cells, and those that are maximal."""
        # (cells, 3), the last amount varying fastest: the risk map answers for all cells at once
        points = np.array(list(product(*amounts)))
        cells = [(panel, across, up) for panel, across, up in points.tolist()]
        kept, maximal = self.risk_map.resists(points, self.below), self.risk_map.maximal(points, self.below)
        panel, across, up = (KnowledgeAxis(name, tuple(each)) for name, each in zip(DIRECTIONS, amounts, strict=True))
        grid = _Cells(
            Acquaintance.name,
            f"that a person has {shown(self.value)}",
            panel,
            across,
            up,
            dict(zip(cells, self.risk_map.risks(points).tolist(), strict=True)),
            frozenset(compress(cells, kept.tolist())),
        )
        return grid, list(compress(cells, maximal.tolist()))


@cache
def _live_structure(axes: tuple[str, str], cells: tuple[int, int], panels: int) -> dict[str, Any]:
    """Make the ink of one panel; the others differ by the names of their data."""
    library = altair()
    data = {name: library.NamedData(f"{name}_0") for name in LAYERS}
    labels = ("across_labels", "up_labels")
    first = _cells_panel(data, library.ExprRef("panel_0"), axes=axes, labels=labels, cells=cells, own="chosen")
    one = specification(apply_look(first))
    around = {name: one.pop(name) for name in ("$schema", "config")}
    # panels differ by the number at the end of names alone, so the text of the first serves all
    written = json.dumps(one)
    drawn = [json.loads(written.replace('_0"', f'_{panel}"')) for panel in range(panels)]
    return {**around, "concat": drawn, "columns": 2, "spacing": 24}


def _live_amounts(risk_map: RiskMap, below: Bound, alone: tuple[int, int, int]) -> tuple[list[int], ...]:
    """Choose the amounts to draw as `_choose_amounts` does, by the steps at the chosen panels and families."""
    panels = _thin(list(range(max(alone[0], 0) + 1)), MOST_CELLS[0])
    families = _thin(list(range(max(alone[2] + 1, 4) + 1)), MOST_CELLS[2])
    corners = np.array(list(product(panels, families)))
    most = risk_map.most_others(corners[:, 0], corners[:, 1], below)
    return panels, _choose_amounts((amount for amount in most.tolist() if amount >= 0), 1), families


def insert_own(amounts: list[int], own: int) -> list[int]:
    """Return the amounts with the chosen one in place of its neighbour, but never of the first, which is 0.

    >>> insert_own([0, 2, 5, 9], 6), insert_own([0, 2, 5, 9], 30), insert_own([0], 2)
    ([0, 2, 6, 9], [0, 2, 5, 30], [0, 2])
    """
    if own in amounts:
        return amounts
    if len(amounts) == 1:
        return [*amounts, own]
    nearest = min(amounts[1:], key=lambda amount: abs(amount - own))
    return sorted({own if amount == nearest else amount for amount in amounts})
