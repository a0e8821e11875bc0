"""`sidelight noise`: publish differentially private counts, paid from a budget."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from sidelight import __version__
from sidelight._files import (
    flush_to_disk,
    move_into_place,
    refuse_existing,
    refuse_input,
    refuse_left_over,
    unfinished_folder,
)
from sidelight.cli.inputs import Question, open_table
from sidelight.cli.interrupts import heed_interrupts
from sidelight.cli.options import LedgerOptions, NoiseOptions, NoisyOutputOptions
from sidelight.cli.run import Status, note, say
from sidelight.dp.ledger import Account, Ledger
from sidelight.dp.noisy_counts import COUNT, MEASURED, NoisyCounts, noisy_counts
from sidelight.dp.parameters import Neighbours, amount_text, exact_amount
from sidelight.dp.semantic_privacy import SemanticPrivacy, semantic_privacy
from sidelight.errors import BadNoise, BadPolicy, BudgetExceeded, NotPublished
from sidelight.publish.formats import Sheet, format_of
from sidelight.publish.sidecar import digest, noise_path
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.labels import Label
from sidelight.table.roles import Roles
from sidelight.table.table import Table


@dataclass(frozen=True, slots=True)
class NoiseRequest:
    """Which counts are published with how much noise, and what they are paid from."""

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


def noise(file: str, question: Question, request: NoiseRequest, target: NoisyOutputOptions) -> Status:
    """Read, spend, draw noise, write, print."""
    path, beside = target.output, noise_path(target.output)
    _refuse_targets(path, beside, force=target.force)
    levels = read_levels(request.counts.levels)
    domain = _domain(question.roles)
    by = read_hierarchies(request.folder)
    roles = replace(question.roles, quasi=tuple(levels), domain=None)
    table = open_table(file, roles)
    ledger = [each for each in (request.paid.ledger,) if each is not None]
    refuse_input(path, (*table.intake.files, *question.files, *ledger, *hierarchy_files(request.folder)))
    heed_interrupts()  # from here on, budget is spent
    try:
        noisy = _draw_noise(table, by, levels, domain, request)
    except BudgetExceeded as refused:
        say(str(refused))
        return Status.NOT_WITHIN_POLICY
    published = _write(noisy, path, beside)
    account = None if request.paid.ledger is None else Ledger(request.paid.ledger).read()
    notes = (*table.intake.notes(), *_notes(question.roles, account))
    if target.json:
        sys.stdout.write(as_text(published))  # byte for byte the document beside the counts
        note(*notes)
    else:
        sys.stdout.write("\n".join(summary(noisy, (path, beside), account, notes)) + "\n")
    return Status.WITHIN_POLICY


def _refuse_targets(path: Path, beside: Path, *, force: bool) -> None:
    """Refuse, before any work is done, places that cannot be written."""
    format_of(path, None)
    refuse_left_over(path, beside, force=force)
    for each in (path, beside):
        refuse_existing(each, force=force)


def _draw_noise(
    table: Table,
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
        neighbours=counts.neighbours,
        outside=counts.outside,
        ledger=_ledger(request.paid, counts.neighbours),
        cells=counts.cells,
    )


def read_levels(texts: Sequence[str]) -> dict[str, int]:
    """Read `age=2`, one per column.

    >>> read_levels(["age=2", "sex=0"])
    {'age': 2, 'sex': 0}
    """
    levels: dict[str, int] = {}
    for each in texts:
        name, sign, level = each.rpartition("=")
        if not sign or not name or not level.isdecimal():
            message = f"'{each}' is no level of a column; write the column and its level, such as --levels age=2"
            raise BadNoise(message)
        if name in levels:
            message = f"--levels says two levels for '{name}'; say one"
            raise BadNoise(message)
        levels[name] = int(level)
    if not levels:
        message = "which columns are published, and at which level? say --levels age=2 for each, fixed in advance"
        raise BadNoise(message)
    return levels


def _domain(roles: Roles) -> tuple[Label, ...]:
    if roles.sensitive is None:
        message = "which column is sensitive? name it with --sensitive, or in [roles] of the policy"
        raise BadPolicy(message)
    if roles.domain is None:
        message = (
            "the domain is not declared; list every sensitive value there could be, whether it occurs or not, with "
            "--domain or in [roles] of the policy"
        )
        raise BadNoise(message)
    return (*roles.domain, None) if roles.missing == "a value" else roles.domain


def _ledger(paid: LedgerOptions, neighbours: Neighbours) -> Ledger | None:
    if paid.ledger is None:
        if paid.budget is not None:
            message = "a budget is kept in a ledger; say where with --ledger"
            raise BadNoise(message)
        return None
    ledger = Ledger(paid.ledger)
    if paid.budget is None and not ledger.path.exists():
        message = f"no ledger '{paid.ledger}'; check the path, or begin one with --budget"
        raise BadNoise(message)
    if paid.budget is None:
        return ledger
    if not ledger.path.exists():
        return Ledger.start(
            paid.ledger,
            epsilon=paid.budget,
            delta=paid.budget_delta,
            accounting=paid.accounting,
            neighbours=neighbours,
        )
    account = ledger.read()
    begun = exact_amount(paid.budget, "budget"), exact_amount(paid.budget_delta, "budget delta"), paid.accounting
    if begun != (account.epsilon, account.delta, account.accounting):
        message = (
            f"the ledger '{paid.ledger.name}' has a budget of epsilon {amount_text(account.epsilon)} and delta "
            f"{amount_text(account.delta)} ({account.accounting}); a budget is not changed afterwards: leave --budget "
            "out"
        )
        raise BadNoise(message)
    return ledger


def _write(noisy: NoisyCounts, path: Path, beside: Path) -> dict[str, Any]:
    """Write the counts and what is said about them, both or none."""
    try:
        with unfinished_folder(path) as folder:
            file = folder / path.name
            with file.open("wb") as open_file:
                format_of(path, None).write(_sheet(noisy), open_file)
            flush_to_disk(file)
            contents = document(noisy, file)
            (folder / beside.name).write_text(as_text(contents), encoding="utf-8")
            flush_to_disk(folder / beside.name)
            move_into_place(folder, (beside, path))
    except NotPublished as problem:
        message = f"{problem}; what a ledger spent on it stays spent, as the noise was drawn"
        raise NotPublished(message) from None
    return contents


def _sheet(noisy: NoisyCounts) -> Sheet:
    groups, values = noisy.declared_domain.shape
    row = np.repeat(np.arange(groups), values)
    columns = {column.name: column.take(row) for column in noisy.columns}
    numbers = {COUNT: noisy.counts.ravel(), MEASURED: noisy.measured.ravel()}
    return Sheet({**columns, noisy.sensitive: noisy.values_column(), **numbers})


def _notes(roles: Roles, account: Account | None) -> tuple[str, ...]:
    notes = []
    if roles.person is None:
        notes.append("each row was taken for one person; name --person to have that checked")
    if account is None:
        notes.append("no ledger: nobody knows what else was published about these people, and promises add up")
    return tuple(notes)


# The document beside noisy counts, and what is printed.

SCHEMA_VERSION = 1

HIDDEN: dict[Neighbours, str] = {
    "add or remove": "whether any one person is in the table (add or remove one)",
    "replace": "which one of all possible people any one person is (replace one)",
}


def document(noisy: NoisyCounts, file: Path) -> dict[str, Any]:
    """Say what a reader of the counts should know: nothing of it was seen in the data but the noisy counts."""
    spending, mechanism, promise = noisy.spending, noisy.mechanism, promise_of(noisy)
    return {
        "kind": "noisy counts",
        "schema_version": SCHEMA_VERSION,
        "file": {"name": file.name, "sha256": digest(file), "rows": int(noisy.counts.size)},
        "sensitive": noisy.sensitive,
        "domain": list(noisy.domain),
        "levels": dict(noisy.levels),
        "levels_chosen": "in advance, as the publisher says",
        "epsilon": amount_text(spending.epsilon),
        "delta": amount_text(spending.delta),
        "neighbours": spending.neighbours,
        "mechanism": {"kind": mechanism.kind, "scale": mechanism.scale, "counts_per_person": mechanism.touched},
        "margin_95": noisy.margin(0.95),
        "promise": {"shift": promise.shift, "chance": promise.chance, "sentence": promise.sentence()},
        "warnings": list(promise.warnings),
        "versions": {"sidelight": __version__, "opendp": version("opendp")},
    }


def promise_of(noisy: NoisyCounts) -> SemanticPrivacy:
    """Say what this release alone promises; how many people there are is itself known only with noise."""
    spending = noisy.spending
    return semantic_privacy(spending.epsilon, spending.delta, people=_people(noisy))


def _people(noisy: NoisyCounts) -> int:
    return max(int(noisy.counts.sum()), 1)


def as_text(contents: Mapping[str, Any]) -> str:
    """Write a document as JSON."""
    return json.dumps(contents, indent=2, ensure_ascii=False) + "\n"


def summary(noisy: NoisyCounts, files: Sequence[Path], account: Account | None, notes: Sequence[str]) -> list[str]:
    """Tell the publisher what was published, line by line."""
    spending, mechanism, promise = noisy.spending, noisy.mechanism, promise_of(noisy)
    delta = f" and delta {amount_text(spending.delta)}" if spending.delta else ""
    cost = f"epsilon {amount_text(spending.epsilon)}{delta}"
    reach = f"95 of 100 measured counts are within {noisy.margin(0.95)} of the truth"
    lines = [
        f"✓ Published {noisy.counts.size:,} counts of {noisy.sensitive} with noise: {cost}.",
        f"What is hidden: {HIDDEN[spending.neighbours]}.",
        f"Noise: {mechanism.kind}, scale {mechanism.scale:.6g}; {reach}.",
        f"To each person: {promise.sentence()}",
        *(() if account is None else (_balance(account, _people(noisy)),)),
    ]
    lines += [f" • {note}" for note in (*notes, *promise.warnings)]
    return [*lines, f"Written: {', '.join(map(str, files))}"]


def _balance(account: Account, people: int) -> str:
    epsilon, delta = (amount_text(amount) for amount in account.spent)
    of = f"epsilon {epsilon} of {amount_text(account.epsilon)} and delta {delta} of {amount_text(account.delta)}"
    together = semantic_privacy(*account.spent, people=people)
    return f"Budget: {of} spent. All {len(account.entries)} of the ledger together: {together.sentence()}"
