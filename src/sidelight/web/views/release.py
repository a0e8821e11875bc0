"""The view of releases: searching within the limits, the candidates, and publishing one (`web/searches`).

A search is started by a posted form, goes on without a page, and its address shows its progress, then its result.  The
page is for the publisher alone: it shows how often attackers guess right, and findings of the table as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from sidelight.answers.candidates import (
    ENDINGS,
    LONGEST_NAME,
    METHOD_WORDS,
    OPTION_CHOICES,
    OPTIONS_OF,
    SearchChoice,
    find_name_problem,
)
from sidelight.errors import BadPolicy, SidelightError
from sidelight.search.utility import MEANINGS
from sidelight.web.jobs import Job, JobAnswer
from sidelight.web.pages import Complaint, PageView, PostedFields, go_to, page
from sidelight.web.searches import PUBLISHING, ReleaseAnswer, SearchFields, SearchState
from sidelight.web.views.jobs import GONE, JobNumber
from sidelight.web.workspace import Workspace, read_state

VIEW = PageView("/release", "Release", "What is the most useful release within these limits?", step=3)

router = APIRouter()


def _page(
    request: Request, search: SearchState, fields: Sequence[tuple[str, str]], error: SidelightError | None
) -> Response:
    texts, workspace, answer = dict(fields), search.workspace, search.answer()
    more = {name: texts[name] for name in ("against", "beside", "published") if texts.get(name)}
    wrong = next((name for name in error.parameters if name in texts), "") if error is not None else ""
    against, taken = 0, answer.candidate
    if taken is not None:
        against = taken.choose_limit(texts.get("against", ""))
    others = [each for each in answer.candidates if each.key != answer.taken]
    return page(
        request,
        VIEW,
        search.state,
        also=search.also(**more),
        search=search,
        answer=answer,
        taken=taken,
        against=against,
        # the one that is named, or the next best
        beside=next((each for each in others if each.key == texts.get("beside", "")), next(iter(others), None)),
        pictures=search.draw(answer, against),
        methods=METHOD_WORDS,
        options=OPTIONS_OF[search.choice.method],
        choices=OPTION_CHOICES,
        meanings=MEANINGS,
        problem="" if error is None else workspace.wording(error),
        problem_at=wrong,
        typed=texts.get(wrong, ""),
        published=_find_published(workspace, texts.get("published", "")),
        published_gone="published" in texts,
        endings=ENDINGS,
        name=texts.get("name", "release"),
        name_problem=find_name_problem(texts["name"].strip()) if "name" in texts else "",
        output=workspace.output,
        sample=search.sample(),
        searchable=workspace.source.read_table is not None,
        address=search.address(**more),
    )


def _find_published(workspace: Workspace, number: str) -> Job | None:
    """Return the job of publishing with the number in an address."""
    job = workspace.jobs.numbered(int(number)) if number.isascii() and number.isdigit() and len(number) <= 9 else None
    return job if job is not None and job.lane == PUBLISHING else None


@router.get("/release", include_in_schema=False)
def show(request: Request) -> Response:
    """Render the search and its result."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    try:
        search = SearchState.read(workspace, fields)
    except SidelightError as error:  # shown at the field that it names, if it names one
        others = [(name, text) for name, text in fields if name not in error.parameters]
        if len(others) == len(fields):
            raise
        return _page(request, SearchState.read(workspace, others), fields, error)
    instead = search.best_instead
    if instead is None:
        return _page(request, search, fields, search.refusal())
    gone = "the release that this address names is not known here any more; this is the best one of its search instead"
    return _page(request, instead, fields, BadPolicy(gone))


@router.post("/release", include_in_schema=False)
def begin(request: Request, fields: PostedFields) -> Response:
    """Start a search, and redirect to its page."""
    try:
        search = SearchState.read(request.app.state.workspace, [each for each in fields if each[0] != "take"])
        search.start()
    except SidelightError:  # the page shows it at its field
        also = {name: text for name, text in fields if name in SearchChoice.model_fields and text.strip()}
        return go_to(request, read_state(fields).address(VIEW.path, also))
    return go_to(request, search.address())


@router.post("/release/publish", include_in_schema=False)
def write(request: Request, fields: PostedFields) -> Response:
    """Publish a candidate, into the folder of the command or for download, and redirect to its page."""
    search, texts = SearchState.read(request.app.state.workspace, fields), dict(fields)
    if find_name_problem(texts.get("name", "").strip()):
        return go_to(request, search.address(name=texts.get("name", "")[: LONGEST_NAME + 1]))
    job = search.publish(texts)
    job.wait(2)
    return go_to(request, search.address(published=job.number))


@router.get("/release/published/{number}", include_in_schema=False)
def download(request: Request, number: JobNumber) -> Response:
    """Return a published release as one file."""
    job = _find_published(request.app.state.workspace, str(number))
    _, archive = (job and job.answer) or (None, None)
    if archive is None:
        raise HTTPException(404, GONE)
    return FileResponse(archive, media_type="application/zip", filename=archive.name)


@router.get("/api/release", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[SearchFields, Query()]) -> ReleaseAnswer:
    """Return the result of this search, or its progress."""
    return SearchState(request.app.state.workspace, fields.state(), fields.choice(), fields.take).answer()


@router.post("/api/release", responses={422: {"model": Complaint}})
def begin_data(request: Request, fields: Annotated[SearchFields, Query()]) -> JobAnswer:
    """Start this search, or return its progress."""
    return SearchState(request.app.state.workspace, fields.state(), fields.choice()).start().describe()
