"""How much is lost?  A bar for each utility that is a share, from nothing to everything."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure
from sidelight.report.plots import BLUE, INK, TableBehind, altair, finish_chart, share_axis
from sidelight.rounding import short_decimal

if TYPE_CHECKING:
    import altair as alt

SHARES: dict[str, str] = {
    "balanced loss": "what the columns no longer tell",
    "loss": "how much of its column a cell covers",
    "non-uniform entropy": "how hard it is to guess the cells",
}
"""Utilities that run from 0, nothing is lost, to 1, everything is; and what is lost, in words."""


def losses_chart(losses: Mapping[str, float]) -> alt.TopLevelMixin:
    """Draw how much of the table a release no longer tells."""
    # a utility outside 0 to 1 would be off the shared scale
    shares = [(name, losses[name]) for name in SHARES if name in losses and 0 <= losses[name] <= 1]
    if not shares:
        message = "no utility here is a share of what could be lost, so there is no picture of them"
        raise BadMeasure(message)
    library = altair()
    order = [f"{SHARES[name]} ({name})" for name, _ in shares]
    rows = [
        {"name": words, "loss": loss, "text": _digits(loss)} for words, (_, loss) in zip(order, shares, strict=True)
    ]
    base = library.Chart(library.Data(values=rows), width=340, height=34 * len(rows))
    y = library.Y("name:N").sort(order).axis(title=None, grid=False, ticks=False, labelLimit=330)
    x = share_axis(library.X("loss:Q"), "0%: nothing is lost; 100%: everything is")
    chart = library.layer(
        base.mark_bar(color=BLUE, size=15).encode(y, x),
        base.mark_text(align="left", dx=5, fontSize=12, color=INK).encode(y, x, text="text:N"),
    )
    first, loss = shares[0]
    return finish_chart(
        chart,
        title=f"Of what the table told, the release loses {_digits(loss)} by {first}",
        subtitle="Three ways to count what is lost; less is better.",
        table=TableBehind(("utility", "lost"), tuple(shares)),
        width=640,
    )


def _digits(loss: float) -> str:
    """Write a loss with the digits that it has: a sidecar tells three, and none is added.

    >>> _digits(0.526), _digits(0.52634891)
    ('0.526', '0.5263')
    """
    return short_decimal(Fraction(str(round(loss, 4))))
