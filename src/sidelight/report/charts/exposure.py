"""What do several releases give away together?  How many values are left to people, and how sure somebody gets of them.

People about whom releases contradict each other are drawn apart, never as given away and never as the contrary; those
who are not located somewhere are counted in words.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure, as_given
from sidelight.measures.criterion import Bound, exact
from sidelight.report.plots import (
    BLUE,
    GREY,
    INK,
    PALE,
    VERMILION,
    Drawing,
    TableBehind,
    altair,
    finish_chart,
    share_axis,
)
from sidelight.rounding import exact_text, round_up
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

    from sidelight.attack.exposure import Exposure

MOST_BARS = 12
"""Up to here every number of values left has a bar; what lies beyond is one."""

LEVELS: tuple[Fraction, ...] = tuple(Fraction(each, 20) for each in range(21))
"""How sure somebody gets: every twentieth, decided exactly; the line between two is where the lower one is, at most."""


def exposure_chart(exposure: Exposure) -> alt.TopLevelMixin:
    """Draw how many values are left to people: by the best release alone, and by all of them together."""
    rows = _values_left(exposure)
    library = altair()
    order = [name for name, _, _ in rows]
    data = [
        {
            "left": name,
            "which": which,
            "people": people,
            "text": f"{people:,}" if which == TOGETHER and name in order[:1] else "",
        }
        for name, before, after in rows
        for which, people in ((ALONE, before), (TOGETHER, after))
    ]
    base = library.Chart(library.Data(values=data), width=max(440, 46 * len(rows)), height=230)
    x = library.X("left:N").sort(order).axis(title="values left that a person may have", labelAngle=0, grid=False)
    y = library.Y("people:Q").axis(title="people", format=",d", tickCount=5, tickMinStep=1)
    offset = library.XOffset("which:N").sort([ALONE, TOGETHER])
    colour = library.Color("which:N").scale(domain=[ALONE, TOGETHER], range=[GREY, VERMILION])
    legend = library.Legend(title=None, orient="top", direction="horizontal", symbolType="square", labelLimit=300)
    chart = library.layer(
        base.mark_bar().encode(x, y, offset, colour.legend(legend)),
        base.mark_text(dy=-7, color=INK, fontSize=10).encode(x, y, offset, text="text:N"),
    )
    return finish_chart(
        chart,
        title=_title(exposure),
        subtitle=_subtitle(exposure),
        table=TableBehind(("values left", f"people, {ALONE}", f"people, {TOGETHER}"), tuple(rows)),
        width=600,
    )


ALONE, TOGETHER = "by the best release alone", "by all together"


def _values_left(exposure: Exposure) -> list[tuple[str, int, int]]:
    before, after = exposure.distribution("before"), exposure.distribution("after")
    # the same bars for both, so that they can be compared
    few = range(1, min(max([*before, *after], default=0), MOST_BARS) + 1)
    rows = [(f"{left:,}", before.get(left, 0), after.get(left, 0)) for left in few]
    if before.get(0) or after.get(0):
        none = "none: contradiction" if exposure.semantics == "single" else "none"
        rows.insert(0, (none, before.get(0, 0), after.get(0, 0)))
    many_before, many_after = (
        sum(people for left, people in each.items() if left > MOST_BARS) for each in (before, after)
    )
    if many_before or many_after:
        rows.append((f"{MOST_BARS + 1}+", many_before, many_after))
    return rows


def _title(exposure: Exposure) -> str:
    total, certain = exposure.located, exposure.given_away_in_words
    releases = counted(len(exposure.views), "release")
    together = f"Together, {releases} give away" if len(exposure.views) > 1 else "This release gives away"
    if exposure.semantics != "single":
        return f"{together} some value of {certain} of {counted(total, 'person')} for certain"
    alone = exposure.distribution("before").get(1, 0)
    best = f"; the best of them alone {alone:,}" if len(exposure.views) > 1 else ""
    return f"{together} the values of {certain} of {counted(total, 'person')}{best}"


def _subtitle(exposure: Exposure) -> str:
    contradicted = int(exposure.contradicted * exposure.located)
    notes = [
        f"Not located somewhere, and not given away: {exposure.not_located:,}." if exposure.not_located else "",
        f"The releases contradict each other about {counted(contradicted, 'person')}." if contradicted else "",
    ]
    return " ".join(filter(None, notes))


def breach_chart(exposure: Exposure, *, belief: Bound = 1) -> alt.TopLevelMixin:
    """Draw of which share of people somebody is at least so sure; each point is decided exactly."""
    library = altair()
    point = exact(belief)
    if isinstance(point, float):
        message = f"a belief lies between 0 and 1, not {as_given(belief)}"
        raise BadMeasure(message)
    # the marked point becomes a level of its own, so that it lies exactly on the line
    levels = sorted({*LEVELS, point})
    shares = [exposure.sure(level) for level in levels]
    total = exposure.located
    rows = [{"sure": float(level), "share": round_up(share)} for level, share in zip(levels, shares, strict=True)]
    base = library.Chart(library.Data(values=rows), width=440, height=240)
    x = share_axis(library.X("sure:Q"), "how sure somebody can be of their value, at least")
    y = share_axis(library.Y("share:Q"), "share of people")
    certain = exposure.sure(1)
    share = exposure.sure(point)
    chart = library.layer(
        base.mark_area(color=PALE, opacity=1, interpolate="step-after").encode(x, y),
        base.mark_line(color=BLUE, strokeWidth=2.5, interpolate="step-after").encode(x, y),
        *_breach_point(point, share, f"{int(share * total):,} people"),
    )
    sure = "certain" if point == 1 else f"at least {belief} sure"
    return finish_chart(
        chart,
        title=f"Of {int(share * total):,} of {counted(total, 'person')} somebody can be {sure} what they have",
        subtitle=" ".join(
            filter(None, (f"Of {int(certain * total):,} for certain." if point != 1 else "", _subtitle(exposure)))
        ),
        table=TableBehind(
            ("at least so sure", "share of people, exactly", "people"),
            tuple(
                (exact_text(level), exact_text(each), int(each * total))
                for level, each in zip(levels, shares, strict=True)
            ),
        ),
        width=560,
    )


def _breach_point(level: Fraction, share: Fraction, text: str) -> list[Drawing]:
    library = altair()
    data = library.Data(values=[{"sure": float(level), "share": round_up(share), "text": text}])
    base = library.Chart(data).encode(x="sure:Q", y="share:Q")
    # near the right end the words stand to the left of the point
    right = level > Fraction(3, 5)
    return [
        base.mark_point(color=VERMILION, filled=True, size=90, opacity=1),
        base.mark_text(
            color=VERMILION,
            fontWeight="bold",
            fontSize=13,
            align="right" if right else "left",
            dx=-9 if right else 9,
            dy=-12,
        ).encode(text="text:N"),
    ]
