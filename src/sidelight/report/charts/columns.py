"""Which sets of columns single people out?  A bar for each: the share of people who are alone by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.report.plots import BLUE, INK, TableBehind, altair, finish_chart, share_axis
from sidelight.rounding import exact_text, round_up
from sidelight.text import counted, form

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.column_subsets.identifying_columns import IdentifyingColumns

MOST_SUBSETS = 15
"""So many sets have a bar; all of them stand in the table."""

LONGEST = 300
"""Pixels of a name."""


def columns_chart(columns: IdentifyingColumns) -> alt.TopLevelMixin:
    """Draw the sets by which most people stand alone; of equals the smaller ones first."""
    library = altair()
    ordered = sorted(columns.subsets, key=lambda each: (-each.unique, len(each.columns), each.columns))
    drawn = ordered[:MOST_SUBSETS]
    names = [", ".join(each.columns) for each in drawn]
    rows = [
        {"name": name, "share": round_up(each.unique_share), "text": f"{each.unique:,}"}
        for name, each in zip(names, drawn, strict=True)
    ]
    base = library.Chart(library.Data(values=rows), width=320, height=24 * len(rows))
    y = library.Y("name:N").sort(names).axis(title=None, grid=False, ticks=False, labelLimit=LONGEST)
    x = share_axis(library.X("share:Q"), "share of the people who are alone")
    worst, everybody = drawn[0], counted(columns.people, "person")
    less = len(ordered) - len(drawn)
    more = f" {counted(less, 'set')} by which fewer are alone: in the table." if less else ""
    return finish_chart(
        library.layer(
            base.mark_bar(color=BLUE, size=13).encode(y, x),
            base.mark_text(align="left", dx=4, color=INK, fontSize=11).encode(y, x, text="text:N"),
        ),
        title=f"By {', '.join(worst.columns)}, {worst.unique:,} of {everybody} {form('is', worst.unique)} alone"
        if worst.unique
        else f"Nobody of {everybody} is alone by any of these sets of columns",
        subtitle=f"For each set of up to {counted(columns.up_to, 'column')}, people with whom nobody shares it.{more}",
        table=TableBehind(
            ("columns", "people who are alone", "share, exactly"),
            tuple((", ".join(each.columns), each.unique, exact_text(each.unique_share)) for each in ordered),
        ),
        width=640,
    )
