"""How does a page go into an issue, a wiki or a repository?  As Markdown: the same blocks, every text escaped.

CommonMark with tables, as GitHub and Pandoc read it.  Pictures are left to HTML: their tables stand here instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidelight.errors import visible
from sidelight.report.page import (
    MARKS,
    Blank,
    Block,
    Code,
    Grid,
    Page,
    PageSection,
    Paragraph,
    Picture,
    Points,
    Quotation,
    Signature,
    SignatureLine,
)

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$&{}]|^[-+=]|(?<=^\d)[.)](?=\s)|!(?=\[)|(?<=:)/(?=/)|(?<=[Ww]ww)\.|@)")


def markdown_page(page: Page) -> str:
    r"""Write a page as Markdown.

    >>> print(markdown_page(Page("Report", (PageSection("What | was found", (Paragraph("<b>*Flu*</b>"),)),))))
    # Report
    <BLANKLINE>
    ## What \| was found
    <BLANKLINE>
    \<b\>\*Flu\*\</b\>
    <BLANKLINE>
    """
    subtitle = [escaped(page.subtitle)] if page.subtitle else []
    opening = [text for block in page.opening for text in _block(block)]
    sections = [text for section in page.sections for text in _section(section, 2)]
    foot = [escaped(page.foot)] if page.foot else []
    return "\n\n".join([f"# {escaped(page.title)}", *subtitle, *opening, *sections, *foot]) + "\n"


def escaped(text: str) -> str:
    """Write a text so that Markdown and HTML take nothing in it for theirs, in one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def _section(section: PageSection, level: int) -> Iterator[str]:
    yield f"{'#' * min(level, 6)} {escaped(section.title)}"
    for block in section.blocks:
        yield from _block(block)
    for part in section.parts:
        yield from _section(part, level + 1)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            text = f"{escaped(block.lead)}: {escaped(block.text)}" if block.lead else escaped(block.text)
            mark = f"{MARKS[block.verdict]} " if block.verdict else ""
            yield f"**{mark}{text}**" if block.emphasis in ("answer", "warning") else f"{mark}{text}"
        case Points():
            yield "\n".join(f"- {escaped(line)}" for line in block.lines)
        case Grid():
            yield from _grid(block)
        case Quotation():
            yield f"> {escaped(block.text)}" + (f"\n>\n> {escaped(block.about)}" if block.about else "")
        case Code():
            yield from [escaped(block.title)] if block.title else []
            yield _fenced(block)
        case Picture():
            yield escaped(block.description)
            yield from _grid(block.table) if block.table else ()
        case Blank():
            yield f"{escaped(block.what)}\n\n*To be filled in by {escaped(block.by)}:* \\_\\_\\_\\_\\_\\_\\_\\_"
        case Signature():
            yield "\n".join(f"- **{escaped(_label(line))}**: {escaped(line.text) or EMPTY}" for line in block.lines)


EMPTY = r"\_" * 24


def _label(line: SignatureLine) -> str:
    return f"{line.label} ({line.hint})" if line.hint and not line.text else line.label


def _grid(grid: Grid) -> Iterator[str]:
    if grid.title:
        yield escaped(grid.title)
    rule = ["---:" if at in grid.figures else "---" for at in range(len(grid.headings))]
    rows = [[escaped(cell) for cell in row] for row in (grid.headings, *grid.rows)]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]
    yield "\n".join(lines)
    if grid.omitted:
        yield f"… and {grid.omitted:,} more rows; the JSON document has all."


def _fenced(code: Code) -> str:
    """Write the code in a fence that is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", code.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{code.language}\n{visible(code.text).rstrip()}\n{fence}"
