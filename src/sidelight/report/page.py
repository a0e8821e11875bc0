"""A page: the document for people, of sections with a title and a few kinds of blocks.

A page is written once and drawn in several ways (`render`, `terminal`).  Its content is text, wherever it comes from: a
view escapes it, and makes invisible letters visible (`visible`).  Blocks hold content, not how it looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Emphasis: TypeAlias = Literal["plain", "answer", "warning", "quiet", "quotation"]
Verdict: TypeAlias = Literal["within", "not within", "could not tell"]

MARKS: dict[Verdict, str] = {"within": "✓", "not within": "✗", "could not tell": "?"}


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences, perhaps after a `lead`; an answer has a verdict where something was judged.

    A quotation can be checked by hand: who is worst off.
    """

    text: str
    emphasis: Emphasis = "plain"
    verdict: Verdict | None = None
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Points:
    """Bullet points."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows under headings; columns of figures are right-aligned; a row may have a verdict in words."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    figures: frozenset[int] = frozenset()
    omitted: int = 0  # rows that are not drawn
    dense: bool = False  # so much text that columns are close together
    repeated: int = 0  # first columns that are repeated where a terminal is too narrow for one grid


@dataclass(frozen=True, slots=True)
class Code:
    """Commands, Python, or a file."""

    text: str
    title: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart as SVG without scripts, its finding as a sentence, and the table behind it."""

    svg: str
    description: str
    table: Grid | None = None


@dataclass(frozen=True, slots=True)
class Blank:
    """A field that only a person can fill in; it is never invented."""

    what: str
    by: str = ""
    text: str = ""  # as filled in
    lines: int = 1  # empty lines of a signature where nothing was filled in
    hint: str = ""  # what to write


@dataclass(frozen=True, slots=True)
class Signature:
    """The sign-off."""

    lines: tuple[Blank, ...]


Block: TypeAlias = Paragraph | Points | Grid | Code | Picture | Blank | Signature


@dataclass(frozen=True, slots=True)
class PageSection:
    """A title, blocks, and sections below it."""

    title: str
    blocks: tuple[Block, ...] = ()
    parts: tuple[PageSection, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether it has no content."""
        return not self.blocks and all(part.empty for part in self.parts)


Blocks: TypeAlias = Iterator[Block | PageSection]
"""The content of a topic, in order."""


@dataclass(frozen=True, slots=True)
class Page:
    """A document for people."""

    title: str
    sections: tuple[PageSection, ...]
    subtitle: str = ""
    opening: tuple[Block, ...] = ()  # the question and its answer, before everything else
    foot: str = ""
    running: str = ""  # at the foot of every page on paper

    @property
    def letters(self) -> int:
        """The number of letters, pictures included."""
        return len(self.title) + sum(map(_letters, (*self.opening, *self.sections)))

    def shorter(self, rows: int, letters: int, *, pictures: bool) -> Page:
        """Keep at most `rows` of each table and `letters` of each text, and write how many were left out."""
        short = {name: _cut_text(getattr(self, name), letters) for name in ("title", "subtitle", "running")}
        opening = tuple(_cut_blocks(self.opening, rows, letters, pictures=pictures))
        sections = tuple(_cut_section(each, rows, letters, pictures=pictures) for each in self.sections[:rows])
        return replace(self, **short, opening=opening, sections=sections)


def _letters(part: PageSection | Block) -> int:
    match part:
        case PageSection():
            return len(part.title) + sum(map(_letters, (*part.blocks, *part.parts)))
        case Picture():
            return len(part.svg) + (0 if part.table is None else _letters(part.table))
        case Points():
            texts = [*part.lines]
        case Grid():
            texts = [cell for row in part.rows for cell in row]
        case Signature():
            texts = [line.text for line in part.lines]
        case Blank():
            texts = [part.what]
        case _:
            texts = [part.text]
    return sum(map(len, texts))


def _cut_text(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[:letters]} … ({len(text) - letters:,} more)"


def _cut_section(section: PageSection, rows: int, letters: int, *, pictures: bool) -> PageSection:
    parts = tuple(_cut_section(part, rows, letters, pictures=pictures) for part in section.parts[:rows])
    more = len(section.parts) - len(parts)
    note = (Paragraph(f"… and {more:,} more such parts; the JSON document has all.", "quiet"),) if more else ()
    blocks = _cut_blocks(section.blocks[:rows], rows, letters, pictures=pictures)
    return PageSection(_cut_text(section.title, letters), (*blocks, *note), parts)


def _cut_blocks(blocks: Sequence[Block], rows: int, letters: int, *, pictures: bool) -> Iterator[Block]:
    for block in blocks:
        match block:
            case Picture():
                table = None if block.table is None else _cut_grid(block.table, rows, letters)
                if pictures:
                    yield replace(block, table=table)
                # where pictures are left out, the numbers behind them stay
                elif table is not None:
                    yield table
            case Points():
                more = len(block.lines) - rows
                lines = tuple(_cut_text(line, letters) for line in block.lines[:rows])
                yield Points((*lines, f"… and {more:,} more") if more > 0 else lines)
            case Grid():
                yield _cut_grid(block, rows, letters)
            case Signature():
                yield Signature(tuple(replace(line, text=_cut_text(line.text, letters)) for line in block.lines))
            case Blank():
                yield block
            case _:
                yield replace(block, text=_cut_text(block.text, letters))


def _cut_grid(grid: Grid, rows: int, letters: int, most_columns: int = 40) -> Grid:
    def cut_cells(cells: Sequence[str]) -> tuple[str, ...]:
        # a cell is cut earlier than a paragraph: one long label must not fill a page
        return tuple(_cut_text(cell, min(letters, 300)) for cell in cells[:most_columns])

    kept = tuple(map(cut_cells, grid.rows[:rows]))
    wide = len(grid.headings) > most_columns
    title = f"{grid.title} (the first {most_columns} columns)".strip() if wide else grid.title
    omitted = grid.omitted + len(grid.rows) - len(kept)
    return replace(grid, title=title, headings=cut_cells(grid.headings), rows=kept, omitted=omitted)
