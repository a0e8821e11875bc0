"""How much of three kinds of knowledge at once does a release withstand?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.measures.disclosure_curve import DisclosureCurve
from sidelight.measures.measure import Bound
from sidelight.report.charts.risk_curves import risk_chart

if TYPE_CHECKING:
    import altair as alt


def curve_chart(curve: DisclosureCurve, *, limit: Bound | None = None) -> alt.TopLevelMixin:
    """Draw a curve: a step line where one amount varies, cells where two or three do."""
    return risk_chart([curve], limit=limit)
