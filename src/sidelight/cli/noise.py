"""`sidelight noise`: publish differentially private counts, paid from a budget."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer

from sidelight._files import flushed, place, refuse_existing, refuse_input, refuse_left_over, unfinished
from sidelight.cli.audit import Question
from sidelight.cli.interrupts import heed_interrupts
from sidelight.cli.noise_shown import as_text, document, told
from sidelight.cli.protect import read
from sidelight.cli.run import Status, note
from sidelight.dp.account import Account, Accounting
from sidelight.dp.amounts import exact, written
from sidelight.dp.domain import CELLS, Outside
from sidelight.dp.ledger import Ledger
from sidelight.dp.mechanism import Neighbours
from sidelight.dp.noisy_counts import COUNT, MEASURED, NoisyCounts, noisy_counts
from sidelight.errors import BadNoise, BadPolicy, BudgetExceeded, NotPublished
from sidelight.policy.policy_file import Roles
from sidelight.publish.formats import format_of
from sidelight.publish.layouts import Sheet
from sidelight.publish.sidecar import noise_path
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.labels import Label


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
    roles = question.roles.updated(Roles(quasi=tuple(levels))).model_copy(update={"domain": None})
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
    asked = exact(budget.epsilon, "budget"), exact(budget.delta, "budget delta"), budget.accounting
    if asked != (account.epsilon, account.delta, account.accounting):
        message = (
            f"the ledger '{budget.ledger.name}' has a budget of epsilon {written(account.epsilon)} and delta "
            f"{written(account.delta)} ({account.accounting}); a budget is not changed afterwards: leave --budget out"
        )
        raise BadNoise(message)
    return ledger


def _written(noisy: NoisyCounts, target: Target, beside: Path) -> dict[str, Any]:
    """Write the counts and what is said about them, both or none."""
    try:
        with unfinished(target.path) as folder:
            file = folder / target.path.name
            with file.open("wb") as open_file:
                format_of(target.path, None).write(_sheet(noisy), open_file)
            flushed(file)
            said = document(noisy, file)
            (folder / beside.name).write_text(as_text(said), encoding="utf-8")
            flushed(folder / beside.name)
            place(folder, (beside, target.path))
    except NotPublished as problem:
        message = f"{problem}; what a ledger spent on it stays spent, as the noise was drawn"
        raise NotPublished(message) from None
    return said


def _sheet(noisy: NoisyCounts) -> Sheet:
    groups, values = noisy.grid.shape
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
