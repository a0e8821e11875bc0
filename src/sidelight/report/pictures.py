"""Which charts does a report show?  Those of `charts`, as SVG without scripts; none without the extra `plot`.

Drawn from the document alone, in the colours of the page (see `templates/page.css`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight._rounding import decimal_text
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis
from sidelight.measures.exact import Amount
from sidelight.measures.measure import Comparison
from sidelight.report.charts.risk_curves import RiskLimit, risk_chart
from sidelight.report.page import Grid, Picture
from sidelight.report.plots import description_of, svg, table_behind
from sidelight.report.release_report import KnowledgeCurve, ReleaseReport

if TYPE_CHECKING:
    import altair as alt


def knowledge_picture(report: ReleaseReport) -> Picture:
    """Draw how the risk grows with what somebody knows, the policy's limit with it.

    One curve: that of the policy's first limit that is about one, or else the first.
    """
    curves = {curve.measure: curve for curve in report.answer.curves}
    judged = [each for each in report.answer.audit.findings if each.limit is not None and each.measure in curves]
    limit, own = (judged[0].limit, judged[0].settings.get("k")) if judged else (None, None)
    curve = curves[judged[0].measure] if judged else report.answer.curves[0]
    chart = risk_chart(
        [_curve(curve)],
        limit=None if limit is None else RiskLimit(Fraction(limit.bound.exact), Comparison(limit.comparison)),
        own=(own,) if isinstance(own, int) else (),
    )
    return picture_of(chart)


def _curve(curve: KnowledgeCurve) -> DisclosureCurve:
    axes = (KnowledgeAxis(curve.parameter, curve.amounts),)
    return DisclosureCurve(curve.measure, (), axes, tuple(_amount(risk.exact) for risk in curve.risks))


def _amount(text: str) -> Amount:
    return math.inf if text == "inf" else Fraction(text)


def picture_of(chart: alt.TopLevelMixin) -> Picture:
    """Give a chart as a page shows it: in the page's colours, with the table behind it."""
    behind = table_behind(chart)
    rows = tuple(tuple(map(_cell, row)) for row in behind.rows)
    figures = frozenset(at for at in range(len(behind.columns)) if rows and _is_figure(behind.rows[0][at]))
    return Picture(svg(chart, "page"), description_of(chart), Grid(behind.columns, rows, figures=figures))


def _cell(cell: object) -> str:
    if isinstance(cell, float) and math.isfinite(cell):
        return decimal_text(Fraction(cell), up=True)
    return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)


def _is_figure(cell: object) -> bool:
    return isinstance(cell, int | float)
