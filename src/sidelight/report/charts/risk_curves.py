"""Charts of the risk against an attacker's knowledge: a step line per kind of knowledge, and the limit as a rule.

The first amount that crosses the limit is decided in fractions, and marked; amounts above it keep it crossed, as more
knowledge never lowers the risk.  Several kinds are panels side by side, on one scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from sidelight.documents.document import PolicyBound, number, policy_bound
from sidelight.errors import BadMeasure, as_given
from sidelight.measures.criterion import Amount, Bound, Comparison, Criterion, exact
from sidelight.report.plots import (
    BLUE,
    INK,
    VERMILION,
    Drawing,
    TableBehind,
    altair,
    draw_rows,
    finish_chart,
    share_axis,
)
from sidelight.rounding import LARGEST_NUMBER, exact_text, in_words, round_up, short_amount
from sidelight.text import join_words

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.disclosure_curve import DisclosureCurve

KINDS: dict[tuple[str, str], tuple[str, str]] = {
    ("implications", "k"): ("implication", "implications"),
    ("negations", "k"): ("negation", "negations"),
    ("acquaintance", "rules_out"): ("value ruled out", "values ruled out"),
    ("acquaintance", "others"): ("other person's value", "other people's values"),
    ("acquaintance", "family"): ("member of the family", "members of the family"),
}
"""The names of one and of several of a measure's amounts."""


ONE_WIDTH = 480
"""Pixels of a panel by itself."""


@dataclass(frozen=True, slots=True)
class RiskCurve:
    """The risk at each amount of one kind of knowledge."""

    one: str
    several: str
    amounts: tuple[int, ...]
    risks: tuple[Amount, ...]
    measure: str = "the risk"

    @property
    def is_probability(self) -> bool:
        """Whether all risks lie between 0 and 1."""
        return all(0 <= risk <= 1 for risk in self.risks)

    @classmethod
    def from_curve(cls, curve: DisclosureCurve) -> RiskCurve:
        """Build the risk curve along the only axis that varies."""
        varied = [axis for axis in curve.axes if len(axis.amounts) > 1] or list(curve.axes[:1])
        (axis,) = varied
        one, several = kind_of(curve.measure, axis.name)
        # amounts may be given in any order, and steps are drawn from left to right
        amounts, risks = zip(*sorted(zip(axis.amounts, curve.risks, strict=True)), strict=True)
        return cls(one, several, amounts, risks, curve.measure)

    def position(self, amount: int) -> float:
        """Return the position of an amount on its axis, from 0 to 1."""
        if not self.is_far:
            return amount / self.most
        # as Vega's symlog with the same constant, so that this agrees with the drawing
        return math.log1p(amount / 4) / math.log1p(self.most / 4)

    @property
    def most(self) -> int:
        """The end of the axis."""
        return max(self.amounts[-1], 1)

    @property
    def is_far(self) -> bool:
        """Whether the scale is logarithmic beyond the first few amounts."""
        return self.most > 60

    def first_above(self, limit: PolicyBound) -> int | None:
        """Return the smallest amount at which the limit is exceeded."""
        crossed = (amount for amount, risk in zip(self.amounts, self.risks, strict=True) if not limit.holds(risk))
        return next(crossed, None)

    def amount_text(self, amount: int) -> str:
        """Name an amount."""
        return amount_text((self.one, self.several), amount)


def kind_of(measure: str, amount: str) -> tuple[str, str]:
    """Return the names of one and of several of a measure's amounts."""
    return KINDS.get((measure, amount), (amount, amount))


def amount_text(kind: tuple[str, str], amount: float) -> str:
    """Name an amount of a kind of knowledge.

    >>> amount_text(("implication", "implications"), 1), amount_text(("value ruled out", "values ruled out"), math.inf)
    ('one implication', 'any number of values ruled out')
    """
    if amount == math.inf:
        return f"any number of {kind[1]}"
    return f"one {kind[0]}" if amount == 1 else f"{amount:,} {kind[1]}"


def read_risk_limit(limit: Bound | Criterion | PolicyBound | None) -> PolicyBound | None:
    """Return a limit on a risk, "below" for a plain number; raise where it is beyond every risk.

    >>> read_risk_limit(0.5).in_words
    'below 0.5'
    """
    if limit is None:
        return None
    if isinstance(limit, PolicyBound):
        return limit
    bound = limit.bound if isinstance(limit, Criterion) else limit
    if exact(bound) > LARGEST_NUMBER:
        raise BadMeasure(f"a limit of {as_given(bound)} is beyond every risk; give a smaller one, or none")
    if isinstance(limit, Criterion):
        return policy_bound(limit)
    return PolicyBound(comparison=Comparison.BELOW, bound=number(exact(bound), large_is_bad=False), text=f"< {bound}")


def risk_chart(
    curves: Sequence[DisclosureCurve], *, limit: Bound | Criterion | PolicyBound | None = None, own: Sequence[int] = ()
) -> alt.TopLevelMixin:
    """Draw the risk against the amount of knowledge, a panel per curve; `own` are amounts to mark, one per curve."""
    if not curves:
        raise BadMeasure("there is no curve to draw; give at least one")
    kinds = [RiskCurve.from_curve(curve) for curve in curves]
    return kinds_chart(kinds, describe_value(curves[0]), limit=read_risk_limit(limit), own=own)


def kinds_chart(
    kinds: Sequence[RiskCurve], about: str, *, limit: PolicyBound | None = None, own: Sequence[int] = ()
) -> alt.TopLevelMixin:
    """Draw the risk against each kind of knowledge; `about` says in words what is learnt."""
    library = altair()
    width = ONE_WIDTH if len(kinds) == 1 else 186
    # four panels are two rows of two, without a gap
    columns = min(len(kinds), 2 if len(kinds) in (2, 4) else 3)
    panels = [
        _panel(kind, width, limit, amount, first=index % columns == 0, last=index == columns - 1)
        for index, (kind, amount) in enumerate(zip_longest(kinds, own))
    ]
    others = "" if len(kinds) == 1 else " Each panel varies one kind of knowledge and leaves the others as asked."
    subtitle = f"About the person who is worst off.{others}"
    if not own:
        # where a curve ends without reaching the limit
        quiet = [kind.amount_text(kind.amounts[-1]) for kind in kinds if limit and kind.first_above(limit) is None]
        crossed = limit is not None and len(quiet) < len(kinds)
        ends = f" Not reached with {', '.join(quiet)}." if quiet and crossed else ""
        subtitle = f"The best that somebody can do who knows so much, about the person who is worst off.{ends}"
    chart = panels[0] if len(panels) == 1 else library.concat(*panels, columns=columns, spacing=28)
    return finish_chart(
        chart,
        title=risk_title(kinds, limit, about, own),
        subtitle=subtitle,
        table=TableBehind(
            ("what is known", "how much of it", "risk, exactly", "risk, rounded up"),
            tuple(
                (kind.several, amount, exact_text(risk), round_up(risk) if math.isfinite(risk) else None)
                for kind in kinds
                for amount, risk in zip(kind.amounts, kind.risks, strict=True)
            ),
        ),
        width=(width + 30) * columns + 60,
    )


def risk_title(kinds: Sequence[RiskCurve], limit: PolicyBound | None, about: str, own: Sequence[int] = ()) -> str:
    """Return the title: what the curves show, or the risk at the amounts `own`.

    >>> from fractions import Fraction
    >>> curve = RiskCurve("implication", "implications", (0, 1, 2), (Fraction(1, 3), Fraction(1, 2), Fraction(1)))
    >>> risk_title([curve], read_risk_limit(Fraction(1, 2)), "that a person has Flu")
    'One implication is enough to be at least 1/2 sure that a person has Flu'
    >>> risk_title([curve], None, "that a person has Flu")
    'Knowing 2 implications, somebody can be certain that a person has Flu'
    """
    if own:
        amounts = [kind.amount_text(amount) for kind, amount in zip(kinds, own, strict=True) if amount]
        reached = kinds[0].risks[kinds[0].amounts.index(own[0])]
        side = (
            "" if limit is None else f", {'within' if limit.holds(reached) else 'beyond'} the limit ({limit.in_words})"
        )
        return f"Knowing {join_words(amounts) or 'nothing more'}, somebody can be {_sure_words(reached)} {about}{side}"
    if not all(kind.is_probability for kind in kinds):
        return _plain_title(kinds, limit)
    nothing = [kind.risks[0] for kind in kinds if kind.amounts[0] == 0 and limit and not limit.holds(kind.risks[0])]
    if nothing:
        return f"Even somebody who knows nothing more can be {_sure_words(max(nothing))} {about}"
    crossed = [(amount, kind) for kind in kinds if limit and (amount := kind.first_above(limit)) is not None]
    if limit and crossed:
        least = min(amount for amount, _ in crossed)
        enough = " or ".join(kind.amount_text(least) for amount, kind in crossed if amount == least)
        verb = "is" if least == 1 else "are"
        return f"{enough[0].upper()}{enough[1:]} {verb} enough to be {limit.negation} sure {about}"
    if limit:
        known = " or ".join(kind.amount_text(kind.amounts[-1]) for kind in kinds)
        return f"Knowing up to {known}, nobody can be {limit.negation} sure {about}"
    risk, kind = max(((kind.risks[-1], kind) for kind in kinds), key=lambda each: each[0])
    return f"Knowing {kind.amount_text(kind.amounts[-1])}, somebody can be {_sure_words(risk)} {about}"


def _plain_title(kinds: Sequence[RiskCurve], limit: PolicyBound | None) -> str:
    kind = kinds[0]
    amount = kind.first_above(limit) if limit else None
    if limit and amount is not None:
        return f"From {kind.amount_text(amount)} on, {kind.measure} is no longer {limit.in_words}"
    return f"Knowing {kind.amount_text(kind.amounts[-1])}, {kind.measure} is {in_words(kind.risks[-1])}"


def _sure_words(risk: Amount) -> str:
    return "certain" if risk == 1 else f"{in_words(risk)} sure"


def describe_value(curve: DisclosureCurve) -> str:
    """Return in words what an attacker becomes confident of."""
    value = dict(curve.settings).get("value")
    if value is None:
        return "of somebody's value"
    return f"that a person has {f'one of {value[1:-1]}' if value.startswith('[') else value}"


def _panel(
    kind: RiskCurve, width: int, limit: PolicyBound | None, own: int | None, *, first: bool, last: bool
) -> Drawing:
    """Draw one kind of knowledge; the first panel of a row has the axis, the last one the words of the limit."""
    library = altair()
    height = width * 8 // 9 if width < ONE_WIDTH else width * 5 // 9
    rows = [
        {"amount": amount, "risk": round_up(risk), "exact": exact_text(risk)}
        for amount, risk in zip(kind.amounts, kind.risks, strict=True)
        if math.isfinite(risk)
    ]
    base = draw_rows(rows, width, height)
    x, y = _across(kind), library.Y("risk:Q").axis(title=kind.measure if first else None)
    if kind.is_probability:
        y = share_axis(library.Y("risk:Q"), "How sure somebody can be", labels=first)
    # steps, as there is nothing between two whole amounts of knowledge
    layers = [base.mark_line(color=BLUE, strokeWidth=2.5, interpolate="step-after").encode(x, y)]
    if len(rows) <= 12:  # few amounts have a point each
        layers.append(base.mark_point(color=BLUE, filled=True, opacity=1, size=28).encode(x, y))
    if limit is not None:
        rule = draw_rows([{"limit": round_up(limit.bound.value), "text": ["limit:", limit.in_words]}])
        words = rule.mark_text(align="left", baseline="middle", color=INK, fontSize=12, dx=6, lineHeight=15)
        layers.append(rule.mark_rule(color=INK, strokeWidth=1.5).encode(y="limit:Q"))
        if last:  # panels of a row share their scale: words at the last one serve all
            layers.append(words.encode(y="limit:Q", x=library.value(width), text="text:N"))
        amount = kind.first_above(limit)
        if amount is not None:
            layers += _crossing(kind, amount, limit.bound.value, width)
    if own is not None and own in kind.amounts:
        layers += _own_point(kind, own, width, height)
    return library.layer(*layers)


def _across(kind: RiskCurve) -> Drawing:
    library = altair()
    most = kind.most
    scale = {"type": "symlog", "constant": 4} if kind.is_far else {"nice": False}
    # powers of ten, but none so close to the end that their labels would overlap
    values = sorted({0, *(10**power for power in range(1, 8) if 10**power < most * 0.7), most})
    ticks = {"values": values} if kind.is_far else {"tickMinStep": 1, "tickCount": 6}
    title = kind.several if "ruled" in kind.several else f"{kind.several} known"
    return library.X("amount:Q").scale(domain=[0, most], **scale).axis(library.Axis(format=",d", title=title, **ticks))


def _crossing(kind: RiskCurve, amount: int, bound: Amount, width: int) -> list[Drawing]:
    """Mark the first amount that is too much; right below it, or else left above it, the curve leaves room."""
    risk = kind.risks[kind.amounts.index(amount)]
    text = f"{amount:,} {'is' if amount == 1 else 'are'} enough" if amount else "even with none"
    if amount and width >= ONE_WIDTH:
        text = f"{text} to break the limit"
    base = draw_rows([{"amount": amount, "risk": round_up(risk), "limit": float(bound), "text": text}])
    to_the_right = kind.position(amount) <= 0.6
    below = float(bound) > 0.12
    style = (
        {"align": "left", "dx": 8, "dy": 14 if below else -10}
        if to_the_right
        else {"align": "right", "dx": -8, "dy": -10}
    )
    return [
        base.mark_rule(color=VERMILION, strokeWidth=1, strokeDash=[3, 3]).encode(
            x="amount:Q", y="risk:Q", y2=altair().value("height")
        ),
        base.mark_point(color=VERMILION, filled=True, opacity=1, size=90).encode(x="amount:Q", y="risk:Q"),
        base.mark_text(color=VERMILION, fontWeight="bold", fontSize=13, baseline="middle", **style).encode(
            x="amount:Q", y="limit:Q", text="text:N"
        ),
    ]


def _own_point(kind: RiskCurve, own: int, width: int, height: int) -> list[Drawing]:
    """Mark an amount; its words are at the foot, where a rising curve leaves room."""
    risk = kind.risks[kind.amounts.index(own)]
    if not math.isfinite(risk):
        return []
    style = {"align": "left", "dx": 8} if kind.position(own) <= 0.6 else {"align": "right", "dx": -8}
    glance = short_amount(risk, large_is_bad=True)
    text = glance if width < ONE_WIDTH else f"asked about: {kind.amount_text(own)}, {glance}"
    base = draw_rows([{"amount": own, "risk": round_up(risk), "text": text}])
    x = altair().X("amount:Q")
    return [
        base.mark_rule(color=INK, strokeWidth=1, strokeDash=[2, 3]).encode(x, y="risk:Q", y2=altair().value("height")),
        base.mark_point(color=INK, filled=False, opacity=1, size=170, strokeWidth=2).encode(x, y="risk:Q"),
        base.mark_text(color=INK, fontSize=12, baseline="middle", **style).encode(
            x, y=altair().value(height - 12), text="text:N"
        ),
    ]
