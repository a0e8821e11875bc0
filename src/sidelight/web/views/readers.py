"""Readers: who may read the release, knowing what, and how sure could each become?

The first screen answers before anything is asked.  Each reader is a measure, with a limit or without.  The page asks
`Policy.judge` and `Measure.measure` one reader at a time, so that what was not touched is not asked again, and draws
the document of an audit.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sidelight.documents.document import DocumentPart
from sidelight.errors import SidelightError
from sidelight.measures.about import ask_each_column
from sidelight.measures.criterion import Bound, Comparison, Criterion
from sidelight.policy.measure_names import all_measures
from sidelight.policy.policy import Policy
from sidelight.progress import Progress, quiet
from sidelight.release.population import Population
from sidelight.release.release import Release
from sidelight.report.report import AuditFinding, audit_report, conclude
from sidelight.rounding import short_decimal
from sidelight.text import counted, form
from sidelight.web.jobs import Work
from sidelight.web.limits import Tunable, added, read_tunable, tune_limit
from sidelight.web.pages import Complaint, PageView, go_to, page
from sidelight.web.workspace import State, StateFields, Workspace, read_state

START = PageView("/", "Start", "What does this release reveal to someone who already knows something?")

VIEW = PageView("/readers", "Readers", "Who may read it, knowing what, and how sure could each become?", step=2)

router = APIRouter()

# Seconds for which a page waits for its readers; most are quicker.
MOMENT = 0.3


class Gauge(DocumentPart):
    """Where a number and its limit lie on a line from 0 to 100; the words beside it say the same."""

    at: float
    limit: float | None
    low: str
    high: str


class ReaderAnswer(DocumentPart):
    """What one reader could find out: a finding per sensitive column, or why it could not be told."""

    text: str
    findings: tuple[AuditFinding, ...] = ()
    problem: str | None = None
    holds: bool | None = None
    measuring: int | None = None  # the number of the job that goes on, or was cancelled


class ReadersAnswer(DocumentPart):
    """What all readers could find out, and whether that is within the limits."""

    people: int
    groups: int
    sentence: str
    holds: bool | None
    readers: tuple[ReaderAnswer, ...]


def answer(workspace: Workspace, state: State, *, within: float | None = None) -> ReadersAnswer:
    """Ask every reader of the address; those who take longer than `within` seconds, if it is said, go on asking."""
    release = workspace.release(state)
    if within is None:
        populations = workspace.source.populations
        readers = tuple(
            workspace.answers.of(("reader", state.subject, text), partial(_measure, release, text, populations))
            for text in state.limits
        )
    else:
        readers = tuple(_ask_soon(workspace, state, release, within))
    findings = [finding for each in readers for finding in each.findings]
    unknown = sum(each.problem is not None for each in readers)
    asking = sum(each.measuring is not None and each.problem is None for each in readers)
    judged_limits = [each.holds for each in findings if each.limit is not None]
    holds = False if False in judged_limits else True if judged_limits and not (unknown or asking) else None
    return ReadersAnswer(
        people=release.size,
        groups=len(release),
        sentence=_conclude(release, findings, unknown, asking),
        holds=holds,
        readers=readers,
    )


def _conclude(release: Release, findings: Sequence[AuditFinding], unknown: int, asking: int) -> str:
    """Return the verdict in one sentence, never more than the limits say."""
    whom = f"{counted(release.size, 'person')} in {counted(len(release), 'group')}"
    told = conclude(findings, whom, numbers=True)
    if told.verdict == "not within":
        pending = unknown + asking
        return f"{told.text} {counted(pending, 'reader')} could not be asked (yet)." if pending else told.text
    if unknown:
        return f"Could not tell, of {whom}: {counted(unknown, 'reader')} could not be asked; the reason stands there."
    if asking:
        return f"Could not tell yet, of {whom}: {counted(asking, 'reader')} {form('is', asking)} being asked."
    return told.text if told.verdict else f"No limit is set: nothing is judged, of {whom}."


def _ask_soon(workspace: Workspace, state: State, release: Release, within: float) -> Iterator[ReaderAnswer]:
    """Ask every reader in a lane of its own, so that one who is slow keeps nobody waiting."""
    questions = [("reader", state.subject, text) for text in state.limits]
    jobs = [
        None
        if workspace.answers.kept(question) is not None
        else workspace.jobs.soon(
            question,
            partial(_gather, workspace, release, question[-1]),
            title=f"Measuring {question[-1]}",
            address=state.address(VIEW.path),
            lane=f"reader {row}",
            within=0,
        )
        for row, question in enumerate(questions)
    ]
    until = time.monotonic() + within
    for question, job in zip(questions, jobs, strict=True):
        if job is not None and not (job.wait(max(until - time.monotonic(), 0)) and job.stage == "done"):
            yield ReaderAnswer(text=question[-1], measuring=job.number, problem=None if job.goes_on else job.problem)
        else:
            yield workspace.answers.of(question, lambda job=job: job.answer)  # type: ignore[misc]


def _gather(workspace: Workspace, release: Release, text: str) -> Work:
    """Bring what measuring needs: a population is read here, once, and its people are counted in the groups."""
    populations = workspace.source.populations
    with suppress(SidelightError):  # measuring says it again
        reader = read_tunable(text, populations).reader
        release = (reader.measure if isinstance(reader, Criterion) else reader).prepare(release)
    return partial(_measure, release, text, populations)


def _measure(
    release: Release, text: str, populations: Mapping[str, Population], progress: Progress = quiet
) -> ReaderAnswer:
    del progress
    try:
        reader = read_tunable(text, populations).reader
        if isinstance(reader, Criterion):
            report = audit_report(release, verdict=Policy(reader).judge(release))
        else:
            measures = ask_each_column(reader, release.sensitive_columns, release.domain)
            report = audit_report(release, findings=[each.measure(release) for each in measures])
    except SidelightError as error:
        return ReaderAnswer(text=text, problem=str(error))
    findings = report.answer.findings
    holds = None if findings[0].limit is None else all(each.holds for each in findings)
    return ReaderAnswer(text=text, findings=findings, holds=holds)


def gauge(finding: AuditFinding, span: tuple[Bound, Bound]) -> Gauge:
    """Place a number and its limit on a line: from 0 to 1 where it is a share, else as far as the larger of them."""
    low, high = float(span[0]), float(span[1])
    bound = None if finding.limit is None else finding.limit.bound.number
    numbers = [each for each in (finding.result.number, bound) if each is not None]
    if high == float("inf"):
        high = 1.25 * max([*numbers, low + 1])
    width = (high - low) or 1

    def place(number: float | None) -> float:
        return 100.0 if number is None else round(min(max(100 * (number - low) / width, 0), 100), 2)

    return Gauge(
        at=place(finding.result.number),
        limit=None if finding.limit is None else place(bound),
        low=f"{low:g}",
        high=f"{high:,.4g}",
    )


def decimal(finding: AuditFinding) -> str:
    """Return a fraction as a decimal too, rounded towards caution; nothing where it is one already."""
    if "/" not in finding.result.text or finding.result.number is None:
        return ""
    up = finding.limit is None or Comparison(finding.limit.comparison).from_above
    return short_decimal(Fraction(finding.result.exact), up=up)


# Tuning: the fields of the form become limits of the address.


def tuned_state(workspace: Workspace, state: State, fields: Sequence[tuple[str, str]]) -> State:
    """Let the fields of the form change, add to and take away from the limits of a state."""
    changes: dict[int, dict[str, str]] = {}
    for name, text in fields:
        matched = re.fullmatch(r"set-(?P<row>[0-9]{1,3})-(?P<name>[a-z_]{1,40})", name)
        if matched is not None:
            changes.setdefault(int(matched["row"]), {})[matched["name"]] = text
    populations, removed = workspace.source.populations, {text for name, text in fields if name == "remove"}
    limits = [
        tune_limit(text, changes[row], populations) if row in changes else text
        for row, text in enumerate(state.limits)
        if str(row) not in removed
    ]
    new = [text.strip() for name, text in fields if name == "add" and text.strip()]
    domain = workspace.release(state).domain if new else ()
    return state.but(limits=tuple(dict.fromkeys([*limits, *(added(text, domain, populations) for text in new)])))


@router.get("/readers", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw the readers."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    state = read_state(fields)
    problem = ""
    typed = [text for name, text in fields if name == "add" and text.strip()]
    try:
        after = tuned_state(workspace, state, fields)
    except SidelightError as error:
        after, problem = state, str(error)
    if after.limits != state.limits and "hx-request" not in request.headers:
        return go_to(request, after.address(VIEW.path))
    answered = answer(workspace, after, within=MOMENT)
    release = workspace.release(after)
    tunables = list(_tunables(workspace, after, release))
    drawn = [
        (
            each,
            tunable,
            [(one, gauge(one, tunable.measure.limits), decimal(one)) for one in each.findings] if tunable else [],
        )
        for each, tunable in zip(answered.readers, tunables, strict=True)
    ]
    readers = [each.reader for each in tunables if each is not None]
    # the measures that make sense of a release, with their questions
    choices = [
        (kind.name, (kind.__doc__ or "").partition("\n")[0].replace("`", ""))
        for kind in all_measures()
        if release.semantics in kind.semantics and kind.examples(release.domain)
    ]
    return page(
        request,
        VIEW,
        after,
        answer=answered,
        drawn=drawn,
        signs={each.value: each.sign for each in Comparison},
        jobs=[None if each.measuring is None else workspace.jobs.numbered(each.measuring) for each in answered.readers],
        measures=choices,
        problem=problem,
        typed=typed[-1] if typed and problem else "",
        sample=workspace.recipe(after).judging(readers),
    )


def _tunables(workspace: Workspace, state: State, release: Release) -> Iterator[Tunable | None]:
    for text in state.limits:
        try:
            yield workspace.answers.of(
                ("tunable", state.subject, text),
                partial(read_tunable, text, workspace.source.populations, release.domain),
            )
        except SidelightError:
            yield None  # its answer says why


@router.get("/", include_in_schema=False)
def show_start(request: Request) -> Response:
    """Draw the first screen."""
    workspace: Workspace = request.app.state.workspace
    state = read_state(request.query_params.multi_items())
    try:
        answered: ReadersAnswer | None = answer(workspace, state, within=MOMENT)
        problem = ""
    except SidelightError as error:
        answered, problem = None, str(error)
    findings = [each for reader in (answered.readers if answered else ()) for each in reader.findings]
    worst = next((each for each in findings if each.holds is False and each.measure != "group size"), None)
    numbers = [each.measuring for each in (answered.readers if answered else ()) if each.measuring is not None]
    return page(
        request,
        START,
        state,
        answer=answered,
        problem=problem,
        findings=findings,
        worst=worst,
        decimal=decimal,
        asking=[job for job in map(workspace.jobs.numbered, numbers) if job is not None and job.goes_on],
    )


@router.get("/api/readers", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[StateFields, Query()]) -> ReadersAnswer:
    """What could each reader find out?"""
    return answer(request.app.state.workspace, fields.state())
