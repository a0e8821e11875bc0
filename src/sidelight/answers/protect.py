"""Which release is the most useful within a policy?  It is published if asked.

Also: which way of publishing keeps most of a table (`ask_compare`), and what do measures find at every choice of levels
(`ask_generalisations`)?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from warnings import catch_warnings, simplefilter

from pydantic import ConfigDict

import sidelight as sl
from sidelight.answers.recipe import (
    Name,
    levels_text,
    write_call,
    write_hierarchies,
    write_measures,
    write_policy,
    write_protect,
    write_python,
    write_table,
)
from sidelight.answers.sources import (
    Question,
    note_hierarchies,
    read_asked_table,
    read_levels,
    require_policy,
    stream_asked_table,
)
from sidelight.documents.document import (
    AttackerFacts,
    DocumentPart,
    Number,
    ReleaseFacts,
    SparsePart,
    attacker_facts,
    number,
    release_facts,
)
from sidelight.engines.formats.write import writer_of
from sidelight.errors import BadHierarchy, BadPolicy, UnnamedAttackerWarning, list_name, listed
from sidelight.files import refuse_left_over, sidecar_path
from sidelight.interrupts import heed_interrupts, noticing_interrupts
from sidelight.policy.policy import drop_repeats
from sidelight.publish.publish import refuse_loud, values_path
from sidelight.publish.sidecar import PublishedFinding, Sidecar, dictionary_path, published_finding
from sidelight.release.release import ReleaseBlocks, StreamedRelease
from sidelight.report.answer import FlatAnswer, Live, Recipe
from sidelight.report.contents import release_page
from sidelight.report.make import report_on_result
from sidelight.report.page import Block, Blocks, Code, Grid, Page, PageSection, Paragraph, Points, Verdict
from sidelight.report.release_report import Circumstances
from sidelight.report.report import ATTACKERS, AuditReport, audit_report, notes_section
from sidelight.rounding import ROUNDED
from sidelight.search.method import Method, SearchResult
from sidelight.search.protect import METHODS, ComparedRelease, MethodName, ReleaseComparison
from sidelight.search.utility import MEANINGS
from sidelight.table.labels import SUPPRESSED
from sidelight.text import capitalize, counted, form, shorten_label

if TYPE_CHECKING:
    from sidelight.answers.questions import CompareRequest, GeneralisationsRequest, ProtectRequest
    from sidelight.answers.request import Request
    from sidelight.progress import Progress
    from sidelight.report.plots import Drawing
    from sidelight.streams.streamed_table import AnyTable


def list_targets(request: ProtectRequest) -> tuple[Path, ...]:
    """Return the files that a publication writes; raise `SidelightError` if they cannot be written."""
    if request.output is None:
        return ()
    path, method = request.output, METHODS[request.method]
    if request.quiet_method:
        refuse_loud(method())
    writer_of(path, request.written_as, in_spark=request.settings.engine == "spark")
    refuse_left_over(path, sidecar_path(path), force=request.force)
    values = () if method.prints_rows else (values_path(path),)
    return (path, sidecar_path(path), dictionary_path(path), *values)


def _open_searched(request: ProtectRequest) -> tuple[AnyTable, dict[str, sl.Hierarchy]]:
    """Read the table and its hierarchies; raise `BadHierarchy` if a search over levels lacks one."""
    table, by = stream_asked_table(request)
    lattice = request.method == sl.FullDomain.name
    if request.suppress_only and not lattice:
        raise BadPolicy(
            f"method '{request.method}' cannot publish a column only as it is or as *; leave --suppress-only out, or "
            "use --method lattice"
        )
    bare = next((column.name for column in table.quasi if column.name not in by), None)
    if lattice and bare is not None:
        raise BadHierarchy(
            f"no hierarchy for '{bare}'; put '{bare}.csv' into the folder of --hierarchies (sidelight "
            f"hierarchies drafts one), or say --suppress-only '{bare}' to publish it as it is or as *"
        )
    return table, by


def write_protect_again(request: ProtectRequest) -> str:
    """Write the Python that comes to the same."""
    folder = "hierarchies/" if request.hierarchies is None else str(request.hierarchies)
    stated = request.state("suppress", "nodes", "suppressed", "average", "resists", "utility", "ask")
    call = write_protect(request.method, {"levels": read_levels(request.levels), **stated})
    return write_python(
        f"table = {write_table(request.file, request.roles)}",
        'policy = sl.read_policy("policy.toml")  # as it stands below',
        f"hierarchies = {write_call('sl.read_hierarchies', folder)}",
        f"found = {call}",
        *([] if request.output is None else [write_call("found.publish", str(request.output))]),
        "report = sl.release_report(found)",
    )


class LevelFacts(SparsePart):
    """A choice of levels with its utilities, null if infinite, and in a table of choices its measures."""

    model_config = ConfigDict(from_attributes=True)  # from a choice of a search

    levels: dict[str, int]
    groups: int = 0
    suppressed: int
    measured: dict[str, Number] | None = None
    utility: Mapping[str, float | None]


class DefenceFacts(DocumentPart):
    """Whom a release resists, and the price; for the publisher only, as the plain loss depends on the table."""

    reader: str
    belief: Number | None
    loss: float
    plain_loss: float


class AskedAttackerFacts(AttackerFacts):
    """What an attacker reaches, and how often that is right; for the publisher only."""

    right: float | None
    falls: bool


class ProtectAnswer(FlatAnswer):
    """The release that was found, beside the table; `published` is its sidecar, null if it was not published."""

    question: ClassVar[str] = "Which release is the most useful within the policy?"

    kind: str = "protect"
    schema_version: int = 2
    verdict_: str
    release: ReleaseFacts
    findings: tuple[PublishedFinding, ...]
    method: str
    levels: dict[str, int]
    suppressed: int
    utility: dict[str, float | None]
    choices: tuple[LevelFacts, ...]
    checked: int
    complete: bool
    warnings: tuple[str, ...]
    resistance: DefenceFacts | None
    readers: tuple[AskedAttackerFacts, ...]
    published: Sidecar | None
    judged: Live[Verdict | None] = "within"
    before: Live[AuditReport]  # of the table, published unchanged
    result: Live[SearchResult]
    files: Live[sl.Published | None]

    def blocks(self) -> Blocks:
        result, before = self.result, self.before
        how = f"{before.source} by {result.method.name}"
        headline = f"Published within policy: {how}, judged again as read from the disk."
        if self.files is None:
            headline = f"Within policy, and not published: {how}; --output FILE publishes it."
        yield Paragraph(headline, "answer", "within")
        yield self._comparison()
        lines = list(_sentences(result))
        if any("." in each.result.text for each in (*before.answer.findings, *self.findings)):
            lines.insert(0, ROUNDED)
        if len(result.release) == 1 < before.answer.release.groups:
            lines.append(
                "Everybody is in one group: nothing is left of these columns. A few people may be the reason "
                "(try --suppress 0.02), or one of the limits; another --method may keep more."
            )
        yield PageSection("", tuple(map(Paragraph, lines)))
        if len(result.choices) > 1:
            yield PageSection("Choices of levels, the best first", tuple(_list_choices(result)))
        attackers = [
            f"✗ The release falls to one: {each.for_the_publisher()}; {each.attacker.remedy}."
            if each.falls
            else f"{capitalize(each.for_the_publisher())}."
            for each in result.readers
        ]
        if attackers:
            yield PageSection(ATTACKERS, (Points(tuple(attackers)),))
        notes = [note for judgement in result.verdict.judgements for note in judgement.finding.notes]
        yield from notes_section((*before.notes, *notes, *result.warnings))
        if self.files is not None:
            written = (*self.files.paths, self.files.sidecar, self.files.dictionary)
            yield Code(f"Written: {', '.join(map(str, written))}")

    def _comparison(self) -> Grid:
        before, result = self.before.answer, self.result
        rows = [
            ("people", f"{before.release.people:,}", f"{result.release.size:,}", ""),
            ("groups", f"{before.release.groups:,}", f"{len(result.release):,}", ""),
        ]
        for old, new in zip(before.findings, self.findings, strict=True):
            rows.append((new.text, old.result.text, new.result.text, f"{new.limit.text}  ✓"))
        return Grid(("", "the table", "the release", "wanted"), tuple(rows), figures=frozenset({1, 2}), dense=True)

    def page(self, recipe: Recipe) -> Page:
        source = Path(self.before.source or "").name if self.files is None else self.files.path.name
        known = Circumstances(again=recipe)
        report = report_on_result(self.result, known, source=source, published=self.published)
        notes = tuple(dict.fromkeys((*report.notes, *self.before.notes)))
        return release_page(report.model_copy(update={"notes": notes}))


class NothingAnswer(FlatAnswer):
    """Nothing can be published within the policy: which limit blocks it, and which release comes closest."""

    question: ClassVar[str] = ProtectAnswer.question

    schema_version: int = 2
    verdict_: Literal["nothing within policy"]
    blocked_by: Any
    closest: Any
    judged: Live[Verdict | None] = "not within"
    reason: Live[str]

    def blocks(self) -> Blocks:
        yield Paragraph("Nothing within policy", "answer", "not within")
        yield Paragraph(self.reason)


def ask_protect(
    request: ProtectRequest, progress: Progress, publishing: Callable[..., object] = lambda *_: None
) -> ProtectAnswer:
    """Read, search, and publish if there is an output; raise `NothingSafe` if nothing is within the policy.

    `publishing` is called with the files as soon as they exist, even if the answer fails later.
    """
    policy = require_policy(request.question)
    table, by = _open_searched(request)
    result = _search_to_the_end(request, table, by, progress)
    heed_interrupts()
    published, explained = None, list[str]()
    if request.output is not None:
        names = ("layout", "written_as", "bounds", "private_hierarchies", "quiet_method", "force")
        published = result.publish(request.output, **{name: getattr(request, name) for name in names})
        publishing(*published.paths, published.sidecar)
        explained = [each.column for each in published.document.hierarchies if each.covers]
    printed = (
        f"the sidecar tells which values stand under the labels of {listed(explained)}, as the hierarchies have them"
    )
    private = [f"{printed}; keep that back with --private-hierarchies"] if explained else []
    notes = (*note_hierarchies(request, table), *result.notes, *private)
    # the table, published unchanged
    raw: ReleaseBlocks
    if isinstance(table, sl.StreamedTable):
        raw = StreamedRelease(table.stream, table.memory)
    else:
        raw = sl.group(table, by=[column.name for column in table.quasi])
    before = audit_report(raw, verdict=policy.judge(raw), source=request.file, notes=notes)
    return ProtectAnswer(
        source=request.file,
        **_describe(result),
        published=None if published is None else published.document,
        notes=(*table.intake.notes(), *notes),
        before=before,
        result=result,
        files=published,
    )


def describe_nothing(nothing: sl.NothingSafe, request: Request, reason: str) -> NothingAnswer:
    """Return the answer that nothing is within the policy; `reason` is the message in the surface's words."""
    return NothingAnswer(
        kind=request.verb,
        source=request.file,
        verdict_="nothing within policy",
        blocked_by=nothing.blocked_by,
        closest=nothing.closest,
        reason=reason,
    )


def _search_to_the_end(
    request: ProtectRequest, table: AnyTable, by: Mapping[str, sl.Hierarchy], progress: Progress
) -> SearchResult:
    """Search; raise `KeyboardInterrupt` after Ctrl-C, as an unfinished search depends on the moment."""
    method: Method | MethodName = request.method
    if request.average is not None:
        if request.method != sl.Microaggregation.name:
            raise BadPolicy(
                f"method '{method}' averages nothing; leave --average out, or use --method microaggregation"
            )
        method = sl.Microaggregation(labels=request.average)
    elif request.method == sl.FullDomain.name:
        method = sl.FullDomain(suppress=request.suppress, suppressed=request.suppressed, nodes=request.nodes)
    with noticing_interrupts() as interrupts, catch_warnings():
        simplefilter("ignore", UnnamedAttackerWarning)  # the answer says so
        try:
            result = sl.protect(
                table,
                require_policy(request.question),
                by=by,
                method=method,
                utility=request.utility,
                suppress=0 if request.method == sl.FullDomain.name else request.suppress,
                levels=read_levels(request.levels) if request.levels else None,
                resists=request.resists,
                ask=request.ask,
                progress=progress,
            )
        except sl.SidelightError:
            if interrupts.noticed:
                raise KeyboardInterrupt("nothing was published, and nothing within policy was found yet") from None
            raise
    if interrupts.noticed:
        levels = ", ".join(f"{name} {level}" for name, level in result.levels.items())
        raise KeyboardInterrupt(
            f"nothing was published; the best so far has levels {levels}: --nodes {result.checked} publishes that"
        )
    return result


def _describe(result: SearchResult) -> dict[str, Any]:
    resistance, defence = result.resistance, None
    if resistance is not None:
        belief = None if resistance.belief is None else number(resistance.belief, large_is_bad=True)
        loss, plain_loss = result.utility["loss"], resistance.plain_loss
        defence = DefenceFacts(reader=resistance.attacker, belief=belief, loss=loss, plain_loss=plain_loss)
    names = ("levels", "suppressed", "utility", "choices", "checked", "complete", "warnings")
    return {name: getattr(result, name) for name in names} | {
        "verdict_": str(result.verdict),
        "release": release_facts(result.release),
        "findings": tuple(map(published_finding, result.verdict.judgements)),
        "method": result.method.name,
        "resistance": defence,
        "readers": tuple(
            AskedAttackerFacts(**dict(attacker_facts(each)), right=each.right, falls=each.falls)
            for each in result.readers
        ),
    }


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
    people = result.recoding.table.people
    if result.suppressed:
        yield f"Suppressed: {result.suppressed:,} of {counted(people, 'person')}."


def _list_choices(result: SearchResult, shown: int = 10) -> Iterator[Block]:
    """List other releases by their `--levels`, a line each that does not wrap."""
    suppresses = any(choice.suppressed for choice in result.choices)
    names = (*(["suppressed"] if suppresses else []), "balanced loss", "loss")
    wide = {name: max(len(name), 6) for name in names}
    lines = ["  ".join((*(name.rjust(wide[name]) for name in names), "--levels"))]
    for choice in result.choices[:shown]:
        figures = {"suppressed": f"{choice.suppressed:,}"}
        figures |= {name: figure(choice.utility[name]) for name in ("balanced loss", "loss")}
        lines.append("  ".join((*(figures[name].rjust(wide[name]) for name in names), levels_text(choice.levels))))
    yield Code("\n".join(lines))
    if len(result.choices) > shown:
        yield Paragraph(f"… and {len(result.choices) - shown:,} more; --json has all.")
    yield Paragraph("Each is minimal: none of its levels can be lower within policy. --levels takes one.")


def figure(worth: float, figures: int = 4) -> str:
    """Write a utility with a few significant figures.

    >>> figure(0.123456), figure(123456.7), figure(math.inf)
    ('0.1235', '123,457', 'infinite')
    """
    return "infinite" if math.isinf(worth) else f"{worth:,.{figures}g}" if worth < 10**figures else f"{worth:,.0f}"


def write_compare(request: CompareRequest) -> str:
    """Write the Python that comes to the same."""
    settings: dict[str, object] = {"methods": request.tried, "suppress": request.suppress, "resists": request.resists}
    lines = [f"table = {write_table(request.file, request.roles)}"]
    if request.hierarchies is not None or request.suppress_only:
        lines += write_hierarchies(request.hierarchies, request.suppress_only)
        settings["by"] = Name("hierarchies")
    lines.append(f"policy = {write_policy(request.question)}")
    lines.append(f"print({write_call('sl.compare', Name('table'), Name('policy'), **settings)})")
    return write_python(*lines)


class CompareAnswer(FlatAnswer):
    """What each way of publishing would keep, a row each, and the one that is advised; infinite figures are null."""

    question: ClassVar[str] = "Which way of publishing keeps most of the table?"

    kind: str = "compare"
    schema_version: int = 1
    policy: str
    advised: int
    advice: tuple[str, ...]
    utilities: dict[str, str]
    rows: tuple[dict[str, Any], ...]
    ways: Live[ReleaseComparison]
    people: Live[int]

    def charts(self) -> Iterator[Drawing]:
        yield self.ways.plot()

    def blocks(self) -> Blocks:
        people = counted(self.people, "person")
        yield Paragraph(f"{self.source}: {people}; wanted: {self.policy}. Nothing was published.")
        printed = []
        for index, (row, written) in enumerate(zip(self.ways.rows, self.rows, strict=True)):
            name = row.method.name + (f"\nresisting an {row.method.resists}" if row.method.resists else "")
            groups, suppressed = "", ""
            if row.result is not None:
                most = f" (≤ {row.suppress * 100:.3g} %)" if row.suppress else ""
                groups, suppressed = f"{len(row.result.release):,}", f"{row.result.suppressed:,}{most}"
            what = _describe_columns(row) if written["reason"] is None else f"✗ {written['reason']}"
            printed.append((self._number(index), name, groups, suppressed, what))
        headings = ("", "method", "groups", "suppressed", "what is printed, and of the largest group")
        yield Grid(headings, tuple(printed), figures=frozenset({0, 2, 3}), dense=True)
        worths = tuple(
            (self._number(index), *(figure(row.result.utility[name], 3) for name in MEANINGS))
            for index, row in enumerate(self.ways.rows)
            if row.result is not None
        )
        yield Grid(("", *MEANINGS), worths, figures=frozenset(range(len(MEANINGS) + 1)), dense=True)
        meanings = Points(tuple(f"{name}: {MEANINGS[name]}" for name in MEANINGS))
        yield PageSection("What it means (less is better)", (meanings,))
        yield PageSection("Which one", (Points((*self.advice, self._command())),))
        yield from notes_section(self.notes)

    def _number(self, index: int) -> str:
        """Return the number of a row, with an arrow if it is advised."""
        return f"→ {index + 1}" if index + 1 == self.advised else str(index + 1)

    def _command(self) -> str:
        row = self.ways.advised
        words = [f"--method {row.method.name}"] if row.method.name != "lattice" else []
        words += [f"--resists {row.method.resists}"] if row.method.resists else []
        if row.levels:
            words += [f"--suppress {row.suppress:g}"] if row.suppress else []
            words += [f"--levels '{levels_text(row.levels)}'"]
        return f"To publish it: sidelight protect … {' '.join(words)} --output FILE"


def _describe_columns(row: ComparedRelease) -> str:
    """Describe how each column is printed, unchanged ones first, and the largest group."""
    unchanged = [name for name, what in row.labels.items() if what == "as it is"]
    coarser = [f"{name} in {what}" for name, what in row.labels.items() if what not in ("as it is", SUPPRESSED)]
    suppressed = [name for name, what in row.labels.items() if what == SUPPRESSED]
    clauses = [f"{', '.join(unchanged)} as {'it is' if len(unchanged) == 1 else 'they are'}"] if unchanged else []
    clauses += coarser + ([f"nothing of {', '.join(suppressed)}"] if suppressed else [])
    example = ", ".join(list_name(shorten_label(what)) for what in row.example.values())
    best = f"\nbest at {', '.join(row.best_at)}" if row.best_at else ""
    return "; ".join(clauses) + (f"\n{example}" if example else "") + best


def ask_compare(
    request: CompareRequest, progress: Progress, wording: Callable[[sl.SidelightError], str] = str
) -> CompareAnswer:
    """Read the table and search in every way; `wording` writes the error of one that finds nothing."""
    policy = require_policy(request.question)  # without any, nothing else matters
    table, by = read_asked_table(request)
    ways = sl.compare(
        table,
        policy,
        by=by,
        methods=request.tried,
        suppress=request.suppress,
        resists=request.resists,
        progress=progress,
    )
    others = [name for name in request.method if name not in request.tried]
    left_out = (
        f"not tried, as they cannot publish a column only as it is or as * (--suppress-only): {', '.join(others)}"
    )
    return CompareAnswer(
        source=request.file,
        policy=str(ways.policy),
        advised=ways.rows.index(ways.advised) + 1,
        advice=tuple(ways.advice()),
        utilities=dict(MEANINGS),
        rows=tuple(_row_fields(ways, row, wording) for row in ways.rows),
        notes=(*table.intake.notes(), *note_hierarchies(request, table), *([left_out] if others else [])),
        ways=ways,
        people=table.people,
    )


def _row_fields(
    ways: ReleaseComparison, row: ComparedRelease, wording: Callable[[sl.SidelightError], str]
) -> dict[str, Any]:
    utility: dict[str, float] = {} if row.result is None else {name: row.result.utility[name] for name in MEANINGS}
    return {
        **ways.as_data(row),
        **utility,
        "best_at": row.best_at,
        "levels": dict(row.levels),
        "labels": dict(row.labels),
        "example": dict(row.example),
        "reason": None if row.refusal is None else wording(row.refusal),
    }


ROWS_DRAWN = 100  # the JSON has all


def _choose_rows(request: GeneralisationsRequest) -> Literal["all", "within", "minimal"]:
    """Return which rows are listed; by default, with limits the minimal ones, else all."""
    policy = request.question.policy
    listed = request.rows or ("all" if policy is None else "minimal")
    if policy is None and listed != "all":
        raise BadPolicy(f"--rows {listed} needs limits to be within; add --limit 'group size >= 5', for example")
    if policy is not None and listed == "all" and request.suppress:
        raise BadPolicy("--suppress is for rows within the limits; leave --rows all out, or --suppress")
    if request.suppressed != "as *" and not request.suppress:
        raise BadPolicy(
            "--suppressed says what becomes of suppressed people; say with --suppress how many may be, or leave it out"
        )
    return listed


def _choose_measures(question: Question) -> tuple[sl.Measure, ...]:
    """Return the measures of limits and options, or by default group size and comparisons with the population."""
    limited = question.policy.measures if question.policy else ()
    return drop_repeats((*limited, *question.measures)) or (sl.GroupSize(), *question.compared())


def write_generalisations(request: GeneralisationsRequest) -> str:
    """Write the Python that comes to the same."""
    settings: dict[str, object] = {"suppress": request.suppress or None}
    lines = [f"table = {write_table(request.file, request.roles)}"]
    lines += write_hierarchies(request.hierarchies, request.suppress_only)
    lines.append(f"measures = {write_measures(_choose_measures(request.question))}")
    listed = _choose_rows(request)
    if listed != "all":
        lines.append(f"policy = {write_policy(request.question)}")
        # the default of Python is minimal rows too, so only `False` is written
        settings |= {"policy": Name("policy"), "minimal": None if listed == "minimal" else Name("False")}
    if request.suppressed != "as *":
        settings["suppressed"] = request.suppressed
    names = map(Name, ("table", "hierarchies", "measures"))
    call = write_call("sl.generalisation_table", *names, list(request.utility), **settings)
    return write_python(*lines, f"print({call}.to_arrow())")


class GeneralisationsAnswer(FlatAnswer):
    """A row for each choice of levels: its groups, measures and utilities."""

    question: ClassVar[str] = "What do measures say of every choice of levels?"

    kind: str = "generalisations"
    schema_version: int = 1
    listed: Literal["all", "within", "minimal"]
    policy: str | None
    measures: tuple[str, ...]
    rows: tuple[LevelFacts, ...]
    table: Live[sl.GeneralisationTable]
    people: Live[int]

    def blocks(self) -> Blocks:
        policy, rows = self.policy, len(self.rows)
        which = {"all": "all of them", "within": "all within policy", "minimal": "the minimal ones within policy"}
        counts = f"{counted(self.people, 'person')}; {counted(rows, 'generalisation')}"
        limits = "" if policy is None else f": {policy}"
        yield Paragraph(f"{counts}, {which[self.listed]}{limits}. Nothing was published.", lead=str(self.source))
        yield self._draw_rows()
        if rows > ROWS_DRAWN:
            yield Paragraph(f"… and {rows - ROWS_DRAWN:,} more; --json has all.")
        yield Paragraph(f"{ROUNDED} A level of 0 is a column as it is; of utilities, less is better.")
        yield Paragraph("To publish one: sidelight protect … --levels COLUMN=LEVEL,… --output FILE")
        yield from notes_section(self.notes)

    def _draw_rows(self) -> Block:
        table = self.table
        suppresses = any(row.suppressed for row in table)
        sizes = ("groups", "suppressed") if suppresses else ("groups",)
        rows = tuple(
            (
                *map(str, row.node),
                f"{row.groups:,}",
                *([f"{row.suppressed:,}"] if suppresses else []),
                *table.glances(row),
                *map(figure, row.worths),
            )
            for row in table.rows[:ROWS_DRAWN]
        )
        headings = (*table.columns, *sizes, *table.measures, *table.utilities)
        figures = frozenset(range(len(headings)))
        return Grid(headings, rows, figures=figures, repeated=len(table.columns) + len(sizes))


def ask_generalisations(request: GeneralisationsRequest, progress: Progress) -> GeneralisationsAnswer:
    """Read the table and measure its generalisations; after Ctrl-C, rows are missing."""
    listed = _choose_rows(request)
    policy = None if listed == "all" else request.question.policy
    table, by = read_asked_table(request)
    bare = [column.name for column in table.quasi if column.name not in by]
    bare_note = [f"without a hierarchy, and so printed as they are in every row: {', '.join(bare)}"] if bare else []
    rows = sl.generalisation_table(
        table,
        by,
        _choose_measures(request.question),
        request.utility,
        policy=policy,
        minimal=listed == "minimal",
        suppress=request.suppress,
        suppressed=request.suppressed,
        progress=progress,
    )
    return GeneralisationsAnswer(
        source=request.file,
        listed=listed,
        policy=None if policy is None else str(policy),
        measures=rows.measures,
        rows=tuple(_list_rows(rows)),
        notes=(*table.intake.notes(), *note_hierarchies(request, table), *bare_note, *rows.notes),
        table=rows,
        people=table.people,
    )


def _list_rows(table: sl.GeneralisationTable) -> Iterator[LevelFacts]:
    for row in table:
        values = zip(row.measured.items(), table.large_is_bad, strict=True)
        yield LevelFacts(
            levels=row.levels,
            groups=row.groups,
            suppressed=row.suppressed,
            measured={name: number(value, large_is_bad=large_is_bad) for (name, value), large_is_bad in values},
            utility=row.utility,
        )
