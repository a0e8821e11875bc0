"""Searches of the view Release, and the subject of a report: what their addresses name, and its state.

A search is identified by the columns, the limits and its options (`SearchChoice`), not by the levels of the state: it
goes through all.

A report is about the result of a search or about the release of the state, and includes attacks on the same release
under Other releases, unless its address leaves them out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from pydantic import Field

from sidelight.answers.candidates import (
    CandidateLine,
    SearchChoice,
    draw_candidates,
    draw_shape,
    read_publication,
    search,
    write_publication,
)
from sidelight.answers.exposure import ExposureAnswer, OtherRelease
from sidelight.documents.document import AttackerFacts, DocumentPart, attacker_facts
from sidelight.errors import BadPolicy, NotAvailable, NothingSafe, NotPublished, SidelightError
from sidelight.measures.measure import AttackerAnswer
from sidelight.report.answer import Live, Recipe
from sidelight.report.make import report_on_result, summarise_exposure
from sidelight.report.plots import altair
from sidelight.report.release_report import Circumstances, ReleaseReport
from sidelight.report.report import AuditFinding
from sidelight.search.protect import Ask, add_answers
from sidelight.text import counted
from sidelight.web.jobs import Job, JobAnswer, Work, so_far
from sidelight.web.workspace import LONGEST_TEXT, MOST_FILES, State, StateFields, Workspace, read_state

if TYPE_CHECKING:
    from sidelight.answers.signing import ReportChoice
    from sidelight.progress import Progress
    from sidelight.search.method import SearchResult

PUBLISHING = "publishing"
"""The lane of publishing."""

ATTEMPTS = "other releases"
"""The lane of attacks with uploaded releases."""

NAMES_A_SEARCH = {"method", "take"}
"""The fields of an address that names one search, which no other result may replace."""


class SearchFields(SearchChoice, StateFields):
    """The fields of the address of a search."""

    take: str = Field(default="", description="the key of a candidate; the best if empty", max_length=2000)

    def choice(self) -> SearchChoice:
        """Parse how to search."""
        return SearchChoice.read([(name, str(text)) for name, text in self.model_dump().items() if text])


def search_words(what: str, done: int, total: int | None) -> str:
    """Return the progress of a search in words.

    >>> search_words("levels (0, 1)", 340, 512), search_words("531 groups", 531, None)
    ('looked at 340 of at most 512 generalisations', '531 groups so far')
    """
    if what.startswith("levels ") and total is not None:
        return f"looked at {done:,} of at most {counted(total, 'generalisation')}"
    if what.endswith(" groups"):
        return f"{what} so far"
    return so_far(what, done, total) if done or total is not None else what


def ask_attackers(result: SearchResult, which: Ask, progress: Progress) -> tuple[AttackerAnswer, ...]:
    """Ask two attackers that the policy does not mention what they would learn."""
    progress("asking what a learner and an insider would reach", 0, None)
    return add_answers(result, which, progress).readers


class ReleaseAnswer(DocumentPart):
    """The result of a search, or its progress."""

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
    candidate: Live[CandidateLine | None] = None  # the one that is taken
    asking: Live[JobAnswer | None] = None  # the job that asks attackers about it
    attackers: Live[tuple[AttackerAnswer, ...]] = ()


@dataclass(frozen=True, slots=True)
class SearchState:
    """The search that an address names, the candidate that it takes, and what is known of them."""

    workspace: Workspace
    state: State
    choice: SearchChoice
    take: str = ""

    @classmethod
    def read(cls, workspace: Workspace, fields: Sequence[tuple[str, str]]) -> SearchState:
        """Parse the fields of an address or a form."""
        take = next((text for name, text in fields if name == "take"), "")[:LONGEST_TEXT]
        return cls(workspace, read_state(fields), SearchChoice.read(fields), take)

    def also(self, **more: object) -> dict[str, object]:
        """Return its own fields of an address."""
        return {**self.choice.stated(), **({"take": self.take} if self.take else {}), **more}

    def address(self, **more: object) -> str:
        """Return the address of its page."""
        return self.state.address("/release", self.also(**more))

    @property
    def question(self) -> Hashable:
        """The key of the search."""
        state = self.state
        return ("search", state.quasi, state.sensitive, state.missing, state.limits, self.choice)

    @property
    def job(self) -> Job | None:
        """The job of the search, if it was started."""
        return self.workspace.jobs.of(self.question)

    @property
    def results(self) -> tuple[CandidateLine, ...]:
        """The candidates of the search once it is done, the best first."""
        job = self.job
        return job.answer if job is not None and job.stage == "done" else ()

    @property
    def candidates(self) -> tuple[CandidateLine, ...]:
        """The candidates of this search, then the best of each other one within the same limits."""
        candidates = [*self.results]
        for other in list_ended_searches(self.workspace, self.state) if candidates else ():
            if other.choice != self.choice and other.results:
                best, words = other.results[0], other.choice.in_words()
                names = {"key": f"{words}: {best.key}", "name": f"{words}: {best.name}"}
                candidates.append(best.model_copy(update=names))
        return tuple(candidates)

    @property
    def taken(self) -> CandidateLine | None:
        """The candidate that the address names; the best if it names none."""
        return next((each for each in self.candidates if each.key == self.take or not self.take), None)

    @property
    def best_instead(self) -> SearchState | None:
        """The best of this search, where the address names a candidate that is not known (any more)."""
        return replace(self, take="") if self.take and self.results and self.taken is None else None

    def start_attackers(self) -> Job | None:
        """Ask two attackers about the candidate that is taken; once, and not again after a cancellation."""
        taken = self.taken
        if taken is None:
            return None
        question = ("readers", self.question, taken.key)
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
        """Return the reason why the search cannot start, if there is one and it has not started."""
        if self.job is not None:
            return None
        try:
            self.workspace.searched_file(self.state)
            self.workspace.policy(self.state)
        except SidelightError as error:
            return error
        return None

    def gather(self) -> Work:
        """Gather the table, its hierarchies and the policy."""
        with suppress(NotAvailable):
            altair()  # slow to import, and the page shows progress here
        workspace, state = self.workspace, self.state
        table, by, policy = workspace.table(state), workspace.hierarchies(state), workspace.policy(state)
        return partial(search, table, by, policy, self.choice)

    def start(self) -> Job:
        """Start the search."""
        refusal = self.refusal()
        if refusal is not None:
            raise refusal
        return self.workspace.jobs.start(
            self.question,
            self.gather,
            title=f"Searching by {self.choice.in_words()}",
            address=replace(self, take="").address(),
            wording=search_words,
        )

    def sample(self) -> Recipe | None:
        """Write the recipe that searches and publishes; None where there is nothing to search."""
        try:
            recipe, policy = self.workspace.recipe(self.state), self.workspace.policy(self.state)
        except SidelightError:
            return None
        if self.workspace.source.read_table is None:  # published already
            return None
        taken = self.taken  # perhaps of another search, whose choice is written then
        is_other = taken is not None and self.take != "" and taken in self.results[1:]
        levels = {name: int(level) for name, level in taken.result.levels.items()} if taken and is_other else {}
        return (self.choice if taken is None else taken.choice).recipe(recipe, policy.criteria, levels)

    def publish(self, fields: Mapping[str, str]) -> Job:
        """Publish the candidate that is taken, with the answers of attackers."""
        taken, asking = self.taken, self.start_attackers()
        if taken is None or asking is None:
            raise NotPublished("nothing was found yet that could be published; search first")
        if asking.goes_on:
            raise NotPublished("two readers are being asked still; wait for them, or cancel that")
        settings, for_browser = read_publication(fields, self.workspace.output), fields.get("to") != "folder"
        result = add_attackers(taken.result, asking)
        return self.workspace.jobs.start(
            ("publish", self.question, taken.key, *settings.items(), for_browser),
            lambda: lambda progress: write_publication(settings, result, for_browser=for_browser, progress=progress),
            title=f"Publishing {settings['path'].name}",
            address=self.address(),
            lane=PUBLISHING,
            here=True,
        )

    def answer(self) -> ReleaseAnswer:
        """Return the result of the search, or its progress."""
        job, limits = self.job, len(self.state.limits)
        if job is None:
            words = f"Not searched yet within {counted(limits, 'limit')}: say how, and press Search."
            if self.workspace.source.read_table is None:
                words = "This was published already: searching needs the table that it was made from."
            elif not limits:
                words = "Nothing is searched without a limit."
            return ReleaseAnswer(sentence=words, holds=None)
        searching = job.describe()
        if searching.goes_on:
            return ReleaseAnswer(sentence=searching.sentence, holds=None, searching=searching)
        taken = self.taken
        if taken is None:
            nothing, cancelled = isinstance(job.error, NothingSafe), searching.stage == "cancelled"
            words = "Nothing within policy was found." if nothing else "There is no answer to this search."
            return ReleaseAnswer(
                sentence="The search was cancelled; nothing was published." if cancelled else words,
                holds=False if nothing else None,
                searching=searching,
                problem=None if cancelled else searching.problem,
            )
        job = self.start_attackers()
        asking = None if job is None else job.describe()
        attackers = add_attackers(taken.result, job).readers if asking and not asking.goes_on else ()
        return ReleaseAnswer(
            sentence=taken.conclude(),
            holds=True,
            searching=searching,
            taken=taken.key,
            findings=taken.findings,
            before=taken.before,
            candidates=self.candidates,
            readers=tuple(map(attacker_facts, attackers)),
            warnings=(*taken.result.notes, *taken.result.warnings),
            candidate=taken,
            asking=asking,
            attackers=attackers,
        )

    def draw(self, answer: ReleaseAnswer, against: int) -> dict[str, dict[str, Any]]:
        """Draw the search and its candidates against a limit, once; nothing without the extra that draws."""
        answers, candidates, taken = self.workspace.answers, answer.candidates, answer.candidate
        charts, key = dict[str, dict[str, Any]](), (self.question, answer.taken)
        with suppress(NotAvailable):
            if taken is not None:
                searched = next(iter(candidates), taken).result
                charts["shape"] = answers.of(("shape", key), lambda: draw_shape(searched, taken.result))
            if taken is not None and len(candidates) > 1:
                charts["front"] = answers.of(
                    ("front", key, tuple(each.key for each in candidates), against),
                    lambda: draw_candidates(candidates, taken, self.choice, against),
                )
        return charts


def add_attackers(result: SearchResult, asking: Job | None) -> SearchResult:
    """Return a result with the answers of attackers, or with the note that none was asked."""
    if asking is not None and asking.stage == "done":
        return replace(result, readers=asking.answer)
    return add_answers(result, "nobody")


def list_ended_searches(workspace: Workspace, state: State) -> Iterator[SearchState]:
    """Yield the searches within the same limits that have an answer, the latest first."""
    for job in workspace.jobs.list_ended():
        match job.question:
            case (*_, SearchChoice() as choice):
                search = SearchState(workspace, state, choice)
                if job.question == search.question:
                    yield search


def find_latest_search(workspace: Workspace, fields: Sequence[tuple[str, str]]) -> SearchState | None:
    """Return the search that an address names, or the latest one with a result within its limits."""
    named = SearchState.read(workspace, fields)
    if any(name in NAMES_A_SEARCH for name, _ in fields):
        if named.taken is None:
            raise BadPolicy(
                "this address is about what a search found, and nothing was found by it here: search again under "
                "Release, or wait for it (the page forgets what it found when it is closed)"
            )
        return named
    return next((each for each in list_ended_searches(workspace, named.state) if each.taken is not None), None)


@dataclass(frozen=True)
class Subject:
    """The subject of a report: the result of a search, or the release of the state."""

    workspace: Workspace
    state: State
    search: SearchState | None
    also: Mapping[str, object]
    without: tuple[str, ...] = ()  # keys of the files whose attack is left out

    @classmethod
    def read(cls, workspace: Workspace, fields: Sequence[tuple[str, str]]) -> Subject:
        """Parse the fields of an address."""
        of_file = ("of", "file") in fields
        search = None if of_file else find_latest_search(workspace, fields)
        also: dict[str, object] = {"of": "file"} if of_file else search.also() if search else {}
        without = tuple(dict.fromkeys(text for name, text in fields if name == "without"))[:MOST_FILES]
        return cls(workspace, read_state(fields), search, also | ({"without": [*without]} if without else {}), without)

    @cached_property
    def candidate(self) -> CandidateLine | None:
        """The result of the search, if it is about one."""
        return None if self.search is None else self.search.taken

    @property
    def attacked_state(self) -> State | None:
        """The state of the same release; None for the result of a search that levels alone do not describe."""
        if self.candidate is None:
            return self.state
        levels = self.candidate.result.levels
        if not levels or self.candidate.suppressed or self.workspace.source.roles.sensitive_level is not None:
            return None
        return self.state.but(levels=tuple((name, int(level)) for name, level in levels.items() if level))

    @cached_property
    def attempts(self) -> tuple[ExposureAnswer, ...]:
        """The attacks on this release that the page remembers, in their order."""
        answers: dict[OtherRelease, ExposureAnswer] = {}
        for job in reversed(self.workspace.jobs.list_ended(ATTEMPTS)):
            match job.question:
                case (_, subject, OtherRelease() as beside) if (
                    self.attacked_state and subject == self.attacked_state.subject
                ):
                    answers[beside.attack] = job.answer
        return tuple(answers.values())

    @property
    def attacks(self) -> tuple[ExposureAnswer, ...]:
        """The attacks that the document includes."""
        return tuple(each for each in self.attempts if each.beside.other.key not in self.without)

    @property
    def pending(self) -> Job | None:
        """The job that asks attackers about the result, while it goes on."""
        job = None if self.search is None else self.search.start_attackers()
        return job if job is not None and job.goes_on else None

    @property
    def in_words(self) -> str:
        """The sentence that names the release, so that no other one is signed by mistake."""
        source = self.workspace.source
        name, taken = source.title or source.name, self.candidate
        chosen = self.state.levels if taken is None else taken.result.levels.items()
        levels = ", ".join(f"{column} at level {level}" for column, level in chosen)
        if taken is not None:
            how = f"{taken.choice.in_words()}, with {levels}" if levels else taken.choice.in_words()
            return f"This is about the release of {name} that was found by {how}."
        if levels:
            end = "levels that were chosen by hand. No such file is written yet."
            return f"This is about {name} printed with {levels}: {end}"
        if source.sidecar is not None:
            return f"This is about {name} as it was published."
        return f"This is about {name} as it stands, as if it were published so."

    def measure(self) -> ReleaseReport:
        """Build the document without its sign-off, measured once."""
        workspace, state, search, taken = self.workspace, self.state, self.search, self.candidate
        attacks = tuple(each.beside.attack for each in self.attacks)
        if search is None or taken is None:
            question: tuple[object, ...] = ("report", state.subject, state.limits, attacks)
            return workspace.answers.of(question, self._measure_file)
        if self.pending is not None:
            raise BadPolicy("two readers are being asked still; wait for them, or cancel that under Release")
        asking = search.start_attackers()
        result = add_attackers(taken.result, asking)
        question = ("found report", search.question, taken.key, asking and asking.stage, attacks)
        return workspace.answers.of(question, lambda: report_on_result(result, self._circumstances()))

    def _circumstances(self) -> Circumstances:
        """Return the attacks, with the notes of Other releases."""
        attacks = (
            summarise_exposure(each.exposure, [each.name]).model_copy(update={"notes": each.notes})
            for each in self.attacks
        )
        return Circumstances(attacks=tuple(attacks))

    def _measure_file(self) -> ReleaseReport:
        from sidelight.answers.signing import report_on_release  # noqa: PLC0415 - searches need none of it

        workspace, state, source = self.workspace, self.state, self.workspace.source
        coarser = bool(state.levels)
        return report_on_release(
            workspace.release(state),
            workspace.attackers(state),
            self._circumstances(),
            source=source.name,
            sidecar=None if coarser else source.sidecar,
            files=() if coarser else source.files,
            table=workspace.table(state) if coarser else None,
            levels=dict(state.levels),
            by=workspace.hierarchies(state) if coarser else {},
        )

    def sample(self, choice: ReportChoice) -> Recipe:
        """Write the command and the Python that repeat it."""
        from sidelight.answers.signing import write_report_recipe  # noqa: PLC0415 - searches need none of it

        workspace = self.workspace
        return write_report_recipe(
            workspace.recipe(self.state),
            choice,
            judged=workspace.attackers(self.state),
            searched=None if self.search is None else self.search.sample(),
            attacks=self.attacks,
            attacked=workspace.recipe(self.attacked_state or self.state),
            columns=workspace.column_names,
        )

    def report(self, choice: ReportChoice) -> ReleaseReport:
        """Build the document with its sign-off."""
        return choice.sign(self.measure(), self.sample(choice))
