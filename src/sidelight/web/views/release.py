"""Release: what is the most useful release within the limits, what else could be published, and publishing it.

A search is a deed: it is begun by a form that is posted, goes on whoever looks, and the address of its question shows
how far it is, then what it found.  It is told apart by the columns, the limits and its options (`SearchChoice`); who
asks for the same gets the same.  Levels that were set elsewhere on the page are not among them: a search goes through
all.  What stands there is the publisher's: how right readers guess, and what the limits say of the table as it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
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
    FoundCandidate,
    FoundCandidates,
    SearchChoice,
    WrittenRelease,
    compare_candidates,
    draw_candidates,
    draw_shape,
    find_name_problem,
    list_printed_columns,
    list_smallest_groups,
    read_publication,
    search,
    write_publication,
    write_worth,
)
from sidelight.documents.document import DocumentPart, ReaderFacts, reader_facts
from sidelight.errors import BadPolicy, NotAvailable, NothingSafe, NotPublished, SidelightError
from sidelight.report.plots import altair, description_of, specification, table_behind, title_of
from sidelight.report.report import AuditFinding
from sidelight.search.protect import add_answers
from sidelight.search.utility import MEANINGS
from sidelight.text import counted
from sidelight.web.jobs import Job, Work
from sidelight.web.pages import Complaint, PageView, PostedFields, go_to, page
from sidelight.web.views.jobs import GONE, JobAnswer, JobNumber, document
from sidelight.web.workspace import LONGEST_TEXT, State, StateFields, Workspace, read_state

if TYPE_CHECKING:
    from sidelight.measures.attacker_answer import AttackerAnswer
    from sidelight.measures.criterion import Criterion
    from sidelight.progress import Progress
    from sidelight.report.answer import Recipe
    from sidelight.search.method import SearchResult
    from sidelight.search.protect import Ask

VIEW = PageView("/release", "Release", "What is the most useful release within these limits?", step=3)

router = APIRouter()


class SearchFields(SearchChoice, StateFields):
    """The fields of the address of a search."""

    take: str = Field(default="", description="the key of a candidate; the best if empty", max_length=2000)

    def choice(self) -> SearchChoice:
        """Read how to search."""
        return SearchChoice.read([(name, str(text)) for name, text in self.model_dump().items() if text])


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
    readers: tuple[ReaderFacts, ...] = Field(default=(), description="two readers whom the limits do not name")
    warnings: tuple[str, ...] = ()


# What was searched for, and what was found.


def question_of(state: State, choice: SearchChoice) -> Hashable:
    """Tell searches apart."""
    return ("search", state.quasi, state.sensitive, state.missing, state.limits, choice)


def gather_search(workspace: Workspace, state: State, choice: SearchChoice) -> Work:
    """Read the table and its hierarchies, or take them where they are kept."""
    with suppress(NotAvailable):
        altair()  # slow to import: here somebody is told to wait
    return partial(search, workspace.table(state), workspace.hierarchies(state), workspace.policy(state), choice)


def search_words(what: str, done: int, total: int | None) -> str:
    """Return how far a search is.

    >>> search_words("levels (0, 1)", 340, 512), search_words("531 groups", 531, None)
    ('looked at 340 of at most 512 generalisations', '531 groups so far')
    """
    if what.startswith("levels ") and total is not None:
        return f"looked at {done:,} of at most {counted(total, 'generalisation')}"
    if what.endswith(" groups"):
        return f"{what} so far"
    return f"{what}: {done:,} of {total:,}" if total is not None else what if not done else f"{what}: {done:,}"


def ask_attackers(result: SearchResult, which: Ask, progress: Progress) -> tuple[AttackerAnswer, ...]:
    """Ask two readers what they would reach whom the policy does not name."""
    progress("asking what a learner and an insider would reach", 0, None)
    return add_answers(result, which, progress).readers


def add_attackers(result: SearchResult, job: Job | None) -> SearchResult:
    """Let a result tell what the readers said; where nobody asked them, that."""
    if job is not None and job.stage == "done":
        return replace(result, readers=job.answer)
    return add_answers(result, "nobody")


@dataclass(frozen=True, slots=True)
class Looked:
    """What an address of this view asks for, and what there is of it."""

    workspace: Workspace
    state: State
    choice: SearchChoice
    take: str = ""

    @classmethod
    def read(cls, workspace: Workspace, fields: Sequence[tuple[str, str]]) -> Looked:
        """Read what an address, or a form, asks for."""
        take = next((text for name, text in fields if name == "take"), "")[:LONGEST_TEXT]
        return cls(workspace, read_state(fields), SearchChoice.read(fields), take)

    def also(self, **more: object) -> dict[str, object]:
        """Return what this view alone needs of an address."""
        return {**self.choice.stated(), **({"take": self.take} if self.take else {}), **more}

    def address(self, **more: object) -> str:
        """Return where it stands."""
        return self.state.address(VIEW.path, self.also(**more))

    @property
    def job(self) -> Job | None:
        """The search, if it was begun."""
        return self.workspace.jobs.of(question_of(self.state, self.choice))

    @property
    def found(self) -> FoundCandidates | None:
        """What the search has found."""
        job = self.job
        return job.answer if job is not None and job.stage == "done" else None

    @property
    def candidates(self) -> tuple[FoundCandidate, ...]:
        """All that could be published: of this search, then of others within the same limits."""
        searched = self.found
        if searched is None:
            return ()
        candidates = list(searched.candidates)
        for other in list_found(self.workspace, self.state):
            if other.choice != self.choice and other.found is not None:
                best, words = other.found.candidates[0], other.choice.in_words()
                candidates.append(replace(best, key=f"{words}: {best.key}", name=f"{words}: {best.name}"))
        return tuple(candidates)

    @property
    def taken(self) -> FoundCandidate | None:
        """The candidate that is looked at: the one that the address names and no other, or the best."""
        return next((each for each in self.candidates if each.key == self.take or not self.take), None)

    @property
    def best_instead(self) -> Looked | None:
        """The best of this search, where the address names a candidate that is not known here (any more)."""
        gone = self.take and self.found is not None and self.taken is None
        return replace(self, take="") if gone else None

    def asking(self) -> Job | None:
        """Ask the two readers of the candidate that is looked at; once, and not again where somebody cancelled it."""
        taken = self.taken
        if taken is None:
            return None
        question = ("readers", question_of(self.state, self.choice), taken.key)
        job = self.workspace.jobs.of(question)
        if job is None:
            job = self.workspace.jobs.start(
                question,
                lambda: partial(ask_attackers, taken.result, self.choice.ask or "both"),
                title="Asking two readers whom the limits do not name",
                address=self.address(),
                lane="asked readers",
                wording=search_words,
            )
            job.wait(0.25)
        return job

    def refusal(self) -> SidelightError | None:
        """Return why it cannot be searched, if it cannot, where nobody has begun to."""
        if self.job is not None:
            return None
        try:
            self.workspace.searched_file(self.state)
            self.workspace.policy(self.state)
        except SidelightError as error:
            return error
        return None

    def start(self) -> Job:
        """Begin the search."""
        refusal = self.refusal()
        if refusal is not None:
            raise refusal
        return self.workspace.jobs.start(
            question_of(self.state, self.choice),
            lambda: gather_search(self.workspace, self.state, self.choice),
            title=f"Searching by {self.choice.in_words()}",
            address=self.state.address(VIEW.path, self.choice.stated()),
            wording=search_words,
        )

    def sample(self) -> Recipe | None:
        """Write what searches and publishes the same; nothing where nothing can be searched."""
        try:
            recipe, policy = self.workspace.recipe(self.state), self.workspace.policy(self.state)
        except SidelightError:
            return None
        if self.workspace.source.read_table is None:  # published already
            return None
        # how what is looked at was found, which another search may have; or how it would be searched for
        taken, searched = self.taken, self.found
        # those that were taken instead of the best ones of this search
        instead = bool(self.take) and searched is not None and taken in searched.candidates[1:]
        levels = {name: int(level) for name, level in taken.result.levels.items()} if taken and instead else {}
        return (self.choice if taken is None else taken.choice).recipe(recipe, policy.criteria, levels)


def list_found(workspace: Workspace, state: State) -> Iterator[Looked]:
    """Yield the searches within the same limits that have found something, the latest first."""
    for job in workspace.jobs.list_ended():
        match job.question:
            case (*_, SearchChoice() as choice) if job.question == question_of(state, choice):
                yield Looked(workspace, state, choice)


NAMES_A_SEARCH = {"method", "take"}
"""The fields of an address that is about what one search found, whoever signs it: about nothing else instead."""


def latest_found(workspace: Workspace, fields: Sequence[tuple[str, str]]) -> Looked | None:
    """Return the search that an address names, or else the latest within its limits, where it has found something."""
    named = Looked.read(workspace, fields)
    if any(name in NAMES_A_SEARCH for name, _ in fields):
        if named.taken is None:
            raise BadPolicy(
                "this address is about what a search found, and nothing was found by it here: search again under "
                "Release, or wait for it (the page forgets what it found when it is closed)"
            )
        return named
    return next((each for each in list_found(workspace, named.state) if each.taken is not None), None)


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
    searched, taken = looked.found, looked.taken
    if searched is None or taken is None:
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
        before=searched.before,
        candidates=tuple(each.describe() for each in looked.candidates),
        readers=tuple(map(reader_facts, readers)),
        warnings=(*taken.result.notes, *taken.result.warnings),
    )


# Pictures.


def _picture(chart: Any) -> dict[str, Any]:  # noqa: ANN401 - Altair makes its classes as it is imported
    """Return a chart for the page: what it shows in a sentence, how it is drawn, and the table behind it."""
    drawn = specification(chart)
    for name in ("title", "usermeta", "description"):  # the page says them
        drawn.pop(name, None)
    words = description_of(chart).removeprefix(f"{title_of(chart)}.").strip()
    return {"title": title_of(chart), "description": words, "specification": drawn, "table": table_behind(chart)}


def _draw_pictures(
    looked: Looked, found: FoundCandidates, taken: FoundCandidate, against: int
) -> dict[str, dict[str, Any]]:
    """Draw the search, and the candidates against a limit; without the extra that draws, the tables say it."""
    answers, candidates, drawn = looked.workspace.answers, looked.candidates, dict[str, dict[str, Any]]()
    key = (question_of(looked.state, looked.choice), taken.key)
    with suppress(NotAvailable):
        drawn["shape"] = answers.of(("shape", key), lambda: _picture(draw_shape(found, taken)))
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


def _page(
    request: Request, looked: Looked, fields: Sequence[tuple[str, str]], error: SidelightError | None
) -> Response:
    texts = dict(fields)
    workspace, job = looked.workspace, looked.job
    names = [] if error is None else [name for name in error.parameters if name in texts]
    searching = job is not None and job.goes_on
    answered = answer(looked)
    found, taken = (None, None) if searching else (looked.found, looked.taken)
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
        **({} if found is None or taken is None else _candidate_parts(looked, found, taken, texts)),
        methods=METHOD_WORDS,
        options=OPTIONS_OF[looked.choice.method],
        choices=OPTION_CHOICES,
        meanings=MEANINGS,
        problem="" if error is None else workspace.wording(error),
        problem_at=names[0] if names else "",
        typed=texts[names[0]] if names else "",
        published=published_job(looked, texts.get("published", "")),
        published_gone="published" in texts,
        endings=ENDINGS,
        name=texts.get("name", "release"),
        name_problem=find_name_problem(texts["name"].strip()) if "name" in texts else "",
        output=workspace.output,
        sample=looked.sample(),
        searchable=workspace.source.read_table is not None,
        address=looked.address(**more),
    )


def _candidate_parts(
    looked: Looked, found: FoundCandidates, taken: FoundCandidate, texts: Mapping[str, str]
) -> dict[str, object]:
    result = taken.result
    against = risk_at(result.policy.criteria, texts.get("against", ""))
    asking = looked.asking()
    unanswered = asking is not None and asking.goes_on  # looked at once: it may end while the page is drawn
    others = [each for each in looked.candidates if each.key != taken.key]
    # beside the one that is taken stands the one that is named, or the next best
    beside = next((each for each in others if each.key == texts.get("beside", "")), next(iter(others), None))
    return {
        "asking": asking,
        "unanswered": unanswered,
        "reader_answers": () if unanswered else add_attackers(result, asking).readers,
        "quiet": result.method.prints_rows and not result.method.prints_averages,
        "pictures": _draw_pictures(looked, found, taken, against),
        "against": against,
        "printed": list_printed_columns(result),
        "rows": list_smallest_groups(result.release),
        "beside": beside,
        "beside_rows": None if beside is None else list_smallest_groups(beside.result.release),
        "compared": None if beside is None else compare_candidates(taken, beside),
    }


@router.post("/release", include_in_schema=False)
def begin(request: Request, fields: PostedFields) -> Response:
    """Begin a search, and go to where it is looked at."""
    workspace: Workspace = request.app.state.workspace
    try:
        looked = Looked.read(workspace, [each for each in fields if each[0] != "take"])
        looked.start()
    except SidelightError:  # the page says at which field
        also = {name: text for name, text in fields if name in SearchChoice.model_fields and text.strip()}
        return go_to(request, read_state(fields).address(VIEW.path, also))
    return go_to(request, looked.address())


# Publishing, into the folder that the command named (`--output`), or as one file for the browser to keep.

# The lane of what is published.
PUBLISHING = "publishing"


def publish_taken(looked: Looked, fields: Mapping[str, str]) -> Job:
    """Publish the candidate that is looked at; what readers said of it goes along."""
    taken, asking = looked.taken, looked.asking()
    if taken is None or asking is None:
        raise NotPublished("nothing was found yet that could be published; search first")
    if asking.goes_on:
        raise NotPublished("two readers are being asked still; wait for them, or cancel that")
    choice = read_publication(fields, looked.workspace.output)
    for_browser = fields.get("to") != "folder"
    result = add_attackers(taken.result, asking)
    return looked.workspace.jobs.start(
        ("publish", question_of(looked.state, looked.choice), taken.key, choice, for_browser),
        lambda: lambda progress: write_publication(choice, result, for_browser=for_browser, progress=progress),
        title=f"Publishing {choice.path.name}",
        address=looked.address(),
        lane=PUBLISHING,
        here=True,
    )


def published_job(looked: Looked, number: str) -> Job | None:
    """Find what was published by its number in the address."""
    if not (number.isascii() and number.isdigit() and len(number) <= 9):
        return None
    job = looked.workspace.jobs.numbered(int(number))
    return job if job is not None and job.lane == PUBLISHING else None


@router.post("/release/publish", include_in_schema=False)
def write(request: Request, fields: PostedFields) -> Response:
    """Publish a candidate, and go to where it is told."""
    looked, texts = Looked.read(request.app.state.workspace, fields), dict(fields)
    if find_name_problem(texts.get("name", "").strip()):
        return go_to(request, looked.address(name=texts.get("name", "")[: LONGEST_NAME + 1]))
    job = publish_taken(looked, texts)
    job.wait(2)
    return go_to(request, looked.address(published=job.number))


@router.get("/release/published/{number}", include_in_schema=False)
def download(request: Request, number: JobNumber) -> Response:
    """Hand out what was published, as one file."""
    workspace: Workspace = request.app.state.workspace
    job = workspace.jobs.numbered(number)
    archive = job.answer.archive if job is not None and isinstance(job.answer, WrittenRelease) else None
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
