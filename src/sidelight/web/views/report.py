"""The view of the report: the document of `sidelight report`, to read, sign and download.

It is about the result of a search within the limits or, without one or with `of=file`, about the release of the state:
the file as it was published, or generalised to the levels of the address.  Outline and sign-off are in the address, so
that the document on the page and the downloaded one are the same.  It includes the attacks on the same release under
Other releases, unless the address leaves them out (`without`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from sidelight.answers.signing import DECISIONS, SIGNED, ReportChoice
from sidelight.errors import BadPolicy, SidelightError
from sidelight.report.contents import OUTLINES, release_page, report_html, report_markdown
from sidelight.report.release_report import ReleaseReport
from sidelight.report.render import browser_path, html_within, pdf_page
from sidelight.report.report import conclude
from sidelight.web.pages import Complaint, PageView, page
from sidelight.web.searches import NAMES_A_SEARCH, SearchFields, Subject, find_latest_search
from sidelight.web.views.attackers import answer
from sidelight.web.workspace import LONGEST_TEXT, MOST_FILES, Workspace

VIEW = PageView("/report", "Report", "What does somebody sign who lets this release go?", step=4)

router = APIRouter()

LONGEST_LINE = 200

Form: TypeAlias = Literal["html", "md", "pdf"]
"""The formats of downloads."""


class ReportFields(SearchFields):
    """A state, the outline and the sign-off."""

    without: list[str] = Field(
        default=[], description="the key of a file whose attack is left out", max_length=MOST_FILES
    )
    of: str = Field(default="", description="'file': of what is looked at, whatever a search found", max_length=40)
    outline: str = Field(default="", description=f"the order of a regime's document: {', '.join(OUTLINES)}")
    signed_by: str = Field(default="", description="who decides", max_length=LONGEST_LINE)
    role: str = Field(default="", description="what they are", max_length=LONGEST_LINE)
    decision: str = Field(default="", description=f"what they decide: {', '.join(DECISIONS)}", max_length=LONGEST_LINE)
    reasons: str = Field(default="", description="why", max_length=LONGEST_TEXT)
    date: str = Field(default="", description="the day that the report says, such as 2026-01-31; today", max_length=40)


@router.get("/report", include_in_schema=False)
def show(request: Request) -> Response:
    """Render the report."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    subject, choice = Subject.read(workspace, fields), ReportChoice.read(dict(fields))
    state, job = subject.state, subject.pending
    document, sample, problem = None, None, ""
    if job is not None:
        job.wait(0.5)
    try:
        if job is None or not job.goes_on:
            document = html_within(release_page(subject.report(choice), choice.outline))
            sample = subject.sample(choice)
    except SidelightError as error:
        problem = workspace.wording(error)
    sentence, holds = _conclude(subject) if document is not None else ("", None)
    try:
        printable = bool(browser_path())
    except SidelightError:
        printable = False
    also = {**subject.also, **{name: text for name, text in choice.fields.items() if text}}
    return page(
        request,
        VIEW,
        state,
        sentence=sentence,
        holds=holds,
        about=subject.in_words,
        found=subject.search is not None,
        tried=() if document is None else tuple(_list_attacks(subject, also)),
        attacked=subject.attacked_state,
        job=job if document is None and not problem else None,
        address=state.address(VIEW.path, also),
        problem=problem,
        document=document,
        choice=choice,
        outlines={name: outline["title"] for name, outline in OUTLINES.items()},
        decisions=DECISIONS,
        also=also,
        kept=subject.also,
        printable=printable,
        sample=sample,
    )


def _conclude(subject: Subject) -> tuple[str, bool | None]:
    """Return the sentence above the document, and whether the limits hold."""
    if subject.candidate is None:
        attackers = answer(subject.workspace, subject.state)
        return attackers.sentence, attackers.holds
    audit = subject.measure().answer.audit
    return conclude(audit.findings, audit.release.size_in_words()).text, subject.candidate.result.verdict.safe


def _list_attacks(subject: Subject, also: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the attacks that were tried, whether the document includes each, and the address that toggles it."""
    for each in subject.attempts:
        key = each.beside.other.key
        included = key not in subject.without
        without = [*subject.without, key] if included else [other for other in subject.without if other != key]
        address = subject.state.address(VIEW.path, {**also, "without": without})
        yield {"sentence": each.sentence, "name": each.name, "included": included, "address": address}


@router.get("/report/download/{form}", include_in_schema=False)
def download(request: Request, form: Form) -> Response:
    """Return the document as a file."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    choice = _require_complete(dict(fields))
    report = Subject.read(workspace, fields).report(choice)
    draw: dict[Form, tuple[str, Callable[[], str | bytes]]] = {
        "html": ("text/html; charset=utf-8", lambda: report_html(report, choice.outline)),
        "md": ("text/markdown; charset=utf-8", lambda: report_markdown(report, choice.outline)),
        "pdf": ("application/pdf", lambda: pdf_page(report_html(report, choice.outline))),
    }
    media, drawing = draw[form]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(workspace.source.name).name).strip("-.") or "release"
    headers = {"content-disposition": f'attachment; filename="{name}.report.{form}"'}
    return Response(drawing(), media_type=media, headers=headers)


def _require_complete(fields: Mapping[str, str]) -> ReportChoice:
    choice = ReportChoice.read(fields)
    if choice.problems:
        raise BadPolicy("; ".join(choice.problems.values()))
    return choice


@router.get("/api/report", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[ReportFields, Query()]) -> ReleaseReport:
    """Return the report that the publisher signs."""
    choice = _require_complete(fields.model_dump(include={"outline", *SIGNED}))
    subject = Subject(request.app.state.workspace, fields.state(), None, {}, tuple(fields.without))
    if fields.of != "file":
        named = NAMES_A_SEARCH & fields.model_fields_set
        own = fields.choice().stated() | {"take": fields.take} if named else {}
        search = find_latest_search(subject.workspace, [*subject.state.pairs(), *own.items()])
        subject = replace(subject, search=search)
    return subject.report(choice)
