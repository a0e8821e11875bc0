"""Release: what is the most useful release within the limits, what else could be published, and publishing it.

A search is a deed: it is begun by a form that is posted, goes on whoever looks, and the address of its question shows
how far it is, then what it found.  What stands there is the publisher's: how right readers guess, and what the limits
say of the table as it is; rows are those of releases, as groups, and never of people.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from sidelight.answers.protect import Publication
from sidelight.documents.document import DocumentPart, ReaderFacts, reader_facts
from sidelight.errors import BadPolicy, NotAvailable, NothingSafe, NotPublished, SidelightError
from sidelight.files import open_private
from sidelight.measures.criterion import Criterion
from sidelight.progress import Progress
from sidelight.publish.publish import Published
from sidelight.release.release import Release
from sidelight.report.charts.searches import Candidate, SearchedLattice, candidates_chart, lattice_chart, search_chart
from sidelight.report.plots import description_of, specification, table_behind, title_of
from sidelight.report.report import (
    AuditFinding,
    audit_report,
    conclude,
)
from sidelight.rounding import short_decimal
from sidelight.search.method import SearchResult
from sidelight.search.utility import MEANINGS, QUICK_UTILITIES
from sidelight.table.labels import shown
from sidelight.text import counted
from sidelight.web.jobs import Job
from sidelight.web.pages import (
    Complaint,
    PageView,
    PostedFields,
    go_to,
    page,
)
from sidelight.web.searches import (
    CHOICES,
    METHOD_WORDS,
    OPTIONS_OF,
    PATH,
    FoundCandidate,
    Looked,
    SearchFields,
    add_attackers,
    looked_at,
    question_of,
    search_sample,
)
from sidelight.web.state import read_state
from sidelight.web.views.jobs import GONE, JobAnswer, JobNumber, document
from sidelight.web.workspace import Workspace

VIEW = PageView(PATH, "Release", "What is the most useful release within these limits?", step=3)

router = APIRouter()


class CandidateLine(DocumentPart):
    """A release that could be published: how large, what it loses, and what each limit finds."""

    key: str
    name: str
    people: int
    groups: int
    suppressed: int
    utility: dict[str, float | None]
    results: tuple[str, ...] = Field(description="what each limit finds, in the order of the findings")


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
        nothing = isinstance(job.error, NothingSafe)
        words = "Nothing within policy was found." if nothing else "There is no answer to this search."
        if job.stage == "cancelled":
            words = "The search was cancelled; nothing was published."
        holds = False if nothing else None
        problem = None if job.stage == "cancelled" else job.problem
        return ReleaseAnswer(sentence=words, holds=holds, searching=document(job), problem=problem)
    asking = looked.asking()
    result = taken.result
    findings = audit_report(result.release, verdict=result.verdict).answer.findings
    return ReleaseAnswer(
        sentence=_conclude(result, findings),
        holds=True,
        searching=document(job),
        taken=taken.key,
        findings=findings,
        before=searched.before,
        candidates=tuple(map(_line, looked.candidates)),
        readers=tuple(map(reader_facts, add_attackers(result, asking).readers))
        if asking and not asking.goes_on
        else (),
        warnings=(*result.notes, *result.warnings),
    )


def _conclude(result: SearchResult, findings: Sequence[AuditFinding]) -> str:
    """Return the verdict in one sentence: of how many people, and at what price."""
    release, utility = result.release, result.chosen_by or "balanced loss"
    suppressed = f", {counted(result.suppressed, 'person')} suppressed" if result.suppressed else ""
    price = "" if result.buckets is not None else f", at a {utility} of {short_decimal(result.utility[utility])}"
    whom = f"{counted(release.size, 'person')} in {counted(len(release), 'group')}{suppressed}{price}"
    return conclude(findings, whom).text


def _line(candidate: FoundCandidate) -> CandidateLine:
    result = candidate.result
    worths: dict[str, float] = {name: result.utility[name] for name in QUICK_UTILITIES}
    return CandidateLine(
        key=candidate.key,
        name=candidate.name,
        people=result.release.size,
        groups=len(result.release),
        suppressed=result.suppressed,
        utility={name: worth if np.isfinite(worth) else None for name, worth in worths.items()},
        results=tuple(
            each.result.text for each in audit_report(result.release, verdict=result.verdict).answer.findings
        ),
    )


# Pictures, and releases as rows.


def _picture(chart: Any) -> dict[str, Any]:  # noqa: ANN401 - Altair makes its classes as it is imported
    """Return a chart for the page: what it shows in a sentence, how it is drawn, and the table behind it."""
    drawn = specification(chart)
    for name in ("title", "usermeta", "description"):  # the page says them
        drawn.pop(name, None)
    words = description_of(chart).removeprefix(f"{title_of(chart)}.").strip()
    return {"title": title_of(chart), "description": words, "specification": drawn, "table": table_behind(chart)}


def pictures(looked: Looked, against: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Draw the lattice, the cuts, or the sizes of groups; and the candidates against a limit."""
    taken = looked.taken
    assert taken is not None
    workspace, result = looked.workspace, taken.result
    key = (question_of(looked.state, looked.choice), taken.key)
    yield "shape", workspace.answers.of(("shape", key), lambda: _shape(looked, result))
    if len(looked.candidates) > 1:
        keys = tuple(each.key for each in looked.candidates)
        yield "front", workspace.answers.of(("front", key, keys, against), lambda: _front(looked, taken, against))


def _drawn(looked: Looked, against: int) -> dict[str, dict[str, Any]]:
    """Draw what can be drawn here; without the extra that draws, the tables say it."""
    with suppress(NotAvailable):
        return dict(pictures(looked, against))
    return {}


def _shape(looked: Looked, result: SearchResult) -> dict[str, Any]:
    assert looked.found is not None
    searched = looked.found.candidates[0].result
    if result.levels and searched.levels:
        lattice = SearchedLattice.from_result(searched)
        chosen = tuple(int(result.levels[name]) for name in lattice.heights)
        return _picture(lattice_chart(SearchedLattice(lattice.heights, lattice.minimal, chosen, lattice.proven)))
    return _picture(search_chart(result, "sizes" if result.levels else None))


def _front(looked: Looked, taken: FoundCandidate, against: int) -> dict[str, Any]:
    criterion = taken.result.policy.criteria[against]
    utility = "balanced loss" if looked.choice.method != "lattice" else looked.choice.utility_name
    points = [
        Candidate(
            each.name,
            each.result.utility[utility],
            each.result.verdict.judgements[against].finding.value,
            chosen=each.key == taken.key,
        )
        for each in looked.candidates
        if each.result.method.prints_rows
    ]
    return _picture(candidates_chart(points, criterion, utility=utility))


def risk_at(criteria: Sequence[Criterion], text: str) -> int:
    """Return which limit candidates are drawn against: the one of the address, or the first on a risk."""
    if text.isascii() and text.isdigit() and len(text) <= 3 and int(text) < len(criteria):
        return int(text)
    return next((at for at, each in enumerate(criteria) if each.measure.large_is_bad), 0)


def released_rows(release: Release) -> dict[str, Any]:
    """Show the smallest groups of a release as rows; what values people have is not among them."""
    smallest = np.argsort(release.groups.sizes, kind="stable")[:12]  # so many groups are shown as rows
    names = tuple(column.name for column in release.groups.columns)
    labels = [column.take(smallest) for column in release.groups.columns]
    texts = [[shown(each.labels[code]) for code in each.codes.tolist()] for each in labels]
    printed = list(zip(*texts, strict=True)) if texts else [() for _ in smallest]
    sizes = release.groups.sizes[smallest].tolist()
    rows = tuple(zip(map(tuple, printed), sizes, strict=True))
    return {"columns": names, "rows": rows, "groups": len(release)}


def printed_columns(result: SearchResult) -> Iterator[dict[str, object]]:
    """Yield what is printed of each column."""
    for column in result.release.groups.columns:
        codes, people = np.unique(column.codes, return_counts=True)
        frequent = codes[np.argsort(-people, kind="stable")][:6].tolist()
        level = result.levels.get(column.name)
        some = tuple(shown(column.labels[code]) for code in frequent)
        own = None if level is None else int(level)
        yield {"name": column.name, "labels": len(codes), "some": some, "level": own}


def compared(looked: Looked, right: str) -> dict[str, Any] | None:
    """Put the candidate that is looked at beside another one: the one that is named, or the next best."""
    taken = looked.taken
    others = [each for each in looked.candidates if taken is not None and each.key != taken.key]
    if taken is None or not others:
        return None
    other = next((each for each in others if each.key == right), others[0])
    rows = (released_rows(taken.result.release), released_rows(other.result.release))
    return {"left": taken, "right": other, "lines": tuple(_lines(taken, other)), "rows": rows}


def _lines(left: FoundCandidate, right: FoundCandidate) -> Iterator[tuple[str, str, str, str]]:
    one, two = _line(left), _line(right)
    yield "people", f"{one.people:,}", f"{two.people:,}", ""
    yield "groups", f"{one.groups:,}", f"{two.groups:,}", ""
    if one.suppressed or two.suppressed:
        yield "suppressed people", f"{one.suppressed:,}", f"{two.suppressed:,}", ""
    for criterion, a, b in zip(left.result.policy.criteria, one.results, two.results, strict=True):
        yield str(criterion.measure), a, b, f"limit {criterion.bound_text}"
    for utility in QUICK_UTILITIES:
        if utility in MEANINGS:
            yield utility, _worth(one.utility[utility]), _worth(two.utility[utility]), MEANINGS[utility]
    for name, level in left.result.levels.items():
        if name in right.result.levels:
            yield f"level of {name}", str(int(level)), str(int(right.result.levels[name])), "0: as it is"


def _worth(worth: float | None) -> str:
    return "infinite" if worth is None else short_decimal(worth) if worth < 10**4 else f"{worth:,.0f}"


# Addresses.


@router.get("/release", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw the search, and what it found."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    try:
        looked = looked_at(workspace, fields)
    except SidelightError as error:  # it stands at the field that it names, if it names one
        kept = [(name, text) for name, text in fields if name not in error.parameters]
        if len(kept) == len(fields):
            raise
        return _page(request, looked_at(workspace, kept), fields, error)
    instead = looked.best_instead
    if instead is None:
        return _page(request, looked, fields, looked.refusal())
    gone = "the release that this address names is not known here any more; this is the best one of its search instead"
    return _page(request, instead, fields, BadPolicy(gone))


def _page(
    request: Request, looked: Looked, fields: Sequence[tuple[str, str]], error: SidelightError | None
) -> Response:
    texts = dict(fields)
    workspace, state = looked.workspace, looked.state
    names = [] if error is None else [name for name in error.parameters if name in texts]
    job = looked.job
    searching = job is not None and job.goes_on
    answered = answer(looked)
    taken = None if searching else looked.taken
    more = {name: texts[name] for name in ("against", "beside", "published") if texts.get(name)}
    return page(
        request,
        VIEW,
        state,
        also=looked.also(**more),
        looked=looked,
        answer=answered,
        job=job,
        searching=searching,
        taken=taken,
        worth=_worth,
        **({} if taken is None else _candidate_parts(looked, taken.result, texts)),
        methods=METHOD_WORDS,
        options=OPTIONS_OF[looked.choice.method],
        choices=CHOICES,
        meanings=MEANINGS,
        problem="" if error is None else workspace.wording(error),
        problem_at=names[0] if names else "",
        typed=texts[names[0]] if names else "",
        published=published_job(looked, texts.get("published", "")),
        published_gone="published" in texts,
        endings=ENDINGS,
        name=texts.get("name", "release"),
        name_problem=name_problem(texts["name"].strip()) if "name" in texts else "",
        output=workspace.output,
        sample=search_sample(looked),
        searchable=workspace.source.read_table is not None,
        address=state.address(VIEW.path, looked.also(**more)),
    )


def _candidate_parts(looked: Looked, result: SearchResult, texts: Mapping[str, str]) -> dict[str, object]:
    against = risk_at(result.policy.criteria, texts.get("against", ""))
    asking = looked.asking()
    unanswered = asking is not None and asking.goes_on  # looked at once: it may end while the page is drawn
    return {
        "asking": asking,
        "unanswered": unanswered,
        "reader_answers": () if unanswered else add_attackers(result, asking).readers,
        "quiet": result.method.prints_rows and not result.method.prints_averages,
        "pictures": _drawn(looked, against),
        "against": against,
        "printed": list(printed_columns(result)),
        "rows": released_rows(result.release),
        "beside": compared(looked, texts.get("beside", "")),
    }


@router.post("/release", include_in_schema=False)
def begin(request: Request, fields: PostedFields) -> Response:
    """Begin a search, and go to where it is looked at."""
    workspace: Workspace = request.app.state.workspace
    try:
        looked = looked_at(workspace, [each for each in fields if each[0] != "take"])
        looked.start()
    except SidelightError:  # the page says at which field
        own = {name: text for name, text in fields if name in SearchFields.model_fields and text.strip()}
        names = {"quasi", "sensitive", "missing", "level", "limit", "take"}
        also = {name: text for name, text in own.items() if name not in names}
        return go_to(request, read_state(fields).address(VIEW.path, also))
    return go_to(request, looked.address)


# Publishing: written, read back and judged again, as on the command line, into the folder that the command named
# (`--output`), or as one file for the browser to keep.  A browser gives a plain name and no folder, and what is there
# is never replaced.

# The lane of what is published.
PUBLISHING = "publishing"

ENDINGS = (".parquet", ".csv")
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class WrittenRelease:
    """What was published, and the file that holds all of it where it is to be kept by the browser."""

    published: Published
    archive: Path | None

    @property
    def names(self) -> tuple[str, ...]:
        """The files that were written."""
        written = self.published
        return tuple(path.name for path in (*written.paths, written.sidecar, written.dictionary))


def name_problem(name: str) -> str:
    """Return what is wrong with the name of a file, if something is: it names no folder and nothing hidden.

    >>> name_problem("release-2"), name_problem("../release")
    ('', "'../release' is no name for a file here; give letters, digits, - and _, such as release, and no folder")
    """
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*", name) and len(name) <= LONGEST_NAME:
        return ""
    return f"'{name[:40]}' is no name for a file here; give letters, digits, - and _, such as release, and no folder"


def read_publication(fields: Mapping[str, str], folder: Path | None) -> Publication:
    """Read from a form as which file a release is published, and what goes along.

    `folder` is the one that the command named; a name without a folder is for the browser to keep.
    """
    name, ending = fields.get("name", "").strip(), fields.get("ending", ENDINGS[0])
    bad_name = name_problem(name)
    if bad_name or ending not in ENDINGS:
        message = bad_name or f"releases are written as {' or '.join(ENDINGS)}"
        raise NotPublished(message)
    into_folder = fields.get("to") == "folder"
    if into_folder and folder is None:
        message = "no folder was named; start the page with --output FOLDER, or download it"
        raise NotPublished(message)
    return Publication(
        path=(folder if into_folder and folder else Path()) / f"{name}{ending}",
        private_hierarchies="private_hierarchies" in fields,
        quiet_method="quiet_method" in fields,
        bounds="bounds" in fields,
    )


def write_release(
    publication: Publication, result: SearchResult, *, for_browser: bool, progress: Progress
) -> WrittenRelease:
    """Publish a result, and put it into one file where the browser is to keep it: one more easily than three."""
    progress("written aside, read back and judged again", 0, None)
    if not for_browser:
        return WrittenRelease(result.publish(**asdict(publication)), None)
    kept = Path(tempfile.mkdtemp(prefix="published-")) / publication.path
    published = result.publish(**asdict(replace(publication, path=kept)))
    path = published.path.with_suffix(".zip")
    with open_private(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in (published.sidecar, published.dictionary, *published.paths):
            archive.write(each, each.name)
    return WrittenRelease(published, path)


def publish(looked: Looked, fields: Mapping[str, str]) -> Job:
    """Publish the candidate that is looked at; what readers said of it goes along."""
    taken, asking = looked.taken, looked.asking()
    if taken is None or asking is None:
        message = "nothing was found yet that could be published; search first"
        raise NotPublished(message)
    if asking.goes_on:
        message = "two readers are being asked still; wait for them, or cancel that"
        raise NotPublished(message)
    choice = read_publication(fields, looked.workspace.output)
    for_browser = fields.get("to") != "folder"
    result = add_attackers(taken.result, asking)
    return looked.workspace.jobs.start(
        ("publish", question_of(looked.state, looked.choice), taken.key, choice, for_browser),
        lambda: lambda progress: write_release(choice, result, for_browser=for_browser, progress=progress),
        title=f"Publishing {choice.path.name}",
        address=looked.state.address(PATH, looked.also()),
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
    looked, texts = looked_at(request.app.state.workspace, fields), dict(fields)
    if name_problem(texts.get("name", "").strip()):
        return go_to(request, looked.state.address(PATH, looked.also(name=texts.get("name", "")[: LONGEST_NAME + 1])))
    job = publish(looked, texts)
    job.wait(2)
    return go_to(request, looked.state.address(PATH, looked.also(published=job.number)))


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
