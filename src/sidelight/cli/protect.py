"""`sidelight protect`: find the most useful release of a table within a policy, and publish it, or only tell of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from warnings import catch_warnings, simplefilter

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

import sidelight as sl
from sidelight.answers.audit import search_in_python
from sidelight.answers.sources import Question, TableSource, read_levels
from sidelight.cli.interrupts import heed_interrupts, noticing_interrupts
from sidelight.cli.options import EngineOptions, PublishOptions, SearchOptions
from sidelight.cli.run import Output, Status, bar, command_line, in_options, remember_written, say
from sidelight.documents.document import Envelope, number
from sidelight.documents.facts import reader_facts, release_facts
from sidelight.engines.spark.parts import parts_or_file
from sidelight.engines.streamed_table import AnyTable
from sidelight.errors import (
    BadHierarchy,
    BadPolicy,
    FallsToReaderWarning,
    NothingSafe,
    SidelightError,
    listed,
    parameter,
)
from sidelight.files import refuse_left_over, sidecar_path
from sidelight.measures.attacker import AttackerAnswer
from sidelight.publish.describe import published_finding
from sidelight.publish.dictionary import dictionary_path
from sidelight.publish.plan import values_path
from sidelight.publish.publish import refuse_loud
from sidelight.release.blocks import ReleaseBlocks
from sidelight.release.streamed import StreamedRelease
from sidelight.report.make import ReportDetails, report_on_result
from sidelight.report.outlines import release_page
from sidelight.report.page import Page
from sidelight.report.report import ATTACKERS as READERS
from sidelight.report.report import (
    AuditReport,
    audit_report,
)
from sidelight.report.terminal import sentences
from sidelight.rounding import ROUNDED
from sidelight.search.method import Method, Resistance, SearchResult
from sidelight.search.protect import METHODS, MethodName
from sidelight.streams.memory import MEMORY, Memory
from sidelight.text import counted, form

SCHEMA_VERSION = 2
"""Raised whenever a reader of the document would have to change."""

NOTHING_YET = "nothing was published, and nothing within policy was found yet"


@dataclass(frozen=True, slots=True)
class ProtectRequest:
    """Which table, under which policy, along which hierarchies, and how a release is searched for."""

    file: str
    question: Question
    hierarchies: Path | None
    search: SearchOptions
    memory: str | None = None  # how much may be used; the table is then streamed
    engine: EngineOptions = EngineOptions()

    @property
    def source(self) -> TableSource:
        """Where the table and its hierarchies are."""
        return TableSource(self.file, self.hierarchies, self.search.suppress_only, self.engine)

    def open(self) -> tuple[AnyTable, dict[str, sl.Hierarchy]]:
        """Read the table and its hierarchies."""
        if self.memory is None and self.source.fits_here(self.question.roles):
            return self.source.open(self.question.roles)
        return self.source.stream(self.question.roles, Memory.parse(self.memory or MEMORY))


def protect(request: ProtectRequest, target: PublishOptions) -> Status:
    """Read, search, publish, print."""
    question, search = request.question, request.search
    policy = policy_of(question)
    output = Output(target.json, None, target.force, (), target.html, target.markdown)
    _refuse_targets(request, target, output)
    table, by = request.open()
    _refuse_bare(table, by, search)
    notes = (*question.notes, *request.source.notes(table))
    try:
        result = search_to_the_end(table, policy, by, search)
    except NothingSafe as nothing:
        return report_nothing(nothing, "protect", request.file, output)
    heed_interrupts()
    published = None
    if target.output is not None:
        published = result.publish(
            target.output,
            force=target.force,
            layout=target.layout,
            written_as=target.written_as,
            private_hierarchies=target.private_hierarchies,
            quiet_method=target.quiet_method,
            bounds=target.bounds,
        )
        remember_written(*published.paths, published.sidecar)
    notes = (*notes, *result.notes, *_told(published))
    raw = _as_it_is(table)
    before = audit_report(raw, verdict=policy.judge(raw), source=request.file, notes=notes)
    document = Envelope(
        kind="protect",
        schema_version=SCHEMA_VERSION,
        source=request.file,
        answer=answer(result, published),
        notes=(*table.intake.notes(), *notes),
    )
    output.write(document, draw(before, result, published), page=lambda: _page(request, before, result, published))
    return Status.WITHIN_POLICY


def _as_it_is(table: AnyTable) -> ReleaseBlocks:
    """Look at a table as if it were published as it is."""
    if isinstance(table, sl.StreamedTable):
        return StreamedRelease(table.stream, table.memory)
    return sl.group(table, by=[column.name for column in table.quasi])


def _told(published: sl.Published | None) -> tuple[str, ...]:
    """Say which hierarchies can be read in the sidecar."""
    columns = [each.column for each in published.document.hierarchies if each.covers] if published else []
    note = f"the sidecar tells which values stand under the labels of {listed(columns)}, as the hierarchies have them"
    return (f"{note}; keep that back with --private-hierarchies",) if columns else ()


def _page(request: ProtectRequest, before: AuditReport, result: SearchResult, published: sl.Published | None) -> Page:
    """Lay out what was found as a report for whoever signs."""
    details = ReportDetails(
        commands=(command_line(),),
        python=search_in_python(request.file, result, None if published is None else published.path),
    )
    source = Path(request.file).name if published is None else published.path.name
    report = report_on_result(
        result, details, source=source, published=None if published is None else published.document
    )
    notes = tuple(dict.fromkeys((*report.notes, *before.notes)))
    return release_page(report.model_copy(update={"notes": notes}))


def _refuse_targets(request: ProtectRequest, target: PublishOptions, output: Output) -> None:
    """Refuse, before any work is done, places that cannot be written or that something is read from."""
    inputs = (*request.source.files(), *request.question.files)
    pages = [path for path in (target.html, target.markdown) if path is not None]
    if request.memory is not None and pages:
        message = (
            f"'{pages[0]}' draws what a whole table says, which does not go with {parameter('memory')}; leave one out"
        )
        raise BadPolicy(message)
    if target.output is None:
        _refuse_alone(target)
        output.refuse(inputs)
        return
    if target.quiet_method:
        refuse_loud(METHODS[request.search.method]())
    path, beside, dictionary = target.output, sidecar_path(target.output), dictionary_path(target.output)
    parts_or_file(path, target.written_as, in_spark=request.engine.engine == "spark")
    refuse_left_over(path, beside, force=target.force)
    apart = () if METHODS[request.search.method].prints_rows else (values_path(path),)
    output.refuse(inputs, beside=(path, beside, dictionary, *apart))


def _refuse_alone(target: PublishOptions) -> None:
    """Refuse what is about a file where there is none."""
    replaces = target.force and target.html is None and target.markdown is None
    about_a_file = {"--layout": target.layout, "--written-as": target.written_as, "--force": replaces}
    about_a_file |= {"--quiet-method": target.quiet_method}
    for option, setting in about_a_file.items():
        if setting:
            message = f"{option} is about the file that is published; say where to with --output, or leave it out"
            raise BadPolicy(message)


def policy_of(question: Question) -> sl.Policy:
    """Take the limits of a question; there have to be some."""
    if question.policy is None:
        message = "a policy without any limit; give --policy, or limits such as --limit 'group size >= 5'"
        raise BadPolicy(message)
    return question.policy


def _refuse_bare(table: AnyTable, by: Mapping[str, sl.Hierarchy], search: SearchOptions) -> None:
    """Refuse a search over levels where a column has none, and others where a column may only be suppressed."""
    if search.suppress_only and search.method != sl.FullDomain.name:
        message = (
            f"method '{search.method}' cannot publish a column only as it is or as *; leave --suppress-only out, or "
            "use --method lattice"
        )
        raise BadPolicy(message)
    bare = [column.name for column in table.quasi if column.name not in by]
    if search.method == sl.FullDomain.name and bare:
        message = (
            f"no hierarchy for '{bare[0]}'; put '{bare[0]}.csv' into the folder of --hierarchies (sidelight "
            f"hierarchies drafts one), or say --suppress-only '{bare[0]}' to publish it as it is or as *"
        )
        raise BadHierarchy(message)


def search_to_the_end(
    table: AnyTable, policy: sl.Policy, by: Mapping[str, sl.Hierarchy], search: SearchOptions
) -> SearchResult:
    """Search to the end: what a search has when Ctrl-C is pressed depends on the moment, and is not published."""
    with noticing_interrupts() as interrupts:
        try:
            result = _search(table, policy, by, search)
        except SidelightError:
            if interrupts.noticed:
                raise KeyboardInterrupt(NOTHING_YET) from None
            raise
    if interrupts.noticed:
        levels = ", ".join(f"{name} {level}" for name, level in result.levels.items())
        message = f"nothing was published; the best so far has levels {levels}: --nodes {result.checked} publishes that"
        raise KeyboardInterrupt(message)
    return result


def _search(table: AnyTable, policy: sl.Policy, by: Mapping[str, sl.Hierarchy], search: SearchOptions) -> SearchResult:
    """Search, showing what is being tried."""
    levels = read_levels(search.levels) if search.levels else None
    with bar("trying") as progress, catch_warnings():
        simplefilter("ignore", FallsToReaderWarning)  # the page says so
        return sl.protect(
            table,
            policy,
            by=by,
            method=_method(search),
            utility=search.utility,
            suppress=0 if search.method == sl.FullDomain.name else search.suppress,
            levels=levels,
            resists=search.resists,
            ask=search.ask,
            progress=progress,
        )


def _method(search: SearchOptions) -> Method | MethodName:
    """Give the method with its own options; refuse one that is another method's."""
    if search.average is not None and search.method != sl.Microaggregation.name:
        message = f"method '{search.method}' averages nothing; leave --average out, or use --method microaggregation"
        raise BadPolicy(message)
    if search.method == sl.FullDomain.name:
        return sl.FullDomain(suppress=search.suppress, suppressed=search.suppressed, nodes=search.nodes)
    return search.method if search.average is None else sl.Microaggregation(labels=search.average)


def report_nothing(nothing: NothingSafe, kind: str, source: str, output: Output) -> Status:
    """Say that nothing can be published, and what would pass."""
    answer = {"verdict": "nothing within policy", "blocked_by": nothing.blocked_by, "closest": nothing.closest}
    document = Envelope(kind=kind, schema_version=SCHEMA_VERSION, source=source, answer=answer)
    message = in_options(nothing)
    output.keep(document, [Text("Nothing within policy", style="bold red"), Text(message)])
    if output.as_json:
        sys.stdout.write(document.to_json())
    else:
        say(message)
    return Status.NOT_WITHIN_POLICY


# What is told: before and after, how coarse each column is, what else could be chosen, what it cost, what was written.

ONE_GROUP = (
    "Everybody is in one group: nothing is left of these columns. A few people may be the reason "
    "(try --suppress 0.02), or one of the limits; another --method may keep more."
)

CHOICES_SHOWN = 10
"""How many minimal choices of levels are printed; JSON has all."""


def answer(result: SearchResult, published: sl.Published | None) -> dict[str, object]:
    """Give what was found as data; `published` is the sidecar, and null where nothing was published."""
    return {
        "verdict": str(result.verdict),
        "release": release_facts(result.release),
        "findings": [published_finding(each) for each in result.verdict.judgements],
        "method": result.method.name,
        "levels": dict(result.levels),
        "suppressed": result.suppressed,
        "utility": _finite(result.utility),
        "choices": [
            {"levels": dict(each.levels), "suppressed": each.suppressed, "utility": _finite(each.utility)}
            for each in result.choices
        ],
        "checked": result.checked,
        "complete": result.complete,
        "warnings": result.warnings,
        "resistance": None if result.resistance is None else _resistance(result, result.resistance),
        "readers": [_reader(each) for each in result.readers],
        "published": None if published is None else published.document,
    }


def _resistance(result: SearchResult, resistance: Resistance) -> dict[str, object]:
    """Say what is promised to whom, and the price; for the publisher: what was not made tells of the table."""
    return {
        "reader": resistance.reader,
        "belief": None if resistance.belief is None else number(resistance.belief, large_is_bad=True),
        "loss": result.utility["loss"],
        "plain_loss": resistance.plain_loss,
    }


def _reader(asked: AttackerAnswer) -> dict[str, object]:
    """Say what a reader reaches and how right that is; for the publisher."""
    return {**reader_facts(asked).model_dump(), "right": asked.right, "falls": asked.falls}


def _readers(result: SearchResult) -> Iterator[RenderableType]:
    lines = []
    for each in result.readers:
        text = each.for_the_publisher()
        lines.append(
            f"✗ The release falls to one: {text}; {each.remedy}." if each.falls else f"{text[:1].upper()}{text[1:]}."
        )
    yield from sentences(READERS, lines)


def _finite(utility: Mapping[str, float]) -> dict[str, float | None]:
    return {name: worth if math.isfinite(worth) else None for name, worth in utility.items()}


def draw(before: AuditReport, result: SearchResult, published: sl.Published | None) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom; `before` is about the table as it is."""
    yield _headline(before, result, published)
    yield _comparison(before, result)
    texts = [each.result.text for each in before.answer.findings]
    texts += [published_finding(each).result.text for each in result.verdict.judgements]
    if any("." in text for text in texts):
        yield Text(ROUNDED)
    yield from map(Text, _sentences(result))
    if len(result.release) == 1 < before.answer.release.groups:
        yield Text(ONE_GROUP)
    yield Text()
    yield from _choices(result)
    yield from _readers(result)
    notes = [note for judgement in result.verdict.judgements for note in judgement.finding.notes]
    yield from sentences("Notes", [*before.notes, *notes, *result.warnings])
    if published is not None:
        written = ", ".join(str(path) for path in (*published.paths, published.sidecar, published.dictionary))
        yield Text(f"Written: {written}", no_wrap=True, overflow="ignore")  # paths stay in one piece


def _headline(before: AuditReport, result: SearchResult, published: sl.Published | None) -> Text:
    how = f": {before.source} by {result.method.name}"
    if published is None:
        text = Text("✓ Within policy, and not published", style="bold green")
        return text.append(f"{how}; --output FILE publishes it.", style="not bold default")
    text = Text("✓ Published within policy", style="bold green")
    return text.append(f"{how}, judged again as read from the disk.", style="not bold default")


def _comparison(before: AuditReport, result: SearchResult) -> Grid:
    table = Grid(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for title in ("", "the table", "the release", "wanted"):
        table.add_column(title, overflow="fold", justify="left" if title in ("", "wanted") else "right")
    table.add_row("people", f"{before.answer.release.people:,}", f"{result.release.size:,}", "")
    table.add_row("groups", f"{before.answer.release.groups:,}", f"{len(result.release):,}", "")
    for old, new in zip(before.answer.findings, map(published_finding, result.verdict.judgements), strict=True):
        table.add_row(Text(new.text), old.result.text, new.result.text, Text(f"{new.limit.text}  ✓"))
    return table


def _sentences(result: SearchResult) -> Iterator[str]:
    if result.levels:
        shown = (f"{name} {level} of {result.hierarchies[name].height - 1}" for name, level in result.levels.items())
        yield f"Levels: {', '.join(shown)} (0: as it is)."
    if result.minimal:
        least, checked = len(result.minimal), result.checked
        yield f"{counted(least, 'minimal choice')} of levels; {checked:,} {form('was', checked)} looked at."
    elif result.method.puts_numbers_together:
        kinds = (f"{name} {kind}" for name, kind in result.kinds.items())
        yield f"Columns: {', '.join(kinds)} (--kind COLUMN=KIND)."
    yield "Utility (smaller is better): " + ", ".join(f"{name} {figure(u)}" for name, u in result.utility.items())
    people = result.outcome.recoding.table.people
    if result.suppressed:
        yield f"Suppressed: {result.suppressed:,} of {counted(people, 'person')}."


def _choices(result: SearchResult) -> Iterator[RenderableType]:
    """List what could be published instead, in the words of the option that does it: a line stays in one piece."""
    if len(result.choices) < 2:
        return
    yield Text("Choices of levels, the best first", style="bold")
    suppresses = any(choice.suppressed for choice in result.choices)
    numbers = ("suppressed", *_LISTED_UTILITIES) if suppresses else _LISTED_UTILITIES
    yield Text(
        "  ".join((*(name.rjust(_wide(name)) for name in numbers), "--levels")),
        no_wrap=True,
        overflow="ignore",
        style="dim",
    )
    for choice in result.choices[:CHOICES_SHOWN]:
        figures = {"suppressed": f"{choice.suppressed:,}"}
        figures |= {name: figure(choice.utility[name]) for name in _LISTED_UTILITIES}
        line = "  ".join((*(figures[name].rjust(_wide(name)) for name in numbers), levels_text(choice.levels)))
        yield Text(line, no_wrap=True, overflow="ignore")
    more = len(result.choices) - CHOICES_SHOWN
    if more > 0:
        yield Text(f"… and {more:,} more; --json has all.")
    yield Text("Each is minimal: none of its levels can be lower within policy. --levels takes one.\n")


_LISTED_UTILITIES = ("balanced loss", "loss")


def _wide(title: str) -> int:
    """How wide a column of figures is below its title."""
    return max(len(title), 6)


def levels_text(levels: Mapping[str, int]) -> str:
    """Write levels as `--levels` takes them.

    >>> levels_text({"age": 2, "sex": 0})
    'age=2,sex=0'
    """
    return ",".join(f"{name}={level}" for name, level in levels.items())


def figure(worth: float, figures: int = 4) -> str:
    """Show what something is worth: a few figures are enough to compare.

    >>> figure(0.123456), figure(123456.7), figure(math.inf)
    ('0.1235', '123,457', 'infinite')
    """
    return "infinite" if math.isinf(worth) else f"{worth:,.{figures}g}" if worth < 10**figures else f"{worth:,.0f}"
