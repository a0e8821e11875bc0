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
import typer

from sidelight import __version__
from sidelight._files import (
    flush_to_disk,
    move_into_place,
    refuse_existing,
    refuse_input,
    refuse_left_over,
    unfinished_folder,
)
from sidelight.cli.audit import Question
from sidelight.cli.interrupts import heed_interrupts
from sidelight.cli.protect import read
from sidelight.cli.run import Status, note
from sidelight.dp.domain import CELLS, Outside
from sidelight.dp.ledger import Account, Accounting, Ledger
from sidelight.dp.noisy_counts import COUNT, MEASURED, NoisyCounts, noisy_counts
from sidelight.dp.parameters import Neighbours, amount_text, exact_amount
from sidelight.dp.semantic_privacy import SemanticPrivacy, semantic_privacy
from sidelight.errors import BadNoise, BadPolicy, BudgetExceeded, NotPublished
from sidelight.publish.formats import Sheet, format_of
from sidelight.publish.read import digest
from sidelight.publish.sidecar import noise_path
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.labels import Label
from sidelight.table.roles import Roles


@dataclass(frozen=True, slots=True)
class Noise:
    """What is published, with how much noise."""

    levels: tuple[str, ...]
    hierarchies: Path | None
    epsilon: str
    delta: str = "0"
    neighbours: Neighbours = "add or remove"
    outside: Outside = "an error"
    cells: int = CELLS


@dataclass(frozen=True, slots=True)
class Budget:
    """From which ledger it is paid; with a budget, one is begun if there is none."""

    ledger: Path | None = None
    epsilon: str | None = None
    delta: str = "0"
    accounting: Accounting = "basic"


@dataclass(frozen=True, slots=True)
class Target:
    """Where the counts go."""

    path: Path
    force: bool = False
    as_json: bool = False


def noise(file: str, question: Question, wanted: Noise, budget: Budget, target: Target) -> Status:
    """Read, spend, draw, write, tell."""
    format_of(target.path, None)
    beside = noise_path(target.path)
    refuse_left_over(target.path, beside, force=target.force)
    for path in (target.path, beside):
        refuse_existing(path, force=target.force)
    levels = read_levels(wanted.levels)
    domain = _domain(question.roles)
    by = read_hierarchies(_folder(wanted))
    roles = replace(question.roles, quasi=tuple(levels), domain=None)
    table = read(file, roles)
    kept = [each for each in (budget.ledger,) if each is not None]
    refuse_input(target.path, (*table.intake.files, *question.files, *kept, *hierarchy_files(_folder(wanted))))
    heed_interrupts()  # from here on, budget is spent
    try:
        noisy = noisy_counts(
            table,
            by=by,
            levels=levels,
            domain=domain,
            epsilon=wanted.epsilon,
            delta=wanted.delta,
            neighbours=wanted.neighbours,
            outside=wanted.outside,
            ledger=_ledger(budget, wanted),
            cells=wanted.cells,
        )
    except BudgetExceeded as refused:
        typer.echo(f"sidelight: {refused}", err=True)
        return Status.NOT_WITHIN_POLICY
    said = _written(noisy, target, beside)
    account = None if budget.ledger is None else Ledger(budget.ledger).read()
    notes = (*table.intake.notes(), *_notes(question.roles, account))
    if target.as_json:
        sys.stdout.write(as_text(said))  # byte for byte the document beside the counts
        note(*notes)
        return Status.WITHIN_POLICY
    sys.stdout.write("\n".join(told(noisy, (target.path, beside), account, notes)) + "\n")
    return Status.WITHIN_POLICY


def read_levels(given: Sequence[str]) -> dict[str, int]:
    """Read `age=2`, one per column.

    >>> read_levels(["age=2", "sex=0"])
    {'age': 2, 'sex': 0}
    """
    levels: dict[str, int] = {}
    for each in given:
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


def _folder(wanted: Noise) -> Path:
    if wanted.hierarchies is None:
        message = "which labels could there be? give a folder of hierarchies with --hierarchies"
        raise BadNoise(message)
    return wanted.hierarchies


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


def _ledger(budget: Budget, wanted: Noise) -> Ledger | None:
    if budget.ledger is None:
        if budget.epsilon is not None:
            message = "a budget is kept in a ledger; say where with --ledger"
            raise BadNoise(message)
        return None
    ledger = Ledger(budget.ledger)
    if budget.epsilon is None and not ledger.path.exists():
        message = f"no ledger '{budget.ledger}'; check the path, or begin one with --budget"
        raise BadNoise(message)
    if budget.epsilon is None:
        return ledger
    if not ledger.path.exists():
        return Ledger.start(
            budget.ledger,
            epsilon=budget.epsilon,
            delta=budget.delta,
            accounting=budget.accounting,
            neighbours=wanted.neighbours,
        )
    account = ledger.read()
    asked = exact_amount(budget.epsilon, "budget"), exact_amount(budget.delta, "budget delta"), budget.accounting
    if asked != (account.epsilon, account.delta, account.accounting):
        message = (
            f"the ledger '{budget.ledger.name}' has a budget of epsilon {amount_text(account.epsilon)} and "
            f"delta {amount_text(account.delta)} ({account.accounting}); a budget is not changed afterwards: "
            "leave --budget out"
        )
        raise BadNoise(message)
    return ledger


def _written(noisy: NoisyCounts, target: Target, beside: Path) -> dict[str, Any]:
    """Write the counts and what is said about them, both or none."""
    try:
        with unfinished_folder(target.path) as folder:
            file = folder / target.path.name
            with file.open("wb") as open_file:
                format_of(target.path, None).write(_sheet(noisy), open_file)
            flush_to_disk(file)
            said = document(noisy, file)
            (folder / beside.name).write_text(as_text(said), encoding="utf-8")
            flush_to_disk(folder / beside.name)
            move_into_place(folder, (beside, target.path))
    except NotPublished as problem:
        message = f"{problem}; what a ledger spent on it stays spent, as the noise was drawn"
        raise NotPublished(message) from None
    return said


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


# ----------------------------------------------------------------------------------------------------
# What `sidelight noise` says about noisy counts: the document beside them, and what it prints.
# ----------------------------------------------------------------------------------------------------


SCHEMA_VERSION = 1

HIDDEN: dict[Neighbours, str] = {
    "add or remove": "whether any one person is in the table (add or remove one)",
    "replace": "which one of all possible people any one person is (replace one)",
}


def document(noisy: NoisyCounts, file: Path) -> dict[str, Any]:
    """Say what a reader of the counts should know: nothing of it was seen in the data but the noisy counts."""
    spending, mechanism, promise = noisy.spending, noisy.mechanism, promised(noisy)
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


def promised(noisy: NoisyCounts) -> SemanticPrivacy:
    """Say what this release alone promises; how many people there are is itself known only with noise."""
    spending = noisy.spending
    return semantic_privacy(spending.epsilon, spending.delta, people=_people(noisy))


def _people(noisy: NoisyCounts) -> int:
    return max(int(noisy.counts.sum()), 1)


def as_text(said: Mapping[str, Any]) -> str:
    """Write a document as JSON."""
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def told(noisy: NoisyCounts, files: Sequence[Path], account: Account | None, notes: Sequence[str]) -> list[str]:
    """Tell the publisher what was published, line by line."""
    spending, mechanism, promise = noisy.spending, noisy.mechanism, promised(noisy)
    delta = f" and delta {amount_text(spending.delta)}" if spending.delta else ""
    cost = f"epsilon {amount_text(spending.epsilon)}{delta}"
    reach = f"95 of 100 measured counts are within {noisy.margin(0.95)} of the truth"
    said = [
        f"✓ Published {noisy.counts.size:,} counts of {noisy.sensitive} with noise: {cost}.",
        f"What is hidden: {HIDDEN[spending.neighbours]}.",
        f"Noise: {mechanism.kind}, scale {mechanism.scale:.6g}; {reach}.",
        f"To each person: {promise.sentence()}",
        *(() if account is None else (_balance(account, _people(noisy)),)),
    ]
    said += [f" • {note}" for note in (*notes, *promise.warnings)]
    return [*said, f"Written: {', '.join(map(str, files))}"]


def _balance(account: Account, people: int) -> str:
    epsilon, delta = (amount_text(amount) for amount in account.spent)
    of = f"epsilon {epsilon} of {amount_text(account.epsilon)} and delta {delta} of {amount_text(account.delta)}"
    together = semantic_privacy(*account.spent, people=people)
    return f"Budget: {of} spent. All {len(account.entries)} of the ledger together: {together.sentence()}"
