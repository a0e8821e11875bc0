"""How does an answer that was drawn for the terminal become a page?  Its parts are taken as what they are.

A bold line is a title, a table a table, a grid of bullets a list, other texts paragraphs.  Verbs with a document of
their own for people (`audit`, `protect`, `report`) do not come by here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.errors import MarkupError
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from sidelight import __version__
from sidelight.cli.python_again import python_again
from sidelight.cli.run import Charts
from sidelight.documents.document import Envelope
from sidelight.errors import SidelightError
from sidelight.policy.measure_names import find_measure
from sidelight.report.page import Block, Code, Grid, Page, PageSection, Paragraph, Picture, Points
from sidelight.text import shell

QUESTIONS: dict[str, str] = {
    "audit": "What does this release reveal?",
    "columns": "Which columns identify people?",
    "safe harbour": "Which of the identifiers of the safe harbour does this file have?",
    "protect": "Which release is the most useful within the policy?",
    "generalisations": "What do measures say of every choice of levels?",
    "hierarchies": "Which hierarchies were drafted?",
}

WIDE = 400
"""As many letters as a line may have for whatever asks how wide the terminal is."""

BULLET = "•"


def _question_of(kind: str) -> str:
    measure = find_measure(kind)
    asked = "" if measure is None else measure.attacker.question
    return asked or QUESTIONS.get(kind, kind)


def answer_page(
    document: Envelope[Any], parts: Iterable[RenderableType], command: str, charts: Charts | None = None
) -> Page:
    """Lay an answer out as a page: its sentence, its pictures, what the terminal shows, and how to ask again."""
    sources = (document.source,) if isinstance(document.source, str) else document.source or ()
    opening, *sections = _sections(_blocks(parts))
    answer, rest = _answer_first(opening.blocks, document.notes)
    python = python_again(document.kind, command)
    codes = (
        Code(shell(shlex.split(command)), "On the command line", "sh"),
        *([Code(python, "In Python", "python")] if python else []),
    )
    again = PageSection("How to do it again", codes)
    return Page(
        title=_question_of(document.kind),
        subtitle=", ".join(sources),
        opening=(*answer, *_pictures(charts), *rest),
        sections=(*sections, again),
        foot=f"Drawn by Sidelight {__version__}; sidelight … --json gives the same answer to programs.",
    )


def _answer_first(blocks: Sequence[Block], notes: Sequence[str]) -> tuple[list[Block], list[Block]]:
    """Take the sentence that answers out of the rest: the verdict, or the first that the document notes."""
    sentences = [each for each in blocks if isinstance(each, Paragraph)]
    for each in sentences:
        if each.emphasis == "answer" or each.text in notes[:1]:
            return [replace(each, emphasis="answer")], [block for block in blocks if block is not each]
    leading = [block for block in blocks[:1] if isinstance(block, Paragraph)]
    return [*leading], [*blocks[len(leading) :]]


def _pictures(charts: Charts | None) -> Iterator[Picture]:
    """Draw what there is to draw; nothing without the extra `plot`."""
    if charts is None:
        return
    try:
        from sidelight.report.plots import picture_of  # noqa: PLC0415 - slow, and an extra

        yield from [picture_of(chart) for chart in charts()]
    except (ImportError, SidelightError):
        return


def _sections(blocks: Iterable[Block | str]) -> Iterator[PageSection]:
    """Begin a section at each title; what stands before the first one has none."""
    title, inside = "", list[Block]()
    for block in blocks:
        if isinstance(block, str):
            yield PageSection(title, tuple(inside))
            title, inside = block, []
        else:
            inside.append(block)
    yield PageSection(title, tuple(inside))


def _blocks(parts: Iterable[object]) -> Iterator[Block | str]:
    """Yield a block for each part, and a plain text for each title."""
    for part in parts:
        if isinstance(part, Text):
            yield from _text(part)
        elif isinstance(part, str):
            yield from _text(_marked(part))
        elif isinstance(part, Table):
            yield from _table(part)
        elif isinstance(part, Group):
            yield from _blocks(part.renderables)
        else:
            yield from _drawn(part)


def _marked(text: str) -> Text:
    try:
        return Text.from_markup(text)
    except MarkupError:
        return Text(text)


def _text(text: Text) -> Iterator[Block | str]:
    plain = text.plain.strip()
    style = str(text.style)
    if not plain:
        return
    if style == "bold" and not text.spans and "\n" not in plain:
        yield plain
    elif "bold" in style and ("green" in style or "red" in style):
        yield Paragraph(plain, "answer")
    elif text.no_wrap:
        yield Code(plain)
    else:
        for line in plain.split("\n\n"):
            yield Paragraph(line)


def _table(table: Table) -> Iterator[Block]:
    columns = [list(column.cells) for column in table.columns]
    rows = [tuple(_cell(cell) for cell in row) for row in zip(*columns, strict=False)]
    if not table.show_header and rows and len(columns) == 2 and all(row[0] == BULLET for row in rows):
        yield Points(tuple(row[1] for row in rows))
        return
    headings = tuple(_cell(column.header) for column in table.columns) if table.show_header else ("",) * len(columns)
    figures = frozenset(at for at, column in enumerate(table.columns) if column.justify == "right")
    title = _cell(table.title) if table.title else ""
    if rows:
        yield Grid(headings, tuple(rows), title=title, figures=figures)


def _cell(cell: RenderableType) -> str:
    if isinstance(cell, Text):
        return cell.plain.strip()
    return _marked(cell).plain.strip() if isinstance(cell, str) else _as_text([cell])


def _drawn(part: Any) -> Iterator[Block | str]:  # noqa: ANN401 - whatever can draw itself
    console = Console(width=WIDE, file=StringIO(), color_system=None)
    children: Sequence[object] = list(part.__rich_console__(console, console.options))
    if any(isinstance(child, Segment) for child in children):
        yield Code(_as_text([part]))
    else:
        yield from _blocks(children)


def _as_text(parts: Iterable[RenderableType]) -> str:
    console = Console(width=WIDE, file=StringIO(), color_system=None, highlight=False)
    with console.capture() as page:
        for part in parts:
            console.print(part)
    return "\n".join(line.rstrip() for line in page.get().splitlines()).strip()
