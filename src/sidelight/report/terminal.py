"""How does a person read a report in a terminal?  A table, sentences, notes, and the verdict in words.

Everything is drawn from the document: no arithmetic here, nothing is said by colour alone, and texts of the data are
never taken for markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.documents.facts import ReaderFacts
from sidelight.report.page import MARKS, Block, Code, Grid, PageSection, Paragraph, Points, Quotation
from sidelight.report.report import (
    AuditFinding,
    AuditReport,
)
from sidelight.rounding import ROUNDED
from sidelight.text import as_names, counted, form

LONGEST = 60
"""How many characters of a label are printed; the document has all."""

_MARKS = {True: ("✓ yes", "green"), False: ("✗ no", "bold red"), None: ("no limit", "dim")}


def show(report: AuditReport, console: Console) -> None:
    """Print a report."""
    for part in report_parts(report):
        console.print(part)


def report_parts(report: AuditReport) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield _heading(report)
    yield _table(report)
    if any("." in finding.result.text for finding in report.answer.findings):
        yield Text(f"{ROUNDED}\n")
    yield from sentences("Who stands alone", list(_alone(report)))
    yield from sentences("What it means", [_meaning(each) for each in report.answer.findings])
    yield from readers_asked(report.answer.readers)
    yield from sentences("Notes", [*(note for each in report.answer.findings for note in each.notes), *report.notes])
    yield conclusion(report)


def _heading(report: AuditReport) -> Text:
    facts = report.answer.release
    text = Text(report.source or "Release", style="bold")
    printed = f" alike in {', '.join(facts.columns)}" if facts.columns else ""
    size = f"{counted(facts.people, 'person')} in {counted(facts.groups, 'group')}"
    return text.append(f": {size}{printed}; sensitive: {', '.join(as_names(facts.sensitive))}", style="not bold")


def _table(report: AuditReport) -> Table:
    limited = any(finding.limit for finding in report.answer.findings)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("measure", overflow="fold", ratio=3)
    if limited:
        table.add_column("wanted", overflow="fold", min_width=6)
    table.add_column("found", overflow="fold", min_width=6)
    if limited:
        table.add_column("within policy?", max_width=8)
    table.add_column("who is worst off", overflow="fold", ratio=4)
    for finding in report.answer.findings:
        worst_off = Text(_briefly(finding.worst_off, finding))
        if limited:
            table.add_row(Text(finding.text), _bound(finding), _result(finding), _mark(finding), worst_off)
        else:
            table.add_row(Text(finding.text), _result(finding), worst_off)
    return table


def _alone(report: AuditReport) -> Iterator[str]:
    alone, people = report.answer.singled_out, report.answer.release.people
    if alone is None:
        return
    if not alone.people:
        yield f"Nobody of {counted(people, 'person')}: everybody looks like somebody else."
        return
    stand = "stands" if alone.people == 1 else "stand"
    yield f"{alone.people:,} of {counted(people, 'person')} {stand} alone in a group: nobody else looks like them."
    if alone.worst_columns is None:
        yield "Which columns it is by is not told for so many groups; sidelight columns tells."
    for each in alone.worst_columns or ():
        yield f"Without {each.column}, {each.fewer:,} fewer would stand alone."


READERS = "Two readers whom policies seldom name"

NOT_ASKED = (
    "Not asked: what somebody would reach who trains a model on it (a learner), or knows how it was made (an insider); "
    "sidelight attack FILE --as learner or --as insider asks."
)


def readers_asked(readers: Sequence[ReaderFacts]) -> Iterator[RenderableType]:
    """Say what two readers reach whom policies seldom name; in one line where neither was asked."""
    anybody = any(each.outcome != "not asked" for each in readers)
    lines = [f"{each.text[:1].upper()}{each.text[1:]}." for each in readers] if anybody else [NOT_ASKED]
    yield from sentences(READERS, lines if readers else [])


def _meaning(finding: AuditFinding) -> str:
    meaning = f"{finding.text}: {_briefly(finding.explanation, finding)}"
    if finding.broken_by is None or finding.broken_by.groups == 0:
        return meaning
    return f"{meaning} {finding.broken_by.in_words()}"


def _briefly(text: str, finding: AuditFinding) -> str:
    """Shorten the long labels of the group that is worst off."""
    group = (finding.witness or {}).get("group")
    says = group.get("says") if isinstance(group, dict) else None
    labels = says.values() if isinstance(says, dict) else ()
    for label in labels:
        if isinstance(label, str):
            text = text.replace(label, brief(label))
    return text


def brief(label: str) -> str:
    """Shorten a long label in the middle: a set to two of its members and the last, other texts to their ends.

    >>> brief("{" + ", ".join(f"2024-01-{day:02}" for day in range(1, 32)) + "}")
    '{2024-01-01, 2024-01-02, … and 28 more, 2024-01-31}'
    >>> brief("Flu"), len(brief("long " * 100))
    ('Flu', 60)
    """
    if len(label) <= LONGEST:
        return label
    members = label[1:-1].split(", ")
    if label[0] + label[-1] == "{}" and len(members) > 3:
        label = f"{{{', '.join(members[:2])}, … and {len(members) - 3:,} more, {members[-1]}}}"
    half = (LONGEST - 1) // 2
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1 - half]}…{label[-half:]}"


def _bound(finding: AuditFinding) -> Text:
    return Text(finding.limit.text if finding.limit else "")


def _result(finding: AuditFinding) -> Text:
    return Text(f"{finding.result.text}, an estimate" if finding.estimate else finding.result.text)


def _mark(finding: AuditFinding) -> Text:
    mark, style = _MARKS[finding.holds]
    return Text(mark, style=style)


def draw_blocks(blocks: Iterable[Block | PageSection]) -> Iterator[RenderableType]:
    """Draw blocks of an answer; pictures, and what only a person can fill in, have no place in a terminal."""
    for block in blocks:
        match block:
            case PageSection():
                if block.title:
                    yield Text(block.title, style="bold")
                yield from draw_blocks(block.blocks)
                yield from draw_blocks(block.parts)
                yield Text()
            case Paragraph():
                yield _paragraph(block)
            case Points():
                bullets = Table.grid(padding=(0, 1, 0, 0))
                for line in dict.fromkeys(block.lines):
                    bullets.add_row(" •", Text(line))
                yield bullets
            case Grid():
                yield _grid(block)
            case Quotation() | Code():
                yield Text(block.text, no_wrap=isinstance(block, Code))
            case _:
                continue


def _paragraph(block: Paragraph) -> Text:
    if block.verdict is None:
        return Text(block.text, style="dim" if block.emphasis == "quiet" else "")
    # A verdict is told by its mark and its words; colour only repeats it.
    style = {"within": "bold green", "not within": "bold red"}.get(block.verdict, "bold")
    first, colon, rest = block.text.partition(":")
    return Text(f"{MARKS[block.verdict]} {first}", style=style).append(f"{colon}{rest}", style="not bold default")


def _grid(grid: Grid) -> Table:
    title = Text(grid.title) if grid.title else None
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", show_header=any(grid.headings))
    for index, heading in enumerate(grid.headings):
        table.add_column(heading, justify="right" if index in grid.figures else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table


def sentences(title: str, lines: list[str]) -> Iterator[RenderableType]:
    """Give a title and a bullet for each line, none twice; nothing if there are none."""
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
    limits = [each for each in report.answer.findings if each.holds is not None]
    broken = [each for each in limits if not each.holds]
    if not limits:
        return Text("No policy was given: nothing is judged. Set limits with --policy or --limit.")
    if not broken:
        text = Text("✓ Within policy", style="bold green")
        kept = {1: "the limit holds", 2: "both limits hold"}.get(len(limits), f"all {len(limits)} limits hold")
        return text.append(f": {kept}. {report.answer.not_covered}", style="not bold default")
    text = Text("✗ Not within policy", style="bold red")
    which = "the limit" if len(limits) == 1 else f"{len(broken)} of {len(limits)} limits"
    count = f"{which} {form('is', len(broken))} not kept"
    return text.append(f": {count}: {'; '.join(each.text for each in broken)}.", style="not bold default")
