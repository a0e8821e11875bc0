"""Jobs: how far is what takes long?  The part of a page that says so, asked for again and again, and its button.

No view of its own: `parts.job` draws a job where its answer will stand.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from sidelight.report.document import DocumentPart
from sidelight.web.jobs import Job, Stage
from sidelight.web.pages import Complaint, environment, go_to
from sidelight.web.workspace import Workspace

router = APIRouter()

ENDED = 286
"""The status at which htmx asks no more."""

GONE = "There is no such work: it was long ago, or the page was started again since."

JobNumber = Annotated[int, Path(ge=0, le=10**9)]


class JobAnswer(DocumentPart):
    """How far work is, and why it has no answer if it ended without."""

    number: int
    title: str
    stage: Stage
    sentence: str
    done: int
    total: int | None
    problem: str | None


def document(job: Job) -> JobAnswer:
    """Give a job as data."""
    return JobAnswer(
        number=job.number,
        title=job.title,
        stage=job.stage,
        sentence=job.sentence,
        done=job.done,
        total=job.total,
        problem=job.problem,
    )


def _job(request: Request, number: int) -> Job:
    workspace: Workspace = request.app.state.workspace
    job = workspace.jobs.numbered(number)
    if job is None:
        raise HTTPException(404, GONE)
    return job


@router.get("/jobs/{number}", include_in_schema=False)
def show(request: Request, number: JobNumber) -> Response:
    """Draw how far a job is; one that has ended, or is forgotten, lets its page load what there is."""
    if "hx-request" not in request.headers:
        return go_to(request, _job(request, number).address)
    workspace: Workspace = request.app.state.workspace
    job = workspace.jobs.numbered(number)
    if job is None or not job.goes_on:
        words = GONE if job is None else job.sentence
        return HTMLResponse(environment().from_string("<p>{{ words }}</p>").render(words=words), ENDED, _TELL)
    return HTMLResponse(environment().get_template("job.html").render(job=job))


_TELL = {"hx-trigger": "job-ended"}


@router.post("/jobs/{number}/cancel", include_in_schema=False)
def cancel(request: Request, number: JobNumber) -> Response:
    """Cancel a job, and go to where it is looked at."""
    job = _job(request, number)
    job.cancel()
    job.wait(1)  # mostly it has ended then, and the page says so
    return go_to(request, job.address)


@router.post("/jobs/{number}/again", include_in_schema=False)
def again(request: Request, number: JobNumber) -> Response:
    """Begin a job again that was cancelled, and go to where it is looked at."""
    workspace: Workspace = request.app.state.workspace
    return go_to(request, workspace.jobs.again(_job(request, number)).address)


@router.get("/api/jobs/{number}", responses={404: {"model": Complaint}, 422: {"model": Complaint}})
def data(request: Request, number: JobNumber) -> JobAnswer:
    """How far is this work?"""
    return document(_job(request, number))


@router.post("/api/jobs/{number}/cancel", responses={404: {"model": Complaint}, 422: {"model": Complaint}})
def cancel_data(request: Request, number: JobNumber) -> JobAnswer:
    """Cancel this work."""
    job = _job(request, number)
    job.cancel()
    job.wait(1)
    return document(job)
