"""Which noisy counts are published, what do they cost, and what do they promise?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from sidelight.answers.recipe import Name, write_call, write_python
from sidelight.answers.sources import Question, read_levels, require_columns
from sidelight.engines.read_events import events_at_level, events_from
from sidelight.errors import BadNoise, BadPolicy, listed
from sidelight.noise.accountant import Account
from sidelight.noise.ledger import NO_LEDGER, Ledger
from sidelight.noise.noisy_counts import NoisyCounts, noisy_counts
from sidelight.noise.stable_counts import StableCounts, stable_counts
from sidelight.publish.noise import PublishedNoise, refuse_noise_targets
from sidelight.publish.noise_document import NoiseDocument
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Blocks, Code, Paragraph, Points
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.labels import Label
from sidelight.table.roles import EACH_ROW, Roles
from sidelight.table.table import Events


@dataclass(frozen=True, slots=True)
class NoiseRequest:
    """Which table, which counts of it are published with how much noise, and what they are paid from."""

    file: str
    target: Path
    question: Question
    hierarchies: Path | None = None
    ledger: Path | None = None
    force: bool = False
    levels: tuple[str, ...] = ()
    outside: Literal["other", "leave out", "an error"] = "other"
    undeclared: bool = False
    values_per_person: int | None = None
    rows_per_person: int | None = None
    people_at_most: int | None = None
    queries: tuple[str, ...] = ()
    cells: int = 1_000_000
    epsilon: str | None = None
    delta: str = "0"
    rho: str | None = None
    neighbours: Literal["add or remove", "replace"] = "add or remove"

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read besides the table: hierarchies, the policy and the ledger."""
        folder = None if self.undeclared else self.hierarchies
        ledger = () if self.ledger is None else Ledger(self.ledger).files
        return (*self.question.files, *(() if folder is None else hierarchy_files(folder)), *ledger)

    def python(self) -> str:
        """Write the lines of Python that draw as much noise anew, and cost it again."""
        settings: dict[str, Any] = {
            "epsilon": self.epsilon,
            "delta": None if self.delta == "0" else self.delta,
            "values_per_person": self.values_per_person,
            "rows_per_person": self.rows_per_person,
            "people_at_most": self.people_at_most,
            "ledger": str(self.ledger or NO_LEDGER),
        }
        levels = read_levels(self.levels)
        roles = replace(self.question.roles, quasi=tuple(levels), domain=None, sensitive_level=None)
        table = f"table = {write_call('sl.read_events', self.file, **{'person': EACH_ROW} | roles.stated())}"
        reads: list[str] = []
        if self.undeclared:
            call = write_call("sl.stable_counts", Name("table"), columns=[*levels], **settings)
        else:
            by = read_hierarchies(self.folder)
            domain = _declared_domain(self.question.roles, by)
            settings |= {"levels": levels, "domain": [*domain], "rho": self.rho, "queries": list(self.queries)}
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
        """Yield what was published, what it hides and promises, and what is left of the budget."""
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
            yield from map(Paragraph, _query_sentences(noisy))
        yield Paragraph(f"Promised {unit.sentence()}: {noisy.promise_in_words()}")
        if noisy.people_at_most is not None or not spending.delta:
            yield Paragraph(noisy.promise().error_rates().sentence())
        if self.account is not None:
            yield Paragraph(_balance(self.account, noisy.people_at_most))
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
    domain = None if request.undeclared else _declared_domain(request.question.roles, by)
    table = _read_events(request.file, replace(request.question.roles, quasi=tuple(levels), domain=None), by)
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


def _declared_domain(roles: Roles, by: Mapping[str, Hierarchy]) -> tuple[Label, ...]:
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
        declared = by[sensitive].labels(_level_of(roles, sensitive))
        # empty text stands for a missing value, which is one where nobody said otherwise
        declared = tuple(text or None for text in declared if text or roles.missing in (None, "a value"))
    if declared is None:
        message = (
            "the domain is not declared; list every sensitive value there could be, whether it occurs or not, with "
            "--domain, --domain-file, a hierarchy of that column, or in [roles] of the policy"
        )
        raise BadNoise(message)
    return (*declared, None) if roles.missing == "a value" else declared


def _level_of(roles: Roles, sensitive: str) -> int:
    """Return how coarsely the sensitive values are counted."""
    level = roles.sensitive_level
    return int(level.get(sensitive, 0) if isinstance(level, Mapping) else level or 0)


def _read_events(file: str, roles: Roles, by: Mapping[str, Hierarchy]) -> Events:
    """Read the rows to be counted, their sensitive values as coarse as roles say."""
    require_columns(file, roles)
    events = events_from(file, roles)
    level = _level_of(roles, events.sensitive)
    if not level:
        return events
    if events.sensitive not in by:
        message = f"no hierarchy for '{events.sensitive}', whose level was said; add it to the folder of --hierarchies"
        raise BadNoise(message)
    return events_at_level(events, by[events.sensitive], level)


def _notes(noisy: NoisyCounts | StableCounts, *, has_ledger: bool) -> Iterator[str]:
    if not noisy.unit.checked:
        yield "name the column of people with --person to have it checked that each row is a person"
    if noisy.spending.delta and noisy.people_at_most is None:
        yield "how many people there are at most is not declared; with --people-at-most it is told in beliefs"
    if not has_ledger:
        yield "no ledger: nobody knows what else was published about these people, and promises add up"


def _query_sentences(noisy: NoisyCounts) -> Iterator[str]:
    """Yield what was measured beside the cells, and that post-processed counts are not for adding up."""
    reach = (f"{name} within {math.ceil(margin)}" for name, margin in noisy.margins_of_queries(0.95).items())
    if noisy.marginals:
        yield f"Counted too, 95 times of 100: {'; '.join(reach)}."
    advice = noisy.how_to_add_up()
    yield f"{advice[0].upper()}{advice[1:]}."


def _balance(account: Account, people: int | None) -> str:
    spent = f"Budget: {account.balance()} spent."
    if people is None and account.spent[1]:
        return spent
    together = account.promise(people).as_declared()
    return f"{spent} All {len(account.entries)} of the ledger together: {together}"
