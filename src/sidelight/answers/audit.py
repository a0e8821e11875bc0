"""What does this file reveal, and is it within the policy?

Below: what an audit, a report and the explorer say of a release to whoever signs.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.answers.recipe import write_file_report
from sidelight.answers.request import DUCKDB, EngineChoice, Request
from sidelight.answers.sources import (
    Question,
    find_asked_attackers,
    inputs_of,
    open_release,
    open_table,
    read_files,
    require_columns,
    source_of,
)
from sidelight.engines.files import files_of
from sidelight.engines.read import fits_here
from sidelight.errors import SidelightError
from sidelight.files import SIDECAR_ENDING, sidecar_path
from sidelight.measures.about import ask_each_column, prepare_release
from sidelight.measures.about import findings as measure_all
from sidelight.policy.measure_names import shown_measures
from sidelight.policy.policy import drop_repeats
from sidelight.policy.policy_file import PolicyFile, read_policy_text
from sidelight.publish.sidecar import read_sidecar
from sidelight.release.printed_labels import Printing
from sidelight.release.read import release_from, streamed_from
from sidelight.release.release import ReleaseBlocks
from sidelight.report.answer import Live, Recipe
from sidelight.report.contents import OutlineName, release_page
from sidelight.report.release_report import Circumstances, Decision, DoAgain, ReleaseReport, SignOff
from sidelight.report.report import AuditReport, audit_report, singled_out
from sidelight.streams.memory import MEMORY, Memory
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies

if TYPE_CHECKING:
    import sidelight as sl
    from sidelight.release.population import SomeRelease
    from sidelight.report.page import Page


@dataclass(frozen=True, slots=True)
class AuditRequest(Request):
    """Which file, and what is asked of it."""

    file: str
    question: Question
    hierarchies: Path | None = None  # which say what printed labels cover, where a population is looked up
    memory: str | None = None  # how much may be used; groups are then streamed
    engine: EngineChoice = DUCKDB

    def files(self) -> tuple[Path, ...]:
        inputs = read_files(self.file, self.engine) if self.engine.engine == "spark" else inputs_of(self.file)
        return (*inputs, *self.question.files)

    def python(self) -> str:
        return write_file_report(self.file, self.question, streamed=self.memory is not None)


class AuditAnswer(AuditReport):
    """What a release reveals; a page tells all that whoever signs for it has to know."""

    request: Live[AuditRequest]
    release: Live[ReleaseBlocks]

    def page(self, recipe: Recipe) -> Page:
        known = Circumstances(again=DoAgain(commands=(recipe.command,), python=recipe.python))
        return release_page(build_report(self.request.file, self.release, self, self.request.question, known))


def ask(request: AuditRequest) -> AuditAnswer:
    """Read, measure and judge: held in memory, or as a stream where that is asked for or Spark has too many groups."""
    file, engine, question = request.file, request.engine, request.question
    release: ReleaseBlocks
    # What Sidelight published had groups that were held, and is read in their order.
    if sidecar_path(Path(file)).is_file() or (request.memory is None and engine.engine != "spark"):
        weights = question.needs_weights
        release = open_release(file, question.roles, weights=weights, memory=request.memory, engine=engine)
    else:
        source, memory = source_of(file, question.roles, engine), Memory.parse(request.memory or MEMORY)
        whole = replace(question.roles, quasi_word="group").complete()
        held = request.memory is None and fits_here(source, whole, memory)
        roles = question.roles if question.needs_weights else replace(question.roles, weight=None)
        release = release_from(source, question.roles) if held else streamed_from(source, roles, memory)
    if request.hierarchies is not None:
        release = attach_hierarchies(release, read_hierarchies(request.hierarchies))
    return AuditAnswer(**dict(judge(release, question, source=file)), request=request, release=release)


def attach_hierarchies(release: SomeRelease, hierarchies: Mapping[str, sl.Hierarchy]) -> SomeRelease:
    """Let hierarchies say what printed labels cover; none say nothing."""
    if not hierarchies:
        return release
    along = Printing.from_hierarchies(hierarchies)
    return replace(release, printing=along if release.printing is None else release.printing.override(along))


def judge(release: ReleaseBlocks, question: Question, *, source: str) -> AuditReport:
    """Measure and judge; with neither limits nor measures, take all usual measures that apply, and who is unique."""
    measures = question.measures
    unasked = question.policy is None and not measures
    if unasked:
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
        singled_out=singled_out(release) if unasked else None,
        readers=find_asked_attackers(source, question.roles),
    )


def build_report(
    file: str, release: ReleaseBlocks, audit: AuditReport, question: Question, known: Circumstances
) -> ReleaseReport:
    """Return what an audit found, and what a sidecar beside the file says of how it was made."""
    from sidelight.report.make import add_curves, circumstances, published_circumstances  # noqa: PLC0415

    if sidecar_path(Path(file)).is_file():
        document = read_sidecar(Path(file))
        known = published_circumstances(known, document, policy=question.policy, path=Path(file))
    else:
        known = circumstances(known, question.policy, find_single_file(file))
    return add_curves(audit.model_copy(update={"source": Path(file).name}), release, known, question.policy)


def find_single_file(file: str) -> tuple[Path, ...]:
    """Return the file itself where it is one: standard input has no digest."""
    paths = tuple(files_of(file))
    return tuple(path for path in paths if path.is_file()) if len(paths) == 1 else ()


@dataclass(frozen=True, slots=True)
class ReportRequest(Request):
    """Which release, what is asked of it, and what stands in the report besides."""

    file: str  # the release, or its sidecar
    question: Question
    hierarchies: Path | None
    table: str | None  # the original, to tell the risk before
    attack: tuple[Path, ...]  # answers of attacks that were tried
    outline: OutlineName | None
    date: str | None
    signed_by: str
    role: str
    decision: Decision | None
    reasons: str
    commands: tuple[str, ...]  # that come to the same document

    @property
    def release(self) -> str:
        return self.file.removesuffix(SIDECAR_ENDING)

    @property
    def day(self) -> str:
        if self.date is None:
            return dt.datetime.now(dt.UTC).date().isoformat()
        try:
            return dt.date.fromisoformat(self.date).isoformat()
        except ValueError:
            message = f"cannot read --date '{self.date}'; give a day such as 2026-01-31"
            raise SidelightError(message) from None

    def files(self) -> tuple[Path, ...]:
        is_there = Path(self.release).exists() or self.file == self.release
        return (
            *(inputs_of(self.release) if is_there else (sidecar_path(Path(self.release)),)),
            *self.question.files,
            *self.attack,
            *(files_of(self.table) if self.table is not None else ()),
            *(hierarchy_files(self.hierarchies) if self.hierarchies is not None else ()),
        )

    def python(self) -> str:
        return write_file_report(self.release, self.question, date=self.day, table=self.table)


class ReportAnswer(ReleaseReport):
    """A report about a release, in the order of a regime's document."""

    outline: Live[OutlineName | None] = None

    def page(self, recipe: Recipe) -> Page:
        del recipe
        return release_page(self, self.outline)


def ask_report(request: ReportRequest) -> ReportAnswer:
    """Read, measure and judge; of a sidecar whose release is elsewhere, tell what it says."""
    from sidelight.report.make import judge_table, read_attack, report_on_sidecar  # noqa: PLC0415 - only reports

    known = Circumstances(
        date=request.day,
        attacks=tuple(map(read_attack, request.attack)),
        again=DoAgain(commands=request.commands, python=request.python()),
        sign_off=SignOff(
            name=request.signed_by,
            role=request.role,
            date=request.day if request.signed_by or request.decision else "",
            decision=request.decision or "",
            reasons=request.reasons,
        ),
    )
    file, question = request.release, request.question
    if request.file != file and not Path(file).exists():
        document = report_on_sidecar(read_sidecar(Path(file)), known)
        return ReportAnswer(**dict(document), outline=request.outline)
    release = open_release(file, question.roles, weights=question.needs_weights)
    audit = judge(release, question, source=file)
    if request.table is not None:
        if question.policy is None:
            message = "--table tells the risk before by the limits, and there are none; give --policy or --limit"
            raise SidelightError(message)
        require_columns(request.table, question.roles)
        by = None if request.hierarchies is None else read_hierarchies(request.hierarchies)
        known = replace(known, before=judge_table(open_table(request.table, question.roles, by), question.policy))
    document = build_report(file, release, audit, question, known)
    return ReportAnswer(**dict(document), outline=request.outline)


def read_sidecar_policy(file: str, population: str | None = None) -> PolicyFile | None:
    """Return the policy that a sidecar tells of, with the roles that its table was read with."""
    path = Path(file.removesuffix(SIDECAR_ENDING))
    return read_policy_text(read_sidecar(path).policy, population=population) if sidecar_path(path).is_file() else None
