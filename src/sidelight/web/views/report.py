"""Report: what does somebody sign who lets this release go?  The document of `sidelight report`, to read and to take.

It is about the release that is looked at: the file as it was published, or as coarse as the address says.  Outline and
sign-off stand in the address, so that the document on the page and the one that is downloaded are the same.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, cast, get_args

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from sidelight.errors import BadPolicy, SidelightError
from sidelight.measures.about import asked_about_each
from sidelight.measures.measure import Criterion, Measure
from sidelight.policy.policy import Policy
from sidelight.publish.release_report import (
    ReportDetails,
    before_of,
    circumstances,
    judged,
    published_circumstances,
    report_html,
    report_markdown,
    with_curves,
)
from sidelight.report.html import html_within
from sidelight.report.outlines import OUTLINES, OutlineName, release_page
from sidelight.report.pdf import browser_path, pdf_page
from sidelight.report.release_report import NOT_SIGNED, HowMade, ReleaseReport, SignOff, technique_words
from sidelight.web.limits import as_text, read_typed
from sidelight.web.pages import (
    Complaint,
    PageView,
    Sample,
    in_python,
    page,
    reading,
    role_options,
    shell,
    with_imports,
)
from sidelight.web.state import LONGEST_TEXT, State, StateFields, read_state
from sidelight.web.views.readers import answer
from sidelight.web.workspace import Workspace

VIEW = PageView("/report", "Report", "What does somebody sign who lets this release go?", step=4)

router = APIRouter()

DECISIONS = ("approved", "approved on conditions", "refused")
LONGEST_LINE = 200

Form: TypeAlias = Literal["html", "md", "pdf"]
"""What can be downloaded."""

MEDIA: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
}


class ReportFields(StateFields):
    """A state, the outline, and who has decided what."""

    outline: str = Field(default="", description=f"the order of a regime's document: {', '.join(OUTLINES)}")
    signed_by: str = Field(default="", description="who decides", max_length=LONGEST_LINE)
    role: str = Field(default="", description="what they are", max_length=LONGEST_LINE)
    decision: str = Field(default="", description=f"what they decide: {', '.join(DECISIONS)}", max_length=LONGEST_LINE)
    reasons: str = Field(default="", description="why", max_length=LONGEST_TEXT)
    date: str = Field(default="", description="the day that the report says, such as 2026-01-31; today", max_length=40)


@dataclass(frozen=True, slots=True)
class Choice:
    """In which order the document is, what it says of who decided, and what is wrong with that, by field."""

    outline: OutlineName | None
    fields: Mapping[str, str]
    day: str
    sign_off: SignOff
    problems: Mapping[str, str]


def read_choice(fields: Mapping[str, str]) -> Choice:
    """Read outline and sign-off; a decision that nobody signs, or without reasons, is left out, and said to be.

    >>> choice = read_choice({"decision": "approved", "signed_by": "Ada", "date": "2026-01-31"})
    >>> choice.sign_off.decision, choice.problems["reasons"]
    ('', 'a decision needs its reasons: say why')
    """
    texts = {name: fields.get(name, "").strip() for name in ("outline", *SIGNED)}
    outline = cast("OutlineName", texts["outline"]) if texts["outline"] in get_args(OutlineName) else None
    problems: dict[str, str] = {}
    if texts["outline"] and outline is None:
        problems["outline"] = f"there is no such outline; choose one of {', '.join(OUTLINES)}"
    day = dt.datetime.now(dt.UTC).date().isoformat()
    if texts["date"]:
        try:
            day = dt.date.fromisoformat(texts["date"]).isoformat()
        except ValueError:
            problems["date"] = "cannot read this day; give one such as 2026-01-31"
    if texts["decision"] and texts["decision"] not in DECISIONS:
        problems["decision"] = f"decide one of {', '.join(DECISIONS)}"
    if texts["decision"] and not texts["signed_by"]:
        problems["signed_by"] = "a decision needs a name: say who decides"
    if texts["decision"] and not texts["reasons"]:
        problems["reasons"] = "a decision needs its reasons: say why"
    signed = {name: texts[name] for name in SIGNED if name != "date"}
    named = SignOff(
        name=signed["signed_by"],
        role=signed["role"],
        date=day if signed["decision"] or signed["signed_by"] else "",
        decision=signed["decision"],
        reasons=signed["reasons"],
    )
    return Choice(outline, texts, day, NOT_SIGNED if problems else named, problems)


SIGNED = ("decision", "signed_by", "role", "date", "reasons")


def report_of(workspace: Workspace, state: State, choice: Choice) -> ReleaseReport:
    """Make the document: what is measured is measured once, whoever signs it."""
    question = ("report", state.subject, state.limits)
    measured = workspace.answers.of(question, lambda: _measured(workspace, state))
    sample = _sample(workspace, state, choice)
    again = measured.answer.again.model_copy(
        update={"commands": tuple(sample.command.split("\n\n")), "python": sample.python}
    )
    signed = {"date": choice.day, "sign_off": choice.sign_off, "again": again}
    return measured.model_copy(update={"answer": measured.answer.model_copy(update=signed)})


def _measured(workspace: Workspace, state: State) -> ReleaseReport:
    source, release = workspace.source, workspace.release(state)
    readers = [read_typed(text, source.populations) for text in state.limits]
    limits = [each for each in readers if isinstance(each, Criterion)]
    policy = Policy(*limits) if limits else None
    document = source.sidecar
    told = () if document is None or state.levels else document.readers
    audit = judged(
        release,
        policy,
        [
            one
            for each in readers
            if not isinstance(each, Criterion)
            for one in asked_about_each(each, release.sensitive_columns, release.domain)
        ],
        source=Path(source.name).name,
        readers=told,
    )
    details = ReportDetails()
    if state.levels:
        table, heights = workspace.table(state), _heights(workspace, state)
        before = None if policy is None else before_of(table, policy)
        levels = dict(state.levels)
        columns = [column.name for column in table.quasi]
        known = replace(
            circumstances(details, policy=policy, before=before),
            made=HowMade(
                method=CHOSEN_BY_HAND,
                levels=levels,
                rows_in=table.intake.rows,
                people_in=table.people,
                people_out=release.size,
                suppressed=0,
            ),
            techniques=technique_words(columns, method="lattice", levels=levels, heights=heights, averages=False),
        )
    elif document is not None:
        known = published_circumstances(details, document, policy=policy, before=None)
    else:
        known = circumstances(details, policy=policy, before=None, files=source.files)
    return with_curves(audit, release, known, policy)


CHOSEN_BY_HAND = "levels chosen by hand"


def _heights(workspace: Workspace, state: State) -> dict[str, int]:
    return {name: hierarchy.height for name, hierarchy in workspace.hierarchies(state).items()}


def about(workspace: Workspace, state: State) -> str:
    """Say which release the document is about, so that nobody signs another."""
    name = workspace.source.title or workspace.source.name
    if state.levels:
        levels = ", ".join(f"{column} at level {level}" for column, level in state.levels)
        return (
            f"This is about {name} printed with {levels}: levels that were chosen by hand. No such file is written yet."
        )
    if workspace.source.sidecar is not None:
        return f"This is about {name} as it was published."
    return f"This is about {name} as it stands, as if it were published so."


def _sample(workspace: Workspace, state: State, choice: Choice) -> Sample:
    """Write the command and the Python that come to this document."""
    source, roles = workspace.source, workspace.roles(state)
    readers = [read_typed(text, source.populations) for text in state.limits]
    limits = [each for each in readers if isinstance(each, Criterion)]
    measures = [each for each in readers if not isinstance(each, Criterion)]
    asked = [word for each in limits for word in ("--limit", as_text(each))]
    beside = [word for each in measures for word in ("--measure", as_text(each))]
    commands = ["sidelight demo  # writes these files"] if source.title else []
    if state.levels:
        folder = source.hierarchy_folder or "hierarchies"
        if source.hierarchy_folder is None:
            commands.append(shell(["sidelight", "hierarchies", source.name, *role_options(roles), "-o", folder]))
        levels = ",".join(f"{name}={level}" for name, level in state.levels)
        publish = ["sidelight", "protect", source.name, *role_options(roles), *asked, "--hierarchies", folder]
        commands.append(shell([*publish, "--levels", levels, "-o", "release.csv"]))
        words = ["sidelight", "report", "release.csv", "--table", source.name, *beside]
    else:
        own = role_options(roles) if source.sidecar is None else []
        words = ["sidelight", "report", source.name, *own, *asked, *beside]
    options = {
        "--outline": choice.outline or "",
        **{f"--{name.replace('_', '-')}": text for name, text in _signed(choice)},
    }
    words += [word for option, text in options.items() if text for word in (option, text)]
    commands.append(shell([*words, "--html", "report.html"]))
    return Sample("\n\n".join(commands), with_imports(list(_python(workspace, state, choice, limits, measures))))


def _signed(choice: Choice) -> list[tuple[str, str]]:
    """Give what is signed, as options name it."""
    sign_off = choice.sign_off
    fields = [("signed_by", sign_off.name), ("role", sign_off.role), ("decision", sign_off.decision)]
    return [*fields, ("reasons", sign_off.reasons), ("date", choice.day)]


def _python(
    workspace: Workspace, state: State, choice: Choice, limits: Sequence[Criterion], measures: Sequence[Measure]
) -> Sequence[str]:
    source, roles = workspace.source, workspace.roles(state)
    lines = [*reading(source, roles, state), ""]
    if source.sidecar is not None and not state.levels:
        lines = ["import sidelight as sl", "", f"release = {source.name!r}", ""]
    arguments = ["release"]
    if limits:
        lines += ["policy = sl.Policy(", *(f"    {in_python(each)}," for each in limits), ")"]
        arguments.append("policy")
    if state.levels:
        arguments.append("table=table")
    if measures:
        arguments.append(f"measures=[{', '.join(in_python(each) for each in measures)}]")
    arguments.append(f"date={choice.day!r}")
    if choice.sign_off != NOT_SIGNED:
        given = {name: text for name, text in choice.sign_off.model_dump().items() if text}
        arguments.append(f"sign_off=sl.SignOff({', '.join(f'{name}={text!r}' for name, text in given.items())})")
    outline = f", {choice.outline!r}" if choice.outline else ""
    return [
        *lines,
        f"report = sl.release_report({', '.join(arguments)})",
        f'open("report.html", "w", encoding="utf-8").write(sl.report_html(report{outline}))',
    ]


@router.get("/report", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw the report."""
    workspace: Workspace = request.app.state.workspace
    fields = dict(request.query_params.multi_items())
    state, choice = read_state(request.query_params.multi_items()), read_choice(fields)
    try:
        report = report_of(workspace, state, choice)
        found, problem = answer(workspace, state), ""
        document = html_within(release_page(report, choice.outline))
        sample: Sample | None = _sample(workspace, state, choice)
    except SidelightError as error:
        found, document, sample, problem = None, None, None, workspace.wording(error)
    return page(
        request,
        VIEW,
        state,
        answer=found,
        about=about(workspace, state),
        problem=problem,
        document=document,
        choice=choice,
        outlines={name: outline.title for name, outline in OUTLINES.items()},
        decisions=DECISIONS,
        also={name: text for name, text in choice.fields.items() if text},
        printable=_printable(),
        sample=sample,
    )


def _printable() -> bool:
    """Whether there is a Chromium that prints."""
    try:
        browser_path()
    except SidelightError:
        return False
    return True


@router.get("/report/download/{form}", include_in_schema=False)
def download(request: Request, form: Form) -> Response:
    """Give the document as a file."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    state, choice = read_state(fields), read_choice(dict(fields))
    if choice.problems:
        raise BadPolicy("; ".join(choice.problems.values()))
    report = report_of(workspace, state, choice)
    draw: dict[str, Callable[[], str | bytes]] = {
        "html": lambda: report_html(report, choice.outline),
        "md": lambda: report_markdown(report, choice.outline),
        "pdf": lambda: pdf_page(report_html(report, choice.outline)),
    }
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(workspace.source.name).name).strip("-.") or "release"
    headers = {"content-disposition": f'attachment; filename="{name}.report.{form}"'}
    return Response(draw[form](), media_type=MEDIA[form], headers=headers)


@router.get("/api/report", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[ReportFields, Query()]) -> ReleaseReport:
    """What does somebody sign who lets this release go?"""
    given = fields.model_dump(include={"outline", *SIGNED})
    choice = read_choice(given)
    if choice.problems:
        raise BadPolicy("; ".join(choice.problems.values()))
    return report_of(request.app.state.workspace, fields.state(), choice)
