"""Report: what does somebody sign who lets this release go?  The document of `sidelight report`, to read and to take.

It is about what a search found within the limits (`of=search`, or nothing said), else about the release that is looked
at: the file as it was published, or as coarse as the address says (`of=file`).  Outline and sign-off stand in the
address, so that the document on the page and the one that is downloaded are the same.  What was tried on the same
release under Other releases is told with it, unless the address leaves it out (`without`).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, cast, get_args

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from sidelight.answers.exposure import ExposureAnswer
from sidelight.answers.recipe import (
    Name,
    write_call,
    write_limit_options,
    write_limits,
    write_measure,
    write_report,
)
from sidelight.errors import BadPolicy, SidelightError
from sidelight.measures.about import ask_each_column
from sidelight.measures.criterion import Criterion
from sidelight.measures.measure import Measure
from sidelight.policy.policy import Policy
from sidelight.report.answer import Recipe
from sidelight.report.make import (
    add_curves,
    circumstances,
    judge_release,
    judge_table,
    published_circumstances,
    report_html,
    report_markdown,
    report_on_result,
    summarise_exposure,
)
from sidelight.report.outlines import OUTLINES, OutlineName, release_page
from sidelight.report.release_report import (
    NOT_SIGNED,
    Circumstances,
    Decision,
    HowMade,
    ReleaseReport,
    SignOff,
    technique_words,
)
from sidelight.report.render import browser_path, html_within, pdf_page
from sidelight.report.report import conclude
from sidelight.text import shell
from sidelight.web.jobs import Job
from sidelight.web.pages import (
    Complaint,
    PageView,
    page,
)
from sidelight.web.uploads import MOST_FILES
from sidelight.web.views.other_releases import list_attempts, write_command
from sidelight.web.views.readers import answer
from sidelight.web.views.release import (
    NAMES_A_SEARCH,
    Looked,
    SearchFields,
    add_attackers,
    latest_found,
    question_of,
)
from sidelight.web.workspace import LONGEST_TEXT, State, Workspace, read_state

VIEW = PageView("/report", "Report", "What does somebody sign who lets this release go?", step=4)

router = APIRouter()

DECISIONS = get_args(Decision)
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


@dataclass(frozen=True, slots=True)
class ReportChoice:
    """In which order the document is, what it says of who decided, and what is wrong with that, by field."""

    outline: OutlineName | None
    fields: Mapping[str, str]
    day: str
    sign_off: SignOff
    problems: Mapping[str, str]


def read_choice(fields: Mapping[str, str]) -> ReportChoice:
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
    if problems:
        return ReportChoice(outline, texts, day, NOT_SIGNED, problems)
    named = SignOff(
        name=signed["signed_by"],
        role=signed["role"],
        date=day if signed["decision"] or signed["signed_by"] else "",
        decision=cast("Decision | Literal['']", signed["decision"]),
        reasons=signed["reasons"],
    )
    return ReportChoice(outline, texts, day, named, problems)


SIGNED = ("decision", "signed_by", "role", "date", "reasons")


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
        """What the page knows besides."""
        # as Other releases tells of them, and in numbers
        told = (summarise_exposure(each.exposure, [each.name]) for each in self.attacks)
        notes = ({"notes": each.notes} for each in self.attacks)
        return Circumstances(attacks=tuple(one.model_copy(update=more) for one, more in zip(told, notes, strict=True)))

    @property
    def asking(self) -> Job | None:
        """The two readers who are asked of what was found, while they are."""
        job = None if self.search is None else self.search.asking()
        return job if job is not None and job.goes_on else None

    def report(self) -> ReleaseReport:
        """Make the document, which nobody has signed."""
        workspace, state, search = self.workspace, self.state, self.search
        taken = None if search is None else search.taken
        attacks = tuple(each.beside.attack for each in self.attacks)
        if search is None or taken is None:
            question: tuple[object, ...] = ("report", state.subject, state.limits, attacks)
            return workspace.answers.of(question, lambda: _describe_measured(workspace, state, self.known))
        if self.asking is not None:
            message = "two readers are being asked still; wait for them, or cancel that under Release"
            raise BadPolicy(message)
        readers = search.asking()
        result = add_attackers(taken.result, readers)
        question = ("found report", question_of(state, search.choice), taken.key, readers and readers.stage, attacks)
        return workspace.answers.of(question, lambda: report_on_result(result, self.known))


def report_of(subject: Subject, choice: ReportChoice) -> ReleaseReport:
    """Make the document: what is measured is measured once, whoever signs it."""
    measured = subject.report()
    sample = _sample(subject, choice)
    again = measured.answer.again.model_copy(
        update={"commands": tuple(sample.command.split("\n\n")), "python": sample.python}
    )
    signed = {"date": choice.day, "sign_off": choice.sign_off, "again": again}
    return measured.model_copy(update={"answer": measured.answer.model_copy(update=signed)})


def _describe_measured(workspace: Workspace, state: State, known: Circumstances) -> ReleaseReport:
    source, release = workspace.source, workspace.release(state)
    readers, columns = workspace.readers(state), release.sensitive_columns
    measures = [each for each in readers if isinstance(each, Measure)]
    policy = workspace.policy(state) if len(measures) < len(readers) else None
    document = source.sidecar
    audit = judge_release(
        release,
        policy,
        [one for each in measures for one in ask_each_column(each, columns, release.domain)],
        source=Path(source.name).name,
        readers=() if document is None or state.levels else document.readers,
    )
    if state.levels:
        known = _describe_levels(workspace, state, policy, known)
    elif document is not None:
        known = published_circumstances(known, document, policy=policy)
    else:
        known = circumstances(known, policy, source.files)
    return add_curves(audit, release, known, policy)


def _describe_levels(workspace: Workspace, state: State, policy: Policy | None, known: Circumstances) -> Circumstances:
    table, levels = workspace.table(state), dict(state.levels)
    heights = {name: hierarchy.height for name, hierarchy in workspace.hierarchies(state).items()}
    columns = [column.name for column in table.quasi]
    return replace(
        circumstances(known, policy),
        before=None if policy is None else judge_table(table, policy),
        made=HowMade(
            method="levels chosen by hand",
            levels=levels,
            complete=True,
            rows_in=table.intake.rows,
            people_in=table.people,
            people_out=workspace.release(state).size,
            suppressed=0,
        ),
        techniques=technique_words(columns, method="lattice", levels=levels, heights=heights, averages=False),
    )


def about(subject: Subject) -> str:
    """Return which release the document is about, so that nobody signs another."""
    workspace, state = subject.workspace, subject.state
    name = workspace.source.title or workspace.source.name
    if subject.search is not None and subject.search.taken is not None:
        taken = subject.search.taken
        levels = ", ".join(f"{column} at level {level}" for column, level in taken.result.levels.items())
        how = f"{taken.choice.in_words()}, with {levels}" if levels else taken.choice.in_words()
        return f"This is about the release of {name} that was found by {how}."
    if state.levels:
        levels = ", ".join(f"{column} at level {level}" for column, level in state.levels)
        return (
            f"This is about {name} printed with {levels}: levels that were chosen by hand. No such file is written yet."
        )
    if workspace.source.sidecar is not None:
        return f"This is about {name} as it was published."
    return f"This is about {name} as it stands, as if it were published so."


def _sample(subject: Subject, choice: ReportChoice) -> Recipe:
    workspace, levels = subject.workspace, subject.state.levels
    source, recipe = workspace.source, workspace.recipe(subject.state)
    searched = None if subject.search is None else subject.search.sample()
    settings: dict[str, object] = {}
    if searched is not None:
        file, told, released = "release.parquet", ["found"], "found.release"
        commands, words = [searched.command], ["sidelight", "report", file, "--table", source.name]
        lines = [searched.python]
    else:
        readers = workspace.readers(subject.state)
        limits = [each for each in readers if isinstance(each, Criterion)]
        measures = [each for each in readers if isinstance(each, Measure)]
        file, told, released = source.name, ["release", *(["policy"] if limits else [])], "release"
        commands, lines = recipe.preparations(), [*recipe.reading(), ""]
        if levels:
            file, settings = "release.csv", {"table": Name("table")}
            commands.append(recipe.publishing(limits, file))
            words = ["sidelight", "report", file, "--table", source.name, *write_limit_options(measures)]
        else:
            words = ["sidelight", "report", source.name] if recipe.sidecar else recipe.words("report")
            words += write_limit_options([*limits, *measures])
            if recipe.sidecar:
                lines, released = [f"release = {recipe.file!r}", ""], recipe.published()
        lines += write_limits(limits) if limits else []
        settings["measures"] = Name(f"[{', '.join(map(write_measure, measures))}]") if measures else None
    tried = list[str]()
    for command, options, python, name in _write_attacks(
        subject, file, released, has_hierarchies=searched is not None or bool(levels)
    ):
        commands.append(command)
        words += options
        lines += python
        tried.append(name)
    settings["attacks"] = Name(f"{{{', '.join(tried)}}}") if tried else None
    sign_off = choice.sign_off
    signed = {
        "--outline": choice.outline or "",
        "--signed-by": sign_off.name,
        "--role": sign_off.role,
        "--decision": sign_off.decision,
        "--reasons": sign_off.reasons,
        "--date": choice.day,
    }
    words += [word for option, text in signed.items() if text for word in (option, text)]
    texts = {name: text for name, text in sign_off.model_dump().items() if text}
    settings |= {"date": choice.day, "sign_off": Name(write_call("sl.SignOff", **texts)) if texts else None}
    return Recipe(
        "\n\n".join([*commands, shell([*words, "--html", "report.html"])]),
        write_report(lines, *told, outline=choice.outline, **settings),
    )


def _write_attacks(
    subject: Subject, file: str, released: str, *, has_hierarchies: bool
) -> Iterator[tuple[str, list[str], list[str], str]]:
    """Yield the command that tries each attack, the options of a report that tell of it, its Python, and its name."""
    recipe = subject.workspace.recipe(subject.attacked or subject.state)
    for number, each in enumerate(subject.attacks, start=1):
        words, exposure = each.beside.command_words(recipe, file), f"exposure_{number}"
        lines = each.beside.python_lines(
            recipe,
            subject.workspace.column_names,
            released=released,
            exposure=exposure,
            has_hierarchies=has_hierarchies or number > 1,
        )
        again = sum(one.name == each.name for one in subject.attacks[: number - 1])
        name = f"{each.name} ({again + 1})" if again else each.name
        answer_file = f"attack-{number}.json"
        command = write_command([*words, "--output", answer_file] if words else [], each.beside)
        yield command, ["--attack", answer_file] if words else [], lines, f"{name!r}: {exposure}"


@router.get("/report", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw the report."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    subject, choice = Subject.read(workspace, fields), read_choice(dict(fields))
    state, job = subject.state, subject.asking
    document, sample, problem = None, None, ""
    if job is not None:
        job.wait(0.5)
    try:
        if job is None or not job.goes_on:
            report = report_of(subject, choice)
            document = html_within(release_page(report, choice.outline))
            sample = _sample(subject, choice)
    except SidelightError as error:
        problem = workspace.wording(error)
    sentence, holds = _sentence(subject) if document is not None else ("", None)
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
        about=about(subject),
        found=subject.search is not None,
        tried=() if document is None else tuple(_list_attacks(subject, also)),
        attacked=subject.attacked,
        job=job if document is None and not problem else None,
        address=state.address(VIEW.path, also),
        problem=problem,
        document=document,
        choice=choice,
        outlines={name: outline.title for name, outline in OUTLINES.items()},
        decisions=DECISIONS,
        also=also,
        kept=subject.also,
        printable=printable,
        sample=sample,
    )


def _sentence(subject: Subject) -> tuple[str, bool | None]:
    taken = None if subject.search is None else subject.search.taken
    if taken is None:
        verdict_there = answer(subject.workspace, subject.state)
        return verdict_there.sentence, verdict_there.holds
    audit = subject.report().answer.audit
    told = conclude(audit.findings, audit.release.size_in_words())
    return told.text, taken.result.verdict.safe


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
    choice = read_choice(dict(fields))
    if choice.problems:
        raise BadPolicy("; ".join(choice.problems.values()))
    report = report_of(Subject.read(workspace, fields), choice)
    draw: dict[Form, tuple[str, Callable[[], str | bytes]]] = {
        "html": ("text/html; charset=utf-8", lambda: report_html(report, choice.outline)),
        "md": ("text/markdown; charset=utf-8", lambda: report_markdown(report, choice.outline)),
        "pdf": ("application/pdf", lambda: pdf_page(report_html(report, choice.outline))),
    }
    media, drawing = draw[form]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(workspace.source.name).name).strip("-.") or "release"
    headers = {"content-disposition": f'attachment; filename="{name}.report.{form}"'}
    return Response(drawing(), media_type=media, headers=headers)


@router.get("/api/report", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[ReportFields, Query()]) -> ReleaseReport:
    """What does somebody sign who lets this release go?"""
    choice = read_choice(fields.model_dump(include={"outline", *SIGNED}))
    if choice.problems:
        raise BadPolicy("; ".join(choice.problems.values()))
    subject = Subject(request.app.state.workspace, fields.state(), None, {}, tuple(fields.without))
    if fields.of != "file":
        named = NAMES_A_SEARCH & fields.model_fields_set
        own = fields.choice().stated() | {"take": fields.take} if named else {}
        search = latest_found(subject.workspace, [*subject.state.pairs(), *own.items()])
        subject = replace(subject, search=search)
    return report_of(subject, choice)
