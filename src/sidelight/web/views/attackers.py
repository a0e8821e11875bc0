"""The view of attackers: what each could learn, against its limit; and the first screen.

Each attacker is a measure, with a limit or without, and is measured by itself (`answers/attackers`), so that changing
one does not measure the others again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sidelight.answers.attackers import (
    AttackerFindings,
    AttackersAnswer,
    Tunable,
    complete_limit,
    judge_attackers,
    measure_attacker,
    place_finding,
    read_tunable,
    read_typed,
    tune_limit,
)
from sidelight.errors import SidelightError
from sidelight.measures.criterion import Comparison, Criterion
from sidelight.policy.measure_names import all_measures
from sidelight.web.pages import Complaint, PageView, go_to, page
from sidelight.web.workspace import State, StateFields, Workspace, read_state

if TYPE_CHECKING:
    from sidelight.release.release import Release
    from sidelight.web.jobs import Job, Work

START = PageView("/", "Start", "What does this release reveal to someone who already knows something?")

VIEW = PageView("/readers", "Readers", "Who may read it, knowing what, and how sure could each become?", step=2)

router = APIRouter()

# Seconds for which a page waits for its attackers; most are quicker.
MOMENT = 0.3


def answer(workspace: Workspace, state: State, *, within: float | None = None) -> AttackersAnswer:
    """Measure every attacker of the address; those that take longer than `within` seconds go on in the background."""
    release, populations = workspace.release(state), workspace.source.populations
    if within is not None:
        return judge_attackers(release, tuple(_measure_soon(workspace, state, release, within)))
    answers = (
        workspace.answers.of(("attacker", state.subject, text), partial(measure_attacker, release, text, populations))
        for text in state.limits
    )
    return judge_attackers(release, tuple(answers))


def _measure_soon(workspace: Workspace, state: State, release: Release, within: float) -> Iterator[AttackerFindings]:
    """Measure every attacker in a lane of its own, so that a slow one does not delay the others."""
    pending: list[AttackerFindings | Job] = []
    for row, text in enumerate(state.limits):
        question = ("attacker", state.subject, text)
        kept = workspace.answers.kept(question)
        pending.append(
            kept
            if isinstance(kept, AttackerFindings)
            else workspace.jobs.soon(
                question,
                partial(_gather, workspace, release, text),
                title=f"Measuring {text}",
                address=state.address(VIEW.path),
                lane=f"attacker {row}",
                within=0,
            )
        )
    until = time.monotonic() + within
    for text, each in zip(state.limits, pending, strict=True):
        if isinstance(each, AttackerFindings):
            yield each
        elif each.wait(max(until - time.monotonic(), 0)) and each.stage == "done":
            yield workspace.answers.of(each.question, lambda job=each: job.answer)  # type: ignore[misc]
        else:
            yield AttackerFindings(text=text, measuring=each.number, problem=None if each.goes_on else each.problem)


def _gather(workspace: Workspace, release: Release, text: str) -> Work:
    """Prepare the release for measuring: a population is read here, once, and counted in the groups."""
    populations = workspace.source.populations
    with suppress(SidelightError):  # measuring raises it again
        attacker = read_typed(text, populations)
        release = (attacker.measure if isinstance(attacker, Criterion) else attacker).prepare(release)
    return partial(measure_attacker, release, text, populations)


def tuned_state(workspace: Workspace, state: State, fields: Sequence[tuple[str, str]]) -> State:
    """Return the state with limits changed, added and removed by the fields of the form."""
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
    added = (complete_limit(text, domain, populations) for text in new)
    return state.but(limits=tuple(dict.fromkeys([*limits, *added])))


@router.get("/readers", include_in_schema=False)
def show(request: Request) -> Response:
    """Render the attackers."""
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
        (each, tunable, [(one, place_finding(one, tunable.measure.limits)) for one in each.findings] if tunable else [])
        for each, tunable in zip(answered.readers, tunables, strict=True)
    ]
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
        sample=workspace.recipe(after).judging([each.attacker for each in tunables if each is not None]),
    )


def _tunables(workspace: Workspace, state: State, release: Release) -> Iterator[Tunable | None]:
    for text in state.limits:
        try:
            yield workspace.answers.of(
                ("tunable", state.subject, text),
                partial(read_tunable, text, workspace.source.populations, release.domain),
            )
        except SidelightError:
            yield None  # its answer has the problem


@router.get("/", include_in_schema=False)
def show_start(request: Request) -> Response:
    """Render the first screen."""
    workspace: Workspace = request.app.state.workspace
    state = read_state(request.query_params.multi_items())
    answered, problem = None, ""
    try:
        answered = answer(workspace, state, within=MOMENT)
    except SidelightError as error:
        problem = str(error)
    attackers = answered.readers if answered else ()
    findings = [finding for each in attackers for finding in each.findings]
    unfinished = [each.measuring for each in attackers if each.measuring is not None and each.problem is None]
    return page(
        request,
        START,
        state,
        answer=answered,
        problem=problem,
        findings=findings,
        worst=next((each for each in findings if each.holds is False and each.measure != "group size"), None),
        asking=[job for job in map(workspace.jobs.numbered, unfinished) if job is not None],  # the page polls each
    )


@router.get("/api/readers", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[StateFields, Query()]) -> AttackersAnswer:
    """Return what each attacker could learn."""
    return answer(request.app.state.workspace, fields.state())
