"""The view of other releases: what this release and another one about the same people disclose together.

The other one is uploaded on the page.  People are those of the table or, for a published release, of a second file
(`answers/exposure`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, cast, get_args

from fastapi import APIRouter, File, Query, Request, UploadFile
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sidelight.answers.exposure import (
    ExposureAnswer,
    ExposureRequest,
    OtherRelease,
    UploadedFile,
    ask_exposure,
    choose_roles,
    list_roles,
    read_same_values,
    read_typed_share,
)
from sidelight.engines.files import columns_of
from sidelight.errors import BadMeasure, BadTable, SidelightError
from sidelight.release.locate import LocateMethod
from sidelight.report.render import html_block
from sidelight.table.roles import Roles
from sidelight.web.jobs import Job, Work
from sidelight.web.pages import Complaint, PageView, go_to, page
from sidelight.web.searches import ATTEMPTS
from sidelight.web.security import MOST_BYTES
from sidelight.web.uploads import Uploads
from sidelight.web.views.jobs import answer_of
from sidelight.web.workspace import MOST_COLUMNS, State, StateFields, Workspace, read_names, read_state

VIEW = PageView(
    "/other-releases",
    "Other releases",
    "What do this release and another one about the same people give away together?",
)

router = APIRouter()


class OtherFields(StateFields):
    """A state, the keys of uploaded files, and how people are found in them."""

    other: str = Field(default="", description="the key of the other release, as it was uploaded", max_length=40)
    people: str = Field(default="", description="the key of a file of people; default: the table's", max_length=40)
    known: list[str] = Field(default=[], description="columns of the other release", max_length=MOST_COLUMNS)
    secret: str = Field(default="", description="its sensitive column", max_length=400)
    present: str = Field(default="", description="how likely each of the people is in it; default: 1", max_length=40)
    at_most: str = Field(default="", description="the share of people that may be given away", max_length=40)
    same: str = Field(default="", description="values that are called differently: 'Influenza=Flu'", max_length=2_000)
    locate: str = Field(default="", description=f"how people are found: {', '.join(get_args(LocateMethod))}")

    def own(self) -> dict[str, object]:
        """Return the fields of this view alone, without those that are empty."""
        own = self.model_dump(include={*OtherFields.model_fields} - {*StateFields.model_fields})
        return {name: value for name, value in own.items() if value}

    def with_form(self, request: Request) -> OtherFields:
        """Return the fields with the roles of the form, which replace those of the address."""
        items = request.query_params.multi_items()
        roles = [(name.removeprefix("as-"), role) for name, role in items if name.startswith("as-")]
        known = read_names([name for name, role in roles if role == "quasi"])
        secret = next((name for name, role in reversed(roles) if role == "sensitive"), self.secret)
        return self.model_copy(update={"known": [*known] or self.known, "secret": secret})


Fields = Annotated[OtherFields, Query()]
Files = Annotated[list[UploadFile], File()]


def _require_uploads(request: Request) -> Uploads:
    uploads: Uploads | None = request.app.state.uploads
    if uploads is None:
        raise BadTable("this page takes no files; start it with 'sidelight serve'")
    return uploads


def _read_roles(workspace: Workspace, other: UploadedFile, fields: OtherFields) -> Roles:
    """Return the roles in a file without a sidecar: as the address has them, or of columns with the same names."""
    source = workspace.source
    like = replace(source.text_roles, quasi=workspace.column_names, sensitive=fields.state().sensitive)
    return choose_roles(other, like, source.name, known=fields.known, sensitive=fields.secret)


def _list_columns(request: Request, fields: OtherFields) -> tuple[tuple[str, str], ...]:
    workspace: Workspace = request.app.state.workspace
    other = _require_uploads(request)[fields.other]
    try:
        roles = workspace.source.text_roles if other.sidecar else _read_roles(workspace, other, fields)
    except SidelightError:
        roles = workspace.source.text_roles
    return list_roles(other, roles)


def read_other(request: Request, fields: OtherFields) -> OtherRelease:
    """Parse the fields of this view."""
    workspace, uploads = request.app.state.workspace, _require_uploads(request)
    other = uploads[fields.other]
    if fields.locate not in ("", *get_args(LocateMethod)):
        raise BadMeasure(f"there is no such way to find people; choose {', '.join(get_args(LocateMethod))}")
    return OtherRelease(
        other=other,
        people=uploads[fields.people] if fields.people else None,
        roles=Roles() if other.sidecar else _read_roles(workspace, other, fields),
        present=read_typed_share(fields.present or "1", "how likely people are in it"),
        at_most=read_typed_share(fields.at_most or "0", "the share of people that may be given away"),
        locate=cast("LocateMethod", fields.locate) if fields.locate else None,
        same_values=read_same_values(fields.same),
    )


def gather(workspace: Workspace, state: State, beside: OtherRelease) -> Work:
    """Read both releases and the people."""
    source, people = workspace.source, beside.people
    searched = source.read_table is not None
    request = ExposureRequest.gather(
        beside,
        workspace.release(state),
        sensitive=state.sensitive[0],
        columns=workspace.column_names if people is None else columns_of(people.path, source.text_roles),
        read_people=partial(workspace.people, state),
        name=source.title or Path(source.name).name,
        by=dict(source.hierarchies),
        table=workspace.table(state) if searched else None,
        hierarchies=workspace.hierarchies(state) if searched else {},
        levels=dict(state.levels),
    )
    return partial(ask_exposure, request)


def begin(workspace: Workspace, state: State, beside: OtherRelease, address: str) -> Job:
    """Start looking for people in both releases."""
    return workspace.jobs.soon(
        (ATTEMPTS, state.subject, beside),
        partial(gather, workspace, state, beside),
        title=f"Looking for people in {beside.other.name}",
        address=address,
        lane=ATTEMPTS,
    )


def _draw(request: Request, fields: OtherFields, problem: str = "") -> Response:
    workspace: Workspace = request.app.state.workspace
    fields, uploads = fields.with_form(request), request.app.state.uploads
    state, also = read_state(request.query_params.multi_items()), fields.own()
    address = state.address(VIEW.path, also)
    if any(name.startswith("as-") for name in request.query_params) and "hx-request" not in request.headers:
        return go_to(request, address)
    beside, job, answer, sample = None, None, None, None
    columns: tuple[tuple[str, str], ...] = ()
    pictures: tuple[str, ...] = ()
    try:
        if fields.other:
            columns = _list_columns(request, fields)
            beside = read_other(request, fields)
            started = begin(workspace, state, beside, address)
            job = started.describe()
            problem = problem or job.problem or ""
            sample = beside.recipe(workspace.recipe(state), workspace.column_names)
            if job.stage == "done":
                answer = cast("ExposureAnswer", started.answer)
                pictures = workspace.answers.of(
                    ("pictures", started.question), lambda: tuple(map(html_block, started.answer.draw()))
                )
    except SidelightError as error:
        problem = problem or workspace.wording(error)
    response = page(
        request,
        VIEW,
        state,
        pictures=pictures,
        answer=answer,
        job=job,
        job_address=address,
        beside=beside,
        columns=columns,
        roles={"quasi": "others know it", "sensitive": "nobody should find it out", "leave out": "not looked at"},
        fields=fields,
        problem=problem if uploads is None else uploads.show_names(problem),
        also=also,
        needs_people=workspace.source.read_table is None,
        most_bytes=MOST_BYTES,
        locating=get_args(LocateMethod),
        sample=sample,
    )
    response.status_code = 422 if problem and request.method == "POST" else 200
    return response


@router.get("/other-releases", include_in_schema=False)
def show(request: Request, fields: Fields) -> Response:
    """Render what two releases disclose together."""
    return _draw(request, fields)


@router.post("/other-releases", include_in_schema=False)
def receive(request: Request, fields: Fields, file: Files) -> Response:
    """Store an uploaded file, and redirect to its page."""
    state = read_state(request.query_params.multi_items())  # an error here stores nothing
    try:
        key = upload(request, file).key
    except SidelightError as error:
        return _draw(request, fields, problem=request.app.state.workspace.wording(error))
    is_people = "as_people" in request.query_params
    changes = {"people": key} if is_people else {"other": key, "known": [], "secret": ""}
    return go_to(request, state.address(VIEW.path, fields.model_copy(update=changes).own()))


@router.post("/api/uploads", responses={422: {"model": Complaint}, 413: {"description": "more than is taken"}})
def upload(request: Request, file: Files) -> UploadedFile:
    """Store a file until the page is closed: a release, with its sidecar, or people."""
    workspace: Workspace = request.app.state.workspace
    files = [(each.filename or "", each.file) for each in file]
    return _require_uploads(request).keep_readable(files, workspace.source.text_roles, workspace.wording)


@router.get("/api/other-releases", responses={422: {"model": Complaint}})
async def data(request: Request, fields: Fields) -> ExposureAnswer:
    """Return what this release and another one about the same people disclose together."""
    workspace: Workspace = request.app.state.workspace
    if not fields.other:
        raise BadTable("which other release? Upload it first, and give its key as 'other'")
    beside = await run_in_threadpool(read_other, request, fields)
    start = partial(begin, workspace, fields.state(), beside, VIEW.path)
    answer: ExposureAnswer = await answer_of(request, start, 600.0)  # ten minutes for programs
    return answer
