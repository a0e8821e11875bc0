"""`sidelight audit`: what does this file reveal, and is it within the policy?

Below: what `audit`, `protect` and `report` say of a release to whoever signs: a report, and how to do it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import sidelight as sl
from sidelight.answers.sources import Question, inputs_of, open_release, read_files, readers_asked, source_of
from sidelight.cli.options import EngineOptions
from sidelight.cli.run import Output, Status, command_line
from sidelight.engines.files import files_of
from sidelight.engines.spark.source import SparkFile
from sidelight.engines.spark.stream import fits_here
from sidelight.files import sidecar_path
from sidelight.measures.about import ask_each_column
from sidelight.measures.findings import findings as measure_all
from sidelight.measures.findings import prepare_release
from sidelight.policy.measure_names import shown_measures
from sidelight.policy.policy import without_repeats
from sidelight.publish.sidecar import Sidecar, read_sidecar
from sidelight.release.blocks import ReleaseBlocks
from sidelight.release.printing import Printing
from sidelight.release.read import release_from, streamed_from
from sidelight.report.make import ReportDetails, add_curves, circumstances, published_circumstances
from sidelight.report.outlines import release_page
from sidelight.report.release_report import ReleaseReport, RiskBefore
from sidelight.report.report import AuditReport, audit_report, singled_out
from sidelight.report.terminal import report_parts
from sidelight.streams.memory import MEMORY, Memory
from sidelight.table.hierarchy_io import read_hierarchies

SomeRelease = TypeVar("SomeRelease", bound=ReleaseBlocks)


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """Which file, and what is asked of it."""

    file: str
    question: Question
    hierarchies: Path | None = None  # which say what printed labels cover, where a population is looked up
    memory: str | None = None  # how much may be used; groups are then streamed
    engine: EngineOptions = EngineOptions()


def audit(request: AuditRequest, output: Output) -> Status:
    """Read, measure, judge, print."""
    in_spark = request.engine.engine == "spark"
    inputs = read_files(request.file, request.engine) if in_spark else inputs_of(request.file)
    output.refuse((*inputs, *request.question.files))
    if in_spark:
        return _audit_in_spark(request, output)
    # what Sidelight published had groups that were held, and is read in their order
    if request.memory is not None and not sidecar_path(Path(request.file)).is_file():
        return _audit_streamed(request, Memory.of(request.memory), output)
    roles, weights = request.question.roles, request.question.needs_weights
    return _reported(open_release(request.file, roles, weights=weights, memory=request.memory), request, output)


def _reported(release: ReleaseBlocks, request: AuditRequest, output: Output) -> Status:
    """Judge a release, and say what was found."""
    if request.hierarchies is not None:
        release = printed_along(release, read_hierarchies(request.hierarchies))
    report = judge(release, request.question, source=request.file)
    output.write(
        report,
        report_parts(report),
        page=lambda: release_page(report_on_audit(request.file, release, report, request.question)),
    )
    return _status(report)


def _audit_in_spark(request: AuditRequest, output: Output) -> Status:
    """The same where Spark counts: groups come here if they fit into memory, else executors summarise them."""
    roles, weights = request.question.roles, request.question.needs_weights
    if sidecar_path(Path(request.file)).is_file():
        release = open_release(request.file, roles, weights=weights, memory=request.memory, engine=request.engine)
        return _reported(release, request, output)
    source = source_of(request.file, roles, request.engine)
    memory = Memory.of(request.memory or MEMORY)
    if request.memory is None and fits_here(source, replace(roles, quasi_word="group").complete(), memory):
        return _reported(release_from(source, roles), request, output)
    return _audit_streamed(request, memory, output, source)


def _audit_streamed(
    request: AuditRequest, memory: Memory, output: Output, source: str | SparkFile | None = None
) -> Status:
    """The same of a file of any size; groups are held only where something looks at all of them at once."""
    roles = request.question.roles
    source = source or source_of(request.file, roles, request.engine)
    release = streamed_from(source, roles if request.question.needs_weights else replace(roles, weight=None), memory)
    return _reported(release, request, output)


def _status(report: AuditReport) -> Status:
    return Status.NOT_WITHIN_POLICY if report.answer.verdict == "not within policy" else Status.WITHIN_POLICY


def printed_along(release: SomeRelease, hierarchies: Mapping[str, sl.Hierarchy]) -> SomeRelease:
    """Let hierarchies say what printed labels cover; none say nothing."""
    if not hierarchies:
        return release
    along = Printing.along(hierarchies)
    return release.with_printing(along if release.printing is None else release.printing.updated(along))


def judge(release: ReleaseBlocks, question: Question, *, source: str) -> AuditReport:
    """Measure and judge; with neither limits nor measures, show who stands alone and all usual measures that apply."""
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
        readers=readers_asked(source, question.roles),
    )


def print_report(report: AuditReport, output: Output) -> None:
    """Print the report, as JSON or for people, and write it to a file if asked."""
    output.write(report, report_parts(report))


def report_on_audit(
    file: str,
    release: ReleaseBlocks,
    audit: AuditReport,
    question: Question,
    *,
    details: ReportDetails | None = None,
    before: RiskBefore | None = None,
    table: str | None = None,
) -> ReleaseReport:
    """Tell what an audit found, and what a sidecar beside the file says of how it was made; `before` is of `table`."""
    beside = sidecar_path(Path(file))
    document = read_sidecar(Path(file)) if beside.is_file() else None
    own, judged = details or ReportDetails(), question.policy is not None
    completed = replace(
        own,
        commands=own.commands or (command_line(),),
        python=own.python
        or again_in_python(
            file,
            audit.answer.roles,
            document,
            own.date,
            table,
            judged=judged,
            read="read_release" if release.is_held else "stream_release",
        ),
    )
    if document is not None:
        known = published_circumstances(completed, document, policy=question.policy, before=before, path=Path(file))
    else:
        known = circumstances(completed, policy=question.policy, before=before, files=existing(file))
    return add_curves(audit.model_copy(update={"source": Path(file).name}), release, known, question.policy)


def existing(file: str) -> tuple[Path, ...]:
    """Name the file itself where it is one: standard input has no digest."""
    paths = tuple(files_of(file))
    return tuple(path for path in paths if path.is_file()) if len(paths) == 1 else ()


def again_in_python(
    file: str,
    roles: Mapping[str, object],
    document: Sidecar | None,
    date: str | None = None,
    table: str | None = None,
    *,
    judged: bool,
    read: str = "read_release",
) -> str:
    """Write the lines of Python that come to the same document."""
    lines = ["from pathlib import Path", "", "import sidelight as sl", ""]
    release, more = repr(file), ""
    if document is None:
        names = {"quasi": "group"}
        settings = "".join(f", {names.get(name, name)}={value!r}" for name, value in roles.items())
        lines.append(f"release = sl.{read}({file!r}{settings})")
        release = "release"
    if judged:
        lines.append('policy = sl.read_policy("policy.toml")  # as it stands below')
        more = ", policy"
    if table is not None:
        settings = "".join(f", {name}={value!r}" for name, value in roles.items())
        lines.append(f"table = sl.read_table({table!r}{settings})")
        more += ", table=table"
    more += "" if date is None else f", date={date!r}"
    lines.append(f"report = sl.release_report({release}{more})")
    lines.append('Path("report.html").write_text(sl.report_html(report), encoding="utf-8")')
    return "\n".join(lines)


def search_in_python(file: str, result: sl.SearchResult, output: Path | None) -> str:
    """Write the lines of Python that come to the same release."""
    table = result.outcome.recoding.table
    quasi = [column.name for column in table.quasi]
    lines = [
        "import sidelight as sl",
        "",
        f"table = sl.read_table({file!r}, quasi={quasi!r}, sensitive={_one(table.sensitive_columns)!r})",
        'policy = sl.read_policy("policy.toml")  # as it stands below',
        'hierarchies = sl.read_hierarchies("hierarchies/")',
        f"found = sl.protect(table, policy, by=hierarchies, method={result.method.name!r})",
    ]
    if output is not None:
        lines.append(f"found.publish({str(output)!r})")
    return "\n".join([*lines, "report = sl.release_report(found)"])


def _one(names: tuple[str, ...]) -> str | list[str]:
    return names[0] if len(names) == 1 else list(names)
