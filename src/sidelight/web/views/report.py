"""Report: what does somebody sign who lets this release go?  The document of `sidelight report`, to read and to take.

It is about what a search found within the limits (`of=search`, or nothing said), else about the release that is looked
at: the file as it was published, or as coarse as the address says (`of=file`).  Outline and sign-off stand in the
address, so that the document on the page and the one that is downloaded are the same.  What was tried on the same
release under Other releases is told with it, unless the address leaves it out (`without`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from sidelight.answers.signing import (
    DECISIONS,
    SIGNED,
    ReportChoice,
    report_on_levels,
    report_on_release,
    write_report_recipe,
)
from sidelight.errors import BadPolicy, SidelightError
from sidelight.report.contents import OUTLINES, release_page, report_html, report_markdown
from sidelight.report.make import report_on_result, summarise_exposure
from sidelight.report.release_report import Circumstances, ReleaseReport
from sidelight.report.render import browser_path, html_within, pdf_page
from sidelight.report.report import conclude
from sidelight.web.pages import Complaint, PageView, page
from sidelight.web.uploads import MOST_FILES, list_attempts
from sidelight.web.views.readers import answer
from sidelight.web.views.release import NAMES_A_SEARCH, Looked, SearchFields, add_attackers, latest_found, question_of
from sidelight.web.workspace import LONGEST_TEXT, State, Workspace, read_state

if TYPE_CHECKING:
    from sidelight.answers.exposure import ExposureAnswer
    from sidelight.report.answer import Recipe
    from sidelight.web.jobs import Job

VIEW = PageView("/report", "Report", "What does somebody sign who lets this release go?", step=4)

router = APIRouter()

LONGEST_LINE = 200

Form: TypeAlias = Literal["html", "md", "pdf"]
"""What can be downloaded."""


class ReportFields(SearchFields):
    """A state, the outline, and who has decided what."""

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


@dataclass(frozen=True)
class Subject:
    """What the document is about: a release that a search found, or the one that is looked at."""

    workspace: Workspace
    state: State
    search: Looked | None
    also: Mapping[str, object]
    without: tuple[str, ...] = ()  # the other files whose attack is not told

    @classmethod
    def read(cls, workspace: Workspace, fields: Sequence[tuple[str, str]]) -> Subject:
        """Read it from an address."""
        of_file = ("of", "file") in fields
        search = None if of_file else latest_found(workspace, fields)
        also: dict[str, object] = {"of": "file"} if of_file else search.also() if search else {}
        without = tuple(dict.fromkeys(text for name, text in fields if name == "without"))[:MOST_FILES]
        if without:
            also["without"] = list(without)
        return cls(workspace, read_state(fields), search, also, without)

    @property
    def attacked(self) -> State | None:
        """The state in which the same release is looked at; None of what a search found that no levels tell."""
        taken = None if self.search is None else self.search.taken
        if taken is None:
            return self.state
        result, levels = taken.result, taken.result.levels
        if not levels or result.suppressed or self.workspace.source.roles.sensitive_level is not None:
            return None
        return self.state.but(levels=tuple((name, int(level)) for name, level in levels.items() if level))

    @cached_property
    def tried(self) -> tuple[ExposureAnswer, ...]:
        """What was tried on this release, and with which other one."""
        return () if self.attacked is None else list_attempts(self.workspace, self.attacked)

    @property
    def attacks(self) -> tuple[ExposureAnswer, ...]:
        """What of it the document tells."""
        return tuple(each for each in self.tried if each.beside.other.key not in self.without)

    @property
    def known(self) -> Circumstances:
        """What the page knows besides: attacks, told as Other releases does."""
        attacks = (
            summarise_exposure(each.exposure, [each.name]).model_copy(update={"notes": each.notes})
            for each in self.attacks
        )
        return Circumstances(attacks=tuple(attacks))

    @property
    def asking(self) -> Job | None:
        """The two readers who are asked of what was found, while they are."""
        job = None if self.search is None else self.search.asking()
        return job if job is not None and job.goes_on else None

    @property
    def in_words(self) -> str:
        """Which release the document is about, so that nobody signs another."""
        source = self.workspace.source
        name = source.title or source.name
        if self.search is not None and self.search.taken is not None:
            taken = self.search.taken
            levels = ", ".join(f"{column} at level {level}" for column, level in taken.result.levels.items())
            how = f"{taken.choice.in_words()}, with {levels}" if levels else taken.choice.in_words()
            return f"This is about the release of {name} that was found by {how}."
        if self.state.levels:
            levels = ", ".join(f"{column} at level {level}" for column, level in self.state.levels)
            end = "levels that were chosen by hand. No such file is written yet."
            return f"This is about {name} printed with {levels}: {end}"
        if source.sidecar is not None:
            return f"This is about {name} as it was published."
        return f"This is about {name} as it stands, as if it were published so."

    def measured(self) -> ReleaseReport:
        """Make the document, which nobody has signed: what is measured is measured once, whoever signs it."""
        workspace, state, search = self.workspace, self.state, self.search
        taken = None if search is None else search.taken
        attacks = tuple(each.beside.attack for each in self.attacks)
        if search is None or taken is None:
            question: tuple[object, ...] = ("report", state.subject, state.limits, attacks)
            return workspace.answers.of(question, self._measure_file)
        if self.asking is not None:
            raise BadPolicy("two readers are being asked still; wait for them, or cancel that under Release")
        readers = search.asking()
        result = add_attackers(taken.result, readers)
        question = ("found report", question_of(state, search.choice), taken.key, readers and readers.stage, attacks)
        return workspace.answers.of(question, lambda: report_on_result(result, self.known))

    def _measure_file(self) -> ReleaseReport:
        workspace, state, source = self.workspace, self.state, self.workspace.source
        release, asked, name = workspace.release(state), workspace.readers(state), source.name
        if not state.levels:
            return report_on_release(
                release, asked, self.known, source=name, document=source.sidecar, files=source.files
            )
        table, by = workspace.table(state), workspace.hierarchies(state)
        return report_on_levels(release, asked, self.known, source=name, table=table, levels=dict(state.levels), by=by)

    def sample(self, choice: ReportChoice) -> Recipe:
        """Write the command and the Python that come to the same."""
        workspace = self.workspace
        return write_report_recipe(
            workspace.recipe(self.state),
            choice,
            asked=workspace.readers(self.state),
            searched=None if self.search is None else self.search.sample(),
            attacks=self.attacks,
            attacked=workspace.recipe(self.attacked or self.state),
            columns=workspace.column_names,
        )

    def report(self, choice: ReportChoice) -> ReleaseReport:
        """Make the document as somebody signs it."""
        return choice.sign(self.measured(), self.sample(choice))

    def verdict(self) -> tuple[str, bool | None]:
        """Return the sentence above the document, and whether the limits hold."""
        taken = None if self.search is None else self.search.taken
        if taken is None:
            readers = answer(self.workspace, self.state)
            return readers.sentence, readers.holds
        audit = self.measured().answer.audit
        return conclude(audit.findings, audit.release.size_in_words()).text, taken.result.verdict.safe


@router.get("/report", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw the report."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    subject, choice = Subject.read(workspace, fields), ReportChoice.read(dict(fields))
    state, job = subject.state, subject.asking
    document, sample, problem = None, None, ""
    if job is not None:
        job.wait(0.5)
    try:
        if job is None or not job.goes_on:
            document = html_within(release_page(subject.report(choice), choice.outline))
            sample = subject.sample(choice)
    except SidelightError as error:
        problem = workspace.wording(error)
    sentence, holds = subject.verdict() if document is not None else ("", None)
    printable = True
    try:
        browser_path()
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
        attacked=subject.attacked,
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


def _list_attacks(subject: Subject, also: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the attacks that were tried, whether the document tells of each, and the address that says the contrary."""
    for each in subject.tried:
        key = each.beside.other.key
        told = key not in subject.without
        without = [*subject.without, key] if told else [other for other in subject.without if other != key]
        address = subject.state.address(VIEW.path, {**also, "without": without})
        yield {"sentence": each.sentence, "name": each.name, "told": told, "address": address}


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
    """What does somebody sign who lets this release go?"""
    choice = _require_complete(fields.model_dump(include={"outline", *SIGNED}))
    subject = Subject(request.app.state.workspace, fields.state(), None, {}, tuple(fields.without))
    if fields.of != "file":
        named = NAMES_A_SEARCH & fields.model_fields_set
        own = fields.choice().stated() | {"take": fields.take} if named else {}
        search = latest_found(subject.workspace, [*subject.state.pairs(), *own.items()])
        subject = replace(subject, search=search)
    return subject.report(choice)
