"""Of how many people is an insider how sure?  Beside what the release alone says: two step lines that only fall.

Whoever could not be told of is on neither line, and is counted in the subtitle.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight._rounding import in_words
from sidelight._text import counted, form
from sidelight.errors import BadMeasure
from sidelight.report.plots import BLUE, GREY, TableBehind, altair, finished, share_axis

if TYPE_CHECKING:
    import altair as alt

    from sidelight.minimality.beliefs import InsiderBeliefs

STEPS = 20
"""Beliefs are compared at so many places."""


def insider_chart(learnt: InsiderBeliefs) -> alt.TopLevelMixin:
    """Draw how many people are believed how surely."""
    if learnt.outcome == "could not tell":
        message = f"what an insider reaches could not be told, so there is no picture of it: {learnt.reason}"
        raise BadMeasure(message)
    library = altair()
    steps = [Fraction(at, STEPS) for at in range(STEPS)]
    inside = [learnt.people_above(each, end="estimate") for each in steps]
    printed = [learnt.printed_above(each) for each in steps]
    people = learnt.release.size
    rows = [
        {"sure": float(step), "inside": one, "printed": other}
        for step, one, other in zip((*steps, 1), (*inside, 0), (*printed, 0), strict=True)
    ]
    base = library.Chart(library.Data(values=rows), width=460, height=250)
    x = share_axis(library.X("sure:Q"), "surer than")
    axis = library.Axis(title=f"people, of {people:,}", format=",d", tickCount=5, tickMinStep=1)
    step = {"interpolate": "step-after", "strokeWidth": 2.5}
    half = STEPS // 2
    names = [
        {"sure": 0.02, "people": inside[0], "text": "an insider", "colour": BLUE},
        {"sure": float(steps[half]), "people": printed[half], "text": "the release alone", "colour": GREY},
    ]
    words = library.Chart(library.Data(values=names)).mark_text(align="left", dx=6, dy=-9, fontSize=12)
    chart = library.layer(
        base.mark_line(color=GREY, strokeDash=[5, 4], **step).encode(x, library.Y("printed:Q").axis(axis)),
        base.mark_line(color=BLUE, **step).encode(x, library.Y("inside:Q").axis(axis)),
        words.encode(x="sure:Q", y="people:Q", text="text:N", color=library.Color("colour:N").scale(None)),
    )
    untold = f" Of {counted(learnt.untold, 'person')} it could not be told." if learnt.untold else ""
    whom = "anybody of whom it could be told" if learnt.untold else "anybody"
    alone = f"the release alone makes one at most {in_words(learnt.printed_worst)} sure"
    return finished(
        chart,
        title=f"An insider is at most {in_words(learnt.worst)} sure of {whom}; {alone}",
        subtitle=f"{counted(people, 'person')} in {counted(len(learnt.release), 'group')}; the making tells something "
        f"in {len(learnt.telling):,} {form('group', len(learnt.telling))}.{untold}",
        table=TableBehind(
            ("surer than", "people, to an insider", "people, by the release alone"),
            tuple((float(at), one, other) for at, one, other in zip(steps, inside, printed, strict=True)),
        ),
        width=600,
    )
