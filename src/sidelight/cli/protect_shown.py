"""What `sidelight protect` prints: before and after, how coarse each column is, what it cost, what was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight._text import counted, form
from sidelight.publish.publish import Published
from sidelight.publish.sidecar import Sidecar
from sidelight.report.report import AuditReport
from sidelight.report.terminal import sentences
from sidelight.table.hierarchy import Hierarchy

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


def _compared(before: AuditReport, document: Sidecar) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
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
