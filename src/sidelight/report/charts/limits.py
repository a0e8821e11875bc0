"""The chart of limits: a strip per limit with the table, the limit and the release on a scale of its own.

Amounts of different kinds share no scale, so each limit has one: shares run from 0 to 1, others from 0 up, on a
logarithmic scale where the largest is many times the bound.  The side of the bound that keeps the limit is shaded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sidelight.documents.document import Number, PolicyBound, finding_facts
from sidelight.errors import BadMeasure
from sidelight.report.plots import (
    BLUE,
    GREY,
    INK,
    PALE,
    PAPER,
    VERMILION,
    Drawing,
    TableBehind,
    altair,
    draw_rows,
    finish_chart,
)
from sidelight.text import counted, form

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.criterion import Amount
    from sidelight.policy.policy import Verdict


WIDTH, HEIGHT, STEP = 500, 34, 92
"""Pixels: of a strip, and from one to the next."""


@dataclass(frozen=True, slots=True)
class JudgedLimit:
    """A limit, what it bounds in words, and the values of the release and of the table."""

    counts: str
    limit: PolicyBound
    after: Number
    before: Number | None = None

    @property
    def holds(self) -> bool:
        """Whether the release keeps it."""
        return self.limit.holds(self.after.value)

    def position(self, amount: Amount) -> float:
        """Return the position of an amount on the strip, from 0 to 1; infinity is at its end."""
        bound = self.limit.bound.value
        amounts = [bound, self.after.value] if self.before is None else [bound, self.after.value, self.before.value]
        if not math.isfinite(amount):
            return 1.0
        # shares have the whole scale
        if self.limit.comparison.from_above and all(0 <= each <= 1 for each in amounts):
            return float(amount)
        largest = max((float(each) for each in amounts if math.isfinite(each)), default=1.0) or 1.0
        # a dot on the very end would be cut off
        most = largest * 1.08
        if largest > 20 * max(float(bound), 1.0):
            # amounts many times the bound; log1p rather than log, as 0 needs a position on the scale too
            return math.log1p(float(amount)) / math.log1p(most)
        return float(amount) / most


def limits_chart(limits: Sequence[JudgedLimit], most_strips: int = 12) -> alt.TopLevelMixin:
    """Draw each limit with the values of the table and of the release; limits beyond `most_strips` are in the table."""
    if not limits:
        raise BadMeasure("there is no limit to draw; judge a release by a policy first")
    # False sorts first: limits that do not hold are the last to be left out
    drawn = sorted(limits, key=lambda each: each.holds)[:most_strips] if len(limits) > most_strips else limits
    more = f" {counted(len(limits) - len(drawn), 'further limit')}: in the table." if len(limits) > len(drawn) else ""
    before = " Hollow dot: the table itself." if any(each.before is not None for each in limits) else ""
    return finish_chart(
        _strips(drawn),
        title=limits_title(limits),
        subtitle=f"Filled dot: the release.{before} Dark line: the limit; the shaded side keeps it.{more}",
        table=TableBehind(("what is counted", "the table", "wanted", "the release", "holds"), tuple(map(_row, limits))),
        width=WIDTH + 100,
    )


def _row(judged: JudgedLimit) -> tuple[str, ...]:
    before = "" if judged.before is None else judged.before.text
    return judged.counts, before, judged.limit.in_words, judged.after.text, "yes" if judged.holds else "no"


def verdict_chart(verdict: Verdict) -> alt.TopLevelMixin:
    """Draw each limit of a policy with the value of the release."""
    return limits_chart(
        [
            JudgedLimit(facts.text, facts.limit, facts.result)
            for each in verdict.judgements
            for facts in [finding_facts(each.criterion.measure, each.finding.value, each.criterion)]
            if facts.limit is not None
        ]
    )


def limits_title(limits: Sequence[JudgedLimit]) -> str:
    """Return how many limits hold, and how many did before.

    >>> from sidelight.documents.document import number, policy_bound
    >>> from sidelight.measures.classics import GroupSize
    >>> one, seven = (number(each, large_is_bad=False) for each in (1, 7))
    >>> limit = JudgedLimit("fewest alike", policy_bound(GroupSize() >= 5), after=seven, before=one)
    >>> limits_title([limit, limit])
    'Both limits hold for the release; for the table itself none holds'
    """
    broken = sum(not each.holds for each in limits)
    before = sum(each.before is not None and each.limit.holds(each.before.value) for each in limits)
    if len(limits) == 1:
        after = "The limit does not hold" if broken else "The limit holds"
        earlier = "it holds" if before else "it does not"
    else:
        after = "Both limits hold" if len(limits) == 2 else f"All {len(limits)} limits hold"
        if broken:
            after = f"{broken} of {len(limits)} limits {'does' if broken == 1 else 'do'} not hold"
        earlier = "none holds" if not before else f"{before} of {len(limits)} {form('holds', before)}"
    known = all(each.before is not None for each in limits)
    return f"{after} for the release" + (f"; for the table itself {earlier}" if known else "")


def _strips(limits: Sequence[JudgedLimit]) -> Drawing:
    """Draw all strips in one chart, one below the other, as layers are slow to make and rows are not."""
    library = altair()
    height = STEP * len(limits)
    x = library.X("x:Q").scale(domain=[0, 1], nice=False).axis(None)
    y = library.Y("y:Q").scale(domain=[height, 0], nice=False).axis(None)
    drawn = partial(draw_rows, width=WIDTH, height=height)
    shaded, lines, bounds, before, after = (list[dict[str, object]]() for _ in range(5))
    words: dict[tuple[str, bool], list[dict[str, object]]] = {}  # by alignment, and whether they are bold

    def write(x: float, y: float, text: str, align: str, *, bold: bool = False) -> None:
        words.setdefault((align, bold), []).append({"x": x, "y": y, "text": text})

    def write_number(dot: float, other: float | None, text: str, *, bold: bool) -> None:
        # dots closer than 0.16 have their numbers on both sides; a dot near 0 keeps its number on the right
        left = (other is not None and 0 < other - dot < 0.16 < dot) or dot > 1 - 0.16
        write(dot - 0.018 if left else dot + 0.018, middle - 8, text, "right" if left else "left", bold=bold)

    for number, limit in enumerate(limits):
        top = number * STEP + STEP - HEIGHT - 8
        middle, bound, end = top + HEIGHT / 2, limit.position(limit.limit.bound.value), top + HEIGHT
        table = None if limit.before is None else limit.position(limit.before.value)
        release = limit.position(limit.after.value)
        kept = (0.0, bound) if limit.limit.comparison.from_above else (bound, 1.0)
        shaded.append({"x": kept[0], "x2": kept[1], "y": top, "y2": end})
        lines.append({"x": 0, "x2": 1, "y": middle})
        bounds.append({"x": bound, "y": top, "y2": end})
        after.append({"x": release, "y": middle, "holds": limit.holds})
        write(0, top - 30, limit.counts, "left", bold=True)
        inwards = "left" if bound < 0.16 else "right" if bound > 1 - 0.16 else "center"
        write(bound, top - 9, f"limit: {limit.limit.in_words}", inwards)
        # the dots of the first strip say what they are
        if table is not None and limit.before is not None:
            before.append({"x": table, "y": middle})
            write_number(table, release, f"{'' if number else 'the table: '}{limit.before.text}", bold=False)
        write_number(release, table, f"{'' if number else 'the release: '}{limit.after.text}", bold=True)
    colour = library.condition("datum.holds", library.value(BLUE), library.value(VERMILION))
    hollow = drawn(before).mark_point(filled=True, fill=PAPER, stroke=GREY, strokeWidth=2, size=90, opacity=1)
    return library.layer(
        drawn(shaded).mark_rect(color=PALE, opacity=1).encode(x, y, x2="x2:Q", y2="y2:Q"),
        drawn(lines).mark_rule(color=GREY).encode(x, y, x2="x2:Q"),
        drawn(bounds).mark_rule(color=INK, strokeWidth=2.5).encode(x, y, y2="y2:Q"),
        hollow.encode(x, y),
        drawn(after).mark_point(filled=True, size=120, opacity=1).encode(x, y, color=colour),
        *(
            drawn(rows)
            .mark_text(align=align, fontSize=12, color=INK, fontWeight="bold" if bold else "normal")
            .encode(x, y, text="text:N")
            for (align, bold), rows in words.items()
        ),
    )
