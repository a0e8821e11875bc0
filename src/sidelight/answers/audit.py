"""What does this file reveal, and is it within the policy?

Also the report that is signed about a release.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import sidelight as sl
from sidelight.answers.questions import AuditRequest, ReportRequest
from sidelight.answers.recipe import write_file_report
from sidelight.answers.sources import (
    Question,
    find_asked_attackers,
    find_single_file,
    open_release,
    open_release_blocks,
    open_table,
    require_columns,
)
from sidelight.files import sidecar_path
from sidelight.measures.about import ask_each_column, prepare_release
from sidelight.measures.about import findings as measure_all
from sidelight.policy.measure_names import shown_measures
from sidelight.policy.policy import drop_repeats
from sidelight.publish.sidecar import read_sidecar
from sidelight.release.printed_labels import Printing
from sidelight.release.release import ReleaseBlocks
from sidelight.report.answer import Live, Recipe
from sidelight.report.contents import OutlineName, release_page
from sidelight.report.release_report import Circumstances, ReleaseReport, SignOff
from sidelight.report.report import AuditReport, audit_report, singled_out

if TYPE_CHECKING:
    from sidelight.release.population import SomeRelease
    from sidelight.report.page import Page


def write_audit(request: AuditRequest) -> str:
    """Write the Python that comes to the same."""
    return write_file_report(request.file, request.question, streamed=request.settings.memory is not None)


class AuditAnswer(AuditReport):
    """What a release reveals; its page is the report to sign."""

    request: Live[AuditRequest]
    release: Live[ReleaseBlocks]

    def page(self, recipe: Recipe) -> Page:
        known = Circumstances(again=recipe)
        return release_page(build_report(self.request.file, self.release, self, self.request.question, known))


def ask_audit(request: AuditRequest) -> AuditAnswer:
    """Read, measure and judge a published file."""
    question, release = request.question, open_release_blocks(request)
    if request.hierarchies is not None:
        release = attach_hierarchies(release, sl.read_hierarchies(request.hierarchies))
    return AuditAnswer(**dict(judge(release, question, source=request.file)), request=request, release=release)


def attach_hierarchies(release: SomeRelease, hierarchies: Mapping[str, sl.Hierarchy]) -> SomeRelease:
    """Return the release with printed labels that cover what the hierarchies define."""
    if not hierarchies:
        return release
    printing = Printing.from_hierarchies(hierarchies)
    return replace(release, printing=printing if release.printing is None else release.printing.override(printing))


def judge(release: ReleaseBlocks, question: Question, *, source: str) -> AuditReport:
    """Measure and judge; without limits and measures, compute the usual measures that apply, and who is unique."""
    measures = question.measures
    is_overview = question.policy is None and not measures
    if is_overview:
        compared = question.compared()
        usual = (kind() for kind in shown_measures() if kind not in map(type, compared))
        measures = (*(measure for measure in usual if release.semantics in measure.semantics), *compared)
    columns, domain = release.sensitive_columns, release.domain
    measures = drop_repeats(each for measure in measures for each in ask_each_column(measure, columns, domain))
    limits = () if question.policy is None else question.policy.about_each(columns, domain).measures
    release = prepare_release((*limits, *measures), release)  # once for limits, findings and report
    return audit_report(
        release,
        verdict=None if question.policy is None else question.policy.judge(release),
        findings=list(measure_all(measures, release)),
        source=source,
        roles=question.roles.stated(),
        notes=question.notes,
        singled_out=singled_out(release) if is_overview else None,
        attackers=find_asked_attackers(source, question.roles),
    )


def build_report(
    file: str, release: ReleaseBlocks, audit: AuditReport, question: Question, known: Circumstances
) -> ReleaseReport:
    """Build the report from an audit, and from the sidecar beside the file, if there is one."""
    from sidelight.report.make import add_curves, circumstances, published_circumstances  # noqa: PLC0415

    if sidecar_path(Path(file)).is_file():
        document = read_sidecar(Path(file))
        known = published_circumstances(known, document, policy=question.policy, path=Path(file))
    else:
        known = circumstances(known, question.policy, find_single_file(file))
    return add_curves(audit.model_copy(update={"source": Path(file).name}), release, known, question.policy)


def write_report_again(request: ReportRequest) -> str:
    """Write the Python that comes to the same."""
    return write_file_report(request.release, request.question, date=_read_day(request.date), table=request.table)


def _read_day(date: str | None) -> str:
    """Parse the day of a report; by default, today."""
    if date is None:
        return dt.datetime.now(dt.UTC).date().isoformat()
    try:
        return dt.date.fromisoformat(date).isoformat()
    except ValueError:
        raise sl.SidelightError(f"cannot read --date '{date}'; give a day such as 2026-01-31") from None


class ReportAnswer(ReleaseReport):
    """A report about a release, ordered by an outline."""

    outline: Live[OutlineName | None] = None

    def page(self, recipe: Recipe) -> Page:
        return release_page(self, self.outline)


def ask_report(request: ReportRequest, commands: tuple[str, ...]) -> ReportAnswer:
    """Read, measure and judge; without the release, report on its sidecar.

    `commands` reproduce the document.
    """
    from sidelight.report.make import judge_table, read_attack, report_on_sidecar  # noqa: PLC0415 - only reports

    day = _read_day(request.date)
    known = Circumstances(
        date=day,
        attacks=tuple(map(read_attack, request.attack)),
        again=Recipe(commands=commands, python=write_report_again(request)),
        sign_off=SignOff(
            name=request.signed_by,
            role=request.role,
            date=day if request.signed_by or request.decision else "",
            decision=request.decision or "",
            reasons=request.reasons,
        ),
    )
    file, question = request.release, request.question
    if request.file != file and not request.released:
        document = report_on_sidecar(read_sidecar(Path(file)), known)
        return ReportAnswer(**dict(document), outline=request.outline)
    release = open_release(file, question.roles, weights=question.needs_weights)
    audit = judge(release, question, source=file)
    if request.table is not None:
        if question.policy is None:
            raise sl.SidelightError(
                "--table tells the risk before by the limits, and there are none; give --policy or --limit"
            )
        require_columns(request.table, question.roles)
        by = None if request.hierarchies is None else sl.read_hierarchies(request.hierarchies)
        known = replace(known, before=judge_table(open_table(request.table, question.roles, by), question.policy))
    document = build_report(file, release, audit, question, known)
    return ReportAnswer(**dict(document), outline=request.outline)
