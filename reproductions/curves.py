"""Curves with what they are known to: a line per name, named at its end, in a band of 95 % confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from sidelight.attack.simulation import MeanEstimate
from sidelight.report.plots import BLUE, GREY, INK, VERMILION, Cell, Drawing, TableBehind, finish_chart

COLOURS = (BLUE, VERMILION, INK, "#009E73", "#CC79A7", "#A6761D", GREY)
"""Those of Okabe and Ito that are read on white; lines are named, so that colour is never the only difference."""

LABEL_GAP = 0.075
"""How far apart names stand, as a share of the height."""

Line = Sequence[tuple[float, MeanEstimate]]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis says and shows."""

    title: str
    log: bool = False
    format: str = ".6~g"
    values: tuple[float, ...] | None = None
    domain: tuple[float, float] | None = None

    def on(self, channel: Drawing, *, title: bool = True) -> Drawing:
        """Put it on a channel."""
        scale: dict[str, object] = {"type": "log" if self.log else "linear", "zero": False, "nice": False}
        if self.domain is not None:
            scale["domain"] = list(self.domain)
        shown: dict[str, object] = {"title": self.title if title else None, "format": self.format}
        if self.values is not None:
            shown["values"] = list(self.values)
        else:
            shown["tickCount"] = 5
        return channel.scale(alt.Scale(**scale)).axis(alt.Axis(**shown))


def estimates(rows: Sequence[tuple[float, float]]) -> list[tuple[float, MeanEstimate]]:
    """Average what stands at the same place."""
    places = sorted({place for place, _ in rows})
    return [(place, MeanEstimate.estimate([each for at, each in rows if at == place])) for place in places]


def give_or_take(estimate: MeanEstimate | None, digits: int = 3, *, percent: bool = False) -> str:
    """Write a mean and how far the true one may be from it.

    >>> give_or_take(MeanEstimate(0.0451, 0.0422, 0.048), 1, percent=True)
    '4.5 ± 0.3 %'
    """
    if estimate is None:
        return ""
    times, unit = (100, " %") if percent else (1, "")
    mean = f"{estimate.mean * times:,.{digits}f}"
    if estimate.high is None:
        return mean + unit
    return f"{mean} ± {(estimate.high - estimate.mean) * times:,.{digits}f}{unit}"


def panel(
    lines: Mapping[str, Line],
    *,
    x: Axis,
    y: Axis,
    title: str = "",
    colours: Mapping[str, str] | None = None,
    width: int = 400,
    height: int = 270,
    first: bool = True,
) -> Drawing:
    """Draw lines in their bands; only the first of several panels says what goes up."""
    shades = dict(zip(lines, COLOURS, strict=False)) if colours is None else colours
    heights = _label_heights({name: line[-1][1].mean for name, line in lines.items()}, lines, y)
    layers: list[Drawing] = []
    for name, line in lines.items():
        rows = [
            {
                "x": place,
                "y": each.mean,
                "low": each.mean if each.low is None else max(each.low, y.domain[0]) if y.domain else each.low,
                "high": each.mean if each.high is None else min(each.high, y.domain[1]) if y.domain else each.high,
            }
            for place, each in line
        ]
        base = alt.Chart(alt.Data(values=rows), width=width, height=height)
        across, up = x.on(alt.X("x:Q")), y.on(alt.Y("y:Q"), title=first)
        end = alt.Chart(alt.Data(values=[{"x": rows[-1]["x"], "y": heights[name], "text": name}]))
        colour = shades[name]
        layers += [
            base.mark_area(color=colour, opacity=0.15).encode(
                across, y.on(alt.Y("low:Q"), title=first), alt.Y2("high:Q")
            ),
            base.mark_line(color=colour, strokeWidth=2).encode(across, up),
            base.mark_point(color=colour, filled=True, opacity=1, size=32).encode(across, up),
            end.mark_text(align="left", dx=8, color=colour, fontSize=12).encode(
                x.on(alt.X("x:Q")), y.on(alt.Y("y:Q"), title=first), text="text:N"
            ),
        ]
    return alt.layer(*layers).properties(title=alt.TitleParams(title, fontSize=13, fontWeight="normal", anchor="start"))


def _label_heights(ends: Mapping[str, float], lines: Mapping[str, Line], y: Axis) -> dict[str, float]:
    """Put names where their lines end, and apart from each other."""
    over, back = (math.log, math.exp) if y.log else (float, float)
    every = [each.mean for line in lines.values() for _, each in line]
    low, high = (over(each) for each in (y.domain or (min(every), max(every))))
    gap = LABEL_GAP * (high - low)
    names = sorted(ends, key=lambda name: ends[name])
    heights = [over(max(ends[name], math.exp(low) if y.log else low)) for name in names]
    for at in range(1, len(heights)):
        heights[at] = max(heights[at], heights[at - 1] + gap)
    # what was pushed above the frame comes back down, and takes those below it along
    top = high
    for at in reversed(range(len(heights))):
        heights[at] = min(heights[at], top)
        top = heights[at] - gap
    return {name: back(height) for name, height in zip(names, heights, strict=True)}


def drawing(
    panels: Sequence[Drawing],
    *,
    title: str,
    subtitle: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    width: int | None = None,
) -> alt.TopLevelMixin:
    """Put panels beside each other, under a title that says the finding."""
    chart = panels[0] if len(panels) == 1 else alt.hconcat(*panels, spacing=34)
    table = TableBehind(tuple(columns), tuple(tuple(row) for row in rows))
    wide = width or (640 if len(panels) == 1 else 980)
    return finish_chart(chart, title=title, subtitle=subtitle, table=table, width=wide)
