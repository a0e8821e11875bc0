"""`sidelight ledger show`: what was spent on these people, on what, and where it was published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from sidelight._text import counted
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.dp.ledger import Account, Entry, Ledger, PublishedCounts, entry_document
from sidelight.dp.parameters import amount_text
from sidelight.publish.sidecar import digest
from sidelight.report.report import Envelope

SCHEMA_VERSION = 1
"""Raised whenever a reader of the JSON would have to change."""

NOT_PUBLISHED = "nothing is known to be published by this entry, and its budget is spent all the same"


def show(file: Path, output: Output) -> Status:
    """Read a ledger, look for what was published, print."""
    output.refuse((file,))
    ledger = Ledger(file)
    account = ledger.read()
    output.write(document(file, ledger, account), page(ledger, account))
    return Status.WITHIN_POLICY


def document(file: Path, ledger: Ledger, account: Account) -> Envelope[dict[str, Any]]:
    """Say it as JSON: the budget, what is spent and left, and every entry."""
    epsilon, delta = account.spent
    return Envelope(
        kind="ledger",
        schema_version=SCHEMA_VERSION,
        source=str(file),
        answer={
            "accounting": account.accounting,
            "neighbours": account.neighbours,
            "budget": {"epsilon": amount_text(account.epsilon), "delta": amount_text(account.delta)},
            "spent": {"epsilon": amount_text(epsilon), "delta": amount_text(delta)},
            "entries": [_entry(ledger, entry) for entry in account.entries],
        },
        notes=_notes(account),
    )


def _entry(ledger: Ledger, entry: Entry) -> dict[str, Any]:
    files = [
        {**written, "now": state(ledger, file)}
        for written, file in zip(entry_document(entry)["published"], entry.published, strict=True)
    ]
    return {**entry_document(entry), "published": files}


def state(ledger: Ledger, file: PublishedCounts) -> str:
    """Say whether a published file is still where it was put, and the same."""
    here = ledger.path.parent / file.file
    if not here.is_file():
        return "not there"
    return "as published" if digest(here) == file.sha256 else "changed since"


def _notes(account: Account) -> tuple[str, ...]:
    notes = []
    silent = sum(not entry.published for entry in account.entries)
    if silent:
        notes.append(f"{counted(silent, 'entry')} without a file: {NOT_PUBLISHED}")
    if any(entry.spending.counted is not None and not entry.spending.counted.unit.checked for entry in account.entries):
        notes.append("some entries hide rows, of which the publisher says that each is a person; that was not checked")
    return tuple(notes)


# What is printed.


def page(ledger: Ledger, account: Account) -> Iterator[RenderableType]:
    """Tell a steward what is left, and what the rest was spent on."""
    epsilon, delta = (amount_text(amount) for amount in account.spent)
    yield Text(
        f"Ledger {ledger.path.name}: epsilon {epsilon} of {amount_text(account.epsilon)} and delta {delta} of "
        f"{amount_text(account.delta)} spent on {counted(len(account.entries), 'entry')}"
    )
    yield Text(f"{account.accounting} accounting; neighbours: {account.neighbours}")
    for number, entry in enumerate(account.entries, start=1):
        yield Text("\n".join(_lines(number, entry, ledger)))
    for note in _notes(account):
        yield Text(f" • {note}")


def _lines(number: int, entry: Entry, ledger: Ledger) -> Iterator[str]:
    spending = entry.spending
    yield f"{number}. {entry.at}: {spending.cost()} for {spending.what}"
    if spending.mechanism is not None:
        yield f"   {spending.mechanism.kind} noise of scale {spending.mechanism.scale:.6g}"
    if spending.counted is not None:
        yield f"   promised {spending.counted.unit.sentence()}"
    for file in entry.published:
        yield f"   published as {file.file} ({state(ledger, file)}), sha256 {file.sha256[:12]}…"
