"""The report as a person reads it in a terminal: a table, sentences, notes.  No arithmetic, and not colour alone."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.report.document import Answer, AuditReport

_MARKS = {True: ("✓ yes", "green"), False: ("✗ no", "bold red"), None: ("no limit", "dim")}


def show(report: AuditReport, console: Console) -> None:
    """Print a report."""
    for part in drawn(report):
        console.print(part)


def drawn(report: AuditReport) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield _heading(report)
    yield _table(report)
    yield from _sentences("What it means", [f"{each.said}: {each.explanation}" for each in report.answers])
    yield from _sentences("Notes", [*(note for each in report.answers for note in each.notes), *report.notes])
    yield conclusion(report)


def _heading(report: AuditReport) -> Text:
    facts = report.release
    text = Text(report.source or "Release", style="bold")
    people = "person" if facts.people == 1 else "people"
    groups = "group" if facts.groups == 1 else "groups"
    alike = f" alike in {', '.join(facts.columns)}" if facts.columns else ""
    said = f": {facts.people:,} {people} in {facts.groups:,} {groups}{alike}; sensitive: {facts.sensitive}"
    return text.append(said, style="not bold")


def _table(report: AuditReport) -> Table:
    limited = any(answer.wanted for answer in report.answers)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("measure", overflow="fold", ratio=3)
    if limited:
        table.add_column("wanted", overflow="fold", min_width=6)
    table.add_column("found", overflow="fold", min_width=6)
    if limited:
        table.add_column("within policy?", max_width=8)
    table.add_column("who is worst off", overflow="fold", ratio=4)
    for answer in report.answers:
        judged = _judged(answer) if limited else None
        cells = (Text(answer.said), judged and judged[0], Text(answer.found.said), judged and judged[1])
        table.add_row(*(cell for cell in cells if cell is not None), Text(answer.worst_off))
    return table


def _judged(answer: Answer) -> tuple[Text, Text]:
    mark, style = _MARKS[answer.holds]
    return Text(answer.wanted.said if answer.wanted else ""), Text(mark, style=style)


def _sentences(title: str, lines: list[str]) -> Iterator[RenderableType]:
    different = list(dict.fromkeys(lines))
    if different:
        yield Text(title, style="bold")
        bullets = Table.grid(padding=(0, 1, 0, 0))
        for line in different:
            bullets.add_row(" •", Text(line))
        yield bullets
        yield Text()


def conclusion(report: AuditReport) -> Text:
    """Say the verdict in words; never more than the policy says."""
    limits = [each for each in report.answers if each.holds is not None]
    broken = [each for each in limits if not each.holds]
    if not limits:
        return Text("No policy was given: nothing is judged. Set limits with --policy or --limit.")
    if not broken:
        text = Text("✓ Within policy", style="bold green")
        kept = "the limit holds" if len(limits) == 1 else f"all {len(limits)} limits hold"
        return text.append(f": {kept}. {report.not_covered}", style="not bold default")
    text = Text("✗ Not within policy", style="bold red")
    count = f"{len(broken)} of {len(limits)} limits {'is' if len(broken) == 1 else 'are'} not kept"
    return text.append(f": {count}: {'; '.join(each.said for each in broken)}.", style="not bold default")
