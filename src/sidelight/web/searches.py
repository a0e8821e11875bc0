"""What was searched for, what was found, and which other releases could be published instead?

A search is told apart by the columns, the limits and its options (`SearchChoice`); who asks for the same gets the same.
Levels that were set elsewhere on the page are not among them: a search goes through all.  What it finds are candidates,
each a `SearchResult` of its own that was judged by the whole policy: the best one, the other minimal ones of a lattice,
and what other searches within the same limits have found since the page was started.  The command and the Python that
search and publish the same stand at the end.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import cast, get_args

from pydantic import BaseModel, ConfigDict, Field

from sidelight.answers.recipe import Name, levels_text, write_limit_options, write_limits, write_protect, write_python
from sidelight.errors import BadPolicy, NotAvailable, SidelightError, did_you_mean, parameter
from sidelight.measures.attacker_answer import AttackerAnswer
from sidelight.measures.criterion import Criterion
from sidelight.policy.measure_names import ASK_CHOICES
from sidelight.policy.policy import Policy
from sidelight.progress import Progress
from sidelight.release.generalise import group
from sidelight.report.answer import Recipe
from sidelight.report.charts.searches import MOST_CANDIDATES
from sidelight.report.plots import altair
from sidelight.report.report import AuditFinding, audit_report
from sidelight.search.full_domain import FullDomain, Suppressed
from sidelight.search.method import Method, SearchResult
from sidelight.search.microaggregation import LabelAverage, Microaggregation
from sidelight.search.protect import METHODS, Ask, SearchProblem, add_answers, method_of
from sidelight.search.utility import DEFAULT_UTILITY, UTILITIES, UtilityName
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table
from sidelight.text import counted, shell
from sidelight.web.jobs import Job, Work
from sidelight.web.limits import read_typed
from sidelight.web.state import LONGEST_TEXT, State, StateFields, read_state
from sidelight.web.workspace import Workspace

METHOD_WORDS = {
    "lattice": "one level per column, the same for everybody",
    "mondrian": "groups cut one by one, each as fine as it may be",
    "anatomy": "columns as they are, and values apart, by bucket",
    "microaggregation": "clusters of people who are alike, each as its average",
}
"""What each method does, in a few words."""

OPTIONS_OF = {
    "lattice": ("utility", "suppress", "suppressed", "nodes"),
    "mondrian": ("resists",),
    "anatomy": (),
    "microaggregation": ("average",),
}
"""Which options each method has; the others are not looked at."""


PATH = "/release"
"""Where searches are looked at."""


class SearchChoice(BaseModel):
    """How to search: as texts, as an address has them; empty ones mean what the command line takes."""

    model_config = ConfigDict(frozen=True)  # a part of questions, which are told apart

    method: str = Field(default="lattice", description="which search", max_length=40)
    utility: str = Field(default="", description="what the best is best at (lattice)", max_length=40)
    suppress: str = Field(default="", description="the share of people who may be suppressed (lattice)", max_length=40)
    suppressed: str = Field(default="", description="what becomes of suppressed people (lattice)", max_length=40)
    nodes: str = Field(default="", description="how many generalisations to look at (lattice)", max_length=40)
    resists: str = Field(default="", description="against whom the method defends (mondrian)", max_length=40)
    average: str = Field(default="", description="how categories are averaged (microaggregation)", max_length=40)
    ask: str = Field(default="", description="which readers are asked of what was found", max_length=40)

    @classmethod
    def read(cls, fields: Sequence[tuple[str, str]]) -> SearchChoice:
        """Read it from the fields of an address; what belongs to another method is left out.

        >>> SearchChoice.read([("method", "mondrian"), ("suppress", "0.1"), ("ask", "both")]).stated()
        {'method': 'mondrian'}
        """
        texts = {name: text.strip() for name, text in fields if name in cls.model_fields and text.strip()}
        method = texts.get("method", "lattice")
        kept = {name: text for name, text in texts.items() if name in ("method", "ask", *OPTIONS_OF.get(method, ()))}
        usual = {"utility": DEFAULT_UTILITY, "suppress": "0", "suppressed": "as *", "ask": "both"}
        for name, text in kept.items():
            allowed = CHOICES.get(name, ())
            if allowed and text not in allowed:
                problem = f"{parameter(name, text[:40])} is none of {', '.join(allowed)}{did_you_mean(text, allowed)}"
                raise BadPolicy(problem)
            if len(text) > 40:
                message = f"{parameter(name)} is longer than {40} characters; give a number"
                raise BadPolicy(message)
        choice = cls(**{name: text for name, text in kept.items() if text != usual.get(name)})
        choice.to_method()
        return choice

    def stated(self) -> dict[str, str]:
        """Return what is not as usual, as an address says it."""
        return {name: text for name, text in self.model_dump().items() if text}

    def to_method(self) -> Method:
        """Make the method with its options."""
        if self.method == FullDomain.name:
            try:
                share = float(self.suppress or 0)
            except ValueError:
                named = parameter("suppress", self.suppress)
                message = f"{named} is not a share of the people; give a number from 0 to 1, such as 0.04"
                raise BadPolicy(message) from None
            nodes = self.nodes or str(FullDomain().nodes)
            if not nodes.isascii() or not nodes.isdigit() or not 1 <= int(nodes) <= 10**9:
                message = f"{parameter('nodes', nodes)} is no number of generalisations; give one of at least 1"
                raise BadPolicy(message)
            return FullDomain(share, cast("Suppressed", self.suppressed or "as *"), int(nodes))
        if self.method == Microaggregation.name and self.average:
            return Microaggregation(labels=cast("LabelAverage", self.average))
        return method_of(self.method, resists=self.resists or None)

    @property
    def utility_name(self) -> UtilityName:
        """What the best of the minimal ones is best at."""
        return cast("UtilityName", self.utility or DEFAULT_UTILITY)

    def in_words(self) -> str:
        """Say it in a few words.

        >>> SearchChoice(suppress="0.02").in_words()
        'lattice, suppress 0.02'
        """
        options = {name: text for name, text in self.stated().items() if name not in ("method", "ask")}
        return ", ".join([self.method, *(f"{name} {text}" for name, text in options.items())])


CHOICES: Mapping[str, tuple[str, ...]] = {
    "method": tuple(METHODS),
    "utility": tuple(UTILITIES),
    "suppressed": get_args(Suppressed),
    "resists": tuple(sorted({name for each in METHODS.values() for name in each.withstands})),
    "average": get_args(LabelAverage),
    "ask": ASK_CHOICES,
}
"""What an option may be, where it is one of a few words."""


class SearchFields(SearchChoice, StateFields):
    """The fields of the address of a search."""

    take: str = Field(default="", description="the key of a candidate; the best if empty", max_length=2000)

    def choice(self) -> SearchChoice:
        """Read how to search."""
        return SearchChoice.read([(name, str(text)) for name, text in self.model_dump().items() if text])


@dataclass(frozen=True, eq=False, slots=True)
class FoundCandidate:
    """A release that could be published; `key` tells it from the others in an address, `choice` how it was found."""

    key: str
    name: str
    result: SearchResult
    choice: SearchChoice

    @classmethod
    def from_result(cls, result: SearchResult, choice: SearchChoice) -> FoundCandidate:
        """Name what was found by its levels, or else by how it was searched for."""
        name = ", ".join(f"{column} {level}" for column, level in result.levels.items())
        words = choice.in_words()
        return cls(levels_text(result.levels) or words, name or words, result, choice)


@dataclass(frozen=True, eq=False, slots=True)
class FoundRelease:
    """What a search ends with: its candidates, the best first, and what the limits say of the table as it is."""

    candidates: tuple[FoundCandidate, ...]
    before: tuple[AuditFinding, ...]
    groups_before: int


def policy_of(workspace: Workspace, state: State) -> Policy:
    """Take the limits of the address; measures without a limit bound nothing."""
    readers = (read_typed(text, workspace.source.populations) for text in state.limits)
    criteria = [each for each in readers if isinstance(each, Criterion)]
    if not criteria:
        message = "no limit is set, so that everything would be within policy; set one under Readers"
        raise BadPolicy(message)
    return Policy(*criteria)


def question_of(state: State, choice: SearchChoice) -> Hashable:
    """Tell searches apart."""
    return ("search", state.quasi, state.sensitive, state.missing, state.limits, choice)


def gather_search(workspace: Workspace, state: State, choice: SearchChoice) -> Work:
    """Read the table and its hierarchies, or take them where they are kept."""
    with suppress(NotAvailable):
        altair()  # slow to import: here somebody is told to wait
    return partial(search, workspace.table(state), workspace.hierarchies(state), policy_of(workspace, state), choice)


def search(
    table: Table, by: Mapping[str, Hierarchy], policy: Policy, choice: SearchChoice, progress: Progress
) -> FoundRelease:
    """Search, and judge what could be published instead."""
    method = choice.to_method()
    problem = SearchProblem.build(table, policy, by, [method])
    best = problem.result(method, problem.search(method, choice.utility_name, progress), progress)
    raw = group(table, by=[column.name for column in table.quasi])
    before = audit_report(raw, verdict=problem.policy.judge(raw)).answer.findings
    return FoundRelease(tuple(_candidates(problem, best, choice, progress)), before, len(raw))


def _candidates(
    problem: SearchProblem, best: SearchResult, choice: SearchChoice, progress: Progress
) -> Iterator[FoundCandidate]:
    yield FoundCandidate.from_result(best, choice)
    others = [each for each in best.choices[:MOST_CANDIDATES] if each.levels != best.levels]
    for number, each in enumerate(others):
        progress("judging candidates", number, len(others))
        method = best.method.with_options(levels=dict(each.levels))
        result = problem.result(method, problem.search(method, choice.utility_name, progress), progress)
        yield FoundCandidate.from_result(result, choice)


def find_elsewhere(workspace: Workspace, state: State, choice: SearchChoice) -> Iterator[FoundCandidate]:
    """Yield what other searches within the same limits have found, the latest first."""
    for job in workspace.jobs.list_ended():
        match job.question:
            case (*_, SearchChoice() as other) if job.question == question_of(state, other) and other != choice:
                best = cast("FoundRelease", job.answer).candidates[0]
                words = other.in_words()
                yield replace(best, key=f"{words}: {best.key}", name=f"{words}: {best.name}")


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


def ask(result: SearchResult, which: Ask, progress: Progress) -> tuple[AttackerAnswer, ...]:
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

    @property
    def address(self) -> str:
        """Where it stands."""
        return self.state.address(PATH, self.also())

    def also(self, **more: object) -> dict[str, object]:
        """Return what this view alone needs of an address."""
        return {**self.choice.stated(), **({"take": self.take} if self.take else {}), **more}

    @property
    def job(self) -> Job | None:
        """The search, if it was begun."""
        return self.workspace.jobs.of(question_of(self.state, self.choice))

    @property
    def found(self) -> FoundRelease | None:
        """What the search has found."""
        job = self.job
        return job.answer if job is not None and job.stage == "done" else None

    @property
    def candidates(self) -> tuple[FoundCandidate, ...]:
        """All that could be published: of this search, then of others within the same limits."""
        searched = self.found
        if searched is None:
            return ()
        return (*searched.candidates, *find_elsewhere(self.workspace, self.state, self.choice))

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
                lambda: partial(ask, taken.result, self.choice.ask or "both"),
                title="Asking two readers whom the limits do not name",
                address=self.address,
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
            policy_of(self.workspace, self.state)
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
            address=self.state.address(PATH, self.choice.stated()),
            wording=search_words,
        )


def looked_at(workspace: Workspace, fields: Sequence[tuple[str, str]]) -> Looked:
    """Read what an address, or a form, asks for."""
    take = next((text for name, text in fields if name == "take"), "")[:LONGEST_TEXT]
    return Looked(workspace, read_state(fields), SearchChoice.read(fields), take)


NAMES_A_SEARCH = {"method", "take"}
"""The fields of an address that is about what one search found, whoever signs it: about nothing else instead."""


def latest_found(workspace: Workspace, fields: Sequence[tuple[str, str]]) -> Looked | None:
    """Return the search that an address names, or else the latest within its limits, where it has found something."""
    named = looked_at(workspace, fields)
    if any(name in NAMES_A_SEARCH for name, _ in fields):
        if named.taken is None:
            message = (
                "this address is about what a search found, and nothing was found by it here: search again under "
                "Release, or wait for it (the page forgets what it found when it is closed)"
            )
            raise BadPolicy(message)
        return named
    for job in workspace.jobs.list_ended():
        match job.question:
            case (*_, SearchChoice() as choice) if job.question == question_of(named.state, choice):
                other = Looked(workspace, named.state, choice)
                if other.taken is not None:
                    return other
    return None


# The command and the Python.


def search_sample(looked: Looked) -> Recipe | None:
    """Write what searches and publishes the same."""
    workspace, state = looked.workspace, looked.state
    try:
        recipe, policy = workspace.recipe(state), policy_of(workspace, state)
    except SidelightError:
        return None
    if workspace.source.read_table is None:  # published already
        return None
    words = [*recipe.words("protect"), *write_limit_options(policy.criteria)]
    # how what is looked at was found, which another search may have; or how it would be searched for
    taken, searched = looked.taken, looked.found
    choice = looked.choice if taken is None else taken.choice
    # those that were taken instead of the best ones of this search
    instead = bool(looked.take) and searched is not None and taken in searched.candidates[1:]
    levels = {name: int(level) for name, level in taken.result.levels.items()} if taken and instead else {}
    options = [word for name, text in choice.stated().items() for word in (f"--{name}", text)]
    options += ["--levels", levels_text(levels)] if levels else []
    words += ["--hierarchies", recipe.folder, *options, "--output", "release.parquet"]
    commands = [*recipe.preparations(coarser=True), shell(words)]
    # numbers are written as they were typed
    settings: dict[str, object] = {
        name: Name(text) if name in ("suppress", "nodes") else text
        for name, text in choice.stated().items()
        if name != "method"
    }
    found = f"found = {write_protect(choice.method, {**settings, 'levels': levels})}"
    python = write_python(*recipe.inputs(), *write_limits(policy.criteria), found, 'found.publish("release.parquet")')
    return Recipe("\n".join(commands), python)
