"""How right is somebody who claims to know?  What is claimed against how often it is right, with how many people.

Without the truth nothing is right or wrong: then only how many people are claimed to be known, and how surely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.learner.learned import BINS, SURE, BeliefBin, Learned
from sidelight.report.plots import BLUE, GREY, INK, TableBehind, altair, finish_chart, share_axis, text_at
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

SIDE = 320
"""Pixels."""


def calibration_chart(learned: Learned) -> alt.TopLevelMixin:
    """Draw what a learner claims, and how right it is."""
    if learned.right is None or learned.calibration_error is None:
        return _claims(learned)
    checked = CheckedClaims(learned.model, learned.claimed, learned.right, learned.calibration_error)
    return checked_claims_chart(checked, learned.calibration)


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """How sure a model claims to be on average, how often it is right, and how far the two are apart."""

    model: str
    claimed: float
    right: float
    error: float


def checked_claims_chart(learned: CheckedClaims, bins: Sequence[BeliefBin]) -> alt.TopLevelMixin:
    """Draw claims that were compared with the truth."""
    library = altair()
    total = sum(each.people for each in bins)
    rows = [
        {"claimed": each.claimed, "right": each.right, "people": each.people, "text": f"{each.people:,}"}
        for each in bins
    ]
    base = library.Chart(library.Data(values=rows), width=SIDE, height=SIDE)
    x = share_axis(library.X("claimed:Q"), "how sure somebody claims to be")
    y = share_axis(library.Y("right:Q"), "how often that is right")
    # the area of a dot grows with its people; 25 keeps a bin of few people visible
    size = library.Size("people:Q").scale(domain=[0, total], range=[25, 900]).legend(None)
    diagonal = library.Chart(library.Data(values=[{"claimed": 0, "right": 0}, {"claimed": 1, "right": 1}]))
    chart = library.layer(
        diagonal.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x, y),
        text_at((0.04, 0.16), ["as right as claimed"], color=GREY, angle=315).encode(x="x:Q", y="y:Q"),
        base.mark_line(color=BLUE, strokeWidth=1.5).encode(x, y),
        base.mark_point(color=BLUE, filled=True, opacity=1).encode(x, y, size=size),
        base.mark_text(align="left", dx=11, dy=11, color=INK, fontSize=11).encode(x, y, text="text:N"),
    )
    claims = f"A {learned.model} model claims to be {learned.claimed:.1%} sure on average"
    more = "more" if learned.claimed > learned.right else "less"
    return finish_chart(
        chart,
        title=f"{claims}, and is right about {learned.right:.1%}",
        subtitle=f"{counted(total, 'person')}, by how sure it is; beside each dot its people. "
        f"It claims {more} than is right; claims are off by {learned.error:.3f} on average.",
        table=TableBehind(
            ("claimed from", "claimed to", "people", "claimed on average", "right"),
            tuple((each.low, each.high, each.people, each.claimed, each.right) for each in bins),
        ),
        width=560,
    )


def _claims(learned: Learned) -> alt.TopLevelMixin:
    library = altair()
    edges = [at / BINS for at in range(BINS + 1)]
    # a falling count: the difference of two neighbours is the people between two edges
    above = [*(learned.people_above(edge) for edge in edges[:-1]), 0]
    counts = [
        (low, high, here - beyond) for low, high, here, beyond in zip(edges, edges[1:], above, above[1:], strict=False)
    ]
    rows = [{"low": low, "high": high, "people": people, "text": f"{people:,}"} for low, high, people in counts]
    of_whom = f"the values of {learned.people_above(SURE):,} of {counted(above[0], 'person')}"
    base = library.Chart(library.Data(values=rows), width=420, height=220)
    x = share_axis(library.X("low:Q"), "how sure somebody claims to be")
    y = library.Y("people:Q").axis(title="people", format=",d", tickCount=5)
    chart = library.layer(
        base.mark_bar(color=BLUE, binSpacing=2).encode(x.bin("binned"), y, x2="high:Q"),
        base.transform_calculate(middle="(datum.low + datum.high) / 2")
        .mark_text(dy=-8, color=INK, fontSize=11)
        .encode(share_axis(library.X("middle:Q"), "how sure somebody claims to be"), y, text="text:N"),
    )
    return finish_chart(
        chart,
        title=f"A {learned.model} model claims to know {of_whom} at least {SURE} surely",
        subtitle="Without the truth this is only claimed: nobody checked how much of it is right.",
        table=TableBehind(("claimed from", "claimed to", "people"), tuple(counts)),
        width=560,
    )
