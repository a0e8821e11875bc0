"""Which release is the most useful within a policy?  It is published, or only told of."""

from __future__ import annotations

import math
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from warnings import catch_warnings, simplefilter

import sidelight as sl
from sidelight.answers.recipe import levels_text, write_call, write_protect, write_python, write_table
from sidelight.answers.sources import TableRequest, read_levels, require_policy
from sidelight.documents.document import (
    DocumentPart,
    Number,
    ReaderFacts,
    ReleaseFacts,
    finite_or_none,
    number,
    reader_facts,
    release_facts,
)
from sidelight.engines.spark.source import parts_or_file
from sidelight.errors import (
    BadHierarchy,
    BadPolicy,
    FallsToReaderWarning,
    NothingSafe,
    NotPublished,
    SidelightError,
    listed,
)
from sidelight.files import open_private, refuse_left_over, sidecar_path
from sidelight.interrupts import heed_interrupts, noticing_interrupts
from sidelight.progress import Progress, quiet
from sidelight.publish.publish import Layout, refuse_loud, values_path
from sidelight.publish.sidecar import PublishedFinding, Sidecar, dictionary_path, published_finding
from sidelight.release.release import ReleaseBlocks, StreamedRelease
from sidelight.report.answer import Answer, Live, Recipe
from sidelight.report.contents import release_page
from sidelight.report.make import report_on_result
from sidelight.report.page import Block, Blocks, Code, Grid, Page, PageSection, Paragraph, Points
from sidelight.report.page import Verdict as VerdictName
from sidelight.report.release_report import Circumstances, DoAgain
from sidelight.report.report import ATTACKERS, AuditReport, audit_report, notes_section
from sidelight.rounding import ROUNDED
from sidelight.search.method import Method, SearchResult
from sidelight.search.protect import METHODS, Ask, MethodName
from sidelight.search.utility import DEFAULT_UTILITY, UtilityName
from sidelight.text import capitalize, counted, form

if TYPE_CHECKING:
    from sidelight.engines.formats.write import FormatName
    from sidelight.search.full_domain import Suppressed
    from sidelight.search.microaggregation import LabelAverage
    from sidelight.streams.streamed_table import AnyTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Where a release is published, and how it is written."""

    path: Path
    layout: Layout | None = None
    written_as: FormatName | None = None
    bounds: bool = False
    private_hierarchies: bool = False
    quiet_method: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectRequest(TableRequest):
    """Which table, under which policy, along which hierarchies, how a release is searched for, and where it goes."""

    kind: ClassVar[str] = "protect"

    memory: str | None = None  # how much may be used; the table is then streamed
    method: MethodName = "lattice"
    utility: UtilityName = DEFAULT_UTILITY
    levels: tuple[str, ...] = ()  # that are taken instead of searching
    average: LabelAverage | None = None
    suppress: float = 0
    suppressed: Suppressed = "as *"
    nodes: int = 100_000
    resists: str | None = None
    ask: Ask = "both"  # what attackers would reach whom no limit names
    publication: Publication | None = None

    def check(self) -> None:
        require_policy(self.question)  # without any, nothing else matters

    def targets(self) -> tuple[Path, ...]:
        """Return the files that a publication writes, or refuse what cannot be written so."""
        if self.publication is None:
            return ()
        path, method = self.publication.path, METHODS[self.method]
        if self.publication.quiet_method:
            refuse_loud(method())
        parts_or_file(path, self.publication.written_as, in_spark=self.engine.engine == "spark")
        refuse_left_over(path, sidecar_path(path), force=self.publication.force)
        values = () if method.prints_rows else (values_path(path),)
        return (path, sidecar_path(path), dictionary_path(path), *values)

    def open(self) -> tuple[AnyTable, dict[str, sl.Hierarchy]]:
        """Read the table and its hierarchies; refuse a search over levels of a column without any."""
        table, by = self.stream_table(self.memory)
        lattice = self.method == sl.FullDomain.name
        if self.suppress_only and not lattice:
            message = (
                f"method '{self.method}' cannot publish a column only as it is or as *; leave --suppress-only out, or "
                "use --method lattice"
            )
            raise BadPolicy(message)
        bare = next((column.name for column in table.quasi if column.name not in by), None)
        if lattice and bare is not None:
            message = (
                f"no hierarchy for '{bare}'; put '{bare}.csv' into the folder of --hierarchies (sidelight "
                f"hierarchies drafts one), or say --suppress-only '{bare}' to publish it as it is or as *"
            )
            raise BadHierarchy(message)
        return table, by

    def python(self) -> str:
        folder = "hierarchies/" if self.hierarchies is None else str(self.hierarchies)
        usual = {each.name: each.default for each in fields(self)}
        names = ("suppress", "nodes", "suppressed", "average", "resists", "utility", "ask")
        stated = {name: getattr(self, name) for name in names if getattr(self, name) != usual[name]}
        call = write_protect(self.method, {"levels": read_levels(self.levels), **stated})
        return write_python(
            f"table = {write_table(self.file, self.question.roles)}",
            'policy = sl.read_policy("policy.toml")  # as it stands below',
            f"hierarchies = {write_call('sl.read_hierarchies', folder)}",
            f"found = {call}",
            *([] if self.publication is None else [write_call("found.publish", str(self.publication.path))]),
            "report = sl.release_report(found)",
        )


class ChoiceFacts(DocumentPart):
    """Levels that could be taken instead."""

    levels: dict[str, int]
    suppressed: int
    utility: dict[str, float | None]


class DefenceFacts(DocumentPart):
    """What is promised to whom, and the price; for the publisher: what was not made tells of the table."""

    reader: str
    belief: Number | None
    loss: float
    plain_loss: float


class AskedAttackerFacts(ReaderFacts):
    """What an attacker reaches, and how right that is; for the publisher."""

    right: float | None
    falls: bool


class Protection(DocumentPart):
    """What was found; `published` is the sidecar, and null where nothing was published."""

    verdict: str
    release: ReleaseFacts
    findings: tuple[PublishedFinding, ...]
    method: str
    levels: dict[str, int]
    suppressed: int
    utility: dict[str, float | None]
    choices: tuple[ChoiceFacts, ...]
    checked: int
    complete: bool
    warnings: tuple[str, ...]
    resistance: DefenceFacts | None
    readers: tuple[AskedAttackerFacts, ...]
    published: Sidecar | None


class ProtectAnswer(Answer[Protection]):
    """What was found, beside the table as it is."""

    question: ClassVar[str] = "Which release is the most useful within the policy?"

    before: Live[AuditReport]  # of the table as if it were published as it is
    result: Live[SearchResult]
    published: Live[sl.Published | None]

    @property
    def verdict(self) -> VerdictName | None:
        return "within"

    def blocks(self) -> Blocks:
        result, before = self.result, self.before
        how = f"{before.source} by {result.method.name}"
        headline = f"Published within policy: {how}, judged again as read from the disk."
        if self.published is None:
            headline = f"Within policy, and not published: {how}; --output FILE publishes it."
        yield Paragraph(headline, "answer", "within")
        yield self._comparison()
        lines = list(_sentences(result))
        if any("." in each.result.text for each in (*before.answer.findings, *self.answer.findings)):
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
        if self.published is not None:
            written = (*self.published.paths, self.published.sidecar, self.published.dictionary)
            yield Code(f"Written: {', '.join(map(str, written))}")

    def _comparison(self) -> Grid:
        before, result = self.before.answer, self.result
        rows = [
            ("people", f"{before.release.people:,}", f"{result.release.size:,}", ""),
            ("groups", f"{before.release.groups:,}", f"{len(result.release):,}", ""),
        ]
        for old, new in zip(before.findings, self.answer.findings, strict=True):
            rows.append((new.text, old.result.text, new.result.text, f"{new.limit.text}  ✓"))
        return Grid(("", "the table", "the release", "wanted"), tuple(rows), figures=frozenset({1, 2}), dense=True)

    def page(self, recipe: Recipe) -> Page:
        document = None if self.published is None else self.published.document
        source = Path(self.before.source or "").name if self.published is None else self.published.path.name
        known = Circumstances(again=DoAgain(commands=(recipe.command,), python=recipe.python))
        report = report_on_result(self.result, known, source=source, published=document)
        notes = tuple(dict.fromkeys((*report.notes, *self.before.notes)))
        return release_page(report.model_copy(update={"notes": notes}))


class Nothing(DocumentPart):
    """What stands in the way of a release, and what would pass."""

    verdict: Literal["nothing within policy"] = "nothing within policy"
    blocked_by: Any
    closest: Any


class NothingAnswer(Answer[Nothing]):
    """Nothing can be published within a policy."""

    question: ClassVar[str] = ProtectAnswer.question

    reason: Live[str]

    @property
    def verdict(self) -> VerdictName | None:
        return "not within"

    def blocks(self) -> Blocks:
        yield Paragraph("Nothing within policy", "answer", "not within")
        yield Paragraph(self.reason)


def ask(
    request: ProtectRequest, progress: Progress = quiet, publishing: Callable[..., object] = lambda *_: None
) -> ProtectAnswer:
    """Read, search, and publish if that is asked for; raise `NothingSafe` where nothing is within the policy.

    `publishing` is told the files as soon as they stand there, whatever becomes of the answer.
    """
    policy = require_policy(request.question)
    table, by = request.open()
    result = _search_to_the_end(request, table, by, progress)
    heed_interrupts()
    published, explained = None, list[str]()
    if request.publication is not None:
        published = result.publish(**asdict(request.publication))
        publishing(*published.paths, published.sidecar)
        explained = [each.column for each in published.document.hierarchies if each.covers]
    told = f"the sidecar tells which values stand under the labels of {listed(explained)}, as the hierarchies have them"
    private = f"{told}; keep that back with --private-hierarchies"
    notes = (*request.notes(table), *result.notes, *([private] if explained else []))
    # the table as if it were published as it is
    raw: ReleaseBlocks
    if isinstance(table, sl.StreamedTable):
        raw = StreamedRelease(table.stream, table.memory)
    else:
        raw = sl.group(table, by=[column.name for column in table.quasi])
    before = audit_report(raw, verdict=policy.judge(raw), source=request.file, notes=notes)
    return ProtectAnswer(
        kind="protect",
        schema_version=2,
        source=request.file,
        answer=_describe(result, published),
        notes=(*table.intake.notes(), *notes),
        before=before,
        result=result,
        published=published,
    )


def describe_nothing(nothing: NothingSafe, request: TableRequest, reason: str) -> NothingAnswer:
    """Return the answer that nothing is within the policy; `reason` is the message in the words of the surface."""
    answer = Nothing(blocked_by=nothing.blocked_by, closest=nothing.closest)
    return NothingAnswer(kind=request.kind, schema_version=2, source=request.file, answer=answer, reason=reason)


def _search_to_the_end(
    request: ProtectRequest, table: AnyTable, by: Mapping[str, sl.Hierarchy], progress: Progress
) -> SearchResult:
    """Search to the end: what a search has when Ctrl-C is pressed depends on the moment, and is not published."""
    method: Method | MethodName = request.method
    if request.average is not None:
        if request.method != sl.Microaggregation.name:
            message = f"method '{method}' averages nothing; leave --average out, or use --method microaggregation"
            raise BadPolicy(message)
        method = sl.Microaggregation(labels=request.average)
    elif request.method == sl.FullDomain.name:
        method = sl.FullDomain(suppress=request.suppress, suppressed=request.suppressed, nodes=request.nodes)
    with noticing_interrupts() as interrupts, catch_warnings():
        simplefilter("ignore", FallsToReaderWarning)  # the answer says so
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
        except SidelightError:
            if interrupts.noticed:
                message = "nothing was published, and nothing within policy was found yet"
                raise KeyboardInterrupt(message) from None
            raise
    if interrupts.noticed:
        levels = ", ".join(f"{name} {level}" for name, level in result.levels.items())
        message = f"nothing was published; the best so far has levels {levels}: --nodes {result.checked} publishes that"
        raise KeyboardInterrupt(message)
    return result


def _describe(result: SearchResult, published: sl.Published | None) -> Protection:
    resistance = result.resistance
    return Protection(
        verdict=str(result.verdict),
        release=release_facts(result.release),
        findings=tuple(map(published_finding, result.verdict.judgements)),
        method=result.method.name,
        levels=dict(result.levels),
        suppressed=result.suppressed,
        utility={name: finite_or_none(worth) for name, worth in result.utility.items()},
        choices=tuple(
            ChoiceFacts(
                levels=dict(each.levels),
                suppressed=each.suppressed,
                utility={name: finite_or_none(worth) for name, worth in each.utility.items()},
            )
            for each in result.choices
        ),
        checked=result.checked,
        complete=result.complete,
        warnings=result.warnings,
        resistance=None
        if resistance is None
        else DefenceFacts(
            reader=resistance.reader,
            belief=None if resistance.belief is None else number(resistance.belief, large_is_bad=True),
            loss=result.utility["loss"],
            plain_loss=resistance.plain_loss,
        ),
        readers=tuple(
            AskedAttackerFacts(**dict(reader_facts(each)), right=each.right, falls=each.falls)
            for each in result.readers
        ),
        published=None if published is None else published.document,
    )


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
    """List what could be published instead, in the words of the option that does it: a line stays in one piece."""
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
    """Write what something is worth: a few figures are enough to compare.

    >>> figure(0.123456), figure(123456.7), figure(math.inf)
    ('0.1235', '123,457', 'infinite')
    """
    return "infinite" if math.isinf(worth) else f"{worth:,.{figures}g}" if worth < 10**figures else f"{worth:,.0f}"


# Publishing from a page, which gives a plain name and no folder, and where nothing that is there is ever replaced.

ENDINGS = (".parquet", ".csv")
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class WrittenRelease:
    """What was published, and the file that holds all of it where it is to be kept by the browser."""

    published: sl.Published
    archive: Path | None

    @property
    def names(self) -> tuple[str, ...]:
        """The files that were written."""
        written = self.published
        return tuple(path.name for path in (*written.paths, written.sidecar, written.dictionary))


def find_name_problem(name: str) -> str:
    """Return what is wrong with the name of a file, if something is: it names no folder and nothing hidden.

    >>> find_name_problem("release-2"), find_name_problem("../release")
    ('', "'../release' is no name for a file here; give letters, digits, - and _, such as release, and no folder")
    """
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*", name) and len(name) <= LONGEST_NAME:
        return ""
    return f"'{name[:40]}' is no name for a file here; give letters, digits, - and _, such as release, and no folder"


def read_publication(fields: Mapping[str, str], folder: Path | None) -> Publication:
    """Read from a form as which file a release is published, and what goes along.

    `folder` is the one that the command named; a name without a folder is for the browser to keep.
    """
    name, ending = fields.get("name", "").strip(), fields.get("ending", ENDINGS[0])
    bad_name = find_name_problem(name)
    if bad_name or ending not in ENDINGS:
        message = bad_name or f"releases are written as {' or '.join(ENDINGS)}"
        raise NotPublished(message)
    into_folder = fields.get("to") == "folder"
    if into_folder and folder is None:
        message = "no folder was named; start the page with --output FOLDER, or download it"
        raise NotPublished(message)
    return Publication(
        path=(folder if into_folder and folder else Path()) / f"{name}{ending}",
        private_hierarchies="private_hierarchies" in fields,
        quiet_method="quiet_method" in fields,
        bounds="bounds" in fields,
    )


def write_publication(
    publication: Publication, result: SearchResult, *, for_browser: bool, progress: Progress
) -> WrittenRelease:
    """Publish a result, and put it into one file where the browser is to keep it: one more easily than three."""
    progress("written aside, read back and judged again", 0, None)
    if not for_browser:
        return WrittenRelease(result.publish(**asdict(publication)), None)
    kept = Path(tempfile.mkdtemp(prefix="published-")) / publication.path
    published = result.publish(**asdict(replace(publication, path=kept)))
    path = published.path.with_suffix(".zip")
    with open_private(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in (published.sidecar, published.dictionary, *published.paths):
            archive.write(each, each.name)
    return WrittenRelease(published, path)
