"""What was spent of a budget, what do several releases cost and promise together, and what does noise promise at all?

`ask` shows a ledger, `ask_spent` adds up ledgers and noisy counts, `ask_promise` tells a promise in three ways.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sidelight.answers.recipe import Name, write_call, write_python
from sidelight.answers.request import Request
from sidelight.answers.sources import inputs_of
from sidelight.documents.document import DocumentPart, finite_or_none
from sidelight.errors import BadNoise
from sidelight.files import digest, noise_path, real_path
from sidelight.noise.accountant import (
    Account,
    Entry,
    PrivacySpent,
    PublishedCounts,
    Spending,
    privacy_spent,
    promise_of,
)
from sidelight.noise.ledger import BudgetDocument, EntryDocument, Ledger
from sidelight.noise.mechanism import amount_text
from sidelight.noise.semantic_privacy import SemanticPrivacy, semantic_privacy
from sidelight.publish.noise import read_drawn
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Blocks, Code, Paragraph, Points
from sidelight.rounding import short_decimal
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.report.plots import Drawing

# A ledger


@dataclass(frozen=True, slots=True)
class BeginRequest(Request):
    """Where a ledger is begun, and with which budget."""

    file: Path
    epsilon: str | None
    delta: str
    rho: str | None
    accounting: Literal["basic", "concentrated"]
    neighbours: Literal["add or remove", "replace"]

    def begin(self) -> Ledger:
        """Begin the ledger; whoever cannot show it takes it back."""
        settings = asdict(self)
        return Ledger.begin(settings.pop("file"), **settings)


@dataclass(frozen=True, slots=True)
class LedgerRequest(Request):
    """Which ledger is shown."""

    file: Path

    def files(self) -> tuple[Path, ...]:
        return Ledger(self.file).files


class LedgerFacts(DocumentPart):
    """The budget, what is spent, and every entry."""

    accounting: str
    neighbours: str
    budget: BudgetDocument
    spent: dict[str, str]
    entries: tuple[dict[str, Any], ...]


class LedgerAnswer(Answer[LedgerFacts]):
    """A ledger, for its steward."""

    question: ClassVar[str] = "What was spent of the budget?"

    ledger: Live[Ledger]
    account: Live[Account]

    def blocks(self) -> Blocks:
        account = self.account
        entries = counted(len(account.entries), "entry")
        yield Paragraph(f"Ledger {self.ledger.path.name}: {account.balance()} spent on {entries}")
        yield Paragraph(f"{account.accounting} accounting; neighbours: {account.neighbours}")
        for number, entry in enumerate(account.entries, start=1):
            yield Paragraph("\n".join(_entry_lines(number, entry, self.ledger)))
        yield from _as_points(self.notes)


def ask(request: LedgerRequest) -> LedgerAnswer:
    """Read a ledger, and look for what was published."""
    ledger = Ledger(request.file)
    account = ledger.read()
    epsilon, delta = account.spent
    rho = {} if account.rho is None else {"rho": amount_text(account.spent_rho)}
    entries = []
    for entry in account.entries:
        fields = EntryDocument.from_entry(entry).model_dump()
        files = zip(fields["published"], entry.published, strict=True)
        entries.append({**fields, "published": [{**each, "now": _find_state(ledger, file)} for each, file in files]})
    silent = sum(not entry.published and entry.choice is None for entry in account.entries)
    nothing = "nothing is known to be published by this entry, and its budget is spent all the same"
    counted_rows = (entry.spending.counted for entry in account.entries)
    unchecked = any(each is not None and not each.unit.checked for each in counted_rows)
    rows = "some entries hide rows, of which the publisher says that each is a person; that was not checked"
    return LedgerAnswer(
        kind="ledger",
        schema_version=1,
        source=str(request.file),
        answer=LedgerFacts(
            accounting=account.accounting,
            neighbours=account.neighbours,
            budget=BudgetDocument.from_account(account),
            spent={"epsilon": amount_text(epsilon), "delta": amount_text(delta), **rho},
            entries=tuple(entries),
        ),
        notes=(
            *([f"{counted(silent, 'entry')} without a file: {nothing}"] if silent else []),
            *([rows] if unchecked else []),
        ),
        ledger=ledger,
        account=account,
    )


def _find_state(ledger: Ledger, file: PublishedCounts) -> str:
    """Return whether a published file is still where it was put, and the same."""
    here = ledger.path.parent / file.file
    if not here.is_file():
        return "not there"
    return "as published" if digest(here) == file.sha256 else "changed since"


def _entry_lines(number: int, entry: Entry, ledger: Ledger) -> Iterator[str]:
    spending = entry.spending
    yield f"{number}. {entry.at}: {spending.cost()} for {spending.what}"
    if spending.mechanism is not None:
        yield f"   {spending.mechanism.kind} noise of scale {spending.mechanism.scale:.6g}"
    if spending.counted is not None:
        yield f"   promised {spending.counted.unit.sentence()}"
    if entry.choice is not None:
        yield f"   chosen from the data, and {'used by another entry' if entry.choice.used_by else 'not used yet'}"
    for file in entry.published:
        yield f"   published as {file.file} ({_find_state(ledger, file)}), sha256 {file.sha256[:12]}…"


# What ledgers and noisy counts cost together


@dataclass(frozen=True, slots=True)
class SpentRequest(Request):
    """Which ledgers and noisy counts are added up, at which delta, and for how many people."""

    sources: tuple[str, ...]
    delta: str | None
    people: int | None
    chance: str | None

    def files(self) -> tuple[Path, ...]:
        return _files_of(self.sources)


class SpentFacts(DocumentPart):
    """What releases cost together; an epsilon that is infinite is null."""

    releases: int
    delta: float
    epsilon: float | None
    accounts: dict[str, float | None]
    promise: dict[str, Any] | None


class SpentAnswer(Answer[SpentFacts]):
    """What releases cost together, and what they promise."""

    question: ClassVar[str] = "What do all releases cost and promise together?"

    together: Live[PrivacySpent]
    promise: Live[SemanticPrivacy | None]

    def blocks(self) -> Blocks:
        at = f"delta {self.together.delta:g}"
        releases = counted(self.answer.releases, "release")
        if math.isinf(self.together.epsilon):
            yield Paragraph(f"{releases} together: no epsilon holds at {at}; give a larger --delta")
        else:
            total = _bound_text(self.together.epsilon)
            yield Paragraph(f"{releases} together: epsilon of at most {total} at {at}")
        for name, epsilon in self.together.accounts().items():
            shown = "cannot say" if math.isinf(epsilon) else _bound_text(epsilon)
            yield Paragraph(f"  {name.replace('_', ' ')}: {shown}")
        if self.promise is not None:
            yield Paragraph(self.promise.sentence())
            yield Paragraph(self.promise.error_rates().sentence())
        yield from _as_points(self.notes)


def ask_spent(request: SpentRequest) -> SpentAnswer:
    """Read ledgers and noisy counts, and account for all of them together."""
    spendings = collect_spendings(request.sources)
    if not spendings:
        message = "nothing was spent yet; there is nothing to account for"
        raise BadNoise(message)
    total = sum((each.delta for each in spendings), Fraction(0))
    together = privacy_spent(spendings, delta=total if request.delta is None else request.delta)
    promise = None
    if request.people is not None or all(each.delta == 0 for each in spendings):
        promise = promise_of(spendings, people=request.people, chance=request.chance)
    planned = (
        "This holds if the releases were planned in advance; where later ones were chosen after seeing earlier ones, "
        "'basic' and 'concentrated' still do."
    )
    untold = "With a delta, what is promised in beliefs depends on how many people there are; say --people."
    return SpentAnswer(
        kind="ledger spent",
        schema_version=1,
        source=request.sources,
        answer=SpentFacts(
            releases=len(spendings),
            delta=together.delta,
            epsilon=finite_or_none(together.epsilon),
            accounts={name: finite_or_none(each) for name, each in together.accounts().items()},
            promise=None
            if promise is None
            else {"shift": promise.shift, "chance": promise.chance, "condition": promise.condition or None},
        ),
        notes=(planned, *((untold,) if promise is None else promise.warnings)),
        together=together,
        promise=promise,
    )


def collect_spendings(files: Sequence[str]) -> list[Spending]:
    """Collect what was spent, each once: the same file, or the same receipt in several of them, is paid for once."""
    distinct = {real_path(Path(file)): Path(file) for file in files}.values()
    noisy_files = [file for file in distinct if noise_path(file).is_file()]
    by_receipt: dict[str | None, Spending] = {}
    for file in (each for each in distinct if each not in noisy_files):
        if file.suffix in (".csv", ".parquet") and file.is_file():
            beside = f"no '{noise_path(file).name}' beside '{file}'"
            message = f"{beside}; give ledgers, and noisy counts as they were published"
            raise BadNoise(message)
        by_receipt |= {entry.receipt: entry.spending for entry in Ledger(file).read().entries}
    spendings = [*by_receipt.values()]
    for noisy in map(read_drawn, noisy_files):
        if noisy.receipt is not None:
            if noisy.receipt in by_receipt:
                continue
            by_receipt[noisy.receipt] = noisy.spending
        spendings += noisy.spendings
    return spendings


def _files_of(sources: Sequence[str]) -> tuple[Path, ...]:
    return (*inputs_of(*sources), *(each for file in sources for each in Ledger(Path(file)).files))


def _bound_text(epsilon: float) -> str:
    return short_decimal(Fraction(repr(epsilon)))  # a bound as it is written, rounded up: 0.1 is a tenth


def _as_points(notes: tuple[str, ...]) -> Iterator[Points]:
    if notes:
        yield Points(notes)


# What noise promises


@dataclass(frozen=True, slots=True)
class PromiseRequest(Request):
    """Which releases, or which epsilon and delta; to how many people; and how the promise is told."""

    sources: tuple[str, ...]
    epsilon: str | None
    delta: str
    neighbours: Literal["add or remove", "replace"] | None
    people: int | None
    chance: str | None
    false_alarms: float
    prior: float

    def files(self) -> tuple[Path, ...]:
        return _files_of(self.sources)

    def python(self) -> str:
        if not self.sources:
            delta = None if self.delta == "0" else self.delta
            amounts = {"neighbours": self.neighbours, "people": self.people, "chance": self.chance}
            lines = [f"promise = {write_call('sl.semantic_privacy', epsilon=self.epsilon, delta=delta, **amounts)}"]
        else:
            read = [
                f"*sl.read_noise({file!r}).spendings"
                if noise_path(Path(file)).is_file()
                else f"*(entry.spending for entry in sl.Ledger({file!r}).read().entries)"
                for file in self.sources
            ]
            call = write_call("sl.promise_of", Name("spendings"), people=self.people, chance=self.chance)
            lines = [f"spendings = [{', '.join(read)}]", f"promise = {call}"]
        return write_python(*lines, "print(promise)")

    def spendings(self) -> list[Spending]:
        """Read what the files cost; nothing where an epsilon is given instead."""
        if not self.sources:
            if self.epsilon is None:
                message = "what promises something? give ledgers or noisy counts, or an epsilon with --epsilon"
                raise BadNoise(message)
            return []
        if self.epsilon is not None or self.delta != "0" or self.neighbours is not None:
            message = "files say themselves what they cost; leave out --epsilon, --delta and --neighbours, or the files"
            raise BadNoise(message)
        spendings = collect_spendings(self.sources)
        if not spendings:
            message = "nothing was spent yet; there is nothing that promises anything"
            raise BadNoise(message)
        return spendings


class PromiseFacts(DocumentPart):
    """A promise in beliefs, as error rates of a test and as a risk."""

    epsilon: float
    delta: float
    people: int | None
    neighbours: str
    condition: str | None
    shift: float
    chance: float
    error_rates: dict[str, float]
    disclosure_risk: dict[str, dict[str, Any]]


class PromiseAnswer(Answer[PromiseFacts]):
    """What noise promises, in sentences and as a picture."""

    question: ClassVar[str] = "What does the noise promise?"

    request: Live[PromiseRequest]
    promised: Live[SemanticPrivacy]
    drawn: Live[Path | None] = None  # where a picture was put, which is told on the terminal alone

    def charts(self) -> Iterator[Drawing]:
        yield self.promised.plot(false_alarms=self.request.false_alarms, prior=self.request.prior)

    def blocks(self) -> Blocks:
        text = self.promised.explain(false_alarms=self.request.false_alarms, prior=self.request.prior)
        *first, last = text.split("\n\n")
        yield from (Paragraph(f"{each}\n") for each in first)
        yield Paragraph(f"{last}\n" if self.notes else last)
        yield from _as_points(self.notes)

    def private_blocks(self) -> Blocks:
        if self.drawn is not None:
            yield Code(f"Drawn: {self.drawn}")


def ask_promise(request: PromiseRequest) -> PromiseAnswer:
    """Read what was released, or take an epsilon and delta, and tell what that promises."""
    spendings = request.spendings()
    if spendings:
        promised = promise_of(spendings, people=request.people, chance=request.chance)
    else:
        promised = semantic_privacy(
            request.epsilon,
            request.delta,
            people=request.people,
            chance=request.chance,
            neighbours=request.neighbours or "add or remove",
        )
    risks = {}
    for name, known in (("being_in", False), ("a_value", True)):
        risk = asdict(promised.disclosure_risk(request.prior, known_to_be_in=known))
        del risk["about"], risk["neighbours"], risk["condition"]
        risks[name] = {**risk, "odds_factor": finite_or_none(risk["odds_factor"])}
    rates = promised.error_rates(request.false_alarms)
    units = dict.fromkeys(each.counted.unit.sentence() for each in spendings if each.counted is not None)
    notes = [*promised.warnings, *(f"promised {sentence}" for sentence in units)]
    if len(spendings) > 1:
        notes.append(f"for {counted(len(spendings), 'release')} together")
        # Sums of epsilons hold however the releases came about; what is read off the noise of several does not.
        if request.chance is not None:
            planned = "this holds if the releases were planned in advance"
            notes.append(f"{planned}; where later ones were chosen after seeing earlier ones, leave out --chance")
    return PromiseAnswer(
        kind="promise",
        schema_version=1,
        source=request.sources or None,
        answer=PromiseFacts(
            epsilon=promised.epsilon,
            delta=promised.delta,
            people=promised.people,
            neighbours=promised.neighbours,
            condition=promised.condition or None,
            shift=promised.shift,
            chance=promised.chance,
            error_rates={name: getattr(rates, name) for name in ("false_alarms", "recognised", "advantage", "right")},
            disclosure_risk=risks,
        ),
        notes=tuple(notes),
        request=request,
        promised=promised,
    )
