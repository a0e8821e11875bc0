"""How much does each further rule tell?  How far beliefs are from the truth, by how many rules are known.

Rules that say "has", rules that say "has not", and both kinds together are a line each, named at its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure
from sidelight.report.plots import BLUE, GREY, INK, VERMILION, TableBehind, altair, finish_chart
from sidelight.rounding import short_decimal
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

    from sidelight.max_entropy.measure import RuleCurve, RulePoint

COLOURS = {"both kinds": INK, "“has” alone": BLUE, "“has not” alone": VERMILION}


def rules_chart(curve: RuleCurve) -> alt.TopLevelMixin:
    """Draw the estimation error against the number of rules."""
    if not curve.points:
        message = "there is no point to draw; give rule_curve at least one bound"
        raise BadMeasure(message)
    library = altair()
    ordered = sorted(curve.points, key=_rules)
    nothing = [each for each in ordered if _rules(each) == 0]
    layers = []
    for kind, colour in COLOURS.items():
        own = [each for each in ordered if _rules(each) and _kind(each) == kind]
        if not own:
            continue
        # every line begins at the point without rules, which all kinds share
        line = [*nothing[:1], *own]
        rows = [{"rules": _rules(each), "error": each.estimation_error} for each in line]
        base = library.Chart(library.Data(values=rows), width=460, height=250)
        x = library.X("rules:Q").axis(title="rules known", format=",d", tickMinStep=1, tickCount=6)
        y = library.Y("error:Q").scale(zero=True).axis(title="how far beliefs are from the truth", tickCount=5)
        last = library.Chart(library.Data(values=[{**rows[-1], "text": kind}]))
        layers += [
            base.mark_line(color=colour, strokeWidth=2).encode(x, y),
            base.mark_point(color=colour, filled=True, opacity=1, size=45).encode(x, y),
            last.mark_text(align="left", dx=8, color=colour, fontSize=12).encode(x, y, text="text:N"),
        ]
    if not layers:
        rows = [{"rules": 0, "error": each.estimation_error} for each in nothing]
        layers = [library.Chart(library.Data(values=rows)).mark_point(color=GREY).encode(x="rules:Q", y="error:Q")]
    return finish_chart(
        library.layer(*layers),
        title=_title(ordered),
        subtitle="0: everything is known as it is. The surest belief and what the release adds stand in the table.",
        table=TableBehind(
            ("rules “has”", "rules “has not”", "estimation error", "surest belief", "gain"),
            tuple((p.positive, p.negative, p.estimation_error, p.surest, p.gain) for p in curve.points),
        ),
        width=600,
    )


def _title(ordered: list[RulePoint]) -> str:
    first, best = ordered[0], min(ordered, key=lambda each: each.estimation_error)
    far, near = short_decimal(first.estimation_error), short_decimal(best.estimation_error)
    fewest = counted(_rules(first), "rule") if _rules(first) else "none"
    if first is best:
        return f"Beliefs are closest to the truth, {near} away, knowing {fewest}"
    return f"Knowing {counted(_rules(best), 'rule')}, beliefs are {near} from the truth, and {far} knowing {fewest}"


def _rules(point: RulePoint) -> int:
    return point.positive + point.negative


def _kind(point: RulePoint) -> str:
    return "both kinds" if point.positive and point.negative else "“has” alone" if point.positive else "“has not” alone"
