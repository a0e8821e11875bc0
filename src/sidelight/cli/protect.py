"""`sidelight protect`: find the most useful release of a table within a policy, and publish it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from sidelight._files import refuse_existing, refuse_input, refuse_left_over
from sidelight._text import counted, form
from sidelight.cli.audit import Question
from sidelight.cli.inputs import require_columns
from sidelight.cli.interrupts import heed_interrupts, noticing_interrupts
from sidelight.cli.output import bar
from sidelight.cli.run import Status, as_options, note
from sidelight.errors import BadHierarchy, BadPolicy, NothingSafe, SidelightError
from sidelight.policy.policy import Policy
from sidelight.publish.formats import FormatName, Layout, format_of
from sidelight.publish.publish import Published
from sidelight.publish.sidecar import Sidecar, sidecar_path
from sidelight.release.generalise import group
from sidelight.report.report import AuditReport, audit_report
from sidelight.report.terminal import sentences
from sidelight.search.full_domain import FullDomain
from sidelight.search.method import SearchResult
from sidelight.search.protect import MethodName
from sidelight.search.protect import protect as search
from sidelight.search.utility import UtilityName
from sidelight.table.duckdb_source import found_files
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import column_of, hierarchy_files, read_hierarchies
from sidelight.table.read import table_from
from sidelight.table.roles import Roles
from sidelight.table.table import Table

NOTHING_YET = "nothing was published, and nothing within policy was found yet"


@dataclass(frozen=True, slots=True)
class Way:
    """How to search."""

    method: MethodName = "lattice"
    utility: UtilityName = "discernibility"
    hierarchies: Path | None = None
    suppress_only: tuple[str, ...] = ()
    suppress: float = 0
    suppressed: Literal["as *", "left out"] = "as *"
    nodes: int = 100_000


@dataclass(frozen=True, slots=True)
class Target:
    """Where the release goes, and how it is written."""

    path: Path
    force: bool = False
    layout: Layout | None = None
    written_as: FormatName | None = None
    as_json: bool = False


def protect(file: str, question: Question, way: Way, target: Target) -> Status:
    """Read, search, publish, tell."""
    policy = _policy(question)
    format_of(target.path, target.written_as)
    refuse_left_over(target.path, sidecar_path(target.path), force=target.force)
    for path in (target.path, sidecar_path(target.path)):
        refuse_input(path, (*found_files(file), *question.files, *_hierarchy_files(way)))
        refuse_existing(path, force=target.force)
    table = read(file, question.roles)
    by = hierarchies(table, way)
    notes = (*question.notes, *_unused(way))
    try:
        found = uninterrupted(table, policy, by, way)
    except NothingSafe as nothing:
        return _nothing(nothing, as_json=target.as_json)
    heed_interrupts()
    published = found.publish(target.path, force=target.force, layout=target.layout, written_as=target.written_as)
    if target.as_json:
        sys.stdout.write(published.document.to_json())  # byte for byte the sidecar
        note(*table.intake.notes(), *notes)
        return Status.WITHIN_POLICY
    raw = group(table, by=[column.name for column in table.quasi])
    before = audit_report(raw, verdict=policy.judge(raw), source=file, notes=notes)
    console = Console(highlight=False)
    with console.capture() as drawn:
        for part in shown(before, published, by):
            console.print(part)
    sys.stdout.write(drawn.get())
    return Status.WITHIN_POLICY


def _policy(question: Question) -> Policy:
    if question.policy is None:
        message = "a policy without any limit; give --policy, or limits such as --limit 'group size >= 5'"
        raise BadPolicy(message)
    return question.policy


def read(file: str, roles: Roles) -> Table:
    """Read the table with these roles."""
    require_columns(file, roles)
    return table_from(file, roles)


def hierarchies(table: Table, way: Way) -> dict[str, Hierarchy]:
    """Read the hierarchies, and make those of columns that are published as they are or as `*`."""
    by = dict(read_hierarchies(way.hierarchies)) if way.hierarchies else {}
    for name in way.suppress_only:
        labels = [text for text in table.column(name).labels if text is not None]
        by[name] = Hierarchy.suppression(name, labels or ["*"])
    bare = [column.name for column in table.quasi if column.name not in by]
    if way.method == FullDomain.name and bare:
        message = (
            f"no hierarchy for '{bare[0]}'; put '{bare[0]}.csv' into the folder of --hierarchies, or say "
            f"--suppress-only '{bare[0]}' to publish it as it is or as *"
        )
        raise BadHierarchy(message)
    return by


def _unused(way: Way) -> list[str]:
    """Note the hierarchies that `--suppress-only` takes the place of."""
    unused = [file for file in _hierarchy_files(way) if column_of(file) in way.suppress_only]
    return [f"{file} is not used: --suppress-only {column_of(file)} takes its place" for file in unused]


def _hierarchy_files(way: Way) -> list[Path]:
    return hierarchy_files(way.hierarchies) if way.hierarchies else []


def uninterrupted(table: Table, policy: Policy, by: Mapping[str, Hierarchy], way: Way) -> SearchResult:
    """Search to the end: what a search has when Ctrl-C is pressed depends on the moment, and is not published."""
    with noticing_interrupts() as interrupts:
        try:
            found = searched(table, policy, by, way)
        except SidelightError:
            if interrupts.noticed:
                raise KeyboardInterrupt(NOTHING_YET) from None
            raise
    if interrupts.noticed:
        said = ", ".join(f"{name} {level}" for name, level in found.levels.items())
        message = f"nothing was published; the best so far has levels {said}: --nodes {found.checked} publishes that"
        raise KeyboardInterrupt(message)
    return found


def searched(table: Table, policy: Policy, by: Mapping[str, Hierarchy], way: Way) -> SearchResult:
    """Search, showing what is being tried."""
    method = FullDomain(suppress=way.suppress, suppressed=way.suppressed, nodes=way.nodes)
    suppresses = way.method == FullDomain.name
    with bar("trying") as progress:
        return search(
            table,
            policy,
            by=by,
            method=method if suppresses else way.method,
            utility=way.utility,
            suppress=0 if suppresses else way.suppress,
            progress=progress,
        )


def _nothing(nothing: NothingSafe, *, as_json: bool) -> Status:
    """Say that nothing can be published, and what would pass."""
    if as_json:
        said = {"kind": "nothing within policy", "blocked_by": nothing.blocked_by, "closest": nothing.closest}
        sys.stdout.write(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
    else:
        typer.echo(f"sidelight: {as_options(str(nothing))}", err=True)
    return Status.NOT_WITHIN_POLICY


# ----------------------------------------------------------------------------------------------------
# What `sidelight protect` prints: before and after, how coarse each column is, what it cost, what was written.
# ----------------------------------------------------------------------------------------------------


ONE_GROUP = (
    "Everybody is in one group: nothing is left of these columns. A few people may be the reason "
    "(try --suppress 0.02), or one of the limits; another --method may keep more."
)


def shown(before: AuditReport, published: Published, by: Mapping[str, Hierarchy]) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom; `before` is about the table as it is."""
    document = published.document
    yield Text("✓ Published within policy", style="bold green").append(
        f": {before.source} by {document.search.method}, judged again as read from the disk.", style="not bold default"
    )
    yield _compared(before, document)
    yield from map(Text, _sentences(document, by))
    if document.release.groups == 1 < before.release.groups:
        yield Text(ONE_GROUP)
    yield Text()
    notes = [*before.notes, *(note for each in document.findings for note in each.notes), *document.warnings]
    yield from sentences("Notes", notes)
    written = ", ".join(str(path) for path in (*published.paths, published.sidecar))
    yield Text(f"Written: {written}", no_wrap=True, overflow="ignore")  # paths stay in one piece


def _compared(before: AuditReport, document: Sidecar) -> Grid:
    table = Grid(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for title in ("", "the table", "the release", "wanted"):
        table.add_column(title, overflow="fold", justify="left" if title in ("", "wanted") else "right")
    table.add_row("people", f"{before.release.people:,}", f"{document.release.people:,}", "")
    table.add_row("groups", f"{before.release.groups:,}", f"{document.release.groups:,}", "")
    for old, new in zip(before.answers, document.findings, strict=True):
        table.add_row(Text(new.said), old.found.said, new.found.said, Text(f"{new.wanted.said}  ✓"))
    return table


def _sentences(document: Sidecar, by: Mapping[str, Hierarchy]) -> Iterator[str]:
    levels = document.search.levels
    if levels:
        said = (f"{name} {level} of {by[name].height - 1}" for name, level in levels.items())
        yield f"Levels: {', '.join(said)} (0: as it is)."
        least, checked = len(document.search.minimal), document.search.checked
        yield f"{counted(least, 'minimal choice')} of levels; {checked:,} {form('was', checked)} looked at."
    yield "Utility (smaller is better): " + ", ".join(f"{name} {_figure(u)}" for name, u in document.utility.items())
    people = document.people
    if people.suppressed:
        yield f"Suppressed: {people.suppressed:,} of {counted(people.people_in, 'person')}."


def _figure(worth: float | None) -> str:
    return "infinite" if worth is None else f"{worth:,.4g}" if worth < 10_000 else f"{worth:,.0f}"
