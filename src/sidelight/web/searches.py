"""What do addresses of the views Release and Report ask for, and what is there of it?  Searches, and what is signed.

A search is told apart by the columns, the limits and its options (`SearchChoice`); who asks for the same gets the same.
Levels that were set elsewhere on the page are not among them: a search goes through all.

A report is about what a search found, or about the release that is looked at, and tells what was tried on the same one
under Other releases, unless its address leaves that out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.answers.candidates import CandidateLine, SearchChoice, read_publication, search, write_publication
from sidelight.answers.exposure import ExposureAnswer, OtherRelease
from sidelight.errors import BadPolicy, NotAvailable, NotPublished, SidelightError
from sidelight.report.make import report_on_result, summarise_exposure
from sidelight.report.plots import altair
from sidelight.report.release_report import Circumstances, ReleaseReport
from sidelight.search.protect import add_answers
from sidelight.text import counted
from sidelight.web.jobs import Job, Work, so_far
from sidelight.web.workspace import LONGEST_TEXT, MOST_FILES, State, StateFields, Workspace, read_state

if TYPE_CHECKING:
    from sidelight.answers.signing import ReportChoice
    from sidelight.measures.measure import AttackerAnswer
    from sidelight.progress import Progress
    from sidelight.report.answer import Recipe
    from sidelight.search.method import SearchResult
    from sidelight.search.protect import Ask

PUBLISHING = "publishing"
"""The lane of what is published."""

ATTEMPTS = "other releases"
"""The lane of jobs in which releases are tried on what was dropped."""

NAMES_A_SEARCH = {"method", "take"}
"""The fields of an address that is about what one search found, whoever signs it: about nothing else instead."""


class SearchFields(SearchChoice, StateFields):
    """The fields of the address of a search."""

    take: str = Field(default="", description="the key of a candidate; the best if empty", max_length=2000)

    def choice(self) -> SearchChoice:
        """Read how to search."""
        return SearchChoice.read([(name, str(text)) for name, text in self.model_dump().items() if text])


def search_words(what: str, done: int, total: int | None) -> str:
    """Return how far a search is.

    >>> search_words("levels (0, 1)", 340, 512), search_words("531 groups", 531, None)
    ('looked at 340 of at most 512 generalisations', '531 groups so far')
    """
    if what.startswith("levels ") and total is not None:
        return f"looked at {done:,} of at most {counted(total, 'generalisation')}"
    if what.endswith(" groups"):
        return f"{what} so far"
    return so_far(what, done, total) if done or total is not None else what


def ask_attackers(result: SearchResult, which: Ask, progress: Progress) -> tuple[AttackerAnswer, ...]:
    """Ask two readers what they would reach whom the policy does not name."""
    progress("asking what a learner and an insider would reach", 0, None)
    return add_answers(result, which, progress).readers


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
        return self.state.address("/release", self.also(**more))

    @property
    def question(self) -> Hashable:
        """What tells searches apart."""
        state = self.state
        return ("search", state.quasi, state.sensitive, state.missing, state.limits, self.choice)

    @property
    def job(self) -> Job | None:
        """The search, if it was begun."""
        return self.workspace.jobs.of(self.question)

    @property
    def found(self) -> tuple[CandidateLine, ...]:
        """What the search has found, the best first; nothing as long as it has not."""
        job = self.job
        return job.answer if job is not None and job.stage == "done" else ()

    @property
    def candidates(self) -> tuple[CandidateLine, ...]:
        """All that could be published: of this search, then of others within the same limits."""
        candidates = [*self.found]
        for other in list_found(self.workspace, self.state) if candidates else ():
            if other.choice != self.choice and other.found:
                best, words = other.found[0], other.choice.in_words()
                names = {"key": f"{words}: {best.key}", "name": f"{words}: {best.name}"}
                candidates.append(best.model_copy(update=names))
        return tuple(candidates)

    @property
    def taken(self) -> CandidateLine | None:
        """The candidate that is looked at: the one that the address names and no other, or the best."""
        return next((each for each in self.candidates if each.key == self.take or not self.take), None)

    @property
    def best_instead(self) -> Looked | None:
        """The best of this search, where the address names a candidate that is not known here (any more)."""
        return replace(self, take="") if self.take and self.found and self.taken is None else None

    def asking(self) -> Job | None:
        """Ask the two readers of the candidate that is looked at; once, and not again where somebody cancelled it."""
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
        """Return why it cannot be searched, if it cannot, where nobody has begun to."""
        if self.job is not None:
            return None
        try:
            self.workspace.searched_file(self.state)
            self.workspace.policy(self.state)
        except SidelightError as error:
            return error
        return None

    def gather(self) -> Work:
        """Read the table and its hierarchies, or take them where they are kept."""
        with suppress(NotAvailable):
            altair()  # slow to import: here somebody is told to wait
        workspace, state = self.workspace, self.state
        table, by, policy = workspace.table(state), workspace.hierarchies(state), workspace.policy(state)
        return partial(search, table, by, policy, self.choice)

    def start(self) -> Job:
        """Begin the search."""
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
        """Write what searches and publishes the same; nothing where nothing can be searched."""
        try:
            recipe, policy = self.workspace.recipe(self.state), self.workspace.policy(self.state)
        except SidelightError:
            return None
        if self.workspace.source.read_table is None:  # published already
            return None
        # how what is looked at was found, which another search may have; or how it would be searched for
        taken = self.taken
        # those that were taken instead of the best ones of this search
        instead = taken is not None and self.take != "" and taken in self.found[1:]
        levels = {name: int(level) for name, level in taken.result.levels.items()} if taken and instead else {}
        return (self.choice if taken is None else taken.choice).recipe(recipe, policy.criteria, levels)

    def publish(self, fields: Mapping[str, str]) -> Job:
        """Publish the candidate that is looked at; what readers said of it goes along."""
        taken, asking = self.taken, self.asking()
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


def add_attackers(result: SearchResult, asking: Job | None) -> SearchResult:
    """Let a result tell what the readers said; where nobody asked them, that."""
    if asking is not None and asking.stage == "done":
        return replace(result, readers=asking.answer)
    return add_answers(result, "nobody")


def list_found(workspace: Workspace, state: State) -> Iterator[Looked]:
    """Yield the searches within the same limits that have found something, the latest first."""
    for job in workspace.jobs.list_ended():
        match job.question:
            case (*_, SearchChoice() as choice):
                looked = Looked(workspace, state, choice)
                if job.question == looked.question:
                    yield looked


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


@dataclass(frozen=True)
class Subject:
    """What a report is about: a release that a search found, or the one that is looked at."""

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
        return cls(workspace, read_state(fields), search, also | ({"without": [*without]} if without else {}), without)

    @cached_property
    def candidate(self) -> CandidateLine | None:
        """What was found, where it is about that."""
        return None if self.search is None else self.search.taken

    @property
    def attacked_state(self) -> State | None:
        """The state in which the same release is looked at; None of what a search found that no levels tell."""
        if self.candidate is None:
            return self.state
        levels = self.candidate.result.levels
        if not levels or self.candidate.suppressed or self.workspace.source.roles.sensitive_level is not None:
            return None
        return self.state.but(levels=tuple((name, int(level)) for name, level in levels.items() if level))

    @cached_property
    def attempts(self) -> tuple[ExposureAnswer, ...]:
        """What was tried on this release and no other, as long as the page remembers it, in the order of trying."""
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
        """What of it the document tells."""
        return tuple(each for each in self.attempts if each.beside.other.key not in self.without)

    @property
    def asking(self) -> Job | None:
        """The two readers who are asked of what was found, while they are."""
        job = None if self.search is None else self.search.asking()
        return job if job is not None and job.goes_on else None

    @property
    def in_words(self) -> str:
        """Which release the document is about, so that nobody signs another."""
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
        """Make the document, which nobody has signed: what is measured is measured once, whoever signs it."""
        workspace, state, search, taken = self.workspace, self.state, self.search, self.candidate
        told = tuple(each.beside.attack for each in self.attacks)
        if search is None or taken is None:
            question: tuple[object, ...] = ("report", state.subject, state.limits, told)
            return workspace.answers.of(question, self._measure_file)
        if self.asking is not None:
            raise BadPolicy("two readers are being asked still; wait for them, or cancel that under Release")
        readers = search.asking()
        result = add_attackers(taken.result, readers)
        question = ("found report", search.question, taken.key, readers and readers.stage, told)
        return workspace.answers.of(question, lambda: report_on_result(result, self._circumstances()))

    def _circumstances(self) -> Circumstances:
        """Return what the page knows besides: attacks, told as Other releases does."""
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
        """Write the command and the Python that come to the same."""
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
        """Make the document as somebody signs it."""
        return choice.sign(self.measure(), self.sample(choice))
