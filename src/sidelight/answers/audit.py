"""What does this file reveal, and is it within the policy?

Below: what an audit, a report and the explorer say of a release to whoever signs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import sidelight as sl
from sidelight.answers.recipe import write_report
from sidelight.answers.request import DUCKDB, EngineChoice
from sidelight.answers.sources import Question, find_asked_attackers, inputs_of, open_release, read_files, source_of
from sidelight.engines.files import files_of
from sidelight.engines.spark.stream import fits_here
from sidelight.files import sidecar_path
from sidelight.measures.about import ask_each_column, prepare_release
from sidelight.measures.about import findings as measure_all
from sidelight.policy.measure_names import shown_measures
from sidelight.policy.policy import without_repeats
from sidelight.progress import Progress, quiet
from sidelight.release.printed_labels import Printing
from sidelight.release.read import release_from, streamed_from
from sidelight.release.release import Release, ReleaseBlocks, StreamedRelease
from sidelight.report.answer import Live, Recipe
from sidelight.report.outlines import release_page
from sidelight.report.page import Page
from sidelight.report.release_report import ReleaseReport, RiskBefore
from sidelight.report.report import AuditReport, audit_report, singled_out
from sidelight.streams.memory import MEMORY, Memory
from sidelight.table.hierarchy_io import read_hierarchies

if TYPE_CHECKING:
    from sidelight.report.make import ReportDetails

SomeRelease = TypeVar("SomeRelease", Release, StreamedRelease, ReleaseBlocks)


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """Which file, and what is asked of it."""

    file: str
    question: Question
    hierarchies: Path | None = None  # which say what printed labels cover, where a population is looked up
    memory: str | None = None  # how much may be used; groups are then streamed
    engine: EngineChoice = DUCKDB

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        inputs = read_files(self.file, self.engine) if self.engine.engine == "spark" else inputs_of(self.file)
        return (*inputs, *self.question.files)

    def python(self) -> str:
        """Write the lines of Python that come to the same."""
        return write_report(self.file, self.question, streamed=self.memory is not None)


class AuditAnswer(AuditReport):
    """What a release reveals; a page tells all that whoever signs for it has to know."""

    request: Live[AuditRequest]
    release: Live[ReleaseBlocks]

    def page(self, recipe: Recipe) -> Page:
        """Lay the answer out as a report about the release."""
        from sidelight.report.make import ReportDetails  # noqa: PLC0415 - only pages need it

        details = ReportDetails(commands=(recipe.command,), python=recipe.python)
        report = build_report(self.request.file, self.release, self, self.request.question, details=details)
        return release_page(report)


def ask(request: AuditRequest, progress: Progress = quiet) -> AuditAnswer:
    """Read, measure and judge."""
    del progress
    release = _open(request)
    if request.hierarchies is not None:
        release = attach_hierarchies(release, read_hierarchies(request.hierarchies))
    report = judge(release, request.question, source=request.file)
    return AuditAnswer(**dict(report), request=request, release=release)


def _open(request: AuditRequest) -> ReleaseBlocks:
    """Read a release: held in memory, or as a stream where that is asked for or Spark has too many groups."""
    file, engine, question = request.file, request.engine, request.question
    in_spark = engine.engine == "spark"
    # What Sidelight published had groups that were held, and is read in their order.
    if sidecar_path(Path(file)).is_file() or (request.memory is None and not in_spark):
        return open_release(file, question.roles, weights=question.needs_weights, memory=request.memory, engine=engine)
    source, memory = source_of(file, question.roles, engine), Memory.parse(request.memory or MEMORY)
    if request.memory is None and fits_here(source, replace(question.roles, quasi_word="group").complete(), memory):
        return release_from(source, question.roles)
    roles = question.roles if question.needs_weights else replace(question.roles, weight=None)
    return streamed_from(source, roles, memory)


def attach_hierarchies(release: SomeRelease, hierarchies: Mapping[str, sl.Hierarchy]) -> SomeRelease:
    """Let hierarchies say what printed labels cover; none say nothing."""
    if not hierarchies:
        return release
    along = Printing.from_hierarchies(hierarchies)
    return release.attach_printing(along if release.printing is None else release.printing.override(along))


def judge(release: ReleaseBlocks, question: Question, *, source: str) -> AuditReport:
    """Measure and judge; with neither limits nor measures, take all usual measures that apply, and who is unique."""
    measures = question.measures
    unasked = question.policy is None and not measures
    if unasked:
        compared = question.compared()
        usual = (kind() for kind in shown_measures() if kind not in map(type, compared))
        measures = (*(measure for measure in usual if release.semantics in measure.semantics), *compared)
    columns, domain = release.sensitive_columns, release.domain
    measures = without_repeats(each for measure in measures for each in ask_each_column(measure, columns, domain))
    limits = () if question.policy is None else question.policy.about_each(columns, domain).measures
    release = prepare_release((*limits, *measures), release)  # once for limits, findings and report
    return audit_report(
        release,
        verdict=None if question.policy is None else question.policy.judge(release),
        findings=list(measure_all(measures, release)),
        source=source,
        roles=question.roles.stated(),
        notes=question.notes,
        singled_out=singled_out(release) if unasked else None,
        readers=find_asked_attackers(source, question.roles),
    )


def build_report(
    file: str,
    release: ReleaseBlocks,
    audit: AuditReport,
    question: Question,
    *,
    details: ReportDetails,
    before: RiskBefore | None = None,
) -> ReleaseReport:
    """Return what an audit found, and what a sidecar beside the file says of how it was made."""
    from sidelight.report.make import add_curves, circumstances, published_circumstances  # noqa: PLC0415

    if sidecar_path(Path(file)).is_file():
        from sidelight.publish.sidecar import read_sidecar  # noqa: PLC0415 - only files with a sidecar need it

        document = read_sidecar(Path(file))
        known = published_circumstances(details, document, policy=question.policy, before=before, path=Path(file))
    else:
        known = circumstances(details, policy=question.policy, before=before, files=find_single_file(file))
    return add_curves(audit.model_copy(update={"source": Path(file).name}), release, known, question.policy)


def find_single_file(file: str) -> tuple[Path, ...]:
    """Return the file itself where it is one: standard input has no digest."""
    paths = tuple(files_of(file))
    return tuple(path for path in paths if path.is_file()) if len(paths) == 1 else ()
