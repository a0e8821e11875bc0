"""How much of several kinds of knowledge at once does a release withstand?

Cells of two amounts, coloured by the risk, side by side for a third (values ruled out × other people × family).  The
line is the staircase between the cells at which the limit is kept and those at which it is not, each decided in
fractions; the dots are maximal points of the knowledge skyline.  Amounts that are left out between two cells are not
drawn: cells stand for themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from sidelight._rounding import exact_text, in_words, round_up
from sidelight.errors import BadMeasure
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis, disclosure_curve
from sidelight.measures.exact import Amount
from sidelight.measures.measure import Bound
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.measures.privacy_skyline.skyline import KnowledgePoint, KnowledgeSkyline
from sidelight.report.charts.risk_curves import RiskLimit, about_value, amount_text, kind_of, risk_chart
from sidelight.report.plots import INK, MOST_POINTS, PAPER, VERMILION, Drawing, TableBehind, altair, finished

if TYPE_CHECKING:
    import altair as alt

MOST_PANELS = 4

MOST_CELLS = (MOST_PANELS, 10, 8)
"""How many amounts of each kind are drawn: values ruled out, other people, family."""

DIRECTIONS = ("rules_out", "others", "family")

FEWEST = 4
"""Up to here amounts are drawn even where the skyline has no steps."""

MOST_LABELS = 12

CELL = 26
"""Pixels."""

PANEL_WIDTH, PANEL_HEIGHT = 270, 220
"""Pixels, at most."""


def curve_chart(curve: DisclosureCurve, *, limit: Bound | None = None) -> alt.TopLevelMixin:
    """Draw a curve: a step line where one amount varies, cells where two or three do."""
    if sum(len(axis.amounts) > 1 for axis in curve.axes) > 1:
        return cells_chart(curve, limit=limit)
    return risk_chart([curve], limit=limit)


def skyline_chart(skyline: KnowledgeSkyline, *, own: KnowledgePoint | None = None) -> alt.TopLevelMixin:
    """Draw a knowledge skyline; `own` is the point that a policy asks for."""
    amounts = {
        name: sorted({*_chosen((point[at] for point in skyline), at), *([] if own is None else [int(own[at])])})
        for at, name in enumerate(DIRECTIONS)
    }
    curve = disclosure_curve(skyline.release, Acquaintance, amounts, value=skyline.value)
    return cells_chart(curve, limit=skyline.below, points=tuple(skyline), own=own)


def _chosen(amounts: Iterable[int | float], direction: int) -> list[int]:
    """Choose the amounts to draw: where the skyline has steps, and one beyond; thinned where those are many."""
    steps = {int(amount) for amount in amounts if amount != math.inf}
    most = MOST_CELLS[direction]
    if direction == 0:
        return _thinned(sorted({0, *steps}), most)
    around = sorted({0, *steps, *(amount + 1 for amount in steps)})
    every = list(range(max(around[-1], FEWEST) + 1))
    return every if len(every) <= most else _thinned(around, most)


def _thinned(amounts: list[int], most: int) -> list[int]:
    """Keep the first and the last, and some between them.

    >>> _thinned([0, 1, 2, 3, 4, 5, 9], 4)
    [0, 2, 4, 9]
    """
    if len(amounts) <= most:
        return amounts
    return [amounts[round(at * (len(amounts) - 1) / (most - 1))] for at in range(most)]


@dataclass(frozen=True, slots=True)
class _Cells:
    """A curve as panels of cells: its axes in the order panel, across, up."""

    curve: DisclosureCurve
    panel: KnowledgeAxis | None
    across: KnowledgeAxis
    up: KnowledgeAxis

    @classmethod
    def of(cls, curve: DisclosureCurve) -> _Cells:
        varied = [axis for axis in curve.axes if len(axis.amounts) > 1]
        if len(varied) > len(DIRECTIONS):
            message = "a chart shows three amounts at most; fix the others at one each"
            raise BadMeasure(message)
        if math.prod(len(axis.amounts) for axis in varied) > MOST_POINTS:
            message = f"a chart shows {MOST_POINTS:,} amounts at most; give fewer of each"
            raise BadMeasure(message)
        panel = varied[0] if len(varied) == len(DIRECTIONS) else None
        across, up = varied[-2:]
        return cls(curve, panel, across, up)

    @property
    def panels(self) -> tuple[int | None, ...]:
        return (None,) if self.panel is None else tuple(sorted(self.panel.amounts))

    def risk(self, panel: int | None, across: int, up: int) -> Amount:
        amounts = {self.across.name: across, self.up.name: up}
        if self.panel is not None and panel is not None:
            amounts[self.panel.name] = panel
        return self.curve.at(**amounts)

    def cells(self, panel: int | None) -> Iterator[tuple[int, int, Amount]]:
        for up in sorted(self.up.amounts):
            for across in sorted(self.across.amounts):
                yield across, up, self.risk(panel, across, up)


def cells_chart(
    curve: DisclosureCurve,
    *,
    limit: Bound | RiskLimit | None = None,
    points: Sequence[KnowledgePoint] = (),
    own: KnowledgePoint | None = None,
) -> alt.TopLevelMixin:
    """Draw the risk at every combination of two or three amounts."""
    grid = _Cells.of(curve)
    bound = RiskLimit(limit) if limit is not None and not isinstance(limit, RiskLimit) else limit
    library = altair()
    panels = [_panel(grid, panel, bound, points, own) for panel in grid.panels]
    columns = 2 if len(panels) > 1 else 1
    chart = library.concat(*panels, columns=columns, spacing=24) if len(panels) > 1 else panels[0]
    return finished(
        chart,
        title=_title(grid, bound, points),
        subtitle=_subtitle(bound, points),
        table=_table(grid, bound),
        width=columns * (_size(grid)[0] + 70) + 90,
    )


def _title(grid: _Cells, limit: RiskLimit | None, points: Sequence[KnowledgePoint]) -> str:
    about = about_value(grid.curve)
    if limit is None:
        return f"With all of it, somebody can be {in_words(max(grid.curve.risks))} sure {about}"
    least = min(grid.curve.risks)
    if not limit.holds(least):
        return f"Even somebody who knows nothing more can be {in_words(least)} sure {about}"
    most = _each_alone(grid, limit, points)
    listed = " or ".join(filter(None, (", ".join(most[:-1]), *most[-1:])))
    return f"With up to {listed}, each alone, nobody can be {limit.reached} sure {about}"


def _each_alone(grid: _Cells, limit: RiskLimit, points: Sequence[KnowledgePoint]) -> list[str]:
    """Say how much of each kind may be known by itself: what is withstood is closed downwards."""
    if points:
        largest = [max(point[at] for point in points) for at in range(len(DIRECTIONS))]
        order = (1, 2, 0)
        return [amount_text(kind_of("acquaintance", DIRECTIONS[at]), largest[at]) for at in order if largest[at]]
    kept = [amounts for amounts, risk in grid.curve.points() if limit.holds(risk)]
    names = [axis.name for axis in (grid.across, grid.up, *([] if grid.panel is None else [grid.panel]))]
    return [amount_text(kind_of(grid.curve.measure, name), max(each[name] for each in kept)) for name in names]


def _subtitle(limit: RiskLimit | None, points: Sequence[KnowledgePoint]) -> str:
    if limit is None:
        return "The best that somebody can do who knows so much, about the person who is worst off."
    dots = " Dots: the most that may be known at once." if points else ""
    return f"Left of the line and under it the risk stays {limit.in_words}, beyond it does not.{dots}"


def _table(grid: _Cells, limit: RiskLimit | None) -> TableBehind:
    axes = [*([] if grid.panel is None else [grid.panel]), grid.across, grid.up]
    names = tuple(kind_of(grid.curve.measure, axis.name)[1] for axis in axes)
    rows = []
    for panel in grid.panels:
        for across, up, risk in grid.cells(panel):
            kept = () if limit is None else ("yes" if limit.holds(risk) else "no",)
            first = () if panel is None else (panel,)
            rows.append((*first, across, up, exact_text(risk), round_up(risk), *kept))
    within = () if limit is None else (f"{limit.in_words}?",)
    return TableBehind((*names, "risk, exactly", "risk, rounded up", *within), tuple(rows))


def _size(grid: _Cells) -> tuple[int, int]:
    return (
        min(CELL * len(grid.across.amounts), PANEL_WIDTH),
        min(CELL * len(grid.up.amounts), PANEL_HEIGHT),
    )


def _panel(
    grid: _Cells,
    panel: int | None,
    limit: RiskLimit | None,
    points: Sequence[KnowledgePoint],
    own: KnowledgePoint | None,
) -> Drawing:
    library = altair()
    across, up = sorted(grid.across.amounts), sorted(grid.up.amounts)
    rows = list(_runs(grid, panel, across, up))
    width, height = _size(grid)
    x = _axis(library.X("x:Q"), grid.curve.measure, grid.across.name, across)
    y = _axis(library.Y("y:Q"), grid.curve.measure, grid.up.name, up)
    colour = library.Color("risk:Q").scale(scheme="cividis", domain=[0, 1])
    legend = library.Legend(
        title=["How sure", "somebody", "can be"], format=".0%", gradientLength=150, values=[0, 0.25, 0.5, 0.75, 1]
    )
    cells = (
        library.Chart(library.Data(values=rows), width=width, height=height)
        .mark_rect()
        .encode(
            x,
            y,
            x2="x2:Q",
            y2="y2:Q",
            color=colour.legend(legend),
        )
    )
    layers = [cells]
    if limit is not None:
        layers += [layer.encode(x, y) for layer in _staircase(grid, panel, limit, across, up)]
    here = [point for point in points if panel is None or point[0] == panel]
    layers += [layer.encode(x, y) for layer in _dots([_place(point, across, up) for point in here])]
    if own is not None and panel in (own[0], None):
        layers += [layer.encode(x, y) for layer in _own(_place(own, across, up))]
    name = "" if panel is None or grid.panel is None else _panel_name(grid, panel)
    return library.layer(*layers).properties(title=library.TitleParams(name, fontSize=13, fontWeight="normal"))


def _runs(grid: _Cells, panel: int | None, across: list[int], up: list[int]) -> Iterator[dict[str, float]]:
    """Give the cells of a panel; neighbours that nobody could tell apart by their colour are one."""
    for y, amount in enumerate(up):
        risks = [round_up(grid.risk(panel, each, amount)) for each in across]
        starts = [at for at in range(len(risks)) if at == 0 or round(risks[at], 2) != round(risks[at - 1], 2)]
        for start, end in pairwise([*starts, len(risks)]):
            yield {"x": start, "x2": end, "y": y, "y2": y + 1, "risk": round(risks[start], 2)}


def _panel_name(grid: _Cells, panel: int) -> str:
    assert grid.panel is not None
    one, several = kind_of(grid.curve.measure, grid.panel.name)
    return f"no {one}" if panel == 0 else f"{panel:,} {one if panel == 1 else several}"


def _axis(channel: Drawing, measure: str, name: str, amounts: list[int]) -> Drawing:
    """Label cells by their amounts; where those are close, some of them."""
    several = kind_of(measure, name)[1]
    step = math.ceil(len(amounts) / MOST_LABELS)
    labels = [f"{amount:,}" for amount in amounts]
    axis = altair().Axis(
        title=several,
        values=[at + 0.5 for at in range(0, len(amounts), step)],
        labelExpr=f"{labels}[floor(datum.value)]",
        labelOverlap=False,
        grid=False,
        ticks=False,
        domain=False,
    )
    return channel.scale(domain=[0, len(amounts)], nice=False).axis(axis)


def _staircase(grid: _Cells, panel: int | None, limit: RiskLimit, across: list[int], up: list[int]) -> list[Drawing]:
    """Draw the line between what keeps the limit and what does not; it only ever steps to the left."""
    kept = [sum(limit.holds(grid.risk(panel, x, y)) for x in across) for y in up]
    corners = [(kept[0], 0), *((amount, edge) for at, amount in enumerate(kept) for edge in (at, at + 1))]
    corners.append((0, next((at for at, amount in enumerate(kept) if amount == 0), len(kept))))
    inside = [corner for corner in corners if corner[0] > 0 or corner == corners[-1]]
    if not kept[0]:
        return []
    library = altair()
    rows = [{"x": x, "y": y, "order": order} for order, (x, y) in enumerate(dict.fromkeys(inside))]
    base = library.Chart(library.Data(values=rows)).encode(order="order:Q")
    return [base.mark_line(color=colour, strokeWidth=width) for colour, width in ((PAPER, 5), (INK, 2.5))]


def _place(point: KnowledgePoint, across: list[int], up: list[int]) -> tuple[float, float] | None:
    """Find the cell of a point; none where it is left out."""
    x, y = (amounts[-1] if amount == math.inf else amount for amount, amounts in ((point[1], across), (point[2], up)))
    return (across.index(int(x)) + 0.5, up.index(int(y)) + 0.5) if x in across and y in up else None


def _dots(places: list[tuple[float, float] | None]) -> list[Drawing]:
    library = altair()
    rows = [{"x": place[0], "y": place[1]} for place in places if place is not None]
    if not rows:
        return []
    base = library.Chart(library.Data(values=rows))
    return [base.mark_point(filled=True, opacity=1, color=INK, stroke=PAPER, strokeWidth=1.5, size=60)]


def _own(place: tuple[float, float] | None) -> list[Drawing]:
    """Mark the point that a policy asks for."""
    if place is None:
        return []
    library = altair()
    data = library.Data(values=[{"x": place[0], "y": place[1], "text": "the policy"}])
    base = library.Chart(data)
    return [
        base.mark_point(color=VERMILION, filled=True, shape="diamond", size=130, opacity=1, stroke=PAPER),
        *(
            base.mark_text(fontWeight="bold", align="left", dx=10, fontSize=12, **ink).encode(text="text:N")
            for ink in ({"color": PAPER, "stroke": PAPER, "strokeWidth": 4}, {"color": INK})
        ),
    ]
