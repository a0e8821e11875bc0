"""What does somebody sign who lets a release go?"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sidelight.answers.audit import build_report, judge
from sidelight.answers.recipe import write_report
from sidelight.answers.sources import Question, inputs_of, open_release, open_table, require_columns
from sidelight.engines.files import files_of
from sidelight.errors import SidelightError
from sidelight.files import SIDECAR_ENDING, sidecar_path
from sidelight.policy.policy_file import PolicyFile, read_policy_text
from sidelight.progress import Progress, quiet
from sidelight.publish.sidecar import read_sidecar
from sidelight.report.answer import Live, Recipe
from sidelight.report.make import ReportDetails, judge_table, read_attack, report_on_sidecar
from sidelight.report.outlines import OutlineName, release_page
from sidelight.report.page import Page
from sidelight.report.release_report import Decision, ReleaseReport, SignOff
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Which release, what is asked of it, and what stands in the report besides."""

    file: str  # the release, or its sidecar
    question: Question
    hierarchies: Path | None = None
    table: str | None = None  # the original, to tell the risk before
    attack: tuple[Path, ...] = ()  # answers of attacks that were tried
    outline: OutlineName | None = None
    date: str | None = None
    signed_by: str = ""
    role: str = ""
    decision: Decision | None = None
    reasons: str = ""
    commands: tuple[str, ...] = ()  # that come to the same document

    @property
    def release(self) -> str:
        """The release, also where its sidecar was named."""
        return self.file.removesuffix(SIDECAR_ENDING)

    @property
    def day(self) -> str:
        """The day that the report says."""
        if self.date is None:
            return dt.datetime.now(dt.UTC).date().isoformat()
        try:
            return dt.date.fromisoformat(self.date).isoformat()
        except ValueError:
            message = f"cannot read --date '{self.date}'; give a day such as 2026-01-31"
            raise SidelightError(message) from None

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        return tuple(self._files())

    def _files(self) -> Iterator[Path]:
        if Path(self.release).exists() or self.file == self.release:
            yield from inputs_of(self.release)
        else:
            yield sidecar_path(Path(self.release))
        yield from self.question.files
        yield from self.attack
        yield from files_of(self.table) if self.table is not None else ()
        yield from hierarchy_files(self.hierarchies) if self.hierarchies is not None else ()

    def python(self) -> str:
        """Write the lines of Python that come to the same."""
        return write_report(self.release, self.question, date=self.day, table=self.table)

    def details(self) -> ReportDetails:
        """Return what only whoever asks can say."""
        signed = self.signed_by or self.decision
        return ReportDetails(
            date=self.day,
            attacks=tuple(map(read_attack, self.attack)),
            commands=self.commands,
            python=self.python(),
            sign_off=SignOff(
                name=self.signed_by,
                role=self.role,
                date=self.day if signed else "",
                decision=self.decision or "",
                reasons=self.reasons,
            ),
        )


class ReportAnswer(ReleaseReport):
    """A report about a release, in the order of a regime's document."""

    outline: Live[OutlineName | None] = None

    def page(self, recipe: Recipe) -> Page:
        """Lay the report out; how to come to it again stands in the document."""
        del recipe
        return release_page(self, self.outline)


def ask(request: ReportRequest, progress: Progress = quiet) -> ReportAnswer:
    """Read, measure and judge; of a sidecar whose release is elsewhere, tell what it says."""
    del progress
    details = request.details()
    if request.file != request.release and not Path(request.release).exists():
        document = report_on_sidecar(read_sidecar(Path(request.release)), details)
    else:
        document = _measure(request, details)
    return ReportAnswer(**dict(document), outline=request.outline)


def _measure(request: ReportRequest, details: ReportDetails) -> ReleaseReport:
    file, question = request.release, request.question
    release = open_release(file, question.roles, weights=question.needs_weights)
    audit = judge(release, question, source=file)
    before = None
    if request.table is not None:
        if question.policy is None:
            message = "--table tells the risk before by the limits, and there are none; give --policy or --limit"
            raise SidelightError(message)
        require_columns(request.table, question.roles)
        by = None if request.hierarchies is None else read_hierarchies(request.hierarchies)
        before = judge_table(open_table(request.table, question.roles, by), question.policy)
    return build_report(file, release, audit, question, details=details, before=before)


def read_sidecar_policy(file: str, population: str | None = None) -> PolicyFile | None:
    """Return the policy that a sidecar tells of, with the roles that its table was read with."""
    path = Path(file.removesuffix(SIDECAR_ENDING))
    return read_policy_text(read_sidecar(path).policy, population=population) if sidecar_path(path).is_file() else None
