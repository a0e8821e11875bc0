"""Which noisy counts are published, what do they cost, and what do they promise?

Counts are published (`ask_noise`), added up (`ask_count`) and attacked (`ask_noise_attack`).  Ledgers are begun and
shown (`ask_ledger`), several releases are accounted for (`ask_spent`), and noise is explained (`ask_promise`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import TypeAdapter

import sidelight as sl
from sidelight.answers.questions import (
    BeginRequest,
    CountRequest,
    LedgerRequest,
    NoiseAttackRequest,
    NoiseRequest,
    PromiseRequest,
    SpentRequest,
)
from sidelight.answers.recipe import Name, name_hierarchies, write_call, write_python, write_table
from sidelight.answers.sources import (
    find_declared_domain,
    find_sensitive_level,
    list_inputs,
    open_table,
    read_levels,
    require_columns,
)
from sidelight.engines.read_events import events_at_level, events_from
from sidelight.errors import BadNoise
from sidelight.files import digest, noise_path, real_path
from sidelight.noise.accountant import Account, Entry, PublishedCounts
from sidelight.noise.ledger import NO_LEDGER, BudgetDocument
from sidelight.noise.mechanism import amount_text
from sidelight.noise.semantic_privacy import add_condition, two_digits
from sidelight.publish.noise import NoiseDocument, PublishedNoise, read_drawn, refuse_noise_targets
from sidelight.report.answer import Answer, FlatAnswer, Live
from sidelight.report.page import Blocks, Code, Paragraph, Points
from sidelight.rounding import ROUNDED, decimal_text, short_decimal
from sidelight.table.roles import EACH_ROW, Roles
from sidelight.text import capitalize, counted

if TYPE_CHECKING:
    from sidelight.report.plots import Drawing


SHARED_SETTINGS = ("epsilon", "delta", "neighbours", "values_per_person", "rows_per_person", "people_at_most")
"""The settings of counts of declared and of undeclared cells, besides the ledger."""


def _require_folder(request: NoiseRequest | NoiseAttackRequest) -> Path:
    """Return the folder of hierarchies, which declare the labels; raise `BadNoise` without one."""
    if request.hierarchies is None:
        raise BadNoise(f"{request.asks_for_hierarchies} with --hierarchies")
    return request.hierarchies


def write_noise(request: NoiseRequest) -> str:
    """Write the Python that comes to the same."""
    settings = request.state(*SHARED_SETTINGS) | {"ledger": str(request.ledger or NO_LEDGER)}
    levels = read_levels(request.levels)
    roles = replace(request.roles, quasi=tuple(levels), domain=None, sensitive_level=None)
    table = f"table = {write_call('sl.read_events', request.file, **{'person': EACH_ROW} | roles.stated())}"
    if request.undeclared:
        call = write_call("sl.stable_counts", Name("table"), columns=[*levels], **settings)
    else:
        domain = find_declared_domain(request.roles, sl.read_hierarchies(_require_folder(request)))
        settings |= request.state("rho", "queries", "outside", "cells") | {"levels": levels, "domain": [*domain]}
        call = write_call("sl.noisy_counts", Name("table"), by=name_hierarchies(request), **settings)
    publish = write_call("counts.publish", str(request.output))
    return write_python(table, f"counts = {call}  # draws anew, and costs again", publish)


class NoiseAnswer(Answer[NoiseDocument]):
    """What was published, for the publisher; the JSON is the document beside the counts."""

    question: ClassVar[str] = "Which noisy counts were published, and what do they promise?"

    noisy: Live[sl.NoisyCounts | sl.StableCounts]
    account: Live[Account | None]
    written: Live[tuple[Path, ...]]
    exact_notes: Live[tuple[str, ...]]  # on how the table was read: not for publishing

    def blocks(self) -> Blocks:
        noisy = self.noisy
        spending, mechanism, unit = noisy.spending, noisy.mechanism, noisy.unit
        which = "estimates of a cell" if isinstance(noisy, sl.NoisyCounts) and noisy.marginals else "measured counts"
        target = "the truth" if unit.once else "what was counted"
        reach = f"95 of 100 {which} are within {math.ceil(noisy.margin(0.95))} of {target}"
        if isinstance(noisy, sl.StableCounts):
            reach += ", before small ones are left out"
        published = f"✓ Published {noisy.measured.size:,} counts of {noisy.sensitive} with noise: {spending.cost()}."
        yield Paragraph(published, "answer")
        yield Paragraph(f"What is hidden: {unit.hidden(spending.neighbours)}.")
        yield Paragraph(f"Noise: {mechanism.kind}, scale {mechanism.scale:.6g}; {reach}.")
        if isinstance(noisy, sl.NoisyCounts):
            # margins of queries besides the cells; post-processed counts are not for adding up
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


def ask_noise(
    request: NoiseRequest,
    *,
    before_spending: Callable[[tuple[Path, ...]], object],
    after_publishing: Callable[[PublishedNoise], object],
) -> NoiseAnswer:
    """Read the table, spend, draw noise, and publish the counts; raise `BudgetExceeded` if they cost too much.

    `before_spending` is called with all files that were read, before budget is spent; `after_publishing` as soon as the
    counts are published.
    """
    ledger = None if request.ledger is None else sl.Ledger(request.ledger)
    paid = () if ledger is None else ledger.files
    refuse_noise_targets(request.output, force=request.force, inputs=paid)
    if ledger is not None:
        ledger.read()  # errors come before the table is read
    levels = read_levels(request.levels)
    if not levels:
        raise BadNoise("which columns are published, and at which level? say --levels age=2 for each, fixed in advance")
    by = {} if request.undeclared else sl.read_hierarchies(_require_folder(request))
    domain = None if request.undeclared else find_declared_domain(request.roles, by)
    roles = replace(request.roles, quasi=tuple(levels), domain=None)
    require_columns(request.file, roles)
    table = events_from(request.file, roles)
    level = find_sensitive_level(roles, table.sensitive)
    if level and table.sensitive not in by:
        raise BadNoise(
            f"no hierarchy for '{table.sensitive}', whose level was said; add it to the folder of --hierarchies"
        )
    if level:
        table = events_at_level(table, by[table.sensitive], level)
    inputs = (*table.intake.files, *list_inputs(request), *paid)
    refuse_noise_targets(request.output, force=request.force, inputs=[each for each in inputs if each not in paid])
    before_spending(inputs)
    settings: dict[str, Any] = {name: getattr(request, name) for name in SHARED_SETTINGS}
    settings["ledger"] = ledger or NO_LEDGER  # without one, a note says so
    noisy: sl.NoisyCounts | sl.StableCounts
    if domain is None:
        _refuse_settings_of_cells(request, levels)
        noisy = sl.stable_counts(table, columns=[*levels], **settings)
    else:
        settings |= {name: getattr(request, name) for name in ("rho", "outside", "cells")}
        noisy = sl.noisy_counts(table, by=by, levels=levels, domain=domain, queries=request.queries or None, **settings)
    published = noisy.publish(request.output, force=request.force)
    after_publishing(published)
    return NoiseAnswer(
        kind="noise",
        schema_version=3,
        source=request.file,
        answer=published.document,
        notes=tuple(_note_omissions(noisy, has_ledger=ledger is not None)),
        noisy=noisy,
        account=None if ledger is None else ledger.read(),
        written=(published.path, published.beside),
        exact_notes=tuple(table.intake.notes()),
    )


def _refuse_settings_of_cells(request: NoiseRequest, levels: Mapping[str, int]) -> None:
    """Raise `BadNoise` for settings of declared cells with `--undeclared`."""
    coarse = [name for name, level in levels.items() if level]
    if coarse:
        raise BadNoise(f"--undeclared counts columns as they stand in the table; say --levels {coarse[0]}=0")
    declared_only = {"--rho": request.rho, "--query": request.queries, "--outside": request.outside != "other"}
    for option in (name for name, is_set in declared_only.items() if is_set):
        raise BadNoise(f"{option} is about cells that were declared; leave it out, or --undeclared")
    if request.epsilon is None:
        raise BadNoise("how much may the counts depend on one person? give --epsilon")


def _note_omissions(noisy: sl.NoisyCounts | sl.StableCounts, *, has_ledger: bool) -> Iterator[str]:
    if not noisy.unit.checked:
        yield "name the column of people with --person to have it checked that each row is a person"
    if noisy.spending.delta and noisy.people_at_most is None:
        yield "how many people there are at most is not declared; with --people-at-most it is told in beliefs"
    if not has_ledger:
        yield "no ledger: nobody knows what else was published about these people, and promises add up"


def _read_where(request: CountRequest) -> dict[str, list[str]]:
    labels: dict[str, list[str]] = {}
    for text in request.where:
        column, sign, label = text.partition("=")
        if not sign:
            raise BadNoise(f"cannot read --where '{text}'; write a column and its label, such as --where sex=Female")
        labels.setdefault(column.strip(), []).append(label.strip())
    return labels


def write_count(request: CountRequest) -> str:
    """Write the Python that comes to the same."""
    add_up = write_call("counts.count", *request.values, **_read_where(request))
    return write_python(f"counts = {write_call('sl.read_noise', request.file)}", f"print({add_up})")


class CountAnswer(FlatAnswer):
    """A count of people with its margin; `of` describes them."""

    question: ClassVar[str] = "How many people are there, and how far off is that at most?"

    kind: str = "count"
    schema_version: int = 1
    values: tuple[str, ...]
    where: dict[str, list[str]]
    of: str
    count: int | float
    sd: float
    confidence: float
    margin: int | float

    def blocks(self) -> Blocks:
        reach = f"within {math.ceil(self.margin):,} of what was counted with a confidence of {self.confidence:g}"
        yield Paragraph(f"{self.count:,.0f} {self.of}, and {reach}.")


def ask_count(request: CountRequest) -> CountAnswer:
    """Read noisy counts, and add up some of them."""
    labels = _read_where(request)
    added = sl.read_noise(request.file).count(*request.values, **labels)
    return CountAnswer(
        source=request.file,
        values=request.values,
        where=labels,
        of=added.of,
        count=added.count,
        sd=added.sd,
        confidence=request.confidence,
        margin=added.margin(request.confidence),
        notes=("it is about what was counted, and the noise is all that the margin knows of",),
    )


def _find_people_roles(request: NoiseAttackRequest) -> Roles:
    """Return the roles of the files of people: the counted columns, and the true values."""
    releases = [sl.read_noise(file) for file in request.files]
    columns = dict.fromkeys(name for release in releases for name in release.levels)
    truth = request.truth or releases[0].sensitive
    # by default, missing values are treated as when they were counted
    own = Roles(quasi=tuple(columns), sensitive=truth, person=EACH_ROW, missing=releases[0].missing)
    return own.update(request.roles)


def write_noise_attack(request: NoiseAttackRequest) -> str:
    """Write the Python that comes to the same."""
    roles = _find_people_roles(request)
    reads = [write_call("sl.read_noise", file) for file in request.files]
    tables = ", ".join(write_table(file, roles) for file in request.others)
    call = write_call(
        "sl.attack_noise",
        Name(f"[{', '.join(reads)}]"),
        people=Name(write_table(request.people, roles)),
        by=name_hierarchies(request),
        tables=Name(f"[{tables}]") if tables else None,
        prior=request.prior,
        chance=request.chance,
    )
    return write_python(f"print({call})")


class NoiseAttackAnswer(FlatAnswer):
    """Beliefs before and after the counts, and how far one moves; its notes are the sentences."""

    question: ClassVar[str] = "How far do noisy counts move what somebody believes?"

    kind: str = "attack-noise"
    schema_version: int = 1
    people: int
    knows: Literal["nothing else", "everybody else"]
    belief_before: float
    belief: float
    guessed: dict[str, Any]
    largest_shift: float
    promise: dict[str, Any] | None

    def blocks(self) -> Blocks:
        first, *rest = self.notes
        yield Paragraph(", ".join(Path(file).name for file in self.source or ()))
        yield Paragraph(first, "answer")
        yield from map(Paragraph, rest)
        yield Paragraph(ROUNDED)


def ask_noise_attack(request: NoiseAttackRequest) -> NoiseAttackAnswer:
    """Read noisy counts and people, and compute what the counts disclose about them."""
    by, roles = sl.read_hierarchies(_require_folder(request)), _find_people_roles(request)
    seen = sl.attack_noise(
        [sl.read_noise(file) for file in request.files],
        people=open_table(request.people, roles),
        by=by,
        tables=[open_table(file, roles) for file in request.others] or None,
        prior=request.prior,
        chance=request.chance,
    )
    promise = seen.promise
    return NoiseAttackAnswer(
        source=request.files,
        people=int(seen.sizes.sum()),
        knows="nothing else" if promise is None else "everybody else",
        belief_before=seen.prior_belief,
        belief=seen.belief,
        guessed={"exact": str(seen.guessed), "value": float(seen.guessed)},
        largest_shift=seen.largest_shift,
        promise=None if promise is None else _write_promised(promise) | {"warnings": list(promise.warnings)},
        notes=tuple(_attack_sentences(seen)),
    )


def _write_promised(promise: sl.SemanticPrivacy) -> dict[str, Any]:
    return {"shift": promise.shift, "chance": promise.chance, "condition": promise.condition or None}


def _attack_sentences(seen: sl.NoisyExposure) -> Iterator[str]:
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


def begin_ledger(request: BeginRequest) -> sl.Ledger:
    """Begin a ledger."""
    names = ("epsilon", "delta", "rho", "accounting", "neighbours")
    return sl.Ledger.begin(Path(request.file), **{name: getattr(request, name) for name in names})


class LedgerAnswer(FlatAnswer):
    """A ledger, for its steward: the budget, the spending, and every entry."""

    question: ClassVar[str] = "What was spent of the budget?"

    kind: str = "ledger"
    schema_version: int = 1
    accounting: str
    neighbours: str
    budget: BudgetDocument
    spent: dict[str, str]
    entries: tuple[dict[str, Any], ...]
    ledger: Live[sl.Ledger]
    account: Live[Account]

    def blocks(self) -> Blocks:
        account = self.account
        entries = counted(len(account.entries), "entry")
        yield Paragraph(f"Ledger {self.ledger.path.name}: {account.balance()} spent on {entries}")
        yield Paragraph(f"{account.accounting} accounting; neighbours: {account.neighbours}")
        for number, entry in enumerate(account.entries, start=1):
            yield Paragraph("\n".join(_entry_lines(number, entry, self.ledger)))
        if self.notes:
            yield Points(self.notes)


def ask_ledger(request: LedgerRequest) -> LedgerAnswer:
    """Read a ledger, and check its published files."""
    ledger = sl.Ledger(Path(request.file))
    account = ledger.read()
    epsilon, delta = account.spent
    rho = {} if account.rho is None else {"rho": amount_text(account.spent_rho)}
    entries = []
    written = TypeAdapter(tuple[Entry, ...]).dump_python(account.entries)
    for entry, fields in zip(account.entries, written, strict=True):
        files = zip(fields["published"], entry.published, strict=True)
        entries.append({**fields, "published": [{**each, "now": _find_state(ledger, file)} for each, file in files]})
    notes = []
    silent = sum(not entry.published and entry.choice is None for entry in account.entries)
    if silent:
        nothing = "nothing is known to be published by this entry, and its budget is spent all the same"
        notes.append(f"{counted(silent, 'entry')} without a file: {nothing}")
    counted_rows = (entry.counted for entry in account.entries)
    if any(each is not None and not each.unit.checked for each in counted_rows):
        notes.append("some entries hide rows, of which the publisher says that each is a person; that was not checked")
    return LedgerAnswer(
        source=request.file,
        accounting=account.accounting,
        neighbours=account.neighbours,
        budget=BudgetDocument.from_account(account),
        spent={"epsilon": amount_text(epsilon), "delta": amount_text(delta), **rho},
        entries=tuple(entries),
        notes=tuple(notes),
        ledger=ledger,
        account=account,
    )


def _find_state(ledger: sl.Ledger, file: PublishedCounts) -> str:
    """Return whether a published file is still there, and unchanged."""
    here = ledger.path.parent / file.file
    if not here.is_file():
        return "not there"
    return "as published" if digest(here) == file.sha256 else "changed since"


def _entry_lines(number: int, entry: Entry, ledger: sl.Ledger) -> Iterator[str]:
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


class SpentAnswer(FlatAnswer):
    """What releases cost and promise together; an infinite epsilon is null."""

    question: ClassVar[str] = "What do all releases cost and promise together?"

    kind: str = "ledger spent"
    schema_version: int = 1
    releases: int
    delta: float
    epsilon: float | None
    accounts: Mapping[str, float | None]
    promise: dict[str, Any] | None
    together: Live[sl.PrivacySpent]
    promised: Live[sl.SemanticPrivacy | None]

    def blocks(self) -> Blocks:
        at = f"delta {self.together.delta:g}"
        releases = counted(self.releases, "release")
        if math.isinf(self.together.epsilon):
            yield Paragraph(f"{releases} together: no epsilon holds at {at}; give a larger --delta")
        else:
            total = _bound_text(self.together.epsilon)
            yield Paragraph(f"{releases} together: epsilon of at most {total} at {at}")
        for name, epsilon in self.together.accounts().items():
            shown = "cannot say" if math.isinf(epsilon) else _bound_text(epsilon)
            yield Paragraph(f"  {name.replace('_', ' ')}: {shown}")
        if self.promised is not None:
            yield Paragraph(self.promised.sentence())
            yield Paragraph(self.promised.error_rates().sentence())
        yield Points(self.notes)


def ask_spent(request: SpentRequest) -> SpentAnswer:
    """Read ledgers and noisy counts, and account for them together."""
    spendings = collect_spendings(request.files)
    total = sum((each.delta for each in spendings), Fraction(0))
    together = sl.privacy_spent(spendings, delta=total if request.delta is None else request.delta)
    promise = None
    if request.people is not None or all(each.delta == 0 for each in spendings):
        promise = sl.promise_of(spendings, people=request.people, chance=request.chance)
    planned = (
        "This holds if the releases were planned in advance; where later ones were chosen after seeing earlier ones, "
        "'basic' and 'concentrated' still do."
    )
    untold = "With a delta, what is promised in beliefs depends on how many people there are; say --people."
    return SpentAnswer(
        source=request.files,
        releases=len(spendings),
        delta=together.delta,
        epsilon=together.epsilon,
        accounts=together.accounts(),
        promise=None if promise is None else _write_promised(promise),
        notes=(planned, *((untold,) if promise is None else promise.warnings)),
        together=together,
        promised=promise,
    )


def collect_spendings(files: Sequence[str]) -> list[sl.Spending]:
    """Collect the spendings of files, each once: a file or a receipt that occurs twice is paid for once."""
    distinct = {real_path(Path(file)): Path(file) for file in files}.values()
    noisy_files = [file for file in distinct if noise_path(file).is_file()]
    by_receipt: dict[str | None, sl.Spending] = {}
    for file in (each for each in distinct if each not in noisy_files):
        if file.suffix in (".csv", ".parquet") and file.is_file():
            beside = f"no '{noise_path(file).name}' beside '{file}'"
            raise BadNoise(f"{beside}; give ledgers, and noisy counts as they were published")
        by_receipt |= {entry.receipt: entry.spending for entry in sl.Ledger(file).read().entries}
    spendings = [*by_receipt.values()]
    for noisy in map(read_drawn, noisy_files):
        if noisy.receipt is not None:
            if noisy.receipt in by_receipt:
                continue
            by_receipt[noisy.receipt] = noisy.spending
        spendings += noisy.spendings
    if not spendings:
        raise BadNoise("nothing was spent yet; there is nothing to account for")
    return spendings


def _bound_text(epsilon: float) -> str:
    return short_decimal(Fraction(repr(epsilon)))  # from the decimal text: 0.1 is a tenth


def write_promise(request: PromiseRequest) -> str:
    """Write the Python that comes to the same."""
    if not request.files:
        delta = None if request.delta == "0" else request.delta
        amounts = {"neighbours": request.neighbours, "people": request.people, "chance": request.chance}
        lines = [f"promise = {write_call('sl.semantic_privacy', epsilon=request.epsilon, delta=delta, **amounts)}"]
    else:
        read = [
            f"*sl.read_noise({file!r}).spendings"
            if noise_path(Path(file)).is_file()
            else f"*(entry.spending for entry in sl.Ledger({file!r}).read().entries)"
            for file in request.files
        ]
        call = write_call("sl.promise_of", Name("spendings"), people=request.people, chance=request.chance)
        lines = [f"spendings = [{', '.join(read)}]", f"promise = {call}"]
    return write_python(*lines, "print(promise)")


def _read_spendings(request: PromiseRequest) -> list[sl.Spending]:
    """Read what the files cost; none with an epsilon instead."""
    if not request.files:
        if request.epsilon is None:
            raise BadNoise("what promises something? give ledgers or noisy counts, or an epsilon with --epsilon")
        return []
    if request.epsilon is not None or request.delta != "0" or request.neighbours is not None:
        raise BadNoise(
            "files say themselves what they cost; leave out --epsilon, --delta and --neighbours, or the files"
        )
    return collect_spendings(request.files)


class PromiseAnswer(FlatAnswer):
    """What noise promises: in beliefs, as error rates of a test and as a risk."""

    question: ClassVar[str] = "What does the noise promise?"

    kind: str = "promise"
    schema_version: int = 1
    epsilon: float
    delta: float
    people: int | None
    neighbours: str
    condition: str | None
    shift: float
    chance: float
    error_rates: dict[str, float]
    disclosure_risk: dict[str, dict[str, Any]]
    request: Live[PromiseRequest]
    promised: Live[sl.SemanticPrivacy]
    drawn: Live[Path | None] = None  # where a picture was saved, for the terminal only

    def charts(self) -> Iterator[Drawing]:
        yield self.promised.plot(false_alarms=self.request.false_alarms, prior=self.request.prior)

    def blocks(self) -> Blocks:
        text = self.promised.explain(false_alarms=self.request.false_alarms, prior=self.request.prior)
        *first, last = text.split("\n\n")
        yield from (Paragraph(f"{each}\n") for each in first)
        yield Paragraph(f"{last}\n" if self.notes else last)
        if self.notes:
            yield Points(self.notes)

    def private_blocks(self) -> Blocks:
        if self.drawn is not None:
            yield Code(f"Drawn: {self.drawn}")


def ask_promise(request: PromiseRequest) -> PromiseAnswer:
    """Read the spendings of files, or take an epsilon and delta, and compute what they promise."""
    spendings = _read_spendings(request)
    if spendings:
        promised = sl.promise_of(spendings, people=request.people, chance=request.chance)
    else:
        promised = sl.semantic_privacy(
            request.epsilon,
            request.delta,
            people=request.people,
            chance=request.chance,
            neighbours=request.neighbours or "add or remove",
        )
    risks = {}
    for name, known in (("being_in", False), ("a_value", True)):
        risks[name] = asdict(promised.disclosure_risk(request.prior, known_to_be_in=known))
        del risks[name]["about"], risks[name]["neighbours"], risks[name]["condition"]
    rates = promised.error_rates(request.false_alarms)
    units = dict.fromkeys(each.counted.unit.sentence() for each in spendings if each.counted is not None)
    notes = [*promised.warnings, *(f"promised {sentence}" for sentence in units)]
    if len(spendings) > 1:
        notes.append(f"for {counted(len(spendings), 'release')} together")
        # sums of epsilons hold for adaptive releases; what is read off the noise of several does not
        if request.chance is not None:
            planned = "this holds if the releases were planned in advance"
            notes.append(f"{planned}; where later ones were chosen after seeing earlier ones, leave out --chance")
    return PromiseAnswer(
        source=request.files or None,
        **{name: getattr(promised, name) for name in ("epsilon", "delta", "people", "neighbours", "shift", "chance")},
        condition=promised.condition or None,
        error_rates={name: getattr(rates, name) for name in ("false_alarms", "recognised", "advantage", "right")},
        disclosure_risk=risks,
        notes=tuple(notes),
        request=request,
        promised=promised,
    )
