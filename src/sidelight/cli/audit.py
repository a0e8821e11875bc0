"""`sidelight audit`: what does this file reveal, and is it within the policy?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sidelight.cli.inputs import Question, inputs_of, open_release, readers_asked
from sidelight.cli.output import Output
from sidelight.cli.release_page import report_on_audit
from sidelight.cli.run import Status
from sidelight.measures.about import asked_about_each
from sidelight.measures.measure import findings as measure_all
from sidelight.policy.measure_names import shown_measures
from sidelight.policy.policy import without_repeats
from sidelight.release.printing import Printing
from sidelight.release.release import Release
from sidelight.report.outlines import release_page
from sidelight.report.report import AuditReport, audit_report, singled_out
from sidelight.report.terminal import report_parts
from sidelight.table.hierarchy_io import read_hierarchies


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """Which file, and what is asked of it."""

    file: str
    question: Question
    hierarchies: Path | None = None  # which say what printed labels cover, where a population is looked up


def audit(request: AuditRequest, output: Output) -> Status:
    """Read, measure, judge, print."""
    output.refuse((*inputs_of(request.file), *request.question.files))
    release = open_release(request.file, request.question.roles, weights=request.question.needs_weights)
    if request.hierarchies is not None:
        along = Printing.along(read_hierarchies(request.hierarchies))
        release = replace(release, printing=along if release.printing is None else release.printing.updated(along))
    report = judge(release, request.question, source=request.file)
    output.write(
        report,
        report_parts(report),
        page=lambda: release_page(report_on_audit(request.file, release, report, request.question)),
    )
    return Status.NOT_WITHIN_POLICY if report.answer.verdict == "not within policy" else Status.WITHIN_POLICY


def judge(release: Release, question: Question, *, source: str) -> AuditReport:
    """Measure and judge; with neither limits nor measures, show who stands alone and all usual measures that apply."""
    measures = question.measures
    unasked = question.policy is None and not measures
    if unasked:
        compared = question.compared()
        usual = (kind() for kind in shown_measures() if kind not in map(type, compared))
        measures = (*(measure for measure in usual if release.semantics in measure.semantics), *compared)
    columns, domain = release.sensitive_columns, release.domain
    measures = without_repeats(each for measure in measures for each in asked_about_each(measure, columns, domain))
    return audit_report(
        release,
        verdict=None if question.policy is None else question.policy.judge(release),
        findings=list(measure_all(measures, release)),
        source=source,
        roles=question.roles.stated(),
        notes=question.notes,
        singled_out=singled_out(release) if unasked else None,
        readers=readers_asked(source, question.roles),
    )


def print_report(report: AuditReport, output: Output) -> None:
    """Print the report, as JSON or for people, and write it to a file if asked."""
    output.write(report, report_parts(report))
