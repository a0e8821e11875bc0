"""Does each limit hold, and did it before?  A strip per limit: the table, the limit, the release, on its own scale.

Amounts of different kinds share no scale, so each limit has one: shares run from 0 to 1, others from nothing up, on a
logarithmic scale where the largest is many times the bound.  The side of the bound that keeps the limit is shaded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from sidelight.errors import BadMeasure
from sidelight.measures.criterion import Comparison, exact
from sidelight.report.plots import BLUE, GREY, INK, PALE, PAPER, VERMILION, Drawing, TableBehind, altair, finish_chart
from sidelight.rounding import at_a_glance
from sidelight.text import counted, form

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.exact import Amount
    from sidelight.policy.policy import Verdict

MOST_STRIPS = 12
"""So many limits have a strip; others stand in the table alone, those that do not hold last of all."""

WIDTH, HEIGHT, STEP = 500, 34, 92
"""Pixels: of a strip, and from one to the next."""

MANY_TIMES = 20
"""Amounts that are so many times the bound are drawn on a logarithmic scale."""

NEXT = 0.018
"""From a dot to its number, as a share of the strip."""

CLOSE = 0.16
"""Dots that are closer, as a share of the strip, have their numbers on both sides."""


@dataclass(frozen=True, slots=True)
class JudgedLimit:
    """What a limit bounds, in words; the amounts as numbers and as people read them."""

    counts: str
    comparison: Comparison
    bound: Amount
    bound_text: str  # the bound alone
    after: Amount
    after_text: str
    holds: bool
    before: Amount | None = None
    before_text: str = ""

    @property
    def bound_words(self) -> str:
        """The limit in words: at least 10."""
        return f"{self.comparison.words} {self.bound_text}"

    @property
    def holds_before(self) -> bool | None:
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
        """Return where an amount stands on the strip, from 0 to 1; what is infinite stands at its end."""
        if not math.isfinite(amount):
            return 1.0
        if self.is_share:
            return float(amount)
        # a dot on the very end would be cut off
        most = self.largest * 1.08
        if self._logarithmic:
            # log1p rather than log, as 0 needs a place on the scale too
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
    # False sorts first: limits that do not hold are the last to be left out
    drawn = sorted(limits, key=lambda each: each.holds)[:MOST_STRIPS] if len(limits) > MOST_STRIPS else limits
    more = f" {counted(len(limits) - len(drawn), 'further limit')}: in the table." if len(limits) > len(drawn) else ""
    before = " Hollow dot: the table itself." if any(each.before is not None for each in limits) else ""
    return finish_chart(
        _strips(drawn),
        title=limits_title(limits),
        subtitle=f"Filled dot: the release.{before} Dark line: the limit; the shaded side keeps it.{more}",
        table=TableBehind(
            ("what is counted", "the table", "wanted", "the release", "holds"),
            tuple(
                (
                    each.counts,
                    each.before_text,
                    each.bound_words,
                    each.after_text,
                    "yes" if each.holds else "no",
                )
                for each in limits
            ),
        ),
        width=WIDTH + 100,
    )


def verdict_chart(verdict: Verdict) -> alt.TopLevelMixin:
    """Draw what each limit of a policy says of a release."""
    limits = []
    for each in verdict.judgements:
        criterion, measure = each.criterion, each.criterion.measure
        text = at_a_glance(each.finding.value, large_is_bad=measure.large_is_bad)
        bound, bound_text = exact(criterion.bound), criterion.bound_text.partition(" ")[2]
        value = each.finding.value
        limits.append(JudgedLimit(str(measure), criterion.comparison, bound, bound_text, value, text, each.holds))
    return limits_chart(limits)


def limits_title(limits: Sequence[JudgedLimit]) -> str:
    """Return how many limits hold, and how many did before.

    >>> limit = JudgedLimit("fewest alike", Comparison.AT_LEAST, 5, "5", 7, "7", True, before=1, before_text="1")
    >>> limits_title([limit, limit])
    'Both limits hold for the release; for the table itself none holds'
    """
    broken = sum(not each.holds for each in limits)
    before = sum(bool(each.holds_before) for each in limits)
    if len(limits) == 1:
        after = "The limit does not hold" if broken else "The limit holds"
        held = "it holds" if before else "it does not"
    else:
        whole = "Both limits hold" if len(limits) == 2 else f"All {len(limits)} limits hold"
        after = f"{broken} of {len(limits)} limits {'does' if broken == 1 else 'do'} not hold" if broken else whole
        held = "none holds" if not before else f"{before} of {len(limits)} {form('holds', before)}"
    known = all(each.before is not None for each in limits)
    return f"{after} for the release" + (f"; for the table itself {held}" if known else "")


@dataclass(frozen=True, slots=True)
class _Strip:
    """A limit, and where its strip begins."""

    limit: JudgedLimit
    top: float
    first: bool  # whose dots say what they are

    @property
    def middle(self) -> float:
        return self.top + HEIGHT / 2

    @property
    def bound(self) -> float:
        return self.limit.place(self.limit.bound)

    @property
    def kept(self) -> tuple[float, float]:
        """From where to where the limit is kept."""
        return (0.0, self.bound) if self.limit.comparison.from_above else (self.bound, 1.0)

    @property
    def before(self) -> float | None:
        return None if self.limit.before is None else self.limit.place(self.limit.before)

    @property
    def after(self) -> float:
        return self.limit.place(self.limit.after)

    def texts(self) -> Iterator[_Lettering]:
        """Yield what is counted, the limit, and both numbers."""
        yield _Lettering(0, self.top - 30, self.limit.counts, "left", bold=True)
        yield _Lettering(self.bound, self.top - 9, f"limit: {self.limit.bound_words}", _inwards(self.bound))
        if self.before is not None:
            name = "the table: " if self.first else ""
            yield self._place_number(self.before, self.after, f"{name}{self.limit.before_text}")
        name = "the release: " if self.first else ""
        yield replace(self._place_number(self.after, self.before, f"{name}{self.limit.after_text}"), bold=True)

    def _place_number(self, dot: float, other: float | None, text: str) -> _Lettering:
        """Write a number to the right of its dot, or to the left where the other dot or the end is close."""
        # to the left only where there is room: a dot near 0 keeps its number on the right
        close = other is not None and 0 < other - dot < CLOSE < dot
        left = close or dot > 1 - CLOSE
        return _Lettering(dot - NEXT if left else dot + NEXT, self.middle - 8, text, "right" if left else "left")


Align: TypeAlias = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class _Lettering:
    """A text, where it stands, and on which side of that place."""

    x: float
    y: float
    text: str
    align: Align
    bold: bool = False


def _inwards(place: float) -> Align:
    return "left" if place < CLOSE else "right" if place > 1 - CLOSE else "center"


def _strips(limits: Sequence[JudgedLimit]) -> Drawing:
    """Draw all strips in one chart, one below the other: layers are slow to make, and rows are not."""
    library = altair()
    strips = [_Strip(limit, at * STEP + STEP - HEIGHT - 8, first=at == 0) for at, limit in enumerate(limits)]
    height = STEP * len(limits)
    x = library.X("x:Q").scale(domain=[0, 1], nice=False).axis(None)
    y = library.Y("y:Q").scale(domain=[height, 0], nice=False).axis(None)

    def drawn(rows: Iterable[Mapping[str, object]]) -> Drawing:
        return library.Chart(library.Data(values=[dict(row) for row in rows]), width=WIDTH, height=height)

    shaded = drawn({"x": s.kept[0], "x2": s.kept[1], "y": s.top, "y2": s.top + HEIGHT} for s in strips)
    lines = drawn({"x": 0, "x2": 1, "y": s.middle} for s in strips)
    bounds = drawn({"x": s.bound, "y": s.top, "y2": s.top + HEIGHT} for s in strips)
    before = drawn({"x": s.before, "y": s.middle} for s in strips if s.before is not None)
    after = drawn({"x": s.after, "y": s.middle, "holds": s.limit.holds} for s in strips)
    colour = library.condition("datum.holds", library.value(BLUE), library.value(VERMILION))
    hollow = before.mark_point(filled=True, fill=PAPER, stroke=GREY, strokeWidth=2, size=90, opacity=1)
    return library.layer(
        shaded.mark_rect(color=PALE, opacity=1).encode(x, y, x2="x2:Q", y2="y2:Q"),
        lines.mark_rule(color=GREY).encode(x, y, x2="x2:Q"),
        bounds.mark_rule(color=INK, strokeWidth=2.5).encode(x, y, y2="y2:Q"),
        hollow.encode(x, y),
        after.mark_point(filled=True, size=120, opacity=1).encode(x, y, color=colour),
        *(
            drawn({"x": each.x, "y": each.y, "text": each.text} for each in some)
            .mark_text(align=align, fontSize=12, color=INK, fontWeight="bold" if bold else "normal")
            .encode(x, y, text="text:N")
            for (align, bold), some in _group_by_style(text for strip in strips for text in strip.texts()).items()
        ),
    )


def _group_by_style(texts: Iterable[_Lettering]) -> dict[tuple[Align, bool], list[_Lettering]]:
    styles: dict[tuple[Align, bool], list[_Lettering]] = {}
    for each in texts:
        styles.setdefault((each.align, each.bold), []).append(each)
    return styles
