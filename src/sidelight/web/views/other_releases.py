"""Other releases: what do this release and another one about the same people give away together?

The other one is dropped on the page.  People are those of the table, or of a second file where the page shows a release
that was published.  `answers/exposure` answers; this reads the address and draws what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, cast, get_args

from fastapi import APIRouter, File, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sidelight.answers import exposure
from sidelight.answers.exposure import (
    ExposureAnswer,
    ExposureRequest,
    GivenFile,
    OtherRelease,
    choose_roles,
    read_same_values,
    read_typed_share,
)
from sidelight.engines.files import columns_of
from sidelight.errors import BadMeasure, BadTable, SidelightError
from sidelight.publish.publish import read_published
from sidelight.release.locate import LocateMethod
from sidelight.release.read import release_from
from sidelight.report.plots import picture_of
from sidelight.report.render import html_block
from sidelight.table.roles import Roles
from sidelight.table.table import Table
from sidelight.web.jobs import Job, Work
from sidelight.web.pages import Complaint, PageView, go_to, page
from sidelight.web.searches import ATTEMPTS
from sidelight.web.security import MOST_BYTES
from sidelight.web.uploads import Uploads
from sidelight.web.views.jobs import answer_of
from sidelight.web.workspace import MOST_COLUMNS, State, StateFields, Workspace, read_state

VIEW = PageView(
    "/other-releases",
    "Other releases",
    "What do this release and another one about the same people give away together?",
)

router = APIRouter()


class OtherFields(StateFields):
    """A state, which files are looked at beside it, and how."""

    other: str = Field(default="", description="the key of the other release, as it was uploaded", max_length=40)
    people: str = Field(default="", description="the key of a file of people; default: the table's", max_length=40)
    known: list[str] = Field(default=[], description="columns of the other release", max_length=MOST_COLUMNS)
    secret: str = Field(default="", description="its sensitive column", max_length=400)
    present: str = Field(default="", description="how likely each of the people is in it; default: 1", max_length=40)
    at_most: str = Field(default="", description="the share of people that may be given away", max_length=40)
    same: str = Field(default="", description="values that are called differently: 'Influenza=Flu'", max_length=2_000)
    locate: str = Field(default="", description=f"how people are found: {', '.join(get_args(LocateMethod))}")

    def own(self) -> dict[str, object]:
        """Return what this view alone says in its address."""
        said = self.model_dump(include={*OtherFields.model_fields} - {*StateFields.model_fields})
        return {name: value for name, value in said.items() if value}


# What the address says.


def read_other(workspace: Workspace, uploads: Uploads | None, state: State, fields: OtherFields) -> OtherRelease | None:
    """Read what the address says beside the state; None where no other release was given yet."""
    if not fields.other:
        return None
    uploads = _require_uploads(uploads)
    other = uploads[fields.other]
    if fields.locate not in ("", *get_args(LocateMethod)):
        raise BadMeasure(f"there is no such way to find people; choose {', '.join(get_args(LocateMethod))}")
    return OtherRelease(
        other=other,
        people=uploads[fields.people] if fields.people else None,
        roles=Roles() if other.sidecar else _read_roles(workspace, state, other, fields),
        present=read_typed_share(fields.present or "1", "how likely people are in it"),
        at_most=read_typed_share(fields.at_most or "0", "the share of people that may be given away"),
        locate=cast("LocateMethod", fields.locate) if fields.locate else None,
        same_values=read_same_values(fields.same),
    )


def _require_uploads(uploads: Uploads | None) -> Uploads:
    if uploads is None:
        raise BadTable("this page takes no files; start it with 'sidelight serve'")
    return uploads


def _text_reading(workspace: Workspace) -> Roles:
    """Return how texts of other files are read; whose row it is, each file says itself."""
    roles = workspace.source.roles
    return Roles(missing_marks=roles.missing_marks, missing=roles.missing)


def _read_roles(workspace: Workspace, state: State, other: GivenFile, fields: OtherFields) -> Roles:
    """Return who is who in a file without a sidecar: as the address says, or columns of the same names as here."""
    like = replace(_text_reading(workspace), quasi=workspace.column_names, sensitive=state.sensitive)
    return choose_roles(other, like, workspace.source.name, known=fields.known, secret=fields.secret)


def _read_fields(request: Request) -> OtherFields:
    items = request.query_params.multi_items()
    stated: dict[str, object] = {name: text for name, text in items if name in OtherFields.model_fields}
    for name in ("quasi", "sensitive", "level", "limit", "known"):
        stated[name] = [text for each, text in items if each == name]
    # what the form says of columns stands before what the address said
    chosen = [(name.removeprefix("as-"), text) for name, text in items if name.startswith("as-")]
    stated["known"] = [name for name, text in chosen if text == "quasi"] or stated["known"]
    for secret in [name for name, text in chosen if text == "sensitive"][-1:]:
        stated["secret"] = secret
    try:
        return OtherFields.model_validate(stated)
    except ValidationError as error:  # as the same address is refused under /api
        problems = [{**each, "loc": ("query", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(problems) from None


# What is asked, and what was asked before.


def gather(workspace: Workspace, state: State, beside: OtherRelease) -> Work:
    """Read both releases and the people."""
    source, people, release = workspace.source, beside.people, workspace.release(state)
    about = state.sensitive[0] if len(release.sensitive_columns) > 1 else None
    release = release if about is None else release.about(about)
    path = beside.other.path
    other = read_published(path) if beside.other.sidecar else release_from(str(path), beside.roles)
    names = workspace.column_names if people is None else columns_of(people.path, _text_reading(workspace))
    known = tuple(name for name in exposure.list_columns(release, other) if name in names)
    truth = release.sensitive_columns[0]
    searched = source.read_table is not None
    request = ExposureRequest(
        beside=beside,
        release=release,
        other=other,
        name=source.title or Path(source.name).name,
        known=known,
        people=_read_people(workspace, state, known) if people is None else str(people.path),
        truth=truth if people is not None and truth in columns_of(people.path) else None,
        by=dict(source.hierarchies),
        table=workspace.table(state) if searched else None,
        hierarchies=workspace.hierarchies(state) if searched else {},
        levels=dict(state.levels),
        about=about,
    )
    return partial(exposure.ask_exposure, request)


def _read_people(workspace: Workspace, state: State, known: tuple[str, ...]) -> Table:
    read, source = workspace.source.read_table, workspace.source
    if read is None:
        raise BadTable(
            f"{source.name} was published already, and says nothing of single people; drop a file of the people "
            "whom somebody looks for, with the columns that are known of them"
        )
    roles = replace(workspace.roles(state), quasi=known, sensitive=state.sensitive[0])
    question = ("people", roles.quasi, roles.value_columns, roles.missing)
    return workspace.tables.of(question, lambda: read(roles))


def begin(workspace: Workspace, state: State, beside: OtherRelease, address: str) -> Job:
    """Look for people in both releases, beside the page."""
    return workspace.jobs.soon(
        (ATTEMPTS, state.subject, beside),
        lambda: gather(workspace, state, beside),
        title=f"Looking for people in {beside.other.name}",
        address=address,
        lane=ATTEMPTS,
    )


# The page.


def _as_called(words: str, uploads: Uploads | None) -> str:
    for each in () if uploads is None else uploads.all():
        words = words.replace(str(each.path), each.name).replace(each.path.name, each.name)
    return words


@router.get("/other-releases", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw what two releases give away together."""
    return _draw(request)


@router.post("/other-releases", include_in_schema=False)
def give(request: Request, file: Annotated[list[UploadFile], File()], as_people: str = Query(default="")) -> Response:
    """Keep a file that was dropped, and show what it gives away."""
    fields = _read_fields(request)
    fields.state()  # refused before anything is kept
    try:
        upload = _keep(request, file)
    except SidelightError as error:
        return _draw(request, problem=request.app.state.workspace.wording(error))
    changes = {"people": upload.key} if as_people else {"other": upload.key, "known": [], "secret": ""}
    after = fields.model_copy(update=changes)
    return go_to(request, after.state().address(VIEW.path, after.own()))


def _keep(request: Request, files: Sequence[UploadFile]) -> GivenFile:
    """Keep a file that can be read, and name its columns; one that cannot is not kept, and takes no place."""
    workspace: Workspace = request.app.state.workspace
    uploads = _require_uploads(request.app.state.uploads)
    upload = uploads.keep([(each.filename or "", each.file) for each in files])
    try:
        columns = columns_of(str(upload.path), _text_reading(workspace))
        if upload.sidecar:
            read_published(upload.path)
    except SidelightError as error:
        problem = _as_called(workspace.wording(error), uploads)
        uploads.forget(upload.key)
        raise BadTable(problem) from None
    except BaseException:
        uploads.forget(upload.key)
        raise
    return upload.model_copy(update={"columns": columns})


def _draw(request: Request, problem: str = "") -> Response:
    workspace: Workspace = request.app.state.workspace
    fields, uploads = _read_fields(request), request.app.state.uploads
    state, also = read_state(request.query_params.multi_items()), fields.own()
    address = state.address(VIEW.path, also)
    if any(name.startswith("as-") for name in request.query_params) and "hx-request" not in request.headers:
        return go_to(request, address)
    beside, job, sample = None, None, None
    columns: tuple[tuple[str, str], ...] = ()
    try:
        columns = _list_columns(workspace, uploads, fields)
        beside = read_other(workspace, uploads, state, fields)
        if beside is not None:
            job = begin(workspace, state, beside, address)
            problem = problem or job.problem or ""
            sample = beside.recipe(workspace.recipe(state), workspace.column_names)
    except SidelightError as error:
        problem = problem or workspace.wording(error)
    answer: ExposureAnswer | None = job.answer if job is not None and job.stage == "done" else None
    response = page(
        request,
        VIEW,
        state,
        pictures=() if answer is None or job is None else _draw_values_left(workspace, job),
        answer=answer,
        job=job if job is not None and job.goes_on else None,
        ended=job if job is not None and not job.goes_on else None,
        job_address=address,
        beside=beside,
        columns=columns,
        roles={"quasi": "others know it", "sensitive": "nobody should find it out", "leave out": "not looked at"},
        fields=fields,
        problem=_as_called(problem, uploads),
        also=also,
        needs_people=workspace.source.read_table is None,
        most_bytes=MOST_BYTES,
        locating=get_args(LocateMethod),
        sample=sample,
    )
    response.status_code = 422 if problem and request.method == "POST" else 200
    return response


def _draw_values_left(workspace: Workspace, job: Job) -> tuple[str, ...]:
    """Draw how many values are left, and how sure somebody gets; nothing without the extra `plot`."""

    def draw() -> tuple[str, ...]:
        exposed: ExposureAnswer = job.answer
        return tuple(html_block(picture_of(exposed.exposure.plot(each))) for each in ("values left", "belief"))

    try:
        return workspace.answers.of(("pictures", job.question), draw)
    except SidelightError:
        return ()


def _list_columns(workspace: Workspace, uploads: Uploads | None, fields: OtherFields) -> tuple[tuple[str, str], ...]:
    if not fields.other:
        return ()
    other = _require_uploads(uploads)[fields.other]
    if other.sidecar:
        release = read_published(other.path)
        known = tuple((column.name, "quasi") for column in release.groups.columns)
        return (*known, *((name, "sensitive") for name in release.sensitive_columns))
    try:
        roles = _read_roles(workspace, fields.state(), other, fields)
    except SidelightError:
        roles = Roles()
    return tuple(
        (name, "quasi" if name in roles.quasi else "sensitive" if name in roles.value_columns else "leave out")
        for name in columns_of(str(other.path), _text_reading(workspace))
    )


# The same as data.


@router.post("/api/uploads", responses={422: {"model": Complaint}, 413: {"description": "more than is taken"}})
def upload(request: Request, file: Annotated[list[UploadFile], File()]) -> GivenFile:
    """Keep a file until the page is closed: a release, with its sidecar, or people."""
    return _keep(request, file)


@router.get("/api/other-releases", responses={422: {"model": Complaint}})
async def data(request: Request, fields: Annotated[OtherFields, Query()]) -> ExposureAnswer:
    """What do this release and another one about the same people give away together?"""
    workspace: Workspace = request.app.state.workspace
    state = fields.state()
    beside = await run_in_threadpool(read_other, workspace, request.app.state.uploads, state, fields)
    if beside is None:
        raise BadTable("which other release? Upload it first, and give its key as 'other'")
    # a program that asks is kept waiting for ten minutes at most
    answer: ExposureAnswer = await answer_of(request, partial(begin, workspace, state, beside, VIEW.path), 600.0)
    return answer
