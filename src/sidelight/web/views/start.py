"""Start: what does this release reveal to someone who already knows something?  Answered before anything is asked."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from sidelight.errors import SidelightError
from sidelight.web.pages import PageView, page
from sidelight.web.state import read_state
from sidelight.web.views.readers import MOMENT, ReadersAnswer, answer, decimal
from sidelight.web.workspace import Workspace

VIEW = PageView("/", "Start", "What does this release reveal to someone who already knows something?")

router = APIRouter()


@router.get("/", include_in_schema=False)
def show(request: Request) -> Response:
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
        VIEW,
        state,
        answer=answered,
        problem=problem,
        findings=findings,
        worst=worst,
        decimal=decimal,
        asking=[job for job in map(workspace.jobs.numbered, numbers) if job is not None and job.goes_on],
    )
