"""`sidelight noise`: publish differentially private counts, paid from a budget."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.text import Text

from sidelight.answers.sources import Question, read_levels, require_columns
from sidelight.cli.noise_options import LedgerOptions, NoiseOptions, NoisyOutputOptions
from sidelight.cli.run import Output, Status, remember_written, say
from sidelight.documents.document import Envelope
from sidelight.engines.read_events import events_at_level, events_from
from sidelight.errors import BadNoise, BadPolicy, BudgetExceeded, listed
from sidelight.files import noise_path
from sidelight.interrupts import heed_interrupts
from sidelight.noise.account import Account
from sidelight.noise.ledger import NO_LEDGER, Ledger
from sidelight.noise.noisy_counts import NoisyCounts, noisy_counts
from sidelight.noise.stable_counts import StableCounts, stable_counts
from sidelight.publish.noise import refuse_noise_targets
from sidelight.table.events import Events
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.labels import Label
from sidelight.table.roles import Roles

SCHEMA_VERSION = 3
"""Raised whenever a reader of the document would have to change."""


@dataclass(frozen=True, slots=True)
class NoiseRequest:
    """Which table, which counts of it are published with how much noise, and what they are paid from."""

    file: str
    question: Question
    counts: NoiseOptions
    hierarchies: Path | None
    paid: LedgerOptions

    @property
    def folder(self) -> Path:
        """Where the hierarchies are, without which nobody knows which labels there could be."""
        if self.hierarchies is None:
            message = "which labels could there be? give a folder of hierarchies with --hierarchies"
            raise BadNoise(message)
        return self.hierarchies

    @property
    def ledger(self) -> Ledger | None:
        """What it is paid from."""
        return None if self.paid.ledger is None else Ledger(self.paid.ledger)


def noise(request: NoiseRequest, target: NoisyOutputOptions) -> Status:
    """Read, spend, draw noise, write, print."""
    question = request.question
    path = target.output
    ledger = request.ledger
    refuse_noise_targets(path, force=target.force, inputs=() if ledger is None else ledger.files)
    if ledger is not None:
        ledger.read()  # refused before the table is read
    levels = _levels(request.counts.levels)
    folder = None if request.counts.undeclared else request.folder
    by = {} if folder is None else read_hierarchies(folder)
    domain = None if folder is None else _domain(question.roles, by)
    roles = replace(question.roles, quasi=tuple(levels), domain=None)
    table = open_events(request.file, roles, by)
    inputs = (*table.intake.files, *question.files, *(() if folder is None else hierarchy_files(folder)))
    refuse_noise_targets(path, force=target.force, inputs=inputs)
    output = Output(target.json, None, target.force, (), target.html, target.markdown)
    output.refuse((*inputs, *(() if ledger is None else ledger.files)), beside=(path, noise_path(path)))
    heed_interrupts()  # from here on, budget is spent
    try:
        noisy = _draw_stable(table, levels, request) if domain is None else _draw(table, by, levels, domain, request)
    except BudgetExceeded as refused:
        say(str(refused))
        return Status.NOT_WITHIN_POLICY
    published = noisy.publish(path, force=target.force)
    remember_written(published.path, published.beside)
    account = None if ledger is None else ledger.read()
    notes = _notes(noisy, account)
    document = Envelope(
        kind="noise",
        schema_version=SCHEMA_VERSION,
        source=request.file,
        answer=published.document,  # as it stands beside the counts
        notes=notes,
    )
    lines = list(summary(noisy, (published.path, published.beside), account, notes))
    output.keep(document, map(Text, lines))
    sys.stdout.write(document.to_json() if target.json else "\n".join(lines) + "\n")
    for each in table.intake.notes():  # these are exact: apart from what may go on to others
        say(f"for you, not for publishing: {each}")
    return Status.WITHIN_POLICY


def _draw(
    table: Events,
    by: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    domain: tuple[Label, ...],
    request: NoiseRequest,
) -> NoisyCounts:
    counts = request.counts
    return noisy_counts(
        table,
        by=by,
        levels=levels,
        domain=domain,
        epsilon=counts.epsilon,
        delta=counts.delta,
        rho=counts.rho,
        neighbours=counts.neighbours,
        outside=counts.outside,
        values_per_person=counts.values_per_person,
        rows_per_person=counts.rows_per_person,
        people_at_most=counts.people_at_most,
        queries=counts.queries or None,
        ledger=request.ledger or NO_LEDGER,  # without one, a note says so
        cells=counts.cells,
    )


def _draw_stable(table: Events, levels: Mapping[str, int], request: NoiseRequest) -> StableCounts:
    """Draw noise for the cells that occur; what is about cells that were declared does not go with it."""
    counts = request.counts
    coarse = [name for name, level in levels.items() if level]
    if coarse:
        message = f"--undeclared counts columns as they stand in the table; say --levels {coarse[0]}=0"
        raise BadNoise(message)
    for option, meant in (("--rho", counts.rho), ("--query", counts.queries), ("--outside", counts.outside != "other")):
        if meant:
            message = f"{option} is about cells that were declared; leave it out, or --undeclared"
            raise BadNoise(message)
    if counts.epsilon is None:
        message = "how much may the counts depend on one person? give --epsilon"
        raise BadNoise(message)
    return stable_counts(
        table,
        columns=[*levels],
        epsilon=counts.epsilon,
        delta=counts.delta,
        neighbours=counts.neighbours,
        values_per_person=counts.values_per_person,
        rows_per_person=counts.rows_per_person,
        people_at_most=counts.people_at_most,
        ledger=request.ledger or NO_LEDGER,  # without one, a note says so
    )


def _levels(texts: Sequence[str]) -> dict[str, int]:
    levels = read_levels(texts)
    if not levels:
        message = "which columns are published, and at which level? say --levels age=2 for each, fixed in advance"
        raise BadNoise(message)
    return levels


def _domain(roles: Roles, by: Mapping[str, Hierarchy]) -> tuple[Label, ...]:
    """Take the values that were declared: one by one, or by a hierarchy of the sensitive column."""
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
    """Say how coarsely the sensitive values are counted."""
    level = roles.sensitive_level
    return int(level.get(sensitive, 0) if isinstance(level, Mapping) else level or 0)


def open_events(file: str, roles: Roles, by: Mapping[str, Hierarchy]) -> Events:
    """Read the rows to be counted, their sensitive values as coarse as roles say: whatever they are, and if any."""
    require_columns(file, roles)
    events = events_from(file, roles)
    level = _level_of(roles, events.sensitive)
    if not level:
        return events
    if events.sensitive not in by:
        message = f"no hierarchy for '{events.sensitive}', whose level was said; add it to the folder of --hierarchies"
        raise BadNoise(message)
    return events_at_level(events, by[events.sensitive], level)


def _notes(noisy: NoisyCounts | StableCounts, account: Account | None) -> tuple[str, ...]:
    notes = []
    if not noisy.unit.checked:
        notes.append("name the column of people with --person to have it checked that each row is a person")
    if noisy.spending.delta and noisy.people_at_most is None:
        notes.append("how many people there are at most is not declared; with --people-at-most it is told in beliefs")
    if account is None:
        notes.append("no ledger: nobody knows what else was published about these people, and promises add up")
    return tuple(notes)


# What is printed.


def summary(
    noisy: NoisyCounts | StableCounts, files: Sequence[Path], account: Account | None, notes: Sequence[str]
) -> list[str]:
    """Tell the publisher what was published, line by line."""
    spending, mechanism, unit = noisy.spending, noisy.mechanism, noisy.unit
    target = "the truth" if unit.once else "what was counted"
    which = "estimates of a cell" if isinstance(noisy, NoisyCounts) and noisy.marginals else "measured counts"
    reach = f"95 of 100 {which} are within {math.ceil(noisy.margin(0.95))} of {target}"
    if isinstance(noisy, StableCounts):
        reach += ", before small ones are left out"
    lines = [
        f"✓ Published {noisy.measured.size:,} counts of {noisy.sensitive} with noise: {spending.cost()}.",
        f"What is hidden: {unit.hidden(spending.neighbours)}.",
        f"Noise: {mechanism.kind}, scale {mechanism.scale:.6g}; {reach}.",
        *(_queries(noisy) if isinstance(noisy, NoisyCounts) else ()),
        f"Promised {unit.sentence()}: {noisy.promise_in_words()}",
        *_as_a_test(noisy),
        *(() if account is None else (_balance(account, noisy),)),
    ]
    lines += [f" • {note}" for note in (*notes, *noisy.warnings())]
    return [*lines, f"Written: {', '.join(map(str, files))}"]


def _as_a_test(noisy: NoisyCounts | StableCounts) -> Iterator[str]:
    if noisy.people_at_most is not None or not noisy.spending.delta:
        yield noisy.promise().error_rates().sentence()


def _queries(noisy: NoisyCounts) -> list[str]:
    """Say what was measured beside the cells, and that post-processed counts are not for adding up."""
    reach = (f"{name} within {math.ceil(margin)}" for name, margin in noisy.margins_of_queries(0.95).items())
    measured = [f"Counted too, 95 times of 100: {'; '.join(reach)}."] if noisy.marginals else []
    advice = noisy.how_to_add_up()
    return [*measured, f"{advice[0].upper()}{advice[1:]}."]


def _balance(account: Account, noisy: NoisyCounts | StableCounts) -> str:
    of = account.balance()
    people = noisy.people_at_most
    if people is None and account.spent[1]:
        return f"Budget: {of} spent."
    together = account.promise(people).as_declared()
    return f"Budget: {of} spent. All {len(account.entries)} of the ledger together: {together}"
