"""Other releases: what do this release and another one about the same people give away together?

The other one is dropped on the page.  People are those of the table, or of a second file where the page shows a release
that was published.  `web.exposing` asks the library; this is what the page says around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Annotated, cast, get_args

from fastapi import APIRouter, File, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sidelight.answers.recipe import (
    Name,
    write_call,
    write_python,
    write_release,
    write_role_options,
    write_table,
)
from sidelight.documents.document import DocumentPart
from sidelight.engines.files import columns_of
from sidelight.errors import BadMeasure, BadTable, SidelightError, did_you_mean
from sidelight.policy.limits import read_share
from sidelight.publish.read_back import read_published
from sidelight.release.locate import LocateMethod
from sidelight.report.answer import Recipe
from sidelight.table.roles import Roles
from sidelight.text import as_names, shell
from sidelight.web.exposing import LANE, Beside, DrawnExposure, ExposureAnswer, TwoReleases, question_of, text_reading
from sidelight.web.jobs import Job
from sidelight.web.pages import (
    Complaint,
    PageView,
    go_to,
    page,
)
from sidelight.web.recipes import write_preparations, write_publishing, write_reading
from sidelight.web.security import MOST_BYTES
from sidelight.web.state import MOST_COLUMNS, State, StateFields, read_state
from sidelight.web.uploads import Upload, Uploads
from sidelight.web.views.jobs import answer_of
from sidelight.web.workspace import Workspace

VIEW = PageView(
    "/other-releases",
    "Other releases",
    "What do this release and another one about the same people give away together?",
)

router = APIRouter()

PATIENCE = 600.0
"""Seconds for which a program that asks is kept waiting."""

OPEN_LIMIT = "0"
"""What share of people may be given away, unless somebody says so."""


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


class UploadAnswer(DocumentPart):
    """A file that is kept until the page is closed."""

    key: str
    name: str
    columns: tuple[str, ...]
    sidecar: bool


def read_beside(workspace: Workspace, uploads: Uploads | None, state: State, fields: OtherFields) -> Beside | None:
    """Read what the address says beside the state; None where no other release was given yet."""
    if not fields.other:
        return None
    uploads = _taken(uploads)
    other = uploads[fields.other]
    if fields.locate not in ("", *get_args(LocateMethod)):
        message = f"there is no such way to find people; choose {', '.join(get_args(LocateMethod))}"
        raise BadMeasure(message)
    return Beside(
        other=other,
        people=uploads[fields.people] if fields.people else None,
        roles=Roles() if other.sidecar else _roles(workspace, state, other, fields),
        present=_share(fields.present or "1", "how likely people are in it"),
        at_most=_share(fields.at_most or OPEN_LIMIT, "the share of people that may be given away"),
        locate=cast("LocateMethod", fields.locate) if fields.locate else None,
        same_values=_same_values(fields.same),
    )


def _taken(uploads: Uploads | None) -> Uploads:
    if uploads is None:
        message = "this page takes no files; start it with 'sidelight serve'"
        raise BadTable(message)
    return uploads


def _same_values(text: str) -> tuple[tuple[str, str], ...] | None:
    """Read 'Influenza=Flu; HIV=AIDS'; '=' alone says that equal words, and no others, mean the same."""
    pairs = [tuple(each.strip().partition("=")) for each in text.split(";") if each.strip()]
    if any(not equals or bool(one.strip()) != bool(other.strip()) for one, equals, other in pairs):
        message = f"cannot read '{text[:40]}'; write 'Influenza=Flu; HIV=AIDS', or '=' if no others are the same"
        raise BadMeasure(message)
    return tuple((one.strip(), other.strip()) for one, _, other in pairs if one.strip()) if pairs else None


def _share(text: str, what: str) -> Fraction:
    share = read_share(text)
    if share is None:
        message = f"cannot read '{text[:40]}' as {what}; give a number from 0 to 1, such as 0.01 or 1/100"
        raise BadMeasure(message)
    return share


def _roles(workspace: Workspace, state: State, other: Upload, fields: OtherFields) -> Roles:
    """Return who is who in a file without a sidecar: as the address says, or columns of the same names as here."""
    columns = columns_of(str(other.path), text_reading(workspace.source.roles))
    for name in (*fields.known, *as_names(fields.secret or ())):
        if name not in columns:
            message = f"no column '{name}' in {other.name}{did_you_mean(name, columns)}"
            raise BadTable(message)
    secret = fields.secret or next((name for name in state.sensitive if name in columns), "")
    if not secret:
        message = f"which column of {other.name} is the one that nobody should find out? Say so below"
        raise BadTable(message)
    known = tuple(fields.known) or tuple(name for name in workspace.column_names if name in columns)
    known = tuple(name for name in known if name != secret and name not in state.sensitive)
    if not known:
        message = f"no column of {other.name} is called as one of {workspace.source.name}: nobody can be found by it"
        raise BadTable(message)
    return replace(text_reading(workspace.source.roles), quasi=known, sensitive=secret)


# The page


def _as_called(words: str, uploads: Uploads | None) -> str:
    """Name files as whoever gave them does, not as they are kept."""
    for each in () if uploads is None else uploads.all():
        words = words.replace(str(each.path), each.name).replace(each.path.name, each.name)
    return words


@router.get("/other-releases", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw what two releases give away together."""
    return _drawn(request)


@router.post("/other-releases", include_in_schema=False)
def give(request: Request, file: Annotated[list[UploadFile], File()], as_people: str = Query(default="")) -> Response:
    """Keep a file that was dropped, and show what it gives away."""
    fields = _fields(request)
    fields.state()  # refused before anything is kept
    try:
        upload, _ = _kept(request, file)
    except SidelightError as error:
        return _drawn(request, problem=request.app.state.workspace.wording(error))
    changes = {"people": upload.key} if as_people else {"other": upload.key, "known": [], "secret": ""}
    return go_to(request, _address(fields.model_copy(update=changes)))


def _kept(request: Request, files: Sequence[UploadFile]) -> tuple[Upload, tuple[str, ...]]:
    """Keep a file that can be read, and name its columns; one that cannot is not kept, and takes no place."""
    workspace: Workspace = request.app.state.workspace
    uploads = _taken(request.app.state.uploads)
    upload = uploads.keep([(each.filename or "", each.file) for each in files])
    try:
        columns = columns_of(str(upload.path), text_reading(workspace.source.roles))
        if upload.sidecar:
            read_published(upload.path)
    except SidelightError as error:
        problem = _as_called(workspace.wording(error), uploads)
        uploads.forget(upload)
        raise BadTable(problem) from None
    except BaseException:
        uploads.forget(upload)
        raise
    return upload, columns


def _fields(request: Request) -> OtherFields:
    items = request.query_params.multi_items()
    texts = {name: text for name, text in items if name in OtherFields.model_fields}
    several = {
        name: [text for each, text in items if each == name] for name in ("quasi", "sensitive", "level", "limit")
    }
    stated = {
        **texts,
        **several,
        "known": [name.removeprefix("as-") for name, text in items if _says_known(name, text)],
    }
    stated["known"] = stated["known"] or [text for name, text in items if name == "known"]
    chosen = [name.removeprefix("as-") for name, text in items if name.startswith("as-") and text == "sensitive"]
    if chosen:
        stated["secret"] = chosen[-1]
    try:
        return OtherFields.model_validate(stated)
    except ValidationError as error:  # as the same address is refused under /api
        problems = [{**each, "loc": ("query", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(problems) from None


def _says_known(name: str, text: str) -> bool:
    return name.startswith("as-") and text == "quasi"


def _address(fields: OtherFields) -> str:
    return fields.state().address(VIEW.path, _own(fields))


def _own(fields: OtherFields) -> dict[str, object]:
    """Return what this view alone says in its address."""
    own = fields.model_dump(include={*OtherFields.model_fields} - {*StateFields.model_fields})
    return {name: value for name, value in own.items() if value}


def _drawn(request: Request, problem: str = "") -> Response:
    workspace: Workspace = request.app.state.workspace
    fields, uploads = _fields(request), request.app.state.uploads
    state = read_state(request.query_params.multi_items())
    also = _own(fields)
    if any(name.startswith("as-") for name in request.query_params) and "hx-request" not in request.headers:
        return go_to(request, state.address(VIEW.path, also))
    beside, job, sample = None, None, None
    columns: tuple[tuple[str, str], ...] = ()
    try:
        columns = _columns(workspace, uploads, fields)
        beside = read_beside(workspace, uploads, state, fields)
        if beside is not None:
            job = _job(workspace, state, beside, state.address(VIEW.path, also))
            problem = problem or job.problem or ""
            sample = _sample(workspace, state, beside)
    except SidelightError as error:
        problem = problem or workspace.wording(error)
    drawn: DrawnExposure | None = job.answer if job is not None and job.stage == "done" else None
    response = page(
        request,
        VIEW,
        state,
        drawn=drawn,
        answer=None if drawn is None else drawn.answer,
        job=job if job is not None and job.goes_on else None,
        ended=job if job is not None and not job.goes_on else None,
        job_address=state.address(VIEW.path, also),
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


def _job(workspace: Workspace, state: State, beside: Beside, address: str) -> Job:
    return workspace.jobs.soon(
        question_of(state, beside),
        lambda: TwoReleases.gather(workspace, state, beside).exposed,
        title=f"Looking for people in {beside.other.name}",
        address=address,
        lane=LANE,
    )


def _columns(workspace: Workspace, uploads: Uploads | None, fields: OtherFields) -> tuple[tuple[str, str], ...]:
    """List the columns of a file without a sidecar, and what each is taken for."""
    if not fields.other:
        return ()
    other = _taken(uploads)[fields.other]
    if other.sidecar:
        reading_of = read_published(other.path)
        known = tuple((column.name, "quasi") for column in reading_of.groups.columns)
        return (*known, *((name, "sensitive") for name in reading_of.sensitive_columns))
    columns = columns_of(str(other.path), text_reading(workspace.source.roles))
    try:
        roles = _roles(workspace, fields.state(), other, fields)
    except SidelightError:
        roles = Roles()
    return tuple(
        (name, "quasi" if name in roles.quasi else "sensitive" if name in roles.value_columns else "leave out")
        for name in columns
    )


def _sample(workspace: Workspace, state: State, beside: Beside) -> Recipe:
    """Write the command and the Python, with the files as they are called."""
    source, roles = workspace.source, workspace.roles(state)
    commands, file = write_preparations(source, roles, coarser=bool(state.levels)), source.name
    if state.levels:
        file = "release.csv"
        commands.append(write_publishing(source, roles, state, [], file))
    words = attack_words(workspace, state, beside, file)
    commands.append(shell(words) if words else f"# {other_columns(beside)}")
    lines = write_reading(source, roles, state)
    if source.sidecar is not None:
        lines = [f"release = {write_release(source.name, roles, by_sidecar=True)}"]
    lines += attack_lines(workspace, state, beside, has_hierarchies=bool(state.levels))
    return Recipe("\n".join(commands), write_python(*lines, "print(exposure.explain())"))


def other_columns(beside: Beside) -> str:
    """Return why there is no command for an attack."""
    return f"{beside.other.name} prints other columns: the Python reads each file as it is"


def attack_words(workspace: Workspace, state: State, beside: Beside, file: str) -> list[str]:
    """Write the command that attacks a file and the other one; nothing where one command cannot read both."""
    source, roles, own = workspace.source, workspace.roles(state), beside.roles
    if not beside.other.sidecar and (own.quasi, own.value_columns) != (roles.quasi, roles.value_columns):
        return []
    people = source.name if beside.people is None else beside.people.name
    words = ["sidelight", "attack", file, beside.other.name, "--people", people]
    if source.sidecar is None or not beside.other.sidecar:
        words += write_role_options(
            Roles(quasi=roles.quasi, sensitive=roles.sensitive, missing_marks=roles.missing_marks), "attack"
        )
    words += ["--truth", roles.value_columns[0]] if beside.people is None else []
    words += ["--hierarchies", source.hierarchy_folder] if source.hierarchy_folder else []
    words += ["--locate", beside.locate] if beside.locate else []
    words += ["--present", "1", "--present", str(beside.present)] if beside.present != 1 else []
    words += [word for pair in _pairs(beside) for word in ("--same-value", pair)]
    return [*words, "--at-most", str(beside.at_most)]


def _pairs(beside: Beside) -> list[str]:
    if beside.same_values is None:
        return []
    return [f"{one}={other}" for one, other in beside.same_values] or ["="]


def attack_lines(
    workspace: Workspace,
    state: State,
    beside: Beside,
    *,
    released: str = "release",
    exposure: str = "exposure",
    has_hierarchies: bool = False,
) -> list[str]:
    """Write the Python that attacks a release, which is at hand, and the other one."""
    source, roles, lines = workspace.source, workspace.roles(state), []
    people: object = Name("people") if beside.people is None else beside.people.name
    if beside.people is None:
        others = [name for name in beside.roles.quasi if name in workspace.column_names]
        whom = replace(roles, quasi=tuple(dict.fromkeys((*roles.quasi, *others))))
        lines.append(f"people = {write_table(source.name, whom)}")
    if source.hierarchies and not has_hierarchies:
        lines.append(f"hierarchies = {write_call('sl.read_hierarchies', source.hierarchy_folder)}")
    other = write_release(beside.other.name, beside.roles, by_sidecar=bool(beside.other.sidecar))
    call = write_call(
        "sl.intersect",
        Name(f"[{released}, other]"),
        people=people,
        by=Name("hierarchies") if source.hierarchies else None,
        locate=beside.locate,
        same_values=None if beside.same_values is None else Name(repr(dict(beside.same_values))),  # {} says none
        present=[1, beside.present] if beside.present != 1 else None,
    )
    return [*lines, f"other = {other}", f"{exposure} = {call}"]


# The same as data


@router.post("/api/uploads", responses={422: {"model": Complaint}, 413: {"description": "more than is taken"}})
def upload(request: Request, file: Annotated[list[UploadFile], File()]) -> UploadAnswer:
    """Keep a file until the page is closed: a release, with its sidecar, or people."""
    kept, columns = _kept(request, file)
    return UploadAnswer(key=kept.key, name=kept.name, columns=columns, sidecar=kept.sidecar)


@router.get("/api/other-releases", responses={422: {"model": Complaint}})
async def data(request: Request, fields: Annotated[OtherFields, Query()]) -> ExposureAnswer:
    """What do this release and another one about the same people give away together?"""
    workspace: Workspace = request.app.state.workspace
    state = fields.state()
    beside = await run_in_threadpool(read_beside, workspace, request.app.state.uploads, state, fields)
    if beside is None:
        message = "which other release? Upload it first, and give its key as 'other'"
        raise BadTable(message)
    drawn: DrawnExposure = await answer_of(request, partial(_job, workspace, state, beside, VIEW.path), PATIENCE)
    return drawn.answer
