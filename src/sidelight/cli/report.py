"""`sidelight report`: what does somebody sign who lets a release go?"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sidelight.answers.sources import Question, inputs_of, open_release, open_table, require_columns
from sidelight.cli.audit import judge, report_on_audit
from sidelight.cli.options import ReportOptions, ReportOutputOptions
from sidelight.cli.run import Output, Status, command_line, say
from sidelight.engines.files import files_of
from sidelight.engines.postgres.session import is_address
from sidelight.errors import SidelightError
from sidelight.files import SIDECAR_ENDING, sidecar_path
from sidelight.policy.policy_file import PolicyFile, read_policy_text
from sidelight.publish.sidecar import read_sidecar
from sidelight.report.contents import drawn_without_charts
from sidelight.report.make import ReportDetails, judge_table, read_attack, report_on_sidecar
from sidelight.report.outlines import release_page
from sidelight.report.release_report import ReleaseReport, SignOff
from sidelight.report.report import AuditReport
from sidelight.report.terminal import conclusion
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies

REPORT_ENDING = ".report.html"


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Which release, what is asked of it, and what stands in the report besides."""

    file: str
    question: Question
    options: ReportOptions
    hierarchies: Path | None = None
    policy: Path | None = None

    @property
    def release_file(self) -> str:
        """The release, also where its sidecar was named."""
        return self.file.removesuffix(SIDECAR_ENDING) if self.file.endswith(SIDECAR_ENDING) else self.file


def report(request: ReportRequest, target: ReportOutputOptions) -> Status:
    """Read, measure, judge, draw, write."""
    file, options = request.release_file, request.options
    output = _output(request, target)
    output.refuse(_inputs(request))
    details = _details(options)
    if request.file != file and not Path(file).exists():
        document = report_on_sidecar(read_sidecar(Path(file)), details)
    else:
        document = _measured(request, details)
    verdict = AuditReport(source=document.source, answer=document.answer.audit)
    output.write(document, [conclusion(verdict)], page=lambda: release_page(document, options.outline))
    if any((output.html, output.pdf)):
        for note in drawn_without_charts():
            say(note.text)
    broken = document.answer.audit.verdict == "not within policy"
    return Status.NOT_WITHIN_POLICY if broken else Status.WITHIN_POLICY


def _measured(request: ReportRequest, details: ReportDetails) -> ReleaseReport:
    file, question = request.release_file, request.question
    release = open_release(file, question.roles, weights=question.needs_weights)
    audit = judge(release, question, source=file)
    before = None
    if request.options.table is not None:
        if question.policy is None:
            message = "--table tells the risk before by the limits, and there are none; give --policy or --limit"
            raise SidelightError(message)
        require_columns(request.options.table, question.roles)
        by = None if request.hierarchies is None else read_hierarchies(request.hierarchies)
        before = judge_table(open_table(request.options.table, question.roles, by), question.policy)
    return report_on_audit(file, release, audit, question, details=details, before=before, table=request.options.table)


def _output(request: ReportRequest, target: ReportOutputOptions) -> Output:
    """Say where it goes; with nothing said, to an HTML file beside the release."""
    named = any((target.html, target.markdown, target.pdf, target.output, target.json))
    html = target.html
    if not named:
        if request.file == "-" or is_address(request.file):
            where = "standard input" if request.file == "-" else "a table of a database"
            message = f"a report on {where} needs a name; give --html FILE"
            raise SidelightError(message)
        html = Path(request.release_file + REPORT_ENDING)
    policy = () if request.policy is None else (request.policy,)
    return Output(target.json, target.output, target.force, policy, html, target.markdown, target.pdf)


def _inputs(request: ReportRequest) -> Iterator[Path]:
    file, options = request.release_file, request.options
    if Path(file).exists() or request.file == file:
        yield from inputs_of(file)
    else:
        yield sidecar_path(Path(file))
    yield from request.question.files
    yield from options.attack
    yield from files_of(options.table) if options.table is not None else ()
    yield from hierarchy_files(request.hierarchies) if request.hierarchies is not None else ()


def _details(options: ReportOptions) -> ReportDetails:
    day = _day(options.date)
    signed = options.signed_by or options.decision
    sign_off = SignOff(
        name=options.signed_by,
        role=options.role,
        date=day if signed else "",
        decision=options.decision or "",
        reasons=options.reasons,
    )
    attacks = tuple(map(read_attack, options.attack))
    return ReportDetails(date=day, attacks=attacks, commands=(command_line(),), sign_off=sign_off)


def _day(text: str | None) -> str:
    if text is None:
        return dt.datetime.now(dt.UTC).date().isoformat()
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        message = f"cannot read --date '{text}'; give a day such as 2026-01-31"
        raise SidelightError(message) from None


def told_by_sidecar(file: str, population: str | None = None) -> PolicyFile | None:
    """Give the policy that a sidecar tells of, and the roles that its table was read with."""
    path = Path(file.removesuffix(SIDECAR_ENDING))
    return read_policy_text(read_sidecar(path).policy, population=population) if sidecar_path(path).is_file() else None
