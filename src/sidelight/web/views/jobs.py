"""The progress of jobs, polled by pages, and their buttons.

Not a view of its own: `parts.job` renders a job where its answer will be.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from sidelight.errors import SidelightError
from sidelight.web import jobs as long_work
from sidelight.web.jobs import Job, JobAnswer
from sidelight.web.pages import Complaint, environment, go_to

if TYPE_CHECKING:
    from sidelight.web.workspace import Workspace

router = APIRouter()


GONE = "There is no such work: it was long ago, or the page was started again since."


JobNumber = Annotated[int, Path(ge=0, le=10**9)]


async def answer_of(request: Request, begin: Callable[[], Job], seconds: float) -> Any:  # noqa: ANN401 - of any work
    """Wait up to `seconds` for the answer of a job, without holding a thread, so that many may wait at a time.

    A client that disconnects cancels it, unless another one watches it, or does so within a moment.
    """
    until, job = time.monotonic() + seconds, await run_in_threadpool(begin)
    while await _ended(request, job, until) and job.forgotten:  # before this client was counted as waiting
        job = await run_in_threadpool(begin)
    if job.error is not None:
        raise job.error.with_traceback(None)  # otherwise it would keep the frames of all callers
    if job.stage != "done":
        raise SidelightError(f"{job.title} {'takes longer' if job.goes_on else 'was cancelled'}; ask again")
    return job.answer


async def _ended(request: Request, job: Job, until: float) -> bool:
    """Wait for the end of a job; return whether it has ended while the client was connected."""
    pause = 0.005  # seconds between two checks
    with job.watch_result():
        while job.goes_on and time.monotonic() < until:
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.1)
            if await request.is_disconnected():
                break
        else:
            return not job.goes_on
    await asyncio.sleep(long_work.FORGOTTEN)
    if not job.looked_at():
        job.forget()
    return False


def _job(request: Request, number: int) -> Job:
    workspace: Workspace = request.app.state.workspace
    job = workspace.jobs.numbered(number)
    if job is None:
        raise HTTPException(404, GONE)
    return job


def _cancel(request: Request, number: int) -> Job:
    job = _job(request, number)
    job.cancel()
    job.wait(1)  # most have ended then, and the page shows it
    return job


@router.get("/jobs/{number}", include_in_schema=False)
def show(request: Request, number: JobNumber) -> Response:
    """Render the progress of a job; one that has ended, or is forgotten, makes its page reload."""
    if "hx-request" not in request.headers:
        return go_to(request, _job(request, number).address)
    workspace: Workspace = request.app.state.workspace
    job = workspace.jobs.numbered(number)
    if job is None or not job.goes_on:
        words, headers = GONE if job is None else job.sentence, {"hx-trigger": "job-ended"}
        # at status 286 htmx stops polling
        return HTMLResponse(environment().from_string("<p>{{ words }}</p>").render(words=words), 286, headers)
    return HTMLResponse(environment().get_template("job.html").render(job=job))


@router.post("/jobs/{number}/cancel", include_in_schema=False)
def cancel(request: Request, number: JobNumber) -> Response:
    """Cancel a job, and redirect to its page."""
    return go_to(request, _cancel(request, number).address)


@router.post("/jobs/{number}/again", include_in_schema=False)
def again(request: Request, number: JobNumber) -> Response:
    """Start a cancelled job again, and redirect to its page."""
    workspace: Workspace = request.app.state.workspace
    return go_to(request, workspace.jobs.again(_job(request, number)).address)


@router.get("/api/jobs/{number}", responses={404: {"model": Complaint}, 422: {"model": Complaint}})
def data(request: Request, number: JobNumber) -> JobAnswer:
    """Return the progress of a job."""
    return _job(request, number).describe()


@router.post("/api/jobs/{number}/cancel", responses={404: {"model": Complaint}, 422: {"model": Complaint}})
def cancel_data(request: Request, number: JobNumber) -> JobAnswer:
    """Cancel a job."""
    return _cancel(request, number).describe()
