"""Which noisy counts are published, what do they cost, and what do they promise?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sidelight.answers.recipe import Name, write_call, write_python, write_table
from sidelight.answers.request import Request
from sidelight.answers.sources import Question, inputs_of, open_table, read_levels, require_columns
from sidelight.documents.document import DocumentPart
from sidelight.engines.read_events import events_at_level, events_from
from sidelight.errors import BadNoise, BadPolicy, listed
from sidelight.noise.accountant import Account
from sidelight.noise.attack import NoisyExposure, attack_noise
from sidelight.noise.ledger import NO_LEDGER, Ledger
from sidelight.noise.noisy_counts import NoisyCounts, noisy_counts
from sidelight.noise.semantic_privacy import add_condition, two_digits
from sidelight.noise.stable_counts import StableCounts, stable_counts
from sidelight.publish.noise import NoiseDocument, PublishedNoise, read_noise, refuse_noise_targets
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Blocks, Code, Paragraph, Points
from sidelight.rounding import ROUNDED, decimal_text
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.roles import EACH_ROW, Roles
from sidelight.text import capitalize, counted

if TYPE_CHECKING:
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.labels import Label
    from sidelight.table.table import Events


@dataclass(frozen=True, slots=True)
class NoiseRequest(Request):
    """Which table, which counts of it are published with how much noise, and what they are paid from."""

    file: str
    target: Path
    question: Question
    hierarchies: Path | None
    ledger: Path | None
    force: bool
    levels: tuple[str, ...]
    outside: Literal["other", "leave out", "an error"]
    undeclared: bool
    values_per_person: int | None
    rows_per_person: int | None
    people_at_most: int | None
    queries: tuple[str, ...]
    cells: int
    epsilon: str | None
    delta: str
    rho: str | None
    neighbours: Literal["add or remove", "replace"]

    def files(self) -> tuple[Path, ...]:
        folder = None if self.undeclared else self.hierarchies
        ledger = () if self.ledger is None else Ledger(self.ledger).files
        return (*self.question.files, *(() if folder is None else hierarchy_files(folder)), *ledger)

    def python(self) -> str:
        defaults = {"delta": "0", "neighbours": "add or remove", "outside": "other", "cells": 1_000_000}
        said = self.shared_settings | {"ledger": str(self.ledger or NO_LEDGER)}
        if not self.undeclared:
            said |= {"rho": self.rho, "queries": list(self.queries), "outside": self.outside, "cells": self.cells}
        settings = {name: each for name, each in said.items() if each != defaults.get(name)}
        levels = read_levels(self.levels)
        roles = replace(self.question.roles, quasi=tuple(levels), domain=None, sensitive_level=None)
        table = f"table = {write_call('sl.read_events', self.file, **{'person': EACH_ROW} | roles.stated())}"
        reads: list[str] = []
        if self.undeclared:
            call = write_call("sl.stable_counts", Name("table"), columns=[*levels], **settings)
        else:
            by = read_hierarchies(self.folder)
            domain = _find_domain(self.question.roles, by)
            settings |= {"levels": levels, "domain": [*domain]}
            reads = [f"hierarchies = {write_call('sl.read_hierarchies', str(self.folder))}"]
            call = write_call("sl.noisy_counts", Name("table"), by=Name("hierarchies"), **settings)
        publish = write_call("counts.publish", str(self.target))
        return write_python(table, *reads, f"counts = {call}  # draws anew, and costs again", publish)

    @property
    def folder(self) -> Path:
        """The hierarchies, without which nobody knows which labels there could be."""
        if self.hierarchies is None:
            message = "which labels could there be? give a folder of hierarchies with --hierarchies"
            raise BadNoise(message)
        return self.hierarchies

    @property
    def shared_settings(self) -> dict[str, Any]:
        """What is said of counts, whether their cells are declared or not."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "neighbours": self.neighbours,
            "values_per_person": self.values_per_person,
            "rows_per_person": self.rows_per_person,
            "people_at_most": self.people_at_most,
            "ledger": NO_LEDGER if self.ledger is None else Ledger(self.ledger),  # without one, a note says so
        }


class NoiseAnswer(Answer[NoiseDocument]):
    """What was published, for the publisher; the document is the one that stands beside the counts."""

    question: ClassVar[str] = "Which noisy counts were published, and what do they promise?"

    noisy: Live[NoisyCounts | StableCounts]
    account: Live[Account | None]
    written: Live[tuple[Path, ...]]
    exact_notes: Live[tuple[str, ...]]  # of how the table was read: not for publishing

    def blocks(self) -> Blocks:
        noisy = self.noisy
        spending, mechanism, unit = noisy.spending, noisy.mechanism, noisy.unit
        which = "estimates of a cell" if isinstance(noisy, NoisyCounts) and noisy.marginals else "measured counts"
        target = "the truth" if unit.once else "what was counted"
        reach = f"95 of 100 {which} are within {math.ceil(noisy.margin(0.95))} of {target}"
        if isinstance(noisy, StableCounts):
            reach += ", before small ones are left out"
        published = f"✓ Published {noisy.measured.size:,} counts of {noisy.sensitive} with noise: {spending.cost()}."
        yield Paragraph(published, "answer")
        yield Paragraph(f"What is hidden: {unit.hidden(spending.neighbours)}.")
        yield Paragraph(f"Noise: {mechanism.kind}, scale {mechanism.scale:.6g}; {reach}.")
        if isinstance(noisy, NoisyCounts):
            # what was measured beside the cells, and that post-processed counts are not for adding up
            margins = noisy.margins_of_queries(0.95).items()
            measured = "; ".join(f"{name} within {math.ceil(margin)}" for name, margin in margins)
            if noisy.marginals:
                yield Paragraph(f"Counted too, 95 times of 100: {measured}.")
            yield Paragraph(f"{capitalize(noisy.how_to_add_up())}.")
        yield Paragraph(f"Promised {unit.sentence()}: {noisy.promise_in_words()}")
        if noisy.people_at_most is not None or not spending.delta:
            yield Paragraph(noisy.promise().error_rates().sentence())
        if self.account is not None:
            spent, people = f"Budget: {self.account.balance()} spent.", noisy.people_at_most
            if people is not None or not self.account.spent[1]:
                together = self.account.promise(people).as_declared()
                spent = f"{spent} All {len(self.account.entries)} of the ledger together: {together}"
            yield Paragraph(spent)
        notes = (*self.notes, *noisy.warnings())
        if notes:
            yield Points(notes)
        yield Code(f"Written: {', '.join(map(str, self.written))}")


def ask(
    request: NoiseRequest,
    *,
    before_spending: Callable[[tuple[Path, ...]], object],
    after_publishing: Callable[[PublishedNoise], object],
) -> NoiseAnswer:
    """Read the table, spend, draw noise, and publish the counts; raise `BudgetExceeded` if they cost too much.

    `before_spending` is called with all files that were read, before budget is spent; `after_publishing` as soon as the
    counts stand where they were to be put.
    """
    ledger = None if request.ledger is None else Ledger(request.ledger)
    paid = () if ledger is None else ledger.files
    refuse_noise_targets(request.target, force=request.force, inputs=paid)
    if ledger is not None:
        ledger.read()  # refused before the table is read
    levels = read_levels(request.levels)
    if not levels:
        message = "which columns are published, and at which level? say --levels age=2 for each, fixed in advance"
        raise BadNoise(message)
    by = {} if request.undeclared else read_hierarchies(request.folder)
    domain = None if request.undeclared else _find_domain(request.question.roles, by)
    roles = replace(request.question.roles, quasi=tuple(levels), domain=None)
    require_columns(request.file, roles)
    table = events_from(request.file, roles)
    level = _sensitive_level(roles, table.sensitive)
    if level and table.sensitive not in by:
        message = f"no hierarchy for '{table.sensitive}', whose level was said; add it to the folder of --hierarchies"
        raise BadNoise(message)
    if level:
        table = events_at_level(table, by[table.sensitive], level)
    inputs = (*table.intake.files, *request.files())
    refuse_noise_targets(request.target, force=request.force, inputs=[each for each in inputs if each not in paid])
    before_spending(inputs)
    noisy: NoisyCounts | StableCounts
    if domain is None:
        noisy = _draw_stable(table, levels, request)
    else:
        noisy = noisy_counts(
            table,
            by=by,
            levels=levels,
            domain=domain,
            rho=request.rho,
            outside=request.outside,
            queries=request.queries or None,
            cells=request.cells,
            **request.shared_settings,
        )
    published = noisy.publish(request.target, force=request.force)
    after_publishing(published)
    return NoiseAnswer(
        kind="noise",
        schema_version=3,
        source=request.file,
        answer=published.document,
        notes=tuple(_notes(noisy, has_ledger=ledger is not None)),
        noisy=noisy,
        account=None if ledger is None else ledger.read(),
        written=(published.path, published.beside),
        exact_notes=tuple(table.intake.notes()),
    )


def _draw_stable(table: Events, levels: Mapping[str, int], request: NoiseRequest) -> StableCounts:
    """Draw noise for the cells that occur; what is about cells that were declared does not go with it."""
    coarse = [name for name, level in levels.items() if level]
    if coarse:
        message = f"--undeclared counts columns as they stand in the table; say --levels {coarse[0]}=0"
        raise BadNoise(message)
    of_declared = {"--rho": request.rho, "--query": request.queries, "--outside": request.outside != "other"}
    for option in (name for name, meant in of_declared.items() if meant):
        message = f"{option} is about cells that were declared; leave it out, or --undeclared"
        raise BadNoise(message)
    if request.epsilon is None:
        message = "how much may the counts depend on one person? give --epsilon"
        raise BadNoise(message)
    return stable_counts(table, columns=[*levels], **request.shared_settings)


def _find_domain(roles: Roles, by: Mapping[str, Hierarchy]) -> tuple[Label, ...]:
    """Return the sensitive values that were declared: one by one, or by a hierarchy of the sensitive column."""
    if roles.sensitive is None:
        message = "which column is sensitive? name it with --sensitive, or in [roles] of the policy"
        raise BadPolicy(message)
    if len(roles.value_columns) > 1:
        message = f"noise is about one sensitive column; pick one of {listed(roles.value_columns)} with --sensitive"
        raise BadPolicy(message)
    (sensitive,) = roles.value_columns
    declared = roles.domain_of(sensitive)
    if declared is None and sensitive in by:
        declared = by[sensitive].labels(_sensitive_level(roles, sensitive))
        # empty text stands for a missing value, which is one where nobody said otherwise
        declared = tuple(text or None for text in declared if text or roles.missing in (None, "a value"))
    if declared is None:
        message = (
            "the domain is not declared; list every sensitive value there could be, whether it occurs or not, with "
            "--domain, --domain-file, a hierarchy of that column, or in [roles] of the policy"
        )
        raise BadNoise(message)
    return (*declared, None) if roles.missing == "a value" else declared


def _sensitive_level(roles: Roles, sensitive: str) -> int:
    level = roles.sensitive_level
    return int(level.get(sensitive, 0) if isinstance(level, Mapping) else level or 0)


def _notes(noisy: NoisyCounts | StableCounts, *, has_ledger: bool) -> Iterator[str]:
    if not noisy.unit.checked:
        yield "name the column of people with --person to have it checked that each row is a person"
    if noisy.spending.delta and noisy.people_at_most is None:
        yield "how many people there are at most is not declared; with --people-at-most it is told in beliefs"
    if not has_ledger:
        yield "no ledger: nobody knows what else was published about these people, and promises add up"


# How many people there are


@dataclass(frozen=True, slots=True)
class CountRequest(Request):
    """Which noisy counts, and what is added up of them."""

    file: Path
    values: tuple[str, ...]
    where: tuple[str, ...]
    confidence: float

    @property
    def labels(self) -> dict[str, list[str]]:
        labels: dict[str, list[str]] = {}
        for text in self.where:
            column, sign, label = text.partition("=")
            if not sign:
                message = f"cannot read --where '{text}'; write a column and its label, such as --where sex=Female"
                raise BadNoise(message)
            labels.setdefault(column.strip(), []).append(label.strip())
        return labels

    def files(self) -> tuple[Path, ...]:
        return tuple(inputs_of(str(self.file)))

    def python(self) -> str:
        add_up = write_call("counts.count", *self.values, **self.labels)
        return write_python(f"counts = {write_call('sl.read_noise', str(self.file))}", f"print({add_up})")


class CountFacts(DocumentPart):
    """A count with its margin; `of` says what was counted."""

    values: tuple[str, ...]
    where: dict[str, list[str]]
    of: str
    count: int | float
    sd: float
    confidence: float
    margin: int | float


class CountAnswer(Answer[CountFacts]):
    """How many people there are."""

    question: ClassVar[str] = "How many people are there, and how far off is that at most?"

    def blocks(self) -> Blocks:
        facts = self.answer
        reach = f"within {math.ceil(facts.margin):,} of what was counted with a confidence of {facts.confidence:g}"
        yield Paragraph(f"{facts.count:,.0f} {facts.of}, and {reach}.")


def ask_count(request: CountRequest) -> CountAnswer:
    """Read noisy counts and add some of them up."""
    added = read_noise(request.file).count(*request.values, **request.labels)
    return CountAnswer(
        kind="count",
        schema_version=1,
        source=str(request.file),
        answer=CountFacts(
            values=request.values,
            where=request.labels,
            of=added.of,
            count=added.count,
            sd=added.sd,
            confidence=request.confidence,
            margin=added.margin(request.confidence),
        ),
        notes=("it is about what was counted, and the noise is all that the margin knows of",),
    )


# How far they move beliefs


@dataclass(frozen=True, slots=True)
class NoiseAttackRequest(Request):
    """Which noisy counts, about whom, and what the attacker knows: nothing else, or `others`, everybody else's rows."""

    releases: tuple[str, ...]
    people: str
    hierarchies: Path | None
    truth: str | None
    others: tuple[str, ...]
    prior: Literal["pooled", "uniform"]
    chance: str | None
    reading: Roles

    @property
    def folder(self) -> Path:
        """The hierarchies, which say which labels are under which."""
        if self.hierarchies is None:
            message = "which labels are under which? give the folder of hierarchies with --hierarchies"
            raise BadNoise(message)
        return self.hierarchies

    def files(self) -> tuple[Path, ...]:
        return (*inputs_of(*self.releases, self.people, *self.others), *hierarchy_files(self.folder))

    def roles(self) -> Roles:
        """Return which column is what in the files of people: those that were counted by, and the true values."""
        releases = [read_noise(file) for file in self.releases]
        columns = dict.fromkeys(name for release in releases for name in release.levels)
        truth = self.truth or releases[0].sensitive
        # Missing values are what they were when they were counted, unless somebody says otherwise.
        own = Roles(quasi=tuple(columns), sensitive=truth, person=EACH_ROW, missing=releases[0].missing)
        return own.update(self.reading)

    def python(self) -> str:
        roles = self.roles()
        reads = [write_call("sl.read_noise", file) for file in self.releases]
        tables = ", ".join(write_table(file, roles) for file in self.others)
        call = write_call(
            "sl.attack_noise",
            Name(f"[{', '.join(reads)}]"),
            people=Name(write_table(self.people, roles)),
            by=Name(write_call("sl.read_hierarchies", str(self.folder))),
            tables=Name(f"[{tables}]") if tables else None,
            prior=self.prior,
            chance=self.chance,
        )
        return write_python(f"print({call})")


class NoiseAttackFacts(DocumentPart):
    """What is believed of people before and after, and how far a belief moves; `promise` only where there is one."""

    people: int
    knows: Literal["nothing else", "everybody else"]
    belief_before: float
    belief: float
    guessed: dict[str, Any]
    largest_shift: float
    promise: dict[str, Any] | None


class NoiseAttackAnswer(Answer[NoiseAttackFacts]):
    """How far noisy counts move beliefs, in the sentences of its notes."""

    question: ClassVar[str] = "How far do noisy counts move what somebody believes?"

    names: Live[tuple[str, ...]]

    def blocks(self) -> Blocks:
        first, *rest = self.notes
        yield Paragraph(", ".join(self.names))
        yield Paragraph(first, "answer")
        yield from map(Paragraph, rest)
        yield Paragraph(ROUNDED)


def ask_attack(request: NoiseAttackRequest) -> NoiseAttackAnswer:
    """Read noisy counts and people, and weigh what the counts say of them."""
    by, roles = read_hierarchies(request.folder), request.roles()
    seen = attack_noise(
        [read_noise(file) for file in request.releases],
        people=open_table(request.people, roles),
        by=by,
        tables=[open_table(file, roles) for file in request.others] or None,
        prior=request.prior,
        chance=request.chance,
    )
    promise = seen.promise
    return NoiseAttackAnswer(
        kind="attack-noise",
        schema_version=1,
        source=request.releases,
        answer=NoiseAttackFacts(
            people=int(seen.sizes.sum()),
            knows="nothing else" if promise is None else "everybody else",
            belief_before=seen.prior_belief,
            belief=seen.belief,
            guessed={"exact": str(seen.guessed), "value": float(seen.guessed)},
            largest_shift=seen.largest_shift,
            promise=None
            if promise is None
            else {
                "shift": promise.shift,
                "chance": promise.chance,
                "condition": promise.condition or None,
                "warnings": list(promise.warnings),
            },
        ),
        notes=tuple(_attack_sentences(seen)),
        names=tuple(Path(file).name for file in request.releases),
    )


def _attack_sentences(seen: NoisyExposure) -> Iterator[str]:
    people, promise = counted(int(seen.sizes.sum()), "person"), seen.promise
    knows = "nothing else" if promise is None else "everybody else"
    before, after, shift = (
        decimal_text(Fraction(each), up=True) for each in (seen.prior_belief, seen.belief, seen.largest_shift)
    )
    yield f"Somebody who knows {knows} believes the true value of {people} with {before} before, and {after} after."
    yield f"The value that is believed most is the true one for {float(seen.guessed):.1%} of them."
    moved = f"A belief about one of them moves by {shift} at most"
    if promise is None:
        yield f"{moved}: that is what the counts are published for, and no noise bounds it."
        return
    holds = f", except with a chance of {two_digits(promise.chance)} over the noise" if promise.chance else ""
    bound = decimal_text(Fraction(promise.shift), up=True)
    promised = add_condition(promise.condition, f"promised is a shift of at most {bound}{holds}")
    yield f"{moved}; {promised[:1].lower()}{promised[1:]}."
    yield from promise.warnings
