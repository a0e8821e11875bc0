"""Release: what is the most useful release within the limits, what else could be published, and publishing it.

A search is a deed: it is begun by a form that is posted, goes on whoever looks, and the address of its question shows
how far it is, then what it found (`web/searches`).  What stands there is the publisher's: how right readers guess, and
what the limits say of the table as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from sidelight.answers.candidates import (
    ENDINGS,
    LONGEST_NAME,
    METHOD_WORDS,
    OPTION_CHOICES,
    OPTIONS_OF,
    CandidateLine,
    SearchChoice,
    compare_candidates,
    draw_candidates,
    draw_shape,
    find_name_problem,
    list_printed_columns,
    list_smallest_groups,
    write_worth,
)
from sidelight.documents.document import AttackerFacts, DocumentPart, attacker_facts
from sidelight.errors import BadPolicy, NotAvailable, NothingSafe, SidelightError
from sidelight.report.plots import description_of, specification, table_behind, title_of
from sidelight.report.report import AuditFinding
from sidelight.search.utility import MEANINGS
from sidelight.text import counted
from sidelight.web.jobs import Job
from sidelight.web.pages import Complaint, PageView, PostedFields, go_to, page
from sidelight.web.searches import PUBLISHING, Looked, SearchFields, add_attackers
from sidelight.web.views.jobs import GONE, JobAnswer, JobNumber, document
from sidelight.web.workspace import Workspace, read_state

if TYPE_CHECKING:
    from sidelight.measures.criterion import Criterion

VIEW = PageView("/release", "Release", "What is the most useful release within these limits?", step=3)

router = APIRouter()


class ReleaseAnswer(DocumentPart):
    """What a search has found, or how far it is."""

    sentence: str
    holds: bool | None
    searching: JobAnswer | None = Field(default=None, description="the search; none where it was not begun")
    problem: str | None = None
    taken: str | None = Field(default=None, description="the key of the candidate that is looked at")
    findings: tuple[AuditFinding, ...] = ()
    before: tuple[AuditFinding, ...] = Field(default=(), description="what the limits find of the table as it is")
    candidates: tuple[CandidateLine, ...] = ()
    readers: tuple[AttackerFacts, ...] = Field(default=(), description="two readers whom the limits do not name")
    warnings: tuple[str, ...] = ()


def answer(looked: Looked) -> ReleaseAnswer:
    """Return what a search has found, or how far it is."""
    job = looked.job
    if job is None:
        words = f"Not searched yet within {counted(len(looked.state.limits), 'limit')}: say how, and press Search."
        if looked.workspace.source.read_table is None:
            words = "This was published already: searching needs the table that it was made from."
        elif not looked.state.limits:
            words = "Nothing is searched without a limit."
        return ReleaseAnswer(sentence=words, holds=None)
    if job.goes_on:
        return ReleaseAnswer(sentence=job.sentence, holds=None, searching=document(job))
    taken = looked.taken
    if taken is None:
        nothing, cancelled = isinstance(job.error, NothingSafe), job.stage == "cancelled"
        words = "Nothing within policy was found." if nothing else "There is no answer to this search."
        return ReleaseAnswer(
            sentence="The search was cancelled; nothing was published." if cancelled else words,
            holds=False if nothing else None,
            searching=document(job),
            problem=None if cancelled else job.problem,
        )
    asking = looked.asking()
    readers = add_attackers(taken.result, asking).readers if asking and not asking.goes_on else ()
    return ReleaseAnswer(
        sentence=taken.conclude(),
        holds=True,
        searching=document(job),
        taken=taken.key,
        findings=taken.findings,
        before=taken.before,
        candidates=looked.candidates,
        readers=tuple(map(attacker_facts, readers)),
        warnings=(*taken.result.notes, *taken.result.warnings),
    )


# What is drawn.


def _picture(chart: Any) -> dict[str, Any]:  # noqa: ANN401 - Altair makes its classes as it is imported
    """Return a chart for the page: what it shows in a sentence, how it is drawn, and the table behind it."""
    drawn = specification(chart)
    for name in ("title", "usermeta", "description"):  # the page says them
        drawn.pop(name, None)
    words = description_of(chart).removeprefix(f"{title_of(chart)}.").strip()
    return {"title": title_of(chart), "description": words, "specification": drawn, "table": table_behind(chart)}


def _draw_pictures(looked: Looked, taken: CandidateLine, against: int) -> dict[str, dict[str, Any]]:
    """Draw the search, and the candidates against a limit; without the extra that draws, the tables say it."""
    answers, candidates, drawn = looked.workspace.answers, looked.candidates, dict[str, dict[str, Any]]()
    key = (looked.question, taken.key)
    with suppress(NotAvailable):
        searched = next(iter(candidates), taken).result
        drawn["shape"] = answers.of(("shape", key), lambda: _picture(draw_shape(searched, taken.result)))
        if len(candidates) > 1:
            drawn["front"] = answers.of(
                ("front", key, tuple(each.key for each in candidates), against),
                lambda: _picture(draw_candidates(candidates, taken, looked.choice, against)),
            )
    return drawn


def risk_at(criteria: Sequence[Criterion], text: str) -> int:
    """Return which limit candidates are drawn against: the one of the address, or the first on a risk."""
    if text.isascii() and text.isdigit() and len(text) <= 3 and int(text) < len(criteria):
        return int(text)
    return next((at for at, each in enumerate(criteria) if each.measure.large_is_bad), 0)


def _candidate_parts(looked: Looked, taken: CandidateLine, texts: Mapping[str, str]) -> dict[str, object]:
    result, asking = taken.result, looked.asking()
    against = risk_at(result.policy.criteria, texts.get("against", ""))
    unanswered = asking is not None and asking.goes_on  # looked at once: it may end while the page is drawn
    others = [each for each in looked.candidates if each.key != taken.key]
    # beside the one that is taken stands the one that is named, or the next best
    beside = next((each for each in others if each.key == texts.get("beside", "")), next(iter(others), None))
    return {
        "asking": asking,
        "unanswered": unanswered,
        "reader_answers": () if unanswered else add_attackers(result, asking).readers,
        "quiet": result.method.prints_rows and not result.method.prints_averages,
        "pictures": _draw_pictures(looked, taken, against),
        "against": against,
        "printed": list_printed_columns(result),
        "rows": list_smallest_groups(result.release),
        "beside": beside,
        "beside_rows": None if beside is None else list_smallest_groups(beside.result.release),
        "compared": None if beside is None else compare_candidates(taken, beside),
    }


def _page(
    request: Request, looked: Looked, fields: Sequence[tuple[str, str]], error: SidelightError | None
) -> Response:
    texts, workspace, job = dict(fields), looked.workspace, looked.job
    names = [] if error is None else [name for name in error.parameters if name in texts]
    searching = job is not None and job.goes_on
    answered = answer(looked)
    taken = None if searching else looked.taken
    more = {name: texts[name] for name in ("against", "beside", "published") if texts.get(name)}
    return page(
        request,
        VIEW,
        looked.state,
        also=looked.also(**more),
        looked=looked,
        answer=answered,
        job=job,
        searching=searching,
        taken=taken,
        worth=write_worth,
        **({} if taken is None else _candidate_parts(looked, taken, texts)),
        methods=METHOD_WORDS,
        options=OPTIONS_OF[looked.choice.method],
        choices=OPTION_CHOICES,
        meanings=MEANINGS,
        problem="" if error is None else workspace.wording(error),
        problem_at=names[0] if names else "",
        typed=texts[names[0]] if names else "",
        published=_published_job(workspace, texts.get("published", "")),
        published_gone="published" in texts,
        endings=ENDINGS,
        name=texts.get("name", "release"),
        name_problem=find_name_problem(texts["name"].strip()) if "name" in texts else "",
        output=workspace.output,
        sample=looked.sample(),
        searchable=workspace.source.read_table is not None,
        address=looked.address(**more),
    )


def _published_job(workspace: Workspace, number: str) -> Job | None:
    """Find what was published by its number in the address."""
    job = workspace.jobs.numbered(int(number)) if number.isascii() and number.isdigit() and len(number) <= 9 else None
    return job if job is not None and job.lane == PUBLISHING else None


# Addresses.


@router.get("/release", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw the search, and what it found."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    try:
        looked = Looked.read(workspace, fields)
    except SidelightError as error:  # it stands at the field that it names, if it names one
        kept = [(name, text) for name, text in fields if name not in error.parameters]
        if len(kept) == len(fields):
            raise
        return _page(request, Looked.read(workspace, kept), fields, error)
    instead = looked.best_instead
    if instead is None:
        return _page(request, looked, fields, looked.refusal())
    gone = "the release that this address names is not known here any more; this is the best one of its search instead"
    return _page(request, instead, fields, BadPolicy(gone))


@router.post("/release", include_in_schema=False)
def begin(request: Request, fields: PostedFields) -> Response:
    """Begin a search, and go to where it is looked at."""
    try:
        looked = Looked.read(request.app.state.workspace, [each for each in fields if each[0] != "take"])
        looked.start()
    except SidelightError:  # the page says at which field
        also = {name: text for name, text in fields if name in SearchChoice.model_fields and text.strip()}
        return go_to(request, read_state(fields).address(VIEW.path, also))
    return go_to(request, looked.address())


@router.post("/release/publish", include_in_schema=False)
def write(request: Request, fields: PostedFields) -> Response:
    """Publish a candidate, into the folder that the command named or as one file to keep; go to where it is told."""
    looked, texts = Looked.read(request.app.state.workspace, fields), dict(fields)
    if find_name_problem(texts.get("name", "").strip()):
        return go_to(request, looked.address(name=texts.get("name", "")[: LONGEST_NAME + 1]))
    job = looked.publish(texts)
    job.wait(2)
    return go_to(request, looked.address(published=job.number))


@router.get("/release/published/{number}", include_in_schema=False)
def download(request: Request, number: JobNumber) -> Response:
    """Hand out what was published, as one file."""
    job = _published_job(request.app.state.workspace, str(number))
    _, archive = (job and job.answer) or (None, None)
    if archive is None:
        raise HTTPException(404, GONE)
    return FileResponse(archive, media_type="application/zip", filename=archive.name)


@router.get("/api/release", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[SearchFields, Query()]) -> ReleaseAnswer:
    """What has this search found, or how far is it?"""
    return answer(Looked(request.app.state.workspace, fields.state(), fields.choice(), fields.take))


@router.post("/api/release", responses={422: {"model": Complaint}})
def begin_data(request: Request, fields: Annotated[SearchFields, Query()]) -> JobAnswer:
    """Begin this search, or find it where it goes on."""
    return document(Looked(request.app.state.workspace, fields.state(), fields.choice()).start())
