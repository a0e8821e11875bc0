"""What if: somebody knows this, what would they conclude, and about whom?

Facts are judged by counting worlds (`posteriors`, exact fractions), statements P(…) by maximum entropy (`maxent`).
What takes long runs beside the page.  What cannot be read is marked where it stands, in the words of the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from sidelight.answers import believe
from sidelight.answers.recipe import Name, write_call, write_python
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadHierarchy, BadKnowledge, Contradiction, SidelightError, did_you_mean
from sidelight.knowledge.facts import Has
from sidelight.knowledge.parse import Vocabulary, complete, read_fact
from sidelight.knowledge.statements import is_statement, read_statement
from sidelight.knowledge.tokens import quote
from sidelight.progress import Progress
from sidelight.release.locate import Lookup
from sidelight.release.release import Release
from sidelight.report.answer import Recipe
from sidelight.report.plots import description_of, specification, table_behind
from sidelight.rounding import in_words, short_decimal
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label, shown
from sidelight.table.roles import Roles
from sidelight.text import counted, shell
from sidelight.web.jobs import Job
from sidelight.web.pages import Complaint, PageView, page
from sidelight.web.views.jobs import answer_of
from sidelight.web.workspace import State, StateFields, Workspace, read_state
from sidelight.worlds.identify import identify
from sidelight.worlds.posterior import Belief

VIEW = PageView("/what-if", "What if", "What would somebody conclude who knows this, and about whom?")

router = APIRouter()

MOST_KNOWN = 20
SECONDS = 60.0


class Mover(DocumentPart):
    """Somebody about whom beliefs move: the value that moves most, before and after."""

    about: str
    value: str
    before: str
    after: str
    before_number: float
    after_number: float


class BeliefChart(DocumentPart):
    """A chart as Vega-Lite, what it says, and the table behind it."""

    specification: dict[str, Any]
    description: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


class WhatIfAnswer(DocumentPart):
    """What would be concluded: whose beliefs move, by which model, of how many people."""

    sentence: str
    model: Literal["worlds", "maximum entropy"]
    people: int
    movers: tuple[Mover, ...]
    surest: str | None = None
    notes: tuple[str, ...] = ()
    picture: BeliefChart | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A line as it was typed, and what is wrong with it: where, if that is known (from 0)."""

    text: str
    problem: str = ""
    position: int | None = None

    @property
    def parts(self) -> tuple[str, str, str]:
        """The text before the place that is wrong, the place, and the rest."""
        if self.position is None:
            return self.text, "", ""
        at = min(self.position, len(self.text))
        end = next((stop for stop in range(at + 1, len(self.text)) if not self.text[stop].isalnum()), len(self.text))
        return self.text[:at], self.text[at:end] or "␣", self.text[end:]


def read_lines(
    release: Release, texts: Sequence[str], lookup: Lookup, wording: Callable[[SidelightError], str] = str
) -> list[Known]:
    """Read each line by itself, so that what is wrong with one stands there."""

    def read(text: str) -> Known:
        if len(text) > 500:
            return Known(text, "this is longer than 500 characters; say it in several lines")
        try:
            if is_statement(text):
                read_statement(text)
                return Known(text)
            fact = read_fact(text)
            identify(release, fact.people(), lookup)
        except SidelightError as error:
            return Known(text, wording(error), error.position if isinstance(error, BadKnowledge) else None)
        # a value that nobody can have is mostly mistyped
        for atom in fact.atoms():
            if isinstance(atom, Has) and atom.value not in release.domain:
                name, names = shown(atom.value), [shown(each) for each in release.domain]
                problem = f"no sensitive value '{name}' in the release{did_you_mean(name, names)}"
                return Known(text, problem, text.find(name) if name in text else None)
        return Known(text)

    return [*map(read, texts)]


def hierarchies(workspace: Workspace, state: State) -> Mapping[str, Hierarchy]:
    """Return what printed labels stand for: by what was given, and by drafts where columns are made coarser."""
    return workspace.hierarchies(state) if state.levels else workspace.source.hierarchies


def asked(workspace: Workspace, state: State, texts: tuple[str, ...], address: str, *, within: float = 0.9) -> Job:
    """Ask, beside the page where it takes longer than `within` seconds."""
    release, by = workspace.release(state), hierarchies(workspace, state)

    return workspace.jobs.soon(
        ("what if", state.subject, texts),
        lambda: partial(conclude, release, texts, by),
        title="Working out what follows",
        address=address,
        lane="what if",
        within=within,
    )


def conclude(release: Release, texts: Sequence[str], by: Mapping[str, Hierarchy], progress: Progress) -> WhatIfAnswer:
    """Count worlds, or, with statements P(…), take the distribution of largest entropy."""
    statements = any(map(is_statement, texts))
    request = believe.BelieveRequest(
        file="", roles=Roles(), know=tuple(texts), top=10, seconds=SECONDS if statements else None
    )
    answered = believe.conclude(request, release, by, progress)
    people = f"of {counted(release.size, 'person')}"
    surest, notes = None, answered.notes
    if isinstance(answered, believe.EntropyAnswer):
        known, moved = (
            f"Knowing {counted(len(texts), 'statement')}",
            [
                _mover(
                    each["about"],
                    each["value"],
                    (each["before"], each["after"]),
                    lambda belief: short_decimal(believe.trusted_digits(belief)),
                )
                for each in answered.answer.beliefs
            ],
        )
        first = moved[0]
        sentence = f"{known} moves no belief, by maximum entropy, {people}."
        if first.before != first.after:
            sentence = (
                f"{known}, somebody would be {first.after} sure that people with {first.about} have {first.value}, "
                f"and was {first.before} sure before, by maximum entropy, {people}."
            )
    else:
        beliefs = [each for each in answered.beliefs if isinstance(each, Belief)]
        known, moved = (
            f"Knowing {counted(len(texts), 'fact')}",
            [
                _mover(believe.name_in_group(each), each.value, (each.before[each.value], each[each.value]), in_words)
                for each in beliefs
            ],
        )
        first, most = moved[0], answered.surest
        moves = f"{known} moves no belief: {first.about} still has {first.value} with probability {first.after}."
        if beliefs[0].moved:
            moves = (
                f"{known}, somebody would be {first.after} sure that {first.about} has {first.value}, and was "
                f"{first.before} sure before."
            )
        sentence = f"{moves} In groups that it does not mention nothing moves, {people}."
        assert most is not None
        surest = f"{most.who()} has {shown(most.value)}, with probability {in_words(most.probability)}"
        notes = beliefs[0].notes
    chart = next(iter(answered.charts()), None)
    return WhatIfAnswer(
        sentence=sentence,
        model="maximum entropy" if statements else "worlds",
        people=release.size,
        movers=tuple(moved),
        surest=surest,
        notes=tuple(dict.fromkeys(notes)) if statements else notes,
        picture=None
        if chart is None
        else BeliefChart(
            specification=specification(chart),
            description=description_of(chart),
            columns=table_behind(chart).columns,
            rows=table_behind(chart).rows,
        ),
    )


def _mover(about: str, value: Label, ends: tuple[Any, Any], write: Callable[[Any], str]) -> Mover:
    """Return somebody about whom beliefs move, before and after, as they are written."""
    before, after = ends
    return Mover(
        about=about,
        value=shown(value),
        before=write(before),
        after=write(after),
        before_number=float(before),
        after_number=float(after),
    )


def vocabulary(release: Release) -> Vocabulary:
    """Return what may be named: labels that the release prints, as coarse as it does."""
    columns = {column.name: column.sort_naturally().labels for column in release.groups.columns}
    return Vocabulary(columns, release.domain, len(release))


def examples(release: Release, by: Mapping[str, Hierarchy]) -> Iterator[tuple[str, str]]:
    """Yield something to begin with: facts about someone of the first group, a statement about shares."""
    counts = release.groups.value_counts(0)
    likely = sorted((each for each in counts if counts[each]), key=lambda each: -counts[each])
    if not likely:
        return
    yield f"#1 != {quote(likely[0])}", f"someone in group 1 does not have {shown(likely[0])}"
    if release.groups.sizes[0] > 1:
        yield (
            f"#1.2 = {quote(likely[0])} -> #1 = {quote(likely[0])}",
            f"if another person of group 1 has {shown(likely[0])}, so does the first",
        )
    if release.semantics == "multiset":
        return
    # a label of which the release prints only what it is part of: of the others it says all itself
    for column in release.groups.columns:
        name = column.name
        for printed in column.sort_naturally().labels if name in by else ():
            with suppress(BadHierarchy):  # what the hierarchy does not have, such as *
                cell = next((each for each in by[name].under(printed) if each != printed), None)
                if cell is not None:
                    yield (
                        f"P({quote(likely[0])} | {quote(name)}={quote(cell)}) <= 0.1",
                        f"at most a tenth of people with {name} {shown(cell)} have it",
                    )
                    return


@router.get("/what-if", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw what would be concluded."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    state = read_state(fields)
    one = state.about(dict(fields).get("of", ""))
    release, by = workspace.release(one), hierarchies(workspace, one)
    texts = tuple(dict.fromkeys(text.strip() for name, text in fields if name == "know" and text.strip()))[:MOST_KNOWN]
    lines = read_lines(release, texts, Lookup.build(by), workspace.wording)
    of = {"of": one.sensitive[0]} if len(state.sensitive) > 1 else {}
    also = {"know": list(texts), **of}
    readable = bool(texts) and not any(line.problem for line in lines)
    job = asked(workspace, one, texts, state.address(VIEW.path, also)) if readable else None
    contradiction = job is not None and isinstance(job.error, Contradiction)
    return page(
        request,
        VIEW,
        state,
        also=also,
        of=of,
        lines=lines,
        most=MOST_KNOWN,
        job=job,
        contradiction=contradiction,
        answer=None if job is None else job.answer,
        release=release,
        column=one.sensitive[0],
        examples=list(examples(release, by)),
        sample=_sample(workspace, one, texts) if texts else None,
    )


def _sample(workspace: Workspace, state: State, texts: Sequence[str]) -> Recipe:
    recipe = workspace.recipe(state)
    release, by = Name("release"), Name("hierarchies") if state.levels else None
    if any(map(is_statement, texts)):
        call, printing = write_call("sl.maxent", release, knowing=list(texts), by=by), ["print(beliefs.riskiest(10))"]
    else:
        call = write_call("sl.posteriors", release, given=list(texts), by=by)
        shown = "belief, belief.value, belief.before[belief.value], belief[belief.value]"
        printing = ["for belief in beliefs.top(10):", f"    print({shown})"]
    lines = [*recipe.reading(), "", f"beliefs = {call}", *printing]
    words = [*recipe.words("believe"), *(word for text in texts for word in ("--know", text))]
    first = ["# of the file as it is published; here it is made coarser first"] if state.levels else []
    return Recipe("\n".join([*first, shell(words)]), write_python(*lines))


class WhatIfFields(StateFields):
    """The fields of an address of this view."""

    know: list[str] = Field(default=[], description="facts, or statements P(…)", max_length=MOST_KNOWN)
    of: str = Field(default="", description="the sensitive column, where there are several", max_length=200)


@router.get("/api/what-if", responses={422: {"model": Complaint}})
async def data(request: Request, fields: Annotated[WhatIfFields, Query()]) -> WhatIfAnswer:
    """What would somebody conclude who knows this?"""
    workspace: Workspace = request.app.state.workspace
    state = fields.state()
    one = state.about(fields.of)
    texts = tuple(dict.fromkeys(text.strip() for text in fields.know if text.strip()))
    if not texts:
        message = "nothing is known yet; write a fact, such as '#1 != Flu', or a statement P(…)"
        raise BadKnowledge(message)
    address = state.address(VIEW.path, {"know": list(texts), "of": fields.of or None})
    begin = partial(asked, workspace, one, texts, address, within=0)
    answered: WhatIfAnswer = await answer_of(request, begin, 2 * SECONDS)
    return answered


class Offer(DocumentPart):
    """What may stand at the cursor, and what it is."""

    text: str
    what: str


class Offers(DocumentPart):
    """What may stand from `start` up to the cursor."""

    start: int
    options: tuple[Offer, ...]


class CompletionFields(StateFields):
    """A text that is being written, and where the cursor stands in it."""

    text: str = Field(default="", max_length=2_000)
    at: int = Field(default=0, ge=0, le=2_000)
    of: str = Field(default="", description="the sensitive column, where there are several", max_length=200)


@router.get("/api/what-if/completions", responses={422: {"model": Complaint}})
def completions(request: Request, fields: Annotated[CompletionFields, Query()]) -> Offers:
    """What may come next where somebody writes a fact or a statement?"""
    workspace: Workspace = request.app.state.workspace
    one = fields.state().about(fields.of)
    words = workspace.answers.of(("vocabulary", one.subject), lambda: vocabulary(workspace.release(one)))
    offered = complete(fields.text, min(fields.at, len(fields.text)), words)
    return Offers(start=offered.start, options=tuple(Offer(text=text, what=what) for text, what in offered.options))
