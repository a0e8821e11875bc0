"""Does each limit hold, and did it before?  A strip per limit: the table, the limit, the release, on its own scale.

Amounts of different kinds share no scale, so each limit has one: shares run from 0 to 1, others from nothing up, on a
logarithmic scale where the largest is many times the bound.  The side of the bound that keeps the limit is shaded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight._rounding import exact_text
from sidelight._text import counted, form
from sidelight.errors import BadMeasure
from sidelight.measures.exact import Amount
from sidelight.measures.measure import Comparison
from sidelight.report.plots import BLUE, GREY, INK, PALE, PAPER, VERMILION, Drawing, TableBehind, altair, finished

if TYPE_CHECKING:
    import altair as alt

MOST_STRIPS = 12
"""So many limits have a strip; others stand in the table alone, those that do not hold last of all."""

WIDTH, HEIGHT = 500, 34
"""Pixels of a strip."""

MANY_TIMES = 20
"""Amounts that are so many times the bound are drawn on a logarithmic scale."""

CLOSE = 0.16
"""Dots that are closer, as a share of the strip, have their numbers on both sides."""


@dataclass(frozen=True, slots=True)
class JudgedLimit:
    """What a limit bounds, in words; the amounts as numbers and as people read them."""

    counts: str
    comparison: Comparison
    bound: Amount
    bound_text: str
    after: Amount
    after_text: str
    holds: bool
    before: Amount | None = None
    before_text: str = ""

    @property
    def held_before(self) -> bool | None:
        """Whether the table itself kept it; None where nobody knows."""
        return None if self.before is None else self.comparison.holds(self.before, self.bound)

    @property
    def is_share(self) -> bool:
        """Whether all amounts lie between 0 and 1, and large ones are bad."""
        return self.comparison.from_above and all(0 <= amount <= 1 for amount in self._amounts)

    @property
    def _amounts(self) -> tuple[Amount, ...]:
        return (self.bound, self.after, *(() if self.before is None else (self.before,)))

    @property
    def largest(self) -> float:
        """The largest amount that has a place on the strip."""
        finite = [float(amount) for amount in self._amounts if math.isfinite(amount)]
        return max(finite, default=1.0) or 1.0

    def place(self, amount: Amount) -> float:
        """Say where an amount stands on the strip, from 0 to 1; what is infinite stands at its end."""
        if not math.isfinite(amount):
            return 1.0
        if self.is_share:
            return float(amount)
        most = self.largest * 1.08
        if self._logarithmic:
            return math.log1p(float(amount)) / math.log1p(most)
        return float(amount) / most

    @property
    def _logarithmic(self) -> bool:
        return self.largest > MANY_TIMES * max(float(self.bound), 1.0)


def limits_chart(limits: Sequence[JudgedLimit]) -> alt.TopLevelMixin:
    """Draw what each limit says of the table and of the release."""
    if not limits:
        message = "there is no limit to draw; judge a release by a policy first"
        raise BadMeasure(message)
    drawn = sorted(limits, key=lambda each: each.holds)[:MOST_STRIPS] if len(limits) > MOST_STRIPS else limits
    strips = [_strip(limit, first=at == 0) for at, limit in enumerate(drawn)]
    more = f" {counted(len(limits) - len(drawn), 'further limit')}: in the table." if len(limits) > len(drawn) else ""
    before = " Hollow dot: the table itself." if any(each.before is not None for each in limits) else ""
    return finished(
        altair().vconcat(*strips, spacing=14),
        title=limits_title(limits),
        subtitle=f"Filled dot: the release.{before} Dark line: the limit; the shaded side keeps it.{more}",
        table=TableBehind(
            ("what is counted", "the table", "wanted", "the release", "holds"),
            tuple(
                (
                    each.counts,
                    "" if each.before is None else exact_text(each.before),
                    each.bound_text,
                    exact_text(each.after),
                    "yes" if each.holds else "no",
                )
                for each in limits
            ),
        ),
        width=WIDTH + 100,
    )


def limits_title(limits: Sequence[JudgedLimit]) -> str:
    """Say how many limits hold, and how many did before.

    >>> limit = JudgedLimit("fewest alike", Comparison.AT_LEAST, 5, "≥ 5", 7, "7", True, before=1, before_text="1")
    >>> limits_title([limit, limit])
    'Both limits hold for the release; for the table itself none holds'
    """
    broken = sum(not each.holds for each in limits)
    before = sum(bool(each.held_before) for each in limits)
    if len(limits) == 1:
        after = "The limit does not hold" if broken else "The limit holds"
        held = "it holds" if before else "it does not"
    else:
        whole = "Both limits hold" if len(limits) == 2 else f"All {len(limits)} limits hold"
        after = f"{broken} of {len(limits)} limits {'does' if broken == 1 else 'do'} not hold" if broken else whole
        held = "none holds" if not before else f"{before} of {len(limits)} {form('holds', before)}"
    known = all(each.before is not None for each in limits)
    return f"{after} for the release" + (f"; for the table itself {held}" if known else "")


def _strip(limit: JudgedLimit, *, first: bool) -> Drawing:
    library = altair()
    bound = limit.place(limit.bound)
    shaded = {"x": 0.0, "x2": bound} if limit.comparison.from_above else {"x": bound, "x2": 1.0}
    x = library.X("x:Q").scale(domain=[0, 1], nice=False).axis(None)
    middle = library.value(HEIGHT / 2)

    def base(*rows: Mapping[str, object]) -> Drawing:
        return library.Chart(library.Data(values=list(map(dict, rows))), width=WIDTH, height=HEIGHT)

    layers = [
        base(shaded).mark_rect(color=PALE, opacity=1).encode(x, x2="x2:Q"),
        base({"x": 0.0, "x2": 1.0}).mark_rule(color=GREY, strokeWidth=1).encode(x, x2="x2:Q", y=middle),
        base({"x": bound}).mark_rule(color=INK, strokeWidth=2.5).encode(x),
        _words(base({"x": bound, "text": f"limit {limit.bound_text}"}), x, bound, dy=-HEIGHT / 2 - 8, color=INK),
    ]
    return library.layer(*layers, *_dots(limit, base, x, middle, named=first)).properties(
        title=library.TitleParams(limit.counts, fontSize=13, fontWeight="normal", anchor="start", offset=18)
    )


def _dots(limit: JudgedLimit, base: Drawing, x: Drawing, middle: Drawing, *, named: bool) -> list[Drawing]:
    """Draw the dots with their numbers beside them, on both sides where they are close; the first say what they are."""
    after, before = limit.place(limit.after), None if limit.before is None else limit.place(limit.before)
    colour = BLUE if limit.holds else VERMILION
    layers = []
    left = before is not None and before > after and before - after < CLOSE
    if before is not None:
        text = f"{'the table: ' if named else ''}{limit.before_text}"
        hollow = base({"x": before}).mark_point(filled=True, fill=PAPER, stroke=GREY, strokeWidth=2, size=90, opacity=1)
        leftwards = before < after and after - before < CLOSE
        layers += [hollow.encode(x, y=middle), _beside(base({"x": before, "text": text}), x, before, left=leftwards)]
    text = f"{'the release: ' if named else ''}{limit.after_text}"
    filled = base({"x": after}).mark_point(color=colour, filled=True, size=120, opacity=1)
    return [
        *layers,
        filled.encode(x, y=middle),
        _beside(base({"x": after, "text": text}), x, after, left=left, bold=True),
    ]


def _beside(base: Drawing, x: Drawing, place: float, *, left: bool, bold: bool = False) -> Drawing:
    """Write a number to the right of its dot, or to the left where another dot or the end is close."""
    inwards = (left and place > CLOSE) or place > 1 - CLOSE
    words = base.mark_text(
        align="right" if inwards else "left",
        dx=-9 if inwards else 9,
        dy=-8,
        fontSize=12,
        color=INK,
        fontWeight="bold" if bold else "normal",
    )
    return words.encode(x, y=altair().value(HEIGHT / 2), text="text:N")


def _words(base: Drawing, x: Drawing, place: float, *, dy: float, color: str) -> Drawing:
    align = "left" if place < CLOSE else "right" if place > 1 - CLOSE else "center"
    words = base.mark_text(align=align, dy=dy, fontSize=12, color=color)
    return words.encode(x, y=altair().value(HEIGHT / 2), text="text:N")
