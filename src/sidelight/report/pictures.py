"""The charts of a report, topic by topic, as SVG without scripts; none without the extra `plot`.

Drawn from the document alone, in the colours of the page (see `templates/page.css`).  There is none where the document
has no numbers for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis
from sidelight.report.answer import Recipe
from sidelight.report.charts.attackers import attackers_chart, checked_claims_chart
from sidelight.report.charts.groups import size_steps_chart, value_bars_chart
from sidelight.report.charts.limits import JudgedLimit, limits_chart
from sidelight.report.charts.risk_curves import RiskCurve, kinds_chart
from sidelight.report.charts.searches import candidates_chart, cuts_chart, losses_chart
from sidelight.report.charts.skyline import cells_chart
from sidelight.report.plots import expect_pictures, picture_of
from sidelight.report.release_report import CheckedBeliefs, ReleaseReport, ReportedRelease, SignOff, least_size
from sidelight.report.report import attacker_of

if TYPE_CHECKING:
    import altair as alt

    from sidelight.report.page import Picture


def pictures_of(report: ReleaseReport, name: str) -> tuple[Picture, ...]:
    """Draw the pictures of a topic; once for reports that differ in date and signature alone."""
    expect_pictures()
    # without what changes from day to day and is in no picture
    unsigned = report.answer.model_copy(update={"date": None, "sign_off": SignOff(), "again": Recipe()})
    return _draw_topic(unsigned.model_dump_json(), name)


@lru_cache(maxsize=64)
def _draw_topic(document: str, name: str) -> tuple[Picture, ...]:
    return tuple(map(picture_of, CHARTS[name](ReportedRelease.model_validate_json(document))))


def _draw_limits(report: ReportedRelease) -> Iterator[alt.TopLevelMixin]:
    judged = [(each, each.limit) for each in report.audit.findings if each.limit is not None]
    before = report.before.results if report.before else ()
    if judged:
        # results of the table stand in the order of the limits
        pairs = zip_longest(judged, before[: len(judged)])
        yield limits_chart(
            [JudgedLimit(attacker_of(each.measure).counts, limit, each.result, table) for (each, limit), table in pairs]
        )


def _sizes(report: ReportedRelease) -> Iterator[alt.TopLevelMixin]:
    smallest, half_in = report.smallest_group, report.half_in_groups_of
    if smallest is not None and half_in is not None:
        yield size_steps_chart(report.sizes, smallest, half_in, least_size(report.audit))


def _values(report: ReportedRelease) -> Iterator[alt.TopLevelMixin]:
    for counts in report.values[:3]:  # the first three sensitive columns
        rows = [(common.value, common.people) for common in counts.common]
        if not rows:
            continue
        if counts.rarer:
            rows.append((f"{counts.rarer:,} rarer value{'' if counts.rarer == 1 else 's'}", counts.rarer_people))
        yield value_bars_chart(counts.column, rows, people=counts.people, values=counts.values, several=counts.several)


def _draw_knowledge(report: ReportedRelease) -> Iterator[alt.TopLevelMixin]:
    """Draw one curve: that of the first limit of the policy that has one, or else the first."""
    curves = {curve.measure: curve for curve in report.curves}
    if not curves:
        return
    judged = [each for each in report.audit.findings if each.limit is not None and each.measure in curves]
    curve = curves[judged[0].measure] if judged else report.curves[0]
    limit, own = (judged[0].limit, judged[0].settings.get("k")) if judged else (None, None)
    # plain names of one and of several of a curve's amounts
    names = {
        "implications": ("well-chosen fact", "well-chosen facts"),
        "negations": ("value ruled out", "values ruled out"),
    }
    kind = RiskCurve(
        *names.get(curve.measure, (curve.parameter, curve.parameter)),
        curve.amounts,
        tuple(each.value for each in curve.risks),
        curve.measure,
    )
    # only an amount that was measured has a point on the curve
    marked = (own,) if isinstance(own, int) and own in curve.amounts else ()
    yield kinds_chart([kind], "of somebody's value", limit=limit, own=marked)


def _cells(report: ReportedRelease) -> Iterator[alt.TopLevelMixin]:
    for each in report.cells:
        axes = tuple(KnowledgeAxis(name, amounts) for name, amounts in each.amounts.items())
        curve = DisclosureCurve(each.measure, (), axes, tuple(risk.value for risk in each.risks))
        own = (each.own["rules_out"], each.own["others"], each.own["family"])
        yield cells_chart(curve, limit=each.limit, own=own)


def _draw_attackers(report: ReportedRelease) -> Iterator[alt.TopLevelMixin]:
    attackers = [each for each in report.audit.readers if each.outcome in ("asked", "could not tell")]
    if any(each.belief is not None for each in attackers):
        yield attackers_chart(attackers)


def calibration_picture(beliefs: CheckedBeliefs) -> Picture:
    """Draw what a model claims, and how often it is right."""
    error = beliefs.calibration_error
    return picture_of(checked_claims_chart(beliefs.model, beliefs.claimed, beliefs.right, error, beliefs.calibration))


def _draw_utility(report: ReportedRelease) -> Iterator[alt.TopLevelMixin]:
    making, others = report.made, report.candidates
    losses = {name: worth for name, worth in (making.utility if making else {}).items() if worth is not None}
    if any(name in losses for name in ("balanced loss", "loss", "non-uniform entropy")):
        yield losses_chart(losses)
    if others is not None:
        yield candidates_chart(others)


CHARTS: dict[str, Callable[[ReportedRelease], Iterator[alt.TopLevelMixin]]] = {
    "limits": _draw_limits,
    "sizes": _sizes,
    "values": _values,
    "knowledge": _draw_knowledge,
    "cells": _cells,
    "attackers": _draw_attackers,
    "cuts": lambda report: (cuts_chart(cuts.along, cuts.parts) for cuts in [report.cuts] if cuts is not None),
    "utility": _draw_utility,
}
