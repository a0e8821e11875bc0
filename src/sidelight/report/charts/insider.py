"""Of how many people is an insider how sure?  Beside what the release alone says: two step lines that only fall.

Whoever could not be told of is on neither line, and is counted in the subtitle.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure
from sidelight.report.plots import BLUE, GREY, Drawing, TableBehind, altair, finish_chart, share_axis
from sidelight.rounding import in_words
from sidelight.text import counted, form

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
    steps = [Fraction(at, STEPS) for at in range(STEPS)]
    inside = [learnt.people_above(each, end="estimate") for each in steps]
    printed = [learnt.printed_above(each) for each in steps]
    people = learnt.release.size
    untold = f" Of {counted(learnt.untold, 'person')} it could not be told." if learnt.untold else ""
    whom = "somebody" if learnt.untold else "anybody"
    alone = f"the release alone makes one at most {in_words(learnt.printed_worst)} sure"
    return finish_chart(
        _two_lines(steps, inside, printed, people),
        title=f"An insider is {learnt.worst_in_words} sure of {whom}; {alone}",
        subtitle=f"{counted(people, 'person')} in {counted(len(learnt.release), 'group')}; the making tells something "
        f"in {len(learnt.telling):,} {form('group', len(learnt.telling))}.{untold}",
        table=TableBehind(
            ("surer than", "people, to an insider", "people, by the release alone"),
            tuple((float(at), one, other) for at, one, other in zip(steps, inside, printed, strict=True)),
        ),
        width=600,
    )


def _two_lines(steps: Sequence[Fraction], inside: Sequence[int], printed: Sequence[int], people: int) -> Drawing:
    """Draw both as steps that end at nobody, each named where it is."""
    library = altair()
    rows = [
        {"sure": float(step), "inside": one, "printed": other}
        # nothing is surer than certain: both lines end at 0
        for step, one, other in zip((*steps, 1), (*inside, 0), (*printed, 0), strict=True)
    ]
    base = library.Chart(library.Data(values=rows), width=460, height=250)
    x = share_axis(library.X("sure:Q"), "surer than")
    axis = library.Axis(title=f"people, of {people:,}", format=",d", tickCount=5, tickMinStep=1)
    line = {"interpolate": "step-after", "strokeWidth": 2.5}
    half = STEPS // 2
    names = [
        {"sure": 0.02, "people": inside[0], "text": "an insider", "colour": BLUE},
        {"sure": float(steps[half]), "people": printed[half], "text": "the release alone", "colour": GREY},
    ]
    words = library.Chart(library.Data(values=names)).mark_text(align="left", dx=6, dy=-9, fontSize=12)
    return library.layer(
        base.mark_line(color=GREY, strokeDash=[5, 4], **line).encode(x, library.Y("printed:Q").axis(axis)),
        base.mark_line(color=BLUE, **line).encode(x, library.Y("inside:Q").axis(axis)),
        words.encode(x="sure:Q", y="people:Q", text="text:N", color=library.Color("colour:N").scale(None)),
    )
