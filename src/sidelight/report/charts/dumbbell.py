"""What changed, value by value?  A dumbbell per value, from before to after; whatever moved most stands on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.report.plots import BLUE, GREY, INK, PAPER, VERMILION, TableBehind, altair, finish_chart, share_axis
from sidelight.rounding import exact_text, round_up
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

MOST_ROWS = 20
"""So many values have a line of their own: those that moved most."""


@dataclass(frozen=True, slots=True)
class Change:
    """A probability before and after."""

    name: str
    before: Fraction | float
    after: Fraction | float

    @property
    def moved(self) -> float:
        """How far."""
        return abs(float(self.after - self.before))


def dumbbell_chart(
    changes: Sequence[Change],
    *,
    title: str,
    subtitle: str,
    ends: tuple[str, str],
    axis: str,
    top: str | None = None,
) -> alt.TopLevelMixin:
    """Draw changes; `ends` name the two dots, `top` the value that the title speaks of."""
    library = altair()
    # the value of the title first; names decide ties, so that the same data gives the same picture
    ordered = sorted(changes, key=lambda each: (each.name != top, -each.moved, each.name))
    possible = [each for each in ordered if each.before or each.after]
    drawn = possible[:MOST_ROWS]
    nobody, less = len(ordered) - len(possible), len(possible) - len(drawn)
    notes = [
        f"{counted(less, 'value')} that moved less: in the table alone." if less else "",
        f"Not drawn, as they are ruled out both times: {counted(nobody, 'value')}." if nobody else "",
    ]
    more = " ".join(["", *filter(None, notes)])
    rows = [
        {"name": each.name, "before": round_up(each.before), "after": round_up(each.after), "top": each.name == top}
        for each in drawn
    ]
    base = library.Chart(library.Data(values=rows), width=420, height=22 * len(rows))
    y = library.Y("name:N").sort([each.name for each in drawn]).axis(title=None, grid=False, labelLimit=220)
    before = share_axis(library.X("before:Q"), axis)
    colour = library.condition("datum.top", library.value(VERMILION), library.value(BLUE))
    chart = library.layer(
        base.mark_rule(strokeWidth=2).encode(y, before, x2="after:Q", color=colour),
        base.mark_point(filled=True, fill=PAPER, stroke=GREY, strokeWidth=2, size=60, opacity=1).encode(y, before),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            y, share_axis(library.X("after:Q"), axis), color=colour
        ),
        *_ends(drawn[0], ends),
    )
    return finish_chart(
        chart,
        title=title,
        subtitle=f"{subtitle}{more}",
        table=TableBehind(
            ("value", f"{ends[0]}, exactly", ends[0], f"{ends[1]}, exactly", ends[1]),
            tuple(
                (each.name, _exactly(each.before), round_up(each.before), _exactly(each.after), round_up(each.after))
                for each in ordered
            ),
        ),
        width=640,
    )


def _exactly(probability: Fraction | float) -> str:
    return exact_text(probability) if isinstance(probability, Fraction) else f"{probability:.6g}"


def _ends(first: Change, ends: tuple[str, str]) -> list[object]:
    """Name the two dots of the first line, above it, where they stand apart or side by side."""
    library = altair()
    low_first = first.before <= first.after
    # closer than this the two words would overlap: they are set outwards
    close = first.moved < 0.3
    texts = [
        (float(first.before), f"○ {ends[0]}", GREY, "right" if low_first and close else "left" if close else "center"),
        (
            float(first.after),
            f"● {ends[1]}",
            VERMILION,
            "left" if low_first and close else "right" if close else "center",
        ),
    ]
    return [
        library.Chart(library.Data(values=[{"x": at, "text": text}]))
        .mark_text(
            color=colour if colour != GREY else INK, fontSize=12, align=_kept_inside(align, at), baseline="bottom"
        )
        .encode(x=library.X("x:Q"), y=library.value(-3), text="text:N")
        for at, text, colour, align in texts
    ]


def _kept_inside(align: str, at: float) -> str:
    """Return the alignment that keeps words at the very left or right inside the picture."""
    return "left" if at < 0.12 and align != "left" else "right" if at > 0.9 and align == "center" else align
