"""Which picture shows a finding?  The risk against what is known, the sizes of groups, or the group that decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure, TooHard, expect
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Criterion, Finding
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis
from sidelight.measures.exact import Amount
from sidelight.measures.limit_grammar import value_text
from sidelight.measures.measure import Measure
from sidelight.release.release import Release
from sidelight.report.charts.histograms import group_chart, sizes_chart
from sidelight.report.charts.risk_curves import RiskLimit, risk_chart

if TYPE_CHECKING:
    import altair as alt

FEW = 8
"""So many amounts are drawn at least."""

MOST = 25
"""So many amounts are measured at most."""


def finding_chart(finding: Finding, release: Release, *, criterion: Criterion | None = None) -> alt.TopLevelMixin:
    """Draw a finding on the release that it is of, with the limit of a criterion where there is one."""
    expect(Release, release, "what a finding is drawn on")
    measure, view = finding.measure.resolve(release)
    known = [name for name in measure.more_is_worse if name in measure.amounts()]
    if known and 0 <= finding.value <= 1:
        curves = [around(measure, view, name) for name in known]
        limit = None if criterion is None else RiskLimit(criterion.bound, criterion.comparison)
        own = measure.amounts()
        return risk_chart(curves, limit=limit, own=tuple(own[name] for name in known))
    if isinstance(measure, GroupSize):
        return sizes_chart(view, limit=None if criterion is None else criterion.bound)
    if finding.witness is None:
        message = f"nobody is worst off by '{measure.name}', so there is no picture of it; finding.explain() says it"
        raise BadMeasure(message)
    return group_chart(view, finding.witness.group, value=finding.witness.value)


def around(measure: Measure, release: Release, name: str) -> DisclosureCurve:
    """Measure a release at amounts from nothing to beyond the one that was asked about, the others as they are."""
    own = measure.amounts()[name]
    end = max(FEW, own + own // 3)
    # rounded up, so that there are no more than MOST steps
    step = max(1, -(-end // MOST))
    amounts, risks = [], list[Amount]()
    for amount in sorted({*range(0, end + 1, step), own}):
        try:
            risks.append(measure.replace_settings(**{name: amount}).measure(release).value)
        except (TooHard, BadMeasure):  # few amounts are too hard; so little of it may make no sense
            continue
        amounts.append(amount)
    settings = {key: value for key, value in measure.settings().items() if key != name}
    texts = tuple((key, value if isinstance(value, str) else value_text(value)) for key, value in settings.items())
    return DisclosureCurve(measure.name, texts, (KnowledgeAxis(name, tuple(amounts)),), tuple(risks))
