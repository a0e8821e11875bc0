"""How sure does each asked reader get of anybody?  A dot per reader on one scale, and the limit as a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure
from sidelight.report.plots import BLUE, GREY, INK, VERMILION, Drawing, TableBehind, altair, finish_chart, share_axis
from sidelight.rounding import exact_text, round_up

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.exact import Amount

WIDTH, LINE = 440, 44
"""Pixels: of the scale, and of a reader's line."""

ROOM = 0.16
"""What a number takes, as a share of the scale."""


@dataclass(frozen=True, slots=True)
class ReaderBelief:
    """The largest belief of a reader about anybody; None where it could not be told."""

    reader: str
    belief: Amount | None
    limit: Amount | None
    text: str = ""
    limit_text: str = ""
    claims: bool = False  # whether it is only claimed, by a model
    lower_bound: bool = False  # whether people were left out, of whom more may be believed

    @property
    def beyond(self) -> bool:
        """Whether more is believed than the limit says."""
        return self.belief is not None and self.limit is not None and self.belief > self.limit


def readers_chart(beliefs: Sequence[ReaderBelief]) -> alt.TopLevelMixin:
    """Draw what readers reach, and how sure anybody may get."""
    known = [each for each in beliefs if each.belief is not None]
    if not known:
        message = "no reader could be told of, so there is no picture of them; the sentences say why"
        raise BadMeasure(message)
    return finish_chart(
        _dots(beliefs, known),
        title=readers_title(known),
        subtitle="What each reader believes at most about anybody, rounded up; of a learner only claimed."
        + (" At least that where people were left out." if any(each.lower_bound for each in known) else ""),
        table=TableBehind(
            ("reader", "how sure, at most", "limit"),
            tuple(
                (
                    each.reader,
                    "could not be told"
                    if each.belief is None
                    else _add_bound(each, each.text or exact_text(each.belief)),
                    "" if each.limit is None else exact_text(each.limit),
                )
                for each in beliefs
            ),
        ),
        width=600,
    )


def _dots(beliefs: Sequence[ReaderBelief], known: Sequence[ReaderBelief]) -> Drawing:
    """Draw a dot at the end of a line for each reader who could be told of, and the limit."""
    limit = next((each for each in beliefs if each.limit is not None), None)
    library = altair()
    order = [each.reader for each in beliefs]
    rows = [
        {
            "reader": each.reader,
            # a dot may overstate a risk by its rounding, and never understate it
            "belief": round_up(each.belief),
            "text": _add_bound(each, each.text),
            "beyond": each.beyond,
            "left": _to_the_left(each),
        }
        for each in known
        if each.belief is not None
    ]
    base = library.Chart(library.Data(values=rows), width=WIDTH, height=LINE * len(order))
    y = library.Y("reader:N").sort(order).scale(domain=order).axis(title=None, grid=False, ticks=False, labelLimit=260)
    x = share_axis(library.X("belief:Q"), "how sure of the value of one person, at most")
    colour = library.condition("datum.beyond", library.value(VERMILION), library.value(BLUE))
    words = {"baseline": "bottom", "dy": -4, "fontSize": 12, "fontWeight": "bold", "color": INK}
    return library.layer(
        base.transform_calculate(zero="0").mark_rule(color=GREY).encode(y, x, x2="zero:Q"),
        base.mark_point(filled=True, size=120, opacity=1).encode(y, x, color=colour),
        base.transform_filter("!datum.left").mark_text(align="left", dx=8, **words).encode(y, x, text="text:N"),
        base.transform_filter("datum.left").mark_text(align="right", dx=-8, **words).encode(y, x, text="text:N"),
        *_untold([each.reader for each in beliefs if each.belief is None], y),
        *([] if limit is None or limit.limit is None else _limit(limit.limit, limit.limit_text)),
    )


def _to_the_left(belief: ReaderBelief) -> bool:
    """Whether there is no room for a number at the right of the dot: the end or the limit is close."""
    assert belief.belief is not None
    # to the right of a dot comes the rule of the limit, or else the end of the scale
    ahead = 1 - belief.belief if belief.limit is None or belief.limit < belief.belief else belief.limit - belief.belief
    return ahead < ROOM and belief.belief > ROOM


def readers_title(known: Sequence[ReaderBelief]) -> str:
    """Return who gets surest, and whether that is more than the limit.

    >>> from fractions import Fraction
    >>> readers_title([ReaderBelief("a learner", Fraction(3, 5), Fraction(2, 3), "3/5", "2/3", claims=True)])
    'A learner claims to be at most 3/5 sure of anybody; the limit is 2/3'
    """
    surest = max(known, key=lambda each: each.belief or 0)
    name = surest.reader[:1].upper() + surest.reader[1:]
    end = f"; the limit is {surest.limit_text}" if surest.limit is not None else ""
    worst = (
        f"at least {surest.text} sure of somebody" if surest.lower_bound else f"at most {surest.text} sure of anybody"
    )
    return f"{name} {'claims to be' if surest.claims else 'is'} {worst}{end}"


def _add_bound(belief: ReaderBelief, text: str) -> str:
    return f"at least {text}" if belief.lower_bound else text


def _untold(readers: Sequence[str], y: Drawing) -> list[Drawing]:
    if not readers:
        return []
    library = altair()
    data = library.Data(values=[{"reader": reader, "text": "? could not be told"} for reader in readers])
    words = library.Chart(data).mark_text(align="left", dx=8, fontSize=12, color=INK)
    return [words.encode(y, x=library.value(0), text="text:N")]


def _limit(limit: Amount, text: str) -> list[Drawing]:
    library = altair()
    base = library.Chart(library.Data(values=[{"limit": float(limit), "text": f"limit {text}"}]))
    return [
        base.mark_rule(color=INK, strokeWidth=2).encode(x="limit:Q"),
        base.mark_text(color=INK, fontSize=12, baseline="bottom", dy=-4).encode(
            x="limit:Q", y=library.value(0), text="text:N"
        ),
    ]
