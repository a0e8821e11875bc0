"""`sidelight ledger`: begin a budget; see what was spent of it, on what, where it was published, what it comes to.

`sidelight promise`: what noise promises, in beliefs, as error rates of a test and as a risk, and as a picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from sidelight.answers.sources import inputs_of
from sidelight.cli.noise_options import BudgetOptions, PromiseOptions, SpentOptions
from sidelight.cli.run import Output, Status
from sidelight.documents.document import Envelope
from sidelight.errors import BadNoise
from sidelight.files import digest, noise_path, real_path
from sidelight.noise.account import Account, Entry, PublishedCounts
from sidelight.noise.accountant import PrivacySpent, Spending, privacy_spent, promise_of
from sidelight.noise.ledger import Ledger
from sidelight.noise.ledger_document import BudgetDocument, EntryDocument
from sidelight.noise.parameters import amount_text
from sidelight.noise.semantic_privacy import SemanticPrivacy, semantic_privacy
from sidelight.publish.noise import read_drawn
from sidelight.report.plots import refuse_other_pictures, save_chart
from sidelight.rounding import short_decimal
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.noise.semantic_privacy import SemanticPrivacy


SCHEMA_VERSION = 1
"""Raised whenever a reader of the JSON would have to change."""

NOT_PUBLISHED = "nothing is known to be published by this entry, and its budget is spent all the same"


def begin(file: Path, budget: BudgetOptions, output: Output) -> Status:
    """Begin a ledger, and show it."""
    output.refuse(Ledger(file).files)
    ledger = Ledger.begin(
        file,
        epsilon=budget.epsilon,
        delta=budget.delta,
        rho=budget.rho,
        accounting=budget.accounting,
        neighbours=budget.neighbours,
    )
    try:
        return show(file, output)
    except BaseException:
        ledger.take_back()
        raise


def show(file: Path, output: Output) -> Status:
    """Read a ledger, look for what was published, print."""
    ledger = Ledger(file)
    output.refuse(ledger.files)
    account = ledger.read()
    output.write(document(file, ledger, account), page(ledger, account))
    return Status.WITHIN_POLICY


def document(file: Path, ledger: Ledger, account: Account) -> Envelope[dict[str, Any]]:
    """Say it as JSON: the budget, what is spent and left, and every entry."""
    epsilon, delta = account.spent
    rho = {} if account.rho is None else {"rho": amount_text(account.spent_rho)}
    return Envelope(
        kind="ledger",
        schema_version=SCHEMA_VERSION,
        source=str(file),
        answer={
            "accounting": account.accounting,
            "neighbours": account.neighbours,
            "budget": BudgetDocument.of(account),
            "spent": {"epsilon": amount_text(epsilon), "delta": amount_text(delta), **rho},
            "entries": [_entry(ledger, entry) for entry in account.entries],
        },
        notes=_notes(account),
    )


def _entry(ledger: Ledger, entry: Entry) -> dict[str, Any]:
    document = EntryDocument.of(entry).model_dump()
    files = zip(document["published"], entry.published, strict=True)
    return {**document, "published": [{**written, "now": state(ledger, file)} for written, file in files]}


def state(ledger: Ledger, file: PublishedCounts) -> str:
    """Say whether a published file is still where it was put, and the same."""
    here = ledger.path.parent / file.file
    if not here.is_file():
        return "not there"
    return "as published" if digest(here) == file.sha256 else "changed since"


def _notes(account: Account) -> tuple[str, ...]:
    notes = []
    silent = sum(not entry.published and entry.choice is None for entry in account.entries)
    if silent:
        notes.append(f"{counted(silent, 'entry')} without a file: {NOT_PUBLISHED}")
    if any(entry.spending.counted is not None and not entry.spending.counted.unit.checked for entry in account.entries):
        notes.append("some entries hide rows, of which the publisher says that each is a person; that was not checked")
    return tuple(notes)


# What is printed.


def page(ledger: Ledger, account: Account) -> Iterator[RenderableType]:
    """Tell a steward what is left, and what the rest was spent on."""
    yield Text(f"Ledger {ledger.path.name}: {account.balance()} spent on {counted(len(account.entries), 'entry')}")
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
    if entry.choice is not None:
        yield f"   chosen from the data, and {'used by another entry' if entry.choice.used_by else 'not used yet'}"
    for file in entry.published:
        yield f"   published as {file.file} ({state(ledger, file)}), sha256 {file.sha256[:12]}…"


# What everything that was spent comes to together.

PLANNED = (
    "This holds if the releases were planned in advance; where later ones were chosen after seeing earlier ones, "
    "'basic' and 'concentrated' still do."
)


def spent(files: Sequence[str], options: SpentOptions, output: Output) -> Status:
    """Read ledgers and noisy counts, account for all of them together, print."""
    output.refuse((*inputs_of(*files), *(each for file in files for each in Ledger(Path(file)).files)))
    spendings = spendings_of(files)
    if not spendings:
        message = "nothing was spent yet; there is nothing to account for"
        raise BadNoise(message)
    total = sum((each.delta for each in spendings), Fraction(0))
    together = privacy_spent(spendings, delta=total if options.delta is None else options.delta)
    promise = None
    if options.people is not None or all(each.delta == 0 for each in spendings):
        promise = promise_of(spendings, people=options.people, chance=options.chance)
    notes = (PLANNED, *(() if promise is None else promise.warnings), *_left_unsaid(promise))
    answer = {
        "releases": len(spendings),
        "delta": together.delta,
        "epsilon": _finite(together.epsilon),
        "accounts": {name: _finite(each) for name, each in together.accounts().items()},
        "promise": None
        if promise is None
        else {"shift": promise.shift, "chance": promise.chance, "condition": promise.condition or None},
    }
    envelope = Envelope(
        kind="ledger spent", schema_version=SCHEMA_VERSION, source=tuple(files), answer=answer, notes=notes
    )
    output.write(envelope, _spent_page(len(spendings), together, promise, notes))
    return Status.WITHIN_POLICY


def spendings_of(files: Sequence[str]) -> list[Spending]:
    """Collect what was spent, each once: the same file, or the same receipt in several of them, is paid for once."""
    distinct = {real_path(Path(file)): file for file in files}.values()
    entries = [entry for file in distinct if not _is_noise(file) for entry in _ledger(file).read().entries]
    by_receipt = {entry.receipt: entry.spending for entry in entries}
    spendings = [*by_receipt.values()]
    for noisy in (read_drawn(Path(file)) for file in distinct if _is_noise(file)):
        if noisy.receipt is not None:
            if noisy.receipt in by_receipt:
                continue
            by_receipt[noisy.receipt] = noisy.spending
        spendings += noisy.spendings
    return spendings


def _ledger(file: str) -> Ledger:
    path = Path(file)
    if path.suffix in (".csv", ".parquet") and path.is_file():
        message = f"no '{noise_path(path).name}' beside '{file}'; give ledgers, and noisy counts as they were published"
        raise BadNoise(message)
    return Ledger(path)


def _is_noise(file: str) -> bool:
    return noise_path(Path(file)).is_file()


def _left_unsaid(promise: SemanticPrivacy | None) -> Iterator[str]:
    if promise is None:
        yield "With a delta, what is promised in beliefs depends on how many people there are; say --people."


def _up(epsilon: float) -> str:
    return short_decimal(Fraction(repr(epsilon)))  # a bound as it is written, rounded up: 0.1 is a tenth


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _spent_page(
    releases: int, together: PrivacySpent, promise: SemanticPrivacy | None, notes: Sequence[str]
) -> Iterator[RenderableType]:
    at = f"delta {together.delta:g}"
    if math.isinf(together.epsilon):
        yield Text(f"{counted(releases, 'release')} together: no epsilon holds at {at}; give a larger --delta")
    else:
        total = _up(together.epsilon)
        yield Text(f"{counted(releases, 'release')} together: epsilon of at most {total} at {at}")
    for name, epsilon in together.accounts().items():
        shown = "cannot say" if math.isinf(epsilon) else _up(epsilon)
        yield Text(f"  {name.replace('_', ' ')}: {shown}")
    if promise is not None:
        yield Text(promise.sentence())
        yield Text(promise.error_rates().sentence())
    for note in notes:
        yield Text(f" • {note}")


# What noise promises


"""Raised whenever a reader of the JSON would have to change."""


def promise(files: Sequence[str], options: PromiseOptions, output: Output) -> Status:
    """Read what was released, or take an epsilon and delta; say what that promises, and draw it if asked."""
    inputs = (*inputs_of(*files), *(each for file in files for each in Ledger(Path(file)).files))
    if options.plot is not None:
        refuse_other_pictures(options.plot)
    output.refuse(inputs, beside=() if options.plot is None else (options.plot,))
    spendings = _spendings(files, options)
    if spendings:
        promised = promise_of(spendings, people=options.people, chance=options.chance)
    else:
        promised = semantic_privacy(
            options.epsilon,
            options.delta,
            people=options.people,
            chance=options.chance,
            neighbours=options.neighbours or "add or remove",
        )
    text = promised.explain(false_alarms=options.false_alarms, prior=options.prior)
    if options.plot is not None:
        save_chart(
            promised.plot(false_alarms=options.false_alarms, prior=options.prior), options.plot, force=output.force
        )
    notes = (*promised.warnings, *_to_whom(spendings), *_planned(spendings, options.chance))
    answer = {
        "epsilon": promised.epsilon,
        "delta": promised.delta,
        "people": promised.people,
        "neighbours": promised.neighbours,
        "condition": promised.condition or None,
        **_three_ways(promised, options.false_alarms, options.prior),
    }
    envelope = Envelope(
        kind="promise", schema_version=SCHEMA_VERSION, source=tuple(files) or None, answer=answer, notes=notes
    )
    output.write(
        envelope,
        _promise_page(text, notes, options.plot),
        charts=lambda: [promised.plot(false_alarms=options.false_alarms, prior=options.prior)],
    )
    return Status.WITHIN_POLICY


def _three_ways(promised: SemanticPrivacy, false_alarms: float, prior: float) -> dict[str, Any]:
    rates = promised.error_rates(false_alarms)
    risks = {
        name: asdict(promised.disclosure_risk(prior, known_to_be_in=known))
        for name, known in (("being_in", False), ("a_value", True))
    }
    for risk in risks.values():
        del risk["about"], risk["neighbours"], risk["condition"]
        risk["odds_factor"] = risk["odds_factor"] if math.isfinite(risk["odds_factor"]) else None
    return {
        "shift": promised.shift,
        "chance": promised.chance,
        "error_rates": {
            "false_alarms": rates.false_alarms,
            "recognised": rates.recognised,
            "advantage": rates.advantage,
            "right": rates.right,
        },
        "disclosure_risk": risks,
    }


def _spendings(files: Sequence[str], options: PromiseOptions) -> list[Spending]:
    if not files:
        if options.epsilon is None:
            message = "what promises something? give ledgers or noisy counts, or an epsilon with --epsilon"
            raise BadNoise(message)
        return []
    if options.epsilon is not None or options.delta != "0" or options.neighbours is not None:
        message = "files say themselves what they cost; leave out --epsilon, --delta and --neighbours, or the files"
        raise BadNoise(message)
    spendings = spendings_of(files)
    if not spendings:
        message = "nothing was spent yet; there is nothing that promises anything"
        raise BadNoise(message)
    return spendings


def _to_whom(spendings: Sequence[Spending]) -> Iterator[str]:
    """Say to whom it is promised, as far as the releases say so."""
    units = dict.fromkeys(each.counted.unit.sentence() for each in spendings if each.counted is not None)
    yield from (f"promised {sentence}" for sentence in units)
    if len(spendings) > 1:
        yield f"for {counted(len(spendings), 'release')} together"


def _planned(spendings: Sequence[Spending], chance: str | None) -> Iterator[str]:
    """Sums of epsilons hold however the releases came about; what is read off the noise of several does not."""
    if len(spendings) > 1 and chance is not None:
        yield (
            "this holds if the releases were planned in advance; where later ones were chosen after seeing earlier "
            "ones, leave out --chance"
        )


def _promise_page(text: str, notes: Sequence[str], picture: Path | None) -> Iterator[RenderableType]:
    yield Text(text)
    if notes:
        yield Text("")
    for note in notes:
        yield Text(f" • {note}")
    if picture is not None:
        yield Text(f"Drawn: {picture}", no_wrap=True)
